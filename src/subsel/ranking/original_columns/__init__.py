"""Text, dates and categories, ranked as the columns the user knows."""

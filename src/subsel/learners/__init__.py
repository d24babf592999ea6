"""Models the literature needs and scikit-learn lacks."""

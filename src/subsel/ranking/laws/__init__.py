"""Laws of scores under the null hypothesis: p-values, exact where they can be counted."""

"""Tables as the methods read them: checked once, taken by blocks, counted and summed."""

"""One outer fold: the selection, the model and the predictions on held-out rows."""

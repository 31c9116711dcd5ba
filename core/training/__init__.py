"""Small models that are trained while somebody watches. PyTorch is imported inside functions only."""

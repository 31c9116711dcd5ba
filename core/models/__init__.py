"""Two trained models: what they are, their forward passes, and recordings of them on a few sentences."""

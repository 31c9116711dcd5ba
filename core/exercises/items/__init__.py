"""The exercises, by topic."""

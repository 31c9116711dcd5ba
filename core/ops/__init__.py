"""Attention, one idea a file: free functions from arrays to arrays."""

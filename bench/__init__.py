"""Benchmarks, run by hand or by `make bench`. Never part of the tests."""

"""Loops over arrays as people write them for Numba: each file has one, its gradient by hand, and the same in JAX."""

"""How fast nbgrad is, beside PyTorch and hand-written Numba: ``python -m bench overhead``."""

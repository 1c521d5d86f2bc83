"""How fast nbgrad is, beside PyTorch, JAX, HIPS autograd and hand-written Numba: ``python -m bench``."""

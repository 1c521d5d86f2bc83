"""``nbgrad.backends``: what libraries may do, with PyTorch's names."""

from nbgrad.backends import cuda

__all__ = ["cuda"]

"""Function transforms: derivatives of functions as functions, any number of them inside each other."""

from nbgrad.func.derivatives import grad, grad_and_value, jvp, linearize, vjp

__all__ = ["grad", "grad_and_value", "jvp", "linearize", "vjp"]

"""Tensors filled with random numbers of distributions that few programs draw from, from uniform ones."""

from __future__ import annotations

from math import log1p, pi

from nbgrad.calls.arguments import float_of
from nbgrad.errors import RunError
from nbgrad.functions.sampling import floating, random_numbers
from nbgrad.generator import Generator
from nbgrad.graph.dtypes import float64
from nbgrad.tensor import Tensor


def cauchy_(self: Tensor, median: float = 0, sigma: float = 1, *, generator: Generator | None = None) -> Tensor:
    """Fill the tensor with Cauchy random numbers: median + sigma tan(pi (u - 1/2)), u uniform. RuntimeError for a
    ``sigma`` that is not above 0.

    >>> nbgrad.zeros(2).cauchy_(3.0, 1e-30)
    tensor([3., 3.])
    """
    middle, width = float_of("cauchy_", "median", median), float_of("cauchy_", "sigma", sigma)
    if not width > 0:
        raise RunError(f"cauchy_ expects sigma > 0.0, but found sigma={width}")
    numbers = random_numbers("rand", self, floating("cauchy_", self.dtype), generator)
    return self.copy_(middle + width * (pi * (numbers - 0.5)).tan())


def exponential_(self: Tensor, lambd: float = 1, *, generator: Generator | None = None) -> Tensor:
    """Fill the tensor with exponential random numbers of rate ``lambd``: -log(1 - u) / lambd, u uniform. RuntimeError
    for a rate that is not above 0.

    >>> bool((nbgrad.zeros(100).exponential_() >= 0).all())
    True
    """
    rate = float_of("exponential_", "lambd", lambd)
    if not rate > 0:
        raise RunError(f"exponential_ expects lambda > 0.0, but found lambda={rate}")
    numbers = random_numbers("rand", self, floating("exponential_", self.dtype), generator)
    return self.copy_(-(-numbers).log1p() / rate)


def geometric_(self: Tensor, p: float, *, generator: Generator | None = None) -> Tensor:
    """Fill the tensor with how many trials of probability ``p`` there are up to the first success, from 1 on:
    ceil(log(1 - u) / log(1 - p)), u uniform. RuntimeError for a ``p`` that is not between 0 and 1.

    >>> nbgrad.zeros(2).geometric_(0.9999999999)
    tensor([1., 1.])
    """
    chance = float_of("geometric_", "p", p)
    if not 0 < chance < 1:
        raise RunError(f"geometric_ expects p to be in (0, 1), but got p={chance}")
    numbers = random_numbers("rand", self, float64, generator)
    return self.copy_(((-numbers).log1p() / log1p(-chance)).ceil().clamp(min=1))


def log_normal_(self: Tensor, mean: float = 1, std: float = 2, *, generator: Generator | None = None) -> Tensor:
    """Fill the tensor with numbers whose logarithms are normal with ``mean`` and ``std``. RuntimeError for a ``std``
    that is not above 0.

    >>> nbgrad.zeros(2).log_normal_(0.0, 1e-30)
    tensor([1., 1.])
    """
    middle, width = float_of("log_normal_", "mean", mean), float_of("log_normal_", "std", std)
    if not width > 0:
        raise RunError(f"log_normal_ expects std > 0.0, but found std={width}")
    numbers = random_numbers("randn", self, floating("log_normal_", self.dtype), generator)
    return self.copy_((numbers * width + middle).exp())

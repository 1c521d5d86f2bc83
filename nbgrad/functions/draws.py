"""Random numbers of distributions that few programs draw from: made of uniform ones, or as NumPy draws them."""

from __future__ import annotations

from math import log1p, pi
from typing import Any

import numpy as np

from nbgrad.calls.arguments import float_of, int_of
from nbgrad.errors import DTypeNotImplementedError, RunError
from nbgrad.functions.limits import iinfo
from nbgrad.functions.random_tensors import randint
from nbgrad.functions.sampling import floating, random_numbers
from nbgrad.generator import Generator, default_generator
from nbgrad.graph.dtypes import bool_, float64, int64
from nbgrad.graph.half import limits
from nbgrad.tensor import Tensor
from nbgrad.trace import from_values, tensor_of, values


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
    numbers = random_numbers("rand", self, floating("exponential_", self.dtype).computed, generator)
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


def random_(self: Tensor, start: Any = 0, to: Any = None, *, generator: Generator | None = None) -> Tensor:
    """Fill the tensor with integers of [start, to), each as likely; with one number, of [0, start); without, with all
    that are not negative and that the dtype holds exactly. RuntimeError where there is none, or beyond the dtype.

    >>> nbgrad.zeros(3).random_(5, 6)
    tensor([5., 5., 5.])
    """
    dtype = self.dtype
    if dtype is bool_:
        last = 1
    else:
        last = iinfo(dtype).max if not dtype.is_floating_point else round(2 / limits(dtype).eps)
    if to is None and start != 0:
        start, to = 0, start
    low = int_of("random_", "from", start)
    high = min(last + 1, iinfo(int64).max) if to is None else int_of("random_", "to", to)
    if low >= high:
        raise RunError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
    if high - 1 > last or low < (-last if dtype.is_floating_point else 0 if dtype is bool_ else iinfo(dtype).min):
        raise RunError(f"random_: 'from' or 'to - 1' is out of bounds for {dtype.name}: {low} and {high - 1}")
    return self.copy_(randint(low, high, tuple(self.shape), generator=generator, device=self.device))


def poisson(input: Tensor, generator: Generator | None = None) -> Tensor:
    """Poisson random numbers, of the rates that ``input`` has, in its shape and dtype. It looks at the rates, and has
    no derivative by them. RuntimeError for a rate below 0, NotImplementedError for integers.

    >>> nbgrad.poisson(nbgrad.zeros(2))
    tensor([0., 0.])
    """
    x: Any = tensor_of("poisson", "input", input)
    if not x.dtype.is_floating_point:
        raise DTypeNotImplementedError(f"poisson: not implemented for {x.dtype.name}")
    rates = values(x.detach()).astype(np.float64)
    if not (rates >= 0).all():
        raise RunError("poisson: invalid Poisson rate, expected rate to be non-negative")
    numbers = np.asarray(numpy_stream(generator or default_generator).poisson(rates))
    drawn: Any = from_values(numbers, x.dtype, place=x._spec.place)
    return drawn  # type: ignore[no-any-return]


def numpy_stream(generator: Generator) -> np.random.Generator:
    """NumPy's, for the next place in the stream of ``generator``."""
    seed, place = generator.take()
    return np.random.default_rng([seed % (1 << 64), place])

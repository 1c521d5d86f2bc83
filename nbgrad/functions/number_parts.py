"""Functions of ``nbgrad`` and of tensors for divisors and parts of numbers."""

from __future__ import annotations

from typing import NamedTuple

import nbgrad.calls.number_parts  # noqa: F401  declares them
from nbgrad.calls.base import CALLS
from nbgrad.tensor import Tensor
from nbgrad.tensor.out import writes_out
from nbgrad.tensor.surface import function_of, inplace_of
from nbgrad.trace import record, tensor_of

_CALLS = [CALLS[name] for name in ("gcd", "lcm", "nextafter")]
gcd, lcm, nextafter = map(function_of, _CALLS)
gcd_, lcm_, nextafter_ = map(inplace_of, _CALLS)


class Parts(NamedTuple):
    """x = mantissa times 2 to the power of exponent."""

    mantissa: Tensor
    exponent: Tensor


@writes_out("frexp")
def frexp(input: Tensor) -> Parts:
    """(mantissa, exponent) of floats: input = mantissa * 2^exponent with a mantissa of size in [1/2, 1) and an int32
    exponent. Both of 0 are 0; what is not finite is its own mantissa. NotImplementedError for integers.

    >>> nbgrad.frexp(nbgrad.tensor([8.0, -3.0]))
    Parts(mantissa=tensor([ 0.5000, -0.7500]), exponent=tensor([4, 2], dtype=nbgrad.int32))
    """
    x = tensor_of("frexp", "input", input)
    return Parts(record(CALLS["frexp_mantissa"], (x,)), record(CALLS["frexp_exponent"], (x,)))

"""The exponential of matrices."""

from __future__ import annotations

from math import ceil, log2
from typing import Any, Final

from nbgrad.functions.creation import eye
from nbgrad.graph.dtypes import float32
from nbgrad.linalg.by_scipy import of_all_examples, square_matrices
from nbgrad.linalg.systems import solve
from nbgrad.tensor import Tensor
from nbgrad.trace import values

# By itemsize: the degree of numerator and denominator, and up to which 1-norm they are exact but for rounding.
_DEGREES: Final = {4: (7, 3.925724783138660), 8: (13, 5.371920351148152)}


def matrix_exp(input: Tensor) -> Tensor:
    """The sum of A^k / k! over k = 0, 1, ... for square matrices (..., n, n). It looks at how large they are.

    Source: Higham 2005, "The scaling and squaring method for the matrix exponential revisited".

    >>> nbgrad.linalg.matrix_exp(nbgrad.tensor([[0.0, 1.0], [0.0, 0.0]]))
    tensor([[1., 1.],
            [0., 1.]])
    """
    if isinstance(input, Tensor) and input.dtype.is_half:
        return matrix_exp(input.float()).to(input.dtype)
    a = square_matrices("linalg.matrix_exp", "input", input)
    if not a.numel():
        return a.clone()  # type: ignore[no-any-return]
    degree, most = _DEGREES[4 if a.dtype is float32 else 8]
    norm = float(values(of_all_examples(a.detach().abs().sum(-2).amax()).amax()))
    squarings = max(0, ceil(log2(norm / most))) if 0 < norm < float("inf") else 0
    found = _quotient(a * 0.5**squarings, degree)
    for _ in range(squarings):
        found = found @ found
    return found  # type: ignore[no-any-return]


def _quotient(a: Any, degree: int) -> Any:
    """Pade's approximation: (V - U)^-1 (V + U), of whose polynomial V has the even powers and U the odd ones."""
    weights = [1.0]
    for k in range(degree):
        weights.append(weights[-1] * (degree - k) / ((2 * degree - k) * (k + 1)))
    identity, square = eye(a.shape[-1], dtype=a.dtype, device=a.device), a @ a
    even, odd, power = identity * weights[0], identity * weights[1], square
    for k in range(2, degree, 2):
        even, odd = even + power * weights[k], odd + power * weights[k + 1]
        power = power @ square if k + 2 < degree else power
    odd = a @ odd
    return solve(even - odd, even + odd)

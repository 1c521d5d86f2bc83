"""How variables vary together: cov and corrcoef."""

from __future__ import annotations

import warnings
from typing import Any

from nbgrad.calls.arguments import int_of
from nbgrad.errors import DTypeError, RunError, ShapeError
from nbgrad.functions.complex_numbers import view_as_complex, view_as_real
from nbgrad.graph.dtypes import bool_
from nbgrad.tensor import Tensor
from nbgrad.trace import tensor_of


def cov(
    input: Tensor, *, correction: int = 1, fweights: Tensor | None = None, aweights: Tensor | None = None
) -> Tensor:
    """The covariances of variables, whose observations are the rows of a matrix; of a vector, its variance.

    ``fweights`` says how often each observation counts (integers), ``aweights`` how much (floats). The sum over all
    is divided by their total less ``correction``. RuntimeError for more dims, bool, and weights that do not fit.

    >>> nbgrad.cov(nbgrad.tensor([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]]))
    tensor([[ 1., -1.],
            [-1.,  1.]])
    """
    x: Any = tensor_of("cov", "input", input)
    if x.dim() > 2:
        raise ShapeError(f"cov(): expected input to have two or fewer dimensions but got {x.dim()}")
    if x.dtype is bool_:
        raise DTypeError("cov(): bool dtype is not supported for input")
    less = int_of("cov", "correction", correction)
    rows = x.reshape(1, -1) if x.dim() < 2 else x
    weights = _weights(rows.shape[1], fweights, aweights)
    rows = rows if rows.dtype.is_inexact else rows.float()
    if weights is None:
        total = rows.shape[1]
        mean = rows.mean(1, keepdim=True) if total else rows.sum(1, keepdim=True)
        norm: Any = max(total - less, 0)
        few = total <= less
    else:
        total = weights.sum()
        mean = (rows * weights).sum(1, keepdim=True) / total
        norm = total - (less if aweights is None or not less else less * (weights * aweights).sum() / total)
        few = bool(norm <= 0)
        norm = norm.clamp(min=0)
    if few:
        warnings.warn("cov(): degrees of freedom is <= 0", UserWarning, stacklevel=2)
    away = rows - mean
    found: Any = (away @ (away if weights is None else away * weights).mT.conj()) / norm
    return found if rows.shape[0] != 1 else found.reshape(())  # type: ignore[no-any-return]


def _weights(count: int, fweights: Tensor | None, aweights: Tensor | None) -> Any:
    """The product of the weights that are given; None where there are none."""
    for name, weights in (("fweights", fweights), ("aweights", aweights)):
        if weights is None:
            continue
        w: Any = tensor_of("cov", name, weights)
        if w.dim() > 1 or w.numel() != count:
            raise ShapeError(f"cov(): expected {name} to be a vector of {count} elements, but got {list(w.shape)}")
        if w.is_floating_point() is (name == "fweights") or w.dtype is bool_:
            what = "integral" if name == "fweights" else "floating point"
            raise DTypeError(f"cov(): expected {name} to have {what} dtype but got {w.dtype.name}")
        if w.numel() and bool((w < 0).any()):
            raise RunError(f"cov(): {name} cannot be negative")
    given = [w for w in (fweights, aweights) if w is not None]
    return None if not given else given[0] if len(given) == 1 else given[0] * given[1]


def corrcoef(input: Tensor) -> Tensor:
    """The correlation coefficients of variables, whose observations are the rows of a matrix; of a vector, 1.

    >>> nbgrad.corrcoef(nbgrad.tensor([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]]))
    tensor([[ 1., -1.],
            [-1.,  1.]])
    """
    x: Any = tensor_of("corrcoef", "input", input)
    if x.dim() > 2:
        raise ShapeError(f"corrcoef(): expected input to have two or fewer dimensions but got {x.dim()}")
    found: Any = cov(x)
    if not found.dim():
        return found / found  # type: ignore[no-any-return]
    deviations = found.diagonal().sqrt()
    shares = found / deviations.unsqueeze(-1) / deviations
    if shares.is_complex():
        return view_as_complex(view_as_real(shares).clamp(-1, 1))  # type: ignore[no-any-return]
    return shares.clamp(-1, 1)  # type: ignore[no-any-return]

"""var and std, alone and with the mean: functions whose calls take the three forms that PyTorch has for them.

var(x, dim, unbiased=True, keepdim=False)    var(x, dim=None, *, correction=1, keepdim=False)    var(x, unbiased)
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from math import prod
from typing import Any

from nbgrad.calls.arguments import dims_of, flag_of, float_of
from nbgrad.calls.base import CALLS
from nbgrad.calls.numpy_names import UNSAID, numpy_names
from nbgrad.errors import DTypeError, NbgradError, warn_here
from nbgrad.tensor import Tensor
from nbgrad.tensor.out import writes_out
from nbgrad.trace import fast_static, tensor_of

Function = Callable[..., Any]

_mean = fast_static(CALLS["mean"])


def _statics(name: str, dim: Any, unbiased: Any, keepdim: Any, correction: Any) -> tuple[Any, ...]:
    """(dims, correction, keepdim) that a call means. DTypeError for what fits none of the forms."""
    if isinstance(dim, bool) and unbiased is not UNSAID:
        raise DTypeError(f"{name}(): 'unbiased' is given twice: {dim}, in the place of 'dim', and {unbiased}")
    if (isinstance(dim, bool) or unbiased is not UNSAID) and correction is not UNSAID:
        raise DTypeError(f"{name}() got both 'unbiased' and 'correction': unbiased=False is correction=0, True 1")
    if isinstance(dim, bool):
        raise DTypeError(f"{name}(): argument 'dim' must be int or tuple of ints or None, not bool")
    keep = flag_of(name, "keepdim", keepdim) if keepdim is not UNSAID else False
    if unbiased is not UNSAID:
        if dim is UNSAID and keepdim is not UNSAID:
            raise DTypeError(f"{name}(): 'unbiased' and 'keepdim' need 'dim', which may be None")
        correction = 1 if flag_of(name, "unbiased", unbiased) else 0
    elif correction is UNSAID or correction is None:
        correction = None
    elif type(correction) is not int:
        correction = float_of(name, "correction", correction)
    dims = None if dim is UNSAID or dim is None else dim if type(dim) is int else dims_of(name, "dim", dim)
    return dims, correction, keep


def _with_old_form(function: Function) -> Function:
    """``function``, taking ``var(x, False)``, too: a bool that comes alone after the tensor is ``unbiased``."""
    named_function = numpy_names(function)

    @functools.wraps(named_function)
    def made(*args: Any, **named: Any) -> Any:
        if len(args) == 2 and args[1].__class__ is bool and not named:
            return function(args[0], unbiased=args[1])
        try:
            return named_function(*args, **named)
        except NbgradError:
            raise
        except TypeError as error:  # Python's own, of a call that does not fit the signature
            raise DTypeError(str(error)) from None

    return made


def _declared(name: str, input: Any, *given: Any) -> tuple[Tensor, tuple[Any, ...]]:
    x, statics = tensor_of(name, "input", input), _statics(name, *given)
    dims, correction, _ = statics
    sizes: Any = x.shape
    if dims is not None:
        sizes = [sizes[d] for d in ((dims,) if type(dims) is int else dims) if -len(sizes) <= d < len(sizes)]
    if prod(sizes) <= (1 if correction is None else correction):
        warn_here(f"{name}(): degrees of freedom is <= 0: the correction is not less than the size", UserWarning)
    return x, statics


_var, _std = fast_static(CALLS["var"]), fast_static(CALLS["std"])


@_with_old_form
@writes_out("var")
def var(
    input: Tensor,
    dim: Any = UNSAID,
    unbiased: Any = UNSAID,
    keepdim: Any = UNSAID,
    *,
    correction: Any = UNSAID,
) -> Tensor:
    """sum((x - mean)^2) / (n - correction) over ``dim`` (all dims for None), in two passes.

    The correction is 1 unless given; ``unbiased=False`` means 0. TypeError for both, and for inputs that are not
    floating point.

    >>> nbgrad.var(nbgrad.tensor([[1.0, 3.0], [2.0, 2.0]]), 1, correction=0)
    tensor([1., 0.])
    """
    return _var(*_declared("var", input, dim, unbiased, keepdim, correction))  # type: ignore[no-any-return]


@_with_old_form
@writes_out("std")
def std(
    input: Tensor,
    dim: Any = UNSAID,
    unbiased: Any = UNSAID,
    keepdim: Any = UNSAID,
    *,
    correction: Any = UNSAID,
) -> Tensor:
    """Square root of ``var``; the derivative is 0 where the deviation is 0.

    >>> nbgrad.std(nbgrad.tensor([1.0, 2.0, 3.0]))
    tensor(1.)
    """
    return _std(*_declared("std", input, dim, unbiased, keepdim, correction))  # type: ignore[no-any-return]


def _and_mean(spread: Function, x: Tensor, statics: tuple[Any, ...]) -> tuple[Tensor, Tensor]:
    dims, _, keep = statics
    return spread(x, statics), _mean(x, (dims, keep, None))


@_with_old_form
def var_mean(
    input: Tensor, dim: Any = UNSAID, unbiased: Any = UNSAID, keepdim: Any = UNSAID, *, correction: Any = UNSAID
) -> tuple[Tensor, Tensor]:
    """(``var``, ``mean``) over ``dim``.

    >>> nbgrad.var_mean(nbgrad.tensor([1.0, 2.0, 3.0]))
    (tensor(1.), tensor(2.))
    """
    return _and_mean(_var, *_declared("var_mean", input, dim, unbiased, keepdim, correction))


@_with_old_form
def std_mean(
    input: Tensor, dim: Any = UNSAID, unbiased: Any = UNSAID, keepdim: Any = UNSAID, *, correction: Any = UNSAID
) -> tuple[Tensor, Tensor]:
    """(``std``, ``mean``) over ``dim``.

    >>> nbgrad.std_mean(nbgrad.tensor([[1.0, 3.0], [2.0, 2.0]]), dim=1, correction=0)
    (tensor([1., 0.]), tensor([2., 2.]))
    """
    return _and_mean(_std, *_declared("std_mean", input, dim, unbiased, keepdim, correction))


for _function in (var, std):
    setattr(Tensor, _function.__name__, _function)

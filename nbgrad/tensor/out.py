"""Results that are written into tensors of the user's: the argument ``out`` of functions."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, Final, TypeVar

from nbgrad.calls.arguments import refused
from nbgrad.errors import DTypeError, DTypeNotImplementedError, GradError, RunError, warn_here
from nbgrad.graph.dtypes import DType, as_dtype, category, uint8
from nbgrad.tensor.tensor import Tensor
from nbgrad.trace import local

Result = TypeVar("Result")
# What converts nothing, because PyTorch's does not: it selects or rounds elements, or is one call of a library.
_CONVERTS_NOTHING: Final = """
    all amax amin aminmax any argmax argmin argsort bitwise_not bucketize ceil clamp clamp_max clamp_min clip
    conj_physical cummax cummin diag fix floor frac frexp gather hardshrink heaviside index_add index_copy
    index_reduce index_select isin isneginf isposinf kthvalue logcumsumexp masked_select max median min mode msort
    nan_to_num nanmedian nanquantile neg negative nonzero norm quantile renorm round scatter scatter_add scatter_reduce
    searchsorted sgn sign signbit sort special.round take take_along_dim topk tril triu trunc where
    as_strided_copy diagonal_copy expand_copy narrow_copy permute_copy select_copy slice_copy slice_scatter
    split_with_sizes_copy squeeze_copy t_copy transpose_copy unbind_copy unfold_copy unsqueeze_copy view_copy
    addbmm addmm addmv baddbmm bmm chain_matmul complex cross dot float_power histc histogram inner
    inverse lu_solve lu_unpack matmul mm multinomial mv ormqr polar qr slogdet svd tensordot triangular_solve vdot
    linalg.cholesky linalg.cholesky_ex linalg.cross linalg.det linalg.eigh linalg.eigvalsh linalg.inv linalg.inv_ex
    linalg.ldl_factor linalg.ldl_factor_ex linalg.ldl_solve linalg.lu linalg.lu_factor linalg.lu_factor_ex
    linalg.lu_solve linalg.matrix_norm linalg.multi_dot linalg.norm linalg.qr linalg.slogdet linalg.solve
    linalg.solve_ex linalg.solve_triangular linalg.svd linalg.svdvals linalg.vecdot vector_norm
"""
_EXACT: Final = frozenset(_CONVERTS_NOTHING.split())
_IN_DTYPE_OF_OUT: Final = ("cumprod", "cumsum", "nansum", "prod", "sum")
_IN_FLOATS_OF_OUT: Final = ("mean", "nanmean")
_MAGNITUDES: Final = ("abs", "absolute")


def writes_out(
    name: str, *options: str, where: Callable[[dict[str, Any]], bool] | None = None
) -> Callable[[Callable[..., Result]], Callable[..., Result]]:
    """Gives a function, whose errors call it ``name``, the argument ``out``: what it returns is ``written`` there.
    ``options``, dtype and device of what it makes, are those of ``out`` where they are not given. ``where`` says of the
    arguments whether this form of the function has ``out``."""

    def made(function: Callable[..., Result]) -> Callable[..., Result]:
        @functools.wraps(function)
        def given_out(*args: Any, out: Any = None, **named: Any) -> Result:
            try:
                if out is None:
                    return function(*args, **named)
                if where is not None and not where(inspect.signature(function).bind(*args, **named).arguments):
                    raise DTypeError(f"{name}() has no argument 'out' for these arguments")
                if not options or not isinstance(out, Tensor):
                    return written(name, functools.partial(function, *args, **named), out)
                wanted = named.get("dtype")
                if wanted is not None and as_dtype(wanted) is not out.dtype:
                    raise RunError(f"{name}(): dtype {as_dtype(wanted).name} is not {out.dtype.name}, the dtype of out")
                named |= {option: getattr(out, option) for option in options if named.get(option) is None}
                is_leaf = named.pop("requires_grad", False)
                made = written(name, functools.partial(function, *args, **named), out)
                if is_leaf:
                    out.requires_grad_()
                return made
            except TypeError as error:
                try:
                    inspect.signature(function).bind(*args, **named)
                except TypeError:  # arguments that the function does not have
                    raise DTypeError(str(error).replace(f"{function.__name__}()", f"{name}()")) from None
                raise

        known = inspect.signature(function)
        parameter = inspect.Parameter("out", inspect.Parameter.KEYWORD_ONLY, default=None, annotation="Any")
        *others, last = known.parameters.values()
        takes_any = last.kind is inspect.Parameter.VAR_KEYWORD
        parameters = [*others, parameter, last] if takes_any else [*others, last, parameter]
        given_out.__signature__ = known.replace(parameters=parameters)  # type: ignore[attr-defined]
        return given_out

    return made


def in_dtype_of(out: Any, name: str, operands: tuple[Any, ...], named: dict[str, Any]) -> dict[str, Any]:
    """``named``, arguments of a declared call: sums and products are taken in the dtype of ``out``, where the user
    names none, and means where both are floats. RuntimeError where he names another one, for a nansum of floats in no
    floats, and for magnitudes in another one than their numbers': only those of complex numbers are converted, to any
    real floats."""
    wanted = named.get("dtype")
    if not isinstance(out, Tensor):
        return named
    if name in _MAGNITUDES and isinstance(x := operands[0], Tensor):
        converts = x.is_complex() and not out.is_complex()
        if not converts and out.dtype is not x.dtype:
            raise _other_dtype(name, x.dtype, out)
    if wanted is None:
        x = named.get("input")
        is_float = isinstance(x, Tensor) and x.is_floating_point()
        if name == "nansum" and is_float and not out.is_floating_point():
            raise DTypeNotImplementedError(f"nansum(): not implemented for floats in {out.dtype.name}")
        floats = is_float and out.is_floating_point()
        given = name in _IN_DTYPE_OF_OUT or (floats and name in _IN_FLOATS_OF_OUT)
        return {**named, "dtype": out.dtype} if given else named
    if as_dtype(wanted) is not out.dtype:
        raise _other_dtype(name, as_dtype(wanted), out)
    return named


def _other_dtype(name: str, wanted: DType, out: Any) -> DTypeError:
    if name in ("all", "any"):
        return DTypeError(f"{name} only supports bool tensor for result, got: {out.dtype.name}")
    if name == "quantile":
        return DTypeError(
            f"quantile() out tensor must be same dtype as the input tensor, {wanted.name}, not {out.dtype.name}"
        )
    return DTypeError(f"{name}(): Expected out tensor to have dtype {wanted.name}, but got {out.dtype.name} instead")


def written(name: str, compute: Callable[[], Result], out: Any) -> Result:
    """``out``, a tensor or a tuple of them for as many results, with what ``compute`` gives: resized, which warns where
    it had elements. Results are converted to the dtype of ``out``, but never to a lower category: no fraction and no
    imaginary part is cut off. RuntimeError for tensors that require grad."""
    outs = out if isinstance(out, (tuple, list)) else (out,)
    for x in outs:
        if not isinstance(x, Tensor):
            raise refused(name, "out", x, "Tensor")
    _require_plain(name, outs)
    result: Any = compute()
    results = result if isinstance(result, tuple) else (result,)
    if len(outs) != len(results) or isinstance(out, (tuple, list)) is not isinstance(result, tuple):
        wanted = f"tuple of {len(results)} Tensors" if isinstance(result, tuple) else "Tensor"
        raise refused(name, "out", out, wanted)
    _require_plain(name, results)
    for x, value in zip(outs, results, strict=True):
        _write(name, x, value)
    if not isinstance(result, tuple):
        return out  # type: ignore[no-any-return]
    return type(result)(*outs) if hasattr(result, "_fields") else tuple(outs)  # type: ignore[return-value]


def _require_plain(name: str, tensors: Any) -> None:
    if local.trace.grad_enabled and any(x.requires_grad for x in tensors):
        raise GradError(
            f"{name}(): functions with out=... arguments don't support automatic differentiation, but one of the "
            "arguments requires grad."
        )
    if local.trace.duals is not None and any(t is not None for t in local.trace.duals.tangents(tensors)):
        raise RunError(f"{name}(): a tensor with a tangent is computed or written by an out= function, which has none")


def _write(name: str, out: Any, value: Any) -> None:
    if out.device != value.device:
        raise RunError(
            f"{name}(): Expected out tensor to be on {value.device}, where the result is, but it is on {out.device}"
        )
    if name in _EXACT and out.dtype is not value.dtype and not (name in ("all", "any") and out.dtype is uint8):
        raise _other_dtype(name, value.dtype, out)
    if category(value.dtype) > category(out.dtype):
        raise DTypeError(
            f"{name}(): result type {value.dtype.name} can't be cast to the desired output type {out.dtype.name}"
        )
    if out.shape != value.shape:
        if out.numel():
            warn_here(
                f"An output with one or more elements was resized since it had shape {list(out.shape)}, which does not "
                f"match the required output shape {list(value.shape)}.",
                UserWarning,
            )
        out.resize_(value.shape)
    out.copy_(value)

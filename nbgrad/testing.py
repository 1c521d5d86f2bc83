"""``nbgrad.testing``: comparing tensors, and making some to test with.

>>> nbgrad.testing.assert_close(nbgrad.tensor([1.0]), nbgrad.tensor([1.0 + 1e-7]))
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from nbgrad.absent import AbsentError
from nbgrad.calls.arguments import dtype_of, flag_of, float_of, ints_of
from nbgrad.errors import ArgumentError, DTypeError, RunError
from nbgrad.functions.creation import as_tensor
from nbgrad.functions.random_tensors import rand, randint
from nbgrad.graph.dtypes import DType, bfloat16, bool_, complex64, complex128, float16, float32, float64
from nbgrad.graph.half import limits
from nbgrad.graph.quiet import quietly
from nbgrad.tensor import Tensor
from nbgrad.trace import values

__all__ = ["assert_allclose", "assert_close", "make_tensor"]

_TOLERANCES: Final = {  # relative and absolute
    float16: (1e-3, 1e-5),
    bfloat16: (1.6e-2, 1e-5),
    **dict.fromkeys((float32, complex64), (1.3e-6, 1e-5)),
    **dict.fromkeys((float64, complex128), (1e-7, 1e-7)),
}


def assert_close(
    actual: Any,
    expected: Any,
    *,
    allow_subclasses: bool = True,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = False,
    check_device: bool = True,
    check_dtype: bool = True,
    check_layout: bool = True,
    check_stride: bool = False,
    msg: str | Callable[[str], str] | None = None,
) -> None:
    """AssertionError where |actual - expected| > atol + rtol |expected| somewhere, or shapes, devices or dtypes differ.

    Tensors, numbers and NumPy's arrays, sequences and mappings of them. ``rtol`` and ``atol`` belong together; None are
    those of the dtypes: 1e-3 and 1e-5 for float16, 1.6e-2 and 1e-5 for bfloat16, 1.3e-6 and 1e-5 for float32, 1e-7 and
    1e-7 for float64, 0 for whole numbers. ``msg`` is said instead, or makes that of the one there would be.

    >>> nbgrad.testing.assert_close([1.0, 2.0], [1.0, 2.5])
    Traceback (most recent call last):
    AssertionError: Item [1]: Scalars are not close!
    <BLANKLINE>
    Expected 2.5 but got 2.0.
    Absolute difference: 0.5 (up to 1e-07 allowed)
    Relative difference: 0.2 (up to 1e-07 allowed)
    """
    if (rtol is None) is not (atol is None):
        raise ArgumentError(
            f"rtol and atol must both be specified or both be unspecified, got rtol={rtol}, atol={atol}"
        )
    tolerances = (
        None if rtol is None else (float_of("assert_close", "rtol", rtol), float_of("assert_close", "atol", atol))
    )
    checks = {"device": check_device, "dtype": check_dtype, "stride": check_stride}
    flags = {k: flag_of("assert_close", f"check_{k}", v) for k, v in checks.items()}
    words = _difference(actual, expected, tolerances, flag_of("assert_close", "equal_nan", equal_nan), flags, "")
    if words:
        raise AssertionError(msg(words) if callable(msg) else msg or words)


def assert_allclose(actual: Any, expected: Any, rtol: float | None = None, atol: float | None = None) -> None:
    """``assert_close`` that looks neither at devices nor at dtypes, and takes NaN for equal.

    >>> nbgrad.testing.assert_allclose(nbgrad.ones(2), nbgrad.ones(2).double())
    """
    assert_close(actual, expected, rtol=rtol, atol=atol, equal_nan=True, check_device=False, check_dtype=False)


def _difference(actual: Any, expected: Any, tolerances: Any, equal_nan: bool, flags: Any, where: str) -> str:
    """What differs; "" where nothing does."""
    pairs: Any = None
    if isinstance(actual, Mapping) and isinstance(expected, Mapping):
        if actual.keys() != expected.keys():
            return f"{where}The keys of the mappings do not match: {[*actual]} and {[*expected]}"
        pairs = [(key, actual[key], expected[key]) for key in expected]
    elif _is_sequence(actual) and _is_sequence(expected):
        if len(actual) != len(expected):
            return f"{where}The length of the sequences mismatch: {len(actual)} != {len(expected)}"
        pairs = [(k, a, e) for k, (a, e) in enumerate(zip(actual, expected, strict=True))]
    elif actual is None or expected is None:
        return "" if actual is expected else f"{where}None mismatch: {actual} is not {expected}"
    if pairs is None:
        return _of_tensors(actual, expected, tolerances, equal_nan, flags, where)
    found = (_difference(a, e, tolerances, equal_nan, flags, f"{where or 'Item '}[{k!r}]: ") for k, a, e in pairs)
    return next((words for words in found if words), "")


def _is_sequence(x: Any) -> bool:
    return isinstance(x, Sequence) and not isinstance(x, str)


def _of_tensors(actual: Any, expected: Any, tolerances: Any, equal_nan: bool, flags: Any, where: str) -> str:
    are_numbers = not any(isinstance(x, (Tensor, np.ndarray)) for x in (actual, expected))
    a, e = (_tensor(x) for x in (actual, expected))
    if a.shape != e.shape:
        return f"{where}The values for attribute 'shape' do not match: {a.shape} != {e.shape}."
    for name in ("device", "dtype"):
        if flags[name] and not are_numbers and getattr(a, name) != getattr(e, name):
            return f"{where}The values for attribute '{name}' do not match: {getattr(a, name)} != {getattr(e, name)}."
    if flags["stride"] and a.stride() != e.stride():
        return f"{where}The values for attribute 'stride()' do not match: {a.stride()} != {e.stride()}."
    rtol, atol = tolerances or _tolerance(a.dtype, e.dtype)
    x, y = [np.asarray(values(t.detach())) for t in (a, e)]
    kinds = {x.dtype.kind, y.dtype.kind}
    if not kinds.isdisjoint("fc"):
        x, y = (a.astype(np.complex128 if "c" in kinds else np.float64) for a in (x, y))
    close = np.isclose(x, y, rtol, atol, equal_nan)
    if close.all():
        return ""
    away = quietly(lambda: np.abs(x - y if "c" in kinds else x.astype(np.float64) - y.astype(np.float64)))
    share = quietly(np.divide, away, np.abs(y))
    lines = [
        f"{where}{'Scalars' if are_numbers else 'Tensor-likes'} are not {'close' if rtol or atol else 'equal'}!",
        "",
    ]
    if are_numbers:
        lines.append(f"Expected {expected} but got {actual}.")
        named: tuple[str, ...] = ("", "")
    else:
        count = int((~close).sum())
        lines.append(f"Mismatched elements: {count} / {close.size} ({100 * count / close.size:.1f}%)")
        named = tuple([f" at index {_place(np.where(close, -1, d))}" for d in (away, share)])
    names = ("Greatest absolute", "Greatest relative") if not are_numbers else ("Absolute", "Relative")
    for kind, d, at, most in zip(names, (away, share), named, (atol, rtol), strict=True):
        lines.append(f"{kind} difference: {float(np.max(np.where(close, 0, d)))}{at} (up to {most} allowed)")
    return "\n".join(lines)


def _place(differences: Any) -> tuple[int, ...]:
    differences = np.where(np.isnan(differences), np.inf, differences)
    return tuple([int(k) for k in np.unravel_index(np.argmax(differences), differences.shape)])


def _tensor(x: Any) -> Any:
    if isinstance(x, Tensor):
        return x
    if isinstance(x, (bool, int, float, complex, np.ndarray, np.generic)):
        kind = float64 if isinstance(x, float) else complex128 if isinstance(x, complex) else None
        return as_tensor(x, dtype=kind)
    raise DTypeError(f"assert_close(): no comparison for objects of type {type(x).__name__}")


def _tolerance(*kinds: DType) -> tuple[float, float]:
    found = [_TOLERANCES.get(kind, (0.0, 0.0)) for kind in kinds]
    return max([r for r, _ in found]), max([a for _, a in found])


def make_tensor(
    *shape: Any,
    dtype: Any,
    device: Any = "cpu",
    low: float | None = None,
    high: float | None = None,
    requires_grad: bool = False,
    noncontiguous: bool = False,
    exclude_zero: bool = False,
    memory_format: Any = None,
) -> Tensor:
    """Random numbers from ``low`` to ``high``, which does not belong to them: from -9 to 9 for floats, to 10 for whole
    numbers (from 0 without a sign), False and True for bools. ``exclude_zero`` has the smallest number, or 1, for 0.

    >>> nbgrad.testing.make_tensor(2, 3, dtype=nbgrad.float64).shape
    nbgrad.Size([2, 3])
    """
    kind = dtype_of("make_tensor", "dtype", dtype)
    sizes = ints_of("make_tensor", "shape", shape[0] if len(shape) == 1 and not isinstance(shape[0], int) else shape)
    usual = {"b": (0, 2), "u": (0, 10), "i": (-9, 10), "f": (-9, 9), "c": (-9, 9)}[kind.kind]
    least, most = [
        float_of("make_tensor", name, default if given is None else given)
        for name, given, default in (("low", low, usual[0]), ("high", high, usual[1]))
    ]
    if not least < most:
        raise ArgumentError(f"make_tensor(): low must be less than high, got {least} and {most}")
    wide = (*sizes[:-1], 2 * sizes[-1]) if noncontiguous and sizes else sizes
    found: Any
    if kind.is_inexact:
        shift = complex(least, least) if kind.is_complex else least
        found = rand(wide, dtype=kind, device=device) * (most - least) + shift
    else:
        whole = (int(np.ceil(least)), int(np.ceil(most)))
        found = randint(*whole, wide, device=device).to(kind)
    if exclude_zero and kind is not bool_:
        found = found.masked_fill(found == 0, limits(kind).tiny if kind.is_inexact else 1)
    found = found[..., ::2] if noncontiguous and sizes else found
    if flag_of("make_tensor", "requires_grad", requires_grad) and not kind.is_inexact:
        raise RunError(f"make_tensor(): requires_grad must be False for {kind.name}")
    return found.requires_grad_() if requires_grad else found  # type: ignore[no-any-return]


def __getattr__(name: str) -> Any:
    raise AbsentError("module 'nbgrad.testing'", name, __all__)


def __dir__() -> list[str]:
    """The public names, for completion."""
    return [*__all__]

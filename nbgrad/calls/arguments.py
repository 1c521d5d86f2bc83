"""What a static argument of a declared function may be, by its annotation: checked, and made a plain hashable value.

Annotations are unions of int, bool, float, str, Shape (a tuple of ints), DType and None. A check belongs to the call,
not to the structure: ``x.sum(dim=1.0)`` is refused also where ``x.sum(dim=1)`` was seen.
"""

from __future__ import annotations

import reprlib
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from nbgrad.errors import ArgumentError, DTypeError, DTypeNotImplementedError, NumberError, warn_here
from nbgrad.graph.dtypes import DType, as_dtype
from nbgrad.graph.half import range_of
from nbgrad.graph.layout import MemoryFormat
from nbgrad.number import plain_number

Check = Callable[..., Any]


class Kind(NamedTuple):
    """How arguments with one annotation are checked: ``check(function, argument, value)`` gives the value to use.

    ``plain``: classes whose values pass as they are, so that a call on the hot path pays one comparison.
    """

    plain: tuple[type, ...]
    check: Check


def refused(function: str, argument: str, value: Any, expected: str) -> DTypeError:
    """The error of a value of the wrong type, in PyTorch's words."""
    return DTypeError(f"{function}(): argument '{argument}' must be {expected}, not {class_of(value)}")


def class_of(value: Any) -> str:
    """The name of a value's class; PyTorch's classes, of which many are named as ours, with their module."""
    kind = type(value)
    return f"{kind.__module__}.{kind.__name__}" if kind.__module__.split(".")[0] == "torch" else kind.__name__


def refuse_half(function: str, dtype: DType) -> None:
    """DTypeNotImplementedError for two bytes where they have too few digits."""
    if dtype.is_half:
        raise DTypeNotImplementedError(
            f"{function}: not implemented for {dtype.name}, which has too few digits: give it x.float()"
        )


def require_fits(value: Any, dtype: DType) -> None:
    """NumberError for a Python number outside the range of ``dtype``, as PyTorch refuses it where it converts a number
    and does not calculate with it: an unsigned integer takes negative ints, which wrap; floating ones take infinities
    and NaN; a real one takes complex numbers without an imaginary part; bool takes all.
    """
    if isinstance(value, complex):
        if dtype.is_complex:
            require_fits(value.real, dtype)
            require_fits(value.imag, dtype)
            return
        if value.imag == 0:
            value = value.real
        elif dtype.kind != "b":
            raise NumberError(f"value cannot be converted to type {dtype.name} without overflow: {value} is complex")
    if dtype.kind == "b" or (dtype.is_inexact and dtype.to_real().itemsize == 8):
        return
    least, most = range_of(dtype)
    if dtype.kind == "u" and isinstance(value, int):
        least = -most
    # Compared as they are: of a number with an origin, the recording holds for those alone that are within, too.
    if (value < least or value > most or (dtype.kind in "iu" and value != value)) and not (
        dtype.is_inexact and abs(value) == float("inf")
    ):
        raise NumberError(
            f"value cannot be converted to type {dtype.name} without overflow: {plain_number(value)} is not between "
            f"{least} and {most}"
        )


def masked(function: str) -> DTypeError:
    """The error of an operand that is one of NumPy's masked arrays."""
    return DTypeError(
        f"{function}: the mask of a masked array would be lost; use a.filled(0), and nbgrad.where for what is masked"
    )


def short(value: Any) -> str:
    """``value`` as errors show it."""
    return reprlib.repr(value)


def items_of(function: str, argument: str, value: Any, expected: str) -> list[Any]:
    """What ``value`` gives one after the other. DTypeError for what gives nothing."""
    try:
        return list(value)
    except TypeError:
        raise refused(function, argument, value, expected) from None


def function_of(function: str, argument: str, value: Any) -> Any:
    """``value``, which can be called. DTypeError for anything else."""
    if not callable(value):
        raise refused(function, argument, value, "callable")
    return value


def int_of(function: str, argument: str, value: Any, expected: str = "int") -> int:
    """``value``, or what it gives as an index (NumPy's integers, 0-d integer tensors). DTypeError for anything else."""
    if type(value) is int:
        return value
    index = getattr(type(value), "__index__", None)
    is_flag = isinstance(value, bool) or getattr(getattr(value, "dtype", None), "name", "") == "bool"
    if index is None or is_flag or getattr(value, "ndim", 0):
        raise refused(function, argument, value, expected)
    try:
        return int(index(value))
    except TypeError:  # an array of several
        raise refused(function, argument, value, expected) from None


def ints_of(function: str, argument: str, value: Any, expected: str = "tuple of ints") -> tuple[int, ...]:
    """A tuple of ints from an int or a sequence of them."""
    if isinstance(value, (tuple, list)):
        return tuple([n if type(n) is int else _element(function, argument, k, n) for k, n in enumerate(value)])
    if value is None:
        raise DTypeError(f"{function}() missing 1 required positional argument: '{argument}'")
    return (int_of(function, argument, value, expected),)


def _element(function: str, argument: str, place: int, value: Any) -> int:
    try:
        return int_of(function, argument, value)
    except DTypeError:
        raise DTypeError(
            f"{function}(): argument '{argument}' must be tuple of ints, but found element of type "
            f"{type(value).__name__} at pos {place}: {short(value)}"
        ) from None


def flag_of(function: str, argument: str, value: Any, expected: str = "bool") -> bool:
    """A bool, NumPy's too; PyTorch refuses 0 and 1."""
    if type(value).__name__ not in ("bool", "bool_"):
        raise refused(function, argument, value, expected)
    return bool(value)


def float_of(function: str, argument: str, value: Any, expected: str = "float") -> float:
    """A Python number from a number, NumPy's too."""
    if isinstance(value, (float, int)) and not isinstance(value, bool):
        return plain_number(value)  # type: ignore[no-any-return]
    dtype = getattr(value, "dtype", None)
    if getattr(value, "ndim", 1) == 0 and getattr(dtype, "kind", "") in "iuf" and hasattr(value, "item"):
        number: float = value.item()
        return number
    raise refused(function, argument, value, expected)


def older_reduction(size_average: bool | None, reduce: bool | None, reduction: str) -> str:
    """``reduction`` of losses, by the arguments that PyTorch had for it before where one is given."""
    if size_average is None and reduce is None:
        return reduction
    found = "none" if reduce is False else "sum" if size_average is False else "mean"
    warn_here(f"size_average and reduce are deprecated: use reduction='{found}'", UserWarning)
    return found


def word_of(function: str, argument: str, value: Any, expected: str = "str") -> str:
    """A str."""
    if not isinstance(value, str):
        if argument == "reduction":  # as PyTorch, whose losses compare it
            raise ArgumentError(f"{function}(): {short(value)} is not a valid value for reduction, which is a str")
        raise refused(function, argument, value, expected)
    return value


def dtype_of(function: str, argument: str, value: Any, expected: str = "dtype") -> DType:
    """A dtype, from anything that names one."""
    try:
        return as_dtype(value)
    except DTypeError:
        raise DTypeError(
            f"{function}(): argument '{argument}' must be a dtype such as nbgrad.float32, not {value!r}"
        ) from None


def format_of(function: str, argument: str, value: Any, expected: str = "memory_format") -> None:
    """Nothing, of a memory format that changes nothing. TypeError for others."""
    if value is not None and not isinstance(value, MemoryFormat):
        raise refused(function, argument, value, expected)


_ALIASES: Final = {"Dims": "int | Shape | None", "Sizes": "int | Shape", "tuple[int, ...]": "Shape"}
_WORDS: Final = {"Shape": "tuple of ints", "DType": "dtype", "MemoryFormat": "memory_format"}
_READING_ORDER: Final = ("int", "float", "bool", "str", "DType", "Shape", "MemoryFormat", "None")
# What the values of one kind are known by; of those not listed, the last one decides.
_CLASSES: Final[dict[str, type | tuple[type, ...]]] = {
    "None": type(None),
    "bool": bool,
    "str": str,
    "Shape": (tuple, list),
}
_CHECKS: Final[dict[str, Check]] = {
    "bool": flag_of,
    "str": word_of,
    "Shape": ints_of,
    "int": int_of,
    "float": float_of,
    "DType": dtype_of,
    "MemoryFormat": format_of,
}
_PLAIN: Final = {"int": int, "bool": bool, "float": float, "str": str, "None": type(None)}


def kind_of(annotation: str) -> Kind:
    """How arguments with this annotation are checked. TypeError for one that is not understood."""
    for alias, meaning in _ALIASES.items():
        annotation = annotation.replace(alias, meaning)
    names = set(annotation.split(" | "))
    if not names <= {"None", *_CHECKS}:
        raise TypeError(f"calls/arguments.py does not say how an argument annotated {annotation!r} is checked")
    ordered = [name for name in ("None", *_CHECKS) if name in names]
    plain = tuple([_PLAIN[name] for name in ordered if name in _PLAIN])
    expected = " or ".join([_WORDS.get(name, name) for name in _READING_ORDER if name in names])

    def check(function: str, argument: str, value: Any) -> Any:
        for name in ordered[:-1]:
            if name in _CLASSES and isinstance(value, _CLASSES[name]):
                return None if name == "None" else _CHECKS[name](function, argument, value)
        return _CHECKS[ordered[-1]](function, argument, value, expected)

    return Kind(plain, check)


dims_of: Final = kind_of("int | Shape").check

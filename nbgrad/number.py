"""A Python number that knows where it comes from: how ``nbgrad.compile`` sees numbers that change from call to call.

While a function is recorded, its number arguments and the numbers of optimisers and random streams are ``Number``
objects. Arithmetic on them gives others, each with the expression that computes it anew. A decision (``if lr > 0.1``,
a size, a dict key) turns them into plain numbers, and writes down the condition under which it would be the same again.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, Final

import numpy as np

Plain = float | int
_Terms = dict[str, int]  # an integer as a sum: how often each expression counts; "" is the constant

_AFFINE: Final = {"+", "-", "*"}


class Number:
    """``value`` now, and ``code``: a Python expression over the names of the sources. ``conditions`` is the list in
    which all numbers of one recording write down what was decided by them."""

    __slots__ = ("_terms", "code", "conditions", "value")

    def __init__(self, value: Plain, code: str, conditions: list[str], terms: _Terms | None = None) -> None:
        self.value = value
        self.code = code
        self.conditions = conditions
        self._terms = terms

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        """What ``isinstance`` sees: the user's code may ask whether it was given a float."""
        return type(self.value)

    def plain(self) -> Plain:
        """The value; from now on the recording holds for this value alone."""
        if self.value != self.value:
            self.conditions.append(f"{self.code} != {self.code}")
        elif type(self.value) is float and self.value == 0:  # -0.0 is another number
            self.conditions.append(f"repr({self.code}) == {repr(self.value)!r}")
        else:
            self.conditions.append(f"{self.code} == {literal(self.value)}")
        return self.value

    def _binary(self, sign: str, function: Callable[[Any, Any], Any], other: Any, *, reflected: bool = False) -> Any:
        kind = type(other)
        if kind is complex:
            return function(other, self.plain()) if reflected else function(self.plain(), other)
        if kind is not Number and kind not in (int, float, bool):
            return NotImplemented  # a tensor records it; NumPy and others ask for the plain value
        a, b = (other, self) if reflected else (self, other)
        value = function(value_of(a), value_of(b))
        if type(value) is int and sign in _AFFINE:
            terms = _combined(sign, _terms_of(a), _terms_of(b))
            if terms is not None:
                if not any(terms[name] for name in terms if name):
                    return terms.get("", 0)
                return Number(value, _sum_of(terms), self.conditions, terms)
        code = f"({_code(a)} {sign} {_code(b)})"
        return Number(value, code, self.conditions) if type(value) in (int, float) else self._settled(value, a, b)

    def _settled(self, value: Any, a: Any, b: Any) -> Any:
        """A result that is no real number (``(-8.0) ** 0.5``): known for these operands only."""
        for x in (a, b):
            if type(x) is Number:
                x.plain()
        return value

    def _unary(self, text: str, function: Callable[[Any], Any]) -> Number:
        return Number(function(self.value), text.format(self.code), self.conditions)

    def _decided(self, sign: str, function: Callable[[Any, Any], Any], other: Any) -> Any:
        if type(other) is not Number and type(other) not in (int, float, bool):
            return function(self.plain(), other)
        answer: bool = function(self.value, value_of(other))
        code = f"({self.code} {sign} {_code(other)})"
        self.conditions.append(code if answer else f"not {code}")
        return answer

    def __lt__(self, other: Any) -> Any:
        return self._decided("<", operator.lt, other)

    def __le__(self, other: Any) -> Any:
        return self._decided("<=", operator.le, other)

    def __gt__(self, other: Any) -> Any:
        return self._decided(">", operator.gt, other)

    def __ge__(self, other: Any) -> Any:
        return self._decided(">=", operator.ge, other)

    def __eq__(self, other: object) -> Any:
        return self._decided("==", operator.eq, other)

    def __ne__(self, other: object) -> Any:
        return self._decided("!=", operator.ne, other)

    def __bool__(self) -> bool:
        return bool(self._decided("!=", operator.ne, 0))

    def __hash__(self) -> int:
        return hash(self.plain())

    def __float__(self) -> float:
        return float(self.plain())

    def __int__(self) -> int:
        return int(self.plain())

    def __index__(self) -> int:
        return operator.index(self.plain())  # type: ignore[arg-type]  # TypeError for a float, as it should be

    def __trunc__(self) -> int:
        return int(self.plain())

    def __round__(self, ndigits: int | None = None) -> Any:
        return round(self.plain(), ndigits)

    def __format__(self, spec: str) -> str:
        return format(self.plain(), spec)

    def __repr__(self) -> str:
        return repr(self.plain())

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.asarray(self.plain(), dtype)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self.value), (self.plain(),)

    def __neg__(self) -> Any:
        return self._binary("*", operator.mul, -1) if type(self.value) is int else self._unary("(-{})", operator.neg)

    def __pos__(self) -> Number:
        return self

    def __abs__(self) -> Number:
        return self._unary("abs({})", abs)

    def __invert__(self) -> Any:
        return self._unary("(~{})", operator.invert)

    def __pow__(self, exponent: Any, modulus: Any = None) -> Any:
        if modulus is None:
            return self._binary("**", operator.pow, exponent)
        return pow(operator.index(self.plain()), plain_number(exponent), plain_number(modulus))  # type: ignore[arg-type]

    def __rpow__(self, base: Any) -> Any:
        return self._binary("**", operator.pow, base, reflected=True)

    def __divmod__(self, other: Any) -> Any:
        return self // other, self % other

    def __rdivmod__(self, other: Any) -> Any:
        return other // self, other % self

    def __getattr__(self, name: str) -> Any:
        """What else a float or an int has (``is_integer``, ``bit_length``): of the plain value."""
        if name.startswith("_") or not hasattr(self.value, name):
            raise AttributeError(f"{type(self.value).__name__!r} object has no attribute {name!r}")
        return getattr(self.plain(), name)

    def item(self) -> Plain:
        return self.plain()


def _forward(sign: str, function: Callable[[Any, Any], Any]) -> Callable[[Number, Any], Any]:
    return lambda self, other: self._binary(sign, function, other)


def _reflected(sign: str, function: Callable[[Any, Any], Any]) -> Callable[[Number, Any], Any]:
    return lambda self, other: self._binary(sign, function, other, reflected=True)


for _name, _sign, _function in (
    ("add", "+", operator.add),
    ("sub", "-", operator.sub),
    ("mul", "*", operator.mul),
    ("truediv", "/", operator.truediv),
    ("floordiv", "//", operator.floordiv),
    ("mod", "%", operator.mod),
    ("lshift", "<<", operator.lshift),
    ("rshift", ">>", operator.rshift),
    ("and", "&", operator.and_),
    ("or", "|", operator.or_),
    ("xor", "^", operator.xor),
):
    setattr(Number, f"__{_name}__", _forward(_sign, _function))
    setattr(Number, f"__r{_name}__", _reflected(_sign, _function))


def value_of(x: Any) -> Any:
    """The plain value of a number, without a decision; anything else as it is."""
    return x.value if type(x) is Number else x


def code_of(x: Any) -> str | None:
    """How a number is computed anew; None where it has no origin."""
    return x.code if type(x) is Number else None


def plain_number(x: Any) -> Any:
    """The plain value of a number, which decides something; anything else as it is."""
    return x.plain() if type(x) is Number else x


def _code(x: Any) -> str:
    return x.code if type(x) is Number else literal(x)


def literal(x: Plain) -> str:
    """A plain number as code."""
    text = repr(x)
    return f"float('{text}')" if text in ("inf", "-inf", "nan") else f"({text})" if text.startswith("-") else text


def _terms_of(x: Any) -> _Terms | None:
    if type(x) is not Number:
        return {"": int(x)}
    return {x.code: 1} if x._terms is None else x._terms


def _combined(sign: str, a: _Terms | None, b: _Terms | None) -> _Terms | None:
    """The sum, difference or product of two sums; None for a product of two unknowns."""
    assert a is not None and b is not None
    if sign == "*":
        if set(a) == {""}:
            a, b = b, a
        return {name: n * b[""] for name, n in a.items()} if set(b) == {""} else None
    factor = 1 if sign == "+" else -1
    names = dict.fromkeys([*a, *b])
    return {name: a.get(name, 0) + factor * b.get(name, 0) for name in names}


def _sum_of(terms: _Terms) -> str:
    parts = [name if n == 1 else f"{n} * {name}" for name, n in terms.items() if name and n]
    if terms.get("", 0):
        parts.append(str(terms[""]))
    return "(" + " + ".join(parts) + ")"

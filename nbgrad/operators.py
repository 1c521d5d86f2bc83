"""What Python's operators on tensors mean: each is a declared call, recorded by a method made for speed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nbgrad.calls.base import CALLS
from nbgrad.trace.alias import require_writable, write_checked
from nbgrad.trace.handle import Handle, local
from nbgrad.trace.record import fast_binary, fast_unary

if TYPE_CHECKING:
    from typing import Self


class Operators(Handle):
    """A handle with arithmetic. The methods are attached by ``attach``; type checkers find them here."""

    __slots__ = ()

    if TYPE_CHECKING:

        def __add__(self, other: Any) -> Self: ...
        def __radd__(self, other: Any) -> Self: ...
        def __sub__(self, other: Any) -> Self: ...
        def __rsub__(self, other: Any) -> Self: ...
        def __mul__(self, other: Any) -> Self: ...
        def __rmul__(self, other: Any) -> Self: ...
        def __truediv__(self, other: Any) -> Self: ...
        def __rtruediv__(self, other: Any) -> Self: ...
        def __floordiv__(self, other: Any) -> Self: ...
        def __rfloordiv__(self, other: Any) -> Self: ...
        def __mod__(self, other: Any) -> Self: ...
        def __rmod__(self, other: Any) -> Self: ...
        def __matmul__(self, other: Any) -> Self: ...
        def __rmatmul__(self, other: Any) -> Self: ...
        def __and__(self, other: Any) -> Self: ...
        def __or__(self, other: Any) -> Self: ...
        def __xor__(self, other: Any) -> Self: ...
        def __lshift__(self, other: Any) -> Self: ...
        def __rshift__(self, other: Any) -> Self: ...
        def __lt__(self, other: Any) -> Self: ...
        def __le__(self, other: Any) -> Self: ...
        def __gt__(self, other: Any) -> Self: ...
        def __ge__(self, other: Any) -> Self: ...
        def __eq__(self, other: object) -> Self: ...  # type: ignore[override]
        def __ne__(self, other: object) -> Self: ...  # type: ignore[override]
        def __neg__(self) -> Self: ...
        def __abs__(self) -> Self: ...
        def __invert__(self) -> Self: ...


_BINARY = {
    "add": "add",
    "sub": "sub",
    "mul": "mul",
    "truediv": "div",
    "floordiv": "floor_divide",
    "mod": "remainder",
    "matmul": "matmul",
    "and": "bitwise_and",
    "or": "bitwise_or",
    "xor": "bitwise_xor",
    "lshift": "bitwise_left_shift",
    "rshift": "bitwise_right_shift",
}
_UNARY = {"neg": "neg", "abs": "abs", "invert": "bitwise_not"}
_COMPARE = {"eq": "eq", "ne": "ne", "lt": "lt", "le": "le", "gt": "gt", "ge": "ge"}


def _in_place(call_name: str, what: str) -> Any:
    call = CALLS[call_name]
    compute = fast_binary(call)

    def method(self: Handle, other: Any) -> Any:
        require_writable(local.trace, self, what)
        value = compute(self, other)
        if value is NotImplemented:
            return NotImplemented
        write_checked(self, value, what)
        return self

    return method


def attach(tensor: type[Operators]) -> None:
    """Give ``tensor`` Python's operators."""
    for name, call_name in _BINARY.items():
        setattr(tensor, f"__{name}__", fast_binary(CALLS[call_name]))
        setattr(tensor, f"__r{name}__", fast_binary(CALLS[call_name], reflected=True))
        if name != "matmul":
            setattr(tensor, f"__i{name}__", _in_place(call_name, call_name + "_"))
    for name, call_name in _COMPARE.items():
        setattr(tensor, f"__{name}__", fast_binary(CALLS[call_name]))
    for name, call_name in _UNARY.items():
        setattr(tensor, f"__{name}__", fast_unary(CALLS[call_name]))

"""PyTorch's operators by name, such as ``nbgrad.ops.aten.mm.default``, for policies that say what a checkpoint keeps
(utils/selective.py). They are names, of any operator, and compute nothing."""

from __future__ import annotations


class OpOverload:
    """One form of an operator. Those of the same name are the same, and so are all of PyTorch's that compute attention
    (``aten._scaled_dot_product_flash_attention.default``): there is one here."""

    __slots__ = ("_key", "_op", "_overload")

    def __init__(self, op: str, overload: str) -> None:
        self._op, self._overload = op, overload
        self._key = f"{op}.{overload}"
        if op.startswith("_scaled_dot_product_"):
            self._key = "scaled_dot_product_attention.default"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OpOverload) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def __name__(self) -> str:
        return f"{self._op}.{self._overload}"

    def __str__(self) -> str:
        return f"aten.{self._op}.{self._overload}"

    def __repr__(self) -> str:
        return f"<OpOverload(op='aten.{self._op}', overload='{self._overload}')>"


class OpOverloadPacket:
    """An operator. Its forms are its attributes: ``default``, ``Tensor``, ``int``."""

    def __init__(self, op: str) -> None:
        self.__name__ = op

    def __getattr__(self, overload: str) -> OpOverload:
        if overload.startswith("__"):
            raise AttributeError(f"'{self}' can't have an overload name beginning with '__'")
        return OpOverload(self.__name__, overload)

    def __str__(self) -> str:
        return f"aten.{self.__name__}"


def __getattr__(op: str) -> OpOverloadPacket:
    if op.startswith("__"):
        raise AttributeError(f"module {__name__!r} has no attribute {op!r}")
    return OpOverloadPacket(op)

"""Classes of tensors by dtype, as older programs make and ask for them: FloatTensor, LongTensor and their like."""

from __future__ import annotations

from typing import Any, Final

from nbgrad.errors import DTypeError, warn_here
from nbgrad.functions.new import given_by_name, of_data_or_sizes
from nbgrad.graph.dtypes import (
    DType,
    bfloat16,
    bool_,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
)
from nbgrad.tensor import Tensor
from nbgrad.trace import set_default_dtype


class _Kind(type):
    """Whether something is such a tensor is a question of its dtype."""

    dtype: DType

    def __instancecheck__(cls, x: Any) -> bool:
        return isinstance(x, Tensor) and x.dtype is cls.dtype


def _class(name: str, dtype: DType, example: str) -> Any:
    def __new__(cls: _Kind, *data: Any, **named: Any) -> Any:
        data = given_by_name(name, data, named)
        first = data[0] if len(data) == 1 else None
        if not isinstance(first, Tensor):
            return of_data_or_sizes(name, data, dtype)
        if first.dtype is not dtype:
            raise DTypeError(f"{name}(): expected a tensor of {dtype.name}, got {first.dtype.name}")
        return first.detach()

    text = f"""Tensors of {dtype.name}: ``{name}(2, 3)`` has these sizes, ``{name}(data)`` the numbers of a list
    or array; ``isinstance`` asks for the dtype.

    >>> nbgrad.{name}([1, 0])
    {example}
    """
    return _Kind(name, (), {"__new__": __new__, "dtype": dtype, "__doc__": text, "__module__": __name__})


FloatTensor = _class("FloatTensor", float32, "tensor([1., 0.])")
DoubleTensor = _class("DoubleTensor", float64, "tensor([1., 0.], dtype=nbgrad.float64)")
HalfTensor = _class("HalfTensor", float16, "tensor([1., 0.], dtype=nbgrad.float16)")
BFloat16Tensor = _class("BFloat16Tensor", bfloat16, "tensor([1., 0.], dtype=nbgrad.bfloat16)")
LongTensor = _class("LongTensor", int64, "tensor([1, 0])")
IntTensor = _class("IntTensor", int32, "tensor([1, 0], dtype=nbgrad.int32)")
ShortTensor = _class("ShortTensor", int16, "tensor([1, 0], dtype=nbgrad.int16)")
CharTensor = _class("CharTensor", int8, "tensor([1, 0], dtype=nbgrad.int8)")
ByteTensor = _class("ByteTensor", uint8, "tensor([1, 0], dtype=nbgrad.uint8)")
BoolTensor = _class("BoolTensor", bool_, "tensor([ True, False])")

_FLOATS: Final = {
    "FloatTensor": float32,
    "DoubleTensor": float64,
    "HalfTensor": float16,
    "BFloat16Tensor": bfloat16,
}


def set_default_tensor_type(t: Any) -> None:
    """Have a floating class such as ``DoubleTensor``, or its name, say the default dtype; deprecated for
    ``set_default_dtype``, as in PyTorch. TypeError for others.

    >>> nbgrad.set_default_tensor_type(nbgrad.FloatTensor)
    """
    name = t.rpartition(".")[2] if isinstance(t, str) else getattr(t, "__name__", "")
    if name not in _FLOATS:
        raise DTypeError(f"set_default_tensor_type(): only {', '.join(_FLOATS)} can be the default")
    warn_here("set_default_tensor_type() is deprecated: use set_default_dtype()", UserWarning)
    set_default_dtype(_FLOATS[name])

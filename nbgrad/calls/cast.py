"""Other dtypes, copies, and values without history."""

from __future__ import annotations

from nbgrad.calls.base import TensorNode, call
from nbgrad.graph.dtypes import DType, as_dtype
from nbgrad.graph.layout import MemoryFormat
from nbgrad.graph.node import Node, apply
from nbgrad.ops.compare import cast_to


@call(function=False, shown="to", grad_fn="ToCopy")
def to_dtype(input: Node, *, dtype: DType) -> Node:
    """input in ``dtype``; itself where it already is. Floats become integers towards zero."""
    return cast_to(input, as_dtype(dtype))


@call(method=True, grad_fn="ToCopy")
def type_as(input: Node, other: TensorNode) -> Node:
    """input in the dtype of ``other``."""
    return cast_to(input, other.spec.dtype)


@call(method=True)
def clone(input: Node, *, memory_format: MemoryFormat | None = None) -> Node:
    """The same values as a tensor of its own; the derivative passes through."""
    return apply("copy", input)


@call(function=False, shown="detach")
def detach_value(input: Node) -> Node:
    """The same values without derivative history."""
    return apply("detach", input)

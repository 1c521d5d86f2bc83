"""Complex numbers: their parts, made of parts, conjugates, angles. Read when somebody first asks for one of these."""

from __future__ import annotations

import math

from nbgrad.calls.base import TensorNode, broadcasted, call, floating
from nbgrad.calls.matmul import dot
from nbgrad.errors import DTypeError, ShapeError
from nbgrad.graph.node import Node, apply, const
from nbgrad.ops.tangents import conjugate


@call("complex_of", function=False, shown="complex")
def complex_of(real: Node, imag: TensorNode) -> Node:
    """real + i imag, with broadcasting."""
    return apply("complex", *broadcasted("complex", *_real_floats("complex", real, imag)))


@call()
def polar(abs: Node, angle: TensorNode) -> Node:
    """abs (cos(angle) + i sin(angle)), with broadcasting, of two tensors of one floating dtype.

    >>> nbgrad.polar(nbgrad.tensor(2.0), nbgrad.tensor(0.0))
    tensor(2.+0.j)
    """
    size, turn = broadcasted("polar", *_real_floats("polar", abs, angle))
    return apply("complex", size * apply("cos", turn), size * apply("sin", turn))


def _real_floats(name: str, a: Node, b: Node) -> tuple[Node, Node]:
    first, second = a.spec.dtype, b.spec.dtype
    if not first.is_floating_point or not second.is_floating_point:
        raise DTypeError(
            f"Expected both inputs to be Half, Float or Double tensors but got {first.name} and {second.name}"
        )
    if first is not second:
        raise DTypeError(f"Expected object of scalar type {first.name} but got scalar type {second.name} for {name}")
    return a, b


@call("real_of", function=False, shown="real")
def real_of(input: Node) -> Node:
    """The real part, as a view."""
    return apply("real", input)


@call("imag_of", function=False, shown="imag")
def imag_of(input: Node) -> Node:
    """The imaginary part, as a view."""
    if not input.spec.dtype.is_complex:
        raise DTypeError("imag is not implemented for tensors with non-complex dtypes.")
    return apply("imag", input)


@call(grad_fn="ViewAsReal")
def view_as_real(input: Node) -> Node:
    """A view of complex numbers as real ones: their parts along a last dim of size 2.

    >>> nbgrad.view_as_real(nbgrad.tensor([1 + 2j]))
    tensor([[1., 2.]])
    """
    if not input.spec.dtype.is_complex:
        raise DTypeError("view_as_real is only supported for complex tensors")
    return apply("view_as_real", input)


@call(grad_fn="ViewAsComplex")
def view_as_complex(input: Node) -> Node:
    """A view of real numbers, whose last dim of size 2 has real and imaginary parts, as complex ones; a copy where
    these do not lie side by side in memory.

    >>> nbgrad.view_as_complex(nbgrad.tensor([[1.0, 2.0]]))
    tensor([1.+2.j])
    """
    if not input.spec.dtype.is_floating_point:
        raise DTypeError(
            f"view_as_complex is only supported for half, float and double tensors, but got a tensor of scalar type: "
            f"{input.spec.dtype.name}"
        )
    if not input.spec.shape:
        raise ShapeError("Input tensor must have one or more dimensions")
    if input.spec.shape[-1] != 2:
        raise ShapeError("Tensor must have a last dimension of size 2")
    return apply("view_as_complex", input)


@call("conj_of", function=False, shown="conj", grad_fn="Conj")
def conj_of(input: Node) -> Node:
    """The complex conjugate."""
    return conjugate(input)


@call(method=True, inplace=True)
def sgn(input: Node) -> Node:
    """``sign``; of a complex number input / |input|, and 0 of 0.

    >>> nbgrad.sgn(nbgrad.tensor([3 + 4j, 0j]))
    tensor([0.6000+0.8000j, 0.0000+0.0000j])
    """
    return apply("sgn" if input.spec.dtype.is_complex else "sign", input)


@call(method=True)
def vdot(input: Node, other: TensorNode) -> Node:
    """sum(conj(input) * other) of two vectors of one length and dtype.

    >>> nbgrad.vdot(nbgrad.tensor([1j]), nbgrad.tensor([1j]))
    tensor(1.+0.j)
    """
    return dot(conjugate(input), other)


@call(method=True)
def angle(input: Node) -> Node:
    """The angle of complex numbers with the real axis, in radians; of real ones 0, or pi where they are negative.

    >>> nbgrad.angle(nbgrad.tensor([1j, -1 + 0j]))
    tensor([1.5708, 3.1416])
    """
    if input.spec.dtype.is_complex:
        return apply("atan2", apply("imag", input), apply("real", input))
    x = floating("angle", input)
    zero, half_turn = const(0, x.spec.dtype), const(math.pi, x.spec.dtype)
    found = apply("where", apply("lt", x, zero), half_turn, zero)
    return apply("tie", apply("where", apply("ne", x, x), apply("detach", x), found), x)

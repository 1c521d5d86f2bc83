"""Complex numbers: tensors of them, their parts, conjugates and questions. Their arithmetic is that of all tensors."""

from __future__ import annotations

from typing import Any

import nbgrad.calls.complex  # noqa: F401  declares them
from nbgrad.calls.base import CALLS
from nbgrad.tensor import Tensor
from nbgrad.tensor.out import writes_out, written
from nbgrad.tensor.surface import function_of, inplace_of
from nbgrad.trace import record, tensor_of

angle, polar, sgn, vdot, view_as_complex, view_as_real = (
    function_of(CALLS[name]) for name in ("angle", "polar", "sgn", "vdot", "view_as_complex", "view_as_real")
)
sgn_ = inplace_of(CALLS["sgn"])


@writes_out("complex")
def complex(real: Tensor, imag: Tensor) -> Tensor:
    """real + i imag, with broadcasting, of two tensors of one floating dtype. RuntimeError for others.

    >>> nbgrad.complex(nbgrad.tensor([1.0, 2.0]), nbgrad.tensor([3.0, 4.0]))
    tensor([1.+3.j, 2.+4.j])
    """
    parts = tensor_of("complex", "real", real), tensor_of("complex", "imag", imag)
    made: Tensor = record(CALLS["complex_of"], parts)
    return made


def real(input: Tensor) -> Tensor:
    """The real part, as a view; a real tensor itself.

    >>> nbgrad.real(nbgrad.tensor([1 + 2j]))
    tensor([1.])
    """
    x: Tensor = tensor_of("real", "input", input)
    return record(CALLS["real_of"], (x,)) if x.is_complex() else x


def imag(input: Tensor) -> Tensor:
    """The imaginary part, as a view. RuntimeError for a real tensor.

    >>> nbgrad.imag(nbgrad.tensor([1 + 2j]))
    tensor([2.])
    """
    return record(CALLS["imag_of"], (tensor_of("imag", "input", input),))  # type: ignore[no-any-return]


def conj(input: Tensor) -> Tensor:
    """The complex conjugate, computed like everything else when it is looked at; a real tensor itself.

    >>> nbgrad.conj(nbgrad.tensor([1 + 2j]))
    tensor([1.-2.j])
    """
    x: Tensor = tensor_of("conj", "input", input)
    return record(CALLS["conj_of"], (x,)) if x.is_complex() else x


def conj_physical(input: Tensor, *, out: Any = None) -> Tensor:
    """The complex conjugate.

    >>> nbgrad.conj_physical(nbgrad.tensor([1 + 2j]))
    tensor([1.-2.j])
    """
    if out is not None:
        return written("conj_physical", lambda: conj(input), out)
    return conj(input)


def conj_physical_(input: Tensor) -> Tensor:
    """In-place version of :meth:`conj_physical`.

    >>> nbgrad.conj_physical_(nbgrad.tensor([1 + 2j]))
    tensor([1.-2.j])
    """
    return input.copy_(conj(input))


def resolve_conj(input: Tensor) -> Tensor:
    """``input``: no tensor's conjugate is only marked.

    >>> nbgrad.resolve_conj(nbgrad.tensor([1 + 2j]).conj())
    tensor([1.-2.j])
    """
    x: Tensor = tensor_of("resolve_conj", "input", input)
    return x


def resolve_neg(input: Tensor) -> Tensor:
    """``input``: no tensor's negative is only marked.

    >>> nbgrad.resolve_neg(-nbgrad.tensor([1.0]))
    tensor([-1.])
    """
    x: Tensor = tensor_of("resolve_neg", "input", input)
    return x


def is_conj(input: Tensor) -> bool:
    """False: a conjugate is a value of its own, no mark on another.

    >>> nbgrad.is_conj(nbgrad.tensor([1j]).conj())
    False
    """
    tensor_of("is_conj", "input", input)
    return False


def is_neg(input: Tensor) -> bool:
    """False: a negative is a value of its own, no mark on another.

    >>> nbgrad.is_neg(-nbgrad.tensor([1.0]))
    False
    """
    tensor_of("is_neg", "input", input)
    return False

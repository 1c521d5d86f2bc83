"""All parameters as one vector, and back."""

from __future__ import annotations

from collections.abc import Iterable

from nbgrad.autograd import no_grad
from nbgrad.calls.arguments import items_of
from nbgrad.calls.base import CALLS
from nbgrad.errors import ShapeError
from nbgrad.tensor import Tensor
from nbgrad.tensor.surface import function_of
from nbgrad.trace import tensor_of

_cat = function_of(CALLS["cat"])


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """All elements of ``parameters`` as one vector, in their order; derivatives pass.

    >>> nbgrad.nn.utils.parameters_to_vector([nbgrad.ones(2, 2), nbgrad.zeros(1)])
    tensor([1., 1., 1., 1., 0.])
    """
    given = items_of("parameters_to_vector", "parameters", parameters, "iterable of Tensors")
    return _cat([tensor_of("parameters_to_vector", "parameters", p).reshape(-1) for p in given])  # type: ignore[no-any-return]


def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Write the elements of the vector ``vec`` into ``parameters``, in their order; nothing of it is differentiated.

    RuntimeError where the vector has fewer elements than they. Elements beyond are left out, as in PyTorch.

    >>> w = nbgrad.zeros(2, requires_grad=True)
    >>> nbgrad.nn.utils.vector_to_parameters(nbgrad.tensor([3.0, 4.0]), [w])
    >>> w
    tensor([3., 4.], requires_grad=True)
    """
    vector = tensor_of("vector_to_parameters", "vec", vec)
    given = items_of("vector_to_parameters", "parameters", parameters, "iterable of Tensors")
    targets = [tensor_of("vector_to_parameters", "parameters", p) for p in given]
    wanted = sum([p.numel() for p in targets])
    if vector.dim() != 1 or vector.numel() < wanted:
        raise ShapeError(
            f"vector_to_parameters: expected a vector of at least {wanted} elements, got shape {list(vector.shape)}"
        )
    start = 0
    with no_grad():
        for p in targets:
            p.copy_(vector[start : start + p.numel()].reshape(p.shape))
            start += p.numel()

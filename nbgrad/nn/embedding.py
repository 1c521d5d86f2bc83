"""A table of vectors, looked up by number."""

from __future__ import annotations

from typing import Any, Self

from nbgrad.autograd import no_grad
from nbgrad.errors import ArgumentError, ShapeError
from nbgrad.functions.creation import empty
from nbgrad.graph.dtypes import DType
from nbgrad.nn import functional, init
from nbgrad.nn.module import Module
from nbgrad.nn.parameter import Parameter
from nbgrad.tensor import Tensor


class Embedding(Module):
    """Row ``input[...]`` of a (num_embeddings, embedding_dim) table; shape (*) gives (*, embedding_dim).

    Rows start normally distributed; the row ``padding_idx`` starts at zero and gets no gradient. ``max_norm``,
    ``norm_type`` and ``scale_grad_by_freq`` as of ``functional.embedding``; ``sparse`` changes nothing.
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        _weight: Tensor | None = None,
        _freeze: bool = False,
        device: Any = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        if padding_idx is not None and not -num_embeddings <= padding_idx < num_embeddings:
            raise ArgumentError("Padding_idx must be within num_embeddings")
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.padding_idx = None if padding_idx is None else padding_idx % num_embeddings
        self.max_norm, self.norm_type, self.scale_grad_by_freq = max_norm, norm_type, scale_grad_by_freq
        self.sparse = sparse
        if _weight is None:
            made = empty(num_embeddings, embedding_dim, device=device, dtype=dtype)
            self.weight = Parameter(made, requires_grad=not _freeze)
            self.reset_parameters()
        else:
            if tuple(_weight.shape) != (num_embeddings, embedding_dim):
                raise ShapeError("Shape of weight does not match num_embeddings and embedding_dim")
            self.weight = Parameter(_weight, requires_grad=not _freeze)

    @classmethod
    def from_pretrained(
        cls, embeddings: Tensor, freeze: bool = True, padding_idx: int | None = None, *args: Any, **options: Any
    ) -> Self:
        """An Embedding over the rows of a 2-d tensor, which it shares; frozen ones get no gradient. The other arguments
        are the constructor's from ``max_norm`` on."""
        if embeddings.dim() != 2:
            raise ShapeError("Embeddings parameter is expected to be 2-dimensional")
        rows, width = embeddings.shape
        return cls(rows, width, padding_idx, *args, _weight=embeddings, _freeze=freeze, **options)  # type: ignore[misc]

    def reset_parameters(self) -> None:
        """Draw all rows anew."""
        init.normal_(self.weight)
        if self.padding_idx is not None:
            with no_grad():
                self.weight[self.padding_idx] = 0

    def forward(self, input: Tensor) -> Tensor:
        if self.max_norm is None and not self.scale_grad_by_freq:
            return functional.embedding(input, self.weight, self.padding_idx)
        options = (self.max_norm, self.norm_type, self.scale_grad_by_freq)
        return functional.embedding(input, self.weight, self.padding_idx, *options)

    def extra_repr(self) -> str:
        text = f"{self.num_embeddings}, {self.embedding_dim}"
        for name, usual in {"padding_idx": None, "max_norm": None, "norm_type": 2, "scale_grad_by_freq": False}.items():
            value = getattr(self, name)
            text += f", {name}={value}" if value != usual else ""
        return text + (", sparse=True" if self.sparse else "")

"""Attention with several heads as a module."""

from __future__ import annotations

from typing import Any

from nbgrad.calls.base import CALLS
from nbgrad.errors import ArgumentError, ShapeError
from nbgrad.functions.creation import empty, zeros
from nbgrad.graph.dtypes import DType, bool_
from nbgrad.nn import functional, init
from nbgrad.nn.layers import Linear
from nbgrad.nn.module import Module
from nbgrad.nn.parameter import Parameter
from nbgrad.tensor import Tensor
from nbgrad.tensor.surface import function_of

_cat = function_of(CALLS["cat"])
_weights_of = function_of(CALLS["attention_weights"])


class MultiheadAttention(Module):
    """Each of ``num_heads`` heads attends with its own part of linear maps of queries, keys and values; a further map
    puts them together. Source: Vaswani et al. 2017, "Attention is all you need".

    Shapes: query (L, N, E), key (S, N, kdim), value (S, N, vdim); N comes first with ``batch_first``, and may be
    missing. ``bias_k`` and ``bias_v`` (``add_bias_kv``), and zeros (``add_zero_attn``), are a key and a value more.

    >>> attention = nbgrad.nn.MultiheadAttention(4, num_heads=2)
    >>> result, weights = attention(nbgrad.ones(3, 1, 4), nbgrad.ones(5, 1, 4), nbgrad.ones(5, 1, 4))
    >>> result.shape, weights.shape
    (nbgrad.Size([3, 1, 4]), nbgrad.Size([1, 3, 5]))
    """

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        device: Any = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        if embed_dim <= 0 or num_heads <= 0 or embed_dim % num_heads:
            raise ArgumentError(f"embed_dim must be divisible by num_heads, got {embed_dim} and {num_heads}")
        self.embed_dim = embed_dim
        self.num_heads = num_heads
        self.head_dim = embed_dim // num_heads
        self.dropout = dropout
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        self.batch_first = batch_first
        self.add_zero_attn = add_zero_attn

        def parameter(*shape: int) -> Parameter:
            return Parameter(empty(*shape, device=device, dtype=dtype))

        is_one = self.kdim == self.vdim == embed_dim
        self.register_parameter("in_proj_weight", parameter(3 * embed_dim, embed_dim) if is_one else None)
        for name, width in (("q", embed_dim), ("k", self.kdim), ("v", self.vdim)):
            self.register_parameter(f"{name}_proj_weight", None if is_one else parameter(embed_dim, width))
        self.register_parameter("in_proj_bias", parameter(3 * embed_dim) if bias else None)
        self.out_proj = Linear(embed_dim, embed_dim, bias, device=device, dtype=dtype)
        for name in ("bias_k", "bias_v"):
            self.register_parameter(name, parameter(1, 1, embed_dim) if add_bias_kv else None)
        self._reset_parameters()

    def _reset_parameters(self) -> None:
        """Draw weights anew; biases are 0."""
        for name in ("in_proj_weight", "q_proj_weight", "k_proj_weight", "v_proj_weight"):
            if getattr(self, name) is not None:
                init.xavier_uniform_(getattr(self, name))
        for bias in (self.in_proj_bias, self.out_proj.bias):
            if bias is not None:
                init.zeros_(bias)
        for name in ("bias_k", "bias_v"):
            if getattr(self, name) is not None:
                init.xavier_normal_(getattr(self, name))

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = True,
        attn_mask: Tensor | None = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[Tensor, Tensor | None]:
        """(result, weights): the result in the query's shape; the weights (N, L, S), averaged over heads, or
        (N, num_heads, L, S), or None without ``need_weights``.

        ``key_padding_mask`` (N, S) and ``attn_mask`` (L, S) or (N * num_heads, L, S): True leaves a key out, floats are
        added to its scores. ``is_causal`` says that ``attn_mask`` is a causal one, and needs it. A query that sees no
        key gives the bias of the last map.
        """
        has_batch = query.dim() == 3
        if query.dim() not in (2, 3) or not query.dim() == key.dim() == value.dim():
            raise ShapeError(
                "MultiheadAttention: query, key and value must all have 2 or 3 dims, got "
                f"{query.dim()}, {key.dim()} and {value.dim()}"
            )
        if is_causal and attn_mask is None:
            raise ArgumentError("MultiheadAttention: Need attn_mask if specifying the is_causal hint.")
        first = [self._batch_first(x, has_batch) for x in (query, key, value)]
        q, k, v = self._projected(*first)
        masks = self._masks(q, k, key_padding_mask, attn_mask)
        if self.bias_k is not None:
            k, v = [_cat([x, b.expand(x.size(0), 1, -1)], 1) for x, b in ((k, self.bias_k), (v, self.bias_v))]
        heads = [x.reshape(*x.shape[:2], self.num_heads, self.head_dim).transpose(1, 2) for x in (q, k, v)]
        if self.add_zero_attn:
            none = zeros(q.size(0), self.num_heads, 1, self.head_dim, dtype=q.dtype, device=q.device)
            heads[1:] = [_cat([x, none], 2) for x in heads[1:]]
        mask = _joined(masks, heads[1].size(2), q.dtype)
        p = self.dropout if self.training else 0.0
        weights = None
        if need_weights:
            weights = functional.dropout(_weights_of(heads[0], heads[1], mask), p)
            mixed = weights.matmul(heads[2])
            weights = weights.mean(1) if average_attn_weights else weights
            weights = weights if has_batch else weights.squeeze(0)
        else:
            mixed = functional.scaled_dot_product_attention(heads[0], heads[1], heads[2], mask, p)
        result = self.out_proj(mixed.transpose(1, 2).reshape(q.shape))
        if not has_batch:
            return result.squeeze(0), weights
        return (result if self.batch_first else result.transpose(0, 1)), weights

    def _batch_first(self, x: Tensor, has_batch: bool) -> Tensor:
        if has_batch and self.batch_first:
            return x
        turned: Tensor = x.transpose(0, 1) if has_batch else x.unsqueeze(0)
        return turned

    def _projected(self, q: Tensor, k: Tensor, v: Tensor) -> list[Tensor]:
        """The linear maps of queries, keys and values."""
        biases: Any = (None,) * 3 if self.in_proj_bias is None else self.in_proj_bias.chunk(3)
        weights: Any = self.q_proj_weight, self.k_proj_weight, self.v_proj_weight
        if self.in_proj_weight is not None:
            weights = self.in_proj_weight.chunk(3)
        require_sizes("MultiheadAttention", (q, k, v), weights)
        return [functional.linear(x, w, b) for x, w, b in zip((q, k, v), weights, biases, strict=True)]

    def _masks(self, q: Tensor, k: Tensor, padding: Tensor | None, mask: Tensor | None) -> list[Tensor]:
        """The masks that are given, as they broadcast to (N, num_heads, L, S)."""
        n, length, keys = q.size(0), q.size(1), k.size(1)
        found = []
        if mask is not None:
            if tuple(mask.shape) == (length, keys):
                found.append(mask.reshape(1, 1, length, keys))
            elif tuple(mask.shape) == (n * self.num_heads, length, keys):
                found.append(mask.reshape(n, self.num_heads, length, keys))
            else:
                raise ShapeError(
                    f"MultiheadAttention: The size of the attn_mask {list(mask.shape)} should be "
                    f"{[length, keys]} or {[n * self.num_heads, length, keys]}."
                )
        if padding is not None:
            if padding.numel() != n * keys or padding.size(-1) != keys:
                raise ShapeError(
                    f"MultiheadAttention: expected a key_padding_mask of shape {[n, keys]}, got {list(padding.shape)}"
                )
            found.append(padding.reshape(n, 1, 1, keys))
        return found


def require_sizes(name: str, given: Any, weights: Any) -> None:
    """ShapeError for a query, key and value, batch first, that do not fit their maps or each other."""
    for what, x, w in zip(("query", "key", "value"), given, weights, strict=True):
        if x.size(-1) != w.size(-1):
            raise ShapeError(f"{name}: expected {w.size(-1)} features in the last dim of {what}, but got {x.size(-1)}")
    (n, _), (m, keys), (last, values) = [x.shape[:2] for x in given]
    if not n == m == last:
        raise ShapeError(
            f"{name}: query, key and value must have one batch size, but they have {n}, {m} and {last}: dim 0 of three "
            "where batch_first is True, else dim 1"
        )
    if keys != values:
        raise ShapeError(f"{name}: key and value must be equally long, but they have {keys} and {values} places")


def _joined(masks: list[Tensor], keys: int, dtype: DType) -> Tensor | None:
    """The masks as one that is added to scores, in ``dtype``; keys that they do not know are seen."""
    joined: Tensor | None = None
    for mask in masks:
        added = zeros((), dtype=dtype, device=mask.device).where(~mask, -float("inf")) if mask.dtype is bool_ else mask
        joined = added if joined is None else joined + added
    if joined is not None and joined.size(-1) < keys:
        joined = functional.pad(joined, (0, keys - joined.size(-1)))
    return joined

"""Attention with several heads as a function of all its weights."""

from __future__ import annotations

from typing import Any

from nbgrad.calls.base import CALLS
from nbgrad.errors import ArgumentError, ShapeError
from nbgrad.functions.creation import zeros
from nbgrad.nn import functional
from nbgrad.nn.attention import _joined, require_sizes
from nbgrad.tensor import Tensor
from nbgrad.tensor.surface import function_of
from nbgrad.trace import tensor_of

_cat = function_of(CALLS["cat"])
_weights_of = function_of(CALLS["attention_weights"])


def multi_head_attention_forward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    embed_dim_to_check: int,
    num_heads: int,
    in_proj_weight: Tensor | None,
    in_proj_bias: Tensor | None,
    bias_k: Tensor | None,
    bias_v: Tensor | None,
    add_zero_attn: bool,
    dropout_p: float,
    out_proj_weight: Tensor,
    out_proj_bias: Tensor | None,
    training: bool = True,
    key_padding_mask: Tensor | None = None,
    need_weights: bool = True,
    attn_mask: Tensor | None = None,
    use_separate_proj_weight: bool = False,
    q_proj_weight: Tensor | None = None,
    k_proj_weight: Tensor | None = None,
    v_proj_weight: Tensor | None = None,
    static_k: Tensor | None = None,
    static_v: Tensor | None = None,
    average_attn_weights: bool = True,
    is_causal: bool = False,
) -> tuple[Tensor, Tensor | None]:
    """(result, weights) of what ``nn.MultiheadAttention`` computes, which has the same arguments as parameters.

    Shapes: query (L, N, E), key (S, N, kdim), value (S, N, vdim), or all without N; ``static_k`` and ``static_v``
    (N num_heads, S, E / num_heads) stand for projected keys and values.

    >>> x, w, b = nbgrad.ones(2, 1, 4), nbgrad.ones(12, 4), nbgrad.zeros(12)
    >>> more = (None, None, False, 0.0, nbgrad.eye(4), nbgrad.zeros(4))
    >>> nbgrad.nn.functional.multi_head_attention_forward(x, x, x, 4, 2, w, b, *more)[1]
    tensor([[[0.5000, 0.5000],
             [0.5000, 0.5000]]])
    """
    name = "multi_head_attention_forward"
    given: list[Any] = [tensor_of(name, k, x) for k, x in (("query", query), ("key", key), ("value", value))]
    has_batch = given[0].dim() == 3
    if given[0].dim() not in (2, 3) or not given[0].dim() == given[1].dim() == given[2].dim():
        raise ShapeError(f"{name}: query, key and value must all have 2 or 3 dims, got {[x.dim() for x in given]}")
    width = given[0].size(-1)
    if width != embed_dim_to_check:
        raise ShapeError(f"was expecting embedding dimension of {embed_dim_to_check}, but got {width}")
    if num_heads <= 0 or width % num_heads:
        raise ShapeError(f"embed_dim {width} not divisible by num_heads {num_heads}")
    if is_causal and attn_mask is None:
        raise ArgumentError(f"{name}: Need attn_mask if specifying the is_causal hint.")
    given = [x.transpose(0, 1) if has_batch else x.unsqueeze(0) for x in given]
    weights: Any = (q_proj_weight, k_proj_weight, v_proj_weight)
    if not use_separate_proj_weight:
        weights = tensor_of(name, "in_proj_weight", in_proj_weight).chunk(3)
    if static_k is None and static_v is None:
        require_sizes(name, given, weights)
    biases: Any = (None,) * 3 if in_proj_bias is None else in_proj_bias.chunk(3)
    q, k, v = [functional.linear(*each) for each in zip(given, weights, biases, strict=True)]
    n, length, keys = q.size(0), q.size(1), k.size(1) if static_k is None else static_k.size(1)
    masks = _masks(name, attn_mask, key_padding_mask, n, num_heads, length, keys)
    heads = [_in_heads(x, num_heads) for x in (q, k, v)]
    for place, static in ((1, static_k), (2, static_v)):
        if static is not None:
            heads[place] = static.reshape(n, num_heads, static.size(1), width // num_heads)
    if bias_k is not None and bias_v is not None:
        more = [_in_heads(b.expand(n, 1, -1), num_heads) for b in (bias_k, bias_v)]
        heads[1:] = [_cat(pair, 2) for pair in zip(heads[1:], more, strict=True)]
    if add_zero_attn:
        none = zeros(n, num_heads, 1, width // num_heads, dtype=q.dtype, device=q.device)
        heads[1:] = [_cat([x, none], 2) for x in heads[1:]]
    mask, p = _joined(masks, heads[1].size(2), q.dtype), dropout_p if training else 0.0
    seen: Any = None
    if need_weights:
        seen = functional.dropout(_weights_of(heads[0], heads[1], mask), p)
        mixed: Any = seen.matmul(heads[2])
        seen = seen.mean(1) if average_attn_weights else seen
        seen = seen if has_batch else seen.squeeze(0)
    else:
        mixed = functional.scaled_dot_product_attention(heads[0], heads[1], heads[2], mask, p)
    result: Any = functional.linear(mixed.transpose(1, 2).reshape(q.shape), out_proj_weight, out_proj_bias)
    return (result.transpose(0, 1) if has_batch else result.squeeze(0)), seen


def _in_heads(x: Any, heads: int) -> Any:
    """(N, L, E) as (N, heads, L, E / heads)."""
    return x.reshape(x.size(0), x.size(1), heads, x.size(2) // heads).transpose(1, 2)


def _masks(name: str, mask: Any, padding: Any, n: int, heads: int, length: int, keys: int) -> list[Any]:
    """The masks that are given, as they broadcast to (N, heads, L, S)."""
    found = []
    if mask is not None:
        if tuple(mask.shape) not in ((length, keys), (n * heads, length, keys)):
            raise ShapeError(f"{name}: The shape of the attn_mask {list(mask.shape)} should be {[length, keys]}")
        found.append(mask.reshape(-1, 1 if mask.dim() == 2 else heads, length, keys))
    if padding is not None:
        if padding.numel() != n * keys or padding.size(-1) != keys:
            raise ShapeError(f"{name}: expected a key_padding_mask of {[n, keys]}, got {list(padding.shape)}")
        found.append(padding.reshape(n, 1, 1, keys))
    return found

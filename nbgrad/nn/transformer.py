"""The encoder of a transformer as modules."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from nbgrad.errors import RunError
from nbgrad.graph.dtypes import DType
from nbgrad.nn import functional
from nbgrad.nn.attention import MultiheadAttention
from nbgrad.nn.containers import ModuleList
from nbgrad.nn.dropout import Dropout
from nbgrad.nn.layers import Linear
from nbgrad.nn.module import Module
from nbgrad.nn.normalization import LayerNorm
from nbgrad.tensor import Tensor

Activation = Callable[[Tensor], Tensor]

_ACTIVATIONS: dict[str, Activation] = {"relu": functional.relu, "gelu": functional.gelu}


def activation_of(given: str | Activation) -> Activation:
    """A function, by its name or itself."""
    if isinstance(given, str):
        if given not in _ACTIVATIONS:
            raise RunError(f"activation should be relu/gelu, not {given}")
        return _ACTIVATIONS[given]
    return given


class TransformerEncoderLayer(Module):
    """Attention of a sequence to itself, then two linear maps with an ``activation`` between them; each is added to
    what it was given, and normalised after that, or before with ``norm_first``.

    Shapes: src (S, N, d_model), or (N, S, d_model) with ``batch_first``; N may be missing. Source: Vaswani et al. 2017.

    >>> layer = nbgrad.nn.TransformerEncoderLayer(8, nhead=2, dim_feedforward=16, batch_first=True)
    >>> layer(nbgrad.ones(3, 5, 8)).shape
    nbgrad.Size([3, 5, 8])
    """

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: str | Activation = functional.relu,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        where: dict[str, Any] = {"device": device, "dtype": dtype}
        self.self_attn = MultiheadAttention(d_model, nhead, dropout, bias, batch_first=batch_first, **where)
        self.linear1 = Linear(d_model, dim_feedforward, bias, **where)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias, **where)
        self.norm_first = norm_first
        self.norm1 = LayerNorm(d_model, layer_norm_eps, bias=bias, **where)
        self.norm2 = LayerNorm(d_model, layer_norm_eps, bias=bias, **where)
        self.dropout1 = Dropout(dropout)
        self.dropout2 = Dropout(dropout)
        self.activation = activation_of(activation)

    def forward(
        self,
        src: Tensor,
        src_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool = False,
    ) -> Tensor:
        """``src`` after the layer. The masks are those of ``MultiheadAttention``: (S, S) and (N, S)."""
        x = src
        if self.norm_first:
            x = x + self._attended(self.norm1(x), src_mask, src_key_padding_mask, is_causal)
            return x + self._fed_forward(self.norm2(x))
        x = self.norm1(x + self._attended(x, src_mask, src_key_padding_mask, is_causal))
        normalised: Tensor = self.norm2(x + self._fed_forward(x))
        return normalised

    def _attended(self, x: Tensor, mask: Tensor | None, padding: Tensor | None, is_causal: bool) -> Tensor:
        mixed, _ = self.self_attn(x, x, x, padding, need_weights=False, attn_mask=mask, is_causal=is_causal)
        kept: Tensor = self.dropout1(mixed)
        return kept

    def _fed_forward(self, x: Tensor) -> Tensor:
        kept: Tensor = self.dropout2(self.linear2(self.dropout(self.activation(self.linear1(x)))))
        return kept


class TransformerEncoder(Module):
    """``num_layers`` copies of a layer, one after the other, and ``norm`` at the end. All copies start alike.

    ``enable_nested_tensor`` and ``mask_check`` are accepted and change nothing.

    >>> layer = nbgrad.nn.TransformerEncoderLayer(8, nhead=2, dim_feedforward=16)
    >>> nbgrad.nn.TransformerEncoder(layer, 2)(nbgrad.ones(5, 3, 8)).shape
    nbgrad.Size([5, 3, 8])
    """

    def __init__(
        self,
        encoder_layer: TransformerEncoderLayer,
        num_layers: int,
        norm: Module | None = None,
        enable_nested_tensor: bool = True,
        mask_check: bool = True,
    ) -> None:
        super().__init__()
        self.layers = ModuleList([copy.deepcopy(encoder_layer) for _ in range(num_layers)])
        self.num_layers = num_layers
        self.norm = norm

    def forward(
        self,
        src: Tensor,
        mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool | None = None,
    ) -> Tensor:
        """``src`` after all layers; each gets the masks."""
        x = src
        for layer in self.layers:
            x = layer(x, mask, src_key_padding_mask, bool(is_causal))
        return x if self.norm is None else self.norm(x)

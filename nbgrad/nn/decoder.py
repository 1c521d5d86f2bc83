"""The decoder of a transformer, and encoder and decoder in one, as modules."""

from __future__ import annotations

import copy
from typing import Any

from nbgrad.errors import RunError
from nbgrad.functions.creation import full
from nbgrad.graph.dtypes import DType
from nbgrad.nn import functional, init
from nbgrad.nn.attention import MultiheadAttention
from nbgrad.nn.containers import ModuleList
from nbgrad.nn.dropout import Dropout
from nbgrad.nn.layers import Linear
from nbgrad.nn.module import Module
from nbgrad.nn.normalization import LayerNorm
from nbgrad.nn.transformer import Activation, TransformerEncoder, TransformerEncoderLayer, activation_of
from nbgrad.tensor import Tensor


class TransformerDecoderLayer(Module):
    """Attention of a sequence to itself, then to ``memory``, then two linear maps with an ``activation`` between them;
    each is added to what it was given, and normalised after that, or before with ``norm_first``.

    Shapes: tgt (T, N, d_model) and memory (S, N, d_model), with ``batch_first`` N comes first; N may be missing.
    Source: Vaswani et al. 2017.

    >>> layer = nbgrad.nn.TransformerDecoderLayer(8, nhead=2, dim_feedforward=16, batch_first=True)
    >>> layer(nbgrad.ones(3, 5, 8), nbgrad.ones(3, 7, 8)).shape
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
        self.multihead_attn = MultiheadAttention(d_model, nhead, dropout, bias, batch_first=batch_first, **where)
        self.linear1 = Linear(d_model, dim_feedforward, bias, **where)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias, **where)
        self.norm_first = norm_first
        for k in (1, 2, 3):
            setattr(self, f"norm{k}", LayerNorm(d_model, layer_norm_eps, bias=bias, **where))
        for k in (1, 2, 3):
            setattr(self, f"dropout{k}", Dropout(dropout))
        self.activation = activation_of(activation)

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool = False,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """``tgt`` after the layer. Masks as of ``MultiheadAttention``: (T, T), (T, S), (N, T) and (N, S)."""
        own = (tgt_mask, tgt_key_padding_mask, tgt_is_causal)
        others = (memory_mask, memory_key_padding_mask, memory_is_causal)
        x: Any = tgt
        if self.norm_first:
            normed = self.norm1(x)
            x = x + self.dropout1(_attended(self.self_attn, normed, normed, *own))
            x = x + self.dropout2(_attended(self.multihead_attn, self.norm2(x), memory, *others))
            return x + self._fed_forward(self.norm3(x))  # type: ignore[no-any-return]
        x = self.norm1(x + self.dropout1(_attended(self.self_attn, x, x, *own)))
        x = self.norm2(x + self.dropout2(_attended(self.multihead_attn, x, memory, *others)))
        return self.norm3(x + self._fed_forward(x))  # type: ignore[no-any-return]

    def _fed_forward(self, x: Tensor) -> Tensor:
        kept: Tensor = self.dropout3(self.linear2(self.dropout(self.activation(self.linear1(x)))))
        return kept


def _attended(attention: Module, x: Any, memory: Any, mask: Any, padding: Any, is_causal: bool) -> Any:
    return attention(x, memory, memory, padding, need_weights=False, attn_mask=mask, is_causal=is_causal)[0]


class TransformerDecoder(Module):
    """``num_layers`` copies of a layer, one after the other, and ``norm`` at the end. All copies start alike.

    >>> layer = nbgrad.nn.TransformerDecoderLayer(8, nhead=2, dim_feedforward=16)
    >>> nbgrad.nn.TransformerDecoder(layer, 2)(nbgrad.ones(5, 3, 8), nbgrad.ones(7, 3, 8)).shape
    nbgrad.Size([5, 3, 8])
    """

    def __init__(self, decoder_layer: TransformerDecoderLayer, num_layers: int, norm: Module | None = None) -> None:
        super().__init__()
        self.layers = ModuleList([copy.deepcopy(decoder_layer) for _ in range(num_layers)])
        self.num_layers = num_layers
        self.norm = norm

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """``tgt`` after all layers; each gets the memory and the masks."""
        x = tgt
        masks = (tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask)
        for layer in self.layers:
            x = layer(x, memory, *masks, bool(tgt_is_causal), memory_is_causal)
        return x if self.norm is None else self.norm(x)


class Transformer(Module):
    """An encoder of ``src`` whose result is the memory of a decoder of ``tgt``. Weights with two dims and more start
    uniform as ``init.xavier_uniform_`` has them. Source: Vaswani et al. 2017, "Attention is all you need".

    Shapes: src (S, N, d_model) and tgt (T, N, d_model), with ``batch_first`` N comes first; N may be missing.

    >>> model = nbgrad.nn.Transformer(8, 2, 1, 1, 16)
    >>> model(nbgrad.ones(5, 3, 8), nbgrad.ones(4, 3, 8)).shape
    nbgrad.Size([4, 3, 8])
    """

    def __init__(
        self,
        d_model: int = 512,
        nhead: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: str | Activation = functional.relu,
        custom_encoder: Any = None,
        custom_decoder: Any = None,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        where: dict[str, Any] = {"device": device, "dtype": dtype}
        same = (d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias)
        self.encoder = custom_encoder
        if custom_encoder is None:
            last = LayerNorm(d_model, layer_norm_eps, bias=bias, **where)
            self.encoder = TransformerEncoder(TransformerEncoderLayer(*same, **where), num_encoder_layers, last)
        self.decoder = custom_decoder
        if custom_decoder is None:
            last = LayerNorm(d_model, layer_norm_eps, bias=bias, **where)
            self.decoder = TransformerDecoder(TransformerDecoderLayer(*same, **where), num_decoder_layers, last)
        self._reset_parameters()
        self.d_model, self.nhead, self.batch_first = d_model, nhead, batch_first

    def _reset_parameters(self) -> None:
        for weight in self.parameters():
            if weight.dim() > 1:
                init.xavier_uniform_(weight)

    def forward(
        self,
        src: Tensor,
        tgt: Tensor,
        src_mask: Tensor | None = None,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        src_is_causal: bool | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """What the decoder makes of ``tgt`` and the encoded ``src``."""
        has_batch = src.dim() == 3
        batch = 0 if self.batch_first else 1
        if has_batch and src.size(batch) != tgt.size(batch):
            raise RunError("the batch number of src and tgt must be equal")
        if src.size(-1) != self.d_model or tgt.size(-1) != self.d_model:
            raise RunError("the feature number of src and tgt must be equal to d_model")
        memory = self.encoder(src, mask=src_mask, src_key_padding_mask=src_key_padding_mask, is_causal=src_is_causal)
        result: Tensor = self.decoder(
            tgt,
            memory,
            tgt_mask=tgt_mask,
            memory_mask=memory_mask,
            tgt_key_padding_mask=tgt_key_padding_mask,
            memory_key_padding_mask=memory_key_padding_mask,
            tgt_is_causal=tgt_is_causal,
            memory_is_causal=memory_is_causal,
        )
        return result

    @staticmethod
    def generate_square_subsequent_mask(sz: int, device: Any = None, dtype: DType | None = None) -> Tensor:
        """(sz, sz): 0 where a step sees another, -infinity where that one comes later.

        >>> nbgrad.nn.Transformer.generate_square_subsequent_mask(2)
        tensor([[0., -inf],
                [0., 0.]])
        """
        later: Tensor = full((sz, sz), -float("inf"), device=device, dtype=dtype).triu(1)
        return later

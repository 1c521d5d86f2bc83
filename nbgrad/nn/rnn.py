"""Recurrent networks, unrolled step by step from basic operators: steps fuse, and all of them share their kernels."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from math import sqrt
from typing import Any

from nbgrad.calls.arguments import refused
from nbgrad.calls.base import CALLS
from nbgrad.errors import ArgumentError, ShapeError
from nbgrad.functions.creation import empty, zeros
from nbgrad.graph.dtypes import DType
from nbgrad.nn import functional, init
from nbgrad.nn.module import Module
from nbgrad.nn.parameter import Parameter
from nbgrad.system.imports import import_module
from nbgrad.tensor import Tensor
from nbgrad.tensor.surface import function_of

State = tuple[Tensor, ...]  # (h,) or, for LSTM, (h, c)
Weights = tuple[Tensor, Tensor, Tensor | None, Tensor | None, Tensor | None]  # w_ih, w_hh, b_ih, b_hh, w_hr
Step = Callable[[Tensor, State, Weights], State]

_cat = function_of(CALLS["cat"])
_stack = function_of(CALLS["stack"])


def _lstm(x: Tensor, state: State, weights: Weights) -> State:
    """i, f, o = sigmoid, g = tanh of W x + U h + b; c' = f c + i g; h' = o tanh(c').

    Source: Hochreiter and Schmidhuber 1997, with forget gates by Gers et al. 2000; a map of h' by Sak et al. 2014.
    """
    (h, c), (w_ih, w_hh, b_ih, b_hh, w_hr) = state, weights
    gates = functional.linear(x, w_ih, b_ih) + functional.linear(h, w_hh, b_hh)
    i, f, g, o = gates.chunk(4, -1)
    new_c = f.sigmoid() * c + i.sigmoid() * g.tanh()
    new_h = o.sigmoid() * new_c.tanh()
    return (new_h if w_hr is None else functional.linear(new_h, w_hr)), new_c


def _gru(x: Tensor, state: State, weights: Weights) -> State:
    """r, z = sigmoid(W x + U h + b); n = tanh(W x + b + r (U h + b)); h' = (1 - z) n + z h. Source: Cho et al. 2014."""
    (h,), (w_ih, w_hh, b_ih, b_hh, _) = state, weights
    r_x, z_x, n_x = functional.linear(x, w_ih, b_ih).chunk(3, -1)
    r_h, z_h, n_h = functional.linear(h, w_hh, b_hh).chunk(3, -1)
    z = (z_x + z_h).sigmoid()
    n = (n_x + (r_x + r_h).sigmoid() * n_h).tanh()
    return ((1 - z) * n + z * h,)


def _elman(activation: Callable[[Tensor], Tensor]) -> Step:
    def step(x: Tensor, state: State, weights: Weights) -> State:
        """h' = activation(W x + U h + b). Source: Elman 1990."""
        (h,), (w_ih, w_hh, b_ih, b_hh, _) = state, weights
        return (activation(functional.linear(x, w_ih, b_ih) + functional.linear(h, w_hh, b_hh)),)

    return step


_STEPS: dict[str, Step] = {"tanh": _elman(functional.tanh), "relu": _elman(functional.relu)}


def _step_of(nonlinearity: str) -> Step:
    if nonlinearity not in _STEPS:
        raise ArgumentError(f"Unknown nonlinearity '{nonlinearity}'. Select from 'tanh' or 'relu'.")
    return _STEPS[nonlinearity]


class _Recurrent(Module):
    """What cells and networks share: weights that start uniform in +-1/sqrt(hidden_size), by torch's names."""

    GATES = 1
    STATES = 1
    proj_size = 0

    def __init__(self, input_size: int, hidden_size: int, bias: bool) -> None:
        super().__init__()
        if hidden_size <= 0:
            raise ArgumentError("hidden_size must be greater than zero")
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.bias = bias

    def _make(self, inputs: int, suffix: str, device: Any, dtype: DType | None) -> None:
        rows = self.GATES * self.hidden_size
        sizes: dict[str, tuple[int, ...]] = {"weight_ih": (rows, inputs), "weight_hh": (rows, self._width())}
        if self.bias:
            sizes |= {"bias_ih": (rows,), "bias_hh": (rows,)}
        if self.proj_size:
            sizes["weight_hr"] = (self.proj_size, self.hidden_size)
        for name, size in sizes.items():
            self.register_parameter(name + suffix, Parameter(empty(*size, device=device, dtype=dtype)))

    def _width(self) -> int:
        """The size of h."""
        return self.proj_size or self.hidden_size

    def _weights(self, suffix: str) -> Weights:
        own = self._parameters
        if f"weight_ih{suffix}" not in own or f"weight_hh{suffix}" not in own:  # a module computes them
            names = ("weight_ih", "weight_hh", "bias_ih", "bias_hh", "weight_hr")
            return tuple([getattr(self, f"{name}{suffix}", None) for name in names])  # type: ignore[return-value]
        w_ih, w_hh = own[f"weight_ih{suffix}"], own[f"weight_hh{suffix}"]
        assert w_ih is not None
        assert w_hh is not None
        more = [own.get(f"{name}{suffix}") for name in ("bias_ih", "bias_hh", "weight_hr")]
        return w_ih, w_hh, *more  # type: ignore[return-value]

    def reset_parameters(self) -> None:
        """Draw all weights anew."""
        bound = 1 / sqrt(self.hidden_size)
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    def _step(self, x: Tensor, state: State, weights: Weights) -> State:
        raise NotImplementedError

    def _check_width(self, input: Tensor) -> None:
        if input.shape[-1] != self.input_size:
            raise ShapeError(
                f"{type(self).__name__}: Expected input.size(-1) to be {self.input_size}, got {input.shape[-1]}"
            )


class _Network(_Recurrent):
    """Layers of cells over a sequence.

    Shapes: input (L, N, input_size), (N, L, input_size) with ``batch_first``, or (L, input_size); states
    (layers * directions, N, hidden_size), zeros unless given; or a ``PackedSequence`` of sequences of different
    lengths, which gives one. Gives the last layer's h of every step, and all states
    of the last step. ``dropout`` acts between layers while training; ``bidirectional`` adds a second network that
    reads backwards and joins the widths.
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        *,
        device: Any = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias)
        if proj_size and self.STATES == 1:
            raise ArgumentError("proj_size argument is only supported for LSTM, not RNN or GRU")
        if not 0 <= proj_size < hidden_size:
            raise ArgumentError(
                f"proj_size has to be a non-negative number smaller than hidden_size, got {proj_size} and {hidden_size}"
            )
        self.proj_size = proj_size
        if not 0 <= dropout <= 1:
            raise ArgumentError("dropout should be a number in range [0, 1] representing the probability")
        if num_layers <= 0:
            raise ArgumentError("num_layers must be greater than zero")
        self.num_layers = num_layers
        self.batch_first = batch_first
        self.dropout = dropout
        self.bidirectional = bidirectional
        if dropout and num_layers == 1:
            warnings.warn(
                "dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects "
                f"num_layers greater than 1, but got dropout={dropout} and num_layers={num_layers}",
                stacklevel=3,
            )
        directions = self._directions()
        for layer in range(num_layers):
            for way in directions:
                inputs = input_size if layer == 0 else self._width() * len(directions)
                self._make(inputs, f"_l{layer}{way}", device, dtype)
        self.reset_parameters()

    def _directions(self) -> tuple[str, ...]:
        return ("", "_reverse") if self.bidirectional else ("",)

    def forward(self, input: Tensor, hx: Any = None) -> Any:
        if not isinstance(input, Tensor):
            return self._packed(input, hx)
        if input.dim() not in (2, 3):
            raise ArgumentError(f"{type(self).__name__}: Expected input to be 2D or 3D, got {input.dim()}D instead")
        self._check_width(input)
        batched = input.dim() == 3
        time = 1 if batched and self.batch_first else 0
        xs = list(input.unbind(time)) if batched else list(input.unsqueeze(1).unbind(0))
        states = self._initial(hx, xs[0] if xs else input, batched)
        ends: list[State] = []
        for layer in range(self.num_layers):
            if layer and self.dropout and self.training:
                xs = [functional.dropout(x, self.dropout) for x in xs]
            xs = self._layer(layer, xs, states, ends)
        output = _stack(xs, time) if batched else _stack([x.squeeze(0) for x in xs], 0)
        last = tuple([_stack([end[k] for end in ends], 0) for k in range(self.STATES)])
        last = last if batched else tuple([s.squeeze(1) for s in last])
        return output, (last if self.STATES > 1 else last[0])

    def _packed(self, sequence: Any, hx: Any) -> Any:
        """For a packed sequence."""
        if not hasattr(sequence, "batch_sizes"):
            raise refused(type(self).__name__, "input", sequence, "Tensor or PackedSequence")
        return import_module("nbgrad.nn.packed").run(self, sequence, hx)

    def flatten_parameters(self) -> None:
        """Nothing: PyTorch's GPU library wants weights in one piece."""

    @property
    def all_weights(self) -> list[list[Parameter]]:
        """The weights of each layer and direction."""
        suffixes = [f"_l{layer}{way}" for layer in range(self.num_layers) for way in self._directions()]
        return [[w for w in self._weights(suffix) if w is not None] for suffix in suffixes]  # type: ignore[misc]

    def _layer(self, layer: int, xs: list[Tensor], states: list[State], ends: list[State]) -> list[Tensor]:
        """The outputs of one layer, in order of time; its last states are added to ``ends``."""
        ways = []
        for way in self._directions():
            state, weights = states[len(ends)], self._weights(f"_l{layer}{way}")
            hs = []
            for x in reversed(xs) if way else xs:
                state = self._step(x, state, weights)
                hs.append(state[0])
            ends.append(state)
            ways.append(hs[::-1] if way else hs)
        return ways[0] if len(ways) == 1 else [_cat(pair, -1) for pair in zip(*ways, strict=True)]

    def _initial(self, hx: Any, x: Tensor, batched: bool) -> list[State]:
        """The state that each layer and direction begins with."""
        count = self.num_layers * len(self._directions())
        shapes = [(count, x.shape[0], width) for width in (self._width(), self.hidden_size)[: self.STATES]]
        if hx is None:
            given = tuple([zeros(*shape, device=x.device, dtype=x.dtype) for shape in shapes])
        else:
            given = tuple(hx) if self.STATES > 1 else (hx,)
            given = given if batched else tuple([s.unsqueeze(1) for s in given])
        for s, shape in zip(given, shapes, strict=True):
            if tuple(s.shape) != shape:
                raise ShapeError(f"{type(self).__name__}: Expected hidden size {shape}, got {list(s.shape)}")
        return list(zip(*[s.unbind(0) for s in given], strict=True))

    def extra_repr(self) -> str:
        text = f"{self.input_size}, {self.hidden_size}" + (f", proj_size={self.proj_size}" if self.proj_size else "")
        usual = {"num_layers": 1, "bias": True, "batch_first": False, "dropout": 0.0, "bidirectional": False}
        return text + "".join([f", {n}={getattr(self, n)}" for n, v in usual.items() if getattr(self, n) != v])


class LSTM(_Network):
    """Long short-term memory; states are pairs (h, c)."""

    GATES = 4
    STATES = 2

    def _step(self, x: Tensor, state: State, weights: Weights) -> State:
        return _lstm(x, state, weights)


class GRU(_Network):
    """Gated recurrent units."""

    GATES = 3

    def _step(self, x: Tensor, state: State, weights: Weights) -> State:
        return _gru(x, state, weights)


class RNN(_Network):
    """h' = tanh(W x + U h + b), or relu with ``nonlinearity="relu"``."""

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        nonlinearity: str = "tanh",
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        *,
        device: Any = None,
        dtype: DType | None = None,
    ) -> None:
        _step_of(nonlinearity)
        same = (input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, proj_size)
        super().__init__(*same, device=device, dtype=dtype)
        self.nonlinearity = nonlinearity

    def _step(self, x: Tensor, state: State, weights: Weights) -> State:
        return _step_of(self.nonlinearity)(x, state, weights)


class _Cell(_Recurrent):
    """One step: input (N, input_size) or (input_size), states (N, hidden_size) or (hidden_size), zeros unless given."""

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, *, device: Any = None, dtype: DType | None = None
    ) -> None:
        super().__init__(input_size, hidden_size, bias)
        self._make(input_size, "", device, dtype)
        self.reset_parameters()

    def forward(self, input: Tensor, hx: Any = None) -> Any:
        if input.dim() not in (1, 2):
            raise ArgumentError(f"{type(self).__name__}: Expected input to be 1D or 2D, got {input.dim()}D instead")
        self._check_width(input)
        if hx is None:
            hx = (zeros(*input.shape[:-1], self.hidden_size, device=input.device, dtype=input.dtype),) * self.STATES
        state = self._step(input, tuple(hx) if isinstance(hx, (tuple, list)) else (hx,), self._weights(""))
        return state if self.STATES > 1 else state[0]

    def extra_repr(self) -> str:
        return f"{self.input_size}, {self.hidden_size}" + ("" if self.bias else ", bias=False")


RNNBase, RNNCellBase = _Network, _Cell  # by which users tell recurrent networks from other modules


class LSTMCell(_Cell):
    """One step of ``LSTM``: ``cell(x, (h, c))`` gives the next (h, c)."""

    GATES = 4
    STATES = 2

    def _step(self, x: Tensor, state: State, weights: Weights) -> State:
        return _lstm(x, state, weights)


class GRUCell(_Cell):
    """One step of ``GRU``."""

    GATES = 3

    def _step(self, x: Tensor, state: State, weights: Weights) -> State:
        return _gru(x, state, weights)


class RNNCell(_Cell):
    """One step of ``RNN``."""

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        nonlinearity: str = "tanh",
        *,
        device: Any = None,
        dtype: DType | None = None,
    ) -> None:
        _step_of(nonlinearity)
        super().__init__(input_size, hidden_size, bias, device=device, dtype=dtype)
        self.nonlinearity = nonlinearity

    def extra_repr(self) -> str:
        shown = "" if self.nonlinearity == "tanh" else f", nonlinearity={self.nonlinearity}"
        return super().extra_repr() + shown

    def _step(self, x: Tensor, state: State, weights: Weights) -> State:
        return _step_of(self.nonlinearity)(x, state, weights)

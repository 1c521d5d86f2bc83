"""Recurrent networks over sequences of different lengths: each step takes those that are not at their end."""

from __future__ import annotations

from typing import Any

from nbgrad.calls.base import CALLS
from nbgrad.nn import functional
from nbgrad.nn.utils.rnn import PackedSequence, sizes_of
from nbgrad.tensor.surface import function_of

_cat = function_of(CALLS["cat"])
_stack = function_of(CALLS["stack"])


def run(network: Any, sequence: PackedSequence, hx: Any) -> Any:
    """What ``network`` gives for a packed sequence: (outputs, packed alike; the last states, in the users' order)."""
    data, batch_sizes, order, back = sequence
    network._check_width(data)
    sizes = sizes_of(sequence)
    if hx is not None and order is not None:
        hx = tuple([s.index_select(1, order) for s in hx]) if network.STATES > 1 else hx.index_select(1, order)
    states = network._initial(hx, data[: sizes[0]], True)
    xs = [*data.split(sizes)]
    ends: list[Any] = []
    for layer in range(network.num_layers):
        if layer and network.dropout and network.training:
            xs = [functional.dropout(x, network.dropout) for x in xs]
        ways = []
        for way in network._directions():
            weights = network._weights(f"_l{layer}{way}")
            go = _backwards if way else _forwards
            hs, end = go(network, xs, states[len(ends)], weights)
            ends.append(end)
            ways.append(hs)
        xs = ways[0] if len(ways) == 1 else [_cat(pair, -1) for pair in zip(*ways, strict=True)]
    last = [_stack([end[k] for end in ends], 0) for k in range(network.STATES)]
    if back is not None:
        last = [s.index_select(1, back) for s in last]
    return PackedSequence(_cat(xs), batch_sizes, order, back), (tuple(last) if network.STATES > 1 else last[0])


def _forwards(network: Any, xs: list[Any], state: Any, weights: Any) -> tuple[list[Any], Any]:
    """Sequences leave when they end, the shortest first."""
    hs, left = [], []
    for x in xs:
        if x.shape[0] < state[0].shape[0]:
            left.append([s[x.shape[0] :] for s in state])
            state = [s[: x.shape[0]] for s in state]
        state = network._step(x, state, weights)
        hs.append(state[0])
    if not left:
        return hs, state
    return hs, [_cat([s, *[gone[k] for gone in reversed(left)]]) for k, s in enumerate(state)]


def _backwards(network: Any, xs: list[Any], initial: Any, weights: Any) -> tuple[list[Any], Any]:
    """Sequences enter at their ends, the longest first."""
    hs: list[Any] = []
    state = [s[:0] for s in initial]
    for x in reversed(xs):
        now = state[0].shape[0]
        if x.shape[0] > now:
            new = [s[now : x.shape[0]] for s in initial]
            state = [_cat([s, n]) for s, n in zip(state, new, strict=True)] if now else new
        state = network._step(x, state, weights)
        hs.append(state[0])
    return hs[::-1], state

"""Sequences of different lengths, padded and packed, and recurrent networks over them, beside PyTorch's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import nbgrad as nb
from tests.beside_torch import same, same_mistake, same_module
from tests.samples import floats

pytestmark = pytest.mark.cpu
rnn = nb.nn.utils.rnn
X = floats(6, 4, 3)
LENGTHS, SORTED = [3, 6, 1, 3], [6, 4, 4, 1]
A, B, C = floats(4, 2), floats(2, 2, seed=1), floats(1, 2, seed=2)


def states(k: int, *sizes: int) -> list[Any]:
    return [floats(k, 4, n, seed=i) for i, n in enumerate(sizes)]


NETWORKS: dict[str, tuple[Any, list[Any]]] = {
    "rnn": (lambda t: t.nn.RNN(3, 5, nonlinearity="relu"), states(1, 5)),
    "gru": (lambda t: t.nn.GRU(3, 5, 2, bidirectional=True), states(4, 5)),
    "lstm": (lambda t: t.nn.LSTM(3, 5, 2, bidirectional=True, bias=False), states(4, 5, 5)),
    "projected": (lambda t: t.nn.LSTM(3, 5, 2, bidirectional=True, proj_size=2), states(4, 2, 5)),
    "batch first": (lambda t: t.nn.LSTM(3, 5, batch_first=True, proj_size=4), states(1, 4, 5)),
}


def given(hs: Any) -> Any:
    return (hs[0] if len(hs) == 1 else hs) if hs else None


@pytest.mark.parametrize("name", list(NETWORKS))
@pytest.mark.parametrize("how", ["sorted", "unsorted", "plain", "one"])
def test_networks_are_pytorchs(name: str, how: str) -> None:
    make, hs = NETWORKS[name]
    lengths = SORTED if how == "sorted" else LENGTHS

    def call(t: Any, network: Any, x: Any, *h: Any) -> Any:
        if how == "plain":
            return network(x.transpose(0, 1) if network.batch_first else x, given(h))
        if how == "one":
            return network(x[:, 0], given([s[:, 0] for s in h]))
        packed = t.nn.utils.rnn.pack_padded_sequence(x, t.tensor(lengths), enforce_sorted=how == "sorted")
        output, last = network(packed, given(h))
        return t.nn.utils.rnn.pad_packed_sequence(output), last, output.data

    same_module(make, X, *hs, call=call)
    if how == "unsorted":
        same_module(make, X, call=call)


UTILITIES: dict[str, tuple[Any, ...]] = {
    "pad": (lambda t, a, b, c: t.nn.utils.rnn.pad_sequence([b, a, c], padding_value=0.5), A, B, C),
    "pad left": (lambda t, a, b: t.nn.utils.rnn.pad_sequence([b, a], True, -1.0, padding_side="left"), A, B),
    "unpad": (lambda t, x: t.nn.utils.rnn.unpad_sequence(x * 1.0, t.tensor(LENGTHS)), X),
    "unpad first": (lambda t, x: t.nn.utils.rnn.unpad_sequence(x, t.tensor([1, 4, 2, 2, 2, 2]), batch_first=True), X),
    "pack": (lambda t, x: t.nn.utils.rnn.pack_padded_sequence(x, SORTED), X),
    "pack first": (
        lambda t, x: t.nn.utils.rnn.pack_padded_sequence(x.transpose(0, 1), LENGTHS, True, enforce_sorted=False)[:2],
        X,
    ),
    "pack sequences": (lambda t, a, b, c: t.nn.utils.rnn.pack_sequence([b, a, c], enforce_sorted=False)[:2], A, B, C),
    "there and back": (
        lambda t, a, b, c: t.nn.utils.rnn.pad_packed_sequence(
            t.nn.utils.rnn.pack_sequence([b, a, c], enforce_sorted=False), True, 0.25, total_length=7
        ),
        A,
        B,
        C,
    ),
    "unpack": (lambda t, a, b: t.nn.utils.rnn.unpack_sequence(t.nn.utils.rnn.pack_sequence([a, b])), A, B),
}


@pytest.mark.parametrize("name", list(UTILITIES))
def test_sequences_are_pytorchs(name: str) -> None:
    same(*UTILITIES[name])


def test_orders_are_pytorchs_and_go_along() -> None:
    packed = rnn.pack_sequence([nb.ones(2), nb.ones(5), nb.ones(3)], enforce_sorted=False)
    assert packed.sorted_indices.tolist() == [1, 2, 0] and packed.unsorted_indices.tolist() == [2, 0, 1]
    wide = packed.double()
    assert wide.data.dtype is nb.float64 and wide.batch_sizes.tolist() == [3, 3, 2, 1, 1]
    assert packed.cpu() is packed and not packed.is_cuda and wide.float().data.dtype is nb.float32
    data, sizes, order, back = packed
    assert rnn.PackedSequence(data, sizes, order).unsorted_indices.tolist() == back.tolist()


def test_lengths_beyond_the_input_are_an_error() -> None:
    with pytest.raises(RuntimeError, match="at most 4"):
        rnn.pack_padded_sequence(nb.ones(4, 2, 3), [5, 1])


def test_packed_networks_compile_and_drop_between_layers() -> None:
    network = nb.nn.LSTM(3, 4, 2, dropout=0.5)
    x = nb.randn(6, 4, 3)

    def run(x: nb.Tensor) -> nb.Tensor:
        return network(rnn.pack_padded_sequence(x, SORTED))[0].data

    once = run(x)
    assert once.shape == (15, 4) and not nb.equal(once, run(x))
    network.eval()
    compiled = nb.compile(run)
    for _ in range(3):
        np.testing.assert_array_equal(compiled(x).detach().numpy(), run(x).detach().numpy())


@pytest.mark.parametrize(
    "wrong",
    [
        lambda t: t.nn.utils.rnn.pad_sequence([]),
        lambda t: t.nn.utils.rnn.pad_sequence([t.ones(2, 3), t.ones(2, 4)]),
        lambda t: t.nn.utils.rnn.pad_sequence([t.ones(2)], padding_side="top"),
        lambda t: t.nn.utils.rnn.pack_padded_sequence(t.ones(4, 2, 3), [2, 4]),
        lambda t: t.nn.utils.rnn.pack_padded_sequence(t.ones(4, 2, 3), [4, 0]),
        lambda t: t.nn.utils.rnn.pack_padded_sequence(t.ones(4, 2, 3), [4]),
        lambda t: t.nn.utils.rnn.pad_packed_sequence(t.nn.utils.rnn.pack_sequence([t.ones(3)]), total_length=2),
        lambda t: t.nn.LSTM(3, 4, proj_size=4),
        lambda t: t.nn.LSTM(3, 4, proj_size=-1),
        lambda t: t.nn.GRU(3, 4, proj_size=2),
        lambda t: t.nn.GRU(3, 4)(t.nn.utils.rnn.pack_sequence([t.ones(3, 2)])),
        lambda t: t.nn.LSTM(3, 4, proj_size=2)(t.ones(2, 1, 3), (t.ones(1, 1, 4), t.ones(1, 1, 4))),
    ],
)
def test_mistakes_are_pytorchs(wrong: Any) -> None:
    same_mistake(lambda t: wrong(t))

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import nbgrad as nb

nn = nb.nn
L, S, N, E, HEADS = 3, 5, 2, 8, 2
FORMS: list[dict[str, Any]] = [
    {},
    {"bias": False},
    {"add_bias_kv": True, "add_zero_attn": True},
    {"kdim": 5, "vdim": 6},
    {"batch_first": True},
]


def data(kdim: int = E, vdim: int = E, **_: Any) -> list[Any]:
    rng = np.random.default_rng(0)
    return [rng.standard_normal(shape).astype("f") for shape in ((L, N, E), (S, N, kdim), (S, N, vdim))]


def masks() -> list[dict[str, Any]]:
    rng = np.random.default_rng(1)
    padding = np.zeros((N, S), bool)
    padding[1, 3:] = True
    each = rng.random((N * HEADS, L, S)) > 0.8
    each[:, :, 0] = False
    return [
        {},
        {"key_padding_mask": padding, "attn_mask": each},
        {"attn_mask": rng.standard_normal((L, S)).astype("f"), "average_attn_weights": False},
        {"attn_mask": np.triu(np.ones((L, S), bool), 1), "need_weights": False},
    ]


def called(library: Any, layer: Any, arrays: list[Any], options: dict[str, Any]) -> list[Any]:
    given = {k: library.tensor(v) if isinstance(v, np.ndarray) else v for k, v in options.items()}
    found = layer(*[library.tensor(a) for a in arrays], **given)
    return [None if x is None else x.detach().numpy() for x in found]


@pytest.mark.parametrize("form", FORMS)
def test_it_gives_pytorchs_results_and_weights(form: dict[str, Any]) -> None:
    torch = pytest.importorskip("torch")
    ours, theirs = nn.MultiheadAttention(E, HEADS, **form), torch.nn.MultiheadAttention(E, HEADS, **form)
    state = ours.state_dict()
    assert [(k, tuple(v.shape)) for k, v in state.items()] == [
        (k, tuple(v.shape)) for k, v in theirs.state_dict().items()
    ]
    theirs.load_state_dict({k: torch.tensor(v.numpy()) for k, v in state.items()})
    arrays = [x.swapaxes(0, 1) for x in data()] if form.get("batch_first") else data(**form)
    for options in masks():
        for got, want in zip(called(nb, ours, arrays, options), called(torch, theirs, arrays, options), strict=True):
            assert (got is None) == (want is None)
            if got is not None:
                assert got.shape == want.shape
                np.testing.assert_allclose(got, want, rtol=1e-5, atol=2e-6)


def test_a_head_is_attention_over_its_own_part() -> None:
    layer = nn.MultiheadAttention(E, HEADS, bias=False)
    q, k, v = map(nb.tensor, data())
    maps = [x @ w.t() for x, w in zip((q, k, v), layer.in_proj_weight.chunk(3), strict=True)]
    parts = []
    for head in range(HEADS):
        at = slice(head * E // HEADS, (head + 1) * E // HEADS)
        own = [x[..., at].transpose(0, 1) for x in maps]
        parts.append(nn.functional.scaled_dot_product_attention(*own))
    want = layer.out_proj(nb.cat(parts, -1)).transpose(0, 1)
    np.testing.assert_allclose(layer(q, k, v)[0].detach().numpy(), want.detach().numpy(), rtol=1e-5, atol=1e-6)


def test_a_batch_may_be_missing_and_gradients_reach_all_parameters() -> None:
    layer = nn.MultiheadAttention(E, HEADS, add_bias_kv=True)
    q, k, v = [nb.tensor(x[:, 0]) for x in data()]
    result, weights = layer(q, k, v)
    whole, _ = layer(*[x.unsqueeze(1) for x in (q, k, v)])
    assert result.shape == (L, E) and weights.shape == (L, S + 1)
    np.testing.assert_allclose(result.detach().numpy(), whole[:, 0].detach().numpy(), rtol=1e-6)
    result.sin().sum().backward()
    assert all(float(p.grad.abs().sum()) > 0 for p in layer.parameters())


def test_weights_are_left_out_in_training_alone() -> None:
    layer = nn.MultiheadAttention(E, HEADS, dropout=0.5)
    arrays = [nb.tensor(x) for x in data()]
    assert (layer(*arrays)[1] == 0).any() or (layer(*arrays)[1] == 0).any()
    layer.eval()
    np.testing.assert_allclose(layer(*arrays)[1].sum(-1).detach().numpy(), 1, rtol=1e-6)


def test_mistakes_are_told() -> None:
    layer = nn.MultiheadAttention(E, HEADS)
    q, k, v = [nb.tensor(x) for x in data()]
    with pytest.raises(ValueError, match="divisible"):
        nn.MultiheadAttention(8, 3)
    causal = nb.ones(L, S).triu(1).bool()
    told = layer(q, k, v, attn_mask=causal, is_causal=True)[0]
    assert told.tolist() == layer(q, k, v, attn_mask=causal)[0].tolist()
    with pytest.raises(ValueError, match="is_causal"):
        layer(q, k, v, is_causal=True)
    functional = nn.functional.scaled_dot_product_attention
    for attention in (
        lambda: functional(nb.ones(2, 3), nb.ones(4, 5), nb.ones(4, 3)),
        lambda: functional(nb.ones(2, 3), nb.ones(4, 3), nb.ones(5, 3)),
        lambda: functional(nb.ones(2, 3), nb.ones(4, 3), nb.ones(4)),
        lambda: functional(nb.ones(2, 3), nb.ones(4, 3), nb.ones(4, 3), nb.ones(2, 3)),
    ):
        with pytest.raises(RuntimeError, match=r"scaled_dot_product_attention: .*\["):
            attention()
    for mistake in (
        lambda: layer(q, k, v[0]),
        lambda: layer(q[..., :-1], k, v),
        lambda: layer(q[:, :1], k, v),
        lambda: layer(q, k, v[1:]),
        lambda: layer(q, k, v, attn_mask=nb.zeros(L, L)),
        lambda: layer(q, k, v, key_padding_mask=nb.zeros(S, N)),
    ):
        with pytest.raises(RuntimeError, match="MultiheadAttention"):
            mistake()

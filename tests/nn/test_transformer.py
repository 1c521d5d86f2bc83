from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import nbgrad as nb

nn = nb.nn
S, N, E, HEADS, WIDE = 4, 2, 8, 2, 6
FORMS: list[dict[str, Any]] = [
    {},
    {"activation": "gelu", "norm_first": True, "bias": False, "batch_first": True, "layer_norm_eps": 1e-3},
]


def masks() -> list[dict[str, Any]]:
    padding = np.zeros((N, S), bool)
    padding[1, 2:] = True
    return [{}, {"mask": np.triu(np.ones((S, S), bool), 1), "src_key_padding_mask": padding}]


def put(library: Any, options: dict[str, Any]) -> dict[str, Any]:
    return {k: library.tensor(v) for k, v in options.items()}


@pytest.mark.parametrize("form", FORMS)
def test_an_encoder_gives_pytorchs_results_and_gradients(form: dict[str, Any]) -> None:
    torch = pytest.importorskip("torch")
    ours, theirs = (
        library.nn.TransformerEncoder(
            library.nn.TransformerEncoderLayer(E, HEADS, WIDE, dropout=0.0, **form), 2, library.nn.LayerNorm(E), **extra
        )
        for library, extra in ((nb, {}), (torch, {"enable_nested_tensor": False}))
    )
    state = ours.state_dict()
    assert [(k, tuple(v.shape)) for k, v in state.items()] == [
        (k, tuple(v.shape)) for k, v in theirs.state_dict().items()
    ]
    theirs.load_state_dict({k: torch.tensor(v.numpy()) for k, v in state.items()})
    x = np.random.default_rng(0).standard_normal((N, S, E) if form.get("batch_first") else (S, N, E)).astype("f")
    for options in masks():
        got, want = ours(nb.tensor(x), **put(nb, options)), theirs(torch.tensor(x), **put(torch, options))
        np.testing.assert_allclose(got.detach().numpy(), want.detach().numpy(), rtol=1e-4, atol=1e-5)
    (got**2 * nb.tensor(x)).sum().backward()
    (want**2 * torch.tensor(x)).sum().backward()
    for (name, p), q in zip(ours.named_parameters(), theirs.parameters(), strict=True):
        np.testing.assert_allclose(p.grad.numpy(), q.grad.numpy(), rtol=1e-3, atol=2e-4, err_msg=name)


def test_layers_start_alike_and_are_trained_apart() -> None:
    encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(E, HEADS, WIDE), 2)
    first, second = encoder.layers
    assert nb.equal(first.linear1.weight, second.linear1.weight)
    assert first.linear1.weight is not second.linear1.weight
    assert encoder(nb.ones(S, N, E)).shape == (S, N, E)


def test_dropout_stops_in_evaluation() -> None:
    layer = nn.TransformerEncoderLayer(E, HEADS, WIDE, dropout=0.5)
    x = nb.ones(S, N, E)
    assert not nb.equal(layer(x), layer(x))
    layer.eval()
    assert nb.equal(layer(x), layer(x))


def test_other_activations_are_functions() -> None:
    layer = nn.TransformerEncoderLayer(E, HEADS, WIDE, activation=nn.functional.silu)
    assert layer(nb.ones(S, E)).shape == (S, E)
    with pytest.raises(RuntimeError, match="relu/gelu"):
        nn.TransformerEncoderLayer(E, HEADS, WIDE, activation="silu")

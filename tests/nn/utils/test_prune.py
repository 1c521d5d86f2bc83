"""Pruned parameters, beside PyTorch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import nbgrad as nb
from nbgrad.nn.utils import prune as ours

torch = pytest.importorskip("torch", reason="PyTorch is the other side")
from torch.nn.utils import prune as theirs  # noqa: E402

VALUES = np.linspace(-1.03, 1.31, 24).reshape(4, 6) + 0.01 * np.sin(np.arange(24.0).reshape(4, 6) ** 2)
VALUES = VALUES[[2, 0, 3, 1]][:, [5, 1, 3, 0, 2, 4]]


class Half:
    """A method of the user's: every second element that is left."""

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        mask = default_mask.clone()
        mask.view(-1)[::2] = 0
        return mask


def user_method(lib: Any) -> Any:
    return type("Half", (Half, (ours if lib is nb else theirs).BasePruningMethod), {})


SCORES = np.cos(np.arange(24.0)).reshape(4, 6).tolist()
CASES: dict[str, Any] = {
    "identity": lambda lib, p, m: p.identity(m, "weight"),
    "l1, a share": lambda lib, p, m: p.l1_unstructured(m, "weight", 0.3),
    "l1, some": lambda lib, p, m: p.l1_unstructured(m, "weight", amount=5),
    "l1, none": lambda lib, p, m: p.l1_unstructured(m, "weight", 0),
    "l1, scores": lambda lib, p, m: p.l1_unstructured(
        m, "weight", 5, importance_scores=lib.tensor(SCORES, dtype=lib.float64)
    ),
    "ln": lambda lib, p, m: p.ln_structured(m, "weight", 2, n=2, dim=0),
    "ln, columns": lambda lib, p, m: p.ln_structured(m, "weight", 0.5, n=1, dim=-1),
    "ln, inf": lambda lib, p, m: p.ln_structured(m, "weight", 1, n=float("inf"), dim=1),
    "mask": lambda lib, p, m: p.custom_from_mask(m, "weight", mask=m.weight > 0.1),
    "twice": lambda lib, p, m: p.l1_unstructured(p.l1_unstructured(m, "weight", 6), "weight", 0.5),
    "rows, then columns": lambda lib, p, m: p.ln_structured(p.ln_structured(m, "weight", 1, 2, 0), "weight", 2, 1, 1),
    "rows twice": lambda lib, p, m: p.ln_structured(p.ln_structured(m, "weight", 1, 2, 0), "weight", 1, 2, 0),
    "elements, rows": lambda lib, p, m: p.ln_structured(p.l1_unstructured(m, "weight", 6), "weight", 1, 2, 0),
    "three": lambda lib, p, m: p.custom_from_mask(CASES["twice"](lib, p, m), "weight", m.weight < 1),
    "weight and bias": lambda lib, p, m: p.l1_unstructured(p.l1_unstructured(m, "weight", 6), "bias", 1),
    "global": lambda lib, p, m: p.global_unstructured([(m, "weight"), (m, "bias")], p.L1Unstructured, amount=9),
    "global, after": lambda lib, p, m: p.global_unstructured(
        [(p.l1_unstructured(m, "weight", 6), "weight"), (m, "bias")], p.L1Unstructured, amount=0.5
    ),
    "global, scores": lambda lib, p, m: p.global_unstructured(
        [(m, "weight")],
        p.L1Unstructured,
        importance_scores={(m, "weight"): lib.tensor(SCORES, dtype=lib.float64)},
        amount=9,
    ),
    "a user's": lambda lib, p, m: user_method(lib).apply(m, "weight"),
    "a user's, after": lambda lib, p, m: user_method(lib).apply(p.l1_unstructured(m, "weight", 7), "weight"),
    "removed": lambda lib, p, m: p.remove(p.l1_unstructured(m, "weight", 6), "weight"),
    "removed, twice pruned": lambda lib, p, m: p.remove(CASES["twice"](lib, p, m), "weight"),
}


def layer(lib: Any) -> Any:
    made = lib.nn.Linear(6, 4).double()
    with lib.no_grad():
        made.weight.copy_(lib.tensor(VALUES.tolist(), dtype=lib.float64))
        made.bias.copy_(lib.tensor([0.2, -0.05, 0.7, 0.01], dtype=lib.float64))
    return made


@pytest.mark.parametrize("name", CASES)
def test_masks_outputs_and_gradients_are_pytorchs(name: str) -> None:
    told = []
    for lib, p in ((nb, ours), (torch, theirs)):
        m = layer(lib)
        CASES[name](lib, p, m)
        x = lib.tensor(np.sin(np.arange(12.0)).reshape(2, 6).tolist(), dtype=lib.float64)
        y = m(x)
        (y * y).sum().backward()
        parts = {k: v.tolist() for k, v in m.state_dict().items()}
        grads = {k: v.grad.tolist() for k, v in m.named_parameters()}
        told.append((parts, grads, m.weight.tolist(), y.tolist(), p.is_pruned(m)))
    assert list(told[0][0]) == list(told[1][0])
    for a, b in zip(*told, strict=True):
        if isinstance(a, dict):
            for key, value in a.items():
                np.testing.assert_allclose(value, b[key], rtol=1e-12, err_msg=key)
        else:
            np.testing.assert_allclose(a, b, rtol=1e-12)


def test_random_ones_prune_as_many() -> None:
    m = ours.random_unstructured(layer(nb), "weight", 0.25)
    assert (m.weight_mask == 0).sum() == 6
    m = ours.random_structured(layer(nb), "weight", 2, dim=1)
    assert (m.weight_mask.sum(0) == 0).sum() == 2
    assert set(m.weight_mask.sum(0).tolist()) == {0.0, 4.0}


@pytest.mark.parametrize(
    "wrong",
    [
        lambda p, m: p.l1_unstructured(m, "weight", "a"),
        lambda p, m: p.l1_unstructured(m, "weight", -1),
        lambda p, m: p.l1_unstructured(m, "weight", 1.5),
        lambda p, m: p.l1_unstructured(m, "weight", 25),
        lambda p, m: p.l1_unstructured(m, "wait", 1),
        lambda p, m: p.ln_structured(m, "bias", 1, 2, 0),
        lambda p, m: p.ln_structured(m, "weight", 1, 2, 2),
        lambda p, m: p.remove(m, "weight"),
        lambda p, m: p.global_unstructured([(m, "weight")], p.LnStructured, amount=1, n=2),
        lambda p, m: p.global_unstructured([(m, "weight")], p.L1Unstructured, importance_scores=3, amount=1),
        lambda p, m: p.PruningContainer().add_pruning_method(3),
    ],
)
def test_mistakes_have_pytorchs_class_and_leave_the_module_as_it_was(wrong: Any) -> None:
    m = layer(nb)
    with pytest.raises(Exception) as wanted:  # noqa: PT011 - which one is the question
        wrong(theirs, layer(torch))
    with pytest.raises(next(c for c in type(wanted.value).__mro__ if c.__module__ == "builtins")):
        wrong(ours, m)
    assert sorted(m.state_dict()) == ["bias", "weight"]
    assert not ours.is_pruned(m)


def test_a_pruned_model_is_saved_and_trained() -> None:
    m = ours.l1_unstructured(layer(nb), "weight", 12)
    other = ours.identity(layer(nb), "weight")
    other.load_state_dict(m.state_dict())
    x = nb.ones(1, 6, dtype=nb.float64)
    assert other(x).tolist() == m(x).tolist()
    optimizer = nb.optim.SGD(m.parameters(), lr=0.1)
    for _ in range(5):
        optimizer.zero_grad()
        m(x).square().sum().backward()
        optimizer.step()
    assert (m.weight == 0).sum() == 12

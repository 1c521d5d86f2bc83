"""Losses take ``size_average`` and ``reduce``, where PyTorch has them. Beside PyTorch with NBGRAD_ORACLE=torch."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import pytest

import nbgrad as nb

X = [[0.1, 0.2, 0.9], [0.3, 0.5, 0.7]]
CLASSES = [1, 2]
# By name: a loss of a library ``t`` by older arguments, and the same by ``reduction``.
LOSSES: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "a sum": (
        lambda t: t.nn.functional.mse_loss(t.tensor(X), t.zeros(2, 3), size_average=False),
        lambda t: t.nn.functional.mse_loss(t.tensor(X), t.zeros(2, 3), reduction="sum"),
    ),
    "each": (
        lambda t: t.nn.functional.l1_loss(t.tensor(X), t.zeros(2, 3), True, False),
        lambda t: t.nn.functional.l1_loss(t.tensor(X), t.zeros(2, 3), reduction="none"),
    ),
    "a mean": (
        lambda t: t.nn.functional.smooth_l1_loss(t.tensor(X), t.zeros(2, 3), reduce=True),
        lambda t: t.nn.functional.smooth_l1_loss(t.tensor(X), t.zeros(2, 3)),
    ),
    "before ignore_index": (
        lambda t: t.nn.functional.cross_entropy(t.tensor(X), t.tensor(CLASSES), None, False, 1),
        lambda t: t.nn.functional.cross_entropy(t.tensor(X), t.tensor(CLASSES), ignore_index=1, reduction="sum"),
    ),
    "before eps": (
        lambda t: t.nn.functional.poisson_nll_loss(t.tensor(X), t.tensor(X), False, False, False, 0.5),
        lambda t: t.nn.functional.poisson_nll_loss(t.tensor(X), t.tensor(X), False, eps=0.5, reduction="sum"),
    ),
    "a file of its own": (
        lambda t: t.nn.functional.multi_margin_loss(t.tensor(X), t.tensor(CLASSES), 1, 1.0, None, False),
        lambda t: t.nn.functional.multi_margin_loss(t.tensor(X), t.tensor(CLASSES), reduction="sum"),
    ),
    "a module": (
        lambda t: t.nn.NLLLoss(t.tensor([1.0, 2.0, 3.0]), False, -100)(t.tensor(X), t.tensor(CLASSES)),
        lambda t: t.nn.NLLLoss(t.tensor([1.0, 2.0, 3.0]), reduction="sum")(t.tensor(X), t.tensor(CLASSES)),
    ),
    "a module with a margin": (
        lambda t: t.nn.HingeEmbeddingLoss(2.0, reduce=False)(t.tensor(X), t.tensor(X).sign()),
        lambda t: t.nn.HingeEmbeddingLoss(2.0, reduction="none")(t.tensor(X), t.tensor(X).sign()),
    ),
    "a module without arguments": (
        lambda t: t.nn.MSELoss(False)(t.tensor(X), t.zeros(2, 3)),
        lambda t: t.nn.MSELoss(reduction="sum")(t.tensor(X), t.zeros(2, 3)),
    ),
}


@pytest.mark.parametrize("name", LOSSES)
def test_a_loss_by_older_arguments_is_the_same_and_warns(name: str) -> None:
    older, newer = LOSSES[name]
    with pytest.warns(UserWarning, match="size_average and reduce .* reduction='"):
        found = older(nb)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        expected = newer(nb)
    assert found.tolist() == expected.tolist()


def test_places_of_what_stands_behind() -> None:
    x = nb.tensor(X)
    functional = nb.nn.functional
    weight = nb.tensor([2.0, 1.0, 0.5])
    assert nb.equal(
        functional.binary_cross_entropy_with_logits(x, x, None, None, None, "sum", weight),
        functional.binary_cross_entropy_with_logits(x, x, reduction="sum", pos_weight=weight),
    )
    assert nb.equal(
        functional.huber_loss(x, x + 2, "sum", 0.5), functional.huber_loss(x, x + 2, reduction="sum", delta=0.5)
    )
    assert nb.equal(
        functional.smooth_l1_loss(x, x + 2, None, None, "sum", 0.5),
        functional.smooth_l1_loss(x, x + 2, reduction="sum", beta=0.5),
    )

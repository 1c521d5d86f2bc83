from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy import special

import nbgrad as nb

F = nb.nn.functional
RNG = np.random.default_rng(0)
SCORES = RNG.normal(size=(4, 3))
CLASSES = np.array([0, 2, 1, 2])
WEIGHT = np.array([0.5, 1.0, 2.0])
LOG_P = special.log_softmax(SCORES, axis=1)
PICKED = -LOG_P[np.arange(4), CLASSES]


def close(got: nb.Tensor, expected: object) -> None:
    np.testing.assert_allclose(got.detach().numpy(), expected, rtol=1e-12)  # float64 throughout


def t(array: object) -> nb.Tensor:
    return nb.tensor(array)


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_squared_and_absolute_error(reduction: str) -> None:
    reduce = {"mean": np.mean, "sum": np.sum, "none": lambda x: x}[reduction]
    other = SCORES[::-1].copy()
    close(F.mse_loss(t(SCORES), t(other), reduction=reduction), reduce((SCORES - other) ** 2))
    close(F.l1_loss(t(SCORES), t(other), reduction=reduction), reduce(np.abs(SCORES - other)))


def test_unequal_shapes_are_warned_about() -> None:
    with pytest.warns(UserWarning, match="target size"):
        F.mse_loss(nb.zeros(3, 1), nb.zeros(3))


def test_cross_entropy_of_class_numbers() -> None:
    close(F.cross_entropy(t(SCORES), t(CLASSES)), PICKED.mean())
    close(F.cross_entropy(t(SCORES), t(CLASSES), reduction="sum"), PICKED.sum())
    close(F.cross_entropy(t(SCORES), t(CLASSES), reduction="none"), PICKED)


def test_cross_entropy_gradient_is_softmax_minus_one_hot() -> None:
    scores = nb.tensor(SCORES, requires_grad=True)
    F.cross_entropy(scores, t(CLASSES)).backward()
    expected = (np.exp(LOG_P) - np.eye(3)[CLASSES]) / 4
    np.testing.assert_allclose(scores.grad.numpy(), expected, rtol=1e-12, atol=1e-15)


def test_nll_loss_takes_log_probabilities() -> None:
    close(F.nll_loss(t(LOG_P), t(CLASSES)), PICKED.mean())
    close(F.nll_loss(t(LOG_P), t(CLASSES), reduction="none"), PICKED)


@pytest.mark.parametrize("bad", [-1e-6, 1.25, np.nan])
def test_what_is_no_probability_is_refused_at_the_users_line(bad: float) -> None:
    target = nb.ones(2)
    for _ in range(3):  # unplanned, planned, fused
        p = nb.tensor([0.5, bad], requires_grad=True)
        loss = F.binary_cross_entropy(p, target)
        with pytest.raises(RuntimeError, match=r"between 0 and 1\s+in .*test_functional_losses.py"):
            loss.item()
        wrong = F.binary_cross_entropy(nb.tensor([0.5, 0.5]), nb.tensor([1.0, bad]))
        with pytest.raises(RuntimeError, match="all elements of target should be between 0 and 1"):
            wrong.item()
        assert F.binary_cross_entropy(nb.tensor([0.5, 1.0]), target).item() == pytest.approx(np.log(2) / 2)


def test_weights_scale_the_sum_and_the_mean() -> None:
    scaled = PICKED * WEIGHT[CLASSES]
    close(F.cross_entropy(t(SCORES), t(CLASSES), t(WEIGHT)), scaled.sum() / WEIGHT[CLASSES].sum())
    close(F.cross_entropy(t(SCORES), t(CLASSES), t(WEIGHT), reduction="none"), scaled)


@pytest.mark.parametrize("ignored", [-100, 2])
def test_ignored_targets_count_nowhere(ignored: int) -> None:
    classes = np.where(CLASSES == 2, ignored, CLASSES)
    kept = CLASSES != 2
    scores = nb.tensor(SCORES, requires_grad=True)
    loss = F.cross_entropy(scores, t(classes), ignore_index=ignored)
    close(loss, PICKED[kept].mean())
    loss.backward()
    assert (scores.grad.numpy()[~kept] == 0).all()
    close(F.cross_entropy(t(SCORES), t(classes), ignore_index=ignored, reduction="none"), np.where(kept, PICKED, 0))
    weighted = F.cross_entropy(t(SCORES), t(classes), t(WEIGHT), ignore_index=ignored)
    close(weighted, (PICKED * WEIGHT[CLASSES])[kept].sum() / WEIGHT[CLASSES][kept].sum())


def test_a_mean_over_nothing_is_nan() -> None:
    assert np.isnan(F.cross_entropy(t(SCORES), t(np.full(4, -100))).item())


@pytest.mark.parametrize("weight", [None, WEIGHT])
@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_label_smoothing_mixes_in_all_classes(weight: np.ndarray | None, reduction: str) -> None:
    w = np.ones(3) if weight is None else weight
    classes = np.array([0, -100, 1, 2])
    kept = classes >= 0
    one = -(w * LOG_P)[np.arange(4), np.where(kept, classes, 0)]
    every = -(w * LOG_P).sum(axis=1)
    total = np.where(kept, 0.9 * one + 0.1 / 3 * every, 0)
    expected = {"mean": total.sum() / w[classes[kept]].sum(), "sum": total.sum(), "none": total}[reduction]
    given = None if weight is None else t(weight)
    close(F.cross_entropy(t(SCORES), t(classes), given, reduction=reduction, label_smoothing=0.1), expected)


@pytest.mark.parametrize("smoothing", [0.0, 0.2])
@pytest.mark.parametrize("weight", [None, WEIGHT])
def test_targets_may_be_probabilities(smoothing: float, weight: np.ndarray | None) -> None:
    target = special.softmax(RNG.normal(size=(4, 3)), axis=1)
    w = np.ones(3) if weight is None else weight
    losses = -(w * (target * (1 - smoothing) + smoothing / 3) * LOG_P).sum(axis=1)
    given = None if weight is None else t(weight)
    close(F.cross_entropy(t(SCORES), t(target), given, label_smoothing=smoothing), losses.mean())
    close(F.cross_entropy(t(SCORES), t(target), given, reduction="none", label_smoothing=smoothing), losses)


def test_one_sample_and_many_axes() -> None:
    close(F.cross_entropy(t(SCORES[0]), t(CLASSES[0])), PICKED[0])
    images = RNG.normal(size=(2, 3, 4, 5))
    classes = RNG.integers(0, 3, size=(2, 4, 5))
    log_p = special.log_softmax(images, axis=1)
    picked = -np.take_along_axis(log_p, classes[:, None], axis=1)[:, 0]
    close(F.cross_entropy(t(images), t(classes)), picked.mean())
    weighted = (picked * WEIGHT[classes]).sum() / WEIGHT[classes].sum()
    close(F.cross_entropy(t(images), t(classes), t(WEIGHT)), weighted)
    soft = special.softmax(RNG.normal(size=images.shape), axis=1)
    close(F.cross_entropy(t(images), t(soft), t(WEIGHT)), -(soft * log_p * WEIGHT[:, None, None]).sum() / 40)


def test_large_scores_do_not_overflow() -> None:
    scores = t([[1000.0, -1000.0, 0.0]])
    assert F.cross_entropy(scores, t([0])).item() == 0.0
    assert F.cross_entropy(scores, t([1])).item() == 2000.0


def test_bad_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match="batch_size"):
        F.cross_entropy(t(SCORES), t([0, 1]))
    with pytest.raises((ValueError, RuntimeError), match="label_smoothing"):
        F.cross_entropy(t(SCORES), t(CLASSES), label_smoothing=1.5)
    with pytest.raises(RuntimeError, match="weight tensor"):
        F.cross_entropy(t(SCORES), t(CLASSES), t([1.0, 2.0]))
    with pytest.raises((TypeError, RuntimeError)):
        F.cross_entropy(t(SCORES), t([0.0, 1.0, 2.0, 0.0]))
    with pytest.raises((TypeError, RuntimeError)):
        F.cross_entropy(t(SCORES), nb.zeros(4, 3, dtype=nb.int64))
    with pytest.raises(ValueError, match="reduction"):
        F.mse_loss(t(SCORES), t(SCORES), reduction="average")


def test_a_class_out_of_range_is_an_index_error() -> None:
    with pytest.raises((IndexError, RuntimeError)):
        F.cross_entropy(t(SCORES), t([0, 1, 2, 3])).item()


def test_a_probability_of_0_or_1_has_pytorchs_bounded_derivative() -> None:
    p = nb.tensor([0.0, 1.0, 0.0, 1.0, 1e-30, 0.5, 0.0], dtype=nb.float64, requires_grad=True)
    F.binary_cross_entropy(p, t(np.array([0.0, 0.0, 1.0, 1.0, 1.0, 0.25, 0.5])), reduction="sum").backward()
    np.testing.assert_allclose(p.grad.numpy(), [0.0, 1e12, -1e12, 0.0, -1e12, 1.0, -5e11], rtol=1e-8)


@pytest.mark.parametrize("loss", [F.nll_loss, F.cross_entropy])
def test_there_is_no_target_among_0_classes(loss: Callable[..., nb.Tensor]) -> None:
    scores = nb.zeros(2, 0)
    for reduction in ("none", "sum", "mean"):
        with pytest.raises(IndexError, match="0 classes"):
            loss(scores, nb.tensor([-100, 0]), reduction=reduction).numpy()
    assert loss(scores, nb.tensor([-100, -100]), reduction="none").tolist() == [0, 0]


@pytest.mark.parametrize("weight", [None, np.array([0.5, 1.0, 2.0])])
def test_log_probabilities_in_memory_and_computed_ones_have_the_same_bits(weight: np.ndarray | None) -> None:
    for shape in ((5, 3), (5, 3, 2), (3,)):
        scores = RNG.normal(size=shape)
        scores.flat[::3] = -0.0
        classes = t(RNG.integers(0, 3, (*shape[:1], *shape[2:]) if len(shape) > 1 else ()))
        losses = []
        for x in (t(scores), t(scores / 2) * 2):
            x.requires_grad_()
            w = None if weight is None else t(weight)
            loss = F.nll_loss(x, classes, w, reduction="none")
            (g,) = nb.autograd.grad(loss.sum(), x)
            losses.append((loss.detach().numpy(), g.numpy()))
        for one, other in zip(*losses, strict=True):
            np.testing.assert_array_equal(one.view(np.int64), other.view(np.int64))

from __future__ import annotations

import numpy as np
import pytest

import nbgrad as nb

nn = nb.nn
F = nn.functional


def test_dropout_keeps_the_mean_and_zeroes_the_share() -> None:
    nb.manual_seed(0)
    y = F.dropout(nb.ones(100_000), 0.3).numpy()
    assert set(np.unique(y)) == {np.float32(0), np.float32(1 / np.float32(0.7))}
    assert abs((y == 0).mean() - 0.3) < 0.01  # six standard deviations


def test_the_same_seed_drops_the_same_elements() -> None:
    masks = []
    for _ in range(2):
        nb.manual_seed(7)
        masks.append(F.dropout(nb.ones(50)).tolist())
    assert masks[0] == masks[1]
    assert F.dropout(nb.ones(50)).tolist() != masks[0]


def test_the_gradient_passes_where_the_value_did() -> None:
    x = nb.ones(1000, requires_grad=True)
    y = F.dropout(x, 0.5)
    y.sum().backward()
    assert x.grad.tolist() == y.tolist()


def test_dropout_does_nothing_in_evaluation() -> None:
    x = nb.randn(5)
    assert nn.Dropout(0.9).eval()(x) is x
    assert F.dropout(x, 0.9, training=False) is x
    assert F.dropout(x, 1.0).tolist() == [0.0] * 5


def test_dropout_may_write_into_its_input() -> None:
    nb.manual_seed(0)
    x = nb.ones(20)
    assert F.dropout(x, 0.5, inplace=True) is x
    assert 0.0 in x.tolist()


@pytest.mark.parametrize(("module", "shape"), [(nn.Dropout1d(), (4, 8, 5)), (nn.Dropout2d(), (4, 8, 3, 5))])
def test_channels_are_dropped_as_a_whole(module: nn.Module, shape: tuple[int, ...]) -> None:
    nb.manual_seed(1)
    channels = module(nb.ones(shape)).numpy().reshape(32, -1)
    assert (channels == channels[:, :1]).all()
    assert set(np.unique(channels)) == {0.0, 2.0}


def test_a_probability_outside_0_to_1_is_refused() -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        nn.Dropout(1.5)
    with pytest.raises(ValueError, match="between 0 and 1"):
        F.dropout(nb.ones(2), -0.1)


def test_dropout_prints_its_probability() -> None:
    assert repr(nn.Dropout(0.2)) == "Dropout(p=0.2, inplace=False)"

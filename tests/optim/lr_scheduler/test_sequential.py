from __future__ import annotations

from math import cos, pi

import numpy as np
import pytest

import nbgrad as nb
from tests.optim.lr_scheduler.test_by_epoch import optimizer, rates

schedules = nb.optim.lr_scheduler


def warm_up_and_cosine(o: nb.optim.Optimizer) -> object:
    first = schedules.LinearLR(o, 0.25, 1.0, total_iters=3)
    return schedules.SequentialLR(o, [first, schedules.CosineAnnealingLR(o, 6)], [3])


def test_schedules_follow_each_other_and_count_from_zero() -> None:
    expected = [0.5, 1.0, 1.5] + [1 + cos(pi * e / 6) for e in range(6)]
    np.testing.assert_allclose(rates(warm_up_and_cosine(optimizer()), 9), expected, rtol=1e-9, atol=1e-12)


def test_a_sequence_goes_on_from_its_saved_state() -> None:
    first, second = (warm_up_and_cosine(optimizer()) for _ in range(2))
    rates(first, 5)
    second.load_state_dict(first.state_dict())
    second.optimizer.param_groups[0]["lr"] = first.get_last_lr()[0]
    np.testing.assert_allclose(rates(second, 3), rates(first, 3), rtol=1e-9)


def test_schedules_and_milestones_must_fit() -> None:
    o = optimizer()
    with pytest.raises(ValueError, match="one more than the number of"):
        schedules.SequentialLR(o, [schedules.ConstantLR(o)], [3])
    with pytest.raises(ValueError, match="at least one scheduler"):
        schedules.SequentialLR(o, [], [])
    with pytest.raises(ValueError, match="belong"):
        schedules.SequentialLR(o, [schedules.ConstantLR(optimizer())], [])

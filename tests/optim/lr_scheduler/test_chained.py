from __future__ import annotations

import numpy as np
import pytest

import nbgrad as nb
from tests.optim.lr_scheduler.test_by_epoch import optimizer, rates

schedules = nb.optim.lr_scheduler


def chained(o: nb.optim.Optimizer) -> object:
    parts = [schedules.ConstantLR(o, 0.5, 3), schedules.ExponentialLR(o, 0.9)]
    return schedules.ChainedScheduler([*parts, schedules.MultiplicativeLR(o, lambda epoch: 0.5)])


def test_factors_are_multiplied() -> None:
    expected = [2.0 * (0.5 if e < 3 else 1.0) * 0.9**e * 0.5**e for e in range(6)]
    np.testing.assert_allclose(rates(chained(optimizer()), 6), expected, rtol=1e-9)


def test_a_chain_goes_on_from_its_saved_state() -> None:
    first, second = (chained(optimizer()) for _ in range(2))
    rates(first, 2)
    second.load_state_dict(first.state_dict())
    second.optimizer.param_groups[0]["lr"] = first.get_last_lr()[0]
    np.testing.assert_allclose(rates(second, 3), rates(first, 3), rtol=1e-9)


def test_what_cannot_be_chained_is_refused() -> None:
    o = optimizer()
    with pytest.raises(ValueError, match="at least one scheduler"):
        schedules.ChainedScheduler([])
    with pytest.raises(ValueError, match="ReduceLROnPlateau"):
        schedules.ChainedScheduler([schedules.ReduceLROnPlateau(o)])
    with pytest.raises(ValueError, match="same optimizer"):
        schedules.ChainedScheduler([schedules.ConstantLR(o), schedules.ConstantLR(optimizer())])
    with pytest.raises(TypeError, match="at index 0"):
        schedules.ChainedScheduler([3])

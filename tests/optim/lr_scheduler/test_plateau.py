from __future__ import annotations

import numpy as np
import pytest

import nbgrad as nb
from tests.optim.lr_scheduler.test_by_epoch import optimizer

schedules = nb.optim.lr_scheduler


def rates(metrics: list[float], **options: object) -> list[float]:
    o = optimizer(1.0)
    scheduler = schedules.ReduceLROnPlateau(o, **options)
    found = []
    for value in metrics:
        scheduler.step(value)
        found.append(o.param_groups[0]["lr"])
    return found


@pytest.mark.parametrize(
    ("metrics", "options", "expected"),
    [
        ([3, 2, 2, 2, 2, 2], {"patience": 1}, [1, 1, 1, 0.1, 0.1, 0.01]),
        ([1, 2, 2, 2], {"patience": 1, "mode": "max"}, [1, 1, 1, 0.1]),
        ([1, 1, 1, 1, 1, 1], {"patience": 0, "factor": 0.5, "cooldown": 2}, [1, 0.5, 0.5, 0.5, 0.25, 0.25]),
        ([1, 0.95, 0.9], {"patience": 0, "threshold": 0.2, "threshold_mode": "abs"}, [1, 0.1, 0.01]),
        ([1, 0.95, 0.5], {"patience": 0, "threshold": 0.2}, [1, 0.1, 0.1]),
        ([1, 1, 1], {"patience": 0, "min_lr": 0.05}, [1, 0.1, 0.05]),
    ],
)
def test_the_rate_falls_when_nothing_gets_better(metrics: list, options: dict, expected: list) -> None:
    np.testing.assert_allclose(rates(metrics, **options), expected, rtol=1e-12)


def test_a_group_that_is_added_has_the_least_rate_of_all() -> None:
    for min_lr, found in ((0.3, [0.3, 0.3]), ([0.3], None)):
        optimizer = nb.optim.SGD([nb.zeros(1)], lr=1.0)
        schedule = nb.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=0, min_lr=min_lr)
        optimizer.add_param_group({"params": [nb.zeros(1)], "lr": 2.0})
        schedule.step(1.0)
        if found is None:
            with pytest.raises(RuntimeError, match=r"number of param groups in the `optimizer` \(2\) differs"):
                schedule.step(2.0)
        else:
            schedule.step(2.0)
            assert [group["lr"] for group in optimizer.param_groups] == found

"""Random programs: the same bits from every compiler, with any pass left out, on any number of threads."""

from __future__ import annotations

import os

import pytest

from tests.fuzz.bits import bits, difference, settings_of, write

pytestmark = [pytest.mark.fuzz, pytest.mark.cpu, pytest.mark.filterwarnings("ignore")]

COUNT = max(int(os.environ.get("NBGRAD_FUZZ", "300")) // 50, 2)
# What does not hold yet: a write to a part of a pending sum or product; looks change views that functions give, and
# bits of what is computed of a derivative's derivative.
NOT_IN_LINES = r"sum\((0|-1)\)|@|Same|Itself|Dirty|create_graph"


@pytest.mark.parametrize("seed", range(COUNT))
def test_no_setting_changes_a_bit(seed: int) -> None:
    lines = write(seed, NOT_IN_LINES)
    found = difference(lines, settings_of(lines))
    assert found is None, "\n".join([f"{found.kind}: {found.detail}", *lines])


def test_a_plan_that_writes_in_place_runs_where_what_it_writes_was_just_computed() -> None:
    """Seed 6020151: it had no memory yet."""
    lines = [
        "t1 = T.linspace(-1.0, 2.0, 6000, dtype=T.float32).reshape((4, 3, 500)).clone().requires_grad_()",
        "t2 = t1[t1.clone() > 0.5]",
        "t3 = t2.detach()",
        "(t2.clone() * t2.clone()).sum().backward(retain_graph=True)",
        "(t2.clone() * t2.clone()).sum().backward(retain_graph=True)",
        "t4 = t3.flatten()",
        "t5 = t4.unsqueeze(-1)",
        "t6 = t3.clone().cumsum(0)",
        "(t1 * 3.0).sum().backward(retain_graph=True, inputs=[t1])",
        "t7 = t4 * 0.5",
        "t6 *= 0.5",
        "look(bool((t6 > 0.13).any()))",
        "t3 *= 0.5",
        "t5.fill_(-1.0)",
        "t8 = t7.clone().clone()",
        "t9 = t8[2929]",
    ]
    assert bits(lines, {"compile": "never", "look": True})

from __future__ import annotations

import nbgrad
from bench.profile import profiled, report


def test_a_call_is_taken_apart_kernel_by_kernel() -> None:
    x = nbgrad.ones(1000, requires_grad=True)

    def work() -> float:
        x.grad = None
        loss = (x.tanh() * 3).sum()
        loss.backward()
        value: float = loss.item()
        return value

    with nbgrad.config.override(compile="eager"):  # one tape from beginning to end
        before = work()
        profile = profiled(work, calls=3, settle_s=0.05)
        assert work() == before
    assert sum(tape.runs for tape in profile.tapes) == 3
    assert sum(often for _, often, _ in profile.by_kind()) == sum(len(tape.lines) for tape in profile.tapes)
    assert "tanh" in report(profile, each=True)
    assert "1 runs of tapes" in report(profile, each=False)

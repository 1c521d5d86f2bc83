from __future__ import annotations

import sys

import pytest

import nbgrad
from bench import profile as profile_module
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
    assert sum(kind.often for kind in profile.by_kind()) == sum(len(tape.lines) for tape in profile.tapes)
    assert "tanh" in report(profile, each=True)
    assert "1 runs of tapes" in report(profile, each=False)


def test_steady_calls_of_a_compiled_function_are_taken_apart() -> None:
    x = nbgrad.ones(1000)

    @nbgrad.compile(fullgraph=True)
    def work() -> nbgrad.Tensor:
        return (x.tanh() * 3).sum()

    with nbgrad.config.override(compile="eager"):
        profile = profiled(work, calls=3, settle_s=0.05)
    (tape,) = profile.tapes
    assert tape.runs == 3
    (kind,) = profile.by_kind()
    assert "tanh" in kind.what
    assert kind.nbytes == 4008  # what is read, the number, and the sum
    assert "4.0 kB" in report(profile, each=False)


def test_the_command_shows_a_case_plain_and_compiled(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(profile_module, "SETTLE_S", 0.05)
    for flags in ([], ["--compiled"]):
        monkeypatch.setattr(sys, "argv", ["profile", "hvp", "--quick", *flags])
        profile_module.main()
        assert "GB/s" in capsys.readouterr().out
    monkeypatch.setattr(sys, "argv", ["profile", "trees", "--quick", "--compiled"])
    with pytest.raises(SystemExit):
        profile_module.main()
    assert "trees is not done by nbgrad.compile" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("given", "why"),
    [(["chains"], "there is no case chains: there are chain, "), (["hvp", "7"], "hvp has no case 7, but")],
)
def test_a_case_that_is_not_there_is_said_in_words(
    given: list[str], why: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["profile", *given, "--quick"])
    with pytest.raises(SystemExit):
        profile_module.main()
    assert why in capsys.readouterr().err


def test_what_runs_several_times_in_a_call_counts_as_often() -> None:
    tape = profile_module.Tape(["  0: map tanh    4 items    in0 out0"], [], [32], [0.5], runs=6)
    (kind,) = profile_module.Profile(1.0, calls=3, tapes=[tape]).by_kind()
    assert kind == ("map tanh [4 items]", 2.0, 1.0, 64.0)

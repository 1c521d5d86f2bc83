"""The driver of the passes."""

from __future__ import annotations

import pytest

from nbgrad.config import PASSES, override
from nbgrad.graph.node import Node, apply
from nbgrad.graph.spec import Spec
from nbgrad.graph.verify import InvalidGraph
from nbgrad.passes import run
from nbgrad.passes.group import Group
from nbgrad.passes.run import grouped, optimise
from tests.passes.build import value


def test_every_pass_has_a_switch() -> None:
    assert {name for name, *_ in run.PIPELINE} | {"fuse", "plan", "rounds"} == set(PASSES)


def test_a_pass_can_be_left_out() -> None:
    y = value(3) * 1.0
    assert optimise([y])[0].op.name == "input"
    with override(passes="-fold"):
        assert optimise([y])[0].op.name == "mul"


def test_without_fusion_every_operator_is_a_group() -> None:
    y = apply("tanh", apply("exp", value(3)))
    assert len(grouped([y])) == 1
    with override(passes="-fuse"):
        assert grouped([y]) == [Group((n,), (n,), (3,), ()) for n in (y.inputs[0], y)]


def test_a_pass_that_breaks_the_graph_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def breaking(roots: list[Node]) -> list[Node]:
        return [Node(roots[0].op, roots[0].inputs, (), Spec.of((9,), roots[0].spec.dtype))]

    monkeypatch.setattr(run, "PIPELINE", (("fold", breaking),))
    with override(check=True), pytest.raises(InvalidGraph, match="after fold"):
        optimise([apply("tanh", value(3))])


def test_passes_are_timed_where_that_is_wanted(capsys: pytest.CaptureFixture[str]) -> None:
    with override(log="time"):
        optimise([value(3)])
    assert "fold" in capsys.readouterr().err

from collections.abc import Iterable
from pathlib import Path

import pytest

import nbgrad as nb
from nbgrad.config import override
from nbgrad.log import current_step, emit, enabled, fall_back, fallbacks, in_step, log, next_step


def test_stages_are_silent_unless_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    with override(log=""):
        emit("tape", "text")
    assert capsys.readouterr().err == ""


def test_log_prints_the_named_stages_inside_its_block(capsys: pytest.CaptureFixture[str]) -> None:
    with override(log="", log_dir=None):
        with log("tape", "fuse"):
            assert enabled("tape")
            assert not enabled("graph")
            emit("tape", "0: mul")
            emit("graph", "unwanted")
        assert not enabled("tape")
    assert capsys.readouterr().err == "-- tape --\n0: mul\n"


def test_log_adds_to_what_is_on() -> None:
    with override(log="graph"), log("time"):
        assert enabled("graph")
        assert enabled("time")


def test_stages_go_to_one_folder_a_step(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with override(log="all", log_dir=str(tmp_path)):
        for step in ("first", "second"):
            next_step()
            emit("graph", step)
            emit("tape", step)
        emit("tape", "more")
    assert capsys.readouterr().err == ""
    first, second = sorted(tmp_path.iterdir())
    assert sorted(file.name for file in first.iterdir()) == ["10-graph.txt", "40-tape.txt"]
    assert (first / "40-tape.txt").read_text() == "first\n"
    assert (second / "40-tape.txt").read_text() == "second\nmore\n"


def test_what_a_structure_prints_later_goes_where_it_printed_at_first(tmp_path: Path) -> None:
    with override(log="graph", log_dir=str(tmp_path)):
        first = current_step()
        emit("graph", "planned")
        next_step()
        assert current_step() != first
        with in_step(first):
            emit("graph", "came again")
        emit("graph", "another")
    texts = [(folder / "10-graph.txt").read_text() for folder in sorted(tmp_path.iterdir())]
    assert texts == ["planned\ncame again\n", "another\n"]


def test_what_falls_back_is_printed_and_kept(capsys: pytest.CaptureFixture[str]) -> None:
    with override(log="cache", log_dir=None):
        fall_back("cache", "made here, for a test")
        fall_back("cache", "made here, for a test")
    assert capsys.readouterr().err.count("made here, for a test") == 2
    assert fallbacks().count("made here, for a test") == 1


def test_of_many_fallbacks_the_last_are_kept() -> None:
    texts = [f"for a test, number {k}" for k in range(150)]
    for text in texts:
        fall_back("cache", text)
    assert fallbacks() == texts[-100:]


def test_an_explanation_knows_its_stages() -> None:
    explanation = nb.explain(lambda: (nb.ones(3) * 2.0).sum().item())
    assert isinstance(explanation, Iterable)  # by __getitem__ alone, Python would look for a last stage forever
    assert "graph" in explanation and "no such stage" not in explanation
    assert [*explanation] == [*explanation.steps[0]]

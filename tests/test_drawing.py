"""draw: the graph behind tensors, as it was recorded."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import nbgrad as nb
from nbgrad.utils.checkpoint import checkpoint


def labels(drawing: Any) -> list[str]:
    return re.findall(r'label="([^"]*)"', drawing.dot)


def edges(drawing: Any) -> set[tuple[str, str]]:
    """Who is made of what, by first words of labels."""
    names = dict(re.findall(r'(n\d+) \[label="([^"\\]*)', drawing.dot))
    return {(names[a], names[b]) for a, b in re.findall(r"(n\d+) -> (n\d+)", drawing.dot)}


def test_a_computation_by_names_and_shapes() -> None:
    x = nb.tensor([[1.0, 2.0]], requires_grad=True)
    data = nb.tensor([2.0, 3.0])
    found = nb.draw((x * data).tanh().sum(), params={"x": x})
    assert edges(found) == {("x", "mul"), ("input", "mul"), ("mul", "tanh"), ("tanh", "sum")}
    assert [label.split("\\n")[:2] for label in labels(found)] == [
        ["sum", "f32[]"],
        ["tanh", "f32[1,2]"],
        ["mul", "f32[1,2]"],
        ["x", "f32[1,2]"],
        ["input", "f32[2]"],
    ]


def test_a_function_is_drawn_with_the_users_lines() -> None:
    def function(x: nb.Tensor) -> nb.Tensor:
        y = x.exp()
        return y.sum()

    x = nb.ones(3, requires_grad=True)
    for _ in range(4):  # however often it was recorded before, and what it is drawn with does not matter
        function(x).backward()
        line = function.__code__.co_firstlineno
        assert labels(nb.draw(function, x)) == [
            f"sum\\nf32[]\\ntest_drawing.py:{line + 2}",
            f"exp\\nf32[3]\\ntest_drawing.py:{line + 1}",
            "leaf\\nf32[3]",
        ]


def test_the_parameters_of_a_module_have_their_names() -> None:
    model = nb.nn.Sequential(nb.nn.Linear(2, 3), nb.nn.Tanh())
    found = nb.draw(model, nb.ones(4, 2))
    assert ("0.weight", "linear") in edges(found) and ("0.bias", "linear") in edges(found)


@pytest.mark.parametrize("runs", [False, True])
def test_flushed_segments_are_seen_through(runs: bool) -> None:
    x = nb.tensor([1.0, 2.0], requires_grad=True)
    y = (x * x).exp()
    if runs:
        y.tolist()
    z = y.sin().sum()
    if runs:
        z.item()
    assert edges(nb.draw(z)) == {("leaf", "mul"), ("mul", "exp"), ("exp", "sin"), ("sin", "sum")}


def test_writes_derivatives_and_custom_functions() -> None:
    x = nb.tensor([1.0, 2.0], requires_grad=True)
    y = x * 1
    y[0] = 5.0
    assert ("write to a view", "write") in edges(nb.draw(y.sum())) or ("write to a view", "sum") in edges(
        nb.draw(y.sum())
    )
    (g,) = nb.autograd.grad((x * x * x).sum(), x, create_graph=True)
    assert ("backward", "derivative") in edges(nb.draw(g))
    z = checkpoint(nb.sin, x, use_reentrant=False)
    assert edges(nb.draw(z * 2)) == {("leaf", "checkpoint(sin)"), ("checkpoint(sin)", "mul")}


def test_several_tensors_and_those_without_history() -> None:
    x = nb.tensor([1.0], requires_grad=True)
    assert len(labels(nb.draw(x))) == 1
    a, b = x * 2, x * 3
    assert len(labels(nb.draw([a, b]))) == 3
    assert [label.split("\\n")[0] for label in labels(nb.draw(nb.ones(2) + 1))] == ["add", "full"]


def test_drawing_changes_nothing() -> None:
    x = nb.tensor([1.0, 2.0], requires_grad=True)
    y = (x * x).sum()
    nb.draw(y)
    y.backward()
    assert x.grad.tolist() == [2.0, 4.0]


def test_what_another_thread_goes_on_recording_is_drawn_once() -> None:
    def made(other: Callable[[Callable[[], Any]], Any]) -> Any:
        x = nb.tensor([1.0, 2.0], requires_grad=True)
        y = other(lambda: x * x)
        first = y.exp()
        return first + other(lambda: y.sin())

    with ThreadPoolExecutor(1) as pool:
        found = nb.draw(made(lambda f: pool.submit(f).result())).dot
    assert len(found.splitlines()) == len(nb.draw(made(lambda f: f())).dot.splitlines())


def test_wrong_arguments() -> None:
    with pytest.raises(TypeError, match="argument 'what' must be Tensor"):
        nb.draw(3)
    with pytest.raises(TypeError, match="argument 'what' must be Tensor"):
        nb.draw(lambda: None)
    with pytest.raises(TypeError, match="a function, where it is given arguments"):
        nb.draw(nb.ones(2), 3)


def test_pictures_come_from_graphviz(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = nb.draw(nb.ones(2) + 1)
    found.save(tmp_path / "graph.dot")
    assert (tmp_path / "graph.dot").read_text() == found.dot == repr(found)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(RuntimeError, match="Graphviz is not installed"):
        found.svg()
    assert found._repr_svg_() is None
    program = tmp_path / "dot"
    program.write_text("#!/bin/sh\necho '<svg>'\n")
    program.chmod(0o755)
    assert found._repr_svg_() == "<svg>\n"
    found.save(tmp_path / "graph.svg")
    assert (tmp_path / "graph.svg").read_text() == "<svg>\n"
    program.write_text("#!/bin/sh\necho broken >&2\nexit 1\n")
    with pytest.raises(RuntimeError, match="dot failed: broken"):
        found.svg()
    assert os.path.exists(program)

"""The README's tour runs and prints what it says; its two commands can be read out."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```python\n(.*?)^```\n(?:```text\n(.*?)^```\n)?", re.MULTILINE | re.DOTALL)


def test_the_tour_prints_what_it_says() -> None:
    blocks = BLOCK.findall(README)
    assert len(blocks) >= 5
    names: dict[str, object] = {}
    for code, expected in blocks:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, "README.md", "exec"), names)  # one after the other, as a reader would type them
        assert printed.getvalue() == expected, code


def reader():  # type: ignore[no-untyped-def]
    spec = importlib.util.spec_from_file_location("readme_commands", ROOT / ".ci" / "readme_commands.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_two_commands_are_marked() -> None:
    found = reader().commands(README)
    assert list(found) == ["main job", "tests"]
    assert "examples/train_digits.py" in found["main job"]
    assert "pytest" in found["tests"]
    for command in found.values():
        assert command.startswith("python -m pip install ")


def test_a_mark_without_its_command_is_an_error() -> None:
    with pytest.raises(ValueError, match="sh block"):
        reader().commands("<!-- ci: tests -->\n```sh\none\ntwo\n```\n")
    with pytest.raises(ValueError, match="sh block"):
        reader().commands("<!-- ci: tests -->\nsome words\n")


@pytest.mark.parametrize("script", ["run", "gpu", "numba"])
def test_the_checks_name_tests_that_exist(script: str) -> None:
    named = set(re.findall(r"\btests(?:/\w+)+(?:\.py)?", (ROOT / ".ci" / script).read_text()))
    assert named and not [path for path in sorted(named) if not (ROOT / path).exists()]

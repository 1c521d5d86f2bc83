"""The pages of docs/: their code prints what they say, their lists are the code's.

``python -m tests.test_compile_page`` writes the lists anew.
"""

from __future__ import annotations

import contextlib
import io
import linecache
import re
import textwrap
from pathlib import Path

import pytest

from nbgrad.replay import kinds

PAGE = Path(__file__).resolve().parents[1] / "docs" / "compile.md"
BLOCK = re.compile(r"^```python\n(.*?)^```\n```text\n(.*?)^```\n", re.MULTILINE | re.DOTALL)


def words(names: frozenset[str]) -> str:
    return "\n".join(textwrap.wrap(" ".join([f"`{name}`" for name in sorted(names)]), 118, break_on_hyphens=False))


def lists() -> dict[str, str]:
    """The generated parts, by their marks."""
    return {
        "builtins": words(kinds.BUILTINS),
        "numpy": words(kinds.NUMPY),
    }


def written(text: str) -> str:
    for mark, content in lists().items():
        pattern = re.compile(rf"(<!-- {mark} -->\n).*?(<!-- end -->)", re.DOTALL)
        text, count = pattern.subn(lambda m, new=content: f"{m[1]}{new}\n{m[2]}", text)
        assert count == 1, mark
    return text


def test_the_lists_are_those_of_the_code() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert text == written(text), "python -m tests.test_compile_page writes the lists anew"


def test_it_says_what_is_too_large_and_names_what_is_not_followed() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert f"of at most {kinds.MOST_ITEMS} items" in text and f"of at most {kinds.MOST_BYTES} bytes" in text
    names = set(re.findall(r"`(\w+)`", text.partition("<!-- forbidden -->")[2].partition("<!-- end -->")[0]))
    assert kinds.TENSOR_STATE < names < kinds.FORBIDDEN


@pytest.mark.parametrize(
    "page",
    [
        f"{name}.md"
        for name in (
            *("compile", "func", "graph", "hooks", "checkpoint", "profile", "interop", "special", "data"),
            *("complex", "distributions", "nn"),
        )
    ],
)
def test_its_code_prints_what_it_says(page: str) -> None:
    blocks = BLOCK.findall((PAGE.parent / page).read_text(encoding="utf-8"))
    assert blocks
    names: dict[str, object] = {}
    for code, expected in blocks:
        linecache.cache[page] = (len(code), None, code.splitlines(keepends=True), page)
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, page, "exec"), names)
        assert printed.getvalue() == expected


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")

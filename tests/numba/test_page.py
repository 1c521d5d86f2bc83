"""The page on Numba: its code prints what it says. ``python -m tests.numba.test_page`` writes that anew."""

from __future__ import annotations

from pathlib import Path

from tests.test_architecture import outputs, renewed

PAGE = Path(__file__).resolve().parents[2] / "docs" / "numba.md"


def test_its_code_prints_what_it_says() -> None:
    blocks = list(outputs(PAGE.read_text(encoding="utf-8"), {}))
    assert len(blocks) > 4
    for block, printed in blocks:
        assert printed == (block["output"] or "").rstrip("\n"), block["code"]


if __name__ == "__main__":
    PAGE.write_text(renewed(PAGE.read_text(encoding="utf-8")), encoding="utf-8")

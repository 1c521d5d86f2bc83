"""Names of PyTorch: what the table says is here is here, the page has its sums, and no documented name is left out."""

from __future__ import annotations

import pytest

import nbgrad as nb
from tests.torch_names import ASPECTS, PAGE, documented, is_there, recorded, summary

TABLE = recorded()


def test_what_was_there_is_there() -> None:
    assert [name for name, letters in TABLE.items() if "t" in letters and not is_there(nb, name)] == []


def test_the_page_has_the_sums_of_the_table() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert all(row in page.splitlines() for row in summary(TABLE))
    assert all(set(letters) <= set(ASPECTS) for letters in TABLE.values())


def test_every_documented_name_is_in_the_table() -> None:
    torch = pytest.importorskip("torch", reason="the names are PyTorch's")
    if not torch.__version__.startswith("2.13"):
        pytest.skip("the table is that of PyTorch 2.13")
    assert set(documented(torch)) == set(TABLE)

"""Functions that are imported when they are asked for."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import pytest

from nbgrad.kernels.deferred import Deferred
from nbgrad.kernels.elementary import ELEMENTARY, RARE
from nbgrad.kernels.emit import FORMS, WARP_FORMS
from tests.fresh import printed


@pytest.mark.parametrize("table", [FORMS, WARP_FORMS, ELEMENTARY, RARE])
def test_every_function_is_where_the_table_says(table: Deferred) -> None:
    assert all(callable(function) for function in table.values())
    assert len(table) == len(list(table))


def test_what_is_not_in_the_table_is_a_key_error() -> None:
    assert "tangent" not in ELEMENTARY
    with pytest.raises(KeyError):
        ELEMENTARY["tangent"]


def test_the_emitter_imports_no_form_that_nobody_asked_for() -> None:
    script = """
import sys
import nbgrad.kernels.compile
from nbgrad.kernels.emit import FORMS
FORMS["map"]
others = ("row", "column", "product", "warp_product", "elementary.sine")
print([name for name in others if f"nbgrad.kernels.{name}" in sys.modules])
print(FORMS["map"].__module__)
"""
    assert printed("-c", script) == "[]\nnbgrad.kernels.map\n"


def test_ctrl_c_waits_for_the_import_of_a_function(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "package_of_deferred"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "late.py").write_text("import signal\nsignal.raise_signal(signal.SIGINT)\ndef f():\n    return 3\n")
    monkeypatch.syspath_prepend(tmp_path)
    table = Deferred("package_of_deferred", {"f": "late.f"})
    with pytest.raises(KeyboardInterrupt):
        table["f"]
    assert "package_of_deferred.late" in sys.modules  # whole: no lock of an import is left to this thread
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)
    assert table["f"]() == 3

"""Files of functions that most programs have no use for are read when one of them is asked for."""

from __future__ import annotations

import pytest

import nbgrad as nb
from nbgrad.functions.later import IN_PLACE, MODULES
from tests.fresh import printed


def test_their_files_are_read_when_somebody_asks() -> None:
    script = """
import sys
import nbgrad as nb
files = lambda: [name for name in sys.modules if name in ("nbgrad.functions.splitting", "nbgrad.functions.stacking")]
print(files())
nb.ones(2).tensor_split(2)
print(files())
nb.dstack([nb.ones(2)])
print(len(files()), "dstack" in dir(nb))
"""
    assert printed("-c", script) == "[]\n['nbgrad.functions.splitting']\n2 True\n"


def test_all_of_them_are_there_and_documented() -> None:
    for name, module in MODULES.items():
        function = getattr(nb, name)
        assert function.__module__ in (module, "nbgrad") and function.__name__ == name
        assert ">>>" in function.__doc__
        method = getattr(nb.Tensor, name, function)
        assert module.endswith(".written") or method is function or isinstance(method, property)


def test_methods_that_write_are_functions_too() -> None:
    for name in IN_PLACE:
        assert getattr(nb, name) is getattr(nb.Tensor, name)
    x = nb.tensor([4.0])
    assert nb.sqrt_(x) is x and x.item() == 2.0
    for name in ("sqrt_", "zero_", "xlogy_"):
        with pytest.raises(TypeError, match=name.rstrip("_")):
            getattr(nb, name)(3, *([x] if name == "xlogy_" else []))

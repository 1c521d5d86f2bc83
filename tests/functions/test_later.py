"""Files of functions that most programs have no use for are read when one of them is asked for."""

from __future__ import annotations

import subprocess
import sys

import nbgrad as nb
from nbgrad.functions.later import MODULES


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
    told = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert told.stdout == "[]\n['nbgrad.functions.splitting']\n2 True\n", told.stderr


def test_all_of_them_are_there_and_documented() -> None:
    for name, module in MODULES.items():
        function = getattr(nb, name)
        assert function.__module__ == module and function.__name__ == name
        assert ">>>" in function.__doc__
        assert getattr(nb.Tensor, name, function) is function

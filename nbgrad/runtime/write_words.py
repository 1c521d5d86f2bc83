"""``python -m nbgrad.runtime.write_words`` has Numba compile this room's ``@njit`` functions, those of
``kernels/library`` and those of ``differentiate``'s tape anew, after a change of their source or of a constant in it:
what becomes machine code is the text that comes with the package.

``python -m nbgrad.runtime.write_words FOLDER`` writes the texts there."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Final

os.environ["NUMBA_OPT"] = "0"  # before Numba is imported, see ``numba_text``

from nbgrad.kernels.library.build import family_text
from nbgrad.kernels.library.emit import family_path
from nbgrad.kernels.library.forms import FAMILIES
from nbgrad.kernels.numba_records import write_text
from nbgrad.runtime.numba_words import compiled_text
from nbgrad.runtime.word_code import text_path
from nbgrad.runtime.word_functions import FUNCTIONS

TAPE_WRITER: Final = "nbgrad.numba.differentiate.write_tape"


def main(folder: str = "") -> None:
    """Write all texts."""
    for what in FUNCTIONS:
        given = {name: ", ".join(["int64"] * f.__code__.co_argcount) for name, f in FUNCTIONS[what].items()}
        functions = {name: (f, f"int64({given[name]})") for name, f in FUNCTIONS[what].items()}
        write_text(text_path(what), folder, compiled_text(functions))
    for family in FAMILIES:
        write_family(family, folder)
    subprocess.run([sys.executable, "-m", TAPE_WRITER, folder], check=True)  # a room below this one


def write_family(family: str, folder: str = "") -> None:
    """Write the text of one family of ``kernels/library``."""
    write_text(family_path(family), folder, family_text(family))


if __name__ == "__main__":
    main(*sys.argv[1:])

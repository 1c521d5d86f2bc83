"""Has Numba compile ``tape_functions.py`` and ``tape_arrays.py`` to the LLVM text that comes with the package. For
builds alone: ``python -m nbgrad.runtime.write_words`` runs it."""

from __future__ import annotations

import sys

from nbgrad.kernels.njit import COMPILED
from nbgrad.kernels.numba_records import compiled_text, write_text
from nbgrad.numba.differentiate import tape_arrays, tape_functions
from nbgrad.numba.differentiate.tape_calls import PATH, signature, symbol


def main(folder: str) -> None:
    """Write the text, into a folder if one is given."""
    modules = tape_functions.__name__, tape_arrays.__name__
    functions = [one for name in modules for one in COMPILED if one.__module__ == name and one.__name__[0] != "_"]
    text = compiled_text({symbol(one): (one, signature(one)) for one in functions}, inlined=True)
    # Numba compiles what calls them again with them where it keeps that on disk: they are not worth being unrolled.
    text = text.replace(" nounwind ", " noinline nounwind optsize ")
    write_text(PATH, folder, text)


if __name__ == "__main__":
    main(*sys.argv[1:])

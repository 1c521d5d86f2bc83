"""``python -m nbgrad.runtime.write_words`` translates the word functions that Python calls anew, after a change of
their source or of a constant in it: what is compiled is the text that comes with the package."""

from __future__ import annotations

import llvmlite.binding as llvm

from nbgrad.runtime.system_words import with_system_words
from nbgrad.runtime.translate import translated
from nbgrad.runtime.word_code import text_path
from nbgrad.runtime.word_functions import FUNCTIONS


def text_now(what: str) -> str:
    """What the text of ``what`` has to be. LLVM has verified it: where it is compiled, nobody does again."""
    text = translated(FUNCTIONS[what]) + "\n"
    llvm.parse_assembly(with_system_words(text)).verify()
    return text


def main() -> None:
    """Write all texts."""
    for what in FUNCTIONS:
        with open(text_path(what), "w", encoding="utf-8") as file:
            file.write(text_now(what))


if __name__ == "__main__":
    main()

"""One object for each distinct kernel text, so that look-ups by text are look-ups by identity."""

from __future__ import annotations

from typing import Final

from nbgrad.tape.kernel import KernelText

MOST: Final = 1 << 16  # programs that keep making new structures must not pile up texts for ever

_texts: dict[KernelText, KernelText] = {}


def intern(text: KernelText) -> KernelText:
    """The object that stands for all texts equal to ``text``."""
    if len(_texts) >= MOST:
        _texts.clear()
    return _texts.setdefault(text, text)

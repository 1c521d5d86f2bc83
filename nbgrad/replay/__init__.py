"""``nbgrad.compile``: a function that was recorded is run again without recording it."""

from nbgrad.replay.compiled import Compiled, compile

__all__ = ["Compiled", "compile"]

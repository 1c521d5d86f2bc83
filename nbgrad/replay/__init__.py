"""``nbgrad.compile``: a function that was recorded is run again without recording it."""

from nbgrad.replay.decorator import compile

__all__ = ["compile"]

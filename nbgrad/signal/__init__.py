"""``nbgrad.signal``: windows of signals."""

from nbgrad.signal import windows

__all__ = ["windows"]

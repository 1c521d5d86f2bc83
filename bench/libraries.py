"""Who is compared: nbgrad, and PyTorch where it is installed. Both speak the same API, so each case is written once."""

from __future__ import annotations

import importlib.util
from typing import Any

import nbgrad


def libraries() -> list[tuple[str, Any]]:
    """(name, module) of each library."""
    found: list[tuple[str, Any]] = [("nbgrad", nbgrad)]
    if importlib.util.find_spec("torch"):
        import torch  # an extra: the bench runs without it

        found.append(("PyTorch eager", torch))
    return found

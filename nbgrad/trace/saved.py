"""Tensors made in inference mode, which no derivative may read."""

from __future__ import annotations

from typing import Any

from nbgrad.calls.base import CALLS_BY_NUMBER
from nbgrad.calls.key import split_key
from nbgrad.errors import GradError
from nbgrad.trace.handle import Handle
from nbgrad.trace.trie import TrieNode, entry_at
from nbgrad.transform.reads import places_read


def refuse(end: TrieNode, key: tuple[Any, ...], operands: tuple[Any, ...]) -> None:
    """PyTorch's error where the derivative of this call would keep an inference tensor. Runs on a miss only."""
    states = [a._at if isinstance(a, Handle) else None for a in operands]
    made = {k for k, at in enumerate(states) if at is not None and at.inference}
    wanted = [k for k, at in enumerate(states) if at is not None and at.requires_grad]
    if made and wanted:
        refs, statics = split_key(key)
        specs = tuple([entry_at(end, ref).spec if ref >= 0 else None for ref in refs])
        if not made.isdisjoint(
            places_read(CALLS_BY_NUMBER[key[0]], tuple([min(r, 0) for r in refs]), statics, specs, tuple(wanted))
        ):
            raise cannot_be_saved()


def cannot_be_saved() -> GradError:
    """The error of an inference tensor that a derivative would read."""
    return GradError(
        "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode "
        "in computation tracked by autograd. To work around this, you can make a clone to get a normal tensor "
        "and use it in autograd, or use `nbgrad.no_grad()` instead of `nbgrad.inference_mode()`"
    )

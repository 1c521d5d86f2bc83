"""The random stream: a seed, and a counter that every random tensor takes its own number from.

Numbers are Philox blocks indexed by (seed, stream number, element): the same seed gives the same numbers for any thread
count, fused or not, on any device.
"""

from __future__ import annotations

import secrets

from nbgrad.creation import tensor
from nbgrad.errors import RunError
from nbgrad.graph.dtypes import int64
from nbgrad.stream import Generator, default_generator
from nbgrad.tensor import Tensor

__all__ = ["Generator", "default_generator", "get_rng_state", "initial_seed", "manual_seed", "seed", "set_rng_state"]


def manual_seed(seed: int) -> Generator:
    """Begin the stream of ``seed`` (an integer of 64 bits): equal seeds give equal numbers."""
    return default_generator.manual_seed(seed)


def seed() -> int:
    """Begin a stream with a seed from the system; gives that seed."""
    value = secrets.randbits(63)
    default_generator.manual_seed(value)
    return value


def initial_seed() -> int:
    """The seed of the stream in use."""
    return default_generator.seed


def get_rng_state() -> Tensor:
    """Seed and position of the stream, as an int64 tensor for ``set_rng_state``."""
    return tensor([default_generator.seed, default_generator.position], dtype=int64)


def set_rng_state(state: Tensor) -> None:
    """Go on where ``get_rng_state`` was called."""
    found = state.tolist()
    if not isinstance(found, list) or len(found) != 2:
        raise RunError("set_rng_state: expected what get_rng_state gave")
    default_generator.seed, default_generator.position = found

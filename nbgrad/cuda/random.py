"""Random numbers on GPUs: they are the CPU's, taken from the one stream that ``nbgrad.manual_seed`` begins.

So a program draws the same numbers wherever its tensors live.
"""

from __future__ import annotations

from typing import Any

from nbgrad import random
from nbgrad.tensor import Tensor


def manual_seed(seed: Any) -> None:
    """Begin the stream of ``seed``, of the CPU too.

    >>> nbgrad.cuda.manual_seed(7)
    >>> nbgrad.initial_seed()
    7
    """
    random.manual_seed(seed)


def seed() -> None:
    """Begin a stream with a seed from the system, of the CPU too.

    >>> nbgrad.cuda.seed()
    """
    random.seed()


def initial_seed() -> int:
    """The seed of the stream in use.

    >>> nbgrad.cuda.initial_seed() == nbgrad.initial_seed()
    True
    """
    return random.initial_seed()


def get_rng_state(device: Any = "cuda") -> Tensor:
    """Seed and position of the stream, for ``set_rng_state``; the same for all devices.

    >>> nbgrad.cuda.manual_seed(7)
    >>> nbgrad.cuda.get_rng_state()
    tensor([7, 0])
    """
    return random.get_rng_state()


def set_rng_state(new_state: Tensor, device: Any = "cuda") -> None:
    """Go on where ``get_rng_state`` was called.

    >>> nbgrad.cuda.set_rng_state(nbgrad.cuda.get_rng_state())
    """
    random.set_rng_state(new_state)


manual_seed_all = manual_seed
seed_all = seed

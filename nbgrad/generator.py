"""Where random tensors get their place in the stream."""

from __future__ import annotations

import itertools
import os
from typing import Any

from nbgrad.device import as_device
from nbgrad.errors import ArgumentError, NumberError
from nbgrad.system.fork_safety import Lock
from nbgrad.trace import refuse


class Generator:
    """A random stream: ``seed`` and the number that the next random tensor will take. Thread-safe.

    ``device`` is whether it draws for the CPU or for CUDA devices. The numbers are the same.
    """

    def __init__(self, device: Any = "cpu") -> None:
        self.device = as_device(device)
        self._lock = Lock()
        self._seed = int.from_bytes(os.urandom(8)) >> 1
        self._next = itertools.count()

    def manual_seed(self, seed: Any) -> Generator:
        """Begin the stream of ``seed``, an integer of 64 bits. ValueError for anything else."""
        try:
            seed = int(seed)
        except (TypeError, ValueError, OverflowError):
            raise ArgumentError(f"manual_seed() expected an integer of 64 bits, got {seed!r}") from None
        if not -(1 << 63) <= seed < 1 << 64:
            raise NumberError(f"manual_seed(): Overflow: {seed} does not fit in 64 bits")
        refuse("a random stream is begun anew")
        with self._lock:
            self._seed = seed - (1 << 64) if seed >= 1 << 63 else seed
            self._next = itertools.count()
        return self

    def take(self) -> tuple[int, int]:
        """(seed, stream number) for one random tensor."""
        with self._lock:
            return self._seed, next(self._next)

    def put_back(self) -> None:
        """Let the next tensor have the number that was taken last."""
        self.position -= 1

    @property
    def seed(self) -> int:
        refuse("the seed of a random stream is asked for")
        return self._seed

    @seed.setter
    def seed(self, value: int) -> None:
        self._seed = value

    def initial_seed(self) -> int:
        """The seed that this stream began with.

        >>> nbgrad.Generator().manual_seed(3).initial_seed()
        3
        """
        return self.seed

    @property
    def position(self) -> int:
        """How many random tensors were made since the seed was set."""
        with self._lock:
            here = next(self._next)
            self._next = itertools.count(here)
            return here

    @position.setter
    def position(self, value: int) -> None:
        with self._lock:
            self._next = itertools.count(value)


default_generator = Generator()

"""The stream that random tensors take their numbers from: a seed, and a counter of the tensors made."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from nbgrad.calls.arguments import flag_of
from nbgrad.errors import DTypeError
from nbgrad.functions.creation import tensor
from nbgrad.generator import Generator, default_generator
from nbgrad.graph.dtypes import int64
from nbgrad.tensor import Tensor
from nbgrad.trace import refuse, tensor_of

__all__ = [
    "Generator",
    "default_generator",
    "fork_rng",
    "get_rng_state",
    "initial_seed",
    "manual_seed",
    "seed",
    "set_rng_state",
]


def manual_seed(seed: Any) -> Generator:
    """Begin the stream of ``seed`` (an integer of 64 bits): equal seeds give equal numbers.

    ValueError for what is no such integer.

    >>> _ = nbgrad.manual_seed(7)
    >>> x = nbgrad.rand(3)
    >>> _ = nbgrad.manual_seed(7)
    >>> bool((nbgrad.rand(3) == x).all())
    True
    """
    return default_generator.manual_seed(seed)


def seed() -> int:
    """Begin a stream with a seed from the system; gives that seed.

    >>> nbgrad.seed() == nbgrad.initial_seed()
    True
    """
    value = int.from_bytes(os.urandom(8)) >> 1
    default_generator.manual_seed(value)
    return value


def initial_seed() -> int:
    """The seed of the stream in use.

    >>> _ = nbgrad.manual_seed(7)
    >>> nbgrad.initial_seed()
    7
    """
    return default_generator.seed


def get_rng_state() -> Tensor:
    """Seed and position of the stream, as an int64 tensor for ``set_rng_state``.

    >>> _ = nbgrad.manual_seed(7)
    >>> nbgrad.get_rng_state()
    tensor([7, 0])
    """
    return _get_state(default_generator)


def set_rng_state(new_state: Tensor) -> None:
    """Go on where ``get_rng_state`` was called. TypeError for anything that it did not give.

    >>> state = nbgrad.get_rng_state()
    >>> x = nbgrad.rand(3)
    >>> nbgrad.set_rng_state(state)
    >>> bool((nbgrad.rand(3) == x).all())
    True
    """
    _go_on(default_generator, "set_rng_state", new_state, "get_rng_state")


@contextmanager
def fork_rng(devices: Any = None, enabled: bool = True, *, device_type: str = "cuda") -> Iterator[None]:
    """A context after which random numbers go on as if none had been drawn inside: those of all devices, which have one
    stream. Not ``enabled``, it does nothing.

    >>> with nbgrad.random.fork_rng():
    ...     inside = nbgrad.rand(3)
    >>> bool((nbgrad.rand(3) == inside).all())
    True
    """
    if not flag_of("fork_rng", "enabled", enabled):
        yield
        return
    state = get_rng_state()
    try:
        yield
    finally:
        set_rng_state(state)


def _get_state(self: Generator) -> Tensor:
    """Seed and position of this stream, as an int64 tensor for ``set_state``.

    >>> nbgrad.Generator().manual_seed(7).get_state()
    tensor([7, 0])
    """
    refuse("the state of the random stream is looked at")
    return tensor([self.seed, self.position], dtype=int64)


def _set_state(self: Generator, new_state: Tensor) -> None:
    """Go on where ``get_state`` was called. TypeError for anything that it did not give.

    >>> stream = nbgrad.Generator()
    >>> state = stream.get_state()
    >>> x = nbgrad.rand(3, generator=stream)
    >>> stream.set_state(state)
    >>> bool((nbgrad.rand(3, generator=stream) == x).all())
    True
    """
    _go_on(self, "set_state", new_state, "get_state")


def _go_on(stream: Generator, name: str, new_state: Tensor, source: str) -> None:
    state = tensor_of(name, "new_state", new_state)
    if state.dtype is not int64 or tuple(state.shape) != (2,):
        raise DTypeError(f"{name}(): argument 'new_state' must be what {source} gave: an int64 tensor of 2")
    refuse("a random stream is set")
    stream.seed, stream.position = state.tolist()


for _name, _method in {"get_state": _get_state, "set_state": _set_state}.items():
    setattr(Generator, _name, _method)


def __dir__() -> list[str]:
    """The public names, for completion."""
    return [*__all__]

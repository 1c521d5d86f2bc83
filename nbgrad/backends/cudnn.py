"""``nbgrad.backends.cudnn``: switches that scripts set. Nothing here uses cuDNN, so they change nothing.

Kernels are nbgrad's own on every device, and give the same bits each time.

>>> nbgrad.backends.cudnn.benchmark = True
>>> nbgrad.backends.cudnn.is_available()
False
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["flags", "is_available", "version"]

enabled = True
benchmark = False
benchmark_limit: int | None = 10
deterministic = False
allow_tf32 = True


def is_available() -> bool:
    """False: cuDNN is not used.

    >>> nbgrad.backends.cudnn.is_available()
    False
    """
    return False


def version() -> None:
    """None: cuDNN is not used.

    >>> nbgrad.backends.cudnn.version()
    """


@contextmanager
def flags(
    enabled: bool = False,
    benchmark: bool = False,
    benchmark_limit: int | None = 10,
    deterministic: bool = False,
    allow_tf32: bool = True,
) -> Iterator[None]:
    """A context with other switches.

    >>> with nbgrad.backends.cudnn.flags(deterministic=True):
    ...     nbgrad.backends.cudnn.deterministic
    True
    """
    given, here = locals().copy(), globals()
    before = {name: here[name] for name in given}
    here |= given
    try:
        yield
    finally:
        here |= before


def __dir__() -> list[str]:
    """The public names, for completion."""
    return [*__all__, "allow_tf32", "benchmark", "benchmark_limit", "deterministic", "enabled"]

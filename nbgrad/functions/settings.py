"""Settings that programs ask for: some mean something here, the others are accepted where they change nothing."""

from __future__ import annotations

from math import inf
from typing import Any, Final

from nbgrad.calls.arguments import flag_of, float_of, int_of, word_of
from nbgrad.config import are_deterministic_algorithms_enabled, use_deterministic_algorithms
from nbgrad.errors import ArgumentError, DTypeError, RunError
from nbgrad.runtime.pool import get_num_threads
from nbgrad.tensor.printing import OPTIONS

_PROFILES: Final[dict[str, dict[str, Any]]] = {
    "default": {"precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80},
    "short": {"precision": 2, "threshold": 1000, "edgeitems": 2, "linewidth": 80},
    "full": {"precision": 4, "threshold": inf, "edgeitems": 3, "linewidth": 80},
}


def set_printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> None:
    """How tensors print: digits after the point, from how many elements on they are summarised, how many stand at each
    end then, how long a line is, and whether numbers are written with powers of ten (None: where they ask for it).

    What is not given stays, but for ``sci_mode``. ``profile`` "default", "short" or "full" sets all. ValueError for
    another one.

    >>> nbgrad.set_printoptions(precision=2)
    >>> nbgrad.tensor([1 / 3])
    tensor([0.33])
    >>> nbgrad.set_printoptions(profile="default")
    """
    name = "set_printoptions"
    if profile is not None:
        if word_of(name, "profile", profile) not in _PROFILES:
            raise ArgumentError(f"{name}(): profile must be 'default', 'short' or 'full', not {profile!r}")
        for option, value in _PROFILES[profile].items():
            setattr(OPTIONS, option, value)
    given = {"precision": precision, "edgeitems": edgeitems, "linewidth": linewidth}
    checked: dict[str, Any] = {k: int_of(name, k, v) for k, v in given.items() if v is not None}
    if threshold is not None:
        checked["threshold"] = float_of(name, "threshold", threshold)
    for option, value in checked.items():
        if not value >= 0:
            raise ArgumentError(f"{name}(): {option} must not be negative, got {value}")
    wanted = None if sci_mode is None else flag_of(name, "sci_mode", sci_mode)
    for option, value in checked.items():
        setattr(OPTIONS, option, value)
    OPTIONS.sci_mode = wanted


_MODES = {"default": 0, "warn": 1, "error": 2}


def get_num_interop_threads() -> int:
    """How many threads run operations beside each other: those of ``get_num_threads``, as they share one pool.

    >>> nbgrad.get_num_interop_threads() == nbgrad.get_num_threads()
    True
    """
    return get_num_threads()


def set_num_interop_threads(num: int, /) -> None:
    """Changes nothing: there is one pool of threads (``set_num_threads``). RuntimeError for fewer than one.

    >>> nbgrad.set_num_interop_threads(2)
    """
    if int_of("set_num_interop_threads", "num", num) < 1:
        raise RunError("expected positive number of threads")


def is_deterministic_algorithms_warn_only_enabled() -> bool:
    """Whether what is not deterministic only warns: nothing is so that there would be a warning.

    >>> nbgrad.is_deterministic_algorithms_warn_only_enabled()
    False
    """
    return False


def get_deterministic_debug_mode() -> int:
    """2 where ``use_deterministic_algorithms`` is on, otherwise 0.

    >>> nbgrad.get_deterministic_debug_mode() in (0, 2)
    True
    """
    return 2 if are_deterministic_algorithms_enabled() else 0


def set_deterministic_debug_mode(debug_mode: Any) -> None:
    """``use_deterministic_algorithms`` for "warn" (1) and "error" (2), and not for "default" (0). RuntimeError for
    others.

    >>> nbgrad.set_deterministic_debug_mode(nbgrad.get_deterministic_debug_mode())
    """
    if not isinstance(debug_mode, (int, str)) or isinstance(debug_mode, bool):
        raise DTypeError(f"debug_mode must be str or int, but got {type(debug_mode).__name__}")
    mode = _MODES.get(debug_mode) if isinstance(debug_mode, str) else debug_mode
    if mode not in (0, 1, 2):
        raise RunError(f"invalid value of debug_mode, expected one of `default`, `warn`, `error`, got {debug_mode!r}")
    use_deterministic_algorithms(mode > 0)


_warns_always = [False]


def is_warn_always_enabled() -> bool:
    """What ``set_warn_always`` was told.

    >>> nbgrad.is_warn_always_enabled()
    False
    """
    return _warns_always[0]


def set_warn_always(b: bool) -> None:
    """Changes nothing: Python's ``warnings`` says how often one is shown.

    >>> nbgrad.set_warn_always(False)
    """
    _warns_always[0] = flag_of("set_warn_always", "b", b)


def set_flush_denormal(mode: bool) -> bool:
    """False: numbers too small for a full fraction are never taken for 0.

    >>> nbgrad.set_flush_denormal(False)
    False
    """
    flag_of("set_flush_denormal", "mode", mode)
    return False

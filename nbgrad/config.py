"""Every switch of nbgrad: read from the environment at import, overridden in code with ``config.override``.

    NBGRAD_LOG          words from graph,grad,fuse,tape,memory,code,llvm,asm,cache,time,compile, or all: the stages to
                        print
    NBGRAD_LOG_DIR      a folder: print the stages into files there, one folder a step, instead of to stderr
    NBGRAD_CHECK        1: verify the graph after each pass, and the tape before it runs
    NBGRAD_INTERPRET    1: run the graph in NumPy, without a compiler
    NBGRAD_PASSES       passes to leave out: -fuse,-merge
    NBGRAD_COMPILE      background (default): fused kernels are made in a worker process while the program goes on;
                        eager: made at once, the program waits; never: no fused kernels, one kernel per operator
    NBGRAD_CACHE_DIR    where compiled kernels are kept (default $XDG_CACHE_HOME/nbgrad or ~/.cache/nbgrad)
    NBGRAD_CACHE_BYTES  how large that folder may grow before the longest unused kernels go (default 1 GiB)
    NBGRAD_NUM_THREADS  threads that work on one tape (default: the cores this process or its container may use)
    NBGRAD_LAPACK_THREADS
                        threads of OpenBLAS in each call of LAPACK (default 1). More pay for large matrices on idle
                        cores; small ones take longer, and bits depend on it. Read when LAPACK is first called
    NBGRAD_DETERMINISTIC
                        1 (default): the same bits each time; 0: GPUs may add what goes to one place through indices in
                        any order
    NBGRAD_CUDA         auto (default): GPUs are used where there are any; off: there are none; simulated: this
                        machine's processor stands for two, so that programs for GPUs can be tested
    NBGRAD_CUDA_COMPILER
                        llvm (default): LLVM compiles a GPU's kernels; numba: what the worker process makes of them are
                        ``@cuda.jit`` kernels, by numba-cuda. Read when a GPU is first asked for a kernel

Settings belong to the whole process, all threads included.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from typing import Any, Final, Literal, NamedTuple, cast

from nbgrad.errors import ArgumentError, DTypeError
from nbgrad.system.cores import available_cores
from nbgrad.system.imports import import_module

__all__ = [
    "Settings",
    "are_deterministic_algorithms_enabled",
    "override",
    "reload",
    "settings",
    "use_deterministic_algorithms",
]

LOG_WORDS: Final = ("graph", "grad", "fuse", "tape", "code", "llvm", "asm", "cache", "time", "compile", "memory")
# Those that may be left out with the same answer.
PASSES: Final = (
    "fold",
    "merge",
    "components",
    "sink",
    "absorb",
    "scatter",
    "embed",
    "collect",
    "snapshot",
    "fuse",
    "plan",
    "rounds",
)
COMPILE_MODES: Final = ("background", "eager", "never")
CUDA_MODES: Final = ("auto", "off", "simulated")
CUDA_COMPILERS: Final = ("llvm", "numba")
GIB: Final = 1 << 30

CompileMode = Literal["background", "eager", "never"]


MOST_THREADS: Final = 1024  # far above any machine this is worth on, and far below what crashes one


@dataclass(slots=True)
class Settings:
    """The switches as typed values; ``passes`` holds the names of those left out."""

    log: frozenset[str]
    log_dir: str | None
    check: bool
    interpret: bool
    passes: frozenset[str]
    compile: CompileMode
    cache_dir: str
    cache_bytes: int
    num_threads: int
    lapack_threads: int
    deterministic: bool
    cuda: str
    cuda_compiler: str

    def runs(self, name: str) -> bool:
        """Whether the pass ``name`` takes part."""
        return name not in self.passes


class Switch(NamedTuple):
    """How one setting is read: the variable, its reader, and what an unset or empty variable means."""

    variable: str
    read: Callable[[str, object], Any]
    default: Callable[[Mapping[str, str]], Any]


def _flag(name: str, value: object) -> bool:
    if isinstance(value, bool):
        return value
    words = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}
    if str(value).lower() in words:
        return words[str(value).lower()]
    raise _bad(name, value, "1 or 0")


def _split(value: object) -> list[str]:
    if isinstance(value, str):
        return [word.strip() for word in value.split(",") if word.strip()]
    return [str(word) for word in cast("Iterator[object]", value)]


def _log_words(name: str, value: object) -> frozenset[str]:
    words = frozenset(_split(value))
    for word in words - {*LOG_WORDS, "all"}:
        raise _bad(name, word, f"all, or any of {', '.join(LOG_WORDS)}")
    return frozenset(LOG_WORDS) if "all" in words else words


def _left_out(name: str, value: object) -> frozenset[str]:
    words = _split(value)
    if isinstance(value, str):
        for word in words:
            if not word.startswith("-"):
                raise _bad(name, word, f"passes to leave out, each after a minus: {', '.join(f'-{p}' for p in PASSES)}")
    names = frozenset(word.removeprefix("-") for word in words)
    for word in names - set(PASSES):
        raise _bad(name, word, f"any of {', '.join(f'-{p}' for p in PASSES)}")
    return names


def _one_of(choices: Sequence[str]) -> Callable[[str, object], str]:
    """A reader of one word out of ``choices``."""

    def read_word(name: str, value: object) -> str:
        if value not in choices:
            raise _bad(name, value, f"one of {', '.join(choices)}")
        return str(value)

    return read_word


def _count(name: str, value: object) -> int:
    try:
        count = int(cast("str", value))
    except (TypeError, ValueError):
        count = 0
    if count < 1 or isinstance(value, bool | float):
        raise _bad(name, value, "a whole number, 1 or more")
    return count


def _threads(name: str, value: object) -> int:
    count = _count(name, value)
    if count > MOST_THREADS:
        raise _bad(name, value, f"at most {MOST_THREADS}: more only wait for each other")
    return count


def _folder(name: str, value: object) -> str | None:
    if value is None:
        return None
    return os.path.abspath(os.path.expanduser(os.fspath(cast("str", value))))


def _bad(name: str, value: object, choices: str) -> ArgumentError:
    return ArgumentError(f"{name}={value}: expected {choices}")


def _default_cache_dir(environ: Mapping[str, str]) -> str:
    root = environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(root, "nbgrad")


_READ_BY_TESTS: Final = ("NBGRAD_FUZZ", "NBGRAD_ORACLE", "NBGRAD_TEST_DEVICES")

SWITCHES: Final[dict[str, Switch]] = {
    "log": Switch("NBGRAD_LOG", _log_words, lambda _: frozenset()),
    "log_dir": Switch("NBGRAD_LOG_DIR", _folder, lambda _: None),
    "check": Switch("NBGRAD_CHECK", _flag, lambda _: False),
    "interpret": Switch("NBGRAD_INTERPRET", _flag, lambda _: False),
    "passes": Switch("NBGRAD_PASSES", _left_out, lambda _: frozenset()),
    "compile": Switch("NBGRAD_COMPILE", _one_of(COMPILE_MODES), lambda _: "background"),
    "cache_dir": Switch("NBGRAD_CACHE_DIR", _folder, _default_cache_dir),
    "cache_bytes": Switch("NBGRAD_CACHE_BYTES", _count, lambda _: GIB),
    "num_threads": Switch("NBGRAD_NUM_THREADS", _threads, lambda _: available_cores()),
    "lapack_threads": Switch("NBGRAD_LAPACK_THREADS", _threads, lambda _: 1),
    "deterministic": Switch("NBGRAD_DETERMINISTIC", _flag, lambda _: True),
    "cuda": Switch("NBGRAD_CUDA", _one_of(CUDA_MODES), lambda _: "auto"),
    "cuda_compiler": Switch("NBGRAD_CUDA_COMPILER", _one_of(CUDA_COMPILERS), lambda _: "llvm"),
}


def read(environ: Mapping[str, str]) -> Settings:
    """The settings that ``environ`` asks for; a value outside its choices raises ``ArgumentError``."""
    values = {}
    for field, switch in SWITCHES.items():
        text = environ.get(switch.variable, "")
        values[field] = switch.read(switch.variable, text) if text else switch.default(environ)
    return Settings(**values)


def unknown_switches(environ: Mapping[str, str]) -> list[str]:
    """What to say of variables that begin with NBGRAD_ and that nothing reads: most likely misspelt switches."""
    known = [switch.variable for switch in SWITCHES.values()]
    said = []
    for name in sorted(environ):
        if name.startswith("NBGRAD_") and name not in (*known, *_READ_BY_TESTS):
            close = import_module("difflib").get_close_matches(name, known, 1, 0.8)
            advice = f"did you mean {close[0]}?" if close else f"expected one of {', '.join(known)}"
            said.append(f"{name} is set, but nbgrad has no such switch: {advice}")
    return said


def reload() -> None:
    """Read the environment again into ``settings``."""
    _assign(read(os.environ))


_PLANNED_WITH: Final = ("compile", "passes", "deterministic")  # what plans made before a change do not know
_listeners: list[Callable[[], None]] = []


def on_change(listener: Callable[[], None]) -> None:
    """Have ``listener`` called whenever a switch changes that plans are made with."""
    _listeners.append(listener)


def _set(values: Mapping[str, object]) -> None:
    changed = [field for field, value in values.items() if getattr(settings, field) != value]
    for field in changed:
        setattr(settings, field, values[field])
    if any(field in _PLANNED_WITH for field in changed):
        tell()


def tell() -> None:
    """Something changed that what was compiled took for fixed: have it made anew."""
    for listener in _listeners:
        listener()


def _assign(new: Settings) -> None:
    _set({field.name: getattr(new, field.name) for field in fields(Settings)})


@contextmanager
def override(**values: object) -> Iterator[Settings]:
    """Change switches inside a ``with`` block: ``override(compile="eager", passes="-fuse", check=True)``.

    Values are written as in the environment, or given as what they mean.
    """
    read_values = {}
    for field, value in values.items():
        if field not in SWITCHES:
            raise ArgumentError(f"no switch {field}: expected any of {', '.join(SWITCHES)}")
        read_values[field] = SWITCHES[field].read(field, value)
    before = {field: getattr(settings, field) for field in read_values}
    try:
        _set(read_values)
        yield settings
    finally:
        _set(before)


def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """Whether every operation gives the same bits each time, as it does unless this is called with False.

    Then GPUs add up what goes to one place through indices (the gradient of an embedding, ``index_add``) in the order
    in which it comes, which is faster. Everything has a deterministic form, so there is nothing that ``warn_only``
    could warn of. TypeError for what is no bool.

    >>> nbgrad.use_deterministic_algorithms(False)
    >>> nbgrad.are_deterministic_algorithms_enabled()
    False
    >>> nbgrad.use_deterministic_algorithms(True)
    """
    for name, value in (("mode", mode), ("warn_only", warn_only)):
        if not isinstance(value, bool):
            raise DTypeError(f"use_deterministic_algorithms(): {name} must be bool, not {type(value).__name__}")
    _set({"deterministic": mode})


def are_deterministic_algorithms_enabled() -> bool:
    """Whether every operation gives the same bits each time, see ``use_deterministic_algorithms``.

    >>> nbgrad.are_deterministic_algorithms_enabled()
    True
    """
    return settings.deterministic


settings: Final = read(os.environ)


def __dir__() -> list[str]:
    """The public names, for completion."""
    return [*__all__]

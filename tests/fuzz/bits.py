"""Random programs give the same bits whatever compiles them, whichever pass is left out, on any number of threads, and
whether or not somebody looks.

python -m tests.fuzz.bits FIRST COUNT
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random
from typing import Any

import nbgrad as nb
from nbgrad.config import PASSES
from tests.fuzz.campaign import Difference, campaign
from tests.fuzz.programs import Run, Vocabulary, Writer
from tests.fuzz.reference import is_fair, reference
from tests.fuzz.views import gist

Settings = dict[str, Any]
SETTINGS: list[Settings] = [  # "look": at everything, after each line
    {"compile": "never", "look": True},
    {"compile": "eager"},
    {"compile": "background"},
    {"compile": "eager", "check": True},
    {"compile": "never", "check": True, "num_threads": 1},
    {"compile": "eager", "num_threads": 1},
    {"compile": "eager", "num_threads": 2},
    *({"compile": "eager", "passes": f"-{name}"} for name in PASSES),
    {"compile": "eager", "passes": ",".join(f"-{name}" for name in PASSES)},
]
PLAIN: Settings = {"compile": "never"}
TIMES = 3  # first, with a plan, and with what was compiled meanwhile
AT_ONCE = 4  # settings that one program runs under, besides


def bits(lines: Sequence[str], settings: Settings) -> list[tuple[str, Any]]:
    """All that a program computes, to the bit, each time that it runs."""
    found: list[tuple[str, Any]] = []
    switches = dict(settings)
    look = switches.pop("look", False)
    with nb.config.override(**switches):
        for _ in range(TIMES):
            run = Run(nb)
            for line in lines:
                outcome = run.do(line)
                if look:
                    [x.tolist() for x in run.tensors.values()]
                found.append(
                    (line, f"{type(outcome.what).__name__}: {gist(str(outcome.what))}" if outcome.what else "")
                )
            found += [(f"look {k}", repr(x)) for k, x in enumerate(run.seen)]
            found += [(name, image(x)) for name, x in run.tensors.items()]
            found += [(f"gradient {k}", [image(x) for x in some]) for k, some in enumerate(run.kept)]
    return found


def image(x: Any) -> Any:
    return None if x is None else (x.requires_grad, tuple(x.shape), x.detach().numpy().tobytes())


def difference(lines: Sequence[str], settings: Sequence[Settings], ignore: str = "^$") -> Difference | None:
    want = bits(lines, PLAIN)
    for some in settings:
        said = ", ".join(f"{name}={value}" for name, value in some.items())
        try:
            got = bits(lines, some)
        except Exception as error:
            return Difference(f"{said}: {type(error).__name__}: {gist(str(error))}", str(error)[:300])
        for (what, mine), (other, theirs) in zip(got, want, strict=False):
            if (what, mine) != (other, theirs):
                kind = f"{said}: {re.sub(r'[0-9]+', '', what) if ' = ' not in what else 'error'}"
                if not re.search(ignore, kind):
                    return Difference(kind, f"{what}: {mine!r:.120} instead of {theirs!r:.120}")
    return None


def settings_of(lines: Sequence[str]) -> list[Settings]:
    r = Random(lines[0])
    return [SETTINGS[0], SETTINGS[1 + r.randrange(2)], *r.sample(SETTINGS[3:], AT_ONCE - 2)]


def write(seed: int, without: str = "^$") -> list[str]:
    words = Vocabulary(quiet=seed % 2 > 0, modes=seed % 3 > 0, refusals=False, large=seed % 4 > 0, without=without)
    return [f"# {seed}", *Writer(seed, 16, reference(), words).write_all()]


class Bits:
    """The tool's view of a program. Its first line, a comment, stays: it says which settings are tried."""

    def __init__(self, ignore: str, without: str) -> None:
        self.ignore, self.without = ignore, without

    def write(self, seed: int) -> list[str]:
        return write(seed, self.without)

    def difference(self, lines: Sequence[str]) -> Difference | None:
        return difference(lines, settings_of(lines), self.ignore)

    def is_fair(self, lines: Sequence[str]) -> bool:
        return lines[0].startswith("#") and is_fair(lines, reference())


if __name__ == "__main__":
    campaign("tests.fuzz.bits", Bits)

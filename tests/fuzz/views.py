"""Random plain programs beside PyTorch.

python -m tests.fuzz.views FIRST COUNT     # prints in what nbgrad differs, in short programs
"""

from __future__ import annotations

import gc
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

import nbgrad as nb
from tests.fuzz.campaign import Difference, campaign
from tests.fuzz.programs import Outcome, Run, Vocabulary, Writer
from tests.fuzz.reference import Reference, is_fair, reference

ERRORS = (NotImplementedError, RuntimeError, IndexError, TypeError, ValueError)  # what a user would catch
ASKED = ("requires_grad", "is_leaf")


class Story(NamedTuple):
    """All that could be seen of a program."""

    outcomes: list[Outcome]
    seen: list[Any]
    made: list[dict[str, Any]]  # after each line: shape and dtype of what is new, and of which name it is another
    end: dict[str, Any]


def tell(library: Any, lines: Sequence[str], reference: Reference | None = None) -> Story:
    """Run a program; ask everything at its end, but not for flags that ``reference``, which runs it, sets aside."""
    run = Run(library)
    outcomes, made = [], []
    known: dict[str, int] = {}
    versions: dict[str, int] = {}
    for line in lines:
        outcome = run.do(line)
        if reference is not None and outcome.what and reference.set_aside(outcome.what, line, run.space):
            outcome = outcome._replace(kind="aside")  # it was accepted when the reference had been asked for a place
        outcomes.append(outcome)
        new: dict[str, Any] = {}
        for name, x in run.tensors.items():
            if name not in known:
                same = [other for other, i in known.items() if i == id(x) and other in run.space]
                new[name] = (tuple(x.shape), str(x.dtype).split(".")[-1], *same)
                known[name] = id(x)
                versions[name] = 0 if reference is None else reference.version(x)
        made.append(new)
    end: dict[str, Any] = {}
    tensors = run.tensors
    for what in ASKED:
        end |= {f"{name}.{what}": asked(x, what) for name, x in tensors.items()}
    if reference is not None:
        aside = [(name, what) for name, x in tensors.items() for what in reference.not_asked(x, versions[name])]
        end |= {f"{name}.{what}": "refused" for name, what in aside}
    end |= {f"{name} value": x.detach().tolist() for name, x in tensors.items()}
    end |= {f"{name}.grad": gradient(x) for name, x in tensors.items()}
    end |= {f"kept {k}": [None if x is None else x.tolist() for x in some] for k, some in enumerate(run.kept)}
    arrays = {name: x for name, x in run.space.items() if name[0] == "n" and name[1:].isdigit()}
    end |= {f"{name} array": x.tolist() for name, x in arrays.items()}
    return Story(outcomes, run.seen, made, end)


def asked(x: Any, what: str) -> Any:
    try:
        return getattr(x, what)
    except RuntimeError:
        return "refused"


def gradient(x: Any) -> Any:
    try:
        is_kept = x.is_leaf or getattr(x, "retains_grad", False)
        return x.grad.tolist() if is_kept and x.grad is not None else None
    except RuntimeError:
        return "refused"


def close(a: Any, b: Any, rtol: float) -> bool:
    if isinstance(a, (bool, str)) or isinstance(b, (bool, str)):
        return bool(a == b)
    if a is None or b is None:
        return a is b
    if isinstance(a, list) and isinstance(b, list) and any(x is None or isinstance(x, list) for x in a + b):
        return len(a) == len(b) and all(close(x, y, rtol) for x, y in zip(a, b, strict=True))
    x, y = np.asarray(a, float), np.asarray(b, float)
    return x.shape == y.shape and bool(np.allclose(x, y, rtol=rtol, atol=rtol, equal_nan=True))


def error_class(error: Exception) -> type[Exception]:
    return next((c for c in ERRORS if isinstance(error, c)), type(error))


def gist(text: str) -> str:
    """An error's first words, without numbers and names."""
    return re.sub(r"\d+|'[^']*'", "#", text.split("\n")[0])[:70]


def differences(ours: Story, theirs: Story, lines: Sequence[str]) -> Iterator[Difference]:
    """All differences, up to a line that only one of both accepts."""
    rtol = 2e-4 if any(re.search("float32|int64|bool", line) for line in lines) else 1e-8
    for line, mine, their, a, b in zip(lines, ours.outcomes, theirs.outcomes, ours.made, theirs.made, strict=True):
        text = f"{type(mine.what).__name__}: {gist(str(mine.what))}"
        if their.kind == "aside":
            return
        if mine.kind != their.kind:
            if mine.kind == "refused":
                yield Difference(f"refused: {text}", f"at {line}: {text}; PyTorch accepts it")
            else:
                yield Difference(f"not refused: {gist(str(their.what))}", f"at {line}: PyTorch: {their.what!s:.99}")
            return
        if mine.kind == "refused" and not isinstance(mine.what, error_class(their.what)):
            yield Difference(f"error class: {text}", f"at {line}: {text}; PyTorch: {type(their.what).__name__}")
        if a != b:
            kind = "shape" if any(x[:2] != y[:2] for x, y in zip(a.values(), b.values(), strict=True)) else "identity"
            yield Difference(kind, f"at {line}: {a}; PyTorch: {b}")
    for k, (x, y) in enumerate(zip(ours.seen, theirs.seen, strict=True)):
        if not close(x, y, rtol):
            yield Difference("flag" if isinstance(x, bool) else "look", f"look {k}: {x}; PyTorch: {y}")
    for what, x in ours.end.items():
        y = theirs.end[what]
        if not close(x, y, rtol) and y != "refused":  # ours says what it is
            yield Difference(re.sub(r"\d+", "", what), f"{what}: {x}; PyTorch: {y}")


def difference(lines: Sequence[str], reference: Any, times: int = 2, ignore: str = "^$") -> Difference | None:
    """In what nbgrad differs, when it runs the program first or again."""
    theirs = tell(reference.module, lines, reference)
    for time in range(times):
        try:
            ours = tell(nb, lines)
        except Exception as error:  # at the end, where all is asked
            kind = f"at the end: {type(error).__name__}: {gist(str(error))}"
            if re.search(ignore, kind):
                continue
            return Difference(kind, str(error)[:300])
        for found in differences(ours, theirs, lines):
            if not re.search(ignore, found.kind):
                return found._replace(detail=f"run {time + 1}: {found.detail}")
    return None


VOCABULARIES = (
    Vocabulary(),
    Vocabulary(quiet=True),
    Vocabulary(custom=False, optimizers=False, exports=False, inference=False),
    Vocabulary(quiet=True, refusals=False),
    Vocabulary(graded=True),
    Vocabulary(graded=True, quiet=True, refusals=False),
)


def write(seed: int, reference: Any, without: str = "^$") -> list[str]:
    words = VOCABULARIES[seed % len(VOCABULARIES)]._replace(without=without)
    size = (12, 20, 30)[seed // len(VOCABULARIES) % 3]
    lines = Writer(seed, size, reference, words).write_all()
    gc.collect(0)
    return lines


class Views:
    """The tool's view of a program: how it is written, compared and shortened."""

    def __init__(self, ignore: str, without: str) -> None:
        self.reference, self.ignore, self.without = reference(), ignore, without

    def write(self, seed: int) -> list[str]:
        return write(seed, self.reference, self.without)

    def difference(self, lines: Sequence[str]) -> Difference | None:
        return difference(lines, self.reference, ignore=self.ignore)

    def is_fair(self, lines: Sequence[str]) -> bool:
        return is_fair(lines, self.reference)


if __name__ == "__main__":
    campaign("tests.fuzz.views", Views)

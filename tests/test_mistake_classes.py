"""What is wrong in PyTorch is wrong here, with an error that PyTorch's users catch, at the user's line; and what comes
next is right.

The lines and PyTorch's classes stand in ``fixtures/mistakes.txt``, see ``mistakes.py``. Names that nbgrad lacks count
as told: the error says so.
"""

from __future__ import annotations

import builtins
import linecache
import traceback
import warnings
from itertools import groupby
from typing import Any

import pytest

import nbgrad as nb
import nbgrad.utils.checkpoint
from nbgrad.errors import NbgradError
from tests.mistakes import TABLE, mistakes, run

FILE = "<mistake>"

# Lines that nbgrad takes, by why.
TAKEN = {
    "a dtype by its name": {f"torch.{name}(2, dtype='float32')" for name in ("zeros", "ones", "empty", "rand", "randn")}
    | {"torch.tensor([1], dtype='int')", "x.to(dtype='int')"},
    "an int for a shape": {"x.unflatten(1, 3)", "torch.randint(0, 5, 3)", "F.layer_norm(x, 3)"},
    "a list as what is assigned": {"x[:, :2] = [1.0, 2.0]"},
    "log is also what prints stages": {"torch.log('a')"},
    "a memory format is not looked at": {"x.cpu('a')"},
}

# Lines whose error is of another class, which says better what is wrong, or is that of all such mistakes here.
OTHERWISE = {
    **dict.fromkeys(["x[0] = [1.0, 2.0]", "x[i] = [1.0, 2.0]", "x.movedim((0, 1), 0)"], RuntimeError),
    **dict.fromkeys(["torch.baddbmm(x, x, x)", "F.avg_pool2d(s, 2)", "F.cross_entropy(s, i)"], RuntimeError),
    **dict.fromkeys(["F.nll_loss(s, i)", "torch.autograd.Function.apply(w)"], RuntimeError),
    **dict.fromkeys(["F.cross_entropy(x, v)", "F.nll_loss(x, v)", "nn.NLLLoss(reduction='bad')(x, x)"], TypeError),
    **dict.fromkeys(["nn.utils.clip_grad_norm_(p, 'a')", "torch.autograd.gradcheck(len, 3)"], TypeError),
    **dict.fromkeys(["torch.func.jvp(torch.sin, (), ())"], TypeError),  # of the user's function
    **dict.fromkeys(["torch.tensor([1, [2]])", "torch.func.jacfwd(torch.sin)('a')"], ValueError),
    "nn.ParameterDict()['a']": KeyError,
    **dict.fromkeys(["x['a']", "x['a'] = 1.0"], IndexError),  # as PyTorch had it for long
    **{
        f"torch.optim.{name}([p], lr=0.1).load_state_dict({{}})": RuntimeError
        for name in ("SGD", "Adam", "AdamW", "RMSprop", "Adagrad")
    },
}

# Python's own errors, as far as they say what is wrong.
PLAIN = (AttributeError, KeyError, NotImplementedError)
CALLS = ("missing", "positional argument", "unexpected keyword argument", "object is not callable")


def families() -> dict[str, list[str]]:
    rows = TABLE.read_text(encoding="utf-8").split("# ")[1:]
    return {rows.partition("\n")[0]: rows.partition("\n")[2].splitlines() for rows in rows}


def look(value: Any) -> None:
    """Some errors depend on values."""
    if isinstance(value, nb.Tensor):
        value.detach().tolist()
    elif isinstance(value, (list, tuple)):
        for item in value:
            look(item)
    elif isinstance(value, dict):
        look([item for name, item in value.items() if not name.startswith("__")])


def problem_of(line: str, theirs: str) -> str:
    """What is wrong with what nbgrad says to a line; "" where nothing is."""
    linecache.cache[FILE] = (len(line), None, [line], FILE)
    taken = any(line in lines for lines in TAKEN.values())
    try:
        look(run(line, nb, FILE))
    except Exception as error:
        return "it is no longer taken" if taken else problem_with(error, OTHERWISE.get(line), theirs)
    return "" if taken else f"no error, but {theirs} in PyTorch"


def problem_with(error: Exception, ours: type[Exception] | None, theirs: str) -> str:
    text, name = str(error), f"{type(error).__name__}: {error}"
    frames = [frame.filename for frame in traceback.extract_tb(error.__traceback__)]
    if any("/numba/core/" in file or "/llvmlite/" in file for file in frames):
        return f"the compiler's {name}"
    if isinstance(error, AttributeError) and "has no attribute" in text:
        return ""
    if isinstance(error, NbgradError):
        if f"in {FILE}, line 1" not in text and f"in {FILE}:1" not in text:
            return f"no line: {name}"
    elif not text or not (frames[-1] == FILE or isinstance(error, PLAIN) or any(words in text for words in CALLS)):
        return f"from inside: {name}"
    expected = {
        "AssertionError": NbgradError,  # PyTorch's way to check arguments, here and there
        "NotImplementedError": RuntimeError,  # it is one
        "AttributeError": (AttributeError, TypeError),  # PyTorch takes any object for a tensor, and trips over it
    }.get(theirs, getattr(builtins, theirs))
    return "" if isinstance(error, ours or expected) else f"{name}, but {theirs} in PyTorch"


@pytest.mark.parametrize("family", families())
def test_a_mistake_has_the_class_of_pytorch_and_harms_nothing(family: str) -> None:
    found = dict(mistakes())
    lines = [row[20:] for row in families()[family] if row]
    problems = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for line in lines:
            if problem := problem_of(line, found[line]):
                problems.append(f"{line}\n    {problem}")
            w = nb.tensor([1.0, 2.0], requires_grad=True)
            (w * w).sum().backward()
            if w.grad.tolist() != [2.0, 4.0]:
                problems.append(f"{line}\n    what comes next is wrong")
    assert not problems, "\n".join(problems)


def test_the_table_is_large_and_has_each_line_once() -> None:
    lines = [line for line, _ in mistakes()]
    twice = [line for line, group in groupby(sorted(lines)) if len([*group]) > 1]
    assert not twice and len(lines) > 1500
    known = {*OTHERWISE, *[line for group in TAKEN.values() for line in group]}
    assert known <= set(lines), known - set(lines)

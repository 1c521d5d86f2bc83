"""What random programs are written beside: PyTorch, or where it is not installed the model of it in model.py."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.util import find_spec
from types import MappingProxyType
from typing import Any

import numpy as np

from tests.fuzz import model
from tests.fuzz.programs import Vocabulary, Writer

WRITTEN = re.compile(r"^(?:with .*: )?(t\d+)(?:\.\w+_\(|\[.*\] .?= | .= )")
FLAG_SET = re.compile(r"t\d+\.(?:requires_grad(?:_\(| = )|retain_grad\()")
NEEDS_NO_GRAD = re.compile(r"^(t\d+)\.(?:requires_grad_\(False\)|detach_\(\))")
ALIAS = re.compile(r"= t\d+\.(detach\(\)|data)$")
TO_OTHER_MEMORY = re.compile(r"^(t\d+)\.data = (t\d+)(\.clone\(\))?$")
SHAPES_ANEW = re.compile(r"\.(view|reshape|flatten|view_as)\(|Same")
DECIDES = re.compile(r"> 0\.|\.(round|relu|clamp_?)\(|T\.(bool|int64)")
NAME = re.compile(r"\bt\d+\b")

# What PyTorch refuses and nbgrad computes: saved values are those that were current when an operation was recorded, and
# a write reads all of what it reads before it writes.
COMPUTED_BY_NBGRAD = (
    "modified by an inplace operation",
    "Trying to use a saved tensor that has been detached in-place",
    "some elements of the input tensor and the written-to tensor refer to a single memory location",
    "unsupported operation: some elements of the input tensor",
)
# What PyTorch refuses after it has written or added to gradients, where nbgrad refuses before; and faults of its own.
REFUSED_TOO_LATE = (
    "Inplace update to inference tensor",
    "leaf variable has been moved into the graph interior",
    "INTERNAL ASSERT FAILED",
)
# Of a view that is no leaf, where its base got a history since anybody asked for that of the view.
WRITTEN_UNSEEN = "a leaf Variable that requires grad is being used"
# Of a view that an operation has saved, which asks for its place in the graph: ours has the value.
SAVED_WITH_PLACE = ("its base or another view of its base has been modified inplace",)
# Of a custom function that writes to its input, whose gradient it has forgotten by then.
FORGETS_GRADIENT = "a view of a leaf Variable that requires grad is being used"
# Of a backward that writes to an expanded cotangent.
FAILS_GOING_BACK = ("more than one element of the written-to tensor",)

UNKNOWN_WORDS = ("optimizers", "exports", "inference", "keeps", "large")  # of a vocabulary, to the model
UNKNOWN_TO_MODEL = (
    r"inputs=|swapaxes|movedim|unflatten|Dirty|Part|int64|bool\)|\.to\(|max\(|retain_graph=False|\.data = "
)


class Reference:
    """What is asked of a reference; ``module`` has PyTorch's names."""

    module: Any
    words: Mapping[str, Any] = MappingProxyType({})  # what of a vocabulary it does not know
    writes_overlaps = True  # it writes to what shows one place twice

    def version(self, x: Any) -> int:
        """How often its memory was written."""
        raise NotImplementedError

    def share(self, x: Any, y: Any) -> bool:
        raise NotImplementedError

    def is_view(self, x: Any) -> bool:
        raise NotImplementedError

    def is_dense(self, x: Any) -> bool:
        """Whether what ``x`` is a view of lies in memory in order."""
        return True

    def behind(self, x: Any) -> bool:
        """Whether a derivative goes through ``x``, or ends in it: not where its root requires grad, and it does not."""
        raise NotImplementedError

    def differentiable(self, x: Any) -> bool:
        try:
            return bool(x.requires_grad) and (not self.is_view(x) or self.behind(x))
        except RuntimeError:
            return False

    def is_true_leaf(self, x: Any) -> bool:
        try:
            return bool(x.is_leaf and self.differentiable(x))
        except RuntimeError:
            return False

    def is_computed(self, x: Any) -> bool:
        """Whether a derivative goes through ``x`` to what it was computed from."""
        return self.differentiable(x) and not self.is_true_leaf(x)

    def is_constant(self, x: Any) -> bool:
        """Whether results of ``x`` require grad in PyTorch, with nothing behind them: ours are constants."""
        try:
            return bool(x.requires_grad and self.is_view(x) and not self.behind(x))
        except RuntimeError:
            return False

    def is_orphan(self, x: Any, made: int) -> bool:
        """Whether ``x`` is a view with a history, of what has none any more, or had none while a view of it was a leaf,
        and was written since: it requires grad in PyTorch, with nothing behind. Ours is what was written."""
        raise NotImplementedError

    def has_computed_base(self, x: Any) -> bool:
        return False

    def is_protected(self, x: Any) -> bool:
        """Whether it raises an error to ask for what is behind ``x``."""
        try:
            self.behind(x)
        except RuntimeError:
            return True
        return False

    def is_inference(self, x: Any) -> bool:
        return False

    def has_unseen_history(self, x: Any) -> bool:
        """Whether ``x`` is a view whose base may have got a history since anybody asked for that of the view: then it
        says that it is a leaf, and may be told to require grad, where ours knows better."""
        return False

    def overlaps(self, x: Any) -> bool:
        """Whether ``x`` shows one place twice: the derivative of a write there is wrong in PyTorch."""
        return False

    def spreads(self, x: Any) -> bool:
        """Whether ``x`` is a view, made anew since memory was written, of what shows one place several times: PyTorch
        spreads a gradient over all of these, ours goes to those that the view is of."""
        return False

    def is_view_of(self, x: Any, base: Any) -> bool:
        return False

    def leads_round_kept(self, x: Any, others: Iterable[Any]) -> bool:
        """Whether ``x`` is a view, and another one of the same memory keeps its gradient. What ``x`` was before a write
        has a history that leads there with us, and round it in PyTorch."""
        return self.is_view(x) and any(
            y is not x and getattr(y, "retains_grad", False) and self.is_view(y) and self.share(x, y) for y in others
        )

    def not_asked(self, x: Any, made: int) -> tuple[str, ...]:
        """The flags in which nbgrad deliberately differs; ``made``: how often its memory was written then."""
        if self.is_orphan(x, made):
            return "requires_grad", "is_leaf"
        return ("is_leaf",) if self.is_constant(x) and not x.is_leaf else ()

    def set_aside(self, error: Exception, line: str, space: Mapping[str, Any]) -> bool:
        texts = COMPUTED_BY_NBGRAD + REFUSED_TOO_LATE
        if "Dirty" in line:
            texts += (FORGETS_GRADIENT,)
        if "grad" in line or "backward" in line:
            texts += FAILS_GOING_BACK
            named = [space[name] for name in NAME.findall(line) if name in space]
            if not any(self.is_protected(x) for x in named):
                texts += SAVED_WITH_PLACE
        written = WRITTEN.search(line)
        if written and str(error).startswith(WRITTEN_UNSEEN) and self.has_computed_base(space[written[1]]):
            return True
        return any(text in str(error) for text in texts)

    def set_aside_before(self, writer: Any, line: str) -> bool:
        """Whether nbgrad deliberately does something else with ``line``, though PyTorch accepts it."""
        space = writer.run.space
        if not all(name in space for name in NAME.findall(line.partition(" = ")[2])):
            return False  # the line that made it was left out
        moved, written = TO_OTHER_MEMORY.match(line), WRITTEN.match(line)
        if written and written[1] not in space:
            written = None
        tensors = writer.run.tensors.values()
        if moved and moved[1] in space and any(self.is_view_of(x, space[moved[1]]) for x in tensors):
            return True  # its views stay with the old memory, but ask it whether they require grad
        if moved and moved[1] in space and not moved[3] and self.is_computed(space[moved[1]]):
            y = space[moved[2]]
            others = [other for other in tensors if self.share(other, y)]
            if not all((other.shape, other.stride()) == (y.shape, y.stride()) for other in others):
                return True  # what has a derivative is no view of another's memory: it says so
        if written and self.overlaps(space[written[1]]) and self.is_computed(space[written[1]]):
            return True
        if written and self.leads_round_kept(space[written[1]], tensors):
            return True
        told = NEEDS_NO_GRAD.match(line)
        if told and writer.arrays and any(self.is_view_of(x, space[told[1]]) for x in tensors):
            return True  # NumPy may have its memory: its views are read again, and have a history no more
        if "optim.SGD([" in line:
            given = [id(space[name]) for name in NAME.findall(line.split("optim", 1)[1])]
            if len(given) > len({*given}):
                return True  # a parameter given twice has its momentum twice there, which it warns of
        for name in NAME.findall(line):
            x = writer.run.space.get(name)
            if x is None or line.startswith(("look(", "del ")):
                continue
            if FLAG_SET.search(line) and self.has_unseen_history(x):  # before anybody asks for it
                return True
            if FLAG_SET.search(line) and (self.is_constant(x) or self.is_protected(x)):
                return True  # a view of what requires grad is a view, and neither a leaf nor becomes one
            if DECIDES.search(line) and is_almost_even(x):
                return True  # how sums were rounded may decide
            if SHAPES_ANEW.search(line) and not self.is_dense(x):
                return True  # ours are, but for clones
            if not line.startswith("with T.no_grad(): ") and self.is_constant(x):
                return True
            if self.is_orphan(x, writer.made[name]) or self.spreads(x):
                return True
            if self.is_inference(x) and ALIAS.search(line):
                return True  # they may be written anywhere, though they say that they are of inference mode
        return False


class PyTorch(Reference):
    def __init__(self) -> None:
        import torch

        torch.set_num_threads(1)
        warnings.filterwarnings("ignore", module="torch")
        warnings.filterwarnings("ignore", module="<program>")
        self.module = torch

    def version(self, x: Any) -> int:
        return 0 if x.is_inference() else int(x._version)

    def share(self, x: Any, y: Any) -> bool:
        one, other = x.untyped_storage(), y.untyped_storage()
        ends = one.data_ptr() + one.nbytes(), other.data_ptr() + other.nbytes()
        return bool(max(one.data_ptr(), other.data_ptr()) < min(ends))  # NumPy may have given a part back

    def is_view(self, x: Any) -> bool:
        return bool(x._is_view())

    def is_dense(self, x: Any) -> bool:
        return bool((x._base if x._is_view() else x).is_contiguous())

    def has_computed_base(self, x: Any) -> bool:
        return x._base is not None and not x._base.is_leaf

    def is_orphan(self, x: Any, made: int) -> bool:
        base = x._base
        if base is None or base.requires_grad or not x.requires_grad or self.version(x) == made:
            return False
        return self.is_protected(x) or not x.is_leaf

    def is_inference(self, x: Any) -> bool:
        return bool(x.is_inference())

    def has_unseen_history(self, x: Any) -> bool:
        try:
            return bool(x._is_view() and x.grad_fn is not None)
        except RuntimeError:
            return True  # a protected one that nobody has asked takes itself for a leaf, and is told what it likes

    def spreads(self, x: Any) -> bool:
        return (
            x._base is not None
            and self.overlaps(x._base)
            and not self.is_protected(x)
            and type(x.grad_fn).__name__ == "AsStridedBackward0"
        )

    def is_view_of(self, x: Any, base: Any) -> bool:
        return x._base is base

    def overlaps(self, x: Any) -> bool:
        places = self.module.arange(x.untyped_storage().nbytes() // x.element_size())
        seen = places.as_strided(x.size(), x.stride(), x.storage_offset())
        return len(seen.unique()) < x.numel()

    def behind(self, x: Any) -> bool:
        with self.module.enable_grad():
            function = x.view_as(x).grad_fn
            return function is not None and function.next_functions[0][0] is not None


class Model(Reference):
    module = model
    words = MappingProxyType(dict.fromkeys(UNKNOWN_WORDS, False) | {"without": UNKNOWN_TO_MODEL})

    def version(self, x: Any) -> int:
        return int(x.counter[0])

    def share(self, x: Any, y: Any) -> bool:
        return bool(np.shares_memory(x.array, y.array))

    def is_view(self, x: Any) -> bool:
        return x.base is not None

    def is_orphan(self, x: Any, made: int) -> bool:
        return bool(x.base is not None and not x.base.asks() and x.edge and x.counter[0] != made)

    def behind(self, x: Any) -> bool:
        return x.into() is not None


def is_almost_even(x: Any) -> bool:
    """Whether a number of ``x`` is a multiple of 1/8, from which what is compared is off by no more than roundings."""
    off = np.asarray(x.detach().tolist(), float) * 8.0
    off = np.abs(off - off.round())
    return bool(((off > 0.0) & (off < 1e-5)).any())


@cache
def reference() -> Reference:
    """PyTorch where it is installed."""
    return PyTorch() if find_spec("torch") is not None else Model()


def is_fair(lines: Sequence[str], reference: Reference) -> bool:
    """Whether a shortened program is still one that nbgrad should run as the reference does."""
    writer = Writer(0, 0, reference, Vocabulary())
    for line in lines:
        if reference.set_aside_before(writer, line):
            return False
        error = writer.run.do(line).what
        if error is not None and (isinstance(error, NameError) or reference.set_aside(error, line, writer.run.space)):
            return False
        writer.note(line)
    return True

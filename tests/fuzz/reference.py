"""What random programs are written beside: PyTorch, or where it is not installed the model of it in model.py."""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.util import find_spec
from types import MappingProxyType
from typing import Any

import numpy as np

from tests.fuzz import model
from tests.fuzz.programs import Vocabulary, Writer

SHAPES_ANEW = re.compile(r"\.(view|reshape|flatten|view_as)\(|Same")
NAME = re.compile(r"\bt\d+\b")

# What PyTorch refuses and nbgrad computes: saved values are those that were current when an operation was recorded, and
# a write reads all of what it reads before it writes.
COMPUTED_BY_NBGRAD = (
    "modified by an inplace operation",
    "some elements of the input tensor and the written-to tensor refer to a single memory location",
    "unsupported operation: some elements of the input tensor",
)
# What PyTorch refuses after it has written, where nbgrad refuses before; and faults of its own.
REFUSED_TOO_LATE = ("Inplace update to inference tensor", "INTERNAL ASSERT FAILED")
# Of a backward that writes to an expanded cotangent.
FAILS_GOING_BACK = ("more than one element of the written-to tensor",)

UNKNOWN_TO_MODEL = r"Dirty|max\(|retain_graph=False|\.data = "


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

    def is_constant(self, x: Any) -> bool:
        """Whether results of ``x`` require grad in PyTorch, with nothing behind them: ours are constants."""
        try:
            return bool(x.requires_grad and self.is_view(x) and not self.behind(x))
        except RuntimeError:
            return False

    def set_aside(self, error: Exception, line: str) -> bool:
        texts = (
            COMPUTED_BY_NBGRAD + REFUSED_TOO_LATE + (FAILS_GOING_BACK if "grad" in line or "backward" in line else ())
        )
        return any(text in str(error) for text in texts)

    def set_aside_before(self, writer: Any, line: str) -> bool:
        """Whether nbgrad deliberately does something else with ``line``, though PyTorch accepts it."""
        for name in NAME.findall(line):
            x = writer.run.space.get(name)
            if x is None or line.startswith(("look(", "del ")):
                continue
            if SHAPES_ANEW.search(line) and not self.is_dense(x):
                return True  # ours are, but for clones
            if not line.startswith("with T.no_grad(): ") and self.is_constant(x):
                return True
            above, leaf = name, False  # under a leaf that is a view, PyTorch loses gradients once something is written
            while (above := writer.above.get(above)) is not None:
                leaf = leaf or above in writer.leaf_views
            if leaf and writer.made[name] != self.version(x):
                return True
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
        return bool(x.untyped_storage().data_ptr() == y.untyped_storage().data_ptr())

    def is_view(self, x: Any) -> bool:
        return bool(x._is_view())

    def is_dense(self, x: Any) -> bool:
        return bool((x._base if x._is_view() else x).is_contiguous())

    def behind(self, x: Any) -> bool:
        with self.module.enable_grad():
            function = x.view_as(x).grad_fn
            return function is not None and function.next_functions[0][0] is not None


class Model(Reference):
    module = model
    words = MappingProxyType(
        {"optimizers": False, "exports": False, "inference": False, "large": False, "without": UNKNOWN_TO_MODEL}
    )

    def version(self, x: Any) -> int:
        return int(x.counter[0])

    def share(self, x: Any, y: Any) -> bool:
        return bool(np.shares_memory(x.array, y.array))

    def is_view(self, x: Any) -> bool:
        return x.base is not None

    def behind(self, x: Any) -> bool:
        return x.into() is not None


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
        if error is not None and (isinstance(error, NameError) or reference.set_aside(error, line)):
            return False
        writer.note(line)
    return True

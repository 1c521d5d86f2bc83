"""What to say of a name that is not there: where it is, or how to write what it does.

Of modules: a class with a ``__getattr__`` of its own has slower attributes, those that it has included, so tensors have
none.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import Any, Final

from nbgrad.system.imports import import_module

# What to do instead, by names; * stands for any end of them.
INSTEAD: Final = {
    "nbgrad's complex numbers are complex64 and complex128": "complex32 chalf",
    "nbgrad's floating dtypes are float16, bfloat16, float32 and float64": "float8* float4*",
    "nbgrad's whole numbers are uint8, int8, int16, int32 and int64": "uint16 uint32 uint64",
    "nbgrad has no sparse tensors: index_add and nn.Embedding work on some rows of a dense one": "sparse* SparseAdam "
    "sspaddmm dsmm hspmm spmm smm",
    "nbgrad has no quantized tensors": "quantize* qint* quint* qscheme q_* dequantize int_repr "
    "fake_quantize* quantization ao",
    "nbgrad compiles plain code while it runs; nbgrad.compile runs a function again without recording it": "jit fx "
    "export ScriptModule dynamo _dynamo",
    "with nbgrad.amp.autocast(...): says it for a block of code": "set_autocast* autocast_*",
    "nbgrad works in one process, with its threads; other processes get x.numpy()": "distributed DataParallel "
    "SyncBatchNorm multiprocessing",
    "it is for large sparse matrices: linalg.eigh, or SciPy's lobpcg of x.numpy()": "lobpcg",
    "x.scatter_reduce(0, rows, values, reduce), where rows says to which segment each belongs": "segment_reduce",
    "from_dlpack(x) of the other library": "to_dlpack",
    "nbgrad.__version__": "version",
    "nbgrad has no such part": "hub onnx nested accelerator library types package masked monitor overrides",
    "all tensors are dense and row-major": "channels_last*",
    "nbgrad.profiler.profile times all between start() and stop(); export_chrome_trace(path) writes it": (
        "supported_activities tensorboard_trace_handler emit_nvtx emit_itt"
    ),
    "call the function itself: writes in place are values in what is recorded": "functionalize",
    "nn.GroupNorm, or BatchNorm with track_running_stats=False, goes through vmap": "replace_all_batch_norm_modules_",
    "nbgrad.compile(f) runs a step again as one program": "CUDAGraph make_graphed_callables graph_pool_handle",
    "nbgrad has no such thing: a Function's forward and backward say it all": "NestedIOFunction InplaceFunction",
}


class AbsentError(AttributeError):
    """``owner`` has no ``name``. What to do instead is found when somebody reads the text: most only ask."""

    def __init__(self, owner: str, name: str, known: Iterable[str]) -> None:
        super().__init__(f"{owner} has no attribute {name!r}")
        self._sought, self._known = name, known

    def __reduce__(self) -> tuple[Any, ...]:
        return AttributeError, (str(self),)

    def __str__(self) -> str:
        hint = instead_of(self._sought, self._known)
        return f"{self.args[0]}: {hint}" if hint else str(self.args[0])


def instead_of(name: str, known: Iterable[str]) -> str:
    """What to write instead of ``name``, which is none of ``known``; "" where nothing is known."""
    if name.startswith("__"):
        return ""
    for text, names in INSTEAD.items():
        if any(name == one or (one.endswith("*") and name.startswith(one[:-1])) for one in names.split()):
            return text
    for place, has in _places():
        if place != "x" and name in has:
            return f"{place}.{name} is there"
    methods = dict(_places()).get("x", [])
    if name in methods:
        return f"it is a method: x.{name}(...)"
    if name.endswith("_") and name[:-1] in methods:
        return f"x = x.{name[:-1]}(...) does the same to a name"
    close = import_module("difflib").get_close_matches(name, [*known], 1)
    return f"did you mean {close[0]!r}?" if close else ""


def _places() -> Iterator[tuple[str, list[str]]]:
    """Where names are, and which."""
    for room in ("nbgrad", "nbgrad.nn.functional", "nbgrad.linalg", "nbgrad.nn"):
        if room in sys.modules:
            yield room, [k for k in dir(sys.modules[room]) if not k.startswith("_")]
    tensor = getattr(sys.modules.get("nbgrad.tensor"), "Tensor", None)
    if tensor is not None:
        yield "x", [k for k in dir(tensor) if not k.startswith("_")]

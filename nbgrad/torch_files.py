"""Reading what ``torch.save`` wrote, without running what a pickle says.

Such a file is a zip archive: the memory of each storage is an entry ``data/KEY``, and ``data.pkl`` is a pickle that
says how values are nested. A pickle names functions to call. Here a name is looked up in a small table, whose functions
make the values that ``load`` gives, and none else is found. Nor does a pickle set attributes of anything: it could
change what the names stand for. Source: the comments of torch/serialization.py.
"""

from __future__ import annotations

import io
import math
import pickle
from collections.abc import Callable, Sequence
from operator import index
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple

import numpy as np

from nbgrad.device import Device, as_device
from nbgrad.errors import StateError
from nbgrad.graph.dtypes import DType, by_name
from nbgrad.tensor.described import Size

if TYPE_CHECKING:
    import zipfile

PICKLE: Final = "data.pkl"
# The old name of a storage's class, without "Storage".
_STORAGES: Final = {
    "Float": "float32",
    "Double": "float64",
    "Half": "float16",
    "BFloat16": "bfloat16",
    "ComplexFloat": "complex64",
    "ComplexDouble": "complex128",
    "Byte": "uint8",
    "Char": "int8",
    "Short": "int16",
    "Int": "int32",
    "Long": "int64",
    "Bool": "bool",
}


_PLAIN: Final = (type(None), bool, int, float, complex, str, bytes, Size, DType, Device)
_DEEPEST: Final = 128  # containers in each other
MOST_DIMS: Final = 64  # as NumPy has


class _Memory(NamedTuple):
    array: np.ndarray[Any, Any]
    device: str
    dtype: str  # "" where the array has it


def pickle_in(archive: zipfile.ZipFile) -> str | None:
    """The entry that makes an archive one of ``torch.save``'s."""
    return next((name for name in archive.namelist() if name == PICKLE or name.endswith(f"/{PICKLE}")), None)


def read(archive: zipfile.ZipFile, entry: str, saved: Callable[..., Any]) -> Any:
    """What stands in ``entry``; ``saved(memory, requires_grad, device, (size, stride, offset), number, dtype)`` is a
    tensor. StateError for anything but dicts, lists, tuples, sets, numbers, strings, sizes, dtypes, devices and
    tensors."""
    return _checked(_Unpickler(archive, entry, saved).load(), saved)


def _checked(value: Any, saved: Callable[..., Any], depth: int = 0) -> Any:
    """``value``, in which nothing may be but what ``load`` gives."""
    if depth > _DEEPEST:
        raise StateError(f"containers lie more than {_DEEPEST} deep in each other, or one in itself")
    kind = type(value)
    if kind is dict:
        for key, inner in value.items():
            _checked(key, saved, depth + 1), _checked(inner, saved, depth + 1)
    elif kind in (list, tuple, set):
        for inner in value:
            _checked(inner, saved, depth + 1)
    elif kind not in (*_PLAIN, saved):
        raise StateError(f"it holds a {kind.__name__}, which is no value that is read")
    return value


class _Unpickler(pickle._Unpickler):  # in Python: its memo takes what is there
    def __init__(self, archive: zipfile.ZipFile, entry: str, saved: Callable[..., Any]) -> None:
        super().__init__(io.BytesIO(archive.read(entry)))
        self._archive, self._folder, self._saved = archive, entry.removesuffix(PICKLE), saved
        order = f"{self._folder}byteorder"
        self._is_big = order in archive.namelist() and archive.read(order) == b"big"
        self._known: dict[str, _Memory] = {}
        self._count = 0

    def find_class(self, module: str, name: str) -> Any:
        """What a pickle's global name stands for: a row of this table, or nothing."""
        if module == "torch":
            if name.endswith("Storage") and (kind := name.removesuffix("Storage")) in _STORAGES:
                return by_name(_STORAGES[kind])
            if name in _STORAGES.values():
                return by_name(name)
        found = {
            "torch._utils _rebuild_tensor_v2": lambda *given: self._tensor(*given),
            "torch._utils _rebuild_parameter": lambda data, requires_grad, hooks: data._replace(
                requires_grad=bool(requires_grad)
            ),
            "torch device": lambda *given: as_device(":".join(map(str, given))),
            "torch Size": lambda sizes: Size(map(index, sizes)),
            "collections OrderedDict": lambda *items: dict(*items),
            "collections Counter": lambda *items: dict(*items),
            "builtins set": lambda *items: set(*items),
            "__builtin__ set": lambda *items: set(*items),
        }.get(f"{module} {name}")
        if found is None:
            raise StateError(
                f"it holds {module}.{name}, and no code of a file is run: tensors, numbers, strings and containers are "
                "read; save a state_dict"
            )
        return found

    def load_build(self) -> None:
        """Leave out what a pickle says of an object's attributes: a state dict has some, of versions."""
        self.stack.pop()  # type: ignore[attr-defined]

    dispatch: ClassVar[dict[int, Any]] = {**pickle._Unpickler.dispatch, pickle.BUILD[0]: load_build}

    def persistent_load(self, said: Any) -> _Memory:
        """The memory of a storage: ("storage", dtype, key, device, number of elements)."""
        kind, dtype, key, device, count = said
        if kind != "storage" or not isinstance(dtype, DType):
            raise StateError(f"it holds a {kind} of {dtype}, which is not known")
        if key not in self._known:
            said = "" if dtype.numpy.name == dtype.name else dtype.name
            self._known[key] = _Memory(self._array(key, dtype, count), "" if device == "cpu" else str(device), said)
        return self._known[key]

    def _array(self, key: str, dtype: DType, count: int) -> np.ndarray[Any, Any]:
        name = f"{self._folder}data/{key}"
        there, wanted = self._archive.getinfo(name).file_size, count * dtype.itemsize
        if there != wanted:
            raise StateError(f"{name} has {there} bytes instead of {wanted}")
        found = np.frombuffer(self._archive.read(name), dtype.numpy.newbyteorder(">" if self._is_big else "<"))
        return found.astype(found.dtype.newbyteorder("="), copy=False)

    def _tensor(
        self, memory: _Memory, offset: int, size: Sequence[int], stride: Sequence[int], requires_grad: bool, *_: Any
    ) -> Any:
        if type(memory) is not _Memory or len(size) != len(stride) or len(size) > MOST_DIMS:
            raise StateError("it holds a tensor that is none")
        offset, size, stride = index(offset), [index(n) for n in size], [index(s) for s in stride]
        if requires_grad and memory.array.dtype.kind not in "fc" and memory.dtype != "bfloat16":
            raise StateError("it holds whole numbers that require grad")
        whole = [len(memory.array)]
        reach = offset + sum((n - 1) * s for n, s in zip(size, stride, strict=True)) + 1 if math.prod(size) else offset
        if min((offset, *size, *stride)) < 0 or reach > whole[0]:
            raise StateError(f"a tensor of size {[*size]}, strides {[*stride]} and offset {offset} leaves its storage")
        view = None if [*size] == whole and not offset else (list(size), list(stride), offset)
        self._count += 1
        return self._saved(memory.array, bool(requires_grad), memory.device, view, self._count, memory.dtype)

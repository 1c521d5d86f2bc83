"""Save and load nested dicts of tensors and numbers as one ``.npz`` file. No pickle: loading runs no code. Files of
``torch.save`` are read, too (``torch_files.py``).

The entry "tree" is JSON text that says how the values are nested; each tensor is an array entry of its own, so
``numpy.load`` reads the file as well: bfloat16 as bits. Tensors that share memory have one entry, of all of that
memory; where one of them shows a part, its strides stand in the tree, and the format is 2. Attributes of tensors stand
beside the tree, by numbers that the tensors have in it: they may lead back to them. Then the format is 3.
"""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import IO, TYPE_CHECKING, Any, Final, NamedTuple, cast

import numpy as np

from nbgrad.autograd import no_grad
from nbgrad.calls.arguments import flag_of
from nbgrad.device import as_device
from nbgrad.errors import DTypeError, RunError, StateError
from nbgrad.functions.creation import tensor
from nbgrad.graph.dtypes import bfloat16, by_name
from nbgrad.graph.half import readable
from nbgrad.system.atomic_file import replaced
from nbgrad.system.imports import later
from nbgrad.tensor import Tensor
from nbgrad.torch_files import pickle_in
from nbgrad.torch_files import read as torch_value
from nbgrad.trace import exported, is_alone, refuse, spec_of, whole_behind

if TYPE_CHECKING:
    import zipfile
else:
    zipfile = later("zipfile")

TREE: Final = "tree"
VERSION: Final = 3
_DEEPEST: Final = 128  # containers in containers: reading them back goes as deep, from wherever it is called
_UNUSUAL: Final = re.compile(r"[^\w.~+=@ -]|\.npy$")  # in the name of an entry: zip archives end a name at some
_NAME_LENGTH: Final = 200  # theirs have 65,535 bytes

Arrays = dict[str, "np.ndarray[Any, Any]"]


Path = str | os.PathLike[str] | IO[bytes]


def save(obj: object, f: Path, pickle_module: Any = None, pickle_protocol: int = 2) -> None:
    """Write ``obj`` to the path ``f``: dicts, lists, tuples, tensors, NumPy arrays, numbers, strings, bools and None.

    Tensors that share memory, and those that stand at several places, do so again when they are loaded; attributes of
    tensors are stored with them. The file
    appears whole or not at all: a crash or a full disk leaves a former file as it was, and a new one keeps its
    mode. Where ``f`` is a link, the file that it leads to is written. Where it is an open binary file, that is
    written, from where it stands. Arguments for pickle change nothing: nothing is pickled.

    >>> import io
    >>> file = io.BytesIO()
    >>> nbgrad.save({"step": 3}, file)
    >>> _ = file.seek(0)
    >>> nbgrad.load(file)
    {'step': 3}
    """
    arrays: Arrays = {}
    tensors = _Tensors(arrays)
    value = _packed(obj, "", tensors)
    attributes = tensors.attributes()
    version = 2 if tensors.fill() else 1
    with_attributes = {"nbgrad": VERSION, "attributes": attributes} if attributes else {}
    tree = json.dumps({"nbgrad": version, "value": value} | with_attributes)
    with _written(f) as file:
        arrays[TREE] = np.frombuffer(tree.encode(), dtype=np.uint8)
        _write(file, arrays)


def _write(file: IO[bytes], arrays: Arrays) -> None:
    """What ``numpy.savez`` writes: that takes some names for options of its own."""
    with zipfile.ZipFile(file, "w", allowZip64=True) as archive:
        for key, array in arrays.items():
            with archive.open(f"{key}.npy", "w", force_zip64=True) as entry:
                np.lib.format.write_array(entry, np.asanyarray(array), allow_pickle=False)


def load(
    f: Path, map_location: Any = None, pickle_module: Any = None, *, weights_only: bool = True, mmap: bool | None = None
) -> Any:
    """What ``save``, or ``torch.save``, wrote to the path ``f``, or to an open binary file that can be sought.

    Tensors come back as leaves with their ``requires_grad``, on the device where they were.
    ``map_location`` says otherwise: a device for all of them, a dict from devices to devices by name, or a function
    that is given a tensor on the CPU and the name of the device it was on. The others change nothing: no file runs
    code, and values are read at once.
    """
    flag_of("load", "weights_only", weights_only)
    refuse("a file is read")
    name = "the open file" if _is_file(f, "read") else os.fsdecode(cast("str", f))
    with _opened(f) as file:
        try:
            plain, attributes = _read(file)
        except (MemoryError, _OtherVersion):
            raise
        except Exception as error:  # zip, NumPy, JSON and our own keys: each has its own way to say "damaged"
            what = f"{name} is not a file that nbgrad.save or torch.save wrote, or it is damaged: {error}"
            raise StateError(what) from error
    placing = _Placing(map_location)
    value = placing.settled(plain)
    for number, own in attributes:
        vars(placing.known(number)).update(placing.settled(own))
    return value


class _OtherVersion(StateError):
    """A file of a later nbgrad."""


def _read(file: IO[bytes]) -> tuple[Any, list[tuple[int, dict[str, Any]]]]:
    """What the tree names, and nothing else that the file may hold: entries can be a thousand times as large as it. And
    the attributes of tensors in it, by their numbers."""
    start = file.tell()
    if file.read(2) != b"PK":  # NumPy would take it for a pickle, and advise to allow that
        raise StateError("it is no zip archive, as the files of save are, and those of PyTorch from version 1.6 on")
    file.seek(start)
    with zipfile.ZipFile(file) as archive:
        if (theirs := pickle_in(archive)) is not None:
            return torch_value(archive, theirs, _Saved), []
        entries = _Entries(archive)
        tree = json.loads(entries[TREE].tobytes().decode())
        _check_version(tree["nbgrad"])
        own = tree.get("attributes", ())
        return _unpacked(tree["value"], entries), [(number, _unpacked(inner, entries)) for number, inner in own]


def _check_version(version: Any) -> None:
    if type(version) is int and version > VERSION:
        raise _OtherVersion(
            f"load: the file has format {version}, of a later nbgrad than this one, which knows formats up to "
            f"{VERSION}: update nbgrad to read it"
        )
    if version not in (1, 2, VERSION) or type(version) is not int:
        raise StateError(f"there is no format {version!r}")


class _Entries:
    """The arrays of an archive by name, each read when it is asked for."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self._known: Arrays = {}

    def memory(self, key: str) -> np.ndarray[Any, Any]:
        """The array that several tensors may show."""
        if key not in self._known:
            self._known[key] = self[key]
        return self._known[key]

    def __getitem__(self, key: str) -> np.ndarray[Any, Any]:
        name = f"{key}.npy"
        with self._archive.open(name) as entry:
            is_old = np.lib.format.read_magic(entry) == (1, 0)
            header = np.lib.format.read_array_header_1_0 if is_old else np.lib.format.read_array_header_2_0
            shape, _, dtype = header(entry)
        if math.prod(shape) * dtype.itemsize > self._archive.getinfo(name).file_size:
            raise StateError(f"{name} has less than it says")  # before there is memory for that
        with self._archive.open(name) as entry:
            found: np.ndarray[Any, Any] = np.lib.format.read_array(entry, allow_pickle=False)
        return found


def _is_file(path: Path, verb: str) -> bool:
    """Whether ``path`` is an open file that can ``verb``."""
    return not isinstance(path, str | os.PathLike) and hasattr(path, verb)


@contextmanager
def _opened(path: Path) -> Iterator[IO[bytes]]:
    if _is_file(path, "read"):
        yield cast("IO[bytes]", path)
    else:
        with open(cast("str", path), "rb") as file:
            yield file


def _written(path: Path) -> AbstractContextManager[IO[bytes]]:
    if _is_file(path, "write"):
        return nullcontext(cast("IO[bytes]", path))
    return replaced(os.fsdecode(cast("str", path)))


class _Saved(NamedTuple):
    """A tensor as the file has it: the name of its device is "" on the CPU, that of its dtype "" where the array has
    it. ``view``: size, strides and offset, where it shows a part of ``array``. ``same``: a number that it has at each
    place, where it stands at several, or has attributes."""

    array: np.ndarray[Any, Any]
    requires_grad: bool
    device: str
    view: tuple[list[int], list[int], int] | None
    same: int | None
    dtype: str

    @property
    def numbers(self) -> dict[str, Any]:
        """What ``tensor`` makes it of."""
        if not self.dtype:
            return {"data": self.array}
        kind = by_name(self.dtype)
        return {"data": readable(self.array, kind), "dtype": kind}


class _Placing:
    """Tensors where they belong, as ``map_location`` says."""

    def __init__(self, map_location: Any) -> None:
        self._map_location = map_location
        self._memory: dict[int, Tensor] = {}  # by the id of its array
        self._made: dict[int | None, Tensor] = {}

    def settled(self, value: Any) -> Any:
        """``value`` with its tensors."""
        if isinstance(value, _Saved):
            return self._tensor(value)
        if isinstance(value, dict):
            return {key: self.settled(item) for key, item in value.items()}
        if type(value) in (list, tuple):
            return type(value)([self.settled(item) for item in value])
        return value

    def known(self, number: int) -> Tensor:
        """The tensor with that number."""
        return self._made[number]

    def _tensor(self, saved: _Saved) -> Tensor:
        if saved.same in self._made:
            return self._made[saved.same]
        memory = self._memory.get(id(saved.array))
        made = memory.detach() if memory is not None else self._placed(saved)
        self._memory.setdefault(id(saved.array), made)
        if saved.view is not None:
            with no_grad():
                made = self._memory[id(saved.array)].detach().as_strided(*saved.view)
        made.requires_grad_(saved.requires_grad)
        if saved.same is not None:
            self._made[saved.same] = made
        return made

    def _placed(self, saved: _Saved) -> Tensor:
        where = saved.device or "cpu"
        if callable(self._map_location):
            made = self._map_location(tensor(**saved.numbers, device="cpu"), where)
            if made is not None:
                kept: Tensor = made.detach()
                return kept
        elif isinstance(self._map_location, Mapping):
            where = str(self._map_location.get(where, where))
        elif self._map_location is not None:
            where = str(as_device(self._map_location))
        try:
            return tensor(**saved.numbers, device=where)
        except RunError as error:
            if self._map_location is not None:
                raise
            raise RunError(
                f"Attempting to deserialize a tensor on {where}: {error.args[0]}. To have it on the CPU, use "
                "nbgrad.load with map_location='cpu'"
            ) from None


class _Tensors:
    """The tensors of what is saved: each once, and memory that several show once."""

    def __init__(self, arrays: Arrays) -> None:
        self.arrays = arrays
        self._nodes: dict[int, tuple[Tensor, dict[str, Any]]] = {}  # by the id of the tensor
        self._n_same = 0
        self._attributed: list[tuple[Tensor, dict[str, Any], str]] = []

    def node(self, x: Tensor, path: str) -> dict[str, Any]:
        """What stands for ``x`` in the tree."""
        if id(x) in self._nodes:
            _, node = self._nodes[id(x)]
            self._number(node)
            return node
        self.arrays[key := _free_key(path, self.arrays)] = np.empty(0)
        where = {"device": str(x.device)} if x.is_cuda else {}
        where |= {"dtype": x.dtype.name} if x.dtype is bfloat16 else {}
        node = {"tensor": key, "requires_grad": x.requires_grad, **where}
        self._nodes[id(x)] = x, node
        if vars(x):
            self._number(node)
            self._attributed.append((x, node, path))
        return node

    def _number(self, node: dict[str, Any]) -> None:
        if "same" not in node:
            node["same"] = self._n_same
            self._n_same += 1

    def attributes(self) -> list[Any]:
        """Those of tensors by their numbers, also of tensors that are met there: the list grows meanwhile."""
        return [[node["same"], _packed({**vars(x)}, path, self)] for x, node, path in self._attributed]

    def fill(self) -> bool:
        """Put the arrays where they belong. Whether some tensor shows a part of one."""
        has_views = False
        for shown in self._by_memory():
            (first, named), *others = shown
            whole: Any = whole_behind(first)[1] if others else first
            self.arrays[named["tensor"]] = np.array(exported(whole.detach().cpu()))
            for _, node in others:
                del self.arrays[node["tensor"]]
                node["tensor"] = named["tensor"]
            for x, node in shown if others else ():
                view = [*x.shape], [*x.stride()], x.storage_offset()
                if view != ([*whole.shape], [*whole.stride()], 0):
                    node["view"], has_views = view, True
        return has_views

    def _by_memory(self) -> Iterable[list[tuple[Tensor, dict[str, Any]]]]:
        """Tensors that show the same, together."""
        for x, _ in self._nodes.values():
            if not is_alone(x):
                whole_behind(x)  # a view that nobody has asked yet is told to what it is of
        found: dict[int, list[tuple[Tensor, dict[str, Any]]]] = {}
        for x, node in self._nodes.values():
            memory, whole = (x, x) if is_alone(x) else whole_behind(x)[:2]
            if spec_of(whole).dtype is not x.dtype:  # parts of complex numbers, and what is read as them: a copy
                memory = x
            # Of an array with gaps, only what is shown is saved.
            found.setdefault(id(memory if whole.is_contiguous() else x), []).append((x, node))  # type: ignore[attr-defined]
        return found.values()


def _packed(value: Any, path: str, tensors: _Tensors, depth: int = 0) -> Any:
    """``value`` as JSON, its tensors moved to ``tensors`` under their path. Containers become {kind: content}."""
    if depth > _DEEPEST:
        raise DTypeError(
            f"save: containers lie more than {_DEEPEST} deep in each other, or one in itself, at {path[:80]}"
        )
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Tensor):
        return tensors.node(value, path)
    if isinstance(value, np.ndarray) and value.dtype.kind in "biufc":
        tensors.arrays[key := _free_key(path, tensors.arrays)] = value
        return {"array": key}
    if isinstance(value, list | tuple):
        items = [_packed(item, f"{path}.{i}", tensors, depth + 1) for i, item in enumerate(value)]
        return {"list" if isinstance(value, list) else "tuple": items}
    if isinstance(value, dict):
        items = [[_checked_key(k, path), _packed(v, f"{path}.{k}", tensors, depth + 1)] for k, v in value.items()]
        return {"dict": items}
    raise DTypeError(
        f"save: cannot store a {type(value).__name__} at {path.lstrip('.') or 'the top'}; what can be stored are "
        "dicts, lists, tuples, tensors, NumPy arrays of numbers, numbers, strings, bools and None"
    )


def _checked_key(key: object, path: str) -> object:
    if isinstance(key, str | int):  # JSON keeps these two apart inside a list; as object keys it would not
        return key
    raise DTypeError(f"save: dict keys must be strings or integers, got {key!r} at {path.lstrip('.') or 'the top'}")


def _free_key(path: str, arrays: Arrays) -> str:
    """An entry name that is readable, unlike the tree's and not yet taken."""
    wanted = _UNUSUAL.sub("_", path.lstrip("."))[:_NAME_LENGTH] or "value"
    key, n = wanted, 1
    while key in arrays or key == TREE:
        key, n = f"{wanted}~{n}", n + 1
    return key


_KINDS: Final[dict[str, Callable[[dict[str, Any], _Entries], Any]]] = {
    "tensor": lambda node, entries: _Saved(
        entries.memory(node["tensor"]),
        node["requires_grad"],
        node.get("device", ""),
        node.get("view"),
        node.get("same"),
        node.get("dtype", ""),
    ),
    "array": lambda node, entries: entries[node["array"]],
    "list": lambda node, entries: [_unpacked(item, entries) for item in node["list"]],
    "tuple": lambda node, entries: tuple([_unpacked(item, entries) for item in node["tuple"]]),
    "dict": lambda node, entries: {key: _unpacked(value, entries) for key, value in node["dict"]},
}


def _unpacked(node: Any, entries: _Entries) -> Any:
    if not isinstance(node, dict):
        return node
    return _KINDS[next(iter(node))](node, entries)

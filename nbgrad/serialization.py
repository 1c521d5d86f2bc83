"""Save and load nested dicts of tensors and numbers as one ``.npz`` file. No pickle: loading runs no code.

The entry "tree" is JSON text that says how the values are nested; each tensor is an array entry of its own, so
``numpy.load`` reads the file as well.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import IO, Any, Final, NamedTuple, cast

import numpy as np

from nbgrad.creation import tensor
from nbgrad.device import as_device
from nbgrad.errors import DTypeError, RunError, StateError
from nbgrad.tensor import Tensor

TREE: Final = "tree"
VERSION: Final = 1

Arrays = dict[str, "np.ndarray[Any, Any]"]


Path = str | os.PathLike[str] | IO[bytes]


def save(obj: object, path: Path) -> None:
    """Write ``obj`` to ``path``: dicts, lists, tuples, tensors, NumPy arrays, numbers, strings, bools and None.

    The file appears whole or not at all: a crash or a full disk leaves a former file as it was. Where ``path`` is an
    open binary file, it is written there, from where it stands.

    >>> import io
    >>> file = io.BytesIO()
    >>> nbgrad.save({"step": 3}, file)
    >>> _ = file.seek(0)
    >>> nbgrad.load(file)
    {'step': 3}
    """
    arrays: Arrays = {}
    tree = json.dumps({"nbgrad": VERSION, "value": _packed(obj, "", arrays)})
    with _written(path) as file:
        arrays[TREE] = np.frombuffer(tree.encode(), dtype=np.uint8)
        np.savez(file, **cast("dict[str, Any]", arrays))  # NumPy's own types take savez's other options for these


def load(path: Path, map_location: Any = None) -> Any:
    """What ``save`` wrote to ``path``, or to an open binary file that can be sought.

    Tensors come back as leaves with their ``requires_grad``, on the device where they were.
    ``map_location`` says otherwise: a device for all of them, a dict from devices to devices by name, or a function
    that is given a tensor on the CPU and the name of the device it was on.
    """
    name = "the open file" if _is_file(path, "read") else os.fspath(cast("str", path))
    try:
        with _opened(path) as file:
            plain = _read(file)
    except FileNotFoundError:
        raise
    except Exception as error:  # zip, NumPy, JSON and our own keys: each has its own way to say "damaged"
        raise StateError(f"{name} is not a file that nbgrad.save wrote, or it is damaged: {error}") from error
    return _settled(plain, map_location)


def _read(file: IO[bytes]) -> Any:
    start = file.tell()
    if file.read(2) != b"PK":  # NumPy would take it for a pickle, and advise to allow that
        raise StateError("it is no zip archive, as the .npz files of save are")
    file.seek(start)
    with np.load(file, allow_pickle=False) as entries:
        arrays = {key: entries[key] for key in entries.files}
        return _unpacked(json.loads(arrays[TREE].tobytes().decode())["value"], arrays)


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
    return _replaced(os.fspath(cast("str", path)))


class _Saved(NamedTuple):
    """A tensor as the file has it: the name of its device is "" on the CPU."""

    array: np.ndarray[Any, Any]
    requires_grad: bool
    device: str


def _settled(value: Any, map_location: Any) -> Any:
    """``value`` with its tensors where they belong."""
    if isinstance(value, _Saved):
        return _placed(value, map_location)
    if isinstance(value, dict):
        return {key: _settled(item, map_location) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)([_settled(item, map_location) for item in value])
    return value


def _placed(saved: _Saved, map_location: Any) -> Tensor:
    where = saved.device or "cpu"
    if callable(map_location):
        made = map_location(tensor(saved.array, device="cpu"), where)
        if made is not None:
            kept: Tensor = made.detach().requires_grad_(saved.requires_grad)
            return kept
    elif isinstance(map_location, Mapping):
        where = str(map_location.get(where, where))
    elif map_location is not None:
        where = str(as_device(map_location))
    try:
        return tensor(saved.array, device=where, requires_grad=saved.requires_grad)
    except RunError as error:
        if map_location is not None:
            raise
        raise RunError(
            f"Attempting to deserialize a tensor on {where}: {error.args[0]}. To have it on the CPU, use "
            "nbgrad.load with map_location='cpu'"
        ) from None


def _packed(value: Any, path: str, arrays: Arrays) -> Any:
    """``value`` as JSON, its tensors moved to ``arrays`` under their path. Containers become {kind: content}."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Tensor):
        arrays[key := _free_key(path, arrays)] = np.array(value.detach().cpu().numpy())
        where = {"device": str(value.device)} if value.is_cuda else {}
        return {"tensor": key, "requires_grad": value.requires_grad, **where}
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        arrays[key := _free_key(path, arrays)] = value
        return {"array": key}
    if isinstance(value, list | tuple):
        items = [_packed(item, f"{path}.{i}", arrays) for i, item in enumerate(value)]
        return {"list" if isinstance(value, list) else "tuple": items}
    if isinstance(value, dict):
        return {"dict": [[_checked_key(k, path), _packed(v, f"{path}.{k}", arrays)] for k, v in value.items()]}
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
    wanted = path.lstrip(".").replace("/", "_") or "value"
    key, n = wanted, 1
    while key in arrays or key in (TREE, "file"):  # savez has a parameter called file
        key, n = f"{wanted}~{n}", n + 1
    return key


_KINDS: Final[dict[str, Callable[[dict[str, Any], Arrays], Any]]] = {
    "tensor": lambda node, arrays: _Saved(arrays[node["tensor"]], node["requires_grad"], node.get("device", "")),
    "array": lambda node, arrays: arrays[node["array"]],
    "list": lambda node, arrays: [_unpacked(item, arrays) for item in node["list"]],
    "tuple": lambda node, arrays: tuple(_unpacked(item, arrays) for item in node["tuple"]),
    "dict": lambda node, arrays: {key: _unpacked(value, arrays) for key, value in node["dict"]},
}


def _unpacked(node: Any, arrays: Arrays) -> Any:
    if not isinstance(node, dict):
        return node
    return _KINDS[next(iter(node))](node, arrays)


@contextmanager
def _replaced(path: str) -> Iterator[IO[bytes]]:
    """A file to write that takes the place of ``path`` when the block ends well, and is removed when it does not."""
    folder, name = os.path.split(os.path.abspath(path))
    handle, temporary = tempfile.mkstemp(prefix=f".{name}.", dir=folder)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def _umask() -> int:
    """The process's file mode mask, which mkstemp ignores; it can only be read by setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask

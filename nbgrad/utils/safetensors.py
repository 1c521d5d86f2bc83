"""``nbgrad.utils.safetensors``: tensors in files of the safetensors format. The functions are ``safetensors.torch``'s.

The package ``safetensors`` reads and writes them (``pip install "nbgrad[safetensors]"``).
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any, Final

import numpy as np
from safetensors import TensorSpec, deserialize, serialize

from nbgrad.errors import DTypeError, RunError, StateError
from nbgrad.functions.creation import tensor
from nbgrad.graph.dtypes import bfloat16, by_name, int16
from nbgrad.system.atomic_file import replaced
from nbgrad.tensor import Tensor

__all__ = ["load", "load_file", "load_model", "save", "save_file", "save_model"]

Path = str | os.PathLike[str]
# What the format calls the dtypes.
_DTYPES: Final = {
    "BOOL": "bool",
    "U8": "uint8",
    "I8": "int8",
    "I16": "int16",
    "I32": "int32",
    "I64": "int64",
    "F16": "float16",
    "BF16": "bfloat16",
    "F32": "float32",
    "F64": "float64",
    "C64": "complex64",
}


def save(tensors: dict[str, Tensor], metadata: dict[str, str] | None = None) -> bytes:
    """Tensors by name as the bytes of a file. RuntimeError where two share memory: the format would have it twice.

    >>> from nbgrad.utils import safetensors
    >>> safetensors.load(safetensors.save({"weight": nbgrad.ones(2)}))
    {'weight': tensor([1., 1.])}
    """
    for name, x in tensors.items():
        if not isinstance(x, Tensor):
            raise DTypeError(f"safetensors: expected tensors by name, but {name!r} is a {type(x).__name__}")
    shared = [group for group in _sharing(tensors) if len(group) > 1]
    if shared:
        raise RunError(f"safetensors: {shared} share memory, which the format has no words for: use save_model")
    arrays = {name: np.ascontiguousarray(_bits(x.detach().cpu()).numpy()) for name, x in tensors.items()}
    specs = {
        name: TensorSpec(
            dtype=tensors[name].dtype.name, shape=tuple(tensors[name].shape), data_ptr=a.ctypes.data, data_len=a.nbytes
        )
        for name, a in arrays.items()
    }
    return bytes(serialize(specs, metadata=metadata))


def save_file(tensors: dict[str, Tensor], filename: Path, metadata: dict[str, str] | None = None) -> None:
    """Write tensors by name to a file, which appears whole or not at all. Errors are those of ``save``."""
    content = save(tensors, metadata)
    with replaced(os.fsdecode(filename)) as file:
        file.write(content)


def load(data: bytes) -> dict[str, Tensor]:
    """The tensors of a file's bytes, by name, on the CPU. RuntimeError where these are damaged, or of a dtype that is
    not there."""
    try:
        found = deserialize(data)  # type: ignore[no-untyped-call]
    except Exception as error:  # a class of the package's own
        raise StateError(f"safetensors: the file is damaged: {error}") from error
    return {name: _tensor(name, **entry) for name, entry in found}


def load_file(filename: Path, device: Any = "cpu") -> dict[str, Tensor]:
    """The tensors of a file, by name, on ``device``. RuntimeError where it is damaged."""
    with open(filename, "rb") as file:
        return {name: x.to(device) for name, x in load(file.read()).items()}


def save_model(model: Any, filename: Path, metadata: dict[str, str] | None = None) -> None:
    """Write the state of a module. Of parameters that share memory the first by name is written, and ``metadata`` says
    which one stands for each of the others."""
    state, said = dict(model.state_dict()), dict(metadata or {})
    for kept, *others in _sharing(state):
        for name in others:
            said.setdefault(name, kept)
            del state[name]
    save_file(state, filename, said or None)


def load_model(model: Any, filename: Path, strict: bool = True, device: Any = "cpu") -> tuple[list[str], list[str]]:
    """Load a file into a module; the names that the file lacks, and those that the module lacks. RuntimeError where
    there are such, if ``strict``."""
    state = load_file(filename, device)
    missing, unexpected = model.load_state_dict(state, strict=False)
    for group in _sharing(model.state_dict()):
        if any(name in state for name in group):
            missing = [name for name in missing if name not in group]
    if strict and (missing or unexpected):
        what = f"Error(s) in loading state_dict for {type(model).__name__}:"
        for title, names in (("Missing", missing), ("Unexpected", unexpected)):
            what += f"\n    {title} key(s) in state_dict: {', '.join(sorted(names))}" if names else ""
        raise RunError(what)
    return list(missing), list(unexpected)


def _sharing(tensors: dict[str, Tensor]) -> Iterable[list[str]]:
    """Names by the memory that their tensors have, each group in order."""
    groups: dict[Any, list[str]] = {}
    for name in sorted(tensors):
        x = tensors[name]
        memory = (x.device, x.untyped_storage().data_ptr()) if x.numel() else name
        groups.setdefault(memory, []).append(name)
    return groups.values()


def _tensor(name: str, dtype: str, shape: list[int], data: bytes) -> Tensor:
    if dtype not in _DTYPES:
        raise StateError(f"safetensors: {name!r} has dtype {dtype}, which is not there")
    kind = by_name(_DTYPES[dtype])
    if kind is bfloat16:
        return tensor(np.frombuffer(data, np.int16).reshape(shape)).view(kind)  # type: ignore[no-any-return]
    return tensor(np.frombuffer(data, kind.numpy).reshape(shape), dtype=kind)


def _bits(x: Tensor) -> Any:
    """``x`` as NumPy can have it: that has no bfloat16."""
    return x.contiguous().view(int16) if x.dtype is bfloat16 else x

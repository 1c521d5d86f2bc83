"""Files of the safetensors format."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import nbgrad as nb

safetensors = pytest.importorskip("nbgrad.utils.safetensors", reason="the package safetensors is an extra")

TENSORS = {
    "weights": nb.arange(6.0).reshape(2, 3),
    "across": nb.arange(6.0, dtype=nb.float64).reshape(2, 3).t(),
    "number": nb.tensor(3),
    "none": nb.zeros(0, 2),
    "mask": nb.tensor([True, False]),
    **{
        name: nb.tensor([1, 2], dtype=getattr(nb, name))
        for name in ("int8", "uint8", "int16", "int32", "float16", "bfloat16", "complex64")
    },
}


def test_tensors_come_back(tmp_path: Path) -> None:
    safetensors.save_file(TENSORS, tmp_path / "x.safetensors", {"by": "a test"})
    for found in (safetensors.load_file(tmp_path / "x.safetensors"), safetensors.load(safetensors.save(TENSORS))):
        assert {name: (x.dtype, x.tolist()) for name, x in found.items()} == {
            name: (x.dtype, x.tolist()) for name, x in TENSORS.items()
        }


def test_numpys_functions_read_them(tmp_path: Path) -> None:
    from safetensors.numpy import load_file, save_file

    known = {name: x for name, x in TENSORS.items() if x.dtype is not nb.bfloat16}  # which NumPy has not
    safetensors.save_file(known, tmp_path / "x")
    theirs = load_file(tmp_path / "x")
    for name, x in known.items():
        np.testing.assert_array_equal(theirs[name], x.numpy())
    save_file({"a": np.float32([1, 2])}, tmp_path / "y")
    assert safetensors.load_file(tmp_path / "y")["a"].tolist() == [1.0, 2.0]


def test_models_whose_parameters_are_shared(tmp_path: Path) -> None:
    def model() -> nb.nn.Module:
        made = nb.nn.Sequential(nb.nn.Linear(2, 2), nb.nn.Linear(2, 2))
        made[1].weight = made[0].weight
        return made

    ours, other = model(), model()
    with pytest.raises(RuntimeError, match="share memory"):
        safetensors.save(ours.state_dict())
    safetensors.save_model(ours, tmp_path / "m")
    assert safetensors.load_model(other, tmp_path / "m") == ([], [])
    assert other(nb.ones(1, 2)).tolist() == ours(nb.ones(1, 2)).tolist()
    with pytest.raises(RuntimeError, match=r"Missing key\(s\) in state_dict: 2.bias, 2.weight"):
        safetensors.load_model(nb.nn.Sequential(*ours, nb.nn.Linear(2, 2)), tmp_path / "m")
    with pytest.raises(RuntimeError, match=r"Unexpected key\(s\) in state_dict: 1.bias"):
        safetensors.load_model(ours[:1], tmp_path / "m")


def test_what_cannot_be_written_or_read() -> None:
    with pytest.raises(TypeError, match="'a' is a list"):
        safetensors.save({"a": [1.0]})
    for damaged in (b"", b"12345678", safetensors.save({"a": nb.ones(9)})[:-4]):
        with pytest.raises(RuntimeError, match="safetensors: the file is damaged"):
            safetensors.load(damaged)

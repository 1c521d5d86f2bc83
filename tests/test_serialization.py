from __future__ import annotations

import io
import math
import os
import stat
from pathlib import Path

import numpy as np
import pytest

import nbgrad as nb


def round_trip(value: object, folder: Path) -> object:
    nb.save(value, folder / "file.npz")
    return nb.load(folder / "file.npz")


def test_numbers_texts_and_containers_come_back_as_they_were(tmp_path: Path) -> None:
    value = {
        "int": 2**70,
        "float": 0.1,
        "special": [math.inf, -math.inf, -0.0, 5e-324],
        "text": "naïve\n",
        "nothing": None,
        "yes": True,
        "tuple": (1, (2.0, []), {}),
        3: {"nested": {"4": [1], 4: [2]}},
    }
    got = round_trip(value, tmp_path)
    assert got == value
    assert repr(got) == repr(value)  # also the order, the types and the sign of zero
    assert math.isnan(round_trip(math.nan, tmp_path))


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int8", "int16", "int32", "int64", "float32", "float64"])
def test_tensors_of_every_dtype_come_back(dtype: str, tmp_path: Path) -> None:
    t = nb.tensor(np.arange(6).reshape(2, 3)).to(getattr(nb, dtype))
    got = round_trip(t, tmp_path)
    assert got.dtype is t.dtype
    assert got.tolist() == t.tolist()


def test_tensors_keep_shape_bits_and_requires_grad(tmp_path: Path) -> None:
    odd = nb.tensor([math.nan, math.inf, -0.0, 1e-45])
    value = {
        "scalar": nb.tensor(3.5),
        "empty": nb.zeros(0, 3),
        "view": nb.arange(6).reshape(2, 3).transpose(0, 1),
        "leaf": nb.ones(2, requires_grad=True),
        "computed": nb.ones(2, requires_grad=True) * 2,
        "odd": odd,
        "array": np.arange(3.0),
    }
    got = round_trip(value, tmp_path)
    assert got["scalar"].shape == ()
    assert got["empty"].shape == (0, 3)
    assert got["view"].tolist() == [[0, 3], [1, 4], [2, 5]]
    assert got["leaf"].requires_grad
    assert got["computed"].is_leaf
    assert got["odd"].numpy().tobytes() == odd.numpy().tobytes()
    assert isinstance(got["array"], np.ndarray)


def test_a_model_and_its_optimiser_come_back(tmp_path: Path) -> None:
    model = nb.nn.Linear(2, 1)
    optimizer = nb.optim.Adam(model.parameters(), lr=0.1)
    model(nb.ones(1, 2)).sum().backward()
    optimizer.step()
    saved = round_trip({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, tmp_path)
    twin = nb.nn.Linear(2, 1)
    twin.load_state_dict(saved["model"])
    other = nb.optim.Adam(twin.parameters())
    other.load_state_dict(saved["optimizer"])
    for p, q in zip(model.parameters(), twin.parameters(), strict=True):
        q.grad = p.grad.clone()
    optimizer.step()
    other.step()
    assert twin.weight.tolist() == model.weight.tolist()


def test_an_open_file_is_written_and_read_where_it_stands(tmp_path: Path) -> None:
    memory = io.BytesIO()
    nb.save({"w": nb.arange(3.0), "step": 7}, memory)
    memory.seek(0)
    got = nb.load(memory)
    assert (got["w"].tolist(), got["step"]) == ([0.0, 1.0, 2.0], 7)
    assert not memory.closed
    with open(tmp_path / "file", "w+b") as file:
        file.write(b"before")
        nb.save(nb.ones(2), file)
        file.seek(6)
        assert nb.load(file).tolist() == [1.0, 1.0]
    for damaged in (b"", b"PK and no more", b"something else"):
        with pytest.raises(RuntimeError, match="the open file is not a file that"):
            nb.load(io.BytesIO(damaged))


def test_names_that_clash_stay_apart(tmp_path: Path) -> None:
    value = {
        "a": {"b": nb.tensor(1)},
        "a.b": nb.tensor(2),
        "tree": nb.tensor(3),
        "file": nb.tensor(4),
        "x/y": nb.tensor(5),
    }
    got = round_trip(value, tmp_path)
    assert [got["a"]["b"].item(), *(got[k].item() for k in ("a.b", "tree", "file", "x/y"))] == [1, 2, 3, 4, 5]


def test_numpy_reads_the_file_too(tmp_path: Path) -> None:
    nb.save({"model": {"weight": nb.ones(2)}}, tmp_path / "file.npz")
    with np.load(tmp_path / "file.npz") as entries:
        assert entries["model.weight"].tolist() == [1.0, 1.0]


def test_what_cannot_be_stored_is_named_with_its_place(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match=r"cannot store a set at config\.1"):
        nb.save({"config": [1, {2}]}, tmp_path / "file.npz")
    with pytest.raises(TypeError, match="dict keys"):
        nb.save({(1, 2): 3}, tmp_path / "file.npz")
    assert list(tmp_path.iterdir()) == []


def test_a_failed_save_leaves_the_former_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file.npz"
    nb.save(1, path)

    def full(file: object, **arrays: object) -> None:
        file.write(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "savez", full)
    with pytest.raises(OSError, match="No space left"):
        nb.save(2, path)
    monkeypatch.undo()
    assert nb.load(path) == 1
    assert [p.name for p in tmp_path.iterdir()] == ["file.npz"]


def test_the_file_has_the_permissions_of_any_new_file(tmp_path: Path) -> None:
    nb.save(1, tmp_path / "file.npz")
    (tmp_path / "other").write_text("")
    assert stat.S_IMODE(os.stat(tmp_path / "file.npz").st_mode) == stat.S_IMODE(os.stat(tmp_path / "other").st_mode)


def test_damaged_and_foreign_files_are_errors_that_name_the_file(tmp_path: Path) -> None:
    path = tmp_path / "file.npz"
    nb.save({"weight": nb.ones(1000)}, path)
    whole = path.read_bytes()
    for damaged in (whole[: len(whole) // 2], b"", b"no archive", whole[:2000] + b"\xff" + whole[2001:]):
        path.write_bytes(damaged)
        with pytest.raises(RuntimeError, match=r"file\.npz is not a file that nbgrad\.save wrote") as error:
            nb.load(path)
        assert "pickle" not in str(error.value)  # NumPy's advice would run the file's code
    np.savez(path, x=np.ones(2))
    with pytest.raises(RuntimeError, match="is not a file"):
        nb.load(path)
    with pytest.raises(FileNotFoundError):
        nb.load(tmp_path / "missing.npz")


def test_loading_runs_no_code(tmp_path: Path) -> None:
    class Trap:
        def __reduce__(self) -> tuple:
            return os.mkdir, (str(tmp_path / "sprung"),)

    np.savez(tmp_path / "file.npz", tree=np.array([Trap()], dtype=object))
    with pytest.raises(RuntimeError, match="is not a file"):
        nb.load(tmp_path / "file.npz")
    assert not (tmp_path / "sprung").exists()

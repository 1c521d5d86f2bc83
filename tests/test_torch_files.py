"""Files that PyTorch wrote."""

from __future__ import annotations

import collections
import contextlib
import io
import os
import pickle
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nbgrad as nb
from nbgrad.graph.dtypes import ALL, COMPLEX
from tests.beside_torch import theirs


def loaded(value: Any, **how: Any) -> Any:
    file = io.BytesIO()
    theirs().save(value, file, **how)
    file.seek(0)
    return nb.load(file)


def test_values_come_back() -> None:
    torch = theirs()
    value = {"n": 3, 4: [2.5, ("x", None, True)], "kind": torch.float32, "there": torch.device("cpu"), "s": {1, 2}}
    assert loaded(value) == {**value, "kind": nb.float32, "there": nb.device("cpu")}
    assert loaded(torch.Size([2, 3])) == nb.Size([2, 3])
    ordered = collections.OrderedDict(b=1, a=2)
    ordered._metadata = {"version": 1}  # type: ignore[attr-defined]  # as state dicts have
    assert list(loaded(ordered)) == ["b", "a"]
    assert loaded(collections.Counter([2, 4, 4])) == {2: 1, 4: 2}  # a schedule's milestones


@pytest.mark.parametrize("dtype", [d.name for d in (*ALL, *COMPLEX)])
def test_tensors_come_back(dtype: str) -> None:
    torch = theirs()
    whole = torch.arange(12, dtype=torch.float64).to(getattr(torch, dtype))
    for x in (whole, whole.view(3, 4), whole.view(3, 4).t(), whole[2:9:3], whole[3], whole[:0], whole.view(3, 4)[:, 1]):
        found = loaded(x)
        assert found.dtype is getattr(nb, dtype) and found.stride() == x.stride()
        assert found.tolist() == x.tolist()


def test_tensors_that_share_memory_do_so_again() -> None:
    torch = theirs()
    whole = torch.arange(6.0)
    found = loaded({"whole": whole, "part": whole[2:4], "again": whole, "own": torch.nn.Parameter(torch.ones(2))})
    found["part"][0] = 9.0
    assert found["whole"].tolist() == [0.0, 1.0, 9.0, 3.0, 4.0, 5.0]
    assert found["again"] is found["whole"] and found["own"].requires_grad and not found["whole"].requires_grad


def test_a_model_and_its_optimizer(tmp_path: Path) -> None:
    torch = theirs()

    def made(lib: Any) -> Any:
        model = lib.nn.Sequential(lib.nn.Linear(3, 4), lib.nn.BatchNorm1d(4), lib.nn.Linear(4, 1))
        return model, lib.optim.Adam(model.parameters(), lr=0.1)

    def step(lib: Any, model: Any, optimizer: Any) -> Any:
        optimizer.zero_grad()
        loss = model(lib.tensor([[1.0, 2.0, 3.0], [0.5, -1.0, 2.0]])).square().sum()
        loss.backward()
        optimizer.step()
        return loss.item()

    torch.manual_seed(0)  # some weights make losses near 0
    model, optimizer = made(torch)
    step(torch, model, optimizer)
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, tmp_path / "x.pt")
    saved = nb.load(tmp_path / "x.pt", weights_only=True)
    ours, its = made(nb)
    ours.load_state_dict(saved["model"])
    its.load_state_dict(saved["optimizer"])
    for _ in range(3):
        assert step(nb, ours, its) == pytest.approx(step(torch, model, optimizer), rel=1e-4)


class Harmful:
    def __reduce__(self) -> Any:
        return os.mkdir, ("/nbgrad-was-here",)


def test_no_code_is_run() -> None:
    torch = theirs()
    for value, said in (
        (Harmful(), "posix.mkdir|nt.mkdir"),
        (torch.nn.Linear(1, 1), "torch.nn.modules.linear.Linear"),
        (torch.ones(2).to_sparse(), "_rebuild_sparse_tensor"),
        (len, "builtins.len|__builtin__.len"),
    ):
        with pytest.raises(RuntimeError, match=f"it holds .*({said})"):
            loaded({"x": value})
    assert not os.path.exists("/nbgrad-was-here")
    with pytest.raises(RuntimeError, match=r"those of PyTorch from version 1\.6 on"):
        loaded(torch.ones(2), _use_new_zipfile_serialization=False)


@pytest.mark.parametrize("kind", ["torch\nfloat32", "torch\nSize", "collections\nOrderedDict"])
@pytest.mark.parametrize("slots", [False, True])
def test_nothing_has_its_attributes_set(kind: str, slots: bool) -> None:
    state = pickle.dumps((None, {"name": "evil", "numel": 3}) if slots else {"name": "evil"}, 2)[2:-1]
    with contextlib.suppress(RuntimeError):  # a class or a function is no value
        nb.load(archive(b"\x80\x02c" + kind.encode() + b"\n" + state + b"b."))
    assert nb.float32.name == "float32" and nb.Size([2]).numel() == 2


def test_what_is_no_value() -> None:
    deep: list[Any] = []
    for _ in range(200):
        deep = [deep]
    itself: list[Any] = []
    itself.append(itself)
    for value in (pickle.dumps(deep, 2), pickle.dumps(itself, 2), b"\x80\x02ctorch._utils\n_rebuild_tensor_v2\n."):
        with pytest.raises(RuntimeError, match=r"more than 128 deep|which is no value"):
            nb.load(archive(value))
    assert nb.load(archive(b"\x80\x02Nr\x00\x00\x00\x08.")) is None  # a memo of 2 GB, if it were a table


def archive(content: bytes, **memory: bytes) -> io.BytesIO:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as made:
        made.writestr("x/data.pkl", content)
        for key, value in memory.items():
            made.writestr(f"x/data/{key[1:]}", value)
    file.seek(0)
    return file


class Tensorlike:
    """Pickled as ``torch._utils._rebuild_tensor_v2`` of what it was given."""

    def __init__(self, *given: Any) -> None:
        self.given = given


class Pickler(pickle._Pickler):  # type: ignore[name-defined,misc]  # the one in Python, whose opcodes can be written
    def persistent_id(self, value: Any) -> Any:
        return value if isinstance(value, tuple) and value[:1] == ("storage",) else None

    def save_tensor(self, value: Tensorlike) -> None:
        self.write(b"ctorch._utils\n_rebuild_tensor_v2\n")
        self.save(value.given)
        self.write(pickle.REDUCE)

    def save_dtype(self, value: Any) -> None:
        self.write(b"ctorch\nFloatStorage\n")

    dispatch = {**pickle._Pickler.dispatch, Tensorlike: save_tensor, type: save_dtype}  # type: ignore[attr-defined]  # noqa: RUF012


@pytest.mark.parametrize(
    ("count", "size", "stride", "offset", "said"),
    [
        (2, (2,), (1,), 0, None),
        (3, (3,), (1,), 0, "has 8 bytes instead of 12"),
        (2, (3,), (1,), 0, "leaves its storage"),
        (2, (2,), (1,), 1, "leaves its storage"),
        (2, (2,), (-1,), 1, "leaves its storage"),
        (2, (1 << 40, 1 << 40), (0, 1), 0, "leaves its storage"),
    ],
)
def test_damaged_tensors(count: int, size: Any, stride: Any, offset: int, said: str | None) -> None:
    text = io.BytesIO()
    memory = ("storage", float, "0", "cpu", count)
    Pickler(text, 2).dump(Tensorlike(memory, offset, size, stride, False, None))
    file = archive(text.getvalue(), _0=np.float32([1, 2]).tobytes())
    if said is None:
        assert nb.load(file).tolist() == [1.0, 2.0]
        return
    with pytest.raises(RuntimeError, match=said):
        nb.load(file)

from __future__ import annotations

import io
import json
import math
import os
import signal
import stat
import subprocess
import sys
import threading
import tracemalloc
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nbgrad as nb
from tests.threads import in_threads


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


ODD_KEYS = [
    *(
        "allow_pickle",
        "self",
        "args",
        "kwds",
        "arr_0",
        "",
        ".",
        "..",
        "../../up",
        "a\0b",
        "a\0c",
        "a",
        "a.npy",
        "a.npy.npy",
    ),
    *(
        "\ud800",
        "\n",
        "\\",
        "C:",
        "é" * 70_000,
        "x" * 70_000,
        "con",
        "A",
        "_",
        "__",
        "name with spaces",
        True,
        False,
        -1,
        10**40,
    ),
]


def test_whatever_key_can_be_saved_can_be_loaded(tmp_path: Path) -> None:
    value = {key: nb.tensor(float(k)) for k, key in enumerate(ODD_KEYS)}
    got = round_trip(value, tmp_path)
    assert list(got) == ODD_KEYS
    assert [t.item() for t in got.values()] == [*range(len(ODD_KEYS))]
    for key in ODD_KEYS:  # and alone
        assert round_trip({key: {key: np.arange(3)}}, tmp_path)[key][key].tolist() == [0, 1, 2]


@pytest.mark.parametrize("key", [0.5, None, (1, 2), b"bytes", math.nan, np.int64(3), 1j, frozenset()])
def test_other_keys_are_refused_when_saved(key: object, tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="dict keys must be strings or integers"):
        nb.save({"model": {key: nb.ones(1)}}, tmp_path / "file.npz")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("wrap", [lambda x: [x], lambda x: (x,), lambda x: {"a": x}], ids=["list", "tuple", "dict"])
def test_what_lies_so_deep_that_it_could_not_be_loaded_is_refused_when_saved(wrap: Any, tmp_path: Path) -> None:
    value: Any = 1
    for _ in range(128):
        value = wrap(value)
    assert repr(round_trip(value, tmp_path)) == repr(value)
    with pytest.raises(TypeError, match="deep"):
        nb.save(wrap(value), tmp_path / "other.npz")
    ring: list[Any] = []
    ring.append(wrap(ring))
    with pytest.raises(TypeError, match="in itself"):
        nb.save(ring, tmp_path / "other.npz")
    assert [p.name for p in tmp_path.iterdir()] == ["file.npz"]


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

    def full(file: object, *args: object, **kwargs: object) -> None:
        file.write(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np.lib.format, "write_array", full)
    with pytest.raises(OSError, match="No space left"):
        nb.save(2, path)
    monkeypatch.undo()
    assert nb.load(path) == 1
    assert [p.name for p in tmp_path.iterdir()] == ["file.npz"]


def test_the_file_has_the_permissions_of_any_new_file(tmp_path: Path) -> None:
    nb.save(1, tmp_path / "file.npz")
    (tmp_path / "other").write_text("")
    assert stat.S_IMODE(os.stat(tmp_path / "file.npz").st_mode) == stat.S_IMODE(os.stat(tmp_path / "other").st_mode)


def mode(path: Path) -> int:
    return stat.S_IMODE(os.stat(path).st_mode)


@pytest.mark.parametrize("mask", [0o022, 0o077, 0o002, 0o000])
def test_a_new_file_follows_the_umask_and_an_old_one_keeps_its_mode(mask: int, tmp_path: Path) -> None:
    path = tmp_path / "file.npz"
    before = os.umask(mask)
    try:
        nb.save(1, path)
        assert mode(path) == 0o666 & ~mask
        for wanted in (0o600, 0o640, 0o664, 0o666, 0o755):
            path.chmod(wanted)
            nb.save(wanted, path)
            assert mode(path) == wanted
            assert nb.load(path) == wanted
    finally:
        os.umask(before)


def test_the_umask_is_never_touched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is the whole process's: files that other threads make meanwhile would have another mode."""
    monkeypatch.setattr(os, "umask", None)
    nb.save(1, tmp_path / "file.npz")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write any file")
def test_a_file_that_must_not_be_written_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "file.npz"
    nb.save(1, path)
    path.chmod(0o444)
    with pytest.raises(PermissionError):
        nb.save(2, path)
    assert nb.load(path) == 1


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_a_file_stays_its_owners(tmp_path: Path) -> None:
    path = tmp_path / "file.npz"
    nb.save(1, path)
    os.chown(path, 1234, 2345)
    nb.save(2, path)
    info = os.stat(path)
    assert (info.st_uid, info.st_gid) == (1234, 2345)


def test_a_link_stays_and_what_it_leads_to_is_written(tmp_path: Path) -> None:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    link, chain, target = tmp_path / "last.npz", tmp_path / "chain.npz", folder / "step-1.npz"
    link.symlink_to("elsewhere/step-1.npz")
    chain.symlink_to(link)
    nb.save(1, link)  # which leads to no file yet
    target.chmod(0o600)
    for k, path in enumerate((link, chain, target)):
        nb.save(k, path)
        assert (link.is_symlink(), chain.is_symlink(), target.is_symlink()) == (True, True, False)
        assert (nb.load(link), nb.load(target), mode(target)) == (k, k, 0o600)
    assert {p.name for p in tmp_path.iterdir()} == {"elsewhere", "last.npz", "chain.npz"}
    assert [p.name for p in folder.iterdir()] == ["step-1.npz"]
    (tmp_path / "ring").symlink_to("ring")
    with pytest.raises(OSError, match="symbolic links"):
        nb.save(1, tmp_path / "ring")


def test_what_is_no_plain_file_is_written_as_it_is(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    nb.save({"w": nb.ones(3)}, pipe)
    reader.join()
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert nb.load(io.BytesIO(read[0]))["w"].tolist() == [1, 1, 1]
    nb.save(1, os.devnull)
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)
    with pytest.raises(IsADirectoryError):
        nb.save(1, tmp_path)


def test_a_name_may_be_as_long_as_names_can_be(tmp_path: Path) -> None:
    path = tmp_path / ("x" * 255)
    nb.save(1, path)
    nb.save(2, os.fsencode(path))
    assert nb.load(os.fsencode(path)) == 2


KILLED = """
import os, signal, sys
import numpy as np
import nbgrad as nb
np.lib.format.write_array = lambda file, *args, **kwargs: (file.write(b"half"), {})
nb.save({{"w": nb.ones(3)}}, sys.argv[1])
"""


def test_what_killed_processes_left_behind_is_removed_and_what_others_write_is_not(tmp_path: Path) -> None:
    path = tmp_path / "file.npz"
    (tmp_path / ".nbgrad").write_text("mine")
    (tmp_path / ".file.npz.abcdefgh").write_text("mine")
    for _ in range(2):
        killed = KILLED.format("os.kill(os.getpid(), signal.SIGKILL)")
        assert subprocess.run([sys.executable, "-c", killed, path]).returncode == -signal.SIGKILL
    writing = KILLED.format("(print('here', flush=True), input())")
    writer = subprocess.Popen(
        [sys.executable, "-c", writing, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert writer.stdin is not None and writer.stdout is not None
    try:
        assert writer.stdout.readline() == "here\n"
        partial = [p for p in tmp_path.iterdir() if p.suffix == ".partial"]
        assert len(partial) == 1  # the writer has removed the two others
        nb.save(3, path)
        assert {p.name for p in tmp_path.iterdir()} == {"file.npz", ".nbgrad", ".file.npz.abcdefgh", partial[0].name}
        assert nb.load(path) == 3
    finally:
        writer.communicate("\n\n\n\n")
    assert {p.name for p in tmp_path.iterdir()} == {"file.npz", ".nbgrad", ".file.npz.abcdefgh"}


def test_many_save_at_the_same_time(tmp_path: Path) -> None:
    path, wrong = tmp_path / "file.npz", []

    def work(k: int) -> None:
        for step in range(20):
            nb.save({"k": k, "step": step}, path)
            if set(nb.load(path)) != {"k", "step"}:
                wrong.append(k)

    in_threads(work, range(4))
    assert not wrong
    assert [p.name for p in tmp_path.iterdir()] == ["file.npz"]


def rewritten(path: Path, change: Any) -> None:
    """The archive with its tree changed."""
    with zipfile.ZipFile(path) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    tree = np.load(io.BytesIO(entries["tree.npy"])).tobytes().decode()
    array = io.BytesIO()
    np.save(array, np.frombuffer(json.dumps(change(json.loads(tree))).encode(), np.uint8))
    entries["tree.npy"] = array.getvalue()
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in entries.items():
            archive.writestr(name, data)


def test_versions_are_checked(tmp_path: Path) -> None:
    path = tmp_path / "file.npz"
    nb.save({"w": nb.ones(3)}, path)
    rewritten(path, lambda tree: tree)
    assert nb.load(path)["w"].tolist() == [1, 1, 1]
    rewritten(path, lambda tree: {**tree, "nbgrad": 4, "value": {"news": []}})
    with pytest.raises(RuntimeError, match=r"format 4, of a later nbgrad .* update nbgrad") as error:
        nb.load(path)
    assert "damaged" not in str(error.value)
    for version in (0, -1, "1", 1.0, None, True, [1]):
        rewritten(path, lambda tree, version=version: {**tree, "nbgrad": version})
        with pytest.raises(RuntimeError, match="is not a file that"):
            nb.load(path)
    rewritten(path, lambda tree: {"value": tree["value"]})
    with pytest.raises(RuntimeError, match="is not a file that"):
        nb.load(path)


def test_entries_that_nobody_names_are_not_read(tmp_path: Path) -> None:
    path = tmp_path / "file.npz"
    nb.save({"w": nb.ones(3)}, path)
    zeros = bytes(1 << 20)
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("other.npy", b"no array")
        with archive.open("bomb.npy", "w", force_zip64=True) as bomb:
            np.lib.format.write_array_header_1_0(bomb, {"descr": "|u1", "fortran_order": False, "shape": (200 << 20,)})
            for _ in range(200):
                bomb.write(zeros)
    tracemalloc.start()
    try:
        assert nb.load(path)["w"].tolist() == [1, 1, 1]
        assert tracemalloc.get_traced_memory()[1] < 20 << 20
    finally:
        tracemalloc.stop()


def test_an_entry_that_says_it_is_larger_than_it_is_gets_no_memory(tmp_path: Path) -> None:
    path, array = tmp_path / "file.npz", io.BytesIO()
    nb.save({"w": nb.ones(3)}, path)
    np.lib.format.write_array_header_1_0(array, {"descr": "<f4", "fortran_order": False, "shape": (1 << 40,)})
    with zipfile.ZipFile(path) as archive:
        tree = archive.read("tree.npy")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("tree.npy", tree)
        archive.writestr("w.npy", array.getvalue() + bytes(12))
    with pytest.raises(RuntimeError, match="is not a file that"):
        nb.load(path)


def test_damaged_and_foreign_files_are_errors_that_name_the_file(tmp_path: Path) -> None:
    path = tmp_path / "file.npz"
    nb.save({"weight": nb.ones(1000)}, path)
    whole = path.read_bytes()
    for damaged in (whole[: len(whole) // 2], b"", b"no archive", whole[:2000] + b"\xff" + whole[2001:]):
        path.write_bytes(damaged)
        with pytest.raises(
            RuntimeError, match=r"file\.npz is not a file that nbgrad\.save or torch\.save wrote"
        ) as error:
            nb.load(path)
        assert "pickle" not in str(error.value)  # NumPy's advice would run the file's code
    np.savez(path, x=np.ones(2))
    with pytest.raises(RuntimeError, match="is not a file"):
        nb.load(path)
    with pytest.raises(FileNotFoundError):
        nb.load(tmp_path / "missing.npz")


@pytest.mark.parametrize("weights_only", [True, False])
def test_weights_only_is_taken(weights_only: bool, tmp_path: Path) -> None:
    nb.save({"w": nb.ones(2)}, tmp_path / "file.npz")
    assert nb.load(tmp_path / "file.npz", weights_only=weights_only)["w"].tolist() == [1, 1]


def test_loading_runs_no_code(tmp_path: Path) -> None:
    class Trap:
        def __reduce__(self) -> tuple:
            return os.mkdir, (str(tmp_path / "sprung"),)

    np.savez(tmp_path / "file.npz", tree=np.array([Trap()], dtype=object))
    with pytest.raises(RuntimeError, match="is not a file"):
        nb.load(tmp_path / "file.npz")
    assert not (tmp_path / "sprung").exists()


def tree_of(path: Path) -> Any:
    with np.load(path) as entries:
        return json.loads(entries["tree"].tobytes().decode())


def test_tensors_that_share_memory_do_so_again(tmp_path: Path) -> None:
    x, w = nb.arange(6.0), nb.ones(2, requires_grad=True)
    value = {"x": x, "part": x[2:4], "turned": x.view(2, 3).t(), "w": w, "again": [w], "shown": w.detach(), "one": x[1]}
    got: Any = round_trip(value, tmp_path)
    for name in ("x", "part", "turned", "one"):
        assert nb.equal(got[name], value[name]) and got[name].stride() == value[name].stride()
        assert got[name].storage_offset() == value[name].storage_offset() and got[name].is_leaf
    got["part"].zero_()
    assert got["x"].tolist() == [0, 1, 0, 0, 4, 5] and got["turned"].tolist() == [[0, 0], [1, 4], [0, 5]]
    assert got["again"][0] is got["w"] and got["w"].requires_grad and not got["shown"].requires_grad
    got["shown"].add_(1)
    (got["w"] ** 2).sum().backward()
    assert got["w"].tolist() == [2, 2] and got["w"].grad.tolist() == [4, 4]
    with np.load(tmp_path / "file.npz") as entries:
        assert {*entries} == {"tree", "x", "w"}


def test_a_file_without_views_is_of_the_first_format(tmp_path: Path) -> None:
    w = nb.ones(2)
    path = tmp_path / "file.npz"
    for value, version in (([w, w, w.detach(), w[:]], 1), ([w[1:], w[:1] + 1], 1), ([w, w[:1]], 2)):
        nb.save(value, path)
        assert tree_of(path)["nbgrad"] == version
    nb.save(w[1:], path)
    with np.load(path) as entries:
        assert entries["value"].shape == (1,)  # what nobody else shows is not saved


def test_views_of_memory_with_gaps_are_saved_apart(tmp_path: Path) -> None:
    x = nb.from_numpy(np.arange(12.0)[::2])
    got: Any = round_trip([x, x[1:]], tmp_path)
    assert [t.tolist() for t in got] == [[0, 2, 4, 6, 8, 10], [2, 4, 6, 8, 10]]


def test_a_view_that_leads_beside_its_memory_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "file.npz"
    x = nb.ones(4)
    nb.save([x, x[:2]], path)
    rewritten(path, lambda tree: json.loads(json.dumps(tree).replace("[[2], [1], 0]", "[[2], [9], 0]")))
    with pytest.raises(RuntimeError, match="out of bounds"):
        nb.load(path)

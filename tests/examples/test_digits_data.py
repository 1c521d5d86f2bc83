"""What is wrong with a user's file is said in words that help."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def example(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


digits_data = example("digits_data")
X, Y = np.random.default_rng(0).normal(size=(20, 3)), np.arange(20) % 4


def load(folder: Path, **arrays: Any) -> Any:
    np.savez(folder / "mine.npz", **arrays)
    return digits_data.from_file(str(folder / "mine.npz"))


def test_the_digits_are_split_and_standardised() -> None:
    data = digits_data.digits()
    assert data.x.shape == (1438, 64)
    assert data.x_test.shape == (359, 64)
    assert data.x.dtype == np.float32
    assert data.classes == 10
    np.testing.assert_allclose(data.x.mean(axis=0), 0, atol=1e-5)
    assert np.isfinite(data.x).all()  # some pixels are always white
    assert set(np.round(data.x.std(axis=0), 4)) == {0.0, 1.0}
    assert data.fingerprint == digits_data.digits().fingerprint


def test_a_good_file_is_taken(tmp_path: Path) -> None:
    data = load(tmp_path, x=X, y=Y)
    assert data.x.shape == (16, 3)
    assert data.x_test.shape == (4, 3)
    assert data.classes == 4
    assert data.fingerprint == load(tmp_path, x=X, y=Y).fingerprint
    assert data.fingerprint != load(tmp_path, x=X + 1e-3 * X**2, y=Y).fingerprint


def test_a_file_may_bring_its_own_test_part_and_any_numbers(tmp_path: Path) -> None:
    data = load(
        tmp_path, x=np.arange(8, dtype=np.uint8).reshape(4, 2), y=np.zeros(4, np.uint8), x_test=X[:2, :2], y_test=[0, 1]
    )
    assert data.x.shape == (4, 2)
    assert data.y_test.tolist() == [0, 1]
    assert data.y.dtype == np.int64


NAN, INF = X.copy(), X.copy()
NAN[3, 1], INF[:, 2] = np.nan, np.inf


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"x": X}, "has no array 'y'; it holds x"),
        ({"y": Y, "z": X}, "has no array 'x'; it holds y"),
        ({"x": X, "y": Y, "x_test": X}, "only one of x_test and y_test"),
        ({"x": X[:, 0], "y": Y}, r"x must have two axes .* it has shape \(20,\)"),
        ({"x": X.reshape(20, 3, 1), "y": Y}, r"images become rows with x.reshape\(len\(x\), -1\)"),
        ({"x": X, "y": Y[:, None]}, r"y must have one axis \(samples\), it has shape \(20, 1\)"),
        ({"x": X, "y": Y[:-1]}, "x has 20 samples and y has 19"),
        ({"x": NAN, "y": Y}, r"x has 1 values that are NaN, infinite .* x\[3, 1\] = nan"),
        ({"x": INF, "y": Y}, r"x has 20 values .* x\[0, 2\] = inf"),
        ({"x": X * 1e300, "y": Y}, "too large for float32"),
        ({"x": X.astype(complex), "y": Y}, "x must hold real numbers, it is an array of complex128"),
        ({"x": X.astype(str), "y": Y}, "x must hold real numbers, it is an array of <U"),
        ({"x": X.astype(object), "y": Y}, r"array 'x' holds Python objects \(pickled\)"),
        ({"x": X, "y": Y.astype(object)}, r"array 'y' holds Python objects \(pickled\)"),
        ({"x": X, "y": Y.astype(float)}, r"y must hold integers .* float64; convert it with y.astype\(numpy.int64\)"),
        ({"x": X, "y": Y == 0}, "y must hold integers"),
        ({"x": X, "y": Y - 1}, r"y has a negative class number, y\[0\] = -1"),
        ({"x": X, "y": Y * 10**9}, r"y has too many classes: y\[3\] = 3000000000"),
        ({"x": X[:0], "y": Y[:0]}, r"x is empty, its shape is \(0, 3\)"),
        ({"x": X[:, :0], "y": Y}, r"x is empty, its shape is \(20, 0\)"),
        ({"x": X[:4], "y": Y[:4]}, "4 samples are too few"),
        ({"x": X, "y": Y, "x_test": X[:, :2], "y_test": Y}, "x has 3 features and x_test 2"),
        ({"x": X, "y": Y, "x_test": X, "y_test": Y - 1}, "y_test has a negative class number"),
    ],
)
def test_a_bad_file_is_explained(arrays: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(digits_data.DataError, match=message):
        load(tmp_path, **arrays)


def test_files_that_are_no_archives_are_explained(tmp_path: Path) -> None:
    with pytest.raises(digits_data.DataError, match="there is no file"):
        digits_data.from_file(str(tmp_path / "missing.npz"))
    with pytest.raises(digits_data.DataError, match="there is no file"):
        digits_data.from_file(str(tmp_path))
    (tmp_path / "text.npz").write_text("x,y\n1,2\n")
    with pytest.raises(digits_data.DataError, match=r"is not an \.npz file"):
        digits_data.from_file(str(tmp_path / "text.npz"))
    (tmp_path / "empty.npz").write_bytes(b"")
    with pytest.raises(digits_data.DataError, match=r"is not an \.npz file"):
        digits_data.from_file(str(tmp_path / "empty.npz"))
    np.save(tmp_path / "one.npy", X)
    with pytest.raises(digits_data.DataError, match="a single array"):
        digits_data.from_file(str(tmp_path / "one.npy"))


def test_a_damaged_archive_is_explained(tmp_path: Path) -> None:
    path = tmp_path / "mine.npz"
    np.savez(path, x=X, y=Y)
    whole = bytearray(path.read_bytes())
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(digits_data.DataError, match=r"is not an \.npz file"):
        digits_data.from_file(str(path))
    whole[300] ^= 0xFF
    path.write_bytes(whole)
    with pytest.raises(digits_data.DataError, match="damaged"):
        digits_data.from_file(str(path))

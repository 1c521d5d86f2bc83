"""The arrays that ``train_digits.py`` learns from: scikit-learn's digits, or the user's own from an ``.npz`` file."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

MAX_CLASSES = 10_000  # one output of the model per class: a larger label is surely not a class number
TEST_SHARE = 0.2

KEYS_HELP = (
    "an .npz file with the arrays x (samples, features), any numbers, and y (samples), integers from 0; "
    "and, if you have them, x_test and y_test (otherwise a fifth of the samples is kept for the test)"
)

Array = np.ndarray[Any, Any]


class DataError(Exception):
    """What is wrong with the user's file, in words that say how to repair it."""


@dataclass(frozen=True)
class Data:
    """Training and test arrays: x float32 (samples, features), standardised by the training part; y int64 (samples)."""

    x: Array
    y: Array
    x_test: Array
    y_test: Array
    classes: int

    @property
    def fingerprint(self) -> str:
        """A short text that is the same only for the same arrays."""
        digest = hashlib.sha256()
        for array in (self.x, self.y, self.x_test, self.y_test):
            digest.update(repr(array.shape).encode())
            digest.update(np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()[:16]


def digits() -> Data:
    """The 1,797 handwritten digits of 8 x 8 pixels that come with scikit-learn (UCI, Alpaydin and Kaynak 1998)."""
    from sklearn.datasets import load_digits  # not needed for the user's own data

    x, y = load_digits(return_X_y=True)
    return _prepared(x, y)


def from_file(path: str) -> Data:
    """The user's own arrays, checked; DataError says what is wrong with them."""
    arrays = _read(path)
    for key in ("x", "y"):
        if key not in arrays:
            raise DataError(f"{path} has no array {key!r}; it holds {_names(arrays)}. Expected: {KEYS_HELP}")
    if ("x_test" in arrays) != ("y_test" in arrays):
        raise DataError(f"{path} has only one of x_test and y_test; give both or none")
    x, y = _checked(path, "x", arrays["x"], "y", arrays["y"])
    if "x_test" not in arrays:
        return _prepared(x, y)
    x_test, y_test = _checked(path, "x_test", arrays["x_test"], "y_test", arrays["y_test"])
    if x_test.shape[1] != x.shape[1]:
        raise DataError(f"{path}: x has {x.shape[1]} features and x_test {x_test.shape[1]}; they must be the same ones")
    return _standardised(x, y, x_test, y_test)


def _read(path: str) -> dict[str, Array]:
    if not Path(path).is_file():
        raise DataError(f"there is no file {path}")
    try:
        opened = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError, BadZipFile) as error:
        raise DataError(f"{path} is not an .npz file ({error}). Write one with numpy.savez(path, x=x, y=y)") from None
    if not isinstance(opened, np.lib.npyio.NpzFile):
        raise DataError(f"{path} holds a single array, not an .npz archive. Write one with numpy.savez(path, x=x, y=y)")
    with opened:
        return {key: _entry(path, opened, key) for key in opened.files if key in ("x", "y", "x_test", "y_test")}


def _entry(path: str, opened: Any, key: str) -> Array:
    try:
        array: Array = opened[key]
    except ValueError as error:
        if "pickle" not in str(error).lower():
            raise DataError(f"{path}: array {key!r} cannot be read: {error}") from None
        raise DataError(
            f"{path}: array {key!r} holds Python objects (pickled), which are not loaded because loading them can run "
            f"code. Make it an array of numbers first, such as np.array({key}.tolist(), dtype=float)"
        ) from None
    except Exception as error:  # a damaged archive shows itself in zip, zlib and NumPy errors of many kinds
        raise DataError(f"{path}: array {key!r} cannot be read, the file is damaged: {error}") from None
    return array


def _names(arrays: dict[str, Array]) -> str:
    return ", ".join(sorted(arrays)) or "none of x, y, x_test, y_test"


def _checked(path: str, x_name: str, x: Array, y_name: str, y: Array) -> tuple[Array, Array]:
    """(x as float64, y as int64), or DataError naming the first thing wrong."""
    if x.ndim != 2:
        raise DataError(
            f"{path}: {x_name} must have two axes (samples, features), it has shape {x.shape}; "
            f"images become rows with {x_name}.reshape(len({x_name}), -1)"
        )
    if x.dtype.kind not in "biuf":
        raise DataError(f"{path}: {x_name} must hold real numbers, it is an array of {x.dtype}")
    if y.ndim != 1:
        raise DataError(f"{path}: {y_name} must have one axis (samples), it has shape {y.shape}")
    if len(x) != len(y):
        raise DataError(f"{path}: {x_name} has {len(x)} samples and {y_name} has {len(y)}; they must be equally long")
    if x.size == 0:
        raise DataError(f"{path}: {x_name} is empty, its shape is {x.shape}")
    with np.errstate(over="ignore"):
        bad = np.argwhere(~np.isfinite(x.astype(np.float32)))
    if len(bad):
        row, column = bad[0]
        raise DataError(
            f"{path}: {x_name} has {len(bad)} values that are NaN, infinite or too large for float32, the first is "
            f"{x_name}[{row}, {column}] = {x[row, column]}; remove or replace them"
        )
    return x.astype(np.float64), _checked_labels(path, y_name, y)


def _checked_labels(path: str, name: str, y: Array) -> Array:
    if y.dtype.kind not in "iu":
        raise DataError(
            f"{path}: {name} must hold integers (class numbers from 0), it is an array of {y.dtype}; "
            f"convert it with {name}.astype(numpy.int64)"
        )
    if y.min() < 0:
        at = int(np.argmin(y))
        raise DataError(f"{path}: {name} has a negative class number, {name}[{at}] = {y[at]}; classes count from 0")
    if y.max() >= MAX_CLASSES:
        at = int(np.argmax(y))
        raise DataError(
            f"{path}: {name} has too many classes: {name}[{at}] = {y[at]}, and at most {MAX_CLASSES} are taken; "
            f"number the classes from 0 with numpy.unique({name}, return_inverse=True)[1]"
        )
    return y.astype(np.int64)


def _prepared(x: Array, y: Array) -> Data:
    """A split that is the same every time, then standardised."""
    tests = int(len(x) * TEST_SHARE)
    if tests == 0:
        raise DataError(
            f"{len(x)} samples are too few to keep some for the test: give at least 5, or x_test and y_test"
        )
    order = np.random.default_rng(0).permutation(len(x))
    test, train = order[:tests], order[tests:]
    return _standardised(x[train], y[train], x[test], y[test])


def _standardised(x: Array, y: Array, x_test: Array, y_test: Array) -> Data:
    """Features of mean 0 and deviation 1 over the training part; a constant feature becomes 0."""
    mean, deviation = x.mean(axis=0), x.std(axis=0)
    deviation[deviation == 0] = 1.0

    def scaled(a: Array) -> Array:
        return np.ascontiguousarray((a - mean) / deviation, dtype=np.float32)

    classes = int(max(y.max(), y_test.max())) + 1
    return Data(scaled(x), y.astype(np.int64), scaled(x_test), y_test.astype(np.int64), classes)

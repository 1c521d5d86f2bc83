"""The main example as users run it: in a process of its own."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import nbgrad as nb

SCRIPT = Path(__file__).resolve().parents[2] / "examples" / "train_digits.py"
PATH = os.pathsep.join([str(SCRIPT.parents[1]), *filter(None, [os.environ.get("PYTHONPATH")])])
ENV = {**os.environ, "PYTHONPATH": PATH, "MPLBACKEND": "Agg"}


def run(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(SCRIPT), "--out", str(folder), *options]
    return subprocess.run(command, env=ENV, capture_output=True, text=True, timeout=240, check=False)


def start(folder: Path, *options: str) -> subprocess.Popen[str]:
    """The example running, its first line read: from there on Ctrl-C is handled."""
    command = [sys.executable, str(SCRIPT), "--out", str(folder), *options]
    process = subprocess.Popen(command, env=ENV, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    line = process.stdout.readline()
    assert "training samples" in line, process.communicate()
    return process


def same_numbers(a: Path, b: Path) -> None:
    one, two = (nb.load(folder / "checkpoint.npz") for folder in (a, b))
    assert one["losses"].tolist() == two["losses"].tolist()
    assert list(one["model"]) == list(two["model"])
    for name, tensor in one["model"].items():
        assert tensor.tolist() == two["model"][name].tolist(), name
    for number, state in one["optimizer"]["state"].items():
        for key, value in state.items():
            other = two["optimizer"]["state"][number][key]
            assert value.tolist() == other.tolist() if isinstance(value, nb.Tensor) else value == other


@pytest.fixture(scope="module")
def numbers(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A file of as many samples, features and classes as the digits, which take scikit-learn 2 s to load."""
    path = tmp_path_factory.mktemp("numbers") / "numbers.npz"
    rng, y = np.random.default_rng(0), np.arange(1797) % 10
    np.savez(path, x=rng.normal(size=(1797, 64)) + rng.normal(size=(10, 64))[y], y=y)
    return str(path)


@pytest.fixture(scope="module")
def one_epoch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a finished run: to be looked at, not written to."""
    folder = tmp_path_factory.mktemp("finished")
    assert run(folder, "--epochs", "1").returncode == 0
    return folder


@pytest.fixture
def finished(one_epoch: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return shutil.copytree(one_epoch, tmp_path / "finished")


def test_it_learns_the_digits_and_reports(tmp_path: Path) -> None:
    done = run(tmp_path)
    assert done.returncode == 0, done.stderr
    accuracy = float(done.stdout.split("test accuracy ")[1].split(" %")[0])
    assert accuracy >= 97.0
    assert "steps per second" in done.stdout
    assert "where the time went" in done.stdout
    assert "epoch 30/30" in done.stderr  # the progress bar
    assert (tmp_path / "loss.png").read_bytes().startswith(b"\x89PNG")
    saved = nb.load(tmp_path / "checkpoint.npz")
    assert len(saved["losses"]) == 30 * 23
    assert np.mean(saved["losses"][-23:]) < 0.05 < saved["losses"][0]


def test_a_resumed_run_continues_to_the_same_numbers(tmp_path: Path, numbers: str) -> None:
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    assert run(whole, "--epochs", "4", "--seed", "3", "--data", numbers).returncode == 0
    assert run(parts, "--epochs", "2", "--seed", "3", "--data", numbers).returncode == 0
    resumed = run(parts, "--epochs", "4", "--resume", "--data", numbers)
    assert resumed.returncode == 0, resumed.stderr
    assert "going on after step 46" in resumed.stdout
    same_numbers(whole, parts)


def test_ctrl_c_saves_and_a_resumed_run_continues_to_the_same_numbers(tmp_path: Path, numbers: str) -> None:
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    epochs = ["--epochs", "80", "--hidden", "32", "--data", numbers]
    process = start(parts, *epochs)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 130, err
    assert f"interrupted: saved {parts / 'checkpoint.npz'} after step" in out
    assert "--resume" in out
    steps = len(nb.load(parts / "checkpoint.npz")["losses"])
    assert 0 < steps < 80 * 23
    resumed = run(parts, "--epochs", "80", "--resume", "--data", numbers)
    assert resumed.returncode == 0, resumed.stderr
    assert run(whole, *epochs).returncode == 0
    same_numbers(whole, parts)


def test_a_finished_run_has_nothing_to_resume(finished: Path) -> None:
    again = run(finished, "--epochs", "1", "--resume")
    assert again.returncode == 0
    assert "nothing to do" in again.stdout


def test_resuming_what_does_not_fit_is_an_error(finished: Path, tmp_path: Path) -> None:
    missing = run(tmp_path, "--resume")
    assert missing.returncode == 2
    assert "to resume from" in missing.stderr
    other = run(finished, "--resume", "--hidden", "7")
    assert other.returncode == 2
    assert "--hidden 7 differs from the checkpoint's 128" in other.stderr
    np.savez(tmp_path / "mine.npz", x=np.random.default_rng(0).normal(size=(50, 4)), y=np.arange(50) % 3)
    data = run(finished, "--resume", "--data", str(tmp_path / "mine.npz"))
    assert data.returncode == 2
    assert "trained on other data" in data.stderr
    (finished / "checkpoint.npz").write_bytes(b"half a file")
    damaged = run(finished, "--resume")
    assert damaged.returncode == 2
    assert "damaged" in damaged.stderr
    assert "Traceback" not in damaged.stderr


def test_the_users_own_arrays_are_taken(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    y = np.arange(300) % 3
    np.savez(tmp_path / "mine.npz", x=rng.normal(size=(300, 2)) * 0.1 + np.eye(3)[y][:, :2], y=y.astype(np.int32))
    done = run(tmp_path, "--data", str(tmp_path / "mine.npz"), "--epochs", "40", "--lr", "0.01", "--batch-size", "100")
    assert done.returncode == 0, done.stderr
    assert "240 training samples, 60 for the test, 3 classes" in done.stdout
    assert float(done.stdout.split("test accuracy ")[1].split(" %")[0]) > 95.0


def test_bad_arrays_end_with_a_message_and_no_traceback(tmp_path: Path) -> None:
    np.savez(tmp_path / "mine.npz", x=np.ones((3, 3)))
    done = run(tmp_path, "--data", str(tmp_path / "mine.npz"))
    assert done.returncode == 2
    assert "has no array 'y'" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("--epochs", "0", "at least 1"),
        ("--batch-size", "ten", "invalid"),
        ("--lr", "nan", "positive number"),
        ("--seed", "-1", "must not be negative"),
    ],
)
def test_bad_options_are_explained(option: str, value: str, message: str, tmp_path: Path) -> None:
    done = run(tmp_path, option, value)
    assert done.returncode == 2
    assert message in done.stderr


def test_help_names_the_keys_of_the_data_file() -> None:
    done = subprocess.run([sys.executable, str(SCRIPT), "--help"], env=ENV, capture_output=True, text=True, check=True)
    text = " ".join(done.stdout.split())
    for key in ("x (samples, features)", "y (samples)", "x_test and y_test", "--resume"):
        assert key in text

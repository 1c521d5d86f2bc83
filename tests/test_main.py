import os
import pathlib
import subprocess
import sys

import pytest

from nbgrad.__main__ import main
from nbgrad.config import override
from nbgrad.runtime import cache


def test_the_cache_is_shown_and_cleared(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "nbgrad"
    with override(cache_dir=str(folder)):
        assert main(["cache"]) == 0
        cache.publish("key", bytes(2_000_000))
        cache.publish("other", b"")
        assert main(["cache", "show"]) == 0
        assert main(["cache", "clear"]) == 0
        assert main(["cache"]) == 0
    empty, shown, cleared, again = capsys.readouterr().out.splitlines()
    assert empty == again == f"{folder}: 0 entries, 0.0 MB"
    assert shown == f"{folder}: 2 entries, 2.0 MB"
    assert cleared == f"{folder}: 2 entries removed"


def test_a_folder_that_is_refused_is_an_error_not_a_traceback(
    tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tmp_path.chmod(0o777)
    with override(cache_dir=str(tmp_path)):
        assert main(["cache"]) == 1
    assert "can be written by others" in capsys.readouterr().err


def test_a_place_where_nothing_can_be_kept_is_said(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("")
    with override(cache_dir=str(tmp_path / "file" / "cache")):
        assert "is no folder" in cache.obstacle()
    with override(cache_dir=str(tmp_path / "new" / "cache")):
        assert main(["cache"]) == 0
    assert "no kernels can be kept" not in capsys.readouterr().out


def test_an_unknown_command_names_the_known_ones() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "nbgrad", "cahce"], capture_output=True, text=True, env={**os.environ, "NBGRAD_LOG": ""}
    )
    assert done.returncode == 2
    assert "cache" in done.stderr

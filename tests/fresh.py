"""A Python of its own, for what a process says and does from its import on."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def fresh(
    *command: object, cwd: Path | None = None, timeout: float | None = None, **variables: str
) -> subprocess.CompletedProcess[str]:
    """How ``python *command`` ended, with ``variables`` in its environment. On a busy machine it may take minutes: what
    hangs is ended by the watch over its test."""
    arguments, env = [sys.executable, *map(str, command)], {**os.environ, **variables}
    return subprocess.run(arguments, cwd=cwd, env=env, capture_output=True, text=True, timeout=timeout, check=False)


def printed(*command: object, cwd: Path | None = None, timeout: float | None = None, **variables: str) -> str:
    """What ``python *command`` prints, which has to succeed."""
    done = fresh(*command, cwd=cwd, timeout=timeout, **variables)
    assert done.returncode == 0, done.stderr
    return done.stdout

"""Every check of a working copy in one command, ``python -m tests``: style, types, tests. Stops at the first failure.

Arguments go to pytest: ``python -m tests tests/nn -k linear``. ``.ci/run`` does the same from an empty environment.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

CHECKS = (
    [sys.executable, "-m", "ruff", "check", "."],
    [sys.executable, "-m", "mypy"],
    [sys.executable, "-m", "pytest", *sys.argv[1:]],
)


def main() -> int:
    for command in CHECKS:
        print("==", " ".join(command[2:]), flush=True)
        status = subprocess.run(command, cwd=ROOT, check=False).returncode
        if status:
            return status
    return 0


if __name__ == "__main__":
    sys.exit(main())

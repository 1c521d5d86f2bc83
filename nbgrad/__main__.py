"""``python -m nbgrad`` says what is installed here and what works; ``python -m nbgrad cache`` shows the folder of
compiled kernels, and ``python -m nbgrad cache clear`` empties it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from nbgrad.report import report
from nbgrad.runtime import cache


def main(arguments: Sequence[str]) -> int:
    """Run one command; gives the exit code."""
    parser = argparse.ArgumentParser(prog="python -m nbgrad", description="Say what works here; look after files.")
    commands = parser.add_subparsers(dest="command")
    command = commands.add_parser("cache", help="the folder of compiled kernels (NBGRAD_CACHE_DIR moves it)")
    command.add_argument("action", nargs="?", choices=("show", "clear"), default="show")
    parsed = parser.parse_args(arguments)
    if parsed.command is None:
        print(report())
        return 0
    try:
        print(clear() if parsed.action == "clear" else show())
    except OSError as error:
        print(f"the cache cannot be used: {error}", file=sys.stderr)
        return 1
    return 0


def show() -> str:
    """Where the folder is and what it holds."""
    folder, entries, nbytes = cache.stats()
    problem = cache.obstacle()
    kept = f"\nno kernels can be kept there, so each process compiles its own: {problem}" if problem else ""
    return f"{folder}: {entries} entries, {nbytes / 1e6:.1f} MB{kept}"


def clear() -> str:
    """Empty the folder; says what went."""
    folder = cache.stats().folder
    return f"{folder}: {cache.clear()} entries removed"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Print the commands that the README marks with ``<!-- ci: NAME -->``: per line a name, a tab, a command."""

from __future__ import annotations

import re
import sys
from pathlib import Path

MARKED = re.compile(r"<!-- ci: (?P<name>[^\n]+?) -->\n```sh\n(?P<command>[^\n]+)\n```\n")


def commands(readme: str) -> dict[str, str]:
    """Name to command; ValueError unless each mark is followed by a block of one line."""
    found = {match["name"]: match["command"] for match in MARKED.finditer(readme)}
    if len(found) != readme.count("<!-- ci: "):
        raise ValueError(
            "README.md: each <!-- ci: NAME --> needs a name of its own and below it an sh block of one line"
        )
    return found


if __name__ == "__main__":
    for name, command in commands(Path(sys.argv[1]).read_text(encoding="utf-8")).items():
        print(f"{name}\t{command}")

"""Programs with a mistake, a line each, with the class of error that PyTorch has for it: ``fixtures/mistakes.txt``.

    python -m tests.mistakes        asks PyTorch anew for the class of each line (where torch is installed)

A line is Python with the names of ``names_of``; a class is the first of Python's own that the error is. What is wrong
in the same way of many operations is a line for each.
"""

from __future__ import annotations

import builtins
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

TABLE = Path(__file__).parent / "fixtures" / "mistakes.txt"
CLASS_WIDTH = 20  # of the first column


def names_of(lib: Any) -> dict[str, Any]:
    """What a line may use: the library, its usual rooms, and a few tensors."""
    lib.manual_seed(0)
    return {
        "torch": lib,
        "nn": lib.nn,
        "F": lib.nn.functional,
        "x": lib.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]),
        "v": lib.tensor([1.0, 2.0, 3.0]),
        "i": lib.tensor([0, 1]),
        "b": lib.tensor([True, False]),
        "s": lib.tensor(2.0),
        "m": lib.tensor([[2.0, 1.0], [1.0, 3.0]]),
        "w": lib.tensor([1.0, 2.0], requires_grad=True),
        "image": lib.ones(2, 3, 8, 8),
        "signal": lib.ones(2, 3, 8),
        "p": lib.nn.Parameter(lib.ones(2)),
        "net": lib.nn.Linear(3, 2),
        "thing": object(),
    }


def mistakes() -> Iterator[tuple[str, str]]:
    """(line, name of a class) of each row."""
    for row in TABLE.read_text(encoding="utf-8").splitlines():
        if row and not row.startswith("#"):
            yield row[CLASS_WIDTH:], row[:CLASS_WIDTH].strip()


def run(line: str, lib: Any, file: str) -> Any:
    """What a line gives, where it is an expression, and the names after it."""
    names = names_of(lib)
    try:
        code = compile(line, file, "eval")
    except SyntaxError:
        exec(compile(line, file, "exec"), names)
        return names
    return eval(code, names), names


def main() -> None:
    """Ask PyTorch."""
    import torch
    import torch.func
    import torch.utils.checkpoint

    rows = []
    for row in TABLE.read_text(encoding="utf-8").splitlines():
        if not row or row.startswith("#"):
            rows.append(row)
            continue
        line = row[CLASS_WIDTH:]
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                run(line, torch, "<mistake>")
        except Exception as error:
            own = next(c.__name__ for c in type(error).__mro__ if c.__module__ == builtins.__name__)
            rows.append(f"{own:<{CLASS_WIDTH}}{line}")
        else:
            raise SystemExit(f"PyTorch takes it: {line}")
    TABLE.write_text("\n".join(rows) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

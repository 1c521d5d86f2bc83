"""A PTX module as LLVM or NVVM writes it, read into functions of steps and labels."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Array = Any
Step = tuple[str | None, bool, list[str], list[str]]  # guard, what it must be, the name's parts, operands


@dataclass
class Function:
    """One function's code: its parameters, where its labels stand."""

    params: list[str]
    results: list[str]
    steps: list[Step] = field(default_factory=list)
    labels: dict[str, int] = field(default_factory=dict)


class Module:
    """A PTX module, ready to run."""

    def __init__(self, text: str) -> None:
        self.globals: dict[str, Array] = {}
        self.functions: dict[str, Function] = {}
        for name, body in re.findall(r"^\.global [^\n]*? (\w+)\[\d+\] = \{([^}]*)\};", text, re.MULTILINE):
            self.globals[name] = np.array([int(x) for x in body.split(",")], np.uint8)
        pattern = r"^(?:\.visible )?\.(?:entry|func)\s*(\([^)]*\))?\s*(\w+)\(([^)]*)\)[^{;]*\{(.*?)^\}"
        for results, name, params, body in re.findall(pattern, text, re.MULTILINE | re.DOTALL):
            self.functions[name] = _parsed(_names(params), _names(results), body)


def _names(params: str) -> list[str]:
    return [part.split()[-1] for part in params.strip("()").split(",") if part.strip()]


def _parsed(params: list[str], results: list[str], body: str) -> Function:
    function = Function(params, results)
    body = re.sub(r"\bcall\.uni\b[^;]*;", lambda found: " ".join(found[0].split()), body)
    for line in body.splitlines():
        line = re.sub(r"^\{ \.reg \.b\d+ tmp; (.*); \}$", r"\1", line.split("//")[0].strip()).rstrip(";")
        if re.fullmatch(r"\$?\w+:", line):
            function.labels[line[:-1]] = len(function.steps)
        elif line and not line.startswith((".", "{", "}")):
            guard, _, rest = line.partition(" ") if line.startswith("@") else ("", "", line)
            name, _, operands = rest.strip().partition(" ")
            parts = [x.strip() for x in re.findall(r"\{[^}]*\}|\([^)]*\)|\[[^\]]*\]|[^,\s]+", operands)]
            function.steps.append((guard.lstrip("@!") or None, "!" not in guard, name.split("."), parts))
    return function

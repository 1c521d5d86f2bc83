"""nbgrad.draw: the graph behind tensors as a picture, in the language of Graphviz."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from nbgrad.autograd.history import Past, history_of
from nbgrad.calls.arguments import refused
from nbgrad.errors import RunError
from nbgrad.trace import Handle, flush, get_mode, local, plans_run, set_mode

__all__ = ["Drawing", "draw"]

GRAD, PLAIN, RESULT = "#d5e8d4", "#f5f5f5", "#dae8fc"


class Drawing:
    """A graph: ``dot`` is its text, ``svg()`` a picture where Graphviz is installed; notebooks show that."""

    def __init__(self, dot: str) -> None:
        self.dot = dot

    def __repr__(self) -> str:
        return self.dot

    def svg(self) -> str:
        """The picture as SVG. RuntimeError where the program ``dot`` of Graphviz is not there, or fails."""
        program = shutil.which("dot")
        if program is None:
            raise RunError("draw: the program 'dot' of Graphviz is not installed; Drawing.dot is the graph as text")
        done = subprocess.run([program, "-Tsvg"], input=self.dot, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RunError(f"draw: dot failed: {done.stderr.strip()}")
        return done.stdout

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it to a file: as SVG where its name ends with .svg, as text otherwise."""
        text = self.svg() if os.fspath(path).endswith(".svg") else self.dot
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def _repr_svg_(self) -> str | None:
        return self.svg() if shutil.which("dot") else None


def draw(what: Any, *args: Any, params: Mapping[str, Handle] | None = None, **kwargs: Any) -> Drawing:
    """The operations behind ``what``: a tensor or several, or a function, which is called with ``args`` and whose
    results are meant.

    Each has its name, shape and dtype, and the user's line where that is known: of a function, which is recorded anew,
    but not of tensors that are there already. ``params`` gives leaves names; a module's are known. Green: what requires
    grad. TypeError where there is no tensor.

    >>> x = nbgrad.tensor([1.0, 2.0], requires_grad=True)
    >>> print(nbgrad.draw((x * 2).sum(), params={"x": x}))
    digraph {
      node [shape=box, style=filled, fontname="monospace", fontsize=10]
      n0 [label="sum\\nf32[]", fillcolor="#dae8fc"]
      n1 [label="mul\\nf32[2]", fillcolor="#d5e8d4"]
      n2 [label="x\\nf32[2]", fillcolor="#d5e8d4", shape=ellipse]
      n1 -> n0
      n2 -> n1
    }
    """
    if callable(what) and not isinstance(what, Handle):
        names = dict(what.named_parameters()) if hasattr(what, "named_parameters") else {}
        what = _recorded(what, args, kwargs)
        params = {**names, **(params or {})}
    elif args or kwargs:
        raise refused("draw", "what", what, "a function, where it is given arguments")
    outputs: Sequence[Any] = what if isinstance(what, (list, tuple)) else [what]
    for y in outputs:
        if not isinstance(y, Handle):
            raise refused("draw", "what", y, "Tensor, tensors, or a function that gives such")
    found, roots = history_of(outputs)
    names = {id(x): name for name, x in (params or {}).items()}
    number = {spot: k for k, spot in enumerate(found)}
    lines = [_node(number[spot], past, names, spot in roots) for spot, past in found.items()]
    lines += [f"n{number[x]} -> n{number[spot]}" for spot, past in found.items() for x in past.inputs]
    head = 'node [shape=box, style=filled, fontname="monospace", fontsize=10]'
    return Drawing("\n".join(["digraph {", *[f"  {line}" for line in (head, *lines)], "}"]))


def _recorded(function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """What ``function`` gives, recorded so that lines are kept."""
    flush(local.trace)
    with plans_run():
        before = get_mode()
        set_mode(not before[0], before[1])  # what goes another way than the program's is recorded as new
        set_mode(*before)
        return function(*args, **kwargs)


def _node(number: int, past: Past, names: Mapping[int, str], is_root: bool) -> str:
    name = past.name or names.get(id(past.leaf), "leaf" if past.requires_grad else "input")
    words = [name, *([] if past.spec is None else [str(past.spec)]), *([past.line] if past.line else [])]
    label = "\\n".join([word.replace("\\", "\\\\").replace('"', '\\"') for word in words])
    color = RESULT if is_root else GRAD if past.requires_grad else PLAIN
    return f'n{number} [label="{label}", fillcolor="{color}"{"" if past.name else ", shape=ellipse"}]'


def __dir__() -> list[str]:
    """The public names, for completion."""
    return [*__all__]

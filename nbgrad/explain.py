"""nbgrad.explain: every stage of a computation, as an object that prints and that tests can read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from nbgrad.calls.arguments import refused
from nbgrad.log import fallbacks
from nbgrad.multi_device import AnyPlan
from nbgrad.trace import flush, local, plans_run


class Explanation:
    """What a call of a function went through: ``steps`` are its tapes, each with its stages as text by name.

    ``fallbacks`` says what this process does in a slower way than it should, and why: without a worker process, say.
    """

    def __init__(self, result: Any, steps: list[dict[str, str]], fallbacks: list[str]) -> None:
        self.result = result
        self.steps = steps
        self.fallbacks = fallbacks

    def __getitem__(self, stage: str) -> str:
        return "\n".join([step[stage] for step in self.steps if stage in step])

    def __iter__(self) -> Iterator[str]:
        """The names of its stages."""
        return iter(dict.fromkeys([stage for step in self.steps for stage in step]))

    def __repr__(self) -> str:
        parts = []
        for number, step in enumerate(self.steps):
            parts += [f"==== tape {number} ===="]
            parts += [f"-- {name} --\n{text}" for name, text in step.items()]
        if self.fallbacks:
            parts += ["==== fallbacks ====", *self.fallbacks]
        return "\n".join(parts) or "nothing was computed"


def explain(fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Explanation:
    """Run ``fn`` and show the graph, the fused groups, the tape and the kernels of every tape that it ran.

    Gives ``result``, what ``fn`` returned; ``steps``, for each program that ran a dict of texts (graph, passes, fuse,
    tape, memory, code, kernels, tier); and ``fallbacks``, what has run slower than it should since the process began.

    >>> print(nbgrad.explain(lambda x: (x * 2).tanh().sum().item(), nbgrad.ones(3)).steps[0]["graph"])  # doctest: +SKIP
    """
    if not callable(fn):
        raise refused("explain", "fn", fn, "function")
    result, plans = plans_of(fn, args, kwargs)
    return Explanation(result, [plan.explain() for plan in plans], fallbacks())


def plans_of(fn: Callable[..., Any], args: Any, kwargs: Any) -> tuple[Any, list[AnyPlan]]:
    """What ``fn`` returns, and the plans that ran for it."""
    flush(local.trace)
    with plans_run() as plans:
        result = fn(*args, **kwargs)
        flush(local.trace)
    return result, plans

"""Optimisers whose state has numbers besides the count of steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from nbgrad.optim.optimizer import Group, Optimizer
from nbgrad.tensor import Tensor

Numbers = dict[str, Any]  # of the state of one parameter


class KeepsNumbers(Optimizer):
    """Base of optimisers that carry numbers from step to step: a step that comes to nothing puts back those before."""

    def _counting(
        self, group: Group, params: Sequence[Tensor]
    ) -> tuple[Callable[[], tuple[Any, ...]], Callable[[], None]]:
        before: list[Numbers] = []

        def numbers() -> tuple[Any, ...]:
            before[:] = [dict(self.state[p]) for p in params]
            return self._numbers(group, params)

        return numbers, lambda: self._put(params, before)

    def _advance(self, params: Sequence[Tensor], after: Sequence[Numbers]) -> None:
        """Take over ``after``, numbers of the state of each of ``params``; of none, where a signal's handler raises."""
        before = [dict(self.state[p]) for p in params]
        try:
            self._put(params, after)
        except BaseException:
            self._put(params, before)
            raise

    def _put(self, params: Sequence[Tensor], states: Sequence[Numbers]) -> None:
        for param, state in zip(params, states, strict=True):
            self.state[param].update(state)

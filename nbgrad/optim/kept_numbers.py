"""Optimisers whose state has numbers besides the count of steps, or whose numbers are not those of every parameter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nbgrad.optim.by_parameter import ByParameter, Counting, dtype_of_numbers
from nbgrad.optim.options import Group
from nbgrad.tensor import Tensor

Numbers = dict[str, Any]  # of the state of one parameter


def rounded(number: Any) -> Any:
    """A number as a state keeps it, in PyTorch a tensor of the default dtype. A tensor as it is."""
    return number if isinstance(number, Tensor) else float(dtype_of_numbers().numpy.type(number))


class KeepsNumbers(ByParameter):
    """Base of optimisers that carry numbers from step to step: a step that comes to nothing puts back those before."""

    def _kind(self, param: Tensor) -> Any:
        """What the numbers of a parameter's update depend on besides those of its state."""
        return None

    def _after(self, group: Group, state: Numbers, kind: Any) -> tuple[tuple[Any, ...], Numbers]:
        """The numbers of an update, and those of the state behind it."""
        raise NotImplementedError

    def _numbers(self, group: Group, params: Sequence[Tensor]) -> tuple[Any, ...]:
        decay, names = self._decay(group), self._counts
        known: dict[Any, Any] = {}  # mostly all parameters have the same numbers
        numbers: list[Any] = []
        afters: list[Numbers] = []
        for param in params:
            state = self.state[param]
            now = (self._kind(param), *[state[name] for name in names])
            if now not in known:
                known[now] = self._after(group, state, now[0])
            own, after = known[now]
            numbers += (*decay, *own)
            afters.append(after)
        made = tuple(numbers)
        before = [dict(self.state[p]) for p in params]
        try:  # last, so that no other exception comes behind it
            self._put(params, afters)
        except BaseException:  # of a signal's handler
            self._put(params, before)
            raise
        return made

    def _counting(self, group: Group, params: Sequence[Tensor]) -> Counting:
        before: list[Numbers] = []

        def numbers() -> tuple[Any, ...]:
            before[:] = [dict(self.state[p]) for p in params]
            return self._numbers(group, params)

        return numbers, lambda: self._put(params, before)

    def _put(self, params: Sequence[Tensor], states: Sequence[Numbers]) -> None:
        for param, state in zip(params, states, strict=True):
            self.state[param].update(state)

"""Optimisers that update each parameter by itself. One of them says which tensors it keeps (``_kept``), which numbers a
step takes (``_own``), and what the step does with both (``_along``); its options are what its ``__init__`` takes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from operator import itemgetter
from typing import Any

from nbgrad.autograd import enable_grad, no_grad
from nbgrad.calls.arguments import function_of
from nbgrad.errors import RunError, StateError
from nbgrad.functions.creation import full_like, tensor, zeros_like
from nbgrad.graph.dtypes import DType, float32, float64, get_default_dtype
from nbgrad.optim.hooked import profile_hook_step
from nbgrad.optim.optimizer import Optimizer
from nbgrad.optim.options import Group, check_options, plain
from nbgrad.system.imports import import_module
from nbgrad.tensor import Tensor
from nbgrad.trace import local, numbers_of, record_block

Counting = tuple[Callable[[], tuple[Any, ...]], Callable[[], None]]


@cache
def _reader(names: tuple[str, ...]) -> Callable[[dict[str, Any]], tuple[Tensor, ...]]:
    """What gives the entries of these names."""
    first, several = names[0], itemgetter(*names)
    return several if len(names) > 1 else lambda state: (state[first],)


def dtype_of_numbers() -> DType:
    """The dtype that numbers of a state have in PyTorch: float32, where the default dtype is not float64."""
    return float64 if get_default_dtype() is float64 else float32


class ByParameter(Optimizer):
    """Base of optimisers whose step is the same few operations on each parameter, its gradient and its state.

    The numbers of a step change from step to step, so they are no part of the recorded structure: all are computed
    first, and the operations take them in their order.
    """

    _opt_called = False
    _kept: tuple[str, ...] = ()  # the tensors in a parameter's state that every step reads
    _switches: tuple[str, ...] = ("weight_decay", "maximize")  # options that decide which operations a step consists of
    _counts: tuple[str, ...] = ("step",)  # the numbers in a parameter's state
    _smaller: tuple[str, ...] = ()  # the tensors there that have not its shape
    _decoupled = False  # whether weights decay by themselves, also without an option that says so
    _by_parts = True  # whether the parts of a complex parameter are updated as parameters of their own
    _takes_complex = True
    # The update: the parameter, the gradient to follow, the group, the numbers of the step, and the tensors kept.
    _along: Callable[..., None]

    @profile_hook_step
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Update every parameter that has a gradient. ``closure`` computes loss and gradients first and is returned."""
        loss = None
        if closure is not None:
            function_of(f"{type(self).__name__}.step", "closure", closure)
            with enable_grad():
                loss = closure()
        for group in self.param_groups:
            for part in [{**group, "params": [p]} for p in group["params"]] if self._repeats else [group]:
                self._update(part)
        return loss

    def _check(self, group: Group) -> None:
        check_options(type(self).__name__, group)

    def _update(self, group: Group) -> None:
        """One step for the tensors of ``group`` that have a gradient."""
        params = [p for p in group["params"] if p._grad is not None]
        if not self._takes_complex and any(p.is_complex() for p in params):
            raise RunError(f"{type(self).__name__} does not support complex parameters")
        states = self._states_of(params, group)
        count, uncount = self._counting(group, params)
        if local.trace.watcher is not None:
            self._record(group, params, states, numbers_of(count, uncount))
            return
        before, numbers = [p._at for p in params], None
        try:
            numbers = count()
            self._record(group, params, states, numbers)
        except BaseException:  # of a signal's handler: what has written nothing is not counted
            is_written = any(p._page is not None and p._at is not at for p, at in zip(params, before, strict=True))
            if numbers is not None and not is_written:
                uncount()
            raise

    def _record(self, group: Group, params: Sequence[Tensor], states: Any, numbers: Sequence[Any]) -> None:
        """Write the next values of ``params`` and ``states``."""
        is_differentiable = group.get("differentiable", False)

        def steps() -> None:
            rest = iter(numbers)
            with enable_grad() if is_differentiable else no_grad():
                for param, state in zip(params, states, strict=True):
                    self._step(param, param._grad, group, rest, state or ())

        if is_differentiable or None in states:
            steps()
        else:
            tensors = [x for p, state in zip(params, states, strict=True) for x in (p, p._grad, *(state or ()))]
            record_block((type(self), *self._form(group)), tensors, numbers, steps)

    def _form(self, group: Group) -> tuple[bool, ...]:
        return tuple([bool(group[name] != 0) for name in self._switches])

    def _names(self, group: Group) -> tuple[str, ...]:
        """The tensors that an update keeps, always in one order."""
        return self._kept

    def _states_of(self, params: Sequence[Tensor], group: Group) -> Sequence[tuple[Tensor, ...] | None]:
        """The tensors that an update of each of ``params`` keeps, made where they are missing; None where the update
        itself makes them."""
        kept, names = self.state, self._names(group)
        read = _reader(names)
        try:
            return [read(kept[p]) for p in params]
        except KeyError:
            for param in params:
                if not kept[param].keys() >= {*names}:
                    kept[param].update({**self._first(param, group), **kept[param]})
            return [read(kept[p]) for p in params]

    def _first(self, param: Tensor, group: Group) -> dict[str, Any]:
        """The state of ``param`` before its first step."""
        return {"step": 0, **{name: zeros_like(param) for name in self._names(group)}}

    def _own(self, group: Group, step: int) -> tuple[Any, ...]:
        """The numbers of a parameter's update, as many each time, in the order in which ``_along`` takes them.

        ``step`` counts from 1.
        """
        raise NotImplementedError

    def _numbers(self, group: Group, params: Sequence[Tensor]) -> tuple[Any, ...]:
        """Count a step of ``params``, and give all numbers that it records, in the order in which it does."""
        kept, decay = self.state, self._decay(group)
        counted, own = None, decay
        numbers: list[Any] = []
        try:
            for param in params:
                state = kept[param]
                step = state["step"] + 1
                if step != counted:
                    own, counted = (*decay, *self._own(group, step)), step
                numbers += own
                state["step"] = step
            return tuple(numbers)
        except BaseException:  # of a signal's handler: all steps are counted, or none is
            self._uncount(params[: len(numbers) // max(len(own), 1)])
            raise

    def _counting(self, group: Group, params: Sequence[Tensor]) -> Counting:
        """What gives the numbers of each run of a compiled step, and what takes back the one that it counted last."""
        return lambda: self._numbers(group, params), lambda: self._uncount(params)

    def _uncount(self, params: Sequence[Tensor]) -> None:
        for param in params:
            if "step" in self.state[param]:
                self.state[param]["step"] -= 1

    def _saved(self, state: Mapping[str, Any]) -> dict[str, Any]:
        """Its numbers are tensors there."""
        return {key: tensor(x, dtype=dtype_of_numbers()) if key in self._counts else x for key, x in state.items()}

    def _loaded(self, value: Any, param: Tensor, key: str) -> Any:
        if isinstance(value, Tensor):
            if key in self._counts:
                return int(value) if key == "step" else float(value)
            if value.shape != param.shape and key not in self._smaller:
                raise StateError(
                    f"loaded state '{key}' has shape {[*value.shape]}, but its parameter has shape {[*param.shape]}"
                )
        return super()._loaded(value, param, key)

    def _is_decoupled(self, group: Group) -> bool:
        return bool(group.get("decoupled_weight_decay", self._decoupled))

    def _decay(self, group: Group) -> tuple[Any, ...]:
        """The number by which weights decay; none where they do not."""
        decay = group.get("weight_decay", 0)
        if decay == 0:
            return ()
        return (1 - plain(group["lr"]) * plain(decay) if self._is_decoupled(group) else plain(decay),)

    def _step(self, param: Tensor, grad: Tensor, group: Group, numbers: Iterator[Any], kept: Sequence[Tensor]) -> None:
        """Update ``param`` and its state in place, under no_grad, with the next of ``numbers``."""
        if group.get("maximize"):
            grad = -grad
        if group.get("weight_decay", 0) != 0:
            if self._is_decoupled(group):
                param.mul_(next(numbers))
            else:
                grad = grad.add(param, alpha=next(numbers))
        if self._by_parts and param.is_complex():
            of = import_module("nbgrad.functions.complex_numbers").view_as_real
            param, grad, *kept = [of(x) for x in (param, grad, *kept)]
        self._along(param, grad, group, numbers, *kept)


def filled_like(param: Tensor, value: Any) -> Tensor:
    """A tensor like ``param`` with ``value`` everywhere, in both parts of complex elements."""
    filled: Tensor = full_like(param, complex(value, value) if param.is_complex() else value)
    return filled

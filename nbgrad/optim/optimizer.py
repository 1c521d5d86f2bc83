"""What all optimisers share: groups of parameters with their options, state per parameter, saving both."""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from nbgrad.autograd import enable_grad, no_grad
from nbgrad.autograd.hooks import RemovableHandle, added
from nbgrad.calls.arguments import function_of, items_of
from nbgrad.errors import ArgumentError, DTypeError, StateError, warn_here
from nbgrad.nn.state import zero_gradients
from nbgrad.tensor import Tensor
from nbgrad.trace import local, numbers_of, record_block

NO_STEP = "Optimizer has no step() of its own: define it in a subclass"
_DUPLICATES = (
    "optimizer contains a parameter group with duplicate parameters; in future, this will cause an error; "
    "see github.com/pytorch/pytorch/issues/40967 for more information"
)
Group = dict[str, Any]  # "params": the tensors, and one entry per option


class Optimizer:
    """Base of the optimisers: a subclass gives ``defaults`` and says what the update of one parameter is: ``_step``.

    ``params`` is tensors, (name, tensor) pairs, or dicts {"params": tensors, option: value...}. Options are read at
    every step, so ``optimizer.param_groups[0]["lr"] = 0.01`` takes effect at once.
    """

    _hooks: dict[str, OrderedDict[int, Any]] | None = None  # most have none
    _repeats = False  # some parameter is updated several times a step, as often as it was given

    def __init__(self, params: Iterable[Any], defaults: Group) -> None:
        if isinstance(params, Tensor):
            raise DTypeError(
                f"{type(self).__name__}: params must be an iterable of Tensors or dicts, but got one Tensor"
            )
        self.defaults = defaults
        self.state: defaultdict[Tensor, dict[str, Any]] = defaultdict(dict)
        self.param_groups: list[Group] = []
        groups = items_of(type(self).__name__, "params", params, "iterable of Tensors or dicts")
        if not groups:
            raise ArgumentError(f"{type(self).__name__}: optimizer got an empty parameter list")
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(group)

    def add_param_group(self, param_group: Group) -> None:
        """Add tensors with options of their own; options left out are the optimiser's defaults."""
        if not isinstance(param_group, dict):
            raise DTypeError(f"add_param_group: param_group must be a dict, but got {type(param_group).__name__}")
        if "params" not in param_group:
            raise KeyError("add_param_group: a group needs its parameters under 'params'")
        given = param_group["params"]
        if isinstance(given, set):
            raise DTypeError(
                "add_param_group: optimizer parameters need to be organized in ordered collections: a set has no order"
            )
        params = [self._tensor_of(item) for item in ([given] if isinstance(given, Tensor) else given)]
        group = {**self.defaults, **param_group, "params": params}
        self._check(group)
        held = {id(p) for other in self.param_groups for p in other["params"]}
        if len({id(p) for p in params}) != len(params):
            warn_here(_DUPLICATES, UserWarning)
            self._repeats = True
        if any(id(p) in held for p in params):
            raise ArgumentError("add_param_group: some parameters appear in more than one parameter group")
        self.param_groups.append(group)

    def _tensor_of(self, item: Any) -> Tensor:
        tensor = item[1] if isinstance(item, tuple) and len(item) == 2 else item
        name = type(self).__name__
        if not isinstance(tensor, Tensor):
            raise DTypeError(
                f"{name}: optimizer can only optimize Tensors, but one of the params is {type(tensor).__name__}"
            )
        if not (tensor.is_leaf or tensor.retains_grad):
            raise ArgumentError(f"{name}: can't optimize a non-leaf Tensor: optimise the leaves it is computed from")
        return tensor

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Update every parameter that has a gradient. ``closure`` computes loss and gradients first and is returned."""
        for hook in self._hooked("pre"):
            hook(self, (closure,), {})
        loss = None
        if closure is not None:
            function_of(f"{type(self).__name__}.step", "closure", closure)
            with enable_grad():
                loss = closure()
        for group in self.param_groups:
            for part in [{**group, "params": [p]} for p in group["params"]] if self._repeats else [group]:
                self._update(part)
        for hook in self._hooked("post"):
            hook(self, (closure,), {})
        return loss

    def register_step_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(optimizer, args, kwargs)`` before each ``step``."""
        return self._add_hook("pre", hook)

    def register_step_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(optimizer, args, kwargs)`` after each ``step``."""
        return self._add_hook("post", hook)

    def _add_hook(self, kind: str, hook: Callable[..., Any]) -> RemovableHandle:
        if self._hooks is None:
            self._hooks = {"pre": OrderedDict(), "post": OrderedDict()}
        return added(self._hooks[kind], hook)

    def _hooked(self, kind: str) -> Sequence[Callable[..., Any]]:
        return () if self._hooks is None else list(self._hooks[kind].values())

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget all gradients, or write zeros into them with ``set_to_none=False``."""
        for group in self.param_groups:
            zero_gradients(group["params"], set_to_none)

    def state_dict(self) -> dict[str, Any]:
        """State and options with parameters named by position: {"state": {0: {...}}, "param_groups": [...]}."""
        numbers = {p: i for i, p in enumerate(self._params())}
        groups = [{**group, "params": [numbers[p] for p in group["params"]]} for group in self.param_groups]
        return {"state": {numbers[p]: dict(state) for p, state in self.state.items()}, "param_groups": groups}

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Take over state and options from ``state_dict``; its tensors are copied, in each parameter's dtype.

        Groups and the dicts of states stay the objects that a compiled step has seen.
        """
        if not isinstance(state_dict, Mapping) or not {"state", "param_groups"} <= set(state_dict):
            raise StateError(
                "load_state_dict: expected what state_dict() gives: a dict with 'state' and 'param_groups'"
            )
        saved = state_dict["param_groups"]
        sizes = [len(group["params"]) for group in saved]
        if len(sizes) != len(self.param_groups):
            raise ArgumentError("loaded state dict has a different number of parameter groups")
        if sizes != [len(group["params"]) for group in self.param_groups]:
            raise ArgumentError("loaded state dict has a parameter group of another size than the optimizer's")
        numbered = dict(zip([n for group in saved for n in group["params"]], self._params(), strict=True))
        state: dict[Tensor, dict[str, Any]] = {}
        for number, entries in state_dict["state"].items():
            param = numbered[number]
            state[param] = {key: self._loaded(value, param, key) for key, value in entries.items()}
        options = [{**group, "params": own["params"]} for group, own in zip(saved, self.param_groups, strict=True)]
        for group in options:
            self._check(group)
        for own, group in zip(self.param_groups, options, strict=True):
            _refill(own, group)
        _refill(self.state, {param: _refill(self.state[param], entries) for param, entries in state.items()})

    def _loaded(self, value: Any, param: Tensor, key: str) -> Any:
        """What the state of ``param`` takes over where ``value`` was saved."""
        return _copied(value, param, key)

    def _params(self) -> list[Tensor]:
        return [p for group in self.param_groups for p in group["params"]]

    def _check(self, group: Group) -> None:
        """Raise ArgumentError for options out of range. A user's optimiser, which has its own ``step``, has none."""

    def _update(self, group: Group) -> None:
        """One step for the tensors of ``group`` that have a gradient."""
        params = [p for p in group["params"] if p._grad is not None]
        states = self._states_of(params, group)
        if local.trace.watcher is None:
            numbers = self._numbers(group, params)
        else:
            numbers = numbers_of(*self._counting(group, params))

        def steps() -> None:
            rest = iter(numbers)
            with no_grad():
                for param in params:
                    self._step(param, param._grad, self.state[param], group, rest)

        if None in states:
            steps()
        else:
            tensors = [x for p, state in zip(params, states, strict=True) for x in (p, p._grad, *(state or ()))]
            record_block((type(self), *self._form(group)), tensors, numbers, steps)

    def _state_of(self, param: Tensor, group: Group) -> tuple[Tensor, ...] | None:
        """The tensors that an update of ``param`` keeps, always in one order; made where they are missing, or None
        where the update itself makes them."""
        raise NotImplementedError(NO_STEP)

    def _states_of(self, params: Sequence[Tensor], group: Group) -> Sequence[tuple[Tensor, ...] | None]:
        """The same, of each of ``params``."""
        return [self._state_of(p, group) for p in params]

    def _numbers(self, group: Group, params: Sequence[Tensor]) -> tuple[Any, ...]:
        """Count a step of ``params``, and give all numbers that it records, in the order in which it does.

        They change from step to step, so they are no part of the recorded structure.
        """
        raise NotImplementedError(NO_STEP)

    def _counting(
        self, group: Group, params: Sequence[Tensor]
    ) -> tuple[Callable[[], tuple[Any, ...]], Callable[[], None]]:
        """What gives the numbers of each run of a compiled step, and what takes back the one that it counted last."""
        return lambda: self._numbers(group, params), lambda: self._uncount(params)

    def _count(self, params: Sequence[Tensor]) -> None:
        """Count a step of all ``params``; of none, where a signal's handler raises meanwhile."""
        counted: list[Tensor] = []
        try:
            for param in params:
                self.state[param]["step"] += 1
                counted.append(param)
        except BaseException:
            self._uncount(counted)
            raise

    def _uncount(self, params: Sequence[Tensor]) -> None:
        """Take back the step of ``params`` that was counted last."""
        for param in params:
            if "step" in self.state[param]:
                self.state[param]["step"] -= 1

    def _form(self, group: Group) -> tuple[bool, ...]:
        """Which operations an update consists of, as far as options decide it."""
        raise NotImplementedError(NO_STEP)

    def _step(self, param: Tensor, grad: Tensor, state: dict[str, Any], group: Group, numbers: Iterator[Any]) -> None:
        """Update ``param`` and its state in place, under no_grad, with the next of ``numbers``."""
        raise NotImplementedError(NO_STEP)

    def __repr__(self) -> str:
        lines = [f"{type(self).__name__} ("]
        for i, group in enumerate(self.param_groups):
            lines.append(f"Parameter Group {i}")
            lines.extend(f"    {key}: {group[key]}" for key in sorted(group) if key != "params")
        return "\n".join([*lines, ")"])


def require(ok: bool, name: str, value: object) -> None:
    """ArgumentError "Invalid <name>: <value>" unless ``ok``."""
    if not ok:
        raise ArgumentError(f"Invalid {name}: {value}")


def number(name: str, value: object) -> float:
    """``value``; DTypeError where it is no number (a 0-d tensor is one)."""
    if isinstance(value, Tensor) and value.numel() == 1:
        return value  # type: ignore[return-value]
    if not isinstance(value, (int, float, np.number)):
        raise DTypeError(f"Invalid {name}: expected a number, got {type(value).__name__}")
    return value  # type: ignore[return-value]


def plain(value: Any) -> Any:
    """A number as a float; a tensor as it is."""
    return value if isinstance(value, Tensor) else float(value)


def _refill(own: dict[Any, Any], new: dict[Any, Any]) -> dict[Any, Any]:
    """``own`` with the entries of ``new`` and no others."""
    own.clear()
    own.update(new)
    return own


def _copied(value: Any, param: Tensor, key: str) -> Any:
    if not isinstance(value, Tensor):
        return value
    if tuple(value.shape) != tuple(param.shape):
        raise StateError(
            f"loaded state '{key}' has shape {list(value.shape)}, but its parameter has shape {list(param.shape)}"
        )
    return value.detach().to(param.device, param.dtype).clone()

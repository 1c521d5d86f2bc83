"""What all optimisers share: groups of parameters with their options, state per parameter, saving both."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from nbgrad.calls.arguments import class_of, items_of
from nbgrad.errors import ArgumentError, DTypeError, StateError, warn_here
from nbgrad.nn.state import zero_gradients
from nbgrad.optim.hooked import (
    Hooked,
    make_hooked,
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
)
from nbgrad.optim.options import Group, Required
from nbgrad.tensor import Tensor

__all__ = ["Optimizer", "register_optimizer_step_post_hook", "register_optimizer_step_pre_hook", "required"]

NO_STEP = "Optimizer has no step() of its own: define it in a subclass"
_DUPLICATES = (
    "optimizer contains a parameter group with duplicate parameters; in future, this will cause an error; "
    "see github.com/pytorch/pytorch/issues/40967 for more information"
)
required = Required()


class Optimizer(Hooked):
    """Base of the optimisers: a subclass gives ``defaults``, the options with their values (``required`` for one that
    every group has to give), and ``step``.

    ``params`` is tensors, (name, tensor) pairs, or dicts {"params": tensors, option: value...}. Options are read at
    every step, so ``optimizer.param_groups[0]["lr"] = 0.01`` takes effect at once.
    """

    _opt_called: bool | None = None  # whether a step was taken; unknown of steps that users write
    _repeats = False  # some parameter is updated several times a step, as often as it was given

    def __init__(self, params: Iterable[Any], defaults: Group) -> None:
        if isinstance(params, Tensor):
            raise DTypeError(
                f"{type(self).__name__}: params argument given to the optimizer should be an iterable of Tensors or "
                "dicts, but got one Tensor"
            )
        make_hooked(type(self))
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
        items = [given] if isinstance(given, Tensor) else [*given]
        params = [self._tensor_of(item) for item in items]
        group = {**self.defaults, **param_group, "params": params, **self._names_of(items)}
        for name, value in group.items():
            if value is required:
                raise ArgumentError(f"parameter group didn't specify a value of required optimization parameter {name}")
        self._check(group)
        held = {id(p) for other in self.param_groups for p in other["params"]}
        if len({id(p) for p in params}) != len(params):
            warn_here(_DUPLICATES, UserWarning)
            self._repeats = True
        if any(id(p) in held for p in params):
            raise ArgumentError("add_param_group: some parameters appear in more than one parameter group")
        self.param_groups.append(group)

    def _names_of(self, items: Sequence[Any]) -> Group:
        """The option "param_names", of a group whose parameters have them."""
        names = [item[0] for item in items if _is_named(item)]
        if names and len(names) != len(items):
            raise ArgumentError("all optimizer params should be with/without names. Some param names are missing")
        if self.param_groups and bool(names) != ("param_names" in self.param_groups[0]):
            with_or_without = "with" if names else "without"
            raise ArgumentError(
                "all optimizer param groups should be with/without names. cannot add param group "
                f"{with_or_without} names to the optimizer"
            )
        return {"param_names": names} if names else {}

    def _tensor_of(self, item: Any) -> Tensor:
        tensor = item[1] if _is_named(item) else item
        name = type(self).__name__
        if not isinstance(tensor, Tensor):
            raise DTypeError(
                f"{name}: optimizer can only optimize Tensors, but one of the params is {class_of(tensor)}"
            )
        if not (self.defaults.get("differentiable") or tensor.is_leaf or tensor.retains_grad):
            raise ArgumentError(f"{name}: can't optimize a non-leaf Tensor: optimise the leaves it is computed from")
        return tensor

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Update the parameters: a subclass says how."""
        raise NotImplementedError(NO_STEP)

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget all gradients, or write zeros into them with ``set_to_none=False``."""
        for group in self.param_groups:
            zero_gradients(group["params"], set_to_none)

    def state_dict(self) -> dict[str, Any]:
        """State and options with parameters named by position: {"state": {0: {...}}, "param_groups": [...]}."""
        for hook in self._hooked("state_dict_pre"):
            hook(self)
        numbers = {p: i for i, p in enumerate(self._params())}
        groups = [{**group, "params": [numbers[p] for p in group["params"]]} for group in self.param_groups]
        state = {numbers[p]: self._saved(state) for p, state in self.state.items()}
        made: dict[str, Any] = self._passed("state_dict_post", {"state": state, "param_groups": groups})
        return made

    def _saved(self, state: Mapping[str, Any]) -> dict[str, Any]:
        """A parameter's state as ``state_dict`` has it."""
        return dict(state)

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Take over state and options from ``state_dict``; its tensors are copied, in each parameter's dtype.

        Groups and the dicts of states stay the objects that a compiled step has seen.
        """
        if not isinstance(state_dict, Mapping) or not {"state", "param_groups"} <= set(state_dict):
            raise StateError(
                "load_state_dict: expected what state_dict() gives: a dict with 'state' and 'param_groups'"
            )
        state_dict = self._passed("load_state_dict_pre", dict(state_dict))
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
        options = [
            {**self.defaults, **group, "params": own["params"], **_names_in(own)}
            for group, own in zip(saved, self.param_groups, strict=True)
        ]
        for group in options:
            self._check(group)
        for own, group in zip(self.param_groups, options, strict=True):
            _refill(own, group)
        _refill(self.state, {param: _refill(self.state[param], entries) for param, entries in state.items()})
        for hook in self._hooked("load_state_dict_post"):
            hook(self)

    def _loaded(self, value: Any, param: Tensor, key: str) -> Any:
        """What the state of ``param`` takes over where ``value`` was saved."""
        if isinstance(value, (list, tuple)):
            return type(value)([self._loaded(x, param, key) for x in value])
        return value.detach().to(param.device, param.dtype).clone() if isinstance(value, Tensor) else value

    def _params(self) -> list[Tensor]:
        return [p for group in self.param_groups for p in group["params"]]

    def _check(self, group: Group) -> None:
        """Raise ArgumentError for options out of range. A user's optimiser, which has its own ``step``, has none."""

    def _form(self, group: Group) -> tuple[bool, ...]:
        """Which operations an update consists of, as far as options decide it."""
        raise NotImplementedError(NO_STEP)

    def __repr__(self) -> str:
        text = f"{type(self).__name__} ("
        for i, group in enumerate(self.param_groups):
            options = [f"    {key}: {group[key]}\n" for key in sorted(group) if key != "params"]
            text += f"\nParameter Group {i}\n{''.join(options)}"
        return f"{text})"


def _refill(own: dict[Any, Any], new: dict[Any, Any]) -> dict[Any, Any]:
    """``own`` with the entries of ``new`` and no others."""
    own.clear()
    own.update(new)
    return own


def _is_named(item: Any) -> bool:
    return isinstance(item, tuple) and len(item) == 2


def _names_in(group: Group) -> Group:
    return {"param_names": group["param_names"]} if "param_names" in group else {}

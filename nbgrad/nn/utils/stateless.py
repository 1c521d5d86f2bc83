"""Modules as functions of their parameters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from nbgrad.calls.arguments import items_of
from nbgrad.calls.base import CALLS
from nbgrad.errors import ArgumentError, DTypeError, RunError
from nbgrad.nn.module import Module
from nbgrad.tensor import Tensor
from nbgrad.trace import record

__all__ = ["functional_call", "stack_module_state"]

Tensors = Mapping[str, Tensor]


def functional_call(
    module: Module,
    parameter_and_buffer_dicts: Tensors | Sequence[Tensors],
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """What ``module`` gives with other parameters and buffers, by their dotted names; those that are not named are its
    own. It is as it was afterwards.

    ``args``: the argument, or a tuple of the arguments. ``tie_weights``: a parameter that has several names changes
    under all of them. ``strict``: RuntimeError where a name is missing, or is none of the module's.

    >>> layer = nbgrad.nn.Linear(2, 1)
    >>> nbgrad.func.functional_call(layer, {"weight": nbgrad.ones(1, 2), "bias": nbgrad.zeros(1)}, nbgrad.ones(2))
    tensor([2.])
    """
    with _reparametrized(module, _joined(parameter_and_buffer_dicts), tie_weights, strict):
        given = () if args is None else args if isinstance(args, tuple) else (args,)
        return module(*given, **(kwargs or {}))


def stack_module_state(models: Sequence[Module]) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """(parameters, buffers) of models of one class, stacked along a new first dim: for ``vmap`` over an ensemble, with
    ``functional_call`` of one of them. The parameters are leaves that require grad as those of the first model do.

    >>> parameters, buffers = nbgrad.func.stack_module_state([nbgrad.nn.Linear(2, 3) for _ in range(5)])
    >>> parameters["weight"].shape
    Size([5, 3, 2])
    """
    models = items_of("stack_module_state", "models", models, "list of Modules")
    if not models:
        raise RunError("stack_module_state: Expected at least one model, got 0.")
    if len({m.training for m in models}) > 1:
        raise RunError("stack_module_state: Expected all models to have the same training/eval mode.")
    if len({type(m) for m in models}) > 1:
        raise RunError("stack_module_state: Expected all models to be of the same class.")
    first = models[0]
    parameters = {
        name: _stacked([dict(m.named_parameters())[name] for m in models]).requires_grad_(p.requires_grad)
        for name, p in first.named_parameters()
    }
    buffers = {name: _stacked([dict(m.named_buffers())[name] for m in models]) for name, _ in first.named_buffers()}
    return parameters, buffers


def _stacked(tensors: Sequence[Tensor]) -> Tensor:
    made: Tensor = record(CALLS["stack"], tuple(tensors), (0,))
    return made.detach()


def _joined(dicts: Any) -> dict[str, Tensor]:
    if isinstance(dicts, Mapping):
        dicts = [dicts]
    if not isinstance(dicts, (list, tuple)) or not all(isinstance(d, Mapping) for d in dicts):
        raise ArgumentError(
            f"Expected parameter_and_buffer_dicts to be a dict, or a list/tuple of dicts, but got {type(dicts)}"
        )
    names = [name for d in dicts for name in d]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ArgumentError(f"{twice} appeared in multiple dictionaries; behavior of functional call is ambiguous")
    joined = {name: x for d in dicts for name, x in d.items()}
    for x in joined.values():
        if not isinstance(x, Tensor):
            raise DTypeError(f"{x} is not an instance of nbgrad.Tensor")
    return joined


@contextmanager
def _reparametrized(module: Module, given: dict[str, Tensor], tie: bool, strict: bool) -> Iterator[None]:
    """Inside, the parameters and buffers of ``module`` are the given ones."""
    own = _places(module)
    unknown = [name for name in given if name not in own]
    if tie:
        tensors = {id(table[key]): given[name] for name, (table, key) in own.items() if name in given}
        given = given | {
            name: tensors[id(t[k])] for name, (t, k) in own.items() if id(t[k]) in tensors and name not in given
        }
    missing = [name for name in own if name not in given]
    if strict and (unknown or missing):
        said = [
            f"\n\t{kind} key(s): {', '.join(map(repr, names))}."
            for kind, names in (("Unexpected", unknown), ("Missing", missing))
            if names
        ]
        raise RunError(f"Error(s) in reparametrizing for {type(module).__name__}:{''.join(said)}")
    before = [(table, key, table[key]) for name, (table, key) in own.items() if name in given]
    try:
        for name, (table, key) in own.items():
            if name in given:
                table[key] = given[name]
        yield
    finally:
        for table, key, x in before:
            table[key] = x


def _places(module: Module) -> dict[str, tuple[dict[str, Any], str]]:
    """Where each parameter and buffer stands, by its dotted name."""
    found = {}
    for path, inner in module.named_modules(remove_duplicate=False):
        for table in (inner._parameters, inner._buffers):
            for key, x in table.items():
                if x is not None:
                    found[f"{path}.{key}" if path else key] = table, key
    return found

"""What ``backward`` and ``grad`` are given: tensors, a cotangent for each, flags."""

from __future__ import annotations

from typing import Any

from nbgrad.autograd.grad_fn import GradientEdge
from nbgrad.autograd.later import later
from nbgrad.calls.arguments import refused
from nbgrad.calls.base import CALLS
from nbgrad.errors import DTypeError, GradError, RunError, ShapeError
from nbgrad.graph.spec import place_name
from nbgrad.trace import Handle, Trace, is_leaf, record, requires_grad, retain, share_of


def check_flags(function: str, flags: dict[str, Any]) -> None:
    """DTypeError for a flag that is no bool (0 and 1 are, to PyTorch)."""
    for name, value in flags.items():
        if not isinstance(value, int):
            raise refused(function, name, value, "bool")


def tensors_of(function: str, argument: str, value: Any) -> tuple[Handle, ...]:
    """A tensor, or a sequence of tensors, as a tuple. DTypeError for anything else."""
    if isinstance(value, Handle):
        return (value,)
    items: tuple[Any, ...] = (value,) if isinstance(value, GradientEdge) else _items(function, argument, value)
    for place, item in enumerate(items):
        if not isinstance(item, (Handle, GradientEdge)):
            raise DTypeError(
                f"{function}(): argument '{argument}' must be Tensor or sequence of Tensors, but got "
                f"{type(item).__name__} at pos {place}"
            )
    return tuple([later("nodes").tensor_of_edge(a) if isinstance(a, GradientEdge) else a for a in items])


def _items(function: str, argument: str, value: Any) -> tuple[Any, ...]:
    if isinstance(value, Handle):
        return (value,)
    if isinstance(value, (str, bytes, dict)) or not hasattr(value, "__iter__"):
        raise refused(function, argument, value, "Tensor or sequence of Tensors")
    return tuple(value)


def check_inputs(inputs: tuple[Handle, ...]) -> None:
    """The tensors that gradients are added to: those that are no leaves keep theirs."""
    if not inputs:
        raise RunError("`inputs` argument to `backward()` cannot be empty.")
    for x in inputs:
        if not requires_grad(x):
            raise GradError("One of the differentiated Tensors does not require grad")
        if not is_leaf(x) and ((share := share_of(x)) is None or share.retained is None):
            retain(x)


def refuse_inference(trace: Trace) -> None:
    """GradError in inference mode."""
    if trace.inference:
        raise GradError("backward and grad cannot be called inside inference_mode: nothing was recorded")


def seeds_of(function: str, argument: str, outputs: tuple[Handle, ...], given: Any) -> list[Handle | None]:
    """The cotangent of each output as it is ``given``, in its dtype; None for ones."""
    if (
        given is None
        and len(outputs) == 1
        and (spec := outputs[0]._at.spec) is not None
        and spec.size == 1
        and spec.dtype.kind != "c"
    ):
        return [None]
    seeds = (None,) * len(outputs) if given is None else _items(function, argument, given)
    for place, g in enumerate(seeds):
        if g is not None and not isinstance(g, Handle):
            raise DTypeError(
                f"{function}(): argument '{argument}' must be Tensors or None, not {type(g).__name__} at pos {place}"
            )
    if len(seeds) != len(outputs):
        raise RunError(f"{function}(): got {len(outputs)} tensors and {len(seeds)} gradients in '{argument}'")
    return [_seed(i, y, g) for i, (y, g) in enumerate(zip(outputs, seeds, strict=True))]


def plain_seeds(outputs: tuple[Handle, ...], given: Any) -> tuple[Handle | None, ...] | None:
    """``given`` where it needs neither checks nor conversion: ones for one output, or one cotangent like it."""
    if len(outputs) != 1:
        return None
    if given is None:
        return (None,)
    return (given,) if isinstance(given, Handle) and given._at.spec is outputs[0]._at.spec else None


def _seed(i: int, y: Handle, g: Handle | None) -> Handle | None:
    spec = y._at.spec
    assert spec is not None
    if g is None:
        if spec.size != 1:
            raise GradError(
                f"grad can be implicitly created only for scalar outputs; output {i} has shape {list(spec.shape)}"
            )
        if spec.dtype.is_complex:
            raise GradError(f"grad can be implicitly created only for real scalar outputs but got {spec.dtype!r}")
        return None
    got = g._at.spec
    assert got is not None
    if got.dtype.is_complex is not spec.dtype.is_complex:
        raise GradError(
            "For complex Tensors, both grad_output and output are required to have the same dtype. Mismatch in dtype: "
            f"grad_output[{i}] has a dtype of {got.dtype!r} and output[{i}] has a dtype of {spec.dtype!r}."
        )
    if got.shape != spec.shape:
        raise ShapeError(
            f"Mismatch in shape: grad_output[{i}] has a shape of {list(got.shape)} and output[{i}] has a shape of "
            f"{list(spec.shape)}."
        )
    if got.place != spec.place:
        raise RunError(
            f"invalid gradient at index {i} - expected device {place_name(spec.place)} but got {place_name(got.place)}"
        )
    if got.dtype is not spec.dtype:
        return record(CALLS["to_dtype"], (g,), (spec.dtype,))  # type: ignore[no-any-return]
    return g

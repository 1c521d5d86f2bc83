"""A tensor's place in derivatives: gradients, hooks, leaves, and what is detached."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Self

from nbgrad.autograd import engine
from nbgrad.autograd.hooks import RemovableHandle, register_hook, register_post_accumulate_grad_hook
from nbgrad.autograd.later import later
from nbgrad.calls.arguments import flag_of
from nbgrad.errors import DTypeError, GradError, RunError, ShapeError, warn_here
from nbgrad.graph.spec import place_name
from nbgrad.tensor.described import Described
from nbgrad.trace import (
    Handle,
    base_of,
    cut_history,
    detach,
    has_history,
    is_constant,
    is_leaf,
    local,
    requires_grad,
    retain,
    set_data,
    set_requires_grad,
    share_of,
    tensor_of,
    threads,
    version_of,
)

if TYPE_CHECKING:
    from nbgrad.tensor.tensor import Tensor

NO_LEAF = (
    "you can only change requires_grad flags of leaf variables. If you want to use a computed variable in a subgraph "
    "that doesn't require differentiation use var_no_grad = var.detach()."
)


class Differentiable(Described):
    """The part of a tensor that derivatives go by."""

    __slots__ = ()

    @property
    def requires_grad(self) -> bool:
        return self._at.requires_grad if self._share is None else requires_grad(self)

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        if has_history(self):
            raise GradError(NO_LEAF)
        self.requires_grad_(value)

    @requires_grad.deleter
    def requires_grad(self) -> None:
        raise RunError("requires_grad cannot be deleted: requires_grad_(False), or detach(), of the tensor")

    @property
    def is_leaf(self) -> bool:
        return self._at.is_leaf if self._share is None else is_leaf(self)

    @property
    def grad_fn(self) -> Any:
        """The node of the graph that made this tensor, see ``nbgrad.autograd.graph.Node``; None for leaves."""
        return later("nodes").grad_fn_of(self)

    @property
    def grad(self) -> Tensor | None:
        grad: Tensor | None = self._grad
        if grad is None and not self._at.is_leaf and has_history(self) and not self.retains_grad:
            warn_here(
                "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. No backward() writes it: "
                "call retain_grad() before, or ask a leaf",
                UserWarning,
            )
        return grad

    @grad.setter
    def grad(self, value: Tensor | None) -> None:
        if value is not None:
            if not isinstance(value, Differentiable):
                raise DTypeError(
                    f"assigned grad expected to be a Tensor or None but got grad of type {type(value).__name__}"
                )
            if value is self:
                raise RunError("can't assign Variable as its own grad")
            if value._spec.place != self._spec.place:
                raise RunError(
                    "assigned grad has data located on a different device: "
                    f"{place_name(value._spec.place)}, expected {place_name(self._spec.place)}"
                )
            if value.shape != self.shape:
                raise ShapeError(
                    f"attempting to assign a gradient of size '{list(value.shape)}' to a tensor of size "
                    f"'{list(self.shape)}'. Please ensure that the gradient and the tensor are the same size"
                )
            if value._spec is not self._spec:
                raise RunError(
                    f"attempting to assign a gradient with dtype '{value.dtype}' to a tensor of dtype '{self.dtype}'. "
                    "The gradient must match the tensor's dtype"
                )
        if threads.watched and local.trace.watcher is not None:
            local.trace.watcher.grad_assigned(self)
        self._grad = value

    @grad.deleter
    def grad(self) -> None:
        self.grad = None

    @property
    def output_nr(self) -> builtins.int:
        """Which output of its ``grad_fn`` this tensor is."""
        return later("nodes").output_nr_of(self)  # type: ignore[no-any-return]

    @property
    def _base(self) -> Tensor | None:
        return base_of(self)  # type: ignore[return-value]

    def _is_view(self) -> builtins.bool:
        return base_of(self) is not None

    def __dir__(self) -> list[str]:
        """The names that this tensor has, for completion."""
        absent = (*Handle.__slots__, *(() if self.is_cuda else ("__cuda_array_interface__",)))
        return [name for name in super().__dir__() if name not in absent or name == "__dict__"]

    @property
    def _version(self) -> builtins.int:
        """How often this memory was written: two looks tell whether it was between them. Writes
        before the first look may not be counted: those of memory that nothing else shows, or only views that were made
        in the same run."""
        if self._at.inference:
            raise RunError("Inference tensors do not track version counter.")
        return version_of(self)

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Say whether gradients are to be computed for this tensor, which must be a leaf."""
        wanted = flag_of("requires_grad_", "requires_grad", requires_grad)
        if wanted and not self._spec.dtype.is_inexact:
            raise GradError(
                f"only Tensors of floating point and complex dtype can require gradients, not {self._spec.dtype.name}"
            )
        if wanted == self.requires_grad and not (wanted and is_constant(self)):
            return self
        if has_history(self):
            raise GradError(NO_LEAF)
        set_requires_grad(self, wanted)
        return self

    def backward(
        self,
        gradient: Tensor | None = None,
        retain_graph: bool | None = None,
        create_graph: bool = False,
        inputs: Any = None,
    ) -> None:
        """Add the gradient of this tensor to the ``.grad`` of the leaves behind it. See
        ``nbgrad.autograd.backward``."""
        engine.backward(self, gradient, retain_graph, create_graph, None, inputs)

    def retain_grad(self) -> None:
        """Keep the gradient of this non-leaf tensor in ``.grad`` when a backward passes it."""
        if not self.requires_grad:
            raise GradError("can't retain_grad on Tensor that has requires_grad=False")
        if local.trace.transforms or local.trace.vmaps:
            raise GradError(
                "You are attempting to call Tensor.retain_grad() inside of a function being transformed by a function "
                "transform: its results alone come out. Let the function give the gradient that grad or vjp give it"
            )
        if self.is_leaf or self.retains_grad:
            return
        retain(self)

    def register_hook(self, hook: Callable[[Tensor], Tensor | None]) -> RemovableHandle:
        """Call ``hook`` with the gradient with respect to this tensor each time one is computed; what it gives, if
        anything, goes on in its place. The hook runs while the backward is recorded, on a tensor that has no value yet:
        a look at it runs what was recorded so far. RuntimeError where this tensor requires no gradient.

        >>> x = nbgrad.tensor([1.0, 2.0], requires_grad=True)
        >>> handle = x.register_hook(lambda grad: grad * 10)
        >>> (x * x).sum().backward()
        >>> x.grad
        tensor([20., 40.])
        >>> handle.remove()
        """
        return register_hook(self, hook)

    def register_post_accumulate_grad_hook(self, hook: Callable[[Tensor], None]) -> RemovableHandle:
        """Call ``hook`` with this leaf each time a backward has added to its ``.grad``, when that has its value: an
        optimiser may step there. RuntimeError where this is no leaf, or requires no gradient."""
        return register_post_accumulate_grad_hook(self, hook)

    @property
    def retains_grad(self) -> bool:
        share = share_of(self)
        return share is not None and share.retained is not None

    def detach(self) -> Tensor:
        """A tensor with the same memory and no derivative history."""
        return detach(self)  # type: ignore[return-value]

    def detach_(self) -> Self:
        """Cut this tensor's own history: it becomes a leaf that does not require grad."""
        if local.trace.inference or self._at.inference:
            return self
        if self._is_view():
            raise GradError("Can't detach views in-place. Use detach() instead")
        cut_history(self)
        return self

    @property
    def data(self) -> Tensor:
        """The same memory without history; writes to it are not recorded."""
        return detach(self, counts=False)  # type: ignore[return-value]

    @data.setter
    def data(self, value: Tensor) -> None:
        tensor_of("Tensor.data", "data", value)
        set_data(self, value)

    @data.deleter
    def data(self) -> None:
        raise RunError("Deleting tensor data is not allowed. Delete tensor instead!")

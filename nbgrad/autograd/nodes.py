"""``grad_fn``: the nodes of the graph behind tensors, with their hooks. Loaded when somebody asks for one."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any, Final

from nbgrad.autograd.engine import grad
from nbgrad.autograd.grad_fn import GradientEdge, name_at
from nbgrad.autograd.hooks import (
    NodeHook,
    RemovableHandle,
    Together,
    added,
    hooks_of,
    register_hook,
    register_post_accumulate_grad_hook,
)
from nbgrad.autograd.later import later
from nbgrad.errors import DTypeError, RunError, shown_instruction
from nbgrad.trace import (
    ROOT,
    EarlierSegment,
    Handle,
    Spot,
    Trace,
    TrieNode,
    entry_at,
    get_mode,
    holding,
    is_leaf,
    operands_of,
    origin,
    path_between,
    refuse,
    requires_grad,
    spot_of,
    tensor_at,
)

_SLOTS: Final = frozenset(["_call", "_kept", "_tensor"])
# What sends cotangents to its operands alone. What a derivative gave sends them to whatever that had read.
_STEPS: Final = frozenset(["call", "view", "put", "overwrite_history", "rebase_history", "function", "dual"])
_NUMBER: Final = -1  # in place of an entry: when a segment was asked for the numbers of its operations
_IN_NAMESPACE: Final = frozenset(["AccumulateGrad", "CopyBackwards", "CopySlices"])


class _Kept:
    """What stays with a node as long as its graph: whoever asks again gets the ``node`` that somebody still has."""

    __slots__ = ("metadata", "node")

    def __init__(self) -> None:
        self.metadata: dict[Any, Any] = {}
        self.node: Callable[[], Node | None] = lambda: None


class Node:
    """An operation of the graph behind a tensor, as ``x.grad_fn`` gives it. Its class has its name, as in PyTorch.

    The same operation is the same object as long as somebody holds it. It holds the graph behind it.
    """

    __slots__ = ("__weakref__", "_kept", "_tensor")
    takes_hooks = True

    def __init__(self, tensor: Handle, kept: _Kept) -> None:
        self._tensor, self._kept = tensor, kept  # the tensor has its place in the graph, wherever that is by now
        kept.node = weakref.ref(self)

    def name(self) -> str:
        """The name, such as ``MulBackward0``; PyTorch has those without a formula in its namespace."""
        name = type(self).__name__
        return f"torch::autograd::{name}" if name in _IN_NAMESPACE else name

    @property
    def metadata(self) -> dict[Any, Any]:
        """A dict for the user, which stays with the operation."""
        return self._kept.metadata

    @property
    def next_functions(self) -> tuple[tuple[Node | None, int], ...]:
        """For each argument, the node that its gradient goes to, and which of its outputs it is; (None, 0): none."""
        return _next_functions(self)

    def register_hook(self, hook: Callable[[Any, Any], Any]) -> RemovableHandle:
        """Call ``hook(grad_inputs, grad_outputs)`` when this node has its gradients. A tuple that it gives goes on in
        place of ``grad_inputs``."""
        if not is_step_of_graph(self):
            raise RunError(
                f"register_hook: {self!r} is a gradient that can be differentiated, which goes back to all that it was "
                "made of: hooks that are given its gradients are those of tensors and prehooks"
            )
        return _add_hook(self, NodeHook(hook, False))

    def register_prehook(self, hook: Callable[[Any], Any]) -> RemovableHandle:
        """Call ``hook(grad_outputs)`` before this node is differentiated. A tuple that it gives goes on in place."""
        return _add_hook(self, NodeHook(hook, True))

    def __call__(self, *grad_outputs: Any) -> Any:
        """The gradients of ``next_functions``, a tensor where that is one and a tuple otherwise, given those of the
        outputs, None for zeros. Nothing is freed. TypeError for another number of them.

        >>> x = nbgrad.tensor([1.0, 2.0], requires_grad=True)
        >>> (3 * x).grad_fn(nbgrad.ones(2))
        (tensor([3., 3.]), None)
        """
        ys = _outputs(self)
        if len(grad_outputs) != len(ys):
            raise DTypeError(f"{self!r}: expected {len(ys)} arguments, got {len(grad_outputs)} instead")
        behind = self.next_functions
        wrt: list[Any] = [GradientEdge(*edge) for edge in dict.fromkeys(behind) if edge[0] is not None]
        pairs = [(y, g) for y, g in zip(ys, grad_outputs, strict=True) if g is not None]
        if not wrt or not pairs:
            return (None,) * len(behind)
        how = {"retain_graph": True, "create_graph": get_mode()[0], "allow_unused": True}
        found = grad([y for y, _ in pairs], wrt, [g for _, g in pairs], **how)
        by_edge = {(edge.node, edge.output_nr): g for edge, g in zip(wrt, found, strict=True)}
        grads = tuple([by_edge.pop(edge, None) for edge in behind])  # what is there twice gets all at its first place
        return grads[0] if len(grads) == 1 else grads

    def __getattr__(self, name: str) -> Any:
        if name.startswith(("_saved_", "_raw_saved_")):
            refuse("a saved tensor is looked at")
            return later("saved_attributes").attribute(self, name)
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __dir__(self) -> list[str]:
        """The names that there are, those of what was saved among them."""
        return [*super().__dir__(), *later("saved_attributes").names(self)]

    def _sequence_nr(self) -> int:
        """A number that grows from operation to operation of a thread; that of the end at a leaf is above all."""
        return _number_of(self)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"


class FunctionNode(Node):
    """The node of a custom function: it has the attributes of its ``ctx``."""

    __slots__ = ("_call",)
    _call: Any

    def __getattr__(self, name: str) -> Any:
        ctx = getattr(self._call, "ctx", None)
        return later("saved_attributes").raw_tensors(ctx) if name == "_raw_saved_tensors" else getattr(ctx, name)

    def __setattr__(self, name: str, value: Any) -> None:
        ctx = None if name in _SLOTS else getattr(self._call, "ctx", None)
        object.__setattr__(self if ctx is None else ctx, name, value)

    @property
    def takes_hooks(self) -> bool:  # type: ignore[override]
        """A checkpoint's does not: its derivative goes on through what is computed again."""
        return hasattr(self._call, "before")


class AccumulateGrad(Node):
    """The end of the graph at a leaf: what adds to the ``grad`` of ``variable``."""

    __slots__ = ("variable",)

    def __init__(self, leaf: Handle) -> None:
        super().__init__(leaf, _Kept())
        self.variable = leaf

    @property
    def next_functions(self) -> tuple[tuple[Node | None, int], ...]:
        return ()

    def _sequence_nr(self) -> int:
        return (1 << 64) - 1

    def register_hook(self, hook: Callable[[Any, Any], Any]) -> RemovableHandle:
        """Call ``hook((), grad_outputs)`` when a backward has added to ``variable.grad``."""
        arrived: list[Any] = []

        def arrive(grads: Any) -> None:
            arrived[:] = grads

        def told(_: Any) -> None:
            hook((), (arrived.pop(),))

        leaf = self.variable
        return Together([register_hook(leaf, NodeHook(arrive, False)), register_post_accumulate_grad_hook(leaf, told)])

    def register_prehook(self, hook: Callable[[Any], Any]) -> RemovableHandle:
        """Call ``hook(grad_outputs)`` before a gradient is added. A tuple that it gives goes on in place."""
        return register_hook(self.variable, NodeHook(hook, True))


_ends: Final[weakref.WeakValueDictionary[int, AccumulateGrad]] = weakref.WeakValueDictionary()  # by the id of the leaf
_classes: Final[dict[tuple[type[Node], str], type[Node]]] = {}


def _class_of(kind: type[Node], name: str) -> type[Node]:
    found = _classes.get((kind, name))
    if found is None:
        found = _classes.setdefault((kind, name), type(name, (kind,), {"__slots__": (), "__module__": __name__}))
    return found


def class_of_function(name: str) -> type[Node]:
    """The class of the nodes of a custom function with this name."""
    return _class_of(FunctionNode, f"{name}Backward")


def _end_at(leaf: Handle) -> AccumulateGrad:
    return _ends.get(id(leaf)) or _ends.setdefault(id(leaf), AccumulateGrad(leaf))


def grad_fn_of(a: Handle) -> Node | None:
    """What made ``a``; None where it is a leaf."""
    return None if not requires_grad(a) or is_leaf(a) else _edge_of(a).node


def output_nr_of(a: Handle) -> int:
    return 0 if not requires_grad(a) or is_leaf(a) else _edge_of(a).output_nr


def get_gradient_edge(tensor: Any) -> GradientEdge:
    """Where the gradient of ``tensor`` goes: ``grad`` and ``backward`` take it in place of the tensor, which need not
    live on. RuntimeError where it requires no gradient.

    >>> x = nbgrad.tensor([1.0, 2.0], requires_grad=True)
    >>> edge = nbgrad.autograd.graph.get_gradient_edge(x * x)
    >>> nbgrad.autograd.grad(edge, x, nbgrad.ones(2))
    (tensor([2., 4.]),)
    """
    if not isinstance(tensor, Handle):
        raise DTypeError(f"get_gradient_edge(): argument 'tensor' must be Tensor, not {type(tensor).__name__}")
    if not requires_grad(tensor):
        raise RunError("It is not possible to get the gradient edge for a Tensor that does not require gradients")
    return GradientEdge(_end_at(tensor), 0) if is_leaf(tensor) else _edge_of(tensor)


@holding
def _edge_of(trace: Trace, a: Handle) -> GradientEdge:
    return GradientEdge(*_node_at(trace, spot_of(trace, a)))


def _node_at(trace: Trace, spot: Spot) -> tuple[Node, int]:
    """The node at an entry, and which of its outputs that is."""
    refuse("a node of the graph is looked at")
    book, entry = spot
    leaf = book.leaves.get(entry.ix)
    if leaf is not None:
        return _end_at(leaf), 0
    output = 0
    if entry.record[0] == "function":
        _, index, place, *_ = entry.record
        custom = book.functions[index][0]
        output = custom.places[place]
        entry = _outputs_of(entry, index)[0]
    kept = book.nodes.setdefault(entry.ix, _Kept())
    node = kept.node()
    if node is None:
        kind = FunctionNode if entry.record[0] == "function" else Node
        node = _class_of(kind, name_at(book, entry))(tensor_at(trace, book, entry), kept)
        if isinstance(node, FunctionNode):
            node._call = custom
    return node, output


@holding
def _number_of(trace: Trace, node: Node) -> int:
    book, entry = place_of(trace, node)
    number = book.nodes.get(_NUMBER)
    if number is None:  # one that is over has its own; another one gets one that stays with it
        number = book.born if isinstance(book, EarlierSegment) else book.nodes.setdefault(_NUMBER, EarlierSegment.now())
    return (number << 32) + entry.ix


def place_of(trace: Trace, node: Node) -> Spot:
    """Where a node is now."""
    return spot_of(trace, node._tensor)


@holding
def _next_functions(trace: Trace, node: Node) -> tuple[tuple[Node | None, int], ...]:
    book, entry = place_of(trace, node)
    return tuple(
        [(None, 0) if r < 0 else _node_at(trace, origin(book, entry_at(entry, r))) for r in operands_of(book, entry)]
    )


@holding
def _add_hook(trace: Trace, node: Node, hook: NodeHook) -> RemovableHandle:
    refuse("a hook is added to what is computed in this call")
    if isinstance(node, FunctionNode):
        call = node._call
        if not node.takes_hooks:
            raise RunError(f"{call.name}: a hook on what is computed again belongs on its results or arguments")
        if hook.is_before:
            call.before = {} if call.before is None else call.before
            return added(call.before, hook.call)
        call.after = {} if call.after is None else call.after
        return added(call.after, hook.call)
    return added(hooks_of(node._tensor), hook)


@holding
def _outputs(trace: Trace, node: Node) -> list[Handle]:
    """Tensors with the places of the outputs of a node."""
    if not isinstance(node, FunctionNode):
        return [node._tensor]
    book, first = place_of(trace, node)
    return [tensor_at(trace, book, entry) for entry in _outputs_of(book.end, first.record[1])]


@holding
def tensor_of_edge(trace: Trace, edge: GradientEdge) -> Handle:
    """A tensor with the place of an edge."""
    node = edge.node
    if isinstance(node, FunctionNode):
        book, first = place_of(trace, node)
        index = first.record[1]
        for entry in _outputs_of(book.end, index):
            if node._call.places[entry.record[2]] == edge.output_nr:
                return tensor_at(trace, book, entry)
        raise RunError(f"{node!r} has no differentiable output {edge.output_nr}")
    return node._tensor  # type: ignore[no-any-return]


@holding
def is_step_of_graph(trace: Trace, node: Node) -> bool:
    """Whether a node is an operation, which has a derivative by its operands, and no derivative."""
    return place_of(trace, node)[1].record[0] in _STEPS


@holding
def line_of_node(trace: Trace, node: Node, shown: Callable[..., str] = shown_instruction) -> str:
    """The user's line that recorded a node, of the first time where that of this time was not noted; "" where none
    was."""
    book, entry = place_of(trace, node)
    line = book.lines.get(entry.ix)
    return (entry.site if entry.can_fail else "") if line is None else shown(*line)


def _outputs_of(end: TrieNode, index: int) -> list[TrieNode]:
    """The entries of the outputs of custom function ``index``, on the path that ends with ``end``."""
    path = path_between(ROOT, end) or ()
    return [entry for entry in path if entry.given is not None and entry.given[:2] == ("function", index)]

"""Which results of a checkpointed function are kept, so that its second call does not compute them again.

Both calls are heard as they are recorded, operation by operation. The first time a policy is asked of each; what it
wants kept is a tensor of its own, with the value and no history. The second time nothing was computed yet when it is
said, by an entry of the trace, that the value of a call is that tensor: what reads the value, derivatives too, takes it
from there, and the call itself, which nothing reads, is not computed. Its history stays.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from enum import Enum
from typing import Any, Final, NamedTuple

from nbgrad.autograd.saved_calls import Listener, calls_since
from nbgrad.calls.base import CALLS
from nbgrad.errors import ArgumentError, DTypeError, GradError
from nbgrad.ops.aten import OpOverload, OpOverloadPacket
from nbgrad.trace import (
    Handle,
    Segment,
    Trace,
    TrieNode,
    advance,
    entry_at,
    entry_of,
    holding,
    local,
    new_tensor,
    sharing,
    spec_of,
)


class CheckpointPolicy(Enum):
    """What becomes of a result inside a checkpoint: the two ``SAVE`` keep it for backward, all others have it computed
    again. MUST and PREFER are for ``torch.compile``, and the same here."""

    MUST_SAVE = 0
    PREFER_SAVE = 1
    MUST_RECOMPUTE = 2
    PREFER_RECOMPUTE = 3
    MUST_CPU_OFFLOAD = 4
    PREFER_CPU_OFFLOAD = 5


_SAVES: Final = (CheckpointPolicy.MUST_SAVE, CheckpointPolicy.PREFER_SAVE, True)


class SelectiveCheckpointContext:
    """What a policy is told besides the operator: ``op_output``, its result, which has a shape and a dtype but was not
    computed yet. ``is_recompute`` is always False: policies are asked the first time only."""

    def __init__(self, *, is_recompute: bool, op_output: Any = None) -> None:
        self.is_recompute, self.op_output = is_recompute, op_output


class _Kept(NamedTuple):
    """A result that is kept, and how often its memory was written: then, and by now the first of ``writes``."""

    value: Handle
    version: int
    writes: list[int]


Storage = dict[OpOverload, list[_Kept | None]]  # by operator, what is kept of each call
Wants = Callable[[str, OpOverload, Handle, list[Handle]], bool]  # of a call's name, operator, result and operands


class _Inside(Listener):
    """A context in which calls are heard. Function transforms, and code with other hooks on what is saved, are left
    alone."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage

    def __enter__(self) -> None:
        trace = local.trace
        super().__init__(trace)
        self._is_busy = bool(trace.transforms or trace.vmaps) or trace.duals is not None
        self.begin()

    def __exit__(self, *_: object) -> None:
        self.end()
        del self._trace, self.outer, self._segment, self._node  # this may stay until there is a backward

    def __call__(self) -> None:
        super().__call__()
        if self.outer is not None:
            self.outer()


class _First(_Inside):
    """Inside, results are kept that a policy ``wants``."""

    def __init__(self, storage: Storage, wants: Wants) -> None:
        super().__init__(storage)
        self._wants = wants

    def hear(self, segment: Segment, node: TrieNode) -> None:
        for entry, value, operands, new in _heard(segment, node):
            op, kept = _op_of(entry), None
            if self._wants(entry.record[1].name, op, value, operands) and not entry.view:
                writes = [0] if new is None else sharing(new).counter
                kept = _Kept(value, writes[0], writes)
            self._storage.setdefault(op, []).append(kept)


class _Again(_Inside):
    """Inside, results are what was kept."""

    def __init__(self, storage: Storage, allows_writes: bool) -> None:
        super().__init__(storage)
        self._allows_writes = allows_writes

    def __enter__(self) -> None:
        kept = [one for known in self._storage.values() for one in known if one is not None]
        if not self._allows_writes and any(one.writes[0] != one.version for one in kept):
            raise GradError("Tensor cached during selective activation checkpoint has been mutated")
        self._allows_writes = True  # from here on the second call may write in place, as the first did
        super().__enter__()
        self._is_busy = self._is_busy or not self._storage
        self._left = {op: known[::-1] for op, known in self._storage.items()}

    def hear(self, segment: Segment, node: TrieNode) -> None:
        _give(segment, node, self._kept)

    def _kept(self, op: OpOverload) -> Handle | None:
        """What is kept of the next call of an operator."""
        known = self._left.get(op)
        if not known:
            what = f"{op}" if known is None else f"{op} invocation index {len(self._storage[op])}"
            raise GradError(
                f"{what} encountered during backward but not found in storage. This can happen if the operations in "
                "the checkpointed region are nondeterministic or depend on global state that changed between forward "
                "and backward."
            )
        kept = known.pop()
        return None if kept is None else kept.value


@holding
def _heard(
    trace: Trace, segment: Segment, node: TrieNode
) -> list[tuple[TrieNode, Handle, list[Handle], Handle | None]]:
    """The calls recorded since: the entry of each, tensors with the values of its result and operands, and the tensor
    that the user has of the result; None where that is an older one, which was written in place."""
    found = []
    for entry in calls_since(trace, segment, node):
        refs = [entry.ix, *[r for r in entry.record[2] if r >= 0]]
        value, *operands = [new_tensor(trace, "detach", r, False) for r in refs]
        stands, *read = [trace.live[r] for r in refs]
        is_new = isinstance(stands, Handle) and id(stands) not in trace.segment.entered
        is_new = is_new and not any(type(x) is list for x in read)  # which nothing stands for any more
        found.append((entry, value, operands, stands if is_new else None))
    return found


@holding
def _give(trace: Trace, segment: Segment, node: TrieNode, kept: Callable[[OpOverload], Handle | None]) -> None:
    for entry in calls_since(trace, segment, node):
        value = kept(_op_of(entry))
        if value is not None and spec_of(value) is entry.spec:
            advance(trace, ("kept", entry.ix, entry_of(trace, value).ix))


def _by_last(text: str) -> dict[str, str]:
    """By each word of a part the last one of it."""
    return {word: last for *words, last in map(str.split, text.split(",")) for word in words}


# What PyTorch dispatches for our calls, where that has another name, and another form than "default".
_NAMES: Final = _by_last(
    "conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d convolution, softmax _softmax, "
    "log_softmax _log_softmax, layer_norm native_layer_norm, batch_norm native_batch_norm, dropout_of native_dropout, "
    "group_norm native_group_norm, nll_loss cross_entropy nll_loss_forward, max_pool2d max_pool2d_with_indices, "
    "reshape flatten unflatten view_as reshape_as view, swapaxes swapdims transpose, narrow slice_dim piece_dim slice, "
    "select_dim select, index_get index, to _to_copy, concat concatenate cat, einsum_of bmm, pow_static square pow, "
    "norm vector_norm linalg_vector_norm, multiply outer ger mul, divide true_divide div, subtract sub, negative neg, "
    "absolute abs"
)
_FORMS: Final = _by_last(
    "add sub mul div slice index remainder fmod Tensor, transpose select int, var std correction, where self"
)
_COMPARISONS: Final = ("eq", "ne", "lt", "le", "gt", "ge")


def _op_of(entry: TrieNode) -> OpOverload:
    """The operator that PyTorch would dispatch for a call."""
    _, call, refs, statics = entry.record
    name = _NAMES.get(call.name, call.name)
    form = _FORMS.get(name, "default")
    if name == "linear":
        name = "addmm" if refs[2:] and refs[2] >= 0 else "mm"
    elif name == "matmul":
        ranks = [entry_at(entry, r).spec.rank for r in refs]  # type: ignore[union-attr]
        name = "dot" if ranks == [1, 1] else "mv" if ranks[1] == 1 else "mm" if min(ranks) <= 2 else "bmm"
    elif name == "pow":
        form = "Scalar" if refs[0] < 0 else "Tensor_Tensor" if refs[1:] and refs[1] >= 0 else "Tensor_Scalar"
    elif name in _COMPARISONS:
        form = "Tensor" if refs[1] >= 0 else "Scalar"
    elif call.by_dim and statics[0] is not None:
        form = call.by_dim
    return OpOverload(name, form)


def create_selective_checkpoint_contexts(
    policy_fn_or_list: Any, allow_cache_entry_mutation: bool = False
) -> tuple[AbstractContextManager[Any], AbstractContextManager[Any]]:
    """Two contexts for ``checkpoint(..., context_fn=...)`` with which some results inside are kept, and not computed
    again for backward.

    ``policy_fn_or_list``: a list of operators whose results are kept, or ``policy_fn(ctx, op, *args)``, which is asked
    of each call as it is recorded, and gives a CheckpointPolicy, or whether to keep. ``op`` is the operator that
    PyTorch dispatches for our call (``linear`` with a bias is ``nbgrad.ops.aten.addmm.default``, without
    ``aten.mm.default``; an operation in place is what it is made of), ``args`` are the tensors among the call's own
    operands. A list may hold functions of nbgrad, too: ``nbgrad.matmul``.

    Kept are values as they were; views never, but what they show. A backward is a RuntimeError where a kept tensor was
    written since, unless ``allow_cache_entry_mutation``; there may be several, unlike in PyTorch. In function
    transforms, and with hooks on saved tensors that the function enters, nothing is kept.

    ValueError for a list of other things, TypeError for what is neither a function nor a list.

    >>> from functools import partial
    >>> from nbgrad.utils.checkpoint import checkpoint, create_selective_checkpoint_contexts
    >>> context_fn = partial(create_selective_checkpoint_contexts, [nbgrad.ops.aten.mm.default])
    >>> x = nbgrad.ones(2, 2, requires_grad=True)
    >>> checkpoint(lambda x: (x @ x).sigmoid(), x, use_reentrant=False, context_fn=context_fn).sum().backward()
    >>> x.grad
    tensor([[0.4200, 0.4200],
            [0.4200, 0.4200]])
    """
    storage: Storage = {}
    again = _Again(storage, allow_cache_entry_mutation)
    if isinstance(policy_fn_or_list, list):
        chosen = {_chosen(op) for op in policy_fn_or_list}
        return _First(storage, lambda name, op, *_: op in chosen or name in chosen), again
    if not callable(policy_fn_or_list):
        raise DTypeError("policy_fn_or_list must be either a function or a list of ops.")

    def wants(_: str, op: OpOverload, value: Handle, operands: list[Handle]) -> bool:
        context = SelectiveCheckpointContext(is_recompute=False, op_output=value)
        return policy_fn_or_list(context, op, *operands) in _SAVES

    return _First(storage, wants), again


def _chosen(op: Any) -> OpOverload | str:
    """What is looked for in place of an item of a list: of a function of ours the name of its call."""
    if isinstance(op, OpOverload):
        return op
    if getattr(op, "__name__", None) in CALLS and not isinstance(op, OpOverloadPacket):
        return str(op.__name__)
    more = ""
    if isinstance(op, OpOverloadPacket):
        more = (
            "Please update the OpOverloadPacket to a specific OpOverload."
            f"For example, if you have `nbgrad.ops.{op}`, change it to `nbgrad.ops.{op}.default`."
        )
    raise ArgumentError(f"Expected op in `op_list` to be an OpOverload but got: {op} of type {type(op)}. {more}")

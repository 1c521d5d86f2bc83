"""Memory for time: what a function computes is let go after forward, and computed again when derivatives are asked for.

The function is recorded with its graph, and that is cut off: in its place stands one custom call (``_Again``), whose
inputs are what the function read from outside that requires grad, parameters included. What nobody holds is kept by no
flush. The backward first runs what was recorded so far, so that nothing of the second time is merged with the first;
then it calls the function again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from typing import Any

from nbgrad.absent import AbsentError as _AbsentError
from nbgrad.autograd.engine import gradients_in_part
from nbgrad.autograd.outside import Found, Origin, Stretch, function_between, undisturbed
from nbgrad.autograd.saved import Saved, reading
from nbgrad.autograd.tree import flatten, unflatten
from nbgrad.autograd.walk import Onward
from nbgrad.calls.arguments import function_of, refused
from nbgrad.calls.base import CALLS
from nbgrad.errors import ArgumentError, GradError, MissingRuleError, RunError, warn_here
from nbgrad.generator import default_generator
from nbgrad.nn import Sequential
from nbgrad.trace import (
    FREED,
    Handle,
    detach,
    flush,
    get_mode,
    grad_mode,
    is_leaf,
    local,
    record,
    refuse,
    requires_grad,
    set_autocast,
    set_requires_grad,
    spec_of,
)
from nbgrad.utils.selective import (
    CheckpointPolicy,
    SelectiveCheckpointContext,
    create_selective_checkpoint_contexts,
)

__all__ = [
    "CheckpointError",
    "CheckpointPolicy",
    "SelectiveCheckpointContext",
    "checkpoint",
    "checkpoint_sequential",
    "create_selective_checkpoint_contexts",
    "set_checkpoint_early_stop",
]

Contexts = tuple[AbstractContextManager[Any], AbstractContextManager[Any]]


class CheckpointError(GradError):
    """A checkpointed function computed something else the second time."""


def noop_context_fn() -> Contexts:
    """Two contexts that do nothing: the default of ``context_fn``."""
    return nullcontext(), nullcontext()


def checkpoint(
    function: Callable[..., Any],
    *args: Any,
    use_reentrant: bool | None = None,
    context_fn: Callable[[], Contexts] = noop_context_fn,
    determinism_check: str = "default",
    debug: bool = False,
    preserve_rng_state: bool = True,
    **kwargs: Any,
) -> Any:
    """``function(*args, **kwargs)``, of which nothing is kept for backward but arguments and results: a backward calls
    it again.

    Gradients reach all tensors that the function reads: arguments, tensors inside lists and dicts of them, parameters.
    Random tensors of the default generator are the same both times with ``preserve_rng_state``. ``context_fn`` gives
    two context managers, for the first and for later calls. A backward checks that the same shapes and dtypes are
    computed, unless ``determinism_check`` is "none"; ``debug`` lists both computations in that error. What
    ``create_selective_checkpoint_contexts`` gives keeps some results in between.

    ``use_reentrant=True`` (the default, with a warning) takes no keyword arguments, and gives results that require no
    grad where no tensor among ``args`` does. Unlike PyTorch's it serves ``grad`` and derivatives of derivatives, too.

    CheckpointError (a RuntimeError) where the second call computes other things, or a tensor that it reads was written
    since. ValueError for unknown arguments.

    >>> x = nbgrad.tensor([1.0, 2.0], requires_grad=True)
    >>> y = nbgrad.utils.checkpoint.checkpoint(lambda x: (x * x).exp(), x, use_reentrant=False)
    >>> y.sum().backward()
    >>> x.grad
    tensor([  5.4366, 218.3926])
    """
    function_of("checkpoint", "function", function)
    if use_reentrant is None:
        use_reentrant = _default_mode("checkpoint")
    if use_reentrant and kwargs:
        raise ArgumentError("Unexpected keyword arguments: " + ",".join(kwargs))
    if use_reentrant and (context_fn is not noop_context_fn or debug is not False):
        raise ArgumentError("Passing `context_fn` or `debug` is only supported when use_reentrant=False.")
    if debug and context_fn is not noop_context_fn:
        raise ArgumentError("debug=True is incompatible with non-default context_fn")
    if determinism_check not in ("default", "none"):
        raise ArgumentError(f"determinism_check should be one of ['default', 'none'], but got {determinism_check}")
    if use_reentrant and not any(isinstance(a, Handle) and requires_grad(a) for a in args):
        warn_here("None of the inputs have requires_grad=True. Gradients will be None", UserWarning)
        with grad_mode(False):
            return function(*args)
    first, later = context_fn()
    if not get_mode()[0]:
        return function(*args, **kwargs)
    return _Again(function, args, kwargs, preserve_rng_state, later, determinism_check, debug).begin(first)


class _Leaf:
    """A leaf that the function reads besides its arguments, and whether it was written since."""

    def __init__(self, tensor: Handle) -> None:
        self.tensor, self._then = tensor, Saved(tensor)

    @property
    def is_written(self) -> bool:
        return self._then.tensor() is not self.tensor


class _Again:
    """One checkpointed call: what the engine calls when cotangents of its results are there."""

    depth: int

    def __init__(
        self,
        function: Callable[..., Any],
        args: Any,
        kwargs: Any,
        preserve_rng_state: bool,
        context: AbstractContextManager[Any],
        check: str,
        debug: bool,
    ) -> None:
        refuse("a checkpointed function is called again by backward")
        self.name = f"checkpoint({getattr(function, '__name__', type(function).__name__)})"
        self._function: Callable[..., Any] | None = function
        self._args, self._tree = flatten((args, kwargs))
        self._needs = [isinstance(a, Handle) and requires_grad(a) for a in self._args]
        self._random = _state() if preserve_rng_state else None
        self._context, self._check, self._debug = context, check, debug
        self._autocast = local.trace.autocast

    def begin(self, context: AbstractContextManager[Any]) -> Any:
        """The first call: its results, with this behind them."""
        given = self._args
        self._args = [Saved(a) if isinstance(a, Handle) else a for a in given]
        stretch = self._stretch(given)
        with context:
            results, tree = self._call(given)
        self.places = [i for i, y in enumerate(results) if _is_computed(y, given)]
        outputs = [results[i] for i in self.places]
        if not outputs or local.trace.duals is not None:  # forward mode keeps nothing for backward
            return unflatten(tree, results)
        if local.trace.vmaps:
            raise RunError("checkpoint() inside vmap: its backward runs what was recorded, which nothing inside can do")
        for i, y in zip(self.places, undisturbed(self._recorded, stretch, outputs, given), strict=True):
            results[i] = y
        return unflatten(tree, results)

    def _recorded(self, stretch: Stretch, outputs: Sequence[Handle], given: Sequence[Any]) -> list[Handle]:
        """``outputs`` with this behind them."""
        self._found = found = stretch.behind(outputs)
        sources, found.sources = list(found.sources.values()), {}  # which would keep what is let go
        keys = dict(zip([i for i, needs in enumerate(self._needs) if needs], stretch.keys(), strict=True))
        self._keys = {source.key for source in sources}
        self._leaf_keys = {source.key for source in sources if source.leaf is not None}
        self._leaves = [None if source.leaf is None else _Leaf(source.leaf) for source in sources]
        self._readers = [[i for i, key in keys.items() if key == source.key] for source in sources]
        self._reads_outside = any(not leaf and not by for leaf, by in zip(self._leaves, self._readers, strict=True))
        return function_between(self, sources, given, [detach(y) for y in outputs])

    @property
    def takes(self) -> Sequence[bool]:
        return [True] * len(self._readers)

    def pull_back(self, cotangents: list[Handle | None]) -> Sequence[Handle | None] | Onward:
        """Gradients by each source: the function again, and through it. Where derivatives of these are wanted, many of
        them at once, or the function reads what was computed outside, derivatives go on through the second computation
        instead: it has the history of the first. That an argument is read by another name, too, is found out here: then
        the function is called again."""
        if self._function is None:
            raise GradError(FREED)
        trace = local.trace
        if not trace.vmaps:
            flush(trace)  # what is computed again is no part of what was recorded, and begins with its cotangents there
        goes_on = get_mode()[0] or self._reads_outside or bool(trace.vmaps)
        given = [a.tensor() if isinstance(a, Saved) else a for a in self._args]
        if not goes_on:
            cut = {id(a): _cut(a) for a, needs in zip(given, self._needs, strict=True) if needs}
            begins = {i: cut[id(a)][0] for i, (a, needs) in enumerate(zip(given, self._needs, strict=True)) if needs}
            given = [cut[id(a)][1] if needs else a for a, needs in zip(given, self._needs, strict=True)]
        stretch = self._stretch(given)
        autocast = trace.autocast
        set_autocast(self._autocast)
        try:
            with grad_mode(True), _going_on(self._random), self._context:
                results, _ = self._call(given)
        finally:
            set_autocast(autocast)
        outputs = [results[i] for i in self.places if i < len(results) and _is_computed(results[i], given)]
        if len(outputs) < len(self.places):
            raise CheckpointError(f"{self.name}: gave other results when backward called it again")
        found = undisturbed(stretch.behind, outputs)
        if not goes_on and self._keys & found.sources.keys() - self._leaf_keys:
            self._reads_outside = True
            del results, outputs, found, given
            return self.pull_back(cotangents)
        self._compare(found, self._keys | {*stretch.keys()})
        pairs = [(y, g) for y, g in zip(outputs, cotangents, strict=False) if g is not None]
        if goes_on:
            return Onward(pairs)
        ends = [
            [*([] if leaf is None else [leaf.tensor]), *{id(begins[i]): begins[i] for i in by}.values()]
            for leaf, by in zip(self._leaves, self._readers, strict=True)
        ]
        return _gradients(pairs, ends)

    def push_forward(self, tangents: list[Handle | None]) -> Sequence[Handle | None]:
        raise MissingRuleError(
            f"{self.name}: forward mode keeps nothing for backward and needs no checkpoint: call the function itself"
        )

    def free(self) -> None:
        """Let go of what another backward would need."""
        self._function, self._args, self._leaves, self._context = None, [], [], nullcontext()

    def _stretch(self, given: Sequence[Any]) -> Stretch:
        return Stretch([a for a, needs in zip(given, self._needs, strict=True) if needs])

    def _call(self, leaves: Sequence[Any]) -> Any:
        args, kwargs = unflatten(self._tree, leaves)
        assert self._function is not None
        return flatten(self._function(*args, **kwargs))

    def _compare(self, found: Found, known: set[Origin]) -> None:
        """CheckpointError where something else was computed, or of other things, than the first time."""
        leaves = {id(leaf.tensor): leaf for leaf in self._leaves if leaf}
        for source in found.sources.values():
            if source.key in known:
                leaf = leaves.get(id(source.leaf))
                if leaf is not None and leaf.is_written:
                    raise CheckpointError(
                        f"{self.name}: a leaf {spec_of(leaf.tensor)} that it reads was written between forward and "
                        "backward, which would compute something else: give it as an argument, or write it afterwards"
                    )
                continue
            raise CheckpointError(f"{self.name}: when backward called it again it read another tensor than before")
        if self._check != "none" and self._found.calls != found.calls and self._found.is_whole and found.is_whole:
            both = "".join(
                f"\n{when}: {' '.join([f'{name} {spec}' for name, spec in calls])}"
                for when, calls in (("first", self._found.calls), ("again", found.calls))
            )
            raise CheckpointError(
                f"{self.name}: computed something else when backward called it again ({len(found.calls)} operations, "
                f"{len(self._found.calls)} before){both if self._debug else '. debug=True lists them'}"
            )


def _is_computed(y: Any, given: Sequence[Any]) -> bool:
    """Whether a result is differentiable, and none of what was ``given``."""
    return isinstance(y, Handle) and requires_grad(y) and not is_leaf(y) and not any(y is a for a in given)


def _cut(a: Handle) -> tuple[Handle, Handle]:
    """(a leaf with the value of ``a``, the tensor to compute with): it can be written where ``a`` could."""
    leaf = detach(record(CALLS["clone"], (a,)))
    set_requires_grad(leaf, True)
    if is_leaf(a):
        return leaf, leaf
    return leaf, reading(leaf)


def _gradients(pairs: Sequence[tuple[Handle, Handle]], ends: Sequence[Sequence[Any]]) -> list[Handle | None]:
    """For each source the sum of the gradients by its ``ends``."""
    wrt = [x for each in ends for x in each]
    found = iter(gradients_in_part([y for y, _ in pairs], wrt, [g for _, g in pairs]))
    totals: list[Handle | None] = []
    for each in ends:
        total = None
        for g in [next(found) for _ in each]:
            if g is not None:
                total = g if total is None else record(CALLS["add"], (total, g, None))
        totals.append(total)
    return totals


def _state() -> tuple[int, int]:
    """Where the stream of random tensors is."""
    return default_generator.seed, default_generator.position


@contextmanager
def _going_on(state: tuple[int, int] | None) -> Iterator[None]:
    """Random tensors come from ``state`` on (None: as ever), and afterwards go on as if they had not."""
    if state is None:
        yield
        return
    before = _state()
    default_generator.seed, default_generator.position = state
    try:
        yield
    finally:
        default_generator.seed, default_generator.position = before


def _default_mode(name: str) -> bool:
    warn_here(
        f"{name}(): the use_reentrant parameter should be passed explicitly. use_reentrant=False is recommended; "
        "without it True is taken, as in PyTorch",
        UserWarning,
    )
    return True


def checkpoint_sequential(
    functions: Any, segments: int, input: Any, use_reentrant: bool | None = None, **kwargs: Any
) -> Any:
    """``functions`` (a Sequential, or a list) one after the other on ``input``, in so many ``segments``: all but the
    last are checkpointed.

    ``preserve_rng_state`` as in ``checkpoint``. ValueError for other keyword arguments.

    >>> layers = [nbgrad.nn.Linear(3, 3) for _ in range(4)]
    >>> y = nbgrad.utils.checkpoint.checkpoint_sequential(layers, 2, nbgrad.ones(2, 3), use_reentrant=False)
    """
    if use_reentrant is None:
        use_reentrant = _default_mode("checkpoint_sequential")
    preserve = kwargs.pop("preserve_rng_state", True)
    if kwargs:
        raise ArgumentError("Unexpected keyword arguments: " + ",".join(kwargs))
    layers = list(functions.children()) if isinstance(functions, Sequential) else functions
    if not isinstance(segments, int) or segments < 1:
        raise ArgumentError(f"checkpoint_sequential(): segments must be a positive int, but got {segments!r}")
    size = len(layers) // segments
    if size == 0:
        raise ArgumentError(f"checkpoint_sequential(): {len(layers)} functions cannot be cut into {segments} segments")

    def run(layers: Sequence[Callable[[Any], Any]], x: Any) -> Any:
        for layer in layers:
            x = layer(x)
        return x

    x = input
    for k in range(segments - 1):
        part = layers[k * size : (k + 1) * size]
        x = checkpoint(partial(run, part), x, use_reentrant=use_reentrant, preserve_rng_state=preserve)
    return run(layers[(segments - 1) * size :], x)


@contextmanager
def set_checkpoint_early_stop(enable: bool) -> Iterator[None]:
    """Nothing to switch, but for programs that were written for PyTorch, where a second call ends as soon as backward
    has what it needs. Here the function always runs to its end, and what no derivative reads is not computed."""
    if not isinstance(enable, bool):
        raise refused("set_checkpoint_early_stop", "enable", enable, "bool")
    yield


def __getattr__(name: str) -> Any:
    raise _AbsentError("module 'nbgrad.utils.checkpoint'", name, __all__)


def __dir__() -> list[str]:
    """The public names, for completion."""
    return [*__all__]

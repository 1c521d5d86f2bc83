"""vmap: a function of one example becomes one of many."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from nbgrad.autograd.levels import batched, examples, inside_vmap, written
from nbgrad.autograd.tree import Tree, broadcast_prefix, flatten, unflatten
from nbgrad.calls.arguments import function_of
from nbgrad.calls.base import CALLS
from nbgrad.errors import ArgumentError, RunError, TensorIndexError
from nbgrad.trace import Handle, Trace, holding, record, released, spec_of

Dims = int | None | tuple[Any, ...]
RANDOMNESS = ("error", "different", "same")


def vmap(
    func: Callable[..., Any],
    in_dims: Any = 0,
    out_dims: Any = 0,
    randomness: str = "error",
    *,
    chunk_size: int | None = None,
) -> Callable[..., Any]:
    """A function that gives what ``func`` gives for each of many examples, computed for all at once.

    ``in_dims``: for each positional argument the dim along which the examples lie, None for one that is the same for
    all; an int for all of them, or dims for the parts of a dict, list or tuple. ``out_dims``: where that dim is in the
    results. ``randomness``: whether random numbers in ``func`` are "different" for the examples, the "same", or an
    "error". ``chunk_size``: how many examples are computed at once (None: all). Keyword arguments are the same for
    all examples.

    ``func`` sees tensors without that dim. It can hold derivatives (``grad`` for a gradient of each example) and other
    transforms. What depends on the examples has no one value inside: RuntimeError where it is looked at. ValueError for
    dims that do not fit.

    >>> x, y = nbgrad.ones(3, 2), nbgrad.arange(6.0).reshape(3, 2)
    >>> nbgrad.func.vmap(nbgrad.dot)(x, y)
    tensor([1., 5., 9.])
    """
    if randomness not in RANDOMNESS:
        raise RunError(f"Only allowed values for randomness are 'error', 'different', or 'same'. Got {randomness}")
    if chunk_size is not None and chunk_size <= 0:
        raise ArgumentError(f"vmap: chunk_size should be None or greater than 0. (got {chunk_size})")

    @functools.wraps(function_of("vmap", "func", func))
    def run(*args: Any, **kwargs: Any) -> Any:
        call = _Call(func, in_dims, out_dims, randomness, args, kwargs)
        if chunk_size is None or call.size <= chunk_size:
            results, tree = _run(call, 0, call.size)
        else:
            parts = [_run(call, i, min(chunk_size, call.size - i)) for i in range(0, call.size, chunk_size)]
            tree = parts[0][1]
            results = [record(CALLS["cat"], rows, (0,)) for rows in zip(*[found for found, _ in parts], strict=True)]
        return call.moved_out(results, tree)

    return run


class _Call:
    """One call of a function under vmap: its arguments, with the examples along the first dim."""

    def __init__(
        self, func: Callable[..., Any], in_dims: Any, out_dims: Any, randomness: str, args: Any, kwargs: Any
    ) -> None:
        self.func, self.out_dims, self.randomness = func, out_dims, randomness
        self.name = getattr(func, "__name__", type(func).__name__)
        self.given = f"vmap({self.name}, in_dims={in_dims}, ...)(<inputs>)"
        if not args:
            raise ArgumentError(
                f"vmap({self.name})(<inputs>): got no inputs. Maybe you forgot to add inputs, or you are trying to "
                "vmap over a function with no inputs. The latter is unsupported."
            )
        leaves, self.tree = flatten(args)
        self.kwargs, self.dims = kwargs, self._dims(in_dims)
        self.leaves = [x if d is None else self._first(x, d) for x, d in zip(leaves, self.dims, strict=True)]
        sizes = [spec_of(x).shape[0] for x, d in zip(self.leaves, self.dims, strict=True) if d is not None]
        if not sizes:
            raise ArgumentError(
                f"{self.given}: no argument has a dim of examples: give at least one of in_dims as an int"
            )
        if len(set(sizes)) > 1:
            raise ArgumentError(
                "vmap: Expected all tensors to have the same size in the mapped dimension, got sizes "
                f"{sizes} for the mapped dimension"
            )
        self.size = sizes[0]

    def _dims(self, in_dims: Any) -> list[int | None]:
        if type(in_dims) is not int and not isinstance(in_dims, (tuple, list)):
            raise ArgumentError(
                f"{self.given}: expected `in_dims` to be int or a (potentially nested) tuple matching the structure of "
                f"inputs, got: {type(in_dims)}."
            )
        dims = broadcast_prefix(in_dims, self.tree, is_dim)
        if dims is None:
            raise ArgumentError(
                f"{self.given}: in_dims is not compatible with the structure of `inputs`. in_dims has structure "
                f"{flatten(in_dims)[1]} but inputs has structure {self.tree}."
            )
        return dims

    def _first(self, x: Any, dim: int) -> Handle:
        """``x`` with the dim of examples in front."""
        if not isinstance(x, Handle):
            raise ArgumentError(
                f"{self.given}: Got in_dim={dim} for an input but the input is of type {type(x)}. We cannot vmap over "
                "non-Tensor arguments, please use None as the respective in_dim"
            )
        rank = len(spec_of(x).shape)
        if not -rank <= dim < rank:
            raise ArgumentError(
                f"{self.given}: Got in_dim={dim} for some input, but that input is a Tensor of dimensionality {rank} "
                f"so expected in_dim to satisfy -{rank} <= in_dim < {rank}."
            )
        return moved(x, dim % rank, 0)

    def run(self, trace: Trace, start: int, count: int) -> tuple[list[Handle], Tree]:
        """The results for some of the examples, which lie along their first dim. The trace is in hand, so that a
        signal's handler is outside of the vmap but while code of the user's runs."""
        mapped: list[Any] = [x for x, d in zip(self.leaves, self.dims, strict=True) if d is not None]
        if count < self.size:
            mapped = [record(CALLS["narrow"], (x, start), (0, count)) for x in mapped]
        holes = examples(mapped, "vmap")
        own = iter(holes)
        inside = [x if d is None else next(own) for x, d in zip(self.leaves, self.dims, strict=True)]
        with inside_vmap(trace, holes, count, self.randomness) as level:
            output = released(trace, self.func, *unflatten(self.tree, inside), **self.kwargs)
            results, tree = flatten(output)
            self._check_results(results, tree)
            changed = written(holes, level.entries[: len(holes)])
            found = batched([*results, *[holes[k] for k in changed]], level)
        for k, value in zip(changed, found[len(results) :], strict=True):  # in place, so where it came from
            mapped[k].copy_(value)
        return found[: len(results)], tree

    def _check_results(self, results: Sequence[Any], tree: Tree) -> None:
        for x in results:
            if not isinstance(x, Handle):
                raise ArgumentError(
                    f"vmap({self.name}, ...): `{self.name}` must only return Tensors, got type {type(x)}. Did you mean "
                    "to set out_dims= to None for output?"
                )

    def moved_out(self, results: Sequence[Handle], tree: Tree) -> Any:
        """The results with the dim of examples where ``out_dims`` wants it."""
        dims = broadcast_prefix(self.out_dims, tree, is_dim)
        if dims is None:
            if not all(map(is_dim, flatten(self.out_dims)[0])):
                raise ArgumentError(
                    f"vmap({self.name}, ..., out_dims={self.out_dims}): `out_dims` must be an int, None or a python "
                    "collection of ints representing where in the outputs the vmapped dimension should appear."
                )
            raise ArgumentError(
                f"vmap({self.name}, ..., out_dims={self.out_dims})(<inputs>): out_dims is not compatible with the "
                f"structure of `outputs`. out_dims has structure {flatten(self.out_dims)[1]} but outputs has structure "
                f"{tree}."
            )
        return unflatten(tree, [self._placed(x, d) for x, d in zip(results, dims, strict=True)])

    def _placed(self, x: Handle, dim: int | None) -> Handle:
        if dim is None:
            raise ArgumentError(
                f"vmap({self.name}, ...): `{self.name}` can not return a BatchedTensor when out_dim is None"
            )
        rank = len(spec_of(x).shape)
        if not -rank <= dim < rank:
            raise TensorIndexError(
                f"Dimension out of range (expected to be in range of [{-rank}, {rank - 1}], but got {dim})"
            )
        return moved(x, 0, dim % rank)


@holding
def _run(trace: Trace, call: _Call, start: int, count: int) -> tuple[list[Handle], Tree]:
    return call.run(trace, start, count)


def moved(x: Handle, source: int, target: int) -> Handle:
    """``x`` with one dim at another place."""
    if source == target:
        return x
    dims = list(range(len(spec_of(x).shape)))
    dims.insert(target, dims.pop(source))
    return record(CALLS["permute"], (x,), (tuple(dims),))  # type: ignore[no-any-return]


def is_dim(value: Any) -> bool:
    return value is None or type(value) is int

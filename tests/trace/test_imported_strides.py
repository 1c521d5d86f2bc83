"""Memory of others that is not row-major, beside PyTorch: random programs of views, writes and reads.

python -m tests.trace.test_imported_strides FIRST COUNT     # prints the programs that differ
"""

from __future__ import annotations

import random
import sys
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided

import nbgrad as nb

ERRORS = (IndexError, TypeError, ValueError, RuntimeError, NameError)
WINDOWS = (
    "base.T",
    "base[:, 1:3]",
    "base[1:, ::2]",
    "base[::2]",
    "base[:, 2]",
    "base[1:2].T",
    "base[:, 3:4]",
    "base.reshape(2, 2, 6).transpose(2, 0, 1)",
    "base.reshape(2, 2, 6)[:, :, 1:5]",
    "base.reshape(4, 2, 3)[:, 1]",
    "base.reshape(2, 6, 2).transpose(1, 0, 2)[::2]",
    "as_strided(base, (3, 6), (0, 8))",
    "as_strided(base, (4, 3), (48, 0))",
    "as_strided(base, (2, 4, 3), (0, 48, 16))",
    "as_strided(base, (4, 1, 6), (48, 800, 8))",
    "base",
    "base[:0].T",
)
LOADERS = ("lib.from_numpy(array)", "lib.as_tensor(array)", "lib.asarray(array)", "lib.from_dlpack(array)")
# What a tensor shows; ``{s}`` is a shape with as many elements, ``{d}`` and ``{e}`` are dims, ``{n}`` is a place.
VIEWS = (
    *("{x}.reshape({s})", "{x}.view({s})", "{x}.reshape(-1)", "{x}.view(-1)", "{x}.flatten()", "{x}.ravel()"),
    *("{x}.contiguous()", "{x}.mT", "{x}.transpose({d}, {e})", "{x}[{n}]", "{x}[1:]", "{x}[..., ::2]", "{x}[..., :2]"),
    *("{x}.unsqueeze({d})", "{x}.squeeze()", "{x}.select({d}, 0)", "{x}.narrow({d}, 0, 1)", "{x}.movedim({d}, {e})"),
    *("{x}.view(lib.int64)", "{x}.unflatten({d}, (-1, 1))", "{x}.unflatten({d}, (2, -1))", "{x}[...]", "{x}.data"),
    *("{x}.detach()", "{x}.view_as(lib.empty({s}))", "{x}.flatten({d}, {e})"),
    *("{x}.unfold({d}, 2, 2)", "{x}.diagonal()", "{x}.expand(2, *{x}.shape)", "{x}.swapaxes({d}, {e}).reshape(-1)"),
    *("{x}.clone().contiguous()", "({x} * 2).contiguous()", "lib.from_numpy({x}.detach().numpy())"),
    "lib.from_dlpack({x}.detach())",
)
WRITES = (
    *("{x}.zero_()", "{x}.add_(1)", "{x}.mul_(2)", "{x}.fill_(5)", "{x}.copy_({x}.clone() + 3)", "{x}[{n}] = 7"),
    *("{x}[..., 0] += 4", "{x}[1:] = {x}.sum()", "array[...] += 10", "array[0] = -1", "base[1] = 100"),
    *("{x}.detach().numpy()[...] = 6", "{x}.data.sub_(1)", "{x}.neg_()", "{x}[...] = {y} * 1", "{x}.add_({y}.sum())"),
)
READS = (
    *("{x}.tolist()", "({x} * 2).tolist()", "{x}.sum().item()", "{x}.detach().numpy().tolist()", "strides({x})"),
    *("{x}.reshape(-1)[:3].tolist()", "{x}.is_contiguous()", "offset({x})", "{x}.requires_grad"),
    *("place({x}, base)", "place({x}.detach().numpy(), base)", "place({x}.reshape(-1), base)"),
    "place({x}.contiguous(), base)",
)
GRADS = ("({x} * {x}).sum().backward(retain_graph=True)", "({x}.reshape(-1) * 3).sum().backward(retain_graph=True)")
AT_THE_END = (
    *("{x}.detach().tolist()", "{x}.requires_grad", "strides({x})", "place({x}, base)"),
    "{x}.grad.tolist() if {x}.is_leaf and {x}.grad is not None else None",
)


def strides(x: Any) -> list[int]:
    """Those that lead anywhere."""
    return [s for s, n in zip(x.stride(), x.shape, strict=True) if n > 1 and 0 not in x.shape]


def offset(x: Any) -> int:
    """Where the first element lies in the memory that ``x`` shows, if there is one."""
    return x.storage_offset() if x.numel() else 0


def place(x: Any, base: Any) -> Any:
    """Where the first element lies, as seen from ``base``; "elsewhere" is memory of its own."""
    address = x.ctypes.data if isinstance(x, np.ndarray) else x.data_ptr()
    offset = address - base.ctypes.data
    return "nowhere" if 0 in x.shape else offset if 0 <= offset < base.nbytes else "elsewhere"


class Seen(NamedTuple):
    """What came of a line: whether it failed, or this value. Which error it is, other tests ask."""

    failed: bool
    value: Any


class Run:
    """A program in one library."""

    def __init__(self, library: Any) -> None:
        base = np.arange(1.0, 25.0).reshape(4, 6)
        self.names: dict[str, Any] = {"lib": library, "base": base, "as_strided": as_strided}
        self.names |= {"strides": strides, "offset": offset, "place": place}

    def do(self, line: str) -> Seen:
        value = None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                if "= " in line:
                    exec(line, self.names)
                else:
                    value = eval(line, self.names)
            except ERRORS:
                return Seen(True, None)
        return Seen(False, value if isinstance(value, (bool, int, float, str, list)) else None)

    def tensors(self) -> list[str]:
        """The names of those there are."""
        return [name for name in self.names if name[0] == "x" and name[1:].isdigit()]


class Writer:
    """A random program, which is written while the other library runs it."""

    def __init__(self, seed: int, other: Run) -> None:
        self.random = random.Random(seed)
        self.other = other
        self.lines: list[str] = []

    def line(self, line: str) -> Seen:
        self.lines.append(line)
        return self.other.do(line)

    def filled(self, form: str) -> str:
        """``form`` with a tensor and numbers that suit it."""
        pick = self.random
        name = pick.choice(self.other.tensors())
        x = self.other.names[name]
        dims, count = max(x.dim(), 1), x.numel()
        pairs = [(a, count // a) for a in (1, 2, 3, 4, 6) if count % a == 0]
        shape = pick.choice([*pairs, (*pick.choice(pairs)[:1], 1, -1), tuple(x.shape)[::-1], (count,)])
        near = pick.choice([y for y in self.other.tensors() if self.other.names[y].shape == x.shape])
        return form.format(
            x=name, y=near, s=tuple(shape), d=pick.randrange(dims), e=pick.randrange(dims), n=pick.randrange(-1, 2)
        )

    def write(self, length: int) -> list[str]:
        self.line(f"array = {self.random.choice(WINDOWS)}")
        self.line(f"x0 = {self.random.choice(LOADERS)}{self.random.choice(['', '', '.requires_grad_()'])}")
        for k in range(1, length):
            kind = self.random.random()
            if kind < 0.45:
                self.line(self.filled(f"x{k} = {self.random.choice(VIEWS)}"))
            elif kind < 0.7:
                self.line(self.filled(self.random.choice(WRITES)))
            elif kind < 0.95:
                self.line(self.filled(self.random.choice(READS)))
            else:
                self.line(self.filled(self.random.choice(GRADS)))
        for name in self.other.tensors():
            self.lines += [line.format(x=name) for line in AT_THE_END]
        return [*self.lines, "base.tolist()"]


def difference(lines: list[str], torch: Any) -> str:
    """What differs in a program; "" where nothing does."""
    runs = [Run(torch), Run(nb)]
    for k, line in enumerate(lines):
        theirs, ours = [run.do(line) for run in runs]
        if ours != theirs:
            return f"line {k}: {line}\n  PyTorch {theirs}\n  nbgrad  {ours}"
    return ""


def shortest(lines: list[str], torch: Any, differs: Callable[[list[str]], bool]) -> list[str]:
    """The program without what is not needed for a difference."""
    k = len(lines)
    while k > 0:
        k -= 1
        fewer = lines[:k] + lines[k + 1 :]
        if k > 1 and differs(fewer):
            lines = fewer
            k = min(k, len(lines))
    return lines


def differing(seeds: range, torch: Any) -> list[str]:
    """The programs that differ, and in what."""
    found = []
    for seed in seeds:
        lines = Writer(seed, Run(torch)).write(4 + seed % 12)
        if difference(lines, torch):
            lines = shortest(lines, torch, lambda some: bool(difference(some, torch)))
            found.append("\n".join([f"seed {seed}", *lines, difference(lines, torch), ""]))
    return found


def test_random_programs_on_imported_memory_do_what_pytorch_does() -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is the other side")
    assert not (found := differing(range(200), torch)), "\n".join(found)


LOADED: dict[str, Callable[[Any], Any]] = {
    "from_numpy": nb.from_numpy,
    "as_tensor": nb.as_tensor,
    "asarray": nb.asarray,
    "from_dlpack": nb.from_dlpack,
}


@pytest.mark.parametrize("load", LOADED)
def test_a_flat_view_is_a_copy_where_the_memory_is_not_row_major(load: str) -> None:
    base = np.arange(12.0).reshape(3, 4)
    for array in (base.T, base[:, 1:3], base[:, ::3], base[::-1]):
        x = LOADED[load](array)
        for flat in (x.reshape(-1), x.flatten(), x.ravel(), x[1:].reshape(-1)):
            flat.zero_()
        with pytest.raises(RuntimeError, match=r"view size is not compatible .* Use .reshape\(...\) instead"):
            x.view(-1)
        assert base.sum() == 66 and x.reshape(-1).tolist() == array.reshape(-1).tolist()
    LOADED[load](base.T).T.view(-1).zero_()
    assert not base.any()


def test_memory_that_repeats_elements_is_written_where_each_is_written_once() -> None:
    row = np.arange(4.0)
    x: Any = nb.from_numpy(as_strided(row, (3, 4), (0, 8)))
    more: Callable[[], Any]
    for more in (lambda: x.add_(1), lambda: x.copy_(nb.ones(3, 4)), lambda: x[:, 1].mul_(2)):
        with pytest.raises(RuntimeError, match=r"more than one element of the written-to .* Please clone"):
            more()
    assert row.tolist() == [0.0, 1.0, 2.0, 3.0]
    x[1] += 1
    assert row.tolist() == [1.0, 2.0, 3.0, 4.0] and x[2].tolist() == row.tolist()
    windows = nb.from_numpy(as_strided(row, (3, 2), (8, 8)))
    windows[1] = 9.0
    assert row.tolist() == [1.0, 9.0, 9.0, 4.0] and windows.tolist() == [[1.0, 9.0], [9.0, 9.0], [9.0, 4.0]]


def test_memory_that_no_strides_of_elements_describe_is_refused() -> None:
    fields = np.zeros(3, [("number", "f8"), ("flag", "i4")])
    with pytest.raises(ValueError, match="strides not a multiple of the element byte size"):
        nb.from_numpy(fields["number"])
    with pytest.raises(ValueError, match="stride in the given numpy array is negative"):
        nb.from_numpy(as_strided(np.arange(4.0)[::-1], (2, 4), (0, -8)))


def test_the_address_of_a_leaf_that_is_a_view() -> None:
    x = nb.arange(6.0)
    leaf = x.detach()[2:].requires_grad_()
    assert leaf.data_ptr() - x.data_ptr() == 8
    assert leaf[::2].data_ptr() == leaf.data_ptr()


def test_a_gradient_goes_through_a_view_or_a_copy_of_a_leaf_over_imported_memory() -> None:
    for _ in range(3):  # recorded, known, planned
        for array, is_view in ((np.ones((2, 3)).T, False), (np.ones((3, 2)), True)):
            x = nb.from_numpy(array).requires_grad_()
            flat = x[1:].reshape(-1)
            assert (flat.data_ptr() == x[1:].data_ptr()) is is_view
            (flat * nb.arange(1.0, 5.0)).sum().backward()
            assert x.grad is not None and x.grad.tolist() == [[0.0, 0.0], [1.0, 2.0], [3.0, 4.0]]
            with nb.no_grad():
                x[1:].reshape(-1).zero_()
            assert array.sum() == (2 if is_view else 6)


def test_the_gradient_of_a_leaf_over_imported_memory_lies_as_that_does() -> None:
    for array, strides in ((np.ones((2, 3)).T, (1, 3)), (np.ones((2, 3, 4)).transpose(2, 0, 1), (1, 12, 4))):
        for x in (nb.from_numpy(array).requires_grad_(), nb.nn.Parameter(nb.from_numpy(array))):
            (x * x).sum().backward()
            assert x.grad is not None and x.grad.stride() == x.stride() == strides


def _make_flat_views_of(rows_of: Callable[[], Any]) -> None:
    """Of tensors that are row-major, so often that the trie leads there."""
    for _ in range(4):
        rows = rows_of()
        _ = rows.tolist()
        rows.reshape(-1).add_(1)
        assert (rows * 1).sum().item() == 12


def test_a_row_of_imported_memory_is_told_from_a_tensor_that_is_row_major() -> None:
    _make_flat_views_of(lambda: nb.ones(3, 2, dtype=nb.float64))
    base = np.arange(24.0).reshape(2, 3, 4)
    flat = nb.from_numpy(base.transpose(2, 1, 0))[0].reshape(-1)
    flat.add_(1)
    assert flat.tolist() == [1.0, 13.0, 5.0, 17.0, 9.0, 21.0] and base.sum() == 276


def test_imported_memory_with_a_history_is_told_from_a_tensor_that_is_row_major() -> None:
    w = nb.ones(3, 2, dtype=nb.float64, requires_grad=True)
    _make_flat_views_of(lambda: w * 1)
    base = np.ones((2, 3))
    x = nb.from_numpy(base.T)
    x.mul_(w)
    _ = x.tolist()
    flat = x.reshape(-1)
    flat.mul_(3)
    assert flat.tolist() == [3.0] * 6 and base.sum() == 6
    assert nb.autograd.grad(flat.sum() + x.sum(), w)[0].tolist() == [[4.0, 4.0]] * 3


def test_tangents_and_examples_of_imported_memory() -> None:
    x = nb.from_numpy(np.arange(6.0).reshape(2, 3).T)
    with nb.autograd.forward_ad.dual_level():
        dual = nb.autograd.forward_ad.make_dual(x, x * 2)
        for flat, known in ((dual[1:].reshape(-1), x[1:]), (dual.T.reshape(-1), x.T)):
            value, tangent = nb.autograd.forward_ad.unpack_dual(flat)
            assert value.tolist() == known.reshape(-1).tolist()
            assert tangent is not None and tangent.tolist() == (known * 2).reshape(-1).tolist()
    assert nb.vmap(lambda t: t.reshape(-1) * 2)(x).tolist() == (x * 2).tolist()
    weights = nb.arange(6.0, dtype=nb.float64)
    assert nb.func.grad(lambda t: (t.reshape(-1) * weights).sum())(x).tolist() == weights.reshape(3, 2).tolist()


LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "rows": lambda x: x,
    "transposed": lambda x: x.T,
    "columns": lambda x: x[:, 1:3],
    "upside down": lambda x: x[::-1],
    "repeated": lambda x: as_strided(x, (3, 4), (0, 8)),
}
FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "flat": lambda x: x.reshape(-1),
    "flat part": lambda x: x[1:].reshape(-1) * 2,
    "view": lambda x: x.view(-1),
    "of the transpose": lambda x: x.T.reshape(-1),
    "several": lambda x: ((x.T.reshape(-1) * 2).sum(), x.flatten()),
}


def told(function: Callable[[Any], Any], name: str, load: Callable[[Any], Any]) -> Any:
    """What a function gives, and what is left of its argument's memory when that is written."""
    base = np.arange(12.0).reshape(3, 4)
    try:
        results = function(load(base))
    except RuntimeError as error:
        return type(error)
    several = results if isinstance(results, tuple) else (results,)
    values = [y.tolist() for y in several]
    for y in several:
        y.zero_()
    return values, base.tolist()


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("order", [1, -1])
def test_a_compiled_function_gives_views_by_how_its_argument_lies(name: str, order: int) -> None:
    compiled = nb.compile(FUNCTIONS[name])
    for layout in [*LAYOUTS][::order]:
        loads = [lambda base, show=LAYOUTS[layout]: nb.from_numpy(show(base))]
        if layout in ("transposed", "columns"):
            loads.append(lambda base, show=LAYOUTS[layout]: show(nb.from_numpy(base)))
        for load in loads:
            for _ in range(3):
                assert told(compiled, name, load) == told(FUNCTIONS[name], name, load), layout


if __name__ == "__main__":
    import torch

    first, count = map(int, sys.argv[1:])
    for text in differing(range(first, first + count), torch):
        print(text)

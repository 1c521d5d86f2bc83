"""Computations as functions for ``@njit`` code: ``nbgrad.numba.njit`` and ``value_and_grad``.

What is compiled is one driver: it finds the program for the sizes of its arguments, has descriptors of its own, fills
in addresses, and calls the fused kernels one after the other. So it runs without the GIL, and in several threads at
once. A program is numbers in memory; for sizes that were never seen Python makes one.
"""

from __future__ import annotations

import ctypes
import traceback
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import numba
import numpy as np
from numba import types

from nbgrad.autograd import grad
from nbgrad.autograd.grad_mode import enable_grad
from nbgrad.config import override
from nbgrad.creation import tensor
from nbgrad.errors import ArgumentError, DTypeError
from nbgrad.graph.dtypes import DType, by_name, float64
from nbgrad.graph.node import toposort
from nbgrad.graph.spec import Spec
from nbgrad.numba.addresses import at, call_kernel, call_with_word, lasting
from nbgrad.pipeline import make_plan
from nbgrad.runtime.buffers import Buffer
from nbgrad.runtime.executable import Executable
from nbgrad.runtime.layout import ROW_WORDS
from nbgrad.tape.kernel import DIVISION_BY_ZERO, INDEX_OUT_OF_RANGE
from nbgrad.tape.numbers import WORD
from nbgrad.tensor import Tensor
from nbgrad.trace.builder import Builder
from nbgrad.trace.flush import flush
from nbgrad.trace.handle import local, threads
from nbgrad.trace.storage import entry_of

_MOST_SIZES: Final = 1024  # combinations of sizes that a function may be called with
# The words of a program: what the driver reads.
ROWS, N_ROWS, DESC, N_DESC, RELOCS, N_RELOCS, TERMS, N_TERMS, INPUTS, N_INPUTS, ARENA, NUMBERS, SIZES = range(13)
_alive: list[Any] = []  # compiled code has their addresses as long as the process lives


def njit(fn: Callable[..., Any], *examples: Any) -> Any:
    """``fn``, a function on tensors, as an ``@njit`` function on arrays: a Numba dispatcher, to be called from other
    ``@njit`` functions (without the GIL, in ``prange``, too) and from Python.

    ``examples``, one for each argument, are arrays, tensors or floats, and say its dtype and number of dims: the
    argument is a row-major array of these (Numba refuses another: TypeError), or a float64 number. Sizes may be others
    at each call: the first with new ones waits for its kernels. ``fn`` gives a tensor or several; the function gives
    arrays, of 0-d tensors numbers, with nbgrad's bits. ``fn`` may ask for derivatives by its arguments
    (``nbgrad.autograd.grad``). Other tensors that it reads are bound: as they are now. It must compute the same way for
    all values (ValueError where it looks at some, or draws random numbers), and on the CPU.

    Numba keeps no code that calls it on disk (``cache=True``), as addresses of this process are in it, and says so.

    >>> import numba, numpy as np, nbgrad.numba
    >>> softmax = nbgrad.numba.njit(lambda x: x.softmax(-1), np.zeros(3))
    >>> @numba.njit
    ... def entropy(x):
    ...     p = softmax(x)
    ...     return -(p * np.log(p)).sum()
    >>> float(round(entropy(np.array([1.0, 2.0, 3.0, 4.0])), 6))
    0.947537
    """
    return _Export(fn, examples, getattr(fn, "__name__", "function")).dispatcher


def value_and_grad(fn: Callable[..., Any], *examples: Any) -> Any:
    """``njit`` of a function and its gradient: ``fn``, which gives a 0-d tensor, becomes an ``@njit`` function that
    gives its value, and after it the gradient by each floating argument, shaped like that.

    >>> import numpy as np, nbgrad.numba
    >>> f = nbgrad.numba.value_and_grad(lambda x, a: (a * x * x).sum(), np.zeros(2), 0.0)
    >>> f(np.array([1.0, 2.0]), 3.0)
    (15.0, array([ 6., 12.]), 5.0)
    """

    def both(*tensors: Tensor) -> tuple[Tensor, ...]:
        y = fn(*tensors)
        if not isinstance(y, Tensor) or y.ndim or not y.is_floating_point():
            raise ArgumentError("value_and_grad: expected a function that gives a 0-d floating Tensor")
        floating: Any = [x for x in tensors if x.requires_grad]
        gradients: Any = grad(y, floating, materialize_grads=True)
        return (y, *gradients)

    return _Export(both, examples, getattr(fn, "__name__", "function")).dispatcher


class _Program(NamedTuple):
    """A program in memory; ``words`` lead to all of it, the rest keeps it there."""

    words: Any
    held: tuple[Any, ...]
    results: tuple[Spec, ...]


class _Export:
    """``table`` is where the driver looks for programs: the number of them, then of each the sizes and the address."""

    def __init__(self, fn: Callable[..., Any], examples: Sequence[Any], name: str) -> None:
        self._fn, self._name = fn, name
        self._specs = [_spec(name, place, x) for place, x in enumerate(examples, 1)]
        if not examples:
            raise ArgumentError("njit: expected an example for each argument")
        self._programs: dict[tuple[int, ...], _Program] = {}
        self._tables: list[Any] = []  # those before the last one may still be read
        self._first = np.zeros(1, np.int64)  # the address of the table
        self._results: tuple[Spec, ...] = ()
        self._results = self._add(tuple([n for spec in self._specs for n in spec.shape])).results
        self._callback = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(self._called)
        _alive.append(self)
        self.dispatcher = self._driver()

    def _add(self, sizes: tuple[int, ...]) -> _Program:
        """The program for arguments of these sizes, in the table."""
        with threads.lock:
            if (program := self._programs.get(sizes)) is None:
                if len(self._programs) >= _MOST_SIZES:
                    raise ArgumentError(f"{self._name}: called with more than {_MOST_SIZES} combinations of sizes")
                program = self._programs[sizes] = self._planned(sizes)
                entries = [(*known, p.words.ctypes.data) for known, p in self._programs.items()]
                self._tables.append(np.array([len(entries), *[n for entry in entries for n in entry]], np.int64))
                self._first[0] = self._tables[-1].ctypes.data
        return program

    def _planned(self, sizes: tuple[int, ...]) -> _Program:
        rest, tensors = iter(sizes), []
        for spec in self._specs:
            x = np.zeros([next(rest) for _ in spec.shape], spec.dtype.numpy)
            tensors.append(tensor(x, requires_grad=spec.dtype.is_floating_point))
        trace = local.trace
        flush(trace)
        chapter = trace.chapter
        with enable_grad():
            found = self._fn(*tensors)
        results = [found] if isinstance(found, Tensor) else [*found] if isinstance(found, (tuple, list)) else []
        if not results or not all(isinstance(y, Tensor) for y in results):
            raise ArgumentError(f"njit: expected a function that gives Tensors, {self._name} gave {found!r}")
        entries = [entry_of(trace, y).ix for y in results]
        if trace.chapter is not chapter:
            raise ArgumentError(f"njit: {self._name} looks at values, so what it computes may depend on them")
        builder = Builder().sync(trace.node)
        roots = [builder.node_of(ix) for ix in entries]
        nodes = toposort(roots)
        if any(node.op.name == "philox" for node in nodes):
            raise ArgumentError(f"njit: {self._name} draws random numbers; give them as arguments")
        if any(y.device.type != "cpu" for y in results):
            raise ArgumentError(f"njit: {self._name} computes on a GPU, and is to run on the CPU")
        if any(a.page is not None and a.at is not entry for a, entry, _ in chapter.entered.values()):
            raise ArgumentError(f"njit: {self._name} writes to a tensor that it was given, or that it holds")
        specs = tuple([node.spec for node in roots])
        if self._results and [(r.dtype, r.rank) for r in specs] != [(r.dtype, r.rank) for r in self._results]:
            raise ArgumentError(f"{self._name}: gives other dtypes, or numbers of dims, for sizes {sizes}")
        with override(compile="eager", interpret=False):
            executable = make_plan(roots).executable
        assert executable is not None
        arguments = {id(x.buffer): k for k, x in enumerate(tensors)}
        return _in_memory(executable, chapter.inputs, chapter.scalars, arguments, specs)

    def _called(self, address: int) -> int:
        """From the driver: the address of the program for the sizes at ``address``; 0 where there is none."""
        count = sum([spec.rank for spec in self._specs])
        try:
            return int(self._add(tuple((ctypes.c_int64 * count).from_address(address))).words.ctypes.data)
        except Exception:
            traceback.print_exc()  # nobody above can raise it
            return 0

    def _driver(self) -> Any:
        scope: dict[str, Any] = {
            "np": np,
            "carray": numba.carray,
            "at": at,
            "word": types.int64,
            "find": _find,
            "run": _run,
            "hold": _hold,
            "table": lasting(self._first.ctypes.data, f"{self._name}: programs"),
            "planner": lasting(ctypes.cast(self._callback, ctypes.c_void_p).value or 0, f"{self._name}: planner"),
        }
        kinds: list[Any] = []
        sizes, addresses, values, lines = [list[str]() for _ in range(4)]
        place, cell = SIZES, "carray(at({}, {}), (1,))[0]"
        for name, spec in [(f"x{k}", spec) for k, spec in enumerate(self._specs)]:
            kinds.append(scope.setdefault(f"kind_{spec.dtype.name}", _kind(spec.dtype)))
            sizes += [f"{name}.shape[{dim}]" for dim in range(spec.rank)]
            addresses.append(f"np.int64({name}.ctypes.data)" if spec.rank else f"cells + {WORD * len(addresses)}")
            if spec.rank:
                kinds[-1] = types.Array(kinds[-1], spec.rank, "C")
            else:
                lines.append(f"{cell.format(addresses[-1], f'kind_{spec.dtype.name}')} = {name}")
        for name, spec in [(f"y{k}", spec) for k, spec in enumerate(self._results)]:
            scope |= {f"kind_{spec.dtype.name}": _kind(spec.dtype), spec.dtype.name: spec.dtype.numpy}
            shape = "".join([f"words[{place + dim}], " for dim in range(spec.rank)])
            addresses.append(f"np.int64({name}.ctypes.data)" if spec.rank else f"cells + {WORD * len(addresses)}")
            lines += [f"{name} = np.empty(({shape}), {spec.dtype.name})"] if spec.rank else []
            values.append(name if spec.rank else cell.format(addresses[-1], f"kind_{spec.dtype.name}"))
            place += spec.rank
        lines = [
            f"words = carray(at(find(table(), planner(), ({', '.join([*sizes, '0'])},)), word), ({place},))",
            f"numbers = np.empty({len(addresses)}, np.int64)",  # 0-d arguments and results
            "cells = np.int64(numbers.ctypes.data)",
            *lines,
            f"held = run(words, ({', '.join(addresses)},), {len(self._specs)})",
            f"result = {', '.join(values)}",
            "hold(numbers, held)",
            "return result",
        ]
        head = f"def {_identifier(self._name)}({', '.join([f'x{k}' for k in range(len(self._specs))])}):"
        exec("\n    ".join([head, *lines]), scope)
        return numba.njit([tuple(kinds)], nogil=True)(scope[_identifier(self._name)])


def _in_memory(
    executable: Executable,
    inputs: Sequence[Buffer],
    numbers: Sequence[float | int],
    arguments: dict[int, int],
    results: tuple[Spec, ...],
) -> _Program:
    """``executable`` as the driver takes it: ``arguments`` are those of its inputs that are none of its own."""
    tape, program = executable.tape, executable.program
    block = np.zeros(WORD * max(len(tape.scalars), 1), np.uint8)
    executable.write_numbers(block.data, numbers)
    used = [inputs[p] for p in tape.input_positions]
    bound = {id(b): b.array((b.nbytes,), np.uint8).copy() for b in used if id(b) not in arguments}
    # Of each input: the number of the argument, or -1 and the address of what is bound.
    slots = [(arguments[id(b)], 0) if id(b) in arguments else (-1, bound[id(b)].ctypes.data) for b in used]
    arrays = [program.tape, program.desc, program.relocs, program.terms, np.array(slots, np.int64).reshape(-1, 2)]
    words = [word for x in arrays for word in (x.ctypes.data, len(x))]
    words += [tape.arena_bytes, block.ctypes.data, *[n for spec in results for n in spec.shape]]
    return _Program(np.array(words, np.int64), (executable, arrays, block, bound), results)


def _spec(name: str, place: int, example: Any) -> Spec:
    """What an argument like ``example`` is."""
    if isinstance(example, float):
        return Spec.of((), float64)
    if isinstance(example, Tensor):
        example = example.detach().cpu().numpy()
    which = f"njit: example {place} of {name}"
    if not isinstance(example, np.ndarray):
        raise DTypeError(f"{which} must be an array, a Tensor or a float, not {type(example).__name__}")
    if not example.flags.c_contiguous:
        raise ArgumentError(
            f"{which} is not row-major, as the function's argument is to be: np.ascontiguousarray makes it so"
        )
    try:
        return Spec.of(example.shape, by_name(example.dtype.name))
    except KeyError:
        raise DTypeError(f"{which} has dtype {example.dtype}, which tensors have not") from None


def _kind(dtype: DType) -> Any:
    return types.boolean if dtype.name == "bool" else getattr(types, dtype.name)


def _identifier(name: str) -> str:
    return name if name.isidentifier() else "function"


@numba.njit(nogil=True)  # type: ignore[untyped-decorator]
def _words(address: Any, count: Any) -> Any:
    return numba.carray(at(address, types.int64), (count,))


@numba.njit(nogil=True)  # type: ignore[untyped-decorator]
def _hold(*arrays: Any) -> None:
    """Numba gives an array back after its last use: one that was used by its address is held until here."""


@numba.njit(nogil=True)  # type: ignore[untyped-decorator]
def _find(first: Any, planner: Any, sizes: Any) -> Any:
    """The address of the program for these sizes, behind which a 0 stands."""
    there = _words(first, 1)[0]
    width, count = len(sizes), _words(there, 1)[0]
    table = _words(there, 1 + count * width)
    for k in range(count):
        is_it = True
        for dim in range(width - 1):
            is_it = is_it and table[1 + k * width + dim] == sizes[dim]
        if is_it:
            return table[(k + 1) * width]
    wanted = np.array(sizes, np.int64)
    program = call_with_word(planner, wanted.ctypes.data)
    _hold(wanted)
    if program == 0:
        raise ValueError("nbgrad.numba: no program can be made for arguments of these sizes; what was printed says why")
    return program


@numba.njit(nogil=True)  # type: ignore[untyped-decorator]
def _run(words: Any, given: Any, n_arguments: int) -> Any:
    """Run a program on the addresses of arguments and results; gives the memory that it used."""
    n_desc, n_inputs, n_results = words[N_DESC], words[N_INPUTS], len(given) - n_arguments
    block = np.empty(n_desc + n_inputs + n_results + 2 + (words[ARENA] + 7) // 8, np.int64)
    desc, bases = block[:n_desc], block[n_desc:]
    desc[:] = _words(words[DESC], n_desc)
    inputs = _words(words[INPUTS], 2 * n_inputs)
    for k in range(n_inputs):
        place = inputs[2 * k]
        bases[k] = given[place] if place >= 0 else inputs[2 * k + 1]
    for k in range(n_results):
        bases[n_inputs + k] = given[n_arguments + k]
    bases[n_inputs + n_results] = bases[n_inputs + n_results + 2 :].ctypes.data
    bases[n_inputs + n_results + 1] = words[NUMBERS]
    relocs = _words(words[RELOCS], 3 * words[N_RELOCS])
    for k in range(0, len(relocs), 3):
        desc[relocs[k]] = bases[relocs[k + 1]] + relocs[k + 2]
    terms, numbers = _words(words[TERMS], 3 * words[N_TERMS]), words[NUMBERS]
    for k in range(0, len(terms), 3):
        desc[terms[k]] += _words(numbers + 8 * terms[k + 1], 1)[0] * terms[k + 2]
    rows, here = _words(words[ROWS], ROW_WORDS * words[N_ROWS]), desc.ctypes.data
    for k in range(0, len(rows), ROW_WORDS):
        code = call_kernel(rows[k], here + 8 * rows[k + 1], 0, rows[k + 2])
        if code == DIVISION_BY_ZERO:
            raise ZeroDivisionError("nbgrad.numba: integer division by zero")
        if code == INDEX_OUT_OF_RANGE:
            raise IndexError("nbgrad.numba: index out of range")
        if code != 0:
            raise ValueError("nbgrad.numba: a matrix was refused, or a function of the user's own raised")
    return block

"""A function on tensors as a function of Numba's: its programs by the sizes of the arguments, and their driver."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any, Final, NamedTuple

import numba
import numpy as np
from numba import types

from nbgrad.autograd.grad_mode import enable_grad, inference_mode
from nbgrad.config import override
from nbgrad.errors import ArgumentError, DTypeError, ShapeError
from nbgrad.functions.creation import tensor
from nbgrad.graph.node import Node, toposort
from nbgrad.graph.show import numbering
from nbgrad.graph.spec import Spec
from nbgrad.kernels.numba_target import GuardedDispatcher
from nbgrad.numba import driver
from nbgrad.numba.addresses import address_of, at, lasting
from nbgrad.numba.arguments import KNOWN, OUT, Signature, item_type, numba_type, spec_of
from nbgrad.numba.failures import can_raise, note, tell
from nbgrad.numba.program import CELLS, SIZES, Program, bytes_of, holds
from nbgrad.numba.watched import watched
from nbgrad.pipeline import make_plan
from nbgrad.runtime.buffers import Buffer
from nbgrad.tape.numbers import WORD
from nbgrad.tensor import Tensor
from nbgrad.trace import Builder, entry_of, flush, local, threads

_MOST_SIZES: Final = 1024  # combinations of sizes that a function may be called with
_KEPT_BYTES: Final = 1 << 28  # of frames: those for other sizes go when a program is made
_alive: list[Any] = []  # compiled code has their addresses as long as the process lives

Sizes = tuple[int, ...]


class _Recorded(NamedTuple):
    """What ``fn`` computes of arguments of some sizes."""

    roots: list[Node]
    inputs: list[Buffer]
    numbers: list[float | int]
    arguments: dict[int, int]  # their places by the buffer's id

    @property
    def bound(self) -> list[Buffer]:
        """The inputs that are no arguments."""
        return [b for b in self.inputs if id(b) not in self.arguments]

    def told(self) -> tuple[Any, ...]:
        """All that it is made of but for the values of inputs, to be compared."""
        places = [self.arguments.get(id(b), -1) for b in self.inputs]
        known = numbering(self.roots)
        graph = [(n.op.name, [known[x] for x in n.inputs], repr(n.params), n.spec) for n in known]
        return graph, [known[y] for y in self.roots], [repr(x) for x in self.numbers], places


class Export:
    """``fn`` for arguments like ``examples``; ``dispatcher`` is what it is in ``@njit`` code."""

    def __init__(self, fn: Callable[..., Any], examples: Sequence[Any], name: str, parameters: Sequence[str]) -> None:
        if not examples:
            raise ArgumentError("njit: expected an example for each argument")
        if numba.config.DISABLE_JIT:
            raise ArgumentError("njit: Numba compiles nothing, as NUMBA_DISABLE_JIT is set; unset it")
        self._fn, self._name = fn, name
        self._specs = [spec_of(name, place, x) for place, x in enumerate(examples, 1)]
        self._programs: dict[Sizes, Program] = {}
        self._by_address: dict[int, Program] = {}
        self._tables: list[Any] = []  # those before the last one may still be read
        self._first = np.zeros(1, np.int64)  # the address of the table
        self._first_sizes = tuple([n for spec in self._specs for n in spec.shape])
        self._results: Sequence[Spec] = ()
        recorded = self._recorded(self._first_sizes)
        self._told, self._results = recorded.told(), [node.spec for node in recorded.roots]
        self._bound = [bytes_of(b) for b in recorded.bound]  # which programs share
        self._made(self._first_sizes, recorded, recorded)
        self.signature = Signature(name, parameters, self._specs, self._results)
        self._callback = ctypes.CFUNCTYPE(*[ctypes.c_int64] * 4)(self._asked)
        _alive.append(self)
        self.dispatcher = GuardedDispatcher(self._function(), self.signature.refusal, self._refuse)

    def _refuse(self, *values: Any) -> None:
        text = self.signature.refusal([numba_type(x) for x in values], values)
        if text:
            raise DTypeError(text)

    def _add(self, sizes: Sizes) -> Program:
        """The program for arguments of these sizes, in the table."""
        with threads.lock:
            if (program := self._programs.get(sizes)) is not None:
                return program
            if len(self._programs) >= _MOST_SIZES:
                raise ArgumentError(f"{self._name}: called with more than {_MOST_SIZES} combinations of sizes")
            again = self._recorded(self._first_sizes)
            if again.told() != self._told or not all(map(holds, again.bound, self._bound)):
                raise ArgumentError(
                    f"{self._name} no longer computes what it did when it was compiled: a tensor or a number that it "
                    "reads has changed. Give it as an argument, or compile the function again"
                )
            self._trim()
            return self._made(sizes, self._recorded(sizes), again)

    def _made(self, sizes: Sizes, recorded: _Recorded, first: _Recorded) -> Program:
        """The program of what was recorded, now that ``first`` was for the examples' sizes."""
        roots, inputs, numbers, arguments = recorded
        bound = {id(b): copy for b, copy in zip(first.bound, self._bound, strict=True)}
        bound |= {id(b): bytes_of(b) for b in recorded.bound if id(b) not in bound}
        with override(compile="eager", interpret=False):
            executable = make_plan(roots).executable
        assert executable is not None
        specs = [Spec.of(shape, spec.dtype) for shape, spec in zip(self._shapes(sizes), self._specs, strict=True)]
        results = [node.spec for node in roots]
        program = Program(executable, inputs, numbers, arguments, bound, specs, results)
        self._programs[sizes] = self._by_address[program.words.ctypes.data] = program
        self._tables.append(driver.table_of(self._programs))
        self._first[0] = self._tables[-1].ctypes.data
        return program

    def _trim(self) -> None:
        """Give back frames that nobody uses, where there is much in them."""
        if sum([program.kept_bytes for program in self._programs.values()]) > _KEPT_BYTES:
            for program in self._programs.values():
                program.trim()

    def _shapes(self, sizes: Sizes) -> list[tuple[int, ...]]:
        rest = iter(sizes)
        return [tuple([next(rest) for _ in spec.shape]) for spec in self._specs]

    def _recorded(self, sizes: Sizes) -> _Recorded:
        """What ``fn`` computes of arguments of these sizes, whatever mode the caller of Numba's code is in."""
        name, tensors = self._name, []
        trace = local.trace
        flush(trace)
        segment = trace.segment
        with inference_mode(False), enable_grad():
            for shape, spec in zip(self._shapes(sizes), self._specs, strict=True):
                tensors.append(tensor(np.zeros(shape, spec.dtype.numpy), requires_grad=spec.dtype.is_floating_point))
            with watched(trace, name):
                results = tensors_of(name, self._fn(*tensors))
        entries = [entry_of(trace, y).ix for y in results]
        builder = Builder().sync(trace.node)
        roots = [builder.node_of(ix) for ix in entries]
        if any(node.op.name == "philox" for node in toposort(roots)):
            raise ArgumentError(f"njit: {name} draws random numbers; give them as arguments")
        if any(y.device.type != "cpu" for y in results):
            raise ArgumentError(f"njit: {name} computes on a GPU, and is to run on the CPU")
        if any(a._page is not None and a._at is not entry for a, entry, _ in segment.entered.values()):
            raise ArgumentError(f"njit: {name} writes to a tensor that it was given, or that it holds")
        kinds = [(node.spec.dtype, node.spec.rank) for node in roots]
        if unknown := [dtype.name for dtype, _ in kinds if dtype.name not in KNOWN]:
            raise DTypeError(f"njit: {name} gives {unknown[0]}; results can be {', '.join(KNOWN)}")
        if self._results and kinds != [(spec.dtype, spec.rank) for spec in self._results]:
            raise ArgumentError(
                f"{name}: gives {_listed(kinds)} for sizes {list(sizes)}, and gave "
                f"{_listed([(spec.dtype, spec.rank) for spec in self._results])} for those of the examples"
            )
        arguments = {id(x._buffer): k for k, x in enumerate(tensors)}
        return _Recorded(roots, list(segment.inputs), list(segment.scalars), arguments)

    def _asked(self, what: int, a: int, b: int) -> int:
        """From the driver, see there. 0 where it failed: then the error is noted, and written to stderr
        where nobody can catch it."""
        try:
            return self._answer(what, a, b)
        except BaseException as error:
            note(error)
            if not can_raise():
                tell(error)
            return 0

    def _answer(self, what: int, a: int, b: int) -> int:
        if what == driver.PLAN:
            sizes = tuple((ctypes.c_int64 * len(self._first_sizes)).from_address(a))
            try:
                return int(self._add(sizes).words.ctypes.data)
            except Exception as error:
                error.add_note(f"while {self._name} was compiled for arguments of shapes {self._shapes(sizes)}")
                raise
        if what == driver.FRAME:
            return self._by_address[a].frame(b)
        if what == driver.DROP:
            self._by_address[a].drop(b)
        elif what == driver.FAILED:
            self._by_address[a].failure(*divmod(b, driver.CODES))
        elif what == driver.MISFIT:
            number = ctypes.c_int64.from_address(b).value
            wanted = self._by_address[a].results[number].shape
            given = tuple((ctypes.c_int64 * len(wanted)).from_address(b + WORD))
            raise ShapeError(
                f"{self._name}: {self._out(number)} has shape {list(given)}, the result has {list(wanted)}"
            )
        else:
            other = self.signature.parameters[b] if b < len(self._specs) else self._out(b - len(self._specs))
            raise ArgumentError(
                f"{self._name}: {self._out(a)} shares memory with {other}, which would be read or written meanwhile; "
                "give an array of its own"
            )
        return 0

    def _out(self, number: int) -> str:
        arrays = self.signature.arrays
        return f"{OUT}[{arrays.index(number)}]" if len(arrays) > 1 else OUT

    def _function(self) -> FunctionType:
        """The text of the driver, for Numba to compile. ``_y`` are results; arguments have the names of ``fn``'s."""
        signature, n = self.signature, len(self._specs)
        scope: dict[str, Any] = {
            "_np": np,
            "_at": at,
            "_cell": numba.carray,
            "_address_of": address_of,
            "_word": types.int64,
            "_table": lasting(self._first.ctypes.data, f"{self._name}: programs"),
            "_asked": lasting(ctypes.cast(self._callback, ctypes.c_void_p).value or 0, f"{self._name}: Python"),
            **{f"_{f.__name__}": f for f in (driver.find, driver.take, driver.run, driver.give, driver.succeed)},
            **{f"_{f.__name__}": f for f in (driver.misfit, driver.part)},
        }
        sizes, cells, fresh, given, results = [list[str]() for _ in range(5)]
        place, several = SIZES, len(signature.arrays) > 1
        for k, (x, spec) in enumerate(zip(signature.parameters, self._specs, strict=True)):
            sizes += [f"{x}.shape[{dim}]" for dim in range(spec.rank)]
            cells.append(_filled(scope, CELLS + k, spec, x))
            place += spec.rank
        for k, spec in enumerate(self._results):
            y = f"_y{k}"
            if spec.rank:
                shape = "".join([f"_words[{place + dim}], " for dim in range(spec.rank)])
                scope[f"_{spec.dtype.name}"] = spec.dtype.numpy
                fresh.append(f"{y} = _np.empty(({shape}), _{spec.dtype.name})")
                given += [f"{y} = {OUT}{f'[{signature.arrays.index(k)}]' if several else ''}"]
                differs = " or ".join([f"{y}.shape[{dim}] != _words[{place + dim}]" for dim in range(spec.rank)])
                given += [f"if {differs}:", f"    _misfit(_program, _asked(), {k}, {y}.shape)"]
                others = [(i, x) for i, x in enumerate(signature.parameters) if self._specs[i].rank]
                others += [(n + i, f"_y{i}") for i in signature.arrays if i < k]
                given += [f"_part(_asked(), {k}, {i}, {_extent(y)}, {_extent(x)})" for i, x in others]
                cells.append(_filled(scope, CELLS + n + k, spec, y))
            else:
                results.append(f"{y} = {_cell(scope, CELLS + n + k, spec)}")
            place += spec.rank
        arrays = [f"if {OUT} is None:", *_indented(fresh), "else:", *_indented(given)] if fresh else []
        lines = [
            f"_program = _find(_table(), _asked(), ({', '.join([*sizes, '0'])},))",
            *(["_words = _at(_program, _word)"] if fresh else []),
            *arrays,
            "_frame = _take(_program, _asked())",
            *cells,
            "_code = _run(_program, _frame)",
            *results,
            "_give(_program, _frame, _asked())",
            "_succeed(_program, _code, _asked())",
            f"return {', '.join([f'_y{k}' for k in range(len(self._results))])}",
        ]
        name = self._name if self._name.isidentifier() else "function"
        head = f"def {name}({', '.join([*signature.parameters, f'{OUT}=None'])}):"
        exec("\n    ".join([head, *lines]), scope)
        function: FunctionType = scope[name]
        return function


def tensors_of(name: str, found: Any) -> list[Tensor]:
    """What the function ``name`` gave, as a list."""
    results = [found] if isinstance(found, Tensor) else [*found] if isinstance(found, tuple | list) else []
    if not results or not all(isinstance(y, Tensor) for y in results):
        kinds = ", ".join(sorted({type(y).__name__ for y in results} - {"Tensor"}))  # to show one would look at it
        gave = f"{type(found).__name__} of {kinds}" if kinds else type(found).__name__
        what = f"njit: expected a function that gives Tensors, {name} gave {gave}"
        raise ArgumentError(f"{what}; give a Tensor or a tuple of Tensors")
    return results


def _cell(scope: dict[str, Any], word: int, spec: Spec) -> str:
    """The number in a word of a frame."""
    kind = f"_kind_{spec.dtype.name}"
    scope[kind] = item_type(spec.dtype)
    return f"_cell(_at(_frame + {WORD * word}, {kind}), (1,))[0]"


def _filled(scope: dict[str, Any], word: int, spec: Spec, x: str) -> str:
    """The line that puts an array's address, or a number, into a word of a frame."""
    if spec.rank:
        return f"_at(_frame, _word)[{word}] = _address_of({x})"
    return f"{_cell(scope, word, spec)} = {x}"


def _extent(x: str) -> str:
    """Where an array lies, and how many bytes."""
    return f"_address_of({x}), {x}.size * {x}.itemsize"


def _indented(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def _listed(kinds: list[Any]) -> str:
    return ", ".join([f"{dtype.name} of {rank} dims" for dtype, rank in kinds])

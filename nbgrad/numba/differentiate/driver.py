"""The functions that users call: value and gradients, vjp, Hessian-vector product, as ``@njit`` functions.

Each is a short Python text for the types of a call: open a tape, lay out the arguments, call the function that records,
seed the cotangents, sweep, read the gradients. Numba compiles it with the caller.
"""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Sequence
from typing import Any, Final

import numba
import numpy as np
from numba import types

from nbgrad.errors import ArgumentError, DTypeError
from nbgrad.kernels.numba_target import CPUDispatcher
from nbgrad.numba.differentiate.arguments import Leaf, gradient, is_number_or_array, joined, leaves, written_arrays
from nbgrad.numba.differentiate.call import calling, failing, part_kinds, pieces, sweeping
from nbgrad.numba.differentiate.compilation import compiled, program
from nbgrad.numba.differentiate.context import Second, Taped
from nbgrad.numba.differentiate.layout import is_active
from nbgrad.numba.differentiate.refusal import TEXT, at_function, for_user
from nbgrad.numba.differentiate.tape import NO_ROOM, OTHER_SHAPE, SHARED, SINGULAR, most_bytes
from nbgrad.numba.differentiate.tape_calls import (
    add_cotangent,
    add_cotangents,
    are_shared,
    close_tape,
    cotangent,
    cotangents,
    lay_out,
    lay_out_twice,
    note_different,
    note_extent,
    note_written,
    open_tape,
    refuse_shared,
    sweep,
)

_OUT_OF_MEMORY: Final = (
    "differentiate: {name}: the tape has no room for what was computed (its bound is {size}); "
    "differentiate shorter segments (nbgrad.numba.checkpointed), or give a larger tape_bytes"
)
_FAILED: Final = (
    "differentiate: {name}: a matrix has no derivatives: it is singular to machine precision, or numbers overflow"
)
_ALIASED: Final = (
    "differentiate: {name}: two array arguments share memory and the function writes to it; give one of them as a copy"
)


class Program:
    """What is known of a function: the parts of every text that is made for it."""

    def __init__(self, fn: Any, tape_bytes: int | None) -> None:
        if not isinstance(fn, CPUDispatcher):
            raise DTypeError(f"differentiate: expected a function compiled by numba.njit, not {type(fn).__name__}")
        self.function, self.options = fn.py_func, fn.targetoptions
        self.name = self.function.__name__
        self.parameters = inspect.signature(self.function).parameters
        if getattr(fn, "locals", None):
            raise DTypeError(
                f"differentiate: {self.name} declares types of variables (locals=); convert values instead"
            )
        self.declared = [] if fn._can_compile else [(s.args, s.return_type) for s in fn.nopython_signatures]
        kinds = [p.kind for p in self.parameters.values()]
        if not set(kinds) <= {inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.VAR_POSITIONAL}:
            raise DTypeError(f"differentiate: {self.name} has keyword-only arguments, which Numba cannot compile")
        parameters = enumerate(self.parameters.values())
        self.defaults = {f"default{k}": p.default for k, p in parameters if p.default is not p.empty}
        self.has_star = inspect.Parameter.VAR_POSITIONAL in kinds  # the last one, then
        known = inspect.getclosurevars(self.function)
        self.calls_itself = any(x is fn for x in (*known.globals.values(), *known.nonlocals.values()))
        self.primal = fn
        self.most = most_bytes(tape_bytes)
        self.bound = f"{self.most / 1e9:.3g} GB"

    def kinds_of(self, given: Sequence[Any]) -> tuple[Any, ...]:
        """The types that the function is compiled for."""
        for name, kind in zip(self.parameters, given, strict=False):
            if isinstance(kind, types.PyObject):
                what = (
                    f"differentiate: {self.name}: argument '{name}' is an object for which Numba has no type, such as "
                )
                raise DTypeError(what + "an array of long doubles or in another byte order; convert it to float64")
            if is_active(kind) and not _is_understood(kind):
                what = (
                    f"differentiate: {self.name}: argument '{name}' is {kind}; gradients are by float32, float64 and "
                    "complex numbers, arrays of them, and tuples of these"
                )
                raise DTypeError(what)
        return tuple([types.unliteral(kind) for kind in given])

    def compiled(self, kinds: Sequence[Any], target: Any) -> Any:
        try:
            if self.calls_itself:
                self.primal.compile(tuple(kinds))  # whose types Numba asks for then
            made = compiled(self.function, kinds, target, self.options)
        except Exception as error:  # Numba's, or one that nobody expected in it
            raise for_user(error, self.function) from error
        if self.declared and (tuple(kinds), made.signature.return_type) not in self.declared:
            shown = f"({', '.join(map(str, kinds))}) -> {made.signature.return_type}"
            what = f"differentiate: {self.name} is declared for other types than {shown}; compile it without signatures"
            raise DTypeError(at_function(what, self.function))
        return program(made)

    def exception(self, message: str) -> str:
        return message.format(name=self.name, size=self.bound)


def _is_understood(kind: Any) -> bool:
    if isinstance(kind, types.BaseTuple):
        return all(_is_understood(inner) or not is_active(inner) for inner in kind)
    return is_number_or_array(kind)


class _Text:
    """The text of a driver, and what its names mean. It has one place where it raises what went wrong with the tape:
    Numba lowers, and LLVM compiles, what gives back the arrays at each such place."""

    def __init__(self, program: Program, kinds: Sequence[Any], paths: Sequence[str], target: Any) -> None:
        self.program, self.kinds, self.paths = program, kinds, paths
        self.leaves = [leaf for path, kind in zip(paths, kinds, strict=True) for leaf in leaves(path, kind)]
        if not self.leaves:
            what = f"differentiate: {program.name}: no argument is a float, an array of floats, or a tuple with such"
            raise DTypeError(what)
        self.made = program.compiled(kinds, target)
        self.arrays = [leaf for leaf in self.leaves if leaf.is_array]
        self.numbers = [leaf for leaf in self.leaves if not leaf.is_array]
        places = itertools.accumulate([leaf.parts for leaf in self.numbers], initial=1)
        self.places = dict(zip([leaf.path for leaf in self.numbers], places, strict=False))
        # Arrays of whole numbers that may be written to, by the names of their copies.
        passive = [path for top, kind in zip(paths, kinds, strict=True) for path in written_arrays(top, kind)]
        self.copies = {path: f"c{k}" for k, path in enumerate(passive)}
        self.n_parts = len(list(part_kinds(self.made.signature.return_type)))
        self.checks: list[str] = []  # before all else, up to the function's call, and behind it
        self.lines: list[str] = []
        self.after: list[str] = []
        failed: dict[int, tuple[type[Exception], str]] = {
            SINGULAR: (np.linalg.LinAlgError, _FAILED.format(name=program.name)),
            SHARED: (ValueError, program.exception(_ALIASED)),
            OTHER_SHAPE: (ValueError, f"differentiate: {program.name}: v has another shape than the result"),
        }
        self.scope: dict[str, Any] = {
            **{f.__name__: f for f in (open_tape, close_tape, cotangents, cotangent, add_cotangent, sweep)},
            **{f.__name__: f for f in (lay_out, lay_out_twice, gradient, are_shared, refuse_shared)},
            **{f.__name__: f for f in (note_extent, note_written, note_different)},
            "call": calling(self.made, target),
            "back": sweeping(self.made),
            "fail": failing(failed),
            "MOST": program.most,
            "NO_ROOM": NO_ROOM,
            **program.defaults,
        }

    def add(self, *lines: str) -> None:
        self.after += lines

    def check(self, condition: str, message: str) -> None:
        """Raise ValueError under a condition, before anything else."""
        self.checks += [f"if {condition}:", f"    raise ValueError({message!r})"]

    def call(self, along: dict[str, str] | None = None) -> None:
        """Lay out the arguments, along directions by their paths, and call the function; passive arrays are copied."""
        for k, leaf in enumerate(self.arrays):
            function, more = ("lay_out", "") if along is None else ("lay_out_twice", f", {along[leaf.path]}")
            self.lines.append(f"at{k} = {function}(tape, {k}, {leaf.path}{more})")
        self.lines += [f"{name} = {path}.copy()" for path, name in self.copies.items()]
        places = {leaf.path: f"at{k}" for k, leaf in enumerate(self.arrays)}
        places |= {path: str(place) for path, place in self.places.items()}
        names = iter([places[leaf.path] for leaf in self.leaves])
        tangents = None if along is None else iter([along[leaf.path] for leaf in self.numbers])
        given = [
            self.copies.get(piece, piece)
            for path, kind in zip(self.paths, self.kinds, strict=True)
            for piece in pieces(path, kind, names, tangents)
        ]
        self.lines.append(f"made = call(tape, ({', '.join(given)},))")

    def cotangents(self, copies: int) -> None:
        """Zeros, unless what is written to is known by two names."""
        self.add(f"cotangents(tape, {copies})")
        n = len(self.arrays)
        written = [f"note_written(tape, {k}, {leaf.path})" for k, leaf in enumerate(self.arrays)]
        written += [f"note_different(tape, {k}, {path}, {c})" for k, (path, c) in enumerate(self.copies.items(), n)]
        if len(written) > 1:
            self.add(*[f"note_extent(tape, {k}, {path})" for k, path in enumerate(self.copies, n)])
            self.add(f"if are_shared(tape, {len(written)}):", *[f"    {line}" for line in written])
            self.add(f"    refuse_shared(tape, {len(written)})")

    def gradients(self, copy: int = 0) -> str:
        """The expression of the tuple of the gradients; copy 1: of their tangents."""
        arrays, found = itertools.count(), []
        for k, leaf in enumerate(self.leaves):
            if leaf.is_array:
                found.append(f"gradient(tape, {copy}, {next(arrays)}, {leaf.path})")
            else:
                self.scope[f"number{k}"] = _maker(leaf.number)
                first = self.places[leaf.path]
                given = [f"cotangent(tape, {copy}, {first + part})" for part in range(leaf.parts)]
                found.append(f"number{k}({', '.join(given)})")
        return f"({', '.join(found)},)"

    def function(self, parameters: Sequence[str], item_words: int, result: str) -> Any:
        """The function: its lines, and then what it gives."""
        counts = [
            str(sum(leaf.parts for leaf in self.numbers)),
            " + ".join([f"{leaf.parts} * {leaf.path}.size" for leaf in self.arrays]) or "0",
            str(len(self.arrays) + len(self.copies)),
        ]
        lines = [
            *self.checks,
            f"tape, status = open_tape({', '.join(counts)}, {item_words}, MOST), NO_ROOM",
            "code = described = 0",
            "if tape != 0:",
            *[f"    {line}" for line in self.lines],
            f"    code, described = made[{self.n_parts}], made[{self.n_parts + 1}]",
            "    if code == 0:",
            *[f"        {line}" for line in self.after],
            "        status = sweep(tape, back())",
            "        if status == 0:",
            f"            result = {result}",
            "            close_tape(tape)",
            "            return result",
            "    close_tape(tape)",
            "fail(status, code, described)",
            f"raise MemoryError({self.program.exception(_OUT_OF_MEMORY)!r})",
        ]
        text = f"def {_NAME}({', '.join(parameters)}):\n    " + "\n    ".join(lines)
        exec(compile(text, TEXT, "exec"), self.scope)
        return self.scope[_NAME]


_NAME: Final = "differentiated"


def _maker(number: Any) -> Any:
    if number == types.complex64:
        return numba.njit(lambda x, y: np.complex64(complex(x, y)))
    if number == types.complex128:
        return complex
    return np.float32 if number == types.float32 else np.float64


def value_and_gradients(program: Program, kinds: Sequence[Any], names: Sequence[str]) -> Any:
    """``f(*args) -> value, gradients``."""
    kinds = program.kinds_of(kinds)
    text = _Text(program, kinds, names, Taped)
    _require_number(program, text.made)
    text.call()
    text.cotangents(1)
    text.add("add_cotangent(tape, made[1], 1.0)")
    return text.function(names, 2, f"made[0], {text.gradients()}")


def outputs_and_pullback(program: Program, kinds: Sequence[Any], names: Sequence[str]) -> Any:
    """``f(inputs, v) -> outputs, gradients``."""
    inputs, v = names
    given, paths = _inputs(program, kinds[0], inputs)
    text = _Text(program, given, paths, Taped)
    text.scope |= {"add_cotangents": add_cotangents, "joined": joined, "complex": complex, "float64": np.float64}
    text.call()
    text.cotangents(1)
    result = text.made.signature.return_type
    if not any(True for _ in leaves("", result)):
        what = f"differentiate: {program.name} gives {result}, which has no derivative; return floats or arrays of them"
        raise DTypeError(at_function(what, program.function))
    outputs = _outputs(text, result, kinds[1], v, iter(range(text.n_parts)))
    return text.function(names, 2, f"{outputs}, {text.gradients()}")


def _inputs(program: Program, kind: Any, inputs: str) -> tuple[tuple[Any, ...], list[str]]:
    """The types of the arguments, of which ``inputs`` is a tuple, and the expressions that lead there: to a default
    where there are fewer."""
    found, n = _members(program, kind, "inputs"), len(program.parameters) - program.has_star
    given = len(found)
    left = [name for name in [f"default{k}" for k in range(given, n)] if name in program.defaults]
    paths = [*[f"{inputs}[{k}]" for k in range(min(given, n))], *left]
    found += [numba.typeof(program.defaults[name]) for name in left]
    if len(found) != n and not (program.has_star and len(found) > n):
        raise ArgumentError(f"differentiate: {program.name} has {n} arguments, and inputs has {given}")
    if program.has_star:
        found[n:], paths = [types.StarArgTuple(tuple(found[n:]))], [*paths, f"{inputs}[{n}:]"]
    return program.kinds_of(found), paths


def _members(program: Program, kind: Any, what: str) -> list[Any]:
    if not isinstance(kind, types.BaseTuple):
        raise DTypeError(f"differentiate: {program.name}: {what} must be a tuple, not {kind}")
    return list(kind)


def _is_number_like(leaf: Leaf, kind: Any) -> bool:
    """Whether numbers of this type are cotangents, or directions, of the leaf's."""
    return isinstance(kind, types.Number) and (leaf.parts == 2 or not isinstance(kind, types.Complex))


def _outputs(text: _Text, kind: Any, v_kind: Any, v: str, parts: Any) -> str:
    """Lines that seed the cotangents of a result, and the expression of the plain result."""
    name = text.program.name
    if isinstance(kind, types.BaseTuple):
        if not isinstance(v_kind, types.BaseTuple) or len(v_kind) != len(kind):
            raise DTypeError(f"differentiate: {name} gives {kind}; v must be a tuple like it, not {v_kind}")
        found = [_outputs(text, inner, v_kind[k], f"{v}[{k}]", parts) for k, inner in enumerate(kind)]
        return f"({', '.join(found)},)"
    m = next(parts)
    if not is_number_or_array(kind):
        if is_active(kind):
            what = f"differentiate: {name} gives {kind}; results are floats, arrays of them, and tuples of these"
            raise DTypeError(at_function(what, text.program.function))
        return f"made[{m}]"
    leaf = Leaf(v, kind)
    at = [(m, next(parts)), *[(next(parts), next(parts)) for _ in range(leaf.parts - 1)]]
    selves = [v] if leaf.parts == 1 else [f"{v}.real", f"{v}.imag"]
    if not leaf.is_array:
        if not _is_number_like(leaf, v_kind):
            raise DTypeError(f"differentiate: {name} gives {kind} there; v must have such a number, not {v_kind}")
        for (_, place), one in zip(at, selves, strict=True):
            text.add(f"add_cotangent(tape, made[{place}], {one})")
        return f"made[{m}]" if leaf.parts == 1 else f"complex(made[{m}], made[{at[1][0]}])"
    if not isinstance(v_kind, types.Array) or v_kind.ndim != kind.ndim or not _is_number_like(leaf, v_kind.dtype):
        what = f"differentiate: {name} gives {kind} there; v must have an array like it, not {v_kind}"
        raise DTypeError(what)
    for (_, place), one in zip(at, selves, strict=True):
        one = one if is_number_or_array(v_kind) else f"{one}.astype(float64)"
        text.add(f"add_cotangents(tape, made[{place}], {one})")
    return f"made[{m}].copy()" if leaf.parts == 1 else f"joined(made[{m}], made[{at[1][0]}])"


def gradients_and_products(program: Program, kinds: Sequence[Any], names: Sequence[str]) -> Any:
    """``f(inputs, v) -> value, gradients, Hessian @ v``."""
    inputs, v = names
    given, paths = _inputs(program, kinds[0], inputs)
    text = _Text(program, given, paths, Second)
    _require_number(program, text.made)
    along = _members(program, kinds[1], "v")
    if len(along) != len(text.leaves):
        by = ", by arguments left to their defaults, too" if len(list(kinds[0])) < len(program.parameters) else ""
        what = f"differentiate: {program.name} has {len(text.leaves)} gradients{by}, and v has {len(along)} directions"
        raise ArgumentError(what)
    for k, (leaf, kind) in enumerate(zip(text.leaves, along, strict=True)):
        is_like = isinstance(kind, types.Array) and kind.ndim == leaf.kind.ndim and _is_number_like(leaf, kind.dtype)
        if leaf.is_array and not is_like:
            raise DTypeError(f"differentiate: {program.name}: v[{k}] must be like {leaf.kind}, not {kind}")
        if not leaf.is_array and not _is_number_like(leaf, kind):
            raise DTypeError(f"differentiate: {program.name}: v[{k}] must be a number, not {kind}")
        if leaf.is_array:
            what = f"differentiate: {program.name}: v[{k}] has another shape than what it is a direction of"
            text.check(f"{v}[{k}].shape != {leaf.path}.shape", what)
    directions = {}
    for k, (leaf, kind) in enumerate(zip(text.leaves, along, strict=True)):
        text.scope[f"like{k}"] = _converter(leaf.number)
        if not leaf.is_array:
            directions[leaf.path] = f"like{k}({v}[{k}])"
        elif kind.dtype != leaf.number:
            directions[leaf.path] = f"{v}[{k}].astype(like{k})"
        else:
            directions[leaf.path] = f"{v}[{k}]"
    text.call(directions)
    text.cotangents(2)
    text.add("add_cotangent(tape, made[1], 1.0)")
    return text.function(names, 3, f"made[0], {text.gradients()}, {text.gradients(1)}")


def _converter(number: Any) -> Any:
    found = {types.float32: np.float32, types.complex64: np.complex64, types.complex128: np.complex128}
    return found.get(number, np.float64)


def _require_number(program: Program, made: Any) -> None:
    kind = made.signature.return_type
    if not isinstance(kind, types.Float):
        what = (
            f"differentiate: {program.name} gives {kind}, and gradients are those of a float; "
            "return one number, or use nbgrad.numba.differentiate_vjp for arrays and several results"
        )
        raise DTypeError(at_function(what, program.function))

"""A GPU's kernel as a ``@cuda.jit`` kernel: its text as NVVM reads it, NVIDIA's compiler behind numba-cuda.

NVVM reads the language of LLVM 7: pointers have types, here ``i8*`` but where something is read or written, and some
functions are there by other names. Of a product and a sum it makes one operation, unless both say how they round.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator
from typing import Any, Final

from nbgrad.kernels.ptx import emitted
from nbgrad.kernels.target import CUDA_TRIPLE, cuda
from nbgrad.system.imports import import_module
from nbgrad.tape.kernel import KernelText

_NUMBA: Final = "nbgrad.kernels.numba_cuda"  # imported by the worker process, and on the user's word
_ANY: Final = "sm_80"  # up to here all architectures have one text

_LAYOUT: Final = (
    "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-i128:128:128-f32:32:32-f64:64:64-"
    "v16:16:16-v32:32:32-v64:64:64-v128:128:128-n16:32:64"
)
_HEAD: Final = [f'target triple = "{CUDA_TRIPLE}"', f'target datalayout = "{_LAYOUT}"']
_VERSION: Final = "!nvvmir.version = !{!1000}\n!1000 = !{i32 2, i32 0, i32 3, i32 2}\n"
_KINDS: Final = {"float": ("32", "f"), "double": ("64", "d")}  # how NVVM's and LLVM's names spell a type

# What LLVM 7 has not, by the instructions of GPUs that it is.
_INSTRUCTIONS: Final = {
    "fabs": "fabs",
    "sqrt": "sqrt.rn",
    "fma": "fma.rn",
    "floor": "floor",
    "ceil": "ceil",
    "trunc": "trunc",
    "roundeven": "round",
    "minimum": "fmin",
    "maximum": "fmax",
}
_PASS_NAN_ON: Final = ("minimum", "maximum")
_ONE: Final = "0x3ff0000000000000"
_COPYSIGN: Final = """
define internal {kind} @"{name}"({kind} %x, {kind} %y) alwaysinline nounwind {{
%a = bitcast {kind} %x to i{bits}
%b = bitcast {kind} %y to i{bits}
%size = and i{bits} %a, {size}
%sign = and i{bits} %b, {sign}
%both = or i{bits} %size, %sign
%result = bitcast i{bits} %both to {kind}
ret {kind} %result
}}"""

_POINTER: Final = re.compile(r"\bptr\b( addrspace\(\d+\))?")
_PLACE: Final = r'ptr( addrspace\(\d+\))? (%\w+|@"\w+")'
_GLOBAL: Final = re.compile(r'(@"\w+") = \w+ addrspace\(\d+\) (?:constant|global) (\[.+?\])(?: \[|,)')
_VALUE: Final = r"(%\w+) = "


def jit_ptx(text: KernelText, arch: str) -> str:
    """The PTX that numba-cuda makes of a kernel for GPUs of ``arch``, sm_90 for example: an entry called by the text's
    symbol, with the arguments of ``kernels/ptx.py`` and the bits of the PTX that LLVM makes."""
    made: str = import_module(_NUMBA).cuda_ptx(jit_function(text), arch)
    return made


def jit_function(text: KernelText) -> Any:
    """A kernel as a Python function for ``@cuda.jit``."""
    entry = f"{text.symbol}_entry"
    return import_module(_NUMBA).cuda_kernel_function(text.symbol, entry, nvvm_text(text, entry))


def nvvm_text(text: KernelText, entry: str) -> str:
    """The module of one kernel, with a function ``entry`` that does what its entry does."""
    return _Writer(entry).written(emitted([text], cuda(_ANY)))


class _Writer:
    """Writes one module anew, line by line."""

    def __init__(self, entry: str) -> None:
        self._entry_name = entry
        self._globals: dict[str, str] = {}  # their types
        self._others: dict[str, str] = {}  # further functions, by what they say
        self._numbers = itertools.count()
        self._rules: list[tuple[re.Pattern[str], Callable[..., Iterator[str]]]] = [
            (re.compile(pattern), rule)
            for pattern, rule in (
                (_VALUE + r"alloca (.+?)(|, align \d+)", self._alloca),
                (rf"{_VALUE}load (.+?), {_PLACE}(|, .*)", self._load),
                (rf"store (.+) (\S+), {_PLACE}(|, .*)", self._store),
                (rf"{_VALUE}getelementptr (.+?), {_PLACE}, (.*)", self._part),
                (rf"{_VALUE}atomicrmw (\w+) {_PLACE}, (\w+) (\S+) monotonic", self._atomic),
                (rf"{_VALUE}addrspacecast {_PLACE} to (.+)", self._moved),
                (_VALUE + r"f(add|sub|mul) (float|double) (\S+), (\S+)", self._rounded),
                (_VALUE + r"fneg (float|double) (\S+)", self._negated),
                (_VALUE + r'call (float|double) @"llvm\.(\w+)\.f\d\d"\((.*)\)', self._function),
                (r'declare (?:float|double) @"llvm\.\w+\.f\d\d".*', self._nothing),
                (r'define ptx_kernel void @"\w+"(\(.*\)) .*', self._entry),
                (r";.*|target .*", self._nothing),
            )
        ]

    def written(self, text: str) -> str:
        lines = text.splitlines()
        self._globals = {found[1]: found[2] for found in map(_GLOBAL.match, lines) if found}
        new = [one for line in lines for one in self._anew(line)]
        return "\n".join([*_HEAD, *new, *self._others.values(), _VERSION])

    def _anew(self, line: str) -> Iterator[str]:
        for pattern, rule in self._rules:
            found = pattern.fullmatch(line)
            if found:
                yield from rule(*[word or "" for word in found.groups()])
                return
        yield _typed(line)

    def _new(self) -> str:
        return f"%n{next(self._numbers)}"

    def _needs(self, result: str, name: str, *args: str) -> str:
        """NVVM's function ``name``, declared."""
        self._others[name] = f'declare {result} @"llvm.nvvm.{name}"({", ".join(args)})'
        return f'call {result} @"llvm.nvvm.{name}"'

    # Memory
    def _at(self, kind: str, space: str, place: str) -> tuple[str, str]:
        """A line that makes ``place`` the address of a ``kind``, and how that is written then."""
        name, before = self._new(), self._globals.get(place, "i8")
        return f"{name} = bitcast {before}{space}* {place} to {kind}{space}*", f"{kind}{space}* {name}"

    def _alloca(self, value: str, kind: str, rest: str) -> Iterator[str]:
        name, kind = self._new(), _typed(kind)
        yield f"{name} = alloca {kind}{rest}"
        yield f"{value} = bitcast {kind}* {name} to i8*"

    def _load(self, value: str, kind: str, space: str, place: str, rest: str) -> Iterator[str]:
        line, at = self._at(_typed(kind), space, place)
        yield line
        yield f"{value} = load {_typed(kind)}, {at}{rest}"

    def _store(self, kind: str, x: str, space: str, place: str, rest: str) -> Iterator[str]:
        line, at = self._at(_typed(kind), space, place)
        yield line
        yield f"store {_typed(kind)} {x}, {at}{rest}"

    def _part(self, value: str, kind: str, space: str, place: str, indices: str) -> Iterator[str]:
        line, at = self._at(kind, space, place)
        yield line
        name, part = self._new(), kind
        for _ in range(indices.count(",")):
            part = re.sub(r"^\[\d+ x (.*)\]$", r"\1", part)
        yield f"{name} = getelementptr {kind}, {at}, {indices}"
        yield f"{value} = bitcast {part}{space}* {name} to i8{space}*"

    def _atomic(self, value: str, how: str, space: str, place: str, kind: str, x: str) -> Iterator[str]:
        line, at = self._at(kind, space, place)
        yield line
        if how == "fadd":
            bits, _ = _KINDS[kind]
            name = f"atomic.load.add.f{bits}.p1f{bits}"
            yield f"{value} = {self._needs(kind, name, f'{kind}{space}*', kind)}({at}, {kind} {x})"
        else:
            yield f"{value} = atomicrmw {how} {at}, {kind} {x} monotonic"

    def _moved(self, value: str, space: str, place: str, to: str) -> Iterator[str]:
        line, at = self._at("i8", space, place)
        yield line
        yield f"{value} = addrspacecast {at} to {_typed(to)}"

    # Arithmetic
    def _rounded(self, value: str, how: str, kind: str, a: str, b: str) -> Iterator[str]:
        _, letter = _KINDS[kind]
        if how == "sub":
            minus = self._new()
            yield from self._negated(minus, kind, b)
            how, b = "add", minus
        yield f"{value} = {self._needs(kind, f'{how}.rn.{letter}', kind, kind)}({kind} {a}, {kind} {b})"

    def _negated(self, value: str, kind: str, x: str) -> Iterator[str]:
        yield f"{value} = fsub {kind} -0.0, {x}"

    def _function(self, value: str, kind: str, name: str, given: str) -> Iterator[str]:
        (bits, letter), args = _KINDS[kind], [arg.split()[1] for arg in given.split(", ")]
        if name == "copysign":
            size, own = (1 << (int(bits) - 1)) - 1, f"nbgrad_copysign.{letter}"
            self._others[own] = _COPYSIGN.format(kind=kind, name=own, bits=bits, size=size, sign=-size - 1)
            yield f'{value} = call {kind} @"{own}"({given})'
        elif name == "fma" and args[1] == _ONE:  # NVVM would make a sum of it that does not say how it rounds
            yield from self._rounded(value, "add", kind, args[0], args[2])
        else:
            call = self._needs(kind, f"{_INSTRUCTIONS[name]}.{letter}", *[kind] * len(args))
            number = self._new() if name in _PASS_NAN_ON else value
            yield f"{number} = {call}({given})"
            if name in _PASS_NAN_ON:  # which GPUs have an instruction for in float32 alone
                total, isnan = self._new(), self._new()
                yield from self._rounded(total, "add", kind, *args)
                yield f"{isnan} = fcmp uno {kind} {', '.join(args)}"
                yield f"{value} = select i1 {isnan}, {kind} {total}, {kind} {number}"

    # The rest
    def _entry(self, args: str) -> Iterator[str]:
        yield f'define linkonce_odr void @"{self._entry_name}"{_typed(args)} alwaysinline nounwind'

    def _nothing(self) -> Iterator[str]:
        yield from ()


def _typed(text: str) -> str:
    """``text`` with pointers to bytes."""
    return _POINTER.sub(r"i8\1*", text)

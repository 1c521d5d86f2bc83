"""A warp that runs PTX: 32 lanes with program counters of their own, on this machine's memory.

The lanes that stand first run next, so those that went apart meet again where their ways join. An exchange waits until
all lanes stand at it, as the hardware does; where they never do, the kernel is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tests.kernels.ptx import memory
from tests.kernels.ptx.arithmetic import BINARY, KINDS, QUATERNARY, TERNARY, UNARY, compare, convert
from tests.kernels.ptx.module import Function, Module

LANES = 32
DONE = 1 << 30
Array = Any


class Warp:
    """One warp of a launch."""

    def __init__(self, module: Module, registers: dict[str, int], shared: Array) -> None:
        self.module = module
        self.special = {f"%{name}": np.full(LANES, value, np.uint64) for name, value in registers.items()}
        self.special["%laneid"] = np.arange(LANES, dtype=np.uint64)
        self.symbols = {name: x.ctypes.data for name, x in module.globals.items()}
        self.symbols["nbgrad_shared"] = shared.ctypes.data
        self.live = np.ones(LANES, bool)  # lanes that have not left the kernel

    def run(self, name: str, arguments: Sequence[int]) -> None:
        """Call an entry with words that are the same in all lanes."""
        function = self.module.functions[name]
        words = [np.full(LANES, np.int64(x).astype(np.uint64), np.uint64) for x in arguments]
        self._steps(function, _Frame(self, dict(zip(function.params, words, strict=True))), np.ones(LANES, bool))

    def call(self, function: Function, params: dict[str, Array], mask: Array) -> dict[str, Array]:
        """Run a function in the lanes of ``mask``; gives its results by name."""
        frame = _Frame(self, params)
        self._steps(function, frame, mask)
        return frame.params

    def _steps(self, function: Function, frame: _Frame, mask: Array) -> None:
        at = np.where(mask, 0, DONE)
        waiting = np.zeros(LANES, bool)
        while True:
            ready = np.where(waiting, DONE, at)
            here = int(ready.min())
            if here == DONE:
                assert not waiting.any(), "some lanes wait for others that never come"
                return
            group = ready == here
            guard, wanted, name, operands = function.steps[here]
            if "sync" in name and (at == here).sum() < mask.sum():
                waiting |= group
                continue
            waiting &= ~group
            acting = group if guard is None else group & (frame.raw(guard) == wanted)
            if name[0] == "bra":
                at = np.where(group, np.where(acting, function.labels[operands[0]], here + 1), at)
            elif name[0] == "ret":
                at = np.where(acting, DONE, np.where(group, here + 1, at))
            else:
                frame.step(name, operands, acting)
                at = np.where(group, here + 1, at)
            waiting &= at == ready  # whoever moved makes the others look again


class _Frame:
    """The registers of one call."""

    def __init__(self, warp: Warp, params: dict[str, Array]) -> None:
        self.warp = warp
        self.params = params
        self.registers: dict[str, Array] = {}

    def raw(self, operand: str) -> Array:
        """An operand's bits, as uint64 in each lane (bool of a predicate)."""
        if operand in self.registers:
            return self.registers[operand]
        if operand in self.warp.special:
            return self.warp.special[operand]
        if operand.startswith("%"):
            return np.zeros(LANES, bool if operand.startswith("%p") else np.uint64)
        if re.fullmatch(r"0[fd][0-9A-Fa-f]+", operand):
            return np.full(LANES, int(operand[2:], 16), np.uint64)
        if operand in self.warp.symbols:
            return np.full(LANES, self.warp.symbols[operand], np.uint64)
        return np.full(LANES, int(operand.rstrip("U"), 0) & ((1 << 64) - 1), np.uint64)

    def get(self, operand: str, kind: str) -> Array:
        """An operand in the lanes of a type."""
        raw, dtype = self.raw(operand), KINDS[kind]
        if dtype.kind == "b":
            return raw.astype(bool)
        return raw.astype(f"u{dtype.itemsize}").view(dtype)

    def set(self, register: str, value: Array, mask: Array) -> None:
        """Write the live lanes."""
        if value.dtype != bool:
            value = np.ascontiguousarray(value).view(f"u{value.itemsize}").astype(np.uint64)
        self.registers[register] = np.where(mask, value, self.raw(register))

    def step(self, name: list[str], operands: list[str], mask: Array) -> None:
        """One instruction but for branches."""
        with np.errstate(all="ignore"):
            special: Callable[..., None] | None = getattr(self, f"_{name[0]}", None)
            if special is not None:
                special(name[1:], operands, mask)
            else:
                self._arithmetic(name, operands, mask)

    def _arithmetic(self, name: list[str], operands: list[str], mask: Array) -> None:
        op, kind = name[0], name[-1]
        if "NaN" in name:
            op += ".NaN"
        target, *sources = operands
        shifts = op in ("shl", "shr")
        values = [self.get(x, "b32" if shifts and i else kind) for i, x in enumerate(sources)]
        if "wide" in name:
            wide = kind[0] + str(2 * int(kind[1:]))
            values = [x.astype(KINDS[wide]) for x in values]
        known: Any = ({1: UNARY, 2: BINARY, 3: TERNARY, 4: QUATERNARY}[len(values)]).get(op)
        assert known is not None, f"PTX: no {'.'.join(name)} here"
        assert (
            kind[0] != "f" or op in ("neg", "abs", "min", "max", "min.NaN", "max.NaN", "copysign") or ("rn" in name)
        ), f"{'.'.join(name)} does not say how it rounds"
        self.set(target, np.asarray(known(*values)), mask)

    def _mov(self, name: list[str], operands: list[str], mask: Array) -> None:
        target, source = operands
        size = KINDS[name[0]].itemsize if name[0] in KINDS else 0
        if target.startswith("{"):
            registers = _listed(target)
            pieces = self.get(source, name[0]).view(f"u{size // len(registers)}").reshape(LANES, -1)
            for piece, register in zip(pieces.T, registers, strict=True):
                if register not in ("tmp", "_"):  # what nobody reads
                    self.set(register, np.ascontiguousarray(piece), mask)
        elif source.startswith("{"):
            registers = _listed(source)
            pieces = np.stack([self.get(x, f"b{8 * size // len(registers)}") for x in registers], axis=1)
            self.set(target, np.ascontiguousarray(pieces).view(f"u{size}").reshape(LANES), mask)
        else:
            self.set(target, self.get(source, name[0]), mask)

    def _prmt(self, name: list[str], operands: list[str], mask: Array) -> None:
        """Four bytes, each one of the eight of two words."""
        target, low, high, wanted = operands
        pool = np.concatenate([self.get(x, "b32").view("u1").reshape(LANES, 4) for x in (low, high)], axis=1)
        which = self.get(wanted, "b32")[:, None] >> np.arange(0, 16, 4, dtype=np.uint32) & np.uint32(15)
        assert (which < 8).all(), "PTX: no prmt that repeats signs here"
        found = np.ascontiguousarray(np.take_along_axis(pool, which.astype(int), axis=1))
        self.set(target, found.view("u4").reshape(LANES), mask)

    def _setp(self, name: list[str], operands: list[str], mask: Array) -> None:
        target, a, b = operands
        self.set(target, compare(name[0], self.get(a, name[-1]), self.get(b, name[-1])), mask)

    def _selp(self, name: list[str], operands: list[str], mask: Array) -> None:
        target, a, b, which = operands
        self.set(target, np.where(self.raw(which), self.get(a, name[-1]), self.get(b, name[-1])), mask)

    def _cvt(self, name: list[str], operands: list[str], mask: Array) -> None:
        *how, to, source = name
        value = convert(how[0] if how else None, KINDS[to], self.get(operands[1], source))
        self.set(operands[0], value, mask)

    def _cvta(self, name: list[str], operands: list[str], mask: Array) -> None:
        self.set(operands[0], self.raw(operands[1]), mask)

    def _shfl(self, name: list[str], operands: list[str], mask: Array) -> None:
        target, x, lane, last, members = operands
        assert (last, members) == ("31", "-1")
        lanes = self.raw(lane).astype(int)
        own = np.arange(LANES)
        source = own + lanes if "down" in name else lanes
        source = np.where((source < 0) | (source >= LANES), own, source)
        self.set(target, self.raw(x)[source], mask)

    def _vote(self, name: list[str], operands: list[str], mask: Array) -> None:
        votes = self.raw(operands[1]) & mask
        if "any" in name:
            self.set(operands[0], np.full(LANES, votes.any()), mask)
        else:
            bits = sum(1 << int(lane) for lane in np.flatnonzero(votes))
            self.set(operands[0], np.full(LANES, bits, np.uint32), mask)

    def _bar(self, name: list[str], operands: list[str], mask: Array) -> None:
        assert name == ["warp", "sync"]

    def _address(self, operand: str) -> tuple[str, int]:
        base, _, offset = operand.strip("[]").partition("+")
        return base, int(offset or "0")

    def _ld(self, name: list[str], operands: list[str], mask: Array) -> None:
        base, offset = self._address(operands[1])
        if base in self.params:
            self.set(operands[0], self.params[base], mask)
            return
        kind = KINDS[name[-1]]
        at = self.raw(base) + np.uint64(offset & ((1 << 64) - 1))
        for i, register in enumerate(_listed(operands[0])):
            value = memory.load(at + np.uint64(i * kind.itemsize), mask, kind.itemsize)
            value = value.astype(f"u{kind.itemsize}").view(kind)
            self.set(register, value.astype("i8") if kind.kind == "i" else value, mask)

    def _st(self, name: list[str], operands: list[str], mask: Array) -> None:
        base, offset = self._address(operands[0])
        if "param" in name:
            self.params[base] = self.raw(operands[1])
            return
        size = KINDS[name[-1]].itemsize
        at = self.raw(base) + np.uint64(offset & ((1 << 64) - 1))
        for i, register in enumerate(_listed(operands[1])):
            memory.store(at + np.uint64(i * size), mask, size, self.raw(register))

    def _atom(self, name: list[str], operands: list[str], mask: Array) -> None:
        """Additions in memory, lane by lane."""
        assert name[:2] == ["global", "add"]
        target, place, x = operands
        base, offset = self._address(place)
        kind, at = KINDS[name[-1]], self.raw(base) + np.uint64(offset & ((1 << 64) - 1))
        terms = self.get(x, name[-1])
        for lane in np.flatnonzero(mask):
            only = np.arange(LANES) == lane
            before = memory.load(at, only, kind.itemsize).astype(f"u{kind.itemsize}").view(kind)
            self.set(target, before, only)
            after = np.where(only, before + terms, 0).astype(kind)
            memory.store(at, only, kind.itemsize, after.view(f"u{kind.itemsize}").astype(np.uint64))

    def _call(self, name: list[str], operands: list[str], mask: Array) -> None:
        results, callee, arguments = operands
        function = self.warp.module.functions[callee]
        passed = [self.params[x] for x in _listed(arguments)]
        found = self.warp.call(function, dict(zip(function.params, passed, strict=True)), mask)
        for ours, theirs in zip(_listed(results), function.results, strict=True):
            self.params[ours] = found[theirs]


def _listed(operand: str) -> list[str]:
    """The members of {a, b} or (a, b), or the one operand."""
    return [x.strip() for x in operand.strip("{}()").split(",")]

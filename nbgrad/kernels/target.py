"""What machine the code is for: its name, features, and the few facts that the emitter asks about.

A GPU runs warps of LANES threads, so for it a vector has LANES lanes; ``host_warps`` gives this machine vectors of as
many, which runs the same arithmetic of indices and masks without a GPU.
"""

from __future__ import annotations

import functools
import platform
import re
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

import llvmlite.binding as llvm

from nbgrad.errors import ArgumentError
from nbgrad.system.imports import held_at_forks
from nbgrad.system.interrupts import uninterrupted
from nbgrad.tape.kernel import LANES

held_at_forks.append(llvm.ffi.lib._lock)

AVX512: Final = frozenset({"avx512f", "avx512dq", "avx512bw", "avx512vl", "avx512cd"})
AVX2: Final = frozenset({"avx2", "fma"})
GATHERS: Final = {"avx512": "-prefer-no-gather", "avx2": "+fast-gather"}  # LLVM's words for "is good at gathers"

CUDA_TRIPLE: Final = "nvptx64-nvidia-cuda"
CUDA_ARCHES: Final = ("sm_75", "sm_80", "sm_90")  # what is tested: LLVM takes any other by its name, too
OLDEST_PTX: Final = (6, 0)  # which shuffles of lanes came with
THREADS: Final = "ptx"  # a lane is a thread
WARPS: Final = "warps"  # a lane is a lane of a CPU's vectors, which are as long as warps

# CPUs that can be asked for by name, with the instruction set each of them promises.
NAMED: Final = {"x86-64": "sse2", "haswell": "avx2", "x86-64-v3": "avx2", "skylake-avx512": "avx512"}


class Level(NamedTuple):
    """An instruction set of CPUs. ``product_rows``: of a block of a matrix product, so that the sums of these rows, the
    vectors of B and one number of A fill its 32 or 16 registers."""

    vector_bytes: int
    product_rows: int


LEVELS: Final = {"avx512": Level(64, 8), "avx2": Level(32, 4), "sse2": Level(16, 4), "neon": Level(16, 8)}


@dataclass(frozen=True, slots=True)
class Target:
    """A CPU or a GPU. ``level`` is the instruction set the emitter plans for; LLVM also uses the other ``features``."""

    triple: str
    cpu: str
    features: str
    level: str
    has_rounding: bool  # floor, round and the like are instructions, not library calls
    device: str = ""  # a GPU's own architecture: ``cpu`` is the newest up to it that LLVM knows
    driver: int = 0  # the newest CUDA that a GPU's driver knows, as 13 for 13.2; 0: nobody knows
    jit: str = ""  # what makes a GPU's kernels for good, "numba-cuda 0.30.4" for example; "": LLVM

    @property
    def has_fma(self) -> bool:
        return self.level != "sse2"

    @property
    def key(self) -> str:
        """Everything about the target that changes the code, for cache keys."""
        told = f"+{self.device},+cuda{self.driver}" if self.is_thread else self.features
        return " ".join(filter(None, [self.triple, self.cpu, self.level, told, self.jit]))

    @property
    def has_float16(self) -> bool:
        """Whether conversions between float16 and float32 are instructions (F16C comes with AVX2); otherwise LLVM calls
        functions."""
        return self.level not in ("sse2", WARPS) or "+f16c" in self.features

    def lanes(self, itemsize: int) -> int:
        """How many elements of ``itemsize`` bytes one vector holds."""
        return LANES if self.is_warp else min(LANES, LEVELS[self.level].vector_bytes // itemsize)

    @property
    def product_rows(self) -> int:
        """Rows of a block of a matrix product."""
        return LEVELS[self.level].product_rows

    def has_masked_moves(self, itemsize: int) -> bool:
        """Whether masked loads and stores of this element size are instructions (otherwise LLVM writes branches)."""
        return self.level == "avx512" or (self.level == "avx2" and itemsize >= 4)

    @property
    def stores_masked_at_once(self) -> bool:
        """Whether a masked store takes what a plain one does. With AVX2, AMD's processors take 12 cycles for it."""
        return self.level == "avx512" or self.is_warp

    @property
    def is_thread(self) -> bool:
        """Whether code is written for one thread of a GPU."""
        return self.level == THREADS

    @property
    def is_warp(self) -> bool:
        """Whether kernels are cut for warps: the forms that a GPU runs."""
        return self.level in (THREADS, WARPS)


@functools.cache
@uninterrupted
def host() -> Target:
    """The machine this process runs on."""
    try:
        features = llvm.get_host_cpu_features()
    except RuntimeError:  # not on each AArch64: what the CPU's name stands for has to do
        features = llvm.FeatureMap()
    present = {name for name, on in features.items() if on}
    if platform.machine().lower() in ("aarch64", "arm64"):
        level = "neon"
    elif present >= AVX512:
        level = "avx512"
    elif present >= AVX2:
        level = "avx2"
    else:
        level = "sse2"
    rounding = level != "sse2" or "sse4.1" in present
    return Target(llvm.get_process_triple(), llvm.get_host_cpu_name(), features.flatten(), level, rounding)


@uninterrupted
def named(cpu: str) -> Target:
    """An x86-64 CPU by LLVM's name for it; ArgumentError names the choices."""
    if cpu not in NAMED:
        raise ArgumentError(f"target: no CPU {cpu!r}; known are {', '.join(NAMED)}")
    level = NAMED[cpu]
    return Target(llvm.get_process_triple(), cpu, "", level, level != "sse2")


@functools.cache
def cuda(arch: str, driver: int = 0, jit: str = "") -> Target:
    """A GPU by the name of its architecture, sm_80 for example, with a driver for CUDA ``driver``.x."""
    return Target(CUDA_TRIPLE, known_arch(arch), "", THREADS, True, arch, driver, jit)


@uninterrupted
def known_arch(arch: str) -> str:
    """The newest architecture up to ``arch`` that this LLVM writes PTX for: newer GPUs take that of older ones.

    LLVM has no list of them. For one that it does not know it says so, and writes PTX of a version before all that
    we use.
    """
    older = [known for known in reversed(CUDA_ARCHES) if _number(known) < _number(arch)]
    return next((known for known in (arch, *older) if _ptx_version(known) >= OLDEST_PTX), arch)


def _number(arch: str) -> int:
    """75 of sm_75, 90 of sm_90a."""
    return int("".join(filter(str.isdecimal, arch)))


def _ptx_version(arch: str) -> tuple[int, int]:
    """The version of the PTX that LLVM writes for an architecture."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    machine = llvm.Target.from_triple(CUDA_TRIPLE).create_target_machine(cpu=arch)
    made = machine.emit_assembly(llvm.parse_assembly(f'target triple = "{CUDA_TRIPLE}"'))
    major, minor = re.findall(r"\.version (\d+)\.(\d+)", made)[0]
    return int(major), int(minor)


@functools.cache
def host_warps() -> Target:
    """This machine with the forms and the lanes of a GPU.

    Each lane reads from a place of its own, for which LLVM writes code for each of the 32 unless it is told that this
    machine is good at it.
    """
    gathers = GATHERS.get(host().level, "")
    return replace(host(), level=WARPS, features=",".join(filter(None, [host().features, gathers])))

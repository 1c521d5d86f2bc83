"""What elementary functions cost on a GPU beside NVIDIA's libdevice, without a GPU: instructions and registers.

``python -m bench.elementary`` (``--arch sm_90``, ``--only exp,log``) compiles ``y[i] = f(x[i])`` twice: by nbgrad with
its own functions, and by numba-cuda with libdevice's. nvJitLink assembles both; what the same kernel without ``f`` has
is taken off, but from the registers. Instructions in subroutines, such as the division of tiny numbers, are counted
apart; what else few arguments need stands behind branches. It needs the extra ``cuda``.
"""

from __future__ import annotations

import argparse
import importlib
import struct
import sys
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import llvmlite.binding as llvm

from nbgrad.graph.dtypes import by_name
from nbgrad.kernels import ir
from nbgrad.kernels.shared import SharedFunctions
from nbgrad.kernels.target import CUDA_ARCHES, CUDA_TRIPLE, cuda
from nbgrad.kernels.thread import ThreadBuilder
from nbgrad.kernels.values import DEVICE_POINTER, SCALARS, Vec
from nbgrad.runtime.cuda.linker import MARK, assembled
from nbgrad.tape.kernel import LANES

# By the vocabulary's name: libdevice's, whose float32 functions end in f.
NAMES: Final = {
    **{name: name for name in ("exp", "expm1", "log", "log1p", "sin", "cos", "tanh", "erf", "pow", "atan", "atan2")},
    **{name: name for name in ("asin", "acos", "sinh", "cosh", "asinh", "acosh", "atanh")},
}
OF_TWO: Final = ("pow", "atan2")
DTYPES: Final = ("float32", "float64")
INSTRUCTION: Final = 16  # bytes, from sm_70 on; the lowest 12 bits say what it does
NOP, BRANCH, CALL = 0x918, 0x947, 0x944
TEXT, SUBROUTINE = b".text.", b".text.__"  # how sections with code are called


class Cost(NamedTuple):
    """What a function adds to a kernel; the registers are all that the kernel has."""

    instructions: int
    branches: int
    in_subroutines: int
    registers: int


def cost_of(code: bytes) -> Cost:
    """All code of a module of machine code, an ELF file: its sections ``.text`` say the registers, too."""
    assert code.startswith(MARK), "nvJitLink is missing (nvidia-nvjitlink)"
    (start,) = struct.unpack_from("<Q", code, 40)
    size, count, names_at = struct.unpack_from("<HHH", code, 58)
    sections = [struct.unpack_from("<IIQQQQIIQQ", code, start + size * k) for k in range(count)]
    names = sections[names_at][4]
    instructions = branches = aside = registers = 0
    for name, _, _, _, at, nbytes, _, info, *_ in sections:
        if code[names + name :].startswith(SUBROUTINE):
            aside += nbytes // INSTRUCTION
        elif code[names + name :].startswith(TEXT):
            words = [struct.unpack_from("<Q", code, at + k)[0] & 0xFFF for k in range(0, nbytes, INSTRUCTION)]
            instructions += sum([word != NOP for word in words])
            branches += sum([word in (BRANCH, CALL) for word in words])
            registers = info >> 24
    return Cost(instructions, branches, aside, registers)


def own(name: str, dtype: str, arch: str) -> bytes:
    """PTX of ``y[i] = name(x[i])`` with nbgrad's function; "" takes none."""
    target = cuda(arch)
    machine = llvm.Target.from_triple(CUDA_TRIPLE).create_target_machine(cpu=target.cpu, opt=3)
    module = ir.Module("elementary")
    module.triple, module.data_layout = CUDA_TRIPLE, str(machine.target_data)
    function = ir.Function(module, ir.FunctionType(ir.VOID, [DEVICE_POINTER] * 3), "f")
    function.calling_convention = "ptx_kernel"
    builder = ir.IRBuilder(function)
    b = ThreadBuilder(builder, LANES, target, SharedFunctions(module))
    kind, here = SCALARS[dtype], b.register("tid.x")
    places = [builder.gep(pointer, [here], source_etype=kind) for pointer in function.args]
    x, z = [Vec(builder.load(place, typ=kind), by_name(dtype)) for place in places[:2]]
    y = b.add(x, z) if not name else b.function(name, x, z) if name in OF_TWO else b.function(name, b.add(x, z))
    builder.store(y.value, places[2])
    builder.ret_void()
    parsed = llvm.parse_assembly(str(module))
    options = llvm.create_pipeline_tuning_options(speed_level=2)
    options.loop_vectorization = options.slp_vectorization = options.loop_unrolling = False
    passes = llvm.create_pass_builder(machine, options)
    passes.getModulePassManager().run(parsed, passes)
    return str(machine.emit_assembly(parsed)).encode()


def nvidias(name: str, dtype: str, arch: str) -> bytes:
    """The same with libdevice's."""
    numba_cuda, types = importlib.import_module("numba.cuda"), importlib.import_module("numba.types")
    library = importlib.import_module("numba.cuda.libdevice")
    pointer = types.CPointer(getattr(types, dtype))
    kernel = _kernel(numba_cuda, getattr(library, NAMES[name] + "f" * (dtype == "float32")) if name else None, name)
    number = int(arch[3:])
    ptx, _ = numba_cuda.compile_ptx(kernel, types.void(pointer, pointer, pointer), cc=(number // 10, number % 10))
    return str(ptx).encode()


def _kernel(numba_cuda: Any, f: Any, name: str) -> Callable[..., None]:
    if f is None:

        def plain(x: Any, z: Any, y: Any) -> None:
            i = numba_cuda.threadIdx.x
            y[i] = x[i] + z[i]

        return plain
    if name in OF_TWO:

        def of_two(x: Any, z: Any, y: Any) -> None:
            i = numba_cuda.threadIdx.x
            y[i] = f(x[i], z[i])

        return of_two

    def of_one(x: Any, z: Any, y: Any) -> None:
        i = numba_cuda.threadIdx.x
        y[i] = f(x[i] + z[i])

    return of_one


def measured(make: Callable[[str, str, str], bytes], names: Sequence[str], dtype: str, arch: str) -> list[Cost]:
    """What each function costs."""
    costs = [cost_of(assembled(make(name, dtype, arch), arch)) for name in ("", *names)]
    none = costs[0]
    return [c._replace(instructions=c[0] - none[0], branches=c[1] - none[1]) for c in costs[1:]]


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.elementary", description=__doc__)
    parser.add_argument("--arch", choices=CUDA_ARCHES, default="sm_80")
    parser.add_argument("--only", type=lambda text: text.split(","), default=list(NAMES), metavar="NAME,...")
    options = parser.parse_args(arguments)
    print("instructions, branches, instructions in subroutines, registers")
    print(f"{options.arch:24}{'nbgrad':>20}{'libdevice':>20}")
    for dtype in DTYPES:
        both = [measured(make, options.only, dtype, options.arch) for make in (own, nvidias)]
        for name, ours, theirs in zip(options.only, *both, strict=True):
            print(f"{dtype} {name:16}" + "".join([f"{c[0]:8}{c[1]:4}{c[2]:4}{c[3]:4}" for c in (ours, theirs)]))
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

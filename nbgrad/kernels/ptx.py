"""From KernelTexts to PTX: the kernels' functions inside entries that share their items among warps.

An entry is called by the text's symbol:

    void symbol(int64* desc, int64 items, int64 chunk, int32* status, int64 workspace, int64 scratch)

Warp w of all warps works on items [w * chunk, (w + 1) * chunk), then goes on by the number of warps. A failure code is
stored into ``status``, and ends its warp. What a warp keeps of a row takes ``scratch`` bytes: in the block's shared
memory, or from the address ``workspace`` on where that is not 0.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, Final

import llvmlite.binding as llvm

from nbgrad.kernels import ir
from nbgrad.kernels.emit import emit_kernel
from nbgrad.kernels.flow import loop, smaller
from nbgrad.kernels.launch import ALIGNMENT, has_scratch
from nbgrad.kernels.shared import SharedFunctions
from nbgrad.kernels.target import CUDA_TRIPLE, Target, cuda
from nbgrad.kernels.thread import ThreadBuilder
from nbgrad.kernels.values import DEVICE_POINTER, I8, I32, I64, POINTER
from nbgrad.system.free_memory import require_room_for
from nbgrad.system.interrupts import uninterrupted
from nbgrad.tape.kernel import LANES, OK, KernelText

ENTRY: Final = ir.FunctionType(ir.VOID, [DEVICE_POINTER, I64, I64, DEVICE_POINTER, I64, I64])
SHARED_SPACE: Final = 3  # where LLVM keeps a block's shared memory
SHARED_NAME: Final = "nbgrad_shared"
OPTIMISED: Final = 3


@uninterrupted
def ptx_text(texts: Sequence[KernelText], arch: str) -> str:
    """One PTX module with an entry for each of ``texts``, for GPUs of ``arch`` (sm_80) and later."""
    return ptx_texts(texts, [arch])[arch]


def ptx_texts(texts: Sequence[KernelText], arches: Sequence[str]) -> dict[str, str]:
    """The same for each of ``arches``, in half the time: up to the writing of PTX all of them have one code."""
    common = _optimised(texts, cuda(arches[0])).as_bitcode()
    return {arch: str(_machine(cuda(arch)).emit_assembly(llvm.parse_bitcode(common))) for arch in arches}


@uninterrupted
def warp_llvm_text(texts: Sequence[KernelText], arch: str) -> str:
    """The LLVM IR that the PTX is made of."""
    return str(_optimised(texts, cuda(arch)))


@functools.cache
def _machine(target: Target) -> Any:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    return llvm.Target.from_triple(CUDA_TRIPLE).create_target_machine(cpu=target.cpu, opt=OPTIMISED)


def emitted(texts: Sequence[KernelText], target: Target) -> str:
    """The LLVM IR of the entries, as it is before LLVM works on it."""
    module = ir.Module("nbgrad")
    module.triple = CUDA_TRIPLE
    module.data_layout = str(_machine(target).target_data)
    for text in texts:
        _entry(module, text, emit_kernel(module, text, target), target)
    return str(module)


def _optimised(texts: Sequence[KernelText], target: Target) -> Any:
    machine = _machine(target)
    text = emitted(texts, target)
    require_room_for(text)
    parsed = llvm.parse_assembly(text)
    parsed.verify()
    options = llvm.create_pipeline_tuning_options(speed_level=2)
    options.loop_vectorization = options.slp_vectorization = options.loop_unrolling = False
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(parsed, builder)
    return parsed


def _entry(module: ir.Module, text: KernelText, body: Any, target: Target) -> None:
    function = ir.Function(module, ENTRY, text.symbol)
    function.calling_convention = "ptx_kernel"
    function.attributes.add("nounwind")
    builder = ir.IRBuilder(function)
    b = ThreadBuilder(builder, LANES, target, SharedFunctions(module))
    desc, items, chunk, status, workspace, scratch = function.args
    first, units = _warps(b)
    own = _scratch(b, first, workspace, scratch) if has_scratch(text) else I64(0)
    with loop(builder, builder.mul(first, chunk), items, builder.mul(units, chunk)) as start:
        code = builder.call(body, [desc, start, smaller(builder, builder.add(start, chunk), items), own])
        with builder.if_then(builder.icmp_signed("!=", code, I32(OK)), is_rare=True):
            builder.store(code, status)
            builder.ret_void()
    builder.ret_void()


def _warps(b: ThreadBuilder) -> tuple[Any, Any]:
    """The number of this warp, and of all warps."""
    builder, lanes = b.ir, I64(LANES)
    threads = builder.mul(_wide(b, "ctaid.x"), _wide(b, "ntid.x"))
    first = builder.udiv(builder.add(threads, _wide(b, "tid.x")), lanes)
    return first, builder.udiv(builder.mul(_wide(b, "nctaid.x"), _wide(b, "ntid.x")), lanes)


def _scratch(b: ThreadBuilder, number: Any, workspace: Any, size: Any) -> Any:
    """Where the scratch of the warp of that number starts, as an address of any space."""
    module, builder = b.ir.module, b.ir
    shared = module.globals.get(SHARED_NAME)
    if shared is None:
        shared = ir.GlobalVariable(module, ir.ArrayType(I8, 0), SHARED_NAME, addrspace=SHARED_SPACE)
        shared.linkage, shared.align = "external", ALIGNMENT
    start = builder.ptrtoint(builder.addrspacecast(shared, POINTER), I64)
    in_block = builder.udiv(_wide(b, "tid.x"), I64(LANES))
    is_shared = builder.icmp_unsigned("==", workspace, I64(0))
    number = builder.select(is_shared, in_block, number)
    return builder.add(builder.select(is_shared, start, workspace), builder.mul(number, size))


def _wide(b: ThreadBuilder, name: str) -> Any:
    return b.ir.zext(b.register(name), I64)

"""Numba's compiler with this package's code generation. All of Numba's private API that is used, numba-cuda's too, is
imported by this file; the others (``numba_linking``, ``numba_cuda``, ``numba_records``, ``numba_text``,
``library/build``, ``runtime/numba_words``) import public API.

A *subtarget* of Numba's CPU target keeps Numba's front end (bytecode, typing, lowering, linking of libraries) and takes
another code generator, as Numba's own compiler ahead of time does. Numba's would optimise each function at O3, twice,
and put it into its engine: a kernel of explicit vectors, and code that is kept on disk, want neither.

Numba is imported by this file, so nothing imports it on the way to a first result: the worker process does, the build,
and who asks for it by ``nbgrad.numba``.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Sequence
from types import CellType, FunctionType
from typing import Any, Final, NamedTuple

import llvmlite.binding as llvm
import numba
from llvmlite import ir
from numba import types
from numba.core import callconv as callconv
from numba.core import cgutils as cgutils
from numba.core import compiler as compiler
from numba.core import errors as errors
from numba.core import ir as _ir
from numba.core import registry as registry
from numba.core import sigutils, typed_passes, untyped_passes
from numba.core import typing as typing
from numba.core.analysis import compute_cfg_from_blocks
from numba.core.codegen import JITCodeLibrary as JITCodeLibrary
from numba.core.codegen import JITCPUCodegen
from numba.core.compiler_lock import global_compiler_lock as global_compiler_lock
from numba.core.compiler_machinery import AnalysisPass, PassManager
from numba.core.compiler_machinery import register_pass as register_pass
from numba.core.cpu import CPUContext as CPUContext
from numba.core.datamodel import default_manager as default_manager
from numba.core.datamodel import models as models
from numba.core.datamodel.manager import DataModelManager as DataModelManager
from numba.core.dispatcher import OmittedArg as OmittedArg
from numba.core.dispatcher import _FunctionCompiler  # type: ignore[attr-defined]
from numba.core.errors import NumbaError as NumbaError
from numba.core.errors import UnsupportedBytecodeError
from numba.core.lowering import Lower as Lower
from numba.core.registry import CPUDispatcher as CPUDispatcher
from numba.core.runtime import rtsys
from numba.core.runtime.context import NRTContext as NRTContext
from numba.core.runtime.nrtdynmod import _meminfo_struct_type
from numba.core.typed_passes import BaseNativeLowering as BaseNativeLowering
from numba.core.typed_passes import NativeLowering as NativeLowering
from numba.core.typing.templates import AttributeTemplate as AttributeTemplate
from numba.core.typing.templates import infer_global as infer_global
from numba.extending import intrinsic
from numba.np.arrayobj import _empty_nd_impl
from numba.np.arrayobj import populate_array as populate_array
from numba.np.numpy_support import as_dtype as as_dtype
from numba.np.ufunc.dufunc import DUFunc as DUFunc

from nbgrad.errors import DTypeError

VERSION: Final[str] = numba.__version__
# Of a function: the second is none of the first, and the others are what typing raises of calls without arguments.
REFUSALS: Final = (NumbaError, UnsupportedBytecodeError, ValueError, AssertionError)
numba_ir: Final = _ir
FunctionCompiler: Final = _FunctionCompiler
empty_array: Final = _empty_nd_impl
meminfo_struct: Final = _meminfo_struct_type
WORDS: Final = types.CPointer(types.int64)
KERNEL: Final = types.int32(WORDS, types.int64, types.int64)  # the kernel ABI, see nbgrad/tape/kernel.py
_ENVIRONMENT: Final = "_ZN08NumbaEnv"  # how the names begin of where Numba keeps a function's Python objects


class CFunction(NamedTuple):
    """A Python function, to be compiled as the C function ``symbol`` with Numba's ``signature``. It cannot raise. What
    it calls that is a dispatcher itself is compiled by Numba's own target, and optimised there."""

    symbol: str
    function: Callable[..., Any]
    signature: Any


class Linked(JITCodeLibrary):  # type: ignore[misc]
    """Code that is linked to its caller's, and optimised and made machine code of there alone."""

    def _optimize_functions(self, ll_module: Any) -> None:
        ll_module.data_layout = self._codegen._data_layout

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalized = True


class _Library(Linked):
    """The LLVM module of a function and of all that it calls, as Numba wrote it."""

    def add_ir_module(self, ir_module: Any) -> None:
        """Have Numba's functions inlined. Leave out where it keeps a function's Python objects, and what it says of its
        own arguments: that would become a remark at each load of the code that it calls."""
        for name in [name for name in ir_module.globals if name.startswith(_ENVIRONMENT)]:
            del ir_module.globals[name]
        for function in ir_module.functions:
            if not function.is_declaration:
                function.attributes.add("alwaysinline")
            for argument in function.args:
                argument.attributes.discard("noalias")
        super().add_ir_module(ir_module)

    def add_linking_library(self, library: Any) -> None:
        """Numba links what counts references into each function; ours hold none."""
        if library is not rtsys.library:
            super().add_linking_library(library)


class _Codegen(JITCPUCodegen):  # type: ignore[misc]
    _library_class = _Library


@functools.cache
def _context() -> Any:
    """The subtarget. Numba's registries are loaded here, which takes longer than to import it."""
    target = registry.cpu_target
    target.typing_context.refresh()
    target.target_context.refresh()
    return target.target_context.subtarget(_internal_codegen=_Codegen("nbgrad"))


def _flags() -> Any:
    flags = compiler.Flags()
    flags.no_cpython_wrapper = flags.no_cfunc_wrapper = flags.release_gil = True
    flags.no_compile = True  # nothing is executable; otherwise Numba looks for its environment's address in the engine
    flags.enable_looplift = False
    flags.error_model = "numpy"
    return flags


@global_compiler_lock  # type: ignore[untyped-decorator]
def llvm_module(functions: Sequence[CFunction]) -> Any:
    """One LLVM module with each of ``functions`` under its symbol. Numba's way of calling is inlined away."""
    context, typing = _context(), registry.cpu_target.typing_context
    parts, entries = [], []
    for symbol, function, signature in functions:
        done = compiler.compile_extra(typing, context, function, signature.args, signature.return_type, _flags(), {})
        done.library._ensure_finalized()  # links what it calls
        parts.append(done.library._final_module)
        entries.append(_entry(symbol, done.fndesc.llvm_func_name, signature))
    entry = llvm.parse_assembly("\n".join(entries))
    module, *others = parts
    entry.triple, entry.data_layout = module.triple, module.data_layout
    for part in (*others, entry):
        module.link_in(part)
    for made in module.functions:
        if not made.is_declaration and made.name not in {known.symbol for known in functions}:
            made.linkage = "internal"
    # LLVM's O0 inlines what must be, as every version of llvmlite can ask for, and does nothing else.
    builder = llvm.create_pass_builder(context.codegen()._tm, llvm.create_pipeline_tuning_options(speed_level=0))
    builder.getModulePassManager().run(module, builder)
    return module


def _entry(symbol: str, inner: str, signature: Any) -> str:
    """The text of a C function that calls Numba's, which gives its result by address and an error's code."""
    given = [_written(kind) for kind in signature.args]
    result = _written(signature.return_type)
    handed = ", ".join([f"{kind} %a{k}" for k, kind in enumerate(given)])
    return f"""declare i32 @"{inner}"({", ".join(["ptr", "ptr", *given])})
define {result} @{symbol}({handed}) nounwind {{
  %result = alloca {result}
  %error = alloca ptr
  %code = call i32 @"{inner}"({", ".join(filter(None, ["ptr %result", "ptr %error", handed]))})
  %value = load {result}, ptr %result
  ret {result} %value
}}"""


def _written(kind: Any) -> str:
    return "ptr" if isinstance(kind, types.CPointer) else str(_context().get_value_type(kind))


def kernel_module(symbol: str, body: str, text: str) -> Any:
    """The LLVM module of the kernel ``symbol`` as an ``@njit`` function with the body that ``text`` has."""
    module = llvm_module([CFunction(symbol, kernel_function(symbol, body, text), KERNEL)])
    module.verify()
    return module


def kernel_function(symbol: str, body: str, text: str) -> Callable[..., Any]:
    """A Python function ``int32 kernel(desc, begin, end)`` for Numba to compile, called ``symbol``, whose body is the
    function ``body`` of LLVM's ``text``. ``desc`` is a pointer to int64, or a contiguous array of them."""

    @intrinsic  # type: ignore[untyped-decorator]
    def call(typing: Any, desc: Any, begin: Any, end: Any) -> Any:
        if not _is_words(desc):
            what = f"kernel {symbol}: desc is {desc}; give a contiguous array of int64, or a pointer to int64"
            raise DTypeError(what)
        if not all(isinstance(types.unliteral(kind), types.Integer) for kind in (begin, end)):
            raise DTypeError(f"kernel {symbol}: begin and end are {begin} and {end}; give whole numbers")
        return types.int32(desc, types.int64, types.int64), functools.partial(_call, body, text)

    def kernel(desc: Any, begin: Any, end: Any) -> Any:
        return call(desc, begin, end)

    kernel.__name__ = kernel.__qualname__ = symbol
    return kernel


def _is_words(kind: Any) -> bool:
    return bool(kind == WORDS) or is_contiguous(kind, types.int64)


def is_contiguous(kind: Any, dtype: Any) -> bool:
    """Whether a type is that of a contiguous array of ``dtype``."""
    return isinstance(kind, types.Array) and bool(kind.dtype == dtype and kind.ndim == 1 and kind.layout == "C")


def _call(body: str, text: str, context: Any, builder: Any, signature: Any, args: Any) -> Any:
    """A call of ``body``, whose text is linked to what is being compiled."""
    desc, begin, end = args
    if isinstance(signature.args[0], types.Array):
        desc = context.make_array(signature.args[0])(context, builder, desc).data
    library = context.codegen().create_library(body)
    # Numba's own way, ``add_llvm_module`` and ``finalize``, would optimise this, and make machine code of it.
    library._final_module.link_in(llvm.parse_assembly(text))
    library._finalized = True
    context.active_code_library.add_linking_library(library)
    kinds = [context.get_value_type(kind) for kind in KERNEL.args]
    function = ir.Function(builder.module, ir.FunctionType(ir.IntType(32), kinds), body)
    return builder.call(function, [desc, begin, end])


class TypedFunction(NamedTuple):
    """A Python function as Numba reads it, in SSA form, before it is lowered: basic blocks of statements
    (``numba_ir``) by label, each after those that lead to it but for ways back; the type of each variable; the loops,
    as sets of labels by that of the first."""

    blocks: dict[int, Any]
    types: dict[str, Any]
    loops: dict[int, frozenset[int]]
    location: Any


@register_pass(mutates_CFG=False, analysis_only=True)
class _Typed(AnalysisPass):  # type: ignore[misc]
    """The last pass: what there is is the result."""

    _name = "nbgrad_typed"

    def __init__(self) -> None:
        AnalysisPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        blocks, flow = state.func_ir.blocks, compute_cfg_from_blocks(state.func_ir.blocks)
        loops = {header: frozenset(loop.body) for header, loop in flow.loops().items()}
        ordered = {label: blocks[label] for label in _reverse_postorder(flow)}
        state.cr = TypedFunction(ordered, dict(state.typemap), loops, state.func_ir.loc)
        return True


def _reverse_postorder(flow: Any) -> list[int]:
    """Numba's ``topo_order`` may put a block before one that leads to it."""
    found: list[int] = []
    seen = {flow.entry_point()}
    stack = [(flow.entry_point(), iter(sorted([label for label, _ in flow.successors(flow.entry_point())])))]
    while stack:
        label, successors = stack[-1]
        following = next((x for x in successors if x not in seen), None)
        if following is None:
            found.append(label)
            stack.pop()
        else:
            seen.add(following)
            stack.append((following, iter(sorted([x for x, _ in flow.successors(following)]))))
    return found[::-1]


class _FrontEnd(compiler.CompilerBase):  # type: ignore[misc]
    """Nothing here looks at the value of a global or of a closure's variable."""

    def define_pipelines(self) -> list[Any]:
        passes = PassManager("nbgrad")
        for one in (
            untyped_passes.TranslateByteCode,
            untyped_passes.FixupArgs,
            untyped_passes.IRProcessing,
            untyped_passes.GenericRewrites,
            untyped_passes.ReconstructSSA,
            typed_passes.NopythonTypeInference,
            _Typed,
        ):
            passes.add_pass(one, one.__name__)
        passes.finalize()
        return [passes]


@global_compiler_lock  # type: ignore[untyped-decorator]
def typed_function(function: Callable[..., Any], kinds: Sequence[Any]) -> TypedFunction:
    """``function`` of arguments of Numba's types ``kinds``; one of REFUSALS where Numba has no types for it."""
    context, typing = _context(), registry.cpu_target.typing_context
    made = compiler.compile_extra(typing, context, function, tuple(kinds), None, _flags(), {}, pipeline_class=_FrontEnd)
    assert isinstance(made, TypedFunction)
    return made


def said_by(refusal: Exception, with_places: bool = True) -> str:
    """What Numba says, in one line, without where in its own pipeline it says so."""
    left_out = ("Failed in ", "During: ") if with_places else ("Failed in ", "During: ", "File ")
    said = [line.strip() for line in str(refusal).partition(". Raised from ")[0].splitlines()]
    return " ".join([line for line in said if line and not line.startswith(left_out)])


def python_function(value: Any) -> Callable[..., Any] | None:
    """The Python function that ``@njit`` or ``@vectorize`` made ``value`` of; None where it is nothing of these."""
    made = value._dispatcher if isinstance(value, DUFunc) else value if isinstance(value, CPUDispatcher) else None
    function: Callable[..., Any] | None = getattr(made, "py_func", None)
    return function


class GuardedDispatcher(CPUDispatcher):  # type: ignore[misc]
    """What ``@njit(nogil=True)`` makes of ``function``, for types of arguments that ``refusal`` says "" of. For others
    its text becomes an error: in ``@njit`` code Numba's, at the line of the call; in Python, ``refuse`` raises one of
    the values."""

    def __init__(
        self, function: Callable[..., Any], refusal: Callable[[Sequence[Any]], str], refuse: Callable[..., None]
    ) -> None:
        super().__init__(function, targetoptions={"nopython": True, "nogil": True})
        self._refusal, self._refuse = refusal, refuse

    def compile(self, sig: Any) -> Any:
        """Numba asks for the function of these types here: where ``@njit`` code calls it, and from Python the first
        time."""
        kinds, _ = sigutils.normalize_signature(sig)
        if text := self._refusal(kinds):
            raise numba.TypingError(text)
        return super().compile(sig)

    def _compile_for_args(self, *args: Any, **kws: Any) -> Any:
        self._refuse(*[x.value if isinstance(x, OmittedArg) else x for x in args])
        return super()._compile_for_args(*args, **kws)

    def _reduce_states(self) -> Any:
        raise TypeError(
            f"{self.__name__} cannot be pickled: addresses of this process are in it; make it where it is needed"
        )


def cuda_dispatcher(x: Any) -> Any:
    """``x``, or what it configures, where that is a ``@cuda.jit`` function; else None."""
    module = sys.modules.get("numba.cuda.dispatcher")  # nobody has one without
    found = getattr(x, "dispatcher", x)
    return found if module is not None and isinstance(found, module.CUDADispatcher) else None


def cuda_simulated(function: Any) -> Any:
    """A ``@cuda.jit`` function, and those that it calls, as numba-cuda's simulator runs them, in Python."""
    from numba.cuda.simulator.kernel import FakeCUDAKernel

    made: dict[Any, Any] = {}

    def simulated(x: Any, is_called: bool = True) -> Any:
        if cuda_dispatcher(x) is None:
            return x
        if x not in made:
            own = x.py_func
            scope, cells = dict(own.__globals__), [CellType(cell.cell_contents) for cell in own.__closure__ or ()]
            copy = FunctionType(own.__code__, scope, own.__name__, own.__defaults__, tuple(cells))
            made[x] = FakeCUDAKernel(copy, is_called)
            for cell in cells:
                cell.cell_contents = simulated(cell.cell_contents)
            for name in own.__code__.co_names:
                if name in scope:
                    scope[name] = simulated(scope[name])
        return made[x]

    return simulated(function, False)

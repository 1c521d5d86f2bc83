"""The rest of Numba's private API that is used: what a second lowering of the same typed function needs
(``nbgrad/numba/differentiate``). ``numba_target.py`` has what compiles kernels."""

from __future__ import annotations

import functools
from typing import Any

from llvmlite.binding import Linkage, parse_assembly
from numba.core import callconv as callconv
from numba.core import cgutils as cgutils
from numba.core import compiler as compiler
from numba.core import errors as errors
from numba.core import registry as registry
from numba.core import typing as typing
from numba.core.codegen import JITCodeLibrary, JITCPUCodegen
from numba.core.compiler_lock import global_compiler_lock as global_compiler_lock
from numba.core.compiler_machinery import register_pass as register_pass
from numba.core.cpu import CPUContext as CPUContext
from numba.core.datamodel import default_manager as default_manager
from numba.core.datamodel import models as models
from numba.core.datamodel.manager import DataModelManager as DataModelManager
from numba.core.lowering import Lower as Lower
from numba.core.registry import CPUDispatcher as CPUDispatcher
from numba.core.runtime.context import NRTContext as NRTContext
from numba.core.runtime.nrtdynmod import _meminfo_struct_type
from numba.core.typed_passes import BaseNativeLowering as BaseNativeLowering
from numba.core.typed_passes import NativeLowering as NativeLowering
from numba.np.arrayobj import _empty_nd_impl
from numba.np.arrayobj import populate_array as populate_array
from numba.np.numpy_support import as_dtype as as_dtype
from numba.np.ufunc.dufunc import DUFunc as DUFunc

empty_array = _empty_nd_impl
meminfo_struct = _meminfo_struct_type


class _Linked(JITCodeLibrary):  # type: ignore[misc]
    """Code that is linked to its caller's, and optimised and made machine code of there alone."""

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalized = True


class _Called(_Linked):
    """The same for code that stands there once. (What ``add_function_attribute`` of llvmlite 0.46 says, it says of the
    result.)"""

    def add_ir_module(self, ir_module: Any) -> None:
        for function in ir_module.functions:
            if not function.is_declaration:
                function.attributes.add("noinline")
        super().add_ir_module(ir_module)


class _LinkedCodegen(JITCPUCodegen):  # type: ignore[misc]
    _library_class = _Linked


class _CalledCodegen(JITCPUCodegen):  # type: ignore[misc]
    _library_class = _Called


@functools.cache
def linked_codegen(is_called: bool = False) -> Any:
    """What a target compiles with whose code is called by nobody but what it is linked to (``no_compile``), where it is
    inlined unless it ``is_called``."""
    return (_CalledCodegen if is_called else _LinkedCodegen)("nbgrad.linked")


def optimized_text(library: Any) -> str:
    """The code of a library and of all that it is linked to, optimised, without vectors. Nothing is said there of what
    a function may touch, so that its text can be changed: LLVM infers that of no function that could be another's."""
    library._ensure_finalized()
    module = library._final_module.clone()
    known = [x for x in module.functions if not x.is_declaration and x.linkage == Linkage.external]
    for function in known:
        function.linkage = Linkage.weak_odr
    passes, builder = library._codegen._module_pass_manager(loop_vectorize=False, slp_vectorize=False)
    passes.run(module, builder)
    for function in known:
        function.linkage = Linkage.external
    return str(module)


def library_with(text: str, like: Any) -> Any:
    """A library with this code instead of ``like``'s."""
    made = like._codegen.create_library(like.name)
    module = parse_assembly(text)
    module.verify()
    made._final_module.link_in(module)
    if hasattr(like, "_reload_init"):  # from Numba 0.63 on
        made._reload_init.update(like._reload_init)
    return made


def link(context: Any, made: Any) -> None:
    """Link what ``context`` compiles just now to code that was ``made`` before."""
    context.active_code_library.add_linking_library(made.library)

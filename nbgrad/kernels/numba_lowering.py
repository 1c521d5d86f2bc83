"""The rest of Numba's private API that is used: what a second lowering of the same typed function needs
(``nbgrad/numba/differentiate``). ``numba_target.py`` has what compiles kernels."""

from __future__ import annotations

import functools
from typing import Any

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
from numba.core.typed_passes import BaseNativeLowering as BaseNativeLowering
from numba.core.typed_passes import NativeLowering as NativeLowering
from numba.np.arrayobj import populate_array as populate_array
from numba.np.numpy_support import as_dtype as as_dtype
from numba.np.ufunc.dufunc import DUFunc as DUFunc


class _Linked(JITCodeLibrary):  # type: ignore[misc]
    """Code that is linked to its caller's, and made machine code of there alone."""

    def _finalize_final_module(self) -> None:
        self._finalized = True


class _LinkedAsWritten(_Linked):
    """The same, and optimised there alone. A function that records is optimised before, too: it runs a fifth faster."""

    def _optimize_final_module(self) -> None:
        pass


class _LinkedCodegen(JITCPUCodegen):  # type: ignore[misc]
    _library_class = _Linked


class _LinkedAsWrittenCodegen(JITCPUCodegen):  # type: ignore[misc]
    _library_class = _LinkedAsWritten


@functools.cache
def linked_codegen(is_optimized: bool) -> Any:
    """What a target compiles with whose code is called by nobody but what it is linked to (``no_compile``)."""
    return (_LinkedCodegen if is_optimized else _LinkedAsWrittenCodegen)("nbgrad.linked")


def link(context: Any, made: Any) -> None:
    """Link what ``context`` compiles just now to code that was ``made`` before."""
    context.active_code_library.add_linking_library(made.library)

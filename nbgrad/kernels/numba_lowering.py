"""The rest of Numba's private API that is used: what a second lowering of the same typed function needs
(``nbgrad/numba/differentiate``). ``numba_target.py`` has what compiles kernels."""

from __future__ import annotations

from numba.core import callconv as callconv
from numba.core import cgutils as cgutils
from numba.core import compiler as compiler
from numba.core import errors as errors
from numba.core import registry as registry
from numba.core import typing as typing
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

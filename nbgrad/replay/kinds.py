"""The kinds of objects that a compiled function may read, as data: all others are unknown.

``docs/compile.md`` describes them, and shows the lists of functions; a test keeps those alike.
"""

from __future__ import annotations

import builtins
import collections
import functools
import itertools
import operator
import re
import types
from array import array
from typing import Any, Final

import numpy as np

from nbgrad.backends.cuda import get_float32_matmul_precision
from nbgrad.config import are_deterministic_algorithms_enabled
from nbgrad.device import get_default_device
from nbgrad.runtime.pool import get_num_threads

MOST_ITEMS: Final = 1024  # of one container; more is data
MOST_BYTES: Final = 8 * MOST_ITEMS
MOST_OBJECTS: Final = 1 << 14  # that one function reaches
OPAQUE: Final = frozenset(["nbgrad", "numpy"])  # whose Python code is not looked into: this list says what it reads


def names_in(text: str) -> frozenset[str]:
    """The words of a list."""
    return frozenset(text.split())


VALUES: Final = frozenset(
    [type(None), bool, int, float, complex, str, bytes, type(...), type(NotImplemented), range, slice]
)
HELD: Final = frozenset(  # nothing of them can change
    [re.Pattern, re.Match, types.GenericAlias, types.UnionType, types.CodeType, np.dtype]
)
CONTAINERS: Final = frozenset(
    [
        *(list, tuple, dict, set, frozenset, collections.OrderedDict, collections.defaultdict, collections.deque),
        collections.Counter,
    ]
)
PARTS: Final[dict[type, tuple[str, ...]]] = {  # what they consist of
    slice: ("start", "stop", "step"),
    types.MethodType: ("__func__", "__self__"),
    property: ("fget", "fset", "fdel"),
    **dict.fromkeys((staticmethod, classmethod), ("__func__",)),
    functools.cached_property: ("func",),
    functools.partial: ("func", "args", "keywords"),
}
DATA: Final = frozenset([bytearray, array, np.ndarray])
BASES: Final = frozenset(  # which classes may be made of
    [object, int, float, complex, str, bytes, *CONTAINERS, types.SimpleNamespace]
)
TYPES: Final = frozenset(  # written in C, that may be called, and asked about
    [
        *(*BASES, *VALUES, *HELD, *DATA, type, property, staticmethod, classmethod, super, functools.partial),
        *(enumerate, zip, map, filter, reversed, types.MethodType, types.FunctionType),
        *(types.GeneratorType, types.BuiltinFunctionType, types.ModuleType),
        *[x for x in vars(itertools).values() if isinstance(x, type)],
        operator.itemgetter,
        *[x for x in vars(builtins).values() if isinstance(x, type) and issubclass(x, BaseException)],
    ]
)
DESCRIPTORS: Final = (
    *(types.MethodDescriptorType, types.WrapperDescriptorType, types.GetSetDescriptorType),
    *(types.MemberDescriptorType, types.ClassMethodDescriptorType, type(collections.namedtuple("_", "x").x), np.ufunc),  # type: ignore[attr-defined]
)

SETTINGS: Final = frozenset(  # of ours, asked for what they say
    [get_num_threads, get_float32_matmul_precision, get_default_device, are_deterministic_algorithms_enabled]
)
BUILTINS: Final = names_in(
    "abs all any bin bool callable chr delattr divmod format getattr hasattr hash hex isinstance issubclass "
    "iter len max min next oct ord pow repr round setattr sorted sum vars __build_class__"
)
PURE: Final[dict[str, frozenset[str] | None]] = {  # functions in C by module; None: all
    "builtins": BUILTINS,
    "math": None,
    "cmath": None,
    "_operator": None,
    "_heapq": None,
    "_bisect": None,
    "_functools": frozenset(["reduce"]),
    "_abc": frozenset(["_abc_instancecheck", "_abc_subclasscheck"]),
    "_struct": frozenset(["pack", "unpack"]),
}
NUMPY: Final = names_in(  # besides universal functions, types and constants
    "all allclose amax amin any append arange argmax argmin argsort argwhere around array array_equal asarray "
    "astype ascontiguousarray atleast_1d atleast_2d atleast_3d average bincount broadcast_to c_einsum clip "
    "column_stack concatenate copy cov cross cumprod cumsum diag diagonal diff digitize dot dstack dtype einsum "
    "empty empty_like eye expand_dims flip float_power full full_like geomspace histogram hstack identity "
    "indices inner interp isclose isin kron linalg linspace logspace max mean median meshgrid min moveaxis "
    "nan_to_num ndarray ndim newaxis nonzero norm ones ones_like outer pad percentile prod ptp quantile ravel "
    "repeat reshape roll rot90 round searchsorted shape size sort split sqrt squeeze stack std sum swapaxes "
    "take tensordot tile trace transpose trapezoid tri tril triu unique unravel_index unwrap vander var vdot "
    "vstack where zeros zeros_like det eig eigh eigvals eigvalsh inv lstsq matrix_rank pinv qr slogdet solve "
    "svd cholesky issubdtype result_type can_cast promote_types finfo iinfo"
)
# Attributes of tensors that say more than what is bound.
TENSOR_STATE: Final = names_in(
    "_backward_hooks _base _is_view _version data_ptr grad_fn is_shared output_nr register_hook storage "
    "storage_offset untyped_storage"
)
# Attributes that lead out of what can be followed: of frames, code and the like; special ones; what reads by itself.
_RUNNING: Final = (types.CodeType, types.FrameType, types.TracebackType, types.GeneratorType, types.CoroutineType)
FORBIDDEN: Final = TENSOR_STATE.union(
    [name for kind in _RUNNING for name in vars(kind) if "_" in name[1:3] and name[0] != "_"],
    names_in(
        "__abstractmethods__ __annotate__ __base__ __bases__ __basicsize__ __builtins__ __closure__ __code__ "
        "__defaults__ __delattr__ __dictoffset__ __dir__ __flags__ __getattr__ __getattribute__ __getstate__ "
        "__globals__ __itemsize__ __kwdefaults__ __loader__ __mro__ __objclass__ __prepare__ __reduce__ __reduce_ex__ "
        "__self_class__ __setattr__ __sizeof__ __spec__ __subclasses__ __subclasshook__ __text_signature__ "
        "__thisclass__ __weakrefoffset__ _co_code_adaptive _varname_from_oparg cache_info cache_parameters "
        "cell_contents format format_map mro"
    ),
)
# Where nothing else is called, numbers may be of a class of their own: no C code asks what class they are of.
OF_NUMBERS: Final = BUILTINS - names_in("bin callable chr divmod format hash hex oct ord vars __build_class__")
TYPES_OF_NUMBERS: Final = TYPES - frozenset([type, complex, bytes, *DATA, *HELD])
CODE_OF_NUMBERS: Final = names_in(  # of the standard library, which asks for no class
    "_collections_abc abc argparse collections contextlib dataclasses enum functools logging reprlib types typing"
)
TO_PLAIN: Final = names_in(  # methods of a class that have to give plain numbers
    "__index__ __int__ __float__ __complex__ __len__ __length_hint__ __hash__ __bool__ __round__ __trunc__"
)
FUNCTION_ATTRIBUTES: Final = ("__name__", "__qualname__", "__doc__", "__module__", "__annotations__", "__type_params__")


def is_special(name: object) -> bool:
    """Whether Python itself calls methods of this name."""
    return isinstance(name, str) and name.startswith("__") and name.endswith("__")


def is_pure(function: Any) -> bool:
    """Whether a function written in C gives the same for the same, and does nothing else."""
    module, name = function.__module__ or "", function.__name__
    if module.partition(".")[0] == "numpy":
        return name in NUMPY
    allowed = PURE.get(module, frozenset())
    return allowed is None or name in allowed


# Who calls functions that are given to it, or attributes by their names: also where it is known by another name.
BY_NAME: Final = (getattr, hasattr, setattr, delattr, vars)


def is_a(x: Any, kind: Any) -> bool:
    """``isinstance`` that asks the object nothing: it may have a ``__class__`` of its own."""
    return issubclass(type(x), kind)


def is_ours(c: type) -> bool:
    return c.__module__.partition(".")[0] == "nbgrad"


def functions_of(member: Any) -> list[types.FunctionType]:
    """The functions behind a member of a class: itself, or those of a property, a class method and the like."""
    parts = [getattr(member, part) for part in PARTS.get(type(member), ())]
    return [f for f in (member, *parts) if isinstance(f, types.FunctionType)]

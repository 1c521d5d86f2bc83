"""The functions outside of a module that differentiated code may call: a list."""

from __future__ import annotations

import re
from typing import Any, Final

from nbgrad.numba.differentiate.refusal import A_CALL, refuse

_ELEMENTARY: Final = (
    "acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp2 expm1 fabs floor fmod frexp "
    "hypot ldexp lgamma log log10 log1p log2 nextafter pow round sin sinh sqrt tan tanh tgamma trunc"
)
ALLOWED: Final = re.compile(
    "|".join(
        (
            r"llvm\..*",
            rf"(numba_)?({'|'.join(_ELEMENTARY.split())}|gamma)f?",
            r"numba_(fixed_fmod|fptoui|sdiv|srem|udiv|urem|cpow|cpowf)f?",
            r"NRT_\w+|printf",  # memory that Numba counts, and says so with NUMBA_DEBUG_NRT
            # of the text of an error, and of print
            r"PyErr_(SetString|SetNone|Clear|WriteUnraisable)|PyUnicode_(FromKindAndData|FromString)|PyObject_Hash",
            r"PyTuple_Pack|PyBytes_FromStringAndSize|PyLong_From(LongLong|UnsignedLongLong)|Py_DecRef",
            r"Py(Float_FromDouble|Complex_FromDoubles|Object_Str|Unicode_AsUTF8|Sys_FormatStdout)",
            r"malloc|free|madvise|memcpy|memset|memmove|memcmp",
            r"numba_(unpickle|runtime_build_excinfo_struct|do_raise|gil_ensure|gil_release|attempt_nocopy_reshape)",
            r"numba_(get_np_random_state|get_py_random_state|rnd_shuffle|rnd_init)",
            r"numba_(list|dict)_\w+",
            r"_ZN?\S*NumbaEnv\S*|\.const\..*|nbgrad_(at_rest|record|record_twice)",
        )
    )
)


_ours: Final[dict[int, Any]] = {}  # libraries of this room's own helpers, with what they call


def trust(library: Any) -> None:
    """Take what a helper of this room is linked to."""
    _ours[id(library)] = library


def refuse_unknown(library: Any) -> None:
    """Refuse code that calls, with all that is linked to it, a function which is not on the list."""
    declared: set[str] = set()
    defined: set[str] = set()
    known, waiting = {id(library)}, [library]
    while waiting:
        one = waiting.pop()
        for function in one._final_module.functions:
            if not function.is_declaration:
                defined.add(function.name)
            elif id(one) not in _ours:
                declared.add(function.name)
        for linked in () if id(one) in _ours else one._linking_libraries:
            if id(linked) not in known:
                known.add(id(linked))
                waiting.append(linked)
    for name in sorted(declared - defined):
        if not ALLOWED.fullmatch(name):
            refuse(f"{A_CALL}{name}, which knows nothing of derivatives", "write it as an @njit function")

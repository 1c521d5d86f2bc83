"""``@njit`` functions of this room's own: linked to their callers, or machine code that is made once in a process."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

from numba import types
from numba.extending import intrinsic

from nbgrad.kernels.numba_linking import link, linked_codegen
from nbgrad.kernels.numba_target import compiler, global_compiler_lock, registry


@global_compiler_lock  # type: ignore[untyped-decorator]
def compiled_helper(
    function: Callable[..., Any], kinds: Sequence[Any], error_model: str = "python", is_called: bool = False
) -> Any:
    """What Numba makes of ``function``, as ever, but for its caller alone; made once for all callers if it
    ``is_called``. With the error model that most of the user's functions have, Numba takes what it compiled of its own
    for them."""
    context = registry.cpu_target.target_context.subtarget(_internal_codegen=linked_codegen(is_called))
    flags = compiler.Flags()
    flags.no_cpython_wrapper = flags.no_cfunc_wrapper = flags.no_compile = flags.nrt = True
    flags.error_model = error_model
    given = tuple([types.unliteral(kind) for kind in kinds])
    return compiler.compile_extra(registry.cpu_target.typing_context, context, function, given, None, flags, {})


def linked(made: Any) -> Any:
    """What an intrinsic gives that is a call of what was ``made``."""

    def written(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        link(context, made)
        return context.call_internal(builder, made.fndesc, made.signature, args)

    return made.signature, written


def helper(function: Callable[..., Any]) -> Any:
    """``function`` for ``@njit`` code; ``made`` of it compiles it for types, once."""

    @functools.cache
    def made(*kinds: Any) -> Any:
        return compiled_helper(function, kinds, is_called=True)

    def call(typing: Any, *kinds: Any) -> Any:
        return linked(made(*map(types.unliteral, kinds)))

    found = with_parameters(function, call)
    found.made = made
    return found


def with_parameters(function: Callable[..., Any], call: Callable[..., Any]) -> Any:
    """The intrinsic that ``call`` types, with the name and parameters of ``function``: Numba does not hand over
    arguments of any number."""
    known = inspect.signature(function).parameters.values()
    typing = inspect.Parameter("typing", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    call.__signature__ = inspect.Signature([typing, *known])  # type: ignore[attr-defined]
    call.__name__ = function.__name__
    return intrinsic(call)

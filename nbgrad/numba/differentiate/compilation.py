"""The second lowering: a Python function through Numba's front end, and through its lowering with one of our
targets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from nbgrad.kernels.numba_linking import WrittenDispatcher, library_with, link, optimized_text
from nbgrad.kernels.numba_target import (
    BaseNativeLowering,
    CPUDispatcher,
    Lower,
    NativeLowering,
    compiler,
    global_compiler_lock,
    register_pass,
    registry,
)
from nbgrad.numba.differentiate.groups import with_entries
from nbgrad.numba.differentiate.refusal import located, refuse
from nbgrad.numba.differentiate.symbols import refuse_unknown, trust
from nbgrad.numba.differentiate.tape_calls import library as tape_library

_OPTIONS: Final = ("error_model",)  # of the user's that say what is computed


class _Key(NamedTuple):
    function: Any
    kinds: tuple[Any, ...]
    target: Any
    options: tuple[tuple[str, Any], ...]


_made: Final[dict[_Key, Any]] = {}
_programs: Final[dict[str, Any]] = {}
_under_way: Final[list[_Key]] = []  # under Numba's lock


class _Lower(Lower):  # type: ignore[misc]
    """Knows the line of what goes wrong."""

    def lower_inst(self, inst: Any) -> None:
        self.builder.statement = self.loc, self.func_ir.func_id.func_name
        try:
            super().lower_inst(inst)
        except Exception as error:
            found = located(error, self.loc)
            if found is error:
                raise
            raise found from error


@register_pass(mutates_CFG=True, analysis_only=False)
class _ActiveLowering(BaseNativeLowering):  # type: ignore[misc]
    _name = "nbgrad_active_lowering"

    @property
    def lowering_class(self) -> Any:
        return _Lower


class _Compiler(compiler.CompilerBase):  # type: ignore[misc]
    """Numba's passes, but the last but one."""

    def define_pipelines(self) -> list[Any]:
        passes = compiler.DefaultPassBuilder.define_nopython_pipeline(self.state)
        ours = compiler.PassManager("nbgrad_differentiate")
        for one, what in passes.passes:
            ours.add_pass(_ActiveLowering if one is NativeLowering else one, what)
        ours.finalize()
        return [ours]


@global_compiler_lock  # type: ignore[untyped-decorator]
def program(made: Any) -> Any:
    """``made``, which nobody calls but a driver, with entries for its records; ``sweep_name`` sweeps through them."""
    name = made.fndesc.llvm_func_name
    if name not in _programs:
        text = with_entries(optimized_text(made.library), f'"{sweep_name(made)}"')
        library = library_with(text, made.library, [name, sweep_name(made)])
        library.add_linking_library(tape_library())
        _programs[name] = made._replace(library=library)
    return _programs[name]


def sweep_name(made: Any) -> str:
    return f"nbgrad_sweep.{made.fndesc.llvm_func_name}"


@global_compiler_lock  # type: ignore[untyped-decorator]
def compiled(function: Callable[..., Any], kinds: Sequence[Any], target: Any, options: dict[str, Any]) -> Any:
    """What Numba's compiler makes of ``function`` for a target of ours: nothing executable, a library to be linked."""
    key = _key(function, kinds, target, options)
    if key not in _made:
        flags = compiler.Flags()
        flags.no_cpython_wrapper = flags.no_cfunc_wrapper = flags.no_compile = flags.nrt = True
        flags.error_model = dict(key.options)["error_model"] or "python"
        context = target.refreshed()
        _under_way.append(key)
        try:
            made = compiler.compile_extra(
                registry.cpu_target.typing_context, context, function, key.kinds, None, flags, {}, None, _Compiler
            )
        finally:
            _under_way.pop()
        refuse_unknown(made.library)
        _made[key] = made
    return _made[key]


def _key(function: Any, kinds: Sequence[Any], target: Any, options: dict[str, Any]) -> _Key:
    """What was not said of a function that is called is as of its caller, as with Numba."""
    inherited = dict(_under_way[-1].options) if _under_way else {}
    said = tuple([(name, options.get(name, inherited.get(name))) for name in _OPTIONS])
    return _Key(function, tuple(kinds), target, said)


def call_bare(
    context: Any, base: Any, builder: Any, function: Callable[..., Any], sig: Any, args: Any, errors: str = "numpy"
) -> Any:
    """Call a Python function in the bare world of ``context``, where a division by 0 gives infinity, unless ``errors``
    says otherwise; ``base`` is that target outside of any function."""
    result = sig.return_type
    key = _Key(function, sig.args, type(context), (("result", result),))
    if key not in _made:
        flags = compiler.Flags()
        flags.no_cpython_wrapper = flags.no_cfunc_wrapper = flags.no_compile = flags.nrt = True
        flags.error_model = errors
        _made[key] = compiler.compile_extra(context.typing_context, base, function, sig.args, result, flags, {})
        trust(_made[key].library)  # a rule's
    link(context, _made[key])
    return context.call_internal(builder, _made[key].fndesc, sig, args)


def twin_of(context: Any, dispatcher: Any, sig: Any) -> Any:
    """``twin`` of what an ``@njit`` function is made of."""
    if isinstance(dispatcher, WrittenDispatcher):
        refuse(
            "a gradient inside of what is differentiated", "use nbgrad.numba.differentiate_hvp for second derivatives"
        )
    if type(dispatcher) is not CPUDispatcher:
        refuse(f"{getattr(dispatcher, '__name__', dispatcher)}, which runs Python", "leave out object mode")
    if dispatcher.locals:
        refuse(f"{dispatcher.__name__}, which declares types of variables (locals=)", "convert values instead")
    return twin(context, dispatcher.py_func, sig, dispatcher.targetoptions)


def twin(context: Any, function: Callable[..., Any], sig: Any, options: dict[str, Any]) -> Any:
    """How a call of a function is lowered that is itself compiled for this target."""
    key = _key(function, sig.args, type(context), options)
    if key in _under_way:
        if _under_way[-1] != key:
            refuse("functions that call each other", "write a loop, or one function that calls itself")
        return lambda builder, args, loc=None: context.call_internal(builder, context.fndesc, sig, args)
    made = compiled(function, sig.args, type(context), options)
    result = made.signature.return_type
    if result != sig.return_type and context.typing_context.can_convert(result, sig.return_type) is None:
        refuse(f"{function.__name__}, which gives {result} and not {sig.return_type}", "call it with other arguments")

    def call(builder: Any, args: Any, loc: Any = None) -> Any:
        link(context, made)
        given = [
            context.cast(builder, x, kind, wanted)
            for x, kind, wanted in zip(args, sig.args, made.fndesc.argtypes, strict=True)
        ]
        found = context.call_internal(builder, made.fndesc, made.signature, given)
        return context.cast(builder, found, result, sig.return_type)

    return call

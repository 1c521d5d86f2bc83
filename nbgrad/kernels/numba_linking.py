"""What a second lowering of a typed function needs (nbgrad/numba/differentiate): libraries that are linked, called or
written as text, in Numba's own CPU target."""

from __future__ import annotations

import copy
import uuid
from collections.abc import Callable, Sequence
from typing import Any

import llvmlite.binding as llvm
from numba import types

from nbgrad.kernels.numba_target import (
    CPUDispatcher,
    FunctionCompiler,
    JITCodeLibrary,
    Linked,
    OmittedArg,
    callconv,
    compiler,
    registry,
    typing,
)


def _run_passes(library: Any, level: int, *more: str) -> None:
    passes, builder = library._codegen._module_pass_manager(opt=level)
    for name in more:
        getattr(passes, f"add_{name}_pass")()
    passes.run(library._final_module, builder)


def _codegen_with(library_class: Any) -> Any:
    """Numba's, and its engine, with libraries of another class."""
    codegen = copy.copy(registry.cpu_target.target_context.codegen())
    codegen._library_class = library_class
    return codegen


def _hide(module: Any, seen: Sequence[str]) -> None:
    """Keep functions to a module but those that are ``seen``. Where a process, or a file, has two of one name, LLVM's
    loader takes the first for both, and it looks names up that a module keeps to itself, too."""
    own = uuid.uuid4().hex
    for function in list(module.functions):
        if not function.is_declaration and function.name not in seen:
            function.linkage = llvm.Linkage.internal
            function.name = f"{function.name}.{own}"


class _Written(JITCodeLibrary):  # type: ignore[misc]
    """A text that only calls what was optimised before it was linked: what is to be inlined is, and then cleaned up.
    O3, which Numba runs twice, and O1 take up to a third of what compiling takes altogether, and give the same
    times."""

    entry = ""  # the function's name; "" for what Numba compiles of its own for it

    def _optimize_functions(self, ll_module: Any) -> None:
        ll_module.data_layout = self._codegen._data_layout

    def _optimize_final_module(self) -> None:
        _run_passes(self, 0, "sroa", "instruction_combine", "simplify_cfg")

    def _get_module_for_linking(self) -> Any:
        """With what it calls: ``@njit`` functions of the user's may be kept on disk. Only the function itself can be
        seen there: Numba gives the same name to others in another process."""
        own = super()._get_module_for_linking()
        if not self.entry:
            return own
        whole = own.clone()
        for called in _called_by(self):
            whole.link_in(called.whole(), preserve=True)
        _hide(whole, [self.entry])
        return whole


class _Writing(FunctionCompiler):  # type: ignore[misc]
    """Asks for the function at each new types of arguments."""

    write: Callable[..., Any]

    def _compile_core(self, args: Sequence[Any], return_type: Any) -> Any:
        kinds = [typing.typeof.typeof(x.value) if isinstance(x, types.Omitted) else x for x in args]
        flags, target = compiler.Flags(), self.targetdescr
        target.options.parse_as_flags(flags, self.targetoptions)
        context = target.target_context.subtarget(_internal_codegen=_codegen_with(_Written))
        written = self.write(*kinds)
        written.__qualname__ += f"_{uuid.uuid4().hex}"  # see ``_Written``
        made = compiler.compile_extra(target.typing_context, context, written, args, return_type, flags, {})
        made.library.entry = made.fndesc.llvm_func_name
        return made


class WrittenDispatcher(CPUDispatcher):  # type: ignore[misc]
    """An ``@njit`` function with the parameters of ``function``, and for the types of a call the body of what ``write``
    makes for them; ``refuse`` sees the values of a call from Python before. ``remake`` makes it anew where it is
    unpickled."""

    def __init__(
        self,
        function: Callable[..., Any],
        options: dict[str, Any],
        write: Callable[..., Any],
        refuse: Callable[..., None],
        remake: Callable[[], Any],
    ) -> None:
        super().__init__(function, targetoptions={"nopython": True, **options})
        self._compiler = _Writing(function, self.targetdescr, self.targetoptions, {}, compiler.Compiler)
        self._compiler.write = write
        self._refuse, self._remake = refuse, remake

    def _compile_for_args(self, *args: Any, **kws: Any) -> Any:
        self._refuse(*[x.value if isinstance(x, OmittedArg) else x for x in args], *kws.values())
        return super()._compile_for_args(*args, **kws)

    def __reduce__(self) -> Any:
        return self._remake, ()


class _Called(JITCodeLibrary):  # type: ignore[misc]
    """Machine code that is made once, and called by all that is linked to it. It runs a few times in a call, and is not
    worth being unrolled. (What ``add_function_attribute`` of llvmlite 0.46 says, it says of the result.)"""

    def __init__(self, codegen: Any, name: str) -> None:
        super().__init__(codegen, name)
        codegen._library_class = Linked  # what Numba compiles of its own for it

    def add_ir_module(self, ir_module: Any) -> None:
        for function in ir_module.functions:
            if not function.is_declaration:
                function.attributes.add("noinline")
                function.attributes.add("optsize")
        super().add_ir_module(ir_module)

    def _optimize_final_module(self) -> None:
        _run_passes(self, 1)

    def _get_module_for_linking(self) -> Any:
        return llvm.parse_assembly(str(self._codegen._create_empty_module(self.name)))

    def whole(self) -> Any:
        """Its code, for what has to stand alone."""
        return super()._get_module_for_linking()


class _Shipped(_Called):
    """Of a text that was simplified when the package was built."""

    def _optimize_final_module(self) -> None:
        pass


def called_library(name: str, text: str) -> Any:
    """The machine code of ``text``, made once, for what is linked to it."""
    made = _codegen_with(_Shipped).create_library(name)
    made._final_module.link_in(llvm.parse_assembly(text))
    made.finalize()
    return made


def _called_by(library: Any) -> list[_Called]:
    """The machine code that is called by a library and by all that it is linked to."""
    found: dict[Any, None] = {library: None}
    waiting = [library]
    while waiting:
        for one in waiting.pop()._linking_libraries:
            if one not in found:
                found[one] = None
                waiting.append(one)
    return [one for one in found if isinstance(one, _Called)]


def linked_codegen(is_called: bool = False) -> Any:
    """What a target compiles a function with whose code is called by nobody but what it is linked to (``no_compile``),
    where it is inlined unless it ``is_called``."""
    return _codegen_with(_Called if is_called else Linked)


def optimized_text(library: Any) -> str:
    """The code of a library and of all that it is linked to, optimised, without vectors. Nothing is said there of what
    a function may touch, so that its text can be changed: LLVM infers that of no function that could be another's."""
    library._ensure_finalized()
    module = library._final_module.clone()
    known = [x for x in module.functions if not x.is_declaration and x.linkage == llvm.Linkage.external]
    for function in known:
        function.linkage = llvm.Linkage.weak_odr
    passes, builder = library._codegen._module_pass_manager(loop_vectorize=False, slp_vectorize=False)
    passes.run(module, builder)
    for function in known:
        function.linkage = llvm.Linkage.external
    return str(module)


def library_with(text: str, like: Any, seen: Sequence[str]) -> Any:
    """A library with this code instead of ``like``'s, of which others call the functions ``seen``."""
    made = like._codegen.create_library(like.name)
    module = llvm.parse_assembly(text)
    module.verify()
    _hide(module, seen)
    made._final_module.link_in(module)
    for called in _called_by(like):
        made.add_linking_library(called)
    if hasattr(like, "_reload_init"):  # from Numba 0.63 on
        made._reload_init.update(like._reload_init)
    return made


def link(context: Any, made: Any) -> None:
    """Link what ``context`` compiles just now to code that was ``made`` before."""
    context.active_code_library.add_linking_library(made.library)


def exception_status(convention: Any, builder: Any, code: Any, described: Any) -> Any:
    """Numba's status of a call that raised, of its words."""
    pointer = builder.inttoptr(described, callconv.excinfo_ptr_t)
    return convention._get_return_status(builder, builder.trunc(code, callconv.errcode_t), pointer)

"""Functions as the LLVM text that Numba makes of them, the same for all machines: what the package ships.

Numba types and lowers; LLVM's passes that know nothing of a machine take Numba's way of calling and of raising errors
apart; what older LLVMs cannot read goes. It takes seconds: nothing but builds and tests imports this. NUMBA_OPT=0, from
before Numba is imported, keeps Numba from optimising for this machine.
"""

from __future__ import annotations

import itertools
import re
import sys
from collections.abc import Callable, Mapping
from typing import Any, Final

import llvmlite
import llvmlite.binding as llvm
import numba

# A table of jumps is memory, and so may be what a loop becomes a call of: a loader may put both out of the reach of
# code (see ``Engine``).
_ATTRIBUTES: Final = 'nounwind "no-jump-tables"="true" "no-builtins"'
_DEFINED: Final = re.compile(r"^(define .*\)).*\{$", re.MULTILINE)
_AT_CALLS: Final = re.compile(r" #\d+$", re.MULTILINE)  # that what is called shall not be inlined
# Integers wrap, which Numba denies for some.
_NO_WRAP: Final = re.compile(r"\b(add|sub|mul|shl) (?:nuw |nsw )+")
# What newer LLVMs write and older ones do not read, and what else is not needed.
_NEWER: Final = re.compile(
    r" captures\(none\)| nocapture\b| initializes\(\([^)]*\)\)| range\(i\d+ [^)]*\)|\b(?:samesign|nneg|disjoint|tail) "
    r"| (?:noundef|nonnull|noalias|writeonly|readonly|readnone|writable|dead_on_unwind|nofree|returned)\b"
    r"| (?:local_)?unnamed_addr\b|(?<=getelementptr )(?:inbounds |nuw |nusw )+|(?<=trunc )(?:nuw |nsw )+"
    r"|, !\S+ !\d+| #\d+(?=(?:, !.*| \{)?$)| +; preds = .*$",
    re.MULTILINE,
)
_DROPPED: Final = ("target ", "source_filename", "attributes ", "!", ";")
_MANGLED: Final = re.compile(r'@"?_ZN[\w.$]+"?')
_LOCAL: Final = re.compile(r"%([-\w.$]+|\"[^\"]*\")|^([-\w.$]+|\"[^\"]*\")(?=:$)", re.MULTILINE)


def text_of(functions: Mapping[str, tuple[Callable[..., Any], Any]], *, inlined: bool) -> str:
    """LLVM text that defines C functions: for each name what it does and its Numba signature. ``inlined``: what they
    call is part of each."""
    module = llvm.parse_assembly("")
    for name, (function, signature) in functions.items():
        compiled = numba.cfunc(signature, error_model="numpy")(function)
        text = _NO_WRAP.sub(r"\1 ", _with_attributes(compiled.inspect_llvm()))
        if inlined:
            text = _AT_CALLS.sub("", text)
        part = llvm.parse_assembly(text.replace(f"@{compiled.native_name}(", f"@{name}("))
        module.triple, module.data_layout = part.triple, part.data_layout
        module.link_in(part)
    _simplify(module, functions, inlined)
    return f"; {made_by()}\n{_tidy(str(module))}"


def made_by() -> str:
    """What a text depends on besides its source."""
    python = ".".join(map(str, sys.version_info[:2]))
    return f"numba {numba.__version__}, llvmlite {llvmlite.__version__}, Python {python}"


def _with_attributes(text: str) -> str:
    return _DEFINED.sub(rf"\1 {_ATTRIBUTES} {{", text)


def _simplify(module: Any, public: Mapping[str, Any], inlined: bool) -> None:
    """Only ``public`` is seen from outside, and only what it needs is left."""
    for value in itertools.chain(module.functions, module.global_variables):
        if not value.is_declaration and value.name not in public:
            value.linkage = "internal"
            if inlined and value.is_function:
                value.add_function_attribute("alwaysinline")
    machine = llvm.Target.from_triple(module.triple).create_target_machine()
    options = llvm.create_pipeline_tuning_options(speed_level=1)
    options.loop_vectorization = options.slp_vectorization = options.loop_unrolling = options.loop_interleaving = False
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
    unused = llvm.create_new_module_pass_manager()
    unused.add_global_dead_code_eliminate_pass()
    unused.run(module, builder)


def _tidy(text: str) -> str:
    """Without what a machine or a version of LLVM has put in, and with short names."""
    lines = [line for line in text.splitlines() if line and not line.startswith(_DROPPED)]
    lines = [_NEWER.sub("", line) for line in lines if "@llvm.lifetime." not in line]
    lines = [line for line in lines if not line.startswith("declare ") or "@llvm." in line]
    names: dict[str, str] = {}
    text = _with_attributes(_MANGLED.sub(lambda found: _short_name(found[0], names), "\n".join(lines)))
    return "\n".join([_numbered(function) for function in re.split(r"\n(?=define |declare )", text)]) + "\n"


def _numbered(function: str) -> str:
    """The function with its values and blocks named by numbers: Numba's names tell of Python's bytecode."""
    numbers: dict[str, str] = {}

    def number(found: re.Match[str]) -> str:
        name = numbers.setdefault(found[1] or found[2], f"v{len(numbers)}")
        return f"%{name}" if found[1] else name

    return _LOCAL.sub(number, function)


def _short_name(mangled: str, names: dict[str, str]) -> str:
    """The function's name, which Numba's spells with the modules before it."""
    if mangled not in names:
        at, parts = mangled.index("_ZN") + 3, []
        while found := re.match(r"\d+", mangled[at:]):
            at += found.end() + int(found[0])
            parts.append(mangled[at - int(found[0]) : at])
        name = f"@{parts[-1]}"
        names[mangled] = name if name not in names.values() else f"{name}.{len(names)}"
    return names[mangled]

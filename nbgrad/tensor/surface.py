"""From declarations to what the user calls: functions, methods and in-place methods for every entry of CALLS."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any, Final

from nbgrad.autograd.memory_order import laid_out, order_of
from nbgrad.calls.arguments import class_of, kind_of, older_reduction, refused
from nbgrad.calls.base import CALLS, Call
from nbgrad.calls.numpy_names import defaults_of, lines_for, renamed, scope_for
from nbgrad.errors import DTypeError, NbgradError
from nbgrad.graph.dtypes import float32
from nbgrad.graph.layout import contiguous_format
from nbgrad.graph.spec import Spec
from nbgrad.ops.put import is_view_of
from nbgrad.ops.source import input_node
from nbgrad.system.imports import import_module
from nbgrad.tensor.joined import MANY, joined_at_once, stacked_at_once
from nbgrad.trace import (
    as_operand,
    everywhere,
    fast_inplace,
    fast_pair,
    fast_pair_method,
    fast_static,
    fast_unary,
    fast_unary_method,
    local,
    record,
    require_writable,
    tensor_of,
    tensor_types,
    threads,
    use_out,
    write_checked,
)

# Static parameters that the user may also spread over positional arguments: x.reshape(2, 3).
SPREAD = ("shape", "dims", "sizes", "size", "repeats")

# What has no argument ``out``, as PyTorch's; nor has what takes such parameters, and what nn.functional alone has but
# for a few.
_NO_OUT = """
    argsort cdist celu clone conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d cosine_similarity
    count_nonzero cumulative_trapezoid diag_embed diagonal dist flatten index_fill isclose isfinite isinf isnan
    masked_fill masked_scatter moveaxis movedim pixel_shuffle pixel_unshuffle prelu put relu selu squeeze swapaxes
    swapdims t trace trapezoid trapz unsqueeze view_as_complex view_as_real
"""
_WITHOUT_OUT: Final = frozenset(_NO_OUT.split())
_FUNCTIONAL_WITH_OUT: Final = ("avg_pool2d", "avg_pool3d", "gelu", "logsigmoid", "softplus", "softshrink")


def spread(given: tuple[Any, ...], named: Any) -> Any:
    """The sizes of ``x.reshape(2, 3)``, ``x.reshape((2, 3))`` or ``x.reshape(shape=(2, 3))``."""
    if named is not None:
        return named
    if not given:
        return None
    if len(given) == 1 and isinstance(given[0], (list, tuple)):
        return given[0]
    return given


def made_once(make: Callable[[Call], Callable[..., Any]]) -> Callable[[Call], Callable[..., Any]]:
    """``make``, with one result for each call, also where threads ask at the same time: all get the one that was first
    to be kept (``setdefault`` looks and keeps in one step, so no lock is needed)."""
    kept: dict[Call, Callable[..., Any]] = {}

    @functools.wraps(make)
    def one(call: Call) -> Callable[..., Any]:
        found = kept.get(call)
        return kept.setdefault(call, make(call)) if found is None else found

    return one


def into(call: Call, out: Any, *operands: Any, **named: Any) -> Any:
    """The call, whose result is written into ``out``."""
    module = import_module("nbgrad.tensor.out")
    compute = functools.partial(method_of(call), *operands, **module.in_dtype_of(out, call.name, operands, named))
    return module.written(call.name, compute, out)


use_out(lambda call, out, operands: into(call, out, *operands))


@made_once
def function_of(call: Call) -> Callable[..., Any]:
    """``nbgrad.name``: binds and checks arguments as the declaration says and records the call."""
    fast = _fast_of(call)
    made = _compile(call, call.name, _recording(call)) if fast is None else _named(fast[0](call), call)
    return _dressed(made, call)


@made_once
def method_of(call: Call) -> Callable[..., Any]:
    """``Tensor.name``; where it has nothing to bind, it does not look at the tensor that it belongs to."""
    fast = _fast_of(call)
    return function_of(call) if fast is None else _dressed(_named(fast[1](call), call), call, is_method=True)


def _fast_of(call: Call) -> tuple[Callable[[Call], Any], Callable[[Call], Any]] | None:
    """What makes the function and the method of a call that has nothing to bind; None where it has, and the two are
    one: to compile them is a fifth of the import."""
    if not _is_bare(call) or len(call.operands) > 2 or (len(call.operands) == 1 and _is_view(call)):
        return None
    function, method = (fast_unary, fast_unary_method) if len(call.operands) == 1 else (fast_pair, fast_pair_method)
    return function if _takes_out(call) else method, method


def _recording(call: Call) -> str:
    """What records the call: the function made for its kind of arguments, where there is one."""
    if call.name == "flatten":
        return "dims = {statics}\nreturn input if is_one_dim(input, *dims) else with_statics(input, dims)"
    if call.name == "clone":
        alike = "if input._share is not None and (copied := lying_alike(input, memory_format, *{statics})) is not None:"
        return alike + "\n    return copied\nreturn with_statics(input, {statics})"
    if call.name in ("cat", "stack"):
        at_once = f"(made := {call.name}_at_once(parts, *{{statics}})) is not None"
        quickly = f"if len(parts) >= MANY and {at_once}:\n    return made"
        return f"parts = {{operands}}\n{quickly}\nreturn record(call, parts, {{statics}})"
    if not call.variadic and len(call.operands) == 1 and call.statics:
        return f"return with_statics({call.operands[0]}, {{statics}})"
    return "return record(call, {operands}, {statics})"


def _is_one_dim(x: Any, first: int, last: int) -> bool:
    """Whether dims that are to be joined are one: then flatten gives its operand, and no view of it, as PyTorch's."""
    n = len(x._at.spec.shape)
    return -n <= first < n and -n <= last < n and (first - last) % n == 0


def _lying_alike(x: Any, memory_format: Any, _: None) -> Any:
    """A copy of ``x`` that lies in memory as ``x`` does; None where that is row-major, or is to be."""
    plain = memory_format is contiguous_format or local.trace.vmaps
    order = None if plain else order_of(x, with_gaps=True)
    return None if order is None else laid_out(order, x, "clone")


def _takes_out(call: Call) -> bool:
    """Whether the function of a call has an argument ``out``."""
    if call.functional and not (call.function or call.method):
        return call.name in _FUNCTIONAL_WITH_OUT
    is_spread_out = any(is_spread(p) for p in call.parameters.values() if p.name in call.statics)
    return not is_spread_out and call.name not in _WITHOUT_OUT


def _is_bare(call: Call) -> bool:
    """Whether the call takes tensors and nothing else, all of them."""
    return call.operands == call.tensors and not (call.statics or call.variadic or call.optional)


def _named(made: Callable[..., Any], call: Call) -> Callable[..., Any]:
    """A function whose arguments are all operands, with the names that the declaration has for them."""
    code = made.__code__
    names = (*call.operands, *code.co_varnames[len(call.operands) :])
    made.__code__ = code.replace(co_varnames=names, co_name=call.name)
    return made


def checked_operand(call: Call, argument: str, value: Any, *others: Any) -> Any:
    """An operand that is no tensor where the call wants one: None where it may be left out, or a number beside a
    tensor where the call takes numbers there."""
    if value is None and argument in call.optional:
        return None
    if argument in call.tensors or not any(type(x) in tensor_types for x in others):
        tensor_of(call.name, argument, value)
    return value


def several(call: Call, values: Any) -> tuple[Any, ...]:
    """The operands of a call that takes a sequence of tensors."""
    name = call.operands[0]
    if not isinstance(values, (tuple, list)):
        raise refused(call.name, name, values, "tuple of Tensors")
    for place, value in enumerate(values):
        if type(value) not in tensor_types:
            raise DTypeError(
                f"{call.name}(): expected Tensor as element {place} in argument '{name}', but got {class_of(value)}"
            )
    return tuple(values)


def _is_view(call: Call) -> bool:
    """Whether the result shows the operand's memory: tried on a matrix."""
    matrix = input_node(0, Spec.of((2, 3), float32))
    try:
        return is_view_of(call.on((matrix,), ()), matrix)
    except NbgradError:  # it takes no floating matrix: then it computes something
        return False


@made_once
def inplace_of(call: Call) -> Callable[..., Any]:
    """``Tensor.name_``: the same, written into the tensor."""
    first = call.operands[0]
    body = (
        f"{_as_operator(call)}try:\n"
        f"    require_writable(local.trace, {first}, {call.name + '_'!r})\n"
        "except NbgradError:\n"  # what is no argument at all is told first, as in PyTorch
        f"    require_operands({call.name + '_'!r}, call, {{operands}}, {{statics}})\n"
        "    raise\n"
        "with threads.lock:\n"  # what is read here may be written at other places meanwhile
        f"    return write_checked({first}, (call, {{operands}}, {{statics}}), {call.name + '_'!r}{_places(call)})"
    )
    made = _compile(call, call.name + "_", body)
    made.__doc__ = f"In-place version of :meth:`{call.name}`."
    return found_at(made, "nbgrad", f"Tensor.{call.name}_")


def require_operands(name: str, call: Call, operands: tuple[Any, ...], _: Any) -> None:
    """DTypeError where one of ``operands`` is neither a tensor nor a number."""
    for argument, value in zip(call.operands, operands, strict=False):
        if value is not None and as_operand(value) is NotImplemented:
            raise refused(name, argument, value, "Tensor or number")


def _places(call: Call) -> str:
    """Which places the in-place method of a call writes, of those that write one by one."""
    first, *others = call.operands
    if call.name in ("triu", "tril"):
        return f", places=everywhere({first})"
    if call.name not in ("masked_fill", "index_fill", "fill_diagonal"):
        return ""
    operands = ", ".join([f"everywhere({first}, False)()", *others[:-1], "True"])
    return f", places=lambda: record(call, ({operands}), {{statics}})"


def _as_operator(call: Call) -> str:
    """Lines for the in-place method of a call of two operands, which is written like an operator's where nothing else
    is given."""
    if call.statics or call.variadic or len(call.operands) < 2 or not set(call.operands[2:]) <= call.optional:
        return ""
    if call.operands[1] in call.fits:
        return ""
    quickly = f"(written := in_place({', '.join(call.operands[:2])})) is not NotImplemented"
    conditions = [*[f"{name} is None" for name in call.operands[2:]], quickly]
    return f"if {' and '.join(conditions)}:\n    return written\n"


def _dressed(made: Callable[..., Any], call: Call, *, is_method: bool = False) -> Callable[..., Any]:
    made.__doc__ = call.build.__doc__
    is_method = is_method or bool(call.method and not call.function)
    home = "nbgrad.nn.functional" if call.functional and not (call.function or call.method) else "nbgrad"
    return found_at(made, home, f"Tensor.{call.method}" if is_method else call.name)


def found_at(made: Callable[..., Any], module: str, name: str) -> Callable[..., Any]:
    """``made``, which says that it is ``module.name``: by that pickle finds it."""
    made.__module__, made.__qualname__, made.__name__ = module, name, name.rpartition(".")[2]
    return made


def _compile(call: Call, name: str, body: str) -> Callable[..., Any]:
    """A function with the declaration's signature and ``body``; written as source so that binding costs nothing
    extra."""
    scope: dict[str, Any] = {
        "call": call,
        "MANY": MANY,
        "cat_at_once": joined_at_once,
        "checked_operand": checked_operand,
        "into": into,
        "is_one_dim": _is_one_dim,
        "lying_alike": _lying_alike,
        "local": local,
        "older_reduction": older_reduction,
        "one": 1,
        "record": record,
        "NbgradError": NbgradError,
        "refused": refused,
        "require_operands": require_operands,
        "require_writable": require_writable,
        "several": several,
        "stack_at_once": stacked_at_once,
        "spread": spread,
        "tensor_types": tensor_types,
        "threads": threads,
        "everywhere": everywhere,
        "write_checked": write_checked,
    }
    if "in_place(" in body:
        scope["in_place"] = fast_inplace(call, name)
    if "with_statics(" in body:
        scope["with_statics"] = fast_static(call)
    others = renamed(call.parameters)
    defaults = defaults_of(call.parameters, others)
    scope |= scope_for(others, defaults)
    takes_out = name == call.name and _takes_out(call)
    # PyTorch's older arguments of losses stand among the others.
    is_loss = "reduction" in call.statics and call.parameters["reduction"].kind is inspect.Parameter.KEYWORD_ONLY
    heads: list[str] = []
    statics: dict[str, str] = {}
    keyword_only = False
    for p in call.parameters.values():
        if p.name in call.statics:
            statics[p.name] = _checked(name, p, scope)
        if p.name in call.statics and is_spread(p):
            heads += [f"*{p.name}_", f"{p.name}=None"]
            keyword_only = True
            continue
        if p.kind is p.KEYWORD_ONLY and not keyword_only:
            if is_loss and "size_average=None" not in heads:
                heads.append("size_average=None")
            elif not is_loss:
                heads.append("*")
                keyword_only = True
        if is_loss and p.name == "reduction":
            heads.append("reduce=None")
        if p.name in _factors(call):
            heads.append(f"{p.name}=1")
        else:
            heads.append(f"{p.name}=default_{p.name}" if p.name in defaults else p.name)
    if others:
        heads += ["*"] if not keyword_only else []
        heads += [f"{other}=unsaid" for other in others.values()]
    named = lines_for(name, others, defaults)
    if is_loss:
        named += ["if size_average is not None or reduce is not None:"]
        named += ["    reduction = older_reduction(size_average, reduce, reduction)"]
    if takes_out:
        heads += ["out=None"] if keyword_only or others else ["*", "out=None"]
        given = ", ".join([f"{p}={p}" for p in call.parameters])
        named += ["if out is not None:", f"    return into(call, out, {given})"]
    operands = f"several(call, {call.operands[0]})" if call.variadic else f"({_listed(call.operands)})"
    filled = body.format(operands=operands, statics=f"({_listed([statics[n] for n in call.statics])})")
    checks = [*_operand_checks(call), *_factor_checks(call, name)]
    lines = [f"def {name}({', '.join(heads)}):", *named, *checks, *filled.splitlines()]
    exec(compile("\n    ".join(lines) + "\n", f"<nbgrad {name}>", "exec"), scope)
    made: Callable[..., Any] = scope[name]
    return made


def _factors(call: Call) -> list[str]:
    """The operands that are 1 unless given: numbers that something is multiplied by. A declaration has None there."""
    keywords = [p.name for p in call.parameters.values() if p.kind is p.KEYWORD_ONLY]
    return [name for name in keywords if name in call.optional and name in call.fits]


def _factor_checks(call: Call, name: str) -> list[str]:
    """Lines that leave out a factor of 1, and refuse None."""
    lines = []
    for factor in _factors(call):
        lines += [
            f"if {factor} is one:",
            f"    {factor} = None",
            f"elif {factor} is None:",
            f"    raise refused({name!r}, {factor!r}, None, 'Number')",
        ]
    return lines


def is_spread(p: inspect.Parameter) -> bool:
    """Whether the user may write the numbers of this argument one after the other; a ``size: int`` is one number."""
    return p.name in SPREAD and p.annotation != "int"


def _listed(items: Sequence[str]) -> str:
    return "".join([f"{item}, " for item in items])


def _operand_checks(call: Call) -> list[str]:
    """Lines that make sure that operands are tensors where they must be; they cost a look-up where they are."""
    if call.variadic:
        return []
    lines = []
    for name in (call.operands[0], *[n for n in call.tensors if n != call.operands[0]]):
        others = _listed([n for n in call.operands if n != name])
        lines += [
            f"if {name}.__class__ not in tensor_types:",
            f"    {name} = checked_operand(call, {name!r}, {name}, {others})",
        ]
    return lines


def _checked(name: str, p: inspect.Parameter, scope: dict[str, Any]) -> str:
    """An expression for a static argument: itself where its class is one that needs no check (calls/arguments.py)."""
    kind = kind_of(str(p.annotation))
    value = f"spread({p.name}_, {p.name})" if is_spread(p) else p.name
    scope[f"plain_{p.name}"] = kind.plain[0] if len(kind.plain) == 1 else kind.plain
    scope[f"check_{p.name}"] = kind.check
    check = f"check_{p.name}({name!r}, {p.name!r}, {value})"
    if is_spread(p) or not kind.plain:
        return check
    return f"{p.name} if {p.name}.__class__ {'is' if len(kind.plain) == 1 else 'in'} plain_{p.name} else {check}"


class Later:
    """A method of ``tensor`` that ``make`` makes when somebody first asks for it: most programs need few, and to make
    all takes a tenth of the import."""

    __slots__ = ("_make", "_name", "_tensor")

    def __init__(self, tensor: type, name: str, make: Callable[[], Callable[..., Any]]) -> None:
        self._tensor = tensor
        self._name = name
        self._make = make

    def __get__(self, instance: object, owner: type) -> Any:
        made = self._make()
        _LATER[id(made)] = self  # before it is there
        if vars(self._tensor).get(self._name) is self:  # else somebody put another there while this was made
            setattr(self._tensor, self._name, made)
        return made if instance is None else made.__get__(instance, owner)


_LATER: Final[dict[int, Later]] = {}  # by the id of what each made, which ``made_once`` keeps


def lasting_entries(kind: type) -> tuple[Any, ...]:
    """The attributes that a class has itself, each method that was made since as the one who made it: the same before
    and after."""
    return tuple([_LATER.get(id(x), x) for x in type.__dict__["__dict__"].__get__(kind).values()])


def declared_functions() -> dict[str, Call]:
    """What makes all public functions, by name."""
    return {name: call for name, call in CALLS.items() if call.function}


def attach_methods(tensor: type) -> None:
    """Give ``tensor`` the methods that CALLS declares and it does not define itself."""
    own = {*dir(tensor)}
    for name, call in CALLS.items():
        for method, make in ((call.method, method_of), (name + "_" if call.inplace else "", inplace_of)):
            if method and method not in own:
                own.add(method)
                setattr(tensor, method, Later(tensor, method, functools.partial(make, call)))

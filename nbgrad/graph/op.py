"""What an operator is: one record with every rule, and the table of all of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, Final

from nbgrad.errors import DTypeNotImplementedError, MissingRuleError
from nbgrad.graph.spec import Spec
from nbgrad.system.imports import import_module

if TYPE_CHECKING:
    from nbgrad.graph.dtypes import DType
    from nbgrad.graph.node import Node

Params = tuple[Any, ...]  # static arguments: hashable values that enter the signature


class Kind(Enum):
    """How an operator is carried out; the passes and the lowering ask nothing else."""

    SOURCE = "source"  # input, scalar, const, iota: nothing to compute
    MAP = "map"  # element by element; inputs have the output's shape or are 0-d
    VIEW = "view"  # other strides over the same memory
    REDUCE = "reduce"  # axes folded by an associative operation
    LIBRARY = "library"  # a kernel of its own, named by ``lower``
    COMPOSITE = "composite"  # has its own vjp, becomes other operators in ``canonicalize``


# Planning asks for the kind of every node some twenty times; through the class each question takes five times as long.
SOURCE: Final = Kind.SOURCE
MAP: Final = Kind.MAP
VIEW: Final = Kind.VIEW
REDUCE: Final = Kind.REDUCE
LIBRARY: Final = Kind.LIBRARY
COMPOSITE: Final = Kind.COMPOSITE


ON_INTEGERS: Final = "on integers"  # ``can_fail``: it divides
ALWAYS: Final = "always"


@dataclass(frozen=True, slots=True, eq=False)
class Op:
    """One operator: shape rule, derivative, lowering, reference.

    ``infer(specs, params)`` gives the output's Spec. ``vjp(g, y, inputs, params)`` gives one cotangent node (or None)
    per input, made of nodes, so it can be differentiated again. ``emit(b, *values)`` computes one element (or one
    vector of them) over a kernel builder. ``decompose(inputs, params)`` is a composite's published formula.
    ``jvp(y, inputs, tangents)`` gives the tangent of the node ``y`` (None: none), given those of its inputs, which are
    None where there is none; it is needed only where the transpose of ``vjp`` says it in more words, or where a choice
    in ``vjp`` is transposed into a product of 0 and infinity (ops/tangents.py has the rules that records share).
    ``batch(y, inputs, batched, size)`` gives the node ``y`` for many examples (ops/batching.py); maps need none, and
    composites none where their formula will do. ``reference(*arrays, params)`` is NumPy's answer. ``moves``: elements
    are handed on as they lie, or cast; all other operators compute halves in float32 (``apply``). Views and sources
    move by themselves. ``is_for_cpus``: what computes it is code of the CPU's alone.
    ``can_fail``: whether it may find an index out of range, no probability, a condition unmet, a division of integers
    by zero, a matrix that it cannot take apart, or an exception of the user's function. ``is_exact``: NumPy and a
    kernel compute it with the same rounding, as they do not elementary functions. ``is_holomorphic``: it has a complex
    derivative, so ``vjp`` of complex numbers is that of real ones on conjugates (transform/vjp.py).
    """

    name: str
    kind: Kind
    infer: Callable[[tuple[Spec, ...], Params], Spec]
    reference: Callable[..., Any]
    vjp: Callable[[Node, Node, tuple[Node, ...], Params], tuple[Node | None, ...]] | None = None
    emit: Callable[..., Any] | None = None
    decompose: Callable[[tuple[Node, ...], Params], Node] | None = None
    jvp: Callable[[Node, tuple[Node, ...], tuple[Node | None, ...]], Node | None] | None = None
    batch: Callable[[Node, tuple[Node, ...], tuple[bool, ...], int], Node] | None = None
    cost: float = 1.0  # rough nanoseconds for 16 float32 elements, for chunking and for recomputation
    moves: bool = False
    is_for_cpus: bool = False
    can_fail: str = ""
    is_exact: bool = False
    is_holomorphic: bool = False

    def __post_init__(self) -> None:
        if self.kind is VIEW or self.kind is SOURCE:
            object.__setattr__(self, "moves", True)

    def fails_on(self, dtype: DType) -> bool:
        """Whether it may fail where its result is of ``dtype``."""
        return self.can_fail == ALWAYS or (self.can_fail == ON_INTEGERS and dtype.kind != "f")

    def __repr__(self) -> str:
        return f"<op {self.name}>"


OPS: dict[str, Op] = {}
LATER: Final = (
    "fourier",
    "bessel",
    "gamma",
    "gamma_sample",
    "least_squares",
    "number_parts",
    "on_complex",
    "scatter_extreme",
    "scatter_product",
    "special",
    "zeta",
)  # files of operators that few programs use


def define(op: Op) -> Op:
    """Enter ``op`` into the table of operators; a name can be taken once."""
    if op.name in OPS:
        raise ValueError(f"operator {op.name!r} is already defined")
    OPS[op.name] = op
    return op


def lookup(name: str) -> Op:
    """The operator called ``name``."""
    if name not in OPS:  # defined when first used, perhaps in another process than that which asks
        for file in LATER:
            import_module(f"nbgrad.ops.{file}")
    try:
        return OPS[name]
    except KeyError:
        raise MissingRuleError(f"there is no operator {name!r}") from None


# What computes operators on complex numbers, by the parts of these: ops/on_complex.py fills it.
ON_COMPLEX: dict[str, Callable[[Node, tuple[Node, ...]], Node | None]] = {}


def has_complex(node: Node) -> bool:
    """Whether ``node`` takes or gives complex numbers."""
    return node.spec.dtype.is_complex or any([x.spec.dtype.is_complex for x in node.inputs])  # noqa: C419  (faster)


def require_complex(op: Op, spec: Spec, inputs: tuple[Node, ...]) -> None:
    """DTypeNotImplementedError for complex numbers that ``op`` takes or gives where it knows none."""
    found = [x.dtype for x in (spec, *[x.spec for x in inputs]) if x.dtype.is_complex]
    if found:
        lookup("complex")
        if op.name not in ON_COMPLEX:
            raise DTypeNotImplementedError(f"{op.name}: not implemented for {found[0].name}")

"""Derivatives against finite differences."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from nbgrad.autograd.engine import grad
from nbgrad.autograd.forward_ad import dual_level, make_dual, unpack_dual
from nbgrad.autograd.transforms import jvp
from nbgrad.autograd.vmap import vmap
from nbgrad.calls.arguments import items_of
from nbgrad.calls.base import CALLS
from nbgrad.errors import ArgumentError, GradError, RunError, warn_here
from nbgrad.graph.dtypes import float64
from nbgrad.graph.spec import Spec
from nbgrad.system.imports import import_module
from nbgrad.trace import (
    Handle,
    detach,
    from_values,
    record,
    requires_grad,
    set_requires_grad,
    spec_of,
    strides_of,
    values,
)

GradcheckError = GradError  # which PyTorch has for this alone


class UncheckableError(ArgumentError, AssertionError):
    """What gradcheck cannot check, whatever its derivatives are."""


Array = np.ndarray[Any, np.dtype[Any]]


def gradcheck(
    func: Callable[..., Any],
    inputs: Any,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_batched_forward_grad: bool = False,
    check_forward_ad: bool = False,
    check_backward_ad: bool = True,
    fast_mode: bool = False,
    masked: bool | None = None,
) -> bool:
    """Whether the gradients of ``func`` agree with central differences at ``inputs``.

    ``inputs``: a tensor or a tuple; those that require grad are checked and should be float64 (others warn). Every
    element of the Jacobian is compared: |analytical - numerical| <= atol + rtol |numerical|; with ``fast_mode`` one
    random product with it. GradError says where they differ, or False is given without ``raise_exception``.

    ``check_backward_ad``, ``check_forward_ad``: in which modes. ``check_batched_grad``, ``check_batched_forward_grad``:
    also many cotangents, or tangents, at once. ``nondet_tol``: how far two backwards may differ. ``check_grad_dtypes``:
    gradients have the dtypes of their inputs. Outputs are differentiated one by one, so gradients of others are
    undefined: that is always checked, and that a gradient of 0 gives 0. Where no output requires grad, differences have
    to be zero. ``masked`` is for sparse tensors, which there are none of.

    >>> x = nbgrad.tensor([0.5, 1.0], dtype=nbgrad.float64, requires_grad=True)
    >>> nbgrad.autograd.gradcheck(nbgrad.sin, x, check_forward_ad=True)
    True
    """
    if masked:
        raise ArgumentError("gradcheck: masked=True is for sparse tensors, which nbgrad does not have")
    if check_batched_grad and not check_backward_ad:
        raise ArgumentError("Setting check_batched_grad=True requires check_backward_ad to be True")
    if check_batched_forward_grad and not check_forward_ad:
        raise ArgumentError("Setting check_batched_forward_grad=True requires check_forward_ad to be True")
    if not (check_backward_ad or check_forward_ad):
        raise UncheckableError(
            "Expected at least one of check_forward_ad or check_backward_ad to be True: there is nothing to check"
        )
    several = not isinstance(inputs, Handle)
    args = tuple(items_of("gradcheck", "inputs", inputs, "Tensor or sequence of Tensors")) if several else (inputs,)
    func, args = _in_parts(func, args)
    checked = _checked(args)
    compare = _fast_numbers if fast_mode else _jacobians
    try:
        outputs = _tuple(func(*args))
        is_constant = not any(requires_grad(y) for y in outputs)
        for o, y in enumerate(outputs):
            if not (requires_grad(y) or (is_constant and spec_of(y).dtype.is_inexact)):
                continue
            for i in checked:
                one = _One(func, args, o, i, eps, spec_of(y))
                if is_constant:
                    _check_zero(one, atol)
                    continue
                for how, analytical, numerical, scale in compare(one, y, check_backward_ad, check_forward_ad):
                    if not np.allclose(analytical, numerical, rtol=rtol, atol=atol * scale, equal_nan=True):
                        raise GradError(
                            f"{how} mismatch for output {o} with respect to input {i},\n"
                            f"numerical:{numerical}\nanalytical:{analytical}\n"
                        )
                if check_backward_ad:
                    _check_same(one, y, nondet_tol)
                    _check_linear(one, y)
                if check_grad_dtypes:
                    _check_dtype(one, y)
                if check_batched_grad:
                    _check_batched(one, "backward", _rows(y, args[i]), _all_rows(y, args[i]), atol, rtol)
                if check_batched_forward_grad:
                    _check_batched(one, "forward", one.columns(batched=False), one.columns(batched=True), atol, rtol)
    except GradError:
        if raise_exception:
            raise
        return False
    return True


def gradgradcheck(
    func: Callable[..., Any],
    inputs: Any,
    grad_outputs: Any = None,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    gen_non_contig_grad_outputs: bool = False,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_fwd_over_rev: bool = False,
    check_rev_over_rev: bool = True,
    fast_mode: bool = False,
    masked: bool = False,
) -> bool:
    """Whether the second derivatives of ``func`` agree with central differences of the first. ``grad_outputs``: the
    cotangents (None: random ones, of which ``gen_non_contig_grad_outputs`` makes views with gaps). Other arguments as
    those of ``gradcheck``; ``check_rev_over_rev``, ``check_fwd_over_rev``: reverse and forward mode of the gradient."""
    func, args = _in_parts(func, (inputs,) if isinstance(inputs, Handle) else tuple(inputs))
    checked = _checked(args)
    if grad_outputs is None:
        seeds = _random_seeds(_tuple(func(*args)), with_gaps=gen_non_contig_grad_outputs)
    else:
        seeds = tuple([_parts(g) for g in _tuple(grad_outputs)])

    def first(*given: Any) -> tuple[Any, ...]:
        for i in checked:
            if not requires_grad(given[i]):  # a dual
                set_requires_grad(given[i], True)
        outs = [y for y in _tuple(func(*given[: len(args)])) if requires_grad(y)]
        gradients = grad(outs, [given[i] for i in checked], given[len(args) :], create_graph=True, allow_unused=True)
        return tuple([g for g in gradients if g is not None])

    return gradcheck(
        first,
        (*args, *seeds),
        eps=eps,
        atol=atol,
        rtol=rtol,
        raise_exception=raise_exception,
        nondet_tol=nondet_tol,
        check_undefined_grad=check_undefined_grad,
        check_grad_dtypes=check_grad_dtypes,
        check_batched_grad=check_batched_grad,
        check_forward_ad=check_fwd_over_rev,
        check_backward_ad=check_rev_over_rev,
        fast_mode=fast_mode,
        masked=masked,
    )


def _in_parts(func: Callable[..., Any], args: Sequence[Any]) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """``func`` of the parts of complex numbers, which gives those of its results: their derivatives by each other are
    the Jacobian."""
    places = {i for i, x in enumerate(args) if _is_complex(x)}

    def in_parts(*given: Any) -> tuple[Any, ...]:
        whole = [record(CALLS["view_as_complex"], (x,)) if i in places else x for i, x in enumerate(given)]
        return tuple([_parts(y) for y in _tuple(func(*whole))])

    parts = [_parts(x) for x in args]
    for k in places:
        parts[k] = from_values(values(parts[k]), requires_grad=requires_grad(args[k]), place=spec_of(args[k]).place)
    return in_parts, tuple(parts)


def _is_complex(x: Any) -> bool:
    return isinstance(x, Handle) and spec_of(x).dtype.is_complex


def _parts(x: Any) -> Any:
    """Complex numbers as pairs of real ones."""
    if not _is_complex(x):
        return x
    import_module("nbgrad.calls.complex")
    return record(CALLS["view_as_real"], (x,))


def _checked(args: Sequence[Any]) -> list[int]:
    """Which of the inputs are differentiated by."""
    checked = [i for i, x in enumerate(args) if isinstance(x, Handle) and requires_grad(x)]
    if not checked:
        raise ArgumentError("gradcheck expects at least one input tensor to require gradient, but none of them does")
    for i in checked:
        spec = args[i]._at.spec
        if spec is not None and spec.dtype is not float64:
            warn_here(
                f"Input #{i} requires gradient and is not a double precision floating point, but {spec.dtype.name}. "
                "This check will likely fail if all the inputs are not of double precision floating point.",
                UserWarning,
            )
        if any(n > 1 and step == 0 for n, step in zip(spec_of(args[i]).shape, strides_of(args[i]), strict=True)):
            raise RunError(
                f"The {i}th input has a dimension with stride 0: its elements cannot be moved one by one. Call "
                ".contiguous() on it before"
            )
    return checked


class _One:
    """One output as a function of one input."""

    def __init__(self, func: Callable[..., Any], args: Sequence[Any], o: int, i: int, eps: float, spec: Spec) -> None:
        self.func, self.args, self.o, self.i, self.eps, self.spec = func, tuple(args), o, i, eps, spec

    def __call__(self, x: Any) -> Any:
        return _tuple(self.func(*self.args[: self.i], x, *self.args[self.i + 1 :]))[self.o]

    @property
    def x(self) -> Handle:
        return self.args[self.i]  # type: ignore[no-any-return]

    def at(self, moved: Array) -> Array:
        y = self(from_values(moved, requires_grad=True, place=spec_of(self.x).place))
        for name in ("shape", "dtype") if spec_of(self.x).dtype is float64 else ("shape",):  # others move as float64
            if getattr(spec_of(y), name) != getattr(self.spec, name):
                raise UncheckableError(
                    f"Expected `func` to return outputs with the same {name} when inputs are perturbed on index "
                    f"{self.i} by {self.eps}, but got {getattr(self.spec, name)} and {getattr(spec_of(y), name)}"
                )
        return np.array(values(y)).reshape(-1)

    def along(self, way: Array) -> Array:
        """The central difference along a direction: (f(x + eps way) - f(x - eps way)) / (2 eps)."""
        here, step = np.array(values(self.x)), self.eps * way.reshape(spec_of(self.x).shape)
        return (self.at(here + step) - self.at(here - step)) / (2.0 * self.eps)

    def differences(self) -> Array:
        """The Jacobian by central differences."""
        return self._beside([self.along(unit) for unit in np.eye(spec_of(self.x).size)])

    def push(self, way: Array) -> Array:
        """The product of the Jacobian with a direction, by forward mode."""
        with dual_level():
            args = list(self.args)
            for i, x in enumerate(args):
                if isinstance(x, Handle) and requires_grad(x):
                    args[i] = make_dual(detach(x), _like(x, way if i == self.i else np.zeros(spec_of(x).size)))
            tangent = unpack_dual(_tuple(self.func(*args))[self.o]).tangent
            return np.zeros(self.spec.size) if tangent is None else np.array(values(tangent)).reshape(-1)

    def columns(self, *, batched: bool) -> Array:
        """The Jacobian by forward mode, all columns at once or one by one."""
        units = np.eye(spec_of(self.x).size)
        if not batched or not len(units):
            return self._beside([self.push(unit) for unit in units])
        ways = from_values(units.reshape(-1, *spec_of(self.x).shape), float64, place=spec_of(self.x).place)
        moved = vmap(lambda way: jvp(self, (self.x,), (way,))[1])(ways)
        return np.array(values(moved)).reshape(len(units), -1).T

    def _beside(self, columns: Sequence[Array]) -> Array:
        return np.stack(columns, axis=1) if columns else np.zeros((self.spec.size, 0))


def get_numerical_jacobian(
    fn: Callable[[Any], Any], inputs: Any, target: Any = None, eps: float = 1e-3, grad_out: float = 1.0
) -> list[Handle]:
    """The Jacobians of the first output of ``fn``, which takes the tuple ``inputs``, by central differences: of shape
    (inputs, outputs), one for each of ``inputs``, or of those in ``target``, that requires grad."""
    warn_here(
        "`get_numerical_jacobian` was part of PyTorch's private API and not meant to be exposed. Use "
        "autograd.functional.jacobian, or gradcheck",
        FutureWarning,
    )
    if grad_out != 1.0:
        raise ArgumentError("Expected grad_out to be 1.0: get_numerical_jacobian has no other for real numbers")
    args = _tuple(inputs)
    wanted = args if target is None else _tuple(target)
    spec = spec_of(_tuple(fn(args))[0])
    places = [next(k for k, a in enumerate(args) if a is x) for x in wanted if requires_grad(x)]
    found = [_One(lambda *given: fn(given), args, 0, i, eps, spec).differences() for i in places]
    return [from_values(jacobian.T, float64) for jacobian in found]


def _like(x: Handle, flat: Array) -> Handle:
    spec = spec_of(x)
    return from_values(flat.reshape(spec.shape), spec.dtype, place=spec.place)


# In words; what a mode gives; the differences; and by how many times the tolerance of one element they may differ.
Compared = Iterator[tuple[str, Array, Array, float]]
_BACKWARD, _FORWARD = "Jacobian", "Jacobian computed with forward mode"


def _jacobians(one: _One, y: Handle, backward: bool, forward: bool) -> Compared:
    numerical = one.differences()
    if backward:
        yield _BACKWARD, _rows(y, one.x), numerical, 1.0
    if forward:
        yield _FORWARD, one.columns(batched=False), numerical, 1.0


def _fast_numbers(one: _One, y: Handle, backward: bool, forward: bool) -> Compared:
    """u^T J v for one random u and v."""
    rng = np.random.default_rng(0)
    u, v = (_unit(rng.standard_normal(spec_of(t).size)) for t in (y, one.x))
    numerical, scale = np.asarray(u @ one.along(v)), float(abs(u).sum() * abs(v).sum())
    if backward:
        (g,) = grad(y, one.x, _like(y, u), retain_graph=True, allow_unused=True)
        yield _BACKWARD, np.asarray(0.0 if g is None else values(g).reshape(-1) @ v), numerical, scale
    if forward:
        yield _FORWARD, np.asarray(u @ one.push(v)), numerical, scale


def _unit(x: Array) -> Array:
    return x / max(float(np.linalg.norm(x)), 1e-300)


def _check_zero(one: _One, atol: float) -> None:
    """Outputs without a derivative have none by differences."""
    if not np.allclose(numerical := one.differences(), 0.0, rtol=0.0, atol=atol):
        raise GradError(
            f"Numerical gradient for function expected to be zero, as no output requires grad, but output {one.o} "
            f"moves with input {one.i}:\n{numerical}"
        )


def _check_same(one: _One, y: Handle, tolerance: float) -> None:
    seed = _like(y, np.ones(spec_of(y).size))
    first, second = (grad(y, one.x, seed, retain_graph=True, allow_unused=True)[0] for _ in range(2))
    if first is None or second is None:
        return
    if not np.allclose(values(first), values(second), rtol=0.0, atol=tolerance, equal_nan=True):
        raise GradError(
            "Backward is not reentrant, i.e., running backward with same input and grad_output multiple times gives "
            "different values, although analytical gradient matches numerical gradient. The tolerance for "
            f"nondeterminism was {tolerance}."
        )


def _check_linear(one: _One, y: Handle) -> None:
    """Where the cotangent is 0, so is the gradient."""
    (g,) = grad(y, one.x, _like(y, np.zeros(spec_of(y).size)), retain_graph=True, allow_unused=True)
    if g is not None and np.any(values(g)):
        raise GradError(
            f"backward not multiplied by grad_output: where the gradient of output {one.o} is 0, that of input {one.i} "
            f"is {values(g)}"
        )


def _check_dtype(one: _One, y: Handle) -> None:
    (g,) = grad(y, one.x, _like(y, np.ones(spec_of(y).size)), retain_graph=True, allow_unused=True)
    if g is not None and spec_of(g).dtype is not spec_of(one.x).dtype:
        raise GradError(f"the gradient by input {one.i} has dtype {spec_of(g).dtype}, not {spec_of(one.x).dtype}")


def _check_batched(one: _One, mode: str, alone: Array, together: Array, atol: float, rtol: float) -> None:
    if not np.allclose(together, alone, rtol=rtol, atol=atol, equal_nan=True):
        raise GradError(
            f"While computing batched gradients in {mode} mode, got results for output {one.o} with respect to input "
            f"{one.i} that differ from those one by one:\nbatched:{together}\none by one:{alone}\n"
        )


def _random_seeds(outputs: Sequence[Handle], *, with_gaps: bool) -> tuple[Handle, ...]:
    rng = np.random.default_rng(0)
    seeds = []
    for y in outputs:
        if requires_grad(y):
            spec = spec_of(y)
            drawn = rng.standard_normal((*spec.shape, 2) if with_gaps else spec.shape)
            seed = from_values(drawn, float64, place=spec.place)
            if with_gaps:
                seed = detach(record(CALLS["select"], (seed, 0), (len(spec.shape),)))
            set_requires_grad(seed, True)
            seeds.append(seed)
    return tuple(seeds)


def _tuple(result: Any) -> tuple[Any, ...]:
    return (result,) if isinstance(result, Handle) else tuple(result)


def _rows(y: Handle, x: Handle) -> Array:
    """The Jacobian of ``y`` by ``x``, one vjp a row."""
    rows = np.zeros((spec_of(y).size, spec_of(x).size))
    for k, unit in enumerate(np.eye(len(rows))):
        (g,) = grad(y, x, _like(y, unit), retain_graph=True, allow_unused=True)
        if g is not None:
            rows[k] = values(g).reshape(-1)
    return rows


def _all_rows(y: Handle, x: Handle) -> Array:
    """The same, all rows at once."""
    size, spec = spec_of(y).size, spec_of(y)
    seeds = from_values(np.eye(size).reshape(size, *spec.shape), spec.dtype, place=spec.place)
    (g,) = grad(y, x, seeds, retain_graph=True, allow_unused=True, is_grads_batched=True)
    return np.zeros((size, spec_of(x).size)) if g is None else np.array(values(g)).reshape(size, -1)

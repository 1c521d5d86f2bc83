"""L-BFGS: Newton's method with a Hessian that is guessed from the last steps."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import reduce
from itertools import accumulate
from typing import Any

import numpy as np

from nbgrad.autograd import enable_grad, no_grad
from nbgrad.calls.arguments import function_of
from nbgrad.calls.base import CALLS
from nbgrad.errors import ArgumentError, StateError
from nbgrad.functions import tensor
from nbgrad.functions.complex_numbers import view_as_real
from nbgrad.functions.creation import zeros_like
from nbgrad.graph.dtypes import DType, bfloat16, promote
from nbgrad.optim.hooked import profile_hook_step
from nbgrad.optim.line_search import Array, Point, strong_wolfe
from nbgrad.optim.optimizer import Optimizer
from nbgrad.optim.options import Group, check_options, options_of
from nbgrad.tensor import Tensor
from nbgrad.trace import flush, local, record, refuse


class LBFGS(Optimizer):
    """Up to ``max_iter`` steps of limited-memory BFGS in each ``step(closure)``, from ``history_size`` last ones.

    ``closure`` clears the gradients, computes the loss, calls its backward and gives it. Steps have length ``lr``, or
    are searched for with ``line_search_fn="strong_wolfe"``. They end where no gradient is above ``tolerance_grad``,
    where loss or parameters change by less than ``tolerance_change``, or after ``max_eval`` calls of ``closure``. All
    parameters are one group. It compares values, so a compiled function with such a step runs as written; its vectors
    are NumPy's, in the CPU's memory; those of bfloat16 are computed in float32. Source: Liu and Nocedal 1989, "On the
    limited memory BFGS method for large scale optimization"; in PyTorch's form.

    >>> point = nbgrad.tensor([3.0, -1.0], dtype=nbgrad.float64, requires_grad=True)
    >>> optimizer = nbgrad.optim.LBFGS([point], line_search_fn="strong_wolfe")
    >>> def closure():
    ...     optimizer.zero_grad()
    ...     loss = ((point - nbgrad.tensor([1.0, 2.0])) ** 2).sum()
    ...     loss.backward()
    ...     return loss
    >>> optimizer.step(closure)
    tensor(13., dtype=nbgrad.float64, grad_fn=<SumBackward0>)
    >>> point
    tensor([1.0000, 2.0000], dtype=nbgrad.float64, requires_grad=True)
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1,
        max_iter: int = 20,
        max_eval: int | None = None,
        tolerance_grad: float = 1e-7,
        tolerance_change: float = 1e-9,
        history_size: int = 100,
        line_search_fn: str | None = None,
    ) -> None:
        max_eval = max_iter * 5 // 4 if max_eval is None else max_eval
        super().__init__(params, options_of(locals()))
        if len(self.param_groups) != 1:
            raise ArgumentError("LBFGS doesn't support per-parameter options (parameter groups)")

    def _check(self, group: Group) -> None:
        check_options("LBFGS", group)

    def _form(self, group: Group) -> tuple[bool, ...]:
        return ()  # it is never compiled

    @profile_hook_step
    def step(self, closure: Callable[[], Any]) -> Any:  # type: ignore[override]  # as in PyTorch
        """Minimise what ``closure`` computes; gives the loss before the first step."""
        refuse("LBFGS.step() compares values")
        function_of("LBFGS.step", "closure", closure)
        with no_grad():
            return self._minimise(enable_grad()(closure), self.param_groups[0])

    def _minimise(self, closure: Callable[[], Any], group: Group) -> Any:
        if group["line_search_fn"] not in (None, "strong_wolfe"):
            raise StateError("only 'strong_wolfe' is supported")
        lr, least, dtype = float(group["lr"]), group["tolerance_change"], self._dtype()
        state = self.state[group["params"][0]]
        state.setdefault("func_evals", 0)
        state.setdefault("n_iter", 0)
        n_evals = 1
        first, loss, grad = self._evaluated(closure)
        state["func_evals"] += 1
        if _largest(grad) <= group["tolerance_grad"]:
            return first
        for i in range(1, group["max_iter"] + 1):
            state["n_iter"] += 1
            d = _rounded(_direction(state, grad, group["history_size"], dtype), dtype)
            t = lr if state["n_iter"] > 1 else lr * (1.0 / max(1.0, float(np.abs(grad).sum())))
            before = Point(0.0, loss, grad, _dot(grad, d))
            state.update(d=d, t=t, prev_flat_grad=grad, prev_loss=loss)
            if before.slope > -least:
                break
            n_new = 0
            if group["line_search_fn"] is not None:
                most = group["max_eval"] - n_evals
                state["t"], loss, grad, n_new = self._search(closure, d, before, t, most)
                t = state["t"]
            else:
                for param, part in zip(self._params(), self._parts(d), strict=True):
                    param.add_(part, alpha=t)
                if i < group["max_iter"]:  # nobody asks for the loss behind the last step
                    _, loss, grad = self._evaluated(closure)
                    n_new = 1
            n_evals += n_new
            state["func_evals"] += n_new
            is_still = _largest(d) * t <= least or abs(loss - before.loss) < least
            if n_evals >= group["max_eval"] or _largest(grad) <= group["tolerance_grad"] or is_still:
                break
        return first

    def _evaluated(self, closure: Callable[[], Any]) -> tuple[Any, float, Array]:
        """The loss, also as a number, and all gradients as one vector: complex ones are in it with their parts."""
        flush(local.trace)  # what the closure records is one structure, whatever wrote the parameters: planned once
        loss = closure()
        parts = [zeros_like(p) if p.grad is None else p.grad for p in self._params()]
        parts = [view_as_real(part) if part.is_complex() else part for part in parts]
        flat: Tensor = record(CALLS["cat"], [part.reshape(-1) for part in parts], (0,)).cpu()
        return loss, float(loss), _array_of(flat)

    def state_dict(self) -> dict[str, Any]:
        """State and options as PyTorch has them: the vectors are tensors."""
        state = super().state_dict()
        dtype = self._dtype()
        state["state"] = {i: {k: _as_tensors(v, dtype) for k, v in x.items()} for i, x in state["state"].items()}
        return state

    def _loaded(self, value: Any, param: Tensor, key: str) -> Any:
        if isinstance(value, Tensor):
            return float(value) if value.dim() == 0 else _array_of(value.detach().to(self._dtype()))
        if isinstance(value, (list, tuple)):
            return [self._loaded(x, param, key) for x in value]
        return value

    def _dtype(self) -> DType:
        """What the dtypes of all parameters, or of their parts, promote to: that of the vectors."""
        return reduce(promote, [p.dtype.to_real() for p in self._params()])

    def _parts(self, d: Array) -> list[Tensor]:
        """The piece of ``d`` for each parameter."""
        params = self._params()
        sizes = [p.numel() * (2 if p.is_complex() else 1) for p in params]
        pieces = [d[end - size : end] for size, end in zip(sizes, accumulate(sizes), strict=True)]
        return [_shaped_as(p, piece) for p, piece in zip(params, pieces, strict=True)]

    def _search(
        self, closure: Callable[[], Any], d: Array, before: Point, t: float, most: int
    ) -> tuple[float, float, Array, int]:
        """Go as far along ``d`` as ``strong_wolfe`` says: how far, loss and gradient there, and how many evaluations
        that took."""
        params, parts = self._params(), self._parts(d)
        origin = [p.clone() for p in params]

        def go(t: float) -> None:
            for param, start, part in zip(params, origin, parts, strict=True):
                param.copy_(start.add(part, alpha=t))

        def evaluate(t: float) -> Point:
            go(t)
            _, loss, grad = self._evaluated(closure)
            return Point(t, loss, grad, _dot(grad, d))

        found, count = strong_wolfe(evaluate, before, t, _largest(d), most)
        go(found.t)
        return found.t, found.loss, found.grad, count


def _shaped_as(param: Tensor, piece: Array) -> Tensor:
    """A tensor like ``param`` of these elements, or of these parts of complex elements."""
    if param.is_complex():
        piece = piece.view(np.result_type(piece, np.complex64))
    return tensor(piece.reshape(param.shape), dtype=param.dtype, device=param.device)


def _as_tensors(value: Any, dtype: DType) -> Any:
    if isinstance(value, list):
        return [_as_tensors(x, dtype) for x in value]
    return tensor(value, dtype=dtype) if isinstance(value, np.ndarray) else value


def _array_of(x: Tensor) -> Array:
    """A copy of its elements: in float32 where NumPy has not their dtype."""
    return (x.float() if x.dtype is bfloat16 else x).cpu().numpy().copy()


def _rounded(x: Array, dtype: DType) -> Array:
    """What ``dtype`` can keep of ``x``, whose own dtype is another where NumPy has not that one."""
    return _array_of(tensor(x, dtype=dtype)) if dtype is bfloat16 else x


def _largest(x: Array) -> float:
    return float(np.abs(x).max())


def _dot(x: Array, y: Array) -> float:
    """Their inner product: the same bits whatever threads and libraries NumPy has."""
    return float((x * y).sum())


def _direction(state: dict[str, Any], grad: Array, history_size: int, dtype: DType) -> Array:
    """Minus the inverse of the guessed Hessian times ``grad``, after the last step has gone into the guess."""
    if state["n_iter"] == 1:
        state.update(old_dirs=[], old_stps=[], ro=[], H_diag=1.0)
        return -grad
    changes, steps, weights = state["old_dirs"], state["old_stps"], state["ro"]
    change, step = [_rounded(x, dtype) for x in (grad - state["prev_flat_grad"], state["d"] * state["t"])]
    if (curvature := _dot(change, step)) > 1e-10:
        for kept, new in ((changes, change), (steps, step), (weights, 1.0 / curvature)):
            if len(kept) == history_size:
                kept.pop(0)
            kept.append(new)
        state["H_diag"] = curvature / _dot(change, change)
    shares: list[float] = []
    q = -grad
    for y, s, weight in zip(reversed(changes), reversed(steps), reversed(weights), strict=True):
        shares.append(_dot(s, q) * weight)
        q -= y * shares[-1]
    q *= state["H_diag"]
    for y, s, weight, share in zip(changes, steps, weights, reversed(shares), strict=True):
        q += s * (share - _dot(y, q) * weight)
    return q

"""L-BFGS: Newton's method with a Hessian that is guessed from the last steps."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from nbgrad.autograd import enable_grad, no_grad
from nbgrad.calls.arguments import function_of
from nbgrad.calls.base import CALLS
from nbgrad.errors import ArgumentError, StateError
from nbgrad.functions.creation import zeros_like
from nbgrad.optim.hooked import profile_hook_step
from nbgrad.optim.line_search import Point, strong_wolfe
from nbgrad.optim.optimizer import Optimizer
from nbgrad.optim.options import Group, check_options, options_of
from nbgrad.tensor import Tensor
from nbgrad.trace import record, refuse


class LBFGS(Optimizer):
    """Up to ``max_iter`` steps of limited-memory BFGS in each ``step(closure)``, from ``history_size`` last ones.

    ``closure`` clears the gradients, computes the loss, calls its backward and gives it. Steps have length ``lr``, or
    are searched for with ``line_search_fn="strong_wolfe"``. They end where no gradient is above ``tolerance_grad``,
    where loss or parameters change by less than ``tolerance_change``, or after ``max_eval`` calls of ``closure``. It
    compares values, so a compiled function with such a step runs as written. All parameters are one group. Source: Liu
    and Nocedal 1989, "On the limited memory BFGS method for large scale optimization"; in PyTorch's form.

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
        lr, least = float(group["lr"]), group["tolerance_change"]
        state = self.state[group["params"][0]]
        state.setdefault("func_evals", 0)
        state.setdefault("n_iter", 0)
        first = closure()
        loss, grad, n_evals = float(first), self._gradient(), 1
        state["func_evals"] += 1
        if _largest(grad) <= group["tolerance_grad"]:
            return first
        for i in range(1, group["max_iter"] + 1):
            state["n_iter"] += 1
            d = _direction(state, grad, group["history_size"])
            t = lr if state["n_iter"] > 1 else lr * min(1.0, 1.0 / float(grad.abs().sum()))
            before = Point(0.0, loss, grad, float(grad.dot(d)))
            state.update(d=d, t=t, prev_flat_grad=grad, prev_loss=loss)
            if before.slope > -least:
                break
            n_new = 0
            if group["line_search_fn"] is not None:
                found, n_new = strong_wolfe(
                    self._along(closure, d), before, t, _largest(d), group["max_eval"] - n_evals
                )
                t, loss, grad, _ = found
                state["t"] = t
                self._move(t, d)
            else:
                self._move(t, d)
                if i < group["max_iter"]:  # nobody asks for the loss behind the last step
                    loss, grad, n_new = float(closure()), self._gradient(), 1
            n_evals += n_new
            state["func_evals"] += n_new
            is_still = _largest(d) * t <= least or abs(loss - before.loss) < least
            if n_evals >= group["max_eval"] or _largest(grad) <= group["tolerance_grad"] or is_still:
                break
        return first

    def _gradient(self) -> Tensor:
        """The gradients of all parameters as one vector of its own memory."""
        parts = [zeros_like(p) if p.grad is None else p.grad for p in self._params()]
        flat: Tensor = record(CALLS["cat"], [part.reshape(-1) for part in parts], (0,)).clone()
        return flat

    def _move(self, t: float, d: Tensor) -> None:
        sizes = [p.numel() for p in self._params()]
        for param, part in zip(self._params(), d.split(sizes), strict=True):
            param.add_(part.reshape(param.shape), alpha=t)

    def _along(self, closure: Callable[[], Any], d: Tensor) -> Callable[[float], Point]:
        """What gives the point after a step along ``d``, and takes the step back."""
        params = self._params()
        origin = [p.clone() for p in params]

        def evaluate(t: float) -> Point:
            self._move(t, d)
            loss, grad = float(closure()), self._gradient()
            for param, value in zip(params, origin, strict=True):
                param.copy_(value)
            return Point(t, loss, grad, float(grad.dot(d)))

        return evaluate


def _largest(x: Tensor) -> float:
    return float(x.abs().max())


def _direction(state: dict[str, Any], grad: Tensor, history_size: int) -> Tensor:
    """Minus the inverse of the guessed Hessian times ``grad``, after the last step has gone into the guess."""
    if state["n_iter"] == 1:
        state.update(old_dirs=[], old_stps=[], ro=[], H_diag=1.0)
        return -grad
    changes, steps, weights = state["old_dirs"], state["old_stps"], state["ro"]
    change, step = grad - state["prev_flat_grad"], state["d"] * state["t"]
    if (curvature := float(change.dot(step))) > 1e-10:
        for kept, new in ((changes, change), (steps, step), (weights, 1.0 / curvature)):
            if len(kept) == history_size:
                kept.pop(0)
            kept.append(new)
        state["H_diag"] = curvature / float(change.dot(change))
    shares: list[float] = []
    q = -grad
    for y, s, weight in zip(reversed(changes), reversed(steps), reversed(weights), strict=True):
        shares.append(float(s.dot(q)) * weight)
        q.add_(y, alpha=-shares[-1])
    q.mul_(state["H_diag"])
    for y, s, weight, share in zip(changes, steps, weights, reversed(shares), strict=True):
        q.add_(s, alpha=share - float(y.dot(q)) * weight)
    return q

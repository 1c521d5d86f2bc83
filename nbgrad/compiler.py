"""``nbgrad.compiler``: what functions say about how ``nbgrad.compile`` takes them."""

from __future__ import annotations

import functools
from typing import Any

from nbgrad.nn import Module
from nbgrad.trace import local, refuse

__all__ = ["disable", "is_compiling"]


def disable(fn: Any = None, recursive: bool = True, *, reason: str | None = None) -> Any:
    """``fn``, a function or a module, that is run by Python wherever it is called: also a decorator.

    A compiled function that calls it is recorded at each call; with ``fullgraph=True`` it is refused, with ``reason``.
    ``recursive`` is accepted: nothing that ``fn`` calls is compiled either.

    >>> import nbgrad as nb
    >>> @nb.compiler.disable
    ... def shown(x):
    ...     print(x.tolist())
    ...     return x
    >>> double = nb.compile(lambda x: shown(x * 2))
    >>> _ = [double(nb.ones(1) * k) for k in range(4)]
    [0.0]
    [2.0]
    [4.0]
    [6.0]
    """
    if fn is None:
        return functools.partial(disable, recursive=recursive, reason=reason)
    if isinstance(fn, Module):
        fn.forward = disable(fn.forward, recursive, reason=reason)  # type: ignore[method-assign]
        return fn
    why = f"{getattr(fn, '__qualname__', fn)} is disabled by compiler.disable" + (f": {reason}" if reason else "")

    @functools.wraps(fn)
    def plain(*args: Any, **kwargs: Any) -> Any:
        refuse(why)
        return fn(*args, **kwargs)

    return plain


def is_compiling() -> bool:
    """Whether what runs now is recorded by ``nbgrad.compile``, to be run again; not so in what is disabled."""
    watcher = local.trace.watcher
    return watcher is not None and watcher.problem is None

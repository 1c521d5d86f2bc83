"""no_grad, enable_grad, set_grad_enabled, inference_mode: context managers, decorators, functions. Per thread."""

from __future__ import annotations

import functools
import inspect
import threading
from collections.abc import Callable, Generator
from contextlib import ContextDecorator
from typing import Any, TypeVar, cast

from nbgrad.calls.arguments import flag_of
from nbgrad.errors import warn_here
from nbgrad.trace import get_mode, local, switch

F = TypeVar("F", bound=Callable[..., Any])


class _Mode:
    """A grad mode for a ``with`` block or a decorated function. Re-entrant."""

    _before: tuple[Any, ...] = ()  # the mode before, and what this was before that

    def _wanted(self, grad_enabled: bool, inference: bool) -> tuple[bool, bool]:
        raise NotImplementedError

    def _clone(self) -> _Mode:
        return type(self)()

    def __enter__(self) -> None:
        trace = local.trace
        grad_enabled, inference = trace.grad_enabled, trace.inference
        self._before = grad_enabled, inference, self._before
        try:
            grad_enabled, inference = self._wanted(grad_enabled, inference)
            switch(grad_enabled, inference)
        except BaseException:  # Ctrl-C: no __exit__ will follow
            self.__exit__()
            raise

    def __exit__(self, kind: object = None, error: object = None, traceback: object = None) -> None:
        grad_enabled, inference, self._before = self._before
        try:
            switch(grad_enabled, inference)
        except BaseException:
            switch(grad_enabled, inference)
            raise

    def __call__(self, function: F) -> F:
        """Run ``function`` in this mode; a generator function runs every stretch of its body in it."""
        if inspect.isclass(function):
            warn_here(
                f"Decorating classes is deprecated: {type(self).__name__.strip('_')} makes a function of "
                f"{function.__name__}. Decorate its __init__, or what else shall run in this mode",
                FutureWarning,
            )
        if inspect.isgeneratorfunction(function):
            return cast(F, self._generator(function))

        @functools.wraps(function)
        def inside(*args: Any, **kwargs: Any) -> Any:
            with self._clone():
                return function(*args, **kwargs)

        return cast(F, inside)

    def _generator(self, function: Any) -> Any:
        @functools.wraps(function)
        def inside(*args: Any, **kwargs: Any) -> Generator[Any, Any, Any]:
            generator = function(*args, **kwargs)
            advance: Callable[[], Any] = functools.partial(next, generator)
            while True:
                with self._clone():
                    try:
                        item = advance()
                    except StopIteration as end:
                        return end.value
                try:
                    sent = yield item
                    advance = functools.partial(generator.send, sent)
                except GeneratorExit:
                    with self._clone():
                        generator.close()
                    raise
                except BaseException as error:
                    advance = functools.partial(generator.throw, error)

        return inside


class _Fixed(_Mode):
    """A mode that says nothing else: its class decorates a function without being called before."""

    def __new__(cls, function: Any = None) -> Any:
        made = super().__new__(cls)
        return made if function is None else made(function)


class no_grad(_Fixed):
    """Record nothing for differentiation: results do not require grad, in-place writes keep the history.

    >>> x = nbgrad.ones(2, requires_grad=True)
    >>> with nbgrad.no_grad():
    ...     y = x * 2
    >>> y.requires_grad
    False
    """

    def _wanted(self, grad_enabled: bool, inference: bool) -> tuple[bool, bool]:
        return False, inference


class enable_grad(_Fixed):
    """Record for differentiation, also inside ``no_grad``."""

    def _wanted(self, grad_enabled: bool, inference: bool) -> tuple[bool, bool]:
        return not inference, inference


class set_grad_enabled(_Mode):
    """Switch recording for differentiation on or off: at once as a function, until its end as a ``with`` block."""

    def __init__(self, mode: bool) -> None:
        self.mode = flag_of("set_grad_enabled", "mode", mode)
        super().__enter__()

    def _clone(self) -> _Mode:
        return set_grad_enabled(self.mode)

    def _wanted(self, grad_enabled: bool, inference: bool) -> tuple[bool, bool]:
        return self.mode and not inference, inference

    def __enter__(self) -> None:
        """The mode was set when the object was made."""

    def __call__(self, function: F) -> F:
        self.__exit__()  # as a decorator it must not act where it stands
        return super().__call__(function)


class inference_mode(_Mode):
    """``no_grad`` whose results can never be part of a derivative; ``mode=False`` leaves an outer one."""

    def __new__(cls, mode: Any = True) -> Any:
        return cls()(mode) if callable(mode) else super().__new__(cls)

    def __init__(self, mode: Any = True) -> None:
        self.mode = mode is not False

    def _clone(self) -> _Mode:
        return inference_mode(self.mode)

    def _wanted(self, grad_enabled: bool, inference: bool) -> tuple[bool, bool]:
        if self.mode:
            return False, True
        return (True, False) if inference else (grad_enabled, inference)


class _Threads(threading.local):
    """Whether the user has said that backwards may run on several threads."""

    are_several = True


_threads = _Threads()


class set_multithreading_enabled(ContextDecorator):
    """Nothing, for programs that ask for it: code of the user's that a backward calls runs in the thread that called
    it, whatever ``mode`` says. What it computes is shared among ``nbgrad.get_num_threads()`` threads."""

    def __init__(self, mode: bool) -> None:
        self.mode = flag_of("set_multithreading_enabled", "mode", mode)
        self._before, _threads.are_several = _threads.are_several, self.mode

    def __enter__(self) -> None: ...

    def __exit__(self, *_: object) -> None:
        _threads.are_several = self._before

    def _recreate_cm(self) -> set_multithreading_enabled:
        return set_multithreading_enabled(self.mode)


def is_multithreading_enabled() -> bool:
    """What ``set_multithreading_enabled`` was told last on this thread."""
    return _threads.are_several


def is_grad_enabled() -> bool:
    """Whether operations on this thread are recorded for differentiation."""
    return get_mode()[0]


def is_inference_mode_enabled() -> bool:
    """Whether this thread is inside ``inference_mode``."""
    return get_mode()[1]

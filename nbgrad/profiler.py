"""nbgrad.profiler: what ran, and how long it took: kernels as they are, with the operators that each has inside.

Nothing is attributed that was not measured. A kernel that computes ten operators of three lines is one row with these
three lines. While a profile runs, programs run row by row; what has not been run before is planned at once.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from time import perf_counter_ns
from typing import Any, Final

from nbgrad.absent import AbsentError as _AbsentError
from nbgrad.calls.arguments import refused
from nbgrad.config import settings
from nbgrad.errors import ArgumentError, RunError
from nbgrad.multi_device import AnyPlan
from nbgrad.pipeline import Plan
from nbgrad.runtime.buffers import Buffer
from nbgrad.runtime.executable import Executable
from nbgrad.runtime.stepping import stepwise
from nbgrad.tape.show import show_kernel
from nbgrad.trace import PlansRun, flush, local, plans_run, refuse

__all__ = ["Event", "EventAverages", "ProfilerAction", "ProfilerActivity", "profile", "record_function", "schedule"]

KERNEL, PROGRAM, RANGE, PYTHON = "kernel", "program", "range", "python"
NO_LINE: Final = "(no line)"  # of what was recorded when nobody kept lines
SORTS: Final = ("cpu_time_total", "self_cpu_time_total", "cpu_time", "count", "key")


class ProfilerActivity(Enum):
    """What a profile may time, as PyTorch names it. On a GPU a program is timed as a whole, on the host's clock."""

    CPU = "cpu"
    CUDA = "cuda"


class ProfilerAction(Enum):
    """What a profile does in a step."""

    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3


RECORDED: Final = (ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE)


def schedule(
    *, wait: int, warmup: int, active: int, repeat: int = 0, skip_first: int = 0, skip_first_wait: int = 0
) -> Callable[[int], ProfilerAction]:
    """What a profile is to do in each step, by its number: ``skip_first`` steps nothing; then, ``repeat`` times (0: for
    ever), nothing for ``wait`` and ``warmup`` steps, and ``active`` ones that are recorded. With ``skip_first_wait``
    the first of these does not wait.

    >>> [nbgrad.profiler.schedule(wait=1, warmup=0, active=2)(step).name for step in range(4)]
    ['NONE', 'RECORD', 'RECORD_AND_SAVE', 'NONE']
    """
    if min(wait, warmup, repeat, skip_first, active - 1) < 0:
        raise ArgumentError("schedule(): active must be positive, wait, warmup, repeat and skip_first not negative")
    length = wait + warmup + active

    def action(step: int) -> ProfilerAction:
        rounds, place = divmod(step - skip_first + (wait if skip_first_wait else 0), length)
        if step < skip_first or place < wait or 0 < repeat <= rounds:
            return ProfilerAction.NONE
        if place < wait + warmup:
            return ProfilerAction.WARMUP
        return ProfilerAction.RECORD if place < length - 1 else ProfilerAction.RECORD_AND_SAVE

    return action


@dataclass(slots=True, eq=False)
class Event:
    """Something that took time, from ``start_ns`` to ``end_ns`` of ``time.perf_counter_ns``.

    ``kind``: a "kernel"; a "program" of kernels; a "range" of ``record_function``; or the whole profile, "python".
    ``operators`` are what a kernel computes, ``lines`` the user's lines that these come from. ``self_ns`` is what no
    event inside has.
    """

    name: str
    kind: str
    start_ns: int
    end_ns: int = 0
    thread: int = field(default_factory=threading.get_ident)
    operators: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    inside_ns: int = 0

    @property
    def total_ns(self) -> int:
        return self.end_ns - self.start_ns

    @property
    def self_ns(self) -> int:
        return self.total_ns - self.inside_ns


@dataclass(slots=True, eq=False)
class EventAverage:
    """All events of one key: times in microseconds, as PyTorch names them."""

    key: str
    kind: str
    lines: tuple[str, ...]
    count: int = 0
    cpu_time_total: float = 0.0
    self_cpu_time_total: float = 0.0

    @property
    def cpu_time(self) -> float:
        """The mean of an event."""
        return self.cpu_time_total / self.count


class EventAverages(list[EventAverage]):
    """The rows of a profile's table, and the ``table``."""

    def table(self, sort_by: str | None = None, row_limit: int = 100, max_name_column_width: int = 55) -> str:
        """The rows as text, the largest by ``sort_by`` first ("cpu_time_total", "self_cpu_time_total", "cpu_time",
        "count" or "key"; None: in the order in which they came). ValueError for other names."""
        if sort_by is not None and sort_by not in SORTS:
            raise ArgumentError(f"table(): sort_by must be one of {', '.join(SORTS)}, or None, but got {sort_by!r}")
        rows: Iterable[EventAverage] = self
        if sort_by is not None:
            rows = sorted(self, key=lambda row: getattr(row, sort_by), reverse=sort_by != "key")
        whole = sum([row.self_cpu_time_total for row in self])
        head = ("Name", "Self CPU %", "Self CPU", "CPU total", "CPU time avg", "# of Calls", "Lines")
        texts = [
            (
                _cut(row.key, max_name_column_width),
                f"{100 * row.self_cpu_time_total / whole if whole else 0:.2f}%",
                _time(row.self_cpu_time_total),
                _time(row.cpu_time_total),
                _time(row.cpu_time),
                str(row.count),
                ", ".join(row.lines),
            )
            for row in [*rows][:row_limit]
        ]
        widths = [max(map(len, column)) for column in zip(head, *texts, strict=True)]
        rule = "  ".join(["-" * w for w in widths])
        lines = [
            "  ".join(
                [t.ljust(w) if k in (0, 6) else t.rjust(w) for k, (t, w) in enumerate(zip(row, widths, strict=True))]
            )
            for row in (head, *texts)
        ]
        text = [rule, lines[0], rule, *lines[1:], rule, f"Self CPU time total: {_time(whole)}"]
        return "\n".join([line.rstrip() for line in text])

    def __str__(self) -> str:
        return self.table()


class profile:
    """Times what runs inside a ``with`` block: kernels, programs, ranges (``record_function``), and Python besides.

    Values are computed when somebody looks at them, so there kernels run; ``step()`` and the end of the block run what
    is left. ``activities`` are of ``ProfilerActivity``; ``on_trace_ready`` is called with the profile at the
    end, or with a ``schedule``, which says by the number of a step what to do in it, whenever steps that are recorded
    end: what there is then is of these. The other options are taken and change nothing: an event has the user's lines
    anyway, and neither shapes nor memory nor FLOPs. RuntimeError for a profile inside another one.

    >>> from nbgrad.profiler import profile
    >>> with profile() as prof:
    ...     _ = nbgrad.ones(1000).exp().sum().item()
    >>> sorted({operator for event in prof.events() for operator in event.operators})
    ['exp', 'sum']
    """

    _active: profile | None = None

    def __init__(
        self,
        *,
        activities: Iterable[ProfilerActivity] | None = None,
        schedule: Callable[[int], ProfilerAction] | None = None,
        on_trace_ready: Callable[[profile], object] | None = None,
        record_shapes: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
        with_flops: bool = False,
        with_modules: bool = False,
    ) -> None:
        for activity in activities or ():
            if not isinstance(activity, ProfilerActivity):
                raise refused("profile", "activities", activity, "ProfilerActivity")
        self._ready = on_trace_ready
        self._schedule = schedule
        self._events: list[Event] = []
        self._open = threading.local()
        self._stack = contextlib.ExitStack()
        self.step_num = 0
        self._action = self._planned()
        self._step: Event | None = None
        self._whole: Event | None = None

    def start(self) -> None:
        """Begin, after what was recorded before has been run."""
        if profile._active is not None:
            raise RunError("profile(): another profile runs already")
        refuse("a profile begins")
        flush(local.trace)
        self._events.clear()
        profile._active = self
        self._stack.enter_context(plans_run(_Timed(self)))
        self._whole = self.begin("[Python, recording and planning]", PYTHON)

    def stop(self) -> None:
        """End, after what was recorded has been run."""
        if profile._active is not self or self._whole is None:
            raise RunError("profile.stop(): it does not run")
        try:
            flush(local.trace)
        finally:
            if self._step is not None:
                self.end(self._step)
            self.end(self._whole)
            self._stack.close()
            self._step = profile._active = None
        if self._ready is not None:
            self._ready(self)

    def step(self) -> None:
        """Run what was recorded, and begin the next step: a range "ProfilerStep#1", and so on."""
        flush(local.trace)
        if self._step is not None:
            self.end(self._step)
            self._step = None
        before = self._action
        self.step_num += 1
        self._action = self._planned()
        if profile._active is self and (before is ProfilerAction.RECORD_AND_SAVE or self._action not in RECORDED):
            self.stop()
        self._begin_step()

    def _planned(self) -> ProfilerAction:
        """What this step does; a schedule may count how often it is asked, so that is once a step."""
        return ProfilerAction.RECORD if self._schedule is None else self._schedule(self.step_num)

    def _begin_step(self) -> None:
        if self._action not in RECORDED:
            return
        if profile._active is None:
            self.start()
        self._step = self.begin(f"ProfilerStep#{self.step_num}", RANGE)

    def __enter__(self) -> profile:
        if self._schedule is None:
            self.start()
        else:
            self._begin_step()
        return self

    def __exit__(self, *_: object) -> None:
        if self._schedule is None or profile._active is self:
            self.stop()

    def begin(self, name: str, kind: str) -> Event:
        """An event that begins now, inside of those of this thread that have not ended."""
        event = Event(name, kind, perf_counter_ns())
        self._nested().append(event)
        return event

    def end(self, event: Event) -> None:
        """What began so, and all inside, is over."""
        nested = self._nested()
        while event in nested:
            one = nested.pop()
            one.end_ns = perf_counter_ns()
            self.add(one)

    def add(self, event: Event) -> None:
        """Take in an event that is over."""
        nested = self._nested()
        if nested:
            nested[-1].inside_ns += event.total_ns
        self._events.append(event)

    def _nested(self) -> list[Event]:
        found: list[Event] = self._open.__dict__.setdefault("events", [])
        return found

    def events(self) -> list[Event]:
        """What was timed, in the order in which it began."""
        return sorted(self._events, key=lambda event: (event.start_ns, -event.end_ns))

    def key_averages(self, group_by_input_shape: bool = False, group_by_stack_n: int = 0) -> EventAverages:
        """The events of a kind together: kernels with the same operators, ranges of a name. With ``group_by_stack_n``
        those of the same lines: a row a line, or set of lines that one kernel has. ValueError for
        ``group_by_input_shape``: a kernel serves all shapes."""
        if group_by_input_shape:
            raise ArgumentError("key_averages(): a kernel serves all shapes; group_by_input_shape must be False")
        rows: dict[tuple[str, str], EventAverage] = {}
        for event in self.events():
            by_line = group_by_stack_n and event.kind == KERNEL
            key = ", ".join(event.lines) if by_line else event.name
            row = rows.setdefault((event.kind, key), EventAverage(key, event.kind, event.lines))
            row.lines = tuple(dict.fromkeys([*row.lines, *event.lines]))
            row.count += 1
            row.cpu_time_total += event.total_ns / 1e3
            row.self_cpu_time_total += event.self_ns / 1e3
        return EventAverages(rows.values())

    def export_chrome_trace(self, path: str | os.PathLike[str]) -> None:
        """Write the events to a JSON file that chrome://tracing and Perfetto show."""
        events = self.events()
        zero = events[0].start_ns if events else 0
        found = [
            {
                "ph": "X",
                "cat": event.kind,
                "name": event.name,
                "pid": os.getpid(),
                "tid": event.thread,
                "ts": (event.start_ns - zero) / 1e3,
                "dur": event.total_ns / 1e3,
                "args": {"operators": " ".join(event.operators), "lines": ", ".join(event.lines)},
            }
            for event in events
        ]
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"displayTimeUnit": "ms", "traceEvents": found}, file)


class _Timed(PlansRun):
    """Whoever runs plans for a profile: row by row where that can be seen, as a whole otherwise."""

    def __init__(self, prof: profile) -> None:
        super().__init__()
        self._prof = prof

    def run(self, plan: AnyPlan, inputs: Any, scalars: Any, spare: Any) -> list[Buffer]:
        self.clear()
        seen = plan if type(plan) is Plan and not settings.interpret else None
        event = self._prof.begin("", PROGRAM)
        try:
            if seen is not None:
                return seen.run_within(self._rows, inputs, scalars)  # no memory of inputs: it is written at one go
            return plan.run(inputs, scalars, spare)
        finally:
            event.name = f"[{plan.tier} program{': binding and memory' if seen else ', as a whole'}]"
            self._prof.end(event)

    def _rows(self, executable: Executable) -> contextlib.AbstractContextManager[None]:
        names = [_named(i) for i in executable.tape.instructions]
        return stepwise(executable.program, functools.partial(self._clock, names))

    def _clock(self, names: Sequence[Any], begin: int, end: int, begun_ns: int, ended_ns: int) -> None:
        name = " | ".join([names[pc][0] for pc in range(begin, end)])
        operators, lines = [tuple([x for pc in range(begin, end) for x in names[pc][k]]) for k in (1, 2)]
        event = Event(name, KERNEL, begun_ns, ended_ns, operators=operators, lines=tuple(dict.fromkeys(lines)))
        self._prof.add(event)


def _named(instruction: Any) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """The name of a kernel, its operators, and the user's lines that these come from."""
    nodes = instruction.nodes
    lines = dict.fromkeys([node.site or NO_LINE for node in nodes])
    operators = tuple([node.op.name for node in nodes])
    name = show_kernel(instruction)  # of a library kernel its form
    return name if " " in name else f"{name} {' '.join(operators)}", operators, tuple(lines)


class record_function(contextlib.ContextDecorator):
    """A ``with`` block, or a function, that profiles show by ``name``. It has the time of the Python inside, and of
    what runs there: what is recorded inside and looked at later is not run inside."""

    def __init__(self, name: str, args: str | None = None) -> None:
        if not isinstance(name, str):
            raise refused("record_function", "name", name, "str")
        self.name, self.args = name, args
        self._events: list[tuple[profile, Event] | None] = []

    def _recreate_cm(self) -> record_function:
        return type(self)(self.name, self.args)

    def __enter__(self) -> record_function:
        prof = profile._active
        self._events.append(None if prof is None else (prof, prof.begin(self.name, RANGE)))
        return self

    def __exit__(self, *_: object) -> None:
        begun = self._events.pop()
        if begun is not None:
            begun[0].end(begun[1])


def _time(us: float) -> str:
    for unit, size in (("s", 1e6), ("ms", 1e3)):
        if us >= size:
            return f"{us / size:.3f}{unit}"
    return f"{us:.3f}us"


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 3] + "..."


def __getattr__(name: str) -> Any:
    raise _AbsentError("module 'nbgrad.profiler'", name, __all__)


def __dir__() -> list[str]:
    """The public names, for completion."""
    return [*__all__]

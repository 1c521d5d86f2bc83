"""The function that ``nbgrad.compile`` gives: it records calls until two agree, then runs the recording."""

from __future__ import annotations

import copy
import functools
import gc
import sys
from collections.abc import Callable
from contextlib import nullcontext
from types import MethodType
from typing import Any

from nbgrad.autograd.hooks import leaf_hooks
from nbgrad.config import on_change
from nbgrad.errors import PerformanceWarning, warn_here
from nbgrad.log import emit, enabled, fall_back
from nbgrad.replay.arguments import Arguments, contents, modes_of
from nbgrad.replay.binding import shares_memory
from nbgrad.replay.bound_call import MISSED, never
from nbgrad.replay.captured_state import CapturedState, GivenAttributes
from nbgrad.replay.captured_walk import Unknown
from nbgrad.replay.guards import Guard, Key, changed
from nbgrad.replay.instructions import Ran, can_observe, observed
from nbgrad.replay.numbers import make_plain
from nbgrad.replay.program import Program
from nbgrad.replay.recorder import Recorder
from nbgrad.replay.recording import Missed, NotRepeatable, Recording, difference
from nbgrad.replay.unpacker import Unpacker
from nbgrad.replay.words import why_new
from nbgrad.system.collector import collector_paused
from nbgrad.trace import Trace, flush, holding, local, released, threads, turn_page

_MOST_FORMS = 64  # of one function; then all are forgotten
_MOST_BINDINGS = 8  # of one form: who counts in one of 300 places at each call would record 600 calls at 2 ms
_MOST_PROGRAMS = 16  # of one form; a call that needs another one is recorded
_MOST_ATTEMPTS = 4  # recordings in a row that do not agree, or are refused, before a form of call is given up


class _Form:
    """Calls with one key: their programs, the last recording, and how often recording came to nothing."""

    def __init__(self, key: tuple[Any, ...], objects: list[Any]) -> None:
        self.key = key
        self.objects = objects  # that the key names by identity
        self.programs: list[Program] = []
        self.varying: frozenset[Key] = frozenset()  # places that are bound at each call
        self.last: dict[tuple[Any, ...], Recording] = {}  # recordings without a program, by what numbers decided
        self.captured: CapturedState | None = None  # of the last recording
        self.ran: Ran | None = None  # what ran in those calls that can be repeated, where only that counts
        self.views: list[str] = []  # places of views, or of NumPy's memory, that held another one then
        self.failures = 0
        self.bindings = 0  # how often places were added to those that vary

    @functools.cached_property
    def unpack(self) -> Callable[..., Any]:
        """What takes arguments of this form straight to the first of its programs."""
        return Unpacker(self).function(_settings_epoch)

    def capture(self, roots: list[tuple[str, Any]]) -> CapturedState:
        """All that the next call can read; as nobody knows what that runs, where not all of the code can be known."""
        try:
            return CapturedState(roots, self.ran, self.varying, self.captured)
        except Unknown:
            if self.ran is not None or not can_observe():
                raise
            self.ran = Ran()
            return CapturedState(roots, self.ran)

    def bind(self, places: set[Key]) -> None:
        """Take what stands in ``places`` anew at each call, from the next recording on."""
        if not places <= self.varying:
            self.varying, self.programs, self.last = self.varying | places, [], {}
            self.bindings += 1


_settings_epoch = [0]


def _forget() -> None:
    _settings_epoch[0] += 1


on_change(_forget)


class Compiled:
    """A function that records its first calls and runs the recording from then on. See ``nbgrad.compile``."""

    __wrapped_by_compile__ = True

    def __init__(self, function: Callable[..., Any], *, fullgraph: bool) -> None:
        functools.update_wrapper(self, function)
        self.__wrapped__ = function
        self._fullgraph = fullgraph
        self._name: str = getattr(function, "__qualname__", repr(function))
        self._forms: dict[tuple[Any, ...], _Form] = {}
        self._epoch = _settings_epoch[0]
        self._unpack: Callable[..., Any] = never  # of the form whose calls were bound last
        self._has_warned = False

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else MethodType(self, instance)

    def __deepcopy__(self, memo: dict[int, Any]) -> Compiled:
        return Compiled(copy.deepcopy(self.__wrapped__, memo), fullgraph=self._fullgraph)

    def __reduce__(self) -> str:
        """Pickled by name, like a function."""
        return self._name

    def __repr__(self) -> str:
        return f"<compiled {self.__wrapped__!r}>"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        trace = local.top
        if trace.taken:
            trace = local.trace
        # Part of a function that is being recorded, or one whose gradients, tangents or saved tensors are looked at.
        is_looked_at = trace.anomaly is not None or trace.duals is not None or trace.saver is not None
        if is_looked_at or trace.watcher is not None:
            return self.__wrapped__(*args, **kwargs)
        if leaf_hooks:  # of a leaf that is an argument, or held: what was recorded before they were added is over
            held = [program.held for form in [*self._forms.values()] for program in form.programs]
            if not leaf_hooks.keys().isdisjoint({*map(id, contents((args, kwargs)))}.union(*held)):
                self._unpack, self._forms = never, {}
                if not self._fullgraph:
                    return self.__wrapped__(*args, **kwargs)
        if trace.node.aliases is not None or threads.several or trace.strays:
            turn_page(trace)  # views see what the call writes
        if (result := self._unpack(trace, args, kwargs)) is not MISSED:
            return result
        arguments = Arguments(args, kwargs)
        key = (modes_of(trace), *arguments.key)
        form = self._forms.get(key)
        if form is None or self._epoch != _settings_epoch[0]:
            form = self._new_form(key, arguments)
        why = ""
        for place, program in enumerate(form.programs if not arguments.problem else ()):
            try:
                result = program.run(arguments)
            except Missed as missed:
                why = why or str(missed)  # of the program that was used last
                continue
            if place:
                form.programs = [program, *[p for p in form.programs if p is not program]]
            if program.idle:
                self._unpack = form.unpack
            return result
        return self._record(form, arguments, why)

    def _new_form(self, key: tuple[Any, ...], arguments: Arguments) -> _Form:
        if self._forms and enabled("compile"):
            is_other = self._epoch == _settings_epoch[0]
            why = why_new([*self._forms], key) if is_other else "other settings"
            emit("compile", f"{self._name}: recorded anew: {why}")
        if len(self._forms) >= _MOST_FORMS and not any(form.programs for form in [*self._forms.values()]):
            kinds = " and ".join(sorted({type(x).__name__ for form in [*self._forms.values()] for x in form.objects}))
            given = f"it is given another {kinds} each time: only tensors, numbers and containers are bound"
            other = "shapes, or values in containers, are others each time: only numbers that are arguments are bound"
            self._refuse(NotRepeatable(given if kinds else other), raises=False)
        if self._epoch != _settings_epoch[0] or len(self._forms) >= _MOST_FORMS:
            self._forms, self._epoch, self._unpack = {}, _settings_epoch[0], never
        return self._forms.setdefault(key, _Form(key, arguments.objects))

    def _refuse(self, why: NotRepeatable, *, raises: bool) -> None:
        """Say why the function is recorded at each call: as an error, or in the log, and as a warning, once, where
        nobody sees it by reading the function."""
        fall_back("compile", text := f"{self._name} is recorded at each call: {why}")
        if raises:
            raise why
        if why.of_memory and not self._fullgraph and not self._has_warned:
            self._has_warned = True
            warn_here(f"nbgrad: {text}", PerformanceWarning)

    def _record(self, form: _Form, arguments: Arguments, why: str) -> Any:
        """The call as it is written, recorded."""
        if arguments.problem:
            self._refuse(NotRepeatable(arguments.problem, of_memory=True), raises=self._fullgraph)
        if arguments.problem or form.failures >= _MOST_ATTEMPTS or len(form.programs) >= _MOST_PROGRAMS:
            return self.__wrapped__(*arguments.args, **arguments.kwargs)
        if why and enabled("compile"):
            emit("compile", f"{self._name}: recorded again: {why}")
        known = [*[program.captured for program in form.programs], *([form.captured] if form.captured else [])]
        found = [(guard, now) for captured in known for guard, now in changed(captured.guards) if guard.may_vary(now)]
        replaced = [(guard, shares_memory(guard.expected) or shares_memory(now)) for guard, now in found]
        form.views = [guard.label for guard, is_view in replaced if is_view]
        form.bind({guard.key for guard, is_view in replaced if not is_view})
        flush(local.trace)
        objects = [GivenAttributes(x) if type(x) is dict else x for x in arguments.objects]
        roots = [(self._name, self.__wrapped__), *[(f"argument {k}", x) for k, x in enumerate(objects)]]
        try:
            captured = form.captured = form.capture(roots)
        except Unknown as unknown:
            self._refuse_unknown(form, unknown)
            return self.__wrapped__(*arguments.args, **arguments.kwargs)
        with threads.lock:  # nobody writes meanwhile what the function reads
            if threads.several and (arguments.shared or any(a._segment is not None for a in arguments.tensors)):
                key, arguments = arguments.key, Arguments(arguments.args, arguments.kwargs)
                if arguments.key != key:
                    return self.__wrapped__(*arguments.args, **arguments.kwargs)
            return self._record_with(self, form, arguments, captured)

    @staticmethod
    @holding
    def _record_with(trace: Trace, self: Compiled, form: _Form, arguments: Arguments, captured: CapturedState) -> Any:
        """The call, recorded, of which ``captured`` is all that it finds without its arguments."""
        ran, result, retries = Ran(), None, form.failures > 0 and not captured.is_blind
        recorder = Recorder(trace, arguments, captured, strict=self._fullgraph)
        whole = arguments.for_recording(recorder.recording.conditions, captured.takes_numbers)
        modes, holding, bare = modes_of(trace), contents(whole), [a for a in arguments.tensors if not vars(a)]
        threads.watch(trace, recorder)
        try:
            with collector_paused() if retries else nullcontext():  # nothing grows old meanwhile
                with observed(ran) if form.ran is not None else nullcontext():
                    result = released(trace, self.__wrapped__, *whole[0], **whole[1])
                if retries:  # tensors in cycles that the call has made would look as if somebody kept them
                    gc.collect(0)
            if modes_of(trace) != modes:
                recorder.refuse_at_end("the call changes the grad mode, the default dtype or device")
            if [*map(id, contents(whole))] != [*map(id, holding)]:
                recorder.refuse_at_end("the call changes a list or dict that it was given")
            if any(map(vars, bare)):
                recorder.refuse_at_end("the call gives attributes to a tensor that is an argument")
            recorder.finish(result, holding, planned=bool(form.last))
        finally:
            recorder.close()
            tensors = [*arguments.tensors, *captured.tensors.values()]
            tensors += [a._grad for a in tensors if a._grad is not None]
            places = [*captured.objects.values(), *arguments.args, *arguments.kwargs.values()]
            make_plain(places, [sys.exception(), result, *map(vars, tensors)])
        try:
            way = ran if form.ran is None else ran | form.ran
            if form.ran is None or way.offsets == form.ran.offsets:
                if found := [*changed(captured.guards)]:  # there may be more to reach, which the call has made
                    after = CapturedState(captured.roots, form.ran, form.varying, captured)
                    make_plain(after.objects.values())
                self._judge(form, recorder, found)
            else:  # another way than any before
                CapturedState(captured.roots, way)  # all that it can have read is known
                form.ran = way
        except Unknown as unknown:
            self._refuse_unknown(form, unknown)
        recorder.leave_as_made()
        return make_plain((), [result])[0]

    def _refuse_unknown(self, form: _Form, unknown: Unknown) -> None:
        form.failures += not form.programs
        self._refuse(unknown, raises=self._fullgraph and not form.programs)

    def _judge(self, form: _Form, recorder: Recorder, found: list[tuple[Guard, Any]]) -> None:
        """Take a recording as a program if it agrees with the one before; otherwise say why not. ``found`` are the
        guards that the call has changed, and what stands there now."""
        problem = recorder.problem
        keys = {guard.key for guard, now in found if guard.may_vary(now)}
        if not keys <= form.varying and form.bindings < _MOST_BINDINGS:
            form.bind(keys)  # which may be all there is to it
            return
        if labels := sorted({(guard.may_vary(now), guard.label) for guard, now in found}):
            problem = problem or NotRepeatable(f"the call changes {', '.join([label for _, label in labels[:5]])}")
        if problem is None:
            if not (other := self._compare(form, recorder.recording, recorder.captured)):
                return
            if form.views:
                other = f"{form.views[0]} is another view, or other memory, in each call: pass it as an argument"
            problem = NotRepeatable(other, of_memory=bool(form.views))
        form.failures += 1
        if form.failures == 1 and not self._fullgraph:
            return  # an optimiser's first step makes its state, a first call fills a cache: the second one tells
        self._refuse(problem, raises=self._fullgraph and form.failures > 1)

    def _compare(self, form: _Form, recording: Recording, captured: CapturedState) -> str:
        """Make a program of a recording that agrees with an earlier one, in which numbers and states were alike; gives
        the reason where the two disagree."""
        same = [(k, id(a)) for k, a in recording.same.items()]
        asked = tuple([had for _, had in recording.asked])
        decided = (*same, *[leaf for _, leaf in recording.state], asked, *recording.conditions)
        last, form.last[decided] = form.last.get(decided), recording
        recording.is_kept = True
        if last is None:
            if len(form.last) < _MOST_PROGRAMS:
                return ""
            form.last, form.failures = {}, _MOST_ATTEMPTS
            why = recording.conditions[-1] if recording.conditions else "shapes of tensors that are replaced"
            return f"numbers decide otherwise at each call, say as sizes or in math functions ({why})"
        other = difference(last, recording)
        if other or not recording.planned:  # threads may record at the same time
            return other
        form.programs = [Program(recording, captured), *form.programs]
        form.failures = 0
        form.last.pop(decided, None)
        if enabled("compile"):
            sizes = f"{len(recording.inputs)} inputs, {len(recording.results)} results, {len(captured.guards)} guards"
            emit("compile", f"{self._name}: runs from now on without recording: {sizes}")
        if len(form.programs) == _MOST_PROGRAMS:
            fall_back("compile", f"{self._name} has {_MOST_PROGRAMS} programs: other calls are not compiled")
        return ""

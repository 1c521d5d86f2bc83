"""Where kernels come from: memory, else the disk, else the compiler, here or in the worker process."""

from __future__ import annotations

import atexit
import os
import re
import time
import warnings
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple, Protocol

from nbgrad.config import settings
from nbgrad.kernels.engine import Engine, maker_of
from nbgrad.kernels.listing import listing
from nbgrad.kernels.target import Target, host
from nbgrad.log import emit, enabled, fall_back
from nbgrad.runtime import cache
from nbgrad.runtime.background import Worker, WorkerGone
from nbgrad.runtime.runner_code import drafts, make_good
from nbgrad.system.fork_safety import Lock
from nbgrad.system.imports import import_module
from nbgrad.system.interrupts import uninterrupted
from nbgrad.tape.kernel import KernelText

_MAX_DEATHS: Final = 3  # a worker that keeps dying is not started again
_FULL: Final = 8192  # kernels are never unloaded, and each takes 4 of the 65,530 mappings that Linux gives a process
# Of a kernel, in a table of names: some begin with a character more.
_SYMBOL: Final = re.compile(rb"nbk_[0-9a-f]{32}(?=\0)")
# How long a kernel takes to make, and each of its statements.
_MAKING_S: Final = 0.012, 0.7e-3
_DRAFT_S: Final = 0.004, 0.1e-3  # made together: one of 20 kernels of 90 statements takes 7 ms
_REMEMBERED: Final = 10_000  # structures of which we know that they asked before

Compiler = Callable[[Sequence[KernelText], Target], bytes]


def _maker() -> Any:
    """What imports the emitters: that takes longer than loading a program's kernels, so it waits for one to make."""
    return import_module("nbgrad.runtime.code")


def _machine_code(texts: Sequence[KernelText], target: Target) -> bytes:
    code: bytes = _maker().machine_code(texts, target)
    return code


class Loader(Protocol):
    """What brings code to where it runs."""

    def load(self, object_code: bytes) -> None: ...

    def addresses(self, symbols: Sequence[str]) -> list[int]:
        """What kernels are called by; 0 where no code that was loaded has it."""


class _Waiting(NamedTuple):
    """Somebody to tell when none of the requests ``numbers`` is under way any more."""

    numbers: set[int]
    done: Callable[[], None]


class KernelStore:
    """All kernels of this process for one target by their text. Code once loaded stays loaded. Safe to use from several
    threads.

    ``new_loader`` makes what code is loaded with: the host's engine, or a device's driver.
    """

    def __init__(
        self,
        compiler: Compiler = _machine_code,
        start_worker: Callable[[], Worker] = Worker,
        target: Callable[[], Target] = host,
        new_loader: Callable[[], Loader] = Engine,
    ) -> None:
        self._compiler = compiler
        self._start_worker = start_worker
        self._target = target
        self._new_loader = new_loader
        self._known: dict[KernelText, int] = {}
        self._makers: dict[str, str] = {}  # who made the code of the kernels in memory, by their symbols
        self._beside: dict[str, int] = {}  # addresses of kernels that came with others, by their symbols
        self._engines: list[Loader] = []  # the last one takes new code
        self._engine_stale = True  # none yet, or after a fork, when another thread may have been using it
        self._lock = Lock()
        self._worker: Worker | None = None
        self._deaths = 0
        self._next_number = 0
        self._under_way: dict[int, KernelText] = {}
        self._waiting: list[_Waiting] = []
        self._looked_at = (0, 0)  # how many were under way, and waited, when it was last seen who has everything
        self._said_full = False
        self._asked: set[frozenset[KernelText]] = set()

    def __len__(self) -> int:
        return len(self._known)

    @property
    def target(self) -> Target:
        """What its kernels are for."""
        return self._target()

    @property
    def full(self) -> bool:
        """Whether so many kernels are loaded that no more specialised ones should be: ``request`` refuses them."""
        return len(self._known) >= _FULL

    def addresses(self, texts: Sequence[KernelText]) -> list[int]:
        """The kernels' addresses; what is neither in memory nor on disk is compiled here and now."""
        known = self._known
        try:
            return [known[text] for text in texts]
        except KeyError:
            pass
        with self._lock:
            self._make(self._not_on_disk(texts))
        return [known[text] for text in texts]

    def ready(self, texts: Sequence[KernelText]) -> list[int] | None:
        """The kernels' addresses if all are in memory or on disk, else None. Compiles nothing."""
        known = self._known
        try:
            return [known[text] for text in texts]
        except KeyError:
            pass
        if self._lock.is_mine():
            return None
        with self._lock:
            if self._not_on_disk(texts):
                return None
        return [known[text] for text in texts]

    def drafts_of(self, texts: Sequence[KernelText]) -> list[KernelText]:
        """The same kernels as drafts, where these are made sooner: a GPU's take as long, if LLVM makes both."""
        target = self._target()
        return [*texts] if target.is_thread and not target.jit else [text.draft for text in texts]

    def made_by(self, texts: Sequence[KernelText]) -> str:
        """A line for each kernel: its name, and what it is: an ``@njit`` function, a draft that is llvmlite's, ..."""
        return "\n".join([f"{text.symbol}  {self._maker(text)}" for text in dict.fromkeys(texts)])

    def _maker(self, text: KernelText) -> str:
        """Who made a kernel, or the draft that stands for it until it is there."""
        for made, kind in ((text, ""), (text.draft, ", a draft")):
            if made in self._known:
                return self._makers.get(made.symbol, "a library's") + kind
        return "not made yet"

    def making_s(self, texts: Sequence[KernelText]) -> float:
        """How long it would take, roughly, to make those kernels that are not in memory."""
        return sum([_making_s(text) for text in dict.fromkeys(texts) if text not in self._known])

    def request(self, texts: Sequence[KernelText], done: Callable[[], None]) -> bool:
        """Ask the worker for kernels that ``ready`` did not find. A later ``poll`` calls ``done``; ask ``ready`` then:
        it still gives None where the worker failed.

        False means that there is no worker: nothing happens and ``done`` is not called, but asking again for the same
        kernels, when the structure that needs them recurs, compiles them here. It also means that the store is full.
        """
        if self._lock.is_mine():  # half-way through a message, perhaps
            return False
        with self._lock:
            if self.full and not all(text in self._known for text in texts):
                self._say_full()
                return False
            missing = [text for text in dict.fromkeys(texts) if text not in self._known]
            if missing and not self._have_worker():
                if self._is_new(missing):
                    return False
                self._make(missing)
                missing = []
            if missing:
                emit("cache", f"{len(missing)} kernels asked of the worker process")
            self._waiting.append(_Waiting(self._ask(missing), done))
        return True

    def order(self, words: str) -> None:
        """Let the worker make word functions that are a draft, see ``runner_code``. Nothing happens where there is
        none, or somebody is at it."""
        if not self._lock.locked():
            with self._lock:
                is_new = self._worker is None
                if self._have_worker() and not is_new and self._worker is not None:
                    self._worker.order(words)

    def poll(self) -> None:
        """Load what the worker has made, and call the ``done`` of those who have everything now. Never waits."""
        if not self._waiting or self._lock.locked():
            return
        finished: list[_Waiting] = []
        with self._lock:  # a ``with``, which lets go whenever Ctrl-C strikes
            self._collect()
            under_way = self._under_way.keys()
            if self._looked_at != (len(under_way), len(self._waiting)):  # thousands may wait for a worker that is late
                finished = [w for w in self._waiting if w.numbers.isdisjoint(under_way)]
                if finished:
                    self._waiting = [w for w in self._waiting if not w.numbers.isdisjoint(under_way)]
                self._looked_at = len(under_way), len(self._waiting)
        for waiting in finished:
            waiting.done()

    @uninterrupted
    def stop_worker(self) -> None:
        """End the worker process, if there is one. The next request starts another."""
        with self._lock:
            worker, self._worker = self._worker, None
            self._under_way.clear()
        if worker is not None:
            worker.stop()

    def _not_on_disk(self, texts: Sequence[KernelText]) -> list[KernelText]:
        """Load what the disk has; gives those it has not, each once."""
        missing = []
        for text in dict.fromkeys(texts):
            if not text.has_code:
                self._known[text] = 0
            elif text not in self._known and not self._came_with_others(text):
                code = cache.load(self._key(text))
                if code is None or not self._load(text, code):
                    missing.append(text)
                    if enabled("cache"):
                        emit("cache", f"{text.symbol}: not on disk: {cache.why_missing(self._key(text))}")
        return missing

    def _make(self, texts: Sequence[KernelText]) -> None:
        """Compile here: drafts together, which takes them three fifths of the time, others each alone."""
        for batch in _batches(texts, self._target()):
            begun_s = time.perf_counter()
            code = self._compiler(batch, self._target())
            cache.publish_together([self._key(text) for text in batch], code)
            elapsed_ms = (time.perf_counter() - begun_s) * 1e3
            for text in batch:
                others = f", with {len(batch) - 1} others" if len(batch) > 1 else ""
                draft = ", a draft" if text.is_draft else ""
                emit("cache", f"{text.symbol}: compiled in {elapsed_ms:.1f} ms by {maker_of(code)}{draft}{others}")
                if not self._came_with_others(text) and not self._load(text, code):
                    raise RuntimeError(f"{text.symbol} is not in the code made for it")

    @uninterrupted
    def _load(self, text: KernelText, code: bytes) -> bool:
        """Bring object code into memory; whether the kernel was in it."""
        if self._engine_stale:
            self._engines.append(self._new_loader())
            self._engine_stale = False
            _say_old(self._target())
        self._engines[-1].load(code)
        symbols = [text.symbol, *_kernels_in(code) - {text.symbol}]
        found = dict(zip(symbols, self._engines[-1].addresses(symbols), strict=True))
        address = found.pop(text.symbol)
        if address == 0:
            return False
        self._take(text, address)
        self._beside |= found
        self._makers |= dict.fromkeys(symbols, maker_of(code))
        return True

    def _came_with_others(self, text: KernelText) -> bool:
        """Take a kernel that is in the object code of another one, loaded before."""
        address = self._beside.get(text.symbol, 0)
        if address:
            self._take(text, address)
        return address != 0

    def _take(self, text: KernelText, address: int) -> None:
        if settings.log:
            _show(text, self._target())
        self._known[text] = address

    def _key(self, text: KernelText) -> str:
        return cache.entry_key("kernel", text.to_json(), self._target().key)

    @uninterrupted
    def _have_worker(self) -> bool:
        """Whether the worker runs; starts it where it may."""
        if self._worker is None and self._deaths < _MAX_DEATHS:
            try:
                self._worker = self._start_worker()
                for words in drafts():
                    self._worker.order(words)  # the runner first: the kernels that come need it
            except Exception as error:  # a program may set anything that starting one depends on
                self._deaths = _MAX_DEATHS
                for words in drafts():
                    make_good(words)
                fall_back("cache", f"no worker process ({error}): kernels are compiled here when a structure recurs")
        return self._worker is not None

    def _say_full(self) -> None:
        if not self._said_full:
            self._said_full = True
            fall_back("cache", f"{len(self._known)} kernels are loaded: structures new from now on run unfused")

    def _is_new(self, texts: Sequence[KernelText]) -> bool:
        """Whether these kernels are asked for without a worker for the first time."""
        kernels = frozenset(texts)
        if kernels in self._asked:
            return False
        if len(self._asked) >= _REMEMBERED:
            self._asked.clear()
        self._asked.add(kernels)
        return True

    def _ask(self, texts: Sequence[KernelText]) -> set[int]:
        """Send the worker what it has not been sent yet; gives the numbers of all."""
        sent = {text: number for number, text in self._under_way.items()} if texts else {}
        numbers = set()
        for text in texts:
            number = sent.get(text)
            if number is None:
                self._next_number = number = self._next_number + 1
                self._under_way[number] = text
                self._send(number, text)
            numbers.add(number)
        return numbers

    def _send(self, number: int, text: KernelText) -> None:
        if self._worker is not None:
            self._worker.send(number, text.to_json(), self._target())

    def _collect(self) -> None:
        """Take the worker's answers, and notice its end."""
        if self._worker is None:
            self._under_way.clear()
            return
        try:
            for number, compiled, data in self._worker.replies():
                text = self._under_way.get(number)
                if text is None:  # a signal's handler raised once it was taken: it comes again
                    continue
                if not compiled:
                    warnings.warn(f"nbgrad: kernel not compiled: {data.decode()}", RuntimeWarning, stacklevel=4)
                elif text not in self._known:
                    emit("cache", f"{text.symbol}: made by the worker process: {maker_of(data)}")
                    self._load(text, data)
                self._under_way.pop(number, None)
        except WorkerGone as gone:
            self._bury(gone)

    @uninterrupted
    def _bury(self, gone: WorkerGone) -> None:
        """Go on without the worker that has ended."""
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.stop()
        if gone.idle:
            if self._under_way and self._have_worker():  # it ended for lack of work just as this was sent
                for number, text in self._under_way.items():
                    self._send(number, text)
            return
        self._deaths += 1
        lost = len(self._under_way)
        self._under_way.clear()
        fall_back("cache", f"the worker process is gone ({gone}), {lost} kernels are not made")

    def _after_fork(self) -> None:
        """In a forked child: the worker is the parent's, and another thread may have been loading code."""
        self._engine_stale = True
        if self._worker is not None:
            self._worker.leave()
            self._worker = None
        self._under_way.clear()


def _batches(texts: Sequence[KernelText], target: Target) -> list[list[KernelText]]:
    """What is compiled together: drafts, but of matrix products, which are large. Code for CPUs without fused
    multiply-add is loaded by what it calls, and a GPU's by itself."""
    together = [text for text in texts if text.is_draft and text.form != "gemm"]
    if target.is_thread or not target.has_fma or len(together) < 2:
        return [[text] for text in texts]
    return [together, *[[text] for text in texts if not text.is_draft or text.form == "gemm"]]


def _kernels_in(code: bytes) -> set[str]:
    """The symbols of the kernels that object code defines."""
    return {name.decode() for name in _SYMBOL.findall(code)}


def _making_s(text: KernelText) -> float:
    if not text.has_code:
        return 0.0
    if text.form == "gemm":
        return 0.1
    begin_s, stmt_s = _DRAFT_S if text.is_draft else _MAKING_S
    return begin_s + stmt_s * sum([len(stage.stmts) + len(stage.finish) for _, stage in text.stages])


def _say_old(target: Target) -> None:
    if not target.has_fma:
        fall_back("code", f"{target.cpu}: a CPU without AVX2 and FMA: kernels run with short vectors and library calls")


def _show(text: KernelText, target: Target) -> None:
    """Print a kernel's stages where they are wanted."""
    if enabled("code"):
        emit("code", listing(text))
    if enabled("llvm"):
        emit("llvm", _maker().llvm_of(text, target))
    if enabled("asm"):
        emit("asm", _maker().asm_of(text, target))


store = KernelStore()

atexit.register(store.stop_worker)
os.register_at_fork(after_in_child=store._after_fork)

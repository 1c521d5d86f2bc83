"""How a plan comes to its fused kernels without waiting: run unfused, ask the worker, swap when all are there."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from nbgrad.runtime.executable import Executable
from nbgrad.runtime.store import KernelStore
from nbgrad.system.fork_safety import Lock
from nbgrad.tape.tape import Tape

Maker = Callable[[Tape, Sequence[int]], Executable]
UNFELT_S = 2.0  # a plan that takes no longer is made as soon as its structure comes back
MAX_FAILURES = 3  # a structure whose kernels never come stays unfused


class Upgrade:
    """The way from the unfused to the fused program. ``step`` is called before each run until it gives that program.

    Whoever cannot do without it waits for drafts of its kernels: the same program, which ``step`` leads on from.

    ``store`` has the kernels, ``make`` binds a tape to them: those of the CPU, or of a device. ``planning_s`` is about
    what ``lower`` takes. Where that is long, nothing is asked for until unfused runs have taken as long (``spent_s``),
    so that planning never costs more than those have who do without it.
    """

    def __init__(
        self,
        store: KernelStore,
        lower: Callable[[], Tape],
        make: Maker = Executable,
        planning_s: float = 0.0,
    ) -> None:
        self._make = make
        self._store = store
        self._lower = lower
        self._lock = Lock()
        self._runs = 0
        self._tape: Tape | None = None
        self._asked = False
        self._arrived = False
        self._failures = 0
        self._ask_at = 2  # the run that asks (again)
        self._patience_s = planning_s if planning_s > UNFELT_S else 0.0
        self.spent_s = 0.0
        self.over = False  # nothing more will come

    def step(self) -> Executable | None:
        """The fused program, once all its kernels are loaded. Waits for no compiler as long as there is a worker."""
        if self._lock.locked():
            return None  # another thread is at it
        with self._lock:  # a ``with``, which lets go whenever Ctrl-C strikes
            self._runs += 1
            if self.over:
                return None
            if self._asked:
                return self._collect()
            if self._runs < self._ask_at or self.is_waiting:
                return None  # most structures never come again
            return self.ask()

    @property
    def is_waiting(self) -> bool:
        """Whether more runs have to come before the fused program is planned."""
        return self._tape is None and self.spent_s < self._patience_s

    def ask(self, patience_s: float = 0.0) -> Executable | None:
        """The fused program, if all its kernels are in memory or on disk, or with drafts that are made in
        ``patience_s``: the kernels are asked for when it comes again. Otherwise they are asked for."""
        if self._tape is None:
            self._tape = self._lower()
        texts = [i.text for i in self._tape.instructions]
        fused = self._ready(self._tape)
        if fused is None and patience_s and not self._store.full:
            drafts = self._store.drafts_of(texts)
            if self._store.making_s(drafts) < patience_s:
                self.over = drafts == texts
                return self._make(self._tape, self._store.addresses(drafts))
        if fused is None:
            self._asked = self._store.request(texts, self._tell)
            self._ask_at = 2 * self._runs  # without a worker, ask less and less often
            self.over = self._store.full
        return fused

    def _tell(self) -> None:
        self._arrived = True

    def _collect(self) -> Executable | None:
        self._store.poll()
        if not self._arrived or self._tape is None:
            return None
        fused = self._ready(self._tape)
        if fused is None:  # the worker died, or a kernel could not be made
            self._failures += 1
            self._asked = self._arrived = False
            self._ask_at = self._runs + 1
            self.over = self._failures == MAX_FAILURES
        return fused

    def _ready(self, tape: Tape) -> Executable | None:
        addresses = self._store.ready([i.text for i in tape.instructions])
        if addresses is None:
            return None
        self.over = True
        return self._make(tape, addresses)

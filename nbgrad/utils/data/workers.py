"""The main process's side: tasks to workers, batches from them, and their end.

Each worker has a pipe of its own: a worker that dies ends its pipe, and holds no lock that others wait for.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import secrets
import time
import weakref
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from itertools import cycle
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from typing import TYPE_CHECKING, Any, Final

from nbgrad.errors import RunError
from nbgrad.utils.data.transfer import free, unpack
from nbgrad.utils.data.worker import AGAIN, Exhausted, Failure, Job, work

if TYPE_CHECKING:
    from nbgrad.utils.data.loader import DataLoader

FORK: Final = 'with multiprocessing_context="fork" workers are copies of this process instead'
_LOOK: Final = 5.0  # seconds between looks whether a silent worker lives
_PATIENCE: Final = 5.0  # seconds for workers to finish what they do, before they are killed


class Worker:
    """A process, the pipe to it, how many tasks it has, and which of its answers was read last."""

    def __init__(self, context: Any, number: int, job: Job, others: list[Worker]) -> None:
        self.number, self.job, self.sent, self.count, self.is_exhausted = number, job, 0, 0, False
        self.connection: Connection
        self.connection, there = context.Pipe()
        self.is_forked = context.get_start_method() == "fork"
        inherited = [*[other.connection for other in others], self.connection] if self.is_forked else []
        self.process = context.Process(target=work, args=(number, there, job, inherited), daemon=True)
        try:
            self.process.start()
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            raise RunError(
                "DataLoader: what workers are given (dataset, collate_fn, worker_init_fn, sampler) has to be pickled: "
                f"{error}. Define it at the top of a module; {FORK}"
            ) from None
        finally:
            there.close()

    def send(self, task: Any) -> None:
        with suppress(OSError):  # it is dead, which its answer will say
            self.connection.send(task)

    def receive(self) -> Any:
        """Its next answer. EOFError or OSError where it died."""
        self.count, packed = self.connection.recv()
        return unpack(packed, self.block(self.count))

    def block(self, count: int) -> str:
        """The name of the shared memory of an answer."""
        return self.job.block(self.number, count)


class WorkerIterator:
    """The batches of a loader, made by its workers. What is raised for a batch leaves the next ones to come; what is
    raised for a worker is the end."""

    def __init__(self, loader: DataLoader) -> None:
        if loader.prefetch_factor == 0:
            raise AssertionError("prefetch_factor must be greater than 0 for loading by workers")
        context: Any = loader.multiprocessing_context or multiprocessing.get_context("spawn")
        resource_tracker.ensure_running()  # one for all: what a worker registers, this process takes off
        job = Job(
            *(loader.dataset, loader.batch_sampler is not None, loader.collate_fn, loader.drop_last),
            *(loader.worker_init_fn, loader.num_workers),
            loader.seed,
            secrets.token_hex(4),
        )
        self._loader, self._workers = loader, list[Worker]()
        self._pending: deque[Worker] = deque()  # by whom the tasks given are answered
        self._stop = weakref.finalize(self, _end, self._workers, os.getpid())
        try:
            for number in range(loader.num_workers):
                self._workers.append(Worker(context, number, job, self._workers))
            self._begin()
        except BaseException:
            self._stop()
            raise

    @property
    def alive(self) -> bool:
        return self._stop.alive

    def again(self) -> WorkerIterator:
        """Begin anew, with the same workers."""
        while self._pending:
            self._receive(self._pending[0])  # the rest of an epoch that was left
            self._pending.popleft()
        for worker in self._workers:
            worker.is_exhausted = False
            worker.send(AGAIN)
        self._begin()
        return self

    def _begin(self) -> None:
        self._indices: Iterator[Any] = iter(self._loader.index_sampler)
        self._turn = cycle(self._workers)
        for _ in range((self._loader.prefetch_factor or 0) * len(self._workers)):
            self._give()

    def _give(self) -> None:
        """The next task to the next worker that has something."""
        for _ in self._workers:
            worker = next(self._turn)
            if not worker.is_exhausted:
                for index in self._indices:
                    worker.sent += 1
                    worker.send((index,))
                    self._pending.append(worker)
                    return

    def __iter__(self) -> WorkerIterator:
        return self

    def __len__(self) -> int:
        return len(self._loader)

    def __next__(self) -> Any:
        while self._pending:
            worker = self._pending[0] if self._loader.in_order else self._first_ready()
            answer = self._receive(worker)
            self._pending.remove(worker)
            worker.is_exhausted |= isinstance(answer, Exhausted)
            self._give()
            if isinstance(answer, Failure):
                answer.reraise()
            if not isinstance(answer, Exhausted):
                return answer
        if not self._loader.persistent_workers:
            self._stop()
        raise StopIteration

    def _first_ready(self) -> Worker:
        by_connection = {worker.connection: worker for worker in self._pending}
        ready: Any = wait([*by_connection], self._loader.timeout or None)
        return by_connection[ready[0]] if ready else self._pending[0]

    def _receive(self, worker: Worker) -> Any:
        try:
            self._await(worker)
            return worker.receive()
        except (EOFError, OSError):
            worker.process.join(_LOOK)
            code, pid = worker.process.exitcode, worker.process.pid
            self._close()
            said = f"DataLoader worker (pid(s) {pid}) exited unexpectedly: exit code {code}"
            if code == 1 and not worker.count and not worker.is_forked:
                said += f'. A script that workers import begins its work under if __name__ == "__main__":; {FORK}'
            raise RunError(said) from None
        except BaseException:  # what comes from the pipe next is not known
            self._close()
            raise

    def _await(self, worker: Worker) -> None:
        """Wait for an answer. RuntimeError after the loader's ``timeout``, EOFError where the worker is dead."""
        limit = self._loader.timeout
        end = time.monotonic() + limit if limit else float("inf")
        while not worker.connection.poll(max(0.0, min(_LOOK, end - time.monotonic()))):
            if time.monotonic() >= end:
                raise RunError(f"DataLoader timed out after {limit} seconds")
            if not worker.process.is_alive() and not worker.connection.poll():
                raise EOFError

    def _close(self) -> None:
        self._pending.clear()
        self._stop()


def _end(workers: list[Worker], owner: int) -> None:
    """Let workers finish, free what they sent, kill those that do not end."""
    if os.getpid() != owner:
        return  # a forked copy
    for worker in workers:
        worker.send(None)
    end = time.monotonic() + _PATIENCE
    running = {worker.connection: worker for worker in workers}
    while running and (left := end - time.monotonic()) > 0:
        ready: Any = wait([*running], left)
        for connection in ready:
            try:
                connection.recv_bytes()
            except (EOFError, OSError):
                del running[connection]
    for worker in workers:
        worker.process.join(max(0.0, end - time.monotonic()))
        if worker.process.is_alive():
            worker.process.kill()
            worker.process.join()
        for count in range(worker.count, worker.sent + 1):  # an interrupt may have lost any of them
            free(worker.block(count))
        worker.connection.close()

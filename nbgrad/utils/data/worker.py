"""A worker process: it reads tasks and answers each with a batch."""

from __future__ import annotations

import os
import pickle
import random
import signal
import threading
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from queue import SimpleQueue
from typing import Any, Final, NoReturn

import numpy as np

from nbgrad.errors import RunError
from nbgrad.random import manual_seed
from nbgrad.runtime.pool import set_num_threads
from nbgrad.utils.data.datasets import IterableDataset
from nbgrad.utils.data.fetch import fetcher
from nbgrad.utils.data.transfer import pack

AGAIN: Final = "again"  # what begins a new epoch; a task is a tuple
_LOOK: Final = 5.0  # seconds between looks for the parent: a forked sibling may hold the pipe open


@dataclass(frozen=True, slots=True)
class WorkerInfo:
    """Which worker this is, of how many, the seed of its random numbers, and its copy of the data set."""

    id: int
    num_workers: int
    seed: int
    dataset: Any


_info: WorkerInfo | None = None


def get_worker_info() -> WorkerInfo | None:
    """In a worker its ``id``, ``num_workers``, ``seed`` and ``dataset``; None in the main process.

    >>> nbgrad.utils.data.get_worker_info()
    """
    return _info


@dataclass(frozen=True)
class Job:
    """What all workers of a loader are told."""

    dataset: Any
    batched: bool
    collate: Callable[[Any], Any]
    drop_last: bool
    init: Callable[[int], object] | None
    num_workers: int
    seed: int
    token: str

    def block(self, worker: int, count: int) -> str:
        """The name of the shared memory of a worker's answer."""
        return f"nb-{self.token}-{worker}-{count}"


class Exhausted:
    """The answer of a worker whose ``IterableDataset`` has no more."""


class _Text(str):
    """A message that a KeyError shows as it is."""

    __repr__ = str.__str__


@dataclass(frozen=True)
class Failure:
    """The answer of a worker that raised."""

    kind: type[Exception]
    text: str

    @staticmethod
    def of(error: Exception, worker: int) -> Failure:
        kind = type(error)
        text = "".join(traceback.format_exception(error))
        try:
            pickle.dumps(kind)
        except Exception:
            kind = RunError  # a class inside a function does not go through a pipe
        name = type(error).__name__
        return Failure(kind, f"Caught {name} in DataLoader worker process {worker}.\nOriginal {text}")

    def reraise(self) -> NoReturn:
        try:
            error = self.kind(_Text(self.text) if self.kind is KeyError else self.text)
        except Exception:
            raise RunError(self.text) from None  # it takes other arguments
        raise error


def work(worker: int, connection: Connection, job: Job, inherited: list[Connection]) -> None:
    """The life of a worker. ``inherited``: ends of pipes that a fork left here."""
    global _info
    for other in inherited:
        other.close()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C goes to all; the main process ends its workers
    tasks: SimpleQueue[Any] = SimpleQueue()
    threading.Thread(target=_receive, args=(connection, tasks, os.getppid()), daemon=True).start()
    set_num_threads(1)
    random.seed(job.seed + worker)
    manual_seed(job.seed + worker)
    np.random.seed(np.random.SeedSequence([job.seed, worker]).generate_state(4))
    _info = WorkerInfo(worker, job.num_workers, job.seed + worker, job.dataset)
    _answer_all(worker, connection, job, tasks)


def _answer_all(worker: int, connection: Connection, job: Job, tasks: SimpleQueue[Any]) -> None:
    fetch: Callable[[Any], Any] | None = None
    has_begun = False
    count = 0
    for task in iter(tasks.get, None):
        if task == AGAIN:
            fetch = None
            continue
        try:
            if not has_begun and job.init is not None:
                job.init(worker)
            has_begun = True
            if fetch is None:
                fetch = fetcher(job.dataset, job.batched, job.collate, job.drop_last)
            packed = pack(fetch(*task), job.block(worker, count + 1))
        except Exception as error:
            is_end = isinstance(error, StopIteration) and isinstance(job.dataset, IterableDataset)
            packed = pack(Exhausted() if is_end else Failure.of(error, worker), "")
        count += 1
        try:
            connection.send((count, packed))
        except OSError:  # nobody reads it
            return


def _receive(connection: Connection, tasks: SimpleQueue[Any], parent: int) -> None:
    """Take tasks as they come, so that the main process never waits to send one, and end with it."""
    try:
        while True:
            if connection.poll(_LOOK):
                task = connection.recv()
                tasks.put(task)
                if task is None:
                    return
            elif os.getppid() != parent:
                break
    except (EOFError, OSError):
        pass
    os._exit(1)

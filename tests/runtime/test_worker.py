import os
import pathlib
import signal
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from nbgrad.config import override
from nbgrad.kernels.compile import compile_kernels
from nbgrad.kernels.engine import maker_of
from nbgrad.kernels.target import host
from nbgrad.log import fallbacks
from nbgrad.runtime import background, cache
from nbgrad.runtime.background import Worker
from nbgrad.runtime.source import import_folders
from nbgrad.runtime.store import KernelStore
from tests.fresh import fresh, printed
from tests.kernels.objects import machine_code
from tests.runtime.forks import holds_in_child
from tests.runtime.test_store import wait_for
from tests.runtime.texts import chain, chains, computes


@pytest.fixture
def store(tmp_path: pathlib.Path) -> Iterator[KernelStore]:
    with override(cache_dir=str(tmp_path / "nbgrad"), log="", log_dir=None):
        store = KernelStore()
        yield store
        store.stop_worker()


def pid_of(store: KernelStore) -> int:
    assert store._worker is not None
    return store._worker.process.pid


def test_requested_kernels_arrive_while_the_loop_goes_on(store: KernelStore) -> None:
    done: list[str] = []
    assert store.request(chains(1, 4), lambda: done.append("first"))
    assert store.request(chains(3, 4), lambda: done.append("second"))
    assert store.ready(chains(1, 4)) is None
    wait_for(store, lambda: len(done) == 2)
    assert done == ["first", "second"]
    found = store.ready(chains(1, 6))
    assert found is not None
    assert all(computes(1 + k, address) for k, address in enumerate(found))


def test_the_programs_threads_come_before_the_worker_and_ctrl_c_is_not_for_it(store: KernelStore) -> None:
    """In a session of its own Linux would weigh it against all of the program's together, whatever its nice value."""
    done: list[int] = []
    store.request([chain(17)], lambda: done.append(1))
    wait_for(store, lambda: done)
    pid = pid_of(store)
    assert os.getpriority(os.PRIO_PROCESS, pid) == min(os.nice(0) + 5, 19)
    assert os.getsid(pid) == os.getsid(0) and os.getpgid(pid) != os.getpgid(0)


def test_the_worker_makes_the_same_code_and_keeps_it_on_disk(store: KernelStore) -> None:
    done: list[int] = []
    store.request([chain(11)], lambda: done.append(1))
    wait_for(store, lambda: done)
    key = cache.entry_key("kernel", chain(11).to_json(), host().key)
    code = cache.load(key)
    assert code is not None
    assert maker_of(code).startswith("@njit, numba ")
    assert store.made_by([chain(11), chain(12)]).splitlines() == [
        f"{chain(11).symbol}  {maker_of(code)}",
        f"{chain(12).symbol}  not made yet",
    ]
    if sys.platform == "linux":
        assert machine_code(code) == machine_code(compile_kernels([chain(11)], host()))


def test_the_worker_imports_numba_and_neither_imports_the_other_s_part(tmp_path: pathlib.Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(
        """
import time
print("script runs")
from nbgrad.runtime.store import store
from tests.runtime.texts import chain
done = []
store.request([chain(3)], lambda: done.append(1))
while not done:
    store.poll()
    time.sleep(0.01)
import sys
maps = open(f"/proc/{store._worker.process.pid}/maps").read()
print("llvmlite" in maps, "/numba/" in maps, "numba" in sys.modules)
"""
    )
    environment = {"NBGRAD_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": os.pathsep.join(sys.path)}
    assert printed(script, **environment) == "script runs\nTrue True False\n"


def test_a_worker_without_numba_makes_kernels_all_the_same_and_says_so(
    store: KernelStore, monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path
) -> None:
    (tmp_path / "numba.py").write_text("raise ImportError('a broken installation')")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.setattr(cache, "versions", cache.versions.__wrapped__)
    done: list[int] = []
    assert store.request(chains(11, 2), lambda: done.append(1))
    wait_for(store, lambda: done)
    assert [line.split()[1] for line in store.made_by(chains(11, 2)).splitlines()] == ["llvmlite", "llvmlite"]
    said = [text for text in fallbacks() if "a broken installation" in text]
    assert len(said) == 1
    assert said[0].startswith("the worker process: kernels are no @njit functions but llvmlite's alone: ImportError")


def test_what_a_program_tells_numba_is_not_for_the_worker(store: KernelStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    monkeypatch.setenv("NUMBA_OPT", "0")
    done: list[int] = []
    store.request([chain(13)], lambda: done.append(1))
    wait_for(store, lambda: done)
    assert "@njit" in store.made_by([chain(13)])


def test_a_killed_worker_ends_the_wait_and_another_takes_over(
    store: KernelStore, capsys: pytest.CaptureFixture[str]
) -> None:
    done: list[int] = []
    with override(log="cache"):
        store.request(chains(1, 3), lambda: done.append(1))
        first = pid_of(store)
        os.kill(first, signal.SIGKILL)
        wait_for(store, lambda: done)
    assert store.ready(chains(1, 3)) is None
    assert "worker process is gone" in capsys.readouterr().err
    assert store.request(chains(1, 3), lambda: done.append(2))
    assert pid_of(store) != first
    wait_for(store, lambda: len(done) == 2)
    assert store.ready(chains(1, 3)) is not None


def is_given_up(store: KernelStore) -> None:
    """After the third worker nobody is asked, and what recurs is compiled here."""
    done: list[int] = []
    answers = []
    for turn in range(6):
        answers.append(store.request([chain(9)], lambda turn=turn: done.append(turn)))
        if answers[-1]:
            wait_for(store, lambda turn=turn: turn in done)
    assert answers == [True, True, True, False, True, True]
    assert store.ready([chain(9)]) is not None


def test_a_worker_that_keeps_dying_is_given_up_and_recurring_structures_are_compiled_here(
    store: KernelStore, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(background, "_START", "raise SystemExit('cannot live')")
    with override(log="cache"):
        is_given_up(store)
    assert "cannot live" in capsys.readouterr().err


@pytest.mark.parametrize("executable", ["/nowhere/python", "/tmp", "", None, 3, "a\0b", pathlib.Path("/nowhere")])
def test_an_interpreter_that_cannot_be_started_counts_as_no_worker(
    store: KernelStore, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], executable: object
) -> None:
    monkeypatch.setattr(sys, "executable", executable)
    does_without(store, capsys)


def does_without(store: KernelStore, capsys: pytest.CaptureFixture[str]) -> None:
    """A structure's kernels are made when it recurs, and the log says so."""
    with override(log="cache"):
        assert store.request([chain(9)], lambda: None) is False
        assert store.request([chain(9)], lambda: None) is True
    assert store.ready([chain(9)]) is not None
    assert "no worker process" in capsys.readouterr().err


@pytest.mark.parametrize(
    "error",
    [ValueError("v"), TypeError("t"), RuntimeError("can't start"), MemoryError(), OSError(11, "again"), KeyError("k")],
    ids=lambda error: type(error).__name__,
)
def test_whatever_starting_a_process_raises_counts_as_no_worker(
    store: KernelStore, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], error: Exception
) -> None:
    def fail(*args: object, **kwargs: object) -> None:
        raise error

    before = len(os.listdir("/proc/self/fd"))
    monkeypatch.setattr(subprocess, "Popen", fail)
    does_without(store, capsys)
    assert len(os.listdir("/proc/self/fd")) <= before


def test_a_frozen_application_starts_no_process(
    store: KernelStore, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(subprocess, "Popen", None)
    does_without(store, capsys)


@pytest.mark.parametrize("executable", ["/bin/true", "/usr/bin/yes", "/bin/cat"])
def test_another_program_in_place_of_python_is_given_up(
    store: KernelStore, monkeypatch: pytest.MonkeyPatch, executable: str
) -> None:
    monkeypatch.setattr(sys, "executable", executable)
    is_given_up(store)


def test_the_worker_passes_over_what_is_no_folder_in_the_path(
    store: KernelStore, monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path
) -> None:
    class Name(str):
        pass

    package = pathlib.Path(background.__file__).parents[1]
    others = [
        folder for folder in sys.path if folder not in ("", str(package.parent))
    ]  # it has gone from the path since
    odd = [tmp_path, None, 3, b"/tmp", "a\0b", "\udc80", Name(tmp_path), object()]
    monkeypatch.setattr(sys, "path", [*odd, *others])
    done: list[int] = []
    assert store.request([chain(9)], lambda: done.append(1))
    wait_for(store, lambda: done)
    assert store.ready([chain(9)]) is not None
    # Not the package itself: its rooms would be found in place of other packages, nbgrad/cuda for cuda.bindings.
    assert import_folders()[-1] == str(package.parent)


CLOSED = """
import os, sys
{before}
import nbgrad as nb
from nbgrad.runtime.store import store
from tests.runtime.test_store import wait_for
from tests.runtime.texts import chain
nb.config.settings.log = frozenset(["cache"])
done = []
store.request([chain(1)], lambda: done.append(1))
{after}
wait_for(store, lambda: done)
again = store.request([chain(2)], lambda: done.append(2))
wait_for(store, lambda: 2 in done or not again)
x = nb.ones(3, requires_grad=True)
(x * 2).sum().backward()
assert x.grad.tolist() == [2, 2, 2]
{end}
with open(sys.argv[1], "w") as file:
    file.write("done")
"""
REUSE = """os.closerange(3, 256)
files = [open(f"{sys.argv[1]}-{k}", "w+b") for k in range(40)]"""
UNTOUCHED = """assert [os.fstat(file.fileno()).st_size for file in files] == [0] * 40
store.stop_worker()
for file in files:
    file.write(b"mine")
    file.close()"""


@pytest.mark.parametrize(
    ("before", "after", "end"),
    [
        ("os.closerange(0, 3)", "", ""),
        ("os.close(0)", "", ""),
        ("sys.stdin = sys.stdout = sys.stderr = None; os.closerange(0, 3)", "", ""),
        ("", "os.closerange(0, 3)", ""),
        ("", "os.closerange(0, 256)", ""),
        ("", REUSE, UNTOUCHED),
    ],
    ids=["all closed", "no input", "no streams", "closed later", "a daemon", "numbers of the user's files"],
)
def test_descriptors_that_the_program_closes_are_no_error(
    tmp_path: pathlib.Path, before: str, after: str, end: str
) -> None:
    script = CLOSED.format(before=before, after=after, end=end)
    (tmp_path / "numba.py").write_text("raise ImportError('not read: that takes a worker a second')")
    path = os.pathsep.join([str(tmp_path), *sys.path])
    environment = {"NBGRAD_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": path}
    told = fresh("-c", script, tmp_path / "out", timeout=100, **environment)
    assert (tmp_path / "out").exists(), told.stderr


def test_children_that_nobody_waits_for_do_not_make_workers_start_for_ever(
    store: KernelStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background, "_START", "raise SystemExit('cannot live')")
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # their exit codes are lost
    try:
        done: list[int] = []
        for turn in range(4):
            if store.request([chain(9)], lambda turn=turn: done.append(turn)):
                wait_for(store, lambda turn=turn: turn in done)
        assert done == [0, 1, 2]
    finally:
        signal.signal(signal.SIGCHLD, before)


def test_a_worker_of_another_version_is_not_used(store: KernelStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "versions", lambda: "another version")
    done: list[int] = []
    store.request([chain(9)], lambda: done.append(1))
    wait_for(store, lambda: done)
    assert store.ready([chain(9)]) is None


def test_requests_never_wait_even_for_a_stopped_worker(store: KernelStore) -> None:
    texts = chains(1 << 40, 60)  # long kernels: more than a pipe holds
    done: list[int] = []
    store.request([chain(1)], lambda: done.append(1))
    wait_for(store, lambda: done)
    os.kill(pid_of(store), signal.SIGSTOP)
    store.request(texts, lambda: done.append(2))
    for _ in range(100):
        store.poll()
    assert store._worker is not None
    assert store._worker._outgoing  # so the test means something
    assert done == [1]
    os.kill(pid_of(store), signal.SIGCONT)
    wait_for(store, lambda: len(done) == 2)
    assert store.ready(texts) is not None


def test_an_idle_worker_ends_and_the_next_request_starts_another(tmp_path: pathlib.Path) -> None:
    with override(cache_dir=str(tmp_path), log="cache", log_dir=None):
        store = KernelStore(start_worker=lambda: Worker(idle_s=0.05))
        done: list[int] = []
        store.request([chain(1)], lambda: done.append(1))
        wait_for(store, lambda: done)
        assert store._worker is not None
        assert store._worker.process.wait(60) == 0
        store.request([chain(2)], lambda: done.append(2))  # sent to a process that is gone by now
        wait_for(store, lambda: len(done) == 2)
        assert store.ready(chains(1, 2)) is not None
        store.stop_worker()


def test_the_worker_ends_with_the_process_that_started_it(tmp_path: pathlib.Path) -> None:
    script = """
import os, signal
from nbgrad.runtime.store import store
from tests.runtime.texts import chain
store.request([chain(3)], print)
print(store._worker.process.pid, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""
    worker = int(fresh("-c", script, NBGRAD_CACHE_DIR=str(tmp_path)).stdout)
    end = time.monotonic() + 30
    while pathlib.Path(f"/proc/{worker}").exists() and "Z" not in state_of(worker):
        assert time.monotonic() < end
        time.sleep(0.02)


def state_of(pid: int) -> str:
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except FileNotFoundError:
        return "Z"


def test_ctrl_c_at_the_terminal_is_not_for_the_worker(store: KernelStore) -> None:
    store.request([chain(3)], lambda: None)
    assert os.getpgid(pid_of(store)) != os.getpgid(0)


def test_a_kernel_that_cannot_be_compiled_warns_and_is_not_ready(store: KernelStore) -> None:
    text = chain(3)
    bad = type(text)(text.form, text.rank, 0, text.operands, (text.stmts[0]._replace(op="no_such"),), ((2, 1),))
    done: list[int] = []
    store.request([bad, chain(5)], lambda: done.append(1))
    with pytest.warns(RuntimeWarning, match="no_such"):
        wait_for(store, lambda: done)
    assert store.ready([bad]) is None
    assert store.ready([chain(5)]) is not None


def test_a_forked_child_has_a_worker_of_its_own(store: KernelStore) -> None:
    done: list[str] = []
    store.request([chain(5)], lambda: done.append("parent"))
    parents = pid_of(store)

    def check() -> bool:
        store._after_fork()
        store.poll()  # what the parent asked for will not come here
        asked_again = done == ["parent"] and store.ready([chain(5)]) is None
        store.request([chain(6)], lambda: done.append("child"))
        own = pid_of(store) != parents
        wait_for(store, lambda: "child" in done)
        store.stop_worker()
        return asked_again and own and store.ready([chain(6)]) is not None

    os.kill(parents, signal.SIGSTOP)  # so that the child cannot find the parent's kernel on disk
    try:
        assert holds_in_child(check)
    finally:
        os.kill(parents, signal.SIGCONT)
    wait_for(store, lambda: done)
    assert store.ready([chain(5)]) is not None

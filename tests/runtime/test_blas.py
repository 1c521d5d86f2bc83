"""Calls of LAPACK use one thread of the BLAS, and leave its number of threads as the user has set it."""

from __future__ import annotations

import ctypes
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nbgrad as nb
from nbgrad import report
from nbgrad.kernels.target import host
from nbgrad.linalg.by_scipy import routine
from nbgrad.runtime.blas import alone
from nbgrad.tape.blas import Blas, blas_of, of_numpy, of_scipy
from nbgrad.tape.kernel import OK, KernelText, Operand
from tests.compiled import bits
from tests.kernels.harness import compiled
from tests.runtime.forks import holds_in_child
from tests.test_switches import run

pytestmark = pytest.mark.skipif(
    not (of_scipy().put and of_numpy().put), reason="NumPy's or SciPy's BLAS is no OpenBLAS with threads of its own"
)
BOTH = pytest.mark.parametrize("blas", [of_scipy(), of_numpy()], ids=["scipy", "numpy"])
USERS = 2
SCIPY = of_scipy()
GETRF = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 6)  # its last argument: where it says how it went


def threads(blas: Blas) -> int:
    return ctypes.CFUNCTYPE(ctypes.c_int)(blas.get)()


def put(blas: Blas, number: int) -> None:
    ctypes.CFUNCTYPE(None, ctypes.c_void_p)(blas.put)(ctypes.byref(ctypes.c_int(number)))


@pytest.fixture(autouse=True)
def users() -> Iterator[None]:
    before = [(blas, threads(blas)) for blas in (of_scipy(), of_numpy())]
    assert [*of_scipy().wanted, *of_numpy().wanted] == [1, 1]
    for blas, _ in before:
        put(blas, USERS)
    yield
    found = [(threads(blas), blas.inside) for blas, _ in before]
    for blas, number in before:
        put(blas, number)
    assert found == [(USERS, 0)] * 2


INSIDE = """
import ctypes
from nbgrad.runtime.blas import alone
from nbgrad.tape.blas import of_scipy
threads = ctypes.CFUNCTYPE(ctypes.c_int)(of_scipy().get)
before = threads()
print(alone(of_scipy(), threads), threads() - before)
"""


@pytest.mark.parametrize(("asked", "most"), [("3", 3), ("1024", 1024)])
def test_the_environment_gives_large_matrices_more_threads(tmp_path: Path, asked: str, most: int) -> None:
    inside, after = run(tmp_path, INSIDE, LAPACK_THREADS=asked).stdout.split()
    assert 3 <= int(inside) <= most  # a library has as many as it was built for
    assert after == "0"


def kernel_with(body: Callable[[], int], blas: Blas = SCIPY) -> Callable[[], int]:
    """A kernel that factors a matrix of no rows by calling ``body``, which gives LAPACK's word of how that went."""
    run, engine = compiled(KernelText("lu_diagonal", 0, 0, (Operand("float64", 1, "in"),)), host())

    def factor(*given: int) -> None:
        ctypes.c_int32.from_address(given[-1]).value = body()

    getrf, room = GETRF(factor), np.zeros(8)
    place = room.ctypes.data
    words = [1, 1, 0, ctypes.addressof(blas), place, place, 0, place, 0, 0, 0, 0]
    desc = np.array([*words, ctypes.cast(getrf, ctypes.c_void_p).value], np.int64)
    return lambda: (int(run(desc.ctypes.data, 0, 1)), engine, getrf, room)[0]  # as long as it lives, these do


def test_a_kernel_has_one_thread() -> None:
    seen: list[int] = []
    kernel = kernel_with(lambda: seen.append(threads(of_scipy())) or 0)
    assert kernel() == OK
    assert seen == [1]
    assert threads(of_scipy()) == USERS


def test_another_blas_keeps_its_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    other = blas_of("numpy.random._pcg64")  # which is linked to none
    assert other.put == 0
    assert kernel_with(lambda: int(threads(of_scipy()) != USERS), other)() == OK
    assert alone(other, threads, of_scipy()) == USERS
    assert "nbgrad leaves its number" not in "".join(report._blas())
    monkeypatch.setattr(report, "of_numpy", lambda: other)
    assert [*report._blas()][1:] == [
        "NumPy's is no OpenBLAS with threads of its own: nbgrad leaves its number of threads as it is"
    ]


def test_a_library_is_counted_once_whichever_module_and_thread_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    assert of_scipy() is blas_of("scipy.linalg._fblas") is not of_numpy()
    monkeypatch.setattr("nbgrad.tape.blas._found", {})
    with ThreadPoolExecutor(4) as pool:
        found = [*pool.map(lambda _: id(of_scipy()), range(4))]
    assert len({*found}) == 1


def test_kernels_of_four_threads_at_once() -> None:
    gate, seen = threading.Barrier(4), list[int]()

    def body() -> int:
        gate.wait(20)
        seen.append(threads(of_scipy()))
        if gate.wait(20):
            time.sleep(0.001)
            seen.append(threads(of_scipy()))  # others may have left
        return 0

    kernel = kernel_with(body)
    with ThreadPoolExecutor(4) as pool:
        for _ in range(20):
            assert [*pool.map(lambda _: kernel(), range(4))] == [OK] * 4
            assert threads(of_scipy()) == USERS
    assert seen == [1] * 140


def test_many_kernels_of_four_threads_leave_it_as_it_was() -> None:
    seen = set[int]()
    kernel = kernel_with(lambda: seen.add(threads(of_scipy())) or 0)

    def both(k: int) -> None:
        kernel()
        alone(of_scipy(), kernel if k % 2 else lambda: None)

    with ThreadPoolExecutor(4) as pool:
        [*pool.map(both, range(4000))]
    assert seen == {1}


def test_what_the_user_sets_meanwhile_stays() -> None:
    assert kernel_with(lambda: put(of_scipy(), USERS + 1) or 0)() == OK
    assert threads(of_scipy()) == USERS + 1
    put(of_scipy(), USERS)


def test_a_computation_has_one_thread_and_its_user_the_ones_he_set() -> None:
    a, seen, done = nb.tensor(np.random.default_rng(1).normal(size=(200, 200))), set[int](), threading.Event()

    def work() -> None:
        try:
            for _ in range(300):
                nb.linalg.svd(a).S.numpy()
                if 1 in seen:
                    return
        finally:
            done.set()

    worker = threading.Thread(target=work)
    worker.start()
    while not done.is_set():
        seen.add(threads(of_scipy()))
    worker.join()
    assert 1 in seen


@pytest.mark.parametrize("f", [nb.linalg.inv, nb.linalg.cholesky])
def test_after_an_error_it_is_as_it_was(f: Callable[[Any], Any]) -> None:
    with pytest.raises(nb.errors.LinAlgError):
        f(nb.zeros(70, 70)).numpy()
    assert threads(of_scipy()) == USERS


@BOTH
def test_functions_that_python_calls_have_one_thread(blas: Blas) -> None:
    def fails() -> None:
        assert threads(blas) == 1
        raise KeyError

    assert alone(blas, threads, blas) == 1
    assert alone(blas, lambda: alone(blas, threads, blas) + threads(blas)) == 2
    with pytest.raises(KeyError):
        alone(blas, fails)
    assert threads(blas) == USERS


def test_complex_factors_and_those_of_scipy_have_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []
    plain = np.linalg.eig
    monkeypatch.setattr(np.linalg, "eig", lambda a: seen.append(threads(of_numpy())) or plain(a))
    nb.linalg.eig(nb.eye(3)).eigenvalues.numpy()
    assert seen == [1]
    assert routine("getrf", np.eye(3)).func is alone


@BOTH
def test_ctrl_c_at_any_moment_leaves_it_as_it_was(blas: Blas) -> None:
    class Alarm(Exception):
        pass

    def handler(*_: object) -> None:
        raise Alarm

    alone(blas, int)
    before, hit = signal.signal(signal.SIGALRM, handler), 0
    try:
        for k in count():
            try:
                signal.setitimer(signal.ITIMER_REAL, 1e-6 * (k % 40 + 1))
                for _ in range(50):
                    alone(blas, int)
                signal.setitimer(signal.ITIMER_REAL, 0)
            except Alarm:
                hit += 1
            assert (threads(blas), blas.inside) == (USERS, 0)
            if hit == 300 or k == 5000:
                break
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert hit > 50


def test_a_child_forked_while_a_thread_is_inside_has_what_the_user_set() -> None:
    inside, out = threading.Event(), threading.Event()

    def body() -> int:
        inside.set()
        out.wait(20)
        return 0

    worker = threading.Thread(target=kernel_with(body))
    worker.start()
    inside.wait(20)

    def holds() -> bool:
        mine = kernel_with(lambda: int(threads(of_scipy()) != 1))
        return threads(of_scipy()) == USERS and mine() == OK and threads(of_scipy()) == USERS

    try:
        assert holds_in_child(holds)
        assert threads(of_scipy()) == 1
    finally:
        out.set()
        worker.join()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", [30, 150, 301])
def test_bits_do_not_depend_on_the_threads_that_the_user_set(n: int, dtype: Any) -> None:
    a = np.random.default_rng(n).normal(size=(n, n)).astype(dtype)
    given = nb.tensor(a), nb.tensor(a @ a.T + n * np.eye(n, dtype=dtype))

    def results() -> list[Any]:
        x, s = given
        linear = [nb.linalg.cholesky(s), nb.linalg.solve(x, s), nb.linalg.inv(x), nb.linalg.det(x / 4)]
        factors = [*nb.linalg.qr(x), *nb.linalg.eigh(s), *nb.linalg.svd(x), *nb.linalg.lu_factor(x)]
        return [bits(y.numpy()) for y in (*linear, *factors, *nb.linalg.eig(x))]

    found = []
    for number in (1, USERS):
        for blas in (of_scipy(), of_numpy()):
            put(blas, number)
        found.append(results())
    assert found[0] == found[1]

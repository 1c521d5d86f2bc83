"""How a plan comes to its fused kernels."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from nbgrad.graph.node import apply
from nbgrad.passes.group import one_by_one
from nbgrad.runtime.executable import Executable
from nbgrad.runtime.store import store
from nbgrad.runtime.tiers import MAX_FAILURES, Upgrade
from nbgrad.tape.kernel import KernelText
from nbgrad.tape.lower import lower
from nbgrad.tape.tape import Tape
from tests.passes.build import value


class FakeStore:
    """A store whose worker answers when it is told to."""

    def __init__(self, has_worker: bool = True) -> None:
        self.has_worker = has_worker
        self.here = False
        self.full = False
        self.requests = 0
        self.made: list[KernelText] = []
        self.waiting: list[Callable[[], None]] = []

    def ready(self, texts: Sequence[KernelText]) -> list[int] | None:
        return store.addresses(texts) if self.here else None

    def making_s(self, texts: Sequence[KernelText]) -> float:
        return 0.1

    def drafts_of(self, texts: Sequence[KernelText]) -> list[KernelText]:
        return store.drafts_of(texts)

    def addresses(self, texts: Sequence[KernelText]) -> list[int]:
        self.made += texts
        return store.addresses(texts)

    def request(self, texts: Sequence[KernelText], done: Callable[[], None]) -> bool:
        self.requests += 1
        if self.has_worker:
            self.waiting.append(done)
        return self.has_worker

    def poll(self) -> None:
        while self.waiting and self.here:
            self.waiting.pop()()


def tape() -> Tape:
    graph = [apply("tanh", value(3))]
    return lower(graph, one_by_one(graph), padded=False)


def upgrade(fake: FakeStore) -> Upgrade:
    return Upgrade(fake, tape)  # type: ignore[arg-type]


def test_nothing_is_asked_for_at_the_first_run() -> None:
    fake = FakeStore()
    assert upgrade(fake).step() is None
    assert fake.requests == 0


def test_kernels_are_asked_for_once_and_used_when_they_are_there() -> None:
    fake = FakeStore()
    way = upgrade(fake)
    for _ in range(5):
        assert way.step() is None
    assert fake.requests == 1
    fake.here = True
    assert isinstance(way.step(), Executable)
    assert way.over


def test_kernels_that_are_there_are_used_without_asking() -> None:
    fake = FakeStore()
    fake.here = True
    assert isinstance(upgrade(fake).ask(), Executable)
    assert fake.requests == 0


def test_drafts_made_sooner_than_somebody_would_wait_without_them_are_made_at_once() -> None:
    fake = FakeStore()
    way = upgrade(fake)
    assert isinstance(way.ask(0.2), Executable)
    assert [text.is_draft for text in fake.made] == [True]
    assert not way.over
    assert fake.requests == 0
    assert upgrade(fake).ask(0.05) is None
    assert fake.requests == 1


def test_what_drafts_stand_for_is_asked_for_when_it_comes_again() -> None:
    fake = FakeStore()
    way = upgrade(fake)
    way.ask(0.2)
    assert way.step() is None  # the run that it was made for
    assert fake.requests == 0
    assert way.step() is None
    assert fake.requests == 1
    fake.here = True
    assert isinstance(way.step(), Executable)
    assert way.over


def test_kernels_that_have_no_drafts_are_made_and_stay() -> None:
    fake = FakeStore()
    fake.drafts_of = list  # type: ignore[method-assign]
    way = upgrade(fake)
    assert isinstance(way.ask(0.2), Executable)
    assert way.over


def test_without_a_worker_it_asks_again_less_and_less_often() -> None:
    fake = FakeStore(has_worker=False)
    way = upgrade(fake)
    for _ in range(40):
        way.step()
    assert fake.requests == 5  # at runs 2, 4, 8, 16, 32


def test_a_full_store_is_not_asked_again() -> None:
    fake = FakeStore(has_worker=False)
    fake.full = True
    way = upgrade(fake)
    for _ in range(40):
        way.step()
    assert fake.requests == 1
    assert way.over


def test_a_kernel_that_cannot_be_made_leaves_the_plan_unfused() -> None:
    fake = FakeStore()
    way = upgrade(fake)
    for _ in range(20):
        assert way.step() is None
        while fake.waiting:
            fake.waiting.pop()()  # the worker answers, but the kernel is not there
    assert fake.requests == MAX_FAILURES
    assert way.over

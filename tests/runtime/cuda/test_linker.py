"""PTX becomes machine code where nvJitLink is installed, and goes to the driver where it is not."""

from __future__ import annotations

import enum
import importlib.util
import sys

import pytest

from nbgrad.graph.node import apply
from nbgrad.kernels.ptx import ptx_text
from nbgrad.log import log
from nbgrad.runtime.cuda.linker import MARK, assembled
from tests.passes.build import value
from tests.passes.runs import fused

PACKAGE = "cuda.bindings.nvjitlink"


class InputType(enum.IntEnum):
    PTX = 2


class LinkError(Exception):
    """What the package raises."""


class FakeLinker:
    """What stands for the package: it writes down its calls."""

    InputType = InputType
    nvJitLinkError = LinkError

    def __init__(self) -> None:
        self.calls: list[tuple[object, ...]] = []
        self.fails = ""

    def version(self) -> tuple[int, int]:
        return 13, 2

    def create(self, count: int, options: list[str]) -> int:
        assert count == len(options)
        self.calls.append(("create", *options))
        if self.fails == "create":
            raise LinkError("ERROR_UNRECOGNIZED_OPTION (1)")
        return 5

    def add_data(self, handle: int, kind: int, data: bytes, size: int, name: str) -> None:
        assert (kind, size) == (InputType.PTX, len(data))
        self.calls.append(("add_data", handle, data))

    def complete(self, handle: int) -> None:
        self.calls.append(("complete", handle))
        if self.fails == "complete":
            raise LinkError("ERROR_PTX_COMPILE (4)")

    def get_linked_cubin_size(self, handle: int) -> int:
        return 6

    def get_linked_cubin(self, handle: int, code: bytearray) -> None:
        code[:] = MARK + b"ok"

    def get_error_log_size(self, handle: int) -> int:
        return 20

    def get_error_log(self, handle: int, code: bytearray) -> None:
        code[:] = b"line 3: what?".ljust(20, b"\0")

    def destroy(self, handle: int) -> None:
        self.calls.append(("destroy", handle))


@pytest.fixture
def linker(monkeypatch: pytest.MonkeyPatch) -> FakeLinker:
    fake = FakeLinker()
    monkeypatch.setitem(sys.modules, PACKAGE, fake)  # type: ignore[arg-type]
    fake.__spec__ = None  # type: ignore[attr-defined]
    return fake


def test_code_is_linked_for_the_architecture(linker: FakeLinker) -> None:
    assert assembled(b"ptx", "sm_90") == MARK + b"ok"
    assert linker.calls == [("create", "-arch=sm_90", "-O3"), ("add_data", 5, b"ptx"), ("complete", 5), ("destroy", 5)]


def test_a_driver_gets_machine_code_of_its_own_cuda_only(linker: FakeLinker, capfd: pytest.CaptureFixture[str]) -> None:
    with log("code"):
        assert assembled(b"ptx", "sm_90", 12) == b"ptx"
    assert "nvJitLink 13.2 is too new for a driver of CUDA 12" in capfd.readouterr().err
    assert linker.calls == []
    for driver in (13, 14):
        assert assembled(b"ptx", "sm_90", driver) == MARK + b"ok"


@pytest.mark.parametrize(
    ("fails", "said", "destroyed"),
    [("create", "ERROR_UNRECOGNIZED_OPTION", 0), ("complete", r"ERROR_PTX_COMPILE \(4\): line 3: what\?", 1)],
)
def test_what_it_does_not_take_goes_to_the_driver_and_is_said(
    linker: FakeLinker, fails: str, said: str, destroyed: int, capfd: pytest.CaptureFixture[str]
) -> None:
    linker.fails = fails
    with log("code"):
        assert assembled(b"ptx", "sm_90") == b"ptx"
    printed = capfd.readouterr().err
    assert "the driver will" in printed and said.replace("\\", "") in printed
    assert linker.calls.count(("destroy", 5)) == destroyed


def test_without_the_package_the_driver_gets_ptx(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, PACKAGE, None)  # type: ignore[arg-type]
    assert assembled(b"ptx", "sm_90") == b"ptx"


@pytest.mark.parametrize("arch", ["sm_75", "sm_80", "sm_90"])
def test_the_real_package_takes_our_ptx(arch: str) -> None:
    if importlib.util.find_spec("cuda") is None or importlib.util.find_spec("nvidia") is None:
        pytest.skip("nvJitLink is not installed (cuda-bindings and nvidia-nvjitlink)")
    plan = fused([apply("softmax", value(40, 50), params=((1,),))])
    assert plan._executable is not None
    texts = [i.text for i in plan._executable.tape.instructions]
    assert assembled(ptx_text(texts, arch).encode(), arch).startswith(MARK)

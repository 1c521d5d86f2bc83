"""Views without a place in the graph: made without grad mode, of such a view, or before their root required grad."""

from __future__ import annotations

import itertools
from random import Random
from typing import Any, NamedTuple

import pytest

import nbgrad as nb
from tests.beside_torch import theirs

SECOND = {
    "index": "{0}[0]",
    "slice": "{0}[1:]",
    "as_strided": "{0}.as_strided((2,), (1,), {0}.storage_offset())",
    "as_strided outside": "L.as_strided({0}, (2,), (1,), 1)",
    "reshape": "{0}.reshape(-1)",
    "T": "{0}.T",
    "expand": "{0}.unsqueeze(0).expand(2, *{0}.shape)",
    "detach": "{0}.detach()",
    "data": "{0}.data",
    "unbind": "{0}.unbind(0)[0]",
    "unfold": "{0}.unfold(0, 1, 1)",
    "diagonal": "{0}.diagonal() if {0}.ndim == 2 else {0}.squeeze()",
}
DATA = "L.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]], dtype=L.float64"
FIRST = {  # how p is made of a
    "leaf, no_grad": [f"a = {DATA}, requires_grad=True)", "with L.no_grad(): p = {way}"],
    "computed, no_grad": [f"w = {DATA}, requires_grad=True)", "a = w * 1.0", "with L.no_grad(): p = {way}"],
    "late, no_grad": [f"a = {DATA})", "with L.no_grad(): p = {way}", "a.requires_grad_()"],
    "late": [f"a = {DATA})", "p = {way}", "a.requires_grad_()"],
    "late alias": [f"a = {DATA}).detach()", "p = {way}", "a.requires_grad_()"],
    "leaf": [f"a = {DATA}, requires_grad=True)", "p = {way}"],
}
THEN = {
    "used": ["z = (q * 2.0).sum()"],
    "used beside": ["z = (q * 2.0).sum() + a.sum()"],
    "first used beside": ["z = (p * p).sum() + a.sum()"],
    "written": ["q.mul_(2.0)", "z = (q * 2.0).sum() + a.sum()"],
    "first written": ["p.mul_(2.0)", "z = (q * 2.0).sum() + a.sum()"],
    "written under no_grad": ["with L.no_grad(): q.mul_(2.0)", "z = (q * 2.0).sum() + (p * p).sum() + a.sum()"],
    "first written under no_grad": ["with L.no_grad(): p.mul_(2.0)", "z = (q * 2.0).sum() + (p * p).sum() + a.sum()"],
    "base written under no_grad": ["with L.no_grad(): a.mul_(2.0)", "z = (q * 2.0).sum() + (p * p).sum() + a.sum()"],
    "data written": ["q.data.mul_(3.0)", "z = (q * 2.0).sum() + (p * p).sum() + a.sum()"],
    "alias written": ["s = q.detach()", "s.mul_(3.0)", "z = (q * 2.0).sum() + (p * p).sum() + a.sum()"],
    "element written": ["with L.no_grad(): q[0] = 5.0", "z = (a * a).sum()"],
    "first a leaf": ["p.requires_grad_()", "z = (p * p).sum() + a.sum()"],
    "second of a leaf": ["p.requires_grad_()", "q = {second}", "z = (q * q).sum() + a.sum()"],
    "hooked": ["p.register_hook(lambda g: g * 2.0)", "z = (q * q).sum() + a.sum()"],
}
LOOK = "p.tolist(), q.tolist()"


class Seen(NamedTuple):
    lines: list[str]
    refused: list[str]
    flags: dict[str, bool]
    values: dict[str, Any]


def told(lib: Any, lines: list[str]) -> Seen:
    space: dict[str, Any] = {"L": lib}
    refused = []
    for line in lines:
        try:
            exec(line, space)
        except (RuntimeError, NameError, IndexError) as error:
            if "does not require grad" not in str(error):  # a constant says so; in PyTorch nothing is behind it
                refused.append(line)
    tensors = {name: space[name] for name in "wapqs" if name in space}
    flags = {name: x.requires_grad for name, x in tensors.items() if name != "q" or x._is_view()}
    values = {name: x.detach().tolist() for name, x in tensors.items()}
    grads = {f"{name}.grad": x.grad.tolist() for name in "wap" if (x := tensors.get(name)) is not None and is_kept(x)}
    return Seen(lines, refused, flags, values | grads)


def is_kept(x: Any) -> bool:
    try:
        return bool(x.is_leaf) and x.grad is not None
    except RuntimeError:
        return False


def programs(count: int) -> list[list[str]]:
    r = Random(0)
    made = []
    for first, way, second, then in r.sample([*itertools.product(FIRST, SECOND, SECOND, THEN)], count):
        at = SECOND[second].format("p")
        lines = [line.format(way=SECOND[way].format("a")) for line in FIRST[first]] + [f"q = {at}"]
        lines += [LOOK] * r.randrange(2) + [line.format(second=at) for line in THEN[then]]
        made.append([*lines, *[LOOK] * r.randrange(2), "z.backward()"])
    return made


@pytest.mark.parametrize("part", range(10))
@pytest.mark.filterwarnings("ignore")
def test_such_views_and_theirs_do_what_pytorchs_do(part: int) -> None:
    torch = theirs()
    for lines in programs(700)[part::10]:
        assert told(nb, lines) == told(torch, lines)


@pytest.mark.parametrize("second", SECOND)
@pytest.mark.parametrize("first", ["leaf, no_grad", "computed, no_grad", "late, no_grad", "late"])
def test_such_a_view_is_a_constant_and_so_is_a_view_of_it(first: str, second: str) -> None:
    space: dict[str, Any] = {"L": nb}
    at = SECOND[second].format("p")
    for line in [*FIRST[first], f"q = {at}"]:
        exec(line.format(way="a[1:]"), space)
    a, p, q = space["a"], space["p"], space["q"]
    assert p.requires_grad and p.is_leaf and p.grad_fn is None
    assert q.requires_grad is (second not in ("detach", "data")) and q.is_leaf and q.grad_fn is None
    assert not (q * 2.0).requires_grad
    with pytest.raises(RuntimeError, match="does not require grad"):
        (q * p.sum()).sum().backward()
    ((q * 2.0).sum() + p.sum() + a.sum()).backward()
    end = space.get("w", a)
    assert end.grad is not None and end.grad.tolist() == [[1.0] * 3] * 3


def test_a_view_older_than_its_bases_flag_gets_its_place_by_a_write() -> None:
    a = nb.tensor([1.0, 2.0, 3.0])
    p = a[1:]
    q = p[1:]
    a.requires_grad_()
    later = p[:1]
    assert [x.is_leaf for x in (p, q, later)] == [True] * 3
    with nb.no_grad():
        a.mul_(2.0)
    assert [x.is_leaf for x in (p, q, later)] == [False] * 3
    (p.sum() + q.sum() * 10.0 + later.sum() * 100.0).backward()
    assert a.grad is not None and a.grad.tolist() == [0.0, 101.0, 11.0]


def test_compiled_functions_know_views_that_have_no_place() -> None:
    @nb.compile
    def total(p: nb.Tensor, a: nb.Tensor) -> nb.Tensor:
        return (p * p).sum() + a.sum()

    for k in range(6):
        a = nb.tensor([1.0, 2.0, 3.0], requires_grad=k % 3 != 2)
        with nb.set_grad_enabled(k % 3 != 1):
            p = a[1:]
        a.requires_grad_()
        total(p, a).backward()
        assert a.grad is not None and a.grad.tolist() == ([1.0, 5.0, 7.0] if k % 3 == 0 else [1.0] * 3)


def test_a_view_made_in_a_compiled_function_before_its_base_is_a_leaf() -> None:
    @nb.compile
    def run(x: nb.Tensor) -> tuple[Any, ...]:
        a = x * 1.0
        p = a[0]
        a.requires_grad_()
        ((p * p).sum() + a.sum()).backward()
        return a.grad, p.requires_grad, p.is_leaf

    for _ in range(4):
        grad, requires_grad, is_leaf = run(nb.tensor([[1.0, 2.0], [3.0, 4.0]]))
        assert grad.tolist() == [[1.0, 1.0], [1.0, 1.0]]
        assert requires_grad and is_leaf

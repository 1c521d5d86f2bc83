"""Where a tensor lies in its memory, and shapes that change in place. NBGRAD_ORACLE=torch runs it against PyTorch."""

import itertools
import os

import numpy as np
import pytest

import nbgrad as nb
from nbgrad.trace.storage import is_alone


def test_a_view_knows_where_it_begins():
    x = nb.arange(24.0).reshape(2, 3, 4)
    for view, offset in ((x, 0), (x[1], 12), (x[1, 2, 3], 23), (x[:, 1:, ::2], 4), (x.permute(2, 1, 0)[1:], 1)):
        assert view.storage_offset() == offset
        assert view.data_ptr() == x.data_ptr() + 4 * offset
        assert view.clone().storage_offset() == 0


def test_what_shows_the_same_memory_has_the_same_storage():
    x = nb.arange(6.0).reshape(2, 3)
    for y in (x, x[1], x.t(), x.detach(), x.data, x[:, 2:].requires_grad_()):
        storage = y.untyped_storage()
        assert storage.data_ptr() == x.data_ptr() and storage.nbytes() == storage.size() == len(storage) == 24
        assert storage.device == x.device
    assert x.clone().untyped_storage().data_ptr() != x.data_ptr()


@pytest.mark.parametrize(
    ("size", "stride", "offset"),
    [
        ((2, 2), (1, 2), 1),
        ((3, 2), (1, 1), None),
        ((4,), (0,), 5),
        ((2, 3, 2), (6, 1, 3), 0),
        ((), (), 7),
        ((0, 2), (1, 1), 0),
    ],
)
def test_any_strides_make_a_view(size, stride, offset):
    x, memory = nb.arange(12.0).requires_grad_(), np.arange(12.0)
    view = x.as_strided(size, stride, offset)
    steps = [s * 8 for s in stride]
    want = np.lib.stride_tricks.as_strided(memory[offset or 0 :], size, steps)
    assert tuple(view.shape) == size and view.detach().tolist() == want.tolist()
    (nb.as_strided(x, size, stride, offset) * 2).sum().backward()
    counts = np.zeros(12)
    np.add.at(counts, want.astype(int), 2.0)
    assert x.grad.tolist() == counts.tolist()
    if view.numel() and 0 not in stride:
        assert view.stride() == stride and view.storage_offset() == (offset or 0)


def test_strides_are_those_of_the_memory_whatever_shows_it():
    x = nb.arange(12.0)
    view = x.reshape(3, 4)[1:, 1:].t().as_strided((2, 2), (5, 1))
    assert view.tolist() == [[5.0, 6.0], [10.0, 11.0]]
    assert x[6:].as_strided((2,), (1,), 0).tolist() == [0.0, 1.0]
    view.as_strided((2,), (1,)).zero_()
    assert x[4:8].tolist() == [4.0, 0.0, 0.0, 7.0]
    leaf = x[6:].requires_grad_()
    leaf.as_strided((2,), (3,)).sum().backward()
    assert leaf.grad.tolist() == [1.0, 0.0, 0.0, 1.0, 0.0, 0.0]


def test_strides_that_lead_out_of_the_memory_are_refused():
    x = nb.arange(4.0)
    for size, stride, offset in (((3, 2), (2, 1), 0), ((1,), (1,), 4), ((2,), (-1,), 1), ((2,), (1, 1), 0)):
        with pytest.raises(RuntimeError):
            x.as_strided(size, stride, offset)


def test_shapes_change_in_place_and_memory_stays():
    x = nb.arange(6.0).reshape(2, 3) * 1
    assert x.t_() is x and x.shape == (3, 2)
    x[2, 0] = 9.0
    assert x.unsqueeze_(1).shape == (3, 1, 2) and x.transpose_(0, 2).shape == (2, 1, 3)
    assert x.squeeze_(1).shape == (2, 3) and x.swapaxes_(0, 1).shape == (3, 2) and x.swapdims_(0, 1).shape == (2, 3)
    assert nb.ones(1, 2, 1).squeeze_().shape == (2,)
    assert (x + 1).tolist() == [[1.0, 2.0, 10.0], [4.0, 5.0, 6.0]]
    for _ in range(200):
        x.t_()
    x.add_(1)
    assert x.tolist() == [[1.0, 2.0, 10.0], [4.0, 5.0, 6.0]]
    y = nb.zeros(1)
    assert y.set_(x) is y and y.shape == (2, 3)
    y[0, 0] = -1.0
    assert x[0, 0].item() == -1.0


STRIDES = {  # of views of a (2, 3, 4) tensor whose dims 0 and 2 are swapped, with strides (1, 4, 12): PyTorch's
    "unsqueeze first": (lambda x: x.unsqueeze(0), (4, 1, 4, 12)),
    "unsqueeze last": (lambda x: x.unsqueeze(-1), (1, 4, 12, 1)),
    "unsqueeze": (lambda x: x.unsqueeze(1), (1, 12, 4, 12)),
    "view": (lambda x: x.view(2, 1, 2, 3, 1, 1, 2), (2, 2, 1, 4, 24, 24, 12)),
    "view first": (lambda x: x.view(1, 1, 4, 3, 2), (4, 4, 1, 4, 12)),
    "nothing": (lambda x: x[:, :0].view(4, 0, 2, 1), (2, 2, 1, 1)),
    "expand by nothing": (lambda x: x[0].expand(1, 1, 3, 2), (12, 12, 4, 12)),
    "expand": (lambda x: x[0].expand(2, 1, 3, 2), (0, 12, 4, 12)),
}


@pytest.mark.parametrize(("make", "strides"), STRIDES.values(), ids=STRIDES)
def test_dims_of_one_element_have_pytorchs_strides(make, strides):
    x = nb.arange(24.0).reshape(2, 3, 4).transpose(0, 2)
    view = make(x)
    assert view.stride() == strides and view._base is x._base


MOVES = {  # from (2, 3), and the strides after it
    "t": (lambda x: x.t_(), (1, 3)),
    "transpose": (lambda x: x.transpose_(0, 1), (1, 3)),
    "there and back": (lambda x: x.t_().swapaxes_(0, 1), (3, 1)),
    "first": (lambda x: x.t_().unsqueeze_(0), (3, 1, 3)),
    "last": (lambda x: x.t_().unsqueeze_(-1), (1, 3, 1)),
    "middle": (lambda x: x.swapdims_(0, 1).unsqueeze_(1), (1, 6, 3)),
    "and away": (lambda x: x.t_().unsqueeze_(1).squeeze_(), (1, 3)),
    "strided": (lambda x: x.as_strided_((3, 1, 2), (1, 5, 3)).squeeze_(1), (1, 3)),
}


@pytest.mark.parametrize(("move", "strides"), MOVES.values(), ids=MOVES)
def test_memory_stays_where_it_is_when_dims_move(move, strides):
    x = nb.arange(6.0).reshape(2, 3) * 1
    assert move(x) is x and x.stride() == strides and not x._is_view() and x.is_leaf
    assert x.is_contiguous() == (strides == (3, 1))
    first = x[0]
    shown = first.reshape(-1).tolist()
    first.add_(10.0)  # its views see the memory, and it what is written there
    assert x.storage().tolist() == [i + 10.0 * (i in shown) for i in range(6)] and first._base is x
    w = nb.ones((), requires_grad=True)
    x.mul_(w)
    first.sum().backward()
    assert w.grad.item() == first.sum().item()


def test_a_storage_gives_its_elements() -> None:
    storage = nb.arange(6.0).reshape(2, 3)[1:].storage()
    assert storage[0] == 0.0 and storage[-1] == 5.0 and list(storage) == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
    with pytest.raises(IndexError):
        storage[6]


def test_resizing_takes_what_lies_in_memory():
    for count, rest in ((4, []), (8, [0.0, 0.0])):
        x = nb.arange(6.0).reshape(2, 3) * 1
        assert x.t_().resize_(2, count // 2).reshape(-1).tolist() == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, *rest][:count]


def test_the_shape_of_a_view_changes_in_place_and_the_memory_stays_shared():
    x = nb.arange(6.0).reshape(2, 3) * 1
    view, row, column = x.view_as(x), x[0], x[:, 2]
    assert view.t_() is view and view._base is x and view.stride() == (1, 3)
    view[2, 0] = 9.0
    assert (row.tolist(), column.tolist()) == ([0.0, 1.0, 9.0], [9.0, 5.0])
    part = view[:2]
    assert view.unsqueeze_(0).swapaxes_(0, 2).shape == (2, 3, 1) and view.squeeze_().transpose_(0, 1).shape == (3, 2)
    part.add_(10)
    assert view.tolist() == [[10.0, 13.0], [11.0, 14.0], [9.0, 5.0]] and x.sum().item() == 62.0
    for _ in range(50):
        view.unsqueeze_(1).squeeze_(1)
    assert view.as_strided_((6,), (1,)).tolist() == [10.0, 11.0, 9.0, 13.0, 14.0, 5.0]
    view[5] = 0.0
    assert x[1, 2].item() == column[1].item() == 0.0


SHOWN = {  # a tensor whose shape changes, and others that show its memory
    "a row": lambda lib, x: (x, x[0]),
    "all in one row": lambda lib, x: (x, x.view(-1)),
    "a view of a view": lambda lib, x: (x, x.t()[1:][:, :1]),
    "detached": lambda lib, x: (x, x.detach()),
    "what it is detached from": lambda lib, x: (x.detach(), x),
    "data": lambda lib, x: (x.data, x),
    "a part of it": lambda lib, x: (x[:, 1:], x),
    "NumPy": lambda lib, x: (x, lib.from_numpy(x.numpy())),
    "imported": lambda lib, x: (lib.from_numpy(x.numpy()), x[1]),
    "a parameter": lambda lib, x: ((p := lib.nn.Parameter(x)).data, p),
    "NumPy, with gaps": lambda lib, x: (lib.from_numpy(x.numpy()[:, ::2]), x),
}
MOVED = {
    "t_": lambda x: x.t_(),
    "unsqueeze_": lambda x: x.unsqueeze_(1),
    "squeeze_": lambda x: x.unsqueeze_(-1).squeeze_(),
    "transpose_": lambda x: x.transpose_(0, 1),
    "swapaxes_": lambda x: x.swapaxes_(0, -1),
    "as_strided_": lambda x: x.as_strided_((2, 2), (x.stride(1), x.stride(0))),
    "resize_": lambda x: x.resize_(x.shape[0], 1) if x.is_contiguous() else x,
    "often": lambda x: [x.t_().unsqueeze_(0).squeeze_(0) for _ in range(10)],
}


@pytest.mark.cpu
@pytest.mark.parametrize("moved", MOVED)
@pytest.mark.parametrize("shown", SHOWN)
def test_the_shape_changes_of_what_others_show(shown, moved):
    torch = pytest.importorskip("torch")
    found = []
    for lib in (nb, torch):
        x, other = SHOWN[shown](lib, lib.arange(6.0).reshape(2, 3) * 1)
        is_view, plain = x._is_view(), other.detach()
        if (shown, moved) == ("NumPy, with gaps", "as_strided_"):
            found.append(None)  # of what lies between nothing is shared
            continue
        MOVED[moved](x)
        known, later = [list(x.shape), x.stride(), x._is_view(), x._base is other], x.reshape(-1)[1:]
        x.add_(10.0)
        plain.reshape(-1)[-1] = 5.0
        x[0] *= 2.0
        found.append((known, is_view, x.tolist(), plain.tolist(), other.tolist(), later.tolist()))
    assert found[0] == found[1]


@pytest.mark.parametrize("write", [None, lambda x, row: x[1].mul_(3.0), lambda x, row: row.mul_(3.0)])
@pytest.mark.parametrize(
    "change", [lambda x: x.t_(), lambda x: x.unsqueeze_(1), lambda x: x.as_strided_((3, 2), (1, 3))]
)
def test_what_a_view_shows_has_one_gradient_whatever_its_shape(change, write):
    torch = pytest.importorskip("torch")
    found = []
    for lib in (nb, torch):
        for _ in range(3):  # recorded, met again, run by a plan
            leaf = (lib.arange(6.0).reshape(2, 3) + 1).requires_grad_()
            x = leaf * 2.0
            row = x[0]
            change(x)
            if write is not None:
                write(x, row)
            loss = (x * lib.arange(6.0).reshape(x.shape)).sum() + (row * row).sum()
            loss.backward()
            found.append((x.tolist(), x.stride(), row.tolist(), row._base is x, x._is_view(), leaf.grad.tolist()))
    assert all(one == found[-1] for one in found)


def test_a_gradient_is_kept_of_what_was_there_before_the_shape_changed():
    torch = pytest.importorskip("torch")
    found = []
    for lib in (nb, torch):
        leaf = lib.arange(6.0).reshape(2, 3).requires_grad_()
        x = leaf * 2
        x.retain_grad()
        x.t_()
        (x * lib.arange(6.0).reshape(3, 2)).sum().backward()
        found.append((x.grad.tolist(), leaf.grad.tolist(), x.tolist()))
    assert found[0] == found[1]


@pytest.mark.parametrize(
    "write",
    [
        lambda x: None,
        lambda x: x[0].mul_(2),
        lambda x: x.mul_(2),
        lambda x: x.fill_(3),
        lambda x: x[0].zero_(),
        lambda x: (x[0].mul_(2), x.tolist(), x[:, 0].mul_(3)),
        lambda x: x.add_(1)[0].mul_(2),
    ],
)
@pytest.mark.parametrize(
    "change",
    [lambda x: x.unsqueeze_(0), lambda x: x.t_(), lambda x: x.as_strided_((2, 2), (1, 3))],
    ids=["unsqueeze_", "t_", "as_strided_"],
)
def test_a_hook_stays_where_the_shape_changed(change, write):
    torch = pytest.importorskip("torch")
    found = []
    for lib, is_read, is_changed, has_grad in itertools.product((nb, torch), *[(False, True)] * 3):
        leaf = (lib.arange(6.0).reshape(2, 3) + 1).requires_grad_()
        x, seen = leaf * 1.5, []
        row = x[1]
        change(x)
        if is_read:
            x.tolist()
        x.register_hook(lambda g, seen=seen: (seen.append(g.tolist()), g * 1.5)[1])
        if is_changed:
            x.unsqueeze_(0).squeeze_(0)
        with lib.set_grad_enabled(has_grad):
            is_written = write(x) is not None
        loss = (x * x).sum()
        if is_written and x.numel() == 6:  # PyTorch reads it anew, by strides that show all of it
            loss = loss + (row * row).sum()
        loss.backward()
        found.append((seen, leaf.grad.tolist(), x.tolist(), row.tolist()))
    assert found[:8] == found[8:]


def test_a_node_hook_stays_where_the_shape_changed():
    torch = pytest.importorskip("torch")
    found = []
    for lib in (nb, torch):
        leaf = lib.arange(4.0).requires_grad_()
        x, seen = leaf * 1.5, []
        x.unsqueeze_(0)
        x.grad_fn.register_prehook(lambda grads, seen=seen: seen.append(grads[0].tolist()))
        x[0, 1] = 5.0
        (x * x).sum().backward()
        found.append((seen, leaf.grad.tolist()))
    assert found[0] == found[1]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("change", [lambda x: x.unsqueeze_(0), lambda x: x.squeeze_(0), lambda x: x.t_().t_()])
def test_what_keeps_its_gradient_still_does_in_another_shape(change):
    leaf = nb.arange(4.0).reshape(1, 4).requires_grad_()
    x = leaf * 1.5
    x.retain_grad()
    change(x)
    assert x.retains_grad
    if os.environ.get("NBGRAD_ORACLE") != "torch":  # where a write now fails an assertion inside
        x.mul_(2)
    assert x.retains_grad and x.grad is None
    (x * x).sum().backward()
    assert x.grad.reshape(-1).tolist() == (2 * x).reshape(-1).tolist()


@pytest.mark.parametrize("kind", ["plain", "computed", "imported", "has a view"])
@pytest.mark.parametrize(
    "change", [lambda x: x.t_(), lambda x: x.unsqueeze_(0).squeeze_(0), lambda x: x.as_strided_((3, 2), (1, 3))]
)
def test_what_changed_its_shape_is_no_view_and_may_be_detached(kind, change):
    torch = pytest.importorskip("torch")
    found = []
    for lib in (nb, torch):
        leaf = lib.arange(6.0).reshape(2, 3).requires_grad_()
        x = leaf.detach() + 1
        if kind == "computed":
            x = leaf * 2
        elif kind == "imported":
            x = lib.from_numpy(np.arange(6.0, dtype="float32").reshape(2, 3))
        row = x[0] if kind == "has a view" else None
        change(x)
        assert x.detach_() is x
        x[0, 0] = 7.0
        assert not x._is_view() and not x.requires_grad and x.is_leaf
        with pytest.raises(RuntimeError, match="Can't detach views in-place"):
            x[0].detach_()
        found.append((x.tolist(), None if row is None else row.tolist()))
    assert found[0] == found[1]


def test_a_squeeze_without_effect_does_nothing():
    x = nb.arange(6.0).reshape(2, 3) + 1
    assert x.squeeze_(0) is x and x.squeeze_() is x and x.shape == (2, 3)
    if os.environ.get("NBGRAD_ORACLE") != "torch":
        assert is_alone(x)
    with pytest.raises(IndexError):
        x.squeeze_(2)
    with pytest.raises(RuntimeError, match="leaf"):
        nb.zeros(2, requires_grad=True).squeeze_(0)


@pytest.mark.cpu
def test_memory_of_numpy_with_gaps_is_shown_by_other_strides():
    array = np.arange(12.0)
    x = nb.from_numpy(array[::2])
    view = x.as_strided((2, 2), (2, 4), 2)
    view[1, 0] = -1.0
    assert view.tolist() == [[2.0, 6.0], [-1.0, 8.0]] and array[4] == -1.0
    assert nb.from_numpy(np.arange(6.0).reshape(2, 3).T).as_strided((6,), (1,)).tolist() == [0, 1, 2, 3, 4, 5]
    if os.environ.get("NBGRAD_ORACLE") != "torch":  # which shares what lies between, too
        with pytest.raises(RuntimeError, match=r"between the elements of an imported array, which are 2 apart.*clone"):
            x.as_strided((3,), (1,))
        with pytest.raises(RuntimeError, match=r"strides \[4, 1\] is no row of elements.*clone"):
            nb.from_numpy(array.reshape(3, 4)[:, :2]).as_strided((2,), (1,))


@pytest.mark.skipif(os.environ.get("NBGRAD_ORACLE") == "torch", reason="PyTorch compiles by other means")
@pytest.mark.filterwarnings("ignore:nbgrad")  # it is recorded at each call
def test_a_compiled_function_changes_the_shape_of_a_view_that_it_is_given():
    run = nb.compile(lambda v: v.t_().add_(1))
    for _ in range(6):
        x = nb.zeros(2, 3)
        given = x.view(2, 3)
        assert run(given) is given
        assert given.shape == (3, 2) and x.tolist() == [[1.0] * 3] * 2
        assert run(x).tolist() == given.tolist() == [[2.0] * 2] * 3 and x.shape == (3, 2)


@pytest.mark.skipif(os.environ.get("NBGRAD_ORACLE") == "torch", reason="PyTorch compiles by other means")
def test_a_compiled_function_changes_the_shape_of_its_own_tensors():
    local = nb.compile(lambda v: (v * 2).t_() + 1)
    assert [local(nb.ones(2, 3)).shape for _ in range(6)] == [(3, 2)] * 6


def test_strides_in_place_are_of_the_same_memory():
    x = nb.arange(6.0)
    assert x.as_strided_((2, 2), (1, 1), 2) is x and x.stride() == (1, 1) and x.storage_offset() == 2
    x[0, 1] = 9.0
    assert x.tolist() == [[2.0, 9.0], [9.0, 4.0]] and len(x.storage()) == 6


def test_a_tensor_shows_a_part_of_a_storage():
    x = nb.arange(8.0).reshape(2, 4)
    for source in (x, x.storage(), x[1].untyped_storage()):
        y = nb.empty(0)
        assert y.set_(source, 1, (2, 2), (4, 2)) is y and y.tolist() == [[1.0, 3.0], [5.0, 7.0]]
    y[1] = 0.0
    assert x.tolist() == [[0.0, 1.0, 2.0, 3.0], [4.0, 0.0, 6.0, 0.0]]
    assert nb.empty(0).set_(x.storage()).shape == (8,) and nb.empty(0).set_(x, 2, (2, 3)).stride() == (3, 1)
    if os.environ.get("NBGRAD_ORACLE") != "torch":  # whose memory grows
        with pytest.raises(RuntimeError, match="out of bounds"):
            nb.empty(0).set_(x.storage(), 1, (8,))
    with pytest.raises(RuntimeError, match=r"dtype|type Float"):
        nb.empty(0, dtype=nb.int64).set_(x.storage())


def test_a_storage_counts_elements_or_bytes():
    x = nb.arange(6).reshape(2, 3)
    memory = x[1].storage()
    assert (len(memory), memory.size(), memory.nbytes(), memory.dtype) == (6, 6, 48, nb.int64)
    assert memory.tolist() == [0, 1, 2, 3, 4, 5] and nb.ones(2, requires_grad=True).storage().tolist() == [1.0, 1.0]
    assert memory.data_ptr() == x.untyped_storage().data_ptr() and len(x.untyped_storage()) == 48


@pytest.mark.parametrize("shape", [(3, 3), (), (0, 6)])
def test_asking_where_a_tensor_lies_does_not_move_it(shape):
    x = nb.randn(shape)
    first = x.data_ptr()
    for view in (lambda: x.reshape(-1), lambda: x[None], lambda: x.view_as(x)):
        assert view().data_ptr() == first
    assert x.data_ptr() == first == x.untyped_storage().data_ptr()
    y = nb.ones(3, requires_grad=True)
    (y * 2).sum().backward()
    assert y.data_ptr() == y[:].data_ptr() == y.detach().data_ptr()


def test_views_stay_where_they_are_when_data_becomes_a_view_of_itself():
    x = nb.arange(6.0).reshape(2, 3) * 1
    row, cell = x[0], x[1:, 2]
    x.data = x.t()
    x[2] = 9.0
    assert row.tolist() == [0.0, 1.0, 9.0] and cell.tolist() == [9.0]
    row.zero_()
    assert x.tolist() == [[0.0, 3.0], [0.0, 4.0], [0.0, 9.0]]


CHANGES = {
    "t_": lambda x: x.t_(),
    "unsqueeze_": lambda x: x.unsqueeze_(1),
    "squeeze_": lambda x: x.unsqueeze_(0).squeeze_(0),
    "transpose_": lambda x: x.transpose_(0, 1),
    "swapaxes_": lambda x: x.swapaxes_(0, -1),
    "swapdims_": lambda x: x.swapdims_(1, 0),
    "as_strided_": lambda x: x.as_strided_((3, 2), (1, 3)),
    "as_strided_ of a part": lambda x: x.as_strided_((2,), (2,)),
}
KINDS = {
    "computed": lambda x: (y := x * 2.0, y),
    "a view": lambda x: (y := x.reshape(6) * 2.0, y.view(2, 3)),
    "a part": lambda x: (y := (x * 2.0).repeat(2, 1), y[1:3]),
    "a view of a view": lambda x: (y := x * 2.0, y[:].view(2, 3)),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("change", CHANGES)
def test_a_gradient_flows_through_a_shape_that_changes_in_place(change, kind):
    torch = pytest.importorskip("torch")
    found = []
    for lib in (nb, torch):
        for _ in range(3):  # recorded, met again, run by a plan
            x = (lib.arange(6.0).reshape(2, 3) + 1).requires_grad_()
            base, y = KINDS[kind](x)
            before = y * y
            assert CHANGES[change](y) is y and y.requires_grad and not y.is_leaf
            shape = tuple(y.shape)
            y.mul_(3.0)
            weight = lib.arange(1.0, y.numel() + 1).reshape(y.shape)
            loss = (y * weight).sum() + (base * lib.arange(1.0, base.numel() + 1).reshape(base.shape)).sum()
            if lib is nb:  # PyTorch takes a new shape for another value
                loss = loss + before.sum()
            loss.backward()
            own = 8.0 * x.detach() if lib is torch else 0.0 * x.detach()
            found.append((shape, y.tolist(), base.tolist(), (x.grad + own).tolist(), y._is_view()))
    assert all(one == found[-1] for one in found)


def test_what_may_not_be_written_may_not_change_its_shape():
    for make in (
        lambda: nb.ones(2, 3, requires_grad=True),
        lambda: nb.ones(6, requires_grad=True).view(2, 3),
        lambda: (nb.ones(1, 2, 3, requires_grad=True) * 1.0).unbind(0)[0],
    ):
        for change in CHANGES.values():
            with pytest.raises(RuntimeError, match=r"leaf Variable|multiple views"):
                change(make())


def test_the_shape_of_a_leaf_changes_without_grad_mode():
    x = nb.ones(2, 3, requires_grad=True)
    with nb.no_grad():
        x.t_()
        assert x.unsqueeze_(0) is x
    (x * nb.arange(6.0).reshape(1, 3, 2)).sum().backward()
    assert x.is_leaf and x.grad.tolist() == [[[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]]]


@pytest.mark.parametrize("has_view", [False, True])
def test_the_shape_of_a_computed_tensor_changes_without_grad_mode(has_view):
    leaf = nb.ones(2, requires_grad=True)
    x = leaf * 2
    row = x[1:] if has_view else None
    with nb.no_grad():
        assert x.unsqueeze_(0) is x and x.shape == (1, 2) and x.requires_grad
    if os.environ.get("NBGRAD_ORACLE") == "torch":  # whose tensor stays at its operation, and has no gradient
        return
    (x * nb.tensor([[3.0, 4.0]])).sum().backward()
    assert leaf.grad.tolist() == [6.0, 8.0] and (row is None or row.requires_grad)


def test_a_tensor_of_another_dtype_is_not_shown():
    with pytest.raises(RuntimeError, match="dtype"):
        nb.ones(2).set_(nb.ones(2, dtype=nb.float64))


BITS = ("int8", "uint8", "int16", "int32", "int64", "float32", "float64")


@pytest.mark.cpu
@pytest.mark.parametrize("source", BITS)
@pytest.mark.parametrize("target", BITS)
def test_memory_is_read_as_another_dtype(source, target):
    array = np.arange(-12, 12).astype(source).reshape(3, 8)
    x = nb.from_numpy(array.copy()) * 1
    view = x.view(getattr(nb, target))
    assert view.dtype is getattr(nb, target) and not view.requires_grad
    assert view.numpy().tobytes() == array.tobytes() and tuple(view.shape) == array.view(target).shape
    assert x[1:].view(dtype=getattr(nb, target)).numpy().tobytes() == array[1:].tobytes()


@pytest.mark.cpu
def test_a_view_of_another_dtype_shares_memory():
    x = nb.tensor([[1.0, 2.0], [3.0, 4.0]])
    bits = x.view(nb.int32)
    bits[0, 1] = 0x40A00000
    assert x.tolist() == [[1.0, 5.0], [3.0, 4.0]]
    x[1, 1] = 1.0
    x.mul_(2)
    assert (bits + 0).tolist() == [[0x40000000, 0x41200000], [0x40C00000, 0x40000000]]
    assert x.t().view(nb.int32).tolist() == [[0x40000000, 0x40C00000], [0x41200000, 0x40000000]]
    signs = nb.tensor([1.0, -1.0, 2.0], requires_grad=True)
    assert (signs.view(nb.int32) < 0).tolist() == [False, True, False]
    assert not signs.view(nb.float32).requires_grad and signs.view(3).requires_grad
    assert nb.tensor(1.0).view(nb.int32).item() == 0x3F800000


LAYOUTS = {
    "whole": lambda x: x,
    "transposed": lambda x: x.t(),
    "columns": lambda x: x[:, 2:4],
    "every other row": lambda x: x[::2],
    "one column": lambda x: x[1:, 2],
    "one element": lambda x: x[3:, 5:],
    "of three dims": lambda x: x.view(2, 3, 4).permute(2, 0, 1),
}


@pytest.mark.cpu
@pytest.mark.parametrize("imported", [False, True])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_what_is_made_of_a_view_of_another_dtype_is_a_view_where_strides_allow(layout, imported):
    array = np.arange(1, 25, dtype=np.float32).reshape(4, 6)
    x = nb.from_numpy(array) if imported else nb.tensor(array)
    part = LAYOUTS[layout](x)
    bits = part.view(nb.int32)
    assert bits.stride() == part.stride() and bits.data_ptr() == part.data_ptr()
    assert bits.is_contiguous() == part.is_contiguous()
    flat, is_view = bits.reshape(-1), part.reshape(-1).data_ptr() == part.data_ptr()
    assert (flat.data_ptr() == bits.data_ptr()) == is_view
    flat.zero_()
    assert (x == 0).sum().item() == (part.numel() if is_view else 0)
    bits.copy_(nb.arange(bits.numel()).reshape(bits.shape))
    assert part.reshape(-1).view(nb.int32).tolist() == [*range(bits.numel())]
    x.zero_()
    assert bits.count_nonzero().item() == 0


@pytest.mark.cpu
def test_a_view_of_another_size_of_elements_lies_in_memory_as_what_it_shows():
    for dtype, width in ((nb.float64, 1), (nb.int16, 4)):
        x = nb.arange(24.0).reshape(4, 6)
        bits = x[:, 2:4].view(dtype)
        assert bits.shape == (4, width) and bits.data_ptr() == x[:, 2:].data_ptr()
        bits.reshape(-1).zero_()
        assert x[0].tolist() == [0.0, 1.0, *((0.0, 0.0) if width == 1 else (2.0, 3.0)), 4.0, 5.0]
        bits.zero_()
        assert (x == 0).sum().item() == 9


@pytest.mark.cpu
def test_a_view_of_another_dtype_that_repeats_elements_is_not_written():
    for x in (nb.tensor(1.5), nb.tensor([1.5, 2.5])[:1], nb.from_numpy(np.ones(1))):
        bits = x.expand(2).view(nb.int64 if x.dtype is nb.float64 else nb.int32)
        with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
            bits.add_(1)


@pytest.mark.cpu
def test_memory_that_another_dtype_cannot_show_is_refused():
    matrix = nb.zeros(4, 4)
    for view, wanted, why in (
        (nb.zeros(2, 3), nb.float64, r"self.size\(-1\) must be divisible by 2 to view .* but got 3"),
        (nb.tensor(1.0), nb.int16, r"self.dim\(\) cannot be 0 to view"),
        (matrix.t(), nb.int16, r"self.stride\(-1\) must be 1 to view .* but got 4"),
        (matrix.t(), nb.int64, r"self.stride\(-1\) must be 1 to view .* but got 4"),
        (nb.zeros(5)[1:], nb.int64, r"self.storage_offset\(\) must be divisible by 2 to view .* but got 1"),
        (nb.zeros(4, 3)[:, :2], nb.int64, r"self.stride\(0\) must be divisible by 2 to view .* but got 3"),
    ):
        with pytest.raises(RuntimeError, match=why):
            view.view(wanted)
    for mistake in (lambda: matrix.view("a"), lambda: matrix.view(4, 4, dtype=nb.int32), lambda: matrix.view()):
        with pytest.raises(TypeError):
            mistake()


def test_sizes_change_in_place():
    x = nb.arange(6.0)
    assert x.resize_(2, 2) is x and x.tolist() == [[0.0, 1.0], [2.0, 3.0]]
    assert x.resize_((5,))[:4].tolist() == [0.0, 1.0, 2.0, 3.0]
    assert x.resize_as_(nb.zeros(1, 3)).tolist() == [[0.0, 1.0, 2.0]]
    assert nb.zeros(3).resize_(0, 2).shape == (0, 2)
    base = nb.arange(6.0)
    view = base[1:3]
    assert view.resize_(2, 2).tolist() == [[1.0, 2.0], [3.0, 4.0]]
    view.mul_(10)
    assert base.tolist() == [0.0, 10.0, 20.0, 30.0, 40.0, 5.0]
    assert nb.arange(6.0).reshape(2, 3).t().resize_(2, 2).tolist() == [[0.0, 1.0], [2.0, 3.0]]
    column = nb.arange(6.0).reshape(2, 3).t()
    assert column.resize_as_(nb.zeros(3, 2)).stride() == (1, 3)


def test_sizes_that_cannot_change_are_refused():
    leaf = nb.zeros(3, requires_grad=True)
    for x in (leaf, leaf * 2):
        with pytest.raises(RuntimeError, match="cannot resize variables that require grad"):
            x.resize_(2)
    with pytest.raises(RuntimeError):
        nb.zeros(3).resize_(-1)
    with pytest.raises(TypeError):
        nb.zeros(3).resize_as_(3)


@pytest.mark.cpu
def test_memory_of_numpy_does_not_grow():
    array = np.zeros(3)
    with pytest.raises(RuntimeError, match="Trying to resize storage that is not resizable"):
        nb.from_numpy(array).resize_(8)


@pytest.mark.cpu
@pytest.mark.parametrize("change", [lambda x: x.resize_(12), lambda x: x.unsqueeze_(0), lambda x: x.t_().t_()])
def test_memory_that_numpy_sees_stays_where_it_is_through_changes_of_shape(change):
    x = nb.arange(24.0).reshape(4, 6).clone()
    array = x.numpy()
    change(x)
    x.resize_(6)
    x.zero_()
    assert array.reshape(-1)[:7].tolist() == [0.0] * 6 + [6.0]
    with pytest.raises(RuntimeError, match="Trying to resize storage that is not resizable"):
        x.resize_(25)
    del array
    if os.environ.get("NBGRAD_ORACLE") != "torch":
        assert x.resize_(25).shape == (25,)


@pytest.mark.skipif(os.environ.get("NBGRAD_ORACLE") == "torch", reason="PyTorch moves what others show, too")
def test_memory_that_others_show_does_not_grow():
    x = nb.arange(3.0)
    row = x[1:]
    for shared in (x, row):
        with pytest.raises(RuntimeError, match=r"not resizable: other tensors show this memory.*clone\(\)"):
            shared.resize_(8)
    assert x.tolist() == [0.0, 1.0, 2.0] and row.tolist() == [1.0, 2.0]


def test_what_is_new_after_growing_is_zero_or_was_in_memory():
    x = nb.arange(3.0) + 1
    assert x.resize_(2, 2)[0].tolist() == [1.0, 2.0]
    x.add_(1)
    assert x[1, 0].item() == 4.0


def test_what_lies_outside_of_a_detached_row_is_read_again_where_it_lies() -> None:
    base = nb.arange(24.0).reshape(6, 4).clone()
    row = base[2].detach()
    inside, outside = row.as_strided((2,), (2,)), row.as_strided((3,), (2,), 0)
    base.add_(100)
    assert (inside * 1).tolist() == [108.0, 110.0]
    assert (outside * 1).tolist() == [100.0, 102.0, 104.0]


def test_strides_that_lead_out_of_a_view_give_it_a_gradient_where_they_lead_into_it() -> None:
    x = nb.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)
    y = x[1:3]
    y.retain_grad()
    window = y.as_strided((2, 2), (1, 1), 0)
    assert window.tolist() == [[1.0, 2.0], [2.0, 3.0]]
    (window * nb.tensor([[1.0, 10.0], [100.0, 1000.0]])).sum().backward()
    assert y.grad.tolist() == [110.0, 1000.0]
    assert x.grad.tolist() == [0.0, 110.0, 1000.0, 0.0]


def test_strides_of_a_protected_view_are_refused() -> None:
    x = nb.tensor([1.0, 2.0, 3.0], requires_grad=True)
    with nb.no_grad():
        y = x[1:]
        y.mul_(2.0)
    with pytest.raises(RuntimeError, match="no_grad mode"):
        y.as_strided((2,), (1,), 0)


def test_strides_of_a_leaf_that_was_a_view_made_without_grad_mode() -> None:
    x = nb.tensor([[1.0, 2.0], [3.0, 4.0]])
    with nb.no_grad():
        y = x.T
    y.requires_grad_()
    part = y.as_strided((2,), (1,), 1)
    assert part.requires_grad and part.tolist() == [2.0, 3.0]
    part.sum().backward()
    assert y.grad.tolist() == [[0.0, 1.0], [1.0, 0.0]]


ALIKE = {
    "transposed": lambda x: x.permute(2, 0, 1),
    "with gaps": lambda x: x[:, ::2].transpose(0, 2),
    "a row": lambda x: x[1],
    "row-major": lambda x: x,
}


@pytest.mark.parametrize("name", ALIKE)
@pytest.mark.parametrize("leaf", [False, True])
def test_copies_lie_in_memory_as_what_they_are_copied_from(name, leaf):
    strides = {"transposed": (1, 12, 4), "with gaps": (1, 4, 8), "a row": (4, 1)}
    x = nb.arange(24.0).reshape(2, 3, 4).clone().requires_grad_(leaf)
    view = ALIKE[name](x)
    want = strides.get(name, (12, 4, 1))
    for made in (view.clone(), view.double(), view.to(nb.float16), nb.zeros_like(view), nb.rand_like(view)):
        assert made.stride() == want and made._base is None
    for made in (view.clone(memory_format=nb.contiguous_format), view.contiguous().clone()):
        assert made.is_contiguous() and nb.equal(made, view)
    assert nb.empty_like(view, memory_format=nb.contiguous_format).is_contiguous()


def test_a_copy_of_what_is_transposed_is_a_tensor_as_any():
    x = nb.arange(6.0).reshape(2, 3).clone().requires_grad_()
    with nb.no_grad():
        apart = x.t().clone()
    y = x.t().clone()
    assert y.grad_fn.name() == "CloneBackward0" and y.requires_grad and not apart.requires_grad
    assert y.detach().as_strided((6,), (1,)).tolist() == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
    y.mul_(x.t())
    apart.mul_(y)  # no view that was made without grad mode
    assert y.stride() == apart.stride() == (1, 3)
    (apart.sum() + y.sum()).backward()
    assert x.grad.tolist() == [[0.0, 4.0, 12.0], [24.0, 40.0, 60.0]]
    with pytest.raises(RuntimeError, match="view size is not compatible"):
        y.view(-1)
    assert y.detach().numpy().strides == (4, 12)
    full = nb.full_like(x.t(), 7.0, requires_grad=True)
    assert full.is_leaf and full.stride() == (1, 3)
    (full * full).sum().backward()
    assert full.grad.stride() == (1, 3) and full.grad.tolist() == [[14.0, 14.0]] * 3


def test_a_parameter_takes_other_memory_under_no_grad() -> None:
    p = nb.nn.Parameter(nb.arange(4.0))
    for left in (3, 2):
        with nb.no_grad():
            assert p.set_(p[1:]) is p
        p.grad = None
        nb.cat((p, p * 2)).sum().backward()
        assert p.is_leaf and p.requires_grad and p.grad.tolist() == [3.0] * left
    assert p.tolist() == [2.0, 3.0]
    with pytest.raises(RuntimeError, match="under no_grad"):
        p.set_(nb.ones(2))

"""Views as strides: checked against NumPy's own strides."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nbgrad.ops  # noqa: F401
from nbgrad.graph.dtypes import float32, int64
from nbgrad.graph.geometry import affine, is_contiguous, reshaped_strides, resolve
from nbgrad.graph.node import Node, apply, const
from nbgrad.graph.spec import Spec
from nbgrad.ops.embed import EMBED, SHIFT
from nbgrad.ops.source import input_node, iota_node, scalar_node
from nbgrad.ops.view import slice_at


def elements(node: Node, base: np.ndarray) -> np.ndarray:
    g = resolve(node, {})
    where = np.full(node.spec.shape, g.offset)
    for d, s in enumerate(g.strides):
        where += s * np.arange(node.spec.shape[d]).reshape([-1 if e == d else 1 for e in range(node.spec.rank)])
    return base.reshape(-1)[where]


def test_a_chain_of_views_finds_its_elements() -> None:
    a = np.arange(60).reshape(3, 4, 5)
    x = input_node(0, Spec.of((3, 4, 5), float32))
    view = slice_at(apply("permute", x, params=((2, 0, 1),)), 4, 0, 5, -1)
    np.testing.assert_array_equal(elements(view, a), a.transpose(2, 0, 1)[::-1])
    wide = apply("expand", slice_at(view, 1, 2, 1), params=((2, 5, 3, 4),))
    np.testing.assert_array_equal(elements(wide, a), np.broadcast_to(a.transpose(2, 0, 1)[::-1, :, 1:2], (2, 5, 3, 4)))


def test_a_reshape_of_a_transposed_value_is_a_base_of_its_own() -> None:
    x = input_node(0, Spec.of((3, 4), float32))
    flat = apply("reshape", apply("permute", x, params=((1, 0),)), params=((12,),))
    assert resolve(flat, {}).base is flat


def test_what_is_embedded_lies_so_many_elements_before_its_start() -> None:
    x = input_node(0, Spec.of((6, 5), float32))
    inner = apply(EMBED, slice_at(x, 1, 0, 3), const(2, int64), params=(0, 8))
    g = resolve(inner, {})
    assert (g.base, g.offset, g.strides) == (x, (1 - 2) * 5, (5, 1))
    moving = apply(EMBED, x, scalar_node(3, int64), params=(1, 9))
    assert resolve(moving, {}).terms == ((3, -1),)


def test_a_shifted_ramp_is_less_by_its_start() -> None:
    once = apply(SHIFT, iota_node((4, 9), 1), const(2, int64), params=(5,))
    g = resolve(apply(SHIFT, once, scalar_node(0, int64), params=(3,)), {})
    assert (g.offset, g.terms, g.strides) == (-2, ((0, -1),), (0, 1))


def test_a_run_time_start_becomes_a_term() -> None:
    x = input_node(0, Spec.of((10, 4), float32))
    start = apply("add", scalar_node(2, int64), const(1, int64))
    g = resolve(apply("slice", x, start, params=(0, 3, 1)), {})
    assert (g.offset, g.terms, g.strides) == (4, ((2, 4),), (4, 1))


def test_an_index_ramp_moves_along_its_dim_through_views() -> None:
    ramp = apply("permute", iota_node((3, 4), 1), params=((1, 0),))
    assert resolve(ramp, {}).strides == (1, 0)


def test_affine_refuses_what_is_not_linear() -> None:
    s = scalar_node(0, int64)
    assert affine(apply("mul", s, s)) is None
    assert affine(apply("neg", apply("mul", s, const(3, int64)))) == (0, ((0, -3),))
    assert affine(apply("sub", s, s)) == (0, ())
    assert affine(apply("abs", s)) is None


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_reshape_without_copy_wherever_numpy_can(data: st.DataObject) -> None:
    shape = tuple(data.draw(st.lists(st.sampled_from([1, 2, 3, 4]), min_size=1, max_size=4)))
    order = data.draw(st.permutations(range(len(shape))))
    a = np.arange(np.prod(shape)).reshape(shape).transpose(order)[..., :: data.draw(st.sampled_from([1, -1, 2]))]
    factors = data.draw(st.permutations([p for n in a.shape for p in {4: [2, 2]}.get(n, [n])]))
    new = []
    for f in factors:
        if new and data.draw(st.booleans()):
            new[-1] *= f
        else:
            new.append(f)
    got = reshaped_strides(a.shape, tuple(s // 8 for s in a.strides), tuple(new))
    b = a.view()
    try:
        b.shape = tuple(new)
    except AttributeError:
        assert got is None
    else:
        assert got is not None
        live = [d for d, n in enumerate(new) if n > 1]
        assert [got[d] for d in live] == [b.strides[d] // 8 for d in live]


@pytest.mark.parametrize(
    ("shape", "strides", "expected"),
    [((2, 3), (3, 1), True), ((1, 3), (99, 1), True), ((2, 3), (1, 2), False), ((), (), True), ((3,), (-1,), False)],
)
def test_contiguous_means_row_major_without_gaps(shape: tuple, strides: tuple, expected: bool) -> None:
    assert is_contiguous(shape, strides) is expected

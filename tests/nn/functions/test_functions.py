"""Functions of nn.functional that few programs use, beside PyTorch's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import nbgrad as nb
from tests.beside_torch import same, same_mistake
from tests.samples import floats

F = nb.nn.functional
RNG = np.random.default_rng(3)
X, Y = floats(4, 5), floats(4, 5, seed=1)
IMAGE, VOLUME, SIGNAL = floats(2, 3, 5, 6), floats(1, 2, 3, 4, 3), floats(2, 3, 6)
GRID = RNG.uniform(-1.4, 1.4, (2, 4, 3, 2))
GRID3 = RNG.uniform(-1.3, 1.3, (1, 2, 3, 2, 3))
CLASSES = np.array([0, 4, 2, 2])
LABELS = np.array([[3, 0, -1, 1, 2], [-1, 0, 1, 2, 3], [0, 1, 2, 3, 4], [4, 4, -1, 0, 0]])
VAR = np.abs(floats(4, 5, seed=2)) + 0.1
TABLE, ROWS, BAGS = floats(7, 3), np.array([1, 2, 4, 5, 4, 3, 2, 6]), np.array([0, 3, 3, 5])
SCORES = floats(8)
WORDS = np.array([[1, 2, 4], [5, 2, 2]])
PREDICTED = floats(7, 3, 5)
SPELT = np.array([[1, 2, 2, 4], [3, 1, 0, 0], [4, 4, 4, 0]])


def grid(mode: str, padding: str, aligned: bool) -> Any:
    return lambda t, x, g: t.nn.functional.grid_sample(x, g, mode, padding, aligned)


def bag(**options: Any) -> Any:
    return lambda t, w, i, o: t.nn.functional.embedding_bag(i, w, o, **options)


def ctc(**options: Any) -> Any:
    def program(t: Any, x: Any, y: Any) -> Any:
        return t.nn.functional.ctc_loss(x.log_softmax(2), y, (7, 5, 6), (4, 2, 3), **options)

    return program


def sized(*args: Any, **options: Any) -> Any:
    return lambda t, x: t.nn.functional.interpolate(x, *args, **options)


def attention(**options: Any) -> Any:
    def program(t: Any, q: Any, k: Any, w: Any, b: Any, o: Any, c: Any, e: Any) -> Any:
        given = {"training": False, **{n: v(t) if callable(v) else v for n, v in options.items()}}
        more = (e, e * 2) if given.pop("more", False) else (None, None)
        zero = given.pop("zero", False)
        return t.nn.functional.multi_head_attention_forward(q, k, k, 4, 2, w, b, *more, zero, 0.1, o, c, **given)

    return program


HEADS = (
    floats(3, 2, 4),
    floats(5, 2, 4, seed=1),
    floats(12, 4, seed=2),
    floats(12),
    floats(4, 4, seed=3),
    floats(4),
    floats(1, 1, 4),
)

PROGRAMS: dict[str, tuple[Any, ...]] = {
    "bilinear": (
        lambda t, a, b, w, c: t.nn.functional.bilinear(a, b, w, c),
        X,
        floats(4, 2),
        floats(3, 5, 2),
        floats(3),
    ),
    "bilinear deep": (lambda t, a, b, w: t.nn.functional.bilinear(a, b, w), IMAGE, IMAGE, floats(2, 6, 6)),
    "conv_tbc": (
        lambda t, x, w, b: t.conv_tbc(x, w, b, 1) if t is not nb else F.conv_tbc(x, w, b, 1),
        floats(5, 2, 3),
        floats(3, 3, 4),
        floats(4),
    ),
    "response": (lambda t, x: t.nn.functional.local_response_norm(x, 3, 0.3, 0.6, 1.5), IMAGE),
    "response even": (lambda t, x: t.nn.functional.local_response_norm(x, 2), SIGNAL),
    "shuffle": (lambda t, x: t.nn.functional.channel_shuffle(x, 3), floats(2, 6, 2, 2)),
    "rrelu": (lambda t, x: t.nn.functional.rrelu(x, 0.1, 0.4), X),
    "pdist": (lambda t, x: t.nn.functional.pdist(x, 3.0), X),
    "gaussian": (lambda t, x, y, v: t.nn.functional.gaussian_nll_loss(x, y, v, full=True), X, Y, VAR),
    "gaussian column": (lambda t, x, y, v: t.nn.functional.gaussian_nll_loss(x, y, v), X, Y, VAR[:1]),
    "gaussian row": (lambda t, x, y, v: t.nn.functional.gaussian_nll_loss(x, y, v, reduction="none"), X, Y, VAR[:, :1]),
    "gaussian lower": (
        lambda t, x, y, v: t.nn.functional.gaussian_nll_loss(x, y, v, eps=1.0, reduction="sum"),
        X,
        Y,
        VAR[:, 0],
    ),
    "gaussian number": (lambda t, x, y: t.nn.functional.gaussian_nll_loss(x, y, 0.3), X, Y),
    "margins": (lambda t, x, y: t.nn.functional.multi_margin_loss(x, y), X, CLASSES),
    "margins 2": (
        lambda t, x, y, w: t.nn.functional.multi_margin_loss(x, y, 2, 0.7, w.detach(), reduction="none"),
        X,
        CLASSES,
        np.array([1.0, 2.0, 0.5, 1.0, 3.0]),
    ),
    "margins one": (lambda t, x, y: t.nn.functional.multi_margin_loss(x, y, reduction="sum"), X[0], CLASSES[1]),
    "labels": (lambda t, x, y: t.nn.functional.multilabel_margin_loss(x, y, reduction="none"), X, LABELS),
    "labels one": (lambda t, x, y: t.nn.functional.multilabel_margin_loss(x, y), X[0], LABELS[0]),
    "triplets": (
        lambda t, a, p, n: t.nn.functional.triplet_margin_with_distance_loss(
            a, p, n, distance_function=lambda u, v: (u - v).square().sum(-1), margin=2.0, swap=True, reduction="none"
        ),
        X,
        Y,
        X[::-1].copy(),
    ),
    "triplets usual": (
        lambda t, a, p, n: t.nn.functional.triplet_margin_with_distance_loss(a, p, n),
        X,
        Y,
        X[::-1].copy(),
    ),
    "scores": (
        lambda t, x, w, b, y: t.nn.functional.linear_cross_entropy(x, w, y, linear_bias=b, label_smoothing=0.1),
        X,
        floats(6, 5),
        floats(6),
        CLASSES,
    ),
    "scores deep": (
        lambda t, x, w, y: t.nn.functional.linear_cross_entropy(x, w, y, reduction="sum"),
        X,
        floats(6, 2, 5),
        np.array([[0, 5], [1, 2], [-100, 3], [4, 4]]),
    ),
    "affine": (lambda t, m: t.nn.functional.affine_grid(m, (2, 1, 3, 4), align_corners=False), floats(2, 2, 3)),
    "affine aligned": (
        lambda t, m: t.nn.functional.affine_grid(m, (1, 1, 2, 1, 3), align_corners=True),
        floats(1, 3, 4),
    ),
    **{
        f"grid {mode} {padding} {aligned}": (grid(mode, padding, aligned), IMAGE, GRID)
        for mode in ("bilinear", "nearest", "bicubic")
        for padding in ("zeros", "border", "reflection")
        for aligned in (False, True)
    },
    "grid volume": (grid("bilinear", "zeros", False), VOLUME, GRID3),
    "grid volume mirrored": (grid("bilinear", "reflection", True), VOLUME, GRID3),
    "grid volume nearest": (grid("nearest", "border", False), VOLUME, GRID3),
    "grid far": (grid("bilinear", "reflection", False), IMAGE, GRID * 7),
    "area": (sized((3, 4), mode="area"), IMAGE),
    "area signal": (sized(scale_factor=0.5, mode="area"), SIGNAL),
    "area volume": (sized(2, mode="area"), VOLUME),
    "cubic": (sized((8, 9), mode="bicubic"), IMAGE),
    "cubic less": (sized((3, 4), mode="bicubic", align_corners=True), IMAGE),
    "cubic factor": (sized(scale_factor=(1.7, 0.6), mode="bicubic"), IMAGE),
    "smooth": (sized((2, 4), mode="bilinear", antialias=True), IMAGE),
    "smooth more": (sized((7, 3), mode="bilinear", antialias=True, align_corners=True), IMAGE),
    "smooth cubic": (sized((2, 9), mode="bicubic", antialias=True), IMAGE),
    "smooth factor": (sized(scale_factor=0.55, mode="bicubic", antialias=True), IMAGE),
    **{f"bags {mode}": (bag(mode=mode), TABLE, ROWS, BAGS) for mode in ("sum", "mean", "max")},
    **{f"bags {mode} padding": (bag(mode=mode, padding_idx=4), TABLE, ROWS, BAGS) for mode in ("sum", "mean", "max")},
    "bags end": (bag(include_last_offset=True), TABLE, ROWS, np.array([0, 2, 2, 8])),
    "bags rows": (lambda t, w, i: t.nn.functional.embedding_bag(i, w, mode="max"), TABLE, WORDS),
    "bags scores": (
        lambda t, w, i, o, s: t.nn.functional.embedding_bag(i, w, o, mode="sum", per_sample_weights=s),
        TABLE,
        ROWS,
        BAGS,
        SCORES,
    ),
    "rows": (lambda t, w, i: t.nn.functional.embedding(i, w * 1.0, 2, scale_grad_by_freq=True), TABLE, WORDS),
    **{f"ctc {r}": (ctc(reduction=r), PREDICTED, SPELT) for r in ("none", "mean", "sum")},
    "ctc blank": (ctc(blank=3, reduction="none"), PREDICTED, np.where(SPELT == 3, 0, SPELT)),
    "ctc in one": (ctc(), PREDICTED, np.array([1, 2, 2, 4, 3, 1, 4, 4, 4])),
    "ctc too short": (
        lambda t, x, y: t.nn.functional.ctc_loss(x.log_softmax(2), y, (7, 2, 4), (4, 2, 3), zero_infinity=True),
        PREDICTED,
        SPELT,
    ),
    "ctc none": (
        lambda t, x, y: t.nn.functional.ctc_loss(x.log_softmax(2), y, (7, 2, 4), (0, 2, 1), reduction="none"),
        PREDICTED,
        SPELT,
    ),
    "ctc alone": (
        lambda t, x, y: t.nn.functional.ctc_loss(x.log_softmax(1), y, t.tensor(7), t.tensor(3)),
        PREDICTED[:, 0],
        SPELT[0, :3],
    ),
    "heads": (attention(), *HEADS),
    "heads hidden": (attention(need_weights=False, more=True, zero=True), *HEADS),
    "heads masked": (
        attention(
            attn_mask=lambda t: t.ones(3, 5).tril(1) == 0,
            key_padding_mask=lambda t: t.tensor([[False] * 5, [False] * 4 + [True]]),
            average_attn_weights=False,
        ),
        *HEADS,
    ),
}

ONCE = {
    name for name in PROGRAMS if name.startswith(("ctc", "grid", "margins", "labels", "pdist", "bags", "heads hidden"))
}  # PyTorch has no second derivatives of these


@pytest.mark.parametrize("name", list(PROGRAMS))
def test_functions_are_pytorchs(name: str) -> None:
    same(*PROGRAMS[name], order=1 if name in ONCE else 2)


SMALL: dict[str, tuple[Any, ...]] = {
    "grid": (grid("bilinear", "zeros", False), floats(1, 1, 2, 3), np.array([[[[0.3, -0.2]]]])),
    "grid cubic": (grid("bicubic", "border", True), floats(1, 1, 2, 2), np.array([[[[0.3, -0.2]]]])),
    "ctc": (lambda t, x: t.nn.functional.ctc_loss(x.log_softmax(2), t.tensor([[1, 1]]), (4,), (2,)), floats(4, 1, 2)),
    "smooth": (sized((1, 2), mode="bicubic", antialias=True), floats(1, 1, 2, 3)),
}


@pytest.mark.parametrize("name", list(SMALL))
def test_second_derivatives(name: str) -> None:
    program, *arrays = SMALL[name]
    nb.autograd.gradgradcheck(lambda *x: program(nb, *x), [nb.tensor(a, requires_grad=True) for a in arrays])


@pytest.mark.parametrize("aligned", [False, True])
@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("mode", ["bilinear", "nearest", "bicubic"])
def test_a_place_that_is_no_number_is_pytorchs_and_leaves_the_image_alone(
    mode: str, padding: str, aligned: bool
) -> None:
    torch = pytest.importorskip("torch")
    places = GRID.copy()
    places[0, 0, 0] = np.nan
    places[-1, 0, 1, 0] = np.nan
    program = grid(mode, padding, aligned)
    image = nb.tensor(IMAGE, requires_grad=True)
    got = program(nb, image, nb.tensor(places))
    want = program(torch, torch.tensor(IMAGE), torch.tensor(places))
    np.testing.assert_allclose(got.detach().numpy(), want.numpy(), rtol=1e-9, atol=1e-12)
    if mode != "bicubic" or padding == "zeros":
        (g,) = nb.autograd.grad(got.sum(), image)
        assert g.isfinite().all()


def test_labels_that_there_are_none_of_are_an_index_error() -> None:
    for label in (-1, 5, 1000):
        labels = nb.tensor([[1, label], [1, 2], [2, 1]])
        with pytest.raises(IndexError):
            F.ctc_loss(nb.tensor(PREDICTED).log_softmax(2), labels, (7, 7, 7), (2, 2, 2)).item()


@pytest.mark.parametrize("name", ["grid bilinear zeros False", "bags mean", "labels", "cubic", "heads masked"])
def test_functions_compiled(name: str) -> None:
    program, *arrays = PROGRAMS[name]
    given = [nb.tensor(a) for a in arrays]
    compiled = nb.compile(lambda *x: program(nb, *x))
    for _ in range(3):
        got, want = compiled(*given), program(nb, *given)
        for a, b in zip(*[r if isinstance(r, tuple) else (r,) for r in (got, want)], strict=True):
            np.testing.assert_array_equal(a.numpy(), b.numpy())


def test_rows_of_a_bounded_norm_are_written_into_the_table() -> None:
    want = TABLE.copy()
    norms = np.linalg.norm(want, axis=1)
    table = nb.tensor(TABLE)
    F.embedding(nb.tensor(WORDS), table, max_norm=0.5)
    for row in np.unique(WORDS):
        want[row] *= min(1, 0.5 / (norms[row] + 1e-7))
    np.testing.assert_allclose(table.numpy(), want)


def test_random_functions_have_their_moments() -> None:
    nb.manual_seed(0)
    x = nb.randn(400, 500)
    for got in (F.alpha_dropout(x, 0.3, True), F.feature_alpha_dropout(x, 0.3, True)):
        assert abs(got.mean().item()) < 0.02 and abs(got.var().item() - 1) < 0.02
    whole = F.feature_alpha_dropout(nb.ones(50, 40, 3), 0.5, True)
    assert (whole == whole[:, :, :1]).all()
    kept = F.dropout3d(nb.ones(50, 40, 1, 1, 2), 0.25)
    assert (kept == kept[..., :1]).all() and kept.unique().tolist() == [0.0, pytest.approx(4 / 3)]
    slopes = F.rrelu(-nb.ones(20000), 0.1, 0.3, training=True)
    assert -0.3 <= slopes.min() < -0.29 and -0.11 < slopes.max() <= -0.1
    one = F.gumbel_softmax(nb.tensor([0.1, 0.2, 0.7]).log().expand(20000, 3), hard=True)
    np.testing.assert_allclose(one.mean(0).numpy(), [0.1, 0.2, 0.7], atol=0.02)
    soft = nb.zeros(3, requires_grad=True)
    (F.gumbel_softmax(soft, 2.0, hard=True) * nb.tensor([1.0, 2.0, 3.0])).sum().backward()
    assert soft.grad.abs().sum() > 0
    x = -nb.ones(3)
    assert F.rrelu_(x, 0.5, 0.5) is x and x.tolist() == [-0.5] * 3


@pytest.mark.parametrize(
    ("program", "arrays"),
    [
        (lambda t, x: t.nn.functional.bilinear(x, x, x.unsqueeze(0)), [X]),
        (lambda t, x: t.nn.functional.local_response_norm(x, 2), [X]),
        (lambda t, x: t.nn.functional.channel_shuffle(x, 2), [IMAGE]),
        (lambda t, x: t.nn.functional.channel_shuffle(x, 0), [IMAGE]),
        (lambda t, x: t.nn.functional.alpha_dropout(x, 1.5), [X]),
        (lambda t, x: t.nn.functional.gaussian_nll_loss(x, x, -x * x - 1), [X]),
        (lambda t, x: t.nn.functional.gaussian_nll_loss(x, x, x[:2] ** 2), [X]),
        (lambda t, x: t.nn.functional.gaussian_nll_loss(x, x, x**2, reduction="bad"), [X]),
        (lambda t, x, y: t.nn.functional.multi_margin_loss(x, y, 3), [X, CLASSES]),
        (lambda t, x, y: t.nn.functional.multi_margin_loss(x, y[:2]), [X, CLASSES]),
        (lambda t, x, y: t.nn.functional.multilabel_margin_loss(x, y), [X, CLASSES]),
        (lambda t, x: t.nn.functional.triplet_margin_with_distance_loss(x, x, x, margin=-1.0), [X]),
        (lambda t, x: t.nn.functional.affine_grid(x, (4, 1, 2, 2)), [X]),
        (lambda t, m: t.nn.functional.affine_grid(m, (2, 2)), [floats(2, 2, 3)]),
        (lambda t, m: t.nn.functional.affine_grid(m, (2, 1, 0, 2)), [floats(2, 2, 3)]),
        (lambda t, x, g: t.nn.functional.grid_sample(x, g, "bad"), [IMAGE, GRID]),
        (lambda t, x, g: t.nn.functional.grid_sample(x, g, padding_mode="bad"), [IMAGE, GRID]),
        (lambda t, x, g: t.nn.functional.grid_sample(x, g), [IMAGE, GRID[:1]]),
        (lambda t, x, g: t.nn.functional.grid_sample(x, g, "bicubic"), [VOLUME, GRID3]),
        (lambda t, x: t.nn.functional.interpolate(x, 3, mode="area", align_corners=True), [IMAGE]),
        (lambda t, x: t.nn.functional.interpolate(x, 3, mode="nearest", antialias=True), [IMAGE]),
        (lambda t, w, i, o: t.nn.functional.embedding_bag(i, w), [TABLE, ROWS, BAGS]),
        (lambda t, w, i, o: t.nn.functional.embedding_bag(i, w, o + 1), [TABLE, ROWS, BAGS]),
        (lambda t, w, i, o: t.nn.functional.embedding_bag(i, w, o, mode="bad"), [TABLE, ROWS, BAGS]),
        (lambda t, w, i, o: t.nn.functional.embedding_bag(i + 9, w, o), [TABLE, ROWS, BAGS]),
        (lambda t, w, i, o: t.nn.functional.embedding_bag(i, w, o, per_sample_weights=w[:, 0]), [TABLE, ROWS, BAGS]),
        (
            lambda t, w, i, s: t.nn.functional.embedding_bag(i, w, t.tensor([0]), per_sample_weights=s),
            [TABLE, ROWS, SCORES],
        ),
        (lambda t, x, y: t.nn.functional.ctc_loss(x, y, (9, 5, 6), (4, 2, 3)), [PREDICTED, SPELT]),
        (lambda t, x, y: t.nn.functional.ctc_loss(x, y, (7, 5), (4, 2, 3)), [PREDICTED, SPELT]),
        (lambda t, x, y: t.nn.functional.ctc_loss(x, y, (7, 5, 6), (5, 2, 3)), [PREDICTED, SPELT]),
        (lambda t, x, y: t.nn.functional.ctc_loss(x, y, (7, 5, 6), (4, 2, 3), blank=9), [PREDICTED, SPELT]),
    ],
)
def test_mistakes_are_pytorchs(program: Any, arrays: Any) -> None:
    same_mistake(program, *arrays)


@pytest.mark.parametrize("aligned", [False, True])
@pytest.mark.parametrize("mode", ["bilinear", "nearest", "bicubic"])
def test_a_grid_with_a_place_that_is_no_number(mode: str, aligned: bool) -> None:
    """Between elements of zeros beyond the edges it is not hidden; elsewhere such a place is the first element's."""
    image = nb.tensor([[[[1.0, 2.0], [3.0, 4.0]]]])
    places = nb.tensor([[[[np.nan, np.nan], [np.inf, np.nan]]]])
    hides = mode == "nearest"
    zeros = F.grid_sample(image, places, mode, "zeros", aligned)
    assert zeros.isnan().all() if not hides else (zeros == 0).all()
    if mode != "bicubic":
        assert F.grid_sample(image, places[..., :1, :], mode, "border", aligned).item() == 1.0
        assert F.grid_sample(image, places, mode, "reflection", aligned).tolist() == [[[[1.0, 1.0]]]]


def test_linear_writes_out() -> None:
    x, w, b, out = nb.ones(2, 3), nb.ones(4, 3), nb.ones(4), nb.empty(2, 4)
    assert nb.nn.functional.linear(x, w, b, out=out) is out and out.tolist() == [[4.0] * 4] * 2

"""Modules that are read when somebody asks for them, beside PyTorch's."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import nbgrad as nb
from nbgrad.nn.later import FUNCTIONS, MODULES
from tests.beside_torch import same_mistake, same_module
from tests.samples import floats

nn = nb.nn
X, IMAGE, VOLUME, SIGNAL = floats(4, 6), floats(2, 3, 5, 6), floats(1, 2, 4, 4, 3), floats(2, 3, 6)
CLASSES = np.array([0, 4, 2, 2])
SRC, TGT = floats(5, 2, 8), floats(4, 2, 8, seed=1)

MODULES_: dict[str, tuple[Any, ...]] = {
    "max3": (lambda t: t.nn.MaxPool3d(2, 1, return_indices=True), VOLUME),
    "max2": (lambda t: t.nn.MaxPool2d(2, 2, 0, 1, True, True), IMAGE),
    "avg3": (lambda t: t.nn.AvgPool3d(2), VOLUME),
    "mean3": (lambda t: t.nn.AdaptiveAvgPool3d((None, 2, 1)), VOLUME),
    "adaptive1": (lambda t: t.nn.AdaptiveMaxPool1d(2, return_indices=True), SIGNAL),
    "adaptive2": (lambda t: t.nn.AdaptiveMaxPool2d((3, None)), IMAGE),
    "adaptive3": (lambda t: t.nn.AdaptiveMaxPool3d(2), VOLUME),
    "lp1": (lambda t: t.nn.LPPool1d(2, 3), SIGNAL),
    "lp2": (lambda t: t.nn.LPPool2d(2, 3, stride=(2, 1)), IMAGE),
    "lp3": (lambda t: t.nn.LPPool3d(4, 2), VOLUME),
    "fold": (lambda t: t.nn.Fold(4, 2), floats(1, 8, 9)),
    "unfold": (lambda t: t.nn.Unfold((2, 3), padding=1), IMAGE),
    "bilinear": (lambda t: t.nn.Bilinear(6, 6, 5), X, X),
    "shuffle": (lambda t: t.nn.ChannelShuffle(3), IMAGE),
    "response": (lambda t: t.nn.LocalResponseNorm(2, k=2.0), IMAGE),
    "rrelu": (lambda t: t.nn.RReLU(0.2, 0.3).eval(), X),
    "alpha": (lambda t: t.nn.AlphaDropout(0.2).eval(), X),
    "features": (lambda t: t.nn.FeatureAlphaDropout(0.2).eval(), IMAGE),
    "drop3": (lambda t: t.nn.Dropout3d(0.2).eval(), VOLUME),
    "batch3": (lambda t: t.nn.BatchNorm3d(2, eps=0.1), VOLUME),
    "circular1": (lambda t: t.nn.CircularPad1d((1, 2)), SIGNAL),
    "circular2": (lambda t: t.nn.CircularPad2d((1, 2, 3, 0)), IMAGE),
    "circular3": (lambda t: t.nn.CircularPad3d(1), VOLUME),
    "reflected": (lambda t: t.nn.ReflectionPad3d((1, 0, 2, 1, 1, 2)), VOLUME),
    "up nearest": (lambda t: t.nn.UpsamplingNearest2d((7, 8)), IMAGE),
    "up bilinear": (lambda t: t.nn.UpsamplingBilinear2d((7, 8)), IMAGE),
    "rows": (lambda t: t.nn.Embedding(20, 6, 1, 0.5, scale_grad_by_freq=True), np.array([[1, 2, 19], [0, 2, 2]])),
    "bags": (lambda t: t.nn.EmbeddingBag(20, 6, mode="sum", padding_idx=-1), np.array([[1, 2, 19], [0, 0, 19]])),
    "bags mean": (lambda t: t.nn.EmbeddingBag(20, 6), np.array([1, 2, 19, 4]), np.array([0, 0, 3])),
    "gaussian": (lambda t: t.nn.GaussianNLLLoss(full=True), X, X[::-1].copy(), np.abs(X) + 0.5),
    "margins": (lambda t: t.nn.MultiMarginLoss(2, weight=t.arange(1.0, 7.0)), X, CLASSES),
    "labels": (lambda t: t.nn.MultiLabelMarginLoss(), X[:, :4], np.array([[1, 0, -1, 2]] * 4)),
    "triplets": (lambda t: t.nn.TripletMarginWithDistanceLoss(swap=True), X, X[::-1].copy(), X[:, ::-1].copy()),
    "frequent": (lambda t: t.nn.AdaptiveLogSoftmaxWithLoss(6, 20, [3, 9, 14], 1.5), X, np.array([0, 18, 4, 10])),
    "decoder layer": (lambda t: t.nn.TransformerDecoderLayer(8, 2, 12, 0.0), TGT, SRC),
    "decoder layer first": (
        lambda t: t.nn.TransformerDecoderLayer(8, 2, 12, 0.0, "gelu", norm_first=True, batch_first=True, bias=False),
        TGT,
        SRC[:4],
    ),
    "decoder": (
        lambda t: t.nn.TransformerDecoder(t.nn.TransformerDecoderLayer(8, 2, 12, 0.0), 2, t.nn.LayerNorm(8)),
        TGT,
        SRC,
    ),
    "transformer": (lambda t: t.nn.Transformer(8, 2, 1, 2, 12, 0.0, t.nn.functional.gelu), SRC, TGT),
}


@pytest.mark.parametrize("name", list(MODULES_))
def test_modules_are_pytorchs(name: str) -> None:
    same_module(*MODULES_[name], rtol=1e-8)


def test_spread_labels() -> None:
    def call(t: Any, module: Any, x: Any, y: Any) -> Any:
        return module(x.log_softmax(2), y, t.tensor([6, 5]), t.tensor([2, 2]))

    same_module(lambda t: t.nn.CTCLoss(reduction="sum"), floats(6, 2, 4), np.array([[1, 2], [3, 3]]), call=call)


def test_unpools_and_random_pools() -> None:
    def call(t: Any, module: Any, x: Any) -> Any:
        return module(*t.nn.functional.max_pool2d(x, 2, return_indices=True), x.shape)

    same_module(lambda t: t.nn.MaxUnpool2d(2), IMAGE, call=call)
    samples = np.random.default_rng(0).random((2, 3, 2))
    same_module(
        lambda t: t.nn.FractionalMaxPool2d(2, output_ratio=(0.5, 0.6), _random_samples=t.tensor(samples)), IMAGE
    )
    assert nn.FractionalMaxPool3d(2, 2)(nb.tensor(VOLUME)).shape == (1, 2, 2, 2, 2)
    assert nn.MaxUnpool1d(2)(nb.ones(1, 2), nb.tensor([[0, 3]])).tolist() == [[1, 0, 0, 1]]
    assert nn.MaxUnpool3d(1)(nb.ones(1, 1, 1, 1), nb.zeros(1, 1, 1, 1, dtype=nb.int64)).item() == 1


def test_frequent_classes_are_predicted() -> None:
    softmax = nn.AdaptiveLogSoftmaxWithLoss(6, 20, [3, 9]).double()
    x, y = nb.tensor(X), nb.tensor([0, 18, 4, 10])
    output, loss = softmax(x, y)
    log_p = softmax.log_prob(x)
    np.testing.assert_allclose(log_p.gather(1, y.unsqueeze(1)).squeeze(1).detach().numpy(), output.detach().numpy())
    assert softmax.predict(x).tolist() == log_p.argmax(1).tolist() and loss.item() == -output.mean().item()
    assert softmax(x[0], y[0]).output.shape == ()


LAZY: dict[str, tuple[Any, Any]] = {
    "linear": (lambda t: t.nn.LazyLinear(4), X),
    **{
        f"conv{k}": (lambda t, k=k: getattr(t.nn, f"LazyConv{k}d")(4, 2), x)
        for k, x in enumerate((SIGNAL, IMAGE, VOLUME), 1)
    },
    **{
        f"transposed{k}": (lambda t, k=k: getattr(t.nn, f"LazyConvTranspose{k}d")(4, 2, bias=False), x)
        for k, x in enumerate((SIGNAL, IMAGE, VOLUME), 1)
    },
    **{
        f"batch{k}": (lambda t, k=k: getattr(t.nn, f"LazyBatchNorm{k}d")(), x)
        for k, x in enumerate((SIGNAL, IMAGE, VOLUME), 1)
    },
    **{
        f"instance{k}": (lambda t, k=k: getattr(t.nn, f"LazyInstanceNorm{k}d")(affine=True), x)
        for k, x in enumerate((SIGNAL, IMAGE, VOLUME), 1)
    },
}


@pytest.mark.parametrize("name", list(LAZY))
def test_lazy_modules_become_ordinary_ones(name: str) -> None:
    make, array = LAZY[name]

    def started(t: Any) -> Any:
        module = make(t)
        assert module.has_uninitialized_params()
        module(t.tensor(array, dtype=t.float32))
        if hasattr(module, "reset_running_stats"):
            module.reset_running_stats()
        return module

    same_module(started, array)


@pytest.mark.parametrize("convert", ["to", "double", "half().float", "half().to"])
@pytest.mark.parametrize("kind", ["BatchNorm1d", "BatchNorm2d", "InstanceNorm1d", "Linear", "Conv1d"])
@pytest.mark.parametrize("options", [{}, {"affine": False, "track_running_stats": True}])
def test_lazy_modules_are_converted_before_their_first_call(kind: str, convert: str, options: dict[str, Any]) -> None:
    sizes = {"Linear": (4,), "Conv1d": (4, 2)}.get(kind, ())
    if sizes and options:
        options = {"bias": False}

    def started(t: Any) -> list[Any]:
        module = getattr(t.nn, f"Lazy{kind}")(*sizes, **options)
        for step in convert.split("()."):
            module = module.to(t.float64) if step == "to" else getattr(module, step)()
        assert module.has_uninitialized_params()
        dtype = t.float32 if convert.endswith("float") else t.float64
        x = t.arange(24, dtype=dtype).reshape((2, 3, 2, 2) if kind.endswith("2d") else (2, 3, 4))
        y = module(x)
        made = module.state_dict()
        kinds = {name: (tuple(value.shape), str(value.dtype).partition(".")[2]) for name, value in made.items()}
        statistics = [value.tolist() for name, value in made.items() if "running" in name]
        return [kinds, statistics, y.tolist() if "Norm" in kind else tuple(y.shape), type(module).__name__]

    ours, theirs = started(nb), started(pytest.importorskip("torch"))
    assert ours[0] == theirs[0] and ours[3] == theirs[3]
    for got, want in zip(ours[1:3], theirs[1:3], strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6)


def test_lazy_modules_refuse_conversions_that_need_elements() -> None:
    same_mistake(lambda t: t.nn.LazyBatchNorm1d().type(t.float64))
    same_mistake(lambda t: t.nn.LazyLinear(2).type(t.float64))


def test_lazy_modules_load_and_copy() -> None:
    ready = nn.Sequential(nn.LazyLinear(5), nn.ReLU(), nn.LazyLinear(2))
    copied = copy.deepcopy(ready)
    first = [*ready.parameters()]
    optimiser = nb.optim.SGD(first, lr=0.1)
    ready(nb.ones(3, 4))
    assert [tuple(p.shape) for p in first] == [(5, 4), (5,), (2, 5), (2,)]
    assert all(p is q for p, q in zip(first, ready.parameters(), strict=True))
    assert repr(ready[0]) == "Linear(in_features=4, out_features=5, bias=True)" and ready[0]._hooks is None
    ready(nb.ones(3, 4)).sum().backward()
    optimiser.step()
    copied.load_state_dict(ready.state_dict())
    assert nb.equal(copied(nb.ones(3, 4)), ready(nb.ones(3, 4)))
    assert pickle.loads(pickle.dumps(ready))(nb.ones(1, 4)).shape == (1, 2)


def test_all_of_them_are_documented_and_there() -> None:
    for name, file in MODULES.items():
        made = getattr(nn, name)
        assert made.__doc__ and (made.__module__ == file), name
    for name, file in FUNCTIONS.items():
        function = getattr(nn.functional, name)
        assert function.__module__ == file and ">>>" in function.__doc__, name


@pytest.mark.parametrize(
    "wrong",
    [
        lambda t: t.nn.FractionalMaxPool2d(2),
        lambda t: t.nn.FractionalMaxPool2d(2, output_ratio=2.0),
        lambda t: t.nn.Bilinear(0, 2, 3),
        lambda t: t.nn.MultiMarginLoss(3),
        lambda t: t.nn.TripletMarginWithDistanceLoss(margin=0),
        lambda t: t.nn.AdaptiveLogSoftmaxWithLoss(6, 20, [9, 3]),
        lambda t: t.nn.AdaptiveLogSoftmaxWithLoss(6, 20, [3])(t.ones(2, 6), t.tensor([1, 20])),
        lambda t: t.nn.AdaptiveLogSoftmaxWithLoss(6, 20, [3])(t.ones(2, 6), t.tensor([1])),
        lambda t: t.nn.Transformer(8, 2, 1, 1, 8)(t.ones(3, 2, 8), t.ones(3, 1, 8)),
        lambda t: t.nn.Transformer(8, 2, 1, 1, 8)(t.ones(3, 2, 7), t.ones(3, 2, 8)),
        lambda t: t.nn.TransformerDecoderLayer(8, 2, activation="tanh"),
        lambda t: t.nn.LazyConv2d(3, 2)(t.ones(3)),
    ],
)
def test_mistakes_are_pytorchs(wrong: Any) -> None:
    same_mistake(lambda t: wrong(t))


@pytest.mark.parametrize("asked", ["shape", "numel", "dim", "nelement", "stride"])
def test_what_has_no_shape_yet_refuses_to_tell_it(asked: str) -> None:
    for kind in ("UninitializedParameter", "UninitializedBuffer"):

        def ask(lib: Any, kind: str = kind) -> Any:
            found = getattr(getattr(lib.nn.parameter, kind)(), asked)
            return found() if callable(found) else found

        same_mistake(ask)
    model = nb.nn.LazyLinear(3)
    model(nb.ones(2, 4))
    assert getattr(model.weight, asked)

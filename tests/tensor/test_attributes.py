"""Attributes of the user's on tensors. NBGRAD_ORACLE=torch runs it against PyTorch."""

import copy
import gc
import pickle
import weakref

import pytest

import nbgrad as nb


def marked():
    x = nb.ones(2, requires_grad=True)
    x.ema = nb.zeros(2)
    x.notes = ["a", x.ema]
    x.requires_gard = True  # any name will do, a wrong one too
    return x


def test_any_attribute_can_be_set_read_and_deleted():
    x = marked()
    assert vars(x).keys() == {"ema", "notes", "requires_gard"} and x.__dict__ is vars(x)
    assert x.notes[1] is x.ema and hasattr(x, "ema") and "ema" in dir(x) and "__dict__" in dir(x)
    del x.ema
    assert not hasattr(x, "ema") and getattr(x, "ema", 3) == 3 and "ema" not in dir(x)
    with pytest.raises(AttributeError, match="'Tensor' object has no attribute 'ema'"):
        _ = x.ema
    with pytest.raises(AttributeError):
        del x.ema
    x.__dict__ = {"other": 1}
    assert x.other == 1 and vars(x) == {"other": 1}


def test_properties_stay_what_they_are():
    x = nb.ones(2)
    for name in ("shape", "dtype", "device", "is_leaf", "grad_fn", "ndim", "T", "mT", "_version", "_base", "is_cuda"):
        with pytest.raises(AttributeError):
            setattr(x, name, 1)
    for name in ("grad", "data"):
        with pytest.raises(TypeError):
            setattr(x, name, 1)
    with pytest.raises(TypeError):
        x.__dict__ = 1
    x.requires_grad = True
    x.grad = nb.zeros(2)
    assert not vars(x) and x.requires_grad


def test_an_attribute_hides_a_method_of_that_tensor_alone():
    x = nb.ones(2)
    x.sum = lambda: 7
    assert x.sum() == 7 and nb.sum(x).item() == 2 and nb.ones(2).sum().item() == 2
    del x.sum
    assert x.sum().item() == 2


def test_all_names_that_are_not_pytorchs_are_the_users():
    x = nb.ones(2, requires_grad=True)
    names = [name for c in type(x).__mro__ for name in getattr(c, "__slots__", ()) if not name.startswith("_")]
    names += ["at", "buffer", "entered", "history", "page", "segment", "share", "root", "version"]
    for k, name in enumerate(names):
        assert not hasattr(x, name)
        setattr(x, name, k)
    y = (x[:1] * 3).sum()
    y.page = "of a result"
    y.backward()
    assert (
        x.grad.tolist() == [3.0, 0.0]
        and y.page == "of a result"
        and vars(x) == {name: k for k, name in enumerate(names)}
    )


def test_attributes_belong_to_the_object():
    x = marked()
    ema = x.ema
    with nb.no_grad():
        x += 1
    x.data = nb.zeros(2)
    x.requires_grad_(False)
    assert x.ema is ema and x.to(nb.float32) is x
    others = [x.clone(), x.detach(), x.data, x[:], x.view(2), x + 0, x.to(nb.float64), nb.nn.Parameter(x)]
    assert not any(vars(other) for other in others)


def test_copies_have_them():
    x = marked()
    shallow, deep, again = copy.copy(x), copy.deepcopy(x), pickle.loads(pickle.dumps(x))
    assert shallow.ema is x.ema and shallow.notes is x.notes and shallow.__dict__ is not x.__dict__
    for other in (deep, again):
        assert vars(other).keys() == vars(x).keys() and other.requires_grad
        assert other.notes[1] is other.ema is not x.ema and other.ema.tolist() == [0.0, 0.0]
    both = copy.deepcopy({"x": x, "ema": x.ema})
    assert both["x"].ema is both["ema"]
    x.grad = nb.ones(2)
    x.grad.scale = 3
    assert copy.deepcopy(x).grad.scale == 3


def test_parameters_and_modules_have_them():
    layer = nb.nn.Linear(2, 2)
    layer.weight.tensor_model_parallel = True
    weight = layer.weight
    layer.double()
    assert layer.weight is weight and weight.tensor_model_parallel
    assert copy.copy(weight).tensor_model_parallel and pickle.loads(pickle.dumps(layer)).weight.tensor_model_parallel
    assert not vars(copy.deepcopy(layer).weight)  # a Parameter is copied without
    assert not vars(layer.state_dict()["weight"])
    layer.load_state_dict(layer.state_dict())
    assert layer.weight is weight and weight.tensor_model_parallel


def test_a_file_has_them(tmp_path):
    x = marked()
    x.ema.step = 3
    nb.save({"x": x, "also": [x]}, tmp_path / "file")
    loaded = nb.load(tmp_path / "file")
    again = loaded["x"]
    assert loaded["also"][0] is again and again.requires_grad and vars(again).keys() == vars(x).keys()
    assert again.notes[0] == "a" and again.notes[1] is again.ema and again.ema.step == 3


def test_cycles_through_attributes_are_collected():
    x = nb.ones(2, requires_grad=True)
    x.me, x.of_me = x, [x.detach(), x]
    watched = weakref.ref(x)
    del x
    gc.collect()
    assert watched() is None


def test_a_subclass_has_them_too():
    class Masked(nb.nn.Parameter):
        pass

    x = Masked(nb.ones(2))
    x.mask = nb.zeros(2)
    assert copy.copy(x).mask is x.mask and vars(x).keys() == {"mask"}


@pytest.mark.parametrize(
    ("value", "spec", "text"),
    [
        (2, "", "2"),
        (2.5, "", "2.5"),
        (2.5, ".3f", "2.500"),
        (True, "", "True"),
        (1 + 2j, "", "(1+2j)"),
        (7, "03d", "007"),
    ],
)
def test_a_0d_tensor_is_its_number_in_a_string(value: object, spec: str, text: str) -> None:
    assert format(nb.tensor(value), spec) == text
    assert f"{nb.tensor([1, 2])}" == "tensor([1, 2])"
    with pytest.raises(TypeError, match="format string"):
        format(nb.tensor([1.0, 2.0]), ".2f")

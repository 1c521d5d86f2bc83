from __future__ import annotations

import copy

import pytest

import nbgrad as nb

nn = nb.nn


def model() -> nn.Module:
    net = nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 1, bias=False))
    net.register_buffer("mean", nb.zeros(2))
    net.register_buffer("scratch", nb.zeros(2), persistent=False)
    return net


def test_the_state_holds_parameters_and_saved_buffers() -> None:
    state = model().state_dict()
    assert list(state) == ["mean", "0.weight", "0.bias", "1.weight"]
    assert not any(value.requires_grad for value in state.values())
    assert list(model().state_dict(prefix="net."))[1] == "net.0.weight"


def test_the_state_shares_memory_with_the_model() -> None:
    net = model()
    state = net.state_dict()
    with nb.no_grad():
        net[0].bias.fill_(7.0)
    assert state["0.bias"].tolist() == [7.0, 7.0, 7.0]


def test_keep_vars_gives_the_parameters_themselves() -> None:
    net = model()
    assert net.state_dict(keep_vars=True)["0.weight"] is net[0].weight


def test_a_shared_parameter_is_saved_under_each_name() -> None:
    net = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
    net[1].weight = net[0].weight
    assert list(net.state_dict()) == ["0.weight", "0.bias", "1.weight", "1.bias"]


def test_loading_copies_values_into_the_same_parameters() -> None:
    source, target = model(), model()
    held = target[0].weight
    result = target.load_state_dict(source.state_dict())
    assert repr(result) == "<All keys matched successfully>"
    assert target[0].weight is held
    assert held.requires_grad
    assert held.tolist() == source[0].weight.tolist()
    with nb.no_grad():
        source[0].weight.zero_()
    assert held.tolist() != source[0].weight.tolist()


def test_loading_converts_to_the_parameters_dtype() -> None:
    source, target = model().double(), model()
    target.load_state_dict(source.state_dict())
    assert target[0].weight.dtype is nb.float32


def test_strict_loading_names_every_key_and_shape_that_differs() -> None:
    net = model()
    state = dict(net.state_dict())
    del state["0.bias"], state["mean"]
    state["extra"] = nb.zeros(1)
    state["1.weight"] = nb.zeros(2, 3)
    with pytest.raises(RuntimeError) as error:
        net.load_state_dict(state)
    text = str(error.value)
    assert text.startswith("Error(s) in loading state_dict for Sequential:\n\t")
    assert 'Missing key(s) in state_dict: "mean", "0.bias". ' in text
    assert 'Unexpected key(s) in state_dict: "extra". ' in text
    assert "size mismatch for 1.weight: copying a param with shape" in text


def test_loose_loading_reports_what_it_left_alone() -> None:
    net = model()
    state = dict(net.state_dict())
    del state["0.bias"]
    state["extra"] = nb.zeros(1)
    result = net.load_state_dict(state, strict=False)
    assert result.missing_keys == ["0.bias"]
    assert result.unexpected_keys == ["extra"]
    assert "missing_keys=['0.bias']" in repr(result)


def test_loose_loading_still_refuses_other_shapes() -> None:
    net = model()
    with pytest.raises(RuntimeError, match="size mismatch"):
        net.load_state_dict({"mean": nb.zeros(3)}, strict=False)


def test_what_is_not_a_dict_of_tensors_is_refused() -> None:
    with pytest.raises(TypeError, match="dict-like"):
        model().load_state_dict([1])
    with pytest.raises(RuntimeError, match='parameter named "mean"'):
        model().load_state_dict({"mean": 3.0}, strict=False)


def test_a_deep_copy_of_the_state_keeps_todays_values() -> None:
    net = model()
    kept = copy.deepcopy(net.state_dict())
    before = net[0].weight.tolist()
    with nb.no_grad():
        net[0].weight.add_(1)
    net.load_state_dict(kept)
    assert net[0].weight.tolist() == before

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit

import nbgrad as nb

nn = nb.nn


def arrays(module: nn.Module) -> dict[str, np.ndarray]:
    return {name: p.detach().numpy().astype("float64") for name, p in module.named_parameters()}


def lstm_step(w: dict, suffix: str, x: np.ndarray, h: np.ndarray, c: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    gates = (
        x @ w["weight_ih" + suffix].T + h @ w["weight_hh" + suffix].T + w["bias_ih" + suffix] + w["bias_hh" + suffix]
    )
    i, f, g, o = np.split(gates, 4, axis=-1)
    c = expit(f) * c + expit(i) * np.tanh(g)
    return expit(o) * np.tanh(c), c


def test_an_lstm_follows_its_formula_through_time_and_layers() -> None:
    net = nn.LSTM(3, 4, num_layers=2)
    x = nb.randn(5, 2, 3)
    output, (h, c) = net(x)
    w, xs = arrays(net), x.numpy().astype("float64")
    for layer in range(2):
        state, outs = (np.zeros((2, 4)), np.zeros((2, 4))), []
        for step in xs:
            state = lstm_step(w, f"_l{layer}", step, *state)
            outs.append(state[0])
        xs = np.stack(outs)
        np.testing.assert_allclose(h[layer].detach().numpy(), state[0], rtol=1e-4, atol=1e-6)
        np.testing.assert_allclose(c[layer].detach().numpy(), state[1], rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(output.detach().numpy(), xs, rtol=1e-4, atol=1e-6)


def test_a_gru_cell_follows_its_formula() -> None:
    cell = nn.GRUCell(3, 4)
    x, h = nb.randn(2, 3), nb.randn(2, 4)
    w = arrays(cell)
    of_x = np.split(x.numpy() @ w["weight_ih"].T + w["bias_ih"], 3, axis=-1)
    of_h = np.split(h.numpy() @ w["weight_hh"].T + w["bias_hh"], 3, axis=-1)
    r, z = expit(of_x[0] + of_h[0]), expit(of_x[1] + of_h[1])
    n = np.tanh(of_x[2] + r * of_h[2])
    np.testing.assert_allclose(cell(x, h).detach().numpy(), (1 - z) * n + z * h.numpy(), rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("nonlinearity", ["tanh", "relu"])
def test_an_rnn_cell_follows_its_formula(nonlinearity: str) -> None:
    cell = nn.RNNCell(3, 4, nonlinearity=nonlinearity, bias=False)
    x, h = nb.randn(2, 3), nb.randn(2, 4)
    w = arrays(cell)
    sums = x.numpy() @ w["weight_ih"].T + h.numpy() @ w["weight_hh"].T
    expected = np.tanh(sums) if nonlinearity == "tanh" else np.maximum(sums, 0)
    np.testing.assert_allclose(cell(x, h).detach().numpy(), expected, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize(("network", "cell"), [("LSTM", "LSTMCell"), ("GRU", "GRUCell"), ("RNN", "RNNCell")])
def test_a_network_is_its_cell_step_by_step(network: str, cell: str) -> None:
    net, one = getattr(nn, network)(3, 4), getattr(nn, cell)(3, 4)
    one.load_state_dict({name.removesuffix("_l0"): value for name, value in net.state_dict().items()})
    x = nb.randn(4, 2, 3)
    state, outs = None, []
    for step in x:
        state = one(step, state)
        outs.append(state[0] if network == "LSTM" else state)
    np.testing.assert_allclose(net(x)[0].detach().numpy(), nb.stack(outs).detach().numpy(), rtol=1e-5, atol=1e-6)


def test_a_second_network_may_read_backwards() -> None:
    net = nn.GRU(3, 4, bidirectional=True)
    assert "weight_hh_l0_reverse" in net.state_dict()
    x = nb.randn(5, 2, 3)
    output, h = net(x)
    assert output.shape == (5, 2, 8)
    backward = nn.GRU(3, 4)
    backward.load_state_dict({n.removesuffix("_reverse"): v for n, v in net.state_dict().items() if "reverse" in n})
    turned = backward(x.flip(0))[0].flip(0)
    np.testing.assert_allclose(output[..., 4:].detach().numpy(), turned.detach().numpy(), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(h[1].detach().numpy(), output[0, :, 4:].detach().numpy(), rtol=1e-5, atol=1e-6)


def test_the_batch_may_come_first_or_be_missing() -> None:
    net = nn.LSTM(3, 4, batch_first=True)
    x = nb.randn(2, 5, 3)
    output, (h, _) = net(x)
    assert output.shape == (2, 5, 4)
    assert h.shape == (1, 2, 4)
    single, (h1, c1) = net(x[0])
    assert single.shape == (5, 4)
    assert h1.shape == c1.shape == (1, 4)
    np.testing.assert_allclose(single.detach().numpy(), output[0].detach().numpy(), rtol=1e-5, atol=1e-6)


def test_states_are_passed_on() -> None:
    net = nn.LSTM(3, 4, num_layers=2)
    x = nb.randn(6, 2, 3)
    whole, last = net(x)
    first, state = net(x[:3])
    second, end = net(x[3:], state)
    np.testing.assert_allclose(nb.cat([first, second]).detach().numpy(), whole.detach().numpy(), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(end[1].detach().numpy(), last[1].detach().numpy(), rtol=1e-5, atol=1e-6)


def test_dropout_acts_between_layers_while_training() -> None:
    net = nn.RNN(3, 4, num_layers=2, dropout=0.5)
    x = nb.randn(5, 2, 3)
    nb.manual_seed(0)
    assert net(x)[0].tolist() != net(x)[0].tolist()
    net.eval()
    assert net(x)[0].tolist() == net(x)[0].tolist()


def test_gradients_reach_all_weights_and_the_input() -> None:
    net = nn.LSTM(3, 4, num_layers=2, bidirectional=True)
    x = nb.randn(5, 2, 3, requires_grad=True)
    net(x)[0].sum().backward()
    assert all(p.grad is not None and p.grad.abs().sum().item() > 0 for p in net.parameters())
    assert x.grad.abs().sum().item() > 0


def test_weights_start_within_one_over_the_root_of_the_width() -> None:
    for p in nn.GRU(3, 16).parameters():
        assert p.abs().max().item() <= 0.25


def test_mistakes_are_refused() -> None:
    with pytest.raises(RuntimeError, match=r"input\.size"):
        nn.LSTM(3, 4)(nb.randn(5, 2, 2))
    with pytest.raises(RuntimeError, match="hidden size"):
        nn.GRU(3, 4)(nb.randn(5, 2, 3), nb.randn(1, 2, 5))
    with pytest.raises(ValueError, match="nonlinearity"):
        nn.RNN(3, 4, nonlinearity="sigmoid")
    with pytest.raises(ValueError, match="num_layers"):
        nn.LSTM(3, 4, num_layers=0)
    assert nn.LSTM(3, 4, proj_size=0).hidden_size == 4
    for network in (nn.GRU, nn.RNN):
        with pytest.raises(ValueError, match="proj_size"):  # PyTorch's, too, has it for LSTM alone
            network(3, 4, proj_size=2)


def test_networks_print_their_arguments() -> None:
    assert repr(nn.LSTM(2, 3, 2, batch_first=True)) == "LSTM(2, 3, num_layers=2, batch_first=True)"
    assert repr(nn.GRUCell(2, 3, bias=False)) == "GRUCell(2, 3, bias=False)"


def test_cells_are_shown_with_what_is_unusual() -> None:
    assert repr(nn.RNNCell(5, 10)) == "RNNCell(5, 10)"
    assert repr(nn.RNNCell(5, 10, bias=False, nonlinearity="relu")) == "RNNCell(5, 10, bias=False, nonlinearity=relu)"

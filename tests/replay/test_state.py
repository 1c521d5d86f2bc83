"""Numbers and tensors that a compiled function finds in places, and leaves there: counters, running values, states."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

import nbgrad as nb
from nbgrad import nn
from nbgrad.replay.compiled import Compiled


def programs(function: Any) -> int:
    compiled = function.__func__ if not isinstance(function, Compiled) else function
    return sum([len(form.programs) for form in compiled._forms.values()])


def calls(function: Any, x: Any) -> None:
    for _ in range(6):
        function(x)


def alike(make: Callable[[], tuple[Callable[..., Any], Callable[[], Any]]], calls: int = 9) -> None:
    """The compiled function, made by ``make`` with a look at its state, does what the plain one does; without
    recording in the end."""
    plain, plain_state = make()
    compiled, state = make()
    compiled = nb.compile(compiled, fullgraph=True)
    for k in range(calls):
        x = nb.full((2,), float(k + 1))
        assert compiled(x).tolist() == plain(x).tolist()
        assert state() == plain_state()
    assert programs(compiled) > 0


def test_an_attribute_that_counts() -> None:
    class Counter:
        def __init__(self) -> None:
            self.n = 0

    def make() -> Any:
        counter = Counter()

        def run(x: Any) -> Any:
            counter.n += 1
            return x * counter.n

        return run, lambda: counter.n

    alike(make)


def test_an_attribute_of_a_module_that_counts() -> None:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.count = 0

        def forward(self, x: Any) -> Any:
            self.count += 1
            return x * self.count

    net = nb.compile(Net(), fullgraph=True)
    assert [net(nb.ones(1)).item() for _ in range(7)] == [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]
    assert net.count == 7


def test_a_class_attribute_that_counts() -> None:
    class Counter:
        n = 0

    counter = Counter()

    def run(x: Any) -> Any:
        Counter.n += 1
        return x * counter.n

    plain = nb.compile(run)
    assert [plain(nb.ones(1)).item() for _ in range(6)] == [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]


def test_a_global_that_counts() -> None:
    def run(x: Any) -> Any:
        global CALLS
        CALLS += 1
        return x * CALLS

    compiled = nb.compile(run, fullgraph=True)
    assert [compiled(nb.ones(1)).item() for _ in range(6)] == [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    assert CALLS == 6


CALLS = 0


def test_a_variable_of_the_closure_and_its_type() -> None:
    def make() -> Any:
        temperature = 1.0

        def run(x: Any) -> Any:
            nonlocal temperature
            temperature *= 0.5
            return x * temperature

        return run, lambda: (temperature, type(temperature))

    alike(make)


def test_a_counter_that_decides() -> None:
    def make() -> Any:
        state = {"n": 0}

        def run(x: Any) -> Any:
            state["n"] += 1
            if state["n"] % 3 == 0:
                state["n"] = 0
                return x * 100.0
            return x

        return run, lambda: state["n"]

    alike(make, 20)


def test_a_number_that_is_set_to_a_constant() -> None:
    def make() -> Any:
        flag = SimpleNamespace(value=0.5)

        def run(x: Any) -> Any:
            y = x * flag.value
            flag.value = 2.5
            return y

        return run, lambda: flag.value

    alike(make)


def test_a_number_from_nowhere_is_not_left() -> None:
    numbers = iter(range(100))
    hidden = numbers.__next__
    state = SimpleNamespace(n=-1)

    def run(x: Any) -> Any:
        state.n = hidden()
        return x * 2.0

    compiled = nb.compile(run)
    for k in range(8):
        assert compiled(nb.ones(1)).item() == 2.0
        assert state.n == k


def test_a_hidden_state_that_is_replaced() -> None:
    def make() -> Any:
        cell = SimpleNamespace(h=nb.zeros(2))

        def run(x: Any) -> Any:
            cell.h = (cell.h * 0.5 + x).tanh()
            return cell.h * 2.0

        return run, lambda: cell.h.tolist()

    alike(make)


def test_a_state_of_a_module_that_is_replaced() -> None:
    class Memory(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("h", nb.zeros(2))
            self.plain = nb.zeros(2)
            self.linear = nn.Linear(2, 2)

        def forward(self, x: Any) -> Any:
            self.h = (self.linear(x) + self.h).detach()
            self.plain = self.plain + 1.0
            return self.h + self.plain

    nb.manual_seed(3)
    plain = Memory()
    nb.manual_seed(3)
    compiled = Memory()
    run = nb.compile(compiled, fullgraph=True)
    for k in range(8):
        x = nb.full((2,), 0.5 * k)
        assert run(x).tolist() == plain(x).tolist()
        assert run.h.tolist() == compiled.h.tolist() == plain.h.tolist()
    assert sum([len(form.programs) for form in type(run).forward._forms.values()]) == 1


def test_running_means_in_a_dict() -> None:
    def make() -> Any:
        weights = {"a": nb.ones(2), "b": nb.zeros(2)}
        means = {name: w.clone() for name, w in weights.items()}

        def run(x: Any) -> Any:
            for name, w in weights.items():
                w.add_(x)
                means[name] = 0.75 * means[name] + 0.25 * w
            return means["a"] + means["b"]

        return run, lambda: [m.tolist() for m in means.values()]

    alike(make)


def test_parameters_in_a_list_that_are_replaced() -> None:
    def make() -> Any:
        params = [nb.tensor([1.0, -1.0]), nb.tensor([0.5, 2.0])]

        def run(x: Any) -> Any:
            leaves = [p.detach().clone() for p in params]
            for k, p in enumerate(leaves):
                params[k] = p - 0.1 * x
            return params[0] * params[1]

        return run, lambda: [p.tolist() for p in params]

    alike(make)


def test_a_tensor_that_its_owner_replaces_between_calls() -> None:
    batch = SimpleNamespace(x=nb.zeros(3))
    run = nb.compile(lambda: batch.x * 2.0, fullgraph=True)
    for k in range(8):
        batch.x = nb.full((3,), float(k))
        assert run().tolist() == [2.0 * k] * 3
    assert programs(run) == 1


def test_a_replaced_tensor_of_another_shape_is_another_program() -> None:
    batch = SimpleNamespace(x=nb.zeros(3))
    run = nb.compile(lambda: batch.x.sum(), fullgraph=True)
    for k in range(12):
        batch.x = nb.ones(2 + k % 2)
        assert run().item() == 2.0 + k % 2


def test_two_states_that_change_places() -> None:
    def make() -> Any:
        both = SimpleNamespace(a=nb.zeros(2), b=nb.ones(2))

        def run(x: Any) -> Any:
            both.a, both.b = both.b, both.a + x
            return both.a - both.b

        return run, lambda: (both.a.tolist(), both.b.tolist())

    alike(make)


def test_one_tensor_in_two_places_is_no_state() -> None:
    both = SimpleNamespace(a=nb.zeros(2))
    both.b = both.a

    def run(x: Any) -> Any:
        both.a = both.b = both.a + x
        return both.a * 1.0

    compiled = nb.compile(run)
    for k in range(8):
        assert compiled(nb.ones(2)).tolist() == [k + 1.0] * 2
        assert both.a is both.b


def test_a_view_that_is_kept_says_what_to_do() -> None:
    cell = SimpleNamespace(h=nb.zeros(2))
    kept: list[Any] = []

    def run(x: Any) -> Any:
        y = x + 1.0
        cell.h = y[:2]
        return y

    compiled = nb.compile(run)
    for _ in range(8):
        kept.append(compiled(nb.zeros(3)))
        assert cell.h.tolist() == [1.0, 1.0]
    with pytest.raises(RuntimeError, match=r"cell\.h.*clone\(\) it"):
        calls(nb.compile(run, fullgraph=True), nb.zeros(3))


def test_others_see_what_a_call_leaves_in_a_module() -> None:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.n = 0

        def forward(self, x: Any) -> Any:
            self.n += 1
            return x * 1.0

    net = Net()
    step = nb.compile(net)
    look = nb.compile(lambda x: x * net.n, fullgraph=True)
    for k in range(12):
        step(nb.ones(1))
        assert look(nb.ones(1)).item() == k + 1.0


def test_an_error_in_the_call_leaves_the_count_as_python_would() -> None:
    state = SimpleNamespace(n=0)

    def run(x: Any, i: Any) -> Any:
        state.n += 1
        return x[i] * state.n

    compiled = nb.compile(run)
    for k in range(6):
        assert compiled(nb.ones(3), nb.tensor([k % 3])).tolist() == [k + 1.0]
    with pytest.raises(IndexError):
        compiled(nb.ones(3), nb.tensor([9])).tolist()
    assert state.n in (6, 7)
    state.n = 6
    assert compiled(nb.ones(3), nb.tensor([2])).tolist() == [7.0]


FAILING = {  # of x, good and bad
    "index": (lambda x: nb.ones(3)[x], [1], [9]),
    "integer division": (lambda x: 7 // x, [1], [0]),
    "solve": (lambda x: nb.linalg.solve(x.reshape(1, 1), nb.ones(1)), [1.0], [0.0]),
}


@pytest.mark.parametrize("name", FAILING)
def test_what_comes_before_an_error_has_happened_as_in_python(name: str) -> None:
    fails, good, bad = FAILING[name]
    state, total = SimpleNamespace(n=0), nb.zeros(1)

    @nb.compile
    def run(x: Any) -> Any:
        state.n += 1
        total.add_(1.0)
        return fails(x)

    for k in range(8):
        for _ in range(3):
            run(nb.tensor(good))
        with pytest.raises(nb.errors.NbgradError):
            run(nb.tensor(bad)).tolist()
        assert (state.n, total.item()) == (4 * k + 4, 4.0 * k + 4.0)


def test_a_list_whose_every_item_is_set_once_is_given_up() -> None:
    log = [0.0] * 50
    place = iter(range(50)).__next__

    def run(x: Any) -> Any:
        log[place()] = 1.0
        return x + 1.0

    compiled = nb.compile(run)
    for k in range(20):
        assert compiled(nb.zeros(1)).item() == 1.0
        assert sum(log) == k + 1


@pytest.mark.parametrize("kind", [nb.optim.SGD, nb.optim.Adam])
def test_an_option_of_an_optimiser_that_the_call_sets(kind: Any) -> None:
    def make() -> Any:
        w = nb.tensor([1.0, -2.0], requires_grad=True)
        optimizer = kind([w], lr=0.5)
        step = SimpleNamespace(n=0)

        def run(x: Any) -> Any:
            step.n += 1
            for group in optimizer.param_groups:
                group["lr"] = 0.1 / step.n if step.n % 4 else 0.25
            optimizer.zero_grad()
            loss = ((w - x) ** 2).sum()
            loss.backward()
            optimizer.step()
            return loss.detach()

        return run, lambda: (w.tolist(), optimizer.param_groups[0]["lr"])

    alike(make, 16)


def test_an_option_that_is_set_after_the_step() -> None:
    def make() -> Any:
        w = nb.tensor([1.0, -2.0], requires_grad=True)
        optimizer = nb.optim.SGD([w], lr=0.5)

        def run(x: Any) -> Any:
            optimizer.zero_grad()
            loss = ((w - x) ** 2).sum()
            loss.backward()
            optimizer.step()
            for group in optimizer.param_groups:
                group["lr"] *= 0.9
            return loss.detach()

        return run, lambda: (w.tolist(), optimizer.param_groups[0]["lr"])

    alike(make, 16)


def test_averages_of_all_batches() -> None:
    def make() -> Any:
        layer = nn.BatchNorm1d(2, momentum=None)
        return lambda x: layer(nb.stack([x, x * x, x + 1.0])), lambda: layer.running_var.tolist()

    alike(make)


@pytest.mark.parametrize("grows", [lambda n: 3 * n, lambda n: n + (1 << 61)])
def test_whole_numbers_beyond_64_bits_are_refused_as_in_the_plain_call(grows: Callable[[int], int]) -> None:
    state = {"n": 1}

    def step(x: Any) -> Any:
        state["n"] = grows(state["n"])
        return x * state["n"]

    found = []
    for run in (step, nb.compile(step)):
        state["n"], values, error = 1, [], ""
        while not error and len(values) < 42:
            try:
                values.append(run(nb.ones(1, dtype=nb.int64)).tolist())
            except RuntimeError as refused:
                error = str(refused).partition("\n")[0]
        found.append((values, state["n"], error))
    assert found[0] == found[1]
    assert "64 bits" in found[0][-1]

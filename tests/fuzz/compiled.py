"""Random functions under ``nbgrad.compile`` beside themselves, run plainly, and beside PyTorch where it is installed.

    python -m tests.fuzz.compiled FIRST COUNT

A program is a state, a function of arguments and of that state, and calls with arguments that change, share memory with
each other and with the state, and with things that happen between two calls. No bit may differ.
"""

from __future__ import annotations

import json
import re
import textwrap
import warnings
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any

import nbgrad as nb
from tests.fuzz.campaign import Difference, campaign
from tests.fuzz.programs import compiled as code_of
from tests.fuzz.reference import reference
from tests.fuzz.views import close, error_class, gist
from tests.replay.ways import apart, ways

try:
    import torch
except ImportError:  # compiled and plain are compared without it
    torch = None  # type: ignore[assignment]

CALLS = 8
ASIDE = "aside"  # a flag in which nbgrad deliberately differs
# What these change is there after a program, too, or PyTorch has another one, or a second time it waits.
OUTSIDE = (
    r"\b(nb|os|sys|gc|random|time|warnings|locale|decimal|tempfile|mock|logging|shelve|globals|eval|set_printoptions|vars\(\)|k0)\b"
    r"|math\.\w+ =|<locals>|__name__|__builtins__|acquire"
)
WAYS = [apart(way) for way in ways() if not way.is_body and not re.search(OUTSIDE, way.text)]
HELD = ["w", "buf", "table", "row", "column", "leaf", "x0", "seen"]

STATE = [
    "w = T.tensor([0.5, -1.0, 2.0], dtype={d}, requires_grad=True)",
    "buf = T.tensor([1.0, 2.0, 3.0], dtype={d})",
    "table = T.tensor([[0.5, 1.0, -1.0], [0.25, -0.5, 1.5], [2.0, 1.0, 0.5], [-0.25, 0.75, 1.0]], dtype={d})",
    "x0 = T.tensor([-1.0, 0.25, 0.5], dtype={d})",
]
MORE_STATE = [
    "row = table[1]",
    "column = table[:3, 1]",
    "leaf = T.ones(2, 3, dtype={d})[1].requires_grad_()",
    "opt = T.optim.SGD([w], lr=0.1)",
    "opt = T.optim.Adam([w], lr=0.1)",
    "opt = T.optim.SGD([w, leaf], lr=0.1, momentum=0.5)",
    "rate = {{'a': 0.5, 'n': 0}}",
    "seen = buf.detach()",
    "shared = buf.numpy()",
]


def write(seed: int) -> list[str]:
    """Lines that begin with what they are: ``state``, ``body``, ``call``, ``then`` (between calls)."""
    r = Random(seed)
    dtype = r.choice(["T.float32", "T.float64"])
    way = r.choice(WAYS) if r.random() < 0.5 else None
    state = STATE + sorted(r.sample(MORE_STATE, r.randrange(2, 7)), key=MORE_STATE.index)
    if any("[w, leaf]" in line for line in state) and not any(line.startswith("leaf") for line in state):
        state.insert(len(STATE), MORE_STATE[2])
    held = [n for n in HELD if any(line.startswith(f"{n} =") for line in state)]
    body, names, count = [], ["x", "y", *held[:2], *held[3:]], 0
    names = [n for n in names if n != "table"]
    for _ in range(r.randrange(2, 11)):
        line = body_line(r, names, state)
        if line.startswith("= "):
            count += 1
            line = f"v{count} {line}"
            names += [f"v{count}"] * 2
        body.append(line)
    if way is not None:
        count += 1
        body.insert(r.randrange(len(body) + 1), f"v{count} = {r.choice('xy')} * float({way.body})")
    last = [f"v{count}"] if count else ["x"]
    results = r.sample(sorted(set(names)), min(len(set(names)), r.randrange(1, 3))) + last
    copies = r.random() < 0.6  # the other functions return views of what they hold, too
    body.append(f"return {', '.join(f'{n}.clone()' if copies else n for n in results)}")
    looked = r.random() < 0.5
    if not looked:  # an index that is too large is an error when the value is needed
        body = [line for line in body if "T.tensor(9" not in line] or ["pass"]
    calls = []
    common = arguments(r, held)
    for k in range(CALLS):
        given = common if k < 4 or r.random() < 0.5 else arguments(r, held)
        call = f"f({given}, {round(0.1 * (k + 1), 1)}, {k})"
        if way is not None and k > 3 and r.random() < 0.4:
            calls.append(f"then {r.choice(way.changes)}")
        calls.append(f"call r{k} = " + (f"looked({call})" if looked else call))
        if r.random() < 0.3:
            calls += [f"then {line}" for line in [between(r, held, state, k)] if line]
    return [
        *(f"state {line.format(d=dtype)}" for line in state),
        *([f"state {way.before}"] if way is not None else []),
        *(f"body {line}" for line in body),
        *calls,
    ]


def arguments(r: Random, held: list[str]) -> str:
    fresh = "T.tensor([0.5, -0.25, 1.0], dtype=buf.dtype)"
    some = [fresh, fresh, f"{fresh} * rise", "x0", "x0", "x0[:]", "x0.detach()", "table[2]", "w", "w.detach()", "buf"]
    some += [n for n in held if n not in ("table", "w", "buf", "x0")] + ["w * 1.0", "table.T[1][:3]", "buf.data"]
    return f"{r.choice(some)}, {r.choice(some)}"


def body_line(r: Random, names: list[str], state: list[str]) -> str:
    p, q, n = r.choice(names), r.choice(names), r.choice(["buf", "x", "y", "row", "column", "seen"])
    if n not in names:
        n = "x"
    compute = [f"= {p} * {q}", f"= {p} + {q} * 0.5", f"= {p}.tanh()", f"= {p} - {q}.mean()", f"= {p} * w * 0.5"]
    compute += [f"= T.cat([{p}[1:], {q}[:1]])", f"= {p} * (1 - a) + k", f"= T.where({p} > 0.25, {p}, {q})"]
    compute += [
        f"= {p} + table[k % 4]",
        f"= {p} + table[k % 3:k % 3 + 2].sum(0)",
        f"= {p}.sin() if a > 0.3 else {p}.cos()",
    ]
    views = [f"= {p}[:]", f"= {p}.view(-1)", "= table[1]", "= table.T[1][:3]", f"= {p}.detach()", f"= {p}.view_as({p})"]
    views += ["= table[k % 2]", f"= {p}.data"]
    writes = [f"{n}.mul_(0.5)", f"{n}.add_({q}.detach().tanh())", f"{n}.copy_({q}.detach().tanh())", "table.mul_(0.75)"]
    writes += [f"table[k % 4] = {p}.detach().tanh()", f"{n}[1:] = {q}.detach()[:2].sin()", "table[1:].neg_()"]
    writes += [
        "with T.no_grad(): w.mul_(0.9)",
        f"with T.no_grad(): w.sub_(0.1 * {p}.tanh())",
        f"w.data.copy_({p}.tanh())",
    ]
    writes += [f"{n}[0] += 1.0", f"{n}.data.mul_(0.5)", f"with T.no_grad(): {p}.mul_(0.5)", f"{p}.mul_(0.5)"]
    fresh = [v for v in names if v[0] == "v"]
    if fresh:
        v = r.choice(fresh)
        writes += [f"{v}.mul_(0.5)", f"{v}[1:] = {q}[:2] * 1.0", f"{v}.add_({q} * 1.0)"] * 2
    grads = [f"({p} * w).tanh().sum().backward()", "w.grad = None", f"({p}.detach() * w * w).sum().backward()"]
    grads += [f"= T.autograd.grad(({p} * w * w).sum(), w, create_graph=True)[0]"]
    grads += ["if w.grad is not None: w.data.sub_(w.grad, alpha=a)"]
    looks = [f"= {p} * {q}.detach().sum().item()", f"if {p}.detach().sum().item() > 0: {n}.add_(0.25)"]
    other = [
        "if k == 3: raise ValueError('stop', k, a)",
        f"= {p} * len(json.dumps([k, a]))",
        f"= {p} * float(f'{{k}}')",
    ]
    grads += [f"= {p} * (0.5 if w.grad is None else 2.0)", f"= {p} * (0.5 if {q}.requires_grad else 2.0)"]
    other += [f"= {p} * {p}[T.tensor(9 if k == 5 else 1)]"]
    other += [f"= {p}[4 if k == 4 else 1] * {q}"]
    groups = [(compute, 8), (views, 4), (writes, 6), (grads, 3), (looks, 1), (other, 1)]
    if any("rate" in line for line in state):
        groups.append(([f"= {p} * rate['a']", "rate['n'] = rate['n'] + 1", f"= {p} + rate['n']"], 2))
    if any("opt" in line for line in state):
        groups.append((["opt.step()", "opt.zero_grad()", f"({p} * w).sum().backward(); opt.step()"], 3))
    return r.choice(r.choices([g for g, _ in groups], [n for _, n in groups])[0])


def between(r: Random, held: list[str], state: list[str], k: int) -> str:
    n = r.choice([h for h in held if h not in ("w", "leaf")])
    some = [f"{n}.add_(0.25)", f"look({n}.tolist())", "w.grad = None", "rise = rise + 0.5"]
    some += ["w = T.tensor([1.0, 2.0, 0.5], dtype=buf.dtype, requires_grad=True)"]
    some += [f"x0 = r{k}[-1].detach()", "w.data.mul_(0.5)", "table[0] = 0.5", f"kept{k} = table[1] * 2"]
    some += [f"look({n}.sum().item())", "w.requires_grad_(False)", "w.requires_grad_(True)", f"del r{k}"]
    if "row" in held:
        some += [f"row = table[{k % 4}]", "row.mul_(0.5)"]
    if any("rate" in line for line in state):
        some += ["rate['a'] = 0.75", "rate['n'] = 5"]
    if any("opt" in line for line in state):
        some += ["opt.param_groups[0]['lr'] = 0.05", "opt.zero_grad()"]
    if any("shared" in line for line in state):
        some += ["shared += 0.5", "shared[1] = 0.25"]
    return r.choice(some)


def tell(library: Any, lines: Sequence[str], wrap: Callable[[Any], Any]) -> Iterator[tuple[str, Any]]:
    """What can be seen of a program: (what it is, what it was)."""
    seen: list[Any] = []
    space: dict[str, Any] = {"T": library, "look": seen.append, "rise": 1.0, "looked": looked, "json": json}
    said = [line.split(" ", 1) for line in lines]
    for kind, line in said:
        if kind == "state":
            exec(code_of(line), space)
    body = textwrap.indent("\n".join(line for kind, line in said if kind == "body"), "    ")
    exec(code_of(f"def f(x, y, a, k):\n{body or '    return x'}\n"), space)
    space["f"] = wrap(space["f"])
    for k, (kind, line) in enumerate(said):
        if kind not in ("call", "then"):
            continue
        error: Any = None
        try:
            exec(code_of(line), space)
        except Exception as raised:
            error = raised.with_traceback(None)
        yield f"{kind} {line} #{k}", error
    yield "looks", seen
    for name, x in list(space.items()):
        if name[0] == "r" and name[1:].isdigit():
            yield f"result of call {name[1:]}", values(x, library)
        elif name in HELD or name.startswith("kept"):
            yield f"held {name}", values(x, library)
            if x.requires_grad and x.is_leaf:
                yield f"gradient of {name}", None if x.grad is None else x.grad.tolist()
        elif name in ("rate", "shared"):
            yield f"held {name}", [*x.values()] if name == "rate" else x.tolist()


def looked(results: Any) -> Any:
    for x in results if isinstance(results, tuple) else [results]:
        x.tolist()
    return results


def values(x: Any, library: Any) -> Any:
    if isinstance(x, tuple):
        return [values(v, library) for v in x]
    aside = library is torch and reference().is_orphan(x, -1)
    return [x.detach().tolist(), ASIDE if aside else x.requires_grad]


def told_by(want: Any, mine: Any) -> Any:
    """``mine`` without what PyTorch's sets aside."""
    if isinstance(want, list) and isinstance(mine, list) and len(want) == len(mine):
        return [told_by(a, b) for a, b in zip(want, mine, strict=True)]
    return ASIDE if want == ASIDE else mine


def difference(lines: Sequence[str], ignore: str = "^$") -> Difference | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        plain = dict(tell(nb, lines, lambda f: f))
        try:
            found = list(tell(nb, lines, nb.compile))
        except Exception as error:
            return Difference(f"compiled: at the end: {type(error).__name__}: {gist(str(error))}", str(error)[:300])
        for what, mine in found:
            want = plain.get(what)
            if isinstance(mine, Exception) or isinstance(want, Exception):
                same = type(mine) is type(want) and (type(mine) is not ValueError or repr(mine) == repr(want))
            else:
                # In which order derivatives of derivatives are added depends on where the first ones were looked at.
                same = repr(mine) == repr(want) or ("create_graph" in " ".join(lines) and close(mine, want, 1e-5))
            kind = "compiled: " + re.sub(r"\d+", "", what.split(" ")[0] if " = " in what else what)
            if isinstance(mine, Exception) and not same:
                kind = f"compiled: {type(mine).__name__}: {gist(str(mine))}"
            if not same and not re.search(ignore, kind):
                return Difference(kind, f"{what}: {mine!s:.200}; plainly {want!s:.200}")
        return beside_torch(lines, plain, ignore) if torch is not None else None


def saved_as_they_are() -> Any:
    """Have PyTorch's derivatives read what was there when an operation was recorded, as ours do, and not what somebody
    has written since in a way that nobody counts, as through ``.data``."""
    return torch.autograd.graph.saved_tensors_hooks(lambda x: x.detach().clone(), lambda x: x)


def beside_torch(lines: Sequence[str], plain: dict[str, Any], ignore: str) -> Difference | None:
    if any("T.tensor(9" in line for line in lines):
        return None  # PyTorch refuses a wrong index where it is written, nbgrad where the value is needed
    rtol = 5e-4 if any("float32" in line for line in lines) else 1e-8
    with saved_as_they_are():
        theirs = list(tell(torch, lines, lambda f: f))
    for what, want in theirs:
        mine = plain.get(what)
        if isinstance(want, Exception) and not isinstance(mine, Exception):
            return None  # what views.py is about
        if isinstance(mine, Exception) or isinstance(want, Exception):
            same = isinstance(mine, error_class(want)) if isinstance(want, Exception) else False
        else:
            same = close(told_by(want, mine), want, rtol)
        kind = "plain: " + re.sub(r"\d+", "", what.split(" ")[0] if " = " in what else what)
        if not same and not re.search(ignore, kind):
            return Difference(kind, f"{what}: {mine!s:.200}; PyTorch {want!s:.200}")
    return None


class Compiled:
    """The tool's view of a program."""

    def __init__(self, ignore: str, without: str) -> None:
        self.ignore, self.without = ignore, without

    def write(self, seed: int) -> list[str]:
        return [line for line in write(seed) if not re.search(self.without, line)]

    def difference(self, lines: Sequence[str]) -> Difference | None:
        return difference(lines, self.ignore)

    def is_fair(self, lines: Sequence[str]) -> bool:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                told = list(tell(nb, lines, lambda f: f))
        except Exception:
            return False
        return not any(isinstance(error, (NameError, SyntaxError)) for _, error in told)


if __name__ == "__main__":
    campaign("tests.fuzz.compiled", Compiled)

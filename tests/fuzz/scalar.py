"""Random scalar functions with branches and loops: their values by Python, their derivatives by dual numbers."""

from __future__ import annotations

import linecache
import math
import random
from collections.abc import Callable
from typing import Any

from numba import njit


class Dual:
    """A number and its derivative, each of which may be such a number again."""

    def __init__(self, value: Any, dot: Any) -> None:
        self.value, self.dot = value, dot

    def __add__(self, other: Any) -> Dual:
        b = dual(other)
        return Dual(self.value + b.value, self.dot + b.dot)

    def __sub__(self, other: Any) -> Dual:
        b = dual(other)
        return Dual(self.value - b.value, self.dot - b.dot)

    def __mul__(self, other: Any) -> Dual:
        b = dual(other)
        return Dual(self.value * b.value, self.dot * b.value + self.value * b.dot)

    def __truediv__(self, other: Any) -> Dual:
        b = dual(other)
        y = self.value / b.value
        return Dual(y, (self.dot - y * b.dot) / b.value)

    def __pow__(self, n: int) -> Dual:
        y: Any = Dual(1.0, 0.0)
        for _ in range(n):
            y = y * self
        return y  # type: ignore[no-any-return]

    def __neg__(self) -> Dual:
        return Dual(-self.value, -self.dot)

    def __abs__(self) -> Dual:
        return -self if self < 0 else self

    def __radd__(self, other: Any) -> Dual:
        return dual(other) + self

    def __rsub__(self, other: Any) -> Dual:
        return dual(other) - self

    def __rmul__(self, other: Any) -> Dual:
        return dual(other) * self

    def __rtruediv__(self, other: Any) -> Dual:
        return dual(other) / self

    def __lt__(self, other: Any) -> bool:
        return real(self) < real(other)

    def __gt__(self, other: Any) -> bool:
        return real(self) > real(other)

    def __le__(self, other: Any) -> bool:
        return real(self) <= real(other)

    def __ge__(self, other: Any) -> bool:
        return real(self) >= real(other)


def dual(x: Any) -> Dual:
    return x if isinstance(x, Dual) else Dual(x, 0.0)


def real(x: Any) -> float:
    while isinstance(x, Dual):
        x = x.value
    return float(x)


def lifted(function: Callable[[float], float], slope: Callable[[Any, Any], Any]) -> Callable[[Any], Any]:
    """``function`` of numbers and of dual ones, where ``slope(x, y)`` is its derivative."""

    def of(x: Any) -> Any:
        if not isinstance(x, Dual):
            return function(x)
        y = of(x.value)
        return Dual(y, slope(x.value, y) * x.dot)

    return of


sin = lifted(math.sin, lambda x, y: cos(x))
cos = lifted(math.cos, lambda x, y: -sin(x))
exp = lifted(math.exp, lambda x, y: y)
log = lifted(math.log, lambda x, y: 1.0 / x)
sqrt = lifted(math.sqrt, lambda x, y: 0.5 / y)
tanh = lifted(math.tanh, lambda x, y: 1.0 - y * y)
atan = lifted(math.atan, lambda x, y: 1.0 / (1.0 + x * x))
FUNCTIONS = {name: globals()[name] for name in ("sin", "cos", "exp", "log", "sqrt", "tanh", "atan")}

CALLEES = """
def squash(v):
    if v > 1.0:
        return 2.0 - 1.0 / v
    return v if v > -1.0 else -1.0 + 0.1 * (v + 1.0)

def series(v, n):
    total = 0.0
    term = 1.0
    for k in range(1, n + 1):
        term = term * v / (2.0 * k)
        total += term
        if abs(term) < 1e-3:
            break
    return total
"""


class Writer:
    """Writes the text of one function."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.names = ["x", "y"]
        self.lines: list[str] = []
        self.loops = 0

    def pick(self, *choices: Any) -> Any:
        return self.random.choice(choices)

    def number(self) -> str:
        return self.pick("0.5", "1.5", "-0.7", "2.0", "0.3", "K", "c", "3", "1")  # type: ignore[no-any-return]

    def expression(self, depth: int = 2) -> str:
        if depth == 0 or self.random.random() < 0.2:
            return self.random.choice(self.names) if self.random.random() < 0.75 else self.number()
        a, b = self.expression(depth - 1), self.expression(depth - 1)
        return self.pick(  # type: ignore[no-any-return]
            f"({a} + {b})",
            f"({a} - {b})",
            f"({a} * {b})",
            f"({a} * {b})",
            f"({a} / (1.5 + abs({b})))",
            f"sin({a})",
            f"cos({a})",
            f"tanh({a})",
            f"atan({a})",
            f"exp(-abs({a}))",
            f"log(1.1 + ({a}) ** 2)",
            f"sqrt(0.1 + abs({a}))",
            f"({a}) ** {self.pick(2, 3)}",
            f"min({a}, {b})",
            f"max({a}, {b}, 0.1)",
            f"abs({a})",
            f"-({a})",
            f"({a} if {self.condition()} else {b})",
            f"squash({a})",
            f"series(tanh({a}), {self.pick(2, 5)})",
        )

    def condition(self) -> str:
        a, b = self.random.choice(self.names), self.pick(*self.names, self.number(), "0.0")
        one = f"{a} {self.pick('<', '>', '<=', '>=')} {b}"
        if self.random.random() < 0.3:
            return f"({one} {self.pick('and', 'or')} {self.random.choice(self.names)} > {self.number()})"
        return f"not {one}" if self.random.random() < 0.1 else one

    def target(self) -> str:
        """A name to set: not an argument, not what counts rounds."""
        return self.pick("a", "b", "d", *self.local())  # type: ignore[no-any-return]

    def local(self) -> list[str]:
        return [name for name in self.names if name[0] not in "xyi"]

    def block(self, indent: str, depth: int, length: int) -> None:
        known = list(self.names)
        for _ in range(length):
            self.statement(indent, depth)
        self.names = known if indent else self.names

    def statement(self, indent: str, depth: int) -> None:
        kind = self.pick("set", "set", "set", "add", "if", "if", "for", "while", "guard", "return") if depth else "set"
        known = self.local()
        if kind == "return" and not indent:
            kind = "if"
        if kind == "add" and known:
            sign = self.pick("+", "-", "*")
            self.lines.append(f"{indent}{self.random.choice(known)} {sign}= {self.expression(1)}")
        elif kind in ("set", "add"):
            name = self.target()
            self.lines.append(f"{indent}{name} = {self.expression()}")
            self.names += [] if name in self.names else [name]
        elif kind == "return":
            self.lines.append(f"{indent}return {self.expression()}, {self.expression(1)}")
        elif kind == "if":
            self.lines.append(f"{indent}if {self.condition()}:")
            self.block(f"{indent}    ", depth - 1, self.pick(1, 2))
            if self.random.random() < 0.6:
                self.lines.append(f"{indent}else:")
                self.block(f"{indent}    ", depth - 1, 1)
        elif kind == "guard":  # what is not defined, or has no derivative, elsewhere
            name = self.random.choice(self.names)
            self.lines.append(f"{indent}g = 0.25")
            self.lines.append(f"{indent}if {name} > {self.pick('0.0', '0.5', '1.0')}:")
            expressions = f"log({name})", f"1.0 / {name}", f"sqrt({name})", f"sqrt({name} - 0.0) * {name}"
            self.lines.append(f"{indent}    g = {self.random.choice(expressions)}")
            self.names += [] if "g" in self.names else ["g"]
        else:
            self.loop(kind, indent, depth)

    def loop(self, kind: str, indent: str, depth: int) -> None:
        self.loops += 1
        counter = f"i{self.loops}"
        if kind == "for":
            bounds = self.pick("3", "1, 4", "5, 1, -2", "n", "0")
            self.lines.append(f"{indent}for {counter} in range({bounds}):")
        else:
            self.lines.append(f"{indent}{counter} = 0")
            self.lines.append(f"{indent}while {counter} < {self.pick(3, 5)} and {self.condition()}:")
            self.lines.append(f"{indent}    {counter} += 1")
        known = list(self.names)
        self.names.append(counter)
        inner = f"{indent}    "
        self.statement(inner, depth - 1)
        if self.random.random() < 0.5:
            self.lines.append(f"{inner}if {self.condition()}:")
            self.lines.append(f"{inner}    {self.pick('break', 'continue', 'break', f'return {self.names[0]} * 2, y')}")
        self.statement(inner, 0)
        self.names = known

    def function(self) -> str:
        self.lines.append("    a = x * y")
        self.lines.append("    b = 0.3 - y")
        self.names += ["a", "b"]
        for _ in range(self.pick(2, 3, 4)):
            self.statement("    ", 2)
        self.lines.append(f"    return {self.expression()}, {self.expression()}")
        return "\n".join(["def f(x, y):", *self.lines]) + "\n"


def functions(seed: int) -> tuple[str, Any, Any]:
    """A text; the function for Numba; the same for dual numbers."""
    text = Writer(seed).function()
    file = f"<scalar {seed}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    compiled: dict[str, Any] = {name: getattr(math, name) for name in FUNCTIONS}
    compiled |= {"K": 1.25, "c": -0.5, "n": 4}
    plain = {**compiled, **FUNCTIONS}
    for scope in (compiled, plain):
        exec(CALLEES, scope)
    compiled |= {name: njit(compiled[name]) for name in ("squash", "series")}
    for scope in (compiled, plain):
        exec(compile(text, file, "exec"), scope)
    return text, compiled["f"], plain["f"]

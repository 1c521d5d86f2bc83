"""Word functions as LLVM text: plain Python functions over 64-bit words, translated statement by statement.

A word function runs in Python as it stands, which is how tests show what compiled code has to do. All its values are
int64 words, which wrap; for the rest it means what it means in Python. It may hold

    assignments (x = , x += , a, b = f()), if, while, for ... in range(), return, continue
    + - * // & | ^ << >>, comparisons, and, or, not
    calls of intrinsics and of other word functions; constants of its module

and anything else is an error that names the line. What gives several words is annotated ``tuple[int, ...]``.
"""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
from collections.abc import Mapping, Sequence
from types import FunctionType
from typing import Final

from nbgrad.runtime.expressions import Expressions, NotAWordFunctionError, Value, WordFunction
from nbgrad.runtime.ir_text import IRText

# A table of jumps is memory, which a loader may put out of the reach of code (see ``Engine``).
_ATTRIBUTES: Final = ' nounwind "no-jump-tables"="true"'


def translated(functions: Mapping[str, WordFunction]) -> str:
    """LLVM text that defines ``int64 name(int64...)`` for each function under its name, and what those call but for the
    system's (``system_words``)."""
    return _Module(functions).text()


class _Module:
    """Functions that are wanted, by their LLVM names; the others that they call are seen by this module only."""

    def __init__(self, functions: Mapping[str, WordFunction]) -> None:
        self._public = {function: f"@{name}" for name, function in functions.items()}
        self._waiting: dict[WordFunction, None] = dict.fromkeys(functions.values())

    def text(self) -> str:
        done: dict[WordFunction, str] = {}
        while len(done) < len(self._waiting):
            for function in [f for f in self._waiting if f not in done]:
                done[function] = self._written(function)
        return "\n".join(done.values())

    def name_of(self, callee: WordFunction) -> Value:
        """The LLVM name of a function, and the kind of its result; the module will hold it."""
        self._waiting[callee] = None
        return Value(self._public.get(callee) or f"@{callee.__module__}.{callee.__name__}", _result_kind(callee))

    def _written(self, function: WordFunction) -> str:
        definition, (name, kind) = _definition(function), self.name_of(function)
        names = [argument.arg for argument in definition.args.args]
        scope = "" if function in self._public else "internal "
        text = IRText(f"define {scope}{kind} {name}({', '.join([f'i64 %{n}' for n in names])}){_ATTRIBUTES}")
        assert isinstance(function, FunctionType)
        body = _Statements(text, definition, function.__globals__, self.name_of)
        for argument in names:
            body.set(argument, f"%{argument}")
        body.write_all()
        return str(text)


def _definition(function: WordFunction) -> ast.FunctionDef:
    return _definitions(function.__module__)[function.__name__]


@functools.cache
def _definitions(module: str) -> dict[str, ast.FunctionDef]:
    """The functions of a module by their names."""
    source = inspect.getsource(importlib.import_module(module))
    return {node.name: node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)}


def _result_kind(function: WordFunction) -> str:
    match _definition(function).returns:
        case ast.Subscript(slice=ast.Tuple(elts=parts)):
            return f"{{{', '.join(['i64'] * len(parts))}}}"
    return "i64"


class _Statements(Expressions):
    """Writes the body of one function."""

    _turns: tuple[str, ...] = ()  # where ``continue`` goes, innermost loop last

    def write_all(self) -> None:
        self._block(self.definition.body)
        if self.text.is_open:
            if not isinstance(self.definition.returns, ast.Constant):  # None
                raise NotAWordFunctionError(f"{self.definition.name}: its end is reached without a result")
            self.text.give("i64", "0")

    def _block(self, statements: Sequence[ast.stmt]) -> None:
        for statement in statements:
            if self.text.is_open:
                self._statement(statement)

    def _statement(self, statement: ast.stmt) -> None:
        match statement:
            case ast.Expr(value=ast.Constant()):
                pass  # a docstring
            case ast.Expr(value=expression):
                self.value(expression)
            case ast.Assign(targets=[ast.Tuple(elts=names)], value=expression):
                several, kind = self.value(expression)
                for k, name in enumerate(names):
                    self.set(name, self.text.let(f"extractvalue {kind} {several}, {k}"))
            case ast.Assign(targets=[target], value=expression):
                self.set(target, self.word(expression))
            case ast.AnnAssign(target=target, value=given):
                if given is not None:
                    self.set(target, self.word(given))
            case ast.AugAssign(target=target, op=op, value=expression):
                self.set(target, self.computed(statement, op, self.word(target), self.word(expression)))
            case ast.Return(value=result):
                self._return(result)
            case ast.If():
                self._if(statement)
            case ast.While():
                self._while(statement)
            case ast.For(iter=ast.Call(func=ast.Name(id="range"), args=bounds)):
                self._for(statement, bounds)
            case ast.Continue():
                self.text.go(self._turns[-1])
            case _:
                raise self.refused(statement)

    def _return(self, result: ast.expr | None) -> None:
        if isinstance(result, ast.Tuple):
            kind, several = f"{{{', '.join(['i64'] * len(result.elts))}}}", "undef"
            for k, part in enumerate(result.elts):
                several = self.text.let(f"insertvalue {kind} {several}, i64 {self.word(part)}, {k}")
            self.text.give(kind, several)
        else:
            self.text.give("i64", "0" if result is None else self.word(result))

    def _if(self, statement: ast.If) -> None:
        text = self.text
        then, otherwise, done = (text.new_label(name) for name in ("then", "else", "done"))
        text.choose(self.truth(statement.test), then, otherwise)
        for label, statements in ((then, statement.body), (otherwise, statement.orelse)):
            text.begin(label)
            self._block(statements)
            if text.is_open:
                text.go(done)
        text.begin(done)

    def _while(self, statement: ast.While) -> None:
        text = self.text
        head, body, done = (text.new_label(name) for name in ("head", "body", "done"))
        text.go(head)
        text.begin(head)
        match statement.test:
            case ast.Constant(value=True):
                text.go(body)
            case test:
                text.choose(self.truth(test), body, done)
        self._turn(body, statement.body, head)
        text.begin(done)

    def _for(self, statement: ast.For, bounds: Sequence[ast.expr]) -> None:
        text = self.text
        words = [self.word(bound) for bound in bounds]
        start, stop = ("0", words[0]) if len(words) == 1 else words[:2]
        step = words[2] if len(words) == 3 else "1"  # above 0
        head, body, step_on, done = (text.new_label(name) for name in ("head", "body", "step", "done"))
        counter = text.variable()
        text.set(counter, start)
        text.go(head)
        text.begin(head)
        index = text.get(counter)
        text.choose(text.let(f"icmp slt i64 {index}, {stop}"), body, done)
        self._turn(body, statement.body, step_on, (statement.target, index))
        text.begin(step_on)
        if text.is_open:
            text.set(counter, text.let(f"add i64 {index}, {step}"))
            text.go(head)
        text.begin(done)

    def _turn(
        self, label: str, statements: Sequence[ast.stmt], following: str, index: tuple[ast.expr, str] | None = None
    ) -> None:
        """One turn of a loop; it goes on at ``following``."""
        self.text.begin(label)
        if index is not None:
            self.set(*index)
        self._turns += (following,)
        self._block(statements)
        self._turns = self._turns[:-1]
        if self.text.is_open:
            self.text.go(following)

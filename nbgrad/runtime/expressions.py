"""Expressions of word functions (see ``translate``) as LLVM text."""

from __future__ import annotations

import ast
from collections.abc import Callable
from types import FunctionType
from typing import Any, Final, NamedTuple

from nbgrad.runtime.intrinsics import INTRINSICS
from nbgrad.runtime.ir_text import IRText

WordFunction = Callable[..., Any]

_ARITHMETIC: Final = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.BitAnd: "and",
    ast.BitOr: "or",
    ast.BitXor: "xor",
    ast.LShift: "shl",
    ast.RShift: "ashr",
}
_RELATIONS: Final = {ast.Lt: "slt", ast.LtE: "sle", ast.Gt: "sgt", ast.GtE: "sge", ast.Eq: "eq", ast.NotEq: "ne"}


class NotAWordFunctionError(Exception):
    """Something that a word function may not hold."""


class Value(NamedTuple):
    """A value by its LLVM name. ``kind`` is i64, or i1 for what a comparison gives, or a struct of several i64."""

    name: str
    kind: str = "i64"


class Expressions:
    """Writes expressions over the variables of one function. ``name_of`` gives the LLVM name of a word function."""

    def __init__(self, text: IRText, definition: ast.FunctionDef, constants: dict[str, Any], name_of: Any) -> None:
        self.text = text
        self.definition = definition
        self._globals = constants
        self._name_of = name_of
        self._places: dict[str, str] = {}

    def set(self, target: ast.expr | str, word: str) -> None:
        """Give a variable its value."""
        if isinstance(target, ast.expr) and not isinstance(target, ast.Name):
            raise self.refused(target)
        name = target if isinstance(target, str) else target.id
        if name not in self._places:
            self._places[name] = self.text.variable()
        self.text.set(self._places[name], word)

    def word(self, expression: ast.expr) -> str:
        """The expression as an int64."""
        name, kind = self.value(expression)
        return self.text.let(f"zext i1 {name} to i64") if kind == "i1" else name

    def truth(self, expression: ast.expr) -> str:
        """Whether the expression is true, as one bit."""
        name, kind = self.value(expression)
        return name if kind == "i1" else self.text.let(f"icmp ne i64 {name}, 0")

    def value(self, expression: ast.expr) -> Value:
        match expression:  # the most frequent first
            case ast.Name(id=name):
                return self._get(name)
            case ast.Call():
                return self._called(expression)
            case ast.Constant(value=int(number)):
                return Value(str(int(number)))
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return Value(self.text.let(f"xor i1 {self.truth(operand)}, true"), "i1")
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return Value(self.text.let(f"sub i64 0, {self.word(operand)}"))
            case ast.BinOp(left=left, op=op, right=right):
                return Value(self.computed(expression, op, self.word(left), self.word(right)))
            case ast.Compare():
                return self._compared(expression)
            case ast.BoolOp():
                return self._decided(expression)
        raise self.refused(expression)

    def _get(self, name: str) -> Value:
        if name in self._places:
            return Value(self.text.get(self._places[name]))
        constant = self._globals.get(name)
        if not isinstance(constant, int):
            raise NotAWordFunctionError(f"{self.definition.name}: {name} is neither set before nor a constant")
        return Value(str(int(constant)))

    def computed(self, where: ast.AST, op: ast.operator, left: str, right: str) -> str:
        """``left op right``."""
        if isinstance(op, ast.FloorDiv):
            return self._floor_divided(left, right)
        if type(op) not in _ARITHMETIC:
            raise self.refused(where)
        return self.text.let(f"{_ARITHMETIC[type(op)]} i64 {left}, {right}")

    def _floor_divided(self, left: str, right: str) -> str:
        let = self.text.let
        quotient, remainder = let(f"sdiv i64 {left}, {right}"), let(f"srem i64 {left}, {right}")
        signs_differ = let(f"icmp slt i64 {let(f'xor i64 {remainder}, {right}')}, 0")
        is_inexact = let(f"icmp ne i64 {remainder}, 0")
        one_less = let(f"zext i1 {let(f'and i1 {signs_differ}, {is_inexact}')} to i64")
        return let(f"sub i64 {quotient}, {one_less}")

    def _compared(self, expression: ast.Compare) -> Value:
        words = [self.word(part) for part in (expression.left, *expression.comparators)]
        bits = [
            self.text.let(f"icmp {_RELATIONS[type(op)]} i64 {left}, {right}")
            for op, left, right in zip(expression.ops, words, words[1:], strict=False)
        ]
        for bit in bits[1:]:
            bits[0] = self.text.let(f"and i1 {bits[0]}, {bit}")
        return Value(bits[0], "i1")

    def _decided(self, expression: ast.BoolOp) -> Value:
        """``and``, ``or``: what stands on the right is computed only where the left does not decide."""
        text, is_and = self.text, isinstance(expression.op, ast.And)
        known = text.new_label("known")
        arriving = []
        for part in expression.values[:-1]:
            bit, following = self.truth(part), text.new_label("next")
            arriving.append(("false" if is_and else "true", text.label))
            text.choose(bit, *((following, known) if is_and else (known, following)))
            text.begin(following)
        arriving.append((self.truth(expression.values[-1]), text.label))
        text.go(known)
        text.begin(known)
        return Value(text.meet(arriving), "i1")

    def _called(self, expression: ast.Call) -> Value:
        callee = self._globals.get(expression.func.id) if isinstance(expression.func, ast.Name) else None
        words = [self.word(argument) for argument in expression.args]
        if not isinstance(callee, FunctionType):
            raise self.refused(expression)
        if callee in INTRINSICS:
            return Value(INTRINSICS[callee](self.text, *words))
        name, kind = self._name_of(callee)
        return Value(self.text.let(f"call {kind} {name}({', '.join([f'i64 {word}' for word in words])})"), kind)

    def refused(self, node: ast.AST) -> NotAWordFunctionError:
        line = getattr(node, "lineno", self.definition.lineno)
        return NotAWordFunctionError(f"{self.definition.name}, line {line}: {ast.unparse(node)}")

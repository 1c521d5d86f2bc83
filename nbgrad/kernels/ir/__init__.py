"""LLVM's language as text: types, constants, and a builder that writes a line for each instruction.

The names are those of llvmlite's ``ir``, whose objects for every instruction and operand took three times as long to
make and print, half of what a small kernel takes to compile. LLVM's parser checks the types of all lines.
"""

from nbgrad.kernels.ir.builder import IRBuilder
from nbgrad.kernels.ir.module import Function, GlobalVariable, Module, WrittenFunction
from nbgrad.kernels.ir.types import (
    DOUBLE,
    FLOAT,
    HALF,
    VOID,
    ArrayType,
    Constant,
    FormattedConstant,
    FunctionType,
    IntType,
    PointerType,
    Type,
    Value,
    VectorType,
    undefined,
)

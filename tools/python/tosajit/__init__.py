# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""TOSA elementwise operations on arrays, compiled into SIMD kernels.

    >>> import tosajit
    >>> kernel = tosajit.compile("y = x * sigmoid(x + b) : f32[?,64], f32[1,64]")
    >>> y = kernel(x, b)
    >>> y = tosajit.evaluate("x * sigmoid(x + b)", x=x, b=b)

Operands are what has the buffer protocol or DLPack, NumPy's and PyTorch's arrays among them, and
numbers. They are not copied. A result is a NumPy array if an operand is one, else an Array, which
numpy.asarray and torch.from_dlpack take as it is; out= has the caller's own. An Engine has options:
threads, accuracy, a directory for code.
"""
import atexit as _atexit

from ._graph import Node, partition
from ._tosajit import (
    ArgumentError,
    Array,
    CompileError,
    ElementTypeError,
    Engine,
    Error,
    Kernel,
    OutOfMemoryError,
    ShapeError,
    __version__,
    quiesce as _quiesce,
)

__all__ = [
    "ArgumentError",
    "Array",
    "CompileError",
    "ElementTypeError",
    "Engine",
    "Error",
    "Kernel",
    "Node",
    "OutOfMemoryError",
    "ShapeError",
    "compile",
    "evaluate",
    "partition",
]

# Threads may be compiling when the process ends, which LLVM would not survive.
_atexit.register(_quiesce)

_engine = Engine()
compile = _engine.compile
evaluate = _engine.evaluate

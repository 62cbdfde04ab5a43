# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A namespace of the Array API standard in which each function is one of tosajit.jit that calls
NumPy's, for the standard's own tests. run.sh says how. In ARRAY_API_FORM=operators, arithmetic is
written with operators, and reductions as methods."""
import inspect
import os
import types

import numpy as np

import tosajit


__array_api_version__ = np.__array_api_version__
CONSTANTS = ("e", "inf", "nan", "pi", "newaxis")
TYPES = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
         "float32", "float64", "complex64", "complex128")
INFOS = ("__array_namespace_info__", "finfo", "iinfo", "isdtype", "result_type", "can_cast",
         "from_dlpack", "dtype")  # which compute nothing
BINARY = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/", "floor_divide": "//",
          "remainder": "%", "pow": "**", "bitwise_and": "&",
          "bitwise_or": "|", "bitwise_xor": "^", "bitwise_left_shift": "<<",
          "bitwise_right_shift": ">>", "equal": "==", "not_equal": "!=",
          "less": "<", "less_equal": "<=", "greater": ">", "greater_equal": ">=", "matmul": "@"}
UNARY = {"negative": "-", "positive": "+", "bitwise_invert": "~"}
NAMES = {1: ("x",), 2: ("x1", "x2")}
PRODUCTS = {"matmul": "lambda x1, x2, /: np.matmul(x1, x2)",
            "vecdot": "lambda x1, x2, /, *, axis=-1: np.vecdot(x1, x2, axis=axis)"}
METHODS = ("sum", "prod", "max", "min", "mean", "all", "any", "argmax", "argmin")


def body(module: str, name: str) -> str:
    if os.environ.get("ARRAY_API_FORM") == "operators" and module == "np":
        if name in BINARY:
            return f"lambda x1, x2: x1 {BINARY[name]} x2"
        if name in UNARY:
            return f"lambda x: {UNARY[name]}x"
        if name == "abs":
            return "lambda x: abs(x)"
        if name in METHODS:
            return f"lambda x, **keywords: x.{name}(**keywords)"
    if name in PRODUCTS:
        return PRODUCTS[name].replace("np.", f"{module}.")
    numpys = getattr(np, name, None)
    if isinstance(numpys, np.ufunc) and numpys.signature is None:
        names = ", ".join(NAMES[numpys.nin])
        return f"lambda {names}, /: {module}.{name}({names})"
    return f"lambda *args, **keywords: {module}.{name}(*args, **keywords)"


def jitted(module: str, name: str, numpys: object) -> object:
    function = eval(body(module, name), {"np": np, "abs": abs})
    function.__name__ = function.__qualname__ = name
    if function.__code__.co_flags & inspect.CO_VARKEYWORDS and not function.__code__.co_argcount:
        try:
            function.__signature__ = inspect.signature(numpys)
        except ValueError:
            pass  # some of NumPy's have none
    return tosajit.jit(function)


def fill(space: dict, module: str, numpys: types.ModuleType) -> None:
    for name in dir(numpys):
        held = getattr(numpys, name)
        if callable(held) and not isinstance(held, type) and not name.startswith("_"):
            space[name] = held if name in INFOS else jitted(module, name, held)


class Part:
    """A namespace within: linalg, fft."""

    def __init__(self, name: str):
        fill(vars(self), f"np.{name}", getattr(np, name))


fill(globals(), "np", np)
for _name in (*CONSTANTS, *TYPES, *INFOS):
    globals()[_name] = getattr(np, _name)
linalg, fft = Part("linalg"), Part("fft")
FUNCTIONS = [held for space in (globals(), vars(linalg), vars(fft))
             for held in space.values() if type(held) is type(jitted("np", "add", np.add))]


def report() -> str:
    """How many functions had a kernel at least once."""
    called = [f for f in FUNCTIONS if f.__wrapped__ and f.kernels]
    return (f"{len(called)} of {len(FUNCTIONS)} functions had kernels: "
            f"{', '.join(sorted(f.__name__ for f in called))}")

# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bits of random texts, a line for each: python_bits_test.py SECONDS [LINES]. Numbers of the same
seed are the same on every system, and so must the lines be, whichever system computes them by
precompiled operations. Needs NumPy."""
import hashlib
import random
import re
import sys
import time

import numpy as np

import tosajit

ENGINE = tosajit.Engine(backend="precompiled", threads=1)
FLOATS = ("float16", "float32", "float64")
WHOLE = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32")
UNARY = ("exp", "log", "sin", "cos", "tan", "tanh", "sqrt", "abs", "-", "sigmoid", "erf", "exp2",
         "log1p", "expm1", "arctan", "cbrt", "floor", "ceil", "rsqrt")
BINARY = ("+", "-", "*", "/", "minimum", "maximum", "arctan2", "hypot", "**", "%", "//")
WHOLE_UNARY = ("abs", "-", "~")
WHOLE_BINARY = ("+", "-", "*", "&", "|", "^", "minimum", "maximum", "<<", ">>")
REDUCE = ("sum", "max", "min", "prod")


def apply(word, *parts):
    if word.isalnum():
        return f"{word}({', '.join(parts)})"
    return f"({word}{parts[0]})" if len(parts) == 1 else f"({parts[0]} {word} {parts[1]})"


def text_of(draw, names, real, depth):
    if depth == 0 or draw.random() < 0.15:
        return draw.choice(names)
    kind = draw.random()
    if kind < 0.4:
        return apply(draw.choice(UNARY if real else WHOLE_UNARY),
                     text_of(draw, names, real, depth - 1))
    if kind < 0.9:
        word = draw.choice(BINARY if real else WHOLE_BINARY)
        return apply(word, text_of(draw, names, real, depth - 1),
                     text_of(draw, names, real, depth - 1))
    return (f"{draw.choice(REDUCE)}({text_of(draw, names, real, depth - 1)}, "
            f"axis={draw.choice((0, 1))}, keepdims=True)")


def array_of(draw, dtype, shape):
    count = int(np.prod(shape))
    if dtype.startswith("float"):
        values = [draw.choice((1, 1, 100, 2.0**20))
                  * draw.choice((draw.random() * 2 - 1, draw.random(), 0.5, 0.0, -0.0))
                  for _ in range(count)]
        return np.array(values).astype(dtype).reshape(shape)
    return np.frombuffer(draw.randbytes(count * np.dtype(dtype).itemsize), dtype).reshape(shape)


def bits(result):
    """A NaN is a NaN."""
    result = np.asarray(result)
    if result.dtype.kind == "f":
        result = np.where(np.isnan(result), result.dtype.type(1.5), result)
    return hashlib.sha256(result.tobytes()).hexdigest()[:16]


def line(seed):
    draw = random.Random(seed)
    dtype = draw.choice(FLOATS + WHOLE)
    rows, columns = draw.randint(1, 9), draw.randint(1, 70)
    arrays = {name: array_of(draw, dtype, draw.choice(((rows, columns), (1, columns), (rows, 1))))
              for name in ("a", "b", "c")}
    text = text_of(draw, tuple(arrays), dtype in FLOATS, draw.randint(1, 5))
    try:
        used = {name: array for name, array in arrays.items() if re.search(rf"\b{name}\b", text)}
        told = bits(ENGINE.evaluate(text, **used))
    except (tosajit.Error, TypeError) as error:
        told = type(error).__name__
    return f"{seed} {dtype} {text} {told}"


def main():
    end, most = (time.monotonic() + float(sys.argv[1]),
                 int(sys.argv[2]) if len(sys.argv) > 2 else 1 << 60)
    seed = 0
    while time.monotonic() < end and seed < most:
        print(line(seed), flush=seed % 100 == 0)
        seed += 1


np.seterr(all="ignore")
main()

# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random texts on random arrays, against NumPy: types, promotion, shapes, strides, scalars, out=. Python evaluates the
same text with NumPy's functions. TOSAJIT_TEST_SECONDS says how long; 20 seconds otherwise."""
import os
import sys
import time
import warnings

import numpy as np
from hypothesis import HealthCheck, given, settings, strategies as st

import tosajit

INTEGERS = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32]
FLOATS = [np.float16, np.float32, np.float64]
TYPES = [np.bool_] + INTEGERS + FLOATS
SIZES = st.integers(0, 5)
ENGINES = [tosajit._engine, tosajit.Engine(backend="precompiled"), tosajit.Engine(backend="auto")]


@st.composite
def shapes(draw):
    """Three shapes that broadcast, of ranks up to 4."""
    full = draw(st.lists(SIZES, min_size=0, max_size=4))

    def one():
        mine = [draw(st.sampled_from([size, size, 1])) for size in full]
        return tuple(mine[draw(st.integers(0, len(mine))):] if mine else ())

    return [one() for _ in range(3)]


@st.composite
def strided(draw, array):
    """The same elements elsewhere: transposed memory, steps, steps backwards, no strides at all."""
    kind = draw(st.integers(0, 4))
    if kind == 0 or array.ndim == 0:
        return array
    if kind == 1:
        return np.asfortranarray(array)
    if kind == 2:
        wide = np.zeros(array.shape[:-1] + (array.shape[-1] * 3,), array.dtype)
        wide[..., 1::3] = array
        return wide[..., 1::3]
    if kind == 3:
        return np.ascontiguousarray(array[::-1])[::-1]
    records = np.zeros(array.shape, np.dtype([("tag", "i1"), ("value", array.dtype)]))
    records["value"] = array
    return records["value"]


NUMBERS = [0, 1, 2, 3, -1, -2, 5, 7, 100]


@st.composite
def operands(draw):
    result = {}
    for name, shape in zip("xyz", draw(shapes())):
        dtype = np.dtype(draw(st.sampled_from(TYPES)))
        count = int(np.prod(shape, dtype=int))
        seed = draw(st.integers(0, 1 << 30))
        random = np.random.default_rng(seed)
        if dtype.kind == "f":
            values = random.choice(np.array(NUMBERS + [0.5, -0.25, 1.75, -0.0, np.inf, -np.inf, np.nan]), count)
        elif dtype.kind == "b":
            values = random.integers(0, 2, count)
        else:
            values = random.choice(np.array(NUMBERS[:-1] + [np.iinfo(dtype).max, np.iinfo(dtype).min]), count)
        result[name] = draw(strided(values.astype(dtype).reshape(shape)))
    result["a"] = draw(st.sampled_from([0, 1, 3, -2, 0.5, -1.25, True]))
    return result


BINARY = ["+", "-", "*", "/", "//", "%", "&", "|", "^", "<", "<=", ">", ">=", "==", "!="]
UNARY = ["abs", "floor", "ceil", "sqrt", "isnan", "isinf", "isfinite", "rint", "trunc", "square", "ones_like"]
TWO = ["maximum", "minimum", "fmax", "fmin", "fmod"]  # signs of NaNs, which copysign takes, differ


# A number beside an array: by itself it has the type of the arrays here, and a type of its own in NumPy.
LEAVES = ["x", "y", "z", "x", "y", "z", "(x + a)", "(a * y)", "(z - a)", "(x > a)", "(x + 2)", "(y * 3)", "(1.5 - z)", "(y / 2)"]


@st.composite
def texts(draw, depth=2):
    if depth == 0 or draw(st.integers(0, 5)) == 0:
        return draw(st.sampled_from(LEAVES))
    part = lambda: draw(texts(depth=depth - 1))
    kind = draw(st.integers(0, 9))
    if kind < 5:
        return f"({part()} {draw(st.sampled_from(BINARY))} {part()})"
    if kind < 7:
        return f"{draw(st.sampled_from(UNARY))}({part()})"
    if kind < 8:
        return f"{draw(st.sampled_from(TWO))}({part()}, {part()})"
    if kind < 9:
        return f"where({part()}, {part()}, {part()})"
    return f"(-{part()})"


NAMES = {name: getattr(np, name) for name in UNARY + TWO + ["where"]}


def expected(text, values):
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return np.asarray(eval(text, dict(NAMES), values))


def same(text, found, wanted):
    """Bits, but for NaNs, and for the sign of zero where NumPy gives either operand of maximum(0.0, -0.0)."""
    if found.dtype != wanted.dtype or found.shape != wanted.shape:
        return False
    if wanted.dtype.kind != "f":
        return np.array_equal(found, wanted)
    zeros = (found == 0) & (wanted == 0) & ("max" not in text and "min" not in text)
    return np.array_equal(found, wanted, equal_nan=True) and np.array_equal(
        np.signbit(found[zeros]), np.signbit(wanted[zeros]))


COUNTS = {"computed": 0, "refused by both": 0, "refused here": {}}


def check(text, values, engine):
    arrays = {name: values[name] for name in "xyza" if name in words(text)}
    if not any(isinstance(value, np.ndarray) for value in arrays.values()):
        return
    # NumPy gives either operand of maximum(0.0, -0.0); a quotient makes another infinity of each
    if any(name in text for name in ("max", "min")) and any(sign in text for sign in "/%"):
        return
    try:
        wanted = expected(text, arrays)
    except (TypeError, ValueError, OverflowError):
        wanted = None
    try:
        found = engine.evaluate(text, **arrays)
    except (tosajit.Error, ValueError, TypeError) as error:
        COUNTS["refused by both" if wanted is None else "refused here"] = (
            COUNTS["refused by both"] + 1 if wanted is None else count_refusal(str(error), text))
        return
    if wanted is None or wanted.dtype.kind == "c" or wanted.dtype not in [np.dtype(t) for t in TYPES]:
        return
    COUNTS["computed"] += 1
    found = np.asarray(found)
    assert same(text, found, wanted), (f"{text}: {found!r} {found.dtype}, NumPy {wanted!r} {wanted.dtype}", arrays)
    out = np.zeros(wanted.shape + (2,), wanted.dtype)[..., 0]
    assert engine.evaluate(text, out=out, **arrays) is out
    assert same(text, out, wanted), (text, arrays)
    again = np.asarray(engine.evaluate(text, **arrays))
    assert same(text, again, wanted), (text, arrays)


def count_refusal(message, text):
    key = message.splitlines()[0][:90]
    COUNTS["refused here"].setdefault(key, text)
    return COUNTS["refused here"]


def words(text):
    word, found = "", []
    for letter in text + " ":
        if letter.isalnum() or letter == "_":
            word += letter
        else:
            found.append(word)
            word = ""
    return found


@settings(max_examples=300, deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(texts(), operands(), st.sampled_from(ENGINES))
def test_as_numpy(text, values, engine):
    check(text, values, engine)


if __name__ == "__main__":
    END = time.monotonic() + float(os.environ.get("TOSAJIT_TEST_SECONDS", "20"))
    while time.monotonic() < END:
        test_as_numpy()
    for message, text in COUNTS["refused here"].items():
        print(f"refused, though NumPy computes it: {text}: {message}")
    print(f"{COUNTS['computed']} texts computed as by NumPy, {COUNTS['refused by both']} refused by both")
    sys.exit(COUNTS["computed"] < 100)

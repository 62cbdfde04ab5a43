# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random texts on random arrays, behind every door of the package, against python_oracle.py: to the
bit, with types, shapes, and the bytes beside results. A failing text is made small, and printed as
a line to paste.

    python3 tests/tools/python_texts_test.py              # TOSAJIT_TEST_SECONDS=10, TOSAJIT_SEED=that of the clock
    python3 tests/tools/python_texts_test.py 'CASE'       # a case that was printed
    TOSAJIT_FINDINGS=20 ...                               # go on until so many kinds are found; 1 otherwise
"""
import ast
import collections
import copy
import math
import mmap
import os
import random
import re
import subprocess
import sys
import tempfile
import time
import warnings

import numpy as np

import python_oracle as oracle
import tosajit
from tosajit import _texts

TYPES = oracle.TYPES
FLOATS = ("f16", "f32", "f64")
LEVELS = ("v2", "v3", "v4")

# ---------------------------------------------------------------------------------------------------------------------
# Memory

KINDS = ("C", "F", "step", "back", "turned", "odd", "field", "repeated")


class Memory:
    """An array amid bytes of a pattern, which are compared afterwards."""

    def __init__(self, shape, dtype, kind, values=None):
        dtype = np.dtype(dtype)
        self.array = self._lay(tuple(shape), dtype, kind)
        if values is not None:
            self._fill(kind, values)
        self.before = self.bytes.copy()  # with the array's own
    def _lay(self, shape, dtype, kind):
        gap, size = 64, dtype.itemsize
        if kind == "field":
            record = np.dtype([("tag", "u1"), ("value", dtype)])
            self._room(math.prod(shape) * record.itemsize, 0)
            return self.bytes[gap:gap + math.prod(shape)
                              * record.itemsize].view(record).reshape(shape)["value"][...]
        steps = [1] * len(shape)
        if kind in ("step", "back") and shape:
            steps[-1] = 3 if kind == "step" else -1
            steps[0] = -2 if kind == "back" else steps[0]
        wide = [n * abs(s) for n, s in zip(shape, steps)]
        self._room(math.prod(wide) * size, 1 if kind == "odd" else 0)
        start = gap + (kind == "odd")
        flat = self.bytes[start:start + math.prod(wide) * size].view(dtype)
        array = flat.reshape(wide, order="F" if kind == "F" else "C")
        if kind == "turned" and len(shape) > 1:
            array = flat.reshape(wide[1:] + wide[:1])
            array = np.moveaxis(array, -1, 0)
        return array[(*(slice(None, None, s) for s in steps), ...)]

    def _room(self, size, more):
        self.bytes = np.resize(np.arange(1, 252, dtype=np.uint8), size + more + 128)

    def _fill(self, kind, values):
        self.array[...] = values
        if kind == "repeated":
            # zeros of two signs are not the same
            bits = np.ascontiguousarray(values).view(f"u{values.itemsize}").reshape(values.shape)
            for axis, n in enumerate(values.shape):
                if n > 1 and (bits == bits.take([0], axis)).all():
                    self.array = np.broadcast_to(self.array[(slice(None),) * axis + (slice(0, 1),)],
                                                 values.shape)

    def shared(self, kind):
        """Another array in these bytes: between the elements of this one, or an element further on;
        None: there is none."""
        size = self.array.itemsize
        if (not self.array.ndim or not self.array.size
            or (kind == "between") != (self.array.strides[-1] == 3 * size)):
            return None
        start = (self.array.__array_interface__["data"][0]
                 - self.bytes.__array_interface__["data"][0] + size)
        return np.ndarray(self.array.shape, self.array.dtype, self.bytes, start, self.array.strides)

    def beside(self, others):
        """True if bytes around the arrays have changed."""
        own = np.zeros(len(self.bytes), bool)
        first = self.bytes.__array_interface__["data"][0]
        for array in [self.array, *others]:
            start = array.__array_interface__["data"][0] - first
            if not array.size or not 0 <= start < len(own):
                continue
            offsets = np.zeros((), np.int64)
            for n, stride in zip(array.shape, array.strides):
                offsets = offsets[..., None] + np.arange(n) * stride
            for k in range(array.itemsize):
                own[(offsets + start + k).reshape(-1)] = True
        return bool(((self.bytes != self.before) & ~own).any())

NUMBERS = {"f": [0.0, -0.0, 1, -1, 2, -2, 3, 0.5, -0.25, 1.75, 5, 7, 100],
           "i": [0, 1, 2, 3, -1, -2, 5, 7, 100], "u": [0, 1, 2, 3, 5, 7, 100, 200]}


def numbers(shape, dtype, mode, seed):
    """Values by a seed: small whole ones, with special ones among them, or of any size."""
    rng, dtype = np.random.default_rng(seed), np.dtype(dtype)
    if dtype.kind == "b":
        return rng.integers(0, 2, shape).astype(bool)
    if mode == "same":
        return np.full(shape, 3, dtype)
    if mode == "ramp":
        return (np.arange(math.prod(shape)) % 100).astype(dtype).reshape(shape)
    if mode == "small":
        return rng.integers(0 if dtype.kind == "u" else -3, 4, shape).astype(dtype)
    with np.errstate(all="ignore"):
        if dtype.kind == "f":
            wild = (rng.standard_normal(shape)
                    * np.exp2(rng.integers(-6, 7 if mode == "wild" else 60, shape)))
            special = rng.choice(np.array(NUMBERS["f"]
                                          + [np.inf, -np.inf, np.nan, np.finfo(dtype).max,
                                             np.finfo(dtype).tiny]), shape)
            return np.where(rng.random(shape) < (0.0 if mode == "wild" else 0.7), special,
                            wild).astype(dtype)
        info = np.iinfo(dtype)
        return np.where(rng.random(shape) < 0.5, rng.integers(info.min, info.max, shape, dtype,
                                                              endpoint=True),
                        rng.choice(np.array(NUMBERS[dtype.kind] + [info.min, info.max]),
                                   shape).astype(dtype))


class Operand:
    """An array: of what type, shape and memory, and which numbers."""

    def __init__(self, type, shape, kind="C", mode="small", seed=0):
        self.type, self.shape, self.kind, self.mode, self.seed = type, tuple(shape), kind, mode, seed

    def values(self):
        return numbers(self.shape, TYPES[self.type], self.mode, self.seed)

    def __repr__(self):
        return (f"Operand({self.type!r}, {self.shape!r}, {self.kind!r}, {self.mode!r}, "
                f"{self.seed!r})")


# ---------------------------------------------------------------------------------------------------------------------
# Doors

# options: pairs of an Engine's
Door = collections.namedtuple("Door", "form options", defaults=((),))
# of evaluate: once; twice, when it is compiled meanwhile; waited, when that is done
FORMS = ("once", "twice", "waited", "dynamic", "static", "image")


class Engines:
    """Engines by their options; anew after some time, so that their kernels go."""

    def __init__(self):
        self.engines, self.kernels, self.left, self.accuracy = {}, {}, 0, oracle.ACCURACIES[0]

    def get(self, options):
        options = (*options, ("accuracy", self.accuracy))
        if options not in self.engines:
            self.engines[options] = tosajit.Engine(**dict(options))
        return self.engines[options]

    def next_text(self):
        self.kernels.clear()
        self.left -= 1
        if self.left < 0:
            self.engines.clear()
            self.left = 300

    def kernel(self, text, door, arrays):
        """By compile, of the text that evaluate would compile."""
        sizes = (tuple(tuple(a.shape) for a in arrays.values()) if door.form == "static"
                 else tuple(a.ndim for a in arrays.values()))
        key = (text, door, sizes, tuple(a.dtype for a in arrays.values()))
        if key not in self.kernels:
            kernel = self.get(door.options).compile(declared(text, arrays, door.form == "static"))
            if door.form == "image":
                kernel = tosajit.load(kernel.to_bytes())
            self.kernels[key] = kernel
        return self.kernels[key]

    def call(self, door, text, arrays, out):
        if door.form not in ("once", "twice", "waited") and is_several(text, arrays):
            raise tosajit.ArgumentError(SEVERAL)  # which compile does not take
        BY_FUNCTION.clear()
        return self.found(door, text, arrays, out)

    def found(self, door, text, arrays, out):
        given = {} if out is None else {"out": out}
        if door.form in ("once", "twice", "waited"):
            engine = self.get(door.options)
            for _ in range(("once", "twice", "waited").index(door.form) if out is None else 0):
                engine.evaluate(text, **arrays)
            if door.form == "waited":
                engine.wait()
            found = engine.evaluate(text, **arrays, **given)
        else:
            found = self.kernel(text, door, arrays)(**arrays, **given)
        return found if isinstance(found, tuple) else (found,)


def declared(text, arrays, static):
    """The kernel that evaluate compiles of a text for these arrays, with all sizes known, or
    none."""
    names = tuple(name for name in _texts.names(text) if name in arrays)
    types = [oracle.NAME_OF[arrays[name].dtype] for name in names]
    shapes = [arrays[name].shape for name in names]
    made = _texts.translate(text, names, types, [""] * len(names), shapes,
                            [arrays[name] for name in names], None, "same_kind")[0]
    for name, type, shape in zip(names, types, shapes) if static else ():
        made = made.replace(f"{name}: {type}[{','.join('?' * len(shape))}]",
                            f"{name}: {type}[{','.join(map(str, shape))}]", 1)
    return made


# Calls of a function in a kernel's place, where strides do not say what NumPy does.
BY_FUNCTION, _as_function = [], _texts.TextFunction.__call__
_texts.TextFunction.__call__ = (lambda self, *given: BY_FUNCTION.append(self)
                                or _as_function(self, *given))
SEVERAL = "of this text evaluate makes several kernels, or NumPy computes it"


def is_several(text, arrays):
    """True if it needs more than one kernel."""
    if not isinstance(_texts.names(text), tuple):
        return False
    names = tuple(name for name in _texts.names(text) if name in arrays)
    kinds = [{bool: "b", int: "i", float: "f"}.get(type(arrays[name]), "") for name in names]
    own = {"b": "i1", "i": "i64", "f": "f64"}
    types = [own[kind] if kind else oracle.NAME_OF[np.asarray(arrays[name]).dtype]
             for name, kind in zip(names, kinds)]
    try:
        given = [arrays[name] for name in names]
        made = _texts.translate(text, names, types, kinds, [np.shape(a) for a in given], given,
                                None, "same_kind")
    except tosajit.Error:
        return False
    return made is not None and made[0] is None


def tosajit_names(text):
    found = {}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Name):
            found[node.id] = None
    return found


# ---------------------------------------------------------------------------------------------------------------------
# One case

# What is refused, and why: a part of the message, and where that is right.
REDUCES = r"\b(" + "|".join([*oracle.REDUCERS, *oracle.NORMS]) + r")\("
VIEWS = r"\[|\b(transpose|permute|reshape|squeeze|flip|tile|swapaxes|broadcast_to|expand_dims|unsqueeze|concat|cat|concatenate|pad)\(|\.T\b"


def has(*patterns):
    """A predicate: the text has all of these."""
    return lambda case: all(re.search(pattern, case.text) for pattern in patterns)


def empty_joined(case):
    return (has(JOINS)(case) and any(0 in o.shape
                                     for o in case.operands.values() if isinstance(o, Operand)))


PIECES, REPEATS, SLICES = (r"\b(concat|cat|concatenate|pad)\(", r"\b(tile|broadcast_to)\(",
                           r"\[|\bflip\(")
JOINS = r"\breshape\("
# language.md, "What strides cannot say is refused", unless another place is named
MOVED = f"{JOINS}|{REPEATS}|{PIECES}"
REFUSALS = (
    ("cannot be seen through", has(f"({VIEWS}).*{REDUCES}|{REDUCES}.*({VIEWS}|{REDUCES})")),
    ("lie apart", lambda case: has(MOVED)(case) or has(VIEWS, REDUCES)(case)),
    ("repeated along some of the dimensions that are joined", has(REPEATS, f"{REDUCES}|{SLICES}|{JOINS}|{PIECES}|{REPEATS}.*{REPEATS}")),
    ("repeats along some of the dimensions that are joined", has(f"{MOVED}|{SLICES}|{REDUCES}.*({REDUCES}|{VIEWS})|({VIEWS}).*{REDUCES}")),
    ("is repeated, but only a size of 1 can be", has(f"{PIECES}|{REPEATS}")),
    ("do not lie in one run in this call", has(f"{JOINS}|{REPEATS}|\\bsqueeze\\(")),
    ("but the operands give", lambda case: empty_joined(case) or has(REPEATS)(case)),  # a size of 1 that no operand of the kernel repeats
    ("but the kernel was compiled for", empty_joined),
    ("has another number of elements than tensor", empty_joined),  # a size of 0 is the array's own
    # Python's own numbers, which an i64 holds; and powers of nothing, of which there is none that is negative
    ("negative integer powers", lambda case: any(type(o) is int or isinstance(o, Operand) and 0 in o.shape
                                                     for o in case.operands.values()) or has(SLICES)(case)),
    ("at most 64 results and reductions", has(r"\*\*|\bpower\(", REDUCES)),  # 64 steps, each of which reads it
    ("both are dynamic; one may be", has(REPEATS)),  # semantics.md, "Views"
    ("the operand has another number of elements: 0 and 0", has(REPEATS)),  # there, too
    ("the slice does not fit", has(f"{SLICES}|{PIECES}")),  # a range that leaves a dynamic size; what repeats beside pieces
    ("nothing is left of", has(SLICES)),
    (" leave the ", lambda case: case.door.form == "static"),  # semantics.md: nothing is clipped
    ("no text makes an empty one", has(REPEATS)),
    ("which sizes are 1 is not known before the call", has(r"\bsqueeze\(")),
    (SEVERAL, has(f"\\bsqueeze\\(|{VIEWS}|{MOVED}|{PIECES}")),  # by compile
    ("is no value of", has(r"\b[iu](8|16|32|64)\([-(]*[0-9.]")),  # "Numbers"
    ("has at most 64 inputs, non-splat constants", has(PIECES)),  # each piece is a result
    ("more than 24 pieces", has(PIECES)),  # what is computed piece by piece
    ("of what is concatenated only the last operand may have a dynamic size", has(PIECES)),
    ("a slice across pieces", has(PIECES, SLICES)),
    ("which it cannot take piece by piece", has(PIECES)),
    ("it reduces along pieces", has(PIECES, REDUCES)),
    ("is beside a piece has another size", has(PIECES)),
    ("sizes that do not broadcast in this call", has(PIECES)),  # a size of 1 beside pieces, of which one is empty
    ("two concatenations meet", has(PIECES)),
)
EXCLUDED = dict(line.split("=", 1) for line in os.environ.get("TOSAJIT_EXCLUDE", "").split("\n")
                if line)  # in development


REFERENCES = {accuracy: tosajit.Engine(backend="interpret", accuracy=accuracy)
              for accuracy in oracle.ACCURACIES}


class Case:
    """A text, its operands (Operand or number), a door, where results go: None, or a list of memory
    kinds and of names of operands, and an accuracy, of which all doors have the same bits."""

    def __init__(self, text, operands, door, out=None, accuracy=oracle.ACCURACIES[0]):
        self.text, self.operands, self.door, self.out, self.accuracy = text, operands, door, out, accuracy

    def __repr__(self):
        return (f"Case({self.text!r}, {self.operands!r}, {self.door!r}, {self.out!r}, "
                f"{self.accuracy!r})")

    def but(self, **other):
        return Case(**{**vars(self), **other})

    def modes(self):
        return {o.mode for o in self.operands.values() if isinstance(o, Operand)}

    def wanted(self):
        operands = {n: o.values() if isinstance(o, Operand) else o
                    for n, o in self.operands.items()}
        found = oracle.evaluate(self.text, operands, self.accuracy)
        if any(isinstance(value, oracle.Value) and value.near == oracle.OPEN for value in found):
            self.settle(found, operands)
        return found

    def settle(self, found, operands):
        """Where NumPy leaves the bits open, all doors agree with the interpreter."""
        try:
            results = REFERENCES[self.accuracy].evaluate(self.text, **operands)
        # one refuses the text, as some pages say: then its other results are judged
        except Exception:
            results = ()
            for value in found:
                if value.near == oracle.OPEN:
                    value.near = oracle.UNKNOWN
        for value, result in zip(found, results if isinstance(results, tuple) else (results,)):
            result = np.asarray(result)
            if (value.near == oracle.OPEN and (result.shape,
                                               result.dtype) == (value.a.shape, value.a.dtype)):
                value.a = result

    def line(self):
        """To be pasted into Python."""
        lines = ["import numpy as np, tosajit"]
        for name, o in self.operands.items():
            if isinstance(o, Operand):
                values = (np.array2string(o.values(), separator=",", threshold=50)
                          if math.prod(o.shape) <= 50 else f"numbers of {o.mode}")
                values = re.sub(r"\s+", "", values).replace("nan", "np.nan").replace("inf", "np.inf").replace("True", "1").replace("False", "0")
                lines.append(f"{name} = np.array({values}, "
                             f"np.{np.dtype(TYPES[o.type]).name}).reshape({o.shape})"
                             + (f"  # memory {o.kind}" if o.kind != "C" else ""))
            else:
                lines.append(f"{name} = {o!r}")
        return "; ".join(lines) + f"; tosajit.evaluate({self.text!r})"


def same_bits(found, wanted):
    """A NaN is a NaN."""
    if wanted.dtype.kind != "f":
        return np.array_equal(found, wanted)
    nan = np.isnan(wanted)
    bits = f"u{wanted.itemsize}"
    a, b = (np.where(nan, wanted.dtype.type(0), x) for x in (found, wanted))
    return np.array_equal(np.isnan(found), nan) and np.array_equal(
        np.ascontiguousarray(a).view(bits), np.ascontiguousarray(b).view(bits))


def compare(found, value):
    """The error of a result, or None."""
    wanted = value.a
    if found.dtype != wanted.dtype:
        return f"type {found.dtype}, not {wanted.dtype}"
    if found.shape != wanted.shape:
        return f"shape {found.shape}, not {wanted.shape}"
    if value.near == oracle.UNKNOWN or same_bits(found, wanted):
        return None
    unequal = found != wanted
    if wanted.dtype.kind == "f":
        unequal = (unequal | (np.signbit(found)
                              != np.signbit(wanted))) & ~(np.isnan(found) & np.isnan(wanted))
    where = tuple(int(i[0]) for i in np.nonzero(np.atleast_1d(unequal))) if unequal.any() else ()
    at = ((np.atleast_1d(found)[where], np.atleast_1d(wanted)[where]) if where or unequal.any()
          else ("?", "?"))
    return f"{int(unequal.sum())} of {wanted.size} elements, at {where}: {at[0]!r}, not {at[1]!r}"


class Finding(Exception):
    def __init__(self, kind, words):
        self.kind, self.words = kind, words
        super().__init__(f"{kind}: {words}")


def lay_out(case, wanted, memories):
    """The arrays for results, and memory that is theirs alone; None where they are made. Names of
    operands are in place, "between x" and "behind x" are in the same bytes."""
    if case.out is None:
        return None, []
    outs, own = [], []
    for where, value in zip(case.out, wanted):
        word, _, name = where.rpartition(" ")
        found = (memories[name].array if where in memories
                 else memories[name].shared(word) if name in memories else None)
        if found is None or found.shape != value.a.shape or found.dtype != value.a.dtype:
            own.append(Memory(value.a.shape, value.a.dtype, where if where in KINDS else "C"))
            found = own[-1].array
        outs.append(found)
    return tuple(outs) if len(outs) > 1 else outs[0], own


# Functions with jumps: a sum of another order may give another number altogether.
JUMPS = r"//|%|==|[<>!~&|^]|\bif\b|\b(floor|ceil|trunc|fix|rint|round|sign|signbit|fmod|remainder|floor_divide|nextafter|where|select|logical_\w+|" \
        r"isnan|isinf|isfinite|any|all|bool\w*|u?int\d+|[iu]\d+)\("


def compare_parts(case, found, wanted):
    """What kernels and NumPy give together: the oracle's bits where nothing is reduced, and near it
    where sums may have another order."""
    if not re.search(REDUCES, case.text):
        return compare(found, wanted)
    if found.shape != wanted.a.shape or found.dtype != wanted.a.dtype:
        return f"type or shape: {found.dtype} {found.shape}, not {wanted.a.dtype} {wanted.a.shape}"
    if (wanted.a.dtype.kind != "f" or re.search(JUMPS, case.text)
        or case.modes() & {"special", "wild"}):
        return None
    close = {2: 3e-2, 4: 1e-3, 8: 1e-9}[wanted.a.itemsize]
    with np.errstate(all="ignore"):
        right = np.isclose(found, wanted.a, close, close, equal_nan=True) | ~np.isfinite(wanted.a)
    return None if right.all() else f"far: {found[~right][0]!r}, not {wanted.a[~right][0]!r}"


def check(case, engines, wanted=None):
    """Raises what is wrong. True: computed. False: refused, as a page says."""
    if wanted is None:
        wanted = case.wanted()
    memories = {n: Memory(o.shape, TYPES[o.type], o.kind, o.values())
                for n, o in case.operands.items() if isinstance(o, Operand)}
    arrays = {n: memories[n].array if n in memories else o for n, o in case.operands.items()}
    out, own = lay_out(case, wanted, memories)
    copies = {n: m.array.tobytes() for n, m in memories.items()}
    try:
        engines.accuracy = case.accuracy
        found = engines.call(case.door, case.text, arrays, out)
    except Exception as error:
        return refused(case, error)
    if len(found) != len(wanted):
        raise Finding("count", f"{len(found)} results, not {len(wanted)}")
    for k, (f, w) in enumerate(zip(found, wanted)):
        wrong = compare_parts(case, np.asarray(f), w) if BY_FUNCTION else compare(np.asarray(f), w)
        if wrong:
            raise Finding(wrong.split(" ")[0] if wrong[0] in "ts" else "bits",
                          f"result {k}: {wrong}")
    outs = [] if out is None else out if isinstance(out, tuple) else [out]
    for name, memory in memories.items():
        if (not any(where.endswith(name) and not where.startswith("between")
                    for where in case.out or ()) and copies[name] != memory.array.tobytes()):
            raise Finding("operand", f"operand {name} is changed")
    if any(m.beside(outs) for m in list(memories.values()) + own):
        raise Finding("beside", "bytes beside an array are changed")
    return True


def refused(case, error):
    words = str(error)
    if isinstance(error, (tosajit.Error, TypeError, ValueError)):
        if any(part in words and is_right(case) for part, is_right in REFUSALS):
            return False
    shown = " ".join(case.text.split())
    words = words.replace((shown if len(shown) <= 60 else shown[:57] + "...") + ": ", "")
    first = re.sub("[%]?_*[a-z]?[0-9]+", "0", words.strip().split("\n")[0].partition(" error: ")[2]
                   or words.strip().split("\n")[0])
    raise Finding(f"refused {type(error).__name__} {first[:60]}", words)


# ---------------------------------------------------------------------------------------------------------------------
# Texts

REAL_NAMES = ([n for n in oracle.REALS if n not in ("arctan2", "hypot", "power")]
              + list(oracle.WRITTEN) + ["sqrt", "sqrt", "exp", "log", "sigmoid"])
PLAIN_NAMES = ["abs", "fabs", "sign", "square", "floor", "ceil", "trunc", "fix", "rint", "round",
               "isnan", "isinf", "isfinite", "signbit",
               "logical_not", "ones_like", "zeros_like", "relu", "conj", "reciprocal"]
PAIR_NAMES = ["maximum", "minimum", "fmax", "fmin", "fmod", "remainder", "floor_divide", "copysign",
              "nextafter", "arctan2", "hypot",
              "power", "max", "min", "logical_and", "logical_or", "logical_xor"]
SIGNS = ["+", "-", "*", "+", "-", "*", "/", "//", "%", "**", "&", "|", "^", "<<", ">>", "==", "!=",
         "<", "<=", ">", ">="]
LITERALS = ["0", "1", "2", "3", "-1", "0.5", "2.5", "-1.25", "True", "100", "300", "1e3", "-7"]


class Maker:
    """A text that NumPy computes of the operands at hand."""

    def __init__(self, rng):
        self.rng = rng
        self.full = tuple(rng.choice((0, 1, 2, 2, 2, 3, 3, 3, 4, 4, 5, 7, 8, 16, 17, 33))
                          for _ in range(rng.choice((0, 1, 1, 2, 2, 2, 3, 3, 4))))
        common = (rng.choice(list(TYPES)) if rng.random() < 0.3
                  else rng.choice(FLOATS + ("i32", "i64", "f32")))
        mixed = rng.random() < 0.35
        self.operands = {name: Operand(rng.choice(list(TYPES)) if mixed else common, self.shape())
                         for name in "xyz"[:rng.choice((1, 2, 2, 3))]}
        if rng.random() < 0.2:
            self.operands["a"] = rng.choice((0, 1, 3, -2, 0.5, -1.25, True, np.float32(2.5),
                                             np.int64(3)))
        self.pool = {}
        self.statements = []
        self.tries = 60

    def shape(self):
        mine = [self.rng.choice((n, n, n, 1)) for n in self.full]
        return tuple(mine[self.rng.choice((0, 0, 0, self.rng.randint(0, len(mine)))):])

    def value(self, text):
        """What the text is, with what is defined so far; None if it is nothing."""
        self.tries -= 1
        if self.tries < 0:
            return None
        try:
            found = oracle.evaluate("; ".join(self.statements + [text]), self.at_hand)[-1]
        except oracle.Misfit:
            raise
        except Exception:
            return None
        if not isinstance(found, oracle.Value):
            return (None if isinstance(found, complex) or found != found or abs(found) > 1e9
                    else found)
        return (found if found.a.size <= 20000 and found.a.ndim <= 6
                and found.a.dtype in oracle.NAME_OF else None)

    def leaf(self):
        names = list(self.operands) + list(self.pool) * 2
        return self.rng.choice(names) if self.rng.random() < 0.8 else self.rng.choice(LITERALS)

    def array(self, depth):
        """A text whose value is an array, and that."""
        for _ in range(8):
            text = self.text(depth)
            value = self.value(text)
            if isinstance(value, oracle.Value):
                return text, value.a
        name = self.rng.choice([n for n, o in self.operands.items() if isinstance(o, Operand)])
        return name, self.at_hand[name]

    def text(self, depth):
        """One that has a value."""
        for _ in range(6):
            text = (self.leaf() if depth <= 0 or self.tries < 0
                    else getattr(self, self.rng.choice(self.KINDS))(depth - 1))
            if text and (self.tries < 0 or self.value(text) is not None):
                return text
        return self.leaf()

    KINDS = ["binary"] * 6 + ["unary"] * 3 + ["pair"] * 2 + ["choice"] * 2 + ["cast"] + ["view"] * 4 \
        + ["reduction"] * 4 + ["norm", "pieces", "leaf_of"]

    def leaf_of(self, depth):
        return self.leaf()

    def binary(self, depth):
        return (f"({self.text(depth)} {self.rng.choice(SIGNS)} "
                f"{self.text(self.rng.randint(0, max(depth, 0)))})")

    def unary(self, depth):
        form = self.rng.choice(("-{}", "~{}", "real", "real", "plain", "plain"))
        text = self.array(depth)[0] if form == "~{}" else self.text(depth)
        return (f"({form.format(text)})" if "{" in form
                else f"{self.rng.choice(REAL_NAMES if form == 'real' else PLAIN_NAMES)}({text})")

    def pair(self, depth):
        return f"{self.rng.choice(PAIR_NAMES)}({self.text(depth)}, {self.text(0)})"

    def choice(self, depth):
        a, b, c = self.text(depth), self.text(0), self.text(0)
        form = self.rng.choice(("where({0} > {1}, {0}, {2})", "where({1}, {0}, {2})",
                                "({0} if {1} > {2} else {2})", "clip({0}, {1}, {2})",
                                "select({1}, {2}, {0})"))
        return form.format(a, b, c)

    def cast(self, depth):
        return f"{self.rng.choice(list(oracle.CASTS))}({self.text(depth)})"

    def axes(self, rank):
        rng = self.rng
        if rng.random() < 0.25 or not rank:
            return "None"
        some = rng.sample(range(rank), rng.choice((1, 1, 1, 2, rng.randint(1, rank))) if rank > 1
                          else 1)
        some = [d - rank if rng.random() < 0.3 else d for d in some]
        return (str(some[0]) if len(some) == 1 and rng.random() < 0.9
                else f"({', '.join(map(str, some))},)")

    def reduction(self, depth):
        rng = self.rng
        text, a = self.array(depth)
        name = rng.choice(["sum", "sum", "mean", *oracle.REDUCERS])
        axis = self.axes(a.ndim)
        words = ([f"axis={axis}" if name in ("max", "min") or rng.random() < 0.7 else axis]
                 if axis != "None" or rng.random() < 0.3 else [])
        if words == ["None"]:
            words = ["axis=None"]
        if name in ("var", "std") and rng.random() < 0.4:
            words.append("ddof=1")
        if rng.random() < 0.4:
            words.append(f"keepdims={rng.choice((True, True, False))}")
        return f"{name}({', '.join([text] + words)})"

    def norm(self, depth):
        text, a = self.array(depth)
        words = [] if self.rng.random() < 0.4 or not a.ndim else [f"axis={self.axes(a.ndim)}"]
        return f"{self.rng.choice(list(oracle.NORMS))}({', '.join([text] + words)})"

    def view(self, depth):
        text, a = self.array(depth)
        if not re.fullmatch(r"\w+|\w+\(.*\)|\(.*\)", text):
            text = f"({text})"
        kinds = ["subscript"] * 3 + ["order", "reshape"] * 2 + ["flip", "tile", "new", "squeeze",
                                                                "broadcast"]
        return getattr(self, "view_" + self.rng.choice(kinds))(text, a)

    def view_subscript(self, text, a):
        rng, parts, left = self.rng, [], a.ndim
        ellipsis = rng.random() < 0.3
        for n in a.shape[:rng.randint(0, a.ndim)]:
            if rng.random() < 0.15:
                parts.append("None")
            if rng.random() < 0.25 and n:
                parts.append(str(rng.randrange(-n, n)))
                continue
            edge = lambda: rng.choice(("", "", str(rng.randint(-n, n)),
                                       str(rng.choice((1, -1, 2 if rng.random() < 0.2 else 1)))))
            parts.append(edge() + ":" + edge() + rng.choice(("", "", ":", ":2", ":-1", ":-2",
                                                             ":3")))
        if ellipsis:
            parts = ["..."] + parts if rng.random() < 0.5 else parts + ["..."]
        if rng.random() < 0.1 or not parts:
            parts.append(rng.choice(("None", "...")))
        return f"{text}[{', '.join(parts)}]"

    def view_order(self, text, a):
        rng = self.rng
        order = rng.sample(range(a.ndim), a.ndim)
        if rng.random() < 0.3 or not order:
            return rng.choice((f"transpose({text})", f"{text}.T"))
        if rng.random() < 0.3 and a.ndim > 1:
            return f"swapaxes({text}, {rng.randrange(-a.ndim, a.ndim)}, {rng.randrange(a.ndim)})"
        order = [d - a.ndim if rng.random() < 0.2 else d for d in order]
        return (f"transpose({text}, {tuple(order)})" if len(order) > 1
                else f"permute({text}, {order[0]})")

    def view_reshape(self, text, a):
        rng, sizes = self.rng, list(a.shape)
        for _ in range(rng.randint(1, 3)):
            if rng.random() < 0.5 and len(sizes) > 1:
                k = rng.randrange(len(sizes) - 1)
                sizes[k:k + 2] = [sizes[k] * sizes[k + 1]]
            elif sizes:
                k = rng.randrange(len(sizes))
                d = rng.choice((1, 2, 3, 4))
                if sizes[k] and sizes[k] % d == 0:
                    sizes[k:k + 1] = rng.choice(([d, sizes[k] // d], [sizes[k] // d, d]))
        if rng.random() < 0.2:
            sizes = [-1]
        elif sizes and rng.random() < 0.5 and 0 not in sizes:
            sizes[rng.randrange(len(sizes))] = -1
        for k in range(min(len(sizes), a.ndim)):
            if sizes[k] == a.shape[k] and rng.random() < 0.5:
                sizes[k] = 0
        return (f"reshape({text}, {tuple(sizes)})" if len(sizes) != 1
                else f"reshape({text}, {sizes[0]})")

    def view_flip(self, text, a):
        return f"flip({text}{f', {self.rng.randrange(-a.ndim, a.ndim)}' if a.ndim and self.rng.random() < 0.7 else ''})"

    def view_tile(self, text, a):
        return (f"tile({text}, {tuple(self.rng.choice((1, 1, 2, 3)) for _ in a.shape)})" if a.ndim
                else text)

    def view_new(self, text, a):
        return (f"{self.rng.choice(('expand_dims', 'unsqueeze'))}({text}, "
                f"{self.rng.randrange(-a.ndim - 1, a.ndim + 1)})")

    def view_squeeze(self, text, a):
        ones = [d for d, n in enumerate(a.shape) if n == 1]
        return (f"squeeze({text}, {self.rng.choice(ones)})" if ones and self.rng.random() < 0.5
                else f"squeeze({text})")

    def view_broadcast(self, text, a):
        sizes = [self.rng.choice((2, 3, n)) if n == 1 else self.rng.choice((n, n, -1))
                 for n in a.shape]
        sizes = [self.rng.choice((1, 2))] * self.rng.choice((0, 0, 1)) + sizes
        return f"broadcast_to({text}, {tuple(sizes)})" if sizes else text

    def pieces(self, depth):
        rng = self.rng
        text, a = self.array(depth)
        if not a.ndim:
            return None
        if rng.random() < 0.5:
            sides = [rng.choice((0, 0, 1, 2)) for _ in range(2 * a.ndim)]
            pairs = tuple(zip(sides[::2], sides[1::2]))
            widths = rng.choice((1, tuple(sides), pairs, pairs, (1, 2), ((2, 1),)))
            more = ("" if rng.random() < 0.5 or widths == tuple(sides) and a.ndim > 1
                    else f", constant_values={rng.choice(LITERALS)}")
            return f"pad({text}, {widths}{more})"
        other, b = self.array(0)
        axis = rng.randrange(-a.ndim, a.ndim)
        fine = (b.ndim == a.ndim and all(m == n for d, (m, n) in enumerate(zip(a.shape, b.shape))
                                         if d != axis % a.ndim))
        parts = [text, other if fine else text][::rng.choice((1, -1))]
        form = rng.choice(("concat({})", "cat({})", "concatenate({})", "concatenate([{}])",
                           "concatenate(({}))", "concatenate(({}))"))
        return f"{form.format(', '.join(parts))[:-1]}, axis={axis})"

    def make(self):
        rng = self.rng
        self.at_hand = {n: o.values() if isinstance(o, Operand) else o
                        for n, o in self.operands.items()}
        count = rng.choice((1, 1, 1, 2, 2, 3))
        for k in range(count):
            text, a = self.array(rng.choice((1, 2, 2, 3)))
            if text in self.operands and rng.random() < 0.8:
                text = f"({text} + {text})"
            name = rng.choice(("t", "u", "v"))[0] + str(k)
            if k == count - 1 and rng.random() < 0.5:
                self.statements.append(text)
            else:
                self.statements.append(f"{name} = {text}")
                self.pool[name] = a
        return "; ".join(self.statements)


def others(rng, operands):
    """Operands of the same types and ranks and other sizes, memory and numbers."""
    sizes = {}
    mode = rng.choice(("small", "wild", "special", "small", "wild"))
    keep = rng.random() < 0.6
    large = rng.random() < 0.04
    made = {}
    for name, o in operands.items():
        if not isinstance(o, Operand):
            made[name] = o
            continue
        shape = o.shape
        if not keep:
            other = lambda n: rng.choice((n, n + 1, 1, 2, 3, 9, 15, 31, 64, 0) if rng.random() < 0.5
                                         else (n, n + 1, n + 2))
            shape = tuple(1 if n == 1 and rng.random() < 0.9 else sizes.setdefault(n, other(n))
                          for n in shape)
        if large and shape and math.prod(shape) < 4000:
            last = sizes.setdefault("last", rng.choice((129, 257, 1000, 4097, 5000)))
            shape = shape[:-1] + (last if shape[-1] != 1 else 1,)
        if math.prod(shape) > 60000:
            shape = o.shape
        made[name] = Operand(o.type, shape, rng.choice(KINDS) if rng.random() < 0.7 else "C", mode,
                             rng.getrandbits(24))
    return made


# ---------------------------------------------------------------------------------------------------------------------
# Small cases

class _Smaller(ast.NodeTransformer):
    """Node number k in the place of its parent, or a name in the place of node k."""

    def __init__(self, k, make):
        self.k, self.make = k, make

    def generic_visit(self, node):
        if isinstance(node, ast.expr) and not isinstance(getattr(node, "ctx", None), ast.Store):
            self.k -= 1
            if self.k == -1:
                return self.make(node)
        return super().generic_visit(node)

    visit = generic_visit


def smaller_texts(text, names):
    tree = ast.parse(text)
    unparse = lambda body: "; ".join(ast.unparse(node) for node in body)
    for k in range(len(tree.body)):
        if len(tree.body) > 1:
            yield unparse(tree.body[:k] + tree.body[k + 1:])
        if isinstance(tree.body[k], ast.Assign):
            target, value = tree.body[k].targets[0].id, tree.body[k].value
            if len(tree.body) > 1:
                class Inline(ast.NodeTransformer):
                    def visit_Name(self, node):
                        return (copy.deepcopy(value) if node.id == target
                                and isinstance(node.ctx, ast.Load) else node)
                yield unparse([Inline().visit(copy.deepcopy(n))
                               for j, n in enumerate(tree.body) if j != k])
            yield unparse(tree.body[:k] + [ast.Expr(value)] + tree.body[k + 1:])
    count = sum(isinstance(n, ast.expr) for n in ast.walk(tree))
    for k in range(count):
        for child in range(4):
            def up(node):
                children = [c for c in ast.iter_child_nodes(node) if isinstance(c, ast.expr)
                            and not isinstance(c, ast.Slice)]
                return children[child] if child < len(children) else node
            new = _Smaller(k, up).visit(copy.deepcopy(tree))
            yield unparse(ast.fix_missing_locations(new).body)
        for name in names:
            new = _Smaller(k, lambda node: ast.Name(name, ast.Load())).visit(copy.deepcopy(tree))
            yield unparse(ast.fix_missing_locations(new).body)


def is_python(text):
    try:
        ast.parse(text)
    except SyntaxError:  # a range out of its brackets
        return False
    return True


def smaller_cases(case):
    used = tosajit_names(case.text)
    operands = {n: o for n, o in case.operands.items() if n in used}
    if len(operands) < len(case.operands):
        yield case.but(operands=operands)
    for text in smaller_texts(case.text, list(case.operands)):
        if len(text) < len(case.text) and is_python(text):
            yield case.but(text=text, operands={n: o
                                                for n, o in case.operands.items()
                                                if n in tosajit_names(text)})
    if case.out is not None:
        yield case.but(out=None)
        for k, where in enumerate(case.out):
            if where in KINDS and where != "C":
                yield case.but(out=case.out[:k] + ["C"] + case.out[k + 1:])
        yield case.but(out=case.out[:1])
    simplest = Door(case.door.form, tuple(p for p in case.door.options if p[0] in ("backend",)))
    for door in (Door("once", (("backend", "interpret"),)),
                 Door("once", (("backend", "precompiled"),)), simplest):
        if door != case.door:
            yield case.but(door=door)
    for name, o in case.operands.items():
        if isinstance(o, Operand):
            for other in smaller_operands(case, o):
                yield case.but(operands={**case.operands, name: other})
    sizes = {n for o in case.operands.values() if isinstance(o, Operand) for n in o.shape if n > 1}
    for n in sizes:
        for less in (1, 2, n // 2, n - 1):
            if less < n:
                yield case.but(operands={m: with_size(o, n, less)
                                         for m, o in case.operands.items()})


def with_size(o, n, less):
    return (Operand(o.type, [less if s == n else s for s in o.shape], o.kind, o.mode, o.seed)
            if isinstance(o, Operand) else o)


def smaller_operands(case, o):
    if o.kind != "C":
        yield Operand(o.type, o.shape, "C", o.mode, o.seed)
    for mode in ("same", "ramp", "small"):
        if ("same", "ramp", "small", "wild",
            "special").index(o.mode) > ("same", "ramp", "small").index(mode):
            yield Operand(o.type, o.shape, o.kind, mode, 0)
    if o.shape:
        yield Operand(o.type, o.shape[1:], o.kind, o.mode, o.seed)
    for d, n in enumerate(o.shape):
        for less in (1, n - 1):
            if 0 < less < n:
                yield Operand(o.type, o.shape[:d] + (less,) + o.shape[d + 1:], o.kind, o.mode,
                              o.seed)
    if o.type not in ("f32",):
        yield Operand("f32", o.shape, o.kind, o.mode, o.seed)


def fails(case):
    """What is found, with engines of its own; None where nothing is, or NumPy refuses."""
    try:
        wanted = case.wanted()
        typed = all(isinstance(w, oracle.Value) and w.a.dtype in oracle.NAME_OF for w in wanted)
        if (not opens(case.door, case.operands) or not typed
            or (case.out is not None and len(case.out) != len(wanted))):
            return None
        for where, w in zip(case.out or (), wanted):
            if (where in case.operands and (case.operands[where].shape != w.a.shape
                                            or TYPES[case.operands[where].type] != w.a.dtype)):
                return None
    except Exception:
        return None
    try:
        check(case, Engines(), wanted)
    except Finding as finding:
        return finding
    return None


def shrink(case, finding, seconds=4):
    end, changed = time.monotonic() + seconds, True
    note = NOTE[0]
    while changed and time.monotonic() < end:
        changed = False
        for other in smaller_cases(case):
            note(other)
            found = fails(other)
            if found and found.kind == finding.kind:
                case, finding, changed = other, found, True
                break
            if time.monotonic() > end:
                break
    return case, finding


# ---------------------------------------------------------------------------------------------------------------------
# The run

NOTE = [lambda case: None]


def doors(rng):
    """Those of one text: all forms of evaluate and precompiled code, some compiled ones."""
    cpu = lambda: (("cpu", rng.choice(MACHINE)),) if rng.random() < 0.7 else ()
    threads = lambda: (("threads", 2),) if rng.random() < 0.4 else ()
    native = (("backend", "native"),) + cpu() + threads()
    found = [Door("once", (("backend", "interpret"),)),
             Door("once", (("backend", "precompiled"),) + cpu() + threads()),
             Door("once", (("backend", "background"),) + threads()),
             Door("twice", (("backend", "background"),)), Door("once", native)]
    if rng.random() < 0.3:
        found.append(Door("waited", (("backend", "background"),)))
    if rng.random() < 0.3:
        found += [Door("dynamic", native), Door("image", native)]
    if rng.random() < 0.3:
        found.append(Door("static", (("backend", rng.choice(("native", "interpret",
                                                             "precompiled"))),)))
    return found


def levels():
    """Levels of x86-64 that this machine has; none elsewhere."""
    found = []
    for level in LEVELS:
        try:
            x = np.ones(3, np.float32)
            tosajit.Engine(backend="native", cpu=level).evaluate("x + x", x=x)
            found.append(level)
        except tosajit.Error:
            print(f"*** NOT TESTED: code for {level}, which this machine does not run")
    return found or [None]


MACHINE = []


def opens(door, operands):
    """Whether the door takes such operands: compile knows no types of numbers, and TOSA's types no
    size of 0."""
    if door.form in ("once", "twice", "waited"):
        return True
    return all(isinstance(o, Operand) and (door.form != "static" or 0 not in o.shape)
               for o in operands.values())


def places(rng, operands, wanted):
    """Where the results go: nowhere, memory of their own, operands of the same shape and type."""
    if rng.random() < 0.4:
        return None
    left = {n: o for n, o in operands.items() if isinstance(o, Operand) and o.kind != "repeated"}
    out = []
    for w in wanted:
        fit = [n for n, o in left.items() if o.shape == w.a.shape and TYPES[o.type] == w.a.dtype]
        if fit and rng.random() < 0.6:
            name = rng.choice(fit)
            word = ("between " if left.pop(name).kind == "step" and rng.random() < 0.5
                    else rng.choice(("", "", "", "", "behind ")))
            out.append(word + name)
        else:
            out.append(rng.choice([k for k in KINDS if k not in ("repeated",)]))
    return out


class Run:
    def __init__(self, seed, limit):
        self.rng, self.seed, self.engines, self.limit = random.Random(seed), seed, Engines(), limit
        self.counts, self.found = collections.Counter(), {}

    def text(self):
        rng = self.rng
        maker = Maker(rng)
        text = maker.make()
        used = tosajit_names(text)
        operands = {n: o for n, o in maker.operands.items() if n in used}
        if not any(isinstance(o, Operand) for o in operands.values()):
            return
        self.counts["texts"] += 1
        self.engines.next_text()
        chosen, accuracy = doors(rng), rng.choice(("reproducible", "reproducible", "exact"))
        for k in range(rng.choice((3, 4, 5))):
            self.sizes(Case(text, operands if k == 0 else others(rng, operands), None, None,
                            accuracy), chosen)

    def sizes(self, case, chosen):
        """One set of operands, of which NumPy's results are made once, behind each door."""
        rng, operands = self.rng, case.operands
        try:
            wanted = case.wanted()
        except oracle.Misfit as misfit:
            return self.report(case, Finding("function", str(misfit)))
        except (Exception, oracle.Unsure) as error:
            self.counts["NumPy refuses"] += 1
            return
        if any(not isinstance(w, oracle.Value) or w.a.dtype not in oracle.NAME_OF
               or w.a.size > 200000 for w in wanted):
            return
        self.counts["operands"] += 1
        for door in chosen:
            if not opens(door, operands):
                continue
            mine = {n: Operand(o.type, o.shape, rng.choice(KINDS), o.mode, o.seed)
                    if isinstance(o, Operand) and rng.random() < 0.3 else o
                    for n, o in operands.items()}
            self.one(case.but(operands=mine, door=door, out=places(rng, mine, wanted)), wanted)

    def one(self, case, wanted):
        NOTE[0](case)
        try:
            computed = check(case, self.engines, wanted)
            self.counts["executions" if computed else "refused as documented"] += 1
        except Finding as finding:
            self.counts["findings"] += 1
            self.report(case, finding)

    def report(self, case, finding):
        if any(re.search(pattern, f"{finding.kind} {case.text}") for pattern in EXCLUDED.values()):
            return
        if (finding.kind.startswith("refused") and finding.kind in self.found
            or time.monotonic() > self.end):
            return
        small, what = shrink(case, finding) if case.door else (case, finding)
        key = what.kind
        if not key.startswith("refused"):
            key += " " + re.sub("[0-9.]+", "0", re.sub("[xyz](?![a-z])", "x", small.text))
        if key in self.found:
            self.found[key] += 1
            return
        self.found[key] = 1
        print(f"FOUND {what.kind}: {what.words}\n  {small.line()}\n  door {small.door}, out "
              f"{small.out}\n  {small!r}\n  from {case.text}", flush=True)
        if len(self.found) >= self.limit:
            raise SystemExit(1)

    def run(self, seconds):
        self.end = time.monotonic() + seconds
        while time.monotonic() < self.end:
            self.text()
        print(f"seed {self.seed}: " + ", ".join(f"{count} {name}"
                                                for name, count in sorted(self.counts.items())))


def noting(path):
    """The running line is in a file, for whoever finds this process dead."""
    size = 1 << 16
    with open(path, "r+b") as file:
        file.truncate(size)
        memory = mmap.mmap(file.fileno(), size)

    def note(case):
        text = repr(case).encode()[:size - 1]
        memory[:len(text) + 1] = text + b"\0"

    NOTE[0] = note


def work(path):
    warnings.simplefilter("ignore", SyntaxWarning)  # of texts that are made smaller
    seed = int(os.environ.get("TOSAJIT_SEED", "0")) or int(time.time())
    noting(path)
    MACHINE.extend(levels())
    print(f"seed {seed}", flush=True)
    run = Run(seed, int(os.environ.get("TOSAJIT_FINDINGS", "1")))
    run.run(float(os.environ.get("TOSAJIT_TEST_SECONDS", "10")))
    assert run.counts["executions"] > 100
    return 1 if run.found else 0


def again(text):
    case = eval(text, {"Case": Case, "Operand": Operand, "Door": Door, "np": np})
    found = fails(case)
    print(found or "nothing is wrong")
    return 1 if found else 0


def main():
    if len(sys.argv) > 1 and sys.argv[1] != "--work":
        return again(sys.argv[1])
    if len(sys.argv) > 1:
        return work(sys.argv[2])
    with tempfile.NamedTemporaryFile() as file:
        status = subprocess.run([sys.executable, __file__, "--work", file.name]).returncode
        if status < 0 or status > 1:
            print(f"the process ended with {status}; it ran\n  "
                  f"{open(file.name, 'rb').read().split(bytes(1))[0].decode()}")
        return 1 if status else 0


if __name__ == "__main__":
    sys.exit(main())

# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random expressions with views and reductions beside NumPy, whose every step is exact on the
numbers that are used here: static, dynamic and mixed types, every backend, strided operands and
results, images. A refusal is counted, and must be one of a reason that strides have.

    python3 tests/tools/python_views_test.py [COUNT [SEED]]
"""
import random
import re
import sys
import tempfile
from pathlib import Path

import numpy as np

import tosajit

REFUSALS = ("cannot be seen through", "no strides say", "repeats along some",
            "do not lie in one run", "that lie apart", "make what they view a result",
            "must have a rank", "more than 16",
            "tensors, results and", "reduces along pieces", "two concatenations meet",
            "piece by piece", "may have a dynamic size",
            "a slice across pieces", "more than 24 pieces", "memory with",
            "both are dynamic; one may be", "must have one element", "results together")
BACKENDS = ("native", "precompiled", "interpret")


class Maker:
    """A text, and what NumPy makes of it."""

    def __init__(self, rng):
        self.rng = rng
        self.operands = {}
        self.steps = []
        self.dtype = rng.choice(("i32", "f32", "i64", "f64", "i8", "f16"))
        self.values = []

    def numbers(self, shape):
        rng = np.random.default_rng(self.rng.getrandbits(32))
        return rng.integers(-2, 3, shape).astype({"i": "int",
                                                  "f": "float"}[self.dtype[0]]
                                                 + str(8 * int(int(self.dtype[1:]) / 8)))

    def operand(self, shape):
        name = f"x{len(self.operands)}"
        self.operands[name] = self.numbers(shape)
        return name, self.operands[name]

    def add(self, text, array):
        name = f"t{len(self.steps)}"
        self.steps.append(f"{name} = {text}")
        self.values.append((name, array))

    def pick(self):
        return self.rng.choice(self.values[-3:])

    def step(self):
        rng = self.rng
        x, a = self.pick()
        kind = rng.choice(("binary", "binary", "unary", "transpose", "reshape", "slice", "flip",
                           "index", "new", "sum", "max", "drop", "tile", "concat", "pad"))
        if kind == "binary":
            shape = [rng.choice((s, s, 1)) for s in a.shape][rng.choice((0, 0, 0, 1)):]
            if rng.random() < 0.4:
                y, b = self.pick()
                try:
                    np.broadcast_shapes(a.shape, b.shape)
                except ValueError:
                    y, b = self.operand(shape)
            else:
                y, b = self.operand(shape)
            if a.ndim and b.ndim > 10:
                return
            op, f = (("^", np.bitwise_xor) if self.dtype == "i8"
                     else rng.choice((("+", np.add), ("-", np.subtract), ("max", np.maximum))))
            self.add(f"max({x}, {y})" if op == "max" else f"{x} {op} {y}", f(a, b))
        elif kind == "unary":
            self.add(f"~{x}" if self.dtype == "i8" else f"-{x}", ~a if self.dtype == "i8" else -a)
        elif kind == "transpose" and a.ndim > 1:
            perms = rng.sample(range(a.ndim), a.ndim)
            self.add(f"transpose({x}, {tuple(perms)})", a.transpose(perms))
        elif kind == "reshape" and a.ndim:
            self.reshape(x, a)
        elif kind == "slice" and a.ndim:
            self.slice(x, a)
        elif kind == "flip" and a.ndim:
            axis = rng.randrange(a.ndim)
            self.add(f"flip({x}, {axis})", np.flip(a, axis))
        elif kind == "index" and a.ndim:
            axis, n = rng.randrange(a.ndim), None
            n = rng.randrange(-a.shape[axis], a.shape[axis]) if a.shape[axis] else None
            if n is not None:
                self.add(f"{x}[{', '.join([':'] * axis + [str(n)])}]",
                         a[(slice(None),) * axis + (n,)])
        elif kind == "new" and a.ndim < 6:
            at = rng.randrange(a.ndim + 1)
            self.add(f"unsqueeze({x}, {at})", np.expand_dims(a, at))
        elif kind in ("sum", "max", "drop") and a.ndim and 0 not in a.shape:
            axis, keep = rng.randrange(a.ndim), kind != "drop"
            if kind == "max" or self.dtype == "i8":
                self.add(f"max({x}, axis={axis}, keepdims={keep})", a.max(axis, keepdims=keep))
            else:
                self.add(f"sum({x}, axis={axis}, keepdims={keep})",
                         a.sum(axis, keepdims=keep, dtype=a.dtype))
        elif kind == "concat" and a.ndim:
            axis, shape = rng.randrange(a.ndim), list(a.shape)
            shape[axis] = rng.randrange(1, 4)
            y, b = (x, a) if rng.random() < 0.3 else self.operand(shape)
            pair = [(x, a), (y, b)][::rng.choice((1, -1))]
            self.add(f"concat({pair[0][0]}, {pair[1][0]}, axis={axis})",
                     np.concatenate([pair[0][1], pair[1][1]], axis))
        elif kind == "pad" and a.ndim and a.ndim < 5:
            padding = [rng.choice((0, 0, 1, 2)) for _ in range(2 * a.ndim)]
            y, b = (self.operand(rng.choice(([], [1], [1] * a.ndim))) if rng.random() < 0.7
                    else (None, np.zeros((), a.dtype)))
            pairs = list(zip(padding[::2], padding[1::2]))
            self.add(f"pad({x}{f', {y}' if y else ''}, {tuple(padding)})",
                     np.pad(a, pairs, constant_values=b.item()))
        elif kind == "tile" and a.ndim:
            multiples = [rng.choice((1, 2, 3) if s == 1 else (1, 1, 2, 3)) for s in a.shape]
            if a.size * np.prod(multiples) < 5000:
                self.add(f"tile({x}, {tuple(multiples)})", np.tile(a, multiples))

    def reshape(self, x, a):
        rng, sizes = self.rng, list(a.shape)
        for _ in range(rng.randrange(1, 3)):
            if rng.random() < 0.5 and len(sizes) > 1:
                k = rng.randrange(len(sizes) - 1)
                sizes[k:k + 2] = [sizes[k] * sizes[k + 1]]
            else:
                k = rng.randrange(len(sizes))
                for d in (2, 3):
                    if sizes[k] and sizes[k] % d == 0 and rng.random() < 0.7:
                        sizes[k:k + 1] = [d, sizes[k] // d]
                        break
        text = list(sizes)
        if 0 in a.shape:
            return
        if text and rng.random() < 0.5:
            text[rng.randrange(len(text))] = -1
        self.add(f"reshape({x}, {text})", a.reshape(sizes))

    def slice(self, x, a):
        parts, index = [], []
        for n in a.shape[:self.rng.randrange(1, a.ndim + 1)]:
            step = self.rng.choice((None, None, 1, 2, -1, -2))
            begin = self.rng.choice((None, None, self.rng.randrange(-n, n) if n else None))
            end = None
            got = slice(begin, end, step)
            if n and len(range(n)[got]) == 0:
                got = slice(None)
            index.append(got)
            parts.append(":".join("" if v is None else str(v)
                                  for v in (got.start, got.stop, got.step))
                         if got.step is not None else f"{'' if got.start is None else got.start}:")
        self.add(f"{x}[{', '.join(parts)}]", a[tuple(index)])


def make(seed):
    rng = random.Random(seed)
    m = Maker(rng)
    for _ in range(rng.choice((1, 1, 2))):
        x, a = m.operand([rng.choice((1, 2, 3, 4, 6, 8)) for _ in range(rng.randrange(1, 5))])
        m.values.append((x, a))
    for _ in range(rng.randrange(2, 9)):
        m.step()
    if not m.steps:
        m.add(f"transpose({x})", a.transpose())
    return m


def types(m, rng):
    """The last line: every size static, dynamic, or one or the other."""
    how = rng.choice(("static", "dynamic", "mixed"))
    each = []
    words = re.findall(r"x\d+", "; ".join(m.steps))
    for name, array in m.operands.items():
        if name not in words:
            continue
        sizes = [str(s) if how == "static" or (how == "mixed" and rng.random() < 0.5) else "?"
                 for s in array.shape]
        each.append(f"{name}: {m.dtype}[{','.join(sizes)}]")
    return ", ".join(each)


def strided(array, rng):
    """The same numbers elsewhere: as they are, transposed in memory, or with gaps."""
    how = rng.choice(("dense", "dense", "turned", "gaps"))
    if how == "turned" and array.ndim > 1:
        return np.ascontiguousarray(array.transpose()).transpose()
    if how == "gaps" and array.ndim:
        wide = np.zeros(array.shape[:-1] + (2 * array.shape[-1],), array.dtype)
        wide[..., ::2] = array
        return wide[..., ::2]
    return array


class Run:
    def __init__(self, folder):
        self.engines = [tosajit.Engine(backend=b, threads=k % 2 + 1)
                        for k, b in enumerate(BACKENDS)]
        self.folder = Path(folder)
        self.refused = 0
        self.compared = 0

    def kernels(self, text):
        kernels = [engine.compile(text) for engine in self.engines]
        path = self.folder / "kernel"
        kernels[0].save(path)
        return kernels + [tosajit.load(path)]

    def one(self, seed):
        rng, m = random.Random(seed ^ 0x5EED), make(seed)
        text = "; ".join(m.steps) + " : " + types(m, rng)
        read = {word for line in m.steps for word in re.findall(r"t\d+", line.split(" = ", 1)[1])}
        expected = [array for name, array in m.values if name[0] == "t" and name not in read]
        try:
            kernels = self.kernels(text)
        except tosajit.Error as error:
            return self.refuse(error, text)
        arrays = {name: strided(array, rng) for name, array in m.operands.items()}
        out = tuple(strided(np.empty(array.shape, array.dtype), rng) for array in expected)
        for kernel in kernels:
            given = {name: arrays[name] for name, _ in kernel.operands}
            try:
                results = (kernel(**given, out=out if len(out) > 1 else out[0])
                           if rng.random() < 0.5 else kernel(**given))
            except tosajit.Error as error:
                self.refuse(error, text)
                continue
            results = results if isinstance(results, tuple) else (results,)
            for got, want in zip(results, expected, strict=True):
                got = np.asarray(got)
                if (got.shape != want.shape or got.dtype != want.dtype
                    or got.tobytes() != np.ascontiguousarray(want).tobytes()):
                    if not np.array_equal(got, want):
                        raise AssertionError(f"seed {seed}: {text}\n{given}\ngot {got}\nwant {want}")
                self.compared += 1

    def refuse(self, error, text):
        # An operand of a dynamic size does not repeat along pieces: docs/language.md.
        repeats = re.search(r"concat\(|pad\(", text) and re.search("the slice does not fit|is beside a piece|do not broadcast in this call", str(error)) and "?" in text
        if not repeats and not any(reason in str(error) for reason in REFUSALS):
            raise AssertionError(f"{text}\nis refused: {error}")
        self.refused += 1


BOUNDS = (None, -8, -7, -6, -3, -2, -1, 0, 1, 2, 3, 5, 6, 7)
STEPS = (None, 1, 2, 3, -1, -2)


def written(s):
    parts = ["" if v is None else str(v) for v in (s.start, s.stop, s.step)]
    return ":".join(parts if s.step is not None else parts[:2])


def leaves(s, n):
    """Whether NumPy would clip a range, or turn one around: that of a dynamic size is refused
    then."""
    falls = s.step is not None and s.step < 0
    begin, end = ((None if v is None else v + n if v < 0 else v) for v in (s.start, s.stop))
    begin, end = ((n - 1 if falls else 0) if begin is None else begin,
                  (-1 if falls else n) if end is None else end)
    return ((end > begin if falls else end < begin) or begin > n - falls or begin < -falls
            or end > n - falls or (s.stop is not None and end < 0))


def compare(kernel, array, expected, refused, text):
    """The call's result is NumPy's; where NumPy clips, or has none, it may be refused."""
    try:
        got = np.asarray(kernel(array))
    except tosajit.Error as error:
        assert refused, f"{text} of {array.shape}: {error}"
        return
    assert expected is not None and got.shape == expected.shape and np.array_equal(got, expected), f"{text} of {array.shape}: {got}, not {expected}"


def slices(rng):
    """Every begin, end and step beside NumPy's; of slices of slices some thousand; of sizes from 0
    to 6, static and dynamic."""
    engine = tosajit.Engine(backend="precompiled")
    ranges = [slice(b, e, s) for b in BOUNDS for e in BOUNDS for s in STEPS]
    few = [s for s in ranges if s.start in (None, -2, -1, 0, 1, 2)
           and s.stop in (None, -2, -1, 0, 1, 2)]
    chains = [(s,) for s in ranges] + [(rng.choice(few), rng.choice(few)) for _ in range(4000)]
    for k, chain in enumerate(chains):
        text = "x" + "".join(f"[{written(s)}]" for s in chain)
        try:
            kernel = engine.compile(f"{text} : f64[?]")
        except tosajit.Error as error:
            kernel = None
            assert len(chain) > 1 and "leave the" in str(error) or "nothing is left" in str(error), f"{text}: {error}"
        for n in range(7):
            array, left = np.arange(float(n)), []
            expected = array
            for s in chain:
                left.append(leaves(s, len(expected)))
                expected = expected[s]
            if kernel:
                compare(kernel, array, expected, any(left), text)
            if n == 0 or k % 5 != n % 5:
                continue
            sizes = [len(array[chain[0]]), len(expected)]
            try:
                fixed = engine.compile(f"{text} : f64[{n}]")
            except tosajit.Error as error:
                assert 0 in sizes and "nothing is left" in str(error), f"{text} of {n}: {error}"
                continue
            assert 0 not in sizes, f"{text} of {n}"
            compare(fixed, array, expected, False, text)
    planes = np.arange(30.0).reshape(5, 6)
    for a in ("", ":", "1:", ":-1", "0:-1", ":-2", "1:-1", "::2", "1::2", ":3", "::-1",
              ":1:-1")[1:]:
        for b in (":", "1:", ":-1", "0:-1", ":-2", "1:-1", "::2", "1::2", ":3", "::-1", ":1:-1"):
            text = f"x[{a}, {b}]"
            compare(engine.compile(f"{text} : f64[?,?]"), planes, eval(text, {"x": planes}), False,
                    text)
    for text in ("x[1:] - x[:-1]", "x[:-1][1:]", "x[1:][:-1]", "x[2:] - 2 * x[1:-1] + x[:-2]",
                 "(x[:-1] * x[1:])[::-1][:-1]"):
        assert np.array_equal(tosajit.evaluate(text, x=planes), eval(text, {"x": planes})), text


def broadcasts():
    """A size of 1 repeats whether it is known when compiled or when called; another one is the
    wanted one."""
    for backend in BACKENDS:
        engine = tosajit.Engine(backend=backend)
        for element, dtype in (("f32", "f4"), ("i8", "i1"), ("f16", "f2"), ("i64", "i8"),
                               ("i1", "?"), ("u16", "u2")):
            for wanted in ((3,), (4, 3), (2, 4, 3), (1,), (5, 1)):
                kernel = engine.compile(f"broadcast_to(x, {wanted}) : {element}[?]")
                for n in (0, 1, 2, 3):
                    array = np.arange(2, n + 2).astype(dtype)
                    fits = n in (1, wanted[-1])
                    compare(kernel, array, np.broadcast_to(array, wanted) if fits else None,
                            not fits, f"broadcast_to {wanted}")
        kernel = engine.compile("broadcast_to(x, 2, -1, 3) * 2 : f32[?,?]")
        for shape in ((4, 1), (1, 1), (1, 3), (5, 3)):
            array = np.arange(float(np.prod(shape))).reshape(shape).astype("f4")
            compare(kernel, array, np.broadcast_to(array, (2, shape[0], 3)) * 2, False,
                    "broadcast_to (2, -1, 3)")
        # A constant that repeats along a dynamic size which is cut.
        for text, wanted in (("broadcast_to(x, 2, -1)[1, 2:] : f32[?,?]", lambda x: np.broadcast_to(x, (2, 5))[1, 2:]),
                             ("transpose(x + [[1],[1]])[1:] : f32[?,?]", lambda x: (x + 1).T[1:])):
            array = np.arange(10, dtype=np.float32).reshape(2, 5)
            compare(engine.compile(text), array, wanted(array), False, text)
    for text in ("broadcast_to(x, 0) : f32[?]", "broadcast_to(x, 0) : f32[1]",
                 "broadcast_to(x, -2) : f32[1]", "broadcast_to(x, 2, 0) : f32[3]"):
        try:
            tosajit.compile(text)
        except tosajit.Error as error:
            assert "is no size that dimension" in str(error), error
        else:
            raise AssertionError(f"{text} is not refused")


def means():
    """A mean divides by the number of elements, rounded once, whether that is known when compiled
    or counted by a call, over any axes."""
    sizes = (3, 1, 5001, 1, 5003)
    ones = np.lib.stride_tricks.as_strided(np.ones(1, np.float32), sizes, (0,) * len(sizes))
    for backend in ("native", "precompiled"):
        engine = tosajit.Engine(backend=backend)
        for axes in ((0, 2, 4), (0, 4), (2, 4), (0, 1, 2, 3, 4)):
            number = np.float32(np.prod([sizes[a] for a in axes]))
            for each in ("?,?,?,?,?", ",".join(map(str, sizes)), "?,1,5001,?,?"):
                total, mean = engine.compile(f"s = sum(x, axis={axes}); m = mean(x, axis={axes}) : "
                                             f"x: f32[{each}]")(ones)
                assert np.array_equal(mean, total / number), f"{backend}: axes {axes} of [{each}]: {mean.ravel()[0]}"


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    with tempfile.TemporaryDirectory() as folder:
        run = Run(folder)
        for seed in range(first, first + count):
            run.one(seed)
    slices(random.Random(first))
    broadcasts()
    means()
    print(f"{count} expressions: {run.compared} results as NumPy's, {run.refused} refusals")
    assert run.refused < run.compared


if __name__ == "__main__":
    main()

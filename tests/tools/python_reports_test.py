# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kinds of wrong results that people have seen in other array libraries and compilers, door by
door. Each case is a small input that would show the same kind here, judged by NumPy, eager PyTorch
or ONNX Runtime, in first calls and in later ones.

    python3 tests/tools/python_reports_test.py evaluate|torch|onnx
"""
import sys
import tempfile

import numpy as np

import tosajit

A, inf, nan = np.array, np.inf, np.nan
f16, f32, f64 = np.float16, np.float32, np.float64
i8, i16, i32, i64, u8 = np.int8, np.int16, np.int32, np.int64, np.uint8
random = np.random.default_rng(1)


def differs(seen, expected, ulps, name=""):
    """What differs, or None: types, sizes, NaNs, infinities, the signs of zeros, and values by more
    units of the last place."""
    if isinstance(expected, (tuple, list)):
        pairs = [differs(*pair, ulps, f"result {k}: ")
                 for k, pair in enumerate(zip(seen, expected, strict=True))]
        return next((p for p in pairs if p), None)
    seen, expected = np.asarray(seen), np.asarray(expected)
    same = seen.dtype == expected.dtype and seen.shape == expected.shape
    if same and expected.dtype.kind != "f":
        same = np.array_equal(seen, expected)
    elif same:
        finite = np.isfinite(expected)
        same = (np.array_equal(seen[~finite], expected[~finite], equal_nan=True)
                and np.isfinite(seen[finite]).all())
        zero = (seen == 0) & (expected == 0)
        same &= np.array_equal(np.signbit(seen[zero]), np.signbit(expected[zero]))
        s, e = seen[finite].astype(f64), expected[finite]
        far = np.abs(s - e) > ulps * np.abs(np.spacing(np.abs(e))).astype(f64) if ulps else s != e
        same = bool(same) and not far.any()
    both = [f"{a.dtype}{a.shape} {a.ravel()[:8]}" for a in (seen, expected)]
    return None if same else f"{name}{both[0]}, not {both[1]}"


# ---------------------------------------------------------------------------------------------
# evaluate: kind, where it was seen, text, what NumPy makes of it, operands, and units of the last
# place

def fields(size, element):
    """Elements of a struct, so many bytes apart, behind one byte: neither aligned nor a multiple of
    their own size apart."""
    y = np.zeros(37, {"names": ["own"], "formats": [element], "offsets": [1], "itemsize": size})
    y["own"] = np.arange(37) - 10
    return y["own"]


edges = A([nan, inf, -inf, 0, -0.0, 1, -1, 2.5, -2.5, 0.5, -0.5] * 4)
rows = random.standard_normal((6, 1))
EVALUATE = [
    ("a sum whose kept size is 1 repeats beside a longer operand", "numexpr 79, 277",
     "y * sum(x, axis=0)",
     lambda x, y: y * x.sum(axis=0), {"x": rows, "y": A([1.0, 2, 3, 4])}, 8),
    ("so does one along rows, between others", "numexpr 79, 277",
     "z - max(x, axis=1) + y", lambda x, y, z: z - x.max(axis=1) + y,
     {"x": rows.T, "y": np.ones((3, 1)), "z": np.arange(4.0)}, 8),
    ("and one over two of three axes", "numexpr 79, 277",
     "mean(x, axis=(0, 2)) + y", lambda x, y: x.mean(axis=(0, 2)) + y,
     {"x": random.standard_normal((2, 1, 3)), "y": np.ones((5, 4))}, 8),
    ("a reduction over no axis changes nothing", "dask 4996", "sum(x, axis=()); max(x, axis=())",
     lambda x: (x.sum(axis=()), x.max(axis=())), {"x": rows}, 0),
    ("elements 9 bytes apart", "numpy 16660", "abs(v)", np.abs, {"v": fields(9, "<f8")}, 0),
    ("elements 5 bytes apart, backwards", "numpy 26775", "-v", lambda v: -v,
     {"v": fields(5, "<f4")[::-1]}, 0),
    ("elements 3 bytes apart, reduced", "numpy 27027", "sum(v * 2)", lambda v: (v * 2).sum(),
     {"v": fields(3, "<i2")}, 0),
    ("windows that overlap", "torch 183888",
     "abs(w) + sum(w, axis=1)[:, None]", lambda w: np.abs(w) + w.sum(axis=1)[:, None],
     {"w": np.lib.stride_tricks.sliding_window_view(np.arange(9.0), 4)}, 0),
    ("rows of C beside columns of Fortran", "numexpr 515", "b == a", lambda a, b: b == a,
     {"a": np.asfortranarray(np.arange(404).reshape(101, 4)).T,
      "b": np.arange(404).reshape(4, 101)}, 0),
    ("products that cancel are rounded one by one", "xla 41579",
     "a * x + b * x", lambda a, b, x: a * x + b * x,
     {"a": np.full(17, 1e20, f32), "b": np.full(17, -1e20, f32), "x": np.full(17, 1e10 / 3, f32)},
     0),
    ("so are those of a cross product", "jax 18507",
     "a * d - c * b", lambda a, b, c, d: a * d - c * b,
     {"a": np.full(9, 2396747, f32), "b": np.full(9, 7.1, f32), "c": np.full(9, 2396747, f32),
      "d": np.full(9, 7.1, f32)}, 0),
    ("a function and its inverse pass through infinity", "xla 42732",
     "log(exp(x)) == x; sqrt(x * x) == abs(x)",
     lambda x: (np.log(np.exp(x)) == x, np.sqrt(x * x) == np.abs(x)), {"x": A([100, 0, 1e30], f32)},
     0),
    ("exponentials are not joined where one overflows", "tensorflow 123169", "exp(a) * exp(b)",
     lambda a, b: np.exp(a) * np.exp(b), {"a": A([100], f32), "b": A([-120], f32)}, 0),
    ("an exclusive or of equal masks is 0 in a function", "xla 44705",
     "arctan2(f32((a != 0) ^ (a != 0)), f32(a == a))",
     lambda a: np.zeros(5, f32), {"a": np.arange(5)}, 0),
    ("a negative base with a fraction is NaN under a logarithm", "tensorflow 57744",
     "log(x ** x)", lambda x: np.log(x ** x),
     {"x": A([-1.5, 2], f32)}, 2),
    ("the greatest of 8193 negative zeros is one", "xla 5544",
     "max(x); min(x)", lambda x: (x.max(), x.min()),
     {"x": np.zeros(8193, f32) * -1}, 0),
    ("a negative zero plus zero is positive", "torch 189799",
     "1 / (ceil(x) + 0); 1 / (ceil(x) - 0); 1 / (0 - x)",
     lambda x: (1 / (np.ceil(x) + 0), 1 / (np.ceil(x) - 0), 1 / (0 - x)),
     {"x": A([-0.5, -0.0, 0], f32)}, 0),
    ("the sum of logarithms of infinities", "jax 1624", "logaddexp(a, b)", np.logaddexp,
     {"a": A([inf, -inf, inf, -inf, nan]), "b": A([inf, -inf, -inf, inf, 0])}, 0),
    ("the number after the last ones", "jax 1845", "nextafter(a, b)", np.nextafter,
     {"a": A([0, -0.0, inf, nan, 3.4028235e38, 1e-45], f32), "b": A([-1, 1, 0, 0, inf, 0], f32)},
     0),
    ("floors of quotients a little below a whole number", "torch 197895",
     "a // b; a % b", lambda a, b: (a // b, a % b),
     {"a": A([1, 0.5, 6, 1]), "b": A([0.1, 0.1, 0.2, 1 / 3])}, 0),
    ("remainders of 10^30 times the divisor", "torch 194345",
     "a % b; fmod(a, b)", lambda a, b: (a % b, np.fmod(a, b)),
     {"a": A([1e10, 3.4e38, -3.4e38], f32), "b": A([1e-20, 1.4e-45, 1.4e-45], f32)}, 0),
    ("floors and remainders of infinities and by 0", "torch 188048",
     "a // b; a % b", lambda a, b: (a // b, a % b),
     {"a": A([nan, inf, -inf, 1, -1, 0, -0.0, 5]), "b": A([1, 1, 1, inf, inf, 1, 1, 0])}, 0),
    ("integers wrap before they are widened", "torch 108520",
     "int64(x + x)", lambda x: (x + x).astype(i64),
     {"x": A([2**31 - 1, -2**31], i32)}, 0),
    ("bytes wrap before they are widened", "torch 105264",
     "int16(x + x)", lambda x: (x + x).astype(i16),
     {"x": A([128, 200, 3], u8)}, 0),
    ("negated beyond 32 bits", "numexpr 25", "-a; abs(a)", lambda a: (-a, np.abs(a)),
     {"a": A([2**31, 2**32 - 1, 2**63 - 1, -2**63])}, 0),
    ("signs and limits beyond 32 bits", "onnxruntime 25280", "sign(x); clip(x, -5, 2**40)",
     lambda x: (np.sign(x), np.clip(x, -5, 2**40)), {"x": A([2**62, -2**62, 2**31, 0, 2**32])}, 0),
    ("an operand of many dimensions beside a permuted one", "numba 6749",
     "x * 2 + y", lambda x, y: x * 2 + y,
     {"x": random.random((2, 3, 2, 3, 2, 5)).transpose(5, 0, 4, 1, 3, 2),
      "y": random.random((1, 2, 1, 3, 1, 2))}, 1),
    ("8 dimensions, multiplied and reduced in the middle", "jax 39257",
     "sum(o * a, axis=2)", lambda o, a: (o * a).sum(axis=2),
     {"o": np.ones((2, 3, 4, 1, 1, 1, 1, 1)), "a": random.random((2, 3, 4, 3, 3, 3, 3, 3))}, 4),
    ("equal bytes along rows", "xla 9431",
     "all(x == y, axis=-1)", lambda x, y: (x == y).all(axis=-1),
     {"x": np.arange(12, dtype=i8) // 5, "y": np.stack([np.arange(12, dtype=i8) // 5] * 2)}, 0),
    ("a mean whose sum is beyond f16", "numpy 7930", "mean(a)", np.mean,
     {"a": np.ones(100000, f16)}, 0),
    ("means of many rows of f16", "numpy 7933", "mean(a, axis=0)", lambda a: a.mean(axis=0),
     {"a": np.full((5000, 3), 0.5, f16)},
     0),
    ("two reductions beside elements", "blosc2 415",
     "a + sum(b) + std(c)", lambda a, b, c: a + b.sum() + c.std(),
     {"a": np.arange(2.0), "b": random.random((5, 5)), "c": random.random((4, 5))}, 8),
    ("the deviation of large whole numbers", "dask 4233", "std(a)", np.std,
     {"a": A([2**40 + 1, 2**40 + 2, 2**40 + 9])}, 4),
    ("products below the normal numbers", "torch 126848",
     "x * 4.7e-38 * 0.125", lambda x: x * f32(4.7e-38) * f32(0.125),
     {"x": A([0.1875, 3, 1e-7], f32)}, 0),
]
for n in (7, 8, 9, 16, 17, 33):
    for at in (0, n // 2, n - 1):
        y = np.full(n, 4, f32)
        y[at] = nan
        EVALUATE.append((f"NaN at {at} of {n} is the least and the greatest", "numpy 10370",
                         "min(x); max(x, axis=0)",
            lambda x: (x.min(), x.max(axis=0)), {"x": np.stack([y, y * 0]).T}, 0))
for dtype in (i8, i16, i32, i64):
    low = np.iinfo(dtype).min
    EVALUATE += [
        (f"the least {dtype.__name__} divided by -1, by 0", "numpy 21506, 29731",
         "a // b; a % b", lambda a, b: (a // b, a % b),
         {"a": np.full(37, low, dtype), "b": (np.arange(37) % 2 - 1).astype(dtype)}, 0),
        (f"{dtype.__name__} shifted by its width and beyond", "numpy 10299",
         "a << b; a >> b", lambda a, b: (a << b, a >> b),
         {"a": A([low, -1, 0, 1, 7], dtype), "b": A([[0], [7], [8], [31], [32], [63], [64], [-1],
                                                     [100]], dtype)}, 0)]
for d in (1, 3, 7, 127, 128, 129, 200, 255):
    EVALUATE.append((f"every byte by {d}", "numpy 19045, 20168",
                     f"a // {d}; a % {d}", lambda a, d=d: (a // d, a % d),
        {"a": np.arange(256, dtype=u8)}, 0))
for dtype in (f16, f32, f64):
    x = edges.astype(dtype)
    EVALUATE += [
        (f"the greater of a NaN and a number, {dtype.__name__}", "xla 49174",
         "maximum(x, sqrt(x)); minimum(sqrt(x), x)",
         lambda x: (np.maximum(x, np.sqrt(x)), np.minimum(np.sqrt(x), x)), {"x": x[5:]}, 1),
        (f"limits of NaN and infinities, {dtype.__name__}", "onnx 6002",
         "clip(x, -2, 2)", lambda x: np.clip(x, -2, 2), {"x": x},
         0),
        (f"what is NaN, infinite, negative, {dtype.__name__}", "jax 150",
         "isinf(x); isnan(x); isfinite(x); signbit(x)",
         lambda x: (np.isinf(x), np.isnan(x), np.isfinite(x), np.signbit(x)), {"x": x}, 0)]


def ask(reference, operands):
    with np.errstate(all="ignore"):
        return (reference(**operands) if not isinstance(reference, np.ufunc)
                else reference(*operands.values()))


def evaluate(problems):
    for again in range(2):  # precompiled, and compiled
        for kind, seen, text, reference, operands, ulps in EVALUATE:
            for call in range(3):
                try:
                    what = differs(tosajit.evaluate(text, local_dict=operands),
                                   ask(reference, operands), ulps)
                except tosajit.Error as error:
                    what = str(error)
                if what:
                    problems.append(f"evaluate, {kind} (seen in {seen}): {text}: {what}")
                    break
        tosajit.wait()
    later_calls(problems)


def later_calls(problems):
    """One text with operands that change from call to call: numbers, types, ranks, sizes of 1 and
    0, strides. Results stay."""
    def check(kind, text, expected, operands, ulps=0):
        try:
            what = differs(tosajit.evaluate(text, local_dict=operands), expected, ulps)
        except tosajit.Error as error:
            what = str(error)
        if what:
            problems.append(f"evaluate, {kind}: {text}: {what}")
    x = random.standard_normal(12)
    kept = [tosajit.evaluate("x * k", x=x, k=float(k)) for k in range(60)]
    for k, y in enumerate(kept):
        if not np.array_equal(y, x * k):
            problems.append("evaluate, results that later calls overwrite (seen in onnxruntime "
                            f"20606): {k}")
    for _ in range(3):
        for k in (0.01, 3, True, inf, -0.0, 2**40, 1e-300, -1, nan):
            with np.errstate(all="ignore"):
                check("a number that changes value and type (seen in torch 171320)", "x * k + k",
                      x * k + k, {"x": x, "k": k})
        values = [np.arange(4, dtype=t) for t in (f64, f32, f16, i64, i8,
                                                  u8)] + [A(2.5), A(3), np.ones((2, 4)),
                                                          np.ones((3, 1)),
                                                          np.ones(4, bool)]
        for a in values:
            check("one text, many types and ranks (seen in torch 131893)", "x * y + x",
                  a * np.arange(4, dtype=i16) + a,
                {"x": a, "y": np.arange(4, dtype=i16)})
        for s, t in (((3, 4), (3, 4)), ((1, 4), (3, 4)), ((3, 1), (1, 4)), ((0, 4), (1, 4)),
                     ((1, 1), (5, 7)), ((3, 0), (3, 1)),
            ((1, 0), (4, 1))):
            a, b = random.standard_normal(s), random.standard_normal(t)
            check("sizes of 1 and 0 (seen in torch 131893)", "x * y + sum(x, axis=0)",
                  a * b + a.sum(axis=0), {"x": a, "y": b},
                1e6)
        square = random.standard_normal((8, 8))
        for a in (square[:4, :4], square[:4, :4].T, square[:4, ::2],
                  np.broadcast_to(square[0, :4], (4, 4)),
            np.broadcast_to(square[:4, :1], (4, 4)), square[3::-1, :4]):
            check("strides (seen in torch 131893)", "(x - y) * max(x, axis=1, keepdims=True)",
                (a - a.T) * a.max(axis=1, keepdims=True), {"x": a, "y": a.T})
        tosajit.wait()


# ---------------------------------------------------------------------------------------------
# torch.compile: kind, where it was seen, function, operands; "grad" for gradients, "dynamic" for
# sizes

def torch_cases():
    import torch
    import torch.nn.functional as F
    torch.manual_seed(0)
    R, T = torch.randn, torch.tensor

    def before(x):
        y = x.view(torch.int32) * 2
        y.sub_(-4)
        x[:, 2:5] = 2
        return y.view(torch.int64)

    def moments(p, m, g, h):
        m.lerp_(g, 0.05)
        p.add_(m, alpha=-0.01)
        return h.float() * 2 + m

    def scatter(buffer, index, v):
        buffer.view(-1)[index] = v * 2
        return buffer + 1

    def copies(to, of):
        to[0:, :] = of[0:, :]
        of.add_(1)
        return of

    def each(x):
        torch._foreach_add_([x], [x.flip(0)])
        return x

    def puts(x):
        x.index_put_((torch.arange(x.size(0)),), x * 2)
        x.add_(x.flip(0))
        return x

    def column(x, y):
        y = y.clone()
        y[:, 0] += x[:, 2].abs()
        return y

    def trailing(x):
        y = torch.cat([x[:2] * 2, x[2:] + 1])
        x.copy_(y.flip(0))
        return y + x

    def normal(v):
        least = v.min(0).values.squeeze(1)
        view = least.squeeze(0)
        least.reciprocal_()
        return view

    def rotary(q, c, s):
        half = q.shape[-1] // 2
        return q * c.unsqueeze(1) + torch.cat((-q[..., half:], q[..., :half]), -1) * s.unsqueeze(1)

    cases = [
        ("a view of another type is read before its base changes", "torch 198101", before,
         [torch.arange(-12, 12).reshape(4, 6)]),
        ("a logarithm, then the same in place",
         "torch 94777", lambda x: (torch.log(x), x.log_())[0], [torch.rand(40) + 1]),
        ("a moment that is read behind its update", "torch 183575", moments,
         [R(64), R(64), R(64), R(64).bfloat16()]),
        ("what is put through a view of an operand", "torch 184542", scatter,
         [torch.zeros(4, 6), T([3, 5, 11]), R(3)]),
        ("a copy, then the source changes", "torch 198131", copies,
         [torch.zeros(3, 4), torch.arange(12.).view(3, 4)]),
        ("in place plus the flipped, of a list", "torch 198033", each, [torch.rand(8, 8)]),
        ("in place plus the flipped, behind indices", "torch 198270", puts, [torch.rand(4, 8)]),
        ("in place plus softmaxes of both axes",
         "torch 198270", lambda x: x.add_(F.softmax(x, 0) + F.softmax(x, 1)),
         [torch.rand(9, 9)]),
        ("a trailing copy into the operand", "torch 94693", trailing, [R(6)]),
        ("a view of what changes in place", "torch 93824", normal, [torch.rand(1, 1, 1, 1, 12)]),
        ("pairs as complex numbers and back", "torch 122457",
         lambda x: (lambda z: (torch.view_as_real(z) + 1,
         torch.view_as_real(z + 1)))(torch.view_as_complex(x + 1)), [torch.zeros(4, 2)]),
        ("a gradient that has no memory, beside another",
         "torch 197067", lambda x, y: torch.where(x > y, x, y) * 2,
         [lambda: (lambda x: torch.autograd.grad(torch.sgn(x).sum(),
                                                 x)[0])(R(40, requires_grad=True)), R(40)]),
        ("operands without elements beside others",
         "torch 160746", lambda a, b: (torch.cos(a * b + 1), a.sum(0)),
         [R(0, 16), R(1, 16)]),
        ("reductions of nothing", "torch 188217",
         lambda x: (x.sum(), x.prod(), x.any(), x.all(), x.mean(), x.sum(0), x.prod(1),
         torch.logsumexp(x, 1)), [torch.zeros(3, 0)]),
        ("any and all of bytes stay bytes",
         "torch 198081", lambda x: (torch.any(x) * 200 + 100, x.all(1) * 3, x.any(0)),
         [T([[0, 3], [0, 0]], dtype=torch.uint8)]),
        ("masks of comparisons of two types", "torch 141559", lambda a, b: (a > 1) & (b > 1),
         [torch.arange(10), torch.arange(10, dtype=torch.uint8)]),
        ("there and back by f16 and bf16 rounds",
         "torch 176565, 185337", lambda x: (x.half().float(), x.bfloat16().float() * 2),
         [torch.arange(20.) / 7]),
        ("rotary positions of bf16 are rounded after each step", "torch 182225", rotary,
         [R(1, 2, 7, 16).bfloat16(), R(1, 7, 16).bfloat16(), R(1, 7, 16).bfloat16()]),
        ("a pad of a sum keeps its number",
         "torch 189895", lambda m: F.pad(m.sum(-1, dtype=torch.int32), (1, 0)),
         [torch.ones(3, 1000, dtype=torch.bool)]),
        ("pads of both signs", "torch 96484", lambda a: F.pad(a * 2, (1, -1, -1, 2), value=3.5) + 1,
         [R(4, 5)]),
        ("pads of one element by NaN and infinity", "torch 144462",
         lambda x: (F.pad(x, [1, 2], value=nan) * 2, F.pad(x * 2, [3, 0], value=-inf)), [R(1)]),
        ("bytes wrap before they are widened", "torch 105264",
         lambda x: ((x + x).long(), (x * x).long(), (-x).long(), (x - 100).long()),
         [T([255, 0, 100, 7], dtype=torch.uint8)]),
        ("powers of bytes wrap before a cosine", "torch 98149", lambda x: torch.cos(x.pow(5)),
         [T([4, 3, 7], dtype=torch.uint8)]),
        ("arange times a number beyond 32 bits",
         "torch 175966", lambda x: torch.arange(9) * T([1500000000]) + x, [T([0])]),
        ("the least and greatest of 18 bytes",
         "torch 191499", lambda x: (x.min(), x.max(), (-x).min(), (-x).max()),
         [T([5, 1, 100, 3, 7, 8, 9, 13, 100, 120, 127, 2, 6, 4, 11, 12, 90, 80],
            dtype=torch.int8)]),
        ("shifts by the width and beyond", "torch 143566", lambda a, b: (a << b, a >> b),
         [T([1000, -1, 3, 77]), T([64, 63, 65, 1])]),
        ("the arguments of the least, transposed, behind a sum", "torch 197739, 174073",
         lambda x: ((x.t() + 0.5).argmin(), x.sin().t().argmax()), [R(4, 6)]),
        ("softmax of rows of -inf, NaN and inf",
         "torch 161150", lambda x: (F.softmax(x * 1, -1), torch.logsumexp(x, -1)),
         [T([[-inf] * 3, [nan, 1, 2], [inf, 1, 2], [-inf, 1, 2]])]),
        ("softmax of products with 10^14", "torch 163932", lambda x: torch.softmax(x * 1e14, -1),
         [R(25)]),
        ("infinite steps between zeros",
         "torch 189799", lambda x: (1 / (torch.ceil(x) + 0), 1 / (0 - x), 1 / torch.frac(x)),
         [T([-0.5, -0.0, 0.0, 2.5])]),
        ("angles of zeros", "torch 185696", lambda x: torch.atan2(x, -x), [T([0.0, -0.0, 1, -1])]),
        ("masks filled with NaN and infinity",
         "torch 101058", lambda x, m: (x.masked_fill(m, nan), x.masked_fill(m, -inf) * 2),
         [R(5), T([True, False, True, False, False])]),
        ("steps, neighbours and replacements of NaN", "torch 187296",
         lambda x, y: (torch.heaviside(x, y), torch.nan_to_num(x, 1, 2, 3),
         torch.isclose(x, y, equal_nan=True)), [T([nan, 0, -1, inf, -inf]),
                                                T([1., 1, 1, inf, inf])]),
        ("hyperbolic functions near the end",
         "torch 183763", lambda x, y: (torch.sinh(x), torch.cosh(x), torch.asinh(y)),
         [T([88.85, 89.2, -89]), T([3e22, 7e25, -8e23])]),
        ("gradients where a slice was replaced",
         "torch 180771", lambda x, y: torch.slice_scatter(x, y, 1, 1, 4).sum(1) * 2,
         [R(3, 5, 7), R(3, 3, 7)], "grad"),
        ("gradients where the diagonal was replaced",
         "torch 182012", lambda x, y: torch.diagonal_scatter(x, y).sum() * 3,
         [R(8, 8), R(8)], "grad"),
        ("gradients of a column plus another", "torch 136662", column, [R(2, 3), R(2, 3)], "grad"),
        ("gradients of ties, zeros and NaN", "torch 93784",
         lambda x, y: torch.where(x > 0, x, y) + x.clamp(-1, 1) + x.abs() + torch.maximum(x, y),
         [T([0, 1, -1, 2, nan]),
          T([0., 1, 1, 3, 1])], "grad"),
        ("gradients of the greatest at ties", "torch 93784", lambda x: x.amax(1) + x.amin(1),
         [T([[1., 1, 0], [2, 3, 3]])],
         "grad"),
        ("gradients of products with zeros", "torch 118959", lambda x: x.prod(1),
         [T([[0., 2, 3], [0, 0, 3]])], "grad"),
        ("differences, other sizes later", "torch 116493", lambda x: torch.diff(x, dim=-1).sum(-1),
         [[R(5, 4)], [R(7, 4)], [R(9, 11)], [R(3, 1)]], "dynamic"),
        ("a size as a factor", "torch 145587", lambda a, b: a.shape[0] * a * b,
         [[R(4, 3), R(4, 3)], [R(8, 3), R(8, 3)], [R(1, 3), R(1, 3)]], "dynamic"),
        ("parts by sizes", "torch 114293", lambda x: (x[: x.shape[0] // 2] + 1, x[1:-1] - x[2:],
                                                      x[-3:] + x[:3]),
         [[R(6, 3)], [R(8, 3)], [R(14, 3)]], "dynamic"),
        ("strides that change", "torch 131893", lambda x, y: torch.tanh(x + y) * x[:, :1],
         [[R(4, 4), R(4, 4)], [R(4, 4).t(), R(4, 4)], [R(4, 8)[:, ::2], R(4, 4).t()],
         [R(1, 4).expand(4, 4), R(4, 1).expand(4, 4)]], "dynamic"),
    ]
    return torch, cases


def run_torch(problems):
    torch, cases = torch_cases()
    import tosajit.torch  # noqa: F401

    def call(f, operands, grad):
        operands = [o() if callable(o) else o.detach().clone(memory_format=torch.preserve_format)
                    for o in operands]
        if grad:
            operands = [o.requires_grad_() for o in operands]
        results = f(*operands)
        results = list(results) if isinstance(results, tuple) else [results]
        if grad:
            sum(r.sum() for r in results).backward()
            operands = [o.grad for o in operands]
        return results + operands

    def array(t):
        t = t.detach().clone()
        return (t.float() if t.dtype is torch.bfloat16 else t).numpy()
    for kind, seen, f, operands, *how in cases:
        torch._dynamo.reset()
        dynamic = "dynamic" in how
        compiled = torch.compile(f, backend="tosajit", dynamic=dynamic)
        for own in (operands if dynamic else [operands]) * 2:
            torch.manual_seed(1)
            expected = call(f, own, "grad" in how)
            torch.manual_seed(1)
            found = call(compiled, own, "grad" in how)
            types = [(t.dtype, t.shape) for t in found] == [(t.dtype, t.shape) for t in expected]
            what = differs([array(t) for t in found], [array(t) for t in expected],
                0 if expected[0].dtype is torch.bfloat16 else 16)
            if what or not types:
                problems.append(f"torch.compile, {kind} (seen in {seen}): {what}")
                break
            tosajit.wait()


# ---------------------------------------------------------------------------------------------
# ONNX Runtime: kind, where it was seen, nodes, inputs, outputs, constants, opset

def onnx_cases():
    from onnx import helper
    N = helper.make_node
    four = random.standard_normal((2, 3, 4, 5)).astype(f32)
    wide = A([2**62, -2**62, 2**31, -2**31, 0, 2**32, 7, -7])
    cases = [
        ("whole quotients are cut, of large numbers too", "onnxruntime 26997, openvino 37766",
         [N("Div", ["a", "b"], ["y"])],
         {"a": A([8, -8, 7, -7, 2**62, 2**31 - 1]), "b": A([-3, 3, -2, 2, 11, 11])}, "y", {}, 18),
        ("remainders have the divisor's sign", "openvino 20898", [N("Mod", ["a", "b"], ["y"])],
         {"a": A([3, -9, 7, -7, 1500000001]), "b": A([2, 13, -3, 3, 13])}, "y", {}, 18),
        ("remainders of fmod have the dividend's", "onnx 6973",
         [N("Mod", ["a", "b"], ["y"], fmod=1)],
         {"a": A([3, 3, -3, -3, 7.5, -0.0], f32), "b": A([2, -2, 2, -2, 2.5, 3], f32)}, "y", {},
         18),
        ("signs, limits and orders beyond 32 bits", "onnxruntime 25280",
         [N("Sign", ["a"], ["s"]), N("Clip", ["a", "lo", "hi"], ["c"]), N("Max", ["s", "c"], ["y"]),
         N("Less", ["a", "b"], ["z"])], {"a": wide, "b": np.roll(wide, 2)}, "yz",
         {"lo": i64(-5), "hi": i64(2**40)}, 18),
        ("values between that are results, too", "onnxruntime 4110",
         [N("Exp", ["x"], ["e"]), N("Add", ["e", "x"], ["s"]), N("Sigmoid", ["s"], ["y"])],
         {"x": four}, "eys", {}, 18),
        ("a result and the same transposed", "onnxruntime 18228",
         [N("Mul", ["x", "x"], ["m"]), N("Sqrt", ["m"], ["s"]),
         N("Transpose", ["s"], ["y"], perm=[1, 0, 3, 2])], {"x": four}, "sy", {}, 18),
        ("a mean beside itself, less the operand", "onnxruntime 18229",
         [N("ReduceMean", ["x", "a"], ["m"], keepdims=1), N("Concat", ["m", "m"], ["c"], axis=2),
         N("Sub", ["c", "z"], ["y"])], {"x": four, "z": four[:, :, :2]}, "y", {"a": A([2])}, 18),
        ("limits of NaN", "onnx 6002", [N("Clip", ["x", "lo", "hi"], ["y"])],
         {"x": A([nan, 11, -11, inf, -inf], f32)}, "y",
         {"lo": f32(-10), "hi": f32(10)}, 18),
        ("orders of NaN", "openvino 35927",
         [N("Less", ["a", "b"], ["l"]), N("Not", ["l"], ["n"]),
         N("Where", ["n", "a", "b"], ["y"])], {"a": A([nan, 1, nan, 2, inf], f32),
                                               "b": A([1, nan, nan, 3, inf], f32)}, "y", {},
         18),
        ("the error function and gates of NaN and infinities", "onnxruntime 28462, openvino 35934",
         [N("Erf", ["x"], ["y"]), N("Gelu", ["x"], ["z"]),
         N("HardSigmoid", ["x"], ["w"])], {"x": A([nan, inf, -inf, 0.5, 75], f32)}, "yzw", {}, 20),
        ("softmax of infinities", "openvino 35897",
         [N("Neg", ["x"], ["n"]), N("Softmax", ["n"], ["y"])],
         {"x": A([[2.5, 7, -inf], [inf, inf, inf], [nan, 1, 2], [inf, 1, 2]], f32)}, "y", {}, 18),
        ("logarithms of sums of exponentials with NaN", "openvino 35929",
         [N("Neg", ["x"], ["n"]),
         N("ReduceLogSumExp", ["n", "a"], ["y"], keepdims=0)],
         {"x": A([[2.5, 7, -inf], [nan, 1, 2], [-500, -501, 2]], f32)},
         "y", {"a": A([1])}, 18),
        ("bytes of quantisation end at -128", "onnxruntime 3442, 18576",
         [N("QuantizeLinear", ["x", "s", "z"], ["y"])],
         {"x": A([-129, -128.5, -128, -127, 0.5, 1.5, 2.5, 126, 127, 128, 1e9, -inf], f32)}, "y",
         {"s": f32(1), "z": i8(0)}, 18),
        ("floats beyond 32 bits as whole numbers", "openvino 35896",
         [N("Neg", ["x"], ["n"]), N("Cast", ["n"], ["y"], to=7),
         N("Cast", ["n"], ["z"], to=9)], {"x": A([5e18, -5e18, 1e15, 7.7, -0.0], f32)}, "yz", {},
         18),
        ("slopes by channel", "tvm 18598", [N("Neg", ["x"], ["n"]), N("PRelu", ["n", "k"], ["y"])],
         {"x": four}, "y",
         {"k": random.random((3, 1, 1)).astype(f32)}, 18),
        ("a concatenation of one", "optimizer 252",
         [N("Exp", ["x"], ["e"]), N("Concat", ["e"], ["c"], axis=1),
          N("Neg", ["c"], ["y"])], {"x": four}, "y", {}, 18),
        ("squeezed twice, unsqueezed twice", "optimizer 253",
         [N("Exp", ["x"], ["e"]), N("Squeeze", ["e", "a"], ["q"]), N("Squeeze", ["q", "b"], ["r"]),
          N("Neg", ["r"], ["n"]),
         N("Unsqueeze", ["n", "c"], ["y"])], {"x": four[:1, :, :1]}, "y",
         {"a": A([0]), "b": A([1]), "c": A([0, 3])}, 18),
        ("flattened, absolute, summed", "tvm 7270",
         [N("Flatten", ["x"], ["q"], axis=0), N("Abs", ["q"], ["r"]),
         N("ReduceSum", ["r", "a"], ["y"])], {"x": four}, "y", {"a": A([0])}, 18),
    ]
    for axis in (0, 1, 2, -1):
        for opset in (11, 13):
            cases.append((f"softmax of opset {opset} along {axis}", "onnxruntime 25402",
                [N("Mul", ["x", "x"], ["q"]), N("Softmax", ["q"], ["y"], axis=axis)], {"x": four},
                          "y", {}, opset))
    for op in ("ReduceSum", "ReduceMax", "ReduceL2"):
        for still in (0, 1):
            cases.append((f"{op} without axes, {('of all', 'of none')[still]}",
                          "onnxruntime 19147, 16586",
                [N("Abs", ["x"], ["q"]),
                N(op, ["q", "a"], ["y"], noop_with_empty_axes=still)], {"x": four}, "y",
                          {"a": np.zeros(0, i64)}, 18))
    return cases


def run_onnx(problems):
    import onnx
    import onnxruntime
    from onnx import helper, numpy_helper

    import tosajit.onnxruntime
    folder = tempfile.TemporaryDirectory()
    types = {name: helper.np_dtype_to_tensor_dtype(np.dtype(name)) for name in ("float32", "int64")}
    for kind, seen, nodes, inputs, outputs, constants, opset in onnx_cases():
        graph = helper.make_graph(nodes, "g",
            [helper.make_tensor_value_info(n, types[a.dtype.name],
                                           [f"{n}{d}" for d in range(a.ndim)]) for n,
            a in inputs.items()],
                                  [onnx.ValueInfoProto(name=n) for n in outputs],
                                  [numpy_helper.from_array(np.asarray(v),
                                                           k) for k, v in constants.items()])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)],
                                  ir_version=9)
        known = {v.name: v for v in (lambda g: [*g.value_info, *g.output])(onnx.shape_inference.infer_shapes(model).graph)}
        del model.graph.output[:]
        model.graph.output.extend(known[n] for n in outputs)
        text = model.SerializeToString()
        expected = onnxruntime.InferenceSession(text, providers=["CPUExecutionProvider"]).run(None, inputs)
        session = tosajit.onnxruntime.session(text, cache=folder.name)
        for _ in range(3):
            what = differs(session.run(None, inputs), expected, 200)
            if what:
                problems.append(f"ONNX Runtime, {kind} (seen in {seen}): {what}")
                break


if __name__ == "__main__":
    found = []
    {"evaluate": evaluate, "torch": run_torch, "onnx": run_onnx}[sys.argv[1]](found)
    print("\n".join(found) or f"{sys.argv[1]}: none of these kinds")
    sys.exit(bool(found))

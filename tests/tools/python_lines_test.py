# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lines that users of NumPy type, as texts of evaluate and in functions under tosajit.jit: both
give what NumPy gives, with its type and shape. What is not so yet stands in a list by name; a line
that is right, and stands there, fails the test, too.

    python3 tests/tools/python_lines_test.py            # as a test
    python3 tests/tools/python_lines_test.py --list     # what each door says of each line
"""
import math
import sys
import unittest
import warnings

import numpy as np

import tosajit

RANDOM = np.random.default_rng(7)
GIVEN = {
    "x": RANDOM.standard_normal((4, 6)).astype(np.float32),
         "y": (RANDOM.random((4, 6)) + 0.25).astype(np.float32),
    "v": RANDOM.random(6) * 3 + 0.5, "w": RANDOM.random((6, 5)).astype(np.float32),
    "n": RANDOM.integers(-9, 10, (4, 6)), "k": RANDOM.integers(0, 4, (4, 6)),
         "i": np.array([3, 0, 2]),
    "u": RANDOM.integers(0, 256, (4, 6, 3)).astype(np.uint8),
         "s": RANDOM.integers(-128, 128, 9).astype(np.int8),
    "img": RANDOM.integers(0, 256, (4, 6, 3)).astype(np.float32), "m": RANDOM.random((4, 6)) > 0.5,
         "b": RANDOM.random((4, 6)) > 0.3,
    "z": np.array([np.nan, 1, -np.inf, np.inf, 0.0, -2.5]),
         "h": np.array([[1, np.nan, 3], [4, 5, 6]]),
    "l": np.array([1, 2, 3], np.uint64), "c": 2.5, "eps": 1e-3, "d": 3,
         "μ": np.float32(0.5) * np.ones(6, np.float32), "a0x1": np.ones(3),
}


def expit(x):
    return 1 / (1 + np.exp(-x))


def xlogy(x, y):
    with np.errstate(all="ignore"):
        return np.where((x == 0) & ~np.isnan(y), 0, x * np.log(y))


# A line, and perhaps what it means in NumPy, where Python gives it no meaning or SciPy has the
# function.
LINES = """
where(m, 1, 0)
where(img > 128, 255, 0)
where(b, 1.0, 0.0)
where(x > 1, 2, where(x < 0, 0, 1))
where(x > y, x, y)
np.where(x > 0, x, 0.1 * x)
clip(x, None, 1)
clip(x, 0, None)
clip(x, -1, 1)
x.clip(0, 1)
clip(n, 0, 5)
select([x > 1, x < 0], [x, -x], 0)
piecewise(v, [v < 1, v >= 1], [0, 1])
x > 0 and y > 0 -> (x > 0) & (y > 0)
x > 0 or y > 1 -> (x > 0) | (y > 1)
not m -> ~m
0 < x < 1 -> (0 < x) & (x < 1)
0 < x <= y < 1 -> (0 < x) & (x <= y) & (y < 1)
n[0] / 2
n[1:] / 2
n[:, ::2] // 2
0.3 * img[..., 0] + 0.6 * img[..., 1] + 0.1 * img[..., 2]
v[:-1]
v[1:] - v[:-1]
v[:-1][1:]
v[::-1]
x[:, None] * v
x[..., None, :]
x[i]
x[:, i]
x[m]
x[i, i]
v[v > 1]
x.T
x.T @ x
x.sum()
x.sum(axis=0)
x.mean(axis=0)
x.mean()
x.max()
x.min(axis=1)
x.std(axis=0, ddof=1)
x.var(1)
m.any()
m.all(axis=1)
x.astype(float64)
x.astype(np.float16)
img.astype(int)
x.reshape(-1)
x.reshape(6, 4)
x.reshape((2, -1))
x.ravel()
float64(x).sum()
x / x.shape[0]
x.sum() / len(x)
x.sum() / x.size
x * x.ndim
np.sin(x)
np.sqrt(np.abs(x)) + np.exp(y)
math.pi * x
np.pi * x + np.e
x.dot(w)
(x - x.mean(axis=0)) / x.std(axis=0)
argmax(x)
argmax(x, axis=1)
x.argmin(axis=0)
nansum(h)
nansum(h, axis=0)
nanmean(h, axis=1)
nanmax(h, axis=0)
nanmin(h)
nanstd(h, axis=0)
nanvar(h)
nanprod(h)
count_nonzero(n)
count_nonzero(n, axis=0)
count_nonzero(x > 0)
ptp(x)
ptp(x, axis=1)
average(x)
average(v, weights=v + 1)
average(x, axis=1, weights=v)
sum(x, where=m)
sum(x, axis=0, where=m)
mean(x, where=m)
max(x, where=m, initial=-1)
sum(x, initial=3)
sum(x, axis=1, initial=0.5)
min(x, axis=0, initial=0)
sum(n, dtype=float64)
sum(x, dtype=np.float64)
mean(n, dtype=np.float32)
u.sum(dtype=np.int64)
u.sum(axis=-1)
median(x)
percentile(v, 30)
quantile(x, 0.25, axis=0)
cov(x)
corrcoef(x)
trace(x)
sum(where(m, x, 0), axis=1) / sum(m, axis=1)
logsumexp(x, axis=1) -> np.log(np.sum(np.exp(x), axis=1))
softmax(x, axis=1) -> np.exp(x) / np.sum(np.exp(x), axis=1, keepdims=True)
cumsum(v)
cumsum(x, axis=1)
cumprod(v)
diff(v)
diff(x, axis=0)
diff(v, 2)
diff(m)
gradient(v)
gradient(v, 0.5)
trapezoid(v)
trapezoid(v, dx=0.5)
trapezoid(x, v, axis=1)
convolve(v, [1, 2, 1])
arange(6) * v
linspace(0, 1, 6) * v
full_like(x, 3)
ones_like(n) + x
zeros_like(x) + 1
ones((4, 6)) + x
full((4, 6), 2.0) * x
meshgrid(v, v)[0] + 1
eye(6) * v
tril(x)
triu(x, 1)
stack([x, y])
stack((x, y), axis=-1)
hstack([x, y])
vstack([x, y])
column_stack([v, v + 1])
concatenate([x, y], axis=1)
roll(v, 2)
roll(x, 1, axis=0)
roll(x, -1, axis=1)
repeat(v, 3)
repeat(x, 2, axis=1)
tile(v, 2)
outer(v, v)
inner(v, v)
dot(v, v)
v @ v
x @ w
np.dot(x, w)
matmul(x, w)
einsum('ij,ij->i', x, y)
sort(x)
sort(v)[::-1]
argsort(v)
unique(n)
searchsorted(sort(v), v)
digitize(v, [1, 2])
histogram(v, 3)[0]
bincount(k.ravel())
interp(v, [0, 1, 4], [0, 2, 3])
nonzero(m)[0]
np.linalg.norm(x)
np.linalg.norm(x, axis=1)
sinc(x)
heaviside(x, 0.5)
isclose(x, y)
isclose(z, z, equal_nan=True)
allclose(x, x)
array_equal(x, y)
nan_to_num(z)
nan_to_num(z, nan=1.5, posinf=9.0)
divmod(n, 3)
divmod(x, 0.3)
modf(z)
frexp(x)
ldexp(x, 2)
log(y, 2) -> np.log(y) / math.log(2)
expit(x)
xlogy(y, y)
logit(y / 3) -> np.log(y / 3 / (1 - y / 3))
lgamma(y) -> np.vectorize(math.lgamma)(y).astype(y.dtype)
erf(x) -> np.vectorize(math.erf)(x).astype(x.dtype)
erfc(y) -> np.vectorize(math.erfc)(y).astype(y.dtype)
bitwise_count(u)
gcd(n, 6)
float_power(y, 2)
cbrt(x)
hypot(x, y)
deg2rad(x)
np.square(n)
isposinf(z)
isneginf(z)
u == 300
u > -1
u < 128
s - 100
s + s
n ** 2
n ** k
2 ** k
2.0 ** n
n ** -1
l + 1
l * 2 + n[0, :3]
u + 200
u / 255
x * c
x + eps
n // d
n % d
x ** 0.5
abs(n)
round(x)
round(x, 1)
np.round(v, 2)
min(x)
max(x, axis=0)
pow(y, 1.5)
μ * 2 + x
a0x1 + 16
x if c > 2 else y
(x, y)
[x + 1, x - 1]
{'a': x + 1, 'b': x.sum()}
float32(v) + x
int32(x * 10)
bool_(n)
any(x > 1)
all(y > 0, axis=0)
cross(img[0], img[1])
flip(x)
fliplr(x)
flipud(x)
rot90(x)
squeeze(x[:, :1])
expand_dims(v, 0)
moveaxis(u, -1, 0)
swapaxes(u, 0, 2)
broadcast_to(v, (4, 6)) + x
atleast_2d(v) + x
x.copy() + 1
x.T + x.T
x[1:3, ::2] * 2
x[-1] - x[0]
copysign(x, -1)
nextafter(x, 2)
sign(n)
logaddexp(x, y)
logaddexp2(x, y)
angle(x)
real(x) + imag(x)
maximum.reduce(x) -> np.max(x, axis=0)
add.reduce(x, axis=1) -> np.sum(x, axis=1)
np.add(x, y) * np.multiply(x, 2)
np.maximum(x, 0)
np.logical_and(x > 0, m)
x.var() + x.prod()
x * m
m + m
m & (x > 0)
~m | b
-(x ** 2) / 2
exp(-(x ** 2) / 2) / sqrt(2 * pi)
""".strip().split("\n")
LINES = [tuple(part.strip() for part in line.partition(" -> ")[::2]) for line in LINES]

# Lines that are not right yet, by door.
TEXTS_LATER = set("""
lgamma(y)
exp(-(x ** 2) / 2) / sqrt(2 * pi)
""".strip().split("\n"))
FUNCTIONS_LATER = set("""

""".strip().split("\n"))


def wanted_of(line, meaning):
    names = {name: getattr(np, name) for name in dir(np) if not name.startswith("_")}
    names.update(np=np, math=math, expit=expit, xlogy=xlogy, abs=np.abs, max=np.max, min=np.min,
                 sum=np.sum, any=np.any, all=np.all,
                 round=np.round, divmod=np.divmod, pow=np.power, **GIVEN)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return eval(meaning or line, names)


def differs(found, wanted, types=True):
    """Nothing, or what is wrong."""
    if isinstance(wanted, (tuple, list)):
        if not isinstance(found, (tuple, list)) or len(found) != len(wanted):
            return f"{type(found).__name__} instead of {len(wanted)} results"
        return next(filter(None, (differs(f, w, types) for f, w in zip(found, wanted))), "")
    if isinstance(wanted, dict):
        return ("" if isinstance(found, dict) and found.keys() == wanted.keys()
                and not any(differs(found[k], wanted[k], types) for k in found) else "another dict")
    found, wanted = np.asarray(found), np.asarray(wanted)
    if found.shape != wanted.shape:
        return f"shape {found.shape} instead of {wanted.shape}"
    if types and found.dtype != wanted.dtype:
        return f"{found.dtype} instead of {wanted.dtype}"
    # operands are of float32, and NumPy's functions of these are up to 4 ulp off
    close = (3e-3 if wanted.dtype == np.float16 else 2e-5)
    fine = (np.allclose(found, wanted, close, close, equal_nan=True) if wanted.dtype.kind == "f"
            else np.array_equal(found, wanted))
    return "" if fine else "other values"


def by_text(line):
    found = tosajit.evaluate(line, {**GIVEN, "np": np, "math": math}, {})
    return found


_SCIPY = """
def expit(x): return 1 / (1 + np.exp(-x))
def xlogy(x, y): return np.where((x == 0) & ~np.isnan(y), 0, x * np.log(y))
"""


def function_of(line):
    """A function of what the line reads, with NumPy's names as others import them."""
    code = compile(line, "<line>", "eval")
    operands = [name for name in GIVEN if name in code.co_names]
    names = {name: getattr(np, name) for name in dir(np) if not name.startswith("_")}
    names.update(np=np, math=math, abs=np.abs, max=np.max, min=np.min, sum=np.sum, any=np.any,
                 all=np.all, round=np.round, divmod=np.divmod, pow=np.power)
    exec(_SCIPY, names)
    exec(f"def f({', '.join(operands)}):\n    return {line}\n", names)
    return names["f"], [GIVEN[name] for name in operands]


def by_function(line, meaning):
    """What Python gives no meaning for arrays is written as NumPy has it."""
    function, operands = function_of(meaning or line)
    jitted = tosajit.jit(function)
    first = jitted(*operands)
    again = jitted(*operands)
    if differs(again, first):
        raise AssertionError(f"the second call: {differs(again, first)}")
    return first


def outcome(door, line, meaning):
    try:
        wanted = wanted_of(line, meaning)
    except Exception as error:
        wanted = error
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = by_text(line) if door == "text" else by_function(line, meaning)
    except Exception as error:
        if (isinstance(wanted, Exception) and isinstance(error,
                                                         ValueError
                                                         if isinstance(wanted, ValueError)
                                                         else Exception)):
            return ""
        return f"{type(error).__name__}: {error}".split("\n")[0][:110]
    if isinstance(wanted, Exception):
        return f"no {type(wanted).__name__}"
    return differs(found, wanted)


class Lines(unittest.TestCase):
    def check(self, door, later):
        problems = []
        for line, meaning in LINES:
            what = outcome(door, line, meaning)
            if bool(what) != (line in later):
                problems.append(f"{line}: {what or 'is right, but stands among what is not yet'}")
        self.assertEqual(problems, [])

    def test_there_are_enough(self):
        self.assertGreaterEqual(len({line for line, _ in LINES}), 148)
        self.assertLessEqual((TEXTS_LATER | FUNCTIONS_LATER) - {""}, {line for line, _ in LINES})

    def test_texts(self):
        self.check("text", TEXTS_LATER)

    @unittest.skipUnless(hasattr(tosajit, "jit"), "there is no tosajit.jit yet")
    def test_functions(self):
        self.check("function", FUNCTIONS_LATER)


if __name__ == "__main__":
    if sys.argv[1:] == ["--list"]:
        for door in ("text", "function")[:1 + hasattr(tosajit, "jit")]:
            said = {line: outcome(door, line, meaning) for line, meaning in LINES}
            print(f"== {door}: {sum(not what for what in said.values())} of {len(said)}")
            print("\n".join(f"{line:50} {what}" for line, what in said.items() if what))
        sys.exit()
    unittest.main()

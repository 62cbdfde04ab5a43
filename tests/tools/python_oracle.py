# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a text of evaluate gives, by NumPy and the pages alone: Python runs the text with the
functions of NAMES, which are NumPy's. What NumPy lacks, or does otherwise, is written from
docs/semantics.md, docs/language.md and docs/python.md: the order of sums, zeros of maxima, casts,
norms. Functions such as exp are judged by long double. They may be a unit off in f64, and in f32
where they are not exact, so what comes of them is computed with the interpreter's own result, once
that is within its bound."""
import ast
import ctypes
import itertools
import math

import numpy as np

import tosajit

FLOATS = [np.dtype(t) for t in (np.float16, np.float32, np.float64)]
TYPES = {"i1": np.bool_, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64,
         "u8": np.uint8, "u16": np.uint16,
         "u32": np.uint32, "u64": np.uint64, "f16": np.float16, "f32": np.float32,
         "f64": np.float64}
NAME_OF = {np.dtype(t): name for name, t in TYPES.items()}


class Unsure(Exception):
    """Neither NumPy nor a page says what the result is."""


class Misfit(Exception):
    """A function is farther from its value than its bound."""


SURE, OPEN, UNKNOWN = range(3)
ACCURACIES = ("reproducible", "exact")


class Value:
    """An array amid a text. leaves: of each operand, view or reduction that it is computed from,
    which of its dimensions that has. near: SURE, or OPEN where the interpreter tells the bits, or
    UNKNOWN where nobody can tell. dropped: whether it comes of a reduction that dropped its axes,
    or of a view of what lacks some. Of sums of that no page tells the order, which is that of the
    last axis or of another, at once or one after the other."""

    __slots__ = ("a", "leaves", "near", "dropped")

    def __init__(self, a, leaves=None, near=0, dropped=False):
        self.a = np.asarray(a)
        self.leaves = [(True,) * self.a.ndim] if leaves is None else leaves
        self.near, self.dropped = near, dropped

    def __bool__(self):
        raise Unsure("the truth of an array")

    def __getitem__(self, key):
        return view(self, lambda a: a[key])

    @property
    def T(self):
        return view(self, lambda a: a.T)

    def __neg__(self):
        return each(np.negative, self)

    def __pos__(self):
        return each(np.positive, self)

    def __invert__(self):
        return each(np.invert, self)


def each(function, *operands):
    """Element by element. Of numbers alone a number."""
    values = [o for o in operands if isinstance(o, Value)]
    result = np.asarray(function(*[o.a if isinstance(o, Value) else o for o in operands]))
    if not values:
        return result.item()
    leaves = list(dict.fromkeys(itertools.chain.from_iterable(v.leaves for v in values)))
    return Value(result, leaves, max(v.near for v in values), any(v.dropped for v in values))


def operator(function):
    return lambda x, y: each(function, x, y), lambda x, y: each(function, y, x)


for sign, ufunc in dict(add=np.add, sub=np.subtract, mul=np.multiply, truediv=np.true_divide,
                        mod=np.remainder,
                        lshift=np.left_shift, rshift=np.right_shift).items():
    for prefix, method in zip(("__", "__r"), operator(ufunc)):
        setattr(Value, f"{prefix}{sign}__", method)
for sign, ufunc in {"and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}.items():
    for prefix, method in zip(("__", "__r"), operator(ufunc)):
        setattr(Value, f"{prefix}{sign}__", method)
for sign, ufunc in dict(eq=np.equal, ne=np.not_equal, lt=np.less, le=np.less_equal, gt=np.greater,
                        ge=np.greater_equal).items():
    setattr(Value, f"__{sign}__", operator(ufunc)[0])


def dtype_of(operand):
    return operand.a.dtype if isinstance(operand, Value) else None


# ---------------------------------------------------------------------------------------------------------------------
# Functions of real numbers

_libm = ctypes.CDLL("libm.so.6")


def _by_libm(name):
    function = getattr(_libm, name)
    function.restype, function.argtypes = ctypes.c_double, [ctypes.c_double]
    vector = np.frompyfunc(function, 1, 1)
    return lambda x: vector(x.astype(np.float64)).astype(np.longdouble)


# name: value in long double, and how many units of f64, and beyond half a unit of narrower types,
# it may be off.
REALS = {name: (getattr(np, name), 1.0) for name in (
    "exp", "exp2", "expm1", "log", "log1p", "log2", "log10", "cbrt", "sin", "cos", "tan", "arcsin",
                                                     "arccos", "arctan",
    "sinh", "cosh", "tanh", "arcsinh", "arccosh", "arctanh")}
REALS |= {"erf": (_by_libm("erf"), 2.0), "erfc": (_by_libm("erfc"), 3.0),
          "rsqrt": (lambda x: 1 / np.sqrt(x), 1.0),
          "sigmoid": (lambda x: 1 / (1 + np.exp(-x)), 1.0), "arctan2": (np.arctan2, 1.0),
          "hypot": (np.hypot, 1.0),
          # of infinity the C library's power of long doubles loses its way from 2^63 on
          "power": (lambda a, b: np.where(np.isinf(a),
                                          np.power(a.astype(np.float64), b.astype(np.float64)),
                                          np.power(a, b)), 1.0)}
_kernels = {}
_references = {accuracy: tosajit.Engine(backend="interpret", accuracy=accuracy)
               for accuracy in ACCURACIES}
_accuracy = ACCURACIES[0]


def _found(name, dtype, arrays):
    """The interpreter's result."""
    key = (name, dtype, _accuracy)
    if key not in _kernels:
        names = "xy"[:len(arrays)]
        text = "x ** y" if name == "power" else f"{name}({', '.join(names)})"
        _kernels[key] = _references[_accuracy].compile(f"r = {text} : {NAME_OF[dtype]}[?]")
    return _kernels[key](*arrays)


def _units(found, wanted, dtype):
    """How far the numbers are from their values, in units of the last place; infinite where they
    are special and differ."""
    info = np.finfo(dtype)
    exponent = np.frexp(np.where(np.isfinite(wanted), wanted, 1))[1] - 1
    unit = np.ldexp(np.longdouble(1), np.maximum(exponent, info.minexp) - info.nmant)
    distance = np.abs(found.astype(np.longdouble) - wanted) / unit
    largest = np.longdouble(info.max) + np.ldexp(np.longdouble(1), info.maxexp - info.nmant - 2)
    overflow = np.isinf(found) & (np.abs(wanted) >= largest) & (np.sign(wanted) == np.sign(found))
    same = (np.isnan(found) & np.isnan(wanted)) | (found == wanted) | overflow
    return np.where(same, 0, np.where(np.isnan(distance), np.inf, distance))


def real(name, *operands):
    """In the type that NumPy has for the square root, or the arctangent, of these."""
    exact = name
    like = np.sqrt if len(operands) == 1 else np.arctan2
    empty = [np.empty(0, dtype_of(o)) if isinstance(o, Value) else o for o in operands]
    dtype = (np.asarray(like(*empty)).dtype if any(isinstance(o, Value) for o in operands)
             else np.dtype(float))

    def compute(*arrays):
        cast = np.broadcast_arrays(*[np.asarray(a).astype(dtype) for a in arrays])
        flat = [np.ascontiguousarray(a).reshape(-1) for a in cast]
        found = np.asarray(_found(exact, dtype, flat))
        function, bound = REALS[name]
        wanted = function(*[a.astype(np.longdouble) for a in flat])
        units = _units(found, wanted, dtype)
        most = (bound if dtype == np.float64 else 1.0 if _accuracy == "reproducible"
                and dtype == np.float32 else 0.5002)
        if (units > most).any():
            k = int(np.argmax(units))
            raise Misfit(f"{name} of {NAME_OF[dtype]} {[a[k] for a in flat]}: {found[k]!r}, "
                         f"{units[k]} units off")
        return found.reshape(cast[0].shape)

    return each(compute, *operands)


def power(x, y):
    """Floats by the language's pow; integers as NumPy."""
    if not isinstance(x, Value) and not isinstance(y, Value):
        return x ** y
    dtype = np.asarray(np.power(*[np.ones(1, dtype_of(o)) if isinstance(o, Value) else o
                                  for o in (x, y)])).dtype
    if dtype not in FLOATS:
        if not isinstance(y, Value) and y < 0:
            raise ValueError("Integers to negative integer powers are not allowed.")
        return each(np.power, x, y)
    if not isinstance(y, Value) and y == 2:
        return each(lambda a: a.astype(dtype) * a.astype(dtype), x)
    return real("power", cast(x, dtype), cast(y, dtype))


def to_power(x, y):
    """NumPy's ** of bools and a number has another type than its power."""
    return (each(lambda a: a ** y, x) if x.a.dtype == np.bool_ and type(y) is int and y >= 0
            else power(x, y))


Value.__pow__ = to_power
Value.__rpow__ = lambda y, x: power(x, y)


def cast(operand, dtype):
    """Between floats, and to them."""
    return (each(lambda a: a.astype(dtype), operand) if isinstance(operand, Value)
            else Value(np.asarray(operand, dtype), []))


def to_type(dtype, rounding):
    """A cast by name: floats saturate, and round as that says; a NaN is 0. NumPy's astype does so
    in a wider type, of which it takes the low bits. Numbers get a type of their own."""
    dtype = np.dtype(dtype)
    register = (dtype if rounding is not np.trunc or dtype.name in ("int32", "int64", "uint64")
                else np.dtype(np.int64 if dtype.name == "uint32" else np.int32))

    def convert(a):
        if a.dtype not in FLOATS or dtype.kind not in "iu":
            return a.astype(dtype)
        info, whole = np.iinfo(register), rounding(a).astype(np.float64)
        if dtype == np.uint64:
            high, low = whole >= 2.0**64, ~(whole >= 0)
            natural = np.where(high, np.array(info.max, dtype),
                               np.where(high | low, 0, whole).astype(dtype))
            signed = np.where(low & (whole > -2.0**63), whole, 0).astype(np.int64)
            wrapped = np.where(whole <= -2.0**63, np.array(-2**63), signed).astype(dtype)
            return np.where(low, wrapped, natural) if rounding is np.trunc else natural
        high, low = whole >= float(info.max), whole <= float(info.min)
        inside = np.where(high | low | np.isnan(whole), 0, whole).astype(np.int64).astype(register)
        return np.where(high, np.array(info.max, register),
                        np.where(low, np.array(info.min, register), inside)).astype(dtype)

    def make(x):
        if isinstance(x, Value):
            return each(convert, x)
        if isinstance(x, float) and np.isfinite(x) and dtype.kind in "iu":
            x = int(rounding(x))
        return Value(np.array(x, dtype), [()])

    return make


def floor_divide(x, y):
    """Of floats next to the quotient, rounded down: NumPy's, where its difference and quotient,
    which are rounded, are no half off."""

    def compute(a, b):
        wanted = np.asarray(np.floor_divide(a, b))
        dtype = wanted.dtype
        if dtype not in FLOATS:
            return wanted
        flat = [np.ascontiguousarray(o).reshape(-1)
                for o in np.broadcast_arrays(*[np.asarray(o).astype(dtype) for o in (a, b)])]
        found, wanted, shape = np.asarray(_found("floor_divide", dtype,
                                                 flat)), wanted.reshape(-1), wanted.shape
        exact = np.floor(flat[0].astype(np.longdouble) / flat[1].astype(np.longdouble))
        large = np.isfinite(exact) & (np.abs(exact) >= 2.0 ** (np.finfo(dtype).nmant - 1))
        same = (found == wanted) & (np.signbit(found)
                                    == np.signbit(wanted)) | np.isnan(found) & np.isnan(wanted)
        right = same | large & (_units(found, exact, dtype) <= 1)
        if not right.all():
            k = int(np.argmin(right))
            raise Misfit(f"floor_divide of {NAME_OF[dtype]} {[o[k] for o in flat]}: {found[k]!r}, "
                         f"not {wanted[k]!r}")
        return found.reshape(shape)

    return each(compute, x, y)


Value.__floordiv__ = floor_divide
Value.__rfloordiv__ = lambda y, x: floor_divide(x, y)


# ---------------------------------------------------------------------------------------------------------------------
# Functions of elements that NumPy leaves open, or lacks

def _extreme(ufunc, chosen):
    """-0 is smaller than +0, and a NaN is the result where ufunc says so."""

    def compute(a, b):
        r = np.asarray(ufunc(a, b))
        if r.dtype not in FLOATS:
            return r
        x, y = np.broadcast_arrays(np.asarray(a).astype(r.dtype), np.asarray(b).astype(r.dtype))
        zeros = (x == 0) & (y == 0)
        sign = chosen(np.signbit(x), np.signbit(y))
        return np.where(zeros, np.where(sign, -r.dtype.type(0), r.dtype.type(0)), r)

    return lambda x, y: each(compute, x, y)


maximum, minimum = _extreme(np.maximum, np.logical_and), _extreme(np.minimum, np.logical_or)
fmax, fmin = _extreme(np.fmax, np.logical_and), _extreme(np.fmin, np.logical_or)


def extreme_or_reduction(two, op):
    def function(x, *rest, **keywords):
        if (rest and (isinstance(rest[0], Value) or isinstance(x, Value) is False
                      or not keywords and len(rest) == 1)):
            return two(x, *rest)
        return reduction(op)(x, *rest, **keywords)
    return function


def no_nan(function):
    """The sign of a NaN is open."""

    def compute(a, b):
        if np.isnan(np.asarray(b, float)).any():
            raise Unsure("the sign of a NaN")
        return function(a, b)

    return lambda x, y: each(compute, x, y)


def conj(x):
    if dtype_of(x) == bool:
        raise Unsure("NumPy makes int8 of them")
    return each(np.conj, x)


def reciprocal(x):
    """Of integers a quotient, which NumPy leaves open at 0."""
    if dtype_of(x) == bool or isinstance(x, Value) and x.a.dtype not in FLOATS and (x.a == 0).any():
        raise Unsure("the reciprocal of 0, and of bools, which NumPy makes int8")
    return each(np.reciprocal, x)


def signbit(x):
    if isinstance(x, Value) and np.isnan(x.a.astype(float)).any():
        raise Unsure("the sign of a NaN")
    return each(np.signbit, x)


def where(c, x, y):
    return each(np.where, c, *_fitting(x, y))


def _fitting(*operands):
    """Numbers that an array's type does not have NumPy wraps here, and refuses elsewhere."""
    arrays = [o.a for o in operands if isinstance(o, Value)]
    for number in operands:
        if arrays and type(number) is int and np.result_type(*arrays).kind in "iu":
            np.array(number, np.result_type(*arrays))
    return operands


def clip(x, low, high):
    dtype = np.result_type(*[o.a if isinstance(o, Value) else o for o in _fitting(x, low, high)])
    return minimum(maximum(typed(x, dtype), typed(low, dtype)), typed(high, dtype))


def typed(operand, dtype):
    """As that type, to which NumPy has promoted it."""
    return (cast(operand, dtype) if isinstance(operand, Value)
            else Value(np.array(operand, dtype), []))


def written(function):
    """A function of one float that the language writes out of others, each step rounded to the
    type."""

    def make(x):
        value = x if isinstance(x, Value) else Value(np.array(x, float), [])
        dtype = np.sqrt(np.empty(0, value.a.dtype)).dtype
        result = function(cast(value, dtype))
        return result if isinstance(x, Value) else result.a.item()

    return make


def softplus(x):
    return maximum(x, 0) + real("log1p", real("exp", -each(np.abs, x)))


def hardsigmoid(x):
    return minimum(maximum(x * 0.16666666666666666 + 0.5, 0.0), 1.0)


WRITTEN = dict(
    gelu=lambda x: x * (real("erf", x * 0.7071067811865476) + 1) * 0.5,
               silu=lambda x: x * real("sigmoid", x),
    swish=lambda x: x * real("sigmoid", x), softplus=softplus,
               mish=lambda x: x * real("tanh", softplus(x)),
    logsigmoid=lambda x: minimum(x, 0) - real("log1p", real("exp", -each(np.abs, x))),
    hardsigmoid=hardsigmoid, hardswish=lambda x: x * hardsigmoid(x))


# ---------------------------------------------------------------------------------------------------------------------
# Reductions: docs/semantics.md

def _add(a, b):
    return a + b


def _multiply(a, b):
    return a * b


def _ordered(combine, neutral, rows, is_last):
    """Of rows of (outer, count, inner): the total of each, in the order that is part of the
    result."""
    segment, partials = (4096, 32) if is_last else (128, 1)
    total = np.full((rows.shape[0], rows.shape[2]), neutral, rows.dtype)
    for begin in range(0, rows.shape[1], segment):
        part = rows[:, begin:begin + segment]
        partial = np.full((rows.shape[0], partials, rows.shape[2]), neutral, rows.dtype)
        for i in range(0, part.shape[1], partials):
            some = part[:, i:i + partials]
            partial[:, :some.shape[1]] = combine(partial[:, :some.shape[1]], some)
        half = partials // 2
        while half:
            partial = combine(partial[:, :half], partial[:, half:])
            half //= 2
        total = combine(total, partial[:, 0])
    return total


def _fold(op, a, first, last):
    """One reduction along the dimensions first to last, which stay with sizes of 1."""
    dims = a.shape
    kept = dims[:first] + (1,) * (last - first + 1) + dims[last + 1:]
    outer, count, inner = (math.prod(dims[b:e])
                           for b, e in ((0, first), (first, last + 1), (last + 1, len(dims))))
    rows = np.ascontiguousarray(a).reshape(outer, count, inner)
    if op in ("max", "min"):
        if count == 0:
            raise ValueError("zero-size array to reduction operation")
        r = (np.max if op == "max" else np.min)(rows, axis=1)
        if a.dtype in FLOATS:
            zero, sign = r == 0, np.signbit(rows) | (rows != 0)
            r = np.where(zero, np.where(sign.all(1) if op == "max"
                                        else (np.signbit(rows) & (rows == 0)).any(1),
                                        -r.dtype.type(0),
                                        r.dtype.type(0)), r)
    elif op in ("any", "all"):
        r = (np.any if op == "any" else np.all)(rows, axis=1)
    elif a.dtype in FLOATS:
        wide = rows.astype(np.float32) if a.dtype == np.float16 else rows
        r = _ordered(*((_add, -0.0) if op == "sum" else (_multiply, 1.0)), wide,
                     last == len(dims) - 1).astype(a.dtype)
        if count == 0 and op == "sum":
            r = np.zeros_like(r)
    else:
        r = (np.add if op == "sum" else np.multiply).reduce(rows, axis=1, dtype=a.dtype)
    return r.astype(a.dtype).reshape(kept)


def _straddles(value, first, last):
    """True if an operand has some of these dimensions, but not all."""
    for leaf in value.leaves:
        lead = value.a.ndim - len(leaf)
        has = [d >= lead and leaf[d - lead] for d in range(first, last + 1)]
        if any(has) and not all(has):
            return True
    return False


def _axes(axis, rank):
    if axis is None:
        return list(range(rank))
    given = axis if isinstance(axis, (tuple, list)) else [axis]
    axes = sorted(np.lib.array_utils.normalize_axis_tuple(tuple(given), rank))
    return axes


def _reduce(op, value, axes):
    """Neighbours at once, unless an operand lacks some; others one after the other, the last
    first."""
    end, reduced = len(axes), set()
    while end:
        first = end - 1
        while (first and axes[first - 1] + 1 == axes[first]
               and not _straddles(value, axes[first - 1], axes[end - 1])):
            first -= 1
        reduced |= set(range(axes[first], axes[end - 1] + 1))
        is_open = value.dropped and op in ("sum", "prod") and value.a.dtype in FLOATS
        value = Value(_fold(op, value.a, axes[first], axes[end - 1]),
                      [tuple(d not in reduced for d in range(value.a.ndim))],
                      OPEN if is_open else value.near, value.dropped)
        end = first
    return value


def _dropped(value, axes, keepdims):
    if keepdims:
        return value
    value = view(value, lambda a: a.reshape([size
                                             for d, size in enumerate(a.shape) if d not in axes]))
    value.dropped = True
    return value


def _own(value):
    """Integers in f64; what means are computed in; the type of the result."""
    dtype = value.a.dtype if value.a.dtype in FLOATS else np.dtype(np.float64)
    return cast(value, np.float32 if dtype == np.float16 else dtype), dtype


def _average(value, axes, less=0):
    count = math.prod(value.a.shape[d] for d in axes) - less
    if count < 0:
        raise Unsure("more degrees of freedom than elements")
    return _reduce("sum", value, axes) / value.a.dtype.type(count)


def _number(x):
    """Of numbers alone there is no reduction."""
    if not isinstance(x, Value):
        raise Unsure("a reduction of a number")
    return x


def reduction(op):
    def function(x, axis=None, keepdims=False):
        x = _number(x)
        if op in ("any", "all"):
            x = each(lambda a: a != 0, x)
        if op in ("sum", "prod") and x.a.dtype not in FLOATS:
            x = cast(x, np.uint64 if x.a.dtype.kind == "u" else np.int64)
        axes = _axes(axis, x.a.ndim)
        return _dropped(_reduce(op, x, axes), axes, keepdims)

    return function


def mean(x, axis=None, keepdims=False):
    wide, dtype = _own(_number(x))
    axes = _axes(axis, wide.a.ndim)
    return _dropped(cast(_average(wide, axes), dtype), axes, keepdims)


def _variance(x, axis, ddof, keepdims, root):
    wide, dtype = _own(_number(x))
    axes = _axes(axis, wide.a.ndim)
    d = wide - _average(wide, axes)
    v = _average(d * d, axes, ddof)
    return _dropped(cast(each(np.sqrt, v) if root else v, dtype), axes, keepdims)


def var(x, axis=None, ddof=0, keepdims=False):
    return _variance(x, axis, ddof, keepdims, False)


def std(x, axis=None, ddof=0, keepdims=False):
    return _variance(x, axis, ddof, keepdims, True)


def norm(x, axis=None, keepdims=False):
    wide, dtype = _own(_number(x))
    axes = _axes(axis, wide.a.ndim)
    return _dropped(cast(each(np.sqrt, _reduce("sum", wide * wide, axes)), dtype), axes, keepdims)


def _exponentials(x, axis):
    wide, dtype = _own(_number(x))
    axes = _axes(axis, wide.a.ndim)
    less = wide - _reduce("max", wide, axes)
    exponentials = real("exp", less)
    return less, exponentials, _reduce("sum", exponentials, axes), dtype


def softmax(x, axis=-1):
    _, exponentials, total, dtype = _exponentials(x, axis)
    return cast(exponentials * each(np.reciprocal, total), dtype)


def log_softmax(x, axis=-1):
    less, _, total, dtype = _exponentials(x, axis)
    return cast(less - real("log", total), dtype)


def logsumexp(x, axis=None, keepdims=False):
    wide, dtype = _own(_number(x))
    axes = _axes(axis, wide.a.ndim)
    greatest = _reduce("max", wide, axes)
    greatest = each(lambda a: np.where(np.abs(a) < np.inf, a, a.dtype.type(0)), greatest)
    total = real("log", _reduce("sum", real("exp", wide - greatest), axes))
    return _dropped(cast(total + greatest, dtype), axes, keepdims)


def _normalised(wide, axes, eps, dtype, more):
    squares = _average(wide * wide, axes)
    result = wide * each(np.reciprocal, each(np.sqrt, squares + wide.a.dtype.type(eps)))
    for k, operand in enumerate(more):
        operand = cast(operand, wide.a.dtype)
        result = result + operand if k else result * operand
    return cast(result, dtype)


def _normal_types(x, more):
    """All in the type that they have together."""
    dtype = np.result_type(_number(x).a, *[o.a for o in more])
    return cast(x, dtype), more


def layer_norm(x, *more, axis=-1, eps=1e-5):
    x, more = _normal_types(x, more)
    wide, dtype = _own(x)
    axes = _axes(axis, wide.a.ndim)
    return _normalised(wide - _average(wide, axes), axes, eps, dtype, more)


def rms_norm(x, *more, axis=-1, eps=1e-5):
    x, more = _normal_types(x, more)
    wide, dtype = _own(x)
    return _normalised(wide, _axes(axis, wide.a.ndim), eps, dtype, more)


# ---------------------------------------------------------------------------------------------------------------------
# Views: docs/language.md

def view(value, function):
    lacks = any(len(leaf) < value.a.ndim or not all(leaf) for leaf in _number(value).leaves)
    return Value(function(value.a), near=value.near, dropped=value.dropped or lacks)


def _list(numbers):
    return (list(numbers[0]) if len(numbers) == 1 and isinstance(numbers[0], (tuple, list))
            else list(numbers))


def transpose(x, *order):
    return view(x, lambda a: a.transpose(_list(order) or None))


def reshape(x, *sizes):
    return view(x, lambda a: a.reshape([a.shape[d] if size == 0 else size
                                        for d, size in enumerate(_list(sizes))]))


def squeeze(x, *axes):
    return view(x, lambda a: np.squeeze(a, tuple(_list(axes)) if axes else None))


def flip(x, *axes):
    return view(x, lambda a: np.flip(a, tuple(_list(axes)) if axes else None))


def tile(x, *times):
    return view(x, lambda a: np.tile(a, _list(times)))


def broadcast_to(x, *sizes):
    def compute(a):
        wanted = _list(sizes)
        lead = len(wanted) - a.ndim
        return np.broadcast_to(a, [a.shape[d - lead] if s == -1 and d >= lead else s
                                   for d, s in enumerate(wanted)])
    return view(x, compute)


def concat(*operands, axis=0):
    parts = _list(operands)
    arrays = np.concatenate([_number(p).a for p in parts], axis)
    return Value(arrays, near=max(p.near for p in parts), dropped=any(p.dropped for p in parts))


def _widths(given, rank):
    """NumPy's forms, and the language's: a number for each side."""
    flat = isinstance(given, tuple) and all(isinstance(n, int) for n in given)
    return list(zip(given[::2], given[1::2])) if flat and len(given) == 2 * rank else given


def pad(x, *given, constant_values=0):
    """The language has the element in the second place."""
    element = given[0] if isinstance(given[0], Value) else Value(np.array(constant_values), [])
    numbers = given[1:] if isinstance(given[0], Value) else given
    widths = numbers[0] if len(numbers) == 1 else tuple(numbers)

    def compute(a):
        if (a.dtype not in FLOATS and np.array(constant_values).dtype in FLOATS
            or a.dtype == bool and constant_values not in (0, 1)):
            raise Unsure("pad cuts the number to the type")
        number = (np.array(constant_values, a.dtype) if element.a.ndim == 0
                  and element is not given[0] else element.a.reshape(()))
        if number.dtype != a.dtype:
            raise Unsure("pad of two types")
        return np.pad(a, _widths(widths, a.ndim), constant_values=number)

    return view(x, compute)


def nextafter(x, y):
    """Of equal operands the second, as in C. NumPy does so but in f16, where it is the first:
    another zero."""

    def compute(a, b):
        found = np.nextafter(a, b)
        return (np.where(a == b, b, found).astype(found.dtype) if found.dtype == np.float16
                else found)

    return each(compute, x, y)


# ---------------------------------------------------------------------------------------------------------------------
# Names

UNARY = ["abs", "absolute", "fabs", "sign", "square", "floor", "ceil", "trunc", "fix", "rint",
         "sqrt", "isnan", "isinf", "isfinite",
         "logical_not", "ones_like", "zeros_like"]
BINARY = ["fmod", "remainder", "logical_and", "logical_or", "logical_xor", "nextafter"]
REDUCERS = {"sum": reduction("sum"), "prod": reduction("prod"), "any": reduction("any"),
            "all": reduction("all"), "mean": mean,
            "var": var, "std": std, "norm": norm, "logsumexp": logsumexp,
            "max": extreme_or_reduction(maximum, "max"),
            "min": extreme_or_reduction(minimum, "min"),
            "amax": reduction("max"), "amin": reduction("min")}
NORMS = {"softmax": softmax, "log_softmax": log_softmax, "layer_norm": layer_norm,
         "rms_norm": rms_norm}
MOVERS = {"transpose": transpose, "permute": transpose, "reshape": reshape, "squeeze": squeeze,
          "flip": flip, "tile": tile,
          "swapaxes": lambda x, a, b: view(x, lambda y: y.swapaxes(a, b)),
          "broadcast_to": broadcast_to,
          "expand_dims": lambda x, at: view(x, lambda y: np.expand_dims(y, at)),
          "unsqueeze": lambda x, at: view(x, lambda y: np.expand_dims(y, at)),
          "concat": concat, "cat": concat, "concatenate": concat, "pad": pad}
CASTS = {name: to_type(dtype, np.rint) for name, dtype in TYPES.items()}
CASTS |= {np.dtype(dtype).name: to_type(dtype, np.trunc) for dtype in TYPES.values()}


def _plain(ufunc):
    return lambda *operands: each(ufunc, *operands)


def _of_arrays(function):
    """Of numbers alone NumPy's functions give a scalar with a type, which is a number here."""

    def call(*operands, **keywords):
        if not any(isinstance(o, (Value, list, tuple)) for o in operands):
            raise Unsure("a function of numbers")
        return function(*operands, **keywords)

    return call


NAMES = {**{name: _plain(getattr(np, name)) for name in UNARY + BINARY
            if name not in ("ones_like", "zeros_like")},
         **{name: _plain(getattr(np, name)) for name in ("ones_like", "zeros_like")},
         **{name: (lambda *operands, name=name: real(name, *operands))
            for name in REALS if name != "power"},
         **{name: written(function) for name, function in WRITTEN.items()},
         "round": lambda x: each(np.round, x), "copysign": no_nan(np.copysign), "signbit": signbit,
         "conj": conj,
         "reciprocal": reciprocal, "power": power, "floor_divide": floor_divide,
         "nextafter": nextafter,
         "maximum": maximum, "minimum": minimum, "fmax": fmax, "fmin": fmin, "where": where,
         "select": where, "clip": clip,
         "relu": lambda x: maximum(x, 0), **CASTS, **MOVERS, **NORMS, **REDUCERS,
         "pi": math.pi, "e": math.e, "inf": math.inf, "nan": math.nan, "true": True, "false": False}


NAMES = {name: _of_arrays(f) if callable(f) and name not in CASTS else f
         for name, f in NAMES.items()}


class _Choices(ast.NodeTransformer):
    """a if c else b is where."""

    def visit_IfExp(self, node):
        self.generic_visit(node)
        return ast.Call(ast.Name("where", ast.Load()), [node.test, node.body, node.orelse], [])


_compiled = {}


def _code(text):
    """Each statement as its name, or None, and code; which of them are results."""
    if text in _compiled:
        return _compiled[text]
    body = ast.parse(text).body
    statements, results = [], []
    for k, node in enumerate(body):
        name = node.targets[0].id if isinstance(node, ast.Assign) else None
        read = [n.id for later in body[k + 1:] for n in ast.walk(later.value)
                if isinstance(n, ast.Name)]
        expression = ast.fix_missing_locations(ast.Expression(_Choices().visit(node.value)))
        statements.append((name, compile(expression, "<text>", "eval")))
        results.append(name is None or name not in read)
    if len(_compiled) > 5000:
        _compiled.clear()
    _compiled[text] = statements, results
    return statements, results


def evaluate(text, operands, accuracy=ACCURACIES[0]):
    """The results, as a list of Values or numbers. Operands are arrays, or numbers, which are
    weak."""
    global _accuracy
    _accuracy = accuracy
    values = dict(NAMES)
    for name, operand in operands.items():
        is_array = isinstance(operand, np.ndarray)
        values[name] = (Value(operand) if is_array
                        else operand.item() if isinstance(operand, np.generic) else operand)
    found = []
    with np.errstate(all="ignore"):
        statements, results = _code(text)
        for (name, code), is_result in zip(statements, results):
            value = eval(code, {"__builtins__": {}}, values)
            if name:
                values[name] = value
            if is_result:
                found.append(value)
    return found

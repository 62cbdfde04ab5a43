# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NumPy's functions over arrays of a trace, with NumPy's arguments and results. Where an argument
is none that a kernel can have, they raise Left, and NumPy does it."""
from __future__ import annotations

import operator
import sys

from . import _arithmetic
from ._arithmetic import FLOATS, INTEGERS, WIDTH, Value
from ._array import Array, Left, Number, Trace, broadcast, dtype_name, left, plain
from ._orders import C, Orders
from ._views import at_places

TYPE_CHECKING = False  # module typing takes longer to load than everything else here
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

FUNCTIONS: Dict[str, Callable[..., Any]] = {}
_NOTHING: Any = object()  # where None is an array of an object to NumPy
REDUCERS = set("argmax argmin sum prod max min amax amin any all mean var std nansum nanprod "
               "nanmean nanvar nanstd nanmax nanmin".split())
REDUCED = {"add": "sum", "multiply": "prod", "maximum": "max", "minimum": "min",
           "logical_and": "all", "logical_or": "any"}


def function(*names: str) -> Callable[[Any], Any]:
    def add(made: Any) -> Any:
        FUNCTIONS.update(dict.fromkeys(names or (made.__name__.strip("_"),), made))
        return made
    return add


def trace_of(*objects: Any) -> Trace:
    for a in objects:
        if type(a) is Array or type(a) is Number:
            return a.program
        if isinstance(a, (list, tuple)):
            try:
                return trace_of(*a)
            except Left:
                continue
    return left("no array of the trace")


def arrays(*objects: Any) -> List[Array]:
    t = trace_of(*objects)
    return [t.array(a) for a in objects]


def is_ufunc(ufunc: Any) -> bool:
    """True if NumPy has this very ufunc by its name."""
    name = ufunc.__name__
    return (getattr(sys.modules["numpy"], name, None) is ufunc
            or getattr(sys.modules.get("scipy.special"), name, None) is ufunc)


def name_of(called: Any) -> Optional[str]:
    import numpy
    name = getattr(called, "__name__", "")
    if getattr(numpy, name, None) is called:
        return name if name in FUNCTIONS else None
    return "norm" if called is numpy.linalg.norm else None


# ------------------------------------------------------------------------------------------------
# Element by element

_UFUNCS = ("exp exp2 expm1 log log1p log2 log10 sqrt cbrt sin cos tan arcsin arccos arctan sinh "
           "cosh tanh arcsinh arccosh arctanh floor ceil rint"
           " trunc sign absolute fabs signbit reciprocal negative positive square isnan isinf "
           "isfinite invert bitwise_not logical_not degrees"
           " radians rad2deg deg2rad conjugate conj maximum minimum fmax fmin copysign nextafter "
           "arctan2 hypot power add subtract multiply divide"
           " true_divide floor_divide remainder mod fmod logaddexp logaddexp2 logical_and "
           "logical_or logical_xor bitwise_and bitwise_or bitwise_xor"
           " left_shift right_shift equal not_equal greater greater_equal less less_equal").split()


def _elementwise(name: str) -> Callable[..., Any]:
    least, most, make = _arithmetic.FUNCTIONS[name]

    def call(*operands: Any) -> Any:
        if not least <= len(operands) <= most:
            left(f"{name} takes {least} arguments")
        t = trace_of(*operands)
        given = [t.operand(a) for a in operands]
        if Array not in map(type, given) and not t.loose:
            given = [t.array(a) for a in given]
        if name in ("conj", "conjugate", "reciprocal") and given[0].value.type == "i1":
            return t.leave(_numpy(name), given, {})
        return t.apply(make, *given)

    call.__name__ = name
    return call


for _name in _UFUNCS:
    FUNCTIONS[_name] = _elementwise(_name)
FUNCTIONS.update(abs=FUNCTIONS["absolute"], pow=FUNCTIONS["power"], acos=FUNCTIONS["arccos"],
                 acosh=FUNCTIONS["arccosh"], asin=FUNCTIONS["arcsin"],
                 asinh=FUNCTIONS["arcsinh"], atan=FUNCTIONS["arctan"], atanh=FUNCTIONS["arctanh"],
                 atan2=FUNCTIONS["arctan2"],
                 bitwise_left_shift=FUNCTIONS["left_shift"],
                 bitwise_right_shift=FUNCTIONS["right_shift"], bitwise_invert=FUNCTIONS["invert"])
for _name, _word in (("erf", "erf"), ("erfc", "erfc"), ("expit", "sigmoid")):
    FUNCTIONS[_name] = _elementwise(_word)


def _floating(x: Any) -> Array:
    """As the type in which NumPy's functions of reals compute."""
    x, = arrays(x)
    return astype(x, "f64") if x.value.type in INTEGERS or x.value.type == "i1" else x


@function()
def astype(a: Any, dtype: Any, order: str = "K", casting: str = "unsafe", subok: bool = True,
           copy: bool = True, device: Any = None) -> Array:
    x, = arrays(a)
    own = dtype if dtype in ("f16", "f32", "f64") else dtype_name(dtype)
    if not _arithmetic.may_cast(x.value.type, own, casting):
        left(f"casting={casting!r}")
    if not copy and own == x.value.type:
        return x if order == "K" else left("astype may give the array itself")
    value = x.program.text.array(x.value)
    value = _arithmetic.astype(x.program.text, value, own)
    made = Array(x.program, x.program.text.name(Value(value.text, own, places=x.value.places)),
                 x.sizes, mask=x.mask)
    made.stays = x.stays
    return (made if x.mask is not None or not x.value.rank
            else x.program.note(made, Orders.join, [x.program.order(x)]))


@function()
def where(condition: Any, *values: Any) -> Any:
    if len(values) != 2:
        return trace_of(condition, *values).leave(_numpy("where"), (condition, *values), {})
    return _staying(_chosen(condition, *values))


def _chosen(condition: Any, *values: Any) -> Array:
    """The same, and a scalar where there are no dimensions."""
    t = trace_of(condition, *values)
    operands = [t.operand(a) for a in values]
    if not any(isinstance(a, Array) for a in operands):
        operands = [t.array(a) for a in operands]
    return t.apply(_arithmetic.FUNCTIONS["where"][2], t.array(condition), *operands)


def _numpy(name: str) -> Any:
    import numpy
    return getattr(numpy, name)


@function()
def clip(a: Any, a_min: Any = None, a_max: Any = None, *, min: Any = None,
         max: Any = None) -> Array:
    if (min is not None or max is not None) and (a_min is not None or a_max is not None):
        left("limits of clip, by both their names")
    low, high = (a_min if min is None else min), (a_max if max is None else max)
    t = trace_of(a, low, high)
    bounds = [None if bound is None else t.operand(bound) for bound in (low, high)]
    return t.apply(_arithmetic.FUNCTIONS["clip"][2], t.array(a), *bounds)


@function("round", "around", "round_")
def round_(a: Any, decimals: Any = 0) -> Array:
    x, = arrays(a)
    digits = operator.index(decimals)
    if digits == 0 or x.value.type not in FLOATS and digits > 0:
        return (x.program.apply(_arithmetic.FUNCTIONS["round"][2], x)
                if x.value.type in FLOATS + ("i1",) else _scalar(copy(x)))
    if x.value.type not in FLOATS:
        left("round of integers to tens")
    factor = 10.0 ** abs(digits)
    return (FUNCTIONS["rint"](x * factor) / factor if digits > 0
            else FUNCTIONS["rint"](x / factor) * factor)


@function()
def fix(x: Any) -> Array:
    return FUNCTIONS["trunc"](x)


@function()
def copy(a: Any, order: str = "K", subok: bool = False) -> Array:
    x, = arrays(a)
    return _staying(_of_order(Array(x.program, x.value, x.sizes, mask=x.mask), x))


def _of_order(made: Array, x: Array) -> Array:
    made.order = x.order
    return made


def _like_scalar(made: Array, x: Array) -> Array:
    made.stays = x.stays
    return made


def _like(x: Array) -> Array:
    return _of_order(Array(x.program, x.value, x.sizes, mask=x.mask), x)


def _in_order(made: Array, order: str) -> Array:
    made.order = C if order == "C" else None
    return made


def _staying(made: Array) -> Array:
    """An array, also where it has no dimension."""
    made.stays = True
    return made


def _scalar(made: Array) -> Array:
    made.stays = False
    return made


@function("real", "ascontiguousarray", "asarray", "asanyarray", "array", "require", "asfarray")
def real(val: Any, dtype: Any = None, **keywords: Any) -> Array:
    x, = arrays(val)
    if any(keywords.get(key) not in (None, "K", "A", "C", True, False) for key in keywords):
        left("an argument of array")
    return x if dtype is None else astype(x, dtype)


@function("imag")
def imag(val: Any) -> Array:
    return zeros_like(val)


@function()
def angle(z: Any, deg: bool = False) -> Array:
    found = FUNCTIONS["arctan2"](0, z)
    return found * (180 / 3.141592653589793) if deg else found


@function()
def sinc(x: Any) -> Array:
    y = 3.141592653589793 * arrays(x)[0]
    least = {"f16": 0.0009765625,
             "f32": 1.1920928955078125e-07}.get(y.value.type, 2.220446049250313e-16)
    y = _chosen(y == 0, least, y)
    return FUNCTIONS["sin"](y) / y


@function()
def heaviside(x1: Any, x2: Any) -> Array:
    t = trace_of(x1, x2)
    own = t.text.floating(t.value(t.operand(x1)), t.value(t.operand(x2)))
    x, h = (astype(t.array(a), own) if own in ("f16", "f32", "f64") else t.array(a)
            for a in (x1, x2))
    return _chosen(x == 0, h, _chosen(x < 0, 0.0, _chosen(x > 0, 1.0, x)))


@function("divmod")
def divmod_(x1: Any, x2: Any) -> Tuple[Array, Array]:
    return FUNCTIONS["floor_divide"](x1, x2), FUNCTIONS["remainder"](x1, x2)


@function()
def modf(x: Any) -> Tuple[Array, Array]:
    x = _least_float(x)
    whole = FUNCTIONS["trunc"](x)
    rest = _chosen(FUNCTIONS["isinf"](x), 0.0, x - whole)
    return FUNCTIONS["copysign"](rest, x), whole


def _least_float(x: Any) -> Array:
    x, = arrays(x)
    return astype(x, _arithmetic.least_float(x.value.type)) if x.value.type not in FLOATS else x


@function()
def float_power(x1: Any, x2: Any) -> Array:
    x, y = arrays(x1, x2)
    return FUNCTIONS["power"](astype(x, "f64"), astype(y, "f64"))


@function()
def isposinf(x: Any) -> Array:
    x, = arrays(x)
    return FUNCTIONS["isinf"](x) & ~FUNCTIONS["signbit"](x)


@function()
def isneginf(x: Any) -> Array:
    x, = arrays(x)
    return FUNCTIONS["isinf"](x) & FUNCTIONS["signbit"](x)


@function()
def isreal(x: Any) -> Array:
    return _scalar(full_like(x, True, "bool"))


@function()
def iscomplex(x: Any) -> Array:
    return _scalar(full_like(x, False, "bool"))


@function()
def isclose(a: Any, b: Any, rtol: Any = 1e-5, atol: Any = 1e-8, equal_nan: Any = False) -> Array:
    x, y = arrays(a, b)
    if y.value.type not in FLOATS:
        y = astype(y, "f64")
    near = FUNCTIONS["less_equal"](FUNCTIONS["absolute"](x - y),
                                   atol + rtol
                                   * FUNCTIONS["absolute"](y)) & FUNCTIONS["isfinite"](y) | (x == y)
    return near | (FUNCTIONS["isnan"](x) & FUNCTIONS["isnan"](y)) if plain(equal_nan) else near


@function()
def allclose(a: Any, b: Any, rtol: Any = 1e-5, atol: Any = 1e-8, equal_nan: Any = False) -> Array:
    found = all_(isclose(a, b, rtol, atol, equal_nan))
    return found.program.number(found)


@function()
def array_equal(a1: Any, a2: Any, equal_nan: bool = False) -> Any:
    x, y = arrays(a1, a2)
    if x.ndim != y.ndim or x.shape != y.shape:
        return False
    same = x == y
    return x.program.number(all_(same | (FUNCTIONS["isnan"](x) & FUNCTIONS["isnan"](y)) if equal_nan
                                 else same))


@function()
def nan_to_num(x: Any, copy: bool = True, nan: Any = 0.0, posinf: Any = None,
               neginf: Any = None) -> Array:
    x, = arrays(x)
    if not copy:
        left("nan_to_num in place")
    if x.value.type not in FLOATS:
        return _scalar(copy(x)) if not x.value.rank else _like(x)
    most = {"f16": 65504.0, "f32": 3.4028234663852886e38}.get(x.value.type, 1.7976931348623157e308)
    return _chosen(FUNCTIONS["isnan"](x), nan, _chosen(isposinf(x),
                                                       most if posinf is None else posinf,
                                                   _chosen(isneginf(x), -most if neginf is None
                                                           else neginf, x)))


@function()
def logit(x: Any) -> Array:
    x = _least_float(x)
    return FUNCTIONS["log"](x / (1 - x))


@function()
def xlogy(x: Any, y: Any) -> Array:
    x, y = arrays(x, y)
    return _chosen((x == 0) & ~FUNCTIONS["isnan"](y), 0.0, x * FUNCTIONS["log"](_floating(y)))


@function()
def xlog1py(x: Any, y: Any) -> Array:
    x, y = arrays(x, y)
    return _chosen((x == 0) & ~FUNCTIONS["isnan"](y), 0.0, x * FUNCTIONS["log1p"](_floating(y)))


@function()
def select(condlist: Any, choicelist: Any, default: Any = 0) -> Array:
    if not isinstance(condlist, (list, tuple)) or len(condlist) != len(choicelist) or not condlist:
        left("select takes lists")
    t = trace_of(condlist, choicelist, default)
    choices = [t.operand(a) for a in choicelist] + [t.operand(default)]
    if not any(isinstance(a, Array) for a in choices):
        choices = [t.array(a) for a in choices]
    own = t.text.common(*[t.value(a) for a in choices])
    made = choices[-1]
    for condition, choice in zip(reversed(condlist), reversed(choices[:-1])):
        if arrays(t.array(condition))[0].value.type != "i1":
            left("conditions of select are bools")
        made = where(condition, choice, made)
    found = t.array(made)
    return astype(found, found.dtype) if found.value.type == own else left("types of select")


# ------------------------------------------------------------------------------------------------
# Reductions

def _axis_error(axis: int, rank: int) -> Exception:
    """NumPy's, where there is one."""
    try:
        from numpy.exceptions import AxisError
    except ImportError:
        return IndexError(f"axis {axis} is out of bounds for array of dimension {rank}")
    return AxisError(axis, rank)


def axes_of(x: Array, axis: Any) -> List[int]:
    if axis is None:
        return list(range(x.ndim))
    found = [operator.index(k) for k in (axis if isinstance(axis, (tuple, list)) else (axis,))]
    for k in found:
        if not -x.ndim <= k < x.ndim:
            raise _axis_error(k, x.ndim)
    found = [k % x.ndim for k in found]
    if len(set(found)) < len(found):
        raise ValueError("duplicate value in 'axis'")
    return found


def _reduced(name: str, x: Array, axes: Sequence[int], keepdims: Any, dtype: str,
             **keys: Any) -> Array:
    if keepdims is None or isinstance(keepdims, str):
        left("keepdims is no truth")
    return x.program.reduce(name, [x], axes, bool(keepdims), dtype, **keys)


def _summed(name: str, a: Any, axis: Any, dtype: Any, keepdims: Any, initial: Any,
            where_: Any) -> Array:
    x, = arrays(a)
    neutral = 0 if name == "sum" else 1
    own = x.value.type
    wide = (dtype_name(dtype) if dtype is not None else own if own in FLOATS
            else "u64" if own[0] == "u" else "i64")
    if wide not in FLOATS + ("i64", "u64") and not (wide == own and wide == "i32"):
        left(f"{name} in {wide}")
    if where_ is not True:
        x = _chosen(where_, x, neutral)
    made = _reduced(name, _as(x, wide), axes_of(x, axis), keepdims, wide)
    if initial is not None:
        kind = _kind(initial)
        if kind == "f" and wide not in FLOATS:
            left("an initial of another type")
        made = made + initial if name == "sum" else made * initial
        if made.value.type != wide:
            made = _as(made, wide)
    return made


def _kind(a: Any) -> str:
    a = a.number if isinstance(a, Number) else a
    return ("b" if isinstance(a, bool) else "i" if isinstance(a, int)
            else "f" if isinstance(a, float) else left("an initial of another type"))


def _as(x: Array, own: str) -> Array:
    if x.value.type == own:
        return x
    from ._array import DTYPES
    return astype(x, DTYPES[own])


@function("sum")
def sum_(a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = False, initial: Any = None,
         where: Any = True) -> Array:
    return _summed("sum", a, axis, dtype, keepdims, initial, where)


@function()
def prod(a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = False, initial: Any = None,
         where: Any = True) -> Array:
    return _summed("prod", a, axis, dtype, keepdims, initial, where)


def _extreme(name: str, two: str) -> Any:
    def call(a: Any, axis: Any = None, keepdims: Any = False, initial: Any = None,
             where: Any = True) -> Array:
        x, = arrays(a)
        own = x.value.type
        if where is not True:
            if initial is None:
                left(f"{name} with where= needs initial=")
            x = _chosen(where, x, initial)
        if initial is not None and (_kind(initial) == "f" and own not in FLOATS or own == "i1"):
            left("an initial of another type")
        made = _reduced(name, x, axes_of(x, axis), keepdims, own)
        return made if initial is None else FUNCTIONS[two](made, initial)
    call.__name__ = name
    return call


FUNCTIONS.update(max=_extreme("max", "maximum"), min=_extreme("min", "minimum"))
FUNCTIONS.update(amax=FUNCTIONS["max"], amin=FUNCTIONS["min"])


def _place(name: str) -> Any:
    def call(a: Any, axis: Any = None, out: Any = None, *, keepdims: Any = False) -> Array:
        x, = arrays(a)
        if out is not None or not x.ndim:
            left(f"an argument of {name}")
        axes = list(range(x.ndim)) if axis is None else axes_of(x, operator.index(axis))
        return x.program.place(name, x, axes, bool(keepdims))
    call.__name__ = name
    return call


FUNCTIONS.update(argmax=_place("argmax"), argmin=_place("argmin"))


def _scanned(name: str) -> Any:
    """Sums and products of integers are of 64 bits, as NumPy's are. Along no axis an array is one
    row."""
    adds = name in ("cumsum", "cumprod")

    def call(a: Any, axis: Any = None, dtype: Any = None) -> Array:
        x, = arrays(a)
        own = x.value.type
        wide = (dtype_name(dtype) if dtype is not None else own if not adds or own in FLOATS
                else "u64" if own[0] == "u" else "i64")
        if (wide == "i1" or wide not in FLOATS and (name == "logcumsumexp"
                                                    or adds
                                                    and wide not in ("i32", "i64", "u32", "u64"))):
            left(f"{name} in {wide}")
        if axis is None or not x.ndim and axis in (0, -1):  # NumPy takes a number as a row of one
            x, axis = FUNCTIONS["reshape"](x, -1), 0
        return x.program.scan(name, _as(x, wide), axes_of(x, operator.index(axis))[0], wide)
    call.__name__ = name
    return call


# Functions of NumPy, and what accumulate of its ufuncs is.
FUNCTIONS.update(cumsum=_scanned("cumsum"), cumprod=_scanned("cumprod"))
SCATTERED = {"add": "scatter_add", "maximum": "scatter_max", "minimum": "scatter_min"}
ACCUMULATED = {"add": "cumsum", "multiply": "cumprod", "maximum": "cummax", "minimum": "cummin",
               "logaddexp": "logcumsumexp"}
SCANS = {name: _scanned(name) for name in ACCUMULATED.values()}


def _cumulative(name: str) -> Any:
    def call(x: Any, *, axis: Any = None, dtype: Any = None, include_initial: Any = False) -> Array:
        a, = arrays(x)
        if include_initial or axis is None and a.ndim != 1:
            left(f"an argument of {name}")
        return SCANS[name](a, axis, dtype)
    call.__name__ = name
    return call


FUNCTIONS.update(cumulative_sum=_cumulative("cumsum"), cumulative_prod=_cumulative("cumprod"))


@function()
def take(a: Any, indices: Any, axis: Any = None, out: Any = None, mode: Any = "raise") -> Any:
    import numpy
    t = trace_of(a, indices)
    try:
        x, index = arrays(a, indices)
        if mode == "raise" and x.ndim and index.ndim:
            return t.take(x, index, None if axis is None else axes_of(x, operator.index(axis))[0])
    except (Left, TypeError):
        pass
    return t.leave(numpy.take, (a, indices), {"axis": axis, "mode": mode})


@function()
def put_along_axis(arr: Any, indices: Any, values: Any, axis: Any) -> None:
    t = trace_of(arr, indices, values)
    x, index = arrays(arr, indices)
    if axis is None or index.ndim != x.ndim or not isinstance(arr, Array):
        left("put_along_axis along no axis")
    at, = axes_of(x, operator.index(axis))
    new = broadcast_to(t.array(values), index.shape)
    # Moved are others, which are no views of the array that changes.
    moved = [moveaxis(Array(t, a.value, a.sizes), at, 0) if at else a for a in (x, index, new)]
    made = t.scatter("scatter", *moved)
    x.assign(moveaxis(made, 0, at) if at else made, "unsafe")


def _truth(name: str) -> Any:
    def call(a: Any, axis: Any = None, keepdims: Any = False, where: Any = True) -> Array:
        x, = arrays(a)
        if where is not True:
            x = _chosen(where, x != 0, name == "all")
        value = Value(x.program.text.truth(x.value), "i1", places=x.value.places)
        x = x.program.note(Array(x.program, x.program.text.name(value), x.sizes, mask=x.mask),
                           Orders.same, x.program.order(x))
        return _reduced(name, x, axes_of(x, axis), keepdims, "i1")
    call.__name__ = name
    return call


FUNCTIONS.update(any=_truth("any"), all=_truth("all"))
all_ = FUNCTIONS["all"]


@function()
def mean(a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = False,
         where: Any = True) -> Array:
    x, = arrays(a)
    own = (dtype_name(dtype) if dtype is not None else x.value.type if x.value.type in FLOATS
           else "f64")
    if own not in FLOATS:
        left("a mean in integers")
    if where is not True:
        return sum_(_as(x, own), axis, None, keepdims, None,
                    where) / _counted(where, x, axis, keepdims, own)
    return _reduced("mean", _as(x, own), axes_of(x, axis), keepdims, own)


def _counted(mask: Any, x: Array, axis: Any, keepdims: Any, own: str) -> Array:
    """How many elements are meant, as floats."""
    chosen = _chosen(mask, full_like(x, 1, "float64"), 0.0)
    return _as(sum_(chosen, axis, None, keepdims), own)


def _spread_of(name: str) -> Any:
    def call(a: Any, axis: Any = None, dtype: Any = None, ddof: Any = 0, keepdims: Any = False,
             where: Any = True, mean: Any = None,
             correction: Any = None) -> Array:
        x, = arrays(a)
        own = (dtype_name(dtype) if dtype is not None else x.value.type if x.value.type in FLOATS
               else "f64")
        if own not in FLOATS or mean is not None or where is not True:
            left(f"an argument of {name}")
        ddof = plain(ddof if correction is None else correction)
        return _reduced(name, _as(x, own), axes_of(x, axis), keepdims, own,
                        **({"ddof": ddof} if ddof else {}))
    call.__name__ = name
    return call


FUNCTIONS.update(var=_spread_of("var"), std=_spread_of("std"))


@function()
def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: Any = False) -> Array:
    """numpy.linalg.norm of vectors, and Frobenius'."""
    x, = arrays(x)
    if (ord is not None and not (ord == 2 and (isinstance(axis, int)
                                               or axis is None and x.ndim == 1))):
        return x.program.leave(_numpy("linalg").norm, (x, ord, axis, keepdims), {})
    x = _floating(x)
    return FUNCTIONS["sqrt"](sum_(x * x, axis, None, keepdims))


@function()
def count_nonzero(a: Any, axis: Any = None, *, keepdims: Any = False) -> Array:
    x, = arrays(a)
    found = sum_(x != 0 if x.value.type != "i1" else x, axis, None, keepdims)
    import numpy
    return (x.program.number(found) if axis is None and not keepdims
            and type(numpy.count_nonzero([1])) is int else found)


@function()
def ptp(a: Any, axis: Any = None, keepdims: Any = False) -> Array:
    return FUNCTIONS["max"](a, axis, keepdims) - FUNCTIONS["min"](a, axis, keepdims)


@function()
def average(a: Any, axis: Any = None, weights: Any = None, returned: bool = False, *,
            keepdims: Any = False) -> Any:
    if returned:
        left("average with returned=")
    if 0 in (arrays(a)[0].sizes or ()):
        arrays(a)[0].program.misfit("an average of nothing")
    if weights is None:
        return mean(a, axis, None, keepdims)
    x, w = arrays(a, weights)
    if w.ndim != x.ndim:
        if w.ndim != 1 or not isinstance(axis, int):
            left("weights of another shape")
        w = w[tuple(slice(None) if k == axis % x.ndim else None for k in range(x.ndim))]
    t = x.program
    own = t.text.common(x.value, w.value)
    own = own if own in FLOATS else "f64"
    if x.value.type not in FLOATS:
        own = _arithmetic.promote(own, "f64")
    x, w = _as(x, own), _as(w, own)
    scale = sum_(broadcast_to(w, x.shape) if w.sizes != x.sizes else w, axis, None, keepdims)
    return sum_(x * w, axis, None, keepdims) / scale


def _no_nan(x: Array, instead: Any) -> Array:
    return _chosen(FUNCTIONS["isnan"](x), instead, x) if x.value.type in FLOATS else x


@function()
def nansum(a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = False, initial: Any = None,
           where: Any = True) -> Array:
    return _summed("sum", _no_nan(*arrays(a), 0.0), axis, dtype, keepdims, initial, where)


@function()
def nanprod(a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = False, initial: Any = None,
            where: Any = True) -> Array:
    return _summed("prod", _no_nan(*arrays(a), 1.0), axis, dtype, keepdims, initial, where)


@function()
def nanmean(a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = False,
            where: Any = True) -> Array:
    x, = arrays(a)
    if x.value.type not in FLOATS:
        return mean(x, axis, dtype, keepdims, where)
    if where is not True:
        left("nanmean with where=")
    x = x if dtype is None else astype(x, dtype)
    wide = _as(x, "f32") if x.value.type == "f16" else x
    return _as(sum_(_no_nan(wide, 0.0), axis, None, keepdims)
               / _counted(~FUNCTIONS["isnan"](wide), wide, axis, keepdims, wide.value.type),
               x.value.type)


def _nan_spread(name: str) -> Any:
    def call(a: Any, axis: Any = None, dtype: Any = None, ddof: Any = 0, keepdims: Any = False,
             where: Any = True, mean: Any = None,
             correction: Any = None) -> Array:
        x, = arrays(a)
        if x.value.type not in FLOATS:
            return FUNCTIONS[name[3:]](x, axis, dtype, ddof, keepdims, where, mean, correction)
        if where is not True or mean is not None or dtype is not None or x.value.type == "f16":
            left(f"an argument of {name}")
        own, ddof = x.value.type, plain(ddof if correction is None else correction)
        missing = FUNCTIONS["isnan"](x)
        less = _chosen(missing, 0.0, x - nanmean(x, axis, None, True))
        count = _counted(~missing, x, axis, keepdims, own) - ddof
        made = _chosen(count <= 0, float("nan"), sum_(less * less, axis, None, keepdims) / count)
        return FUNCTIONS["sqrt"](made) if name == "nanstd" else made
    call.__name__ = name
    return call


FUNCTIONS.update(nanvar=_nan_spread("nanvar"), nanstd=_nan_spread("nanstd"))


def _nan_extreme(name: str, far: float) -> Any:
    def call(a: Any, axis: Any = None, keepdims: Any = False, initial: Any = None,
             where: Any = True) -> Array:
        x, = arrays(a)
        if x.value.type not in FLOATS:
            return FUNCTIONS[name](x, axis, keepdims, initial, where)
        if initial is not None or where is not True:
            left(f"an argument of nan{name}")
        missing = FUNCTIONS["isnan"](x)
        made = FUNCTIONS[name](_chosen(missing, far, x), axis, keepdims)
        return _chosen(all_(missing, axis, keepdims), float("nan"), made)
    call.__name__ = name
    return call


FUNCTIONS.update(nanmax=_nan_extreme("max", float("-inf")),
                 nanmin=_nan_extreme("min", float("inf")))


@function("trapezoid", "trapz")
def trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: Any = -1) -> Array:
    y = trace_of(y, x).array(y)
    axis, = axes_of(y, axis)
    if x is None:
        d: Any = dx
    else:
        d = diff(x, axis=0 if y.program.array(x).ndim == 1 else axis)
        if d.ndim == 1 != y.ndim:
            d = d[tuple(slice(None) if k == axis else None for k in range(y.ndim))]
    return sum_(d * (_part(y, axis, 1, None) + _part(y, axis, None, -1)) / 2.0, axis)


def _part(x: Array, axis: int, start: Any, stop: Any) -> Array:
    return x[tuple(slice(start, stop) if k == axis else slice(None) for k in range(x.ndim))]


@function()
def diff(a: Any, n: Any = 1, axis: Any = -1, prepend: Any = _NOTHING,
         append: Any = _NOTHING) -> Array:
    x, = arrays(a)
    if prepend is not _NOTHING or append is not _NOTHING or not x.ndim:
        left("an argument of diff")
    axis, = axes_of(x, axis)
    for _ in range(operator.index(n)):
        late, early = _part(x, axis, 1, None), _part(x, axis, None, -1)
        x = late != early if x.value.type == "i1" else late - early
    return x


@function("dot", "inner", "vdot")
def dot(a: Any, b: Any) -> Array:
    x, y = arrays(a, b)
    if not x.ndim or not y.ndim:
        return x * y
    if x.ndim != 1 or y.ndim != 1:
        return x.program.leave(_numpy("dot"), (x, y), {})
    return matmul(x, y)


@function()
def matmul(x1: Any, x2: Any) -> Array:
    x, y = arrays(x1, x2)
    if x.ndim != 1 or y.ndim != 1:
        return x.program.leave(_numpy("matmul"), (x, y), {})
    own = x.program.text.common(x.value, y.value)
    if own == "i1":
        return FUNCTIONS["any"](x & y)
    if own not in ("f32", "f64", "i64", "i32") or x.shape != y.shape:
        left(f"a product of rows of {own}")
    return _reduced("sum", _as(x, own) * _as(y, own), [0], False, own)


@function()
def outer(a: Any, b: Any) -> Array:
    x, y = arrays(a, b)
    return ravel(x)[:, None] * ravel(y)[None, :]


# ------------------------------------------------------------------------------------------------
# Views

@function()
def transpose(a: Any, *axes: Any) -> Array:
    x, = arrays(a)
    given = (axes[0] if len(axes) == 1 and (axes[0] is None or isinstance(axes[0], (tuple, list)))
             else axes or None)
    order = list(range(x.ndim))[::-1] if given is None else axes_of(x, tuple(given))
    if len(order) != x.ndim:
        raise ValueError("axes don't match array")
    t = x.program
    t.settled()
    made = x._view(t.text.transpose(t.text.array(x.value), order),
                   None if x.sizes is None else tuple(x.sizes[k] for k in order))
    return t.note(made, Orders.turned, t.order(x), order)


@function("permute_dims")
def permute_dims(a: Any, axes: Any = None) -> Array:
    return transpose(a, axes)


@function("matrix_transpose")
def matrix_transpose(x: Any) -> Array:
    return swapaxes(x, -1, -2)


@function()
def swapaxes(a: Any, axis1: Any, axis2: Any) -> Array:
    x, = arrays(a)
    (i,), (j,) = axes_of(x, axis1), axes_of(x, axis2)
    order = list(range(x.ndim))
    order[i], order[j] = j, i
    return transpose(x, order)


@function()
def moveaxis(a: Any, source: Any, destination: Any) -> Array:
    x, = arrays(a)
    origin, to = axes_of(x, source), axes_of(x, destination)
    if len(origin) != len(to):
        left("moveaxis takes as many axes")
    order = [k for k in range(x.ndim) if k not in origin]
    for place, axis in sorted(zip(to, origin)):
        order.insert(place, axis)
    return transpose(x, order)


@function()
def rollaxis(a: Any, axis: Any, start: Any = 0) -> Any:
    return left("rollaxis is no kernel's")


@function()
def reshape(a: Any, *shape: Any, order: str = "C", copy: Any = None, newshape: Any = None) -> Array:
    x, = arrays(a)
    given = shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
    wanted = [operator.index(n) for n in given]
    if not wanted and not x.ndim:
        return x
    if (order not in ("C", "A") or not wanted or 0 in wanted or wanted.count(-1) > 1
        or newshape is not None):
        left("an argument of reshape")
    if x.sizes is None or x.mask is not None:
        x.program.misfit("sizes that do not fit")
    total, rest = 1, 1
    for n in x.sizes:
        total *= n
    for n in wanted:
        rest *= n if n != -1 else 1
    if rest <= 0 or total % rest or (total != rest and -1 not in wanted):
        raise ValueError(f"cannot reshape array of size {total} into shape {tuple(wanted)}")
    sizes = tuple(total // rest if n == -1 else n for n in wanted)
    t = x.program
    t.cuts = True
    t.settled()
    value = t.text.array(x.value)
    if not x.ndim:
        return x[(None,) * len(wanted)]
    if x.ndim == 1 == len(wanted):
        t.sized = t.sized or wanted != [-1]
        return x._view(value, sizes)
    made = x._view(t.text.reshape(value, wanted), sizes)
    t.fitted.append(made.value.text)
    return t.solid(made)


def own_sizes(x: Array, name: str, marked: List[int], sizes: Any) -> Array:
    """reshape and broadcast_to with a mark for the array's own sizes, of which -1 in reshape is
    what is left."""
    t = x.program
    t.settled()
    t.cuts = True
    if (name == "reshape" and (any(n < -1 for n in marked) or marked.count(-1) > 1
                               or any(n == 0 and k >= x.ndim for k, n in enumerate(marked)))):
        left("sizes of reshape")
    if name == "broadcast_to" and (len(marked) < x.ndim or any(n < 1 and n != -1 for n in marked)):
        left("sizes of broadcast_to")
    if sizes is not None and -1 in sizes:
        total, rest = 1, 1
        for n in x.sizes or ():
            total *= n
        for n in sizes:
            rest *= n if n != -1 else 1
        sizes = tuple(total // rest if n == -1 else n for n in sizes) if rest else None
    return t.solid(x._view(getattr(t.text, name)(t.text.array(x.value), marked), sizes))


@function("ravel")
def ravel(a: Any, order: str = "C") -> Array:
    if order not in ("C", "A"):
        left("an argument of ravel")
    return reshape(a, -1)


def _flatten(a: Any, order: str = "C") -> Array:
    return copy(ravel(a, order))


@function()
def squeeze(a: Any, axis: Any = None) -> Array:
    x, = arrays(a)
    t, sizes = x.program, x.sizes if x.sizes is not None else x.shape
    axes = [k for k, n in enumerate(sizes) if n == 1] if axis is None else axes_of(x, axis)
    t.ones = t.ones or axis is None
    if any(sizes[k] != 1 for k in axes):
        raise ValueError("cannot select an axis to squeeze out which has size not equal to one")
    t.settled()
    if not axes:
        return x._view(x.value, sizes)
    made = x._view(t.text.squeeze(t.text.array(x.value), axes),
                   tuple(n for k, n in enumerate(sizes) if k not in axes))
    made.order = Orders.turned, t.order(x), [k for k in range(len(sizes)) if k not in axes]
    return made


@function()
def expand_dims(a: Any, axis: Any) -> Array:
    x, = arrays(a)
    axes = [operator.index(k) for k in (axis if isinstance(axis, (tuple, list)) else (axis,))]
    rank = x.ndim + len(axes)
    if any(not -rank <= k < rank for k in axes) or len({k % rank for k in axes}) < len(axes):
        left("axes of expand_dims")
    new = {k % rank for k in axes}
    return x[tuple(None if k in new else slice(None) for k in range(rank))]


def _at_least(count: int) -> Any:
    def call(*arys: Any) -> Any:
        made = []
        for x in arrays(*arys):
            if count == 3 and x.ndim == 2:
                x = x[:, :, None]
            elif count == 3 and x.ndim == 1:
                x = x[None, :, None]
            elif x.ndim < count:
                x = x[(None,) * (count - x.ndim)]
            made.append(x)
        return made[0] if len(made) == 1 else tuple(made)
    return call


FUNCTIONS.update(atleast_1d=_at_least(1), atleast_2d=_at_least(2), atleast_3d=_at_least(3))


@function()
def flip(m: Any, axis: Any = None) -> Array:
    x, = arrays(m)
    axes = axes_of(x, axis)
    t = x.program
    t.settled()
    made = t.note(x._view(t.text.flip(t.text.array(x.value), axes), x.sizes), Orders.same,
                  t.order(x))
    return made if made.ndim else _scalar(made)


@function()
def fliplr(m: Any) -> Array:
    return flip(m, 1)


@function()
def flipud(m: Any) -> Array:
    return flip(m, 0)


@function()
def rot90(m: Any, k: Any = 1, axes: Any = (0, 1)) -> Array:
    x, = arrays(m)
    k, (i, j) = operator.index(k) % 4, axes_of(x, tuple(axes))
    if k == 0:
        return x
    if k == 2:
        return flip(flip(x, i), j)
    return swapaxes(flip(x, j), i, j) if k == 1 else flip(swapaxes(x, i, j), j)


@function()
def broadcast_to(array: Any, shape: Any, subok: bool = False) -> Array:
    x, = arrays(array)
    wanted = tuple(operator.index(n) for n in (shape if isinstance(shape, (tuple, list))
                                               else (shape,)))
    if (x.sizes is None or x.mask is not None or broadcast(x.sizes, wanted) != wanted
        or len(x.sizes) > len(wanted) or 0 in wanted):
        x.program.misfit("sizes that do not fit")
    t = x.program
    t.sized = True
    if x.sizes == wanted:
        return x
    t.settled()
    return t.solid(x._view(t.text.broadcast_to(t.text.array(x.value), list(wanted)), wanted))


@function()
def broadcast_arrays(*args: Any, subok: bool = False) -> Any:
    several = arrays(*args)
    wanted = broadcast(*[x.shape for x in several])
    return tuple(_staying(copy(broadcast_to(x, wanted)))
                 if isinstance(given, (Number, bool, int, float)) else broadcast_to(x, wanted)
                 for x, given in zip(several, args))


@function("concatenate", "concat")
def concatenate(arrays_: Any, axis: Any = 0, dtype: Any = None,
                casting: str = "same_kind") -> Array:
    if isinstance(arrays_, Array):
        arrays_ = list(arrays_)
    several = arrays(*arrays_)
    if dtype is not None:
        several = [astype(x, dtype) for x in several]
    if axis is None:
        axis, several = 0, [ravel(x) for x in several]
    t = several[0].program
    t.settled()
    if any(x.mask is not None or x.sizes is None or not x.ndim or x.ndim != several[0].ndim
           for x in several):
        t.misfit("arrays that are not joined")
    axis, = axes_of(several[0], axis)
    if (len({x.sizes[:axis] + x.sizes[axis + 1:] for x in several}) > 1
        or any(x.sizes[axis] == 0 for x in several)):
        t.misfit("arrays that are not joined")
    t.cuts = True
    sizes = list(several[0].sizes)
    sizes[axis] = sum(x.sizes[axis] for x in several)
    return t.solid(Array(t, t.text.concatenate([x.value if x.value.operand is None
                                                else t.text.array(x.value) for x in several], axis),
                         tuple(sizes)))


@function()
def stack(arrays: Any, axis: Any = 0, dtype: Any = None, casting: str = "same_kind") -> Array:
    t = trace_of(*arrays)
    several = [t.array(x) for x in arrays]
    axis = operator.index(axis)
    rank = several[0].ndim + 1
    if not -rank <= axis < rank:
        left("an axis of stack")
    return concatenate([expand_dims(x, axis) for x in several], axis, dtype)


@function()
def vstack(tup: Any, dtype: Any = None, casting: str = "same_kind") -> Array:
    return concatenate([FUNCTIONS["atleast_2d"](x) for x in arrays(*tup)], 0, dtype)


@function()
def hstack(tup: Any, dtype: Any = None, casting: str = "same_kind") -> Array:
    several = [FUNCTIONS["atleast_1d"](x) for x in arrays(*tup)]
    return concatenate(several, 0 if several[0].ndim == 1 else 1, dtype)


@function()
def dstack(tup: Any) -> Array:
    return concatenate([FUNCTIONS["atleast_3d"](x) for x in arrays(*tup)], 2)


@function()
def column_stack(tup: Any) -> Array:
    return concatenate([x[:, None] if x.ndim == 1 else x for x in arrays(*tup)], 1)


@function()
def roll(a: Any, shift: Any, axis: Any = None) -> Array:
    x, = arrays(a)
    if axis is None:
        return (copy(x) if not x.ndim else reshape(roll(ravel(x), shift, 0), x.shape) if x.ndim > 1
                else roll(x, shift, 0))
    if isinstance(shift, (tuple, list)) or isinstance(axis, (tuple, list)):
        left("roll along several axes")
    axis, = axes_of(x, axis)
    k = operator.index(shift)
    n = x.shape[axis]
    k = k % n if n else 0
    return concatenate([_part(x, axis, n - k, n), _part(x, axis, 0, n - k)], axis) if k else copy(x)


@function()
def repeat(a: Any, repeats: Any, axis: Any = None) -> Array:
    x, = arrays(a)
    if isinstance(repeats, (list, tuple, Array)) or hasattr(repeats, "ndim"):
        left("repeats of each element")
    count = operator.index(repeats)
    if axis is None:
        x, axis = ravel(x), 0
    axis, = axes_of(x, axis)
    if count < 1 or 0 in x.shape:
        x.program.misfit("an empty repetition")
    wide = expand_dims(x, axis + 1)
    sizes = list(x.shape)
    wide = broadcast_to(wide, sizes[:axis + 1] + [count] + sizes[axis + 1:])
    return reshape(wide, sizes[:axis] + [sizes[axis] * count] + sizes[axis + 1:])


@function()
def tile(A: Any, reps: Any) -> Array:
    x, = arrays(A)
    times = [operator.index(n) for n in (reps if isinstance(reps, (tuple, list)) else (reps,))]
    if any(n < 1 for n in times) or x.sizes is None or 0 in x.sizes:
        x.program.misfit("an empty repetition")
    x = x[(None,) * (len(times) - x.ndim)] if len(times) > x.ndim else x
    times = [1] * (x.ndim - len(times)) + times
    t = x.program
    # the language repeats only one dimension where sizes are not known
    if sum(n > 1 for n in times) > 1:
        return t.leave(_numpy("tile"), (x, tuple(times)), {})
    return t.solid(Array(t, t.text.tile(t.text.array(x.value), times),
                         tuple(n * k for n, k in zip(x.sizes, times))))


@function()
def pad(array: Any, pad_width: Any, mode: str = "constant", *, constant_values: Any = 0) -> Array:
    x, = arrays(array)
    if (mode != "constant" or isinstance(constant_values, (list, tuple))
        or isinstance(pad_width, dict) or x.sizes is None or 0 in x.sizes):
        x.program.sized = x.program.sized or mode == "constant"
        return x.program.leave(_numpy("pad"), (array, pad_width, mode),
                               {"constant_values": constant_values})
    import numpy
    widths = [[operator.index(int(n)) for n in pair]
              for pair in numpy.broadcast_to(numpy.asarray(pad_width), (x.ndim, 2)).tolist()]
    if any(n < 0 for pair in widths for n in pair):
        raise ValueError("index can't contain negative values")
    t = x.program
    element = _as(x.program.array(constant_values),
                  x.value.type) if not isinstance(constant_values, (bool, int, float)) else Array(
                      t, Value(_arithmetic.astype(t.text, _arithmetic.number(constant_values),
                                                  x.value.type).text, x.value.type), ())
    t.cuts = True
    if not any(n for pair in widths for n in pair):
        return copy(x)
    return t.solid(Array(t, t.text.pad(t.text.array(x.value), [n for pair in widths for n in pair],
                                       element.value),
                         tuple(n + a + b for n, (a, b) in zip(x.sizes, widths))))


@function()
def tril(m: Any, k: Any = 0) -> Array:
    return _triangle(m, k, True)


@function()
def triu(m: Any, k: Any = 0) -> Array:
    return _triangle(m, operator.index(k) - 1, False)


def _triangle(m: Any, k: Any, lower: bool) -> Array:
    import numpy
    x, = arrays(m)
    if x.ndim < 2:
        left("a triangle of a row")
    x.program.sized = True
    mask = x.program.constant(numpy.tri(*x.shape[-2:], k=operator.index(k), dtype=bool))
    zero = _as(x.program.array(False), x.value.type)
    return _chosen(mask, x, zero) if lower else _chosen(mask, zero, x)


@function()
def meshgrid(*xi: Any, copy: bool = True, sparse: bool = False, indexing: str = "xy") -> Any:
    several = [ravel(x) for x in arrays(*xi)]
    count = len(several)
    order = [1, 0, *range(2, count)] if indexing == "xy" and count > 1 else list(range(count))
    made = [x[tuple(slice(None) if order[axis] == k else None for axis in range(count))]
            for k, x in enumerate(several)]
    if sparse:
        return tuple(made)
    wanted = [several[order[axis]].shape[0] for axis in range(count)]
    return tuple(broadcast_to(x, wanted) for x in made)


# ------------------------------------------------------------------------------------------------
# Arrays of one number

@function()
def full_like(a: Any, fill_value: Any, dtype: Any = None, order: str = "K", subok: bool = True,
              shape: Any = None, device: Any = None) -> Array:
    x, = arrays(a) if isinstance(a, (Array, Number)) else (trace_of(fill_value).array(a),)
    t = x.program
    if shape is not None or x.mask is not None:
        left("full_like with shape=, or of elements where a mask is true")
    own = dtype_name(dtype) if dtype is not None else x.value.type
    if isinstance(fill_value, (bool, int, float)):
        value = _arithmetic.astype(t.text, _arithmetic.number(fill_value), own)
    else:
        filled = _as(t.array(fill_value), own)
        if filled.ndim:
            left("full_like of an array")
        value = filled.value
    # whatever the elements are, these are chosen; bools and integers have no NaN
    every = t.apply(lambda text, a: text.compare("==", a, a), x)
    text = f"select({every.value.text}, {value.text}, {value.text})"
    return _staying(Array(t, t.text.name(Value(text, own, places=x.value.places)), x.sizes))


@function()
def ones_like(a: Any, dtype: Any = None, order: str = "K", subok: bool = True, shape: Any = None,
              device: Any = None) -> Array:
    return full_like(a, 1, dtype, shape=shape)


@function("zeros_like", "empty_like")
def zeros_like(a: Any, dtype: Any = None, order: str = "K", subok: bool = True, shape: Any = None,
               device: Any = None) -> Array:
    return full_like(a, 0, dtype, shape=shape)


@function()
def shape(a: Any) -> Any:
    return arrays(a)[0].shape


@function()
def ndim(a: Any) -> Any:
    return arrays(a)[0].ndim


@function()
def size(a: Any, axis: Any = None) -> Any:
    return arrays(a)[0].size if axis is None else arrays(a)[0].shape[operator.index(axis)]


@function()
def result_type(*several: Any) -> Any:
    import numpy
    return numpy.result_type(*[a.dtype if isinstance(a, Array) else plain(a) for a in several])


@function("iscomplexobj")
def iscomplexobj(x: Any) -> bool:
    return False


@function("isrealobj")
def isrealobj(x: Any) -> bool:
    return True


# Where NumPy's functions, and its methods with their array before the others, take out= by
# position.
OUT = {**dict.fromkeys(("fix", "isneginf", "isposinf"), 1),
       **dict.fromkeys(("all", "amax", "amin", "any", "argmax", "argmin", "around", "concat",
                        "concatenate", "dot", "max", "min", "nanmax", "nanmin", "outer", "ptp",
                        "round", "stack"), 2),
       **dict.fromkeys(("clip", "mean", "nanmean", "nanprod", "nanstd", "nansum", "nanvar",
                        "cumprod", "cumsum", "prod", "std", "sum", "take", "var"), 3)}

OUT_OF_METHODS = {**OUT, "all": 3, "any": 3}  # behind a type, which they refuse
_ORDERS, _CASTINGS = ("C", "F", "A", "K", None), ("no", "equiv", "safe", "same_kind", "unsafe")
# Arguments by name: the values that NumPy takes, where the functions here may not look at the
# argument.
_TAKES: Dict[str, Callable[[Any], bool]] = {
    **dict.fromkeys(("keepdims", "subok"), lambda a: a is not None and not isinstance(a, str)),
                                            "order": lambda a: a in _ORDERS,
    "casting": lambda a: a in _CASTINGS, "device": lambda a: a in ("cpu", None),
                                            "copy": lambda a: not isinstance(a, str),
    **dict.fromkeys(("ddof", "correction", "mean"), lambda a: a is not None)}


def look_at(keywords: Dict[str, Any]) -> None:
    for key, a in keywords.items():
        if key in _TAKES and not _TAKES[key](a):
            left(f"{key}={a!r}")


def without_out(name: str, args: Sequence[Any], keywords: Dict[str, Any],
                places: Dict[str, int] = OUT) -> Any:
    """Arguments, and out= from among them, which functions here do not have."""
    keywords, at = dict(keywords), places.get(name, len(args))
    out = args[at] if at < len(args) else keywords.pop("out", None)
    return [*args[:at], *args[at + 1:]], keywords, out


def _method_of_truths(name: str) -> Any:
    def call(a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = False, *,
             where: Any = True) -> Array:
        if dtype is not None:
            left(f"{name} of a type")
        return FUNCTIONS[name](a, axis, keepdims, where)
    return call


METHODS: Dict[str, Callable[..., Any]] = {
    **{name: _method_of_truths(name) for name in ("all", "any")},
    **{name: FUNCTIONS[name] for name in ("argmax", "argmin", "clip", "conj", "conjugate", "cumprod", "cumsum", "max", "mean", "min", "prod", "ptp", "ravel", "repeat",
                                          "reshape", "round", "squeeze", "std", "sum", "swapaxes", "transpose", "var", "dot", "astype", "real",
                                          "imag")},
    "copy": lambda x, order="C": _like_scalar(_in_order(copy(x), order), x), "flatten": _flatten, "T": transpose, "mT": matrix_transpose, "flat": lambda x: left("flat"),
    "trace": lambda x, *args: x.program.leave(_numpy("trace"), (x, *args), {}), "diagonal": lambda x, *args: x.program.leave(_numpy("diagonal"), (x, *args), {})}


# ------------------------------------------------------------------------------------------------
# NumPy, as a traced function sees it

class Space:
    """The module numpy, but that its new arrays can be assigned to, and its types cast arrays."""

    def __init__(self, trace: Trace):
        self._trace = trace

    def __getattr__(self, name: str) -> Any:
        found = vars(self)[name] = seen(self._trace, getattr(sys.modules["numpy"], name))
        return found


class _Type:
    """float32 and its like."""

    def __init__(self, trace: Trace, scalar: Any):
        import numpy
        self._trace, self._scalar, self.dtype = trace, scalar, numpy.dtype(scalar)

    def __call__(self, *args: Any) -> Any:
        if len(args) == 1 and isinstance(args[0], (Array, Number)):
            x = self._trace.array(args[0])
            if not x.value.rank:
                return _scalar(astype(x, self.dtype))
            # of its own type it is the same array
            return (x if x.dtype == self.dtype and x.mask is None else astype(x, self.dtype))
        return self._scalar(*args)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._scalar, name)

    def __eq__(self, other: Any) -> bool:
        return self._scalar is other or self.dtype == other

    def __hash__(self) -> int:
        return hash(self._scalar)


def seen(trace: Trace, a: Any) -> Any:
    """The object that a traced function gets for an object of NumPy's."""
    numpy = sys.modules["numpy"]
    if isinstance(a, numpy.ufunc):
        return a
    if a is numpy:
        return Space(trace)
    if (isinstance(a, type) and a.__module__ == "numpy" and issubclass(a, numpy.generic)
        and a.__name__ in ("bool", "bool_", *_CASTS)):
        return _Type(trace, a)
    if a is numpy.zeros or a is numpy.ones or a is numpy.empty or a is numpy.full:
        def make(*args: Any, **keywords: Any) -> Any:
            found = (numpy.zeros if a is numpy.empty else a)(*args, **keywords)
            if type(found) is not numpy.ndarray or found.dtype.name not in _ARRAYS:
                left("an array of a type that no kernel has")
            return trace.fresh(found)
        return make
    return a


_CASTS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16",
          "float32", "float64")
_ARRAYS = ("bool", *_CASTS)

# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names of functions in texts. In: a name, and perhaps a trace. Out: NumPy's function of that name,
for arrays of the trace or
for NumPy's own, and functions that NumPy lacks."""
from __future__ import annotations

import functools
import math
import sys
import threading
import types

from . import _names
from ._arithmetic import FLOATS, FUNCTIONS as OWN, INTEGERS, NAMES, WIDTH, Value
from ._array import DTYPES, Array, Number, Trace, left
from ._tosajit import ArgumentError

TYPE_CHECKING = False  # module typing takes longer to load than everything else here
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, List, Optional, Sequence, TypeVar

    F = TypeVar("F", bound=Callable[..., Any])

MODULES = ("np", "numpy", "math")
CONSTANTS = {"pi": math.pi, "e": math.e, "inf": math.inf, "nan": math.nan, "true": True,
             "false": False}
METHODS = ("reduce", "outer", "accumulate", "reduceat")  # of ufuncs
# The language's, which have a way of their own along axes. Of these all axes stay, and the last one
# is meant where none is given.
_REDUCERS = ("softmax", "log_softmax", "logsumexp", "layer_norm", "rms_norm", "norm")
_LAST, _MOST_OPERANDS = ("softmax", "log_softmax", "layer_norm",
                         "rms_norm"), {"layer_norm": 3, "rms_norm": 2}
_KEYS = {"dim": "axis", "keepdim": "keepdims", "epsilon": "eps"}
# Of arrays: none that reads or writes files, or gives memory away.
ATTRIBUTES = set("""T mT real imag shape ndim size dtype itemsize nbytes all any argmax argmin argpartition argsort astype clip compress conj conjugate copy
cumprod cumsum diagonal dot flatten max mean min nonzero prod ptp ravel repeat reshape round searchsorted sort squeeze std sum swapaxes take trace transpose
var""".split())
_LINALG = set("cholesky cond cross det diagonal eig eigh eigvals eigvalsh inv lstsq matmul matrix_norm matrix_power matrix_rank multi_dot norm outer pinv qr"
              " slogdet solve svd svdvals tensordot tensorinv tensorsolve trace vecdot vector_norm".split())
_HIDDEN = ("_", "from", "load", "save", "gen", "get", "set", "show")
# Functions that change their arguments; texts have none of these.
CHANGERS = set("at copyto fill_diagonal place put put_along_axis putmask".split())
# Functions that read files, draw numbers, or change their arguments.
_LEFT_OUT = set("""memmap copyto put place putmask fill_diagonal put_along_axis test info vectorize frompyfunc apply_along_axis apply_over_axes nditer
ndenumerate ndindex asarray_chkfinite empty printoptions errstate array2string array_repr array_str contains isfortran shares_memory may_share_memory
array_split block bmat""".split())


class Foreign(ArgumentError):
    """A text has what is neither Python's for arrays nor NumPy's."""


def foreign(sentence: str) -> Foreign:
    error = Foreign(sentence)
    error.status = "TOSAJIT_INVALID_ARGUMENT"
    return error


def is_traced(a: Any) -> bool:
    return isinstance(a, (Array, Number)) or isinstance(a, (list, tuple)) and any(map(is_traced, a))


def is_array(a: Any) -> bool:
    """True if it has elements, or may have them: numbers that come with a call are of kernels,
    too."""
    return type(a) is Number or type(a) is Array and a.mask is None or hasattr(a, "ndim")


class Cast:
    """float32 is NumPy's type, f32 the language's, whose casts round."""

    def __init__(self, words: Words, name: str):
        self.words, self.name, self.own = words, name, NAMES.get(name, name)

    @property
    def dtype(self) -> Any:
        import numpy
        return numpy.dtype(DTYPES.get(self.own, self.own))

    def __call__(self, x: Any) -> Any:
        t = self.words.trace
        if t is None:
            if not is_array(x):
                return self.dtype.type(x)
            # C leaves it open, a kernel does not
            beyond = (self.own in INTEGERS and getattr(getattr(x, "dtype", None), "kind",
                                                       "") == "f")
            return (_evaluated(self.name, [x], {}) if (self.name not in NAMES or beyond)
                    and self.name not in vars(_INSIDE) else x.astype(self.dtype))
        x = t.operand(x)
        if type(x) is float and self.name not in NAMES and self.own in INTEGERS:
            if not math.isfinite(x):
                raise foreign(f"{x!r} is no value of {self.own}")
            x = round(x)  # to even, as casts of the language do
        cast = (_names._arithmetic.astype if self.name in NAMES
                else lambda text, value, own: text.typed(value, own))
        made = t.apply(lambda text, value: cast(text, value, self.own), x)
        return Array(t, Value(made.value.text, made.value.type, places=made.value.places),
                     made.sizes, mask=made.mask)  # with a type of its own


class Words:
    """Functions by their names. No trace: of arrays with elements."""

    def __init__(self, trace: Optional[Trace]):
        self.trace = trace
        self.known: Dict[str, Any] = {}

    def find(self, name: str) -> Any:
        if name not in self.known:
            self.known[name] = self.look(name)
        return self.known[name]

    def look(self, name: str) -> Any:
        if name in _SPECIAL:
            return functools.partial(_SPECIAL[name], self)
        if (name in NAMES and NAMES[name] in DTYPES or name in DTYPES
            or name in WIDTH and self.trace is not None):
            return Cast(self, name)
        found = None if name in _REDUCERS else self.numpy(name)
        if found is None and (name in OWN or name in _REDUCERS):
            return (_own(name) if self.trace is None
                    else functools.partial(_language, self.trace, name))
        return found if found is not None else self.scipy(name)

    def numpy(self, name: str) -> Any:
        """NumPy's function; None: there is none."""
        made = _names.FUNCTIONS.get(name)
        numpy = sys.modules.get("numpy")
        if name.startswith(_HIDDEN) or name in _LEFT_OUT:
            return None
        found = getattr(numpy, name, None)
        if (numpy is not None and (found is None or isinstance(found, (type, types.ModuleType))
                                   or not callable(found))):
            return None
        if self.trace is not None:
            return (functools.partial(_traced, self.trace, name, made, found) if made or found
                    else None)
        return _of_numbers(found) if numpy is not None and isinstance(found, numpy.ufunc) else found

    def scipy(self, name: str) -> Any:
        if name not in ("expit", "logit", "xlogy", "xlog1py"):
            return None
        return (functools.partial(_traced, self.trace, name, _names.FUNCTIONS[name], None)
                if self.trace is not None else functools.partial(_of_scipy, name))

    def of_module(self, parts: Sequence[str]) -> Any:
        """np.sin, np.linalg.norm, np.add.reduce, math.pi; None: there is no such."""
        root, name, *rest = parts
        space: Any = math if root == "math" else sys.modules.get("numpy")
        if name == "linalg" and root != "math" and len(rest) == 1 and rest[0] in _LINALG:
            return getattr(space.linalg, rest[0], None)
        if rest:
            return self.method(name, rest[0]) if len(rest) == 1 and root != "math" else None
        if name in ("newaxis", *CONSTANTS):
            return None if not hasattr(space, name) else CONSTANTS.get(name)
        if not hasattr(space, name) and not (space is None and name in _names.FUNCTIONS):
            return None
        return (self.find(name) if root == "math"
                or name not in ("max", "min", "select", "log", "where", "norm")
                else self.numpy(name))

    @staticmethod
    def method(name: str, method: str) -> Any:
        """Of a ufunc."""
        numpy = sys.modules.get("numpy")
        ufunc = getattr(numpy, name, None)
        return (getattr(ufunc, method) if method in METHODS and numpy is not None
                and isinstance(ufunc, numpy.ufunc) else None)


# ------------------------------------------------------------------------------------------------
# What is called

def _traced(t: Trace, name: str, made: Any, function: Any, *args: Any, **keywords: Any) -> Any:
    """Of arrays of a trace, or what is made with them."""
    keywords = ({_KEYS.get(key, key): a for key, a in keywords.items()} if name in _names.REDUCERS
                else keywords)
    if made is not None and not keywords and name in OWN and not any(map(is_traced, args)):
        return (t.apply(OWN[name][2], *map(t.operand, args))
                if OWN[name][0] <= len(args) <= OWN[name][1] else made(*args))
    if made is not None and not keywords and any(map(is_traced, args)):
        return made(*args)
    if (made is not None and name not in OWN
        and any(map(is_traced, (*args, *keywords.values())))):
        return made(*args, **keywords)
    # there is no NumPy, which would come back to it
    if function is None and any(map(is_traced, args)):
        function = _names.FUNCTIONS.get(name)
    if function is None:
        raise TypeError(f"{name} takes arrays")
    args, keywords = tuple(map(_plain, args)), {key: _plain(a) for key, a in keywords.items()}
    return function(*args, **keywords)  # which asks arrays


def _plain(a: Any) -> Any:
    return a.dtype if isinstance(a, Cast) else a


def _of_numbers(function: Any) -> Any:
    """Of numbers alone, too, a number is made."""
    def call(*operands: Any, **keywords: Any) -> Any:
        made = function(*operands, **keywords)
        return (made.item() if hasattr(made, "item")
                and all(type(a) in (bool, int, float) for a in operands) else made)
    return call


def _language(t: Trace, name: str, *operands: Any, **keywords: Any) -> Array:
    """A function of the library's language, which NumPy lacks."""
    if name not in _REDUCERS:
        least, most, make = OWN[name]
        if keywords:
            raise foreign(f"{name} has no argument {', '.join(keywords)} here")
        if not least <= len(operands) <= most:
            raise foreign(f"{name} takes {least if least == most else f'{least} to {most}'} "
                          f"argument{'s' * (most > 1)}")
        given = [t.operand(a) for a in operands]
        return t.apply(make, *given)
    keywords = {_KEYS.get(key, key): a for key, a in keywords.items()}
    most = _MOST_OPERANDS.get(name, 1)
    if len(operands) > most:
        keywords["axis"] = operands[most]
    arrays = [t.array(a) for a in operands[:most]]
    dtype = t.text.common(*[a.value for a in arrays])
    dtype = dtype if dtype in ("f16", "bf16", "f32", "f64") else "f64"
    keepdims = keywords.pop("keepdims", False)
    if name in _LAST and "axis" not in keywords:
        axes = [arrays[0].ndim - 1] if arrays[0].ndim else []  # the last one; None is all of them
    else:
        axes = _axes(name, arrays[0], keywords.pop("axis", None))
    if set(keywords) - {"eps"} or "eps" in keywords and name not in _MOST_OPERANDS:
        raise foreign(f"{name} has no argument {', '.join(set(keywords) - {'eps'}) or 'eps'}")
    return t.reduce(name, arrays, axes, keepdims, dtype, **keywords)


def _axes(name: str, x: Array, axis: Any) -> List[int]:
    try:
        return _names.axes_of(x, axis)
    except (ValueError, IndexError, TypeError) as error:
        takes = "; here norm takes an axis, np.linalg.norm an order" if name == "norm" else ""
        raise foreign(f"{name}: {error}{takes}") from None


_INSIDE = threading.local()  # what is evaluated by its name at this moment


def _evaluated(name: str, operands: Sequence[Any], keywords: Dict[str, Any],
               called: Sequence[str] = ()) -> Any:
    """`called`: how errors call the operands."""
    from . import evaluate
    if name in vars(_INSIDE):
        raise foreign(f"{name} is not defined for these")
    texts, given = [], {}
    for k, a in enumerate(operands):
        if a is None or isinstance(a, (tuple, list)):
            texts.append(repr(a))  # axes and sizes are part of the text
            continue
        texts.append(called[k] if k < len(called) else f"x{k}")
        given[texts[k]] = a
    said = "".join(f", {key}={value!r}" for key, value in keywords.items())
    setattr(_INSIDE, name, True)
    try:
        made = evaluate(f"{name}({', '.join(texts)}{said})", {}, {}, **given)
    finally:
        delattr(_INSIDE, name)
    # a scalar, as NumPy's functions give it
    return (made[()] if "numpy" in sys.modules and getattr(made, "ndim", 1) == 0 else made)


def _own(name: str, called: Sequence[str] = ()) -> Callable[..., Any]:
    """A function of the language, of arrays of a trace and of those with elements."""
    def call(*operands: Any, **keywords: Any) -> Any:
        if not any(map(is_traced, operands)):
            return _evaluated(name, operands, keywords, called)
        return _language(_names.trace_of(*operands), _SYNONYMS.get(name, name), *operands,
                         **keywords)
    call.__name__ = name
    return call


_SYNONYMS = {"expit": "sigmoid"}


def own(function: F) -> F:
    """The function of the language that has the name, signature and words of this one, which has no
    statements. Types would all be Any: help() does without."""
    function.__annotations__ = {}
    return functools.wraps(function)(_own(function.__name__, function.__code__.co_varnames))  # type: ignore[attr-defined, return-value]


def _of_scipy(name: str, *operands: Any) -> Any:
    from . import jit
    import numpy
    return jit(_LAMBDAS[len(operands)](_names.FUNCTIONS[name]))(*map(numpy.asarray, operands))


_LAMBDAS: Dict[int, Any] = {1: lambda function: lambda x: function(x),
                            2: lambda function: lambda x, y: function(x, y)}


# ------------------------------------------------------------------------------------------------
# Functions that have more than NumPy's arguments

def _log(words: Words, x: Any, base: Any = None) -> Any:
    log = words.numpy("log")
    return log(x) if base is None else words.numpy("divide")(log(x), log(base))


def _extreme(name: str, two: str) -> Callable[..., Any]:
    def call(words: Words, x: Any, *rest: Any, **keywords: Any) -> Any:
        if (len(rest) == 1 and not keywords and (is_array(rest[0])
                                                 or type(rest[0]) in (bool, int, float))):
            return words.numpy(two)(x, rest[0])
        return words.numpy(name)(x, *rest, **keywords)
    return call


def _listed(name: str, sizes: Any = None, mark: int = 0) -> Callable[..., Any]:
    """Axes and sizes one by one, as the language has them, too, and by its words. `sizes` says what
    those are that mean the array's own."""
    def call(words: Words, x: Any, *rest: Any, **keywords: Any) -> Any:
        given = [*rest, *[keywords.pop(word) for word in ("dim", "dims", "axes", "axis", "shape",
                                                          "newshape", "reps") if word in keywords]]
        if len(given) > 1 and all(type(n) is int for n in given):
            given = [tuple(given)]
        x = words.trace.array(x) if words.trace is not None else x
        if (sizes is not None and given and words.trace is not None
            and isinstance(given[0], (tuple, list)) and mark in given[0]):
            return _names.own_sizes(x, name, list(given[0]),
                                    tuple(sizes(x.sizes, given[0])) if x.sizes is not None
                                    else None)
        # whoever reads a shape decides by it
        if (sizes is not None and given and mark in (given[0] if isinstance(given[0], (tuple, list))
                                                     else (given[0],))):
            given[0] = sizes(getattr(x, "shape", None), given[0])
        return words.numpy(name)(x, *given, **keywords)
    return call


def _own_sizes(mark: int, from_front: bool) -> Callable[..., Any]:
    """Of reshape 0 is the array's own size, counted from the first one, of broadcast_to -1, from
    the last."""
    def sizes(shape: Any, wanted: Any) -> Any:
        numbers = tuple(wanted) if isinstance(wanted, (tuple, list)) else (wanted,)
        if mark not in numbers or shape is None:
            return wanted
        at = lambda k: k if from_front else k - len(numbers) + len(shape)
        return tuple(shape[at(k)] if n == mark and 0 <= at(k) < len(shape)
                     else 1 if n == mark and at(k) < 0 else n for k, n in enumerate(numbers))
    return sizes


def _clip(words: Words, x: Any, *bounds: Any, **keywords: Any) -> Any:
    """Of a number, too, which has no type of its own."""
    if words.trace is not None:
        return words.numpy("clip")(words.trace.array(x) if not is_traced(x) else x, *bounds,
                                   **keywords)
    if (is_array(x) or keywords or len(bounds) != 2
        or None in [b for b in bounds if not is_array(b)]):
        return words.numpy("clip")(x, *bounds, **keywords)
    return words.numpy("minimum")(words.numpy("maximum")(x, bounds[0]), bounds[1])


def _concatenate(words: Words, *given: Any, **keywords: Any) -> Any:
    """Of one list of arrays, or of arrays one by one, and the axis."""
    parts = list(given)
    if parts and isinstance(parts[0], (tuple, list)):
        arrays, behind = list(parts[0]), parts[1:]
    else:
        behind = [parts.pop()] if parts and type(parts[-1]) is int else []
        arrays = parts
    axis = keywords.pop("dim", keywords.pop("axis", behind[0] if behind else 0))
    return words.numpy("concatenate")(arrays, axis, **keywords)


def _pad(words: Words, x: Any, *given: Any, **keywords: Any) -> Any:
    """NumPy's widths, or the language's: an element, and a number for each side."""
    rest = list(given)
    if (len(rest) > 1 and not isinstance(rest[0], (int, tuple, list))
        or len(rest) > 1 and not isinstance(rest[1], str)):
        keywords["constant_values"] = rest.pop(0)
    widths = rest.pop(0) if rest else keywords.pop("pad_width")
    if (isinstance(widths, (tuple, list)) and len(widths) == 2 * x.ndim > 2
        and all(type(n) is int for n in widths)):
        widths = [(widths[2 * k], widths[2 * k + 1]) for k in range(x.ndim)]
    return words.numpy("pad")(x, widths, *rest, **keywords)


def _select(words: Words, condition: Any, *rest: Any, **keywords: Any) -> Any:
    return words.numpy("select" if isinstance(condition, (list, tuple))
                       else "where")(condition, *rest, **keywords)


def _where(words: Words, condition: Any, *values: Any) -> Any:
    """Of numbers alone a number, which has no type of its own."""
    if len(values) == 2 and words.trace is None and not any(map(is_array, (condition, *values))):
        return values[0] if condition else values[1]
    if words.trace is not None and len(values) == 2:
        return words.trace.apply(OWN["where"][2], words.trace.operand(condition),
                                 *map(words.trace.operand, values))
    return words.numpy("where")(condition, *values)


def _len(words: Words, x: Any) -> int:
    return len(x)


_SPECIAL: Dict[str, Callable[..., Any]] = {
    "log": _log, "max": _extreme("max", "maximum"), "min": _extreme("min", "minimum"), "select": _select, "where": _where, "pad": _pad, "len": _len,
    "reshape": _listed("reshape", _own_sizes(0, True)), "broadcast_to": _listed("broadcast_to", _own_sizes(-1, False), -1), "permute": _listed("transpose"),
    "unsqueeze": _listed("expand_dims"), **{name: _listed(name) for name in ("transpose", "flip", "squeeze", "tile", "expand_dims")},
    **dict.fromkeys(("clip", "clamp"), _clip), **dict.fromkeys(("concatenate", "cat", "concat"), _concatenate)}


def known_names() -> List[str]:
    return [*OWN, *_names.FUNCTIONS, *_REDUCERS, *_SPECIAL, *NAMES,
            *[name for name in WIDTH if name != "u64"]]

# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Texts that are more than one kernel's expression, as functions of jit: methods, np. before names, `and` of arrays, NumPy's other
functions. In: statements of Python. Out: a function of the text's operands, or nothing, where the text is neither."""
from __future__ import annotations

import ast
import sys
import threading
import types

from ._arithmetic import FUNCTIONS as OWN, NAMES, WIDTH, wrong
from ._reader import LAST, MOST_OPERANDS
from ._jit import Jit

TYPE_CHECKING = False  # module typing takes longer to load than everything else here
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, List, NoReturn, Optional, Sequence, Tuple

MODULES = ("np", "numpy", "math")
_CONSTANTS = {"pi": 3.141592653589793, "e": 2.718281828459045, "inf": float("inf"), "nan": float("nan"), "true": True, "false": False}
_ALLOWED = (ast.Expression, ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.Call, ast.keyword, ast.Subscript, ast.Slice, ast.Attribute, ast.Name,
            ast.Constant, ast.Tuple, ast.List, ast.Dict, ast.operator, ast.unaryop, ast.boolop, ast.cmpop, ast.expr_context)
_REDUCERS = ("softmax", "log_softmax", "logsumexp", "layer_norm", "rms_norm", "norm")


# ------------------------------------------------------------------------------------------------
# What Python gives arrays no meaning for

def _is_array(a: Any) -> bool:
    return hasattr(a, "ndim")


def _both(a: Any, b: Any) -> Any:
    return _functions()["logical_and"](a, b) if _is_array(a) or _is_array(b) else a and b


def _either(a: Any, b: Any) -> Any:
    return _functions()["logical_or"](a, b) if _is_array(a) or _is_array(b) else a or b


def _neither(a: Any) -> Any:
    return _functions()["logical_not"](a) if _is_array(a) else not a


def _choice(c: Any, a: Any, b: Any) -> Any:
    """Of sizes it is Python's."""
    return _functions()["where"](c, a, b) if _is_array(c) else a if c else b


def _where(c: Any, a: Any, b: Any) -> Any:
    """Of numbers, too, a choice has the sizes and the type of both."""
    return _choice(c, a, b) if not _is_array(a) and not _is_array(b) else _functions()["where"](c, a, b)


class _Write(ast.NodeTransformer):
    """A text as Python has it: `and`, `or`, `not`, chains and choices by functions."""

    def __init__(self, operands: Sequence[str]):
        self.known = set(operands)

    @staticmethod
    def called(name: str, *args: Any) -> Any:
        return ast.Call(ast.Name(name, ast.Load()), list(args), [])

    def visit_BoolOp(self, node: Any) -> Any:
        self.generic_visit(node)
        made = node.values[0]
        for value in node.values[1:]:
            made = self.called("_both" if isinstance(node.op, ast.And) else "_either", made, value)
        return made

    def visit_UnaryOp(self, node: Any) -> Any:
        self.generic_visit(node)
        return self.called("_neither", node.operand) if isinstance(node.op, ast.Not) else node

    def visit_IfExp(self, node: Any) -> Any:
        asks = any(isinstance(part, ast.Attribute) or isinstance(part, ast.Name) and part.id == "len" for part in ast.walk(node.test))
        self.generic_visit(node)
        return self.called("_choice" if asks else "_where", node.test, node.body, node.orelse)

    def visit_Compare(self, node: Any) -> Any:
        self.generic_visit(node)
        if any(isinstance(op, (ast.In, ast.NotIn, ast.Is, ast.IsNot)) for op in node.ops):
            raise _Foreign
        parts = [node.left, *node.comparators]
        made = ast.Compare(parts[0], [node.ops[0]], [parts[1]])
        for k, op in enumerate(node.ops[1:], 1):
            made = self.called("_both", made, ast.Compare(parts[k], [op], [parts[k + 1]]))
        return made

    def visit_BinOp(self, node: Any) -> Any:
        for part in (node.left, node.right):
            if isinstance(part, ast.Constant) and not isinstance(part.value, (bool, int, float)):
                raise _Foreign  # text, complex numbers
        self.generic_visit(node)
        return node

    def visit_Subscript(self, node: Any) -> Any:
        value = self.visit(node.value)
        self.known.add("newaxis")
        made = ast.Subscript(value, self.visit(node.slice), node.ctx)
        self.known.discard("newaxis")
        return made

    def visit_Name(self, node: Any) -> Any:
        if node.id in self.known:
            return ast.Constant(None) if node.id == "newaxis" else node
        if node.id in _CONSTANTS:
            return ast.Constant(_CONSTANTS[node.id])
        if node.id not in _functions() and node.id not in MODULES:
            raise _Foreign
        return node

    def visit_Attribute(self, node: Any) -> Any:
        if node.attr.startswith("_"):
            raise _Foreign
        self.generic_visit(node)
        root = node.value
        while isinstance(root, ast.Attribute):
            root = root.value
        if isinstance(root, ast.Name) and root.id in MODULES and root.id not in self.known:
            inner = isinstance(node.value, ast.Attribute) and node.value.attr == "linalg" and root.id != "math"
            if not (hasattr(_Module(root.id), node.attr) if root is node.value else inner and node.attr in _LINALG or node.attr in _METHODS):
                raise _Foreign
            return node
        ufunc = isinstance(node.value, ast.Name) and node.value.id in _functions() and node.attr in _METHODS
        if node.attr not in _ATTRIBUTES and not ufunc:
            raise _Foreign
        return node


class _Foreign(Exception):
    """The text has what is neither Python's for arrays nor NumPy's."""


# ------------------------------------------------------------------------------------------------
# Functions by their names

class _Module:
    """NumPy or math, as a text sees it."""

    def __init__(self, name: str):
        self._name = name

    def __getattr__(self, name: str) -> Any:
        import math
        import numpy
        if name in ("max", "min", "select", "log") and self._name != "math":
            return getattr(numpy, name)
        if name in _CONSTANTS and hasattr(numpy, name):
            return _CONSTANTS[name]
        if name in _functions() and hasattr(math if self._name == "math" else numpy, name):
            return _functions()[name]
        if name == "linalg" and self._name != "math":
            return numpy.linalg
        raise AttributeError(name)


def _of_trace(a: Any) -> bool:
    from ._array import Array
    return isinstance(a, Array)


def _own(name: str) -> Callable[..., Any]:
    """A function of the library's language, which NumPy lacks."""
    def call(*operands: Any, **keywords: Any) -> Any:
        from . import evaluate
        if not any(map(_of_trace, operands)):
            given = {f"x{k}": a for k, a in enumerate(operands)}
            said = "".join(f", {key}={value!r}" for key, value in keywords.items())
            made = evaluate(f"{name}({', '.join(given)}{said})", {}, {}, **given)
            return made[()] if "numpy" in sys.modules and getattr(made, "ndim", 1) == 0 else made  # a scalar, as NumPy's functions give it
        from . import _names
        t = _names.trace_of(*operands)
        if name not in _REDUCERS:
            return t.apply(OWN[name][2], *[t.operand(a) for a in operands])
        most = MOST_OPERANDS.get(name, 1)
        if len(operands) > most:
            keywords["axis"] = operands[most]
        arrays = [t.array(a) for a in operands[:most]]
        dtype = t.text.common(*[a.value for a in arrays])
        dtype = dtype if dtype in ("f16", "bf16", "f32", "f64") else "f64"
        keepdims = keywords.pop("keepdims", False)
        if name in LAST and "axis" not in keywords:
            axes = [arrays[0].ndim - 1] if arrays[0].ndim else []  # the last one; None is all of them
        else:
            axes = _names.axes_of(arrays[0], keywords.pop("axis", None))
        return t.reduce(name, arrays, axes, keepdims, dtype, **keywords)
    call.__name__ = name
    return call


def _cast(name: str, rounds: bool) -> Callable[..., Any]:
    """float32(x) is NumPy's astype, f32(x) the language's cast, which rounds."""
    def call(x: Any) -> Any:
        from . import evaluate
        if _of_trace(x):
            from ._array import DTYPES
            t = x.program
            if not rounds:
                from ._names import astype
                return astype(x, DTYPES[NAMES[name]])
            return t.apply(lambda text, value: text.typed(value, name), x)
        if _is_array(x):
            return evaluate(f"{name}(x)", {}, {}, x=x)
        import numpy
        return numpy.dtype(DTYPES_BY[NAMES.get(name, name)]).type(x)
    import numpy
    call.__name__ = name
    call.dtype = numpy.dtype(DTYPES_BY[NAMES.get(name, name)])  # type: ignore[attr-defined]  # NumPy takes what has one as one
    return call


DTYPES_BY = {"i1": "bool", **{f"i{n}": f"int{n}" for n in (8, 16, 32, 64)}, **{f"u{n}": f"uint{n}" for n in (8, 16, 32, 64)},
             **{f"f{n}": f"float{n}" for n in (16, 32, 64)}}


def _log(x: Any, base: Any = None) -> Any:
    import numpy
    return numpy.log(x) if base is None else numpy.log(x) / float(numpy.log(base))


def _extreme(name: str, two: str) -> Callable[..., Any]:
    def call(x: Any, *rest: Any, **keywords: Any) -> Any:
        import numpy
        if len(rest) == 1 and not keywords:
            return getattr(numpy, two)(x, rest[0])
        return getattr(numpy, name)(x, *rest, **keywords)
    call.__name__ = name
    return call


def _listed(function: Any, sizes: Any = None) -> Callable[..., Any]:
    """Axes and sizes one by one, as the language has them, too, and by its words. `sizes` says what those are that mean the array's own."""
    def call(x: Any, *rest: Any, **keywords: Any) -> Any:
        given = [*rest, *[keywords.pop(word) for word in ("dim", "dims", "axes", "axis", "shape", "newshape", "reps") if word in keywords]]
        if len(given) > 1 and all(type(n) is int for n in given):
            given = [tuple(given)]
        return function(x, *(given if sizes is None or not given else [sizes(x, given[0]), *given[1:]]), **keywords)
    call.__name__ = function.__name__
    return call


def _own_sizes(own: int, from_front: bool) -> Callable[..., Any]:
    """Of reshape 0 is the array's own size, counted from the first one, of broadcast_to -1, from the last."""
    def sizes(x: Any, wanted: Any) -> Any:
        numbers = tuple(wanted) if isinstance(wanted, (tuple, list)) else (wanted,)
        if own not in numbers or not hasattr(x, "shape"):
            return wanted
        shape = tuple(x.shape)
        at = lambda k: k if from_front else k - len(numbers) + len(shape)
        return tuple(shape[at(k)] if n == own and 0 <= at(k) < len(shape) else 1 if n == own and at(k) < 0 else n for k, n in enumerate(numbers))
    return sizes


def _clip(x: Any, *bounds: Any, **keywords: Any) -> Any:
    """Of a number, too, which has no type of its own."""
    import numpy
    if _is_array(x) or keywords or len(bounds) != 2 or None in [b for b in bounds if not _is_array(b)]:
        return numpy.clip(x, *bounds, **keywords)
    return numpy.minimum(numpy.maximum(x, bounds[0]), bounds[1])


def _concatenate(*given: Any, **keywords: Any) -> Any:
    """Of one list of arrays, or of arrays one by one, and the axis."""
    import numpy
    parts = list(given)
    if parts and isinstance(parts[0], (tuple, list)):
        arrays, behind = list(parts[0]), parts[1:]
    else:
        behind = [parts.pop()] if parts and type(parts[-1]) is int else []
        arrays = parts
    axis = keywords.pop("dim", keywords.pop("axis", behind[0] if behind else 0))
    return numpy.concatenate(arrays, axis, **keywords)


def _pad(x: Any, *given: Any, **keywords: Any) -> Any:
    """NumPy's widths, or the language's: an element, and a number for each side."""
    import numpy
    rest = list(given)
    if len(rest) > 1 and not isinstance(rest[0], (int, tuple, list)) or len(rest) > 1 and not isinstance(rest[1], str):
        keywords["constant_values"] = rest.pop(0)
    widths = rest.pop(0) if rest else keywords.pop("pad_width")
    if isinstance(widths, (tuple, list)) and len(widths) == 2 * x.ndim > 2 and all(type(n) is int for n in widths):
        widths = [(widths[2 * k], widths[2 * k + 1]) for k in range(x.ndim)]
    return numpy.pad(x, widths, *rest, **keywords)


def _select(condition: Any, *rest: Any, **keywords: Any) -> Any:
    import numpy
    return numpy.select(condition, *rest, **keywords) if isinstance(condition, (list, tuple)) else numpy.where(condition, *rest)


def _of_numbers(function: Any) -> Any:
    """Of numbers alone, too, a number is made."""
    def call(*operands: Any, **keywords: Any) -> Any:
        from ._array import Number, plain
        if operands and all(type(a) in (bool, int, float) or isinstance(a, Number) for a in operands):
            operands = tuple(map(plain, operands))
        made = function(*operands, **keywords)
        import numpy
        return made.item() if isinstance(made, numpy.generic) and all(type(a) in (bool, int, float) for a in operands) else made
    call.__name__ = function.__name__
    for name in _METHODS:
        setattr(call, name, getattr(function, name))
    return call


_METHODS = ("reduce", "outer", "accumulate", "reduceat")
_TABLE: Dict[str, Any] = {}


def _functions() -> Dict[str, Any]:
    """NumPy's, and what the language has beside them."""
    if _TABLE:
        return _TABLE
    import numpy
    from . import _names
    made: Dict[str, Any] = {}
    for name in dir(numpy):
        hidden = name.startswith(("_", "from", "load", "save", "gen", "get", "set", "show")) or name in _LEFT_OUT
        found = None if hidden else getattr(numpy, name, None)
        if isinstance(found, numpy.ufunc):
            made[name] = _of_numbers(found)
        elif callable(found) and not isinstance(found, type) and not isinstance(found, types.ModuleType):
            made[name] = found
    for name in OWN:
        if not hasattr(numpy, name):
            made[name] = _own(name)
    for name in _REDUCERS:
        made[name] = _own(name)
    for name in NAMES:
        if NAMES[name] in DTYPES_BY:
            made[name] = _cast(name, False)
    for name in WIDTH:
        if name in DTYPES_BY:
            made[name] = _cast(name, True)
    for name, word in (("expit", "expit"), ("logit", "logit"), ("xlogy", "xlogy"), ("xlog1py", "xlog1py")):
        made[name] = _of_scipy(_names.FUNCTIONS[word], name)
    made.update(_both=_both, _either=_either, _neither=_neither, _choice=_choice, _where=_where, log=_log, max=_extreme("max", "maximum"), select=_select,
                min=_extreme("min", "minimum"), len=len, **{word: _Module(word) for word in MODULES})
    own = {"reshape": _own_sizes(0, True), "broadcast_to": _own_sizes(-1, False)}
    made.update({name: _listed(made[name], own.get(name)) for name in ("transpose", "reshape", "flip", "squeeze", "tile", "expand_dims", "broadcast_to")})
    made.update(permute=made["transpose"], unsqueeze=made["expand_dims"], clamp=_clip, pad=_pad,
                clip=_clip, **dict.fromkeys(("concatenate", "cat", "concat"), _concatenate))
    _TABLE.update(made)
    return _TABLE


def _of_scipy(function: Any, name: str) -> Callable[..., Any]:
    def call(*operands: Any) -> Any:
        if any(map(_of_trace, operands)):
            return function(*operands)
        from . import jit
        import numpy
        return jit(_LAMBDAS[len(operands)](function))(*map(numpy.asarray, operands))
    call.__name__ = name
    return call


_LAMBDAS = {1: lambda function: lambda x: function(x), 2: lambda function: lambda x, y: function(x, y)}
# Of arrays: none that reads or writes files, or gives memory away.
_ATTRIBUTES = set("""T mT real imag shape ndim size dtype itemsize nbytes all any argmax argmin argpartition argsort astype clip compress conj conjugate copy
cumprod cumsum diagonal dot flatten max mean min nonzero prod ptp ravel repeat reshape round searchsorted sort squeeze std sum swapaxes take trace transpose
var""".split())
_LINALG = set("cholesky cond cross det diagonal eig eigh eigvals eigvalsh inv lstsq matmul matrix_norm matrix_power matrix_rank multi_dot norm outer pinv qr"
              " slogdet solve svd svdvals tensordot tensorinv tensorsolve trace vecdot vector_norm".split())
# What reads files, draws numbers, or changes what it is given.
_LEFT_OUT = {"load", "loadtxt", "save", "savetxt", "savez", "savez_compressed", "fromfile", "fromregex", "genfromtxt", "memmap", "copyto", "put", "place", "putmask",
             "fill_diagonal", "put_along_axis", "test", "show_config", "show_runtime", "info", "set_printoptions", "get_printoptions", "seterr", "seterrcall",
             "setbufsize", "vectorize", "frompyfunc", "fromfunction", "fromiter", "apply_along_axis", "apply_over_axes", "nditer", "ndenumerate", "ndindex", "asarray_chkfinite",
             "empty", "printoptions", "errstate", "from_dlpack", "array2string", "array_repr", "array_str", "geterr", "geterrcall", "getbufsize", "piecewise", "contains", "copy",
             "isfortran", "shares_memory", "may_share_memory", "array_split", "block", "bmat"} - {"piecewise", "copy"}


# ------------------------------------------------------------------------------------------------
# Texts

class TextFunction:
    """A text as a function. `strict`: NumPy has no part but arrays that views need; what it would compute as it is written is refused, so that
    results have the bits of kernels, whatever sizes and strides a call has."""

    def __init__(self, jit: Jit, strict: bool = False):
        self.jit, self.strict = jit, strict
        if strict:
            setattr(jit, "plain", _not_as_written)

    def __call__(self, engine: Any, operands: Tuple[Any, ...], out: Any, casting: str) -> Any:
        import numpy
        if self.strict:  # of which every reshape is a view
            operands = tuple(a.copy() if isinstance(a, numpy.ndarray) and not a.flags.c_contiguous else a for a in operands)
        thread = threading.get_ident()
        self.jit.engines[thread] = engine
        try:
            with numpy.errstate(all="ignore"):
                made = self.jit.function(*operands)
        finally:
            self.jit.engines.pop(thread, None)
        if made is None:
            wrong("the text gives no array")
        if out is not None:
            several, outs = made if type(made) is tuple else (made,), out if type(out) is tuple else (out,)
            if len(several) != len(outs):
                wrong(f"out: a tuple of {len(several)} arrays is needed, one for each result")
            for result, to in zip(several, outs):
                if numpy.shape(result) != tuple(numpy.shape(to)):
                    wrong(f"the result has the shape {numpy.shape(result)}, and out {tuple(numpy.shape(to))}")
            for result, to in zip(several, outs):
                numpy.copyto(numpy.asarray(to), result, casting=casting)
            return out
        arrays = lambda a: tuple(map(arrays, a)) if type(a) is tuple else numpy.asarray(a) if isinstance(a, (numpy.generic, bool, int, float)) else a
        return arrays(made)


def _not_as_written(*given: Any) -> NoReturn:
    wrong("no kernel computes it")


def function_of(statements: Sequence[Any], text: str, operands: Sequence[str], strict: bool = False) -> Optional[TextFunction]:
    """Of statements; None where they have what neither Python nor NumPy gives arrays a meaning for."""
    if "numpy" not in sys.modules:
        return None
    assigned: List[str] = []
    results: List[str] = []
    body: List[Any] = []
    try:
        for k, node in enumerate(statements):
            target = node.targets[0].id if hasattr(node, "targets") else f"_result_{k}"
            if any(not isinstance(part, _ALLOWED) for part in ast.walk(node.value)):
                return None
            value = _Write([*operands, *assigned]).visit(node.value)
            later = any(isinstance(part, ast.Name) and part.id == target for other in statements[k + 1:] for part in ast.walk(other.value))
            assigned.append(target)
            results += [] if later else [target]
            body.append(ast.Assign([ast.Name(target, ast.Store())], value))
        names = [ast.Name(name, ast.Load()) for name in dict.fromkeys(results)]
        body.append(ast.Return(names[0] if len(names) == 1 else ast.Tuple(list(names), ast.Load())))
        arguments = ast.arguments([], [ast.arg(name) for name in operands], None, [], [], None, [])
        module = ast.Module([ast.FunctionDef("text", arguments, body, [], None)], [])
        for part in ast.walk(module):
            if isinstance(part, ast.FunctionDef):
                part.type_params = []  # of Python 3.12
        space: Dict[str, Any] = dict(_functions(), __builtins__={})
        exec(compile(ast.fix_missing_locations(module), f"<{text}>", "exec"), space)
    except (_Foreign, RecursionError, SyntaxError, ValueError, MemoryError):
        return None
    return TextFunction(Jit(space["text"], {}), strict)

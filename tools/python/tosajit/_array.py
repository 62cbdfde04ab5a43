# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays without elements. In: a function that computes with arrays. Out: what it computes, as
values of the library's language. An Array answers Python's operators, NumPy's methods, ufuncs and
functions as an array of NumPy does; a Number stands for a number of Python that comes with a call.
An operation that no kernel computes raises Left, and NumPy does it."""
from __future__ import annotations

import _ast
import operator
import sys
import weakref

from ._arithmetic import (BINARY, DIM, FLOATS, GAP, INTEGERS, MOST_LETTERS, NAMES, ONE, WIDTH,
                          Value, astype, invert, kind, literal, loose, may_cast, number,
                          names_in, positive)
from ._orders import Orders
from ._program import Weak, spelled, write
from ._tosajit import ArgumentError, Error
from ._views import Views, at_places, listed, place_dimensions

TYPE_CHECKING = False  # module typing takes longer to load than everything else here
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, List, NoReturn, Optional, Sequence, Tuple

    Sizes = Optional[Tuple[int, ...]]

# NumPy's names of the language's types.
DTYPES = {"i1": "bool", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64", "u8": "uint8",
          "u16": "uint16", "u32": "uint32",
          "u64": "uint64",
          "f16": "float16", "f32": "float32", "f64": "float64"}
TYPES = {name: own for own, name in DTYPES.items()}


_MOST_STATEMENTS, _MOST_ITEMS = 900, 1000


class Left(Exception):
    """An operation that no kernel computes."""


class Lasting(Left):
    """An operation that no kernel computes, whatever the operands are."""


class Unknown(ArgumentError):
    """A function asks for what is known in a call alone."""


Unknown.__module__, Unknown.__name__, Unknown.__qualname__ = ("tosajit", "ArgumentError",
                                                              "ArgumentError")  # as callers see it


def left(why: str) -> NoReturn:
    raise Left(why)


def _place() -> str:
    """File and line of the function that is traced."""
    frame = sys._getframe(1)
    while (frame.f_back and frame.f_globals.get("__name__",
                                                "").split(".")[0] in ("tosajit", "numpy")):
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


def _unknown(sentence: str) -> NoReturn:
    if sys._getframe(2).f_globals.get("__name__", "").split(".")[0] in ("tosajit", "numpy"):
        left("an argument of one of NumPy's functions is an array")
    error = Unknown(f"{_place()}: {sentence}")
    error.status = "TOSAJIT_INVALID_ARGUMENT"
    raise error


def dtype_name(dtype: Any) -> str:
    """The language's type of what NumPy takes for one."""
    import numpy
    dtype = numpy.dtype(dtype)
    own = TYPES.get(dtype.name, "")
    if not own or dtype.byteorder == ">":
        left(f"no kernel has elements of {dtype.name}")
    return own


# ------------------------------------------------------------------------------------------------
# Sizes

def broadcast(*several: Sizes) -> Sizes:
    """Nothing where a size is not known, or sizes do not fit: a call says so."""
    first = several[0] if several else ()
    if several.count(first) == len(several):
        return first
    own = [sizes for sizes in several if sizes != ()]
    if own.count(own[0]) == len(own):
        return own[0]
    longest, found = max(len(sizes) if sizes is not None else 0 for sizes in several), []
    for k in range(longest, 0, -1):
        column = {sizes[-k] for sizes in several if sizes is not None and k <= len(sizes)} - {1}
        if len(column) > 1:
            return None
        found.append(column.pop() if column else 1)
    return None if None in several else tuple(found)


class Trace:
    """A function on its way to a kernel. `operands` have names, types, kinds where they are
    numbers, and sizes or objects."""

    def __init__(self, names: Sequence[str], types: Sequence[str], weak: Sequence[str],
                 ranks: Sequence[int], sizes: Sequence[Sizes],
                 scalars: Optional[Dict[int, Any]] = None, loose: bool = False,
                 taken: Sequence[str] = ()):
        self.loose = loose  # functions of Python's numbers are such numbers
        self.scalars = scalars or {}  # operands that are NumPy's scalars, which a call knows
        self.names, self.types, self.weak, self.ranks = (list(names), list(types), list(weak),
                                                         list(ranks))
        self.spelled = [spelled(name, k) for k, name in enumerate(self.names)]
        self.text = Views([*self.spelled, *names, *taken])
        self.orders = Orders()
        self.count = len(self.names)  # of those that come with a call; constants follow
        self.extras: List[Any] = []  # constants, and what steps have computed
        self.sized = False  # the function has asked for sizes
        self.ones = False  # or only for those that are 1
        self.cuts = False  # sizes of 1 may be made of others
        self.fitted: List[str] = []  # what there is for some sizes alone
        self.asked: set = set()  # numbers that it has asked for
        self.written: Dict[int, Array] = {}  # operands that it has assigned to
        self.views: List[Array] = []  # of arrays, changed, and not yet put back
        self.steps: Optional[Any] = None  # of a function that NumPy computes in between (_steps.py)
        self.cut = False  # what the library may not see through is computed at once
        self.arrays: List[Any] = [None if how else Array(self, Value(own_name, own_type, places=(DIM,) * rank), own_sizes, operand=k)
                       for k, (own_name, own_type, how, rank, own_sizes) in enumerate(zip(self.spelled, types, weak, ranks, sizes))]
        for k, scalar in self.scalars.items():
            self.arrays[k].decided = {k}, lambda scalar=scalar: scalar

    @property
    def for_sizes(self) -> Optional[bool]:
        """True if the kernel is for these sizes alone; None: for sizes that repeat along the same
        dimensions."""
        return self.sized or self.ones and (True if self.cuts else None)

    def known(self, a: Array) -> Any:
        """The element of an operand that is a scalar of NumPy: the kernel is then for this element.
        A call may ask, too, for a
        number that is made of such elements."""
        if a.decided is not None:
            self.asked |= a.decided[0]
            return a.decided[1]()
        read, names = names_in(a.value.text), {self.spelled[k] for k in self.scalars}
        for name, text in reversed(self.text.statements):
            read |= names_in(text) if name in read else set()
        if names and not read & (set(self.spelled) - names):
            left("a number of NumPy decides")
        return None

    def misfit(self, why: str) -> NoReturn:
        """Leave an operation that a kernel could compute for other sizes."""
        self.sized = True
        raise Left(why)

    def weak_value(self, k: int) -> Value:
        own = {"b": "i1", "i": "i64", "f": "f64"}[self.weak[k]]
        return Value(f"\1{k}:{own}\2", own, self.weak[k], operand=k, fits=self.types[k])

    # --------------------------------------------------------------------------------------------
    # What an operand may be

    def constant(self, array: Any) -> Array:
        """An array of NumPy that the function has made, or found."""
        for k, known in enumerate(self.extras):
            if known is array:
                return self.arrays[self.count + k]
        made = self.extra(array)
        if self.steps is not None:
            self.steps.note_constant(array)
        return made

    def fresh(self, array: Any) -> Array:
        """An array of NumPy that nobody else has."""
        known = self.constant(array)
        made = Array(self, known.value, known.sizes)
        made.stays = True
        return made

    def extra(self, array: Any) -> Array:
        """One more operand."""
        k = len(self.extras)
        if self.count + k >= 56:
            left("it has more arrays than a kernel")
        self.extras.append(array)
        self.names.append(f"constant_{k + 1}")
        self.types.append(dtype_name(array.dtype))
        self.weak.append("")
        self.ranks.append(array.ndim)
        place, name = len(self.names) - 1, self.names[-1]
        while name in self.spelled:
            name += "_"
        self.spelled.append(name)
        self.text.moved.add(name)
        self.arrays.append(Array(self, Value(name, self.types[-1], places=(DIM,) * array.ndim),
                                 array.shape, operand=place))
        return self.arrays[-1]

    def operand(self, a: Any) -> Any:
        """An operand of an operator: an Array, or a Value that is a number."""
        return a if type(a) in _OPERANDS else self.array(a)

    def array(self, a: Any) -> Array:
        """As an array, with a type of its own."""
        if isinstance(a, Array):
            return a
        if type(a) is Number and self.loose:
            return self.loosely(a.value, a.depends, a.ask)
        if type(a) is Number:
            value = self.text.typed(a.value, self.text.common(a.value))
            return Array(self, self.text.name(value), ())
        numpy: Any = sys.modules.get("numpy")
        if (isinstance(a, (bool, int, float)) and not (numpy is not None
                                                       and isinstance(a, numpy.generic))):
            value = number(a)
            if self.loose:
                return self.loosely(Value(literal(a, self.text.common(value)),
                                          self.text.common(value), kind(value)), set(), lambda: a)
            return Array(self, self.text.typed(value, self.text.common(value)), ())
        if isinstance(a, numpy.generic):
            own = dtype_name(a.dtype)
            return Array(self, Value(literal(a.item(), own), own), ())
        if isinstance(a, numpy.ndarray):
            if type(a) is not numpy.ndarray:
                left(f"{type(a).__name__} has a meaning of its own")
            return self.constant(a)
        if isinstance(a, (list, tuple)):
            if _holds(a):
                from ._names import FUNCTIONS
                return FUNCTIONS["stack"](list(a))
            made = self.written_out(a) if self.loose else None
            return made if made is not None else self.constant(numpy.array(a))
        return left(f"{type(a).__name__} is no array")

    def loosely(self, value: Value, depends: set, number: Callable[[], Any]) -> Array:
        """A number, which has no type of its own."""
        made = Array(self, value, ())
        made.python, made.decided = True, (depends, number)
        return made

    def written_out(self, a: Any) -> Optional[Array]:
        """Nested lists of numbers, of which NumPy makes int64, float64 or bool."""
        numbers, shape = [a], []
        while numbers and all(isinstance(item, (list, tuple)) for item in numbers):
            shape.append(len(numbers[0]))
            if not shape[-1] or any(len(item) != shape[-1] for item in numbers):
                return None
            numbers = [part for item in numbers for part in item]
        if not numbers or any(type(n) not in (bool, int, float) for n in numbers):
            return None
        kinds = [kind(number(n)) for n in numbers]
        own = "f64" if "f" in kinds else "i64" if "i" in kinds else "i1"
        spelling = [literal(n, own).partition("(")[2][:-1] for n in numbers]
        for n in reversed(shape):
            spelling = [f"[{', '.join(spelling[k:k + n])}]" for k in range(0, len(spelling), n)]
        return Array(self, self.text.name(Value(f"{own}({spelling[0]})", own,
                                                places=(DIM,) * len(shape))), tuple(shape))

    @staticmethod
    def value(a: Any) -> Value:
        return a.value if isinstance(a, (Array, Number)) else number(a)

    # --------------------------------------------------------------------------------------------
    # Operations

    def settled(self) -> None:
        if self.views:
            left("a view of an array is changed, and the array is read")

    def apply(self, function: Callable[..., Value], *operands: Any) -> Array:
        """A function of each element."""
        self.settled()
        t = self.text
        if len(t.statements) > _MOST_STATEMENTS:
            left("it has more operations than a kernel")
        arrays, values, masked = [], [], False
        for a in operands:
            if type(a) is Array:
                arrays.append(a)
                values.append(a.value)
                masked = masked or a.mask is not None
            elif a is not None:
                values.append(self.value(a))
        aligned = t.aligned(values)
        if len(values) == len(operands):
            value = function(t, *aligned)
        else:
            given = iter(aligned)
            value = function(t, *[None if a is None else next(given) for a in operands])
        if value.number is not None:
            value = t.typed(value, t.common(value))
        python = loose(*values) and all([a.python for a in arrays])
        weak = {"i1": "b", "i64": "i", "f64": "f"}.get(value.type, "") if python else ""
        mask = self.common_mask(arrays) if masked else None
        sizes = None if mask is not None else broadcast(*[a.sizes for a in arrays])
        if sizes is None and mask is None and not self.loose:
            self.misfit("sizes that do not fit")
        made = Array(self, t.named(value.text, value.type, weak, t.joint(aligned),
                                   MOST_LETTERS if self.loose else 0), sizes, mask=mask)
        made.python = python
        several = [a.order if a.order is not None else a.value.text
                   for a in arrays if a.value.places and a.value.rank]
        if len(several) > 1:
            self.fitted.append(made.value.text)
        return self.note(made, Orders.join, several)

    def is_read(self, texts: Sequence[str]) -> bool:
        """True if kernels compute every operation for which sizes must fit. Otherwise a call must
        have the sizes of this call,
        and NumPy tells misfits."""
        read = names_in(*texts)
        return all(text in read if text.isidentifier() else any(text in other for other in texts)
                   for text in self.fitted)

    @staticmethod
    def common_mask(arrays: Sequence[Array]) -> Array:
        """That of arrays of which one has a mask."""
        masks = [a.mask for a in arrays if a.mask is not None]
        for a in arrays:
            if a.value.rank if a.mask is None else a.mask.value.text != masks[0].value.text:
                left("elements where a mask is true meet others")
        return masks[0]

    @staticmethod
    def order(a: Array) -> Any:
        """In which the array is laid, as a note (_orders.py)."""
        return a.order if a.order is not None else a.value.text

    def note(self, made: Array, *note: Any) -> Array:
        """How an array is made; its own where others have its text: a reduction's says nothing of
        the dimension that is left out, or comes back."""
        if (made.value.text in self.spelled
            or self.orders.notes.setdefault(made.value.text, note) != note):
            made.order = note
        return made

    def leave(self, function: Any, args: Any, keywords: Any) -> Any:
        if self.steps is not None:
            return self.steps.call(function, args, keywords)
        return left(f"{getattr(function, '__name__', function)} is no kernel's")

    def solid(self, array: Array) -> Array:
        """Of what is put together of pieces, and views of what is computed: all that is made of it
        is another kernel's."""
        if self.cut and self.steps is not None and array.sizes is not None:
            self.steps.compute([array])
        return array

    def binary(self, sign: Any, a: Any, b: Any) -> Any:
        a, b = self.operand(a), self.operand(b)
        if sign is _ast.MatMult and (self.loose or isinstance(a, Array) or isinstance(b, Array)):
            return self.product(a, b)
        if self.loose:
            return self.decide(self.apply(BINARY[sign], a, b), PLAIN[sign], a, b)
        if not isinstance(a, Array) and not isinstance(b, Array):
            return numbers(sign, a, b)
        if sign is _ast.Pow and isinstance(a, Array):
            if a.value.type == "i1" and isinstance(b, Number):
                b = plain(b)  # whose square has a type of its own
            if a.mask is None and not a.ndim and not a.stays:
                # of scalars, which have no way of their own for squares
                return self.apply(lambda t, x, y: t.power(x, y), a, b)
        return self.apply(BINARY[sign], a, b)

    @staticmethod
    def product(a: Any, b: Any) -> Any:
        from ._names import FUNCTIONS
        return FUNCTIONS["matmul"](a, b)

    def unary(self, make: Any, function: Any, a: Any) -> Array:
        return self.decide(self.apply(make, a), function, a)

    @staticmethod
    def decide(made: Array, function: Callable[..., Any], *operands: Any) -> Array:
        """A number that is made of numbers of the call may be asked for, too."""
        for a in operands:
            if type(a) is Array and a.decided is None:
                return made
        depends = {k for a in operands if not isinstance(a, (bool, int, float))
                   for k in (a.decided[0] if isinstance(a, Array) else a.depends)}
        made.decided = depends, lambda: function(*[a.decided[1]() if isinstance(a, Array)
                                                   else plain_type(a) for a in operands])
        return made

    def compare(self, sign: str, a: Any, b: Any) -> Any:
        a, b = self.operand(a), self.operand(b)
        if not isinstance(a, Array) and not isinstance(b, Array) and not self.loose:
            return _COMPARED[sign](plain(a), plain(b))
        return self.decide(self.apply(lambda t, x, y: t.compare(sign, x, y), a, b), _COMPARED[sign],
                           a, b)

    def reduce(self, name: str, operands: Sequence[Array], axes: Sequence[int], keepdims: bool,
               dtype: str, **keys: Any) -> Array:
        """A reduction of the language along axes of the first operand, computed in a type."""
        self.settled()
        if any(a.mask is not None for a in operands):
            left("elements where a mask is true are an array of their own")
        t = self.text
        x, *more = t.aligned([t.array(a.value) for a in operands])
        at, rest = at_places(x), [f"{key}={value!r}" for key, value in keys.items()]
        sizes = operands[0].sizes
        last = name in ("softmax", "log_softmax", "layer_norm", "rms_norm")
        if sizes is not None and not last:
            sizes = tuple(1 if k in axes else n for k, n in enumerate(sizes) if keepdims
                          or k not in axes)
        if name in ("max", "min") and axes:
            x = t.name(x)
            t.needs_elements(x, sorted(at[axis] for axis in axes),
                             f"there is no {name} of no elements; NumPy has none either")
            name = name if dtype != "i1" else "any" if name == "max" else "all"
        parts = [t.cast(x, dtype), *[t.cast(value, dtype) for value in more]]
        parts += [f"axis={listed(sorted(at[axis] for axis in axes))}"] if axes else []
        if not axes and name in ("var", "std", "norm", "logsumexp"):
            if not self.loose or operands[0].ndim:
                left(f"{name} of one number")
            return Array(self, t.name(Value(f"{name}({', '.join(parts + rest)}, keepdims=True)",
                                            dtype, places=x.places)), sizes)
        if last:
            made = Array(self, t.name(Value(f"{name}({', '.join(parts + rest)})", dtype,
                                            places=t.joint([x, *more]))), sizes)
            return self.note(made, Orders.join, [self.order(operands[0])])
        if not axes:
            return self.note(Array(self, Value(parts[0], dtype, places=x.places), sizes),
                             Orders.join, [self.order(operands[0])])
        stays, reduced = ONE if keepdims else GAP, {at[axis] for axis in axes}
        places = tuple(stays if k in reduced else place for k, place in enumerate(x.places))
        made = Array(self, t.name(Value(f"{name}({', '.join(parts + rest + ['keepdims=True'])})",
                                        dtype, places=places)), sizes)
        return self.note(made, Orders.reduced, self.order(operands[0]), operands[0].ndim, axes,
                         keepdims)

    def place(self, name: str, x: Array, axes: Sequence[int], keepdims: bool) -> Array:
        """argmax or argmin, along one axis or all."""
        self.settled()
        if x.mask is not None:
            left("elements where a mask is true are an array of their own")
        t = self.text
        value, = t.aligned([t.array(x.value)])
        value = t.name(value)
        at = at_places(value)
        t.needs_elements(value, sorted(at[axis] for axis in axes),
                         f"there is no {name} of no elements; NumPy has none either")
        text = (f"{name}({t.cast(value, 'i8' if value.type == 'i1' else value.type)}, "
                f"axis={listed(place_dimensions(at, axes))}, keepdims=True)")
        stays, reduced = ONE if keepdims else GAP, {at[axis] for axis in axes}
        places = tuple(stays if k in reduced else place for k, place in enumerate(value.places))
        sizes = x.sizes
        if sizes is not None:
            sizes = tuple(1 if k in axes else n for k, n in enumerate(sizes) if keepdims
                          or k not in axes)
        return Array(self, t.name(Value(f"i64({text})", "i64", places=places)), sizes)

    def scan(self, name: str, x: Array, axis: int, dtype: str) -> Array:
        """A scan: for each element the sum, say, of the elements up to it along an axis, computed
        in a type."""
        self.settled()
        if x.mask is not None:
            left("elements where a mask is true are an array of their own")
        t = self.text
        value, = t.aligned([t.array(x.value)])
        made = Value(f"{name}({t.cast(value, dtype)}, axis={at_places(value)[axis]})", dtype,
                     places=value.places)
        return self.note(Array(self, t.name(made), x.sizes), Orders.join, [self.order(x)])

    def take(self, x: Array, index: Array, axis: Optional[int]) -> Array:
        """Elements of an operand, or of a part of one, at whole numbers; along no axis it is one
        row."""
        self.settled()
        t = self.text
        if x.mask is not None or index.mask is not None:
            left("elements where a mask is true are an array of their own")
        if x.value.text not in t.moved or GAP in x.value.places or (axis is None and x.ndim != 1):
            left("elements are taken of operands, and of parts of these")
        if (index.value.type not in INTEGERS or index.value.number is not None
            or index.value.type == "u64" or GAP in index.value.places):
            left("a kernel takes elements by whole numbers that no reduction gave")
        value, at = t.dense(t.array(x.value)), t.dense(t.array(index.value))
        axis = axis or 0
        sizes = None
        if x.sizes is not None and index.sizes is not None:
            sizes = (*x.sizes[:axis], *index.sizes, *x.sizes[axis + 1:])
        made = Value(f"take({value.text}, {at.text}, {axis})", value.type,
                     places=(DIM,) * (x.ndim - 1 + index.ndim))
        made = t.name(made)
        t.taken.append(made.text)
        return Array(self, made, sizes)

    def scatter(self, name: str, x: Array, index: Array, new: Array) -> Array:
        """The array with updates along its first dimension, which an index says: in their order,
        put there or combined with what is there. An index of the array's rank has an element for
        each of the updates."""
        self.settled()
        t, own, rank = self.text, x.value.type, x.ndim
        if (any(a.mask is not None for a in (x, index, new))
            or x.sizes is None or index.sizes is None or new.sizes is None):
            return left("elements at positions are assigned")
        if (index.value.type not in INTEGERS or index.value.number is not None
            or index.value.type == "u64" or index.ndim not in (1, rank)):
            left("a kernel puts elements at whole numbers")
        shape = (*index.sizes[:1], *(index.sizes if index.ndim == rank else x.sizes)[1:])
        if (not rank or shape[1:] != tuple(x.sizes[1:]) or len(new.sizes) > rank
            or broadcast(new.sizes, shape) != shape or 0 in tuple(x.sizes) + shape):
            left("sizes that do not fit")
        self.sized = True
        base = t.array(x.value)
        if base.rank != rank or any(place != DIM for place in base.places):
            base = t.broadcast_to(base, list(x.sizes))
        at, value = t.dense(t.array(index.value)).text, t.array(new.value)
        value = t.dense(Value(astype(t, value, own).text, own, places=value.places))
        if index.ndim < rank:
            at = f"reshape({at}, {listed([-1] + [1] * (rank - 1))})"
        updates = value.text
        if len(new.sizes) < rank or value.rank < rank:
            sizes = [1] * (rank - len(new.sizes)) + list(new.sizes)
            updates = f"reshape({updates}, {listed(sizes)})"
        text = f"{name}({t.dense(base).text}, {at}, {updates}, mode=signed)"
        made = t.name(Value(text, own, places=(DIM,) * rank))
        t.taken.append(made.text)
        return Array(self, made, x.sizes)

    def number(self, a: Array) -> Array:
        """As a number of Python's."""
        if a.ndim:
            return a
        value = self.text.name(self.text.dense(a.value))
        made = Array(self, Value(value.text, value.type,
                                 {"i1": "b", "i64": "i", "f64": "f"}[value.type]), ())
        made.python = True
        return made

    # --------------------------------------------------------------------------------------------
    # The end

    def laid(self, results: Sequence[Any]) -> Optional[Tuple[Any, ...]]:
        """How a kernel's results are laid; nothing: in C's order."""
        found = tuple([self.orders.program(self.orders.order(self.order(a), self.spelled))
                       if isinstance(a, Array) and a.value.rank > 1 else None
                       for a in results])
        return found if any(found) else None

    def write(self, results: Sequence[Array]) -> Tuple[str, Optional[str], Tuple[str, ...], bool]:
        """The texts of a kernel and its guard (_program.py)."""
        self.settled()
        if any(a.mask is not None for a in results):
            left("elements where a mask is true are an array of their own")
        t = self.text
        named = [("", t.dense(t.array(a.value))) for a in results]
        return write(t, named, Weak(self.names, self.spelled, self.types, self.weak), self.ranks)


# ------------------------------------------------------------------------------------------------
# Numbers

PLAIN: Dict[Any, Callable[..., Any]] = {
    _ast.Add: operator.add, _ast.Sub: operator.sub, _ast.Mult: operator.mul,
                                        _ast.Div: operator.truediv,
                                        _ast.FloorDiv: operator.floordiv,
    _ast.Mod: operator.mod, _ast.Pow: operator.pow, _ast.LShift: operator.lshift,
                                        _ast.RShift: operator.rshift, _ast.BitAnd: operator.and_,
    _ast.BitOr: operator.or_, _ast.BitXor: operator.xor, _ast.MatMult: operator.matmul}
_COMPARED = {"==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le,
             ">": operator.gt, ">=": operator.ge}


def plain(a: Any) -> Any:
    """The number itself, which the kernel then is made for."""
    return a.ask() if isinstance(a, Number) else a


def numbers(sign: Any, a: Any, b: Any) -> Any:
    """Python's own numbers: floats are added, subtracted and multiplied by the kernel, everything
    else here."""
    kinds = {type(plain_type(n)) for n in (a, b)}
    real = (float in kinds and kinds <= {int, float}
            and all(isinstance(n, Number) or abs(n) < 1 << 53 for n in (a, b)))
    if not real or sign not in (_ast.Add, _ast.Sub, _ast.Mult):
        if not real or sign is not _ast.Div or isinstance(b, Number) or b == 0:
            return PLAIN[sign](plain(a), plain(b))
    found = next(n for n in (a, b) if isinstance(n, Number))
    t = found.program.text
    values = [n.value if isinstance(n, Number) else number(n) for n in (a, b)]
    value = t.name(BINARY[sign](t, *[Value(t.cast(v, "f64"), "f64") for v in values]))
    number_now = PLAIN[sign](*[n.number if isinstance(n, Number) else n for n in (a, b)])
    asked = {k for n in (a, b) if isinstance(n, Number) for k in n.depends}
    return Number(found.program, Value(value.text, "f64", "f"), number_now, asked)


def plain_type(a: Any) -> Any:
    return a.number if isinstance(a, Number) else a


class _Operators:
    """Operators that arrays and numbers share."""

    __slots__ = ()
    __array_priority__ = 1e6
    program: Trace


def _binary(sign: Any) -> Tuple[Callable[..., Any], Callable[..., Any]]:
    return (lambda self, other: self.program.binary(sign, self, other), lambda self, other: self.program.binary(sign, other, self))


for _sign, _word in ((_ast.Add, "add"), (_ast.Sub, "sub"), (_ast.Mult, "mul"),
                     (_ast.Div, "truediv"), (_ast.FloorDiv, "floordiv"),
                     (_ast.Mod, "mod"), (_ast.Pow, "pow"), (_ast.LShift, "lshift"),
                     (_ast.RShift, "rshift"), (_ast.BitAnd, "and"),
                     (_ast.BitOr, "or"), (_ast.BitXor, "xor"), (_ast.MatMult, "matmul")):
    _forward, _backward = _binary(_sign)
    setattr(_Operators, f"__{_word}__", _forward)
    setattr(_Operators, f"__r{_word}__", _backward)
for _letters, _word in (("==", "eq"), ("!=", "ne"), ("<", "lt"), ("<=", "le"), (">", "gt"),
                        (">=", "ge")):
    setattr(_Operators, f"__{_word}__", (lambda letters: lambda self, other: self.program.compare(letters, self, other))(_letters))


class Number(_Operators):
    """A number of Python that comes with the call, or is made of such. Where its value is asked
    for, as by an `if` or an axis, the kernel is made for that value."""

    __slots__ = ("program", "value", "number", "depends")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, trace: Trace, value: Value, number: Any, depends: set):
        self.program, self.value, self.number, self.depends = trace, value, number, depends

    def ask(self) -> Any:
        self.program.asked |= self.depends
        return self.number

    def __index__(self) -> int:
        return operator.index(self.ask())

    def __neg__(self) -> Any:
        return numbers(_ast.Mult, self, -1.0) if isinstance(self.number, float) else -self.ask()

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **keywords: Any) -> Any:
        return ufunc_of(self.program, ufunc, method, inputs, keywords)

    def __array_function__(self, function: Any, types: Any, args: Any, keywords: Any) -> Any:
        return function_of(self.program, function, args, keywords)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        import numpy
        return numpy.array(self.ask(), dtype)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.ask(), name)


for _word, _function in (("bool", bool), ("int", int), ("float", float), ("complex", complex),
                         ("pos", operator.pos), ("abs", abs),
                         ("invert", operator.invert), ("str", str), ("repr", repr), ("trunc", int)):
    setattr(Number, f"__{_word}__", (lambda function: lambda self: function(self.ask()))(_function))
setattr(Number, "__round__", lambda self, *digits: round(self.ask(), *map(plain, digits)))
setattr(Number, "__format__", lambda self, form: format(self.ask(), form))


# ------------------------------------------------------------------------------------------------
# Arrays

class Array(_Operators):
    """An array of the trace. `sizes` are those of the call that is traced."""

    __slots__ = ("program", "value", "sizes", "operand", "base", "key", "seen", "mask", "python",
                 "stays", "decided", "order", "__weakref__")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, trace: Trace, value: Value, sizes: Sizes, operand: Optional[int] = None,
                 mask: Any = None):
        self.program, self.value, self.sizes, self.operand = trace, value, sizes, operand
        self.mask: Optional[Array] = mask  # elements where this is true are what the array is
        self.stays = False  # an array also where it has no dimension, as views are
        self.python = False  # a number of Python's, as some of NumPy's functions give it
        self.order: Any = None  # where its value does not say it
        # by an operand that is a scalar of NumPy: its place, and the element
        self.decided: Any = None
        self.base: Optional[Array] = None  # of a view: what it is a view of
        self.key: Any = None
        self.seen: List[Any] = []  # weak references to its views

    def _view(self, value: Value, sizes: Sizes, key: Any = None) -> Array:
        """Of elements that are this array's own."""
        if self.mask is not None:
            left("elements where a mask is true are an array of their own")
        made = Array(self.program, value, sizes)
        made.base, made.key, made.stays = self, key, key is None and (self.stays or self.ndim > 0)
        self.seen.append(weakref.ref(made))
        return made

    # --------------------------------------------------------------------------------------------
    # What is known

    @property
    def dtype(self) -> Any:
        import numpy
        return numpy.dtype(DTYPES.get(self.value.type) or left(f"NumPy has no {self.value.type}"))

    @property
    def ndim(self) -> int:
        if self.mask is not None:
            left("elements where a mask is true are an array of their own")
        return self.value.rank

    @property
    def shape(self) -> Tuple[int, ...]:
        if self.sizes is None:
            self.program.misfit("sizes that do not fit")
        self.program.sized = self.program.sized or self.ndim > 0
        return self.sizes

    @property
    def size(self) -> int:
        count = 1
        for n in self.shape:
            count *= n
        return count

    @property
    def itemsize(self) -> int:
        return self.dtype.itemsize

    @property
    def nbytes(self) -> int:
        return self.size * self.itemsize

    def __len__(self) -> int:
        if not self.ndim:
            raise TypeError("len() of unsized object")
        return self.shape[0]

    def __iter__(self) -> Any:
        if len(self) > _MOST_ITEMS:
            left("a loop over many elements")
        return iter([self[k] for k in range(len(self))])

    def __array_namespace__(self, api_version: Any = None) -> Any:
        import numpy
        return numpy

    # --------------------------------------------------------------------------------------------
    # What is not

    def __bool__(self) -> bool:
        known = self.program.known(self)
        return (bool(known) if known is not None else _unknown("an if, while, and, or, not or "
                                                               "assert asks for the truth of an "
                                                               "array, which only a call knows; "
                                                               "write np.where(c, a, b), or & | ~"))

    def __float__(self) -> float:
        known = self.program.known(self)
        return (float(known) if known is not None else _unknown("float() asks for an element of an "
                                                                "array, which only a call knows; "
                                                                "compute with the array itself"))

    def __int__(self) -> int:
        known = self.program.known(self)
        return (int(known) if known is not None else _unknown("int() asks for an element of an "
                                                              "array, which only a call knows; "
                                                              "compute with the array itself"))

    def __index__(self) -> int:
        known = self.program.known(self)
        return (operator.index(known) if known is not None else left("an element of an array is an "
                                                                     "index"))

    def __complex__(self) -> complex:
        return left("complex numbers")

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return left("a function that is not NumPy's reads elements")

    @property
    def __array_interface__(self) -> Any:
        return left("a function that is not NumPy's reads elements")

    def __contains__(self, item: Any) -> bool:
        return _unknown("in asks for elements of an array, which only a call knows; write np.any(x "
                        "== item)")

    def __repr__(self) -> str:
        return (f"<traced array of {DTYPES.get(self.value.type, self.value.type)}, {self.ndim} "
                "dimensions>")

    # --------------------------------------------------------------------------------------------
    # Operators of one array

    def __neg__(self) -> Array:
        return self.program.apply(lambda t, x: t.negate(x), self)

    def __pos__(self) -> Array:
        return self.program.apply(positive, self)

    def __invert__(self) -> Array:
        return self.program.apply(invert, self)

    def __abs__(self) -> Array:
        from ._names import FUNCTIONS
        return FUNCTIONS["absolute"](self)

    def __round__(self, digits: int = 0) -> Array:
        from ._names import FUNCTIONS
        return FUNCTIONS["round"](self, digits)

    def __divmod__(self, other: Any) -> Any:
        return self // other, self % other

    def __rdivmod__(self, other: Any) -> Any:
        return other // self, other % self

    # --------------------------------------------------------------------------------------------
    # Assignments

    def assign(self, new: Array, casting: str, beside: Optional[Array] = None) -> None:
        """This array has these elements from now on. `beside`: a view that may exist."""
        t = self.program
        if self.operand is not None and self.operand >= t.count:
            left("an array of NumPy's own is assigned to")
        if t.steps is not None and t.steps.views:
            left("an array is changed, and NumPy has made what may be a view")
        if not may_cast(new.value.type, self.value.type, casting):
            left(f"{new.value.type} is assigned to {self.value.type}")
        if (new.value.rank > self.value.rank or new.sizes is None or self.sizes is None
            or broadcast(new.sizes, self.sizes) != self.sizes):
            t.misfit("sizes that do not fit")
        value = t.text.array(new.value)
        value = Value(astype(t.text, value, self.value.type).text, self.value.type,
                      places=new.value.places)
        if new.sizes != self.sizes:
            t.sized = True
            value = t.text.broadcast_to(value, list(self.sizes))
        t.ones = t.ones or new.value.rank > 0
        if self.base is not None and self.key is not None:
            t.settled()
            t.views.append(self)
        elif (self.base is not None or any(view() is not None and view() is not beside
                                           for view in self.seen)):
            left("a view of an array is changed, or an array that has views")
        if self.operand is not None:
            t.written[self.operand] = self
        self.order = t.order(self)
        self.value = t.text.name(value)

    def fill_with(self, made: Array) -> None:
        """As out=. Later results may be repeated in it, or not fit."""
        self.program.sized = self.program.sized or made.value.rank > 0
        self.assign(made, "same_kind")

    def augment(self, sign: Any, other: Any) -> Any:
        t = self.program
        made = t.binary(sign, self, other)
        if not isinstance(made, Array):
            return made
        if self.mask is not None:  # a copy
            if not may_cast(made.value.type, self.value.type, "same_kind"):
                left(f"{made.value.type} is assigned to {self.value.type}")
            return Array(t, Value(astype(t.text, made.value, self.value.type).text, self.value.type,
                                  places=made.value.places), None, mask=self.mask)
        if not self.ndim and not self.stays:  # a scalar is another one from now on
            return made
        self.assign(made, "same_kind")
        return self

    def __getitem__(self, key: Any) -> Any:
        t = self.program
        t.settled()
        if (isinstance(key, Array) and key.value.type == "i1"
            and key.sizes == self.sizes is not None and self.mask is key.mask is None
            and key.value.rank):
            return Array(t, self.value, None, mask=key)
        if self.mask is not None:
            left("elements where a mask is true are an array of their own")
        items = self.items(key)
        if (items is None and isinstance(key, Array) and self.ndim and key.ndim
            and key.value.type in INTEGERS):
            try:
                return t.note(t.take(self, key, 0), Orders.taken, [t.order(self), t.order(key)])
            except Left:
                pass
        if items is None:
            return t.leave(operator.getitem, (self, key), {})
        if _is_cut(self, items):
            t.sized = True
            return t.leave(sliced, (self, key), {})
        if self.value.text not in t.text.moved:
            t.solid(self)
        whole = all(item == slice(None) for item in items)
        t.cuts = t.cuts or any(isinstance(item, slice) and item != slice(None) for item in items)
        made = self._view(self.value if whole
                          else t.text.subscript(t.text.array(self.value), items),
                          _subscripted(self, items), items)
        if any(isinstance(item, int) for item in items):
            t.fitted.append(made.value.text)
        t.note(made, Orders.subscript, t.order(self), items)
        made.stays = any(item is Ellipsis for item in (key if isinstance(key, tuple) else (key,)))
        return made

    def items(self, key: Any) -> Optional[List[Any]]:
        """A subscript as slices, whole numbers and None, one for each dimension; None: it is
        another one."""
        given = list(key) if isinstance(key, tuple) else [key]
        found: List[Any] = []
        for item in given:
            if (isinstance(item, Number) or (not isinstance(item, (bool, Array, int))
                                             and hasattr(item, "__index__")
                                             and not hasattr(item, "ndim"))):
                item = operator.index(item)
            if isinstance(item, slice):
                item = slice(*[None if bound is None else operator.index(bound)
                               for bound in (item.start, item.stop, item.step)])
            elif not (item is None or item is Ellipsis
                      or isinstance(item, int) and not isinstance(item, bool)):
                return None
            found.append(item)
        count = sum(item is not None and item is not Ellipsis for item in found)
        if count > self.ndim:
            raise IndexError(f"too many indices for array: array is {self.ndim}-dimensional, but "
                             f"{count} were indexed")
        rest: List[Any] = [slice(None)] * (self.ndim - count)
        if Ellipsis not in found:
            return found + rest
        k = found.index(Ellipsis)
        if Ellipsis in found[k + 1:]:
            raise IndexError("an index can only have a single ellipsis ('...')")
        return found[:k] + rest + found[k + 1:]

    def __setitem__(self, key: Any, new: Any) -> None:
        t = self.program
        beside = None
        if not self.ndim and not self.stays:
            raise TypeError(f"'numpy.{DTYPES.get(self.value.type)}' object does not support item "
                            "assignment")
        if isinstance(new, Array) and any(new is view for view in t.views):
            beside = new
            if new.base is not self or new.key != self.items(key):
                left("a view of an array is changed")
            t.views = [view for view in t.views if view is not new]
            new = Array(t, new.value, new.sizes)
        t.settled()
        self.assign(self.put(key, new), "unsafe", beside)

    def put(self, key: Any, new: Any) -> Array:
        """The array with other elements at a subscript."""
        import numpy
        t = self.program
        if isinstance(key, numpy.ndarray) and key.dtype == bool:
            key = t.constant(key)
        source = (new if isinstance(new, Array) else t.array(new)
                  if not isinstance(new, (Number, bool, int, float)) else new)
        if isinstance(source, Array):
            value = t.text.array(source.value)
            source = Array(t, Value(astype(t.text, value, self.value.type).text, self.value.type,
                                    places=value.places), source.sizes, mask=source.mask)
        else:
            if isinstance(plain_type(source), float) and self.value.type in INTEGERS:
                source = int(plain(source))  # which must be one of the type
            value = t.value(source)
            value = (t.text.typed(value, "f64") if value.number is None and value.weak == "f"
                     and self.value.type in INTEGERS else value)
            source = Array(t, Value(astype(t.text, value, self.value.type).text, self.value.type),
                           ())
        if (isinstance(key, Array) and key.value.type == "i1"
            and key.sizes == self.sizes is not None and key.value.rank):
            return self.replaced(key, source)
        items = self.items(key)
        if isinstance(key, numpy.ndarray) and key.dtype.kind in "iu":
            key = t.constant(key)
        if (items is None and isinstance(key, Array) and key.value.type in INTEGERS
            and key.ndim == 1):
            return t.scatter("scatter", self, key, source)
        if items is None or source.mask is not None or self.sizes is None or source.sizes is None:
            return left("elements at positions are assigned")
        if all(item == slice(None) for item in items if item is not None):
            t.sized = t.sized or source.value.rank > 0  # later ones may be repeated, or not fit
            return source
        t.sized = True
        if _is_cut(self, items):
            left("a range is cut")
        if (not source.value.rank and any(isinstance(item, slice) and item.step not in (None, 1)
                                          for item in items)):
            chosen = numpy.zeros(self.sizes, bool)
            chosen[tuple(items)] = True
            return self.replaced(t.constant(chosen), source)
        shape = _subscripted(self, items)
        return _inserted(self, [item for item in items if item is not None],
                         _spread(source, shape, items))

    def replaced(self, mask: Array, new: Array) -> Array:
        if (new.mask is not None and new.mask.value.text != mask.value.text
            or new.mask is None and new.value.rank):
            left("elements are assigned where a mask is true")
        t = self.program
        # a later mask may repeat
        t.ones = (t.ones or sum(a is not None and a.value.rank > 0 for a in t.arrays) > 1)
        whole = Array(self.program, new.value, self.sizes if new.mask is not None else ())
        return self.program.apply(lambda t, c, a, b: t.select(c, a, b), mask, whole, self)


def sliced(array: Any, key: Any) -> Any:
    """NumPy's, of ranges that end beyond the array."""
    return array[key]


def _is_cut(array: Array, items: Sequence[Any]) -> bool:
    """True if a range begins or ends beyond the array, or is empty."""
    at = [item for item in items if item is not None]
    return array.sizes is not None and any(
        isinstance(item, slice) and item != slice(None)
                                           and (any(bound is not None and not -n <= bound <= n
                                                    for bound in (item.start, item.stop))
                                                or 0 == len(range(*item.indices(n))) != n)
                                           for item, n in zip(at, array.sizes))


def _subscripted(array: Array, items: Sequence[Any]) -> Sizes:
    """Sizes behind a subscript."""
    sizes: List[int] = []
    if array.sizes is None:
        return None
    axis = 0
    for item in items:
        if item is None:
            sizes.append(1)
            continue
        n = array.sizes[axis]
        axis += 1
        if isinstance(item, int):
            if not -n <= item < n:
                raise IndexError(f"index {item} is out of bounds for axis {axis - 1} with size {n}")
            continue
        sizes.append(len(range(*item.indices(n))))
    return tuple(sizes)


def _spread(source: Array, shape: Sizes, items: Sequence[Any]) -> Array:
    """The assigned array in the sizes of the subscript, with a dimension of 1 for each index."""
    t = source.program
    assert shape is not None
    extra = len(source.sizes or ()) - len(shape)
    if extra > 0 or broadcast(source.sizes, shape) != shape:
        t.misfit("sizes that do not fit")
    whole = Array(t, t.text.broadcast_to(t.text.array(source.value), list(shape))
                  if source.sizes != shape else source.value, shape)
    keys: List[Any] = [None if isinstance(item, int) else 0 if item is None else slice(None)
                       for item in items]
    return whole[tuple(keys)] if keys else whole


def _inserted(array: Array, items: Sequence[Any], new: Array, axis: int = 0) -> Array:
    """With other elements in a box, put together of pieces."""
    from ._names import FUNCTIONS
    while axis < len(items) and items[axis] == slice(None):
        axis += 1
    if axis == len(items):
        return new
    assert array.sizes is not None
    n, item = array.sizes[axis], items[axis]
    lo, hi, step = (item % n, item % n + 1, 1) if isinstance(item, int) else item.indices(n)
    if step != 1:
        left("elements at steps are assigned")
    before, rest = [slice(None)] * axis, [slice(None)] * (len(array.sizes) - axis - 1)
    piece = lambda a, b: array[tuple([*before, slice(a, b), *rest])]
    inner = _inserted(piece(lo, hi), [*items[:axis], slice(None), *items[axis + 1:]], new, axis + 1)
    parts = ([piece(0, lo)] if lo else []) + [inner] + ([piece(hi, n)] if hi < n else [])
    return FUNCTIONS["concatenate"](parts, axis) if len(parts) > 1 else inner


for _sign, _word in ((_ast.Add, "add"), (_ast.Sub, "sub"), (_ast.Mult, "mul"),
                     (_ast.Div, "truediv"), (_ast.FloorDiv, "floordiv"),
                     (_ast.Mod, "mod"), (_ast.Pow, "pow"), (_ast.LShift, "lshift"),
                     (_ast.RShift, "rshift"), (_ast.BitAnd, "and"),
                     (_ast.BitOr, "or"), (_ast.BitXor, "xor")):
    setattr(Array, f"__i{_word}__",
            (lambda sign: lambda self, other: self.augment(sign, other))(_sign))


_OPERANDS = (Array, float, int, Number, bool)


def _holds(a: Any) -> bool:
    """True if nested lists contain arrays of the trace."""
    return isinstance(a, (Array, Number)) or isinstance(a, (list, tuple)) and any(map(_holds, a))


# ------------------------------------------------------------------------------------------------
# NumPy's protocols

def _given(args: Sequence[Any], keywords: Dict[str, Any]) -> Tuple[List[Any], Dict[str, Any]]:
    """Without those that NumPy's own functions hand on where their callers gave none."""
    nothing, given = getattr(sys.modules["numpy"], "_NoValue", left), list(args)
    while given and given[-1] is nothing:
        given.pop()
    for a in given:
        if a is nothing:
            left("an argument by position behind one that is not given")
    return (given, {key: value for key, value in keywords.items() if value is not nothing}
            if keywords else {})


def ufunc_of(t: Trace, ufunc: Any, method: str, inputs: Sequence[Any],
             keywords: Dict[str, Any]) -> Any:
    from ._names import ACCUMULATED, FUNCTIONS, REDUCED, SCANS, SCATTERED, is_ufunc, look_at
    name, known, out = ufunc.__name__, is_ufunc(ufunc), keywords.get("out")
    if not keywords and method == "__call__" and known and name in FUNCTIONS:
        return FUNCTIONS[name](*inputs)
    inputs, keywords = _given(inputs, keywords)
    look_at(keywords)
    keywords.pop("out", None)
    if isinstance(out, tuple):
        out = out[0] if len(out) == 1 else left("several out")
    if method == "reduce" and known and name in REDUCED:
        array, *rest = inputs
        made = FUNCTIONS[REDUCED[name]](array, *rest, **{"axis": 0, **keywords})
    elif method == "accumulate" and known and name in ACCUMULATED:
        array, *rest = inputs
        made = SCANS[ACCUMULATED[name]](array, *rest,
                                        **(keywords if rest else {"axis": 0, **keywords}))
    elif (method == "at" and known and name in SCATTERED and len(inputs) == 3 and not keywords
          and isinstance(inputs[0], Array)):
        return changed_at(t, SCATTERED[name], *inputs)
    elif method == "outer" and known and name in FUNCTIONS and not keywords:
        a, b = (t.array(operand) for operand in inputs)
        made = FUNCTIONS[name](a[(..., *[None] * b.ndim)], b)
    elif (method == "__call__" and known and name in FUNCTIONS
          and keywords.get("where", True) is True):
        dtype = keywords.pop("dtype", None)
        keywords.pop("where", None)
        keywords.pop("casting", None)
        if keywords:
            return t.leave(getattr(ufunc, method), inputs, {**keywords, "out": out})
        operands = ([FUNCTIONS["astype"](t.array(operand), dtype) for operand in inputs]
                    if dtype is not None else list(inputs))
        if not any(isinstance(operand, Array) for operand in operands):
            # numbers alone have types behind functions
            operands = [t.array(operand) for operand in operands]
        made = FUNCTIONS[name](*operands)
    else:
        return t.leave(ufunc if method == "__call__" else getattr(ufunc, method), inputs,
                       {**keywords, **({} if out is None else {"out": out})})
    if out is None:
        return made
    if not isinstance(out, Array):
        left("out= is an array of NumPy's own")
    out.fill_with(made)
    return out


def changed_at(t: Trace, name: str, array: Array, key: Any, new: Any) -> None:
    """ufunc.at: what is combined has the array's type, in which NumPy computes then."""
    index, own = t.array(key), array.value.type
    if isinstance(new, (Number, bool, int, float)):
        value = Array(t, t.text.typed(t.value(new), own), ())
    else:
        value = t.array(new)
        if t.text.common(array.value, value.value) != own:
            left("a kernel adds in the type of what is added to")
    adds = name == "scatter_add"
    if index.ndim != 1:
        left("indices of at are several, or have several dimensions")
    if own == "i1" or adds and own not in FLOATS and own not in ("i32", "i64", "u32", "u64"):
        left(f"{name} in {own}")
    array.assign(t.scatter(name, array, index, value), "same_kind")


def function_of(t: Trace, function: Any, args: Sequence[Any], keywords: Dict[str, Any]) -> Any:
    from ._names import FUNCTIONS, look_at, name_of, without_out
    name, (args, keywords) = name_of(function), _given(args, keywords)
    look_at(keywords)
    if name is None:
        return t.leave(function, args, keywords)
    args, keywords, out = without_out(name, args, keywords)
    made = FUNCTIONS[name](*args, **keywords)
    if out is None:
        return made
    if not isinstance(out, Array) or not isinstance(made, Array):
        left("out= is an array of NumPy's own")
    out.fill_with(made)
    return out


def _array_ufunc(self: Array, ufunc: Any, method: str, *inputs: Any, **keywords: Any) -> Any:
    return ufunc_of(self.program, ufunc, method, inputs, keywords)


def _array_function(self: Array, function: Any, types: Any, args: Any, keywords: Any) -> Any:
    return function_of(self.program, function, args, keywords)


setattr(Array, "__array_ufunc__", _array_ufunc)
setattr(Array, "__array_function__", _array_function)


def _methods() -> None:
    """Methods of NumPy's arrays by the functions of these names."""
    def method(name: str) -> Callable[..., Any]:
        def call(self: Array, *args: Any, **keywords: Any) -> Any:
            from ._names import METHODS, OUT_OF_METHODS, look_at, without_out
            look_at(keywords)
            (_, *args), keywords, out = without_out(name, (self, *args), keywords, OUT_OF_METHODS)
            made = METHODS[name](self, *args, **keywords)
            if out is not None:
                if not isinstance(out, Array):
                    left("out= is an array of NumPy's own")
                out.fill_with(made)
                return out
            return made
        call.__name__ = name
        return call

    for name in ("all", "any", "argmax", "argmin", "astype", "clip", "conj", "conjugate", "copy",
                 "cumprod", "cumsum", "diagonal", "dot", "flatten", "max", "mean", "min", "prod",
                 "ptp", "ravel",
                 "repeat", "reshape", "round", "squeeze", "std", "sum", "swapaxes", "trace",
                 "transpose", "var"):
        setattr(Array, name, method(name))
    for name in ("T", "mT", "real", "imag", "flat"):
        setattr(Array, name, property(method(name)))

    def other(self: Array, name: str) -> Any:
        import numpy
        found = getattr(numpy.ndarray, name, None)
        if found is None or name.startswith("__"):
            raise AttributeError(f"'numpy.ndarray' object has no attribute {name!r}")
        if name in ("item", "tolist", "tobytes"):
            known = self.program.known(self) if name == "item" else None
            if known is not None:
                return known.item
            _unknown(f"{name}() asks for elements of an array, which only a call knows; compute "
                     "with the array itself")
        if name in ("fill", "sort", "partition", "put", "resize", "setflags", "byteswap", "itemset",
                    "setfield"):
            left(f"{name} changes an array")
        if not callable(found):
            return left(f"an array's {name}")
        return lambda *args, **keywords: self.program.leave(found, (self, *args), keywords)

    setattr(Array, "__getattr__", other)


_methods()

# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Texts in the manner of NumPy. In: a text that is also Python, and the types and ranks of its operands. Out: a text of
the library's language, in which types are promoted as NumPy promotes them, and what the language does not have
is written out. A text with type declarations is the language's already. What is neither is refused.

evaluate asks once for each text and list of types."""
from __future__ import annotations

import _ast
import math

from ._arithmetic import (BINARY, COMPARE, DIM, FLOATS, FUNCTIONS, GAP, INTEGERS, NAMES, ONE, WIDTH, Text, Value, astype, convert, fold, invert,
                          kind, literal, logical_not, loose, may_cast, number, positive, refuse, words, wrong)

TYPE_CHECKING = False  # module typing takes longer to load than everything else here
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

# Functions that reduce, and the type that they reduce in: NumPy widens integers for sums and products.
_REDUCERS = {"sum": "whole", "prod": "whole", "max": "own", "min": "own", "amax": "own", "amin": "own", "any": "truth", "all": "truth",
             **dict.fromkeys(("mean", "var", "std", "norm", "logsumexp", "softmax", "log_softmax", "layer_norm", "rms_norm"), "real")}
_LAST = ("softmax", "log_softmax", "layer_norm", "rms_norm")  # along the last axis, where none is given; all axes stay
_MOST_OPERANDS = {"layer_norm": 3, "rms_norm": 2}
_REDUCER_KEYS = {"axis": "axis", "dim": "axis", "keepdims": "keepdims", "keepdim": "keepdims", "ddof": "ddof", "correction": "ddof",
                 "eps": "eps", "epsilon": "eps"}
_WORDS = {"inf": math.inf, "nan": math.nan, "true": True, "false": False}
_NO_NAMES = ("True", "False")  # of operands of the language, beside these words
_LANGUAGE = "tosajit.compile takes the library's own language"


class Dimensions:
    """What stands in a text as numbers: axes, sizes, subscripts."""

    @staticmethod
    def plain(node: Any) -> Any:
        """A number, None, a word, or a list of these; nothing else can be an axis."""
        kind = type(node)
        if kind is _ast.Constant and (node.value is None or isinstance(node.value, (bool, int, float, str))):
            return node.value
        if kind is _ast.UnaryOp and type(node.op) in (_ast.USub, _ast.UAdd):
            value = Dimensions.plain(node.operand)
            if isinstance(value, (int, float)):
                return -value if type(node.op) is _ast.USub else value
        if kind is _ast.BinOp:
            a, b = Dimensions.plain(node.left), Dimensions.plain(node.right)
            if isinstance(a, (int, float)) and isinstance(b, (int, float)):
                return fold(type(node.op), a, b).number
        if kind in (_ast.Tuple, _ast.List):
            return [Dimensions.plain(item) for item in node.elts]
        if kind is _ast.Name and node.id in ("newaxis", "true", "false"):
            return {"newaxis": None, "true": True, "false": False}[node.id]
        raise TypeError

    @staticmethod
    def axes(value: Any, rank: int, what: str) -> List[int]:
        """One axis or several, counted from the front."""
        axes = value if isinstance(value, list) else [value]
        found: List[int] = []
        for axis in axes:
            if not isinstance(axis, int) or isinstance(axis, bool):
                wrong(f"{what}: an axis is a whole number, or a tuple of them")
            if not -rank <= axis < rank:
                wrong(f"{what}: axis {axis} is none of {rank} dimensions")
            if axis % rank in found:
                wrong(f"{what}: axis {axis} is given twice")
            found.append(axis % rank)
        return found


def _at(value: Value) -> List[int]:
    """Where NumPy's dimensions are among those that the language sees."""
    return [k for k, place in enumerate(value.places) if place]


class Views(Text):
    """Functions that move elements, and those that drop dimensions. A dimension that NumPy has dropped stays as a GAP for as long as
    it can: so what is reduced again keeps its order, and only results lose it."""

    def __init__(self, names: Sequence[str] = ()) -> None:
        super().__init__(names)
        self.moved = set(names)  # operands, and subscripts of these

    # ------------------------------------------------------------------------------------------
    # Dimensions

    def dense(self, value: Value) -> Value:
        """The value without gaps."""
        gaps = [k for k, place in enumerate(value.places) if not place]
        if not gaps:
            return value
        text = f"squeeze({value.text}, {_listed(gaps)})"
        return Value(text, value.type, value.weak, places=tuple(place for place in value.places if place))

    def array(self, value: Value) -> Value:
        """The value as an array: with a type of its own, as views make them."""
        if value.number is not None or value.operand is not None:
            return self.typed(value, self.common(value))
        return Value(value.text, value.type, places=value.places)

    def aligned(self, values: Sequence[Value]) -> List[Value]:
        """The values with their gaps in the same places, so that they broadcast as NumPy's do."""
        if all(GAP not in value.places for value in values):
            return list(values)
        behind = [_gaps_behind(value) for value in values]
        most = [max((gaps[k] for gaps in behind if k < len(gaps)), default=0) for k in range(max(map(len, behind)))]
        spread = [self.spread(value, gaps, most) for value, gaps in zip(values, behind)]
        longest = max((len(value.places) for value in spread if DIM in value.places), default=0)
        for k, value in enumerate(values):  # one element is beside any other, wherever its dimensions are
            if DIM not in value.places and len(spread[k].places) <= longest and value.number is None:
                spread[k] = Value(value.text, value.type, value.weak, places=spread[k].places, operand=value.operand, fits=value.fits)
        return spread

    def spread(self, value: Value, gaps: List[int], most: List[int]) -> Value:
        """With more gaps behind some dimensions, which are counted from the last."""
        more = [most[k] - gaps[k] for k in range(len(gaps))]
        if not any(more):
            return value
        parts: List[str] = []
        places: List[int] = []
        k = len(gaps)
        for place in value.places:
            parts.append(":")
            places.append(place)
            if place:
                k -= 1
                parts += ["None"] * more[k]
                places += [GAP] * more[k]
        return Value(f"{self.array(value).text}[{', '.join(parts)}]", value.type, value.weak, places=tuple(places))

    @staticmethod
    def joint(values: Sequence[Value]) -> Tuple[int, ...]:
        """The places of what is computed of aligned values, element by element."""
        longest = max(len(value.places) for value in values)
        columns = [[value.places[-k] for value in values if k <= len(value.places)] for k in range(longest, 0, -1)]
        return tuple(GAP if not any(column) else DIM if DIM in column else ONE for column in columns)

    # ------------------------------------------------------------------------------------------
    # Functions

    def transpose(self, value: Value, order: Sequence[int]) -> Value:
        at, places = _at(value), list(value.places)
        perms = list(range(len(places)))
        for to, origin in zip(at, order):
            perms[to], places[to] = at[origin], value.places[at[origin]]
        if perms == sorted(perms):
            return value
        return Value(f"transpose({value.text}, {_listed(perms)})", value.type, value.weak, places=tuple(places))

    def flip(self, value: Value, axes: Sequence[int]) -> Value:
        at = _at(value)
        if not axes:
            return value
        return Value(f"flip({value.text}, {_listed([at[axis] for axis in axes])})", value.type, value.weak, places=value.places)

    def subscript(self, value: Value, items: List[Any]) -> Value:
        """A list of slices, whole numbers and None; the language has the same, but for gaps."""
        old, parts, places, k = value.places, [], [], 0
        for item in items:
            if item is None:
                used = k < len(old) and not old[k]  # a gap becomes the new dimension
                parts.append(":" if used else "None")
                places.append(ONE)
                k += used
                continue
            while not old[k]:
                parts.append(":")
                places.append(GAP)
                k += 1
            if isinstance(item, slice):
                parts.append(_range(item))
                places.append(old[k] if item == slice(None) else DIM)
            else:  # of what is computed the dimension stays as a gap, as behind a reduction
                parts += [str(item)] if value.text in self.moved else [str(item), "None"]
                places += [] if value.text in self.moved else [GAP]
            k += 1
        parts += [":"] * (len(old) - k)
        places += [GAP] * (len(old) - k)
        text = value.text if set(parts) <= {":"} else f"{value.text}[{', '.join(parts)}]"
        if value.text in self.moved:
            self.moved.add(text)
        return Value(text, value.type, value.weak, places=tuple(places))

    def reshape(self, value: Value, shape: List[int]) -> Value:
        value = self.dense(value)
        return Value(f"reshape({value.text}, {_listed(shape)})", value.type, value.weak, places=(DIM,) * len(shape))

    def squeeze(self, value: Value, axes: Sequence[int]) -> Value:
        at, places = _at(value), list(value.places)
        if all(places[at[axis]] == ONE for axis in axes):
            for axis in axes:
                places[at[axis]] = GAP
            return Value(value.text, value.type, value.weak, places=tuple(places))
        value = self.dense(value)
        places = [place for k, place in enumerate(value.places) if k not in axes]
        return Value(f"squeeze({value.text}, {_listed(axes)})", value.type, value.weak, places=tuple(places))

    def tile(self, value: Value, times: List[int]) -> Value:
        value = self.dense(value)
        times = [1] * (value.rank - len(times)) + times
        new: List[Any] = [None] * (len(times) - value.rank)
        value = self.subscript(value, new + [slice(None)] * value.rank) if new else value
        if not any(n > 1 for n in times):
            return value
        return self.name(Value(f"tile({value.text}, {_listed(times)})", value.type, value.weak, places=(DIM,) * len(times)))

    def broadcast_to(self, value: Value, shape: List[int]) -> Value:
        value = self.dense(value)
        if not shape:
            return value
        return Value(f"broadcast_to({value.text}, {_listed(shape)})", value.type, value.weak, places=(DIM,) * len(shape))

    def concatenate(self, values: Sequence[Value], axis: int) -> Value:
        dtype = self.common(*values)
        values = [self.dense(self.typed(value, dtype)) for value in values]
        if len(values) == 1:
            return values[0]
        parts = ", ".join(value.text for value in values)
        return self.name(Value(f"concat({parts}, axis={axis})", dtype, places=(DIM,) * values[0].rank))

    def pad(self, value: Value, padding: List[int], element: Value) -> Value:
        value = self.dense(value)
        if not any(padding):
            return value
        element = self.dense(self.typed(element, value.type))
        return self.name(Value(f"pad({value.text}, {element.text}, {_listed(padding)})", value.type, places=(DIM,) * value.rank))


def _listed(numbers: Sequence[int]) -> str:
    return f"[{', '.join(map(str, numbers))}]"


def _gaps_behind(value: Value) -> List[int]:
    """How many gaps follow each dimension, from the last one on."""
    gaps, found = 0, []
    for place in reversed(value.places):
        if place:
            found.append(gaps)
            gaps = 0
        else:
            gaps += 1
    return found


def _range(item: slice) -> str:
    bounds = ["" if bound is None else str(bound) for bound in (item.start, item.stop)]
    return ":".join(bounds) + ("" if item.step is None else f":{item.step}")


class _Reader:
    """A syntax tree as text."""

    def __init__(self, source: str, marks: Sequence[Tuple[int, int]], names: Dict[str, Value], taken: Sequence[str] = ()):
        self.source, self.marks = source, frozenset(marks)
        self.text, self.names = Views(taken), names

    def shown(self, node: Any) -> str:
        """The words of a part of the text."""
        lines = [line.encode() for line in self.source.split("\n")[node.lineno - 1:node.end_lineno]]
        lines[-1] = lines[-1][:node.end_col_offset]
        lines[0] = lines[0][node.col_offset:]
        text = b" ".join(lines).decode(errors="replace")
        return text if len(text) <= 60 else text[:57] + "..."

    def foreign(self, node: Any, why: str) -> Any:
        wrong(f"{self.shown(node)}: {why}")

    def read(self, node: Any) -> Value:
        reader = self.READERS.get(type(node))
        if not reader:
            self.foreign(node, f"evaluate has no such expression; {_LANGUAGE}")
        return self.text.short(reader(self, node))

    def name(self, node: Any) -> Value:
        if node.id in self.names:
            return self.names[node.id]
        return number(_WORDS[node.id])

    def constant(self, node: Any) -> Value:
        if not isinstance(node.value, (bool, int, float)):
            if isinstance(node.value, complex):
                refuse("there are no complex numbers; compute with the real and the imaginary part as two arrays")
            self.foreign(node, "is neither a number nor an array")
        return number(node.value)

    def attribute(self, node: Any) -> Value:
        if node.attr in ("real", "imag"):
            return self.apply(FUNCTIONS[node.attr][2], self.read(node.value))
        if node.attr == "T":
            value = self.text.array(self.read(node.value))
            return self.text.transpose(value, list(range(value.rank))[::-1])
        return self.foreign(node, f"an array has no .{node.attr} here; .T, .real and .imag are understood")

    def constants(self, node: Any) -> Value:
        """A constant array, of which NumPy makes int64, float64 or bool."""
        try:
            numbers = Dimensions.plain(node)
            shape, flat = _flatten(numbers)
        except TypeError:
            self.foreign(node, "a list has numbers alone here")
        kinds = [kind(number(n)) for n in flat]
        dtype = "f64" if "f" in kinds else "i64" if "i" in kinds else "i1"
        for n in flat:
            literal(n, dtype)  # which must have it
        word = {True: "true", False: "false"} if dtype == "i1" else {}
        text = _nested(numbers, lambda n: word[n] if word else repr(float(n) if dtype == "f64" else int(n)))
        return Value(f"{dtype}({text})", dtype, places=(DIM,) * len(shape))

    # ------------------------------------------------------------------------------------------
    # Operators

    def apply(self, function: Callable[..., Value], *operands: Value) -> Value:
        """A function of each element. What is made of numbers alone is a number, too: it takes the type of what it meets."""
        aligned = self.text.aligned([value for value in operands if value is not None])
        given = iter(aligned)
        value = function(self.text, *[None if operand is None else next(given) for operand in operands])
        if value.number is None:
            value = Value(value.text, value.type, value.weak, operand=value.operand, fits=value.fits, places=self.text.joint(aligned))
            if value.operand is None:
                value.weak = {"i1": "b", "i64": "i", "f64": "f"}.get(value.type, "") if loose(*operands) else ""
        return value

    def binary(self, node: Any) -> Value:
        """Terms of a long sum are no recursion."""
        spine = [node]
        while type(spine[-1].left) is _ast.BinOp:
            spine.append(spine[-1].left)
        value = self.read(spine[-1].left)
        while spine:
            node = spine.pop()
            operator, other = type(node.op), self.read(node.right)
            if operator not in BINARY:
                self.foreign(node, "evaluate has no product of matrices")
            if value.number is not None and other.number is not None:
                value = fold(operator, value.number, other.number)
            else:
                value = self.text.short(self.apply(BINARY[operator], value, other))
        return value

    def unary(self, node: Any) -> Value:
        value, operator = self.read(node.operand), type(node.op)
        if (node.lineno, node.col_offset) in self.marks:
            return self.apply(logical_not, value)
        if value.number is not None:
            return fold(operator, value.number)
        if operator is _ast.Not:
            self.foreign(node, "an array has many truths; write ~x or logical_not(x)")
        return self.apply(_SIGNS[operator], value)

    def compare(self, node: Any) -> Value:
        operator = type(node.ops[0])
        if len(node.ops) > 1:
            self.foreign(node, "comparisons do not chain; write (a < b) & (b < c)")
        if operator not in COMPARE:
            self.foreign(node, "arrays are compared by == != < <= > >=")
        a, b = self.read(node.left), self.read(node.comparators[0])
        if a.number is not None and b.number is not None:
            return fold(operator, a.number, b.number)
        return self.apply(lambda t, x, y: t.compare(COMPARE[operator], x, y), a, b)

    def truths(self, node: Any) -> Value:
        return self.foreign(node, "an array has many truths; write & for and, | for or, with comparisons in brackets")

    def choice(self, node: Any) -> Value:
        condition = self.read(node.test)
        return self.apply(FUNCTIONS["where"][2], condition, self.read(node.body), self.read(node.orelse))

    # ------------------------------------------------------------------------------------------
    # Calls

    def call(self, node: Any) -> Value:
        if type(node.func) is not _ast.Name:
            self.foreign(node, "functions are called by their names alone: sqrt(x), sum(x, axis=0)")
        name = node.func.id
        if any(type(a) is _ast.Starred for a in node.args) or any(k.arg is None for k in node.keywords):
            self.foreign(node, "arguments are given one by one")
        if name in _REDUCERS and (_REDUCERS[name] != "own" or len(node.args) == 1):
            return self.reduce(node, name)
        if name in _MOVERS:
            return _MOVERS[name](self, node)
        if name in ("clip", "clamp"):
            return self.clip(node)
        if node.keywords:
            self.foreign(node, f"{name} has no argument {node.keywords[0].arg} here" if name in FUNCTIONS else self.unknown(name))
        arguments = [self.read(a) for a in node.args]
        if name in WIDTH or name in NAMES:
            return self.convert(node, name, arguments)
        if name not in FUNCTIONS:
            self.foreign(node, self.unknown(name))
        least, most, function = FUNCTIONS[name]
        if not least <= len(arguments) <= most:
            self.foreign(node, f"{name} takes {least if least == most else f'{least} to {most}'} arguments, found {len(arguments)}")
        return self.apply(lambda t, *values: function(t, *values), *self.with_types(arguments))

    def with_types(self, arguments: Sequence[Value]) -> List[Value]:
        """Numbers alone have a type as NumPy's functions give it to them."""
        t = self.text
        if all(a.number is not None for a in arguments):
            return [Value(t.cast(a, t.common(a)), t.common(a), weak=kind(a)) for a in arguments]
        return list(arguments)

    @staticmethod
    def unknown(name: str) -> str:
        import difflib
        known = [*FUNCTIONS, *_REDUCERS, *_MOVERS, *NAMES, *WIDTH]
        near = difflib.get_close_matches(name, known, 1)
        return f"there is no function {name}" + (f"; did you mean {near[0]}?" if near else f"; {_LANGUAGE}")

    def convert(self, node: Any, name: str, arguments: Sequence[Value]) -> Value:
        """f32(x) is the library's cast, float32(x) NumPy's astype."""
        if len(arguments) != 1:
            self.foreign(node, f"{name} takes 1 argument, found {len(arguments)}")
        value, = arguments
        if name in NAMES:
            return Value(astype(self.text, value, NAMES[name]).text, NAMES[name], places=value.places)
        return self.text.typed(value, name)

    def clip(self, node: Any) -> Value:
        arguments: List[Any] = [None] * 3
        keys = {"min": 1, "max": 2, "a_min": 1, "a_max": 2}
        if len(node.args) > 3 or not node.args:
            self.foreign(node, f"{node.func.id} takes an array, a least and a greatest value")
        given = list(enumerate(node.args))
        for keyword in node.keywords:
            if keyword.arg not in keys:
                self.foreign(node, f"{node.func.id} has no argument {keyword.arg}")
            given.append((keys[keyword.arg], keyword.value))
        for k, argument in given:
            if not (type(argument) is _ast.Constant and argument.value is None):
                arguments[k] = self.read(argument)
        x, low, high = arguments
        if x is None:
            self.foreign(node, f"{node.func.id} needs an array")
        x = self.with_types([x])[0] if x.number is not None else x
        return self.apply(FUNCTIONS["clip"][2], x, low, high)

    # ------------------------------------------------------------------------------------------
    # Reductions

    def plain(self, node: Any, what: str) -> Any:
        try:
            return Dimensions.plain(node)
        except TypeError:
            return self.foreign(node, f"{what} stands as numbers in the text")

    def reducer_keys(self, node: Any, rest: Sequence[Any]) -> Dict[str, Any]:
        name, keys = node.func.id, {}
        for word, argument in [("axis", a) for a in rest] + [(k.arg, k.value) for k in node.keywords]:
            key = _REDUCER_KEYS.get(word, "")
            fits = {"keepdims": name not in _LAST, "ddof": name in ("var", "std"), "eps": name in _MOST_OPERANDS, "axis": True}
            if not fits.get(key):
                self.foreign(node, f"{name} has no argument {word} here" + ("; cast what it reads: sum(f64(x))" if word == "dtype" else ""))
            if key in keys:
                self.foreign(node, f"{name}: {word} is given twice")
            keys[key] = self.plain(argument, f"the {word} of {name}")
        return keys

    def reduce(self, node: Any, name: str) -> Value:
        t, how = self.text, _REDUCERS[name]
        most = _MOST_OPERANDS.get(name, 1)
        if not node.args:
            self.foreign(node, f"{name} needs an array")
        operands = [t.array(self.read(argument)) for argument in node.args[:most]]
        keys = self.reducer_keys(node, node.args[most:])
        axes = self.reduced_axes(name, keys, operands[0])
        operands = t.aligned(operands)
        x, dtype = operands[0], t.common(*operands)
        if dtype not in FLOATS + INTEGERS + ("i1",):
            refuse(f"{name} is not defined for ({dtype}); cast it: f32(x)")
        if how == "truth" and dtype != "i1":
            x, dtype = Value(t.truth(x), "i1", places=x.places), "i1"
        elif how == "own" and dtype == "i1":
            name = "any" if name in ("max", "amax") else "all"
        elif how in ("whole", "real") and dtype not in FLOATS:
            dtype = "i64" if how == "whole" else "f64"
        parts = [t.cast(operand, dtype) for operand in [x, *operands[1:]]]
        if not axes and how != "real":
            return Value(parts[0], dtype, places=x.places)
        if not axes and x.rank:
            self.foreign(node, f"{name} needs a dimension to reduce")
        at = _at(x)
        parts += [f"axis={_listed(sorted(at[axis] for axis in axes))}"] if axes else []
        parts += [f"{key}={keys[key]!r}" for key in ("ddof", "eps") if key in keys]
        if name in _LAST:
            return Value(f"{name}({', '.join(parts)})", dtype, places=t.joint(operands))
        stays = ONE if self.flag(node, keys.get("keepdims", False)) else GAP
        places = [stays if k in [at[axis] for axis in axes] else place for k, place in enumerate(x.places)]
        return Value(f"{name}({', '.join(parts + ['keepdims=True'])})", dtype, places=tuple(places))

    def flag(self, node: Any, value: Any) -> bool:
        if not isinstance(value, (bool, int)):
            self.foreign(node, "keepdims is True or False")
        return bool(value)

    @staticmethod
    def reduced_axes(name: str, keys: Dict[str, Any], x: Value) -> List[int]:
        if keys.get("axis") is not None:
            return [] if x.rank == 0 and keys["axis"] in (0, -1) and _REDUCERS[name] != "real" else Dimensions.axes(keys["axis"], x.rank, name)
        if name in _LAST and "axis" not in keys:
            return [x.rank - 1] if x.rank else []
        return list(range(x.rank))

    # ------------------------------------------------------------------------------------------
    # Views

    def subscript(self, node: Any) -> Value:
        value = self.text.array(self.read(node.value))
        index = node.slice.elts if type(node.slice) is _ast.Tuple else [node.slice]
        items = [self.subscript_item(node, item) for item in index]
        count = sum(item is not None and item is not Ellipsis for item in items)
        if count > value.rank:
            self.foreign(node, f"{count} subscripts are more than {value.rank} dimensions")
        rest: List[Any] = [slice(None)] * (value.rank - count)
        if items.count(Ellipsis) > 1:
            self.foreign(node, "there is one ... at most")
        if Ellipsis in items:
            k = items.index(Ellipsis)
            items[k:k + 1] = rest
        else:
            items += rest
        return self.text.subscript(value, items)

    def subscript_item(self, node: Any, item: Any) -> Any:
        if type(item) is _ast.Slice:
            bounds = [None if bound is None else self.whole(node, bound) for bound in (item.lower, item.upper, item.step)]
            if bounds[2] == 0:
                self.foreign(node, "the step of a subscript is not 0")
            return slice(*bounds)
        if type(item) is _ast.Constant and item.value is Ellipsis:
            return Ellipsis
        if self.plain_or(item, "") is None:
            return None
        return self.whole(node, item)

    @staticmethod
    def plain_or(node: Any, other: Any) -> Any:
        try:
            return Dimensions.plain(node)
        except TypeError:
            return other

    def whole(self, node: Any, item: Any) -> int:
        found = self.plain_or(item, "")
        if found is None and type(item) is _ast.Constant:
            return found
        if not isinstance(found, int) or isinstance(found, bool) or abs(found) >= 1 << 62:
            self.foreign(node, "subscripts are whole numbers, ranges, ... and None of the text; by arrays and masks, write where(mask, x, 0)")
        return found

    def arguments(self, node: Any, *keys: str, array: str = "") -> Tuple[Value, List[Any]]:
        """An array and what stands behind it, by place or by one of these names."""
        name = node.func.id
        given = list(node.args)
        if not given:
            self.foreign(node, f"{name} needs an array")
        rest = [self.plain(argument, f"what {name} takes behind its array") for argument in given[1:]]
        for keyword in node.keywords:
            if keyword.arg not in keys or rest:
                self.foreign(node, f"{name} has no argument {keyword.arg} here" if keyword.arg not in keys else f"{name}: {keyword.arg} is given twice")
            rest.append(self.plain(keyword.value, f"the {keyword.arg} of {name}"))
        return self.text.array(self.read(given[0])), rest

    def numbers(self, node: Any, rest: List[Any]) -> List[int]:
        """Whole numbers one by one, or as one list."""
        numbers = rest[0] if len(rest) == 1 and isinstance(rest[0], list) else rest
        for n in numbers:
            if not isinstance(n, int) or isinstance(n, bool) or abs(n) >= 1 << 62:
                self.foreign(node, f"{node.func.id} takes whole numbers behind its array")
        return list(numbers)

    def transpose(self, node: Any) -> Value:
        x, rest = self.arguments(node, "axes", "dims")
        if rest in ([], [None]):
            return self.text.transpose(x, list(range(x.rank))[::-1])
        order = Dimensions.axes(self.numbers(node, rest), x.rank, node.func.id)
        if len(order) != x.rank:
            self.foreign(node, f"{len(order)} axes are no order of {x.rank} dimensions")
        return self.text.transpose(x, order)

    def swapaxes(self, node: Any) -> Value:
        x, rest = self.arguments(node)
        numbers = self.numbers(node, rest)
        if len(numbers) != 2:
            self.foreign(node, "swapaxes takes two axes")
        a, b = (Dimensions.axes(axis, x.rank, "swapaxes")[0] for axis in numbers)
        order = list(range(x.rank))
        order[a], order[b] = b, a
        return self.text.transpose(x, order)

    def reshape(self, node: Any) -> Value:
        x, rest = self.arguments(node, "shape", "newshape")
        shape = self.numbers(node, rest)
        if any(n < -1 for n in shape) or shape.count(-1) > 1:
            self.foreign(node, "sizes are positive; one may be -1, which is what is left")
        if any(n == 0 and k >= x.rank for k, n in enumerate(shape)):
            self.foreign(node, "0 is the size that the array has there, and it has fewer dimensions")
        return self.text.reshape(x, shape)

    def flip(self, node: Any) -> Value:
        x, rest = self.arguments(node, "axis")
        if rest in ([], [None]):
            return self.text.flip(x, list(range(x.rank)))
        return self.text.flip(x, Dimensions.axes(self.numbers(node, rest), x.rank, "flip"))

    def squeeze(self, node: Any) -> Value:
        x, rest = self.arguments(node, "axis")
        if rest in ([], [None]):
            if DIM in x.places:
                self.foreign(node, "which sizes are 1 is not known before the call; name the axes: squeeze(x, 0)")
            return self.text.squeeze(x, list(range(x.rank)))
        return self.text.squeeze(x, Dimensions.axes(self.numbers(node, rest), x.rank, "squeeze"))

    def expand(self, node: Any) -> Value:
        x, rest = self.arguments(node, "axis", "dim")
        numbers = self.numbers(node, rest)
        if not numbers:
            self.foreign(node, f"{node.func.id} needs an axis")
        at = Dimensions.axes(numbers, x.rank + len(numbers), node.func.id)
        return self.text.subscript(x, [None if k in at else slice(None) for k in range(x.rank + len(numbers))])

    def tile(self, node: Any) -> Value:
        x, rest = self.arguments(node, "reps")
        times = self.numbers(node, rest)
        if any(n < 1 for n in times):
            self.foreign(node, "an array is repeated once at least; no text makes an empty one")
        return self.text.tile(x, times)

    def broadcast_to(self, node: Any) -> Value:
        x, rest = self.arguments(node, "shape")
        shape = self.numbers(node, rest)
        if any(n < 1 and n != -1 for n in shape):
            self.foreign(node, "sizes are 1 at least, or -1 for the array's own; no text makes an empty one")
        if len(shape) < x.rank:
            self.foreign(node, f"an array of {x.rank} dimensions has no {len(shape)}")
        return self.text.broadcast_to(x, shape)

    def concatenate(self, node: Any) -> Value:
        """One list of arrays, or arrays one by one, and the axis."""
        parts = list(node.args[0].elts) if node.args and type(node.args[0]) in (_ast.Tuple, _ast.List) else list(node.args)
        behind = list(node.args[1:]) if parts and parts[0] is not node.args[0] else []
        while not behind and parts and isinstance(self.plain_or(parts[-1], ""), int) and parts[0] is node.args[0]:
            behind = [parts.pop()]
        for keyword in node.keywords:
            if keyword.arg not in ("axis", "dim") or behind:
                self.foreign(node, f"{node.func.id} has an axis alone behind its arrays")
            behind.append(keyword.value)
        if not parts or len(behind) > 1:
            self.foreign(node, f"{node.func.id} takes arrays, and one axis")
        axis = self.plain(behind[0], "the axis") if behind else 0
        arrays = [self.text.array(self.read(part)) for part in parts]
        if axis is None:
            axis, arrays = 0, [self.text.reshape(array, [-1]) for array in arrays]
        ranks = {array.rank for array in arrays}
        if len(ranks) > 1 or ranks == {0}:
            self.foreign(node, f"arrays of {' and '.join(map(str, sorted(ranks)))} dimensions are not joined")
        return self.text.concatenate(arrays, Dimensions.axes(axis, arrays[0].rank, node.func.id)[0])

    def pad(self, node: Any) -> Value:
        """NumPy's widths: one number, a pair, or a pair for each dimension. The language's: a number for each side, behind an element."""
        arguments, words = list(node.args), {keyword.arg: keyword.value for keyword in node.keywords}
        if not arguments:
            self.foreign(node, "pad needs an array")
        if set(words) - {"pad_width", "mode", "constant_values"}:
            self.foreign(node, "pad has pad_width, mode='constant' and constant_values behind its array")
        x = self.text.array(self.read(arguments.pop(0)))
        element, widths = number(False if x.type == "i1" else 0), words.get("pad_width")
        if arguments and self.plain_or(arguments[0], "") == "":
            element = self.read(arguments.pop(0))
        if arguments:
            widths = arguments.pop(0)
        modes = arguments + [words[word] for word in words if word == "mode"]
        if widths is None or len(modes) > 1 or any(self.plain_or(mode, "") != "constant" for mode in modes):
            self.foreign(node, "pad takes widths, and fills with one value: mode='constant'")
        if "constant_values" in words:
            element = self.read(words["constant_values"])
        if element.rank:
            self.foreign(node, "pad fills with one number")
        return self.text.pad(x, self.padding(node, self.plain(widths, "what pad takes"), x.rank), element)

    def padding(self, node: Any, widths: Any, rank: int) -> List[int]:
        pairs = widths if isinstance(widths, list) else [widths]
        flat = [n for pair in pairs for n in (pair if isinstance(pair, list) else [pair])]
        if any(not isinstance(n, int) or isinstance(n, bool) or n < 0 for n in flat):
            self.foreign(node, "what is padded is a whole number that is not negative")
        nested = [pair for pair in pairs if isinstance(pair, list)]
        if len(flat) == 1:
            return flat * (2 * rank)
        if len(flat) == 2 and len(nested) in (0, 1):
            return flat * rank
        if len(flat) == 2 * rank and (not nested or all(isinstance(pair, list) and len(pair) == 2 for pair in pairs)):
            return flat
        if len(nested) == rank and all(len(pair) == 1 for pair in nested):
            return [n for n in flat for _ in range(2)]
        return self.foreign(node, f"one width, a pair, or a pair for each of {rank} dimensions are needed")

    READERS = {_ast.Name: name, _ast.Constant: constant, _ast.Attribute: attribute, _ast.List: constants, _ast.BinOp: binary, _ast.UnaryOp: unary,
               _ast.Compare: compare, _ast.BoolOp: truths, _ast.IfExp: choice, _ast.Call: call, _ast.Subscript: subscript}


_SIGNS: Dict[Any, Callable[..., Value]] = {_ast.USub: lambda t, x: t.negate(x), _ast.UAdd: positive, _ast.Invert: invert}
_MOVERS: Dict[str, Callable[[_Reader, Any], Value]] = {
    "transpose": _Reader.transpose, "permute": _Reader.transpose, "swapaxes": _Reader.swapaxes, "reshape": _Reader.reshape,
    "flip": _Reader.flip, "squeeze": _Reader.squeeze, "expand_dims": _Reader.expand, "unsqueeze": _Reader.expand, "tile": _Reader.tile,
    "broadcast_to": _Reader.broadcast_to, "concat": _Reader.concatenate, "cat": _Reader.concatenate,
    "concatenate": _Reader.concatenate, "pad": _Reader.pad}


def _flatten(numbers: Any) -> Tuple[List[int], List[Any]]:
    """The shape of nested lists, and their numbers; TypeError if they are no array."""
    if not isinstance(numbers, list):
        if not isinstance(numbers, (bool, int, float)):
            raise TypeError
        return [], [numbers]
    parts = [_flatten(item) for item in numbers]
    if not parts or any(shape != parts[0][0] for shape, _ in parts):
        raise TypeError
    return [len(parts), *parts[0][0]], [n for _, flat in parts for n in flat]


def _nested(numbers: Any, write: Callable[[Any], str]) -> str:
    return f"[{', '.join(_nested(item, write) for item in numbers)}]" if isinstance(numbers, list) else write(numbers)


# ------------------------------------------------------------------------------------------------
# Texts

_OPEN, _CLOSE, _WAITS = "([{", ")]}", "+-*/%&|^<>=~!,("


class _Source:
    """A text as statements of Python, one a line. The language's comments, semicolons, lines that go on, and ! are understood. `declares`: the text
    has types in it, as only the language has."""

    def __init__(self, text: str):
        self.lines: List[str] = [""]
        self.marks: List[Tuple[int, int]] = []
        self.declares = _is_operation(text)
        self.depth = k = 0
        while k < len(text):
            k = self.take(text, k)
        self.lines = [line.strip() for line in self.lines if line.strip()]
        self.source = "\n".join(self.lines)

    def take(self, text: str, k: int) -> int:
        letter = text[k]
        self.depth += (letter in _OPEN) - (letter in _CLOSE)
        if letter == "#":
            end = text.find("\n", k)
            return len(text) if end < 0 else end
        if letter in "\"'":
            end = max(text.find(letter, k + 1), k)
            self.lines[-1] += text[k:end + 1]
            return end + 1
        if letter in ";\n" and self.depth <= 0 and not (letter == "\n" and self.lines[-1].rstrip()[-1:] in tuple(_WAITS)):
            self.lines.append("")
            return k + 1
        if letter == ":" and self.depth <= 0:
            self.declares = True
        if letter == "!" and text[k + 1:k + 2] != "=":
            self.marks.append((len([line for line in self.lines[:-1] if line.strip()]) + 1, len(self.lines[-1].lstrip().encode())))
            letter = "~"
        self.lines[-1] += " " if letter in "\n\t\r\f" else letter
        return k + 1


def _is_operation(text: str) -> bool:
    """One operation on types, as in add f32 [?,3]."""
    parts = text.split(None, 2)
    return len(parts) > 1 and parts[0].replace(".", "_").isidentifier() and (
        words(parts[1])[:1] in [[name] for name in WIDTH] or parts[1].startswith("tensor<"))


class _Tree:
    """Assignments and expressions. `complaint`: why a text is no Python."""

    def __init__(self, text: str):
        self.given = _Source(text)
        self.body: List[Any] = []
        self.complaint = "" if self.given.source else "the text is empty"
        if self.given.declares:
            return
        try:
            self.body = self.parse(self.given.source)
        except (SyntaxError, ValueError) as error:
            self.complaint = f"the text is no Python: {getattr(error, 'msg', error)}"
        for node in self.body:
            self.check(node)

    @staticmethod
    def parse(source: str) -> Any:
        try:
            return compile(source, "<text>", "exec", _ast.PyCF_ONLY_AST, True).body  # type: ignore[attr-defined]
        except MemoryError:  # its own limit; where recursion has one, there may be more room elsewhere
            wrong("the text nests too deeply; give parts of it names: a = ...; b = ...")

    def check(self, node: Any) -> None:
        if type(node) is _ast.Assign and len(node.targets) == 1 and type(node.targets[0]) is _ast.Name or type(node) is _ast.Expr:
            return
        self.complaint = f"{self.given.lines[node.lineno - 1]}: a statement is an expression, or a name, = and an expression"


def _walk(root: Any, found: Callable[[Any], None]) -> None:
    """In the order of the text, however deep it is."""
    stack = [root]
    while stack:
        node = stack.pop()
        kind = type(node)
        if kind is _ast.Name:
            found(node)
        if kind is _ast.IfExp:
            parts = [node.body, node.test, node.orelse]
        elif kind is _ast.Call:
            parts = [*node.args, *node.keywords]
        else:
            parts = []
            for field in node._fields:
                part = getattr(node, field)
                parts += part if isinstance(part, list) else [part]
        stack += [part for part in reversed(parts) if isinstance(part, _ast.AST)]


def names(text: str) -> Union[None, str, Tuple[str, ...]]:
    """The operands of a text. None if it is the language's, as it declares types; a string says why it is neither
    that nor Python."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return "the text has half of a letter, a surrogate"
    tree = _Tree(text)
    if tree.given.declares:
        return None
    if tree.complaint:
        return tree.complaint
    defined: set = {*_WORDS, "newaxis"}
    operands: Dict[str, None] = {}
    for node in tree.body:
        _walk(node.value, lambda name: name.id in defined or operands.setdefault(name.id))
        if type(node) is _ast.Assign:
            defined.add(node.targets[0].id)
    return tuple(operands)


class _Program:
    """Statements, and which of them are results: expressions, and names that no later statement reads."""

    def __init__(self, reader: _Reader, body: Sequence[Any]):
        self.reader, self.body = reader, body
        self.results: List[Tuple[str, Value]] = []

    def is_read_later(self, k: int) -> bool:
        name = self.body[k].targets[0].id
        for node in self.body[k + 1:]:
            read: List[str] = []
            _walk(node.value, lambda found: read.append(found.id))
            if name in read:
                return True
            if type(node) is _ast.Assign and node.targets[0].id == name:
                return False
        return False

    def run(self, out: Optional[str], casting: str) -> None:
        reader, t = self.reader, self.reader.text
        for k, node in enumerate(self.body):
            value = reader.read(node.value)
            assigns = type(node) is _ast.Assign
            is_result = not assigns or not self.is_read_later(k)
            if value.number is not None or value.operand is not None:
                value = value if assigns and not is_result else t.typed(value, t.common(value))
            elif not is_result:
                value = t.name(value)
            if assigns:
                reader.names[node.targets[0].id] = value
            if is_result:
                last = k == len(self.body) - 1
                self.results.append((node.targets[0].id if assigns else "", self.cast(value, out if last else None, casting)))

    def cast(self, value: Value, out: Optional[str], casting: str) -> Value:
        t = self.reader.text
        if out is not None and value.type != out:
            if not may_cast(value.type, out, casting):
                refuse(f"the result is of {value.type}, which casting={casting!r} does not make the {out} of out")
            value = Value(astype(t, value, out).text, out, places=value.places)
        return t.dense(value)


def _spelled(name: str, k: int) -> str:
    """An operand's name in the language, which has none with other letters than ASCII's, and some words."""
    plain = name.isascii() and len(name) <= 60 and name not in _WORDS and name not in _NO_NAMES
    return name if plain else f"operand_{k}"


class _Weak:
    """Python's numbers among the operands: each is declared as what it is used as, and checked as that when it comes."""

    def __init__(self, users: Sequence[str], names: Sequence[str], types: Sequence[str], kinds: Sequence[str]):
        self.users, self.names, self.types, self.kinds = users, names, types, kinds

    def replace(self, texts: List[str]) -> Tuple[List[str], List[str]]:
        """The texts with these operands, and how each operand is declared."""
        uses: Dict[int, set] = {}
        for text in texts:
            for part in text.split("\1")[1:]:
                operand, _, type = part.partition("\2")[0].partition(":")
                uses.setdefault(int(operand), set()).add(type)
        declared = [self.declare(k, uses.get(k, set())) for k in range(len(self.names))]
        return [self.written(text, declared) for text in texts], declared

    def declare(self, k: int, uses: set) -> str:
        if not self.kinds[k]:
            return self.types[k]
        return next(iter(uses)) if len(uses) == 1 else {"b": "i1", "i": "i64", "f": "f64"}[self.kinds[k]]

    def written(self, text: str, declared: Sequence[str]) -> str:
        first, *parts = text.split("\1")
        for part in parts:
            use, _, rest = part.partition("\2")
            k, _, type = use.partition(":")
            first += convert(self.names[int(k)], declared[int(k)], type) + rest
        return first

    def guards(self, texts: List[str]) -> List[Tuple[str, bool, str]]:
        """Where a whole number is several types, it must be a value of each of them."""
        _, declared = self.replace(texts)
        found = []
        for k, name in enumerate(self.users):
            uses = {part.partition("\2")[0].partition(":")[2] for text in texts for part in text.split("\1")[1:] if part.startswith(f"{k}:")}
            if self.kinds[k] == "i" and declared[k] == "i64":
                found += [(name, f"\1{k}:i64\2", type) for type in sorted(uses - {"i64"}) if type in INTEGERS]
        t = Text()
        for name, text, type in found:
            t.guard(Value(text, "i64"), type, f"operand {name}: the number is no value of {type}")
        return t.guards


def _needed(statements: Sequence[Tuple[str, str]], texts: Sequence[str]) -> List[Tuple[str, str]]:
    """The statements that these read, in order."""
    read = {word for text in texts for word in words(text)}
    kept = []
    for name, text in reversed(statements):
        if name in read:
            kept.append((name, text))
            read.update(words(text))
    return kept[::-1]


def _guard(guards: Sequence[Tuple[str, bool, str]]) -> str:
    """The number of the first guard that fails, from 1 on, as one i32; 0: none."""
    text = "i32(0)"
    for k in range(len(guards), 0, -1):
        condition, has_dimensions, _ = guards[k - 1]
        text = f"select({f'any({condition})' if has_dimensions else condition}, i32({k}), {text})"
    return text


def translate(text: str, operands: Sequence[str], types: Sequence[str], weak: Sequence[str], ranks: Sequence[int],
              out: Optional[str], casting: str) -> Optional[Tuple[str, Optional[str], Tuple[str, ...]]]:
    """The text for operands of these types, and perhaps another one, which finds what must not be: its number, and what to say of each. None for
    a text of the language. Of weak operands, which have a kind, b, i or f, the type is one that has their number. The last result is cast to out."""
    tree = _Tree(text)
    if not tree.body:
        return None
    strong = sorted({type for type, kind in zip(types, weak) if not kind})
    if casting in ("no", "equiv") and len(strong) > 1:
        refuse(f"the operands are of {' and '.join(strong)}, which casting={casting!r} keeps apart")
    spelled = [_spelled(name, k) for k, name in enumerate(operands)]
    own = {"b": "i1", "i": "i64", "f": "f64"}
    values = {name: Value(f"\1{k}:{own[weak[k]]}\2", own[weak[k]], weak[k], operand=k, fits=types[k]) if weak[k]
              else Value(spelled[k], types[k], places=(DIM,) * ranks[k]) for k, name in enumerate(operands)}
    taken = [node.targets[0].id for node in tree.body if type(node) is _ast.Assign]
    reader = _Reader(tree.given.source, tree.given.marks, values, [*spelled, *taken])
    program = _Program(reader, tree.body)
    program.run(out, casting)
    return _write(program, _Weak(operands, spelled, types, weak), ranks)


def _write(program: _Program, weak: _Weak, ranks: Sequence[int]) -> Tuple[str, Optional[str], Tuple[str, ...]]:
    t = program.reader.text
    results = [value.text for _, value in program.results]
    main = _needed(t.statements, results)
    said = _needed(t.statements, results + [condition for condition, _, _ in t.guards])
    guards = t.guards + weak.guards([text for _, text in said] + results + [condition for condition, _, _ in t.guards])
    check = [_guard(guards)] if guards else []
    checked = _needed(t.statements, check)
    texts, declared = weak.replace([text for _, text in main] + results + [text for _, text in checked] + check)
    heads = [f"{name}: {type}[{','.join('?' * rank)}]" for name, type, rank in zip(weak.names, declared, ranks)]
    lines = iter(texts)
    body = [f"{name} = {next(lines)}" for name, _ in main]
    for name, _ in program.results:
        named = name.isascii() and name.isidentifier() and len(name) <= 60 and name not in weak.names
        line = next(lines)
        body.append(f"{name} = {line}" if named and line != name else line)
    other = [f"{name} = {next(lines)}" for name, _ in checked] + list(lines)
    return "; ".join(heads + body), "; ".join(heads + other) if check else None, tuple(sentence for _, _, sentence in guards)


def reword(error: Any, text: str, operands: Sequence[str]) -> None:
    """Of an error about a text that was made here, what it says of the caller's."""
    sentence = str(error).split("\n")[0]
    place, sign, rest = sentence.partition(": error: ")
    sentence = rest if sign and place.replace(":", "").isdigit() else sentence
    for k, name in enumerate(operands):
        sentence = sentence.replace(_spelled(name, k), name) if _spelled(name, k) != name else sentence
    shown = " ".join(text.split())
    error.args = (f"{shown if len(shown) <= 60 else shown[:57] + '...'}: {sentence}",)

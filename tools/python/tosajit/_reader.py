# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A syntax tree of Python as expressions of the library's language, which mean what NumPy means by it. What is not understood is
refused, in the words of the text."""
from __future__ import annotations

import _ast
import math

from ._arithmetic import (BINARY, COMPARE, DIM, FLOATS, FUNCTIONS, GAP, INTEGERS, NAMES, ONE, WIDTH, Value, astype, fold, invert, kind, literal,
                          logical_not, loose, number, positive, refuse, wrong)
from ._tosajit import ArgumentError
from ._views import Dimensions, Views, at_places, listed

TYPE_CHECKING = False  # module typing takes longer to load than everything else here
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, List, Sequence, Tuple

# Functions that reduce, and the type that they reduce in: NumPy widens integers for sums and products.
_REDUCERS = {"sum": "whole", "prod": "whole", "max": "own", "min": "own", "amax": "own", "amin": "own", "any": "truth", "all": "truth",
             **dict.fromkeys(("mean", "var", "std", "norm", "logsumexp", "softmax", "log_softmax", "layer_norm", "rms_norm"), "real")}
LAST = ("softmax", "log_softmax", "layer_norm", "rms_norm")  # along the last axis, where none is given; all axes stay
MOST_OPERANDS = {"layer_norm": 3, "rms_norm": 2}
_REDUCER_KEYS = {"axis": "axis", "dim": "axis", "keepdims": "keepdims", "keepdim": "keepdims", "ddof": "ddof", "correction": "ddof",
                 "eps": "eps", "epsilon": "eps"}
WORDS = {"inf": math.inf, "nan": math.nan, "true": True, "false": False}
_LANGUAGE = "tosajit.compile takes the library's own language"


class Foreign(ArgumentError):
    """A text has what is no expression of one kernel."""


class Reader:
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
        error = Foreign(f"{self.shown(node)}: {why}")
        error.status = "TOSAJIT_INVALID_ARGUMENT"
        raise error

    def read(self, node: Any) -> Value:
        reader = self.READERS.get(type(node))
        if reader is None:
            return self.foreign(node, f"evaluate has no such expression; {_LANGUAGE}")
        return self.text.short(reader(self, node))

    def name(self, node: Any) -> Value:
        if node.id in self.names:
            return self.names[node.id]
        if node.id not in WORDS:
            self.foreign(node, f"{node.id} stands in a subscript alone, as in x[:, {node.id}]")
        return number(WORDS[node.id])

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
        return self.foreign(node, f"an array has no .{node.attr} here")

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
            name = getattr(node.func, "attr", "")
            self.foreign(node, f"{name} is no function of texts, and no method of an array" if name else "is no function that is called by its name")
        name = node.func.id
        if any(type(a) is _ast.Starred for a in node.args) or any(k.arg is None for k in node.keywords):
            self.foreign(node, "arguments are given one by one")
        if name in _REDUCERS and (name not in ("max", "min") or len(node.args) == 1):
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
        if name == "round" and len(arguments) == 2 and arguments[1].number != 0:
            self.foreign(node, "the number of digits is 0 here; write round(x * 100) / 100")
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
        near = difflib.get_close_matches(name, known, 1, 0.8)
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
            if keys[keyword.arg] in [k for k, _ in given]:
                self.foreign(node, f"{keyword.arg} of {node.func.id} is given twice")
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
            fits = {"keepdims": name not in LAST, "ddof": name in ("var", "std"), "eps": name in MOST_OPERANDS, "axis": True}
            if not fits.get(key):
                self.foreign(node, f"{name} has no argument {word} here" + ("; cast what it reads: sum(f64(x))" if word == "dtype" else ""))
            if key in keys:
                self.foreign(node, f"{name}: {word} is given twice")
            keys[key] = self.plain(argument, f"the {word} of {name}")
        return keys

    def reduce(self, node: Any, name: str) -> Value:
        t, how = self.text, _REDUCERS[name]
        most = MOST_OPERANDS.get(name, 1)
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
        elif how in ("whole", "real") and dtype not in FLOATS:
            dtype = "i64" if how == "whole" else "f64"
        parts = [t.cast(operand, dtype) for operand in [x, *operands[1:]]]
        if not axes and how != "real":
            return Value(parts[0], dtype, places=x.places)
        if not axes and x.rank:
            self.foreign(node, f"{name} needs a dimension to reduce")
        at = at_places(x)
        if how == "own" and axes:
            x = t.name(x)
            parts[0] = t.cast(x, dtype)
            t.needs_elements(x, sorted(at[axis] for axis in axes), f"{self.shown(node)}: there is no {name} of no elements; NumPy has none either")
        parts += [f"axis={listed(sorted(at[axis] for axis in axes))}"] if axes else []
        parts += [f"{key}={keys[key]!r}" for key in ("ddof", "eps") if key in keys]
        if name in LAST:
            return Value(f"{name}({', '.join(parts)})", dtype, places=t.joint(operands))
        if how == "own" and dtype == "i1":
            name = "any" if name in ("max", "amax") else "all"
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
        if name in LAST and "axis" not in keys:
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

    def whole(self, node: Any, item: Any) -> Any:
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

    READERS: Dict[Any, Callable[..., Value]] = {_ast.Name: name, _ast.Constant: constant, _ast.Attribute: attribute, _ast.List: constants, _ast.BinOp: binary, _ast.UnaryOp: unary,
               _ast.Compare: compare, _ast.BoolOp: truths, _ast.IfExp: choice, _ast.Call: call, _ast.Subscript: subscript}


_SIGNS: Dict[Any, Callable[..., Value]] = {_ast.USub: lambda t, x: t.negate(x), _ast.UAdd: positive, _ast.Invert: invert}
_MOVERS: Dict[str, Callable[[Reader, Any], Value]] = {
    "transpose": Reader.transpose, "permute": Reader.transpose, "swapaxes": Reader.swapaxes, "reshape": Reader.reshape,
    "flip": Reader.flip, "squeeze": Reader.squeeze, "expand_dims": Reader.expand, "unsqueeze": Reader.expand, "tile": Reader.tile,
    "broadcast_to": Reader.broadcast_to, "concat": Reader.concatenate, "cat": Reader.concatenate,
    "concatenate": Reader.concatenate, "pad": Reader.pad}


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

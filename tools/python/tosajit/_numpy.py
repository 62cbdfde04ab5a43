# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Texts in the manner of NumPy. In: a text that is also Python, and the types of its operands. Out: a
text of the library's language, in which types are promoted as NumPy promotes them, and functions that
the language does not have are written out. None where the language has the same meaning already, and
where the text is no Python: then the language is to judge.

evaluate asks once for each text and list of types."""
from __future__ import annotations

import _ast
import math
import operator

from ._tosajit import ArgumentError, ElementTypeError

TYPE_CHECKING = False  # module typing takes longer to load than everything else here
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, List, NoReturn, Optional, Sequence, Tuple, Union

_INTEGERS = ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64")
_FLOATS = ("f16", "bf16", "f32", "f64")
_WIDTH = {"i1": 1, "i8": 8, "i16": 16, "i32": 32, "i48": 48, "i64": 64, "u8": 8, "u16": 16, "u32": 32, "u64": 64,
          "f8E4M3FN": 8, "f8E5M2": 8, "f16": 16, "bf16": 16, "f32": 32, "f64": 64}
# NumPy's names; those of floats round toward zero where they make integers, as astype does.
_NAMES = {"bool": "i1", "bool_": "i1", "int": "i64", "float": "f64", "double": "f64", "single": "f32", "half": "f16",
          **{f"int{n}": f"i{n}" for n in (8, 16, 32, 64)}, **{f"uint{n}": f"u{n}" for n in (8, 16, 32, 64)},
          **{f"float{n}": f"f{n}" for n in (16, 32, 64)}, "bfloat16": "bf16"}


class _Foreign(Exception):
    """The text is not NumPy's."""


class _Value:
    """A part of the new text. A number has no type. A weak one has the type in which it comes, and takes that
    of what it meets."""

    __slots__ = ("text", "type", "weak", "number")

    def __init__(self, text: str, type: Optional[str], weak: bool = False, number: Any = None):
        self.text, self.weak, self.number = text, weak, number
        self.type: Any = type


def _refuse(sentence: str) -> NoReturn:
    error = ElementTypeError(sentence)
    error.status = "TOSAJIT_TYPE_MISMATCH"
    raise error


def _refuse_power() -> NoReturn:
    error = ArgumentError("integers to negative integer powers are not allowed; write a float: x ** -2.0")
    error.status = "TOSAJIT_INVALID_ARGUMENT"
    raise error


def _promote(a: str, b: str) -> str:
    """The smallest type that has all values of both, as NumPy sees it; bf16 as ml_dtypes does."""
    if a == b:
        return a
    if "i1" in (a, b):
        return b if a == "i1" else a
    for type in (a, b):
        if type not in _INTEGERS and type not in _FLOATS:
            raise _Foreign
    floats = [type for type in (a, b) if type in _FLOATS]
    if len(floats) == 2:
        return "f64" if "f64" in floats else "f32"
    if floats:
        other = a if b == floats[0] else b
        least = {8: 16, 16: 32}.get(_WIDTH[other], 64)
        if floats[0] == "bf16":
            return "bf16" if least == 16 else f"f{least}"
        return f"f{max(least, _WIDTH[floats[0]])}"
    if a[0] == b[0]:
        return a if _WIDTH[a] > _WIDTH[b] else b
    signed, unsigned = (a, b) if a[0] == "i" else (b, a)
    if _WIDTH[signed] > _WIDTH[unsigned]:
        return signed
    return "f64" if _WIDTH[unsigned] == 64 else f"i{2 * _WIDTH[unsigned]}"


def _may_cast(a: str, b: str, rule: str) -> bool:
    if rule == "unsafe" or a == b:
        return True
    if rule in ("no", "equiv"):
        return False
    try:
        safe = _promote(a, b) == b
    except _Foreign:
        return False
    kinds = "uif"
    kind = lambda type: -1 if type == "i1" else kinds.find(type[0].replace("b", "f"))
    return safe or (rule == "same_kind" and kind(a) <= kind(b))


# Conversions that the language lacks, by a type between that loses nothing.
_BETWEEN = {("i1", "f16"): "f32", ("i1", "bf16"): "f32", ("i8", "i64"): "i32", ("i16", "i64"): "i32", ("i64", "i8"): "i32",
            ("i64", "i16"): "i32", ("i64", "f16"): "f64", ("i64", "bf16"): "f64", ("f16", "i64"): "f32", ("bf16", "i64"): "f32",
            ("f16", "bf16"): "f32", ("bf16", "f16"): "f32", ("f16", "i1"): "f32", ("bf16", "i1"): "f32"}


def _convert(text: str, a: str, b: str) -> str:
    if a == b:
        return text
    between = _BETWEEN.get((a, b))
    return f"{b}({_convert(text, a, between)})" if between else f"{b}({text})"


def _literal(number: Any, type: str) -> str:
    if type == "i1":
        return "true" if number else "false"
    if type in _FLOATS:
        number = float(number)
        text = "nan" if number != number else repr(number)
    else:
        text = repr(int(number))
    return f"{type}({text})"


def _is_float(type: Optional[str]) -> bool:
    return type in _FLOATS


def _whole_type(type: str) -> str:
    """In which integers are divided and multiplied, with the low bits of the type."""
    return type if type == "i64" or type[0] == "u" else "i32"


class _Text:
    """The statements of the new text, as far as they are written."""

    def __init__(self, names: Sequence[str] = ()) -> None:
        self.statements: List[str] = []
        self.count, self.prefix = 0, "_"
        while any(name.startswith(self.prefix) for name in names):
            self.prefix += "_"
        self.changed = False

    # ------------------------------------------------------------------------------------------
    # Values

    def name(self, value: _Value) -> _Value:
        """The value under a name, to be used more than once."""
        if value.text.isidentifier():
            return value
        self.count += 1
        name = f"{self.prefix}{self.count}"
        self.statements.append(f"{name} = {value.text}")
        return _Value(name, value.type, value.weak)

    def cast(self, value: _Value, type: str) -> str:
        if value.number is not None:
            return _literal(value.number, type)
        if value.type != type:
            self.changed = True
        return _convert(value.text, value.type, type)

    def typed(self, value: _Value, type: str) -> _Value:
        return _Value(self.cast(value, type), type)

    def beside(self, value: _Value, other: _Value, type: str) -> str:
        """The value as that type; a number may take it from the other."""
        if value.number is not None and other.number is None and type != "i1" and type in _FLOATS + ("i32", "i64"):
            number = value.number
            if isinstance(number, (int, float)) and not isinstance(number, bool) and number == number:
                return f"({number!r})" if number < 0 else repr(number)
        return self.cast(value, type)

    @staticmethod
    def kind(value: _Value) -> str:
        """Of what has no type of its own: "b", "i" or "f"."""
        if value.number is None:
            return "b" if value.type == "i1" else value.type[0]
        return "b" if isinstance(value.number, bool) else "f" if isinstance(value.number, float) else "i"

    @staticmethod
    def loose(*values: _Value) -> bool:
        return all(value.number is not None or value.weak for value in values)

    def common(self, *values: _Value) -> str:
        """The type in which NumPy computes with these."""
        type: Optional[str] = None
        kinds = set()
        for value in values:
            if self.loose(value):
                kinds.add(self.kind(value))
            else:
                type = value.type if type is None else _promote(type, value.type)
        if type is None:
            return "f64" if "f" in kinds else "i64" if "i" in kinds else "i1"
        if "f" in kinds and type not in _FLOATS:
            return "f64"
        return "i64" if "i" in kinds and type == "i1" else type

    def floating(self, *values: _Value) -> str:
        """The same for functions that have no integers."""
        type = self.common(*values)
        if type in _FLOATS:
            return type
        if not self.loose(*values):
            return {1: "f16", 8: "f16", 16: "f32"}.get(_WIDTH.get(type, 0), "f64") if type in _INTEGERS + ("i1",) else type
        return "f64"

    # ------------------------------------------------------------------------------------------
    # Operators

    def infix(self, sign: str, a: _Value, b: _Value, type: str) -> _Value:
        """In a type that has this operator."""
        return _Value(f"({self.beside(a, b, type)} {sign} {self.beside(b, a, type)})", type)

    def narrow(self, make: Callable[[str], _Value], type: str) -> _Value:
        """In 32 bits where the type has no arithmetic; the low bits are the same."""
        if type not in ("i8", "i16"):
            return make(type)
        self.changed = True
        return self.typed(make("i32"), type)

    def arithmetic(self, sign: str, a: _Value, b: _Value) -> _Value:
        type = self.common(a, b)
        if type == "i1" and self.loose(a, b):
            self.changed = True
            type = "i64"
        if type == "i1":
            if sign == "-":
                _refuse("there is no difference of two i1; NumPy has none either: write a ^ b or a & ~b")
            self.changed = True
            return self.infix({"+": "|", "*": "&"}[sign], a, b, type)
        return self.narrow(lambda t: self.infix(sign, a, b, t), type)

    def divide(self, a: _Value, b: _Value) -> _Value:
        type = self.common(a, b)
        if type not in _FLOATS:
            self.changed = True
            type = "f64"
        if a.number is not None and type == "f64" and b.number is None:
            a = _Value(_literal(a.number, type), type)
        return self.infix("/", a, b, type)

    def integer_quotient(self, a: _Value, b: _Value) -> Tuple[_Value, _Value, _Value]:
        """Both by name, and what remains of the quotient toward zero."""
        a, b = self.name(a), self.name(b)
        q = self.name(_Value(f"intdiv({a.text}, {b.text})", a.type))
        return b, q, self.name(_Value(f"select({b.text} == 0, {self.zero(a)}, {a.text} - {q.text} * {b.text})", a.type))

    @staticmethod
    def zero(value: _Value) -> str:
        return f"{value.type}(0)"

    def call(self, name: str, type: str, *operands: _Value) -> _Value:
        """A function of the language, of one type."""
        return _Value(f"{name}({', '.join(self.cast(operand, type) for operand in operands)})", type)

    def fmod(self, a: _Value, b: _Value) -> _Value:
        self.changed = True
        type = self.common(a, b)
        if type in _FLOATS:
            return self.call("fmod", type, a, b)
        wide = _whole_type(type)
        _, _, rest = self.integer_quotient(self.typed(a, wide), self.typed(b, wide))
        return self.typed(rest, "i8" if type == "i1" else type)

    def off(self, rest: _Value, y: _Value) -> _Value:
        """Whether rounding downward differs from rounding toward zero."""
        return self.name(_Value(f"({rest.text} != 0) & (({rest.text} < 0) != ({y.text} < 0))", "i1"))

    def floor_divide(self, a: _Value, b: _Value) -> _Value:
        self.changed = True
        type = self.common(a, b)
        if type in _FLOATS:
            return self.call("floor_divide", type, a, b)
        wide = _whole_type(type)
        y, q, rest = self.integer_quotient(self.typed(a, wide), self.typed(b, wide))
        quotient = _Value(f"({q.text} - select({self.off(rest, y).text}, {wide}(1), {wide}(0)))", wide)
        return self.typed(quotient, "i8" if type == "i1" else type)

    def modulo(self, a: _Value, b: _Value) -> _Value:
        self.changed = True
        type = self.common(a, b)
        if type in _FLOATS:
            return self.call("remainder", type, a, b)
        wide = _whole_type(type)
        y, _, rest = self.integer_quotient(self.typed(a, wide), self.typed(b, wide))
        text = f"select({self.off(rest, y).text}, {rest.text} + {y.text}, {rest.text})"
        return self.typed(_Value(text, wide), "i8" if type == "i1" else type)

    def power(self, a: _Value, b: _Value) -> _Value:
        type = self.common(a, b)
        if type in _FLOATS:
            return self.infix("**", a, b, type)
        self.changed = True
        if b.number is not None and b.number < 0:
            _refuse_power()
        wide = _whole_type(type)
        base = self.name(self.typed(a, wide))
        result: Optional[_Value] = None
        if b.number is not None:
            exponent = int(b.number)
            while exponent:
                if exponent & 1:
                    result = base if result is None else _Value(f"{self.name(result).text} * {base.text}", wide)
                exponent >>= 1
                if exponent:
                    base = self.name(_Value(f"{base.text} * {base.text}", wide))
            if result is None:
                result = _Value(f"({base.text} * 0 + 1)", wide)
            return self.typed(result, "i8" if type == "i1" else type)
        exponent_value = self.name(self.typed(b, wide))
        result = _Value(f"{wide}(1)", wide)
        for bit in range(min(31, _WIDTH[wide])):  # a larger exponent leaves 0, 1 or -1 of most numbers, and wraps of others
            factor = f"select((({exponent_value.text} >> {bit}) & 1) == 1, {base.text}, {wide}(1))"
            result = self.name(_Value(f"{result.text} * {factor}", wide))
            if bit < 30:
                base = self.name(_Value(f"{base.text} * {base.text}", wide))
        return self.typed(result, "i8" if type == "i1" else type)

    def bitwise(self, sign: str, a: _Value, b: _Value) -> _Value:
        type = self.common(a, b)
        if type in _FLOATS:
            raise _Foreign
        if type == "i1" and sign in ("<<", ">>"):
            type, self.changed = "i8", True
        if type == "i1" and (isinstance(a.number, bool) or isinstance(b.number, bool)):
            self.changed = True
        other = self.cast if sign in ("<<", ">>") or type in ("i8", "i16") else None
        if other:
            return _Value(f"({self.cast(a, type)} {sign} {self.cast(b, type)})", type)
        return self.infix(sign, a, b, type)

    def compare(self, sign: str, a: _Value, b: _Value) -> _Value:
        type = self.common(a, b)
        if type in _INTEGERS and any(value.weak and value.type == "i64" for value in (a, b)):
            self.changed = True  # a number that comes with the call may be none of the type
            type = "i64"
        if type in ("i8", "i16") or (type == "i1" and sign not in ("==", "!=")):
            self.changed = True
            type = "i32"
        return _Value(self.infix(sign, a, b, type).text, "i1")

    def negate(self, value: _Value) -> _Value:
        type = self.common(value)
        if type == "i1" and value.weak:
            type = "i64"
        if type == "i1":
            _refuse("there is no minus of an i1; NumPy has none either: write ~x")
        if type in _INTEGERS:
            self.changed = True  # the language's saturates
            return self.narrow(lambda t: _Value(f"({t}(0) - {self.cast(value, t)})", t), type)
        return _Value(f"(-{self.cast(value, type)})", type)

    def truth(self, value: _Value) -> str:
        """A condition: an i1."""
        if value.number is not None:
            return "true" if value.number else "false"
        if value.type == "i1":
            return value.text
        self.changed = True
        return self.compare("!=", value, _Value("0", None, number=0)).text

    def select(self, condition: _Value, a: _Value, b: _Value) -> _Value:
        type = self.common(a, b)
        number = a.number is not None and b.number is not None
        first = self.cast(a, type) if number or type == "i1" else self.beside(a, b, type)
        return _Value(f"select({self.truth(condition)}, {first}, {self.beside(b, a, type)})", type)

    def extreme(self, name: str, a: _Value, b: _Value) -> _Value:
        type = self.common(a, b)
        if type == "i1":
            self.changed = True
            return self.infix("|" if name == "maximum" else "&", a, b, type)
        return self.narrow(lambda t: _Value(f"{name}({self.beside(a, b, t)}, {self.beside(b, a, t)})", t), type)

    def same(self, name: str, value: _Value) -> _Value:
        """A function whose result has the operand's type; integers are as they are."""
        type = self.common(value)
        if type not in _FLOATS:
            self.changed = True
            return self.typed(value, type)
        return _Value(f"{name}({self.cast(value, type)})", type)


def _whole(name: str) -> Callable[[_Text, _Value], _Value]:
    return lambda t, x: t.same(name, x)


def _real(name: str) -> Callable[..., _Value]:
    """A function of the language that has floats alone."""

    def make(t: _Text, *operands: _Value) -> _Value:
        return t.call(name, t.floating(*operands), *operands)

    return make


def _written(*lines: str) -> Callable[..., _Value]:
    """A function that is written in the language: lines in which x and y are operands and earlier lines are a, b and so
    on; T(...) is of the type in which they compute."""

    def make(t: _Text, *operands: _Value) -> _Value:
        type = t.floating(*operands)
        t.changed = True
        names = {}
        for letter, operand in zip("xy", operands):
            names[letter] = t.name(t.typed(operand, type)).text
        for letter, line in zip("abcdefghijklmn", lines):
            text = "".join(names.get(word, type if word == "T" else word) for word in _words(line))
            if line is lines[-1]:
                return _Value(f"({text})", type)
            names[letter] = t.name(_Value(text, type)).text
        raise AssertionError

    return make


def _words(line: str) -> List[str]:
    words, word = [], ""
    for letter in line + "\0":
        if letter.isalnum() or letter == "_":
            word += letter
            continue
        words += [word, letter]
        word = ""
    return words[:-1]


def _absolute(t: _Text, x: _Value) -> _Value:
    type = t.common(x)
    if type == "i1" or type[0] == "u":
        t.changed = True
        return t.typed(x, type)
    return t.narrow(lambda w: _Value(f"abs({t.cast(x, w)})", w), type)


def _sign(t: _Text, x: _Value) -> _Value:
    t.changed = True
    type = t.common(x)
    if type == "i1":
        _refuse("there is no sign of an i1; NumPy has none either")
    wide = "i32" if type in ("i8", "i16") else type
    x = t.name(t.typed(x, wide))
    if type[0] == "u":
        return _Value(f"minimum({x.text}, {type}(1))", type)
    text = f"select({x.text} > 0, {wide}(1), select({x.text} < 0, {wide}(-1), {x.text}))"
    return t.typed(_Value(text, wide), type)


def _square(t: _Text, x: _Value) -> _Value:
    type = t.common(x)
    if type == "i1":
        x = t.typed(x, "i8")
    x = t.name(x) if x.number is None else x
    return t.arithmetic("*", x, x)


def _round(t: _Text, x: _Value, digits: Optional[_Value] = None) -> _Value:
    if digits is not None and digits.number != 0:
        raise _Foreign
    return t.same("roundeven", x)


def _clip(t: _Text, x: _Value, low: _Value, high: _Value) -> _Value:
    t.changed = True
    type = t.common(x, low, high)
    wide = "i32" if type in ("i8", "i16", "i1") else type
    text = f"minimum(maximum({t.cast(x, wide)}, {t.cast(low, wide)}), {t.cast(high, wide)})"
    return t.typed(_Value(text, wide), type)


def _predicate(text: str, integers: str) -> Callable[[_Text, _Value], _Value]:
    def make(t: _Text, x: _Value) -> _Value:
        t.changed = True
        type = t.common(x)
        x = t.name(t.typed(x, type if type in _FLOATS else "i32" if type != "i64" else type))
        return _Value("(" + (text if type in _FLOATS else integers).replace("$", x.text) + ")", "i1")

    return make


def _signbit(t: _Text, x: _Value) -> _Value:
    t.changed = True
    type = t.common(x)
    if type in _FLOATS:
        return _Value(f"signbit({t.cast(x, type)})", "i1")
    return t.compare("<", x, _Value("0", None, number=0))


def _numbers(name: str) -> Callable[[_Text, _Value, _Value], _Value]:
    """fmax and fmin: a number wins over a NaN."""

    def make(t: _Text, a: _Value, b: _Value) -> _Value:
        type = t.common(a, b)
        if type not in _FLOATS:
            return t.extreme(name, a, b)
        t.changed = True
        a, b = t.name(t.typed(a, type)), t.name(t.typed(b, type))
        return _Value(f"select({a.text} == {a.text}, select({b.text} == {b.text}, {name}({a.text}, {b.text}), {a.text}),"
                      f" {b.text})", type)

    return make


def _logical(sign: str) -> Callable[[_Text, _Value, _Value], _Value]:
    return lambda t, a, b: _Value(f"({t.truth(a)} {sign} {t.truth(b)})", "i1")


def _ones(number: int) -> Callable[[_Text, _Value], _Value]:
    def make(t: _Text, x: _Value) -> _Value:
        t.changed = True
        type = t.common(x)
        wide = type if type in _FLOATS else "i64" if type == "i64" else "i32"
        x = t.name(t.typed(x, wide))
        return t.typed(_Value(f"select({x.text} == {x.text}, {wide}({number}), {wide}({number}))", wide), type)

    return make


def _same(t: _Text, x: _Value) -> _Value:
    t.changed = True
    return t.typed(x, t.common(x))


def _no_complex(t: _Text, *values: _Value) -> _Value:
    _refuse("there are no complex numbers; compute with the real and the imaginary part as two arrays")


def _invert(t: _Text, x: _Value) -> _Value:
    type = t.common(x)
    if type in _FLOATS:
        raise _Foreign
    return _Value(f"(~{t.cast(x, type)})", type)


# Functions of one real number, which the language has by the same names.
_REALS = (
    "exp", "exp2", "expm1", "log", "log1p", "log2", "log10", "sqrt", "cbrt", "rsqrt", "reciprocal", "sin", "cos", "tan", "arcsin", "arccos",
    "arctan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "arcsinh", "arccosh", "arctanh", "asinh", "acosh", "atanh", "erf", "erfc",
    "sigmoid", "gelu", "silu", "swish", "mish", "softplus", "logsigmoid", "hardsigmoid", "hardswish")
_FUNCTIONS: Dict[str, Tuple[int, int, Callable[..., _Value]]] = {}


def _add(count: Union[int, Tuple[int, int]], **functions: Callable[..., _Value]) -> None:
    least, most = count if isinstance(count, tuple) else (count, count)
    for name, function in functions.items():
        _FUNCTIONS[name] = (least, most, function)


_add(1, **{name: _real(name) for name in _REALS})
_add(1, floor=_whole("floor"), ceil=_whole("ceil"), rint=_real("roundeven"), roundeven=_whole("roundeven"),
     trunc=_whole("trunc"), fix=_whole("trunc"), sign=_sign, abs=_absolute, absolute=_absolute, fabs=_absolute, signbit=_signbit,
     negative=lambda t, x: t.negate(x), negate=lambda t, x: t.negate(x), neg=lambda t, x: t.negate(x),
     positive=_same, copy=_same, conj=_same, conjugate=_same, real=_same, imag=_no_complex,
     square=_square,
     relu=lambda t, x: t.extreme("maximum", x, _Value("0", None, number=0)),
     isnan=_predicate("$ != $", "$ != $"), isinf=_predicate("abs($) == inf", "$ != $"),
     isfinite=_predicate("($ - $) == 0", "$ == $"), ones_like=_ones(1), zeros_like=_ones(0),
     invert=_invert, bitwise_not=_invert,
     logical_not=lambda t, x: _Value(f"(!{t.truth(x)})", "i1"),
     degrees=_written("x * T(57.29577951308232)"), rad2deg=_written("x * T(57.29577951308232)"),
     radians=_written("x * T(0.017453292519943295)"), deg2rad=_written("x * T(0.017453292519943295)"))
_add(2, maximum=lambda t, a, b: t.extreme("maximum", a, b), minimum=lambda t, a, b: t.extreme("minimum", a, b),
     max=lambda t, a, b: t.extreme("maximum", a, b), min=lambda t, a, b: t.extreme("minimum", a, b),
     fmax=_numbers("maximum"), fmin=_numbers("minimum"), copysign=_real("copysign"), nextafter=_real("nextafter"),
     arctan2=_real("atan2"), atan2=_real("atan2"), hypot=_real("hypot"),
     power=lambda t, a, b: t.power(a, b), pow=lambda t, a, b: t.power(a, b),
     add=lambda t, a, b: t.arithmetic("+", a, b), subtract=lambda t, a, b: t.arithmetic("-", a, b),
     sub=lambda t, a, b: t.arithmetic("-", a, b), multiply=lambda t, a, b: t.arithmetic("*", a, b),
     divide=lambda t, a, b: t.divide(a, b), true_divide=lambda t, a, b: t.divide(a, b),
     floor_divide=lambda t, a, b: t.floor_divide(a, b), remainder=lambda t, a, b: t.modulo(a, b),
     mod=lambda t, a, b: t.modulo(a, b), fmod=lambda t, a, b: t.fmod(a, b),
     logaddexp=_written("maximum(x, y)", "select(x == y, a + 0.6931471805599453, a + log1p(exp(minimum(x, y) - a)))"),
     logical_and=_logical("&"), logical_or=_logical("|"), logical_xor=_logical("^"),
     bitwise_and=lambda t, a, b: t.bitwise("&", a, b), bitwise_or=lambda t, a, b: t.bitwise("|", a, b),
     bitwise_xor=lambda t, a, b: t.bitwise("^", a, b), left_shift=lambda t, a, b: t.bitwise("<<", a, b),
     right_shift=lambda t, a, b: t.bitwise(">>", a, b), complex=_no_complex,
     equal=lambda t, a, b: t.compare("==", a, b), not_equal=lambda t, a, b: t.compare("!=", a, b),
     greater=lambda t, a, b: t.compare(">", a, b), greater_equal=lambda t, a, b: t.compare(">=", a, b),
     less=lambda t, a, b: t.compare("<", a, b), less_equal=lambda t, a, b: t.compare("<=", a, b))
_add(3, where=lambda t, c, a, b: t.select(c, a, b), select=lambda t, c, a, b: t.select(c, a, b), clip=_clip, clamp=_clip)
_add((1, 2), round=_round)

# What the language has by the same name; the others change the text.
_OWN = frozenset(_REALS + (
    "arctan2", "atan2", "hypot", "copysign", "nextafter", "floor", "ceil", "trunc", "rint", "roundeven", "round", "abs", "negate", "neg", "square", "relu",
    "maximum", "minimum", "max", "min", "pow", "add", "sub", "divide", "logical_not", "logical_and", "logical_or", "logical_xor",
    "bitwise_not", "bitwise_and", "bitwise_or", "bitwise_xor", "equal", "greater", "greater_equal", "where", "select"))

_BINARY = {_ast.Add: lambda t, a, b: t.arithmetic("+", a, b), _ast.Sub: lambda t, a, b: t.arithmetic("-", a, b),
           _ast.Mult: lambda t, a, b: t.arithmetic("*", a, b), _ast.Div: lambda t, a, b: t.divide(a, b),
           _ast.FloorDiv: lambda t, a, b: t.floor_divide(a, b), _ast.Mod: lambda t, a, b: t.modulo(a, b),
           _ast.Pow: lambda t, a, b: t.power(a, b), _ast.LShift: lambda t, a, b: t.bitwise("<<", a, b),
           _ast.RShift: lambda t, a, b: t.bitwise(">>", a, b), _ast.BitAnd: lambda t, a, b: t.bitwise("&", a, b),
           _ast.BitOr: lambda t, a, b: t.bitwise("|", a, b), _ast.BitXor: lambda t, a, b: t.bitwise("^", a, b)}
_FOLDED = {_ast.Add: operator.add, _ast.Sub: operator.sub, _ast.Mult: operator.mul, _ast.Div: operator.truediv,
           _ast.FloorDiv: operator.floordiv, _ast.Mod: operator.mod, _ast.LShift: operator.lshift,
           _ast.RShift: operator.rshift, _ast.BitAnd: operator.and_, _ast.BitOr: operator.or_, _ast.BitXor: operator.xor}
_COMPARE = {_ast.Eq: "==", _ast.NotEq: "!=", _ast.Lt: "<", _ast.LtE: "<=", _ast.Gt: ">", _ast.GtE: ">="}
# Functions that reduce, and the type that they reduce in: NumPy widens integers for sums and products.
_REDUCERS = {"sum": "whole", "prod": "whole", "max": "own", "min": "own", "amax": "own", "amin": "own", "any": "truth", "all": "truth",
             **dict.fromkeys(("mean", "var", "std", "norm", "logsumexp", "softmax", "log_softmax", "layer_norm", "rms_norm"), "real")}
_REDUCED = ("axis", "keepdims", "ddof", "eps")  # what they take besides
_WORDS = {"inf": math.inf, "nan": math.nan, "true": True, "false": False}


def _plain(node: Any) -> str:
    """A number, None, or a list of these, as it is written."""
    if type(node) is _ast.Constant and (node.value is None or isinstance(node.value, (bool, int, float))):
        return repr(node.value)
    if type(node) is _ast.UnaryOp and type(node.op) is _ast.USub:
        return f"-{_plain(node.operand)}"
    if type(node) in (_ast.Tuple, _ast.List):
        return f"[{', '.join(_plain(item) for item in node.elts)}]"
    raise _Foreign


class _Reader:
    """A syntax tree as text."""

    def __init__(self, names: Dict[str, _Value], taken: Sequence[str] = ()):
        self.text, self.names = _Text(taken), names

    def read(self, node: Any) -> _Value:
        kind = type(node)
        if kind is _ast.Name:
            if node.id in self.names:
                return self.names[node.id]
            if node.id in _WORDS:
                return _Value("", None, number=_WORDS[node.id])
        elif kind is _ast.Constant and isinstance(node.value, (bool, int, float)):
            return _Value("", None, number=node.value)
        elif kind is _ast.Attribute and node.attr in ("real", "imag"):
            return _FUNCTIONS[node.attr][2](self.text, self.read(node.value))
        elif kind is _ast.BinOp:
            return self.binary(node)
        elif kind is _ast.UnaryOp:
            return self.unary(node)
        elif kind is _ast.Compare and len(node.ops) == 1 and type(node.ops[0]) in _COMPARE:
            a, b = self.read(node.left), self.read(node.comparators[0])
            if a.number is not None and b.number is not None:
                self.text.changed = True
                a = self.text.typed(a, self.text.common(a, b))
            return self.settle(self.text.compare(_COMPARE[type(node.ops[0])], a, b), a, b)
        elif kind is _ast.Call:
            return self.call(node)
        elif kind is _ast.IfExp:
            self.text.changed = True
            return self.text.select(self.read(node.test), self.read(node.body), self.read(node.orelse))
        raise _Foreign

    def binary(self, node: Any) -> _Value:
        a, b = self.read(node.left), self.read(node.right)
        kind = type(node.op)
        if a.number is not None and b.number is not None:
            try:
                number = a.number ** b.number if kind is _ast.Pow and abs(b.number) < 100 else _FOLDED[kind](a.number, b.number)
            except (ArithmeticError, KeyError, TypeError, ValueError):
                raise _Foreign from None
            if isinstance(number, complex) or isinstance(number, int) and abs(number) >= 1 << 63:
                raise _Foreign
            self.text.changed = True
            return _Value("", None, number=number)
        if kind not in _BINARY:
            raise _Foreign
        return self.settle(_BINARY[kind](self.text, a, b), a, b)

    def settle(self, value: _Value, *operands: _Value) -> _Value:
        """What is made of numbers alone is a number, too: it takes the type of what it meets."""
        if value.number is None and value.type in ("i1", "i64", "f64"):
            value.weak = self.text.loose(*operands)
        return value

    def unary(self, node: Any) -> _Value:
        value = self.read(node.operand)
        return self.settle(self.signed(node, value), value)

    def signed(self, node: Any, value: _Value) -> _Value:
        kind = type(node.op)
        if value.number is not None and kind is not _ast.Not:
            fold = {_ast.USub: operator.neg, _ast.UAdd: operator.pos, _ast.Invert: operator.invert}[kind]
            return _Value("", None, number=fold(value.number))
        if kind is _ast.USub:
            return self.text.negate(value)
        if kind is _ast.UAdd:
            self.text.changed = True
            return self.text.typed(value, self.text.common(value))
        if kind is _ast.Invert:
            return _invert(self.text, value)
        raise _Foreign

    def call(self, node: Any) -> _Value:
        if type(node.func) is not _ast.Name:
            raise _Foreign
        name, t = node.func.id, self.text
        if name == "clamp" and len(node.args) == 1:
            return self.clamp(node)
        if any(type(a) is _ast.Starred for a in node.args):
            raise _Foreign
        if name in _REDUCERS and (_REDUCERS[name] != "own" or len(node.args) == 1):
            return self.reduce(node, _REDUCERS[name])
        if node.keywords:
            raise _Foreign
        arguments = [self.read(a) for a in node.args]
        if name in _WIDTH and len(arguments) == 1:
            if arguments[0].number is None:
                return t.typed(arguments[0], name) if arguments[0].type != name else arguments[0]
            return _Value(_literal(arguments[0].number, name), name)
        if name in _NAMES and len(arguments) == 1:
            return self.astype(arguments[0], _NAMES[name])
        if name not in _FUNCTIONS:
            raise _Foreign
        least, most, function = _FUNCTIONS[name]
        if not least <= len(arguments) <= most:
            raise _Foreign
        if all(a.number is not None for a in arguments):
            t.changed = True  # a number alone has no type in the language
            arguments = [t.typed(a, t.common(a)) for a in arguments]
        t.changed = t.changed or name not in _OWN
        return self.settle(function(t, *arguments), *arguments)

    def reduce(self, node: Any, kind: str) -> _Value:
        """Axes and the like stay as they are written."""
        name, t = node.func.id, self.text
        norm = name in ("layer_norm", "rms_norm")
        operands = [self.read(argument) for argument in (node.args if norm else node.args[:1])]
        if not operands or any(o.number is not None or o.type not in _WIDTH for o in operands):
            raise _Foreign
        rest = [_plain(argument) for argument in node.args[len(operands):]]
        for keyword in node.keywords:
            if keyword.arg not in _REDUCED:
                raise _Foreign
            rest.append(f"{keyword.arg}={_plain(keyword.value)}")
        x, type = operands[0], t.common(*operands)
        if type not in _FLOATS + _INTEGERS + ("i1",):
            raise _Foreign
        if kind == "truth" and type != "i1":
            t.changed, x, type = True, t.compare("!=", x, _Value("", None, number=0)), "i1"
        elif kind == "own" and type == "i1":
            t.changed, name = True, "any" if name in ("max", "amax") else "all"
        elif kind in ("whole", "real") and type not in _FLOATS:
            type = "i64" if kind == "whole" else "f64"
        parts = [t.cast(x, type), *(t.cast(operand, type) for operand in operands[1:])]
        return self.settle(_Value(f"{name}({', '.join(parts + rest)})", type), *operands)

    def clamp(self, node: Any) -> _Value:
        x = self.read(node.args[0])
        for keyword in node.keywords:
            if keyword.arg not in ("min", "max"):
                raise _Foreign
            name = {"min": "maximum", "max": "minimum"}[keyword.arg]
            x = self.text.extreme(name, x, self.read(keyword.value))
        return x

    def astype(self, value: _Value, to: str) -> _Value:
        t = self.text
        t.changed = True
        if value.number is None and value.type in _FLOATS and to in _INTEGERS:
            return t.typed(t.call("trunc", value.type, value), to)
        return t.typed(value, to)


def _tree(text: str) -> Optional[List[Any]]:
    """Assignments and expressions; None if it is no Python."""
    if "0x" in text or "0X" in text:
        return None  # bits, in the library's language
    try:
        # ! is ~ of an i1
        plain = "".join("~" if letter == "!" and text[k + 1:k + 2] != "=" else letter for k, letter in enumerate(text))
        body: Any = compile(plain.strip(), "<text>", "exec", _ast.PyCF_ONLY_AST)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    body = body.body
    for node in body:
        single = type(node) is _ast.Assign and len(node.targets) == 1 and type(node.targets[0]) is _ast.Name
        if not single and type(node) is not _ast.Expr:
            return None
    return body


def _walk(node: Any, found: Callable[[Any], None]) -> None:
    """In the order of the text."""
    if type(node) is _ast.Name:
        found(node)
    if type(node) is _ast.IfExp:
        parts = (node.body, node.test, node.orelse)
    elif type(node) is _ast.Call and type(node.func) is _ast.Name:
        parts = (*node.args, *node.keywords)
    else:
        parts = tuple(getattr(node, field) for field in node._fields)
    for part in parts:
        for item in part if isinstance(part, (list, tuple)) else (part,):
            if isinstance(item, _ast.AST):
                _walk(item, found)


def names(text: str) -> Optional[Tuple[str, ...]]:
    """The operands of a text that the language does not read; None if it is no Python either."""
    body = _tree(text)
    if body is None:
        return None
    defined: set = set(_WORDS)
    operands: Dict[str, None] = {}
    for node in body:
        _walk(node.value, lambda name: name.id in defined or operands.setdefault(name.id))
        if type(node) is _ast.Assign:
            defined.add(node.targets[0].id)
    return tuple(operands)


def _declare(name: str, type: str, rank: int) -> str:
    return f"{name}: {type}[{','.join('?' * rank)}]"


def translate(text: str, operands: Sequence[str], types: Sequence[str], weak: Sequence[bool], ranks: Sequence[int],
              out: Optional[str], casting: str) -> Optional[str]:
    """The text for operands of these types. Of weak ones the type is only how they come. A result is cast to out."""
    body = _tree(text)
    if not body or any(type not in _WIDTH for type in types):
        return None
    values = {name: _Value(name, type, weak=is_weak) for name, type, is_weak in zip(operands, types, weak)}
    taken = [node.targets[0].id for node in body if type(node) is _ast.Assign]
    reader = _Reader(values, [*operands, *taken])
    try:
        for node in body:
            _statement(reader, node, node is body[-1], out, casting)
    except (_Foreign, RecursionError):
        return None
    if not reader.text.changed:
        return None
    if casting in ("no", "equiv") and len({t for t, w in zip(types, weak) if not w}) > 1:
        _refuse(f"the operands are of {' and '.join(sorted(set(types)))}, which casting={casting!r} keeps apart")
    return "; ".join([_declare(*operand) for operand in zip(operands, types, ranks)] + reader.text.statements)


def _statement(reader: _Reader, node: Any, last: bool, out: Optional[str], casting: str) -> None:
    t = reader.text
    value = reader.read(node.value)
    if value.number is not None:
        value = t.typed(value, t.common(value))
        t.changed = True
    if last and out is not None and value.type != out:
        if not _may_cast(value.type, out, casting):
            _refuse(f"the result is of {value.type}, which casting={casting!r} does not make the {out} of out")
        value = reader.astype(value, out)
    if type(node) is not _ast.Assign:
        t.statements.append(value.text)
        return
    name = node.targets[0].id
    t.statements.append(f"{name} = {value.text}")
    reader.names[name] = _Value(name, value.type, value.weak)

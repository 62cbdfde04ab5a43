# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Element by element, as NumPy does it. In: values, which are parts of a text of the library's
language, with their types. Out: others, of the type and with the meaning that NumPy's operators and
functions have."""
from __future__ import annotations

import _ast
import math
import operator

from ._tosajit import ArgumentError, ElementTypeError

TYPE_CHECKING = False  # module typing takes longer to load than everything else here
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, List, NoReturn, Optional, Sequence, Set, Tuple, Union

INTEGERS = ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64")
FLOATS = ("f16", "bf16", "f32", "f64")
_WHOLE = (*INTEGERS, "i1")
_BARE = (*FLOATS, "i32", "i64")  # types that a number of the language takes from what it meets
WIDTH = {"i1": 1, "i8": 8, "i16": 16, "i32": 32, "i48": 48, "i64": 64, "u8": 8, "u16": 16,
         "u32": 32, "u64": 64,
         "f8E4M3FN": 8, "f8E5M2": 8, "f16": 16, "bf16": 16, "f32": 32, "f64": 64}
# NumPy's names; those of floats round toward zero where they make integers, as astype does.
NAMES = {"bool": "i1", "bool_": "i1", "int": "i64", "float": "f64", "double": "f64",
         "single": "f32", "half": "f16",
         **{f"int{n}": f"i{n}" for n in (8, 16, 32, 64)},
         **{f"uint{n}": f"u{n}" for n in (8, 16, 32, 64)},
         **{f"float{n}": f"f{n}" for n in (16, 32, 64)}, "bfloat16": "bf16"}
MOST_BITS = 2048  # of a whole number that numbers of the text make: more than any type has
# of an expression, which has a name beyond that: brackets within each other have a limit
MOST_LETTERS = 40


class Value:
    """A part of the new text. A number has no type. A weak value is one of Python's numbers, or
    made of these: it takes the type of what it meets. `weak` is its kind, b, i or f, or nothing.
    `operand` is the place of a weak operand, and `fits` a type that has its number. `places` are
    the dimensions that it has in the language: GAP, one that NumPy has dropped, ONE, which is of
    size 1 in every call, or DIM."""

    __slots__ = ("text", "type", "weak", "number", "places", "operand", "fits")

    def __init__(self, text: str, type: Optional[str], weak: str = "", number: Any = None,
                 places: Tuple[int, ...] = (),
                 operand: Optional[int] = None, fits: Optional[str] = None):
        self.text, self.weak, self.number, self.places, self.operand, self.fits = text, weak, number, places, operand, fits
        self.type: Any = type

    @property
    def rank(self) -> int:
        return len(self.places) - self.places.count(GAP)


GAP, DIM, ONE = range(3)


def refuse(sentence: str) -> NoReturn:
    """Raise the error of an operation that is not defined for these types."""
    error = ElementTypeError(sentence)
    error.status = "TOSAJIT_TYPE_MISMATCH"
    raise error


def wrong(sentence: str) -> NoReturn:
    """Raise the error of a text that is not understood."""
    error = ArgumentError(sentence)
    error.status = "TOSAJIT_INVALID_ARGUMENT"
    raise error


NEGATIVE_POWER = "integers to negative integer powers are not allowed; write a float: x ** -2.0"


def promote(a: str, b: str) -> str:
    """The smallest type that has all values of both, as NumPy sees it; bf16 as ml_dtypes does."""
    if a == b:
        return a
    if "i1" in (a, b):
        return b if a == "i1" else a
    for type in (a, b):
        if type not in INTEGERS and type not in FLOATS:
            refuse(f"{a} and {b} have no common type; cast one of them: f32(x)")
    if a in FLOATS and b in FLOATS:
        return "f64" if "f64" in (a, b) else "f32"
    if a in FLOATS or b in FLOATS:
        real, other = (a, b) if a in FLOATS else (b, a)
        least = {8: 16, 16: 32}.get(WIDTH[other], 64)
        if real == "bf16":
            return "bf16" if least == 16 else f"f{least}"
        return f"f{max(least, WIDTH[real])}"
    if a[0] == b[0]:
        return a if WIDTH[a] > WIDTH[b] else b
    signed, unsigned = (a, b) if a[0] == "i" else (b, a)
    if WIDTH[signed] > WIDTH[unsigned]:
        return signed
    return "f64" if WIDTH[unsigned] == 64 else f"i{2 * WIDTH[unsigned]}"


def _kind_order(type: str) -> int:
    return -1 if type == "i1" else "uif".find(type[0].replace("b", "f"))


def may_cast(a: str, b: str, rule: str) -> bool:
    if rule == "unsafe" or a == b:
        return True
    if rule in ("no", "equiv"):
        return False
    try:
        safe = promote(a, b) == b
    except ElementTypeError:
        return False
    return safe or (rule == "same_kind" and _kind_order(a) <= _kind_order(b))


def convert(text: str, a: str, b: str) -> str:
    return text if a == b else f"{b}({text})"


def limits(type: str) -> Tuple[int, int]:
    """The least and the greatest integer of a type."""
    bits = WIDTH[type]
    return ((0, (1 << bits) - 1) if type[0] == "u" or bits == 1
            else (-1 << (bits - 1), (1 << (bits - 1)) - 1))


# From here on a number rounds to infinity.
_INFINITE = {"f16": 65520.0, "bf16": 3.3961775292304957e38, "f32": 3.4028235677973366e38}


def _checked(number: Any, type: str) -> Any:
    """The number as an element of the type, which must have the number."""
    if type in FLOATS:
        try:
            real = float(number)
        except OverflowError:
            wrong(f"a number of {number.bit_length()} bits is no value of {type}")
        return (real if real != real or abs(real) < _INFINITE.get(type, math.inf)
                else math.copysign(math.inf, real))
    least, most = limits(type)
    if isinstance(number, float) or not least <= number <= most:
        wrong(f"{number} is no value of {type}")
    return int(number)


def literal(number: Any, type: str) -> str:
    if type == "i1":
        return "i1(true)" if number else "i1(false)"
    if type not in FLOATS and type not in INTEGERS:
        return f"{type}({float(number)!r})"
    return f"{type}({_checked(number, type)!r})"


def _product_type(type: str) -> str:
    """In which the language has products, with the low bits of the type."""
    return "i32" if type in ("i8", "i16") else type


def kind(value: Value) -> str:
    """Of what has no type of its own: "b", "i" or "f"."""
    if value.number is None:
        return value.weak
    return ("b" if isinstance(value.number, bool) else "f" if isinstance(value.number, float)
            else "i")


def loose(*values: Value) -> bool:
    for value in values:
        if value.number is None and not value.weak:
            return False
    return True


class Text:
    """The statements of the new text, as far as they are written."""

    def __init__(self, names: Sequence[str] = ()) -> None:
        self.statements: List[Tuple[str, str]] = []
        # what must hold nowhere, whether it has dimensions, what to say otherwise
        self.guards: List[Tuple[str, bool, str]] = []
        self.guards_all = False  # whether they are about calls without an empty operand, too
        self.taken: List[str] = []  # names of what is taken by an index, which may be out of bounds
        self.computed: Set[str] = set()  # names that kernels compute
        self.known: Dict[str, str] = {}  # the names of texts: what is written twice is one value
        self.prefix = "_"
        while any(name.startswith(self.prefix) for name in names):
            self.prefix += "_"

    # ------------------------------------------------------------------------------------------
    # Values

    def name(self, value: Value) -> Value:
        """The value under a name, to be used more than once."""
        return (value if value.text.isidentifier()
                else self.named(value.text, value.type, value.weak, value.places))

    def named(self, text: str, type: Optional[str], weak: str, places: Tuple[int, ...],
              most: int = 0) -> Value:
        """A value under a name, where it has more letters."""
        if len(text) <= most or text.isidentifier():
            return Value(text, type, weak, None, places)
        name = self.known.get(text)
        if not name:
            name = self.known[text] = f"{self.prefix}{len(self.statements) + 1}"
            self.statements.append((name, text))
        return Value(name, type, weak, None, places)

    def short(self, value: Value) -> Value:
        return self.name(value) if len(value.text) > MOST_LETTERS else value

    def cast(self, value: Value, type: str) -> str:
        if value.type == type and value.operand is None:
            return value.text
        if value.number is not None:
            return literal(value.number, type)
        if value.operand is not None:
            return weak_text(value.operand, type)
        if value.weak == "i" and type in INTEGERS and type != "i64":
            value = self.name(value)
            self.guard(value, type, f"a number that the text makes is no value of {type}")
        return convert(value.text, value.type, type)

    def guard(self, value: Value, type: str, sentence: str) -> None:
        """An i64 that must be a value of the type, whatever the call brings."""
        least, most = limits(type)
        beyond = f" | ({value.text} > i64({most}))" if most < 1 << 63 else ""
        self.guards_all = True
        self.guards.append((f"(({value.text} < i64({least})){beyond})", bool(value.places),
                            sentence))

    def typed(self, value: Value, type: str) -> Value:
        return Value(self.cast(value, type), type, places=value.places)

    def beside(self, value: Value, other: Value, type: str) -> str:
        """The value as that type; a number may take it from the other."""
        number = value.number
        if number is None and value.type == type and value.operand is None:
            return value.text
        if (number is not None and isinstance(number, (int, float)) and other.number is None
            and type in _BARE):
            number = _checked(number, type)
            if number == number:
                bare = repr(number)
                return f"({bare})" if bare[0] == "-" else bare
        return self.cast(value, type)

    def common(self, *values: Value) -> str:
        """The type in which NumPy computes with these."""
        type: Optional[str] = None
        kinds = ""
        for value in values:
            if value.number is not None or value.weak:
                kinds += kind(value)
            elif type is None:
                type = value.type
            elif type != value.type:
                type = promote(type, value.type)
        if type is None:
            return "f64" if "f" in kinds else "i64" if "i" in kinds else "i1"
        if "f" in kinds and type in _WHOLE:
            return "f64"
        return "i64" if "i" in kinds and type == "i1" else type

    def floating(self, *values: Value) -> str:
        """The same for functions that have no integers. NumPy takes the first type that has the
        values of each of them."""
        type = self.common(*values)
        if type not in _WHOLE:
            return type
        if type == "i64" and all(value.type == "i1" for value in values if not loose(value)):
            return "f64"  # of a whole number of Python
        return max((least_float(value.type) for value in values if not loose(value)),
                   key=WIDTH.__getitem__, default="f64")

    # ------------------------------------------------------------------------------------------
    # Operators

    def infix(self, sign: str, a: Value, b: Value, type: str) -> Value:
        """In a type that has this operator."""
        return Value(f"({self.beside(a, b, type)} {sign} {self.beside(b, a, type)})", type)

    def in_range(self, type: str, *values: Value) -> None:
        """Python's numbers must be values of the type, also where it computes with more bits."""
        for value in values:
            if value.number is not None and type in INTEGERS:
                _checked(value.number, type)

    def arithmetic(self, sign: str, a: Value, b: Value) -> Value:
        type = self.common(a, b)
        if type == "i1" and loose(a, b):
            type = "i64"
        if type == "i1":
            if sign == "-":
                refuse("there is no difference of two i1; NumPy has none either: write a ^ b or a "
                       "& ~b")
            return self.infix({"+": "|", "*": "&"}[sign], a, b, type)
        if type in FLOATS:
            return self.infix(sign, a, b, type)
        self.in_range(type, a, b)
        wide = _product_type(type) if sign == "*" else type
        return self.typed(self.infix(sign, self.strict(a, type, wide), self.strict(b, type, wide),
                                     wide), type)

    def strict(self, value: Value, type: str, wide: str) -> Value:
        """A weak operand by way of the type whose value it must be, where another is computed
        in."""
        return self.typed(value, type) if value.operand is not None and wide != type else value

    def divide(self, a: Value, b: Value) -> Value:
        type = self.common(a, b)
        if type in _WHOLE:
            type = "f64"
        if a.number is not None and type == "f64" and b.number is None:
            a = Value(literal(a.number, type), type)
        return self.infix("/", a, b, type)

    def call(self, name: str, type: str, *operands: Value) -> Value:
        """A function of the language, of one type."""
        return Value(f"{name}({', '.join(self.cast(operand, type) for operand in operands)})", type)

    def division(self, name: str, a: Value, b: Value) -> Value:
        """fmod, remainder or floor_divide."""
        type = self.division_type(a, b)
        self.in_range(type, a, b)
        return self.call(name, type, a, b)

    def division_type(self, a: Value, b: Value) -> str:
        type = self.common(a, b)
        return type if type != "i1" else "i64" if loose(a, b) else "i8"

    def power(self, a: Value, b: Value) -> Value:
        type = self.division_type(a, b)
        if type in FLOATS:
            return self.infix("**", a, b, type)
        wide = _product_type(type)
        self.in_range(type, a, b)
        base = self.name(self.typed(self.strict(a, type, wide), wide))
        if b.number is None:
            return self.typed(self.power_of_array(base, self.typed(b, type), type), type)
        if b.number < 0:
            wrong(NEGATIVE_POWER)
        result: Optional[Value] = None
        exponent = int(b.number)
        while exponent:
            if exponent & 1:
                result = (base if result is None
                          else self.name(Value(f"{result.text} * {base.text}", wide)))
            exponent >>= 1
            if exponent:
                base = self.name(Value(f"{base.text} * {base.text}", wide))
        return self.typed(result or Value(f"({base.text} * 0 + 1)", wide), type)

    def power_of_array(self, base: Value, exponent: Value, type: str) -> Value:
        """By squares, one for each bit of the exponent that can matter: an odd number has an order
        that divides 2 ** (bits - 2), and an even one is 0 from the power of the number of bits
        on."""
        wide, bits = base.type, WIDTH[type]
        exponent = self.name(exponent)
        if type[0] == "i":
            self.guards_all = True
            self.guards.append((self.compare("<", exponent, number(0)).text, bool(exponent.places),
                                NEGATIVE_POWER))
        large = self.compare(">=", exponent, number(bits)).text
        exponent = self.name(self.typed(exponent, wide))
        vanishes = f"({large} & (({base.text} & {wide}(1)) == {wide}(0)))"
        result = Value(f"select({vanishes}, {wide}(0), {wide}(1))", wide)
        for bit in range(bits - 2):
            if bit:
                base = self.name(Value(f"{base.text} * {base.text}", wide))
            factor = (f"select((({exponent.text} >> {wide}({bit})) & {wide}(1)) == {wide}(1), "
                      f"{base.text}, {wide}(1))")
            result = self.short(Value(f"({result.text} * {factor})", wide))
        return result

    def raised(self, a: Value, b: Value) -> Value:
        """The operator **, which is another function in NumPy where the exponent is one of some
        numbers."""
        if b.number == 2 and kind(b) == "i" and a.type == "i1" and not loose(a):
            return square(self, a)
        if b.number == 0.5 and not loose(a):
            return self.call("sqrt", self.common(a, b), a)
        return self.power(a, b)

    def bitwise(self, sign: str, a: Value, b: Value) -> Value:
        type = self.common(a, b)
        if type in FLOATS:
            refuse(f"{sign} is not defined for ({shown(a)}, {shown(b)}); NumPy has no bits of "
                   "floats either")
        if type == "i1" and sign in ("<<", ">>"):
            type = "i64" if loose(a, b) else "i8"
        self.in_range(type, a, b)
        if sign in ("<<", ">>"):
            return self.shift(sign, a, b, type)
        return self.infix(sign, a, b, type)

    def shift(self, sign: str, a: Value, b: Value, type: str) -> Value:
        """All bits are gone behind as many places as the type has bits, or a negative number of
        places."""
        bits, signed = WIDTH[type], type[0] == "i"
        if b.number is not None and not 0 <= b.number < bits:
            b = number(bits - 1 if sign == ">>" and signed else bits)
        shifted = lambda places: f"({self.cast(a, type)} {sign} {places})"
        if b.number is not None:
            return Value(shifted(literal(b.number, type)) if b.number < bits
                         else f"({self.cast(a, type)} & {type}(0))", type)
        b = self.name(self.typed(b, type))
        fits = self.compare("<", b, number(bits)).text
        if signed:
            fits = f"({self.compare('>=', b, number(0)).text} & {fits})"
        if sign == ">>" and signed:
            return Value(shifted(f"select({fits}, {b.text}, {type}({bits - 1}))"), type)
        return Value(f"select({fits}, {shifted(b.text)}, {type}(0))", type)

    def compare(self, sign: str, a: Value, b: Value) -> Value:
        type = self.common(a, b)
        for x, y, mirrored in ((a, b, sign), (b, a, _MIRRORED[sign])):
            if (type in INTEGERS and y.number is not None
                and not limits(type)[0] <= y.number <= limits(type)[1]):
                return self.beyond(mirrored, self.typed(x, type), y.number > 0)
            if type in INTEGERS and y.weak == "i" and y.fits != type:
                if type == "u64":
                    return self.beside_signed(mirrored, self.typed(x, type), self.typed(y, "i64"))
                type = "i64"  # a number that comes with the call may be none of the type
            if (x.type == "u64" and y.type in INTEGERS and y.type[0] == "i" and not loose(x)
                and not loose(y)):
                return self.beside_signed(mirrored, x, y)
        if type == "i1" and sign not in ("==", "!="):
            type = "i8"
        return Value(self.infix(sign, a, b, type).text, "i1")

    def beside_signed(self, sign: str, x: Value, y: Value) -> Value:
        """An u64 beside an integer with a sign, of which no type has all values."""
        y = self.name(y)
        below, natural = (f"({y.text} < {y.type}(0))",
                          f"({self.cast(x, 'u64')} {sign} u64({y.text}))")
        return Value(f"({below} | {natural})" if sign in (">", ">=", "!=")
                     else f"(!{below} & {natural})", "i1")

    def beyond(self, sign: str, x: Value, above: bool) -> Value:
        """Integers beside a number that is above all of them, or below."""
        x = self.name(x)
        truth = sign == "!=" or (sign[0] == "<" if above else sign[0] == ">")
        return Value(f"({x.text} {'==' if truth else '!='} {x.text})", "i1")

    def negate(self, value: Value) -> Value:
        type = self.common(value)
        if type == "i1" and loose(value):
            type = "i64"
        if type == "i1":
            refuse("there is no minus of an i1; NumPy has none either: write ~x")
        if type in INTEGERS:  # the language's minus saturates
            return Value(f"({type}(0) - {self.cast(value, type)})", type)
        return Value(f"(-{self.cast(value, type)})", type)

    def truth(self, value: Value) -> str:
        """A condition: an i1."""
        if value.number is not None:
            return literal(bool(value.number), "i1")
        if value.type == "i1":
            return self.cast(value, "i1")
        return self.compare("!=", self.typed(value, value.type), number(0)).text

    def select(self, condition: Value, a: Value, b: Value) -> Value:
        type = self.common(a, b)
        self.in_range(type, a, b)
        return Value(f"select({self.truth(condition)}, {self.cast(a, type)}, {self.cast(b, type)})",
                     type)

    def extreme(self, name: str, a: Value, b: Value) -> Value:
        type = self.common(a, b)
        if type == "i1":
            return self.infix("|" if name == "maximum" else "&", a, b, type)
        self.in_range(type, a, b)
        return Value(f"{name}({self.beside(a, b, type)}, {self.beside(b, a, type)})", type)

    def same(self, name: str, value: Value) -> Value:
        """A function whose result has the operand's type; integers are as they are."""
        type = self.common(value)
        if type in INTEGERS + ("i1",):
            return self.typed(value, type)
        return Value(f"{name}({self.cast(value, type)})", type)


_MIRRORED = {"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


def number(n: Any) -> Value:
    return Value("", None, number=n)


def shown(value: Value) -> str:
    return repr(value.number) if value.number is not None else value.type


def weak_text(operand: int, type: str) -> str:
    """Where a weak operand stands as a type: how it is declared is known at the end of the text."""
    return f"\1{operand}:{type}\2"


def least_float(type: str) -> str:
    return ({1: "f16", 8: "f16", 16: "f32"}.get(WIDTH[type], "f64") if type in INTEGERS + ("i1",)
            else type)


def _whole(name: str) -> Callable[[Text, Value], Value]:
    return lambda t, x: t.same(name, x)


def _real(name: str) -> Callable[..., Value]:
    """A function of the language that has floats alone."""

    def make(t: Text, *operands: Value) -> Value:
        return t.call(name, t.floating(*operands), *operands)

    return make


def _written(*lines: str) -> Callable[..., Value]:
    """A function that is written in the language: lines in which x and y are operands and earlier
    lines are a, b and so on; T(...) is of the type in which they compute."""

    def make(t: Text, *operands: Value) -> Value:
        type = t.floating(*operands)
        names = {}
        for letter, operand in zip("xy", operands):
            names[letter] = t.name(t.typed(operand, type)).text
        for letter, line in zip("abcdefghijklmn", lines):
            text = "".join(names.get(word, type if word == "T" else word) for word in words(line))
            if line is lines[-1]:
                return Value(f"({text})", type)
            names[letter] = t.name(Value(text, type)).text
        raise AssertionError

    return make


def words(line: str) -> List[str]:
    parts, start = [], 0
    for k, letter in enumerate(line):
        if not (letter.isalnum() or letter == "_"):
            parts += [line[start:k], letter]
            start = k + 1
    return [*parts, line[start:]]


_APART = {k: " " for k in range(128) if not (chr(k).isalnum() or chr(k) == "_")}


def names_in(*texts: str) -> set:
    """The same without what stands between them: all words that texts have."""
    return set(" ".join(texts).translate(_APART).split())


def _absolute(t: Text, x: Value) -> Value:
    type = t.common(x)
    if type == "i1" or type[0] == "u":
        return t.typed(x, type)
    return t.call("abs", type, x)


def _sign(t: Text, x: Value) -> Value:
    type = t.common(x)
    if type == "i1":
        refuse("there is no sign of an i1; NumPy has none either")
    x = t.name(t.typed(x, type))
    if type[0] == "u":
        return Value(f"minimum({x.text}, {type}(1))", type)
    # a NaN stays one
    rest = (f"select({x.text} == 0, {type}(0), {x.text})" if type in FLOATS else f"{type}(0)")
    return Value(f"select({x.text} > 0, {type}(1), select({x.text} < 0, {type}(-1), {rest}))", type)


def square(t: Text, x: Value) -> Value:
    if t.common(x) == "i1":
        x = t.typed(x, "i64" if loose(x) else "i8")
    x = t.name(t.typed(x, t.common(x)))
    return t.arithmetic("*", x, x)


def _reciprocal(t: Text, x: Value) -> Value:
    """Of integers, too, NumPy's has the type of its operand."""
    type = t.common(x)
    if type not in INTEGERS:
        return _real("reciprocal")(t, x)
    return Value(f"intdiv({type}(1), {t.cast(x, type)})", type)


def _round(t: Text, x: Value, digits: Optional[Value] = None) -> Value:
    if digits is not None and digits.number != 0:
        wrong("round: the number of digits is 0 here; write round(x * 100) / 100")
    return t.same("roundeven", t.typed(x, "f16") if t.common(x) == "i1" else x)


def _fix(t: Text, x: Value) -> Value:
    return t.same("trunc", x)


def _clip(t: Text, x: Value, low: Optional[Value], high: Optional[Value]) -> Value:
    for name, bound in (("maximum", low), ("minimum", high)):
        if bound is not None:
            type = t.common(*[v for v in (x, low, high) if v is not None])
            t.in_range(type, bound)
            x = t.extreme(name, t.typed(x, type), bound)
    return x


def _predicate(text: str, integers: str) -> Callable[[Text, Value], Value]:
    def make(t: Text, x: Value) -> Value:
        type = t.common(x)
        x = t.name(t.typed(x, type if type in FLOATS or WIDTH[type] == 64 else "i32"))
        return Value("(" + (text if type in FLOATS else integers).replace("$", x.text) + ")", "i1")

    return make


def _signbit(t: Text, x: Value) -> Value:
    type = t.common(x)
    if type in FLOATS:
        return Value(f"signbit({t.cast(x, type)})", "i1")
    return t.compare("<", t.typed(x, type), number(0))


def _numbers(name: str) -> Callable[[Text, Value, Value], Value]:
    """fmax and fmin: a number wins over a NaN."""

    def make(t: Text, a: Value, b: Value) -> Value:
        type = t.common(a, b)
        if type not in FLOATS:
            return t.extreme(name, a, b)
        a, b = t.name(t.typed(a, type)), t.name(t.typed(b, type))
        return Value(f"select({a.text} == {a.text}, select({b.text} == {b.text}, {name}({a.text}, "
                     f"{b.text}), {a.text}),"
                     f" {b.text})", type)

    return make


def _logical(sign: str) -> Callable[[Text, Value, Value], Value]:
    return lambda t, a, b: Value(f"({t.truth(a)} {sign} {t.truth(b)})", "i1")


def logical_not(t: Text, x: Value) -> Value:
    return Value(f"(!{t.truth(x)})", "i1")


def _ones(n: int) -> Callable[[Text, Value], Value]:
    def make(t: Text, x: Value) -> Value:
        type = t.common(x)
        wide = type if type in FLOATS else "i64" if type == "i64" else "i32"
        x = t.name(t.typed(x, wide))
        return t.typed(Value(f"select({x.text} == {x.text}, {wide}({n}), {wide}({n}))", wide), type)

    return make


def positive(t: Text, x: Value) -> Value:
    if t.common(x) == "i1" and not loose(x):
        refuse("there is no plus of an i1; NumPy has none either")
    return t.typed(x, "i64" if t.common(x) == "i1" else t.common(x))


def _same(t: Text, x: Value) -> Value:
    return t.typed(x, t.common(x))


def _no_complex(t: Text, *values: Value) -> Value:
    refuse("there are no complex numbers; compute with the real and the imaginary part as two "
           "arrays")


def invert(t: Text, x: Value) -> Value:
    type = t.common(x)
    if type in FLOATS:
        refuse(f"~ is not defined for ({type}); NumPy has no bits of floats either")
    return Value(f"(~{t.cast(x, type)})", type)


def astype(t: Text, value: Value, to: str) -> Value:
    if value.number is not None:
        if isinstance(value.number, float) and to in INTEGERS and value.number - value.number == 0:
            value = number(int(value.number))
        return Value(literal(value.number, to), to)
    if value.type in FLOATS and to in INTEGERS:
        if to == "u64":  # what is below 0 wraps, as in C on most machines
            x = t.name(t.call("trunc", value.type, value))
            return Value(f"select({x.text} < 0, u64(i64({x.text})), u64({x.text}))", to)
        # as C casts on most machines: by way of a register
        wide = ("i32" if WIDTH[to] < 32 else "i64" if to == "u32" else to)
        return t.typed(t.typed(t.call("trunc", value.type, value), wide), to)
    return t.typed(value, to)


# Functions of one real number, which the language has by the same names.
REALS = (
    "exp", "exp2", "expm1", "log", "log1p", "log2", "log10", "sqrt", "cbrt", "rsqrt", "sin", "cos",
         "tan", "arcsin", "arccos",
    "arctan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "arcsinh", "arccosh", "arctanh",
         "asinh", "acosh", "atanh", "erf", "erfc",
    "sigmoid", "gelu", "silu", "swish", "mish", "softplus", "logsigmoid", "hardsigmoid",
         "hardswish")
FUNCTIONS: Dict[str, Tuple[int, int, Callable[..., Value]]] = {}


def _add(count: Union[int, Tuple[int, int]], **functions: Callable[..., Value]) -> None:
    least, most = count if isinstance(count, tuple) else (count, count)
    for name, function in functions.items():
        FUNCTIONS[name] = (least, most, function)


_add(1, **{name: _real(name) for name in REALS})
_add(1, floor=_whole("floor"), ceil=_whole("ceil"), rint=_real("roundeven"),
     roundeven=_whole("roundeven"),
     trunc=_whole("trunc"), fix=_fix, sign=_sign, abs=_absolute, absolute=_absolute,
     fabs=_real("abs"), signbit=_signbit,
     reciprocal=_reciprocal,
     negative=lambda t, x: t.negate(x), negate=lambda t, x: t.negate(x),
     neg=lambda t, x: t.negate(x),
     positive=positive, copy=_same, conj=_same, conjugate=_same, real=_same, imag=_ones(0),
     square=square,
     relu=lambda t, x: t.extreme("maximum", x, number(0)),
     relu6=lambda t, x: t.extreme("minimum", t.extreme("maximum", x, number(0)), number(6)),
     isnan=_predicate("$ != $", "$ != $"), isinf=_predicate("abs($) == inf", "$ != $"),
     isfinite=_predicate("($ - $) == 0", "$ == $"), ones_like=_ones(1), zeros_like=_ones(0),
     invert=invert, bitwise_not=invert, logical_not=logical_not,
     degrees=_written("x * T(57.29577951308232)"), rad2deg=_written("x * T(57.29577951308232)"),
     radians=_written("x * T(0.017453292519943295)"),
     deg2rad=_written("x * T(0.017453292519943295)"))
_add(2, maximum=lambda t, a, b: t.extreme("maximum", a, b), minimum=lambda t, a, b: t.extreme("minimum", a, b),
     max=lambda t, a, b: t.extreme("maximum", a, b), min=lambda t, a, b: t.extreme("minimum", a, b),
     fmax=_numbers("maximum"), fmin=_numbers("minimum"), copysign=_real("copysign"), nextafter=_real("nextafter"),
     arctan2=_real("atan2"), atan2=_real("atan2"), hypot=_real("hypot"),
     power=lambda t, a, b: t.power(a, b), pow=lambda t, a, b: t.power(a, b),
     add=lambda t, a, b: t.arithmetic("+", a, b), subtract=lambda t, a, b: t.arithmetic("-", a, b),
     sub=lambda t, a, b: t.arithmetic("-", a, b), multiply=lambda t, a, b: t.arithmetic("*", a, b),
     mul=lambda t, a, b: t.arithmetic("*", a, b),
     divide=lambda t, a, b: t.divide(a, b), true_divide=lambda t, a, b: t.divide(a, b),
     floor_divide=lambda t, a, b: t.division("floor_divide", a, b), remainder=lambda t, a, b: t.division("remainder", a, b),
     mod=lambda t, a, b: t.division("remainder", a, b), fmod=lambda t, a, b: t.division("fmod", a, b),
     logaddexp=_written("maximum(x, y)", "select(x == y, a + 0.6931471805599453, a + log1p(exp(minimum(x, y) - a)))"),
     logaddexp2=_written("maximum(x, y)", "select(x == y, a + 1.0, a + log1p(exp2(minimum(x, y) - a)) * T(1.4426950408889634))"),
     logical_and=_logical("&"), logical_or=_logical("|"), logical_xor=_logical("^"),
     bitwise_and=lambda t, a, b: t.bitwise("&", a, b), bitwise_or=lambda t, a, b: t.bitwise("|", a, b),
     bitwise_xor=lambda t, a, b: t.bitwise("^", a, b), left_shift=lambda t, a, b: t.bitwise("<<", a, b),
     right_shift=lambda t, a, b: t.bitwise(">>", a, b), complex=_no_complex,
     equal=lambda t, a, b: t.compare("==", a, b), not_equal=lambda t, a, b: t.compare("!=", a, b),
     greater=lambda t, a, b: t.compare(">", a, b), greater_equal=lambda t, a, b: t.compare(">=", a, b),
     less=lambda t, a, b: t.compare("<", a, b), less_equal=lambda t, a, b: t.compare("<=", a, b))
_add(3, where=lambda t, c, a, b: t.select(c, a, b), select=lambda t, c, a, b: t.select(c, a, b),
     clip=_clip, clamp=_clip)
_add((1, 2), round=_round)

BINARY = {_ast.Add: lambda t, a, b: t.arithmetic("+", a, b),
          _ast.Sub: lambda t, a, b: t.arithmetic("-", a, b),
          _ast.Mult: lambda t, a, b: t.arithmetic("*", a, b),
          _ast.Div: lambda t, a, b: t.divide(a, b),
          _ast.FloorDiv: lambda t, a, b: t.division("floor_divide", a, b),
          _ast.Mod: lambda t, a, b: t.division("remainder", a, b),
          _ast.Pow: lambda t, a, b: t.raised(a, b),
          _ast.LShift: lambda t, a, b: t.bitwise("<<", a, b),
          _ast.RShift: lambda t, a, b: t.bitwise(">>", a, b),
          _ast.BitAnd: lambda t, a, b: t.bitwise("&", a, b),
          _ast.BitOr: lambda t, a, b: t.bitwise("|", a, b),
          _ast.BitXor: lambda t, a, b: t.bitwise("^", a, b)}
COMPARE = {_ast.Eq: "==", _ast.NotEq: "!=", _ast.Lt: "<", _ast.LtE: "<=", _ast.Gt: ">",
           _ast.GtE: ">="}
_FOLDED: Dict[Any, Callable[..., Any]] = {_ast.Add: operator.add, _ast.Sub: operator.sub,
                                          _ast.Mult: operator.mul, _ast.Div: operator.truediv,
           _ast.FloorDiv: operator.floordiv, _ast.Mod: operator.mod, _ast.LShift: operator.lshift,
                                          _ast.Pow: operator.pow,
           _ast.RShift: operator.rshift, _ast.BitAnd: operator.and_, _ast.BitOr: operator.or_,
                                          _ast.BitXor: operator.xor,
           _ast.Eq: operator.eq, _ast.NotEq: operator.ne, _ast.Lt: operator.lt,
                                          _ast.LtE: operator.le, _ast.Gt: operator.gt,
           _ast.GtE: operator.ge, _ast.USub: operator.neg, _ast.UAdd: operator.pos,
                                          _ast.Invert: operator.invert,
           _ast.Not: operator.not_}


def _bits(op: Any, numbers: Sequence[Any]) -> int:
    """How many bits a whole number has at most that an operator makes of others."""
    if not all(isinstance(n, int) for n in numbers):
        return 0
    sizes = [n.bit_length() for n in numbers]
    if op is _ast.LShift:
        return sizes[0] + max(numbers[1], 0) if sizes[0] else 0
    if op is _ast.Pow:
        return sizes[0] * max(numbers[1], 0) if sizes[0] > 1 else 0
    return sum(sizes) if op is _ast.Mult else 0


def fold(op: Any, *numbers: Any) -> Any:
    """Python's result for numbers, if an array could have it as an element."""
    if _bits(op, numbers) > MOST_BITS:
        wrong(f"numbers of the text make one of more than {MOST_BITS} bits, which no type has")
    try:
        made = _FOLDED[op](*numbers)
    except (ArithmeticError, TypeError, ValueError) as error:
        wrong(f"Python cannot compute with the numbers {' and '.join(map(repr, numbers))}: {error}")
    if isinstance(made, complex):
        _no_complex(Text())
    return made

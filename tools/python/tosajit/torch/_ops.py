# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch's operations in the language of expressions.

A rule says which tensors an operation reads, whether it is computed element by element or reduces
dimensions, and writes its statements. It knows only sizes that the graph has. Types are
promoted as PyTorch promotes them; f16 and bf16 are computed in f32 and rounded once for each
operation, as PyTorch does it."""
from __future__ import annotations

import math
import struct
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple, Union

import torch
from torch._prims_common import ELEMENTWISE_TYPE_PROMOTION_KIND as KIND, elementwise_dtypes

aten, prims = torch.ops.aten, torch.ops.prims

TYPES = {torch.bool: "i1", torch.uint8: "u8", torch.int8: "i8", torch.int16: "i16",
         torch.int32: "i32", torch.int64: "i64", torch.float16: "f16",
         torch.bfloat16: "bf16", torch.float32: "f32", torch.float64: "f64"}
FLOATS = ("f16", "bf16", "f32", "f64")
# In what an operation is computed.
WIDE = {"f16": "f32", "bf16": "f32"}
NARROW = ("u8", "i8", "i16")
# Conversions that PyTorch rounds twice, by a type between.
BETWEEN = {("i64", "bf16"): "f32", ("f64", "f16"): "f32", ("f64", "bf16"): "f32"}


class Refused(Exception):
    """Why an operation stays PyTorch's."""


# Dimensions of an operand that are none of the result's: those that an index counts through, or
# along which updates come; and one of which the first element alone is read.
ALONG, FIRST = -1, -2


class Index(NamedTuple):
    """How an operation has an index: it takes elements of its first operand, or changes them."""
    at: int  # the first dimension that is indexed: of what is read, or of what is changed
    # per operand and dimension: the result's, ALONG or FIRST
    dims: Tuple[Tuple[int, ...], ...]
    changes: bool = False
    base: Optional[str] = None  # the number in each element of what is changed; None: an operand


class Rule(NamedTuple):
    """One node of a graph, as a kernel would have it."""
    reads: Tuple[torch.fx.Node, ...]
    # (statements, names of what it reads[, axes of the kernel]) -> name of the result
    write: Callable[..., str]
    axes: Optional[Tuple[int, ...]] = None  # reduced dimensions; None: element by element
    keeps: bool = True  # reduced dimensions stay
    light: bool = False  # alone it takes no longer than to read and write memory
    joins: Optional[int] = None  # the dimension along which its operands are concatenated
    index: Optional[Index] = None
    slow: bool = False  # alone it takes longer than PyTorch's, by more than a light one gains


class Statements:
    """A text, statement by statement. The same expression is written once."""

    def __init__(self) -> None:
        self.lines: Dict[str, Tuple[str, Tuple[str, ...]]] = {}
        self.known: Dict[str, str] = {}

    def name(self, expression: str, *reads: str, fresh: bool = False) -> str:
        """The name of a value. reads are the names in the expression; by them `needed` finds the
        statements that results need."""
        if expression in self.known and not fresh:
            return self.known[expression]
        name = f"t{len(self.lines)}"
        self.lines[name] = expression, reads
        if not fresh:
            self.known[expression] = name
        return name

    def cast(self, name: str, a: str, b: str) -> str:
        if a == b:
            return name
        if b == "i1":
            return self.name(f"!({name} == 0)", name)
        between = BETWEEN.get((a, b))
        if a in FLOATS and b not in FLOATS:
            name = self.name(f"trunc({name})", name)
            if b in NARROW:  # what is beyond the type loses its upper bits, as in PyTorch
                name, a = self.name(f"i32({name})", name), "i32"
            return self.name(f"{b}({name})", name)
        if between:
            return self.cast(self.cast(name, a, between), between, b)
        return self.name(f"{b}({name})", name)

    def needed(self, results: Sequence[str]) -> List[str]:
        """Statements that the results need, in order."""
        wanted = set(results)
        lines = []
        for name, (expression, reads) in reversed(self.lines.items()):
            if name in wanted:
                wanted.update(reads)
                lines.append(f"{name} = {expression}")
        return lines[::-1]


def nearest(number: Any, type: str) -> Any:
    """The value of the type that PyTorch makes of a number: by way of f32, if the type is
    smaller."""
    if type not in ("f16", "bf16", "f32") or not math.isfinite(number):
        return number
    try:
        single, = struct.unpack("f", struct.pack("f", number))
        if type == "bf16":
            bits, = struct.unpack("I", struct.pack("f", single))
            single, = struct.unpack("f", struct.pack("I",
                                                     bits + 0x7FFF + (bits >> 16 & 1) & 0xFFFF0000))
        return struct.unpack("e", struct.pack("e", single))[0] if type == "f16" else single
    except OverflowError:  # beyond the type
        return math.copysign(math.inf, number)


def literal(number: Any, type: str) -> str:
    if type == "i1":
        return "true" if number else "false"
    if type in FLOATS:
        number = float(number)
        near = nearest(number, type)
        number = number if type == "f32" and math.isfinite(near) else near  # which is shorter
        if math.isnan(number):
            return f"{type}(nan)"
        return (f"{type}({'-' if number < 0 else ''}inf)" if math.isinf(number)
                else f"{type}({number!r})")
    number = int(number)
    if type == "u8":
        if not 0 <= number < 256:
            raise Refused(f"the number {number} is beyond {type}")
        return f"u8({number})"
    bits = {"i8": 8, "i16": 16, "i32": 32, "i64": 64}[type]
    if not -(1 << bits - 1) < number < 1 << bits - 1:
        raise Refused(f"the number {number} is at the end of {type}, or beyond")
    return f"{type}({number})"


def is_number(value: Any) -> bool:
    return isinstance(value, (bool, int, float))


def value_of(node: torch.fx.Node) -> torch.Tensor:
    return node.meta["val"]


def type_of(node: torch.fx.Node) -> str:
    return TYPES[value_of(node).dtype]


def is_element(argument: Any) -> bool:
    """A number, or a tensor of one element."""
    return (is_number(argument) or all(isinstance(size, int) and size == 1
                                       for size in value_of(argument).shape))


def tensors(arguments: Sequence[Any]) -> Tuple[torch.fx.Node, ...]:
    return tuple(a for a in arguments if isinstance(a, torch.fx.Node))


# ---------------------------------------------------------------------------------------------------------------------
# Element by element

def common(arguments: Sequence[Any], kind: KIND) -> str:
    """The type that PyTorch makes of all arguments."""
    given = [value_of(a) if isinstance(a, torch.fx.Node) else a for a in arguments]
    _, found = elementwise_dtypes(*given, type_promotion_kind=kind)
    if found not in TYPES:
        raise Refused(f"it is computed in {found}")
    return TYPES[found]


def promoted(arguments: Sequence[Any], kind: KIND) -> str:
    """The type in which PyTorch computes."""
    own = common(arguments, kind)
    return WIDE.get(own, own)


def by_template(node: torch.fx.Node, arguments: Sequence[Any], template: Union[str, Sequence[str]],
                kind: KIND = KIND.DEFAULT, *, only: str = "",
                light: bool = False, gives: Optional[str] = None, type: Optional[str] = None,
                wide: bool = False,
                fits: bool = False) -> Rule:
    """{0}, {1}, ... are the arguments in the type of the computation, {T} is that type, and {s[0]},
    {s[1]}, ... what templates before the last one give. only: "f" for floats, "b" for i1 "i" for
    integers as well as i1, "n"
    for numbers, "s" for numbers with a sign. gives: the type of the template's value, if it is
    another type. wide: a second
    argument of one element is converted to the type of the computation at once, without the common
    type of all arguments in
    between. fits: PyTorch refuses those beyond
    the latter."""
    for argument in arguments:
        if (not (isinstance(argument, torch.fx.Node)
                 and isinstance(value_of(argument), torch.Tensor)) and not is_number(argument)):
            raise Refused(f"its argument {argument} is neither a tensor nor a number that is known now")
    compute = type or promoted(arguments, kind)
    templates = [template] if isinstance(template, str) else template
    if compute in ("i8", "i16") and any("*" in step for step in templates):
        compute = "i32"  # as which the language has their products
    if only == "f" and compute not in FLOATS:
        raise Refused(f"of {compute} it is PyTorch's")
    if only == "i" and compute in FLOATS:
        raise Refused(f"of {compute} it is PyTorch's")
    if only in ("n", "s") and compute == "i1":
        raise Refused("of bools it is PyTorch's")
    if only == "s" and compute == "u8":
        raise Refused("of unsigned integers it is PyTorch's")
    own = compute if wide or type == "i1" else common(arguments, kind)
    numbers = {}
    for k, a in enumerate(arguments):
        if isinstance(a, torch.fx.Node):
            continue
        if own in NARROW:
            # as in PyTorch a number beyond the type loses its upper bits, or is refused
            literal(a, own)
        numbers[k] = literal(nearest(a, own), compute)
        if fits and math.isfinite(a) and numbers[k].endswith("inf)"):
            raise Refused(f"the number {a} is beyond {own}")
    result = type_of(node)
    reads = tensors(arguments)

    def operand(s: Statements, k: int, name: str) -> str:
        a = arguments[k]
        between = (compute if type == "i1" or wide and k == 1 and is_element(a)
                   else common(arguments, kind))
        return s.cast(s.cast(name, type_of(a), between), between, compute)

    def write(s: Statements, *names: str) -> str:
        given = iter(names)
        texts = [numbers[k] if k in numbers else operand(s, k, next(given))
                 for k, a in enumerate(arguments)]
        steps: List[str] = []
        for step in templates:
            steps.append(s.name(step.format(*texts, s=steps, T=compute), *texts, *steps))
        return s.cast(steps[-1], gives or compute, result)

    return Rule(reads, write, light=light)


F, D, B = KIND.INT_TO_FLOAT, KIND.DEFAULT, KIND.ALWAYS_BOOL
SIGN = "select({0} > 0, {T}(1), select({0} < 0, {T}(-1), {T}(0)))"

# Of what fmod gives, s[0]: whether it has another sign than the divisor.
OTHER = "!({s[0]} == 0) & (({1} < 0) ^ ({s[0]} < 0))"
# Operands are rounded to the type of all of them, f16 and bf16, too, but numbers and single
# elements behind these.
WITH_WIDE_NUMBERS = (aten.mul, aten.div)

# op: template, kind, whose types it has, light
PLAIN: Dict[Any, Tuple[str, KIND, str, bool]] = {
    **{op: (name + "({0})", F, "f", False) for op, name in {
        aten.exp: "exp", aten.log: "log", aten.sin: "sin", aten.cos: "cos", aten.tan: "tan",
                                                            aten.tanh: "tanh",
        aten.sigmoid: "sigmoid", aten.erf: "erf", aten.erfc: "erfc", aten.exp2: "exp2",
                                                            aten.expm1: "expm1",
                                                            aten.log1p: "log1p",
        aten.log2: "log2", aten.log10: "log10", aten.sinh: "sinh", aten.cosh: "cosh",
                                                            aten.asin: "asin", aten.acos: "acos",
        aten.atan: "atan", aten.asinh: "asinh", aten.acosh: "acosh", aten.atanh: "atanh",
                                                            aten.rsqrt: "rsqrt"}.items()},
    **{op: (name + "({0})", F, "f", True) for op, name in {aten.sqrt: "sqrt",
                                                           aten.reciprocal: "reciprocal"}.items()},
    **{op: (name + "({0})", D, "f", True) for op, name in {
        aten.floor: "floor", aten.ceil: "ceil", aten.trunc: "trunc",
                                                           aten.round: "roundeven"}.items()},
    aten.abs: ("abs({0})", D, "s", True), aten.relu: ("select({0} < {T}(0), {T}(0), {0})", D, "n",
                                                      True), aten.sign: (SIGN, D, "s", True),
    aten.square: ("{0} * {0}", D, "n", True),
    aten.bitwise_not: ("~{0}", D, "i", True),
    aten.mul: ("{0} * {1}", D, "", True), aten.maximum: ("maximum({0}, {1})", D, "n", True),
    aten.minimum: ("minimum({0}, {1})", D, "n", True), aten.div: ("{0} / {1}", F, "f", True),
    aten.fmod: ("fmod({0}, {1})", D, "f", False),
    aten.atan2: ("atan2({0}, {1})", F, "f", False), aten.hypot: ("hypot({0}, {1})", D, "f", False),
    aten.copysign: ("copysign({0}, {1})", F, "f", True),
    aten.bitwise_and: ("{0} & {1}", D, "i", True), aten.bitwise_or: ("{0} | {1}", D, "i", True),
    aten.bitwise_xor: ("{0} ^ {1}", D, "i", True),
    aten.silu: ("{0} * sigmoid({0})", F, "f", False),
}
LOGICAL = {aten.logical_and: "{0} & {1}", aten.logical_or: "{0} | {1}",
           aten.logical_xor: "{0} ^ {1}", aten.logical_not: "!{0}"}
COMPARED = {aten.eq: "{0} == {1}", aten.ne: "!({0} == {1})", aten.lt: "{0} < {1}",
            aten.le: "{0} <= {1}", aten.gt: "{0} > {1}",
            aten.ge: "{0} >= {1}"}
OF_BOOLS = {aten.mul: "{0} & {1}", aten.add: "{0} | {1}"}


def plain(node: torch.fx.Node) -> Rule:
    template, kind, only, light = PLAIN[node.target.overloadpacket]
    arguments = node.args
    if node.target.overloadpacket is aten.mul and promoted(arguments, kind) == "i1":
        template = OF_BOOLS[aten.mul]
    return by_template(node, arguments, template, kind, only=only, light=light,
                       wide=node.target.overloadpacket in WITH_WIDE_NUMBERS)


def negated(node: torch.fx.Node) -> Rule:
    floats = value_of(node.args[0]).dtype.is_floating_point  # of integers the language's saturates
    return by_template(node, node.args, "-{0}" if floats else "{T}(0) - {0}", only="n", light=True)


def added(node: torch.fx.Node) -> Rule:
    alpha = node.kwargs.get("alpha", node.args[2] if len(node.args) > 2 else 1)
    if not is_number(alpha):
        raise Refused("alpha is not known now")
    sign = "+" if node.target.overloadpacket is aten.add else "-"
    compute = promoted(node.args[:2], D)
    if compute == "i1":
        if sign == "-" or alpha != 1:
            raise Refused("of bools it is PyTorch's")
        return by_template(node, node.args[:2], OF_BOOLS[aten.add], light=True)
    second = "{1}" if alpha == 1 else f"{{1}} * {literal(nearest(alpha, common(node.args[:2], D)), 'i32' if compute in ('i8', 'i16') else compute)}"
    return by_template(node, node.args[:2], f"{{0}} {sign} {second}", light=True)


def logical(node: torch.fx.Node) -> Rule:
    return by_template(node, node.args, LOGICAL[node.target.overloadpacket], light=True, type="i1")


def compared(node: torch.fx.Node) -> Rule:
    compute = promoted(node.args, D)
    return by_template(node, node.args, COMPARED[node.target.overloadpacket], light=True,
                       gives="i1",
                       type="i32" if compute == "i1" else compute)


def remaining(node: torch.fx.Node) -> Rule:
    """A zero has the sign of what is divided, other than Python's and the language's."""
    return by_template(node, node.args, ("fmod({0}, {1})",
                                         f"select({OTHER}, {{s[0]}} + {{1}}, {{s[0]}})"), only="f")


def floored(narrow: str) -> Tuple[str, ...]:
    """The quotient's floor in PyTorch's steps. narrow: the type, f16 or bf16, in which each step is
    rounded, or nothing."""
    r = lambda step: f"{{T}}({narrow}({step}))" if narrow else f"({step})"
    return ("fmod({0}, {1})", r(f"{r('{0} - {s[0]}')} / {{1}}"),
            f"select({OTHER}, {r('{s[1]} - 1')}, {{s[1]}})", "floor({s[2]})",
            f"select({r('{s[2]} - {s[3]}')} > 0.5, {r('{s[3]} + 1')}, {{s[3]}})", r("{0} / {1}"),
            "select({s[2]} == 0, copysign({T}(0), {s[5]}), {s[4]})",
            "select({1} == 0, {s[5]}, {s[6]})")


def divided(node: torch.fx.Node) -> Rule:
    mode = node.kwargs.get("rounding_mode")
    if mode is None:
        return by_template(node, node.args, "{0} / {1}", F, only="f", light=True, wide=True)
    own = common(node.args, D)  # two tensors of f16 or bf16 have a quotient of that type
    narrow = own if own in ("f16", "bf16") and not is_element(node.args[1]) else ""
    steps = (floored(narrow) if mode == "floor"
             else ("{0} / {1}", f"trunc({{T}}({narrow}({{s[0]}})))") if narrow
             else "trunc({0} / {1})")
    return by_template(node, node.args, steps, only="f", wide=True)


# Powers with known exponents. Of f16 PyTorch has fewer, and bf16 is rounded between.
POWERS = {2: "{0} * {0}", 1: "{0}", -1: "reciprocal({0})"}
OF_BOTH = {0.5: "sqrt({0})", -0.5: "rsqrt({0})", **POWERS}
OF_FLOATS = {3: "{0} * {0} * {0}", -2: "reciprocal({0} * {0})", **OF_BOTH}
OF_BF16 = {3: "f32(bf16({0} * {0})) * {0}", -2: "reciprocal(f32(bf16({0} * {0})))", **OF_BOTH}


def to_power(node: torch.fx.Node) -> Rule:
    base, exponent = node.args
    own = common(node.args, D)
    forms = {"f16": POWERS, "bf16": OF_BF16, "f32": OF_FLOATS, "f64": OF_FLOATS}.get(own, OF_FLOATS)
    if is_number(exponent) and float(exponent) in forms:
        if own not in FLOATS and exponent not in (2, 3):
            raise Refused("of integers it is PyTorch's")
        return by_template(node, (base,), forms[float(exponent)], type=WIDE.get(own, own), only="n",
                           light=True)
    return by_template(node, node.args, "({0}) ** ({1})", D, only="f", fits=True)


def clamped(node: torch.fx.Node) -> Rule:
    """With a number as a bound a zero that is within keeps its sign."""
    names = ("min", "max")
    given = [node.args[k + 1] if len(node.args) > k + 1 else node.kwargs.get(names[k])
             for k in (0, 1)]
    if node.target.overloadpacket is aten.clamp_min:
        given = [node.args[1], None]
    if node.target.overloadpacket is aten.clamp_max:
        given = [None, node.args[1]]
    steps, arguments = [], [node.args[0]]
    for function, beyond, bound in zip(("maximum", "minimum"), "<>", given):
        if bound is None:
            continue
        value, number = f"{{s[{len(steps) - 1}]}}" if steps else "{0}", f"{{{len(arguments)}}}"
        known = is_number(bound) and not math.isnan(bound)
        steps.append(f"select({value} {beyond} {number}, {number}, {value})" if known
                     else f"{function}({value}, {number})")
        arguments.append(bound)
    return by_template(node, arguments, steps or "{0}", only="n", light=True, fits=True)


def gelu(node: torch.fx.Node) -> Rule:
    """In the steps of PyTorch's derivative, so that both share steps in one kernel."""
    source, result = node.args[0], type_of(node)
    compute = promoted(node.args[:1], F)
    if compute not in FLOATS:
        raise Refused(f"of {compute} it is PyTorch's")
    number = lambda value: literal(value, compute)

    def write(s: Statements, x: str) -> str:
        x = s.cast(x, type_of(source), compute)
        if node.kwargs.get("approximate", "none") == "none":
            inner = s.name(f"{x} * {number(math.sqrt(0.5))}", x)
            inner = s.name(f"erf({inner})", inner)
        else:
            inner = s.name(f"({x} + {number(0.044715)} * {x} * {x} * {x}) * "
                           f"{number(math.sqrt(2 / math.pi))}", x)
            inner = s.name(f"tanh({inner})", inner)
        inner = s.name(f"{inner} + {number(1.0)}", inner)
        half = s.name(f"{inner} * {number(0.5)}", inner)
        return s.cast(s.name(f"{x} * {half}", x, half), compute, result)

    return Rule((source,), write)


def chosen(node: torch.fx.Node) -> Rule:
    condition, a, b = node.args
    if is_number(a) or is_number(b):
        raise Refused("it chooses numbers")
    if value_of(condition).dtype is not torch.bool:
        raise Refused("its condition is not of bools")
    result = type_of(node)

    def write(s: Statements, c: str, x: str, y: str) -> str:
        x, y = s.cast(x, type_of(a), result), s.cast(y, type_of(b), result)
        return s.name(f"select({c}, {x}, {y})", c, x, y)

    return Rule((condition, a, b), write, light=True)


def asked(node: torch.fx.Node) -> Rule:
    template = {aten.isnan: "!({0} == {0})",
                aten.isinf: "abs({0}) == {T}(inf)"}[node.target.overloadpacket]
    return by_template(node, node.args, template, only="f", light=True, gives="i1")


def converted(node: torch.fx.Node) -> Rule:
    """As another type, as the same one elsewhere in memory, or both."""
    if node.kwargs.get("pin_memory"):
        raise Refused("it does more than to convert")
    source, result = node.args[0], type_of(node)
    return Rule((source,), lambda s, x: s.cast(x, type_of(source), result), light=True)


def copied(node: torch.fx.Node) -> Rule:
    target, source = node.args[:2]
    if value_of(target).shape != value_of(source).shape:
        raise Refused("it repeats")
    result = type_of(node)
    return Rule((source,), lambda s, x: s.cast(x, type_of(source), result), light=True)


def concatenated(node: torch.fx.Node) -> Rule:
    pieces = node.args[0]
    if len(pieces) < 2 or not value_of(node).dim():
        raise Refused("it has one piece")
    if any(value_of(piece).dim() != value_of(node).dim() for piece in pieces):
        raise Refused("an empty piece has other dimensions")
    d = argument(node, 1, "dim", 0) % value_of(node).dim()
    if not all(isinstance(value_of(piece).shape[d], int) for piece in pieces):
        raise Refused("calls decide how long its pieces are")
    result = type_of(node)

    def write(s: Statements, *names: Any) -> str:
        given = [s.cast(name, type_of(piece), result) for name, piece in zip(names, pieces)]
        return s.name(f"concat({', '.join(given)}, axis={names[-1]})", *given)

    return Rule(tuple(pieces), write, light=True, joins=d)


# ---------------------------------------------------------------------------------------------------------------------
# Reductions

def axes_of(source: torch.fx.Node, given: Any) -> Tuple[int, ...]:
    rank = value_of(source).dim()
    if given is None or (isinstance(given, (list, tuple)) and not given):
        return tuple(range(rank))
    given = [given] if isinstance(given, int) else given
    return tuple(sorted({axis % rank if rank else 0 for axis in given})) if rank else ()


def argument(node: torch.fx.Node, k: int, name: str, otherwise: Any = None) -> Any:
    return node.args[k] if len(node.args) > k else node.kwargs.get(name, otherwise)


def count_of(source: torch.fx.Node, axes: Sequence[int]) -> Optional[int]:
    """How many elements are reduced to one; None: a call decides."""
    count = 1
    for axis in axes:
        size = value_of(source).shape[axis]
        if not isinstance(size, int):
            return None
        count *= size
    return count


def reduced(s: Statements, function: str, name: str, kernel: Sequence[int]) -> str:
    """Along axes of the kernel; along dimensions of size 1 there are none."""
    return (s.name(f"{function}({name}, axis=[{', '.join(map(str, kernel))}])", name) if kernel
            else name)


def counted(s: Statements, x: str, kernel: Sequence[int]) -> str:
    """How many elements a call has along axes of the kernel."""
    return reduced(s, "sum", s.name(f"reduce_count({x}, axis={kernel[-1]})", x), kernel[:-1])


def mean_of(s: Statements, source: torch.fx.Node, axes: Sequence[int], x: str, type: str,
            kernel: Sequence[int]) -> str:
    known = count_of(source, axes)
    if known is not None:
        total = reduced(s, "sum", x, kernel)
        if known and known & (known - 1) == 0:  # the same bits, and sooner
            return s.name(f"{total} * {literal(1 / known, type)}", total)
        return s.name(f"{total} / {literal(known, type)}", total)
    return reduced(s, "mean", x, kernel)


def summed(node: torch.fx.Node) -> Rule:
    whole = node.target in (aten.sum.default, aten.mean.default)
    source, result = node.args[0], type_of(node)
    axes = axes_of(source, None if whole else argument(node, 1, "dim"))
    compute = WIDE.get(result, result)
    if compute == "i1":
        raise Refused("of bools it is PyTorch's")
    mean = node.target.overloadpacket is aten.mean

    def write(s: Statements, x: str, kernel: Sequence[int]) -> str:
        x = s.cast(x, type_of(source), compute)
        y = mean_of(s, source, axes, x, compute, kernel) if mean else reduced(s, "sum", x, kernel)
        return s.cast(y, compute, result)

    return Rule((source,), write, axes, not whole and bool(argument(node, 2, "keepdim", False)))


EXTREMES = {aten.amax: "max", aten.amin: "min", aten.max: "max", aten.min: "min"}


def extreme(node: torch.fx.Node) -> Rule:
    source, function = node.args[0], EXTREMES[node.target.overloadpacket]
    if (node.target.overloadpacket in (aten.max, aten.min)
        and node.target._overloadname != "default"):
        raise Refused("it gives indices, too")
    axes = axes_of(source, argument(node, 1, "dim"))
    if type_of(source) == "i1":
        raise Refused("of bools it is PyTorch's")
    if count_of(source, axes) == 0:
        raise Refused("nothing is reduced")
    return Rule((source,), lambda s, x, kernel: reduced(s, function, x, kernel), axes,
                bool(argument(node, 2, "keepdim", False)))


def place(node: torch.fx.Node) -> Rule:
    """argmax and argmin along a dimension. An index among all elements counts in the elements'
    order, and a kernel may have another order."""
    source, dim = node.args[0], argument(node, 1, "dim")
    name = "argmax" if node.target.overloadpacket is aten.argmax else "argmin"
    axes = axes_of(source, dim)
    if type_of(source) == "i1":
        raise Refused("of bools it is PyTorch's")
    if len(axes) != 1:
        raise Refused("it counts through several dimensions")
    if count_of(source, axes) == 0:
        raise Refused("nothing is reduced")

    def write(s: Statements, x: str, kernel: Sequence[int]) -> str:
        none = f"i32({x} != {x}) * 0"  # along a dimension of size 1
        return s.cast(s.name(f"{name}({x}, axis={kernel[0]})" if kernel else none, x), "i32", "i64")

    return Rule((source,), write, axes, bool(argument(node, 2, "keepdim", False)))


SCANS = {aten.cumsum: "cumsum", aten.cumprod: "cumprod", aten.logcumsumexp: "logcumsumexp"}


def scanned(node: torch.fx.Node) -> Rule:
    """A scan: for each element the sum, say, of the elements up to it. The dimension stays, as with
    softmax."""
    source, result, name = node.args[0], type_of(node), SCANS[node.target.overloadpacket]
    rank = value_of(source).dim()
    axes = (argument(node, 1, "dim") % rank,) if rank else ()
    if result not in (*FLOATS, "i32", "i64"):
        raise Refused("of this type it is PyTorch's")

    def write(s: Statements, x: str, kernel: Sequence[int]) -> str:
        x = s.cast(x, type_of(source), result)
        return s.name(f"{name}({x}, axis={kernel[0]})", x) if kernel else x

    return Rule((source,), write, axes, keeps=None)


def any_or_all(node: torch.fx.Node) -> Rule:
    source, function = node.args[0], "any" if node.target.overloadpacket is aten.any else "all"
    axes = axes_of(source, argument(node, 1, "dim"))
    keeps = bool(argument(node, 2, "keepdim", False))
    result = type_of(node)  # of uint8 it is uint8

    def write(s: Statements, x: str, kernel: Sequence[int]) -> str:
        return s.cast(reduced(s, function, s.cast(x, type_of(source), "i1"), kernel), "i1", result)

    return Rule((source,), write, axes, keeps)


def product(node: torch.fx.Node) -> Rule:
    source, result = node.args[0], type_of(node)
    if result not in FLOATS:
        raise Refused("of integers it is PyTorch's")
    whole = node.target._overloadname == "default"
    axes = axes_of(source, None if whole else node.args[1])
    wide = WIDE.get(result, result)
    return Rule((source,), lambda s, x, kernel: s.cast(reduced(s, "prod",
                                                               s.cast(x, type_of(source), wide),
                                                               kernel), wide, result),
                axes, not whole and bool(argument(node, 2, "keepdim", False)))


def variance(node: torch.fx.Node, of: torch.fx.Node, index: int) -> Rule:
    """The variance, or the mean, of operation `of`, which is var or var_mean."""
    source, result = of.args[0], type_of(node)
    axes = axes_of(source, argument(of, 1, "dim"))
    correction = of.kwargs.get("correction")
    correction = 1 if correction is None else correction
    if not is_number(correction):
        raise Refused("the correction is not known now")
    compute = WIDE.get(result, result)
    if compute not in FLOATS:
        raise Refused(f"of {compute} it is PyTorch's")
    known = count_of(source, axes)

    def write(s: Statements, x: str, kernel: Sequence[int]) -> str:
        x = s.cast(x, type_of(source), compute)
        mean = mean_of(s, source, axes, x, compute, kernel)
        if index == 1:
            return s.cast(mean, compute, result)
        d = s.name(f"{x} - {mean}", x, mean)
        square = s.name(f"{d} * {d}", d)
        if not correction:
            return s.cast(mean_of(s, source, axes, square, compute, kernel), compute, result)
        total = reduced(s, "sum", square, kernel)
        if known is not None:
            return s.cast(s.name(f"{total} / {literal(max(0, known - correction), compute)}",
                                 total), compute, result)
        count = counted(s, x, kernel)
        count = s.name(f"maximum({count} - {literal(correction, compute)}, {compute}(0))", count)
        return s.cast(s.name(f"{total} / {count}", total, count), compute, result)

    return Rule((source,), write, axes, bool(argument(of, 3, "keepdim", False)))


def softmax(node: torch.fx.Node) -> Rule:
    """Both; the dimension stays, so it is element by element for those who read it."""
    source, dim, half = node.args
    result = type_of(node)
    compute = WIDE.get(result, result)
    rank = value_of(source).dim()
    axes = (dim % rank,) if rank else ()
    logarithm = node.target.overloadpacket is aten._log_softmax

    def write(s: Statements, x: str, kernel: Sequence[int]) -> str:
        x = s.cast(x, type_of(source), compute)
        most = reduced(s, "max", x, kernel)
        d = s.name(f"{x} - {most}", x, most)
        e = s.name(f"exp({d})", d)
        total = reduced(s, "sum", e, kernel)
        y = s.name(f"{d} - log({total})" if logarithm else f"{e} * reciprocal({total})", d, e,
                   total)
        return s.cast(y, compute, result)

    return Rule((source,), write, axes, keeps=None)


# ---------------------------------------------------------------------------------------------------------------------
# Operations

RULES: Dict[Any, Callable[[torch.fx.Node], Rule]] = {
    **dict.fromkeys(PLAIN, plain), **dict.fromkeys(LOGICAL, logical),
                                                     **dict.fromkeys(COMPARED, compared),
    aten.neg: negated, aten.remainder: remaining, aten.add: added, aten.sub: added,
                                                     aten.div: divided, aten.pow: to_power,
                                                     aten.clamp: clamped,
    aten.clamp_min: clamped, aten.clamp_max: clamped, aten.gelu: gelu, aten.where: chosen,
                                                     aten.isnan: asked, aten.isinf: asked,
    aten.cat: concatenated, aten._to_copy: converted, aten.clone: converted, aten.copy: copied,
                                                     aten.sum: summed, aten.mean: summed,
                                                     aten.amax: extreme,
    **dict.fromkeys(SCANS, scanned), aten.argmax: place, aten.argmin: place, aten.amin: extreme,
                                                     aten.max: extreme, aten.min: extreme,
                                                     aten.any: any_or_all, aten.all: any_or_all,
                                                     aten.prod: product,
    aten.var: lambda node: variance(node, node, 0), aten._softmax: softmax,
                                                     aten._log_softmax: softmax,
}
# A conversion whose type is an argument.
PRIMS = {prims.convert_element_type.default: lambda node: converted_to(node)}


def converted_to(node: torch.fx.Node) -> Rule:
    source, result = node.args[0], type_of(node)
    return Rule((source,), lambda s, x: s.cast(x, type_of(source), result), light=True)


# Operations of PyTorch that are several operations of tosajit; all others are left as they are.
_NAMES = """
native_layer_norm native_layer_norm_backward native_group_norm _fused_rms_norm _fused_rms_norm_backward
_native_batch_norm_legit _native_batch_norm_legit_functional _native_batch_norm_legit_no_training native_batch_norm
native_batch_norm_backward batch_norm_backward gelu_backward silu_backward hardswish hardswish_backward hardsigmoid
hardsigmoid_backward hardtanh hardtanh_backward leaky_relu leaky_relu_backward elu elu_backward softplus
softplus_backward mish mish_backward threshold threshold_backward sigmoid_backward tanh_backward logit logit_backward
_softmax_backward_data _log_softmax_backward_data log_sigmoid_forward log_sigmoid_backward mse_loss mse_loss_backward
smooth_l1_loss smooth_l1_loss_backward huber_loss huber_loss_backward binary_cross_entropy
binary_cross_entropy_backward binary_cross_entropy_with_logits addcmul addcdiv lerp rsub masked_fill frac sinc
heaviside xlogy special_xlog1py logaddexp logaddexp2 nan_to_num logsumexp linalg_vector_norm native_dropout_backward
hardshrink softshrink soft_margin_loss std std_mean sgn isposinf isneginf special_entr special_log_ndtr deg2rad
rad2deg _safe_softmax glu_backward stack
"""  # not the backward of group norm, which would lose digits: PyTorch's own is four times as exact
DECOMPOSED = [getattr(aten, name) for name in _NAMES.split() if hasattr(aten, name)]

# Arguments by name that rules know; another one makes it another operation, as decimals does with
# round.
NAMED = {aten.add: {"alpha"}, aten.sub: {"alpha"}, aten.div: {"rounding_mode"},
         aten.gelu: {"approximate"}, aten.clamp: {"min", "max"},
         aten.clone: {"memory_format"}, aten.cat: {"dim"}, aten.sum: {"dtype"},
         aten.mean: {"dtype"}, aten.prod: {"dtype"}, aten.var: {"correction", "keepdim"},
         aten._to_copy: {"dtype", "device", "layout", "memory_format", "non_blocking",
                         "pin_memory"},
         aten.index_add: {"alpha"}, aten.scatter_reduce: {"include_self"},
         aten.index_put: {"accumulate"}}


def rule_of(node: torch.fx.Node,
            rules: Dict[Any, Callable[[torch.fx.Node], Rule]] = RULES) -> Rule:
    """Refused, if PyTorch keeps it."""
    target = node.target
    if target in PRIMS:
        return PRIMS[target](node)
    packet = getattr(target, "overloadpacket", None)
    make = rules.get(packet)
    if make is None or target._schema.is_mutable or target._overloadname.endswith("out"):
        raise Refused("there is no rule for it")
    if set(node.kwargs) - NAMED.get(packet, set()):
        raise Refused(f"there is no rule for it with {', '.join(node.kwargs)}")
    return make(node)

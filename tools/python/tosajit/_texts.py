# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Texts of evaluate. In: a text that is also Python, and what its operands are. Out: a text of the
library's language, or a function, where it is more than one kernel's. A text means what Python
makes of it with arrays: those of a trace (_array.py), or NumPy's own, where no kernel computes it.
A text that declares types is the language's already. Other texts are refused.

evaluate asks once for each text and list of types."""
from __future__ import annotations

import _ast
import operator
import sys
import threading

from ._arithmetic import COMPARE, NAMES, WIDTH, Value, astype, fold, invert, may_cast, positive, refuse, words, wrong
from ._array import PLAIN, Array, Left, Number, Trace
from ._jit import Jit, write_all
from ._names import REDUCERS
from ._program import CONSTANTS as WORDS, Weak, spelled, write
from ._tosajit import ArgumentError, ElementTypeError, Error
from ._words import ATTRIBUTES, CHANGERS, CONSTANTS, METHODS, MODULES, Cast, Foreign, Words, foreign, is_array, is_traced, known_names

TYPE_CHECKING = False  # module typing takes longer to load than everything else here
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, List, NoReturn, Optional, Sequence, Tuple, Union


# ------------------------------------------------------------------------------------------------
# Texts

_OPEN, _CLOSE, _WAITS = "([{", ")]}", "+-*/%&|^<>=~!,("
_MEANING = frozenset(_OPEN + _CLOSE + "#\"';:!~\n\t\r\f")
_BETWEEN = "\ud800"  # which no text has
_APART = {ord(letter): f"{_BETWEEN}{letter}{_BETWEEN}" for letter in _MEANING}
_NO_CHANGES = "texts change no array; a function of tosajit.jit may"


class _Source:
    """A text as statements of Python, one a line. The language's comments, semicolons, lines that
    go on, and ! are understood. `declares`: the text has types in it, as only the language has."""

    def __init__(self, text: str):
        self.lines: List[str] = [""]
        self.marks: List[Tuple[int, int]] = []
        self.declares = _is_operation(text)
        self.depth = k = end = 0
        # at once: a line that grows letter by letter takes the square of its length
        for piece in text.translate(_APART).split(_BETWEEN):
            if k >= end and piece in _MEANING:
                end = self.take(text, k, piece)
            elif k >= end:  # behind what took more than a letter
                self.lines[-1] += piece
            k += len(piece)
        self.lines = [line.strip() for line in self.lines if line.strip()]
        self.source = "\n".join(self.lines)

    def take(self, text: str, k: int, letter: str) -> int:
        """A letter with a meaning, and where what it begins ends."""
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
            self.marks.append((len([line for line in self.lines[:-1] if line.strip()]) + 1,
                               len(self.lines[-1].lstrip().encode())))
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
        self.text, self.given = text, _Source(text)
        self.body: List[Any] = []
        self.reads: List[Dict[str, None]] = []  # names, by each statement
        self.complaint = "" if self.given.source else "the text is empty"
        if self.given.declares:
            return
        try:
            self.body = self.parse(self.given.source)
        except (SyntaxError, ValueError) as error:
            self.complaint = f"the text is no Python: {getattr(error, 'msg', error)}"
        for node in self.body:
            self.check(node)
        self.reads = [_names_of(node.value) for node in self.body] if not self.complaint else []

    @staticmethod
    def parse(source: str) -> Any:
        try:
            return compile(source, "<text>", "exec", _ast.PyCF_ONLY_AST, True).body  # type: ignore[attr-defined]
        # its own limit; where recursion has one, there may be more room elsewhere
        except MemoryError:
            wrong("the text nests too deeply; give parts of it names: a = ...; b = ...")

    def check(self, node: Any) -> None:
        if (type(node) is _ast.Assign and len(node.targets) == 1
            and type(node.targets[0]) is _ast.Name or type(node) is _ast.Expr):
            return
        changed = node.targets[0] if type(node) is _ast.Assign else getattr(node, "target", None)
        if type(changed) is _ast.Subscript:
            wrong(f"{self.shown(node)}: {_NO_CHANGES}")
        self.complaint = (f"{self.given.lines[node.lineno - 1]}: a statement is an expression, or "
                          "a name, = and an expression")

    def shown(self, node: Any) -> str:
        """The words of a part of the text."""
        lines = [line.encode()
                 for line in self.given.source.split("\n")[node.lineno - 1:node.end_lineno]]
        lines[-1] = lines[-1][:node.end_col_offset]
        lines[0] = lines[0][node.col_offset:]
        text = b" ".join(lines).decode(errors="replace")
        return text if len(text) <= 60 else text[:57] + "..."

    def is_read_later(self, k: int) -> bool:
        name = _assigned(self.body[k])
        for node, read in zip(self.body[k + 1:], self.reads[k + 1:]):
            if name in read:
                return True
            if _assigned(node) == name:
                return False
        return False


_LAST: List[_Tree] = []


def _tree_of(text: str) -> _Tree:
    """That of the last text is often asked for again."""
    for tree in _LAST[:]:
        if tree.text == text:
            return tree
    _LAST[:] = [_Tree(text)]
    return _LAST[0]


def _assigned(node: Any) -> str:
    """The name that a statement defines; nothing of an expression."""
    target: Any = node.targets[0] if type(node) is _ast.Assign else None
    return target.id if target else ""


def _path(node: Any) -> List[str]:
    """np.linalg.norm as its words; nothing of another expression."""
    parts: List[str] = []
    while type(node) is _ast.Attribute:
        parts.append(node.attr)
        node = node.value
    return [node.id, *reversed(parts)] if type(node) is _ast.Name and parts else []


def _is_module(node: Any) -> bool:
    """True if it is a name of NumPy's or of the module math, or a ufunc's method."""
    path = _path(node)
    return bool(path) and (path[0] in MODULES or len(path) == 2 and path[1] in METHODS)


def _is_dtype(node: Any) -> bool:
    return type(node) is _ast.Name and node.id in NAMES


# Arguments of the library's own language, whose values are words there.
_LANGUAGE = ("index_mode", "nan_mode")


def _names_of(root: Any) -> Dict[str, None]:
    """What an expression reads, in the order of the text, however deep it is."""
    found: Dict[str, None] = {}
    stack = [root]
    while stack:
        node = stack.pop()
        kind = type(node)
        if kind is _ast.Name:
            found[node.id] = None
        elif kind is _ast.BinOp:
            stack += [node.right, node.left]
        elif kind is not _ast.Constant:
            stack += [part for part in reversed(_parts(node, kind)) if isinstance(part, _ast.AST)]
    return found


def _parts(node: Any, kind: type) -> List[Any]:
    """In which names are read: those of modules and types are none."""
    if kind is _ast.IfExp:
        return [node.body, node.test, node.orelse]
    if kind is _ast.Call:
        of = ([node.func.value] if type(node.func) is _ast.Attribute and not _is_module(node.func)
              else [])
        to = node.func.attr if of else ""
        return [*of, *[a for a in node.args if to != "astype" or not _is_dtype(a)], *node.keywords]
    if (kind is _ast.Attribute and _is_module(node)
        or kind is _ast.keyword and node.arg == "dtype" and _is_dtype(node.value)
        or kind is _ast.keyword and node.arg in _LANGUAGE and type(node.value) is _ast.Name):
        return []
    parts: List[Any] = []
    for field in node._fields:
        part = getattr(node, field)
        parts += part if isinstance(part, list) else [part]
    return parts


def names(text: str) -> Union[None, str, Tuple[str, ...]]:
    """The operands of a text. None if it is the language's, as it declares types; a string says why
    it is neither that nor Python."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return "the text has half of a letter, a surrogate"
    tree = _tree_of(text)
    if tree.given.declares:
        return None
    if tree.complaint:
        return tree.complaint
    defined: set = {*WORDS, "newaxis"}
    operands: Dict[str, None] = {}
    for node, read in zip(tree.body, tree.reads):
        operands.update((name, None) for name in read if name not in defined)
        defined.add(_assigned(node))
    return tuple(operands)


# ------------------------------------------------------------------------------------------------
# Expressions

_SCALARS = (bool, int, float)


class _Reading:
    """Python's reading of a text, with arrays of a trace or of NumPy for names."""

    def __init__(self, tree: _Tree, held: Dict[str, Any], trace: Optional[Trace]):
        self.tree, self.names, self.trace, self.words = tree, held, trace, Words(trace)
        self.marks = frozenset(tree.given.marks)

    def run(self) -> List[Tuple[str, Any]]:
        """Results: expressions, and what no later statement reads."""
        results = []
        for k, node in enumerate(self.tree.body):
            value = self.read(node.value)
            name = _assigned(node)
            if name:
                self.names[name] = value
            if not name or not self.tree.is_read_later(k):
                results.append((name, self.whole(node.value, value)))
        return results

    def foreign(self, node: Any, why: str) -> NoReturn:
        raise foreign(f"{self.tree.shown(node)}: {why}")

    def read(self, node: Any) -> Any:
        reader = self.READERS.get(type(node))
        if reader is None:
            self.foreign(node, "evaluate has no such expression; tosajit.compile takes the "
                         "library's own language")
        return reader(self, node)

    def whole(self, node: Any, value: Any) -> Any:
        """A result."""
        if isinstance(value, (tuple, list)) and any(map(is_array, value)):
            return type(value)(self.operand(node, a) for a in value)
        return value if isinstance(value, dict) else self.operand(node, value)

    def operand(self, node: Any, value: Any) -> Any:
        """An operand of an operator."""
        if type(value) in _SCALARS or is_array(value):
            return value
        if isinstance(value, (list, tuple)):
            if self.trace is not None:
                return self.trace.array(value)
            import numpy
            return numpy.array(value)
        if isinstance(value, complex):
            refuse("there are no complex numbers; compute with the real and the imaginary part as "
                   "two arrays")
        return self.foreign(node, "is neither a number nor an array")

    def name(self, node: Any) -> Any:
        if node.id in self.names:
            return self.names[node.id]
        if node.id == "newaxis":
            return None
        if node.id in WORDS:
            return WORDS[node.id]
        found = self.words.find(node.id)
        return (found if isinstance(found, Cast) else self.foreign(node, "is neither a number nor "
                                                                   "an array"))

    def constant(self, node: Any) -> Any:
        return node.value

    def several(self, node: Any) -> Any:
        items = [self.read(item) for item in node.elts]
        return tuple(items) if type(node) is _ast.Tuple else items

    def table(self, node: Any) -> Any:
        return {self.read(key): self.read(item) for key, item in zip(node.keys, node.values)}

    # --------------------------------------------------------------------------------------------
    # Operators

    def binary(self, node: Any) -> Any:
        """Terms of a long sum are no recursion."""
        spine = [node]
        while type(spine[-1].left) is _ast.BinOp:
            spine.append(spine[-1].left)
        value = self.read(spine[-1].left)
        while spine:
            node = spine.pop()
            sign, a, b = (type(node.op), self.operand(node.left, value),
                          self.operand(node.right, self.read(node.right)))
            if type(a) in _SCALARS and type(b) in _SCALARS and sign is not _ast.MatMult:
                value = fold(sign, a, b)
            elif self.trace is not None and (is_traced(a) or is_traced(b)):
                value = self.trace.binary(sign, a, b)
            else:
                value = PLAIN[sign](a, b)
        return value

    def unary(self, node: Any) -> Any:
        value, sign = self.operand(node.operand, self.read(node.operand)), type(node.op)
        if sign is _ast.Not or (node.lineno, node.col_offset) in self.marks:
            return self.words.find("logical_not")(value) if is_array(value) else not value
        if type(value) in _SCALARS:
            return fold(sign, value)
        if self.trace is not None and is_traced(value):
            return self.trace.unary(_SIGNS[sign][0], _SIGNS[sign][1], value)
        return _SIGNS[sign][1](value)

    def compare(self, node: Any) -> Any:
        parts = [node.left, *node.comparators]
        values = [self.operand(part, self.read(part)) for part in parts]
        made: Any = None
        for k, op in enumerate(node.ops):
            if type(op) not in COMPARE:
                self.foreign(node, "arrays are compared by == != < <= > >=")
            one = self.compared(type(op), values[k], values[k + 1])
            made = one if made is None else self.logical("logical_and", made, one)
        return made

    def compared(self, op: Any, a: Any, b: Any) -> Any:
        if self.trace is not None and (is_traced(a) or is_traced(b)):
            return self.trace.compare(COMPARE[op], a, b)
        return (fold(op, a, b) if type(a) in _SCALARS and type(b) in _SCALARS
                else _COMPARED[op](a, b))

    def logical(self, name: str, a: Any, b: Any) -> Any:
        """`and` and `or`, which of arrays are those of their elements."""
        if is_array(a) or is_array(b):
            return self.words.find(name)(a, b)
        return (a and b) if name == "logical_and" else a or b

    def truths(self, node: Any) -> Any:
        values = [self.operand(part, self.read(part)) for part in node.values]
        made = values[0]
        for value in values[1:]:
            made = self.logical("logical_and" if type(node.op) is _ast.And else "logical_or", made,
                                value)
        return made

    def choice(self, node: Any) -> Any:
        condition = self.read(node.test)
        if is_array(condition):
            return self.words.find("where")(condition,
                                            self.operand(node.body, self.read(node.body)),
                                            self.operand(node.orelse, self.read(node.orelse)))
        asks: List[Any] = []
        stack = [node.test]
        while stack:
            part = stack.pop()
            asks += ([part] if isinstance(part, _ast.Attribute)
                     or isinstance(part, _ast.Name) and part.id == "len" else [])
            stack += [getattr(part, field) for field in part._fields
                      if isinstance(getattr(part, field), _ast.AST)]
            stack += [item for field in part._fields if isinstance(getattr(part, field), list)
                      for item in getattr(part, field) if isinstance(item, _ast.AST)]
        if asks:  # of sizes it is Python's
            return self.read(node.body if condition else node.orelse)
        a, b = self.read(node.body), self.read(node.orelse)
        if not is_array(a) and not is_array(b):
            return a if condition else b
        return self.words.find("where")(condition, self.operand(node.body, a),
                                        self.operand(node.orelse, b))

    # --------------------------------------------------------------------------------------------
    # Calls

    def argument(self, node: Any) -> Any:
        value = self.read(node)
        if isinstance(value, Cast) and self.trace is None:
            return value.dtype
        if isinstance(value, complex):
            refuse("there are no complex numbers; compute with the real and the imaginary part as "
                   "two arrays")
        return value

    def call(self, node: Any) -> Any:
        if (any(type(a) is _ast.Starred for a in node.args)
            or any(k.arg is None for k in node.keywords)):
            self.foreign(node, "arguments are given one by one")
        function = self.function(node)
        args = [self.argument(a) for a in node.args]
        keywords = {k.arg: self.argument(k.value) for k in node.keywords}
        if len(keywords) < len(node.keywords):
            self.foreign(node, "an argument is given twice")
        return function(*args, **keywords)

    def function(self, node: Any) -> Any:
        called, name = node.func, getattr(node.func, "attr", "")
        if type(called) is _ast.Name:
            if called.id in self.names:
                self.foreign(node, "is no function that is called by its name")
            found = self.words.find(called.id)
            return found if found is not None else self.foreign(node, self.unknown(called.id))
        if not name:
            self.foreign(node, "is no function that is called by its name")
        if _is_module(called) and _path(called)[0] not in self.names:
            path = _path(called)
            found = self.words.of_module(path) if path[0] in MODULES else Words.method(*path)
            return found if callable(found) else self.foreign(node, self.no_method(name))
        if name not in ATTRIBUTES:
            self.foreign(node, self.no_method(name))
        method = getattr(self.array(called.value), name)
        if name in REDUCERS:
            return lambda *args, **keywords: method(*args,
                                                    **{{"dim": "axis",
                                                        "keepdim": "keepdims"}.get(key, key): a
                                                       for key, a in keywords.items()})
        return method

    def array(self, node: Any) -> Any:
        value = self.operand(node, self.read(node))
        if type(value) in _SCALARS or isinstance(value, Number):
            if self.trace is not None:
                return self.trace.array(value)
            import numpy
            return numpy.asarray(value)[()]
        return value

    @staticmethod
    def no_method(name: str) -> str:
        return (_NO_CHANGES if name in CHANGERS else
                f"{name} is no function of texts, and no method of an array")

    @staticmethod
    def unknown(name: str) -> str:
        import difflib
        if name in CHANGERS:
            return _NO_CHANGES
        known = known_names()
        near = (difflib.get_close_matches(name, known, 1, 0.8)
                or [other for other in known if other.endswith("_" + name)])
        return f"there is no function {name}; " + (f"did you mean {near[0]}?" if near else
                                                   "texts have NumPy's and those of "
                                                   "tosajit.special, and tosajit.compile the "
                                                   "library's own")

    def attribute(self, node: Any) -> Any:
        path = _path(node)
        if path and path[0] in MODULES and path[0] not in self.names:
            found = self.words.of_module(path)
            if path[1:] == ["newaxis"] or isinstance(found, (float, bool, Cast)):
                return found
            self.foreign(node, f"{path[0]} has no .{node.attr} here")
        if node.attr not in ATTRIBUTES:
            self.foreign(node, f"an array has no .{node.attr} here")
        found = getattr(self.array(node.value), node.attr)
        return found if not callable(found) else self.foreign(node,
                                                              f"an array has no .{node.attr} here")

    def subscript(self, node: Any) -> Any:
        value = self.read(node.value)
        if not isinstance(value, (tuple, list)):
            value = (self.array(node.value) if type(value) in _SCALARS or isinstance(value, Number)
                     else self.operand(node.value, value))
        return value[self.argument(node.slice)]

    def range(self, node: Any) -> slice:
        return slice(*[None if bound is None else self.read(bound)
                       for bound in (node.lower, node.upper, node.step)])

    READERS: Dict[Any, Callable[..., Any]] = {
        _ast.Name: name, _ast.Constant: constant, _ast.Attribute: attribute, _ast.List: several,
                                              _ast.Tuple: several, _ast.Dict: table,
                                              _ast.BinOp: binary, _ast.UnaryOp: unary,
        _ast.Compare: compare, _ast.BoolOp: truths, _ast.IfExp: choice, _ast.Call: call,
                                              _ast.Subscript: subscript, _ast.Slice: range}


_SIGNS: Dict[Any, Any] = {_ast.USub: (lambda t, x: t.negate(x), operator.neg),
                          _ast.UAdd: (positive, operator.pos),
                          _ast.Invert: (invert, operator.invert)}
_COMPARED = {_ast.Eq: operator.eq, _ast.NotEq: operator.ne, _ast.Lt: operator.lt,
             _ast.LtE: operator.le, _ast.Gt: operator.gt, _ast.GtE: operator.ge}


# ------------------------------------------------------------------------------------------------
# One kernel

def translate(text: str, operands: Sequence[str], types: Sequence[str], weak: Sequence[str],
              shapes: Sequence[Tuple[int, ...]], numbers: Sequence[Any],
              out: Optional[str], casting: str) -> Any:
    """The text for operands of these types, and perhaps another one, which finds what must not be:
    its number, and what to say of each, and whether it is about calls without an empty operand,
    too. None for a text of the language. Weak operands have a kind, b, i or f, and a type that has
    their number. The last result is cast to out. None and a function where it is more than one
    kernel's."""
    tree = _tree_of(text)
    if not tree.body:
        return None
    strong = sorted({own for own, how in zip(types, weak) if not how})
    if casting in ("no", "equiv") and len(strong) > 1:
        refuse(f"the operands are of {' and '.join(strong)}, which casting={casting!r} keeps apart")
    taken = [name for name in map(_assigned, tree.body) if name]
    t = Trace(operands, types, weak, list(map(len, shapes)), list(shapes), loose=True, taken=taken)
    held = {name: Number(t, t.weak_value(k), numbers[k], {k}) if weak[k] else t.arrays[k]
            for k, name in enumerate(operands)}
    try:
        return _one_kernel(t, _Reading(tree, held, t).run(), out, casting)
    except RecursionError:
        raise
    except Foreign as error:
        raise _said(ArgumentError, str(error)) from None
    except Exception as error:
        if (casting in ("no", "equiv", "safe") and isinstance(error, Error)
            or hasattr(error, "final")):
            raise
        if "numpy" not in sys.modules:
            if isinstance(error, Left):
                raise _said(ArgumentError, f"{_short(text)}: no kernel computes it: {error}; NumPy "
                            "would, which this program has not imported") from None
            raise error if isinstance(error, Error) else _said(ArgumentError,
                                                               f"{_short(text)}: {error}") from None
        return None, TextFunction(tree, operands, error=error if isinstance(error, Error) else None)


def _said(kind: Any, sentence: str) -> Any:
    error = kind(sentence)
    error.status = "TOSAJIT_INVALID_ARGUMENT"
    return error


def _short(text: str) -> str:
    shown = " ".join(text.split())
    return shown if len(shown) <= 60 else shown[:57] + "..."


def _one_kernel(t: Trace, results: Sequence[Tuple[str, Any]], out: Optional[str],
                casting: str) -> Any:
    if any(not isinstance(a, (Array, Number, *_SCALARS)) for _, a in results):
        raise Left("results are lists, or NumPy's own")
    if (t.sized or t.ones or t.asked or t.extras
        or any(isinstance(a, Array) and a.mask is not None for _, a in results)):
        raise Left("sizes, or numbers of the call, decide what is computed")
    named = []
    for k, (name, a) in enumerate(results):
        value = t.text.array(t.value(a))
        if out is not None and k == len(results) - 1 and value.type != out:
            if not may_cast(value.type, out, casting):
                error: Any = ElementTypeError(f"the result is of {value.type}, which "
                                              f"casting={casting!r} does not make the {out} of out")
                error.status, error.final = "TOSAJIT_TYPE_MISMATCH", True
                raise error
            value = Value(astype(t.text, value, out).text, out, places=value.places)
        named.append((name, t.text.dense(value)))
    t.settled()
    return (*write(t.text, named, Weak(t.names, t.spelled, t.types, t.weak), t.ranks),
            t.laid([a for _, a in results]))


def reword(error: Any, text: str, operands: Sequence[str]) -> None:
    """Of an error about a text that was made here, what it says of the caller's."""
    sentence = str(error).split("\n")[0]
    place, sign, rest = sentence.partition(": error: ")
    sentence = rest if sign and place.replace(":", "").isdigit() else sentence
    for k, name in enumerate(operands):
        sentence = (sentence.replace(spelled(name, k), name) if spelled(name, k) != name
                    else sentence)
    error.args = (f"{_short(text)}: {sentence}",)


# ------------------------------------------------------------------------------------------------
# More than one

class _Alone:
    """A text reads nothing beside its operands (_jit.py)."""

    captured: Tuple[Any, ...] = ()
    watched: Tuple[Any, ...] = ()
    objects: Tuple[Any, ...] = ()
    names: Tuple[str, ...] = ()
    unsafe, is_plain = "", True

    @staticmethod
    def with_others(function: Any, *others: Any) -> Any:
        return function


class _TextJit(Jit):
    """A text as a function. `strict`: NumPy has no part but arrays that views need."""

    loose = True

    def __init__(self, tree: _Tree, operands: Sequence[str], strict: bool):
        self.tree, self.operands_named, self.strict = tree, tuple(operands), strict
        super().__init__(self.run, {})

    def see(self, function: Any) -> None:
        self.__name__ = self.__qualname__ = _short(self.tree.text)
        self.parameters, self.simple, self.takes_out = self.operands_named, True, False

    def renew(self) -> None:
        self.around: Any = _Alone
        self.function._renew((), ())

    def around_is_same(self) -> bool:
        return True

    def unfit(self, tree: Any) -> str:
        return ""

    def run(self, *operands: Any) -> Any:
        traced = next((a.program for a in operands if is_traced(a)), None)
        if traced is None:
            import numpy
            operands = tuple(a if type(a) in _SCALARS
                             or isinstance(a, (numpy.ndarray, numpy.generic)) else numpy.asarray(a)
                             for a in operands)
        results = [a for _, a in _Reading(self.tree, dict(zip(self.operands_named, operands)),
                                          traced).run()]
        return results[0] if len(results) == 1 else tuple(results)

    def plain(self, tree: Any, leaves: Any, out: Any) -> Any:
        """A text that Python computes as it is written has other bits than a kernel's, so it is
        refused. A result without elements has no bits."""
        made = super().plain(tree, leaves, out)
        if not self.strict or any(0 in getattr(a, "shape", ()) for a in leaves):
            return made
        why = self.made[-1][1].why.rpartition(": error: ")[2] if self.made else ""
        wrong(f"{self.__name__}: no kernel computes it{why and ': ' + why}")


class TextFunction:
    """Computes a text that needs several kernels, or NumPy. `error`: the reason for which a
    kernel's text would be refused."""

    def __init__(self, tree: _Tree, operands: Sequence[str], strict: bool = False,
                 error: Any = None):
        self.jit, self.strict, self.error = _TextJit(tree, operands, strict), strict, error

    def __call__(self, engine: Any, operands: Tuple[Any, ...], out: Any, casting: str) -> Any:
        import numpy
        if self.strict:  # of which every reshape is a view
            operands = tuple(a.copy() if isinstance(a, numpy.ndarray) and not a.flags.c_contiguous
                             else a for a in operands)
        thread = threading.get_ident()
        self.jit.engines[thread] = engine
        try:
            with numpy.errstate(all="ignore"):
                made = self.jit.function(*operands)
        except Foreign as error:
            raise _said(ArgumentError, str(error)) from None
        except RecursionError:
            raise
        except Exception:
            if self.error is not None:
                raise self.error from None
            raise
        finally:
            self.jit.engines.pop(thread, None)
        if out is not None:
            return _into(out, made, casting)
        return _arrays(made)


def _arrays(a: Any) -> Any:
    import numpy
    return (tuple(map(_arrays, a)) if type(a) is tuple
            else numpy.asarray(a) if isinstance(a, (numpy.generic, *_SCALARS)) else a)


def _into(out: Any, made: Any, casting: str) -> Any:
    import numpy
    several, outs = made if type(made) is tuple else (made,), out if type(out) is tuple else (out,)
    if len(several) != len(outs):
        wrong(f"out: a tuple of {len(several)} arrays is needed, one for each result")
    for result, to in zip(several, outs):
        if numpy.shape(result) != tuple(numpy.shape(to)):
            wrong(f"the result has the shape {numpy.shape(result)}, and out "
                  f"{tuple(numpy.shape(to))}")
    write_all(outs, several, casting)
    return out


_KEPT: Dict[Any, Any] = {}  # functions of texts with views that no strides say
_MOST_KEPT = 256


def by_numpy(text: str, operands: Sequence[str], objects: Sequence[Any], whatever: bool) -> Any:
    """A function that is the text, where an operand is of complex elements or a number beyond 64
    bits, which no kernel has; or whatever they are, of kernels and views."""
    if "numpy" not in sys.modules or not _tree_of(text).body:
        return None
    if whatever:
        key = text, tuple(operands)
        if key not in _KEPT:
            while len(_KEPT) >= _MOST_KEPT:
                _KEPT.pop(next(iter(_KEPT)), None)
            _KEPT[key] = TextFunction(_tree_of(text), operands, True)
        return _KEPT.get(key)
    if not any(getattr(getattr(a, "dtype", None), "name", "") in ("complex64", "complex128")
               and type(a).__module__ == "numpy"
               or type(a) is int and not -1 << 63 <= a < 1 << 63 for a in objects):
        return None
    return TextFunction(_tree_of(text), operands)

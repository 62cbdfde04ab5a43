# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Texts in the manner of NumPy. In: a text that is also Python, and the types and ranks of its operands. Out: a text of
the library's language, in which types are promoted as NumPy promotes them, and what the language does not have
is written out. A text with type declarations is the language's already. What is neither is refused.

evaluate asks once for each text and list of types."""
from __future__ import annotations

import _ast

from ._arithmetic import DIM, FUNCTIONS, NAMES, WIDTH, Value, astype, may_cast, refuse, words, wrong
from ._program import Weak, spelled, write
from ._reader import WORDS, Foreign, Reader
from ._tosajit import ArgumentError

TYPE_CHECKING = False  # module typing takes longer to load than everything else here
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union


# ------------------------------------------------------------------------------------------------
# Texts

_OPEN, _CLOSE, _WAITS = "([{", ")]}", "+-*/%&|^<>=~!,("
_MEANING = _OPEN + _CLOSE + "#\"';:!~\n\t\r\f"


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
        end = k + 1
        while end < len(text) and letter not in _MEANING and text[end] not in _MEANING:
            end += 1  # at once: a line that grows letter by letter takes the square of its length
        self.lines[-1] += " " if letter in "\n\t\r\f" else letter if end == k + 1 else text[k:end]
        return end


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


def _assigned(node: Any) -> str:
    """The name that a statement defines; nothing of an expression."""
    target: Any = node.targets[0] if type(node) is _ast.Assign else None
    return target.id if target else ""


def _is_module(node: Any) -> bool:
    """Whether it is a name of NumPy's or of the module math, or a ufunc's method."""
    if type(node) is _ast.Attribute and node.attr in ("reduce", "outer", "accumulate", "reduceat") and type(node.value) is _ast.Name:
        return node.value.id in FUNCTIONS
    while type(node) is _ast.Attribute:
        node = node.value
    return type(node) is _ast.Name and node.id in ("np", "numpy", "math")


def _is_dtype(node: Any) -> bool:
    return type(node) is _ast.Name and node.id in NAMES


def _walk(root: Any, found: Callable[[Any], Any]) -> None:
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
            of = [node.func.value] if type(node.func) is _ast.Attribute and not _is_module(node.func) else []
            to = node.func.attr if of else ""
            parts = [*of, *[a for a in node.args if to != "astype" or not _is_dtype(a)], *node.keywords]
        elif kind is _ast.Attribute and _is_module(node) or kind is _ast.keyword and node.arg == "dtype" and _is_dtype(node.value):
            parts = []
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
    defined: set = {*WORDS, "newaxis"}
    operands: Dict[str, None] = {}
    for node in tree.body:
        _walk(node.value, lambda name: name.id in defined or operands.setdefault(name.id))
        defined.add(_assigned(node))
    return tuple(operands)


class _Program:
    """Statements, and which of them are results: expressions, and names that no later statement reads."""

    def __init__(self, reader: Reader, body: Sequence[Any]):
        self.reader, self.body = reader, body
        self.results: List[Tuple[str, Value]] = []

    def is_read_later(self, k: int) -> bool:
        name = _assigned(self.body[k])
        for node in self.body[k + 1:]:
            read: List[str] = []
            _walk(node.value, lambda found: read.append(found.id))
            if name in read:
                return True
            if _assigned(node) == name:
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
                reader.names[_assigned(node)] = value
            if is_result:
                last = k == len(self.body) - 1
                self.results.append((_assigned(node), self.cast(value, out if last else None, casting)))

    def cast(self, value: Value, out: Optional[str], casting: str) -> Value:
        t = self.reader.text
        if out is not None and value.type != out:
            if not may_cast(value.type, out, casting):
                refuse(f"the result is of {value.type}, which casting={casting!r} does not make the {out} of out")
            value = Value(astype(t, value, out).text, out, places=value.places)
        return t.dense(value)


def translate(text: str, operands: Sequence[str], types: Sequence[str], weak: Sequence[str], ranks: Sequence[int],
              out: Optional[str], casting: str) -> Any:
    """The text for operands of these types, and perhaps another one, which finds what must not be: its number, and what to say of each, and whether it is about calls without an empty operand, too. None for
    a text of the language. Of weak operands, which have a kind, b, i or f, the type is one that has their number. The last result is cast to out.
    None and a function where it is more than one kernel's (_texts.py)."""
    tree = _Tree(text)
    if not tree.body:
        return None
    try:
        return _in_one(tree, text, operands, types, weak, ranks, out, casting)
    except Foreign as error:
        if casting in ("no", "equiv", "safe") or tree.given.marks:
            raise
        from ._texts import function_of  # which takes longer to load
        function = function_of(_Tree(text).body, text, operands)
        if function is None:
            plain = ArgumentError(*error.args)
            plain.status = error.status
            raise plain from None
        return (None, function)


def _in_one(tree: _Tree, text: str, operands: Sequence[str], types: Sequence[str], weak: Sequence[str], ranks: Sequence[int],
            out: Optional[str], casting: str) -> Any:
    """As one kernel's text."""
    strong = sorted({own_type for own_type, how in zip(types, weak) if not how})
    if casting in ("no", "equiv") and len(strong) > 1:
        refuse(f"the operands are of {' and '.join(strong)}, which casting={casting!r} keeps apart")
    own_names = [spelled(name, k) for k, name in enumerate(operands)]
    own = {"b": "i1", "i": "i64", "f": "f64"}
    values = {name: Value(f"\1{k}:{own[weak[k]]}\2", own[weak[k]], weak[k], operand=k, fits=types[k]) if weak[k]
              else Value(own_names[k], types[k], places=(DIM,) * ranks[k]) for k, name in enumerate(operands)}
    taken = [_assigned(node) for node in tree.body]
    reader = Reader(tree.given.source, tree.given.marks, values, [*own_names, *taken])
    program = _Program(reader, tree.body)
    program.run(out, casting)
    return write(reader.text, program.results, Weak(operands, own_names, types, weak), ranks)


_KEPT: Dict[Any, Any] = {}  # functions of texts with views that no strides say
_MOST_KEPT = 256


def by_numpy(text: str, names: Sequence[str], operands: Sequence[Any], whatever: bool) -> Any:
    """A function that is the text, where an operand is of uint64 or complex, which no kernel has; or whatever they are, of kernels and views."""
    if whatever:
        key = text, tuple(names)
        if key not in _KEPT:
            from ._texts import function_of
            while len(_KEPT) >= _MOST_KEPT:
                _KEPT.pop(next(iter(_KEPT)), None)
            _KEPT[key] = function_of(_Tree(text).body, text, names, True)
        return _KEPT.get(key)
    if not any(getattr(getattr(a, "dtype", None), "name", "") in ("uint64", "complex64", "complex128") and type(a).__module__ == "numpy" for a in operands):
        return None
    from ._texts import function_of
    return function_of(_Tree(text).body, text, names)


def reword(error: Any, text: str, operands: Sequence[str]) -> None:
    """Of an error about a text that was made here, what it says of the caller's."""
    sentence = str(error).split("\n")[0]
    place, sign, rest = sentence.partition(": error: ")
    sentence = rest if sign and place.replace(":", "").isdigit() else sentence
    for k, name in enumerate(operands):
        sentence = sentence.replace(spelled(name, k), name) if spelled(name, k) != name else sentence
    shown = " ".join(text.split())
    error.args = (f"{shown if len(shown) <= 60 else shown[:57] + '...'}: {sentence}",)

# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values as a text of the library's language. In: results, and what the operands are. Out: a text
that declares them, and another one, which finds calls that must not be."""
from __future__ import annotations

import math

from ._arithmetic import FLOATS, INTEGERS, Text, Value, convert, names_in

TYPE_CHECKING = False  # module typing takes longer to load than everything else here
if TYPE_CHECKING:
    from typing import Dict, List, Optional, Sequence, Tuple

CONSTANTS = {"inf": math.inf, "nan": math.nan, "true": True, "false": False}  # of the language
_NO_NAMES = ("True", "False", *CONSTANTS)  # of its operands


def spelled(name: str, k: int) -> str:
    """An operand's name in the language, which has none with other letters than ASCII's, and some
    words."""
    plain = name.isascii() and len(name) <= 60 and name not in _NO_NAMES
    return name if plain else f"operand_{k}"


class Weak:
    """Python's numbers among the operands: each is declared as the type of its use, and checked
    against that type in a call."""

    def __init__(self, users: Sequence[str], names: Sequence[str], types: Sequence[str],
                 kinds: Sequence[str]):
        self.users, self.names, self.types, self.kinds = users, names, types, kinds

    def replace(self, texts: List[str]) -> Tuple[List[str], List[str]]:
        """The texts with these operands, and how each operand is declared."""
        uses: Dict[int, set] = {}
        for text in texts:
            for part in text.split("\1")[1:] if "\1" in text else ():
                operand, _, type = part.partition("\2")[0].partition(":")
                uses.setdefault(int(operand), set()).add(type)
        declared = [self.declare(k, uses.get(k, set())) for k in range(len(self.names))]
        return [self.written(text, declared) for text in texts], declared

    def declare(self, k: int, uses: set) -> str:
        if not self.kinds[k]:
            return self.types[k]
        used = next(iter(uses)) if len(uses) == 1 else ""
        if used == "i1" and self.kinds[k] != "b":
            used = ""  # bool(-2) is a comparison, and no value of i1
        # a cast cuts what such a number has behind the point
        whole = (self.kinds[k] == "f" and used not in FLOATS)
        return used if used and not whole else {"b": "i1", "i": "i64", "f": "f64"}[self.kinds[k]]

    def written(self, text: str, declared: Sequence[str]) -> str:
        if "\1" not in text:
            return text
        first, *parts = text.split("\1")
        for part in parts:
            use, _, rest = part.partition("\2")
            k, _, type = use.partition(":")
            first += convert(self.names[int(k)], declared[int(k)], type) + rest
        return first

    def guards(self, texts: List[str]) -> List[Tuple[str, bool, str]]:
        """Where a whole number is several types, it must be a value of each of them."""
        if "i" not in self.kinds:
            return []
        _, declared = self.replace(texts)
        found = []
        for k, name in enumerate(self.users):
            uses = {part.partition("\2")[0].partition(":")[2] for text in texts
                    for part in text.split("\1")[1:] if part.startswith(f"{k}:")}
            if self.kinds[k] == "i" and declared[k] == "i64":
                found += [(name, f"\1{k}:i64\2", use)
                          for use in sorted(uses - {"i64"}) if use in INTEGERS]
        t = Text()
        for name, text, use in found:
            t.guard(Value(text, "i64"), use, f"operand {name}: the number is no value of {use}")
        return t.guards


def _needed(statements: Sequence[Tuple[str, str]], texts: Sequence[str]) -> List[Tuple[str, str]]:
    """The statements that these read, in order."""
    read = names_in(*texts)
    kept = []
    for name, text in reversed(statements):
        if name in read:
            kept.append((name, text))
            read |= names_in(text)
    return kept[::-1]


def _guard(guards: Sequence[Tuple[str, bool, str]]) -> str:
    """The number of the first guard that fails, from 1 on, as one i32; 0: none."""
    text = "i32(0)"
    for k in range(len(guards), 0, -1):
        condition, has_dimensions, _ = guards[k - 1]
        text = f"select({f'any({condition})' if has_dimensions else condition}, i32({k}), {text})"
    return text


def write(t: Text, named: Sequence[Tuple[str, Value]], weak: Weak,
          ranks: Sequence[int]) -> Tuple[str, Optional[str], Tuple[str, ...], bool]:
    results = [value.text for _, value in named]
    main = _needed(t.statements, results)
    t.computed.update(name for name, _ in main)
    # what nobody reads may raise, too
    said = [text for _, text in t.statements] + results + [condition
                                                           for condition, _, _ in t.guards]
    guards = t.guards + weak.guards(said)
    check = [_guard(guards)] if guards else []
    checked = _needed(t.statements, check) if check else []
    texts = [text for _, text in main] + results + [text for _, text in checked] + check
    several, declared = weak.replace(texts + said)
    texts = several[:len(texts)]
    heads = [f"{name}: {element}[{','.join('?' * rank)}]"
             for name, element, rank in zip(weak.names, declared, ranks)]
    lines = iter(texts)
    body = [f"{name} = {next(lines)}" for name, _ in main]
    for name, _ in named:
        plain = (name.isascii() and name.isidentifier() and len(name) <= 60
                 and name not in weak.names)
        line = next(lines)
        body.append(f"{name} = {line}" if plain and line != name else line)
    other = [f"{name} = {next(lines)}" for name, _ in checked] + list(lines)
    about_all = t.guards_all or len(guards) > len(t.guards)
    return ("; ".join(heads + body), "; ".join(heads + other) if check else None,
            tuple(sentence for _, _, sentence in guards), about_all)

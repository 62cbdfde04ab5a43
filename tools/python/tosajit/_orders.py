# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""In which order NumPy lays new arrays: that of the operands, called K. In: what is computed of
what. Out: a list of steps, which layout.c takes with each call, for it depends on strides and
sizes."""
from __future__ import annotations

TYPE_CHECKING = False  # module typing takes longer to load than everything else here
if TYPE_CHECKING:
    from typing import Any, Dict, List, Optional, Sequence, Tuple

C = -1  # the order of what is not known: the last dimension is innermost
OPERAND, JOIN, VIEW, TAKE = range(4)
_MOST_STEPS, _MOST_RANK = 24, 16  # LAYOUT_STEPS
_NOTHING = -1 << 63  # a bound that is not given
_WHOLE = (_NOTHING, _NOTHING, 1)


class Orders:
    """Arrays as numbers: two of one number have one order. `notes` say by the texts of values how
    these are made, and `by_text` has what comes of it, which is asked for where a result has
    several dimensions."""

    def __init__(self) -> None:
        self.steps: List[Tuple[Any, ...]] = []
        self.known: Dict[Tuple[Any, ...], int] = {}
        self.notes: Dict[str, Tuple[Any, ...]] = {}
        self.by_text: Dict[str, int] = {}

    def order(self, of: Any, operands: Sequence[str]) -> int:
        """Of a text, or of a note."""
        for k, name in enumerate(operands):
            if name not in self.by_text:
                self.by_text[name] = self.operand(k)
        for text, note in self.notes.items():  # each behind its parts
            if text not in self.by_text:
                self.by_text[text] = self.made(note)
        return self.made(of)

    def made(self, note: Any) -> int:
        if isinstance(note, (str, int)):
            return self.by_text.get(note, C) if isinstance(note, str) else note
        how, part, *rest = note
        return how(self, [self.made(one) for one in part] if isinstance(part, list)
                   else self.made(part), *rest)

    def step(self, *step: Any) -> int:
        found = self.known.get(step)
        if found is None:
            found = self.known[step] = len(self.steps)
            self.steps.append(step)
        return found

    def operand(self, k: int) -> int:
        return self.step(OPERAND, k)

    def join(self, parts: Sequence[int]) -> int:
        """The order of a value that is computed from these parts element by element."""
        own = dict.fromkeys(parts)
        if C in own or not own:
            return C
        held = {part for k in own if self.steps[k][0] == JOIN for part in self.steps[k][1:]}
        left = [k for k in own if k not in held]  # what a part is made of already says no more
        return (left[0] if len(left) == 1 and self.steps[left[0]][0] == JOIN
                else self.step(JOIN, *left))

    def same(self, part: int) -> int:
        return part

    def view(self, part: int, axes: Sequence[Tuple[int, int, int, int]]) -> int:
        """Of each dimension: which one of the part's it is, or -1, and the range."""
        return C if part == C else self.step(VIEW, part, tuple(axes))

    def reduced(self, part: int, rank: int, axes: Sequence[int], keepdims: bool) -> int:
        kept = [(-1 if k in axes else k, *_WHOLE) for k in range(rank) if keepdims or k not in axes]
        return self.view(self.join([part]), kept)

    def taken(self, parts: Sequence[int]) -> int:
        """x[i]."""
        return C if C in parts else self.step(TAKE, *parts)

    def turned(self, part: int, order: Sequence[int]) -> int:
        return self.view(part, [(k, *_WHOLE) for k in order])

    def subscript(self, part: int, items: Sequence[Any]) -> int:
        axes, k = [], 0
        for item in items:
            if isinstance(item, slice):
                axes.append((k, *[_NOTHING if bound is None
                                  else max(-_MOST_SIZE, min(_MOST_SIZE, bound))
                                  for bound in (item.start, item.stop)],
                             1 if item.step is None else max(-_MOST_SIZE,
                                                             min(_MOST_SIZE, item.step))))
            elif item is None:
                axes.append((-1, *_WHOLE))
            k += item is not None
        return self.view(part, axes)

    def program(self, part: int) -> Optional[bytes]:
        """Numbers of 64 bits: whether it is not C's order for operands that have that, and steps;
        nothing where it always is."""
        needed, stack = set(), [part]
        while stack:
            k = stack.pop()
            if k == C or k in needed:
                continue
            needed.add(k)
            step = self.steps[k]
            stack += [] if step[0] == OPERAND else [step[1]] if step[0] == VIEW else step[1:]
        if part == C or len(needed) > _MOST_STEPS:
            return None
        at: Dict[int, int] = {}
        turns = False
        numbers: List[int] = []
        for k in sorted(needed):  # parts come before what is made of them
            what, *rest = self.steps[k]
            at[k] = len(at)
            if what == OPERAND:
                numbers += [OPERAND, *rest]
            elif what == JOIN:
                numbers += [JOIN, len(rest), *[at[part] for part in rest]]
            elif what == TAKE:
                numbers += [TAKE, *[at[part] for part in rest]]
            else:
                origins = [axis[0] for axis in rest[1] if axis[0] >= 0]
                turns = turns or origins != sorted(origins)
                if len(rest[1]) > _MOST_RANK:
                    return None
                numbers += [VIEW, at[rest[0]], len(rest[1]), *[n for axis in rest[1] for n in axis]]
        return b"".join([n.to_bytes(8, "little", signed=True) for n in (int(turns), *numbers)])


_MOST_SIZE = 1 << 48

# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where elements are. In: values, and numbers of a text. Out: values whose elements are those in
another order, or with other dimensions; and which of NumPy's dimensions is which of the
language's."""
from __future__ import annotations

from ._arithmetic import DIM, GAP, ONE, Text, Value

TYPE_CHECKING = False  # module typing takes longer to load than everything else here
if TYPE_CHECKING:
    from typing import Any, List, Sequence, Tuple


def at_places(value: Value) -> List[int]:
    """Where NumPy's dimensions are among those that the language sees."""
    return [k for k, place in enumerate(value.places) if place]


class Views(Text):
    """Functions that move elements, and those that drop dimensions. A dimension that NumPy has
    dropped stays as a GAP for as long as it can: so what is reduced again keeps its order, and only
    results lose it."""

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
        text = f"squeeze({value.text}, {listed(gaps)})"
        return Value(text, value.type, value.weak,
                     places=tuple(place for place in value.places if place))

    def array(self, value: Value) -> Value:
        """The value as an array: with a type of its own, as views make them."""
        if value.number is not None or value.operand is not None:
            return self.typed(value, self.common(value))
        return Value(value.text, value.type, places=value.places)

    def aligned(self, values: Sequence[Value]) -> List[Value]:
        """The values with their gaps in the same places, so that they broadcast as NumPy's do."""
        for value in values:
            if GAP in value.places:
                break
        else:
            return list(values)
        behind = [_gaps_behind(value) for value in values]
        most = [max((gaps[k] for gaps in behind if k < len(gaps)), default=0)
                for k in range(max(map(len, behind)))]
        spread = [self.spread(value, gaps, most) for value, gaps in zip(values, behind)]
        longest = max((len(value.places) for value in spread if DIM in value.places), default=0)
        # one element is beside any other, wherever its dimensions are
        for k, value in enumerate(values):
            if (DIM not in value.places and len(spread[k].places) <= longest
                and value.number is None):
                spread[k] = Value(value.text, value.type, value.weak, places=spread[k].places,
                                  operand=value.operand, fits=value.fits)
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
        return Value(f"{self.array(value).text}[{', '.join(parts)}]", value.type, value.weak,
                     places=tuple(places))

    @staticmethod
    def joint(values: Sequence[Value]) -> Tuple[int, ...]:
        """The places of what is computed of aligned values, element by element."""
        several = {value.places for value in values}
        several.discard(())
        if len(several) < 2:
            return several.pop() if several else ()
        longest = max(map(len, several))
        columns = [[value.places[-k] for value in values if k <= len(value.places)]
                   for k in range(longest, 0, -1)]
        return tuple(GAP if not any(column) else DIM if DIM in column else ONE
                     for column in columns)

    # ------------------------------------------------------------------------------------------
    # Functions

    def transpose(self, value: Value, order: Sequence[int]) -> Value:
        at, places = at_places(value), list(value.places)
        perms = list(range(len(places)))
        for to, origin in zip(at, order):
            perms[to], places[to] = at[origin], value.places[at[origin]]
        if perms == sorted(perms):
            return value
        return Value(f"transpose({value.text}, {listed(perms)})", value.type, value.weak,
                     places=tuple(places))

    def flip(self, value: Value, axes: Sequence[int]) -> Value:
        at = at_places(value)
        if not axes:
            return value
        return Value(f"flip({value.text}, {listed([at[axis] for axis in axes])})", value.type,
                     value.weak, places=value.places)

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
        # which may leave nothing
        self.guards_all |= any(isinstance(item, slice) and item != slice(None) for item in items)
        text = value.text if set(parts) <= {":"} else f"{value.text}[{', '.join(parts)}]"
        if value.text in self.moved:
            self.moved.add(text)
        return Value(text, value.type, value.weak, places=tuple(places))

    def needs_elements(self, value: Value, at: Sequence[int], sentence: str) -> None:
        """Of no elements there is no greatest one, wherever one of these dimensions is empty, also
        where the result is."""
        value = self.name(value)
        count = f"f32({value.text})"
        # of one element is left along the others
        for k in [k for k in range(len(value.places)) if k not in at] + [at[0]]:
            count = f"reduce_count({count}, axis={k})"
        if len(at) > 1:
            count = f"sum({count}, axis={listed(at[1:])}, keepdims=True)"
        self.guards.append((f"({count} == f32(0))", True, sentence))

    def reshape(self, value: Value, shape: List[int]) -> Value:
        value = self.dense(value)
        return Value(f"reshape({value.text}, {listed(shape)})", value.type, value.weak,
                     places=(DIM,) * len(shape))

    def squeeze(self, value: Value, axes: Sequence[int]) -> Value:
        at, places = at_places(value), list(value.places)
        if all(places[at[axis]] == ONE for axis in axes):
            for axis in axes:
                places[at[axis]] = GAP
            return Value(value.text, value.type, value.weak, places=tuple(places))
        value = self.dense(value)
        places = [place for k, place in enumerate(value.places) if k not in axes]
        return Value(f"squeeze({value.text}, {listed(axes)})", value.type, value.weak,
                     places=tuple(places))

    def tile(self, value: Value, times: List[int]) -> Value:
        value = self.dense(value)
        times = [1] * (value.rank - len(times)) + times
        new: List[Any] = [None] * (len(times) - value.rank)
        value = self.subscript(value, new + [slice(None)] * value.rank) if new else value
        if not any(n > 1 for n in times):
            return value
        return self.name(Value(f"tile({value.text}, {listed(times)})", value.type, value.weak,
                               places=(DIM,) * len(times)))

    def broadcast_to(self, value: Value, shape: List[int]) -> Value:
        value = self.dense(value)
        if not shape:
            return value
        return Value(f"broadcast_to({value.text}, {listed(shape)})", value.type, value.weak,
                     places=(DIM,) * len(shape))

    def concatenate(self, values: Sequence[Value], axis: int) -> Value:
        dtype = self.common(*values)
        values = [self.dense(self.typed(value, dtype)) for value in values]
        if len(values) == 1:
            return values[0]
        parts = ", ".join(value.text for value in values)
        return self.name(Value(f"concat({parts}, axis={axis})", dtype,
                               places=(DIM,) * values[0].rank))

    def pad(self, value: Value, padding: List[int], element: Value) -> Value:
        value = self.dense(value)
        if not any(padding):
            return value
        element = self.dense(self.typed(element, value.type))
        return self.name(Value(f"pad({value.text}, {element.text}, {listed(padding)})", value.type,
                               places=(DIM,) * value.rank))


def place_dimensions(at: Sequence[int], axes: Sequence[int]) -> List[int]:
    """The dimensions of a text in which argmax counts, neighbours: gaps among them have one
    element."""
    found = [at[axis] for axis in axes]
    return list(range(min(found), max(found) + 1))


def listed(numbers: Sequence[int]) -> str:
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

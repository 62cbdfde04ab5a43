# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs: a host's names for values become numbers, which the library divides."""
from __future__ import annotations

from array import array
from collections import namedtuple

from ._tosajit import ArgumentError, partition as _partition

TYPE_CHECKING = False  # module typing takes longer to load than everything else here
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, Hashable, Iterable, List, NamedTuple, NoReturn, Optional, Tuple

    class Node(NamedTuple):
        reads: Iterable[Hashable]
        gives: Iterable[Hashable]
        member: bool = True
        view: bool = False
else:
    Node = namedtuple("Node", "reads gives member view", defaults=(True, False))
    Node.__doc__ = """An operation of a host's graph. Any tuple of these two to four will do.

    Parameters
    ----------
    reads, gives : iterable of hashable
        Values, by names or numbers.
    member : bool, optional
        Whether a kernel may have it.
    view : bool, optional
        Whether it moves elements and computes none.

    Examples
    --------
    >>> import tosajit
    >>> tosajit.Node(["a"], ["b"])
    Node(reads=['a'], gives=['b'], member=True, view=False)
    """


def _refuse(sentence: str) -> NoReturn:
    error = ArgumentError("partition: " + sentence)
    error.status = "TOSAJIT_INVALID_ARGUMENT"
    raise error


def _values(what: str, values: Iterable[Hashable]) -> Iterable[Hashable]:
    if isinstance(values, (str, bytes)):
        _refuse(f"{what} is {values!r}, which would be a value for each letter; make it a list")
    return values


def _node(k: int, node: Any) -> Tuple[Iterable[Hashable], Iterable[Hashable], bool, bool]:
    try:
        reads, gives, member, view = Node(*node)
    except TypeError:
        _refuse(f"node {k} is {node!r}, not (reads, gives) or (reads, gives, member, view)")
    return _values(f"what node {k} reads", reads), _values(f"what node {k} gives",
                                                           gives), member, view


def partition(
    nodes: Iterable[Any],
    *,
    kept: Iterable[Hashable] = (),
    constants: Iterable[Hashable] = (),
    most_ops: int = 0,
    most_tensors: int = 0,
    accepts: Optional[Callable[[List[int]], bool]] = None,
) -> List[List[int]]:
    """Divide a graph into regions, each of which can be one kernel.

    Parameters
    ----------
    nodes : iterable of Node or tuple
        (reads, gives), (reads, gives, member) or (reads, gives, member, view). Each stands behind
        those whose values it reads. A value is anything that can be a key of a dict.
    kept : iterable, optional
        Values that something else reads, too, such as results of the model.
    constants : iterable, optional
        Values that are the same in all calls.
    most_ops, most_tensors : int, optional
        The most of a region; 0: the library's limits.
    accepts : function, optional
        Of a list of indices: whether a kernel can have these.

    Returns
    -------
    list of list of int
        Regions, by indices of nodes.

    Raises
    ------
    tosajit.ArgumentError
        A node is no such tuple, or gives what another one gives.

    Examples
    --------
    >>> import tosajit
    >>> model = [(["a"], ["e"]), (["e", "w"], ["m"], False), (["m"], ["s"]), (["s"], ["y"])]
    >>> tosajit.partition(model, kept=["y"])
    [[0], [2, 3]]
    """
    numbers: Dict[Hashable, int] = {}
    members, views = bytearray(), bytearray()
    operands, first, producers = array("i"), array("i", [0]), array("i")

    def number(value: Hashable) -> int:
        known = numbers.setdefault(value, len(numbers))
        if known == len(producers):
            producers.append(-1)
        return known

    for k, node in enumerate(nodes):
        reads, gives, member, view = _node(k, node)
        operands.extend(map(number, reads))
        first.append(len(operands))
        members.append(bool(member))
        views.append(bool(view))
        for value in gives:
            if value in numbers:
                giver = producers[numbers[value]]
                _refuse(f"node {k} gives {value!r}, " +
                        (f"and so does node {giver}" if giver >= 0 else "which was read before"))
            producers[number(value)] = k
    marked = [set(map(number, _values("kept", kept))),
              set(map(number, _values("constants", constants)))]
    flags = [bytes(k in values for k in range(len(producers))) for values in marked]
    heads = array("i", bytes(4 * len(members)))
    _partition(members=members, operands=operands, first_operand=first, producers=producers,
               kept=flags[0], constants=flags[1], views=views, most_ops=most_ops,
               most_tensors=most_tensors,
               accepts=accepts, regions=heads)
    regions: Dict[int, List[int]] = {}
    for k, head in enumerate(heads):
        if head >= 0:
            regions.setdefault(head, []).append(k)
    return list(regions.values())

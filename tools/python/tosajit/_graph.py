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
        duplicated: bool = False
else:
    Node = namedtuple("Node", "reads gives member view duplicated", defaults=(True, False, False))
    Node.__doc__ = """An operation of a host's graph. Any tuple of these two to five will do.

    Parameters
    ----------
    reads, gives : iterable of hashable
        Values, by names or numbers.
    member : bool, optional
        Whether a kernel may have it.
    view : bool, optional
        Whether it moves elements and computes none.
    duplicated : bool, optional
        Whether it costs nothing, such as a view of memory. It is in no region; whatever reads its
        values reads what it reads.

    Examples
    --------
    >>> import tosajit
    >>> tosajit.Node(["a"], ["b"])
    Node(reads=['a'], gives=['b'], member=True, view=False, duplicated=False)
    """


def _refuse(sentence: str) -> NoReturn:
    error = ArgumentError("partition: " + sentence)
    error.status = "TOSAJIT_INVALID_ARGUMENT"
    raise error


def _values(what: str, values: Iterable[Hashable]) -> Iterable[Hashable]:
    if isinstance(values, (str, bytes)):
        _refuse(f"{what} is {values!r}, which would be a value for each letter; make it a list")
    return values


def _node(k: int, node: Any) -> Node:
    try:
        found = Node(*node)
    except TypeError:
        _refuse(
            f"node {k} is {node!r}, not (reads, gives) or (reads, gives, member, view, duplicated)")
    _values(f"what node {k} reads", found.reads)
    _values(f"what node {k} gives", found.gives)
    return found


def partition(
    nodes: Iterable[Any],
    *,
    kept: Iterable[Hashable] = (),
    constants: Iterable[Hashable] = (),
    read_once: Iterable[Hashable] = (),
    most_ops: int = 0,
    most_tensors: int = 0,
    accepts: Optional[Callable[[List[int]], bool]] = None,
) -> List[List[int]]:
    """Divide a graph into regions, each of which can be one kernel.

    Parameters
    ----------
    nodes : iterable of Node or tuple
        (reads, gives), and what else a Node has. Each stands behind those whose values it reads. A
        value is anything
        that can be a key of a dict.
    kept : iterable, optional
        Values that something else reads, too, such as results of the model.
    constants : iterable, optional
        Values that are the same in all calls.
    read_once : iterable, optional
        Values that are large. Regions that read one of them become one, where they can.
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
    members, views, duplicated = bytearray(), bytearray(), bytearray()
    operands, first, producers = array("i"), array("i", [0]), array("i")

    def number(value: Hashable) -> int:
        known = numbers.setdefault(value, len(numbers))
        if known == len(producers):
            producers.append(-1)
        return known

    for k, node in enumerate(nodes):
        found = _node(k, node)
        operands.extend(map(number, found.reads))
        first.append(len(operands))
        members.append(bool(found.member))
        views.append(bool(found.view))
        duplicated.append(bool(found.duplicated))
        for value in found.gives:
            if value in numbers:
                giver = producers[numbers[value]]
                _refuse(f"node {k} gives {value!r}, " +
                        (f"and so does node {giver}" if giver >= 0 else "which was read before"))
            producers[number(value)] = k
    marked = [
        set(map(number, _values(what, values)))
        for what, values in (("kept", kept), ("constants", constants), ("read_once", read_once))
    ]
    flags = [bytes(k in values for k in range(len(producers))) for values in marked]
    heads = array("i", bytes(4 * len(members)))
    _partition(members=members,
               operands=operands,
               first_operand=first,
               producers=producers,
               kept=flags[0],
               constants=flags[1],
               views=views,
               duplicated=duplicated,
               read_once=flags[2],
               most_ops=most_ops,
               most_tensors=most_tensors,
               accepts=accepts,
               regions=heads)
    regions: Dict[int, List[int]] = {}
    for k, head in enumerate(heads):
        if head >= 0:
            regions.setdefault(head, []).append(k)
    return list(regions.values())

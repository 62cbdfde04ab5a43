# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A function of jit, traced for operands of some types. Out: its kernel, and what becomes of the
kernel's results."""
from __future__ import annotations

import functools
import sys

from ._array import DTYPES, Array, Lasting, Left, Number, Trace
from ._jit import LEAF, Watched, _Static, _copied, _records, flatten, unflatten
from ._names import seen
from ._steps import Steps, run_kernel
from ._tosajit import Error

TYPE_CHECKING = False  # module typing takes longer to load than everything else here
if TYPE_CHECKING:
    from typing import Any, Dict, List, Optional, Sequence, Tuple


def _kind(a: Any) -> str:
    return {bool: "b", int: "i", float: "f"}.get(type(a), "")


def _is_plain(tree: Any) -> bool:
    """True if nothing among arguments can run a function."""
    if isinstance(tree, _Static):
        return isinstance(tree.a, (str, bytes, type(None), int, float))
    kinds = (tuple, list, dict, slice)
    if tree is LEAF or not isinstance(tree, tuple):
        return True
    if tree and isinstance(tree[0], type):
        return tree[0] in kinds and all(map(_is_plain, tree[-1]))
    return all(map(_is_plain, tree))


def _names(jit: Any, tree: Any, count: int) -> List[str]:
    """Parameters, where each is one operand; the captured by their names."""
    parts = tree[0][1]
    plain = ([name for name, part in zip(jit.parameters, parts) if part is LEAF]
             if len(parts) == len(jit.parameters) else [])
    found = plain if len(plain) == count else [f"operand_{k}" for k in range(count)]
    names: List[str] = []
    for name in [*found, *jit.around.names]:
        while name in names:
            name += "_"
        names.append(name)
    return names


class Tracing:
    """One trace of a function."""

    def __init__(self, jit: Any, tree: Any, count: int, operands: Sequence[Any],
                 types: Sequence[str], sizes: Sequence[Tuple[int, ...]]):
        self.jit, self.tree, self.count, self.operands, self.types, self.sizes = jit, tree, count, operands, types, sizes
        self.trace: Optional[Trace] = None
        self.steps: Any = None
        self.kernels: List[Any] = []
        self.why = ""  # no kernel computes it

    def run(self, cut: bool) -> Any:
        """The function's result for arrays without elements."""
        weak = [_kind(a) for a in self.operands]
        if any(own not in DTYPES and hasattr(a, "dtype") and hasattr(a, "__array_interface__")
               for a, own in zip(self.operands, self.types)):
            raise Left("NumPy's arrays of bf16 and f8 are others'")
        if len(self.operands) > 60:
            raise Left("it has more operands than a kernel")
        numpy = sys.modules.get("numpy")
        scalars = {k: a for k, a in enumerate(self.operands) if numpy is not None
                   and isinstance(a, numpy.generic)}
        t = self.trace = Trace(_names(self.jit, self.tree, self.count), self.types, weak,
                               [len(s) for s in self.sizes], self.sizes, scalars,
                               self.jit.loose)
        if (numpy is not None and all(how or type(a) is numpy.ndarray
                                      or isinstance(a, numpy.generic)
                                      for a, how in zip(self.operands, weak))):
            self.steps = t.steps = Steps(t, self.jit.engine, self.operands)
            t.cut = cut
        for a, own in zip(self.operands, t.arrays):
            if own is not None:
                own.stays = numpy is None or not isinstance(a, numpy.generic)
        given = [Number(t, t.weak_value(k), a, {k}) if how else t.arrays[k]
                 for k, (a, how) in enumerate(zip(self.operands, weak))]
        leaves = iter(given[:self.count])
        args, keywords, around = (unflatten(part, leaves) for part in self.tree)
        before: List[Any] = []
        tree = (flatten(args, before), flatten(keywords, before), flatten(around, before))
        function = self.jit.around.with_others(self.jit.__wrapped__, given[self.count:], around,
                                               functools.partial(seen, t))
        if _is_plain(self.tree) and self.jit.around.is_plain:
            result = function(*args, **keywords)
        else:
            watched = Watched(self.jit.around, _records(self.tree))
            with watched:
                result = function(*args, **keywords)
            if watched.other:
                raise Lasting(f"a function that it calls, {watched.other}, reads what may change")
        after: List[Any] = []
        if (tree != (flatten(args, after), flatten(keywords, after), flatten(around, after))
            or any(a is not b for a, b in zip(before, after))):
            raise Left("it changes an object that it is given")
        return result

    def asked(self) -> Optional[Tuple[Any, ...]]:
        """Numbers for which alone this holds."""
        assert self.trace is not None
        return (tuple(a if k in self.trace.asked else None for k, a in enumerate(self.operands))
                if self.trace.asked else None)

    def made(self) -> Any:
        """The tuple that function.c keeps."""
        try:
            made = self.make(False)
        except Error:
            if self.steps is None:
                raise
            made = self.make(True)  # in several kernels
        assert self.trace is not None
        if not self.trace.text.computed.issuperset(self.trace.text.taken):
            raise Left("an index may be out of bounds of which no result needs an element")
        return made

    def make(self, cut: bool) -> Any:
        result = self.run(cut)
        t = self.trace
        assert t is not None
        if t.views:
            raise Left("a view of an array is changed")
        if t.sized and self.steps is not None and self.steps.free:
            raise Left("it asks how many elements there are, which elements decide")
        leaves: List[Any] = []
        shape = flatten(result, leaves)
        results, places = self.results(leaves)
        if (not t.loose and (any(what == "constant" for what, _ in self.steps.steps)
                             if self.steps is not None else t.extras)):
            self.compare(cut)
        written = list(t.written)
        results += [t.written[k] for k in written]
        if not results:
            raise Left("no result is an array that it computes")
        if self.steps is not None and any(what != "constant" for what, _ in self.steps.steps):
            return self.in_steps(results, shape, places, written)
        text, guard, sentences, for_all = t.write(results)
        t.sized = t.sized or not t.is_read([text])
        engine = self.jit.engine
        kernel = engine.compile(text) if written else engine._quick(text)
        self.kernels = [kernel]
        kernel._layouts = t.laid(results)
        checks = engine._quick(guard) if guard else None
        finish = None
        if written:
            step = (kernel, checks, for_all, len(t.names))
            finish = functools.partial(self.write_back, [step], shape, places, written)
        elif not self.is_plain(shape, places, results):
            finish = functools.partial(self.finish, shape, places, len(results))
        return (None if written else kernel, tuple(t.extras) or None, finish, self.asked(),
                t.for_sizes, checks if not written else None,
                sentences, for_all)

    def compare(self, cut: bool) -> None:
        """Arrays that a function makes itself must be the same in each call, which those of a
        generator are not."""
        again = Tracing(self.jit, self.tree, self.count, self.operands, self.types, self.sizes)
        again.run(cut)
        assert self.trace is not None and again.trace is not None
        mine, theirs = self.trace.extras, again.trace.extras
        if (len(mine) != len(theirs) or any(a is not b
                                            and (a.dtype != b.dtype or a.shape != b.shape
                                                 or a.tobytes() != b.tobytes())
                                            for a, b in zip(mine, theirs))):
            raise Left("it makes arrays that are others each time")

    def in_steps(self, results: List[Array], shape: Any, places: Any,
                 written: Sequence[int]) -> Any:
        """Kernels and calls of NumPy's, one after the other."""
        t = self.trace
        assert t is not None
        self.steps.compute(results)
        if self.steps.guarded < len(t.text.guards):
            raise Left("what may raise is no part of a result")
        self.kernels = self.steps.kernels
        t.sized = t.sized or not t.is_read([kernel.text for kernel in self.kernels])
        at = [self.steps.place(a) for a in results]
        finish = functools.partial(self.run_steps, shape, places, at, written)
        return (None, None, finish, self.asked(), t.for_sizes, None, None, False)

    @staticmethod
    def apart(results: Sequence[Any], operands: Any) -> List[Any]:
        """Results with memory of their own, as kernels' have: a register may be an operand, a view
        of one, or another result."""
        import numpy
        held = [a for a in operands if isinstance(a, numpy.ndarray)]
        found: List[Any] = []
        for a in results:
            if isinstance(a, numpy.ndarray):
                a = a.copy() if any(numpy.may_share_memory(a, other) for other in held) else a
                held.append(a)
            found.append(a)
        return found

    def run_steps(self, shape: Any, places: Any, at: Any, written: Sequence[int], made: Any,
                  operands: Any, out: Any) -> Any:
        plain = lambda: self.jit.plain(self.tree, operands[:self.count], out)
        if written and not self.is_alone(written, operands):
            return plain()
        try:
            registers = self.steps.run(operands)
        except Exception:  # NumPy says it
            return plain()
        import numpy
        results = self.apart([registers[k] for k in at], operands)
        changed = list(zip(written, results[len(results) - len(written):]))
        if any(operands[k].shape != result.shape for k, result in changed):
            return plain()
        for k, result in changed:
            numpy.copyto(operands[k], result, casting="unsafe")
        found = self.finish(shape, places, 2, results, operands, None)
        return found if out is None else _copied(out, found)

    @staticmethod
    def is_plain(shape: Any, places: Sequence[Any], results: Sequence[Array]) -> bool:
        """True if the kernel's results are the function's results as they are."""
        if shape is LEAF:
            return places[0] == ("result", 0)
        return (isinstance(shape, tuple) and shape[0] is tuple and len(results) > 1
                and shape[1] == (LEAF,) * len(results)
                and list(places) == [("result", k) for k in range(len(results))]
                and all(a.value.rank for a in results))

    def results(self, leaves: Sequence[Any]) -> Tuple[List[Array], List[Tuple[str, Any]]]:
        """The arrays that a kernel must compute, and the source of each leaf."""
        t = self.trace
        assert t is not None
        results: List[Array] = []
        places: List[Tuple[str, Any]] = []
        for leaf in leaves:
            if isinstance(leaf, Number):
                leaf = leaf.ask()
            if not isinstance(leaf, Array):
                places.append(("constant", leaf))
                continue
            if leaf.mask is not None:
                raise Left("elements where a mask is true are a result")
            if leaf.operand is not None and leaf.operand < t.count:
                places.append(("operand", leaf.operand))
                continue
            k = next((k for k, other in enumerate(results) if other is leaf), len(results))
            if k == len(results):
                results.append(leaf)
            places.append(("python" if leaf.python else "array" if leaf.stays and not leaf.ndim
                           else "result", k))
        return results, places

    # --------------------------------------------------------------------------------------------
    # Behind the kernel

    @staticmethod
    def finish(shape: Any, places: Sequence[Tuple[str, Any]], count: int, made: Any,
               operands: Sequence[Any], out: Any) -> Any:
        if out is not None and shape is LEAF or isinstance(out, tuple):
            return out
        several = made if count > 1 else (made,)
        import numpy
        found = []
        for how, what in places:
            if how == "operand":
                found.append(operands[what])
            elif how == "python":
                found.append(several[what].item())
            elif how == "array":
                found.append(numpy.asarray(several[what]))
            elif how == "result":
                a = several[what]
                found.append(a[()] if isinstance(a, numpy.ndarray) and a.ndim == 0 else a)
            else:
                found.append(what.copy() if isinstance(what, numpy.ndarray) else what)
        return unflatten(shape, iter(found))

    @staticmethod
    def is_alone(written: Sequence[int], operands: Any) -> bool:
        """True if a changed operand shares no memory with another operand."""
        import numpy
        targets = [operands[k] for k in written]
        return all(type(a) is numpy.ndarray and a.flags.writeable for a in targets) and not any(
            i != j and numpy.may_share_memory(a, b) for i, a in zip(written, targets) for j, b in enumerate(operands) if isinstance(b, numpy.ndarray))

    def write_back(self, steps: Any, shape: Any, places: Any, written: Sequence[int], made: Any,
                   operands: Any, out: Any) -> Any:
        """Operands that the function has changed are changed when all is computed."""
        import numpy
        t = self.trace
        assert t is not None
        if not self.is_alone(written, operands):
            return self.jit.plain(self.tree, operands[:self.count], out)
        try:
            several = run_kernel(steps[0], (*operands, *t.extras))
        except Exception:
            return self.jit.plain(self.tree, operands[:self.count], out)
        changed = list(zip(written, several[len(several) - len(written):]))
        if any(operands[k].shape != result.shape for k, result in changed):
            return self.jit.plain(self.tree, operands[:self.count], out)
        for k, result in changed:
            numpy.copyto(operands[k], result, casting="unsafe")
        found = self.finish(shape, places, 2, several, operands, None)
        return found if out is None else _copied(out, found)


def explained(jit: Any, tree: Any, leaves: Sequence[Any]) -> str:
    """Of the last trace that a call like this would take."""
    lines = []
    described, tracing = jit.made[-1]
    if tracing.why:
        lines.append(f"{jit.__qualname__}({described}): NumPy computes it, as it is written: "
                     f"{tracing.why}")
    for kernel in tracing.kernels:
        lines.append(f"{jit.__qualname__}({described}): "
                     f"{'one' if len(tracing.kernels) == 1 else 'a'} kernel, {kernel.computes}")
        lines.append(kernel.text or "")
    if tracing.steps is not None and tracing.steps.calls and not tracing.why:
        lines.append(f"NumPy computes {', '.join(dict.fromkeys(tracing.steps.calls))}")
    return "\n".join(lines)

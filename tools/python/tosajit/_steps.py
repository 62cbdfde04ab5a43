# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A function that is several kernels, with calls of NumPy's functions between them. They run once
while the function is traced, and again, in their order, with each call."""
from __future__ import annotations

from ._array import TYPES, Array, Left, Number, Trace, left
from ._jit import LEAF, _Static, flatten, unflatten

TYPE_CHECKING = False  # module typing takes longer to load than everything else here
if TYPE_CHECKING:
    from typing import Any, Dict, List, Optional, Sequence, Tuple

# Functions that change their arguments.
_CHANGES = {"put", "place", "copyto", "putmask", "fill_diagonal", "shuffle", "at", "put_along_axis",
            "setitem", "save", "savez", "savetxt"}
# How many elements these give, sizes tell.
_SIZED = {"matmul", "dot", "vdot", "inner", "tensordot", "einsum", "sort", "argsort", "cumsum",
          "cumprod", "nancumsum", "median", "percentile", "quantile",
          "nanmedian", "cov", "corrcoef", "trace", "diagonal", "gradient", "convolve", "correlate",
          "searchsorted", "digitize", "interp", "argmax",
          "argmin", "nanargmax", "nanargmin", "take", "take_along_axis", "inv", "solve", "det",
          "pinv", "norm", "cholesky", "eigh", "svd", "qr", "kron",
          "cross", "partition", "argpartition", "frexp", "ldexp", "gcd", "lcm", "bitwise_count",
          "spacing", "lexsort", "isin", "piecewise",
          "choose", "pad", "rollaxis", "average", "sum", "prod", "max", "min", "apply_along_axis",
          "vectorize", "delete", "insert",
          "tile", "sliced"}


# Views of what they are given, or arrays of their own, which an array's layout decides; what is not
# among the others may be one, too.
_VIEWS = {"diagonal", "rollaxis", "sliced"}


class Changed(Exception):
    """A call gives something else than it gave when it was traced."""


class Steps:
    """The steps before the last kernel. Registers are operands, then the results of each step."""

    def __init__(self, trace: Trace, engine: Any, operands: Sequence[Any]):
        self.trace, self.engine, self.registers = trace, engine, list(operands)
        self.steps: List[Tuple[str, Any]] = []
        self.calls: List[str] = []
        self.free = False  # how many elements there are depends on elements
        self.views = False  # what NumPy has given may share memory with another array
        self.kernels: List[Any] = []
        self.guarded = 0  # how many guards kernels have seen to

    def note_constant(self, array: Any) -> None:
        self.registers.append(array)
        self.steps.append(("constant", array))

    # --------------------------------------------------------------------------------------------
    # While it is traced

    def place(self, a: Array) -> Optional[int]:
        """The register that has this array."""
        t = self.trace
        k = t.spelled.index(a.value.text) if a.value.text in t.spelled else -1
        return (k if k >= 0 and not t.weak[k] and a.value.type == t.types[k]
                and a.ndim == t.ranks[k] else None)

    def compute(self, several: Sequence[Array]) -> None:
        """Have arrays in registers."""
        t = self.trace
        t.settled()
        todo: List[Array] = []
        for a in several:
            if self.place(a) is None and not any(a is other for other in todo):
                todo.append(a)
        if not todo:
            return
        self.guarded = len(t.text.guards)
        text, guard, _, for_all = t.write(todo)
        kernel, checks = self.engine.compile(text), self.engine.compile(guard) if guard else None
        kernel._layouts = t.laid(todo)
        step = (kernel, checks, for_all, len(self.registers))
        self.kernels.append(kernel)
        self.steps.append(("kernel", step))
        for a, made in zip(todo, run_kernel(step, self.registers)):
            self.registers.append(made)
            held = t.extra(made)
            held.operand = None
            a.value = held.value
            a.sizes = held.sizes

    def call(self, function: Any, args: Any, keywords: Dict[str, Any]) -> Any:
        import numpy
        name = getattr(function, "__name__", "")
        if name in _CHANGES or keywords.get("out") is not None:
            left(f"{name} changes an array")
        leaves: List[Any] = []
        tree = flatten((tuple(args), dict(keywords)), leaves)
        several = [a for a in leaves if isinstance(a, Array)]
        if not several or any(a.mask is not None and name != "getitem" for a in several):
            left(f"{name or function} is no kernel's")
        masked = [a for a in several if a.mask is not None]
        if masked:
            left("elements where a mask is true are an array of their own")
        self.compute(several)
        places: List[Tuple[str, Any]] = []
        for a in leaves:
            if isinstance(a, Array):
                places.append(("register", self.place(a)))
            elif isinstance(a, Number):
                places.append(("value", a.ask()))
            else:
                places.append(("value", a))
        self.free, self.trace.cuts = self.free or name not in _SIZED, True
        made = called(function, tree, places, self.registers)
        found: List[Any] = []
        shape = flatten(made, found)
        kinds = [_kind(a) for a in found]
        self.views = self.views or name not in _SIZED - _VIEWS and name not in ("where", "getitem") or any(
            numpy.may_share_memory(a, other) for a in found for other in self.registers)
        self.steps.append(("call", (function, tree, places, shape, kinds)))
        self.calls.append(name)
        results = []
        for a in found:
            self.registers.append(a)
            held = self.trace.extra(numpy.asarray(a))
            held.operand = None
            results.append(held)
        return unflatten(shape, iter(results))

    # --------------------------------------------------------------------------------------------
    # Later

    def run(self, operands: Sequence[Any]) -> List[Any]:
        """All registers of a call."""
        registers = list(operands)
        for what, step in self.steps:
            if what == "constant":
                registers.append(step)
            elif what == "kernel":
                registers += run_kernel(step, registers)
            else:
                function, tree, places, shape, kinds = step
                found: List[Any] = []
                if (flatten(called(function, tree, places, registers), found) != shape
                    or [_kind(a) for a in found] != kinds):
                    raise Changed
                registers += found
        return registers


def _kind(a: Any) -> Tuple[str, int]:
    import numpy
    if (not isinstance(a, (numpy.ndarray, numpy.generic)) or a.dtype.name not in TYPES
        or type(a) is not numpy.ndarray and not isinstance(a, numpy.generic)):
        left("what a function of NumPy's gives is no array that a kernel reads")
    return a.dtype.name, a.ndim


def called(function: Any, tree: Any, places: Sequence[Tuple[str, Any]],
           registers: Sequence[Any]) -> Any:
    args, keywords = unflatten(tree, iter([registers[value] if how == "register" else value
                                           for how, value in places]))
    return function(*args, **keywords)


def run_kernel(step: Any, registers: Sequence[Any]) -> List[Any]:
    import numpy
    kernel, checks, for_all, count = step
    given = registers[:count]
    if (checks is not None and (for_all or any(0 in numpy.shape(a) for a in given))
        and numpy.any(checks(*given))):
        raise Left("NumPy raises")
    made = kernel(*given)
    return list(made) if isinstance(made, tuple) else [made]

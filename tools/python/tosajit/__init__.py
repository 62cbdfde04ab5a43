# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions and formulas of arrays, compiled into SIMD kernels: one loop, which reads each array
once.

    >>> import numpy as np, tosajit
    >>> x, b = np.zeros((2, 64), np.float32), np.ones((1, 64), np.float32)
    >>> @tosajit.jit
    ... def swish(x, b):
    ...     return x / (1 + np.exp(-(x + b)))
    >>> y = swish(x, b)
    >>> y = tosajit.evaluate("x / (1 + exp(-(x + b)))", x=x, b=b)
    >>> kernel = tosajit.compile("y = x * sigmoid(x + b) : f32[?,64], f32[1,64]")
    >>> y = kernel(x, b)

jit takes a function that is written with NumPy, evaluate a text as numexpr does, compile a text
that has the types. Operands are what has the buffer protocol or DLPack, NumPy's and PyTorch's
arrays among them, and numbers. They are not copied. A result is a NumPy array if an operand is one,
a tensor if one is a tensor, else an Array, which numpy.asarray and torch.from_dlpack take as it is;
out= has the caller's own. Precompiled operations answer at once; what comes again is compiled
meanwhile, and wait() waits for that. An Engine has options: threads, accuracy, a directory for
code.
"""
import atexit as _atexit
import copyreg as _copyreg
import os as _os
import sys as _sys

from . import _texts, _traced  # noqa: F401  # loaded now, so that no first result waits for it
from ._graph import Node, partition
from ._jit import jit
from ._tosajit import (
    ArgumentError,
    Array,
    CompileError,
    ElementTypeError,
    Engine,
    Error,
    IndexOutOfRangeError,
    Function as _Function,
    Kernel,
    OutOfMemoryError,
    ShapeError,
    __version__,
    load,
    quiesce as _quiesce,
)

__all__ = [
    "ArgumentError",
    "Array",
    "CompileError",
    "ElementTypeError",
    "Engine",
    "Error",
    "IndexOutOfRangeError",
    "Kernel",
    "Node",
    "OutOfMemoryError",
    "ShapeError",
    "compile",
    "evaluate",
    "get_num_threads",
    "jit",
    "load",
    "partition",
    "re_evaluate",
    "set_num_threads",
    "threadpool_limits",
    "validate",
    "wait",
]

# Threads may be compiling when the process ends, which LLVM would not survive.
_atexit.register(_quiesce)


def _processors() -> int:
    """How many this process may use."""
    return (len(_os.sched_getaffinity(0)) if hasattr(_os, "sched_getaffinity")
            else _os.cpu_count() or 1)


def _usual_threads() -> int:
    """The number in the environment, as for OpenMP, but at most the number of processors."""
    for name in ("TOSAJIT_NUM_THREADS", "OMP_NUM_THREADS"):
        asked = _os.environ.get(name, "").partition(",")[0].strip()
        if asked.isdigit() and int(asked) > 0:
            return min(int(asked), _processors())
    return _processors()


# It has no threads, and nothing else of the library's, until it is used.
_engine = Engine(threads=_usual_threads(), _lazy=True)
compile = _engine.compile
evaluate = _engine.evaluate
re_evaluate = _engine.re_evaluate
wait = _engine.wait


def validate(ex: str, local_dict=None, global_dict=None, out=None, order="K", casting="same_kind",
             **operands):
    """The exception that `evaluate` would raise, or None; `re_evaluate` computes the text then.

    Parameters
    ----------
    ex : str
        A text of `evaluate`, whose other arguments follow.

    Returns
    -------
    Exception or None

    Examples
    --------
    >>> import numpy as np, tosajit
    >>> x = np.arange(3.0)
    >>> tosajit.validate("2 * x") is None
    True
    >>> tosajit.re_evaluate()
    array([0., 2., 4.])
    >>> type(tosajit.validate("2 * missing_name")).__name__
    'TypeError'
    """
    caller = _sys._getframe(1)
    try:
        evaluate(ex, caller.f_locals if local_dict is None else local_dict,
                 caller.f_globals if global_dict is None else global_dict, out, order, casting,
                 **operands)
    except Exception as error:
        return error
    return None


def get_num_threads() -> int:
    """How many threads compute long runs of kernels.

    Returns
    -------
    int

    Examples
    --------
    >>> import tosajit
    >>> tosajit.get_num_threads() >= 1
    True
    """
    return _engine.threads


def set_num_threads(count: int) -> int:
    """Change `get_num_threads` for kernels that are compiled from now on.

    Parameters
    ----------
    count : int
        At least 1.

    Returns
    -------
    int
        The number until now.

    Raises
    ------
    tosajit.ArgumentError
        It is no such number.

    Examples
    --------
    >>> import tosajit
    >>> before = tosajit.set_num_threads(1)
    >>> tosajit.set_num_threads(before)
    1
    """
    before = _engine.threads
    _engine.threads = count
    return before


class threadpool_limits:
    """`set_num_threads` for a block.

    Parameters
    ----------
    limits : int
        At least 1.

    Examples
    --------
    >>> import tosajit
    >>> with tosajit.threadpool_limits(1):
    ...     tosajit.get_num_threads()
    1
    """

    def __init__(self, limits: int):
        self._before = set_num_threads(limits)

    def __enter__(self) -> "threadpool_limits":
        return self

    def __exit__(self, *exception: object) -> None:
        self.restore_original_limits()

    def restore_original_limits(self) -> None:
        """Do the same as the end of the block.

        Examples
        --------
        >>> import tosajit
        >>> before = tosajit.get_num_threads()
        >>> tosajit.threadpool_limits(1).restore_original_limits()
        >>> tosajit.get_num_threads() == before
        True
        """
        set_num_threads(self._before)


def _usual_engine() -> Engine:
    return _engine


def _engine_of(options: dict) -> Engine:
    return Engine(**options)


def _kernel_of(engine: Engine, text: str) -> Kernel:
    return engine.compile(text)


# Another process compiles anew, for its own CPU. An image has nothing but its code.
_copyreg.pickle(Engine, lambda engine: (_usual_engine, ()) if engine is _engine
                else (_engine_of, (engine.options,)))
_copyreg.pickle(Kernel, lambda kernel: (_kernel_of, (kernel.engine, kernel.text)) if kernel.text
                else (load, (kernel.to_bytes(),)))
_copyreg.pickle(_Function, lambda function: function.__reduce_of__())

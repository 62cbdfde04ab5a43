# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""import tosajit.as_numexpr puts tosajit where others look for numexpr, as pandas does for
DataFrame.eval and query. It has to come before they have imported numexpr.

    >>> import tosajit.as_numexpr
    >>> import numpy as np, numexpr
    >>> x = np.arange(3)
    >>> numexpr.evaluate("2 * x + 1")
    array([1, 3, 5])
"""
import sys
import types
from typing import Any

import tosajit

__all__ = ["detect_number_of_cores", "detect_number_of_threads", "evaluate", "install_as_numexpr",
           "validate"]
__version__ = "2.14.2"  # whose functions these are


def evaluate(ex: str, local_dict: Any = None, global_dict: Any = None, out: Any = None,
             order: str = "K", casting: str = "same_kind",
             sanitize: Any = None, _frame_depth: int = 3, **operands: Any) -> Any:
    """numexpr.evaluate, computed by `tosajit.evaluate`.

    Parameters
    ----------
    ex : str
        A text, whose operands are the caller's variables.
    local_dict, global_dict, out, order, casting
        As those of `tosajit.evaluate`.
    sanitize
        Changes nothing: no text can call what it should not.
    **operands
        Arrays and numbers by name. `optimization`, `truediv` and `ex_uses_vml` change nothing.

    Returns
    -------
    array

    Examples
    --------
    >>> import numpy as np, tosajit.as_numexpr
    >>> a = np.arange(3)
    >>> tosajit.as_numexpr.evaluate("a ** 2")
    array([0, 1, 4])
    """
    caller = sys._getframe(_frame_depth - 2)
    options = {key: value for key, value in operands.items()
               if key not in ("optimization", "truediv", "ex_uses_vml")}
    return tosajit.evaluate(ex, caller.f_locals if local_dict is None else local_dict,
                            caller.f_globals if global_dict is None else global_dict,
                            out, order, casting, **options)


def validate(ex: str, local_dict: Any = None, global_dict: Any = None, **rest: Any) -> Any:
    """numexpr.validate: what `evaluate` would raise, or None.

    Parameters
    ----------
    ex : str
        A text of `evaluate`, whose other arguments follow.

    Returns
    -------
    Exception or None

    Examples
    --------
    >>> import numpy as np, tosajit.as_numexpr
    >>> a = np.arange(3)
    >>> tosajit.as_numexpr.validate("a + 1") is None
    True
    """
    caller = sys._getframe(1)
    try:
        evaluate(ex, caller.f_locals if local_dict is None else local_dict,
                 caller.f_globals if global_dict is None else global_dict, **rest)
    except Exception as error:
        return error
    return None


def detect_number_of_cores() -> int:
    """How many processors this process may use.

    Examples
    --------
    >>> import tosajit.as_numexpr
    >>> tosajit.as_numexpr.detect_number_of_cores() >= 1
    True
    """
    return tosajit._processors()


def detect_number_of_threads() -> int:
    """`tosajit.get_num_threads`.

    Examples
    --------
    >>> import tosajit.as_numexpr
    >>> tosajit.as_numexpr.detect_number_of_threads() >= 1
    True
    """
    return tosajit.get_num_threads()


def _nothing(*unused: Any) -> None:
    """VML is Intel's; there are no settings of it."""


def _of_numexpr(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    if name in ("nthreads", "ncores"):
        return tosajit.get_num_threads() if name == "nthreads" else detect_number_of_cores()
    raise AttributeError(f"tosajit as numexpr has no {name}; tosajit.compile makes kernels, and "
                         "kernel.plan() tells how they compute")


def install_as_numexpr() -> types.ModuleType:
    """Put tosajit in numexpr's place, which the import of this module does.

    Returns
    -------
    module
        That stands for numexpr from now on.

    Examples
    --------
    >>> import sys, tosajit.as_numexpr
    >>> tosajit.as_numexpr.install_as_numexpr() is sys.modules["numexpr"]
    True
    """
    module = types.ModuleType("numexpr", __doc__)
    vars(module).update(
        __version__=__version__, __path__=[], evaluate=evaluate, re_evaluate=tosajit.re_evaluate,
                        validate=validate, use_vml=False,
        set_num_threads=tosajit.set_num_threads, get_num_threads=tosajit.get_num_threads,
                        detect_number_of_cores=detect_number_of_cores,
        detect_number_of_threads=detect_number_of_threads, set_vml_accuracy_mode=_nothing,
                        set_vml_num_threads=_nothing, get_vml_version=_nothing,
        get_vml_num_threads=_nothing, MAX_THREADS=detect_number_of_cores(), __getattr__=_of_numexpr)
    compiler = types.ModuleType("numexpr.necompiler")
    vars(compiler).update(evaluate=evaluate, re_evaluate=tosajit.re_evaluate, validate=validate)
    vars(module).update(necompiler=compiler)
    sys.modules["numexpr"], sys.modules["numexpr.necompiler"] = module, compiler
    return module


if "numexpr" in sys.modules and getattr(sys.modules["numexpr"], "evaluate", None) is not evaluate:
    raise ImportError("numexpr is imported already; import tosajit.as_numexpr comes first")
install_as_numexpr()

# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""import tosajit.as_numexpr puts tosajit where others look for numexpr, as pandas does for DataFrame.eval and query. It has to come before
they have imported numexpr."""
import os
import sys
import types
from typing import Any

import tosajit

__version__ = "2.14.2"  # whose functions these are


def evaluate(ex: str, local_dict: Any = None, global_dict: Any = None, out: Any = None, order: str = "K", casting: str = "same_kind",
             sanitize: Any = None, _frame_depth: int = 3, **operands: Any) -> Any:
    caller = sys._getframe(_frame_depth - 2)
    options = {key: value for key, value in operands.items() if key not in ("optimization", "truediv", "ex_uses_vml")}
    return tosajit.evaluate(ex, caller.f_locals if local_dict is None else local_dict, caller.f_globals if global_dict is None else global_dict,
                            out, order, casting, **options)


def validate(ex: str, local_dict: Any = None, global_dict: Any = None, **rest: Any) -> Any:
    caller = sys._getframe(1)
    try:
        evaluate(ex, caller.f_locals if local_dict is None else local_dict, caller.f_globals if global_dict is None else global_dict, **rest)
    except Exception as error:
        return error
    return None


def detect_number_of_cores() -> int:
    return len(os.sched_getaffinity(0))


def detect_number_of_threads() -> int:
    return tosajit.get_num_threads()


def _nothing(*unused: Any) -> None:
    """VML is Intel's; there are no settings of it."""


def _of_numexpr(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    if name in ("nthreads", "ncores"):
        return tosajit.get_num_threads() if name == "nthreads" else detect_number_of_cores()
    raise AttributeError(f"tosajit as numexpr has no {name}; tosajit.compile makes kernels, and kernel.plan() tells how they compute")


def install_as_numexpr() -> types.ModuleType:
    """The module that stands for numexpr from now on."""
    module = types.ModuleType("numexpr", __doc__)
    vars(module).update(
        __version__=__version__, __path__=[], evaluate=evaluate, re_evaluate=tosajit.re_evaluate, validate=validate, use_vml=False,
        set_num_threads=tosajit.set_num_threads, get_num_threads=tosajit.get_num_threads, detect_number_of_cores=detect_number_of_cores,
        detect_number_of_threads=detect_number_of_threads, set_vml_accuracy_mode=_nothing, set_vml_num_threads=_nothing, get_vml_version=_nothing,
        get_vml_num_threads=_nothing, MAX_THREADS=detect_number_of_cores(), __getattr__=_of_numexpr)
    compiler = types.ModuleType("numexpr.necompiler")
    vars(compiler).update(evaluate=evaluate, re_evaluate=tosajit.re_evaluate, validate=validate)
    vars(module).update(necompiler=compiler)
    sys.modules["numexpr"], sys.modules["numexpr.necompiler"] = module, compiler
    return module


if "numexpr" in sys.modules and getattr(sys.modules["numexpr"], "evaluate", None) is not evaluate:
    raise ImportError("numexpr is imported already; import tosajit.as_numexpr comes first")
install_as_numexpr()

# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A backend for torch.compile: what lies between matrix products, compiled in milliseconds and
without a C++ compiler.

    >>> import torch
    >>> model = torch.compile(torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.GELU()), backend="tosajit")
    >>> model(torch.ones(2, 4)).shape
    torch.Size([2, 4])

Operations that work element by element, and reductions, become kernels of tosajit, as many at a
time as can be. All others stay PyTorch's. Whatever this cannot have runs as it would without it.
TORCH_LOGS="+tosajit.torch" tells what became a kernel, and why something did not. Options:
accuracy, "reproducible" (at most 1 ulp off), "exact" or "contracted"."""
from __future__ import annotations

import functools
import importlib.metadata
import logging
from typing import Any, Callable, Dict, List, Optional

import torch

from .. import Engine

log = logging.getLogger("tosajit.torch")

__all__ = ["backend", "load", "save"]


@functools.lru_cache(maxsize=None)
def _engine(threads: int, accuracy: str) -> Engine:
    return Engine(threads=threads, accuracy=accuracy, backend="background")


@functools.lru_cache(maxsize=None)
def _decompositions() -> Dict[Any, Callable[..., Any]]:
    # Another thread may be importing it. Then its operations are there in part, until the import is
    # waited for.
    import torch._refs

    from ._groups import group_norm
    from ._ops import DECOMPOSED, aten
    from ._written import narrowly, written
    known = torch._decomp.get_decompositions(DECOMPOSED)
    return {**known, **written(known), aten.native_group_norm.default: narrowly(group_norm)}


def _options(given: Optional[Dict[str, Any]]) -> str:
    given = dict(given or {})
    accuracy = given.pop("accuracy", "reproducible")
    if given or accuracy not in ("reproducible", "exact", "contracted"):
        raise ValueError("tosajit: the options are accuracy='reproducible', 'exact' and "
                         f"'contracted', not {given or accuracy!r}")
    return accuracy


def _compiler(accuracy: str, name: str) -> Callable[..., Any]:
    def compile(module: torch.fx.GraphModule, inputs: Any) -> Callable[[List[Any]], Any]:
        from ._program import build
        try:
            return build(module, _engine(torch.get_num_threads(), accuracy), name)
        except Exception as why:
            log.warning("%s runs as PyTorch runs it: %s", name, why,
                        exc_info=log.isEnabledFor(logging.DEBUG))
            from functorch.compile import make_boxed_func
            return make_boxed_func(module.forward)
    return compile


def backend(module: torch.fx.GraphModule, inputs: List[Any], *,
            options: Optional[Dict[str, Any]] = None,
            mode: Optional[str] = None) -> Callable[..., Any]:
    """Compile the graph of a piece of a program, for torch.compile(model, backend="tosajit").

    Parameters
    ----------
    module : torch.fx.GraphModule
        The graph, from torch.compile.
    inputs : list
        Tensors that stand for a call's.
    options : dict, optional
        {"accuracy": "exact"}: functions are correctly rounded in float32. They are at most 1 ulp
        off without it. {"accuracy": "contracted"}: a product and the one sum that reads it are
        rounded once, too.
    mode : str, optional
        torch.compile's own, which changes nothing here.

    Returns
    -------
    function
        Computes the graph. PyTorch runs the operations that no kernel can have.

    Raises
    ------
    ValueError
        There is no such option.

    Examples
    --------
    >>> import torch, tosajit.torch
    >>> layers = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.GELU())
    >>> model, x = torch.compile(layers, backend="tosajit", options={"accuracy": "exact"}), torch.ones(2, 4)
    >>> torch.allclose(model(x), layers(x))
    True
    """
    accuracy = _options(options)
    from functorch.compile import min_cut_rematerialization_partition
    from torch._dynamo.backends.common import aot_autograd
    from torch._dynamo.exc import TorchDynamoException
    from ._written import resizing_whole
    try:
        traced = aot_autograd(fw_compiler=_compiler(accuracy, "forward"),
                              bw_compiler=_compiler(accuracy, "backward"),
                              inference_compiler=_compiler(accuracy, "inference"),
                              decompositions=_decompositions(),
                              partition_fn=min_cut_rematerialization_partition)
        with resizing_whole():
            return traced(module, inputs)
    except TorchDynamoException:
        raise  # dynamo's own, which makes it begin anew
    except Exception as why:
        log.warning("a graph runs as PyTorch runs it: %s", why,
                    exc_info=log.isEnabledFor(logging.DEBUG))
        return module.forward


def save(program: Any, path: Any, *, accuracy: str = "reproducible") -> int:
    """Write a program, with kernels for this machine's CPU, for which `load` needs no compiler.

    Parameters
    ----------
    program : torch.export.ExportedProgram
        What torch.export.export gave.
    path : path
        A file, which is made or replaced.
    accuracy : {'reproducible', 'exact', 'contracted'}, optional
        Functions are at most 1 ulp off, or correctly rounded in float32; or as for torch.compile.

    Returns
    -------
    int
        The number of kernels.

    Examples
    --------
    >>> import os, tempfile, torch, tosajit.torch
    >>> model, x = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.GELU()).eval(), torch.ones(2, 4)
    >>> path = os.path.join(tempfile.mkdtemp(), "model.pt2")
    >>> tosajit.torch.save(torch.export.export(model, (x,)), path)
    1
    """
    from ._saved import save as write
    return write(program, path, accuracy=accuracy)


def load(path: Any) -> Callable[..., Any]:
    """Read a file that `save` has written, as a function for inference.

    Parameters
    ----------
    path : path
        The file. It is code, as a shared library is: take it from people you trust.

    Returns
    -------
    function
        Of the exported module's arguments.

    Examples
    --------
    >>> import os, tempfile, torch, tosajit.torch
    >>> model, x = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.GELU()).eval(), torch.ones(2, 4)
    >>> path = os.path.join(tempfile.mkdtemp(), "model.pt2")
    >>> kernels = tosajit.torch.save(torch.export.export(model, (x,)), path)
    >>> torch.allclose(tosajit.torch.load(path)(x), model(x))
    True
    """
    from ._saved import load as read
    return read(path)


# Where the package is installed, torch finds it so, and wants it registered once.
if not importlib.metadata.entry_points(group="torch_dynamo_backends", name="tosajit"):
    torch._dynamo.register_backend(backend, "tosajit")

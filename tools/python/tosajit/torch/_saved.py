# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exported programs in files: PyTorch's own file of the graph and its tensors, and the images of kernels in it.

Who loads it plans the same regions, and finds their kernels by their texts. A kernel that is not there, or is for another
CPU, is compiled, as far as that is possible."""
from __future__ import annotations

import base64
import io
import json
import logging
from typing import Any, Dict, List

import torch
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind, OutputKind
from torch.utils import _pytree as pytree

from .._tosajit import Error, Kernel, load as load_kernel
from ._program import build

log = logging.getLogger("tosajit.torch")

ENTRY = "tosajit.json"
FORMAT = 1


class Images:
    """Kernels of a file, by what they were compiled of."""

    def __init__(self, images: Dict[str, bytes], engine: Any) -> None:
        self.images, self.engine = images, engine
        self.compiled = 0  # how many were not there

    def get(self, key: str) -> Any:
        """A kernel, or an engine to compile it."""
        try:
            if key in self.images:
                return load_kernel(self.images[key])
        except Error as why:
            log.warning("a kernel of the file cannot be used here: %s", why)
        self.compiled += 1
        return self.engine()


def _decomposed(program: ExportedProgram) -> ExportedProgram:
    from . import _decompositions
    table = torch.export.default_decompositions()
    table.update(_decompositions())
    return program.run_decompositions(table)


def save(program: ExportedProgram, path: Any, *, accuracy: str = "fast") -> int:
    """Write what torch.export.export gave, with kernels for this machine's CPU; the number of kernels. load needs no compiler
    then."""
    from . import _engine, _options
    if not isinstance(program, ExportedProgram):
        raise TypeError(f"tosajit.torch.save: it takes what torch.export.export gives, not {type(program).__name__}")
    engine = _engine(1, _options({"accuracy": accuracy}))
    program = _decomposed(program)
    file = io.BytesIO()
    torch.export.save(program, file)
    file.seek(0)
    # as whoever loads it will see it
    call = build(torch.export.load(file).graph_module, engine, "saved")
    images = {key: base64.b64encode(kernel.to_bytes()).decode() for key, kernel in call.kernels.items()}
    torch.export.save(program, path, extra_files={ENTRY: json.dumps({"format": FORMAT, "accuracy": accuracy, "images": images})})
    return len(images)


def _read(path: Any, extra: Dict[str, Any]) -> Dict[str, Any]:
    try:
        said = json.loads(extra[ENTRY])
        if said["format"] != FORMAT:
            raise ValueError(f"its format is {said['format']}, where this version reads {FORMAT}")
        said["images"] = {str(key): base64.b64decode(image, validate=True) for key, image in said["images"].items()}
        return said
    except (KeyError, TypeError, AttributeError, ValueError) as why:
        raise ValueError(f"tosajit.torch.load: {path} was not written by tosajit.torch.save: {why or 'no kernels'}") from None


def load(path: Any) -> Program:
    """What save has written, as a function for inference."""
    from . import _engine, _options
    extra: Dict[str, Any] = {ENTRY: ""}
    program = torch.export.load(path, extra_files=extra)
    said = _read(path, extra)
    accuracy = _options({"accuracy": said["accuracy"]})
    return Program(program, Images(said["images"], lambda: _engine(1, accuracy)))


class Program:
    """A loaded program. It is called as the module was that was exported; tensors and sizes are checked as by PyTorch."""

    def __init__(self, program: ExportedProgram, images: Images) -> None:
        self._signature, self._spec = program.graph_signature, program.call_spec
        self._ranges = program.range_constraints
        self._placeholders = [n for n in program.graph.nodes if n.op == "placeholder"]
        self._state: Dict[str, torch.Tensor] = {**program.constants, **program.state_dict}
        self._call = build(program.graph_module, images, "loaded")
        self.kernels: List[Kernel] = list(self._call.kernels.values())
        self.compiled = images.compiled

    def _inputs(self, flat: List[Any]) -> List[Any]:
        given = iter(flat)
        return [next(given) if spec.kind == InputKind.USER_INPUT else self._state[spec.target] for spec in self._signature.input_specs]

    def _check(self, args: Any, kwargs: Any) -> List[Any]:
        from torch._export.utils import _check_input_constraints_for_graph
        from torch.export._tree_utils import reorder_kwargs
        try:
            kwargs = reorder_kwargs(kwargs, self._spec.in_spec)
        except (AssertionError, ValueError):
            pass  # the form tells
        pairs, form = pytree.tree_flatten_with_path((args, kwargs))
        if form != self._spec.in_spec:
            raise TypeError(f"tosajit: the program was exported with arguments of the form {self._spec.in_spec}, and got {form}")
        users = [node for node, spec in zip(self._placeholders, self._signature.input_specs) if spec.kind == InputKind.USER_INPUT]
        _check_input_constraints_for_graph(users, pairs, self._ranges)
        for node, (path, value) in zip(users, pairs):
            wanted = node.meta.get("val")
            if isinstance(wanted, torch.Tensor) and (value.dtype, value.device.type) != (wanted.dtype, wanted.device.type):
                raise TypeError(f"tosajit: the argument {pytree.keystr(path)} is of {value.dtype} on {value.device.type}; the program was"
                                f" exported with {wanted.dtype} on {wanted.device.type}")
        return [value for _, value in pairs]

    @torch.no_grad()
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        flat = self._check(args, kwargs)
        results = []
        by_name = dict(zip((spec.arg.name for spec in self._signature.input_specs if spec.kind == InputKind.USER_INPUT), flat))
        for spec, value in zip(self._signature.output_specs, self._call(self._inputs(flat))):
            if spec.kind == OutputKind.BUFFER_MUTATION:
                self._state[spec.target].copy_(value)
            elif spec.kind == OutputKind.USER_INPUT_MUTATION:
                by_name[spec.target].copy_(value)
            else:
                results.append(value)
        return pytree.tree_unflatten(results, self._spec.out_spec)

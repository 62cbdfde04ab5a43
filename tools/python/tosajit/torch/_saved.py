# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exported programs in files: PyTorch's own file of the graph and its tensors, and the images of
kernels in it.

Who loads it plans the same regions, and finds their kernels by their texts. A kernel that is
missing, or is for another CPU, is
compiled if possible. PyTorch stores some objects in its files as pickles, and a pickle can run any
code. None is written, and a
file with one is
refused before PyTorch reads it."""
from __future__ import annotations

import base64
import copy
import io
import json
import logging
import os
import re
import zipfile
from typing import Any, BinaryIO, Dict, List

import torch
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind, OutputKind
from torch.utils import _pytree as pytree

from .._tosajit import Error, Kernel, load as load_kernel
from ._program import build

log = logging.getLogger("tosajit.torch")

ENTRY = "tosajit.json"
FORMAT = 1
# All that PyTorch writes of a program and plain tensors, behind the name of the archive.
ENTRIES = re.compile(r"archive_format|archive_version|byteorder|\.data/(version|serialization_id)|models/model\.json|extra/tosajit\.json|"
                     r"data/(weights/(weight_\d+|model_weights_config\.json)|constants/(tensor_\d+|model_constants_config\.json)|sample_inputs/model\.pt)")


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


def _reason(archive: zipfile.ZipFile) -> str:
    """Why PyTorch might run code to read an archive of ours; nothing: it would not."""
    names = archive.namelist()
    if len(set(names)) != len(names):
        return "two of its entries have one name"
    for name in names:
        entry = name.partition("/")[2]
        if not ENTRIES.fullmatch(entry):
            return f"there is {entry or name}, which is neither a graph nor a tensor"
        if entry.endswith("_config.json"):
            config = json.loads(archive.read(name))["config"]
            for tensor, said in config.items():
                if (said["use_pickle"] or not re.fullmatch(r"(weight|tensor)_\d+",
                                                           said["path_name"])):
                    return f"{tensor} is a pickle"
        if entry.endswith("model.pt") and archive.getinfo(name).file_size:
            try:
                torch.load(io.BytesIO(archive.read(name)), weights_only=True)
            except Exception:
                return "its sample inputs are a pickle of more than tensors"
    return ""


def _check_entries(file: BinaryIO) -> str:
    """The error of a file; empty: PyTorch may read it."""
    try:
        with zipfile.ZipFile(file) as archive:
            if not any(name.partition("/")[2] == f"extra/{ENTRY}" for name in archive.namelist()):
                return "no kernels"
            reason = _reason(archive)
    except (zipfile.BadZipFile, KeyError, TypeError, AttributeError, ValueError, EOFError,
            NotImplementedError, RuntimeError) as why:
        return f"it is damaged, or no archive: {why}"
    finally:
        file.seek(0)
    return f"it is refused, because reading it could run code: {reason}" if reason else ""


def _decomposed(program: ExportedProgram) -> ExportedProgram:
    from . import _decompositions
    from ._written import RESIZES, resizing_whole
    table = torch.export.default_decompositions()
    for op in [op for op in table if op._schema.name.partition("::")[2] in RESIZES]:
        del table[op]
    table.update(_decompositions())
    with resizing_whole():
        return program.run_decompositions(table)


def save(program: ExportedProgram, path: Any, *, accuracy: str = "reproducible") -> int:
    """Write what torch.export.export gave, with kernels for this machine's CPU; the number of
    kernels. load needs no compiler then."""
    from . import _engine, _options
    if not isinstance(program, ExportedProgram):
        raise TypeError("tosajit.torch.save: it takes what torch.export.export gives, not "
                        f"{type(program).__name__}")
    engine = _engine(1, _options({"accuracy": accuracy}))
    program = _decomposed(program)
    program.example_inputs = None  # PyTorch's pickle, which nobody needs
    file = io.BytesIO()
    torch.export.save(program, file, extra_files={ENTRY: "{}"})
    file.seek(0)
    wrong = _check_entries(file)
    if wrong:
        raise ValueError("tosajit.torch.save: the program has more than a graph and plain "
                         f"tensors: {wrong}")
    # as whoever loads it will see it
    call = build(torch.export.load(file).graph_module, engine, "saved")
    images = {key: base64.b64encode(kernel.to_bytes()).decode()
              for key, kernel in call.kernels.items()}
    torch.export.save(program, path,
                      extra_files={ENTRY: json.dumps({"format": FORMAT, "accuracy": accuracy,
                                                      "images": images})})
    return len(images)


def _read(path: Any, extra: Dict[str, Any]) -> Dict[str, Any]:
    try:
        said = json.loads(extra[ENTRY])
        if said["format"] != FORMAT:
            raise ValueError(f"its format is {said['format']}, where this version reads {FORMAT}")
        said["images"] = {str(key): base64.b64decode(image, validate=True)
                          for key, image in said["images"].items()}
        return said
    except (KeyError, TypeError, AttributeError, ValueError) as why:
        raise ValueError(f"tosajit.torch.load: {path} was not written by tosajit.torch.save: "
                         f"{why or 'no kernels'}") from None


def load(path: Any) -> Program:
    """Read a file of save's, as a function for inference. A file is code, as a shared library is:
    its kernels are machine code."""
    if isinstance(path, (str, os.PathLike)):
        with open(path, "rb") as file:
            return _load(file, path)
    if not hasattr(path, "seek"):
        raise TypeError("tosajit.torch.load: it takes a path or a file that is open for reading, "
                        f"not {type(path).__name__}")
    return _load(path, path)


def _load(file: BinaryIO, path: Any) -> Program:
    from . import _engine, _options
    wrong = _check_entries(file)
    if wrong:
        raise ValueError(f"tosajit.torch.load: {path} was not written by tosajit.torch.save: "
                         f"{wrong}")
    extra: Dict[str, Any] = {ENTRY: ""}
    program = torch.export.load(file, extra_files=extra)
    said = _read(path, extra)
    accuracy = _options({"accuracy": said["accuracy"]})
    return Program(program, Images(said["images"], lambda: _engine(1, accuracy)))


class Program:
    """A loaded program. It is called as the module was that was exported; tensors and sizes are
    checked as by PyTorch."""

    def __init__(self, program: ExportedProgram, images: Images) -> None:
        self._signature, self._spec = program.graph_signature, program.call_spec
        self._ranges = program.range_constraints
        self._placeholders = [n for n in program.graph.nodes if n.op == "placeholder"]
        self._state: Dict[str, torch.Tensor] = {**program.constants, **program.state_dict}
        self._call = build(program.graph_module, images, "loaded")
        self.kernels: List[Kernel] = list(self._call.kernels.values())
        self.compiled = images.compiled

    def __copy__(self) -> Program:
        """It computes the same with the same tensors."""
        other = Program.__new__(Program)
        other.__dict__.update(self.__dict__)
        return other

    def __deepcopy__(self, memo: Dict[int, Any]) -> Program:
        """With weights and buffers of its own. Kernels change nothing, so both have the same
        ones."""
        other = copy.copy(self)
        memo[id(self)] = other
        other._state = copy.deepcopy(self._state, memo)
        return other

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError("tosajit: a program that was loaded cannot be pickled, because its kernels "
                        "are code; load its file again instead")

    def _inputs(self, flat: List[Any]) -> List[Any]:
        given = iter(flat)
        return [next(given) if spec.kind == InputKind.USER_INPUT else self._state[spec.target]
                for spec in self._signature.input_specs]

    def _check(self, args: Any, kwargs: Any) -> List[Any]:
        from torch._export.utils import _check_input_constraints_for_graph
        from torch.export._tree_utils import reorder_kwargs
        try:
            kwargs = reorder_kwargs(kwargs, self._spec.in_spec)
        except (AssertionError, ValueError):
            pass  # the form tells
        pairs, form = pytree.tree_flatten_with_path((args, kwargs))
        if form != self._spec.in_spec:
            raise TypeError("tosajit: the program was exported with arguments of the form "
                            f"{self._spec.in_spec}, and got {form}")
        users = [node for node, spec in zip(self._placeholders, self._signature.input_specs)
                 if spec.kind == InputKind.USER_INPUT]
        _check_input_constraints_for_graph(users, pairs, self._ranges)
        for node, (path, value) in zip(users, pairs):
            wanted = node.meta.get("val")
            if (isinstance(wanted, torch.Tensor) and (value.dtype,
                                                      value.device.type)
                != (wanted.dtype, wanted.device.type)):
                raise TypeError(f"tosajit: the argument {pytree.keystr(path)} is of {value.dtype} "
                                f"on {value.device.type}; the program was"
                                f" exported with {wanted.dtype} on {wanted.device.type}")
        return [value for _, value in pairs]

    @torch.no_grad()
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        flat = self._check(args, kwargs)
        results = []
        by_name = dict(zip((spec.arg.name for spec in self._signature.input_specs
                            if spec.kind == InputKind.USER_INPUT), flat))
        plain = [value.resolve_neg() if isinstance(value, torch.Tensor) else value
                 for value in flat]  # kernels see memory alone
        for spec, value in zip(self._signature.output_specs, self._call(self._inputs(plain))):
            if spec.kind == OutputKind.BUFFER_MUTATION:
                self._state[spec.target].copy_(value)
            elif spec.kind == OutputKind.USER_INPUT_MUTATION:
                by_name[spec.target].copy_(value)
            else:
                results.append(value)
        return pytree.tree_unflatten(results, self._spec.out_spec)

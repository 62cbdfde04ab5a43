# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A TFLite model that tosajit and a host compute together.

    model = Model("face_landmark.tflite", "work")       # Arm's converter, `tosajit outline`,
    kernels of the regions
    outputs = model(inputs)                             # tensors of PyTorch in, tensors out

The host is host.py. A region is a kernel image, which Python's tosajit loads."""
import importlib
import math
import os
import re
import subprocess
import sys
from collections import namedtuple
from functools import partial
from pathlib import Path

import torch
import tosajit
from tosa.DType import DType
from tosa.Op import Op
from tosa.TosaGraph import TosaGraph

import host
from prepare import prepare

# Bits of types that PyTorch has in another name come as these.
TYPES = {DType.BOOL: torch.bool, DType.INT8: torch.int8, DType.INT16: torch.int16,
         DType.INT32: torch.int32, DType.INT64: torch.int64,
         DType.FP32: torch.float32, DType.FP16: torch.float16, DType.BF16: torch.bfloat16}
NAMES = {number: name for name, number in vars(Op).items() if isinstance(number, int)}
Tensor = namedtuple("Tensor", "name shape dtype variable data")


class NotConverted(Exception):
    """What Arm's tools, or `tosajit outline`, say of a model."""


def _tool(*words):
    name = os.path.join(os.path.dirname(sys.executable), words[0])
    done = subprocess.run([name if os.path.exists(name) else words[0], *map(str, words[1:])],
                          capture_output=True, text=True)
    if done.returncode:
        reason = re.sub(r"^\S*: error: ", "", (done.stderr.strip().splitlines()
                                               or ["there is no reason"])[0])
        raise NotConverted(f"{os.path.basename(words[0])}: {reason.split('. ')[0]}")
    return done.stdout


def _without_casts(text):
    """Casts from a type to itself, which the converter leaves around variables, and flatbuffers do
    not have."""
    names, cast = {}, re.compile(r"^ *(%\w+) = builtin\.unrealized_conversion_cast (%\w+) : (\S+) "
                                 r"to \3\n", re.MULTILINE)
    for found in cast.finditer(text):
        names[found[1]] = names.get(found[2], found[2])
    return (re.sub(r"%\w+", lambda found: names.get(found[0], found[0]), cast.sub("", text))
            if names else text)


def convert(path, prepared, work, tool):
    """WORK/NAME.divided.tosa of what was prepared, and the images of its regions in
    WORK/NAME.regions."""
    work.mkdir(parents=True, exist_ok=True)
    bytecode, text, whole, divided = (work / f"{path.stem}{end}"
                                      for end in (".mlirbc", ".mlir", ".tosa", ".divided.tosa"))
    _tool("tosa-converter-for-tflite", prepared, "--bytecode", "-o", bytecode)
    text.write_text(_without_casts(_tool("tosa-opt", "--tosa-convert-integer-type-to-signless",
                                         bytecode)))
    _tool("tosa-opt", "--tosa-serialize", f"--tosa-flatbuffer-filename={whole}", text)
    _tool(tool, "outline", whole, "-o", divided, "--images", work / f"{path.stem}.regions")
    bytecode.unlink()
    text.unlink()
    return divided


class Operator:
    """An operator of the divided file, as host.py sees it."""

    def __init__(self, model, flat):
        self._model = model
        self.name = NAMES[flat.Op()]
        self.reads = [flat.Inputs(k).decode() for k in range(flat.InputsLength())]
        self.gives = [flat.Outputs(k).decode() for k in range(flat.OutputsLength())]
        self.inputs = [model.tensors.get(name) for name in self.reads]
        self.output = model.tensors.get(self.gives[0])
        self.attributes = None
        if flat.AttributeType():
            attribute = importlib.import_module("tosa.Attribute").Attribute
            kind = next(name for name, number in vars(attribute).items()
                        if number == flat.AttributeType())
            self.attributes = getattr(importlib.import_module(f"tosa.{kind}"), kind)()
            self.attributes.Init(flat.Attribute().Bytes, flat.Attribute().Pos)

    def constant(self, k):
        """Operand k, which has to be a constant."""
        value = self._model.values.get(self.reads[k])
        if value is None or self.reads[k] not in self._model.constants:
            raise host.NotHosted(f"{self.name} with an operand {k} that is no constant")
        return value


class Model:
    """Steps in an order that tosajit has made, each a function of values that steps before it
    give."""

    def __init__(self, path, work, tool="tosajit"):
        path, work = Path(path), Path(work)
        prepared, self.comparable = prepare(path, work)  # the second one is for LiteRT
        self._bytes = convert(path, prepared, work, tool).read_bytes()
        graph = TosaGraph.GetRootAs(self._bytes, 0)
        block = graph.Regions(0).Blocks(0)
        self.tensors = {t.name: t for t in map(self._tensor,
                                               map(block.Tensors, range(block.TensorsLength())))}
        self.inputs = [block.Inputs(k).decode() for k in range(block.InputsLength())]
        self.outputs = [block.Outputs(k).decode() for k in range(block.OutputsLength())]
        self.values, self.constants, self.steps, self.constant_regions, self._moves = {}, set(), [], 0, set()
        self._state = {t.name: t.data.reshape(t.shape).clone()
                       for t in self.tensors.values() if t.variable}
        for shape in map(block.Shapes, range(block.ShapesLength())):
            data = [] if shape.Rank() == 0 else bytearray(shape.DataAsNumpy().tobytes())
            self._keep(shape.Name().decode(), torch.frombuffer(data, dtype=torch.int64) if data
                       else torch.zeros(0, dtype=torch.int64))
        with torch.inference_mode():
            for k in range(block.OperatorsLength()):
                self._add(Operator(self, block.Operators(k)), work / f"{path.stem}.regions")
        self.regions = sum(kernel for *_, kernel in self.steps)
        self._plan()
        self._forget_early()
        self.reset()

    @staticmethod
    def _tensor(flat):
        dtype = TYPES.get(flat.Type())
        data = (torch.frombuffer(bytearray(flat.DataAsNumpy().tobytes()), dtype=dtype)
                if flat.DataLength() and dtype else None)
        return Tensor(flat.Name().decode(), [] if flat.ShapeLength() == 0
                      else flat.ShapeAsNumpy().tolist(), dtype, flat.Variable(), data)

    def _keep(self, name, value):
        self.values[name] = value
        self.constants.add(name)

    def _add(self, op, images):
        """A step, or a constant if it reads nothing else."""
        if op.name == "CONST_SHAPE":
            return
        if op.name == "CONST":
            count = 1
            for size in op.output.shape:
                count *= size
            self._keep(op.output.name, op.output.data[:count].reshape(op.output.shape))
            return
        region = op.name == "CUSTOM" and op.attributes.DomainName() == b"tosajit.region"
        if not region and op.name not in host.FUNCTIONS:
            named = f" {op.attributes.OperatorName().decode()}" if op.name == "CUSTOM" else ""
            raise host.NotHosted(f"{op.name}{named}")
        run = (tosajit.load(str(images / f"{op.attributes.OperatorName().decode()}.image"))
               if region else host.FUNCTIONS[op.name](op))
        if all(name in self.constants for name in op.reads) and op.gives[0] not in self._state:
            result = run(*(self.values[name] for name in op.reads))
            for name, value in zip(op.gives, result if len(op.gives) > 1 else [result]):
                self._keep(name, value)
            self.constant_regions += region  # a kernel for nothing
        else:
            self.steps.append((run, op.reads, op.gives, [], region))
            self._moves.add(op.gives[0] if op.name in host.MOVES else None)

    def _lifetimes(self):
        """Of each result of a region: the first and last step that has it. What moves elements may
        give a part of what it reads, which lives as long. Results of the model and variables
        outlive a run."""
        within, lives = {}, {}
        for k, (_, reads, gives, _, region) in enumerate(self.steps):
            read = set().union(*(within.get(name, ()) for name in reads))
            lives.update((name, (lives[name][0], k)) for name in read)
            for name in gives:
                within[name] = ({name} if region else within.get(name, set()) | read
                                if name in self._moves else set())
                lives.update({name: (k, k)} if region else {})
        kept = set().union(*(within.get(name, ()) for name in (*self.outputs, *self._state)))
        return {name: life for name, life in lives.items() if name not in kept
                and min(self.tensors[name].shape, default=1) > 0}

    def _plan(self):
        """Results of regions get places in one memory. The largest choose first, beside those that
        live at another time."""
        lives, placed = self._lifetimes(), []
        sizes = {name: -(-math.prod(self.tensors[name].shape) * self.tensors[name].dtype.itemsize
                         // 64) * 64 for name in lives}
        for name in sorted(lives, key=sizes.get, reverse=True):
            first, last = lives[name]
            offset = 0
            for at, end, other in sorted(placed):
                if offset + sizes[name] <= at:
                    break
                if lives[other][0] <= last and first <= lives[other][1]:
                    offset = max(offset, end)
            placed.append((offset, offset + sizes[name], name))
        self.memory = torch.zeros(max((end for _, end, _ in placed), default=0), dtype=torch.uint8)
        self.results = sum(sizes.values())  # what they would take side by side
        homes = {}
        for at, _, name in placed:
            shape, dtype = self.tensors[name].shape, self.tensors[name].dtype
            homes[name] = self.memory[at : at + math.prod(shape)
                                      * dtype.itemsize].view(dtype).view(shape)
        for k, (run, reads, gives, dead, region) in enumerate(self.steps):
            if region and all(name in homes for name in gives):
                out = tuple(homes[name] for name in gives)
                self.steps[k] = (partial(run, out=out if len(gives) > 1 else out[0]), reads, gives,
                                 dead, region)

    def _forget_early(self):
        """Names of values that nobody reads behind a step go with it, and their memory is the next
        one's."""
        kept, last = self.constants | set(self.outputs) | set(self._state), {}
        for k, (_, reads, gives, *_) in enumerate(self.steps):
            last.update((name, k) for name in (*reads, *gives) if name not in kept)
        for name, k in last.items():
            self.steps[k][3].append(name)

    def reset(self):
        """Variables become what they were at first."""
        self.values.update((name, value.clone()) for name, value in self._state.items())

    def __call__(self, inputs):
        values = self.values
        values.update(zip(self.inputs, inputs))
        with torch.inference_mode():
            for run, reads, gives, dead, _ in self.steps:
                result = run(*[values[name] for name in reads])
                if len(gives) == 1:
                    values[gives[0]] = result
                else:
                    values.update(zip(gives, result))
                for name in dead:
                    del values[name]
        return [values[name] for name in self.outputs]

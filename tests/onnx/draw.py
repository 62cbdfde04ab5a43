# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random models of every operator that the converter knows, in every form that ONNX has of it: each
number of operands and results, with some left out, lists as attributes and as operands, types,
axes, broadcasts. A model grows by nodes whose operands fit.

    OPERATORS[op] = (first opset, function of a Maker, which adds the node)

As a program it tells of models whether the engine has all of their operators.
"""
import os
import struct
import subprocess
import sys

import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper

F32, F64, F16 = np.dtype("float32"), np.dtype("float64"), np.dtype("float16")
I8, U8, I16, U16 = (np.dtype(name) for name in ("int8", "uint8", "int16", "uint16"))
I32, I64, U32, U64, BOOL = (np.dtype(name) for name in ("int32", "int64", "uint32", "uint64",
                                                        "bool"))
FLOATS, INTEGERS, WHOLE = (F32, F64, F16), (I32, I64), (I8, U8, I16, U16, I32, I64, U32, U64)
NUMBERS, ANY = FLOATS + INTEGERS, FLOATS + INTEGERS + (I8, U8, BOOL)
N = "n"  # the size that a call decides
MICROSOFT = "com.microsoft"
_accepted = {}


def type_of(kind):
    return helper.np_dtype_to_tensor_dtype(kind)


class Refused(Exception):
    """There is no such node here."""


class Trial:
    """True if the engine has the operators of a model, and computes with them. It lacks types of
    many, and of some forms it ends the process, so that is another one."""

    def __init__(self):
        self.process = None

    def __call__(self, model):
        if self.process is None or self.process.poll() is not None:
            self.process = subprocess.Popen([sys.executable, os.path.abspath(__file__)],
                                            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                            stderr=subprocess.DEVNULL)
        data = model.SerializeToString()
        try:
            self.process.stdin.write(struct.pack("q", len(data)) + data)
            self.process.stdin.flush()
        except BrokenPipeError:
            return False
        said = self.process.stdout.read(1)
        if not said:
            self.process.wait()
        return said == b"1"


def answer():
    """Of the models that come, one after the other."""
    ort.set_default_logger_severity(4)
    options = [ort.SessionOptions() for _ in range(2)]
    options[0].graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    while size := sys.stdin.buffer.read(8):
        data = sys.stdin.buffer.read(*struct.unpack("q", size))
        graph, said = onnx.load_from_string(data).graph, b"1"
        types = {info.name: info.type.tensor_type for info in graph.input}
        feeds = {name: np.ones([dim.dim_value or 1 for dim in type.shape.dim],
                               helper.tensor_dtype_to_np_dtype(type.elem_type))
                 for name, type in types.items()}
        try:
            for one in options:
                one.intra_op_num_threads = 1
                ort.InferenceSession(data, one, providers=["CPUExecutionProvider"]).run(None, feeds)
        except Exception:  # each of the engine's own kinds
            said = b"0"
        sys.stdout.buffer.write(said)
        sys.stdout.buffer.flush()


_trial = Trial()


class Maker:
    def __init__(self, random):
        self.random, self.nodes, self.constants, self.values, self.inputs = random, [], {}, {}, {}
        self.opset = int(random.choice([7, 9, 10, 11, 13, 14, 16, 17, 17, 18, 18, 20, 21, 22, 23]))
        self.width = int(random.choice([1, 3, 8, 40, 64]))
        self.kind = [F32, F32, F32, F32, F16, F64][int(random.integers(6))]
        self.n = N if random.random() < 0.6 else int(random.choice([1, 3]))
        self.deep = 0

    def one_of(self, list):
        return list[int(self.random.integers(len(list)))]

    def chance(self, p):
        return self.random.random() < p

    def some(self, first, last):
        return int(self.random.integers(first, last + 1))

    # --- values
    # ----------------------------------------------------------------------------------------------------------------------

    def constant(self, array, kind=None):
        name = f"c{len(self.constants)}"
        self.constants[name] = np.asarray(array, kind or F32)
        return name

    def numbers(self, shape, kind):
        if kind.kind == "f":
            return self.random.standard_normal(shape).astype(kind)
        if kind == BOOL:
            return self.random.random(shape) < 0.5
        return self.random.integers(0 if kind.kind == "u" else -9, 10, shape).astype(kind)

    def input(self, kind, sizes):
        name = f"i{len(self.inputs)}"
        self.inputs[name] = self.values[name] = (kind, tuple(sizes))
        return name

    def shape(self, rank):
        return [(self.width,), (6, self.width), (self.n, 6, self.width),
                (self.n, 4, 6, self.width)][rank - 1]

    def pick(self, kinds=None, ranks=(1, 2, 3, 4), fits=lambda sizes: True):
        """A value of one of these kinds and ranks, which may be a new input."""
        kinds = kinds or ((self.kind,) if self.chance(0.85) else NUMBERS)
        there = [name for name, (kind, sizes) in self.values.items() if kind in kinds
                 and len(sizes) in ranks and fits(sizes)]
        if there and self.chance(0.9):
            return self.one_of(there[-6:] if self.chance(0.7) else there)
        for _ in range(8):
            sizes = self.shape(self.one_of([rank for rank in ranks if 1 <= rank <= 4] or [3]))
            if fits(sizes):
                return self.input(self.kind if self.kind in kinds else self.one_of(kinds), sizes)
        raise Refused

    def kind_of(self, name):
        return self.values[name][0]

    def sizes_of(self, name):
        return self.values[name][1]

    def beside(self, x, kind=None, constant=None):
        """What broadcasts with a value, and leaves its sizes: a value, or a constant."""
        kind, sizes = kind or self.kind_of(x), self.sizes_of(x)
        there = [name for name, (own, other) in self.values.items() if own == kind
                 and fits_into(other, sizes)]
        if constant is None:
            constant = not there or self.chance(0.4)
        if not constant:
            return self.one_of(there) if there else self.input(kind, sizes)
        return self.constant(self.numbers(self.small_shape(sizes), kind), kind)

    def small_shape(self, sizes):
        known = []
        for size in reversed(sizes):
            if size == N:
                break
            known.insert(0, size)
        shape = [size if self.chance(0.6) else 1 for size in known[self.some(0, len(known)):]]
        return [[], shape, [1] * len(sizes)][self.some(0, 2)]

    # --- nodes
    # -----------------------------------------------------------------------------------------------------------------------

    def node(self, op, inputs, outputs, **attributes):
        """Outputs are (kind, sizes), or None: left out. The names of the others."""
        domain, _, op = op.rpartition(".")
        while inputs and not inputs[-1] and len(inputs) > 1 and self.chance(0.5):
            inputs = inputs[:-1]
        names = [f"v{len(self.nodes)}" + "abcdefghijklmnopqrstuvwxyz"[k % 26] * (k // 26 + 1)
                 if output else "" for k, output in enumerate(outputs)]
        while names and not names[-1]:
            names.pop()
        made = helper.make_node(op, inputs, names, domain=domain, **attributes)
        if not self.is_accepted(made, outputs):
            raise Refused
        self.nodes.append(made)
        self.values.update({name: (np.dtype(output[0]), tuple(output[1]))
                            for name, output in zip(names, outputs) if name})
        return [name for name in names if name]

    def is_accepted(self, node, outputs):
        """True if the engine has such a node at all."""
        def about(name):
            return (self.values[name] if name in self.values
                    else (self.constants[name].dtype, self.constants[name].shape) if name else None)
        given = [about(name) for name in node.input]
        key = (self.opset, node.domain, node.op_type,
               tuple(one and (one[0], len(one[1])) for one in given), tuple(map(bool, node.output)),
               tuple((a.name, a.i if a.name in ("to", "output_dtype", "axis", "stash_type")
                      else len(a.ints)) for a in node.attribute))
        if key not in _accepted:
            used = {name for name in node.input if name}
            graph = helper.make_graph([node], "g", [self.info(name, *self.values[name]) for name in used & set(self.values)],
                                      [helper.make_tensor_value_info(name, type_of(np.dtype(output[0])), None)
                                       for name, output in zip(node.output, outputs) if name],
                                      [numpy_helper.from_array(self.constants[name], name) for name in used & set(self.constants)])
            _accepted[key] = _trial(self.whole(graph))
        return _accepted[key]

    def list(self, name, since, values):
        """(operands, attributes): a list is an attribute, and from an opset on an operand."""
        if self.opset >= since:
            return [self.constant(np.array(values, np.int64), I64)], {}
        return [], {name: [int(value) for value in values]}

    # --- the whole
    # -------------------------------------------------------------------------------------------------------------------

    def info(self, name, kind, sizes):
        return helper.make_tensor_value_info(name, type_of(kind), list(sizes))

    def whole(self, graph):
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset),
                                                       helper.make_opsetid(MICROSOFT, 1)],
                                 ir_version=8 if self.opset < 20 else 10)

    def model(self, nodes=None, results=None, inputs=None):
        """Of these nodes, or all."""
        nodes = self.nodes if nodes is None else nodes
        inputs = self.inputs if inputs is None else inputs
        read = {name for node in nodes for name in names_read(node)} | set(results or ())
        graph = helper.make_graph(nodes, "g", [self.info(name, *about) for name, about in inputs.items() if name in read],
                                  [helper.make_tensor_value_info(name, type_of(self.kind_of(name)), None) for name in results],
                                  [numpy_helper.from_array(array, name) for name, array in self.constants.items() if name in read])
        return self.whole(graph)

    def feeds(self, model, n, seed=0):
        """Arrays for the inputs of a model. They follow from their names, so a smaller model has
        the same."""
        made = {}
        for info in model.graph.input:
            kind, sizes = self.values[info.name]
            own = np.random.default_rng([seed, *info.name.encode()])
            shape = [n if size == N else size for size in sizes]
            one, self.random = self.random, own
            made[info.name] = self.numbers(shape, kind)
            self.random = one
        return made


def names_read(node):
    yield from node.input
    for attribute in node.attribute:
        for inner in attribute.g.node:
            yield from names_read(inner)


def fits_into(other, sizes):
    return (len(other) <= len(sizes) and all(a in (1, b)
                                             for a, b in zip(reversed(other), reversed(sizes))))


def joint(*all):
    """The sizes after broadcasting."""
    rank = max(len(sizes) for sizes in all)
    padded = [(1,) * (rank - len(sizes)) + tuple(sizes) for sizes in all]
    return tuple(next((size for size in column if size != 1), 1) for column in zip(*padded))


OPERATORS = {}


def operator(names, since=7):
    def add(function):
        for word in names.split():
            name, _, first = word.partition(":")
            OPERATORS[name] = (int(first or since), lambda m, name=name: function(m, name))
        return function
    return add


# ---------------------------------------------------------------------------------------------------------------------------------------
# Elementwise

@operator("Add Sub Mul")
def arithmetic(m, op):
    x = m.pick()
    y = m.beside(x)
    pair = [x, y] if m.chance(0.7) else [y, x]
    m.node(op, pair, [m.values[x]])


@operator("Div")
def division(m, op):
    x = m.pick()
    kind = m.kind_of(x)
    y = (m.beside(x) if kind in FLOATS
         else m.constant(m.random.integers(1, 9, m.small_shape(m.sizes_of(x))), kind))
    m.node(op, [x, y], [m.values[x]])


@operator("Mod:10")
def remainder(m, op):
    x = m.pick(INTEGERS if m.chance(0.8) else FLOATS)
    kind = m.kind_of(x)
    y = m.constant(m.random.integers(1, 9, m.small_shape(m.sizes_of(x))) * m.one_of([1, 1, -1]),
                   kind)
    m.node(op, [x, y], [m.values[x]], **({"fmod": 1} if kind in FLOATS or m.chance(0.3) else {}))


@operator("Pow")
def power(m, op):
    x = m.pick(FLOATS if m.chance(0.9) else INTEGERS)
    kind = m.kind_of(x)
    other = m.one_of(NUMBERS) if m.opset >= 12 and m.chance(0.2) else kind
    y = (m.constant(np.array(m.one_of([0, 1, 2, 3, 0.5, -1, 1.5] if other in FLOATS
                                      else [0, 1, 2, 3])), other) if m.chance(0.7)
         else m.beside(x, other))
    m.node(op, [x, y], [m.values[x]])


@operator("Sum Max Min Mean")
def any_number(m, op):
    x = m.pick(FLOATS if op in ("Sum", "Mean") or m.opset < 12 else None)
    count = m.one_of([1, 2, 2, 3, 3, 4, 8, 35])
    same = m.opset < 8
    operands = [x] + [m.one_of([name for name, about in m.values.items() if about == m.values[x]])
                      if same else m.beside(x) for _ in range(count - 1)]
    m.node(op, [operands[k] for k in m.random.permutation(count)], [m.values[x]])


@operator("Neg Abs Sign:9 Floor Ceil Round:11 Reciprocal Sqrt Exp Log Sin Cos Tanh Erf:9 Sigmoid "
          "Relu HardSwish:14 Softplus Softsign Mish:18")
def one(m, op):
    x = m.pick(None if op in ("Neg", "Abs", "Sign", "Relu") else FLOATS)
    m.node(op, [x], [m.values[x]])


@operator("LeakyRelu ThresholdedRelu:10 Elu")
def one_with_alpha(m, op):
    x = m.pick(FLOATS)
    m.node(op, [x], [m.values[x]], **({"alpha": m.one_of([0.0, 0.1, 0.3, 1.0, 2.0])}
                                      if m.chance(0.6) else {}))


@operator("HardSigmoid")
def hard_sigmoid(m, op):
    x = m.pick(FLOATS)
    m.node(op, [x], [m.values[x]], **{key: m.one_of([0.1, 0.25, 0.5])
                                      for key in ("alpha", "beta") if m.chance(0.5)})


@operator("Selu")
def selu(m, op):
    x = m.pick(FLOATS)
    m.node(op, [x], [m.values[x]], **{key: m.one_of([0.5, 1.25])
                                      for key in ("alpha", "gamma") if m.chance(0.3)})


@operator("Shrink:9")
def shrink(m, op):
    x = m.pick(FLOATS)
    m.node(op, [x], [m.values[x]], **{key: m.one_of([0.0, 0.25, 1.0])
                                      for key in ("lambd", "bias") if m.chance(0.5)})


@operator("PRelu")
def prelu(m, op):
    x = m.pick(FLOATS)
    if m.opset < 9 or m.chance(0.7):
        slope = m.constant(m.numbers(m.one_of([m.small_shape(m.sizes_of(x)), [1]]), m.kind_of(x)),
                           m.kind_of(x))
    else:
        slope = m.beside(x, constant=False)
    m.node(op, [x, slope], [m.values[x]])


@operator("Clip")
def clip(m, op):
    x = m.pick(FLOATS if m.opset < 12 or m.chance(0.8) else INTEGERS)
    kind = m.kind_of(x)
    bounds = {"min": m.one_of([None, -1, 0, 1]), "max": m.one_of([None, 0, 1, 2])}
    if m.opset < 11:
        low, high = bounds["min"], bounds["max"]
        if low is not None and high is not None and low > high:
            raise Refused
        m.node(op, [x], [m.values[x]], **{key: float(bound)
                                          for key, bound in bounds.items() if bound is not None})
        return
    operands = ["" if bound is None else m.constant(np.array(np.nan if kind in FLOATS
                                                             and m.chance(0.1) else bound), kind)
                if m.chance(0.8) else
                m.input(kind, ()) for bound in bounds.values()]
    m.node(op, [x, *operands], [m.values[x]])


@operator("Gelu:20")
def gelu(m, op):
    x = m.pick(FLOATS)
    m.node(op, [x], [m.values[x]], **m.one_of([{}, {"approximate": "none"},
                                               {"approximate": "tanh"}]))


@operator("com.microsoft.Gelu com.microsoft.FastGelu com.microsoft.QuickGelu com.microsoft.BiasGelu")
def own_gelu(m, op):
    x = m.pick(FLOATS, fits=lambda sizes: sizes[-1] != N)
    bias = m.constant(m.numbers([m.sizes_of(x)[-1]], m.kind_of(x)), m.kind_of(x))
    more = [bias] if op.endswith("BiasGelu") or (op.endswith("FastGelu") and m.chance(0.3)) else []
    m.node(op, [x, *more], [m.values[x]], **({"alpha": m.one_of([1.0, 1.702])}
                                             if op.endswith("QuickGelu") and m.chance(0.5) else {}))


@operator("BatchNormalization")
def batch_normalization(m, op):
    x = m.pick(FLOATS, (2, 3, 4), lambda sizes: sizes[1] != N)
    kind, channels = m.kind_of(x), m.sizes_of(x)[1]
    parameters = [m.constant(m.numbers([channels], kind), kind)
                  for _ in range(3)] + [m.constant(np.abs(m.numbers([channels], kind)) + 0.1, kind)]
    m.node(op, [x, *parameters], [m.values[x]], **({"epsilon": 1e-3} if m.chance(0.5) else {}))


@operator("Equal Greater Less GreaterOrEqual:12 LessOrEqual:12")
def comparison(m, op):
    x = m.pick(None if op != "Equal" or m.opset >= 11 else INTEGERS)
    m.node(op, [x, m.beside(x)], [(BOOL, m.sizes_of(x))])


@operator("And Or Xor")
def logic(m, op):
    x = m.pick((BOOL,))
    m.node(op, [x, m.beside(x)], [m.values[x]])


@operator("Not")
def negation(m, op):
    x = m.pick((BOOL,))
    m.node(op, [x], [m.values[x]])


@operator("IsNaN:9 IsInf:10")
def special(m, op):
    x = m.pick(FLOATS)
    flags = {key: m.some(0, 1) for key in ("detect_negative", "detect_positive") if op == "IsInf"
             and m.chance(0.5)}
    m.node(op, [x], [(BOOL, m.sizes_of(x))], **flags)


@operator("BitwiseAnd BitwiseOr BitwiseXor", 18)
def bits(m, op):
    x = m.pick(WHOLE)
    m.node(op, [x, m.beside(x)], [m.values[x]])


@operator("BitwiseNot", 18)
def bit_negation(m, op):
    x = m.pick(WHOLE)
    m.node(op, [x], [m.values[x]])


@operator("Where:9")
def choice(m, op):
    x = m.pick(ANY)
    y, condition = m.beside(x), m.beside(x, BOOL)
    pair = [x, y] if m.chance(0.5) else [y, x]
    m.node(op, [condition, *pair], [m.values[x]])


@operator("Cast")
def cast(m, op):
    x = m.pick(ANY if m.chance(0.5) else None)
    to = m.one_of([F32, F32, F16, F64, I8, U8, I16, U16, I32, I64, U32, U64, BOOL])
    m.node(op, [x], [(to, m.sizes_of(x))], to=type_of(to))


@operator("Identity")
def identity(m, op):
    x = m.pick(ANY)
    m.node(op, [x], [m.values[x]])


# ---------------------------------------------------------------------------------------------------------------------------------------
# Quantized data

def scale_of(m, sizes, kind, per_axis):
    """Scale and zero point, which may be left out, and the axis."""
    axis = m.some(0, len(sizes) - 1) if sizes else 0
    count = sizes[axis] if sizes and per_axis and sizes[axis] != N else None
    scale = m.constant(np.abs(m.random.standard_normal([] if count is None else [count])) * 0.05
                       + 0.01, F32)
    limits = np.iinfo(kind)
    zero = m.constant(m.random.integers(max(limits.min, -20), min(limits.max, 120),
                                        [] if count is None else [count]), kind)
    return scale, zero, {} if count is None else {"axis": axis}


@operator("QuantizeLinear:10")
def quantize(m, op):
    # of NaN the engine makes this or that integer
    given = set(m.inputs) | {name for node in m.nodes if node.op_type == "DequantizeLinear"
                             for name in node.output}
    finite = [name for name in given if m.values[name][0] == F32 and len(m.sizes_of(name)) > 0]
    x = m.one_of(sorted(finite)) if finite else m.input(F32, m.shape(m.some(1, 4)))
    to = m.one_of([U8, I8] if m.opset < 21 else [U8, I8, U16, I16])
    scale, zero, axis = scale_of(m, m.sizes_of(x), to, m.opset >= 13 and m.chance(0.3))
    if m.chance(0.2):
        zero, to = "", U8 if m.opset < 21 or m.chance(0.5) else I8
        axis.update({"output_dtype": type_of(to)} if to == I8 else {})
    m.node(op, [x, scale, zero], [(to, m.sizes_of(x))], **axis)


@operator("DequantizeLinear:10")
def dequantize(m, op):
    x = m.pick((U8, I8, I32) if m.opset < 21 else (U8, I8, U16, I16, I32))
    kind = m.kind_of(x)
    scale, zero, axis = scale_of(m, m.sizes_of(x), kind, m.opset >= 13 and m.chance(0.3))
    m.node(op, [x, scale, "" if kind == I32 or m.chance(0.2) else zero], [(F32, m.sizes_of(x))],
           **axis)


@operator("com.microsoft.QLinearSigmoid com.microsoft.QLinearLeakyRelu", 10)
def quantized_function(m, op):
    x = m.pick((U8, I8))
    (a, b, _), (c, d, _) = (scale_of(m, (), m.kind_of(x), False) for _ in range(2))
    m.node(op, [x, a, "" if m.chance(0.2) else b, c, "" if m.chance(0.2) else d], [m.values[x]],
           **({"alpha": 0.2} if "Leaky" in op else {}))


@operator("com.microsoft.QLinearAdd com.microsoft.QLinearMul", 10)
def quantized_sum(m, op):
    x = m.pick((U8, I8))
    kind, operands = m.kind_of(x), []
    for data in (x, m.beside(x, constant=False), None):
        scale, zero, _ = scale_of(m, (), kind, False)
        operands += ([data] if data else []) + [scale, "" if m.chance(0.2) else zero]
    m.node(op, operands, [m.values[x]])


# ---------------------------------------------------------------------------------------------------------------------------------------
# Rows

@operator("Softmax LogSoftmax")
def softmax(m, op):
    x = m.pick(FLOATS)
    m.node(op, [x], [m.values[x]], **({"axis": m.some(-len(m.sizes_of(x)), len(m.sizes_of(x)) - 1)}
                                      if m.chance(0.7) and m.opset >= 11 else
                                      {"axis": m.some(0, len(m.sizes_of(x)) - 1)} if m.chance(0.7)
                                      else {}))


@operator("ReduceSum ReduceMean ReduceMax ReduceMin ReduceProd ReduceL1 ReduceL2 ReduceSumSquare "
          "ReduceLogSum ReduceLogSumExp")
def reduction(m, op):
    # products of integers overflow, in the engine in one way or another
    x = m.pick(FLOATS if m.chance(0.85) or op == "ReduceProd" else INTEGERS)
    kind, sizes = m.values[x]
    rank, since = len(sizes), 13 if op == "ReduceSum" else 18
    axes = sorted(int(axis) for axis in m.random.choice(rank, m.some(1, rank), replace=False))
    named = [axis - rank if m.opset >= 11 and m.chance(0.3) else axis for axis in axes]
    form = m.one_of(["named", "named", "named", "absent", "empty"])
    attributes = {"keepdims": m.some(0, 1)} if m.chance(0.7) else {}
    if m.opset >= since and m.chance(0.3):
        attributes["noop_with_empty_axes"] = m.some(0, 1)
    operands, more = m.list("axes", since, named if form == "named" else [])
    if form == "absent" or (form == "empty" and m.opset < since):
        operands, more = [m.one_of(["", None])] if m.opset >= since else [], {}
        operands = [name for name in operands if name is not None]
    if form != "named":
        axes = [] if attributes.get("noop_with_empty_axes") else list(range(rank))
    keeps = attributes.get("keepdims", 1)
    left = [1 if d in axes else size for d, size in enumerate(sizes) if keeps or d not in axes]
    # a maximum has NaN otherwise in the engine, of which a cast or comparison makes anything
    alone = op in ("ReduceMax", "ReduceMin") and kind in (F32, F64) and m.opset >= 11
    m.node(op, [without_nan(m, x) if alone else x, *operands], [(kind, left)], **attributes, **more)


def without_nan(m, x):
    kind, sizes = m.values[x]
    number = m.node("Equal", [x, x], [(BOOL, sizes)])[0]
    return m.node("Where", [number, x, m.constant(0, kind)], [(kind, sizes)])[0]


@operator("ArgMax ArgMin")
def position(m, op):
    """Of no NaN, whose place the engine has otherwise."""
    x = m.pick((F32, F64))
    kind, sizes = m.values[x]
    if m.opset < 11:
        raise Refused
    x = without_nan(m, x)
    axis = m.some(0, len(sizes) - 1)
    attributes = {"keepdims": m.some(0, 1)} if m.chance(0.7) else {}
    left = [1 if d == axis else size for d, size in enumerate(sizes) if d != axis
            or attributes.get("keepdims", 1)]
    m.node(op, [x], [(I64, left)], axis=axis - len(sizes) if m.opset >= 11 and m.chance(0.3)
           else axis, **attributes)


@operator("LayerNormalization:17")
def layer_normalization(m, op):
    x = m.pick(FLOATS, fits=lambda sizes: sizes[-1] != N)
    kind, sizes = m.values[x]
    axis = m.some(1 if N in sizes else 0, len(sizes) - 1) if len(sizes) > 1 else 0
    shape, statistics = list(sizes[axis:]), (F32 if kind != F64 else F64,
                                             sizes[:axis] + (1,) * (len(sizes) - axis))
    if N in shape:
        raise Refused
    operands = [m.constant(m.numbers(shape, kind), kind),
                m.one_of(["", m.constant(m.numbers(shape, kind), kind)])]
    outputs = [[m.values[x]], [m.values[x], statistics], [m.values[x], statistics, statistics],
               [m.values[x], None, statistics]][m.one_of([0, 0, 0, 1, 2, 3])]
    m.node(op, [x, *operands], outputs, axis=m.one_of([axis, axis - len(sizes)]),
           **({"epsilon": 1e-3} if m.chance(0.3) else {}))


@operator("RMSNormalization:23 SimplifiedLayerNormalization")
def root_mean_square(m, op):
    x = m.pick(FLOATS, fits=lambda sizes: sizes[-1] != N)
    kind, sizes = m.values[x]
    m.node(op, [x, m.constant(m.numbers([sizes[-1]], kind), kind)], [m.values[x]],
           **({"epsilon": 1e-3} if m.chance(0.5) else {}))


@operator("com.microsoft.SkipLayerNormalization com.microsoft.SkipSimplifiedLayerNormalization")
def skip_normalization(m, op):
    x = m.pick((F32, F16), (3,), lambda sizes: sizes[-1] != N)
    kind, sizes = m.values[x]
    same = [name for name, about in m.values.items() if about == m.values[x]]
    row = lambda: m.constant(m.numbers([sizes[-1]], kind), kind)
    beta = [] if "Simplified" in op else [row() if m.chance(0.6) else ""]
    operands = [x, m.one_of(same), row(), *beta, row() if m.chance(0.4) else ""]
    outputs = [m.values[x]] + ([None, None, m.values[x]] if m.chance(0.5) else [])
    m.node(op, operands, outputs, **({"epsilon": 1e-3} if m.chance(0.5) else {}))


@operator("InstanceNormalization")
def instance_normalization(m, op):
    x = m.pick((F32,), (3, 4), lambda sizes: sizes[1] != N)
    kind, sizes = m.values[x]
    m.node(op, [x] + [m.constant(m.numbers([sizes[1]], kind), kind) for _ in range(2)],
           [m.values[x]], **({"epsilon": 1e-3} if m.chance(0.5) else {}))


@operator("GlobalAveragePool GlobalMaxPool")
def global_pool(m, op):
    x = m.pick(FLOATS, (3, 4))
    kind, sizes = m.values[x]
    m.node(op, [x], [(kind, sizes[:2] + (1,) * (len(sizes) - 2))])


@operator("MeanVarianceNormalization:9")
def mean_variance(m, op):
    x = m.pick(FLOATS, (4,) if m.chance(0.5) else (2, 3, 4))
    rank = len(m.sizes_of(x))
    axes = sorted(int(axis) for axis in m.random.choice(rank, m.some(1, rank), replace=False))
    m.node(op, [x], [m.values[x]], **({} if rank == 4 and m.chance(0.5) else {"axes": axes}))


# ---------------------------------------------------------------------------------------------------------------------------------------
# Views

@operator("Slice")
def slice_(m, op):
    x = m.pick(ANY)
    kind, sizes = m.values[x]
    known = [d for d, size in enumerate(sizes) if size != N and size > 0]
    if not known:
        raise Refused
    axes = sorted(int(axis) for axis in m.random.choice(known, m.some(1, len(known)),
                                                        replace=False))
    left, starts, ends, steps = list(sizes), [], [], []
    for axis in axes:
        size = sizes[axis]
        begin = m.some(0, size - 1)
        end, step = m.some(begin + 1, size), m.one_of([1, 1, 1, 2, 3]) if m.opset >= 10 else 1
        left[axis] = len(range(begin, end, step))
        starts.append(begin - size if m.chance(0.3) else begin)
        ends.append((2**31 - 1 if m.chance(0.5) else 2**63 - 1) if end == size and m.chance(0.4)
                    else end - size if end < size and m.chance(0.3) else end)
        steps.append(step)
        if m.opset >= 10 and m.chance(0.1):
            steps[-1], starts[-1], ends[-1], left[axis] = -1, -1, -2**31, size
    ahead = axes == list(range(len(axes)))
    if m.opset < 10:
        m.node(op, [x], [(kind, left)], starts=starts, ends=ends,
               **({} if ahead and m.chance(0.5) else {"axes": axes}))
        return
    lists = [starts, ends, None if ahead and m.chance(0.5)
             else [axis - len(sizes) if m.chance(0.3) else axis for axis in axes],
             None if set(steps) == {1} and m.chance(0.6) else steps]
    m.node(op, [x] + ["" if one is None else m.constant(one, I64) for one in lists], [(kind, left)])


@operator("Split")
def split(m, op):
    x = m.pick(ANY, fits=lambda sizes: any(size != N for size in sizes))
    kind, sizes = m.values[x]
    axis = m.one_of([d for d, size in enumerate(sizes) if size != N])
    size = sizes[axis]
    parts = m.one_of([1, 2, 2, 3, 4, 5, 6, 8, 16, 31, 32, 33, 40])
    parts = min(parts, max(size, 1))
    cuts = (sorted(int(cut) for cut in m.random.choice(np.arange(1, size), parts - 1,
                                                       replace=False)) if parts > 1 else [])
    lengths = [end - begin for begin, end in zip([0, *cuts], [*cuts, size])]
    attributes = ({"axis": m.one_of([axis, axis - len(sizes)]) if m.opset >= 11 else axis} if axis
                  or m.chance(0.5) else {})
    operands, more = m.list("split", 13, lengths)
    if m.chance(0.3) and (size % parts == 0 or m.opset >= 18):
        each = -(-size // parts)
        lengths = [each] * (parts - 1) + [size - each * (parts - 1)]
        operands, more = [], {"num_outputs": parts} if m.opset >= 18 else {}
        if lengths[-1] < 1:
            raise Refused
    m.node(op, [x, *operands], [(kind, sizes[:axis] + (length,) + sizes[axis + 1:])
                                for length in lengths], **attributes, **more)


@operator("Concat")
def concat(m, op):
    x = m.pick(ANY)
    kind, sizes = m.values[x]
    axis = m.some(0, len(sizes) - 1)
    if sizes[axis] == N and m.chance(0.8):
        raise Refused
    fitting = [name for name, (own, other) in m.values.items()
               if own == kind and len(other) == len(sizes)
               and all(a == b for d, (a, b) in enumerate(zip(other, sizes)) if d != axis)
               and other[axis] != N]
    if sizes[axis] == N:
        raise Refused  # several times N is no size of ours
    count = m.one_of([1, 2, 2, 3, 4, 8, 26, 33])
    operands = [m.one_of(fitting) for _ in range(count)]
    if N not in sizes and m.chance(0.3):
        operands[0] = m.constant(m.numbers(sizes, kind), kind)
    total = sum((m.constants[name].shape if name in m.constants else m.sizes_of(name))[axis]
                for name in operands)
    m.node(op, operands, [(kind, sizes[:axis] + (total,) + sizes[axis + 1:])],
           axis=m.one_of([axis, axis - len(sizes)]) if m.opset >= 11 else axis)


# Indices are constants within what they count, which may be negative from opset 11 on; or an
# operand of -9 to 9, if that fits.

def indices(m, count, shape):
    least = -count if m.opset >= 11 else 0
    return m.constant(m.random.integers(least, count, shape), m.one_of(INTEGERS))


def counted(m, sizes):
    known = [axis for axis, size in enumerate(sizes) if size != N]
    if not known:
        raise Refused
    return m.one_of(known)


@operator("Gather")
def gather(m, op):
    x = m.pick(ANY)
    kind, sizes = m.values[x]
    axis = counted(m, sizes)
    shape = m.one_of([[], [1], [5], [2, 3]] if len(sizes) > 1 else [[1], [5], [2, 3]])
    if len(shape) + len(sizes) - 1 > 4:
        raise Refused
    own = (m.input(m.one_of(INTEGERS), shape) if m.opset >= 11 and sizes[axis] >= 10
           and m.chance(0.5) else indices(m, sizes[axis], shape))
    named = axis - len(sizes) if m.opset >= 11 and m.chance(0.3) else axis
    m.node(op, [x, own], [(kind, (*sizes[:axis], *shape, *sizes[axis + 1:]))],
           **({"axis": named} if axis or m.chance(0.5) else {}))


@operator("GatherElements:11")
def gather_elements(m, op):
    x = m.pick(ANY)
    kind, sizes = m.values[x]
    axis = counted(m, sizes)
    shape = [*sizes[:axis], m.one_of([1, 4, sizes[axis]]), *sizes[axis + 1:]]
    if N in shape and sizes[axis] < 10:
        raise Refused
    own = m.input(m.one_of(INTEGERS), shape) if N in shape else indices(m, sizes[axis], shape)
    m.node(op, [x, own], [(kind, tuple(shape))],
           **({"axis": axis - len(sizes) * m.some(0, 1)} if axis or m.chance(0.5) else {}))


@operator("GatherND:11")
def gather_lists(m, op):
    x = m.pick(ANY, fits=lambda sizes: sizes[0] != N)
    kind, sizes = m.values[x]
    known = next((k for k, size in enumerate(sizes) if size == N), len(sizes))
    count = m.some(1, known)
    shape = m.one_of([[3], [2, 3]])
    if len(shape) + len(sizes) - count > 4:
        raise Refused
    lists = np.stack([m.random.integers(-size, size, shape) for size in sizes[:count]], axis=-1)
    m.node(op, [x, m.constant(lists, I64)], [(kind, (*shape, *sizes[count:]))])


def reduction(m, op, kind):
    """Of the engine NaN may win a comparison, or lose it."""
    names = ["none"] + ["add"] * (kind in (F32, F64, *INTEGERS) and m.opset >= 16) + ["max", "min"] * (kind in INTEGERS and m.opset >= 18)
    name = m.one_of(names)
    return {"reduction": name} if name != "none" else {}


@operator("ScatterElements:11")
def scatter_elements(m, op):
    x = m.pick((F32, F64, *INTEGERS, BOOL))
    kind, sizes = m.values[x]
    axis = counted(m, sizes)
    shape = [*sizes[:axis], m.one_of([1, 4, sizes[axis]]), *sizes[axis + 1:]]
    if N in shape and sizes[axis] < 10:
        raise Refused
    own = m.input(m.one_of(INTEGERS), shape) if N in shape else indices(m, sizes[axis], shape)
    updates = m.input(kind, shape) if m.chance(0.5) or N in shape else m.constant(m.numbers(shape, kind), kind)
    m.node(op, [x, own, updates], [(kind, sizes)], **reduction(m, op, kind), **({"axis": axis - len(sizes) * m.some(0, 1)} if axis or m.chance(0.5) else {}))


@operator("Expand:11")
def repeated_index(m, op):
    """As exporters write a sum of rows."""
    x = m.pick((F32, F64, *INTEGERS), ranks=(2, 3, 4), fits=lambda sizes: N not in sizes[1:])
    kind, sizes = m.values[x]
    if sizes[0] == N:
        raise Refused
    count = m.one_of([1, 3, 40])
    own = indices(m, sizes[0], [count] + [1] * (len(sizes) - 1))
    wide = m.node(op, [own, m.constant([count, *sizes[1:]], I64)], [(m.constants[own].dtype, (count, *sizes[1:]))])[0]
    m.node("ScatterElements", [x, wide, m.input(kind, (count, *sizes[1:]))], [(kind, sizes)], axis=0, **reduction(m, op, kind))


@operator("ScatterND:11")
def scatter_lists(m, op):
    x = m.pick((F32, F64, *INTEGERS), fits=lambda sizes: sizes[0] != N)
    kind, sizes = m.values[x]
    known = next((k for k, size in enumerate(sizes) if size == N), len(sizes))
    count, named = m.some(1, known), reduction(m, op, kind)
    shape = m.one_of([[3], [2, 3]]) if named else [1]  # of what is put in any order, which stays is open
    lists = np.stack([m.random.integers(-size, size, shape) for size in sizes[:count]], axis=-1)
    rest = sizes[count:]
    updates = m.input(kind, (*shape, *rest)) if m.chance(0.5) or N in rest else m.constant(m.numbers((*shape, *rest), kind), kind)
    m.node(op, [x, m.constant(lists, I64), updates], [(kind, sizes)], **named)


@operator("CumSum:11")
def cumulative_sum(m, op):
    x = m.pick((F32, F64, *INTEGERS))
    rank = len(m.sizes_of(x))
    axis = m.constant(np.array(m.some(-rank, rank - 1)), m.one_of(INTEGERS))
    m.node(op, [x, axis], [m.values[x]], **{key: m.some(0, 1)
                                            for key in ("exclusive", "reverse") if m.chance(0.5)})


@operator("Transpose")
def transpose(m, op):
    x = m.pick(ANY)
    kind, sizes = m.values[x]
    order = ([int(d) for d in m.random.permutation(len(sizes))] if m.chance(0.8)
             else list(range(len(sizes)))[::-1])
    m.node(op, [x], [(kind, [sizes[d] for d in order])],
           **({} if order == list(range(len(sizes)))[::-1] and m.chance(0.7) else {"perm": order}))


@operator("Reshape")
def reshape(m, op):
    x = m.pick(ANY)
    kind, sizes = m.values[x]
    front = 1 if sizes and sizes[0] == N else 0
    if N in sizes[front:]:
        raise Refused
    left, made = int(np.prod(sizes[front:], dtype=np.int64)), []
    for _ in range(m.some(0, 3)):
        factor = m.one_of([f for f in (1, 2, 3, 4, 6, 8, 10, 20, 40) if left % f == 0])
        made.append(factor)
        left //= factor
    made.append(left)
    result = sizes[:front] + tuple(made)
    listed = [0 if d < len(sizes) and sizes[d] == size and (size == N or m.chance(0.3)) else size
              for d, size in enumerate(result)]
    if N in listed:
        raise Refused
    if m.chance(0.4) and all(size != 0 or d < len(sizes) for d, size in enumerate(listed)):
        listed[m.some(front, len(listed) - 1)] = -1
    m.node(op, [x, m.constant(listed, I64)], [(kind, result)])


@operator("Squeeze")
def squeeze(m, op):
    x = m.pick(ANY, (2, 3, 4, 5, 6), lambda sizes: 1 in sizes)
    kind, sizes = m.values[x]
    ones = [d for d, size in enumerate(sizes) if size == 1]
    axes = sorted(int(d) for d in m.random.choice(ones, m.some(1, len(ones)), replace=False))
    if m.chance(0.2) and N not in sizes:
        m.node(op, [x], [(kind, [size for size in sizes if size != 1])])
        return
    operands, attributes = m.list("axes", 13, [d - len(sizes) if m.opset >= 11 and m.chance(0.3)
                                               else d for d in axes])
    m.node(op, [x, *operands], [(kind, [size for d, size in enumerate(sizes) if d not in axes])],
           **attributes)


@operator("Unsqueeze")
def unsqueeze(m, op):
    x = m.pick(ANY)
    kind, sizes = m.values[x]
    count = m.some(1, 2)
    axes = sorted(int(d) for d in m.random.choice(len(sizes) + count, count, replace=False))
    result, rest = [], iter(sizes)
    for d in range(len(sizes) + count):
        result.append(1 if d in axes else next(rest))
    operands, attributes = m.list("axes", 13, [d - len(result) if m.opset >= 11 and m.chance(0.3)
                                               else d for d in axes])
    m.node(op, [x, *operands], [(kind, result)], **attributes)


# ---------------------------------------------------------------------------------------------------------------------------------------
# What stands between regions, and patterns that exporters write

def product(m):
    x = m.pick((F32,), (2, 3, 4), lambda sizes: sizes[-1] != N)
    kind, sizes = m.values[x]
    columns = m.one_of([5, 32])
    m.node("MatMul", [x, m.constant(m.random.standard_normal((sizes[-1], columns)), kind)],
           [(kind, sizes[:-1] + (columns,))])


def branch(m):
    x = m.pick(FLOATS)
    name, graphs = f"v{len(m.nodes)}a", []
    for ops in (("Exp", "Neg"), ("Tanh", "Abs")):
        inner = [helper.make_node(ops[0], [x], [name + ops[0]]),
                 helper.make_node(ops[1], [name + ops[0]], [name + ops[1]])]
        graphs.append(helper.make_graph(inner, ops[0], [], [helper.make_tensor_value_info(name + ops[1], type_of(m.kind_of(x)), None)]))
    m.node("If", [m.constant(m.chance(0.5), BOOL)], [m.values[x]], then_branch=graphs[0],
           else_branch=graphs[1])


def asked(m, x, d):
    """A list of size d of a value, which the model asks for."""
    shape, = m.node("Shape", [x], [(I64, (len(m.sizes_of(x)),))])
    size, = m.node("Gather", [shape, m.constant([d], I64)], [(I64, (1,))])
    return size


def heads(m):
    """By sizes that are numbers, or that the model asks for; and back."""
    x = m.pick((m.kind,), (3,), lambda sizes: sizes[2] not in (N, 1) and sizes[2] % 2 == 0)
    kind, (n, rows, width) = m.values[x]
    if m.chance(0.5) and N not in (n, rows)[1:]:
        sizes = m.constant([0, 0, 2, -1], I64)
    else:
        sizes, = m.node("Concat", [asked(m, x, 0), asked(m, x, 1), m.constant([2, -1], I64)],
                        [(I64, (4,))], axis=0)
    split_, = m.node("Reshape", [x, sizes], [(kind, (n, rows, 2, width // 2))])
    m.node("Transpose", [split_], [(kind, (n, 2, rows, width // 2))], perm=[0, 2, 1, 3])


def rotated(m):
    x = m.pick((m.kind,), (2, 3, 4), lambda sizes: sizes[-1] not in (N, 1) and sizes[-1] % 2 == 0)
    kind, sizes = m.values[x]
    half, axis = sizes[:-1] + (sizes[-1] // 2,), len(sizes) - 1
    operands, attributes = m.list("split", 13, [half[-1]] * 2)
    low, high = m.node("Split", [x, *operands], [(kind, half)] * 2, axis=axis, **attributes)
    turned, = m.node("Neg", [high], [(kind, half)])
    m.node("Concat", [turned, low], [m.values[x]], axis=axis)


def looked_up(m):
    """A function of one tensor of 8 bits."""
    x = m.pick((U8, I8))
    kind = m.kind_of(x)
    if m.opset < 10:
        raise Refused
    scale, zero, _ = scale_of(m, (), kind, False)
    wide, = m.node("DequantizeLinear", [x, scale, zero], [(F32, m.sizes_of(x))])
    there, = m.node(m.one_of(["Sigmoid", "Tanh", "Relu", "Exp"]), [wide], [m.values[wide]])
    m.node("QuantizeLinear", [there, scale, zero], [m.values[x]])


PATTERNS = (product, branch, heads, rotated, looked_up)


def draw(random, wanted):
    """A model of a few nodes, among them operators of the list that is wanted, from which those are
    taken. The maker and the names of its results."""
    m = Maker(random)
    for _ in range(m.some(1, 14)):
        possible = [k for k, op in enumerate(wanted) if OPERATORS[op][0] <= m.opset]
        try:
            if m.chance(0.12) or not possible:
                m.one_of(PATTERNS)(m)
                continue
            op = wanted[possible[-1]]
            OPERATORS[op][1](m)
            wanted.pop(possible[-1])
        except Refused:
            if possible:  # later, with other values
                wanted.insert(0, wanted.pop(possible[-1]))
    made = [name for name in m.values if name not in m.inputs]
    if not made:
        return m, []
    read = {name for node in m.nodes for name in names_read(node)}
    results = [name for name in made if name not in read or m.chance(0.15)][-12:]
    return m, results or made[-1:]


if __name__ == "__main__":
    answer()

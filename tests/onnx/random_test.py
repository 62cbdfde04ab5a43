# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random models in ONNX Runtime, as they are and converted: opsets 7 to 22, elementwise operators between products, reductions, views and
quantized data, graphs within If, batches of 0, 1 and more; and mutations of them, which the engine may refuse. What the engine computes
of the one it computes of the other, at each of its levels.

    python3 random_test.py OPERATORS LIBRARY TOSAJIT [COUNT [SEED]]
"""
import os
import subprocess
import sys
import tempfile

import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper

operators, _, tosajit = sys.argv[1:4]
count, seed = [int(word) for word in (sys.argv[4:] + ["120", "0"][len(sys.argv) - 4:])]
LEVELS = [ort.GraphOptimizationLevel.ORT_DISABLE_ALL, ort.GraphOptimizationLevel.ORT_ENABLE_BASIC, ort.GraphOptimizationLevel.ORT_ENABLE_EXTENDED,
          ort.GraphOptimizationLevel.ORT_ENABLE_ALL]
UNARY = "Relu Sigmoid Tanh Exp Neg Abs Floor Sqrt Softplus HardSigmoid Elu LeakyRelu Identity Reciprocal Selu Softsign Ceil Log".split()
LATER = {"Sin": 7, "Cos": 7, "Erf": 9, "Sign": 9, "Round": 11, "HardSwish": 14, "Mish": 18, "Gelu": 20}
BINARY = "Add Sub Mul Div Max Min PRelu".split()
ort.set_default_logger_severity(4)


class Maker:
    """A graph that grows by nodes whose operands fit; sizes are those of a batch of 3."""

    def __init__(self, random):
        self.random, self.nodes, self.constants, self.sizes = random, [], {}, {}
        self.opset = int(random.integers(7, 23))
        self.width = int(random.choice([1, 3, 8, 40, 64]))
        self.kind = np.float32 if random.random() < 0.8 else np.float16 if random.random() < 0.5 else np.float64
        for name in ("a", "b"):
            self.sizes[name] = ("n", 6, self.width)

    def one_of(self, list):
        return list[int(self.random.integers(len(list)))]

    def constant(self, array, kind=None):
        name = f"c{len(self.constants)}"
        self.constants[name] = np.asarray(array, kind or self.kind)
        return name

    def add(self, op, inputs, sizes, **attributes):
        name = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, inputs, [name], **attributes))
        self.sizes[name] = sizes
        return name

    def listed(self, op, since, x, name, values, sizes, **attributes):
        """A list is an attribute, and from an opset on an operand."""
        if self.opset >= since:
            return self.add(op, [x, self.constant(values, np.int64)], sizes, **attributes)
        return self.add(op, [x], sizes, **{name: values}, **attributes)

    def asked(self, x, d):
        """A list of size d of a value, which the model asks for."""
        shape = self.add("Shape", [x], ())
        return self.hidden([shape, self.add("Gather", [shape, self.constant([d], np.int64)], ())])

    def hidden(self, names):
        """The last one of these, which are no operands of others."""
        for name in names:
            del self.sizes[name]
        return names[-1]

    def heads(self, x):
        """A list that leaves two sizes and divides the third."""
        if self.random.random() < 0.5:
            return self.constant([0, 0, 2, -1], np.int64)
        return self.hidden([self.add("Concat", [self.asked(x, 0), self.asked(x, 1), self.constant([2, -1], np.int64)], (), axis=0)])

    def unary(self):
        x = self.one_of(list(self.sizes))
        return self.add(self.one_of(UNARY + [op for op, since in LATER.items() if since <= self.opset]), [x], self.sizes[x])

    def binary(self):
        x = self.one_of(list(self.sizes))
        same = [name for name in self.sizes if self.sizes[name] == self.sizes[x]]
        shape = [[], [self.sizes[x][-1]], [1] * len(self.sizes[x])][int(self.random.integers(3))] if self.sizes[x][1:] else []
        y = self.one_of(same) if self.random.random() < 0.6 else self.constant(self.random.standard_normal(shape))
        op = self.one_of(BINARY)
        if op in ("Max", "Min") and self.opset < 8 and y not in same or op == "PRelu" and len(shape) > 1:
            op = "Add"
        return self.add(op, [x, y], self.sizes[x])

    def rows(self):
        x = self.one_of([name for name in self.sizes if len(self.sizes[name]) > 1])
        rank = len(self.sizes[x])
        axis, keeps = int(self.random.integers(1, rank)), int(self.random.integers(2))
        op = self.one_of(["Softmax", "LogSoftmax", "ReduceMean", "ReduceSum", "ReduceMax", "ReduceL2", "ReduceLogSumExp"])
        if "Softmax" in op:
            return self.add(op, [x], self.sizes[x], axis=rank - 1)
        left = list(self.sizes[x])
        left[axis:axis + 1] = [1] if keeps else []
        return self.listed(op, 13 if op == "ReduceSum" else 18, x, "axes", [axis], tuple(left), keepdims=keeps)

    def views(self):
        x = self.one_of([name for name in self.sizes if len(self.sizes[name]) == 3])
        n, rows, width = self.sizes[x]
        op = self.one_of(["Transpose", "Reshape", "Slice", "Concat", "Unsqueeze", "MatMul", "Split", "Rotated", "Heads"])
        if op == "Transpose":
            return self.add(op, [x], (n, width, rows), perm=[0, 2, 1])
        if op == "Split":
            return self.halves(x)[int(self.random.integers(2))]
        if op == "Rotated" and width % 2 == 0:
            low, high = self.halves(x)
            return self.add("Concat", [self.add("Neg", [high], self.sizes[high]), low], (n, rows, width), axis=-1 if self.opset > 10 else 2)
        if op == "Heads" and width % 2 == 0:
            heads = self.add("Reshape", [x, self.heads(x)], (n, rows, 2, width // 2))
            return self.add("Transpose", [heads], (n, 2, rows, width // 2), perm=[0, 2, 1, 3])
        if op == "Reshape":
            return self.add(op, [x, self.constant([0, rows * width], np.int64)], (n, rows * width))
        if op == "Slice" and width > 1:
            half = width // 2
            if self.opset < 10:
                return self.add(op, [x], (n, rows, half), axes=[2], starts=[0], ends=[half])
            first, end, axis = (self.constant([k], np.int64) for k in (0, half, 2))
            if self.random.random() < 0.5:
                end = self.hidden([self.add("Div", [self.asked(x, 2), axis], ())])  # by 2
            return self.add(op, [x, first, end, axis], (n, rows, half))
        if op == "Concat":
            return self.add(op, [x, x], (n, rows, 2 * width), axis=2)
        if op == "Unsqueeze":
            return self.listed(op, 13, x, "axes", [1], (n, 1, rows, width))
        return self.add("MatMul", [x, self.constant(self.random.standard_normal((width, 5)))], (n, rows, 5))

    def halves(self, x):
        """Both parts of the last size, of which the first one is the smaller."""
        n, rows, width = self.sizes[x]
        first = width // 2
        if not first:
            return x, x
        name, sizes = f"v{len(self.nodes)}", (first, width - first)
        lists = {"split": list(sizes)} if self.opset < 13 else {}
        given = [] if self.opset < 13 else [self.constant(sizes, np.int64)]
        self.nodes.append(helper.make_node("Split", [x] + given, [name, name + "b"], axis=2, **lists))
        self.sizes[name], self.sizes[name + "b"] = (n, rows, first), (n, rows, width - first)
        return name, name + "b"

    def quantized(self):
        if self.kind != np.float32 or self.opset < 10:
            return self.unary()
        x = self.one_of(["a", "b"])  # of NaN the engine makes this or that integer
        zero = self.one_of([np.uint8(0), np.uint8(120), np.int8(-3)])
        pair = [self.constant(0.05), self.constant(zero, zero.dtype)]
        inner = self.add("DequantizeLinear", [self.add("QuantizeLinear", [x, *pair], self.sizes[x])] + pair, self.sizes[x])
        del self.sizes[f"v{len(self.nodes) - 2}"]  # no float
        y = self.add(self.one_of(["Relu", "Sigmoid", "Tanh"]), [inner], self.sizes[x])
        z = self.add("DequantizeLinear", [self.add("QuantizeLinear", [y, *pair], self.sizes[x])] + pair, self.sizes[x])
        del self.sizes[f"v{len(self.nodes) - 2}"]
        return z

    def branch(self):
        x = self.one_of(list(self.sizes))
        name = f"v{len(self.nodes)}"
        graphs = []
        for ops in (("Exp", "Neg"), ("Tanh", "Abs")):
            inner = [helper.make_node(ops[0], [x], [name + ops[0]]), helper.make_node(ops[1], [name + ops[0]], [name + ops[1]])]
            graphs.append(helper.make_graph(inner, ops[0], [], [helper.make_tensor_value_info(name + ops[1], self.type(), None)]))
        return self.add("If", [self.constant(self.random.random() < 0.5, bool)], self.sizes[x], then_branch=graphs[0], else_branch=graphs[1])

    def type(self):
        return helper.np_dtype_to_tensor_dtype(np.dtype(self.kind))

    def model(self):
        for _ in range(int(self.random.integers(2, 18))):
            self.one_of([self.unary] * 4 + [self.binary] * 4 + [self.rows, self.views, self.quantized, self.branch])()
        results = list(self.sizes)[-1:] + ([self.one_of(list(self.sizes)[2:])] if self.random.random() < 0.5 else [])
        inputs = [helper.make_tensor_value_info(name, self.type(), ["n", 6, self.width]) for name in ("a", "b")]
        outputs = [helper.make_tensor_value_info(name, self.type(), None) for name in dict.fromkeys(results)]
        graph = helper.make_graph(self.nodes, "g", inputs, outputs, [numpy_helper.from_array(a, name) for name, a in self.constants.items()])
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)], ir_version=8 if self.opset < 20 else 9)

    def inputs(self, batch):
        return {name: self.random.standard_normal((batch, 6, self.width)).astype(self.kind) for name in ("a", "b")}


def mutated(random, model):
    """Another operator, operand, size, opset or element type."""
    new = onnx.ModelProto()
    new.CopyFrom(model)
    node = new.graph.node[int(random.integers(len(new.graph.node)))]
    way = int(random.integers(5))
    if way == 0:
        node.op_type = str(random.choice(UNARY + BINARY + list(LATER)))
    elif way == 1 and node.input:
        names = [name for other in new.graph.node for name in other.output][:1] + ["a", "b"] + [c.name for c in new.graph.initializer]
        node.input[int(random.integers(len(node.input)))] = str(random.choice(names))
    elif way == 2:
        new.opset_import[0].version = int(random.integers(7, 23))
    elif way == 3 and node.attribute:
        attribute = node.attribute[int(random.integers(len(node.attribute)))]
        attribute.i = int(random.integers(-4, 5))
        for k in range(len(attribute.ints)):
            attribute.ints[k] = int(random.integers(-4, 5))
    else:
        size = new.graph.input[0].type.tensor_type.shape.dim[int(random.integers(3))]
        size.Clear()
        size.dim_value = int(random.choice([0, 1, 6]))
    return new


def call(model, inputs, level, regions):
    """The results; None: the engine refuses the model or the call."""
    options = ort.SessionOptions()
    options.graph_optimization_level = level
    options.intra_op_num_threads = 1
    if regions:
        options.register_custom_ops_library(operators)
    try:
        return ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"]).run(None, inputs)
    except Exception as error:  # each of the engine's own kinds
        return str(error)


def far(one, other, kind):
    """How many numbers differ by more than roundings of this type, which products and exponents make larger. Or how types and shapes differ."""
    if one.shape != other.shape or one.dtype != other.dtype:
        return "%s %s and %s %s" % (one.dtype, one.shape, other.dtype, other.shape)
    a, b = one.astype(np.float64), other.astype(np.float64)
    with np.errstate(all="ignore"):
        fine = np.isfinite(a) & np.isfinite(b)
        near = {np.float16: 0.02, np.float32: 2e-4, np.float64: 1e-9}[kind]
        apart = np.abs(a - b)[fine] > near * (1 + np.abs(a[fine]))
        differ = apart.sum() + (np.isfinite(a) != np.isfinite(b)).sum()
    return differ


def without_nan(model, a, b):
    """The second one with the numbers that the engine has where a row's greatest or least element is NaN: docs/onnx.md tells of it."""
    if not {"ReduceMax", "ReduceMin"} & {node.op_type for node in model.graph.node} or a.shape != b.shape or a.dtype != b.dtype:
        return b
    return np.where(np.isnan(b), a, b)


def sensitive(model, inputs, level, results, kind):
    """Whether the engine itself is as far away once its inputs are moved by an ulp, or at another level."""
    moved = {name: np.nextafter(a, np.inf, dtype=a.dtype) for name, a in inputs.items()}
    others = [call(model, moved, level, False)] + [call(model, inputs, other, False) for other in LEVELS if other != level]
    return max((far(a, b, kind) for other in others if not isinstance(other, str) for a, b in zip(results, other)), default=0)


def compare(random, maker, model, folder, tally):
    source, target = os.path.join(folder, "source.onnx"), os.path.join(folder, "target.onnx")
    onnx.save(model, source)
    options = maker.one_of([[], ["--min-ops", "0", "--min-bytes", "0", "--fused"], ["--min-bytes", "0", "--accuracy", "exact"]])
    run = subprocess.run([tosajit, "onnx", source, "-o", target, *options], capture_output=True, text=True)
    assert run.returncode in (0, 1) and (run.returncode == 0 or "error" in run.stderr), run
    tally["refused by the converter"] += run.returncode
    if run.returncode:
        return
    new = onnx.load(target)
    tally["with regions"] += any(node.domain == "tosajit" for node in new.graph.node)
    level = LEVELS[int(random.integers(4))]
    for batch in (0, 1, 3):
        inputs = maker.inputs(batch)
        before = call(model, inputs, level, False)
        if isinstance(before, str):
            tally["refused by the engine"] += 1
            continue
        after = call(new, inputs, level, True)
        tally["compared"] += 1
        assert not isinstance(after, str), (level, batch, after)
        for a, b in zip(before, after):
            differ = far(a, without_nan(model, a, b), maker.kind)
            if not differ:
                continue
            own = 0 if isinstance(differ, str) else sensitive(model, inputs, level, before, maker.kind)
            tally["differ as the engine from itself"] += 1
            assert not isinstance(differ, str) and not isinstance(own, str) and differ <= 3 * own + 1 + 0.02 * a.size, (level, batch, options, differ, own, a, b)


def main():
    tally = dict.fromkeys(["with regions", "compared", "refused by the converter", "refused by the engine", "differ as the engine from itself"], 0)
    with tempfile.TemporaryDirectory() as folder:
        for k in range(seed, seed + count):
            random = np.random.default_rng(k)
            maker = Maker(random)
            model = maker.model()
            try:
                for changed in (model, mutated(random, model)):
                    compare(random, maker, changed, folder, tally)
            except Exception:
                print("seed %d; with %s: %s" % (k, " ".join(sys.argv[:4]), onnx.printer.to_text(changed)[:3000]), flush=True)
                raise
    print("%d models and as many mutations: %s" % (count, ", ".join("%s %d" % pair for pair in tally.items())))
    assert tally["with regions"] > count / 3 and tally["compared"] > count


main()

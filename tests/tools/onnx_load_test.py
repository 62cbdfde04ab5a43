# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Converted models, and nodes written by hand, in sessions of ONNX Runtime at each of its levels of
optimisation.

    python3 onnx_load_test.py TOSAJIT LIBTOSAJIT-ONNXRUNTIME WORK_DIRECTORY
"""
import os
import subprocess
import sys

import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper

tool, library, work = sys.argv[1:4]
random = np.random.default_rng(5)
ort.set_default_logger_severity(4)
F32, U8, I8, BOOL = TensorProto.FLOAT, TensorProto.UINT8, TensorProto.INT8, TensorProto.BOOL
LEVELS = [getattr(ort.GraphOptimizationLevel, "ORT_" + name)
          for name in ("DISABLE_ALL", "ENABLE_BASIC", "ENABLE_EXTENDED", "ENABLE_ALL")]
node, value = helper.make_node, helper.make_tensor_value_info
loaded = 0


def path(name):
    return os.path.join(work, name)


def check(truth, *what):
    if not truth:
        raise AssertionError(*what)


def model_of(nodes, inputs, outputs, constants=None, opset=17):
    graph = helper.make_graph(nodes, "g", inputs, outputs,
                              [numpy_helper.from_array(a, n) for n, a in (constants or {}).items()])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset),
                                                   helper.make_opsetid("tosajit", 1)], ir_version=8)


def session(model, level=LEVELS[-1]):
    """Of a model or a file."""
    global loaded
    options = ort.SessionOptions()
    options.register_custom_ops_library(library)
    options.graph_optimization_level = level
    loaded += 1
    return ort.InferenceSession(model if isinstance(model, str) else model.SerializeToString(),
                                options)


def convert(model, target="converted.onnx"):
    onnx.save(model, path("model.onnx"))
    run = subprocess.run([tool, "onnx", path("model.onnx"), "-o", path(target), "--min-bytes", "0"],
                         capture_output=True, text=True)
    check(run.returncode == 0 and " 0 regions" not in run.stdout, run)
    return path(target)


def refused(model, *said):
    try:
        session(model)
    except Exception as error:  # the engine has several kinds
        check(all(words in str(error) for words in said), error, said)
    else:
        check(False, "accepted", said)


def compare(model, inputs, apart):
    """Converted and as it is, at each level. Results of ours are rounded correctly, and the
    engine's are not: where a number is near the middle between two integers, it becomes the other
    one."""
    converted = convert(model)
    for level in LEVELS:
        expected = session(model, level).run(None, inputs)
        for found, own in zip(session(converted, level).run(None, inputs), expected):
            check(found.dtype == own.dtype and found.shape == own.shape, level, found.dtype,
                  found.shape)
            difference = np.abs(found.astype(np.float64) - own.astype(np.float64))
            check(difference.max() <= apart and np.mean(difference > 1e-5) < 0.01, level,
                  difference.max())


# The engine moves QuantizeLinear through what moves elements alone, up to the region, and asks what
# that gives.
MOVES = {"MaxPool": dict(kernel_shape=[2, 2]), "Reshape": {}, "Transpose": dict(perm=[0, 2, 3, 1]),
         "Squeeze": {}, "Softmax": {}}
SCALE = np.float32(0.05)


def quantized(move, kind, given=("t",), more=()):
    """x * sigmoid(x), and functions of it that others read, then a move and a quantization of
    each."""
    constants = {"sc": SCALE, "z": np.array(7, kind), "shape": np.int64([0, -1]),
                 "axes": np.int64([1])}
    nodes = [node("Sigmoid", ["x"], ["s"]), node("Mul", ["x", "s"], ["t"]), *more]
    for name in given:
        operands = {"Reshape": [name, "shape"], "Squeeze": [name, "axes"]}.get(move, [name])
        nodes += [node(move, operands, ["r" + name], **MOVES[move]),
                  node("QuantizeLinear", ["r" + name, "sc", "z"], ["q" + name]),
                  node("DequantizeLinear", ["q" + name, "sc", "z"], ["y" + name])]
    channels = 1 if move == "Squeeze" else 4
    return (nodes, value("x", F32, ["n", channels, 8, 8]), constants,
            random.standard_normal((2, channels, 8, 8)).astype(np.float32))


for move in MOVES:
    for kind in (np.uint8, np.int8):
        nodes, x, constants, data = quantized(move, kind)
        compare(model_of(nodes, [x], [value("yt", F32, None)], constants), {"x": data},
                1.01 * SCALE)
    then = helper.make_graph(nodes, "then", [], [value("yt", F32, None)],
                             [numpy_helper.from_array(a, n) for n, a in constants.items()])
    other = helper.make_graph([node("Identity", ["x"], ["z2"])], "else", [],
                              [value("z2", F32, None)])
    within = model_of([node("If", ["c"], ["o"], then_branch=then, else_branch=other)],
                      [x, value("c", BOOL, [])], [value("o", F32, None)])
    compare(within, {"x": data, "c": np.array(True)}, 1.01 * SCALE)

# Several results of one region, of which each is moved and quantized. Of five, the engine learns of
# the first four.
for count in (2, 3, 4):
    names = ["t"] + [f"u{k}" for k in range(1, count)]
    more = [node("Mul", [a, "x"], [b]) for a, b in zip(names, names[1:])]
    nodes, x, constants, data = quantized("MaxPool", np.uint8, names, more)
    model = model_of(nodes, [x], [value("y" + name, F32, None) for name in names], constants)
    compare(model, {"x": data}, 1.01 * SCALE)
    kinds = [n.op_type for n in onnx.load(path("converted.onnx")).graph.node
             if n.domain == "tosajit"]
    check(f"Region{count}" in kinds, kinds)

# A quantized network: what stands between DequantizeLinear and QuantizeLinear is the engine's.
weight = {"w8": random.integers(-50, 50, (8, 3, 3, 3)).astype(np.int8), "ws": np.float32(0.02),
          "wz": np.int8(0)}
pairs = {name + part: a for name in ("xq", "cq", "fq")
         for part, a in (("s", SCALE), ("z", np.uint8(100)))}
pair = lambda a, b: [node("QuantizeLinear", [a, b + "s", b + "z"], [b + "q"]),
                     node("DequantizeLinear", [b + "q", b + "s", b + "z"], [b])]
network = model_of([*pair("x", "xq"), node("DequantizeLinear", ["w8", "ws", "wz"], ["w"]),
                    node("Conv", ["xq", "w"], ["c"], pads=[1] * 4),
                    *pair("c", "cq"), node("Sigmoid", ["cq"], ["sg"]),
                    node("Mul", ["cq", "sg"], ["act"]),
                    node("MaxPool", ["act"], ["p"], kernel_shape=[2, 2], strides=[2, 2]),
                    node("Reshape", ["p", "sh"], ["f"]), *pair("f", "fq")],
                   [value("x", F32, ["n", 3, 16, 16])], [value("fq", F32, None)],
                   {**weight, **pairs, "sh": np.int64([0, -1])})
compare(network, {"x": random.standard_normal((2, 3, 16, 16)).astype(np.float32)}, 1.01 * SCALE)


# An input with a default takes other sizes as well.
default = model_of([node("Add", ["x", "b"], ["t"]), node("Sigmoid", ["t"], ["y"])],
                   [value("x", F32, ["n", "m"]), value("b", F32, ["k"])],
                   [value("y", F32, [None, None])], {"b": np.float32([0.5])})
data = random.standard_normal((3, 8)).astype(np.float32)
for inputs in ({"x": data}, {"x": data, "b": np.arange(8, dtype=np.float32)}):
    compare(default, inputs, 1e-6)


# Weights in files of their own come along into another folder.
matrix = model_of([node("MatMul", ["x", "w"], ["m"]), node("Mul", ["m", "k"], ["t"]),
                   node("Sigmoid", ["t"], ["s"]), node("Mul", ["t", "s"], ["y"])],
                  [value("x", F32, ["n", 8])], [value("y", F32, ["n", 8])],
                  {"w": random.standard_normal((8, 8)).astype(np.float32),
                   "k": random.standard_normal(8).astype(np.float32)})
expected = session(matrix, LEVELS[0]).run(None, {"x": data})[0]
for folder in ("weights", "elsewhere"):
    os.makedirs(path(folder), exist_ok=True)
onnx.save_model(matrix, path("weights/m.onnx"), save_as_external_data=True,
                all_tensors_to_one_file=False, size_threshold=0)
subprocess.run([tool, "onnx", path("weights/m.onnx"), "-o", path("elsewhere/m.onnx"), "--min-bytes",
                "0", "--fused"], check=True, capture_output=True)
check(np.allclose(session(path("elsewhere/m.onnx")).run(None, {"x": data})[0], expected, rtol=1e-5,
                  atol=1e-6))


# The inferred type of a value that nobody declares. Softmax gives the sizes on.
def region(text, inputs, outputs, op="Region", **attributes):
    return node(op, inputs, outputs, domain="tosajit", expression=text, **attributes)


def shape_of(text, shapes, **attributes):
    names = [f"x{k}" for k in range(len(shapes))]
    model = model_of([region(text, names, ["t"], **attributes), node("Softmax", ["t"], ["y"])],
                     [value(n, F32, s) for n, s in zip(names, shapes)], [value("y", F32, None)])
    return session(model, LEVELS[0]).get_outputs()[0].shape


for text, shapes, expected in (
    ("x0: f32[?,64]; x0 * 2", [["n", 64]], ["n", 64]),
    ("x0: f32[?,?]; x0 * 2", [[5, "m"]], [5, "m"]),
    ("x0: f32[?,?], x1: f32[?]; x0 + x1", [["n", "m"], ["m"]], ["n", "m"]),
    ("x0: f32[?,?], x1: f32[?,1]; x0 + x1", [["n", "m"], ["n", 1]], ["n", "m"]),
    ("x0: f32[?,1,3], x1: f32[4,1]; x0 + x1", [["n", 1, 3], [4, 1]], ["n", 4, 3]),
):
    check(shape_of(text, shapes) == expected, text, shapes, shape_of(text, shapes))
# Which of the two repeats, a call decides; and of a size without a name nothing is known.
for text, shapes in (("x0: f32[?,4], x1: f32[?,4]; x0 + x1", [["n", 4], ["m", 4]]),
                     ("x0: f32[?,4]; x0 * 2", [[None, 4]]),
                     ("x0: f32[?,4]; x0 * 2", [None])):
    found = shape_of(text, shapes)
    check(len(found) == 2 and found[1] == 4 and found[0] not in ("n", "m")
          and not isinstance(found[0], int), text, found)

# Whether integers have a sign, the attribute tells.
dequantize = node("DequantizeLinear", ["q", "s", "z"], ["y"])
data = random.standard_normal((3, 4)).astype(np.float32) * 40
for number, kind in ((U8, np.uint8), (I8, np.int8)):
    text = "x0: f32[?,4]; " + ("i8(i32(clamp(x0, min=0, max=255)))" if kind == np.uint8
                               else "i8(x0)")
    signs = model_of([region(text, ["x"], ["q"], types=[number]), dequantize],
                     [value("x", F32, ["n", 4])],
                     [value("y", F32, None)], {"s": np.float32(2), "z": kind(0)})
    check(np.array_equal(session(signs).run(None, {"x": data})[0],
                         2 * np.rint(np.clip(data, np.iinfo(kind).min, np.iinfo(kind).max))), kind)
refused(model_of([region(text, ["x"], ["q"]), dequantize], [value("x", F32, ["n", 4])],
                 [value("y", F32, None)],
                 {"s": np.float32(2), "z": np.int8(0)}), "type inference failed")
# Words that do not fit change nothing about what is said: the engine never hears of an output that
# the node has not.
one, three = "x0: f32[?]; x0 * 2", "x0: f32[?]; a = x0 + 1; b = x0 + 2; c = x0 + 3"
wrong = lambda made, count: model_of([made], [value("x", F32, ["n"])],
                                     [value(f"y{k}", F32, None) for k in range(count)])
refused(wrong(region(one, ["x"], ["y0"], types=[U8]), 1), "tensor(uint8)", "y0")
refused(wrong(region(three, ["x"], ["y0"], types=[F32] * 100), 1), "outputs: 1, results: 3")
refused(wrong(region(three, ["x"], ["y0", "y1"], "Region2"), 2), "outputs: 2, results: 3")
refused(wrong(region(three, ["x"], ["y0"], "Region3"), 1), "Region3")
refused(wrong(region("x0: f32[?]; x0 +* 2", ["x"], ["y0"]), 1), "an operand expected")
x = np.float32([1, 2])
for types in ([99], [-1], [F32, F32]):
    check(np.array_equal(session(wrong(region(one, ["x"], ["y0"], types=types),
                                       1)).run(None, {"x": x})[0], 2 * x), types)
check(len(session(wrong(region(three, ["x"], ["y0", "y1", "y2"], "Region2"),
                        3)).run(None, {"x": x})) == 3)

# Inputs of bf16, which the oldest version takes from no array: then the message names the input,
# and what is to be done.
half = model_of([node("Cast", ["x"], ["c"], to=F32), node("Mul", ["c", "c"], ["t"]),
                 node("Sigmoid", ["t"], ["y"])],
                [value("x", TensorProto.BFLOAT16, ["n", 4])], [value("y", F32, ["n", 4])])
onnx.save(half, path("half.onnx"))
run = subprocess.run([tool, "onnx", path("half.onnx"), "-o", path("halves.onnx"), "--min-bytes",
                      "0", "--check"], capture_output=True, text=True,
                     env=dict(os.environ, TOSAJIT_PYTHON=sys.executable))
if hasattr(ort.OrtValue, "ortvalue_from_numpy_with_onnx_type"):
    check(run.returncode == 0 and "128 elements" in run.stdout, run)
else:
    check(run.returncode == 1 and run.stderr == "tosajit: error: input x is tensor(bfloat16), "
          f"which ONNX Runtime {ort.__version__} takes from "
          "no array; a later one does: `pip install --upgrade onnxruntime`\n", run)

# The engine has nothing to say about a converted model: constants that regions have in their texts
# are gone.
quiet = model_of([node("Constant", [], ["c"], value=numpy_helper.from_array(np.float32(2.5))),
                  node("Mul", ["x", "c"], ["a"]),
                  node("Add", ["a", "b"], ["d"]), node("Exp", ["d"], ["y"])],
                 [value("x", F32, ["n", 4])], [value("y", F32, ["n", 4])],
                 {"b": np.float32(0.5)})
script = ("import sys, onnxruntime as o; s = o.SessionOptions(); "
          "s.register_custom_ops_library(sys.argv[1]); o.InferenceSession(sys.argv[2], s)")
run = subprocess.run([sys.executable, "-c", script, library, convert(quiet)], capture_output=True,
                     text=True)
check(run.returncode == 0 and "initializer" not in run.stderr, run)

print(f"ONNX Runtime {ort.__version__}: {loaded} sessions")

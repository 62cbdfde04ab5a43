# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models through `tosajit onnx`: every operator against its definition in NumPy, broadcasting, what
stays and why, graphs within graphs, and files that are no models.

    python3 onnx_test.py TOSAJIT WORK_DIRECTORY [MODELS]

In the folder MODELS it leaves the model of each operator.
"""
import json
import math
import os
import resource
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
import tosajit

tool, work, kept = (sys.argv[1:] + [""])[:3]
random = np.random.default_rng(1)
F32, F64, I32, I64, I8, U8, BOOL = (TensorProto.FLOAT, TensorProto.DOUBLE, TensorProto.INT32,
                                    TensorProto.INT64,
                                    TensorProto.INT8, TensorProto.UINT8, TensorProto.BOOL)
ELEMENT = {"float32": F32, "float64": F64, "int32": I32, "int64": I64, "int8": I8, "uint8": U8,
           "bool": BOOL,
           "float16": TensorProto.FLOAT16, "int16": TensorProto.INT16, "uint16": TensorProto.UINT16}


def check(truth, *what):
    if not truth:
        raise AssertionError(*what)


def value(name, array_or_type, shape=None):
    if shape is None:
        return helper.make_tensor_value_info(name, ELEMENT[array_or_type.dtype.name],
                                             array_or_type.shape)
    return helper.make_tensor_value_info(name, array_or_type, shape)


def model_of(nodes, inputs, outputs, constants=None, opset=17, infos=()):
    graph = helper.make_graph(nodes, "g", inputs, outputs,
                              [numpy_helper.from_array(a, n) for n, a in (constants or {}).items()],
                              value_info=infos)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset),
                                                   helper.make_opsetid("com.microsoft", 1)],
                             ir_version=8)


def convert(model, *options, code=0):
    """The converted model and the report."""
    source, target = os.path.join(work, "in.onnx"), os.path.join(work, "out.onnx")
    bytes_of = model if isinstance(model, bytes) else model.SerializeToString()
    with open(source, "wb") as file:
        file.write(bytes_of)
    if os.path.exists(target):
        os.remove(target)
    run = subprocess.run([tool, "onnx", source, "-o", target, "--json", *options],
                         capture_output=True)
    check(run.returncode == code, run.returncode, run.stdout, run.stderr)
    if code:
        check(not os.path.exists(target), "a refused model was written")
        return run.stderr.decode()
    return onnx.load(target), json.loads(run.stdout)


ALL = ("--min-ops", "0", "--min-bytes", "0", "--fused")


def regions(graph):
    return [n for n in graph.node if n.domain == "tosajit"]


def expression(node):
    count = len(node.output)
    check(node.op_type == ("Region" if count == 1 else f"Region{min(count, 8)}")
          and node.attribute[0].name == "expression", node)
    check(node.attribute[1].name == "types" and len(node.attribute[1].ints) == count, node)
    return node.attribute[0].s.decode()


def signed(array):
    """The bits of unsigned integers, as the engine gives them to the library."""
    return array.view(array.dtype.name[1:]) if array.dtype.kind == "u" else array


def evaluate(graph, values):
    """All nodes of a graph that has nothing but regions and transpositions; a dictionary of
    values."""
    values = dict(values)
    for initializer in graph.initializer:
        values[initializer.name] = numpy_helper.to_array(initializer)
    for node in graph.node:
        if node.op_type == "Transpose":
            values[node.output[0]] = np.transpose(values[node.input[0]], node.attribute[0].ints)
            continue
        text = expression(node)
        operands = {f"x{k}": signed(np.asarray(values[name], order="C"))
                    for k, name in enumerate(node.input)}
        results = tosajit.evaluate(text, **operands)
        results = results if isinstance(results, (tuple, list)) else [results]
        check(len(results) == len(node.output), text)
        values.update(zip(node.output, (np.asarray(r) for r in results)))
    return values


def same(found, expected, what, tolerance):
    expected = np.asarray(expected)
    check(found.shape == expected.shape, what, found.shape, expected.shape)
    if (expected.dtype.kind == "u" and found.dtype.itemsize == expected.dtype.itemsize
        and found.dtype.kind == "i"):
        found = found.view(expected.dtype)
    check(found.dtype == expected.dtype, what, found.dtype, expected.dtype)
    if tolerance == 0:
        check(np.array_equal(found, expected, equal_nan=found.dtype.kind == "f"), what, found,
              expected)
    else:
        check(np.allclose(found, expected, rtol=tolerance, atol=tolerance, equal_nan=True), what,
              found, expected)


erf = np.vectorize(math.erf, otypes=[np.float64])
sigmoid = lambda x: 1 / (1 + np.exp(-x))
softplus = lambda x: np.log1p(np.exp(-np.abs(x))) + np.maximum(x, 0)
gelu = lambda x: 0.5 * x * (1 + erf(x / math.sqrt(2)))
tanh_gelu = lambda x: 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
x = (random.standard_normal((3, 4)) * 3).astype(np.float32)
x[0, 0], x[1, 1], x[2, 2] = 0, -2.5, 2.5
y = (random.standard_normal((3, 4)) * 2).astype(np.float32)
p = np.abs(x) + np.float32(0.5)
i = random.integers(-20, 20, (3, 4)).astype(np.int32)
j = random.integers(1, 7, (3, 4)).astype(np.int32) * random.choice([-1, 1], (3, 4)).astype(np.int32)
b, c = x > 0, y > 0
odd = x.copy()
odd[0] = np.nan, np.inf, -np.inf, -0.0

bytes_ = random.integers(0, 256, (3, 4)).astype(np.uint8)

# Rounded once more than in f64: a few units of 2^-24, and the reciprocal's.
NEAR = 1e-6
# name, operands, definition in float64 or integers, tolerance, attributes, opset
cases = [
    ("Add", [x, y], lambda a, b: a + b, NEAR), ("Sub", [x, y], lambda a, b: a - b, NEAR),
    ("Mul", [x, y], lambda a, b: a * b, NEAR), ("Div", [x, p], lambda a, b: a / b, 0),
    ("Add", [i, j], lambda a, b: a + b, 0), ("Sub", [i, j], lambda a, b: a - b, 0),
    ("Mul", [i, j], lambda a, b: a * b, 0), ("Div", [i, j], lambda a, b: np.trunc(a / b), 0), ("Div", [odd, p], lambda a, b: a / b, 0),
    ("Mod", [i, j], np.mod, 0), ("Mod", [i, j], np.fmod, 0, {"fmod": 1}),
    ("Mod", [i.astype(np.int64), j.astype(np.int64)], np.mod, 0),
    ("Pow", [p, y], lambda a, b: a**b, NEAR), ("Sum", [x, y, p], lambda a, b, c: a + b + c, NEAR), ("Sum", [x], lambda a: a, 0),
    ("Max", [x, y, p], lambda a, b, c: np.maximum(np.maximum(a, b), c), 0),
    ("Min", [x, y, p], lambda a, b, c: np.minimum(np.minimum(a, b), c), 0), ("Max", [i, j], np.maximum, 0),
    ("Mean", [x, y, p], lambda a, b, c: (a + b + c) / 3, NEAR), ("Mean", [x, y], lambda a, b: (a + b) / 2, NEAR),
    ("Neg", [x], np.negative, 0), ("Neg", [i], np.negative, 0), ("Neg", [i.astype(np.int64) - 2**62 - 2**61], np.negative, 0), ("Abs", [x], np.abs, 0), ("Abs", [i], np.abs, 0),
    ("Sign", [x], np.sign, 0), ("Sign", [odd.astype(np.float16)], lambda a: np.nan_to_num(np.sign(a), nan=0), 0), ("Sign", [i], np.sign, 0), ("Floor", [x], np.floor, 0), ("Ceil", [x], np.ceil, 0),
    ("Round", [x], np.round, 0), ("Round", [odd], np.round, 0), ("Round", [x.astype(np.float64)], np.round, 0),
    ("Reciprocal", [p], np.reciprocal, 0), ("Sqrt", [p], np.sqrt, 0), ("Sqrt", [odd], np.sqrt, 0),
    ("Sqrt", [p.astype(np.float64)], np.sqrt, 0), ("Div", [x.astype(np.float64), p.astype(np.float64)], np.divide, 0), ("Exp", [x], np.exp, NEAR), ("Log", [p], np.log, NEAR),
    ("Sin", [x], np.sin, NEAR), ("Cos", [x], np.cos, NEAR), ("Tanh", [x], np.tanh, NEAR), ("Erf", [x], erf, NEAR),
    ("Sigmoid", [x], sigmoid, NEAR), ("Relu", [x], lambda a: np.maximum(a, 0), 0),
    ("LeakyRelu", [x], lambda a: np.where(a < 0, 0.01 * a, a), NEAR),
    ("LeakyRelu", [x], lambda a: np.where(a < 0, 0.3 * a, a), NEAR, {"alpha": 0.3}),
    ("PRelu", [x, p], lambda a, s: np.where(a < 0, s * a, a), NEAR),
    ("ThresholdedRelu", [x], lambda a: np.where(a > 1, a, 0), 0),
    ("Clip", [x], lambda a: np.clip(a, np.float64(-np.finfo(np.float32).max), np.float64(np.finfo(np.float32).max)), 0), ("Clip", [x], lambda a: np.clip(a, -1, 2), 0, {"min": -1.0, "max": 2.0}, 10),
    ("HardSigmoid", [x], lambda a: np.clip(0.2 * a + 0.5, 0, 1), NEAR),
    ("HardSigmoid", [x], lambda a: np.clip(0.25 * a + 0.125, 0, 1), NEAR, {"alpha": 0.25, "beta": 0.125}),
    ("HardSwish", [x], lambda a: a * np.clip(a / 6 + 0.5, 0, 1), NEAR),
    ("Elu", [x], lambda a: np.where(a < 0, np.expm1(a), a), NEAR),
    ("Selu", [x], lambda a: 1.05070102 * np.where(a > 0, a, 1.67326319 * np.expm1(a)), NEAR),
    ("Softplus", [x], softplus, NEAR), ("Softplus", [x * 100], softplus, NEAR), ("Softsign", [x], lambda a: a / (1 + np.abs(a)), NEAR),
    ("Mish", [x], lambda a: a * np.tanh(softplus(a)), NEAR, {}, 18),
    ("Gelu", [x], gelu, NEAR, {}, 20), ("Gelu", [x], tanh_gelu, NEAR, {"approximate": "tanh"}, 20),
    ("com.microsoft.Gelu", [x], gelu, NEAR), ("com.microsoft.BiasGelu", [x, y[0]], lambda a, b: gelu(a + b), NEAR),
    ("com.microsoft.FastGelu", [x], tanh_gelu, NEAR),
    ("com.microsoft.QuickGelu", [x], lambda a: a * sigmoid(1.702 * a), NEAR),
    ("Shrink", [x], lambda a: np.where(a < -0.5, a, np.where(a > 0.5, a, 0)), NEAR),
    ("Shrink", [x], lambda a: np.where(a < -1, a + 0.5, np.where(a > 1, a - 0.5, 0)), NEAR, {"lambd": 1.0, "bias": 0.5}),
    ("Equal", [i, j], np.equal, 0), ("Equal", [b, c], np.equal, 0), ("Greater", [x, y], np.greater, 0),
    ("GreaterOrEqual", [i, j], np.greater_equal, 0), ("Less", [x, y], np.less, 0), ("LessOrEqual", [i, j], np.less_equal, 0),
    ("And", [b, c], np.logical_and, 0), ("Or", [b, c], np.logical_or, 0), ("Xor", [b, c], np.logical_xor, 0),
    ("Not", [b], np.logical_not, 0), ("IsNaN", [odd], np.isnan, 0), ("IsInf", [odd], np.isinf, 0),
    ("IsInf", [odd], np.isposinf, 0, {"detect_negative": 0}), ("IsInf", [odd], np.isneginf, 0, {"detect_positive": 0}),
    ("BitwiseAnd", [i, j], np.bitwise_and, 0, {}, 18), ("BitwiseOr", [i, j], np.bitwise_or, 0, {}, 18),
    ("BitwiseXor", [i, j], np.bitwise_xor, 0, {}, 18), ("BitwiseNot", [i], np.bitwise_not, 0, {}, 18),
    ("Where", [b, x, y], np.where, 0), ("Where", [b, i, j], np.where, 0), ("Identity", [x], lambda a: a, 0),
    ("Cast", [x], lambda a: np.trunc(a).astype(np.int32), 0, {"to": I32}), ("Cast", [i], lambda a: a.astype(np.float32), 0, {"to": F32}),
    ("Cast", [b], lambda a: a.astype(np.float32), 0, {"to": F32}), ("Cast", [x], lambda a: a != 0, 0, {"to": BOOL}),
    ("Cast", [x * 1e12], lambda a: np.trunc(a).astype(np.int64), 0, {"to": I64}),
    ("Cast", [i.astype(np.int64) * 123456789012345], lambda a: a.astype(np.float32), 0, {"to": F32}),
    ("Cast", [bytes_], lambda a: a.astype(np.float32), 0, {"to": F32}), ("Cast", [bytes_], lambda a: a.astype(np.int32), 0, {"to": I32}),
    ("Cast", [p], lambda a: np.trunc(a).astype(np.uint8), 0, {"to": U8}),
    ("Cast", [x], lambda a: a.astype(np.float64), 0, {"to": F64}), ("Cast", [i], lambda a: a.astype(np.int64), 0, {"to": I64}),
    ("Cast", [x], lambda a: a.astype(np.float16), 0, {"to": TensorProto.FLOAT16}),
]


def node_of(name, inputs, outputs, attributes):
    domain, _, op = name.rpartition(".")
    return helper.make_node(op, inputs, outputs, domain=domain, **attributes)


def expected_of(definition, operands, like):
    wide = [a.astype(np.float64) if a.dtype == np.float32 else a for a in operands]
    with np.errstate(invalid="ignore"):
        result = np.asarray(definition(*wide))
    return result.astype(like)


for name, operands, definition, tolerance, *rest in cases:
    attributes, opset = (rest + [{}])[0], (rest + [{}, 17])[1] if len(rest) > 1 else 17
    names = [f"in{k}" for k in range(len(operands))]
    inputs = [value(n, a) for n, a in zip(names, operands)]
    probe = np.asarray(definition(*[a[..., :1] for a in operands]))
    like = (bool if probe.dtype == bool else probe.dtype if name == "Cast"
            else operands[-1 if name == "Where" else 0].dtype)
    model = model_of([node_of(name, names, ["out"], attributes)], inputs,
                     [value("out", np.empty((3, 4), like))], opset=opset)
    if kept:
        onnx.save(model, os.path.join(kept, f"{len(os.listdir(kept)):02}-{name}.onnx"))
    converted, report = convert(model, *ALL)
    check(len(regions(converted.graph)) == 1 and len(converted.graph.node) == 1, name, report)
    found = evaluate(converted.graph, dict(zip(names, operands)))["out"]
    same(found, expected_of(definition, operands, like), name, tolerance)
    if opset <= 17:
        onnx.checker.check_model(converted)
with open(os.path.join(os.path.dirname(__file__), "../../tools/onnx/lowering/forms.c")) as file:
    rows_of_table = [line for line in file if line.startswith('    {"')]
table = [line.split('"')[1] for line in rows_of_table]
# tests/onnx/rows_test.py has these
in_rows = {line.split('"')[1] for line in rows_of_table if "write_rows" in line}
# tests/onnx/views_test.py these
in_views = {line.split('"')[1] for line in rows_of_table
            if "write_view" in line or "write_scatter" in line}
in_bytes = {name for name in table if "QLinear" in name}  # and tests/onnx/bytes_test.py these
check(len(in_rows) > 20)
missing = (set(table) - {name for name, *_ in cases}
           - {"BatchNormalization", "QuantizeLinear", "DequantizeLinear"} - in_rows - in_views
           - in_bytes)
check(len(table) > 50 and not missing, "operators without a case", missing)
with open(os.path.join(os.path.dirname(__file__), "../../docs/onnx.md")) as file:
    listed = file.read().split("## Operators")[1].split("| operator")[0].replace(",", " ").replace(".", " ").split()
unlisted = {name.rpartition(".")[2] for name in table} - set(listed)
check(not unlisted, "docs/onnx.md does not list", unlisted)

# Activations keep both ends, in units of the last place of each type over all its numbers, or a
# sample of f32's. Softplus of -30 is
# exp(-30), and of 100 it is 100. A result has passed half a unit of each rounding on its way: the
# functions, their argument 1 + t, which
# is corrected, and the sums of Softplus are two and a quarter; Mish has nine roundings, whose units
# are up to twice those of the result.
MOST = {"Softplus": 2.5, "Mish": 5}
DIGITS = {"float16": (10, -14), "bfloat16": (7, -126), "float32": (23, -126)}
wide_softplus = lambda a: np.log1p(np.exp(-np.abs(a))) + np.maximum(a, 0)


def all_numbers(kind):
    """As f32, which has all of each type."""
    halves = np.arange(2**16, dtype=np.uint16)
    numbers = {"float16": halves.view(np.float16).astype(np.float32), "bfloat16": (halves.astype(np.uint32) << 16).view(np.float32),
               "float32": np.concatenate([np.arange(0, 2**32, 65521, dtype=np.uint64).astype(np.uint32).view(np.float32),
                                          np.linspace(-104, 20, 200001).astype(np.float32), np.linspace(-2, 2, 100001).astype(np.float32)])}[kind]
    return numbers[np.isfinite(numbers)]


def units_apart(found, expected, kind):
    digits, least = DIGITS[kind]
    exponent = np.floor(np.log2(np.maximum(np.abs(expected), 2.0**least)))
    return np.max(np.abs(found.astype(np.float64) - expected) / np.exp2(exponent - digits))


for kind, element in (("float16", TensorProto.FLOAT16), ("bfloat16", TensorProto.BFLOAT16),
                      ("float32", F32)):
    numbers = all_numbers(kind)
    wide = numbers.astype(np.float64)
    for op, definition in (("Softplus", wide_softplus),
                           ("Mish", lambda a: a * np.tanh(wide_softplus(a)))):
        model = model_of([helper.make_node(op, ["a"], ["out"])], [value("a", element, ["n", "m"])],
                         [value("out", element, ["n", "m"])], opset=18)
        operand, _, statements = expression(convert(model, *ALL)[0].graph.node[0]).partition("; ")
        name = operand.partition(": ")[2].partition("[")[0]
        text = (f"x: f32[?]; x0 = {name}(x); {statements.rpartition('; ')[0]}; "
                f"f32({statements.rpartition('; ')[2]})")
        with np.errstate(all="ignore"):
            apart = units_apart(tosajit.evaluate(text, x=numbers), definition(wide), kind)
            check(apart <= MOST[op], op, kind, apart, text)
    cast = {"float16": "f16", "bfloat16": "bf16", "float32": "f32"}[kind]
    with np.errstate(all="ignore"):
        for function, definition, chosen in (("softplus", wide_softplus, numbers),
                                             ("log1p", np.log1p, numbers[numbers > -1])):
            found = tosajit.evaluate(f"z = {cast}(x); f32({function}(z))", x=chosen)
            check(units_apart(found, definition(chosen.astype(np.float64)), kind)
                  <= MOST["Softplus"], function, kind)
ends = np.float32([np.inf, -np.inf, np.nan, -1, -1.5])
with np.errstate(all="ignore"):
    same(tosajit.evaluate("softplus(x)", x=ends),
         wide_softplus(ends.astype(np.float64)).astype(np.float32), "softplus", NEAR)
    same(tosajit.evaluate("log1p(x)", x=ends), np.log1p(ends), "log1p", NEAR)

# Infinities, NaN and the largest numbers: where the definition has an end, so has the form.
huge = np.float32([np.inf, -np.inf, np.nan, 3e38, -3e38, 1e30, -1e30, 200, -200])
for name, operands, definition, tolerance, *rest in cases:
    if len(operands) > 1 or operands[0].dtype != np.float32 or name == "Cast":
        continue
    attributes, opset = (rest + [{}])[0], (rest + [{}, 17])[1] if len(rest) > 1 else 17
    with np.errstate(all="ignore"):
        expected = np.asarray(definition(huge.astype(np.float64)))
        expected = expected if expected.dtype == bool else expected.astype(np.float32)
    model = model_of([node_of(name, ["a"], ["out"], attributes)], [value("a", huge)],
                     [value("out", expected)], opset=opset)
    same(evaluate(convert(model, *ALL)[0].graph, {"a": huge})["out"], expected, name, NEAR)

# Operands and results that are too few, too many, or left out: such a node stays, whatever it is,
# and others go on.
with open(os.path.join(os.path.dirname(__file__), "../../tools/onnx/lowering/shapes.c")) as file:
    rules = [line.split('"')[1] for line in file if line.startswith('    {"')]
check(len(rules) > 50, rules)
sets = [(), ("",), ("a",), ("a", ""), ("", "w"), ("a", "w"), ("a", "w", ""), ("a", "", "z"),
        ("a", "w", "z"), ("a", "w", "z", "z"),
        ("a", "w", "w", "w", "w"), ("a", "w", "z", "z", "z", "z")]
for name in table + rules + ["Constant", "com.microsoft.nchwc.Conv",
                             "com.microsoft.nchwc.ReorderOutput"]:
    nodes = []
    attributes = {"perm": [1]} if name == "Transpose" else {"axis": 1} if name == "Concat" else {}
    for operands in sets:
        for results in ((), ("",), ("r",), ("r", ""), ("", "r"), ("r", "q")):
            for kind in "fi":
                given = [result and f"{result}{len(nodes)}" for result in results]
                nodes.append(node_of(name, [operand and operand + kind for operand in operands],
                                     given, attributes))
    nodes += [helper.make_node("Neg", ["b"], ["t"]), helper.make_node("Exp", ["t"], ["out"])]
    scale = np.float32([0.5, 1])
    model = model_of(nodes, [value("af", F32, [2, 2, 2]), value("ai", I8, [2, 2, 2]),
                             value("b", F32, [2])], [value("out", F32, [2])],
                     {"wf": scale, "wi": scale, "zf": scale, "zi": np.int8([3, 3])})
    check("= exp(" in str(convert(model, *ALL)[1]["regions"]), name)

# Constants of one element stand in the text, others are operands; ranks are extended in front.
weight, scale = random.standard_normal((4, 1)).astype(np.float32), np.full((1,), 0.5, np.float32)
model = model_of([helper.make_node("Mul", ["a", "scale"], ["t"]),
                  helper.make_node("Add", ["t", "weight"], ["u"]),
                  helper.make_node("Clip", ["u", "low", "high"], ["v"]),
                  helper.make_node("Pow", ["v", "two"], ["w"]),
                  helper.make_node("Div", ["w", "four"], ["out"])],
                 [value("a", F32, ["n", "m"])], [value("out", F32, [None, None, None])],
                 {"weight": weight[None], "scale": scale, "low": np.float32(-1),
                  "high": np.float32(1), "two": np.int64(2),
                  "four": np.float32(4)})
converted, report = convert(model, *ALL)
text = expression(converted.graph.node[0])
check(text.startswith("x0: f32[?,?], x1: f32[1,4,1]; t0 = x0 * 0.5;"), text)
check(list(converted.graph.node[0].input) == ["a", "weight"], converted.graph.node[0])
a = random.standard_normal((1, 3)).astype(np.float32)
expected = np.clip(a * scale + weight[None], -1, 1)**2 / 4
same(evaluate(converted.graph, {"a": a})["out"], expected.astype(np.float32), text, NEAR)

# An initialiser is but the default of an input of its name: a call may give other sizes, where
# these are not declared.
for sizes, text in ((["k"], "x1: f32[?]"), ([1], "x1: f32[1]"), (None, None)):
    model = model_of([helper.make_node("Add", ["a", "b"], ["t"]),
                      helper.make_node("Sigmoid", ["t"], ["out"])],
                     [value("a", F32, ["n", "m"]), value("b", F32, sizes) if sizes
                      else helper.make_tensor_value_info("b", F32, None)],
                     [value("out", F32, [None, None])], {"b": np.float32([0.5])})
    converted, report = convert(model, *ALL)
    check(text in expression(converted.graph.node[0]) if text
          else "rank is not known" in str(report["left"]), report)
    if sizes == ["k"]:
        found = tosajit.evaluate(expression(converted.graph.node[0]), x0=x, x1=y[0])
        same(found, expected_of(lambda a, b: sigmoid(a + b), [x, y[0]], np.float32), "a default",
             NEAR)

# Constants keep their bits in every type: halves, and zeros with a sign, which infinities tell
# apart.
near = np.array([[3, -0.5, 0, -0.0, 7]])
for kind in ("float16", "float32", "float64"):
    for op, number, then in (("Mul", 0.5, "Neg"), ("Add", -1.5, "Neg"), ("Sub", 6e-8, "Abs"),
                             ("Mul", -0.0, "Reciprocal"),
                             ("Add", -0.0, "Reciprocal"), ("Div", -0.0, "Neg")):
        if then == "Reciprocal" and kind == "float64":
            continue
        a, constant = near.astype(kind), np.array(number, kind)
        model = model_of([helper.make_node(op, ["a", "c"], ["t"]),
                          helper.make_node(then, ["t"], ["out"])], [value("a", a)],
                         [value("out", a)],
                         {"c": constant})
        if kept:
            onnx.save(model, os.path.join(kept, f"constant-{kind}-{op}{number}.onnx"))
        converted, _ = convert(model, *ALL)
        check(len(converted.graph.node) == 1 and len(regions(converted.graph)[0].input) == 1,
              converted.graph)
        with np.errstate(all="ignore"):
            inner = {"Mul": np.multiply, "Add": np.add, "Sub": np.subtract,
                     "Div": np.divide}[op](a, constant)
            expected = {"Neg": np.negative, "Abs": np.abs, "Reciprocal": np.reciprocal}[then](inner)
        found = evaluate(converted.graph, {"a": a})["out"]
        same(found, expected, (kind, op, number), 0)
        check(np.array_equal(np.signbit(found[~np.isnan(found)]),
                             np.signbit(expected[~np.isnan(expected)])), kind, op, number, found)

# Both values of Where may be constants; so may a zero with a sign, as an attribute of an operator
# on halves.
for kind in ("float16", "float32", "float64", "uint8"):
    numbers = np.array([1.5, -0.0]) if kind != "uint8" else np.array([200, 7])
    model = model_of([helper.make_node("Not", ["b"], ["n"]),
                      helper.make_node("Where", ["n", "one", "two"], ["out"])], [value("b", b)],
                     [value("out", np.empty(b.shape, kind))],
                     {"one": numbers[0].astype(kind), "two": numbers[1].astype(kind)})
    converted, _ = convert(model, *ALL)
    found = evaluate(converted.graph, {"b": b})["out"]
    expected = np.where(~b, *numbers).astype(kind)
    same(found, expected, kind, 0)
    check(found.tobytes() == expected.tobytes(), kind, found)
model = model_of([helper.make_node("LeakyRelu", ["a"], ["out"], alpha=-0.0)],
                 [value("a", near.astype(np.float16))],
                 [value("out", near.astype(np.float16))])
converted, _ = convert(model, *ALL)
same(evaluate(converted.graph, {"a": near.astype(np.float16)})["out"],
     np.float16([[3, 0, 0, 0, 7]]), "LeakyRelu", 0)

# BatchNormalization at inference, whose parameters are folded; in f64 once.
count = 5
parameters = {n: (np.abs(random.standard_normal(count)) + 0.1).astype(np.float32)
              for n in ("s", "b", "m", "v")}
image = random.standard_normal((2, count, 3, 3)).astype(np.float32)
model = model_of([helper.make_node("BatchNormalization", ["a", "s", "b", "m", "v"], ["t"]),
                  helper.make_node("Relu", ["t"], ["out"])],
                 [value("a", image)], [value("out", image)], parameters)
converted, report = convert(model, *ALL)
column = {n: a.astype(np.float64).reshape(1, count, 1, 1) for n, a in parameters.items()}
expected = np.maximum((image - column["m"]) / np.sqrt(column["v"] + 1e-5) * column["s"]
                      + column["b"], 0)
same(evaluate(converted.graph, {"a": image})["out"], expected.astype(np.float32),
     "BatchNormalization", 1e-5)
onnx.checker.check_model(converted)

# To integers of 8 and 16 bits and back: for all elements, and along an axis, which may be counted
# from behind. Halves go to the even
# neighbour, and what is beyond the type becomes its end.
LIMITS = {"uint8": (0, 255), "int8": (-128, 127), "uint16": (0, 65535), "int16": (-32768, 32767)}


def quantised(a, scale, zero, name):
    with np.errstate(over="ignore"):
        return np.clip(np.rint(a / scale) + zero, *LIMITS[name]).astype(name)


halves = np.concatenate([np.arange(-40, 40, dtype=np.float32) / 16,
                         np.float32([0.125, 0.375, -0.125, 1e9, -1e9, 3e38, -np.inf, np.inf, -0.0,
                                     300]),
                        random.standard_normal(90).astype(np.float32) * 50]).reshape(2, 5, 3, 6)
for name, (low, high) in LIMITS.items():
    opset = 13 if name in ("uint8", "int8") else 21
    for axis, size, zeros in ((None, 1, True), (None, 1, False), (1, 5, True), (-1, 6, True),
                              (0, 2, False)):
        scale = (np.float32([0.25, 0.1, 3, 0.013, 1.7, 0.5])[:size] if axis is not None
                 else np.float32(0.25)) * np.float32(1)
        zero = ((np.resize([3, low, high, 1, 0, 100], size) if axis is not None
                 else np.array(3)).astype(name) if zeros else np.zeros(scale.shape, name))
        constants = {"scale": np.asarray(scale, np.float32), "zero": zero}
        attributes = {} if axis is None else {"axis": axis}
        column = [1] * 4
        column[axis or 0] = size
        wide, offset = np.reshape(constants["scale"],
                                  column), np.reshape(zero, column).astype(np.float32)
        expected = quantised(halves, wide, offset, name)
        model = model_of([helper.make_node("QuantizeLinear", ["a", "scale", "zero"], ["out"],
                                           **attributes)], [value("a", halves)],
                         [value("out", expected)], constants, opset)
        if kept:
            onnx.save(model, os.path.join(kept, f"{len(os.listdir(kept)):03}-QuantizeLinear.onnx"))
        converted, report = convert(model, *ALL)
        found = evaluate(converted.graph, {"a": halves})["out"]
        same(found, expected, (name, axis, expression(converted.graph.node[0])), 0)
        model = model_of([helper.make_node("DequantizeLinear", ["a", "scale", "zero"], ["out"],
                                           **attributes)], [value("a", expected)],
                         [value("out", halves)], constants, opset)
        if kept:
            onnx.save(model, os.path.join(kept,
                                          f"{len(os.listdir(kept)):03}-DequantizeLinear.onnx"))
        converted, report = convert(model, *ALL)
        found = evaluate(converted.graph, {"a": expected})["out"]
        same(found, (expected.astype(np.float32) - offset) * wide,
             (name, axis, expression(converted.graph.node[0])), 0)
wide = random.integers(-2**31, 2**31, (2, 3)).astype(np.int32)
model = model_of([helper.make_node("DequantizeLinear", ["a", "scale"], ["out"])],
                 [value("a", wide)], [value("out", F32, [2, 3])], {"scale": np.float32(0.1)})
same(evaluate(convert(model, *ALL)[0].graph, {"a": wide})["out"],
     wide.astype(np.float32) * np.float32(0.1), "DequantizeLinear of i32", 0)
# Without a zero point it is of uint8. A scale that a call gives stays with the engine, and so does
# what it joins with a convolution.
model = model_of([helper.make_node("QuantizeLinear", ["a", "s"], ["q"]),
                  helper.make_node("DequantizeLinear", ["q", "s"], ["out"])],
                 [value("a", halves)], [value("out", halves)], {"s": np.float32(0.5)})
same(evaluate(convert(model, *ALL)[0].graph, {"a": halves})["out"],
     quantised(halves, np.float32(0.5), 0, "uint8") * np.float32(0.5), "uint8", 0)
same(evaluate(convert(model, *ALL)[0].graph, {"a": halves * np.float32(np.nan)})["out"],
     np.zeros_like(halves), "NaN", 0)
model = model_of([helper.make_node("QuantizeLinear", ["a", "s"], ["q"]),
                  helper.make_node("DequantizeLinear", ["q", "s"], ["out"])],
                 [value("a", halves), value("s", F32, [])], [value("out", halves)])
check([left["why"].startswith("scale and zero point") or "scale is no constant" in left["why"]
       for left in convert(model, *ALL)[1]["left"]] == [True, True],
      convert(model, *ALL)[1])

# Zero points of another type are the engine's to refuse.
for op, data, zero, attributes in (("DequantizeLinear", bytes_, np.int8(3), {}),
                                   ("QuantizeLinear", x, np.int8(3), {"output_dtype": U8})):
    model = model_of([helper.make_node(op, ["a", "s", "z"], ["out"], **attributes)],
                     [value("a", data)], [helper.make_tensor_value_info("out", F32, (3, 4))],
                     {"s": np.float32(0.5), "z": zero}, 21)
    check([("integers' type" in left["why"] or "differ in type" in left["why"])
           for left in convert(model, *ALL)[1]["left"]] == [True], convert(model, *ALL)[1])

# What is not elementwise divides regions: no path leads out of one and back.
square = random.standard_normal((8, 8)).astype(np.float32)
model = model_of([helper.make_node("Exp", ["a"], ["e"]), helper.make_node("Neg", ["e"], ["n"]),
                  helper.make_node("MatMul", ["n", "n"], ["m"]),
                  helper.make_node("Add", ["n", "m"], ["s"]),
                  helper.make_node("Tanh", ["s"], ["out"])],
                 [value("a", square)], [value("out", square)])
converted, report = convert(model, *ALL)
check([n.op_type for n in converted.graph.node] == ["Region", "MatMul", "Region"],
      converted.graph.node)
check(report["inside"] == 4 and report["other"] == 1 and report["nodes"] == 5, report)
check(("tosajit", 1) in [(o.domain, o.version) for o in converted.opset_import],
      converted.opset_import)
onnx.checker.check_model(converted)
again, _ = convert(converted, *ALL)
check(again.graph == converted.graph, "what is converted stays as it is")
# Behind what was converted there may be more, which is no second region_0.
more = onnx.ModelProto()
more.CopyFrom(converted)
more.graph.node.extend([helper.make_node("Exp", ["out"], ["more"]),
                        helper.make_node("Neg", ["more"], ["last"])])
more.graph.output[0].name = "last"
more.graph.value_info.append(value("out", square))
again, report = convert(more, *ALL, "--dot", os.path.join(work, "again.dot"))
names = [n.name for n in regions(again.graph)]
check(len(names) == 3 and len(set(names)) == 3 and report["regions"][0]["name"] == names[2], names,
      report)
with open(os.path.join(work, "again.dot")) as file:
    check(file.read().count("fillcolor") == 1, "only the new region is drawn as one")

# The model that is read is not lost, by whatever name the result is written.
source, link, other = (os.path.join(work, name)
                       for name in ("kept.onnx", "link.onnx", "other.onnx"))
second = os.path.join(work, "second.onnx")
onnx.save(model, source)
onnx.save(model, second)
with open(source, "rb") as file:
    before = file.read()
os.symlink(source, link)
ahead = os.path.join(work, "ahead.onnx")
os.symlink(other, ahead) # leads to a file that is not there yet
for target in (source, link, os.path.join(work, ".", "kept.onnx")):
    for words in ([source, "-o", target], [source, "-o", other, "--dot", target],
                  [second, "-o", other, "--check", "--input", "x=" + source, "--dot", target]):
        run = subprocess.run([tool, "onnx", *words], capture_output=True)
        check(run.returncode == 2 and b"what is written would replace it" in run.stderr, words,
              run.stderr)
        check(not os.path.exists(other), words)
        with open(source, "rb") as file:
            check(file.read() == before, words)
run = subprocess.run([tool, "onnx", source, "-o", other, "--dot", ahead], capture_output=True)
check(run.returncode == 2 and b"name the same file" in run.stderr, run.stderr)


def reason(model, op, *options):
    _, report = convert(model, *options)
    found = [left["why"] for left in report["left"] if left["op"] == op]
    check(len(found) == 1, op, report)
    return found[0]


# The nodes that stay, and the reasons.
unsigned = random.integers(0, 9, (3, 4)).astype(np.uint8)
check("uint8" in reason(model_of([helper.make_node("Add", ["a", "a"], ["out"])],
                                 [value("a", unsigned)], [value("out", unsigned)]), "Add", *ALL))
# Types that regions lack are named; those of later versions of ONNX have no name here.
for type_, words in ((12, "uint32"), (15, "complex128"), (17, "float8e4m3fn"),
                     (20, "float8e5m2fnuz"), (21, "uint4"), (22, "int4"), (999, "such elements")):
    found = reason(model_of([helper.make_node("Identity", ["a"], ["out"])],
                            [value("a", type_, [3])], [value("out", type_, [3])]), "Identity", *ALL)
    check(found == f"regions have no {words}", found, words)
check("rank" in reason(model_of([helper.make_node("Exp", ["a"], ["out"])],
                                [helper.make_tensor_value_info("a", F32, None)],
                                [helper.make_tensor_value_info("out", F32, None)]), "Exp", *ALL))
check("remainder" in reason(model_of([helper.make_node("Mod", ["a", "a"], ["out"], fmod=1)],
                                     [value("a", x)], [value("out", x)]), "Mod", *ALL))
lone = model_of([helper.make_node("Exp", ["a"], ["out"])], [value("a", image)],
                [value("out", image)])
check("1 operator" in reason(lone, "Exp", "--min-bytes", "0"))
identity = model_of([helper.make_node("Identity", ["a"], ["out"])], [value("a", image)],
                    [value("out", image)])
check(reason(identity, "Identity", "--min-bytes", "0") == "it computes nothing")
pair = model_of([helper.make_node("Exp", ["a"], ["t"]), helper.make_node("Neg", ["t"], ["out"])],
                [value("a", x)], [value("out", x)])
check(len(convert(pair)[1]["regions"]) == 1)  # a call of a node less, however small
slow = model_of([helper.make_node("Log", ["a"], ["out"])], [value("a", x)], [value("out", x)])
check("one operator of small tensors" in reason(slow, "Log"))
check(len(convert(slow, "--min-bytes", "48")[1]["regions"]) == 1)
sums = model_of([helper.make_node("ReduceLogSumExp", ["a", "axes"], ["out"])], [value("a", x)],
                [helper.make_tensor_value_info("out", F32, None)],
                {"axes": np.int64([-1])}, opset=18)
check("few elements" in reason(sums, "ReduceLogSumExp", "--min-bytes", "0"))
prelu = model_of([helper.make_node("PRelu", ["a", "s"], ["out"])], [value("a", image)],
                 [value("out", image)], {"s": parameters["s"].reshape(count, 1, 1)})
# of which the engine takes many times as long
check(len(convert(prelu, "--min-bytes", "0")[1]["regions"]) == 1)
old = model_of([helper.make_node("Add", ["a", "a"], ["out"], broadcast=1, axis=0)], [value("a", x)],
               [value("out", x)], opset=6)
check("opset" in reason(old, "Add", *ALL))

# An operator that ONNX Runtime computes within a convolution stays there, unless the model has been
# optimised before.
kernel = random.standard_normal((5, 5, 1, 1)).astype(np.float32)
behind = [helper.make_node("Conv", ["a", "kernel"], ["c"]),
          helper.make_node("Mul", ["c", "s"], ["t"]), helper.make_node("Add", ["t", "a"], ["u"]),
          helper.make_node("Relu", ["u"], ["v"]), helper.make_node("Exp", ["v"], ["w"]),
          helper.make_node("Neg", ["w"], ["out"])]
convolution = model_of(behind, [value("a", image)], [value("out", image)],
                       {"kernel": kernel, "s": parameters["s"].reshape(1, count, 1, 1)})
_, report = convert(convolution, "--min-bytes", "0")
check([(r["nodes"]) for r in report["regions"]] == [2] and len(report["left"]) == 3, report)
check(all("within Conv" in left["why"] for left in report["left"]), report)
check([r["nodes"] for r in convert(convolution, "--min-bytes", "0", "--fused")[1]["regions"]]
      == [5])

# Within an operator of integers: its operands' casts, an activation behind it, and the cast of its
# result.
integers = [helper.make_node("DequantizeLinear", ["a", "half", "zero"], ["d"]),
            helper.make_node("Conv", ["d", "kernel"], ["c"]),
            helper.make_node("Relu", ["c"], ["r"]),
            helper.make_node("QuantizeLinear", ["r", "half", "zero"], ["q"]),
            helper.make_node("DequantizeLinear", ["q", "half", "zero"], ["e"]),
            helper.make_node("Exp", ["e"], ["f"]), helper.make_node("Neg", ["f"], ["out"])]
model = model_of(integers, [value("a", np.zeros(image.shape, np.uint8))], [value("out", image)],
                 {"kernel": kernel, "half": np.float32(0.5), "zero": np.uint8(3)})
_, report = convert(model, "--min-bytes", "0")
check([r["nodes"] for r in report["regions"]] == [3]
      and all("within Conv" in left["why"] for left in report["left"]), report)
check(sorted(left["op"] for left in report["left"])
      == ["DequantizeLinear", "QuantizeLinear", "Relu"], report)

# Regions that differ in constants have one text, and each its own numbers; exponents and divisors
# stay.
factors = {f"s{k}": np.float32(0.3 + k) for k in range(3)}
model = model_of([helper.make_node(op, [source, constant], [target]) for k in range(3)
                  for op, source, constant, target in (
                                        ("Mul", f"a{k}", f"s{k}", f"p{k}"),
                                                       ("Pow", f"p{k}", "two", f"q{k}"),
                                                       ("Add", f"q{k}", "one", f"out{k}"))],
                 [value(f"a{k}", x) for k in range(3)], [value(f"out{k}", x) for k in range(3)],
                 {**factors, "two": np.float32(2), "one": np.float32(1)})
converted, _ = convert(model, *ALL)
texts = {expression(n) for n in converted.graph.node}
check(len(converted.graph.node) == 3 and len(texts) == 1
      and all("pow(t0, 2)" in t and "+ 1" in t for t in texts), texts)
found = evaluate(converted.graph, {f"a{k}": x for k in range(3)})
for k in range(3):
    same(found[f"out{k}"], expected_of(lambda a: (a * np.float64(factors[f"s{k}"]))**2 + 1, [x],
                                       np.float32), texts, NEAR)

# The engine computes operators of constants alone once, however many they are.
model = model_of([helper.make_node("Cast", ["h"], ["w"], to=F32),
                  helper.make_node("Mul", ["w", "k"], ["v"]), helper.make_node("Exp", ["v"], ["u"]),
                  helper.make_node("MatMul", ["a", "u"], ["m"]),
                  helper.make_node("Mul", ["m", "v"], ["n"]),
                  helper.make_node("Tanh", ["n"], ["out"])],
                 [value("a", F32, ["n", 4])], [value("out", F32, ["n", 4])],
                 {"h": random.standard_normal((4, 4)).astype(np.float16),
                  "k": random.standard_normal((4, 4)).astype(np.float32)})
converted, report = convert(model, *ALL)
check([n.op_type for n in converted.graph.node] == ["Cast", "Mul", "Exp", "MatMul", "Region"],
      converted.graph.node)
check([left["why"] for left in report["left"]] == ["all operands are constant"] * 3, report)

# Constants that stand in texts alone leave the model. What somebody else reads, nobody has read, or
# a call may give, stays.
then = helper.make_graph([helper.make_node("Mul", ["t", "deep"], ["u"]),
                          helper.make_node("Exp", ["u"], ["then_y"])], "then", [],
                         [value("then_y", F32, ["n", 4])])
other = helper.make_graph([helper.make_node("MatMul", ["t", "square"], ["else_y"])], "else", [],
                          [value("else_y", F32, ["n", 4])])
model = model_of([helper.make_node("Constant", [], ["two"],
                                   value=numpy_helper.from_array(np.float32(2))),
                  helper.make_node("Constant", [], ["sizes"],
                                   value=numpy_helper.from_array(np.int64([1, 1]))),
                  helper.make_node("Mul", ["a", "two"], ["p"]),
                  helper.make_node("Add", ["p", "text"], ["q"]),
                  helper.make_node("Sub", ["q", "both"], ["r"]),
                  helper.make_node("Add", ["r", "row"], ["s"]),
                  helper.make_node("Mul", ["s", "default"], ["v"]),
                  helper.make_node("Tile", ["v", "sizes"], ["t"]),
                  helper.make_node("Concat", ["both", "both"], ["w"], axis=0),
                  helper.make_node("If", ["c"], ["out"], then_branch=then, else_branch=other)],
                 [value("a", F32, ["n", 4]), value("c", BOOL, []), value("default", F32, [])],
                 [value("out", F32, ["n", 4]), value("w", F32, [2]), value("result", F32, [])],
                 {"text": np.float32(0.5), "both": np.float32([3]), "row": np.float32([1, 2, 3, 4]),
                  "deep": np.float32(7),
                  "square": np.eye(4, dtype=np.float32), "never": np.float32(1),
                  "default": np.float32(1), "result": np.float32(4)})
converted, report = convert(model, *ALL)
check(sorted(i.name for i in converted.graph.initializer)
      == ["both", "default", "never", "result", "row", "square"], converted.graph.initializer)
check([n.output[0] for n in converted.graph.node if n.op_type == "Constant"] == ["sizes"],
      converted.graph.node)
check(len(report["regions"]) == 2, report)

# A size that only calls decide may be 1, which Expand repeats then: it stays.
model = model_of([helper.make_node("Exp", ["a"], ["e"]),
                  helper.make_node("Expand", ["e", "sizes"], ["x"]),
                  helper.make_node("Neg", ["x"], ["out"])],
                 [value("a", F32, ["n", 4]), value("sizes", onnx.TensorProto.INT64, [2])],
                 [value("out", F32, ["m", 4])])
converted, report = convert(model, *ALL)
check([n.op_type for n in converted.graph.node].count("Expand") == 1, converted.graph.node)

# A cast to a wider type at the edge is no second result: the engine makes it again.
model = model_of([helper.make_node("Neg", ["a"], ["n"]),
                  helper.make_node("Cast", ["n"], ["wide"], to=F64),
                  helper.make_node("Exp", ["n"], ["out"])],
                 [value("a", x)], [value("out",
                                         x), helper.make_tensor_value_info("wide", F64, (3, 4)),
                                   value("n", x)])
converted, _ = convert(model, *ALL)
check([n.op_type for n in converted.graph.node] == ["Region2", "Cast"], converted.graph.node)
check(sorted(converted.graph.node[0].output) == ["n", "out"]
      and "f64" not in expression(converted.graph.node[0]), converted.graph.node[0])

# A graph within a node reads what a region gives, and has regions of its own.
branch = helper.make_graph([helper.make_node("Mul", ["t", "t"], ["q"]),
                            helper.make_node("Exp", ["q"], ["r"])], "branch", [], [value("r", x)])
model = model_of([helper.make_node("Neg", ["a"], ["t"]), helper.make_node("Abs", ["t"], ["out"]),
                  helper.make_node("If", ["choice"], ["other"], then_branch=branch,
                                   else_branch=branch)],
                 [value("a", x), value("choice", BOOL, [])], [value("out", x), value("other", x)])
converted, report = convert(model, *ALL)
check([n.op_type for n in converted.graph.node] == ["Region2", "If"]
      and list(converted.graph.node[0].output) == ["t", "out"], converted.graph)
within = converted.graph.node[1].attribute[0].g
check(expression(within.node[0]).startswith("x0: f32[3,4];") and report["inside"] == 6, report)

if kept:
    onnx.save(model, os.path.join(kept, "within-If.onnx"))

# The body of a Loop, whose values may come from outside.
body = helper.make_graph([helper.make_node("Identity", ["go"], ["on"]),
                          helper.make_node("Mul", ["carried", "a"], ["m"]),
                          helper.make_node("Sigmoid", ["m"], ["next"])],
                         "body", [value("step", I64, []), value("go", BOOL, []),
                                  value("carried", x)], [value("on", BOOL, []), value("next", x)])
model = model_of([helper.make_node("Loop", ["times", "yes", "a"], ["out"], body=body)],
                 [value("a", x)], [value("out", x)],
                 {"times": np.array(3), "yes": np.array(True)})
converted, report = convert(model, *ALL)
check(len(regions(converted.graph.node[0].attribute[0].g)) == 1 and report["inside"] >= 2, report)
if kept:
    onnx.save(model, os.path.join(kept, "within-Loop.onnx"))

# Ranks that differ between branches are known again behind a convolution, by its weights.
flat = helper.make_graph([helper.make_node("Squeeze", ["a", "zero"], ["s"])], "flat", [],
                         [helper.make_tensor_value_info("s", F32, None)])
full = helper.make_graph([helper.make_node("Identity", ["a"], ["f"])], "full", [],
                         [helper.make_tensor_value_info("f", F32, None)])
model = model_of([helper.make_node("If", ["choice"], ["t"], then_branch=flat, else_branch=full),
                  helper.make_node("Conv", ["t", "kernel"], ["c"]),
                  helper.make_node("Exp", ["c"], ["e"]), helper.make_node("Neg", ["e"], ["out"])],
                 [value("a", F32, [1, 2, 5, 3, 3]), value("choice", BOOL, [])],
                 [helper.make_tensor_value_info("out", F32, None)],
                 {"kernel": kernel, "zero": np.array([0])})
converted, _ = convert(model, *ALL)
check([expression(n)[:14] for n in regions(converted.graph)] == ["x0: f32[?,5,?,"], converted.graph)

# Sizes of slices, to the end and from behind.
model = model_of([helper.make_node("Slice", ["a", "from", "to"], ["s"]),
                  helper.make_node("Exp", ["s"], ["e"]), helper.make_node("Neg", ["e"], ["out"])],
                 [value("a", F32, [8, 6])], [helper.make_tensor_value_info("out", F32, None)],
                 {"from": np.array([3, -4]), "to": np.array([2**63 - 1, -1])})
converted, _ = convert(model, *ALL)
check(expression(regions(converted.graph)[0]).startswith("x0: f32[8,6]; t0 = x0[3:8,2:5];"),
      converted.graph)

# A Split of any number of parts, of which all are read, some, or one more than a kernel has
# results.
for parts in (*range(1, 36), 48, 64):
    sizes = [1 + k % 3 for k in range(parts)]
    wide = random.standard_normal((2, sum(sizes), 16)).astype(np.float32)
    for step in (1, 2):
        read = range(0, parts, step)
        model = model_of([helper.make_node("Split", ["a", "sizes"], [f"s{k}" for k in range(parts)],
                                           axis=1)] +
                         [helper.make_node("Neg", [f"s{k}"], [f"n{k}"]) for k in read],
                         [value("a", wide)],
                         [helper.make_tensor_value_info(f"{name}{k}", F32, None) for k in read
                          for name in "sn"], {"sizes": np.array(sizes)}, opset=18)
        converted, report = convert(model, *ALL)
        check(report["inside"] <= 1 + len(read), report)
        if report["inside"] == 1 + len(read):
            found = evaluate(converted.graph, {"a": wide})
            for k, part in enumerate(np.split(wide, np.cumsum(sizes)[:-1], 1)):
                check(k not in read or (np.array_equal(found[f"s{k}"], part)
                                        and np.array_equal(found[f"n{k}"], -part)), parts, step, k)
        check(report["inside"] == 1 + len(read) or 2 * len(read) > 31, parts, report)

# Sizes near the end of 64 bits.
huge = 2**63 - 1
for node, sizes in ((helper.make_node("Split", ["a"], ["s0", "s1", "s2"], axis=0, num_outputs=3),
                     None),
                    (helper.make_node("Split", ["a", "sizes"], ["s0", "s1", "s2"], axis=0),
                     [huge, huge, huge]),
                    (helper.make_node("Slice", ["a", "sizes", "ends", "axes", "steps"], ["s0"]),
                     [huge - 1])):
    constants = {"sizes": np.array(sizes)} if sizes else {}
    if node.op_type == "Slice":
        constants.update(ends=np.array([huge]), axes=np.array([0]), steps=np.array([huge]))
    model = model_of([node, helper.make_node("Neg", ["s0"], ["out"])], [value("a", F32, [huge])],
                     [helper.make_tensor_value_info("out", F32, None)], constants, opset=18)
    convert(model, *ALL)

# Numbers that a text leaves out: a Clip of an old opset whose bounds are attributes, and which
# names operands besides.
numbers = {f"c{k}": np.float32(k) for k in range(2)}
chain = lambda name, more: [helper.make_node("Clip", [f"{name}{k}"] + more, [f"{name}{k + 1}"],
                                             min=-1.0, max=1.0) for k in range(50)]
model = model_of(chain("a", list(numbers)) + chain("b", []), [value("a0", x), value("b0", x)],
                 [value("a50", x), value("b50", x)], numbers, opset=7)
converted, report = convert(model, *ALL)
check([list(n.output) for n in regions(converted.graph)] == [["b50"]], converted.graph)
check({left["why"] for left in report["left"]} == {"before opset 11 its bounds are no operands"},
      report)

# Two transpositions before a region are one behind it, unless their orders differ or somebody else
# reads one.
cube = random.standard_normal((2, 3, 4)).astype(np.float32)
other = random.standard_normal((2, 3, 1)).astype(np.float32)
for orders, readers, kinds in ((([0, 2, 1], [0, 2, 1]), 1, ["Region", "Transpose"]),
                               (([2, 0, 1], [2, 0, 1]), 1, ["Region", "Transpose"]),
                               (([0, 2, 1], [0, 2, 1]), 2, ["Transpose", "Transpose", "Region"])):
    outputs = [helper.make_tensor_value_info(name, F32, None) for name in ("out", "s")[:readers]]
    model = model_of([helper.make_node("Transpose", ["a"], ["s"], perm=orders[0]),
                      helper.make_node("Transpose", ["b"], ["t"], perm=orders[1]),
                      helper.make_node("Mul", ["s", "t"], ["m"]),
                      helper.make_node("Add", ["m", "half"], ["out"])],
                     [value("a", cube), value("b", other)], outputs, {"half": np.float32(0.5)})
    converted, _ = convert(model, "--min-bytes", "0")
    check([n.op_type for n in converted.graph.node] == kinds, converted.graph.node)
    found = evaluate(converted.graph, {"a": cube, "b": other})["out"]
    same(found, (cube * other + np.float32(0.5)).transpose(orders[0]), kinds, 0)
square = random.standard_normal((3, 3, 3)).astype(np.float32)
model = model_of([helper.make_node("Transpose", ["a"], ["s"], perm=[0, 2, 1]),
                  helper.make_node("Transpose", ["b"], ["t"], perm=[1, 0, 2]),
                  helper.make_node("Mul", ["s", "t"], ["m"]),
                  helper.make_node("Add", ["m", "half"], ["out"])],
                 [value("a", square), value("b", square)], [value("out", square)],
                 {"half": np.float32(0.5)})
converted, _ = convert(model, "--min-bytes", "0")
check([n.op_type for n in converted.graph.node] == ["Transpose", "Transpose", "Region"],
      converted.graph.node)

# 2000 nodes in seconds, and what the model had beside them.
nodes = [helper.make_node("Add" if k % 3 else "Exp",
                          [f"v{k}", f"v{max(k - 1, 0)}"][:2 if k % 3 else 1], [f"v{k + 1}"])
         for k in range(2000)]
model = model_of(nodes, [value("v0", F32, ["n", 64])], [value("v2000", F32, ["n", 64])])
model.doc_string, model.producer_name = "kept", "kept, too"
converted, report = convert(model)
check(report["inside"] >= 1990 and converted.doc_string == "kept"
      and converted.producer_name == "kept, too", report["inside"])

# Sixteen times the nodes, all of whose values are declared, take at most 60 times the processor's
# time; quadratic work would take
# 256 times as long. Names are as short as can be: memory is bounded by the size of the file, and
# must be enough.


def many(count):
    nodes = [n for k in range(count) for n in (helper.make_node("Sigmoid", ["x"], [f"s{k}"]),
                                               helper.make_node("Mul", ["x", f"s{k}"], [f"y{k}"]),
                                               helper.make_node("Hardmax", [f"y{k}"], [f"z{k}"]))]
    return model_of(nodes + [helper.make_node("Sum", [f"z{k}" for k in range(count)], ["o"])],
                    [value("x", F32, ["n", 64])], [value("o", F32, ["n", 64])],
                    infos=[value(f"{name}{k}", F32, ["n", 64]) for k in range(count)
                           for name in "syz"])


def many_constants(count):
    nodes = [n for k in range(count) for n in (helper.make_node("Mul", ["x", f"c{k}"], [f"s{k}"]),
                                               helper.make_node("Sigmoid", [f"s{k}"], [f"y{k}"]),
                                               helper.make_node("Hardmax", [f"y{k}"], [f"z{k}"]))]
    return model_of(nodes + [helper.make_node("Sum", [f"z{k}" for k in range(count)], ["o"])],
                    [value("x", F32, ["n", 64])], [value("o", F32, ["n", 64])],
                    {f"c{k}": np.float32(k + 0.5) for k in range(count)})


for build, least in ((many, 2500), (many_constants, 800)):
    took = []
    for count in (least, 16 * least):
        model, before = build(count), resource.getrusage(resource.RUSAGE_CHILDREN)
        check(len(convert(model, "--min-bytes", "0")[1]["regions"]) == count)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        took.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    check(took[1] <= 60 * took[0], build.__name__, took)

# Weights in files of their own, of a constant, a node's attribute and a graph within a node, come
# along into another folder. There they
# replace nothing, and no name leads out of the folder.
def outside(name, location):
    tensor = onnx.TensorProto(name=name, data_type=F32, dims=[4],
                              data_location=onnx.TensorProto.EXTERNAL)
    tensor.external_data.add(key="location", value=location)
    tensor.external_data.add(key="length", value="16")
    return tensor


def weighted(*locations):
    branch = helper.make_graph([helper.make_node("Mul", ["a", "k2"], ["r"])], "branch", [],
                               [value("r", F32, ["n", 4])], [outside("k2", locations[-1])])
    graph = helper.make_graph([helper.make_node("Constant", [], ["k1"],
                                                value=outside("", locations[1 % len(locations)])),
                               helper.make_node("Mul", ["a", "k0"], ["s"]),
                               helper.make_node("Add", ["s", "k1"], ["t"]),
                               helper.make_node("If", ["c"], ["u"], then_branch=branch,
                                                else_branch=branch),
                               helper.make_node("Sub", ["t", "u"], ["out"])],
                              "g", [value("a", F32, ["n", 4]), value("c", BOOL, [])],
                              [value("out", F32, ["n", 4])], [outside("k0", locations[0])])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)],
                             ir_version=8).SerializeToString()


here, there = os.path.join(work, "here"), os.path.join(work, "there")
NAMES = ["k.bin", "deep/down/k.bin", "other.bin"]


def carry(bytes_of, target, code=0, source="m.onnx", **options):
    with open(os.path.join(here, "m.onnx"), "wb") as file:
        file.write(bytes_of)
    run = subprocess.run([tool, "onnx", source, "-o", target, "--min-bytes", "0"], cwd=here,
                         capture_output=True, **options)
    check(run.returncode == code, run)
    return run.stderr.decode()


os.makedirs(os.path.join(here, "deep/down"))
os.mkdir(there)
for k, name in enumerate(NAMES):
    with open(os.path.join(here, name), "wb") as file:
        file.write(np.full(4, k, np.float32).tobytes())
os.chmod(os.path.join(here, NAMES[0]), 0o600)
check("copied 3 files of weights, 48 bytes" in carry(weighted(*NAMES), there + "/m.onnx"))
for name in NAMES:
    with open(os.path.join(here, name), "rb") as one, open(os.path.join(there, name), "rb") as two:
        check(one.read() == two.read(), name)
check(os.stat(os.path.join(there, NAMES[0])).st_mode & 0o777 == 0o600)
before = {name: os.stat(os.path.join(there, name)).st_mtime_ns for name in NAMES}
check(not carry(weighted(*NAMES), there + "/again.onnx"))  # they are there
check(not carry(weighted(*NAMES), "same.onnx")
      and not carry(weighted(*NAMES), "../here/./same.onnx"))
check(before == {name: os.stat(os.path.join(there, name)).st_mtime_ns for name in NAMES})
with open(os.path.join(there, "other.bin"), "wb") as file:
    file.write(b"another's")
os.remove(there + "/again.onnx")
check("there/other.bin: there are other weights than in other.bin" in carry(weighted(*NAMES), there + "/again.onnx", 1))
check(not os.path.exists(there + "/again.onnx")
      and os.path.getsize(os.path.join(there, "other.bin")) == 9)
for location in ("../k.bin", "deep/../../k.bin", "/etc/hostname", ""):
    check(f"`{location}`, which is not in its folder" in carry(weighted(location),
                                                               there + "/again.onnx", 1), location)
check("absent.bin, where the model has weights: No such file" in carry(weighted("absent.bin"), there + "/again.onnx", 1))
check("deep, where the model has weights: Invalid" in carry(weighted("deep"), there + "/again.onnx",
                                                            1))
check("needs 3 files of weights in its folder" in carry(weighted(*NAMES), "-"))
check("needs 1 file of weights in its folder" in carry(weighted("absent.bin"), "/dev/null"))
with open(os.path.join(here, "m.onnx"), "rb") as file:
    check("needs 1 file of weights in its folder" in carry(weighted("k.bin"), there + "/again.onnx",
                                                           source="-", stdin=file))

# A message about a file that is no model has a place. No file is written.
good = pair.SerializeToString()
for data, said in ((b"", "no graph"), (b"\x0a", "byte 1: ModelProto"), (good[:-1], "byte "),
                   (b"PK\x03\x04" + good, "byte "),
                   (b"\x3a" + b"\x7f" * 4 + good, "longer than what it is in")):
    check(said in convert(data, code=1), data[:9], said, convert(data, code=1))


def block(number, data):
    size, length = b"", len(data)
    while True:
        size += bytes([length & 127 | (128 if length > 127 else 0)])
        length >>= 7
        if not length:
            return bytes([number << 3 | 2]) + size + data


deep = b""
for _ in range(200):
    deep = block(1, block(5, block(6, deep)))
check("deep" in convert(block(7, deep), code=1))
twice = model_of([helper.make_node("Exp", ["a"], ["t"], name="first"),
                  helper.make_node("Neg", ["a"], ["t"], name="second")],
                 [value("a", x)], [value("t", x)])
check("node 1 (second) gives t, and so does node 0 (first)" in convert(twice, code=1))
circle = model_of([helper.make_node("Add", ["a", "u"], ["t"], name="first"),
                   helper.make_node("Neg", ["t"], ["u"], name="second")],
                  [value("a", x)], [value("t", x)])
check("node 0 (first) reads u, which node 1 (second) gives later" in convert(circle, code=1))
run = subprocess.run([tool, "onnx", "/nowhere", "-o", "/dev/null"], capture_output=True)
check(run.returncode == 1 and b"/nowhere: No such file" in run.stderr, run)
check(b"-o OUT.onnx" in subprocess.run([tool, "onnx", "/nowhere"], capture_output=True).stderr)
check(b"--min-ops takes a number" in subprocess.run([tool, "onnx", "x", "-o", "y", "--min-ops",
                                                     "-3"], capture_output=True).stderr)
print(f"{len(cases)} operators, and what is around them")

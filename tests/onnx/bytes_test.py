# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators on quantized data, in ONNX Runtime as its own and as regions: every pair of bytes, and
chains that become look-ups.

    python3 bytes_test.py OPERATORS LIBRARY TOSAJIT
"""
import os
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper

from support import results_of

operators, _, tosajit = sys.argv[1:]
folder = tempfile.TemporaryDirectory()
random = np.random.default_rng(0)
KINDS = {np.dtype(np.uint8): TensorProto.UINT8, np.dtype(np.int8): TensorProto.INT8,
         np.dtype(np.float32): TensorProto.FLOAT}


def model_of(nodes, inputs, outputs, constants):
    ports = [[helper.make_tensor_value_info(name, KINDS[np.dtype(a.dtype)], ["n"] * a.ndim)
              for name, a in values.items()] for values in (inputs, outputs)]
    graph = helper.make_graph(nodes, "g", *ports,
                              [numpy_helper.from_array(np.asarray(a), name)
                               for name, a in constants.items()])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17),
                                                   helper.make_opsetid("com.microsoft", 1)],
                             ir_version=8)


def convert(model, *options):
    """The new model, and the regions' texts."""
    source, target = (os.path.join(folder.name, name) for name in ("source.onnx", "target.onnx"))
    onnx.save(model, source)
    subprocess.run([tosajit, "onnx", source, "-o", target, *options], check=True,
                   capture_output=True)
    new = onnx.load(target)
    return new, [a.s.decode() for node in new.graph.node if node.domain == "tosajit"
                 for a in node.attribute if a.name == "expression"]


def call(model, inputs, regions):
    options = ort.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    if regions:
        path = os.path.join(folder.name, "called.onnx")
        onnx.save(model, path)
        return results_of(path, inputs, operators, options.graph_optimization_level)
    return ort.InferenceSession(model.SerializeToString(), options,
                                providers=["CPUExecutionProvider"]).run(None, inputs)


def scales(kind):
    """A scale and a zero point, which may be at an end."""
    low, high = np.iinfo(kind).min, np.iinfo(kind).max
    return (np.float32(random.uniform(0.01, 0.1)),
            random.choice(np.array([low, high, (low + high) // 2,
                                    random.integers(low, high)])).astype(kind))


class Bytes(unittest.TestCase):
    def test_every_pair(self):
        """The engine has the same bits for all 65536 pairs but ties, which a sum of two products in
        f32 may miss by its last place."""
        for kind in (np.uint8, np.int8):
            a, b = (np.ascontiguousarray(v.ravel().astype(kind))
                    for v in np.meshgrid(np.arange(256), np.arange(256)))
            for op in ("QLinearMul", "QLinearAdd"):
                for turn in range(4):
                    (sa, za), (sb, zb), (sc, zc) = scales(kind), scales(kind), scales(kind)
                    if turn == 0:  # ties everywhere
                        sa, sb, sc = np.float32([0.5, 0.5, 1])
                    elif op == "QLinearMul":
                        sc = np.float32(sa * sb * random.uniform(50, 300))
                    constants = {"sa": sa, "za": za, "sb": sb, "zb": zb, "sc": sc, "zc": zc}
                    model = model_of([helper.make_node(op,
                                                       ["a", "sa", "za", "b", "sb", "zb", "sc",
                                                        "zc"], ["y"], domain="com.microsoft")],
                                     {"a": a, "b": b}, {"y": a}, constants)
                    new, texts = convert(model)
                    self.assertEqual(len(texts), 1, (op, kind))
                    expected, found = call(model, {"a": a, "b": b},
                                           False)[0], call(new, {"a": a, "b": b}, True)[0]
                    apart = abs(expected.astype(int) - found)
                    self.assertLessEqual(apart.max(), 1, (op, constants))
                    self.assertLessEqual((apart > 0).sum(), 0 if turn == 0 else 8, (op, constants))

    def test_every_byte(self):
        """A function of one tensor of bytes is a look-up, whose entries are the engine's own but
        for a tie here and there."""
        chains = {
            "QLinearSigmoid": lambda: [helper.make_node("QLinearSigmoid",
                                                        ["a", "sa", "za", "sy", "zy"], ["y"],
                                                        domain="com.microsoft")],
            "QLinearLeakyRelu": lambda: [helper.make_node("QLinearLeakyRelu",
                                                          ["a", "sa", "za", "sc", "zc"], ["y"],
                                                          domain="com.microsoft", alpha=0.125)],
            "SiLU": lambda: [helper.make_node("QLinearSigmoid", ["a", "sa", "za", "sy", "zy"],
                                              ["s"], domain="com.microsoft"),
                             helper.make_node("QLinearMul", ["a", "sa", "za", "s", "sy", "zy", "sc",
                                                             "zc"], ["y"], domain="com.microsoft")],
            "hard-swish": lambda: [helper.make_node("DequantizeLinear", ["a", "sa", "za"], ["f"]),
                                   helper.make_node("HardSwish", ["f"], ["h"]),
                                   helper.make_node("QuantizeLinear", ["h", "sc", "zc"], ["y"])],
            "twice": lambda: [helper.make_node("DequantizeLinear", ["a", "sa", "za"], ["f"]),
                              helper.make_node("Exp", ["f"], ["e"]),
                              helper.make_node("QuantizeLinear", ["e", "sc", "zc"], ["q"]),
                              helper.make_node("DequantizeLinear", ["q", "sc", "zc"], ["d"]),
                              helper.make_node("Tanh", ["d"], ["t"]),
                              helper.make_node("QuantizeLinear", ["t", "sc", "zc"], ["y"])],
        }
        for kind in (np.uint8, np.int8):
            a = np.arange(256).astype(kind).reshape(2, 4, 32)
            for name, chain in chains.items():
                (sa, za), (sc, zc) = scales(kind), scales(kind)
                constants = {"sa": sa, "za": za, "sc": sc, "zc": zc, "sy": np.float32(1 / 256),
                             "zy": np.array(np.iinfo(kind).min, kind)}
                model = model_of(chain(), {"a": a}, {"y": a}, constants)
                new, texts = convert(model)
                self.assertEqual(texts, ["x0: i8[?,?,?], x1: i8[256]; t0 = table(x0, x1); t0"],
                                 name)
                self.assertEqual([node.op_type for node in new.graph.node], ["Region"], name)
                expected, found = call(model, {"a": a}, False)[0], call(new, {"a": a}, True)[0]
                apart = abs(expected.astype(int) - found)
                self.assertLessEqual(apart.max(), 1, name)
                self.assertLessEqual((apart > 0).sum(), 2, name)

    def test_who_else_reads(self):
        """What others read on the way stays, and gives what it gave; a second source, rows and
        moved bits are no look-up."""
        a = random.integers(0, 256, (3, 64)).astype(np.uint8)
        constants = {"sa": np.float32(0.05), "za": np.uint8(120), "sy": np.float32(1 / 256),
                     "zy": np.uint8(0), "two": np.float32(2)}
        def dequantized(name, to):
            return helper.make_node("DequantizeLinear", [name, "sa", "za"], [to])
        quantized = lambda name: helper.make_node("QuantizeLinear", [name, "sa", "za"], ["y"])
        cases = {
            "an output": ([dequantized("a", "f"), helper.make_node("Exp", ["f"], ["z"]),
                           quantized("z")], {"z": np.float32([[0]])}, 1),
            "another node": ([dequantized("a", "f"), helper.make_node("MatMul", ["f", "w"], ["z"]),
                              helper.make_node("Sin", ["f"], ["s"]), quantized("s")],
                             {"z": np.float32([[0]])}, 1),
            "two sources": ([dequantized("a", "f"), dequantized("b", "g"),
                             helper.make_node("Mul", ["f", "g"], ["m"]), quantized("m")], {}, 0),
            "rows": ([dequantized("a", "f"), helper.make_node("Softmax", ["f"], ["m"]),
                      quantized("m")], {}, 0),
            "per channel": ([dequantized("a", "f"), helper.make_node("Add", ["f", "c"], ["m"]),
                             quantized("m")], {}, 0),
            "nobody": ([dequantized("a", "f"), helper.make_node("Relu", ["f"], ["r"]),
                        helper.make_node("QuantizeLinear", ["r", "sa", "za"], ["u"]),
                        helper.make_node("Neg", ["r"], ["m"]),
                        helper.make_node("Exp", ["m"], ["z"]),
                        helper.make_node("Identity", ["b"], ["y"])],
                       {"z": np.float32([[0]])}, 0),
            "moved bits": ([helper.make_node("Identity", ["a"], ["y"])], {}, 0),
        }
        constants |= {"w": random.standard_normal((64, 4)).astype(np.float32),
                      "c": random.standard_normal(64).astype(np.float32)}
        for name, (nodes, more, tables) in cases.items():
            for options in ((), ("--min-ops", "0", "--fused"),
                            ("--min-ops", "9", "--min-bytes", "99999")):
                model = model_of(nodes, {"a": a, "b": a}, {"y": a} | more, constants)
                new, texts = convert(model, *options)
                self.assertEqual(sum("table(" in text for text in texts), tables, (name, texts))
                inputs = {"a": a, "b": a[::-1].copy()}
                for one, other in zip(call(model, inputs, False), call(new, inputs, True)):
                    np.testing.assert_allclose(other.astype(float), one, rtol=1e-5,
                                               atol=1 if one.dtype == np.uint8 else 1e-6,
                                               err_msg=name)

    def test_more_operands_than_a_kernel(self):
        """Look-ups whose region is none are regions of their own."""
        count = 80
        inputs = {f"a{k}": random.integers(0, 256, 40).astype(np.uint8) for k in range(count)}
        constants = {"sa": np.float32(0.05), "za": np.uint8(120), "sy": np.float32(1 / 256),
                     "zy": np.uint8(0)}
        nodes, total = [], None
        for k in range(count):
            nodes.append(helper.make_node("QLinearSigmoid", [f"a{k}", "sa", "za", "sy", "zy"],
                                          [f"s{k}"], domain="com.microsoft"))
            sum_ = f"t{k}" if k < count - 1 else "y"
            nodes.append(helper.make_node("QLinearAdd",
                                          [total, "sa", "za", f"s{k}", "sy", "zy", "sa", "za"],
                                          [sum_], domain="com.microsoft")
                         if total else helper.make_node("Identity", [f"s{k}"], [sum_]))
            total = sum_
        model = model_of(nodes, inputs, {"y": inputs["a0"]}, constants)
        new, texts = convert(model)
        self.assertEqual(sum(text.count("table(") for text in texts), count)
        np.testing.assert_allclose(call(new, inputs, True)[0].astype(int),
                                   call(model, inputs, False)[0], atol=2)


def tearDownModule():
    folder.cleanup()


unittest.main(argv=sys.argv[:1])

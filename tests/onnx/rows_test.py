# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators that reduce, through `tosajit onnx`: the converted model and the model itself in ONNX
Runtime on the same inputs, one operator at a time and in random graphs.

    python3 rows_test.py LIBRARY_OF_OPERATORS LIBTOSAJIT TOSAJIT [MODELS [SEED]]
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper

from support import results_of, tell_leaks

operators, _, tool = sys.argv[1:4]
models, seed = (int(word) for word in (sys.argv[4:] + ["16", "1"][len(sys.argv) - 4:])[:2])
F32, F16, F64, I32, I64 = (TensorProto.FLOAT, TensorProto.FLOAT16, TensorProto.DOUBLE,
                           TensorProto.INT32, TensorProto.INT64)
KINDS = {np.dtype("float32"): F32, np.dtype("float16"): F16, np.dtype("float64"): F64,
         np.dtype("int32"): I32, np.dtype("int64"): I64}
tried = set()
work = tempfile.TemporaryDirectory()
ALL = ("--min-ops", "0", "--min-bytes", "0", "--fused")


def model_of(nodes, inputs, outputs, constants=(), opset=17, open_sizes=True):
    """Inputs are arrays by name; outputs are names. Sizes are open, so that each call decides
    them."""
    infos = [helper.make_tensor_value_info(name, KINDS[a.dtype],
                                           [f"{name}{d}" for d in range(a.ndim)] if open_sizes
                                           else a.shape)
             for name, a in inputs.items()]
    kind = (TensorProto.INT64 if nodes[-1].op_type in ("ArgMax", "ArgMin")
            else KINDS[next(iter(inputs.values())).dtype])
    graph = helper.make_graph(nodes, "g", infos,
                              [helper.make_tensor_value_info(name, kind, None) for name in outputs],
                              [numpy_helper.from_array(a, name)
                               for name, a in dict(constants).items()])
    imports = [helper.make_opsetid("", opset), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=imports, ir_version=8 if opset < 23 else 10)


def convert(model, *options):
    source, target = (os.path.join(work.name, name) for name in ("in.onnx", "out.onnx"))
    onnx.save(model, source)
    run = subprocess.run([tool, "onnx", source, "-o", target, "--json", *options],
                         capture_output=True)
    assert run.returncode == 0, run.stderr
    return target, json.loads(run.stdout)


def call(model, inputs, level=ort.GraphOptimizationLevel.ORT_ENABLE_ALL):
    return results_of(model, inputs, operators, level)


random = np.random.default_rng(seed)
normal = lambda *sizes, kind=np.float32: random.standard_normal(sizes).astype(kind)
# f32: a sum of a few hundred, added in another order by the engine; f16: one rounding, and the
# engine's own
TOLERANCE = {np.dtype("float32"): 2e-5, np.dtype("float16"): 4e-3, np.dtype("float64"): 1e-12,
             np.dtype("int32"): 0, np.dtype("int64"): 0}


class Rows(unittest.TestCase):
    def same(self, ours, theirs, what):
        self.assertEqual(len(ours), len(theirs))
        for a, b in zip(ours, theirs):
            self.assertEqual((a.dtype, a.shape), (b.dtype, b.shape), what)
            if a.dtype.kind != "f":
                np.testing.assert_array_equal(a, b, err_msg=str(what))
                continue
            scale = np.max(np.abs(b), initial=1, where=np.isfinite(b))
            np.testing.assert_allclose(a, b, rtol=TOLERANCE[a.dtype],
                                       atol=TOLERANCE[a.dtype] * scale, err_msg=str(what))

    def expect(self, node, inputs, constants=(), opset=17, taken=True, outputs=None):
        """A node, which becomes a region or stays; both models give the same."""
        tried.add(node.op_type)
        outputs = outputs or [name for name in node.output if name]
        model = model_of([node], inputs, outputs, constants, opset)
        target, report = convert(model, *ALL)
        self.assertEqual(len(report["regions"]), int(taken), (node.op_type, report))
        if taken:
            self.same(call(target, inputs), call(model, inputs), (node, report["regions"]))
        return report

    def test_rows_of_one_element(self):
        """Scale, bias and what is added are constants of one element, whose bits stand in the text
        of f16."""
        N = helper.make_node
        for kind in (np.float16, np.float32):
            x, constants = normal(2, 6, 1, kind=kind), {name: normal(1, kind=kind)
                                                        for name in "gbc"}
            for op, names in (("SkipLayerNormalization", "xygbc"),
                              ("SkipSimplifiedLayerNormalization", "xygc")):
                model = model_of([N(op, list(names), ["z"], domain="com.microsoft")],
                                 {"x": x, "y": x}, ["z"], constants)
                target, report = convert(model, *ALL)
                self.assertEqual(len(report["regions"]), 1)
                for a, b in zip(call(model, {"x": x, "y": x}), call(target, {"x": x, "y": x})):
                    np.testing.assert_allclose(b, a, rtol=4e-3 if kind == np.float16 else 2e-5)

    def test_no_axes_as_the_engine_reads_it(self):
        x = normal(3, 64)
        for word in (0, 1, 2):
            model = model_of([helper.make_node("ReduceSum", ["x"], ["y"],
                                               noop_with_empty_axes=word),
                              helper.make_node("Neg", ["y"], ["z"])], {"x": x}, ["z"])
            target, _ = convert(model, *ALL)
            a, b = call(model, {"x": x})[0], call(target, {"x": x})[0]
            self.assertEqual(a.shape, b.shape)
            np.testing.assert_allclose(b, a, rtol=2e-5)

    def test_softmax(self):
        for op in ("Softmax", "LogSoftmax"):
            for x in (normal(3, 5, 70), normal(4, 1), normal(2, 3, 4, 300) * 30):
                for axis, opsets in ((-1, [11, 17]), (0, [9, 13]), (1, [11, 13]), (None, [9, 17])):
                    for opset in opsets:
                        attributes = {} if axis is None else {"axis": axis}
                        self.expect(helper.make_node(op, ["x"], ["y"], **attributes), {"x": x},
                                    opset=opset)
            x = normal(6, 40)
            x[0], x[1, :20], x[2, 3], x[3, 5], x[4, 4] = -np.inf, -np.inf, np.nan, np.inf, -3e38
            self.expect(helper.make_node(op, ["x"], ["y"]), {"x": x})
            self.expect(helper.make_node(op, ["x"], ["y"]), {"x": normal(5, 40, kind=np.float64)})
            self.expect(helper.make_node(op, ["x"], ["y"]), {"x": normal(5, 40, kind=np.float16)})
            self.expect(helper.make_node(op, ["x"], ["y"]), {"x": normal(0, 40)})

    def test_reductions(self):
        for name in "Sum Mean Max Min Prod L1 L2 SumSquare LogSum LogSumExp".split():
            x = np.abs(normal(3, 5, 70)) if name == "LogSum" else normal(3, 5, 70)
            for axes, opsets in (([0], [11]), ([1], [13]), ([2], [18]), ([-1], [11]),
                                 ([0, 2], [18]), ([-2, -1], [13]), (None, [11, 18])):
                for opset in opsets:
                    listed = opset >= (13 if name == "Sum" else 18)
                    inputs = ["x", "axes"] if listed and axes else ["x"]
                    attributes = {"axes": axes} if axes and not listed else {}
                    constants = {"axes": np.int64(axes)} if listed and axes else {}
                    self.expect(helper.make_node("Reduce" + name, inputs, ["y"], **attributes),
                                {"x": x}, constants, opset)
            for axes in (None, [1], [0, 2], [-1]):
                self.expect(helper.make_node("Reduce" + name, ["x"], ["y"], keepdims=0,
                                             **({"axes": axes} if axes else {})), {"x": x},
                            opset=11)
                self.expect(helper.make_node("Reduce" + name, ["x"], ["y"], keepdims=4,
                                             **({"axes": axes} if axes else {})), {"x": x},
                            opset=11)
            self.expect(helper.make_node("Reduce" + name, ["x", "axes"], ["y"]),
                        {"x": x, "axes": np.int64([1])}, opset=18, taken=False)
            for empty in (np.int64([]), None):
                for noop in (0, 1):
                    inputs, constants = ((["x"], {}) if empty is None
                                         else (["x", "axes"], {"axes": empty}))
                    taken = noop == 0 or name in ("Sum", "Mean", "Max", "Min", "Prod")
                    self.expect(helper.make_node("Reduce" + name, inputs, ["y"],
                                                 noop_with_empty_axes=noop), {"x": x}, constants,
                                18, taken)
            for axes in ([3], [-4], [1, -2]):
                left = convert(model_of([helper.make_node("Reduce" + name, ["x"], ["y"],
                                                          axes=axes)], {"x": x}, ["y"], opset=11),
                               *ALL)[1]
                self.assertIn("an axis is", str(left["left"]))
        for name in "Sum Max Min".split():
            for kind in (np.int32, np.int64):
                self.expect(helper.make_node("Reduce" + name, ["x"], ["y"]),
                            {"x": random.integers(-99, 99, (4, 9)).astype(kind)})
        self.expect(helper.make_node("ReduceMean", ["x"], ["y"]), {"x": np.int32([[1, 2]])},
                    taken=False)
        self.expect(helper.make_node("ReduceSum", ["x"], ["y"]), {"x": normal(0, 4)})
        for name in "Sum Mean L2 SumSquare LogSumExp".split():
            self.expect(helper.make_node("Reduce" + name, ["x"], ["y"]),
                        {"x": normal(4, 9, kind=np.float64)})
        infinite = normal(3, 8)
        infinite[0], infinite[1, 2] = -np.inf, np.inf
        self.expect(helper.make_node("ReduceMax", ["x"], ["y"], axes=[1]), {"x": infinite})
        self.expect(helper.make_node("ReduceMin", ["x"], ["y"], axes=[1]), {"x": infinite})

    def test_positions(self):
        # with equals, of which the first one is meant
        x = random.integers(-3, 4, (3, 5, 70)).astype(np.float32)
        for name in ("ArgMax", "ArgMin"):
            for axis in (0, 1, 2, -1):
                for keepdims in (0, 1):
                    self.expect(helper.make_node(name, ["x"], ["y"], axis=axis, keepdims=keepdims),
                                {"x": x}, opset=13)
            self.expect(helper.make_node(name, ["x"], ["y"]), {"x": x}, opset=11)
            self.expect(helper.make_node(name, ["x"], ["y"], axis=1, select_last_index=1), {"x": x},
                        opset=13, taken=False)

    def test_scans(self):
        for kind in (np.float32, np.float64, np.int32, np.int64):
            x = (normal(3, 5, 70) * 9).astype(kind)
            for axis in (0, 1, 2, -1):
                for exclusive, reverse in ((0, 0), (1, 0), (0, 1), (1, 1)):
                    node = helper.make_node("CumSum", ["x", "a"], ["y"], exclusive=exclusive,
                                            reverse=reverse)
                    self.expect(node, {"x": x}, {"a": np.array(axis,
                                                               np.int64 if axis else np.int32)},
                                opset=14)

    def test_normalisations(self):
        for sizes, axis in (((3, 5, 70), -1), ((3, 5, 70), 2), ((3, 5, 7), 1), ((200, 768), -1),
                            ((1, 1), -1)):
            x = normal(*sizes) * 3 + 1
            w, b = normal(*sizes[axis:]), normal(*sizes[axis:])
            for attributes in ({"axis": axis}, {"axis": axis, "epsilon": 1e-3}):
                self.expect(helper.make_node("LayerNormalization", ["x", "w", "b"], ["y"],
                                             **attributes), {"x": x}, {"w": w, "b": b})
                self.expect(helper.make_node("LayerNormalization", ["x", "w"], ["y"], **attributes),
                            {"x": x, "w": w})
                if axis in (-1, 2):
                    self.expect(helper.make_node("SimplifiedLayerNormalization", ["x", "w"], ["y"],
                                                 **attributes), {"x": x}, {"w": w})
                self.expect(helper.make_node("RMSNormalization", ["x", "w"], ["y"], **attributes),
                            {"x": x}, {"w": w}, opset=23)
        x = normal(2, 6, 40)
        for outputs in (["y", "mean"], ["y", "", "deviation"]):
            self.expect(helper.make_node("LayerNormalization", ["x", "w"], outputs), {"x": x},
                        {"w": normal(40)}, taken=False)
        skip, w, b, bias = normal(2, 6, 40), normal(40), normal(40), normal(40)
        for op, operands in (("SkipLayerNormalization", ["x", "skip", "w", "b", "bias"]),
                             ("SkipSimplifiedLayerNormalization", ["x", "skip", "w", "bias"])):
            for left_out in ((), ("bias",), ("b",), ("b", "bias")):
                inputs = ["" if name in left_out else name for name in operands]
                while not inputs[-1]:
                    inputs.pop()
                if op == "SkipLayerNormalization" or "b" not in left_out:
                    for outputs in (["y"], ["y", "", "", "sum"]):
                        # between mean and deviation the engine leaves a place
                        self.expect(helper.make_node(op, inputs, outputs, domain="com.microsoft",
                                                     epsilon=1e-5), {"x": x, "skip": skip},
                                    {name: a for name, a in (("w", w), ("b", b), ("bias", bias))
                                     if name in inputs})
        for sizes in ((2, 3, 8, 9), (2, 3, 50), (1, 4, 3, 4, 5)):
            x, w, b = normal(*sizes) + 1, normal(sizes[1]), normal(sizes[1])
            self.expect(helper.make_node("InstanceNormalization", ["x", "w", "b"], ["y"]), {"x": x},
                        {"w": w, "b": b})
            self.expect(helper.make_node("InstanceNormalization", ["x", "w", "b"], ["y"]),
                        {"x": x, "w": w, "b": b}, taken=False)
            self.expect(helper.make_node("GlobalAveragePool", ["x"], ["y"]), {"x": x})
            self.expect(helper.make_node("GlobalMaxPool", ["x"], ["y"]), {"x": x})
        self.expect(helper.make_node("MeanVarianceNormalization", ["x"], ["y"]),
                    {"x": normal(2, 3, 8, 9)}, opset=13)
        self.expect(helper.make_node("MeanVarianceNormalization", ["x"], ["y"], axes=[1, 2, 3]),
                    {"x": normal(2, 3, 8, 9)}, opset=13)

    def test_attention_rows(self):
        """A mask of minus infinity, of which one row has nothing else but its own place."""
        x = normal(2, 4, 10, 10)
        mask = np.where(np.tril(np.ones((10, 10), bool)), 0, -np.inf).astype(np.float32)[None, None]
        nodes = [helper.make_node("Div", ["x", "eight"], ["s"]),
                 helper.make_node("Add", ["s", "mask"], ["t"]),
                 helper.make_node("Softmax", ["t"], ["y"], axis=-1)]
        model = model_of(nodes, {"x": x, "mask": mask}, ["y"], {"eight": np.float32(8)})
        target, report = convert(model)
        self.assertEqual([r["nodes"] for r in report["regions"]], [3])
        self.same(call(target, {"x": x, "mask": mask}), call(model, {"x": x, "mask": mask}), report)

    def test_random_graphs(self):
        """Chains with branches: elementwise operators between reductions of all kinds, each value
        read by some later node."""
        for count in range(models):
            rank = int(random.integers(2, 5))
            x = normal(*random.integers(1, 9, rank))
            names, nodes, constants = ["x"], [], {}
            for k in range(int(random.integers(3, 14))):
                name, kind = f"v{k}", int(random.integers(0, 9))
                a, b = (names[int(random.integers(0, len(names)))] for _ in range(2))
                axis = int(random.integers(-rank, rank))
                if kind < 3:
                    nodes.append(helper.make_node(("Add", "Sub", "Max")[kind], [a, b], [name]))
                elif kind < 5:
                    nodes.append(helper.make_node(("Tanh", "Sigmoid")[kind - 3], [a], [name]))
                elif kind < 6:
                    nodes.append(helper.make_node("Softmax", [a], [name], axis=axis))
                elif kind < 7:
                    constants[f"w{k}"] = np.float32([0.75])
                    nodes.append(helper.make_node("LayerNormalization", [a, f"w{k}"], [name],
                                                  axis=axis, epsilon=1e-2))
                else:
                    op = ("ReduceMean", "ReduceMax", "ReduceL2",
                          "ReduceMin")[int(random.integers(0, 4))]
                    nodes.append(helper.make_node(op, [a], [name], axes=[axis]))
                names.append(name)
            outputs = sorted({names[-1], *(names[int(random.integers(1, len(names)))]
                                           for _ in range(2))})
            model = model_of(nodes, {"x": x}, outputs, constants, open_sizes=count % 2 == 0)
            target, report = convert(model, *ALL)
            # LayerNormalization of the engine may refuse a weight of one element; then nothing is
            # to be compared
            level = (ort.GraphOptimizationLevel.ORT_DISABLE_ALL if count % 3 == 0
                     else ort.GraphOptimizationLevel.ORT_ENABLE_ALL)
            try:
                theirs = call(model, {"x": x}, level)
            except Exception:
                continue
            self.same(call(target, {"x": x}, level), theirs,
                      (count, [r["expression"] for r in report["regions"]]))


    def test_zz_every_operator_was_tried(self):
        with open(os.path.join(os.path.dirname(os.path.abspath(__file__)),
                               "../../tools/onnx/lowering/rows.c")) as file:
            table = {line.split('"')[1].rpartition(".")[2]
                     for line in file if line.startswith('    {"')}
        self.assertGreater(len(table), 20)
        self.assertFalse(table - tried)

    def test_types_behind_other_operators(self):
        """A chain behind an operator whose result nobody declares is a region, if type and rank are
        known; the engine, which refuses a region of another rank or type, runs it."""
        u8 = lambda *sizes: random.integers(0, 255, sizes).astype(np.uint8)
        scale, zero = np.float32(0.05), np.uint8(128)
        scales = {"s": scale, "z": zero}
        N, Q = helper.make_node, lambda op, *words, **more: helper.make_node(op, *words, domain="com.microsoft", **more)
        back = N("DequantizeLinear", ["q", "s", "z"], ["t"])
        x = normal(1, 4, 9, 9)
        quantized = N("QuantizeLinear", ["x", "s", "z"], ["xq"])
        two = N("Transpose", ["xq"], ["xt"], perm=[0, 1, 3, 2])
        cases = {
            "QLinearConv": ([quantized, N("QLinearConv", ["xq", "s", "z", "w", "s", "z", "s", "z"],
                                          ["q"]), back], x, {"w": u8(8, 4, 3, 3)}),
            "QLinearMatMul": ([quantized, N("QLinearMatMul",
                                            ["xq", "s", "z", "w", "s", "z", "s", "z"], ["q"]),
                               back], x, {"w": u8(9, 5)}),
            "QLinearAdd": ([quantized, two, Q("QLinearAdd",
                                              ["xq", "s", "z", "xt", "s", "z", "s", "z"], ["q"]),
                            back], x, {}),
            "QLinearMul": ([quantized, two, Q("QLinearMul",
                                              ["xq", "s", "z", "xt", "s", "z", "s", "z"], ["q"]),
                            back], x, {}),
            "QLinearSigmoid": ([quantized, Q("QLinearSigmoid", ["xq", "s", "z", "s", "z"], ["q"]),
                                back], x, {}),
            "QLinearGlobalAveragePool": ([quantized,
                                          Q("QLinearGlobalAveragePool", ["xq", "s", "z", "s", "z"],
                                            ["q"]), back], x, {}),
            "QLinearConcat": ([quantized, two, Q("QLinearConcat",
                                                 ["s", "z", "xq", "s", "z", "xt", "s", "z"], ["q"],
                                                 axis=1), back], x, {}),
            "QGemm": ([quantized, Q("QGemm", ["xq", "s", "z", "w", "s", "z", "", "s", "z"], ["q"]),
                       back], normal(6, 9), {"w": u8(9, 5)}),
            "ConvInteger": ([quantized, N("ConvInteger", ["xq", "w", "z"], ["q"]),
                             N("Cast", ["q"], ["t"], to=F32)], x, {"w": u8(8, 4, 3, 3)}),
            "MatMulInteger": ([quantized, N("MatMulInteger", ["xq", "w", "z"], ["q"]),
                               N("Cast", ["q"], ["t"], to=F32)], x, {"w": u8(9, 5)}),
            "DynamicQuantizeLinear": ([N("DynamicQuantizeLinear", ["x"], ["q", "sd", "zd"]),
                                       N("MatMulInteger", ["q", "w", "zd"], ["i"]),
                                       N("Cast", ["i"], ["c"], to=F32),
                                       N("Mul", ["c", "sd"], ["t"])], x, {"w": u8(9, 5)}),
            "STFT": ([N("STFT", ["x", "step", "", "length"], ["t"])], normal(1, 400),
                     {"step": np.int64(100), "length": np.int64(64)}),
            "LSTM": ([N("LSTM", ["x", "w", "r"], ["", "t"], hidden_size=8)], normal(6, 2, 4),
                     {"w": normal(1, 32, 4), "r": normal(1, 32, 8)}),
            "GRU": ([N("GRU", ["x", "w", "r"], ["t"], hidden_size=8)], normal(6, 2, 4),
                    {"w": normal(1, 24, 4), "r": normal(1, 24, 8)}),
            "GatherElements": ([N("GatherElements", ["x", "i"], ["t"])], normal(5, 6),
                               {"i": np.int64([[1, 2, 0], [3, 1, 4]])}),
            "ScatterElements": ([N("ScatterElements", ["x", "i", "v"], ["t"], axis=1,
                                   reduction="add")], normal(5, 6),
                                {"i": np.int64([[1, 2, 1]] * 5), "v": normal(5, 3)}),
            "ScatterND": ([N("ScatterND", ["x", "i", "v"], ["t"], reduction="max")], normal(5, 6),
                          {"i": np.int64([[4], [0], [4]]), "v": normal(3, 6)}),
            "TopK": ([N("TopK", ["x", "k"], ["t", "places"])], normal(5, 60), {"k": np.int64([7])}),
            "ArgMax": ([N("ArgMax", ["x"], ["i"], axis=1, keepdims=0),
                        N("Cast", ["i"], ["t"], to=F32)], normal(5, 6, 7), {}),
            "DepthToSpace": ([N("DepthToSpace", ["x"], ["t"], blocksize=2)], x, {}),
            "Trilu": ([N("Trilu", ["x"], ["t"])], x, {}),
        }
        for name, (nodes, x, constants) in cases.items():
            chain = [N("Sigmoid", ["t"], ["u"]), N("Mul", ["t", "u"], ["y"])]
            used = {c for n in nodes for c in n.input} & set(scales)
            model = model_of(nodes + chain, {"x": x}, ["y"],
                             {**constants, **{c: scales[c] for c in used}}, 18)
            target, report = convert(model, "--min-bytes", "0")
            self.assertIn("sigmoid", str(report["regions"]), (name, report))
            self.same(call(target, {"x": x}, ort.GraphOptimizationLevel.ORT_DISABLE_ALL),
                      call(model, {"x": x}, ort.GraphOptimizationLevel.ORT_DISABLE_ALL), name)
            # at the highest level the engine rounds integers in other places; that it loads is
            # enough
            call(target, {"x": x})

    def test_prices(self):
        """What the engine is faster at stays, unless everything is wanted; what it is slower at
        pays alone."""
        wide, pixels = normal(64, 96), normal(1, 64, 7, 7)
        for op, x, attributes, options, words in (
                ("LayerNormalization", wide, {}, (), None),
                                                  ("Softmax", wide, {}, (),
                                                   "a region of 1 operator does not pay"),
                ("Softmax", wide, {}, ("--accuracy", "exact"), "with exact functions"),
                                                  ("Softmax", wide, {"axis": 0},
                                                   ("--accuracy", "exact"), None),
                ("ReduceMax", wide, {"axes": [0]}, (), None),
                                                  ("ReduceMax", wide, {"axes": [1]}, (),
                                                   "does not pay"),
                ("GlobalAveragePool", pixels, {}, (), "in blocks of channels"),
                                                  ("GlobalAveragePool", pixels, {},
                                                   ("--fused",), None),
                                                  ("Softmax", normal(256, 16), {}, (), None),
                                                  ("ReduceMean", pixels, {"axes": [2, 3]}, (),
                                                   None),
                                                  ("ReduceLogSumExp", wide, {"axes": [1]}, (),
                                                   None),
                ("LayerNormalization", normal(256, 16), {}, (), None),
                                                  ("LayerNormalization", normal(8, 96), {}, (),
                                                   "few elements"), ("Log", wide, {}, (), None),
                                                  ("Exp", wide, {}, (), "does not pay")):
            inputs = ["x", "w"] if op == "LayerNormalization" else ["x"]
            model = model_of([helper.make_node(op, inputs, ["y"], **attributes)], {"x": x}, ["y"],
                             {"w": normal(x.shape[-1])} if len(inputs) > 1 else {},
                             open_sizes=False)
            left = str(convert(model, "--min-bytes", "0", *options)[1]["left"])
            self.assertTrue(words in left if words else left == "[]", (op, options, left))

    def test_scales_that_repeat_rows(self):
        """The engine refuses them in a call, and takes the result for as large as the rows."""
        model = model_of([helper.make_node("LayerNormalization", ["x", "w"], ["y"])],
                         {"x": normal(64, 1)}, ["y"], {"w": normal(5)}, open_sizes=False)
        left = str(convert(model, "--min-ops", "0", "--min-bytes", "0")[1]["left"])
        self.assertIn("other sizes than its rows", left)


def tearDownModule():
    tell_leaks()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators that move elements, through `tosajit onnx`: the converted model and the model itself in
ONNX Runtime on the same inputs.

    python3 views_test.py LIBRARY_OF_OPERATORS LIBTOSAJIT TOSAJIT
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from support import results_of, tell_leaks

operators, _, tool = sys.argv[1:4]
os.environ.setdefault("TOSAJIT_PYTHON", sys.executable)  # for --optimize
work = tempfile.TemporaryDirectory()
random = np.random.default_rng(3)
ALL = ("--min-ops", "0", "--min-bytes", "0", "--fused")
N = helper.make_node


def normal(*sizes):
    return random.standard_normal(sizes).astype(np.float32)


def model_of(nodes, inputs, outputs=("y",), constants=(), opset=17, open_axes=()):
    """Sizes of an axis that is named are open."""
    infos = [helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(a.dtype),
                                           [f"s{d}" if d in open_axes else n
                                            for d, n in enumerate(a.shape)])
             for name, a in inputs.items()]
    kind = infos[0].type.tensor_type.elem_type
    graph = helper.make_graph(nodes, "g", infos,
                              [helper.make_tensor_value_info(name, kind, None) for name in outputs],
                              [numpy_helper.from_array(np.asarray(a), name)
                               for name, a in dict(constants).items()])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)


def call(model, inputs):
    return results_of(model, inputs, operators)


class Views(unittest.TestCase):
    def test_keys_of_one_token(self):
        """Behind those of before, as decoders keep them: pieces of a result that lie apart in it.
        Sizes of 1 make a transposition none."""
        for kind in (np.float16, np.float32):
            for batch, tokens, open_axes in ((1, 1, ()), (1, 3, ()), (2, 1, ()), (2, 3, ()),
                                             (1, 1, (0,)), (2, 1, (0,)), (2, 3, (0,))):
                for axis in range(4):
                    shape = [batch, 4, tokens, 32]
                    shape[axis] += 5
                    x, past = normal(batch, tokens, 128), normal(*shape).astype(kind)
                    nodes = [N("Neg", ["x"], ["e"]), N("Cast", ["e"], ["c"], to=helper.np_dtype_to_tensor_dtype(np.dtype(kind))),
                             N("Reshape", ["c", "heads"], ["h"]), N("Transpose", ["h"], ["t"], perm=[0, 2, 1, 3]), N("Concat", ["past", "t"], ["y"], axis=axis)]
                    model = model_of(nodes, {"past": past, "x": x}, ["y"],
                                     {"heads": np.int64([0, 0, 4, 32])}, 18, open_axes)
                    self.regions(model, {"past": past, "x": x}, *ALL)

    def regions(self, model, inputs, *options, more=()):
        """The texts of the converted model, which computes the same of all these inputs."""
        source, target = (os.path.join(work.name, name) for name in ("in.onnx", "out.onnx"))
        onnx.save(model, source)
        run = subprocess.run([tool, "onnx", source, "-o", target, "--json", *options],
                             capture_output=True)
        self.assertEqual(run.returncode, 0, run.stderr)
        for given in (inputs, *more):
            for a, b in zip(call(model, given), call(target, given)):
                np.testing.assert_allclose(b, a, rtol=1e-5, atol=1e-6)
        return [region["expression"] for region in json.loads(run.stdout)["regions"]]

    def test_each(self):
        """Beside an operator that computes, in each opset's own form."""
        i64 = np.int64
        for name, opset, attributes, lists, within in (
                ("Slice", 9, {"starts": [1], "ends": [2**63 - 1], "axes": [1]}, [], "t0[:,1:6,:]"),
                ("Slice", 17, {}, [[0, -3], [4, 9]], "t0[0:4,3:6,:]"),
                                                       ("Slice", 17, {}, [[1], [-1], [-1], [3]],
                                                        "t0[:,:,1:31:3]"),
                ("Split", 9, {"axis": 1, "split": [2, 4]}, [], "t0[:,0:2,:]"),
                                                       ("Split", 17, {"axis": -1}, [[20, 12]],
                                                        "t0[:,:,20:32]"),
                ("Split", 17, {"axis": 2}, [], "t0[:,:,16:32]"),
                                                       ("Split", 18, {"axis": 1, "num_outputs": 2},
                                                        [], "t0[:,3:6,:]"),
                ("Concat", 17, {"axis": -2}, None, "concat(t0, t0, axis=1)"),
                                                       ("Transpose", 17, {"perm": [1, 0, 2]}, [],
                                                        "transpose(t0, (1,0,2,))"),
                ("Transpose", 17, {}, [], "transpose(t0, (2,1,0,))"),
                                                       ("Reshape", 17, {}, [[0, 3, -1]],
                                                        "reshape(t0, (0,3,64,))"),
                ("Unsqueeze", 9, {"axes": [3, 0]}, [], "unsqueeze(unsqueeze(t0, 0), 3)"),
                                                       ("Unsqueeze", 17, {}, [[-1]],
                                                        "unsqueeze(t0, 3)")):
            x, parts = normal(5, 6, 32), ["v", "w"] if name == "Split" else ["v"]
            constants = {f"c{k}": i64(values) for k, values in enumerate(lists or [])}
            nodes = [N("Neg", ["x"], ["n"]), N(name,
                                               ["n", "n"] if lists is None else ["n", *constants],
                                               parts, **attributes),
                     *(N("Exp", [part], [part + "y"]) for part in parts)]
            model = model_of(nodes, {"x": x}, [part + "y" for part in parts], constants, opset)
            texts = self.regions(model, {"x": x}, *ALL)
            if lists is None:  # what is computed once would be computed twice
                self.assertEqual(len(texts), 3, texts)
                model = model_of([N("Neg", ["x"], ["n"]),
                                  N("Concat", ["n", "x"], ["v"], **attributes),
                                  N("Exp", ["v"], ["y"])], {"x": x})
                texts, within = self.regions(model, {"x": x}, *ALL), "concat(t0, x0, axis=1)"
            self.assertEqual(len(texts), 1, (name, texts))
            self.assertIn(within, texts[0])

    def test_gathers(self):
        """Of what an operand has, beside an operator that computes; each index is negative, too. An
        index beyond is refused, as the engine does."""
        x, i32, i64 = normal(5, 6, 32), np.int32, np.int64
        lists = np.stack([random.integers(-5, 5, (7, 3)), random.integers(-6, 6, (7, 3))], -1)
        for name, attributes, index, open_axes, within in (
                ("Gather", {}, i64([[0, -5, 3], [4, -1, 2]]), (), "take(x0, x1, 0)"),
                                                           ("Gather", {"axis": 1}, i32([5, -6]), (),
                                                            "take(x0, x1, 1)"),
                ("Gather", {"axis": -1}, np.array(-32), (), "take(x0, x1, 2)"),
                                                           ("Gather", {"axis": -2}, i64([[1], [2]]),
                                                            (0, 1, 2), "take(x0, x1, 1)"),
                ("GatherElements", {"axis": 1}, random.integers(-6, 6, (5, 9, 32)), (),
                 "take_along_axis(x0[:,:,:], x1, 1)"),
                ("GatherElements", {"axis": -1}, random.integers(-32, 32, (1, 4, 70)), (),
                 "take_along_axis(x0[0:1,0:4,:], x1, 2)"),
                ("GatherND", {}, lists[..., :1], (), "take(reshape(x0, (5,6,32,))"),
                                                           ("GatherND", {}, lists, (),
                                                            "take(reshape(x0, (30,32,))"),
                ("GatherND", {}, np.concatenate([lists, random.integers(-32, 32, (7, 3, 1))], -1),
                 (), "take(reshape(x0, (960,))")):
            nodes = [N(name, ["x", "i"], ["g"], **attributes), N("Exp", ["g"], ["e"]),
                     N("Neg", ["e"], ["y"])]
            model = model_of(nodes, {"x": x, "i": index}, opset=13, open_axes=open_axes)
            text, = self.regions(model, {"x": x, "i": index}, *ALL)
            self.assertIn(within, text)
            for k in range(index.shape[-1] if name == "GatherND" else 1):
                size, limits = x.shape[k if name == "GatherND"
                                       else attributes.get("axis", 0)], np.iinfo(index.dtype)
                for wrong in (size, -size - 1, limits.max, limits.min):
                    beyond = index.copy()
                    beyond[tuple(n - 1 for n in index.shape[:-1])
                           + (-1 - k if name != "GatherND" else k,) if index.ndim else ()] = wrong
                    for one in (model, os.path.join(work.name, "out.onnx")):
                        with self.assertRaisesRegex(Exception, "(?i)ind(ex|ices)",
                                                    msg=(name, wrong, k)):
                            call(one, {"x": x, "i": beyond})

    def test_scatters(self):
        """Updates that an operator computes, into data that another one follows: one kernel. Each index is negative, too, and one beyond is refused."""
        i64, same = np.int64, lambda *sizes: random.integers(-sizes[0], sizes[0], sizes)
        pairs = np.stack([random.integers(-5, 5, (7, 3)), random.integers(-6, 6, (7, 3))], -1)
        once = np.stack([random.permutation(5)[:3] - 5 for _ in range(32)], -1)
        for name, attributes, data, index, updates, open_axes, within in (
                ("ScatterElements", {"reduction": "add"}, (5, 32), np.broadcast_to(same(5, 1), (5, 32)), (5, 32), (), "scatter_add("),
                ("ScatterElements", {"reduction": "max", "axis": 0}, (5, 32), random.integers(-5, 5, (70, 32)), (70, 32), (), "scatter_max("),
                ("ScatterElements", {"reduction": "min", "axis": -1}, (6, 5, 9), random.integers(-9, 9, (6, 5, 70)), (6, 5, 70), (), "scatter_min("),
                ("ScatterElements", {"reduction": "add", "axis": 1}, (6, 5, 9), random.integers(-5, 5, (6, 8, 9)), (6, 8, 9), (), "(1,0,2,)"),
                ("ScatterElements", {}, (5, 32), once, (3, 32), (), "scatter("),
                ("ScatterND", {"reduction": "add"}, (5, 32), same(5, 40)[:, :1], (5, 32), (0,), "scatter_add(x"),
                ("ScatterND", {"reduction": "max"}, (5, 6, 32), same(5, 2)[..., None], (5, 2, 6, 32), (), "scatter_max("),
                ("ScatterND", {"reduction": "min"}, (5, 6, 32), pairs, (7, 3, 32), (), "scatter_min("),
                ("ScatterND", {"reduction": "add"}, (5, 6), pairs, (7, 3), (), "scatter_add("),
                ("ScatterND", {}, (5, 32), i64([[3], [-5], [1]]), (3, 32), (), "scatter(")):
            given = {"x": normal(*data), "i": np.ascontiguousarray(index), "u": normal(*updates)}
            nodes = [N("Exp", ["u"], ["e"]), N(name, ["x", "i", "e"], ["s"], **attributes), N("Neg", ["s"], ["n"]), N("Exp", ["n"], ["y"])]
            model = model_of(nodes, given, opset=18, open_axes=open_axes)
            text, = self.regions(model, given, *ALL)
            self.assertIn(within, text)
            axis = attributes.get("axis", 0)
            for wrong in (data[axis], -data[axis] - 1, 2**63 - 1, -2**63):
                beyond = given["i"].copy()
                beyond[(-1,) * (beyond.ndim - 1) + (0,)] = wrong
                with self.assertRaisesRegex(Exception, "(?i)ind(ex|ices)", msg=(name, wrong)):
                    call(os.path.join(work.name, "out.onnx"), {**given, "i": beyond})

    def test_messages(self):
        """A layer of a graph's network is one region; its index is never written for each feature."""
        h, w, into = normal(40, 24), normal(300, 1), np.zeros((40, 24), np.float32)
        source, to = (random.integers(0, 40, (300,)) for _ in range(2))
        nodes = [N("Gather", ["h", "from"], ["g"]), N("Mul", ["g", "w"], ["m"]), N("Relu", ["m"], ["r"]), N("Unsqueeze", ["to", "one"], ["t"]),
                 N("Expand", ["t", "sizes"], ["i"]), N("ScatterElements", ["zero", "i", "r"], ["s"], axis=0, reduction="add"), N("Add", ["s", "h"], ["a"]),
                 N("Tanh", ["a"], ["y"])]
        given = {"h": h, "w": w, "from": source, "to": to}
        model = model_of(nodes, given, ["y"], {"one": np.int64([1]), "sizes": np.int64([300, 24]), "zero": into}, 18)
        text, = self.regions(model, given, "--min-bytes", "0")
        for word in ("take(", "broadcast_to(", "scatter_add(", "tanh("):
            self.assertIn(word, text)

    def test_gather_of_what_is_computed(self):
        """It lies in memory: one region makes it. The index may be made in the region that
        gathers."""
        x, index = normal(40, 64), random.integers(-20, 20, (70,))
        nodes = [N("Exp", ["x"], ["e"]), N("Tanh", ["e"], ["t"]), N("Gather", ["t", "i"], ["g"]),
                 N("Neg", ["g"], ["n"]), N("Exp", ["n"], ["y"])]
        texts = self.regions(model_of(nodes, {"x": x, "i": index}), {"x": x, "i": index}, *ALL)
        self.assertFalse(any("exp(x0)" in text and "take(" in text for text in texts), texts)
        few = [N("Gather", ["x", "i"], ["g"]), N("Exp", ["g"], ["e"]), N("Neg", ["e"], ["y"])]
        for count, taken in ((3, 0), (70, 1)):
            given = {"x": x, "i": index[:count]}
            self.assertEqual([text.count("take(")
                              for text in self.regions(model_of(few, given), given, "--min-bytes",
                                                       "0")], [taken])
        nodes = [N("Add", ["i", "i"], ["j"]), N("Gather", ["x", "j"], ["g"]),
                 N("Neg", ["g"], ["n"]), N("Exp", ["n"], ["y"])]
        model = model_of(nodes, {"x": x, "i": index})
        text, = self.regions(model, {"x": x, "i": index}, *ALL)
        self.assertIn("x1 + x1", text.replace("x0 + x0", "x1 + x1"))
        index[3] = 20
        with self.assertRaisesRegex(Exception, "index 40 of .* is not in -40..39"):
            call(os.path.join(work.name, "out.onnx"), {"x": x, "i": index})

    def test_squeeze(self):
        x = normal(3, 1, 40)
        for opset, attributes, lists in ((9, {"axes": [1]}, {}), (17, {}, {"a": np.int64([-2])})):
            model = model_of([N("Neg", ["x"], ["n"]),
                              N("Squeeze", ["n", *lists], ["s"], **attributes),
                              N("Exp", ["s"], ["y"])], {"x": x}, ["y"], lists, opset)
            text, = self.regions(model, {"x": x}, *ALL)
            self.assertIn("squeeze(", text)

    def rotary(self, x, cos, sin, name):
        half = x + name
        return [N("Split", [x, "half"], [half + "a", half + "b"], axis=-1),
                N("Neg", [half + "b"], [half + "n"]),
                N("Concat", [half + "n", half + "a"], [half + "c"], axis=-1),
                N("Mul", [half + "c", sin], [half + "s"]), N("Mul", [x, cos], [half + "m"]),
                N("Add", [half + "m", half + "s"], [name])]

    def test_rotary_positions(self):
        """Queries, keys and values in one region; and in place of what they are made of, which is
        still read."""
        x, constants = normal(2, 24, 3 * 128), {"cos": normal(24, 32), "sin": normal(24, 32),
                                                "half": np.int64([16, 16]),
                                                "heads": np.int64([2, 24, 4, 32])}
        nodes = [N("Split", ["x"], ["q", "k", "v"], axis=2)]
        for part in "qkv":
            nodes += [N("Reshape", [part, "heads"], [part + "h"]),
                      N("Transpose", [part + "h"], [part + "t"], perm=[0, 2, 1, 3])]
        nodes += self.rotary("qt", "cos", "sin", "qy") + self.rotary("kt", "cos", "sin", "ky")
        text, = self.regions(model_of(nodes, {"x": x}, ["qy", "ky", "vt"], constants), {"x": x},
                             "--fused")
        self.assertIn("concat(", text)
        x = normal(2, 4, 24, 32)
        nodes = [N("MatMul", ["x", "w"], ["p"]), *self.rotary("p", "cos", "sin", "r"),
                 N("MatMul", ["r", "w"], ["y"])]
        text, = self.regions(model_of(nodes, {"x": x}, ["y"], {**constants, "w": normal(32, 32)}),
                             {"x": x}, "--fused")
        self.assertTrue(text.startswith("x0: f32[2,4,24,32]"), text)
        x = normal(2, 4, 24, 32)  # any length
        text, = self.regions(model_of(nodes, {"x": x}, ["y"], {**constants, "w": normal(32, 32)},
                                      open_axes=[0, 2]), {"x": x}, "--fused")
        self.assertIn("[?,4,?,32]", text)

    def moved(self, nodes, x, outputs=("y",), constants=()):
        return self.regions(model_of(nodes, {"x": x}, outputs, constants), {"x": x}, "--fused")

    def test_moves_alone(self):
        """Queries, keys and values of one product: the engine moves them twice, a region once. A
        transposition is a region alone, too, unless it has few elements or short runs; a cut is
        not."""
        lists = {"five": np.int64([1, 197, 3, 3, 64]), "each": np.int64([1, 1, 1]),
                 "two": np.int64([2])}
        nodes = [N("Reshape", ["x", "five"], ["f"]),
                 N("Split", ["f", "each"], ["q", "k", "v"], axis=2)]
        for part, order in (("q", [0, 2, 1, 3]), ("k", [0, 2, 3, 1]), ("v", [0, 2, 1, 3])):
            nodes += [N("Squeeze", [part, "two"], [part + "s"]),
                      N("Transpose", [part + "s"], [part + "y"], perm=order)]
        text, = self.moved(nodes, normal(197, 3 * 192), ["qy", "ky", "vy"], lists)
        self.assertEqual(text.count("transpose("), 3, text)
        for shape, order, count in (((2, 64, 48), [0, 2, 1], 1), ((4, 8, 8), [0, 2, 1], 0),
                                    ((720, 2, 6, 2), [0, 2, 1, 3], 0)):
            texts = self.moved([N("Transpose", ["x"], ["y"], perm=order)], normal(*shape))
            self.assertEqual(len(texts), count, texts)
        norm = [N("Transpose", ["x"], ["t"], perm=[0, 2, 1]),
                N("LayerNormalization", ["t", "one", "zero"], ["y"])]  # rows across memory
        texts = self.moved(norm, normal(2, 64, 48),
                           constants={"one": normal(64), "zero": normal(64)})
        self.assertEqual([text.count("transpose(") for text in texts], [1, 0], texts)
        ranges = {"starts": np.int64([5]), "ends": np.int64([90]), "axes": np.int64([0])}
        cut = [N("Slice", ["x", *ranges], ["y"])]
        self.assertEqual(self.moved(cut, normal(100, 48), constants=ranges), [])

    def asked_halves(self, x, name):
        """Both halves of the last size, which is asked for."""
        at = [x + word for word in ("shape", "size", "half", "cast", "list", "a", "b", "n")]
        return [N("Shape", [x], at[:1]), N("Gather", [at[0], "three"], at[1:2]),
                N("Div", [at[1], "two"], at[2:3]), N("Cast", [at[2]], at[3:4],
                                                     to=TensorProto.INT64),
                N("Unsqueeze", [at[3], "zero"], at[4:5]),
                N("Slice", [x, "zero", at[4], "last", "ones"], at[5:6]),
                N("Slice", [x, at[4], "end", "last", "ones"], at[6:7]),
                N("Neg", [at[6]], at[7:8]), N("Concat", [at[7], at[5]], [name], axis=-1)]

    def listed_sizes(self, x, name, *behind):
        """The first two sizes of x, and then others."""
        parts = [x + name + str(k) for k in range(4)]
        return [N("Shape", [x], [parts[0]]), N("Gather", [parts[0], "first"], [parts[1]]),
                N("Gather", [parts[0], "second"], [parts[2]]),
                N("Unsqueeze", [parts[1], "zero"], [parts[3]]),
                N("Unsqueeze", [parts[2], "zero"], [parts[3] + "u"]),
                N("Concat", [parts[3], parts[3] + "u", *behind], [name], axis=0)]

    def test_rotary_positions_of_any_length(self):
        """As exporters write them: halves that are asked for, sizes of which two are an operand's,
        and positions of a table."""
        i64 = np.int64
        table = {"cosines": normal(50, 32), "sines": normal(50, 32)}
        numbers = {"zero": i64([0]), "one": i64([1]), "ones": i64([1]), "two": i64(2),
                   "three": i64(3), "last": i64([3]), "end": i64([2**63 - 1]),
                   "first": i64(0), "second": i64(1), "heads": i64([4]), "width": i64([32]),
                   "left": i64([-1]), "w": normal(128, 256) / np.float32(16),
                   "halves": i64([128, 128])}
        pairs = (("cos", "cosines"), ("sin", "sines"))
        gathered = [step for name, rows in pairs for step in (N("Gather", [rows, "places"],
                                                                [name + "g"]),
                                                              N("Unsqueeze", [name + "g", "one"],
                                                                [name]))]
        cut = [N("Shape", ["x"], ["xs"]), N("Gather", ["xs", "one"], ["length"]),
               *(N("Slice", [rows, "zero", "length", "zero"], [name]) for name, rows in pairs)]
        computed = [step for name, rows in pairs for step in (N("Gather", [rows, "places"],
                                                                [name + "g"]),
                                                              N(name.title(), [name + "g"],
                                                                [name + "f"]),
                                                              N("Unsqueeze", [name + "f", "one"],
                                                                [name]))]
        for positions, sizes in ((gathered, ("heads", "width")), (gathered, ("left", "width")),
                                 (cut, ("heads", "width")), (cut, ("heads", "left")),
                                 (computed, ("left", "width"))):
            nodes = [*positions, N("MatMul", ["x", "w"], ["p"]),
                     N("Split", ["p", "halves"], ["q", "k"], axis=2)]
            for part in "qk":
                x = part + "t"
                nodes += [*self.listed_sizes("x", part + "s", *sizes),
                          N("Reshape", [part, part + "s"], [part + "h"]),
                          N("Transpose", [part + "h"], [x], perm=[0, 2, 1, 3]),
                          *self.asked_halves(x, part + "c"), N("Mul", [x, "cos"], [part + "m"]),
                          N("Mul", [part + "c", "sin"], [part + "n"]),
                          N("Add", [part + "m", part + "n"], [part + "r"])]
            calls = [(2, 9), (1, 1), (2, 1), *([] if "left" in sizes else [(2, 0), (0, 3)]),
                     *random.integers(1, 50, (3, 2)).tolist()]  # nothing is left of nothing
            given = [{"x": normal(batch, length, 128)} for batch, length in calls]
            if positions is not cut:
                given = [{**values, "places": random.integers(0, 50, values["x"].shape[:2])}
                         for values in given]
            model = model_of(nodes, given[0], ["qr", "kr"], {**table, **numbers}, open_axes=[0, 1])
            texts = self.regions(model, given[0], "--fused", more=given[1:])
            self.assertEqual([text.count("concat(") for text in texts], [2], texts)
            self.assertEqual(texts[0].count("reshape("), 2, texts)
            target = onnx.load(os.path.join(work.name, "out.onnx"))
            self.assertEqual([node.op_type for node in target.graph.node
                              if node.op_type in ("Shape", "Div")],
                             ["Shape"] if positions is cut else [])

    def test_sizes_that_stay_open(self):
        """A list of which only a call knows two sizes, and a model that has nothing else to gain,
        are as they were."""
        i64 = np.int64
        constants = {"zero": i64([0]), "first": i64(0), "second": i64(1), "wide": i64([4]),
                     "double": i64(2)}
        sizes = self.listed_sizes("x", "s", "wide")
        nodes = [*sizes, N("Gather", ["xs0", "second"], ["g"]), N("Mul", ["g", "double"], ["d"]),
                 N("Unsqueeze", ["d", "zero"], ["u"]), N("Gather", ["xs0", "first"], ["f"]),
                 N("Mul", ["f", "double"], ["e"]), N("Unsqueeze", ["e", "zero"], ["v"]),
                 N("Concat", ["v", "u", "zero2"], ["list"], axis=0),
                 N("Tanh", ["x"], ["t"]), N("Reshape", ["t", "list"], ["r"]),
                 N("Exp", ["r"], ["y"])]
        given = {"x": normal(4, 6, 4)}
        model = model_of(nodes, given, constants={**constants, "zero2": i64([1])}, open_axes=[0, 1])
        for text in self.regions(model, given, *ALL):
            self.assertNotIn("reshape", text)
        alone = model_of([*sizes, N("Reshape", ["x", "s"], ["y"])], given, constants=constants,
                         open_axes=[0, 1])
        self.assertEqual(self.regions(alone, given), [])
        with open(os.path.join(work.name, "out.onnx"), "rb") as file:
            self.assertEqual([node.op_type for node in onnx.load(file).graph.node],
                             [node.op_type for node in alone.graph.node])

    def test_gated_products(self):
        """A Split and what reads its parts; of short runs the engine is faster."""
        for width, count in ((64, 1), (16, 0)):
            x = normal(40, 10, width)
            nodes = [N("Split", ["x"], ["a", "b"], axis=2), N("Tanh", ["b"], ["s"]),
                     N("Mul", ["a", "s"], ["y"])]
            texts = self.regions(model_of(nodes, {"x": x}), {"x": x})
            self.assertEqual(sum("[" in text.split(";", 1)[1] for text in texts), count, texts)

    def test_what_stays(self):
        """Copies alone; sizes that only a call knows along what is cut or put together; computed
        values that others read."""
        x, two = normal(40, 64), {"one": np.int64([1]), "two": np.int64([33])}
        copy = [N("Transpose", ["x"], ["t"], perm=[0, 1]),
                N("Slice", ["t", "one", "two", "one"], ["y"])]
        self.assertEqual(self.regions(model_of(copy, {"x": x}, constants=two), {"x": x}), [])
        cut = [N("Slice", ["x", "one", "two", "one"], ["s"]), N("Tanh", ["s"], ["t"]),
               N("Exp", ["t"], ["y"])]
        text, = self.regions(model_of(cut, {"x": x}, constants=two, open_axes=[1]), {"x": x})
        self.assertNotIn("[:", text)
        put = [N("Tanh", ["x"], ["t"]), N("Neg", ["t"], ["u"]),
               N("Concat", ["u", "x"], ["c"], axis=0), N("Add", ["c", "b"], ["y"])]
        given = {"x": x, "b": normal(1, 64)}  # it repeats along the pieces
        for text in self.regions(model_of(put, given, open_axes=[0]), given):
            self.assertNotIn("concat", text)
        shared = [N("Tanh", ["x"], ["t"]), N("Neg", ["t"], ["u"]),
                  N("Slice", ["u", "one", "two", "one"], ["s"]), N("Exp", ["s"], ["y"])]
        for text in self.regions(model_of(shared, {"x": x}, ["y", "u"], two), {"x": x}):
            self.assertNotIn("[:,1", text)

    def test_rows(self):
        """A view that a sum cannot be read through stays outside."""
        x, lists = normal(40, 64), {"one": np.int64([1]), "two": np.int64([33])}
        nodes = [N("Softmax", ["x"], ["s"]), N("Slice", ["s", "one", "two", "one"], ["c"]),
                 N("Exp", ["c"], ["e"]), N("Neg", ["e"], ["y"])]
        self.assertEqual(len(self.regions(model_of(nodes, {"x": x}, constants=lists), {"x": x})), 1)
        nodes = [N("Concat", ["x", "x"], ["c"], axis=1), N("Tanh", ["c"], ["t"]),
                 N("Softmax", ["t"], ["s"]), N("Neg", ["s"], ["y"])]
        for text in self.regions(model_of(nodes, {"x": x}), {"x": x}):
            self.assertNotIn("concat", text)


def tearDownModule():
    tell_leaks()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Nodes tosajit.Region in ONNX Runtime: each model is also written in the engine's own operators,
and both must give the same; what is wrong with a node is said when the session is made, what is
wrong with a call by the call.

    python3 ops_test.py LIBRARY_OF_OPERATORS LIBTOSAJIT
"""
import argparse
import os
import re
import sys
import tempfile
import threading
import unittest

import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto

from support import BF16, F16, NUMBERS, Library, engine, model, node, region, tell_leaks

operators, libtosajit = sys.argv[1:]


def open_session(model, threads=1, save=None):
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 4
    if save:
        options.optimized_model_filepath = save
    options.register_custom_ops_library(operators)
    return ort.InferenceSession(model if isinstance(model, str) else model.SerializeToString(),
                                options, providers=["CPUExecutionProvider"])


class Operators(unittest.TestCase):
    def expect_same(self, own, with_regions, tolerance=0.0, **sizes):
        """Both models on made inputs."""
        inputs = engine.values_of(own, engine.arrays_for(own,
                                                         argparse.Namespace(size=sizes, input={})))
        results = [[engine.array_of(value) for value in session.run_with_ort_values(None, inputs)]
                   for session in (own, with_regions)]
        self.assertEqual(len(results[0]), len(results[1]))
        for a, b in zip(*results):
            self.assertEqual((a.dtype, a.shape), (b.dtype, b.shape))
            far, _, nans = engine.apart(a, b)
            self.assertLessEqual((far, nans), (tolerance, 0))
            if tolerance == 0:
                self.assertEqual(a.tobytes(), b.tobytes())

    def expect_refused(self, words, call, *arguments):
        with self.assertRaises(Exception) as refused:
            call(*arguments)
        self.assertIn(words, str(refused.exception))

    def test_a_region_computes_what_the_engine_computes(self):
        # x and b broadcast; sizes from nothing to what threads divide
        names = "x:N,64 b:64", "y:N,64"
        own = model([node("Add", "x b", "s"), node("Sigmoid", "s", "t"), node("Mul", "x t", "y")],
                    *names)
        ours = model([region("x b", "y", "x: f32[?,64], b: f32[64]; y = x * sigmoid(x + b)")],
                     *names)
        for threads in (1, 2):
            sessions = open_session(own, threads), open_session(ours, threads)
            for rows in (0, 1, 3, 77, 20000):
                # the engine's sigmoid is a few units of 2^-24 off, ours half a unit
                self.expect_same(*sessions, tolerance=2**-21, N=rows)

    def test_results_of_several_types_agree_in_every_bit(self):
        # operations that round once, or not at all
        names = "x:N,M y:N,1", "sum:N,M less:bool:N,M twice:N,1"
        own = open_session(model([node("Add", "x y", "sum"), node("Less", "x y", "less"),
                                  node("Add", "y y", "twice")], *names))
        ours = open_session(model([region("x y", "sum less twice",
                                          "x: f32[?,?], y: f32[?,1]; sum = x + y; less = y > x; "
                                          "twice = y + y", "exact")], *names))
        for rows, columns in ((5, 7), (0, 7), (300, 900)):
            self.expect_same(own, ours, N=rows, M=columns)

    def test_every_type_reaches_the_kernel(self):
        for type, element, sign, op in (
                ("FLOAT", "f32", "+", "Add"), ("FLOAT16", "f16", "+", "Add"),
                                        ("INT32", "i32", "+", "Add"), ("UINT32", "i32", "+", "Add"),
                ("INT64", "i64", "+", "Add"), ("UINT64", "i64", "+", "Add"),
                                        ("BOOL", "i1", "^", "Xor"),
                                        ("INT8", "i8", "&", "BitwiseAnd"),
                ("UINT8", "i8", "&", "BitwiseAnd"), ("INT16", "i16", "|", "BitwiseOr"),
                                        ("UINT16", "i16", "|", "BitwiseOr")):
            with self.subTest(type):
                ours = region("x y", "z", f"x: {element}[?], y: {element}[?]; x {sign} y")
                self.expect_same(*(open_session(model([one], "x:N y:N", "z:N",
                                                      type=TensorProto.DataType.Value(type)))
                                   for one in (node(op, "x y", "z"), ours)), N=1001)

    def test_halves(self):
        """Their bits, for bf16 has no operators of the engine's on a processor. Constants of 16
        bits stand in texts as their bits, as `tosajit onnx` writes them: 0x4000 is 2 in both types,
        0x3c00 is 1 as an f16 and 2^-7 as a bf16, and 0x8000 is -0."""
        for type, text, x, y in (
                (BF16, "x: bf16[?]; x + x", (0x3f80, 0xc040, 0x0000, 0x7f80, 0x3eab),
                 (0x4000, 0xc0c0, 0x0000, 0x7f80, 0x3f2b)),
                (BF16, "x: bf16[?]; x * 0x4000", (0x3f80, 0xc040, 0x0000),
                 (0x4000, 0xc0c0, 0x0000)),
                (BF16, "x: bf16[?]; x * 0x3c00", (0x3f80, 0xc040, 0x7f80),
                 (0x3c00, 0xbcc0, 0x7f80)),
                (BF16, "x: bf16[?]; x + 0x8000", (0x3f80, 0x8000, 0x0000),
                 (0x3f80, 0x8000, 0x0000)),
                (F16, "x: f16[?]; x * 0x4000", (0x3c00, 0xc200, 0x0001), (0x4000, 0xc600, 0x0002)),
                (F16, "x: f16[?]; x + 0x3c00", (0x3c00, 0xc200, 0x8000), (0x4000, 0xc000, 0x3c00)),
                (F16, "x: f16[?]; x + 0x8000", (0x3c00, 0x8000, 0x0000), (0x3c00, 0x8000, 0x0000))):
            with self.subTest(text):
                session = open_session(model([region("x", "y", text)], "x:N", "y:N", type=type))
                value = ort.OrtValue.ortvalue_from_numpy_with_onnx_type(np.array(x, "uint16"), type)
                result, = session.run_with_ort_values(None, {"x": value})
                self.assertEqual(result.shape(), [len(y)])
                bits = engine.ctypes.string_at(result.data_ptr(), 2 * len(y))
                self.assertEqual(np.frombuffer(bits, "uint16").tolist(), list(y))

    def test_chains_of_regions_agree_with_one(self):
        """Values that only regions read are computed in their place where the engine finds that
        good: the chain runs often, and its values are those of one region."""
        # two parts: the second still reads what the first could overwrite
        chain = open_session(model(
            [region("x", "a", "x: f32[?,64]; a = exp(x)"),
             region("row", "r", "row: f32[1,64]; r = row + 1"),
             region("a r", "b z", "a: f32[?,64], r: f32[1,64]; b = a * r; z = r + r"),
             region("b", "y", "b: f32[?,64]; y = tanh(b)")],
            "x:N,64 row:1,64", "y:N,64 z:1,64", "a:N,64 b:N,64 r:1,64"))
        whole = open_session(model(
            [region("x row", "y z",
                    "x: f32[?,64], row: f32[1,64]; r = row + 1; y = tanh(exp(x) * r); z = r + r")],
            "x:N,64 row:1,64", "y:N,64 z:1,64"))
        for rows in range(6):
            self.expect_same(whole, chain, N=rows)

    def test_results_in_place_wait_for_later_readers(self):
        """A result in place of an operand that a later part of the kernel reads again."""
        chain = open_session(model(
            [region("row", "r", "row: f32[1,64]; r = row + 1"),
             region("r x", "t y", "r: f32[1,64], x: f32[?,64]; t = r * r; y = x * r"),
             region("t", "s", "t: f32[1,64]; s = t + 1")],
            "row:1,64 x:N,64", "s:1,64 y:N,64", "r:1,64 t:1,64"))
        whole = open_session(model(
            [region("row x", "s y",
                    "row: f32[1,64], x: f32[?,64]; r = row + 1; s = r * r + 1; y = x * r")],
            "row:1,64 x:N,64", "s:1,64 y:N,64"))
        for rows in range(6):
            self.expect_same(whole, chain, N=rows)

    def test_regions_that_differ_in_numbers_agree_with_each_alone(self):
        """An activation that is there often, with other numbers each time, computes what each
        computes alone: the first has a kernel of its own, and the rest share one."""
        texts = ["x: f32[?,64]; t = x * (x + 3); y = t * 0.4763231 + (-0.0075732437)",
                 "x: f32[?,64]; t = x * (x + 3); y = t * 0.63296586 + 1e-05",
                 "x: f32[?,64]; t = x * (x + 1.5); y = t * 1e38 + 0.25",
                 "x: f32[?,64]; t = x * (x + 3); y = t * 0 + (-0)"]
        session = open_session(model([region("x", name, text) for name, text in zip("abcd", texts)],
                                     "x:N,64",
                                     " ".join(name + ":N,64" for name in "abcd")))
        for text, y in zip(texts, session.run(None, {"x": NUMBERS})):
            self.assertEqual(y.tobytes(), Library(libtosajit).interpret(text, NUMBERS).tobytes(),
                             text)

    def test_the_engine_learns_the_sizes_of_results(self):
        """Numbers and symbols where the inputs tell them; else a size of which nothing is known."""
        for inputs, text, told in (
                ("x:3,24,4,7", "x: f32[3,?,?,?]; squeeze(mean(exp(x), axis=[3]), (3,))",
                 [3, 24, 4]),
                ("x:N,H,W", "x: f32[?,?,?]; transpose(x, (2, 0, 1))", ["W", "N", "H"]),
                ("x:N,4,4", "x: f32[?,4,?]; reshape(x, (0, -1))", ["N", 16]),
                ("x:N,M b:M", "x: f32[?,?], b: f32[?]; x + b", ["N", "M"]),
                ("x:N,M b:K", "x: f32[?,?], b: f32[?]; x + b", [None, None]),
                ("x:N,M", "x: f32[?,?]; x[:, 2:]", ["N", None]),
                ("x:N,M", "x: f32[?,?]; concat(x, x, axis=0)", [None, "M"]),
                ("x:9,M", "x: f32[?,?]; concat(x, x, axis=0)", [18, "M"]),
                ("x:N,48,8,8", "x: f32[?,?,?,?]; b = reshape(x, (0, -1, 0, 0, 16)); reshape(max(b, "
                 "axis=[2,3]), (0, -1, 0, 0))", ["N", 48, 1, 1])):
            made = model([region(" ".join(word.split(":")[0] for word in inputs.split()), "y",
                                 text)], inputs, "y:" + ",".join("?" * len(told)))
            shape = open_session(made).get_outputs()[0].shape
            known = [*re.findall("[A-Z]", inputs), *range(1000)]
            self.assertEqual([size if size in known else None for size in shape], told, text)

    def test_wrong_nodes_are_refused_with_a_reason(self):
        for words, inputs, expression, accuracy in (
                ("z", "x y", "x: f32[?], y: f32[?]; x + z", None),
                ("expression:1:", "x y", "x: f32[?], y: f32[?]; x +* y", None),
                ("bitwise_and", "x y", "x: f32[?], y: f32[?]; x & y", None),
                ("inputs of the node: 2, operands of the expression: 1", "x y", "x: f32[?]; x + 1",
                 None),
                ("outputs: 1, results: 2", "x y", "x: f32[?], y: f32[?]; x + y; x - y", None),
                ("none of `exact`, `reproducible` and `contracted`", "x y",
                 "x: f32[?], y: f32[?]; x + y", "quick"),
                ("operand 0 (x) is f32 in the model, but tensor<?xi32> in the expression", "x y",
                 "x: i32[?], y: i32[?]; x + y", None),
                ("result 0 (z) is f32 in the model, but tensor<?xi8> in the expression", "x y",
                 "x: f32[?], y: f32[?]; z = i8(x + y)", None),
                ("broadcast", "x y", "x: f32[2], y: f32[3]; x + y", None),
                ("tosajit.Region z", "x y", "", None),
                ("no attribute `expression`", "x", None, None)):
            with self.subTest(words):
                self.expect_refused(words, open_session,
                                    model([region(inputs, "z", expression, accuracy)], "x:N y:N",
                                          "z:N"))

    def test_wrong_sizes_are_refused_by_the_call(self):
        """It fails, and the session goes on."""
        session = open_session(model([region("x y", "z", "x: f32[?], y: f32[?]; z = x + y")],
                                     "x:N y:M", "z:?"))
        x = np.arange(1, 7, dtype="float32")
        self.expect_refused("size 4 does not broadcast with 6", session.run, None,
                            {"x": x, "y": np.ones(4, "float32")})
        z, = session.run(None, {"x": x, "y": np.ones(6, "float32")})
        self.assertEqual(z.tolist(), (x + 1).tolist())

    def test_other_ranks_are_refused_by_the_call(self):
        """The rank that the model declares may be another one than the expression's."""
        session = open_session(model([region("x", "z", "x: f32[?]; z = x + x")], "x:N,3", "z:?"))
        self.expect_refused("has rank 2", session.run, None, {"x": np.zeros((2, 3), "float32")})

    def test_threads_share_a_session(self):
        """One session may be called by many threads at once, and kernels are shared among
        sessions."""
        one = model([region("x b", "y", "x: f32[?], b: f32[1]; y = x + b")], "x:N b:1", "y:N")
        session, finished = open_session(one, 2), []
        open_session(one)

        def call_often():
            for k in range(200):
                x = np.arange(1 + k * 37 % 1000, dtype="float32") * k
                y, = session.run(None, {"x": x, "b": np.ones(1, "float32")})
                if y.tolist() != (x + 1).tolist():
                    return
            finished.append(1)
        callers = [threading.Thread(target=call_often) for _ in range(4)]
        for caller in callers:
            caller.start()
        for caller in callers:
            caller.join()
        self.assertEqual(len(finished), 4)

    def test_an_optimised_model_can_be_saved_and_read_again(self):
        """The engine writes what it runs, with its own changes and our nodes as they were."""
        one = model([region("x b", "s", "x: f32[?,64], b: f32[64]; s = x + b"),
                     node("Neg", "s", "y")], "x:N,64 b:64", "y:N,64", "s:N,64")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "saved.onnx")
            saved = open_session(one, save=path)
            self.assertEqual([(n.domain, n.op_type) for n in onnx.load(path).graph.node],
                             [("tosajit", "Region"), ("", "Neg")])
            self.expect_same(saved, open_session(path), N=9)


class Judging(unittest.TestCase):
    """Inputs and outputs as --check makes them."""

    def test_inputs_are_as_their_names_say(self):
        F32, I64 = TensorProto.FLOAT, TensorProto.INT64
        info = onnx.helper.make_tensor_value_info
        inputs = [info("speech", F32, ["n", "frames", 8]), info("speech_lengths", I64, ["n"]),
                  info("attention_mask", I64, ["n", "frames"]),
                  info("bias_mask", F32, ["n", 1, 4]), info("position_ids", I64, ["n", "frames"]),
                  info("token_type_ids", I64, ["n", "frames"]),
                  info("input_ids", I64, ["n", "frames"])]
        nodes = [onnx.helper.make_node("Identity", [i.name], [i.name + "_"]) for i in inputs]
        outputs = [info(i.name + "_", i.type.tensor_type.elem_type, None) for i in inputs]
        session = ort.InferenceSession(onnx.helper.make_model(onnx.helper.make_graph(nodes, "g", inputs, outputs), ir_version=8,
                                                              opset_imports=[onnx.helper.make_opsetid("", 18)]).SerializeToString())
        made = dict(zip((i.name for i in inputs),
                        engine.arrays_for(session,
                                          argparse.Namespace(size={"frames": 5, "n": 2},
                                                             input={}))))
        self.assertEqual(made["speech_lengths"].tolist(), [5, 5])
        self.assertEqual(made["attention_mask"].tolist(), [[1] * 5] * 2)
        self.assertEqual(made["bias_mask"].tolist(), [[[0.0] * 4]] * 2)
        self.assertEqual(made["position_ids"].tolist(), [[0, 1, 2, 3, 4]] * 2)
        self.assertEqual(made["token_type_ids"].tolist(), [[0] * 5] * 2)
        self.assertTrue(made["input_ids"].min() >= 1 and made["input_ids"].max() <= 15
                        and made["speech"].std() > 0.1)

    def judged(self, own, other, says):
        """The line that --check prints of two models' one output."""
        with tempfile.TemporaryDirectory() as folder:
            paths = [os.path.join(folder, name) for name in ("a.onnx", "b.onnx")]
            for path, made in zip(paths, (own, other)):
                onnx.save(made, path)
            asked = argparse.Namespace(files=paths, converted=False, size={"N": 4}, input={})
            before, after = map(open_session, paths)
            with open(os.path.join(folder, "said"), "w+") as out:
                try:
                    engine.check(asked, before, after, out)
                except engine.Refused as refused:
                    out.write(str(refused))
                out.seek(0)
                self.assertRegex(out.read(), says)

    def test_what_says_nothing_is_not_checked(self):
        one = lambda *nodes: model(list(nodes), "x:N,64", "y:N,64")
        nan = one(node("Sub", "x x", "a"), node("Div", "a a", "y"))
        self.judged(nan, nan, "NOT CHECKED: all of it is NaN")
        same = one(node("Sub", "x x", "y"))
        self.judged(same, same, "NOT CHECKED: each element is 0.0")
        drawn = one(node("RandomUniformLike", "x", "a"), node("Add", "a x", "y"))
        self.judged(drawn, drawn, "NOT CHECKED: the model draws random numbers")
        fine, other = one(node("Exp", "x", "y")), one(node("Tanh", "x", "y"))
        self.judged(fine, fine, "inputs an ulp off: [1-9][^N]*$")
        self.judged(fine, other, "NOT THE SAME\nthe models differ")
        self.judged(same, other, "NOT THE SAME: NOT CHECKED")

    def test_the_engine_may_move_in_another_draw(self):
        """A model that quantizes moves by a step, or not at all: one draw shows neither model's."""
        a, step = np.linspace(-1, 1, 8, dtype="float32"), np.float32(0.01)
        output = engine.Output("y")
        output.add(a, a + step, a, a, a)
        self.assertFalse(output.is_same())
        output.add(a, a, a + 2 * step, a, a)
        self.assertTrue(output.is_same())
        self.assertRegex(output.line(2), "at most 0.01 apart; the engine without its "
                         "optimisations: 0.02; .* 2 draws$")


def tearDownModule():
    tell_leaks()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tosajit.onnxruntime.session: the outputs of the engine's own session, from the folder where converted models are kept, in this
process and the next one; models with nothing to gain, damaged files, bytes, levels of the engine.

    python3 python_session_test.py LIBRARY_OF_OPERATORS LIBTOSAJIT TOSAJIT PACKAGE
"""
import concurrent.futures
import os
import subprocess
import sys
import tempfile
import unittest
import warnings

import numpy as np
import onnx
import onnxruntime as ort

from support import F32, model, node

operators, _, tool, package = sys.argv[1:]
sys.path.insert(0, package)
os.environ.update(TOSAJIT_COMMAND=tool, TOSAJIT_ONNX_OPERATORS=operators)
import tosajit.onnxruntime

x = np.random.default_rng(1).standard_normal((64, 96)).astype(np.float32)
# what is gained: rows and what adjoins them; a product of matrices has nothing
GAINS = model([node("Mul", "x x", "s"), node("Softmax", "s", "t"), node("Sigmoid", "t", "u"), node("Mul", "u t", "y")], "x:N,96", "y:N,96")
NONE = model([node("MatMul", "x w", "y")], "x:N,96 w:96,96", "y:N,96")
CHILD = """import sys, numpy as np, onnxruntime as ort
sys.path.insert(0, sys.argv[1])
import subprocess, tosajit.onnxruntime
def refuse(*words, **options): raise SystemExit("it was converted again")
subprocess.run = refuse
session = tosajit.onnxruntime.session(sys.argv[2], cache=sys.argv[3])
np.save(sys.argv[4], session.run(None, {"x": np.load(sys.argv[5])})[0])
"""


class Sessions(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.cache = os.path.join(self.folder.name, "kept")
        self.path = os.path.join(self.folder.name, "m.onnx")
        onnx.save(GAINS, self.path)
        self.expected, = ort.InferenceSession(self.path).run(None, {"x": x})

    def tearDown(self):
        self.folder.cleanup()

    def kept(self):
        return sorted(os.path.join(base, name) for base, _, names in os.walk(self.cache) for name in names if name == "model.onnx")

    def expect(self, session):
        y, = session.run(None, {"x": x})
        np.testing.assert_allclose(y, self.expected, rtol=1e-5, atol=1e-6)  # the engine's own sigmoid is that far off
        self.assertIsInstance(session, ort.InferenceSession)

    def test_a_model_is_converted_once(self):
        self.expect(tosajit.onnxruntime.session(self.path, cache=self.cache))
        path, = self.kept()
        self.assertIn("tosajit", [n.domain for n in onnx.load(path).graph.node])
        before = os.stat(path).st_mtime_ns
        self.expect(tosajit.onnxruntime.session(self.path, cache=self.cache))
        self.assertEqual(os.stat(path).st_mtime_ns, before)
        given, result = (os.path.join(self.folder.name, name) for name in ("x.npy", "y.npy"))
        np.save(given, x)
        subprocess.run([sys.executable, "-c", CHILD, package, self.path, self.cache, result, given], check=True)
        np.testing.assert_array_equal(np.load(result), tosajit.onnxruntime.session(self.path, cache=self.cache).run(None, {"x": x})[0])

    def test_another_model_of_the_same_name_is_another_one(self):
        tosajit.onnxruntime.session(self.path, cache=self.cache)
        other = model([node("Add", "x x", "s"), node("Sigmoid", "s", "t"), node("Mul", "t s", "y")], "x:N,96", "y:N,96")
        onnx.save(other, self.path)
        self.expected, = ort.InferenceSession(self.path).run(None, {"x": x})
        self.expect(tosajit.onnxruntime.session(self.path, cache=self.cache))
        self.assertEqual(len(self.kept()), 2)

    def test_options_are_the_callers(self):
        options = ort.SessionOptions()
        options.intra_op_num_threads = 2
        level = options.graph_optimization_level
        self.expect(tosajit.onnxruntime.session(self.path, options, cache=self.cache))
        self.assertEqual(options.graph_optimization_level, level)
        self.expect(tosajit.onnxruntime.session(self.path, options, cache=self.cache))
        for level in (ort.GraphOptimizationLevel.ORT_DISABLE_ALL, ort.GraphOptimizationLevel.ORT_ENABLE_BASIC):
            options = ort.SessionOptions()
            options.graph_optimization_level = level
            self.expect(tosajit.onnxruntime.session(self.path, options, cache=self.cache, accuracy="exact"))
        self.expect(tosajit.onnxruntime.session(self.path, cache=self.cache, providers=["CPUExecutionProvider"]))
        with self.assertRaisesRegex(ValueError, "'exact' or 'fast'"):
            tosajit.onnxruntime.session(self.path, cache=self.cache, accuracy="quick")

    def test_bytes_are_a_model(self):
        self.expect(tosajit.onnxruntime.session(GAINS.SerializeToString(), cache=self.cache))

    def test_nothing_to_gain(self):
        onnx.save(NONE, self.path)
        session = tosajit.onnxruntime.session(self.path, cache=self.cache)
        self.assertEqual(session.run(None, {"x": x, "w": np.eye(96, dtype=np.float32)})[0].tolist(), x.tolist())
        path, = self.kept()
        self.assertEqual({n.domain for n in onnx.load(path).graph.node}, {""})
        level = ort.SessionOptions()
        level.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_BASIC
        tosajit.onnxruntime.session(self.path, level, cache=self.cache)  # of which nothing is kept: the engine has not optimised it
        self.assertEqual(self.kept(), [path])

    def test_what_was_converted_before(self):
        done = os.path.join(self.folder.name, "done.onnx")
        subprocess.run([tool, "onnx", self.path, "-o", done, "--min-bytes", "0"], check=True, capture_output=True)
        for _ in range(2):
            self.expect(tosajit.onnxruntime.session(done, cache=self.cache))

    def test_weights_are_mapped(self):
        w = np.random.default_rng(2).standard_normal((96, 96)).astype(np.float32)
        heavy = model([node("MatMul", "x w", "s"), node("Softmax", "s", "t"), node("Sigmoid", "t", "u"), node("Mul", "u t", "y")], "x:N,96", "y:N,96")
        heavy.graph.initializer.append(onnx.numpy_helper.from_array(w, "w"))
        onnx.save(heavy, self.path)
        self.expected, = ort.InferenceSession(self.path).run(None, {"x": x})
        self.expect(tosajit.onnxruntime.session(self.path, cache=self.cache))
        path, = self.kept()
        self.assertGreaterEqual(os.path.getsize(path + ".data"), w.nbytes)
        with open(path + ".data", "r+b") as file:
            file.truncate(20)
        self.expect(tosajit.onnxruntime.session(self.path, cache=self.cache))  # made again
        self.assertGreaterEqual(os.path.getsize(path + ".data"), w.nbytes)

    def test_many_threads_begin(self):
        """The first calls, of which one begins to make code."""
        session = tosajit.onnxruntime.session(self.path, cache=self.cache)
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            for y, in pool.map(lambda _: session.run(None, {"x": x}), range(64)):
                np.testing.assert_allclose(y, self.expected, rtol=1e-5, atol=1e-6)

    def test_a_damaged_file_is_made_again(self):
        tosajit.onnxruntime.session(self.path, cache=self.cache)
        path, = self.kept()
        with open(path, "r+b") as file:
            file.truncate(20)
        self.expect(tosajit.onnxruntime.session(self.path, cache=self.cache))

    def test_what_is_no_model(self):
        """The engine says what it always says, after a warning."""
        with open(self.path, "wb") as file:
            file.write(b"no model")
        with warnings.catch_warnings(record=True) as said, self.assertRaises(Exception):
            warnings.simplefilter("always")
            tosajit.onnxruntime.session(self.path, cache=self.cache)
        self.assertIn("is used as it is", str(said[0].message))
        with self.assertRaises(FileNotFoundError):
            tosajit.onnxruntime.session(self.path + "absent", cache=self.cache)

    def test_what_is_missing_has_a_name(self):
        os.environ["TOSAJIT_COMMAND"] = "/nowhere"
        try:
            with self.assertRaisesRegex(FileNotFoundError, "/nowhere.*TOSAJIT_COMMAND"):
                tosajit.onnxruntime.session(self.path, cache=self.cache)
        finally:
            os.environ["TOSAJIT_COMMAND"] = tool


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

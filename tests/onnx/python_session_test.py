# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tosajit.onnxruntime.session: the outputs of the engine's own session, from the folder where
converted models are kept, in this process and the next one, which has the code, too; models with
nothing to gain or that cannot be converted, damaged files, bytes, levels of the engine; weights
beside a model; and a folder that others can write, that is full or cannot be written, that many use
at once, and in which somebody was killed.

    python3 python_session_test.py LIBRARY_OF_OPERATORS LIBTOSAJIT TOSAJIT PACKAGE
"""
import concurrent.futures
import contextlib
import glob
import os
import pty
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import unittest.mock
import warnings

import numpy as np
import onnx
import onnxruntime as ort

from support import F16, F32, model, node, same_calls

operators, _, tool, package = sys.argv[1:]
sys.path.insert(0, package)
os.environ.update(TOSAJIT_COMMAND=tool, TOSAJIT_ONNX_OPERATORS=operators)
import tosajit.onnxruntime

x = np.random.default_rng(1).standard_normal((64, 96)).astype(np.float32)
# what is gained: rows and what adjoins them; a product of matrices has nothing
GAINS = model([node("Mul", "x x", "s"), node("Softmax", "s", "t"), node("Sigmoid", "t", "u"),
               node("Mul", "u t", "y")], "x:N,96", "y:N,96")
NONE = model([node("MatMul", "x w", "y")], "x:N,96 w:96,96", "y:N,96")
CHILD = """import sys, numpy as np, onnxruntime as ort
sys.path.insert(0, sys.argv[1])
import subprocess, tosajit.onnxruntime
def refuse(*words, **options): raise SystemExit("it was converted again")
subprocess.run = refuse
session = tosajit.onnxruntime.session(sys.argv[2], cache=sys.argv[3])
np.save(sys.argv[4], session.run(None, {"x": np.load(sys.argv[5])})[0])
"""


# True if the process has loaded the compiler after a session and a call of each model.
COMPILES = """import sys, numpy as np, onnxruntime as ort
sys.path.insert(0, sys.argv[1])
import tosajit.onnxruntime
given = np.load(sys.argv[3])
for path in sys.argv[4:]:
    session = tosajit.onnxruntime.session(path, cache=sys.argv[2])
    session.run(None, {"x": given.astype("f2" if "float16" in session.get_inputs()[0].type else "f4")})
with open("/proc/self/maps") as maps:
    print("tosajit-codegen" in maps.read())
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
        return sorted(os.path.join(base, name) for base, _, names in os.walk(self.cache)
                      for name in names if name == "model.onnx")

    def expect(self, session):
        y, = same_calls(session, {"x": x})
        # the engine's own sigmoid is that far off
        np.testing.assert_allclose(y, self.expected, rtol=1e-5, atol=1e-6)
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
        subprocess.run([sys.executable, "-c", CHILD, package, self.path, self.cache, result, given],
                       check=True)
        np.testing.assert_array_equal(np.load(result), tosajit.onnxruntime.session(self.path, cache=self.cache).run(None, {"x": x})[0])

    def test_later_processes_compile_nothing(self):
        """Not even of f16, which the engine computes in f32."""
        half, given = os.path.join(self.folder.name,
                                   "half.onnx"), os.path.join(self.folder.name, "x.npy")
        onnx.save(model([node("Mul", "x x", "s"), node("Softmax", "s", "t"),
                         node("Sigmoid", "t", "u"), node("Mul", "u t", "y")], "x:N,96", "y:N,96",
                        type=F16), half)
        np.save(given, x)

        def compiles():
            return subprocess.check_output([sys.executable, "-c", COMPILES, package, self.cache,
                                            given, self.path, half], text=True).strip() == "True"
        if not compiles():
            print("*** NOT TESTED: that later processes compile nothing, for here nothing is "
                  "compiled")
            return
        self.assertFalse(compiles())
        kernels = glob.glob(os.path.join(self.cache, "*.kernel"))
        self.assertGreaterEqual(len(kernels), 1)
        for path in kernels:
            os.remove(path)
        self.assertTrue(compiles())
        os.chmod(self.cache, 0o777)  # where anybody could have put code, none is taken
        self.assertTrue(compiles())

    def test_code_in_a_folder_that_others_can_write(self):
        """The entry of a session's configuration alone, which the library of operators checks."""
        done = os.path.join(self.folder.name, "done.onnx")
        subprocess.run([tool, "onnx", self.path, "-o", done], check=True, capture_output=True)
        for name, mode, kept in (("mine", 0o700, True), ("open", 0o777, False)):
            place, options = os.path.join(self.folder.name, name), ort.SessionOptions()
            os.mkdir(place)
            os.chmod(place, mode)
            for entry, word in (("tosajit.cache", place), ("tosajit.compile", "now")):
                options.add_session_config_entry(entry, word)
            options.register_custom_ops_library(operators)
            self.expect(ort.InferenceSession(done, options))
            self.assertEqual(any(name.endswith(".kernel") for name in os.listdir(place)), kept)

    def test_what_cannot_be_converted_is_not_tried_again(self):
        """For a day; but one who was killed said nothing of the model."""
        calls, failing = os.path.join(self.folder.name,
                                      "calls"), os.path.join(self.folder.name, "failing")
        for at, (end, times) in enumerate((("echo no such luck >&2; exit 1", (1, 1, 2)),
                                           ("kill -SEGV $$", (1, 1, 2)),
                                           ("kill -KILL $$", (1, 2, 3)))):
            with open(failing, "w") as file:
                file.write(f"#!/bin/sh\necho call >>{calls}\n{end}\n")
            os.chmod(failing, 0o755)
            os.utime(failing, ns=(0, at))  # another command, of which nothing is known
            said = ("no such luck" if "luck" in end
                    else "tosajit onnx ended with -%d" % (11 if "SEGV" in end else 9))
            with unittest.mock.patch.dict(os.environ, TOSAJIT_COMMAND=failing):
                for k, called in enumerate(times):
                    if k == 2:
                        for path in glob.glob(os.path.join(self.cache, "onnx", "*", "complete")):
                            os.utime(path, (0, time.time() - 25 * 3600))
                    self.said(said, cache=self.cache)
                    with open(calls) as file:
                        self.assertEqual(len(file.readlines()), called, end)
            os.remove(calls)

    def test_another_model_of_the_same_name_is_another_one(self):
        tosajit.onnxruntime.session(self.path, cache=self.cache)
        other = model([node("Add", "x x", "s"), node("Sigmoid", "s", "t"), node("Mul", "t s", "y")],
                      "x:N,96", "y:N,96")
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
        for level in (ort.GraphOptimizationLevel.ORT_DISABLE_ALL,
                      ort.GraphOptimizationLevel.ORT_ENABLE_BASIC):
            options = ort.SessionOptions()
            options.graph_optimization_level = level
            self.expect(tosajit.onnxruntime.session(self.path, options, cache=self.cache,
                                                    accuracy="exact"))
        self.expect(tosajit.onnxruntime.session(self.path, cache=self.cache,
                                                providers=["CPUExecutionProvider"]))
        self.expect(tosajit.onnxruntime.session(self.path, cache=self.cache, accuracy="contracted"))
        self.assertIn(b"contracted", b"".join(node.SerializeToString() for path in self.kept()
                                              for node in onnx.load(path).graph.node))
        with self.assertRaisesRegex(ValueError, "'exact', 'reproducible' or 'contracted'"):
            tosajit.onnxruntime.session(self.path, cache=self.cache, accuracy="quick")

    def test_bytes_are_a_model(self):
        self.expect(tosajit.onnxruntime.session(GAINS.SerializeToString(), cache=self.cache))

    def test_nothing_to_gain(self):
        onnx.save(NONE, self.path)
        session = tosajit.onnxruntime.session(self.path, cache=self.cache)
        self.assertEqual(session.run(None, {"x": x, "w": np.eye(96, dtype=np.float32)})[0].tolist(),
                         x.tolist())
        path, = self.kept()
        self.assertEqual({n.domain for n in onnx.load(path).graph.node}, {""})
        level = ort.SessionOptions()
        level.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_BASIC
        # of which nothing is kept: the engine has not optimised it
        tosajit.onnxruntime.session(self.path, level, cache=self.cache)
        self.assertEqual(self.kept(), [path])

    def test_what_was_converted_before(self):
        done = os.path.join(self.folder.name, "done.onnx")
        subprocess.run([tool, "onnx", self.path, "-o", done, "--min-bytes", "0"], check=True,
                       capture_output=True)
        for _ in range(2):
            self.expect(tosajit.onnxruntime.session(done, cache=self.cache))

    def test_weights_are_mapped(self):
        w = np.random.default_rng(2).standard_normal((96, 96)).astype(np.float32)
        heavy = model([node("MatMul", "x w", "s"), node("Softmax", "s", "t"),
                       node("Sigmoid", "t", "u"), node("Mul", "u t", "y")], "x:N,96", "y:N,96")
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

    def weights(self, scale, folder=None, name="w.bin"):
        """A model whose weights are in a file of their own; what the engine makes of it."""
        folder = folder or self.folder.name
        path, weights = os.path.join(folder, "heavy.onnx"), os.path.join(folder, name)
        w = (np.random.default_rng(2).standard_normal((96, 96)) * scale).astype(np.float32)
        heavy = model([node("MatMul", "x w", "s"), node("Softmax", "s", "t"),
                       node("Sigmoid", "t", "u"), node("Mul", "u t", "y")], "x:N,96", "y:N,96")
        heavy.graph.initializer.append(onnx.numpy_helper.from_array(w, "w"))
        if os.path.exists(weights):
            os.remove(weights)
        onnx.save_model(heavy, path, save_as_external_data=True, location=name, size_threshold=0)
        self.expected, = ort.InferenceSession(path).run(None, {"x": x})
        return path

    def test_weights_beside_a_model(self):
        """A cache below the model's folder is found again; other weights of the same size and time
        are others; other files are nobody's business, whatever they are called."""
        path, cache = self.weights(1.0), os.path.join(self.folder.name, "kept")
        weights = os.path.join(self.folder.name, "w.bin")
        for _ in range(3):
            self.expect(tosajit.onnxruntime.session(path, cache=cache))
        self.assertEqual(len(self.kept()), 1)
        then = os.stat(weights).st_mtime_ns
        self.weights(3.0)
        os.utime(weights, ns=(then, then))
        self.expect(tosajit.onnxruntime.session(path, cache=cache))
        self.assertEqual(len(self.kept()), 2)
        os.symlink("nowhere", os.path.join(self.folder.name, "x"))
        os.mkfifo(os.path.join(self.folder.name, "y"))
        self.expect(tosajit.onnxruntime.session(path, cache=cache))
        with open(path, "rb") as file:
            data = file.read()
        with warnings.catch_warnings(), self.assertRaises(Exception):  # the engine's own
            warnings.simplefilter("ignore")
            os.remove(weights)
            tosajit.onnxruntime.session(path, cache=cache)
        for name in ("../w.bin", "/dev/zero"):
            with warnings.catch_warnings(), self.assertRaises(Exception):
                warnings.simplefilter("ignore")
                tosajit.onnxruntime.session(data.replace(b"w.bin", name.encode()), cache=cache)

    def test_weights_of_bytes(self):
        """They are where the engine looks for them: in the current folder, or the one that the
        options name."""
        other = os.path.join(self.folder.name, "other")
        os.mkdir(other)
        path, here = self.weights(1.0, name="deep.bin"), os.getcwd()
        with open(path, "rb") as file:
            data = file.read()
        expected = self.expected
        self.weights(9.0, other, "deep.bin")
        try:
            os.chdir(self.folder.name)
            for _ in range(2):
                self.expected = expected
                self.expect(tosajit.onnxruntime.session(data, cache=self.cache))
            self.assertEqual(len(self.kept()), 1)
            options = ort.SessionOptions()
            options.add_session_config_entry("session.model_external_initializers_file_folder_path",
                                             other)
            self.expected, = ort.InferenceSession(data, options).run(None, {"x": x})
            self.assertFalse(np.allclose(expected, self.expected))
            options = ort.SessionOptions()
            options.add_session_config_entry("session.model_external_initializers_file_folder_path",
                                             other)
            self.expect(tosajit.onnxruntime.session(data, options, cache=self.cache))
        finally:
            os.chdir(here)

    def said(self, *words, **options):
        """The one warning of a session that is right nevertheless."""
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            self.expect(tosajit.onnxruntime.session(self.path, **options))
        self.assertEqual([str(one.filename) for one in said], [__file__] * len(words), said)
        for one, word in zip(said, words):
            self.assertIn(word, str(one.message))

    def test_a_folder_that_others_can_write(self):
        """Nothing is taken from there, and nothing put."""
        for mine in (self.cache, os.path.join(self.cache, "onnx")):
            tosajit.onnxruntime.session(self.path, cache=self.cache)
            entry = os.path.dirname(self.kept()[0])
            wrong = model([node("Sigmoid", "x", "s"), node("Sub", "s x", "y")], "x:N,96", "y:N,96")
            onnx.save(wrong, os.path.join(entry, "model.onnx"))
            before = os.stat(mine).st_mode
            os.chmod(mine, 0o777)
            self.said("it can be written by others; chmod go-w it", cache=self.cache)
            os.chmod(mine, before)
            if os.geteuid() == 0:
                os.chown(mine, 65534, -1)
                self.said("it belongs to another user", cache=self.cache)
                os.chown(mine, 0, -1)
            else:
                print("*** NOT TESTED: a cache of another user, which root alone can make")
            subprocess.run(["rm", "-r", self.cache], check=True)
        tosajit.onnxruntime.session(self.path, cache=self.cache)
        # an entry that others can write is none
        for place in (os.path.dirname(self.kept()[0]), self.kept()[0]):
            onnx.save(wrong, self.kept()[0])
            os.chmod(place, 0o777)
            self.said(cache=self.cache)
            self.assertEqual(len(self.kept()), 1)
            self.said(cache=self.cache)

    def test_no_folder(self):
        before, tempfile.tempdir = (tempfile.gettempdir(),
                                    os.path.join(self.folder.name, "temporary"))
        os.mkdir(tempfile.tempdir)
        self.said("there is no cache", cache=os.path.join(self.path, "below"))
        home = {name: os.environ.pop(name, None) for name in ("HOME", "XDG_CACHE_HOME",
                                                              "TOSAJIT_CACHE_DIR")}
        try:
            os.environ["HOME"] = "/proc/nowhere"
            self.said("there is no cache")
        finally:
            os.environ.update({name: word for name, word in home.items() if word is not None})
        self.assertEqual(os.listdir(tempfile.tempdir), [])
        tempfile.tempdir = before

    def test_a_folder_that_cannot_be_written(self):
        """What is there is taken; what is not is not kept."""
        tosajit.onnxruntime.session(self.path, cache=self.cache)
        call = """import os, sys, warnings; import numpy as np; sys.path.insert(0, sys.argv[1]); import tosajit.onnxruntime
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    y, = tosajit.onnxruntime.session(sys.argv[2], cache=sys.argv[3]).run(None, {"x": np.ones((2, 96), np.float32)})
print([str(one.message) for one in said])"""
        other = os.path.join(self.folder.name, "other.onnx")
        onnx.save(model([node("Add", "x x", "s"), node("Softmax", "s", "t"),
                         node("Mul", "t s", "y")], "x:N,96", "y:N,96"), other)
        words = [sys.executable, "-c", call, package]
        mount = ["unshare", "-m", "sh", "-c",
                 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"', self.cache]
        if os.geteuid() != 0:
            os.chmod(os.path.join(self.cache, "onnx"), 0o500)
            mount = []
        elif subprocess.run(mount + ["true"], capture_output=True).returncode:
            print("*** NOT TESTED: a cache that cannot be written, for which root needs the right "
                  "to mount")
            return
        for path, says in ((self.path, "[]"), (other, "it is not kept")):
            run = subprocess.run(mount + words + [path, self.cache], capture_output=True, text=True)
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertIn(says, run.stdout)
        os.chmod(os.path.join(self.cache, "onnx"), 0o700)
        self.assertEqual(len(self.kept()), 1)

    def test_the_cache_has_a_bound(self):
        """The least recently used go first, and what is new stays."""
        models = []
        for k in range(5):
            models.append(os.path.join(self.folder.name, f"m{k}.onnx"))
            onnx.save(model([node("Add", "x x", "s"), node("Softmax", "s", "t")]
                            + [node("Mul", "t s", f"y{i}") for i in range(k)]
                            + [node("Mul", "t s", "y")],
                            "x:N,96", "y:N,96"), models[-1])
        try:
            os.environ["TOSAJIT_ONNX_CACHE_BYTES"] = "1"
            for path in models:
                tosajit.onnxruntime.session(path, cache=self.cache)
                self.assertEqual(len(self.kept()), 1)
            os.environ["TOSAJIT_ONNX_CACHE_BYTES"] = "many"
            with self.assertRaisesRegex(ValueError, "a number of bytes, not 'many'"):
                tosajit.onnxruntime.session(self.path, cache=self.cache)
        finally:
            del os.environ["TOSAJIT_ONNX_CACHE_BYTES"]

    def test_who_is_killed_leaves_nothing(self):
        """Once nobody works on it any more."""
        slow = os.path.join(self.folder.name, "slow")
        with open(slow, "w") as file:
            file.write("#!/bin/sh\nexec sleep 1000\n")
        os.chmod(slow, 0o755)
        environment = dict(os.environ, TOSAJIT_COMMAND=slow)
        code = ("import sys; sys.path.insert(0, sys.argv[1]); import tosajit.onnxruntime; "
                "tosajit.onnxruntime.session(sys.argv[2], cache=sys.argv[3])")
        child = subprocess.Popen([sys.executable, "-c", code, package, self.path, self.cache],
                                 env=environment, start_new_session=True)
        begun = lambda: glob.glob(os.path.join(self.cache, "onnx", ".new-*", "lock"))
        while not begun():
            self.assertIsNone(child.poll())
            time.sleep(0.01)
        time.sleep(0.2)  # until it has its lock, and the command has begun
        place = os.path.dirname(begun()[0])
        os.utime(place, (0, 0))
        tosajit.onnxruntime.session(self.path, cache=self.cache)
        self.assertTrue(begun(), "somebody works on it")
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()
        os.utime(place, (0, 0))
        with open(os.path.join(self.cache, "onnx", ".new-file"), "w") as file:
            file.write("half of a digest")
        os.utime(os.path.join(self.cache, "onnx", ".new-file"), (0, 0))
        tosajit.onnxruntime.session(self.path, cache=self.cache, accuracy="exact")
        self.assertEqual(glob.glob(os.path.join(self.cache, "onnx", ".new-*")), [])

    def test_a_terminal_is_told_what_takes_long(self):
        slow = os.path.join(self.folder.name, "slow")
        with open(slow, "w") as file:
            file.write('#!/bin/sh\nsleep 3.2\nexec "%s" "$@"\n' % tool)
        os.chmod(slow, 0o755)
        script = "import sys; sys.path.insert(0, sys.argv[1]); import tosajit.onnxruntime as t; t.session(sys.argv[2], cache=sys.argv[3])"
        for terminal in True, False:
            ours, theirs = pty.openpty() if terminal else os.pipe()
            words = [sys.executable, "-c", script, package, self.path, os.path.join(self.folder.name, "slow%d" % terminal)]
            child = subprocess.Popen(words, stderr=theirs, env=dict(os.environ, TOSAJIT_COMMAND=slow))
            os.close(theirs)
            said = b""
            with contextlib.suppress(OSError):  # a terminal whose other end is closed
                while piece := os.read(ours, 1 << 16):
                    said += piece
            os.close(ours)
            self.assertEqual(child.wait(), 0)
            if terminal:
                self.assertRegex(said, rb"\rtosajit converts \w+\.onnx, once: [23] s(?s:.*)\r\x1b\[K$")
            else:
                self.assertNotIn(b"converts", said)

    def test_many_processes_share_a_cache(self):
        """Which is so small that they drive each other's models out."""
        models = []
        for k, op in enumerate(("Add", "Sub", "Mul")):
            models.append(os.path.join(self.folder.name, f"m{k}.onnx"))
            onnx.save(model([node("Sigmoid", "x", "s"), node("Softmax", "s", "t"),
                             node(op, "t s", "y")], "x:N,96", "y:N,96"), models[-1])
        code = """import os, sys, warnings, threading; import numpy as np; sys.path.insert(0, sys.argv[1]); import tosajit.onnxruntime, onnxruntime
warnings.simplefilter("error")
x, wrong = np.linspace(-3, 3, 192, dtype=np.float32).reshape(2, 96), []
expected = [onnxruntime.InferenceSession(path).run(None, {"x": x})[0] for path in sys.argv[3:]]
def work(first):
    try:
        for k in range(first, first + 6):
            y, = tosajit.onnxruntime.session(sys.argv[3 + k % 3], cache=sys.argv[2]).run(None, {"x": x})
            np.testing.assert_allclose(y, expected[k % 3], rtol=1e-5, atol=1e-6)
    except BaseException as error:
        wrong.append(error)
threads = [threading.Thread(target=work, args=(k,)) for k in range(2)]
for one in threads: one.start()
for one in threads: one.join()
if wrong: raise wrong[0]
"""
        environment = dict(os.environ, TOSAJIT_ONNX_CACHE_BYTES="3000")
        children = [subprocess.Popen([sys.executable, "-c", code, package, self.cache, *models],
                                     env=environment) for _ in range(3)]
        self.assertEqual([child.wait() for child in children], [0, 0, 0])
        with unittest.mock.patch.dict(os.environ, environment):  # one that comes alone makes room
            tosajit.onnxruntime.session(models[0], cache=self.cache, accuracy="exact")
        self.assertLess(len(self.kept()), 3)
        self.assertEqual(glob.glob(os.path.join(self.cache, "onnx", ".new-*")), [])

    def test_a_model_that_declares_wrong_sizes(self):
        """It runs in the engine, and so it does with regions that refuse such a call; what the
        engine refuses it refuses in its words."""
        wrong = model([node("Exp", "x", "e"), node("MatMul", "e w", "m"), node("Sigmoid", "m", "s"),
                       node("Softmax", "s", "t"), node("Mul", "s t", "y")],
                      "x:N,K w:K,96", "y:N,96", "m:64,96 s:64,96")
        onnx.save(wrong, self.path)
        w = np.eye(96, dtype=np.float32)
        options = ort.SessionOptions()
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
        session, own = (tosajit.onnxruntime.session(self.path, options, cache=self.cache),
                        ort.InferenceSession(self.path, options))
        for rows in (64, 3, 64, 3):
            inputs = {"x": x[:rows], "w": w}
            for _ in range(3):
                np.testing.assert_allclose(session.run(None, inputs)[0], own.run(None, inputs)[0],
                                           rtol=1e-5, atol=1e-6)
        values = {name: ort.OrtValue.ortvalue_from_numpy(a) for name, a in inputs.items()}
        np.testing.assert_array_equal(session.run_with_ort_values(None, values)[0].numpy(),
                                      session.run(None, inputs)[0])
        self.assertIsNotNone(session._tosajit_plain)
        self.check_other_ways(session, w, {rows: own.run(None, {"x": x[:rows], "w": w})[0]
                                           for rows in (64, 3, 0)})
        refused = []
        for one in (session, own):
            with self.assertRaises(Exception) as said:
                one.run(None, {"x": x, "w": w[:5]})
            refused.append(str(said.exception))
        self.assertEqual(*refused)

    def check_other_ways(self, session, w, expected):
        """Bindings, bound anew and bound once, with memory for results and without; and calls that
        come back by a callback."""
        binding, y = session.io_binding(), np.empty((64, 96), np.float32)
        binding.bind_cpu_input("w", w)
        for rows in (64, 3, 3, 64, 0):
            binding.bind_cpu_input("x", np.ascontiguousarray(x[:rows]))
            binding.bind_output("y")
            session.run_with_iobinding(binding)
            for found in (binding.copy_outputs_to_cpu()[0], binding.get_outputs()[0].numpy()):
                np.testing.assert_allclose(found, expected[rows], rtol=1e-5, atol=1e-6)
        binding.bind_ortvalue_input("x", ort.OrtValue.ortvalue_from_numpy(x))
        binding.clear_binding_outputs()
        binding.bind_output(name="y", element_type=np.float32, shape=y.shape,
                            buffer_ptr=y.ctypes.data)
        session.run_with_iobinding(binding)
        np.testing.assert_allclose(y, expected[64], rtol=1e-5, atol=1e-6)
        binding.clear_binding_inputs()
        with self.assertRaisesRegex(Exception, "(?i)input"):
            session.run_with_iobinding(binding)
        for rows in (64, 3):
            done, said = threading.Event(), []
            session.run_async(None, {"x": x[:rows],
                                     "w": w}, lambda *given: (said.extend(given), done.set()),
                              "mine")
            self.assertTrue(done.wait(60))
            np.testing.assert_allclose(said[0][0], expected[rows], rtol=1e-5, atol=1e-6)
            self.assertEqual(said[1:], ["mine", ""])

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

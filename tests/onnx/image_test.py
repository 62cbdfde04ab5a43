# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models that bring their code: what a process without a compiler computes with it, and that an
image which is damaged, forged, of another expression or of another CPU changes no result.

    python3 image_test.py LIBRARY_OF_OPERATORS LIBTOSAJIT THE_ONE_WITHOUT_A_COMPILER [TOSAJIT]
"""
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import onnx

from support import NUMBERS, Library, bytes_constant, model, region

operators, libtosajit, without_compiler, *command = sys.argv[1:]
library = Library(libtosajit)
LEVELS, OTHER = ((["x86-64-v2", "x86-64-v3", "x86-64-v4"], "aarch64")
                 if platform.machine() == "x86_64" else (["aarch64"], "x86-64-v2"))
SWISH = "x: f32[?,64]; y = x * sigmoid(x)"


def number_at(image, at):
    return int.from_bytes(image[at:at + 8], "little")


def summed(image):
    """With the right checksum, which finds accidents; whoever forges can count.
    runtime/base/bytes.c has the definition."""
    rest, hash = image[32:], 14695981039346656037 ^ (len(image) - 32)
    for at in range(0, len(rest), 8):
        hash = (hash ^ number_at(rest, at)) * 1099511628211 % 2**64
        hash ^= hash >> 29
    return image[:24] + hash.to_bytes(8, "little") + rest


def forged(name, code):
    """The code of one expression under the name of another one."""
    true, false = library.image(name, LEVELS), library.image(code, LEVELS)
    size = number_at(true, 48)
    assert size == number_at(false, 48)
    plan = true[40:48]
    return summed(false[:40] + plan + false[48:64] + true[64:64 + size] + false[64 + size:])


work = tempfile.TemporaryDirectory()


def at(name):
    return os.path.join(work.name, name)


# Alone in a folder, where no other library of ours is beside it.
alone = shutil.copy(without_compiler, at("libtosajit-onnxruntime-ops.so"))
np.save(at("x.npy"), NUMBERS)


def one(text, image=None):
    """A model of one region with one image."""
    return model([region("x" if image is None else "x code", "y", text)], "x:N,64", "y:N,64",
                 constants=[] if image is None else [bytes_constant("code", image)])


class Images(unittest.TestCase):
    def ask(self, operators, asked, images="1", compile="now", text=None, **environment):
        """The model in a process of its own, whose first output must be the text's: what the
        library says of it, and which libraries of a compiler the process has. Without a text it
        must fail, and the words are the answer."""
        onnx.save(asked, at("model.onnx"))
        kept = {key: value for key, value in os.environ.items()
                if key not in ("LD_LIBRARY_PATH", "TOSAJIT_CACHE_DIR")}
        done = subprocess.run([sys.executable, os.path.join(os.path.dirname(__file__),
                                                            "session.py"), operators,
                               at("model.onnx"), at("x.npy"),
                               at("y.npz"), images,
                               compile], env=dict(kept, TOSAJIT_VERBOSE="2", **environment),
                              capture_output=True, text=True)
        if text is None:
            self.assertNotEqual(done.returncode, 0)
            return done.stderr
        self.assertEqual(done.returncode, 0, done.stderr)
        with np.load(at("y.npz")) as outputs:
            self.assertEqual(outputs["arr_0"].tobytes(), library.interpret(text, NUMBERS).tobytes(),
                             (text, done.stderr))
        return done.stderr, done.stdout.split()

    def test_a_process_without_a_compiler_runs_the_code_of_the_model(self):
        whole = one(SWISH, library.image(SWISH, LEVELS))
        for compile in ("background", "now"):
            lines, loaded = self.ask(alone, whole, compile=compile, text=SWISH)
            self.assertEqual(loaded, [])
            self.assertNotIn("precompiled", lines)
            self.assertIn("run tosajit_", lines)
        # The other library has a compiler, and does not load it.
        self.assertEqual(self.ask(operators, whole, text=SWISH)[1], ["libtosajit.so"])

    def test_without_code_it_computes_by_precompiled_ops(self):
        for compile in ("background", "now"):
            lines, loaded = self.ask(alone, one(SWISH), compile=compile, text=SWISH)
            self.assertIn("precompiled in", lines)
            self.assertEqual(loaded, [])

    def test_code_of_a_model_is_run_only_where_the_host_asks(self):
        """That it is run at all shows when it is another expression's; and that it is not,
        unasked."""
        ceil, floor = "x: f32[?,64]; y = ceil(x)", "x: f32[?,64]; y = floor(x)"
        false = one(ceil, forged(ceil, floor))
        self.ask(operators, false, text=floor)
        self.ask(operators, false, "0", text=ceil)
        self.ask(alone, false, "0", "background", text=ceil)

    @unittest.skipUnless(command, "there is no command in this build")
    def test_the_command_runs_no_code_that_came_with_a_model(self):
        """It would show: the model that is written has the code, too, and computes something else
        with it."""
        ceil, floor = "x: f32[?,64]; y = ceil(x)", "x: f32[?,64]; y = floor(x)"
        onnx.save(one(ceil, forged(ceil, floor)), at("forged.onnx"))
        for options in (["--check"], ["--check", "--optimize"], ["--check", "--bench"]):
            done = subprocess.run([*command, "onnx", at("forged.onnx"), "-o", at("again.onnx"),
                                   *options],
                                  env=dict(os.environ, TOSAJIT_PYTHON=sys.executable),
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, (options, done.stdout, done.stderr))
            self.assertIn("y: at most 0 apart", done.stdout)
        self.assertIn("code", [constant.name
                               for constant in onnx.load(at("again.onnx")).graph.initializer])

    def test_the_best_code_for_the_cpu_runs(self):
        whole = one(SWISH, library.image(SWISH, LEVELS))
        for level in LEVELS:
            self.assertNotIn("precompiled", self.ask(operators, whole, text=SWISH,
                                                     TOSAJIT_CPU=level)[0])
        # The highest alone, and a lower CPU; and another machine's.
        for cpu, environment in [(LEVELS[-1],
                                  {"TOSAJIT_CPU": LEVELS[0]})] * (len(LEVELS) > 1) + [(OTHER, {})]:
            lines, _ = self.ask(alone, one(SWISH, library.image(SWISH, [cpu])), text=SWISH,
                                **environment)
            self.assertIn("precompiled in", lines)

    def test_images_that_are_none_change_nothing(self):
        """None is run, whatever is wrong with it, and no result changes."""
        whole = library.image(SWISH, LEVELS)
        for cut in range(1, len(whole), len(whole) // 5):
            lines, _ = self.ask(alone, one(SWISH, whole[:cut]), text=SWISH)
            self.assertIn("precompiled in", lines)
        code = 64 + number_at(whole, 48) + 8 * 6 * len(LEVELS)
        for at in range(0, len(whole), len(whole) // 7):
            flipped = bytearray(whole)
            flipped[at] ^= 0x10
            if 32 <= at:  # its program, plan or tables are wrong, not its sum
                flipped = bytearray(summed(bytes(flipped)))
            if code <= at:  # which finds code that is wrong
                flipped[24] ^= 1
            self.ask(alone, one(SWISH, bytes(flipped)), text=SWISH)
        for other in (library.image("x: f32[?,64]; y = tanh(x)", LEVELS), b""):
            self.ask(alone, one(SWISH, other), compile="background", text=SWISH)

    def test_regions_share_an_image(self):
        both = model([region("x code", "y", SWISH), region("x code", "z", SWISH)], "x:N,64",
                     "y:N,64 z:N,64",
                     constants=[bytes_constant("code", library.image(SWISH, LEVELS))])
        self.assertNotIn("precompiled", self.ask(alone, both, text=SWISH)[0])

    def test_wrong_inputs_and_settings_are_refused_with_a_reason(self):
        more = model([region("x more", "y", SWISH)], "x:N,64 more:N,64", "y:N,64")
        self.assertIn("inputs of the node: 2, operands of the expression: 1",
                      self.ask(operators, more))
        self.assertIn("tosajit.images, or the variable TOSAJIT_ONNX_IMAGES, is `yes`, but takes "
                      "`0` or `1`",
                      self.ask(operators, one(SWISH), "yes"))
        self.assertIn("is `later`, but takes `background` or `now`",
                      self.ask(operators, one(SWISH), compile="later"))

    def test_processes_end_while_code_is_made(self):
        """Hosts end while a thread compiles, and know nothing of it."""
        functions = ["tanh", "sigmoid", "erf", "sin", "cos", "log", "exp"]
        many = model([region("x", "y" + name, f"x: f32[?,64]; y = {name}(x)")
                      for name in functions], "x:N,64",
                     " ".join(f"y{name}:N,64" for name in functions))
        for _ in range(10):
            self.ask(operators, many, "0", "background", text="x: f32[?,64]; y = tanh(x)")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tosajit.jit amid other packages: what mypy knows of a function, functions of scikit-image as
their authors wrote them, chunks of dask in two processes, and functions that hypothesis draws."""
import inspect
import os
import subprocess
import sys
import tempfile
import textwrap
import unittest
import warnings

import numpy as np
from hypothesis import HealthCheck, given, settings, strategies

import tosajit

TYPED = """
import numpy as np
import tosajit

@tosajit.jit
def swish(x: np.ndarray, b: float = 1.0) -> np.ndarray:
    return np.asarray(x / (1 + np.exp(-(x + b))))

@tosajit.jit(accuracy="reproducible", threads=2)
def half(x: np.ndarray) -> tuple[np.ndarray, float]:
    return x / 2, 0.5

class Scale:
    @tosajit.jit
    def times(self, x: int, n: int = 2) -> int:
        return x * n

x = np.ones(3)
"""
# Behind these lines: what mypy says of each, or nothing.
LINES = [("reveal_type(swish(x, 2.0))", "numpy.ndarray"),
         ("reveal_type(swish(x, out=x))", "numpy.ndarray"), ("reveal_type(half(x)[1])", '"float"'),
         ("reveal_type(Scale().times(3))", '"int"'), ("reveal_type(swish.explain(x))", '"str"'),
         ("reveal_type(swish.kernels)", "list[tosajit.Kernel]"),
         ("swish(x)", ""), ("Scale().times(3, n=4)", ""), ("swish('x')", "error"),
         ("swish(x, c=1)", "error"), ("half()", "error"),
         ("Scale().times('x')", "error"), ("swish.nothing", "error"),
         ("tosajit.jit(accuracy='none')", "error")]


def source_of(module, name):
    """A function anew from its lines, without what decorates it."""
    space, lines = (dict(vars(module)),
                    textwrap.dedent(inspect.getsource(inspect.unwrap(getattr(module, name)))))
    exec(lines[lines.index("def "):], space)
    return space[name]


def normalised(x):
    return (x - x.mean(axis=1, keepdims=True)) / (x.std(axis=1, keepdims=True) + 1)


class Packages(unittest.TestCase):
    def test_types_of_functions(self):
        with tempfile.TemporaryDirectory() as folder:
            path, first = os.path.join(folder, "typed.py"), TYPED.count("\n") + 1
            with open(path, "w") as file:
                file.write(TYPED + "\n".join(line for line, _ in LINES) + "\n")
            environment = {**os.environ,
                           "MYPYPATH": os.path.dirname(os.path.dirname(tosajit.__file__)),
                           "MYPY_CACHE_DIR": folder}
            found = subprocess.run([sys.executable, "-m", "mypy", "typed.py"], cwd=folder,
                                   env=environment, capture_output=True, text=True).stdout
        said = [line for line in found.splitlines() if line.startswith("typed.py:")]
        for k, (line, words) in enumerate(LINES):
            own = [s for s in said if s.startswith(f"typed.py:{first + k}:")]
            self.assertTrue(any(words in s for s in own) if words else not own,
                            f"{line}: {own} {found}")
        self.assertFalse([s for s in said if int(s.split(":")[1]) < first], found)

    def test_functions_of_scikit_image(self):
        """Equal, whoever computes them. Those that read tables of their modules, which may change,
        NumPy computes."""
        from skimage.color import colorconv
        from skimage.exposure import exposure
        rng = np.random.default_rng(0)
        picture, four = rng.random((16, 24, 3)), rng.random((16, 24, 4))
        cases = [(colorconv, name, picture) for name in ("rgb2hsv", "hsv2rgb", "rgb2xyz", "xyz2rgb",
                                                         "xyz2lab", "rgb2lab", "lab2lch", "lch2lab",
                                                         "rgb2gray", "rgb2yuv",
                                                         "yuv2rgb", "xyz2luv")]
        cases += [(colorconv, "rgba2rgb", four), (colorconv, "gray2rgb", picture[..., 0]),
                  (exposure, "adjust_gamma", picture), (exposure, "adjust_log", picture),
                  (exposure, "adjust_sigmoid", picture), (exposure, "rescale_intensity", picture)]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for module, name, given_picture in cases:
                plain = source_of(module, name)
                jitted, wanted = tosajit.jit(plain), plain(given_picture.copy())
                for _ in range(10):
                    found = jitted(given_picture.copy())
                    self.assertEqual((found.dtype, found.shape), (wanted.dtype, wanted.shape), name)
                    np.testing.assert_allclose(found, wanted, 1e-9, 1e-12, err_msg=name)

    def test_rgb2hsv_without_its_tables(self):
        """Its formula with its assignments under masks, taken from the package: what prepares the
        array is left out."""
        from skimage.color import colorconv
        lines = textwrap.dedent(inspect.getsource(inspect.unwrap(colorconv.rgb2hsv)))
        body = lines[lines.index("    arr = _prepare_colorarray"):].split("\n", 1)[1]
        space = {"np": np, "__name__": "somebody"}
        exec("def rgb2hsv(arr):\n    input_is_one_pixel = False\n"
             + body.replace("np.seterr(", "dict("), space)
        picture = np.random.default_rng(0).random((16, 24, 3))
        jitted = tosajit.jit(space["rgb2hsv"])
        with np.errstate(all="ignore"):
            np.testing.assert_allclose(jitted(picture), colorconv.rgb2hsv(picture), 1e-12, 1e-12)

    def test_chunks_of_dask(self):
        """A function of jit in map_blocks: by threads, and pickled for two processes."""
        import dask.array
        jitted = tosajit.jit(normalised)
        x = np.random.default_rng(0).standard_normal((64, 40))
        chunks = dask.array.from_array(x, chunks=(16, 40)).map_blocks(jitted, dtype=x.dtype)
        for how in ({"scheduler": "threads"}, {"scheduler": "processes", "num_workers": 2}):
            np.testing.assert_allclose(chunks.compute(**how), normalised(x), 1e-12, 1e-12)
        self.assertEqual(len(jitted.kernels), 1)

    def test_functions_of_a_notebook(self):
        """Of a __main__ that no other process has, cloudpickle sends all of a function. There it is
        one function, however often it comes."""
        cell = ("import numpy as np, tosajit\nk = 3.0\ndef half(x):\n    return x / "
                "2\n@tosajit.jit(accuracy='exact')\ndef f(x):\n    return np.exp(half(x)) * k\n"
                "import pickle, sys, cloudpickle\nassert pickle.loads(pickle.dumps(f)) is f and "
                "f.__wrapped__.__qualname__ == 'f'\n"
                "sys.stdout.buffer.write(cloudpickle.dumps([(f, np.ones(3)), (f, np.ones(4))]))")
        sent = subprocess.run([sys.executable, "-c", cell], capture_output=True, check=True).stdout
        there = ("import pickle, sys, numpy as np, tosajit\nsent = sys.stdin.buffer.read()\n(f, "
                 "x), (g, _) = pickle.loads(sent)\n"
                 "assert f is g and pickle.loads(sent)[0][0] is f and f.__qualname__ == "
                 "'f'\nnp.testing.assert_allclose(f(x), np.exp(x / 2) * 3, "
                 "1e-12)\nprint(len(f.kernels))")
        found = subprocess.run([sys.executable, "-c", there], input=sent, capture_output=True)
        self.assertEqual(found.stdout, b"1\n", found.stderr.decode())

    @settings(max_examples=60, deadline=None, database=None,
              suppress_health_check=list(HealthCheck))
    @given(strategies.data())
    def test_functions_that_hypothesis_draws(self, data):
        """Expressions over views, axes, types, empty and 0-d arrays."""
        draw = data.draw
        leaves = strategies.sampled_from(["a", "b", "a[::-1]", "b.T", "a[1:]", "a[..., None]", "2",
                                          "0.5", "a.T", "b[:1]"])
        grown = lambda part: strategies.one_of(
            strategies.builds("({} {} {})".format, part, strategies.sampled_from("+-*"), part),
            strategies.builds("np.{}({})".format,
                              strategies.sampled_from(["abs", "square", "tanh", "sum", "max", "any",
                                                       "mean", "negative"]), part),
            strategies.builds("np.{}({}, axis={}, keepdims={})".format,
                              strategies.sampled_from(["sum", "min", "mean", "all"]), part,
                              strategies.sampled_from([0, -1]),
                              strategies.booleans()),
            strategies.builds("np.where({} > {}, {}, {})".format, part, part, part, part))
        line = draw(strategies.recursive(leaves, grown, max_leaves=6))
        shapes = strategies.sampled_from([(3, 4), (4,), (), (4, 4), (0, 4), (1, 4), (2, 3, 4)])
        # Of the narrow ones NumPy makes f16 and f32 in functions, where it is some units off.
        types = strategies.sampled_from(["f8", "i4", "i8",
                                         *(() if "tanh" in line else ("?", "i2"))])
        values = np.random.default_rng(draw(strategies.integers(0, 9)))
        a, b = (np.asarray(values.integers(-4, 5, draw(shapes))).astype(draw(types)) for _ in "ab")
        space = {"np": np}
        exec(f"def f(a, b):\n    return {line}", space)
        plain, jitted = space["f"], tosajit.jit(space["f"])
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                wanted = plain(a, b)
            except Exception as error:
                with self.assertRaises(type(error), msg=line):
                    jitted(a, b)
                return
            for _ in range(2):
                found = jitted(a, b)
                self.assertEqual((type(found), np.asarray(found).dtype, np.shape(found)),
                                 (type(wanted), np.asarray(wanted).dtype, np.shape(wanted)), line)
                np.testing.assert_allclose(found, wanted, 1e-9, 1e-9, err_msg=line)


if __name__ == "__main__":
    unittest.main()

# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""evaluate beside NumPy, system by system: every view under every operator, every function of every type, numbers of Python by name and in
the text, reductions of reductions. Types, shapes and bits, of the first call, which precompiled operations answer, and of later
ones, which are compiled."""
import itertools
import os
import subprocess
import sys
import threading
import unittest
import warnings

import numpy as np

import tosajit

COMPILES = os.environ.get("TOSAJIT_TEST_COMPILER", "1") == "1"
INTEGERS = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32]
TYPES = [np.bool_, *INTEGERS, np.float16, np.float32, np.float64]
CASTS = {name: (lambda x, name=name: np.asarray(x).astype(name)) for name in
         ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "float16", "float32", "float64")}
NUMPY = {**{name: getattr(np, name) for name in (
    "transpose", "reshape", "flip", "tile", "swapaxes", "squeeze", "expand_dims", "broadcast_to", "concatenate", "pad", "sum", "prod", "max", "min",
    "mean", "var", "std", "any", "all", "where", "maximum", "minimum", "fmax", "fmin", "fmod", "abs", "absolute", "fabs", "sign", "square", "floor", "ceil",
    "trunc", "rint", "round", "sqrt", "isnan", "isinf", "isfinite", "signbit", "logical_and", "logical_or", "logical_xor", "logical_not",
    "arctan2", "hypot", "copysign", "nextafter", "power", "clip", "floor_divide", "remainder", "ones_like", "zeros_like", "newaxis")}, **CASTS}


def expected(text, names):
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return eval(text, dict(NUMPY), names)


class Manners(unittest.TestCase):
    def setUp(self):
        backends = ("precompiled", "auto") if COMPILES else ("precompiled",)
        self.engines = [tosajit.Engine(backend=backend) for backend in backends]

    def compare(self, text, names, wanted=None, close=0, engines=None):
        """One text on each engine, and what NumPy makes of it."""
        wanted = np.asarray(expected(text, names) if wanted is None else wanted)
        wanted = wanted.astype(np.int64) if wanted.dtype == np.uint64 else wanted  # there is no uint64
        for engine in engines or self.engines:
            found = np.asarray(engine.evaluate(text, {}, {}, **names))
            shown = f"{text} of {[(k, getattr(v, 'dtype', v), np.shape(v)) for k, v in names.items()]}"
            self.assertEqual((found.dtype, found.shape), (wanted.dtype, wanted.shape), shown)
            if close:
                np.testing.assert_allclose(found, wanted, rtol=close, atol=close, err_msg=shown)
            elif wanted.dtype.kind == "f":
                np.testing.assert_array_equal(found, wanted, shown)
                zeros = wanted == 0
                np.testing.assert_array_equal(np.signbit(found[zeros]), np.signbit(wanted[zeros]), shown)
            else:
                np.testing.assert_array_equal(found, wanted, shown)

    def refused(self, text, words, kind=(tosajit.Error, TypeError), **names):
        for engine in self.engines:
            with self.assertRaisesRegex(kind, words, msg=text):
                engine.evaluate(text, {}, {}, **names)

    # --------------------------------------------------------------------------------------------
    # Views

    VIEWS = ["{}[0]", "{}[-1]", "{}[1:]", "{}[:, ::2]", "{}[..., 0]", "{}[:, None]", "{}[None, ..., 1]", "{}[::-1, 1:3]", "transpose({})", "{}.T", "transpose({}, (1, 0))",
             "reshape({}, (4, 3))", "reshape({}, -1)", "reshape({}, (2, -1, 2))", "flip({})", "flip({}, 1)", "flip({}, axis=0)", "swapaxes({}, 0, 1)", "tile({}, (1, 2))",
             "tile({}, 2)", "tile({}, (2, 1, 1))", "expand_dims({}, 0)", "expand_dims({}, -1)", "broadcast_to({}, (2, 3, 4))", "concatenate(({}, {}))", "concatenate(({}, {}), axis=1)",
             "concatenate(({}, {}), axis=None)", "pad({}, 1)", "pad({}, (1, 2))", "pad({}, ((0, 1), (2, 0)), constant_values=3)", "squeeze({}[:, None], 1)",
             "squeeze({}[0:1], 0)", "broadcast_to({}[:1], (3, 4))", "broadcast_to({}[:, :1], (2, 3, 4))", "broadcast_to({}[:1, :1], (1, 1, 4))", "squeeze({}[:, 1:2], axis=1)"]
    OPERATORS = ["{} / 2", "{} // 2", "{} % 3", "{} * {}", "-{}", "{} + {}", "{} - 3", "~{}", "{} ** 2", "{} > 1", "0.5 * {}", "{} << 1", "{} >> 1", "{} & 3", "{} == {}",
                 "maximum({}, 2)", "where({} > 1, {}, 7)", "sum({})", "sum({}, axis=-1)", "mean({}, axis=0)", "max({}, axis=0, keepdims=True)", "prod({})", "abs({})",
                 "int8({})", "float32({})", "sqrt({})", "sign({})", "fmod({}, 3)", "isnan({})", "clip({}, 1, 5)", "fmax({}, 3)"]
    # what strides cannot say, whatever the text; these are refused with a reason
    STRIDES = ("no strides say", "reduces along pieces", "piece by piece", "lie apart", "sum along", "cannot be seen through", "two concatenations", "repeats along", "do not lie in one run")

    def numbers(self, dtype):
        small = np.array([[7, 0, 5, 100], [1, 2, 3, 9], [4, 127, 6, 8]])
        if np.dtype(dtype).kind == "i":
            small[0, 1], small[2, 3] = -7, -100
            small = small.astype(dtype)
            small[1, 0] = np.iinfo(dtype).min
            small[1, 1] = np.iinfo(dtype).max
        return small.astype(dtype)

    def test_every_view_under_every_operator(self):
        computed, left_out = 0, {}
        for dtype in (np.int8, np.int32, np.uint32, np.bool_):
            x = self.numbers(dtype)
            for view, operator in itertools.product(self.VIEWS, self.OPERATORS):
                text = operator.replace("{}", view.replace("{}", "x"))
                try:
                    wanted = expected(text, {"x": x})
                except (TypeError, OverflowError):
                    continue
                for engine in self.engines[:1] if dtype != np.int32 else self.engines:
                    try:
                        close = 1e-6 if "mean" in operator or "sqrt" in operator else 0
                        self.compare(text, {"x": x}, wanted, close, [engine])
                        computed += 1
                    except tosajit.Error as error:
                        if not any(reason in str(error) for reason in self.STRIDES):
                            raise AssertionError(f"{text}: {error}")
                        left_out.setdefault(str(error).split(": ")[-1], []).append(text)
        self.assertGreater(computed, 20 * sum(map(len, left_out.values())))

    def test_views_under_views(self):
        x = np.arange(24).reshape(2, 3, 4)
        for outer, inner in itertools.product(("{}[0]", "{}[-1]", "transpose({})", "flip({})", "{}[None]", "expand_dims({}, 1)", "{}[1:]", "{} / 2", "sum({}, axis=0)"), repeat=2):
            if (outer, inner) == ("{}[1:]", "{}[None]"):  # nothing is left, and a static size is at least 1
                continue
            self.compare(outer.replace("{}", f'({inner.replace("{}", "x")})'), {"x": x})


if __name__ == "__main__":
    unittest.main()

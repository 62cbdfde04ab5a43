# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""evaluate beside NumPy, system by system: every view under every operator, every function of every
type, numbers of Python by name and in the text, reductions of reductions. Types, shapes and bits,
of the first call, which precompiled operations answer, and of later ones, which are compiled."""
import contextlib
import itertools
import os
import subprocess
import sys
import math
import textwrap
import time
import unittest
import warnings

import numpy as np

import tosajit

COMPILES = os.environ.get("TOSAJIT_TEST_COMPILER", "1") == "1"
INTEGERS = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32]
TYPES = [np.bool_, *INTEGERS, np.float16, np.float32, np.float64]
CASTS = {name: (lambda x, name=name: np.asarray(x).astype(name)) for name in
         ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "float16", "float32",
          "float64")}
NUMPY = {**{name: getattr(np, name) for name in (
    "transpose", "reshape", "flip", "tile", "swapaxes", "squeeze", "expand_dims", "broadcast_to",
                                                 "concatenate", "pad", "sum", "prod", "max", "min",
    "mean", "var", "std", "any", "all", "where", "maximum", "minimum", "fmax", "fmin", "fmod",
                                                 "abs", "absolute", "fabs", "sign", "square",
                                                 "floor", "ceil",
    "trunc", "rint", "round", "sqrt", "isnan", "isinf", "isfinite", "signbit", "logical_and",
                                                 "logical_or", "logical_xor", "logical_not",
    "arctan2", "hypot", "copysign", "nextafter", "power", "clip", "floor_divide", "remainder",
                                                 "ones_like", "zeros_like", "newaxis")}, **CASTS}


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
        for engine in engines or self.engines:
            found = np.asarray(engine.evaluate(text, names, {}))
            shown = f"{text} of {[(k, getattr(v, 'dtype', v), np.shape(v)) for k, v in names.items()]}"
            self.assertEqual((found.dtype, found.shape), (wanted.dtype, wanted.shape), shown)
            if close:
                np.testing.assert_allclose(found, wanted, rtol=close, atol=close, err_msg=shown)
            elif wanted.dtype.kind == "f":
                np.testing.assert_array_equal(found, wanted, shown)
                zeros = wanted == 0
                np.testing.assert_array_equal(np.signbit(found[zeros]), np.signbit(wanted[zeros]),
                                              shown)
            else:
                np.testing.assert_array_equal(found, wanted, shown)

    def refused(self, text, words, kind=(tosajit.Error, TypeError), **names):
        for engine in self.engines:
            with self.assertRaisesRegex(kind, words, msg=text):
                engine.evaluate(text, names, {})

    # --------------------------------------------------------------------------------------------
    # Views

    VIEWS = ["{}[0]", "{}[-1]", "{}[1:]", "{}[:, ::2]", "{}[..., 0]", "{}[:, None]",
             "{}[None, ..., 1]", "{}[::-1, 1:3]", "transpose({})", "{}.T", "transpose({}, (1, 0))",
             "reshape({}, (4, 3))", "reshape({}, -1)", "reshape({}, (2, -1, 2))", "flip({})",
             "flip({}, 1)", "flip({}, axis=0)", "swapaxes({}, 0, 1)", "tile({}, (1, 2))",
             "tile({}, 2)", "tile({}, (2, 1, 1))", "expand_dims({}, 0)", "expand_dims({}, -1)",
             "broadcast_to({}, (2, 3, 4))", "concatenate(({}, {}))",
             "concatenate(({}, {}), axis=1)",
             "concatenate(({}, {}), axis=None)", "pad({}, 1)", "pad({}, (1, 2))",
             "pad({}, ((0, 1), (2, 0)), constant_values=3)", "squeeze({}[:, None], 1)",
             "squeeze({}[0:1], 0)", "broadcast_to({}[:1], (3, 4))",
             "broadcast_to({}[:, :1], (2, 3, 4))", "broadcast_to({}[:1, :1], (1, 1, 4))",
             "squeeze({}[:, 1:2], axis=1)"]
    OPERATORS = ["{} / 2", "{} // 2", "{} % 3", "{} * {}", "-{}", "{} + {}", "{} - 3", "~{}",
                 "{} ** 2", "{} > 1", "0.5 * {}", "{} << 1", "{} >> 1", "{} & 3", "{} == {}",
                 "maximum({}, 2)", "where({} > 1, {}, 7)", "sum({})", "sum({}, axis=-1)",
                 "mean({}, axis=0)", "max({}, axis=0, keepdims=True)", "prod({})", "abs({})",
                 "int8({})", "float32({})", "sqrt({})", "sign({})", "fmod({}, 3)", "isnan({})",
                 "clip({}, 1, 5)", "fmax({}, 3)"]
    # what strides cannot say, whatever the text; these are refused with a reason
    STRIDES = ("no strides say", "reduces along pieces", "piece by piece", "lie apart", "sum along",
               "cannot be seen through", "two concatenations", "repeats along",
               "do not lie in one run")

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
                for engine in self.engines if dtype == np.int32 and computed % 6 == 0 else self.engines[:1]:
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
        for outer, inner in itertools.product(("{}[0]", "{}[-1]", "transpose({})", "flip({})",
                                               "{}[None]", "expand_dims({}, 1)", "{}[1:]", "{} / 2",
                                               "sum({}, axis=0)"), repeat=2):
            # nothing is left, and a static size is at least 1
            if (outer, inner) == ("{}[1:]", "{}[None]"):
                continue
            self.compare(outer.replace("{}", f'({inner.replace("{}", "x")})'), {"x": x})

    def test_nothing_has_no_greatest_element(self):
        for dtype in (np.float32, np.int8, np.bool_, np.int64):
            for shape in ((0,), (0, 3), (3, 0), (2, 0, 3)):
                x = np.zeros(shape, dtype)
                for name, axis in itertools.product(("max", "min"),
                                                    [None, *range(x.ndim),
                                                     *([(0, 1)] if x.ndim > 1 else [])]):
                    self.both(f"{name}(x, axis={axis})", {"x": x})
        for text, x in (("max(x[3:])", np.arange(3)), ("max(x * 2, axis=0) + 1", np.zeros((0, 2)))):
            self.refused(text, "no max of no elements|zero-size array", ValueError, x=x)
        self.compare("max(x[1:]) - min(x)", {"x": np.arange(3)})
        self.compare("sum(x) + prod(x)", {"x": np.zeros(0)})

    def test_an_index_of_what_broadcasts(self):
        names = {"x": np.arange(24).reshape(2, 3, 4), "y": np.arange(12).reshape(3, 4),
                 "v": np.arange(4)}
        for text in ("(x + y)[-1]", "sum((x + y)[0])", "max((x + v)[:, 0], axis=0)",
                     "(x + v)[:, 0] + v", "sum((x * y)[..., 1:], axis=0)[0] / 2"):
            self.compare(text, names)

    def test_reductions_of_reductions(self):
        names = {"x": np.arange(24.0).reshape(2, 3, 4), "y": np.arange(9.0).reshape(3, 3),
                 "v": np.array([1.0, 2, 4])}
        for text in ("sum(sum(x, axis=1), axis=0)", "sum(max(x, axis=1))",
                     "max(x, axis=0)[1:] - min(min(x, axis=0), axis=0)",
                     "x - mean(mean(x, axis=0), axis=0)",
                     "sum(y, axis=1) + y", "y - sum(y, axis=1)[:, None]", "y / sum(y, axis=0)",
                     "max(y, axis=1) * v", "transpose(sum(x, axis=1))",
                     "sum(x, axis=(0, 2)) - v", "sum(y, axis=0)[1] / 2",
                     "flip(max(y, axis=1)) // 2", "mean(y, axis=1)[:, None] - mean(y, axis=0)",
                     "sum(y * 2, axis=-1, keepdims=True)",
                     "max(v, keepdims=True) - prod(y, axis=-1)", "a = sum(y, axis=0); a - max(a)",
                     "sum(3, axis=0) + v", "reshape(sum(y, axis=1), (3, 1))"):
            self.compare(text, names, expected(text.partition("; ")[2] or text,
                                               {**names, "a": names["y"].sum(0)}), 1e-12)

    # --------------------------------------------------------------------------------------------
    # Functions and operators, by types

    def elements(self, dtype):
        dtype = np.dtype(dtype)
        if dtype.kind == "b":
            return np.array([True, False, True, True, False, False, True, False])
        if dtype.kind == "f":
            return np.array([0.0, -0.0, 1.5, -2.0, np.inf, np.nan, 0.5, -np.inf]).astype(dtype)
        info = np.iinfo(dtype)
        return np.array([0, 1, 2, 7, info.max, info.min, 8, info.max - 1]).astype(dtype)

    ONE = ["abs", "absolute", "fabs", "sign", "square", "floor", "ceil", "trunc", "rint", "round",
           "isnan", "isinf", "isfinite", "signbit", "logical_not", "ones_like",
           "zeros_like"]
    WITH_NUMBERS = ["-x", "~x", "x ** 2", "x ** 3", "x ** 0", "x ** 2.0", "x ** 0.5", "x << 1",
                    "x >> 1", "x << 40", "x >> 40", "x < 300", "x > 300", "300 < x", "x != 300",
                    "x <= -1", "x >= -1", "x == 2 ** 40",
                    "x > -2 ** 40", "x == 1.5", "where(x > 0, 1, 0)", "where(x, 1, 0)",
                    "where(x > 0, 1.5, 0)", "x / 0", "x // 0", "x % 0", "x // 3", "x % 3",
                    "clip(x, 1, 3)",
                    "x & True", "x | False", "x + True", "x * False", "max(x, axis=0)", "sum(x)",
                    "prod(x)", "any(x)", "all(x)", "x * 2.0", "x * 0.1", "x == 0.1", "+x",
                    "float32(x)"]
    TWO = ["x + y", "x - y", "x * y", "x / y", "x // y", "x % y", "x & y", "x | y", "x ^ y",
           "x << y", "x >> y", "x < y", "x == y", "x >= y", "fmod(x, y)", "where(x, x, y)",
           "logical_and(x, y)", "logical_xor(x, y)"]

    def both(self, text, names, close=0, engines=None):
        """What NumPy refuses is refused; what it computes is the same."""
        try:
            wanted = expected(text, names)
        except (TypeError, ValueError, OverflowError) as error:
            with self.assertRaises(tosajit.Error, msg=f"{text}: {error}"):
                (engines or self.engines)[0].evaluate(text, names, {})
            return
        self.compare(text, names, wanted, close, engines)

    def test_divisors_of_variances(self):
        x = np.arange(12, dtype=np.float64).reshape(3, 4)
        for ddof in (0, 1, 1.0, 0.5, 1.5, 4, 12, 13, 100, 1e3, 1e300):
            for axis in (None, 0, 1):
                with warnings.catch_warnings(), np.errstate(all="ignore"):
                    warnings.simplefilter("ignore")
                    for name in ("var", "std"):
                        wanted = getattr(np, name)(x, axis=axis, ddof=ddof)
                        np.testing.assert_allclose(tosajit.evaluate(f"{name}(x, axis={axis}, "
                                                                    f"ddof={ddof!r})"), wanted,
                                                   1e-12)

    def test_what_is_an_array_to_numpy_alone(self):
        class Series:
            def __array__(self, dtype=None, copy=None):
                return np.arange(3.0)
        np.testing.assert_array_equal(tosajit.evaluate("s * 2 + x", s=Series(), x=np.ones(3)),
                                      np.arange(3.0) * 2 + 1)
        np.testing.assert_array_equal(tosajit.evaluate("s / 2", s=Series()), np.arange(3.0) / 2)

    def test_in_the_place_of_numexpr(self):
        code = """if True:
            import tosajit.as_numexpr, numpy as np, sys
            import numexpr as ne
            from numexpr.necompiler import evaluate
            x, y = np.arange(5.0), np.ones(5)
            def f():
                z = x * 2
                return ne.evaluate("z + y"), evaluate("z * x"), ne.re_evaluate(), ne.validate("z + nothing")
            a, b, c, error = f()
            assert (a == x * 2 + y).all() and (b == x * x * 2).all() and (c == b).all() and isinstance(error, TypeError), (a, b, c, error)
            assert tuple(map(int, ne.__version__.split("."))) >= (2, 11, 0) and ne.detect_number_of_cores() > 0 and not ne.use_vml and ne.nthreads > 0
            before = ne.set_num_threads(1)
            assert ne.get_num_threads() == 1
            try:
                ne.disassemble
            except AttributeError as error:
                assert "plan" in str(error)
            try:
                import pandas as pd
            except ImportError:
                sys.exit()
            df = pd.DataFrame({"a": np.arange(300000.0), "b": np.arange(300000) % 7, "m": np.arange(300000) % 2 == 0})
            pd.testing.assert_frame_equal(df.query("a > 10 and not b == 3 and m"), df[(df.a > 10) & ~(df.b == 3) & df.m])
            pd.testing.assert_series_equal(df.eval("sqrt(a) * 2 + b"), np.sqrt(df.a) * 2 + df.b, check_names=False)
            assert len(df.query("5 < a < 9 or a == 2")) == 4
        """
        told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        self.assertEqual((told.returncode, told.stderr), (0, ""))

    def test_long_texts_take_no_square_of_their_length(self):
        def seconds(length):
            begin = time.process_time()
            for text in ("1 +" + " " * length + "x", "x # " + "no " * length):
                tosajit.evaluate(text, x=np.ones(2))
            return time.process_time() - begin

        seconds(1000)
        # eight times by the length, 64 by its square
        self.assertLess(seconds(320000), 16 * seconds(40000))
        for text in ("newaxis", "newaxis + x", "clip(x, 5, min=2)", "clip(x, a_min=1, min=2)"):
            with self.assertRaises((tosajit.Error, ValueError, TypeError), msg=text):
                tosajit.evaluate(text, {"x": np.ones(2)}, {})

    def test_nan_and_infinity_in_a_text(self):
        nan, inf = math.nan, math.inf
        for dtype in (np.float16, np.float32, np.float64):
            a = np.array([1, -1, 0], dtype)
            for text, wanted in (("where(a > 0, a, nan)", np.where(a > 0, a, dtype(nan))),
                                 ("nan + a", nan + a), ("-nan * a", -nan * a),
                                 ("a * inf", a * dtype(inf)), ("clip(a, nan, 1)",
                                                               np.clip(a, nan, 1)),
                                 ("a + (inf - inf)", a + nan), ("a - inf", a - dtype(inf)),
                                 ("isnan(a + nan)", np.isnan(a + nan)),
                                 ("minimum(a, nan)", np.minimum(a, nan))):
                with np.errstate(all="ignore"):
                    self.compare(text, {"a": a}, wanted)

    def test_an_axis_by_place(self):
        x = np.arange(24.0).reshape(2, 3, 4)
        for axis in (0, -1, (0, 2), None):
            for name, function in (("amax", np.max), ("amin", np.min), ("sum", np.sum),
                                   ("any", np.any)):
                self.compare(f"{name}(x, {axis})", {"x": x}, function(x, axis))
                self.compare(f"{name}(x, {axis}, keepdims=True)", {"x": x},
                             function(x, axis, keepdims=True))

    def test_every_function_of_every_type(self):
        for dtype in TYPES:
            for text in [f"{name}(x)" for name in self.ONE] + self.WITH_NUMBERS:
                self.both(text, {"x": self.elements(dtype)})

    def test_every_operator_of_every_two_types(self):
        for a, b in itertools.product(TYPES, TYPES):
            x, y = self.elements(a), self.elements(b)[::-1]
            for text in self.TWO:
                self.both(text, {"x": x, "y": y}, 0, self.engines[:1])
            for name in ("arctan2", "hypot", "copysign"):
                if np.dtype(a).kind != "f" and np.dtype(b).kind != "f":  # NaNs have any sign
                    self.both(f"{name}(x, y)", {"x": x, "y": y}, 2e-3, self.engines[:1])

    def test_powers_of_integers(self):
        for a, b in itertools.product([np.bool_, *INTEGERS], repeat=2):
            x = self.elements(a)
            most = min(np.iinfo(b).max, 1 << 62) if b is not np.bool_ else 1
            for y in (self.elements(b), np.array([0, 1, 2, 3, 5, 8, 31, 62]).astype(b),
                      np.array([most, most - 1, most // 2, most // 2 + 1, 64, 63, 33,
                                7]).astype(b)):
                self.both("x ** y", {"x": x, "y": y if b is np.bool_
                                     else abs(y.astype(np.int64) % (most + 1)).astype(b)}, 1e-12,
                          self.engines[:1])
        for dtype in (np.int64, np.uint32):
            x, y = np.array([0, 1, 2, 3], dtype), np.array([1 << 31] * 4, dtype)
            self.compare("x ** y", {"x": x, "y": y})
        x, out = np.array([1, 2], np.uint8), np.zeros(2, np.uint8)
        self.assertIs(tosajit.evaluate("x ** x", out=out), out)
        np.testing.assert_array_equal(out, [1, 4])

    def test_negative_powers_of_integers_raise(self):
        n, k = np.array([1, 2, 3], np.int32), np.array([2, 0, -1], np.int32)
        out = np.array([7, 7, 7], np.int32)
        for text, names in (("n ** k", {"n": n, "k": k}), ("2 ** k", {"k": k}),
                            ("power(n, k - 1)", {"n": n, "k": k}), ("n ** s", {"n": n, "s": -1}),
                            ("n ** -1", {"n": n})):
            self.refused(text, "negative integer powers are not allowed", tosajit.ArgumentError,
                         **names)
        with self.assertRaises(ValueError):
            tosajit.evaluate("n ** k", out=out)
        self.assertEqual(out.tolist(), [7, 7, 7])
        self.compare("n ** abs(k)", {"n": n, "k": k})

    # --------------------------------------------------------------------------------------------
    # Numbers of Python

    def test_a_number_by_name_is_the_number_in_the_text(self):
        names = {"x": np.array([5, 1, 300], np.int16), "f": np.array([1.5, 2.5, 0], np.float32),
                 "g": np.array([2.0**53, 1, 2]), "u": np.array([1, 2, 250], np.uint8),
                 "m": np.array([True, False, True])}
        for text in ("{} - uint8(x)", "{} + int32(f)", "int64(g) + {}", "maximum(int16(f), {})",
                     "{} - all(x, keepdims=True)", "f * (1 - {})", "(u > {}) & m", "u < {}",
                     "x + {} * u",
                     "where(m, {}, x)", "{} / u", "uint8(x) // {} + f", "float16(f) * {}", "m * {}",
                     "m + {}", "-{} + u * 0.5", "clip(f, 0, {})", "({} + 1) * f"):
            for n in (2, 3, 0.1, 2.5, True, 1):
                self.both(text.format("s"), {**names, "s": n}, 1e-3 if "float16" in text else 0)
                self.both(text.format(repr(n)), names, 1e-3 if "float16" in text else 0)

    def test_a_number_by_name_is_true_but_for_zero(self):
        x = np.array([1.5, 2.5, 0], np.float32)
        for n in (-2, 0, 0.5, True, math.nan, 1 << 40):
            self.compare("where(bool(s), x, 1)", {"s": n, "x": x},
                         np.where(bool(n), x, np.float32(1)))

    def test_numbers_beyond_a_type(self):
        u, i = np.array([1, 255], np.uint8), np.array([1, -5], np.int32)
        for text in ("u < {}", "u == {}", "{} != u", "{} >= u", "i == {}", "i < {}"):
            for n in (300, -1, 1 << 40, -(1 << 40)):
                for text_of, more in ((text.format("s"), {"s": n}), (text.format(f"({n})"), {})):
                    self.compare(text_of, {"u": u, "i": i, **more} if "u" in text
                                 else {"i": i, **more})
        for text in ("u + s", "u - s * 2", "where(u > 1, u, s)", "(u + s) * (int16(i) + s)",
                     "maximum(u, s)", "u // s"):
            self.refused(text, "no value of u8", u=u, s=300, **({"i": i} if "i)" in text else {}))
        self.refused("(u + s) + (int16(i) + s)", "operand s: the number is no value of", u=u, i=i,
                     s=-1)
        self.compare("(u + s) + (int16(i) + s)", {"u": u, "i": i, "s": 3})
        self.compare("f16 < 100000", {"f16": np.array([1, np.inf], np.float16)}, [True, False])

    # --------------------------------------------------------------------------------------------
    # One meaning

    def test_a_text_has_one_meaning(self):
        n = np.array([7, -7, 1], np.int32)
        for name in ("n0x", "x0x1", "v0X"):
            self.compare(f"{name} / 2", {name: n}, n / 2)
        for text in ("n / 0x2", "n % 0xf", "n & 0b11", "n + 0o17", "n / 1_0", "n / (2\n)"):
            self.compare(text, {"n": n})
        self.compare("!m", {"m": n > 0}, n <= 0)
        self.compare("where(!m & (n > 0), n, 0)", {"m": n > 2, "n": n},
                     np.where(~(n > 2) & (n > 0), n, 0))
        self.compare("a = n +\n 1 # of all\n;; a / 2;", {"n": n}, (n + 1) / 2)
        # a text that declares types is the language's
        x = tosajit.evaluate("x: i32[?]; x / 2", x=n)
        np.testing.assert_array_equal(x, [3, -3, 0])
        np.testing.assert_array_equal(tosajit.evaluate("x / 0x2 : i32[?]", x=n), [3, -3, 0])

    def test_what_is_not_understood_says_so(self):
        n, f = np.array([[7, -7, 1]], np.int32), np.ones(3)
        for text, words in (("clz(n)", "there is no function clz"),
                            ("sigmoind(n)", "did you mean sigmoid"),
                            ("intdiv(n, 2)", "no function intdiv"),
                            ("n if", "select"), ("n (", "no Python|error"),
                            ("n in n", "compared by"), ("lambda n: n", "error"),
                            ("n.nothing", "has no .nothing"),
                            ("np.nothing(n)", "nothing is no function"),
                            ("n.summ()", "summ is no .* method"),
                            ("gather(n, n)", "no function gather; [^d]"),
                            ("scatter_add(n, n, n, index_mode=wrap)", "no function scatter_add"),
                            ("np.add.at(n, n, 1)", "change no array.* tosajit.jit"),
                            ("put_along_axis(n, n, 1, 1)", "change no array"),
                            ("n.put(n, 1)", "change no array"), ("np.put(n, n, 1)", "change no"),
                            ("n[n] = 1", "^n.n. = 1: texts change no array"),
                            ("n[n] += 1; n", "change no"), ("n += 1", "written|once|write"),
                            ("np.load(n)", "load is no"), ("n.__class__", "no .__class__"),
                            ("np.random.normal(n)", "normal is no"),
                            ("n.tofile(n)", "tofile is no"), ("np.__dict__", "no .__dict__"),
                            ("'a' + n", "neither a number"), ("norm(n, 7)", "norm: axis 7 is out "
                                                              "of .* takes an axis, np.linalg.norm "
                                                              "an order"),
                            ("softmax(n, 3)", "softmax: axis 3"),
                            ("1j * n", "complex"), ("x = y = n", "a statement is|expected"),
                            ("1 / 0 + n", "cannot compute"),
                            ("for i in n: n", "error"), ("import os", "no Python|no op import"),
                            ("lambda * n", "no Python"), ("n f", "error|no Python"),
                            ("", "empty|found"),
                            ("n + (1 << 20000000000)", "more than 2048 bits"),
                            ("n + 9 ** 9 ** 9", "2048 bits"),
                            ("n + " + "99 * " * 1000 + "1", "2048 bits"),
                            ("n\0", "null|no Python|error"), ("\ud800 + 1", "surrogate|half")):
            with self.assertRaisesRegex(tosajit.Error, words, msg=text):
                tosajit.evaluate(text, {"n": n, "i": f}, {})
        for text, kind, words in (("n[i]", IndexError, "integer"),
                                  ("sum(n, dtype=1)", TypeError, "data type"),
                                  ("n[0, 0, 0]", IndexError, "too many indices"),
                                  ("n[::0]", ValueError, "step"),
                                  ("[n, 1] + n", ValueError, "inhomogeneous"),
                                  ("concatenate((n, n[0]))", ValueError, "dimensions"),
                                  ("n.sum(axis=3)", ValueError, "axis 3 is out of bounds"),
                                  ("sum(n, axis=2)", ValueError, "axis 2 is out of bounds"),
                                  ("transpose(n, (0, 0))", ValueError, "repeated axis"),
                                  ("n @ n", ValueError, "mismatch"),
                                  ("n.mean(nothing=1)", TypeError, "nothing")):
            with self.assertRaisesRegex(kind, words, msg=text):  # as NumPy says it
                tosajit.evaluate(text, {"n": n, "i": f}, {})

    def test_an_odd_first_call_does_not_decide(self):
        """A text whose first operand has no elements, or one, gets its kernel when others come
        again."""
        from tosajit import _texts
        found, call = [], _texts.TextFunction.__call__
        x, wanted = np.arange(64.0), None
        try:
            _texts.TextFunction.__call__ = (lambda self, *given: found.append(self)
                                            or call(self, *given))
            for text in ("x[1:] - x[:-1]", "x[2:9] * 2", "x[0] + x", "concatenate([x, x]) + 1",
                         "x.reshape(-1, 2) + 1"):
                for odd in (np.zeros(0), np.zeros(1), np.zeros((0, 3))):
                    engine = tosajit.Engine()
                    with contextlib.suppress(Exception):
                        engine.evaluate(text, x=odd)
                    wanted = engine.evaluate(text, x=x)
                    for _ in range(8):
                        np.testing.assert_array_equal(engine.evaluate(text, x=x), wanted)
                    found.clear()
                    np.testing.assert_array_equal(engine.evaluate(text, x=x), wanted)
                    self.assertFalse(found, f"{text} {odd.shape}")
            engine = tosajit.Engine()
            for _ in range(70):  # of what is no kernel's the function stays
                np.testing.assert_array_equal(engine.evaluate("sort(x) + 1", x=x[::-1]), x + 1)
            self.assertEqual(len(set(map(id, found))), 1)
        finally:
            _texts.TextFunction.__call__ = call

    def test_uint64_by_name(self):
        x, n = np.array([1, 2 ** 63, 2 ** 64 - 1], np.uint64), np.array([-1, 0, 5], np.int32)
        for text in ("uint64(x)", "np.uint64(n)", "x << np.uint64(2)", "n.astype(np.uint64) + x",
                     "sum(n, dtype=np.uint64)", "x.astype('uint64') // 3", "x % uint64(7)"):
            wanted = eval(text, {"np": np, "uint64": lambda a: np.asarray(a).astype(np.uint64),
                                 "sum": np.sum}, {"x": x, "n": n})
            found = tosajit.evaluate(text, {"x": x, "n": n}, {})
            self.assertEqual((found.dtype, found.tolist()), (wanted.dtype, wanted.tolist()), text)
        # the language's cast rounds and saturates
        floats = np.array([-1.0, 0.5, 1.5, 2.0**63, 2.0**64, np.nan])
        self.assertEqual(tosajit.evaluate("u64(x)", x=floats).tolist(),
                         [0, 0, 2, 2**63, 2**64 - 1, 0])

    def test_sentences_name_operands_as_their_users_do(self):
        x, y = np.ones((2, 3), np.float32), np.ones(4, np.float32)
        for text, operands, words in (("a + b", {"a": x, "b": y}, "operand b dimension 0: size 4 .* of operand a dimension 1 "),
                                      ("a0 - μ * sqrt(a0)", {"a0": y, "μ": x}, "operand (a0|μ) dimension .: .*operand (a0|μ) dimension . ")):
            with self.assertRaisesRegex(tosajit.ShapeError, f"^{words}") as caught:
                tosajit.evaluate(text, operands, {})
            self.assertIn(caught.exception.operand, (0, 1))
        with self.assertRaisesRegex(tosajit.ShapeError, "^operand b has rank 1"):
            tosajit.compile("y = a + b : f32[?,?]")(x, y)

    def test_uint64_beside_numbers_and_signs(self):
        u, n = np.array([0, 1, 2**53 + 1, 2**63, 2**64 - 1],
                        np.uint64), np.array([-1, 1, 2**53, -2**63, 2**63 - 1])
        numbers = (0, -1, 5, 2**63, 2**64 - 1, 2**64, -2**63, 2**70, -2**70)
        for sign in ("<", "<=", ">", ">=", "==", "!="):
            for text in (f"u {sign} n", f"n {sign} u", f"u {sign} n.astype('int8')",
                         f"u {sign} (n > 0)", *(f"{a} {sign} {k}" for a in "un" for k in numbers)):
                self.assertEqual(tosajit.evaluate(text, {"u": u, "n": n}, {}).tolist(),
                                 eval(text, {}, {"u": u, "n": n}).tolist(), text)
            for k in numbers:
                for name, a in (("u", u), ("n", n)):
                    for text in (f"a {sign} k", f"k {sign} a"):
                        self.assertEqual(tosajit.evaluate(text, a=a, k=k).tolist(),
                                         eval(text, {}, {"a": a, "k": k}).tolist(), (text, name, k))
        for k in (0, 7, 2**63, 2**64 - 1):
            for text in ("u + k", "u - k", "k - u", "u * k", "u & k", "maximum(u, k)",
                         "where(u > 3, u, k)"):
                wanted = eval(text, {"maximum": np.maximum, "where": np.where}, {"u": u, "k": k})
                found = tosajit.evaluate(text, u=u, k=k)
                self.assertEqual((found.dtype, found.tolist()), (wanted.dtype, wanted.tolist()),
                                 (text, k))
        for k in (-1, 2**64):
            with self.assertRaisesRegex(tosajit.ArgumentError, "no value of u64"):
                tosajit.evaluate("u + k", u=u, k=k)
        kernel = tosajit.compile("y = x + 18446744073709551615 : u64[?]")
        self.assertEqual(kernel(u).tolist(), (u - np.uint64(1)).tolist())

    def test_floats_beyond_an_integer_type(self):
        """C leaves it open, NumPy warns and has another number on each machine: here it is one,
        behind every door."""
        x = np.array([np.nan, np.inf, -np.inf, 3e9, -3e9, 1e19, -1e19, 300.7, -2.9])
        most, wide = 2 ** 31 - 1, 2 ** 63 - 1
        wanted = {"int32": [0, most, -most - 1, most, -most - 1, most, -most - 1, 300, -2],
                  "int64": [0, wide, -wide - 1, 3 * 10 ** 9, -3 * 10 ** 9, wide, -wide - 1, 300,
                            -2],
                  "int8": [0, -1, 0, -1, 0, -1, 0, 44, -2],
                  "uint8": [0, 255, 0, 255, 0, 255, 0, 44, 254],
                  "uint16": [0, 65535, 0, 65535, 0, 65535, 0, 300, 65534]}
        for name, numbers in wanted.items():
            for found in (tosajit.evaluate(f"{name}(x)"), tosajit.evaluate(f"x.astype(np.{name})"),
                          tosajit.jit(lambda x: x.astype(name))(x)):
                self.assertEqual((found.dtype.name, found.tolist()), (name, numbers))

    def test_no_message_names_a_far_word(self):
        a, m = np.array([[1.5, -2, 3]]), np.array([True, False])
        for word in ("sort", "median", "ptp", "gcd", "arange", "interp", "intdiv", "divmod",
                     "einsum", "gather", "isin", "repeat", "len", "lgamma", "scatter", "map"):
            for text in (f"{word}(a)", f"{word}(a, a)"):
                try:
                    tosajit.evaluate(text, {"a": a}, {})
                except Exception as error:
                    self.assertNotIn("did you mean", str(error), text)
                    self.assertTrue(word in str(error) or not isinstance(error, tosajit.Error),
                                    error)
        with self.assertRaisesRegex(tosajit.Error, "did you mean logical_xor?"):
            tosajit.evaluate("xor(a)", {"a": a}, {})
        for text, wanted in (("round(a, 1)", a), ("a.sum()", 2.5), ("np.sin(a)", np.sin(a)),
                             ("sum(a, dtype=float32)", np.float32(2.5)), ("len(a)", 1)):
            np.testing.assert_allclose(tosajit.evaluate(text, {"a": a}, {}), wanted, 1e-12)
        np.testing.assert_array_equal(tosajit.evaluate("where(m)", m=m), np.where(m))
        with self.assertRaisesRegex(tosajit.Error, "of object"):
            tosajit.evaluate("a + 1", a=a.astype(object))

    def test_texts_of_more_than_one_kernel(self):
        n, x = np.array([[7, -7, 1]], np.int32), np.array([[0.5, -1, 2]])
        for text, wanted in (("n[n > 0]", n[n > 0]), ("squeeze(n)", n.squeeze()),
                             ("n @ n.T", n @ n.T), ("n and x > 0", np.logical_and(n, x > 0)),
                             ("not n", ~n.astype(bool)),
                             ("0 < n < 3", (0 < n) & (n < 3)), ("n.mean()", n.mean()),
                             ("np.sqrt(abs(x))", np.sqrt(abs(x))),
                             ("pad(n, 1, mode='edge')", np.pad(n, 1, mode="edge")),
                             ("tile(n, 0)", np.tile(n, 0)), ("(n, x + 1)", (n, x + 1)),
                             ("s = sort(x); s[0, -1] + s", np.sort(x)[0, -1] + np.sort(x)),
                             ("x.sum(axis=1) * 2 if n.size > 2 else x", x.sum(axis=1) * 2),
                             ("relu(x).sum()", np.maximum(x, 0).sum()),
                             ("softmax(x).astype(float32)", None)):
            for engine in self.engines:
                for _ in range(2):
                    found = engine.evaluate(text, {"n": n, "x": x}, {})
                    if isinstance(wanted, tuple):
                        for f, w in zip(found, wanted):
                            np.testing.assert_array_equal(f, w, text)
                    elif wanted is not None:
                        self.assertEqual((found.dtype, found.shape), (wanted.dtype, wanted.shape),
                                         text)
                        np.testing.assert_allclose(found, wanted, 1e-12, err_msg=text)
        out = np.zeros(1, np.float32)
        self.assertIs(tosajit.evaluate("x.sum(axis=1)", out=out), out)
        self.assertEqual(out[0], 1.5)

    def test_what_numpy_computes_or_says_itself(self):
        u, x, n = np.arange(3, dtype=np.uint64), np.arange(3.0), np.arange(3, dtype=np.int8)
        for text, kind in (("u * -1", tosajit.ArgumentError), ("x[::0]", ValueError),
                           ("tile(x, 10 ** 12)", MemoryError), ("x.sum(nothing=1)", TypeError),
                           ("x[5]", IndexError),
                           ("2 @ u", ValueError)):
            for _ in range(2):
                with self.assertRaises(kind, msg=text):
                    tosajit.evaluate(text, {"u": u, "x": x}, {})
        w = np.array([2**32 - 1] * 4, np.uint32)
        for text in ("where(n > 0, 300, n)", "where(n > 0, n, -200)"):
            try:
                expected = eval(text, {"where": np.where, "n": n})
            except OverflowError:  # of some versions of NumPy
                with self.assertRaises((tosajit.Error, OverflowError), msg=text):
                    tosajit.evaluate(text)
            else:
                np.testing.assert_array_equal(tosajit.evaluate(text), expected, text)
        for text in ("sum(n8) / 2", "sum(w) * 0.5", "sum(w) + sum(n8)", "sum(w) - 5", "prod(w) / 3",
                     "prod(w)", "float64(prod(w))", "prod(w) > 3", "sum(n8) // 2",
                     "sum(w, axis=0) + w"):
            self.compare(text, {"w": w, "n8": np.arange(7, dtype=np.uint8)})
        for text in ("uint8(f / 0)", "uint8(f / 0); tile(f[:0], 3)",
                     "norm(g, (0, 1)); tile(f[:0], 3)", "remainder(reshape(s, ()), arctan2(s, s))"):
            made = tosajit.evaluate(text, {"f": np.array([1.0, -1, 0]),
                                           "g": np.ones((2, 3), np.uint16),
                                           "s": np.array(3, np.uint16)}, {})
            first = made[0] if isinstance(made, tuple) else made
            whole = tosajit.evaluate(text.partition(";")[0],
                                     {"f": np.array([1.0, -1, 0]), "g": np.ones((2, 3), np.uint16),
                                      "s": np.array(3, np.uint16)}, {})
            np.testing.assert_array_equal(first, whole, text)
        g = np.asfortranarray(np.arange(60.0, dtype=np.float32).reshape(3, 4, 5))
        wanted = tosajit.evaluate("sin(g)", {"g": np.ascontiguousarray(g)}, {})
        # a kernel's, as of an array that lies otherwise
        for text in ("sin(reshape(g, -1))", "sin(reshape(g, (0, -1)))", "sin(g.reshape(-1))"):
            np.testing.assert_array_equal(tosajit.evaluate(text, {"g": g}, {}).reshape(3, 4, 5),
                                          wanted, text)
        f = np.array([-2.0, -1.5, 300, 70000, -70000, 0.7])
        for dtype in ("uint8", "uint16", "uint32", "int8", "int16"):
            self.compare(f"{dtype}(f)", {"f": f})
            np.testing.assert_array_equal(tosajit.jit(lambda f: f.astype(dtype))(f),
                                          f.astype(dtype))

    def test_names_of_other_letters(self):
        größe, λ = np.array([4, 9], np.int32), np.array([0.5, 2])
        self.compare("größe / 2 + λ", {"größe": größe, "λ": λ})
        self.compare("ﬁ * 2", {"fi": größe}, größe * 2)  # Python sees a ligature as its letters
        self.compare("ö = größe * 2; ö - 1", {"größe": größe}, größe * 2 - 1)
        long = "a" * 100
        self.compare(f"{long} + 1", {long: größe})
        self.compare("True_ + None_ + e", {"True_": größe, "None_": größe, "e": größe})
        self.refused("größe + λ", "größe|λ|size|broadcast", größe=größe, λ=np.ones(3))
        with self.assertRaisesRegex(TypeError, "'λ' is missing"):
            tosajit.evaluate("größe + λ", {}, {}, größe=größe)
        with self.assertRaisesRegex(tosajit.Error, "operand λ"):
            tosajit.evaluate("größe + λ", {}, {}, größe=größe, λ=np.zeros(2, ">f8"))

    def test_long_texts_and_little_stack(self):
        n = np.array([7, -7, 1], np.int32)
        for terms in (100, 900, 2000):
            np.testing.assert_array_equal(tosajit.evaluate(" + ".join(["n / 2"] * terms)),
                                          n / 2 * terms)
        wanted = n / 4

        def deep(k):
            try:
                return deep(k - 1) if k else tosajit.evaluate("n / 4 + 0", n=n)
            except RecursionError:
                return None

        for k in range(sys.getrecursionlimit(), 0, -1):
            found = deep(k)
            if found is not None:
                np.testing.assert_array_equal(found, wanted)
                break
        np.testing.assert_array_equal(tosajit.evaluate("n / 4 + 0"), wanted)
        for text in ("(" * 150 + "n" + ")" * 150, "-" * 300 + "n", "(n * 0 + 1) ** " * 20 + "1",
                     "n if n else " * 150 + "n", "abs(" * 150 + "n" + ")" * 150):
            try:
                np.asarray(tosajit.evaluate(text))
            except tosajit.ArgumentError as error:
                self.assertRegex(str(error), "deep|nest|too many|limit|statements")

    def test_an_axis_of_none_is_all_axes(self):
        x = np.array([[1, 2, 3], [4, 5, 6]], np.float32)
        for name in ("softmax", "log_softmax", "layer_norm", "rms_norm"):
            wanted = np.asarray(tosajit.evaluate(f"{name}(x, axis=(0, 1))"))
            for found in (tosajit.evaluate(f"{name}(x, axis=None)"),
                          tosajit.compile(f"y = {name}(x, axis=None) : f32[?,?]")(x),
                          tosajit.compile(f"y = {name}(x, axis=None) : f32[2,3]")(x)):
                np.testing.assert_array_equal(found, wanted, name)

    def test_little_stack(self):
        code = textwrap.dedent("""
            import sys, threading
            import numpy as np, tosajit
            x, n = np.ones(64, np.float32), np.arange(3)
            kernel = tosajit.compile("y = x * x : f32[?]")
            for _ in range(3):
                tosajit.evaluate("x + x", x=x), kernel(x)
                tosajit.wait()
            done = []
            def known():
                done.append(tosajit.evaluate("x + x", x=x)[0] + kernel(x)[0])
            def new():
                for text in ("x[1:] * 3 - sum(x)", "n / 2 + n[0]", "(" * 90 + "x" + ")" * 90):
                    tosajit.evaluate(text, {"x": x, "n": n})
                done.append(4)
            for size, work in ((64, known), (256, new)):
                threading.stack_size(size << 10)
                thread = threading.Thread(target=work)
                thread.start()
                thread.join()
            sys.exit(done != [3, 4])""")
        self.assertEqual(subprocess.run([sys.executable, "-c", code]).returncode, 0)

    def test_a_view_is_a_view_of_the_operand_alone(self):
        x = np.arange(6).reshape(2, 3)
        y = tosajit.evaluate("x.T")
        y[0, 0] = 9
        self.assertEqual(x[0, 0], 0)


if __name__ == "__main__":
    if tuple(map(int, np.__version__.split(".")[:2])) < (2, 1):
        print(f"*** NOT TESTED: evaluate beside NumPy {np.__version__}, which has other types; "
              "NumPy 2.1 is needed")
        sys.exit()
    unittest.main()

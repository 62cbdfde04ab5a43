# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The Python package with arrays of other kinds: types that ml_dtypes adds to NumPy, jax, masks,
lists, and the caller's variables."""
import unittest

import jax.numpy as jnp
import ml_dtypes
import numpy as np

import tosajit


class Kinds(unittest.TestCase):
    def test_types_of_ml_dtypes(self):
        x = np.array([1.5, -2, 3], ml_dtypes.bfloat16)
        f = np.array([0.25, 1, 2], np.float32)
        out = np.zeros_like(x)
        self.assertIs(tosajit.evaluate("x * x + 1", x=x, out=out), out)
        for y in (out, tosajit.evaluate("x * x + 1", x=x),
                  tosajit.compile("y = x * x + 1 : bf16[?]")(x)):
            self.assertEqual(y.dtype, x.dtype)
            np.testing.assert_array_equal(y, x * x + 1)
        self.assertEqual(tosajit.compile("y = x + x : bf16[?]")(x.view(np.uint16)).dtype, np.uint16)
        y = tosajit.evaluate("x + f", x=x, f=f)
        self.assertEqual(y.dtype, np.float32)
        np.testing.assert_array_equal(y, x.astype(np.float32) + f)
        for dtype in (ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2):
            e = np.array([0.5, -2, 16], dtype)
            np.testing.assert_array_equal(tosajit.evaluate("f32(e) + 1", e=e),
                                          e.astype(np.float32) + 1)
        with self.assertRaisesRegex(tosajit.ElementTypeError,
                                    "operand x: its elements are of bf16"):
            tosajit.compile("y = x + x : f32[?]")(x)
        with self.assertRaises(ValueError):
            tosajit.evaluate("x + x", x=np.array([1, 2], ml_dtypes.int4))

    def test_jax(self):
        x = jnp.arange(6, dtype=jnp.float32).reshape(2, 3)
        for y in (x, x.astype(jnp.bfloat16)):
            z = tosajit.evaluate("y * y - 1", y=y)
            self.assertIs(type(z), type(y))
            self.assertEqual(z.dtype, y.dtype)
            self.assertTrue((z == y * y - 1).all())
        s, d = tosajit.evaluate("s = x + 1; d = x - 1", x=x)
        self.assertTrue((s == x + 1).all() and (d == x - 1).all())
        self.assertIs(type(tosajit.evaluate("n + x", x=x, n=np.ones(3, np.float32))), np.ndarray)

    def test_arrays_of_known_types_again_and_again(self):
        x = np.arange(12).astype(ml_dtypes.bfloat16).reshape(3, 4)
        kernel = tosajit.compile("y = x + x : bf16[?,?]")
        for y in (x, x[::2], x.T, x[:, ::-1], x[:0]):
            z = kernel(y)
            self.assertEqual(z.dtype, x.dtype)
            np.testing.assert_array_equal(z, y + y)
            np.testing.assert_array_equal(tosajit.evaluate("y * y", y=y), y * y)
        out = np.zeros_like(x)
        self.assertIs(kernel(x, out=out[::-1]).base, out)
        np.testing.assert_array_equal(out[::-1], x + x)
        out.flags.writeable = False
        with self.assertRaisesRegex(tosajit.ArgumentError, "read-only"):
            kernel(x, out=out)
        with self.assertRaisesRegex(tosajit.ElementTypeError, "its elements are of bf16"):
            tosajit.compile("y = x + x : f16[?,?]")(x)

    def test_results_of_jax_again_and_again(self):
        for dtype in (jnp.float32, jnp.int32, jnp.bfloat16, jnp.uint8, jnp.bool_, jnp.float16):
            x = jnp.asarray([[1, 0, 1]], dtype)
            for _ in range(3):
                z = tosajit.evaluate("where(x > 0, x, x)", x=x)
                self.assertIs(type(z), type(x))
                for name in ("dtype", "shape", "sharding", "weak_type"):
                    self.assertEqual(getattr(z, name), getattr(x, name))
                self.assertTrue((z == x).all() and (z + x == x + x).all())
        for _ in range(2):  # which jax makes f32, where it is not told to keep f64
            self.assertEqual(tosajit.evaluate("f64(x) + 1", x=jnp.ones(3)).dtype, jnp.ones(3).dtype)
            s, d = tosajit.evaluate("s = x + 1; d = x > 1", x=jnp.ones(3))
            self.assertTrue((s == 2).all() and not d.any())

    def test_functions_of_jax_arrays(self):
        x = jnp.asarray([3.0, 1, 2])
        for f in (lambda a: a * a + 1, lambda a: np.sort(a) + 1):
            z = tosajit.jit(f)(x)
            self.assertIs(type(z), type(x))
            np.testing.assert_allclose(np.asarray(z), f(np.asarray(x)), 1e-6)

    def test_masks_are_not_lost(self):
        x = np.ma.array([1.0, 2, 3], mask=[0, 1, 0])
        for call in (lambda: tosajit.evaluate("x + 1", x=x), lambda: tosajit.evaluate("x + 1", x=x.data, out=x),
                     lambda: tosajit.compile("y = x + x : f64[?]")(x)):
            with self.assertRaisesRegex(tosajit.ArgumentError, "mask, which would be lost"):
                call()
        np.testing.assert_array_equal(tosajit.evaluate("x + 1", x=x.filled(0)), [2, 1, 4])

    def test_variables_of_the_caller(self):
        a, b = np.arange(3), 2.5
        np.testing.assert_array_equal(tosajit.evaluate("a * b"), a * b)
        np.testing.assert_array_equal(tosajit.evaluate("a * b", b=2), a * 2)
        np.testing.assert_array_equal(tosajit.evaluate("a * b", {"a": a + 1}, {"b": 3}),
                                      (a + 1) * 3)
        np.testing.assert_array_equal(tosajit.evaluate("a * b", local_dict={"a": a + 1, "b": 3}),
                                      (a + 1) * 3)
        np.testing.assert_array_equal(tosajit.re_evaluate(), a * b)
        np.testing.assert_array_equal(tosajit.evaluate("a + GLOBAL"), a + GLOBAL)
        np.testing.assert_array_equal(tosajit.evaluate("a * pi"), a * np.pi)
        np.testing.assert_array_equal(tosajit.evaluate("a * pi", pi=3), a * 3)
        np.testing.assert_array_equal(tosajit.evaluate("a + out", {"out": 1, "a": a}), a + 1)
        np.testing.assert_array_equal(tosajit.evaluate("[1, 2, 3] + c", c=(4, 5, 6)), [5, 7, 9])
        with self.assertRaisesRegex(TypeError,
                                    "'nothing' is missing; the caller has no such variable"):
            tosajit.evaluate("a + nothing")
        self.assertIsInstance(tosajit.validate("a + nothing"), TypeError)
        self.assertIs(tosajit.validate("a + b"), None)
        for wrong in ({"order": "F"}, {"order": 3}, {"casting": "any"}, {"casting": 1}):
            with self.assertRaises(tosajit.ArgumentError):
                tosajit.evaluate("a + b", **wrong)

    def test_casting(self):
        x, wide = np.array([1.5, -2.5], np.float32), np.ones(2)
        self.assertEqual(tosajit.evaluate("x + wide").dtype, np.float64)
        for casting in ("no", "equiv"):
            with self.assertRaisesRegex(tosajit.ElementTypeError, "keeps apart"):
                tosajit.evaluate("x + wide", casting=casting)
        out = np.zeros(2, np.float32)
        with self.assertRaisesRegex(tosajit.ElementTypeError, "'safe' does not make the f32"):
            tosajit.evaluate("x + wide", out=out, casting="safe")
        self.assertIs(tosajit.evaluate("x + wide", out=out), out)
        np.testing.assert_array_equal(out, x + 1)
        whole = np.zeros(2, np.int8)
        with self.assertRaises(tosajit.ElementTypeError):
            tosajit.evaluate("x * 2", out=whole)
        tosajit.evaluate("x * 1.0", out=whole, casting="unsafe")
        np.testing.assert_array_equal(whole, [1, -2])  # toward zero, as astype

    def test_functions_that_have_other_signs_of_zero(self):
        x = np.array([0.0, -0.0, 1, -1, np.inf, -np.inf])
        for y in (x, x.astype(np.float32)):
            for name in ("signbit", "arctan", "arcsin", "abs", "trunc", "rint"):
                with np.errstate(invalid="ignore"):
                    wanted = getattr(np, name)(y)
                found = tosajit.evaluate(f"{name}(y)")
                self.assertEqual(found.dtype, wanted.dtype)
                np.testing.assert_allclose(found, wanted, rtol=1e-6)
                np.testing.assert_array_equal(np.signbit(found[:2]), np.signbit(wanted[:2]), name)
            for a in x:
                wanted = np.copysign(y, a)
                found = tosajit.evaluate("copysign(y, z)", y=y, z=np.full(6, a).astype(y.dtype))
                np.testing.assert_array_equal(np.signbit(found), np.signbit(wanted))

    def test_functions_of_numpy(self):
        random = np.random.default_rng(1)
        names = (("log2", 0.01, 100), ("log10", 0.01, 100), ("cbrt", -100, 100), ("sinh", -60, 60),
                 ("cosh", -60, 60),
                 ("arcsinh", -100, 100), ("arccosh", 1, 100), ("arctanh", -0.99, 0.99),
                 ("arctan", -100, 100),
                 ("arcsin", -1, 1), ("arccos", -1, 1), ("expm1", -80, 80), ("log1p", -0.99, 1e6),
                 ("exp2", -30, 30),
                 ("degrees", -9, 9), ("radians", -9, 9), ("tan", -9, 9), ("square", -9, 9))
        edges = np.array([1, 0, -0.0, np.inf, -np.inf, np.nan], np.float32)
        for name, low, high in names:
            x = np.concatenate([random.uniform(low, high, 500).astype(np.float32), edges])
            with np.errstate(all="ignore"):
                wanted = getattr(np, name)(x.astype(np.float64))
                # a few roundings; near a zero of tan(x) and log(x) an absolute error remains of pi
                # and of 1
                np.testing.assert_allclose(tosajit.evaluate(f"{name}(x)"), wanted, rtol=2e-6,
                                           atol=1e-7, err_msg=name)
        x, y = (random.standard_normal(500).astype(np.float32) * 10 for _ in range(2))
        for name in ("hypot", "logaddexp", "logaddexp2", "arctan2"):
            wanted = getattr(np, name)(x.astype(np.float64), y.astype(np.float64))
            np.testing.assert_allclose(tosajit.evaluate(f"{name}(x, y)"), wanted, rtol=2e-6,
                                       err_msg=name)

    def test_what_suggestions_name_is_there(self):
        x = np.array([-1.0, 0.5, 2], np.float32)
        for text, wanted in (("clamp(x, 0, 1)", np.clip(x, 0, 1)),
                             ("clip(x, 0, 1)", np.clip(x, 0, 1)),
                             ("clamp(x, min=0)", np.maximum(x, 0)),
                             ("isnan(x / 0 * 0)", np.ones(3, bool)),
                             ("expm1(x)", np.expm1(x)), ("log1p(x + 1)", np.log1p(x + 1)),
                             ("arctan2(x, x)", np.arctan2(x, x)),
                             ("x if x > 0 else -x", np.abs(x))):
            with np.errstate(all="ignore"):
                np.testing.assert_allclose(tosajit.evaluate(text), wanted, rtol=1e-6, err_msg=text)


GLOBAL = 7

if __name__ == "__main__":
    unittest.main()

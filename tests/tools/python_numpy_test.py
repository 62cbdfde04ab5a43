# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The Python package with NumPy: results are NumPy's, nothing is copied, strides are taken."""
import functools
import gc
import sys
import unittest

import numpy as np

import tosajit
import tosajit.special


class NumPy(unittest.TestCase):
    def test_results_are_arrays_of_numpy(self):
        x = np.arange(6, dtype=np.float32).reshape(2, 3)
        for y in (tosajit.evaluate("x + x", x=x), tosajit.compile("y = x + x : f32[?,?]")(x)):
            self.assertIs(type(y), np.ndarray)
            self.assertEqual(y.dtype, np.float32)
            np.testing.assert_array_equal(y, x + x)

    def test_every_type_comes_and_goes(self):
        for dtype in (np.int8, np.int16, np.int32, np.int64, np.float16, np.float32, np.float64):
            x = np.array([[1, -2], [3, 4]], dtype)
            if dtype in (np.int32, np.float16, np.float32):
                y = tosajit.evaluate("x - y", x=x, y=x[:1])
                self.assertEqual(y.dtype, dtype)
                np.testing.assert_array_equal(y, x - x[:1])
        b = np.array([True, False])
        y = tosajit.evaluate("!b", b=b)
        self.assertEqual(y.dtype, np.bool_)
        np.testing.assert_array_equal(y, ~b)

    def test_unsigned_integers_are_numpys(self):
        for dtype in (np.uint8, np.uint16, np.uint32):
            most = np.iinfo(dtype).max
            some = [0, 1, 2, 3, 7, 8, 9, 31, 127, 128, 200, 254, 255, most // 2, most // 2 + 1,
                    most - 1, most]
            x = np.arange(256, dtype=dtype) if dtype == np.uint8 else np.array(some, dtype)
            y = x.reshape(-1, 1)
            with np.errstate(all="ignore"):
                for text in ("x + y", "x - y", "x * y", "x // y", "x % y", "x & y", "x | y",
                             "x ^ y", "x < y", "x >= y",
                             "x == y", "x / y", "x + 3", "x > 200", "2 * x - y", "x << (y & 7)",
                             "x >> (y & 7)"):
                    z, wanted = tosajit.evaluate(text), eval(text)
                    self.assertEqual((text, z.dtype), (text, wanted.dtype))
                    np.testing.assert_array_equal(z, wanted, text)
                for name in ("maximum", "minimum"):
                    np.testing.assert_array_equal(tosajit.evaluate(f"{name}(x, y)"),
                                                  getattr(np, name)(x, y))
                for name in ("abs", "negative", "invert", "square", "sign", "isnan"):
                    z, wanted = tosajit.evaluate(f"{name}(x)"), getattr(np, name)(x)
                    self.assertEqual((name, z.dtype), (name, wanted.dtype))
                    np.testing.assert_array_equal(z, wanted, name)
            self.assertEqual(tosajit.evaluate("max(x, axis=0)"), most if dtype != np.uint8 else 255)
            self.assertEqual(tosajit.evaluate("min(x)"), 0)

    def test_activations_have_all_floats(self):
        for dtype in (np.float16, np.float32, np.float64):
            x = np.array([-4, -3, 0, 3, 4, np.nan], dtype)
            for name in ("gelu", "hardsigmoid", "hardswish", "logsigmoid", "mish", "relu",
                         "sigmoid", "silu", "softplus", "swish"):
                self.assertEqual((name, tosajit.evaluate(f"{name}(x)").dtype), (name, dtype))
            np.testing.assert_array_equal(tosajit.evaluate("hardsigmoid(x)"),
                                          np.array([0, 0, 0.5, 1, 1, np.nan], dtype))
            np.testing.assert_array_equal(tosajit.evaluate("hardswish(x)"),
                                          np.array([0, 0, 0, 3, 4, np.nan], dtype))

    def test_views_that_no_strides_say(self):
        x, w = np.arange(32, dtype=np.float32).reshape(4, 8), np.arange(8, dtype=np.float32)
        a, b = np.arange(3.0), np.arange(4.0)
        names = {name: getattr(np, name) for name in ("reshape", "transpose", "sum", "concatenate",
                                                      "tile", "pad", "broadcast_to")}
        for text in ("reshape(transpose(x), (32,))[1:]",
                     "sum(reshape(transpose(x), (32,)), axis=0)", "(x / sum(x))[:, 1:]",
                     "sum(x, axis=1)[:, None] * w",
                     "sum(concatenate((a, b)), axis=0)", "concatenate((a, b))[1:5:2]",
                     "concatenate((a, b)) + concatenate((b, a))", "tile(x, (2, 2))",
                     "a[2:9]", "a[5:9]", "x[:99, -1:]", "reshape(concatenate((x, x), 1), (64,))",
                     "pad(tile(a, 2), 1)"):
            wanted = eval(text, dict(names, x=x, w=w, a=a, b=b))
            for _ in range(2):
                found = tosajit.evaluate(text, {}, dict(x=x, w=w, a=a, b=b))
                self.assertEqual((found.shape, found.dtype), (wanted.shape, wanted.dtype), text)
                np.testing.assert_allclose(found, wanted, rtol=1e-6)
        out = np.zeros(31, np.float32)
        self.assertIs(tosajit.evaluate("reshape(transpose(x), (32,))[1:]", {}, {"x": x}, out=out),
                      out)
        np.testing.assert_array_equal(out, x.T.reshape(32)[1:])
        for text, kind in (("a + b", tosajit.ShapeError), ("a[1:] + b", tosajit.ShapeError),
                           ("reshape(x, (5,))", ValueError), ("a[7]", IndexError)):
            for _ in range(2):  # as wrong as they were
                with self.assertRaises(kind, msg=text):
                    tosajit.evaluate(text, {}, dict(x=x, a=a, b=b))

    def test_texts_mean_the_same_where_numpy_computes_a_part(self):
        x = np.arange(6, dtype=np.float32).reshape(1, 6)
        for text, wanted in (("norm(pad(x, 2), 1)", np.linalg.norm(np.pad(x, 2), axis=1)),
                             ("norm(squeeze(x), 0)", np.linalg.norm(x[0])),
                             ("squeeze(concat(x, x, axis=1))", np.concatenate((x[0], x[0]))),
                             ("squeeze(cat(x, x, 1))", np.concatenate((x[0], x[0]))),
                             ("squeeze(pad(x, (0, 0, 2, 1)))", np.pad(x[0], (2, 1))),
                             ("squeeze(pad(x, 7, ((0, 0), (2, 1))))",
                              np.pad(x[0], (2, 1), constant_values=7)),
                             ("squeeze(broadcast_to(x, (-1, 6)))", x[0]), ("squeeze(reshape(x, 0, "
                                                                           "6)) * 2", x[0] * 2),
                             ("softmax(squeeze(x), 0)", np.exp(x[0]) / np.exp(x[0]).sum()),
                             ("squeeze(x) if 1 > 2 else 100", np.full(6, 100, np.float32)),
                             ("squeeze(permute(x, 1, 0))", x[0])):
            found = tosajit.evaluate(text, {}, {"x": x})
            self.assertEqual((found.shape, found.dtype), (wanted.shape, wanted.dtype), text)
            np.testing.assert_allclose(found, wanted, rtol=1e-5)

    def test_norms_of_all_axes(self):
        x = np.arange(24, dtype=np.float32).reshape(2, 12, 1)
        for name in ("softmax", "log_softmax", "layer_norm", "rms_norm"):
            function = getattr(tosajit.special, name)
            for axis in (None, 1, (0, 1), -1):
                wanted = tosajit.evaluate(f"{name}(x, axis={axis})", {}, {"x": x})
                np.testing.assert_allclose(tosajit.jit(lambda x: function(x, axis=axis))(x), wanted,
                                           rtol=1e-5, atol=1e-6)
            np.testing.assert_allclose(tosajit.jit(lambda x: function(x))(x), function(x, axis=-1),
                                       rtol=1e-5, atol=1e-6)

    def test_casts_of_unsigned_integers(self):
        types = {"i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64, "u8": np.uint8,
                 "u16": np.uint16,
                 "u32": np.uint32, "f16": np.float16, "f32": np.float32, "f64": np.float64}
        bits = np.concatenate([np.arange(256, dtype=np.uint64),
                               np.random.default_rng(1).integers(0, 1 << 63, 500, np.uint64)])
        for source in ("u8", "u16", "u32"):
            x = bits.astype(types[source])
            for to, dtype in types.items():
                with np.errstate(over="ignore"):
                    wanted = x.astype(dtype)
                z = tosajit.evaluate(f"{to}(x)", x=x)
                self.assertEqual(z.dtype, dtype)
                np.testing.assert_array_equal(z, wanted, f"{source} to {to}")
                if dtype not in (np.float16, np.float32, np.float64):
                    w = bits.astype(dtype)
                    np.testing.assert_array_equal(tosajit.evaluate(f"{source}(w)", w=w),
                                                  w.astype(types[source]))
                    continue
                edges = [np.nan, -np.inf, np.inf, -1, -0.5, -0.0, 0.5, 1.5, 2.5, 254.5, 255.5,
                         65534.5, 65535.5, 1e9, -1e9]
                with np.errstate(all="ignore"):
                    f = np.concatenate([np.array(edges),
                                        bits[::3].astype(np.float32) / 7]).astype(dtype)
                    limited = np.clip(np.rint(np.nan_to_num(f.astype(np.float64), posinf=2.0**40)),
                                      0, np.iinfo(x.dtype).max)
                np.testing.assert_array_equal(tosajit.evaluate(f"{source}(f)", f=f),
                                              limited.astype(x.dtype), f"{to} to {source}")

    def test_unsigned_types_meet_others_as_in_numpy(self):
        names = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "float16",
                 "float32", "float64", "bool_")
        for a in names:
            for b in ("uint8", "uint16", "uint32"):
                x, y = np.array([1, 0, 1], a), np.array([3, 200, 7], b)
                z = tosajit.evaluate("x + y")
                self.assertEqual((a, b, z.dtype), (a, b, (x + y).dtype))
                np.testing.assert_array_equal(z, x + y)

    def test_numbers_beyond_unsigned_types_are_refused(self):
        x = np.arange(4, dtype=np.uint8)
        for number in (-2, 2, 300):  # amid arrays of several types they are compared all the same
            np.testing.assert_array_equal(tosajit.evaluate("(x > a) & m", a=number, m=x < 9),
                                          x.astype(int) > number)
        for number in (-1, 256, 1.5):
            with self.assertRaisesRegex((tosajit.Error, ValueError), "no value of u8"):
                tosajit.compile("y = x + k : u8[?], u8")(x, number)
        for text in ("x + 256", "x - (-1)"):
            try:
                expected = eval(text, {"x": x})
            except OverflowError:
                with self.assertRaisesRegex(tosajit.Error, "no value of u8"):
                    tosajit.evaluate(text, x=x)
            else:  # NumPy 1 takes a wider type, and so what is left to it has that
                np.testing.assert_array_equal(tosajit.evaluate(text, x=x), expected)

    def test_reductions_of_nothing_behind_views(self):
        for dtype in (np.float16, np.float32, np.float64):
            x, y, z = np.zeros((2, 0), dtype), np.zeros((0, 5), dtype), np.zeros((0, 1), dtype)
            for _ in range(3):
                np.testing.assert_array_equal(tosajit.evaluate("norm(x, 1)[None] + sum(x, 1)"),
                                              np.zeros((1, 2), dtype))
                np.testing.assert_array_equal(tosajit.evaluate("(norm(x, 1)[None] != 0) | (norm(x, "
                                                               "1) != 0)"), np.zeros((1, 2), bool))
                self.assertEqual(tosajit.evaluate("tile(y, (2, 1)) > z").shape, (0, 5))

    def test_kept_sizes_of_1_repeat_behind_dropped_axes(self):
        for shape, axis, other in (((6, 1), 0, (4,)), ((6, 1), 0, (3, 4)), ((1, 6), 1, (5, 6)),
                                   ((2, 1, 3), (0, 2), (5, 4)), ((6, 1, 3), 0, (5, 1))):
            x, y = (np.arange(float(np.prod(shape))).reshape(shape),
                    np.arange(float(np.prod(other))).reshape(other))
            for _ in range(3):
                np.testing.assert_array_equal(tosajit.evaluate(f"y * sum(x, axis={axis}) - max(x, "
                                                               f"axis={axis})"),
                                              y * x.sum(axis=axis) - x.max(axis=axis))
                tosajit.wait()

    def test_pictures(self):
        picture = np.random.default_rng(2).integers(0, 256, (7, 31, 3), np.uint8)
        gain, offset = np.float32(1.7), np.float32(-20.25)
        wanted = np.rint(np.clip(picture.astype(np.float32) * gain + offset, 0,
                                 255)).astype(np.uint8)
        for text in ("u8(clip(f32(x) * a + b, 0, 255))", "u8(f32(x) * a + b)",
                     "u8(clip(f32(x) * 1.7 + (-20.25), 0, 255))"):
            names = {"a": gain, "b": offset} if " a " in text else {}
            z = tosajit.evaluate(text, x=picture, **names)
            self.assertEqual(z.dtype, np.uint8)
            np.testing.assert_array_equal(z, wanted, text)
        kernel = tosajit.compile("y = u8(f32(x) * 1.7 - 20.25) : u8[?,?,3]")
        kernel.wait()
        loaded = tosajit.load(kernel.to_bytes())  # a kernel image keeps the types
        self.assertEqual(loaded(picture).dtype, np.uint8)
        np.testing.assert_array_equal(loaded(picture), wanted)
        with self.assertRaisesRegex(tosajit.Error, "i8"):
            loaded(picture.view(np.int8))

    def test_reductions_drop_their_axes(self):
        for dtype in (np.int32, np.int64, np.float32, np.float64):
            x = np.arange(1, 25, dtype=dtype).reshape(2, 3, 4) % 5 + 1
            for name in ("sum", "prod", "max", "min", "mean"):
                reduce = getattr(np, name)
                for axis in (None, 0, 1, 2, -1, (0, 2)):
                    for keepdims in (False, True):
                        text = f"{name}(x * x, axis={axis}" + (", keepdims=True)" if keepdims
                                                               else ")")
                        y, expected = (tosajit.evaluate(text, x=x),
                                       reduce(x * x, axis=axis, keepdims=keepdims))
                        self.assertEqual(y.shape, np.shape(expected), text)
                        np.testing.assert_allclose(y, expected, rtol=1e-6, err_msg=text)

    def test_a_sum_along_an_axis_meets_one_of_all(self):
        x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
        for axis in (0, 1, 2, (0, 1), (0, 2)):
            for text, expected in ((f"sum(x, axis={axis}) + max(x)", x.sum(axis) + x.max()),
                                   (f"max(x) - sum(x, axis={axis})", x.max() - x.sum(axis)),
                                   (f"sum(x, axis={axis}) * 2 / sum(x)",
                                    x.sum(axis) * 2 / x.sum())):
                np.testing.assert_allclose(tosajit.evaluate(text), expected, rtol=1e-6,
                                           err_msg=text)

    def test_reductions_have_the_types_of_numpy(self):
        random = np.random.default_rng(5)
        for dtype in (np.bool_, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16,
                      np.uint32, np.float32, np.float64):
            x = random.integers(0, 2 if dtype is np.bool_ else 100, (5, 7)).astype(dtype)
            for name in ("sum", "prod", "max", "min", "mean", "var", "any", "all"):
                for axis in (None, 0, -1, (0, 1)):
                    text = f"{name}(x, axis={axis})"
                    with np.errstate(over="ignore"):
                        y, expected = tosajit.evaluate(text, x=x), getattr(np, name)(x, axis=axis)
                    self.assertEqual((y.dtype, y.shape), (expected.dtype, np.shape(expected)),
                                     f"{text} {dtype}")
                    np.testing.assert_allclose(y, expected, rtol=1e-5, err_msg=f"{text} {dtype}")
        n, y = random.integers(1, 9, (3, 4)).astype(np.uint8), random.standard_normal((3, 4))
        np.testing.assert_array_equal(tosajit.evaluate("n / sum(n, axis=-1, keepdims=True)"),
                                      n / n.sum(axis=-1, keepdims=True))
        np.testing.assert_allclose(tosajit.evaluate("sum(f * y)", f=np.float32(y), y=y),
                                   np.sum(np.float32(y) * y))
        self.assertEqual(tosajit.evaluate("softmax(n)").dtype, np.float64)
        self.assertEqual(tosajit.evaluate("layer_norm(f, y, eps=1e-5)", f=np.float32(y), y=y).dtype,
                         np.float64)

    def test_first_calls_have_the_bits_of_later_ones(self):
        x = np.random.default_rng(3).standard_normal((40, 1000)).astype(np.float32)
        for accuracy in ("exact", "reproducible"):
            engine = tosajit.Engine(accuracy=accuracy)
            for text in ("softmax(x, axis=-1)", "sum(tanh(x), axis=0)", "max(exp(x), axis=-1)",
                         "sigmoid(x)"):
                kernel = engine.compile(f"y = {text} : x: f32[?,?]")
                first = kernel(x)
                np.testing.assert_array_equal(first, kernel.wait()(x), f"{accuracy} {text}")

    def test_views(self):
        base = np.arange(48, dtype=np.float32).reshape(4, 12)
        views = (base.T, base[::-1], base[:, ::3], base[1:3, 2:9], base[:, :1], base[:0],
                 np.broadcast_to(base[:1], (4, 12)), base[::2, ::-2], np.asfortranarray(base))
        kernel = tosajit.compile("y = x * x : f32[?,?]")
        for view in views:
            np.testing.assert_array_equal(kernel(view), view * view)
            out = np.zeros_like(view)
            self.assertIs(kernel(view, out=out), out)
            np.testing.assert_array_equal(out, view * view)
        wide = np.zeros((4, 24), np.float32)
        kernel(base, out=wide[:, ::2])
        np.testing.assert_array_equal(wide[:, ::2], base * base)
        self.assertEqual(wide[:, 1::2].any(), False)

    def test_fields_of_packed_records(self):
        records = np.zeros(5, np.dtype([("tag", "i1"), ("value", "f4"), ("rest", "i1")]))
        records["value"] = np.arange(5)
        self.assertEqual(records["value"].strides, (6,))
        tosajit.evaluate("x + x", x=records["value"], out=records["value"])
        np.testing.assert_array_equal(records["value"], np.arange(5) * 2)
        self.assertFalse(records["tag"].any() or records["rest"].any())

    def test_arrays_that_are_seen_and_others_are_alike(self):
        # Arrays of NumPy's own type and dtypes are read without a buffer; these are not, and have
        # the same elements.
        class Mine(np.ndarray):
            pass

        kernel = tosajit.compile("y = x - b : f32[?,?], f32[?,?]")
        for x in (np.arange(12, dtype=np.float32).reshape(3, 4),
                  np.arange(24, dtype=np.float32).reshape(3, 8)[:, ::-2],
                  np.zeros((0, 4), np.float32), np.float32(3) * np.ones((1, 1), np.float32)):
            plain = kernel(x, x[:1])
            np.testing.assert_array_equal(plain, x - x[:1])
            for other in (x.view(Mine), x.astype(np.dtype(np.float32, metadata={"unit": "m"})),
                          memoryview(x)):
                np.testing.assert_array_equal(kernel(other, x[:1]), plain)
            frozen = x.copy()
            frozen.flags.writeable = False
            np.testing.assert_array_equal(kernel(frozen, x[:1]), plain)
            with self.assertRaisesRegex(ValueError, "read-only"):
                kernel(x, x[:1], out=frozen)
        for wrong, words in ((np.zeros((3, 4)), "f64"), (np.zeros((3, 4), ">f4"), "big-endian"),
                             (np.zeros((3, 4), np.complex64), "complex64")):
            with self.assertRaisesRegex(TypeError, words):
                kernel(wrong, wrong)
        deep = np.zeros((1,) * 17, np.float32)
        with self.assertRaisesRegex(tosajit.Error, "16"):
            kernel(deep, deep)

    def test_calls_of_every_form(self):
        x, b, out = np.arange(3, dtype=np.float32), np.ones(1, np.float32), np.empty(3, np.float32)
        kernel = tosajit.compile("y = x - b : f32[?], f32[?]")
        for y in (kernel(x, b), kernel(x, b=b), kernel(b=b, x=x), kernel(*(x, b)),
                  kernel(**{"b": b, "x": x}), kernel.__call__(x, b),
                  functools.partial(kernel, b=b)(x), list(map(kernel, [x], [b]))[0],
                  kernel(x, b, out=out), kernel(out=out, b=b, x=x)):
            np.testing.assert_array_equal(y, [-1, 0, 1])
        for call, words in ((lambda: kernel(x), "'b' is missing"),
                            (lambda: kernel(x, b, b), "takes 2 operands, found 3"),
                            (lambda: kernel(x, b, x=x), "'x' is given twice"),
                            (lambda: kernel(x, c=b), "no operand 'c'")):
            with self.assertRaisesRegex(TypeError, words):
                call()

    def test_in_place_and_overlap(self):
        x = np.arange(10, dtype=np.float32)
        self.assertIs(tosajit.evaluate("x * x", x=x, out=x), x)
        np.testing.assert_array_equal(x, np.arange(10, dtype=np.float32) ** 2)
        with self.assertRaisesRegex(ValueError, "step over"):
            tosajit.evaluate("x * x", x=x, out=np.lib.stride_tricks.as_strided(x, (10,), (0,)))

    def test_results_over_a_part_of_an_operand(self):
        """By way of a copy, as NumPy does it: of what lies close together, of what lies apart, of
        dimensions that repeat."""
        add = tosajit.jit(lambda x, y: x * 2 + y)
        kernel = tosajit.compile("x * 2 + y : f32[?,?], f32[?,?]")
        everything, rows, columns = slice(None), slice(None, -1), slice(1, None)
        views = [((rows, everything), (columns, everything)),
                 ((everything, columns), (everything, rows)),
                 ((slice(None, None, -1), everything), (everything, everything)),
                 ((slice(0, 5), slice(2, 3)), (slice(1, 6), slice(2, 3))),
                 ((slice(0, 10, 2), slice(0, 10, 3)), (slice(1, 6), slice(0, 4)))]
        for dtype in (np.int8, np.int16, np.float32, np.float64):
            ways = [lambda x, y, out: tosajit.evaluate("x * 2 + y", out=out),
                    add] + [kernel] * (dtype == np.float32)
            for source, target in views:
                for way in ways:
                    for turned in (False, True):
                        x = np.arange(100).astype(dtype).reshape(10, 10)
                        x = x.T if turned else x
                        wanted = x.copy()
                        wanted[target] = wanted[source] * 2 + wanted[:1, :1]
                        self.assertIsNotNone(way(x[source], x[:1, :1], out=x[target]))
                        np.testing.assert_array_equal(x, wanted)
        start = np.random.default_rng(0).standard_normal((6, 6))
        for text in ("x + x.T", "x - x.sum(axis=0)", "x[::-1] * 2", "where(x > 0, x[:, ::-1], x.T)",
                     "x - y", "x + y.T", "sum(x[:, None] * y, axis=2)"):
            x, wanted = start.copy(), start.copy()
            wanted[...] = eval(text, {"np": np, "where": np.where, "sum": np.sum},
                               {"x": wanted, "y": wanted[::-1]})
            tosajit.evaluate(text, local_dict={"x": x, "y": x[::-1]}, out=x)
            np.testing.assert_allclose(x, wanted, rtol=1e-12, atol=1e-12)
        x, y = start.copy(), np.arange(6.0)
        wanted = x[0] * y, x[1] - y
        tosajit.evaluate("a * y; b - y", a=x[0], b=x[1], y=y, out=(x[1], x[0]))
        np.testing.assert_array_equal(x[:2], wanted[::-1])
        x, y = start.copy(), start[:, ::-1].copy()
        wanted = np.repeat(y[:1], 6, axis=0), x.copy()
        tosajit.evaluate("broadcast_to(y, (6, 6)); x", x=x, y=y[:1], out=(x, y))
        np.testing.assert_array_equal((x, y), wanted)
        sorts = tosajit.jit(lambda x, y: (np.sort(y, axis=0), x))
        wanted = np.sort(y, axis=0), x.copy()
        sorts(x, y, out=(x, y))
        np.testing.assert_array_equal((x, y), wanted)
        with self.assertRaises(TypeError):  # and nothing is written
            sorts(x, y, out=(x, np.zeros((6, 6), int)))
        np.testing.assert_array_equal(x, wanted[0])
        windows = np.lib.stride_tricks.sliding_window_view(y[0], 3)
        wanted = windows.sum(axis=1)
        tosajit.evaluate("sum(w, axis=1)", w=windows, out=y[0, :4])
        np.testing.assert_allclose(y[0, :4], wanted)
        x = np.arange(6, dtype=np.float32)
        tosajit.evaluate("x / 3", x=x[::-1].astype(int), out=x)
        self.assertEqual(tosajit.evaluate("x + 1", x=x[:0], out=x[:0]).size, 0)

    def test_results_have_numpys_order(self):
        """K: of random ranks, orders, sizes of 1 and views, of texts and of functions. Strides
        where there is one element mean nothing."""
        rng = np.random.default_rng(0)
        space = {name: getattr(np, name) for name in "abs exp sum max mean where transpose std "
                 "clip swapaxes any minimum flip squeeze take".split()}
        space["i"] = np.zeros((2, 3), np.int64, order="F")
        lines = ["a + b", "a * b + c", "(a + b) * (b - c)", "exp(a)", "a.T + 1", "a - b.T",
                 "a[1:] - a[:-1]", "a[..., ::2] * 2", "sum(a, axis=0)",
                 "max(a, axis=-1, keepdims=True)", "mean(a, axis=1)", "where(a > b, a, c)",
                 "a[None] + b", "a[..., None] * b", "transpose(a) * b",
                 "std(a, axis=0)", "a > b", "clip(a, 0, 1)", "a[::-1] + b",
                 "swapaxes(a, 0, -1) + a.sum()", "any(a > 0, axis=0)", "2 * a", "-a", "a.copy()",
                 "minimum(a, b) ** 2", "a[0] + 1", "sum(a + b, axis=(0, -1))",
                 "a - mean(a, axis=0)", "a / a.sum(axis=-1, keepdims=True)", "a[:, 0] + b",
                 "a + b, a - c", "flip(a, 0) * b", "a[:1] + b[..., :1]", "a.T * a",
                 "squeeze(a[:, :1], 1) + 1", "a.astype('f4') * b",
                 # a dimension that a reduction leaves out comes back
                 "abs(a) + sum(a, axis=1)[:, None]", "a / a.sum(axis=-1)[..., None]",
                 "max(a, axis=0)[None] - a", "sum(a, axis=0) + sum(a, axis=0, keepdims=True)",
                 "a[:, None] - a[None]", "a[:, 0][:, None] + b",
                 "squeeze(sum(a, axis=1, keepdims=True), 1) * 2",
                 "mean(a + b, axis=-1)[..., None] * a",
                 # dimensions of an index are outermost, and in C's order
                 "a[i]", "a[i] + 1", "exp(a[i] - b[i])", "a.T[i] * 2", "a[1:][i].T - 1",
                 "sum(a[i], axis=0)", "take(a, i, 0) * 2", "take(a, i, -1)", "a[:, i] + 1"]
        functions = []
        for line in lines:
            made = {}
            exec(f"def f(a, b, c):\n    return {line}", dict(space), made)
            functions.append((line, tosajit.jit(made["f"]), made["f"]))

        def array(shape):
            order = (rng.permutation(len(shape)) if rng.random() < 0.5
                     else np.arange(len(shape))[::rng.choice([1, -1])])
            made = rng.standard_normal([shape[k] for k in order]).transpose(np.argsort(order))
            made = (made[tuple([slice(None, None, rng.choice([1, -1])) for _ in shape])]
                    if rng.random() < 0.2 else made)
            return np.broadcast_to(made[:1], made.shape) if rng.random() < 0.1 else made
        found = other = 0
        for line, function, plain in functions * 30:
            sizes = [int(n) for n in rng.integers(1, 5, rng.integers(2, 5))]
            operands = [array([n if rng.random() < 0.8 else 1 for n in sizes][rng.random() < 0.2:])
                        for _ in range(3)]
            if ".astype" in line:
                operands = [np.copy(a, order="K") for a in operands]
            try:
                wanted = plain(*operands)
            except (ValueError, IndexError):
                continue
            text = line.replace(",", ";") if line == "a + b, a - c" else line
            for made in (function(*operands), tosajit.evaluate(text, local_dict=dict(zip("abci", (*operands, space["i"]))))):
                for mine, theirs in zip(*[a if type(a) is tuple else (a,) for a in (made, wanted)]):
                    strides = [[stride for n, stride in zip(np.shape(a), a.strides) if n > 1]
                               for a in (mine, theirs)]
                    self.assertEqual(np.shape(mine), np.shape(theirs), line)
                    if mine.size:
                        found += 1
                        other += not theirs.flags.c_contiguous
                        self.assertEqual(*strides,
                                         f"{line}: {[(a.shape, a.strides) for a in operands]}")
        self.assertGreater(found, 1500)
        self.assertGreater(other, 400)
        made = tosajit.evaluate("a + b", a=np.ones((3, 4), order="F"), b=np.ones((3, 4), order="F"))
        self.assertTrue(made.flags.f_contiguous and made.flags.owndata and made.flags.writeable
                        and made.base is None)
        self.assertTrue(tosajit.compile("a + a : f64[?,?]")(made).flags.c_contiguous)

    def test_wrong_arrays_are_refused(self):
        x = np.ones(3, np.float32)
        for wrong, words in ((x.astype(">f4"), "big-endian"),
                             (x.astype(object), "of object"),
                             (np.array(["a"]), "'1w'|'w'"), (np.zeros(3, "i4,f4"), "'T{"),
                             (np.longdouble([1]), "longdouble"),
                             (np.ones((1,) * 20, np.float32), "16 dimensions")):
            with self.assertRaisesRegex((tosajit.Error, ValueError), words):
                tosajit.evaluate("x + x", x=wrong)
        z = np.array([1 + 2j, 0, -3j])  # which NumPy computes
        np.testing.assert_array_equal(tosajit.evaluate("z * x + 1", z=z, x=x), z * x + 1)
        big = np.array([1, 2, 2**64 - 1], np.uint64)
        for text, wanted in (("x + x", big + big), ("x // 3 + y", big // 3 + x),
                             ("max(x)", big.max())):
            found = (tosajit.evaluate(text, x=big, y=x) if "y" in text
                     else tosajit.evaluate(text, x=big))
            self.assertEqual(found.dtype, wanted.dtype)
            np.testing.assert_array_equal(found, wanted)
        with self.assertRaises((tosajit.Error, ValueError)):
            tosajit.evaluate("x + t", x=x, t=np.array(["2020"], "M8[D]"))
        fixed = x.copy()
        fixed.flags.writeable = False
        np.testing.assert_array_equal(tosajit.evaluate("x + x", x=fixed), x + x)
        with self.assertRaisesRegex(ValueError, "result .*: the .*ndarray.* is read-only"):
            tosajit.evaluate("x + x", x=x, out=fixed)
        with self.assertRaisesRegex(tosajit.ElementTypeError, "f32.*i32|i32.*f32"):
            tosajit.evaluate("x + x", x=x, out=np.zeros(3, np.int32))

    def test_scalars_of_numpy(self):
        x = np.ones((2, 3), np.float32)
        np.testing.assert_array_equal(tosajit.evaluate("x * a", x=x, a=np.float32(2)), x * 2)
        kernel = tosajit.compile("y = x * a : f32[?,?], f32[?,?]")
        np.testing.assert_array_equal(kernel(x, np.array(3, np.float32)), x * 3)
        for a in (np.float64(3), np.float32(3), np.int64(3), np.int8(3), 3):
            y = kernel(x, a)
            self.assertEqual(y.dtype, np.float32)
            np.testing.assert_array_equal(y, x * 3)
            y = tosajit.evaluate("x * a", x=x, a=a)
            self.assertEqual(y.dtype, np.float32)
            np.testing.assert_array_equal(y, x * 3)
        np.testing.assert_array_equal(tosajit.evaluate("where(c, x, -x)", x=x, c=np.bool_(False)),
                                      -x)
        y = tosajit.evaluate("a * b", a=np.float32(2), b=np.float32(3))
        self.assertEqual((y, y.dtype), (6, np.float32))
        with self.assertRaises((tosajit.Error, ValueError)):
            kernel(x, np.complex64(3))
        self.assertEqual(tosajit.evaluate("x * a", x=x, a=np.ones((), np.float64)).dtype,
                         np.float64)

    def test_bools_are_numbers_as_in_numpy(self):
        x, y = np.array([[-1.5, 0, 2]], np.float32), np.array([1, 2, 3], np.int32)
        cases = (("x * k", {"x": x}), ("x * (1 - k)", {"x": x}), ("x + k * 0.5", {"x": x}),
                 ("k - x", {"x": x}),
                 ("x == k", {"x": x}), ("x * k + j", {"x": x, "j": True}),
                 ("x * k + n", {"x": x, "n": 7}),
                 ("(x > 0) & k", {"x": x}), ("(x > 0) ^ k", {"x": x}),
                 ("x * k", {"x": x.astype(np.float16)}),
                 ("y + k", {"y": y}), ("y & k", {"y": y}), ("y << k", {"y": y}),
                 ("y > k", {"y": y}),
                 ("y + k", {"y": y.astype(np.int64)}), ("x * k", {"x": x.astype(np.float64)}),
                 ("x * True - False", {"x": x}))
        for again in range(2):
            for k in (True, False, True):
                for text, operands in cases:
                    names = dict(operands, k=k) if "k" in text else operands
                    with np.errstate(all="ignore"):
                        expected = eval(text, {}, names)
                    found = tosajit.evaluate(text, **names)
                    self.assertEqual(found.dtype, expected.dtype, text)
                    np.testing.assert_array_equal(found, expected, text)
        for element in ("f32", "i32", "i8"):
            z = np.array([1, 2], {"f32": np.float32, "i32": np.int32, "i8": np.int8}[element])
            text = "x - y" if element != "i8" else "x ^ y"
            kernel = tosajit.compile(f"r = {text} : x {element}[?], y {element}[?]")
            np.testing.assert_array_equal(kernel(z, True), eval(text, {}, {"x": z, "y": True}))

    def test_our_arrays_are_numpys_without_a_copy(self):
        import array
        y = tosajit.evaluate("x + x", x=array.array("f", [1, 2]))
        self.assertIs(type(y), tosajit.Array)
        for seen in (np.asarray(y), np.from_dlpack(y)):
            np.testing.assert_array_equal(seen, [2, 4])
        np.asarray(y)[0] = 7
        self.assertEqual(y.tolist(), [7, 4])
        seen = np.from_dlpack(y)
        del y
        gc.collect()
        np.testing.assert_array_equal(seen, [7, 4])

    def test_dlpack_of_numpy(self):
        class Lender:  # nothing but DLPack
            def __init__(self, array):
                self.array = array

            def __dlpack__(self):
                return self.array.__dlpack__()

        x = np.arange(12, dtype=np.float32).reshape(3, 4)
        before = sys.getrefcount(x)
        for view in (x, x.T, x[:, ::2], x[::-1]):
            y = tosajit.evaluate("x + x", x=Lender(view))
            np.testing.assert_array_equal(np.asarray(y), view + view)
        del view
        self.assertEqual(sys.getrefcount(x), before)

    def test_bits_of_bfloat16(self):
        x = np.array([1.5, -2, 3], np.float32)
        bits = (x.view(np.uint32) >> 16).astype(np.uint16)
        y = tosajit.compile("y = x * x : bf16[?]")(bits)
        self.assertEqual(y.dtype, np.uint16)
        np.testing.assert_array_equal((y.astype(np.uint32) << 16).view(np.float32), x * x)

    def test_the_same_bits_as_numpy(self):
        random = np.random.default_rng(1)
        for shape_x, shape_b in (((1,), (7,)), ((3, 1, 5), (1, 4, 1)), ((64, 33), (1, 33)),
                                 ((0, 3), (1, 3))):
            x = random.standard_normal(shape_x, np.float32)
            b = random.standard_normal(shape_b, np.float32)
            np.testing.assert_array_equal(tosajit.evaluate("x * b - x", x=x, b=b), x * b - x)

    def test_nothing_is_left_after_many_calls(self):
        x = np.ones((3, 4), np.float32)
        kernel = tosajit.compile("y = x + x : f32[?,?]")
        kernel(x)
        before = sys.getrefcount(x), sys.getrefcount(np.empty), sys.getrefcount(np.dtype("f4"))
        for _ in range(100000):
            kernel(x)
        self.assertEqual((sys.getrefcount(x), sys.getrefcount(np.empty),
                          sys.getrefcount(np.dtype("f4"))), before)


if __name__ == "__main__":
    unittest.main()

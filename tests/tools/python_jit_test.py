# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tosajit.jit: functions give what they give without it, of every type and size, and change what
they change without it."""
import collections
import copy
import functools
import inspect
import os
import pickle
import subprocess
import sys
import tempfile
import types
import unittest
import warnings

import numpy as np

import tosajit

SCALE, TABLE, WORD = 2.5, np.arange(6, dtype=np.float32), "mean"


@tosajit.jit
def swish(x, b=0.5):
    """A docstring."""
    return x / (1 + np.exp(-(x + b)))


@tosajit.jit
def scaled(x):
    return x * SCALE + TABLE


def helper(x):
    return x * SCALE


@tosajit.jit
def by_helper(x):
    return helper(x) + 1


@tosajit.jit
def by_word(x):
    return getattr(x, WORD)(axis=0)


def arrays(*sizes, dtype=np.float32, seed=3):
    rng = np.random.default_rng(seed)
    if np.dtype(dtype).kind in "iu":
        return rng.integers(-50 if np.dtype(dtype).kind == "i" else 0, 100, sizes).astype(dtype)
    return (rng.random(sizes) > 0.5) if dtype is bool else rng.standard_normal(sizes).astype(dtype)


class Config:
    gain = 2.0


class Scaled:
    table = [1.0]

    def __init__(self):
        self.k = 1.0

    @property
    def gain(self):
        return Config.gain

    def apply(self, x):
        return x * FACTOR * self.k

    def first(self, x):
        return x * Scaled.table[0]


FACTOR, OBJECT = 2.0, Scaled()


def marked():
    """A function with an attribute."""


def times(x):
    return x * FACTOR


def by_default(x, function=times):
    return function(x)


def by_array(x):
    return x * ARRAY


class Meta(type):
    @property
    def gain(cls):
        return FACTOR


class Builder:
    def __call__(self, x):
        return x * FACTOR


PARTIAL, TABLES, ARRAY = functools.partial(times), {"f": times}, np.ones(1)


def of_float(k):
    return 1 if isinstance(k, float) else 2


class Jit(unittest.TestCase):
    def same(self, found, wanted, what=""):
        if isinstance(wanted, (tuple, list)):
            self.assertIs(type(found), type(wanted), what)
            self.assertEqual(len(found), len(wanted), what)
            for f, w in zip(found, wanted):
                self.same(f, w, what)
        elif isinstance(wanted, dict):
            self.assertEqual(list(found), list(wanted))
            for key in wanted:
                self.same(found[key], wanted[key], what)
        elif isinstance(wanted, (np.ndarray, np.generic)):
            self.assertEqual((type(found), found.dtype, found.shape),
                             (type(wanted), wanted.dtype, wanted.shape), what)
            close = {"float16": 4e-3, "float32": 3e-6}.get(wanted.dtype.name, 1e-11)
            if wanted.dtype.kind == "f":
                np.testing.assert_allclose(found, wanted, close, close, err_msg=what)
            else:
                np.testing.assert_array_equal(found, wanted, what)
        else:
            self.assertEqual((type(found), found), (type(wanted), wanted), what)

    def check(self, function, *args, kernels=1, what="", **keywords):
        """Twice, and its operands afterwards; as many kernels; None: any number."""
        jitted = tosajit.jit(function)
        for _ in range(2):
            mine, theirs = copy.deepcopy((args, keywords)), copy.deepcopy((args, keywords))
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    wanted = function(*theirs[0], **theirs[1])
                except Exception as error:
                    with self.assertRaises(type(error), msg=what):
                        jitted(*mine[0], **mine[1])
                    continue
                self.same(jitted(*mine[0], **mine[1]), wanted, what)
            self.same(list(mine[0]), list(theirs[0]), what)
        if kernels is not None:
            self.assertEqual(len(jitted.kernels), kernels,
                             f"{what} {[t.why for _, t in jitted.made]}")
        return jitted

    # --------------------------------------------------------------------------------------------
    # What a function is

    def test_a_function_stays_one(self):
        self.assertEqual((swish.__name__, swish.__doc__, swish.__module__),
                         ("swish", "A docstring.", __name__))
        import inspect
        self.assertEqual(str(inspect.signature(swish)), "(x, b=0.5)")
        x = arrays(3, 4)
        for found in (swish(x), swish(x, 0.5), swish(x=x), swish(b=0.5, x=x)):
            self.same(found, swish.__wrapped__(x))
        with self.assertRaisesRegex(TypeError, "missing"):
            swish()
        with self.assertRaisesRegex(TypeError, "unexpected|multiple"):
            swish(x, c=3)

    def test_options(self):
        x = arrays(100)
        exact = tosajit.jit(accuracy="exact", threads=2)(swish.__wrapped__)
        np.testing.assert_allclose(exact(x), swish(x), 1e-6)
        self.assertEqual([f.engine.options["accuracy"] for f in (exact, swish)],
                         ["exact", "reproducible"])
        with self.assertRaisesRegex(tosajit.Error, "exact, reproducible"):
            tosajit.jit(accuracy="best")
        with self.assertRaisesRegex(TypeError, "takes a function"):
            tosajit.jit(np.sin)

    def test_out(self):
        x, out = arrays(3, 4), np.zeros((3, 4), np.float32)
        self.assertIs(swish(x, out=out), out)
        self.same(out, swish(x))
        wide = np.zeros((3, 4))
        self.assertIs(swish(x, out=wide), wide)
        self.same(wide.astype(np.float32), swish(x))
        with self.assertRaises(TypeError):
            swish(x, out=np.zeros((3, 4), int))
        with self.assertRaises(ValueError):
            swish(x, out=np.zeros((4, 4), np.float32))
        row = np.arange(10, dtype=np.float32)  # a result that overlaps an operand
        wanted = row.copy()
        wanted[1:] = swish(row[:9].copy())
        swish(row[:9], out=row[1:])
        self.same(row, wanted)
        two = tosajit.jit(lambda a: (a + 1, a * 2))
        outs = np.zeros_like(x), np.zeros_like(x)
        self.assertIs(two(x, out=outs), outs)
        self.same(outs, (x + 1, x * 2))

    def test_pickles(self):
        self.assertIs(pickle.loads(pickle.dumps(swish)), swish)
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "mine.py"), "w") as file:
                file.write("import tosajit\n@tosajit.jit\ndef f(x):\n    return x * 2\n")
            code = ("import mine, pickle, numpy; "
                    "print(pickle.loads(pickle.dumps(mine.f))(numpy.ones(2)))")
            told = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=True,
                                  env={**os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(tosajit.__file__))})
            self.assertEqual(told.stdout.strip(), "[2. 2.]")

    def test_methods(self):
        class Model:
            def __init__(self):
                self.w, self.scale, self.calls = arrays(4), 2.0, 0

            @tosajit.jit
            def run(self, x):
                return x * self.w * self.scale

            @tosajit.jit
            def note(self, x):
                self.calls += 1
                return x + self.calls

            @staticmethod
            @tosajit.jit
            def twice(x):
                return x * 2

        model, x = Model(), arrays(3, 4)
        self.same(model.run(x), x * model.w * 2.0)
        model.scale, model.w = 3.0, arrays(4, seed=9)
        self.same(model.run(x), x * model.w * 3.0)
        self.assertEqual(len(Model.run.kernels), 1)
        self.same(model.note(x), x + 1)
        self.same(model.note(x), x + 2)
        self.assertEqual(model.calls, 2)
        self.same(Model.twice(x), x * 2)

    def test_little_stack(self):
        code = """if True:
            import threading, numpy as np, tosajit
            f = tosajit.jit(lambda x, n: np.stack([np.clip(np.sort(x * n).mean(axis=0), None, 3), x.sum(axis=0) ** 2]))
            x, found = np.ones((3, 4)), []
            threading.stack_size(128 * 1024)
            def work():
                for _ in range(3):
                    found.append(f(x, 2))
                found.append(tosajit.evaluate("np.sort(x).mean(axis=0) + 1", x=x))
            thread = threading.Thread(target=work)
            thread.start()
            thread.join()
            assert len(found) == 4 and (found[0] == [[2] * 4, [9] * 4]).all(), found
        """
        told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        self.assertEqual((told.returncode, told.stderr), (0, ""))

    def test_functions_within_functions(self):
        self.check(lambda x: swish(x) * swish(x, 1.0) + 1, arrays(3, 4))

    # --------------------------------------------------------------------------------------------
    # Operands

    def in_turn(self, function, *calls):
        """One call after the other, of other sizes or numbers, as without jit, exceptions and
        changed operands included."""
        made = tosajit.jit(function)
        for given in calls:
            found = []
            for one in (made, function):
                own = [a.copy() if isinstance(a, np.ndarray) else a for a in given]
                try:
                    found.append((one(*own), *own))
                except Exception as error:
                    found.append(type(error))
            if isinstance(found[1], type):
                self.assertIs(*found)
            else:
                self.same(*found, (function.__name__, given))

    def test_a_trace_takes_the_way_of_each_call(self):
        def kind(x, k):
            return x + k if isinstance(k, float) else x - k

        def helped(x, k):
            return x * of_float(k)

        def truth(x, k):
            return x + 1 if k is True else x

        def caught(x):
            try:
                n = int(x.max())
            except (TypeError, ValueError):
                n = 0
            return x + n

        def anything(x):
            try:
                return x + x[10]
            except:  # noqa
                return x

        def refused(x):
            try:
                return x.reshape(2, 3)
            except ValueError:
                return x * 2

        x = np.arange(6) - 2.0
        for function in (kind, helped, truth):
            self.in_turn(function, (x, 1.0), (x, 1), (x, True), (x, 2.0))
        for function in (caught, anything, refused):
            self.in_turn(function, (x,), (np.arange(16.0),), (x,))

    def test_targets_have_their_own_sizes(self):
        def whole(x):
            made = np.zeros(6)
            made[:] = x
            return made

        def out(x):
            made = np.empty(6)
            np.add(x, x, out=made)
            return made

        def operand(x, y):
            y[...] = x * 2
            return y.sum()

        def masked(x, y):
            x = x + 0
            x[y > 0] = 7
            return x

        def wide(x):
            return np.broadcast_to(x, (3, 6)) * 1

        def flat(x):
            return x.reshape(6) * 2

        x, one = np.arange(6) - 2.0, np.ones(1)
        for function in (whole, out, wide, flat):
            self.in_turn(function, (x,), (one,), (np.ones(5),), (x,))
        for function in (operand, masked):
            self.in_turn(function, (x, x), (one, x), (x, one), (np.ones(5), x))

    def test_attributes_of_classes_are_those_of_the_call(self):
        x, by_global, by_argument = (np.arange(3.0), tosajit.jit(lambda x: x * Config.gain),
                                     tosajit.jit(lambda x, c: x * c.gain))
        for Config.gain in (2.0, 10.0, 3.0):
            self.same(by_global(x), x * Config.gain)
            self.same(by_argument(x, Config), x * Config.gain)

    def test_what_no_name_says_is_that_of_the_call(self):
        x, own = np.arange(3.0), sys.modules[__name__]
        functions = (lambda x, f: f(x), lambda x, f: PARTIAL(x), lambda x, f: TABLES["f"](x), lambda x, f: by_default(x),
                     lambda x, f: x * getattr(sys.modules[__name__], "FACTOR"), lambda x, f: x * Meta("made", (), {}).gain, lambda x, f: Builder()(x),
                     lambda x, f: by_array(x), lambda x, f: x * sys.getrecursionlimit())
        made, before = [tosajit.jit(function) for function in functions], sys.getrecursionlimit()
        for own.FACTOR in (3.0, 4.0):
            own.ARRAY[0] = FACTOR
            sys.setrecursionlimit(before + int(FACTOR))
            for function, written in zip(made, functions):
                self.same(function(x, times), written(x, times), written.__code__.co_names)
        sys.setrecursionlimit(before)
        self.assertEqual(len(made[7].kernels), 1)  # of which the array is an operand

    def test_functions_may_be_others_later(self):
        def given(x, k=2, *, n=3):
            return x * k + n

        x, function = np.arange(3.0), tosajit.jit(lambda x: given(x))
        self.same(function(x), x * 2 + 3)
        given.__defaults__ = (5,)
        self.same(function(x), x * 5 + 3)
        given.__kwdefaults__["n"] = 4
        self.same(function(x), x * 5 + 4)
        given.__kwdefaults__ = {"n": 6}
        self.same(function(x), x * 5 + 6)
        given.__code__ = (lambda x, k=2, *, n=3: x - k - n).__code__
        self.same(function(x), x - 11)

    def test_what_nobody_reads_may_raise(self):
        def number(x, k):
            x + k
            return x * 1

        def sizes(x, y):
            x + y
            return x * 2

        def element(x):
            x[2]
            return x * 2

        def local(x, y):
            z = x[1:] * 1
            z += y
            return z

        one, x = np.ones(1), np.ones(3)
        self.in_turn(number, (np.ones(3, np.int8), 3), (np.ones(3, np.int8), 300),
                     (np.ones(3, np.int8), 4))
        self.in_turn(element, (x,), (np.ones(2),), (np.ones(5),))
        for function in (sizes, local):
            self.in_turn(function, (x, x), (one, x), (x, one), (one, one), (x, np.ones(2)),
                         (np.ones(4), x), (np.ones(2), np.ones(2)))

    def test_scalars_of_numpy_decide(self):
        functions = (lambda x, k: x * 2 if k > 2 else x, lambda x, k: x * (k > 2), lambda x, k: np.where(k > 2, x, 0), lambda x, k: x[:k],
                     lambda x, k: x * float(k) if k else x, lambda x, k: x * 2 if k + 1 > 2 else x, lambda x, k: (k > 1) + (k > 0) + x)
        for function in functions:
            for kind in (np.int64, np.int8, np.float32, np.bool_, int, float):
                self.in_turn(function, *[(np.ones(4), kind(k)) for k in (3, 1, 0, 3, 2)])
        self.in_turn(lambda x, k: x / 2 if k else x * np.copysign(1.0, k),
                     *[(np.ones(3), k) for k in (0.0, -0.0, np.float32(0), np.float32(-0.0))])

    def test_other_scalars_are_no_bytes(self):
        for a in (np.timedelta64(3, "s"), np.datetime64("2020-01-01"), np.bytes_(b"ab"),
                  np.timedelta64(3)):
            try:
                wanted = a + a
            except TypeError:
                continue
            self.assertEqual(tosajit.jit(lambda x: x + x)(a), wanted)
        with self.assertRaisesRegex(tosajit.ElementTypeError, "timedelta64"):
            tosajit.evaluate("x + x", x=np.timedelta64(3))

    def test_what_methods_read_is_that_of_the_call(self):
        x, own = np.arange(3.0), sys.modules[__name__]
        changes = ((own, "FACTOR", 7.0), (Config, "gain", 4.0), (marked, "by", 5.0),
                   (os.environ, "TOSAJIT_TEST_FACTOR", "3"), (Scaled.table, 0, 6.0))
        functions = (lambda x: OBJECT.apply(x), lambda x: x * OBJECT.gain, lambda x: x * marked.by,
                     lambda x: x * float(os.environ["TOSAJIT_TEST_FACTOR"]), lambda x: OBJECT.first(x), lambda x, o=OBJECT: o.apply(x) * o.gain)
        marked.by, os.environ["TOSAJIT_TEST_FACTOR"] = 1.0, "2"
        made = [tosajit.jit(function) for function in functions]
        for holder, name, other in ((None, None, None), *changes):
            if holder in (own, Config, marked):
                setattr(holder, name, other)
            elif holder is not None:
                holder[name] = other
            for one, function in zip(made, functions):
                self.same(one(x), function(x), name)

    def test_structures(self):
        Point = collections.namedtuple("Point", "x y")
        x, y = arrays(3, 4), arrays(4)
        self.check(lambda p: Point(p.x + p.y, p.x), Point(x, y))
        self.check(lambda d, *more, key="a": {"sum": d[key] + sum(more),
                                              "all": [d["b"].sum(), more]}, {"a": x, "b": y}, x,
                   2.0)
        self.check(lambda a, b: [a + b], x, y)
        self.check(lambda a: (a * 2, None, "text", 3), x)
        self.check(lambda a, how: a.sum() if how == "sum" else a.mean(), x, "sum")

    def test_more_operands_than_a_kernel_may_have(self):
        for count in (63, 64, 65, 500):
            self.check(lambda numbers: np.asarray(numbers) * 2, [float(k) for k in range(count)],
                       kernels=None)
            self.check(lambda rows: np.stack(rows) + 1, [arrays(3)] * count, kernels=None)
            self.check(eval(f"lambda {', '.join(f'a{k}' for k in range(count))}: a0 + a{count - 1}"), *[arrays(3)] * count, kernels=None)
        space = {f"a{k}": arrays(3) for k in range(100)}
        exec(f"def f(x): return {' + '.join(space)} + x", space)
        self.check(space["f"], arrays(3), kernels=None)

    def test_arguments_by_position(self):
        x = arrays(3, 4)
        for text in ("np.sum(a, 0, None, None, True)", "np.sum(a, 0, None, None, False, 5.0)",
                     "a.sum(0, None, None, True)", "np.max(a, 0, None, True)",
                     "a.max(1, None, True)", "np.mean(a, 0, None, None, True)",
                     "a.mean(0, None, None, True)", "np.std(a, 0, None, None, 1)",
                     "a.var(0, None, None, 1, True)", "np.any(a, 0, None, True)",
                     "np.nansum(a, 0, None, None, True)", "np.nanmax(a, 0, None, True)",
                     "np.clip(a, -1, 1, None)", "a.clip(-1, 1, None)", "np.round(a, 1, None)",
                     "np.stack([a, a], 0, None)", "np.ptp(a, 0, None, True)"):
            self.check(eval(f"lambda a: {text}"), x, what=text)
        self.check(lambda a: (np.sum(a, 0, None, a[0]), a), x, kernels=None)
        from tosajit._names import FUNCTIONS, OUT
        for name in FUNCTIONS:
            try:
                names = ({} if isinstance(getattr(np, name), np.ufunc)
                         else inspect.signature(getattr(np, name)).parameters)
            except (AttributeError, ValueError):
                continue  # none of NumPy's, or one that does not tell
            by_position = ("out" in names
                           and names["out"].kind is inspect.Parameter.POSITIONAL_OR_KEYWORD)
            self.assertEqual(OUT.get(name), list(names).index("out") if by_position else None, name)

    def test_arguments_that_numpy_calls_none(self):
        x, none = arrays(3, 4), np._NoValue
        self.check(lambda a: np.sum(a, axis=0, keepdims=none, initial=none, where=none), x)
        self.check(lambda a: np.max(a, keepdims=none) + np.add.reduce(a, initial=none), x)
        self.check(lambda a: np.argmax(a, keepdims=none), x, kernels=None)
        self.check(lambda a: np.mean(a, 1, None, None, none) + np.std(a, 1, None, None, 0, none), x)
        self.check(lambda a: np.sum(a, 0, None, None, none, 2.0), x, kernels=None)

    def test_which_object_an_argument_is(self):
        class Sign:
            pass

        class Settings:
            scale = 3.0
        sign, other, settings, x = Sign(), object(), Settings(), arrays(3)

        def signed(a, b=sign):
            return a + 1 if b is not sign else a * 2

        def plain(a, b=other):
            return a + 1 if b is not other else a * 2

        def known(a, b=settings):
            return a * b.scale if b is settings else a + b.scale

        def twice(a, b):
            return a * 3 if a is b else a + b

        def table(a):
            return a * 3 if a is x else a + 1
        for f in (signed, plain):
            for args in ((x,), (x, 1.0), (x, other), (x, sign)):
                self.same(tosajit.jit(f)(*args), f(*args))
            self.check(f, x)
        for args in ((x,), (x, Settings())):
            self.same(tosajit.jit(known)(*args), known(*args))
        for f, args in ((twice, (x, x)), (twice, (x, x.copy())), (table, (x,)),
                        (table, (x.copy(),))):
            self.same(tosajit.jit(f)(*args), f(*args))

    def test_what_returns_its_argument(self):
        f, x = tosajit.jit(lambda a, b: (a, a + b)), arrays(3)
        self.assertIs(f(x, x)[0], x)

    def test_numbers_that_change_compile_once(self):
        x, f = arrays(3, 4), tosajit.jit(lambda a, t, n: a * (1 - t) + a * t * 2.0 + n)
        for t, n in ((0.25, 3), (0.5, 4), (-1e3, 2**40)):
            self.same(f(x, t, n), x * (1 - t) + x * t * 2.0 + n)
        self.assertEqual(len(f.kernels), 1)

    def test_numbers_that_decide_compile_anew(self):
        def f(a, n, t):
            if t > 1:
                a = a + 1
            for _ in range(n):
                a = a * 2
            return a / t
        x, jitted = arrays(3, 4), tosajit.jit(f)
        for n, t in ((1, 2.0), (2, 2.0), (2, 0.5), (1, 2.0), (0, 3)):
            self.same(jitted(x, n, t), f(x, n, t))
        self.same(tosajit.jit(lambda a, b: a + np.sqrt(b))(x, 2.0), x + np.sqrt(2.0))
        for n in (2, 3, 2):
            self.same(tosajit.jit(lambda a, b: a ** b)(x > 0, n), (x > 0) ** n)
        zero = tosajit.jit(lambda a, b: a * np.copysign(1.0, b))
        for b in (0.0, -0.0, 0.0):
            self.same(zero(x, b), x * np.copysign(1.0, b))
        with self.assertRaises(ZeroDivisionError):
            tosajit.jit(lambda a, b: a * (1 / b))(x, 0.0)
        self.same(tosajit.jit(lambda a, b: a * (1 / b))(x, 4.0), x * 0.25)
        self.same(tosajit.jit(lambda a, n: a + (n * n) % 7)(x, 2**40), x + (2**80 % 7))

    def test_sizes(self):
        def f(a):
            return a.sum(axis=0) / a.shape[0] if len(a) > 2 else a[0]
        jitted = tosajit.jit(f)
        for n in (5, 2, 5, 7):
            self.same(jitted(arrays(n, 3)), f(arrays(n, 3)))
        self.check(lambda a: a.reshape(a.shape[0] // 2, 2, -1).max(axis=1), arrays(6, 4))
        self.check(lambda a: [a.ndim, a.size, a.dtype, a * np.float32(a.itemsize)], arrays(6, 4))
        plain = tosajit.jit(lambda a: a * 2)
        for n in (5, 2, 7):
            plain(arrays(n, 3))
        self.assertEqual(len(plain.kernels), 1)

    def test_other_types_are_numpys_or_their_own(self):
        x = arrays(3, 4)
        for dtype in (np.complex64, ">f4", object, np.longdouble):
            self.check(lambda a: a + a, x.astype(dtype), kernels=None)
        self.check(lambda a, b: a + b, x, np.float64(3))  # a scalar of NumPy has a type
        self.check(lambda a, b: a + b, x, 3)
        for a in (memoryview(x), bytearray(b"abc")):
            np.testing.assert_array_equal(tosajit.jit(lambda v: np.asarray(v) * 2)(a),
                                          np.asarray(a) * 2)

        f = tosajit.jit(lambda a, b: a * b)
        for a in (x[:, :3], np.matrix(x[:, :3]), x[:, :3],
                  np.ma.array(x[:, :3], mask=x[:, :3] > 0)):  # which have meanings of their own
            found, wanted = f(a, a), a * a
            self.assertIs(type(found), type(wanted))
            np.testing.assert_allclose(np.asarray(found), np.asarray(wanted), 1e-6)

        class Series:
            def __array__(self, dtype=None, copy=None):
                return x
        self.same(tosajit.jit(lambda s: s * 2)(Series()), x * 2)

    def test_special(self):
        import math
        from tosajit import special
        x = arrays(3, 4)
        for name in special.__all__:
            function = getattr(special, name)
            self.same(tosajit.jit(lambda a: function(a) + 0)(x), function(x), name)
        np.testing.assert_allclose(special.erf(x), np.vectorize(math.erf)(x), 1e-6)
        np.testing.assert_allclose(special.softmax(x, axis=0).sum(axis=0), np.ones(4), 1e-6)

    def test_torch(self):
        try:
            import torch
        except ImportError:
            self.skipTest("torch is not here")
        t = torch.arange(6, dtype=torch.float32).reshape(2, 3)
        with self.assertRaisesRegex(RuntimeError, "requires grad"):
            tosajit.jit(lambda a: a * 2)(t.clone().requires_grad_())
        for f in (lambda a: np.exp(a) + 1, lambda a: np.sort(a)[::-1] + 1):
            found = tosajit.jit(f)(t)
            self.assertIs(type(found), torch.Tensor)
            np.testing.assert_allclose(found.numpy(), f(t.numpy()), 1e-6)

    # --------------------------------------------------------------------------------------------
    # What surrounds a function

    def test_globals(self):
        global SCALE, TABLE, WORD
        x = arrays(4, 6)
        before = len(scaled.kernels)
        for scale in (2.5, 3.5):
            SCALE = scale
            self.same(scaled(x), x * scale + TABLE)
            self.same(by_helper(x), x * scale + 1)
        self.assertLessEqual(len(scaled.kernels) - before, 1)
        TABLE[2] = 100
        self.same(scaled(x), x * SCALE + TABLE)
        TABLE = np.ones((4, 1))
        self.same(scaled(x), x * SCALE + TABLE)
        TABLE, SCALE = np.arange(6, dtype=np.float32), 2.5
        for WORD in ("mean", "sum", "max"):
            self.same(by_word(x), getattr(x, WORD)(axis=0))
        WORD = "mean"

    def test_objects_around(self):
        class Config:
            scale, table = 1.0, [1.0, 2.0]
        config, settings, steps = Config(), {"k": 2.0, "w": np.ones(3)}, [1.0, 2.0]
        module = types.ModuleType("a_module")
        module.SCALE, module.LIST = 2.0, [1.0]

        def inner(x):
            return x * settings["k"]

        functions = [lambda x: x * settings["k"] + settings["w"], lambda x: x
                     * config.scale, lambda x: sum(x * s for s in steps), inner,
                     lambda x: inner(x) + 1, lambda x: x * module.SCALE, lambda x: x
                     * module.LIST[0], lambda x: inner(x) * config.table[0]]
        jitted, x = [tosajit.jit(f) for f in functions], np.arange(3.0)

        def check():
            for _ in range(2):
                for f, g in zip(jitted, functions):
                    self.same(f(x), g(x))
        check()
        settings["k"], config.scale, steps[1], module.SCALE, module.LIST[0] = 3.0, 5.0, 7.0, 9.0, 11.0
        check()
        settings["w"] = np.zeros((2, 3))
        steps.append(1.5)
        config.table = [4.0]
        check()
        del config.scale
        Config.scale = 13.0
        check()
        settings["w"][:] = 5
        check()
        by_argument = tosajit.jit(lambda x, f: f(x))
        k = 2.0
        multiply = lambda x: x * k
        self.same(by_argument(x, multiply), x * 2.0)
        k = 3.0
        self.same(by_argument(x, multiply), x * 3.0)
        self.same(by_argument(x, np.exp), np.exp(x))
        part = tosajit.jit(lambda x, s: x[s] * 2)
        for s in (slice(1, None), slice(None, None, 2), slice(1, None)):
            self.same(part(x, s), x[s] * 2)

    def test_closures(self):
        def outer(k, table):
            def inner(x):
                return x * k + table

            def change(n):
                nonlocal k
                k = n
            return tosajit.jit(inner), inner, change
        jitted, plain, change = outer(2.0, np.ones(4))
        x = arrays(3, 4)
        for k in (2.0, 3.0, 4):
            change(k)
            self.same(jitted(x), plain(x))
        self.assertEqual(len(jitted.kernels), 2)

    def test_what_is_another_each_time(self):
        rng = np.random.default_rng(5)
        jitted = tosajit.jit(lambda x: x + rng.standard_normal(x.shape))
        self.assertFalse((jitted(np.ones(3)) == jitted(np.ones(3))).any())
        counter = iter(range(10))
        jitted = tosajit.jit(lambda x: x + np.full(3, next(counter)))
        self.assertFalse((jitted(np.ones(3)) == jitted(np.ones(3))).any())

    def test_what_assigns_outside(self):
        count = 0

        def f(x):
            nonlocal count
            count += 1
            return x + count
        jitted = tosajit.jit(f)
        for k in (1, 2, 3):
            self.same(jitted(np.ones(2)), np.ones(2) + k)
        self.assertEqual(count, 3)

    # --------------------------------------------------------------------------------------------
    # In place

    def test_assignments(self):
        x, y, m = arrays(5, 6), arrays(5, 6, seed=8), arrays(5, 6, dtype=bool)

        def add(a, b):
            a += b
            return a * 2

        def local(a):
            b = a * 2
            b += 1
            c = b
            b *= 3
            return b + c

        def part(a, b):
            a[1:] = b[1:]
            a[:, 2] = 7
            a[0, -1] += 3
            return a.sum(axis=0)

        def made(a):
            out = np.zeros_like(a)
            out[1:] = a[1:] - a[:-1]
            out[0] = 1
            return out

        def masked(a):
            b = a.copy()
            mask = b > 0.5
            b[mask] = np.sqrt(b[mask] + 1) * 2
            b[~mask] /= 12
            return b

        def filled(a, mask):
            a[mask] = 0
            a[np.abs(a) > 1] = np.nan

        def stepped(a):
            b = a + 0
            b[::2] = 1
            b[:, [0, 2]] = -1
            return b

        def viewed(a):
            row = a[1]
            row += 1
            return a * 2

        def swapped(a):
            a[0], a[1] = a[1], a[0].copy()
            return a

        def whole(a):
            n = (a * 10).astype(int)
            n[...] = 2.7
            n[n > 100] = 1
            return n

        for f, args, kernels in ((add, (x, y), 1), (local, (x,), None), (part, (x, y), None),
                                 (made, (x,), None), (masked, (x,), 1), (filled, (x, m), 1),
                                 (stepped, (x,), None), (viewed, (x,), None), (swapped, (x,), None),
                                 (whole, (x,), 1)):
            self.check(f, *args, kernels=kernels, what=f.__name__)

    def test_views_that_numpy_makes_are_views(self):
        def later(x):
            c = x[1:100]
            x[0:2] = 7
            return c * 1

        def through(x):
            c = x[1:100]
            c[...] = 5
            return x * 1

        def backwards(x):
            c = x[100::-1]
            x[0] = 9
            return c + 0

        def diagonal(x):
            c = np.diagonal(x[:, None] * x)
            x += 1
            return c + x

        def halves(x):
            a, b = np.split(x, 2)
            x += 1
            return a + b

        def same(x):
            c = x.astype(x.dtype, copy=False)
            x += 1
            return c + 0

        def windows(x):
            c = np.lib.stride_tricks.sliding_window_view(x, 2)
            x += 1
            return c + 0

        def sorted_before(x):
            c = np.sort(x)
            c += 1
            x[0] = 3
            return c

        for function in (later, through, backwards, diagonal, halves, same, windows, sorted_before):
            jitted = tosajit.jit(function)
            for size in (6, 2, 8, 2, 6, 6, 6):  # ranges end within some and beyond others
                with self.subTest(function=function.__name__, size=size):
                    x, y = np.arange(1.0, size + 1), np.arange(1.0, size + 1)
                    np.testing.assert_array_equal(jitted(x), function(y))
                    np.testing.assert_array_equal(x, y)

    def test_new_arrays(self):
        x = arrays(6, 5)

        def made(a):
            out = np.empty(a.shape, a.dtype)
            out[0] = 1
            out[1:] = a[1:] - a[:-1]
            return out

        def summed(a):
            total = np.zeros(a.shape[1:])
            for row in a:
                total += row
            count = np.ones((2, 3), dtype=np.int32) * 2
            count[0] += 1
            return total / len(a), count

        def cast(a):
            n = np.int32(a * 10)
            return (n, np.float64(a) + 1, np.float32(2) * a, a.astype(np.float16),
                    a.dtype == np.float32, np.bool_(n))

        for f in (made, summed, cast):
            self.check(f, x, kernels=None, what=f.__name__)
        self.assertTrue(tosajit.jit(cast)(x) and self.check(cast, x, kernels=1))
        jitted = tosajit.jit(lambda a: sum(a))  # a loop of many steps is NumPy's
        self.same(jitted(np.ones(3000)), np.float64(3000.0))
        self.same(jitted(np.ones(30)), np.float64(30.0))

    def test_scans(self):
        x, n = arrays(50, 6), np.random.default_rng(3).integers(-9, 9, (40, 7))
        for f in (lambda x: np.cumsum(x, axis=0), lambda x: x.cumsum(-1) * 2, lambda x: np.cumsum(x * 2 + 1), lambda x: x.cumsum(axis=1, dtype=np.float64),
                  lambda x: np.cumprod(x / 8 + 1, 0), lambda x: np.maximum.accumulate(x), lambda x: np.minimum.accumulate(x, axis=1) - x,
                  lambda x: np.add.accumulate(x, 1), lambda x: np.logaddexp.accumulate(x, axis=1), lambda x: np.cumsum(x.T, 0) + 1,
                  lambda x: np.cumsum(np.cumsum(x, 0), 1), lambda x: np.cumsum(x.sum(axis=1)), lambda x: np.cumsum(x, axis=1)[:, ::2] + 1,
                  lambda x: np.cumsum(x > 0, axis=0), lambda x: x / np.cumsum(np.exp(x), axis=1), lambda x: np.cumulative_sum(x, axis=1)):
            if "cumulative_sum" not in f.__code__.co_names or hasattr(np, "cumulative_sum"):
                self.check(f, x, kernels=None)
                self.check(f, x.T, kernels=None)
        for type in (np.int8, np.uint8, np.int32, np.uint32, np.int64, np.uint64, np.float64):
            for f in (lambda n: np.cumsum(n, 0), lambda n: np.cumprod(n, 1)
                      + 1, lambda n: np.maximum.accumulate(n, 1), lambda n: n.cumsum()):
                self.check(f, n.astype(type), kernels=None)
        for f in (lambda x: np.cumsum(x, 2), lambda x: np.cumsum(x, -3)):
            with self.assertRaises(np.exceptions.AxisError if hasattr(np, "exceptions")
                                   else np.AxisError):
                tosajit.jit(f)(x)
        self.check(lambda x: np.cumsum(x[0, 0]) + 1, x, kernels=None)
        y = np.empty_like(x)
        tosajit.jit(lambda x, y: np.cumsum(x, axis=0, out=y))(x, y)
        np.testing.assert_allclose(y, np.cumsum(x, axis=0), rtol=1e-5, atol=1e-5)
        made = tosajit.jit(lambda x: np.cumsum(x * 2, axis=0) + 1)
        made(x)
        self.assertIn("cumsum(", made.explain(x))

    def test_elements_at_indices(self):
        """Taken in the kernel where they are an operand's, else by NumPy; errors are NumPy's."""
        x, j = arrays(50, 6), np.array([[3, -1, 0], [-50, 49, 7]])
        for i in (j[0], j, j.astype(np.int8), (np.abs(j) % 50).astype(np.uint32)):
            for f in (lambda x, i: x[i] * 2, lambda x, i: np.take(x, i, 0)
                      - 1, lambda x, i: x[:, 1:3][i] + x[0, 0], lambda x, i: x[i + 1 - 1] + 1,
                      lambda x, i: x[i][..., ::-1] + 1, lambda x, i: np.take(x, i % 6, axis=1)
                      + 1, lambda x, i: x[i] - x[i].max(axis=-1, keepdims=True)):
                made = self.check(f, x, i, kernels=None)
                self.assertIn("take(", made.explain(x, i))
        for f in (lambda x, i: (x * 2)[i] + 1, lambda x, i: np.take(x, i)
                  + 1, lambda x, i: np.take(x, i, 0, mode="clip")
                  + 1, lambda x, i: x[np.argmax(x, axis=0)] + 1):
            self.check(f, x, j, kernels=None)
        for f in (lambda x, i: x[i] + 1, lambda x, i: x[i * 1] + 1):
            made = tosajit.jit(f)
            made(x, j)
            for wrong in (50, -51, 2**31, -2**63):
                with self.assertRaisesRegex(IndexError, f"index {wrong} is out of bounds for axis "
                                            "0 with size 50"):
                    made(x, np.array([0, wrong]))

    def test_elements_that_are_put_at_indices(self):
        """In the order of the index, which may have one twice: of what is assigned the last stays, what is added adds up. Errors are NumPy's."""
        def added(x, i, v):
            np.add.at(x, i, v * 2)
            return x + 1

        def counted(x, i, v):
            h = np.zeros(50)
            np.add.at(h, i % 50, 1)
            return h

        def greatest(x, i, v):
            y = x - 1
            np.maximum.at(y, i, v[:, :1])
            np.minimum.at(y, i, v[0])
            return y

        def assigned(x, i, v):
            y = x * 2
            y[i] = v
            return y

        def computed(x, i, v):
            y = x * 2
            y[i] += v + 1
            return y

        def changed(x, i, v):
            x[i] += v
            x[i % 7] = 0.5

        def along(x, i, v):
            y = x + 0
            np.put_along_axis(y, i[:, None] % 6 * np.ones((1, 2), int), v[:len(i), :2], 1)
            return y
        for order in "CF":
            for count in (5, 50):
                x, i = np.array(np.round(arrays(50, 6) * 8), order=order), np.random.default_rng(count).integers(-50, 50, count)
                v = np.round(arrays(count, 6) * 8)
                for f in (added, counted, greatest, assigned, changed, computed) + ((along,) if count == 50 else ()):
                    mine, theirs, jitted = x.copy(order), x.copy(order), tosajit.jit(f)
                    for _ in range(3):
                        self.same(jitted(mine, i, v), f(theirs, i, v))
                        self.same(mine, theirs)
                    self.assertEqual("scatter" in jitted.explain(mine, i, v), f is not computed, f.__name__)
        jitted = tosajit.jit(added)
        jitted(x, i, v)
        for wrong in (50, -51, 2**31, -2**63):
            with self.assertRaisesRegex(IndexError, f"index {wrong} is out of bounds for axis 0 with size 50"):
                jitted(x, np.full(count, wrong), v)
        for f in (lambda x, i, v: np.add.at(x, i, v.astype(np.float64) / 3), lambda x, i, v: np.add.at(x, (i, i % 6), v[:, 0]), lambda x, i, v: np.add.at(x, i[:, None], 1)):
            one, other = x.astype(np.float32), x.astype(np.float32)
            tosajit.jit(f)(one, i, v)
            f(other, i, v)
            self.same(one, other)

    def test_indices_of_what_nobody_reads(self):
        """They raise as NumPy does: where no result needs an element, and where there is none to be
        taken."""
        def unused(x, i):
            x[i]
            return x * 2
        for shape in ((3, 4), (3, 0), (0, 0), (0, 4)):
            for i in ([7], [1], [-1], []):
                for f in (unused, lambda x, i: x[i] + 1, lambda x, i: x[i + 1]
                          + 1, lambda x, i: x[i.astype(np.int32)]
                          + 1, lambda x, i: np.take(x, i, axis=1) + 1,
                          lambda x, i: np.take(x, i * 2, axis=1) + 1):
                    self.check(f, np.ones(shape), np.array(i, dtype=int), kernels=None)

    def test_greatest_of_no_elements(self):
        """None, also where there would be no result."""
        for shape in ((0, 0), (3, 0), (0, 3), (2, 0, 0), (0, 2, 3)):
            for f in (lambda a: a.max(axis=-1), lambda a: a.min(axis=0), lambda a: a.argmax(axis=-1), lambda a: a.max(axis=(0, -1)), lambda a: np.max(a, axis=1, keepdims=True)):
                self.check(f, np.ones(shape), kernels=None)

    def test_assignments_to_arrays_that_overlap(self):
        def f(a, b):
            a += b
            a *= 2
        for lay in (lambda z: (z, z), lambda z: (z[1:], z[:-1]), lambda z: (z[::2], z[1::2]), lambda z: (z[::-1], z)):
            mine, theirs = np.arange(10.0), np.arange(10.0)
            tosajit.jit(f)(*lay(mine))
            f(*lay(theirs))
            self.same(mine, theirs)

    def test_functions_that_no_kernel_can_be_run_as_they_are(self):
        """Without a look at what they read in each call, which took a millisecond; a kernel is made
        when they read something else."""
        space = {"np": np, "__name__": "somebody"}
        exec("class Table:\n    f = 2.0\ndef scale(x):\n    return x * Table.f\ndef f(x, n=1):\n   "
             " return scale(x) + n", space)
        jitted, x, looks = tosajit.jit(space["f"]), arrays(3, 4), []
        from tosajit import _jit
        kept = _jit.Surroundings.__init__
        try:
            _jit.Surroundings.__init__ = (lambda self, function: looks.append(1)
                                          or kept(self, function))
            for k in range(63):
                space["Table"].f = float(k)
                self.same(jitted(x), space["f"](x))
                self.same(jitted(x, out=np.zeros_like(x)), space["f"](x))
        finally:
            _jit.Surroundings.__init__ = kept
        self.assertLess(len(looks), 20)
        space["scale"] = lambda x: x * 3
        for _ in range(600):
            self.same(jitted(x), x * 3 + 1)
        self.assertTrue(jitted.kernels)

    def test_arguments_that_numpy_refuses(self):
        """By NumPy's own errors, and where NumPy takes them, by its result."""
        x = arrays(3, 4)
        for f in (lambda a: np.diff(a, 1, -1, None), lambda a: np.diff(a, append=None), lambda a: np.diff(a, 0, -1, None), lambda a: a.any(0, None, True),
                  lambda a: a.all(0, None, True), lambda a: a.any(0, None, None, True), lambda a: np.any(a, 0, None, True), lambda a: a.max(0, None, True),
                  lambda a: a.sum(keepdims=None), lambda a: np.max(a, 0, None, "x"), lambda a: np.std(a, ddof=None), lambda a: np.var(a, correction=None),
                  lambda a: np.add(a, a, casting=None), lambda a: np.exp(a, casting="x"), lambda a: np.stack([a, a], casting="x"),
                  lambda a: np.zeros_like(a, order="x"), lambda a: np.ones_like(a, subok=None), lambda a: np.nan_to_num(a, copy="x"),
                  lambda a: np.nanstd(a, mean=None)):
            self.check(f, x, kernels=None)

    def test_results_between_calls_of_numpy_have_memory_of_their_own(self):
        def swapped(a, b):
            t = a.copy()
            a[...] = b
            b[...] = t
            return np.sort(a), b

        def kept(a, b):
            c, t = np.sort(a), a.copy()
            a += b
            return t, a, c

        def copies(a, b):
            s = np.sort(a)
            return a.copy(), s, s.copy(), s, np.diagonal(np.diag(b))
        for f in (swapped, kept, copies):
            jitted = tosajit.jit(f)
            for _ in range(2):
                mine, theirs = np.random.default_rng(0).random((2, 2, 5))
                theirs[...] = mine
                found, wanted = jitted(*mine), f(*theirs)
                self.same(found, wanted)
                self.same(mine, theirs)
        self.assertIs(found[1], found[3])
        self.assertFalse(any(np.may_share_memory(a, b) for k, a in enumerate((*found[:3], mine))
                             for b in (*found[:3], mine)[:k]))

    def test_assignments_that_raise(self):
        def f(a):
            a += 0.5
        self.check(f, np.arange(3), kernels=0)
        frozen = np.arange(3.0)
        frozen.flags.writeable = False
        with self.assertRaises(ValueError):
            tosajit.jit(f)(frozen)

    # --------------------------------------------------------------------------------------------
    # What is refused

    def test_truths_are_refused(self):
        def f(x):
            if x.sum() > 0:
                return x
            return -x
        line = f.__code__.co_firstlineno + 1
        for g, words in ((f, rf"python_jit_test.py:{line}: .*np.where"),
                         (lambda x: x * float(x[0]), "float"), (lambda x: x[0].item(), "item"),
                         (lambda x: x > 0 and x, "np.where"), (lambda x: 3 in x, "in asks"),
                         (lambda x: [v for v in x if v > 0], "np.where")):
            with self.assertRaisesRegex(tosajit.ArgumentError, words):
                tosajit.jit(g)(np.ones(3))

    def test_errors_are_numpys(self):
        x, y = arrays(3, 4), arrays(5)
        for f in (lambda a, b: a + b, lambda a, b: a.sum(axis=3), lambda a, b: a[7], lambda a, b: a.reshape(5, 5), lambda a, b: a.nothing,
                  lambda a, b: np.concatenate([a, b]), lambda a, b: a @ b, lambda a, b: a[0, 0, 0], lambda a, b: a[:0].max(), lambda a, b: a.T[9],
                  lambda a, b: ~a, lambda a, b: (a > 0) - (a > 1), lambda a, b: a.astype("nothing"), lambda a, b: np.stack([a, b]),
                  lambda a, b: 1 / 0, lambda a, b: {}["x"], lambda a, b: (a * 10).astype(int) ** -1, lambda a, b: np.transpose(a, (0, 0))):
            self.check(f, x, y, kernels=None)

    # --------------------------------------------------------------------------------------------
    # Every name of every type

    def test_every_name(self):
        from tosajit._names import FUNCTIONS
        changes = ("array", "asarray", "ascontiguousarray", "asanyarray", "require", "result_type",
                   "empty_like")
        names = [name for name in sorted(FUNCTIONS) if hasattr(np, name) and name not in changes]
        cases = kernels = 0
        for name in names:
            function = getattr(np, name)
            for dtype in (bool, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16,
                          np.uint32, np.uint64, np.float16, np.float32, np.float64):
                for shape in ((3, 4), (), (0, 4), (3, 1)):
                    a = np.asarray(arrays(*shape, dtype=dtype))
                    for k, f in enumerate((lambda x: function(x), lambda x: function(x, x), lambda x: function([x, x]), lambda x: function(x, 2),
                                           lambda x: function(x, axis=-1), lambda x: function(2.5, x))):
                        with np.errstate(all="ignore"), warnings.catch_warnings():
                            warnings.simplefilter("ignore")
                            try:
                                wanted = f(a.copy())
                            except Exception:
                                continue
                            jitted = tosajit.jit(f)
                            self.same(jitted(a.copy()), wanted,
                                      f"{name}, {np.dtype(dtype)} {shape}, case {k}")
                        cases += 1
                        kernels += bool(jitted.kernels)
        print(f"{len(names)} names, {cases} cases, {kernels} of them by kernels")
        self.assertGreater(kernels, cases * 0.6)


if __name__ == "__main__":
    unittest.main()

# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The Python package without NumPy: arrays of module array, memoryviews, DLPack made by hand,
numbers, hostile objects, leaks, threads. PYTHONPATH names the package. TOSAJIT_TEST_COMPILER=0 says
that there is no LLVM, which is tested, too; then what needs one is left out.
TOSAJIT_TEST_EMULATED=1 says that an emulator runs this, which has a thread and memory of its own,
and loses it in a fork."""
import array
import copy
import ctypes
import errno
import fractions
import gc
import inspect
import json
import os
import pickle
import random
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import tosajit

WINDOWS = os.name == "nt"
LIBRARY = (os.path.join(os.path.dirname(tosajit.__file__), "tosajit.dll") if WINDOWS
           else "libtosajit.so.0")
COMPILES = os.environ.get("TOSAJIT_TEST_COMPILER", "1") == "1"
needs_compiler = unittest.skipUnless(COMPILES, "there is no compiler")
EMULATED = os.environ.get("TOSAJIT_TEST_EMULATED", "0") == "1"
needs_own_process = unittest.skipIf(EMULATED, "an emulator has threads and memory of its own")

SILU = "y = x * sigmoid(x + b) : f32[?,?], f32[?,?]"


def floats(*values):
    return array.array("f", values)


def matrix(rows, columns, values=None, code="f"):
    values = range(rows * columns) if values is None else values
    return memoryview(array.array(code, values)).cast("B").cast(code, (rows, columns))


def processors():
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


class Calls(unittest.TestCase):
    def test_a_kernel_is_called_by_position_and_by_name(self):
        kernel = tosajit.compile("d = x - m : f32[?], f32[?]")
        x, m = floats(3, 4, 5), floats(1)
        for result in (kernel(x, m), kernel(x, m=m), kernel(m=m, x=x)):
            self.assertEqual(result.tolist(), [2, 3, 4])
        self.assertEqual([name for name, _ in kernel.operands], ["x", "m"])
        self.assertEqual(kernel.operands[0][1], "tensor<?xf32>")
        self.assertEqual(kernel.results, (("d", "tensor<?xf32>"),))
        self.assertIs(kernel.wait(), kernel)
        self.assertIs(kernel.is_native, COMPILES)

    def test_wrong_operands_are_named(self):
        kernel = tosajit.compile("d = x - m : f32[?], f32[?]")
        x = floats(3, 4, 5)
        for arguments, keywords, words in (
            ((x,), {}, "'m' is missing"),
            ((x, x, x), {}, "takes 2 operands, found 3"),
            ((x,), {"x": x}, "'x' is given twice"),
            ((x,), {"k": x}, "no operand 'k'"),
            ((), {}, "'x' is missing"),
        ):
            with self.assertRaisesRegex(TypeError, words):
                kernel(*arguments, **keywords)

    def test_shapes_broadcast(self):
        kernel = tosajit.compile("y = x + b : f32[?,?], f32[?,?]")
        y = kernel(matrix(2, 3), matrix(1, 3, (10, 20, 30)))
        self.assertEqual(y.shape, (2, 3))
        self.assertEqual(y.tolist(), [[10, 21, 32], [13, 24, 35]])
        self.assertEqual(kernel(matrix(2, 3), matrix(2, 1)).tolist(), [[0, 1, 2], [4, 5, 6]])

    def test_several_results_are_a_tuple(self):
        kernel = tosajit.compile("s = x + y; d = x - y : f32[?]")
        s, d = kernel(floats(5), floats(3))
        self.assertEqual((s.tolist(), d.tolist()), ([8], [2]))
        out = floats(0), floats(0)
        self.assertEqual(kernel(floats(5), floats(3), out=out), out)
        self.assertEqual((out[0][0], out[1][0]), (8, 2))
        for wrong in (out[0], (out[0],), out + out, [*out]):
            with self.assertRaisesRegex(ValueError, "a tuple of 2 arrays"):
                kernel(floats(5), floats(3), out=wrong)

    def test_out_is_written_and_returned(self):
        kernel = tosajit.compile("y = x + b : f32[?]")
        out = floats(0, 0)
        self.assertIs(kernel(floats(1, 2), floats(1, 1), out=out), out)
        self.assertEqual(list(out), [2, 3])
        self.assertIs(kernel(out, out, out=out), out)  # in place
        self.assertEqual(list(out), [4, 6])

    def test_views_are_not_copied(self):
        data = array.array("f", range(12))
        every_other = memoryview(data)[::2]
        backwards = memoryview(data)[::-2]
        y = tosajit.evaluate("x + b", x=every_other, b=backwards)
        self.assertEqual(y.tolist(), [11, 11, 11, 11, 11, 11])
        tosajit.evaluate("x * b", x=every_other, b=every_other, out=every_other)
        self.assertEqual(list(data), [0, 1, 4, 3, 16, 5, 36, 7, 64, 9, 100, 11])

    def test_numbers(self):
        x = floats(1, 2)
        self.assertEqual(tosajit.evaluate("x * a + c", x=x, a=2, c=0.5).tolist(), [2.5, 4.5])
        kernel = tosajit.compile("y = x * a : f32[?,?], f32[?,?]")
        self.assertEqual(kernel(matrix(1, 2), 3).tolist(), [[0, 3]])
        integers = array.array("b", [1, 2])
        self.assertEqual(tosajit.evaluate("x ^ a", x=integers, a=-128).tolist(), [-127, -126])
        for number, words in ((128, "no value of i8"), (1 << 80, "no value of i8"),
                              (0.5, "not defined for .i8, f64"), (-129, "no value of i8")):
            with self.assertRaisesRegex((ValueError, TypeError), words):
                tosajit.evaluate("x ^ a", x=integers, a=number)
        self.assertEqual(tosajit.evaluate("x + f32(y) + a", x=x, y=integers, a=1).tolist(), [3, 5])
        with self.assertRaisesRegex(tosajit.ArgumentError, "mul has no argument shift"):
            tosajit.evaluate("x + mul(f32(y), 1.0, shift=0) + a", x=x, y=integers, a=1)
        self.assertEqual(tosajit.evaluate("x + a", x=1, a=1).tolist(), 2)
        self.assertEqual(tosajit.evaluate("x + a", x=1, a=1.5).tolist(), 2.5)
        self.assertEqual(tosajit.evaluate("x + y", x=array.array("q", [1]),
                                          y=-(1 << 63)).tolist(), [1 - (1 << 63)])

    def test_a_bool_is_an_i1_or_a_number(self):
        x, y = floats(1, 2), floats(3, 4)
        for bits, expected in ((True, [1, 2]), (False, [3, 4])):
            self.assertEqual(tosajit.evaluate("select(c, x, y)", c=bits, x=x, y=y).tolist(),
                             expected)
            self.assertEqual(tosajit.evaluate("select(c, x, n)", c=bits, x=x, n=9).tolist(),
                             [1, 2] if bits else [9, 9])
            self.assertEqual(tosajit.evaluate("x * f32(c)", c=bits, x=x).tolist(),
                             [1, 2] if bits else [0, 0])
            self.assertEqual(tosajit.evaluate("!c", c=bits).tolist(), not bits)
            kernel = tosajit.compile("y = select(c, x, -x) : c i1, x f32[?]")
            self.assertEqual(kernel(bits, x).tolist(), [1, 2] if bits else [-1, -2])
        mask = memoryview(bytes((1, 0))).cast("?")
        self.assertEqual(tosajit.evaluate("m & c", m=mask, c=True).tolist(), [True, False])
        # Where neither will do, the message is about the i1 that it was.
        with self.assertRaisesRegex(tosajit.ElementTypeError, "i1"):
            tosajit.evaluate("x & c", c=True, x=x)
        for text, operands, expected in (
                ("select(c, x * d, x)", {"x": x, "d": True}, [1, 2]),
                                         ("m + c", {"m": mask}, [True, True]),
                ("x + f32(m) * c", {"x": x, "m": mask}, [2, 2]), ("x * (1 - c)", {"x": x}, [0, 0])):
            self.assertEqual(tosajit.evaluate(text, c=True, **operands).tolist(), expected)
        for text in ("x * c", "x * f32(c)", "x * True"):
            names = {"x": x, "c": True} if "c" in text else {"x": x}
            self.assertEqual(tosajit.evaluate(text, **names).tolist(), [1, 2])
        with self.assertRaisesRegex(TypeError, "operand 'd' is missing"):
            tosajit.evaluate("x * c + d", x=x, c=True)
        self.assertEqual(tosajit.evaluate("c & d", c=True, d=False).tolist(), False)
        self.assertEqual(tosajit.evaluate("c + d", c=True, d=False).tolist(), 1)

    def test_division(self):
        integers = array.array("i", (7, -7, 0))
        self.assertEqual(tosajit.evaluate("x // 2", x=integers).tolist(), [3, -4, 0])
        self.assertEqual(tosajit.evaluate("x % 2", x=integers).tolist(), [1, 1, 0])
        y = tosajit.evaluate("x / 2", x=integers)
        self.assertEqual((y.tolist(), y.dtype), ([3.5, -3.5, 0], "f64"))
        self.assertEqual(tosajit.evaluate("x // 2", x=floats(7, -7)).tolist(), [3, -4])
        self.assertEqual(tosajit.evaluate("x // 3 + 100", x=floats(1)).tolist(), [100])
        self.assertEqual(tosajit.evaluate("x # // 3", x=floats(1)).tolist(), [1])

    def test_elements_of_all_types(self):
        for code, values in (("b", (-128, 127)), ("h", (-32768, 1)), ("i", (-5, 6)), ("q", (-5, 6)),
                             ("l", (-5, 6)), ("f", (0.5, -1.5)), ("d", (0.5, -1.5))):
            x = array.array(code, values)
            text, expected = ("abs(x)", [abs(v) for v in values])
            if code in "bhql":  # abs is not defined for these
                text, expected = ("~x", [~v for v in values]) if code in "bh" else ("x + x", [
                    v + v for v in values])
            self.assertEqual(tosajit.evaluate(text, x=x).tolist(), expected)
        bits = memoryview(bytes((1, 0))).cast("?")
        self.assertEqual(tosajit.evaluate("!x", x=bits).tolist(), [False, True])
        halves = tosajit.compile("y = f16(x) : f32[?]")(floats(1.5, -2))
        self.assertEqual((halves.dtype, memoryview(halves).format), ("f16", "e"))
        self.assertEqual(halves.tolist(), [1.5, -2])
        brain = tosajit.compile("y = x + x : bf16[?]")(array.array("H", [0x3F80, 0xC000]))
        self.assertEqual((brain.dtype, memoryview(brain).tolist()), ("bf16", [0x4000, 0xC080]))
        self.assertEqual(brain.tolist(), [2, -4])

    def test_ranks_of_0_and_16(self):
        scalar = tosajit.compile("y = x + b : f32")(1, 2)
        self.assertEqual((scalar.shape, scalar.tolist(), scalar.ndim), ((), 3, 0))
        with self.assertRaises(TypeError):
            len(scalar)
        deep = memoryview(bytes(4)).cast("B").cast("f", (1,) * 16)
        self.assertEqual(tosajit.evaluate("x + x", x=deep).shape, (1,) * 16)
        with self.assertRaisesRegex(ValueError, "more than 16 dimensions"):
            tosajit.evaluate("x + x", x=memoryview(bytes(4)).cast("B").cast("f", (1,) * 17))

    def test_empty_arrays(self):
        self.assertEqual(tosajit.evaluate("x + x", x=floats()).tolist(), [])
        self.assertEqual(tosajit.evaluate("x + y", x=floats(), y=floats(1)).shape, (0,))

    def test_results_have_the_buffer_protocol(self):
        y = tosajit.evaluate("x + x", x=matrix(2, 3))
        view = memoryview(y)
        self.assertEqual((view.shape, view.strides, view.format), ((2, 3), (12, 4), "f"))
        self.assertEqual((y.nbytes, len(y), y.ndim, y.dtype), (24, 2, 2, "f32"))
        self.assertEqual(repr(y), "tosajit.Array(shape=(2, 3), dtype='f32')")
        self.assertEqual(len(bytes(y)), 24)
        view[0, 0] = 7
        self.assertEqual(y.tolist()[0][0], 7)
        with self.assertRaises(TypeError):
            tosajit.Array()
        with self.assertRaises(TypeError):
            tosajit.Kernel()


class Evaluation(unittest.TestCase):
    @needs_compiler
    def test_kernels_are_remembered_by_text_and_types(self):
        for backend in ("auto", "background"):
            engine = tosajit.Engine(backend=backend)
            for _ in range(3):
                engine.evaluate("x * x", x=floats(1))
                engine.evaluate("x * x", x=floats(1, 2, 3))
            engine.wait()
            self.assertEqual(engine.stats["compilations"], 1)
            for _ in range(2):
                engine.evaluate("x * x", x=matrix(1, 1))
                engine.evaluate("x * x", x=array.array("i", [1]))
            engine.wait()
            self.assertEqual(engine.stats["compilations"], 3)

    def test_reductions_by_name_without_numpy(self):
        x = matrix(2, 3)
        for text, shape in (("sum(x, axis=-1)", (2,)), ("max(x, axis=0)", (3,)), ("min(x)", ()),
                            ("cumsum(x, axis=1)", (2, 3))):
            self.assertEqual(tosajit.evaluate(text, x=x).shape, shape, text)
        with self.assertRaisesRegex(Exception, "axis 5 is out of bounds for array of dimension 2"):
            tosajit.evaluate("sum(x, axis=5)", x=x)

    @needs_compiler
    def test_few_columns_have_kernels_of_their_own(self):
        """Where something is reduced, and these sizes come again; the bits are those of any
        size."""
        text = "sum(x * w, axis=-1)"
        for backend in ("native", "background"):
            engine, plain = tosajit.Engine(backend=backend), tosajit.Engine(backend="precompiled")
            known = []
            for columns in (3, 3, 3, 2, 129, 1, 2, 2, 128, 128, 128):
                x, w = matrix(600, columns), floats(*range(columns))
                found = bytes(engine.evaluate(text, x=x, w=w))
                self.assertEqual(found, bytes(plain.evaluate(text, x=x, w=w)), columns)
                engine.wait()
                known.append(engine.stats["compilations"])
            # which compiles nothing for the first call
            self.assertEqual(known[-1] - known[0], 3 + (backend == "background"))
            for columns in range(2, 20):
                for _ in range(2):
                    engine.evaluate(text, x=matrix(600, columns), w=floats(*range(columns)))
            engine.wait()
            self.assertLessEqual(engine.stats["compilations"], 9)
            few = engine.stats["compilations"]
            for _ in range(3):
                engine.evaluate("sum(x, axis=-1)", x=matrix(3, 3))
                engine.evaluate("x * x + 1", x=matrix(600, 3))
            engine.wait()
            self.assertEqual(engine.stats["compilations"], few + 2)

    @needs_compiler
    def test_long_first_answers_wait_for_the_compiler(self):
        engine = tosajit.Engine()
        engine.evaluate("sum((x - y) * (x - y), axis=-1)",
                        x=memoryview(bytes(4 * 512 * 8)).cast("f", (512, 1, 8)),
                        y=memoryview(bytes(4 * 512 * 8)).cast("f", (1, 512, 8)))
        self.assertEqual(engine.stats["compilations"], 1)
        engine.evaluate("sum((x - y) * x, axis=-1)",
                        x=memoryview(bytes(4 * 64)).cast("f", (8, 1, 8)),
                        y=memoryview(bytes(4 * 64)).cast("f", (1, 8, 8)))
        self.assertEqual(engine.stats["compilations"], 1)

    def test_what_comes_once_is_not_compiled(self):
        engine = tosajit.Engine()
        if not engine.stats["precompiled"]:
            engine.evaluate("exp(x) - 1", x=floats(1))
        engine.wait()
        self.assertEqual((engine.stats["compilations"], engine.stats["precompiled"]), (0, 1))
        once = bytes(engine.evaluate("exp(x) - 1", x=floats(*range(-9, 9))))
        engine.wait()
        self.assertEqual(engine.stats["compilations"], int(COMPILES))
        self.assertEqual(bytes(engine.evaluate("exp(x) - 1", x=floats(*range(-9, 9)))), once)

    def test_the_cache_makes_room_for_others(self):
        for backend in ("auto", "background", "precompiled"):
            engine = tosajit.Engine(backend=backend, max_bytes=200000)
            for k in range(100):
                self.assertEqual(engine.evaluate(f"x + {k}", x=floats(1)).tolist(), [1 + k])
                self.assertEqual(engine.evaluate(f"x + {k}", x=floats(2)).tolist(), [2 + k])
            for k in range(16):
                x = memoryview(bytes(4)).cast("B").cast("f", (1,) * (k + 1))
                engine.evaluate("x + x", x=x)
            held = [engine.compile("y = x * x : f32[?]")]
            with self.assertRaisesRegex(tosajit.ArgumentError, "max_bytes"):
                for k in range(100):
                    held.append(engine.compile(f"y = x + {k} : f32[?]"))

    def test_what_is_remembered_has_an_end(self):
        engine = tosajit.Engine(backend="interpret")
        for k in range(1200):
            self.assertEqual(engine.evaluate(f"x + {k}", x=floats(1)).tolist(), [1 + k])
        self.assertLess(engine.stats["kernels"], 600)
        for k in range(40):
            shape = (1,) * (k % 16 + 1)
            code = "fi"[k % 2]
            x = memoryview(bytes(4)).cast("B").cast(code, shape)
            for rank in range(3):
                y = memoryview(bytes(4)).cast("B").cast(code, (1,) * rank) if rank else floats(0)
                if code == "f":
                    engine.evaluate("x + y", x=x, y=y)

    def test_wrong_names(self):
        x = floats(1)
        with self.assertRaisesRegex(TypeError, "no operand 'z'; it has .*'x', 'b'"):
            tosajit.evaluate("x + b", x=x, b=x, z=x)
        with self.assertRaisesRegex(TypeError, "'b' is missing"):
            tosajit.evaluate("x + b", x=x)
        for wrong in ((), (3,), (None,), ("x", None, None, None, "K", "safe", 1)):
            with self.assertRaises(TypeError):
                tosajit.evaluate(*wrong, x=x)
        with self.assertRaises(TypeError):
            tosajit.compile(b"x : f32")

    def test_more_operands_than_there_may_be(self):
        names = [f"x{k}" for k in range(70)]
        with self.assertRaises(tosajit.Error):
            tosajit.evaluate(" + ".join(names), **{name: floats(1) for name in names})


# The buffer protocol from the other side: exporters that answer with any fields.
class Buffer(ctypes.Structure):
    _fields_ = [("buf", ctypes.c_void_p), ("obj", ctypes.c_void_p), ("len", ctypes.c_ssize_t),
                ("itemsize", ctypes.c_ssize_t), ("readonly", ctypes.c_int),
                ("ndim", ctypes.c_int), ("format", ctypes.c_char_p), ("shape", ctypes.c_void_p),
                ("strides", ctypes.c_void_p), ("suboffsets", ctypes.c_void_p),
                ("internal", ctypes.c_void_p)]


class Slot(ctypes.Structure):
    _fields_ = [("slot", ctypes.c_int), ("function", ctypes.c_void_p)]


class Spec(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("size", ctypes.c_int), ("item_size", ctypes.c_int),
                ("flags", ctypes.c_uint), ("slots", ctypes.POINTER(Slot))]


@ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(Buffer), ctypes.c_int)
def get_buffer(exporter, buffer, flags):
    exporter.asked = flags
    for name, value in exporter.fields.items():
        setattr(buffer.contents, name, value)
    buffer.contents.obj = id(exporter)
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(exporter))
    return 0


def make_type():
    get_buffer_slot, default_and_base = 1, 1 << 18 | 1 << 10  # of typeslots.h, of object.h
    slots = (Slot * 2)(Slot(get_buffer_slot, ctypes.cast(get_buffer, ctypes.c_void_p)))
    make = ctypes.pythonapi.PyType_FromSpec
    make.restype = ctypes.py_object
    return make(ctypes.byref(Spec(b"test.Exporter", 0, 0, default_and_base, slots)))


class Exporter(make_type()):
    def __init__(self, values=(1, 2, 3, 4), shape=None, strides=None, suboffsets=None, offset=0,
                 **fields):
        self.memory = (ctypes.c_float * len(values))(*values)
        self.numbers = [list and (ctypes.c_ssize_t * len(list))(*list)
                        for list in (shape, strides, suboffsets)]
        self.fields = {name: list and ctypes.addressof(list) for name, list in
                       zip(("shape", "strides", "suboffsets"), self.numbers)}
        self.fields.update(buf=ctypes.addressof(self.memory) + offset, len=4 * len(values),
                           itemsize=4, readonly=0, ndim=1, format=b"f", internal=None)
        self.fields.update(fields)


class Buffers(unittest.TestCase):
    def test_arrays_of_ctypes(self):
        x = (ctypes.c_float * 4)(1, 2, 3, 4)
        self.assertEqual(tosajit.evaluate("x + x", x=x).tolist(), [2, 4, 6, 8])
        rows = ((ctypes.c_int16 * 3) * 2)((1, 2, 3), (4, 5, 6))
        self.assertEqual(tosajit.evaluate("x ^ 1", x=rows).tolist(), [[0, 3, 2], [5, 4, 7]])
        self.assertEqual(tosajit.evaluate("x * a", x=x, a=ctypes.c_float(2)).tolist(),
                         [2, 4, 6, 8])
        self.assertEqual(tosajit.evaluate("x + x", x=(ctypes.c_float * 0)()).tolist(), [])
        out = (ctypes.c_float * 4)()
        self.assertIs(tosajit.evaluate("x * x", x=x, out=out), out)
        self.assertEqual(list(out), [1, 4, 9, 16])
        kernel = tosajit.compile("y = x + x : f32[?]")
        self.assertEqual(kernel(x).tolist(), [2, 4, 6, 8])
        self.assertIn("operand 0", kernel.explain(x))
        for kind in (ctypes.c_bool, ctypes.c_int8, ctypes.c_int32, ctypes.c_long, ctypes.c_uint64,
                     ctypes.c_double):
            y = tosajit.evaluate("select(c, x, x)", c=True, x=(kind * 2)(1, 0))
            self.assertEqual(y.tolist(), [1, 0])

        class Pair(ctypes.Structure):
            _fields_ = [("first", ctypes.c_float), ("second", ctypes.c_float)]

        for wrong in ((Pair * 2)(), (ctypes.c_char * 2)(),
                      Pair() if WINDOWS else (ctypes.c_longdouble * 2)(), (ctypes.c_void_p * 2)(),
                      (ctypes.c_wchar * 2)(),
                      (ctypes.c_float.__ctype_be__ * 2)()):
            with self.assertRaisesRegex(tosajit.ElementTypeError, "operand x: elements of format"):
                tosajit.evaluate("x + x", x=wrong)

    def test_what_exporters_may_leave_out(self):
        for expected, exporter in (
            ([2, 4, 6, 8], Exporter()),
            ([2, 4, 6, 8], Exporter(shape=(4,))),
            ([2, 4, 6, 8], Exporter(strides=(4,))),
            ([8, 6, 4, 2], Exporter(shape=(4,), strides=(-4,), offset=12)),
            ([[2, 4], [6, 8]], Exporter(ndim=2, shape=(2, 2))),
            ([[2, 6], [4, 8]], Exporter(ndim=2, shape=(2, 2), strides=(4, 8))),
            ([[2, 4], [6, 8]], Exporter(ndim=2, shape=(2, 2), suboffsets=(-1, -1))),
            ([2, 4, 6, 8], Exporter(readonly=1, format=b"@f")),
            ([2, 4, 6, 8], Exporter(format=b"=f")),
            ([2, 4, 6, 8], Exporter(format=b"^f")),
            (2, Exporter(ndim=0, len=4)),
            ([], Exporter(len=0)),
            ([], Exporter(len=0, buf=None, shape=(0,), strides=(4,))),
        ):
            before = sys.getrefcount(exporter)
            self.assertEqual(tosajit.evaluate("x + x", x=exporter).tolist(), expected)
            self.assertEqual(sys.getrefcount(exporter), before)
        out = Exporter()
        tosajit.evaluate("x + x", x=floats(5, 6, 7, 8), out=out)
        self.assertEqual(list(out.memory), [10, 12, 14, 16])
        for format in (b">?", b"!?", b"?"):
            bits = Exporter(values=(0,), len=4, itemsize=1, format=format)
            self.assertEqual(tosajit.evaluate("!x", x=bits).tolist(), [True] * 4)

    def test_what_cannot_be_read_is_refused(self):
        for wrong, words in (
            (Exporter(ndim=2), "several dimensions, but tells no sizes"),
            (Exporter(ndim=2, shape=(2, 2), suboffsets=(0, -1)), "suboffsets"),
            (Exporter(ndim=-1), "negative number of dimensions"),
            (Exporter(ndim=17, shape=(1,) * 17), "more than 16 dimensions"),
            (Exporter(shape=(-4,)), "size"),
            (Exporter(format=None), "format 'B'"),
            (Exporter(format=b""), "format ''"),
            (Exporter(format=b">f"), "big-endian"),
            (Exporter(format=b"2f"), "format '2f'"),
            (Exporter(format=b"T{f:x:}"), "format 'T"),
            (Exporter(format=b"f", itemsize=0), "format 'f'"),
            (Exporter(format=b"f", itemsize=-4), "format 'f'"),
            (Exporter(format=b"f", itemsize=1 << 40), "format 'f'"),
            (Exporter(format=b"\xff"), "format"),
        ):
            before = sys.getrefcount(wrong)
            with self.assertRaisesRegex(tosajit.Error, words):
                tosajit.evaluate("x + x", x=wrong)
            self.assertEqual(sys.getrefcount(wrong), before)
        with self.assertRaisesRegex(ValueError, "result .*: the .*Exporter.* is read-only"):
            tosajit.evaluate("x + x", x=floats(1, 2, 3, 4), out=Exporter(readonly=1))

    def test_results_answer_to_every_flag(self):
        y = tosajit.evaluate("x + x", x=matrix(2, 3))
        row = tosajit.evaluate("x + x", x=matrix(1, 3))
        get, release = ctypes.pythonapi.PyObject_GetBuffer, ctypes.pythonapi.PyBuffer_Release
        get.argtypes = [ctypes.py_object, ctypes.POINTER(Buffer), ctypes.c_int]
        writable, format, nd, strides = 1, 4, 8, 0x10 | 8
        c, fortran, any_order, indirect = 0x20 | strides, 0x40 | strides, 0x80 | strides, 0x118
        for flags in (0, writable, format, nd, strides, c, any_order, indirect, format | indirect):
            buffer = Buffer()
            get(y, ctypes.byref(buffer), flags)
            self.assertEqual((buffer.len, buffer.itemsize), (24, 4))
            self.assertEqual(bool(buffer.shape), bool(flags & nd))
            self.assertEqual(bool(buffer.strides), flags & strides == strides)
            self.assertEqual(buffer.format, b"f" if flags & format else None)
            release(ctypes.byref(buffer))
        buffer = Buffer()
        with self.assertRaisesRegex(BufferError, "the last dimension is the innermost"):
            get(y, ctypes.byref(buffer), fortran)
        get(row, ctypes.byref(buffer), fortran)
        release(ctypes.byref(buffer))


class Errors(unittest.TestCase):
    def test_classes_and_sentences(self):
        kernel = tosajit.compile("y = x + b : f32[?], f32[?]")
        cases = (
            (lambda: kernel(floats(1, 2, 3), floats(1, 2)), tosajit.ShapeError, ValueError,
             "TOSAJIT_SHAPE_MISMATCH", "does not broadcast|3.*2|2.*3"),
            (lambda: kernel(array.array("i", [1]), floats(1)), tosajit.ElementTypeError, TypeError,
             "TOSAJIT_TYPE_MISMATCH", "i32"),
            (lambda: kernel(floats(1), floats(1), out=floats(1, 2)), tosajit.ShapeError, ValueError,
             "TOSAJIT_SHAPE_MISMATCH", "result"),
            (lambda: tosajit.compile("y = sigmoind(x) : f32[?]"), tosajit.ArgumentError, ValueError,
             "TOSAJIT_INVALID_ARGUMENT", "(?s)sigmoid.*\\^"),
            (lambda: tosajit.compile(""), tosajit.ArgumentError, ValueError, None, ""),
            (lambda: tosajit.Engine(cpu="z80"), tosajit.ArgumentError, ValueError, None, "z80"),
            (lambda: tosajit.Engine(accuracy="medium"), tosajit.ArgumentError, ValueError, None,
             "'medium' is none of exact, reproducible, contracted"),
            (lambda: tosajit.Engine(threads=0), tosajit.ArgumentError, ValueError, None, "thread"),
            (lambda: tosajit.Engine(backend="cross"), tosajit.ArgumentError, ValueError, None, ""),
        )
        for call, own, python, status, words in cases:
            with self.assertRaisesRegex(own, words) as caught:
                call()
            self.assertIsInstance(caught.exception, python)
            self.assertIsInstance(caught.exception, tosajit.Error)
            if status:
                self.assertEqual(caught.exception.status, status)

    def test_what_an_error_is_about_is_in_its_fields(self):
        def fields(call):
            with self.assertRaises(tosajit.Error) as caught:
                call()
            e = caught.exception
            return e.operation, e.operand, e.result, e.dimension, e.sizes
        kernel = tosajit.compile("y = x + b : f32[?], f32[?]")
        self.assertEqual(fields(lambda: kernel(floats(1, 2, 3), floats(1, 2))),
                         (None, 1, None, 0, (2, 3)))
        self.assertEqual(fields(lambda: kernel(array.array("i", [1]), floats(1))),
                         (None, 0, None, None, None))
        self.assertEqual(fields(lambda: kernel(floats(1), floats(1), out=floats(1, 2))),
                         (None, None, 0, 0, (2, 1)))
        self.assertEqual(fields(lambda: tosajit.compile("y = x + b : f32[2], f32[3]")),
                         ("add", 1, None, 0, (3, 2)))
        # An error of the package's own is about nothing.
        self.assertEqual(fields(lambda: tosajit.Engine(threads=0)), (None, None, None, None, None))

    def test_results_over_a_part_of_an_operand(self):
        kernel = tosajit.compile("y = x + b : f32[?], f32[?]")
        for source, target in ((slice(0, 4), slice(1, 5)), (slice(1, 5), slice(0, 4)),
                               (slice(3, None, -1), slice(0, 4)), (slice(0, 8, 2), slice(0, 4))):
            data = array.array("f", range(8))
            view, wanted = memoryview(data), list(range(8))
            wanted[target] = [x + 1 for x in wanted[source]]
            kernel(view[source], floats(1), out=view[target])
            self.assertEqual(list(data), wanted)
        two = tosajit.compile("s = x + b; d = x - b : f32[?], f32[?]")
        data = array.array("f", range(8))
        with self.assertRaisesRegex(tosajit.ShapeError, "results 0 and 1 share memory"):
            two(floats(1, 2), floats(1), out=(memoryview(data)[:2], memoryview(data)[1:3]))
        self.assertEqual(list(data), list(range(8)))

    def test_readonly_results_are_refused(self):
        kernel = tosajit.compile("y = x + b : f32[?], f32[?]")
        data = array.array("f", range(8))
        view = memoryview(data)
        with self.assertRaisesRegex(ValueError, "result y: the .*memoryview.* is read-only"):
            kernel(view[:4], floats(1), out=memoryview(bytes(16)).cast("f"))
        with self.assertRaisesRegex(ValueError, "result y"):
            kernel(view[:4], floats(1), out=3.0)
        self.assertEqual(list(data), list(range(8)))

    def test_objects_that_are_no_arrays(self):
        class Raises:
            def __dlpack__(self, **_):
                raise RuntimeError("on purpose")

        class Lies:
            def __init__(self, answer):
                self.answer = answer

            def __dlpack__(self, **_):
                return self.answer

        y = tosajit.evaluate("x + x", x=floats(1))
        used = y.__dlpack__()
        tosajit.evaluate("x + x", x=Lies(used))
        for wrong, words in ((None, "neither"), ("text", "neither"), ([1.0], "neither"),
                             ({}, "neither"), (1j, "neither"), (Lies(None), "no fresh"),
                             (Lies(3), "no fresh"), (Lies(used), "no fresh"),
                             (array.array("u", "x"), "'w'|'u'")):
            with self.assertRaisesRegex(tosajit.Error, "operand x: .*" + words):
                tosajit.evaluate("x + x", x=wrong)
        self.assertEqual(tosajit.evaluate("x + 1", x=b"ab\xff").tolist(), [98, 99, 0])
        with self.assertRaisesRegex(RuntimeError, "on purpose"):
            tosajit.evaluate("x + x", x=Raises())
        dead = memoryview(floats(1))
        dead.release()
        with self.assertRaises(ValueError):
            tosajit.evaluate("x + x", x=dead)
        with self.assertRaisesRegex(TypeError, "big-endian"):
            tosajit.evaluate("x + x", x=(ctypes.c_float.__ctype_be__ * 2)())

    def test_memory_is_refused_not_taken(self):
        kernel = tosajit.compile("y = x + b : f32[?,?], f32[?,?]")
        tall = Capsule(shape=(1 << 40, 1), strides=(0, 0))
        wide = Capsule(shape=(1, 1 << 40), strides=(0, 0))
        with self.assertRaises((MemoryError, tosajit.ShapeError)):
            kernel(tall, wide)
        self.assertEqual((tall.deleted, wide.deleted), (1, 1))


# DLPack from the other side.
class Element(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device", ctypes.c_int32), ("id", ctypes.c_int32),
                ("rank", ctypes.c_int32), ("element", Element),
                ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("offset", ctypes.c_uint64)]


class Managed(ctypes.Structure):
    _fields_ = [("tensor", Tensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class Versioned(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32),
                ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p),
                ("flags", ctypes.c_uint64), ("tensor", Tensor)]


make_capsule = ctypes.pythonapi.PyCapsule_New
make_capsule.restype = ctypes.py_object
make_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class Capsule:
    """An object with __dlpack__ and nothing else, as PyTorch's tensors are."""

    def __init__(self, values=(1.0,), shape=None, strides=None, code=2, bits=32, lanes=1, device=1,
                 version=None, flags=0, offset=0, rank=None):
        self.memory = (ctypes.c_float * len(values))(*values)
        self.shape = (ctypes.c_int64 * 20)(*(shape if shape is not None else (len(values),)))
        self.strides = (ctypes.c_int64 * 20)(*strides) if strides else None
        self.deleted = 0
        self.deleter = DELETER(self.delete)
        length = len(shape) if shape is not None else 1
        tensor = Tensor(ctypes.addressof(self.memory), device, 0, length if rank is None else rank,
                        Element(code, bits, lanes), self.shape,
                        self.strides if strides else None, offset)
        deleter = ctypes.cast(self.deleter, ctypes.c_void_p)
        self.version = version
        self.managed = (Versioned(version, 0, None, deleter, flags, tensor) if version
                        else Managed(tensor, None, deleter))

    def delete(self, _):
        self.deleted += 1

    def __dlpack__(self, *, max_version=None, **unknown):
        if max_version is not None and not self.version:
            raise TypeError("of before 1.0")
        name = b"dltensor_versioned" if self.version else b"dltensor"
        return make_capsule(ctypes.addressof(self.managed), name, None)


class DLPack(unittest.TestCase):
    def test_tensors_are_read_and_given_back(self):
        for version in (None, 1):
            x = Capsule((1, 2, 3, 4), (2, 2), version=version)
            self.assertEqual(tosajit.evaluate("x + x", x=x).tolist(), [[2, 4], [6, 8]])
            self.assertEqual(x.deleted, 1)
            transposed = Capsule((1, 2, 3, 4), (2, 2), (1, 2), version=version)
            self.assertEqual(tosajit.evaluate("x + x", x=transposed).tolist(), [[2, 6], [4, 8]])
            behind = Capsule((1, 2, 3, 4), (2,), offset=8, version=version)
            self.assertEqual(tosajit.evaluate("x + x", x=behind).tolist(), [6, 8])
            out = Capsule((0, 0), version=version)
            self.assertIs(tosajit.evaluate("x + x", x=floats(1, 2), out=out), out)
            self.assertEqual(list(out.memory), [2, 4])
            self.assertEqual(out.deleted, 1)

    def test_bfloat16_has_its_own_type(self):
        x = Capsule((0.0,), (2,), code=4, bits=16)
        ctypes.memmove(x.memory, bytes((0x80, 0x3F, 0x00, 0x40)), 4)
        y = tosajit.evaluate("x + x", x=x)
        self.assertEqual((y.dtype, y.tolist()), ("bf16", [2, 4]))

    def test_unsigned_integers_have_their_own_type(self):
        for bits, values, twice in ((8, (1, 2, 200, 255), [2, 4, 144, 254]),
                                    (16, (1, 65535), [2, 65534]),
                                    (32, ((1 << 32) - 1,), [(1 << 32) - 2]),
                                    (64, ((1 << 64) - 1,), [(1 << 64) - 2])):
            x = Capsule((0.0, 0.0), (len(values),), code=1, bits=bits)
            ctypes.memmove(x.memory, b"".join(v.to_bytes(bits // 8, "little") for v in values),
                           max(4, bits // 8))
            y = tosajit.evaluate("x + x", x=x)
            self.assertEqual((y.dtype, y.tolist()), (f"u{bits}", twice))
            self.assertEqual(memoryview(y).tolist(), twice)

    def test_what_cannot_be_used_is_refused_and_given_back(self):
        for wrong, words in (
            (Capsule(device=2), "device"),
            (Capsule(code=2, bits=8), "elements"),
            (Capsule(lanes=4), "elements"),
            (Capsule(code=5, bits=64), "elements"),
            (Capsule(code=1, bits=48), "elements"),
            (Capsule(rank=17), "16 dimensions"),
            (Capsule(rank=-1), "16 dimensions"),
            (Capsule(version=2), "DLPack"),
            (Capsule(shape=(3,), strides=(1 << 62,)), "strides"),
            (Capsule(shape=(-3,)), "size"),
        ):
            with self.assertRaisesRegex((tosajit.Error, MemoryError), words):
                tosajit.evaluate("x + x", x=wrong)
            self.assertEqual(wrong.deleted, 1, words)
        readonly = Capsule(version=1, flags=1)
        with self.assertRaisesRegex(tosajit.Error, "read-only"):
            tosajit.evaluate("x + x", x=floats(1), out=readonly)
        self.assertEqual(tosajit.evaluate("x + x", x=readonly).tolist(), [2])

    def test_results_are_lent(self):
        y = tosajit.evaluate("x + x", x=floats(1, 2))
        self.assertEqual(y.__dlpack_device__(), (1, 0))
        for keywords in ({}, {"max_version": (1, 1)},
                         {"max_version": (0, 8), "stream": None, "copy": False,
                          "dl_device": (1, 0)}):
            self.assertEqual(tosajit.evaluate("x + x", x=Lent(y.__dlpack__(**keywords))).tolist(),
                             [4, 8])
        self.assertIn("dltensor_versioned", repr(y.__dlpack__(max_version=(1, 0))))
        self.assertIn('"dltensor"', repr(y.__dlpack__()))

        class Lender:
            def __dlpack__(self, **keywords):
                return y.__dlpack__(**keywords)

        self.assertEqual(tosajit.evaluate("x + x", x=Lender()).tolist(), [4, 8])
        for wrong in ({"dl_device": (2, 0)}, {"copy": True}):
            with self.assertRaises(BufferError):
                y.__dlpack__(**wrong)
        for wrong in ({"max_version": 3}, {"dl_device": "cpu"}, {"unknown": 1}):
            with self.assertRaises(TypeError):
                y.__dlpack__(**wrong)


    def test_what_is_lent_outlives_the_array(self):
        for keywords in ({}, {"max_version": (1, 1)}):
            size = 1 << 20  # memory that goes back to the system is not there to be read
            y = tosajit.evaluate("x + x", x=memoryview(array.array("f", [1]) * size))
            capsules = [y.__dlpack__(**keywords) for _ in range(3)]
            del y
            gc.collect()
            del capsules[0]
            total = tosajit.evaluate("x + y", x=Lent(capsules[0]), y=Lent(capsules[1]))
            self.assertEqual((total.shape, total.tolist()[-1]), ((size,), 4))

    def test_consumers_give_back_without_pythons_lock(self):
        get = ctypes.pythonapi.PyCapsule_GetPointer
        get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        rename = ctypes.pythonapi.PyCapsule_SetName
        rename.argtypes = [ctypes.py_object, ctypes.c_char_p]
        y = tosajit.evaluate("x + x", x=floats(1, 2))
        capsule = y.__dlpack__()
        managed = Managed.from_address(get(capsule, b"dltensor"))
        rename(capsule, b"used_dltensor")
        give_back = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(managed.deleter)  # drops the lock
        thread = threading.Thread(target=give_back, args=(ctypes.addressof(managed),))
        thread.start()
        thread.join()
        self.assertEqual(y.tolist(), [2, 4])


class Lent:
    """A capsule, as its consumer sees it."""

    def __init__(self, capsule):
        self.capsule = capsule

    def __dlpack__(self, **_):
        return self.capsule


# Runs a text in a subinterpreter that shares the main one's lock, which is what 3.11 calls any.
SUBINTERPRETER = """
import sys
try:
    import _interpreters as s
    made, run = s.create("legacy"), s.exec
except ImportError:
    import _xxsubinterpreters as s
    made, run = s.create(isolated=False), s.run_string
failed = run(made, TEXT)
if failed: sys.exit(str(failed))
s.destroy(made)
"""


class Subinterpreters(unittest.TestCase):
    def run_in_one(self, text, then=""):
        program = f"TEXT = {text!r}\n" + SUBINTERPRETER + then
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True,
                              timeout=120)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def test_capsules_are_dropped(self):
        for keywords in ("", "max_version=(1, 1)"):
            self.assertEqual(self.run_in_one(f"""
import tosajit, array
y = tosajit.evaluate("x + x", x=array.array("f", [1, 2]))
c = y.__dlpack__({keywords})
del c
print("dropped", flush=True)
"""), "dropped\n")

    def test_graphs_are_divided(self):
        self.assertEqual(self.run_in_one("""
import tosajit
nodes = [(["a"], ["b"]), (["b"], ["c"])]
print(tosajit.partition(nodes), tosajit.partition(nodes, accepts=lambda ops: len(ops) < 2),
      flush=True)
"""), "[[0, 1]] [[0], [1]]\n")

    @needs_compiler
    def test_their_end_leaves_the_compiler_to_others(self):
        self.assertEqual(self.run_in_one("""
import tosajit, array
print(tosajit.evaluate("x * x", x=array.array("f", [3])).tolist(), flush=True)
""", """
import tosajit
print(tosajit.compile("y = exp(x) : f32[?]").wait().is_native)
"""), "[9.0]\nTrue\n")


class Graph(ctypes.Structure):
    """tosajit_graph"""

    _fields_ = [("size", ctypes.c_size_t), ("op_count", ctypes.c_int32),
                ("value_count", ctypes.c_int32), ("members", ctypes.c_void_p),
                ("operands", ctypes.c_void_p), ("first_operand", ctypes.c_void_p),
                ("producers", ctypes.c_void_p), ("kept", ctypes.c_void_p),
                ("most_ops", ctypes.c_int32), ("most_tensors", ctypes.c_int32),
                ("accepts", ctypes.c_void_p), ("context", ctypes.c_void_p),
                ("constants", ctypes.c_void_p)]


def divide_in_c(nodes, kept, constants, most_ops, most_tensors):
    """What the C API says; values are numbers from 0 on."""
    given = {value: k for k, (_, gives, _) in enumerate(nodes) for value in gives}
    used = [value for reads, gives, _ in nodes for value in (*reads, *gives)]
    count = max([*used, *kept, *constants, -1]) + 1
    first = [sum(len(reads) for reads, _, _ in nodes[:k]) for k in range(len(nodes) + 1)]
    numbers = lambda values: (ctypes.c_int32 * (len(values) + 1))(*values)
    flags = lambda values: (ctypes.c_uint8 * (len(values) + 1))(*values)
    arrays = {
        "members": flags([member for _, _, member in nodes]),
        "operands": numbers([value for reads, _, _ in nodes for value in reads]),
        "first_operand": numbers(first),
        "producers": numbers([given.get(value, -1) for value in range(count)]),
        "kept": flags([value in kept for value in range(count)]),
        "constants": flags([value in constants for value in range(count)]),
    }
    graph = Graph(size=ctypes.sizeof(Graph), op_count=len(nodes), value_count=count,
                  most_ops=most_ops, most_tensors=most_tensors)
    for name, values in arrays.items():
        setattr(graph, name, ctypes.addressof(values))
    heads = numbers([0] * len(nodes))
    # the module has loaded it already
    assert ctypes.CDLL(LIBRARY).tosajit_partition(ctypes.byref(graph), heads) == 0
    heads = list(heads)[:-1]
    return [[k for k, own in enumerate(heads) if own == head] for head in sorted(set(heads) - {-1})]


# e = exp a; m = matmul e; s = sigmoid e; r = add m, s; y = clamp r
MODEL = [(["a"], ["e"]), (["e"], ["m"], False), (["e"], ["s"]), (["m", "s"], ["r"]), (["r"], ["y"])]


class Graphs(unittest.TestCase):
    def test_regions_are_those_of_the_c_api(self):
        draw = random.Random(20261124)
        joined = 0
        for turn in range(1500):
            count = draw.randrange(1, 5)
            constants = [value for value in range(count) if draw.random() < 0.3]
            nodes, kept = [], []
            for _ in range(draw.randrange(20)):
                reads = [draw.randrange(count) for _ in range(draw.randrange(4))]
                gives = list(range(count, count + draw.choice((1, 1, 1, 2))))
                count += len(gives)
                nodes.append((reads, gives, draw.random() < 0.75))
                if draw.random() < 0.1:
                    kept.append(gives[0])
            limits = (draw.randrange(1, 6), draw.randrange(3, 9)) if turn % 2 else (0, 0)
            found = tosajit.partition(nodes, kept=kept, constants=constants, most_ops=limits[0],
                                      most_tensors=limits[1])
            self.assertEqual(found, divide_in_c(nodes, kept, constants, *limits))
            joined += sum(len(region) > 1 for region in found)
            # what a value is called has no say
            called = lambda values: [f"value {value}" for value in values]
            named = [tosajit.Node(iter(called(r)), called(g), m) for r, g, m in nodes]
            self.assertEqual(tosajit.partition(iter(named), kept=set(called(kept)),
                                               constants=tuple(called(constants)),
                                               most_ops=limits[0], most_tensors=limits[1]), found)
        self.assertGreater(joined, 500)

    def test_a_function_says_what_a_kernel_can_have(self):
        self.assertEqual(tosajit.partition([]), [])
        self.assertEqual(tosajit.partition(MODEL), [[0, 2], [3, 4]])
        views = [(*node, *([True] if len(node) == 2 else []), k > 2)
                 for k, node in enumerate(MODEL)]
        self.assertEqual(tosajit.partition(views), [[0, 2]])
        through = [
            tosajit.Node(*node[:2], k != 1, duplicated=k == 1) for k, node in enumerate(MODEL)
        ]
        self.assertEqual(tosajit.partition(through), [[0, 2, 3, 4]])
        apart = [(["x"], ["a"]), (["x"], ["b"])]
        self.assertEqual(tosajit.partition(apart), [[0], [1]])
        self.assertEqual(tosajit.partition(apart, read_once=["x"]), [[0, 1]])
        asked = []
        self.assertEqual(tosajit.partition(MODEL, accepts=asked.append), [[0], [2], [3], [4]])
        self.assertIn([3, 4], asked)
        self.assertEqual(tosajit.partition(MODEL, accepts=lambda ops: 4 not in ops or ops == [4]),
                         [[0, 2], [3], [4]])

        class Lies:
            def __bool__(self):
                raise KeyError("no answer")

        for function, error in ((lambda ops: 1 // 0, ZeroDivisionError),
                                (lambda: True, TypeError), (lambda ops: Lies(), KeyError),
                                (3, TypeError)):
            with self.assertRaises(error):
                tosajit.partition(MODEL, accepts=function)

    def test_wrong_graphs_are_refused_with_words(self):
        for nodes, keywords, words in (
            ([(["a"], ["a"])], {}, "node 0 gives 'a', which was read before"),
            ([([], ["a"]), ([], ["a"])], {}, "node 1 gives 'a', and so does node 0"),
            ([([], ["a", "a"])], {}, "node 0 gives 'a', and so does node 0"),
            ([(["b"], ["a"]), ([], ["b"])], {}, "node 1 gives 'b', which was read before"),
            ([("ab", ["c"])], {}, "what node 0 reads is 'ab', which would be a value for each"),
            ([(["a"], b"cd")], {}, "what node 0 gives is b'cd'"),
            ([(["a"],)], {}, r"node 0 is \(\['a'\],\), not \(reads, gives\) or"),
            ([7], {}, "node 0 is 7, not"),
            ([(["a"], ["b"])], {"kept": "b"}, "kept is 'b'"),
            ([(["a"], ["b"])], {"constants": "a"}, "constants is 'a'"),
            ([(["a"], ["b"])], {"read_once": "a"}, "read_once is 'a'"),
            ([(["a"], ["b"])], {"most_ops": -1}, "most_ops is -1"),
            ([(["a"], ["b"])], {"most_tensors": 65}, "most_tensors is 65"),
        ):
            with self.assertRaisesRegex(tosajit.ArgumentError, words) as caught:
                tosajit.partition(nodes, **keywords)
            self.assertEqual(caught.exception.status, "TOSAJIT_INVALID_ARGUMENT")
        for nodes in (None, 3, [([["unhashable"]], [])], [(3, 4)]):
            with self.assertRaises(TypeError):
                tosajit.partition(nodes)
        with self.assertRaises(OverflowError):
            tosajit.partition(MODEL, most_ops=1 << 40)

    def test_buffers_that_do_not_fit_are_refused(self):
        from tosajit import _tosajit

        ints = lambda *values: array.array("i", values)
        right = dict(members=b"\1",
                     views=b"\0",
                     duplicated=b"\0",
                     read_once=bytes(2),
                     operands=ints(0),
                     first_operand=ints(0, 1),
                     producers=ints(-1, 0),
                     kept=bytes(2),
                     constants=bytes(2),
                     most_ops=0,
                     most_tensors=0,
                     accepts=None,
                     regions=ints(7))
        _tosajit.partition(**right)
        self.assertEqual(right["regions"][0], 0)
        for name, value in (("members", b"\1\1"), ("views", b""), ("duplicated", b""),
                            ("read_once", b""), ("operands", ints()), ("operands", ints(0, 0)),
                            ("first_operand", ints(0)), ("first_operand", ints(0, -1)),
                            ("first_operand", ints(0, 1 << 30)), ("first_operand", ints(1, 1)),
                            ("producers", ints(-1)), ("producers", ints(-1, 5)), ("kept", bytes(1)),
                            ("constants", b""), ("regions", ints(0, 0))):
            with self.assertRaises(tosajit.ArgumentError, msg=name):
                _tosajit.partition(**{**right, name: value})
        for name, value in (("regions", bytes(4)), ("members", "1"), ("operands", None)):
            with self.assertRaises((TypeError, BufferError), msg=name):
                _tosajit.partition(**{**right, name: value})
        right["regions"].append(3)  # no buffer is held

    @needs_own_process
    def test_nothing_is_left(self):
        def fail(ops):
            raise KeyError(ops)

        def all_ways():
            tosajit.partition(MODEL, accepts=lambda ops: True)
            for wrong in (lambda: tosajit.partition(MODEL, accepts=fail),
                          lambda: tosajit.partition(MODEL, most_ops=-1)):
                try:
                    wrong()
                except (KeyError, ValueError):
                    pass

        for _ in range(3000):
            all_ways()
        gc.collect()
        counts, memory = (sys.getrefcount(fail), sys.getrefcount(None)), resident()
        for _ in range(20000):
            all_ways()
        gc.collect()
        self.assertEqual(sys.getrefcount(fail), counts[0])
        self.assertLess(abs(sys.getrefcount(None) - counts[1]), 100)
        self.assertLess(resident() - memory, 1 << 20)

    def test_threads_divide_at_once(self):
        long = [([k], [k + 1], k % 1000 != 999) for k in range(20000)]
        expected = tosajit.partition(long)
        self.assertEqual([len(region) for region in expected], [999] * 20)
        found = []
        threads = [threading.Thread(target=lambda: found.append(tosajit.partition(long)))
                   for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, [expected] * 4)


class Life(unittest.TestCase):
    @needs_own_process
    def test_nothing_is_left_after_many_calls(self):
        kernel = tosajit.compile(SILU)
        x, b = matrix(3, 4), matrix(1, 4)
        data, text = floats(1, 2), "x * x"
        out = tosajit.evaluate(text, x=data)

        def all_ways():
            kernel(x, b)
            kernel(x=x, b=b)
            tosajit.evaluate(text, x=data)
            tosajit.evaluate(text, x=data, out=out)
            tosajit.evaluate("x * a", x=Capsule(), a=2)
            for wrong in (lambda: kernel(x), lambda: kernel(x,
                                                            "no"), lambda: kernel(x, b, out=data),
                          lambda: tosajit.evaluate(text, x="no"),
                          lambda: tosajit.evaluate(text, x=data, out=b"12345678"),
                          lambda: tosajit.evaluate("x +", x=data)):
                try:
                    wrong()
                except (ValueError, TypeError):
                    pass
            memoryview(kernel(x, b)).release()
            kernel(x, b).__dlpack__()

        watched = (x, b, data, text, out, kernel, tosajit.Array)
        for _ in range(10000):  # the heap grows once, by 4 MiB, whatever is called
            all_ways()
        for _ in range(100000):
            kernel(x, b)
        gc.collect()
        counts, memory = [sys.getrefcount(w) for w in watched], resident()
        for _ in range(10000):
            all_ways()
        for _ in range(100000):
            kernel(x, b)
        gc.collect()
        self.assertEqual([sys.getrefcount(w) for w in watched], counts)
        self.assertLess(resident() - memory, 1 << 20)

    @needs_own_process
    def test_engines_and_kernels_go(self):
        memory = None
        for k in range(60):
            engine = tosajit.Engine(threads=2)
            kernel = engine.compile(SILU)
            del engine
            kernel(matrix(1, 2), matrix(1, 2))
            del kernel
            if k == 20:
                memory = resident()
        self.assertLess(resident() - memory, 16 << 20)

    def test_results_outlive_everything(self):
        engine = tosajit.Engine()
        y = engine.evaluate("x + x", x=floats(1, 2))
        view = memoryview(y)
        del engine, y
        gc.collect()
        self.assertEqual(view.tolist(), [2, 4])

    @needs_compiler
    def test_a_cache_directory_is_used(self):
        with tempfile.TemporaryDirectory() as directory:
            engine = tosajit.Engine(cache=directory)
            engine.evaluate("exp(x)", x=floats(1))
            engine.wait()
            engine = tosajit.Engine(cache=directory)
            engine.evaluate("exp(x)", x=floats(1))
            self.assertEqual(engine.stats["restored"], 1)
            kernel = engine.compile("y = x + x : f32[?]")
            path = os.path.join(directory, "sum.image")
            kernel.save(path)
            self.assertGreater(os.path.getsize(path), 100)

    @needs_compiler
    def test_images_are_kernels_again(self):
        kernel = tosajit.compile(SILU)
        x, b = matrix(2, 3), matrix(1, 3)
        expected = kernel(x, b).tolist()
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "silu.image")
            kernel.save(path)
            with open(path, "rb") as file:
                image = file.read()
            self.assertEqual(image, kernel.to_bytes())
            for source in (path, os.fsencode(path) and image, memoryview(image)):
                again = tosajit.load(source)
                self.assertEqual(again(x, b=b).tolist(), expected)
                self.assertEqual((again.operands, again.results), (kernel.operands, kernel.results))
                self.assertIs(again.text, None)
                self.assertIn("'x', 'tensor<?x?xf32>'", repr(again))
                with self.assertRaisesRegex(tosajit.ArgumentError, "came as an image"):
                    again.plan()
                self.assertIn("tosajit.Kernel", again._repr_html_())
            for call, wrong, kind, number in ((tosajit.load, "nothing", FileNotFoundError,
                                               errno.ENOENT),
                                              (kernel.save, "none/silu.image", FileNotFoundError,
                                               errno.ENOENT),
                                              (kernel.save, "silu.image/x", NotADirectoryError,
                                               errno.ENOTDIR),
                                              (kernel.save, "x" * 300, OSError,
                                               errno.ENAMETOOLONG)):
                place = os.path.join(directory, wrong)
                with self.assertRaises(kind) as caught:
                    call(place)
                self.assertEqual((caught.exception.errno, caught.exception.filename),
                                 (number, place))
            self.assertEqual(os.listdir(directory), ["silu.image"])
        for wrong in (b"", image[:50], image[:-1] + b"x"):
            with self.assertRaises(tosajit.ArgumentError):
                tosajit.load(wrong)
        with self.assertRaises(TypeError):
            tosajit.load(3)

    def test_pickle(self):
        engine = tosajit.Engine(threads=2, accuracy="exact", max_bytes=1 << 20)
        kernel = tosajit.compile(SILU)
        x, b = matrix(2, 3), matrix(1, 3)
        for module in (pickle, copy):
            through = copy.deepcopy if module is copy else lambda o: pickle.loads(pickle.dumps(o))
            self.assertEqual(through(engine).options, engine.options)
            self.assertIs(through(tosajit._engine), tosajit._engine)
            again = through(kernel)
            self.assertEqual((again.text, again.engine), (kernel.text, kernel.engine))
            self.assertEqual(again(x, b).tolist(), kernel(x, b).tolist())
        if COMPILES:
            loaded = tosajit.load(kernel.to_bytes())
            again = pickle.loads(pickle.dumps(loaded))
            self.assertEqual(again(x, b).tolist(), kernel(x, b).tolist())

    def test_what_kernels_tell(self):
        kernel = tosajit.compile(SILU)
        kernel.wait()
        self.assertEqual(kernel.computes, "compiled" if COMPILES else "precompiled")
        self.assertEqual(repr(kernel), f"<tosajit.Kernel {SILU!r}, {kernel.computes}>")
        self.assertEqual(kernel.text, SILU)
        self.assertIs(kernel.engine, tosajit._engine)
        self.assertEqual(str(inspect.signature(kernel)), "(x, b, *, out=None)")
        self.assertIn("iteration space: [?, ?]", kernel.plan())
        self.assertIn("<svg", kernel.plan("svg"))
        # the function that they read is computed once, by the first pass
        for function in ("layer_norm", "rms_norm"):
            plan = tosajit.compile(f"t = gelu(x); y = {function}(t) : f32[?,64]").plan()
            self.assertRegex(plan.partition("part 1")[0], "kept in the memory of result 0: %t ")
        self.assertEqual(len(json.loads(kernel.plan(view="json"))["parts"]), 1)
        self.assertIn("<svg", kernel._repr_html_())
        self.assertIn("iteration space [?, ?]", kernel._repr_html_())
        self.assertIn("The loops", kernel._repr_html_())
        # A page is the same as a document; what a text has of markup is text.
        self.assertIn(kernel._repr_html_(), kernel.plan("html"))
        self.assertTrue(kernel.plan("html").startswith("<!doctype html>"))
        marked = tosajit.compile("y = select(x < x, x, x) : f32[?] # <script>&").plan("html")
        self.assertIn("x &lt; x, x, x) : f32[?] # &lt;script&gt;&amp;</h1>", marked)
        self.assertNotIn("<script", marked)
        if COMPILES:
            self.assertIn("define", kernel.plan("ir"))
        with self.assertRaisesRegex(tosajit.ArgumentError,
                                    "none of text, json, svg, html, nest, ir, asm, passes"):
            kernel.plan("picture")

    def test_options_and_threads(self):
        engine = tosajit.Engine(threads=3, cache=None, cpu=None)
        self.assertEqual(engine.options, {"threads": 3, "accuracy": "reproducible", "cache": None,
                                          "cpu": None,
                                          "backend": "background", "max_bytes": 0})
        engine.evaluate("x + x", x=floats(1))
        engine.threads = 1
        self.assertEqual((engine.threads, engine.stats["kernels"]), (1, 0))
        self.assertEqual(engine.evaluate("x + x", x=floats(1)).tolist(), [2])
        for wrong in (0, -1, "2", None):
            with self.assertRaises((ValueError, TypeError)):
                engine.threads = wrong
        with self.assertRaises(TypeError):
            engine.threads = 1.5
        with self.assertRaises(ValueError):
            del engine.threads
        before = tosajit.get_num_threads()
        self.assertEqual(before, processors())
        with tosajit.threadpool_limits(1):
            self.assertEqual(tosajit.get_num_threads(), 1)
            self.assertEqual(tosajit.evaluate("x + x", x=floats(1)).tolist(), [2])
        self.assertEqual(tosajit.set_num_threads(before), before)
        for asked, expected in (("1", 1), ("1,2", 1), ("0", before), ("x", before),
                                ("9999", before)):
            done = subprocess.run([sys.executable, "-c",
                                   "import tosajit; print(tosajit.get_num_threads())"],
                                  env=dict(os.environ, OMP_NUM_THREADS=asked), capture_output=True,
                                  text=True)
            self.assertEqual(done.stdout, f"{expected}\n", done.stderr)

    @needs_own_process
    def test_nothing_begins_before_the_first_use(self):
        done = subprocess.run([sys.executable, "-c", "import tosajit, os\n"
                               "print(len(os.listdir('/proc/self/task')))"], capture_output=True,
                              text=True)
        self.assertEqual((done.stdout, done.stderr), ("1\n", ""))

    @needs_own_process
    def test_a_first_result_waits_for_no_compiler(self):
        program = """
import tosajit, array, os
def loaded(): return any("libLLVM" in line or "codegen" in line for line in open("/proc/self/maps"))
def tasks(): return len(os.listdir("/proc/self/task"))
with tosajit.threadpool_limits(1):
    for text in ("exp(x)", "x * tanh(x + 1)", "x // 3", "sinh(x)"):
        tosajit.evaluate(text, x=array.array("f", [1, 2]))
    print(loaded(), tasks())
    tosajit.evaluate("exp(x)", x=array.array("f", [1, 2]))
    tosajit.wait()
    print(loaded(), tasks())
"""
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
        self.assertEqual((done.stdout, done.stderr), (f"False 1\n{COMPILES} 2\n", ""))

    @needs_own_process
    def test_a_forked_process_computes_and_compiles(self):
        text = "exp(x) * 2"
        before = [tosajit.evaluate(text, x=floats(0, 1)).tolist() for _ in range(3)][0]
        kernel = tosajit.compile("y = tanh(x) : f32[?]").wait()
        large = memoryview(array.array("f", [0.5]) * (1 << 20))
        tosajit.evaluate(text, x=large)
        reader, writer = os.pipe()
        child = os.fork()
        if not child:
            status = 1
            try:
                fine = all(tosajit.evaluate(text, x=floats(0, 1)).tolist() == before
                           for _ in range(3))
                fine = fine and kernel(floats(0)).tolist() == [0]
                fine = fine and len(tosajit.evaluate(text, x=large)) == len(large)
                fresh = tosajit.compile("y = exp(x) - 3 : f32[?]").wait()
                fine = fine and fresh.is_native == COMPILES and fresh(floats(0)).tolist() == [-2]
                tosajit.wait()
                os.write(writer, b"fine" if fine else b"wrong")
                status = 0
            finally:
                os._exit(status)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.assertEqual(os.read(reader, 10), b"fine")
        os.close(reader)
        os.close(writer)
        self.assertEqual(tosajit.evaluate(text, x=floats(0, 1)).tolist(), before)

    def test_accuracy(self):
        """Without a word it is reproducible: next to what is exact, and the same bits from whatever
        computes it."""
        x = floats(*(k / 7 for k in range(-500, 500)))
        found, exact = (engine.evaluate("sigmoid(x)", x=x).tolist()
                        for engine in (tosajit, tosajit.Engine(accuracy="exact")))
        self.assertNotEqual(found, exact)
        for a, b in zip(exact, found):
            # half a unit of the one's error and one of the other's are 2 at a power of 2
            self.assertLessEqual(abs(a - b), 2.0 ** -22 * abs(a))
        for backend in ("precompiled", "interpret", *(("native",) if COMPILES else ())):
            self.assertEqual(tosajit.Engine(backend=backend).evaluate("sigmoid(x)", x=x).tolist(),
                             found, backend)

    def test_nothing_is_contracted(self):
        x = floats(*(k / 7 for k in range(1, 500)))
        for backend in ("precompiled", "interpret", *(("native",) if COMPILES else ())):
            engine = tosajit.Engine(backend=backend)
            self.assertEqual(set(engine.evaluate("x * x - y * y", x=x, y=x).tolist()), {0.0},
                             backend)
            self.assertEqual(set(engine.evaluate("x * y + z", x=x, y=x,
                                                 z=engine.evaluate("-(x * x)", x=x)).tolist()),
                             {0.0}, backend)

    def test_contracted(self):
        """A product and the one sum that reads it are rounded once: by fractions, for which every operation is exact."""
        x = floats(*(k / 7 for k in range(1, 500)))
        squares = [fractions.Fraction(a) ** 2 for a in x.tolist()]
        error = floats(*(float(a - fractions.Fraction(b)) for a, b in zip(squares, tosajit.evaluate("x * x", x=x).tolist()))).tolist()
        for backend in ("precompiled", "interpret", *(("native",) if COMPILES else ())):
            engine = tosajit.Engine(backend=backend, accuracy="contracted")
            self.assertEqual(engine.evaluate("x * x - y * y", x=x, y=x).tolist(), error, backend)
            self.assertEqual(engine.evaluate("-(y * y) + x * x", x=x, y=x).tolist(), error, backend)
        self.assertEqual(engine.options["accuracy"], "contracted")

    @needs_compiler
    def test_background_and_explain(self):
        kernel = tosajit.Engine(backend="background").compile(SILU)
        kernel(matrix(1, 2), matrix(1, 2))
        kernel.wait()
        self.assertTrue(kernel.is_native)
        self.assertIn("operand 0", kernel.explain(matrix(1, 2), matrix(1, 2)))


class Threads(unittest.TestCase):
    def test_the_lock_is_given_away(self):
        kernel = tosajit.compile("y = pow(x, b) : f32[?]")
        x = memoryview(bytearray(16 << 20)).cast("f")
        out = memoryview(bytearray(16 << 20)).cast("f")
        turns, stop, running = [], threading.Event(), threading.Event()

        def within(turns, calls):
            return sum(begin < t < end for t in turns for begin, end in calls)

        def count():
            while not stop.is_set():
                if running.is_set():
                    turns.append(time.monotonic())
                time.sleep(0.0005)

        other = threading.Thread(target=count)
        other.start()
        interval = sys.getswitchinterval()
        sys.setswitchinterval(100)  # nobody is asked for the lock
        try:
            running.set()
            # until some turns fell within calls: how many do depends on other work of the machine
            calls = []
            while not calls or within(turns, calls) < 5 and calls[-1][1] - calls[0][0] < 30:
                begin = time.monotonic()
                kernel(x, x, out=out)
                calls.append((begin, time.monotonic()))
            running.clear()
        finally:
            sys.setswitchinterval(interval)
            stop.set()
            other.join()
        self.assertGreater(within(turns, calls), 4, calls)

    def test_many_threads_at_once(self):
        engine = tosajit.Engine()
        failures = []

        def work(seed):
            try:
                for k in range(300):
                    size = (seed * 37 + k * 11) % 50 + 1
                    x = array.array("f", range(size))
                    y = engine.evaluate(f"x * {k % 7} + a", x=x, a=seed)
                    expected = [v * (k % 7) + seed for v in range(size)]
                    if y.tolist() != expected:
                        failures.append((seed, k))
            except Exception as error:
                failures.append(error)

        threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])

    def test_an_engine_with_threads(self):
        count = 1 << 20
        x = memoryview(array.array("f", [1.5]) * count)
        one = tosajit.evaluate("exp(x)", x=x)
        two = tosajit.Engine(threads=2).evaluate("exp(x)", x=x)
        self.assertEqual(bytes(one), bytes(two))


if __name__ == "__main__":
    if EMULATED:
        print("*** NOT TESTED: threads, memory and forks of a process, which are the emulator's, too")
    unittest.main()

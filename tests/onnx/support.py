# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the tests of the operators share: small models, calls, and the library by its C interface,
which is there in every build."""
import ctypes
import os
import sys
import time

import numpy as np
import onnxruntime as ort
from onnx import TensorProto, helper

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "../../tools/onnxruntime"))
import engine  # what the command has the engine do

engine.find_engine()
ort.set_default_logger_severity(4)
F32, BOOL, F16, BF16 = (TensorProto.FLOAT, TensorProto.BOOL, TensorProto.FLOAT16,
                        TensorProto.BFLOAT16)
# Whatever the session's host, an image's first operand: two sizes and numbers around 0.
NUMBERS = ((np.arange(3 * 64) - 96) * np.float32(0.0371)).astype(np.float32).reshape(3, 64)


def region(inputs, outputs, expression=None, accuracy=None):
    """A node of ours. Names are words: "x b"."""
    attributes = {"expression": expression, "accuracy": accuracy}
    return helper.make_node("Region", inputs.split(), outputs.split(), outputs, domain="tosajit",
                            **{key: text for key, text in attributes.items() if text is not None})


def node(op, inputs, outputs):
    return helper.make_node(op, inputs.split(), outputs.split())


def model(nodes, inputs, outputs, values="", constants=(), type=F32):
    """A model. Values are "x:N,64 less:bool:N,1"; a type that is not said is `type`."""
    def described(word):
        name, *named, dims = word.split(":")
        known = {"bool": BOOL, "f32": F32}
        return helper.make_tensor_value_info(name, known[named[0]] if named else type,
                                             [int(size) if size.isdigit()
                                              else size.strip("?") or None
                                              for size in dims.split(",")])
    inputs, outputs, values = ([described(word) for word in words.split()]
                               for words in (inputs, outputs, values))
    graph = helper.make_graph(nodes, "test", inputs, outputs, constants, value_info=values)
    return helper.make_model(graph, ir_version=8,
                             opset_imports=[helper.make_opsetid("", 18),
                                            helper.make_opsetid("tosajit", 1)])


def require_same_bits(one, other, what):
    """A NaN may be any."""
    for k, (a, b) in enumerate(zip(one, other)):
        same = a.dtype == b.dtype and a.shape == b.shape
        if same and a.tobytes() != b.tobytes() and a.dtype.kind == "f":
            same = (np.array_equal(np.isnan(a), np.isnan(b))
                    and np.where(np.isnan(a), 0, a).tobytes()
                    == np.where(np.isnan(b), 0, b).tobytes())
        elif same:
            same = a.tobytes() == b.tobytes()
        if not same:
            raise AssertionError("result %d of %s: %s, and before it was %s" % (k, what, b, a))


def same_calls(session, inputs, count=20, seconds=0.02):
    """The results of the first call. Those of calls while code is made for them, and of later ones,
    have the same bits."""
    first, end = session.run(None, inputs), time.monotonic() + seconds
    while count > 0 or time.monotonic() < end:
        count -= 1
        require_same_bits(first, session.run(None, inputs), "a later call")
    return first


def results_of(model, inputs, operators, level=ort.GraphOptimizationLevel.ORT_ENABLE_ALL,
               threads=1):
    """The results of a model, or of the file of a converted one. Of the latter those of the first
    call, of calls while code is made, of later ones, and of a session that begins with its code
    have the same bits."""
    modes, results = ("background", "now") if isinstance(model, str) else ("now",), []
    for mode in modes:
        options = ort.SessionOptions()
        options.intra_op_num_threads = threads
        options.log_severity_level = 4
        options.graph_optimization_level = level
        options.add_session_config_entry("tosajit.compile", mode)
        options.register_custom_ops_library(operators)
        session = ort.InferenceSession(model if isinstance(model, str)
                                       else model.SerializeToString(), options,
                                       providers=["CPUExecutionProvider"])
        results.append(same_calls(session, inputs, 3, 0) if isinstance(model, str)
                       else session.run(None, inputs))
    require_same_bits(results[0], results[-1], "a session that begins with its code")
    return results[0]


def tell_leaks():
    """Tell leaked memory on standard error, if a leak sanitizer is here."""
    getattr(ctypes.CDLL(None), "__lsan_do_recoverable_leak_check", lambda: 0)()


def bytes_constant(name, data):
    return helper.make_tensor(name, TensorProto.UINT8, [len(data)], data, raw=True)


class Library:
    """libtosajit: its interpreter, and images."""
    INTERPRET, CROSS = 2, 4

    class Options(ctypes.Structure):
        _fields_ = [("size", ctypes.c_size_t), ("allocator", ctypes.c_void_p),
                    ("backend", ctypes.c_int), ("cpu", ctypes.c_char_p),
                    ("rest", ctypes.c_byte * 256)]

    class Tensor(ctypes.Structure):
        _fields_ = [("element", ctypes.c_int), ("rank", ctypes.c_int32), ("data", ctypes.c_void_p),
                    ("dims", ctypes.c_void_p),
                    ("strides", ctypes.c_void_p)]

    def __init__(self, path):
        self.library = ctypes.CDLL(path)
        self.library.tosajit_last_error.restype = ctypes.c_char_p

    def _call(self, name, *arguments):
        if getattr(self.library, "tosajit_" + name)(*arguments):
            raise AssertionError(name + ": " + self.library.tosajit_last_error().decode())

    def _made(self, name, *arguments):
        made = ctypes.c_void_p()
        self._call(name, *arguments, ctypes.byref(made))
        return made

    def _engine(self, backend, cpu=None):
        return self._made("engine_create",
                          ctypes.byref(self.Options(self.Options.rest.offset, None, backend,
                                                    cpu and cpu.encode())))

    def _parsed(self, text):
        return self._made("expr_parse", text.encode(), ctypes.c_size_t(len(text)), None)

    def interpret(self, text, x):
        """The value of an expression of f32 for x. The result has x's type and shape."""
        f32 = 8
        y, dims = np.empty_like(x), (ctypes.c_int64 * x.ndim)(*x.shape)
        engine, expr = self._engine(self.INTERPRET), self._parsed(text)
        kernel = self._made("compile_expr", engine, expr)
        operand, result = (self.Tensor(f32, a.ndim, a.ctypes.data, ctypes.addressof(dims), None)
                           for a in (x, y))
        self._call("run", kernel, ctypes.byref(operand), ctypes.c_size_t(1), ctypes.byref(result),
                   ctypes.c_size_t(1))
        self.library.tosajit_kernel_release(kernel)
        self.library.tosajit_expr_destroy(expr)
        self.library.tosajit_engine_destroy(engine)
        return y

    def image(self, text, cpus):
        """The bytes of an expression's image, with code for CPUs of these names."""
        engines, expr = (ctypes.c_void_p * len(cpus))(*[self._engine(self.CROSS, cpu).value
                                                        for cpu in cpus]), self._parsed(text)
        data, size = ctypes.c_void_p(), ctypes.c_size_t()
        self._call("compile_image", engines, ctypes.c_size_t(len(cpus)), expr, ctypes.byref(data),
                   ctypes.byref(size))
        image = ctypes.string_at(data, size.value)
        self.library.tosajit_text_release(data)
        self.library.tosajit_expr_destroy(expr)
        for engine in engines:
            self.library.tosajit_engine_destroy(ctypes.c_void_p(engine))
        return image

# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions, norms and RoPE beside peers: one process, one processor, in turns, medians.

    PYTHONPATH=build/tools/python python3 bench/rows.py                # the table
    PYTHONPATH=build/tools/python python3 bench/rows.py --page         # into bench/rows.md
    PYTHONPATH=build/tools/python python3 bench/rows.py --quick softmax 'sum.*'   # fewer turns, some families
    PYTHONPATH=build/tools/python python3 bench/rows.py --loops --lengths 64,256,768 # beside the loops alone

Peers are loops in C (rows_loops.c, compiled here by gcc, for AVX2 where TOSAJIT_CPU says so), ONNX Runtime, jax, PyTorch with and
without Inductor, and NumPy, as far as they are installed. Needs NumPy and ml_dtypes. Every result
is compared with one in f64 before anything is timed. Peers make their results anew, of memory that
the process keeps; tosajit and the loops get theirs."""
import argparse
import ctypes
import functools
import math
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time

# All memory, also that of peers, is of large pages where the system has some; the C library asks
# this once.
if "GLIBC_TUNABLES" not in os.environ and __name__ == "__main__":
    os.environ["GLIBC_TUNABLES"] = "glibc.malloc.hugetlb=1"
    os.execv(sys.executable, [sys.executable, *sys.argv])
for variable in ("OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")
os.environ.setdefault("XLA_FLAGS",
                      "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")

import numpy as np

import tosajit


def imported(name):
    try:
        return __import__(name)
    except ImportError:
        return None


HERE = os.path.dirname(os.path.abspath(__file__))
PAGE = os.path.join(HERE, "rows.md")
SIZES = {"L2": (1 << 15, (16, 64, 768, 4096, 65536)), "DRAM": (1 << 23, (64, 768, 65536))}
MOST_TURNS, LEAST_TURNS, TURN = 31, 5, 1e-3
GROUPS = 32
PEER_NAMES = ("C", "ORT", "torch", "Inductor", "jax", "NumPy")
WRONG = []  # peers with a wrong result, which are left out

# ---------------------------------------------------------------------------------------------
# Cases


def rows_of(n, elements):
    return max(1, elements // n)


class Case:
    """A family at one length of rows. `shapes` are the operands'; `loop` has the sizes that the
    loop in C is given."""

    any_length = True  # whether the length of rows may be dynamic
    vectors = 0  # operands that ONNX has as vectors: the last ones
    # types of the result, in this library and in ONNX, if others than the operands'
    made = onnx_made = None

    def __init__(self, n, elements):
        self.n, self.rows = n, rows_of(n, elements)
        self.loop = (self.rows, n, 1)
        self.shapes = [(self.rows, n)]
        self.result = (self.rows, n)

    def types(self, dynamic, element="f32"):
        """The first dimension is dynamic, unless it repeats; or all are that may be."""
        said, rank = [], len(self.shapes[0])
        repeats = lambda shape, k: shape[k] == 1 and shape is not self.shapes[0]
        is_dynamic = lambda k: k == 0 or (dynamic and (k < rank - 1 or self.any_length))
        for shape in self.shapes:
            said.append(f"{element}[{','.join('?' if is_dynamic(k) and not repeats(shape, k) else str(size) for k, size in enumerate(shape))}]")
        return ", ".join(said)


class Softmax(Case):
    target, text = 1.0, "y = softmax(x)"
    nodes = [("Softmax", "x", "y", {"axis": -1})]

    def exact(self, x):
        e = np.exp(x - x.max(-1, keepdims=True))
        return e / e.sum(-1, keepdims=True)

    def torch(self, t, x):
        return t.softmax(x, -1)

    def jax(self, j, x):
        return j.nn.softmax(x, axis=-1)


class LogSoftmax(Softmax):
    text = "y = log_softmax(x)"
    nodes = [("LogSoftmax", "x", "y", {"axis": -1})]

    def exact(self, x):
        x = x - x.max(-1, keepdims=True)
        return x - np.log(np.exp(x).sum(-1, keepdims=True))

    def torch(self, t, x):
        return t.log_softmax(x, -1)

    def jax(self, j, x):
        return j.nn.log_softmax(x, axis=-1)


class MaskedSoftmax(Softmax):
    target, text = 0.9, "y = softmax(x * 0.125 + m)"
    nodes = [("Mul", "x eighth", "s", {}), ("Add", "s a", "t", {}),
             ("Softmax", "t", "y", {"axis": -1})]

    def __init__(self, n, elements):
        super().__init__(n, elements)
        positions = min(64, self.rows)
        self.loop = (self.rows // positions, n, positions)
        self.shapes = [(self.rows // positions, positions, n), (1, positions, n)]
        self.result = self.shapes[0]

    def exact(self, x, m):
        return super().exact(x * 0.125 + m)

    def torch(self, t, x, m):
        return t.softmax(x * 0.125 + m, -1)

    def jax(self, j, x, m):
        return j.nn.softmax(x * 0.125 + m, axis=-1)


class LayerNorm(Case):
    target, vectors, text = 0.9, 2, "y = layer_norm(x, w, b)"
    nodes = [("LayerNormalization", "x a b", "y", {"axis": -1, "epsilon": 1e-5})]

    def __init__(self, n, elements):
        super().__init__(n, elements)
        self.shapes = [(self.rows, n), (1, n), (1, n)]

    def exact(self, x, w, b):
        x = x - x.mean(-1, keepdims=True)
        return x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-5) * w + b

    def torch(self, t, x, w, b):
        return t.nn.functional.layer_norm(x, x.shape[-1:], w[0], b[0], 1e-5)

    def jax(self, j, x, w, b):
        x = x - x.mean(-1, keepdims=True)
        return x * j.lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-5) * w + b


class AddLayerNorm(LayerNorm):
    text = "y = layer_norm(x + r, w, b)"
    nodes = [("SkipLayerNormalization", "x a b c", "y",
              {"epsilon": 1e-5, "domain": "com.microsoft"})]

    def __init__(self, n, elements):
        super().__init__(n, elements)
        self.shapes.insert(1, (self.rows, n))

    def exact(self, x, r, w, b):
        return super().exact(x + r, w, b)

    def torch(self, t, x, r, w, b):
        return super().torch(t, x + r, w, b)

    def jax(self, j, x, r, w, b):
        return super().jax(j, x + r, w, b)


class RmsNorm(Case):
    target, vectors, text = 0.9, 1, "y = rms_norm(x, w)"
    nodes = [("SimplifiedLayerNormalization", "x a", "y", {"axis": -1, "epsilon": 1e-5})]

    def __init__(self, n, elements):
        super().__init__(n, elements)
        self.shapes = [(self.rows, n), (1, n)]

    def exact(self, x, w):
        return x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-5) * w

    def torch(self, t, x, w):
        return t.nn.functional.rms_norm(x, x.shape[-1:], w[0], 1e-5)

    def jax(self, j, x, w):
        return x * j.lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-5) * w


class AddRmsNorm(RmsNorm):
    text = "y = rms_norm(x + r, w)"
    nodes = [("SkipSimplifiedLayerNormalization", "x a b", "y",
              {"epsilon": 1e-5, "domain": "com.microsoft"})]

    def __init__(self, n, elements):
        super().__init__(n, elements)
        self.shapes.insert(1, (self.rows, n))

    def exact(self, x, r, w):
        return super().exact(x + r, w)

    def torch(self, t, x, r, w):
        return super().torch(t, x + r, w)

    def jax(self, j, x, r, w):
        return super().jax(j, x + r, w)


class GroupNormSilu(Case):
    """Rows of four channels of n / 4 elements."""

    target = 0.9
    text = "h = layer_norm(x, axis=(-2, -1)) * w + b; y = h * sigmoid(h)"
    nodes = [("GroupNormalization", "x a b", "h", {"num_groups": GROUPS, "epsilon": 1e-5}),
             ("Sigmoid", "h", "s", {}), ("Mul", "h s", "y", {})]

    def __init__(self, n, elements):
        super().__init__(n, elements)
        self.groups = min(GROUPS, self.rows)
        images = self.rows // self.groups
        self.loop = (images, n, self.groups)
        self.shapes = [(images, self.groups, 4, n // 4), (1, self.groups, 4, 1),
                       (1, self.groups, 4, 1)]
        self.result = self.shapes[0]

    def exact(self, x, w, b):
        x = x - x.mean((2, 3), keepdims=True)
        h = x / np.sqrt((x * x).mean((2, 3), keepdims=True) + 1e-5) * w + b
        return h / (1 + np.exp(-h))

    def torch(self, t, x, w, b):
        flat = x.view(x.shape[0], -1, x.shape[3])
        h = t.nn.functional.group_norm(flat, self.groups, w.view(-1), b.view(-1), 1e-5)
        return t.nn.functional.silu(h).view(x.shape)

    def jax(self, j, x, w, b):
        x = x - x.mean((2, 3), keepdims=True)
        return j.nn.silu(x * j.lax.rsqrt((x * x).mean((2, 3), keepdims=True) + 1e-5) * w + b)

    def onnx_shapes(self):
        images, groups, four, inner = self.shapes[0]
        return [(images, groups * four, inner), (groups * four,), (groups * four,)]

    def onnx_nodes(self):
        return [(op, ins, outs, {k: self.groups if k == "num_groups" else v
                                 for k, v in words.items()}) for op, ins, outs, words in self.nodes]


class Rope(Case):
    target, lengths, any_length = 0.9, (64, 128), False
    text = "y = x * c + concat(-x[:, :, {half}:], x[:, :, :{half}], axis=-1) * s"
    nodes = [("Split", "x", "p q", {"axis": -1, "num_outputs": 2}), ("Neg", "q", "m", {}),
             ("Concat", "m p", "h", {"axis": -1}),
             ("Mul", "x a", "u", {}), ("Mul", "h b", "v", {}), ("Add", "u v", "y", {})]

    def __init__(self, n, elements):
        super().__init__(n, elements)
        positions = min(64, self.rows)
        self.text = Rope.text.format(half=n // 2)
        self.loop = (self.rows // positions, n, positions)
        self.shapes = [(self.rows // positions, positions, n), (1, positions, n), (1, positions, n)]
        self.result = self.shapes[0]

    def exact(self, x, c, s):
        half = self.n // 2
        return x * c + np.concatenate((-x[..., half:], x[..., :half]), -1) * s

    def torch(self, t, x, c, s):
        p, q = x.chunk(2, -1)
        return x * c + t.cat((-q, p), -1) * s

    def jax(self, j, x, c, s):
        p, q = j.numpy.split(x, 2, -1)
        return x * c + j.numpy.concatenate((-q, p), -1) * s


class Sum(Case):
    target, reads, axis, word = 1.05, True, -1, "sum"

    def __init__(self, n, elements):
        super().__init__(n, 2 * elements)  # there is no result beside them in the cache
        self.result = (self.rows, 1)
        self.text = f"y = {self.word}(x, axis={self.axis})"
        op = {"sum": "ReduceSum", "max": "ReduceMax", "mean": "ReduceMean"}.get(self.word)
        self.nodes = [(op, "x axes", "y", {"keepdims": 1})]

    def exact(self, x):
        return getattr(np, self.word)(x, axis=self.axis, keepdims=True)

    numpy = exact

    def torch(self, t, x):
        axis = list(range(x.ndim)) if self.axis is None else self.axis
        return getattr(t, "amax" if self.word == "max" else self.word)(x, axis, keepdim=True)

    def jax(self, j, x):
        return getattr(j.numpy, self.word)(x, axis=self.axis, keepdims=True)


class SumOuter(Sum):
    axis = 0

    def __init__(self, n, elements):
        super().__init__(n, elements)
        self.shapes, self.result, self.loop = [(n, self.rows)], (1, self.rows), (1, n, self.rows)


class SumMiddle(Sum):
    axis = 1

    def __init__(self, n, elements):
        super().__init__(n, elements)
        inner = min(64, self.rows)
        outer = self.rows // inner
        self.shapes, self.result, self.loop = [(outer, n,
                                                inner)], (outer, 1, inner), (outer, n, inner)


class SumAll(Sum):
    axis = None

    def __init__(self, n, elements):
        super().__init__(n, elements)
        self.result, self.loop = (1, 1), (1, self.rows * n, 1)


class Variance(Sum):
    """Sums of squares about the mean, by the number of elements, as NumPy has it."""

    word = "var"

    def __init__(self, n, elements):
        super().__init__(n, elements)
        self.nodes = None

    def torch(self, t, x):
        return t.var(x, self.axis, unbiased=False, keepdim=True)


def positions(base):
    """The same rows, of whose greatest element the position is wanted."""
    class Position(base):
        word, target, made, onnx_made = "argmax", 1.3, np.int32, np.int64

        def __init__(self, n, elements):
            super().__init__(n, elements)
            self.nodes = [("ArgMax", "x", "y", {"axis": self.axis, "keepdims": 1})]

        def torch(self, t, x):
            return t.argmax(x, self.axis, keepdim=True)
    return Position


FAMILIES = {"softmax": Softmax, "log_softmax": LogSoftmax, "masked_softmax": MaskedSoftmax,
            "layer_norm": LayerNorm, "add_layer_norm": AddLayerNorm,
            "rms_norm": RmsNorm, "add_rms_norm": AddRmsNorm, "group_norm_silu": GroupNormSilu,
            "rope": Rope}
FAMILIES |= {f"{word}_{where}": type(f"{word}_{where}", (base,), {"word": word})
             for word in ("sum", "max",
                          "mean") for where, base in (("inner", Sum), ("outer", SumOuter),
                                                      ("middle", SumMiddle), ("all", SumAll))}
FAMILIES |= {"argmax_inner": positions(Sum), "argmax_outer": positions(SumOuter),
             "var_inner": Variance}
BF16 = ("softmax", "layer_norm", "rms_norm", "add_rms_norm", "sum_inner", "max_inner",
        "mean_inner", "var_inner")

# ---------------------------------------------------------------------------------------------
# Contenders


def loops(*options):
    library = os.path.join(tempfile.mkdtemp(), "loops.so")
    cpu = os.environ.get("TOSAJIT_CPU", "native")
    words = ["gcc", "-O3", f"-march={cpu}", "-ffast-math", "-shared", "-fPIC", *options,
             os.path.join(HERE, "rows_loops.c"), "-o", library, "-lmvec", "-lm"]
    subprocess.run(words, check=True)
    return ctypes.CDLL(library)


class SizesOfLoop(ctypes.Structure):
    _fields_ = [(name, ctypes.c_long) for name in "anb"]


def loop_call(function, arrays, out, sizes):
    pointers = (ctypes.c_void_p * len(arrays))(*(array.ctypes.data for array in arrays))
    words = (pointers, ctypes.c_void_p(out.ctypes.data), SizesOfLoop(*sizes))
    return lambda: (function(*words), out)[1]


def onnx_call(case, arrays):
    """A session on one thread, its tensors bound."""
    from onnx import TensorProto, helper, numpy_helper
    nodes = case.onnx_nodes() if hasattr(case, "onnx_nodes") else case.nodes
    shapes = (case.onnx_shapes() if hasattr(case, "onnx_shapes")
              else [s[-1:] if k >= len(arrays) - case.vectors else s
                    for k, s in enumerate(case.shapes)])
    names = ["x", "a", "b", "c"][: len(arrays)]
    axis = getattr(case, "axis", 0)
    axes = list(range(len(case.shapes[0]))) if axis is None else [axis]
    constants = [numpy_helper.from_array(np.array(0.125, np.float32), "eighth"),
                 numpy_helper.from_array(np.array(axes, np.int64), "axes")]
    made = [helper.make_node(op, ins.split(), outs.split(), **words)
            for op, ins, outs, words in nodes]
    graph = helper.make_graph(made, "g", [helper.make_tensor_value_info(n, TensorProto.FLOAT, s)
                                          for n, s in zip(names, shapes)],
                              [helper.make_tensor_value_info("y",
                                                             TensorProto.INT64 if case.onnx_made
                                                             else TensorProto.FLOAT, None)],
                              [c for c in constants if any(c.name in node.input for node in made)])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21),
                                                    helper.make_opsetid("com.microsoft", 1)],
                              ir_version=10)
    options = PEERS["onnxruntime"].SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    session = PEERS["onnxruntime"].InferenceSession(model.SerializeToString(), options,
                                                    providers=["CPUExecutionProvider"])
    binding = session.io_binding()
    values = [PEERS["onnxruntime"].OrtValue.ortvalue_from_numpy(array.reshape(shape))
              for array, shape in zip(arrays, shapes)]
    for name, value in zip(names, values):
        binding.bind_ortvalue_input(name, value)
    shape = shapes[0] if case.result == case.shapes[0] else case.result
    out = PEERS["onnxruntime"].OrtValue.ortvalue_from_numpy(np.empty(shape, case.onnx_made or np.float32))
    binding.bind_ortvalue_output("y", out)
    return lambda: (session.run_with_iobinding(binding), out,
                    values)[1].numpy().reshape(case.result)


def torch_calls(case, arrays, kept):
    torch, calls = PEERS["torch"], {}
    tensors = [torch.from_numpy(array.view(np.uint16)).view(torch.bfloat16)
               if array.dtype.itemsize == 2 else torch.from_numpy(array) for array in arrays]
    eager = functools.partial(case.torch, torch)
    as_numpy = lambda t: t.float().numpy()
    calls["torch"] = lambda: eager(*tensors), as_numpy
    if INDUCTOR and case.rows > 1:
        if "inductor" not in kept:
            torch._dynamo.reset()
            kept["inductor"] = torch.compile(eager, dynamic=True)
        compiled = kept["inductor"]
        calls["Inductor"] = lambda: compiled(*tensors), as_numpy
    return calls


def empty(shape, dtype):
    """Memory for a result as the library makes it: at the beginning of a cache line."""
    bytes_of = math.prod(shape) * np.dtype(dtype).itemsize
    memory = np.empty(bytes_of + 64, np.uint8)
    begin = -memory.ctypes.data % 64
    return memory[begin:begin + bytes_of].view(dtype).reshape(shape)


def contenders(name, case, arrays, kept):
    """Each a call, and how its result becomes an array."""
    half = arrays[0].dtype.itemsize == 2
    out, itself = empty(case.result, case.made or arrays[0].dtype), lambda r: r
    element = "bf16" if half else "f32"
    # Sums have one accuracy.
    engines = {"exact": ("exact", False), "exact ?": ("exact", True)} if hasattr(case, "reads") else \
        {"exact": ("exact", False), "fast": ("fast", False), "fast ?": ("fast", True)}
    calls = {}
    for who, (engine, dynamic) in engines.items():
        if OPTIONS.loops and (dynamic or (engine == "exact" and "fast" in engines)):
            continue
        kernel = ENGINES[engine].compile(f"{case.text} : {case.types(dynamic, element)}")
        kernel.wait()
        calls[who] = functools.partial(kernel, *arrays, out=out), itself
    if max(out.size, arrays[0].size) > 1 << 20 and not OPTIONS.loops:
        kernel = ENGINES["two"].compile(f"{case.text} : {case.types(False, element)}")
        kernel.wait()
        calls["two"] = functools.partial(kernel, *arrays, out=out), itself
    loop = re.sub("_(inner|outer|middle|all)$", "", name)
    if hasattr(LOOPS[half], loop):
        own = empty(case.result, case.made or arrays[0].dtype)
        calls["C"] = loop_call(getattr(LOOPS[half], loop), arrays, own, case.loop), itself
    if hasattr(case, "reads"):
        calls["read"] = loop_call(LOOPS[half].read_all, arrays, np.empty(1, np.float32),
                                  case.loop), None
    if hasattr(case, "reads") and not (half or OPTIONS.loops):
        calls["NumPy"] = functools.partial(case.numpy, *arrays), itself
    if PEERS["onnxruntime"] and PEERS["onnx"] and case.nodes and not half:
        calls["ORT"] = onnx_call(case, arrays), itself
    if PEERS["torch"]:
        calls |= torch_calls(case, arrays, kept)
    if PEERS["jax"]:
        jax = PEERS["jax"]
        owned = [jax.numpy.asarray(array) for array in arrays]
        if "jax" not in kept:
            kept["jax"] = jax.jit(functools.partial(case.jax, jax))
        jitted = kept["jax"]
        calls["jax"] = lambda: jitted(*owned).block_until_ready(), np.asarray
    return calls


def compare(name, case, arrays, calls):
    """The calls whose results are right. A peer with a wrong one is named and left out; of our own
    it is an error."""
    half = arrays[0].dtype.itemsize == 2
    expected = case.exact(*(array.astype(np.float64) for array in arrays)).reshape(case.result)
    limits = {"rtol": 2e-2 if half else 2e-4, "atol": (2e-2 if half
                                                       else 2e-5) * np.abs(expected).max()}
    right = {}
    for who, (call, as_array) in calls.items():
        found = (expected if as_array is None
                 else np.asarray(as_array(call())).astype(np.float64).reshape(case.result))
        if who not in PEER_NAMES or who == "C":
            np.testing.assert_allclose(found, expected, **limits,
                                       err_msg=f"{name}, {case.n}: {who}")
        if np.allclose(found, expected, **limits):
            right[who] = call
        else:
            WRONG.append(f"{name} {case.n}: {who} by {np.abs(found - expected).max():.2g}")
            print(f"wrong and left out: {WRONG[-1]}", file=sys.stderr)
    return right


def medians(calls, quick):
    """In turns of random order, so that what disturbs the machine disturbs all alike. Beside loops
    alone the least of short turns, which other work on the machine leaves as it is."""
    loops, times = {}, {name: [] for name in calls}
    for name, call in calls.items():
        call()
        begin = time.perf_counter()
        call()
        loops[name] = max(1, int((TURN / 5 if OPTIONS.loops else TURN)
                                 / max(time.perf_counter() - begin, 1e-7)))
    begin = time.perf_counter()
    for turn in range(5 if quick else 10 * MOST_TURNS if OPTIONS.loops else MOST_TURNS):
        for name in random.sample(list(calls), len(calls)):
            call = calls[name]
            start = time.perf_counter()
            for _ in range(loops[name]):
                call()
            times[name].append((time.perf_counter() - start) / loops[name])
        if turn + 1 >= LEAST_TURNS and time.perf_counter() - begin > SECONDS:
            break
    figure = min if OPTIONS.loops else statistics.median
    return {name: figure(values) for name, values in times.items()}


def measure(families, quick):
    """Times by family, element type, place and length."""
    found = {}
    for half in (False, True):
        for name in families:
            kept = {}
            if half and name not in BF16:
                continue
            for place, (elements, lengths) in SIZES.items():
                for n in getattr(FAMILIES[name], "lengths", OPTIONS.lengths or lengths):
                    case = FAMILIES[name](n, elements)
                    generator = np.random.default_rng(n)
                    arrays = [generator.standard_normal(shape, np.float32) for shape in case.shapes]
                    if half:
                        import ml_dtypes
                        arrays = [array.astype(ml_dtypes.bfloat16) for array in arrays]
                    calls = contenders(name, case, arrays, kept)
                    right = compare(name, case, arrays, calls)
                    found[name, "bf16" if half else "f32", place, n] = medians(right, quick)
            print(f"{name}{', bf16' * half}: {time.perf_counter() - BEGIN:.0f} s", file=sys.stderr,
                  flush=True)
    return found


def memory_of_two():
    """What two threads take of one's time where memory alone counts: to read, and to read and
    write."""
    x, out, found = np.ones(1 << 24, np.float32), np.empty(1 << 24, np.float32), []
    for text, options in (("y = sum(x) : f32[?]", {}), ("y = x * 2 : f32[?]", {"out": out})):
        kernels = {who: ENGINES[engine].compile(text)
                   for who, engine in (("one", "fast"), ("two", "two"))}
        for kernel in kernels.values():
            kernel.wait()
        times = medians({who: functools.partial(kernel, x, **options)
                         for who, kernel in kernels.items()}, False)
        found.append(times["two"] / times["one"])
    return found


# ---------------------------------------------------------------------------------------------
# Tables

def judged(name, times):
    """What is measured against its target: our time, of the best peer's, or of reading."""
    own = times.get("fast") or times["exact"]
    if "read" in times:
        return own / times["read"], "reading"
    best = min((who for who in PEER_NAMES if who in times), key=times.get, default=None)
    return (own / times[best], best) if best else (math.nan, "none")


def said(value):
    return "-" if value is None else f"{value:.2f}" if value < 10 else f"{value:.0f}"


def row_of(key, times):
    name, element, place, n = key
    own = times.get("fast") or times["exact"]
    ratio, best = judged(name, times)
    misses = ratio > FAMILIES[name].target
    over = lambda a, b: times[a] / times[b] if a in times and b in times else None
    cells = [name + (", bf16" if element == "bf16" else ""), str(n), place, f"{own * 1e6:.3g}"]
    cells.append(f"**{ratio:.2f}** {best}" if misses else f"{ratio:.2f} {best}")
    cells += [said(over("exact", "fast")), said(over("fast ?", "fast") or over("exact ?", "exact"))]
    cells.append(said(times["two"] / own if "two" in times else None))
    return cells + [said(times[who] / own if who in times else None) for who in PEER_NAMES]


def table(heads, rows):
    lines = ["| " + " | ".join(heads) + " |", "|---|" + "---:|" * (len(heads) - 1)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def mean(values):
    return math.exp(statistics.mean(map(math.log, values)))


def limits(found):
    """Each target: how many cases meet it."""
    kinds = {}
    for key, times in found.items():
        target = FAMILIES[key[0]].target
        against = ("reading, sums" if "read" in times else "the best peer, softmax" if target == 1
                   else "the best peer, norms and RoPE")
        own = times.get("fast") or times["exact"]
        kinds.setdefault((f"of {against}, {key[1]}, {key[2]}", target),
                         []).append(judged(key[0], times)[0])
        if "fast" in times:
            kinds.setdefault((f"exact of fast, {key[1]}", 1.5),
                             []).append(times["exact"] / times["fast"])
        if "two" in times:
            kinds.setdefault((f"two threads of one, {'sums' if 'read' in times else 'others'}, "
                              f"{key[1]}", 0.55), []).append(times["two"] / own)
    rows = [[kind, f"{target:g}", f"{sum(v <= target for v in values)} of {len(values)}",
             f"{mean(values):.2f}", f"{max(values):.2f}"]
            for (kind, target), values in sorted(kinds.items())]
    return table(["time", "at most", "met", "geometric mean", "worst"], rows)


def machine():
    with open("/proc/cpuinfo") as file:
        model = next((line.partition(":")[2].strip()
                      for line in file if line.startswith("model name")), "an unnamed CPU")
    versions = ", ".join(f"{name} {module.__version__}"
                         for name, module in [("NumPy", np), *PEERS.items()] if module)
    return f"{model}, Python {sys.version.split()[0]}, {versions}"


def text_of(found, load, memory):
    heads = ["kernel", "row", "from", "us", "of the best", "exact / fast", "all sizes ?",
             "two threads"] + [f"{who}" for who in PEER_NAMES]
    wrong = f"Wrong results, which are left out: {'; '.join(WRONG)}.\n\n" if WRONG else ""
    return (f"Measured on one processor of {machine()}. The load was {load:.1f} before and "
            f"{os.getloadavg()[0]:.1f} after.\n\n"
            + f"Two threads read in {memory[0]:.2f} of the time of one, and read and write in "
            f"{memory[1]:.2f}: what waits for memory gains no more.\n\n" + wrong + limits(found)
            + "\n"
            + table(heads, [row_of(key, times) for key, times in found.items()]))


def beside_loops(found, load):
    """By kernel and place, for each length of rows, what part of the loop's time tosajit takes."""
    lengths = sorted({key[3] for key in found})
    kinds = dict.fromkeys((name, element, place) for name, element, place, _ in found)
    rows = []
    for kind in kinds:
        times = [found.get((*kind, n), {}) for n in lengths]
        rows.append([*kind, *(said((t.get("fast") or t["exact"]) / t["C"] if "C" in t else None)
                              for t in times)])
    return (f"Measured on one processor of {machine()}. The load was {load:.1f} before and "
            f"{os.getloadavg()[0]:.1f} after.\n\n"
            + table(["kernel", "type", "from", *map(str, lengths)], rows))


INTRODUCTION = """# Reductions, norms and RoPE beside peers

Written by `PYTHONPATH=build/tools/python python3 bench/rows.py --page`; what it compares, and how, is at the head of that file.

*us* is the time of tosajit, `fast` where a kernel has functions. *of the best* is that time by the best peer's; of sums it is by the time
that reading alone takes. It is bold where it misses its target, which the first table has. *exact / fast*, *all sizes ?* (no size is known when the kernel
is compiled) and *two threads* are by the same time. The columns of peers say how many times as long they take. The
first dimension of all kernels is dynamic. L2 has 32 Ki elements (sums 64 Ki), DRAM 8 Mi (16 Mi). Calls come from Python, which costs
tosajit and the loops in C about 0.7 us each.

"""


def main():
    global PEERS, INDUCTOR, LOOPS, ENGINES, SECONDS, BEGIN, OPTIONS
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("families", nargs="*", help="regular expressions")
    parser.add_argument("--page", action="store_true")
    parser.add_argument("--quick", action="store_true", help="few turns, and no Inductor")
    parser.add_argument("--loops", action="store_true", help="beside loops in C alone")
    parser.add_argument("--lengths", type=lambda text: [int(word) for word in text.split(",")],
                        help="of rows, in place of those of the page")
    parser.add_argument("--seconds", type=float, default=1.0, help="at most, of turns of a case")
    options = OPTIONS = parser.parse_args()
    families = [name for name in FAMILIES if not options.families
                or any(re.fullmatch(words, name) for words in options.families)]
    BEGIN, SECONDS, load = time.perf_counter(), options.seconds, os.getloadavg()[0]
    # Freed memory stays in the process, so that no peer's result is of new pages.
    libc = ctypes.CDLL(None)
    if hasattr(libc, "mallopt"):
        libc.mallopt(-4, 0), libc.mallopt(-1, (1 << 31) - 1)
    LOOPS = loops(), loops("-DBF16")
    ENGINES = {"exact": tosajit.Engine(threads=1, accuracy="exact"),
               "fast": tosajit.Engine(threads=1), "two": tosajit.Engine(threads=2)}
    warm = np.ones(1 << 22, np.float32)
    # its thread starts before this one is pinned
    ENGINES["two"].compile("y = exp(x) : f32[?]")(warm)
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    PEERS = {name: None if options.loops else imported(name)
             for name in ("onnxruntime", "onnx", "torch", "jax")}
    if PEERS["torch"]:
        PEERS["torch"].set_num_threads(1)
    if PEERS["jax"]:
        PEERS["jax"].config.update("jax_cpu_enable_async_dispatch", False)
    INDUCTOR = bool(PEERS["torch"]) and not options.quick
    found = measure(families, options.quick)
    text = (beside_loops(found, load) if options.loops
            else text_of(found, load, memory_of_two()))
    if options.page:
        with open(PAGE, "w") as file:
            file.write(INTRODUCTION + text)
    else:
        print(text)


if __name__ == "__main__":
    main()

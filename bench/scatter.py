# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scatters beside peers: one process, one processor, in turns of a random order, the least of many.

    PYTHONPATH=build/tools/python taskset -c 1 python3 bench/scatter.py

Sums of rows, of single elements with and without collisions, and of a layer of messages: rows are taken, multiplied by a weight, and added. All begin
with a copy of the base. The loop in C by gcc -O3 -march=native looks at no index. numba, PyTorch and ONNX Runtime join as far as they are installed.
Each result is compared with NumPy's before anything is timed. Figures are times of tosajit's, so below 1 tosajit is quicker."""
import argparse
import os
import subprocess
import sys
import tempfile

os.environ.setdefault("OMP_NUM_THREADS", "1")
import ctypes

import numpy as np

import tosajit
from gather import call_of, imported
from scan import least

LOOPS = r"""
#include <stdint.h>
#include <string.h>
void rows(const float *x, const int64_t *i, const float *u, float *y, int64_t places, int64_t rows, int64_t n) {
    memcpy(y, x, 4 * places * n);
    for (int64_t k = 0; k < rows; k++) for (int64_t c = 0; c < n; c++) y[i[k] * n + c] += u[k * n + c];
}
void elements(const float *x, const int64_t *i, const float *u, float *y, int64_t places, int64_t rows) {
    memcpy(y, x, 4 * places);
    for (int64_t k = 0; k < rows; k++) y[i[k]] += u[k];
}
void messages(const float *x, const int64_t *i, const float *h, const int64_t *from, const float *w, float *y, int64_t places, int64_t rows, int64_t n) {
    memcpy(y, x, 4 * places * n);
    for (int64_t k = 0; k < rows; k++) for (int64_t c = 0; c < n; c++) y[i[k] * n + c] += h[from[k] * n + c] * w[k];
}
"""


def loops():
    folder = tempfile.mkdtemp()
    source, library = os.path.join(folder, "loops.c"), os.path.join(folder, "loops.so")
    with open(source, "w") as f:
        f.write(LOOPS)
    subprocess.run(["gcc", "-O3", "-march=native", "-shared", "-fPIC", source, "-o", library], check=True)
    return ctypes.CDLL(library)


def numba_peer(x, i, u, y):
    numba = imported("numba")
    if not numba:
        return []

    @numba.njit
    def rows(x, i, u, y):
        y[:] = x
        for k in range(len(i)):
            for c in range(x.shape[1]):
                y[i[k], c] += u[k, c]

    @numba.njit
    def elements(x, i, u, y):
        y[:] = x
        for k in range(len(i)):
            y[i[k]] += u[k]
    loop = rows if x.ndim == 2 else elements
    return [("numba", lambda: loop(x, i, u, y))]


def torch_peer(x, i, u, y):
    torch = imported("torch")
    if not torch:
        return []
    torch.set_num_threads(1)
    tx, ti, tu, ty = (torch.from_numpy(a) for a in (x, i, u, y))
    return [("torch", lambda: ty.copy_(tx).index_add_(0, ti, tu))]


def engine_peer(nodes, inputs, sizes):
    """A model of ONNX Runtime, with operands and result in place."""
    onnx, ort = imported("onnx"), imported("onnxruntime")
    if not onnx or not ort:
        return []
    import onnx.helper as helper
    infos = [helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(a.dtype), a.shape) for name, a in inputs.items()]
    graph = helper.make_graph([helper.make_node(op, *rest, **more) for op, *rest, more in nodes], "g", infos,
                              [helper.make_tensor_value_info("y", 1, sizes)])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    session = ort.InferenceSession(model.SerializeToString(), options, ["CPUExecutionProvider"])
    made = np.empty(sizes, np.float32)
    binding = session.io_binding()
    for name, a in inputs.items():
        binding.bind_ortvalue_input(name, ort.OrtValue.ortvalue_from_numpy(a))
    binding.bind_ortvalue_output("y", ort.OrtValue.ortvalue_from_numpy(made))

    def call():
        session.run_with_iobinding(binding)
        return binding.get_outputs()[0].numpy()
    return [("ONNX Runtime", call)]


def table(name, kernel, operands, right, y, peers, seconds):
    kernel(*operands, out=y)
    assert np.allclose(y, right, rtol=1e-4, atol=1e-4), name
    for peer, call in peers:
        result, made = call(), peers_result[0]
        result = made if result is None or peer == "numba" else np.asarray(result)
        assert np.allclose(result, right, rtol=1e-4, atol=1e-4), (name, peer)
    took = least([lambda: kernel(*operands, out=y)] + [call for _, call in peers], seconds)
    print(f"{name:48s} {took[0] * 1e6:9.1f} us  " + "  ".join(f"{peer} {took[0] / other:.2f}" for (peer, _), other in zip(peers, took[1:])), flush=True)


peers_result = [None]


def added(x, i, u):
    right = x.copy()
    np.add.at(right, i, u)
    return right


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=1.0, help="for each line")
    seconds = parser.parse_args().seconds
    c, rng, n = loops(), np.random.default_rng(1), 64
    for count in (1 << 10, 1 << 16):
        for collisions, places in (("few", count), ("many", count // 16)):
            x, u, i = (rng.standard_normal((k, n)).astype("f4") for k in (places, count)), None, rng.integers(0, places, count)
            x, u = x
            y, z = np.empty_like(x), np.empty_like(x)
            peers_result[0] = z
            wide = np.ascontiguousarray(np.broadcast_to(i[:, None], u.shape))
            kernel = tosajit.compile("scatter_add(x, reshape(i, (-1, 1)), u) : f32[?,64], i64[?], f32[?,64]").wait()
            table(f"{count} rows of {n} into {places}", kernel, (x, i, u), added(x, i, u), y,
                  [("C", call_of(c.rows, (x, i, u, z), (places, count, n)))] + numba_peer(x, i, u, z) + torch_peer(x, i, u, z)
                  + engine_peer([("ScatterElements", ["x", "i", "u"], ["y"], {"axis": 0, "reduction": "add"})], {"x": x, "i": wide, "u": u}, x.shape), seconds)
            h, w, come = rng.standard_normal((places, n)).astype("f4"), rng.standard_normal((count, 1)).astype("f4"), rng.integers(0, places, count)
            kernel = tosajit.compile("scatter_add(x, reshape(i, (-1, 1)), take(h, come, 0) * w) : x: f32[?,64], i: i64[?], h: f32[?,64], come: i64[?], w: f32[?,1]").wait()
            table(f"{count} messages of {n} to {places}", kernel, (x, i, h, come, w), added(x, i, h[come] * w), y,
                  [("C", call_of(c.messages, (x, i, h, come, w, z), (places, count, n)))]
                  + engine_peer([("Gather", ["h", "f"], ["g"], {}), ("Mul", ["g", "w"], ["m"], {}), ("ScatterElements", ["x", "i", "m"], ["y"], {"axis": 0, "reduction": "add"})],
                                {"x": x, "i": wide, "h": h, "f": come, "w": w}, x.shape), seconds)
    for count in (1 << 16, 1 << 22):
        for collisions, places in (("few", count), ("many", 256)):
            x, u, i = rng.standard_normal(places).astype("f4"), rng.integers(-8, 8, count).astype("f4"), rng.integers(0, places, count)
            y, z = np.empty_like(x), np.empty_like(x)
            peers_result[0] = z
            kernel = tosajit.compile("scatter_add(x, i, u) : f32[?], i64[?], f32[?]").wait()
            table(f"{count} elements into {places}", kernel, (x, i, u), added(x, i, u), y,
                  [("C", call_of(c.elements, (x, i, u, z), (places, count)))] + numba_peer(x, i, u, z) + torch_peer(x, i, u, z)
                  + engine_peer([("ScatterElements", ["x", "i", "u"], ["y"], {"axis": 0, "reduction": "add"})], {"x": x, "i": i, "u": u}, x.shape), seconds)


if __name__ == "__main__":
    sys.exit(main())

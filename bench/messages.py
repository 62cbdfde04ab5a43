# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks over graphs in ONNX Runtime, as models and as `tosajit onnx` converts them: one process, turns of a random order, the least of many.

    taskset -c 1 python3 bench/messages.py build/tools/tosajit build/tools/onnxruntime/libtosajit-onnxruntime.so

GIN adds what edges bring, relu(h[source] + edge), to its nodes; PaiNN multiplies scalars and vectors of neighbours by filters of their distance, and
adds both. Models are as PyTorch's exporter writes them: the index of a scatter is repeated along the features."""
import argparse
import os
import random
import subprocess
import sys
import tempfile
import time

import numpy as np
import onnx
import onnxruntime as ort
from onnx import helper, numpy_helper

F = 64


class Model:
    def __init__(self, seed):
        self.rng, self.nodes, self.constants, self.inputs = np.random.default_rng(seed), [], [], {}

    def node(self, op, *inputs, **attributes):
        name = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, list(inputs), [name], **attributes))
        return name

    def constant(self, values):
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(values), name))
        return name

    def input(self, name, values):
        self.inputs[name] = values
        return name

    def linear(self, x, rows, columns):
        w = (self.rng.standard_normal((rows, columns)) / rows ** 0.5).astype(np.float32)
        return self.node("Add", self.node("MatMul", x, self.constant(w)), self.constant(np.zeros(columns, np.float32)))

    def silu(self, x):
        return self.node("Mul", x, self.node("Sigmoid", x))

    def add_at(self, count, to, rows, shape):
        """What index_add of PyTorch is: the index is repeated along the features."""
        sizes = [shape[0]] + [1] * (len(shape) - 1)
        index = self.node("Expand", self.node("Reshape", to, self.constant(np.int64(sizes))), self.constant(np.int64(shape)))
        zero = self.constant(np.zeros([count] + list(shape[1:]), np.float32))
        return self.node("ScatterElements", zero, index, rows, axis=0, reduction="add")

    def save(self, result, path):
        kinds = [helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(a.dtype), a.shape) for n, a in self.inputs.items()]
        graph = helper.make_graph(self.nodes, "g", kinds, [helper.make_tensor_value_info(result, 1, None)], self.constants)
        onnx.save(onnx.shape_inference.infer_shapes(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)), path)


def graph_of(m, nodes, edges):
    return m.input("source", m.rng.integers(0, nodes, edges)), m.input("target", m.rng.integers(0, nodes, edges))


def gin(nodes, edges, layers=5):
    m = Model(1)
    source, target = graph_of(m, nodes, edges)
    h = m.input("h", m.rng.standard_normal((nodes, F)).astype(np.float32))
    e = m.input("e", m.rng.standard_normal((edges, F)).astype(np.float32))
    for _ in range(layers):
        message = m.node("Relu", m.node("Add", m.node("Gather", h, source), e))
        summed = m.add_at(nodes, target, message, (edges, F))
        own = m.node("Add", m.node("Mul", h, m.constant(np.float32(1.1))), summed)
        h = m.node("Relu", m.linear(m.node("Relu", m.linear(own, F, 2 * F)), 2 * F, F))
    return m, h


def painn(nodes, edges, layers=3):
    m = Model(2)
    source, target = graph_of(m, nodes, edges)
    s = m.input("s", m.rng.standard_normal((nodes, F)).astype(np.float32))
    v = m.input("v", m.rng.standard_normal((nodes, 3, F)).astype(np.float32))
    basis = m.input("basis", m.rng.standard_normal((edges, 20)).astype(np.float32))
    direction = m.input("direction", m.rng.standard_normal((edges, 3, 1)).astype(np.float32))
    three = m.constant(np.int64([F, F, F]))
    for _ in range(layers):
        phi = m.linear(m.silu(m.linear(s, F, F)), F, 3 * F)
        filters = m.linear(basis, 20, 3 * F)
        mixed = m.node("Mul", m.node("Gather", phi, source), filters)
        parts = [f"p{len(m.nodes)}{k}" for k in range(3)]
        m.nodes.append(helper.make_node("Split", [mixed, three], parts, axis=1))
        one = m.constant(np.int64([1]))
        moved = m.node("Add", m.node("Mul", m.node("Gather", v, source), m.node("Unsqueeze", parts[1], one)), m.node("Mul", m.node("Unsqueeze", parts[2], one), direction))
        ds = m.add_at(nodes, target, parts[0], (edges, F))
        dv = m.add_at(nodes, target, moved, (edges, 3, F))
        s, v = m.node("Add", s, ds), m.node("Add", v, dv)
    return m, m.node("Add", s, m.node("ReduceMean", v, m.constant(np.int64([1])), keepdims=0))


def session(path, library, threads):
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    if library:
        options.register_custom_ops_library(library)
    return ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("library")
    parser.add_argument("--seconds", type=float, default=4.0)
    parser.add_argument("--threads", type=int, default=1)
    given = parser.parse_args()
    folder = tempfile.mkdtemp()
    for name, make, nodes, edges in (("GIN", gin, 2000, 16000), ("GIN", gin, 500, 2000), ("PaiNN", painn, 600, 8000), ("PaiNN", painn, 100, 1000)):
        source, target = os.path.join(folder, "in.onnx"), os.path.join(folder, "out.onnx")
        m, result = make(nodes, edges)
        m.save(result, source)
        done = subprocess.run([given.tool, "onnx", source, "-o", target], capture_output=True, text=True)
        if done.returncode:
            sys.exit(done.stderr)
        both = [session(source, None, given.threads), session(target, given.library, given.threads)]
        want, found = (s.run(None, m.inputs)[0] for s in both)
        np.testing.assert_allclose(found, want, rtol=1e-3, atol=1e-3 * np.abs(want).max())
        best, end = [float("inf")] * 2, time.perf_counter() + given.seconds
        while time.perf_counter() < end:
            for k in random.sample(range(2), 2):
                start = time.perf_counter()
                both[k].run(None, m.inputs)
                best[k] = min(best[k], time.perf_counter() - start)
        print(f"{name}, {nodes} nodes, {edges} edges".ljust(36) + f"ONNX Runtime {best[0] * 1e3:8.2f} ms, converted {best[1] * 1e3:8.2f} ms: {best[1] / best[0]:.2f}", flush=True)


if __name__ == "__main__":
    sys.exit(main())

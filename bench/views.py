# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operands that repeat or skip, of 4M elements, beside numba's fastmath loops on one thread; and
softmax and sums on two threads beside ONNX Runtime and PyTorch with two. In turns of random order,
the least of each.

    PYTHONPATH=build/tools/python python3 bench/views.py [SECONDS]

Results lie where the library puts its own. Each is compared before it is timed."""
import sys

import numpy as np

from python import imported, machine, tosajit, usual_times

numba, torch, ort = (imported(name) for name in ("numba", "torch", "onnxruntime"))
onnx = ort and imported("onnx.helper")
N, C = 1 << 14, 256


def every_second(x, out):
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            out[i, j] = x[i, j] + np.float32(1)


def column(x, y, out):
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            out[i, j] = x[i, j] + y[i, 0]


def outer(x, y, out):
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            out[i, j] = x[i, 0] + y[0, j]


def batches(x, y, out):
    for i in range(out.shape[0]):
        for h in range(out.shape[1]):
            for j in range(out.shape[2]):
                out[i, h, j] = x[i, 0, j] + y[0, h, j]


def normal(*shape):
    return np.random.default_rng(len(shape)).standard_normal(shape, np.float32)


# name, text, operands, loop
CASES = [
    ("every second column", "r = x + 1 : f32[?,?]", [normal(N, 2 * C)[:, ::2]], every_second),
    ("column", "r = x + y : f32[?,?], f32[?,1]", [normal(N, C), normal(N, 1)], column),
    ("outer", "r = x + y : f32[?,1], f32[1,?]", [normal(N, 1), normal(1, C)], outer),
    ("[N,1,C] and [1,H,C]", "r = x + y : f32[?,1,?], f32[1,?,?]",
     [normal(N // 16, 1, C), normal(1, 16, C)], batches),
]


def views(seconds):
    engine = tosajit.Engine(threads=1)
    print("| of 4M elements | us | of numba |\n|---|--:|--:|")
    for name, text, arrays, loop in CASES:
        kernel, compiled = engine.compile(text), numba.njit(loop, fastmath=True)
        kernel.wait()
        out = kernel(*arrays)
        expected = out.copy()
        compiled(*arrays, out)
        np.testing.assert_array_equal(out, expected, name)
        times = usual_times({"tosajit": lambda: kernel(*arrays, out=out),
                             "numba": lambda: compiled(*arrays, out)}, seconds)
        own, other = times["tosajit"], times["numba"]
        print(f"| {name} | {own * 1e6:.0f} | {own / other:.2f} |", flush=True)


def session_call(op, x):
    helper, kind = onnx.helper, onnx.TensorProto.FLOAT
    node = helper.make_node(op, ["x"], ["y"], axis=-1)
    graph = helper.make_graph([node], "g", [helper.make_tensor_value_info("x", kind, x.shape)],
                              [helper.make_tensor_value_info("y", kind, x.shape)])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)
    options = ort.SessionOptions()
    options.intra_op_num_threads = 2
    session = ort.InferenceSession(model.SerializeToString(), options,
                                   providers=["CPUExecutionProvider"])
    binding, value = session.io_binding(), ort.OrtValue.ortvalue_from_numpy(x)
    binding.bind_ortvalue_input("x", value)
    binding.bind_ortvalue_output("y", ort.OrtValue.ortvalue_from_numpy(np.empty_like(x)))
    return lambda: session.run_with_iobinding(binding)


def two_threads(seconds):
    engine = tosajit.Engine(threads=2)
    torch.set_num_threads(2)
    print("\n| on two threads | rows | us | of the peer |\n|---|---|--:|--:|")
    for name, op in (("softmax", "Softmax"), ("log_softmax", "LogSoftmax")):
        for rows in (1024, 64):
            x = normal(rows, (1 << 16) // rows)
            kernel = engine.compile(f"r = {name}(x) : f32[?,?]")
            kernel.wait()
            out = kernel(x)
            times = usual_times({"tosajit": lambda: kernel(x, out=out),
                                 "ONNX Runtime": session_call(op, x)}, seconds)
            own, other = times["tosajit"], times["ONNX Runtime"]
            print(f"| {name} | {rows} | {own * 1e6:.1f} | {own / other:.2f} ONNX Runtime |",
                  flush=True)
    x = normal(1 << 24)
    kernel, tensor = engine.compile("r = sum(x) : f32[?]"), torch.from_numpy(x)
    kernel.wait()
    times = usual_times({"tosajit": lambda: kernel(x), "PyTorch": tensor.sum}, seconds)
    own, other = times["tosajit"], times["PyTorch"]
    print(f"| sum of 64 MB | 1 | {own * 1e6:.0f} | {own / other:.2f} PyTorch |")


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
    print(machine(), end="\n\n")
    views(seconds)
    two_threads(seconds)


if __name__ == "__main__":
    main()

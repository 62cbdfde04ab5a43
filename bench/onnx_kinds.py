# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of many kinds in ONNX Runtime, as they are and by tosajit.onnxruntime.session: one table, with a control. Weights are random;
nothing is downloaded. It needs onnxruntime and onnx; PyTorch is not needed, for the models are written in the operators that its
exporter writes.

    python3 bench/onnx_models.py BUILD [SECONDS [WORD]]

The control is a second session of the model as it is: its column says how far two equal things are apart in this run. `of the time`
is the median over neighbouring pairs of calls. WORD keeps the models whose name has it.
"""
import os
import statistics
import sys
import tempfile
import time

build, seconds, word = (sys.argv[1:] + ["2", ""][len(sys.argv) - 2:])[:3]
sys.path.insert(0, os.path.join(build, "tools/python"))
os.environ.setdefault("TOSAJIT_COMMAND", os.path.join(build, "tools/tosajit"))
os.environ.setdefault("TOSAJIT_ONNX_OPERATORS", os.path.join(build, "tools/onnxruntime/libtosajit-onnxruntime.so"))
import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper
import tosajit.onnxruntime

random = np.random.default_rng(0)


class Builder:
    """Nodes with names that nobody has to think of."""

    def __init__(self, *sizes, kind=np.float32):
        self.nodes, self.constants, self.kind = [], {}, kind
        self.x = helper.make_tensor_value_info("x", helper.np_dtype_to_tensor_dtype(np.dtype(kind)), sizes)

    def constant(self, array):
        name = f"c{len(self.constants)}"
        self.constants[name] = np.asarray(array)
        return name

    def weight(self, *sizes):
        return self.constant((random.standard_normal(sizes) / max(1, np.prod(sizes[1:])) ** 0.5).astype(self.kind))

    def __call__(self, op, *inputs, domain="", **attributes):
        name = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, list(inputs), [name], domain=domain, **attributes))
        return name

    def number(self, value):
        return self.constant(np.asarray(value, self.kind))

    def model(self, result):
        self.nodes.append(helper.make_node("Identity", [result], ["y"]))
        graph = helper.make_graph(self.nodes, "g", [self.x], [helper.make_tensor_value_info("y", self.x.type.tensor_type.elem_type, None)],
                                  [numpy_helper.from_array(a, name) for name, a in self.constants.items()])
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)], ir_version=8)


def activation(b, kind, x):
    if kind == "silu":
        return b("Mul", x, b("Sigmoid", x))
    if kind == "gelu":
        return b("Mul", b("Mul", x, b("Add", b("Erf", b("Div", x, b.number(2**0.5))), b.number(1))), b.number(0.5))
    if kind == "hardswish":
        return b("HardSwish", x)
    if kind == "mish":
        return b("Mul", x, b("Tanh", b("Softplus", x)))
    return b("Relu", x)


def cnn(kind, channels=48, depth=8, size=56, excited=False):
    b = Builder(1, 3, 2 * size, 2 * size)
    x = b("Conv", "x", b.weight(channels, 3, 3, 3), strides=[2, 2], pads=[1, 1, 1, 1])
    for _ in range(depth):
        y = activation(b, kind, b("Conv", x, b.weight(channels, 1, 3, 3), b.weight(channels), group=channels, pads=[1, 1, 1, 1]))
        if excited:
            s = b("Relu", b("Conv", b("GlobalAveragePool", y), b.weight(channels // 4, channels, 1, 1)))
            y = b("Mul", y, b("HardSigmoid", b("Conv", s, b.weight(channels, channels // 4, 1, 1))))
        x = b("Add", x, activation(b, kind, b("Conv", y, b.weight(channels, channels, 1, 1), b.weight(channels))))
    return b.model(x)


def transformer(kind, width=256, length=128, depth=3, heads=4, norm="layer", before=True):
    b = Builder(1, length, width)
    x, head = "x", width // heads

    def normal(x):
        if norm == "layer":
            return b("LayerNormalization", x, b.weight(width), b.weight(width), axis=-1)
        power = b("ReduceMean", b("Pow", x, b.number(2)), axes=[-1])
        return b("Mul", b("Mul", x, b("Reciprocal", b("Sqrt", b("Add", power, b.number(1e-5))))), b.weight(width))

    def attend(x):
        split = b.constant(np.int64([1, length, heads, head]))
        q, k, v = (b("Transpose", b("Reshape", b("Add", b("MatMul", x, b.weight(width, width)), b.weight(width)), split), perm=perm)
                   for perm in ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3]))
        mask = b.constant(np.where(np.tril(np.ones((length, length))), 0, -1e9).astype(np.float32)[None, None])
        weights = b("Softmax", b("Add", b("Div", b("MatMul", q, k), b.number(head**0.5)), mask), axis=-1)
        joined = b("Reshape", b("Transpose", b("MatMul", weights, v), perm=[0, 2, 1, 3]), b.constant(np.int64([1, length, width])))
        return b("Add", b("MatMul", joined, b.weight(width, width)), b.weight(width))

    def feed(x):
        h = activation(b, kind, b("Add", b("MatMul", x, b.weight(width, 4 * width)), b.weight(4 * width)))
        return b("Add", b("MatMul", h, b.weight(4 * width, width)), b.weight(width))
    for _ in range(depth):
        for part in (attend, feed):
            x = b("Add", x, part(normal(x))) if before else normal(b("Add", x, part(x)))
    return b.model(x)


def unet(channels=32, size=64):
    b = Builder(1, channels, size, size)
    x, groups = "x", 8
    for _ in range(4):
        flat = b("Reshape", x, b.constant(np.int64([1, groups, -1])))
        n = b("InstanceNormalization", flat, b.constant(np.ones(groups, np.float32)), b.constant(np.zeros(groups, np.float32)))
        n = b("Reshape", n, b.constant(np.int64([1, channels, size, size])))
        n = b("Add", b("Mul", n, b.weight(channels, 1, 1)), b.weight(channels, 1, 1))
        x = b("Add", x, b("Conv", activation(b, "silu", n), b.weight(channels, channels, 3, 3), pads=[1, 1, 1, 1]))
    return b.model(x)


def mixer(kind):
    b = Builder(64, 512)
    x = "x"
    for _ in range(4):
        h = activation(b, kind, b("Add", b("MatMul", x, b.weight(512, 512)), b.weight(512)))
        x = b("Sin", b("Mul", h, b.number(3)))
    return b.model(x)


def quantized(made, folder, dynamic):
    from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_dynamic, quantize_static
    source, target = os.path.join(folder, "float.onnx"), os.path.join(folder, "quantized.onnx")
    onnx.save(made, source)
    if dynamic:
        quantize_dynamic(source, target)
        return onnx.load(target)

    class Reader(CalibrationDataReader):
        left = 3

        def get_next(self):
            self.left -= 1
            return {"x": input_of(made)} if self.left >= 0 else None
    quantize_static(source, target, Reader(), quant_format=QuantFormat.QDQ, activation_type=QuantType.QUInt8)
    return onnx.load(target)


def input_of(made):
    port = made.graph.input[0].type.tensor_type
    return random.standard_normal([d.dim_value for d in port.shape.dim]).astype(helper.tensor_dtype_to_np_dtype(port.elem_type))


MODELS = {
    "CNN, ReLU": lambda: cnn("relu"), "CNN, hard-swish": lambda: cnn("hardswish"), "CNN, hard-swish and gates": lambda: cnn("hardswish", excited=True),
    "CNN, SiLU": lambda: cnn("silu"), "CNN, SiLU and gates": lambda: cnn("silu", excited=True), "CNN, GELU": lambda: cnn("gelu"), "CNN, Mish": lambda: cnn("mish"),
    "BERT kind": lambda: transformer("gelu", before=False), "GPT kind": lambda: transformer("gelu"), "Llama kind": lambda: transformer("silu", norm="rms"),
    "MiniLM kind": lambda: transformer("gelu", 384, 64, 2, 12, before=False), "ReLU transformer": lambda: transformer("relu"),
    "U-Net kind": unet, "sines": lambda: mixer("gelu"), "perceptron, Mish": lambda: mixer("mish"), "perceptron, ReLU": lambda: mixer("relu"),
}


def open_session(make, made, threads, **options):
    chosen = ort.SessionOptions()
    chosen.intra_op_num_threads = threads
    chosen.log_severity_level = 4
    chosen.add_session_config_entry("tosajit.compile", "now")
    return make(made.SerializeToString(), chosen, providers=["CPUExecutionProvider"], **options)


def seconds_of(session, given):
    start = time.perf_counter()
    session.run(None, given)
    return time.perf_counter() - start


def ratios(sessions, given):
    """Of the others' times to the first one's, by neighbours in turns."""
    for session in sessions * 3:
        session.run(None, given)
    found, first, end = [[] for _ in sessions[1:]], [], time.perf_counter() + float(seconds)
    while len(first) < 7 or time.perf_counter() < end:
        order = list(range(len(sessions)))
        order = order[len(first) % len(order):] + order[:len(first) % len(order)]
        times = dict((k, seconds_of(sessions[k], given)) for k in order)
        first.append(times[0])
        for k, ratio in enumerate(found):
            ratio.append(times[k + 1] / times[0])
    return statistics.median(first), [statistics.median(ratio) for ratio in found]


def main():
    print("ONNX Runtime %s, tosajit %s\n" % (ort.__version__, tosajit.__version__))
    print("| model | operators | in regions | threads | ms | tosajit, of the time | control | apart, of the largest |")
    print("|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        makers = dict(MODELS)
        for name in ("CNN, hard-swish", "CNN, ReLU", "CNN, hard-swish and gates"):
            makers[name + ", QDQ"] = lambda name=name: quantized(MODELS[name](), folder, False)
        for name in ("BERT kind", "perceptron, ReLU"):
            makers[name + ", dynamic int8"] = lambda name=name: quantized(MODELS[name](), folder, True)
        for name, make in makers.items():
            if word not in name:
                continue
            made = make()
            given, cache = {"x": input_of(made)}, os.path.join(folder, "kept")
            for threads in (1, 2):
                sessions = [open_session(ort.InferenceSession, made, threads), open_session(tosajit.onnxruntime.session, made, threads, cache=cache),
                            open_session(ort.InferenceSession, made, threads)]
                a, b = (session.run(None, given)[0].astype(np.float64) for session in sessions[:2])
                kept = [os.path.join(base, file) for base, _, files in os.walk(cache) for file in files if file == "model.onnx"]
                newest = max(kept, key=os.path.getmtime, default=None)
                regions = [n for n in onnx.load(newest).graph.node if n.domain == "tosajit"] if newest else []
                inside = sum(text.count(" = ") for n in regions for text in [n.attribute[0].s.decode()])
                before, (own, control) = ratios(sessions, given)
                print("| %s | %d | %d in %d | %d | %.3f | %.3f | %.3f | %.1e |" % (
                    name, len(made.graph.node), inside, len(regions), threads, 1e3 * before, own, control, abs(a - b).max() / max(abs(a).max(), 1e-30)), flush=True)


if __name__ == "__main__":
    main()

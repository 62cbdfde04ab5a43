# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models with random weights by the exporter of PyTorch 2 (torch.export), at opsets 18 to 23, for
onnx_models.py: modules of timm and transformers where these are there, of torchvision, and some
written here. Whoever has not the package of a model has not the model.

    MODELS: name -> (folder -> (file, {input: array}));  PACKAGE: name -> the package that it needs
    beside torch
"""
import contextlib
import importlib.util
import io
import os
import warnings

import numpy as np

from onnx_kinds import halved, quantized

MODELS, PACKAGE = {}, {}


def zoo(name, opset, package=None):
    """A function that gives a module and its operands."""
    def add(make):
        def save(folder):
            import onnx
            import torch
            import torch_modules
            if package and importlib.util.find_spec("torchvision"):
                torch_modules.import_torchvision()  # which the package would fail at
            torch.manual_seed(0)
            module, given = make()
            file = os.path.join(folder, "model.onnx")
            names = ["x%d" % k for k in range(len(given))]
            with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
                warnings.simplefilter("ignore")
                torch.onnx.export(module.eval(), given, file, dynamo=True, opset_version=opset,
                                  input_names=names, external_data=False,
                                  verbose=False)
            ports = [port.name for port in onnx.load(file, load_external_data=False).graph.input]
            return file, {port: a.numpy() for port, a in zip(names, given) if port in ports}
        MODELS[name], PACKAGE[name] = save, package
        return make
    return add


# ---- timm

def of_timm(word, *sizes):
    import timm
    import torch
    return timm.create_model(word, pretrained=False, exportable=True), (torch.randn(1, 3, *sizes),)


for _name, _word, _opset, _size in (("ConvNeXt v2 atto", "convnextv2_atto", 20, 224),
                                    ("LeViT 128s", "levit_128s", 18, 224),
                                    ("MobileViT xs", "mobilevit_xs", 20, 192),
                                    ("FastViT t8", "fastvit_t8", 20, 192),
                                    ("EfficientNet v2 b0", "tf_efficientnetv2_b0", 18, 192),
                                    ("ViT tiny", "vit_tiny_patch16_224", 23, 224),
                                    ("Swin tiny", "swin_tiny_patch4_window7_224", 20, 224),
                                    ("MobileNet v4", "mobilenetv4_conv_small", 18, 224),
                                    ("RegNetY 002", "regnety_002", 18, 224),
                                    ("GhostNet", "ghostnet_100", 18, 224)):
    zoo(_name, _opset, "timm")(lambda word=_word, size=_size: of_timm(word, size, size))


# ---- transformers

def words(length, batch=1):
    import torch
    return torch.randint(3, 900, (batch, length))


def only(module, call):
    """A module with one function of it as forward, whose results are tensors."""
    import torch

    class Only(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.module = module

        def forward(self, *given):
            return call(self.module, *given)
    return Only()


SMALL = dict(vocab_size=1000, hidden_size=192, num_hidden_layers=3, num_attention_heads=4,
             intermediate_size=768)


@zoo("BERT", 20, "transformers")
def bert():
    import transformers as t
    return (only(t.BertModel(t.BertConfig(**SMALL)), lambda m, x: m(x).last_hidden_state),
            (words(64),))


@zoo("DeBERTa", 18, "transformers")
def deberta():
    import transformers as t
    config = t.DebertaV2Config(**SMALL, relative_attention=True, position_buckets=32,
                               pos_att_type=["p2c", "c2p"], norm_rel_ebd="layer_norm",
                               share_att_key=True, max_position_embeddings=128)
    return only(t.DebertaV2Model(config), lambda m, x: m(x).last_hidden_state), (words(64),)


@zoo("T5 encoder", 18, "transformers")
def t5():
    import transformers as t
    config = t.T5Config(vocab_size=1000, d_model=192, d_kv=48, d_ff=512, num_layers=3, num_heads=4,
                        feed_forward_proj="gated-gelu")
    return only(t.T5EncoderModel(config), lambda m, x: m(x).last_hidden_state), (words(64),)


@zoo("GPT-2", 20, "transformers")
def gpt2():
    import transformers as t
    config = t.GPT2Config(vocab_size=1000, n_embd=192, n_layer=3, n_head=4, use_cache=False)
    return only(t.GPT2LMHeadModel(config), lambda m, x: m(x).logits), (words(64),)


@zoo("SegFormer", 20, "transformers")
def segformer():
    import torch
    import transformers as t
    config = t.SegformerConfig(depths=[1, 1, 1, 1], decoder_hidden_size=128)
    return (only(t.SegformerForSemanticSegmentation(config), lambda m, x: m(x).logits),
            (torch.randn(1, 3, 256, 256),))


@zoo("wav2vec 2", 18, "transformers")
def wav2vec2():
    import torch
    import transformers as t
    config = t.Wav2Vec2Config(**SMALL, conv_dim=[128] * 7, num_conv_pos_embeddings=32,
                              num_conv_pos_embedding_groups=4)
    return only(t.Wav2Vec2ForCTC(config), lambda m, x: m(x).logits), (torch.randn(1, 8000),)


def whisper():
    import transformers as t
    return t.WhisperModel(t.WhisperConfig(vocab_size=1000, d_model=192, encoder_layers=2,
                                          decoder_layers=2, encoder_attention_heads=4,
                                          decoder_attention_heads=4, encoder_ffn_dim=768,
                                          decoder_ffn_dim=768, max_source_positions=200,
                                          pad_token_id=0, bos_token_id=1, eos_token_id=2,
                                          decoder_start_token_id=1,
                                          suppress_tokens=None, begin_suppress_tokens=None))


@zoo("Whisper encoder", 20, "transformers")
def whisper_encoder():
    import torch
    return only(whisper().encoder, lambda m, x: m(x).last_hidden_state), (torch.randn(1, 80, 400),)


@zoo("Whisper decoder", 20, "transformers")
def whisper_decoder():
    import torch
    return only(whisper().decoder, lambda m, x, state: m(input_ids=x, encoder_hidden_states=state,
                                                         use_cache=False).last_hidden_state), (
                                                             words(16), torch.randn(1, 200, 192))


# ---- Written here

def decoder(bias, layers=4, width=128, heads=4, pairs=2, past=64):
    """One token of a Llama: the keys and values of those before are operands, and come back longer
    by one."""
    import torch
    from torch import nn
    from torch.nn import functional as F

    class RMS(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = nn.Parameter(torch.rand(width) + 0.5)

        def forward(self, x):
            return self.weight * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6))

    class Layer(nn.Module):
        def __init__(self):
            super().__init__()
            head = width // heads
            self.first, self.second = RMS(), RMS()
            self.q = nn.Linear(width, width, bias=bias)
            self.k, self.v = (nn.Linear(width, pairs * head, bias=bias) for _ in range(2))
            self.out = nn.Linear(width, width, bias=False)
            self.gate, self.up, self.down = (nn.Linear(a, b, bias=False)
                                             for a, b in ((width, 352), (width, 352), (352, width)))

        def forward(self, x, cos, sin, keys, values):
            def turn(a):
                half = a.shape[-1] // 2
                return a * cos + torch.cat((-a[..., half:], a[..., :half]), -1) * sin
            y = self.first(x)
            q, k, v = (f(y).unflatten(-1, (-1, width // heads)).transpose(1, 2)
                       for f in (self.q, self.k, self.v))
            k, v = torch.cat((keys, turn(k)), 2), torch.cat((values, v), 2)
            wide = [a.repeat_interleave(heads // pairs, 1) for a in (k, v)]
            scores = turn(q) @ wide[0].transpose(2, 3) / (width / heads) ** 0.5
            x = x + self.out((scores.softmax(-1) @ wide[1]).transpose(1, 2).flatten(2))
            y = self.second(x)
            return x + self.down(F.silu(self.gate(y)) * self.up(y)), k, v

    class Decoder(nn.Module):
        def __init__(self):
            super().__init__()
            self.words, self.norm = nn.Embedding(1000, width), RMS()
            self.layers, self.head = (nn.ModuleList(Layer() for _ in range(layers)),
                                      nn.Linear(width, 1000, bias=False))
            self.register_buffer("speeds", 10000.0 ** -(torch.arange(0, width // heads, 2)
                                                        / (width // heads)))

        def forward(self, word, place, *kept):
            x, angle = self.words(word), place[:, None].float() * self.speeds
            angle, now = torch.cat((angle, angle), -1), []
            for k, layer in enumerate(self.layers):
                x, *own = layer(x, angle.cos(), angle.sin(), kept[2 * k], kept[2 * k + 1])
                now += own
            return (self.head(self.norm(x)), *now)

    kept = [torch.randn(1, pairs, past, width // heads) for _ in range(2 * layers)]
    return Decoder(), (words(1), torch.tensor([past]), *kept)


zoo("Llama, one token", 20)(lambda: decoder(False))
zoo("Qwen 2, one token", 23)(lambda: decoder(True, layers=5))


@zoo("Mamba, unrolled", 20)
def mamba(width=64, state=16, steps=32):
    import torch
    from torch import nn
    from torch.nn import functional as F

    class Mamba(nn.Module):
        """A selective scan, of which the exporter writes each step."""
        def __init__(self):
            super().__init__()
            self.both, self.out = nn.Linear(width, 4 * width,
                                            bias=False), nn.Linear(2 * width, width, bias=False)
            self.conv = nn.Conv1d(2 * width, 2 * width, 4, groups=2 * width, padding=3)
            self.select, self.pace = nn.Linear(2 * width, 4 + 2 * state,
                                               bias=False), nn.Linear(4, 2 * width)
            self.a, self.d = nn.Parameter(torch.rand(2 * width,
                                                     state)), nn.Parameter(torch.rand(2 * width))

        def forward(self, x):
            u, gate = self.both(x).chunk(2, -1)
            u = F.silu(self.conv(u.transpose(1, 2))[..., :steps].transpose(1, 2))
            pace, b, c = self.select(u).split((4, state, state), -1)
            pace = F.softplus(self.pace(pace))
            decay, input = torch.exp(-pace[..., None]
                                     * self.a.exp()), pace[..., None] * b[:, :, None] * u[..., None]
            h, results = torch.zeros(x.shape[0], 2 * width, state), []
            for k in range(steps):
                h = decay[:, k] * h + input[:, k]
                results.append((h * c[:, k, None]).sum(-1))
            return self.out((torch.stack(results, 1) + u * self.d) * F.silu(gate))
    return Mamba(), (torch.randn(1, steps, width),)


@zoo("vocoder, snake", 20)
def snake(width=64):
    import torch
    from torch import nn

    class Snake(nn.Module):
        def __init__(self, width):
            super().__init__()
            self.alpha = nn.Parameter(torch.rand(1, width, 1) + 0.5)

        def forward(self, x):
            return x + torch.sin(self.alpha * x) ** 2 / self.alpha

    def stage(a, b, rate):
        return nn.Sequential(Snake(a), nn.ConvTranspose1d(a, b, 2 * rate, rate, rate // 2),
                             Snake(b), nn.Conv1d(b, b, 7, padding=3))
    return nn.Sequential(nn.Conv1d(32, width, 7, padding=3), stage(width, 32, 8), stage(32, 16, 4),
                         Snake(16), nn.Conv1d(16, 1, 7, padding=3),
                         nn.Tanh()), (torch.randn(1, 32, 64),)


@zoo("vocoder, HiFi-GAN", 18)
def hifigan(width=64):
    import torch
    from torch import nn
    from torch.nn import functional as F

    class Block(nn.Module):
        def __init__(self, width):
            super().__init__()
            self.convs = nn.ModuleList(nn.Conv1d(width, width, 3, padding=d, dilation=d)
                                       for d in (1, 3, 5))

        def forward(self, x):
            for conv in self.convs:
                x = x + conv(F.leaky_relu(x, 0.1))
            return x

    def stage(a, b, rate):
        return nn.Sequential(nn.LeakyReLU(0.1), nn.ConvTranspose1d(a, b, 2 * rate, rate, rate // 2),
                             Block(b))
    return nn.Sequential(nn.Conv1d(32, width, 7, padding=3), stage(width, 32, 8), stage(32, 16, 4),
                         nn.LeakyReLU(0.1),
                         nn.Conv1d(16, 1, 7, padding=3), nn.Tanh()), (torch.randn(1, 32, 64),)


def face(sizes, *shape):
    import torch
    from torch import nn
    layers = []
    for a, b, pool in sizes:
        layers += [nn.Conv2d(a, b, 3), nn.PReLU(b)] + [nn.MaxPool2d(2, 2, ceil_mode=True)] * pool
    return nn.Sequential(*layers), (torch.randn(*shape),)


zoo("faces, first net", 18)(lambda: face(((3, 10, True), (10, 16, False), (16, 32, False)), 1, 3,
                                         120, 160))
zoo("faces, third net", 20)(lambda: face(((3, 32, True), (32, 64, True), (64, 64, True)), 16, 3, 48,
                                         48))


@zoo("graph network", 20)
def graph(nodes=300, edges=3000, width=64):
    import torch
    from torch import nn
    from torch.nn import functional as F

    class Graph(nn.Module):
        """Messages along edges, summed where they arrive."""
        def __init__(self):
            super().__init__()
            self.message = nn.ModuleList(nn.Linear(2 * width, width) for _ in range(3))
            self.update = nn.ModuleList(nn.Linear(width, width) for _ in range(3))
            self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(3))

        def forward(self, x, source, target):
            for message, update, norm in zip(self.message, self.update, self.norms):
                sent = F.silu(message(torch.cat((x[source], x[target]), -1)))
                x = norm(x + F.silu(update(torch.zeros_like(x).index_add(0, target, sent))))
            return x
    return Graph(), (torch.randn(nodes, width), torch.randint(nodes, (edges,)),
                     torch.randint(nodes, (edges,)))


@zoo("detector", 18)
def detector(width=32):
    import torch
    from torch import nn

    class CSP(nn.Module):
        def __init__(self, width):
            super().__init__()
            conv = lambda a, b, k: nn.Sequential(nn.Conv2d(a, b, k, padding=k // 2, bias=False),
                                                 nn.BatchNorm2d(b), nn.SiLU())
            self.first, self.one, self.two, self.last = conv(width, width, 1), conv(width // 2, width // 2, 3), conv(width // 2, width // 2, 3), conv(
                width + width // 2, width, 1)

        def forward(self, x):
            a, b = self.first(x).chunk(2, 1)
            return self.last(torch.cat((a, b, b + self.two(self.one(b))), 1))

    class Detector(nn.Module):
        """A YOLO: boxes by a softmax over the bins of each side."""
        def __init__(self):
            super().__init__()
            down = lambda a, b: nn.Sequential(nn.Conv2d(a, b, 3, 2, 1, bias=False),
                                              nn.BatchNorm2d(b), nn.SiLU())
            self.body = nn.Sequential(down(3, width), down(width, width), CSP(width),
                                      down(width, 2 * width), CSP(2 * width))
            self.boxes, self.kinds = nn.Conv2d(2 * width, 64, 1), nn.Conv2d(2 * width, 20, 1)
            self.register_buffer("bins", torch.arange(16.0))

        def forward(self, x):
            x = self.body(x)
            bins = self.boxes(x).flatten(2).unflatten(1, (4, 16)).transpose(1, 2).softmax(1)
            return torch.cat(((bins * self.bins[:, None, None]).sum(1),
                              self.kinds(x).flatten(2).sigmoid()), 1)
    return Detector(), (torch.randn(1, 3, 192, 192),)


@zoo("voice activity, written out", 20)
def voice(width=64):
    import torch
    from torch import nn

    class Voice(nn.Module):
        """Frames of a spectrum, four convolutions, and one step of an LSTM that is written out."""
        def __init__(self):
            super().__init__()
            self.spectrum = nn.Conv1d(1, 130, 128, 64, bias=False)
            self.convs = nn.Sequential(*(layer for a, b, s in ((65, width, 1), (width, 32, 2),
                                                               (32, width, 2)) for layer in
                                         (nn.Conv1d(a, b, 3, s, 1), nn.ReLU())))
            self.input, self.hidden, self.head = (nn.Linear(width, 4 * width),
                                                  nn.Linear(width, 4 * width), nn.Linear(width, 1))

        def forward(self, x, h, c):
            real, imaginary = self.spectrum(x[:, None]).chunk(2, 1)
            x = self.convs((real ** 2 + imaginary ** 2).sqrt())
            for k in range(2):
                i, f, g, o = (self.input(x[..., k]) + self.hidden(h)).chunk(4, -1)
                c = f.sigmoid() * c + i.sigmoid() * g.tanh()
                h = o.sigmoid() * c.tanh()
            return self.head(h.relu()).sigmoid(), h, c
    return Voice(), (torch.randn(1, 512), torch.randn(1, width), torch.randn(1, width))


@zoo("image decoder", 20)
def images(width=64):
    import torch
    from torch import nn
    from torch.nn import functional as F

    class Block(nn.Module):
        def __init__(self, a, b):
            super().__init__()
            self.norms, self.convs = nn.ModuleList((nn.GroupNorm(16, a),
                                                    nn.GroupNorm(16, b))), nn.ModuleList(
                                                        (nn.Conv2d(a, b, 3, padding=1),
                                                         nn.Conv2d(b, b, 3, padding=1)))
            self.skip = nn.Conv2d(a, b, 1) if a != b else nn.Identity()

        def forward(self, x):
            y = x
            for norm, conv in zip(self.norms, self.convs):
                y = conv(F.silu(norm(y)))
            return y + self.skip(x)
    return nn.Sequential(nn.Conv2d(4, width, 3, padding=1), Block(width, width),
                         nn.Upsample(scale_factor=2.0), Block(width, 32),
                         nn.Upsample(scale_factor=2.0), Block(32, 32), nn.GroupNorm(16, 32),
                         nn.SiLU(), nn.Conv2d(32, 3, 3, padding=1)), (
        torch.randn(1, 4, 32, 32),)


for _base in ("BERT", "ConvNeXt v2 atto", "image decoder"):
    MODELS[_base + ", half"], PACKAGE[_base + ", half"] = halved(MODELS[_base]), PACKAGE[_base]
for _base in ("detector", "MobileNet v4"):
    MODELS[_base + ", QDQ"], PACKAGE[_base
                                     + ", QDQ"] = quantized(MODELS[_base], False), PACKAGE[_base]
for _base in ("BERT", "Whisper decoder", "Llama, one token"):
    MODELS[_base + ", dynamic int8"], PACKAGE[_base + ", dynamic int8"] = quantized(MODELS[_base], True), PACKAGE[_base]

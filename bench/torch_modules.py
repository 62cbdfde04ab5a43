# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules as models have them, with random weights: for bench/torch_compile.py and the test of the backend for torch.compile."""
import math

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
        self.qkv, self.out = nn.Linear(size, 3 * size, bias=False), nn.Linear(size, size, bias=False)
        self.gate, self.up, self.down = (nn.Linear(a, b, bias=False) for a, b in ((size, 2 * size), (size, 2 * size), (2 * size, size)))

    def forward(self, x):
        batch, length, _ = x.shape
        q, k, v = (t.view(batch, length, self.heads, -1).transpose(1, 2) for t in self.qkv(self.first(x)).chunk(3, -1))
        angle = torch.arange(length)[:, None] * 10000 ** (-torch.arange(0, q.shape[-1], 2) / q.shape[-1])[None, :].repeat(1, 2)
        cos, sin = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
        q, k = q * cos + turned(q) * sin, k * cos + turned(k) * sin
        scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
        scores = scores.masked_fill(torch.ones(length, length, dtype=torch.bool).triu(1), float("-inf"))
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


class BlackScholes(nn.Module):
    def forward(self, x):
        price, strike, years, rate, volatility = x.abs().add(0.5).unbind(-1)
        d1 = (torch.log(price / strike) + (rate + volatility ** 2 / 2) * years) / (volatility * years.sqrt())
        d2 = d1 - volatility * years.sqrt()
        normal = lambda d: 0.5 * (1 + torch.erf(d / math.sqrt(2)))
        return price * normal(d1) - strike * torch.exp(-rate * years) * normal(d2)


def mobile(channels: int, inner: int) -> nn.Module:
    """A block of MobileNet: 1x1, 3x3 of each channel, 1x1, with batch norm and hardswish."""
    return nn.Sequential(nn.Conv2d(channels, inner, 1, bias=False), nn.BatchNorm2d(inner), nn.Hardswish(),
                         nn.Conv2d(inner, inner, 3, padding=1, groups=inner, bias=False), nn.BatchNorm2d(inner), nn.Hardswish(),
                         nn.Conv2d(inner, channels, 1, bias=False), nn.BatchNorm2d(channels))

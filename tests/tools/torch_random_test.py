# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs by torch.compile(backend="tosajit") beside eager PyTorch: the first call, which
precompiled operations compute, the first gradients, and calls behind the compiler. Programs have
views, mutations, types, several results, and products and convolutions between, so that several
kernels come.

    PYTHONPATH=build/tools/python TOSAJIT_TEST_SECONDS=3600 python3 tests/tools/torch_random_test.py [SEED]

What fails is made shorter, and printed as a program with the command that repeats it.

Of exact programs, which have small whole numbers and no functions, results and gradients are equal.
Of others a result may be as far from eager's in f64 as twice eager's own error, and 6 times as far
as it moves where each step is up to a unit of its type off, and 4 units. The moves are measured
four times, with random numbers, so 6 has room for bad luck."""
import itertools
import logging
import os
import random
import sys
import time
import warnings

import torch
import torch.nn.functional as F

import tosajit
import tosajit.torch
from tosajit.torch import _program

warnings.simplefilter("ignore")
torch.set_num_threads(1)
torch._dynamo.config.cache_size_limit = 64
logging.disable(logging.ERROR)  # dynamo's, of what it cannot trace
TYPES = {"F32": torch.float32, "F64": torch.float64, "F16": torch.float16, "BF": torch.bfloat16}
NAMES = {value: key for key, value in TYPES.items()}
MOST = 3000  # elements of a tensor
LARGEST = 1e4


class Step:
    """One line: name = text, where {0}, {1}, ... are names of what it reads."""

    def __init__(self, name, text, reads, value):
        self.name, self.text, self.reads = name, text, list(reads)
        self.shape, self.dtype = tuple(value.shape), value.dtype

    def line(self):
        return f"{self.name} = {self.text.format(*self.reads)}"

    def copy(self):
        other = Step.__new__(Step)
        other.__dict__.update(self.__dict__, reads=list(self.reads))
        return other


class Given:
    """An operand: how it is made, and whether gradients are wanted."""

    def __init__(self, name, tensor, gradient):
        self.name, self.tensor, self.gradient = name, tensor, gradient

    def make(self, wide=False):
        t = self.tensor.detach()
        if wide and t.dtype.is_floating_point:
            t = t.double()
        else:
            t = torch.empty_strided(t.shape, t.stride(), dtype=t.dtype).copy_(t)
        return t.requires_grad_(self.gradient)


class Program:
    def __init__(self, exact, given, steps, results, dynamic):
        self.exact, self.given, self.steps, self.results, self.dynamic = exact, given, steps, results, dynamic

    def text(self, noisy=False):
        lines = [f"def program({', '.join(g.name for g in self.given)}):"]
        for step in self.steps:
            lines.append("    " + step.line())
            if noisy and step.dtype in NAMES:
                lines.append(f"    {step.name} = N({step.name}, {torch.finfo(step.dtype).eps})")
        return "\n".join(lines + [f"    return ({', '.join(self.results)},)"])

    def function(self, wide=False, noise=None):
        def noised(value, unit):
            return value * (1 + unit * (2 * torch.rand(value.shape, generator=noise,
                                                       dtype=value.dtype) - 1))

        scope = {"torch": torch, "F": F, "N": noised,
                 **(dict.fromkeys(TYPES, torch.float64) if wide else TYPES)}
        exec(compile(self.text(noise is not None), "<random program>", "exec"), scope)
        return scope["program"]

    def others(self):
        """With one size of the operands everywhere larger, and smaller."""
        size = max((g.tensor.shape[0] for g in self.given if g.tensor.dim()), default=1)
        for other in (size + 3, size - 1):
            if size < 3:
                return
            given = []
            for g in self.given:
                t = g.tensor
                for d in range(t.dim()):
                    if t.shape[d] == size:
                        t = t.index_select(d, torch.arange(other) % size)
                order = sorted(range(t.dim()), key=lambda d: -g.tensor.stride(d))
                t = t.permute(order).contiguous().permute([order.index(d) for d in range(t.dim())])
                given.append(Given(g.name, t, g.gradient))
            yield Program(self.exact, given, self.steps, self.results, self.dynamic)

    def shown(self):
        lines = ["import torch, torch.nn.functional as F, tosajit.torch",
                 "F32, F64, F16, BF = torch.float32, torch.float64, torch.float16, torch.bfloat16"]
        for g in self.given:
            t = g.tensor.detach()
            lines.append(f"{g.name} = torch.tensor({t.tolist()}, dtype={t.dtype})"
                         if t.numel() <= 40
                         else f"{g.name} = torch.randn({list(t.shape)}).to({t.dtype})")
            plain = t.is_contiguous()
            lines[-1] += f"{'' if plain else f'  # of strides {t.stride()}'}{', and its gradient' if g.gradient and not plain else '  # and its gradient' if g.gradient else ''}"
        return "\n".join([*lines, self.text(), "# torch.compile(program, "
                          f"backend='tosajit'{', dynamic=True' if self.dynamic else ''})"])


# ---------------------------------------------------------------------------------------------------------------------
# Programs

SMOOTH = """torch.tanh({0});torch.sigmoid({0});torch.sin({0});F.gelu({0});F.silu({0});torch.exp({0}.clamp(-3, 3));torch.log({0}.abs() + 0.5)
torch.sqrt({0}.abs() + 0.1);torch.rsqrt({0}.square() + 0.5);torch.erf({0});F.softplus({0});{0} ** 3 * 0.1;1 / ({0}.abs() + 1);F.gelu({0}, approximate="tanh")
{0} * 0.7;{0} + 0.1;1 - {0};F.hardswish({0});F.leaky_relu({0}, 0.1);F.elu({0});F.mish({0});{0}.square() * 0.3;torch.atan({0});torch.cos({0} + 1);{0} / 3
F.hardtanh({0}, -0.9, 1.1);F.softsign({0});F.logsigmoid({0});torch.expm1({0} * 0.3);torch.log1p({0}.abs());F.hardsigmoid({0});F.dropout({0}, 0.0)""".replace("\n", ";").split(";")
EXACT = """{0} * 2;{0} + 1;1 - {0};-{0};{0}.abs();F.relu({0});{0}.clamp(-3, 5);{0}.square();torch.where({0} > 0, {0}, {0} * 3);{0} * ({0} > 1);{0} - 4
torch.sign({0});{0} * 0.5;F.hardtanh({0}, -2, 4);{0}.clamp(min=-2);{0} // 2;{0} % 3;F.threshold({0}, 1, 7);torch.where({0} == 2, 5, {0});{0}.masked_fill({0} < 0, 3)
{0} / 4;F.relu({0}) * 3 - 1""".replace("\n", ";").split(";")
SMOOTH_TWO = """{0} + {1};{0} * {1};{0} - {1};{0} / ({1}.abs() + 0.5);torch.maximum({0}, {1});torch.where({0} > {1}, {0}, {1});torch.atan2({0}, {1}.abs() + 1)
torch.lerp({0}, {1}, 0.3);torch.addcmul({0}, {0}, {1}, value=0.5);F.silu({0}) * {1};torch.hypot({0}, {1}.abs() + 0.3);torch.add({0}, {1}, alpha=0.3)""".replace("\n", ";").split(";")
EXACT_TWO = """{0} + {1};{0} * {1};{0} - {1};torch.maximum({0}, {1});torch.minimum({0}, {1});torch.where({0} > {1}, {0}, {1} * 2);torch.where({0} == {1}, {0}, -{1})
torch.add({0}, {1}, alpha=2);{0} * ({1} >= 0);torch.addcmul({0}, {0}, {1});torch.where({0} != {1}, {1}, 4)""".replace("\n", ";").split(";")
SMOOTH_REDUCED = """{0}.sum(D, K);{0}.mean(D, K);{0}.var(D, keepdim=K, correction=0);({0}.var(D, keepdim=K, correction=0) + 0.1).sqrt()
torch.logsumexp({0}, D, K);torch.linalg.vector_norm({0} + 2, dim=D, keepdim=K);{0}.square().mean(D, K);{0}.amax(D, K);torch.std({0} * 1.5 + torch.arange({0}.shape[-1]), D, keepdim=K, correction=0)""".replace("\n", ";").split(";")
EXACT_REDUCED = ("{0}.sum(D, K);{0}.sum(D, K) * 2 - 1;({0} * {0}).sum(D, K);{0}.amin(D, "
                 "K);{0}.amax(D, K);({0} > 0).any(D, K) * 3 + {0}.sum(D, K)".split(";"))
SMOOTH_ROWS = """torch.softmax({0}, D);F.layer_norm({0}, {0}.shape[-1:]);F.rms_norm({0}, {0}.shape[-1:]);torch.log_softmax({0}, D);F.normalize({0} + 1, dim=D)
{0} - {0}.mean(D, keepdim=True);({0} - {0}.mean(D, True)) / ({0}.std(D, keepdim=True, correction=0) + 0.1);{0} * {0}.sum(D, True)""".replace("\n", ";").split(";")
EXACT_ROWS = "{0} - {0}.sum(D, True);{0} * {0}.amax(D, True);({0} > 0).all(D, True) * {0}".split(";")
VIEWS = """{0}.transpose(0, -1);{0}.transpose(-1, -2);{0}.unsqueeze(0);{0}.unsqueeze(-1);{0}[1:];{0}[:, ::2];{0}[..., 1:];{0}[:-1];{0}.flip(0);{0}.flip(-1)
{0}.chunk(2, -1)[0];{0}.chunk(2, -1)[1];{0}.chunk(2, 0)[1];{0}.unbind(-1)[0];{0}[0];{0}[:, -1];{0}.flatten();{0}.flatten(-2);{0}.reshape(-1, {0}.shape[-1])
{0}.contiguous();{0}.clone();{0}.reshape({0}.shape[-1], -1);{0}.squeeze();{0}.unflatten(-1, (2, -1));{0}.unflatten(-1, (-1, 2));{0}.permute(2, 0, 1);{0}.permute(1, 2, 0);{0}.permute(0, 3, 1, 2)
{0}.unsqueeze(0).expand(3, *{0}.shape);{0}.unsqueeze(1).expand(-1, 2, *{0}.shape[1:]);{0}.select(-1, 1);{0}.split(2, -1)[0];{0}.movedim(0, -1);torch.cat([{0}, {0} * 2], -1)
torch.stack([{0}, -{0}], -1);torch.cat([{0}, {0}], 0);{0}.roll(1, -1);{0}.tril();F.pad({0}, (1, 1));{0}.repeat_interleave(2, -1);{0}.t();{0}.narrow(0, 0, 1);torch.stack([{0}, {0} + 1]).flatten(0, 1)
{0}[..., None] * torch.ones(1, 3);{0}.diagonal();{0}[:, [1, 0]];{0}.expand(2, *{0}.shape)""".replace("\n", ";").split(";")
TAKEN = """{0}[torch.arange(5) % {0}.shape[0]];{0}[:, torch.arange(4) % {0}.shape[1] - 1]
{0}.index_select(0, torch.arange(7) % {0}.shape[0]);{0}.index_select(-1, torch.tensor([0, 0]))
F.embedding(torch.arange(6).view(2, 3) % {0}.shape[0], {0});{0}[torch.tensor([[0, -1], [0, 0]])]
{0}[torch.arange(4) % {0}.shape[0], torch.arange(4) % {0}.shape[1] - 1]
{0}.gather(0, torch.zeros_like({0}[:1], dtype=torch.int64) + {0}.shape[0] - 1)
{0}.gather(-1, torch.zeros_like({0}[..., :1], dtype=torch.int64))
{0}[torch.arange({0}.shape[0]) // 2] + {0};{0}.sum(-1)[torch.tensor([0, 0])]""".replace(
    "\n", ";").split(";")
ROWS_OF = "(torch.arange({1}.shape[0]) // 2)"
ADDED = """{0}.index_add(0, I, {1});{0}.index_put((I,), {1}, accumulate=True)
torch.zeros_like({0}).index_add(0, I, {1}) + {0}
torch.zeros_like({0}).index_add(0, I, {0}[-1 - I] * {1})
{0}.scatter_add(0, I[:, None].expand(-1, {1}.shape[1]), {1})
{0}.scatter_reduce(0, I[:, None].expand(-1, {1}.shape[1]), {1}, "amax")
{0}.scatter(0, (I * 2 % 3)[:1, None].expand(-1, {1}.shape[1]), {1}[:1])
{0}.index_put((I[:1],), {1}[:1])""".replace("I", ROWS_OF).replace("\n", ";").split(";")
JOINED = "torch.cat([{0}, {1}], -1);torch.stack([{0}, {1}]);torch.cat([{0}, {1}], 0);torch.cat([{0}, {1}], 1);torch.cat([{1} * 2, {0}], 0)[1:];torch.stack([{0}, {1}], -1)".split(";")
MUTATED = """{0}.clone().add_({1});{0}.mul_(2);{0}.add_({1});{0}[1:].add_(1);torch.neg_({0});{0}.clone().index_put((torch.tensor([0]),), {1}[:1])
{0}.copy_({1});F.relu_({0});{0}.sub_({1}).add_(1);{0}.clone().fill_(2).mul({1});{0}.unsqueeze(0).mul_({1}).sum(0);{0}.zero_().add({1});torch.slice_scatter({0}, {1}[:1], 0, 0, 1)""".replace("\n", ";").split(";")
CASTS = ["{0}.to(F32)", "{0}.to(F32)", "{0}.to(F32)", "{0}.to(F64)", "{0}.to(F16)", "{0}.to(BF)"]
EXACT_CASTS = CASTS + ["{0}.to(torch.int32)", "{0}.to(torch.int64)", "{0}.to(torch.int8)",
                       "{0}.to(torch.int16)", "({0} > 0)", "{0}.to(torch.uint8)"]
HEAVY = ("{0} @ {1};{0} @ {1}.transpose(-1, -2);F.linear({0}, {1});torch.einsum('...i,ij->...j', "
         "{0}, {1})".split(";"))


class Generator:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.torch = torch.Generator().manual_seed(seed)
        self.exact = self.random.random() < 0.5
        self.names = (f"v{k}" for k in itertools.count())
        self.given, self.steps, self.values, self.wide = [], [], {}, {}
        self.kept, self.hidden = [], set()  # what programs give, and what they do not

    def numbers(self, shape, dtype):
        if self.exact or dtype not in NAMES:
            return torch.randint(-3, 4, shape, generator=self.torch).to(dtype)
        return torch.randn(shape, generator=self.torch).to(dtype)

    def add_given(self, shape=None, dtype=None):
        r = self.random
        shape = (shape if shape is not None else [r.choice((1, 2, 3, 4, 5, 6, 8, 16, 17))
                                                  for _ in range(r.choice((1, 2, 2, 3, 3, 4)))])
        dtype = (dtype or r.choice([torch.float32] * 6
                                   + [torch.float64, torch.bfloat16, torch.float16] + [torch.int32]
                                   * self.exact))
        kind = r.choice(("plain", "plain", "plain", "transposed", "stepped"))
        tensor = self.numbers(shape, dtype)
        if kind == "transposed" and len(shape) > 1:
            tensor = tensor.transpose(0, -1).contiguous().transpose(0, -1)
        if kind == "stepped" and shape:
            tensor = tensor.repeat_interleave(2, -1)[..., ::2]
        name = next(self.names).replace("v", "x")
        self.given.append(Given(name, tensor, dtype in NAMES and r.random() < 0.6))
        self.values[name], self.wide[name] = self.given[-1].make(), self.given[-1].make(wide=True)
        return name

    def evaluate(self, text, reads, wide):
        scope = {"torch": torch, "F": F, **(dict.fromkeys(TYPES, torch.float64) if wide else TYPES)}
        values = self.wide if wide else self.values
        return eval(text.format(*reads), scope, {name: values[name] for name in reads})

    def fits(self, text, reads):
        """True if the line is computed, and its value may stand in a program."""
        kept = [{name: values[name] for name in reads} for values in (self.values, self.wide)]
        try:
            if "_(" in text:  # what it does to others is seen when all is run
                for values in (self.values, self.wide):
                    values.update({name: values[name].detach().clone() for name in reads})
            value, wide = self.evaluate(text, reads, False), self.evaluate(text, reads, True)
        except (RuntimeError, ValueError, IndexError, TypeError, NotImplementedError):
            return None
        finally:
            for values, old in zip((self.values, self.wide), kept):
                values.update(old)
        if "F.hards" in text and value.dtype is torch.float64:
            return None  # eager's gradient has a sixth in f32
        plain = (isinstance(value, torch.Tensor) and 0 < value.numel() <= MOST and value.dim() <= 6
                 and not value.is_complex())
        if (not plain or not value.isfinite().all() or value.double().abs().max() > LARGEST
            or value.shape != wide.shape):
            return None
        if self.exact and not torch.equal(value.double(), wide.double()):
            return None
        return value, wide

    def choose(self):
        r, exact = self.random, self.exact
        names = list(self.values)
        a = r.choice(names[-4:] if r.random() < 0.7 else names)
        if self.steps and r.random() < 0.3:
            a = self.steps[-1].reads[0]  # what two read is where one of them might write too early
        kind = r.choices(("one", "two", "reduced", "rows", "view", "joined", "mutated", "cast",
                          "taken", "added"), (6, 6, 3, 2, 5, 2, 1.5, 1, 2, 2))[0]
        if kind == "one":
            return r.choice(EXACT if exact else SMOOTH), [a]
        if kind == "view":
            return r.choice(VIEWS), [a]
        if kind == "taken":
            return r.choice(TAKEN), [a]
        if kind == "cast":
            return r.choice(EXACT_CASTS if exact else CASTS), [a]
        if kind in ("reduced", "rows"):
            lists = ((EXACT_REDUCED if exact else SMOOTH_REDUCED) if kind == "reduced"
                     else EXACT_ROWS if exact else SMOOTH_ROWS)
            rank = self.values[a].dim()
            dims = (r.choice((-1, 0, 1, (0, 1), (-1, -2), tuple(range(rank)), (0, -1)))
                    if kind == "reduced" else r.choice((-1, 0, 1)))
            return r.choice(lists).replace("D", repr(dims), 1).replace("D", repr(dims)).replace("K", r.choice(("True", "False"))), [a]
        shape = self.values[a].shape
        alike = [n for n in names if self.values[n].shape == shape]
        wanted = alike if kind in ("mutated", "joined", "added") or r.random() < 0.6 else names
        if r.random() < 0.15:
            wanted = [self.add_given(r.choice(([*shape], [*shape[:-1], 1], [1] * len(shape),
                                               [*shape[-1:]])))]
        b = r.choice(wanted)
        return r.choice({"joined": JOINED, "added": ADDED,
                         "mutated": MUTATED}.get(kind, EXACT_TWO if exact else SMOOTH_TWO)), [a, b]

    def step(self, text, reads):
        """The name of what it gives; None: it may not stand in a program."""
        found = self.fits(text, reads)
        if not found:
            return None
        name = next(self.names)
        self.values[name], self.wide[name] = (t.detach() for t in found)
        self.steps.append(Step(name, text, reads, found[0]))
        return name

    def product(self, a):
        inner = self.values[a].shape[-1] if self.values[a].dim() else 0
        if self.values[a].dtype not in NAMES or not 0 < inner <= 32:
            return None
        out = self.random.choice((1, 4, 6))
        text = self.random.choice(HEAVY)
        return self.step(text, [a, self.add_given((out, inner) if "linear" in text
                                                  or "transpose" in text else (inner, out),
                                                  self.values[a].dtype)])

    def pattern(self):
        """What may be written over: a product that an operation and a sum read, and the same in the
        backward graph, where a value is scaled and moved in front of a product."""
        r, exact = self.random, self.exact
        a = self.product(r.choice(list(self.values)))
        if a and r.random() < 0.5:
            self.hidden.add(a)
            reduced = r.choice(EXACT_REDUCED if exact else SMOOTH_REDUCED).replace("D", r.choice(("-1", "0"))).replace("K", r.choice(("True", "False")))
            self.kept += [self.step(r.choice(EXACT if exact else SMOOTH), [a]),
                          self.step(reduced, [a])]
        elif a:
            last = [self.values[a].shape[-1]]
            b = self.step(r.choice(("torch.addcmul({1}, {2}, {0})", "{0} * {1} + {2}",
                                    "{1} + {0}")), [a, *(self.add_given(last, self.values[a].dtype)
                                                         for _ in range(2))])
            self.kept.append(b and self.product(b))

    def make(self):
        r = self.random
        for _ in range(r.choice((1, 2, 2, 3))):
            self.add_given()
        wanted = r.choice((3, 6, 10, 16))
        for _ in range(60):
            if len(self.steps) >= wanted:
                break
            kind = r.random()
            if kind < 0.12:
                self.product(r.choice(list(self.values)[-4:]))
            elif kind < 0.24:
                self.pattern()
            else:
                self.step(*self.choose())
        if not self.steps:
            return None
        names = [step.name for step in self.steps]
        used = {name for step in self.steps for name in step.reads}
        ends = [name for name in names if name not in used]
        kept = [name for name in self.kept if name]
        names = [name for name in names if name not in self.hidden] or names
        results = list(dict.fromkeys([names[-1], *kept,
                                      *r.sample(ends, min(len(ends), r.choice((1, 3, 9)))),
                                      *r.sample(names, min(len(names), r.choice((0, 1, 2))))]))
        given = [g for g in self.given if g.name in used]
        return Program(self.exact, given, self.steps, results, r.random() < 0.3)


# ---------------------------------------------------------------------------------------------------------------------
# Running

def weights_of(results, exact):
    """What gradients begin with: whole numbers, or not."""
    for k, result in enumerate(results):
        numbers = torch.arange(result.numel(), dtype=torch.float64).reshape(result.shape)
        yield ((numbers + k) % 3 - 1 if exact else torch.cos(numbers + k)).to(result.dtype)


def ran(program, function, wide=False):
    """Results, gradients, and operands afterwards."""
    tensors = [g.make(wide) for g in program.given]
    given = [t.clone(memory_format=torch.preserve_format) if t.requires_grad and program.mutates
             else t for t in tensors]
    results = list(function(*given))
    wanted = [r for r in results if r.requires_grad]
    leaves = [t for t in tensors if t.requires_grad]
    gradients = (torch.autograd.grad(wanted, leaves, list(weights_of(wanted, program.exact)),
                                     allow_unused=True) if wanted else [])
    found = ([r.detach().clone() for r in results]
             + [None if g is None else g.clone() for g in gradients]
             + [t.detach().clone() for t in given])
    return found, len(results)


def mutates(program):
    return any("_(" in step.text.replace("F.relu_(", "_(") for step in program.steps)


def distance(a, b):
    d = (a.double() - b.double()).abs()
    return d[d.isfinite()].max().item() if d.isfinite().any() else 0.0


def complaint(name, ours, eager, wide, moved, exact, narrow):
    if ours is None or eager is None:
        return None if ours is eager else f"{name}: {ours} and not {eager}"
    strides = [[stride for size, stride in zip(t.shape, t.stride()) if size > 1]
               for t in (ours, eager)]
    if ((ours.dtype, ours.shape) != (eager.dtype, eager.shape)
        or "result" in name and strides[0] != strides[1]):
        return (f"{name}: {ours.dtype} {tuple(ours.shape)} of strides {ours.stride()} and not "
                f"{eager.dtype} {tuple(eager.shape)} {eager.stride()}")
    if exact and torch.equal(eager.double(), wide.double()) or not eager.dtype.is_floating_point:
        return None if torch.equal(ours, eager) else f"{name}: {ours} and not {eager}"
    if not torch.equal(ours.isfinite(), eager.isfinite()):
        return f"{name}: {ours} and not {eager}"
    scale = wide.double().abs().max().item()
    # A sum that cancels to nothing keeps roundings of its terms. narrow: eager computes f64 with a
    # constant of f32.
    units = 4 * (torch.finfo(torch.float32 if narrow else eager.dtype).eps) * max(scale, 0.01)
    allowed = 2 * distance(eager, wide) + 6 * max(distance(m, wide) for m in moved) + units
    error = distance(ours, wide)
    return (None if error <= allowed else f"{name}: an error of {error}, where eager has "
            f"{distance(eager, wide)} of {scale}: {ours} and not {eager}")


def compiled(program, backend="tosajit"):
    torch._dynamo.reset()
    return torch.compile(program.function(), backend=backend, dynamic=program.dynamic or None)


class Expected:
    """What eager gives; None as results: it gives nothing that may be compared."""

    def __init__(self, program):
        self.exact, self.eager = program.exact, None
        self.narrow = "hardsigmoid" in program.text()  # whose gradient has the sixth of f32
        program.mutates = mutates(program)
        try:
            eager, count = ran(program, program.function())
            self.wide, _ = ran(program, program.function(wide=True), wide=True)
            self.moved = [ran(program, program.function(True, torch.Generator().manual_seed(k)),
                              wide=True)[0] for k in range(4)]
        except (RuntimeError, ValueError, IndexError, TypeError):
            return
        finite = all(t is None or t.isfinite().all() for t in eager + self.wide)
        alike = all((t is None) == (w is None) and (t is None or t.shape == w.shape)
                    for t, w in zip(eager, self.wide))
        self.eager = eager if finite and alike else None
        self.count, self.gradients = count, any(g is not None
                                                for g in eager[count:-len(program.given)])

    def name(self, k):
        return f"result {k}" if k < self.count else f"gradient or operand {k - self.count}"

    def complaint(self, found):
        for k, values in enumerate(zip(found, self.eager, self.wide, zip(*self.moved))):
            said = complaint(self.name(k), *values, self.exact, self.narrow)
            if said:
                return said
        return None


def wrong_with(program, counts=None):
    """What is wrong with a program; None: nothing, or eager or dynamo cannot run it."""
    expected = Expected(program)
    if expected.eager is None:
        return None
    made, build = [], _program.build
    _program.build = lambda *arguments: made.append(build(*arguments)) or made[-1]
    try:
        said = calls_of(program, expected, made)
    except Exception as why:
        said = f"{type(why).__name__}: {why}"
    finally:
        _program.build = build
    # which may be dynamo's fault, or that of PyTorch's decompositions or of its division into
    # forward and backward
    if said:
        try:
            if any(calls_of(program, expected, [], backend)
                   for backend in ("aot_eager", "aot_eager_decomp_partition")):
                return None
        except Exception:
            return None
    elif counts is not None:
        counts["regions"] += sum(len(call.regions) for call in made)
        counts["others"] += sum(region.others for call in made for region in call.regions)
        counts["gradients"] += expected.gradients
        counts["exact"] += program.exact
        counts["mutating"] += program.mutates
    return said


def calls_of(program, expected, made, backend="tosajit"):
    """The first call, one that the compiler is done for, and one of other sizes, where they are
    dynamic."""
    run = compiled(program, backend)
    first, _ = ran(program, run)
    said = expected.complaint(first)
    if said:
        return f"the first call: {said}"
    for call in made:
        for kernel in call.kernels.values():
            kernel.wait()
    later, _ = ran(program, run)
    for k, (a, b) in enumerate(zip(first, later)):
        if (a is None) != (b is None) or a is not None and not torch.equal(a, b):
            return f"{expected.name(k)} of a later call: {b} and not {a} as of the first one"
    for other in program.others() if program.dynamic else ():
        wanted = Expected(other)
        said = wanted.eager and wanted.complaint(ran(other, run)[0])
        if said:
            return f"of sizes {[tuple(g.tensor.shape) for g in other.given]}: {said}"
    return None


# ---------------------------------------------------------------------------------------------------------------------
# Shorter programs

def without(program, k, instead):
    """Step k as another value, or as an operand."""
    steps = [step.copy() for j, step in enumerate(program.steps) if j != k]
    old = program.steps[k]
    given = list(program.given)
    if instead is None:
        instead = old.name.replace("v", "y")
        tensor = (torch.randint(-3, 4, old.shape) if program.exact or old.dtype not in NAMES
                  else torch.randn(old.shape))
        given.append(Given(instead, tensor.to(old.dtype), old.dtype in NAMES))
    for step in steps:
        step.reads = [instead if name == old.name else name for name in step.reads]
    results = list(dict.fromkeys(name for name in program.results if name != old.name))
    return cleaned(Program(program.exact, given, steps, results, program.dynamic))


def cleaned(program):
    """Without what nobody reads."""
    if not program.results:
        return None
    needed, steps = set(program.results), []
    for step in reversed(program.steps):
        if step.name in needed or "_(" in step.text:
            needed.update(step.reads)
            steps.insert(0, step)
    known = {step.name for step in steps} | {g.name for g in program.given}
    if not needed <= known:
        return None
    return Program(program.exact, [g for g in program.given if g.name in needed], steps,
                   program.results, program.dynamic)


def shorter(program):
    if program.dynamic:
        yield Program(program.exact, program.given, program.steps, program.results, False)
    for name in program.results:
        yield cleaned(Program(program.exact, program.given, program.steps,
                              [n for n in program.results if n != name], program.dynamic))
    for k in reversed(range(len(program.steps))):
        yield (cleaned(Program(program.exact, program.given, program.steps[:k],
                               [program.steps[k - 1].name], program.dynamic)) if k else None)
    for k, step in enumerate(program.steps):
        for name in step.reads:
            yield without(program, k, name)
        yield without(program, k, None)
    for j, g in enumerate(program.given):
        if g.gradient:
            given = [Given(h.name, h.tensor, h.gradient and h is not g) for h in program.given]
            yield Program(program.exact, given, program.steps, program.results, program.dynamic)
        if not g.tensor.is_contiguous():
            given = [Given(h.name, h.tensor.contiguous() if h is g else h.tensor, h.gradient)
                     for h in program.given]
            yield Program(program.exact, given, program.steps, program.results, program.dynamic)


def shrink(program, said, until):
    changed = True
    while changed and time.monotonic() < until:
        changed = False
        for other in shorter(program):
            if other is None or time.monotonic() > until:
                continue
            found = wrong_with(other)
            if found:
                program, said, changed = other, found, True
                break
    return program, said


def main():
    seconds = float(os.environ.get("TOSAJIT_TEST_SECONDS", "10"))
    first = int(sys.argv[1]) if len(sys.argv) > 1 else random.randrange(10 ** 6) * 1000
    counts, failures, begin, programs = dict.fromkeys(("regions", "others", "gradients", "exact",
                                                       "mutating"), 0), 0, time.monotonic(), 0
    for seed in itertools.count(first):
        if time.monotonic() - begin > seconds or failures >= 5:
            break
        program = Generator(seed).make()
        if program is None:
            continue
        programs += 1
        said = wrong_with(program, counts)
        if said:
            failures += 1
            print(f"seed {seed}: {said}\n{program.text()}\n--- shorter:", flush=True)
            program, said = shrink(program, said, time.monotonic() + 60)
            print(f"{program.shown()}\n{said}\nTOSAJIT_TEST_SECONDS=1 python3 {sys.argv[0]} "
                  f"{seed}\n", flush=True)
    print(f"{programs} programs from seed {first}, of which {counts['exact']} exact, "
          f"{counts['gradients']} with gradients, {counts['mutating']} that mutate; "
          f"{counts['regions']} kernels, {counts['others']} calls by PyTorch instead")
    return failures > 0 or seconds >= 10 and not counts["regions"]


if __name__ == "__main__":
    sys.exit(main())

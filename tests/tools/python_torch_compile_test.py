# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.compile(backend="tosajit") beside eager PyTorch: each operation by PyTorch's own database
of samples, modules forward and backward with sizes that change, and programs that mutate, alias,
draw random numbers, or have what no kernel has.

    PYTHONPATH=build/tools/python python3 tests/tools/python_torch_compile_test.py          # a few samples of each operation
    PYTHONPATH=build/tools/python python3 tests/tools/python_torch_compile_test.py --all    # all of them, in all types and strides

TOSAJIT_PART=2/4 makes the second quarter of the operations. Beside f32 each operation has one more
type, another one on the next day, or by TOSAJIT_SEED.

Eager PyTorch in f64 says how large errors are: those of a kernel may be twice eager's own, and 4
units of the last place. Of f64 operations 80-bit floats say it, and how much operations that are a
unit off make of it (torch_wide.py). Where nothing does, there are 4 units for each of both."""
import contextlib
import copy
import io
import json
import os
import pickle
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import warnings
import zipfile
from unittest import mock

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.fx.experimental.proxy_tensor import make_fx
from torch.utils import _pytree as pytree

import tosajit
import tosajit.torch
from tosajit.torch import _program
import torch_wide

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "bench"))
from torch_modules import LSTM, BlackScholes, GPTBlock, mobile

ALL = "--all" in sys.argv
torch.set_num_threads(1)
torch.backends.mha.set_fastpath_enabled(False)  # one operation for a whole encoder
warnings.simplefilter("ignore")
leaves = pytree.tree_leaves


# ---------------------------------------------------------------------------------------------------------------------
# How good a result is

def wide_array(a):
    return (a if isinstance(a, (np.ndarray, np.generic))
            else a.detach().double().numpy(force=True).astype(np.longdouble))


def largest_error(a, b):
    a, b = wide_array(a), wide_array(b)
    finite = np.isfinite(a) & np.isfinite(b)
    return float(np.abs(a - b)[finite].max()) if finite.any() else 0.0


def complaint(ours, eager, exact, slack=1, moves=0):
    """What is wrong with a result; None: nothing. exact is eager's in f64, an array of 80-bit
    floats, or None. slack: for what passes through many operations, where errors are a matter of
    luck. moves: how far a unit in each operation moves it."""
    if type(ours) is not type(eager) or not isinstance(eager, torch.Tensor):
        return None if ours == eager or ours is eager else f"{ours!r} instead of {eager!r}"
    if (ours.dtype, ours.shape) != (eager.dtype, eager.shape):
        return f"{ours.dtype} {ours.shape} instead of {eager.dtype} {eager.shape}"
    ours, eager = ours.detach(), eager.detach()
    if not eager.dtype.is_floating_point:
        return None if torch.equal(ours, eager) else f"{ours} instead of {eager}"
    known = (exact is not None and (eager.dtype is not torch.float64
                                    or not isinstance(exact, torch.Tensor)))
    exact = wide_array(eager if exact is None else exact)
    unit, finite = torch.finfo(eager.dtype).eps, exact[np.isfinite(exact)]
    scale = float(np.abs(finite).max()) if finite.size else 0.0
    units = 4 * scale if known or eager.dtype is not torch.float64 else 8 * max(scale, 1)
    allowed = 2 * slack * largest_error(eager, exact) + slack * unit * units + 2 * moves
    # a value that f64 has and eager has not, for instance an intermediate one beyond f16, may be
    # either
    strange = (torch.isnan(eager) != torch.isnan(ours)) | (torch.isinf(eager) != torch.isinf(ours))
    if (strange & ~(torch.from_numpy(np.asarray(np.isfinite(exact)))
                    & ~torch.isfinite(eager))).any():
        return f"{ours} instead of {eager}"
    error = largest_error(ours, exact)
    return (None if error <= allowed
            else f"an error of {error}, where eager has {largest_error(eager, exact)} of {scale}")


def wider(value):
    if isinstance(value, torch.Tensor) and value.dtype.is_floating_point:
        return value.detach().double()
    return value


@contextlib.contextmanager
def watched(everything=False):
    """The functions that the backend makes meanwhile. everything: light operations alone become
    kernels, too."""
    made, build, gains = [], _program.build, _program.gains

    def note(*arguments):
        made.append(build(*arguments))
        return made[-1]

    _program.build = note
    if everything:
        _program.gains = lambda region, taken: True
    try:
        yield made
    finally:
        _program.build, _program.gains = build, gains


def every_call(call, made):
    """What three calls give: the first one, which precompiled operations compute, one while the
    compiler works, and one behind it. made: functions of the backend, when they are there."""
    for k in range(3):
        if k == 2:
            for kernel in {kernel for function in made for kernel in function.kernels.values()}:
                kernel.wait()
        yield call()


def runs_of(made):
    return sum(region.runs for call in made for region in call.regions)


def others_of(made):
    return sum(region.others for call in made for region in call.regions)


# ---------------------------------------------------------------------------------------------------------------------
# Operations

# By their names in the database; those behind the bar are several operations.
OPERATIONS = """abs acos acosh add all amax amin any asin asinh atan atan2 atanh bitwise_and bitwise_not bitwise_or bitwise_xor ceil clamp
clamp_max clamp_min clone copysign cos cosh cumprod cumsum div eq erf erfc exp exp2 expm1 floor fmod ge gt hypot isinf isnan le log log10 log1p log2
log_softmax logcumsumexp logical_and logical_not logical_or logical_xor lt maximum max mean min minimum mul ne neg pow prod reciprocal remainder round
rsqrt sigmoid sign sin sinh softmax sqrt square sub sum tan tanh to trunc var var_mean where
nn.functional.gelu nn.functional.relu nn.functional.silu cat
| __rdiv__ __rmod__ __rmul__ __rpow__ __rsub__ addcdiv addcmul column_stack deg2rad dstack float_power frac heaviside hstack isfinite lerp linalg.norm
linalg.vector_norm logaddexp logaddexp2 logit logsumexp masked_fill masked.amax masked.mean masked.softmax masked.sum nan_to_num
native_layer_norm nn.functional.binary_cross_entropy
nn.functional.binary_cross_entropy_with_logits nn.functional.cross_entropy nn.functional.elu nn.functional.group_norm
nn.functional.hardshrink nn.functional.hardsigmoid nn.functional.hardswish nn.functional.hardtanh nn.functional.huber_loss
nn.functional.kl_div nn.functional.l1_loss nn.functional.layer_norm nn.functional.leaky_relu
nn.functional.logsigmoid nn.functional.mish nn.functional.mse_loss nn.functional.normalize nn.functional.relu6
nn.functional.scaled_dot_product_attention nn.functional.selu nn.functional.smooth_l1_loss
nn.functional.softmin nn.functional.softplus nn.functional.softshrink nn.functional.softsign nn.functional.tanhshrink
nn.functional.threshold rsub sgn sinc std std_mean special.entr special.xlog1py stack tensordot vstack xlogy
__getitem__ gather index_add index_put index_select nn.functional.embedding scatter scatter_add scatter_reduce
take_along_dim""".split()

ENGINE = tosajit.Engine(accuracy="reproducible", backend="auto")


def strided(tensors):
    """The same elements elsewhere: every second one, and every second tensor transposed."""
    moved = [t.repeat_interleave(2, -1)[..., ::2] if t.dim() else t for t in tensors]
    return [t.transpose(0, -1).contiguous().transpose(0, -1) if t.dim() > 1 and k % 2 else t
            for k, t in enumerate(moved)]


def gradients(function):
    def both(*given):
        places = [k for k, t in enumerate(given) if t.dtype.is_floating_point]

        def of_floats(*floats):
            own = list(given)
            for k, tensor in zip(places, floats):
                own[k] = tensor
            return [r for r in leaves(function(*own)) if isinstance(r, torch.Tensor)
                    and r.dtype.is_floating_point]

        results, pull = torch.func.vjp(of_floats, *(given[k] for k in places))
        return list(pull([torch.cos(torch.arange(r.numel(), dtype=r.dtype)).reshape(r.shape)
                          for r in results]))
    return both


def function_of(op, sample):
    """The sample as a function of tensors, and the tensors."""
    flat, form = pytree.tree_flatten((sample.input, sample.args, sample.kwargs))
    places = [k for k, leaf in enumerate(flat) if isinstance(leaf, torch.Tensor)]

    def function(*given):
        own = list(flat)
        for k, tensor in zip(places, given):
            own[k] = tensor
        first, args, kwargs = pytree.tree_unflatten(own, form)
        return op(first, *args, **kwargs)

    return function, [flat[k] for k in places]


def movement(result, moved):
    return max((largest_error(result, other) for other in moved), default=0)


# Gradients that PyTorch keeps, for the computation in 80-bit floats.
BACKWARD = torch._decomp.get_decompositions([torch.ops.aten.native_group_norm_backward])


class Operations(unittest.TestCase):
    runs, seen, wide = 0, set(), [0, 0]  # wide: in 80-bit floats, too, and not

    def exact(self, function, graph, tensors, eager):
        """Of each result: what it should be, or None, and how far it moves."""
        if any(isinstance(r, torch.Tensor) and r.dtype is torch.float64 for r in eager):
            wide = torch_wide.computed(graph, tensors, torch.finfo(torch.float64).eps)
            Operations.wide[wide is None] += 1
            if wide:
                return [(r, movement(r, moved)) if torch_wide.is_wide(r) else (None, 0)
                        for r, *moved in zip(*wide)]
        try:
            results = leaves(function(*map(wider, tensors)))
        except RuntimeError:
            results = []
        return ([(r if isinstance(r, torch.Tensor) else None, 0) for r in results]
                if len(results) == len(eager) else [(None, 0)] * len(eager))

    def moves(self, function, tensors, k, unit):
        """How far result k of the function in f64 moves, where each operation is up to a unit
        off."""
        given = list(map(wider, tensors))
        graph = make_fx(torch.func.functionalize(function),
                        decomposition_table={**tosajit.torch._decompositions(), **BACKWARD})(*given)
        result, *moved = (results[k] for results in torch_wide.computed(graph, given, unit)
                          or [[0] * (k + 1)])
        return movement(result, moved)

    def one(self, op, function, tensors, mode):
        eager = function(*tensors)
        if any(isinstance(r, torch.Tensor) and r.is_complex() for r in leaves(eager)):
            return
        graph = make_fx(torch.func.functionalize(function),
                        decomposition_table=tosajit.torch._decompositions(),
                        tracing_mode=mode)(*tensors)
        if any(torch.Tag.nondeterministic_seeded in getattr(node.target, "tags", ())
               for node in graph.graph.nodes):
            return  # programs have random numbers
        call = _program.build(graph, ENGINE, op.name)
        ours, eager = leaves(call(list(tensors))), leaves(eager)
        for k, (a, b, (c, moves)) in enumerate(zip(ours, eager,
                                                   self.exact(function, graph, tensors, eager),
                                                   strict=True)):
            wrong = complaint(a, b, c, moves=moves)
            # what cancels may be further off
            if wrong and b.dtype in (torch.float16, torch.bfloat16, torch.float32):
                wrong = complaint(a, b, c, moves=self.moves(function, tensors, k,
                                                            torch.finfo(b.dtype).eps))
            self.assertIsNone(wrong)
        self.assertEqual(others_of([call]), 0, "a kernel could not run")
        if runs_of([call]):
            Operations.runs += runs_of([call])
            Operations.seen.add(op.name)

    def samples(self, op, dtype):
        if not op.supports_dtype(dtype, "cpu"):
            return []
        torch.manual_seed(1)
        samples = list(op.sample_inputs("cpu", dtype, requires_grad=False))
        if ALL or not samples:
            return samples
        return ([samples[0], samples[-1]] if dtype is torch.float32 and len(samples) > 1
                else samples[:1])

    def test_operations(self):
        from torch.testing._internal.common_methods_invocations import op_db
        names = set(OPERATIONS) - {"|"}
        ops = [op for op in op_db if op.name in names]
        self.assertEqual(sorted(names - {op.name for op in ops}), [])
        part, parts = map(int, os.environ.get("TOSAJIT_PART", "1/1").split("/"))
        ops = [op for op in ops if sorted(names).index(op.name) % parts == part - 1]
        names = {op.name for op in ops}
        dtypes = [torch.float32, torch.bfloat16, torch.int64, torch.bool]
        if ALL:
            dtypes += [torch.float64, torch.float16, torch.int32, torch.int8, torch.uint8]
        day = int(os.environ.get("TOSAJIT_SEED", time.time() // 86400))
        print(f"TOSAJIT_SEED={day}")
        with watched(everything=True):
            for place, op in enumerate(ops):
                more = [dtype for dtype in dtypes[1:] if op.supports_dtype(dtype, "cpu")]
                for dtype in dtypes if ALL or not more else [dtypes[0],
                                                             more[(place + day) % len(more)]]:
                    for k, sample in enumerate(self.samples(op, dtype)):
                        self.each(op, dtype, k, sample)
        print(f"{Operations.runs} runs of kernels, of {len(Operations.seen)} operations of the "
              "database; of graphs in f64"
              f" {Operations.wide[0]} in 80-bit floats, too, and {Operations.wide[1]} not")
        taken = names if ALL else names & set(OPERATIONS[:OPERATIONS.index("|")])
        self.assertEqual(sorted(taken - Operations.seen), [])

    def each(self, op, dtype, k, sample):
        function, tensors = function_of(op, sample)
        if any(t.layout is not torch.strided for t in tensors) or "max_norm" in sample.kwargs:
            return  # or it writes to its operand
        ways = [("fake", function, tensors), ("strided", function, strided(tensors)),
                ("symbolic", function, tensors)]
        if (dtype.is_floating_point and op.supports_autograd and tensors
            and op.variant_test_name != "prod"):  # whose gradient PyTorch does not trace
            ways.append(("backward", gradients(function), tensors))
        for j, (way, f, given) in enumerate(ways):
            if (not ALL and (dtype is not torch.float32 or k if way == "backward"
                             else (j + len(op.name)) % 3)):
                continue
            with self.subTest(op=op.name, variant=op.variant_test_name, dtype=dtype, sample=k,
                              way=way):
                try:
                    f(*given)
                except (RuntimeError, NotImplementedError):
                    continue  # eager has it not
                self.one(op, f, given, "symbolic" if way == "symbolic" else "fake")


# ---------------------------------------------------------------------------------------------------------------------
# Modules

def modules():
    """Name, module, the input of a batch size, the fewest regions."""
    torch.manual_seed(0)
    return [
        ("MLP", nn.Sequential(nn.Linear(64, 128), nn.GELU(), nn.LayerNorm(128), nn.Linear(128, 64),
                              nn.GELU(approximate="tanh")),
         lambda n: torch.randn(n, 64), 2),
        ("encoder", nn.TransformerEncoderLayer(64, 4, 128, dropout=0, activation="gelu",
                                               batch_first=True, norm_first=True),
         lambda n: torch.randn(n, 10, 64), 3),
        ("GPT", GPTBlock(), lambda n: torch.randn(n, 12, 64), 4),
        ("MobileNet", mobile(8, 16), lambda n: torch.randn(n, 8, 6,
                                                           6).to(memory_format=torch.channels_last),
         2),
        ("U-Net", nn.Sequential(nn.Conv2d(8, 16, 3, padding=1), nn.GroupNorm(4, 16), nn.SiLU(),
                                nn.Conv2d(16, 8, 3)),
         lambda n: torch.randn(n, 8, 8, 8), 1),
        ("LSTM", LSTM(), lambda n: torch.randn(n, 32), 3),
        ("Black-Scholes", BlackScholes(), lambda n: torch.randn(n, 5), 1),
    ]


def trained(run, own, x):
    """Loss, gradients and buffers of a step."""
    own.zero_grad()
    x = x.clone().requires_grad_(True)
    loss = sum((o * torch.cos(torch.arange(o.numel(), dtype=o.dtype).reshape(o.shape))).mean()
               for o in leaves(run(x)))
    loss.backward()
    return [loss, x.grad, *(p.grad for p in own.parameters()), *own.buffers()]


class Modules(unittest.TestCase):
    def beside(self, ours, eager, exact):
        for a, b, c in zip(leaves(ours), leaves(eager), leaves(exact), strict=True):
            self.assertIsNone(complaint(a, b, c, 4))

    def test_inference(self):
        for name, module, make, fewest in modules():
            with self.subTest(module=name), watched() as made, torch.no_grad():
                torch._dynamo.reset()
                module.eval()
                wide, compiled = (copy.deepcopy(module).double(),
                                  torch.compile(module, backend="tosajit", dynamic=True))
                # from 16 on convolutions have another form in PyTorch, of which dynamo makes
                # another graph
                for n in (4, 2, 7, 13):
                    x = make(n)
                    eager, exact = module(x), wide(x.double())
                    for y in every_call(lambda: compiled(x), made):
                        self.beside(y, eager, exact)
                        if isinstance(y, torch.Tensor):
                            self.assertEqual(y.stride(), eager.stride())
                self.assertEqual(len(made), 1, "a new size was compiled anew")
                self.assertGreaterEqual(len(made[0].regions), fewest)
                self.assertEqual((runs_of(made), others_of(made)),
                                 (3 * 4 * len(made[0].regions), 0))

    def test_training(self):
        for name, module, make, _ in modules() if ALL else modules()[1:5]:
            with self.subTest(module=name), watched() as made:
                torch._dynamo.reset()
                module.train()
                ours, wide = copy.deepcopy(module), copy.deepcopy(module).double()
                compiled = torch.compile(ours, backend="tosajit", dynamic=True)
                for n in (4, 3):
                    x = make(n)
                    for results in every_call(lambda: [trained(*each) for each in ((compiled, ours, x), (module, module, x), (wide, wide, x.double()))], made):
                        self.beside(*results)
                self.assertEqual(len(made), 2, "there are a forward and a backward graph")
                self.assertEqual(others_of(made), 0)
                self.assertGreater(runs_of(made), 2)

    def test_images_of_other_sizes(self):
        """PyTorch's own kernels resize, forward and backward, with their bits."""
        ways = [dict(mode=mode, align_corners=False) for mode in ("bilinear", "bicubic")]
        ways += [dict(mode="nearest"), dict(mode="nearest-exact"), dict(mode="bilinear", antialias=True)]
        before = {name: len(getattr(torch.ops.aten, name).default.py_kernels) for name in ("upsample_bilinear2d", "upsample_nearest2d")}
        for way in ways:
            with self.subTest(way):
                torch._dynamo.reset()
                resize = lambda x: F.interpolate(x, size=(21, 34), **way)
                compiled = torch.compile(resize, backend="tosajit")
                a = torch.randn(2, 3, 16, 17, requires_grad=True)
                b = a.detach().clone().requires_grad_()
                x, y = compiled(a), resize(b)
                self.assertTrue(torch.equal(x, y))
                x.sin().sum().backward()
                y.sin().sum().backward()
                self.assertTrue(torch.equal(a.grad, b.grad))
        for name, count in before.items():  # and PyTorch is as it was
            self.assertEqual(len(getattr(torch.ops.aten, name).default.py_kernels), count)

    def test_images_in_a_batch_of_any_size(self):
        """One graph for all, whether sizes or factors are given."""
        ways = [({"mode": mode}, 2) for mode in ("bilinear", "bicubic", "nearest", "nearest-exact")]
        ways += [({"mode": "bilinear", "antialias": True}, 2), ({"mode": "linear"}, 1),
                 ({"mode": "nearest"}, 1), ({"mode": "trilinear"}, 3), ({"mode": "nearest"}, 3)]
        for way, rank in ways:
            for sizes in ({"size": (9, 6, 7)[:rank]}, {"scale_factor": (1.7, 2, 0.5)[:rank]}):
                with self.subTest(way=way, rank=rank, sizes=sizes), watched() as made:
                    torch._dynamo.reset()
                    resize = lambda x: torch.exp(F.interpolate(x * 2, **way, **sizes)) + 1
                    compiled = torch.compile(resize, backend="tosajit")
                    for n in (2, 5, 3):
                        x = torch.randn(n, 3, *(5, 8, 6)[:rank])
                        torch._dynamo.mark_dynamic(x, 0)
                        self.beside(compiled(x), resize(x), resize(x.double()))
                    self.assertEqual(len(made), 1)

    def test_optimizer(self):
        torch.manual_seed(0)
        first = nn.Sequential(nn.Linear(16, 32), nn.GELU(), nn.LayerNorm(32), nn.Dropout(0.1),
                              nn.Linear(32, 1))
        second = copy.deepcopy(first)
        torch._dynamo.reset()
        losses = []
        for model, run in ((first, first), (second, torch.compile(second, backend="tosajit"))):
            torch.manual_seed(5)
            optimizer = torch.optim.AdamW(model.parameters(), 1e-2)
            losses.append([])
            for _ in range(20):
                x = torch.randn(32, 16)
                loss = F.mse_loss(run(x), x.sum(1, keepdim=True).sin())
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                losses[-1].append(loss.item())
        for a, b in zip(*losses):
            self.assertAlmostEqual(a, b, delta=2e-4 * abs(a))  # errors of steps add up

    def test_types(self):
        layer = nn.TransformerEncoderLayer(32, 2, 64, dropout=0, batch_first=True).eval()
        for dtype in (torch.float64, torch.bfloat16):
            torch._dynamo.reset()
            own, wide = copy.deepcopy(layer).to(dtype), copy.deepcopy(layer).to(dtype).double()
            x = torch.randn(3, 5, 32).to(dtype)
            with watched() as made, torch.no_grad():
                self.beside(torch.compile(own, backend="tosajit")(x), own(x), wide(x.double()))
            self.assertGreater(runs_of(made), 0)

    def test_bits_of_any_batch(self):
        """A row has the same bits alone and among others, where PyTorch's own operations leave it
        so."""
        torch._dynamo.reset()
        torch.manual_seed(2)
        run = torch.compile(lambda x, w: F.gelu(F.layer_norm(x, (37,), w) * 2).softmax(-1),
                            backend="tosajit", dynamic=True)
        x, w = torch.randn(50, 37), torch.randn(37)
        whole = run(x, w)
        for n in (2, 3, 17):
            self.assertTrue(torch.equal(run(x[:n], w), whole[:n]))

    def test_bits_before_a_kernel_is_compiled(self):
        """Until then operations that came with the library compute it."""
        for name, module, make, _ in modules():
            x, results = make(3), []
            for kind in ("precompiled", "native"):
                torch._dynamo.reset()
                own = tosajit.Engine(accuracy="reproducible", backend=kind)
                with mock.patch.object(tosajit.torch, "_engine", lambda threads, accuracy: own), torch.no_grad(), watched() as made:
                    results.append(leaves(torch.compile(module.eval(), backend="tosajit")(x)))
                self.assertEqual({region.kernel.computes for call in made
                                  for region in call.regions},
                                 {"precompiled" if kind == "precompiled" else "compiled"})
            with self.subTest(module=name):
                self.assertTrue(all(torch.equal(a, b) for a, b in zip(*results, strict=True)))


class Response(nn.Module):
    """A block of ConvNeXt v2, whose response norm reads a sum and what is made of it."""

    def __init__(self, c=8):
        super().__init__()
        self.wide, self.norm = nn.Conv2d(c, c, 5, padding=2, groups=c), nn.LayerNorm(c)
        self.up, self.down = nn.Linear(c, 2 * c), nn.Linear(2 * c, c)
        self.weight, self.bias = nn.Parameter(torch.randn(2 * c)), nn.Parameter(torch.randn(2 * c))

    def forward(self, x):
        y = F.gelu(self.up(self.norm(self.wide(x).permute(0, 2, 3, 1))))
        g = y.norm(p=2, dim=(1, 2), keepdim=True)
        y = y + torch.addcmul(self.bias.view(1, 1, 1, -1), self.weight.view(1, 1, 1, -1),
                              y * (g / (g.mean(dim=-1, keepdim=True) + 1e-6)))
        return x + self.down(y).permute(0, 3, 1, 2)


class Squeezed(nn.Module):
    """A block of EfficientNet v2, RegNetY or MobileNetV3: a convolution, another one, gates of the
    mean, and a sum."""

    def __init__(self, act, gate, groups, c=8):
        super().__init__()
        self.first = nn.Sequential(nn.Conv2d(c, 2 * c, 3, padding=1, bias=False),
                                   nn.BatchNorm2d(2 * c), act())
        self.second = nn.Sequential(nn.Conv2d(2 * c, 2 * c, 3, padding=1, groups=groups,
                                              bias=False), nn.BatchNorm2d(2 * c), act())
        self.squeeze = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(2 * c, 4, 1), act(),
                                     nn.Conv2d(4, 2 * c, 1), gate())
        self.last = nn.Sequential(nn.Conv2d(2 * c, c, 1, bias=False), nn.BatchNorm2d(c))

    def forward(self, x):
        y = self.second(self.first(x))
        return F.relu(x + self.last(y * self.squeeze(y)))


class Gradients(unittest.TestCase):
    def blocks(self):
        torch.manual_seed(3)
        return {"ConvNeXt v2": nn.Sequential(Response(), Response()),
                "EfficientNet v2": Squeezed(nn.SiLU, nn.Sigmoid, 16),
                "RegNetY": Squeezed(nn.ReLU, nn.Sigmoid, 4),
                "MobileNetV3": Squeezed(nn.Hardswish, nn.Hardsigmoid, 16)}

    def gradients(self, run, module, x):
        module.zero_grad()
        run(x).square().mean().backward()
        return [p.grad.double() for p in module.parameters()]

    def test_first_gradients(self):
        """They are as close to those in f64 as those of the same graph by PyTorch's operations.
        Three times as far is other rounding, and a unit of the last place of the largest gradient
        where PyTorch has luck."""
        for name, module in self.blocks().items():
            for layout in (torch.contiguous_format, torch.channels_last):
                x = torch.randn(4, 8, 6, 6).to(memory_format=layout)
                wide = copy.deepcopy(module).double()
                exact = self.gradients(wide, wide, x.double())
                torch._dynamo.reset()
                peer = self.gradients(torch.compile(module, backend="aot_eager"), module, x)
                torch._dynamo.reset()
                largest = max(g.abs().max().item() for g in exact)
                with watched() as made:
                    run = torch.compile(module, backend="tosajit")
                    for call, ours in enumerate(every_call(lambda: self.gradients(run, module, x),
                                                           made)):
                        for (parameter, _), a, b, c in zip(module.named_parameters(), ours, peer,
                                                           exact, strict=True):
                            with self.subTest(module=name, layout=layout, call=call,
                                              parameter=parameter):
                                allowed = (3 * (b - c).norm().item()
                                           + torch.finfo(torch.float32).eps * largest
                                           * c.numel() ** 0.5)
                                self.assertLessEqual((a - c).norm().item(), allowed)
                self.assertEqual(others_of(made), 0)


# -------------------------------------------------------------------------------------------------
# Indices

class Form:
    """A program with an index: of numbers, at places, with updates."""

    def __init__(self, name, program, sizes, count, index, updates=None, *, mode="strict",
                 adds=False, once=False, grows=True):
        """sizes of the numbers; places are below `count`, in sizes `index`. mode: "signed", if
        negative ones count from the end, "wrap", if all do. once: none comes twice. grows: another
        call may have more."""
        self.name, self.program, self.sizes, self.count = name, program, sizes, count
        self.index, self.updates, self.mode, self.adds, self.once = index, updates, mode, adds, once
        self.grows, self.combines = grows, adds or "reduce" in name

    def given(self, dtype=torch.float32, kind=torch.int64, more=0):
        """Tensors, whose index and updates have `more` rows more."""
        def numbers(sizes):
            return (torch.randn(sizes) * 9).to(dtype)
        index = (self.index[0] + more, *self.index[1:])
        least = -self.count if self.mode == "signed" else 0
        at = torch.randint(least, self.count, index)
        if self.once:
            at = torch.randperm(self.count)[:index[0]]
        found = [numbers(self.sizes), at.to(kind)]
        if self.updates is not None:
            grows = self.updates[:1] == self.index[:1] and self.updates
            found.append(numbers((index[0], *self.updates[1:]) if grows else self.updates))
        return found


def spread(i, x):
    return i[:, None].expand(-1, x.shape[1])


def columns_put(x, i, u):
    y = x.t().clone()
    y[:, i] = u
    return y


FORMS = [
    Form("x[i]", lambda x, i: x[i], (7, 6), 7, (5,), mode="signed"),
    Form("x[i], two dimensions", lambda x, i: x[i], (7, 6), 7, (5, 3), mode="signed"),
    Form("x[:, i]", lambda x, i: x[:, i], (3, 7, 6), 7, (5,), mode="signed"),
    Form("x[..., i]", lambda x, i: x[..., i], (3, 7), 7, (5, 2), mode="signed"),
    Form("x[i, i]", lambda x, i: x[i, -1 - i], (7, 7, 6), 7, (5,), mode="signed"),
    Form("x[:, i, j]", lambda x, i: x[:, i[:, None], i], (4, 7, 7), 7, (5,), mode="signed"),
    Form("x[i, j, k]", lambda x, i: x[i, i, i], (7, 7, 7), 7, (5, 2), mode="signed"),
    Form("vector", lambda x, i: x[i], (7,), 7, (5, 2), mode="signed"),
    Form("x[e[1]]", lambda x, i: x[i[1]] - x[i[0]], (7, 6), 7, (2, 5), mode="signed",
         grows=False),
    Form("index_select", lambda x, i: x.index_select(0, i), (7, 6), 7, (5,)),
    Form("index_select(1)", lambda x, i: x.index_select(1, i), (3, 7), 7, (5,)),
    Form("embedding", lambda x, i: F.embedding(i, x, padding_idx=2), (7, 6), 7, (5, 3)),
    Form("gather(0)", lambda x, i: x.gather(0, i), (7, 6), 7, (5, 6)),
    Form("gather(1)", lambda x, i: x.gather(1, i), (5, 7), 7, (5, 1), grows=False),
    Form("gather(0) of one column", lambda x, i: x.gather(0, i), (7, 6), 7, (5, 1)),
    Form("take_along_dim", lambda x, i: torch.take_along_dim(x, i, 0), (7, 6), 7, (5, 6),
         mode="wrap"),
    Form("scatter", lambda x, i, u: x.scatter(0, spread(i, x), u), (7, 6), 7, (5,), (5, 6),
         once=True),
    Form("scatter of a number", lambda x, i: x.scatter(0, spread(i, x), 3), (7, 6), 7, (5,),
         once=True),
    Form("index_put", lambda x, i, u: x.index_put((i,), u), (7, 6), 7, (5,), (5, 6), mode="signed",
         once=True),
    Form("index_put of a row", lambda x, i, u: x.index_put((i,), u), (7, 6), 7, (5,), (6,),
         mode="signed"),
    Form("x[:, i] = y", columns_put, (7, 6), 7, (5,), (6, 5), mode="signed", once=True,
         grows=False),
    Form("x[i] = y", lambda x, i, u: x.clone().index_put_((i,), u), (7, 6), 7, (5,), (),
         mode="signed"),
    Form("x[i] += y", lambda x, i, u: x.index_put((i,), u, True), (7, 6), 7, (5,), (5, 6),
         mode="signed", adds=True),
    Form("x[i] += y, two dimensions", lambda x, i, u: x.index_put((i,), u, True), (7, 6), 7, (5, 3),
         (5, 3, 6), mode="signed", adds=True),
    Form("scatter_add", lambda x, i, u: x.scatter_add(0, spread(i, x), u), (7, 6), 7, (5,), (5, 6),
         adds=True),
    Form("scatter_add of elements", lambda x, i, u: x.scatter_add(0, i, u), (7, 6), 7, (5, 6),
         (5, 6), adds=True),
    Form("scatter_add, vector", lambda x, i, u: x.scatter_add(0, i, u), (7,), 7, (5,), (5,),
         adds=True),
    Form("scatter_reduce sum", lambda x, i, u: x.scatter_reduce(0, spread(i, x), u, "sum"), (7, 6),
         7, (5,), (5, 6), adds=True),
    Form("scatter_reduce amax", lambda x, i, u: x.scatter_reduce(0, spread(i, x), u, "amax"),
         (7, 6), 7, (5,), (5, 6)),
    Form("scatter_reduce amin", lambda x, i, u: x.scatter_reduce(0, spread(i, x), u, "amin"),
         (7, 6), 7, (5,), (5, 6)),
    Form("index_add", lambda x, i, u: x.index_add(0, i, u), (7, 6), 7, (5,), (5, 6), adds=True),
    Form("index_add of zeros", lambda x, i, u: torch.zeros_like(x).index_add(0, i, u, alpha=-1),
         (7, 6), 7, (5,), (5, 6), adds=True),
    Form("index_add, three dimensions", lambda x, i, u: x.index_add(0, i, u), (7, 2, 3), 7, (5,),
         (5, 2, 3), adds=True),
    Form("gradient of an embedding", lambda x, i, u: torch.ops.aten.embedding_dense_backward(
        u, i, 7, 2, False), (1,), 7, (5, 3), (5, 3, 6), adds=True),
]
WIDE_ONLY = ("scatter_add", "scatter_add of elements", "scatter_reduce sum", "index_add",
             "index_add of zeros", "index_add, three dimensions", "scatter_add, vector")


def messages(h, edges, w):
    """A layer of a network over a graph: rows are taken, multiplied, and added elsewhere."""
    return F.relu(1.5 * h + torch.zeros_like(h).index_add(0, edges[1], h[edges[0]] * w))


class Indices(unittest.TestCase):
    def setUp(self):
        torch._dynamo.reset()
        torch.manual_seed(11)

    def graph_of(self, program, given, mode="fake"):
        graph = make_fx(torch.func.functionalize(program),
                        decomposition_table=tosajit.torch._decompositions(),
                        tracing_mode=mode)(*given)
        with watched(everything=True):
            return _program.build(graph, ENGINE, "test")

    def same(self, ours, eager, exact=None):
        self.assertEqual((ours.dtype, ours.shape, ours.stride()),
                         (eager.dtype, eager.shape, eager.stride()))
        if exact is None:
            self.assertTrue(torch.equal(ours, eager), f"{ours} instead of {eager}")
        else:
            self.assertIsNone(complaint(ours, eager, exact))

    def beside(self, form, call, given):
        """Moves have eager's bits. Sums have so, too, as they are in the index's order, but where
        eager adds in vectors."""
        eager = form.program(*given)
        self.same(call(list(given))[0], eager,
                  form.program(*map(wider, given)) if form.adds else None)

    def test_types(self):
        for form in FORMS:
            for kind in (torch.int64, torch.int32):
                for dtype in (torch.float32, torch.float64, torch.bfloat16, torch.float16,
                              torch.int64, torch.int32, torch.uint8, torch.bool):
                    given = form.given(dtype, kind)
                    try:
                        form.program(*given)
                    except (RuntimeError, IndexError):
                        continue  # eager has it not
                    with self.subTest(form=form.name, index=kind, dtype=dtype):
                        call = self.graph_of(lambda *own: (form.program(*own),), given)
                        self.beside(form, call, given)
                        self.assertEqual(others_of([call]), 0)
                        left = (dtype in (torch.uint8, torch.bool) and form.combines
                                or dtype in (torch.bfloat16, torch.float16)
                                and form.name in WIDE_ONLY)
                        self.assertTrue(left or runs_of([call]) == 1)

    def test_sizes(self):
        """A kernel serves all sizes, empty ones among them, and what no kernel can have is
        PyTorch's."""
        for form in FORMS:
            with self.subTest(form=form.name):
                torch._dynamo.reset()
                compiled = torch.compile(lambda *own: form.program(*own) * 1, backend="tosajit",
                                         dynamic=True)
                for more in () if not form.grows else (0, 1, -1) if form.once else (0, 9, -2):
                    given = form.given(more=more)
                    eager = form.program(*given) * 1
                    self.same(compiled(*given), eager,
                              form.program(*map(wider, given)) if form.adds else None)
        graph = lambda nodes, edges: [torch.randn(nodes, 6), torch.randint(0, nodes or 1, (2, edges)),
                                      torch.randn(edges, 1)]
        call = self.graph_of(messages, graph(7, 5), "symbolic")
        for nodes, edges in ((7, 5), (9, 300), (3, 0), (2, 1), (0, 0)):
            given = graph(nodes, edges)
            self.same(call(list(given)), messages(*given))

    def test_backward(self):
        """Forward an index takes, and backward it adds, or the other way round."""
        for form in FORMS:
            if "gradient" in form.name:
                continue
            given = form.given()
            graph = gradients(form.program)
            call = self.graph_of(graph, given)
            with self.subTest(form=form.name):
                for ours, eager, exact in zip(leaves(call(list(given))), graph(*given),
                                              graph(*map(wider, given)), strict=True):
                    self.assertIsNone(complaint(ours, eager, exact))
                self.assertEqual(others_of([call]), 0)
        table = nn.Embedding(30, 16, padding_idx=3)
        words = torch.randint(0, 30, (4, 9))
        loss = lambda run: (run(words) * torch.arange(16)).sin().sum()
        run = torch.compile(lambda i: F.layer_norm(table(i), (16,)), backend="tosajit")
        with watched() as made:
            loss(run).backward()
        ours, table.weight.grad = table.weight.grad, None
        loss(lambda i: F.layer_norm(table(i), (16,))).backward()
        largest = table.weight.grad.abs().max().item()
        torch.testing.assert_close(ours, table.weight.grad, rtol=0, atol=1e-5 * largest)
        self.assertTrue((ours[3] == 0).all())
        self.assertEqual((len(made), others_of(made)), (2, 0))

    def test_hostile_indices(self):
        """The error is eager's, nothing is written, and the next call is as before."""
        for form in FORMS:
            given = form.given()
            call = self.graph_of(lambda *own: (form.program(*own),), given)
            beyond = [7, 2 ** 31 + 1, 2 ** 62, -2 ** 63, -8]
            beyond += [] if form.mode == "signed" else [-1]
            if form.mode == "wrap" or "gradient" in form.name:
                beyond = []  # eager skips them
            for wrong in beyond:
                for place in (0, -1):
                    own = [t.clone() for t in given]
                    own[1].view(-1)[place] = wrong
                    with self.subTest(form=form.name, wrong=wrong, place=place):
                        before = [t.clone() for t in own]
                        with self.assertRaises((IndexError, RuntimeError)) as eager:
                            form.program(*own)
                        with self.assertRaises(type(eager.exception)) as ours:
                            call(list(own))
                        self.assertEqual(str(ours.exception), str(eager.exception))
                        self.assertTrue(all(map(torch.equal, own, before)))
            before = runs_of([call])
            self.beside(form, call, given)
            self.assertGreater(runs_of([call]), before, form.name)

    def test_an_index_that_comes_again(self):
        """Updates come in the index's order. A scatter that puts has none twice: PyTorch's runs
        then."""
        x, i, u = torch.randn(5, 6), torch.tensor([4, 1, 4, 4, 1, 0]), torch.randn(6, 6) * 1e4
        wanted = x.clone()
        for at, row in zip(i, u):
            wanted[at] += row
        for add in (lambda x, i, u: x.index_add(0, i, u),
                    lambda x, i, u: x.index_put((i,), u, True),
                    lambda x, i, u: x.scatter_add(0, spread(i, x), u)):
            call = self.graph_of(add, (x, i, u))
            self.assertTrue(torch.equal(call([x, i, u]), wanted))
            self.assertEqual((runs_of([call]), others_of([call])), (1, 0))
        put = self.graph_of(lambda x, i, u: x.index_put((i,), u), (x, i, u))
        self.assertTrue(torch.equal(put([x, i, u])[[0, 1, 4]], u[[5, 4, 3]]))
        scatter = lambda x, i, u: x.scatter(0, spread(i, x), u)
        call = self.graph_of(scatter, (x, i, u))
        self.assertTrue(torch.equal(call([x, i, u]), scatter(x, i, u)))
        self.assertEqual((runs_of([call]), others_of([call])), (0, 1))
        call([x, torch.arange(5), u[:5]])
        self.assertEqual(others_of([call]), 2, "a graph of six updates has no five")

    def test_rows_of_one_number(self):
        """They are copied in pieces, of which the last one may be any part."""
        i = torch.tensor([4, 0, 4])
        for columns in (1, 7, 1024, 1025, 5000):
            for dtype in (torch.uint8, torch.bfloat16, torch.float32, torch.float64):
                x = torch.arange(5 * columns).reshape(5, columns).to(dtype)
                for program in (lambda x, i: x.clone().index_put_((i,), torch.tensor(3, dtype=x.dtype)),
                                lambda x, i: torch.full_like(x, 3).index_put((i,), x[:3])):
                    with self.subTest(columns=columns, dtype=dtype):
                        call = self.graph_of(program, (x, i))
                        self.same(call([x, i])[:4], program(x, i)[:4])
                        self.assertEqual((runs_of([call]), others_of([call])), (1, 0))

    def test_regions(self):
        """What an index takes is one kernel with what follows, and with what another index
        changes."""
        h, edges, w = torch.randn(50, 16), torch.randint(0, 50, (2, 300)), torch.randn(300, 1)
        table, more = torch.randn(40, 16), torch.randn(3, 9, 16)
        words = torch.randint(0, 40, (3, 9))
        cases = [(messages, (h, edges, w)),
                 (lambda t, i, y: F.layer_norm(F.embedding(i, t) + y, (16,)), (table, words, more)),
                 (lambda t, i, y: F.embedding(i, t).mean(1) * y[:, 0], (table, words, more)),
                 (lambda h, e, w: (h[e[0]] - h[e[1]]).square().sum(1).sqrt(), (h, edges, w)),
                 (lambda h, e, w: F.layer_norm(
                     h + torch.zeros_like(h).index_add(0, e[1], h[e[0]] * w), (16,)),
                  (h, edges, w))]
        for k, (program, given) in enumerate(cases):
            for mode in ("fake", "symbolic"):
                with self.subTest(program=k, mode=mode):
                    call = self.graph_of(program, given, mode)
                    for _ in range(2):
                        self.assertIsNone(complaint(call(list(given)), program(*given),
                                                    program(*map(wider, given))))
                    self.assertEqual((len(call.regions), runs_of([call]), others_of([call])),
                                     (1, 2, 0))

    def test_a_table_that_is_computed(self):
        """It is another kernel's, and is read as it lies."""
        h, i = torch.randn(50, 16), torch.randint(0, 50, (30,))
        for program in (lambda h, i: h.exp()[i] * 2, lambda h, i: h.exp()[1:].t()[:, i % 40] + 1,
                        lambda h, i: (h.exp() + 1)[h.exp()[:30, :1].long().view(-1) % 50] * 2,
                        lambda h, i: (lambda e: e[i] + e[:30])(h.exp())):
            call = self.graph_of(program, (h, i))
            self.assertIsNone(complaint(call([h, i]), program(h, i), program(h.double(), i)))
            self.assertEqual(others_of([call]), 0)

    def test_memory_of_an_operand(self):
        """What nobody needs any more is changed in place. A table of an index is not."""
        x, i, u = torch.randn(50, 50), torch.randint(0, 50, (30,)), torch.randn(30, 50)
        for program in (lambda x, i, u: (x @ x).index_add(0, i, u) @ x,
                        lambda x, i, u: (x @ x)[i] @ x,
                        lambda x, i, u: (lambda y: y.index_add(0, i, y[i] * u) @ x)(x @ x),
                        lambda x, i, u: (lambda y: (y + y[i[:1]].sum(0)) @ x)(x @ x)):
            call = self.graph_of(program, (x, i, u))
            self.assertIsNone(complaint(call([x, i, u]), program(x, i, u),
                                        program(*map(wider, (x, i, u)))))
            self.assertEqual({(r.others, r.apart) for r in call.regions}, {(0, False)})

    def test_saved(self):
        """A program with indices in a file."""
        class Words(nn.Module):
            def __init__(self):
                super().__init__()
                self.table = nn.Embedding(30, 16)

            def forward(self, i):
                return F.layer_norm(self.table(i), (16,))

        module, i = Words().eval(), torch.randint(0, 30, (4, 9))
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "words.pt2")
            self.assertEqual(tosajit.torch.save(torch.export.export(module, (i,)), path), 1)
            run = tosajit.torch.load(path)
        torch.testing.assert_close(run(i), module(i).detach(), rtol=1e-5, atol=1e-5)
        self.assertEqual((run.compiled, runs_of([run._call]), others_of([run._call])), (0, 1, 0))


# ---------------------------------------------------------------------------------------------------------------------
# Programs

def mutating(a, b):
    a.add_(b).mul_(2)
    b.copy_(a.exp() + 1)
    return a.sin(), b


def aliasing(a, b):
    c = a * 2 + b
    return c, c[0], c.t(), a, c


def scattered(a, b):
    a[1:3] = b[1:3].exp() * 2
    a[:, ::2].mul_(3)
    return a.sum(0) * 2


def random(a, b):
    return F.dropout(torch.exp(a) * 2,
                     0.5) * 3 + torch.rand_like(a) + torch.bernoulli(torch.sigmoid(b))


def listed(a, b):
    return {"x": [a * 2 + b, (torch.exp(a) * b,)], "n": None, "k": 3}


def automatic(a, b):
    with torch.autocast("cpu", torch.bfloat16):
        return F.layer_norm(F.gelu(a @ b.t()) * 2, (4,))


def branching(a, b):
    return torch.cond(a.sum() > 0, lambda x: torch.exp(x) * 2, lambda x: torch.sin(x) + 1,
                      (a,)) * b + 1


def data_dependent(a, b):
    return torch.exp(a[a > 0]) * 2 + b.sum().item()


def shared(a, b):
    """Views of what a kernel might overwrite are read later."""
    c = a @ a.t()
    d = c.relu() + 1
    p, q = c.split(2, 1)
    e = torch.exp(d[:, :] - d.amax()) * 2
    f, g = d.view(16)[3:9], d.unbind(1)[0]
    h = e @ e
    return p * q + h[:, :2], f * 2 + h.view(16)[:6], g * 3 + h[0]


PROGRAMS = [
    shared, mutating, aliasing, scattered, random, listed, automatic, branching, data_dependent,
    lambda a, b: (torch.tanh(a) + 1, torch.tanh(a) + 1),
    lambda a, b: (torch.exp(torch.complex(a, b)) * 2).abs() + 1,
    lambda a, b: torch.complex(a, b).conj().imag * 2 + 1,
    lambda a, b: torch.exp(a + a.flip(0)) * b.t().contiguous().t(),
    lambda a, b: torch.exp(a[:4, :4] + a[:4, :4].t()) * 2,
    lambda a, b: torch.exp(a[0].expand(4, 6) * b) + 1,
    lambda a, b: torch.exp(a).expand(3, 4, 6) * 2 + 1,
    lambda a, b: torch.softmax(a[:0] * 2, 1) + b[:0],
    lambda a, b: (a[:0].sum() * 2 + 1, a[:0].mean() + 1),
    lambda a, b: (a * 100).to(torch.int64) * 3 ^ (b > 0),
    lambda a, b: (a.to(torch.uint8) + 200) * 2,
    lambda a, b: (a * torch.tensor(2.0, dtype=torch.float64) + torch.tensor(3)) * b,
    lambda a, b: torch.cat([torch.exp(a[:, :3]) * 2, torch.sin(b[:, 3:]) + 1], 1),
    lambda a, b: F.rms_norm(a, (6,), b[0]) * F.instance_norm(b[None]).sum(0),
    lambda a, b: torch.vmap(lambda r: torch.exp(r) * 2 + r.sum())(a),
    lambda a, b: torch.func.grad(lambda z: (torch.exp(z) * b).sum())(a),
    lambda a, b: torch.add(a, b, out=torch.empty(4, 6)) * 2,
    lambda a, b: (a // 1e-3, a % 0.3, torch.fmod(a, b), a.round(), a.frac(), a.clamp(0.5, -0.5)),
    lambda a, b: torch.where(a > float("nan"), a, b) * float("inf"),
    lambda a, b: ((a * 10).int() * (b * 10).int()).float().var(0, correction=9),
    lambda a, b: a.reshape(2, 2, 6).permute(2, 0, 1).exp().sum(1).mul(2).t() + b[:2, :1],
    lambda a, b: (torch.logsumexp(a, 1), a.amax((0, 1)), a.std(), (a > 0).any(0), (b > -9).all(),
                  a.prod(1)),
]


def rotated(a, b):
    """Rotary positions, written out."""
    x, y = a.chunk(2, -1)
    return a * torch.cos(b) + torch.cat([-y, x], -1) * torch.sin(b)


def gated(a, b):
    i, f, g = (a + b).split(2, 1)
    return torch.sigmoid(i) * torch.tanh(g) + torch.sigmoid(f)


def bytes_of(a, b):
    """Of uint8: modulo 256, as far as it stays uint8."""
    p, q = (a * 100).to(torch.int32).to(torch.uint8), (b * 100).abs().to(torch.uint8)
    r = torch.where(p > q, p * 3 - q, ~q + p)
    return (r, r.amax(1), (r + 200).float() / 255, r.sum(), torch.cat([r, q[:, ::2]], 1), r == 7,
            -r, r.clamp(3, 250) ^ q, r.bool())


# Programs with views, and how many kernels they are at most, where all sizes are known.
VIEWED = [
    (rotated, 1), (gated, 1), (bytes_of, 9),
    (lambda a, b: torch.exp(a[:, 1:5] * 2) + b[:, ::2][:, :1], 1),
    (lambda a, b: torch.exp(a[1:3, 2:] + b[-2:, :4].sin()) * 2, 1),
    (lambda a, b: a[1].exp() * b[:, 2:3] + b[0, -1], 1),
    (lambda a, b: torch.sin(a.t()[1:5].t()[::2]) * b[1:3, 1:5] + 1, 1),
    (lambda a, b: torch.exp(a[:, 1:] - a[:, :-1]) * 2, 1),
    (lambda a, b: (a.exp()[:, 1:] - b.exp()[:, :-1]) * 2, 1),
    (lambda a, b: torch.exp(a[1:-1]) * 2, 1),
    (lambda a, b: torch.exp(a[1:])[1:] * 2 + b[2:], 1),
    (lambda a, b: torch.exp(a[1:][1:] - b[:-1][:-1]) * b[1:-1], 1),
    (lambda a, b: torch.exp(a[::2, 1::2] * 2) + b[1::2, :3], 1),
    (lambda a, b: torch.exp(a[:, 1] - b[:, 2]) * a[:, 5], 1),
    (lambda a, b: torch.exp(a[1][None] + a[:, 2:3]) * torch.full((4, 6), 0.5)[:, :1], 1),
    (lambda a, b: F.layer_norm(a[:, 2:] * 2, (4,)) + F.layer_norm(b[:, :4] * 2, (4,)), 1),
    (lambda a, b: a.exp()[:, None, 1:].transpose(1, 2) * 2 + b[:, 1:, None], 1),
    (lambda a, b: torch.cat([a.exp(), b.sin(), a * b], 1) * 2 + 1, 1),
    (lambda a, b: torch.cat([a.exp(), (b * 100).int(), a > 0], 0) * 2, 1),
    (lambda a, b: torch.cat([a[:1].exp(), b], 0).sin() + torch.cat([b, a[:1]], 0).cos(), 2),
    (lambda a, b: torch.stack([a.exp(), b.sin() * 2], -1).flatten(-2), 1),
    (lambda a, b: torch.cat([a.exp(), b * 2], 1).softmax(1), 2),
    (lambda a, b: torch.softmax(a[:, 2:] * 2, 1) + torch.cat([b[:, :3], a[:, :1]], 1), 2),
    (lambda a, b: (a.softmax(1)[:, :3] * 2 + 1, a.softmax(1)), 2),
    (lambda a, b: [t.exp() * 2 for t in (a * b + 1).unbind(1)], 1),
    (lambda a, b: [t.exp() * 2 for t in a.split([1, 2, 3], 1)], 3),
    (lambda a, b: torch.cat([a[:, :3].mean(1, keepdim=True), b.exp()], 1) * 2, 2),
    (lambda a, b: torch.cat([a.t().exp().t()[:, 3:], a[:, :3] * 2], 1)[1:, 1:5] + 1, 1),
    (lambda a, b: (lambda c: (c[:2].t() * 2, c[2:] + c[:2], c))(torch.exp(a @ b.t()) + 1), 1),
    (lambda a, b: torch.cat([a[0].expand(4, 6).exp(), b.exp(), torch.zeros(4, 6)], 1) + 1, 2),
    (lambda a, b: ((a * 100).to(torch.uint8).any(1), (b * 100).abs().to(torch.uint8).all(1)), 2),
    (lambda a, b: F.silu(F.group_norm(a.view(2, 4, 3), 2, b[0, :4], b[1, :4])) * 2, 1),
    (lambda a, b: F.group_norm((a @ b.t()).view(1, 4, 2, 2), 2).exp().relu() @ b[:2, :2], 1),
]


class Programs(unittest.TestCase):
    def alike(self, program, a, b, **how):
        def ran(run):
            given = [t.clone(memory_format=torch.preserve_format) for t in (a, b)]
            torch.manual_seed(7)
            return leaves((run(*given), given))

        wide = None
        if program is not random and program is not automatic:
            torch.manual_seed(7)
            given = [a.double(), b.double()]
            wide = leaves((program(*given), given))
        eager, compiled = ran(program), torch.compile(program, backend="tosajit", **how)
        with watched() as made:
            for ours in every_call(lambda: ran(compiled), made):
                self.assertEqual(len(ours), len(eager))
                for k, (x, y) in enumerate(zip(ours, eager)):
                    exact = (wide[k] if wide and isinstance(y, torch.Tensor)
                             and y.dtype.is_floating_point else None)
                    self.assertIsNone(complaint(x, y, exact))
                    if isinstance(y, torch.Tensor):
                        self.assertEqual(x.stride(), y.stride())
        return made

    def test_programs(self):
        torch.manual_seed(4)
        a, b = torch.randn(4, 6), torch.randn(4, 6)
        for k, program in enumerate(PROGRAMS):
            for how in ({}, {"dynamic": True}) if ALL or k < 3 else ({"dynamic": bool(k % 2)},):
                with self.subTest(program=k, how=how):
                    torch._dynamo.reset()
                    self.alike(program, a, b, **how)
        torch._dynamo.reset()
        transposed = lambda x, y: F.gelu(x) * y.exp() + 1
        self.alike(transposed, torch.randn(6, 4).t(), b, fullgraph=True)
        self.alike(transposed, torch.randn(8, 12)[::2, ::2], torch.randn(1, 6).expand(4, 6))

    def test_views(self):
        """As operands and results in pieces. The library may say no to some; then they are
        PyTorch's."""
        torch.manual_seed(4)
        a, b = torch.randn(4, 6), torch.randn(4, 6)
        for k, (program, most) in enumerate(VIEWED):
            for how in ({}, {"dynamic": True}):
                with self.subTest(program=k,
                                  how=how), self.assertNoLogs("tosajit.torch", "WARNING"):
                    torch._dynamo.reset()
                    made = self.alike(program, a, b, **how)
                    self.assertEqual(others_of(made), 0)
                    self.assertTrue(how or 0 < runs_of(made) <= 3 * most, runs_of(made))

    def test_refused_options(self):
        for wrong in ({"accuracy": "best"}, {"speed": 9}):
            torch._dynamo.reset()
            with self.assertRaisesRegex(Exception, "the options are"):
                torch.compile(lambda x: x * 2 + 1, backend="tosajit", options=wrong)(torch.ones(3))
        torch._dynamo.reset()
        x = torch.randn(1000)
        exact = torch.compile(lambda x: torch.exp(x) * 1, backend="tosajit",
                              options={"accuracy": "exact"})(x)
        self.assertTrue(torch.equal(exact, torch.exp(x.double()).float()))
        y, z = torch.randn(2, 1000)
        torch._dynamo.reset()
        contracted = torch.compile(lambda x, y, z: torch.abs(x * y - z), backend="tosajit", options={"accuracy": "contracted"})(x, y, z)
        once = torch.abs(x.double() * y.double() - z.double()).float()  # the product is exact, and the sum almost
        self.assertFalse(torch.equal(once, torch.abs(x * y - z)))
        self.assertTrue(torch.equal(once, contracted))

    def test_what_does_not_fit_is_computed_otherwise(self):
        """A kernel that cannot have a tensor leaves all to PyTorch, which says what is wrong, if
        something is."""
        graph = make_fx(lambda a, b: torch.relu(a * 2 + b),
                        tracing_mode="fake")(torch.randn(4, 6), torch.randn(6))
        call = _program.build(graph, ENGINE, "test")
        a, b = torch.randn(4, 6), torch.randn(6)
        for x, y in ((a, b), (a.double(), b), (a[:2], b), (a[0], b),
                     (a.to(torch.complex64).real, b), (a.to_sparse().to_dense(), b)):
            self.assertIsNone(complaint(call([x, y]), torch.relu(x * 2 + y), None))
        self.assertEqual((runs_of([call]), others_of([call])), (3, 3))
        with self.assertRaisesRegex(RuntimeError, "must match the size"):
            call([a, torch.randn(5)])
        with self.assertRaisesRegex(RuntimeError, "Expected a value of type 'Tensor'"):
            call([a, "b"])

    def test_threads(self):
        torch._dynamo.reset()
        run = torch.compile(lambda x: torch.softmax(x.exp() * 2, 1), backend="tosajit",
                            dynamic=True)
        x = torch.randn(300, 100)
        wanted, wrong = run(x), []

        def work(n):
            for _ in range(30):
                if not torch.equal(run(x[:n]), wanted[:n]):
                    wrong.append(n)

        threads = [threading.Thread(target=work, args=(n,)) for n in (300, 299, 7, 64)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])
        torch.set_num_threads(2)
        try:
            self.assertTrue(torch.equal(run(x), wanted))
        finally:
            torch.set_num_threads(1)

    def test_nothing_is_left(self):
        torch._dynamo.reset()
        w = torch.randn(64, 64)
        run = torch.compile(lambda x: torch.relu(x @ w) * 2 + x, backend="tosajit")
        x = torch.randn(512, 64)

        def resident():
            with open("/proc/self/statm") as file:
                return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

        with torch.no_grad():
            for _ in range(200):
                run(x)
            count, memory = sys.getrefcount(x), resident()
            for _ in range(2000):
                run(x)
        self.assertEqual(sys.getrefcount(x), count)
        self.assertLess(resident() - memory, 8 << 20)

    def test_log(self):
        torch._dynamo.reset()
        with self.assertLogs("tosajit.torch", "DEBUG") as log:
            torch.compile(lambda x: torch.relu(x @ x) * 2, backend="tosajit")(torch.ones(4, 4))
            torch.compile(lambda y: (lambda z: (z @ z, z.sum((0, 1))))(F.silu(y @ y)),
                          backend="tosajit")(torch.ones(4, 4))
        text = "\n".join(log.output)
        self.assertIn("region of relu, mul: x0: f32[4,4]", text)
        self.assertRegex(text, "left to PyTorch: mm = aten.mm.default: there is no rule for it")
        # without the sum, for which silu would be computed twice
        self.assertRegex(text, "region of silu: ")

    def test_found_by_name_without_a_compiler(self):
        """As installed: by the entry point, without an import, and with no program to be found."""
        lines = ("import sys, torch; f = torch.compile(lambda x: x.exp() * 2 + 1, "
                 "backend='tosajit'); x = torch.ones(5)\n"
                 "assert torch.allclose(f(x), x.exp() * 2 + 1) and 'tosajit.torch' in sys.modules")
        with tempfile.TemporaryDirectory() as folder:
            info = os.path.join(folder, "tosajit-0.1.dist-info")
            os.mkdir(info)
            with open(os.path.join(info, "METADATA"), "w") as file:
                file.write("Metadata-Version: 2.1\nName: tosajit\nVersion: 0.1\n")
            with open(os.path.join(info, "entry_points.txt"), "w") as file:
                file.write("[torch_dynamo_backends]\ntosajit = tosajit.torch:backend\n")
            path = os.pathsep.join([folder, os.environ.get("PYTHONPATH", "")])
            subprocess.run([sys.executable, "-c", lines], check=True,
                           env={**os.environ, "PYTHONPATH": path, "PATH": folder})

    def test_exit_while_kernels_are_compiled(self):
        lines = ("import torch, tosajit.torch, torch.nn as nn\n"
                 "n = nn.Sequential(*(m for k in range(8) for m in (nn.Linear(8, 8), nn.GELU(), "
                 "nn.LayerNorm(8), nn.Mish())))\n"
                 "torch.compile(n, backend='tosajit')(torch.ones(3, 8)).sum().backward()")
        for _ in range(5 if ALL else 1):
            subprocess.run([sys.executable, "-c", lines], check=True)


class Counted(nn.Module):
    """With a buffer that calls change, a number of the sizes, an argument by name, and results in a
    tree."""

    def __init__(self):
        super().__init__()
        self.linear, self.norm = nn.Linear(8, 16), nn.LayerNorm(16)
        self.register_buffer("calls", torch.zeros(1))

    def forward(self, x, *, scale):
        self.calls.add_(1)
        y = self.norm(F.gelu(self.linear(x))) * scale
        return {"y": y + self.calls, "z": (y.sum(-1), x.shape[0])}


LOADS = """
import sys, torch, tosajit.torch
for name in sys.argv[1:]:
    run, (calls, bits) = tosajit.torch.load(name + ".pt2"), torch.load(name + ".calls")
    for (args, kwargs), wanted in calls:
        torch.testing.assert_close(run(*args, **kwargs), wanted, rtol=2e-5, atol=2e-5)
    assert run.compiled == 0 and run.kernels
    assert sum(r.runs for r in run._call.regions) >= 2 * len(run._call.regions), "kernels did not run"
with open("/proc/self/maps") as file:
    assert not [line for line in file if "LLVM" in line or "tosajit-codegen" in line], "a compiler was loaded"
"""


class Saved(unittest.TestCase):
    def setUp(self):
        torch._dynamo.reset()
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def test_a_process_without_a_compiler(self):
        cases = [("counted", Counted(), lambda n: torch.randn(n, 8), {"scale": torch.randn(16)}),
                 ("GPT", GPTBlock(), lambda n: torch.randn(n, 12, 64), {}),
                 ("convolution", mobile(8, 16), lambda n: torch.randn(n, 8, 6, 6), {})]
        for name, module, make, named in cases:
            module.eval()
            shapes = {"x" if named else "input": {0: torch.export.Dim("n", min=1, max=64)},
                      **dict.fromkeys(named)}
            shapes = shapes if named else (next(iter(shapes.values())),)
            exported = torch.export.export(module, (make(4),), named, dynamic_shapes=shapes)
            self.assertGreater(tosajit.torch.save(exported, self.path(name + ".pt2")), 0)
            with torch.no_grad():
                calls = [(((x,), named), copy.deepcopy(module(x, **named)))
                         for x in map(make, (4, 7, 1))]
            torch.save((calls, None), self.path(name + ".calls"))
        names = [self.path(case[0]) for case in cases]
        subprocess.run([sys.executable, "-c", LOADS, *names], check=True,
                       env={**os.environ, "PATH": self.folder.name})

    def test_what_does_not_fit(self):
        module, path = nn.Sequential(nn.Linear(8, 16), nn.GELU(),
                                     nn.LayerNorm(16)).eval(), self.path("m.pt2")
        exported = torch.export.export(module, (torch.randn(4, 8),))
        tosajit.torch.save(exported, path, accuracy="exact")
        run, x = tosajit.torch.load(path), torch.randn(4, 8)
        torch.testing.assert_close(run(x), module(x).detach(), rtol=2e-5, atol=2e-5)
        for wrong, message in ((x.double(), "the argument .* is of torch.float64"),
                               (x[:3], "to be equal to 4"), (x[0], "shape"),
                               ("x", "to be a tensor")):
            with self.assertRaisesRegex((TypeError, RuntimeError), message):
                run(wrong)
        for arguments, named in (((), {}), ((x, x), {}), ((x,), {"y": x})):
            with self.assertRaisesRegex(TypeError, "arguments of the form"):
                run(*arguments, **named)
        for given in (module, "m", None):
            with self.assertRaisesRegex(TypeError, "what torch.export.export gives"):
                tosajit.torch.save(given, path)
        with self.assertRaisesRegex(ValueError, "the options are"):
            tosajit.torch.save(exported, path, accuracy="best")
        plain = self.path("plain.pt2")
        for extra in ({}, {"tosajit.json": "{}"}, {"tosajit.json": '{"format": 9}'},
                      {"tosajit.json": '{"format": 1, "images": {"": "?"}}'},
                      {"tosajit.json": "[1]"}, {"tosajit.json": '{"format": 1, "images": []}'}):
            torch.export.save(exported, plain, extra_files=extra)
            with self.assertRaisesRegex(ValueError, "was not written by tosajit.torch.save"):
                tosajit.torch.load(plain)

    def test_a_file_that_could_run_code(self):
        """Pickles are refused before PyTorch reads them, and none is written."""
        mark = self.path("mark")

        class Evil:
            def __reduce__(self):
                return os.mkdir, (mark,)

        module, path, other = (nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.LayerNorm(16)).eval(),
                               self.path("m.pt2"), self.path("evil.pt2"))
        x = torch.randn(4, 8)
        tosajit.torch.save(torch.export.export(module, (x,)), path)
        pickle_ = io.BytesIO()
        torch.save(Evil(), pickle_)
        config = json.dumps({"config": {"evil": {"path_name": "opaque_obj_0", "is_param": False,
                                                 "use_pickle": True, "tensor_meta": None}}})
        with zipfile.ZipFile(path) as archive:
            self.assertFalse([i for i in archive.infolist() if i.filename.endswith(".pt")
                              and i.file_size])
            root = archive.namelist()[0].partition("/")[0]
        cases = {"data/sample_inputs/model.pt": pickle_.getvalue(),
                 "data/constants/model_constants_config.json": config,
                 "data/constants/opaque_obj_0": pickle_.getvalue(),
                 "data/weights/model.pt": pickle_.getvalue(),
                 "data/constants/model.pt": pickle_.getvalue()}
        for entry, data in cases.items():
            with zipfile.ZipFile(path) as archive, zipfile.ZipFile(other, "w", zipfile.ZIP_STORED) as new:
                for info in archive.infolist():
                    if not info.filename.endswith(entry):
                        new.writestr(info.filename, archive.read(info))
                new.writestr(f"{root}/{entry}", data)
            with self.subTest(entry=entry), self.assertRaisesRegex(ValueError, "reading it could "
                                                                   "run code"):
                tosajit.torch.load(other)
        self.assertFalse(os.path.exists(mark))
        with open(other, "wb") as file:
            file.write(b"no archive")
        with self.assertRaisesRegex(ValueError, "it is damaged, or no archive"):
            tosajit.torch.load(other)
        with self.assertRaisesRegex(TypeError, "it takes a path or a file"):
            tosajit.torch.load(3)
        with open(path, "rb") as file:
            self.assertTrue(torch.equal(tosajit.torch.load(file)(x), tosajit.torch.load(path)(x)))

    def test_negative_bit(self):
        """Of an argument, whose memory has other signs."""
        path, n = self.path("m.pt2"), torch.complex(torch.ones(4), torch.arange(4.0)).conj().imag
        function = lambda x: F.gelu(x) * 2 + x
        module = nn.Module()
        module.forward = function
        tosajit.torch.save(torch.export.export(module, (torch.randn(4),)), path)
        run, compiled = tosajit.torch.load(path), torch.compile(function, backend="tosajit")
        compiled(torch.randn(4))
        for call in (run, compiled):
            torch.testing.assert_close(call(n), function(n))

    def test_copies(self):
        module, path = Counted().eval(), self.path("m.pt2")
        x, scale = torch.randn(4, 8), torch.randn(16)
        tosajit.torch.save(torch.export.export(module, (x,), {"scale": scale}), path)
        run = tosajit.torch.load(path)
        first = run(x, scale=scale)["y"]
        shallow, deep = copy.copy(run), copy.deepcopy(run)
        second = run(x, scale=scale)["y"]
        self.assertFalse(torch.equal(first, second), "calls are counted")
        self.assertTrue(torch.equal(deep(x, scale=scale)["y"], second), "in each copy")
        third = shallow(x, scale=scale)["y"]
        self.assertTrue(torch.equal(deep(x, scale=scale)["y"], third))
        with self.assertRaisesRegex(TypeError, "cannot be pickled, because its kernels are code"):
            pickle.dumps(run)

    def test_kernels_that_cannot_be_used(self):
        """Damaged ones, or of another CPU, are compiled anew."""
        from tosajit.torch import _saved
        module, path = nn.Sequential(nn.Linear(8, 16), nn.GELU(),
                                     nn.LayerNorm(16)).eval(), self.path("m.pt2")
        tosajit.torch.save(torch.export.export(module, (torch.randn(4, 8),)), path)
        x, read = torch.randn(4, 8), _saved._read

        def damaged(*arguments):
            said = read(*arguments)
            said["images"] = {key: image[:-9] for key, image in said["images"].items()}
            return said

        _saved._read = damaged
        try:
            with self.assertLogs("tosajit.torch", "WARNING"):
                run = tosajit.torch.load(path)
        finally:
            _saved._read = read
        self.assertEqual(run.compiled, len(run._call.regions))
        torch.testing.assert_close(run(x), module(x).detach(), rtol=2e-5, atol=2e-5)


if __name__ == "__main__":
    unittest.main(argv=[argument for argument in sys.argv if argument != "--all"])

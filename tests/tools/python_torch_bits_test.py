# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations of torch.compile(backend="tosajit") beside eager PyTorch's, element by element: all
values of f16 and bf16 and of integers of 8 bits, ends and zeros of the others, in all types, beside
numbers of Python and beside each other.

    PYTHONPATH=build/tools/python python3 tests/tools/python_torch_bits_test.py [--all]

Where eager is exact, the bits are the same, zeros' signs among them. What differs is said here:
- functions are up to a unit off, in eager, too, and lower bits of f32 decide how a smaller type is
rounded;
- of fmod and what is made of it eager gives NaN, where the quotient is beyond the type, and we the
remainder;
- of two tensors with zeros of both signs maximum, minimum and clamp give either: eager's vectors
and its last elements differ themselves;
- with alpha eager rounds once where the CPU can, so results are a unit of what is added off."""
import itertools
import math
import sys
import unittest
import warnings

import torch
import torch.nn.functional as F
from torch.fx.experimental.proxy_tensor import make_fx

import tosajit
import tosajit.torch
from tosajit.torch import _program

ALL = "--all" in sys.argv
torch.set_num_threads(1)
warnings.simplefilter("ignore")
ENGINE = tosajit.Engine(accuracy="reproducible", backend="auto")
HALVES, WIDES = (torch.bfloat16, torch.float16), (torch.float32, torch.float64)
INTEGERS = (torch.int8, torch.uint8, torch.int16, torch.int32, torch.int64, torch.bool)
SPECIAL = [0.0, -0.0, 1, -1, 0.5, -0.5, 1.5, 2.5, -1.5, -2.5, 2, -2, 3, -3, 7, -7, 10, 0.1, -0.1,
           1 / 3, math.inf, -math.inf, math.nan, 100, -100]
NUMBERS = [0.1, -0.7, 3, 0.0, -0.0, 0.5, -2, 2.7182818, 7, math.inf, math.nan, 1234.567, -0.5, 1,
           -1, 2, -3, 1e5, 1e-8, -math.inf, 0.3]
WHOLE = [2, -1, 300, 0, 3, 1, -2, 7, -300, 128, 70000, 2 ** 31, 2 ** 40, True]


def values(dtype):
    if dtype in HALVES:
        return torch.arange(65536, dtype=torch.int32).to(torch.int16).view(dtype)
    if dtype.is_floating_point:
        ends = torch.finfo(dtype)
        return torch.tensor(SPECIAL + [ends.max, -ends.max, ends.tiny, -ends.tiny, ends.tiny / 4,
                                       ends.eps, 1 + ends.eps, 2.0 ** 31, 2.0 ** 63,
                                       8388608.0, 4503599627370496.5], dtype=dtype).repeat(3)
    if dtype is torch.bool:
        return torch.tensor([True, False] * 20)
    if dtype in (torch.int8, torch.uint8):
        return torch.arange(256, dtype=torch.int32).to(dtype)
    ends = torch.iinfo(dtype)
    return torch.tensor([v for v in [*range(-12, 13), ends.min + 1, ends.max, ends.max - 1,
                                     ends.max // 2 + 1, 46341, -46341] if ends.min < v <= ends.max],
                        dtype=dtype)


def few(dtype):
    if dtype in HALVES:
        return torch.cat([values(dtype)[::1297], torch.tensor(SPECIAL, dtype=dtype)])
    return values(dtype)[::9] if dtype in (torch.int8, torch.uint8) else values(dtype)[:40]


def ours(function, *tensors):
    graph = make_fx(torch.func.functionalize(lambda *given: function(*given)),
                    decomposition_table=tosajit.torch._decompositions(),
                    tracing_mode="fake")(*tensors)
    call = _program.build(graph, ENGINE, "bits")
    return call(list(tensors)), sum(region.runs for region in call.regions)


def bits_differ(a, b):
    if not a.dtype.is_floating_point:
        return a != b
    return ~((a == b) & (a.signbit() == b.signbit()) | a.isnan() & b.isnan())


def values_differ(a, b):
    """But for the sign of zeros."""
    return ~((a == b) | a.isnan() & b.isnan())


def overflowing(a, b):
    """But where eager gave up."""
    return bits_differ(a, b) & ~b.isnan() if a.dtype.is_floating_point else a != b


def units_differ(a, b):
    """But for two units of the last place."""
    unit = torch.finfo(b.dtype).eps if b.dtype.is_floating_point else 0
    near = ((a.double() - b.double()).abs() <= b.double().abs() * (2 * unit) + 2 * unit
            * torch.finfo(b.dtype).tiny if unit else a == b)
    return ~near & bits_differ(a, b)


def powers_differ(a, b):
    """Eager's last elements of f32 have the exponent in f64, and its vectors in f32: the logarithm
    of a power, at most 89, times half a unit."""
    near = (a.double()
            - b.double()).abs() <= b.double().abs() * (46 * torch.finfo(torch.float32).eps)
    return units_differ(a, b) & ~near if b.dtype is torch.float32 else units_differ(a, b)


ONE = {name: (getattr(torch, name), bits_differ) for name in """abs ceil floor trunc round neg sign reciprocal square relu sgn frac isnan isinf
    isfinite bitwise_not logical_not signbit positive nan_to_num deg2rad""".split()}
ONE["sqrt"] = torch.sqrt, units_differ
ONE.update({name: (getattr(F, name), bits_differ)
            for name in "relu6 hardtanh hardshrink leaky_relu".split()})
ONE.update({"threshold": (lambda x: F.threshold(x, 0.1, 0.3), bits_differ),
            "softshrink": (F.softshrink, values_differ)})
ONE.update({f"to {dtype}": ((lambda dtype: lambda x: x.to(dtype))(dtype), bits_differ)
            for dtype in HALVES + WIDES})
TWO = {
    "add": (torch.add, bits_differ), "sub": (torch.sub, bits_differ), "rsub": (torch.rsub, bits_differ), "mul": (torch.mul, bits_differ),
    "div": (torch.div, bits_differ), "rdiv": (lambda x, y: y / x, bits_differ), "floor": (lambda x, y: torch.div(x, y, rounding_mode="floor"), bits_differ),
    "trunc": (lambda x, y: torch.div(x, y, rounding_mode="trunc"), bits_differ), "floor_divide": (lambda x, y: x // y, bits_differ),
    "fmod": (torch.fmod, overflowing), "remainder": (lambda x, y: x % y, overflowing), "rremainder": (lambda x, y: y % x, overflowing),
    "pow": (torch.pow, powers_differ), "rpow": (lambda x, y: torch.pow(y, x), units_differ),
    **{name: (getattr(torch, name), bits_differ) for name in "eq ne lt le gt ge copysign bitwise_and bitwise_xor bitwise_or logical_and".split()},
    "clamp_min": (lambda x, y: torch.clamp(x, min=y), values_differ), "clamp_max": (lambda x, y: torch.clamp(x, max=y), values_differ),
    "clamp": (lambda x, y: torch.clamp(x, y, 3) if not isinstance(y, torch.Tensor) else torch.clamp(x, y, y + 1), values_differ),
    "maximum": (torch.maximum, values_differ), "minimum": (torch.minimum, values_differ), "where": (lambda x, y: torch.where(x > 0, x, y), bits_differ),
    "masked_fill": (lambda x, y: torch.masked_fill(x, x > 0, y) if not isinstance(y, torch.Tensor) else x + 0, bits_differ),
    "threshold": (lambda x, y: F.threshold(x, y, 0.3), bits_differ), "hardshrink": (F.hardshrink, bits_differ),
    "leaky_relu": (F.leaky_relu, bits_differ), "heaviside": (lambda x, y: torch.heaviside(x, torch.as_tensor(y, dtype=x.dtype)), bits_differ),
    "atan2": (torch.atan2, units_differ), "elu": (F.elu, units_differ),
}


class Bits(unittest.TestCase):
    def beside(self, function, differ, *tensors):
        """True if a kernel had it. A case that eager refuses is refused, too, or does not matter
        here."""
        try:
            eager = function(*tensors)
        except (RuntimeError, NotImplementedError, TypeError):
            return False
        found, runs = ours(function, *tensors)
        self.assertEqual((found.dtype, found.shape), (eager.dtype, eager.shape))
        wrong = differ(found, eager).nonzero()[:3, 0].tolist() if eager.dim() else []
        shown = lambda t, k: t[k].item() if t.shape == eager.shape else t.tolist()
        self.assertEqual([(*(shown(t, k) for t in tensors), found[k].item(), "and not",
                           eager[k].item()) for k in wrong], [])
        return runs > 0

    def setUp(self):
        gains = _program.gains
        _program.gains = lambda region, taken: True
        self.addCleanup(setattr, _program, "gains", gains)

    def test_one_operand(self):
        runs = 0
        for name, (function, differ) in ONE.items():
            for dtype in HALVES + WIDES + INTEGERS:
                with self.subTest(op=name, dtype=dtype):
                    runs += self.beside(function, differ, values(dtype))
        self.assertGreater(runs, 140)

    def test_beside_a_number(self):
        """By default each operation of each type has two numbers of the lists, in turns."""
        runs = turn = 0
        for name, (function, differ) in TWO.items():
            for dtype in HALVES + WIDES + INTEGERS:
                numbers = NUMBERS if dtype.is_floating_point else NUMBERS[:3] + WHOLE
                turn += 1
                for number in numbers if ALL else {numbers[turn % len(numbers)],
                                                   numbers[turn * 5 % len(numbers)]}:
                    with self.subTest(op=name, dtype=dtype, number=number):
                        runs += self.beside((lambda f, n: lambda x: f(x, n))(function, number),
                                            differ, values(dtype))
        self.assertGreater(runs, 300)

    def test_comparisons_of_halves(self):
        """The number is rounded first: so 0.1 is what a tensor has of 0.1."""
        for dtype in HALVES:
            x = torch.tensor([0.1, 0.2, 0.30004], dtype=dtype)
            for name, function in {"eq": lambda x: torch.where(x == 0.1, x * 2, -x),
                                   "ge": lambda x: torch.where(x >= 0.1, x * 2, -x),
                                   "gt": lambda x: torch.where(x > 0.1, x * 2, -x),
                                   "sub": lambda x: (x - 0.1) * 8}.items():
                with self.subTest(name=name, dtype=dtype):
                    self.assertTrue(self.beside(function, bits_differ, x))

    def test_two_tensors(self):
        runs = 0
        for name, (function, differ) in TWO.items():
            for dtype in HALVES + WIDES + INTEGERS:
                own = few(dtype)
                if (not dtype.is_floating_point and dtype is not torch.bool
                    and name in ("floor", "trunc", "floor_divide", "remainder", "rremainder",
                                 "fmod")):
                    # eager ends the process where the smallest integer is divided by -1
                    own = own[own > 0]
                a, b = (t.reshape(-1).contiguous() for t in torch.meshgrid(own, own, indexing="ij"))
                with self.subTest(op=name, dtype=dtype):
                    runs += self.beside(function, differ, a, b)
        self.assertGreater(runs, 130)

    def test_beside_an_element(self):
        """A tensor of another type is rounded first, but a single element behind a product or a
        quotient."""
        names = "add sub rsub mul div rdiv floor trunc remainder eq lt ge clamp_min maximum where".split()
        for dtype in (*HALVES, torch.int8):
            x = values(dtype)[::5]
            x = (x[x.isfinite() & (x.abs() < 1000) & (x.abs() > 1e-30)] if dtype.is_floating_point
                 else x[x > -128])
            others = [torch.tensor(0.3337), torch.tensor(0.3337, dtype=torch.float64),
                      torch.tensor(300), torch.tensor([0.3337], dtype=dtype),
                      torch.arange(-700, -700 + 3 * x.numel(), 3)]
            for name, other in itertools.product(names, others):
                for order in (1, -1):
                    with self.subTest(op=name, dtype=dtype, other=other.dtype, shape=other.shape,
                                      order=order):
                        function, differ = TWO[name]
                        self.beside(function, differ, *(x, other)[::order])

    def test_alpha(self):
        """Of f16 and bf16 alpha is rounded, too."""
        for dtype in HALVES:
            x = values(dtype)
            finite = x[x.isfinite() & (x.abs() < 1e4)]
            # of others eager rounds what is multiplied
            few = finite[::3].contiguous(), finite.flip(0)[::3].contiguous()
            for alpha, number in ((3, 0.1), (0.3, 0.1), (0.3, 2.7182818), (-1.1, 1 / 3)):
                with self.subTest(dtype=dtype, alpha=alpha):
                    self.assertTrue(self.beside((lambda a, n: lambda x: torch.add(x, n, alpha=a))(alpha, number), bits_differ, finite))
                    self.assertTrue(self.beside((lambda a: lambda x, y: torch.sub(x, y, alpha=a))(alpha), bits_differ, *few))


class Gradients(unittest.TestCase):
    def gradient(self, function, *tensors):
        def pulled(*given):
            result, pull = torch.func.vjp(function, *given)
            return pull(torch.ones_like(result))[0]
        return pulled(*tensors), ours(pulled, *tensors)[0]

    def test_nan(self):
        """It does not become another number, which would hide it. Eager's vectors have it so, and
        its last elements not always."""
        x, target = torch.tensor([math.nan, 1.0, -1.0]
                                 * 64), torch.tensor([2.0, 0.5, math.nan] * 64)
        for name, function in {"elu": F.elu, "celu": F.celu, "hardswish": F.hardswish,
                               "silu": F.silu, "gelu": F.gelu,
                               "smooth_l1": F.smooth_l1_loss, "huber": F.huber_loss}.items():
            with self.subTest(name=name):
                eager, found = self.gradient(function,
                                             *([x, target] if "l1" in name or name == "huber"
                                               else [x]))
                self.assertTrue((found.isnan() | ~eager.isnan()).all())

    def test_bounds(self):
        """On a bound as eager has it: the bound is rounded to f16 and bf16, or it is not."""
        for dtype in HALVES + WIDES:
            x = values(dtype)[::3] if dtype in HALVES else torch.arange(-4, 4, 0.125, dtype=dtype)
            x = x[x.isfinite()]
            for name, function in {"threshold": lambda x: F.threshold(x, 0.1, 0.3),
                                   "hardtanh": lambda x: F.hardtanh(x, -0.3, 1.1), "relu6": F.relu6,
                                   "hardshrink": lambda x: F.hardshrink(x, 0.1),
                                   "softshrink": lambda x: F.softshrink(x, 0.1), "abs": torch.abs,
                                   "clamp": lambda x: x.clamp(-1, 0.1), "leaky_relu": F.leaky_relu,
                                   "relu": F.relu}.items():
                with self.subTest(name=name, dtype=dtype):
                    eager, found = self.gradient(function, x)
                    wrong = values_differ(found, eager).nonzero()[:3, 0].tolist()
                    self.assertEqual([(x[k].item(), found[k].item(), eager[k].item())
                                      for k in wrong], [])


class Ends(unittest.TestCase):
    """Variances of f32 have the digits and the range of f64, as eager's have."""

    def test_variances(self):
        torch.manual_seed(0)
        x = torch.randn(4, 8, 16)
        functions = {"var": lambda x: x.var(-1), "std": lambda x: x.std(-1),
                     "std 0": lambda x: x.std(0, correction=0), "all": lambda x: x.std() * 1,
                     "var_mean": lambda x: torch.var_mean(x, 1),
                     "std_mean": lambda x: torch.std_mean(x, (0, 2)),
                     "batch_norm": lambda x: F.batch_norm(x, None, None, training=True),
                     "instance_norm": F.instance_norm}
        for scale, move in ((1e30, 0), (1e-30, 0), (1, 1e5), (1e-3, 10), (1, 0)):
            for name, function in functions.items():
                given = x * scale + move
                with self.subTest(name=name, scale=scale, move=move):
                    found, eager, wide = (f if isinstance(f, tuple) else (f,)
                                          for f in (ours(function, given)[0], function(given),
                                                    function(given.double())))
                    for a, b, c in zip(found, eager, wide, strict=True):
                        self.assertTrue(torch.equal(a.isfinite(), b.isfinite()))
                        error = lambda t: ((t - c).abs().max() / c.abs().max()).nan_to_num(0).item()
                        # a unit of the last place, and where it is rounded again
                        self.assertLessEqual(error(a), 2 * error(b) + 2e-7)

    def test_running_statistics(self):
        torch.manual_seed(0)
        for memory_format in (torch.contiguous_format, torch.channels_last):
            x = (torch.randn(8, 4, 9, 9) + 1e5).to(memory_format=memory_format)

            def function(x):
                mean, variance = torch.zeros(4), torch.ones(4)
                F.batch_norm(x, mean, variance, training=True, momentum=1.0)
                return mean, variance

            torch._dynamo.reset()
            mean, variance = torch.compile(function, backend="tosajit")(x)
            torch.testing.assert_close(mean, x.double().mean((0, 2, 3)).float(), rtol=2e-7, atol=0)
            torch.testing.assert_close(variance, x.double().var((0, 2, 3)).float(), rtol=1e-6,
                                       atol=0)


if __name__ == "__main__":
    unittest.main(argv=[argument for argument in sys.argv if argument != "--all"])

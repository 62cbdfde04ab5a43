# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A graph of f64 computed in 80-bit floats, which have 11 bits more: what a result in f64 should
have been, and how far results move where each operation, and each element that is summed, is up to
one unit of a type off."""
import operator

import numpy as np
import torch

aten, prims, Long = torch.ops.aten, torch.ops.prims, np.longdouble
PI = 4 * np.arctan(Long(1))


class Unknown(Exception):
    """An operation that is not here."""


def erf(x):
    """A series of terms of one sign. Beyond 8 it is 1."""
    x = np.clip(x, -8, 8)
    term = total = 2 / np.sqrt(PI) * x * np.exp(-x * x)
    for n in range(1, 400):
        term = term * 2 * x * x / (2 * n + 1)
        total = total + term
    return total


def erfc(x):
    """From 1 on a continued fraction."""
    far = np.maximum(x, 1)
    fraction = Long(1)
    for n in range(400, 0, -1):
        fraction = 1 + n / (2 * far * far) / fraction
    return np.where(x < 1, 1 - erf(x), np.exp(-far * far) / (far * np.sqrt(PI) * fraction))


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def gelu(x, approximate="none"):
    if approximate == "none":
        return x * erfc(-x * np.sqrt(Long(0.5))) / 2
    return x * (1 + np.tanh(np.sqrt(2 / PI) * (x + Long(0.044715) * x ** 3))) / 2


def divided(a, b, rounding_mode=None):
    return {None: np.divide, "floor": np.floor_divide,
            "trunc": lambda x, y: np.trunc(x / y)}[rounding_mode](a, b)


def clamped(x, low=None, high=None):
    x = x if low is None else np.maximum(x, low)
    return x if high is None else np.minimum(x, high)


def axes(x, dim):
    """All of them, where none are named; a number has none."""
    dims = [dim] if isinstance(dim, int) else dim
    return tuple(dims) if dims and x.ndim else None


def reduction(function):
    return lambda x, dim=None, keepdim=False, dtype=None: function(x, axis=axes(x, dim), keepdims=keepdim)


def variance(x, dim=None, correction=1, keepdim=False):
    along = axes(x, dim)
    count = x.size if along is None else np.prod([x.shape[d] for d in along])
    square = np.square(x - x.mean(axis=along, keepdims=True)).sum(axis=along, keepdims=keepdim)
    return square / np.maximum(Long(count) - (1 if correction is None else correction), 0)


def variance_and_mean(x, dim=None, correction=1, keepdim=False):
    return variance(x, dim, correction, keepdim), x.mean(axis=axes(x, dim), keepdims=keepdim)


def softmax(x, dim, half):
    e = np.exp(x - x.max(axis=axes(x, dim), keepdims=True, initial=-np.inf))
    return e / e.sum(axis=axes(x, dim), keepdims=True)


def log_softmax(x, dim, half):
    d = x - x.max(axis=axes(x, dim), keepdims=True, initial=-np.inf)
    return d - np.log(np.exp(d).sum(axis=axes(x, dim), keepdims=True))


WIDE = {
    **{name: getattr(np, name) for name in """exp log sin cos tan tanh exp2 expm1 log1p log2 log10 sinh cosh sqrt reciprocal floor ceil
        trunc abs sign square maximum minimum fmod remainder hypot copysign isnan isinf logical_and logical_or logical_xor
        logical_not""".split()},
    "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan, "asinh": np.arcsinh, "acosh": np.arccosh, "atanh": np.arctanh,
    "atan2": np.arctan2, "neg": np.negative, "round": lambda x, decimals=0: np.rint(x * Long(10) ** decimals) / Long(10) ** decimals, "pow": np.power, "mul": np.multiply, "div": divided,
    "add": lambda a, b, alpha=1: a + b * alpha, "sub": lambda a, b, alpha=1: a - b * alpha, "rsqrt": lambda x: 1 / np.sqrt(x),
    "eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal,
    "relu": lambda x: np.maximum(x, 0), "sigmoid": sigmoid, "silu": lambda x: x * sigmoid(x), "erf": erf, "erfc": erfc, "gelu": gelu,
    "clamp": clamped, "clamp_min": clamped, "clamp_max": lambda x, high: np.minimum(x, high), "where": np.where,
    "sum": reduction(np.sum), "mean": reduction(np.mean), "prod": reduction(np.prod), "amax": reduction(np.max), "amin": reduction(np.min),
    "max": reduction(np.max), "min": reduction(np.min), "any": reduction(np.any), "all": reduction(np.all), "var": variance,
    "var_mean": variance_and_mean, "_softmax": softmax, "_log_softmax": log_softmax, "mm": np.matmul, "bmm": np.matmul, "dot": np.dot,
    "addmm": lambda c, a, b: c + a @ b,
}
# They move elements, so they move the upper and the lower bits alike.
MOVING = set("""view _unsafe_view reshape permute transpose t expand squeeze unsqueeze slice select split split_with_sizes unbind cat stack
    clone alias detach index gather flip repeat constant_pad_nd as_strided diagonal index_select slice_backward select_backward
    scatter_add unfold roll slice_scatter select_scatter diagonal_scatter copy lift_fresh_copy view_as_real _reshape_alias""".split())
# Only the form of what they read counts.
SHAPED = set("zeros_like ones_like full_like empty_like new_zeros new_full new_ones new_empty fill "
             "sym_size sym_numel sym_stride".split())


def narrow(value):
    """To f64."""
    return torch.from_numpy(np.asarray(value, np.float64)) if is_wide(value) else value


def rest(value):
    """The part that narrow leaves out."""
    with np.errstate(invalid="ignore"):
        lower = np.asarray(value - np.asarray(value, np.float64)) if is_wide(value) else value
    return (torch.from_numpy(np.asarray(np.where(np.isfinite(lower), lower, 0), np.float64))
            if is_wide(value) else value)


def is_wide(value):
    return isinstance(value, (np.ndarray, np.generic)) and value.dtype == Long


def widened(value):
    if isinstance(value, torch.Tensor):
        return (value.detach().numpy(force=True).astype(Long) if value.dtype is torch.float64
                else value)
    return value


SUMMING = {"sum", "mean", "var", "var_mean", "_softmax", "_log_softmax", "mm", "bmm", "dot",
           "addmm", "prod"}


class Interpreter(torch.fx.Interpreter):
    noise, unit = None, 0  # a generator of random numbers, and how large they are

    def moved(self, value):
        if self.noise is None or not is_wide(value):
            return value
        with np.errstate(invalid="ignore", over="ignore"):
            return value * (1 + self.unit * Long(1) * self.noise.uniform(-1, 1, np.shape(value)))

    def call_function(self, target, args, kwargs):
        flat = torch.utils._pytree.tree_leaves((args, kwargs))
        if not any(map(is_wide, flat)) or target is operator.getitem:
            return torch.utils._pytree.tree_map(widened,
                                                super().call_function(target, args, kwargs))
        name = target._schema.name.partition("::")[2]
        if name in ("_to_copy", "convert_element_type"):
            other = kwargs.get("dtype", args[1] if len(args) > 1 else None)
            return args[0] if other in (None, torch.float64) else narrow(args[0]).to(other)
        if name in SHAPED:
            return self.with_moved(narrow, target, args, kwargs)
        if name in MOVING:
            upper, lower = (self.with_moved(part, target, args, kwargs) for part in (narrow, rest))
            return torch.utils._pytree.tree_map(lambda a, b: a + b if is_wide(a) else a, upper,
                                                lower)
        if (name not in WIDE or target._overloadname in ("dim", "names_dim")
            and name in ("max", "min")):
            raise Unknown(name)
        own = torch.utils._pytree.tree_map(lambda v: v.numpy() if isinstance(v, torch.Tensor)
                                           else v, (args, kwargs))
        if name in SUMMING:
            own = torch.utils._pytree.tree_map(self.moved, own)
        with np.errstate(all="ignore"):
            found = WIDE[name](*own[0], **own[1])
        if isinstance(found, tuple):
            return tuple(map(self.moved, found))
        return self.moved(found) if is_wide(found) else torch.from_numpy(np.asarray(found))

    def with_moved(self, part, target, args, kwargs):
        own = torch.utils._pytree.tree_map(part, (args, kwargs))
        return torch.utils._pytree.tree_map(widened, super().call_function(target, *own))


def computed(graph, tensors, unit):
    """What a graph gives, and as it moves, three times; None: the graph has an operation that is
    not here."""
    given = list(map(widened, tensors))
    try:
        interpreter, results = Interpreter(graph), []
        interpreter.unit = unit
        for seed in (None, 1, 2, 3):
            interpreter.noise = None if seed is None else np.random.default_rng(seed)
            results.append(torch.utils._pytree.tree_leaves(interpreter.run(*given)))
        return results
    except Unknown:
        return None

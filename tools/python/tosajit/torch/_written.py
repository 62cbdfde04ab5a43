# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations whose decomposition by PyTorch gives something else than PyTorch's own kernels do."""
from __future__ import annotations

import contextlib
import contextvars
import threading
from typing import Any, Callable, Dict, Iterator, Optional

import torch
from torch._C import DispatchKey
from torch._decomp.decompositions import upsample_compute_output_size

from ._ops import aten

# How variances are computed meanwhile; None: in f64.
_WITHIN: contextvars.ContextVar[Optional[Callable[..., Any]]] = contextvars.ContextVar("within", default=None)


def _wide(x: torch.Tensor) -> torch.Tensor:
    return x.to(torch._prims_common.get_computation_dtype(x.dtype))


def elu(x: torch.Tensor, alpha: Any = 1.0, scale: Any = 1.0,
        input_scale: Any = 1.0) -> torch.Tensor:
    """A zero keeps its sign, whatever alpha is."""
    wide = _wide(x)
    return torch.where(wide < 0, torch.expm1(wide * input_scale) * (alpha * scale),
                       wide * scale).to(x.dtype)


def softshrink(x: torch.Tensor, lambd: Any = 0.5) -> torch.Tensor:
    """f16 and bf16 are rounded once, and what is small becomes the positive zero."""
    wide = _wide(x)
    return torch.where(wide > lambd, wide - lambd,
                       torch.where(wide < -lambd, wide + lambd,
                                   torch.where(wide == wide, 0.0, wide))).to(x.dtype)


def threshold(x: torch.Tensor, bound: Any, value: Any) -> torch.Tensor:
    """The bound is not rounded to f16 or bf16. Integers, which would be floats meanwhile, stay
    PyTorch's."""
    if not x.is_floating_point():
        return NotImplemented
    return torch.where(_wide(x) <= bound, value, x)


def threshold_backward(gradient: torch.Tensor, x: torch.Tensor, bound: Any) -> torch.Tensor:
    """As threshold has its bound."""
    return torch.where(_wide(x) <= bound, 0, gradient)


def with_nan(function: Callable[..., Any], operand: Callable[..., Any]) -> Callable[..., Any]:
    """A gradient that is NaN where the operand is, as PyTorch's vectors have it."""
    def with_nan_of_the_operand(*args: Any) -> Any:
        gradient, x = function(*args), operand(*args)
        return torch.where(x == x, gradient, x)
    return with_nan_of_the_operand


def densely(function: Callable[..., Any]) -> Callable[..., Any]:
    """With results that are contiguous, whatever was given."""
    return lambda *args: tuple(t.contiguous() for t in function(*args))


def _left(x: torch.Tensor, dim: Any, correction: Any, keepdim: bool) -> Any:
    return NotImplemented


def _corrected(x: torch.Tensor, dim: Any, correction: Any, keepdim: bool) -> Any:
    """Variance and mean of all elements, from how far they are off a mean that is rounded. That
    costs less than f64, and has as many digits beside a large mean."""
    if correction != 0 or not keepdim:
        return NotImplemented
    near = torch.mean(x, dim, keepdim=True)
    off = x - near
    rest = torch.mean(off, dim, keepdim=True)
    square = torch.mean(off * off, dim, keepdim=True)
    return torch.where(square < torch.inf, torch.clamp_min(square - rest * rest, 0),
                       square), near + rest


def within(variances: Callable[..., Any], function: Callable[..., Any]) -> Callable[..., Any]:
    def written_out(*args: Any, **kwargs: Any) -> Any:
        token = _WITHIN.set(variances)
        try:
            return function(*args, **kwargs)
        finally:
            _WITHIN.reset(token)
    return written_out


def narrowly(function: Callable[..., Any]) -> Callable[..., Any]:
    """With variances in the type of their elements, as PyTorch has them within layer and group
    norm."""
    return within(_left, function)


def widely(op: Any, finish: Callable[[Any], Any]) -> Callable[..., Any]:
    """A variance, and a mean, in f64, as PyTorch computes them of f32. finish: what is made of it
    before it is rounded."""
    def with_wide_variances(x: torch.Tensor, dim: Any = None, *, correction: Any = None,
                            keepdim: bool = False) -> Any:
        if _WITHIN.get() is not None:
            return _WITHIN.get()(x, dim, correction, keepdim)
        if x.dtype not in (torch.float16, torch.bfloat16, torch.float32):
            return NotImplemented
        found = finish(op(x.to(torch.float64), dim, correction=correction, keepdim=keepdim))
        return (tuple(t.to(x.dtype) for t in found) if isinstance(found, tuple)
                else found.to(x.dtype))
    return with_wide_variances


def _deviation(found: Any) -> Any:
    return (torch.sqrt(found[0]), found[1]) if isinstance(found, tuple) else torch.sqrt(found)


BATCH_NORMS = (aten.native_batch_norm.default, aten._native_batch_norm_legit.default,
               aten._native_batch_norm_legit.no_stats,
               aten._native_batch_norm_legit_functional.default)


def written(known: Dict[Any, Callable[..., Any]]) -> Dict[Any, Callable[..., Any]]:
    """known: PyTorch's own decompositions."""
    same = lambda found: found
    wide = {aten.var.correction: widely(aten.var.correction, same),
            aten.var_mean.correction: widely(aten.var_mean.correction, same),
            aten.std.correction: widely(aten.var.correction, _deviation),
            aten.std_mean.correction: widely(aten.var_mean.correction, _deviation)}
    ends = {aten.elu.default: elu, aten.softshrink.default: softshrink,
            aten.threshold.default: threshold}
    norms = {op: within(_corrected, known[op]) for op in BATCH_NORMS if op in known}
    ends[aten.threshold_backward.default] = threshold_backward
    ends[aten.hardswish_backward.default] = with_nan(known[aten.hardswish_backward.default], lambda gradient, x: x)
    # its last operand may be the result that was kept; the result is NaN where the operand was
    ends[aten.elu_backward.default] = with_nan(known[aten.elu_backward.default], lambda gradient, *others: others[-1])
    ends[aten.smooth_l1_loss_backward.default] = with_nan(known[aten.smooth_l1_loss_backward.default], lambda gradient, x, target, *others: x - target)
    ends[aten.log_sigmoid_forward.default] = densely(known[aten.log_sigmoid_forward.default])
    return {**wide, **ends, **norms,
            aten.native_layer_norm.default: narrowly(known[aten.native_layer_norm.default])}


# Images of other sizes. PyTorch traces them as a gather for each corner and its weights, whatever a
# table of decompositions says: twice the time of its own kernels, and other bits.
RESIZES = [prefix + name for prefix, names in (
    ("upsample_", ("linear1d", "bilinear2d", "trilinear3d", "bicubic2d", "nearest1d", "nearest2d",
                   "nearest3d")),
    ("_upsample_", ("nearest_exact1d", "nearest_exact2d", "nearest_exact3d", "bilinear2d_aa",
                    "bicubic2d_aa"))) for name in names if hasattr(aten, prefix + name)]
_TRACED = DispatchKey.Autograd, DispatchKey.CompositeImplicitAutograd
_RESIZING = threading.RLock()


def sized(packet: Any) -> Callable[..., Any]:
    """A resize by a list or by factors, as the one by sizes. In C++ PyTorch asks an image for
    numbers there, and sizes that calls decide would be those of the first call."""
    def by_sizes(image: torch.Tensor, sizes: Any, *more: Any) -> torch.Tensor:
        *flags, factors = more
        sizes = upsample_compute_output_size(image.size(), sizes, factors)
        return packet.default(image, sizes, *flags, *(factors or [None] * len(sizes)))
    return by_sizes


@contextlib.contextmanager
def resizing_whole() -> Iterator[None]:
    """Within it graphs that are traced have PyTorch's own operations for RESIZES."""
    packets = [getattr(aten, name) for name in RESIZES]
    ops = [getattr(packet, name) for packet in packets for name in packet.overloads()]
    with _RESIZING:
        taken = [(op, key, op.py_kernels.pop(key)) for op in ops for key in _TRACED
                 if key in op.py_kernels]
        for packet in packets:
            packet.vec.py_kernels.update(dict.fromkeys(_TRACED, sized(packet)))
        for op in ops:
            op._dispatch_cache.clear()
        try:
            yield
        finally:
            for packet in packets:
                for key in _TRACED:
                    del packet.vec.py_kernels[key]
            for op, key, kernel in taken:
                op.py_kernels[key] = kernel
            for op in ops:
                op._dispatch_cache.clear()

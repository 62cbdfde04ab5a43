# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the host computes of a model: convolutions, pools, resizing and moves of TOSA, by PyTorch,
whose convolutions are oneDNN's. Tensors lie as TOSA has them, channels last. Each function takes an
operator of model.py, and gives a function of its operands.

Integers are computed as floating point where that is exact: in f32 as long as no sum can reach
2^24, else in f64."""
import torch
import torch.nn.functional as nn

INT32 = 2**31


class NotHosted(Exception):
    """An operator that this host does not have."""


def _float_of(weights, elements, outputs_first):
    """The type in which sums of products with these weights are exact."""
    largest = 2.0 ** (8 * elements.itemsize)  # of an operand without its zero point
    sums = (weights.abs().flatten(1).sum(1) if outputs_first
            else weights.abs().sum(tuple(range(weights.ndim - 1))))
    return torch.float32 if sums.max().item() * largest < 2**24 else torch.float64


def _in_frame(x, pad, value=0.0):
    """Rows and columns of an image in NCHW with what TOSA pads: top, bottom, left, right. Equal
    pads are the convolution's own."""
    top, bottom, left, right = pad
    if top == bottom and left == right and value == 0.0:
        return x, (top, left)
    if min(pad) < 0:
        raise NotHosted("a negative pad")
    return nn.pad(x, (left, right, top, bottom), value=value), (0, 0)


def _images(x):
    return x.permute(0, 3, 1, 2)


def _at_once(op, weights, bias, depthwise):
    """A convolution of one position, which is a product of matrices, as is one whose kernel is one
    pixel; null for others. Integers are exact in f64, and what is taken off them comes off the bias
    instead."""
    attributes, shape = op.attributes, op.inputs[0].shape
    height, width = weights.shape[:2] if depthwise else weights.shape[1:3]
    pixel = (not depthwise and (height, width) == (1, 1)
             and attributes.StrideAsNumpy().tolist() == [1, 1])
    whole = [height, width] == shape[1:3] and attributes.DilationAsNumpy().tolist() == [1, 1]
    if not (pixel or whole) or attributes.PadAsNumpy().any() or min(op.output.shape[1:]) < 1:
        return None
    result, last = (-1, *op.output.shape[1:]), op.output.dtype
    if depthwise:
        rows, channels = weights.reshape(height * width, *weights.shape[2:]), weights.shape[2]
        return lambda x, *_: ((x.reshape(-1, height * width, channels, 1).to(rows.dtype)
                               * rows).sum(1).flatten(1) + bias).to(last).reshape(result)
    matrix = weights.reshape(weights.shape[0], -1).t().contiguous()
    return lambda x, *_: torch.addmm(bias, x.reshape(-1, matrix.shape[0]).to(matrix.dtype),
                                     matrix).to(last).reshape(result)


def _convolution(op, depthwise):
    attributes = op.attributes
    stride, dilation, pad = (attributes.StrideAsNumpy().tolist(),
                             attributes.DilationAsNumpy().tolist(),
                             attributes.PadAsNumpy().tolist())
    weights, bias, x_zero, w_zero = (op.constant(k) for k in range(1, 5))
    integers, zero = not weights.dtype.is_floating_point, x_zero.item()
    weights = weights.to(torch.float64) - w_zero.item() if integers else weights
    count = weights.shape[2] * weights.shape[3] if depthwise else weights.shape[0]
    bias = bias.expand(count) if bias.numel() == 1 else bias
    sums = (weights.sum((0, 1)).flatten() if depthwise else weights.sum((1, 2, 3))) * zero
    at_once = _at_once(op, weights, bias - sums if integers else bias, depthwise)
    if at_once:
        return at_once
    if depthwise:  # height, width, channels, multiplier
        groups = weights.shape[2]
        weights = weights.reshape(*weights.shape[:2], 1, count).permute(3, 2, 0, 1)
    else:
        weights, groups = weights.permute(0, 3, 1, 2), 1
    packed = weights.to(_float_of(weights, op.inputs[0].dtype, True) if integers
                        else weights.dtype).contiguous(memory_format=torch.channels_last)

    def run(x, *_):
        image, same = _in_frame(_images(x.to(packed.dtype) - zero if integers else x), pad)
        y = nn.conv2d(image, packed, None if integers else bias, stride, same, dilation,
                      groups).permute(0, 2, 3, 1)
        return (y.to(torch.int64) + bias).to(torch.int32) if integers else y.contiguous()

    return run


def conv2d(op):
    return _convolution(op, False)


def depthwise_conv2d(op):
    return _convolution(op, True)


def transpose_conv2d(op):
    attributes = op.attributes
    stride, out_pad = attributes.StrideAsNumpy().tolist(), attributes.OutPadAsNumpy().tolist()
    weights, bias = op.constant(1), op.constant(2)
    if not weights.dtype.is_floating_point:
        raise NotHosted("a transposed convolution of integers")
    packed = weights.permute(3, 0, 1, 2)

    def run(x, *_):
        y = nn.conv_transpose2d(_images(x), packed, None, stride)
        y, _ = _in_frame(y, [max(p, 0) for p in out_pad])
        top, bottom, left, right = (max(-p, 0) for p in out_pad)
        y = y[:, :, top : y.shape[2] - bottom, left : y.shape[3] - right]
        return y.permute(0, 2, 3, 1).contiguous() + bias

    return run


def matmul(op):
    def run(a, b, a_zero, b_zero):
        if a.dtype.is_floating_point:
            return torch.bmm(a, b)
        return torch.bmm(a.to(torch.float64) - a_zero.item(),
                         b.to(torch.float64) - b_zero.item()).to(torch.int32)

    return run


def max_pool2d(op):
    attributes = op.attributes
    kernel, stride, pad = (list_.tolist() for list_ in (attributes.KernelAsNumpy(),
                                                        attributes.StrideAsNumpy(),
                                                        attributes.PadAsNumpy()))

    def run(x):
        # exact for 8 and 16 bits
        computed = (x if x.dtype.is_floating_point else x.to(torch.float32))
        image, _ = (_in_frame(_images(computed), pad, float("-inf")) if any(pad)
                    else (_images(computed), None))
        return nn.max_pool2d(image, kernel, stride).permute(0, 2, 3, 1).contiguous().to(x.dtype)

    return run


def avg_pool2d(op):
    attributes = op.attributes
    kernel, stride, pad = (list_.tolist() for list_ in (attributes.KernelAsNumpy(),
                                                        attributes.StrideAsNumpy(),
                                                        attributes.PadAsNumpy()))
    if not op.inputs[0].dtype.is_floating_point:
        raise NotHosted("an average of integers")

    def run(x, *_):
        image, _ = _in_frame(_images(x), pad) if any(pad) else (_images(x), None)
        sums = nn.avg_pool2d(image, kernel, stride, divisor_override=1)
        inside, _ = (_in_frame(torch.ones(1, 1, *x.shape[1:3]), pad) if any(pad)
                     else (torch.ones(1, 1, *x.shape[1:3]), None))
        return (sums / nn.avg_pool2d(inside, kernel, stride,
                                     divisor_override=1)).permute(0, 2, 3, 1).contiguous()

    return run


def _taps(size, scale_n, scale_d, offset, border):
    """Of each row or column of the result: the two that it is made of, and how much of the second
    one."""
    count = ((size - 1) * scale_n - offset + border) // scale_d + 1
    at = torch.arange(count) * scale_d + offset
    first = torch.div(at, scale_n, rounding_mode="floor")
    share = at - first * scale_n
    return first.clamp(0, size - 1), (first + 1).clamp(0, size - 1), share


def resize(op):
    nearest = op.attributes.Mode() == 1
    scale, offset, border = (op.constant(k).tolist() for k in (1, 2, 3))
    if not op.inputs[0].dtype.is_floating_point:
        raise NotHosted("resizing of integers")
    known = {}

    def run(x, *_):
        size = tuple(x.shape[1:3])
        if size not in known:
            known[size] = [_taps(size[d], scale[2 * d], scale[2 * d + 1], offset[d], border[d])
                           for d in (0, 1)]
        for d in (0, 1):
            first, second, share = known[size][d]
            if nearest:
                x = x.index_select(1 + d, torch.where(2 * share >= scale[2 * d], second, first))
            else:
                weight = (share.to(x.dtype) / scale[2 * d]).reshape(-1, *[1] * (2 - d))
                x = torch.lerp(x.index_select(1 + d, first), x.index_select(1 + d, second), weight)
        return x

    return run


def pad(op):
    pairs = op.constant(1).reshape(-1, 2).flip(0).flatten().tolist()
    return lambda x, _, value: nn.pad(x, pairs, value=value.item())


def concat(op):
    axis = op.attributes.Axis()
    return lambda *parts: torch.cat(parts, axis)


def reshape(op):
    return lambda x, shape: x.reshape(shape.tolist())


def slice_(op):
    start, size = op.constant(1).tolist(), op.constant(2).tolist()
    return lambda x, *_: x[tuple(slice(a, a + n) for a, n in zip(start, size))]


def transpose(op):
    perms = op.attributes.PermsAsNumpy().tolist()
    return lambda x: x.permute(perms)


def tile(op):
    return lambda x, times: x.repeat(times.tolist())


def reverse(op):
    axis = op.attributes.Axis()
    return lambda x: x.flip(axis)


def argmax(op):
    axis = op.attributes.Axis()
    return lambda x: x.argmax(axis).to(torch.int32)


def gather(op):
    return lambda values, indices: torch.stack([v[i]
                                                for v, i in zip(values, indices.to(torch.int64))])


def cast(op):
    to = op.output.dtype
    if not (op.inputs[0].dtype.is_floating_point and to.is_floating_point):
        raise NotHosted("a cast of integers outside of a region")
    return lambda x: x.to(to)


def identity(op):
    return lambda x: x


# Those that may give a part of what they read.
MOVES = {"RESHAPE", "SLICE", "TRANSPOSE", "IDENTITY", "CAST", "PAD", "CONCAT", "TILE", "REVERSE"}
FUNCTIONS = {"SLICE": slice_, **{f.__name__.upper(): f
                                 for f in (conv2d, depthwise_conv2d, transpose_conv2d, matmul,
                                           max_pool2d, avg_pool2d, resize, pad,
                                          concat, reshape, transpose, tile, reverse, argmax, gather,
                                           cast, identity)}}

#!/usr/bin/python3
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Make the .npy files of the examples: operands, and results computed here with NumPy and mpmath,
not with tosajit.

    /usr/bin/python3 examples/make_data.py        # writes beside itself; the files are committed

Every f32 step is rounded on its own, and erf is rounded from 100 digits, so that the results are
exact bits.
"""
import fractions
import math
import pathlib

import mpmath
import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
mpmath.mp.dps = 100


def save(name, array):
    np.save(HERE / f"{name}.npy", array)


def round_to_f32(value):
    """The nearest f32 of an mpmath number; halves to even. Rounding to 24 bits is exact for the
    normal numbers used here."""
    with mpmath.workprec(24):
        return np.float32(float(+value))


def erf_f32(x):
    return np.array([round_to_f32(mpmath.erf(mpmath.mpf(float(v)))) for v in x.ravel()], np.float32).reshape(x.shape)


def gelu():
    x = np.array([[-3.5, -1.0, -0.25, 0.0, 0.3], [0.5, 1.0, 1.5, 2.0, 6.0], [-0.1, 0.7, -2.2, 3.3, -0.75]], np.float32)
    bias = np.array([[0.1, -0.2, 0.05, -0.0, 1.25]], np.float32)
    f32 = np.float32
    y = x + bias
    result = (y * f32(0.5)) * (erf_f32(y * f32(0.707106769)) + f32(1.0))
    save("gelu_x", x)
    save("gelu_bias", bias)
    save("gelu_expected", result)


def requantize():
    """In Python's integers, which do not wrap."""
    total = [[0, 1000, -70000, 12], [255, -999, 131071, -5], [-40, 2**20, 37, 90], [1600, 7, -1, 127], [96, -64, 2**30, 3]]
    bias = [100, -28, 512, 1]
    multiplier, shift = [1073741824, 1518500250, 2147483647, 1200000000], [4, 7, 9, 0]
    result = []
    for row in total:
        out = []
        for value, b, m, s in zip(row, bias, multiplier, shift):
            scaled = ((value + b) * m + (1 << 30)) >> 31
            shifted = (scaled + (1 << (s - 1))) >> s if s else scaled
            out.append(min(max(min(max(shifted - 3, -128), 127), -3), 100))
        result.append(out)
    save("int_sum", np.array(total, np.int32))
    save("int_bias", np.array([bias], np.int32))
    save("int_expected", np.array(result, np.int8))
    return total


def split(total):
    limit = [[500], [-1000], [36], [0], [2**30]]
    columns = [True, False, True, True]
    chosen = [[value > row[0] and column for value, column in zip(values, columns)] for values, row in zip(total, limit)]
    kept = [[value if flag else 0 for value, flag in zip(values, flags)] for values, flags in zip(total, chosen)]
    zeros = [[0 if value < 0 else 32 - value.bit_length() for value in values] for values in kept]
    save("int_limit", np.array(limit, np.int32))
    save("int_chosen", np.array(chosen, np.bool_))
    save("int_kept", np.array(kept, np.int32))
    save("int_zeros", np.array(zeros, np.int32))


def rescale(value, multiplier, shift, input_zero, output_zero, low, high, double_round=False):
    """By its meaning: the nearest multiple of 2^shift, halves upward, then saturated; the example's
    values need no more bits."""
    product = (value - input_zero) * multiplier
    if double_round and shift > 31:
        product += 2**30 if value - input_zero >= 0 else -(2**30)
    nearest = math.floor(fractions.Fraction(product, 2**shift) + fractions.Fraction(1, 2))
    return min(max(nearest + output_zero, low), high)


def residual():
    """r = sigmoid of the sum, with a scale of 1/16 for the sum and 1/256 for the result."""
    limits = (-(2**31), 2**31 - 1)
    rng = np.random.default_rng(7)
    a = rng.integers(-128, 128, (3, 5, 4)).astype(np.int8)
    b = rng.integers(-128, 128, (3, 1, 4)).astype(np.int8)
    a[0, 0], b[0, 0] = [-128, 127, -3, -128], [-128, 127, 17, 127]
    table = [min(max(int(mpmath.nint(256 / (1 + mpmath.exp(-mpmath.mpf(k + 5) / 16)))) - 128, -128), 127) for k in range(-128, 128)]
    b_multiplier, b_shift = [1073741824, 1288490189, 2147483647, 1610612736], [10, 12, 11, 13]
    result = np.zeros(a.shape, np.int8)
    for index in np.ndindex(a.shape):
        c = index[2]
        left = rescale(int(a[index]), 1518500250, 11, -3, 0, *limits)
        right = rescale(int(b[index[0], 0, c]), b_multiplier[c], b_shift[c], 17, 0, *limits)
        narrow = rescale(left + right, 1431655765, 51, 0, -5, -128, 127, True)
        result[index] = table[narrow + 128]
    save("quant_a", a)
    save("quant_b", b)
    save("quant_table", np.array(table, np.int8))
    save("quant_expected", result)


gelu()
split(requantize())
residual()

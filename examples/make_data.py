#!/usr/bin/python3
"""Make the .npy files of the examples: operands, and results computed here with NumPy and mpmath, not with tosajit.

    /usr/bin/python3 examples/make_data.py        # writes beside itself; the files are committed

Every f32 step is rounded on its own, and erf is rounded from 100 digits, so that the results are exact bits.
"""
import pathlib

import mpmath
import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
mpmath.mp.dps = 100


def save(name, array):
    np.save(HERE / f"{name}.npy", array)


def round_to_f32(value):
    """The nearest f32 of an mpmath number; halves to even. Rounding to 24 bits is exact for the normal numbers used here."""
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


gelu()
split(requantize())

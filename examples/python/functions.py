# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ten functions as people write them, with one decorator each. They are compared with what they
give without it, and timed beside it, and beside numba where that is installed.

    PYTHONPATH=build/tools/python python3 examples/python/functions.py [ELEMENTS]"""
import sys
import time

import numpy as np

import tosajit
from tosajit import special


def black_scholes(spot, strike, years, rate, volatility):
    spread = volatility * np.sqrt(years)
    d1 = (np.log(spot / strike) + (rate + volatility * volatility * 0.5) * years) / spread
    n1 = special.erf(d1 * 0.7071067811865476) * 0.5 + 0.5
    n2 = special.erf((d1 - spread) * 0.7071067811865476) * 0.5 + 0.5
    owed = strike * np.exp(-rate * years)
    call = spot * n1 - owed * n2
    return call, call + owed - spot


def rgb2lab(rgb):
    linear = np.where(rgb > 0.04045, ((rgb + 0.055) / 1.055) ** 2.4, rgb / 12.92)
    r, g, b = linear[..., 0], linear[..., 1], linear[..., 2]
    x = (0.412453 * r + 0.357580 * g + 0.180423 * b) / 0.95047
    y = 0.212671 * r + 0.715160 * g + 0.072169 * b
    z = (0.019334 * r + 0.119193 * g + 0.950227 * b) / 1.08883
    f = [np.where(t > 0.008856, np.cbrt(t), 7.787 * t + 16 / 116) for t in (x, y, z)]
    return np.stack([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])], axis=-1)


def haversine(lat1, lon1, lat2, lon2):
    lat1, lon1, lat2, lon2 = np.radians(lat1), np.radians(lon1), np.radians(lat2), np.radians(lon2)
    a = (np.sin((lat2 - lat1) / 2) ** 2
         + np.cos(lat1) * np.cos(lat2) * np.sin((lon2 - lon1) / 2) ** 2)
    return 2 * 6371 * np.arcsin(np.sqrt(a))


def z_score(x):
    return (x - x.mean(axis=0)) / x.std(axis=0)


def cross_entropy(logits, hot):
    shifted = logits - np.max(logits, axis=1, keepdims=True)
    total = np.sum(np.exp(shifted), axis=1, keepdims=True)
    return -np.sum(hot * (shifted - np.log(total))) / len(logits)


def mandelbrot(zr, zi, cr, ci, count):
    inside = zr * zr + zi * zi <= 4
    return (np.where(inside, zr * zr - zi * zi + cr, zr), np.where(inside, 2 * zr * zi + ci, zi),
            count + inside)


def gaussian_kernel(a, b, width):
    return np.exp(-np.sum((a[:, None] - b[None]) ** 2, axis=-1) / (2 * width * width))


def forces(position, mass):
    apart = position[None] - position[:, None]
    squared = np.sum(apart * apart, axis=-1) + 1e-3
    return np.sum(apart * (mass / (squared * np.sqrt(squared)))[..., None], axis=1)


def ndvi(red, infrared, cloudy):
    found = (infrared - red) / (infrared + red)
    found[cloudy] = np.nan
    return np.clip(found, -1, 1)


def moving_difference(prices):
    out = np.zeros_like(prices)
    out[1:] = prices[1:] - prices[:-1]
    return out


def cases(n):
    rng = np.random.default_rng(1)
    some = lambda *sizes: rng.random(sizes, np.float32)
    side = int(n ** 0.5)
    hot = np.eye(64, dtype=np.float32)[rng.integers(0, 64, n // 64)]
    return [
        (black_scholes, (some(n) * 100 + 50, some(n) * 100 + 50, some(n) + 0.1, 0.02, 0.3)),
        (rgb2lab, (some(n // 3, 3),)),
        (haversine, (some(n) * 180 - 90, some(n) * 360, some(n) * 180 - 90, some(n) * 360)),
        (z_score, (some(n // 64, 64),)),
        (cross_entropy, (some(n // 64, 64), hot)),
        (mandelbrot, (some(n), some(n), some(n), some(n), np.zeros(n, np.int32))),
        (gaussian_kernel, (some(side, 3), some(side, 3), 0.5)),
        (forces, (some(side, 3), some(side))),
        (ndvi, (some(n), some(n) + 0.5, some(n) > 0.8)),
        (moving_difference, (some(n),)),
    ]


def best(call, args, seconds=0.15):
    end, least = time.perf_counter() + seconds, float("inf")
    while time.perf_counter() < end:
        begin = time.perf_counter()
        call(*args)
        least = min(least, time.perf_counter() - begin)
    return least


def by_numba(function, args, wanted):
    """A function of numba's, or none where it does not take this one."""
    try:
        import numba
    except ImportError:
        return None
    try:
        made = numba.njit(function)
        both = [a if isinstance(a, tuple) else (a,) for a in (made(*args), wanted)]
        for found, right in zip(*both):
            np.testing.assert_allclose(found, right, 1e-3, 1e-3)
        return made
    except Exception:
        return None


def main():
    tosajit.set_num_threads(1)
    print(f"{'us':20}{'first':>9}{'tosajit':>9}{'NumPy':>9}{'numba':>9}")
    for function, args in cases(int(sys.argv[1]) if len(sys.argv) > 1 else 1 << 16):
        jitted = tosajit.jit(function)
        begin = time.perf_counter()
        found = jitted(*args)
        first = time.perf_counter() - begin
        with np.errstate(all="ignore"):
            wanted = function(*args)
            for a, b in zip(*[a if isinstance(a, tuple) else (a,) for a in (found, wanted)]):
                assert (a.dtype, np.shape(a)) == (b.dtype, np.shape(b)), function.__name__
                np.testing.assert_allclose(a, b, rtol=2e-3, atol=2e-3, err_msg=function.__name__)
            jitted(*args)
            tosajit.wait()
            other = by_numba(function, args, wanted)
            times = [first, best(jitted, args), best(function, args)]
            times += [best(other, args)] if other else []
        assert jitted.kernels, jitted.explain(*args)
        figures = "".join(f"{t * 1e6:9.0f}" for t in times) + ("" if len(times) > 3
                                                               else "        -")
        print(f"{function.__name__:20}" + figures)


if __name__ == "__main__":
    main()

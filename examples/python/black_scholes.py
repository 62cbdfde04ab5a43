# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prices of options: one text with several steps, two results, numbers beside arrays.

    PYTHONPATH=build/tools/python python3 examples/python/black_scholes.py"""
import math

import numpy as np

import tosajit

PRICE = """
    spread = volatility * sqrt(years)
    d1 = (log(spot / strike) + (rate + volatility * volatility * 0.5) * years) / spread
    d2 = d1 - spread
    n1 = erf(d1 * 0.7071067811865476) * 0.5 + 0.5
    n2 = erf(d2 * 0.7071067811865476) * 0.5 + 0.5
    owed = strike * exp(-rate * years)
    call = spot * n1 - owed * n2
    put = call + owed - spot
    call
"""

random = np.random.default_rng(1)
spot = random.uniform(50, 150, 100_000).astype(np.float32)
strike = random.uniform(50, 150, 100_000).astype(np.float32)
years = random.uniform(0.1, 3, 100_000).astype(np.float32)

# rate and volatility are found by their names, too
rate, volatility = 0.02, 0.3
prices = dict(zip(("call", "put"), sorted(tosajit.evaluate(PRICE), key=lambda p: -p.mean())))


def by_hand(k):
    """One option in float64, by Python's own functions."""
    s, x, t = float(spot[k]), float(strike[k]), float(years[k])
    d1 = (math.log(s / x) + (rate + volatility**2 / 2) * t) / (volatility * math.sqrt(t))
    normal = lambda d: (1 + math.erf(d / math.sqrt(2))) / 2
    return s * normal(d1) - x * math.exp(-rate * t) * normal(d1 - volatility * math.sqrt(t))


for k in range(0, 100_000, 9973):
    # float32 has 7 digits, and prices are differences of numbers up to 150
    assert abs(prices["call"][k] - by_hand(k)) < 1e-4, (k, prices["call"][k], by_hand(k))
call, put = (prices[kind].mean() for kind in ("call", "put"))
print(f"{len(spot)} calls cost {call:.3f} on average, puts {put:.3f}")

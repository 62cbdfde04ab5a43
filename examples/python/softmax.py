# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Softmax over a batch: NumPy reduces, two kernels do the rest. A column of one number a row
repeats along it.

    PYTHONPATH=build/tools/python python3 examples/python/softmax.py"""
import numpy as np

import tosajit


def softmax(x):
    powers = tosajit.evaluate("exp(x - largest)", largest=x.max(axis=1, keepdims=True))
    return tosajit.evaluate("powers / total", total=powers.sum(axis=1, keepdims=True), out=powers)


batch = np.random.default_rng(1).standard_normal((512, 128), np.float32) * 10
result = softmax(batch)
wide = np.exp(batch.astype(np.float64) - batch.max(axis=1, keepdims=True))
wide /= wide.sum(axis=1, keepdims=True)
# exp and the quotient round once each, and the sum of 128 numbers about seven times
np.testing.assert_allclose(result, wide, rtol=1e-6, atol=1e-12)
print(f"{len(batch)} rows, each of which sums to {result.sum(axis=1).mean():.6f}")

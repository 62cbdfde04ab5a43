# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Images of one system on another: image_bits_test.py write|read FOLDER writes images of compiled
code, or takes those that are there, and says the bits that each computes. Needs NumPy, and to
write, a compiler."""
import hashlib
import os
import sys

import numpy as np

import tosajit

TEXTS = ("y = x * sigmoid(x + b) : f32[?,?], f32[?,?]", "y = softmax(x) : f32[?,?]",
         "y = sum(x * x, axis=1) : f64[?,?]",
         "y = transpose(x) + 1 : i16[?,?]", "y = select(x > b, exp(x), b) : f16[?,?], f16[?,?]",
         "y = x[::-1, 2:] * x[:, 1:-1] : i32[?,16]")
TYPES = {"f16": np.float16, "f32": np.float32, "f64": np.float64, "i16": np.int16, "i32": np.int32}


def bits(kernel):
    operands = []
    for k, (_, described) in enumerate(kernel.operands):
        dtype = TYPES[described[-4:-1]]
        whole = np.arange(77 * 16).reshape(77, 16) * (k + 3) % 101 - 50
        operands.append((whole / 8).astype(dtype))
    return hashlib.sha256(np.asarray(kernel(*operands)).tobytes()).hexdigest()[:16]


for number, text in enumerate(TEXTS):
    path = os.path.join(sys.argv[2], f"{number}.image")
    if sys.argv[1] == "write":
        with open(path, "wb") as file:
            file.write(tosajit.Engine(backend="native").compile(text).to_bytes())
    loaded = tosajit.load(path)
    print(text, "native" if loaded.is_native else "interpreted", bits(loaded))

# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions that NumPy lacks, for functions of tosajit.jit and on arrays of NumPy: SciPy's and those of neural networks."""
from ._words import own

erf, erfc, rsqrt = map(own, ("erf", "erfc", "rsqrt"))
sigmoid, gelu, silu, mish, softplus, logsigmoid = map(own, ("sigmoid", "gelu", "silu", "mish", "softplus", "logsigmoid"))
relu, relu6, hardsigmoid, hardswish = map(own, ("relu", "relu6", "hardsigmoid", "hardswish"))
softmax, log_softmax, logsumexp, layer_norm, rms_norm = map(own, ("softmax", "log_softmax", "logsumexp", "layer_norm", "rms_norm"))
expit = sigmoid

__all__ = ["erf", "erfc", "expit", "gelu", "hardsigmoid", "hardswish", "layer_norm", "log_softmax", "logsigmoid", "logsumexp", "mish", "relu", "relu6",
           "rms_norm", "rsqrt", "sigmoid", "silu", "softmax", "softplus"]

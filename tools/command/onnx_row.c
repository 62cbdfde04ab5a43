/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The help of `tosajit onnx`. */
#include "tools/command/command.h"

const char onnx_purpose[] = "put elementwise regions of an ONNX model into nodes for tosajit";
const char onnx_help[] =
    "Writes a model in which each region of elementwise operators is one node, which ONNX Runtime "
    "gives to libtosajit-onnxruntime.so. It\n"
    "says what went into regions, what stayed, and why (docs/onnx.md). It is best with "
    "--optimize, after the engine's own optimisations.\n"
    "--optimize, --check and --bench run ONNX Runtime, by the Python that TOSAJIT_PYTHON names, "
    "or by the first python3 of PATH that has it. `pip install onnxruntime` brings it.\n\n"
    "  tosajit onnx model.onnx -o faster.onnx --optimize --check --bench\n"
    "  tosajit onnx model.onnx -o faster.onnx --check --size batch=1 --input x=photo.npy\n"
    "  tosajit onnx model.onnx -o faster.onnx --optimize --targets v2,v3,v4\n"
    "  tosajit onnx model.onnx -o faster.onnx --regions --min-ops 3 --accuracy reproducible\n"
    "  tosajit onnx model.onnx -o /dev/null --json\n";

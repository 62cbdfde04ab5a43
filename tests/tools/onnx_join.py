# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models side by side in one, as a process for each takes a second: those of each set of opsets.
Their names get the file's name in front.

onnx_join.py FOLDER INTO      prints a line for each model made: file, number of models in it
"""
import pathlib
import sys

import onnx
from onnx import compose, helper

folder, into = map(pathlib.Path, sys.argv[1:])
groups = {}
for path in sorted(folder.glob("*.onnx")):
    model = onnx.load(path)
    key = tuple(sorted((opset.domain, opset.version) for opset in model.opset_import))
    groups.setdefault(key, []).append(compose.add_prefix(model, f"{path.stem}/"))
for number, models in enumerate(groups.values()):
    graphs = [model.graph for model in models]
    all_of = lambda part: [item for model in models for item in getattr(model.graph, part)]
    joined = helper.make_graph(all_of("node"), f"group{number}", all_of("input"), all_of("output"),
                               all_of("initializer"),
                               value_info=all_of("value_info"))
    whole = helper.make_model(joined, opset_imports=models[0].opset_import,
                              ir_version=max(model.ir_version for model in models))
    onnx.save(whole, into / f"group{number}.onnx")
    print(into / f"group{number}.onnx", len(models))

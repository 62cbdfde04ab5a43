# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What ONNX leaves to engines, or says of numbers at the end of their range: casts of numbers that
an integer has not, and bounds of a Clip that are NaN, left out, or cross each other. The converted
model has the engine's own bits.

    python3 limits_test.py LIBRARY_OF_OPERATORS LIBTOSAJIT TOSAJIT
"""
import os
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import onnx
import onnxruntime as ort
from onnx import helper, numpy_helper

from support import require_same_bits, results_of, tell_leaks

operators, _, tool = sys.argv[1:4]
work = tempfile.TemporaryDirectory()
FLOATS, NAN, INF = (np.float32, np.float64, np.float16), np.nan, np.inf
ENDS = (0, 127, 128, 255, 256, 300, 32767, 65535, 70000, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 3e9,
        5e9, 1e10, 9.2e18, 2.0**63, 1e30, INF)
EDGES = [limit + step for limit in ENDS for step in (-1, -0.5, 0, 0.5, 1)]
NUMBERS = [*EDGES, *(-edge for edge in EDGES), NAN]


def type_of(array):
    return helper.np_dtype_to_tensor_dtype(array.dtype)


class Limits(unittest.TestCase):
    def expect_same(self, node, inputs, constants, result, opset, regions=1):
        infos = [helper.make_tensor_value_info(name, type_of(a),
                                               [f"{name}{d}" for d in range(a.ndim)])
                 for name, a in inputs.items()]
        graph = helper.make_graph([node], "g", infos,
                                  [helper.make_tensor_value_info("y", result, None)],
                                  [numpy_helper.from_array(a, name)
                                   for name, a in constants.items()])
        source, target = (os.path.join(work.name, name) for name in ("in.onnx", "out.onnx"))
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)],
                                    ir_version=8), source)
        subprocess.run([tool, "onnx", source, "-o", target, "--min-ops", "0", "--min-bytes", "0",
                        "--fused"], check=True, capture_output=True)
        self.assertEqual(sum(n.domain == "tosajit" for n in onnx.load(target).graph.node), regions)
        own = ort.InferenceSession(source, providers=["CPUExecutionProvider"]).run(None, inputs)
        require_same_bits(own, results_of(target, inputs, operators), "the converted model")

    def test_casts_beyond_the_limits_of_integers(self):
        with np.errstate(all="ignore"):
            numbers = {kind: np.array([NUMBERS] * 3).astype(kind) for kind in FLOATS}
        for kind, x in numbers.items():
            for to in (np.int8, np.uint8, np.int16, np.uint16, np.int32, np.int64, np.bool_):
                to = helper.np_dtype_to_tensor_dtype(np.dtype(to))
                with self.subTest(kind=kind, to=to):
                    self.expect_same(helper.make_node("Cast", ["x"], ["y"], to=to), {"x": x}, {},
                                     to, 18)

    def test_bounds_of_clip(self):
        bounds = [(NAN, 1), (-1, NAN), (NAN, NAN), (NAN, None), (None, NAN), (-1, 1), (1, -1),
                  (None, 1), (0.0, None), (-0.0, 1), (None, -0.0),
                  (INF, -INF), (None, None)]
        for kind in (*FLOATS, np.int32, np.int64):
            is_float = np.dtype(kind).kind == "f"
            x = np.array([[-3, -0.0, 0.5, 7, INF, -INF, NAN, 6e4] if is_float
                          else [-3, 0, 5, 7, 2**31 - 1, -2**31, 1, 2]]).astype(kind)
            for low, high in bounds:
                if (not is_float and any(bound is not None and not np.isfinite(bound)
                                         for bound in (low, high))):
                    continue
                given = {name: np.array(bound,
                                        kind) for name, bound in (("low", low), ("high", high))
                         if bound is not None}
                names = ["x", *(name if name in given else "" for name in ("low", "high"))]
                with self.subTest(kind=kind, low=low, high=high):
                    self.expect_same(helper.make_node("Clip", names, ["y"]), {"x": x}, given,
                                     type_of(x), 13)
                    self.expect_same(helper.make_node("Clip", names, ["y"]), {"x": x, **given}, {},
                                     type_of(x), 13)
                    if (kind == np.float32 and not any(np.isnan(bound) for bound in given.values())
                        and not (low or -9) > (high or 9)):
                        attributes = {key: float(given[name])
                                      for key, name in (("min", "low"), ("max", "high"))
                                      if name in given}
                        self.expect_same(helper.make_node("Clip", ["x"], ["y"], **attributes),
                                         {"x": x}, {}, type_of(x), 10)


def tearDownModule():
    tell_leaks()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

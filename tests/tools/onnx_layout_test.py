# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Regions on blocks of channels in ONNX Runtime, which has optimised the models: what is taken,
that no bit of the outputs changes, and that channels which are none stay harmless.

    python3 onnx_layout_test.py TOSAJIT WORK_DIRECTORY
"""
import json
import os
import re
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

tool, work = sys.argv[1:3]
random = np.random.default_rng(7)
SIZE = 9
checked = 0


def weights(results, channels, size=1):
    return random.standard_normal((results, channels, size,
                                   size)).astype(np.float32) / np.float32(size * channels**0.5)


def model_of(nodes, constants, results=("out",), sizes=(SIZE, SIZE), channels=3, batch=1):
    """An image comes in, and images go out."""
    outputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in results]
    graph = helper.make_graph(nodes, "g",
                              [helper.make_tensor_value_info("in", TensorProto.FLOAT,
                                                             [batch, channels, *sizes])], outputs,
                              [numpy_helper.from_array(a, n) for n, a in constants.items()])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)


def run(model, image, near=0.0):
    """The converted model and the report; outputs must be as near as that."""
    source, target, given = (os.path.join(work, name)
                             for name in ("layout.onnx", "layout_out.onnx", "layout.npy"))
    onnx.save(model, source)
    np.save(given, image)
    done = subprocess.run([tool, "onnx", source, "-o", target, "--optimize", "--json", "--check",
                           "--min-bytes", "0", "--input",
                           f"in={given}"], capture_output=True, text=True)
    assert done.returncode == 0, (done.stdout, done.stderr)
    apart = [float(line) for line in re.findall(r"at most (\S+) apart", done.stderr)]
    assert len(apart) == len(model.graph.output) and max(apart) <= near, (done.stderr, near)
    return onnx.load(target), json.loads(done.stdout)


def check(nodes, constants, left, results=("out",), near=0.0, where=None, views=None, image=None):
    """With sizes that each call decides, and for a quarter of the models with sizes that are known,
    too (a model takes over a second): how many reorderings are left, and the texts of regions, of
    which `where` says whether they have a mask."""
    global checked
    image = (random.standard_normal((1, 3, SIZE, SIZE)).astype(np.float32) if image is None
             else image)
    channels = image.shape[1]
    for sizes in ((SIZE, SIZE), ("height", "width"))[checked % 4 > 0:]:
        converted, report = run(model_of(nodes, constants, results, sizes, channels), image, near)
        texts = [region["expression"] for region in report["regions"]]
        assert left is None or report["reorderings_left"] - len(results) == left, (left, report)
        assert where is None or all(("where(" in text) == where for text in texts), texts
        assert views is None or all(text.startswith(views) for text in texts), texts
        assert texts, report
        checked += 1
    return converted


conv, mul, add = ((lambda op: lambda a, b, to: helper.make_node(op, [a, b], [to]))(op)
                  for op in ("Conv", "Mul", "Add"))
one = lambda op, a, to, **attributes: helper.make_node(op, [a], [to], **attributes)
half = {"half": np.float32(0.5)}
square = [mul("c", "c", "s"), add("s", "half", "r")]

# Between convolutions of whole blocks: 32 are two blocks of 16 or four of 8. Nothing is reordered
# but the outputs.
whole = {**half, "first": weights(32, 3, 3), "last": weights(32, 32)}
ends = lambda first, last: [conv("in", "first", "c"), *first, conv(last, "last", "out")]
check(ends(square, "r"), whole, 0, where=False, views="x0: f32[?,?,?,?]")

# A single operator pays as well. Minimum and maximum are other than the engine's own activations.
check(ends([helper.make_node("Max", ["c", "half"], ["r"])], "r"), whole, 0, where=False)

# 20 channels are no whole blocks. What is behind the last one would be 1 / 0, and infinity * 0 is
# NaN everywhere.
part = {**half, "first": weights(20, 3, 3), "last": weights(32, 20)}
converted = check(ends([one("Reciprocal", "c", "s"), add("s", "half", "r")], "r"), part, 0,
                  where=True)
assert [n.op_type for n in converted.graph.node].count("Reshape") == 0, converted.graph.node
check(ends([one("Abs", "c", "t"), one("Neg", "t", "s"), mul("s", "s", "r")], "r"), part, 0,
      where=True)

# Infinities and NaNs of the input are where the engine has them, though the clipped channels are
# finite again: the first
# convolution has NaN, 0 * infinity, in channels that are none.
broken = random.standard_normal((1, 3, SIZE, SIZE)).astype(np.float32)
broken[0, 0, 2, 2], broken[0, 1, 5, 5], broken[0, 2, 8, 8] = np.inf, -np.inf, np.nan
limits = {"low": np.float32(-1), "high": np.float32(1)}
clip = [mul("c", "c", "s"), helper.make_node("Clip", ["s", "low", "high"], ["r"])]
for constants in (part, whole):
    check(ends(clip, "r"), {**constants, **limits}, 0, image=broken)

# A number for each channel, behind which zeros stand.
channel = lambda count: {"k": random.standard_normal((count, 1, 1)).astype(np.float32),
                         "b": random.standard_normal((1, count, 1, 1)).astype(np.float32)}
scaled = [mul("c", "c", "s"), mul("s", "k", "t"), add("t", "b", "r")]
check(ends(scaled, "r"), {**part, **channel(20)}, 0, where=True)
check(ends(scaled, "r"), {**whole, **channel(32)}, 0, where=False)

# Two images, and one that is spread over another: a pooling between them is one of the region.
second = {"second": weights(20, 20, 3)}
two = [mul("c", "c", "s"), add("s", "half", "r"),
       helper.make_node("Conv", ["r", "second"], ["d"], pads=[1, 1, 1, 1]),
       mul("r", "d", "p"), one("Abs", "p", "q")]
check(ends(two, "q"), {**part, **second}, 0, where=True)
gate = [mul("c", "c", "s"), add("s", "half", "r"), one("GlobalAveragePool", "r", "g"),
        conv("g", "second", "d"),
        helper.make_node("HardSigmoid", ["d"], ["h"], alpha=0.25), mul("r", "h", "q")]
converted = check(ends(gate, "q"), {**whole, "second": weights(32, 32)}, 0, near=1e-5)
assert "GlobalAveragePool" not in [n.op_type for n in converted.graph.node], converted.graph.node

# Reductions of pixels are those of a block, and the channels' sum is one of blocks and of what each
# has: there the padding, which is 1 / 0 here, is left out.
pixels = lambda op, a, to: one(op, a, to, axes=[2, 3])
response = [add("c", "half", "r"), pixels("ReduceL2", "r", "n"),
            one("ReduceMean", "n", "m", axes=[1]), add("m", "half", "e"),
            helper.make_node("Div", ["n", "e"], ["f"]), mul("r", "f", "p"), add("p", "r", "q")]
for constants in (whole, part):
    check(ends(response, "q"), constants, 0, near=1e-5, where=constants is part)
    for op in ("ReduceMean", "ReduceMax", "ReduceSumSquare", "GlobalMaxPool"):
        reduced = one(op, "r", "n") if op == "GlobalMaxPool" else pixels(op, "r", "n")
        check(ends([add("c", "half", "r"), reduced, mul("r", "n", "q")], "q"), constants, 0,
              near=1e-5)
    inverse = [one("Reciprocal", "c", "r"), one("Abs", "r", "t"),
               helper.make_node("ReduceSum", ["t", "one"], ["n"]),
               helper.make_node("Div", ["t", "n"], ["q"])]
    check(ends(inverse, "q"), {**constants, "one": np.int64([1])}, 0, near=1e-5,
          where=constants is part)
    wide = constants["last"].shape[1]
    parameters = {name: random.standard_normal(wide).astype(np.float32)
                  for name in ("scale", "shift")}
    norm = [helper.make_node("InstanceNormalization", ["c", "scale", "shift"], ["n"]),
            one("Abs", "n", "t"), one("Neg", "t", "q")]
    check(ends(norm, "q"), {**constants, **parameters}, 0, near=1e-4)

# A batch of no images, whose channels no number of elements tells.
several = [[one("Softplus", "c", "s"), mul("s", "k", "r")], response[1:]]
for nodes, last in zip(several, "rq"):
    constants = {**part, **channel(20)}
    made = model_of(ends([add("c", "half", "r")] * (last == "q") + nodes, last),
                    {name: a for name, a in constants.items() if name != "b"}, batch="batch")
    for batch in (2, 0, 1):
        given = random.standard_normal((batch, 3, SIZE, SIZE)).astype(np.float32)
        texts = [region["expression"] for region in run(made, given, near=1e-5)[1]["regions"]]
        assert "b0 = reshape(x0, (0, " in "".join(texts), texts

# Reductions that blocks have no word for stay the engine's.
again_of = lambda a, to: [one("Abs", a, "t"), one("Neg", "t", to)]
for op, attributes in (("ReduceMean", {"axes": [2]}), ("ReduceMean", {"axes": [1, 2, 3]}),
                       ("Softmax", {"axis": 1})):
    moved = [*square, one(op, "r", "n", **attributes), mul("r", "n", "p"), *again_of("p", "q")]
    check(ends(moved, "q"), whole, None, near=1e-5)

# So is a Resize that writes each pixel several times, also where channels are none. A factor of 2
# does not pay by itself.
resize = lambda a, to, inputs=("", "scales"), **attributes: helper.make_node("Resize", [a, *inputs], [to], **{
    "mode": "nearest", "coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor", **attributes})
scales = lambda *factors: {"scales": np.float32([1, 1, *factors])}
signs = [one("Abs", "c", "t"), one("Neg", "t", "s"), mul("s", "s", "r")]
again = [mul("u", "u", "v"), add("v", "half", "q")]
count = lambda model, op: [n.op_type for n in model.graph.node].count(op)
for constants in (whole, part):
    for factors in ((2, 2), (3, 1), (1, 8)):
        converted = check(ends([*square, resize("r", "u"), *again], "q"),
                          {**constants, **scales(*factors)}, 0)
        assert count(converted, "Upsample") == 1, converted.graph.node
        converted = check([*ends(signs, "r")[:-1], resize("r", "out")],
                          {**constants, **scales(*factors)}, 0)
        assert count(converted, "Upsample") == (factors != (2, 2)), converted.graph.node
    broken_up = check(ends([*clip, resize("r", "u"), *again], "q"),
                      {**constants, **limits, **scales(2, 3)}, 0, image=broken)
    assert count(broken_up, "Upsample") == 1, broken_up.graph.node

# Any other Resize stays as it is.
for inputs, attributes in ((("", "scales"), {"nearest_mode": "round_prefer_floor"}),
                           (("", "scales"), {"mode": "linear"}),
                           (("", "scales"), {"coordinate_transformation_mode": "half_pixel"}),
                           (("", "half_scales"), {}),
                           (("", "down"), {}), (("", "", "sizes"), {})):
    constants = {**whole, **scales(2, 2), "half_scales": np.float32([1, 1, 1.5, 2]),
                 "down": np.float32([1, 1, 0.5, 1]),
                 "sizes": np.int64([1, 32, 14, 14])}
    used = {name: constants[name] for name in ("half", "first", "last",
                                               *(name for name in inputs if name))}
    converted = check(ends([*square, resize("r", "u", inputs, **attributes), *again], "q"), used,
                      None)
    assert count(converted, "Resize") == 1 and count(converted,
                                                     "Upsample") == 0, converted.graph.node

# Its channels are those of its image, whatever its second operand has, which it does not read. Here
# nobody knows them: the
# image's sizes come from a Reshape by numbers that a call decides.
unknown = [one("ReduceMin", "in", "least", keepdims=0),
           helper.make_node("Less", ["least", "lowest"], ["is_less"]),
           helper.make_node("Cast", ["is_less"], ["zero"], to=TensorProto.INT64),
           one("Shape", "c", "plain"),
           add("plain", "zero", "shape"), helper.make_node("Reshape", ["c", "shape"], ["x"])]
check([conv("in", "first", "c"), conv("in", "twenty", "roi"), *unknown,
       resize("x", "u", ("roi", "scales")), mul("u", "u", "p"),
       add("p", "half", "q"), conv("u", "last", "other"), conv("q", "last", "out")],
      {**half, **scales(3, 1), "lowest": np.float32(-1e30), "first": weights(64, 3),
       "twenty": weights(20, 3), "last": weights(32, 64)},
      None, results=("other", "out"))

# Others read the image as the model has it: one ReorderOutput serves them all.
read = [*square, one("Transpose", "r", "other", perm=[3, 2, 1, 0])]
check(ends(read, "r"), whole, 0, results=("out", "other"))
check(ends(square, "r"), whole, 0, results=("out", "r"))

# An image that comes as it is, and that a convolution and a region read in blocks: it is brought
# there once.
wide = random.standard_normal((1, 32, SIZE, SIZE)).astype(np.float32)
shared = [helper.make_node("Conv", ["in", "second"], ["c"], pads=[1, 1, 1, 1]), mul("c", "in", "s"),
          one("Abs", "s", "r"), conv("r", "last", "out")]
for first in (shared, [shared[0], mul("in", "c", "s"), *shared[2:]]):
    converted = check(first, {**whole, "second": weights(32, 32, 3)}, 1, image=wide)
    assert [n.op_type
            for n in converted.graph.node].count("ReorderInput") == 1, converted.graph.node

# Weights in files of their own, where the engine optimises the model and what has become of it.
for folder in ("weights", "elsewhere"):
    os.makedirs(os.path.join(work, folder), exist_ok=True)
onnx.save_model(model_of(ends(square, "r"), whole), os.path.join(work, "weights/m.onnx"),
                save_as_external_data=True, size_threshold=0)
for target in ("elsewhere/m.onnx", "weights/out.onnx"):
    done = subprocess.run([tool, "onnx", os.path.join(work, "weights/m.onnx"), "-o",
                           os.path.join(work, target), "--optimize", "--check",
                           "--min-bytes", "0"], capture_output=True, text=True)
    assert done.returncode == 0 and "in 1 region" in done.stdout, done
    assert not [name for name in os.listdir(os.path.dirname(os.path.join(work, target)))
                if name.startswith(".")]

# A region before all blocks is as it was.
outside = [mul("in", "in", "s"), add("s", "half", "r"), conv("r", "first", "c"),
           one("Relu", "c", "out")]
check(outside, whole, 0, views="x0: f32[1,3,")

# Without the engine the weights tell the size of a block: 6 channels that became 16, and 20 that
# became 32. Where all are
# 32, it may be anything up to that, and only a region of one image is on blocks.
seeds = os.path.join(os.path.dirname(__file__), "../fuzz/inputs/onnx")
for name, splits in (("blocks_part", ["(0, -1, 0, 0, 16)"]), ("blocks_whole", [])):
    done = subprocess.run([tool, "onnx", os.path.join(seeds, name), "-o",
                           os.path.join(work, "out.onnx"), "--json", "--min-bytes", "0"],
                          capture_output=True, text=True, check=True)
    texts = [region["expression"] for region in json.loads(done.stdout)["regions"]]
    assert re.findall(r"b0 = reshape\(x0, ([^)]*\))", texts[0]) == splits, texts

print(f"{checked} models on blocks of channels")

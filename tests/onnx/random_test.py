# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random models in ONNX Runtime, as they are and converted: every operator that the converter knows
in every form (draw.py), opsets 7 to 23, static sizes and batches of 0, 1 and more, between
products, in patterns of exporters and in graphs within If; and mutations of them, which the engine
may refuse. What the engine computes of the one it computes of the other, at each of its levels: in
the first call, in calls while code is made, and in later ones. A model that differs is made as
small as it can be, and printed. Some models end the engine's own process: models are judged in
processes of their own, and one that ends there is tried once more without the library.

    python3 random_test.py OPERATORS LIBRARY TOSAJIT [SECONDS [SEED]]

SECONDS 0 is one model, that of the seed.
"""
import collections
import os
import pickle
import subprocess
import sys
import tempfile
import time

import numpy as np
import onnx
import onnxruntime as ort

import draw
from support import require_same_bits

operators, _, tosajit = sys.argv[1:4]
seconds, seed = [int(word) for word in (sys.argv[4:] + ["10", "0"][len(sys.argv) - 4:])]
LEVELS = [ort.GraphOptimizationLevel.ORT_DISABLE_ALL, ort.GraphOptimizationLevel.ORT_ENABLE_BASIC,
          ort.GraphOptimizationLevel.ORT_ENABLE_EXTENDED,
          ort.GraphOptimizationLevel.ORT_ENABLE_ALL]
ALL = ["--min-ops", "0", "--min-bytes", "0", "--fused"]
OPTIONS = [[], ALL, ALL + ["--accuracy", "exact"], ["--min-bytes", "0"]]
NEAR = {np.dtype("float16"): 0.02, np.dtype("float32"): 2e-4, np.dtype("float64"): 1e-9}
ROWS = {op for op in draw.OPERATORS if op.startswith(("Reduce", "Global", "CumSum"))
        or op.endswith("Normalization")}
GREATEST = {"ReduceMax", "ReduceMin", "GlobalMaxPool", "Softmax", "LogSoftmax"}
STEPS = set("Floor Ceil Round Sign Cast Equal Greater GreaterOrEqual Less LessOrEqual IsInf "
            "QuantizeLinear Mod ThresholdedRelu Shrink".split())
ROUNDED = set("Tanh Sigmoid Erf Exp Log Sin Cos Pow Gelu FastGelu QuickGelu BiasGelu Softplus Mish "
              "Elu Selu".split()) | ROWS
tally, inside = collections.Counter(), collections.Counter()
work = tempfile.TemporaryDirectory()


class Different(Exception):
    pass


def session_of(model, level, mode=None):
    options = ort.SessionOptions()
    options.graph_optimization_level = level
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    if mode:
        options.add_session_config_entry("tosajit.compile", mode)
        options.register_custom_ops_library(operators)
    return ort.InferenceSession(model.SerializeToString(), options,
                                providers=["CPUExecutionProvider"])


def attempt(call, *arguments):
    """(what it gives, None) or (None, the engine's own error)"""
    try:
        return call(*arguments), None
    except Exception as error:  # each of the engine's own kinds
        return None, error


def far(one, other, near):
    """How many numbers differ by more than roundings, which products and exponents make larger. Or
    how types and shapes differ."""
    if one.shape != other.shape or one.dtype != other.dtype:
        return "%s %s and %s %s" % (one.dtype, one.shape, other.dtype, other.shape)
    if one.dtype.kind != "f":
        return int((one != other).sum())
    a, b = one.astype(np.float64), other.astype(np.float64)
    with np.errstate(all="ignore"):
        fine = np.isfinite(a) & np.isfinite(b)
        return int((np.abs(a - b)[fine] > near * (1 + np.abs(a[fine]))).sum()
                   + (np.isfinite(a) != np.isfinite(b)).sum())


def as_documented(model, a, b):
    """The second one with the engine's numbers where docs/onnx.md says that they differ: where a
    row's greatest or least element is NaN, and where the variance of MeanVarianceNormalization is
    0, which in the engine may be a bit less."""
    ops = {node.op_type for node in model.graph.node}
    if a.shape != b.shape or a.dtype != b.dtype or a.dtype.kind != "f":
        return b
    b = np.where(np.isnan(b), a, b) if GREATEST & ops else b
    return np.where(np.isnan(a), a, b) if "MeanVarianceNormalization" in ops else b


def sensitive(model, feeds, level, k, result, near):
    """How far the engine itself is away once its inputs are moved by an ulp, or at another
    level."""
    moved = {name: np.nextafter(a, np.inf, dtype=a.dtype) if a.dtype.kind == "f" else a
             for name, a in feeds.items()}
    most = 0
    for other, given in [(level, moved)] + [(other, feeds) for other in LEVELS if other != level]:
        results, _ = attempt(lambda: session_of(model, other).run(None, given))
        differ = far(result, results[k], near) if results else 0
        most = max(most, 0 if isinstance(differ, str) else differ)
    return most


def compare(model, feeds, level, near, before, after):
    of_nothing = any(a.size == 0 for a in feeds.values())
    for k, (a, b) in enumerate(zip(before, after)):
        differ = far(a, as_documented(model, a, b), near)
        if not differ:
            continue
        if (of_nothing and not isinstance(differ, str)
            and ROWS & {node.op_type for node in model.graph.node}):
            tally["of nothing, which differs"] += 1  # docs/onnx.md tells of these
            continue
        own = 0 if isinstance(differ, str) else sensitive(model, feeds, level, k, a, near)
        ops = {node.op_type for node in model.graph.node}
        # the engine's tanh may be beyond 1, and its floor then another whole number
        edge = (0.25 if STEPS & ops and ROUNDED & ops else 0.02)
        # one may be the logarithm of what is nearly 0
        if isinstance(differ, str) or differ > 3 * own + edge * a.size + (a.size >= 16):
            raise Different("result %d: %s numbers differ, of %d; of the engine from itself "
                            "%s\n%s\n%s" % (k, differ, a.size, own, a, b))
        tally["differ as the engine from itself"] += 1


def convert(model, options):
    """Null: it is refused."""
    source, target = os.path.join(work.name, "source.onnx"), os.path.join(work.name, "target.onnx")
    onnx.save(model, source)
    run = subprocess.run([tosajit, "onnx", source, "-o", target, *options], capture_output=True,
                         text=True)
    if run.returncode not in (0, 1) or (run.returncode and "error" not in run.stderr):
        raise Different("the command ends with %d: %s" % (run.returncode, run.stderr))
    return None if run.returncode else onnx.load(target)


def names_of(model):
    return collections.Counter(".".join(filter(None, (node.domain, node.op_type)))
                               for node in model.graph.node)


def engine_alone(maker, model, sizes):
    """All that the engine is asked for while a model is judged."""
    for level in LEVELS:
        own, _ = attempt(session_of, model, level)
        for n in sizes if own else ():
            attempt(own.run, None, maker.feeds(model, n))


def judge(maker, model, options, level, sizes, now, counts=True):
    """True if the converted model computes the same as the model. Nothing is compared where the
    engine refuses that."""
    own, _ = attempt(session_of, model, level)
    new = convert(model, options)
    if own is None or new is None:
        tally["refused by the engine" if own is None else "refused by the converter"] += counts
        return
    session, error = attempt(session_of, new, level, "background")
    if error:
        raise Different("the session is refused: %s" % error)
    kinds = {kind for kind, _ in maker.values.values()} | {draw.F32}
    near = max(NEAR[kind] for kind in kinds if kind in NEAR)
    for n in sizes:
        feeds = maker.feeds(model, n)
        before, _ = attempt(own.run, None, feeds)
        if before is None:
            tally["calls refused by the engine"] += counts
            continue
        after, error = attempt(session.run, None, feeds)
        if error:
            raise Different("a call is refused: %s" % error)
        compare(model, feeds, level, near, before, after)
        later = [("a later call", session)] * 2 + ([("a session that begins with its code",
                                                     session_of(new, level, "now"))] if now else [])
        for what, other in later:
            if "exact" in options:
                require_same(after, other.run(None, feeds), what)
            # fast functions are within their bound, which is not the same bits of precompiled and
            # of native code: pow(x, 0.5)
            else:
                compare(model, feeds, level, near, before, other.run(None, feeds))
        tally["calls compared"] += counts
    if counts:
        tally["with regions"] += any(node.domain == "tosajit" for node in new.graph.node)
        inside.update(names_of(model) - names_of(new))


def require_same(one, other, what):
    try:
        require_same_bits(one, other, what)
    except AssertionError as error:
        raise Different(str(error)) from None


# ---------------------------------------------------------------------------------------------------------------------------------------
# Smaller models

def needed(nodes, results):
    read, kept = set(results), []
    for node in reversed(nodes):
        if read & set(node.output):
            kept.insert(0, node)
            read |= set(draw.names_read(node))
    return kept


def smaller(maker, nodes, results):
    """(nodes, results) that are less: one result alone, what comes before, and what comes
    behind."""
    for name in results if len(results) > 1 else []:
        yield needed(nodes, [name]), [name]
    for node in nodes[:-1]:
        for name in node.output:
            if name in maker.values and [name] != results:
                yield needed(nodes, [name]), [name]
    for node in nodes if len(nodes) > 1 else []:
        rest = [other for other in nodes if other is not node]
        left = [name for name in results if name not in node.output]
        if left:
            yield needed(rest, left), left


def shrink(maker, differs, seconds=60):
    """The fewest nodes that still differ, and how they do."""
    def model_of(nodes, results):
        given = {name for node in nodes for name in node.output}
        cut = {name: maker.values[name] for node in nodes
               for name in draw.names_read(node) if name in maker.values and name not in given}
        return maker.model(nodes, results, cut)

    best, end = None, time.monotonic() + seconds
    nodes, results = maker.nodes, maker.results
    changed = True
    while changed and time.monotonic() < end:
        changed = False
        for fewer, left in smaller(maker, nodes, results):
            if not fewer or (len(fewer), len(left)) >= (len(nodes), len(results)):
                continue
            model = model_of(fewer, left)
            try:
                differs(model)
            except Different as error:
                best, nodes, results, changed = (model, error), fewer, left, True
                break
    return best


# ---------------------------------------------------------------------------------------------------------------------------------------
# Mutations

def mutated(random, model):
    """Another operator, operand, size, opset or element type. None: it might divide integers by 0,
    which ends the process."""
    new = onnx.ModelProto()
    new.CopyFrom(model)
    node = new.graph.node[int(random.integers(len(new.graph.node)))]
    way = int(random.integers(5))
    if way == 0:
        node.op_type = str(random.choice([name for name in draw.OPERATORS if "." not in name]))
    elif way == 1 and node.input:
        names = ([name for other in new.graph.node for name in other.output][:1]
                 + [i.name for i in new.graph.input] + [c.name for c in new.graph.initializer])
        node.input[int(random.integers(len(node.input)))] = str(random.choice(names))
    elif way == 2:
        new.opset_import[0].version = int(random.integers(7, 24))
    elif way == 3 and node.attribute:
        attribute = node.attribute[int(random.integers(len(node.attribute)))]
        attribute.i = int(random.integers(-4, 5))
        for k in range(len(attribute.ints)):
            attribute.ints[k] = int(random.integers(-4, 5))
    elif new.graph.input and new.graph.input[0].type.tensor_type.shape.dim:
        dims = new.graph.input[0].type.tensor_type.shape.dim
        size = dims[int(random.integers(len(dims)))]
        size.Clear()
        size.dim_value = int(random.choice([0, 1, 6]))
    return None if {"Div", "Mod"} & {other.op_type for other in new.graph.node} else new


# ---------------------------------------------------------------------------------------------------------------------------------------

def explain(k, options, level, sizes, model, error):
    print("seed %d, at %s, of sizes %s, converted with `%s`; python3 %s 0 %d\n%s\n%s" % (
        k, level, sizes, " ".join(options), " ".join(sys.argv[:4]), k, onnx.printer.to_text(model)[:4000], str(error)[:3000]), flush=True)


def run_one(k, wanted, alone=False):
    random = np.random.default_rng(k)
    maker, maker_results = draw.draw(random, wanted)
    maker.results = maker_results
    if not maker.results:
        return True
    model = maker.model(results=maker.results)
    options, level, now = (maker.one_of(OPTIONS), LEVELS[int(random.integers(4))],
                           random.random() < 0.25)
    sizes = maker.one_of([(3, 0, 1), (1, 3, 0)])
    sizes = sizes if any(draw.N in about[1] for about in maker.inputs.values()) else sizes[:1]
    if alone:
        engine_alone(maker, model, sizes)
    try:
        alone or judge(maker, model, options, level, sizes, now)
    except Different as error:
        found = (shrink(maker, lambda model: judge(maker, model, options, level, sizes, now, False))
                 or (model, error))
        explain(k, options, level, sizes, *found)
        return False
    changed = mutated(random, model) if random.random() < 0.5 else None
    if changed is not None:
        tally["mutations"] += 1
        if alone:
            engine_alone(maker, changed, sizes)
        try:
            alone or judge(maker, changed, options, level, sizes, now)
        except Different as error:
            explain(k, options, level, sizes, changed, error)
            return False
    return True


def operators_of_the_converter():
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)),
                           "../../tools/onnx/lowering/forms.c")) as file:
        return [line.split('"')[1] for line in file if line.startswith('    {"')]


def judged(first, count, end, known, alone=False):
    """In a process of its own: the tallies of each model, whether it is fine, and whether the
    process came to its end."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        with os.fdopen(writer, "wb", buffering=0) as out:
            for k in range(first, first + count):
                tally.clear(), inside.clear()
                fine = run_one(k, [str(op) for op in np.random.default_rng(k).permutation(known)],
                               alone)
                out.write(pickle.dumps((dict(tally), dict(inside), fine)))
                if not fine or time.monotonic() > end:
                    break
        os._exit(0)
    os.close(writer)
    told = []
    with os.fdopen(reader, "rb") as source:
        while True:
            try:
                told.append(pickle.load(source))
            except EOFError:
                break
    return told, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def main():
    ort.set_default_logger_severity(4)
    known = operators_of_the_converter()
    assert len(known) > 50 and set(known) == set(draw.OPERATORS), set(known) ^ set(draw.OPERATORS)
    end, k, fine = time.monotonic() + seconds, seed, True
    while k == seed or (fine and time.monotonic() < end):
        told, code = judged(k, 1 if seconds == 0 else 50, end, known)
        for counted, regions, is_fine in told:
            tally.update(counted), inside.update(regions)
            tally["models"] += 1
            fine &= is_fine
        k += len(told)
        if code and fine:
            fine = judged(k, 1, end, known, alone=True)[1] == code
            tally["models that end the engine"] += 1
            if not fine:
                print("seed %d: the process ends with %d, and not with the engine alone; python3 "
                      "%s 0 %d" % (k, code, " ".join(sys.argv[:4]), k))
            k += 1
    print(", ".join("%s %d" % pair for pair in tally.items()))
    print("in no region: %s" % " ".join(op for op in known if not inside[op]))
    if not fine:
        sys.exit(1)
    if tally["models"] > 30:
        assert tally["with regions"] > tally["models"] / 3 and tally["calls compared"] > tally["models"], tally


main()

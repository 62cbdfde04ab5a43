# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of many kinds in ONNX Runtime, as they are and by tosajit.onnxruntime.session: one table in Markdown, with a control. It needs
onnxruntime and onnx. With torch there are models of its exporter, with openvino there is a column of it.

    python3 bench/onnx_models.py BUILD [--packages FOLDER] [--seconds S] [--rounds N] [--only WORD] [--shares]

FOLDER has packages with models, as tests/onnx/engine.sh installs them. S is how long a model is called in turns, with one thread and with
two; N sessions are made in processes of their own. WORD is a pattern of the names of models.
--shares tells instead how much of a call convolutions and products take, which stay the engine's, and what is left before and now.
"""
import argparse
import importlib.util
import json
import logging
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

HEAD = """| column | meaning |
|---|---|
| regions | operators of the optimised model that are in regions, and how many regions these are |
| ms | a call of the model as it is, on one thread |
| tosajit | time of a call, of the original's: median over neighbours, in turns; on one thread and on two |
| control | the same of a second session of the model as it is: so far are two equal things apart in this run |
| OpenVINO | the same of OpenVINO with f32, on one thread and on two |
| session | time of making a session, from the cache, of the original's: each in a process of its own, medians |
| apart | the largest difference between outputs, of the largest number |
| engine | the same between the engine and itself without its optimisations, or with inputs an ulp off |

| model | regions | ms | tosajit, 1 | control, 1 | tosajit, 2 | control, 2 | OpenVINO, 1 | OpenVINO, 2 | session | apart | engine |
|---|---|---|---|---|---|---|---|---|---|---|---|"""


def options_of(threads):
    import onnxruntime as ort
    chosen = ort.SessionOptions()
    chosen.intra_op_num_threads = threads
    chosen.log_severity_level = 4
    # A session that waits for its next turn takes no processor from the others.
    chosen.add_session_config_entry("session.force_spinning_stop", "1")
    return chosen


def by_engine(file, threads, level=None):
    import onnxruntime as ort
    chosen = options_of(threads)
    if level is not None:
        chosen.graph_optimization_level = level
    session = ort.InferenceSession(file, chosen, providers=["CPUExecutionProvider"])
    return lambda given: session.run(None, given)


def by_tosajit(file, threads, cache):
    import tosajit.onnxruntime
    chosen = options_of(threads)
    chosen.add_session_config_entry("tosajit.compile", "now")
    session = tosajit.onnxruntime.session(file, chosen, cache=cache, providers=["CPUExecutionProvider"])
    return lambda given: session.run(None, given)


def by_openvino(file, threads):
    """None where there is none, or where it does not take the model."""
    if not importlib.util.find_spec("openvino"):
        return None
    import openvino
    try:
        model = openvino.Core().compile_model(file, "CPU", {"INFERENCE_NUM_THREADS": threads, "PERFORMANCE_HINT": "LATENCY", "INFERENCE_PRECISION_HINT": "f32"})
        request = model.create_infer_request()
    except RuntimeError:
        return None
    return lambda given: request.infer(given, share_inputs=True, share_outputs=True)


def ratios(calls, given, seconds):
    """The first one's time, and the others' times of it, by neighbours in turns."""
    def seconds_of(call):
        start = time.perf_counter()
        call(given)
        return time.perf_counter() - start
    for call in calls * 3:
        call(given)
    found, first, end = [[] for _ in calls[1:]], [], time.perf_counter() + seconds
    while len(first) < 9 or time.perf_counter() < end:
        at = len(first) % len(calls)
        times = dict((k, seconds_of(calls[k])) for k in [*range(at, len(calls)), *range(at)])
        first.append(times[0])
        for k, ratio in enumerate(found):
            ratio.append(times[k + 1] / times[0])
    return statistics.median(first), [statistics.median(ratio) for ratio in found]


def apart(one, other):
    """The largest difference, of the largest number."""
    far = 0.0
    for a, b in zip(one, other):
        if a.size and a.dtype.kind == "f":
            far = max(far, abs(a.astype("f8") - b.astype("f8")).max() / max(abs(a.astype("f8")).max(), 1e-30))
    return far


def time_session(way, file, cache):
    """In this process, whose first session it is; the modules have been loaded."""
    import onnxruntime as ort
    import tosajit.onnxruntime
    make = ort.InferenceSession if way == "engine" else lambda *words, **more: tosajit.onnxruntime.session(*words, cache=cache, **more)
    start = time.perf_counter()
    session = make(file, options_of(1), providers=["CPUExecutionProvider"])  # whose end would wait for the background
    print(time.perf_counter() - start, flush=True)
    os._exit(0)  # what the background still does is another's time


def session_ratio(file, cache, rounds):
    def once(way):
        return float(subprocess.check_output([sys.executable, __file__, "--session", way, file, cache]))
    times = [(once("engine"), once("tosajit")) for _ in range(rounds)]
    return statistics.median(b for _, b in times) / statistics.median(a for a, _ in times)


def converted(file, folder):
    """What the command says of the model: "12 in 3"."""
    run = subprocess.run([os.environ["TOSAJIT_COMMAND"], "onnx", file, "-o", os.path.join(folder, "new.onnx"), "--optimize", "--json"],
                         env=dict(os.environ, TOSAJIT_PYTHON=sys.executable), capture_output=True, check=True)
    said = json.loads(run.stdout)
    return "%d of %d in %d" % (said["inside"], said["nodes"], len(said["regions"]))


PRODUCTS = "Conv|MatMul|Gemm|LSTM|GRU"  # in the names of the engine's operators


def profile(make, seconds):
    """Microseconds of a call in products, and in all else: sums of medians by node, of the engine's own profile."""
    session, given = make()
    start, calls = time.perf_counter(), 0
    while calls < 10 or time.perf_counter() - start < seconds:
        session.run(None, given)
        calls += 1
    path, nodes = session.end_profiling(), {}
    with open(path) as file:
        events = json.load(file)
    os.remove(path)
    for event in events:
        if event.get("cat") == "Node" and event["name"].endswith("_kernel_time"):
            nodes.setdefault((event["name"], event["args"]["op_name"]), []).append(event["dur"])
    found = [0, 0]
    for (_, op), times in nodes.items():
        found[not re.search(PRODUCTS, op)] += statistics.median(times) * len(times) / calls
    return found


def share_row(name, make, options):
    import onnxruntime as ort
    import tosajit.onnxruntime
    with tempfile.TemporaryDirectory() as folder:
        file, given = make(folder)

        def profiled(session_of, **more):
            chosen = options_of(1)
            chosen.enable_profiling, chosen.profile_file_prefix = True, os.path.join(folder, "profile")
            chosen.add_session_config_entry("tosajit.compile", "now")
            return lambda: (session_of(file, chosen, providers=["CPUExecutionProvider"], **more), given)

        cache = os.path.join(folder, "kept")
        tosajit.onnxruntime.session(file, options_of(1), cache=cache, providers=["CPUExecutionProvider"])
        products, other = profile(profiled(ort.InferenceSession), options.seconds)
        _, now = profile(profiled(tosajit.onnxruntime.session, cache=cache), options.seconds)
        print("| %s | %.2f | %.2f | %.2f |" % (name, *(k / (products + other) for k in (products, other, now))), flush=True)


def row(name, make, options):
    import numpy as np
    import onnxruntime as ort
    with tempfile.TemporaryDirectory() as folder:
        file, given = make(folder)
        cache = os.path.join(folder, "kept")
        plain = by_engine(file, 1, ort.GraphOptimizationLevel.ORT_DISABLE_ALL)(given)
        cells = []
        for threads in (1, 2):
            calls = [by_engine(file, threads), by_tosajit(file, threads, cache), by_engine(file, threads), by_openvino(file, threads)]
            if threads == 1:
                first = calls[0](given)
                off = {key: np.nextafter(a, np.inf, dtype=a.dtype) if a.dtype.kind == "f" else a for key, a in given.items()}
                far, own = apart(first, calls[1](given)), max(apart(first, plain), apart(first, calls[0](off)))
            ms, found = ratios([call for call in calls if call], given, options.seconds)
            cells.append((ms, found + [None]))
        (ms, one), (_, two) = cells
        print("| %s | %s | %.2f | %.2f | %.2f | %.2f | %.2f | %s | %s | %.2f | %.1e | %.1e |" % (
            name, converted(file, folder), 1e3 * ms, one[0], one[1], two[0], two[1], *("-" if k is None else "%.2f" % k for k in (one[2], two[2])),
            session_ratio(file, cache, options.rounds), far, own), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--packages")
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="")
    parser.add_argument("--shares", action="store_true")
    options = parser.parse_args()
    build = os.path.abspath(options.build)
    os.environ.setdefault("TOSAJIT_COMMAND", os.path.join(build, "tools/tosajit"))
    os.environ.setdefault("TOSAJIT_ONNX_OPERATORS", os.path.join(build, "tools/onnxruntime/libtosajit-onnxruntime.so"))
    os.environ["PYTHONPATH"] = os.path.join(build, "tools/python")
    sys.path.insert(0, os.environ["PYTHONPATH"])
    logging.disable(logging.WARNING)  # of what quantizes models
    import onnx_kinds
    models = dict(onnx_kinds.of_packages(os.path.abspath(options.packages)) if options.packages else {}, **onnx_kinds.MODELS)
    print("| model | convolutions and products | else, before | else, now |\n|---|---|---|---|" if options.shares else HEAD, flush=True)
    for name, make in models.items():
        if not re.search(options.only, name):
            continue
        if "torch" in name and not importlib.util.find_spec("torch"):
            print("onnx_models: without torch there is no %s" % name, file=sys.stderr)
            continue
        start = time.perf_counter()
        (share_row if options.shares else row)(name, make, options)
        print("onnx_models: %s, %.0f s" % (name, time.perf_counter() - start), file=sys.stderr)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--session"]:
        time_session(*sys.argv[2:])
    main()

# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of many kinds in ONNX Runtime, as they are and by tosajit.onnxruntime.session: one table
in Markdown, with a control. It needs onnxruntime and onnx. With torch there are models of its
exporters, with openvino there is a column of it.

    python3 bench/onnx_models.py BUILD [--packages FOLDER] [--made FOLDER] [--seconds S] [--rounds N] [--only WORD] [--shares | --first]

FOLDER has packages with models, as tests/onnx/engine.sh installs them; what is made is kept in the
other one for later runs. S is how long a model is called in turns of random order, with one thread
and with two; N sessions are made in processes of their own. WORD is a pattern of the names of
models.
--shares tells instead how much of a call convolutions and products take, which stay the engine's,
and what is left before and now.
--first tells instead what processes after the first one wait for: a session, its first call, and
memory.
"""
import argparse
import importlib.util
import json
import logging
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time

HEAD = """| column | meaning |
|---|---|
| regions | operators of the optimised model that are in regions, and how many regions these are |
| ms | a call of the model as it is, on one thread: the processor's time, as in the columns of one thread |
| tosajit | time of a call, of the original's: median over neighbours, in turns of random order; on one thread and on two. In brackets: no gain, for it is less than what parts of the control's run differ by |
| control | the same of a second session of the model as it is: so far are two equal things apart in this run |
| OpenVINO | the same of OpenVINO with f32, on one thread and on two, in a process of its own |
| session | time of making a session, from the cache, of the original's: each in a process of its own, medians of the processor's time |
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
    session = tosajit.onnxruntime.session(file, chosen, cache=cache,
                                          providers=["CPUExecutionProvider"])
    return lambda given: session.run(None, given)


class OpenVINO:
    """A process that calls the model as often as it is asked to, and says the seconds. Its
    libraries and threads are not ours."""

    def __init__(self, file, given, threads, folder):
        import numpy as np
        inputs = os.path.join(folder, "given.npz")
        np.savez(inputs, **given)
        self.process = subprocess.Popen([sys.executable, __file__, "--openvino", file, inputs,
                                         str(threads)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                        text=True)
        self.is_there = self.process.stdout.readline() == "ready\n"

    def __call__(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline())

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def serve_openvino(file, inputs, threads):
    import numpy as np
    import openvino
    given = dict(np.load(inputs))
    model = openvino.Core().compile_model(file, "CPU",
                                          {"INFERENCE_NUM_THREADS": int(threads),
                                           "PERFORMANCE_HINT": "LATENCY",
                                           "INFERENCE_PRECISION_HINT": "f32"})
    request = model.create_infer_request()
    request.infer(given, share_inputs=True, share_outputs=True)
    print("ready", flush=True)
    # it has a thread of its own for the work
    clock = (time.process_time if threads == "1" else time.perf_counter)
    for _ in sys.stdin:
        start = clock()
        request.infer(given, share_inputs=True, share_outputs=True)
        print(clock() - start, flush=True)


def timed(call, given, threads):
    """On one thread it is the processor's time of that thread, which others do not lengthen."""
    clock = time.thread_time if threads == 1 else time.perf_counter

    def seconds():
        start = clock()
        call(given)
        return clock() - start
    return seconds


PARTS = 5


def parts_of(ratios):
    """Medians of parts of a run, one after the other: what lasts longer than a call makes them
    differ."""
    size = len(ratios) // PARTS
    return [statistics.median(ratios[k * size:(k + 1) * size]) for k in range(PARTS)]


def ratios(calls, seconds):
    """Medians: the first one's time, and the others' of it, of calls that stand beside one another;
    and how far medians of parts of the last but one of calls, which is a second session of the
    first one's model, are from 1."""
    turn, times, end = random.Random(0), [[] for _ in calls], 0
    for call in calls * 3:
        call()
    end = time.perf_counter() + seconds
    while len(times[0]) < 3 * PARTS or time.perf_counter() < end:
        for k in turn.sample(range(len(calls)), len(calls)):
            times[k].append(calls[k]())
    found = [[b / a for a, b in zip(times[0], other)] for other in times[1:]]
    return (statistics.median(times[0]), [statistics.median(ratio) for ratio in found],
            max(abs(part - 1) for part in parts_of(found[1])))


def apart(one, other):
    """The largest difference, of the largest number."""
    far = 0.0
    for a, b in zip(one, other):
        if a.size and a.dtype.kind == "f":
            far = max(far, abs(a.astype("f8")
                               - b.astype("f8")).max() / max(abs(a.astype("f8")).max(), 1e-30))
    return far


def time_session(way, file, cache, inputs):
    """In this process, whose first session and call it is; the modules have been loaded. It is the
    processor's time of all threads."""
    import numpy as np
    import onnxruntime as ort
    import tosajit.onnxruntime
    make = (ort.InferenceSession if way == "engine"
            else lambda *words, **more: tosajit.onnxruntime.session(*words, cache=cache, **more))
    given, held = dict(np.load(inputs)), resident()
    start = time.process_time()
    # whose end would wait for the background
    session = make(file, options_of(1), providers=["CPUExecutionProvider"])
    made = time.process_time()
    session.run(None, given)
    print(made - start, time.process_time() - made, resident() - held, flush=True)
    os._exit(0)  # what the background still does is another's time


def resident():
    """The most memory that this process had, in MB."""
    with open("/proc/self/status") as file:
        return int(re.search(r"VmHWM:\s*(\d+)", file.read()).group(1)) / 1024


def first_of(file, given, cache, rounds):
    """Medians of processes: (session, first call, MB) of the engine and of tosajit, whose cache has
    been filled."""
    import numpy as np
    inputs = os.path.join(os.path.dirname(cache), "given.npz")
    np.savez(inputs, **given)

    def once(way):
        return [float(word)
                for word in subprocess.check_output([sys.executable, __file__, "--session", way,
                                                     file, cache, inputs]).split()]
    once("tosajit")
    both = [[once(way) for way in ("engine", "tosajit")] for _ in range(rounds)]
    return [[statistics.median(column) for column in zip(*(pair[way] for pair in both))]
            for way in (0, 1)]


FIRST = """| model | session, ms | first call, ms | MB | session, tosajit | first call, tosajit | MB, tosajit | session and first call | first call |
|---|---|---|---|---|---|---|---|---|"""


def first_row(name, make, options):
    with tempfile.TemporaryDirectory() as folder:
        file, given = make(folder)
        (a, b, c), (d, e, f) = first_of(file, given, os.path.join(folder, "kept"), options.rounds)
        print("| %s | %.1f | %.1f | %.0f | %.1f | %.1f | %.0f | %.2f | %.2f |" % (
            name, 1e3 * a, 1e3 * b, c, 1e3 * d, 1e3 * e, f, (d + e) / (a + b), e / b), flush=True)


def converted(file, folder):
    """What the command says of the model: "12 in 3"."""
    run = subprocess.run([os.environ["TOSAJIT_COMMAND"], "onnx", file, "-o",
                          os.path.join(folder, "new.onnx"), "--optimize", "--json"],
                         env=dict(os.environ, TOSAJIT_PYTHON=sys.executable), capture_output=True,
                         check=True)
    said = json.loads(run.stdout)
    return "%d of %d in %d" % (said["inside"], said["nodes"], len(said["regions"]))


SHARES = "| model | convolutions and products | else, before | else, now |\n|---|---|---|---|"
PRODUCTS = "Conv|MatMul|Gemm|LSTM|GRU"  # in the names of the engine's operators


def profile(make, seconds):
    """Microseconds of a call in products, and in all else: sums of medians by node, of the engine's
    own profile."""
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
            return lambda: (session_of(file, chosen, providers=["CPUExecutionProvider"], **more),
                            given)

        cache = os.path.join(folder, "kept")
        tosajit.onnxruntime.session(file, options_of(1), cache=cache,
                                    providers=["CPUExecutionProvider"])
        products, other = profile(profiled(ort.InferenceSession), options.seconds)
        _, now = profile(profiled(tosajit.onnxruntime.session, cache=cache), options.seconds)
        print("| %s | %.2f | %.2f | %.2f |" % (name,
                                               *(k / (products + other)
                                                 for k in (products, other, now))), flush=True)


def called(calls, given, file, folder, threads, seconds):
    """(milliseconds, of them: tosajit, control, OpenVINO or None, what the control is apart)"""
    other = OpenVINO(file, given, threads, folder) if importlib.util.find_spec("openvino") else None
    try:
        there = [other] if other and other.is_there else []
        first, found, apart_by = ratios([timed(call, given, threads) for call in calls] + there,
                                        seconds)
        return 1e3 * first, *found[:2], found[2] if there else None, apart_by
    finally:
        if other:
            other.end()


def written(ratio, apart_by):
    """A ratio; one in brackets is no gain."""
    return ("(%.2f)" if 1 - apart_by <= ratio < 1 else "%.2f") % ratio


def row(name, make, options):
    import numpy as np
    import onnxruntime as ort
    with tempfile.TemporaryDirectory() as folder:
        file, given = make(folder)
        cache = os.path.join(folder, "kept")
        plain = by_engine(file, 1, ort.GraphOptimizationLevel.ORT_DISABLE_ALL)(given)
        cells = []
        for threads in range(1, options.threads + 1):
            calls = [by_engine(file, threads), by_tosajit(file, threads, cache),
                     by_engine(file, threads)]
            if threads == 1:
                first = calls[0](given)
                off = {key: np.nextafter(a, np.inf, dtype=a.dtype) if a.dtype.kind == "f" else a
                       for key, a in given.items()}
                far, own = apart(first, calls[1](given)), max(apart(first, plain),
                                                              apart(first, calls[0](off)))
            cells.append(called(calls, given, file, folder, threads, options.seconds))
        (ms, one, control, rival, by), two = cells[0], cells[-1]
        has_two = options.threads > 1
        (a, _, _), (b, _, _) = first_of(file, given, cache, options.rounds)
        print("| %s | %s | %.2f | %s | %.2f | %s | %s | %s | %s | %.2f | %.1e | %.1e |" % (
            name, converted(file, folder), ms, written(one, by), control, written(two[1], two[4]) if has_two else "-",
            "%.2f" % two[2] if has_two else "-", *("-" if k is None else "%.2f" % k for k in (rival, two[3] if has_two else None)),
            b / a, far, own), flush=True)
        return one, control


def kept(name, make, folder):
    """The same, made once and kept below a folder with its operands."""
    def again(_):
        import numpy as np
        place = os.path.join(folder, re.sub(r"\W+", "_", name))
        known, inputs = os.path.join(place, "file"), os.path.join(place, "given.npz")
        if not os.path.exists(known):
            os.makedirs(place, exist_ok=True)
            file, given = make(place)
            np.savez(inputs, **given)
            with open(known, "w") as said:
                said.write(file)
        with open(known) as said:
            return said.read(), dict(np.load(inputs))
    return again if folder else make


def models_of(options):
    """Name -> make, of all that can be made here; others are told."""
    import onnx_kinds
    import onnx_zoo
    packaged = onnx_kinds.of_packages(os.path.abspath(options.packages)) if options.packages else {}
    for name, make in {**packaged, **onnx_kinds.MODELS, **onnx_zoo.MODELS}.items():
        needs = (["torch", "onnxscript", onnx_zoo.PACKAGE[name]] if name in onnx_zoo.MODELS
                 else ["torch"] if "torch" in name else [])
        lacks = [package for package in needs if package and not importlib.util.find_spec(package)]
        if not re.search(options.only, name):
            continue
        if lacks:
            print("onnx_models: without %s there is no %s" % (lacks[0], name), file=sys.stderr)
        else:
            yield name, kept(name, make, options.made and os.path.abspath(options.made))


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--packages")
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="")
    parser.add_argument("--made")
    parser.add_argument("--threads", type=int, default=2, choices=(1, 2))
    parser.add_argument("--shares", action="store_true")
    parser.add_argument("--first", action="store_true")
    options = parser.parse_args()
    build = os.path.abspath(options.build)
    os.environ.setdefault("TOSAJIT_COMMAND", os.path.join(build, "tools/tosajit"))
    os.environ.setdefault("TOSAJIT_ONNX_OPERATORS",
                          os.path.join(build, "tools/onnxruntime/libtosajit-onnxruntime.so"))
    os.environ["PYTHONPATH"] = os.path.join(build, "tools/python")
    sys.path.insert(0, os.environ["PYTHONPATH"])
    logging.disable(logging.WARNING)  # of what quantizes models
    head, write = ((SHARES, share_row) if options.shares else (FIRST, first_row) if options.first
                   else (HEAD, row))
    print(head, flush=True)
    means = []
    for name, make in models_of(options):
        start = time.perf_counter()
        try:
            means.append(write(name, make, options))
        except Exception as error:  # of an exporter, most likely; the others are still measured
            print("onnx_models: no %s: %s" % (name, str(error).strip().splitlines()[0]),
                  file=sys.stderr)
            continue
        print("onnx_models: %s, %.0f s" % (name, time.perf_counter() - start), file=sys.stderr)
    if write is row and means:
        one, control = (statistics.geometric_mean(column) for column in zip(*means))
        print("\nGeometric mean over %d models, on one thread: %.3f; control: %.3f."
              % (len(means), one, control))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--session"]:
        time_session(*sys.argv[2:])
    elif sys.argv[1:2] == ["--openvino"]:
        serve_openvino(*sys.argv[2:])
    else:
        main()

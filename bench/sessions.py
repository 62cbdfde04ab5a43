# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What it takes ONNX Runtime to make a session of a converted model, beside one of the original.
Each session is the first one of a process of its own, in turns. Converted models have been
optimised, so sessions do not do it again.

    python3 sessions.py ORIGINAL CONVERTED WITH_IMAGES LIBRARY LIBRARY_ALONE CACHE [ROUNDS]

Out: the cells of a line of Markdown: ms of the original | of its time: code at once | in the
background | from CACHE | from the model | from the model, without libtosajit. It is the processor's
time of the session's thread: what the background does is another's.
"""
import os
import statistics
import subprocess
import sys
import time

# Ways to have the code, in the order of the columns: the model, the library of operators,
# tosajit.compile, tosajit.images, a cache.
WAYS = [(0, None, "background", "0", False), (1, 3, "now", "0", False),
        (1, 3, "background", "0", False), (1, 3, "now", "0", True),
        (2, 3, "background", "1", False), (2, 4, "background", "1", False)]


def seconds_of(way, words):
    """Of a session, in this process."""
    import onnxruntime as ort
    model, library, compile, images, _ = way
    options = ort.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    options.add_session_config_entry("tosajit.compile", compile)
    options.add_session_config_entry("tosajit.images", images)
    if library is not None:
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
        options.register_custom_ops_library(words[library])
    start = time.thread_time()
    ort.InferenceSession(words[model], options, providers=["CPUExecutionProvider"])
    return time.thread_time() - start


def measure(way, words):
    """The same in a process of its own, which ends without waiting for the background."""
    environment = {key: value for key, value in os.environ.items() if key != "TOSAJIT_CACHE_DIR"}
    if WAYS[way][-1]:
        environment["TOSAJIT_CACHE_DIR"] = words[5]
    return float(subprocess.check_output([sys.executable, __file__, "--way", str(way), *words],
                                         env=environment))


def main(words):
    if words[:1] == ["--way"]:
        print(seconds_of(WAYS[int(words[1])], words[2:]), flush=True)
        os._exit(0)
    if not 6 <= len(words) <= 7:
        sys.exit(__doc__)
    rounds = int(words[6]) if len(words) == 7 else 11
    # Before the first round each way goes once: files are read, and the cache is filled.
    taken = [[measure(way, words) for way in range(len(WAYS))] for _ in range(rounds + 1)][1:]
    original, *others = map(statistics.median, zip(*taken))
    print(f"{1e3 * original:.1f}", *(f"{other / original:.2f}" for other in others), sep=" | ")


main(sys.argv[1:])

# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tasks of `tosajit onnx` that need ONNX Runtime. The command runs this by a Python that has
the
engine; the library of operators lies beside it.

    engine.py ready                          whether the engine is there, and what --input and
    --size say
    engine.py optimize FROM TO [FROM TO]...  write models as the engine has optimised them
    engine.py compare BEFORE AFTER           both models on the same inputs: --check, --bench;
    --json: beside standard output
    engine.py start MODEL INPUTS.npz         seconds of a session and its first call, the first ones
    of a process

--converted: BEFORE, FROM or MODEL may have regions, and code of others. --settled: AFTER, or MODEL,
has been optimised by the engine. It says what fails as the command does, with the command's exit
codes. Any Python 3 can read it, so that it can look for another one that has the engine.
"""
import ctypes
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import types

SELF = os.path.abspath(__file__)
OPERATORS = os.path.join(os.path.dirname(SELF), "libtosajit-onnxruntime.so")
USUAL_SIZE, OTHER_SIZE = 32, 64  # of what only calls decide
SECONDS, LEAST_CALLS, STARTS = 2, 5, 5  # of --bench
# How far apart outputs may be: some roundings of numbers around 1, and a part of the largest.
LEAST, RELATIVE = 1e-6, 1e-3
# Of --check, and where outputs are further apart than that: one draw of inputs may move the engine
# itself by nothing, and another
# one by as much, where a model quantizes what it computes.
DRAWS, MOST_DRAWS = 3, 12


class Refused(Exception):
    """Something cannot be done; what it says is for the user."""


class WrongUsage(Exception):
    """So is this, of the words of the command line."""


def find_engine():
    """Import the engine here, or go on in another Python of PATH that has it."""
    global np, ort
    try:
        import numpy as np
        import onnxruntime as ort
        from onnxruntime import InferenceSession  # a folder of the engine's name is none
        return
    except ImportError as error:
        tried = {sys.executable: ": %s" % error}
    # One that was named, or that was found here, looks no further.
    folders = ([] if os.environ.get("TOSAJIT_PYTHON")
               else dict.fromkeys(map(os.path.realpath, os.get_exec_path())))
    for python in (os.path.join(folder, "python3") for folder in folders):
        if not os.access(python, os.X_OK):
            continue
        environment = dict(os.environ, TOSAJIT_PYTHON=python)
        try:
            if subprocess.call([python, SELF, "ready"], env=environment, stdin=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL) == 0:
                os.execve(python, [python, SELF] + sys.argv[1:], environment)
        except OSError:
            pass  # no program
        tried.setdefault(python, "")
    raise Refused("no Python here has ONNX Runtime; `pip install onnxruntime` brings it. Where the "
                  "system's Python refuses that:\n"
                  "  python3 -m venv onnx && onnx/bin/pip install onnxruntime && export "
                  "TOSAJIT_PYTHON=\"$PWD/onnx/bin/python3\"\n"
                  "Tried:" + "".join("\n  " + python + why for python, why in tried.items()))


def pairs_of(option, form, words):
    """{"x": "a.npy"} of ["x=a.npy"]."""
    pairs = {}
    for word in words:
        name, _, value = word.rpartition("=") if option == "--size" else word.partition("=")
        if not name or not value:
            raise WrongUsage("%s takes %s, not %s" % (option, form, word))
        if name in pairs:
            raise WrongUsage("%s %s: this %s is given twice" % (option, word, option[2:]))
        pairs[name] = value
    return pairs


def read_words(words):
    """The request. The command has checked all but what --input and --size say."""
    asked = types.SimpleNamespace(what=words[0], files=[], input=[], size=[], check=False,
                                  bench=False, json=False, converted=False,
                                  settled=False, trusted=False)
    rest = iter(words[1:])
    for word in rest:
        if word in ("--input", "--size"):
            getattr(asked, word[2:]).append(next(rest))
        elif word.startswith("--"):
            setattr(asked, word[2:], True)
        else:
            asked.files.append(word)
    asked.input = pairs_of("--input", "NAME=A.npy", asked.input)
    asked.size = pairs_of("--size", "NAME=N", asked.size)
    for name, size in asked.size.items():
        if not size.isdecimal() or len(size) > 18 or int(size) == 0:
            raise WrongUsage("--size takes NAME=N, not %s=%s" % (name, size))
        asked.size[name] = int(size)
    return asked


def open_session(path, operators, settled, trusted=False, at_once=False, save=None):
    options = ort.SessionOptions()
    options.log_severity_level = 4  # what fails is raised
    options.intra_op_num_threads = 1
    if settled:  # what the engine has optimised once it need not optimise again
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    if trusted:  # the code in the model is the command's own
        options.add_session_config_entry("tosajit.images", "1")
    if at_once:
        options.add_session_config_entry("tosajit.compile", "now")
    if save:
        options.optimized_model_filepath = save
        # nobody calls it, and weights are large
        options.add_session_config_entry("session.disable_prepacking", "1")
    if operators:  # which reads these entries
        options.register_custom_ops_library(OPERATORS)
    return ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def words_of(error):
    """What the engine's exception says, without "[ONNXRuntimeError] : 1 : FAIL : ", which says
    nothing more; None of any other one."""
    return (str(error).split(" : ", 3)[-1] if type(error).__module__.startswith("onnxruntime")
            else None)


def open_one_of_two(path, *how, **more):
    """A session; what fails tells which model it is."""
    try:
        return open_session(path, *how, **more)
    except Exception as error:
        if not words_of(error):
            raise
        raise Refused("%s: ONNX Runtime: %s" % (path, words_of(error)))


def optimize(asked):
    for source, target in zip(asked.files[::2], asked.files[1::2]):
        open_session(source, True, False, not asked.converted, save=target)


# Inputs

def elements_of(port):
    """NumPy's type of an input's or output's elements, of their bits for bfloat16; None where they
    are no numbers."""
    name = port.type[len("tensor("):-1]
    numbers = "int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 bool".split()
    return (name if name in numbers else {"float": "float32", "double": "float64",
                                          "bfloat16": "uint16"}.get(name))


def names_of(port):
    """What --size may call each size that a call decides: {1: ["x:1", "batch"]}."""
    return {d: ["%s:%d" % (port.name, d)] + [size] * bool(size)
            for d, size in enumerate(port.shape) if not isinstance(size, int)}


def check_sizes(ports, sizes):
    free = [names for port in ports for names in names_of(port).values()]
    for name in sizes:
        if not any(name in names for names in free):
            known = [" or ".join(names) for names in free]
            raise Refused("--size %s: calls decide no such size; %s"
                          % (name, "there are " + ", ".join(known) if known else "all are known"))


def read_input(port, path):
    elements = elements_of(port)
    try:
        with open(path, "rb") as file:
            array = np.lib.format.read_array(file, allow_pickle=False)
    except Exception as error:  # there are many for files that are no arrays
        raise Refused("--input %s: %s" % (path, getattr(error, "strerror", None) or error))
    dtype = array.dtype
    # bfloat16 of another package
    if (elements == "uint16" and dtype.kind == "V" and dtype.itemsize == 2):
        array = array.view("uint16")
    elif elements is None or dtype.newbyteorder("=") != np.dtype(elements):
        raise Refused("--input %s: it has %s, but input %s is %s"
                      % (path, dtype, port.name, port.type))
    return np.asarray(array, elements, "C")


def shape_of(port, sizes):
    names = names_of(port)
    return [next((sizes[name] for name in names[d] if name in sizes), sizes.get(None, USUAL_SIZE))
            if d in names else size
            for d, size in enumerate(port.shape)]


def longest(ports, sizes):
    """The largest size that calls decide, but for batches: what the lengths of sequences may be."""
    return max((shape_of(port, sizes)[d] for port in ports for d in names_of(port) if d > 0),
               default=1)


def make_named(port, shape, elements, ports, sizes):
    """What a model wants of an input by its name: masks leave everything, lengths are whole,
    positions count. None: nothing is known."""
    name = port.name.lower()
    if "mask" in name:  # of more than two sizes floating-point ones are added
        return (np.zeros if "float" in elements and len(shape) > 2 else np.ones)(shape, elements)
    if "int" not in port.type:
        return None
    if "token_type" in name or "segment" in name:
        return np.zeros(shape, elements)
    if "position" in name and shape:
        return np.broadcast_to(np.arange(shape[-1]), shape).astype(elements)
    if name.endswith(("length", "lengths", "lens", "_len")):
        return np.full(shape, longest([other for other in ports if other is not port], sizes),
                       elements)
    return None


def make_input(port, sizes, random, ports):
    """Floating-point numbers in [-1, 1), integers that may divide and count, in 1..15, false and
    true; the same each time."""
    elements = elements_of(port)
    if elements is None:
        raise Refused("input %s is %s, of which none can be made" % (port.name, port.type))
    shape = shape_of(port, sizes)
    try:
        named = make_named(port, shape, elements, ports, sizes)
        if named is not None:
            return named
        if elements == "bool":
            return random.integers(2, size=shape).astype("bool")
        if "int" in port.type:
            return random.integers(1, 16, size=shape).astype(elements)
        numbers = random.random(shape, "float64" if elements == "float64" else "float32") * 2 - 1
        return ((numbers.view("uint32") >> 16).astype("uint16") if elements == "uint16"
                else numbers.astype(elements))
    except (MemoryError, ValueError) as error:
        raise Refused("input %s of sizes %s: %s" % (port.name, "x".join(map(str, shape)), error))


def arrays_for(session, asked, draw=0):
    """One for each input. Every second draw has another size where only calls decide it."""
    ports, random = session.get_inputs(), np.random.default_rng(draw)
    check_sizes(ports, asked.size)
    sizes = dict({None: OTHER_SIZE if draw % 2 else USUAL_SIZE}, **asked.size)
    for name, path in asked.input.items():
        if name not in [port.name for port in ports]:
            raise Refused("--input %s=%s: the model has no input of this name" % (name, path))
    return [read_input(port, asked.input[port.name]) if port.name in asked.input
            else make_input(port, sizes, random, ports)
            for port in ports]


def value_of(port, array):
    if port.type != "tensor(bfloat16)":
        return ort.OrtValue.ortvalue_from_numpy(array)
    try:
        return ort.OrtValue.ortvalue_from_numpy_with_onnx_type(array, 16)
    except AttributeError:
        raise Refused("input %s is %s, which ONNX Runtime %s takes from no array; a later one "
                      "does: `pip install --upgrade onnxruntime`"
                      % (port.name, port.type, ort.__version__))


def values_of(session, arrays):
    return {port.name: value_of(port, array) for port, array in zip(session.get_inputs(), arrays)}


# Comparison

def array_of(value):
    if value.data_type() != "tensor(bfloat16)":
        return value.numpy()
    shape = value.shape()
    bits = np.frombuffer(ctypes.string_at(value.data_ptr(), 2 * int(np.prod(shape))), "uint16")
    return (bits.astype("uint32") << 16).view("float32").reshape(shape)


def apart(a, b):
    """The largest difference, the largest number of a, and how many NaNs only one of them has."""
    with np.errstate(all="ignore"):
        x, y = a.astype("float64"), b.astype("float64")
        nans = np.isnan(x) | np.isnan(y)
        far = np.where((x == y) | nans, 0, abs(x - y))
    return (far.max(initial=0), abs(x[np.isfinite(x)]).max(initial=0),
            np.count_nonzero(np.isnan(x) != np.isnan(y)))


def moved(arrays, ports):
    """The inputs, of which each floating-point number is the next larger one: what no model may be
    more exact than."""
    return [np.nextafter(a, np.asarray(np.inf, a.dtype)) if a.dtype.kind == "f" else a
            for a in arrays]


def unfit(a, again):
    """Why an output says nothing about whether two models are the same; "" if it does."""
    far, largest, nans = apart(a, again)  # threads of the engine may add in another order
    if nans or far > 1e-3 * largest:
        return "the model draws random numbers, it differs from call to call"
    if a.dtype.kind == "f" and a.size and np.isnan(a).all():
        return "all of it is NaN; --input gives better inputs"
    if a.size > 1 and (a == a.flat[0]).all():
        return "each element is %s; --input gives better inputs" % a.flat[0]
    return ""


class Output:
    """One output in all draws: how far the models are apart, and the engine from itself."""

    def __init__(self, name):
        self.name, self.far, self.plain, self.near, self.scale, self.nans, self.count, self.why = name, 0, 0, 0, 0, 0, 0, ""

    def add(self, a, b, plain, near, again):
        if a.dtype != b.dtype or a.shape != b.shape:
            raise Refused("output %s is %s %s in one model, and %s %s in the other"
                          % (self.name, a.dtype, a.shape, b.dtype, b.shape))
        self.why = self.why or unfit(a, again)
        far, scale, nans = apart(a, b)
        self.far, self.scale, self.nans = max(self.far,
                                              far), max(self.scale, scale), self.nans + nans
        self.plain = max(self.plain, apart(a, plain)[0])
        self.near = max(self.near, apart(a, near)[0] if a.shape == near.shape else 0)
        self.count = self.count or a.size

    def is_same(self):
        close = (self.nans == 0 and self.far <= max(LEAST + RELATIVE * self.scale, self.plain,
                                                    self.near))
        return close or self.why.startswith("the model draws")

    def line(self, draws):
        return ("%s: at most %.3g apart; the engine without its optimisations: %.3g; inputs an ulp "
                "off: %.3g; numbers up to %.3g, "
                "%d elements, %d draw%s%s%s" % (self.name, self.far, self.plain, self.near,
                                                self.scale, self.count, draws, "s" * (draws > 1),
                                                "" if self.is_same() else ": NOT THE SAME",
                                                self.why and ": NOT CHECKED: " + self.why))


def outputs_of(asked, sessions, draw):
    """Of the two models; of the engine without its optimisations and with inputs that are an ulp
    off, which is the model's own error; and once more. None: the model takes no such sizes."""
    before, after, plain = sessions
    try:
        arrays = arrays_for(before, asked, draw)
        inputs, near = (values_of(before, these) for these in (arrays,
                                                               moved(arrays, before.get_inputs())))
        first = before.run_with_ort_values(None, inputs)
    except Exception as error:
        if draw % 2 == 0 or not (words_of(error) or isinstance(error, Refused)):
            raise
        return None
    return [first] + [session.run_with_ort_values(None, given) for session, given in
                      ((after, inputs), (plain, inputs), (before, near), (before, inputs))]


def check(asked, before, after, out):
    sessions = before, after, open_session(asked.files[0], asked.converted, True)
    ports, draws, made = before.get_outputs(), 0, len(before.get_inputs()) - len(asked.input)
    judged = [Output(port.name) if elements_of(port) else None for port in ports]
    for draw in range(MOST_DRAWS if made else 1):
        outputs = outputs_of(asked, sessions, draw)
        for output, *values in zip(judged, *outputs or ()):
            if output:
                output.add(*map(array_of, values))
        draws += outputs is not None
        if draw + 1 >= DRAWS and all(output.is_same() for output in judged if output):
            break
    for port, output in zip(ports, judged):
        print(output.line(draws) if output
              else "%s: %s, which is not compared" % (port.name, port.type), file=out)
    if not all(output.is_same() for output in judged if output):
        out.flush()
        raise Refused("the models differ")


# Time

def seconds_of(what, *arguments):
    start = time.perf_counter()
    what(*arguments)
    return time.perf_counter() - start


def time_calls(sessions, inputs):
    """Seconds of both models' calls, in turns, so that what disturbs one disturbs the other."""
    times, end = ([], []), time.perf_counter() + SECONDS
    call = lambda k: seconds_of(sessions[k].run_with_ort_values, None, inputs)
    for k in (0, 1, 0, 1):
        call(k)
    while len(times[0]) < LEAST_CALLS or time.perf_counter() < end:
        # Who is first changes, because the second finds the caches as the first left them.
        for k in (0, 1) if len(times[0]) % 2 else (1, 0):
            times[k].append(call(k))
    return times


def time_starts(asked, arrays):
    """Seconds to both models' first results, in processes of their own, in turns."""
    times, flags = ([], []), (["--converted"] * asked.converted,
                                 ["--converted"] + ["--settled"] * asked.settled + ["--trusted"]
                              * (not asked.converted))
    with tempfile.TemporaryDirectory() as folder:
        kept = os.path.join(folder, "inputs.npz")
        np.savez(kept, *arrays)
        for k in (0, 1) * STARTS:
            words = [sys.executable, SELF, "start", asked.files[k], kept] + flags[k]
            times[k].append(float(subprocess.check_output(words, stdin=subprocess.DEVNULL)))
    return times


def start(asked):
    path, kept = asked.files
    with np.load(kept) as arrays:
        arrays = list(arrays.values())

    def answer():
        session = open_session(path, asked.converted, asked.settled, asked.trusted)
        session.run_with_ort_values(None, values_of(session, arrays))
    print(seconds_of(answer))


def beside(times):
    """Medians; the ratio is of neighbours."""
    before, now, ratio = map(statistics.median, (*times, [b / a for a, b in zip(*times)]))
    return "%.3f ms before, %.3f ms now: %.3f %s" % (1e3 * before, 1e3 * now, ratio,
                                                     "of the time" if ratio < 1
                                                     else "times as long")


def compare(asked):
    sys.stdout.reconfigure(errors="backslashreplace")
    out = sys.stderr if asked.json else sys.stdout  # one object stands alone
    before = open_one_of_two(asked.files[0], asked.converted, False)
    # The code is compared and timed, not how it comes.
    after = open_one_of_two(asked.files[1], True, asked.settled, not asked.converted, at_once=True)
    arrays = arrays_for(before, asked)
    inputs = values_of(before, arrays)
    if asked.check:
        check(asked, before, after, out)
    if asked.bench:
        times = time_calls((before, after), inputs)
        print("a call: %s (medians of %d, one thread)" % (beside(times), len(times[0])), file=out)
        times = time_starts(asked, arrays)
        print("a session and its first call: %s (medians of %d processes)"
              % (beside(times), STARTS), file=out)


def main():
    for end in (signal.SIGINT, signal.SIGPIPE):
        signal.signal(end, signal.SIG_DFL)
    try:
        asked = read_words(sys.argv[1:])
        find_engine()
        ort.set_default_logger_severity(4)
        {"ready": lambda asked: None, "optimize": optimize, "compare": compare,
         "start": start}[asked.what](asked)
    except WrongUsage as error:
        print("tosajit onnx: error: %s\ntry: tosajit onnx --help" % error, file=sys.stderr)
        sys.exit(2)
    except subprocess.CalledProcessError as error:
        sys.exit(error.returncode)  # it has said why
    except (Refused, MemoryError) as error:
        sys.exit("tosajit: error: %s" % (error or "out of memory"))
    except Exception as error:
        if not words_of(error):
            raise
        sys.exit("tosajit: error: ONNX Runtime: %s" % words_of(error))


if __name__ == "__main__":
    main()

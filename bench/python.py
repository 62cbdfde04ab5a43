# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times of tosajit, NumPy, numexpr, numba, jax, Blosc2 and PyTorch in one process, in turns, on one
thread each.

    PYTHONPATH=build/tools/python python3 bench/python.py            # tables
    PYTHONPATH=build/tools/python python3 bench/python.py --page     # into docs/python.md, with its drawing
    PYTHONPATH=build/tools/python python3 bench/python.py --examples # numexpr's own, beside numexpr
    PYTHONPATH=build/tools/python python3 bench/python.py --functions # functions of tosajit.jit, beside numexpr's, numba's, jax's, Blosc2's and torch.compile's
    PYTHONPATH=build/tools/python python3 bench/python.py --functions docs/functions.json # the same into a file, which bench/front.py draws
    PYTHONPATH=build/tools/python python3 bench/python.py --fields   # functions of ten fields; into docs/benchmarks.md by hand
    PYTHONPATH=build/tools/python python3 bench/python.py --first    # first results of what is new
    PYTHONPATH=build/tools/python python3 bench/python.py --fast     # functions that are not TOSA's, exact and fast, beside NumPy's; into docs/accuracy.md by hand
    PYTHONPATH=build/tools/python python3 bench/python.py --table    # what bench/report.sh takes

The best of many turns of 2 ms, because whoever shares the machine can only make a turn longer. The
results are compared before anything is timed. Needs NumPy; the columns of a library that is not
installed are left out. tests/tools/python_peers.sh makes a venv with most of them, and pip brings
numba."""
import inspect
import json
import math
import os
import random
import re
import sys
import time

import numpy as np

import tosajit

for variable in ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")
os.environ.setdefault("XLA_FLAGS",
                      "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")


def imported(name):
    try:
        module = __import__(name)
    except ImportError:
        return None
    return module


numexpr, numba, torch, jax, blosc2 = (imported(name)
                                      for name in ("numexpr", "numba", "torch", "jax", "blosc2"))
if blosc2:
    blosc2.set_nthreads(1)
if numexpr:
    numexpr.set_num_threads(1)
if torch:
    torch.set_num_threads(1)
tosajit.set_num_threads(1)


def usual_times(contenders, seconds):
    """In turns of random order, so that what disturbs the machine disturbs all alike."""
    loops, times = {}, {name: [] for name in contenders}
    for name, call in contenders.items():
        call()
        begin = time.perf_counter()
        call()
        loops[name] = max(1, int(2e-3 / max(time.perf_counter() - begin, 1e-7)))
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(times[next(iter(times))]) < 5:
        for name, call in random.sample(list(contenders.items()), len(contenders)):
            begin = time.perf_counter()
            for _ in range(loops[name]):
                call()
            times[name].append((time.perf_counter() - begin) / loops[name])
    return {name: min(values) for name, values in times.items()}


def chain(x, b):
    return x * (1 / (1 + np.exp(-(x + b))))


FAST = tosajit.Engine()
EXACT = tosajit.Engine(accuracy="exact").compile("y = x * sigmoid(x + b) : f32[?,?], f32[?,?]")
FAST_KERNEL = FAST.compile("y = x * sigmoid(x + b) : f32[?,?], f32[?,?]")


def contenders_of(rows):
    x = np.random.default_rng(1).standard_normal((rows, 64), np.float32)
    b = np.random.default_rng(2).standard_normal((1, 64), np.float32)
    out = np.empty_like(x)
    expected = chain(x.astype(np.float64), b.astype(np.float64))
    text, other = "x * sigmoid(x + b)", "x * (1 / (1 + exp(-(x + b))))"
    calls = {
        "exact": lambda: EXACT(x, b),
        "exact, out=": lambda: EXACT(x, b, out=out),
        "fast": lambda: FAST_KERNEL(x, b),
        "evaluate": lambda: tosajit.evaluate(text, x=x, b=b),
        "NumPy": lambda: chain(x, b),
    }
    if numexpr:
        one = np.float32(1)
        names = {"x": x, "b": b, "one": one}
        other = "x * (one / (one + exp(-(x + b))))"
        calls["numexpr"] = lambda: numexpr.evaluate(other, names)
    for name, call in calls.items():
        np.testing.assert_allclose(call(), expected, rtol=1e-5, atol=1e-6, err_msg=name)
    return calls


def say(seconds):
    for unit, factor in (("ns", 1e9), ("us", 1e6), ("ms", 1e3)):
        if seconds * factor < 1000:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds:.3g} s"


def ten_ops(x, y, where, absolute, two, half):
    """The same by NumPy."""
    s = x + y
    q = s * (x - y) + x
    m = where(q < y, y, q)
    return (absolute(where(m > two, two, m)) * y - s) * half


def table(seconds):
    """Ten cheap operations on 64K elements, each contender on the same arrays and into the same
    one."""
    generator = np.random.default_rng(3)
    x, y = (generator.standard_normal(1 << 16, np.float32) for _ in range(2))
    out = np.empty_like(x)
    two, half = np.float32(2), np.float32(0.5)
    text = ("y = (abs(minimum(maximum((a + b) * (a - b) + a, b), 2.0)) * b - (a + b)) * 0.5"
            " : a f32[?], b f32[?]")
    native = tosajit.Engine(backend="native").compile(text)
    precompiled = tosajit.Engine(backend="precompiled").compile(text)
    calls = {"native": lambda: native(x, y, out=out),
             "precompiled": lambda: precompiled(x, y, out=out),
             "NumPy": lambda: ten_ops(x, y, np.where, np.abs, two, half)}
    if numexpr:
        # numexpr knows no names for parts, and finds a + b twice by itself.
        q = "((a + b) * (a - b) + a)"
        m = f"where({q} < b, b, {q})"
        other = f"(abs(where({m} > two, two, {m})) * b - (a + b)) * half"
        names = {"a": x, "b": y, "two": two, "half": half}
        calls["numexpr"] = lambda: numexpr.evaluate(other, names, out=out)
    expected = ten_ops(x, y, np.where, np.abs, two, half)
    for name, call in calls.items():
        np.testing.assert_allclose(call(), expected, rtol=1e-6, atol=1e-6, err_msg=name)
    times = usual_times(calls, seconds)
    print("| python, ns/call | " + " | ".join(times) + " |")
    print("| --- |" + " ---: |" * len(times))
    print("| ten_ops_64K | " + " | ".join(f"{t * 1e9:.0f}" for t in times.values()) + " |")


# Texts that all can read; the library's own have a name of their own.
CASES = {
    "2*x + 3*y": ("two * x + three * y", None),
    "chain of cheap ops": ("((x + y) * (x - y) + x) * half - y", None),
    "select": ("where(x > y, x * half, y)", None),
    "exp": ("exp(x)", None),
    "silu": ("x * (one / (one + exp(-(x + y))))", "x * sigmoid(x + y)"),
    "tanh": ("half * x * (one + tanh(half * x + y))", None),
}
NUMBERS = {"one": 1.0, "two": 2.0, "three": 3.0, "half": 0.5}
SIZES = {"64": 64, "4 K": 4096, "64 K": 1 << 16, "4 M": 1 << 22}


def numbers_in(text):
    """tosajit has numbers in the text."""
    for name, value in NUMBERS.items():
        text = text.replace(name, repr(value))
    return text


def by_module(text, module, extra=()):
    names = {name: getattr(module, name) for name in ("exp", "tanh", "where")}
    names.update(extra)
    return eval(f"lambda x, y: {text}", names)


def by_numba(text):
    body = text.replace("where(x > y, x * half, y)", "x * half if x > y else y")
    for name in "xy":
        body = "".join(f"{name}[i]" if word == name else word for word in words_of(body))
    names = {name: np.float32(value) for name, value in NUMBERS.items()}
    names.update(exp=math.exp, tanh=math.tanh)
    exec(f"def loop(x, y, out):\n    for i in range(x.size):\n        out[i] = {body}\n    return "
         "out\n", names)
    return numba.njit(names["loop"], fastmath=False)


def words_of(text):
    words, word = [], ""
    for letter in text + "\0":
        if letter.isalnum() or letter == "_":
            word += letter
        else:
            words += [word, letter]
            word = ""
    return words[:-1]


def peers_of(text, own, n):
    """Each with arrays and results of its own kind, into a given array where it can."""
    generator = np.random.default_rng(n)
    x, y = (generator.standard_normal(n, np.float32) for _ in range(2))
    out, types = (np.empty_like(x), " : x f32[?], y f32[?]" if "y" in words_of(text)
                  else " : x f32[?]")
    numbers = {name: np.float32(value) for name, value in NUMBERS.items()}
    kernels = {name: tosajit.Engine(**options).compile("r = " + numbers_in(own or text) + types)
               for name, options in ENGINES.items()}
    arrays = (x, y) if "y f32" in types else (x,)
    calls = {name: (lambda kernel=kernel: kernel(*arrays, out=out))
             for name, kernel in kernels.items()}
    numpy_call = by_module(text, np, numbers)
    calls["NumPy"] = lambda: numpy_call(x, y)
    if numexpr:
        names = {"x": x, "y": y, **numbers}
        calls["numexpr"] = lambda: numexpr.evaluate(text, names, out=out)
    if numba:
        loop, own_out = by_numba(text), np.empty_like(x)
        calls["numba"] = lambda: loop(x, y, own_out)
    if torch:
        tx, ty = torch.from_numpy(x), torch.from_numpy(y)
        torch_call = by_module(text, torch, NUMBERS)
        calls["torch"] = lambda: torch_call(tx, ty)
    if jax:
        jx, jy = jax.numpy.asarray(x), jax.numpy.asarray(y)
        jax_call = jax.jit(by_module(text, jax.numpy, numbers))
        calls["jax"] = lambda: jax_call(jx, jy).block_until_ready()
    expected = numpy_call(x.astype(np.float64), y.astype(np.float64))
    for kernel in kernels.values():
        kernel.wait()
    for name, call in calls.items():
        np.testing.assert_allclose(np.asarray(call()), expected, rtol=2e-5, atol=1e-6,
                                   err_msg=f"{name}: {text}")
    return calls


ENGINES = {"exact": {"accuracy": "exact"}, "fast": {}, "precompiled": {"backend": "precompiled"}}


def measure(seconds):
    """Times by case, size and contender."""
    return {(case, size): usual_times(peers_of(text, own, n), seconds)
            for case, (text, own) in CASES.items() for size, n in SIZES.items()}


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def means(times, own):
    """By size and peer: how many times as long as tosajit it takes, over all cases."""
    peers = [name for name in next(iter(times.values())) if name not in ENGINES]
    return {size: {peer: mean([t[peer] / t[own] for (_, s), t in times.items() if s == size])
                   for peer in peers}
            for size in SIZES}


def machine():
    with open("/proc/cpuinfo") as file:
        model = next((line.partition(":")[2].strip()
                      for line in file if line.startswith("model name")), "an unnamed CPU")
    versions = ", ".join(f"{module.__name__} {module.__version__}"
                         for module in (np, numexpr, numba, torch, jax, blosc2) if module)
    level = next(name for name in ("v4", "v3", "v2", None) if name is None or can_run(name))
    return (f"{model} ({'x86-64-' + level if level else 'another architecture'}), Python "
            f"{sys.version.split()[0]}, {versions}")


def can_run(cpu):
    try:
        tosajit.Engine(cpu=cpu)
        return True
    except tosajit.Error:
        return False


def tables(times):
    lines = [f"Measured on {machine()}. The load was {os.getloadavg()[0]:.1f}, on "
             f"{os.cpu_count()} processors.", ""]
    for own, title in (("fast", "reproducible, the default"), ("exact", "`accuracy=\"exact\"`"),
                       ("precompiled", "precompiled, without LLVM")):
        by_size = means(times, own)
        peers = list(next(iter(by_size.values())))
        lines += [f"| {title}: elements | " + " | ".join(peers) + " |",
                  "|---|" + "---:|" * len(peers)]
        lines += [f"| {size} | " + " | ".join(f"{row[peer]:.2g}" for peer in peers) + " |"
                  for size, row in by_size.items()]
        lines.append("")
    return "\n".join(lines)


def drawing(times):
    """Bars: how many times as long as tosajit each peer takes; a logarithmic axis."""
    by_size = means(times, "fast")
    peers = list(next(iter(by_size.values())))
    left, width, height, most = 120, 560, 16, max(10,
                                                  max(v for row in by_size.values()
                                                      for v in row.values()))
    place = lambda value: left + width * max(0.0, math.log(value / 0.5) / math.log(most / 0.5))
    colours = ["#9ecae1", "#6baed6", "#3182bd", "#08519c"]
    parts, at = [], 34
    for peer in peers:
        parts.append(f'<text x="{left - 8}" y="{at + 2 * height}" text-anchor="end">{peer}</text>')
        for colour, (size, row) in zip(colours, by_size.items()):
            end = place(row[peer])
            parts.append(f'<rect x="{place(1) if end > place(1) else end:.0f}" y="{at}" '
                         f'width="{abs(end - place(1)):.0f}"'
                         f' height="{height - 2}" fill="{colour}"/>')
            parts.append(f'<text x="{max(end, place(1)) + 4:.0f}" y="{at + height - 5}" '
                         f'font-size="10">{row[peer]:.2g} at {size}</text>')
            at += height
        at += 10
    axis = f'<line x1="{place(1):.0f}" x2="{place(1):.0f}" y1="28" y2="{at}" stroke="black"/>'
    title = ('<text x="8" y="18" font-weight="bold">Times as long as tosajit, by number of '
             'elements; one thread</text>')
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + width + 90}" '
            f'height="{at + 6}" font-family="sans-serif" '
            'font-size="13"><rect width="100%" height="100%" '
            f'fill="white"/>{title}{axis}{"".join(parts)}</svg>\n')


BEGIN, END = "<!-- Written by bench/python.py --page -->\n", "<!-- End -->\n"


def write_page(times):
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    path = os.path.join(root, "docs", "python.md")
    with open(path) as file:
        before, _, rest = file.read().partition(BEGIN)
    after = rest.partition(END)[2]
    with open(path, "w") as file:
        file.write(before + BEGIN + "\n" + tables(times) + "\n" + END + after)
    with open(os.path.join(root, "docs", "python.svg"), "w") as file:
        file.write(drawing(times))


def compare(seconds, page):
    times = measure(seconds)
    print(tables(times))
    for (case, size), row in times.items():
        print(f"{case}, {size}: " + ", ".join(f"{name} {say(t)}" for name, t in row.items()))
    if page:
        write_page(times)


# What numexpr's pages and its benchmark of polynomials evaluate.
EXAMPLES = ["a + 1", "a * b - 4.1 * a > 2.5 * b", "sin(a) + arcsinh(a/b)", "2*a + 3*b",
            "2*a + b**10", "sin(a)**2 + cos(a)**2",
            ".25*a**3 + .75*a**2 - 1.5*a - 2", "((.25*a + .75)*a - 1.5)*a - 2"]


def examples(seconds):
    """On a million float64, as those pages have it, by evaluate: results are made. On one thread,
    and on all processors."""
    a = np.arange(1e6) + 1
    names = {"a": a, "b": a + 1}
    for threads in sorted({1, len(os.sched_getaffinity(0))}):
        numexpr.set_num_threads(threads)
        where = f"{threads} thread{'s' * (threads > 1)}"
        own = {"exact": tosajit.Engine(threads=threads, accuracy="exact"),
               "fast": tosajit.Engine(threads=threads)}
        ratios = {name: [] for name in own}
        for text in EXAMPLES:
            calls = {name: lambda engine=engine: engine.evaluate(text, names)
                     for name, engine in own.items()}
            calls["numexpr"] = lambda: numexpr.evaluate(text, names)
            for name, call in calls.items():
                # a sum of functions that is nearly 0 has the errors of numbers near 1
                np.testing.assert_allclose(call(), calls["numexpr"](), rtol=1e-12, atol=1e-15,
                                           err_msg=f"{text} {name}")
            for engine in own.values():
                engine.wait()
            times = usual_times(calls, seconds)
            for name in own:
                ratios[name].append(times["numexpr"] / times[name])
            print(f"{text}, {where}: " + ", ".join(f"{name} {say(t)}" for name, t in times.items()))
        for name, values in ratios.items():
            print(f"{name}, {where}: numexpr takes {mean(values):.2g} times as long")


def chain_table(seconds):
    names = ["exact", "exact, out=", "fast", "evaluate", "NumPy", "numexpr"]
    print("| x * sigmoid(x + b), f32 | " + " | ".join(names) + " |")
    print("| --- |" + " ---: |" * len(names))
    for rows in (1, 10, 1000, 100000):
        times = usual_times(contenders_of(rows), seconds)
        cells = [say(times[name]) if name in times else "-" for name in names]
        print(f"| {rows} x 64 | " + " | ".join(cells) + " |", flush=True)
    x = np.ones(1, np.float32)
    add = tosajit.compile("y = x + b : f32[?], f32[?]")
    out = np.empty(1, np.float32)
    calls = {"new": lambda: add(x, x), "out": lambda: add(x, x, out=out),
             "evaluate": lambda: tosajit.evaluate("x + b", x=x, b=x), "NumPy": lambda: x + x}
    times = usual_times(calls, seconds)
    print("\nA call of one element, x + b: "
          + ", ".join(f"{name} {say(t)}" for name, t in times.items()))


# Functions as people write them, with one array or two.
def silu(x, y):
    return x / (1 + np.exp(-(x + y)))


def cheap(x, y):
    return ((x + y) * (x - y) + x) * 0.5 - y


def chosen(x, y):
    return np.where(x > y, x * 0.5, y)


def distance(x, y):
    return np.sqrt(x * x + y * y) + np.arctan2(x, y)


def centred(x, y):
    return x - x.mean() + y


FUNCTIONS = (silu, cheap, chosen, distance, centred)


def text_of(function):
    """What numexpr evaluates in its place."""
    return inspect.getsource(function).partition("return ")[2].strip().replace("np.", "")


def others_of(function, x, y):
    """The same by libraries that take functions, and by numexpr as a text; what one of them does
    not take it has no column for."""
    made = {"tosajit": tosajit.jit(function), "NumPy": function}
    if numexpr:
        # a number of a text is of float64 to numexpr, and so would be all that it meets
        text, numbers = text_of(function), {}
        for number in sorted(set(re.findall(r"\b\d[\d.]*", text)), reverse=True):
            numbers[f"n{len(numbers)}"] = np.float32(number)
            text = re.sub(rf"(?<![\w.]){re.escape(number)}(?![\w.])", f"n{len(numbers) - 1}", text)
        made["numexpr"] = lambda x, y: numexpr.evaluate(text, {"x": x, "y": y, **numbers})
    if numba:
        made["numba"] = numba.njit(function)
    if jax:
        import jax.numpy as jnp
        space = dict(function.__globals__, np=jnp)
        jitted = jax.jit(type(function)(function.__code__, space, function.__name__))
        a, b = jnp.asarray(x), jnp.asarray(y)
        made["jax"] = lambda *_: jitted(a, b).block_until_ready()
    if blosc2:
        made["blosc2"] = blosc2.jit(function)
    if torch:
        space = dict(function.__globals__, np=torch)
        # code of its own: what torch.compile has made is kept by code, and names the globals that
        # it was made with
        compiled = torch.compile(type(function)(function.__code__.replace(), space,
                                                function.__name__), dynamic=True)
        s, t = torch.from_numpy(x), torch.from_numpy(y)
        made["torch.compile"] = lambda *_: compiled(s, t)
    return made


def first_calls(function):
    """The first call and the first of another size, in seconds, of who gives NumPy's result."""
    x, y = (np.random.default_rng(k).standard_normal(4096, np.float32) for k in (1, 2))
    wanted, rows = function(x, y), {}
    for name, call in others_of(function, x, y).items():
        try:
            begin = time.perf_counter()
            np.testing.assert_allclose(np.asarray(call(x, y)), wanted, 1e-4, 1e-4)
            first = time.perf_counter() - begin
            begin = time.perf_counter()
            call(x[:999], y[:999])
            rows[name] = [first, time.perf_counter() - begin]
        except Exception as error:
            print(f"<!-- {function.__name__} by {name}: {type(error).__name__} -->")
    return rows


def later_calls(function, count, names, seconds):
    x, y = (np.random.default_rng(k).standard_normal(count, np.float32) for k in (1, 2))
    calls = {name: (lambda call: lambda: call(x, y))(call)
             for name, call in others_of(function, x, y).items() if name in names}
    for call in calls.values():
        call()
        call()
    tosajit.wait()
    return usual_times(calls, seconds)


def functions(seconds, path=None):
    """First call, the first of another size, and later calls, in ms and us; into a file, too."""
    print("| function, elements | " + " | ".join(["first ms", "other size ms",
                                                  *[f"{size}, us" for size in SIZES]]) + " |")
    print("| --- |" + " ---: |" * (2 + len(SIZES)))
    kept = []
    for function in FUNCTIONS:
        rows = first_calls(function)
        later = {size: later_calls(function, count, rows, seconds) for size, count in SIZES.items()}
        for name, (first, other) in rows.items():
            cells = [f"{first * 1e3:.2f}", f"{other * 1e3:.2f}",
                     *(f"{times[name] * 1e6:.3g}" for times in later.values())]
            print(f"| {function.__name__}, {name} | " + " | ".join(cells) + " |")
            kept += [{"function": function.__name__, "source": text_of(function), "library": name,
                      "elements": count,
                      "microseconds": float(f"{later[size][name] * 1e6:.3g}")}
                     for size, count in SIZES.items()]
            kept += [{"function": function.__name__, "source": text_of(function), "library": name,
                      "elements": when,
                      "microseconds": float(f"{t * 1e6:.3g}")}
                     for when, t in (("first call", first), ("first of another size", other))]
    if path:
        with open(path, "w") as file:
            command = "PYTHONPATH=build/tools/python python3 bench/python.py --functions " + path
            rows = ",\n".join(map(json.dumps, kept))
            file.write(f'{{"command": {json.dumps(command)}, "machine": {json.dumps(machine())}, '
                       f'"load": {os.getloadavg()[0]:.2f},\n"date": "{time.strftime("%Y-%m-%d")}", '
                       f'"times": [\n{rows}\n]}}\n')


# Of people's fields, those of examples/python/functions.py.
LIBRARIES = ("tosajit", "NumPy", "numba", "jax", "torch.compile", "blosc2")


def in_space(function, **names):
    """The same code with other modules for np and special."""
    made = type(function)(function.__code__.replace(), {**function.__globals__, **names},
                          function.__name__)
    made.__defaults__ = function.__defaults__
    return made


def as_kinds(args, convert):
    return tuple(convert(a) if isinstance(a, np.ndarray) else a for a in args)


def ways_of(library, function):
    """Callables, each with what makes its arguments: the first that gives NumPy's result is the
    library's."""
    plain = lambda args: args
    if library == "tosajit":
        return [(tosajit.jit(in_space(function)), plain)]
    if library == "NumPy":
        return [(function, plain)]
    if library == "numba" and numba:
        return [(numba.njit(in_space(function)), plain)]
    if library == "blosc2" and blosc2:
        return [(blosc2.jit(in_space(function)), plain)]
    if library == "jax" and jax:
        import jax.numpy as jnp
        from jax.scipy import special
        jitted = jax.jit(in_space(function, np=jnp, special=special))
        return [(lambda *args: jax.block_until_ready(jitted(*args)), lambda args: as_kinds(args, jnp.asarray))]
    if library == "torch.compile" and torch:
        # by PyTorch's own functions of tensors; where it lacks one, NumPy's, which it reads, too
        tensors = torch.compile(in_space(function, np=torch, special=torch.special), dynamic=True)
        arrays = torch.compile(in_space(function, special=torch.special), dynamic=True)
        return [(tensors, lambda args: as_kinds(args, torch.from_numpy)), (arrays, plain)]
    return []


def is_near(found, wanted):
    both = [a if isinstance(a, tuple) else (a,) for a in (found, wanted)]
    for a, b in zip(*both, strict=True):
        a = np.asarray(a)
        if a.shape != np.shape(b):
            raise ValueError(f"a result of the shape {a.shape}")
        np.testing.assert_allclose(a, b, rtol=5e-3, atol=5e-3)


def why_not(error):
    """Its sentence, without what stands around it."""
    lines = [line.strip(" :-*>") for line in str(error).splitlines()]
    lines = [line for line in lines if len(line) > 20
             and not line.startswith(("Failed in", "During", "File"))]
    return f"{type(error).__name__}: {(lines or [''])[0][:110]}".strip(": ")


def first_calls_of(way, args, other, wanted):
    """What is called, what makes its arguments, and the times of the first call and the first of
    another size."""
    call, convert = way
    mine, smaller = convert(args), convert(other)
    begin = time.perf_counter()
    result = call(*mine)
    first = time.perf_counter() - begin
    is_near(result, wanted)
    begin = time.perf_counter()
    call(*smaller)
    return call, convert, first, time.perf_counter() - begin


def first_of(function, cases):
    """These by library, or why there are none. What is over soon is begun anew, and the least time
    counts."""
    args, other = (next(given for f, given in cases(n) if f is function) for n in (4096, 1024))
    found, reasons = {}, {}
    with np.errstate(all="ignore"):
        wanted = function(*args)
        for library in LIBRARIES:
            for k in range(len(ways_of(library, function))):
                try:
                    tries = [first_calls_of(ways_of(library, function)[k], args, other, wanted)]
                    while len(tries) < 8 and tries[0][2] < 0.1:
                        tosajit.wait()
                        tries.append(first_calls_of(ways_of(library, function)[k], args, other,
                                                    wanted))
                    found[library] = (*tries[0][:2], *(min(row[i] for row in tries)
                                                       for i in (2, 3)))
                    break
                except Exception as error:
                    reasons[library] = why_not(error)
    return found, {library: why for library, why in reasons.items() if library not in found}


def steady(function, cases, n, found, seconds):
    args = next(given for f, given in cases(n) if f is function)
    calls = {library: (lambda call, mine: lambda: call(*mine))(call, convert(args))
             for library, (call, convert, *_) in found.items()}
    with np.errstate(all="ignore"):
        for call in calls.values():
            call()
            call()
        tosajit.wait()
        return usual_times(calls, seconds)


def cells(values):
    return " | ".join("-" if value is None else f"{value:.3g}" for value in values)


def fields(seconds):
    """Two tables: first calls, and later ones."""
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))),
                                    "examples", "python"))
    from functions import cases
    firsts, laters, notes = [], [], []
    for function in [f for f, _ in cases(64)]:
        found, reasons = first_of(function, cases)
        times = {size: steady(function, cases, n, found, seconds) for size, n in SIZES.items()}
        name = function.__name__
        firsts.append(f"| {name} | " + cells(found[a][2] * 1e3 if a in found else None
                                             for a in LIBRARIES) + " | "
                      + cells(found[a][3] * 1e3 if a in found else None
                              for a in LIBRARIES if a != "NumPy") + " |")
        ratios = [row["tosajit"] / min(t for a, t in row.items() if a != "tosajit")
                  for row in times.values()]
        laters.append(f"| {name} | " + cells(times["64 K"][a] * 1e6 if a in found else None
                                             for a in LIBRARIES) + " | " + cells(ratios) + " |")
        notes += [f"{name}, {library}: {why}" for library, why in reasons.items()]
        print(firsts[-1], laters[-1], *notes[len(notes) - len(reasons):], sep="\n", flush=True)
    print(f"\n{machine()}; load {os.getloadavg()[0]:.1f}\n")
    print("| first call, then another size, ms | " + " | ".join(LIBRARIES) + " | "
          + " | ".join(a for a in LIBRARIES if a != "NumPy") + " |")
    print("|---|" + "--:|" * (2 * len(LIBRARIES) - 1), *firsts, sep="\n")
    print("\n| us at 64 K; then tosajit / best other | " + " | ".join(LIBRARIES) + " | "
          + " | ".join(SIZES) + " |")
    print("|---|" + "--:|" * (len(LIBRARIES) + len(SIZES)), *laters, "", *notes, sep="\n")


# Ten lines with 23 operations: numbers and functions make each of them new.
NEW_LINES = """a = x + y * {0}
b = np.exp(-a) * {1}
c = np.where(x > y, a, b)
d = np.sqrt(np.abs(c)) + x
e = d / (1 + np.abs(a))
g = np.maximum(e, y) - {2}
h = np.{3}(g) * b
i = h * h + g * c
j = np.minimum(i, 10.0) * x
"""
NEW_FUNCTIONS = ("tanh", "sin", "cos", "arctan", "arcsinh", "square", "positive", "abs")


def first_results(count=200):
    """From the first call of what was never seen before to its result, on 4,096 elements."""
    x = np.random.default_rng(1).standard_normal(4096, np.float32)
    y = x * np.float32(0.5) + 1
    times = {"a function of jit": [], "a text of evaluate": []}
    for k in range(count):
        lines = NEW_LINES.format(1 + k / 64, 2 + k / 64, 3 + k / 64, NEW_FUNCTIONS[k % 8])
        space = {"np": np}
        exec("def made(x, y):\n" + "".join(f"    {line}\n" for line in lines.splitlines())
             + "    return j - a", space)
        made, text = tosajit.jit(space["made"]), lines + "j - a"
        for name, call in (("a function of jit", lambda: made(x, y)),
                           ("a text of evaluate", lambda: tosajit.evaluate(text, x=x, y=y))):
            begin = time.perf_counter()
            result = call()
            times[name].append(time.perf_counter() - begin)
            np.testing.assert_allclose(result, space["made"](x, y), 1e-3, 1e-3)
    for name, found in times.items():
        print(f"the first result of {name}: {min(found) * 1e3:.2f} ms, median "
              f"{sorted(found)[count // 2] * 1e3:.2f}, of the process {found[0] * 1e3:.2f}; "
              f"load {os.getloadavg()[0]:.1f}")


# Of each function operands from everyday life.
FAST = {
    "exp2 expm1 sinh cosh tan arctan arcsinh cbrt": lambda x: 5 * x,
        "log1p arcsin arccos arctanh": lambda x: x,
    "log2 log10": lambda x: 10 * abs(x) + 1e-3, "arccosh": lambda x: 5 * abs(x) + 1,
        "arctan2 hypot": lambda x: 5 * x,
}


def fast(seconds):
    """65,536 elements of f32 by kernels, in us."""
    print("| | exact | fast | NumPy | fast / NumPy |\n|---|--:|--:|--:|--:|")
    ratios = []
    for names, domain in FAST.items():
        for name in names.split():
            numpys = getattr(np, name)
            x = domain(np.random.default_rng(1).random(65536, np.float32) * np.float32(1.96)
                       - np.float32(0.98)).astype(np.float32)
            given, out = (x, x[::-1].copy())[:numpys.nin], np.empty_like(x)
            text = (f"{name.replace('arc', 'a')}({', '.join('xy'[:numpys.nin])}) : "
                    f"{', '.join(['f32[?]'] * numpys.nin)}")
            kernels = {accuracy: tosajit.Engine(accuracy=accuracy).compile(text)
                       for accuracy in ("exact", "reproducible")}
            calls = {accuracy: lambda kernel=kernel: kernel(*given, out=out)
                     for accuracy, kernel in kernels.items()}
            for call in calls.values():
                call()
                np.testing.assert_allclose(out, numpys(*given), 1e-6, 1e-7)
            times = usual_times({**calls, "NumPy": lambda: numpys(*given, out=out)}, seconds)
            ratios.append(times["reproducible"] / times["NumPy"])
            print(f"| {name} | " + " | ".join(f"{t * 1e6:.1f}" for t in times.values())
                  + f" | {ratios[-1]:.2f} |", flush=True)
    print(f"\nThe mean is {mean(ratios):.2f}, and {mean(ratios[:-1]):.2f} without hypot.")


if __name__ == "__main__":
    if sys.argv[1:] == ["--table"]:
        table(3)
    elif sys.argv[1:] == ["--examples"]:
        examples(1)
    elif sys.argv[1:] == ["--fast"]:
        fast(0.5)
    elif sys.argv[1:2] == ["--functions"]:
        functions(0.2, *sys.argv[2:3])
    elif sys.argv[1:] == ["--first"]:
        first_results()
    elif sys.argv[1:2] == ["--fields"]:
        fields(0.3)
    elif sys.argv[1:2] == ["--chain"]:
        chain_table(3)
    else:
        page = sys.argv[1:2] == ["--page"]
        compare(float(sys.argv[1 + page]) if len(sys.argv) > 1 + page else 1, page)

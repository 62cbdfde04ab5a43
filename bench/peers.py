# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions, casts, quantisation and chains beside whoever of ONNX Runtime, jax, PyTorch, numba,
MKL's VML and Highway (math_peers.py) is fastest at them; one thread each.

    PYTHONPATH=build/tools/python python3 bench/peers.py [SECONDS [WORD]]     # WORD keeps the cases whose name has it
    PYTHONPATH=build/tools/python python3 bench/peers.py --page               # into bench/peers.md
    PYTHONPATH=build/tools/python python3 bench/peers.py --contracted         # sums and products beside numba's fastmath; into docs/accuracy.md by hand

TOSAJIT_CPU=x86-64-v3, which is what the page is made with, keeps numba, jax and PyTorch to AVX2,
too. ONNX Runtime cannot be kept. Each line has the time of tosajit, exact and fast, over that of
each peer, and over the best one; below 1 is faster. All compute on the same arrays and in turns;
results are compared first. It takes a minute and a half at 0.3 seconds, which is the default."""
import math
import os
import re
import sys

if "--page" in sys.argv:
    os.environ["TOSAJIT_CPU"] = "x86-64-v3"
import narrow

import numpy as np

from python import imported, machine, mean, tosajit, usual_times
import math_peers

numba, torch, jax, ort = (imported(name) for name in ("numba", "torch", "jax", "onnxruntime"))
onnx = ort and imported("onnx.helper")
if torch:
    torch.set_num_threads(1)

F32 = " : x f32[?]"
PAIR = " : x f32[?], y f32[?]"
# name, expression, its ONNX operators (each of the results before it), the same in jax, in PyTorch,
# and the body of a loop for numba
FUNCTIONS = [
    ("exp", "exp(x)" + F32, ["Exp x"], "jnp.exp(x)", "torch.exp(x)", None),
    ("log", "log(abs(x))" + F32, ["Abs x", "Log 0"], "jnp.log(jnp.abs(x))",
     "torch.log(torch.abs(x))", None),
    ("sin", "sin(x)" + F32, ["Sin x"], "jnp.sin(x)", "torch.sin(x)", None),
    ("tanh", "tanh(x)" + F32, ["Tanh x"], "jnp.tanh(x)", "torch.tanh(x)", None),
    ("erf", "erf(x)" + F32, ["Erf x"], "jax.lax.erf(x)", "torch.erf(x)", None),
    ("sigmoid", "sigmoid(x)" + F32, ["Sigmoid x"], "jax.nn.sigmoid(x)", "torch.sigmoid(x)", None),
    ("rsqrt", "rsqrt(abs(x))" + F32, ["Abs x", "Sqrt 0", "Reciprocal 1"],
     "jax.lax.rsqrt(jnp.abs(x))", "torch.rsqrt(torch.abs(x))",
     "1 / math.sqrt(abs(x))"),
    ("silu", "x * sigmoid(x)" + F32, ["Sigmoid x", "Mul x 0"], "jax.nn.silu(x)",
     "torch.nn.functional.silu(x)", None),
    ("gelu", "x * 0.5 * (1.0 + erf(x * 0.70710678))" + F32,
     ["Mul x 0.70710678", "Erf 0", "Add 1 1.0", "Mul x 2", "Mul 3 0.5"],
     "jax.nn.gelu(x, approximate=False)",
     "torch.nn.functional.gelu(x)", None),
    ("silu of a sum", "x * sigmoid(x + y)" + PAIR, ["Add x y", "Sigmoid 0", "Mul x 1"],
     "x * jax.nn.sigmoid(x + y)",
     "x * torch.sigmoid(x + y)", None),
    ("gelu by tanh", "0.5 * x * (1.0 + tanh(0.79788456 * (x + 0.044715 * x * x * x)))" + F32,
     ["Mul x x", "Mul 0 x", "Mul 1 0.044715", "Add x 2", "Mul 3 0.79788456", "Tanh 4", "Add 5 1.0",
      "Mul x 6", "Mul 7 0.5"],
     "jax.nn.gelu(x, approximate=True)", "torch.nn.functional.gelu(x, approximate='tanh')", None),
    ("mish", "x * tanh(log(1.0 + exp(x)))" + F32, ["Softplus x", "Tanh 0", "Mul x 1"],
     "x * jnp.tanh(jnp.log(1 + jnp.exp(x)))",
     "torch.nn.functional.mish(x)", None),
]
CHEAP = [
    ("clamps", "clip(clip(x * 1.5 + 0.25, -1.0, 1.0) * y + 0.5, -0.75, 0.75) * 2.0 + y" + PAIR,
     ["Mul x 1.5", "Add 0 0.25", "Clip 1 -1.0 1.0", "Mul 2 y", "Add 3 0.5", "Clip 4 -0.75 0.75", "Mul 5 2.0", "Add 6 y"],
     "jnp.clip(jnp.clip(x * 1.5 + 0.25, -1, 1) * y + 0.5, -0.75, 0.75) * 2 + y",
     "torch.clamp(torch.clamp(x * 1.5 + 0.25, -1, 1) * y + 0.5, -0.75, 0.75) * 2 + y",
     "min(max(min(max(x * f(1.5) + f(0.25), f(-1)), f(1)) * y + f(0.5), f(-0.75)), f(0.75)) * f(2) + y"),
    ("hard swish", "x * clip(x * 0.16666667 + 0.5, 0.0, 1.0)" + F32, ["HardSwish x"],
     "x * jnp.clip(x * 0.16666667 + 0.5, 0, 1)", "torch.nn.functional.hardswish(x)",
     "x * min(max(x * f(0.16666667) + f(0.5), f(0)), f(1))"),
    ("sum", "x + y" + PAIR, ["Add x y"], "x + y", "x + y", "x + y"),
    ("i32 of f32", "i32(x)" + F32, ["Cast x i32"], "x.astype(jnp.int32)", "x.to(torch.int32)", None),
    ("i8 of f32", "i8(clip(roundeven(x * 30.0), -128.0, 127.0))" + F32, ["Quantize x 0.033333335 i8"],
     "jnp.clip(jnp.round(x * 30), -128, 127).astype(jnp.int8)", None, None),
    ("QuantizeLinear to u8", "u8(clip(roundeven(x / 0.02) + 128.0, 0.0, 255.0))" + F32, ["Quantize x 0.02 u8"],
     "jnp.clip(jnp.round(x / 0.02) + 128, 0, 255).astype(jnp.uint8)", None, None),
]
HORNER = "((((((((x * {0} + {1}) * x + {2}) * x + {3}) * x + {4}) * x + {5}) * x + {6}) * x + {7}) * x + {8})"
POLYNOMIAL = ("degree 8", HORNER.format(*(k / 10 for k in range(1, 10))) + F32, None, None, None, HORNER.format(*(f"f({k / 10})" for k in range(1, 10))))
SIZES = {"1K": 1 << 10, "16K": 1 << 14, "64K": 1 << 16, "1M": 1 << 20, "4M": 1 << 22}
# The most that a case may take of the best peer's time: exact, fast. Others have 1.2 and 1.0.
LIMITS = {"clamps": (1.1, 1.1), "hard swish": (1.1, 1.1), "sum": (1.1, 1.1),
          "i32 of f32": (1.1, 1.1), "i8 of f32": (1.0, 1.0),
          "QuantizeLinear to u8": (1.0, 1.0)}
CALLS = {"64": 64, "256": 256, "1K": 1024}
PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "peers.md")
ENGINES = {name: tosajit.Engine(**options)
           for name, options in (("exact", {"accuracy": "exact"}), ("fast", {}))}


def onnx_session(nodes, arrays):
    """A session of these operators, whose first graph result is bound to an array of its own."""
    helper, kinds, made, constants = onnx.helper, onnx.TensorProto, [], {}

    def operand(word):
        if word.isalpha():
            return word
        if word.isdigit():
            return f"v{word}"
        constants[word] = helper.make_tensor(f"c{word}", kinds.FLOAT, [], [float(word)])
        return f"c{word}"

    for k, (op, *words) in enumerate(node.split() for node in nodes):
        attributes = {}
        if op == "Cast":
            attributes["to"] = kinds.INT32
            words = words[:1]
        names = [operand(word) for word in words[:2 if op == "Quantize" else None]]
        if op == "Quantize":
            kind, zero = (kinds.UINT8, 128) if words[2] == "u8" else (kinds.INT8, 0)
            constants["zero"] = helper.make_tensor("zero", kind, [], [zero])
            op, names = "QuantizeLinear", [*names, "zero"]
        made.append(helper.make_node(op, names, [f"v{k}"], **attributes))
    inputs = [helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype),
                                            [None]) for name, array in arrays.items()]
    result = onnx.ValueInfoProto(name=made[-1].output[0])
    graph = helper.make_graph(made, "g", inputs, [result], list(constants.values()))
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    return ort.InferenceSession(model.SerializeToString(), options,
                                providers=["CPUExecutionProvider"])


def bound_call(session, arrays, out):
    binding = session.io_binding()
    values = [(name, ort.OrtValue.ortvalue_from_numpy(array)) for name, array in arrays.items()]
    for name, value in values:
        binding.bind_ortvalue_input(name, value)
    result = ort.OrtValue.ortvalue_from_numpy(out)
    binding.bind_ortvalue_output(session.get_outputs()[0].name, result)

    def call():
        session.run_with_iobinding(binding)
        return result.numpy()

    session.run_with_iobinding(binding)
    return lambda: session.run_with_iobinding(binding), call


def numba_loop(body, names):
    body = re.sub(r"\w+", lambda word: f"{word[0]}[i]" if word[0] in names else word[0], body)
    known = {"math": math, "f": np.float32}
    exec(f"def loop({', '.join(names)}, out):\n    for i in range(out.size):\n        out[i] = "
         f"{body}\n", known)
    return numba.njit(known["loop"], fastmath=True)


def contenders(case, n):
    """Calls by name, and calls that give their results as arrays."""
    _, text, nodes, by_jax, by_torch, by_numba = case
    generator = np.random.default_rng(n)
    names = ("x", "y") if PAIR in text else ("x",)
    arrays = {name: generator.standard_normal(n, np.float32) for name in names}
    for array in arrays.values():
        array[array == 0] = 1  # of log(0) and 1 / 0 errors have no size
    calls, results = {}, {}
    for name, engine in ENGINES.items():
        kernel = engine.compile("r = " + text)
        kernel.wait()
        out = kernel(*arrays.values())
        calls[name] = lambda kernel=kernel, out=out: kernel(*arrays.values(), out=out)
        results[name] = calls[name]
    out = np.empty_like(np.asarray(results["exact"]()))
    single = re.fullmatch(r"(\w+)\(x\) : x f32\[\?\]", text)
    if single:
        for name, call in math_peers.of(single[1], list(arrays.values()), out).items():
            calls[name] = results[name] = call
    if ort and onnx and nodes:
        calls["ONNX Runtime"], results["ONNX Runtime"] = bound_call(onnx_session(nodes, arrays), arrays, out.copy())
    if jax and by_jax:
        own = [jax.numpy.asarray(a) for a in arrays.values()]
        jitted = jax.jit(eval(f"lambda {', '.join(names)}: {by_jax}",
                              {"jax": jax, "jnp": jax.numpy}))
        calls["jax"] = lambda: jitted(*own).block_until_ready()
        results["jax"] = calls["jax"]
    if torch and by_torch:
        own_torch = [torch.from_numpy(a) for a in arrays.values()]
        eager = eval(f"lambda {', '.join(names)}: {by_torch}", {"torch": torch})
        calls["torch"] = lambda: eager(*own_torch)
        results["torch"] = calls["torch"]
    if numba and by_numba:
        loop, result = numba_loop(by_numba, names), out.copy()
        calls["numba"] = lambda: loop(*arrays.values(), result)
        results["numba"] = lambda: (loop(*arrays.values(), result), result)[1]
    expected = np.asarray(results["exact"]()).astype(np.float64)
    for name, call in results.items():
        wrong = np.abs(np.asarray(call()).astype(np.float64) - expected)
        limit = 1.001 if out.dtype.kind in "iu" else 2e-5 * np.abs(expected) + 2e-6
        assert (wrong <= limit).all(), f"{name}: {text}: {wrong.max()}"
    return calls


def row(case, seconds):
    """Its lines, by size what tosajit takes of the best peer's time, and all times."""
    lines, ratios, every = [], {}, {}
    for size, n in SIZES.items():
        times = every[size] = usual_times(contenders(case, n), seconds)
        peers = {name: t for name, t in times.items() if name not in ENGINES}
        best = min(peers, key=peers.get)
        ratios[size] = {own: times[own] / peers[best] for own in ENGINES}
        shown = (f"{ratios[size][own]:.2f}" + ("" if ratios[size][own] <= limit + 0.005
                                               else " **over**")
                 for own, limit in zip(ENGINES, LIMITS.get(case[0], (1.2, 1.0))))
        others = ", ".join(f"{name} {t / n * 1e9:.3f}" for name, t in times.items())
        lines.append(f"| {case[0]} | {size} | {' | '.join(shown)} | {best} | {others} |")
        print(lines[-1], flush=True)
    return lines, ratios, every


def calls_beside_numba(seconds, word):
    """Calls of few elements, in microseconds: what they cost beside what they compute."""
    lines = ["| a call | elements | tosajit | numba | of numba |\n|---|--:|--:|--:|--:|"]
    for case in (case for case in CHEAP if numba and case[-1] and word in case[0]):
        for size, n in CALLS.items():
            both = {name: call for name, call in contenders(case, n).items()
                    if name in ("exact", "numba")}
            times = usual_times(both, seconds)
            own, other = times["exact"] * 1e6, times["numba"] * 1e6
            lines.append(f"| {case[0]} | {size} | {own:.3f} | {other:.3f} | {own / other:.2f} |")
    return "\n".join(lines) + "\n"


# Where numba contracts products and sums, which is a tier of its own here. Elsewhere it counts.
CONTRACTS = ("clamps", "hard swish")


def quickest(rows):
    """In how many pairs of case and size nobody takes less than 0.97 of our time; then without the
    cases that contract; then without ONNX Runtime too, which cannot be kept to AVX2."""
    for words, apart, left_out in (("", (), ()), (", contraction apart", CONTRACTS, ()),
                                   (", and without ONNX Runtime", CONTRACTS, ("ONNX Runtime",))):
        for own in ENGINES:
            ratios = [times[own] / min(t for name, t in times.items()
                                       if name not in ENGINES and name not in left_out)
                      for case, _, every in rows if case not in apart
                      for times in every.values()]
            if ratios:
                yield (f"- {own}{words}: quickest or within 3 % in "
                       f"{sum(r <= 1.03 for r in ratios)} of {len(ratios)}")


def tables(seconds, word):
    measured = [(case[0], *row(case, seconds)) for case in FUNCTIONS + CHEAP if word in case[0]]
    rows = [found[1:] for found in measured]
    head = ("| case | elements | exact of the best peer | fast | the best peer | ns an element "
            "|\n|---|---|--:|--:|---|---|")
    means = [f"{size}: geometric mean "
             + ", ".join(f"{own} {mean([ratios[size][own] for _, ratios, _ in rows]):.2f}"
                         for own in ENGINES)
             for size in SIZES]
    main_table = [head, *(line for lines, _, _ in rows for line in lines), "",
                  *(f"- {text}" for text in means), *quickest([(name, ratios, every) for name, _, ratios, every in measured])]
    return "\n".join(main_table) + "\n\n" + calls_beside_numba(seconds, word)


def contracted_beside_numba(seconds):
    """The tiers that differ in products whose sum is rounded with them; numba's fastmath contracts what its compiler likes."""
    ENGINES["contracted"] = tosajit.Engine(accuracy="contracted")
    print("| | elements | reproducible | contracted | numba | contracted / numba |\n|---|--:|--:|--:|--:|--:|")
    for case in [case for case in CHEAP if case[0] in ("clamps", "hard swish")] + [POLYNOMIAL]:
        for size, n in SIZES.items():
            some = {name: call for name, call in contenders(case, n).items() if name in ("fast", "contracted", "numba")}
            times = usual_times(some, seconds)
            fast, contracted, other = (1e6 * times[name] for name in ("fast", "contracted", "numba"))
            print(f"| {case[0]} | {size} | {fast:.2f} | {contracted:.2f} | {other:.2f} | {contracted / other:.2f} |", flush=True)


def write_page():
    """Puts the machine and the tables in place of those that the page has; its other text stays."""
    begin, end = "<!-- Written by bench/peers.py --page -->\n", "<!-- End -->\n"
    with open(PAGE) as file:
        before, rest = file.read().split(begin)
    with open(PAGE, "w") as file:
        file.write(f"{before}{begin}{machine()}\n\n{tables(0.5, '')}{end}{rest.split(end)[1]}")


def main():
    if "--page" in sys.argv:
        write_page()
        return
    if "--contracted" in sys.argv:
        contracted_beside_numba(1)
        return
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 0.3
    print(f"{machine()}\n\n{tables(seconds, sys.argv[2] if len(sys.argv) > 2 else '')}")


if __name__ == "__main__":
    main()

# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random functions of NumPy under tosajit.jit, beside the same without it: values, types, shapes,
what is changed in place, errors.

    python3 tests/tools/python_functions_test.py     # TOSAJIT_TEST_SECONDS=10, TOSAJIT_SEED=that of the clock
"""
import copy
import os
import random
import sys
import time
import warnings

import numpy as np

import tosajit

TYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
         "float16", "float32", "float64"]
UNARY = ["np.exp", "np.sqrt", "np.abs", "np.sign", "np.square", "np.floor", "np.isnan", "np.sin",
         "np.tanh", "-", "~", "+", "np.logical_not", "np.log1p", "np.rint",
         "np.nan_to_num", "np.zeros_like", "np.ones_like", "np.sinc", "np.expm1", "np.ravel",
         "np.fabs", "np.signbit", "abs"]
BINARY = ["{} + {}", "{} - {}", "{} * {}", "{} / {}", "{} // {}", "{} % {}", "{} ** 2 + {}",
          "{} < {}", "{} >= {}", "{} == {}", "np.maximum({}, {})", "np.minimum({}, {})",
          "np.where({} > 1, {}, 3)", "np.where({} > 1, 2, {})", "{} & {}", "{} | {}",
          "np.hypot({}, {})", "np.isclose({}, {})", "np.logical_and({}, {})", "np.fmax({}, {})",
          "np.copysign({}, {})", "np.clip({}, None, {})", "np.heaviside({}, {})",
          "np.divide({}, {})", "np.fmod({}, {})", "{} << ({} & 7)", "{} ** {}"]
REDUCE = ["sum", "mean", "max", "min", "prod", "any", "all", "std", "var", "ptp", "nansum",
          "nanmax", "nanmean", "count_nonzero", "average", "nanmin"]
VIEWS = ["{}.T", "{}[::-1]", "{}[1:]", "{}[:-1]", "{}[..., None]", "{}[None]", "{}[0]",
         "{}[..., -1]", "{}[..., ::2]", "{}.reshape(-1)", "{}.copy()", "np.flip({}, -1)",
         "{}[:, 0]",
         "np.squeeze({})", "np.expand_dims({}, -1)", "np.roll({}, 1)", "np.repeat({}, 2, axis=0)",
         "np.tile({}, 2)", "np.diff({}, axis=-1)", "np.swapaxes({}, 0, -1)", "{}.reshape(-1, 1)",
         "np.concatenate([{0}, {0}])", "np.stack([{0}, {0}], axis=-1)", "np.pad({}, 1)",
         "np.sort({}, axis=-1)", "np.cumsum({}, axis=0)", "np.atleast_2d({})",
         "{}.astype(np.float32)",
         "{}.astype(int)", "np.moveaxis({}, 0, -1)", "{0}[1:, ...] if {0}.ndim else {0}",
         "{0}[{0} > 1]", "np.argmax({}, axis=-1)", "np.broadcast_to({0}, (2,) + {0}.shape)",
         "np.zeros({}.shape)", "np.ones({}.shape, np.int32)", "np.float32({})", "np.int64({})",
         "np.full({0}.shape, {0}.ndim)"]
IN_PLACE = ["{} += {}", "{} *= 2", "{}[0] = {}", "{}[1:] = 1", "{}[{} > 1] = 2", "{}[...] = {}",
            "{} -= {}", "{}[..., 0] += 1", "{0}[{0} < 0] *= -1", "{}[::2] = 0",
            "{0}[1:] = {0}[:-1]", "{}[..., -1] = {}"]


def function(rng, names):
    """Lines of a function of some names."""
    lines, known = [], list(names)
    for k in range(rng.randrange(1, 7)):
        a, b = rng.choice(known), rng.choice([*known,
                                              rng.choice(["2", "0.5", "-1", "3", "True", "k"])])
        how = rng.random()
        if how < 0.2:
            name = rng.choice(UNARY)
            value = f"{name}({a})"
        elif how < 0.5:
            value = rng.choice(BINARY).format(*rng.choice([(a, b), (b, a)]))
        elif how < 0.65:
            value = f"np.{rng.choice(REDUCE)}({a}{rng.choice(['', ', axis=0', ', axis=-1', ', axis=0, keepdims=True', ', axis=None'])})"
        elif how < 0.85:
            value = rng.choice(VIEWS).format(a)
        else:
            lines.append(rng.choice(IN_PLACE).format(a, b))
            continue
        known.append(f"v{k}")
        lines.append(f"v{k} = {value}")
    results = rng.sample(known, min(len(known), rng.choice([1, 1, 2])))
    return lines + [f"return {', '.join(results)}"]


def array(rng, seed):
    dtype = np.dtype(rng.choice(TYPES))
    shape = rng.choice([(3, 4), (4,), (), (2, 3, 4), (3, 1), (1, 4), (0, 4), (5,), (4, 4)])
    values = np.random.default_rng(seed)
    if dtype.kind == "b":
        made = np.asarray(values.random(shape) > 0.5)
    elif dtype.kind in "iu":
        made = np.asarray(values.integers(0 if dtype.kind == "u" else -4, 6, shape)).astype(dtype)
    else:
        made = np.asarray(values.standard_normal(shape) * 2).astype(dtype)
        if made.size > 2 and rng.random() < 0.2:
            made[(0,) * made.ndim] = rng.choice([np.nan, np.inf, -np.inf, -0.0])
    return made


def outcome(call, args):
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return call(*args), None
        except Exception as error:
            return None, error


def casts_beyond(call, args):
    """True if a float is cast to a type of integers that has no such number. C leaves that open
    (python.md)."""
    with np.errstate(all="ignore", invalid="warn"), warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        try:
            call(*args)
        except Exception:
            pass
    return any("in cast" in str(warning.message) for warning in seen)


def differs(found, wanted, loose):
    if type(wanted) is tuple:
        if type(found) is not tuple or len(found) != len(wanted):
            return f"{type(found).__name__} instead of a tuple"
        return next(filter(None, (differs(f, w, loose) for f, w in zip(found, wanted))), "")
    if type(found) is not type(wanted):
        return f"{type(found).__name__} instead of {type(wanted).__name__}"
    if not isinstance(wanted, (np.ndarray, np.generic)):
        return "" if found == wanted else f"{found} instead of {wanted}"
    if (found.dtype, found.shape) != (wanted.dtype, wanted.shape):
        return f"{found.dtype} {found.shape} instead of {wanted.dtype} {wanted.shape}"
    if wanted.dtype.kind != "f":
        same = np.asarray(found == wanted)
        return "" if same.all() or loose else f"{found} instead of {wanted}"
    close = max({"float16": 2e-2, "float32": 2e-4}.get(wanted.dtype.name, 1e-9), loose)
    with np.errstate(all="ignore"):
        far = ~np.isclose(found, wanted, close, close, equal_nan=True)
    return "" if not far.any() or loose == 1e300 else f"{found} instead of {wanted}"


def check(seed):
    """What is wrong, or nothing; and how it was computed."""
    rng = random.Random(seed)
    names = ["a", "b", "c"][:rng.randrange(1, 4)]
    lines = function(rng, names)
    text = f"def f({', '.join(names)}, k):\n    " + "\n    ".join(lines) + "\n"
    space = {"np": np}
    exec(text, space)
    plain = space["f"]
    jitted = tosajit.jit(plain)
    operands = [array(rng, seed + i) for i, _ in enumerate(names)] + [rng.choice([2, 0.5, -1.5])]
    if rng.random() < 0.3 and len(names) > 1:
        operands[1] = operands[0]
    # Sums and functions are rounded otherwise; what compares, cuts or amplifies that is judged by
    # types and shapes alone.
    half = any(getattr(a, "dtype", None) == np.float16 for a in operands)
    loose = any(word in text for word in ("<", ">", "==", "//", "%", "sign", "floor", "rint",
                                          "astype", "& ", "| ", "sort", "argmax", "isclose",
                                          "heaviside", "any", "all", "fmod", "where", "[a", "[v",
                                          "zero", "int64"))
    loose = (1e300 if loose or half or "**" in text or "prod" in text or "exp" in text
             else 1e-3 if "float32" in text or any(getattr(a, "dtype", None) == np.float32
                                                   for a in operands) else 0)
    for again in range(3):
        mine, theirs = copy.deepcopy(operands), copy.deepcopy(operands)
        found, error = outcome(jitted, mine)
        wanted, other = outcome(plain, theirs)
        what = ""
        if isinstance(error, tosajit.Error) and not isinstance(other, tosajit.Error):
            what = f"refused: {error}"
        elif (error is None) != (other is None) or type(error) is not type(other):
            what = f"{error!r} instead of {other!r}"
        elif error is None:
            what = differs(found, wanted, loose) or differs(tuple(mine), tuple(theirs), loose)
            what = "" if what and casts_beyond(plain, copy.deepcopy(operands)) else what
        if what:
            return (f"seed {seed}, call {again + 1}: {what}\n{text}# "
                    + ", ".join(f"{getattr(a, 'dtype', '')} {np.shape(a)}" for a in operands), 0)
    return "", bool(jitted.kernels)


if __name__ == "__main__":
    if sys.argv[1:]:
        print(check(int(sys.argv[1]))[0] or "nothing")
        sys.exit()
    seed = int(os.environ.get("TOSAJIT_SEED", time.time() * 1000)) * 1_000_000
    end, count, kernels, found = (time.monotonic()
                                  + float(os.environ.get("TOSAJIT_TEST_SECONDS", 10)), 0, 0, [])
    while time.monotonic() < end and len(found) < int(os.environ.get("TOSAJIT_FINDINGS", 1)):
        what, by_kernel = check(seed + count)
        found += [what] if what else []
        count, kernels = count + 1, kernels + by_kernel
    print("\n\n".join(found) or f"{count} functions, {kernels} of them by kernels")
    sys.exit(bool(found))

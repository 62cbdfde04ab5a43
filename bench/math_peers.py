# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Libraries of functions of arrays in C and C++, as peers from Python: MKL's VML, and Highway's
contrib/math, of which g++ compiles loops here.

`of(name, arrays, out)` gives calls by peer, of a NumPy ufunc's name; they write to `out`. MKL is
libmkl_rt of this environment (pip install mkl), or the file that MKL_RT names. It is at its
default accuracy of 1 ulp and has one thread. Highway is /usr/include/hwy (apt install libhwy-dev),
or the folder that HIGHWAY names."""
import ctypes
import glob
import os
import subprocess
import sys
import tempfile

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
VML = {"exp": "Exp", "exp2": "Exp2", "expm1": "Expm1", "log": "Ln", "log2": "Log2",
       "log10": "Log10", "log1p": "Log1p", "sin": "Sin", "cos": "Cos", "tan": "Tan",
       "sinh": "Sinh", "cosh": "Cosh", "tanh": "Tanh", "arcsin": "Asin", "arccos": "Acos",
       "arctan": "Atan", "arcsinh": "Asinh", "arccosh": "Acosh", "arctanh": "Atanh",
       "cbrt": "Cbrt", "sqrt": "Sqrt", "erf": "Erf", "arctan2": "Atan2", "hypot": "Hypot",
       "power": "Pow", "rsqrt": "InvSqrt", "floor": "Floor", "ceil": "Ceil", "rint": "Rint",
       "trunc": "Trunc", "square": "Sqr", "fabs": "Abs", "absolute": "Abs", "add": "Add",
       "subtract": "Sub", "multiply": "Mul", "divide": "Div", "fmax": "Fmax", "fmin": "Fmin",
       "reciprocal": "Inv", "copysign": "CopySign", "nextafter": "NextAfter", "fmod": "Fmod"}
HIGHWAY = ("exp", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "sinh", "tanh", "arcsin",
           "arccos", "arctan", "arcsinh", "arccosh", "arctanh")


def load_mkl():
    os.environ.setdefault("MKL_THREADING_LAYER", "SEQUENTIAL")
    files = [os.environ.get("MKL_RT"), *sorted(glob.glob(f"{sys.prefix}/lib/libmkl_rt.so*"))]
    for file in filter(None, files):
        try:
            return ctypes.CDLL(file)
        except OSError as error:
            print(f"absent: {file}: {error}", file=sys.stderr)
    return None


def load_highway():
    """For the CPU that TOSAJIT_CPU names, or this one."""
    folder = os.environ.get("HIGHWAY", "/usr/include")
    if not os.path.exists(f"{folder}/hwy/contrib/math/math-inl.h"):
        return None
    library = os.path.join(tempfile.mkdtemp(), "highway.so")
    subprocess.run(["g++", "-O3", f"-march={os.environ.get('TOSAJIT_CPU', 'native')}", "-shared",
                    "-fPIC", f"-I{folder}", os.path.join(HERE, "math_highway.cc"), "-o", library],
                   check=True)
    return ctypes.CDLL(library)


MKL, HWY = load_mkl(), load_highway()


def of(name, arrays, out):
    """Calls by peer, of f32 and f64 arrays of one dimension."""
    calls = {}
    letter = {np.dtype(np.float32): "s", np.dtype(np.float64): "d"}.get(out.dtype)
    if letter is None or any(array.dtype != out.dtype for array in arrays):
        return calls
    pointers = [ctypes.c_void_p(array.ctypes.data) for array in (*arrays, out)]
    function = MKL and getattr(MKL, f"v{letter}{VML.get(name)}", None)
    if function:
        calls["MKL"] = lambda: (function(ctypes.c_int(out.size), *pointers), out)[1]
    if HWY and name in HIGHWAY:
        loop = getattr(HWY, f"{name}_{letter}")
        calls["Highway"] = lambda: (loop(*pointers, ctypes.c_long(out.size)), out)[1]
    return calls


def words():
    """The peers that are here, for a page."""
    return ", ".join(name for name, library in (("MKL VML", MKL), ("Highway", HWY)) if library)

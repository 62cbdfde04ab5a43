#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ONNX models of many kinds in ONNX Runtime, as they are and as regions: calls and sessions of bench/onnx_models.py, the ways in which the
# code of a session comes, and images. As Markdown on standard output; progress is told on standard error. Models and engine come from pip
# into BUILD/tests/onnx/engine, as for the tests.
# usage: sh bench/onnx.sh [build directory] [pattern]         (about ten minutes without a pattern)
#        sh bench/onnx.sh --write [build directory]           into bench/onnx.md, and its figures into the tables of docs/onnx.md
#   PYTHON=python3        a Python with onnxruntime and onnx, and with torch and openvino, which bring more models and a column
#   ONNX_MODELS="--seconds 0.5 --rounds 1"                    options of bench/onnx_models.py
#   RUN="taskset -c 1"    what stands before the measurement of sessions and images
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
    # model, regions, one and two threads, what a control shows, OpenVINO, session
    table() { awk -v heading="## $1" '/^## / { within = $0 == heading } within && /^\|/' "$source/bench/onnx.md"; }
    table Calls | awk -F ' *\\| *' 'NF > 12 { print "| " $2 " | " $3 " | " $5 " | " $6 " | " $7 " | " $8 " | " $9 " | " $11 " |" }' |
        sed 's/^| ---.*/|---|---|---|---|---|---|---|---|/' | renew calls
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
sh "$source/tests/onnx/engine.sh" "$engine" python3 bench >&2
python=${PYTHON:-$engine/bin/python3}
export TOSAJIT_PYTHON="$python"

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

engine_version=$("$python" -c 'import onnxruntime; print(onnxruntime.__version__)')
processor=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
cat <<END
# ONNX models

Made by \`sh bench/onnx.sh --write\` on $(date +%Y-%m-%d), $processor, ONNX Runtime $engine_version.

## Calls

END
# shellcheck disable=SC2086 # lists of words
"$python" "$source/bench/onnx_models.py" "$build" --packages "$engine/models" --made "$build/bench/models" --only "$pattern" ${ONNX_MODELS:-}
ocr=$engine/models/rapidocr_onnxruntime/models
wake=$engine/models/openwakeword/resources/models
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

#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Converted models in ONNX Runtime, beside the models themselves: one for each operator, which onnx_test.sh has left in OPERATORS, and real
# ones. tests/onnx/engine.sh has made the folder ENGINE, which has the engine and these.
#   sh tests/tools/onnx_engine_test.sh BUILD_DIRECTORY SOURCE_DIRECTORY ENGINE OPERATORS
set -eu
build=$(cd "$1" && pwd)
source=$(cd "$2" && pwd)
python=$3/bin/python3 models=$3/models operators=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PYTHONPATH="$build/tools/python" PYTHONDONTWRITEBYTECODE=1 TOSAJIT_PYTHON="$python"

# NAME REGIONS OPTION...: a model that has so many regions at least, and gives the same with them.
same() {
    model=$1 least=$2
    shift 2
    "$build/tools/tosajit" onnx "$model" -o "$work/out.onnx" --json --check "$@" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
    regions=$(grep -o '"expression"' "$work/log" | wc -l)
    [ "$regions" -ge "$least" ] || { echo "$model: $regions regions, not $least"; exit 1; }
}

# The same with code in the model, by the session that compiles nothing: NAME REGIONS OPTION...
brings() {
    export TOSAJIT_VERBOSE=1
    same "$@" --targets v2,v3
    unset TOSAJIT_VERBOSE
    images=$(sed -n 's/.*"images": \([0-9]*\).*/\1/p' "$work/log")
    [ "$images" -ge 1 ] && [ "$images" -le "$regions" ] || { echo "$1: $images images for $regions regions"; exit 1; }
    if grep 'tosajit: compile .* native' "$work/log" | grep -v 'from the cache'; then echo "$1: a session compiles what the model brings"; exit 1; fi
}

mkdir "$work/scratch" "$work/joined"
blocks=$("$python" "$source/tests/tools/onnx_layout_test.py" "$build/tools/tosajit" "$work/scratch")
"$python" "$source/tests/tools/onnx_join.py" "$operators" "$work/joined" >"$work/groups"
made=0
while read -r model count; do
    same "$model" "$count" --min-ops 0 --min-bytes 0
    made=$((made + count))
done <"$work/groups"
[ "$made" -ge 90 ] || { echo "$made operators only"; exit 1; }

ocr=$models/rapidocr_onnxruntime/models wake=$models/openwakeword/resources/models
same "$ocr/ch_PP-OCRv4_det_infer.onnx" 30 --size x:0=1 --size x:2=320 --size x:3=320
# Regions share images.
brings "$ocr/ch_PP-OCRv4_det_infer.onnx" 30 --size x:0=1 --size x:2=320 --size x:3=320
[ "$images" -lt "$regions" ] || { echo "$images images for $regions regions"; exit 1; }
# In graphs within nodes, too; and of another accuracy.
for model in If Loop; do brings "$operators/within-$model.onnx" 1 --min-ops 0 --min-bytes 0; done
vad=$wake/silero_vad.onnx
brings "$vad" 8 --optimize --size batch=1 --size sequence=512
brings "$ocr/ch_PP-OCRv4_rec_infer.onnx" 25 --accuracy reproducible --size x:0=1 --size x:2=48 --size x:3=320
# Words that are wrong are refused before anything is written.
refused() {
  words=$1; shift
  rm -f "$work/refused.onnx"
  "$build/tools/tosajit" onnx "$vad" -o "$work/refused.onnx" "$@" >"$work/log" 2>&1 && { echo "accepted: $*"; exit 1; }
  grep -qF -e "$words" "$work/log" && [ ! -e "$work/refused.onnx" ] || { echo "$words:"; cat "$work/log"; exit 1; }
}
refused 'sr=b.npy: this input is given twice' --check --input sr=a.npy --input sr=b.npy
refused '--input takes NAME=A.npy, not a.npy' --check --input a.npy
refused '--size batch=2: this size is given twice' --bench --size batch=1 --size batch=2
refused '--size takes NAME=N, not batch=0' --check --size batch=0
refused '--size is for --check and --bench' --size batch=1
refused '--min-ops needs a value, N' --min-ops ''
same "$ocr/ch_PP-OCRv4_rec_infer.onnx" 25 --size x:0=1 --size x:2=48 --size x:3=320
# A converted model is converted again, and optimised, and compared: what the engine joins leaves more regions.
mv "$work/out.onnx" "$work/again.onnx"
same "$work/again.onnx" 20 --optimize --size x:0=1 --size x:2=48 --size x:3=320
mv "$work/out.onnx" "$work/again.onnx"
same "$work/again.onnx" 0 --optimize --size x:0=1 --size x:2=48 --size x:3=320
[ "$regions" -eq 0 ] && grep -q ': at most 0 apart' "$work/log" || { cat "$work/log"; exit 1; }
same "$ocr/ch_ppocr_mobile_v2.0_cls_infer.onnx" 15 --size x:0=1 --size x:2=48 --size x:3=192
same "$vad" 0 --size batch=1 --size sequence=256
same "$wake/melspectrogram.onnx" 2 --size batch_size=1 --size samples=17280
same "$wake/embedding_model.onnx" 0 --size input_1:0=1
echo "$made operators, 6 models, ${blocks:?}"

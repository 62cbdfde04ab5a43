#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What a user does with tosajit, in one of its forms: each row of the table in docs/install.md is a
# function here. What a form has not is said.
#   sh tests/install/user_list.sh FORM DOCUMENTS TESTS
# In: FORM, a column of that table, which the shell finds already as that page says; DOCUMENTS:
# README.md, docs and examples; TESTS, the folder tests; PYTHONS, the interpreters to try; ENGINE, a
# virtual environment with ONNX Runtime. The current directory is empty.
# Out: a line for each row; exit code 1, and what was said, if one fails.
set -eu
form=$1 documents=$2 tests=$3

first=$documents/docs/first-steps.md
# block LANGUAGE [NUMBER] [PAGE]: that block of docs/first-steps.md, or of another page.
block() { awk -v fence="\`\`\`$1" -v number="${2:-1}" \
    '/^```/ { on = $0 == fence && ++count == number; next } on' "${3:-$first}"; }
# lines PATTERN: what that page has a user type after four spaces, without what stands beside it.
lines() {
    awk -v pattern="^    $1" '$0 ~ pattern { sub(/^ */, ""); sub(/(  +| +#).*/, ""); print }' \
        "$first"; }
# is WANTED COMMAND...: it prints that, and nothing else.
is() {
    wanted=$1
    shift
    "$@" >found || { cat found; echo "FAILED: $*"; exit 1; }
    [ "$(cat found)" = "$wanted" ] || {
        cat found; echo "FAILED: $* does not print $wanted"; exit 1
    }
}

do_command() {
    lines 'tosajit( [^o]| *$)' |
        sed \
        "s,FILE,$documents/examples/gelu_bias.mlir,; s,--input A.npy,--input $documents/examples/gelu_x.npy --input $documents/examples/gelu_bias.npy," >typed
    lines 'tosajit outline' | sed "s,MODEL,$documents/examples/engine/mlp.mlir," >>typed
    [ "$(wc -l <typed)" -ge 9 ]
    awk '/^    tosajit> / { sub(/^ *tosajit> /, ""); print }' "$first" >formulas
    [ -s formulas ]
    sh -eux typed <formulas
    [ -s R.npy ] && [ -s OUT.svg ]
    ln -s "$(command -v tosajit)" elsewhere # where it is does not come from its name
    TOSAJIT_VERBOSE=1 ./elsewhere -c 'y = exp(x) : f32[?]' -c ':run [0]' 2>&1 | grep ' native'
}

do_pages() {
    cp -r "$documents/examples" .
    for page in tour repl language a-call engine-authors; do
        sh "$tests/tools/follow.sh" "$documents/docs/$page.md" 3
    done
}

do_ONNX() {
    cp "$documents/examples/swish.onnx" model.onnx
    export TOSAJIT_PYTHON="$ENGINE/bin/python3"
    lines 'tosajit onnx' | sed 's,MODEL,model.onnx,' >typed
    [ "$(wc -l <typed)" = 2 ]
    sh -eux typed
    [ -s faster.onnx ] && [ -s OUT.onnx ]
}

programs() {
    block c >app.c
    block cpp >app.cc
    [ -s app.c ] && [ -s app.cc ]
}

# shellcheck disable=SC2046 # words on purpose
do_pkg_config() {
    unset CPATH LIBRARY_PATH # of the pages
    programs
    cc -std=c11 app.c $(pkg-config --cflags --libs tosajit) -o app
    is '11 22 33' ./app
    c++ -std=c++17 app.cc $(pkg-config --cflags --libs tosajit) -o app_cc
    is 0.5 ./app_cc
    cc "$tests/install/consumer/consumer.c" $(pkg-config --cflags --libs tosajit) -o consumer
    ./consumer image
    cc "$tests/install/consumer/runtime.c" $(pkg-config --cflags --libs tosajit-runtime) -o runtime
    ./runtime image
    cc "$tests/install/consumer/mlir.c" $(pkg-config --cflags --libs tosajit-mlir) -o reader
    ./reader "$tests/install/consumer/twice.mlir"
}

# That page's lines, each in a project: its program in C, in C++, and one that reads a TOSA file.
do_CMake() {
    unset CPATH LIBRARY_PATH LD_LIBRARY_PATH
    programs
    cp "$tests/install/consumer/mlir.c" app_mlir.c
    mv app.cc app_cc.cc
    # project NAME BLOCK FILE
    project() {
        mkdir "$1"
        block cmake "$2" | sed "s,app,$1,; s,^target_link,add_executable($1 ../$3)\n&," \
            >"$1/CMakeLists.txt"
        echo "add_subdirectory($1)"
    }
    {
        printf \
            'cmake_minimum_required(VERSION 3.16)\nproject(all LANGUAGES C CXX)\nset(CMAKE_RUNTIME_OUTPUT_DIRECTORY %s)\n' "$PWD/bin"
      project app 1 app.c
      project app_cc 1 app_cc.cc
      project app_mlir 2 app_mlir.c; } >CMakeLists.txt
    cmake -S . -B build
    cmake --build build
    is '11 22 33' bin/app
    is 0.5 bin/app_cc
    bin/app_mlir "$tests/install/consumer/twice.mlir"
}

# That page's five lines. Who has installed tosajit begins with the third one.
do_without_LLVM() {
    programs
    sed -n '/^### Without LLVM/,/^#\{2,3\} [^W]/{ /^    [^ ]/s/^    //p; }' "$first" >typed
    [ "$(wc -l <typed)" = 5 ]
    if [ "$form" = 'build tree' ]; then ln -s "$documents/build" .; else
        sed -i '/^cmake --install\|^export PKG/d' typed; fi
    sh -eux typed >out
    if ldd app | grep -E 'LLVM|tosajit'; then exit 1; fi
    grep -qx '11 22 33' out
}

do_loader() {
    programs
    sh "$tests/tools/follow.sh" "$documents/docs/install.md" 12
}

do_engine() {
    unset CPATH LIBRARY_PATH LD_LIBRARY_PATH
    cmake -S "$documents/examples/engine" -B build
    cmake --build build
    sh "$documents/examples/engine/test.sh" "$documents/examples/engine" build/engine
}

do_Python() {
    awk '/^```/ { code = $0 == "```python" && !code; next } code' "$documents/docs/python.md" \
        >page.txt
    block python 1 "$documents/README.md" >readme.py
    [ -s page.txt ] && [ -s readme.py ]
    with_numpy=0
    for python in $PYTHONS; do
        is '[2.0, 4.0]' "$python" -c \
            'import array, tosajit; print(tosajit.evaluate("x + x", x=array.array("f", [1, 2])).tolist())'
        "$python" -c 'import numpy' 2>/dev/null || continue
        "$python" -m doctest -o ELLIPSIS page.txt
        "$python" -c "$(cat readme.py); assert z.shape == w.shape == (4, 64)"
        with_numpy=$((with_numpy + 1))
    done
    [ $with_numpy -ge 1 ]
}

do_manual() {
    export MANWIDTH=80
    man tosajit | col -b | grep -q 'tosajit verify examples'
    man libtosajit | col -b | grep -q tosajit_compile_expr
    man libtosajit-mlir | col -b | grep -q tosajit_mlir_outline
}

do_completion() {
    at=$(dirname "$(command -v tosajit)")/..
    for file in "$at/completions/tosajit" "$at/share/bash-completion/completions/tosajit"; do
        [ ! -e "$file" ] || found=$file
    done
    # shellcheck disable=SC2016 # of bash
    is 'verify version' bash -c \
        '. "$1"; complete -p tosajit >/dev/null; COMP_WORDS=(tosajit ver) COMP_CWORD=1; _tosajit; echo "${COMPREPLY[@]}"' - "${found:?}"
}

here=$PWD
mkdir rows
awk -F ' *[|] *' -v form="$form" '
    /^[|] what [|]/ { for (k = 1; k <= NF; k++) if ($k == form) column = k; next }
    column && !/^[|]/ { exit }
    column && !/^[|]-/ { sub(/:.*/, "", $2); print $2 "\t" $column }' "$documents/docs/install.md" >table
# The table names what is here to be done, and the other way round.
cut -f 1 table | sed 's/[^A-Za-z]/_/g' | sort >named
sed -n 's/^do_\([A-Za-z_]*\)() {/\1/p' "$0" | sort | diff named - || {
    echo "FAILED: docs/install.md and $0 do not name the same"; exit 1
}
failed=0
while IFS="$(printf '\t')" read -r row has; do
    case $has in
    yes) ;;
    no:*) echo "$form: $row: not in this form: ${has#no: }"; continue ;;
    *) echo "FAILED: docs/install.md has neither yes nor no for $row"; failed=1; continue ;;
    esac
    function=do_$(echo "$row" | sed 's/[^A-Za-z]/_/g')
    mkdir "rows/$function"
    began=$(date +%s)
    set +e # in a condition the shell would go on behind what fails
    (cd "rows/$function" && set -e && "$function") </dev/null >log 2>&1
    code=$?
    set -e
    if [ $code = 0 ]; then
        echo "$form: $row: $(($(date +%s) - began)) s"
    else
        failed=1
        tail -40 log
        echo "FAILED: $form: $row"
    fi
    cd "$here"
done <table
exit $failed

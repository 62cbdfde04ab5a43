#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What it takes a process to load the library that compiles, and to make its first kernel, in builds
# with and without LLVM within:
#     cmake --preset release -B build-static -DTOSAJIT_STATIC_LLVM=ON && cmake --build build-static --target tosajit_shared
#     sh bench/loading.sh build build-static
# usage: sh bench/loading.sh BUILD...            milliseconds, medians of nine processes in turns
#   RUN="taskset -c 1"    what stands before each process
set -eu
[ $# -ge 1 ] || { sed -n 's/^# usage: //p' "$0" >&2; exit 2; }
source=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/main.c" <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <tosajit/tosajit.h>
static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}
int main(int argc, char **argv) { /* a text, or the path of a library */
    const tosajit_engine_options options = {.size = sizeof options, .backend = TOSAJIT_BACKEND_NATIVE};
    tosajit_engine *engine;
    tosajit_expr *expr;
    tosajit_kernel *kernel;
    const double start = now();
    if (argc < 2) return 2;
    if (argv[1][0] == '/') {
        if (!dlopen(argv[1], RTLD_NOW | RTLD_LOCAL)) return puts(dlerror()), 1;
    } else if (tosajit_engine_create(&options, &engine) || tosajit_expr_parse(argv[1], strlen(argv[1]), NULL, &expr) ||
               tosajit_compile_expr(engine, expr, &kernel)) {
        return puts(tosajit_last_error()), 1;
    }
    printf("%.2f\n", now() - start);
    return 0;
}
END
# FOLDER/main and FOLDER/libtosajit-codegen.so of each build
folders=
for build; do
    [ -e "$build/jit/libtosajit-codegen.so" ] || {
        echo "$build: nothing built there; cmake --build $build --target tosajit_shared" >&2; exit 1
    }
    from=$(cd "$build/jit" && pwd)
    folder=$work/$(echo "$from" | tr / _)
    mkdir "$folder"
    ln -s "$from/libtosajit-codegen.so" "$folder/"
    cc -O1 -I"$source/include" "$work/main.c" -o "$folder/main" -L"$from" -ltosajit -ldl \
        -Wl,-rpath,"$from"
    folders="$folders $folder"
done
echo "| a process | $* |"
for what in loads 'x: f32[?,64], b: f32[64]; x + b' \
    'x: f32[?,64], b: f32[64]; x * sigmoid(x + b)'; do
    for round in 0 1 2 3 4 5 6 7 8 9; do # the first one reads files
        for folder in $folders; do
            word=$what
            [ "$what" != loads ] || word=$folder/libtosajit-codegen.so
            took=$(${RUN:-} "$folder/main" "$word") || { echo "$took" >&2; exit 1; }
            [ "$round" = 0 ] || echo "$took" >>"$folder/$round.figures"
        done
    done
    line="| $what |"
    for folder in $folders; do
        line="$line $(cat "$folder"/*.figures | sort -n | sed -n 5p) |"
        rm "$folder"/*.figures
    done
    echo "$line"
done

#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Install into a fresh place, move it, and build and run a project against it.
#   sh tests/install/install_test.sh BUILD_DIRECTORY CONSUMER_DIRECTORY
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$1" --prefix "$work/first" >"$work/log"
mv "$work/first" "$work/moved" # nothing may depend on where it was installed
cmake -S "$2" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/moved" >>"$work/log" || {
    cat "$work/log"; exit 1
}
cmake --build "$work/build" >>"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
for kind in shared static; do "$work/build/consumer_$kind" "$work/image_$kind"; done
"$work/build/consumer_ops" | grep -q 'native: 0' || { echo "consumer_ops compiles"; exit 1; }
for kind in runtime runtime_static both; do
  for image in shared static; do "$work/build/consumer_$kind" "$work/image_$image"; done
done
[ ! -x "$work/moved/bin/tosajit" ] || "$work/build/consumer_aot" || {
    echo "a rule of a build makes no object"; exit 1
}
mlir=$(find "$work/moved" -name libtosajit-mlir.so.0)
if [ -n "$mlir" ]; then # what the reader is for; nothing else needs it
  "$work/build/consumer_mlir" "$2/twice.mlir"
  engine=$2/../../../examples/engine
  cmake -S "$engine" -B "$work/engine" -DCMAKE_PREFIX_PATH="$work/moved" >>"$work/log" || {
      cat "$work/log"; exit 1
  }
  cmake --build "$work/engine" >>"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
  sh "$engine/test.sh" "$engine" "$work/engine/engine"
  for kind in shared static runtime runtime_static both; do
    if ldd "$work/build/consumer_$kind" | grep -i mlir; then
        echo "consumer_$kind needs too much"; exit 1
    fi
  done
  cc "$2/mlir.c" -o "$work/mlir_by_pkg_config" \
      $(PKG_CONFIG_PATH=$(dirname "$mlir")/pkgconfig pkg-config --cflags --libs tosajit-mlir) \
    -Wl,-rpath,"$(dirname "$mlir")"
  "$work/mlir_by_pkg_config" "$2/twice.mlir" >/dev/null
  echo '#include <tosajit/mlir.h>' | c++ -x c++ -std=c++11 -Wall -Wextra -Werror -fsyntax-only \
      -I"$work/moved/include" -
else
  [ ! -e "$work/build/consumer_mlir" ] || { echo "a reader without its library"; exit 1; }
fi
# Whoever asks for what is not there is told where it is to be had.
mkdir "$work/bare"
cp -r "$work/moved" "$work/less"
find "$work/less" -name 'tosajitMlir*' -exec rm {} +
for component in mlir abacus; do
  printf \
      'cmake_minimum_required(VERSION 3.16)\nproject(bare C)\nfind_package(tosajit REQUIRED COMPONENTS %s)\n' $component >"$work/bare/CMakeLists.txt"
  if cmake -S "$work/bare" -B "$work/bare/$component" -DCMAKE_PREFIX_PATH="$work/less" \
      >"$work/out" 2>&1; then
    echo "the component $component was found"; exit 1
  fi
  case $component in mlir) \
      advice=libtosajit-mlir-dev ;; *) advice="there are runtime, ops, core, mlir" ;; esac
  grep -q "$advice" "$work/out" || { cat "$work/out"; exit 1; }
done
for kind in runtime runtime_static ops; do # the runtime stands alone, wherever it is
  if ldd "$work/build/consumer_$kind" | grep LLVM; then
      echo "consumer_$kind needs too much"; exit 1
  fi
done
for archive in libtosajit.a libtosajit-ops.a libtosajit-runtime.a; do
  foreign=$(nm -g --defined-only "$(find "$work/moved" -name $archive)" |
      awk 'NF == 3 && $3 !~ /^tosajit_/ { print $3 }')
  [ -z "$foreign" ] || { echo "$archive exports $foreign"; exit 1; }
done
for name in libtosajit libtosajit-ops libtosajit-runtime libtosajit-codegen \
    ${mlir:+libtosajit-mlir}; do
  library=$(find "$work/moved" -name $name.so.0)
  foreign=$(nm -D --defined-only "$library" | awk \
      '$2 != "A" && $3 !~ /^tosajit_[a-z0-9_]*@@TOSAJIT_(0.1|PRIVATE)$/ { print $3 }')
  [ -z "$foreign" ] || { echo "$library exports $foreign"; exit 1; }
  objdump -p "$library" | grep -q "SONAME *$name.so.0$" || {
      echo "$library has no SONAME"; exit 1
  }
  readelf -d "$library" | grep -q NODELETE || { echo "$library can be unloaded"; exit 1; }
  if [ $name != libtosajit-codegen ] && [ $name != libtosajit-mlir ] && ldd "$library" |
      grep LLVM; then echo "$library needs LLVM"; exit 1; fi
done
runtime=$(find "$work/moved" -name libtosajit-runtime.so.0)
strip -o "$work/stripped" "$(readlink -f "$runtime")"
size=$(wc -c <"$work/stripped")
# Clang's code of the same source is a tenth larger than GCC's, of which the packages are made.
case $(readelf -p .comment "$runtime") in *clang*) most=259072 ;; *) most=249856 ;; esac
[ "$size" -le $most ] || { echo "libtosajit-runtime.so has $size bytes, of $most"; exit 1; }
echo "libtosajit-runtime.so: $size bytes"
# pkg-config finds the same, for the runtime without LLVM.
config=$(dirname "$(find "$work/moved" -name tosajit-runtime.pc)")
PKG_CONFIG_PATH=$config
export PKG_CONFIG_PATH
# shellcheck disable=SC2046 # words on purpose
cc "$2/runtime.c" -o "$work/by_pkg_config" $(pkg-config --cflags --libs tosajit-runtime) \
    -Wl,-rpath,"$(dirname "$runtime")"
"$work/by_pkg_config" "$work/image_shared"
# With --static it names all that the archives need. Where there is no shared library, the linker
# takes the archive.
cp -r "$work/moved" "$work/archives"
find "$work/archives" -name 'lib*.so*' -exec rm {} +
PKG_CONFIG_PATH=$(dirname "$(find "$work/archives" -name tosajit.pc)")
# shellcheck disable=SC2046
cc "$2/consumer.c" -o "$work/archive" $(pkg-config --static --cflags --libs tosajit)
# shellcheck disable=SC2046
cc "$2/runtime.c" -o "$work/small_archive" $(pkg-config --static --cflags --libs tosajit-runtime)
# shellcheck disable=SC2046
cc "$2/consumer.c" -o "$work/ops_archive" $(pkg-config --cflags --libs tosajit-ops)
"$work/ops_archive" | grep -q 'native: 0' || { echo "libtosajit-ops.a compiles"; exit 1; }
# shellcheck disable=SC2046
c++ -std=c++17 "$2/../../api/cxx_test.cc" -o "$work/cxx" \
    $(PKG_CONFIG_PATH=$config pkg-config --cflags --libs tosajit) -Wl,-rpath,"$(dirname "$runtime")"
"$work/cxx" "$work/image_cxx"
"$work/archive" "$work/image_archive"
"$work/small_archive" "$work/image_archive"
# The licence comes with what it is the licence of.
find "$work/moved" -path '*/doc/*/LICENSE' | grep -q . || {
    echo "LICENSE is not installed"; exit 1
}
# A program is built where no LLVM is to be found, but for the archive that has the compiler.
cmake -S "$2" -B "$work/without" -DCMAKE_PREFIX_PATH="$work/moved" -DTOSAJIT_LLVM_ROOT=/nowhere \
    -DCMAKE_DISABLE_FIND_PACKAGE_LLVM=ON >"$work/out" 2>&1 &&
  cmake --build "$work/without" --target consumer_shared consumer_ops >>"$work/out" 2>&1 ||
  { cat "$work/out"; exit 1; }
# Without its other half, libtosajit computes by precompiled ops, and says what is missing to those
# who ask.
rm "$(dirname "$runtime")"/libtosajit-codegen.so*
TOSAJIT_VERBOSE=1 "$work/build/consumer_shared" >"$work/out" 2>&1 || { cat "$work/out"; exit 1; }
grep -q 'native: 0' "$work/out" && grep -q libtosajit-codegen.so.0 "$work/out" || {
    cat "$work/out"; exit 1
}
"$work/build/consumer_runtime" "$work/image_shared"
# The components of an installation: what computes brings no compiler with it.
cmake --install "$1" --prefix "$work/component" --component library >"$work/log"
[ -z "$(find "$work/component" -name '*codegen*')" ] || {
    echo "the component library brings the compiler"; exit 1
}
cmake --install "$1" --prefix "$work/component" --component codegen >"$work/log"
[ -n "$(find "$work/component" -name 'libtosajit-codegen.so.0')" ] || {
    echo "the component codegen has no compiler"; exit 1
}
# The operators for ONNX Runtime without a compiler are one file.
if grep -q 'TOSAJIT_BUILD_ONNXRUNTIME:BOOL=ON' "$1/CMakeCache.txt"; then
  cmake --install "$1" --prefix "$work/alone" --component onnxruntime >"$work/log"
  operators=$(find "$work/alone" -type f ! -name LICENSE)
  [ "$(basename "$operators")" = libtosajit-onnxruntime-ops.so ] || {
      echo "the component onnxruntime is $operators"; exit 1
  }
  if ldd "$operators" | grep -E 'LLVM|tosajit'; then
      echo "the operators without a compiler need too much"; exit 1
  fi
fi

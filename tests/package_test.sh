#!/bin/sh
# The Debian packages: made, accepted by apt, unpacked, used; the man pages; the reference.
#   sh tests/package_test.sh BUILD_DIRECTORY SOURCE_DIRECTORY
set -eu
build=$1 source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "$1"; exit 1; }
run() { "$@" >"$work/log" 2>&1 || { cat "$work/log"; fail "$* failed"; }; }
for tool in cpack dpkg-deb dpkg-shlibdeps file apt-get mandoc doxygen pkg-config; do
    command -v "$tool" >/dev/null || fail "$tool is missing: sh tools/install-dependencies.sh"
done

(cd "$build" && run cpack -B "$work/packages")
set -- "$work"/packages/*.deb
[ $# = 6 ] || fail "expected six packages, found $*"
run apt-get install --simulate "$@" # every dependency exists, and nothing conflicts
for package; do dpkg-deb -x "$package" "$work/root"; done
# MLIR comes with what reads TOSA files, and with nothing else.
for package; do
    needs=$(dpkg-deb -f "$package" Depends)
    case ${package##*/} in
    libtosajit-mlir*_*|tosajit_*) echo "$needs" | grep -q mlir || fail "$package does not ask for MLIR" ;;
    *) echo "$needs" | grep mlir && fail "$package asks for MLIR" ;;
    esac
done

# What a user does with them.
library=$(dirname "$(find "$work/root" -name 'libtosajit.so.0')")
export LD_LIBRARY_PATH="$library" PKG_CONFIG_PATH="$library/pkgconfig"
"$work/root/usr/bin/tosajit" --version >"$work/log" || fail "the packaged command does not start"
cat >"$work/use.c" <<'END'
#include <stdio.h>
#include <tosajit/tosajit.h>
int main(void) { return puts(tosajit_version()) < 0; }
END
# shellcheck disable=SC2046 # a list of words
cc -std=c11 "$work/use.c" $(pkg-config --cflags --libs tosajit) -o "$work/use" || fail "pkg-config does not lead to the library"
[ "tosajit $("$work/use")" = "$(cat "$work/log")" ] || fail "library and command are of different versions"
# shellcheck disable=SC2046
cc -std=c11 "$source/tests/consumer/mlir.c" $(pkg-config --cflags --libs tosajit-mlir) -o "$work/read" || fail "pkg-config does not lead to the reader"
run "$work/read" "$source/tests/consumer/twice.mlir"

# mandoc knows that a page without a date is none of Debian's; everything else that it finds is an error.
for page in "$work"/root/usr/share/man/man*/*; do
    mandoc -T lint -W warning "$page" | grep -v 'missing date' && fail "$page is malformed"
    mandoc "$page" | grep -q . || fail "$page is empty"
done
mandoc "$work/root/usr/share/man/man1/tosajit.1" | grep -q 'tosajit verify examples' || fail "tosajit(1) shows no example"
mandoc -T ascii "$work/root/usr/share/man/man3/libtosajit.3" | grep -q tosajit_compile || fail "libtosajit(3) knows no tosajit_compile"
mandoc -T ascii "$work/root/usr/share/man/man3/libtosajit-mlir.3" | grep -q tosajit_mlir_outline || fail "libtosajit-mlir(3) knows no tosajit_mlir_outline"

run cmake --build "$build" --target reference
grep -q tosajit_compile "$build"/reference/html/*.html || fail "the reference knows no tosajit_compile"
grep -q tosajit_mlir_outline "$build"/reference/html/*.html || fail "the reference knows no tosajit_mlir_outline"
echo "six packages, three man pages and the reference are sound"

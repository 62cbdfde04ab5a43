#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The Debian packages that package_build.sh has made: judged by lintian, accepted by apt, unpacked;
# the man pages; the reference. What a user does with them is in user_list.sh.
#   sh tests/install/package_test.sh BUILD_DIRECTORY SOURCE_DIRECTORY PACKAGES
set -eu
build=$1 source=$2 packages=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "$1"; exit 1; }
run() { "$@" >"$work/log" 2>&1 || { cat "$work/log"; fail "$* failed"; }; }
for tool in lintian apt-get mandoc doxygen; do
    command -v "$tool" >/dev/null || fail "$tool is missing: sh tools/install-dependencies.sh"
done

version=$("$build/tools/tosajit" --version)
for package in "$packages"/*_"${version#tosajit }"_*.deb; do
    [ -e "$package" ] || fail "debian/changelog is of another version than $version"
done
# Of errors and warnings there are none; what is overridden has its reason beside it, in
# debian/*.lintian-overrides.
lintian --allow-root --fail-on error,warning "$packages"/*.changes >"$work/log" 2>&1 || {
    cat "$work/log"; fail "lintian finds something"
}
set --
for package in "$packages"/*.deb; do
    case $package in *-dbgsym_*) ;; *) set -- "$@" "$package" ;; esac
done
[ $# = 9 ] || fail "expected nine packages, found $*"
run apt-get install --simulate "$@" # every dependency exists, and nothing conflicts
for package; do
    dpkg-deb -x "$package" "$work/root"
    name=${package##*/}
    grep -q 'LLVM Exceptions' "$work/root/usr/share/doc/${name%%_*}/copyright" ||
        fail "$name has no licence"
done
# MLIR comes with what reads TOSA files, and with nothing else.
for package; do
    needs=$(dpkg-deb -f "$package" Depends)
    case ${package##*/} in
    libtosajit-mlir*_*|tosajit_*) echo "$needs" | grep -q mlir ||
        fail "$package does not ask for MLIR" ;;
    *) echo "$needs" | grep mlir && fail "$package asks for MLIR" ;;
    esac
done

# LLVM comes with what compiles: the code generator, and what has MLIR. Who installs the library
# gets it by default, and may do without.
for package; do
    needs=$(dpkg-deb -f "$package" Depends)
    case ${package##*/} in
    libtosajit-codegen0_*|libtosajit-mlir*_*|tosajit_*) ;;
    *) echo "$needs" | grep -iE 'llvm|codegen' && fail "$package asks for LLVM" ;;
    esac
done
dpkg-deb -f "$packages"/libtosajit0_*.deb Recommends | grep -q libtosajit-codegen0 ||
    fail "libtosajit0 does not recommend the code generator"

library=$(dirname "$(find "$work/root" -name 'libtosajit.so.0')")
export LD_LIBRARY_PATH="$library"
[ "$("$work/root/usr/bin/tosajit" --version)" = "$version" ] ||
    fail "the packaged command is of another version"
PYTHONPATH=$work/root/usr/lib/python3/dist-packages /usr/bin/python3 \
    "$source/tests/tools/python_test.py" >"$work/log" 2>&1 || { cat "$work/log"
        fail "the packaged Python module fails"; }

# mandoc knows that a page without a date is none of Debian's; everything else that it finds is an
# error. The page keeps its name, by which mandoc judges the section: of a name without a dot it
# would take the folder's, as of tmp.2AHF/page.
for page in "$work"/root/usr/share/man/man*/*; do
    plain=$work/$(basename "$page" .gz)
    gunzip <"$page" >"$plain"
    mandoc -T lint -W warning "$plain" | grep -v 'missing date' && fail "$page is malformed"
    mandoc -T ascii "$plain" | col -b >"$work/text"
    [ -s "$work/text" ] || fail "$page is empty"
    awk 'length > 80 { print; wide = 1 } END { exit wide }' "$work/text" ||
        fail "$page is wider than 80 columns"
done
# says PAGE TEXT...: the page has each text.
says() {
    page=$work/root/usr/share/man/$1.gz
    shift
    gunzip <"$page" | mandoc -T ascii | col -b >"$work/text"
    for text; do grep -q "$text" "$work/text" || fail "$page does not have $text"; done
}
says man1/tosajit.1 'tosajit verify examples' '^EXIT STATUS' '^ENVIRONMENT' '^FILES' '^EXAMPLES' \
    '^  *TOSAJIT_VERBOSE' '^  *2  *wrong usage'
says man3/libtosajit.3 tosajit_compile_expr
says man3/libtosajit-mlir.3 tosajit_mlir_outline
for document in README.md docs/tour.md docs/stability.md CHANGELOG.md examples/gelu_bias.mlir; do
    ls "$work/root/usr/share/doc/tosajit/$document"* >"$work/log" ||
        fail "$document is in no package"
done
[ -s "$work/root/usr/share/bash-completion/completions/tosajit" ] || fail "there is no completion"

run cmake --build "$build" --target reference
grep -q tosajit_compile_expr "$build"/reference/html/*.html ||
    fail "the reference knows no tosajit_compile_expr"
grep -q tosajit_mlir_outline "$build"/reference/html/*.html ||
    fail "the reference knows no tosajit_mlir_outline"
echo "nine packages, three man pages and the reference are sound"

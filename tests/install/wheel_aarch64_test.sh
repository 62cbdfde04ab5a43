#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The wheels for AArch64 as tools/python/dist.sh builds them on an x86-64 Debian: installed by pip,
# and tested in a Python of Debian's arm64 that an emulator runs, without LLVM, with the LLVM of the
# extra, and with NumPy where pip has it for that machine. The network is needed.
#   sh tests/install/wheel_aarch64_test.sh BUILD_DIRECTORY SOURCE_DIRECTORY
. "$(dirname "$0")/wheel_begin.sh"
export TOSAJIT_SYSROOT TOSAJIT_MADE_OPS
TOSAJIT_SYSROOT=${TOSAJIT_SYSROOT:-$source/build-aarch64/sysroot} \
    TOSAJIT_MADE_OPS=${TOSAJIT_MADE_OPS:-$build/jit/ops.o}

quietly sh "$source/tools/python/dist.sh" "$work/dist" aarch64
[ "$(find "$work/dist" -type f | wc -l)" = 7 ] ||
    fail "there is more than sources, four wheels and what tells of them: $(ls "$work/dist")"
wheel=$(ls "$work"/dist/tosajit-*-cp311-abi3-manylinux_2_*_aarch64.whl) \
    llvm_wheel=$(ls "$work"/dist/tosajit_llvm-*-py3-none-manylinux_2_*_aarch64.whl)
[ "$(stat -c %s "$wheel")" -lt 8000000 ] || fail "the wheel is $(stat -c %s "$wheel") bytes"
[ "$(stat -c %s "$llvm_wheel")" -lt 40000000 ] ||
    fail "tosajit-llvm is $(stat -c %s "$llvm_wheel") bytes"
# Both machines have the same files.
names() { "$PYTHON" -m zipfile -l "$1" | awk 'NR > 1 && $1 !~ "/$" { print $1 }' | sort; }
names "$wheel" >"$work/files"
names "$(ls "$work"/dist/tosajit-*_x86_64.whl)" | diff - "$work/files" ||
    fail "the wheels have other files"
"$PYTHON" -m zipfile -e "$wheel" "$work/unpacked"
old_enough "$work/unpacked"
"$PYTHON" -m zipfile -e "$llvm_wheel" "$work/unpacked_llvm"
old_enough "$work/unpacked_llvm"
for file in "$work"/unpacked/tosajit/*.so*; do
    readelf -h "$file" | grep -q AArch64 || fail "$file is of another machine"
done

# emulate: a fresh environment of that Python. It runs itself by the same script, so that the tests'
# processes are emulated, too.
emulate() {
    rm -rf "$work/venv"
    mkdir -p "$work/venv/bin" "$work/venv/lib/python3.11/site-packages"
    printf 'home = %s\ninclude-system-site-packages = false\n' "$TOSAJIT_SYSROOT/usr/bin" \
        >"$work/venv/pyvenv.cfg"
    printf '#!/bin/sh\nexec qemu-aarch64 -L "%s" -0 "$0" "%s/usr/bin/python3.11" "$@"\n' \
        "$TOSAJIT_SYSROOT" "$TOSAJIT_SYSROOT" >"$work/venv/bin/python"
    chmod +x "$work/venv/bin/python"
    quietly "$work/venv/bin/python" "$pip" install --disable-pip-version-check --no-index "$@"
}
quietly "$PYTHON" -m venv "$work/tools"
pip=$("$work/tools/bin/python" -c 'import pip; print(pip.__path__[0])')
export TOSAJIT_TEST_EMULATED=1
# A file that is no library stands for an LLVM that is not there.
mkdir "$work/hidden"
: >"$work/hidden/$(readelf -d "$work/unpacked/tosajit/libtosajit-codegen.so.0" |
    sed -n 's/.*NEEDED.*\[\(libLLVM.*\)\]/\1/p')"
export LD_LIBRARY_PATH="$work/hidden"
cd "$work" # far from the source tree
lines='import array, platform, tosajit
x, b = array.array("f", [-1, 0, 1, 2]), array.array("f", [1])
print(*(f"{y:.6f}" for y in tosajit.evaluate("x * sigmoid(x + b)", x=x, b=b).tolist()))
print(tosajit.compile("y = exp(x) : f32[?]").wait().is_native, platform.machine(), tosajit.__file__)'
# gives NATIVE
gives() {
    found=$("$work/venv/bin/python" -c "$lines") || fail "the lines in Python"
    case $found in "-0.500000 0.000000 0.880797 1.905148"*"$1 aarch64 $work/venv/"*) \
        ;; *) fail "found $found" ;; esac
}
emulate --no-deps "$wheel"
gives False
TOSAJIT_TEST_COMPILER=0 quietly "$work/venv/bin/python" "$source/tests/tools/python_test.py"
emulate --find-links "$work/dist" 'tosajit[compiler]'
gives True
quietly "$work/venv/bin/python" "$source/tests/tools/python_test.py"
grep -F '***' "$work/log"
if "$PYTHON" -m pip download --quiet --disable-pip-version-check --dest "$work/numpy" --no-deps \
    --only-binary :all: --python-version 3.11 \
    --platform manylinux_2_28_aarch64 --platform manylinux_2_27_aarch64 --platform \
    manylinux2014_aarch64 numpy 2>"$work/log"; then
    emulate --find-links "$work/dist" --find-links "$work/numpy" 'tosajit[compiler]' numpy
    quietly "$work/venv/bin/python" "$source/tests/tools/python_numpy_test.py"
else
    echo "*** NOT TESTED: arrays of NumPy on AArch64, which pip does not find: $(tail -1 \
        "$work/log")"
fi
echo "$(basename "$wheel"), $(stat -c %s "$wheel") bytes, $(basename "$llvm_wheel"), $(stat -c %s \
    "$llvm_wheel") bytes"

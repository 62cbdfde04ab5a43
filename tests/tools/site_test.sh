#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The site: it is built, and a browser opens every page of it (site_browser.py). Debian brings Chromium, and pip what drives it.
#   sh tests/tools/site_test.sh BUILD_DIRECTORY SOURCE_DIRECTORY [PICTURES]
# Exit code 77: what is needed is not to be had, which a line says.
set -eu
build=$(cd "$1" && pwd) source=$(cd "$2" && pwd)
shift 2
not_tested() { echo "*** NOT TESTED: the site: $1"; exit 77; }
command -v chromium >/dev/null || sh "$source/tools/install-dependencies.sh" chromium >/dev/null || not_tested "there is no Chromium, and apt does not bring it"
html=$build/site/html
# An older version stays where another one is built.
mkdir -p "$html/0.1.0"
echo older >"$html/0.1.0/index.html"
TOSAJIT_SITE_VERSION=dev cmake --build "$build" --target site
[ "$(cat "$html/0.1.0/index.html")" = older ] || { echo "building dev changes 0.1.0"; exit 1; }
rm -r "$html/0.1.0"
cp -r "$html/dev" "$html/0.1.0"
rm "$html/0.1.0/docs/views.html"
python=$build/site/venv/bin/python
. "$source/tests/support/venv.sh"
keep_bytecode "$build/site/pycache"
"$python" -c 'import playwright' 2>/dev/null ||
    pip_into "$(sed -n 's/^_Python3_EXECUTABLE:[A-Z]*=//p' "$build/CMakeCache.txt")" "$build/site/venv" --no-compile \
        --only-binary :all: playwright==1.65.2 || not_tested "pip does not bring playwright"
"$python" "$source/docs/site/build.py" "$html"
"$python" "$source/tests/tools/site_browser.py" "$html" "$@"

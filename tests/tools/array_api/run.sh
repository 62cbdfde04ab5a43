#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The Array API standard's own tests on functions of tosajit.jit (jitted.py). SUITE is a clone of
# data-apis/array-api-tests with its submodule.
#   sh tests/tools/array_api/run.sh BUILD_DIRECTORY SUITE PYTHON [EXAMPLES]
# PYTHON has numpy, pytest, hypothesis, ndindex and pytest-json-report. Of each test as many
# EXAMPLES are drawn, 20 if nobody says it.
set -eu
[ $# -ge 3 ] || { sed -n '4,5s/^# *//p' "$0" >&2; exit 2; }
[ -d "$2/array_api_tests" ] || { echo "$2: no clone of data-apis/array-api-tests" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd) build=$(cd "$1" && pwd) python=$3 examples=${4:-20}
export PYTHONPATH="$build/tools/python:$here" PYTHONDONTWRITEBYTECODE=1 \
    ARRAY_API_TESTS_MODULE=jitted
cd "$2"
set --
echo "array-api-tests: $(git rev-parse HEAD 2>/dev/null || echo 'no clone')"
for form in functions operators; do
    echo "written with $form"
    # whose parameters are the lines' own
    [ $form = functions ] || set -- --ignore array_api_tests/test_signatures.py
    ARRAY_API_FORM=$form "$python" -m pytest -q --tb=short -p no:cacheprovider -p no:randomly \
        --hypothesis-max-examples "$examples" --hypothesis-derandomize \
        --hypothesis-disable-deadline --xfails-file "$here/expected.txt" "$@" array_api_tests/
done

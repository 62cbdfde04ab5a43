#!/bin/sh
# The sources are formatted as .clang-format says. Generated tables are not looked at.
#   sh tests/format_test.sh SOURCE_DIRECTORY
set -eu
cd "$1"
formatter=$(command -v clang-format-14 || command -v clang-format)
find include runtime jit tools tests bench examples -name '*.[ch]' -o -name '*.cc' | grep -v -e math_coefficients.h -e tests/consumer | xargs "$formatter" --dry-run --Werror

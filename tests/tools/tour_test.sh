#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The tour as a reader follows it: its C programs, tour.c and model.c, and every `console` block of
# docs/tour.md, in order and in one shell; and those of docs/repl.md, docs/language.md,
# docs/views.md, docs/a-call.md and docs/engine-authors.md, whose programs name themselves.
#   sh tests/tools/tour_test.sh BUILD_DIRECTORY SOURCE_DIRECTORY C_COMPILER [FLAGS...]
# In: the built tool and library. Out: what differs from the page; exit code 1 if anything does.
set -eu
build=$(cd "$1" && pwd)
source=$(cd "$2" && pwd)
compiler=$(command -v "$3") # a path: the tour finds another cc in front of it
shift 3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/root" "$work/bin"
ln -s "$build" "$work/root/build"
ln -s "$source/examples" "$source/include" "$work/root/"
printf '#!/bin/sh\nexec "%s" "$@" %s\n' "$compiler" "$*" >"$work/bin/cc" # the page says cc
chmod +x "$work/bin/cc"

PATH=$work/bin:$PATH
cd "$work/root"
eval "$(sh "$source/tests/tools/setup_of.sh" "$source/docs/tour.md" 'The command')"
failed=0

# Follow docs/$1.md, which has at least $2 commands, or ten.
follow() {
    sh "$source/tests/tools/follow.sh" "$source/docs/$1.md" "${2:-10}" || failed=$((failed + 1))
}
follow tour
follow repl
follow language 4
follow views 10
follow a-call 3
follow engine-authors

# The stack that a run needs is one number: what api_test gives it is what the documents say.
kib=$(sed -n 's/^enum { SMALL_STACK = \([0-9]*\) << 10 };.*/\1/p' "$source/tests/api/api_test.c")
for file in include/tosajit/tosajit.h SECURITY.md docs/engine-authors.md; do
    said=$(grep -o '[0-9]* KiB of stack' "$source/$file" | sort -u)
    [ "$said" = "$kib KiB of stack" ] || {
        echo "$file says '$said'; api_test runs on $kib KiB"; failed=$((failed + 1))
    }
done

echo "$failed failed"
[ "$failed" = 0 ]

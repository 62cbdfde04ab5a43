#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The layout test fails where it should: a tree of four folders that it accepts, then each breach of
# the rules alone, which it must refuse in words that name who and what. sh layout_breach_test.sh CC
set -eu
test=$(cd "$(dirname "$0")" && pwd)/layout_test.sh
cc=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
: >circles

# A folder with a unit of its own name, which may include others: folder NAME OTHERS...
folder() {
    mkdir -p "$1"
    name=$(basename "$1")
    echo "int $name(void);" >"$1/$name.h"
    includes="no other folder."
    for other in $(echo "$2"); do
        includes="$includes \`$other\`"
        echo "#include \"$other/$(basename "$other").h\"" >>"$1/$name.c"
    done
    echo "int $name(void) { return 0; }" >>"$1/$name.c"
    printf '# %s\n\nA layer.\n\nIncludes: %s\n' "$1" "$includes" >"$1/README.md"
}

# The tree as it is, through the test.
check() {
    rm -rf build
    find runtime jit tools -name '*.c' | while read -r source; do
        object=$(echo "$source" | sed 's,^\([a-z]*\)/\(.*\)$,build/\1/CMakeFiles/t.dir/\2.o,')
        mkdir -p "$(dirname "$object")"
        "$cc" -I. -c "$source" -o "$object"
        echo "$PWD/$object"
    done >objects
    sh "$test" "$PWD" "$PWD/build" "$PWD/objects" "$PWD/circles" >out 2>&1
}

begin() {
    rm -rf runtime jit tools bench tests
    mkdir -p bench tests tools
    folder runtime/low ""
    folder runtime/high runtime/low
    folder jit/top "runtime/high runtime/low"
    echo "int use(void) { return low(); }" >>runtime/high/high.c
    folder runtime/system ""
    printf \
        '#define _POSIX_C_SOURCE 200809L\n#include <pthread.h>\n#include <unistd.h>\nint system(void) { return getpid(); }\n' >runtime/system/system.c
    printf '# runtime/system\n\nA layer.\n\nIncludes: no other folder; headers of the system.\n' \
        >runtime/system/README.md
}

refused() {
    if check; then
        echo "accepted: $1"
        exit 1
    fi
    grep -qF "$1" out || { echo "not said: $1"; cat out; exit 1; }
    begin
}

begin
check || { cat out; exit 1; }

echo '#include "runtime/high/high.h"' >>runtime/low/low.h
refused \
    "runtime/low/low.h includes runtime/high/high.h, but runtime/low/README.md does not let it include runtime/high"

echo 'int high(void); int up(void) { return high(); }' >>runtime/low/low.c
refused \
    "runtime/low/low.c uses high of runtime/high/high.c, but runtime/low/README.md does not let it include runtime/high"

sed -i '1i #include <unistd.h>' runtime/low/low.c
refused \
    "runtime/low/low.c includes <unistd.h>, but runtime/low/README.md does not let it include headers of the system"

sed -i '1i #include <sys/types.h>' runtime/high/high.h
refused \
    "runtime/high/high.h includes <sys/types.h>, but runtime/high/README.md does not let it include headers of the system"

sed -i '1i #define _GNU_SOURCE' jit/top/top.c
refused \
    "jit/top/top.c defines _GNU_SOURCE, but jit/top/README.md does not let it include headers of the system"

echo 'int pthread_yield(void); int wait(void) { return pthread_yield(); }' >>runtime/low/low.c
refused \
    "runtime/low/low.c uses pthread_yield, but runtime/low/README.md does not let it include headers of the system"

sed -i 's/no other folder/& but headers of the system/' runtime/low/README.md
refused "runtime/low/README.md lets it include headers of the system, which it does not"

printf '# runtime/high\n\nIncludes: `runtime/low`, `jit/top`.\n' >runtime/high/README.md
refused "runtime/high/README.md lets it include jit/top, which it does not"

rm jit/top/README.md
refused "jit/top has no README.md"

echo "A layer." >runtime/low/README.md
refused 'runtime/low/README.md has no line that begins with "Includes:"'

yes "A line of the folder's description." | head -n 9 | cat - runtime/low/README.md >longer
mv longer runtime/low/README.md
refused "runtime/low/README.md has 12 lines up to its rule"

touch near.h
echo '#include "near.h"' >>runtime/low/low.c
refused "runtime/low/low.c includes near.h, which is no path from the root"
rm near.h

printf '#pragma once\n#include "runtime/low/other.h"\n' >runtime/low/low.h
printf '#pragma once\n#include "runtime/low/low.h"\nint low(void);\n' >runtime/low/other.h
refused "a circle: include runtime/low/low.h runtime/low/other.h"

echo 'int low(void); int other(void) { return low(); }' >runtime/low/other.c
echo 'int other(void); int back(void) { return other(); }' >>runtime/low/low.c
refused "a circle: link runtime/low/low runtime/low/other"

printf '# runtime/low\n\nIncludes: `runtime/high`.\n' >runtime/low/README.md
echo 'int high(void); int up(void) { return high(); }' >>runtime/low/low.c
refused "a circle: folder runtime/high runtime/low"

for floor in 1 2 3 4 5 6 7; do
    echo "int floor_$floor(void);" >runtime/low/floor_$floor.h
    [ $floor = 1 ] || echo "#include \"runtime/low/floor_$((floor - 1)).h\"" \
        >>runtime/low/floor_$floor.h
done
refused "runtime/low has 7 floors of includes: runtime/low/floor_7.h"

echo "link runtime/low/low runtime/low/other" >circles
refused \
    "layout_circles.txt has a circle that is none any more: link runtime/low/low runtime/low/other"
: >circles
check || { cat out; exit 1; }

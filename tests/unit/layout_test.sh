#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Each folder keeps to its layer: sh layout_test.sh ROOT BUILD OBJECTS [CIRCLES]
#
# The line "Includes:" in a folder's README.md names the folders that its files may include and
# whose symbols they may use. A file that goes further fails with both names; public functions may
# be used by everybody. In runtime/ and jit/ the line may also say "headers of the system". Other
# files there include C11's, the compiler's and those of libraries, and see nothing of POSIX. What
# else fails: a permission that nobody uses, a circle of folders, of headers or of objects, and a
# folder whose longest chain of includes has more than six files. Programs in examples/ are hosts:
# what they include is installed, or lies beside them. OBJECTS names the objects of library, tools
# and benchmarks, a line each, below BUILD. CIRCLES, layout_circles.txt beside this script, lists
# the circles that are still to go; a line there that is no longer true fails, too.
set -eu
build=$2
objects=$3
circles=${4:-$(cd "$(dirname "$0")" && pwd)/layout_circles.txt}
cd "$1"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

find runtime jit tools bench tests -path tests/install/consumer -prune -o \( -name '*.[ch]' -o \
    -name '*.cc' \) -print |
    sort >"$work/files"
# "permit FOLDER FOLDER", "system FOLDER", "include FILE FILE", "foreign FILE HEADER", "asks FILE
# MACRO", "define FILE SYMBOL", "use FILE SYMBOL"
{
    # What a folder has once for each system is that folder's.
    sed 's,/[^/]*$,,; s,/\(posix\|windows\)$,,' "$work/files" | sort -u | while read -r folder; do
        echo "folder $folder"
        [ -f "$folder/README.md" ] || continue
        sed -n '/^Includes:/,/^$/p' "$folder/README.md" | sed 's/^Includes: anything/`anything`/' |
            grep -o '`[^`]*`' | tr -d '`' | sed "s,^,permit $folder ,"
        ! sed -n '/^Includes:/,/^$/p' "$folder/README.md" | grep -q 'headers of the system' ||
            echo "system $folder"
        # the rule stands at the top, in a README of any length
        echo "readme $folder $(grep . "$folder/README.md" | sed '/^Includes:/q' |
            wc -l) $(grep -c '^Includes:' "$folder/README.md")"
    done
    xargs awk '/^# *include "/ { split($0, part, "\""); print "include", FILENAME, part[2] }' \
        <"$work/files"
    grep -E '^(runtime|jit)/' "$work/files" | xargs awk '
        /^ *# *include *</ { split($0, part, "[<>]"); print "foreign", FILENAME, part[2] }
        /^ *# *define *_[A-Z0-9_]*_SOURCE/ { split($0, part, "define *"); print "asks", FILENAME, part[2] }'
    # .../jit/CMakeFiles/target.dir/math/arith.c.o: is of jit/math/arith.c; what is generated has no
    # source here.
    grep . "$objects" | tr '\n' '\0' | xargs -0 nm -g -P -A |
        awk -v build="$build" -v files="$work/files" '
        BEGIN { while ((getline line < files) > 0) exists[line] = 1 }
        {
            source = $1
            sub("\\.o:$", "", source)
            gsub("/\\./", "/", source)
            sub("/CMakeFiles/[^/]*\\.dir/", "/", source)
            source = substr(source, length(build) + 2)
            if (source in exists) print $3 == "U" ? "use" : "define", source, $2
        }'
} >"$work/facts"
grep -q '^use' "$work/facts" || { echo "no objects in $objects"; exit 1; }

sort -u "$work/facts" | awk -v files="$work/files" -v circles="$circles" '
function folder(path) { sub("/[^/]*$", "", path); sub("/(posix|windows)$", "", path); return path }
function unit(path) { sub("\\.[a-z]*$", "", path); return path }
function complain(text) { print text; failed = 1 }

# An arc of the graph "include", "link" or "folder".
function arc(graph, from, to) {
    if (from == to || ((graph, from, to) in arcs)) return
    arcs[graph, from, to] = 1
    next_count = ++degree[graph, from]
    arc_to[graph, from, next_count] = to
    nodes[graph, from] = nodes[graph, to] = 1
}

# Marks what can be reached from a node.
function reach(graph, origin, at,    k, to) {
    for (k = 1; k <= degree[graph, at]; k++) {
        to = arc_to[graph, at, k]
        if ((graph, origin, to) in reached) continue
        reached[graph, origin, to] = 1
        reach(graph, origin, to)
    }
}

function permitted(from, to, what,    a, b) {
    a = folder(from); b = folder(to)
    if (a == b) return
    if ((a, "anything") in permits) return
    used[a, b] = 1
    if (!((a, b) in permits)) complain(from " " what " " to ", but " a "/README.md does not let it include " b)
}

# The files of the longest chain of includes that begins here and stays in the folder.
function floors(file,    k, to, most, n) {
    if (file in floor) return floor[file]
    floor[file] = 1 # in a circle, which is reported elsewhere
    for (k = 1; k <= degree["include", file]; k++) {
        to = arc_to["include", file, k]
        if (folder(to) != folder(file) || unit(to) == unit(file)) continue
        n = floors(to) + 1
        if (n > most) { most = n; above[file] = to }
    }
    # a source stands where its header does
    for (k = 1; k <= degree["include", file]; k++) {
        to = arc_to["include", file, k]
        if (unit(to) == unit(file) && floors(to) > most) { most = floors(to); above[file] = to }
    }
    return floor[file] = most > 1 ? most : 1
}
function chain(file,    text) {
    text = file
    for (; file in above; file = above[file]) text = text " " above[file]
    return text
}

# Whether a header is there on every system: of C11, but for its threads, which thread sanitizers do
# not see; of the compiler, of LLVM, of MPFR.
function is_everywhere(header) {
    return header ~ "^(assert|complex|ctype|errno|fenv|float|inttypes|iso646|limits|locale|math|setjmp|signal|stdalign)\\.h$" ||
        header ~ "^(stdarg|stdatomic|stdbool|stddef|stdint|stdio|stdlib|stdnoreturn|string|tgmath|time|uchar|wchar|wctype)\\.h$" ||
        header ~ "^(immintrin\\.h|xmmintrin\\.h|llvm(-c)?/.*|mpfr\\.h)$"
}
function only_system(file, what) {
    complain(file " " what ", but " folder(file) "/README.md does not let it include headers of the system")
}

BEGIN {
    while ((getline line < files) > 0) exists[line] = 1
    while ((getline line < circles) > 0) if (line !~ "^(#|$)") expected[line] = 1
}
$1 == "folder" { folders[$2] = 1 }
$1 == "permit" { permits[$2, $3] = 1 }
$1 == "system" { systems[$2] = 1 }
$1 == "foreign" && !is_everywhere($3) { foreign[$2, $3] = 1 }
$1 == "asks" { asked[$2, $3] = 1 }
$1 == "readme" { lines[$2] = $3; rules[$2] = $4 }
$1 == "define" { definers[$3] = definers[$3] " " $2 }
$1 == "use" { users[++use_count] = $2; wanted[use_count] = $3 }
$1 == "include" { includers[++include_count] = $2; included[include_count] = $3 }
END {
    for (f in folders) {
        if (!(f in lines)) complain(f " has no README.md")
        else if (lines[f] > 9) complain(f "/README.md has " lines[f] " lines up to its rule: it says in five what the folder is")
        if (f in lines && rules[f] != 1) complain(f "/README.md has no line that begins with \"Includes:\"")
    }
    for (k = 1; k <= include_count; k++) {
        if (included[k] ~ "^(tosajit|mlir)/") continue # public headers, and those of MLIR
        if (!(included[k] in exists)) complain(includers[k] " includes " included[k] ", which is no path from the root")
        permitted(includers[k], included[k], "includes")
        arc("include", includers[k], included[k])
        arc("folder", folder(includers[k]), folder(included[k]))
    }
    for (f in foreign) {
        split(f, pair, SUBSEP)
        if (folder(pair[1]) in systems) needed[folder(pair[1])] = 1
        else only_system(pair[1], "includes <" pair[2] ">")
    }
    for (a in asked) {
        split(a, pair, SUBSEP)
        if (!(folder(pair[1]) in systems)) only_system(pair[1], "defines " pair[2])
    }
    for (s in systems) if (!(s in needed)) complain(s "/README.md lets it include headers of the system, which it does not")
    for (k = 1; k <= use_count; k++) {
        # Types of pthread.h are in a header of ours, so its functions are declared everywhere.
        if (users[k] ~ "^(runtime|jit)/" && wanted[k] ~ "^(pthread|sched)_" && !(folder(users[k]) in systems))
            only_system(users[k], "uses " wanted[k])
        n = split(definers[wanted[k]], made, " ")
        for (d = 1; d <= n; d++) {
            if (unit(made[d]) == unit(users[k])) continue
            arc("link", unit(users[k]), unit(made[d]))
            if (wanted[k] ~ "^tosajit_") continue
            permitted(users[k], made[d], "uses " wanted[k] " of")
            arc("folder", folder(users[k]), folder(made[d]))
        }
    }
    for (p in permits) {
        split(p, pair, SUBSEP)
        if (pair[2] == "anything") continue
        if (!(pair[2] in folders)) complain(pair[1] "/README.md names " pair[2] ", which is no folder of sources")
        else if (!((pair[1], pair[2]) in used)) complain(pair[1] "/README.md lets it include " pair[2] ", which it does not")
    }
    for (n in nodes) { split(n, pair, SUBSEP); reach(pair[1], pair[2], pair[2]) }
    for (n in nodes) {
        split(n, pair, SUBSEP)
        if (!((pair[1], pair[2], pair[2]) in reached)) continue
        # the circle has the name of its first member
        first = pair[2]
        for (m in nodes) {
            split(m, other, SUBSEP)
            if (other[1] == pair[1] && other[2] < first && ((pair[1], pair[2], other[2]) in reached) && ((pair[1], other[2], pair[2]) in reached))
                first = other[2]
        }
        members[pair[1] SUBSEP first] = members[pair[1] SUBSEP first] "\n" pair[2]
    }
    for (c in members) {
        split(c, pair, SUBSEP)
        n = split(substr(members[c], 2), list, "\n")
        for (i = 2; i <= n; i++) for (j = i; j > 1 && list[j] < list[j - 1]; j--) { t = list[j]; list[j] = list[j - 1]; list[j - 1] = t }
        text = pair[1]
        for (i = 1; i <= n; i++) text = text " " list[i]
        if (text in expected) delete expected[text]
        else complain("a circle: " text)
    }
    for (e in expected) complain("layout_circles.txt has a circle that is none any more: " e)
    for (f in exists) {
        count = floors(f)
        if (count > 6) complain(folder(f) " has " count " floors of includes: " chain(f))
        if (count > tallest[folder(f)]) tallest[folder(f)] = count
    }
    for (f in folders) print f ": " tallest[f] " floors"
    exit failed
}'

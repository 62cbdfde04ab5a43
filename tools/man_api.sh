#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A manual page out of public headers: their comments become text, their declarations stay as they
# are.
#   sh tools/man_api.sh VERSION PAGE PKG_CONFIG_NAME SUMMARY HEADER... > libtosajit.3
set -eu
version=$1 name=$2 package=$3 summary=$4
shift 4
dashes() { echo "$1" | sed 's/-/\\-/g'; }
page=$(dashes "$name") others=libtosajit-mlir
[ "$name" = libtosajit ] || others=libtosajit
cat <<END
.TH $(echo "$page" | tr a-z A-Z) 3 "" "tosajit $version" "Library Functions"
.SH NAME
$page \\- $summary
.SH SYNOPSIS
.nf
$(for header; do echo ".B #include <tosajit/${header##*/}>"; done)
.fi
.PP
.I cc ... \`pkg\\-config \\-\\-cflags \\-\\-libs $(dashes "$package")\`
.SH DESCRIPTION
END
awk '
BEGIN { headed = 1 }
/^\/\* SPDX-/ { next }
function escaped(line) {
    gsub(/\\/, "\\e", line); gsub(/-/, "\\-", line)
    return line ~ /^[.\047]/ ? "\\&" line : line
}
# Code keeps its lines. What is too long for a terminal of 80 columns goes on in the next line, further in.
function code(line,   indent, cut) {
    match(line, /^ */)
    for (indent = RLENGTH + 8; length(line) > 72; line = sprintf("%*s", indent, "") substr(line, cut + 1)) {
        for (cut = 73; cut > indent && substr(line, cut, 1) != " ";) cut--
        if (cut <= indent) break
        print escaped(substr(line, 1, cut - 1))
    }
    print escaped(line)
}
# A paragraph begins where something is written, and not right after a heading.
function show(line, on) {
    if (on != is_verbatim || apart) {
        if (is_verbatim) print ".fi"
        if (!headed) print ".PP"
        if (on) print ".nf"
    }
    is_verbatim = on; apart = headed = 0
    if (on) code(line)
    else print escaped(line)
}
function head(line) { if (is_verbatim) print ".fi"; print ".SH " toupper(line); is_verbatim = apart = heading = 0; headed = 1 }
# A line of a comment. Its indented lines are examples.
function text(line) {
    sub(/ ?\*\/ *$/, "", line); sub(/^\/\* ?/, "", line); sub(/^ \* ?/, "", line)
    if (line ~ /^-+$/) heading = 1
    else if (heading) head(line)
    else if (line == "") apart = 1
    else show(line, line ~ /^ /)
}
/^#ifndef TOSAJIT_[A-Z]*_H|^#endif|^#ifdef|^#if |^#else|^#include|^extern "C"|^#define TOSAJIT_API|^#define TOSAJIT_[A-Z]*_H/ { next }
/^}$/ && last ~ /__cplusplus/ { next }
{ last = $0 }
!inside && /^\/\*/ { inside = apart = 1 }
inside { text($0); if ($0 ~ /\*\//) inside = 0; next }
/^$/ { next }
{ sub(/^TOSAJIT_API /, ""); show($0, 1) }
END { if (is_verbatim) print ".fi" }
' "$@"
cat <<END
.SH SEE ALSO
.BR tosajit (1),
.BR $(dashes $others) (3)
END

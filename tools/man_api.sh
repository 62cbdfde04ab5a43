#!/bin/sh
# A manual page out of a public header: its comments become text, its declarations stay as they are.
#   sh tools/man_api.sh HEADER VERSION PAGE PKG_CONFIG_NAME SUMMARY > libtosajit.3
set -eu
dashes() { echo "$1" | sed 's/-/\\-/g'; }
page=$(dashes "$3") others=libtosajit-mlir
[ "$3" = libtosajit ] || others=libtosajit
cat <<END
.TH $(echo "$page" | tr a-z A-Z) 3 "" "tosajit $2" "Library Functions"
.SH NAME
$page \\- $5
.SH SYNOPSIS
.nf
.B #include <tosajit/${1##*/}>
.fi
.PP
.I cc ... \`pkg\\-config \\-\\-cflags \\-\\-libs $(dashes "$4")\`
.SH DESCRIPTION
END
awk '
BEGIN { headed = 1 }
function escaped(line) {
    gsub(/\\/, "\\e", line); gsub(/-/, "\\-", line)
    return line ~ /^[.\047]/ ? "\\&" line : line
}
# A paragraph begins where something is written, and not right after a heading.
function show(line, on) {
    if (on != is_verbatim || apart) {
        if (is_verbatim) print ".fi"
        if (!headed) print ".PP"
        if (on) print ".nf"
    }
    is_verbatim = on; apart = headed = 0
    print escaped(line)
}
function head(line) { if (is_verbatim) print ".fi"; print ".SH " toupper(line); is_verbatim = apart = heading = 0; headed = 1 }
# A line of a comment. Its indented lines are examples.
function text(line) {
    sub(/^\/\* ?/, "", line); sub(/^ \* ?/, "", line); sub(/ ?\*\/ *$/, "", line)
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
' "$1"
cat <<END
.SH SEE ALSO
.BR tosajit (1),
.BR $(dashes $others) (3)
END

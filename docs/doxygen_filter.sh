#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The header's comments as Doxygen wants them: "/* ... */" in front of a declaration becomes "/**
# ... */", behind one "/**< ... */". Rulers go, and members that share a line and its comment get
# one each.
sed -e 's|^/\* SPDX-.*||' -e 's|^/\* -\{20,\}$|/*|' -e 's|^\( *\)/\* |\1/** |' -e \
    's|^\(.*[^ ].*\) /\* |\1 /**< |' "$1" | awk '
/^    [a-z_0-9]+ [a-z_]+(, [a-z_]+)+; .*\/\*\*</ {
    comment = substr($0, index($0, "/**<")); declaration = substr($0, 1, index($0, ";") - 1)
    type = $1; sub(/^ +[a-z_0-9]+ /, "", declaration); count = split(declaration, names, /, /)
    for (k = 1; k < count; k++) print "    " type " " names[k] "; " (comment ~ /\*\//  ? comment : "/**< see " names[count] " */")
    print "    " type " " names[count] "; " comment
    next
}
{ print }'

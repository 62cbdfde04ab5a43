#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# tosajit.1 out of the command's own help and the page on its environment, so that they agree.
#   sh tools/man_page.sh docs/environment.md TOSAJIT... > tosajit.1
#       (TOSAJIT: how to start the command, an emulator in front of it if need be)
set -eu
environment=$1
shift
# The help has lines of three kinds: text; " NAME what it is", whose text may go on below, further
# in; and other lines with two spaces in front, which are typed as they are.
# typeset_help HEADED: 1 right after a heading, else 0
typeset_help() {
    awk '
    function escaped(line) {
        gsub(/\\/, "\\e", line); gsub(/-/, "\\-", line)
        return line ~ /^[.\047]/ ? "\\&" line : line
    }
    # An example is broken between words, as a shell lets it be; inside quotes only between options.
    function typed(line,   cut) {
        for (sub(/^  /, "", line); length(line) > 72; line = "    " substr(line, cut + 1)) {
            for (cut = 71; cut > 4 && substr(line, cut) !~ /^ (-|@|\||&&|examples)/;) cut--
            if (cut <= 4) for (cut = 71; cut > 4 && substr(line, cut, 1) != " ";) cut--
            if (cut <= 4) break
            print escaped(substr(line, 1, cut - 1) " \\")
        }
        print escaped(line)
    }
    function to(kind) {
        if (was == "typed" && kind != "typed") print ".fi"
        if (kind != "item" && kind != was && !headed) print ".PP"
        if (kind == "typed" && was != "typed") print ".nf"
        was = kind; headed = 0
    }
    BEGIN { headed = '"$1"' }
    /^$/ { if (was == "typed") print ".fi"; was = ""; next }
    /^  [^ ].*[^ ]  +[^ ]/ && !/^  tosajit .* tosajit/ {
        to("item"); sub(/^  /, ""); at = match($0, /  +/)
        printf ".TP\n.B %s\n%s\n", escaped(substr($0, 1, at - 1)), escaped(substr($0, at + RLENGTH))
        next
    }
    /^   / && was == "item" { sub(/^ +/, ""); print escaped($0); next }
    /^ / { to("typed"); typed($0); next }
    { to("text"); print escaped($0) }
    END { if (was == "typed") print ".fi" }'
}
help=$("$@" --help)
commands=$(printf '%s\n' "$help" | awk '/^  tosajit/ { exit } /^  [a-z]/ { print $1 }')
# after HEADING: the help's paragraph of that name
after() { printf '%s\n' "$help" | awk -v heading="$1" \
    'index($0, heading) == 1 { on = 1; next } /^$/ { on = 0 } on'; }

printf '.TH TOSAJIT 1 "" "%s" "User Commands"\n' "$("$@" --version)"
printf '.SH NAME\ntosajit \\- TOSA elementwise operations, compiled into SIMD kernels\n'
printf '.SH SYNOPSIS\n.B tosajit\n[\n.I COMMAND\n[\n.I FILE\n]\n.RI [ OPTIONS ]\n]\n.br\n'
printf \
    '.B tosajit\n.BI \\-c " LINE"\n.RB [ \\-\\-quiet ]\n.br\n.B tosajit\n.IR FILE .tj\n.RB [ \\-\\-quiet ]\n'
printf '.SH DESCRIPTION\n'
printf '%s\n' "$help" | sed -e 1,2d -e '/^usage:/,/^$/d' -e '/^examples:/,/^$/d' -e \
    '/^exit codes:/d' | typeset_help 1
printf '.SH COMMANDS\n'
for command in $commands; do
    text=$("$@" "$command" --help)
    printf '.SS %s\n' "$(printf '%s\n' "$text" | head -n 1 | sed 's/-/\\-/g')"
    printf '.HP 8\n'
    printf '%s\n' "$text" | sed -n '/^usage:/,/^$/p' |
        sed -e 's/^usage: //' -e 's/^ *//' -e '/^$/d' -e 's/-/\\-/g' -e 's/^\[/\\\&[/'
    printf '%s\n' "$text" | sed -e 1,2d -e '/^usage:/,/^$/d' | typeset_help 0
done
printf '.SH EXIT STATUS\n'
printf '%s\n' "$help" | sed -n 's/^exit codes: //p' | sed 's/; /\n/g' |
    sed 's/^\([0-9]\) \(.*\)/.TP\n.B \1\n\2/'
printf '.SH ENVIRONMENT\n'
awk -F ' *[|] *' '/^\| `TOSAJIT/ {
    gsub(/`/, ""); gsub(/\\/, "\\e"); gsub(/-/, "\\-")
    printf ".TP\n.B %s\n%s. Values: %s.\n", $2, $4, $3
}' "$environment"
cat <<'END'
.TP
.B TOSAJIT_PYTHON
the Python that has ONNX Runtime, for
.BR "tosajit onnx" ;
without it the first python3 of
.B PATH
that has it
.TP
.B TOSAJIT_HISTORY
the file that keeps the lines typed at
.B tosajit repl
.TP
.B PAGER
what shows long answers on a terminal; without it
.BR less (1);
an empty one or cat shows them at once
.TP
.BR XDG_STATE_HOME ", " HOME
where that file is without it
.SH FILES
.TP
.I ~/.local/state/tosajit/history
the lines typed at
.BR "tosajit repl" ;
in
.B $XDG_STATE_HOME
if that is set
.TP
.I $TOSAJIT_CACHE_DIR
compiled code, for later processes
.TP
.I /tmp/perf\-PID.map
names of kernels for perf(1), with
.B TOSAJIT_PERF=map
.SH EXAMPLES
END
after examples: | typeset_help 1
printf '.SH SEE ALSO\n.BR libtosajit (3),\n.BR libtosajit\\-mlir (3)\n'

#!/bin/sh
# tosajit.1 out of the command's own help, so that the two agree.
#   sh tools/man_page.sh TOSAJIT... > tosajit.1        (TOSAJIT: how to start the command, an emulator in front of it if need be)
set -eu
escape() { sed -e 's/\\/\\e/g' -e 's/-/\\-/g' -e "s/^\\([.']\\)/\\\\\\&\\1/"; }
verbatim() { printf '.nf\n'; escape; printf '.fi\n'; }
# The commands are the indented lines up to the first empty one after the usage.
help=$("$@" --help)
commands=$(printf '%s\n' "$help" | awk '/^  tosajit/ { exit } /^  [a-z]/ { print $1 }')
printf '.TH TOSAJIT 1 "" "%s" "User Commands"\n' "$("$@" --version)"
printf '.SH NAME\ntosajit \\- TOSA elementwise operations, compiled into SIMD kernels\n'
printf '.SH SYNOPSIS\n.B tosajit\n[\n.I COMMAND\n[\n.I FILE\n]\n.RI [ OPTIONS ]\n]\n'
printf '.SH DESCRIPTION\n'
printf '%s\n' "$help" | tail -n +2 | verbatim
printf '.SH COMMANDS\n'
for command in $commands; do
    text=$("$@" "$command" --help)
    printf '.SS %s\n' "$(printf '%s\n' "$text" | head -n 1 | escape)"
    printf '%s\n' "$text" | tail -n +3 | verbatim
done
printf '.SH SEE ALSO\n.BR libtosajit (3)\n'

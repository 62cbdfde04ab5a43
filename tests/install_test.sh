#!/bin/sh
# Install into a fresh place, move it, and build and run a project against it.
#   sh tests/install_test.sh BUILD_DIRECTORY CONSUMER_DIRECTORY
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$1" --prefix "$work/first" >"$work/log"
mv "$work/first" "$work/moved" # nothing may depend on where it was installed
cmake -S "$2" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/moved" >>"$work/log" || { cat "$work/log"; exit 1; }
cmake --build "$work/build" >>"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
for kind in shared static; do "$work/build/consumer_$kind"; done
foreign=$(nm -g --defined-only "$work"/moved/lib*/libtosajit.a "$work"/moved/lib/*/libtosajit.a 2>/dev/null | awk 'NF == 3 && $3 !~ /^tosajit_/ { print $3 }')
[ -z "$foreign" ] || { echo "libtosajit.a exports $foreign"; exit 1; }
library=$(find "$work/moved" -name 'libtosajit.so')
foreign=$(nm -D --defined-only "$library" | awk '$3 !~ /^tosajit_/ { print $3 }')
[ -z "$foreign" ] || { echo "libtosajit.so exports $foreign"; exit 1; }
objdump -p "$library" | grep -q 'SONAME *libtosajit.so.0$' || { echo "no SONAME"; exit 1; }

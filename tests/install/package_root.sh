#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The Debian packages in a Debian that has nothing else: each is installed by apt, with what it
# depends on, and used, as far as it goes alone; then the list of what a user does (user_list.sh).
#   sudo sh tests/install/package_root.sh SOURCE_DIRECTORY PACKAGES ENGINE
#       or: sudo ctest --test-dir build -C root -L root
# Needs root, debootstrap and the network (MIRROR and SECURITY name other servers than Debian's), a
# minute or two, and 3 GB in TMPDIR.
# Out: exit code 1, and what was said, if something fails.
set -eu
source=$1 packages=$2 engine=$3
mirror=${MIRROR:-http://deb.debian.org/debian} \
    security=${SECURITY:-http://deb.debian.org/debian-security}
root=$(mktemp -d)/root
leave() {
    umount "$root/proc" 2>/dev/null || true
    rm -rf --one-file-system "$(dirname "$root")"
}
trap leave EXIT
trap 'exit 1' INT TERM
log=$(dirname "$root")/log
fail() { echo "FAILED: $1"; exit 1; }
run() { "$@" >"$log" 2>&1 </dev/null || { tail -40 "$log"; fail "$*"; }; }
inside() {
    env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C DEBIAN_FRONTEND=noninteractive \
        chroot "$root" "$@"
}
# says TEXT COMMAND...: it succeeds and prints TEXT.
says() {
    text=$1
    shift
    run inside "$@"
    grep -qF -- "$text" "$log" || { cat "$log"; fail "$* does not say $text"; }
}
[ "$(id -u)" = 0 ] || fail "only root can make a root"
command -v debootstrap >/dev/null || fail "debootstrap is missing: apt-get install debootstrap"

run debootstrap --variant=minbase bookworm "$root" "$mirror"
for package in "$packages"/*.deb; do
    name=${package##*/}
    case $name in *-dbgsym_*) continue ;; esac
    cp "$package" "$root/${name%%_*}.deb"
done
cp -r "$source/tests/install/consumer" "$root/consumer"
cp /etc/resolv.conf "$root/etc/"
apt-config dump Acquire | grep -iE 'proxy|check-valid|check-date' \
    >"$root/etc/apt/apt.conf.d/99host" || true
printf 'deb %s bookworm main\ndeb %s bookworm-security main\n' "$mirror" "$security" \
    >"$root/etc/apt/sources.list"
mount -t proc proc "$root/proc"
run inside apt-get update
install() { run inside apt-get install -y --no-install-recommends "$@"; }

# What runs kernels brings nothing that compiles them.
install ./libtosajit-runtime0.deb
if inside dpkg-query -W | grep -i llvm; then fail "the runtime brings a compiler"; fi
[ -e "$(find "$root/usr/lib" -name 'libtosajit-runtime.so.0')" ] ||
    fail "there is no runtime library"

# What computes without a compiler brings none either. The host has one, and makes the program.
install ./libtosajit0.deb
if inside dpkg-query -W | grep -i llvm; then fail "the library brings a compiler"; fi
run cc -I"$source/include" "$source/tests/install/consumer/consumer.c" \
    "$(find "$root/usr/lib" -name 'libtosajit.so.0')" \
    -Wl,--allow-shlib-undefined -o "$root/computes"
says "2 4 6, native: 0" /computes

# The command, with its manual, and the compiler.
install ./libtosajit-codegen0.deb ./tosajit.deb man-db
says "2 4 6, native: 1" /computes
says "tosajit 0." tosajit --version
says "[[10 11 12]" sh -c \
    "printf 'y = x + [10] : f32[?,3]\n:run ramp 2x3\n:time 1024x3\n:save k.image\n:save k.o\n' | tosajit"
says "tosajit verify" man tosajit
if inside dpkg-query -W | grep -E 'libtosajit-dev|llvm-[0-9]*-dev'; then
    fail "the command brings headers"
fi

# What developers get: CMake's package, pkg-config, the manual of the API.
install ./libtosajit-dev.deb llvm-22-dev gcc g++ make cmake pkg-config
says "tosajit_compile_expr" man libtosajit
run inside cmake -S /consumer -B /consumer/build
run inside cmake --build /consumer/build
for kind in shared static; do run inside "/consumer/build/consumer_$kind" "/image_$kind"; done
for kind in runtime runtime_static both; do
    run inside "/consumer/build/consumer_$kind" /image_shared
done
run inside /consumer/build/consumer_aot
# The archive without a compiler takes the one that is installed here; install_test has it without.
says "2 4 6, native: 1" /consumer/build/consumer_ops
run inside sh -c \
    'cc /consumer/runtime.c -o /by_pkg_config $(pkg-config --cflags --libs tosajit-runtime) && /by_pkg_config /image_shared'
printf \
    '#include "k.h"\nint main(void) { const int64_t d[2] = {1, 3}; float x[3] = {1, 2, 3}, y[3];\nreturn k_main(x, d, y, d) || y[2] != 13; }\n' >"$root/use.c"
run inside sh -c 'cc use.c k.o -o /use $(pkg-config --cflags --libs tosajit-runtime) && /use'
if [ -e "$root/usr/include/tosajit/mlir.h" ]; then fail "developers of kernels get the reader"; fi

# And those who read TOSA files.
install ./libtosajit-mlir0.deb ./libtosajit-mlir-dev.deb
says "tosajit_mlir_outline" man libtosajit-mlir
run inside cmake -S /consumer -B /consumer/build
run inside cmake --build /consumer/build
says "11 12 13, 2 4 6" /consumer/build/consumer_mlir /consumer/twice.mlir
run inside sh -c \
    'cc /consumer/mlir.c -o /mlir_by_pkg_config $(pkg-config --cflags --libs tosajit-mlir) && /mlir_by_pkg_config /consumer/twice.mlir'

# The packages' own tests, which a distributor runs; and the list.
install ./tosajit-doc.deb ./python3-tosajit.deb python3 python3-numpy bsdextrautils
mkdir "$root/source" "$root/list"
cp -r "$source/debian" "$source/tests" "$source/examples" "$root/source"
for test in consumer reader command python; do
    run inside sh -c "cd /source && debian/tests/$test"
done
cp -r "$engine" "$root/engine"
run inside sh -c \
    'cd /list && PYTHONS=/usr/bin/python3 ENGINE=/engine sh /source/tests/install/user_list.sh "Debian packages" /usr/share/doc/tosajit /source/tests'
cat "$log"
rm -r "$root/source" "$root/list"

# All of it can go again.
run inside apt-get purge -y 'libtosajit*' 'tosajit*' python3-tosajit
left=$(find "$root/usr" "$root/etc" "$root/var" -name '*tosajit*' -not -path '*/apt/*' -not -path \
    '*/cache/*' -not -path '*/log/*')
[ -z "$left" ] || fail "left behind: $left"
echo "the packages install, work and go in a Debian that has nothing else"

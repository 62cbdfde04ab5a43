#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# user_list.sh in a form of tosajit, on a machine that hides what the form must do without.
#   sh tests/install/forms_test.sh FORM BUILD_DIRECTORY SOURCE_DIRECTORY PACKAGES ENGINE
#   tree      the build tree
#   prefix
#       installed, without sources and build tree; the same moved elsewhere; and with LLVM in a
#       folder that the loader does not know
#   packages
#       installed by apt in a root of nothing but what they ask for and the user's own tools: this
#       machine's packages, see local_root.sh
#   wheel     in a fresh venv of each Python, without sources, build tree and LLVM
# All but the first hide things by mounts, in a namespace of their own, which root may have, and on
# most machines everybody. Exit code 77:
# there is none, so nothing was tested. PACKAGES is what package_build.sh has made, ENGINE what
# tests/onnx/engine.sh has of the system's Python.
set -eu
form=$1
build=$(cd "$2" && pwd) source=$(cd "$3" && pwd) packages=$4
ENGINE=$5
if [ -z "${FORMS_WORK:-}" ]; then
    FORMS_WORK=$(mktemp -d)
    export FORMS_WORK
    trap 'rm -rf --one-file-system "$FORMS_WORK"' EXIT
    mkdir "$FORMS_WORK/tests" "$FORMS_WORK/pages"
    cp -r "$source/tests/install" "$source/tests/tools" "$FORMS_WORK/tests/"
    # for the form that brings none
    cp -r "$source/README.md" "$source/docs" "$source/examples" "$FORMS_WORK/pages/"
    namespace="unshare -rm"
    [ "$(id -u)" != 0 ] || namespace="unshare -m"
    if [ "$form" = tree ]; then
        namespace=
    elif ! $namespace true 2>"$FORMS_WORK/why"; then
        echo "NOT TESTED: this machine gives no namespace: $(cat "$FORMS_WORK/why")"
        exit 77
    fi
    $namespace sh "$FORMS_WORK/tests/install/forms_test.sh" "$@"
    exit
fi
work=$FORMS_WORK
fail() { echo "FAILED: $1"; exit 1; }
run() { "$@" >"$work/log" 2>&1 || { tail -40 "$work/log"; fail "$*"; }; }
setup_of() { sh "$work/tests/tools/setup_of.sh" "$@"; }
failed=0
# list COLUMN DOCUMENTS: the list, in an empty directory
list() {
    directory=$(mktemp -d -p "$work")
    (cd "$directory" && sh "$work/tests/install/user_list.sh" "$1" "$2" "$work/tests") || failed=1
}
hide_trees() { mount -t tmpfs none "$source" && {
    [ ! -d "$build" ] || mount -t tmpfs none "$build"; }
}
# The folder that the build found LLVM in, which may have links to the loader's; and the file there,
# of the name that programs know.
llvm=$(dirname "$(sed -n 's/^TOSAJIT_LLVM:FILEPATH=//p' "$build/CMakeCache.txt")")
llvm_file=$(readlink -f "$llvm/libLLVM.so")
# That folder has what the other one has, if anything, and the loader's folders have no LLVM.
hide_llvm() {
    mount --bind "$1" "$llvm"
    for file in "$llvm_file" $(ldconfig -p | sed -n 's/.*libLLVM.* => //p'); do
        [ ! -e "$file" ] || [ "$(dirname "$file")" = "$llvm" ] || mount --bind /dev/null "$file"
    done
}
native='import array, tosajit
print(tosajit.Engine(backend="native").evaluate("x + x", x=array.array("f", [1, 2])).tolist())'

# Each Python of this machine that can have the package, once.
PYTHONS= homes=
for python in $(command -v python3) /usr/bin/python3; do
    home=$("$python" -c 'import sys; sys.version_info >= (3, 11) and print(sys.prefix)')
    case " $homes " in *" $home "*) continue ;; esac
    [ -z "$home" ] || PYTHONS="$PYTHONS $("$python" -c 'import sys; print(sys.executable)')"
    homes="$homes $home"
done
case $form in prefix|packages|wheel) # which hide where it is
    mkdir "$work/engine"
    mount --bind "$ENGINE" "$work/engine"
    ENGINE=$work/engine ;;
esac
export PYTHONS ENGINE PYTHONDONTWRITEBYTECODE=1
PATH=$PATH:/usr/sbin:/sbin # root's

case $form in
tree)
    mkdir "$work/tree"
    cd "$work/tree"
    ln -s "$build" build
    ln -s "$source/README.md" "$source/docs" "$source/examples" "$source/include" .
    eval "$(setup_of docs/tour.md 'The command')"
    eval "$(setup_of docs/install.md 'A build tree')"
    list 'build tree' "$PWD"
    # run-example.sh builds less. The command has what it needs, and there is no package of Python
    # that lacks its module.
    run cmake -S "$source" -B "$work/new" -G Ninja -DTOSAJIT_BUILD_TESTS=OFF \
        -DTOSAJIT_BUILD_BENCH=OFF
    [ -z "$(find "$work/new/tools/python" -name '__init__*')" ] ||
        fail "there is a Python package without its module"
    # shellcheck disable=SC2046 # words on purpose
    run ninja -C "$work/new" -t commands $(sed -n 's/^cmake --build build --target //p' \
        "$source/run-example.sh")
    grep -q libtosajit-onnxruntime.so "$work/log" ||
        fail "run-example.sh builds the command without the operators of ONNX models"
    ;;
prefix)
    run cmake --install "$build" --prefix "$work/first"
    if grep -rlF -e "$build" -e "$source" -e "$work" "$work/first"; then
        fail "the files above name the trees that they are of, or their place"
    fi
    hide_trees
    cp -a /etc "$work/etc" 2>/dev/null || true # but what only root may read
    mount --bind "$work/etc" /etc
    setup=$(setup_of "$work/first/share/doc/tosajit/docs/install.md" 'A prefix' |
        grep -v '^prefix=')
    before=$PATH
    mkdir "$work/moved"
    for prefix in "$work/first" "$work/moved/else+where"; do
        [ -e "$prefix" ] || mv "$work/first" "$prefix"
        echo "in $prefix:"
        PATH=$before
        export prefix
        eval "$setup"
        list prefix "$prefix/share/doc/tosajit"
        rm -f /etc/ld.so.conf.d/tosajit.conf
        ldconfig
    done
    mkdir "$work/llvm"
    cp "$llvm_file" "$work/llvm/"
    hide_llvm "$work/llvm"
    for python in $PYTHONS; do run "$python" -c "$native"; done
    ;;
packages)
    # llvm-22-dev, of which the archive with the compiler is linked, takes too much room.
    tools="bash gcc g++ cmake make pkg-config python3 python3-numpy man-db bsdextrautils apt"
    mkdir "$work/root" "$work/debs"
    for package in "$packages"/*.deb; do
        case $package in *-dbgsym_*) ;; *) cp "$package" "$work/debs/" ;; esac
    done
    needs=$(for package in "$work"/debs/*.deb; do dpkg-deb -f "$package" Pre-Depends Depends; done |
        sed 's/^[A-Za-z-]*: //' | tr ',' '\n' | sed 's/^ *//; s/[ (|:].*//' | sort -u |
        grep -v tosajit)
    # shellcheck disable=SC2086 # lists of words
    run sh "$work/tests/install/local_root.sh" "$work/root" $tools $needs
    for folder in /proc /dev "$work/debs" "$work/tests" "$ENGINE"; do
        mkdir -p "$work/root$folder" && mount --rbind "$folder" "$work/root$folder"
    done
    inside() {
        chroot "$work/root" env -i PYTHONS=/usr/bin/python3 ENGINE="$ENGINE" \
            PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C "$@"
    }
    # another user is none of the namespace's
    echo 'APT::Sandbox::User "root";' >"$work/root/etc/apt/apt.conf.d/sandbox"
    run inside apt-get install -y "$work"/debs/*.deb
    # shellcheck disable=SC2016 # of the inner shell
    inside sh -c \
        'mkdir /list && cd /list && sh "$1"/install/user_list.sh "Debian packages" /usr/share/doc/tosajit "$1"' - "$work/tests" || failed=1
    run inside apt-get purge -y 'libtosajit*' 'tosajit*' python3-tosajit
    left=$(find "$work/root/usr" "$work/root/etc" "$work/root/var" -name '*tosajit*' -not -path \
        '*/apt/*' -not -path '*/log/*')
    [ -z "$left" ] || fail "the packages leave behind: $left"
    ;;
wheel)
    cp "$build"/tools/python/tosajit-*.whl "$work"
    interpreters=$PYTHONS PYTHONS=
    for python in $interpreters; do
        venv=$(mktemp -d -p "$work")
        run "$python" -m venv --without-pip "$venv"
        # NumPy comes from the network once.
        pip() { "$python" -m pip --disable-pip-version-check --python "$venv/bin/python3" "$@"; }
        pip download -d "$build/tests/wheels" --no-index -f "$build/tests/wheels" numpy \
            >"$work/log" 2>&1 || run pip download -d "$build/tests/wheels" numpy
        run pip install --no-index -f "$build/tests/wheels" numpy "$work"/tosajit-*.whl
        PYTHONS="$PYTHONS $venv/bin/python3"
    done
    PATH=$venv/bin:$PATH # the last one's command
    hide_trees
    mkdir "$work/nothing"
    hide_llvm "$work/nothing"
    for python in $PYTHONS; do
        if "$python" -c "$native" >"$work/log" 2>&1; then fail "LLVM is hidden, and found"; fi
        grep -q tosajit.CompileError "$work/log" || { cat "$work/log"; fail "no word of LLVM"; }
    done
    list wheel "$work/pages"
    ;;
esac
exit $failed

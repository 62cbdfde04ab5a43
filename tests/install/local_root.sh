#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A root of this machine's own packages: those that are named, what Debian calls essential, and what
# these depend on, as they are installed here. dpkg and apt know in it that these are installed and
# nothing else is. It takes seconds and no network, where debootstrap takes minutes.
#   sh tests/install/local_root.sh ROOT PACKAGE...        as root, if only of a namespace
set -eu
root=$1
shift
mkdir -p "$root/var/lib/dpkg"
dpkg=/var/lib/dpkg to=$root/var/lib/dpkg

# The packages, each once. Of alternatives it is the first one that is installed, under its own name
# or one that it provides.
dpkg-query -W -f \
    '${db:Status-Abbrev}\t${Package}\t${binary:Package}\t${Essential}\t${Provides}\t${Pre-Depends}, ${Depends}\n' |
    awk -F '\t' -v wanted="$*" '
        function bare(name) { sub(/^ */, "", name); sub(/[ :(\[].*/, "", name); return name }
        $1 !~ /^ii/ { next }
        { own[$2] = $3; needs[$2] = $6; if ($4 == "yes") wanted = wanted " " $2 }
        { count = split($5, names, ","); for (k = 1; k <= count; k++) if (bare(names[k]) != "") provider[bare(names[k])] = $2 }
        END {
            last = split(wanted, queue, " ")
            for (at = 1; at <= last; at++) {
                name = queue[at] in own ? queue[at] : provider[queue[at]]
                if (name == "") { print "not installed here: " queue[at] >"/dev/stderr"; exit 1 }
                if (taken[name]++) continue
                print own[name]
                count = split(needs[name], groups, ",")
                for (k = 1; k <= count; k++) {
                    choices = split(groups[k], names, "|")
                    for (c = 1; c <= choices; c++)
                        if (bare(names[c]) in own || bare(names[c]) in provider) { queue[++last] = bare(names[c]); break }
                }
            }
        }' >"$to/taken"
# of SUFFIX: the files of these packages in dpkg's folder whose names end so
of() { while read -r package; do
    ls "$dpkg/info/$package".$1 "$dpkg/info/${package%%:*}".$1 2>/dev/null || true
done <"$to/taken" | sort -u; }

# Their files, through the links of a merged /usr.
for directory in bin lib lib64 sbin; do [ ! -L /$directory ] || {
    mkdir -p "$root/usr/$directory" && ln -s usr/$directory "$root/$directory"
}; done
of list | xargs cat | sort -u | sed 's,^/\.*,,; /^$/d; /^\(bin\|lib\|lib64\|sbin\)$/d' |
    tar -C / -cf - --no-recursion --ignore-failed-read -T - 2>/dev/null |
    tar -xf - -C "$root" --keep-directory-symlink --no-same-owner
for file in passwd group; do cp "/usr/share/base-passwd/$file.master" "$root/etc/$file"; done

# What dpkg knows of them.
awk 'BEGIN { RS = ""; ORS = "\n\n" }
     FILENAME == ARGV[1] { for (k = split($0, names, "\n"); k; k--) { sub(/:.*/, "", names[k]); taken[names[k]] } next }
     { name = $2 } name in taken' "$to/taken" "$dpkg/status" >"$to/status"
of '*' | xargs cp -t "$to/info"
cp "$dpkg/info/format" "$to/info/"
mkdir -p "$to/updates" "$to/triggers" "$root/etc/alternatives"
echo libc-bin >"$to/triggers/ldconfig"

# What their installation makes besides: the loader's cache, and one of each alternative.
ldconfig -r "$root"
cp -r "$dpkg/alternatives" "$to/"
chroot "$root" sh -c \
    'cd /var/lib/dpkg/alternatives && for name in *; do update-alternatives --quiet --auto "$name"; done' >"$to/log" 2>&1 || true

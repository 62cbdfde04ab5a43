#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A checker that has never failed is not believed. Each mutation below takes one step out of the
# library's sources; the scenario beside it must find that, and say the words beside it.
# usage: mutations.sh SOURCE_DIRECTORY OUTPUT_DIRECTORY COMPILE_COMMAND OBJECTS LIBRARIES
set -eu
root=$1 out=$2 compile=$3 objects=$4 libraries=$5
mkdir -p "$out"
count=0

# mutate FILE SCENARIO WORDS SED_SCRIPT
mutate() {
    sed "$4" "$root/$1" > "$out/mutant.c"
    if cmp -s "$root/$1" "$out/mutant.c"; then
        echo "FAILED: $1 has nothing that \"$4\" changes" >&2
        exit 1
    fi
    others=
    for object in $objects; do
        case $object in *"/$1.o") ;; *) others="$others $object" ;; esac
    done
    # shellcheck disable=SC2086
    $compile -o "$out/mutant" "$out/mutant.c" $others $libraries
    if "$out/mutant" "$2" > "$out/said" 2>&1; then
        echo "FAILED: $1, \"$4\": \"$2\" finds nothing" >&2
        exit 1
    fi
    if ! grep -q "^\*\*\*.*\($3\)" "$out/said"; then
        echo "FAILED: $1, \"$4\": \"$2\" does not say \"$3\" but" >&2
        head -20 "$out/said" >&2
        exit 1
    fi
    echo "$1: $(grep -m 1 "^\*\*\*" "$out/said")"
    count=$((count + 1))
}

# A queued kernel that only the queue holds is dropped in two steps.
mutate jit/engine/background.c background 'a lost kernel' \
    's/if (!kernel_release_last(j->kernel)) finish_job(j, j->work(j->engine, j->kernel));/finish_job(j, atomic_load(\&j->kernel->references) > 1 ? j->work(j->engine, j->kernel) : TOSAJIT_OK);/'
# Who waits for a job is not told.
mutate jit/engine/background.c background 'nobody can go on' '/system_condition_broadcast/d'
# A child waits for a job of its parent's thread.
mutate jit/engine/background.c 'fork, background' 'in the child: nobody can go on' \
    's/if (!is_inherited(b)) {/if (b->process) {/'
# A child goes where its parent's threads were.
mutate jit/engine/presence.c fork 'in the child: nobody can go on' '/return false;/d'
# A child waits for its parent's threads to leave LLVM.
mutate jit/engine/presence.c fork 'in the child' \
    's/== process ? (uint32_t)word : 0/? (uint32_t)word : 0/'
# A child waits for gdb's list.
mutate jit/show/gdb.c fork 'in the child: nobody can go on' 's/!presence_enter(&inside)/0/'
# A kernel without a reference is found.
mutate jit/engine/cache.c life 'signal 11\|release' \
    's/while (references > 0)/while (references >= 0)/'
# Nobody looks for a flight.
mutate jit/engine/cache.c 'single flight' 'compiled twice' '/if (!\*kernel) other = /d'
# Who joined a flight has no reference.
mutate jit/engine/cache.c 'single flight' 'release' \
    's/references, f->waiting, memory/references, 0, memory/'
# The reason of a failure goes to its thread alone.
mutate jit/engine/cache.c failure 'the reason is lost' \
    's/failure_tell(&f->failure)/f->failure.status/'
# A list waits for another one while others wait for it.
mutate jit/batch.c lists 'nobody can go on' \
    's/\&engine->allocator, false,/\&engine->allocator, true,/'
# Who waits for a kernel when its engine goes is not told.
mutate jit/engine/background.c 'engine goes' 'nobody can go on\|are left' \
    's/for (job \*j = b->first, \*next; j; j = next)/for (job *j = NULL, *next; j; j = next)/'
# A job does not hold its kernel.
mutate jit/engine/background.c background 'release\|signal 11\|left' \
    '/tosajit_kernel_retain(kernel)/d'
# An entry is found by its sizes before it has the rest.
mutate runtime/run/call_cache.c 'cached calls' 'a torn entry\|signal' \
    's/    if (!s.words) return;/&memset(s.words, 0, sizeof *s.words * q->words); write_form(l, kernel->counts, operands, results, s.words + q->words); call_entry_publish(s, l->tag);/'
# The mapping is nobody's alone.
mutate runtime/system/pages.c pages 'piece\|signal 11' \
    's/return !atomic_flag_test_and_set_explicit/return (void)atomic_flag_test_and_set_explicit/; s/\(busy, memory_order_acquire)\);/\1, true;/'
# tosajit_quiesce does not wait; and nobody looks whether it was called.
mutate jit/engine/gate.c gate 'returns while somebody is inside' \
    '/presence_count(&inside) > nesting/d'
mutate jit/engine/gate.c gate 'gets in after' \
    's/if (!atomic_load(&closed)) return TOSAJIT_OK;/if (inside.word) return TOSAJIT_OK;/'
# A loop returns while somebody is in a piece; and who sleeps until then is not told.
mutate jit/engine/pool.c pool 'has returned\|computed 0 times' \
    's/wait_for(p, has_emptied, 0, &p->left);//'
mutate jit/engine/pool.c pool 'nobody can go on' 's/system_condition_signal(&p->left);//'
# An entry is written under its own name.
mutate jit/engine/disk_cache.c store 'damaged' \
    's/store_file_write(s->directory, temporary,/store_file_write(s->directory, name,/; s/renameat(s->directory, temporary, s->directory, name) == 0/true/'

echo "$count mutations, each found"

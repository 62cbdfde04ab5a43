/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Gdb: the interface consists of a function, on which gdb sets a breakpoint, and a list, which it
 * then reads. Both are found by their names among the library's local symbols; a stripped library
 * has none. */
#include "jit/show/gdb.h"

#include <string.h>

#include "jit/engine/presence.h"
#include "jit/target/elf.h"
#include "runtime/base/memory.h"
#include "runtime/system/system.h"

typedef struct jit_code_entry jit_code_entry;
struct jit_code_entry {
    jit_code_entry *next, *previous;
    const unsigned char *object;
    uint64_t size;
};

typedef struct jit_descriptor {
    uint32_t version, action;
    jit_code_entry *relevant, *first;
} jit_descriptor;

enum { JIT_VERSION = 1, JIT_NOTHING = 0, JIT_REGISTER = 1, JIT_UNREGISTER = 2 };

/* gdb looks for these two names. Nothing else here reads the list or needs the call, so the
 * function's body is volatile: without it the optimiser would drop both. */
// NOLINTBEGIN(bugprone-reserved-identifier)
jit_descriptor __jit_debug_descriptor = {JIT_VERSION, JIT_NOTHING, NULL, NULL};
void __jit_debug_register_code(void);
// NOLINTEND(bugprone-reserved-identifier)
#if defined(__GNUC__)
__attribute__((noinline, used))
#endif
void __jit_debug_register_code(void) {
    static volatile int called;
    called = 1;
    (void)called;
}

static system_mutex mutex = SYSTEM_MUTEX;
static presence inside; /* a child does not wait for a mutex that its parent's thread had */

typedef struct registration {
    jit_code_entry entry;
    tosajit_allocator allocator;
    unsigned char *object;
} registration;

/* An object has no addresses; gdb takes those of its section headers. */
static void place_text(unsigned char *object, uint64_t address) {
    elf_header header;
    memcpy(&header, object, sizeof header);
    for (uint64_t k = 0; k < header.e_shnum; k++) {
        elf_section section;
        unsigned char *at = object + header.e_shoff + k * sizeof section;
        memcpy(&section, at, sizeof section);
        if (!(section.sh_flags & ELF_SHF_EXECINSTR)) continue;
        section.sh_addr = address;
        memcpy(at, &section, sizeof section);
    }
}

/* Tell gdb, under mutex. */
static void notify(uint32_t action, jit_code_entry *entry) {
    __jit_debug_descriptor.relevant = entry;
    __jit_debug_descriptor.action = action;
    __jit_debug_register_code();
}

void *gdb_add(unsigned char *object, size_t size, uint64_t address,
              const tosajit_allocator *allocator) {
    registration *r = memory_new(allocator, 1, sizeof *r);
    if (!r || !presence_enter(&inside)) {
        memory_free(allocator, r, 1, sizeof *r);
        memory_free(allocator, object, size, 1);
        return NULL;
    }
    place_text(object, address);
    *r = (registration){{NULL, NULL, object, size}, *allocator, object};
    system_mutex_lock(&mutex);
    r->entry.next = __jit_debug_descriptor.first;
    if (r->entry.next) r->entry.next->previous = &r->entry;
    __jit_debug_descriptor.first = &r->entry;
    notify(JIT_REGISTER, &r->entry);
    system_mutex_unlock(&mutex);
    presence_leave(&inside);
    return r;
}

void gdb_remove(void *handle) {
    registration *r = handle;
    jit_code_entry *e = &r->entry;
    if (!presence_enter(&inside)) return; /* it stays in a list that is half changed */
    system_mutex_lock(&mutex);
    if (e->next) e->next->previous = e->previous;
    if (e->previous)
        e->previous->next = e->next;
    else
        __jit_debug_descriptor.first = e->next;
    notify(JIT_UNREGISTER, e);
    system_mutex_unlock(&mutex);
    presence_leave(&inside);
    tosajit_allocator allocator = r->allocator;
    memory_free(&allocator, r->object, (size_t)e->size, 1);
    memory_free(&allocator, r, 1, sizeof *r);
}

/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Objects: relocatable ELF files, 64-bit and little-endian. Read: an untrusting view of what LLVM's
 * code generator made. Written: sections and symbols of our own. Source: System V ABI, chapter 4.
 */
#ifndef TOSAJIT_JIT_TARGET_OBJECT_H
#define TOSAJIT_JIT_TARGET_OBJECT_H

#include <stdbool.h>
#include <stddef.h>

#include "jit/target/elf.h"
#include "runtime/code/code.h"
#include "tosajit/tosajit.h"

/* A file whose header has been checked; everything else is checked when it is read. Nothing is
 * owned. */
typedef struct object {
    const unsigned char *bytes;
    size_t size;
    elf_header header;
} object;

/* CODEGEN_FAILED for anything but a relocatable ELF file of this kind. */
tosajit_status object_open(const void *bytes, size_t size, object *o);
/* Every reader below reports CODEGEN_FAILED, with a message, for what lies outside of the file. */
tosajit_status object_section(const object *o, uint64_t index, elf_section *section);
/* The bytes of a section that has some. */
tosajit_status object_contents(const object *o, const elf_section *section,
                               const unsigned char **contents);
/* Record `index` of a table of records of this size: symbols, relocations. */
tosajit_status object_record(const object *o, const elf_section *table, uint64_t index,
                             void *record, size_t size);
/* The name of a symbol, "?" if it has none that can be read. */
const char *object_symbol_name(const object *o, const elf_section *symbols,
                               const elf_symbol *symbol);

/* Parts of the file that object_write makes. */
typedef struct object_relocation {
    uint64_t offset; /* in the section */
    uint32_t type;
    uint32_t symbol; /* index among the symbols written */
    int64_t addend;
} object_relocation;

typedef struct object_section_spec {
    const char *name;
    uint64_t flags; /* ELF_SHF_* */
    uint64_t alignment;
    const void *bytes;
    size_t size;
    const object_relocation *relocations;
    size_t relocation_count;
} object_section_spec;

typedef struct object_symbol_spec {
    const char *name;
    uint32_t section;               /* index among the sections written, or OBJECT_UNDEFINED */
    unsigned char type, visibility; /* ELF_STT_*, ELF_STV_* */
    uint64_t offset, size;
    bool local; /* these come before all others */
} object_symbol_spec;
#define OBJECT_UNDEFINED UINT32_MAX

typedef struct object_spec {
    uint16_t machine; /* MACHINE_* of runtime/base/features.h */
    const object_section_spec *sections;
    size_t section_count;
    const object_symbol_spec *symbols;
    size_t symbol_count;
} object_spec;

/* The file; *bytes is released with memory_free(allocator, *bytes, *size, 1). OUT_OF_MEMORY. */
tosajit_status object_write(const object_spec *spec, const tosajit_allocator *allocator,
                            unsigned char **bytes, size_t *size);
/* The same of an image: its code as one section, with a symbol for each of its functions. */
tosajit_status object_write_image(const code_image *image, char *const *names,
                                  const tosajit_allocator *allocator, unsigned char **bytes,
                                  size_t *size);

#endif

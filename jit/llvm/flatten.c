/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Flatten: layout, then relocations.
 *
 *     object (LLVM's)                 image
 *     .text            ──place──>     0     code of all functions
 *     .rodata.cst16    ──place──>     192   constants, each at its alignment
 *     .rela.text       ──resolve──>         distances between the two, written into the code
 *     .eh_frame, names                      left out, or refused
 *
 * For example "vmulps zmm0, zmm0, [rip + .LCPI0_0]" has a relocation R_X86_64_PC32. Its four bytes
 * become the distance from the instruction to the constant, which is the same wherever the image
 * is put. Distances between pages of 4 KiB, which AArch64 uses, are the same only if the image
 * begins at a page. Code that uses them therefore gives the image that alignment. */
#include "jit/llvm/flatten.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "jit/target/object.h"
#include "runtime/base/diag.h"
#include "runtime/base/features.h"
#include "runtime/base/memory.h"

enum { MAX_SECTIONS = 64, MAX_IMAGE = 64 << 20, PAGE = 4096 };

typedef struct layout {
    const object *o;
    const tosajit_allocator *allocator;
    code_image *image;
    unsigned char *bytes; /* of the image */
    elf_section sections[MAX_SECTIONS];
    bool needed[MAX_SECTIONS];     /* by the functions: theirs, and what their code refers to */
    uint64_t placed[MAX_SECTIONS]; /* offset in the image; NOT_PLACED */
    elf_section symbols;           /* the symbol table; sh_size 0 if there is none */
} layout;
#define NOT_PLACED UINT64_MAX

/* Layout. */

static const char *section_name(const layout *l, const elf_section *section) {
    elf_section names = {.sh_link = l->o->header.e_shstrndx};
    return object_symbol_name(l->o, &names, &(elf_symbol){.st_name = section->sh_name});
}

/* Unwind tables have a section type of their own on x86-64; on AArch64 only their name tells them
 * from constants. */
static bool is_unwind_table(const layout *l, const elf_section *s) {
    return strcmp(section_name(l, s), ".eh_frame") == 0;
}

static tosajit_status check_section(const layout *l, const elf_section *s) {
    bool fits = s->sh_type == ELF_SHT_PROGBITS && !(s->sh_flags & (ELF_SHF_WRITE | ELF_SHF_TLS)) &&
                s->sh_addralign <= PAGE && (s->sh_addralign & (s->sh_addralign - 1)) == 0 &&
                s->sh_size <= MAX_IMAGE && !is_unwind_table(l, s);
    if (fits) return TOSAJIT_OK;
    return diag_error(TOSAJIT_CODEGEN_FAILED,
                      "the generated code has the section \"%s\"; kernels are code and constants",
                      section_name(l, s));
}

/* Give every section that is needed at run time its offset in the image, those with code first. */
static tosajit_status place(layout *l) {
    uint64_t end = 0, alignment = 1;
    for (int constants = 0; constants < 2; constants++)
        for (uint32_t k = 0; k < l->o->header.e_shnum; k++) {
            const elf_section *s = &l->sections[k];
            bool is_code = s->sh_flags & ELF_SHF_EXECINSTR;
            if (!(s->sh_flags & ELF_SHF_ALLOC) || !l->needed[k] || s->sh_size == 0 ||
                is_code == (constants != 0))
                continue;
            tosajit_status status = check_section(l, s);
            if (status) return status;
            uint64_t own = s->sh_addralign ? s->sh_addralign : 1;
            l->placed[k] = (end + own - 1) & ~(own - 1);
            end = l->placed[k] + s->sh_size;
            if (own > alignment) alignment = own;
            if (end > MAX_IMAGE)
                return diag_error(TOSAJIT_LIMIT_EXCEEDED,
                                  "the generated code has more than the %d bytes of one kernel",
                                  (int)MAX_IMAGE);
        }
    l->image->size = end;
    l->image->alignment = (uint32_t)alignment;
    return TOSAJIT_OK;
}

static tosajit_status read_sections(layout *l) {
    if (l->o->header.e_shnum > MAX_SECTIONS)
        return diag_error(TOSAJIT_CODEGEN_FAILED, "the generated code has %u sections",
                          (unsigned)l->o->header.e_shnum);
    tosajit_status status = TOSAJIT_OK;
    for (uint32_t k = 0; !status && k < l->o->header.e_shnum; k++) {
        l->placed[k] = NOT_PLACED;
        status = object_section(l->o, k, &l->sections[k]);
        if (!status && l->sections[k].sh_type == ELF_SHT_SYMTAB) l->symbols = l->sections[k];
    }
    return status;
}

static tosajit_status copy_sections(layout *l) {
    l->image->bytes = l->bytes = memory_new(l->allocator, l->image->size, 1);
    if (!l->bytes)
        return diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for %zu bytes of code",
                          l->image->size);
    for (uint32_t k = 0; k < l->o->header.e_shnum; k++) {
        const unsigned char *contents;
        if (l->placed[k] == NOT_PLACED) continue;
        tosajit_status status = object_contents(l->o, &l->sections[k], &contents);
        if (status) return status;
        memcpy(l->bytes + l->placed[k], contents, l->sections[k].sh_size);
    }
    return TOSAJIT_OK;
}

/* Symbols. */

static tosajit_status symbol_at(const layout *l, uint64_t index, elf_symbol *symbol) {
    return object_record(l->o, &l->symbols, index, symbol, sizeof *symbol);
}

static uint64_t symbol_count(const layout *l) { return l->symbols.sh_size / sizeof(elf_symbol); }

/* True if the symbol lies in a section that has a place. */
static bool is_placed(const layout *l, const elf_symbol *symbol) {
    return symbol->st_shndx < l->o->header.e_shnum && l->placed[symbol->st_shndx] != NOT_PLACED &&
           symbol->st_value <= l->sections[symbol->st_shndx].sh_size;
}

static tosajit_status check_symbols(const layout *l) {
    for (uint64_t k = 1; k < symbol_count(l); k++) {
        elf_symbol symbol;
        tosajit_status status = symbol_at(l, k, &symbol);
        if (status) return status;
        if (symbol.st_shndx == ELF_SHN_UNDEF)
            return diag_error(
                TOSAJIT_CODEGEN_FAILED,
                "the generated code needs the foreign symbol \"%s\"; kernels must stand alone",
                object_symbol_name(l->o, &l->symbols, &symbol));
    }
    return TOSAJIT_OK;
}

static tosajit_status find_entry(const layout *l, const char *name, uint32_t *offset) {
    for (uint64_t k = 1; k < symbol_count(l); k++) {
        elf_symbol symbol;
        tosajit_status status = symbol_at(l, k, &symbol);
        if (status) return status;
        if (strcmp(object_symbol_name(l->o, &l->symbols, &symbol), name) != 0 ||
            !is_placed(l, &symbol))
            continue;
        const elf_section *section = &l->sections[symbol.st_shndx];
        if (!(section->sh_flags & ELF_SHF_EXECINSTR) || symbol.st_value == section->sh_size)
            continue;
        *offset = (uint32_t)(l->placed[symbol.st_shndx] + symbol.st_value);
        return TOSAJIT_OK;
    }
    return diag_error(TOSAJIT_CODEGEN_FAILED, "the generated code has no function \"%s\"", name);
}

/* Relocations. S is the address of the symbol, A the addend, P the place, all as offsets in the
 * image. */

typedef enum resolution {
    REFUSED,    /* not a distance inside the image; the row is there for its name */
    DISTANCE32, /* S + A - P, 32 bits */
    DISTANCE64,
    A64_DISTANCE21, /* adr */
    A64_DISTANCE19, /* ldr of a literal, b.cond: words */
    A64_DISTANCE26, /* b, bl: words */
    A64_PAGES21,    /* adrp: pages */
    A64_IN_PAGE,    /* add, ldr, str: the low 12 bits of S + A, in units of the access */
} resolution;

typedef struct relocation_row {
    uint16_t machine;
    uint16_t type;
    resolution how;
    int shift; /* of A64_IN_PAGE: log2 of the unit */
    const char *name;
} relocation_row;

#define ROW(machine, name, how, shift)                                                             \
    { machine, ELF_R_##name, how, shift, "R_" #name }
static const relocation_row relocation_rows[] = {
    ROW(MACHINE_X86_64, X86_64_PC32, DISTANCE32, 0),
    ROW(MACHINE_X86_64, X86_64_PLT32, DISTANCE32,
        0), /* a call of a function of the image needs no table */
    ROW(MACHINE_X86_64, X86_64_PC64, DISTANCE64, 0),
    ROW(MACHINE_X86_64, X86_64_64, REFUSED, 0),
    ROW(MACHINE_X86_64, X86_64_32, REFUSED, 0),
    ROW(MACHINE_X86_64, X86_64_32S, REFUSED, 0),
    ROW(MACHINE_X86_64, X86_64_GOTPCREL, REFUSED, 0),
    ROW(MACHINE_X86_64, X86_64_GOTPCRELX, REFUSED, 0),
    ROW(MACHINE_X86_64, X86_64_REX_GOTPCRELX, REFUSED, 0),
    ROW(MACHINE_AARCH64, AARCH64_PREL32, DISTANCE32, 0),
    ROW(MACHINE_AARCH64, AARCH64_PREL64, DISTANCE64, 0),
    ROW(MACHINE_AARCH64, AARCH64_LD_PREL_LO19, A64_DISTANCE19, 0),
    ROW(MACHINE_AARCH64, AARCH64_CONDBR19, A64_DISTANCE19, 0),
    ROW(MACHINE_AARCH64, AARCH64_ADR_PREL_LO21, A64_DISTANCE21, 0),
    ROW(MACHINE_AARCH64, AARCH64_CALL26, A64_DISTANCE26, 0),
    ROW(MACHINE_AARCH64, AARCH64_JUMP26, A64_DISTANCE26, 0),
    ROW(MACHINE_AARCH64, AARCH64_ADR_PREL_PG_HI21, A64_PAGES21, 0),
    ROW(MACHINE_AARCH64, AARCH64_ADD_ABS_LO12_NC, A64_IN_PAGE, 0),
    ROW(MACHINE_AARCH64, AARCH64_LDST8_ABS_LO12_NC, A64_IN_PAGE, 0),
    ROW(MACHINE_AARCH64, AARCH64_LDST16_ABS_LO12_NC, A64_IN_PAGE, 1),
    ROW(MACHINE_AARCH64, AARCH64_LDST32_ABS_LO12_NC, A64_IN_PAGE, 2),
    ROW(MACHINE_AARCH64, AARCH64_LDST64_ABS_LO12_NC, A64_IN_PAGE, 3),
    ROW(MACHINE_AARCH64, AARCH64_LDST128_ABS_LO12_NC, A64_IN_PAGE, 4),
    ROW(MACHINE_AARCH64, AARCH64_ABS64, REFUSED, 0),
    ROW(MACHINE_AARCH64, AARCH64_ABS32, REFUSED, 0),
    ROW(MACHINE_AARCH64, AARCH64_ADR_GOT_PAGE, REFUSED, 0),
    ROW(MACHINE_AARCH64, AARCH64_LD64_GOT_LO12_NC, REFUSED, 0),
};
#undef ROW

static const relocation_row *find_row(uint16_t machine, uint32_t type) {
    for (size_t k = 0; k < sizeof relocation_rows / sizeof *relocation_rows; k++)
        if (relocation_rows[k].machine == machine && relocation_rows[k].type == type)
            return &relocation_rows[k];
    return NULL;
}

/* Put `count` bits of a value into the word, or instruction, at `at`; false if it does not fit as a
 * signed number. */
static bool put_bits(unsigned char *at, int64_t value, int count, int position) {
    uint32_t word, mask = (uint32_t)((UINT64_C(1) << count) - 1);
    if (value < -(INT64_C(1) << (count - 1)) || value >= INT64_C(1) << (count - 1)) return false;
    memcpy(&word, at, sizeof word);
    word = (word & ~(mask << position)) | ((uint32_t)value & mask) << position;
    memcpy(at, &word, sizeof word);
    return true;
}

/* adr and adrp keep the low two bits of their 21 apart. */
static bool put_adr(unsigned char *at, int64_t value) {
    int64_t low = value & 3;
    return put_bits(at, value >> 2, 19, 5) && put_bits(at, low >= 2 ? low - 4 : low, 2, 29);
}

/* Resolve a relocation at `at`, which has room for it; false if it cannot be. target is S + A,
 * place is P. */
static bool resolve_relocation(const relocation_row *row, unsigned char *at, int64_t target,
                               int64_t place, uint32_t *alignment) {
    int64_t distance = target - place;
    switch (row->how) {
    case DISTANCE32: return put_bits(at, distance, 32, 0);
    case DISTANCE64: return memcpy(at, &distance, sizeof distance), true;
    case A64_DISTANCE21: return put_adr(at, distance);
    case A64_DISTANCE19: return distance % 4 == 0 && put_bits(at, distance / 4, 19, 5);
    case A64_DISTANCE26: return distance % 4 == 0 && put_bits(at, distance / 4, 26, 0);
    case A64_PAGES21:
        *alignment = PAGE;
        return put_adr(at, (target & -PAGE) / PAGE - (place & -PAGE) / PAGE);
    case A64_IN_PAGE: {
        int64_t offset = target & (PAGE - 1), units = offset >> row->shift;
        *alignment = PAGE;
        return units << row->shift == offset &&
               put_bits(at, units >= PAGE / 2 ? units - PAGE : units, 12, 10);
    }
    case REFUSED: break;
    }
    return false;
}

static tosajit_status relocation_error(const layout *l, const elf_symbol *symbol, uint32_t type) {
    const relocation_row *row = find_row(l->o->header.e_machine, type);
    char number[32];
    snprintf(number, sizeof number, "of type %" PRIu32, type);
    const char *name = object_symbol_name(l->o, &l->symbols, symbol);
    if (!*name && symbol->st_shndx < l->o->header.e_shnum)
        name = section_name(l, &l->sections[symbol->st_shndx]);
    return diag_error(
        TOSAJIT_CODEGEN_FAILED,
        "the generated code has a relocation %s to \"%s\", which is no distance inside the kernel",
        row ? row->name : number, name);
}

static tosajit_status relocate(layout *l, uint64_t section, const elf_rela *r) {
    elf_symbol symbol;
    uint32_t type = elf_rela_type(r);
    tosajit_status status = symbol_at(l, elf_rela_symbol(r), &symbol);
    if (status) return status;
    const relocation_row *row = find_row(l->o->header.e_machine, type);
    uint64_t width = row && row->how == DISTANCE64 ? 8 : 4, size = l->sections[section].sh_size;
    bool fits = row && is_placed(l, &symbol) && size >= width && r->r_offset <= size - width &&
                r->r_addend > -MAX_IMAGE && r->r_addend < MAX_IMAGE;
    if (!fits) return relocation_error(l, &symbol, type);
    int64_t place = (int64_t)(l->placed[section] + r->r_offset);
    int64_t target = (int64_t)(l->placed[symbol.st_shndx] + symbol.st_value) + r->r_addend;
    if (!resolve_relocation(row, l->bytes + place, target, place, &l->image->alignment))
        return relocation_error(l, &symbol, type);
    return TOSAJIT_OK;
}

/* True if a section holds relocations of another one that is wanted. */
static bool relocates(const layout *l, const elf_section *table, const bool *wanted) {
    return (table->sh_type == ELF_SHT_RELA || table->sh_type == ELF_SHT_REL) &&
           table->sh_info < l->o->header.e_shnum && wanted[table->sh_info];
}

/* Add the sections that those in l->needed refer to; *more: there were any. */
static tosajit_status need_referred(layout *l, bool *more) {
    tosajit_status status = TOSAJIT_OK;
    *more = false;
    for (uint32_t k = 0; k < l->o->header.e_shnum; k++) {
        const elf_section *table = &l->sections[k];
        if (!relocates(l, table, l->needed) || table->sh_type != ELF_SHT_RELA) continue;
        for (uint64_t at = 0; !status && at < table->sh_size / sizeof(elf_rela); at++) {
            elf_rela r;
            elf_symbol symbol = {0};
            status = object_record(l->o, table, at, &r, sizeof r);
            if (!status) status = symbol_at(l, elf_rela_symbol(&r), &symbol);
            if (status || symbol.st_shndx >= l->o->header.e_shnum || l->needed[symbol.st_shndx])
                continue;
            l->needed[symbol.st_shndx] = *more = true;
        }
    }
    return status;
}

/* The sections of the functions, and all that these refer to. */
static tosajit_status find_needed(layout *l, char *const *names, int32_t count) {
    for (uint64_t k = 1; k < symbol_count(l); k++) {
        elf_symbol symbol;
        tosajit_status status = symbol_at(l, k, &symbol);
        if (status) return status;
        for (int32_t f = 0; f < count && symbol.st_shndx < l->o->header.e_shnum; f++)
            l->needed[symbol.st_shndx] |=
                strcmp(object_symbol_name(l->o, &l->symbols, &symbol), names[f]) == 0;
    }
    bool more = true;
    tosajit_status status = TOSAJIT_OK;
    while (!status && more) status = need_referred(l, &more);
    return status;
}

static tosajit_status relocate_all(layout *l) {
    tosajit_status status = TOSAJIT_OK;
    for (uint32_t k = 0; !status && k < l->o->header.e_shnum; k++) {
        const elf_section *table = &l->sections[k];
        if (!relocates(l, table, l->needed) || l->placed[table->sh_info] == NOT_PLACED) continue;
        if (table->sh_type == ELF_SHT_REL)
            return diag_error(TOSAJIT_CODEGEN_FAILED,
                              "the generated code has relocations without addends");
        for (uint64_t at = 0; !status && at < table->sh_size / sizeof(elf_rela); at++) {
            elf_rela r;
            status = object_record(l->o, table, at, &r, sizeof r);
            if (!status) status = relocate(l, table->sh_info, &r);
        }
    }
    return status;
}

/* only: no section but those that the functions need. */
static tosajit_status make_image(const void *bytes, size_t size, char *const *names, int32_t count,
                                 bool only, const tosajit_allocator *allocator, code_image *image) {
    object o;
    layout l = {.o = &o, .allocator = allocator, .image = image};
    *image = (code_image){0};
    tosajit_status status = object_open(bytes, size, &o);
    if (!status) status = read_sections(&l);
    if (!status) status = check_symbols(&l);
    memset(l.needed, !only, sizeof l.needed);
    if (!status && only) status = find_needed(&l, names, count);
    if (!status) status = place(&l);
    if (!status) status = copy_sections(&l);
    if (!status) status = relocate_all(&l);
    for (int32_t k = 0; !status && k < count; k++)
        status = find_entry(&l, names[k], &image->entries[k]);
    image->machine = o.header.e_machine;
    image->entry_count = (uint32_t)count;
    if (status) code_release(image, allocator);
    return status;
}

tosajit_status flatten(const void *bytes, size_t size, char *const *names, int32_t count,
                       const tosajit_allocator *allocator, code_image *image) {
    return make_image(bytes, size, names, count, false, allocator, image);
}

tosajit_status flatten_some(const void *bytes, size_t size, char *const *names, int32_t count,
                            const tosajit_allocator *allocator, code_image *image) {
    return make_image(bytes, size, names, count, true, allocator, image);
}

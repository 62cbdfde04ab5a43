/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Objects: a reader of ELF files that trusts no offset, and a writer of small ones. */
#include "jit/target/object.h"

#include <string.h>

#include "runtime/base/diag.h"
#include "runtime/base/memory.h"
#include "runtime/base/types.h"

/* Reading. */

static tosajit_status malformed(const char *what) {
    return diag_error(TOSAJIT_CODEGEN_FAILED, "LLVM made a malformed object: %s", what);
}

/* True if size bytes at offset are in the file. */
static bool is_inside(const object *o, uint64_t offset, uint64_t size) {
    return offset <= o->size && size <= o->size - offset;
}

tosajit_status object_open(const void *bytes, size_t size, object *o) {
    *o = (object){.bytes = bytes, .size = size};
    if (size < sizeof o->header) return malformed("it ends in its header");
    memcpy(&o->header, bytes, sizeof o->header);
    const elf_header *h = &o->header;
    if (memcmp(h->e_ident, ELF_IDENT, ELF_KIND_SIZE) != 0)
        return malformed("it is no little-endian 64-bit ELF file");
    if (h->e_type != ELF_ET_REL || h->e_shentsize != sizeof(elf_section))
        return malformed("it is not relocatable");
    return TOSAJIT_OK;
}

tosajit_status object_section(const object *o, uint64_t index, elf_section *section) {
    if (index >= o->header.e_shnum || o->header.e_shoff > o->size)
        return malformed("a section is missing");
    uint64_t offset = o->header.e_shoff + index * sizeof *section;
    if (!is_inside(o, offset, sizeof *section)) return malformed("a section header lies outside");
    memcpy(section, o->bytes + offset, sizeof *section);
    return TOSAJIT_OK;
}

tosajit_status object_contents(const object *o, const elf_section *section,
                               const unsigned char **contents) {
    *contents = o->bytes;
    if (!is_inside(o, section->sh_offset, section->sh_size))
        return malformed("a section lies outside");
    *contents += section->sh_offset;
    return TOSAJIT_OK;
}

tosajit_status object_record(const object *o, const elf_section *table, uint64_t index,
                             void *record, size_t size) {
    const unsigned char *contents;
    tosajit_status status = object_contents(o, table, &contents);
    if (status) return status;
    if (table->sh_entsize != size || index >= table->sh_size / size)
        return malformed("a table has no such entry");
    memcpy(record, contents + index * size, size);
    return TOSAJIT_OK;
}

const char *object_symbol_name(const object *o, const elf_section *symbols,
                               const elf_symbol *symbol) {
    elf_section strings;
    const unsigned char *contents;
    if (object_section(o, symbols->sh_link, &strings) || object_contents(o, &strings, &contents))
        return "?";
    if (symbol->st_name >= strings.sh_size ||
        !memchr(contents + symbol->st_name, 0, strings.sh_size - symbol->st_name))
        return "?";
    return (const char *)contents + symbol->st_name;
}

/* Writing. The file is: header, contents, relocations, symbols, names, section headers. Sections
 * are: the null section, the given ones, their relocations, .symtab, .strtab; section names are in
 * .strtab too. */

typedef struct writer {
    const object_spec *spec;
    unsigned char *bytes; /* null in the first pass, which finds the size */
    size_t size;
    size_t strings_at, strings_size;
    elf_section *headers;
    size_t header_count;
} writer;

static size_t put(writer *w, const void *bytes, size_t size, uint64_t alignment) {
    size_t at = size_align(w->size, alignment ? (size_t)alignment : 1);
    if (w->bytes && size) memcpy(w->bytes + at, bytes, size);
    w->size = at + size;
    return at;
}

/* A name for the string table, which is put together behind everything that has names. */
static uint32_t name_of(size_t *used, const char *name, unsigned char *strings) {
    size_t at = *used, length = strlen(name) + 1;
    if (strings) memcpy(strings + at, name, length);
    *used = at + length;
    return (uint32_t)at;
}

static void put_symbols(writer *w, size_t *names, unsigned char *strings) {
    const object_spec *spec = w->spec;
    elf_section *table = &w->headers[w->header_count++];
    *table = (elf_section){.sh_name = name_of(names, ".symtab", strings),
                           .sh_type = ELF_SHT_SYMTAB,
                           .sh_entsize = sizeof(elf_symbol)};
    table->sh_addralign = _Alignof(elf_symbol);
    table->sh_size = (spec->symbol_count + 1) * sizeof(elf_symbol);
    table->sh_info = 1; /* the first global one */
    while (table->sh_info <= spec->symbol_count && spec->symbols[table->sh_info - 1].local)
        table->sh_info++;
    elf_symbol symbol = {0};
    table->sh_offset = put(w, &symbol, sizeof symbol, _Alignof(elf_symbol));
    for (size_t k = 0; k < spec->symbol_count; k++) {
        const object_symbol_spec *s = &spec->symbols[k];
        symbol = (elf_symbol){
            .st_name = name_of(names, s->name, strings), .st_value = s->offset, .st_size = s->size};
        symbol.st_info =
            (unsigned char)((s->local ? ELF_STB_LOCAL : ELF_STB_GLOBAL) << 4 | s->type);
        symbol.st_other = s->visibility;
        symbol.st_shndx =
            s->section == OBJECT_UNDEFINED ? ELF_SHN_UNDEF : (uint16_t)(s->section + 1);
        put(w, &symbol, sizeof symbol, 1);
    }
}

static void put_relocations(writer *w, size_t *names, unsigned char *strings) {
    for (size_t k = 0; k < w->spec->section_count; k++) {
        const object_section_spec *s = &w->spec->sections[k];
        if (s->relocation_count == 0) continue;
        elf_section *table = &w->headers[w->header_count++];
        *table = (elf_section){.sh_name = name_of(names, ".rela", strings),
                               .sh_type = ELF_SHT_RELA,
                               .sh_entsize = sizeof(elf_rela)};
        table->sh_flags = ELF_SHF_INFO_LINK;
        table->sh_info = (uint32_t)(k + 1);
        table->sh_addralign = _Alignof(elf_rela);
        table->sh_size = s->relocation_count * sizeof(elf_rela);
        table->sh_offset = size_align(w->size, _Alignof(elf_rela));
        for (size_t r = 0; r < s->relocation_count; r++) {
            const object_relocation *from = &s->relocations[r];
            elf_rela entry = {from->offset, elf_rela_info((uint64_t)from->symbol + 1, from->type),
                              from->addend};
            put(w, &entry, sizeof entry, r ? 1 : _Alignof(elf_rela));
        }
    }
}

static void put_sections(writer *w, size_t *names, unsigned char *strings) {
    for (size_t k = 0; k < w->spec->section_count; k++) {
        const object_section_spec *s = &w->spec->sections[k];
        elf_section *header = &w->headers[w->header_count++];
        *header = (elf_section){.sh_name = name_of(names, s->name, strings),
                                .sh_type = ELF_SHT_PROGBITS,
                                .sh_flags = s->flags};
        header->sh_addralign = s->alignment;
        header->sh_size = s->size;
        header->sh_offset = put(w, s->bytes, s->size, s->alignment);
    }
}

/* One pass over everything. The first pass counts memory, the second one finds it there. */
static void put_file(writer *w) {
    size_t names = 1;
    unsigned char *strings = w->bytes ? w->bytes + w->strings_at : NULL;
    size_t header_count = w->header_count;
    w->size = sizeof(elf_header);
    w->header_count = 1;
    put_sections(w, &names, strings);
    put_relocations(w, &names, strings);
    uint32_t symbols = (uint32_t)w->header_count;
    put_symbols(w, &names, strings);
    for (uint32_t k = 1; k < symbols; k++)
        if (w->headers[k].sh_type == ELF_SHT_RELA) w->headers[k].sh_link = symbols;
    w->headers[symbols].sh_link = symbols + 1;
    elf_section *table = &w->headers[w->header_count++];
    *table = (elf_section){.sh_name = name_of(&names, ".strtab", strings),
                           .sh_type = ELF_SHT_STRTAB,
                           .sh_offset = w->size,
                           .sh_addralign = 1};
    table->sh_size = w->strings_size = names;
    w->strings_at = w->size;
    w->size += names;
    size_t headers_at =
        put(w, w->headers, w->header_count * sizeof *w->headers, _Alignof(elf_section));
    if (!w->bytes) return;
    elf_header h = {.e_ident = ELF_IDENT};
    h.e_type = ELF_ET_REL;
    h.e_machine = w->spec->machine;
    h.e_version = ELF_EV_CURRENT;
    h.e_shoff = headers_at;
    h.e_ehsize = sizeof h;
    h.e_shentsize = sizeof(elf_section);
    h.e_shnum = (uint16_t)header_count;
    h.e_shstrndx = (uint16_t)(header_count - 1);
    memcpy(w->bytes, &h, sizeof h);
}

tosajit_status object_write(const object_spec *spec, const tosajit_allocator *allocator,
                            unsigned char **bytes, size_t *size) {
    /* The null section, the given ones with relocations, .symtab, .strtab. */
    size_t most = 2 * spec->section_count + 3;
    writer w = {.spec = spec, .headers = memory_new(allocator, most, sizeof *w.headers)};
    if (w.headers) {
        put_file(&w);
        w.bytes = memory_new(allocator, w.size, 1);
        if (w.bytes) put_file(&w);
        memory_free(allocator, w.headers, most, sizeof *w.headers);
    }
    if (!w.bytes) return diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for an object file");
    *bytes = w.bytes;
    *size = w.size;
    return TOSAJIT_OK;
}

tosajit_status object_write_image(const code_image *image, char *const *names,
                                  const tosajit_allocator *allocator, unsigned char **bytes,
                                  size_t *size) {
    object_symbol_spec symbols[TOSAJIT_MAX_TENSORS];
    for (uint32_t k = 0; k < image->entry_count; k++)
        symbols[k] = (object_symbol_spec){.name = names[k],
                                          .type = ELF_STT_FUNC,
                                          .visibility = ELF_STV_DEFAULT,
                                          .offset = image->entries[k],
                                          .size = code_entry_size(image, k)};
    const object_section_spec text = {.name = ".text",
                                      .flags = ELF_SHF_ALLOC | ELF_SHF_EXECINSTR,
                                      .alignment = image->alignment,
                                      .bytes = image->bytes,
                                      .size = image->size};
    return object_write(&(object_spec){image->machine, &text, 1, symbols, image->entry_count},
                        allocator, bytes, size);
}

/* Objects: a reader of ELF headers that trusts no offset. */
#include "jit/object.h"

#include <elf.h>
#include <stdbool.h>
#include <string.h>

#include "runtime/diag.h"

typedef struct image {
    const unsigned char *bytes;
    size_t size;
} image;

/* Copy count records of size bytes out of the image; false outside of it. */
static bool read_at(const image *i, uint64_t offset, void *record, size_t size) {
    if (offset > i->size || size > i->size - offset) return false;
    memcpy(record, i->bytes + offset, size);
    return true;
}

static tosajit_status malformed(void) { return diag_error(TOSAJIT_CODEGEN_FAILED, "LLVM made an object that is no 64-bit ELF file"); }

static tosajit_status undefined_symbol(const image *i, const Elf64_Shdr *strings, uint32_t name) {
    const char *text = "?";
    if (strings->sh_offset <= i->size && strings->sh_size <= i->size - strings->sh_offset && name < strings->sh_size &&
        memchr(i->bytes + strings->sh_offset + name, 0, strings->sh_size - name))
        text = (const char *)i->bytes + strings->sh_offset + name;
    return diag_error(TOSAJIT_CODEGEN_FAILED, "the generated code needs the foreign symbol \"%s\"; kernels must stand alone", text);
}

static tosajit_status check_symbols(const image *i, const Elf64_Shdr *symbols, const Elf64_Shdr *strings) {
    for (uint64_t at = sizeof(Elf64_Sym); at + sizeof(Elf64_Sym) <= symbols->sh_size; at += sizeof(Elf64_Sym)) {
        Elf64_Sym symbol;
        if (!read_at(i, symbols->sh_offset + at, &symbol, sizeof symbol)) return malformed();
        if (symbol.st_shndx == SHN_UNDEF) return undefined_symbol(i, strings, symbol.st_name);
    }
    return TOSAJIT_OK;
}

tosajit_status object_check(const void *bytes, size_t size, size_t *code_bytes) {
    image i = {bytes, size};
    Elf64_Ehdr header;
    *code_bytes = 0;
    if (!read_at(&i, 0, &header, sizeof header) || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
        header.e_shentsize != sizeof(Elf64_Shdr))
        return malformed();
    tosajit_status status = TOSAJIT_OK;
    for (uint64_t k = 0; !status && k < header.e_shnum; k++) {
        Elf64_Shdr section, strings = {0};
        if (!read_at(&i, header.e_shoff + k * sizeof section, &section, sizeof section)) return malformed();
        if (section.sh_flags & SHF_ALLOC) *code_bytes += section.sh_size;
        if (section.sh_type != SHT_SYMTAB) continue;
        if (!read_at(&i, header.e_shoff + section.sh_link * sizeof strings, &strings, sizeof strings)) return malformed();
        status = check_symbols(&i, &section, &strings);
    }
    return status;
}

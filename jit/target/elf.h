/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* ELF: the records and numbers of the objects that are read and written here, 64-bit and
 * little-endian. They are a file format, so they are ours on every system. Names are the standard's
 * behind ELF_. Source: System V ABI, chapter 4, and its supplements for x86-64 and AArch64. */
#ifndef TOSAJIT_JIT_TARGET_ELF_H
#define TOSAJIT_JIT_TARGET_ELF_H

#include <stdint.h>

/* The magic number, then: 64-bit, little-endian, and after these the version of ELF. */
#define ELF_IDENT "\177ELF\2\1\1"
enum { ELF_KIND_SIZE = 6, ELF_IDENT_SIZE = 16, ELF_EV_CURRENT = 1, ELF_ET_REL = 1 };

typedef struct elf_header {
    unsigned char e_ident[ELF_IDENT_SIZE];
    uint16_t e_type, e_machine;
    uint32_t e_version;
    uint64_t e_entry, e_phoff, e_shoff;
    uint32_t e_flags;
    uint16_t e_ehsize, e_phentsize, e_phnum, e_shentsize, e_shnum, e_shstrndx;
} elf_header;

typedef struct elf_section {
    uint32_t sh_name, sh_type;
    uint64_t sh_flags, sh_addr, sh_offset, sh_size;
    uint32_t sh_link, sh_info;
    uint64_t sh_addralign, sh_entsize;
} elf_section;

enum {
    ELF_SHT_PROGBITS = 1,
    ELF_SHT_SYMTAB = 2,
    ELF_SHT_STRTAB = 3,
    ELF_SHT_RELA = 4,
    ELF_SHT_REL = 9,
};
enum {
    ELF_SHF_WRITE = 1 << 0,
    ELF_SHF_ALLOC = 1 << 1,
    ELF_SHF_EXECINSTR = 1 << 2,
    ELF_SHF_INFO_LINK = 1 << 6,
    ELF_SHF_TLS = 1 << 10,
};

typedef struct elf_symbol {
    uint32_t st_name;
    unsigned char st_info, st_other; /* binding << 4 | type; visibility */
    uint16_t st_shndx;
    uint64_t st_value, st_size;
} elf_symbol;

enum { ELF_SHN_UNDEF = 0, ELF_STB_LOCAL = 0, ELF_STB_GLOBAL = 1, ELF_STV_DEFAULT = 0 };
enum { ELF_STT_NOTYPE = 0, ELF_STT_OBJECT = 1, ELF_STT_FUNC = 2 };

typedef struct elf_rela {
    uint64_t r_offset, r_info; /* r_info: symbol << 32 | type */
    int64_t r_addend;
} elf_rela;

static inline uint64_t elf_rela_info(uint64_t symbol, uint32_t type) { return symbol << 32 | type; }
static inline uint64_t elf_rela_symbol(const elf_rela *r) { return r->r_info >> 32; }
static inline uint32_t elf_rela_type(const elf_rela *r) { return (uint32_t)r->r_info; }

enum {
    ELF_R_X86_64_64 = 1,
    ELF_R_X86_64_PC32 = 2,
    ELF_R_X86_64_PLT32 = 4,
    ELF_R_X86_64_GOTPCREL = 9,
    ELF_R_X86_64_32 = 10,
    ELF_R_X86_64_32S = 11,
    ELF_R_X86_64_PC64 = 24,
    ELF_R_X86_64_GOTPCRELX = 41,
    ELF_R_X86_64_REX_GOTPCRELX = 42,
};
enum {
    ELF_R_AARCH64_ABS64 = 257,
    ELF_R_AARCH64_ABS32 = 258,
    ELF_R_AARCH64_PREL64 = 260,
    ELF_R_AARCH64_PREL32 = 261,
    ELF_R_AARCH64_LD_PREL_LO19 = 273,
    ELF_R_AARCH64_ADR_PREL_LO21 = 274,
    ELF_R_AARCH64_ADR_PREL_PG_HI21 = 275,
    ELF_R_AARCH64_ADD_ABS_LO12_NC = 277,
    ELF_R_AARCH64_LDST8_ABS_LO12_NC = 278,
    ELF_R_AARCH64_CONDBR19 = 280,
    ELF_R_AARCH64_JUMP26 = 282,
    ELF_R_AARCH64_CALL26 = 283,
    ELF_R_AARCH64_LDST16_ABS_LO12_NC = 284,
    ELF_R_AARCH64_LDST32_ABS_LO12_NC = 285,
    ELF_R_AARCH64_LDST64_ABS_LO12_NC = 286,
    ELF_R_AARCH64_LDST128_ABS_LO12_NC = 299,
    ELF_R_AARCH64_ADR_GOT_PAGE = 311,
    ELF_R_AARCH64_LD64_GOT_LO12_NC = 312,
};

#endif

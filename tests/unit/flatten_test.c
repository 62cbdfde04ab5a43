/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Flattening: from objects to images that stand alone. The objects are made by LLVM from a few
 * lines of IR, or written by hand, with relocations that LLVM would not make; one calls a function
 * that it does not have, as a vector exp would become a call of libm. */
#define _DEFAULT_SOURCE
#include <elf.h>
#include <llvm-c/Core.h>
#include <llvm-c/IRReader.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "jit/llvm/flatten.h"
#include "jit/target/object.h"
#include "jit/target/target.h"
#include "runtime/base/memory.h"
#include "tests/support/cmocka.h"

static LLVMMemoryBufferRef compile(const char *ir) {
    target t;
    assert_int_equal(target_find(NULL, &t), TOSAJIT_OK);
    LLVMTargetMachineRef machine = target_machine(&t, LLVMCodeGenLevelDefault);
    assert_non_null(machine);
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module;
    LLVMMemoryBufferRef source = LLVMCreateMemoryBufferWithMemoryRangeCopy(ir, strlen(ir), "test"),
                        object;
    char *message = NULL;
    if (LLVMParseIRInContext(context, source, &module, &message)) fail_msg("%s", message);
    LLVMSetTarget(module, t.triple);
    if (LLVMTargetMachineEmitToMemoryBuffer(machine, module, LLVMObjectFile, &message, &object))
        fail_msg("%s", message);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
    LLVMDisposeTargetMachine(machine);
    target_destroy(&t);
    return object;
}

static char *const only_f[] = {"f"};

static tosajit_status flatten_buffer(const void *bytes, size_t size, code_image *image) {
    const tosajit_allocator heap = memory_allocator(NULL);
    return flatten(bytes, size, only_f, 1, &heap, image);
}

static void release(code_image *image) {
    const tosajit_allocator heap = memory_allocator(NULL);
    code_release(image, &heap);
}

/* A table, and a function that is called: both are reached by distances, wherever the image is. */
static const char table_and_call[] =
    "@t = private constant [4 x i32] [i32 10, i32 20, i32 30, i32 40]\n"
    "define internal i32 @g(i64 %i) noinline nounwind {\n"
    "  %p = getelementptr i32, ptr @t, i64 %i\n  %v = load i32, ptr %p\n  ret i32 %v\n}\n"
    "define i32 @f(i64 %i) nounwind {\n"
    "  %v = call i32 @g(i64 %i)\n  %w = add i32 %v, 1\n  ret i32 %w\n}\n";

static void images_run_anywhere(void **state) {
    enum { PAGES = 3 * 4096 };
    LLVMMemoryBufferRef object = compile(table_and_call);
    code_image image;
    assert_int_equal(flatten_buffer(LLVMGetBufferStart(object), LLVMGetBufferSize(object), &image),
                     TOSAJIT_OK);
    LLVMDisposeMemoryBuffer(object);
    assert_true(image.size >= 20 && image.size < 200 && image.alignment <= 4096);
    for (size_t offset = 0; offset + image.size <= PAGES; offset += image.alignment) {
        char *memory =
            mmap(NULL, PAGES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        assert_true(memory != MAP_FAILED);
        memcpy(memory + offset, image.bytes, image.size);
        assert_int_equal(mprotect(memory, PAGES, PROT_READ | PROT_EXEC), 0);
        __builtin___clear_cache(memory, memory + PAGES);
        int32_t (*f)(int64_t);
        char *entry = memory + offset + image.entries[0];
        memcpy(&f, &entry, sizeof f);
        for (int32_t k = 0; k < 4; k++) assert_int_equal(f(k), 10 * (k + 1) + 1);
        munmap(memory, PAGES);
    }
    release(&image);
}

static void foreign_symbols_are_refused(void **state) {
    LLVMMemoryBufferRef object =
        compile("declare float @llvm.exp.f32(float)\n"
                "define float @f(float %x) nounwind {\n"
                "  %e = call float @llvm.exp.f32(float %x)\n  ret float %e\n}\n");
    code_image image;
    assert_int_equal(flatten_buffer(LLVMGetBufferStart(object), LLVMGetBufferSize(object), &image),
                     TOSAJIT_CODEGEN_FAILED);
    assert_non_null(strstr(tosajit_last_error(), "\"expf\""));
    assert_null(image.bytes);
    LLVMDisposeMemoryBuffer(object);
}

/* Everything but code and constants. */
static void other_sections_are_refused(void **state) {
    static const struct {
        const char *ir, *named;
    } cases[] = {
        {"@d = global i32 1\ndefine i32 @f() nounwind {\n  %v = load i32, ptr @d\n  ret i32 "
         "%v\n}\n",
         "\".data\""},
        {"@d = global i32 0\ndefine i32 @f() nounwind {\n  %v = load i32, ptr @d\n  ret i32 "
         "%v\n}\n",
         "\".bss\""},
        {"@d = thread_local global i32 1\ndefine i32 @f() nounwind {\n  ret i32 1\n}\n",
         "\".tdata\""},
        {"define i32 @f() uwtable {\n  ret i32 1\n}\n", "\".eh_frame\""},
        {"@p = constant ptr @f\ndefine i32 @f() nounwind {\n  ret i32 1\n}\n", "\".data.rel.ro\""},
        {"define i32 @g() nounwind {\n  ret i32 1\n}\n", "\"f\""},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        LLVMMemoryBufferRef object = compile(cases[k].ir);
        code_image image;
        assert_int_equal(
            flatten_buffer(LLVMGetBufferStart(object), LLVMGetBufferSize(object), &image),
            TOSAJIT_CODEGEN_FAILED);
        if (!strstr(tosajit_last_error(), cases[k].named))
            fail_msg("%s does not name %s", tosajit_last_error(), cases[k].named);
        LLVMDisposeMemoryBuffer(object);
    }
}

/* An object by hand: f in .text with one relocation at byte 4, and c, 64 bytes of constants that
 * end up 4096 + 64 bytes behind it. */
enum { TEXT_BYTES = 8, CONSTANT_BYTES = 64, CONSTANTS_AT = 4096 };

static tosajit_status flatten_relocation(uint16_t machine, uint32_t type, uint64_t offset,
                                         int64_t addend, uint32_t word, code_image *image) {
    const tosajit_allocator heap = memory_allocator(NULL);
    unsigned char text[TEXT_BYTES] = {0}, constants[CONSTANT_BYTES] = {0}, *bytes;
    size_t size;
    memcpy(text + 4, &word, sizeof word);
    object_relocation r = {offset, type, 1, addend};
    object_section_spec sections[] = {
        {".text", SHF_ALLOC | SHF_EXECINSTR, 16, text, sizeof text, &r, 1},
        {".rodata", SHF_ALLOC, CONSTANTS_AT, constants, sizeof constants, NULL, 0}};
    object_symbol_spec symbols[] = {{"f", 0, STT_FUNC, STV_DEFAULT, 0, sizeof text, false},
                                    {"c", 1, STT_OBJECT, STV_HIDDEN, 0, sizeof constants, false}};
    assert_int_equal(
        object_write(&(object_spec){machine, sections, 2, symbols, 2}, &heap, &bytes, &size),
        TOSAJIT_OK);
    tosajit_status status = flatten_buffer(bytes, size, image);
    memory_free(&heap, bytes, size, 1);
    return status;
}

/* Expected words are written down from the instruction set manuals' encodings: S + A = 4096 +
 * addend, P = 4. */
static void relocations_are_resolved(void **state) {
    static const struct {
        uint16_t machine;
        uint32_t type;
        int64_t addend;
        uint32_t before, after;
    } cases[] = {
        {EM_X86_64, R_X86_64_PC32, -4, 0, 4096 - 4 - 4},
        {EM_X86_64, R_X86_64_PLT32, 12, 0, 4096 + 12 - 4},
        {EM_AARCH64, R_AARCH64_PREL32, 0, 0, 4096 - 4},
        {EM_AARCH64, R_AARCH64_ADR_PREL_PG_HI21, 16, 0x90000008,
         0xb0000008}, /* adrp x8, 1 page on: immlo 1 */
        {EM_AARCH64, R_AARCH64_ADR_PREL_PG_HI21, 4 * 4096 + 16, 0x90000008,
         0xb0000028}, /* 5 pages: immhi 1, immlo 1 */
        {EM_AARCH64, R_AARCH64_ADR_PREL_PG_HI21, -8192, 0x90000008,
         0xf0ffffe8}, /* 1 page back: all ones */
        {EM_AARCH64, R_AARCH64_ADR_PREL_LO21, 3, 0x10000001,
         0x70007fe1}, /* adr x1, 4095: immhi 1023, immlo 3 */
        {EM_AARCH64, R_AARCH64_ADD_ABS_LO12_NC, 40, 0x91000108, 0x9100a108}, /* add x8, x8, 40 */
        {EM_AARCH64, R_AARCH64_ADD_ABS_LO12_NC, -1, 0x91000108, 0x913ffd08}, /* add x8, x8, 4095 */
        {EM_AARCH64, R_AARCH64_LDST32_ABS_LO12_NC, 40, 0xbd400100,
         0xbd402900}, /* ldr s0, [x8, 40] */
        {EM_AARCH64, R_AARCH64_LDST128_ABS_LO12_NC, 32, 0x3dc00100,
         0x3dc00900},                                                    /* ldr q0, [x8, 32] */
        {EM_AARCH64, R_AARCH64_CALL26, 8, 0x94000000, 0x94000401},       /* bl 4100 */
        {EM_AARCH64, R_AARCH64_JUMP26, -4096, 0x14000000, 0x17ffffff},   /* b -4 */
        {EM_AARCH64, R_AARCH64_LD_PREL_LO19, 8, 0x5c000000, 0x5c008020}, /* ldr d0, 4100 bytes on */
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        code_image image;
        uint32_t word;
        if (flatten_relocation(cases[k].machine, cases[k].type, 4, cases[k].addend, cases[k].before,
                               &image))
            fail_msg("%zu: %s", k, tosajit_last_error());
        memcpy(&word, image.bytes + 4, sizeof word);
        if (word != cases[k].after)
            fail_msg("case %zu: %08x, expected %08x", k, word, cases[k].after);
        assert_int_equal(image.machine, cases[k].machine);
        assert_int_equal(image.size, CONSTANTS_AT + CONSTANT_BYTES);
        assert_int_equal(image.alignment, 4096);
        release(&image);
    }
}

static void other_relocations_are_refused(void **state) {
    static const struct {
        uint16_t machine;
        uint32_t type;
        uint64_t offset;
        int64_t addend;
        const char *named;
    } cases[] = {
        {EM_X86_64, R_X86_64_64, 0, 0, "R_X86_64_64 "},
        {EM_X86_64, R_X86_64_32S, 4, 0, "R_X86_64_32S"},
        {EM_X86_64, R_X86_64_REX_GOTPCRELX, 4, -4, "R_X86_64_REX_GOTPCRELX"},
        {EM_X86_64, R_X86_64_TPOFF32, 4, 0, "type 23"},
        {EM_X86_64, R_X86_64_PC32, 5, 0, "R_X86_64_PC32"},          /* beyond the section */
        {EM_X86_64, R_X86_64_PC32, UINT64_MAX, 0, "R_X86_64_PC32"}, /* its end wraps around */
        {EM_X86_64, R_X86_64_PC32, 4, INT64_MAX, "R_X86_64_PC32"},  /* too far */
        {EM_X86_64, R_AARCH64_CALL26, 4, 0, "type 283"},            /* of another machine */
        {EM_AARCH64, R_AARCH64_ABS64, 0, 0, "R_AARCH64_ABS64"},
        {EM_AARCH64, R_AARCH64_ADR_GOT_PAGE, 4, 0, "R_AARCH64_ADR_GOT_PAGE"},
        {EM_AARCH64, R_AARCH64_CALL26, 4, 2, "R_AARCH64_CALL26"},     /* between two instructions */
        {EM_AARCH64, R_AARCH64_LDST128_ABS_LO12_NC, 4, 8, "LDST128"}, /* not aligned */
        {EM_AARCH64, R_AARCH64_ADR_PREL_LO21, 4, 2 << 20, "R_AARCH64_ADR_PREL_LO21"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        code_image image;
        assert_int_equal(flatten_relocation(cases[k].machine, cases[k].type, cases[k].offset,
                                            cases[k].addend, 0, &image),
                         TOSAJIT_CODEGEN_FAILED);
        const char *error = tosajit_last_error();
        if (!strstr(error, cases[k].named) || !strstr(error, "\"c\""))
            fail_msg("case %zu: \"%s\" does not name %s", k, error, cases[k].named);
    }
}

/* Cut or changed files are answered, whatever the answer; the sanitizers and the page behind the
 * heap see to the rest. */
static void damaged_objects_do_no_harm(void **state) {
    LLVMMemoryBufferRef object = compile(table_and_call);
    size_t size = LLVMGetBufferSize(object), refused = 0;
    for (size_t cut = 0; cut < size; cut++) {
        char *copy = malloc(cut + 1);
        code_image image = {0};
        memcpy(copy, LLVMGetBufferStart(object), cut);
        refused += flatten_buffer(copy, cut, &image) == TOSAJIT_CODEGEN_FAILED;
        release(&image);
        free(copy);
    }
    assert_int_equal(refused, size); /* the section headers come last */
    uint64_t random = 1;
    for (int round = 0; round < 50000; round++) {
        char *copy = malloc(size);
        code_image image = {0};
        memcpy(copy, LLVMGetBufferStart(object), size);
        for (int k = 0; k < 3; k++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            copy[(random >> 33) % size] = (char)(random >> 24);
        }
        flatten_buffer(copy, size, &image);
        release(&image);
        free(copy);
    }
    LLVMDisposeMemoryBuffer(object);
}

/* The library has ELF's records and numbers of its own; this system's header has them, too. */
#define SAME(name)                                                                                 \
    { #name, ELF_##name, name }
static const struct {
    const char *name;
    long ours, theirs;
} numbers[] = {
    SAME(SHT_PROGBITS),
    SAME(SHT_SYMTAB),
    SAME(SHT_STRTAB),
    SAME(SHT_RELA),
    SAME(SHT_REL),
    SAME(SHF_WRITE),
    SAME(SHF_ALLOC),
    SAME(SHF_EXECINSTR),
    SAME(SHF_INFO_LINK),
    SAME(SHF_TLS),
    SAME(SHN_UNDEF),
    SAME(STB_LOCAL),
    SAME(STB_GLOBAL),
    SAME(STV_DEFAULT),
    SAME(STT_NOTYPE),
    SAME(STT_OBJECT),
    SAME(STT_FUNC),
    SAME(R_X86_64_64),
    SAME(R_X86_64_PC32),
    SAME(R_X86_64_PLT32),
    SAME(R_X86_64_GOTPCREL),
    SAME(R_X86_64_32),
    SAME(R_X86_64_32S),
    SAME(R_X86_64_PC64),
    SAME(R_X86_64_GOTPCRELX),
    SAME(R_X86_64_REX_GOTPCRELX),
    SAME(R_AARCH64_ABS64),
    SAME(R_AARCH64_ABS32),
    SAME(R_AARCH64_PREL64),
    SAME(R_AARCH64_PREL32),
    SAME(R_AARCH64_LD_PREL_LO19),
    SAME(R_AARCH64_ADR_PREL_LO21),
    SAME(R_AARCH64_ADR_PREL_PG_HI21),
    SAME(R_AARCH64_ADD_ABS_LO12_NC),
    SAME(R_AARCH64_LDST8_ABS_LO12_NC),
    SAME(R_AARCH64_CONDBR19),
    SAME(R_AARCH64_JUMP26),
    SAME(R_AARCH64_CALL26),
    SAME(R_AARCH64_LDST16_ABS_LO12_NC),
    SAME(R_AARCH64_LDST32_ABS_LO12_NC),
    SAME(R_AARCH64_LDST64_ABS_LO12_NC),
    SAME(R_AARCH64_LDST128_ABS_LO12_NC),
    SAME(R_AARCH64_ADR_GOT_PAGE),
    SAME(R_AARCH64_LD64_GOT_LO12_NC),
    {"EV_CURRENT", ELF_EV_CURRENT, EV_CURRENT},
    {"ET_REL", ELF_ET_REL, ET_REL},
    {"EM_X86_64", MACHINE_X86_64, EM_X86_64},
    {"EM_AARCH64", MACHINE_AARCH64, EM_AARCH64},
};
#undef SAME

static void elf_is_as_the_system_has_it(void **state) {
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        if (numbers[k].ours != numbers[k].theirs)
            fail_msg("%s is %ld, not %ld", numbers[k].name, numbers[k].theirs, numbers[k].ours);
    const unsigned char ident[ELF_IDENT_SIZE] = ELF_IDENT,
                        theirs[EI_NIDENT] = {ELFMAG0,    ELFMAG1,     ELFMAG2,   ELFMAG3,
                                             ELFCLASS64, ELFDATA2LSB, EV_CURRENT};
    assert_memory_equal(ident, theirs, sizeof theirs);
    assert_int_equal(ELF_KIND_SIZE, EI_DATA + 1);
    assert_int_equal(sizeof(elf_header), sizeof(Elf64_Ehdr));
    assert_int_equal(sizeof(elf_section), sizeof(Elf64_Shdr));
    assert_int_equal(sizeof(elf_symbol), sizeof(Elf64_Sym));
    assert_int_equal(sizeof(elf_rela), sizeof(Elf64_Rela));
    assert_int_equal(offsetof(elf_header, e_shoff), offsetof(Elf64_Ehdr, e_shoff));
    assert_int_equal(offsetof(elf_header, e_shstrndx), offsetof(Elf64_Ehdr, e_shstrndx));
    assert_int_equal(offsetof(elf_section, sh_size), offsetof(Elf64_Shdr, sh_size));
    assert_int_equal(offsetof(elf_section, sh_info), offsetof(Elf64_Shdr, sh_info));
    assert_int_equal(offsetof(elf_symbol, st_shndx), offsetof(Elf64_Sym, st_shndx));
    assert_int_equal(elf_rela_info(7, 11), ELF64_R_INFO(7, 11));
}

int main(void) {
    return TEST_RUN(NULL, NULL, TEST(elf_is_as_the_system_has_it), TEST(images_run_anywhere),
                    TEST(foreign_symbols_are_refused), TEST(other_sections_are_refused),
                    TEST(relocations_are_resolved), TEST(other_relocations_are_refused),
                    TEST(damaged_objects_do_no_harm));
}

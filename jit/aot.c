/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Ahead of time: an object of functions. .text has the code of every function for every CPU.
 * .rodata has an image per function, which says where in .text its code is. .data has a tosajit_aot
 * per function; the program refers to that. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jit/compile.h"
#include "jit/target/object.h"
#include "jit/cpu_builds.h"
#include "runtime/base/bytes.h"
#include "runtime/base/diag.h"
#include "runtime/base/features.h"
#include "runtime/image/image.h"
#include "runtime/base/memory.h"
#include "tosajit/image.h"

enum { CODE_ALIGNMENT = 64 };
enum { TEXT, RODATA, DATA, STACK, SECTIONS };
enum { SYMBOL_TEXT, SYMBOL_RODATA }; /* the first two symbols */

/* Parts of the object, while it grows. */
typedef struct aot_writer {
    tosajit_engine *const *engines;
    size_t engine_count;
    tosajit_allocator allocator;
    uint16_t machine;
    uint64_t alignment; /* of the text */
    byte_writer text, rodata, data;
    byte_writer relocations; /* object_relocation, of the data */
    byte_writer
        symbols; /* object_symbol_spec; their names, in `names`, are offsets until all are there */
    byte_writer names;
} aot_writer;

static bool out_of_memory(const aot_writer *w) {
    return w->text.failed || w->rodata.failed || w->data.failed || w->relocations.failed ||
           w->symbols.failed || w->names.failed;
}

static void put_symbol(aot_writer *w, const char *name, object_symbol_spec symbol) {
    symbol.name = (const char *)(uintptr_t)w->names.size;
    bytes_put(&w->names, name, strlen(name) + 1);
    bytes_put(&w->symbols, &symbol, sizeof symbol);
}

/* Code that was made, and where in .text it is. */
typedef struct placed {
    builds made;
    uint64_t offsets[BUILDS_MAX];
} placed;

/* The code into .text, with symbols for profilers. */
static void put_code(aot_writer *w, const char *name, placed *v) {
    for (size_t k = 0; k < v->made.count; k++) {
        const code_image *code = &v->made.list[k].code;
        const uint64_t own = code->alignment > CODE_ALIGNMENT ? code->alignment : CODE_ALIGNMENT;
        if (own > w->alignment) w->alignment = own;
        bytes_align(&w->text, (size_t)own);
        v->offsets[k] = w->text.size;
        bytes_put(&w->text, code->bytes, code->size);
        for (uint32_t e = 0; e < code->entry_count; e++) {
            char symbol[512];
            snprintf(symbol, sizeof symbol, "%.400s.v%zu_p%u", name, k, (unsigned)e);
            put_symbol(w, symbol,
                       (object_symbol_spec){NULL, TEXT, ELF_STT_FUNC, ELF_STV_DEFAULT,
                                            v->offsets[k] + code->entries[e], 0, true});
        }
    }
}

static void put_relocation(aot_writer *w, size_t field, uint32_t symbol, size_t addend) {
    const uint32_t type = w->machine == MACHINE_AARCH64 ? ELF_R_AARCH64_ABS64 : ELF_R_X86_64_64;
    const object_relocation r = {w->data.size + field, type, symbol, (int64_t)addend};
    bytes_put(&w->relocations, &r, sizeof r);
}

static void put_image(aot_writer *w, const tosajit_kernel *kernel, const placed *v) {
    byte_writer image = {.allocator = w->allocator};
    image_write(kernel, v->made.list, v->made.count, v->offsets, &image);
    bytes_align(&w->rodata, sizeof(int64_t));
    tosajit_aot aot = {.size = sizeof aot, .image_size = image.size};
    put_relocation(w, offsetof(tosajit_aot, image), SYMBOL_RODATA, w->rodata.size);
    put_relocation(w, offsetof(tosajit_aot, code), SYMBOL_TEXT, 0);
    bytes_put(&w->rodata, image.bytes, image.size);
    w->rodata.failed |= image.failed;
    bytes_release(&image);
    bytes_put(&w->data, &aot, sizeof aot); /* code_size follows when it is known */
}

static tosajit_status put_function(aot_writer *w, const tosajit_function *function) {
    tosajit_kernel *kernel;
    placed v;
    const program_aids aids = compile_aids(w->engines[0]); /* and so are the others */
    tosajit_status status = kernel_create(function->expr, &w->allocator, &aids, &kernel);
    if (status) return status;
    status = builds_compile("compile_object", w->engines, w->engine_count, kernel, &v.made);
    if (!status) {
        w->machine = v.made.list[0].code.machine;
        put_code(w, function->name, &v);
        put_image(w, kernel, &v);
    }
    builds_release(&v.made, &w->allocator);
    tosajit_kernel_release(kernel);
    return status;
}

static void finish_data(aot_writer *w, const tosajit_function *functions, size_t count) {
    for (size_t k = 0; k < count; k++) {
        const size_t at = k * sizeof(tosajit_aot), code_size = w->text.size;
        memcpy(w->data.bytes + at + offsetof(tosajit_aot, code_size), &code_size, sizeof code_size);
        put_symbol(w, functions[k].name,
                   (object_symbol_spec){NULL, DATA, ELF_STT_OBJECT, ELF_STV_DEFAULT, at,
                                        sizeof(tosajit_aot), false});
    }
}

static tosajit_status write_object(aot_writer *w, char **object, size_t *size) {
    object_symbol_spec *symbols = (void *)w->symbols.bytes;
    size_t symbol_count = w->symbols.size / sizeof *symbols, bytes_size;
    unsigned char *bytes;
    for (size_t k = 0; k < symbol_count; k++)
        symbols[k].name = (const char *)w->names.bytes + (uintptr_t)symbols[k].name;
    const object_section_spec sections[SECTIONS] = {
        [TEXT] = {".text", ELF_SHF_ALLOC | ELF_SHF_EXECINSTR, w->alignment, w->text.bytes,
                  w->text.size, NULL, 0},
        [RODATA] = {".rodata", ELF_SHF_ALLOC, sizeof(int64_t), w->rodata.bytes, w->rodata.size,
                    NULL, 0},
        [DATA] = {".data", ELF_SHF_ALLOC | ELF_SHF_WRITE, sizeof(int64_t), w->data.bytes,
                  w->data.size, (void *)w->relocations.bytes,
                  w->relocations.size / sizeof(object_relocation)},
        [STACK] = {".note.GNU-stack", 0, 1, NULL, 0, NULL, 0}, /* it needs no executable one */
    };
    tosajit_status status =
        object_write(&(object_spec){w->machine, sections, SECTIONS, symbols, symbol_count},
                     &w->allocator, &bytes, &bytes_size);
    if (status) return status;
    *object = malloc(bytes_size);
    if (*object) memcpy(*object, bytes, bytes_size);
    memory_free(&w->allocator, bytes, bytes_size, 1);
    *size = bytes_size;
    return *object ? TOSAJIT_OK
                   : diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for an object file");
}

/* Names become symbols of the program that links the object. */
static tosajit_status check_names(const tosajit_function *functions, size_t count) {
    for (size_t k = 0; k < count; k++) {
        const char *name = functions[k].name;
        if (!name || !functions[k].expr)
            return diag_error(TOSAJIT_INVALID_ARGUMENT,
                              "compile_object: function %zu has a null pointer", k);
        if (functions[k].reserved[0] || functions[k].reserved[1])
            return diag_error(TOSAJIT_INVALID_ARGUMENT,
                              "compile_object: %s: a reserved member is not null; begin with "
                              "tosajit_function f = {0}",
                              name);
        bool fine = *name && !isdigit((unsigned char)*name);
        for (const char *c = name; *c; c++) fine &= isalnum((unsigned char)*c) || *c == '_';
        if (!fine)
            return diag_error(TOSAJIT_INVALID_ARGUMENT, "compile_object: \"%s\" is no C identifier",
                              name);
        for (size_t other = 0; other < k; other++)
            if (strcmp(functions[other].name, name) == 0)
                return diag_error(TOSAJIT_INVALID_ARGUMENT,
                                  "compile_object: two functions are called %s", name);
    }
    return TOSAJIT_OK;
}

static tosajit_status write_all(aot_writer *w, const tosajit_function *functions, size_t count,
                                char **object, size_t *size) {
    put_symbol(w, "tosajit_code",
               (object_symbol_spec){NULL, TEXT, ELF_STT_NOTYPE, ELF_STV_DEFAULT, 0, 0, true});
    put_symbol(w, "tosajit_images",
               (object_symbol_spec){NULL, RODATA, ELF_STT_NOTYPE, ELF_STV_DEFAULT, 0, 0, true});
    for (size_t k = 0; k < count; k++) {
        tosajit_status status = put_function(w, &functions[k]);
        if (status) return diag_prefix(status, "%s: ", functions[k].name);
    }
    if (!out_of_memory(w)) finish_data(w, functions, count);
    return out_of_memory(w) ? diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for an object file")
                            : write_object(w, object, size);
}

tosajit_status tosajit_compile_object(tosajit_engine *const *engines, size_t engine_count,
                                      const tosajit_function *functions, size_t function_count,
                                      char **object, size_t *size) {
    if (!engines || !functions || !object || !size || !engine_count || !function_count)
        return diag_error(TOSAJIT_INVALID_ARGUMENT,
                          "compile_object: an argument is a null pointer or 0");
    tosajit_status status = builds_check("compile_object", engines, engine_count);
    if (!status) status = check_names(functions, function_count);
    if (status) return status;
    aot_writer w = {.engines = engines,
                    .engine_count = engine_count,
                    .allocator = engines[0]->allocator,
                    .alignment = CODE_ALIGNMENT};
    byte_writer *writers[] = {&w.text, &w.rodata, &w.data, &w.relocations, &w.symbols, &w.names};
    for (size_t k = 0; k < sizeof writers / sizeof *writers; k++)
        writers[k]->allocator = w.allocator;
    status = write_all(&w, functions, function_count, object, size);
    for (size_t k = 0; k < sizeof writers / sizeof *writers; k++) bytes_release(writers[k]);
    return status;
}

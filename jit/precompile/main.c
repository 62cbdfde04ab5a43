/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Code of ops as an object file: tosajit-precompile OUT.o [MADE.o [CPU]]. .text has the code, each
 * piece once, .rodata a rows_library over it. This takes a minute, so MADE.o of another build is
 * copied if it is of the same sources. In a build for another architecture an emulator runs the
 * tool; this architecture's makes the same if it is told a CPU of the other. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jit/engine/backend.h"
#include "runtime/precompiled/ops.h"
#include "jit/precompile/uses.h"
#include "jit/target/cpu.h"
#include "jit/target/object.h"
#include "runtime/base/bytes.h"
#include "runtime/base/diag.h"
#include "runtime/base/features.h"
#include "runtime/system/system.h"

/* A piece of code in the text. */
typedef struct piece {
    uint64_t hash;
    size_t offset, size;
} piece;

/* A row: its key, its kernel, and the kernel's code for each level. */
typedef struct row {
    rows_entry entry;
    tosajit_op op;
    tosajit_kernel *kernel;
    compiler_output made[ROWS_MAX_LEVELS];
} row;

typedef struct writer {
    tosajit_allocator heap;
    uint16_t machine;
    tosajit_engine *engines[ROWS_MAX_LEVELS];
    byte_writer rows, text, entries, pieces; /* rows: row; entries: rows_entry; pieces: piece */
    size_t shared;                           /* pieces that were there already */
    rows_library head;                       /* at the end, where its array of no length may be */
} writer;

static row *row_at(const writer *w, size_t index) { return (row *)(void *)w->rows.bytes + index; }
static size_t row_count(const writer *w) { return w->rows.size / sizeof(row); }

/* The engines, from the best level down: every level of this architecture. */
static tosajit_status open_levels(writer *w) {
    const cpu_model *model;
    for (size_t k = 0; (model = cpu_at(k)); k++) {
        if (model->level->machine != w->machine || *model->features) continue;
        bool is_level =
            strcmp(model->name, model->level->cpu) == 0 || model->level == cpu_floor(w->machine);
        for (size_t known = 0; known < w->head.level_count; known++)
            is_level &= w->engines[known]->chosen_cpu == NULL ||
                        cpu_find(w->engines[known]->chosen_cpu)->level != model->level;
        if (!is_level || w->head.level_count == ROWS_MAX_LEVELS) continue;
        const tosajit_engine_options options = {
            .size = sizeof options, .backend = TOSAJIT_BACKEND_CROSS, .cpu = model->name};
        tosajit_status status = tosajit_engine_create(&options, &w->engines[w->head.level_count]);
        if (status) return status;
        w->head.level_count++;
    }
    for (size_t k = 0; k < w->head.level_count / 2; k++) {
        tosajit_engine *lower = w->engines[k];
        w->engines[k] = w->engines[w->head.level_count - 1 - k];
        w->engines[w->head.level_count - 1 - k] = lower;
    }
    return TOSAJIT_OK;
}

/* Where the code lies in the text, into which it goes if it is not there yet. */
static size_t place(writer *w, const code_image *code) {
    const uint64_t hash = bytes_hash(code->bytes, code->size);
    const piece *pieces = (const void *)w->pieces.bytes;
    for (size_t k = 0; k < w->pieces.size / sizeof *pieces; k++)
        if (pieces[k].hash == hash && pieces[k].size == code->size &&
            memcmp(w->text.bytes + pieces[k].offset, code->bytes, code->size) == 0) {
            w->shared++;
            return pieces[k].offset;
        }
    bytes_align(&w->text, code->alignment > ROWS_ALIGNMENT ? code->alignment : ROWS_ALIGNMENT);
    const piece fresh = {hash, w->text.size, code->size};
    bytes_put(&w->text, code->bytes, code->size);
    bytes_put(&w->pieces, &fresh, sizeof fresh);
    return fresh.offset;
}

/* The level's code of every row. */
typedef struct level_work {
    const writer *writer;
    size_t level;
    tosajit_status status;
    char message[256]; /* with status: messages are their thread's */
} level_work;

static tosajit_status compile_row(tosajit_engine *engine, const row *r, compiler_output *made) {
    const tosajit_kernel *kernel = r->kernel;
    tosajit_status status = engine_enter(engine);
    if (status) return status;
    status = backend_compile(engine, &kernel, 1, made);
    engine_leave(engine);
    return status ? diag_prefix(status, "%s: ", tosajit_op_name(r->op)) : status;
}

static void *compile_level(void *argument) {
    level_work *work = argument;
    for (size_t k = 0; !work->status && k < row_count(work->writer); k++) {
        row *r = row_at(work->writer, k);
        work->status = compile_row(work->writer->engines[work->level], r, &r->made[work->level]);
    }
    if (work->status) snprintf(work->message, sizeof work->message, "%s", tosajit_last_error());
    return NULL;
}

/* A thread for each level, as each takes a third of a minute; where there is no thread, the level
 * is compiled here. */
static tosajit_status compile_levels(const writer *w) {
    level_work works[ROWS_MAX_LEVELS];
    system_thread threads[ROWS_MAX_LEVELS];
    bool started[ROWS_MAX_LEVELS];
    for (size_t k = 0; k < w->head.level_count; k++) {
        works[k] = (level_work){.writer = w, .level = k};
        started[k] = system_thread_start(&threads[k], compile_level, &works[k]);
    }
    tosajit_status status = TOSAJIT_OK;
    for (size_t k = 0; k < w->head.level_count; k++) {
        if (started[k])
            system_thread_join(threads[k]);
        else
            compile_level(&works[k]);
        if (!status && works[k].status)
            status = diag_error(works[k].status, "%s", works[k].message);
    }
    return status;
}

static tosajit_status add_row(void *context, const rows_code *code) {
    writer *w = context;
    row fresh = {.entry.key = rows_key(code), .op = code->first.op};
    tosajit_expr *expr;
    tosajit_status status = uses_expression(code, &expr);
    if (!status) {
        status = kernel_create(expr, &w->heap, &(program_aids){0}, &fresh.kernel);
        tosajit_expr_destroy(expr);
    }
    if (status) return diag_prefix(status, "%s: ", tosajit_op_name(code->first.op));
    bytes_put(&w->rows, &fresh, sizeof fresh);
    return TOSAJIT_OK;
}

/* In the order of the rows, so that the object does not depend on threads. */
static void place_rows(writer *w) {
    for (size_t k = 0; k < row_count(w); k++) {
        row *r = row_at(w, k);
        for (size_t level = 0; level < w->head.level_count; level++) {
            const compiler_output *made = &r->made[level];
            r->entry.offsets[level] = (uint32_t)(place(w, &made->image) + made->image.entries[0]);
            w->head.features[level] |= made->features;
        }
        bytes_put(&w->entries, &r->entry, sizeof r->entry);
    }
}

static void release(writer *w) {
    byte_writer *const writers[] = {&w->rows, &w->text, &w->entries, &w->pieces};
    for (size_t k = 0; k < row_count(w); k++) {
        for (size_t level = 0; level < w->head.level_count; level++)
            code_release(&row_at(w, k)->made[level].image, &row_at(w, k)->kernel->allocator);
        tosajit_kernel_release(row_at(w, k)->kernel);
    }
    for (size_t k = 0; k < sizeof writers / sizeof *writers; k++) bytes_release(writers[k]);
    for (size_t k = 0; k < w->head.level_count; k++) tosajit_engine_destroy(w->engines[k]);
}

static int by_key(const void *a, const void *b) {
    const rows_entry *first = a, *second = b;
    return (first->key > second->key) - (first->key < second->key);
}

static tosajit_status write_object(writer *w, unsigned char **bytes, size_t *size) {
    enum { TEXT, RODATA, STACK, SECTIONS };
    const bool arm = w->machine == MACHINE_AARCH64;
    const object_relocation text = {offsetof(rows_library, text),
                                    arm ? ELF_R_AARCH64_PREL64 : ELF_R_X86_64_PC64, 0, 0};
    byte_writer rodata = {.allocator = w->heap};
    qsort(w->entries.bytes, w->entries.size / sizeof(rows_entry), sizeof(rows_entry), by_key);
    w->head.entry_count = w->entries.size / sizeof(rows_entry);
    w->head.text_size = w->text.size;
    snprintf(w->head.build, sizeof w->head.build, "%s", tosajit_ops_build);
    bytes_put(&rodata, &w->head, sizeof w->head);
    bytes_put(&rodata, w->entries.bytes, w->entries.size);
    const object_section_spec sections[SECTIONS] = {
        [TEXT] = {".text", ELF_SHF_ALLOC | ELF_SHF_EXECINSTR, CODE_MAX_ALIGNMENT, w->text.bytes,
                  w->text.size, NULL, 0},
        [RODATA] = {".rodata", ELF_SHF_ALLOC, sizeof(int64_t), rodata.bytes, rodata.size, &text, 1},
        [STACK] = {".note.GNU-stack", 0, 1, NULL, 0, NULL, 0},
    };
    const object_symbol_spec symbols[] = {
        {"tosajit_ops_text", TEXT, ELF_STT_NOTYPE, ELF_STV_DEFAULT, 0, 0, true},
        {"tosajit_private_ops", RODATA, ELF_STT_OBJECT, ELF_STV_DEFAULT, 0, rodata.size, false},
    };
    tosajit_status status = TOSAJIT_OUT_OF_MEMORY;
    if (!w->text.failed && !w->entries.failed && !w->pieces.failed && !rodata.failed)
        status = object_write(&(object_spec){w->machine, sections, SECTIONS, symbols, 2}, &w->heap,
                              bytes, size);
    bytes_release(&rodata);
    return status;
}

static int write_file(const char *path, const void *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    if (!file) return perror(path), 1;
    const bool written = fwrite(bytes, 1, size, file) == size;
    if (fclose(file) || !written) return perror(path), 1;
    return 0;
}

enum { MACHINE_AT = 18, MOST_BYTES = 16 << 20 }; /* e_machine of ELF */

/* The bytes of the file, if it has the code of these sources for the machine. The hash stands in it
 * as it is. */
static unsigned char *made(const char *path, uint16_t machine, size_t *size) {
    unsigned char *bytes = malloc(MOST_BYTES);
    FILE *file = fopen(path, "rb");
    *size = bytes && file ? fread(bytes, 1, MOST_BYTES, file) : 0;
    if (file) fclose(file);
    const size_t length = strlen(tosajit_ops_build);
    if (*size > MACHINE_AT + sizeof machine &&
        memcmp(bytes + MACHINE_AT, &machine, sizeof machine) == 0)
        for (size_t k = 0; k + length < *size; k++)
            if (bytes[k] == (unsigned char)*tosajit_ops_build &&
                memcmp(bytes + k, tosajit_ops_build, length) == 0)
                return bytes;
    free(bytes);
    return NULL;
}

static int make(const char *path, uint16_t machine) {
    writer w = {.heap = memory_allocator(NULL), .machine = machine};
    byte_writer *const writers[] = {&w.rows, &w.text, &w.entries, &w.pieces};
    unsigned char *bytes = NULL;
    size_t size = 0;
    for (size_t k = 0; k < sizeof writers / sizeof *writers; k++) writers[k]->allocator = w.heap;
    tosajit_status status = open_levels(&w);
    if (!status) status = uses_each(add_row, &w);
    if (!status && w.rows.failed) status = diag_error(TOSAJIT_OUT_OF_MEMORY, "no memory for rows");
    if (!status) status = compile_levels(&w);
    if (!status) place_rows(&w);
    if (!status) status = write_object(&w, &bytes, &size);
    if (status) return fprintf(stderr, "tosajit-precompile: %s\n", tosajit_last_error()), 1;
    printf("tosajit-precompile: %llu rows, %llu levels, %zu bytes of code, %zu pieces shared\n",
           (unsigned long long)w.head.entry_count, (unsigned long long)w.head.level_count,
           w.text.size, w.shared);
    const int failed = write_file(path, bytes, size);
    memory_free(&w.heap, bytes, size, 1);
    release(&w);
    return failed;
}

int main(int argc, char **argv) {
    if (argc < 2 || argc > 4)
        return fprintf(stderr, "usage: tosajit-precompile OUT.o [MADE.o [CPU]]\n"), 2;
    const cpu_model *other = argc > 3 ? cpu_find(argv[3]) : NULL;
    if (argc > 3 && !other) return fprintf(stderr, "there is no CPU %s\n", argv[3]), 2;
    const uint16_t machine = other ? other->level->machine : features_machine();
    for (int k = 1; k < argc && k < 3; k++) {
        size_t size;
        unsigned char *bytes = made(argv[k], machine, &size);
        if (!bytes) continue;
        const int failed = k > 1 ? write_file(argv[1], bytes, size) : 0;
        free(bytes);
        return failed;
    }
    return make(argv[1], machine);
}

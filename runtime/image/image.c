/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Kernel images: writing and reading. All numbers have 8 bytes:
 *
 *     magic, format, size, checksum of all that follows
 *     flags, fingerprint of the plan, bytes of the program, number of builds
 *     program
 *     builds: machine, features, alignment, offset and size of the code,
 *               number of entries, their offsets
 *     code
 *
 * Everything is checked but the code itself: whoever can forge it can run anything. */
#include "runtime/image/image.h"

#include <stdio.h>
#include <string.h>

#include "runtime/base/diag.h"
#include "runtime/base/environment.h"
#include "runtime/base/features.h"
#include "runtime/base/memory.h"
#include "runtime/base/options.h"
#include "runtime/base/types.h"
#include "runtime/code/perf_map.h"
#include "runtime/expr/program.h"
#include "runtime/precompiled/stand_in.h"
#include "runtime/run/verbose.h"

/* FORMAT is raised when images change, or what code expects of its caller: tosajit_entry. */
enum { FORMAT = 6, FLAG_APART = 1, FLAG_VIEWS = 2, MAX_BUILDS = 16, CODE_ALIGNMENT = 64 };
enum { MAGIC_BYTES = 8, SIZE_AT = 16, CHECKSUM_AT = 24, CHECKED_FROM = 32 };
static const char magic[MAGIC_BYTES + 1] = "\x7fTOSAJIT";

/* The part of a plan that code relies on: the tensors of its pointers, and its loops. Planning
 * anew, by this or another version of the library, must give the same. */
static uint64_t fingerprint(const plan *p) {
    uint64_t hash = (uint64_t)p->part_count;
    for (int32_t k = 0; k < p->part_count; k++) {
        const plan_part *part = &p->parts[k];
        const int64_t counts[] = {part->leaf_count,          part->operand_count,
                                  part->result_count,        part->variant_count,
                                  part->cols_multiple,       part->has_planes,
                                  (int64_t)plan_tables(part)};
        const uint64_t pieces[] = {
            bytes_hash(counts, sizeof counts),
            bytes_hash(part->operands, (size_t)part->leaf_count * sizeof *part->operands),
            bytes_hash(part->results, (size_t)part->result_count * sizeof *part->results),
            bytes_hash(part->variants, (size_t)part->variant_count * sizeof *part->variants), hash};
        hash = bytes_hash(pieces, sizeof pieces);
    }
    return hash;
}

/* Writing. */

static size_t build_bytes(const image_build *v) {
    return (7 + v->code.entry_count) * sizeof(int64_t);
}

static void put_build(byte_writer *w, const image_build *v, uint64_t offset) {
    const int64_t numbers[] = {v->code.machine,    (int64_t)v->features,  v->code.alignment,
                               (int64_t)offset,    (int64_t)v->code.size, (int64_t)v->code.masked,
                               v->code.entry_count};
    bytes_put(w, numbers, sizeof numbers);
    for (uint32_t k = 0; k < v->code.entry_count; k++) bytes_put_number(w, v->code.entries[k]);
}

static void put_builds(byte_writer *w, const image_build *builds, size_t count,
                       const uint64_t *apart) {
    size_t end = w->size;
    for (size_t k = 0; k < count; k++) end += build_bytes(&builds[k]);
    for (size_t k = 0; k < count; k++) {
        size_t at = size_align(end, CODE_ALIGNMENT);
        put_build(w, &builds[k], apart ? apart[k] : at);
        end = at + builds[k].code.size;
    }
    for (size_t k = 0; !apart && k < count; k++) {
        bytes_align(w, CODE_ALIGNMENT);
        bytes_put(w, builds[k].code.bytes, builds[k].code.size);
    }
}

static void set_number(byte_writer *w, size_t at, uint64_t number) {
    memcpy(w->bytes + at, &number, sizeof number);
}

/* The expression with views behind the program without: its size, then its bytes. */
static void put_source(const tosajit_kernel *kernel, byte_writer *w) {
    byte_writer source = {.allocator = w->allocator};
    if (!kernel->views) return;
    program_write(kernel->views->caller, &source);
    bytes_put_number(w, (int64_t)source.size);
    bytes_put(w, source.bytes, source.size);
    w->failed |= source.failed;
    bytes_release(&source);
}

void image_write(const tosajit_kernel *kernel, const image_build *builds, size_t count,
                 const uint64_t *apart, byte_writer *w) {
    byte_writer body = {.allocator = w->allocator};
    program_write(kernel->program, &body);
    const int64_t flags = (apart ? FLAG_APART : 0) | (kernel->views ? FLAG_VIEWS : 0),
                  head[] = {FORMAT,
                            0,
                            0,
                            flags,
                            (int64_t)fingerprint(&kernel->plan),
                            (int64_t)body.size,
                            (int64_t)count};
    bytes_put(w, magic, MAGIC_BYTES);
    bytes_put(w, head, sizeof head);
    bytes_put(w, body.bytes, body.size);
    w->failed |= body.failed;
    bytes_release(&body);
    put_source(kernel, w);
    put_builds(w, builds, count, apart);
    if (w->failed) return;
    set_number(w, SIZE_AT, w->size);
    set_number(w, CHECKSUM_AT, bytes_hash(w->bytes + CHECKED_FROM, w->size - CHECKED_FROM));
}

image_build image_without_code(uint16_t machine) {
    return (image_build){.code = {.machine = machine, .alignment = 1}};
}

tosajit_status image_of_kernel(const tosajit_kernel *kernel, byte_writer *w) {
    const kernel_code *code = atomic_load_explicit(&kernel->code, memory_order_acquire);
    if (!kernel_is_settled(kernel))
        return diag_error(TOSAJIT_NOT_EXECUTABLE, "the kernel is %s and has no code to save",
                          code ? "precompiled" : "interpreted");
    const image_build build = tosajit_kernel_is_native(kernel)
                                  ? (image_build){code->image, code->features}
                                  : image_without_code(features_machine());
    image_write(kernel, &build, 1, NULL, w);
    return w->failed ? diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for a kernel image")
                     : TOSAJIT_OK;
}

/* Reading. */

typedef struct image_head {
    bool apart, views;
    uint64_t fingerprint, program_bytes;
    size_t build_count;
} image_head;

static tosajit_status damaged(const char *what) {
    return diag_error(TOSAJIT_BAD_IMAGE, "the kernel image is damaged: %s", what);
}

static tosajit_status read_head(byte_reader *r, image_head *head) {
    const char *start = bytes_take(r, MAGIC_BYTES);
    if (!start || memcmp(start, magic, MAGIC_BYTES) != 0)
        return diag_error(TOSAJIT_BAD_IMAGE, "this is no kernel image");
    int64_t format = bytes_take_number(r, INT64_MIN, INT64_MAX);
    if (!r->failed && format != FORMAT)
        return diag_error(
            TOSAJIT_BAD_IMAGE,
            "the kernel image has format %lld, but this library reads %d; compile the kernel anew",
            (long long)format, (int)FORMAT);
    uint64_t size = (uint64_t)bytes_take_number(r, 0, INT64_MAX),
             checksum = (uint64_t)bytes_take_number(r, INT64_MIN, INT64_MAX);
    if (r->failed || size > r->size) return damaged("it is cut off");
    r->size = (size_t)size; /* what follows is somebody else's */
    if (size < CHECKED_FROM ||
        checksum != bytes_hash(r->bytes + CHECKED_FROM, r->size - CHECKED_FROM))
        return damaged("its checksum is wrong");
    const int64_t flags = bytes_take_number(r, 0, FLAG_APART | FLAG_VIEWS);
    head->apart = flags & FLAG_APART;
    head->views = flags & FLAG_VIEWS;
    head->fingerprint = (uint64_t)bytes_take_number(r, INT64_MIN, INT64_MAX);
    head->program_bytes = (uint64_t)bytes_take_number(r, 0, INT64_MAX);
    head->build_count = (size_t)bytes_take_number(r, 1, MAX_BUILDS);
    return r->failed ? damaged("its header") : TOSAJIT_OK;
}

static tosajit_status other_version(void) {
    return diag_error(
        TOSAJIT_BAD_IMAGE,
        "the kernel image is of another version of this library; compile the kernel anew");
}

/* `what` it is, where it is damaged. */
static tosajit_status read_program(byte_reader *r, uint64_t size, const char *what,
                                   const tosajit_allocator *allocator, tosajit_expr **program) {
    byte_reader body = {.bytes = bytes_take(r, size), .size = (size_t)size};
    if (!body.bytes || size % sizeof(int64_t)) return damaged(what);
    tosajit_status status = program_read(&body, allocator, program);
    if (!status || status == TOSAJIT_OUT_OF_MEMORY || status == TOSAJIT_BAD_IMAGE) return status;
    return diag_prefix(TOSAJIT_BAD_IMAGE, "the kernel image has a program that cannot be: ");
}

static bool same_form(const tosajit_tensor_type *a, const tosajit_tensor_type *b) {
    return a->element == b->element && a->rank == b->rank;
}

/* True if two programs have the same operands and the same results. */
static bool are_alike(const tosajit_expr *a, const tosajit_expr *b) {
    bool same = a->input_count == b->input_count && a->result_count == b->result_count;
    size_t p = 0, q = 0;
    for (int32_t k = 0; same && k < a->input_count; k++, p++, q++) {
        while (a->nodes[p].kind != NODE_INPUT) p++;
        while (b->nodes[q].kind != NODE_INPUT) q++;
        same = same_form(&a->nodes[p].type, &b->nodes[q].type);
    }
    for (int32_t r = 0; same && r < a->result_count; r++)
        same = same_form(&a->nodes[a->results[r]].type, &b->nodes[b->results[r]].type);
    return same;
}

static tosajit_status read_views(byte_reader *r, const tosajit_allocator *allocator,
                                 program_made *made) {
    const uint64_t size = (uint64_t)bytes_take_number(r, 0, INT64_MAX);
    tosajit_expr *source;
    program_made lowered;
    tosajit_status status = read_program(r, size, "its views", allocator, &source);
    if (status) return status;
    status = program_make(source, allocator, &(program_aids){.lowers = true}, &lowered);
    tosajit_expr_destroy(source);
    if (status) return status == TOSAJIT_OUT_OF_MEMORY ? status : damaged("its views");
    const bool fits = lowered.views && are_alike(lowered.program, made->program);
    tosajit_expr_destroy(lowered.program);
    made->views = lowered.views;
    return fits ? TOSAJIT_OK : damaged("its views are of another kernel");
}

static tosajit_status read_kernel(byte_reader *r, const image_head *head,
                                  const tosajit_allocator *allocator, tosajit_kernel **kernel) {
    program_made made = {NULL, NULL};
    tosajit_status status =
        read_program(r, head->program_bytes, "its program", allocator, &made.program);
    if (status) return status;
    status = expr_sweep(made.program, NULL, NULL, NULL); /* which numbers constants */
    if (!status && head->views) status = read_views(r, allocator, &made);
    if (status) return program_drop(&made), status;
    status = kernel_adopt(&made, allocator, kernel);
    if (status) return status == TOSAJIT_OUT_OF_MEMORY ? status : TOSAJIT_BAD_IMAGE;
    if (fingerprint(&(*kernel)->plan) == head->fingerprint) return TOSAJIT_OK;
    tosajit_kernel_release(*kernel);
    return other_version();
}

/* Where an image's code is, and how much. */
static image_code code_of(const byte_reader *r, const image_head *head, const image_code *apart) {
    return head->apart ? *apart : (image_code){r->bytes, r->size};
}

static tosajit_status read_build(byte_reader *r, const image_code *from, int32_t part_count,
                                 image_build *v) {
    v->code.machine = (uint16_t)bytes_take_number(r, 0, UINT16_MAX);
    v->features = (uint64_t)bytes_take_number(r, INT64_MIN, INT64_MAX);
    v->code.alignment = (uint32_t)bytes_take_number(r, 1, CODE_MAX_ALIGNMENT);
    uint64_t offset = (uint64_t)bytes_take_number(r, 0, INT64_MAX);
    v->code.size = (size_t)bytes_take_number(r, 0, INT64_MAX);
    v->code.masked = (uint64_t)bytes_take_number(r, INT64_MIN, INT64_MAX);
    v->code.entry_count = (uint32_t)bytes_take_number(r, 0, TOSAJIT_MAX_TENSORS);
    for (uint32_t k = 0; k < v->code.entry_count; k++)
        v->code.entries[k] = (uint32_t)bytes_take_number(r, 0, UINT32_MAX);
    bool fine = !r->failed && (v->code.alignment & (v->code.alignment - 1)) == 0 &&
                offset <= from->size && v->code.size <= from->size - offset &&
                v->code.entry_count == (v->code.size ? (uint32_t)part_count : 0);
    for (uint32_t k = 0; fine && k < v->code.entry_count; k++)
        fine = v->code.entries[k] < v->code.size;
    v->code.bytes = from->bytes + (fine ? offset : 0);
    return fine ? TOSAJIT_OK : damaged("a build of its code");
}

static tosajit_status unsuitable(const image_build *v, uint64_t usable) {
    if (v->code.machine != features_machine())
        return diag_error(TOSAJIT_NOT_EXECUTABLE,
                          "the kernel image is for machine %u of ELF's numbering; this one is %u",
                          (unsigned)v->code.machine, (unsigned)features_machine());
    char text[FEATURES_TEXT];
    features_print(v->code.machine, v->features & ~usable, false, text, sizeof text);
    return diag_error(TOSAJIT_NOT_EXECUTABLE, "the kernel image needs what this CPU lacks: %s",
                      *text ? text : "a feature unknown to this library");
}

/* The first build that needs no features but the usable ones. All are checked. */
static tosajit_status choose_build(byte_reader *r, const image_head *head, const image_code *from,
                                   int32_t part_count, uint64_t usable, image_build *chosen) {
    tosajit_status status = TOSAJIT_OK;
    bool found = false;
    image_build v = {0};
    for (size_t k = 0; !status && k < head->build_count; k++) {
        status = read_build(r, from, part_count, &v);
        if (status || found || v.code.machine != features_machine() || (v.features & ~usable))
            continue;
        *chosen = v;
        found = true;
    }
    return status || found ? status : unsuitable(&v, usable);
}

/* Code that was loaded. */
typedef struct loaded {
    kernel_code code;
    bool mapped;
    code_part parts[];
} loaded;

static size_t loaded_size(const code_image *code) {
    return sizeof(loaded) + code->entry_count * sizeof(code_part);
}

static void release_loaded(tosajit_kernel *kernel) {
    loaded *l = kernel->owned;
    if (l->mapped) code_unmap(&l->code.image);
    memory_free(&kernel->allocator, l, 1, loaded_size(&l->code.image));
    kernel_destroy(kernel);
}

/* It has its code from the first. */
static tosajit_status wait_loaded(tosajit_kernel *kernel) {
    (void)kernel;
    return TOSAJIT_OK;
}

static tosajit_status attach(const image_build *v, bool in_place, tosajit_kernel *kernel) {
    loaded *l = memory_new(&kernel->allocator, 1, loaded_size(&v->code));
    if (!l) return diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for the code of a kernel");
    tosajit_status status = TOSAJIT_OK;
    if (in_place)
        l->code.image = v->code;
    else
        status = code_map(&v->code, &l->code.image);
    if (status) {
        memory_free(&kernel->allocator, l, 1, loaded_size(&v->code));
        return status;
    }
    l->mapped = !in_place;
    l->code.features = v->features;
    l->code.info = (tosajit_kernel_info){.size = sizeof l->code.info, .code_bytes = v->code.size};
    code_parts(&l->code.image, l->parts);
    l->code.parts = l->parts;
    kernel->owned = l;
    static const kernel_owner image = {.wait = wait_loaded, .release = release_loaded};
    kernel->owner = &image;
    atomic_store_explicit(&kernel->code, &l->code, memory_order_release);
    return TOSAJIT_OK;
}

static tosajit_status read_code(byte_reader *r, const image_head *head, const image_code *apart,
                                tosajit_backend backend, tosajit_kernel *kernel) {
    const image_code from = code_of(r, head, apart);
    image_build v;
    tosajit_status status =
        choose_build(r, head, &from, kernel->plan.part_count, features_host(), &v);
    if (backend == TOSAJIT_BACKEND_INTERPRET && (!status || status == TOSAJIT_NOT_EXECUTABLE))
        return TOSAJIT_OK;
    if (status) return status;
    if (head->apart && (uintptr_t)v.code.bytes % v.code.alignment)
        return damaged("its code is not aligned");
    if (v.code.entry_count == 0) {
        kernel->too_large = true;
    } else {
        status = attach(&v, head->apart, kernel);
        if (status != TOSAJIT_NOT_EXECUTABLE || backend == TOSAJIT_BACKEND_NATIVE) return status;
    }
    return stand_in_attach(kernel) == TOSAJIT_OUT_OF_MEMORY ? TOSAJIT_OUT_OF_MEMORY : TOSAJIT_OK;
}

/* Tell those who look on: a line, and names for perf. Code that was linked into the program has
 * names there. */
static void observe(const tosajit_kernel *kernel, bool in_place) {
    const environment *e = environment_get();
    const kernel_code *code = atomic_load_explicit(&kernel->code, memory_order_relaxed);
    if (e->verbose & VERBOSE_COMPILE) verbose_loaded(kernel);
    for (uint32_t k = 0; code && !in_place && (e->perf & PERF_MAP) && k < code->image.entry_count;
         k++) {
        char name[64];
        snprintf(name, sizeof name, "%s_p%u", kernel->name, (unsigned)k);
        perf_map_add(name, (uintptr_t)code->image.bytes + code->image.entries[k],
                     code_entry_size(&code->image, k));
    }
}

tosajit_status image_to_kernel(const void *bytes, size_t size, const image_code *apart,
                               tosajit_backend backend, const tosajit_allocator *allocator,
                               tosajit_kernel **kernel) {
    byte_reader r = {.bytes = bytes, .size = size};
    image_head head = {0};
    tosajit_kernel *made = NULL;
    tosajit_status status = read_head(&r, &head);
    if (!status && head.apart != (apart != NULL)) status = damaged("its code is elsewhere");
    if (!status) status = read_kernel(&r, &head, allocator, &made);
    if (status) return status;
    status = read_code(&r, &head, apart, backend, made);
    if (status) {
        tosajit_kernel_release(made);
        return status;
    }
    observe(made, apart != NULL);
    *kernel = made;
    return TOSAJIT_OK;
}

/* Programs are equal where their bytes are. */
static tosajit_status check_program(byte_reader *r, const image_head *head,
                                    const tosajit_kernel *kernel) {
    byte_writer own = {.allocator = kernel->allocator};
    program_write(kernel->program, &own);
    const void *program = bytes_take(r, head->program_bytes);
    tosajit_status status = TOSAJIT_OK;
    if (own.failed)
        status = diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for the program of a kernel");
    else if (!program)
        status = damaged("its program");
    else if (head->program_bytes != own.size || memcmp(program, own.bytes, own.size) != 0)
        status = diag_error(TOSAJIT_BAD_IMAGE, "the kernel image is of another expression");
    bytes_release(&own);
    return status;
}

tosajit_status image_find_code(const void *bytes, size_t size, const tosajit_kernel *kernel,
                               uint64_t usable, image_build *found) {
    byte_reader r = {.bytes = bytes, .size = size};
    image_head head = {0};
    tosajit_status status = read_head(&r, &head);
    if (!status && head.apart) status = damaged("its code is elsewhere");
    if (!status) status = check_program(&r, &head, kernel);
    if (!status && head.views && !bytes_take(&r, (uint64_t)bytes_take_number(&r, 0, INT64_MAX)))
        status = damaged("its views");
    if (!status && head.fingerprint != fingerprint(&kernel->plan)) status = other_version();
    if (status) return status;
    const image_code from = code_of(&r, &head, NULL);
    return choose_build(&r, &head, &from, kernel->plan.part_count, usable, found);
}

/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Forms: every case with sizes known and not, out of place and in place, on one thread and two, all
 * in turns by the wall clock; beside copies of as many bytes on as many threads. In: the workloads
 * and shape cases. Out: cases "forms_.../.../static" and so on. The result of every form is
 * compared with the loop's, or for shapes with an odometer over indices, before it is timed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/benchmark_shim.h"
#include "bench/buffers.h"
#include "bench/families.h"
#include "bench/pair.h"
#include "bench/shape_cases.h"
#include "bench/turns.h"
#include "bench/workloads.h"
#include "tosajit/inspect.h"

#define SHARE 0.4 /* of the time that other families give a contender: a case has ten here */

enum {
    RANK = SHAPE_RANK,
    /* Elements of a copy, on one thread and two: one of fewer measures calls, or how long the other
       thread takes to begin. */
    LEAST_COPY = 4096,
    LEAST_COPY_ON_TWO = 256 * 1024,
};

/* A case. Either a workload on rows x cols, or a shape. */
typedef struct subject {
    struct subject *next;
    const workload *work;
    tosajit_accuracy accuracy;
    int64_t rows, cols, sizes[WORKLOAD_MAX_OPERANDS][2], full[2];
    const shape_case *shape;
    shape_layout layout;
    int32_t rank;            /* of the shape's tensors: their last dimensions */
    int operand_count, home; /* home: the operand that results in place replace, -1: none has the
                                result's shape and type */
    int64_t count, bytes;    /* of the result; moved by a pass */
    bool drifts; /* in place again and again: the numbers become infinite, subnormal or NaN, which
                    take other paths */
    tosajit_kernel *kernels[2][2]; /* by threads - 1 and dynamic */
    bool ready;
    void *pointers[WORKLOAD_MAX_OPERANDS], *result;
    size_t extent; /* bytes that operand `home` spans */
    tosajit_tensor operands[WORKLOAD_MAX_OPERANDS],
        to; /* of a workload: in the order of its values */
    int sources[WORKLOAD_MAX_OPERANDS];
} subject;

typedef struct form_kind {
    const char *name;
    size_t threads;
    bool dynamic, in_place, copies;
} form_kind;

/* The first is what tables divide by. */
static const form_kind kinds[] = {
    {"static", 1, false, false, false},
    {"dynamic", 1, true, false, false},
    {"static_in_place", 1, false, true, false},
    {"dynamic_in_place", 1, true, true, false},
    {"static_two", 2, false, false, false},
    {"dynamic_two", 2, true, false, false},
    {"static_two_in_place", 2, false, true, false},
    {"dynamic_two_in_place", 2, true, true, false},
    {"copy", 1, false, false, true},
    {"copy_two", 2, false, false, true},
};

typedef struct case_form {
    struct case_form *next;
    subject *s;
    const form_kind *kind;
    tosajit_kernel *kernel; /* the subject's */
    tosajit_tensor operands[WORKLOAD_MAX_OPERANDS], to;
    size_t operand_count;
} case_form;

static subject *subjects;
static case_form *forms;
static tosajit_kernel *identity_on_two; /* of bytes */

/* Memory. */

static bool set_memory(subject *s) {
    const bool large = s->count > BUFFER_MAX_F32;
    for (int k = 0; k < s->operand_count; k++) {
        const tosajit_type type = s->work ? s->work->types[k] : TOSAJIT_F32;
        s->pointers[k] = s->shape                  ? shape_memory(s->count, k)
                         : s->work->positive && !k ? buffer_positive()
                                                   : buffer_operand(type, k % BUFFER_OPERANDS);
        if (!s->pointers[k]) return false;
    }
    s->result = large ? buffer_large(2) : buffer_result(0);
    return s->result && buffer_result(BUFFER_RESULTS - 1);
}

static void set_tensors(subject *s) {
    const int32_t skipped = RANK - s->rank;
    for (int k = 0; k < s->operand_count; k++) {
        s->operands[k] = s->work ? tosajit_dense(s->work->types[k], s->pointers[k], 2, s->sizes[k])
                                 : tosajit_dense(TOSAJIT_F32, s->pointers[k], s->rank,
                                                 s->shape->dims[k] + skipped);
        if (s->shape && !k && s->shape->seen != VIEW_DENSE)
            s->operands[k].strides = s->layout.strides[k] + skipped;
    }
    s->to = s->work ? tosajit_dense(s->work->result, s->result, 2, s->full)
                    : tosajit_dense(TOSAJIT_F32, s->result, s->rank, s->layout.sizes + skipped);
    s->extent = (size_t)s->count * tosajit_type_size(s->to.element);
    if (s->shape && (s->shape->seen == VIEW_SECOND || s->shape->seen == VIEW_WIDE)) s->extent *= 2;
}

/* In place, the result's memory is operand `home`, so that all forms move through the same. What
 * other forms leave there are ordinary numbers too. */
static void restore(void *context) {
    const case_form *f = context;
    memcpy(f->s->result, f->s->pointers[f->s->home], f->s->extent);
}

/* By both threads, or what one of them is to compute would lie in the other's cache. */
static void restore_on_two(void *context) {
    const case_form *f = context;
    const int64_t bytes = (int64_t)f->s->extent;
    tosajit_tensor from = tosajit_dense(TOSAJIT_I8, f->s->pointers[f->s->home], 1, &bytes);
    tosajit_tensor to = tosajit_dense(TOSAJIT_I8, f->s->result, 1, &bytes);
    tosajit_run(identity_on_two, &from, 1, &to, 1);
}

/* Kernels. */

static tosajit_kernel *compile_shape(const subject *s, tosajit_engine *engine, bool dynamic) {
    tosajit_tensor_type types[2];
    tosajit_kernel *kernel = NULL;
    for (int k = 0; k < 2; k++) {
        types[k] = tosajit_ranked(TOSAJIT_F32, s->rank, s->shape->dims[k] + RANK - s->rank);
        for (int32_t d = 0; dynamic && d < s->rank; d++) types[k].dims[d] = TOSAJIT_DYNAMIC;
    }
    return tosajit_compile(engine, s->shape->op, types, (size_t)s->operand_count, NULL, NULL,
                           &kernel)
               ? NULL
               : kernel;
}

static tosajit_kernel *kernel_of(subject *s, const form_kind *kind) {
    tosajit_kernel **kernel = &s->kernels[kind->threads - 1][kind->dynamic];
    tosajit_engine *engine = pair_engine(kind->threads);
    if (*kernel || !engine) return *kernel;
    for (int k = 0; k < s->operand_count; k++) s->sources[k] = k;
    return *kernel = s->shape ? compile_shape(s, engine, kind->dynamic)
                              : workload_compile_all(engine, s->work, s->accuracy, s->rows, s->cols,
                                                     kind->dynamic, s->sources);
}

static tosajit_status need_identity(void) {
    const tosajit_tensor_type bytes = tosajit_ranked(TOSAJIT_I8, 1, (int64_t[]){TOSAJIT_DYNAMIC});
    if (identity_on_two) return TOSAJIT_OK;
    return tosajit_compile(pair_engine(2), TOSAJIT_OP_identity, &bytes, 1, NULL, NULL,
                           &identity_on_two);
}

static void set_call(case_form *f) {
    const subject *s = f->s;
    f->to = s->to;
    f->operand_count = tosajit_kernel_operand_count(f->kernel);
    for (size_t k = 0; k < f->operand_count; k++) {
        f->operands[k] = s->operands[s->sources[k]];
        if (f->kind->in_place && s->sources[k] == s->home) {
            f->operands[k].data = s->result;
            f->to = f->operands[k]; /* with its strides */
        }
    }
}

/* Copies. */

typedef struct share {
    const subject *s;
    int64_t part, parts;
} share;

/* As many bytes as a pass moves, half of them read: the operands one after the other, over the
 * result again and again. */
static void move_bytes(const share *h) {
    const subject *s = h->s;
    const int64_t result = s->count * (int64_t)tosajit_type_size(s->to.element),
                  all = s->bytes - result, half = s->bytes / 2;
    int64_t from = half / h->parts * h->part,
            end = h->part + 1 == h->parts ? half : half / h->parts * (h->part + 1);
    while (from < end) {
        int64_t at = from % all, to = from % result, size = 0;
        int k = 0;
        for (;; at -= size, k++) {
            size = s->sizes[k][0] * s->sizes[k][1] * (int64_t)tosajit_type_size(s->work->types[k]);
            if (at < size) break;
        }
        int64_t bytes = end - from;
        if (bytes > size - at) bytes = size - at;
        if (bytes > result - to) bytes = result - to;
        memcpy((char *)s->result + to, (const char *)s->pointers[k] + at, (size_t)bytes);
        from += bytes;
    }
}

static peer *copy_of(const subject *s) { return s->shape ? s->shape->copy : s->work->copy; }

static void copy(const void *argument) {
    const share *h = argument;
    const subject *s = h->s;
    peer *function = copy_of(s);
    if (!function) {
        move_bytes(h);
        return;
    }
    const int64_t first = s->count / h->parts * h->part,
                  count = h->part + 1 == h->parts ? s->count - first : s->count / h->parts;
    void *operands[2] = {(float *)s->pointers[0] + first,
                         s->operand_count > 1 ? (float *)s->pointers[1] + first : NULL};
    function(operands, (float *)s->result + first, 1, count);
}

static bool has_copy(const subject *s, size_t threads) {
    if (s->count < (threads == 1 ? LEAST_COPY : LEAST_COPY_ON_TWO)) return false;
    return s->shape ? s->shape->copy != NULL : !workload_has_function(s->work);
}

/* Measuring. */

static void run_once(case_form *f) {
    if (!f->kind->copies)
        tosajit_run(f->kernel, f->operands, f->operand_count, &f->to, 1);
    else if (f->kind->threads == 1)
        copy(&(share){f->s, 0, 1});
    else
        pair_run(copy, &(share){f->s, 0, 2}, &(share){f->s, 1, 2});
}

static void run(void *context, int64_t passes) {
    for (int64_t k = 0; k < passes; k++) {
        run_once(context);
        bench_clobber();
    }
}

static bool agrees(const case_form *f) {
    const subject *s = f->s;
    if (s->work) {
        void *expected = buffer_result(BUFFER_RESULTS - 1);
        s->work->loop(s->pointers, expected, s->rows, s->cols);
        return buffer_agrees(s->work->result, f->to.data, expected, s->count, s->work->tolerance);
    }
    int64_t strides[RANK], stride = sizeof(float);
    for (int d = RANK; d-- > 0; stride *= s->layout.sizes[d]) strides[d] = stride;
    void *const operands[2] = {s->pointers[0], s->pointers[s->operand_count - 1]};
    return shape_agrees(s->shape, &s->layout, operands, f->to.data,
                        f->kind->in_place ? s->layout.strides[s->home] : strides);
}

static const char *prepare(void *context) {
    case_form *f = context;
    subject *s = f->s;
    if (!s->ready && !set_memory(s)) return "no memory";
    if (!s->ready) set_tensors(s);
    s->ready = true;
    if (f->kind->copies) return NULL;
    f->kernel = kernel_of(s, f->kind);
    if (!f->kernel || (f->kind->threads == 2 && need_identity())) return tosajit_last_error();
    set_call(f);
    if (f->kind->in_place)
        restore(f);
    else
        memset(s->result, 0xff, s->extent); /* another form's result would be taken for its own */
    if (tosajit_run(f->kernel, f->operands, f->operand_count, &f->to, 1))
        return tosajit_last_error();
    return agrees(f) ? NULL : "the results differ from the loop's";
}

/* Registration. */

static bool add_form(turns *group, subject *s, const form_kind *kind, const char *case_name) {
    case_form *f = calloc(1, sizeof *f);
    if (!f) return false;
    f->s = s;
    f->kind = kind;
    f->next = forms;
    forms = f;
    char name[128];
    snprintf(name, sizeof name, "forms_%s/%s", case_name, kind->name);
    return turns_add(group, &(turns_contender){.name = name,
                                               .prepare = prepare,
                                               .run = run,
                                               .begin = kind->in_place ? restore : NULL,
                                               .restore = !kind->in_place || !s->drifts ? NULL
                                                          : kind->threads == 2 ? restore_on_two
                                                                               : restore,
                                               .wakes = kind->threads == 2,
                                               .context = f,
                                               .items = s->count,
                                               .bytes = s->bytes});
}

static bool add_subject(const subject *values, const char *case_name) {
    subject *s = malloc(sizeof *s);
    turns *group = turns_create(SHARE, true);
    if (!s || !group) {
        free(s);
        return false;
    }
    *s = *values;
    s->next = subjects;
    subjects = s;
    bool ok = true;
    for (size_t k = 0; ok && k < sizeof kinds / sizeof *kinds; k++) {
        const bool means = (kinds[k].threads == 1 || pair_exists()) &&
                           (!kinds[k].in_place || s->home >= 0) &&
                           (!kinds[k].copies || has_copy(s, kinds[k].threads));
        ok = !means || add_form(group, s, &kinds[k], case_name);
    }
    return ok;
}

static bool multiplies_floats(const workload *w) {
    bool multiplies = workload_has_function(w);
    for (int k = 0; k < w->step_count; k++) multiplies |= w->steps[k].op == TOSAJIT_OP_mul;
    return multiplies &&
           (w->result == TOSAJIT_F32 || w->result == TOSAJIT_F16 || w->result == TOSAJIT_BF16);
}

typedef struct size {
    const char *name;
    int64_t rows, cols;
} size;

static bool add_workload(const char *family, const workload *w, const size *z,
                         tosajit_accuracy accuracy) {
    subject s = {.work = w,
                 .accuracy = accuracy,
                 .rows = z->rows,
                 .cols = z->cols,
                 .full = {z->rows, z->cols},
                 .operand_count = w->operand_count,
                 .home = -1,
                 .count = z->rows * z->cols,
                 .bytes = workload_traffic(w, z->rows, z->cols),
                 .drifts = multiplies_floats(w)};
    for (int k = w->operand_count; k-- > 0;) {
        workload_dims(w->forms[k], z->rows, z->cols, s.sizes[k]);
        if (w->forms[k] == FORM_FULL && w->types[k] == w->result) s.home = k;
    }
    char name[96];
    snprintf(name, sizeof name, "%s/%s%s/%s", family, w->name,
             accuracy == TOSAJIT_FAST ? "_fast" : "", z->name);
    return add_subject(&s, name);
}

static bool add_list(const char *family, const workload *list, int count, const size *sizes,
                     int size_count, tosajit_accuracy accuracy) {
    for (int k = 0; k < count; k++)
        for (int z = 0; z < size_count; z++)
            if (!add_workload(family, &list[k], &sizes[z], accuracy)) return false;
    return true;
}

static bool add_shape(const shape_case *shape, int32_t rank) {
    subject s = {.shape = shape, .layout = shape_layout_of(shape), .rank = rank, .home = -1};
    s.operand_count = s.layout.operand_count;
    s.count = s.layout.count;
    s.bytes = s.layout.bytes;
    for (int k = s.operand_count; k-- > 0;)
        if (memcmp(shape->dims[k], s.layout.sizes, sizeof s.layout.sizes) == 0) s.home = k;
    char name[96];
    snprintf(name, sizeof name, "%s/%s", shape->family, shape->name);
    return add_subject(&s, name);
}

#define LINE(name, n)                                                                              \
    { "add", "1d/" name, TOSAJIT_OP_add, {{1, 1, 1, n}, {1, 1, 1, n}}, .copy = peer_copy_same }
static const shape_case lines[] = {
    LINE("7", 7),          LINE("16", 16),        LINE("1023", 1023),    LINE("1K", 1 << 10),
    LINE("4K", 4 << 10),   LINE("16K", 16 << 10), LINE("64K", 64 << 10), LINE("1M", 1 << 20),
    LINE("16M", 16 << 20), LINE("64M", 64 << 20),
};
static const size broadcast_sizes[] = {{"4K", 16, 256},         {"16K", 128, 128},
                                       {"1M", 1024, 1024},      {"16M", 4096, 4096},
                                       {"rows_of_11", 372, 11}, {"rows_of_100", 655, 100}};
static const size usual_sizes[] = {{"16K", 128, 128}, {"1M", 1024, 1024}};

bool forms_register(void) {
    const int broadcasts = sizeof broadcast_sizes / sizeof *broadcast_sizes,
              usual = sizeof usual_sizes / sizeof *usual_sizes;
    bool ok = true;
    for (size_t k = 0; ok && k < sizeof lines / sizeof *lines; k++) ok = add_shape(&lines[k], 1);
    for (int k = 0; ok && k < workload_add_count; k++)
        if (workload_adds[k].loop != peer_add_same) /* whose sizes are those of the lines */
            ok = add_list("add", &workload_adds[k], 1, broadcast_sizes, broadcasts, TOSAJIT_EXACT);
    for (int k = 0; ok && k < shape_case_count; k++)
        if (!shape_cases[k].in_place && shape_layout_of(&shape_cases[k]).count <= BUFFER_MAX_F32)
            ok = add_shape(&shape_cases[k], RANK);
    return ok &&
           add_list("op", workload_ops, workload_op_count, usual_sizes, usual, TOSAJIT_EXACT) &&
           add_list("math", workload_maths, workload_math_count, usual_sizes, usual,
                    TOSAJIT_EXACT) &&
           add_list("math", workload_maths, workload_math_count, usual_sizes, usual,
                    TOSAJIT_FAST) &&
           add_list("chain", workload_chains, workload_chain_count, usual_sizes, usual,
                    TOSAJIT_EXACT);
}

void forms_release(void) {
    tosajit_kernel_release(identity_on_two);
    identity_on_two = NULL;
    while (forms) {
        case_form *next = forms->next;
        free(forms);
        forms = next;
    }
    while (subjects) {
        subject *next = subjects->next;
        for (int k = 0; k < 4; k++) tosajit_kernel_release(subjects->kernels[k / 2][k % 2]);
        free(subjects);
        subjects = next;
    }
}

/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Cached calls: a few nanoseconds in all, so what runs them does nothing but compare.
 *
 *     call_cache_run
 *       run_unary, run_binary, run_any   they know how many tensors there are, so that loops unroll
 *         look_at                        what a call shows at once names a few entries
 *         has_form                       is one of them for its sizes and strides?
 *         launch_run                     do the bytes overlap? then the code
 *     call_cache_learn                   behind the complete check of a call that was no hit
 *       launch_make                      its launch, for an entry; the caller runs it, too */
#include "runtime/run/call_cache.h"

#include <string.h>

#include "runtime/base/diag.h"
#include "runtime/base/memory.h"
#include "runtime/run/launch.h"
#include "runtime/run/call_entries.h"

typedef bool call_cache_function(const tosajit_kernel *kernel, const code_part *code,
                                 const tosajit_tensor *operands, const tosajit_tensor *results);

enum {
    ENTRIES_DYNAMIC = 48, /* of a kernel that has sizes to meet */
    ENTRIES_STATIC = 4,   /* of one that has none: in place or not, and with some strides */
    ENTRIES_STEPS = 8,    /* of one of several steps, whose entries are large */
};

struct call_cache {
    call_cache_function *run; /* below */
    int32_t hashed;           /* dimensions of the first result that decide on an entry */
    size_t words;             /* of what is remembered, in an entry; the call's form follows */
    size_t bytes;             /* of this and its entries, which follow it */
    call_entries *entries;
    uint64_t heads[LAUNCH_TENSORS]; /* element and rank of operands, then results */
};

/* Element and rank of a tensor are neighbours; together they are compared at once. */
_Static_assert(offsetof(tosajit_tensor, element) == 0 && offsetof(tosajit_tensor, rank) == 4,
               "element and rank make one word");

static inline uint64_t head_of(const tosajit_tensor *tensor) {
    uint64_t head;
    memcpy(&head, tensor, sizeof head);
    return head;
}

/* ---------------------------------------------------------------------------------------------
 * Remembered calls */

/* Facts about a call before its sizes are compared. Of tensors: operands, then results. */
typedef struct look {
    uint32_t tag;
    int64_t strided; /* bit t: tensor t has strides */
    bool shared;     /* a result lies where an operand does */
    void *data[LAUNCH_BASES];
} look;

static inline const tosajit_tensor *tensor_at(int32_t t, kernel_counts n,
                                              const tosajit_tensor *operands,
                                              const tosajit_tensor *results) {
    return t < n.operands ? &operands[t] : &results[t - n.operands];
}

/* The first word of a call's form; sizes follow, and then the strides that it has. */
static inline int64_t form_of(const look *l) { return l->strided * 2 + l->shared; }

/* False if the call is none for entries. The sizes of a result say nearly all: an operand's are the
 * same or 1. Each has a factor that is known beforehand, so that the products do not wait for each
 * other. */
SPECIALISED bool look_at(const call_cache *q, kernel_counts n, const tosajit_tensor *operands,
                         const tosajit_tensor *results, look *l) {
    uint64_t hash = 0, factor = 0x9e3779b9;
    l->strided = 0;
    for (int32_t t = 0; t < n.operands + n.results; t++) {
        const tosajit_tensor *tensor = tensor_at(t, n, operands, results);
        if (head_of(tensor) != q->heads[t] || !tensor->data) return false;
        l->strided |= (int64_t)(tensor->strides != NULL) << t;
        l->data[t] = tensor->data;
    }
    l->shared = launch_is_shared(n, l->data);
    if (q->hashed > 0 && !results[0].dims) return false;
    for (int32_t d = 0; d < q->hashed; d++, factor += 0x6a09e667)
        hash += (uint64_t)results[0].dims[d] * factor;
    l->tag = call_entries_tag(hash + (uint64_t)form_of(l) * 0x85ebca6b);
    return true;
}

/* True if numbers are those at *at, which moves on behind them. */
static inline bool are_at(const int64_t *numbers, int32_t rank, const int64_t **at) {
    if (rank == 0) return true;
    if (!numbers) return false;
    for (int32_t d = 0; d < rank; d++)
        if (numbers[d] != (*at)[d]) return false;
    *at += rank;
    return true;
}

static bool has_strides(const int64_t *at, kernel_counts n, const tosajit_tensor *operands,
                        const tosajit_tensor *results) {
    for (int32_t t = 0; t < n.operands + n.results; t++) {
        const tosajit_tensor *tensor = tensor_at(t, n, operands, results);
        if (tensor->strides && !are_at(tensor->strides, tensor->rank, &at)) return false;
    }
    return true;
}

SPECIALISED bool has_form(const int64_t *at, const look *l, kernel_counts n,
                          const tosajit_tensor *operands, const tosajit_tensor *results) {
    if (*at++ != form_of(l)) return false;
    for (int32_t k = 0; k < n.operands; k++)
        if (!are_at(operands[k].dims, operands[k].rank, &at)) return false;
    for (int32_t r = 0; r < n.results; r++)
        if (!are_at(results[r].dims, results[r].rank, &at)) return false;
    return !l->strided || has_strides(at, n, operands, results);
}

/* any_threads: the call comes with threads of its own. A launch was planned for the kernel's, and
 * serves others where no number of threads would divide it. */
SPECIALISED bool run_remembered(const tosajit_kernel *kernel, const code_part *code,
                                kernel_counts n, bool any_threads, const tosajit_tensor *operands,
                                const tosajit_tensor *results) {
    const call_cache *q = kernel->calls;
    look l;
    if (!look_at(q, n, operands, results, &l)) return false;
    for (size_t way = 0; way < q->entries->ways; way++) {
        const int64_t *known = call_entries_find(q->entries, l.tag, way);
        const launch *p = (const launch *)known;
        if (known && has_form(known + q->words, &l, n, operands, results))
            return (!any_threads || p->is_short) && launch_run(p, kernel, code, n, l.data);
    }
    return false;
}

APART bool run_unary(const tosajit_kernel *kernel, const code_part *code,
                     const tosajit_tensor *operands, const tosajit_tensor *results) {
    return run_remembered(kernel, code, (kernel_counts){1, 1}, false, operands, results);
}

APART bool run_binary(const tosajit_kernel *kernel, const code_part *code,
                      const tosajit_tensor *operands, const tosajit_tensor *results) {
    return run_remembered(kernel, code, (kernel_counts){2, 1}, false, operands, results);
}

APART bool run_any(const tosajit_kernel *kernel, const code_part *code,
                   const tosajit_tensor *operands, const tosajit_tensor *results) {
    return run_remembered(kernel, code, kernel->counts, false, operands, results);
}

bool call_cache_run_short(const tosajit_kernel *kernel, const code_part *code,
                          const tosajit_tensor *operands, const tosajit_tensor *results) {
    return kernel->calls && run_remembered(kernel, code, kernel->counts, true, operands, results);
}

bool call_cache_run(const tosajit_kernel *kernel, const code_part *code,
                    const tosajit_tensor *operands, const tosajit_tensor *results) {
    const call_cache *q = kernel->calls;
    return q && q->run(kernel, code, operands, results);
}

/* ---------------------------------------------------------------------------------------------
 * Remembering */

static void write_form(const look *l, kernel_counts n, const tosajit_tensor *operands,
                       const tosajit_tensor *results, int64_t *to) {
    *to++ = form_of(l);
    for (int strides = 0; strides < 2; strides++)
        for (int32_t t = 0; t < n.operands + n.results; t++) {
            const tosajit_tensor *tensor = tensor_at(t, n, operands, results);
            const int64_t *from = strides ? tensor->strides : tensor->dims;
            for (int32_t d = 0; from && d < tensor->rank; d++) *to++ = from[d];
        }
}

static void remember(const tosajit_kernel *kernel, const look *l, const launch *p,
                     const tosajit_tensor *operands, const tosajit_tensor *results) {
    const call_cache *q = kernel->calls;
    const call_entry s = call_entries_take(q->entries, l->tag);
    if (!s.words) return;
    memcpy(s.words, p, launch_words(p) * sizeof *s.words);
    write_form(l, kernel->counts, operands, results, s.words + q->words);
    call_entry_publish(s, l->tag);
}

bool call_cache_learn(const tosajit_kernel *kernel, const code_part *code, const run_call *c,
                      view *tensors, const viewed *v, launch *p, void **bases) {
    const kernel_counts n = kernel->counts;
    look l;
    if (!kernel->calls || !look_at(kernel->calls, n, c->operands, c->results, &l) ||
        !call_entries_have_room(kernel->calls->entries, l.tag) ||
        !launch_make(kernel, code, tensors, v, l.shared, p) ||
        (c->parallel != &kernel->parallel && !p->is_short))
        return false;
    if (launch_fits(p, n, l.data)) remember(kernel, &l, p, c->operands, c->results);
    memcpy(bases, l.data, sizeof l.data);
    return true;
}

bool call_cache_serves(const tosajit_kernel *kernel, const code_part *code, view *tensors,
                       const viewed *v) {
    launch p;
    return kernel->calls && launch_make(kernel, code, tensors, v, false, &p);
}

/* ---------------------------------------------------------------------------------------------
 * Once for each kernel */

/* Tensor t of a call has this type; how many numbers its form has of it at most. */
static size_t describe(const tosajit_kernel *kernel, const tosajit_tensor_type *type, int32_t t,
                       call_cache *q) {
    const tosajit_expr *caller = kernel_source(kernel);
    const tosajit_tensor expected = tosajit_dense(type->element, NULL, type->rank, NULL);
    q->heads[t] = head_of(&expected);
    for (int32_t d = 0; d < type->rank; d++)
        if (type->dims[d] == TOSAJIT_DYNAMIC)
            q->hashed = caller->nodes[caller->results[0]].type.rank;
    return 2 * (size_t)type->rank;
}

/* Describes the tensors that the kernel expects; gives how many numbers a call's form has at most.
 */
static size_t describe_tensors(const tosajit_kernel *kernel, call_cache *q) {
    const tosajit_expr *caller = kernel_source(kernel);
    size_t numbers = 1;
    for (size_t k = 0; k < caller->count; k++)
        if (caller->nodes[k].kind == NODE_INPUT)
            numbers += describe(kernel, &caller->nodes[k].type, caller->nodes[k].tensor, q);
    for (int32_t r = 0; r < caller->result_count; r++)
        numbers += describe(kernel, &caller->nodes[caller->results[r]].type,
                            kernel->counts.operands + r, q);
    return numbers;
}

tosajit_status call_cache_make(const tosajit_kernel *kernel, call_cache **made) {
    static call_cache_function *const functions[] = {run_any, run_unary, run_binary};
    *made = NULL;
    if (kernel->counts.results == 0) return TOSAJIT_OK;
    call_cache known = {.run = functions[launch_arity(kernel)]};
    const size_t form = describe_tensors(kernel, &known), count = !known.hashed ? ENTRIES_STATIC
                                                                  : kernel->plan.part_count > 1
                                                                      ? ENTRIES_STEPS
                                                                      : ENTRIES_DYNAMIC;
    known.words = launch_most_words(kernel);
    known.bytes = sizeof known + call_entries_bytes(count, known.words + form);
    call_cache *q = memory_uncleared(&kernel->allocator, known.bytes);
    if (!q) return diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for the calls of a kernel");
    *q = known;
    q->entries = (call_entries *)(q + 1);
    call_entries_make(q->entries, count, known.words + form);
    *made = q;
    return TOSAJIT_OK;
}

void call_cache_destroy(const tosajit_allocator *allocator, call_cache *q) {
    if (q) memory_free(allocator, q, 1, q->bytes);
}

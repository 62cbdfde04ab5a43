/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Quick calls: a few nanoseconds in all, so the loops below do nothing but compare.
 *
 *     quick_run
 *       run_unary, run_binary, run_any
 *         run_remembered   a hash of the sizes names slots; is one for these sizes?
 *           prepared_run   prepared.h: do the bytes overlap? then the code
 *         run_sizes        sizes that were not met: do they broadcast? the walk of the call
 *           prepared_make  what tile_choose gives to the code as it lies, for a slot
 *           run_divided    any other way, or threads
 *
 * run_unary and run_binary know how many tensors there are, so that their loops unroll. */
#include "runtime/run/quick.h"

#include <string.h>

#include "runtime/base/diag.h"
#include "runtime/base/fpenv.h"
#include "runtime/base/memory.h"
#include "runtime/base/types.h"
#include "runtime/run/parallel.h"
#include "runtime/run/prepared.h"
#include "runtime/run/slots.h"

enum { MOST_DIMS = 24 /* of operands and results together, that a slot has */ };

typedef bool quick_function(const tosajit_kernel *kernel, tosajit_entry entry,
                            const tosajit_tensor *operands, const tosajit_tensor *results);

struct quick {
    quick_function *run; /* below */
    bool floating;       /* the code depends on the floating-point environment */
    prepared_counts n;
    slots *slots;                     /* owned; null if nothing is remembered */
    size_t tile_words, slot_words;    /* of what is prepared in a slot; of it with the sizes of
                                         operands, then results */
    uint64_t heads[PREPARED_TENSORS]; /* element and rank of operands, then results */
    int32_t hashed; /* dimensions of the first result that decide on a slot; 0: there is one slot */
    uint64_t fixed; /* bit k: a dimension of leaf k is static */
    uint8_t sizes[TOSAJIT_MAX_TENSORS];  /* of an element of leaves, then results */
    uint8_t shifts[TOSAJIT_MAX_TENSORS]; /* dimensions that a leaf lacks on the left */
};

/* ---------------------------------------------------------------------------------------------
 * Tensors */

/* Element and rank of a tensor are neighbours; together they are compared at once. */
_Static_assert(offsetof(tosajit_tensor, element) == 0 && offsetof(tosajit_tensor, rank) == 4,
               "element and rank make one word");

static inline uint64_t head_of(const tosajit_tensor *tensor) {
    uint64_t head;
    memcpy(&head, tensor, sizeof head);
    return head;
}

/* Whether a tensor is dense and present, of the expected element and rank; but for its sizes. */
static inline bool is_expected(const tosajit_tensor *tensor, uint64_t head) {
    return head_of(tensor) == head && !tensor->strides && tensor->data;
}

SPECIALISED void set_pointers(const plan_part *part, prepared_counts n,
                              const tosajit_tensor *operands, const tosajit_tensor *results,
                              void **pointers) {
    for (int32_t k = 0; k < n.operands; k++) pointers[k] = operands[k].data;
    for (int32_t k = n.operands; k < n.leaves; k++)
        pointers[k] = (void *)(uintptr_t)part->constants[k - n.operands];
    for (int32_t r = 0; r < n.results; r++) pointers[n.leaves + r] = results[r].data;
}

/* ---------------------------------------------------------------------------------------------
 * Remembered sizes */

/* The tag of a call's sizes; 0 if the call is none for slots. The sizes of a result say nearly all:
 * an operand's are the same or 1. Each has a factor that is known beforehand, so that the products
 * do not wait for each other. */
SPECIALISED uint64_t tag_of(const quick *q, prepared_counts n, const tosajit_tensor *operands,
                            const tosajit_tensor *results) {
    uint64_t hash = 0, factor = 0x9e3779b9;
    for (int32_t k = 0; k < n.operands; k++)
        if (!is_expected(&operands[k], q->heads[k])) return 0;
    for (int32_t r = 0; r < n.results; r++)
        if (!is_expected(&results[r], q->heads[n.operands + r])) return 0;
    if (q->hashed == 0) return SLOT_READY;
    if (!results[0].dims) return 0;
    for (int32_t d = 0; d < q->hashed; d++, factor += 0x6a09e667)
        hash += (uint64_t)results[0].dims[d] * factor;
    return slots_tag(hash);
}

/* Whether a tensor's dimensions are those at *expected, which moves on. */
static inline bool has_dims_at(const tosajit_tensor *tensor, const int64_t **expected) {
    if (tensor->rank == 0) return true;
    if (!tensor->dims) return false;
    for (int32_t d = 0; d < tensor->rank; d++)
        if (tensor->dims[d] != (*expected)[d]) return false;
    *expected += tensor->rank;
    return true;
}

SPECIALISED bool has_sizes(const int64_t *expected, prepared_counts n,
                           const tosajit_tensor *operands, const tosajit_tensor *results) {
    for (int32_t k = 0; k < n.operands; k++)
        if (!has_dims_at(&operands[k], &expected)) return false;
    for (int32_t r = 0; r < n.results; r++)
        if (!has_dims_at(&results[r], &expected)) return false;
    return true;
}

/* Remember this shape, if there is room. */
static void remember(const quick *q, uint64_t tag, const tosajit_tensor *operands,
                     const tosajit_tensor *results, const prepared *p) {
    int64_t *slot = slots_take(q->slots, tag);
    if (!slot) return;
    int64_t *to = slot + q->tile_words;
    for (int32_t k = 0; k < q->n.operands; k++)
        for (int32_t d = 0; d < operands[k].rank; d++) *to++ = operands[k].dims[d];
    for (int32_t r = 0; r < q->n.results; r++)
        for (int32_t d = 0; d < results[r].rank; d++) *to++ = results[r].dims[d];
    memcpy(slot, p, q->tile_words * sizeof *slot);
    slots_publish(q->slots, slot, tag);
}

/* *tag becomes that of the sizes, or 0 if the call is none for slots. */
SPECIALISED bool run_remembered(const tosajit_kernel *kernel, tosajit_entry entry,
                                prepared_counts n, const tosajit_tensor *operands,
                                const tosajit_tensor *results, uint64_t *tag) {
    const quick *q = kernel->quick;
    const uint64_t own = *tag = tag_of(q, n, operands, results);
    if (!own) return false;
    for (size_t way = 0; way < SLOTS_WAYS; way++) {
        const int64_t *slot = slots_find(q->slots, own, way);
        if (!slot || !has_sizes(slot + q->tile_words, n, operands, results)) continue;
        void *room[1 + PREPARED_TENSORS];
        void **pointers = tile_pointers(&kernel->plan.parts[0], room);
        set_pointers(&kernel->plan.parts[0], n, operands, results, pointers);
        return prepared_run((const prepared *)slot, entry, q->floating, n, pointers);
    }
    return false;
}

/* ---------------------------------------------------------------------------------------------
 * Other sizes */

/* A call's walk, and what it says of the tensors. */
typedef struct dense_walk {
    int64_t elements;                   /* of results */
    uint64_t in_place;                  /* operands that have the results' sizes */
    int64_t bytes[TOSAJIT_MAX_TENSORS]; /* of operands, then results */
    walk w;                             /* last: most of it is not used */
} dense_walk;

/* The dimensions of a walk of dense tensors: neighbours along which the same leaves repeat are one.
 * repeats[d] are those leaves. False if the leaves do not broadcast to the sizes. Sizes of 0 and
 * huge ones are left to the complete check: here no product overflows. */
SPECIALISED bool coalesce_dense(const quick *q, const plan_part *part, int32_t leaves,
                                const int64_t *const *dims, const int64_t *sizes, dense_walk *c,
                                uint64_t *repeats) {
    enum { SIZE_BITS = 30 }; /* of each of two factors; times 8 bytes an element */
    const uint64_t all = leaves ? ~UINT64_C(0) >> (64 - leaves) : 0;
    int32_t rank = 0;
    c->elements = 1;
    for (int32_t d = 0; d < part->rank; d++) {
        const int64_t size = sizes[d];
        uint64_t same = 0;
        if (size <= 0 || size >> SIZE_BITS) return false;
        for (int32_t k = 0; k < leaves; k++) {
            const int64_t own = d < q->shifts[k] ? 1 : dims[k][d - q->shifts[k]];
            if (own == size) continue;
            if (own != 1) return false;
            same |= UINT64_C(1) << k;
        }
        const bool stretched = same == all && size != 1; /* no leaf has it: it must be static */
        if (part->extents[d] != size && (part->extents[d] != TOSAJIT_DYNAMIC || stretched))
            return false;
        if (size == 1) continue;
        if (c->elements >> SIZE_BITS) return false;
        c->elements *= size;
        if (rank > 0 && repeats[rank - 1] == same) {
            c->w.sizes[rank - 1] *= size;
        } else {
            repeats[rank] = same;
            c->w.sizes[rank++] = size;
        }
    }
    if (rank == 0) { /* as walk_coalesce leaves a single element */
        repeats[0] = ~UINT64_C(0);
        c->w.sizes[rank++] = 1;
    }
    c->w.rank = rank;
    return true;
}

/* Strides of a tensor of a walk, whose dimensions repeat these leaves; its bytes. */
SPECIALISED int64_t set_strides(walk *w, int32_t tensors, const uint64_t *repeats, int32_t t,
                                int64_t size) {
    int64_t *to = &w->strides[(w->rank - 1) * tensors + t];
    for (int32_t d = w->rank; d-- > 0; to -= tensors) {
        const bool same = repeats[d] >> t & 1;
        *to = same ? 0 : size;
        if (!same) size *= w->sizes[d];
    }
    return size;
}

SPECIALISED void measure(const quick *q, prepared_counts n, const uint64_t *repeats,
                         dense_walk *c) {
    const int32_t tensors = c->w.tensors = n.leaves + n.results;
    c->in_place = 0;
    for (int32_t k = 0; k < n.operands; k++) {
        c->bytes[k] = set_strides(&c->w, tensors, repeats, k, q->sizes[k]);
        c->in_place |= (uint64_t)(c->bytes[k] == c->elements * q->sizes[k]) << k;
    }
    for (int32_t k = n.operands; k < n.leaves; k++)
        set_strides(&c->w, tensors, repeats, k, q->sizes[k]);
    for (int32_t r = 0; r < n.results; r++)
        c->bytes[n.operands + r] =
            set_strides(&c->w, tensors, repeats, n.leaves + r, q->sizes[n.leaves + r]);
}

static inline bool fits_type(const tosajit_tensor *tensor, const tosajit_tensor_type *type) {
    for (int32_t d = 0; d < tensor->rank; d++)
        if (type->dims[d] != TOSAJIT_DYNAMIC && tensor->dims[d] != type->dims[d]) return false;
    return true;
}

/* Whether a tensor is dense and present, of the type's element and rank. */
static inline bool is_plain(const tosajit_tensor *tensor, const tosajit_tensor_type *type) {
    return tensor->element == type->element && tensor->rank == type->rank && !tensor->strides &&
           tensor->data && (tensor->dims || tensor->rank == 0);
}

static bool has_dims(const tosajit_tensor *tensor, const int64_t *dims) {
    for (int32_t d = 0; d < tensor->rank; d++)
        if (tensor->dims[d] != dims[d]) return false;
    return true;
}

static const tosajit_tensor_type *result_type(const tosajit_expr *program, int32_t r) {
    return &program->nodes[program->results[r]].type;
}

/* Everything about the operands and results but where they are. */
SPECIALISED bool check_dense(const tosajit_kernel *kernel, prepared_counts n,
                             const tosajit_tensor *operands, const tosajit_tensor *results,
                             dense_walk *c) {
    const quick *q = kernel->quick;
    const plan_part *part = &kernel->plan.parts[0];
    const tosajit_expr *program = kernel->program;
    const int64_t *dims[TOSAJIT_MAX_TENSORS];
    uint64_t repeats[TOSAJIT_MAX_RANK];
    for (int32_t k = 0; k < n.operands; k++) {
        const tosajit_tensor_type *type = &kernel->inputs[k]->type;
        if (!is_plain(&operands[k], type) || (q->fixed >> k & 1 && !fits_type(&operands[k], type)))
            return false;
        dims[k] = operands[k].dims;
    }
    for (int32_t k = n.operands; k < n.leaves; k++)
        dims[k] = program->nodes[part->leaves[k].value].type.dims;
    for (size_t k = 0; k < program->contract_count; k++) {
        const expr_contract *promise = &program->contracts[k];
        const tosajit_tensor *tensor = &operands[program->nodes[promise->input].tensor];
        if (!kernel_keeps(&promise->contract, tensor->dims[promise->dimension])) return false;
    }
    for (int32_t r = 0; r < n.results; r++)
        if (!is_plain(&results[r], result_type(program, r)) ||
            (r > 0 && !has_dims(&results[r], results[0].dims)))
            return false;
    if (!coalesce_dense(q, part, n.leaves, dims, results[0].dims, c, repeats)) return false;
    measure(q, n, repeats, c);
    return true;
}

/* Any way, on as many threads as pay. */
static void run_divided(const tosajit_kernel *kernel, tosajit_entry entry, const walk *w,
                        const tile_tensors *tensors) {
    const uint64_t environment = fpenv_enter();
    parallel_run(&kernel->parallel, &kernel->plan.parts[0], entry, w, tensors);
    fpenv_leave(environment);
}

/* What is prepared is remembered under `tag`, if that is not 0. */
SPECIALISED bool run_sizes(const tosajit_kernel *kernel, tosajit_entry entry, prepared_counts n,
                           const tosajit_tensor *operands, const tosajit_tensor *results,
                           uint64_t tag) {
    const quick *q = kernel->quick;
    const plan_part *part = &kernel->plan.parts[0];
    dense_walk c; /* not cleared, like the next two: see walk.h */
    tile_tensors tensors;
    prepared p;
    if (!check_dense(kernel, n, operands, results, &c)) return false;
    set_pointers(part, n, operands, results, tensors.pointers);
    const bool shared = !prepared_are_apart(n, tensors.pointers, c.bytes);
    if (shared && !prepared_shares(n, tensors.pointers, c.bytes, c.in_place)) return false;
    for (int32_t t = 0; t < c.w.tensors; t++) {
        tensors.element_sizes[t] = q->sizes[t];
        tensors.splat_strides[t] = 0;
    }
    const bool fits = !parallel_pays(&kernel->parallel, part, c.elements) &&
                      prepared_make(part, &c.w, &tensors, &p);
    const bool kept = fits && tag && slots_have_room(q->slots, tag);
    if (fits && (shared || kept)) prepared_in_place(part, &c.w, q->sizes, c.in_place, &p);
    if (kept) {
        memcpy(p.bytes, c.bytes, (size_t)(n.operands + n.results) * sizeof *c.bytes);
        remember(q, tag, operands, results, &p);
    }
    if (fits && (!shared || p.in_place)) {
        void *room[1 + PREPARED_TENSORS], **pointers = tile_pointers(part, room);
        memcpy(pointers, tensors.pointers, (size_t)c.w.tensors * sizeof *pointers);
        const uint64_t environment = q->floating ? fpenv_enter() : 0;
        prepared_call(&p, entry, pointers, c.w.tensors, shared);
        if (q->floating) fpenv_leave(environment);
    } else
        run_divided(kernel, entry, &c.w, &tensors);
    return true;
}

/* ---------------------------------------------------------------------------------------------
 * By the number of operands and results */

APART bool run_binary_sizes(const tosajit_kernel *kernel, tosajit_entry entry,
                            const tosajit_tensor *operands, const tosajit_tensor *results,
                            uint64_t tag) {
    return run_sizes(kernel, entry, (prepared_counts){2, 2, 1}, operands, results, tag);
}

static bool run_any_sizes(const tosajit_kernel *kernel, tosajit_entry entry,
                          const tosajit_tensor *operands, const tosajit_tensor *results,
                          uint64_t tag) {
    return run_sizes(kernel, entry, kernel->quick->n, operands, results, tag);
}

APART bool run_unary(const tosajit_kernel *kernel, tosajit_entry entry,
                     const tosajit_tensor *operands, const tosajit_tensor *results) {
    const prepared_counts n = {1, 1, 1};
    uint64_t tag;
    return run_remembered(kernel, entry, n, operands, results, &tag) ||
           run_any_sizes(kernel, entry, operands, results, tag);
}

APART bool run_binary(const tosajit_kernel *kernel, tosajit_entry entry,
                      const tosajit_tensor *operands, const tosajit_tensor *results) {
    const prepared_counts n = {2, 2, 1};
    uint64_t tag;
    return run_remembered(kernel, entry, n, operands, results, &tag) ||
           run_binary_sizes(kernel, entry, operands, results, tag);
}

APART bool run_any(const tosajit_kernel *kernel, tosajit_entry entry,
                   const tosajit_tensor *operands, const tosajit_tensor *results) {
    uint64_t tag;
    return run_remembered(kernel, entry, kernel->quick->n, operands, results, &tag) ||
           run_any_sizes(kernel, entry, operands, results, tag);
}

/* Without slots. */
static bool run_unremembered(const tosajit_kernel *kernel, tosajit_entry entry,
                             const tosajit_tensor *operands, const tosajit_tensor *results) {
    return run_any_sizes(kernel, entry, operands, results, 0);
}

static quick_function *choose_function(const quick *q) {
    static quick_function *const functions[] = {run_any, run_unary, run_binary};
    if (!q->slots) return run_unremembered;
    const bool small = q->n.results == 1 && q->n.leaves == q->n.operands && q->n.operands <= 2;
    return functions[small ? q->n.operands : 0];
}

bool quick_run(const tosajit_kernel *kernel, tosajit_entry entry, const tosajit_tensor *operands,
               const tosajit_tensor *results) {
    const quick *q = kernel->quick;
    return q && q->run(kernel, entry, operands, results);
}

bool quick_expects(const tosajit_kernel *kernel, const tosajit_tensor *operands,
                   const tosajit_tensor *results) {
    dense_walk c;
    return kernel->quick && check_dense(kernel, kernel->quick->n, operands, results, &c);
}

/* ---------------------------------------------------------------------------------------------
 * Once for each kernel */

/* Whether every operand is a leaf, and in the same order; what is known of leaves and results. */
static bool describe_tensors(const tosajit_kernel *kernel, const plan_part *part, quick *q) {
    const tosajit_expr *program = kernel->program;
    if (part->operand_count != program->input_count) return false;
    for (int32_t k = 0; k < part->leaf_count; k++) {
        const tosajit_tensor_type *type = &program->nodes[part->leaves[k].value].type;
        if (type->rank > part->rank) return false; /* a parameter in a part of rank 0 */
        if (k < part->operand_count && part->operands[k] != k) return false;
        q->shifts[k] = (uint8_t)(part->rank - type->rank);
        q->sizes[k] = (uint8_t)tosajit_type_size(type->element);
        for (int32_t d = 0; d < type->rank; d++)
            q->fixed |= (uint64_t)(type->dims[d] != TOSAJIT_DYNAMIC) << k;
    }
    for (int32_t r = 0; r < part->result_count; r++) {
        const tosajit_type element = result_type(program, part->results[r])->element;
        q->sizes[part->leaf_count + r] = (uint8_t)tosajit_type_size(element);
    }
    return true;
}

/* Slots for the shapes of calls, unless there are too many tensors or dimensions. One where all
 * sizes are static. */
static tosajit_status make_slots(const tosajit_kernel *kernel, quick *q) {
    const int32_t tensors = q->n.leaves + q->n.results;
    bool is_static = true;
    size_t dims = 0;
    if (tensors > PREPARED_TENSORS) return TOSAJIT_OK;
    for (int32_t t = 0; t < q->n.operands + q->n.results; t++) {
        const tosajit_tensor_type *type = t < q->n.operands
                                              ? &kernel->inputs[t]->type
                                              : result_type(kernel->program, t - q->n.operands);
        const tosajit_tensor expected = tosajit_dense(type->element, NULL, type->rank, NULL);
        q->heads[t] = head_of(&expected);
        dims += (size_t)type->rank;
        for (int32_t d = 0; d < type->rank; d++) is_static &= type->dims[d] != TOSAJIT_DYNAMIC;
    }
    if (dims > MOST_DIMS) return TOSAJIT_OK;
    q->tile_words = offsetof(prepared, strides) / sizeof(int64_t) + 4 * (size_t)tensors;
    q->slot_words = q->tile_words + dims;
    const size_t count = is_static ? 1 : SLOTS_MOST;
    q->hashed = is_static ? 0 : kernel->plan.parts[0].rank;
    q->slots = memory_new(&kernel->allocator, 1, slots_bytes(count, q->slot_words));
    if (!q->slots)
        return diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for the shapes of a kernel");
    q->slots->mask = count - 1;
    q->slots->words = q->slot_words;
    return TOSAJIT_OK;
}

tosajit_status quick_make(const tosajit_kernel *kernel, quick **made) {
    const plan_part *part = &kernel->plan.parts[0];
    quick known = {
        .n = {kernel->program->input_count, part->leaf_count, kernel->program->result_count}};
    *made = NULL;
    if (kernel->plan.part_count != 1 || kernel->plan.check_count > 0 || plan_tables(part) ||
        !describe_tensors(kernel, part, &known))
        return TOSAJIT_OK;
    known.floating = prepared_floats(kernel->program);
    quick *q = memory_new(&kernel->allocator, 1, sizeof *q);
    if (!q) return diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for a kernel's usual calls");
    *q = known;
    tosajit_status status = make_slots(kernel, q);
    if (status) memory_free(&kernel->allocator, q, 1, sizeof *q);
    if (!status) q->run = choose_function(q);
    if (!status) *made = q;
    return status;
}

void quick_destroy(const tosajit_allocator *allocator, quick *q) {
    if (!q) return;
    if (q->slots)
        memory_free(allocator, q->slots, 1, slots_bytes(q->slots->mask + 1, q->slot_words));
    memory_free(allocator, q, 1, sizeof *q);
}

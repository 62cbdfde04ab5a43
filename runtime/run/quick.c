/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Quick calls: a few nanoseconds in all, so the loops below do nothing but compare.
 *
 *     quick_run
 *       fixed_*, open_*    kernels of static sizes, with one slot, and others, with 64
 *         run_remembered   the sizes' hash names slots; one that has these sizes has the tile, too
 *           run_tile       do the bytes overlap? then the code
 *         run_dense        sizes that were not met: do they broadcast? the walk of the call
 *           make_tile      what tile_choose gives to the code as it lies: a tile, for a slot
 *           run_divided    any other way, or threads
 *
 * fixed_ and open_ have a function each for one operand, for two, and for any number. What they
 * call takes the counts of operands and results: where those are constants its loops unroll. */
#include "runtime/run/quick.h"

#include <string.h>

#include "runtime/base/diag.h"
#include "runtime/base/fpenv.h"
#include "runtime/base/memory.h"
#include "runtime/base/types.h"
#include "runtime/expr/ops.h"
#include "runtime/plan/costs.h"
#include "runtime/run/parallel.h"
#include "runtime/run/slots.h"

/* What is worth its few nanoseconds only with constant counts of tensors; and functions of their
 * own, so that a short way does not save the registers of a long one. */
#if defined(__GNUC__) && !defined(__OPTIMIZE_SIZE__)
#define SPECIALISED static inline __attribute__((always_inline))
/* Aligned, so that their speed does not depend on what lies before them. */
#define APART static __attribute__((noinline, aligned(64)))
#else
#define SPECIALISED static inline
#define APART static
#endif

enum {
    MOST_TENSORS = 8, /* of a tile: operands, constants and results */
    MOST_DIMS = 24,   /* of operands and results together, that a slot has */
};

/* Of tensors; leaves are the operands, then constants. */
typedef struct counts {
    int32_t operands, leaves, results;
} counts;

/* A call that is one tile, or a few of equal strides: all that its data pointers leave open. In a
 * slot the sizes follow, of operands and then results. */
typedef struct quick_tile {
    int64_t outer, planes, rows, cols; /* tiles, and what the entry is told of each */
    int64_t in_place; /* bit k: a result in place of operand k may be computed by this tile, too */
    int64_t bytes[MOST_TENSORS];       /* of operands, then results */
    int64_t strides[4 * MOST_TENSORS]; /* of leaves, then results: for the entry; then from tile to
                                          tile. In a slot as many as there are tensors */
} quick_tile;

typedef bool quick_function(const tosajit_kernel *kernel, tosajit_entry entry,
                            const tosajit_tensor *operands, const tosajit_tensor *results);

struct quick {
    quick_function *run; /* below */
    bool floating;       /* the code depends on the floating-point environment */
    counts n;
    slots *slots;                        /* owned; null if nothing is remembered */
    size_t tile_words, slot_words;       /* of a slot's tile; of a slot */
    uint64_t heads[MOST_TENSORS];        /* element and rank of operands, then results */
    uint64_t fixed;                      /* bit k: a dimension of leaf k is static */
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

/* Whether a tensor is dense and present, of the expected element and rank. */
static inline bool is_expected(const tosajit_tensor *tensor, uint64_t head) {
    return head_of(tensor) == head && !tensor->strides && tensor->data &&
           (tensor->rank == 0 || tensor->dims);
}

static inline bool are_apart(const void *a, int64_t a_bytes, const void *b, int64_t b_bytes) {
    return (uintptr_t)a + (uintptr_t)a_bytes <= (uintptr_t)b ||
           (uintptr_t)b + (uintptr_t)b_bytes <= (uintptr_t)a;
}

/* Whether no result shares memory with an operand or another result but exactly in place. bytes are
 * of operands, then results; bit k of in_place says that operand k has the results' sizes. */
SPECIALISED bool check_overlap(counts n, const tosajit_tensor *operands,
                               const tosajit_tensor *results, const int64_t *bytes,
                               uint64_t in_place) {
    for (int32_t r = 0; r < n.results; r++) {
        const void *const own = results[r].data;
        const int64_t own_bytes = bytes[n.operands + r];
        for (int32_t k = 0; k < n.operands; k++) {
            const bool same = operands[k].data == own && bytes[k] == own_bytes && in_place >> k & 1;
            if (!same && !are_apart(operands[k].data, bytes[k], own, own_bytes)) return false;
        }
        for (int32_t other = 0; other < r; other++)
            if (!are_apart(results[other].data, bytes[n.operands + other], own, own_bytes))
                return false;
    }
    return true;
}

/* Whether a result is where an operand is. */
SPECIALISED bool share_memory(counts n, const tosajit_tensor *operands,
                              const tosajit_tensor *results) {
    bool same = false;
    for (int32_t r = 0; r < n.results; r++)
        for (int32_t k = 0; k < n.operands; k++) same |= operands[k].data == results[r].data;
    return same;
}

SPECIALISED void set_pointers(const plan_part *part, counts n, const tosajit_tensor *operands,
                              const tosajit_tensor *results, void **pointers) {
    for (int32_t k = 0; k < n.operands; k++) pointers[k] = operands[k].data;
    for (int32_t k = n.operands; k < n.leaves; k++)
        pointers[k] = (void *)(uintptr_t)part->constants[k - n.operands];
    for (int32_t r = 0; r < n.results; r++) pointers[n.leaves + r] = results[r].data;
}

/* ---------------------------------------------------------------------------------------------
 * Tiles */

/* Tile after tile; pointers move. */
APART void call_outer(const quick_tile *tile, tosajit_entry entry, void **pointers,
                      int32_t tensors) {
    for (int64_t left = tile->outer; left > 0; left--) {
        entry(pointers, tile->strides, tile->planes, tile->rows, tile->cols);
        for (int32_t t = 0; t < tensors; t++)
            pointers[t] = (char *)pointers[t] + tile->strides[3 * tensors + t];
    }
}

SPECIALISED void call_tiles(const quick_tile *tile, tosajit_entry entry, void **pointers,
                            int32_t tensors) {
    if (tile->outer == 1)
        entry(pointers, tile->strides, tile->planes, tile->rows, tile->cols);
    else
        call_outer(tile, entry, pointers, tensors);
}

SPECIALISED void call_entry(const quick *q, const quick_tile *tile, tosajit_entry entry,
                            void **pointers, int32_t tensors) {
    if (!q->floating) {
        call_tiles(tile, entry, pointers, tensors);
        return;
    }
    uint64_t environment = fpenv_enter();
    call_tiles(tile, entry, pointers, tensors);
    fpenv_leave(environment);
}

SPECIALISED bool run_tile(const tosajit_kernel *kernel, const quick_tile *tile, tosajit_entry entry,
                          counts n, const tosajit_tensor *operands, const tosajit_tensor *results) {
    const plan_part *part = &kernel->plan.parts[0];
    if (kernel->parallel.threads > 1 &&
        parallel_pays(&kernel->parallel, part,
                      tile->outer * tile->planes * tile->rows * tile->cols))
        return false;
    if (!check_overlap(n, operands, results, tile->bytes, (uint64_t)tile->in_place)) return false;
    void *pointers[MOST_TENSORS];
    n.leaves = part->leaf_count;
    set_pointers(part, n, operands, results, pointers);
    call_entry(kernel->quick, tile, entry, pointers, n.leaves + n.results);
    return true;
}

/* ---------------------------------------------------------------------------------------------
 * Remembered sizes */

/* Mix the sizes of a tensor into *hash; false if it is not what a slot is for. Each size has a
 * factor that is known beforehand, so that the products do not wait for each other. */
static inline bool hash_sizes(const tosajit_tensor *tensor, uint64_t head, uint64_t factor,
                              uint64_t *hash) {
    if (!is_expected(tensor, head)) return false;
    for (int32_t d = 0; d < tensor->rank; d++, factor += 0x6a09e667)
        *hash += (uint64_t)tensor->dims[d] * factor;
    return true;
}

/* The tag of a call's sizes; 0 if the call is none for slots. */
SPECIALISED uint64_t tag_of(const quick *q, counts n, const tosajit_tensor *operands,
                            const tosajit_tensor *results) {
    uint64_t hash = 0;
    for (int32_t k = 0; k < n.operands; k++)
        if (!hash_sizes(&operands[k], q->heads[k], 0x9e3779b9 + 0x3c6ef372 * (uint64_t)k, &hash))
            return 0;
    for (int32_t r = 0; r < n.results; r++)
        if (!hash_sizes(&results[r], q->heads[n.operands + r], 0xbb67ae85, &hash)) return 0;
    return slots_tag(hash);
}

/* The same for a kernel of static sizes, whose one slot has the one tag. */
SPECIALISED uint64_t only_tag(const quick *q, counts n, const tosajit_tensor *operands,
                              const tosajit_tensor *results) {
    for (int32_t k = 0; k < n.operands; k++)
        if (!is_expected(&operands[k], q->heads[k])) return 0;
    for (int32_t r = 0; r < n.results; r++)
        if (!is_expected(&results[r], q->heads[n.operands + r])) return 0;
    return SLOT_READY;
}

/* Whether a tensor's dimensions are those at *expected, which moves on. */
static inline bool has_dims_at(const tosajit_tensor *tensor, const int64_t **expected) {
    for (int32_t d = 0; d < tensor->rank; d++)
        if (tensor->dims[d] != (*expected)[d]) return false;
    *expected += tensor->rank;
    return true;
}

SPECIALISED bool has_sizes(const int64_t *expected, counts n, const tosajit_tensor *operands,
                           const tosajit_tensor *results) {
    for (int32_t k = 0; k < n.operands; k++)
        if (!has_dims_at(&operands[k], &expected)) return false;
    for (int32_t r = 0; r < n.results; r++)
        if (!has_dims_at(&results[r], &expected)) return false;
    return true;
}

/* Remember this shape, if there is room. */
static void remember(const quick *q, uint64_t tag, const tosajit_tensor *operands,
                     const tosajit_tensor *results, const quick_tile *tile) {
    int64_t *slot = slots_take(q->slots, tag);
    if (!slot) return;
    int64_t *to = slot + q->tile_words;
    for (int32_t k = 0; k < q->n.operands; k++)
        for (int32_t d = 0; d < operands[k].rank; d++) *to++ = operands[k].dims[d];
    for (int32_t r = 0; r < q->n.results; r++)
        for (int32_t d = 0; d < results[r].rank; d++) *to++ = results[r].dims[d];
    memcpy(slot, tile, q->tile_words * sizeof *slot);
    slots_publish(q->slots, slot, tag);
}

/* *tag becomes that of the sizes, or 0 if the call is none for slots. `fixed`: sizes are static, so
 * that one slot is for all calls. */
SPECIALISED bool run_remembered(const tosajit_kernel *kernel, tosajit_entry entry, counts n,
                                bool fixed, const tosajit_tensor *operands,
                                const tosajit_tensor *results, uint64_t *tag) {
    const quick *q = kernel->quick;
    const uint64_t own = *tag =
        fixed ? only_tag(q, n, operands, results) : tag_of(q, n, operands, results);
    if (!own) return false;
    for (size_t way = 0; way < (fixed ? 1 : SLOTS_WAYS); way++) {
        const int64_t *slot = slots_find(q->slots, own, way);
        if (slot && has_sizes(slot + q->tile_words, n, operands, results))
            return run_tile(kernel, (const quick_tile *)slot, entry, n, operands, results);
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

SPECIALISED void measure(const quick *q, counts n, const uint64_t *repeats, dense_walk *c) {
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

/* Everything about the operands and results but where they are. `plain`: that they are is known. */
SPECIALISED bool check_dense(const tosajit_kernel *kernel, counts n, const tosajit_tensor *operands,
                             const tosajit_tensor *results, bool plain, dense_walk *c) {
    const quick *q = kernel->quick;
    const plan_part *part = &kernel->plan.parts[0];
    const tosajit_expr *program = kernel->program;
    const int64_t *dims[TOSAJIT_MAX_TENSORS];
    uint64_t repeats[TOSAJIT_MAX_RANK];
    for (int32_t k = 0; k < n.operands; k++) {
        const tosajit_tensor_type *type = &kernel->inputs[k]->type;
        if ((!plain && !is_plain(&operands[k], type)) ||
            (q->fixed >> k & 1 && !fits_type(&operands[k], type)))
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
        if ((!plain && !is_plain(&results[r], result_type(program, r))) ||
            (r > 0 && !has_dims(&results[r], results[0].dims)))
            return false;
    if (!coalesce_dense(q, part, n.leaves, dims, results[0].dims, c, repeats)) return false;
    measure(q, n, repeats, c);
    return true;
}

/* Any way, on as many threads as pay. */
static void run_divided(const tosajit_kernel *kernel, tosajit_entry entry, void *const *pointers,
                        const walk *w) {
    tile_tensors tensors; /* large, and filled as far as there are tensors */
    for (int32_t t = 0; t < w->tensors; t++) {
        tensors.pointers[t] = pointers[t];
        tensors.element_sizes[t] = kernel->quick->sizes[t];
        tensors.splat_strides[t] = 0;
    }
    uint64_t environment = fpenv_enter();
    parallel_run(&kernel->parallel, &kernel->plan.parts[0], entry, w, &tensors);
    fpenv_leave(environment);
}

/* Rows that nobody joins, and no more dimensions: most calls. False if it is none of those. */
SPECIALISED bool make_rows(const plan_part *part, counts n, const dense_walk *c, quick_tile *tile) {
    const walk *w = &c->w;
    const int32_t tensors = n.leaves + n.results;
    const int64_t *rows = w->strides, *columns = &w->strides[(w->rank - 1) * tensors];
    uint64_t splat = 0;
    if (c->elements == 1 || !tile_is_plain(w, c->elements)) return false;
    for (int32_t k = 0; k < n.leaves; k++) splat |= (uint64_t)(columns[k] == 0) << k;
    if (!tile_has_loop(part, splat)) return false;
    tile->outer = tile->planes = 1;
    tile->rows = w->rank > 1 ? w->sizes[0] : 1;
    tile->cols = w->sizes[w->rank - 1];
    for (int32_t t = 0; t < tensors; t++) {
        tile->strides[2 * t] = w->rank > 1 ? rows[t] : 0;
        tile->strides[2 * t + 1] = columns[t];
    }
    return true;
}

/* Up to four dimensions; false if rows are joined or packed. */
static bool make_planes(const quick *q, const plan_part *part, const walk *w, quick_tile *tile) {
    if (w->rank > (part->has_planes ? 4 : 3)) return false;
    const tile_choice choice = tile_choose(part, w, q->sizes, false);
    if (choice.way != TILE_DIRECT) return false;
    int32_t outer = w->rank - 1; /* the one dimension around tiles; -1: none */
    while (outer >= 0 && !(choice.outer >> outer & 1)) outer--;
    tile->outer = outer < 0 ? 1 : w->sizes[outer];
    tile->planes = choice.planes;
    tile->rows = choice.rows;
    tile->cols = choice.cols;
    tile_strides(&choice, w, q->sizes, NULL, tile->strides);
    for (int32_t t = 0; t < w->tensors; t++)
        tile->strides[3 * w->tensors + t] = outer < 0 ? 0 : walk_steps(w, outer)[t];
    return true;
}

/* Make a tile of a walk; false if it is none that is given to the code as it is. */
SPECIALISED bool make_tile(const quick *q, const plan_part *part, counts n, const dense_walk *c,
                           quick_tile *tile) {
    if (n.leaves + n.results > MOST_TENSORS) return false;
    tile->in_place = 0;
    return make_rows(part, n, c, tile) || make_planes(q, part, &c->w, tile);
}

/* The operands in place of which a result may be computed by the same tile, as bits. They have the
 * results' sizes; but in place short rows are slower, and may be better joined: then none. */
static int64_t in_place_of(const quick *q, const plan_part *part, const dense_walk *c) {
    if (c->w.rank > 1 && tile_choose(part, &c->w, q->sizes, true).way != TILE_DIRECT) return 0;
    return (int64_t)c->in_place;
}

/* A tile is remembered under `tag`, if that is not 0. */
SPECIALISED bool run_dense(const tosajit_kernel *kernel, tosajit_entry entry, counts n,
                           const tosajit_tensor *operands, const tosajit_tensor *results,
                           uint64_t tag) {
    const quick *q = kernel->quick;
    const plan_part *part = &kernel->plan.parts[0];
    dense_walk c; /* large, like the next one, and filled as far as there are tensors */
    quick_tile tile;
    void *pointers[TOSAJIT_MAX_TENSORS];
    if (!check_dense(kernel, n, operands, results, tag != 0, &c)) return false;
    if (!check_overlap(n, operands, results, c.bytes, c.in_place)) return false;
    set_pointers(part, n, operands, results, pointers);
    bool is_tile =
        !parallel_pays(&kernel->parallel, part, c.elements) && make_tile(q, part, n, &c, &tile);
    const bool shared = share_memory(n, operands, results);
    const bool kept = is_tile && tag && slots_have_room(q->slots, tag);
    if (is_tile && (shared || kept)) tile.in_place = in_place_of(q, part, &c);
    if (kept) {
        memcpy(tile.bytes, c.bytes, (size_t)(n.operands + n.results) * sizeof *c.bytes);
        remember(q, tag, operands, results, &tile);
    }
    if (is_tile && (!shared || tile.in_place))
        call_entry(q, &tile, entry, pointers, n.leaves + n.results);
    else
        run_divided(kernel, entry, pointers, &c.w);
    return true;
}

/* ---------------------------------------------------------------------------------------------
 * By the number of operands and results */

APART bool dense_binary(const tosajit_kernel *kernel, tosajit_entry entry,
                        const tosajit_tensor *operands, const tosajit_tensor *results,
                        uint64_t tag) {
    return run_dense(kernel, entry, (counts){2, 2, 1}, operands, results, tag);
}

APART bool dense_any(const tosajit_kernel *kernel, tosajit_entry entry,
                     const tosajit_tensor *operands, const tosajit_tensor *results, uint64_t tag) {
    return run_dense(kernel, entry, kernel->quick->n, operands, results, tag);
}

/* Two leaves are operands alone. */
static bool dense(const tosajit_kernel *kernel, tosajit_entry entry, const tosajit_tensor *operands,
                  const tosajit_tensor *results, uint64_t tag) {
    const counts n = kernel->quick->n;
    return n.operands == 2 && n.leaves == 2 && n.results == 1
               ? dense_binary(kernel, entry, operands, results, tag)
               : dense_any(kernel, entry, operands, results, tag);
}

APART bool fixed_unary(const tosajit_kernel *kernel, tosajit_entry entry,
                       const tosajit_tensor *operands, const tosajit_tensor *results) {
    const counts n = {1, 0, 1};
    uint64_t tag;
    return run_remembered(kernel, entry, n, true, operands, results, &tag) ||
           dense(kernel, entry, operands, results, tag);
}

APART bool fixed_binary(const tosajit_kernel *kernel, tosajit_entry entry,
                        const tosajit_tensor *operands, const tosajit_tensor *results) {
    const counts n = {2, 0, 1};
    uint64_t tag;
    return run_remembered(kernel, entry, n, true, operands, results, &tag) ||
           dense(kernel, entry, operands, results, tag);
}

APART bool fixed_any(const tosajit_kernel *kernel, tosajit_entry entry,
                     const tosajit_tensor *operands, const tosajit_tensor *results) {
    const counts n = kernel->quick->n;
    uint64_t tag;
    return run_remembered(kernel, entry, n, true, operands, results, &tag) ||
           dense(kernel, entry, operands, results, tag);
}

APART bool open_unary(const tosajit_kernel *kernel, tosajit_entry entry,
                      const tosajit_tensor *operands, const tosajit_tensor *results) {
    const counts n = {1, 0, 1};
    uint64_t tag;
    return run_remembered(kernel, entry, n, false, operands, results, &tag) ||
           dense(kernel, entry, operands, results, tag);
}

APART bool open_binary(const tosajit_kernel *kernel, tosajit_entry entry,
                       const tosajit_tensor *operands, const tosajit_tensor *results) {
    const counts n = {2, 0, 1};
    uint64_t tag;
    return run_remembered(kernel, entry, n, false, operands, results, &tag) ||
           dense(kernel, entry, operands, results, tag);
}

APART bool open_any(const tosajit_kernel *kernel, tosajit_entry entry,
                    const tosajit_tensor *operands, const tosajit_tensor *results) {
    const counts n = kernel->quick->n;
    uint64_t tag;
    return run_remembered(kernel, entry, n, false, operands, results, &tag) ||
           dense(kernel, entry, operands, results, tag);
}

/* Without slots. */
static bool unremembered(const tosajit_kernel *kernel, tosajit_entry entry,
                         const tosajit_tensor *operands, const tosajit_tensor *results) {
    return dense(kernel, entry, operands, results, 0);
}

static quick_function *choose_function(const quick *q) {
    static quick_function *const functions[2][3] = {{open_any, open_unary, open_binary},
                                                    {fixed_any, fixed_unary, fixed_binary}};
    if (!q->slots) return unremembered;
    const bool small = q->n.results == 1 && q->n.operands <= 2; /* no operands: any */
    return functions[q->slots->mask == 0][small ? q->n.operands : 0];
}

bool quick_run(const tosajit_kernel *kernel, tosajit_entry entry, const tosajit_tensor *operands,
               const tosajit_tensor *results) {
    const quick *q = kernel->quick;
    return q && q->run(kernel, entry, operands, results);
}

bool quick_expects(const tosajit_kernel *kernel, const tosajit_tensor *operands,
                   const tosajit_tensor *results) {
    dense_walk c;
    return kernel->quick && check_dense(kernel, kernel->quick->n, operands, results, false, &c);
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
    if (tensors > MOST_TENSORS) return TOSAJIT_OK;
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
    q->tile_words = offsetof(quick_tile, strides) / sizeof(int64_t) + 4 * (size_t)tensors;
    q->slot_words = q->tile_words + dims;
    const size_t count = is_static ? 1 : SLOTS_MOST;
    q->slots = memory_new(&kernel->allocator, 1, slots_bytes(count, q->slot_words));
    if (!q->slots)
        return diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for the shapes of a kernel");
    q->slots->mask = count - 1;
    q->slots->words = q->slot_words;
    return TOSAJIT_OK;
}

static bool is_float_code(const tosajit_expr *program) {
    bool found = false;
    for (size_t k = 0; k < program->count; k++) {
        const expr_node *node = &program->nodes[k];
        if (node->kind != NODE_OP) continue;
        const tosajit_value last = node->operands[tosajit_op_arity(node->op) - 1];
        found |= op_is_float_code(node->op, program->nodes[last].type.element, node->type.element);
    }
    return found;
}

tosajit_status quick_make(const tosajit_kernel *kernel, quick **made) {
    const plan_part *part = &kernel->plan.parts[0];
    quick known = {
        .n = {kernel->program->input_count, part->leaf_count, kernel->program->result_count}};
    *made = NULL;
    if (kernel->plan.part_count != 1 || kernel->plan.check_count > 0 || plan_tables(part) ||
        !describe_tensors(kernel, part, &known))
        return TOSAJIT_OK;
    known.floating = is_float_code(kernel->program);
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

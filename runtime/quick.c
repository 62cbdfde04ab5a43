/* Quick calls: planning and running. A few nanoseconds in all, so the loops below do nothing but compare.
 *
 * Static sizes are compared with those of the prepared tile, dynamic ones with those that a slot remembers. Sizes that were not met
 * before are worked out: dense tensors walk neighbouring dimensions as one if the same leaves repeat along both, so what repeats
 * where decides the tile. */
#include "runtime/quick.h"

#include <stddef.h>
#include <string.h>

#include "runtime/diag.h"
#include "runtime/fpenv.h"
#include "runtime/kernel.h"
#include "runtime/memory.h"
#include "runtime/parallel.h"
#include "runtime/types.h"

/* What is worth its few nanoseconds only with constant counts of tensors; and functions of their own, so that a short way does not save the
 * registers of a long one. */
#if defined(__GNUC__) && !defined(__OPTIMIZE_SIZE__)
#define SPECIALISED static inline __attribute__((always_inline))
#define APART static __attribute__((noinline, aligned(64))) /* so that their speed does not depend on what lies before them */
#else
#define SPECIALISED static inline
#define APART static
#endif

/* Of tensors; leaves are the operands, then constants. */
typedef struct counts {
    int32_t operands, leaves, results;
} counts;

enum { SLOT_FREE, SLOT_TAKEN, SLOT_READY }; /* one that is being written is left alone; a bit of every other tag */

/* Element and rank of a tensor are neighbours; together they are compared at once. */
_Static_assert(offsetof(tosajit_tensor, element) == 0 && offsetof(tosajit_tensor, rank) == 4, "element and rank make one word");

static inline uint64_t head_of(const tosajit_tensor *tensor) {
    uint64_t head;
    memcpy(&head, tensor, sizeof head);
    return head;
}

static inline bool are_apart(const void *a, int64_t a_bytes, const void *b, int64_t b_bytes) {
    return (uintptr_t)a + (uintptr_t)a_bytes <= (uintptr_t)b || (uintptr_t)b + (uintptr_t)b_bytes <= (uintptr_t)a;
}

/* Whether no result shares memory with an operand or another result but exactly in place. bytes are of operands, then results; bit k of
 * in_place says that operand k has the results' sizes. */
SPECIALISED bool check_overlap(const tosajit_tensor *operands, int32_t operand_count, const tosajit_tensor *results, int32_t result_count,
                               const int64_t *bytes, uint64_t in_place) {
    for (int32_t r = 0; r < result_count; r++) {
        const int64_t own = bytes[operand_count + r];
        for (int32_t k = 0; k < operand_count; k++) {
            bool same = operands[k].data == results[r].data && bytes[k] == own && in_place >> k & 1;
            if (!same && !are_apart(operands[k].data, bytes[k], results[r].data, own)) return false;
        }
        for (int32_t other = 0; other < r; other++)
            if (!are_apart(results[other].data, bytes[operand_count + other], results[r].data, own)) return false;
    }
    return true;
}

/* Whether a result is where an operand is. */
SPECIALISED bool is_in_place(const tosajit_tensor *operands, int32_t operand_count, const tosajit_tensor *results, int32_t result_count) {
    bool same = false;
    for (int32_t r = 0; r < result_count; r++)
        for (int32_t k = 0; k < operand_count; k++) same |= operands[k].data == results[r].data;
    return same;
}

SPECIALISED void set_pointers(const plan_part *part, const tosajit_tensor *operands, int32_t operand_count, const tosajit_tensor *results,
                              int32_t result_count, void **pointers) {
    const int32_t constant_count = part->leaf_count - operand_count;
    for (int32_t k = 0; k < operand_count; k++) pointers[k] = operands[k].data;
    for (int32_t k = 0; k < constant_count; k++) pointers[operand_count + k] = (void *)(uintptr_t)part->constants[k];
    for (int32_t r = 0; r < result_count; r++) pointers[part->leaf_count + r] = results[r].data;
}

/* Tile after tile; pointers move. */
APART void call_outer(const quick_tile *tile, tosajit_entry entry, void **pointers, int32_t tensors) {
    for (int64_t left = tile->outer; left > 0; left--) {
        entry(pointers, tile->strides, tile->planes, tile->rows, tile->cols);
        for (int32_t t = 0; t < tensors; t++) pointers[t] = (char *)pointers[t] + tile->strides[3 * tensors + t];
    }
}

SPECIALISED void call_tiles(const quick_tile *tile, tosajit_entry entry, void **pointers, int32_t tensors) {
    if (tile->outer == 1)
        entry(pointers, tile->strides, tile->planes, tile->rows, tile->cols);
    else
        call_outer(tile, entry, pointers, tensors);
}

SPECIALISED void call_entry(const quick *q, const quick_tile *tile, tosajit_entry entry, void **pointers, int32_t tensors) {
    if (!q->floating) {
        call_tiles(tile, entry, pointers, tensors);
        return;
    }
    uint64_t environment = fpenv_enter();
    call_tiles(tile, entry, pointers, tensors);
    fpenv_leave(environment);
}

static const tosajit_tensor_type *result_type(const tosajit_expr *program, int32_t r) { return &program->nodes[program->results[r]].type; }

/* Prepared tiles. In the functions below operand_count and result_count are the kernel's; where they are constants the loops unroll. */

/* Whether a tensor is dense and present, of the expected element and rank. */
static inline bool is_expected(const tosajit_tensor *tensor, uint64_t head) {
    return head_of(tensor) == head && !tensor->strides && tensor->data && (tensor->rank == 0 || tensor->dims);
}

SPECIALISED bool run_tile(const tosajit_kernel *kernel, const quick_tile *tile, tosajit_entry entry, const tosajit_tensor *operands,
                          int32_t operand_count, const tosajit_tensor *results, int32_t result_count) {
    const plan_part *part = &kernel->plan.parts[0];
    if (kernel->parallel.threads > 1 && parallel_pays(&kernel->parallel, part, tile->outer * tile->planes * tile->rows * tile->cols))
        return false;
    if (!check_overlap(operands, operand_count, results, result_count, tile->bytes, (uint64_t)tile->in_place)) return false;
    void *pointers[QUICK_TENSORS];
    set_pointers(part, operands, operand_count, results, result_count, pointers);
    call_entry(&kernel->quick, tile, entry, pointers, part->leaf_count + result_count);
    return true;
}

/* Whether a tensor's dimensions are those at *expected, which moves on. */
static inline bool has_dims_at(const tosajit_tensor *tensor, const int64_t **expected) {
    for (int32_t d = 0; d < tensor->rank; d++)
        if (tensor->dims[d] != (*expected)[d]) return false;
    *expected += tensor->rank;
    return true;
}

SPECIALISED bool run_static(const tosajit_kernel *kernel, tosajit_entry entry, const tosajit_tensor *operands, int32_t operand_count,
                            const tosajit_tensor *results, int32_t result_count) {
    const quick *q = &kernel->quick;
    const int64_t *expected = q->dims;
    for (int32_t k = 0; k < operand_count; k++)
        if (!is_expected(&operands[k], q->heads[k]) || !has_dims_at(&operands[k], &expected)) return false;
    for (int32_t r = 0; r < result_count; r++)
        if (!is_expected(&results[r], q->heads[operand_count + r]) || !has_dims_at(&results[r], &expected)) return false;
    return run_tile(kernel, &q->tile, entry, operands, operand_count, results, result_count);
}

/* Remembered tiles. */

/* Mix the sizes of a tensor into *hash; false if it is not what a slot is for. The factors depend on nothing, so that they are not waited
 * for. */
static inline bool hash_sizes(const tosajit_tensor *tensor, uint64_t head, uint64_t factor, uint64_t *hash) {
    if (!is_expected(tensor, head)) return false;
    for (int32_t d = 0; d < tensor->rank; d++, factor += 0x6a09e667) *hash += (uint64_t)tensor->dims[d] * factor;
    return true;
}

/* The tag of a call's sizes; 0 if the call is none for slots. */
SPECIALISED uint64_t tag_of(const quick *q, const tosajit_tensor *operands, int32_t operand_count, const tosajit_tensor *results,
                            int32_t result_count) {
    uint64_t hash = 0;
    for (int32_t k = 0; k < operand_count; k++)
        if (!hash_sizes(&operands[k], q->heads[k], 0x9e3779b9 + 0x3c6ef372 * (uint64_t)k, &hash)) return 0;
    for (int32_t r = 0; r < result_count; r++)
        if (!hash_sizes(&results[r], q->heads[operand_count + r], 0xbb67ae85, &hash)) return 0;
    return (hash ^ hash >> 13 ^ hash >> 22) | SLOT_READY;
}

static inline int64_t *slot_of(const quick *q, size_t at) { return &q->memory->words[at * q->slot_words]; }

SPECIALISED bool has_sizes(const int64_t *expected, const tosajit_tensor *operands, int32_t operand_count, const tosajit_tensor *results,
                           int32_t result_count) {
    for (int32_t k = 0; k < operand_count; k++)
        if (!has_dims_at(&operands[k], &expected)) return false;
    for (int32_t r = 0; r < result_count; r++)
        if (!has_dims_at(&results[r], &expected)) return false;
    return true;
}

/* Neighbours are searched, too. */
enum { WAYS = 4 };

static inline size_t way_of(uint64_t tag, uint64_t way) { return ((size_t)(tag >> 2) + way) & (QUICK_SLOTS - 1); }

/* Remember this shape, if there is room. */
static void remember(const quick *q, uint64_t tag, const tosajit_tensor *operands, const tosajit_tensor *results, const quick_tile *tile) {
    for (uint64_t way = 0; way < WAYS; way++) {
        size_t at = way_of(tag, way);
        uint64_t expected = SLOT_FREE;
        if (!atomic_compare_exchange_strong_explicit(&q->memory->tags[at], &expected, SLOT_TAKEN, memory_order_acquire,
                                                     memory_order_relaxed))
            continue;
        int64_t *slot = slot_of(q, at), *to = slot + q->tile_words;
        for (int32_t k = 0; k < q->operands; k++)
            for (int32_t d = 0; d < operands[k].rank; d++) *to++ = operands[k].dims[d];
        for (int32_t r = 0; r < q->results; r++)
            for (int32_t d = 0; d < results[r].rank; d++) *to++ = results[r].dims[d];
        memcpy(slot, tile, q->tile_words * sizeof *slot);
        atomic_store_explicit(&q->memory->tags[at], tag, memory_order_release);
        return;
    }
}

static inline bool has_room(const quick *q, uint64_t tag) {
    for (uint64_t way = 0; way < WAYS; way++)
        if (atomic_load_explicit(&q->memory->tags[way_of(tag, way)], memory_order_relaxed) == SLOT_FREE) return true;
    return false;
}

/* *tag becomes that of the sizes, or 0 if the call is none for slots. */
SPECIALISED bool run_remembered(const tosajit_kernel *kernel, tosajit_entry entry, const tosajit_tensor *operands, int32_t operand_count,
                                const tosajit_tensor *results, int32_t result_count, uint64_t *tag) {
    const quick_memory *memory = kernel->quick.memory;
    const uint64_t own = *tag = tag_of(&kernel->quick, operands, operand_count, results, result_count);
    if (!own) return false;
    for (uint64_t way = 0; way < WAYS; way++) {
        const size_t at = way_of(own, way);
        if (atomic_load_explicit(&memory->tags[at], memory_order_acquire) != own) continue;
        const int64_t *slot = slot_of(&kernel->quick, at);
        if (!has_sizes(slot + kernel->quick.tile_words, operands, operand_count, results, result_count)) continue;
        return run_tile(kernel, (const quick_tile *)slot, entry, operands, operand_count, results, result_count);
    }
    return false;
}

/* Sizes of the call. */

/* Neighbouring dimensions along which the same leaves repeat; group 0 is the innermost. */
typedef struct groups {
    int32_t count;
    int64_t elements, sizes[TOSAJIT_MAX_RANK];
    uint64_t repeats[TOSAJIT_MAX_RANK];
} groups;

/* Sizes of 0 and huge ones are left to the complete check: here no product overflows. */
SPECIALISED bool find_groups(const quick *q, const plan_part *part, int32_t leaves, const int64_t *const *dims, const int64_t *sizes,
                             groups *g) {
    enum { SIZE_BITS = 30 }; /* of each of two factors; times 8 bytes an element */
    const uint64_t all = leaves ? ~UINT64_C(0) >> (64 - leaves) : 0;
    g->count = 0;
    g->elements = 1;
    for (int32_t d = part->rank; d-- > 0;) {
        const int64_t size = sizes[d];
        uint64_t repeats = 0;
        if (size <= 0 || size >> SIZE_BITS) return false;
        for (int32_t k = 0; k < leaves; k++) {
            int64_t own = d < q->shifts[k] ? 1 : dims[k][d - q->shifts[k]];
            if (own == size) continue;
            if (own != 1) return false;
            repeats |= UINT64_C(1) << k;
        }
        bool stretched = repeats == all && size != 1; /* by no operand: only a static size may be */
        if (part->extents[d] != size && (part->extents[d] != TOSAJIT_DYNAMIC || stretched)) return false;
        if (size == 1) continue;
        if (g->elements >> SIZE_BITS) return false;
        g->elements *= size;
        if (g->count > 0 && g->repeats[g->count - 1] == repeats) {
            g->sizes[g->count - 1] *= size;
        } else {
            g->repeats[g->count] = repeats;
            g->sizes[g->count++] = size;
        }
    }
    return true;
}

static inline bool fits_type(const tosajit_tensor *tensor, const tosajit_tensor_type *type) {
    for (int32_t d = 0; d < tensor->rank; d++)
        if (type->dims[d] != TOSAJIT_DYNAMIC && tensor->dims[d] != type->dims[d]) return false;
    return true;
}

/* Whether a tensor is dense and present, of the type's element and rank. */
static inline bool is_plain(const tosajit_tensor *tensor, const tosajit_tensor_type *type) {
    return tensor->element == type->element && tensor->rank == type->rank && !tensor->strides && tensor->data &&
           (tensor->dims || tensor->rank == 0);
}

static bool has_dims(const tosajit_tensor *tensor, const int64_t *dims) {
    for (int32_t d = 0; d < tensor->rank; d++)
        if (tensor->dims[d] != dims[d]) return false;
    return true;
}

/* Everything about the operands and results but their bytes. `plain`: that they are is known. */
SPECIALISED bool check_dense(const tosajit_kernel *kernel, counts n, const tosajit_tensor *operands, const tosajit_tensor *results,
                             bool plain, groups *g) {
    const quick *q = &kernel->quick;
    const plan_part *part = &kernel->plan.parts[0];
    const tosajit_expr *program = kernel->program;
    const int64_t *dims[TOSAJIT_MAX_TENSORS];
    for (int32_t k = 0; k < n.operands; k++) {
        const tosajit_tensor_type *type = &kernel->inputs[k]->type;
        if ((!plain && !is_plain(&operands[k], type)) || (q->fixed >> k & 1 && !fits_type(&operands[k], type))) return false;
        dims[k] = operands[k].dims;
    }
    for (int32_t k = n.operands; k < n.leaves; k++) dims[k] = program->nodes[part->leaves[k].value].type.dims;
    for (size_t k = 0; k < program->contract_count; k++) {
        const expr_contract *promise = &program->contracts[k];
        if (!kernel_keeps(&promise->contract, operands[program->nodes[promise->input].tensor].dims[promise->dimension])) return false;
    }
    for (int32_t r = 0; r < n.results; r++)
        if ((!plain && !is_plain(&results[r], result_type(program, r))) || (r > 0 && !has_dims(&results[r], results[0].dims))) return false;
    return find_groups(q, part, n.leaves, dims, results[0].dims, g);
}

/* Strides along the groups, and the bytes of the whole tensor. No result repeats: its bits are never set. */
static inline int64_t group_strides(const quick *q, const groups *g, int32_t t, int64_t *strides) {
    int64_t stride = q->sizes[t];
    for (int32_t k = 0; k < g->count; k++) {
        bool repeats = g->repeats[k] >> t & 1;
        strides[k] = repeats ? 0 : stride;
        if (!repeats) stride *= g->sizes[k];
    }
    return stride;
}

/* The groups as a walk; tensors are without pointers. */
static void walk_groups(const quick *q, const plan_part *part, const groups *g, walk *w, tile_tensors *tensors) {
    int64_t strides[TOSAJIT_MAX_RANK] = {0};
    w->rank = g->count > 0 ? g->count : 1; /* as walk_coalesce leaves a single element */
    w->tensors = part->leaf_count + part->result_count;
    for (int32_t d = 0; d < w->rank; d++) w->sizes[d] = g->count > 0 ? g->sizes[w->rank - 1 - d] : 1;
    for (int32_t t = 0; t < w->tensors; t++) {
        group_strides(q, g, t, strides);
        for (int32_t d = 0; d < w->rank; d++) walk_strides(w, d)[t] = strides[w->rank - 1 - d];
        tensors->element_sizes[t] = q->sizes[t];
        tensors->splat_strides[t] = 0;
    }
}

/* Any number of groups, on as many threads as pay. */
static void run_walk(const tosajit_kernel *kernel, tosajit_entry entry, void *const *pointers, const groups *g) {
    const plan_part *part = &kernel->plan.parts[0];
    walk w; /* not initialised, like tensors: filled as far as it is used */
    tile_tensors tensors;
    walk_groups(&kernel->quick, part, g, &w, &tensors);
    for (int32_t t = 0; t < w.tensors; t++) tensors.pointers[t] = pointers[t];
    uint64_t environment = fpenv_enter();
    parallel_run(&kernel->parallel, part, entry, &w, &tensors);
    fpenv_leave(environment);
}

/* Bytes of operands, then results; and which operands have the results' sizes. */
SPECIALISED uint64_t measure(const quick *q, counts n, const groups *g, int64_t *bytes) {
    int64_t ignored[TOSAJIT_MAX_RANK];
    uint64_t in_place = 0;
    for (int32_t k = 0; k < n.operands; k++) {
        bytes[k] = group_strides(q, g, k, ignored);
        in_place |= (uint64_t)(bytes[k] == g->elements * q->sizes[k]) << k;
    }
    for (int32_t r = 0; r < n.results; r++) bytes[n.operands + r] = g->elements * q->sizes[n.leaves + r];
    return in_place;
}

/* Whether the code has a loop for a call's splats, and writes its results through the caches. */
SPECIALISED bool has_loop(const quick *q, const plan_part *part, counts n, const groups *g) {
    const uint64_t splat = g->count > 0 ? g->repeats[0] : part->variants[0].splat; /* any loop serves a single element */
    int64_t bytes = 0;
    for (int32_t t = n.leaves; t < n.leaves + n.results; t++) bytes += g->elements * q->sizes[t];
    return (n.leaves <= QUICK_NUMBERED ? q->loops >> splat & 1 : tile_has_loop(part, splat)) && !tile_is_beyond_caches(part, bytes);
}

/* Rows that nobody would join, and no more dimensions: most calls. */
SPECIALISED void make_rows(const quick *q, const plan_part *part, counts n, const groups *g, quick_tile *tile) {
    const uint64_t splat = g->count > 0 ? g->repeats[0] : part->variants[0].splat;
    tile->outer = tile->planes = 1;
    tile->rows = g->count > 1 ? g->sizes[1] : 1;
    tile->cols = g->count > 0 ? g->sizes[0] : 1;
    for (int32_t t = 0; t < n.leaves + n.results; t++) {
        const int64_t size = q->sizes[t];
        const bool is_splat = splat >> t & 1, same_rows = g->count < 2 || g->repeats[1] >> t & 1;
        tile->strides[2 * t] = same_rows ? 0 : is_splat ? size : size * tile->cols;
        tile->strides[2 * t + 1] = is_splat ? 0 : size;
    }
}

/* Up to four dimensions; false if they are more, or rows are joined. */
static bool make_planes(const quick *q, const plan_part *part, const groups *g, quick_tile *tile) {
    walk w; /* not initialised, like tensors: filled as far as it is used */
    tile_tensors tensors;
    if (g->count > (part->has_planes ? 4 : 3)) return false;
    walk_groups(q, part, g, &w, &tensors);
    if (!tile_is_direct(part, &w, &tensors, false)) return false;
    tile_order(&w, part->has_planes);
    const int32_t planes = part->has_planes ? w.rank - 3 : -1, outer = part->has_planes ? w.rank - 4 : w.rank - 3;
    tile->outer = outer >= 0 ? w.sizes[outer] : 1;
    tile->planes = planes >= 0 ? w.sizes[planes] : 1;
    tile->rows = w.sizes[w.rank - 2];
    tile->cols = w.sizes[w.rank - 1];
    for (int32_t t = 0; t < w.tensors; t++) {
        const int64_t row = walk_strides(&w, w.rank - 2)[t];
        tile->strides[2 * t] = row;
        tile->strides[2 * t + 1] = walk_strides(&w, w.rank - 1)[t];
        tile->strides[2 * w.tensors + t] = planes >= 0 ? walk_strides(&w, planes)[t] - tile->rows * row : 0; /* from behind the last row */
        tile->strides[3 * w.tensors + t] = outer >= 0 ? walk_strides(&w, outer)[t] : 0;
    }
    return true;
}

/* Make a tile of a call. False if it is none that is given to the code as it is. */
SPECIALISED bool make_tile(const quick *q, const plan_part *part, counts n, const groups *g, quick_tile *tile) {
    enum { FEW_ELEMENTS = 64 }; /* not worth joining */
    if (n.leaves + n.results > QUICK_TENSORS || !has_loop(q, part, n, g)) return false;
    bool simple = g->count < 2 || (g->count == 2 && (g->sizes[0] > PLAN_SHORT_ROW || g->elements <= FEW_ELEMENTS));
    if (!simple) return make_planes(q, part, g, tile);
    make_rows(q, part, n, g, tile);
    return true;
}

/* Of the operands that have the results' sizes, those in place of which the call is this tile, too: all, or none where its rows are better
 * joined then. */
APART int64_t tile_in_place(const quick *q, const plan_part *part, const groups *g, uint64_t in_place) {
    walk w; /* not initialised, like tensors: filled as far as it is used */
    tile_tensors tensors;
    walk_groups(q, part, g, &w, &tensors);
    return tile_is_direct(part, &w, &tensors, true) ? (int64_t)in_place : 0;
}

/* A tile is remembered under `tag`, if that is not 0. */
SPECIALISED bool run_dense(const tosajit_kernel *kernel, tosajit_entry entry, counts n, const tosajit_tensor *operands,
                           const tosajit_tensor *results, uint64_t tag) {
    const quick *q = &kernel->quick;
    const plan_part *part = &kernel->plan.parts[0];
    groups g;
    quick_tile tile; /* not initialised: filled as far as it is used */
    if (!check_dense(kernel, n, operands, results, tag != 0, &g)) return false;
    int64_t bytes[TOSAJIT_MAX_TENSORS];
    uint64_t in_place = measure(q, n, &g, bytes);
    if (!check_overlap(operands, n.operands, results, n.results, bytes, in_place)) return false;
    void *pointers[TOSAJIT_MAX_TENSORS];
    set_pointers(part, operands, n.operands, results, n.results, pointers);
    bool is_tile = !parallel_pays(&kernel->parallel, part, g.elements) && make_tile(q, part, n, &g, &tile);
    const bool shared = is_in_place(operands, n.operands, results, n.results), kept = is_tile && tag && has_room(q, tag);
    if (is_tile && (shared || kept)) tile.in_place = tile_in_place(q, part, &g, in_place);
    if (kept) {
        memcpy(tile.bytes, bytes, (size_t)(n.operands + n.results) * sizeof *bytes);
        remember(q, tag, operands, results, &tile);
    }
    if (shared && is_tile) is_tile = tile.in_place != 0;
    if (!is_tile) {
        run_walk(kernel, entry, pointers, &g);
        return true;
    }
    call_entry(q, &tile, entry, pointers, n.leaves + n.results);
    return true;
}

/* The same for so many operands and results. */
#define STATIC(name, operand_count, result_count)                                                                                          \
    APART bool name(const tosajit_kernel *kernel, tosajit_entry entry, const tosajit_tensor *operands, const tosajit_tensor *results) {    \
        return run_static(kernel, entry, operands, operand_count, results, result_count);                                                  \
    }
STATIC(static_unary, 1, 1)
STATIC(static_binary, 2, 1)
STATIC(static_any, kernel->quick.operands, kernel->quick.results)
#undef STATIC

/* Sizes that are not remembered. */
APART bool dense(const tosajit_kernel *kernel, tosajit_entry entry, const tosajit_tensor *operands, const tosajit_tensor *results,
                 uint64_t tag) {
    const counts n = {kernel->quick.operands, kernel->plan.parts[0].leaf_count, kernel->quick.results};
    return n.operands == 2 && n.leaves == 2 && n.results == 1 ? run_dense(kernel, entry, (counts){2, 2, 1}, operands, results, tag)
                                                              : run_dense(kernel, entry, n, operands, results, tag);
}

#define DYNAMIC(name, operand_count, result_count)                                                                                         \
    APART bool name(const tosajit_kernel *kernel, tosajit_entry entry, const tosajit_tensor *operands, const tosajit_tensor *results) {    \
        uint64_t tag = 0;                                                                                                                  \
        return (kernel->quick.memory && run_remembered(kernel, entry, operands, operand_count, results, result_count, &tag)) ||            \
               dense(kernel, entry, operands, results, tag);                                                                               \
    }
DYNAMIC(dynamic_unary, 1, 1)
DYNAMIC(dynamic_binary, 2, 1)
DYNAMIC(dynamic_any, kernel->quick.operands, kernel->quick.results)
#undef DYNAMIC

bool quick_run(const tosajit_kernel *kernel, tosajit_entry entry, const tosajit_tensor *operands, const tosajit_tensor *results) {
    const quick *q = &kernel->quick;
    const bool binary = q->operands == 2 && q->results == 1, unary = q->operands == 1 && q->results == 1;
    if (q->kind == QUICK_STATIC)
        return binary  ? static_binary(kernel, entry, operands, results)
               : unary ? static_unary(kernel, entry, operands, results)
                       : static_any(kernel, entry, operands, results);
    if (q->kind == QUICK_NONE) return false;
    return binary  ? dynamic_binary(kernel, entry, operands, results)
           : unary ? dynamic_unary(kernel, entry, operands, results)
                   : dynamic_any(kernel, entry, operands, results);
}

/* Planning. */

/* The element size of a leaf or result of the part. */
static int64_t element_size(const tosajit_expr *program, const plan_part *part, int32_t t) {
    tosajit_value value = t < part->leaf_count ? part->leaves[t].value : program->results[part->results[t - part->leaf_count]];
    return (int64_t)tosajit_type_size(program->nodes[value].type.element);
}

static bool has_dynamic(const tosajit_tensor_type *type) {
    for (int32_t d = 0; d < type->rank; d++)
        if (type->dims[d] == TOSAJIT_DYNAMIC) return true;
    return false;
}

static bool has_static(const tosajit_tensor_type *type) {
    for (int32_t d = 0; d < type->rank; d++)
        if (type->dims[d] != TOSAJIT_DYNAMIC) return true;
    return false;
}

/* Every operand is a leaf, and in the same order. */
static bool plan_leaves(const tosajit_kernel *kernel, const plan_part *part, quick *q) {
    if (part->operand_count != kernel->program->input_count) return false;
    for (int32_t k = 0; k < part->leaf_count; k++) {
        const tosajit_tensor_type *type = &kernel->program->nodes[part->leaves[k].value].type;
        if (type->rank > part->rank) return false; /* a parameter in a part of rank 0 */
        if (k < part->operand_count && part->operands[k] != k) return false;
        q->shifts[k] = (uint8_t)(part->rank - type->rank);
        q->fixed |= (uint64_t)has_static(type) << k;
    }
    for (int32_t t = 0; t < part->leaf_count + part->result_count; t++) q->sizes[t] = (uint8_t)element_size(kernel->program, part, t);
    for (uint64_t splat = 0; part->leaf_count <= QUICK_NUMBERED && splat < UINT64_C(1) << part->leaf_count; splat++)
        q->loops |= (uint64_t)tile_has_loop(part, splat) << splat;
    return true;
}

/* What is expected of operands and results; false if there are too many or too many dimensions. */
static bool plan_heads(const tosajit_kernel *kernel, const plan_part *part, quick *q) {
    const tosajit_expr *program = kernel->program;
    int32_t dims = 0;
    if (part->leaf_count + part->result_count > QUICK_TENSORS) return false;
    for (int32_t t = 0; t < q->operands + q->results; t++) {
        const tosajit_tensor_type *type = t < q->operands ? &kernel->inputs[t]->type : result_type(program, t - q->operands);
        tosajit_tensor expected = tosajit_dense(type->element, NULL, type->rank, NULL);
        q->heads[t] = head_of(&expected);
        dims += type->rank;
    }
    q->slot_words = (size_t)dims;
    return dims <= QUICK_DIMS;
}

/* With all sizes static, the one tile. False if a call decides something, or is more than a tile. */
static bool plan_static(const tosajit_kernel *kernel, const plan_part *part, quick *q) {
    const int64_t *dims[TOSAJIT_MAX_TENSORS];
    int64_t *to = q->dims;
    for (int32_t k = 0; k < part->leaf_count; k++) {
        const tosajit_tensor_type *type = &kernel->program->nodes[part->leaves[k].value].type;
        if (has_dynamic(type)) return false;
        dims[k] = type->dims;
        for (int32_t d = 0; k < q->operands && d < type->rank; d++) *to++ = type->dims[d];
    }
    const counts n = {q->operands, part->leaf_count, q->results};
    groups g;
    if (!find_groups(q, part, n.leaves, dims, part->extents, &g) || !make_tile(q, part, n, &g, &q->tile)) return false;
    for (int32_t r = 0; r < q->results; r++)
        for (int32_t d = 0; d < part->rank; d++) *to++ = part->extents[d];
    const uint64_t in_place = measure(q, n, &g, q->tile.bytes);
    q->tile.in_place = tile_in_place(q, part, &g, in_place);
    return true;
}

static size_t memory_size(const quick *q) { return sizeof *q->memory + QUICK_SLOTS * q->slot_words * sizeof(int64_t); }

tosajit_status quick_plan(const tosajit_kernel *kernel, quick *q) {
    const plan_part *part = &kernel->plan.parts[0];
    *q = (quick){.operands = kernel->program->input_count, .results = kernel->program->result_count};
    for (size_t k = 0; k < kernel->program->count; k++) q->floating |= type_is_float(kernel->program->nodes[k].type.element);
    if (kernel->plan.part_count != 1 || kernel->plan.check_count > 0 || plan_tables(part) || !plan_leaves(kernel, part, q))
        return TOSAJIT_OK;
    q->kind = QUICK_DENSE;
    if (!plan_heads(kernel, part, q)) return TOSAJIT_OK;
    if (plan_static(kernel, part, q)) {
        q->kind = QUICK_STATIC;
        return TOSAJIT_OK;
    }
    q->tile_words = offsetof(quick_tile, strides) / sizeof(int64_t) + 4 * (size_t)(part->leaf_count + part->result_count);
    q->slot_words += q->tile_words;
    q->memory = memory_new(&kernel->allocator, 1, memory_size(q));
    return q->memory ? TOSAJIT_OK : diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for the shapes of a kernel");
}

void quick_destroy(const tosajit_allocator *allocator, quick *q) {
    memory_free(allocator, q->memory, 1, memory_size(q));
    q->memory = NULL;
}

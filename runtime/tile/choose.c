/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Choose: by which strategy a walk is run, and how it is cut for it. */
#include "runtime/tile/choose.h"

#include <float.h>

#include "runtime/base/fpenv.h"
#include "runtime/base/types.h"
#include "runtime/tile/pack.h"

/* The subject of all questions. */
typedef struct asked {
    const plan_part *part;
    const code_part *code;
    const walk *w;
    const uint8_t *sizes; /* of elements: the part's */
    int64_t widest;       /* of these */
    double elements;      /* of the walk */
    bool in_place;
} asked;

static int64_t columns_of(const walk *w) { return w->sizes[w->rank - 1]; }

static asked ask(const plan_part *part, const code_part *code, const walk *w, bool in_place) {
    const uint8_t *sizes = part->element_sizes;
    asked a = {part, code, w, sizes, 1, (double)walk_elements(w), in_place};
    for (int32_t t = 0; t < w->tensors; t++)
        if (sizes[t] > a.widest) a.widest = sizes[t];
    return a;
}

bool tile_find_loop(const plan_part *part, uint64_t same, uint64_t *splat) {
    bool found = false;
    *splat = 0;
    for (int32_t v = 0; v < part->variant_count; v++) {
        const tosajit_variant *variant = &part->variants[v];
        const uint64_t taken = same & (variant->splat | variant->either);
        if (variant->splat & ~same || *splat & ~taken) continue;
        *splat = taken;
        found = true;
    }
    return found;
}

static int count_bits(uint64_t bits) {
    int count = 0;
    for (; bits; bits &= bits - 1) count++;
    return count;
}

/* The tensors that must be packed where dimension d has the columns, and how many. A tensor may
 * stay if its columns are contiguous, or are one value and some loop reads it so. An op's own code
 * wants one contiguous leaf. All tensors count if there is no loop. */
static int packed_along(const asked *a, int32_t d, uint64_t *splat, uint64_t *packed) {
    const int64_t *strides = walk_strides(a->w, d);
    uint64_t same = 0, contiguous = 0;
    for (int32_t t = 0; t < a->w->tensors; t++) {
        if (strides[t] == 0 && t < a->part->leaf_count) same |= UINT64_C(1) << t;
        if (strides[t] == a->sizes[t]) contiguous |= UINT64_C(1) << t;
    }
    const bool found = tile_find_loop(a->part, same, splat);
    const int32_t leaves = a->part->leaf_count;
    const uint64_t data = leaves ? ~plan_tables(a->part) & ~UINT64_C(0) >> (64 - leaves) : 0;
    if (a->code && a->code->single && data && (*splat & data) == data) *splat &= *splat - 1;
    *packed = ~(*splat | contiguous) & ~UINT64_C(0) >> (64 - a->w->tensors);
    return found ? count_bits(*packed) : a->w->tensors;
}

void tile_order(const plan_part *part, walk *w) {
    const asked a = {.part = part, .w = w, .sizes = part->element_sizes};
    const int64_t *columns = walk_strides(w, w->rank - 1), *inner = columns;
    const int32_t result = w->tensors - 1;
    int32_t to = w->rank - 1;
    for (int32_t d = to - 1; d >= 0; d--)
        if (size_without_sign(walk_strides(w, d)[result]) < size_without_sign(inner[result]))
            inner = walk_strides(w, to = d);
    if (inner == columns || w->sizes[to] % part->cols_multiple != 0) return;
    uint64_t splat, packed;
    const bool squares = columns_of(w) >= COST_BLOCK_ROWS / 2 && w->sizes[to] >= COST_BLOCK_COLUMNS;
    const int after = packed_along(&a, to, &splat, &packed),
              before = packed_along(&a, w->rank - 1, &splat, &packed);
    if (after == 0 || (squares && after < before)) walk_sort(w);
}

static double ns_of(const double *counts) {
    double ns = 0;
    for (cost_term k = 0; k < COST_TERMS; k++) ns += cost_of[k] * counts[k];
    return ns;
}

/* ---------------------------------------------------------------------------------------------
 * The walk as it is. The order of its outer dimensions is free. */

/* Dimension `row` serves as rows and `plane` as planes; -1: none. */
static void lay_rows(const asked *a, tile_choice *c, int32_t row, int32_t plane) {
    c->row_dim = row;
    c->plane_dim = plane;
    c->rows = row < 0 ? 1 : a->w->sizes[row];
    c->planes = plane < 0 ? 1 : a->w->sizes[plane];
    c->outer = (UINT32_C(1) << (a->w->rank - 1)) - 1;
    if (row >= 0) c->outer &= ~(UINT32_C(1) << row);
    if (plane >= 0) c->outer &= ~(UINT32_C(1) << plane);
}

/* True if rows along d wait for each other: see cut_interleaved. */
static bool rows_wait(const asked *a, int32_t d) {
    return a->in_place && a->code->masked &&
           size_without_sign(walk_strides(a->w, d)[a->w->tensors - 1]) < COST_LINE;
}

static double bytes_of(const asked *a, int32_t t) {
    double bytes = a->sizes[t];
    for (int32_t d = 0; d < a->w->rank; d++)
        if (walk_strides(a->w, d)[t] != 0) bytes *= (double)a->w->sizes[d];
    return bytes;
}

static bool fits_cache(const asked *a) {
    double bytes = 0;
    for (int32_t t = 0; t < a->w->tensors; t++) bytes += bytes_of(a, t);
    return bytes <= (double)COST_L1_BYTES;
}

/* True if rows along d lie far apart in the result, or in an operand that the L1 cache does not
 * hold.
 */
static bool lie_apart(const asked *a, int32_t d) {
    const int64_t *strides = walk_strides(a->w, d);
    if (size_without_sign(strides[a->w->tensors - 1]) >= COST_FAR_BYTES) return true;
    for (int32_t t = 0; t < a->part->leaf_count; t++)
        if (strides[t] != 0 && bytes_of(a, t) > (double)COST_L1_BYTES) return true;
    return false;
}

/* Choose the dimensions that serve best as rows and planes: few calls, and few planes. So 300x2x3
 * is 300 rows twice, like 2x300x3, and not 2 rows 300 times. But a walk that the L1 cache does not
 * hold goes best in the order of memory. So lines of other rows than the innermost count, too, if
 * these do not lie too far apart at all. Rows that wait for each other cost more than that. */
static void choose_order(const asked *a, tile_choice *c, double *counts) {
    const int32_t inner = a->w->rank - 2, last = inner > 0 && a->part->has_planes ? 0 : -1;
    const double lines = counts[PER_ROW] + counts[PER_VECTOR];
    const bool is_free = inner == 0 || rows_wait(a, inner) || fits_cache(a);
    double least = DBL_MAX;
    for (int32_t row = inner; row >= 0; row--) {
        const double leaps = row == inner || is_free ? 0 : lines;
        if (leaps > 0 && lie_apart(a, row)) continue;
        for (int32_t plane = last < 0 ? -1 : inner; plane >= last; plane--) {
            if (plane == row) continue;
            const double planes = counts[PER_ROW] / (double)a->w->sizes[row],
                         calls = plane < 0 ? planes : planes / (double)a->w->sizes[plane],
                         ns = cost_of[PER_PLANE] * planes + cost_of[PER_CALL] * calls +
                              cost_of[PER_LEAP] * leaps;
            if (ns >= least) continue;
            least = ns;
            counts[PER_PLANE] = planes;
            counts[PER_CALL] = calls;
            counts[PER_LEAP] = leaps;
            lay_rows(a, c, row, plane);
        }
    }
}

/* In place, a masked load of a row waits for the store of the row before, if that row begins within
 * the bytes of the mask, written or not: 5 ns a row. So every second row is computed, or every
 * third, and then the rows between. Rows of 11 f32, 44 bytes apart: 0, 2, 4, ... and 1, 3, 5, ...
 */
static void cut_interleaved(const asked *a, tile_choice *c, double *counts) {
    const int64_t step = size_without_sign(walk_strides(a->w, c->row_dim)[a->w->tensors - 1]);
    if (!rows_wait(a, c->row_dim)) return;
    lay_rows(a, c, c->row_dim, -1);
    c->interleave = (COST_LINE + step - 1) / step;
    c->rows = (c->rows + c->interleave - 1) / c->interleave;
    counts[PER_CALL] = counts[PER_PLANE] = counts[PER_ROW] / (double)c->rows;
}

/* The walk as it lies, and the tensors that prevent it. If there are none, it can be run directly.
 * Beside a long computation the idle lanes of a row's last vector count, too. */
static void choose_direct(const asked *a, tile_choice *c, double *counts) {
    *c = (tile_choice){.strategy = TILE_DIRECT, .interleave = 1, .cols = columns_of(a->w)};
    lay_rows(a, c, -1, -1);
    if (c->cols > 1)
        packed_along(a, a->w->rank - 1, &c->splat, &c->packed);
    else /* a single element: any loop serves */
        c->splat = a->part->variants[0].splat;
    if (a->w->rank == 1) return;
    const int64_t bytes = c->cols * a->widest, vectors = (bytes - 1) / COST_LINE;
    const double rows = a->elements / (double)c->cols, ns = a->part->element_ns;
    for (cost_term k = 0; k < COST_TERMS; k++) counts[k] = 0;
    counts[PER_ROW] = rows;
    counts[PER_VECTOR] = rows * (double)vectors;
    if (!a->code->masked && bytes < COST_LINE / 2) counts[PER_HALVED_ROW] = rows;
    if (ns > cost_light)
        counts[PER_IDLE_NS] = rows * ns * (double)((vectors + 1) * COST_LINE / a->widest - c->cols);
    choose_order(a, c, counts);
    if (!c->packed) cut_interleaved(a, c, counts);
}

/* ---------------------------------------------------------------------------------------------
 * One long row */

/* Make one long row of the inner dimensions, in chunks: what does not lie in memory that way is
 * packed. Chunks are whole cache lines, so that an aligned result stays so. False if a row is
 * longer than a chunk, the code has no loop for that, or the buffers no room. */
static bool choose_collapsed(const asked *a, tile_choice *c) {
    const walk *w = a->w;
    int64_t unit = 1;
    uint64_t same = 0, linear = 0;
    *c = (tile_choice){.strategy = TILE_COLLAPSED, .row_dim = -1, .plane_dim = -1, .interleave = 1};
    c->split = w->rank - 1;
    for (; c->split > 0 && unit * w->sizes[c->split] <= PACK_PERIOD; c->split--)
        unit *= w->sizes[c->split];
    const int64_t whole = COST_LINE / (unit & -unit); /* rows: 64 elements are whole lines */
    c->step = COST_CHUNK_BYTES / a->widest / unit;
    if (whole > 0 && c->step > whole) c->step -= c->step % whole;
    if (c->step > w->sizes[c->split]) c->step = w->sizes[c->split];
    c->outer = (UINT32_C(1) << c->split) - 1;
    c->width = columns_of(w);
    c->planes = c->rows = 1;
    c->cols = c->step * unit;
    for (int32_t t = 0; t < w->tensors; t++) {
        linear |= (uint64_t)walk_is_contiguous(w, t, c->split, a->sizes[t]) << t;
        if (t < a->part->leaf_count) same |= (uint64_t)walk_is_broadcast(w, t, c->split) << t;
    }
    const bool found = tile_find_loop(a->part, same, &c->splat);
    c->packed = ~(c->splat | linear) & ~UINT64_C(0) >> (64 - w->tensors);
    return found && unit > 1 && count_bits(c->packed) <= TILE_MOST_PACKED;
}

/* The time of one long row by patterns: chunks of each tensor, of two in place as of one, and
 * packing. An operand that does not move from chunk to chunk is packed once. DBL_MAX if a packed
 * tensor is no operand that has a pattern. */
static double collapsed_ns(const asked *a, const tile_choice *c, double *counts) {
    for (cost_term k = 0; k < COST_TERMS; k++) counts[k] = 0;
    counts[PER_CHUNK] = a->elements / (double)c->cols * (a->w->tensors - a->in_place);
    if (c->packed >> a->part->leaf_count) return DBL_MAX;
    for (int32_t t = 0; t < a->part->leaf_count; t++) {
        if (!(c->packed >> t & 1)) continue;
        bool moves = false;
        for (int32_t d = 0; d <= c->split; d++) moves |= walk_strides(a->w, d)[t] != 0;
        const double count = moves ? a->elements : (double)c->cols;
        if (!pack_count(a->w, t, c->split, a->sizes[t], count, counts)) return DBL_MAX;
    }
    return ns_of(counts);
}

/* ---------------------------------------------------------------------------------------------
 * Packed */

/* As many rows and columns as the buffer allows, in a wide tile. But a packed tensor's rows may
 * lie closer together than its columns, as in a transposed matrix. Then a cache line holds elements
 * of several rows, and the tile is about square, to use them all. */
static void cut_packed(const asked *a, tile_choice *c) {
    const int32_t row = a->w->rank - 2; /* -1: none */
    const int64_t *columns = walk_strides(a->w, row + 1),
                  *rows = row < 0 ? columns : walk_strides(a->w, row);
    int64_t bytes = 0, most = COST_BLOCK;
    bool crosswise = false;
    c->strategy = TILE_PACKED;
    lay_rows(a, c, row, -1);
    for (int32_t t = 0; t < a->w->tensors; t++) {
        if (!(c->packed >> t & 1)) continue;
        bytes += a->sizes[t];
        crosswise |= rows[t] != 0 && size_without_sign(rows[t]) < size_without_sign(columns[t]);
    }
    /* Precompiled code, which has a context, keeps values of its own there. */
    const bool less = a->code->context && COST_SCRATCH_BYTES / 4 / bytes >= COST_BLOCK_COLUMNS;
    const int64_t room = less ? COST_SCRATCH_BYTES / 4 : COST_SCRATCH_BYTES;
    if (most > room / bytes) most = room / bytes / COST_BLOCK_COLUMNS * COST_BLOCK_COLUMNS;
    if (c->cols > most) c->cols = most;
    if (c->cols > COST_BLOCK_COLUMNS && crosswise && c->rows >= COST_BLOCK_ROWS / 2)
        c->cols = COST_BLOCK_COLUMNS;
    most /= c->cols;
    if (most > COST_BLOCK_ROWS) most -= most % COST_BLOCK_ROWS;
    if (c->rows > most) c->rows = most;
    c->split = row;
    c->step = c->rows;
    c->width = c->cols;
}

/* ---------------------------------------------------------------------------------------------
 * The strategy */

static void choose(const asked *a, tile_choice *c) {
    double counts[COST_TERMS];
    tile_choice collapsed;
    choose_direct(a, c, counts);
    const bool is_short = a->w->rank > 1 && c->cols < COST_SHORT_ROW;
    const double ns = is_short ? ns_of(counts) : 0;
    if (is_short && (ns > cost_collapse || c->packed) && choose_collapsed(a, &collapsed)) {
        collapsed.by_pattern = collapsed_ns(a, &collapsed, counts) < ns;
        if (collapsed.by_pattern || (c->packed && c->cols <= COST_SHORT_ROW_PACKED)) *c = collapsed;
    }
    if (c->strategy == TILE_DIRECT && c->packed) cut_packed(a, c);
}

void tile_choose(const plan_part *part, const code_part *code, const walk *w, bool in_place,
                 tile_choice *choice) {
    const uint64_t environment =
        fpenv_enter(); /* call_cache.c asks before it enters that of the code */
    const asked a = ask(part, code, w, in_place);
    choose(&a, choice);
    fpenv_computed(choice);
    fpenv_leave(environment);
}

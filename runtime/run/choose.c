/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Choose: which way a walk goes, and how it is cut for it. */
#include "runtime/run/choose.h"

#include <float.h>

#include "runtime/base/fpenv.h"
#include "runtime/base/types.h"
#include "runtime/run/pack.h"

/* What all questions are about. */
typedef struct asked {
    const plan_part *part;
    const walk *w;
    const uint8_t *sizes;  /* of elements: the part's */
    int64_t widest;        /* of these */
    double elements, kept; /* of the walk; lines that the L1 cache keeps of it */
    bool in_place;
} asked;

static int64_t columns_of(const walk *w) { return w->sizes[w->rank - 1]; }

static asked ask(const plan_part *part, const walk *w, bool in_place) {
    const uint8_t *sizes = part->element_sizes;
    const double kept = cost_kept * (double)(part->l1_bytes / COST_LINE);
    asked a = {part, w, sizes, 1, (double)walk_elements(w), kept, in_place};
    for (int32_t t = 0; t < w->tensors; t++)
        if (sizes[t] > a.widest) a.widest = sizes[t];
    return a;
}

/* Find the loop that reads most of the leaves in `same`, which are one value per row, as one value
 * per row; *splat are the leaves that it reads so. The rest of `same` must be packed into rows.
 * False if there is no loop: each reads some other leaf as one value per row, too. */
static bool best_loop(const plan_part *part, uint64_t same, uint64_t *splat) {
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

/* Which tensors must be packed where dimension d has the columns: those whose columns are neither
 * contiguous nor one value, or one value that no loop reads so. How many they are; all count if
 * there is no loop. */
static int packed_along(const asked *a, int32_t d, uint64_t *splat, uint64_t *packed) {
    const int64_t *steps = walk_steps(a->w, d);
    uint64_t same = 0, contiguous = 0;
    for (int32_t t = 0; t < a->w->tensors; t++) {
        if (steps[t] == 0 && t < a->part->leaf_count) same |= UINT64_C(1) << t;
        if (steps[t] == a->sizes[t]) contiguous |= UINT64_C(1) << t;
    }
    const bool found = best_loop(a->part, same, splat);
    *packed = ~(*splat | contiguous) & ~UINT64_C(0) >> (64 - a->w->tensors);
    return found ? count_bits(*packed) : a->w->tensors;
}

void tile_order(const plan_part *part, walk *w) {
    const asked a = {.part = part, .w = w, .sizes = part->element_sizes};
    const int64_t *columns = walk_steps(w, w->rank - 1), *inner = columns;
    const int32_t result = w->tensors - 1;
    int32_t to = w->rank - 1;
    for (int32_t d = to - 1; d >= 0; d--)
        if (size_without_sign(walk_steps(w, d)[result]) < size_without_sign(inner[result]))
            inner = walk_steps(w, to = d);
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

/* What a part of the walk touches, from the columns outwards. */
typedef struct touched {
    double lines, runs[TOSAJIT_MAX_TENSORS]; /* cache lines of all tensors; of each, runs that lie
                                                apart */
    int64_t bytes[TOSAJIT_MAX_TENSORS];      /* of such a run */
} touched;

/* Go along dimension d, too. As long as the L1 cache holds the part, what comes again is there: the
 * lines of a tensor that repeats, and those at the ends of runs that follow each other. A larger
 * part is brought anew for each index. */
static void touch(const asked *a, int32_t d, touched *part) {
    const int64_t *steps = walk_steps(a->w, d), size = a->w->sizes[d];
    if (part->lines > a->kept) {
        part->lines *= (double)size;
        return;
    }
    part->lines = 0;
    for (int32_t t = 0; t < a->w->tensors; t++) {
        const int64_t step = size_without_sign(steps[t]);
        if (step >= part->bytes[t] + COST_LINE)
            part->runs[t] *= (double)size;
        else
            part->bytes[t] += step * (size - 1);
        part->lines += part->runs[t] * (double)(part->bytes[t] + COST_LINE - 4) / (double)COST_LINE;
    }
}

/* Cache lines that the L1 cache is brought where these dimensions are rows and planes. */
static double count_lines(const asked *a, int32_t row, int32_t plane) {
    touched part;
    part.lines = 0;
    for (int32_t t = 0; t < a->w->tensors; t++) {
        part.runs[t] = 1;
        part.bytes[t] = a->sizes[t];
    }
    touch(a, a->w->rank - 1, &part);
    touch(a, row, &part);
    if (plane >= 0) touch(a, plane, &part);
    for (int32_t d = a->w->rank - 2; d >= 0; d--)
        if (d != row && d != plane) touch(a, d, &part);
    return part.lines;
}

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

/* Whether rows of a tensor share places of the L1 cache, which then keeps few of them: rows 1 or 2
 * KiB apart, or a multiple, or nearly so. The innermost rows are taken all the same. */
static bool crowd(const asked *a, int32_t d) {
    bool crowded = false;
    for (int32_t t = 0; t < a->w->tensors; t++) {
        const int64_t past = size_without_sign(walk_steps(a->w, d)[t]) + COST_LINE,
                      nearly = past - past % (2 * COST_LINE), power = nearly & -nearly,
                      apart = power < COST_CROWDED_MOST ? power : COST_CROWDED_MOST;
        crowded |= apart >= COST_CROWDED_LEAST && a->w->sizes[d] > COST_CROWDED_BYTES / apart;
    }
    return crowded;
}

/* Lines of operands larger than the L1 cache that are not read in the order of memory: rows or
 * planes leap. A CPU fetches lines before they are asked for, where it foresees them. Not of
 * results, and none in place: such orders were measured, and slower. */
static double count_leaps(const asked *a, int32_t row, int32_t plane, double rows) {
    const walk *w = a->w;
    const int32_t outwards[] = {row, plane};
    double lines = 0;
    if (a->in_place) return 0;
    for (int32_t t = 0; t < a->part->leaf_count; t++) {
        const int64_t columns = size_without_sign(walk_steps(w, w->rank - 1)[t]),
                      own = a->sizes[t] + columns * (columns_of(w) - 1);
        double all = (double)own;
        int64_t bytes = own;
        bool leaps = false;
        for (int32_t d = w->rank - 2; d >= 0; d--)
            if (walk_steps(w, d)[t] != 0) all *= (double)w->sizes[d];
        for (int k = 0; k < 2 && outwards[k] >= 0; k++) {
            const int64_t step = size_without_sign(walk_steps(w, outwards[k])[t]);
            leaps |= step >= bytes + COST_LINE;
            bytes += step * (w->sizes[outwards[k]] - 1);
        }
        if (leaps && all > a->kept * (double)COST_LINE)
            lines += rows * (double)own / (double)COST_LINE;
    }
    return lines;
}

/* Choose the dimensions that serve best as rows and planes: few calls, few planes, few lines that
 * are read again, and no rows that crowd. So 300x2x3 is 300 rows twice, like 2x300x3, and not 2
 * rows 300 times. */
static void choose_order(const asked *a, tile_choice *c, double *counts) {
    const int32_t inner = a->w->rank - 2, last = inner > 0 && a->part->has_planes ? 0 : -1;
    const bool may_lose = inner > 0 && a->elements * a->w->tensors > a->kept;
    const double once = may_lose ? count_lines(a, inner, inner - 1) : 0;
    const bool is_large = once > a->kept;
    double least = DBL_MAX;
    for (int32_t row = inner; row >= 0; row--) {
        if (row != inner && is_large && crowd(a, row)) continue;
        for (int32_t plane = last < 0 ? -1 : inner; plane >= last; plane--) {
            if (plane == row) continue;
            const double planes = counts[PER_ROW] / (double)a->w->sizes[row],
                         calls = plane < 0 ? planes : planes / (double)a->w->sizes[plane];
            double ns = cost_of[PER_PLANE] * planes + cost_of[PER_CALL] * calls, again = 0,
                   leaps = 0;
            if (is_large) {
                again = count_lines(a, row, plane) - once;
                leaps = count_leaps(a, row, plane, counts[PER_ROW]);
                ns += cost_of[PER_LINE] * again + cost_of[PER_LEAP] * leaps;
            }
            if (ns >= least) continue;
            least = ns;
            counts[PER_PLANE] = planes;
            counts[PER_CALL] = calls;
            counts[PER_LINE] = again;
            counts[PER_LEAP] = leaps;
            lay_rows(a, c, row, plane);
        }
    }
}

/* In place the load of a row by a mask waits for the store of the row before, if it begins within
 * the bytes that the mask is for, written or not: 5 ns a row. So every second row is computed, or
 * every third, and then those between them. Rows of 11 f32, 44 bytes apart: 0, 2, 4, ... and 1, 3,
 * 5, ... */
static void cut_phases(const asked *a, tile_choice *c, double *counts) {
    const int64_t step = size_without_sign(walk_steps(a->w, c->row_dim)[a->w->tensors - 1]);
    if (!a->in_place || !a->part->masked || step >= COST_LINE) return;
    lay_rows(a, c, c->row_dim, -1);
    c->phases = (COST_LINE + step - 1) / step;
    c->rows = (c->rows + c->phases - 1) / c->phases;
    counts[PER_CALL] = counts[PER_PLANE] = counts[PER_ROW] / (double)c->rows;
}

/* The walk as it lies, and which tensors prevent that: if there are none, this way can be taken.
 * Beside a long computation the lanes of a row's last vector that have no work count, too. */
static void choose_direct(const asked *a, tile_choice *c, double *counts) {
    *c = (tile_choice){.way = TILE_DIRECT, .phases = 1, .cols = columns_of(a->w)};
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
    if (!a->part->masked && bytes < COST_LINE / 2) counts[PER_HALVED_ROW] = rows;
    if (ns > cost_light)
        counts[PER_IDLE_NS] = rows * ns * (double)((vectors + 1) * COST_LINE / a->widest - c->cols);
    choose_order(a, c, counts);
    if (!c->packed) cut_phases(a, c, counts);
}

/* ---------------------------------------------------------------------------------------------
 * One long row */

/* Make one long row of the inner dimensions, in chunks: what does not lie in memory that way is
 * packed. Chunks are whole cache lines, so that an aligned result stays so. False if a row is
 * longer than a chunk, the code has no loop for that, or the buffers no room. */
static bool choose_joined(const asked *a, tile_choice *c) {
    const walk *w = a->w;
    int64_t unit = 1;
    uint64_t same = 0, linear = 0;
    *c = (tile_choice){.way = TILE_JOINED, .row_dim = -1, .plane_dim = -1, .phases = 1};
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
        linear |= (uint64_t)walk_follows(w, t, c->split, a->sizes[t]) << t;
        if (t < a->part->leaf_count) same |= (uint64_t)walk_stands(w, t, c->split) << t;
    }
    const bool found = best_loop(a->part, same, &c->splat);
    c->packed = ~(c->splat | linear) & ~UINT64_C(0) >> (64 - w->tensors);
    return found && unit > 1 && count_bits(c->packed) <= TILE_MOST_PACKED;
}

/* What one long row takes by patterns: chunks of each tensor, of two in place as of one, and
 * packing. An operand that does not move from chunk to chunk is packed once. DBL_MAX if a packed
 * tensor is no operand that has a pattern. */
static double joined_ns(const asked *a, const tile_choice *c, double *counts) {
    for (cost_term k = 0; k < COST_TERMS; k++) counts[k] = 0;
    counts[PER_CHUNK] = a->elements / (double)c->cols * (a->w->tensors - a->in_place);
    if (c->packed >> a->part->leaf_count) return DBL_MAX;
    for (int32_t t = 0; t < a->part->leaf_count; t++) {
        if (!(c->packed >> t & 1)) continue;
        bool moves = false;
        for (int32_t d = 0; d <= c->split; d++) moves |= walk_steps(a->w, d)[t] != 0;
        const double count = moves ? a->elements : (double)c->cols;
        if (!pack_count(a->w, t, c->split, a->sizes[t], count, counts)) return DBL_MAX;
    }
    return ns_of(counts);
}

/* ---------------------------------------------------------------------------------------------
 * Blocks */

/* As many rows and columns as the buffer allows, in a wide block. But a packed tensor's rows may
 * lie closer together than its columns, as in a transposed matrix. Then a cache line holds elements
 * of several rows, and the block is about square, to use them all. */
static void cut_blocks(const asked *a, tile_choice *c) {
    const int32_t row = a->w->rank - 2; /* -1: none */
    const int64_t *columns = walk_steps(a->w, row + 1),
                  *rows = row < 0 ? columns : walk_steps(a->w, row);
    int64_t bytes = 0, most = COST_BLOCK;
    bool crosswise = false;
    c->way = TILE_BLOCKS;
    lay_rows(a, c, row, -1);
    for (int32_t t = 0; t < a->w->tensors; t++) {
        if (!(c->packed >> t & 1)) continue;
        bytes += a->sizes[t];
        crosswise |= rows[t] != 0 && size_without_sign(rows[t]) < size_without_sign(columns[t]);
    }
    if (most > COST_SCRATCH_BYTES / bytes)
        most = COST_SCRATCH_BYTES / bytes / COST_BLOCK_COLUMNS * COST_BLOCK_COLUMNS;
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
 * The way */

static void choose(const asked *a, tile_choice *c) {
    double counts[COST_TERMS];
    tile_choice joined;
    choose_direct(a, c, counts);
    const bool is_short = a->w->rank > 1 && c->cols < COST_SHORT_ROW;
    const double ns = is_short ? ns_of(counts) : 0;
    if (is_short && (ns > cost_join || c->packed) && choose_joined(a, &joined)) {
        joined.by_pattern = joined_ns(a, &joined, counts) < ns;
        if (joined.by_pattern || (c->packed && c->cols <= COST_SHORT_ROW_PACKED)) *c = joined;
    }
    if (c->way == TILE_DIRECT && c->packed) cut_blocks(a, c);
}

void tile_choose(const plan_part *part, const walk *w, bool in_place, tile_choice *choice) {
    const uint64_t environment = fpenv_enter(); /* quick.c asks before it enters that of the code */
    const asked a = ask(part, w, in_place);
    choose(&a, choice);
    fpenv_computed(choice);
    fpenv_leave(environment);
}

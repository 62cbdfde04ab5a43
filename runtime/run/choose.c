/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Choose: which way a walk goes, and how it is cut for it. */
#include "runtime/run/choose.h"

#include <float.h>

#include "runtime/base/fpenv.h"
#include "runtime/base/types.h"
#include "runtime/run/pack.h"

/* Inlined, these would be a twentieth more code, and no faster. */
#define APART __attribute__((noinline)) static

/* What all questions are about. */
typedef struct asked {
    const plan_part *part;
    const walk *w;
    const uint8_t *sizes; /* of elements */
    int64_t widest;       /* of these */
    bool in_place;
} asked;

static int64_t columns_of(const walk *w) { return w->sizes[w->rank - 1]; }

static asked ask(const plan_part *part, const walk *w, const uint8_t *sizes, bool in_place) {
    asked a = {part, w, sizes, 1, in_place};
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
 * contiguous nor one value, or one value that no loop reads so. False if there is no loop. */
static bool packed_along(const asked *a, int32_t d, uint64_t *splat, uint64_t *packed) {
    const int64_t *steps = walk_steps(a->w, d);
    uint64_t same = 0, contiguous = 0;
    for (int32_t t = 0; t < a->w->tensors; t++) {
        if (steps[t] == 0 && t < a->part->leaf_count) same |= UINT64_C(1) << t;
        if (steps[t] == a->sizes[t]) contiguous |= UINT64_C(1) << t;
    }
    const bool found = best_loop(a->part, same, splat);
    *packed = ~(*splat | contiguous) & ~UINT64_C(0) >> (64 - a->w->tensors);
    return found;
}

void tile_order(const plan_part *part, walk *w, const uint8_t *element_sizes) {
    const asked a = {.part = part, .w = w, .sizes = element_sizes};
    const int32_t result = w->tensors - 1, columns = w->rank - 1;
    int32_t inner = columns;
    uint64_t splat, packed, packed_before;
    for (int32_t d = columns - 1; d >= 0; d--)
        if (size_without_sign(walk_steps(w, d)[result]) <
            size_without_sign(walk_steps(w, inner)[result]))
            inner = d;
    if (inner == columns || w->sizes[inner] % part->cols_multiple != 0) return;
    if (!packed_along(&a, inner, &splat, &packed)) return;
    for (int32_t t = 0; t < w->tensors; t++)
        if (packed >> t & 1 && walk_steps(w, inner)[t] == 0) return;
    if (packed) {
        const bool squares =
            w->sizes[columns] >= COST_BLOCK_ROWS / 2 && w->sizes[inner] >= COST_BLOCK_COLUMNS;
        if (!squares) return;
        packed_along(&a, columns, &splat, &packed_before);
        if (count_bits(packed) >= count_bits(packed_before)) return;
    }
    walk_sort(w);
}

/* ---------------------------------------------------------------------------------------------
 * The walk as it is. The order of its outer dimensions is free. */

/* What the walk as it is counts: calls, planes, rows and vectors. Beside a long computation the
 * lanes of a row's last vector that have no work count as well, in ns: what is returned. */
static double count_direct(const asked *a, const tile_choice *c, double *counts) {
    const int vector_bits = a->part->masked ? 6 : 5; /* 64 bytes or 32 */
    const int64_t last = c->cols * a->widest - 1, vectors = last >> vector_bits; /* behind one */
    double calls = 1;
    for (int32_t d = 0; d < a->w->rank; d++)
        if (c->outer >> d & 1) calls *= (double)a->w->sizes[d];
    if (c->phases > 1) calls *= (double)a->w->sizes[c->row_dim] / (double)c->rows;
    counts[PER_CALL] = calls;
    counts[PER_PLANE] = calls * (double)c->planes;
    counts[PER_ROW] = counts[PER_PLANE] * (double)c->rows;
    counts[PER_VECTOR] = counts[PER_ROW] * (double)vectors;
    counts[PER_HALVED_ROW] = !a->part->masked && last < 31 ? counts[PER_ROW] : 0;
    if (a->part->element_ns <= cost_light) return 0;
    const int64_t lanes = ((vectors + 1) << vector_bits) / a->widest;
    return counts[PER_ROW] * (double)(lanes - c->cols) * (a->part->element_ns - cost_light);
}

static double ns_of(const double *counts, cost_term first, cost_term end) {
    double ns = 0;
    for (cost_term k = first; k < end; k++) ns += cost_of[k] * counts[k];
    return ns;
}

/* Dimension `row` serves as rows and `plane` as planes, -1: none. */
static void lay_rows(const asked *a, tile_choice *c, int32_t row, int32_t plane) {
    c->row_dim = row;
    c->plane_dim = plane;
    c->rows = row < 0 ? 1 : a->w->sizes[row];
    c->planes = plane < 0 ? 1 : a->w->sizes[plane];
    c->outer = (UINT32_C(1) << (a->w->rank - 1)) - 1;
    if (row >= 0) c->outer &= ~(UINT32_C(1) << row);
    if (plane >= 0) c->outer &= ~(UINT32_C(1) << plane);
}

/* Bytes of the L1 cache that rows of tensor t side by side in dimension d take where they share
 * places: rows 4096 bytes apart, or 2048, have the places of two. Rows 2040 bytes apart have hardly
 * more, as each is 16 bytes from the last but one. A place holds a few in any case. */
static int64_t bytes_crowded(const asked *a, int32_t t, int32_t d) {
    enum { HALF = 2048, WAYS = 8 };
    const int64_t step = size_without_sign(walk_steps(a->w, d)[t]), count = a->w->sizes[d],
                  row = columns_of(a->w) * a->sizes[t] + COST_LINE, past = step & (HALF - 1),
                  places = 2 * row + count * (past < HALF / 2 ? past : HALF - past);
    return step < row || count < WAYS ? 0 : count * row * 2 * HALF / places;
}

/* Cache lines of tensor t in these dimensions, given as bits; *held grows by the bytes of the L1
 * cache that they take. */
static int64_t lines_of(const asked *a, int32_t t, uint32_t dims, int64_t *held) {
    int64_t runs = 1, bytes = a->sizes[t], most = 0;
    for (int32_t d = a->w->rank - 1; d >= 0; d--) {
        const int64_t step = size_without_sign(walk_steps(a->w, d)[t]);
        if (step == 0 || !(dims >> d & 1)) continue;
        const int64_t crowded = bytes_crowded(a, t, d);
        if (crowded > most) most = crowded;
        if (step > bytes + COST_GAP)
            runs *= a->w->sizes[d];
        else
            bytes += step * (a->w->sizes[d] - 1);
    }
    const int64_t lines = runs * (bytes + COST_LINE - 4) / COST_LINE;
    *held += lines * COST_LINE > most ? lines * COST_LINE : most;
    return lines;
}

/* The same of all tensors; *held is what they take. */
static int64_t lines_in(const asked *a, uint32_t dims, int64_t *held) {
    int64_t lines = *held = 0;
    for (int32_t t = 0; t < a->w->tensors; t++) lines += lines_of(a, t, dims, held);
    return lines;
}

/* Cache lines that are brought to the L1 cache: those of the least part of the walk, from its rows
 * outwards, that the cache does not hold, as often as that part is walked. */
static int64_t lines_read(const asked *a, int32_t row, int32_t plane) {
    const int32_t columns = a->w->rank - 1;
    uint32_t dims = UINT32_C(1) << columns | UINT32_C(1) << row;
    int64_t held, lines = lines_in(a, dims, &held);
    if (held > COST_KEPT_BYTES) lines += lines / 8; /* lost from row to row */
    /* Planes, then what is around them. */
    for (int32_t k = columns; k >= 0; k--) {
        const int32_t d = k == columns ? plane : k;
        if (d < 0 || d == row || k == plane) continue;
        if (held > COST_KEPT_BYTES) {
            lines *= a->w->sizes[d];
        } else {
            dims |= UINT32_C(1) << d;
            lines = lines_in(a, dims, &held);
        }
    }
    return lines;
}

static double direct_ns(const asked *a, const tile_choice *c) {
    double counts[PER_JOIN];
    const double idle = count_direct(a, c, counts);
    return idle + ns_of(counts, 0, PER_JOIN);
}

/* What differs between orders as long as the L1 cache holds all: calls and planes. */
APART double order_ns(const asked *a, double rows, int32_t row, int32_t plane) {
    const double planes = rows / (double)a->w->sizes[row];
    return cost_of[PER_PLANE] * planes +
           cost_of[PER_CALL] * (plane < 0 ? planes : planes / (double)a->w->sizes[plane]);
}

/* Choose the dimensions that serve best as rows and planes: few calls, few planes, few lines that
 * are read again. So 300x2x3 is 300 rows twice, like 2x300x3, and not 2 rows 300 times. `ns` is the
 * estimate of the innermost ones, what is returned that of the choice. Orders are not compared if
 * all take longer than `enough`. */
static double choose_rows(const asked *a, tile_choice *c, double ns, double enough) {
    const int32_t inner = a->w->rank - 2, first = c->plane_dim < 0 ? -1 : inner;
    const int64_t elements = walk_elements(a->w);
    if (inner < 1 || elements > COST_REORDERED) return ns;
    const double rows = (double)(elements / c->cols),
                 others = ns - order_ns(a, rows, inner, c->plane_dim);
    if (others > enough) return ns;
    double least = DBL_MAX;
    int64_t held = elements * a->w->tensors * COST_LINE, once = 0; /* at most, so far */
    if (held > COST_KEPT_BYTES) once = lines_in(a, (UINT32_C(1) << a->w->rank) - 1, &held);
    for (int32_t d = inner; d >= 0; d--) {
        for (int32_t k = 0; k < COST_PLANES; k++) {
            const int32_t plane = first - k;
            if (plane == d || (plane < 0 && k > 0)) continue;
            ns = others + order_ns(a, rows, d, plane);
            if (ns < least && held > COST_KEPT_BYTES)
                ns += cost_line * (double)(lines_read(a, d, plane) - once);
            if (ns >= least) continue;
            least = ns;
            lay_rows(a, c, d, plane);
        }
    }
    return c->row_dim == inner ? least : least * cost_reordered;
}

/* In place the load of a row by a mask waits for the store of the row before, if it begins within
 * the bytes that the mask is for, written or not: 5 ns a row. So every second row is computed, or
 * every third, and then those between them. Rows of 11 f32, 44 bytes apart: 0, 2, 4, ... and 1, 3,
 * 5, ... */
static void cut_phases(const asked *a, tile_choice *c) {
    if (!a->in_place || !a->part->masked || c->row_dim < 0) return;
    const int64_t step = size_without_sign(walk_steps(a->w, c->row_dim)[a->w->tensors - 1]);
    if (step >= COST_MASKED_BYTES || step == 0 || c->cols * a->widest > COST_MASKED_BYTES) return;
    c->phases = (COST_MASKED_BYTES + step - 1) / step;
    c->rows = (c->rows + c->phases - 1) / c->phases;
    if (c->rows > COST_PHASE_ROWS) c->rows = COST_PHASE_ROWS;
    if (c->plane_dim >= 0) c->outer |= UINT32_C(1) << c->plane_dim;
    c->plane_dim = -1;
    c->planes = 1;
}

/* The walk as it lies, which tensors prevent that, and what it is estimated to take. If there are
 * none, this way can be taken. */
APART tile_choice choose_direct(const asked *a, double *ns) {
    const int32_t inner = a->w->rank - 2;
    tile_choice c = {
        .way = TILE_DIRECT, .row_dim = -1, .plane_dim = -1, .phases = 1, .planes = 1, .rows = 1};
    c.cols = columns_of(a->w);
    *ns = 0;
    if (c.cols == 1) { /* a single element: any loop serves */
        c.splat = a->part->variants[0].splat;
        return c;
    }
    packed_along(a, a->w->rank - 1, &c.splat, &c.packed);
    lay_rows(a, &c, inner, inner > 0 && a->part->has_planes ? inner - 1 : -1);
    *ns = direct_ns(a, &c);
    return c;
}

/* The same walk in the best order, if that may take less than `enough`. The estimate. */
APART double improve_direct(const asked *a, tile_choice *c, double ns, double enough) {
    ns = choose_rows(a, c, ns, enough);
    if (!c->packed) cut_phases(a, c);
    return c->phases > 1 ? direct_ns(a, c) : ns;
}

/* ---------------------------------------------------------------------------------------------
 * One long row */

/* Cut the walk into chunks; false if a row is longer than one. */
static bool cut_chunks(const asked *a, tile_choice *c) {
    const walk *w = a->w;
    const int64_t bytes = COST_CHUNK_BYTES / a->widest;
    const int64_t most = bytes < COST_CHUNK ? bytes : COST_CHUNK;
    int64_t unit = 1, whole = COST_WHOLE_LINES;
    c->split = w->rank - 1;
    for (; c->split > 0 && unit * w->sizes[c->split] <= PACK_PERIOD; c->split--)
        unit *= w->sizes[c->split];
    if (unit == 1) return false;
    c->step = most / unit; /* whole cache lines, so that an aligned result stays so */
    while (whole > 1 && whole / 2 * unit % COST_WHOLE_LINES == 0) whole /= 2;
    if (c->step > whole) c->step -= c->step % whole;
    if (c->step > w->sizes[c->split]) c->step = w->sizes[c->split];
    c->outer = (UINT32_C(1) << c->split) - 1;
    c->width = columns_of(w);
    c->planes = c->rows = 1;
    c->cols = c->step * unit;
    return true;
}

/* Make one long row of the inner dimensions: what does not lie in memory that way is packed. False
 * if the code has no loop for that, or the buffers no room. */
APART bool choose_joined(const asked *a, tile_choice *c) {
    const walk *w = a->w;
    *c = (tile_choice){.way = TILE_JOINED, .row_dim = -1, .plane_dim = -1, .phases = 1};
    if (!cut_chunks(a, c)) return false;
    uint64_t same = 0, linear = 0;
    for (int32_t t = 0; t < w->tensors; t++) {
        linear |= (uint64_t)walk_follows(w, t, c->split, a->sizes[t]) << t;
        if (t < a->part->leaf_count) same |= (uint64_t)walk_stands(w, t, c->split) << t;
    }
    if (!best_loop(a->part, same, &c->splat)) return false;
    c->packed = ~(c->splat | linear) & ~UINT64_C(0) >> (64 - w->tensors);
    return count_bits(c->packed) <= TILE_MOST_PACKED;
}

/* What one long row counts: chunks, bytes, and packing. An operand that does not move from chunk to
 * chunk is packed once. False if a packed tensor is no operand that has a pattern. */
static bool count_joined(const asked *a, const tile_choice *c, double *counts) {
    const double elements = (double)walk_elements(a->w);
    counts[PER_JOIN] = 1;
    counts[PER_CHUNK] = elements / (double)c->cols;
    counts[PER_JOINED_BYTE] = elements * (double)a->widest;
    if (c->packed >> a->part->leaf_count) return false;
    for (int32_t t = 0; t < a->part->leaf_count; t++) {
        bool moves = false;
        if (!(c->packed >> t & 1)) continue;
        for (int32_t d = 0; d <= c->split; d++) moves |= walk_steps(a->w, d)[t] != 0;
        if (!pack_count(a->w, t, c->split, a->sizes[t], moves ? elements : (double)c->cols, counts))
            return false;
    }
    return true;
}

static double joined_ns(const asked *a, const tile_choice *c) {
    double counts[COST_TERMS] = {0};
    return count_joined(a, c, counts) ? ns_of(counts, PER_JOIN, COST_TERMS) : DBL_MAX;
}

/* ---------------------------------------------------------------------------------------------
 * Blocks */

/* As many rows and columns as the buffer allows, in a wide block. But a packed tensor's rows may
 * lie closer together than its columns, as in a transposed matrix. Then a cache line holds elements
 * of several rows, and the block is about square, to use them all. */
static void cut_blocks(const asked *a, tile_choice *c) {
    const walk *w = a->w;
    const int64_t *columns = walk_steps(w, w->rank - 1);
    int64_t bytes = 0, most = COST_BLOCK, most_cols;
    bool crosswise = false;
    c->row_dim = w->rank - 2; /* -1: none */
    c->outer = w->rank > 1 ? (UINT32_C(1) << c->row_dim) - 1 : 0;
    c->rows = w->rank > 1 ? w->sizes[c->row_dim] : 1;
    for (int32_t t = 0; t < w->tensors; t++) {
        const int64_t row = w->rank > 1 ? walk_steps(w, c->row_dim)[t] : 0;
        if (!(c->packed >> t & 1)) continue;
        bytes += a->sizes[t];
        crosswise |= row != 0 && size_without_sign(row) < size_without_sign(columns[t]);
    }
    if (most > COST_SCRATCH_BYTES / bytes)
        most = COST_SCRATCH_BYTES / bytes / COST_BLOCK_COLUMNS * COST_BLOCK_COLUMNS;
    most_cols = crosswise && c->rows >= COST_BLOCK_ROWS / 2 ? COST_BLOCK_COLUMNS : most;
    if (c->cols > most_cols) c->cols = most_cols;
    most /= c->cols;
    if (most > COST_BLOCK_ROWS) most -= most % COST_BLOCK_ROWS;
    if (c->rows > most) c->rows = most;
    c->split = c->row_dim;
    c->step = c->rows;
    c->width = c->cols;
}

/* ---------------------------------------------------------------------------------------------
 * The way */

static tile_choice choose(const asked *a) {
    const bool is_short = a->w->rank > 1 && columns_of(a->w) < COST_SHORT_ROW;
    double ns, enough = DBL_MAX;
    tile_choice direct = choose_direct(a, &ns), joined;
    const bool may_join =
        is_short && (ns > cost_of[PER_JOIN] || direct.packed) && choose_joined(a, &joined);
    if (may_join) enough = joined_ns(a, &joined);
    ns = improve_direct(a, &direct, ns, enough);
    if (may_join) {
        joined.by_pattern = enough < ns;
        if (joined.by_pattern || (direct.packed && columns_of(a->w) <= COST_SHORT_ROW_PACKED))
            return joined;
    }
    if (direct.packed) {
        direct.way = TILE_BLOCKS;
        direct.plane_dim = -1;
        direct.planes = 1;
        cut_blocks(a, &direct);
    }
    return direct;
}

tile_choice tile_choose(const plan_part *part, const walk *w, const uint8_t *element_sizes,
                        bool in_place) {
    const asked a = ask(part, w, element_sizes, in_place);
    const uint64_t environment = fpenv_enter(); /* quick.c asks before it enters that of the code */
    const tile_choice c = choose(&a);
    fpenv_computed(&c);
    fpenv_leave(environment);
    return c;
}

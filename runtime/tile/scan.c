/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Elements are combined in one of a few types: integers and floating point in their own, but f16
 * and bf16 in f32, and the greatest and the least of any type as integers of the same order, the
 * least upside down. What lies side by side along the axis is a line; what lies side by side along
 * another dimension is lines beside each other; the rest is brought into such lines, in a buffer.
 */
#include "runtime/tile/scan.h"

#include <math.h>
#include <string.h>

#include "runtime/base/features.h"
#include "runtime/base/types.h"
#include "runtime/expr/convert.h"
#include "runtime/interpret/interpret_scan.h"

enum { SCAN_LANES = 16 /* columns: those of the widest register, or more of them */ };

/* The work of a loop: elements of a line, or a block of lines beside each other; with base and
 * carry, of each column. */
typedef struct scan_piece {
    const char *from;
    char *to, *base, *carry;
    int64_t count;                  /* of elements, or of columns */
    int64_t from_stride, to_stride; /* from line to line */
    bool begins;                    /* a segment: that before it ends first */
} scan_piece;

typedef struct scan_loops {
    void (*line)(const scan_piece *p);
    void (*lines)(const scan_piece *p);
} scan_loops;

/* Levels of x86. On Windows its compiler puts wide registers where they do not fit. */
#if defined(__x86_64__) && !defined(_WIN32) && !defined(__OPTIMIZE_SIZE__)
#define SCAN_LEVELS 3
#else
#define SCAN_LEVELS 1
#endif

#define SCAN_LEVEL any
#define SCAN_WIDE 0
#define SCAN_REGISTER 16
#define SCAN_TARGET
#include "runtime/tile/scan_types.h"
#if SCAN_LEVELS > 1
#define SCAN_LEVEL avx2
#define SCAN_WIDE 1
#define SCAN_REGISTER 32
#define SCAN_TARGET __attribute__((target("avx2")))
#include "runtime/tile/scan_types.h"
#define SCAN_LEVEL avx512
#define SCAN_WIDE 1
#define SCAN_REGISTER 64
#define SCAN_TARGET __attribute__((target("avx512f")))
#include "runtime/tile/scan_types.h"
#endif

/* By level: sums, products, the greatest; of integers and numbers; of 4 bytes and of 8. */
enum { SUMS, PRODUCTS, GREATEST, WAYS };
static const scan_loops *const levels[SCAN_LEVELS] = {
    loops_of_any,
#if SCAN_LEVELS > 1
    loops_of_avx2,
    loops_of_avx512,
#endif
};

static int find_level(void) { return SCAN_LEVELS > 1 ? features_permuted_bytes() / 32 : 0; }

/* ---------------------------------------------------------------------------------------------
 * How elements become what is combined */

typedef enum form {
    FORM_SAME,    /* as they are */
    FORM_WIDENED, /* f16 and bf16 as f32 */
    FORM_ORDERED, /* as integers of the same order */
} form;

typedef struct scan_call {
    const expr_node *node;
    const scan_loops *loops;
    tosajit_type type;
    form form;
    int64_t size, wide; /* bytes of an element, and of what is combined */
    int64_t least, nan; /* where ordered; NaN wins or loses against all others */
    bool upside_down;
    char neutral[8]; /* what changes nothing, in the form in which elements are combined */
} scan_call;

static scan_call call_of(const expr_node *node) {
    const tosajit_type type = node->type.element;
    const bool extreme = node->op == TOSAJIT_OP_cummax || node->op == TOSAJIT_OP_cummin,
               wins = node->attributes.nan_mode == TOSAJIT_NAN_PROPAGATE;
    const int way = extreme ? GREATEST : node->op == TOSAJIT_OP_cumprod ? PRODUCTS : SUMS;
    scan_call c = {.node = node, .type = type, .size = (int64_t)tosajit_type_size(type)};
    c.wide = c.size < 8 ? 4 : 8;
    c.loops =
        &levels[find_level()][(way * 2 + (!extreme && type_is_float(type))) * 2 + (c.wide == 8)];
    c.upside_down = node->op == TOSAJIT_OP_cummin;
    c.form = !extreme ? (reduce_accumulator(type) == type ? FORM_SAME : FORM_WIDENED)
             : !c.upside_down && (type == TOSAJIT_I32 || type == TOSAJIT_I64) ? FORM_SAME
                                                                              : FORM_ORDERED;
    c.least = c.wide == 4 ? INT32_MIN : INT64_MIN;
    c.nan = wins ? ~c.least : c.least;
    return c;
}

/* The bits of a number without NaN, in their order: those below 0 backwards. It is its own
 * inverse. */
static inline int32_t order_32(int32_t bits) { return bits ^ (bits >> 31 & INT32_MAX); }
static inline int64_t order_64(int64_t bits) { return bits ^ (bits >> 63 & INT64_MAX); }

/* Any element as an integer of the order. */
static int64_t to_order(const scan_call *c, const char *from) {
    const cell value = convert_decode(c->type, convert_load(c->type, from));
    const float single = (float)value.f;
    int32_t narrow;
    int64_t order = value.i;
    if (c->type == TOSAJIT_U32) order = value.i + INT32_MIN;
    if (c->type == TOSAJIT_U64) order = (int64_t)((uint64_t)value.i ^ (uint64_t)INT64_MIN);
    if (type_is_float(c->type)) {
        if (isnan(value.f)) return c->nan;
        memcpy(&narrow, &single, sizeof narrow);
        memcpy(&order, &value.f, sizeof order);
        order = c->wide == 4 ? order_32(narrow) : order_64(order);
    }
    return c->upside_down ? ~order : order;
}

static void from_order(const scan_call *c, int64_t order, char *to) {
    const int64_t own = c->upside_down ? ~order : order, wide = order_64(own);
    const int32_t narrow = order_32((int32_t)own);
    cell value = {.i = own};
    float single;
    if (c->type == TOSAJIT_U32) value.i = own - INT32_MIN;
    if (c->type == TOSAJIT_U64) value.i = (int64_t)((uint64_t)own ^ (uint64_t)INT64_MIN);
    if (type_is_float(c->type)) {
        memcpy(&single, &narrow, sizeof single);
        memcpy(&value.f, &wide, sizeof value.f);
        if (c->wide == 4) value.f = (double)single;
        if (order == c->nan) value.f = (double)NAN;
    }
    convert_store(c->type, to, convert_encode(c->type, value));
}

/* The same of f32, and of f64, by lines. */
#define ORDER_LINES(bits, integer, real)                                                           \
    static void order_##real(const scan_call *c, const char *from, int64_t stride, int64_t count,  \
                             char *to) {                                                           \
        const integer flip = c->upside_down ? -1 : 0, nan = (integer)c->nan;                       \
        for (int64_t k = 0; k < count; k++) {                                                      \
            real x;                                                                                \
            integer order;                                                                         \
            memcpy(&x, from + k * stride, sizeof x);                                               \
            memcpy(&order, &x, sizeof x);                                                          \
            order = x == x ? order_##bits(order) ^ flip : nan;                                     \
            memcpy(to + k * (int64_t)sizeof x, &order, sizeof x);                                  \
        }                                                                                          \
    }                                                                                              \
    static void unorder_##real(const scan_call *c, const char *from, int64_t count, char *to,      \
                               int64_t stride) {                                                   \
        const integer flip = c->upside_down ? -1 : 0, nan = (integer)c->nan;                       \
        const real none = (real)NAN;                                                               \
        integer missing;                                                                           \
        memcpy(&missing, &none, sizeof none);                                                      \
        for (int64_t k = 0; k < count; k++) {                                                      \
            integer order;                                                                         \
            memcpy(&order, from + k * (int64_t)sizeof order, sizeof order);                        \
            order = order == nan ? missing : order_##bits(order ^ flip);                           \
            memcpy(to + k * stride, &order, sizeof order);                                         \
        }                                                                                          \
    }
ORDER_LINES(32, int32_t, float)
ORDER_LINES(64, int64_t, double)

static inline void copy_each(const char *from, int64_t from_stride, char *to, int64_t to_stride,
                             int64_t count, size_t size) {
    for (int64_t k = 0; k < count; k++) memcpy(to + k * to_stride, from + k * from_stride, size);
}

static void copy(const scan_call *c, const char *from, int64_t from_stride, char *to,
                 int64_t to_stride, int64_t count) {
    if (from_stride == c->size && to_stride == c->size)
        memcpy(to, from, (size_t)(count * c->size));
    else if (c->size == 4)
        copy_each(from, from_stride, to, to_stride, count, 4);
    else
        copy_each(from, from_stride, to, to_stride, count, 8);
}

/* Elements into a buffer, side by side. */
static void load(const scan_call *c, const char *from, int64_t stride, int64_t count, char *to) {
    if (c->form == FORM_SAME) {
        copy(c, from, stride, to, c->wide, count);
        return;
    }
    if (c->form == FORM_ORDERED && (c->type == TOSAJIT_F32 || c->type == TOSAJIT_F64)) {
        (c->wide == 4 ? order_float : order_double)(c, from, stride, count, to);
        return;
    }
    for (int64_t k = 0; k < count; k++, from += stride, to += c->wide) {
        const int64_t order = c->form == FORM_ORDERED ? to_order(c, from) : 0;
        const int32_t narrow = (int32_t)order;
        const float single = c->form == FORM_ORDERED
                                 ? 0
                                 : (float)convert_decode(c->type, convert_load(c->type, from)).f;
        if (c->form == FORM_WIDENED)
            memcpy(to, &single, sizeof single);
        else if (c->wide == 4)
            memcpy(to, &narrow, sizeof narrow);
        else
            memcpy(to, &order, sizeof order);
    }
}

/* And out of it. */
static void unload(const scan_call *c, const char *from, int64_t count, char *to, int64_t stride) {
    if (c->form == FORM_SAME) {
        copy(c, from, c->wide, to, stride, count);
        return;
    }
    if (c->form == FORM_ORDERED && (c->type == TOSAJIT_F32 || c->type == TOSAJIT_F64)) {
        (c->wide == 4 ? unorder_float : unorder_double)(c, from, count, to, stride);
        return;
    }
    for (int64_t k = 0; k < count; k++, from += c->wide, to += stride) {
        int64_t order = 0;
        int32_t narrow;
        float single;
        memcpy(&narrow, from, sizeof narrow);
        memcpy(&single, from, sizeof single);
        if (c->wide == 8) memcpy(&order, from, sizeof order);
        if (c->form == FORM_WIDENED)
            convert_store(c->type, to, convert_encode(c->type, (cell){.f = (double)single}));
        else
            from_order(c, c->wide == 4 ? narrow : order, to);
    }
}

static void fill_with(const scan_call *c, cell value, char *to, int64_t count) {
    char element[8];
    convert_store(c->type, element, convert_encode(c->type, value));
    for (int64_t k = 0; k < count; k++) load(c, element, c->size, 1, to + k * c->wide);
}

static void find_neutral(scan_call *c) {
    const int32_t narrow = (int32_t)c->least;
    if (c->form != FORM_ORDERED)
        fill_with(c, reduce_neutral(c->node, c->type), c->neutral, 1);
    else
        memcpy(c->neutral, c->wide == 4 ? (const void *)&narrow : (const void *)&c->least,
               (size_t)c->wide);
}

static inline void fill_neutral(const scan_call *c, char *to, int64_t count) {
    for (int64_t k = 0; k < count; k++) memcpy(to + k * c->wide, c->neutral, (size_t)c->wide);
}

/* True if elements are combined where they lie. */
static bool is_direct(const scan_call *c) {
    return c->form == FORM_SAME && !c->node->attributes.exclusive;
}

/* ---------------------------------------------------------------------------------------------
 * Lines */

/* The scanned dimension: elements, and bytes between them. */
typedef struct line {
    int64_t count, from_stride, to_stride;
    const char *from;
    char *to;
} line;

static void scan_each(const expr_node *node, const line *l) {
    const tosajit_type type = node->type.element;
    interpret_scan scan;
    interpret_scan_begin(&scan, node);
    for (int64_t k = 0; k < l->count; k++)
        convert_store(type, l->to + k * l->to_stride,
                      interpret_scan_add(&scan, convert_load(type, l->from + k * l->from_stride)));
}

/* One line, a segment after the other: whole blocks where they lie, if they may; else, and what is
 * left, in a buffer. In front of that is the last result before it. */
static void scan_line(const scan_call *c, const line *l) {
    const bool exclusive = c->node->attributes.exclusive,
               dense = is_direct(c) && l->from_stride == c->size && l->to_stride == c->size;
    char base[8], carry[8], room[(SCAN_SEGMENT + 1) * 8], *const buffer = room + c->wide;
    fill_neutral(c, base, 1);
    fill_neutral(c, carry, 1);
    if (exclusive) fill_with(c, reduce_empty(c->node), room, 1);
    for (int64_t k = 0, count; k < l->count; k += count) {
        const int64_t left = l->count - k, most = left < SCAN_SEGMENT ? left : SCAN_SEGMENT;
        const bool there = dense && most >= SCAN_BLOCK;
        count = there ? most / SCAN_BLOCK * SCAN_BLOCK : most;
        scan_piece p = {l->from + k * l->from_stride,
                        l->to + k * l->to_stride,
                        base,
                        carry,
                        (count + SCAN_BLOCK - 1) / SCAN_BLOCK * SCAN_BLOCK,
                        0,
                        0,
                        k % SCAN_SEGMENT == 0};
        if (!there) load(c, p.from, l->from_stride, count, buffer);
        if (!there) fill_neutral(c, buffer + count * c->wide, p.count - count);
        if (!there) p.from = p.to = buffer;
        c->loops->line(&p);
        if (!there)
            unload(c, exclusive ? room : buffer, count, l->to + k * l->to_stride, l->to_stride);
        memcpy(room, room + count * c->wide, (size_t)c->wide);
    }
}

/* ---------------------------------------------------------------------------------------------
 * Lines beside each other */

enum { STRIP = 256, NARROW_STRIP = 64 };

/* Base and carry of a strip of columns; and a buffer, of lines of these. In front of it are the
 * last results before it. */
typedef struct strip {
    char base[STRIP * 8], carry[STRIP * 8], room[(SCAN_BLOCK + 1) * NARROW_STRIP * 8];
} strip;

static bool is_whole(const scan_piece *p, int lines) {
    return lines == SCAN_BLOCK && p->count % SCAN_LANES == 0;
}

/* False if eight lines at once would be stored across cache lines: that takes twice the time of
 * lines from a buffer, one after the other. */
static bool is_quick(const scan_call *c, const scan_piece *p) {
    enum { CACHE_LINE = 64 };
    return !type_is_float(c->type) ||
           ((uintptr_t)p->to | (uintptr_t)p->to_stride) % CACHE_LINE == 0;
}

/* A block of lines, or less, of at most a narrow strip, by way of the buffer; from where they lie,
 * if they may. */
static void scan_buffered(const scan_call *c, scan_piece p, int lines, strip *s) {
    const bool exclusive = c->node->attributes.exclusive,
               there = c->form == FORM_SAME && is_whole(&p, lines);
    const int64_t step = NARROW_STRIP * c->wide, columns = p.count;
    char *const buffer = s->room + step;
    for (int d = 0; !there && d < lines; d++)
        load(c, p.from + d * p.from_stride, c->size, columns, buffer + d * step);
    scan_piece inner = {there ? p.from : buffer,
                        buffer,
                        p.base,
                        p.carry,
                        (columns + SCAN_LANES - 1) / SCAN_LANES * SCAN_LANES,
                        there ? p.from_stride : step,
                        step,
                        p.begins};
    c->loops->lines(&inner);
    for (int d = 0; d < lines; d++)
        unload(c, s->room + (exclusive ? d : d + 1) * step, columns, p.to + d * p.to_stride,
               c->size);
    if (exclusive) memcpy(s->room, s->room + lines * step, (size_t)(columns * c->wide));
}

/* So many columns, a block of lines after the other. */
static void scan_strip(const scan_call *c, const line *l, int64_t columns) {
    strip s; /* not cleared: what lies behind the columns is combined, but goes nowhere */
    fill_neutral(c, s.base, STRIP);
    fill_neutral(c, s.carry, STRIP);
    fill_neutral(c, s.room, (SCAN_BLOCK + 1) * NARROW_STRIP);
    if (c->node->attributes.exclusive) fill_with(c, reduce_empty(c->node), s.room, columns);
    for (int64_t k = 0; k < l->count; k += SCAN_BLOCK) {
        const int lines = (int)(l->count - k < SCAN_BLOCK ? l->count - k : SCAN_BLOCK);
        scan_piece p = {l->from + k * l->from_stride,
                        l->to + k * l->to_stride,
                        s.base,
                        s.carry,
                        columns,
                        l->from_stride,
                        l->to_stride,
                        k % SCAN_SEGMENT == 0};
        if (is_direct(c) && is_whole(&p, lines) && is_quick(c, &p)) {
            c->loops->lines(&p);
            continue;
        }
        for (int64_t at = 0; at < columns; at += NARROW_STRIP) {
            p.count = columns - at < NARROW_STRIP ? columns - at : NARROW_STRIP;
            scan_buffered(c, p, lines, &s);
            p.from += NARROW_STRIP * c->size, p.to += NARROW_STRIP * c->size;
            p.base += NARROW_STRIP * c->wide, p.carry += NARROW_STRIP * c->wide;
        }
    }
}

/* Strips of columns: wide ones where they are combined where they lie. */
static void scan_columns(const scan_call *c, const line *l, int64_t columns) {
    line strip = *l;
    for (int64_t k = 0, count; k < columns; k += count) {
        const int64_t left = columns - k, whole = left / SCAN_LANES * SCAN_LANES;
        count = is_direct(c) && whole > 0 ? (whole < STRIP ? whole : STRIP)
                : left < NARROW_STRIP     ? left
                                          : NARROW_STRIP;
        scan_strip(c, &strip, count);
        strip.from += count * c->size;
        strip.to += count * c->size;
    }
}

/* ---------------------------------------------------------------------------------------------
 * Blocks */

/* The line that begins at the walk's first index, of a dimension that is taken out of it. */
static line take_line(const expr_node *node, const plan_part *part, walk *w,
                      const tile_tensors *tensors) {
    const int64_t *strides = walk_strides(w, part->along);
    line l = {w->sizes[part->along], strides[0], strides[1], tensors->pointers[0],
              tensors->pointers[1]};
    w->sizes[part->along] = 1;
    w->apart = 0;
    walk_coalesce(w);
    if (!node->attributes.reverse) return l;
    l.from += (l.count - 1) * l.from_stride;
    l.to += (l.count - 1) * l.to_stride;
    l.from_stride = -l.from_stride;
    l.to_stride = -l.to_stride;
    return l;
}

/* The dimension along which elements lie side by side, where they do not along the axis; below 0:
 * there is none. */
static int32_t find_columns(const scan_call *c, const line *l, const walk *w) {
    if (l->from_stride == c->size && l->to_stride == c->size) return -1;
    for (int32_t d = w->rank; d-- > 0;)
        if (w->sizes[d] > 1 && walk_strides(w, d)[0] == c->size && walk_strides(w, d)[1] == c->size)
            return d;
    return -1;
}

void scan_run(const tosajit_expr *program, const plan_part *part, walk *w,
              const tile_tensors *tensors) {
    scan_call c = call_of(&program->nodes[part->values[0]]);
    find_neutral(&c);
    line l = take_line(c.node, part, w, tensors);
    const int32_t columns = find_columns(&c, &l, w);
    const bool each = c.node->op == TOSAJIT_OP_logcumsumexp;
    const uint32_t all = (UINT32_C(1) << w->rank) - 1,
                   dims = columns < 0 || each ? all : all & ~(UINT32_C(1) << columns);
    int64_t index[TOSAJIT_MAX_RANK] = {0};
    void *pointers[] = {(void *)(uintptr_t)l.from, l.to};
    do {
        l.from = pointers[0];
        l.to = pointers[1];
        if (each)
            scan_each(c.node, &l);
        else if (columns < 0)
            scan_line(&c, &l);
        else
            scan_columns(&c, &l, w->sizes[columns]);
    } while (walk_next(w, dims, index, pointers));
}

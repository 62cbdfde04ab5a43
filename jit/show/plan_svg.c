/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Plans as a drawing. In: a plan and its program; out: an SVG document in which every operand shows
 * which dimensions move, repeat, or are decided by the call, and the loop nest what each loop
 * steps. Legible on light and on dark pages; names are text of their own, so that a reader of files
 * may replace them. */
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "jit/show/plan_print.h"
#include "runtime/expr/ops.h"
#include "runtime/base/types.h"

/* Where the drawing is; nothing is written without `out`, so that the same code measures. Lengths
 * are in pixels. */
typedef struct pen {
    FILE *out;
    double width;         /* of the page */
    double right, bottom; /* of what was drawn */
    int symbol;           /* the next run-time decision, numbered as in the plan's text */
} pen;

static const double MARGIN = 32, LEAST_WIDTH = 820;
static const double GLYPH = 138; /* room for the little picture of a tensor */
static const double SQUARE = 13; /* one element in it */
static const double SQUARE_STEP = 15, SHEET_STEP = 5;
static const double CELL_WIDTH = 88, CELL_HEIGHT = 46, CELL_STEP = 96, ROW_HEIGHT = 96,
                    TABLE_HEIGHT = 40;
/* The title is a loop's. */
static const double LOOP_HEADER = 38, LOOP_INDENT = 18, TITLE_WIDTH = 210;
/* For a badge and a word. */
static const double LINE = 26, SLOT = 124;
enum {
    MAX_ROWS = 4, /* elements drawn of larger sizes */
    MAX_COLUMNS = 6,
    MAX_SHEETS = 4, /* outer dimensions drawn behind */
};

/* What an operand does along a dimension; the names of CSS classes. */
typedef enum kind { MOVES, REPEATS, DECIDED, SINGLE, ADDED, RESULT, KINDS } kind;
static const char *const kind_class[KINDS] = {"mv", "rp", "dc", "sg", "ad", "rs"};
static const char *const kind_caption[KINDS] = {"moves",     "repeats", "if 1, repeats",
                                                "one index", "added",   ""};

static const char style[] =
    "<style>\n"
    ".page{fill:#ffffff}.ink{fill:#1d2733}.muted{fill:#66727f}.line{stroke:#d3dae2;fill:none}\n"
    ".box{fill:#f6f8fb;stroke:#d3dae2}.deep{fill:#ffffff;stroke:#d3dae2}\n"
    ".mv{fill:#dce9ff;stroke:#2f6fde}.mv-on{fill:#2f6fde}\n"
    ".rp,.again{fill:#fff3d9;stroke:#c98300}.rp{stroke-dasharray:3 "
    "2}.again{stroke-opacity:.55}.rp-on{fill:#c98300}\n"
    ".dc{fill:url(#tosajit-hatch);stroke:#7c4ccf}.dc-on{fill:#7c4ccf}.hatch{fill:#f3edff}.hatch-"
    "line{stroke:#dccbf7}\n"
    ".sg,.ad{fill:none;stroke:#a9b4c0;stroke-dasharray:2 3}.sg-on,.ad-on{fill:#66727f}\n"
    ".rs{fill:#d8f3e6;stroke:#17855a}.rs-on{fill:#17855a}.tb{fill:#e9edf2;stroke:#66727f}.tb-on{"
    "fill:#66727f}\n"
    ".letter{fill:#ffffff;font-weight:700;font-size:12px;text-anchor:middle}\n"
    "text{font-family:system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu "
    "Sans',sans-serif;font-size:13px}\n"
    ".code{font-family:ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace}\n"
    ".title{font-size:20px;font-weight:600}.name{font-size:14px;font-weight:700}.size{font-size:"
    "18px;font-weight:600;text-anchor:middle}\n"
    ".caption{font-size:10.5px;text-anchor:middle}.corner{font-size:9.5px;text-anchor:end}.axis{"
    "font-size:12px;text-anchor:middle}\n"
    ".section{font-size:11px;letter-spacing:1.5px;font-weight:600}\n"
    "@media (prefers-color-scheme:dark){\n"
    ".page{fill:#11161d}.ink{fill:#e7ecf3}.muted{fill:#98a5b4}.line{stroke:#303b48}\n"
    ".box{fill:#18202a;stroke:#303b48}.deep{fill:#11161d;stroke:#303b48}\n"
    ".mv{fill:#16305c;stroke:#78aaff}.mv-on{fill:#78aaff}.rp,.again{fill:#3a2c0c;stroke:#efb549}."
    "rp-on{fill:#efb549}\n"
    ".dc{stroke:#bd9cf8}.dc-on{fill:#bd9cf8}.hatch{fill:#261d3c}.hatch-line{stroke:#412f70}\n"
    ".sg,.ad{stroke:#5c6a7a}.sg-on,.ad-on{fill:#98a5b4}\n"
    ".rs{fill:#0e3626;stroke:#52cf9b}.rs-on{fill:#52cf9b}.tb{fill:#242f3b;stroke:#98a5b4}.tb-on{"
    "fill:#98a5b4}.letter{fill:#11161d}}\n"
    "</style>\n"
    "<defs><pattern id=\"tosajit-hatch\" width=\"7\" height=\"7\" patternUnits=\"userSpaceOnUse\" "
    "patternTransform=\"rotate(45)\">"
    "<rect class=\"hatch\" width=\"7\" height=\"7\"/><line class=\"hatch-line\" x1=\"1\" y1=\"0\" "
    "x2=\"1\" y2=\"7\" stroke-width=\"2\"/>"
    "</pattern></defs>\n";

/* ---------------------------------------------------------------------------------------------
 * Marks on the page */

static void reach(pen *p, double x, double y) {
    if (x > p->right) p->right = x;
    if (y > p->bottom) p->bottom = y;
}

static void put_escaped(FILE *out, const char *text) {
    for (; *text; text++) {
        const char *entity = *text == '&'   ? "&amp;"
                             : *text == '<' ? "&lt;"
                             : *text == '>' ? "&gt;"
                             : *text == '"' ? "&quot;"
                                            : NULL;
        if (entity)
            fputs(entity, out);
        else
            fputc(*text, out);
    }
}

/* A coordinate as SVG has it, to a tenth, whatever the host's locale makes of a decimal point. */
typedef struct coordinate {
    char text[32];
} coordinate;

static coordinate at(double value) {
    coordinate c;
    const int64_t tenths = (int64_t)(value * 10 + (value < 0 ? -0.5 : 0.5)),
                  size = tenths < 0 ? -tenths : tenths;
    int length = snprintf(c.text, sizeof c.text, "%s%" PRId64, tenths < 0 ? "-" : "", size / 10);
    if (size % 10)
        snprintf(c.text + length, sizeof c.text - (size_t)length, ".%d", (int)(size % 10));
    return c;
}

static void draw_rect(pen *p, const char *class, double x, double y, double width, double height,
                      double radius) {
    reach(p, x + width, y + height);
    if (p->out)
        fprintf(p->out,
                "<rect class=\"%s\" x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\" rx=\"%s\"/>\n",
                class, at(x).text, at(y).text, at(width).text, at(height).text, at(radius).text);
}

/* The width of a text is guessed: 7.5 pixels a character, which suits 13 pixels of either font. */
static void draw_text(pen *p, const char *class, double x, double y, const char *format, ...) {
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    bool centred = strstr(class, "size") || strstr(class, "caption") || strstr(class, "axis") ||
                   strstr(class, "letter");
    reach(p, centred || strstr(class, "corner") ? x : x + 7.5 * (double)strlen(text), y + 4);
    if (!p->out) return;
    fprintf(p->out, "<text class=\"%s\" x=\"%s\" y=\"%s\">", class, at(x).text, at(y).text);
    put_escaped(p->out, text);
    fputs("</text>\n", p->out);
}

/* A value's name and type flow in one line: the name may yet become a longer one. */
static void draw_name(pen *p, double x, double y, const char *name, const tosajit_tensor_type *type,
                      const char *note) {
    static const double LEAST_NAME = 200, BOLD = 8.5; /* BOLD: a character */
    const double width = BOLD * (double)strlen(name);
    type_text text = type_print(type);
    reach(p,
          x + (width > LEAST_NAME ? width : LEAST_NAME) +
              7.5 * (double)(strlen(text.text) + strlen(note)),
          y);
    if (!p->out) return;
    fprintf(p->out, "<text class=\"ink code\" x=\"%s\" y=\"%s\"><tspan class=\"name\">", at(x).text,
            at(y).text);
    put_escaped(p->out, name);
    fputs("</tspan><tspan class=\"muted\" dx=\"12\">", p->out);
    put_escaped(p->out, text.text);
    fprintf(p->out, "%s%s</tspan></text>\n", *note ? "  " : "", note);
}

/* A to Z, then numbers. */
static void draw_badge(pen *p, const char *class, double x, double y, int index) {
    char filled[8], letter[16];
    snprintf(filled, sizeof filled, "%s-on", class);
    if (index < 26)
        snprintf(letter, sizeof letter, "%c", 'A' + index);
    else
        snprintf(letter, sizeof letter, "%d", index + 1);
    draw_rect(p, filled, x, y, 20, 20, 6);
    draw_text(p, "letter", x + 10, y + 14.5, "%s", letter);
}

static void draw_result_badge(pen *p, double x, double y) {
    draw_rect(p, "rs-on", x, y, 20, 20, 6);
    draw_text(p, "letter", x + 10, y + 14.5, "=");
}

/* ---------------------------------------------------------------------------------------------
 * Tensors */

/* How one tensor walks a part's space. */
typedef struct tensor_row {
    int32_t rank;
    kind solid; /* its elements: MOVES or RESULT */
    kind kinds[TOSAJIT_MAX_RANK];
    int64_t sizes[TOSAJIT_MAX_RANK]; /* its own; 0 where it has no such dimension */
} tensor_row;

static tensor_row leaf_row(const plan_part *part, const plan_leaf *leaf,
                           const tosajit_tensor_type *type) {
    tensor_row row = {.rank = part->rank, .solid = MOVES};
    for (int32_t d = 0; d < part->rank; d++) {
        int32_t own = d - (part->rank - type->rank);
        row.sizes[d] = own < 0 ? 0 : type->dims[own];
        bool zero = leaf->maps[d] == MAP_ZERO;
        row.kinds[d] = part->extents[d] == 1          ? (own < 0 ? ADDED : SINGLE)
                       : own < 0                      ? ADDED
                       : zero                         ? REPEATS
                       : leaf->maps[d] == MAP_RUNTIME ? DECIDED
                                                      : MOVES;
    }
    return row;
}

static tensor_row result_row(const plan_part *part) {
    tensor_row row = {.rank = part->rank, .solid = RESULT};
    for (int32_t d = 0; d < part->rank; d++) {
        row.sizes[d] = part->extents[d];
        row.kinds[d] = RESULT;
    }
    return row;
}

static int64_t drawn(const plan_part *part, int32_t d, int64_t most) {
    if (d < 0) return 1;
    return part->extents[d] == TOSAJIT_DYNAMIC || part->extents[d] > most ? most : part->extents[d];
}

/* What the element at (i, j) of the picture is, by what the tensor does along rows and columns. */
static kind element_kind(kind rows, kind columns, int64_t i, int64_t j) {
    const kind along[2] = {i > 0 ? rows : MOVES, j > 0 ? columns : MOVES};
    kind found = rows == RESULT || columns == RESULT ? RESULT : MOVES;
    for (int k = 0; k < 2; k++) {
        if (along[k] == REPEATS || along[k] == ADDED) return REPEATS;
        if (along[k] == DECIDED) found = DECIDED;
    }
    return found;
}

/* The two innermost dimensions as a grid, the outer ones as sheets behind it. Filled: elements in
 * memory; dashed: the same ones again; hatched: one or the other. */
static void draw_picture(pen *p, const plan_part *part, const tensor_row *row, double x, double y) {
    int32_t columns = row->rank - 1, rows = row->rank - 2;
    int64_t width = drawn(part, columns, MAX_COLUMNS), height = drawn(part, rows, MAX_ROWS);
    int sheets = 0;
    kind behind[MAX_SHEETS];
    for (int32_t d = rows - 1; d >= 0 && sheets < MAX_SHEETS; d--)
        if (part->extents[d] != 1)
            behind[sheets++] = row->kinds[d] == ADDED ? REPEATS : row->kinds[d];
    double top = y + (sheets * SHEET_STEP);
    for (int k = sheets; k-- > 0;)
        draw_rect(p, kind_class[behind[k]], x + (k + 1) * SHEET_STEP, top - (k + 1) * SHEET_STEP,
                  (double)width * SQUARE_STEP + 2, (double)height * SQUARE_STEP + 2, 3);
    draw_rect(p, "deep", x, top, (double)width * SQUARE_STEP + 2, (double)height * SQUARE_STEP + 2,
              3);
    for (int64_t i = 0; i < height; i++)
        for (int64_t j = 0; j < width; j++) {
            kind k = element_kind(rows < 0 ? row->solid : row->kinds[rows],
                                  columns < 0 ? row->solid : row->kinds[columns], i, j);
            const char *class = k == RESULT    ? "rs-on"
                                : k == MOVES   ? "mv-on"
                                : k == REPEATS ? "again"
                                               : "dc";
            draw_rect(p, class, x + 2 + (double)j * SQUARE_STEP, top + 2 + (double)i * SQUARE_STEP,
                      SQUARE, SQUARE, 2);
        }
}

static void draw_table_picture(pen *p, double x, double y) {
    for (int j = 0; j < MAX_COLUMNS; j++)
        draw_rect(p, "tb", x + 2 + j * SQUARE_STEP, y + 2, SQUARE, SQUARE, 2);
}

/* One cell per dimension: its size and what it does. */
static void draw_cells(pen *p, const tensor_row *row, double x, double y) {
    for (int32_t d = 0; d < row->rank; d++, x += CELL_STEP) {
        kind k = row->kinds[d];
        double middle = x + CELL_WIDTH / 2.0;
        const char *caption = kind_caption[k];
        double line = y + (*caption ? 22 : 29);
        draw_rect(p, kind_class[k], x, y, CELL_WIDTH, CELL_HEIGHT, 7);
        if (row->sizes[d] == 0)
            draw_text(p, "muted size", middle, line, "\xc2\xb7");
        else if (row->sizes[d] == TOSAJIT_DYNAMIC)
            draw_text(p, "ink size", middle, line, "?");
        else
            draw_text(p, "ink size", middle, line, "%" PRId64, row->sizes[d]);
        if (*caption) draw_text(p, "ink caption", middle, y + 38, "%s", caption);
        if (k == DECIDED)
            draw_text(p, "muted corner", x + CELL_WIDTH - 5, y + 13, "s%d", p->symbol++);
    }
    if (row->rank == 0) {
        draw_rect(p, kind_class[row->solid == RESULT ? RESULT : SINGLE], x, y,
                  CELL_WIDTH + CELL_STEP, CELL_HEIGHT, 7);
        draw_text(p, "muted caption", x + (CELL_WIDTH + CELL_STEP) / 2.0, y + 27,
                  "one element, no dimension");
    }
}

static void draw_axes(pen *p, const plan_part *part, double x, double y) {
    for (int32_t d = 0; d < part->rank; d++)
        draw_text(p, "muted axis code", x + d * CELL_STEP + CELL_WIDTH / 2.0, y, "d%d", (int)d);
}

static double draw_operands(pen *p, const plan_part *part, const tosajit_expr *program, double y) {
    const double text = MARGIN + GLYPH;
    draw_text(p, "muted section", MARGIN, y, part->leaf_count ? "OPERANDS" : "NO OPERANDS");
    draw_axes(p, part, text, y);
    y += 14;
    for (int32_t k = 0; k < part->leaf_count;
         k++, y += part->leaves[k - 1].table ? TABLE_HEIGHT : ROW_HEIGHT) {
        const plan_leaf *leaf = &part->leaves[k];
        const tosajit_tensor_type *type = &program->nodes[leaf->value].type;
        tensor_row row = leaf_row(part, leaf, type);
        draw_badge(p, leaf->table ? "tb" : "mv", text, y, k);
        draw_name(p, text + 28, y + 15, plan_leaf_name(program, leaf).text, type,
                  leaf->table ? "a table: looked up, not walked" : "");
        if (leaf->table) {
            draw_table_picture(p, MARGIN, y + 2);
            continue;
        }
        draw_picture(p, part, &row, MARGIN, y + 4);
        draw_cells(p, &row, text, y + 28);
    }
    return y;
}

static double draw_results(pen *p, const plan_part *part, const tosajit_expr *program, double y) {
    const double text = MARGIN + GLYPH;
    tensor_row row = result_row(part);
    if (p->out)
        fprintf(
            p->out,
            "<line class=\"line\" x1=\"%s\" y1=\"%s\" x2=\"%s\" y2=\"%s\" stroke-width=\"2\"/>\n",
            at(MARGIN).text, at(y).text, at(p->width - MARGIN).text, at(y).text);
    y += 22;
    draw_text(p, "muted section", MARGIN, y, part->result_count > 1 ? "RESULTS" : "RESULT");
    y += 10;
    for (int32_t k = 0; k < part->result_count; k++) {
        tosajit_value value = program->results[part->results[k]];
        draw_result_badge(p, text, y);
        draw_name(p, text + 28, y + 15, expr_value_name(program, value).text,
                  &program->nodes[value].type, "");
        if (k + 1 < part->result_count) y += LINE + 2;
    }
    draw_picture(p, part, &row, MARGIN, y + 4);
    draw_cells(p, &row, text, y + 28);
    return y + ROW_HEIGHT + 6;
}

/* ---------------------------------------------------------------------------------------------
 * Loops */

/* A loop of the nest: how far it goes, and what each leaf does in it. */
typedef struct nest {
    bool known; /* all sizes are static, and the loops are coalesced */
    int32_t rank;
    struct {
        int64_t size;
        int32_t first, last; /* dimensions that it walks */
        kind kinds[TOSAJIT_MAX_TENSORS];
    } loops[TOSAJIT_MAX_RANK];
} nest;

/* The loops of a static walk; coalescing has joined neighbours whose sizes multiply to the loop's.
 */
static void static_nest(const plan_part *part, const walk *w, nest *n) {
    int32_t d = 0;
    n->rank = w->rank == 1 && w->sizes[0] == 1 ? 0 : w->rank;
    for (int32_t k = 0; k < n->rank; k++) {
        int64_t product = 1;
        while (d < part->rank && part->extents[d] == 1) d++;
        n->loops[k].size = w->sizes[k];
        n->loops[k].first = n->loops[k].last = d < part->rank ? d : 0;
        for (; d < part->rank && product < w->sizes[k]; d++) {
            product *= part->extents[d];
            if (part->extents[d] != 1) n->loops[k].last = d;
        }
        for (int32_t t = 0; t < part->leaf_count; t++)
            n->loops[k].kinds[t] = w->strides[k * w->tensors + t] ? MOVES : REPEATS;
    }
}

static void dynamic_nest(const plan_part *part, nest *n) {
    for (int32_t d = 0; d < part->rank; d++) {
        if (part->extents[d] == 1) continue;
        n->loops[n->rank].size = part->extents[d];
        n->loops[n->rank].first = n->loops[n->rank].last = d;
        for (int32_t k = 0; k < part->leaf_count; k++) {
            map_kind map = part->leaves[k].maps[d];
            n->loops[n->rank].kinds[k] = map == MAP_ZERO      ? REPEATS
                                         : map == MAP_RUNTIME ? DECIDED
                                                              : MOVES;
        }
        n->rank++;
    }
}

static void make_nest(const plan_part *part, const tosajit_expr *program, nest *n) {
    walk w;
    memset(n, 0, sizeof *n);
    n->known = plan_static_walk(part, program, &w);
    if (n->known)
        static_nest(part, &w, n);
    else
        dynamic_nest(part, n);
}

/* Badges with words, in as many lines as the page needs; returns where the last line ends. */
typedef struct flow {
    double left, x, y, end;
} flow;

static void flow_badge(pen *p, flow *f, const char *class, int index, const char *word) {
    if (f->x + SLOT > f->end && f->x > f->left) {
        f->x = f->left;
        f->y += LINE;
    }
    draw_badge(p, class, f->x, f->y, index);
    draw_text(p, "ink", f->x + 27, f->y + 14.5, "%s", word);
    f->x += SLOT;
}

/* A line per loop variant of the code: the class of each operand. */
static double draw_variants(pen *p, const plan_part *part, double x, double left, double y,
                            double end) {
    for (int32_t v = 0; v < part->variant_count; v++) {
        const tosajit_variant *variant = &part->variants[v];
        flow f = {left, left, y, end - 10};
        draw_text(p, "muted code", x, y + 14.5, "loop %d", (int)v);
        for (int32_t k = 0; k < part->leaf_count; k++) {
            bool splat = variant->splat >> k & 1, either = variant->either >> k & 1,
                 table = part->leaves[k].table;
            flow_badge(p, &f,
                       table    ? "tb"
                       : either ? "dc"
                       : splat  ? "rp"
                                : "mv",
                       k,
                       table    ? "table"
                       : either ? "either"
                       : splat  ? "one value"
                                : "contiguous");
        }
        if (part->leaf_count == 0) draw_text(p, "ink", f.x, f.y + 14.5, "writes constants");
        y = f.y + LINE + 4;
    }
    return y;
}

/* "mul, exp, ..." of a part, as far as one line goes. */
static void list_ops(const plan *p, int32_t index, const tosajit_expr *program, char *text,
                     size_t capacity, const char *separator) {
    size_t used = 0, left_out = 0;
    *text = '\0';
    for (size_t k = 0; k < program->count; k++) {
        const expr_node *node = &program->nodes[k];
        if (node->kind != NODE_OP || !(p->node_parts[k] >> index & 1)) continue;
        size_t length = strlen(op_table[node->op].name) + strlen(separator);
        if (left_out > 0 || used + length + 16 >= capacity) {
            left_out++;
            continue;
        }
        used += (size_t)snprintf(text + used, capacity - used, "%s%s", used ? separator : "",
                                 op_table[node->op].name);
    }
    if (left_out > 0) snprintf(text + used, capacity - used, "%sand %zu more", separator, left_out);
    if (*text == '\0') snprintf(text, capacity, "copy");
}

static void loop_title(const nest *n, int32_t k, char *text, size_t capacity) {
    char dims[64];
    if (n->loops[k].first == n->loops[k].last)
        snprintf(dims, sizeof dims, "d%d", (int)n->loops[k].first);
    else
        snprintf(dims, sizeof dims, "d%d..d%d", (int)n->loops[k].first, (int)n->loops[k].last);
    if (n->loops[k].size == TOSAJIT_DYNAMIC)
        snprintf(text, capacity, "for %s < ?", dims);
    else
        snprintf(text, capacity, "for %s < %" PRId64, dims, n->loops[k].size);
}

/* What the nest is drawn from. */
typedef struct nest_page {
    const plan *whole;
    int32_t index;
    const tosajit_expr *program;
    nest nest;
} nest_page;

/* Badges of all loops stand in columns. */
static double badges_left(const nest_page *n) {
    return MARGIN + TITLE_WIDTH + n->nest.rank * LOOP_INDENT;
}

/* The code inside the innermost loop. */
static double draw_body(pen *p, const nest_page *n, double x, double y, double end) {
    char ops[96];
    list_ops(n->whole, n->index, n->program, ops, sizeof ops, ", ");
    draw_text(p, "ink code", x, y + 16, "%s", ops);
    return draw_variants(p, &n->whole->parts[n->index], x, badges_left(n), y + LINE + 4, end);
}

/* Loop k with all inside it; returns its lower edge. The box is as high as what it holds, which is
 * measured first. */
static double draw_loop(pen *p, const nest_page *n, int32_t k, double x, double y) {
    const plan_part *part = &n->whole->parts[n->index];
    double end = p->width - x, header = y + 9;
    if (k == n->nest.rank) return draw_body(p, n, x, y, end);
    if (p->out) {
        pen measure = *p;
        measure.out = NULL;
        draw_rect(p, k % 2 ? "deep" : "box", x, y, end - x, draw_loop(&measure, n, k, x, y) - y, 9);
    }
    char title[96];
    loop_title(&n->nest, k, title, sizeof title);
    draw_text(p, "ink code", x + 14, header + 14.5, "%s", title);
    flow f = {badges_left(n), badges_left(n), header, end - 10};
    for (int32_t t = 0; t < part->leaf_count; t++) {
        kind found = n->nest.loops[k].kinds[t];
        if (!part->leaves[t].table) flow_badge(p, &f, kind_class[found], t, kind_caption[found]);
    }
    return draw_loop(p, n, k + 1, x + LOOP_INDENT, f.y + LOOP_HEADER - 9) + 10;
}

static double draw_loops(pen *p, const plan *whole, int32_t index, const tosajit_expr *program,
                         double y) {
    nest_page n = {whole, index, program, {0}};
    make_nest(&whole->parts[index], program, &n.nest);
    draw_text(p, "muted section", MARGIN, y, "LOOPS");
    draw_text(p, "muted", MARGIN + GLYPH, y,
              n.nest.known ? "Dimensions that every tensor walks as one are joined. SIMD runs "
                             "along the innermost loop."
                           : "A call joins dimensions that every tensor walks as one. SIMD runs "
                             "along the innermost loop.");
    return draw_loop(p, &n, 0, MARGIN, y + 14) + 26;
}

/* ---------------------------------------------------------------------------------------------
 * The page */

static void print_space(const plan_part *part, char *text, size_t capacity) {
    size_t used = (size_t)snprintf(text, capacity, "[");
    for (int32_t d = 0; d < part->rank; d++) {
        const char *comma = d ? ", " : "";
        if (part->extents[d] == TOSAJIT_DYNAMIC)
            used += (size_t)snprintf(text + used, capacity - used, "%s?", comma);
        else
            used += (size_t)snprintf(text + used, capacity - used, "%s%" PRId64, comma,
                                     part->extents[d]);
    }
    snprintf(text + used, capacity - used, "]");
}

static double draw_part(pen *p, const plan *whole, int32_t index, const tosajit_expr *program,
                        double y) {
    const plan_part *part = &whole->parts[index];
    char ops[64], space[TYPE_TEXT_CAPACITY];
    list_ops(whole, index, program, ops, sizeof ops, " \xe2\x86\x92 ");
    print_space(part, space, sizeof space);
    draw_text(p, "ink title", MARGIN, y, "%s", ops);
    draw_text(p, "muted code", MARGIN, y + 22, "iteration space %s", space);
    if (whole->part_count > 1)
        draw_text(p, "muted", MARGIN, y - 26, "part %d of %d", (int)index, (int)whole->part_count);
    p->symbol = 0;
    y = draw_operands(p, part, program, y + 56);
    y = draw_results(p, part, program, y + 4);
    return draw_loops(p, whole, index, program, y + 14);
}

static bool uses_kind(const plan *p, const tosajit_expr *program, kind wanted) {
    for (int32_t index = 0; index < p->part_count; index++) {
        const plan_part *part = &p->parts[index];
        for (int32_t k = 0; k < part->leaf_count; k++) {
            tensor_row row =
                leaf_row(part, &part->leaves[k], &program->nodes[part->leaves[k].value].type);
            for (int32_t d = 0; d < part->rank && !part->leaves[k].table; d++)
                if (row.kinds[d] == wanted) return true;
        }
    }
    return false;
}

/* What the colours say, of those that are there. */
static double draw_legend(pen *p, const plan *whole, const tosajit_expr *program, double y) {
    static const struct {
        kind kind;
        const char *text;
    } entries[] = {
        {MOVES, "moves: each index has elements of its own"},
        {REPEATS, "repeats: the stride is 0, nothing is copied"},
        {DECIDED,
         "decided in each call: repeats (stride 0) if the size turns out to be 1, else moves"},
        {ADDED, "added: the operand has a lower rank and repeats here"},
    };
    for (size_t k = 0; k < sizeof entries / sizeof *entries; k++) {
        if (!uses_kind(whole, program, entries[k].kind)) continue;
        draw_rect(p, kind_class[entries[k].kind], MARGIN, y - 12, 22, 14, 3);
        draw_text(p, "muted", MARGIN + 32, y, "%s", entries[k].text);
        y += 21;
    }
    return y;
}

static double draw_checks(pen *p, const plan *whole, const tosajit_expr *program, double y) {
    for (size_t k = 0; k < whole->check_count; k++, y += 21) {
        const plan_check *check = &whole->checks[k];
        int dimension = (int)(program->nodes[check->value].type.rank - check->from_end);
        const value_name name = expr_value_name(program, check->value);
        if (check->size == TOSAJIT_DYNAMIC)
            draw_text(p, "muted", MARGIN, y,
                      "checked in each call: %s : dimension %d has one element per channel",
                      name.text, dimension);
        else
            draw_text(p, "muted", MARGIN, y, "checked in each call: %s : dimension %d is %" PRId64,
                      name.text, dimension, check->size);
    }
    return y;
}

/* Badges of the loops; the others say it themselves. */
static double draw_either(pen *p, const plan *whole, double y) {
    bool used = false;
    for (int32_t k = 0; k < whole->part_count; k++)
        for (int32_t v = 0; v < whole->parts[k].variant_count; v++)
            used = used || whole->parts[k].variants[v].either;
    if (!used) return y;
    draw_rect(p, "dc-on", MARGIN, y - 12, 22, 14, 3);
    draw_text(p, "muted", MARGIN + 32, y,
              "either: one loop serves both, an operand that is contiguous and one value a row");
    return y + 21;
}

static void draw_page(pen *p, const plan *whole, const tosajit_expr *program) {
    double y = whole->part_count > 1 ? 94 : 74;
    draw_text(p, "muted code", MARGIN, 34, "@" PLAN_FUNCTION);
    for (int32_t k = 0; k < whole->part_count; k++)
        y = draw_part(p, whole, k, program, y) + (k + 1 < whole->part_count ? 40 : 0);
    y = draw_legend(p, whole, program, y + 4);
    y = draw_either(p, whole, y);
    y = draw_checks(p, whole, program, y);
    reach(p, 0, y);
}

void plan_print_svg(const plan *whole, const tosajit_expr *program, FILE *out) {
    pen p = {.width = LEAST_WIDTH};
    draw_page(&p, whole, program); /* how wide it is; then how high, which depends on that */
    p.width = p.right + MARGIN > LEAST_WIDTH ? p.right + MARGIN : LEAST_WIDTH;
    p.right = p.bottom = 0;
    draw_page(&p, whole, program);
    const coordinate width = at(p.width), height = at(p.bottom);
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%s\" height=\"%s\" viewBox=\"0 0 %s "
            "%s\" role=\"img\">\n",
            width.text, height.text, width.text, height.text);
    fprintf(out, "<title>How the operands of @%s broadcast</title>\n%s", PLAN_FUNCTION, style);
    p.out = out;
    draw_rect(&p, "page", 0, 0, p.width, p.bottom, 0);
    draw_page(&p, whole, program);
    fputs("</svg>\n", out);
}

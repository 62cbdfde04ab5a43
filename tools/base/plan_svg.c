/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Every operand has a row: two dimensions of its elements as squares, its name and type, and a box
 * for each dimension of the iteration space with what the operand does there. Legible on light and
 * on dark pages. Widths of texts are guessed, so that a page is as wide as what is on it. */
#include "tools/base/plan_svg.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/system/system.h"

enum {
    MARGIN = 32,
    SQUARE = 15,      /* pixels from one element to the next */
    MOST_COLUMNS = 6, /* elements shown of a row */
    MOST_ROWS = 4,
    NAMES = MARGIN + MOST_COLUMNS * SQUARE + 24, /* where text begins beside the squares */
    BOX = 126,                                   /* pixels from one dimension to the next */
    ROW = MOST_ROWS * SQUARE + 16,
    GLYPH = 8, /* of the fonts below, at most */
};

static const char style[] =
    "<style>\n"
    ".page{fill:#fff}.ink{fill:#1d2733}.muted{fill:#66727f}\n"
    ".moves{fill:#2f6fde}.repeats{fill:#fff3d9;stroke:#c98300;stroke-dasharray:3 2}\n"
    ".decided{fill:#e3d4fb;stroke:#7c4ccf}.result{fill:#17855a}\n"
    ".tint{fill-opacity:.2}\n"
    "text{font:13px system-ui,'Segoe UI',Roboto,'DejaVu Sans',sans-serif}\n"
    ".code{font-family:ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace}\n"
    ".name{font-weight:700}.title{font-size:18px;font-weight:600}\n"
    "@media (prefers-color-scheme:dark){\n"
    ".page{fill:#11161d}.ink{fill:#e7ecf3}.muted{fill:#98a5b4}\n"
    ".moves{fill:#78aaff}.repeats{fill:#3a2c0c;stroke:#efb549}\n"
    ".decided{fill:#412f70;stroke:#bd9cf8}.result{fill:#52cf9b}}\n"
    "</style>\n";

/* The walk of an operand along a dimension: docs/json.md's word, the class above, the box's text,
 * and the legend. */
static const struct what {
    const char *word, *class, *caption, *meaning;
} whats[] = {
    {"moves", "moves", "moves", "moves: each index has elements of its own"},
    {"repeats", "repeats", "repeats", "repeats: the stride is 0, nothing is copied"},
    {"decided by the call", "decided", "if 1, repeats",
     "decided in each call: repeats if the size turns out to be 1, else moves"},
};
enum { WHATS = sizeof whats / sizeof *whats };

/* ---------------------------------------------------------------------------------------------
 * Reading JSON as the library writes it: a value is where its text begins */

static const char *skip_marks(const char *at) { return at + strspn(at, " ,:"); }

static const char *behind(const char *at) {
    bool quoted = false;
    int depth = 0;
    do {
        if (quoted && *at == '\\')
            at++;
        else if (*at == '"')
            quoted = !quoted;
        else if (!quoted)
            depth += (*at == '[' || *at == '{') - (*at == ']' || *at == '}');
    } while (*++at && (quoted || depth > 0 || !strchr(",:]}", *at)));
    return at;
}

/* Of an array its elements, of an object keys and values in turn; null behind the last one. */
static const char *first(const char *container) {
    const char *at = skip_marks(container + 1);
    return *at == ']' || *at == '}' ? NULL : at;
}
static const char *next(const char *value) {
    const char *at = behind(value);
    return *at == ',' || *at == ':' ? skip_marks(at) : NULL;
}

static bool is_text(const char *value, const char *text) {
    const size_t length = strlen(text);
    return strncmp(value + 1, text, length) == 0 && value[length + 1] == '"';
}

static const char *member(const char *object, const char *key) {
    const char *at = first(object);
    while (!is_text(at, key)) at = next(next(at));
    return next(at);
}

static int count(const char *array) {
    int found = 0;
    for (const char *at = first(array); at; at = next(at)) found++;
    return found;
}

static const char *element(const char *array, int index) {
    const char *at = first(array);
    while (index-- > 0) at = next(at);
    return at;
}

/* ---------------------------------------------------------------------------------------------
 * Marks on the page */

typedef struct page {
    FILE *out;
    int y;        /* what is drawn next is below */
    int x, width; /* where a text ends; the largest of these */
} page;

/* A character of text. Controls, which XML cannot have, are U+FFFD. */
static void put_character(page *p, char c) {
    const char *entity = c == '&'            ? "&amp;"
                         : c == '<'          ? "&lt;"
                         : c == '>'          ? "&gt;"
                         : (uint8_t)c < 0x20 ? "&#xfffd;"
                                             : NULL;
    if (entity)
        fputs(entity, p->out);
    else
        fputc(c, p->out);
    p->x += (c & 0xc0) == 0x80 ? 0 : GLYPH; /* what goes on with a character of UTF-8 */
}

/* A value for people: without quotes, and "?" for null, which stands for an unknown size. */
static void put_value(page *p, const char *value) {
    const char *const end = behind(value);
    bool quoted = false;
    for (const char *at = value; at < end; at++) {
        if (*at == '"') {
            quoted = !quoted;
        } else if (*at == '\\' && at[1] == 'u') { /* a control, or no UTF-8 */
            put_character(p, 0);
            at += 5;
        } else if (!quoted && *at == 'n') {
            put_character(p, '?');
            at += strlen("null") - 1;
        } else {
            at += *at == '\\';
            put_character(p, *at);
        }
    }
}

/* A line of text: literals and values of JSON in turn, to a null pointer. */
static void put_text(page *p, const char *class, int x, int y, ...) {
    va_list pieces;
    va_start(pieces, y);
    fprintf(p->out, "<text class=\"%s\" x=\"%d\" y=\"%d\">", class, x, y);
    p->x = x;
    bool literal = true;
    for (const char *piece; (piece = va_arg(pieces, const char *)); literal = !literal)
        if (!literal)
            put_value(p, piece);
        else
            for (; *piece; piece++) put_character(p, *piece);
    fputs("</text>\n", p->out);
    va_end(pieces);
    if (p->x > p->width) p->width = p->x;
}

static void put_box(page *p, const char *class, int x, int y, int width, int height) {
    fprintf(p->out, "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"3\"/>\n",
            class, x, y, width, height);
    if (x + width > p->width) p->width = x + width;
}

/* ---------------------------------------------------------------------------------------------
 * Operands and results */

static const struct what *what_of(const char *word) {
    int k = 0;
    while (k + 1 < WHATS && !is_text(word, whats[k].word)) k++;
    return &whats[k];
}

/* The class of the element at (row, column): of the first dimension along which it is not the first
 * element and that does not move. `walk` is null for results. */
static const char *class_of(const char *walk, int rank, int row, int column) {
    const int index[2] = {row, column};
    const char *class = walk ? "moves" : "result";
    for (int k = 0; k < 2 && walk; k++) {
        const int d = rank - 2 + k;
        const struct what *what = d < 0 ? &whats[0] : what_of(element(walk, d));
        if (index[k] > 0 && what != &whats[0] && strcmp(class, "repeats") != 0) class = what->class;
    }
    return class;
}

static int squares_along(const char *space, int d, int most) {
    if (d < 0) return 1;
    const char *size = element(space, d);
    const long known = *size == 'n' ? most : strtol(size, NULL, 10);
    return known < most ? (int)known : most;
}

/* The two innermost dimensions, a few elements of each. */
static void draw_squares(page *p, const char *space, const char *walk) {
    const int rank = count(space), rows = squares_along(space, rank - 2, MOST_ROWS),
              columns = squares_along(space, rank - 1, MOST_COLUMNS);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            put_box(p, class_of(walk, rank, i, j), MARGIN + j * SQUARE, p->y + i * SQUARE,
                    SQUARE - 2, SQUARE - 2);
}

/* Its elements, name and type. `space` is null for what is not walked. */
static void draw_tensor(page *p, const char *space, const char *walk, const char *tensor) {
    if (space) draw_squares(p, space, walk);
    put_text(p, "ink code name", NAMES, p->y + 12, "", member(tensor, "value"), NULL);
    put_text(p, "muted code", p->x + 2 * GLYPH, p->y + 12, "", member(tensor, "type"), NULL);
}

static void draw_operand(page *p, const char *space, const char *operand) {
    const char *walk = member(operand, "walk");
    const bool table = *member(operand, "table") == 't';
    draw_tensor(p, table ? NULL : space, walk, operand);
    if (table) put_text(p, "muted", NAMES, p->y + 36, "a table: looked up, not walked", NULL);
    int x = NAMES, d = 0;
    for (const char *word = first(walk); word; word = next(word), x += BOX) {
        const struct what *what = what_of(word);
        char class[32], text[64];
        snprintf(class, sizeof class, "%s tint", what->class);
        snprintf(text, sizeof text, "d%d %s", d++, what->caption);
        put_box(p, class, x, p->y + 24, BOX - 8, 28);
        put_text(p, "ink", x + 8, p->y + 42, text, NULL);
    }
    p->y += ROW;
}

/* ---------------------------------------------------------------------------------------------
 * The page */

static void draw_loops(page *p, const char *part) {
    const char *joined = member(part, "coalesced");
    int index = 0;
    p->y += 12;
    for (const char *loop = first(member(part, "loops")); loop; loop = next(loop), p->y += 22) {
        char text[64];
        snprintf(text, sizeof text, "loop %d reads operands as ", index++);
        put_text(p, "ink code", MARGIN, p->y, text, loop, NULL);
    }
    if (*joined == 'n')
        put_text(p, "muted", MARGIN, p->y,
                 "A call joins dimensions that every tensor walks as one.", NULL);
    else
        put_text(p, "muted", MARGIN, p->y, "Joined where every tensor walks as one: ", joined,
                 NULL);
    p->y += 44;
}

static void draw_part(page *p, const char *part, int index, int parts) {
    const char *space = member(part, "iteration_space");
    char text[64] = "iteration space ";
    if (parts > 1) snprintf(text, sizeof text, "part %d of %d: iteration space ", index, parts);
    put_text(p, "ink title", MARGIN, p->y, text, space, NULL);
    p->y += 24;
    for (const char *at = first(member(part, "operands")); at; at = next(at))
        draw_operand(p, space, at);
    for (const char *at = first(member(part, "results")); at; at = next(at)) {
        draw_tensor(p, space, NULL, at);
        p->y += ROW;
    }
    draw_loops(p, part);
}

static void draw_page(page *p, const char *plan, const char *function) {
    const char *parts = member(plan, "parts");
    int index = 0;
    put_text(p, "muted code", MARGIN, p->y, "@", "\"\"", function, NULL);
    p->y += 40;
    for (const char *part = first(parts); part; part = next(part))
        draw_part(p, part, index++, count(parts));
    for (int k = 0; k < WHATS; k++, p->y += 21) {
        put_box(p, whats[k].class, MARGIN, p->y - 12, 22, 14);
        put_text(p, "muted", MARGIN + 32, p->y, whats[k].meaning, NULL);
    }
    for (const char *at = first(member(plan, "checks")); at; at = next(at), p->y += 21)
        put_text(p, "muted", MARGIN, p->y, "checked in each call: ", member(at, "value"),
                 ": dimension ", member(at, "dimension"), " is ", member(at, "size"), NULL);
}

bool plan_svg(const char *plan, const char *function, FILE *out) {
    char *body = NULL;
    size_t size;
    page p = {.out = system_text_open(&body, &size), .y = 34};
    if (!p.out) return false;
    draw_page(&p, plan, function);
    const bool fine = !ferror(p.out);
    if (system_text_close(p.out) && fine)
        fprintf(out,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
                "height=\"%d\" role=\"img\">\n<title>How operands broadcast</title>\n%s"
                "<rect class=\"page\" width=\"100%%\" height=\"100%%\"/>\n%s</svg>\n",
                p.width + MARGIN, p.y, p.width + MARGIN, p.y, style, body);
    free(body);
    return fine && body;
}

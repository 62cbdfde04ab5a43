/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Operands are x0, x1, ..., and the values of nodes t0, t1, ...:
 *
 *     x0: f32[?,64], x1: f32[64]; t0 = x0 + x1; t1 = sigmoid(t0); t2 = x0 * t1; t2
 *
 * The last names are the results. */
#include "tools/onnx/lowering/region.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "runtime/base/memory.h"
#include "tools/onnx/lowering/rows.h"
#include "tools/onnx/lowering/views.h"
#include "tosajit/inspect.h"

enum { NAME = 64 };

static const char mask_name[] = "m";

typedef struct writer {
    const onnx_graph *g;
    onnx_region *r;
    int32_t *labels;    /* per value: 1 + k is operand xk; -1 - k is tk; 0 is neither */
    byte_writer *text;  /* statements */
    int32_t statements; /* so far */
    bool blank;         /* without numbers */
} writer;

static void put(byte_writer *text, const char *word) { bytes_put(text, word, strlen(word)); }

static bool refuse(onnx_region *r, const char *why) {
    snprintf(r->why, sizeof r->why, "%s", why);
    return false;
}

/* ---------------------------------------------------------------------------------------------
 * Operands */

/* The highest rank of operands that are not constant. */
static int32_t rank_of(const onnx_graph *g, const onnx_node *node) {
    int32_t rank = -1;
    for (int32_t k = 0; k < node->input_count; k++) {
        const onnx_value *value = onnx_input(g, node, k);
        if (value && !value->constant && value->type.rank > rank) rank = value->type.rank;
    }
    return rank;
}

static bool is_list(const onnx_node *node, int32_t operand) {
    return onnx_rows_is_list(node, operand) || onnx_views_is_list(node, operand);
}

bool onnx_region_is_number(const onnx_graph *g, const onnx_node *node, int32_t operand) {
    const onnx_value *value = onnx_input(g, node, operand);
    char text[32];
    const onnx_form *form = onnx_form_of(node);
    if (is_list(node, operand)) return value && value->constant;
    if (form && (onnx_form_is_view(form) || onnx_form_is_scatter(form))) return false;
    return value && value->constant && onnx_elements(&value->type) == 1 &&
           value->type.rank <= rank_of(g, node) && !(operand == 0 && onnx_is(node, "Where")) &&
           onnx_constant_text(value->constant, text);
}

/* A number takes the type of its neighbour, and that must be its own. In Where both neighbours may
 * be numbers, and operators of rows may widen it first. */
static void write_number(const onnx_node *node, const onnx_value *value, char name[NAME]) {
    char text[32];
    onnx_constant_text(value->constant, text);
    const bool typed = onnx_is(node, "Where") || onnx_form_is_rows(onnx_form_of(node));
    const char *type = tosajit_type_name(onnx_element(value->type.element));
    if (typed && type)
        snprintf(name, NAME, "%s(%s)", type, text);
    else
        snprintf(name, NAME, "%s", text);
}

static bool may_be_operand(writer *w, const onnx_value *value) {
    if (value->type.element == 0) return refuse(w->r, "the element type is not known");
    if (onnx_element(value->type.element) == TOSAJIT_TYPE_COUNT) {
        snprintf(w->r->why, sizeof w->r->why, "regions have no %s",
                 onnx_element_name(value->type.element));
        return false;
    }
    if (value->type.rank < 0) return refuse(w->r, "the rank is not known");
    for (int32_t d = 0; d < value->type.rank; d++)
        if (value->type.dims[d] == 0) return refuse(w->r, "a size is 0");
    return true;
}

/* True if an operand is an image in blocks, which the text reshapes: bk is xk in five sizes. */
static bool is_split(const onnx_region *r, const onnx_value *value) {
    return r->view == ONNX_BLOCKS && !value->constant;
}

/* The name of a value, which may be a new operand. */
static bool name_value(writer *w, int32_t at, char name[NAME]) {
    int32_t *label = &w->labels[at];
    if (*label == 0) {
        if (!may_be_operand(w, &w->g->values[at])) return false;
        if (w->r->input_count >= TOSAJIT_MAX_TENSORS - w->r->output_count - w->r->masked)
            return refuse(w->r, "it has more operands than a kernel");
        w->r->inputs[w->r->input_count++] = at;
        *label = w->r->input_count;
    }
    const bool split = is_split(w->r, &w->g->values[at]);
    snprintf(name, NAME,
             *label < 0 ? "t%d"
             : split    ? "b%d"
                        : "x%d",
             (*label > 0 ? *label : -*label) - 1);
    return true;
}

/* True if an operand stands in the text as a number. Exponents and divisors always do: much is
 * gained by knowing them. */
static bool takes_number(writer *w, const onnx_node *node, int32_t k, char name[NAME]) {
    onnx_region *r = w->r;
    if (!onnx_region_is_number(w->g, node, k)) return false;
    write_number(node, &w->g->values[node->inputs[k]], name);
    if (!r->numbers || onnx_is(node, "Pow") || onnx_is(node, "Div")) return true;
    onnx_number *number = &r->numbers[r->number_count++];
    snprintf(number->text, sizeof number->text, "%.31s", name);
    if (w->blank) snprintf(name, NAME, "#");
    return !number->named;
}

static bool types_agree(const onnx_graph *g, const onnx_node *node, int32_t operand) {
    int32_t first = onnx_is(node, "Where") ? 1 : 0;
    const onnx_value *data = onnx_input(g, node, first), *value = onnx_input(g, node, operand);
    return operand <= first || onnx_views_gathers(node) || onnx_is(node, "Pow") ||
           (operand == 1 && onnx_views_scatters(node)) || onnx_is(node, "DequantizeLinear") ||
           value->fresh || (data && data->type.element == value->type.element);
}

/* ---------------------------------------------------------------------------------------------
 * Statements */

/* True if a value is read elsewhere as well: it would be computed once for each place. */
static bool is_shared(const writer *w, int32_t value) {
    bool shared = false;
    while (value >= 0 && w->labels[value] < 0) {
        const onnx_node *producer = &w->g->nodes[w->g->values[value].producer];
        shared = shared || w->g->values[value].uses > 1;
        if (!onnx_form_is_view(onnx_form_of(producer)) || onnx_is(producer, "Concat"))
            return shared;
        value = producer->inputs[0];
    }
    return false;
}

/* True if statements compute a value, or move what they have computed: it lies in no memory that an
 * index could be looked up in. */
static bool is_computed(const writer *w, int32_t value) {
    while (value >= 0 && w->labels[value] < 0) {
        const onnx_node *producer = &w->g->nodes[w->g->values[value].producer];
        if (!onnx_form_is_view(onnx_form_of(producer)) || onnx_is(producer, "Concat") ||
            onnx_views_gathers(producer))
            return true;
        value = producer->inputs[0];
    }
    return false;
}

static bool computes_again(const writer *w, const onnx_node *node) {
    for (int32_t k = 0; k < node->input_count; k++)
        if (!is_list(node, k) && is_shared(w, node->inputs[k])) return true;
    return false;
}

/* True if the others of a region may stay without it. */
static bool leaves(const onnx_form *form) {
    return onnx_form_is_view(form) || onnx_form_is_scatter(form);
}

/* A view that there is no text for. */
static bool refuse_view(writer *w, const onnx_node *node, const char *why) {
    w->r->culprit = (int32_t)(node - w->g->nodes);
    return refuse(w->r, why);
}

static bool has_rows(const writer *w) {
    for (int32_t k = 0; k < w->r->count; k++)
        if (onnx_form_is_rows(onnx_form_of(&w->g->nodes[w->r->nodes[k]]))) return true;
    return false;
}

/* False if a view is none of its operands here. */
static bool may_move(writer *w, const onnx_node *node) {
    if (!onnx_form_is_view(onnx_form_of(node))) return true;
    if (computes_again(w, node))
        return refuse_view(w, node, "it moves what is read elsewhere, too");
    if (onnx_views_turns(w->g, node) && has_rows(w))
        return refuse_view(w, node, "rows would be read or written across memory");
    if (onnx_views_gathers(node) && is_computed(w, node->inputs[0]))
        return refuse_view(w, node, "it takes elements of what the region computes");
    return true;
}

/* True if somebody reads a value: a name that a text does not use is one more result. */
static bool is_wanted(const writer *w, int32_t value) {
    const onnx_region *r = w->r;
    bool wanted = false;
    for (int32_t k = 0; k < r->output_count && value >= 0; k++)
        wanted = wanted || r->outputs[k] == value;
    for (int32_t n = 0; n < r->count && value >= 0 && !wanted; n++) {
        const onnx_node *node = &w->g->nodes[r->nodes[n]];
        for (int32_t k = 0; k < node->input_count; k++) wanted = wanted || node->inputs[k] == value;
    }
    return wanted;
}

/* Names for what a node gives: a Split gives a value for each part that is wanted; another result
 * may be the normalised sum. */
static void label_results(writer *w, const onnx_node *node, int32_t first, const onnx_site *site) {
    w->statements++;
    if (onnx_is(node, "Split")) {
        for (int32_t k = 0; k < node->output_count; k++)
            if (site->wanted[k]) w->labels[node->outputs[k]] = -1 - first++;
        return;
    }
    if (node->output_count > ONNX_SUM && node->outputs[ONNX_SUM] >= 0)
        w->labels[node->outputs[ONNX_SUM]] = -1 - site->sum;
    w->labels[node->outputs[0]] = -w->statements;
}

/* True if a node has a meaning in the region's view of its tensors. */
static bool sees(const writer *w, const onnx_node *node) {
    const onnx_form *form = onnx_form_of(node);
    return w->r->view == ONNX_AS_DECLARED || onnx_form_is_elementwise(form) ||
           (w->r->view == ONNX_BLOCKS && onnx_form_is_rows(form) &&
            onnx_rows_block_axes(w->g, node) != ONNX_NO_AXES);
}

static bool write_node(writer *w, const onnx_node *node) {
    enum { MOST = TOSAJIT_MAX_TENSORS };
    char names[MOST][NAME];
    bool wanted[MOST] = {false};
    const char *operands[MOST];
    const onnx_form *form = onnx_form_of(node);
    if (node->input_count > MOST || node->output_count > MOST)
        return refuse(w->r, "it has more operands than a kernel");
    if (!sees(w, node)) return refuse(w->r, "its rows are of the tensor as it is declared");
    for (int32_t k = 0; k < node->input_count; k++) {
        const onnx_value *value = onnx_input(w->g, node, k);
        operands[k] = value ? names[k] : NULL;
        if (!value) continue;
        if (is_list(node, k)) continue;
        if (!types_agree(w->g, node, k)) return refuse(w->r, "the operands differ in type");
        if (!takes_number(w, node, k, names[k]) && !name_value(w, node->inputs[k], names[k]))
            return false;
    }
    if (!may_move(w, node)) return false;
    const int32_t first = w->statements;
    char left[NAME];
    snprintf(left, sizeof left, "; t%d = ", w->statements);
    put(w->text, left);
    onnx_site site = {.g = w->g,
                      .node = node,
                      .operands = operands,
                      .statement = &w->statements,
                      .wanted = wanted,
                      .channels = w->r->view == ONNX_BLOCKS ? w->r->channels : 0,
                      .mask = w->r->masked ? mask_name : NULL};
    for (int32_t k = 0; k < node->output_count && onnx_is(node, "Split"); k++)
        wanted[k] = is_wanted(w, node->outputs[k]);
    if (!onnx_form_write(form, &site, w->text))
        return leaves(form) ? refuse_view(w, node, site.why) : refuse(w->r, site.why);
    label_results(w, node, first, &site);
    return true;
}

static void write_type(const onnx_type *type, const char *name, byte_writer *text) {
    char word[NAME];
    snprintf(word, sizeof word, "%s: %s[", name, tosajit_type_name(onnx_element(type->element)));
    put(text, word);
    for (int32_t d = 0; d < type->rank; d++) {
        snprintf(word, sizeof word, type->dims[d] < 0 ? "%s?" : "%s%" PRId64, d > 0 ? "," : "",
                 type->dims[d]);
        put(text, word);
    }
    put(text, "]");
}

onnx_type onnx_region_type(const onnx_region *r, const onnx_type *type) {
    onnx_type before = *type;
    for (int32_t d = 0; d < type->rank && r->view == ONNX_TRANSPOSED; d++)
        before.dims[r->order->ints[d]] = type->dims[d];
    return before;
}

/* How many blocks an image has, where the text says it. */
static int64_t blocks_of(const onnx_region *r) {
    return r->channels ? (r->channels + r->block - 1) / r->block : TOSAJIT_DYNAMIC;
}

/* Regions of a model share only the number of channels in a block, so many regions have one text.
 */
static onnx_type viewed_type(const onnx_region *r, const onnx_value *value) {
    const int64_t any = TOSAJIT_DYNAMIC;
    const int32_t element = value->type.element;
    if (value->constant && onnx_elements(&value->type) == 1) return value->type;
    if (r->view == ONNX_TRANSPOSED) return onnx_region_type(r, &value->type);
    if (value->constant) return (onnx_type){element, 4, {blocks_of(r), 1, 1, r->block}};
    return (onnx_type){element, 4, {any, any, any, any}};
}

static void write_types(const writer *w, byte_writer *text) {
    const onnx_region *r = w->r;
    const onnx_type mask = {ONNX__TENSOR_PROTO__DATA_TYPE__BOOL, 4, {blocks_of(r), 1, 1, r->block}};
    for (int32_t k = 0; k < r->input_count; k++) {
        const onnx_value *value = &w->g->values[r->inputs[k]];
        onnx_type type = r->view == ONNX_AS_DECLARED ? value->type : viewed_type(r, value);
        char name[NAME];
        snprintf(name, sizeof name, "x%d", (int)k);
        if (k > 0) put(text, ", ");
        write_type(&type, name, text);
    }
    if (r->masked) put(text, ", ");
    if (r->masked) write_type(&mask, mask_name, text);
}

/* The engine describes blocks as [N, C, H, W]; they lie in memory as five sizes. */
static void write_blocks(const writer *w, byte_writer *text) {
    const onnx_region *r = w->r;
    char word[NAME];
    for (int32_t k = 0; k < r->input_count; k++) {
        if (!is_split(r, &w->g->values[r->inputs[k]])) continue;
        snprintf(word, sizeof word, "; b%d = reshape(x%d, (0, %" PRId64 ", 0, 0, %d))", (int)k,
                 (int)k, r->channels ? blocks_of(r) : -1, (int)r->block);
        put(text, word);
    }
}

static void write_results(const writer *w) {
    for (int32_t k = 0; k < w->r->output_count; k++) {
        char word[NAME];
        int32_t statement = -1 - w->labels[w->r->outputs[k]];
        put(w->text, w->r->view == ONNX_BLOCKS ? "; reshape(" : "; ");
        if (w->r->masked)
            snprintf(word, sizeof word, "where(%s, t%d, f32(0))", mask_name, statement);
        else
            snprintf(word, sizeof word, "t%d", statement);
        put(w->text, word);
        if (w->r->view == ONNX_BLOCKS) put(w->text, ", (0, -1, 0, 0))");
    }
}

/* Along pieces a size must be known, or an operand might repeat there, which it does not do. */
static bool pieces_fit(writer *w) {
    onnx_region *r = w->r;
    for (int32_t n = 0; n < r->count; n++) {
        const onnx_node *node = &w->g->nodes[r->nodes[n]];
        if (!onnx_is(node, "Concat")) continue;
        const int32_t rank = onnx_input(w->g, node, 0)->type.rank;
        const bool last = onnx_views_axis(node, 1, rank) == rank - 1;
        for (int32_t k = 0; k < r->input_count; k++) {
            const onnx_type *type = &w->g->values[r->inputs[k]].type;
            for (int32_t d = last ? type->rank - 1 : 0; d >= 0 && d < type->rank; d++)
                if (type->dims[d] < 0) return refuse_view(w, node, "a size along it is not known");
        }
    }
    return true;
}

/* Every value is without a label again. */
static void clear_labels(const onnx_writer *o, const onnx_region *r) {
    for (int32_t k = 0; k < r->input_count; k++) o->labels[r->inputs[k]] = 0;
    for (int32_t k = 0; k < r->count; k++) {
        const onnx_node *node = &o->g->nodes[r->nodes[k]];
        for (int32_t i = 0; i < node->output_count; i++)
            if (node->outputs[i] >= 0) o->labels[node->outputs[i]] = 0;
    }
}

/* Append the text. False: r->why, or text->failed. */
static bool write_region(const onnx_writer *o, onnx_region *r, bool blank, byte_writer *text) {
    byte_writer statements = {.allocator = text->allocator};
    writer w = {.g = o->g, .r = r, .labels = o->labels, .text = &statements, .blank = blank};
    bool fine = r->count > 0 || refuse(r, "nothing is left of it");
    r->input_count = r->number_count = 0;
    r->culprit = -1;
    for (int32_t k = 0; k < r->count && fine; k++) fine = write_node(&w, &o->g->nodes[r->nodes[k]]);
    fine = fine && pieces_fit(&w);
    if (fine) write_types(&w, text);
    if (fine) write_blocks(&w, text);
    if (fine) write_results(&w);
    bytes_put(text, statements.bytes, statements.size);
    text->failed = text->failed || statements.failed;
    bytes_release(&statements);
    clear_labels(o, r);
    return fine && !text->failed;
}

/* The first line of the library's message, without the place: nobody has seen the text. */
static bool refuse_as_library(onnx_region *r) {
    tosajit_failure failure = {.size = sizeof failure};
    tosajit_last_failure(&failure);
    snprintf(r->why, sizeof r->why, "%.*s", (int)failure.sentence_length, failure.sentence);
    return false;
}

/* Operands in sizes that a call may bring: of what the graph does not know all are the same. */
static bool may_be_called(const onnx_graph *g, const onnx_region *r, const tosajit_kernel *kernel,
                          int64_t open) {
    tosajit_tensor operands[TOSAJIT_MAX_TENSORS];
    int64_t dims[TOSAJIT_MAX_TENSORS][TOSAJIT_MAX_RANK];
    const size_t count = tosajit_kernel_operand_count(kernel);
    for (size_t k = 0; k < count; k++) {
        const tosajit_tensor_type type = tosajit_kernel_operand_type(kernel, k);
        for (int32_t d = 0; d < type.rank; d++) dims[k][d] = type.dims[d] < 0 ? open : type.dims[d];
        if (k < (size_t)r->input_count && is_split(r, &g->values[r->inputs[k]]))
            dims[k][1] = (r->channels ? blocks_of(r) : open) * r->block;
        operands[k] = tosajit_dense(type.element, NULL, type.rank, dims[k]);
    }
    return !tosajit_explain(kernel, operands, count, NULL, 0, NULL, NULL);
}

/* A region that every call refuses is none: the engine would compute what it is made of. Of some of
 * these sizes it is computed, unless it never is. */
static bool check_calls(const onnx_graph *g, onnx_region *r, const tosajit_kernel *kernel) {
    static const int64_t tried[] = {1, 2, 12, 60};
    bool fine = false;
    for (size_t k = 0; !fine && k < sizeof tried / sizeof *tried; k++)
        fine = may_be_called(g, r, kernel, tried[k]);
    return fine || refuse_as_library(r);
}

/* True if the library reads the text, and gives results of the graph's types. */
static bool check_region(const onnx_writer *o, onnx_region *r, const byte_writer *text) {
    tosajit_expr *expr = NULL;
    tosajit_kernel *kernel = NULL;
    bool fine = !tosajit_expr_parse((const char *)text->bytes, text->size, NULL, &expr) &&
                !tosajit_compile_expr(o->engine, expr, &kernel);
    if (!fine) refuse_as_library(r);
    if (fine && tosajit_kernel_result_count(kernel) != (size_t)r->output_count)
        fine = refuse(r, "tosajit gives another number of results");
    for (int32_t k = 0; fine && k < r->output_count; k++) {
        const onnx_type *type = &o->g->values[r->outputs[k]].type;
        const tosajit_tensor_type given = tosajit_kernel_result_type(kernel, (size_t)k);
        fine = given.element == onnx_element(type->element) ||
               refuse(r, "tosajit gives another element type");
        if (fine && r->view == ONNX_AS_DECLARED && type->rank >= 0 && type->rank != given.rank)
            fine = refuse(r, "tosajit gives another rank");
    }
    fine = fine && check_calls(o->g, r, kernel);
    tosajit_kernel_release(kernel);
    tosajit_expr_destroy(expr);
    return fine;
}

static const char *make_text(const onnx_writer *w, onnx_region *r, bool blank, bool *enough) {
    byte_writer text = {.allocator = memory_allocator(NULL)};
    const char *kept = NULL;
    bool fine = write_region(w, r, blank, &text) && (blank || check_region(w, r, &text));
    if (fine) kept = arena_text(w->memory, (const char *)text.bytes, text.size);
    *enough = !text.failed && (!fine || kept);
    bytes_release(&text);
    return kept;
}

const char *onnx_region_text(const onnx_writer *w, onnx_region *r, bool *enough) {
    return make_text(w, r, false, enough);
}

const char *onnx_region_pattern(const onnx_writer *w, onnx_region *r) {
    size_t numbers = 1;
    bool enough;
    for (int32_t k = 0; k < r->count; k++) numbers += (size_t)w->g->nodes[r->nodes[k]].input_count;
    r->numbers = arena_array(w->memory, numbers, sizeof *r->numbers);
    return r->numbers ? make_text(w, r, true, &enough) : NULL;
}

/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Flatbuffers of TOSA that are written here field by field, by another hand than the library that
 * reads them: what is right becomes the expression that it says, what is wrong is refused in words
 * that name it, and what is cut or damaged anywhere does no harm. */
#define _POSIX_C_SOURCE 200809L /* strtok_r */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/cmocka.h"
#include "tools/tosafile/file.h"
#include "tosajit/inspect.h"

/* ---------------------------------------------------------------------------------------------
 * Flatbuffers. Every field of a table has eight bytes, so that it may be of any kind. */

enum { CAPACITY = 1 << 16, FIELD = 8, MOST = 16, SHARES = 64 };

typedef struct writer {
    _Alignas(16) uint8_t bytes[CAPACITY];
    size_t size;
} writer;

static void put(writer *w, size_t at, uint64_t value, size_t size) {
    assert_true(at + size <= CAPACITY);
    memcpy(w->bytes + at, &value, size);
    if (at + size > w->size) w->size = at + size;
}

static void align(writer *w) { w->size = (w->size + FIELD - 1) / FIELD * FIELD; }

/* A table of `count` fields, none of which is there yet, behind the table of their places. */
static size_t table(writer *w, size_t count) {
    align(w);
    const size_t places = w->size, at = (places + 4 + 2 * count + FIELD - 1) / FIELD * FIELD;
    put(w, places, 4 + 2 * count, 2);
    put(w, places + 2, FIELD * (count + 1), 2);
    put(w, at, at - places, 4);
    put(w, at + FIELD * (count + 1) - 1, 0, 1);
    return at;
}

static void set(writer *w, size_t at, size_t field, uint64_t value, size_t size) {
    uint32_t back;
    memcpy(&back, w->bytes + at, sizeof back);
    put(w, at - back + 4 + 2 * field, FIELD * (field + 1), 2);
    put(w, at + FIELD * (field + 1), value, size);
}

static void point(writer *w, size_t at, size_t field, size_t to) {
    set(w, at, field, to - (at + FIELD * (field + 1)), 4);
}

static size_t bytes(writer *w, const void *data, size_t count, size_t each) {
    align(w);
    const size_t at = w->size + 4; /* elements are aligned to 8, their count stands in front */
    put(w, at, count, 4);
    put(w, at + 4 + count * each, 0, 1);
    if (count) memcpy(w->bytes + at + 4, data, count * each);
    return at;
}

static size_t text(writer *w, const char *text) { return bytes(w, text, strlen(text), 1); }

static size_t list(writer *w, size_t count) {
    static const uint32_t zeros[SHARES];
    return bytes(w, zeros, count, 4);
}

static void link_entry(writer *w, size_t at, size_t index, size_t to) {
    put(w, at + 4 + 4 * index, to - (at + 4 + 4 * index), 4);
}

/* "a b" */
static size_t texts(writer *w, const char *words) {
    char copy[256], *names[MOST], *rest = copy;
    size_t count = 0;
    snprintf(copy, sizeof copy, "%s", words);
    for (char *word; (word = strtok_r(rest, " ", &rest)) != NULL;) names[count++] = word;
    const size_t at = list(w, count);
    for (size_t k = 0; k < count; k++) link_entry(w, at, k, text(w, names[k]));
    return at;
}

/* ---------------------------------------------------------------------------------------------
 * Models */

enum { INT4 = 2, INT8 = 3, INT32 = 5, INT48 = 6, FP32 = 7 };                    /* of elements */
enum { CLAMP = 11, ADD = 15, MAXIMUM = 26, ABS = 32, CONST = 67, CUSTOM = 69 }; /* of operators */
enum { CONCAT = 55, PAD, RESHAPE, REVERSE, SLICE, TILE, TRANSPOSE, CONST_SHAPE = 75 };
enum { REDUCE_ALL = 49, REDUCE_ANY, REDUCE_MAX, REDUCE_MIN, REDUCE_PRODUCT, REDUCE_SUM };

typedef struct tensor {
    const char *name;
    unsigned type;
    int32_t dims[2];
    size_t rank;
    const void *data;
    size_t data_size;
    bool unranked;
    unsigned scale;
    uint64_t offset, size;
} tensor;

typedef struct op {
    unsigned number;
    const char *inputs, *outputs;
    size_t (*attributes)(writer *w);
    unsigned kind; /* of attributes; 0: the op's */
} op;

typedef struct shape {
    const char *name;
    uint32_t rank;
    const void *data;
    size_t data_size;
} shape;

typedef struct model {
    int major, minor;
    uint64_t features;
    tensor tensors[MOST];
    op ops[MOST];
    shape shapes[MOST];
    const char *inputs, *outputs;
    bool share; /* one list of operators for many blocks */
} model;

static void write_tensor(writer *w, const tensor *t, size_t at) {
    set(w, at, 2, t->type, 4);
    set(w, at, 5, t->unranked, 1);
    set(w, at, 7, t->offset, 8);
    set(w, at, 8, t->size, 8);
    if (t->scale) set(w, at, 9, t->scale, 4);
    point(w, at, 0, text(w, t->name));
    point(w, at, 1, bytes(w, t->dims, t->rank, sizeof *t->dims));
    if (t->data) point(w, at, 3, bytes(w, t->data, t->data_size, 1));
}

static void write_shape(writer *w, const shape *s, size_t at) {
    point(w, at, 0, text(w, s->name));
    set(w, at, 1, s->rank, 4);
    if (s->data) point(w, at, 2, bytes(w, s->data, s->data_size, 1));
}

static void write_op(writer *w, const op *o, size_t at) {
    set(w, at, 0, o->number, 4);
    if (o->attributes) {
        set(w, at, 1, o->kind ? o->kind : o->number, 1);
        point(w, at, 2, o->attributes(w));
    }
    point(w, at, 3, texts(w, o->inputs));
    point(w, at, 4, texts(w, o->outputs));
}

static void write_block(writer *w, const model *m, size_t block) {
    size_t ops = 0, tensors = 0;
    while (ops < MOST && m->ops[ops].outputs) ops++;
    while (tensors < MOST && m->tensors[tensors].name) tensors++;
    point(w, block, 0, text(w, "main"));
    const size_t op_list = list(w, ops), tensor_list = list(w, tensors);
    point(w, block, 1, op_list);
    point(w, block, 2, tensor_list);
    for (size_t k = 0; k < ops; k++) {
        const size_t at = table(w, 5);
        link_entry(w, op_list, k, at);
        write_op(w, &m->ops[k], at);
    }
    for (size_t k = 0; k < tensors; k++) {
        const size_t at = table(w, 10);
        link_entry(w, tensor_list, k, at);
        write_tensor(w, &m->tensors[k], at);
    }
    point(w, block, 3, texts(w, m->inputs));
    point(w, block, 4, texts(w, m->outputs));
    size_t shapes = 0;
    while (shapes < MOST && m->shapes[shapes].name) shapes++;
    const size_t shape_list = list(w, shapes);
    point(w, block, 5, shape_list);
    for (size_t k = 0; k < shapes; k++) {
        const size_t at = table(w, 3);
        link_entry(w, shape_list, k, at);
        write_shape(w, &m->shapes[k], at);
    }
}

static void write_model(writer *w, const model *m) {
    memset(w, 0, sizeof *w);
    w->size = FIELD;
    memcpy(w->bytes + 4, "TOSA", 4);
    const size_t root = table(w, 4);
    put(w, 0, root, 4);
    const size_t version = table(w, 4);
    point(w, root, 0, version);
    if (m->major >= 0) set(w, version, 0, (uint64_t)m->major, 4);
    set(w, version, 1, (uint64_t)m->minor, 4);
    const size_t compatibility = table(w, 2);
    point(w, root, 3, compatibility);
    set(w, compatibility, 1, m->features, 8);
    const size_t count = m->share ? SHARES : 1, regions = list(w, count);
    point(w, root, 1, regions);
    const size_t region = table(w, 2);
    for (size_t k = 0; k < count; k++) link_entry(w, regions, k, region);
    point(w, region, 0, text(w, "main"));
    const size_t blocks = list(w, count), block = table(w, 6);
    point(w, region, 1, blocks);
    for (size_t k = 0; k < count; k++) link_entry(w, blocks, k, block);
    write_block(w, m, block);
}

static tensor matrix(const char *name, unsigned type, int32_t rows) {
    return (tensor){.name = name, .type = type, .dims = {rows, 3}, .rank = 2};
}

static tensor line(const char *name, unsigned type, const void *data, size_t size) {
    return (tensor){
        .name = name, .type = type, .dims = {2}, .rank = 1, .data = data, .data_size = size};
}

static op plain(unsigned number, const char *inputs, const char *outputs,
                size_t (*attributes)(writer *w)) {
    return (op){.number = number, .inputs = inputs, .outputs = outputs, .attributes = attributes};
}

static const op no_op;

/* c = a + b */
static model sum(void) {
    return (model){.major = 1,
                   .minor = 1,
                   .tensors = {matrix("a", FP32, 2), matrix("b", FP32, 1), matrix("c", FP32, 2)},
                   .ops = {plain(ADD, "a b", "c", NULL)},
                   .inputs = "a b",
                   .outputs = "c"};
}

static size_t clamp_bounds(writer *w) {
    static const uint8_t least[8] = {0xF9}, most[8] = {0x5A}; /* -7 and 90 of i8, padded */
    const size_t at = table(w, 3);
    point(w, at, 0, bytes(w, least, sizeof least, 1));
    point(w, at, 1, bytes(w, most, sizeof most, 1));
    set(w, at, 2, 2, 4);
    return at;
}

static size_t last_axis(writer *w) {
    const size_t at = table(w, 2);
    set(w, at, 0, 1, 4);
    set(w, at, 1, 2, 4); /* of those that have it, IGNORE */
    return at;
}

static size_t no_axis(writer *w) {
    const size_t at = table(w, 1);
    set(w, at, 0, UINT32_MAX, 4); /* -1 */
    return at;
}

static size_t exchanged(writer *w) {
    static const int32_t perms[] = {1, 0};
    const size_t at = table(w, 1);
    point(w, at, 0, bytes(w, perms, 2, sizeof *perms));
    return at;
}

static size_t no_bounds(writer *w) { return table(w, 3); }

static size_t strange_nan(writer *w) {
    const size_t at = table(w, 1);
    set(w, at, 0, 7, 4);
    return at;
}

static size_t custom_sqrt(writer *w) {
    const size_t at = table(w, 3);
    point(w, at, 0, text(w, "sqrt"));
    point(w, at, 1, text(w, "tosajit"));
    return at;
}

static size_t custom_other(writer *w) {
    const size_t at = table(w, 3);
    point(w, at, 0, text(w, "sqrt"));
    point(w, at, 1, text(w, "somebody"));
    return at;
}

/* ---------------------------------------------------------------------------------------------
 * Reading */

static char said[4096];

static void say(void *context, const tosajit_mlir_finding *finding) {
    (void)context;
    snprintf(said + strlen(said), sizeof said - strlen(said), "%s\n", finding->text);
}

/* The expression's text, or null after findings. */
static char *read(const void *data, size_t size, bool strict) {
    const tosajit_mlir_options options = {.size = sizeof options, .name = "m.tosa", .say = say};
    const tosajit_expr_options how = {.size = sizeof how, .strict = strict};
    tosa_file *file = NULL;
    tosa_function built;
    size_t index;
    char *printed = NULL;
    said[0] = '\0';
    if (tosafile_read(data, size, &options, &file)) return NULL;
    if (!tosa_file_find(file, NULL, &index) && !tosa_file_build(file, index, &how, &built)) {
        assert_int_equal(tosajit_expr_print(built.expr, NULL, &printed), TOSAJIT_OK);
        tosa_function_release(&built);
    }
    tosa_file_close(file);
    return printed;
}

static writer w;

static void expect_text(const model *m, const char *expected) {
    write_model(&w, m);
    char *printed = read(w.bytes, w.size, false);
    if (!printed) fail_msg("refused: %s", said);
    if (!strstr(printed, expected)) fail_msg("'%s' is not in\n%s", expected, printed);
    tosajit_text_release(printed);
}

static void expect_refusal(const model *m, const char *expected) {
    write_model(&w, m);
    char *printed = read(w.bytes, w.size, false);
    if (printed) fail_msg("accepted, though '%s':\n%s", expected, printed);
    if (!strstr(said, expected)) fail_msg("'%s' is not in\n%s", expected, said);
    assert_true(strncmp(said, "m.tosa: error: ", 15) == 0);
}

/* ---------------------------------------------------------------------------------------------
 * Tests */

static void right_models_are_what_they_say(void **state) {
    static const int32_t five[2] = {5, -6};
    static const float three[3] = {1, 2, 3};
    static const uint8_t wide[16] = {0, 0, 0, 0, 0, 0x80, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF};
    model m = sum();
    expect_text(&m, "\"tosa.add\"(%arg0, %arg1) : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<2x");
    m.minor = 0;
    m.features = 2;
    m.tensors[0].dims[0] = m.tensors[2].dims[0] = -1;
    expect_text(&m, "(tensor<?x3xf32>, tensor<1x3xf32>) -> tensor<?x3xf32>");
    m = sum(); /* an operator in front of what it reads */
    m.tensors[3] = matrix("d", FP32, 2);
    m.ops[0] = plain(ABS, "c", "d", NULL);
    m.ops[1] = plain(ADD, "a b", "c", NULL);
    m.outputs = "d";
    expect_text(&m, "tosa.abs");
    m = sum();
    m.tensors[0] = line("a", INT32, NULL, 0);
    m.tensors[1] = line("b", INT32, five, sizeof five);
    m.tensors[2] = line("c", INT32, NULL, 0);
    m.ops[1] = plain(CONST, "", "b", NULL);
    m.inputs = "a";
    expect_text(&m, "[5, -6]");
    m.tensors[1] =
        (tensor){.name = "b", .type = INT32, .dims = {2}, .rank = 1, .offset = 16, .size = 8};
    write_model(&w, &m); /* the same, behind the tables */
    align(&w);
    m.tensors[1].offset = w.size;
    write_model(&w, &m);
    align(&w);
    memcpy(w.bytes + w.size, five, sizeof five);
    char *printed = read(w.bytes, w.size + sizeof five, false);
    assert_non_null(printed);
    assert_non_null(strstr(printed, "[5, -6]"));
    tosajit_text_release(printed);
    m = sum(); /* a constant whose values come as an input */
    m.ops[1] = plain(CONST, "", "b", NULL);
    expect_text(&m, "(%arg0: tensor<2x3xf32>, %arg1: tensor<1x3xf32>)");
    m.tensors[1].data = three;
    m.tensors[1].data_size = sizeof three;
    expect_refusal(&m, "an operator gives the input b");
    m = sum();
    m.tensors[2] = line("c", INT48, wide, sizeof wide);
    m.ops[0] = plain(CONST, "", "c", NULL);
    expect_text(&m, "[-140737488355328, -1]");
    m = sum();
    m.tensors[0] = line("a", INT8, NULL, 0);
    m.tensors[2] = line("c", INT8, NULL, 0);
    m.ops[0] = plain(CLAMP, "a", "c", clamp_bounds);
    expect_text(&m, "max_val = 90 : i8");
    expect_text(&m, "min_val = -7 : i8");
    expect_text(&m, "IGNORE");
    m = sum();
    m.ops[0] = plain(CUSTOM, "a", "c", custom_sqrt);
    expect_text(&m, "sqrt");
}

static void reductions_have_their_axis(void **state) {
    static const struct {
        unsigned number;
        const char *text;
    } cases[] = {
        {REDUCE_MAX, "tosa.reduce_max\"(%arg0) <{nan_mode = #tosa.nan_mode<IGNORE>, axis = 1 "},
        {REDUCE_MIN, "tosa.reduce_min\"(%arg0) <{nan_mode = #tosa.nan_mode<IGNORE>, axis = 1 "},
        {REDUCE_PRODUCT, "tosa.reduce_product\"(%arg0) <{axis = 1 : i32}>"},
        {REDUCE_SUM, "tosa.reduce_sum\"(%arg0) <{axis = 1 : i32}> : (tensor<2x3xf32>) -> "
                     "tensor<2x1xf32>"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        model m = sum();
        m.tensors[2].dims[1] = 1;
        m.ops[0] = plain(cases[k].number, "a", "c", last_axis);
        expect_text(&m, cases[k].text);
    }
    model m = sum();
    m.ops[0] = plain(REDUCE_ALL, "a", "c", no_axis);
    expect_refusal(&m, "tosa.reduce_all: ");
    m.ops[0] = plain(REDUCE_ANY, "a", "c", NULL);
    expect_refusal(&m, "attribute axis is missing; it must be an i32");
}

/* c = a[0:1, 1:3] with start and size */
static const int64_t first[] = {0, 1}, extent[] = {1, 2};
static model part(void) {
    model m = sum();
    m.tensors[1] = m.tensors[2];
    m.tensors[1].dims[0] = 1;
    m.tensors[1].dims[1] = 2;
    m.tensors[2] = (tensor){0};
    m.ops[0] = plain(SLICE, "a start size", "c", NULL);
    m.ops[1] = plain(CONST_SHAPE, "", "start", NULL);
    m.ops[2] = plain(CONST_SHAPE, "", "size", NULL);
    m.shapes[0] = (shape){"start", 2, first, sizeof first};
    m.shapes[1] = (shape){"size", 2, extent, sizeof extent};
    m.inputs = "a";
    return m;
}

static void views_have_constant_shapes(void **state) {
    static const int64_t six[] = {6}, thin[] = {1, 1}, sides[] = {1, 0, 0, 2};
    model m = part();
    expect_text(&m, "dense<[0, 1]>"); /* and how many */
    expect_text(&m, "dense<[1, 2]>");
    m.ops[0] = plain(RESHAPE, "a start", "c", NULL);
    m.shapes[0] = (shape){"start", 1, six, sizeof six};
    m.tensors[1].rank = 1;
    m.tensors[1].dims[0] = 6;
    expect_text(&m, "values = dense<[6]>");
    m = part();
    m.ops[0] = plain(TILE, "a start", "c", NULL);
    m.shapes[0].data = thin;
    m.tensors[1] = matrix("c", FP32, 2);
    expect_text(&m, "values = dense<[1, 1]>");
    m = part();
    m.inputs = "a one";
    m.ops[0] = plain(PAD, "a start one", "c", NULL);
    m.shapes[0] = (shape){"start", 4, sides, sizeof sides};
    m.tensors[1].dims[0] = 3;
    m.tensors[1].dims[1] = 5;
    m.tensors[2] = (tensor){.name = "one", .type = FP32, .rank = 1, .dims = {1}};
    expect_text(&m, "dense<[1, 0, 0, 2]>"); /* before and behind */
    expect_text(&m, ": (tensor<2x3xf32>, !tosa.shape<4>, tensor<1xf32>)");
    m = part();
    m.shapes[0].data = thin;
    m.ops[0] = plain(TRANSPOSE, "a", "c", exchanged);
    m.tensors[1].dims[0] = 3;
    m.tensors[1].dims[1] = 2;
    expect_text(&m, "<{perms = array<i32: 1, 0>");
    m.ops[0] = plain(REVERSE, "a", "c", last_axis);
    m.tensors[1] = matrix("c", FP32, 2);
    expect_text(&m, "{axis = 1 : i32");
    m.ops[0] = plain(CONCAT, "a a a", "c", last_axis);
    m.tensors[1].dims[1] = 9;
    expect_text(&m, "(tensor<2x6xf32>, tensor<2x3xf32>) -> tensor<2x9xf32>");
}

/* Of no dimensions; TOSA's tools write a number that stands for none. */
static void a_shape_may_be_empty(void **state) {
    static const int64_t none[] = {0};
    model m = part();
    m.ops[0] = plain(RESHAPE, "a start", "c", NULL);
    m.shapes[0] = (shape){"start", 0, none, 0};
    m.tensors[0].dims[0] = m.tensors[0].dims[1] = 1;
    m.tensors[1].rank = 0;
    expect_text(&m, ": (tensor<1x1xf32>, !tosa.shape<0>) -> tensor<f32>");
    m.shapes[0].data_size = sizeof none;
    expect_text(&m, ": (tensor<1x1xf32>, !tosa.shape<0>) -> tensor<f32>");
}

/* Shapes that are no constants, or have fewer numbers than they say. */
static void shapes_that_do_not_fit_are_named(void **state) {
    static const char constant[] =
        "tosa.slice: start must be a constant of at most 16 dimensions, tosa.const_shape";
    static const int64_t many[17] = {0};
    model m = part();
    m.shapes[0].data_size = 8;
    expect_refusal(&m, constant);
    m = part();
    m.shapes[0].data = NULL;
    expect_refusal(&m, constant);
    m = part();
    m.shapes[0].rank = 1u << 29; /* times 8 is 2^32 */
    expect_refusal(&m, constant);
    m = part();
    m.shapes[0] = (shape){"start", 17, many, sizeof many};
    expect_refusal(&m, constant);
    m = part();
    m.ops[0].inputs = "a a size"; /* a tensor */
    expect_refusal(&m, constant);
    m = part();
    m.ops[0].inputs = "start start size";
    expect_refusal(&m, "operand 0, start, is a shape; a tensor is expected");
    m = part();
    m.ops[1] = plain(CONST, "", "start", NULL); /* no constant shape gives it */
    expect_refusal(&m, constant);
}

/* Operands, results and names. */
static void wrong_operators_are_named(void **state) {
    model m = sum();
    m.ops[0].inputs = "a b a";
    expect_refusal(&m, "@main, operator 0, c: tosa.add: has 3 operands; 2 expected: 2 tensors");
    m.ops[0].inputs = "a x";
    expect_refusal(&m, "operand 1, x, is no tensor of this block");
    m.shapes[0].name = "x";
    expect_refusal(&m, "operand 1, x, is a shape");
    m = sum();
    m.inputs = "a";
    expect_refusal(&m, "operand 1, b, is given by nothing");
    m.inputs = "a b a";
    expect_refusal(&m, "input 2, a, is an input before");
    m.inputs = "a b e";
    expect_refusal(&m, "input 2, e, is no tensor of this block");
    m = sum();
    m.outputs = "c d";
    expect_refusal(&m, "output 1, d, is no tensor of this block");
    m.outputs = "";
    expect_refusal(&m, "has no outputs");
    m = sum();
    m.ops[0].outputs = "c b";
    expect_refusal(&m, "an operator gives the input b");
    m.ops[0].outputs = "";
    expect_refusal(&m, "has 0 results, 1 expected");
    m.ops[0].outputs = "y";
    expect_refusal(&m, "its result, y, is no tensor of this block");
    m = sum();
    m.ops[1] = m.ops[0];
    expect_refusal(&m, "two operators give c");
    m.ops[0] = plain(ADD, "a c", "c", NULL);
    m.ops[1] = no_op;
    expect_refusal(&m, "what gives c depends on it");
    m = sum();
    m.tensors[3] = m.tensors[0];
    expect_refusal(&m, "two tensors or shapes are named a");
    m = sum();
    m.ops[0].number = 500;
    expect_refusal(&m, "operator number 500: not an elementwise operation");
    m.ops[0] = plain(CUSTOM, "a", "c", custom_other);
    expect_refusal(&m, "tosa.custom: domain_name \"tosajit\"");
    m = sum();
    m.tensors[2].dims[1] = 4;
    expect_refusal(&m, "@main, operator 0, c: tosa.add:");
}

static void wrong_values_are_named(void **state) {
    static const float three[3] = {1, 2, 3};
    model m = sum();
    m.tensors[1].type = INT4;
    expect_refusal(
        &m, "input 1, b: its element type is INT4, of which two share a byte; there are BOOL INT8");
    m.tensors[1].type = 77;
    expect_refusal(&m, "its element type is number 77, which is of a later schema");
    m = sum();
    m.tensors[2].scale = 16;
    expect_refusal(&m, "result: its elements are in blocks that share a scale");
    m = sum();
    m.ops[1] = plain(CONST, "", "b", NULL);
    m.inputs = "a";
    expect_refusal(&m, "tosa.const: it has no data");
    m.tensors[1].data = three;
    m.tensors[1].data_size = 8;
    expect_refusal(&m, "it has 8 bytes of data, but its type needs 12");
    m.tensors[1].data_size = 12;
    m.tensors[1].dims[0] = -1;
    expect_refusal(&m, "size along dimension 0 is dynamic");
    m.tensors[1].unranked = true;
    expect_refusal(&m, "the constant has no rank");
    m.tensors[1] = (tensor){
        .name = "b", .type = FP32, .dims = {1, 3}, .rank = 2, .offset = 1 << 20, .size = 12};
    expect_refusal(&m, "its data is said to lie behind the end of the file");
    m = sum();
    m.ops[0] = plain(CLAMP, "a", "c", NULL);
    expect_refusal(&m, "tosa.clamp: attribute min_val is missing");
    m.ops[0].attributes = no_bounds;
    expect_refusal(&m, "tosa.clamp: attribute min_val is missing");
    m.ops[0].attributes = clamp_bounds;
    m.ops[0].kind = ABS; /* a table that nobody has verified as a clamp's */
    expect_refusal(&m, "tosa.clamp: attribute min_val is missing");
    m.ops[0] = plain(MAXIMUM, "a b", "c", strange_nan);
    expect_refusal(&m, "attribute nan_mode must be PROPAGATE or IGNORE, not number 7");
}

static void wrong_files_are_named(void **state) {
    static const struct {
        const char *bytes, *expected;
    } others[] = {{"  ", "whose bytes 4 to 7 are \"TOSA\", nor"},
                  {"", "whose bytes 4 to 7 are \"TOSA\", nor"},
                  {"ML\xefR22", "MLIR's bytecode"},
                  {"  {\"version\": {}}", "written for TOSA -1.-1"},
                  {"{version: {}, region: []}", "m.tosa:1:23: error: unknown field: region"},
                  {"{", "expecting: identifier instead got: end of file"},
                  {"module { }", "MLIR's text"},
                  {"abcdTOSA", "this flatbuffer is damaged"}};
    for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
        const size_t size = strlen(others[k].bytes);
        char *copy = malloc(size ? size : 1); /* without an end of its own */
        assert_non_null(copy);
        memcpy(copy, others[k].bytes, size);
        assert_null(read(copy, size, false));
        free(copy);
        if (!strstr(said, others[k].expected)) fail_msg("%s: %s", others[k].expected, said);
    }
    model m = sum();
    m.minor = 2;
    expect_refusal(&m, "written for TOSA 1.2; 1.0 and 1.1 are read");
    m.major = 0;
    m.minor = 80;
    expect_refusal(&m, "written for TOSA 0.80; 1.0 and 1.1 are read, in which");
    m.major = -1;
    expect_refusal(&m, "written for TOSA -1.80");
    m = sum();
    m.features = 0x12;
    expect_refusal(&m, "the features 0x12, of which 0x10 are unknown here");
    m = sum();
    m.share = true; /* 64 regions of the same 64 blocks each */
    expect_refusal(&m, "its lists share so much that together they are larger than the file");
}

/* A file that is cut or changed is read or refused without harm; a sanitizer sees
 * more. */
static void damage(const model *m) {
    size_t refused = 0, cut = 0;
    write_model(&w, m);
    for (size_t k = 0; k < w.size; k++) {
        uint8_t *copy = malloc(k ? k : 1);
        assert_non_null(copy);
        memcpy(copy, w.bytes, k);
        char *printed = read(copy, k, false);
        cut += printed == NULL;
        tosajit_text_release(printed);
        free(copy);
    }
    assert_true(cut > w.size - 16); /* the last bytes are padding */
    for (size_t k = 0; k < w.size; k++)
        for (int bit = 0; bit < 8; bit++) {
            w.bytes[k] ^= (uint8_t)(1 << bit);
            char *printed = read(w.bytes, w.size, bit % 2);
            refused += printed == NULL;
            assert_true(printed || strstr(said, "error: "));
            tosajit_text_release(printed);
            w.bytes[k] ^= (uint8_t)(1 << bit);
        }
    assert_true(refused > 0 && refused < 8 * w.size);
}

static void damage_does_no_harm(void **state) {
    model m = sum();
    m.tensors[0] = line("a", INT8, NULL, 0);
    m.tensors[2] = line("c", INT8, NULL, 0);
    m.ops[0] = plain(CLAMP, "a", "c", clamp_bounds);
    damage(&m);
    m = part();
    damage(&m);
}

int main(void) {
    return TEST_RUN(NULL, NULL, TEST(right_models_are_what_they_say),
                    TEST(reductions_have_their_axis), TEST(views_have_constant_shapes),
                    TEST(a_shape_may_be_empty), TEST(shapes_that_do_not_fit_are_named),
                    TEST(wrong_operators_are_named), TEST(wrong_values_are_named),
                    TEST(wrong_files_are_named), TEST(damage_does_no_harm));
}

/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Fuzzer of the reader of ONNX models and of their conversion. What is refused has a reason; what
 * is converted can be read again, has an expression in each region that the library accepts, and
 * has nothing more to convert. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/bytes.h"
#include "tools/onnx/convert.h"
#include "tools/onnx/dot.h"
#include "tools/onnx/model/weights.h"
#include "tosajit/tosajit.h"

static void fail(const char *what, const char *why) {
    fprintf(stderr, "%s: %s\n", what, why);
    abort();
}

static void check_region(const Onnx__NodeProto *node) {
    const Onnx__AttributeProto *text = onnx_attribute(node, "expression");
    tosajit_expr *expr = NULL;
    if (!text || !text->has_s) fail("a region without an expression", node->name);
    if (tosajit_expr_parse((const char *)text->s.data, text->s.len, NULL, &expr))
        fail("a region that is refused", tosajit_last_error());
    tosajit_expr_destroy(expr);
}

/* A region that the input had may be anything; ours have our names. */
static void check_graph(const Onnx__GraphProto *graph) {
    for (size_t k = 0; k < graph->n_node; k++)
        if (strncmp(onnx_text(graph->node[k]->name), "tosajit/region_", 15) == 0 &&
            strcmp(onnx_text(graph->node[k]->domain), "tosajit") == 0 &&
            onnx_attribute(graph->node[k], "expression"))
            check_region(graph->node[k]);
}

static bool gives(const Onnx__NodeProto *node, const char *name) {
    for (size_t k = 0; k < node->n_output; k++)
        if (strcmp(onnx_text(node->output[k]), name) == 0) return true;
    return false;
}

static bool is_sized(const Onnx__ValueInfoProto *info) {
    const Onnx__TypeProto *type = info->type;
    if (!type || type->value_case != ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE) return false;
    const Onnx__TensorShapeProto *shape = type->tensor_type->shape;
    bool sized = shape != NULL;
    for (size_t d = 0; sized && d < shape->n_dim; d++)
        sized = shape->dim[d]->value_case == ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE;
    return sized;
}

/* Results of the model are declared as before. Where a region gives it now, a size that the nodes
 * told is known no longer, and what it contradicted is converted. */
static bool hides_sizes(const Onnx__GraphProto *graph) {
    for (size_t o = 0; o < graph->n_output; o++)
        for (size_t k = 0; !is_sized(graph->output[o]) && k < graph->n_node; k++)
            if (strcmp(onnx_text(graph->node[k]->domain), "tosajit") == 0 &&
                gives(graph->node[k], onnx_text(graph->output[o]->name)))
                return true;
    return false;
}

/* An operator that takes dimensions away, or a slice, may keep the operators around it from being
 * one region. It is one by itself then, or stays, and the next conversion, for which the others are
 * no longer operators, may join it with what is left. */
static bool parts(const onnx_report *report) {
    const char *text = report->taken[0].text, *behind = strchr(text, ';');
    return strstr(text, "squeeze(") || (behind && strchr(behind, ':'));
}

/* Sizes that contradict each other: behind a region one of them may be known no longer. */
static bool contradicts(const onnx_report *report) {
    for (size_t k = 0; k < report->left_count; k++)
        if (strstr(report->left[k].why, "does not broadcast")) return true;
    return false;
}

static void convert_again(const onnx_model *model, const onnx_options *options, bool whole) {
    size_t size = onnx__model_proto__get_packed_size(model->proto);
    uint8_t *bytes = malloc(size + 1);
    onnx_model again;
    onnx_report report;
    onnx_error error;
    if (!bytes) abort();
    onnx__model_proto__pack(model->proto, bytes);
    if (!onnx_model_write(model, "/dev/null", &error)) fail("cannot be written", error.text);
    if (!onnx_model_read(&again, bytes, size, &error)) fail("cannot be read again", error.text);
    free(bytes);
    check_graph(again.proto->graph);
    if (!hides_sizes(again.proto->graph) && onnx_convert(&again, options, &report, &error) &&
        report.taken_count > 0 && whole && !parts(&report))
        fail("a second conversion finds more", report.taken[0].text);
    onnx_model_release(&again);
}

static bool draw(onnx_model *model, const onnx_report *report, onnx_error *error) {
    FILE *nowhere = fopen("/dev/null", "w");
    if (!nowhere) abort();
    bool fine = onnx_dot_print(model, report, nowhere, error);
    fclose(nowhere);
    return fine;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    onnx_model model;
    onnx_report report;
    onnx_weights weights;
    onnx_error error = {""};
    const onnx_options options = {
        .least_ops = size % 3 == 0 ? 2 : 0, .block = size % 4 == 0 ? 16 : 0, .fused = size % 2};
    bool fine = onnx_model_read(&model, data, size, &error);
    /* Some have no memory left at some place of the conversion. */
    if (fine && size % 5 == 0) model.memory.limit = model.memory.taken + (size % 7 << 16);
    fine = fine && onnx_convert(&model, &options, &report, &error) &&
           onnx_weights_copy(&model, "-", "-", &weights, &error) && draw(&model, &report, &error);
    if (fine)
        convert_again(&model, &options, !contradicts(&report));
    else if (!*error.text)
        fail("refused", "in silence");
    onnx_model_release(&model);
    return 0;
}

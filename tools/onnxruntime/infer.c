/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The expression tells ranks, sizes that are known, and element types but for signs: u8 is an i8
 * there. The attribute `types` tells those. A size that is open in the expression the inputs
 * decide. */
#include "tools/onnxruntime/infer.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/onnxruntime/region.h"
#include "tools/onnxruntime/types.h"
#include "tosajit/graph.h"
#include "tosajit/inspect.h"

enum { SYMBOL = 40 };

/* The engine's facts about an input. */
typedef struct input {
    int element;
    size_t rank;
    int64_t dims[TOSAJIT_MAX_RANK];
    const char *symbols[TOSAJIT_MAX_RANK]; /* lent */
} input;

typedef struct inference {
    const ort_api *api;
    ort_inference *node;
    tosajit_kernel *kernel; /* owned */
    int64_t types[TOSAJIT_MAX_TENSORS];
    size_t type_count, input_count;
    input inputs[TOSAJIT_MAX_TENSORS];
} inference;

/* True if a call went well; what was wrong is nobody's business here. */
static bool is_fine(const ort_api *api, ort_status *status) {
    if (status) ORT(api, ReleaseStatus)(status);
    return !status;
}

/* ---------------------------------------------------------------------------------------------
 * The node */

static const ort_attribute *find(const inference *i, const char *name) {
    const ort_attribute *found = NULL;
    ort_status *status = ORT(i->api, ShapeInferContext_GetAttribute)(i->node, name, &found);
    return is_fine(i->api, status) ? found : NULL;
}

/* The expression, owned; null where there is none. Some engines count and write its end. */
static char *read_text(const inference *i) {
    const ort_api *api = i->api;
    const ort_attribute *attribute = find(i, "expression");
    size_t size = 0;
    if (!attribute) return NULL;
    is_fine(api, ORT(api, ReadOpAttr)(attribute, ORT_ATTRIBUTE_STRING, NULL, 0, &size));
    char *text = calloc(1, size + 1);
    if (text &&
        is_fine(api, ORT(api, ReadOpAttr)(attribute, ORT_ATTRIBUTE_STRING, text, size, &size)))
        return text;
    free(text);
    return NULL;
}

static void read_types(inference *i) {
    const ort_attribute *attribute = find(i, "types");
    size_t bytes = 0;
    if (attribute && is_fine(i->api, ORT(i->api, ReadOpAttr)(attribute, ORT_ATTRIBUTE_INTS,
                                                             i->types, sizeof i->types, &bytes)))
        i->type_count = bytes / sizeof *i->types;
}

static void read_input(inference *i, size_t index) {
    const ort_api *api = i->api;
    input *in = &i->inputs[index];
    ort_tensor_info *info = NULL; /* lent */
    if (!is_fine(api, ORT(api, ShapeInferContext_GetInputTypeShape)(i->node, index, &info)) ||
        !is_fine(api, ORT(api, GetTensorElementType)(info, &in->element)) ||
        !is_fine(api, ORT(api, GetDimensionsCount)(info, &in->rank)) ||
        in->rank > TOSAJIT_MAX_RANK ||
        !is_fine(api, ORT(api, GetDimensions)(info, in->dims, in->rank)) ||
        !is_fine(api, ORT(api, GetSymbolicDimensions)(info, in->symbols, in->rank)))
        in->rank = SIZE_MAX;
}

static bool read_inputs(inference *i) {
    size_t count = 0;
    if (!is_fine(i->api, ORT(i->api, ShapeInferContext_GetInputCount)(i->node, &count)))
        return false;
    i->input_count = tosajit_kernel_operand_count(i->kernel);
    for (size_t k = 0; k < i->input_count && k < count; k++) read_input(i, k);
    return i->input_count <= count;
}

/* ---------------------------------------------------------------------------------------------
 * Sizes. The kernel is asked for its results' sizes twice, with other numbers in place of each
 * unknown size. A size of a result that is the same both times depends on none of these; one that
 * is an unknown size's number both times is that size. All else is not known, as where operands
 * broadcast for the right numbers alone. */

/* Numbers of which no sum of several is another one, for as many unknown sizes as most nodes have.
 * All are whole blocks of channels. */
enum { NUMBERS = 8, TRIALS = 2 };
static const int64_t numbers[TRIALS][NUMBERS] = {
    {48, 144, 336, 720, 1488, 3024, 6096, 12240},
    {240, 624, 1392, 2928, 6000, 12144, 24432, 49008},
};

/* An unknown size; the symbol is empty where it has no name, and then it is another one each time.
 */
typedef struct sizes {
    size_t count;
    const char *symbols[NUMBERS]; /* lent */
    int64_t results[TRIALS][TOSAJIT_MAX_TENSORS][TOSAJIT_MAX_RANK];
    bool known; /* both calls went well */
} sizes;

/* The place of a symbol; NUMBERS: there are too many. */
static size_t find_symbol(sizes *s, const char *symbol) {
    size_t k = 0;
    while (k < s->count && !(*symbol && strcmp(s->symbols[k], symbol) == 0)) k++;
    if (k == s->count && k < NUMBERS) s->symbols[s->count++] = symbol;
    return k;
}

static bool fill_operand(sizes *s, const input *in, int trial, int64_t *dims) {
    for (size_t d = 0; d < in->rank; d++) {
        dims[d] = in->dims[d];
        if (dims[d] >= 0) continue;
        const size_t symbol = find_symbol(s, in->symbols[d] ? in->symbols[d] : "");
        if (symbol == NUMBERS) return false;
        dims[d] = numbers[trial][symbol];
    }
    return true;
}

static bool try_sizes(const inference *i, int trial, sizes *s) {
    tosajit_tensor operands[TOSAJIT_MAX_TENSORS], results[TOSAJIT_MAX_TENSORS];
    int64_t dims[TOSAJIT_MAX_TENSORS][TOSAJIT_MAX_RANK];
    s->count = 0;
    for (size_t k = 0; k < i->input_count; k++) {
        const tosajit_tensor_type type = tosajit_kernel_operand_type(i->kernel, k);
        const input *in = &i->inputs[k];
        if (in->rank != (size_t)type.rank || !fill_operand(s, in, trial, dims[k])) return false;
        operands[k] = tosajit_dense(type.element, NULL, type.rank, dims[k]);
    }
    return !tosajit_kernel_results(i->kernel, operands, i->input_count, results,
                                   tosajit_kernel_result_count(i->kernel), s->results[trial]);
}

/* A size: a number, or else -1 and a symbol, which is empty where nothing is known. */
typedef struct extent {
    int64_t number;
    const char *symbol;
} extent;

static extent find_extent(const sizes *s, size_t result, int32_t d) {
    const int64_t first = s->results[0][result][d], second = s->results[1][result][d];
    if (!s->known) return (extent){-1, ""};
    if (first == second) return (extent){first, ""};
    for (size_t k = 0; k < s->count; k++)
        if (first == numbers[0][k] && second == numbers[1][k]) return (extent){-1, s->symbols[k]};
    return (extent){-1, ""};
}

/* ---------------------------------------------------------------------------------------------
 * Outputs */

/* The engine takes -1 for a number, so an unknown size has a symbol that nothing else has. */
static void name_unknown(char symbol[SYMBOL]) {
    static atomic_size_t count;
    snprintf(symbol, SYMBOL, "tosajit/size_%zu", atomic_fetch_add(&count, 1));
}

static bool set_shape(const inference *i, const tosajit_tensor_type *type, size_t index,
                      const sizes *known, ort_tensor_info *info) {
    const ort_api *api = i->api;
    const size_t rank = (size_t)type->rank;
    int64_t dims[TOSAJIT_MAX_RANK];
    const char *symbols[TOSAJIT_MAX_RANK];
    char fresh[TOSAJIT_MAX_RANK][SYMBOL];
    for (int32_t d = 0; d < type->rank; d++) {
        extent e = {type->dims[d], ""};
        if (e.number < 0) e = find_extent(known, index, d);
        if (e.number < 0 && !*e.symbol) {
            name_unknown(fresh[d]);
            e.symbol = fresh[d];
        }
        dims[d] = e.number;
        symbols[d] = e.symbol;
    }
    return is_fine(api, ORT(api, SetDimensions)(info, dims, rank)) &&
           is_fine(api, ORT(api, SetSymbolicDimensions)(info, symbols, rank));
}

static void tell(const inference *i, size_t index, const sizes *known) {
    const ort_api *api = i->api;
    const tosajit_tensor_type type = tosajit_kernel_result_type(i->kernel, index);
    const int64_t said = index < i->type_count ? i->types[index] : 0;
    const int element = region_result_type(type.element, said);
    ort_tensor_info *info = NULL;
    if (!element || !is_fine(api, ORT(api, CreateTensorTypeAndShapeInfo)(&info))) return;
    if (is_fine(api, ORT(api, SetTensorElementType)(info, element)) &&
        set_shape(i, &type, index, known, info))
        is_fine(api, ORT(api, ShapeInferContext_SetOutputTypeShape)(i->node, index, info));
    ORT(api, ReleaseTensorTypeAndShapeInfo)(info);
}

/* The kernel as the engine's inputs have it, which may be f32 for f16. Null: the text is none. */
static void widen(inference *i) {
    enum { F32 = 1, F16 = 10 };
    int widened = 0;
    for (size_t k = 0; k < i->input_count; k++)
        widened += region_is_widened(i->kernel, k, i->inputs[k].element);
    if (!widened) return;
    char *text = read_text(i);
    if (text) region_widen(text);
    tosajit_kernel_release(i->kernel);
    i->kernel = text ? types_kernel(text) : NULL;
    free(text);
    for (size_t k = 0; k < i->type_count; k++)
        if (i->types[k] == F16) i->types[k] = F32;
}

void infer_outputs(const ort_api *api, size_t least, ort_inference *node) {
    inference i = {.api = api, .node = node};
    char *text = read_text(&i);
    i.kernel = text ? types_kernel(text) : NULL;
    free(text);
    if (!i.kernel) return;
    read_types(&i);
    const bool known = read_inputs(&i);
    widen(&i);
    const size_t results = i.kernel && known ? tosajit_kernel_result_count(i.kernel) : 0;
    sizes asked = {.known = results > 0};
    for (int trial = 0; trial < TRIALS && asked.known; trial++)
        asked.known = try_sizes(&i, trial, &asked);
    for (size_t k = 0; k < least && k < results; k++) tell(&i, k, &asked);
    tosajit_kernel_release(i.kernel);
}

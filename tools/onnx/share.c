/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* 24 regions of a model may be `x * 0.94 + 0.5` with other numbers each. As `x * a + b` they are
 * one text, and the text is compiled once; it takes no longer to run. */
#include "tools/onnx/share.h"

#include <stdlib.h>
#include <string.h>

/* A region without its numbers. */
typedef struct pattern {
    const char *text;
    onnx_choice *choice;
} pattern;

/* A number may be an operand that its node's text leaves out, so texts alone do not count them. */
static int by_text(const void *a, const void *b) {
    const pattern *one = a, *other = b;
    const int32_t first = one->choice->region.number_count,
                  second = other->choice->region.number_count;
    const int order = strcmp(one->text, other->text);
    return order ? order : (first > second) - (first < second);
}

/* Where regions of one pattern have different numbers, the number becomes an operand of each
 * region. */
static bool share(const onnx_writer *w, const pattern *patterns, int32_t count) {
    const onnx_region *first = &patterns[0].choice->region;
    for (int32_t n = 0; n < first->number_count; n++) {
        bool differ = false;
        for (int32_t k = 1; k < count; k++) {
            const onnx_region *r = &patterns[k].choice->region;
            differ = differ || strcmp(r->numbers[n].text, first->numbers[n].text) != 0;
        }
        for (int32_t k = 0; k < count; k++) patterns[k].choice->region.numbers[n].named = differ;
    }
    for (int32_t k = 0; k < count; k++) {
        bool memory;
        onnx_choice *choice = patterns[k].choice;
        onnx_region shared = choice->region;
        shared.inputs = arena_array(w->memory, TOSAJIT_MAX_TENSORS, sizeof(int32_t));
        const char *text = shared.inputs ? onnx_region_text(w, &shared, &memory) : NULL;
        if (!shared.inputs || !memory) return false;
        if (!text) continue; /* with too many operands it stays as it was */
        choice->region = shared;
        choice->text = text;
    }
    return true;
}

/* A kernel that serves many regions is compiled once. */
bool onnx_share(const onnx_writer *w, onnx_choices *all) {
    pattern *patterns = arena_array(w->memory, (size_t)all->count + 1, sizeof *patterns);
    if (!patterns) return false;
    for (int32_t k = 0; k < all->count; k++) {
        onnx_choice *choice = &all->list[k];
        patterns[k] = (pattern){onnx_region_pattern(w, &choice->region), choice};
        if (!patterns[k].text) return false;
    }
    qsort(patterns, (size_t)all->count, sizeof *patterns, by_text);
    for (int32_t k = 0, end; k < all->count; k = end) {
        for (end = k + 1; end < all->count && by_text(&patterns[k], &patterns[end]) == 0;) end++;
        if (end - k > 1 && !share(w, patterns + k, end - k)) return false;
    }
    return true;
}

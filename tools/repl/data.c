/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Operands from words: sizes, which get numbers of a kind; lists; files. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/words.h"
#include "runtime/system/system.h"
#include "tools/data/element.h"
#include "tools/repl/data.h"
#include "tools/repl/interrupt.h"
#include "jit/text/suggest.h"
#include "tosajit/inspect.h"

enum { BLOCK = 64 * 1024, TYPE_TEXT = 512, PATH = 4096 };

/* Elements of an array of given sizes. */
typedef enum fill { FILL_RANDOM, FILL_RAMP, FILL_ZEROS, FILL_ONES, FILLS } fill;
static const char *const fill_names[FILLS] = {"random", "ramp", "zeros", "ones"};

typedef struct type_text {
    char text[TYPE_TEXT];
} type_text;

static type_text print_type(const tosajit_tensor_type *type) {
    type_text t;
    tosajit_type_print(type, t.text, sizeof t.text);
    return t;
}

/* ---------------------------------------------------------------------------------------------
 * Elements */

/* SplitMix64 (Steele, Lea, Flood 2014): the same numbers on every machine. */
static uint64_t next_random(uint64_t *state) {
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* Real numbers from -2 to 2, whole ones from -100 to 100, or 0 to 200 of unsigned types. */
static void store_random(tosajit_type type, uint64_t bits, void *at) {
    if (element_is_float(type))
        element_store_float(type, (double)(bits >> 40) / (double)(1 << 22) - 2, at);
    else if (type == TOSAJIT_I1)
        element_store_integer(type, (int64_t)(bits >> 63), at);
    else
        element_store_integer(
            type, (int64_t)((bits >> 32) % 201) - (element_is_unsigned(type) ? 0 : 100), at);
}

bool repl_fill_random(npy_array *array, unsigned seed, bool repeated) {
    int64_t count = array_count(array), own = repeated && count > BLOCK ? BLOCK : count;
    size_t size = tosajit_type_size(array->element);
    char *data = array->data;
    uint64_t state = seed;
    for (int64_t k = 0; k < own; k++) {
        if (k % BLOCK == 0 && repl_interrupted()) return false;
        store_random(array->element, next_random(&state), data + (size_t)k * size);
    }
    for (int64_t k = own; k < count; k += own) {
        if (repl_interrupted()) return false;
        memcpy(data + (size_t)k * size, data, (size_t)(count - k < own ? count - k : own) * size);
    }
    return true;
}

/* 0, 1, 2 ... as far as the type counts without gaps, and then again. */
static int64_t ramp_period(tosajit_type type) {
    static const int64_t periods[TOSAJIT_TYPE_COUNT] = {
        [TOSAJIT_I1] = 2,
        [TOSAJIT_I8] = 128,
        [TOSAJIT_I16] = 1 << 15,
        [TOSAJIT_F16] = 1 << 11,
        [TOSAJIT_BF16] = 1 << 8,
        [TOSAJIT_F32] = 1 << 24,
        [TOSAJIT_F8E4M3FN] = 1 << 4,
        [TOSAJIT_F8E5M2] = 1 << 3,
        [TOSAJIT_U8] = 1 << 8,
        [TOSAJIT_U16] = 1 << 16,
    };
    return periods[type] ? periods[type] : INT64_C(1) << 31;
}

static bool fill_plain(npy_array *array, fill kind) {
    int64_t count = array_count(array), period = ramp_period(array->element);
    size_t size = tosajit_type_size(array->element);
    for (int64_t k = 0; k < count; k++) {
        if (k % BLOCK == 0 && repl_interrupted()) return false;
        int64_t value = kind == FILL_RAMP ? k % period : kind == FILL_ONES;
        char *at = (char *)array->data + (size_t)k * size;
        if (element_is_float(array->element))
            element_store_float(array->element, (double)value, at);
        else
            element_store_integer(array->element, value, at);
    }
    return true;
}

/* ---------------------------------------------------------------------------------------------
 * Arrays */

bool repl_has_memory(repl *r, double bytes) {
    double all = (double)system_memory_bytes();
    if (bytes >= 1e9 && bytes < 0.8 * all) {
        fflush(stdout);
        fprintf(stderr, "this takes %.3g GB of memory%s\n", bytes / 1e9,
                r->terminal ? "; Ctrl-C ends it" : "");
    }
    if (all <= 0 || bytes < 0.8 * all) return true;
    return repl_fail(r, (text_span){0, 0},
                     "this takes %.3g GB of memory, and the machine has %.3g GB", bytes / 1e9,
                     all / 1e9);
}

static double bytes_of(tosajit_type element, int32_t rank, const int64_t *dims) {
    double bytes = (double)tosajit_type_size(element);
    for (int32_t d = 0; d < rank; d++) bytes *= (double)dims[d];
    return bytes;
}

static bool make_array(repl *r, text_span where, tosajit_type element, int32_t rank,
                       const int64_t *dims, npy_array *array) {
    if (!repl_has_memory(r, bytes_of(element, rank, dims))) return false;
    return array_make(element, rank, dims, array) || repl_fail(r, where, "out of memory");
}

typedef struct operand {
    repl *r;
    size_t index;
    text_span word;
    tosajit_tensor_type type;
    bool repeated;
    npy_array *array;
} operand;

/* The sizes against the type; the library would find it, too, but not which word it was. */
static bool check_shape(const operand *o, int32_t rank, const int64_t *dims) {
    char type[TYPE_TEXT];
    tosajit_type_print(&o->type, type, sizeof type);
    if (rank != o->type.rank)
        return repl_fail(o->r, o->word, "operand %zu is %s: %d dimension%s expected, found %d",
                         o->index, type, (int)o->type.rank, plural(o->type.rank), (int)rank);
    for (int32_t d = 0; d < rank; d++)
        if (o->type.dims[d] != TOSAJIT_DYNAMIC && o->type.dims[d] != dims[d])
            return repl_fail(o->r, o->word,
                             "operand %zu dimension %d: %" PRId64 " given, %" PRId64
                             " expected (%s)",
                             o->index, (int)d, dims[d], o->type.dims[d], type);
    return true;
}

static bool fill_operand(const operand *o, fill kind, int32_t rank, const int64_t *dims) {
    if (!check_shape(o, rank, dims) ||
        !make_array(o->r, o->word, o->type.element, rank, dims, o->array))
        return false;
    bool done = kind == FILL_RANDOM
                    ? repl_fill_random(o->array, (unsigned)o->index + 1, o->repeated)
                    : fill_plain(o->array, kind);
    return done || repl_fail(o->r, (text_span){0, 0}, "interrupted");
}

static bool list_operand(const operand *o) {
    text_line line;
    text_error error;
    if (!text_parse_list(o->r->text + o->word.at, o->word.length, &line, &error)) {
        error.where.at += o->word.at;
        return repl_fail(o->r, error.where, "%s", error.text);
    }
    const text_list *list = &line.lists[0];
    size_t size = tosajit_type_size(o->type.element);
    bool fine = check_shape(o, list->rank, list->dims) &&
                make_array(o->r, o->word, o->type.element, list->rank, list->dims, o->array);
    for (size_t k = 0; fine && k < list->count; k++)
        fine = text_store(o->type.element, &line.numbers[list->first + k], false,
                          (char *)o->array->data + k * size, &error) ||
               repl_fail(o->r, o->word, "operand %zu: %s", o->index, error.text);
    text_line_release(&line);
    return fine;
}

static bool file_operand(const operand *o) {
    char path[PATH];
    npy_error error;
    if (!repl_copy_word(o->r, o->word, path, sizeof path)) return false;
    size_t length = strlen(path);
    bool is_path = strchr(path, '/') || (length > 4 && strcmp(path + length - 4, ".npy") == 0);
    suggestion s = {.word = path, .length = length};
    for (int k = 0; k < FILLS; k++) suggest(&s, fill_names[k]);
    if (!is_path && s.name)
        return repl_fail(o->r, o->word, "%s is no operand; did you mean %s?", path, s.name);
    if (!is_path)
        return repl_fail(o->r, o->word,
                         "operand %zu is %s: sizes like 5x3, a list like [1,2], or a .npy file "
                         "expected, found %s",
                         o->index, print_type(&o->type).text, path);
    if (!npy_read(path, o->type.element, o->array, &error))
        return repl_fail(o->r, o->word, "operand %zu: %s", o->index, error.text);
    return check_shape(o, o->array->rank, o->array->dims);
}

static bool has_static_shape(const tosajit_tensor_type *type) {
    for (int32_t d = 0; d < type->rank; d++)
        if (type->dims[d] == TOSAJIT_DYNAMIC) return false;
    return true;
}

static bool word_operand(const operand *o, fill kind) {
    const char *word = o->r->text + o->word.at;
    int32_t rank;
    int64_t dims[TOSAJIT_MAX_RANK];
    if (o->word.length == 1 && *word == '_') {
        if (has_static_shape(&o->type)) return fill_operand(o, kind, o->type.rank, o->type.dims);
        return repl_fail(o->r, o->word, "operand %zu is %s: _ stands for a type without ?",
                         o->index, print_type(&o->type).text);
    }
    bool number = o->word.length > 0 && memchr("0123456789.-", *word, 12) != NULL;
    if ((number && o->type.rank == 0) || (o->word.length > 0 && *word == '['))
        return list_operand(o);
    if (text_parse_sizes(word, o->word.length, false, &rank, dims))
        return fill_operand(o, kind, rank, dims);
    return file_operand(o);
}

/* True if a word is the name of a fill. */
static bool find_fill(const repl *r, text_span word, fill *kind) {
    for (int k = 0; k < FILLS; k++)
        if (strlen(fill_names[k]) == word.length &&
            memcmp(r->text + word.at, fill_names[k], word.length) == 0) {
            *kind = (fill)k;
            return true;
        }
    return false;
}

static bool missing_operand(const operand *o, fill kind) {
    if (has_static_shape(&o->type)) return fill_operand(o, kind, o->type.rank, o->type.dims);
    return repl_fail(o->r, (text_span){0, 0},
                     "operand %zu is missing: %s; give sizes like 5x3, a list like [[1,2],[3,4]], "
                     "or a .npy file",
                     o->index, print_type(&o->type).text);
}

bool repl_operands(repl *r, const text_span *words, size_t word_count, bool repeated,
                   npy_array *operands) {
    size_t count = tosajit_kernel_operand_count(r->current.kernel), at = 0;
    fill kind = FILL_RANDOM;
    memset(operands, 0, count * sizeof *operands);
    for (size_t k = 0; k < count; k++) {
        operand o = {r,        k,
                     {0, 0},   tosajit_kernel_operand_type(r->current.kernel, k),
                     repeated, &operands[k]};
        while (at < word_count && find_fill(r, words[at], &kind)) at++;
        if (at < word_count) o.word = words[at++];
        if (!(o.word.at ? word_operand(&o, kind) : missing_operand(&o, kind))) return false;
    }
    if (at == word_count) return true;
    return repl_fail(r, words[at], "the kernel has %zu operand%s, this is one more", count,
                     plural(count));
}

bool repl_results(repl *r, const npy_array *operands, npy_array *results) {
    tosajit_tensor views[TOSAJIT_MAX_TENSORS];
    const tosajit_kernel *kernel = r->current.kernel;
    size_t count = tosajit_kernel_operand_count(kernel),
           result_count = tosajit_kernel_result_count(kernel);
    memset(results, 0, result_count * sizeof *results);
    for (size_t k = 0; k < count; k++) views[k] = array_view(&operands[k]);
    for (size_t k = 0; k < result_count; k++) {
        int32_t rank;
        int64_t dims[TOSAJIT_MAX_RANK];
        if (tosajit_kernel_result_dims(kernel, views, count, k, &rank, dims) != TOSAJIT_OK)
            return repl_fail(r, (text_span){0, 0}, "%s", tosajit_last_error());
        if (!make_array(r, (text_span){0, 0}, tosajit_kernel_result_type(kernel, k).element, rank,
                        dims, &results[k]))
            return false;
    }
    return true;
}

void repl_release_arrays(npy_array *arrays, size_t count) {
    for (size_t k = 0; k < count; k++) npy_release(&arrays[k]);
}

/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Fuzzer of kernel images. The input is an image; its length, its checksum and the fingerprint of
 * its plan are put right first, as an attacker would, or nothing behind them would ever be read.
 * Checked: what is loaded can be asked, saved again, run by the interpreter and released; what is
 * refused has a reason; code that is found lies inside of the image; nothing leaks. Code is never
 * run: an image's code is trusted as a shared library's would be. It needs no compiler, so it is
 * linked without one, and libFuzzer has few counters to look at after each input. */
#define _DEFAULT_SOURCE /* mmap */
#include <stdlib.h>
#include <string.h>

#include "runtime/base/features.h"
#include "runtime/image/image.h"
#include "tests/fuzz/bytes.h"
#include "tests/fuzz/check.h"
#include "tests/fuzz/forge.h"
#include "tests/fuzz/place.h"
#include "tosajit/image.h"

enum {
    LARGEST_RUN = 4096, /* bytes of all tensors */
    ANY_SIZE = 2,       /* of dimensions without a size */
    SELDOM = 8          /* one input in so many is used in more ways */
};

/* Tensors of a run. */

static bool is_small(const tosajit_tensor *tensor, size_t *bytes) {
    *bytes = tosajit_type_size(tensor->element);
    for (int32_t d = 0; d < tensor->rank; d++) {
        if (tensor->dims[d] > LARGEST_RUN) return false;
        *bytes *= (size_t)tensor->dims[d];
        if (*bytes > LARGEST_RUN) return false;
    }
    return true;
}

/* Memory of exactly their sizes, filled from the image. */
static bool give_memory(tosajit_tensor *tensors, size_t count, const uint8_t *image, size_t size) {
    bool fine = true;
    for (size_t k = 0, bytes, all = 0; fine && k < count; k++) {
        fine = is_small(&tensors[k], &bytes) && (all += bytes) <= LARGEST_RUN;
        if (!fine) break;
        tensors[k].data = malloc(bytes ? bytes : 1);
        REQUIRE(tensors[k].data);
        for (size_t at = 0; at < bytes; at++)
            ((uint8_t *)tensors[k].data)[at] = image[(k + at) % size];
    }
    return fine;
}

/* By the interpreter, which trusts nothing in an image. */
static void run(const tosajit_kernel *kernel, const uint8_t *image, size_t size) {
    static tosajit_tensor tensors[2 * TOSAJIT_MAX_TENSORS];
    static int64_t dims[2 * TOSAJIT_MAX_TENSORS][TOSAJIT_MAX_RANK];
    const size_t operands = tosajit_kernel_operand_count(kernel),
                 results = tosajit_kernel_result_count(kernel);
    for (size_t k = 0; k < operands; k++) {
        const tosajit_tensor_type type = tosajit_kernel_operand_type(kernel, k);
        for (int32_t d = 0; d < type.rank; d++)
            dims[k][d] = type.dims[d] == TOSAJIT_DYNAMIC ? ANY_SIZE : type.dims[d];
        tensors[k] = tosajit_dense(type.element, NULL, type.rank, dims[k]);
    }
    if (tosajit_kernel_results(kernel, tensors, operands, tensors + operands, results,
                               dims + operands))
        return;
    if (give_memory(tensors, operands + results, image, size)) {
        const tosajit_status status =
            tosajit_run_interpreted(kernel, tensors, operands, tensors + operands, results);
        REQUIRE(!status || strlen(tosajit_last_error()) >= 8);
    }
    for (size_t k = 0; k < operands + results; k++) free(tensors[k].data);
}

/* Loading. */

static void ask(const tosajit_kernel *kernel) {
    size_t needed = 0;
    REQUIRE(tosajit_kernel_operand_count(kernel) <= TOSAJIT_MAX_TENSORS &&
            tosajit_kernel_result_count(kernel) <= TOSAJIT_MAX_TENSORS);
    for (size_t k = 0; k < tosajit_kernel_operand_count(kernel); k++)
        tosajit_kernel_operand_type(kernel, k);
    const tosajit_status status = tosajit_kernel_save(kernel, NULL, 0, &needed);
    /* An image may say that its program is too large for code of its own; so does its image. */
    const bool says_all = tosajit_kernel_is_native(kernel) || kernel->too_large;
    REQUIRE(status == (says_all ? TOSAJIT_OK : TOSAJIT_NOT_EXECUTABLE));
}

/* Code for another kernel of the same program, as from a cache or for an expression. */
static void find_code(const tosajit_kernel *kernel, const uint8_t *image, size_t size) {
    image_build found;
    if (image_find_code(image, size, kernel, features_host(), &found)) return;
    const code_image *code = &found.code;
    if (code->entry_count == 0) return; /* it says that there can be none */
    REQUIRE(code->bytes >= image && code->size > 0 && code->size <= size &&
            (size_t)(code->bytes - image) <= size - code->size);
    REQUIRE(code->entry_count == (uint32_t)kernel->plan.part_count);
    for (uint32_t k = 0; k < code->entry_count; k++) REQUIRE(code->entries[k] < code->size);
    REQUIRE(code->alignment > 0 && (code->alignment & (code->alignment - 1)) == 0);
}

static tosajit_status load(const uint8_t *image, size_t size, tosajit_backend backend) {
    fuzz_account account = {0};
    const tosajit_allocator allocator = fuzz_allocator(&account);
    const tosajit_load_options options = {
        .size = sizeof options, .allocator = &allocator, .backend = backend};
    tosajit_kernel *kernel = NULL;
    const tosajit_status status = tosajit_kernel_load(image, size, &options, &kernel);
    REQUIRE(status ? !kernel && strlen(tosajit_last_error()) >= 8 : kernel != NULL);
    if (kernel) {
        ask(kernel);
        find_code(kernel, image, size);
        run(kernel, image, size);
    }
    tosajit_kernel_release(kernel);
    REQUIRE(account.live == 0);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    uint8_t *image = fuzz_place(data, size);
    if (!image) return 0;
    const bool forged = size >= FORGE_PROGRAM;
    const uint64_t number = forged ? forge_sign(image, size) : 0;
    if (number % SELDOM == 0) { /* as it came, too */
        if (size) memcpy(image, data, size);
        load(image, size, TOSAJIT_BACKEND_INTERPRET);
        if (!forged) return 0;
        forge_sign(image, size);
        load(image, size, TOSAJIT_BACKEND_INTERPRET);
    }
    if (load(image, size, TOSAJIT_BACKEND_AUTO) != TOSAJIT_BAD_IMAGE ||
        !strstr(tosajit_last_error(), "of another version"))
        return 0;
    forge_fingerprint(image, size);
    forge_sign(image, size);
    load(image, size, TOSAJIT_BACKEND_AUTO);
    load(image, size, TOSAJIT_BACKEND_INTERPRET);
    return 0;
}

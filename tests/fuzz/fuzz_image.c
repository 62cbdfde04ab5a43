/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Fuzzer of kernel images. The input is an image; its length and checksum are put right first, or
 * nothing behind them would ever be read. Checked: what is loaded can be asked, saved again and
 * released, what is refused has a reason, nothing leaks. Code is never run: an image's code is
 * trusted as a shared library's would be. */
#include <stdlib.h>
#include <string.h>

#include "runtime/base/bytes.h"
#include "tests/fuzz/bytes.h"
#include "tests/fuzz/check.h"

enum { SIZE_AT = 16, CHECKSUM_AT = 24, CHECKED_FROM = 32 };

static void load(const uint8_t *image, size_t size, tosajit_backend backend) {
    size_t needed = 0;
    fuzz_account account = {0};
    const tosajit_allocator allocator = fuzz_allocator(&account);
    const tosajit_load_options options = {
        .size = sizeof options, .allocator = &allocator, .backend = backend};
    tosajit_kernel *kernel = NULL;
    tosajit_status status = tosajit_kernel_load(image, size, &options, &kernel);
    REQUIRE(status ? !kernel && strlen(tosajit_last_error()) >= 8 : kernel != NULL);
    if (kernel) {
        REQUIRE(tosajit_kernel_operand_count(kernel) <= TOSAJIT_MAX_TENSORS &&
                tosajit_kernel_result_count(kernel) <= TOSAJIT_MAX_TENSORS);
        for (size_t k = 0; k < tosajit_kernel_operand_count(kernel); k++)
            tosajit_kernel_operand_type(kernel, k);
        status = tosajit_kernel_save(kernel, NULL, 0, &needed);
        REQUIRE(status == (tosajit_kernel_is_native(kernel) ? TOSAJIT_OK : TOSAJIT_NOT_EXECUTABLE));
    }
    tosajit_kernel_release(kernel);
    REQUIRE(account.live == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    /* Of exactly this size, so that reading beyond it is seen. */
    uint8_t *image = calloc(1, size ? size : 1);
    REQUIRE(image);
    if (size) memcpy(image, data, size);
    load(image, size, TOSAJIT_BACKEND_INTERPRET);
    if (size >= CHECKED_FROM) {
        uint64_t length = size, checksum = bytes_hash(image + CHECKED_FROM, size - CHECKED_FROM);
        memcpy(image + SIZE_AT, &length, sizeof length);
        memcpy(image + CHECKSUM_AT, &checksum, sizeof checksum);
        load(image, size, TOSAJIT_BACKEND_INTERPRET);
        load(image, size, TOSAJIT_BACKEND_AUTO);
    }
    free(image);
    return 0;
}

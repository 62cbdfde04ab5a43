/* Fuzzer of kernel images. The input is an image; its length and checksum are put right first, or nothing behind them would ever be read.
 * Checked: what is loaded can be asked, saved again and released, what is refused has a reason, nothing leaks. Code is never run: an
 * image's code is trusted as a shared library's would be. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/bytes.h"
#include "tests/fuzz/bytes.h"
#include "tosajit/tosajit.h"

enum { SIZE_AT = 16, CHECKSUM_AT = 24, CHECKED_FROM = 32 };

static void *count_allocate(void *context, size_t size) {
    void *memory = malloc(size);
    if (memory) *(size_t *)context += size;
    return memory;
}

static void count_release(void *context, void *memory, size_t size) {
    *(size_t *)context -= size;
    free(memory);
}

static void load(const uint8_t *image, size_t size, tosajit_backend backend) {
    size_t live = 0, needed = 0;
    const tosajit_allocator allocator = {count_allocate, count_release, &live};
    const tosajit_load_options options = {.size = sizeof options, .allocator = &allocator, .backend = backend};
    tosajit_kernel *kernel = NULL;
    tosajit_status status = tosajit_kernel_load(image, size, &options, &kernel);
    if (status ? kernel || strlen(tosajit_last_error()) < 8 : !kernel) abort();
    if (kernel) {
        if (tosajit_kernel_operand_count(kernel) > TOSAJIT_MAX_TENSORS || tosajit_kernel_result_count(kernel) > TOSAJIT_MAX_TENSORS)
            abort();
        for (size_t k = 0; k < tosajit_kernel_operand_count(kernel); k++) tosajit_kernel_operand_type(kernel, k);
        status = tosajit_kernel_save(kernel, NULL, 0, &needed);
        if (status != (tosajit_kernel_is_native(kernel) ? TOSAJIT_OK : TOSAJIT_NOT_EXECUTABLE)) abort();
    }
    tosajit_kernel_release(kernel);
    if (live) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    uint8_t *image = calloc(1, size ? size : 1); /* of exactly this size, so that reading beyond it is seen */
    if (!image) abort();
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

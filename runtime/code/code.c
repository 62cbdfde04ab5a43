/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Code: executable memory. */
#include "runtime/code/code.h"

#include <string.h>

#include "runtime/base/diag.h"
#include "runtime/base/memory.h"
#include "runtime/system/system.h"

void code_parts(const code_image *image, code_part *parts) {
    for (uint32_t k = 0; k < image->entry_count; k++) {
        const unsigned char *address = image->bytes + image->entries[k];
        parts[k] = (code_part){.masked = image->masked >> k & 1};
        /* C has no cast from data to a function. */
        memcpy(&parts[k].entry, &address, sizeof address);
    }
}

uint64_t code_entry_size(const code_image *image, uint32_t k) {
    uint64_t end = image->size;
    for (uint32_t other = 0; other < image->entry_count; other++)
        if (image->entries[other] > image->entries[k] && image->entries[other] < end)
            end = image->entries[other];
    return end - image->entries[k];
}

void code_release(code_image *image, const tosajit_allocator *allocator) {
    memory_free(allocator, (void *)(uintptr_t)image->bytes, image->size, 1);
    *image = (code_image){0};
}

static tosajit_status refused(void) {
    return diag_error(TOSAJIT_NOT_EXECUTABLE,
                      "this system refuses executable memory to the process");
}

tosajit_status code_map(const code_image *image, code_image *mapped) {
    void *memory = system_pages_take(image->size);
    if (!memory)
        return diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for %zu bytes of code",
                          image->size);
    memcpy(memory, image->bytes, image->size);
    *mapped = *image;
    mapped->bytes = memory;
    if (system_pages_seal(memory, image->size)) return TOSAJIT_OK;
    system_pages_give(memory, image->size);
    return refused();
}

void code_unmap(const code_image *mapped) {
    system_pages_give((void *)(uintptr_t)mapped->bytes, mapped->size);
}

tosajit_status code_probe(void) { return system_pages_may_be_code() ? TOSAJIT_OK : refused(); }

/* Code: executable memory. */
#define _DEFAULT_SOURCE
#include "runtime/code.h"

#include <string.h>
#include <sys/mman.h>

#include "runtime/diag.h"
#include "runtime/memory.h"

tosajit_entry code_entry(const code_image *image, uint32_t k) {
    const unsigned char *address = image->bytes + image->entries[k];
    tosajit_entry entry;
    memcpy(&entry, &address, sizeof entry); /* C has no cast from data to a function */
    return entry;
}

uint64_t code_entry_size(const code_image *image, uint32_t k) {
    uint64_t end = image->size;
    for (uint32_t other = 0; other < image->entry_count; other++)
        if (image->entries[other] > image->entries[k] && image->entries[other] < end) end = image->entries[other];
    return end - image->entries[k];
}

void code_release(code_image *image, const tosajit_allocator *allocator) {
    memory_free(allocator, (void *)(uintptr_t)image->bytes, image->size, 1);
    *image = (code_image){0};
}

/* Make written memory executable. */
static tosajit_status seal(unsigned char *memory, size_t size) {
#if defined(__GNUC__)
    __builtin___clear_cache((char *)memory, (char *)memory + size); /* AArch64: instructions are fetched past the data cache */
#endif
    if (mprotect(memory, size, PROT_READ | PROT_EXEC) == 0) return TOSAJIT_OK;
    return diag_error(TOSAJIT_NOT_EXECUTABLE, "this system refuses executable memory to the process");
}

tosajit_status code_map(const code_image *image, code_image *mapped) {
    void *memory = mmap(NULL, image->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for %zu bytes of code", image->size);
    memcpy(memory, image->bytes, image->size);
    tosajit_status status = seal(memory, image->size);
    *mapped = *image;
    mapped->bytes = memory;
    if (status) munmap(memory, image->size);
    return status;
}

void code_unmap(const code_image *mapped) { munmap((void *)(uintptr_t)mapped->bytes, mapped->size); }

tosajit_status code_probe(void) {
    static const unsigned char nothing[1];
    const code_image image = {.bytes = nothing, .size = sizeof nothing};
    code_image mapped = {0};
    tosajit_status status = code_map(&image, &mapped);
    if (!status) code_unmap(&mapped);
    return status;
}

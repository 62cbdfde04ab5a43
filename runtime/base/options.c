/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Option structs: reading and filling those of callers that were compiled with another version of
 * the header. */
#include "runtime/base/options.h"

#include <string.h>

#include "runtime/base/diag.h"

static tosajit_status get_size(const void *given, const char *what, size_t *size) {
    memcpy(size, given, sizeof *size); /* size is the first member of all of them */
    /* All members before the end are whole: no version has a struct that ends inside a pointer. */
    if (*size >= sizeof *size && *size % sizeof(void *) == 0) return TOSAJIT_OK;
    return diag_error(TOSAJIT_INVALID_ARGUMENT, "%s: size is %zu; set it to sizeof(%s)", what,
                      *size, what);
}

tosajit_status options_take(void *known, size_t known_size, const void *given, const char *what) {
    memset(known, 0, known_size);
    if (!given) return TOSAJIT_OK;
    size_t size;
    tosajit_status status = get_size(given, what, &size);
    if (!status) memcpy(known, given, size < known_size ? size : known_size);
    return status;
}

tosajit_status options_give(void *given, const void *known, size_t known_size, const char *what) {
    size_t size;
    tosajit_status status = get_size(given, what, &size);
    if (status) return status;
    size_t common = size < known_size ? size : known_size;
    memcpy((char *)given + sizeof size, (const char *)known + sizeof size, common - sizeof size);
    return TOSAJIT_OK;
}

tosajit_status options_check_allocator(const tosajit_allocator *hooks) {
    if (!hooks || (hooks->allocate && hooks->release)) return TOSAJIT_OK;
    return diag_error(TOSAJIT_INVALID_ARGUMENT,
                      "the allocator lacks its %s hook; set both, or pass no allocator",
                      hooks->allocate ? "release" : "allocate");
}

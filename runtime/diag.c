/* Diagnostics: one fixed buffer per thread, so that reporting an error can neither fail nor allocate. It is exported and may be another
 * library's: a process that has libtosajit and libtosajit-runtime has one last error per thread, whichever of them is called. */
#include "runtime/diag.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MESSAGE_CAPACITY = DIAG_CAPACITY };
_Thread_local char tosajit_private_message[MESSAGE_CAPACITY];
#define message tosajit_private_message

tosajit_status diag_error(tosajit_status status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return status;
}

tosajit_status diag_prefix(tosajit_status status, const char *format, ...) {
    char tail[MESSAGE_CAPACITY];
    memcpy(tail, message, sizeof tail);
    va_list arguments;
    va_start(arguments, format);
    int used = vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (used < 0) used = 0;
    if ((size_t)used < sizeof message) snprintf(message + used, sizeof message - (size_t)used, "%s", tail);
    return status;
}

const char *tosajit_last_error(void) { return message; }

const char *tosajit_status_name(tosajit_status status) {
    static const char *const names[] = {
        "TOSAJIT_OK",
        "TOSAJIT_INVALID_ARGUMENT",
        "TOSAJIT_TYPE_MISMATCH",
        "TOSAJIT_SHAPE_MISMATCH",
        "TOSAJIT_UNRANKED_SHAPE",
        "TOSAJIT_BAD_ATTRIBUTE",
        "TOSAJIT_OVERLAP",
        "TOSAJIT_OVERFLOW",
        "TOSAJIT_LIMIT_EXCEEDED",
        "TOSAJIT_OUT_OF_MEMORY",
        "TOSAJIT_NOT_EXECUTABLE",
        "TOSAJIT_CODEGEN_FAILED",
        "TOSAJIT_BAD_IMAGE",
        "TOSAJIT_BAD_MODULE",
    };
    size_t index = (size_t)status;
    return index < sizeof names / sizeof *names ? names[index] : "unknown status";
}

#define STRING_(x) #x
#define STRING(x) STRING_(x)
const char *tosajit_version(void) {
    return STRING(TOSAJIT_VERSION_MAJOR) "." STRING(TOSAJIT_VERSION_MINOR) "." STRING(TOSAJIT_VERSION_PATCH);
}

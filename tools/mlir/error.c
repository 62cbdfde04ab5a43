/* diag_error of a library beside libtosajit: the thread's last error is libtosajit's, and tosajit_last_error() gives what is written here.
 */
#include <stdarg.h>
#include <stdio.h>

#include "runtime/diag.h"

tosajit_status diag_error(tosajit_status status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(tosajit_private_message, sizeof tosajit_private_message, format, arguments);
    va_end(arguments);
    return status;
}

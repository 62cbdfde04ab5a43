/* What a function that was read owns. */
#include "tools/mlir/function.h"

#include <stdlib.h>
#include <string.h>

void mlir_function_release(mlir_function *function) {
    tosajit_expr_destroy(function->expr);
    for (size_t k = 0; k < function->step_count; k++) free(function->steps[k].data);
    free(function->steps);
    memset(function, 0, sizeof *function);
}

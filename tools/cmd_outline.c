/* tosajit outline: a module in which every region of elementwise operations is a function of its own, called from where it was. */
#include <stdio.h>

#include "tools/commands.h"

/* Functions that this adds stand behind the one they come from, so the indices before it stay. */
static int outline_all(const options *o, mlir_file *file) {
    size_t first = 0, end = mlir_file_count(file);
    if (o->entry) {
        if (!mlir_file_find(file, o->entry, &first)) return EXIT_USAGE;
        end = first + 1;
    }
    for (size_t k = end; k-- > first;) {
        mlir_file_outlined outlined;
        char name[256];
        snprintf(name, sizeof name, "%s", mlir_file_name(file, k));
        if (!mlir_file_outline(file, k, &outlined)) return EXIT_REFUSED;
        printf("// @%s: %d operation%s in %d region%s for tosajit, %d left\n", name, outlined.inside, outlined.inside == 1 ? "" : "s",
               outlined.regions, outlined.regions == 1 ? "" : "s", outlined.outside);
    }
    mlir_file_print(file, stdout);
    return EXIT_FINE;
}

int cmd_outline(const options *o) {
    mlir_file *file = open_file(o);
    if (!file) return EXIT_REFUSED;
    int code = outline_all(o, file);
    mlir_file_close(file);
    return code;
}

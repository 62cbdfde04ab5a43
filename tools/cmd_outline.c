/* tosajit outline: a module in which every region of elementwise operations is a function of its own, called from where it was. */
#include <stdio.h>

#include "tools/commands.h"

/* Functions that this adds stand behind the one they come from, so the indices before it stay. */
static int outline_all(const options *o, tosajit_mlir *file) {
    size_t first = 0, end = tosajit_mlir_count(file);
    if (o->entry) {
        if (!find_function(o, file, &first)) return EXIT_USAGE;
        end = first + 1;
    }
    for (size_t k = end; k-- > first;) {
        tosajit_mlir_outlined outlined = {.size = sizeof outlined};
        char name[256];
        snprintf(name, sizeof name, "%s", tosajit_mlir_name(file, k));
        if (tosajit_mlir_outline(file, k, &outlined)) return EXIT_REFUSED;
        printf("// @%s: %zu operation%s in %zu region%s for tosajit, %zu left\n", name, outlined.inside, outlined.inside == 1 ? "" : "s",
               outlined.regions, outlined.regions == 1 ? "" : "s", outlined.outside);
    }
    char *text;
    if (tosajit_mlir_print(file, &text)) return refuse("%s", tosajit_last_error());
    fputs(text, stdout);
    tosajit_text_release(text);
    return EXIT_FINE;
}

int cmd_outline(const options *o) {
    tosajit_mlir *file = open_file(o);
    if (!file) return EXIT_REFUSED;
    int code = outline_all(o, file);
    tosajit_mlir_close(file);
    return code;
}

/* tosajit ops: the op table as a person reads it. Types come from asking the library, so that they are what it accepts. */
#include <stdio.h>
#include <string.h>

#include "tools/commands.h"

enum { TYPES_CAPACITY = 256 };

/* Whether op takes `element` for its data: the operands behind a select's condition, and any legal result. */
static bool takes(tosajit_op op, tosajit_type element) {
    tosajit_type operands[TOSAJIT_MAX_ARITY];
    int arity = tosajit_op_arity(op);
    for (int k = 0; k < arity; k++) operands[k] = k == 0 && arity == TOSAJIT_MAX_ARITY ? TOSAJIT_I1 : element;
    for (int result = 0; result < TOSAJIT_TYPE_COUNT; result++)
        if (tosajit_op_accepts(op, operands, (tosajit_type)result)) return true;
    return false;
}

/* "i8 i16 i32" */
static void list_types(tosajit_op op, char text[TYPES_CAPACITY]) {
    size_t used = 0;
    text[0] = '\0';
    for (int type = 0; type < TOSAJIT_TYPE_COUNT; type++)
        if (takes(op, (tosajit_type)type))
            used += (size_t)snprintf(text + used, TYPES_CAPACITY - used, "%s%s", used ? " " : "", tosajit_type_name((tosajit_type)type));
}

static int widest(void) {
    size_t most = 0;
    for (int op = 0; op < TOSAJIT_OP_COUNT; op++) {
        char types[TYPES_CAPACITY];
        list_types((tosajit_op)op, types);
        if (strlen(types) > most) most = strlen(types);
    }
    return (int)most;
}

int cmd_ops(const options *o) {
    (void)o;
    int width = widest();
    printf("%-23s %-6s %-*s %s\n", "op", "arity", width, "types", "result r of operands a, b, c");
    for (int op = 0; op < TOSAJIT_OP_COUNT; op++) {
        char types[TYPES_CAPACITY];
        list_types((tosajit_op)op, types);
        printf("%-23s %-6d %-*s %s\n", tosajit_op_name((tosajit_op)op), tosajit_op_arity((tosajit_op)op), width, types,
               tosajit_op_formula((tosajit_op)op));
    }
    return EXIT_FINE;
}

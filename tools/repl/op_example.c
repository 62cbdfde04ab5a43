/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Parts of an example beside operands of one type follow from two columns of ops.def. A word that
 * is new in a column must be named here, or nothing compiles. */
#include "tools/repl/op_example.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "tosajit/inspect.h"

/* The attributes column: what cannot be left out. */
#define NEEDS_NONE ""
#define NEEDS_LIMITS "min=0 max=6"
#define NEEDS_NAN_MODE ""
#define NEEDS_SHIFT ""
#define NEEDS_ZERO_POINTS ""
#define NEEDS_ROUND ""
#define NEEDS_UNSIGNED ""
#define NEEDS_TABLE ""
#define NEEDS_EXTENSION ""
#define NEEDS_AXIS "axis=0"
#define NEEDS_AXIS_NAN NEEDS_AXIS
#define NEEDS_AXIS_EXTENSION NEEDS_AXIS
#define NEEDS_AXIS_NAN_EXTENSION NEEDS_AXIS
#define NEEDS_INDEX_MODE ""
#define NEEDS_INDEX_EXTENSION ""
#define NEEDS_INDEX_NAN ""
#define NEEDS_SCAN NEEDS_AXIS
#define NEEDS_SCAN_NAN NEEDS_AXIS
#define NEEDS_SHAPE "shape=[-1]"
#define NEEDS_PERMS "perms=[0]"
#define NEEDS_RANGES "ranges=[0,1,1]"
#define NEEDS_MULTIPLES "multiples=[1]"
#define NEEDS_PADDING "padding=[1,1]"
#define NEEDS_SCALING "multiplier=1073741824 shift=31 scale32=true"

/* The signature column: what follows from how the element types relate. */
typedef struct signature_example {
    tosajit_type condition; /* of the first operand, where it has a type of its own */
    const char *alone;      /* behind the operands of an op alone */
    const char *operand;    /* one more operand of a call */
    const char *type;       /* the result's type within a call */
    const char *types;      /* of a call; null: all of one type */
} signature_example;

#define LIKE_SAME                                                                                  \
    { TOSAJIT_TYPE_COUNT, "", "", "", NULL }
#define LIKE_COMPARE LIKE_SAME
#define LIKE_WIDEN LIKE_SAME
#define LIKE_SELECT                                                                                \
    { TOSAJIT_I1, "", "", "", "i1[?], f32[?], f32[?]" }
#define LIKE_CONVERT                                                                               \
    { TOSAJIT_TYPE_COUNT, " -> i8", "", ", to=i8", NULL }
#define LIKE_LOOKUP                                                                                \
    { TOSAJIT_TYPE_COUNT, " [256]", ", b", "", "i8[?], i8[256]" }
#define LIKE_SCALE LIKE_CONVERT
#define LIKE_REDUCE LIKE_SAME
#define LIKE_VIEW LIKE_SAME
#define LIKE_POSITION LIKE_SAME
#define LIKE_INDEX LIKE_SAME
#define LIKE_SCAN LIKE_SAME
#define LIKE_GATHER                                                                                \
    { TOSAJIT_TYPE_COUNT, "", "", "", "f32[?], i32[?]" }
#define LIKE_SCATTER                                                                               \
    { TOSAJIT_TYPE_COUNT, "", "", "", "f32[?], i32[?], f32[?]" }

typedef struct op_example {
    signature_example like;
    const char *needs;
} op_example;

static const op_example examples[TOSAJIT_OP_COUNT] = {
#define TOSAJIT_OP(name, arity, signature, elements, attributes, ...)                              \
    {LIKE_##signature, NEEDS_##attributes},
#define TOSAJIT_VIEW_OP TOSAJIT_OP
#include "tosajit/ops.def"
#undef TOSAJIT_OP
};

/* The first type that the op takes. */
static const char *example_type(tosajit_op op) {
    static const tosajit_type preferred[] = {TOSAJIT_F32, TOSAJIT_I32, TOSAJIT_I8, TOSAJIT_I1};
    const tosajit_type condition = examples[op].like.condition;
    const int arity = tosajit_op_arity(op);
    tosajit_type operands[TOSAJIT_MAX_ARITY];
    size_t k = 0;
    for (; k + 1 < sizeof preferred / sizeof *preferred; k++) {
        for (int o = 0; o < arity; o++) operands[o] = preferred[k];
        if (condition != TOSAJIT_TYPE_COUNT) operands[0] = condition;
        bool taken = false;
        for (int result = 0; result < TOSAJIT_TYPE_COUNT; result++)
            taken = taken || tosajit_op_accepts(op, operands, (tosajit_type)result);
        if (taken) break;
    }
    return tosajit_type_name(preferred[k]);
}

/* An operand with something around it has one element. */
static const char *sizes_of(tosajit_op op, int operand) {
    return op == TOSAJIT_OP_pad && operand == 1 ? "[1]" : "[?]";
}

static void print_alone(tosajit_op op, const op_example *e) {
    printf("  %s %s", tosajit_op_name(op), example_type(op));
    for (int o = 0; o < tosajit_op_arity(op); o++) printf(" %s", sizes_of(op, o));
    printf("%s%s%s\n", *e->needs ? " " : "", e->needs, e->like.alone);
}

static void print_call(tosajit_op op, const op_example *e) {
    printf("  %s(", tosajit_op_name(op));
    for (int o = 0; o < tosajit_op_arity(op); o++) printf("%s%c", o ? ", " : "", 'a' + o);
    fputs(e->like.operand, stdout);
    if (*e->needs) fputs(", ", stdout);
    for (const char *at = e->needs; *at; at++)
        fputs(*at == ' ' ? ", " : (char[]){*at, '\0'}, stdout);
    printf("%s) : ", e->like.type);
    if (e->like.types) fputs(e->like.types, stdout);
    for (int o = 0; !e->like.types && o < tosajit_op_arity(op); o++)
        if (o == 0 || strcmp(sizes_of(op, o), sizes_of(op, 0)) != 0)
            printf("%s%s%s", o ? ", " : "", example_type(op), sizes_of(op, o));
    putchar('\n');
}

void op_example_print(tosajit_op op) {
    print_alone(op, &examples[op]);
    print_call(op, &examples[op]);
}

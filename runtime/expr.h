/* Expressions: the DAG of inputs, constants and ops that a kernel computes. A node's operands come before it. A kernel keeps a
 * compacted copy of the expression it was made from: its program. */
#ifndef TOSAJIT_RUNTIME_EXPR_H
#define TOSAJIT_RUNTIME_EXPR_H

#include <stdbool.h>

#include "tosajit/tosajit.h"

typedef enum node_kind { NODE_INPUT, NODE_CONSTANT, NODE_OP } node_kind;

typedef struct expr_node {
    node_kind kind;
    tosajit_op op;                               /* of a NODE_OP */
    tosajit_value operands[TOSAJIT_MAX_ARITY];
    tosajit_attributes attributes;
    tosajit_tensor_type type;                    /* as declared, or inferred where nothing was declared */
    int32_t tensor;                              /* inputs: position; non-splat constants: position behind all inputs; else -1 */
    bool splat;                                  /* of a NODE_CONSTANT: data is one element */
    void *data;                                  /* of a NODE_CONSTANT; owned */
    size_t data_size;
} expr_node;

struct tosajit_expr {
    tosajit_allocator allocator;
    bool strict;
    expr_node *nodes;
    size_t count, capacity;
    tosajit_value results[TOSAJIT_MAX_TENSORS];
    int32_t result_count, input_count, constant_count; /* constants that are tensors, i.e. not splat */
};

/* A copy with all inputs and, of the rest, only what the results need. */
tosajit_status expr_compact(const tosajit_expr *expr, const tosajit_allocator *allocator, tosajit_expr **program);

/* "%4 = tosa.add" or "%arg1": how messages and plans call a value. */
typedef struct value_name {
    char text[64];
} value_name;
value_name expr_value_name(const tosajit_expr *expr, tosajit_value value);

#endif

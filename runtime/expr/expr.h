/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Expressions: the DAG of inputs, constants and ops that a kernel computes. A node's operands come
 * before it. A kernel keeps a compacted copy of the expression it was made from: its program. */
#ifndef TOSAJIT_RUNTIME_EXPR_EXPR_H
#define TOSAJIT_RUNTIME_EXPR_EXPR_H

#include <stdbool.h>

#include "tosajit/graph.h"

typedef enum node_kind { NODE_INPUT, NODE_CONSTANT, NODE_OP } node_kind;

typedef struct expr_node {
    node_kind kind;
    tosajit_op op;     /* of a NODE_OP */
    int operand_count; /* of a NODE_OP, parameters included */
    tosajit_value operands[TOSAJIT_MAX_OPERANDS];
    tosajit_attributes attributes;
    tosajit_tensor_type type; /* as declared, or inferred where nothing was declared */
    tosajit_value number; /* of the value in the expression that somebody built: what texts call it,
                             whatever was left out since */
    int32_t tensor;       /* inputs: position; non-splat constants and indices: position behind all
                             inputs; else -1 */
    bool splat;           /* of a NODE_CONSTANT: data is one element */
    bool table;           /* some op looks it up */
    bool merged;          /* of a program: several values that were the same (common.c) */
    uint16_t rests;       /* dimensions of a slice that end with the piece beside it (pieces.h) */
    uint32_t name;        /* where it begins in the expression's names; 0: none */
    void *data;           /* of a NODE_CONSTANT; owned */
    size_t data_size;
} expr_node;

/* True if a node is an index: nobody computes it, and parts read it as a tensor that has a number
 * for each position along its axes (runtime/check/index.h). What it is the index of says its sizes.
 */
static inline bool node_is_index(const expr_node *node) {
    return node->kind == NODE_OP && node->op == TOSAJIT_OP_index;
}

/* True if a node gathers: elements of its first operand, at places that the second one says. */
static inline bool node_gathers(const expr_node *node) {
    return node->kind == NODE_OP && node->op == TOSAJIT_OP_gather;
}

/* True if a node scatters (runtime/expr/scatter.h). */
static inline bool node_scatters(const expr_node *node) {
    return node->kind == NODE_OP && node->op >= TOSAJIT_OP_scatter &&
           node->op <= TOSAJIT_OP_scatter_min;
}
/* True if its second operand says where elements of the first one are. */
static inline bool node_has_index(const expr_node *node) {
    return node_gathers(node) || node_scatters(node);
}

/* True if a node combines elements along an axis up to each one (runtime/expr/scan.h). */
static inline bool node_scans(const expr_node *node) {
    return node->kind == NODE_OP && node->op >= TOSAJIT_OP_cumsum &&
           node->op <= TOSAJIT_OP_logcumsumexp;
}

/* True if a node is computed of its operands. */
static inline bool node_is_computed(const expr_node *node) {
    return node->kind == NODE_OP && node->op != TOSAJIT_OP_index;
}

/* A promise about a dimension of an input. */
typedef struct expr_contract {
    tosajit_value input;
    int32_t dimension;
    tosajit_contract contract;
} expr_contract;

struct tosajit_expr {
    tosajit_allocator allocator;
    bool strict, fast;
    bool contraction; /* TOSAJIT_CONTRACTED: asked for, and not done yet; then it is fast, too */
    bool maps_bytes;  /* of kernels: a table may map bytes of any types, which TOSA has not */
    expr_node *nodes;
    size_t count, capacity;
    expr_contract *contracts;
    size_t contract_count, contract_capacity;
    char *names; /* terminated, one behind the other, behind an empty one; null: there is none */
    size_t names_size, names_capacity;
    tosajit_value results[TOSAJIT_MAX_TENSORS];
    int32_t result_count, input_count,
        constant_count;  /* constants that are tensors, i.e. not splat, and indices */
    int32_t table_count; /* tensors that are tables: a part may read them as data besides */
};

static inline tosajit_accuracy expr_accuracy(const tosajit_expr *expr) {
    return expr->contraction ? TOSAJIT_CONTRACTED
           : expr->fast      ? TOSAJIT_REPRODUCIBLE
                             : TOSAJIT_EXACT;
}

/* How a node uses an operand: what broadcasting does to it, and how code reads it. */
typedef enum operand_role {
    ROLE_DATA,      /* broadcast */
    ROLE_PARAMETER, /* one element for the whole tensor */
    ROLE_CHANNEL,   /* a parameter with one element per index of the last dimension; broadcast like
                       data */
    ROLE_TABLE,     /* looked up, at any index */
    ROLE_GATHERED,  /* indexed in its first dimension; the others are broadcast */
} operand_role;
operand_role expr_role(const expr_node *node, int operand);

/* The promise about a dimension of an input; null if there is none. */
const tosajit_contract *expr_contract_of(const tosajit_expr *expr, tosajit_value input,
                                         int32_t dimension);

/* A copy with all inputs and, of the rest, only what the results need: a program. */
tosajit_status expr_compact(const tosajit_expr *expr, const tosajit_allocator *allocator,
                            tosajit_expr **program);

/* A function that may change an op, node k of before, until it is appended to a program that has
 * its operands, or append others first. */
typedef tosajit_status expr_rewrite(void *context, tosajit_expr *program, expr_node *node,
                                    tosajit_value k, bool *changed);

/* The same of a program itself. Each op is shown to `rewrite`, unless that is null, which may leave
 * values that nobody needs any more. What has failed can only be destroyed. */
tosajit_status expr_sweep(tosajit_expr *program, expr_rewrite *rewrite, void *context,
                          bool *changed);

/* Make an expression at least of this accuracy's tier. */
void expr_widen(tosajit_expr *expr, tosajit_accuracy accuracy);

/* Append a node as it is; on success it owns node->data. */
tosajit_status expr_append(tosajit_expr *expr, const expr_node *node, tosajit_value *value);

/* tosajit_expr_constant for data as a program holds them: one element if splat, else all. BAD_IMAGE
 * if size is another. */
tosajit_status expr_constant_bytes(tosajit_expr *expr, const tosajit_tensor_type *type,
                                   const void *data, size_t size, bool splat, tosajit_value *value);

/* The name that somebody gave a value; null if nobody did. */
const char *expr_given_name(const tosajit_expr *expr, tosajit_value value);

enum { EXPR_NAME_LENGTH = 60 }; /* the most characters of a given name */
/* How messages and plans call a value: "%4 = tosa.add" or "%arg1", "%y = tosa.add" or "%x" where it
 * has a name. */
typedef struct value_name {
    char text[EXPR_NAME_LENGTH + 36];
} value_name;
value_name expr_value_name(const tosajit_expr *expr, tosajit_value value);
/* The same where the value's own line is elsewhere: the given name alone. */
value_name expr_value_mention(const tosajit_expr *expr, tosajit_value value);

#endif

/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The operations of a function or block, whichever format it has, and the values that they read and
 * give. In: a reader that lists them by number; out: a graph. Expressions are built from it, and it
 * is divided into regions. Attributes, types and constants stay where they are: the reader is asked
 * for them. */
#ifndef TOSAJIT_TOOLS_TOSA_GRAPH_H
#define TOSAJIT_TOOLS_TOSA_GRAPH_H

#include "tools/tosa/op.h"
#include "tools/tosa/report.h"

typedef struct tosa_graph tosa_graph;

enum {
    TOSA_WHY = 512,       /* bytes of a reason */
    TOSA_SHOWN = 200,     /* of a name in a message */
    TOSA_VALUE_NAME = 64, /* of a name in place of the library's */
    TOSA_BLOCK = -1,      /* in place of an operation: the function or block as a whole */
};

/* In place of an operation: an input. */
#define TOSA_AT_INPUT(index) (-2 - (int32_t)(index))

/* The role of an operation for the builder, by its name. */
typedef enum tosa_role {
    TOSA_COMPUTES, /* one of the library's, or none that it has: its description tells */
    TOSA_CONSTANT,
    TOSA_SHAPE,   /* a constant shape, which those that read it have as an attribute */
    TOSA_RETYPES, /* it changes what is known of a shape, and no element */
} tosa_role;

typedef enum tosa_value_kind {
    TOSA_TENSOR,
    TOSA_VARIABLE,      /* a tensor that outlives a run: operations read and write it in their
                           order, and none gives it */
    TOSA_VALUE_SHAPE,   /* a shape, which no operation of the library's takes as a tensor */
    TOSA_VALUE_UNKNOWN, /* of another type, which the reader refuses */
} tosa_value_kind;

/* A place in the lists of an operation, or of the block, or a value by its number. */
typedef enum tosa_slot { TOSA_OPERAND, TOSA_RESULT, TOSA_INPUT, TOSA_OUTPUT, TOSA_VALUE } tosa_slot;

typedef struct tosa_reader {
    const char *block, *input, *output; /* in messages: "func.func", "argument", "result" */
    /* Of a description the name, the counts, and whether it nests or is unknown. */
    void (*begin)(const tosa_graph *g, int32_t op, tosa_op *description);
    /* The attribute of found->name, of kind TOSA_OTHER if it is none that ops take; false: there is
     * none. The same of a value that is a shape and a constant; else it stays TOSA_OTHER. */
    bool (*attribute)(const tosa_graph *g, int32_t op, tosa_attribute *found);
    void (*shape)(const tosa_graph *g, int32_t value, tosa_attribute *found);
    tosajit_status (*type)(const tosa_graph *g, int32_t value, tosajit_tensor_type *type,
                           char why[TOSA_WHY]);
    /* The elements that an operation gives, row-major, as the library keeps them; to be freed. */
    tosajit_status (*constant)(const tosa_graph *g, int32_t op, tosajit_tensor_type *type,
                               void **elements, char why[TOSA_WHY]);
    /* As the file has it, fit to be shown; left as it is where there is none. May be null. */
    void (*name)(const tosa_graph *g, int32_t op, tosa_slot slot, size_t index,
                 char shown[TOSA_SHOWN]);
    /* Of an operation, of the block, or of an input. */
    void (*place)(const tosa_graph *g, int32_t op, tosa_place *place);
} tosa_reader;

/* Numbers, to which more can be added. */
typedef struct tosa_list {
    int32_t *at;
    size_t count, capacity;
    bool failed; /* out of memory: something is missing */
} tosa_list;

typedef struct tosa_numbers {
    const int32_t *at;
    size_t count;
} tosa_numbers;

struct tosa_graph {
    const tosa_reader *reader;
    const void *source; /* the reader's */
    int32_t op_count, value_count;
    tosa_list first_operand, operands; /* of operation k: those from first_operand.at[k] on. Its own
                                          come first, then what is read inside it. -1: a name that
                                          nothing in the block has */
    tosa_list first_result, results;   /* in the same way; last of all what is behind the end */
    tosa_list roles, effects; /* per operation; effects: it stays behind others of this kind */
    tosa_list kinds;          /* per value */
    tosa_list producers;      /* per value: the operation that gives it, or -1 */
    tosa_list inputs, outputs;
    int32_t end; /* the operation that names the outputs, behind all others, or TOSA_BLOCK */
    char problem[TOSA_WHY]; /* what is wrong with the end; "": nothing */
};

void tosa_list_add(tosa_list *list, int32_t number);

/* Readers add all values first. Then each operation, in an order in which it can run, with its
 * operands and results behind it; in the end they close the lists. */
void tosa_graph_value(tosa_graph *g, tosa_value_kind kind);
void tosa_graph_op(tosa_graph *g, tosa_role role, bool effects);
void tosa_graph_operand(tosa_graph *g, int32_t value);
/* given: the value comes from there. */
void tosa_graph_result(tosa_graph *g, int32_t value, bool given);
/* False if out of memory; in either case tosa_graph_release. */
bool tosa_graph_close(tosa_graph *g);
void tosa_graph_release(tosa_graph *g);

tosa_numbers tosa_graph_operands(const tosa_graph *g, int32_t op);
tosa_numbers tosa_graph_results(const tosa_graph *g, int32_t op);
/* True if there is such a value, and it is a tensor, a variable among others. */
bool tosa_graph_is_tensor(const tosa_graph *g, int32_t value);
/* True if an operation reads or writes a variable. */
bool tosa_graph_uses_variable(const tosa_graph *g, int32_t op);

/* Without the operands' values and the result's type. */
void tosa_graph_describe(const tosa_graph *g, int32_t op, tosa_op *description);
/* An error or a remark at an operation, or as tosa_reader.place has it. */
void tosa_graph_error(const tosa_graph *g, tosa_report *report, tosajit_status status, int32_t op,
                      const char *message);
void tosa_graph_remark(const tosa_graph *g, tosa_report *report, int32_t op, const char *message);

/* A text of the library about a function of the graph. It names values as the file names them. To
 * be freed; null if out of memory. */
char *tosa_graph_rename(const tosa_graph *g, const tosa_function *built, const char *text);

#endif

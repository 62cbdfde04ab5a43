/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Random expressions for the differential test: generating, printing, building through the public
 * interface, and the naive shape rules that the test believes in. In: random numbers. Out: a
 * program; it owns the data of its constants. */
#ifndef TOSAJIT_TESTS_SUPPORT_RANDOM_PROGRAM_H
#define TOSAJIT_TESTS_SUPPORT_RANDOM_PROGRAM_H

#include <stdio.h>

#include "tests/support/support.h"
#include "tosajit/graph.h"

enum {
    PROGRAM_MAX_NODES = 40,
    PROGRAM_MAX_INPUTS = 8,
    PROGRAM_MAX_RESULTS = 3,
    PROGRAM_MAX_ELEMENTS = 6000,     /* of an iteration space */
    PROGRAM_MOST_ELEMENTS = 1 << 17, /* of any tensor, also where sizes are wrong */
};

typedef enum program_kind { PROGRAM_INPUT, PROGRAM_CONSTANT, PROGRAM_OP } program_kind;

typedef struct program_node {
    program_kind kind;
    tosajit_tensor_type type;             /* of an op: inferred, or declared if `declared` */
    int64_t first_dims[TOSAJIT_MAX_RANK]; /* sizes that fit the whole program */
    tosajit_contract contracts[TOSAJIT_MAX_RANK]; /* of an input's dynamic sizes; all 0: none */
    unsigned char *data;                          /* of a constant, dense */
    tosajit_op op;
    int operands[TOSAJIT_MAX_OPERANDS], operand_count; /* parameters behind the data */
    tosajit_attributes attributes;
    bool declared;
    bool is_parameter; /* a leaf made for an op's parameter */
    test_parameter parameter;
    int channels_of; /* of a parameter with an element per channel: the value that has the channels
                      */
    bool is_index;   /* a leaf made for gather or scatter */
    int indexes;     /* of an index: the value whose first dimension it counts */
    bool once;       /* of an index: no two numbers along the first dimension are equal */
    bool apart;      /* the first dimension is none of the space's: it is indexed */
} program_node;

typedef struct program {
    int count, inputs[PROGRAM_MAX_INPUTS], input_count, results[PROGRAM_MAX_RESULTS], result_count;
    program_node nodes[PROGRAM_MAX_NODES];
    int32_t rank;                   /* the highest of a leaf */
    int64_t full[TOSAJIT_MAX_RANK]; /* sizes that leaves have, or 1 */
    bool strict;
} program;

typedef struct program_shape {
    int32_t rank;
    int64_t dims[TOSAJIT_MAX_RANK];
} program_shape;

/* A program of `ops` ops, or a few fewer. False if there is no memory. */
bool program_random(test_random *random, int ops, program *p);
void program_free(program *p);
void program_print(const program *p, FILE *file);

/* The program as an expression; fails the way the public functions fail. */
tosajit_status program_build(const program *p, tosajit_expr **expr);
/* The demands of the op on its operand o, a parameter. */
test_parameter program_parameter(const program *p, int node, int o);
/* True if an op that a result depends on looks up node k, or gathers from it. */
bool program_is_table(const program *p, int k);

/* A random element for input k, of which `index` says the first one of its numbers: of a parameter
 * or an index a legal one, or any. The sizes are those of all nodes in this call, or null for the
 * first ones. */
void program_fill(const program *p, int k, const program_shape *shapes, int64_t index,
                  test_random *random, bool legal, unsigned char *element);
/* How many first dimensions of operand o broadcast with nothing: those that an index counts. */
int32_t program_apart(const program_node *node, int o);
/* reached[k]: whether the node depends on node k, or is it. */
void program_reach(const program *p, int node, bool *reached);
/* The same of nodes whose numbers the node reads: an index needs its operand's sizes alone. */
void program_reach_numbers(const program *p, int node, bool *reached);
/* Random run-time sizes for the inputs; may be a mismatch. */
void program_random_dims(const program *p, test_random *random, program_shape *inputs);
/* True if these sizes are what the program promises of its inputs. */
bool program_keeps_contracts(const program *p, const program_shape *inputs);
/* Sizes of every node that a result depends on, from those of the inputs; false if they do not
 * broadcast, or a declared size or a contract is not met: then the sizes are what a call might
 * still be tried with. */
bool program_shapes(const program *p, const program_shape *inputs, program_shape *shapes);
/* How many updates scatter k has along its index in this call; -1 if its operands do not fit. */
int64_t program_updates(const program *p, int k, const program_shape *shapes);
/* True if the node only moves elements, so that even NaN keep their bits. */
bool program_moves(const program *p, int node);

#endif

/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reading what is typed into the REPL. In: bytes; out: what they ask for, or what is wrong and
 * where. Pure: nothing is printed, opened or remembered, and any bytes will do.
 *
 *     line       = [ command | one_op | statements ] [ comment ]
 *     comment    = "//" ... | "#" ...
 *     command    = ":" name { word }              a word may be "quoted"; brackets keep what is
 * inside together one_op     = op type { [","] type | shape } { key "=" value | "->" type }
 *     statements = statement { ";" statement } [ ":" annotation { "," annotation } ]
 *     statement  = [ name "=" ] expression
 *     annotation = [ name ] type
 *     type       = element [ shape ] | "tensor<" sizes "x" element ">"
 *     shape      = "[" [ size { "," size } ] "]" | "[*]"         size = number | "?"
 *     expression = operand { operator operand }   binding, loosest first: == != < <= > >=, |, ^, &,
 * << >> >>>, + -, * /, ** operand    = ( "-" | "~" | "!" ) operand | number | list | name | "("
 * expression ")" | op "(" expression { "," expression } { "," key "=" value } ")" | element "("
 * expression ")" list       = "[" number { "," number } "]" | "[" list { "," list } "]" */
#ifndef TOSAJIT_TOOLS_REPL_PARSE_H
#define TOSAJIT_TOOLS_REPL_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/base/op_keys.h"
#include "tosajit/tosajit.h"

enum { REPL_MAX_DEPTH = 200, REPL_MAX_STATEMENTS = 1000, REPL_MESSAGE_CAPACITY = 1024 };

/* Bytes of the text. */
typedef struct repl_span {
    size_t at, length;
} repl_span;

typedef struct repl_error {
    repl_span where;
    char text[REPL_MESSAGE_CAPACITY];
} repl_error;

/* A number as it is written; it has no type. */
typedef struct repl_number {
    double value;
    uint64_t magnitude; /* of a whole one */
    bool negative, whole, hexadecimal;
} repl_number;

/* Numbers in brackets; rank 0 is one number without. */
typedef struct repl_list {
    int32_t rank;
    int64_t dims[TOSAJIT_MAX_RANK];
    size_t first, count; /* in numbers */
} repl_list;

typedef enum repl_operator {
    REPL_EQ,
    REPL_NE,
    REPL_LT,
    REPL_LE,
    REPL_GT,
    REPL_GE,
    REPL_OR,
    REPL_XOR,
    REPL_AND,
    REPL_SHL,
    REPL_SHR,
    REPL_USHR,
    REPL_ADD,
    REPL_SUB,
    REPL_MUL,
    REPL_DIV,
    REPL_POW,
    REPL_NEGATE, /* the others have one operand */
    REPL_NOT,
    REPL_LOGICAL_NOT,
} repl_operator;

typedef enum repl_node_kind {
    REPL_LITERAL,  /* what: list */
    REPL_NAME,     /* a statement's or a free variable; span is the name */
    REPL_INPUT,    /* what: annotation; operands of one_op */
    REPL_OPERATOR, /* what: repl_operator; one or two arguments */
    REPL_CALL,     /* what: tosajit_op */
    REPL_CONVERT,  /* what: tosajit_type; one argument */
    REPL_WORD, /* the value of a KEY_WORD, KEY_FLAG or KEY_TYPE key: its number in that list, 0 or
                  1, or the type */
} repl_node_kind;

typedef struct repl_node {
    repl_node_kind kind;
    repl_span span;
    int32_t what;
    int32_t first; /* argument; -1 */
} repl_node;

typedef struct repl_argument {
    int32_t node, next;
    repl_span span;    /* of the key */
    const op_key *key; /* null: an operand; behind the first key there are no more of those */
} repl_argument;

typedef struct repl_statement {
    repl_span name; /* length 0: none */
    int32_t node;   /* its nodes end with this one, an operand before what it is for */
} repl_statement;

typedef struct repl_annotation {
    repl_span name, span; /* name: length 0: none */
    tosajit_tensor_type type;
    bool shaped; /* false: the element alone, which is also a scalar */
} repl_annotation;

typedef enum repl_kind { REPL_EMPTY, REPL_COMMAND, REPL_ONE_OP, REPL_STATEMENTS } repl_kind;

typedef struct repl_line {
    repl_kind kind;
    repl_span command;            /* the name, without the colon */
    repl_annotation *annotations; /* of one_op: its operands */
    repl_node *nodes;
    repl_argument *arguments;
    repl_statement *statements;
    repl_number *numbers;
    repl_list *lists;
    repl_span *words; /* of a command; without quotes */
    size_t annotation_count, node_count, argument_count, statement_count, number_count, list_count,
        word_count;
    bool has_result; /* of one_op */
    tosajit_tensor_type result;
} repl_line;

/* False after an error; otherwise line is released with repl_line_release. */
bool repl_parse(const char *text, size_t length, repl_line *line, repl_error *error);
void repl_line_release(repl_line *line);

/* A list or a number that fills the whole text, as the only literal of line. */
bool repl_parse_list(const char *text, size_t length, repl_line *line, repl_error *error);
/* "5x3", "5", "5xN": sizes; N is TOSAJIT_DYNAMIC where with_n. False if the text is no such thing.
 */
bool repl_parse_sizes(const char *text, size_t length, bool with_n, int32_t *rank,
                      int64_t dims[TOSAJIT_MAX_RANK]);

/* Whether a text is MLIR: it begins with a module or a function. */
bool repl_is_mlir(const char *text, size_t length);
typedef enum repl_extent {
    REPL_BEGUN,    /* no bracket is open, and there was no body yet */
    REPL_OPEN,     /* some bracket is open */
    REPL_COMPLETE, /* braces balance behind a body */
    REPL_TOO_DEEP, /* brackets nest beyond what anybody writes */
} repl_extent;
/* How far MLIR text has come, line by line; begins as zeros. */
typedef struct repl_scan {
    int depth, angles, bodies;
    bool dictionary; /* the next braces belong to `attributes` */
} repl_scan;
repl_extent repl_scan_line(repl_scan *scan, const char *line, size_t length);

#endif

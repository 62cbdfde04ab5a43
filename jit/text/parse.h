/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reading a text of the language of docs/language.md. In: bytes; out: what they say, as lists of
 * nodes, or what is wrong and where. Pure: any bytes will do.
 *
 *     text       = one_op | statements
 *     one_op     = op type { [","] type | shape } { key "=" value | "->" type }
 *     statements = statement { end statement } [ ":" types ] { end }       end = ";" | newline
 *     statement  = [ name "=" ] expression | name ":" types
 *     types      = [ name [":"] ] type { "," [ name [":"] ] type }
 *     type       = element [ shape ] | "tensor<" sizes "x" element ">"
 *     shape      = "[" [ size { "," size } ] "]" | "[*]"         size = number | "?"
 *     expression = operand { operator operand }           operators.h says how tightly they bind
 *     operand    = ( "-" | "~" | "!" ) operand | number | list | name | "(" expression ")"
 *                | op "(" expression { "," expression } { "," key "=" value } ")"
 *                | reducer "(" expression { "," expression } { "," key "=" value } ")"
 *                | mover "(" expression { "," ( number | list | tuple ) } ")"
 *                | alias "(" expression ")" | element "(" expression ")"
 *                | operand "[" subscript { "," subscript } "]"
 *     subscript  = number | [ number ] ":" [ number ] [ ":" [ number ] ] | "None" | "..."
 *     tuple      = "(" [ number { "," number } [ "," ] ] ")"
 *     list       = "[" number { "," number } "]" | "[" list { "," list } "]"
 *
 * A newline is a space within brackets and where an operand must follow. A comment begins with #
 * and ends with its line. There is no //, which other languages read in two ways. */
#ifndef TOSAJIT_JIT_TEXT_PARSE_H
#define TOSAJIT_JIT_TEXT_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/expr/keys.h"
#include "jit/text/operators.h"
#include "runtime/base/diag.h"
#include "runtime/base/memory.h"

enum {
    TEXT_MAX_DEPTH = 200,
    TEXT_MAX_STATEMENTS = 1000,
    TEXT_NAME_LENGTH = 60,
    TEXT_MESSAGE_CAPACITY = 512,
};

/* Bytes of the text. */
typedef struct text_span {
    size_t at, length;
} text_span;

typedef struct text_error {
    text_span where; /* length 0 at 0: no place */
    tosajit_status status;
    diag_subject about;
    char text[TEXT_MESSAGE_CAPACITY];
} text_error;

/* A number as it is written; it has no type. */
typedef struct text_number {
    double value;
    uint64_t magnitude; /* of a whole one */
    bool negative, whole, hexadecimal;
    const char *spelled; /* in the text, without its sign */
    size_t length;
} text_number;

/* Numbers in brackets; rank 0 is one number without. An axis of None is a list whose size is
 * TOSAJIT_DYNAMIC: all dimensions. */
typedef struct text_list {
    int32_t rank;
    int64_t dims[TOSAJIT_MAX_RANK];
    size_t first, count; /* in numbers */
} text_list;

typedef enum text_node_kind {
    TEXT_LITERAL,   /* what: list */
    TEXT_NAME,      /* a statement's or a free variable; span is the name */
    TEXT_INPUT,     /* what: annotation; operands of one_op */
    TEXT_OPERATOR,  /* what: text_operator; one or two arguments */
    TEXT_CALL,      /* what: tosajit_op */
    TEXT_CONVERT,   /* what: tosajit_type; one argument */
    TEXT_REDUCE,    /* what: index of a reducer; its operands and what is given by name */
    TEXT_MOVE,      /* what: index of a mover; its operand, then its numbers */
    TEXT_SUBSCRIPT, /* what: list of four numbers each: kind, begin, end, step; the operand */
    TEXT_SAME,      /* what: an earlier node, whose value it is */
    TEXT_WORD, /* the value of a KEY_WORD, KEY_FLAG or KEY_TYPE key: its number in that list, 0 or
                  1, or the type */
} text_node_kind;

typedef struct text_node {
    text_node_kind kind;
    text_span span;
    int32_t what;
    int32_t first; /* argument; -1 */
} text_node;

typedef struct text_argument {
    int32_t node, next;
    text_span span;    /* of the key */
    const op_key *key; /* null: an operand; behind the first key there are no more of those */
} text_argument;

typedef struct text_statement {
    text_span name; /* length 0: none */
    int32_t node;   /* its nodes end with this one, an operand before what it is for */
} text_statement;

typedef struct text_annotation {
    text_span name, span; /* name: length 0: none */
    tosajit_tensor_type type;
    bool shaped; /* false: the element alone, which is also a scalar */
} text_annotation;

typedef enum text_kind { TEXT_EMPTY, TEXT_ONE_OP, TEXT_STATEMENTS } text_kind;

typedef struct text_line {
    text_kind kind;
    tosajit_allocator allocator;  /* of the lists */
    text_annotation *annotations; /* of one_op: its operands */
    text_node *nodes;
    text_argument *arguments;
    text_statement *statements;
    text_number *numbers;
    text_list *lists;
    size_t annotation_count, node_count, argument_count, statement_count, number_count, list_count;
    size_t declared; /* annotations that stand in front; those behind them are at the end */
    bool has_result; /* of one_op */
    tosajit_tensor_type result;
} text_line;

/* False after an error; otherwise line is released with text_line_release. The text must stay. The
 * allocator may be null. */
bool text_parse(const char *text, size_t length, const tosajit_allocator *allocator,
                text_line *line, text_error *error);
void text_line_release(text_line *line);

/* A list or a number that fills the whole text, as the only literal of line. */
bool text_parse_list(const char *text, size_t length, text_line *line, text_error *error);
/* "5x3", "5", "5xN": sizes; N is TOSAJIT_DYNAMIC where with_n. False if the text is no such thing.
 */
bool text_parse_sizes(const char *text, size_t length, bool with_n, int32_t *rank,
                      int64_t dims[TOSAJIT_MAX_RANK]);
/* Store number as an element. False, with the reason in error->text, if it is no value of the type.
 * Floating-point types take the value nearest to the f64 that was read, as MLIR's parser does, or
 * the bits of a hexadecimal number. */
bool text_store(tosajit_type type, const text_number *number, bool is_unsigned, void *at,
                text_error *error);
/* The value of a number among elements of a type, not yet rounded to it: 0x3c00 is 1 as an f16. NaN
 * if it has more bits than a floating-point type. */
double text_value(tosajit_type type, const text_number *number);

#endif

/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Element types and shapes: names, sizes, printing, checked 64-bit products. */
#ifndef TOSAJIT_RUNTIME_BASE_TYPES_H
#define TOSAJIT_RUNTIME_BASE_TYPES_H

#include <stdbool.h>

#include "tosajit/tosajit.h"

/* Holds the longest tensor type: 16 dimensions of 20 characters. */
enum { TYPE_TEXT_CAPACITY = 384 };

typedef struct type_text {
    char text[TYPE_TEXT_CAPACITY];
} type_text;

/* "tensor<?x3xf32>" by value, for error messages. */
type_text type_print(const tosajit_tensor_type *type);

static inline bool type_is_valid(tosajit_type type) { return (unsigned)type < TOSAJIT_TYPE_COUNT; }
static inline bool type_is_float(tosajit_type type) {
    return type >= TOSAJIT_F16 && type <= TOSAJIT_F64;
}
/* Bits of an integer type's value; 1 for i1. */
int type_width(tosajit_type type);
/* Integers are int64_t wherever they are computed with. Numbers of u64 are their bits there, so
 * that those from 2^63 on look negative: their order and their quotients are those of uint64_t. All
 * other numbers are themselves. */
bool type_is_unsigned(tosajit_type type);
/* Smallest and largest value of an integer type. */
int64_t type_least(tosajit_type type);
int64_t type_greatest(tosajit_type type);
/* True if this is a value of an integer type. */
bool type_has(tosajit_type type, int64_t value);
/* A value of an integer type as the nearest f64. */
double type_number(tosajit_type type, int64_t value);
/* True if a is less than b, as values of an integer type. */
static inline bool type_is_less(tosajit_type type, int64_t a, int64_t b) {
    return type == TOSAJIT_U64 ? (uint64_t)a < (uint64_t)b : a < b;
}

/* A value of an integer type in decimal digits, by value. */
typedef struct integer_text {
    char text[24];
} integer_text;
integer_text type_print_integer(tosajit_type type, int64_t value);
/* The value of an integer type that these bits are; those beyond its width do not count. */
int64_t type_wrap(tosajit_type type, uint64_t bits);
/* Smallest and largest value of a signed integer type of this many bits. */
static inline int64_t type_min(int width) { return INT64_MIN >> (64 - width); }
static inline int64_t type_max(int width) { return INT64_MAX >> (64 - width); }

/* Check that element, rank and every dimension (>= 1 or dynamic) are legal; `what` names the tensor
 * in the message. */
tosajit_status type_check(const tosajit_tensor_type *type, const char *what);
/* The same of several, which are called operands. */
tosajit_status type_check_operands(const tosajit_tensor_type *operands, size_t count);

/* a * b for sizes >= 0; false on overflow of int64. */
static inline bool size_multiply(int64_t a, int64_t b, int64_t *product) {
#if defined(__GNUC__)
    return !__builtin_mul_overflow(a, b, product); /* a division would take ten times as long */
#else
    if (a != 0 && b > INT64_MAX / a) return false;
    *product = a * b;
    return true;
#endif
}

/* A stride without its sign; not of INT64_MIN. */
static inline int64_t size_without_sign(int64_t stride) { return stride < 0 ? -stride : stride; }

/* The next multiple of an alignment, which is at least 1. */
static inline size_t size_align(size_t offset, size_t alignment) {
    return (offset + alignment - 1) / alignment * alignment;
}

/* Elements of a static shape; false on overflow of int64. */
bool size_count(int32_t rank, const int64_t *dims, int64_t *count);

/* OVERFLOW if the static sizes among dims alone make more than 2^63 - 1 bytes; `what` names the
 * tensor. */
tosajit_status type_check_size(tosajit_type element, int32_t rank, const int64_t *dims,
                               const char *what);

#endif

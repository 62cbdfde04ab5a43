/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Precompiled: a vectorised interpreter, for a kernel of which nothing was compiled. In: a kernel,
 * and the library of precompiled ops. Out: code for every part, called like any other.
 *
 * A part may be one instruction, on operands as they come. Then the part's code is the
 * instruction's own. Any other part is a list of instructions over tiles, one for each op or pair
 * of ops. An instruction reads operands, constants and slots, and writes a slot or the result. A
 * slot is a buffer in the L1 cache. It holds a value as far as the value varies: a tile, a row, a
 * column, or one element; a repeated dimension has a stride of 0. */
#ifndef TOSAJIT_RUNTIME_PRECOMPILED_PRECOMPILED_H
#define TOSAJIT_RUNTIME_PRECOMPILED_PRECOMPILED_H

#include <stddef.h>

#include "runtime/precompiled/fold.h"
#include "runtime/precompiled/rows.h"
#include "runtime/run/kernel.h"

typedef enum precompiled_place {
    PLACE_LEAF,
    PLACE_TABLE,    /* a leaf that is looked up */
    PLACE_CONSTANT, /* one element */
    PLACE_SLOT,
} precompiled_place;

/* Where a value is. */
typedef struct precompiled_value {
    uint8_t place;  /* precompiled_place */
    uint8_t size;   /* of an element, in bytes */
    int16_t result; /* PLACE_SLOT: the part's result that is written instead, if it is as large; -1:
                       none */
    uint32_t index; /* of the leaf, of the slot */
    union {
        uint64_t leaves;      /* that it depends on */
        const void *constant; /* PLACE_CONSTANT: on none */
    };
} precompiled_value;

typedef struct precompiled_instruction {
    tosajit_entry code;
    int operand_count;
    bool whole; /* the code has no loop in which operand 0 repeats along columns */
    precompiled_value operands[TOSAJIT_MAX_OPERANDS], to;
} precompiled_instruction;

/* Ends of a tile: a value that has to be brought into a result. */
typedef struct precompiled_copy {
    precompiled_value from;
    int32_t result; /* of the part */
} precompiled_copy;

/* A reduction of a tile's elements. */
typedef struct precompiled_fold {
    precompiled_value from; /* of the accumulator's type */
    int32_t result;         /* of the part */
    fold how;
} precompiled_fold;

/* The context of a part's entry (code_part). */
typedef struct precompiled_part {
    const precompiled_instruction *instructions;
    const precompiled_copy *copies;
    const precompiled_fold *folds;
    size_t instruction_count, copy_count, fold_count;
    size_t pair_count; /* instructions that compute two ops */
    int32_t leaf_count, result_count;
    uint64_t tables; /* leaves that are looked up: their column stride is not the walk's */
    int64_t tile;    /* elements, at most */
    int64_t slots;   /* for values of a tile, 1 at least */
    int64_t widest;  /* bytes of an element of a slot */
} precompiled_part;

/* Bytes on the stack for all slots, at most, beside the operands and results of instructions; and
 * the most reductions of a part, each with its state on the stack. */
enum { PRECOMPILED_SCRATCH = 24 * 1024, PRECOMPILED_FOLDS = 8 };

/* The code, and what it needs as long as the kernel lives. */
typedef struct precompiled {
    kernel_code code;
    precompiled_part *parts;
    precompiled_instruction *instructions;
    precompiled_copy *copies;
    precompiled_fold *folds;
    uint64_t *constants; /* attributes that the code of an op takes as operands */
    code_part *code_parts;
    size_t instruction_room, copy_room, fold_room, constant_room;
} precompiled;

_Static_assert(offsetof(precompiled, code) == 0, "precompiled_of needs the code first");

/* The owner of this code; null: it was compiled. */
static inline const precompiled *precompiled_of(const kernel_code *code) {
    return code && code->precompiled ? (const precompiled *)code : NULL;
}

/* The instructions of a kernel, from the kernel's allocator. NOT_EXECUTABLE if the library has no
 * code for an op; LIMIT_EXCEEDED if more values live at once than there is room for; OUT_OF_MEMORY.
 */
tosajit_status precompiled_make(tosajit_kernel *kernel, const rows_library *library, int level,
                                precompiled **made);
/* Null is allowed. */
void precompiled_destroy(const tosajit_kernel *kernel, precompiled *m);

/* The code of every part that has instructions; and of those that reduce. */
TOSAJIT_CODE void precompiled_run(const void *context, void *const *pointers,
                                  const int64_t *strides, int64_t planes, int64_t rows,
                                  int64_t cols);
TOSAJIT_CODE void precompiled_reduce(const void *context, void *const *pointers,
                                     const int64_t *strides, int64_t planes, int64_t rows,
                                     int64_t cols);

#endif

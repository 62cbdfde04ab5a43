/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Machine: a kernel's code where nothing was compiled. In: a kernel, and the library of ops.
 * Out: an entry for every part, which a run calls like any other code.
 *
 * A part of one step that takes the operands as they come is that step's code itself. Any other
 * part is a list of steps, one for each op or pair of ops, over tiles: a step reads operands,
 * constants and slots, which are buffers of the L1 cache, and writes a slot or the result. A slot
 * holds a value as far as it varies: a tile, a row, a column, or one element; what repeats has a
 * stride of 0. */
#ifndef TOSAJIT_RUNTIME_MACHINE_MACHINE_H
#define TOSAJIT_RUNTIME_MACHINE_MACHINE_H

#include <stddef.h>

#include "runtime/machine/rows.h"
#include "runtime/run/kernel.h"

typedef enum machine_place {
    PLACE_LEAF,
    PLACE_TABLE,    /* a leaf that is looked up */
    PLACE_CONSTANT, /* one element */
    PLACE_SLOT,
} machine_place;

/* Where a value is. */
typedef struct machine_value {
    uint8_t place;  /* machine_place */
    uint8_t size;   /* of an element, in bytes */
    int16_t result; /* PLACE_SLOT: the part's result that is written instead, if it is as large; -1:
                       none */
    uint32_t index; /* of the leaf, of the slot */
    union {
        uint64_t leaves;      /* that it depends on */
        const void *constant; /* PLACE_CONSTANT: on none */
    };
} machine_value;

typedef struct machine_step {
    tosajit_entry code;
    int operand_count;
    bool whole; /* the code has no loop in which operand 0 repeats along columns */
    machine_value operands[TOSAJIT_MAX_OPERANDS], to;
} machine_step;

/* What a tile ends with: a value that has to be brought into a result. */
typedef struct machine_copy {
    machine_value from;
    int32_t result; /* of the part */
} machine_copy;

/* The context of a part's entry (code_part). */
typedef struct machine_part {
    const machine_step *steps;
    const machine_copy *copies;
    size_t step_count, copy_count;
    size_t pair_count; /* steps that compute two ops */
    int32_t leaf_count, result_count;
    uint64_t tables;    /* leaves that are looked up: their column stride is not the walk's */
    int64_t tile;       /* elements, at most */
    int64_t slot_bytes; /* from one slot to the next */
} machine_part;

/* Bytes on the stack for all slots, beside what steps read and write of tensors. */
enum { MACHINE_SCRATCH = 24 * 1024 };

/* The code, and what it needs as long as the kernel lives. */
typedef struct machine {
    kernel_code code;
    machine_part *parts;
    machine_step *steps;
    machine_copy *copies;
    uint64_t *constants; /* attributes that the code of an op takes as operands */
    code_part *code_parts;
    size_t step_room, copy_room, constant_room;
} machine;

_Static_assert(offsetof(machine, code) == 0, "machine_of needs the code first");

/* The machine that this code is of; null: none. */
static inline const machine *machine_of(const kernel_code *code) {
    return code && code->precompiled ? (const machine *)code : NULL;
}

/* A machine for the kernel, from the kernel's allocator. NOT_EXECUTABLE if the library has no code
 * for an op; LIMIT_EXCEEDED if more values live at once than there is room for; OUT_OF_MEMORY. */
tosajit_status machine_make(tosajit_kernel *kernel, const rows_library *library, int level,
                            machine **made);
/* Null is allowed. */
void machine_destroy(const tosajit_kernel *kernel, machine *m);

/* The code of every part that has steps. */
void machine_run(const void *context, void *const *pointers, const int64_t *strides, int64_t planes,
                 int64_t rows, int64_t cols);

#endif

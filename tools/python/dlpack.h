/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The structs by which array libraries exchange tensors, as DLPack 1.3 lays them out in memory. The
 * first form has neither version nor flags; NumPy 1 and older PyTorch know no other. */
#ifndef TOSAJIT_TOOLS_PYTHON_DLPACK_H
#define TOSAJIT_TOOLS_PYTHON_DLPACK_H

#include <stdint.h>

enum { DLPACK_CPU = 1, DLPACK_CUDA_HOST = 3 }; /* devices whose memory this CPU can reach */
enum { DLPACK_MAJOR = 1, DLPACK_MINOR = 1 };
enum { DLPACK_READ_ONLY = 1 }; /* a flag */

typedef enum dlpack_code {
    DLPACK_INT = 0,
    DLPACK_UINT = 1,
    DLPACK_FLOAT = 2,
    DLPACK_BFLOAT = 4,
    DLPACK_BOOL = 6,
    DLPACK_FLOAT8_E4M3FN = 10,
    DLPACK_FLOAT8_E5M2 = 12,
} dlpack_code;

typedef struct dlpack_element {
    uint8_t code, bits;
    uint16_t lanes;
} dlpack_element;

typedef struct dlpack_tensor {
    void *data;
    int32_t device, device_id;
    int32_t rank;
    dlpack_element element;
    int64_t *dims, *strides; /* strides in elements; null: dense */
    uint64_t byte_offset;    /* from data to the first element */
} dlpack_tensor;

#define DLPACK_NAME "dltensor"
#define DLPACK_USED_NAME "used_dltensor"
typedef struct dlpack_managed {
    dlpack_tensor tensor;
    void *context;
    void (*deleter)(struct dlpack_managed *self); /* may be null */
} dlpack_managed;

#define DLPACK_VERSIONED_NAME "dltensor_versioned"
#define DLPACK_USED_VERSIONED_NAME "used_dltensor_versioned"
typedef struct dlpack_versioned {
    uint32_t major, minor;
    void *context;
    void (*deleter)(struct dlpack_versioned *self); /* may be null */
    uint64_t flags;
    dlpack_tensor tensor;
} dlpack_versioned;

/* Functions in C that a type of tensors offers by its attribute __dlpack_c_exchange_api__, a
 * capsule of this name. They live as long as the process, are called with Python's lock, and give
 * -1 with an exception. */
#define DLPACK_EXCHANGE_NAME "dlpack_exchange_api"
typedef struct dlpack_exchange {
    uint32_t major, minor;
    struct dlpack_exchange *older; /* that the type offers as well; may be null */
    /* A new tensor like the prototype, whose data does not count. fail is told of errors. */
    int (*allocate)(dlpack_tensor *prototype, dlpack_versioned **made, void *context,
                    void (*fail)(void *context, const char *kind, const char *message));
    int (*lend)(void *object, dlpack_versioned **lent);  /* with an owner */
    int (*wrap)(dlpack_versioned *given, void **object); /* a tensor of Python, which owns it */
    int (*show)(void *object, dlpack_tensor *seen);      /* the object is the owner; may be null */
    int (*stream)(int32_t device, int32_t device_id, void **current);
} dlpack_exchange;

#endif

/* Loops: how the code of a part is cut into vectors, decided from its ops and element types alone, so that what emits the code and what
 * explains it agree. */
#ifndef TOSAJIT_RUNTIME_LOOPS_H
#define TOSAJIT_RUNTIME_LOOPS_H

#include "runtime/plan.h"

/* What loops depend on of a CPU. */
typedef struct loop_registers {
    unsigned vector_bytes; /* of a register */
    unsigned mask_bytes;   /* smallest element of masked loads and stores; 1: they cost no more than whole ones; 0: none */
    bool byte_tables;      /* tables of bytes are looked up in registers */
} loop_registers;

typedef struct loop_choice {
    unsigned lanes, unroll; /* of one vector; vectors in a step of the wide loop */
    unsigned heavy, light;  /* ops */
    tosajit_tail tail;
    bool has_single; /* a loop of single vectors follows the wide one */
    bool shared;     /* the wide loop's last step is the masked tail */
} loop_choice;

enum { LOOP_MAX_MASK = 64 }; /* lanes of a masked step */

/* What code that needs these features may use. */
loop_registers loop_registers_of(uint16_t machine, uint64_t features);

/* The loops of a part of a plan. */
loop_choice loop_choose(const plan *p, int32_t part, const tosajit_expr *program, loop_registers registers);

#endif

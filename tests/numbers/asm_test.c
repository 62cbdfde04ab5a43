/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The code of key kernels, without a clock and from any machine: the hot loop of each must take its
 * elements in whole vectors, load every operand and store every result once, keep everything in
 * registers, and need no more instructions than the table below says. In: nothing. Out: a line per
 * kernel and CPU level; where something is wrong, the loop. */
#include <llvm/Config/llvm-config.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/assembly.h"
#include "tests/support/cmocka.h"
#include "tosajit/inspect.h"

/* The work of a loop in one step: elements, exactly, or 1 where it goes from row to row;
 * instructions, the two or three of the loop itself included, at most; loads of operands and stores
 * of results, exactly; constants that it loads again and again, and values that it keeps on the
 * stack, at most. */
typedef struct expectation {
    int elements, instructions, loads, stores, constants, spills;
} expectation;

typedef struct row {
    const char *text;
    enum { EXACT, FAST } accuracy;
    enum { WIDE, NARROW } registers; /* NARROW: shorter ones, too, as of types of two sizes */
    expectation v3, v4;
} row;

/* Sizes that whole steps of every loop divide, so that there is one loop. */
#define OF(type) #type "[16,256]"
#define F32 OF(f32)
#define I8 OF(i8)
#define I32 OF(i32)
#define RESCALED(x, multiplier, shift, type)                                                       \
    "rescale(" x ", multiplier=" #multiplier ", shift=" #shift                                     \
    ", scale32=true, rounding_mode=double_round, to=" #type ")"

#define LOOP(...)                                                                                  \
    { __VA_ARGS__ }
static const row rows[] = {
    {"x + y : " F32, EXACT, WIDE, LOOP(32, 15, 8, 4, 0, 0), LOOP(64, 15, 8, 4, 0, 0)},
    {"x * y : " F32, EXACT, WIDE, LOOP(32, 15, 8, 4, 0, 0), LOOP(64, 15, 8, 4, 0, 0)},
    {"maximum(x, y) : " F32, EXACT, WIDE, LOOP(32, 35, 8, 4, 0, 0), LOOP(64, 33, 8, 4, 1, 0)},
    {"minimum(x, y) : " F32, EXACT, WIDE, LOOP(32, 27, 8, 4, 0, 0), LOOP(64, 27, 8, 4, 0, 0)},
    {"select(c, x, y) : " OF(i1) ", " F32 ", " F32, EXACT, NARROW, LOOP(32, 23, 12, 4, 0, 0),
     LOOP(64, 20, 9, 4, 0, 0)},
    {"i8(x) : " F32, EXACT, NARROW, LOOP(32, 28, 4, 1, 0, 0), LOOP(64, 30, 4, 1, 0, 0)},
    {"u8(x) : " F32, EXACT, NARROW, LOOP(32, 16, 4, 1, 0, 0), LOOP(64, 16, 4, 1, 0, 0)},
    {"i32(x) : " F32, EXACT, WIDE, LOOP(32, 31, 4, 4, 0, 0), LOOP(64, 27, 4, 4, 0, 0)},
    {"i64(x) : " OF(f64), EXACT, WIDE, LOOP(16, 63, 4, 4, 0, 0), LOOP(32, 27, 4, 4, 0, 0)},
    /* as ONNX has it, and a sum of bytes with scales and zero points */
    {"u8(roundeven(x / 0.0173) + 128) : " F32, EXACT, NARROW, LOOP(32, 26, 4, 1, 0, 0),
     LOOP(64, 26, 4, 1, 0, 0)},
    {"i8(roundeven((f32(x) + 7) * 0.0291 + (f32(y) + 7) * 0.0173) + -5) : " I8, EXACT, NARROW,
     LOOP(32, 50, 8, 1, 0, 0), LOOP(64, 50, 8, 1, 0, 0)},
    {"u8(f32(x) * 1.37 + -20.25) : " OF(u8), EXACT, WIDE, LOOP(64, 27, 2, 2, 0, 0),
     LOOP(128, 27, 2, 2, 0, 0)},
    {"clamp(x, min=-3, max=100) : " I8, EXACT, WIDE, LOOP(128, 15, 4, 4, 0, 0),
     LOOP(256, 15, 4, 4, 0, 0)},
    {"x ^ y : " I8, EXACT, WIDE, LOOP(128, 15, 8, 4, 0, 0), LOOP(256, 15, 8, 4, 0, 0)},
    {"x << y : " I32, EXACT, WIDE, LOOP(32, 31, 8, 4, 0, 0), LOOP(64, 15, 8, 4, 0, 0)},
    {"mul(x, y, shift=20) : " I32, EXACT, WIDE, LOOP(32, 55, 16, 4, 0, 0),
     LOOP(64, 59, 16, 4, 0, 0)},
    {"x + y : " OF(f16), EXACT, NARROW, LOOP(32, 19, 8, 4, 0, 0), LOOP(64, 23, 8, 4, 0, 0)},
    {"maximum(x, y) : " OF(bf16), EXACT, WIDE, LOOP(32, 49, 4, 2, 0, 0), LOOP(64, 51, 8, 4, 0, 0)},
    {"exp(x) : " OF(bf16), EXACT, NARROW, LOOP(16, 40, 1, 1, 0, 0), LOOP(32, 38, 1, 1, 0, 0)},
    {"x + y : " F32 ", f32[1,256]", EXACT, WIDE, LOOP(32, 15, 8, 4, 0, 0),
     LOOP(64, 15, 8, 4, 0, 0)},
    {"x + y : " F32 ", f32[1,1]", EXACT, WIDE, LOOP(32, 11, 4, 4, 0, 0), LOOP(64, 11, 4, 4, 0, 0)},
    /* bias and ReLU6 */
    {"clamp(x + y, min=0, max=6) : " F32 ", f32[1,256]", EXACT, WIDE, LOOP(32, 31, 8, 4, 0, 0),
     LOOP(64, 27, 8, 4, 0, 0)},
    /* sums of products back to i8 */
    {"rescale(x + y, multiplier=1518500250, shift=37, output_zp=-3, scale32=true, to=i8) : " I32
     ", i32[1,256]",
     EXACT, NARROW, LOOP(32, 46, 8, 1, 0, 0), LOOP(64, 42, 8, 1, 0, 0)},
    /* two i8 with scales of their own */
    {RESCALED(RESCALED("x", 1073741824, 11, i32) " + " RESCALED("y", 1573741824, 12, i32),
              1373741824, 49, i8) " : " I8,
     EXACT, NARROW, LOOP(32, 31, 2, 1, 0, 0), LOOP(64, 31, 2, 1, 0, 0)},
    {"exp(x) : " F32, EXACT, NARROW, LOOP(8, 46, 1, 1, 7, 0), LOOP(32, 72, 2, 2, 0, 0)},
    {"sigmoid(x) : " F32, EXACT, NARROW, LOOP(8, 62, 1, 1, 11, 0), LOOP(32, 98, 2, 2, 0, 0)},
    {"exp(x) : " F32, FAST, WIDE, LOOP(16, 50, 2, 2, 5, 0), LOOP(32, 44, 2, 2, 0, 0)},
    {"sigmoid(x) : " F32, FAST, WIDE, LOOP(16, 72, 2, 2, 10, 0), LOOP(32, 64, 2, 2, 0, 0)},
};

/* Instructions of a loop. */
typedef struct contents {
    expectation sums;
    int scalars, calls;
    bool narrow;
} contents;

static void count_instruction(contents *c, const char *line, const char *full_width) {
    const char *memory = strchr(line, '('), *mnemonic_end = strchr(line + 1, '\t');
    c->sums.instructions++;
    c->calls += strncmp(line, "\tcall", 5) == 0;
    c->narrow |= strstr(line, "mm") && !strstr(line, full_width);
    /* vp...: integers; vb...: broadcasts. */
    bool is_float = line[1] == 'v' && line[2] != 'p' && line[2] != 'b' && mnemonic_end;
    bool one_lane = is_float && (strncmp(mnemonic_end - 2, "ss", 2) == 0 ||
                                 strncmp(mnemonic_end - 2, "sd", 2) == 0);
    c->scalars +=
        one_lane || strncmp(line, "\tvpinsr", 7) == 0 || strncmp(line, "\tvpextr", 7) == 0;
    if (!memory || strncmp(line, "\tlea", 4) == 0 || strncmp(line, "\tprefetch", 9) == 0) return;
    const char *close = strchr(memory, ')');
    if (strstr(memory, "%rip"))
        c->sums.constants++;
    else if (strstr(memory, "%rsp") || strncmp(memory, "(%rbp)", 6) == 0 ||
             strncmp(memory, "(%rbp,", 6) == 0)
        c->sums.spills++;
    else if (close && close[1] == ',')
        c->sums.loads++;
    else
        c->sums.stores++;
}

static contents count_loop(const assembly_listing *l, assembly_loop h, const char *full_width) {
    contents c = {.sums.elements = h.elements};
    for (int k = h.first; k <= h.last; k++)
        if (assembly_is_instruction(l->lines[k])) count_instruction(&c, l->lines[k], full_width);
    return c;
}

/* Checking. */

static char *assembly(tosajit_engine *engine, const row *r) {
    const tosajit_accuracy accuracy = r->accuracy == FAST ? TOSAJIT_REPRODUCIBLE : TOSAJIT_EXACT;
    const tosajit_parse_options options = {.size = sizeof options, .accuracy = accuracy};
    tosajit_expr *expr = NULL;
    char *text = NULL;
    if (tosajit_expr_parse(r->text, strlen(r->text), &options, &expr) ||
        tosajit_print(engine, expr, TOSAJIT_VIEW_ASM, &text))
        fail_msg("%s: %s", r->text, tosajit_last_error());
    tosajit_expr_destroy(expr);
    return text;
}

static bool agrees(const contents *c, const expectation *e, bool narrow) {
    return c->sums.elements == e->elements && c->sums.instructions <= e->instructions &&
           c->sums.loads == e->loads && c->sums.stores == e->stores &&
           c->sums.constants <= e->constants && c->sums.spills <= e->spills &&
           (narrow || !c->narrow) && !c->scalars && !c->calls;
}

/* One row on one level: prints what was found, and what was expected where that differs. */
static bool check_row(tosajit_engine *engine, const row *r, const expectation *e,
                      const char *full_width) {
    char *text = assembly(engine, r);
    assembly_listing l;
    assembly_split(text, &l);
    assembly_loop h = assembly_hot_loop(&l);
    contents c = count_loop(&l, h, full_width);
    const expectation *s = &c.sums;
    bool good = agrees(&c, e, r->registers == NARROW);
    printf("  %s%s {%d, %d, %d, %d, %d, %d}\n", r->text, r->accuracy == FAST ? ", fast" : "",
           s->elements, s->instructions, s->loads, s->stores, s->constants, s->spills);
    if (!good) {
        printf("*** expected {%d, %d, %d, %d, %d, %d}, no scalars (found %d), no calls (%d)%s\n",
               e->elements, e->instructions, e->loads, e->stores, e->constants, e->spills,
               c.scalars, c.calls, c.narrow && r->registers == WIDE ? ", no narrow registers" : "");
        for (int line = h.first; line <= h.last && h.elements; line++)
            printf("%s\n", l.lines[line]);
    }
    tosajit_text_release(text);
    return good;
}

static void check_level(const char *cpu, const char *full_width, size_t offset) {
    tosajit_engine_options options = {
        .size = sizeof options, .cpu = cpu, .backend = TOSAJIT_BACKEND_CROSS};
    tosajit_engine *engine = NULL;
    assert_int_equal(tosajit_engine_create(&options, &engine), TOSAJIT_OK);
    int failures = 0;
    printf("%s: {elements, instructions, loads, stores, constants, spills}\n", cpu);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        failures += !check_row(engine, &rows[k],
                               (const expectation *)((const char *)&rows[k] + offset), full_width);
    tosajit_engine_destroy(engine);
    assert_int_equal(failures, 0);
}

static void loops_of_avx2(void **state) { check_level("x86-64-v3", "%ymm", offsetof(row, v3)); }
static void loops_of_avx512(void **state) { check_level("x86-64-v4", "%zmm", offsetof(row, v4)); }

/* Other versions select other instructions. */
enum { LLVM_OF_TABLE = 22 };

int main(void) {
    if (LLVM_VERSION_MAJOR != LLVM_OF_TABLE) {
        printf("*** NOT TESTED: the table is of LLVM %d, this is LLVM %d\n", LLVM_OF_TABLE,
               LLVM_VERSION_MAJOR);
        return 0;
    }
    return TEST_RUN(NULL, NULL, TEST(loops_of_avx2), TEST(loops_of_avx512));
}

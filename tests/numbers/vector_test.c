/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Loops over vectors take them as vectors: every op on every element type that it has, each
 * as a kernel of its own for x86-64-v2, -v3 and -v4, and from any machine; of static and of dynamic
 * sizes, with attributes, and by TOSAJIT_REPRODUCIBLE. An instruction of one element in its hot
 * loop, a call, or no vector there is an error, unless `known` names the op and says why. Views
 * have no loops, and those of reductions carry what they have: both are left out.
 *
 * A day has an eighth of them, of each level another one; TOSAJIT_THIN=1 makes all. */
#include <llvm/Config/llvm-config.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/assembly.h"
#include "tests/support/cmocka.h"
#include "tests/support/support.h"
#include "tosajit/inspect.h"

enum { ROWS = 16, COLS = 256, STANDARD_THINNING = 8 };

typedef enum variant { STATIC, DYNAMIC, ATTRIBUTES, FAST, VARIANTS } variant;
static const char *const variant_names[] = {"static", "dynamic", "attributes", "fast"};

typedef struct subject {
    tosajit_op op;
    tosajit_type from, to;
    variant variant;
    char text[64];
} subject;

/* Loops that have such instructions, with the reason. */
typedef struct known_loop {
    tosajit_op op;
    tosajit_type from, to;
    const char *levels; /* "v2 v3" */
    const char *reason;
} known_loop;

static const known_loop known[] = {
    {TOSAJIT_OP_cast, TOSAJIT_I64, TOSAJIT_F32, "v2 v3",
     "an instruction rounds each once, and vectors through f64 take as long"},
    {TOSAJIT_OP_cast, TOSAJIT_I64, TOSAJIT_F64, "v2", "two lanes take longer as a vector"},
    {TOSAJIT_OP_cast, TOSAJIT_I64, TOSAJIT_F16, "v2", "the same"},
    {TOSAJIT_OP_cast, TOSAJIT_I64, TOSAJIT_BF16, "v2", "the same"},
    {TOSAJIT_OP_table, TOSAJIT_I16, TOSAJIT_I32, "v2 v3 v4",
     "entries of i16 are loaded one by one: there is no gather of them"},
};

static const char *known_reason(const subject *s, const char *level) {
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (known[k].op == s->op && known[k].from == s->from && known[k].to == s->to &&
            strstr(known[k].levels, level))
            return known[k].reason;
    return NULL;
}

static bool begins_as_any(const char *name, const char *const *words, size_t count) {
    for (size_t k = 0; k < count; k++)
        if (strncmp(name, words[k], strlen(words[k])) == 0) return true;
    return false;
}

/* Instructions of one element: of floating point they end in ss or sd, or convert one. Moves do
 * not count, since a vector may be looked up by them; nor calls of functions of whole vectors, as
 * tosajit_fma_f64_x8 is one where a level has no multiply-add. */
static bool is_scalar(const char *line) {
    static const char *const always[] = {"cvttss2si", "cvttsd2si", "cvtss2si", "cvtsd2si",
                                         "cvtsi2s",   "idiv",      "div\t",    "divq\t",
                                         "divl\t",    "pextr",     "pinsr"};
    static const char *const never[] = {"broadcast", "mov", "p"};
    const char *name = line + 1 + (line[1] == 'v'), *end = strchr(name, '\t');
    if (strncmp(name, "call", 4) == 0) return !strstr(line, "_x");
    if (begins_as_any(name, always, sizeof always / sizeof *always)) return true;
    if (!end || end - name < 3 || begins_as_any(name, never, sizeof never / sizeof *never))
        return false;
    return strncmp(end - 2, "ss", 2) == 0 || strncmp(end - 2, "sd", 2) == 0;
}

static tosajit_value input(tosajit_expr *expr, tosajit_type type, bool dynamic) {
    const int64_t sizes[][2] = {{ROWS, COLS}, {TOSAJIT_DYNAMIC, TOSAJIT_DYNAMIC}};
    const tosajit_tensor_type shape = tosajit_ranked(type, 2, sizes[dynamic]);
    tosajit_value value = 0;
    if (tosajit_expr_input(expr, &shape, &value)) fail_msg("%s", tosajit_last_error());
    return value;
}

static tosajit_value number(tosajit_expr *expr, tosajit_type type, int32_t n, int64_t count) {
    static int16_t table[513];
    const tosajit_tensor_type one = tosajit_ranked(type, 1, &count);
    int64_t bits = n;
    tosajit_value value = 0;
    for (int k = 0; k < 513; k++) table[k] = (int16_t)(k * 31 % 97);
    if (tosajit_expr_constant(expr, &one, count > 1 ? (void *)table : (void *)&bits, &value))
        fail_msg("%s", tosajit_last_error());
    return value;
}

/* Parameters of those ops that cannot do without. Their number. */
static size_t add_parameters(tosajit_expr *expr, const subject *s, tosajit_value *x) {
    if (s->op == TOSAJIT_OP_table) {
        const bool small = s->from == TOSAJIT_I8;
        x[0] = number(expr, small ? TOSAJIT_I8 : TOSAJIT_I16, 0, small ? 256 : 513);
        return 1;
    }
    if (s->op != TOSAJIT_OP_rescale) return 0;
    const bool scale32 = s->from != TOSAJIT_I48;
    x[0] = number(expr, scale32 ? TOSAJIT_I32 : TOSAJIT_I16, 19777, 1);
    x[1] = number(expr, TOSAJIT_I8, 17, 1);
    x[2] = number(expr, s->from, 0, 1);
    x[3] = number(expr, s->to, 0, 1);
    return 4;
}

static bool is_signed(tosajit_type type) { return tosajit_type_name(type)[0] == 'i'; }

/* Adds attributes and parameters of the op; false where there is nothing. */
static bool add_attributes(const subject *s, tosajit_attributes *a) {
    const bool is_float = test_is_float(s->from), is_i1 = s->from == TOSAJIT_I1;
    switch (s->op) {
    case TOSAJIT_OP_arithmetic_right_shift: a->round = true; return true;
    case TOSAJIT_OP_cast: a->input_unsigned = true; return is_signed(s->from) && !is_i1;
    case TOSAJIT_OP_clamp:
    case TOSAJIT_OP_maximum:
    case TOSAJIT_OP_minimum: a->nan_mode = TOSAJIT_NAN_IGNORE; return is_float;
    case TOSAJIT_OP_mul: a->shift = 13; return s->from == TOSAJIT_I32;
    case TOSAJIT_OP_negate: a->input_zp = a->output_zp = 3; return s->from == TOSAJIT_I8;
    case TOSAJIT_OP_rescale: a->rounding_mode = TOSAJIT_DOUBLE_ROUND; return a->scale32;
    default: return false;
    }
}

/* True if there is such a loop. */
static bool make_attributes(const subject *s, tosajit_attributes *a) {
    *a = (tosajit_attributes){.scale32 = s->op == TOSAJIT_OP_rescale && s->from != TOSAJIT_I48,
                              .rounding_mode = TOSAJIT_SINGLE_ROUND};
    if (s->op == TOSAJIT_OP_clamp && test_is_float(s->from))
        a->min_val.f = -1.5, a->max_val.f = 64;
    else if (s->op == TOSAJIT_OP_clamp)
        a->min_val.i = 7, a->max_val.i = 100;
    return s->variant != ATTRIBUTES || add_attributes(s, a);
}

static char *assembly(tosajit_engine *engine, const subject *s, const tosajit_attributes *a) {
    const tosajit_expr_options options = {.size = sizeof options,
                                          .accuracy = s->variant == FAST ? TOSAJIT_REPRODUCIBLE
                                                                         : TOSAJIT_EXACT};
    tosajit_expr *expr = NULL;
    char *text = NULL;
    tosajit_value x[TOSAJIT_MAX_OPERANDS], value = 0;
    const int arity = tosajit_op_arity(s->op);
    const tosajit_tensor_type declared = {s->to, TOSAJIT_UNRANKED, {0}};
    assert_int_equal(tosajit_expr_create(&options, &expr), TOSAJIT_OK);
    for (int k = 0; k < arity; k++)
        x[k] = input(expr, s->op == TOSAJIT_OP_select && k == 0 ? TOSAJIT_I1 : s->from,
                     s->variant == DYNAMIC);
    const size_t count = (size_t)arity + add_parameters(expr, s, x + arity);
    tosajit_status status = tosajit_expr_op(expr, s->op, x, count, a, &declared, &value);
    if (!status) status = tosajit_expr_result(expr, value);
    if (!status) status = tosajit_print(engine, expr, TOSAJIT_VIEW_ASM, &text);
    if (status) fail_msg("%s: %s", s->text, tosajit_last_error());
    tosajit_expr_destroy(expr);
    return text;
}

/* The first fault of the loop; null where nothing is. */
static const char *find_scalar(const assembly_listing *l) {
    const assembly_loop h = assembly_hot_loop(l);
    bool has_vectors = false;
    if (!h.elements) return "there is no loop";
    for (int k = h.first; k <= h.last; k++) {
        if (!assembly_is_instruction(l->lines[k])) continue;
        if (is_scalar(l->lines[k])) return l->lines[k];
        has_vectors |= strstr(l->lines[k], "mm") != NULL;
    }
    return has_vectors ? NULL : "there is no vector in the loop";
}

/* Prints what is wrong. What is known may be so in some variants. */
static bool check_subject(tosajit_engine *engine, const char *level, const subject *s) {
    static assembly_listing l;
    tosajit_attributes a;
    if (!make_attributes(s, &a)) return true;
    char *text = assembly(engine, s, &a);
    assembly_split(text, &l);
    const char *found = find_scalar(&l), *reason = known_reason(s, level);
    const bool outdated = !found && reason && s->variant == STATIC;
    if (found && !reason)
        printf("*** %s, %s, %s: %s\n", s->text, variant_names[s->variant], level, found);
    if (found && reason && s->variant == STATIC) printf("    %s, %s: %s\n", s->text, level, reason);
    if (outdated) printf("*** %s, %s: known, but no longer so\n", s->text, level);
    tosajit_text_release(text);
    return (!found || reason) && !outdated;
}

/* True for ops that move elements alone, and for reductions. */
static bool is_left_out(tosajit_op op) {
    switch (op) {
#define TOSAJIT_OP(...)
#define TOSAJIT_VIEW_OP(name, ...) case TOSAJIT_OP_##name:
#include "tosajit/ops.def"
        return true;
    default: return strncmp(tosajit_op_name(op), "reduce", 6) == 0;
    }
}

static bool make_subject(int op, int from, int to, subject *s) {
    *s = (subject){(tosajit_op)op, (tosajit_type)from, (tosajit_type)to, STATIC, ""};
    tosajit_type types[TOSAJIT_MAX_OPERANDS];
    for (int k = 0; k < TOSAJIT_MAX_OPERANDS; k++)
        types[k] = tosajit_op_arity(s->op) == 3 && k == 0 ? TOSAJIT_I1 : s->from;
    snprintf(s->text, sizeof s->text, "%s %s -> %s", tosajit_op_name(s->op),
             tosajit_type_name(s->from), tosajit_type_name(s->to));
    return !is_left_out(s->op) && tosajit_op_accepts(s->op, types, s->to);
}

/* How many are wrong. */
static int check_variants(tosajit_engine *engine, const char *level, subject *s) {
    int wrong = 0;
    for (int v = STATIC; v < VARIANTS; v++) {
        s->variant = (variant)v;
        if (v != FAST || s->to == TOSAJIT_F32) wrong += !check_subject(engine, level, s);
    }
    return wrong;
}

static void check_level(const char *cpu, uint64_t level) {
    tosajit_engine_options options = {
        .size = sizeof options, .cpu = cpu, .backend = TOSAJIT_BACKEND_CROSS};
    tosajit_engine *engine = NULL;
    assert_int_equal(tosajit_engine_create(&options, &engine), TOSAJIT_OK);
    int wrong = 0;
    uint64_t count = 0, drawn = 0;
    for (int op = 0; op < TOSAJIT_OP_COUNT; op++)
        for (int from = 0; from < TOSAJIT_TYPE_COUNT; from++)
            for (int to = 0; to < TOSAJIT_TYPE_COUNT; to++) {
                subject s;
                if (!make_subject(op, from, to, &s) ||
                    !test_is_drawn(level + count++, STANDARD_THINNING))
                    continue;
                wrong += check_variants(engine, cpu + strlen("x86-64-"), &s);
                drawn++;
            }
    tosajit_engine_destroy(engine);
    printf("%s: %d of %d pairs of types\n", cpu, (int)drawn, (int)count);
    assert_true(drawn > 0);
    assert_int_equal(wrong, 0);
}

static void loops_of_sse(void **state) { check_level("x86-64-v2", 0); }
static void loops_of_avx2(void **state) { check_level("x86-64-v3", 1); }
static void loops_of_avx512(void **state) { check_level("x86-64-v4", 2); }

/* Other versions select other instructions. */
enum { LLVM_OF_LIST = 22 };

int main(void) {
    if (LLVM_VERSION_MAJOR != LLVM_OF_LIST) {
        printf("*** NOT TESTED: the list is of LLVM %d, this is LLVM %d\n", LLVM_OF_LIST,
               LLVM_VERSION_MAJOR);
        return 0;
    }
    return TEST_RUN(NULL, NULL, TEST(loops_of_sse), TEST(loops_of_avx2), TEST(loops_of_avx512));
}

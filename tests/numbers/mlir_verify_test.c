/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* tosajit_verify against the verifier of MLIR's TOSA dialect, in this process: thousands of one-op
 * functions over ranked, unranked, static and dynamic shapes with declared results, each printed as
 * a module and parsed with verification. What may differ is listed, with the reason; everything
 * else must be accepted or refused by both.
 *
 * TOSAJIT_SEED and TOSAJIT_VERDICTS set the random part. */
#include <inttypes.h>
#include <mlir-c/Diagnostics.h>
#include <mlir-c/Dialect/Func.h>
#include <mlir-c/Dialect/Tosa.h>
#include <mlir-c/IR.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/cmocka.h"
#include "tests/support/support.h"
#include "tosajit/inspect.h"

enum { STANDARD_CASES = 20000, TEXT = 8192 };

/* One op, the types of its operands (data, then parameters, which may be left out where attributes
 * stand for them), and its declared result. */
typedef struct subject {
    tosajit_op op;
    tosajit_tensor_type operands[TOSAJIT_MAX_OPERANDS], result;
    int operand_count;
    tosajit_attributes attributes;
} subject;

/* Printing a subject as MLIR. */

typedef struct text {
    char data[TEXT];
    size_t used;
} text;

static void append(text *t, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(t->data + t->used, sizeof t->data - t->used, format, arguments);
    va_end(arguments);
    assert_true(length >= 0 && t->used + (size_t)length < sizeof t->data);
    t->used += (size_t)length;
}

/* Also prints what tosajit refuses to describe: size 0, and more dimensions than it takes. */
static void append_type(text *t, const tosajit_tensor_type *type) {
    append(t, "tensor<");
    if (type->rank == TOSAJIT_UNRANKED) append(t, "*x");
    for (int32_t d = 0; d < type->rank; d++) {
        int64_t size = d < TOSAJIT_MAX_RANK ? type->dims[d] : 1;
        if (size == TOSAJIT_DYNAMIC)
            append(t, "?x");
        else
            append(t, "%" PRId64 "x", size);
    }
    append(t, "%s>", tosajit_type_name(type->element));
}

/* Operands of MLIR's op that may be attributes here: then one-element constants after the data
 * operands. */
typedef struct extra_operands {
    tosajit_op op;
    int count;
    const char *type; /* null: the operand's element type */
} extra_operands;

static const extra_operands extras[] = {
    {TOSAJIT_OP_mul, 1, "i8"},    /* shift */
    {TOSAJIT_OP_negate, 2, NULL}, /* zero points */
};

static const extra_operands *find_extras(const subject *s) {
    for (size_t k = 0; k < sizeof extras / sizeof *extras; k++)
        if (extras[k].op == s->op && s->operand_count == tosajit_op_arity(s->op)) return &extras[k];
    return NULL;
}

static void append_properties(text *t, const subject *s) {
    const char *element = tosajit_type_name(s->operands[0].element);
    if (s->op == TOSAJIT_OP_clamp && test_is_float(s->operands[0].element))
        append(t, " <{min_val = 0.0 : %s, max_val = 1.0 : %s}>", element, element);
    if (s->op == TOSAJIT_OP_clamp && !test_is_float(s->operands[0].element))
        append(t, " <{min_val = 0 : %s, max_val = 1 : %s}>", element, element);
    if (s->op == TOSAJIT_OP_arithmetic_right_shift) append(t, " <{round = false}>");
    if (test_reduces(s->op)) append(t, " <{axis = %" PRId64 " : i32}>", s->attributes.axis);
    static const char *const flags[] = {"false", "true"}, *const modes[] = {"SINGLE_ROUND",
                                                                            "INEXACT_ROUND",
                                                                            "DOUBLE_ROUND"};
    const tosajit_attributes *a = &s->attributes;
    if (s->op == TOSAJIT_OP_rescale)
        append(t,
               " <{input_unsigned = %s, output_unsigned = %s, per_channel = %s, rounding_mode = "
               "#tosa.rounding_mode<%s>, scale32 = %s}>",
               flags[a->input_unsigned], flags[a->output_unsigned], flags[a->per_channel],
               modes[a->rounding_mode], flags[a->scale32]);
}

static void print_subject(const subject *s, text *t) {
    int count = s->operand_count;
    const extra_operands *extra = find_extras(s);
    const char *element =
        extra && extra->type ? extra->type : tosajit_type_name(s->operands[0].element);
    const char *zero = strchr(element, 'f') ? "0.0" : "0";
    t->used = 0;
    append(t, "func.func @f(");
    for (int k = 0; k < count; k++) {
        append(t, "%s%%a%d: ", k ? ", " : "", k);
        append_type(t, &s->operands[k]);
    }
    append(t, ") {\n");
    if (extra)
        append(
            t,
            "  %%c = \"tosa.const\"() <{values = dense<%s> : tensor<1x%s>}> : () -> tensor<1x%s>\n",
            zero, element, element);
    append(t, "  %%r = \"tosa.%s\"(", tosajit_op_name(s->op));
    for (int k = 0; k < count; k++) append(t, "%s%%a%d", k ? ", " : "", k);
    for (int k = 0; extra && k < extra->count; k++) append(t, ", %%c");
    append(t, ")");
    append_properties(t, s);
    append(t, " : (");
    for (int k = 0; k < count; k++) {
        append(t, "%s", k ? ", " : "");
        append_type(t, &s->operands[k]);
    }
    for (int k = 0; extra && k < extra->count; k++) append(t, ", tensor<1x%s>", element);
    append(t, ") -> ");
    append_type(t, &s->result);
    append(t, "\n  return\n}\n");
}

/* Asking both. */

typedef struct fixture {
    MlirContext context;
    char message[600]; /* of MLIR's last diagnostic */
    uint64_t subjects, accepted, differences;
} fixture;

static void take_text(MlirStringRef part, void *to) {
    char *message = to;
    size_t used = strlen(message), room = sizeof((fixture *)NULL)->message - 1 - used;
    size_t length = part.length < room ? part.length : room;
    memcpy(message + used, part.data, length);
    message[used + length] = 0;
}

static MlirLogicalResult take_diagnostic(MlirDiagnostic diagnostic, void *data) {
    fixture *f = data;
    if (mlirDiagnosticGetSeverity(diagnostic) != MlirDiagnosticError)
        return mlirLogicalResultSuccess();
    f->message[0] = 0;
    mlirDiagnosticPrint(diagnostic, take_text, f->message);
    return mlirLogicalResultSuccess();
}

static bool mlir_accepts(fixture *f, const subject *s) {
    text t;
    print_subject(s, &t);
    f->message[0] = 0;
    MlirModule module = mlirModuleCreateParse(f->context, mlirStringRefCreate(t.data, t.used));
    if (mlirModuleIsNull(module)) {
        /* Only the verifier's errors name the op. */
        if (!strstr(f->message, "'tosa."))
            fail_msg("the test's own text is wrong: %s\n%s", f->message, t.data);
        return false;
    }
    mlirModuleDestroy(module);
    return true;
}

/* Differences that are legal. Each predicate says whether the reason applies to a subject. */

/* The result's shape by the operands, and by the axis of a reduction. False: there is none. */
static bool infer(const subject *s, int strict, tosajit_tensor_type *inferred) {
    const int64_t axis = s->attributes.axis;
    if (tosajit_infer_shape(s->operands, (size_t)tosajit_op_arity(s->op), strict, inferred))
        return false;
    if (!test_reduces(s->op) || inferred->rank == TOSAJIT_UNRANKED) return true;
    if (axis < 0 || axis >= inferred->rank) return false;
    inferred->dims[axis] = 1;
    return true;
}

static bool promises_a_size(const subject *s, int strict) {
    tosajit_tensor_type inferred;
    if (!strict || !infer(s, 1, &inferred) || inferred.rank != s->result.rank) return false;
    bool promised = false;
    for (int32_t d = 0; d < inferred.rank; d++) {
        if (inferred.dims[d] == TOSAJIT_DYNAMIC)
            promised |= s->result.dims[d] != TOSAJIT_DYNAMIC;
        else if (s->result.dims[d] != TOSAJIT_DYNAMIC && s->result.dims[d] != inferred.dims[d])
            return false;
    }
    return promised;
}

static bool expands_ranks(const subject *s, int strict) {
    tosajit_tensor_type inferred;
    size_t arity = (size_t)tosajit_op_arity(s->op);
    return !strict && tosajit_infer_shape(s->operands, arity, 1, &inferred) != TOSAJIT_OK &&
           tosajit_infer_shape(s->operands, arity, 0, &inferred) == TOSAJIT_OK;
}

static bool is_mul_with_legal_ranks(const subject *s, int strict) {
    tosajit_tensor_type inferred;
    (void)strict;
    return s->op == TOSAJIT_OP_mul &&
           tosajit_infer_shape(s->operands, 2, 1, &inferred) == TOSAJIT_OK &&
           inferred.rank == s->result.rank;
}

static bool is_identity(const subject *s, int strict) {
    (void)strict;
    return s->op == TOSAJIT_OP_identity;
}

/* Unsigned integers are left out: MLIR has rules of its own for these, op by op. */
static bool next_signature(tosajit_op op, unsigned *state, tosajit_type *operands,
                           tosajit_type *result) {
    while (test_next_signature(op, state, operands, result))
        if (!test_is_unsigned(operands[tosajit_op_arity(op) - 1]) && !test_is_unsigned(*result))
            return true;
    return false;
}

static bool is_extension(const subject *s, int strict) {
    (void)strict;
    return test_is_extension(s->op, s->operands[tosajit_op_arity(s->op) - 1].element,
                             s->result.element);
}

static bool is_narrow_division(const subject *s, int strict) {
    const tosajit_type type = s->operands[0].element;
    (void)strict;
    return s->op == TOSAJIT_OP_intdiv && (type == TOSAJIT_I8 || type == TOSAJIT_I16);
}

static bool has_many_dimensions(const subject *s, int strict) {
    (void)strict;
    bool many = s->result.rank > TOSAJIT_MAX_RANK;
    for (int k = 0; k < tosajit_op_arity(s->op); k++)
        many |= s->operands[k].rank > TOSAJIT_MAX_RANK;
    return many;
}

static bool is_misdeclared_rescale(const subject *s, int strict) {
    tosajit_tensor_type inferred;
    return s->op == TOSAJIT_OP_rescale &&
           (tosajit_infer_shape(s->operands, 1, strict, &inferred) != TOSAJIT_OK ||
            tosajit_verify_result(&inferred, &s->result, strict) != TOSAJIT_OK);
}

/* The attributes that section 2 of TOSA forbids (ERROR_IF). */
static bool has_illegal_scaling(const subject *s, int strict) {
    const tosajit_attributes *a = &s->attributes;
    (void)strict;
    bool wide = s->operands[0].element > TOSAJIT_I16 || s->result.element > TOSAJIT_I16;
    return s->op == TOSAJIT_OP_rescale &&
           ((a->scale32 && s->operands[0].element == TOSAJIT_I48) ||
            (a->rounding_mode == TOSAJIT_DOUBLE_ROUND && !a->scale32) ||
            (a->input_unsigned && a->output_unsigned) ||
            (wide && (a->input_unsigned || a->output_unsigned)));
}

static bool has_open_parameter(const subject *s, int strict) {
    bool open = false;
    (void)strict;
    for (int k = tosajit_op_arity(s->op); k < s->operand_count; k++)
        open |= s->operands[k].rank == TOSAJIT_UNRANKED ||
                (s->operands[k].rank == 1 && s->operands[k].dims[0] == TOSAJIT_DYNAMIC);
    return open;
}

static bool has_open_channels(const subject *s, int strict) {
    const tosajit_tensor_type *data = &s->operands[0];
    (void)strict;
    return s->attributes.per_channel && data->rank > 0 &&
           data->dims[data->rank - 1] == TOSAJIT_DYNAMIC;
}

static bool is_open_table(const subject *s, int strict) {
    bool open = false;
    (void)strict;
    for (int32_t d = 0; d < s->operands[0].rank && s->operands[0].rank == s->result.rank; d++)
        open |=
            (s->operands[0].dims[d] == TOSAJIT_DYNAMIC) != (s->result.dims[d] == TOSAJIT_DYNAMIC);
    return s->op == TOSAJIT_OP_table && open;
}

static bool has_wrong_table(const subject *s, int strict) {
    const tosajit_tensor_type *table = &s->operands[1];
    int64_t entries = s->operands[0].element == TOSAJIT_I8 ? 256 : 513;
    (void)strict;
    return s->op == TOSAJIT_OP_table && (table->element != s->operands[0].element ||
                                         (table->rank == 1 && table->dims[0] != entries));
}

static bool is_unranked_rescale(const subject *s, int strict) {
    (void)strict;
    return s->op == TOSAJIT_OP_rescale && s->operands[0].rank == TOSAJIT_UNRANKED;
}

typedef struct difference {
    bool mlir_accepts;
    bool (*applies)(const subject *s, int strict);
    const char *reason;
} difference;

static const difference differences[] = {
    {true, promises_a_size,
     "strict: a static result of a dynamic size is refused (RFC, modification 2); MLIR takes it "
     "and never checks the size"},
    {false, expands_ranks,
     "default: operands of lower rank are padded; MLIR's TOSA ops demand equal ranks (what strict "
     "does)"},
    {true, is_mul_with_legal_ranks,
     "MLIR compares the operands of tosa.mul with each other, but not the result's sizes"},
    {true, is_identity, "MLIR does not check the shapes of tosa.identity at all"},
    {true, has_many_dimensions, "more dimensions than TOSAJIT_MAX_RANK"},
    {true, is_misdeclared_rescale, "MLIR does not check the result's shape of tosa.rescale"},
    {true, has_illegal_scaling,
     "MLIR leaves the attributes of tosa.rescale to its pass tosa-validate"},
    {true, is_unranked_rescale,
     "MLIR looks at no parameter of tosa.rescale if the operand is unranked"},
    {false, has_open_parameter,
     "MLIR demands parameters of one static element; here their size may be known only when "
     "called"},
    {false, has_open_channels, "MLIR compares the size of a multiplier with the code for `?`"},
    {false, is_open_table, "MLIR compares the sizes of tosa.table with the code for `?`"},
    {false, is_narrow_division, "MLIR's tosa.intdiv has 32 or 64 bits"},
    {true, has_wrong_table, "MLIR leaves the type of tosa.table's table to its pass tosa-validate"},
    {true, is_extension,
     "strict: types are not TOSA's; MLIR leaves that to its pass tosa-validate"},
};

enum { DIFFERENCES = sizeof differences / sizeof *differences };
static uint64_t seen[DIFFERENCES];

static bool is_expected(const subject *s, bool mlir, int strict) {
    for (size_t k = 0; k < DIFFERENCES; k++) {
        if (differences[k].mlir_accepts != mlir || !differences[k].applies(s, strict)) continue;
        seen[k]++;
        return true;
    }
    return false;
}

static void compare(fixture *f, const subject *s) {
    bool mlir = mlir_accepts(f, s);
    tosajit_attributes attributes = s->attributes;
    if (s->op == TOSAJIT_OP_clamp && test_is_float(s->operands[0].element))
        attributes.max_val.f = 1.0;
    else if (s->op == TOSAJIT_OP_clamp)
        attributes.max_val.i = 1;
    for (int strict = 0; strict < 2; strict++) {
        tosajit_status status = tosajit_verify(s->op, s->operands, (size_t)s->operand_count,
                                               &attributes, &s->result, strict, NULL);
        f->subjects++;
        f->accepted += status == TOSAJIT_OK && mlir;
        if ((status == TOSAJIT_OK) == mlir) continue;
        f->differences++;
        if (is_expected(s, mlir, strict)) continue;
        text t;
        print_subject(s, &t);
        fail_msg("strict %d: tosajit says %s (%s), MLIR %s (%s):\n%s", strict,
                 tosajit_status_name(status), status ? tosajit_last_error() : "",
                 mlir ? "accepts" : "refuses", f->message, t.data);
    }
}

/* Subjects. */

static const char *const sizes[] = {"?", "1", "2", "3", "0"};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* An axis that the operand has, or nearly so if `wild`, and often a result that has size 1 there.
 */
static void add_axis(subject *s, test_random *random, bool wild) {
    const int32_t rank = s->operands[0].rank;
    int64_t *axis = &s->attributes.axis;
    if (!test_reduces(s->op)) return;
    *axis = test_random_range(random, 0, rank > 0 ? rank - 1 : rank < 0 ? TOSAJIT_MAX_RANK - 1 : 0);
    if (wild && test_random_chance(random, 8)) *axis = test_random_range(random, -1, 7);
    if (wild && test_random_chance(random, 75) && *axis >= 0 && *axis < s->result.rank)
        s->result.dims[*axis] = 1;
}

/* Types and attributes for the parameters; legal, or nearly so if `wild`. */
static void add_parameters(subject *s, test_random *random, bool wild) {
    int required, parameters = tosajit_op_parameters(s->op, &required),
                  arity = tosajit_op_arity(s->op);
    s->operand_count = arity;
    s->attributes = (tosajit_attributes){0};
    add_axis(s, random, wild);
    if (!required && (parameters == 0 || test_random_chance(random, 40))) return;
    if (s->op == TOSAJIT_OP_rescale)
        s->attributes = test_random_scaling(random, s->operands[0].element, s->result.element);
    if (s->op == TOSAJIT_OP_rescale && wild && test_random_chance(random, 20)) {
        s->attributes.scale32 = test_random_chance(random, 50);
        s->attributes.rounding_mode = (tosajit_rounding_mode)test_random_range(random, 0, 2);
        s->attributes.input_unsigned = test_random_chance(random, 30);
        s->attributes.output_unsigned = test_random_chance(random, 30);
    }
    if (s->op == TOSAJIT_OP_rescale && s->operands[0].rank == 0)
        s->attributes.per_channel = wild && test_random_chance(random, 20);
    for (int k = 0; k < parameters; k++) {
        test_parameter p =
            test_parameter_of(s->op, k, s->operands[0].element, s->result.element, &s->attributes);
        tosajit_tensor_type *type = &s->operands[s->operand_count++];
        int64_t count = p.count                   ? p.count
                        : s->operands[0].rank > 0 ? s->operands[0].dims[s->operands[0].rank - 1]
                                                  : 1;
        *type = tosajit_ranked(p.element, 1, &count);
        if (!wild) continue;
        if (count == TOSAJIT_DYNAMIC && test_random_chance(random, 60)) type->dims[0] = 3;
        if (test_random_chance(random, 10)) type->dims[0] = TOSAJIT_DYNAMIC;
        if (test_random_chance(random, 8)) type->dims[0] = test_random_range(random, 1, 4);
        if (test_random_chance(random, 2)) type->rank = 0;
        if (test_random_chance(random, 2)) type->rank = TOSAJIT_UNRANKED;
        if (test_random_chance(random, 2)) type->dims[1] = 1, type->rank = 2;
        if (test_random_chance(random, 2))
            type->element = (tosajit_type)test_random_range(random, TOSAJIT_I8, TOSAJIT_F32);
    }
}

/* Every combination of one-dimensional operands and result, and unranked in each place. */
static void one_dimension_exhaustively(void **state) {
    fixture *f = *state;
    const char *const shapes[] = {sizes[0], sizes[1], sizes[2], sizes[3], sizes[4], "*", ""};
    const int count = (int)(sizeof shapes / sizeof *shapes);
    test_random random = test_random_start(1);
    for (int op = 0; op < TOSAJIT_OP_COUNT; op++) {
        subject s = {.op = (tosajit_op)op};
        tosajit_type from[TOSAJIT_MAX_ARITY], to;
        unsigned first = 0;
        int arity = tosajit_op_arity(s.op), combinations = count;
        if (test_is_extension_op(s.op)) continue; /* nor has MLIR rules for its operands */
        if (!next_signature(s.op, &first, from, &to)) continue;
        for (int k = 0; k < arity; k++) combinations *= count;
        for (int code = 0; code < combinations; code++) {
            int rest = code;
            for (int k = 0; k < arity; k++, rest /= count)
                s.operands[k] = test_type(from[k], shapes[rest % count]);
            s.result = test_type(to, shapes[rest % count]);
            add_parameters(&s, &random, false);
            compare(f, &s);
        }
    }
}

static void random_shape(test_random *random, int32_t rank, const int64_t *base,
                         tosajit_tensor_type *type) {
    type->rank = test_random_chance(random, 6)   ? TOSAJIT_UNRANKED
                 : test_random_chance(random, 6) ? (int32_t)test_random_range(random, 0, 5)
                                                 : rank;
    for (int32_t d = 0; d < type->rank; d++) {
        type->dims[d] = d < rank ? base[d] : 1;
        if (test_random_chance(random, 25)) type->dims[d] = 1;
        if (test_random_chance(random, 25)) type->dims[d] = TOSAJIT_DYNAMIC;
        if (test_random_chance(random, 3)) type->dims[d] = test_random_range(random, 0, 4);
    }
}

/* All ops and all legal element types. */
static void random_subjects(void **state) {
    fixture *f = *state;
    uint64_t seed = test_setting("TOSAJIT_SEED", 1),
             cases = test_setting("TOSAJIT_VERDICTS", STANDARD_CASES);
    unsigned next = 0;
    int op = 0;
    for (uint64_t k = 0; k < cases; k++) {
        test_random random = test_random_start(seed + k);
        subject s;
        tosajit_type from[TOSAJIT_MAX_ARITY], to;
        while (test_is_extension_op((tosajit_op)op) ||
               !next_signature((tosajit_op)op, &next, from, &to)) {
            next = 0;
            op = (op + 1) % TOSAJIT_OP_COUNT;
        }
        s.op = (tosajit_op)op;
        int32_t rank = (int32_t)test_random_range(&random, 0, 5);
        int64_t base[6];
        for (int32_t d = 0; d < rank; d++) base[d] = test_random_range(&random, 1, 4);
        for (int o = 0; o < tosajit_op_arity(s.op); o++) {
            s.operands[o].element = from[o];
            random_shape(&random, rank, base, &s.operands[o]);
        }
        s.result.element = to;
        random_shape(&random, rank, base, &s.result);
        for (int32_t d = 0; d < s.result.rank && d < rank && test_random_chance(&random, 80); d++)
            if (s.result.dims[d] != TOSAJIT_DYNAMIC) s.result.dims[d] = base[d];
        add_parameters(&s, &random, true);
        compare(f, &s);
    }
    print_message("TOSAJIT_SEED=%" PRIu64 " TOSAJIT_VERDICTS=%" PRIu64 "\n", seed, cases);
}

static void more_dimensions_than_there_is_room_for(void **state) {
    fixture *f = *state;
    for (int32_t rank = TOSAJIT_MAX_RANK; rank <= TOSAJIT_MAX_RANK + 1; rank++) {
        subject s = {.op = TOSAJIT_OP_abs, .operand_count = 1};
        s.operands[0] = s.result = (tosajit_tensor_type){TOSAJIT_F32, rank, {0}};
        for (int32_t d = 0; d < TOSAJIT_MAX_RANK; d++) s.operands[0].dims[d] = s.result.dims[d] = 1;
        compare(f, &s);
    }
}

/* Too rare among the random subjects. */
static void a_wrong_parameter_of_an_unranked_operand(void **state) {
    fixture *f = *state;
    subject s = {.op = TOSAJIT_OP_rescale, .operand_count = 5, .attributes = {.scale32 = 1}};
    static const tosajit_type elements[] = {TOSAJIT_I8, TOSAJIT_I32, TOSAJIT_I8, TOSAJIT_I8,
                                            TOSAJIT_I8};
    for (int k = 0; k < 5; k++)
        s.operands[k] = test_type(elements[k], k == 0 ? "*" : k == 2 ? "4" : "1");
    s.result = test_type(TOSAJIT_I8, "*");
    compare(f, &s);
}

/* Element types: what tosajit takes, MLIR takes; MLIR also takes types that TOSA's tables do not
 * have. */
static void legal_element_types_are_legal_in_mlir(void **state) {
    fixture *f = *state;
    test_random random = test_random_start(1);
    for (int op = 0; op < TOSAJIT_OP_COUNT; op++) {
        subject s = {.op = (tosajit_op)op};
        tosajit_type from[TOSAJIT_MAX_ARITY], to;
        if (test_is_extension_op(s.op)) continue;
        for (unsigned next = 0; next_signature(s.op, &next, from, &to);) {
            const tosajit_type last = from[tosajit_op_arity(s.op) - 1];
            if (!test_is_float(last) && test_is_extension(s.op, last, to)) continue;
            for (int k = 0; k < tosajit_op_arity(s.op); k++)
                s.operands[k] = test_type(from[k], "2x?");
            s.result = test_type(to, "2x?");
            add_parameters(&s, &random, false);
            if (test_reduces(s.op)) s.result.dims[s.attributes.axis] = 1;
            if (!mlir_accepts(f, &s))
                fail_msg("tosa.%s of %s to %s: %s", tosajit_op_name(s.op),
                         tosajit_type_name(from[0]), tosajit_type_name(to), f->message);
        }
    }
}

static void every_listed_difference_occurred(void **state) {
    fixture *f = *state;
    print_message("%" PRIu64 " verdicts, accepted by both %" PRIu64
                  ", expected differences %" PRIu64 "\n",
                  f->subjects, f->accepted, f->differences);
    for (size_t k = 0; k < DIFFERENCES; k++) {
        print_message("  %6" PRIu64 " %s\n", seen[k], differences[k].reason);
        assert_true(seen[k] > 0);
    }
}

static int open_fixture(void **state) {
    static fixture f;
    f.context = mlirContextCreate();
    mlirDialectHandleRegisterDialect(mlirGetDialectHandle__func__(), f.context);
    mlirDialectHandleRegisterDialect(mlirGetDialectHandle__tosa__(), f.context);
    mlirContextAttachDiagnosticHandler(f.context, take_diagnostic, &f, NULL);
    *state = &f;
    return 0;
}

static int close_fixture(void **state) {
    fixture *f = *state;
    mlirContextDestroy(f->context);
    return 0;
}

int main(void) {
    return TEST_RUN(open_fixture, close_fixture, TEST(one_dimension_exhaustively),
                    TEST(random_subjects), TEST(more_dimensions_than_there_is_room_for),
                    TEST(a_wrong_parameter_of_an_unranked_operand),
                    TEST(legal_element_types_are_legal_in_mlir),
                    TEST(every_listed_difference_occurred));
}

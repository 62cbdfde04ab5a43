/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The op table and the checks that follow from its rows. */
#include "runtime/expr/ops.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "runtime/expr/convert.h"
#include "runtime/base/diag.h"
#include "runtime/base/fpenv.h"
#include "runtime/base/types.h"
#include "tosajit/inspect.h"

/* The words of ops.def's column of element types: bit t is element type t. */
enum {
    I1 = 1 << TOSAJIT_I1,
    I8 = 1 << TOSAJIT_I8,
    I16 = 1 << TOSAJIT_I16,
    I32 = 1 << TOSAJIT_I32,
    I48 = 1 << TOSAJIT_I48,
    I64 = 1 << TOSAJIT_I64,
    F8 = 1 << TOSAJIT_F8E4M3FN | 1 << TOSAJIT_F8E5M2,
    F16 = 1 << TOSAJIT_F16,
    BF16 = 1 << TOSAJIT_BF16,
    F32 = 1 << TOSAJIT_F32,
    F64 = 1 << TOSAJIT_F64,
    U8 = 1 << TOSAJIT_U8,
    U16 = 1 << TOSAJIT_U16,
    U32 = 1 << TOSAJIT_U32,
    U64 = 1 << TOSAJIT_U64,
    UNSIGNED = U8 | U16 | U32 | U64,
    FLOATS = F16 | BF16 | F32,
    REALS = FLOATS | F64,
    WIDTHS = I8 | I16 | I32 | I48,
    SIGNED = I8 | I16 | I32 | I64,
    INTEGERS = SIGNED | UNSIGNED,
    VALUES = INTEGERS | REALS,
    ANY = (1 << TOSAJIT_TYPE_COUNT) - 1,
    NO_NARROW = 1 << 30, /* of TOSA's types there are no I8 and I16 */
    NO_WIDE = 1 << 29,   /* nor I32 and I64 */
    COUNTED = INTEGERS | NO_NARROW,
    NUMBERS = COUNTED | REALS,
    CLAMPED = VALUES | NO_WIDE,
    SUMMED = I32 | I64 | U32 | U64 | REALS,
};

/* A row that lacks a column does not compile here, nor one with a word that its column has not. */
const op_row op_table[TOSAJIT_OP_COUNT] = {
/* clang-format off */
#define TOSAJIT_OP(name, arity, signature, elements, attributes, result, work, integers, formula) \
    {#name, formula, SIGNATURE_##signature, RESULT_##result, WORK_##work, COMPUTED_##integers,    \
     elements, ATTRIBUTE_##attributes, arity},
#define TOSAJIT_VIEW_OP TOSAJIT_OP
/* clang-format on */
#include "tosajit/ops.def"
#undef TOSAJIT_OP
};

/* Casts of TOSA 1.1, CAST: row = from, bits = to. This library has all others, too, but those of
 * i48, those between f8 and what is no FLOAT, and to the same type. */
static const unsigned tosa_casts[TOSAJIT_TYPE_COUNT] = {
    [TOSAJIT_I1] = SIGNED | F32,
    [TOSAJIT_I8] = I1 | I16 | I32 | FLOATS,
    [TOSAJIT_I16] = I1 | I8 | I32 | FLOATS,
    [TOSAJIT_I32] = I1 | I8 | I16 | I64 | FLOATS,
    [TOSAJIT_I64] = I1 | I32,
    [TOSAJIT_F16] = I8 | I16 | I32 | F32 | F8,
    [TOSAJIT_BF16] = I8 | I16 | I32 | F32 | F8,
    [TOSAJIT_F32] = I1 | I8 | I16 | I32 | F16 | BF16 | F8,
    [TOSAJIT_F8E4M3FN] = FLOATS,
    [TOSAJIT_F8E5M2] = FLOATS,
};

static unsigned cast_targets(tosajit_type from) {
    const unsigned own = 1U << from;
    return own & VALUES ? ((I1 | VALUES) & ~own) | tosa_casts[from]
           : own & I1   ? VALUES
                        : tosa_casts[from];
}

/* Reasons for strict expressions to refuse the types that go with an op on this operand. */
static unsigned extensions(tosajit_op op, tosajit_type operand) {
    if (op_table[op].attributes & ATTRIBUTE_EXTENSION) return ANY;
    if (op == TOSAJIT_OP_reduce_product) return F64 | INTEGERS;
    const unsigned lacks = op_table[op].elements, casts = tosa_casts[operand];
    if (op_table[op].signature == SIGNATURE_CONVERT && casts) return ANY & ~(casts | 1U << operand);
    return F64 | UNSIGNED | (lacks & NO_NARROW ? I8 | I16 : 0) | (lacks & NO_WIDE ? I32 | I64 : 0);
}

/* Images and shared code hold ops by their numbers, and those who wrote them may be long gone. */
_Static_assert(TOSAJIT_OP_abs == 0 && TOSAJIT_OP_add == 19 && TOSAJIT_OP_rescale == 40 &&
                   TOSAJIT_OP_roundeven == 43 && TOSAJIT_OP_exp2 == 44 &&
                   TOSAJIT_OP_floor_divide == 66 && TOSAJIT_OP_reduce_count == 73 &&
                   TOSAJIT_OP_reshape == 74 && TOSAJIT_OP_pad == 80 && TOSAJIT_OP_nextafter == 81 &&
                   TOSAJIT_OP_argmax == 82 && TOSAJIT_OP_index == 84 && TOSAJIT_OP_gather == 85 &&
                   TOSAJIT_OP_cumsum == 86 && TOSAJIT_OP_logcumsumexp == 90 &&
                   TOSAJIT_OP_scatter == 91 && TOSAJIT_OP_scatter_min == 94 && TOSAJIT_OP_fma == 95,
               "rows of ops.def are appended, never moved, taken away or put between others");

bool op_is_float_code(tosajit_op op, tosajit_type operand, tosajit_type result) {
    const op_row *row = &op_table[op];
    if (row->result == RESULT_MOVED) return false;
    return row->integers == COMPUTED_FLOAT || type_is_float(operand) || type_is_float(result);
}

static bool is_byte(tosajit_type type) { return 1 << type & (I8 | U8 | F8); }
bool op_maps_bytes(tosajit_op op, tosajit_type operand, tosajit_type result) {
    return op_has_table(op) && is_byte(operand) && is_byte(result);
}

const char *tosajit_op_name(tosajit_op op) { return op_is_valid(op) ? op_table[op].name : NULL; }
int tosajit_op_arity(tosajit_op op) { return op_is_valid(op) ? op_table[op].arity : 0; }
int tosajit_op_parameters(tosajit_op op, int *required) {
    unsigned taken = op_is_valid(op) ? op_table[op].attributes : 0;
    if (required) *required = (taken & (ATTRIBUTE_TABLE | ATTRIBUTE_SCALING)) != 0;
    return taken & ATTRIBUTE_SCALING                     ? 4
           : taken & ATTRIBUTE_ZERO_POINTS               ? 2
           : taken & (ATTRIBUTE_SHIFT | ATTRIBUTE_TABLE) ? 1
                                                         : 0;
}
const char *tosajit_op_formula(tosajit_op op) {
    return op_is_valid(op) ? op_table[op].formula : NULL;
}

tosajit_op tosajit_op_find(const char *name) {
    if (!name) return TOSAJIT_OP_COUNT;
    if (strncmp(name, "tosa.", 5) == 0) name += 5;
    if (strcmp(name, "div") == 0) name = "intdiv"; /* the RFC's name */
    for (int op = 0; op < TOSAJIT_OP_COUNT; op++)
        if (strcmp(op_table[op].name, name) == 0) return (tosajit_op)op;
    return TOSAJIT_OP_COUNT;
}

static bool set_has(unsigned set, tosajit_type type) {
    return type_is_valid(type) && (set >> type & 1);
}

bool op_result_element(tosajit_op op, const tosajit_type *operands, tosajit_type *result) {
    const op_row *row = &op_table[op];
    tosajit_type leading = operands[op_leading(op)];
    if (!set_has(row->elements, leading)) return false;
    if (op_has_index(op) && !set_has(I32 | I64, operands[1])) return false;
    if (op_scatters(op) && operands[2] != leading) return false;
    for (int k = 0; k < row->arity && !op_has_index(op); k++) {
        tosajit_type expected = row->signature == SIGNATURE_SELECT && k == 0 ? TOSAJIT_I1 : leading;
        if (operands[k] != expected) return false;
    }
    switch (row->signature) {
    case SIGNATURE_COMPARE: *result = TOSAJIT_I1; break;
    case SIGNATURE_POSITION:
    case SIGNATURE_INDEX: *result = TOSAJIT_I32; break;
    case SIGNATURE_WIDEN:
        *result = leading == TOSAJIT_I8 || leading == TOSAJIT_I16 ? TOSAJIT_I32 : leading;
        break;
    case SIGNATURE_LOOKUP: *result = leading == TOSAJIT_I8 ? TOSAJIT_I8 : TOSAJIT_I32; break;
    case SIGNATURE_SAME:
    case SIGNATURE_GATHER:
    case SIGNATURE_SCAN:
    case SIGNATURE_SCATTER:
    case SIGNATURE_REDUCE:
    case SIGNATURE_VIEW:
    case SIGNATURE_SELECT: *result = leading; break;
    case SIGNATURE_CONVERT:
    case SIGNATURE_SCALE: break;
    }
    return true;
}

static bool accepts(tosajit_op op, const tosajit_type *operands, tosajit_type result,
                    unsigned refused) {
    tosajit_type implied = result;
    const op_signature signature = op_table[op].signature;
    const bool counts = signature == SIGNATURE_POSITION || signature == SIGNATURE_INDEX;
    if (set_has(refused, operands[op_leading(op)]) || (!counts && set_has(refused, result)))
        return false;
    if (!op_result_element(op, operands, &implied) || implied != result) return false;
    switch (op_table[op].signature) {
    case SIGNATURE_CONVERT: return set_has(cast_targets(operands[0]), result);
    case SIGNATURE_SCALE: return set_has(I8 | I16 | I32, result);
    default: return true;
    }
}

int tosajit_op_accepts(tosajit_op op, const tosajit_type *operands, tosajit_type result) {
    return op_is_valid(op) && operands && accepts(op, operands, result, 0);
}

/* Append the names of a set, "i8, i16, i32". */
static size_t print_set(char *text, size_t capacity, size_t used, unsigned set) {
    const char *separator = "";
    for (int t = 0; t < TOSAJIT_TYPE_COUNT && used < capacity; t++) {
        if (!(set >> t & 1)) continue;
        used += (size_t)snprintf(text + used, capacity - used, "%s%s", separator,
                                 tosajit_type_name((tosajit_type)t));
        separator = ", ";
    }
    return used;
}

/* Operands of an op, by its signature; the types follow. */
static const char *const forms[] = {
    [SIGNATURE_SAME] = "operands and result of one type, one of",
    [SIGNATURE_COMPARE] = "operands of one type and an i1 result; the type is one of",
    [SIGNATURE_SELECT] = "(i1, T, T) -> T, with T one of",
    [SIGNATURE_WIDEN] = ("operands of one type and a result of that type, i32 for i8 and "
                         "i16; the type is one of"),
    [SIGNATURE_CONVERT] = "an operand of another type than the result, both among",
    [SIGNATURE_LOOKUP] = "i8 -> i8 and i16 -> i32; the operand is one of",
    [SIGNATURE_REDUCE] = "an operand and a result of one type, one of",
    [SIGNATURE_VIEW] = "an operand and a result of one type, one of",
    [SIGNATURE_SCAN] = "an operand and a result of one type, one of",
    [SIGNATURE_POSITION] = "an i32 result and an operand of",
    [SIGNATURE_INDEX] = "an i32 result and an operand of",
    [SIGNATURE_GATHER] = "(T, i32) -> T and (T, i64) -> T, with T one of",
    [SIGNATURE_SCATTER] = "(T, i32, T) -> T and (T, i64, T) -> T, with T one of",
    [SIGNATURE_SCALE] =
        ("a result of i8, i16 or i32, which attributes tell to be unsigned (as `tosa-opt "
         "--tosa-convert-integer-type-to-signless` writes it), and an operand of"),
};

tosajit_status op_check_elements(tosajit_op op, const tosajit_type *operands, tosajit_type result,
                                 bool strict) {
    const unsigned refused = strict && type_is_valid(operands[0]) ? extensions(op, operands[0]) : 0;
    if (refused == ANY)
        return diag_error(TOSAJIT_TYPE_MISMATCH,
                          "an extension of TOSA, which a strict expression cannot have");
    if (accepts(op, operands, result, refused)) return TOSAJIT_OK;
    const op_row *row = &op_table[op];
    char given[96] = "", legal[160] = "";
    size_t used = 0;
    for (int k = 0; k < row->arity; k++) {
        const char *name = tosajit_type_name(operands[k]);
        used += (size_t)snprintf(given + used, sizeof given - used, "%s%s", k ? ", " : "",
                                 name ? name : "invalid");
    }
    bool is_cast = row->signature == SIGNATURE_CONVERT && type_is_valid(operands[0]) &&
                   !set_has(refused, operands[0]);
    print_set(legal, sizeof legal, 0,
              (is_cast ? cast_targets(operands[0]) : row->elements) & ~refused);
    const char *to = tosajit_type_name(result);
    return diag_error(TOSAJIT_TYPE_MISMATCH, "not defined for (%s) -> %s; it takes %s %s", given,
                      to ? to : "invalid", is_cast ? "this operand to" : forms[row->signature],
                      legal);
}

static bool is_value_of(tosajit_type element, double value) {
    return convert_decode(element, convert_encode(element, (cell){.f = value})).f == value;
}

static tosajit_status check_clamp(tosajit_type element, const tosajit_attributes *a) {
    if (type_is_float(element)) {
        if (isnan(a->min_val.f) || isnan(a->max_val.f))
            return diag_error(TOSAJIT_BAD_ATTRIBUTE, "min_val and max_val must not be NaN");
        if (!is_value_of(element, a->min_val.f) || !is_value_of(element, a->max_val.f))
            return diag_error(TOSAJIT_BAD_ATTRIBUTE,
                              "min_val %.17g and max_val %.17g must be values of %s", a->min_val.f,
                              a->max_val.f, tosajit_type_name(element));
        if (a->min_val.f > a->max_val.f)
            return diag_error(TOSAJIT_BAD_ATTRIBUTE, "min_val %g is greater than max_val %g",
                              a->min_val.f, a->max_val.f);
        return TOSAJIT_OK;
    }
    if (!type_has(element, a->min_val.i) || !type_has(element, a->max_val.i))
        return diag_error(TOSAJIT_BAD_ATTRIBUTE,
                          "min_val %" PRId64 " and max_val %" PRId64 " must be values of %s",
                          a->min_val.i, a->max_val.i, tosajit_type_name(element));
    if (type_is_less(element, a->max_val.i, a->min_val.i))
        return diag_error(TOSAJIT_BAD_ATTRIBUTE, "min_val %s is greater than max_val %s",
                          type_print_integer(element, a->min_val.i).text,
                          type_print_integer(element, a->max_val.i).text);
    return TOSAJIT_OK;
}

/* Zero points, TOSA 1.1, NEGATE and RESCALE: any of i8, 0 or 2^15 of unsigned i16, else 0. */
static op_parameter zero_point(const char *name, tosajit_type element, bool is_unsigned) {
    op_parameter p = {.name = name, .element = element, .count = 1, .is_unsigned = is_unsigned};
    if (element == TOSAJIT_I8) {
        p.low = is_unsigned ? 0 : INT8_MIN;
        p.high = is_unsigned ? UINT8_MAX : INT8_MAX;
    } else if (element == TOSAJIT_I16 && is_unsigned) {
        p.high = 1 << 15;
        p.sparse = true;
    }
    return p;
}

op_parameter op_describe_parameter(tosajit_op op, int k, tosajit_type operand, tosajit_type result,
                                   const tosajit_attributes *a) {
    unsigned taken = op_table[op].attributes;
    int64_t channels = a->per_channel ? 0 : 1;
    if (taken & ATTRIBUTE_SHIFT)
        return (op_parameter){"shift", TOSAJIT_I8, 1, 0, operand == TOSAJIT_I32 ? 63 : 0,
                              false,   false};
    if (taken & ATTRIBUTE_ZERO_POINTS)
        return zero_point(k == 0 ? "input_zp" : "output_zp", operand, false);
    if (taken & ATTRIBUTE_TABLE)
        return is_byte(operand)
                   ? (op_parameter){"table", TOSAJIT_I8, 256, INT8_MIN, INT8_MAX, false, false}
                   : (op_parameter){"table", TOSAJIT_I16, 513, INT16_MIN, INT16_MAX, false, false};
    switch (k) {
    case PARAMETER_MULTIPLIER:
        return a->scale32
                   ? (op_parameter){"multiplier", TOSAJIT_I32, channels, 0, INT32_MAX, false, false}
                   : (op_parameter){"multiplier", TOSAJIT_I16, channels, 0,
                                    INT16_MAX,    false,       false};
    case PARAMETER_SHIFT: return (op_parameter){"shift", TOSAJIT_I8, channels, 2, 62, false, false};
    case PARAMETER_INPUT_ZP: return zero_point("input_zp", operand, a->input_unsigned);
    default: return zero_point("output_zp", result, a->output_unsigned);
    }
}

static tosajit_status check_zero_point(const op_parameter *p, int64_t value) {
    if (value >= p->low && value <= p->high) return TOSAJIT_OK;
    if (p->low == p->high)
        return diag_error(TOSAJIT_BAD_ATTRIBUTE,
                          "%s %" PRId64 " is not legal for %s, which takes only 0", p->name, value,
                          tosajit_type_name(p->element));
    return diag_error(TOSAJIT_BAD_ATTRIBUTE,
                      "%s %" PRId64 " is not legal for %s, which takes %" PRId64 "..%" PRId64,
                      p->name, value, tosajit_type_name(p->element), p->low, p->high);
}

/* An attribute that the op does not take must be zero: a value there is a mistake that would pass
 * silently. */
static const char *stray_attribute(tosajit_op op, const tosajit_attributes *a) {
    const unsigned taken = op_table[op].attributes;
    const bool scaling = taken & ATTRIBUTE_SCALING;
    if (!(taken & ATTRIBUTE_MIN_MAX) && (a->min_val.i || a->max_val.i)) return "min_val or max_val";
    if (!(taken & ATTRIBUTE_NAN_MODE) && a->nan_mode) return "nan_mode";
    if (!(taken & ATTRIBUTE_SHIFT) && a->shift) return "shift attribute";
    if (!(taken & ATTRIBUTE_ZERO_POINTS) && (a->input_zp || a->output_zp))
        return "input_zp or output_zp attribute";
    if (!(taken & ATTRIBUTE_ROUND) && a->round) return "round";
    if (!(taken & ATTRIBUTE_UNSIGNED) && !scaling && a->input_unsigned) return "input_unsigned";
    if (!scaling && (a->rounding_mode || a->output_unsigned || a->scale32 || a->per_channel))
        return "rounding_mode, output_unsigned, scale32 or per_channel";
    if (!(taken & ATTRIBUTE_AXIS) && a->axis) return "axis";
    if ((!op_is_along(op) || op_scans(op)) && a->joined) return "joined dimensions";
    if (!(taken & ATTRIBUTE_FORM) && (a->exclusive || a->reverse)) return "exclusive or reverse";
    if (!(taken & ATTRIBUTE_LIST) && (a->numbers || a->number_count)) return "list of numbers";
    if (!(taken & ATTRIBUTE_INDEX_MODE) && a->index_mode)
        return "index_mode; tosajit_attributes begins as {0}";
    return NULL;
}

static bool is_small(tosajit_type type) { return type == TOSAJIT_I8 || type == TOSAJIT_I16; }

/* TOSA 1.1, RESCALE: the ERROR_IF conditions on attributes. */
static tosajit_status check_scaling(tosajit_type operand, tosajit_type result,
                                    const tosajit_attributes *a) {
    if ((unsigned)a->rounding_mode > TOSAJIT_DOUBLE_ROUND)
        return diag_error(
            TOSAJIT_BAD_ATTRIBUTE,
            "rounding_mode %d is not SINGLE_ROUND (0), INEXACT_ROUND (1) or DOUBLE_ROUND (2)",
            (int)a->rounding_mode);
    if (a->rounding_mode == TOSAJIT_DOUBLE_ROUND && !a->scale32)
        return diag_error(TOSAJIT_BAD_ATTRIBUTE, "DOUBLE_ROUND needs scale32");
    if (a->scale32 && operand == TOSAJIT_I48)
        return diag_error(TOSAJIT_BAD_ATTRIBUTE, "scale32 is not legal for an operand of i48");
    if (a->input_unsigned && a->output_unsigned)
        return diag_error(TOSAJIT_BAD_ATTRIBUTE,
                          "input_unsigned and output_unsigned exclude each other");
    if ((a->input_unsigned || a->output_unsigned) && !(is_small(operand) && is_small(result)))
        return diag_error(TOSAJIT_BAD_ATTRIBUTE,
                          "%s is legal only from i8 or i16 to i8 or i16, not from %s to %s",
                          a->input_unsigned ? "input_unsigned" : "output_unsigned",
                          tosajit_type_name(operand), tosajit_type_name(result));
    return TOSAJIT_OK;
}

static tosajit_status check_shift(tosajit_type operand, int32_t shift) {
    if (shift && operand != TOSAJIT_I32)
        return diag_error(TOSAJIT_BAD_ATTRIBUTE, "shift must be 0 for %s, not %d",
                          tosajit_type_name(operand), (int)shift);
    if (shift < 0 || shift > 63)
        return diag_error(TOSAJIT_BAD_ATTRIBUTE, "shift %d is not in 0..63", (int)shift);
    return TOSAJIT_OK;
}

static tosajit_status check_zero_points(tosajit_type operand, const tosajit_attributes *a) {
    op_parameter in = zero_point("input_zp", operand, false),
                 out = zero_point("output_zp", operand, false);
    tosajit_status status = check_zero_point(&in, a->input_zp);
    return status ? status : check_zero_point(&out, a->output_zp);
}

tosajit_status op_check_attributes(tosajit_op op, tosajit_type operand, tosajit_type result,
                                   const tosajit_attributes *a) {
    unsigned taken = op_table[op].attributes;
    const char *stray = stray_attribute(op, a);
    if (stray) return diag_error(TOSAJIT_BAD_ATTRIBUTE, "the op takes no %s", stray);
    if ((unsigned)a->nan_mode > TOSAJIT_NAN_IGNORE)
        return diag_error(TOSAJIT_BAD_ATTRIBUTE, "nan_mode %d is not PROPAGATE (0) or IGNORE (1)",
                          (int)a->nan_mode);
    if ((unsigned)a->index_mode > TOSAJIT_INDEX_WRAP)
        return diag_error(TOSAJIT_BAD_ATTRIBUTE,
                          "index_mode %d is not STRICT (0), SIGNED (1), CLIP (2) or WRAP (3)",
                          (int)a->index_mode);
    if (taken & ATTRIBUTE_UNSIGNED && a->input_unsigned &&
        (operand == TOSAJIT_I1 || type_is_unsigned(operand) || type_is_float(operand)))
        return diag_error(TOSAJIT_BAD_ATTRIBUTE, "input_unsigned is not legal for an operand of %s",
                          tosajit_type_name(operand));
    if (taken & ATTRIBUTE_MIN_MAX) {
        fpenv environment;
        fpenv_hold(&environment); /* rounds, to see whether that changes the value */
        tosajit_status status = check_clamp(operand, a);
        fpenv_restore(&environment);
        return status;
    }
    if (taken & ATTRIBUTE_SHIFT) return check_shift(operand, a->shift);
    if (taken & ATTRIBUTE_ZERO_POINTS) return check_zero_points(operand, a);
    return taken & ATTRIBUTE_SCALING ? check_scaling(operand, result, a) : TOSAJIT_OK;
}

/* By bits, which no floating-point environment changes: 0 is the one without any but the sign's. */
static tosajit_status check_zeros(const op_parameter *p, const void *data, int64_t count) {
    const size_t size = tosajit_type_size(p->element);
    const uint64_t magnitude = (UINT64_C(1) << (8 * size - 1)) - 1;
    for (int64_t k = 0; k < count; k++)
        if (convert_load(p->element, (const char *)data + (size_t)k * size) & magnitude)
            return diag_error(TOSAJIT_BAD_ATTRIBUTE, "%s must be 0 for %s", p->name,
                              tosajit_type_name(p->element));
    return TOSAJIT_OK;
}

tosajit_status op_check_parameter(const op_parameter *p, const void *data, int64_t count) {
    if (type_is_float(p->element)) return check_zeros(p, data, count);
    for (int64_t k = 0; k < count; k++) {
        int64_t value =
            convert_decode(p->element,
                           convert_load(p->element, (const char *)data +
                                                        (size_t)k * tosajit_type_size(p->element)))
                .i;
        if (p->is_unsigned) value &= (INT64_C(1) << type_width(p->element)) - 1;
        if (value < p->low || value > p->high || (p->sparse && value != p->low && value != p->high))
            return diag_error(
                TOSAJIT_BAD_ATTRIBUTE,
                "%s[%" PRId64 "] is %" PRId64 ", which is not %s%" PRId64 " %s %" PRId64, p->name,
                k, value, p->sparse ? "" : "in ", p->low, p->sparse ? "or" : "to", p->high);
    }
    return TOSAJIT_OK;
}

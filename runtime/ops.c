/* The op table and the checks that follow from its rows. */
#include "runtime/ops.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "runtime/diag.h"
#include "runtime/types.h"

/* Element type sets of ops.def. */
#define BIT(type) (1u << TOSAJIT_##type)
enum {
    SET_I1 = BIT(I1),
    SET_I8 = BIT(I8),
    SET_I16 = BIT(I16),
    SET_I32 = BIT(I32),
    SET_F32 = BIT(F32),
};

/* The names that ops.def uses, in scope only where the table is made. */
#define SAME SIGNATURE_SAME
#define COMPARE SIGNATURE_COMPARE
#define SELECT SIGNATURE_SELECT
#define WIDEN SIGNATURE_WIDEN
#define CONVERT SIGNATURE_CONVERT
#define NONE 0
#define MIN_MAX ATTRIBUTE_MIN_MAX
#define NAN_MODE ATTRIBUTE_NAN_MODE
#define SHIFT ATTRIBUTE_SHIFT
#define ZERO_POINTS ATTRIBUTE_ZERO_POINTS
#define ROUND ATTRIBUTE_ROUND
#define UNSIGNED ATTRIBUTE_UNSIGNED
#define I1 SET_I1
#define I8 SET_I8
#define I16 SET_I16
#define I32 SET_I32
#define F32 SET_F32
#define INTEGERS (SET_I8 | SET_I16 | SET_I32)
#define BASE (SET_I1 | SET_I8 | SET_I16 | SET_I32 | SET_F32)
#define ANY ((1u << TOSAJIT_TYPE_COUNT) - 1)
const op_row op_table[TOSAJIT_OP_COUNT] = {
#define TOSAJIT_OP(name, arity, signature, elements, attributes, formula) {#name, formula, arity, signature, elements, attributes},
#include "tosajit/ops.def"
#undef TOSAJIT_OP
};
#undef SAME
#undef COMPARE
#undef SELECT
#undef WIDEN
#undef CONVERT
#undef NONE
#undef MIN_MAX
#undef NAN_MODE
#undef SHIFT
#undef ZERO_POINTS
#undef ROUND
#undef UNSIGNED
#undef I1
#undef I8
#undef I16
#undef I32
#undef F32
#undef INTEGERS
#undef BASE
#undef ANY

/* Legal casts, TOSA 1.1, CAST: row = from, bits = to. TOSA has no cast to the same type. */
static const unsigned cast_targets[TOSAJIT_TYPE_COUNT] = {
    [TOSAJIT_I1] = SET_I8 | SET_I16 | SET_I32 | SET_F32,
    [TOSAJIT_I8] = SET_I1 | SET_I16 | SET_I32 | SET_F32,
    [TOSAJIT_I16] = SET_I1 | SET_I8 | SET_I32 | SET_F32,
    [TOSAJIT_I32] = SET_I1 | SET_I8 | SET_I16 | SET_F32,
    [TOSAJIT_F32] = SET_I1 | SET_I8 | SET_I16 | SET_I32,
};

const char *tosajit_op_name(tosajit_op op) { return op_is_valid(op) ? op_table[op].name : NULL; }
int tosajit_op_arity(tosajit_op op) { return op_is_valid(op) ? op_table[op].arity : 0; }
const char *tosajit_op_formula(tosajit_op op) { return op_is_valid(op) ? op_table[op].formula : NULL; }

tosajit_op tosajit_op_find(const char *name) {
    if (!name) return TOSAJIT_OP_COUNT;
    if (strncmp(name, "tosa.", 5) == 0) name += 5;
    if (strcmp(name, "div") == 0) name = "intdiv"; /* the RFC's name */
    for (int op = 0; op < TOSAJIT_OP_COUNT; op++)
        if (strcmp(op_table[op].name, name) == 0) return (tosajit_op)op;
    return TOSAJIT_OP_COUNT;
}

static bool set_has(unsigned set, tosajit_type type) { return type_is_valid(type) && (set >> type & 1); }

bool op_result_element(tosajit_op op, const tosajit_type *operands, tosajit_type *result) {
    const op_row *row = &op_table[op];
    tosajit_type leading = operands[row->arity - 1];
    if (!set_has(row->elements, leading)) return false;
    for (int k = 0; k < row->arity; k++) {
        tosajit_type expected = row->signature == SIGNATURE_SELECT && k == 0 ? TOSAJIT_I1 : leading;
        if (operands[k] != expected) return false;
    }
    switch (row->signature) {
    case SIGNATURE_COMPARE: *result = TOSAJIT_I1; break;
    case SIGNATURE_WIDEN: *result = leading == TOSAJIT_I8 || leading == TOSAJIT_I16 ? TOSAJIT_I32 : leading; break;
    case SIGNATURE_SAME:
    case SIGNATURE_SELECT: *result = leading; break;
    case SIGNATURE_CONVERT: break;
    }
    return true;
}

int tosajit_op_accepts(tosajit_op op, const tosajit_type *operands, tosajit_type result) {
    if (!op_is_valid(op) || !operands) return 0;
    tosajit_type implied = result;
    if (!op_result_element(op, operands, &implied) || implied != result) return 0;
    return op_table[op].signature != SIGNATURE_CONVERT || set_has(cast_targets[operands[0]], result);
}

/* Append the names of a set, "i8, i16, i32". */
static size_t print_set(char *text, size_t capacity, size_t used, unsigned set) {
    const char *separator = "";
    for (int t = 0; t < TOSAJIT_TYPE_COUNT && used < capacity; t++) {
        if (!(set >> t & 1)) continue;
        used += (size_t)snprintf(text + used, capacity - used, "%s%s", separator, tosajit_type_name((tosajit_type)t));
        separator = ", ";
    }
    return used;
}

tosajit_status op_check_elements(tosajit_op op, const tosajit_type *operands, tosajit_type result) {
    if (tosajit_op_accepts(op, operands, result)) return TOSAJIT_OK;
    static const char *const forms[] = {
        [SIGNATURE_SAME] = "operands and result of one type, one of",
        [SIGNATURE_COMPARE] = "operands of one type and an i1 result; the type is one of",
        [SIGNATURE_SELECT] = "(i1, T, T) -> T, with T one of",
        [SIGNATURE_WIDEN] = "operands of one type and a result of that type, i32 for i8 and i16; the type is one of",
        [SIGNATURE_CONVERT] = "an operand of another type than the result, both among",
    };
    const op_row *row = &op_table[op];
    char given[96] = "", legal[160] = "";
    size_t used = 0;
    for (int k = 0; k < row->arity; k++) {
        const char *name = tosajit_type_name(operands[k]);
        used += (size_t)snprintf(given + used, sizeof given - used, "%s%s", k ? ", " : "", name ? name : "invalid");
    }
    print_set(legal, sizeof legal, 0, row->elements);
    const char *to = tosajit_type_name(result);
    return diag_error(TOSAJIT_TYPE_MISMATCH, "not defined for (%s) -> %s; it takes %s %s", given, to ? to : "invalid", forms[row->signature],
                      legal);
}

static tosajit_status check_clamp(tosajit_type element, const tosajit_attributes *a) {
    if (type_is_float(element)) {
        if (isnan(a->min_val.f) || isnan(a->max_val.f)) return diag_error(TOSAJIT_BAD_ATTRIBUTE, "min_val and max_val must not be NaN");
        if (!((double)(float)a->min_val.f == a->min_val.f && (double)(float)a->max_val.f == a->max_val.f))
            return diag_error(TOSAJIT_BAD_ATTRIBUTE, "min_val %.17g and max_val %.17g must be values of %s", a->min_val.f, a->max_val.f,
                              tosajit_type_name(element));
        if (a->min_val.f > a->max_val.f)
            return diag_error(TOSAJIT_BAD_ATTRIBUTE, "min_val %g is greater than max_val %g", a->min_val.f, a->max_val.f);
        return TOSAJIT_OK;
    }
    int width = type_width(element);
    if (a->min_val.i < type_min(width) || a->max_val.i > type_max(width))
        return diag_error(TOSAJIT_BAD_ATTRIBUTE, "min_val %" PRId64 " and max_val %" PRId64 " must be values of %s", a->min_val.i,
                          a->max_val.i, tosajit_type_name(element));
    if (a->min_val.i > a->max_val.i)
        return diag_error(TOSAJIT_BAD_ATTRIBUTE, "min_val %" PRId64 " is greater than max_val %" PRId64, a->min_val.i, a->max_val.i);
    return TOSAJIT_OK;
}

static tosajit_status check_zero_point(tosajit_type element, const char *name, int64_t value) {
    bool any = element == TOSAJIT_I8; /* TOSA 1.1, NEGATE: other types demand 0 */
    if (value == 0 || (any && value >= type_min(8) && value <= type_max(8))) return TOSAJIT_OK;
    return diag_error(TOSAJIT_BAD_ATTRIBUTE, "%s %" PRId64 " is not legal for %s, which takes %s", name, value, tosajit_type_name(element),
                      any ? "-128..127" : "only 0");
}

/* An attribute that the op does not take must be zero: a value there is a mistake that would pass silently. */
static const char *stray_attribute(unsigned taken, const tosajit_attributes *a) {
    if (!(taken & ATTRIBUTE_MIN_MAX) && (a->min_val.i || a->max_val.i)) return "min_val or max_val";
    if (!(taken & ATTRIBUTE_NAN_MODE) && a->nan_mode) return "nan_mode";
    if (!(taken & ATTRIBUTE_SHIFT) && a->shift) return "shift";
    if (!(taken & ATTRIBUTE_ZERO_POINTS) && (a->input_zp || a->output_zp)) return "input_zp or output_zp";
    if (!(taken & ATTRIBUTE_ROUND) && a->round) return "round";
    if (!(taken & ATTRIBUTE_UNSIGNED) && a->input_unsigned) return "input_unsigned";
    return NULL;
}

tosajit_status op_check_attributes(tosajit_op op, tosajit_type operand, const tosajit_attributes *a) {
    unsigned taken = op_table[op].attributes;
    const char *stray = stray_attribute(taken, a);
    if (stray) return diag_error(TOSAJIT_BAD_ATTRIBUTE, "the op takes no %s", stray);
    tosajit_status status = TOSAJIT_OK;
    if (taken & ATTRIBUTE_MIN_MAX) status = check_clamp(operand, a);
    if (!status && (unsigned)a->nan_mode > TOSAJIT_NAN_IGNORE)
        status = diag_error(TOSAJIT_BAD_ATTRIBUTE, "nan_mode %d is not PROPAGATE (0) or IGNORE (1)", (int)a->nan_mode);
    if (!status && a->shift && operand != TOSAJIT_I32)
        status = diag_error(TOSAJIT_BAD_ATTRIBUTE, "shift must be 0 for %s, not %d", tosajit_type_name(operand), (int)a->shift);
    if (!status && (a->shift < 0 || a->shift > 63)) status = diag_error(TOSAJIT_BAD_ATTRIBUTE, "shift %d is not in 0..63", (int)a->shift);
    if (!status && taken & ATTRIBUTE_ZERO_POINTS) status = check_zero_point(operand, "input_zp", a->input_zp);
    if (!status && taken & ATTRIBUTE_ZERO_POINTS) status = check_zero_point(operand, "output_zp", a->output_zp);
    if (!status && a->input_unsigned && (operand == TOSAJIT_I1 || type_is_float(operand)))
        status = diag_error(TOSAJIT_BAD_ATTRIBUTE, "input_unsigned is not legal for an operand of %s", tosajit_type_name(operand));
    return status;
}

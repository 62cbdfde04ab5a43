/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Results are compared with the interpreter's, bit for bit. Where a function has exp or its like, a
 * last bit of theirs may grow into many bits of a result; then the ops are compared one by one on
 * the operands that the kernel gave them, which leaves one ulp to each such op of a fast kernel and
 * none to any other, and the kernel must equal its ops run one by one. */
#include "tools/command/check.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/tosa/op_columns.h"
#include "tools/data/compare.h"
#include "tosajit/inspect.h"

enum { TEXT_CAPACITY = 640 };

/* How far kernel and interpreter may be apart. Both round exp and its like correctly, unless the
 * kernel is fast: then its result may be a neighbour. */
static compare_rule rule_of(const check_case *c, tosajit_op op) {
    const op_result result = op_columns_of[op].result;
    if (result == RESULT_FUNCTION && c->fast) return COMPARE_ULP;
    return result == RESULT_MOVED ? COMPARE_BITS : COMPARE_VALUES;
}

static bool is_approximate(const check_case *c, tosajit_op op) {
    return rule_of(c, op) >= COMPARE_ULP;
}

/* ---------------------------------------------------------------------------------------------
 * Op by op */

typedef struct stepper {
    const check_case *check;
    npy_array
        *values; /* by the expression's values; data is null where unknown or no longer needed */
    size_t *last_use;   /* by values; the step that reads it last */
    bool *borrowed;     /* by values; data belongs to somebody else */
    size_t value_count; /* one more than the highest value */
    int64_t neighbours, by_op[TOSAJIT_OP_COUNT];
} stepper;

static void drop(stepper *s, size_t value) {
    if (s->borrowed[value]) s->values[value].data = NULL;
    npy_release(&s->values[value]);
}

static bool prepare(stepper *s, const tosa_function *f) {
    s->value_count = 1;
    for (size_t k = 0; k < f->input_count; k++)
        if ((size_t)f->inputs[k] >= s->value_count) s->value_count = (size_t)f->inputs[k] + 1;
    for (size_t k = 0; k < f->step_count; k++)
        if ((size_t)f->steps[k].value >= s->value_count)
            s->value_count = (size_t)f->steps[k].value + 1;
    s->values = calloc(s->value_count, sizeof *s->values);
    s->last_use = calloc(s->value_count, sizeof *s->last_use);
    s->borrowed = calloc(s->value_count, sizeof *s->borrowed);
    if (!s->values || !s->last_use || !s->borrowed) return false;
    for (size_t k = 0; k < f->step_count; k++)
        for (size_t n = 0; n < f->steps[k].operand_count; n++)
            s->last_use[f->steps[k].operands[n]] = k;
    for (size_t k = 0; k < f->result_count; k++) s->last_use[f->results[k]] = SIZE_MAX;
    for (size_t k = 0; k < f->input_count; k++) {
        s->values[f->inputs[k]] = s->check->operands[k];
        s->borrowed[f->inputs[k]] = true;
    }
    return true;
}

static void finish(stepper *s) {
    for (size_t k = 0; s->values && s->borrowed && k < s->value_count; k++) drop(s, k);
    free(s->values);
    free(s->last_use);
    free(s->borrowed);
}

/* The op's kernel and its interpretation on the same operands. */
static bool run_twice(const tosajit_kernel *kernel, const tosajit_tensor *operands, size_t count,
                      npy_array *native, npy_array *plain) {
    int32_t rank;
    int64_t dims[TOSAJIT_MAX_RANK];
    if (tosajit_kernel_result_dims(kernel, operands, count, 0, &rank, dims) != TOSAJIT_OK)
        return false;
    tosajit_type element = tosajit_kernel_result_type(kernel, 0).element;
    if (!array_make(element, rank, dims, native) || !array_make(element, rank, dims, plain))
        return false;
    tosajit_tensor a = array_view(native), b = array_view(plain);
    return tosajit_run(kernel, operands, count, &a, 1) == TOSAJIT_OK &&
           tosajit_run_interpreted(kernel, operands, count, &b, 1) == TOSAJIT_OK;
}

static void report_step(const stepper *s, const tosa_step *step, const char *message) {
    const entry *e = s->check->entry;
    tosa_file_report_step(e->file.any, e->index, step, message);
}

static bool judge(stepper *s, const tosa_step *step, const npy_array *native,
                  const npy_array *plain) {
    comparison c = compare_elements(native->element, native->data, plain->data, array_count(native),
                                    rule_of(s->check, step->op));
    s->neighbours += c.neighbours;
    s->by_op[step->op] += c.neighbours;
    if (c.different == 0) return true;
    char place[TEXT_CAPACITY], text[TEXT_CAPACITY + 80];
    compare_describe(native->element, native->rank, native->dims, native->data, plain->data,
                     c.first, place, sizeof place);
    snprintf(text, sizeof text, "%" PRId64 " of %" PRId64 " elements differ, the first at %s",
             c.different, array_count(native), place);
    report_step(s, step, text);
    return false;
}

/* A kernel of the step alone, whose operands are inputs. */
static tosajit_status compile_step(const stepper *s, const tosa_step *step,
                                   tosajit_kernel **kernel) {
    tosajit_expr *alone = NULL;
    tosajit_value inputs[TOSAJIT_MAX_OPERANDS] = {0}, value = 0;
    tosajit_tensor_type type;
    tosajit_status status = tosajit_expr_create(NULL, &alone);
    for (size_t k = 0; !status && k < step->operand_count; k++) {
        status = tosajit_expr_type(s->check->entry->function.expr, step->operands[k], &type);
        if (!status) status = tosajit_expr_input(alone, &type, &inputs[k]);
    }
    if (!status)
        status = tosajit_expr_op(alone, step->op, inputs, step->operand_count, &step->attributes,
                                 &step->type, &value);
    if (!status) status = tosajit_expr_result(alone, value);
    if (!status) status = tosajit_compile_expr(s->check->engine, alone, kernel);
    tosajit_expr_destroy(alone);
    return status;
}

static bool run_op(stepper *s, const tosa_step *step) {
    tosajit_tensor operands[TOSAJIT_MAX_OPERANDS];
    tosajit_kernel *kernel = NULL;
    npy_array native = {0}, plain = {0};
    for (size_t k = 0; k < step->operand_count; k++)
        operands[k] = array_view(&s->values[step->operands[k]]);
    bool ran = compile_step(s, step, &kernel) == TOSAJIT_OK &&
               run_twice(kernel, operands, step->operand_count, &native, &plain);
    if (!ran) report_step(s, step, native.data ? "out of memory" : tosajit_last_error());
    bool fine = ran && judge(s, step, &native, &plain);
    tosajit_kernel_release(kernel);
    npy_release(&plain);
    s->values[step->value] = native;
    return fine;
}

static bool take_constant(stepper *s, const tosa_step *step) {
    npy_array *value = &s->values[step->value];
    if (!array_make(step->type.element, step->type.rank, step->type.dims, value)) return false;
    memcpy(value->data, step->data, (size_t)array_count(value) * tosajit_type_size(value->element));
    return true;
}

static bool run_steps(stepper *s, const tosa_function *f) {
    for (size_t k = 0; k < f->step_count; k++) {
        const tosa_step *step = &f->steps[k];
        if (!(step->op == TOSAJIT_OP_COUNT ? take_constant(s, step) : run_op(s, step)))
            return false;
        for (size_t n = 0; n < step->operand_count; n++)
            if (s->last_use[step->operands[n]] == k) drop(s, (size_t)step->operands[n]);
    }
    return true;
}

/* The fused kernel against its ops one by one, both native. */
static bool results_are_the_steps(const stepper *s, const tosa_function *f) {
    for (size_t k = 0; k < f->result_count; k++) {
        const npy_array *fused = &s->check->results[k], *single = &s->values[f->results[k]];
        comparison c = compare_elements(fused->element, fused->data, single->data,
                                        array_count(fused), COMPARE_VALUES);
        if (c.different == 0) continue;
        char place[TEXT_CAPACITY];
        compare_describe(fused->element, fused->rank, fused->dims, fused->data, single->data,
                         c.first, place, sizeof place);
        command_error(
            "check: result %zu of the kernel differs from its operations run one by one, at %s", k,
            place);
        return false;
    }
    return true;
}

static void tell_neighbours(const stepper *s, int64_t different) {
    const char *verb = different == 1 ? " differs" : "s differ";
    printf("check: %" PRId64 " element%s from the interpreter's, because of 1 ulp in", different,
           verb);
    const char *before = " ";
    for (int op = 0; op < TOSAJIT_OP_COUNT; op++) {
        if (s->by_op[op] == 0) continue;
        printf("%s%" PRId64 " of %s", before, s->by_op[op], tosajit_op_name((tosajit_op)op));
        before = ", ";
    }
    printf("; accepted\n");
}

static int check_steps(const check_case *c, int64_t different) {
    const tosa_function *f = &c->entry->function;
    stepper s = {.check = c};
    bool ready = prepare(&s, f);
    if (!ready) command_error("check: out of memory");
    bool fine = ready && run_steps(&s, f) && results_are_the_steps(&s, f);
    if (fine && s.neighbours > 0 && !c->quiet)
        tell_neighbours(&s, different);
    else if (fine && s.neighbours == 0)
        command_error("check: the operations agree one by one, but not together");
    fine = fine && s.neighbours > 0;
    finish(&s);
    return fine ? EXIT_FINE : EXIT_REFUSED;
}

/* ---------------------------------------------------------------------------------------------
 * The whole function */

static bool interpret(const check_case *c, npy_array *plain) {
    const tosa_function *f = &c->entry->function;
    tosajit_tensor operands[TOSAJIT_MAX_TENSORS], results[TOSAJIT_MAX_TENSORS];
    for (size_t k = 0; k < f->input_count; k++) operands[k] = array_view(&c->operands[k]);
    for (size_t k = 0; k < f->result_count; k++) {
        const npy_array *r = &c->results[k];
        if (!array_make(r->element, r->rank, r->dims, &plain[k]))
            return command_error("check: out of memory") == EXIT_FINE;
        results[k] = array_view(&plain[k]);
    }
    return tosajit_run_interpreted(c->kernel, operands, f->input_count, results, f->result_count) ==
               TOSAJIT_OK ||
           entry_refuse(c->entry) == EXIT_FINE;
}

static bool has_approximate(const check_case *c) {
    const tosa_function *f = &c->entry->function;
    for (size_t k = 0; k < f->step_count; k++)
        if (f->steps[k].op != TOSAJIT_OP_COUNT && is_approximate(c, f->steps[k].op)) return true;
    return false;
}

static int64_t count_different(const check_case *c, const npy_array *plain, int64_t *elements,
                               char *first, size_t capacity) {
    int64_t different = 0;
    *elements = 0;
    for (size_t k = 0; k < c->entry->function.result_count; k++) {
        const npy_array *r = &c->results[k];
        comparison found =
            compare_elements(r->element, r->data, plain[k].data, array_count(r), COMPARE_VALUES);
        *elements += array_count(r);
        if (found.different > 0 && different == 0) {
            size_t used = (size_t)snprintf(first, capacity, "result %zu ", k);
            compare_describe(r->element, r->rank, r->dims, r->data, plain[k].data, found.first,
                             first + used, capacity - used);
        }
        different += found.different;
    }
    return different;
}

/* Something differs: what it is, and whether it may. */
static int judge_difference(const check_case *c, int64_t different, int64_t elements,
                            const char *first) {
    bool may_differ = has_approximate(c);
    int code = may_differ ? check_steps(c, different) : EXIT_REFUSED;
    if (code == EXIT_FINE) return code;
    command_error("check: %" PRId64 " of %" PRId64 " elements differ, the first is %s", different,
                  elements, first);
    if (!may_differ) check_steps(c, different); /* names the op */
    return code;
}

int check_results(const check_case *c, check_figures *figures) {
    npy_array plain[TOSAJIT_MAX_TENSORS];
    memset(plain, 0, sizeof plain);
    char first[TEXT_CAPACITY];
    int64_t elements;
    int code = EXIT_REFUSED;
    if (interpret(c, plain)) {
        int64_t different = count_different(c, plain, &elements, first, sizeof first);
        code = different == 0 ? EXIT_FINE : judge_difference(c, different, elements, first);
        if (different == 0 && !c->quiet)
            printf("check: kernel and interpreter agree in all %" PRId64 " elements, bit for bit\n",
                   elements);
        *figures = (check_figures){elements, different};
    }
    for (size_t k = 0; k < c->entry->function.result_count; k++) npy_release(&plain[k]);
    return code;
}

/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Loading and running a model. MLIR is needed for loading alone: what runs afterwards is a list of
 * steps over a table of values. */
#include "engine.h"
#include "tosajit/inspect.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/IR.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tosajit/mlir.h>

/* Numbers of MLIR's values, which are unique pointers. */
typedef struct numbering {
    struct {
        const void *value;
        int number;
    } list[MAX_VALUES];
    size_t count;
} numbering;

typedef struct loader {
    model *m;
    tosajit_engine *engine;
    tosajit_mlir *module;
    numbering slots;  /* from MLIR's values to the model's */
    numbering shapes; /* from a value that is a shape to the place of its sizes in `sizes`: their
                         number, then they */
    int64_t sizes[MAX_VALUES];
    int size_count;
} loader;

/* ---------------------------------------------------------------------------------------------
 * Values */

int64_t array_elements(const array *a) {
    int64_t count = 1;
    for (int32_t d = 0; d < a->rank; d++) count *= a->dims[d];
    return count;
}

bool array_allocate(array *a, tosajit_type element, int32_t rank, const int64_t *dims) {
    free(a->owned);
    *a = (array){.element = element, .rank = rank};
    memcpy(a->dims, dims, (size_t)rank * sizeof *dims);
    size_t bytes = (size_t)array_elements(a) * tosajit_type_size(element);
    a->data = a->owned = malloc(bytes ? bytes : 1);
    if (!a->data) fprintf(stderr, "engine: out of memory for %zu bytes\n", bytes);
    return a->data != NULL;
}

static tosajit_tensor as_tensor(const array *a) {
    return tosajit_dense(a->element, a->data, a->rank, a->dims);
}

/* ---------------------------------------------------------------------------------------------
 * Regions */

static bool run_region(const step *s, array *values) {
    tosajit_tensor operands[MAX_PORTS], results[MAX_PORTS];
    tosajit_status status = TOSAJIT_OK;
    for (size_t k = 0; k < s->input_count; k++) operands[k] = as_tensor(&values[s->inputs[k]]);
    for (size_t k = 0; k < s->output_count && !status; k++) {
        int64_t dims[TOSAJIT_MAX_RANK];
        int32_t rank;
        status = tosajit_kernel_result_dims(s->kernel, operands, s->input_count, k, &rank, dims);
        array *r = &values[s->outputs[k]];
        if (!status &&
            !array_allocate(r, tosajit_kernel_result_type(s->kernel, k).element, rank, dims))
            return false;
        results[k] = as_tensor(r);
    }
    if (!status)
        status = tosajit_run(s->kernel, operands, s->input_count, results, s->output_count);
    if (status) fprintf(stderr, "engine: %s\n", tosajit_last_error());
    return status == TOSAJIT_OK;
}

/* ---------------------------------------------------------------------------------------------
 * Loading */

/* A remark tells of an op that outlining leaves, which this engine computes itself. */
static void say(void *context, const tosajit_mlir_finding *finding) {
    (void)context;
    if (finding->severity == TOSAJIT_MLIR_REMARK) return;
    fprintf(stderr, "%s%s\n", finding->text, finding->excerpt);
}

static bool number_add(numbering *n, MlirValue value, int number) {
    if (n->count == MAX_VALUES) return false;
    n->list[n->count].value = value.ptr;
    n->list[n->count++].number = number;
    return true;
}

static bool number_find(const numbering *n, MlirValue value, int *number) {
    for (size_t k = 0; k < n->count; k++)
        if (n->list[k].value == value.ptr) {
            *number = n->list[k].number;
            return true;
        }
    return false;
}

static MlirAttribute attribute_of(MlirOperation op, const char *name) {
    return mlirOperationGetAttributeByName(op, mlirStringRefCreateFromCString(name));
}

static bool refuse_op(MlirOperation op, const char *why) {
    MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
    fprintf(stderr, "engine: %.*s: %s\n", (int)name.length, name.data, why);
    return false;
}

static bool new_value(loader *l, MlirValue value, int *slot) {
    if (l->m->value_count == MAX_VALUES) return false;
    *slot = (int)l->m->value_count++;
    return number_add(&l->slots, value, *slot);
}

/* A region's kernel is compiled here, once. */
static bool load_call(loader *l, MlirOperation op, step *s) {
    MlirStringRef callee = mlirFlatSymbolRefAttrGetValue(attribute_of(op, "callee"));
    char name[512];
    size_t index;
    tosajit_mlir_function *function;
    snprintf(name, sizeof name, "%.*s", (int)callee.length, callee.data);
    if (tosajit_mlir_find(l->module, name, &index) ||
        tosajit_mlir_build(l->module, index, NULL, &function))
        return false;
    tosajit_status status =
        tosajit_compile_expr(l->engine, tosajit_mlir_function_expr(function), &s->kernel);
    if (status)
        tosajit_mlir_report(l->module, function, tosajit_last_error());
    else
        l->m->kernel_count++;
    tosajit_mlir_function_release(function);
    return status == TOSAJIT_OK;
}

static bool load_nothing(loader *l, MlirOperation op, step *s) {
    (void)l;
    (void)op;
    (void)s;
    return true;
}

/* pad, stride and dilation are dense arrays of i64. */
static bool load_convolution(loader *l, MlirOperation op, step *s) {
    (void)l;
    MlirAttribute pad = attribute_of(op, "pad"), stride = attribute_of(op, "stride"),
                  dilation = attribute_of(op, "dilation");
    for (intptr_t k = 0; k < 4; k++) s->numbers[k] = mlirDenseI64ArrayGetElement(pad, k);
    for (intptr_t k = 0; k < 2; k++) {
        s->numbers[4 + k] = mlirDenseI64ArrayGetElement(stride, k);
        if (mlirDenseI64ArrayGetElement(dilation, k) != 1)
            return refuse_op(op, "this engine knows no dilation");
    }
    return true;
}

/* The shape is the second operand, a constant of its own kind. */
static bool load_shape(loader *l, MlirOperation op, step *s) {
    int at;
    if (!number_find(&l->shapes, mlirOperationGetOperand(op, 1), &at))
        return refuse_op(op, "the shape is no constant");
    int64_t rank = l->sizes[at];
    for (int64_t k = 0; k <= rank; k++) s->numbers[k] = l->sizes[at + k];
    s->input_count = 1;
    return true;
}

static const struct op_loader {
    const char *name;
    bool (*load)(loader *l, MlirOperation op, step *s);
    bool (*run)(const step *s, array *values);
} op_loaders[] = {
    {"func.call", load_call, run_region},
    {"tosa.matmul", load_nothing, run_matmul},
    {"tosa.reshape", load_shape, run_reshape},
    {"tosa.conv2d", load_convolution, run_conv2d},
    {"tosa.depthwise_conv2d", load_convolution, run_depthwise_conv2d},
};

static bool load_constant(loader *l, MlirOperation op) {
    tosajit_tensor_type type;
    int slot;
    void *elements;
    if (tosajit_mlir_elements((void *)attribute_of(op, "values").ptr, &type, &elements))
        return refuse_op(op, tosajit_last_error());
    bool fine =
        new_value(l, mlirOperationGetResult(op, 0), &slot) || refuse_op(op, "too many values");
    array *a = &l->m->values[fine ? slot : 0];
    fine = fine && array_allocate(a, type.element, type.rank, type.dims);
    if (fine)
        memcpy(a->data, elements, (size_t)array_elements(a) * tosajit_type_size(type.element));
    tosajit_mlir_elements_release(elements);
    return fine;
}

static bool load_const_shape(loader *l, MlirOperation op) {
    MlirAttribute values = attribute_of(op, "values");
    int64_t rank = mlirElementsAttrGetNumElements(values);
    if (rank >= MAX_NUMBERS || l->size_count + rank + 1 > MAX_VALUES)
        return refuse_op(op, "too many sizes");
    int at = l->size_count;
    l->sizes[l->size_count++] = rank;
    for (int64_t k = 0; k < rank; k++)
        l->sizes[l->size_count++] =
            (int64_t)mlirDenseElementsAttrGetIndexValue(values, (intptr_t)k);
    return number_add(&l->shapes, mlirOperationGetResult(op, 0), at) ||
           refuse_op(op, "too many shapes");
}

static bool load_ports(loader *l, MlirOperation op, step *s) {
    intptr_t inputs = mlirOperationGetNumOperands(op), outputs = mlirOperationGetNumResults(op);
    if (inputs > MAX_PORTS || outputs > MAX_PORTS)
        return refuse_op(op, "too many operands or results");
    s->input_count = (size_t)inputs;
    s->output_count = (size_t)outputs;
    for (intptr_t k = 0; k < inputs; k++) {
        int slot = 0; /* a shape has none */
        number_find(&l->slots, mlirOperationGetOperand(op, k), &slot);
        s->inputs[k] = slot;
    }
    for (intptr_t k = 0; k < outputs; k++)
        if (!new_value(l, mlirOperationGetResult(op, k), &s->outputs[k]))
            return refuse_op(op, "too many values");
    tosajit_tensor_type type;
    if (tosajit_mlir_type((void *)mlirValueGetType(mlirOperationGetResult(op, 0)).ptr, &type))
        return refuse_op(op, tosajit_last_error());
    s->element = type.element;
    return true;
}

static bool load_step(loader *l, MlirOperation op) {
    MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
    for (size_t k = 0; k < sizeof op_loaders / sizeof *op_loaders; k++) {
        const struct op_loader *known = &op_loaders[k];
        if (!mlirStringRefEqual(name, mlirStringRefCreateFromCString(known->name))) continue;
        if (l->m->step_count == MAX_STEPS) return refuse_op(op, "too many steps");
        step *s = &l->m->steps[l->m->step_count++];
        s->run = known->run;
        return load_ports(l, op, s) && known->load(l, op, s);
    }
    return refuse_op(op, "this engine does not know the op");
}

static bool load_return(loader *l, MlirOperation op) {
    l->m->output_count = (size_t)mlirOperationGetNumOperands(op);
    if (l->m->output_count > MAX_PORTS) return refuse_op(op, "too many results");
    for (size_t k = 0; k < l->m->output_count; k++) {
        int slot;
        if (!number_find(&l->slots, mlirOperationGetOperand(op, (intptr_t)k), &slot))
            return refuse_op(op, "unknown value");
        l->m->outputs[k] = slot;
    }
    return true;
}

static bool load_op(loader *l, MlirOperation op) {
    static const struct {
        const char *name;
        bool (*load)(loader *l, MlirOperation op);
    } special[] = {{"tosa.const", load_constant},
                   {"tosa.const_shape", load_const_shape},
                   {"func.return", load_return}};
    MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
    for (size_t k = 0; k < sizeof special / sizeof *special; k++)
        if (mlirStringRefEqual(name, mlirStringRefCreateFromCString(special[k].name)))
            return special[k].load(l, op);
    return load_step(l, op);
}

static bool load_function(loader *l) {
    MlirOperation function = {tosajit_mlir_operation(l->module, 0)};
    MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(function, 0));
    l->m->input_count = (size_t)mlirBlockGetNumArguments(block);
    for (size_t k = 0; k < l->m->input_count; k++) {
        int slot;
        if (!new_value(l, mlirBlockGetArgument(block, (intptr_t)k), &slot))
            return refuse_op(function, "too many arguments");
    }
    for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op))
        if (!load_op(l, op)) return false;
    return true;
}

bool model_load(model *m, tosajit_engine *engine, const char *path) {
    loader l = {.m = m, .engine = engine};
    tosajit_mlir_options options = {.size = sizeof options, .say = say};
    memset(m, 0, sizeof *m);
    bool fine = !tosajit_mlir_open(path, &options, &l.module) && !tosajit_mlir_verify(l.module) &&
                !tosajit_mlir_outline(l.module, 0, NULL) && load_function(&l);
    tosajit_mlir_close(l.module);
    return fine;
}

/* ---------------------------------------------------------------------------------------------
 * Running */

bool model_run(model *m, const array *inputs, const array **outputs) {
    for (size_t k = 0; k < m->input_count; k++) {
        m->values[k] = inputs[k];
        m->values[k].owned = NULL;
    }
    for (size_t k = 0; k < m->step_count; k++)
        if (!m->steps[k].run(&m->steps[k], m->values)) return false;
    for (size_t k = 0; k < m->output_count; k++) outputs[k] = &m->values[m->outputs[k]];
    return true;
}

void model_free(model *m) {
    for (size_t k = 0; k < m->step_count; k++) tosajit_kernel_release(m->steps[k].kernel);
    for (size_t k = 0; k < m->value_count; k++) free(m->values[k].owned);
    memset(m, 0, sizeof *m);
}

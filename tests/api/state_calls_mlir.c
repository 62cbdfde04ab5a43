/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Every function of tosajit/mlir.h as a call: see state_calls.h. */
#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/IR.h>
#include <stdio.h>
#include <string.h>

#include "tests/api/state_calls.h"
#include "tosajit/inspect.h"
#include "tosajit/mlir.h"

/* Numbers of every kind to be read, a product that outlining leaves out, two regions. */
static const char text[] =
    "func.func @f(%a: tensor<1x4x4xf32>, %w: tensor<1x4x4xf32>) -> tensor<1x4x4xf32> {\n"
    "  %z = \"tosa.const\"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>\n"
    "  %s = \"tosa.const\"() <{values = dense<[1.0e-40, -2.5e+30, 0.1, 7.0]> : tensor<4xf32>}> : "
    "() -> tensor<4xf32>\n"
    "  %c = \"tosa.const_shape\"() <{values = dense<[1, 1, 4]> : tensor<3xindex>}> : () -> "
    "!tosa.shape<3>\n"
    "  %1 = tosa.exp %a : (tensor<1x4x4xf32>) -> tensor<1x4x4xf32>\n"
    "  %2 = tosa.clamp %1 {max_val = 6.5 : f32, min_val = -1.0e-3 : f32} : (tensor<1x4x4xf32>) -> "
    "tensor<1x4x4xf32>\n"
    "  %3 = tosa.matmul %2, %w, %z, %z : (tensor<1x4x4xf32>, tensor<1x4x4xf32>, tensor<1xf32>, "
    "tensor<1xf32>) -> tensor<1x4x4xf32>\n"
    "  %4 = tosa.tanh %3 : (tensor<1x4x4xf32>) -> tensor<1x4x4xf32>\n"
    "  %5 = tosa.add %4, %a : (tensor<1x4x4xf32>, tensor<1x4x4xf32>) -> tensor<1x4x4xf32>\n"
    "  return %5 : tensor<1x4x4xf32>\n"
    "}\n"
    "func.func @g(%a: tensor<?xf32>) -> tensor<?xf32> {\n"
    "  %s = \"tosa.const\"() <{values = dense<[1.0e-40]> : tensor<1xf32>}> : () -> tensor<1xf32>\n"
    "  %1 = tosa.pow %a, %s : (tensor<?xf32>, tensor<1xf32>) -> tensor<?xf32>\n"
    "  return %1 : tensor<?xf32>\n"
    "}\n";
enum { OUTLINED, BUILT }; /* functions of the text */

const bool state_calls_end_without_memory = true; /* MLIR does */
void state_data_fill(void) {}

static tosajit_mlir *module;
static tosajit_mlir_function *function;

static uint64_t mix_text(uint64_t digest, const char *at) {
    for (; *at; at++) digest = (digest ^ (uint8_t)*at) * UINT64_C(0x100000001b3);
    return digest;
}

static outcome gave(tosajit_status status, uint64_t digest) {
    return (outcome){status, status ? 0 : digest};
}

static outcome gave_string(tosajit_status status, const char *given) {
    return gave(status, status ? 0 : mix_text(1, given));
}

static outcome gave_text(tosajit_status status, char *given) {
    const outcome o = gave_string(status, given);
    if (!status) tosajit_text_release(given);
    return o;
}

static const char *path_of(const fixture *f) {
    static char path[512];
    snprintf(path, sizeof path, "%s/text.mlir", f->directory);
    return path;
}

tosajit_status fixture_make(fixture *f, const char *directory) {
    f->directory = directory;
    FILE *out = fopen(path_of(f), "w");
    if (!out || fputs(text, out) < 0 || fclose(out)) return TOSAJIT_INVALID_ARGUMENT;
    const tosajit_status status = tosajit_mlir_read(text, strlen(text), NULL, &module);
    return status ? status : tosajit_mlir_build(module, BUILT, NULL, &function);
}

/* ---------------------------------------------------------------------------------------------
 * Modules */

static outcome gave_module(tosajit_status status, tosajit_mlir *read) {
    char *printed = NULL;
    if (!status) status = tosajit_mlir_print(read, &printed);
    const outcome o = gave_text(status, printed);
    tosajit_mlir_close(read);
    return o;
}

static outcome mlir_open(fixture *f) {
    tosajit_mlir *read = NULL;
    const tosajit_status status = tosajit_mlir_open(path_of(f), NULL, &read);
    return gave_module(status, read);
}

static outcome mlir_read(fixture *f) {
    tosajit_mlir *read = NULL;
    (void)f;
    const tosajit_status status = tosajit_mlir_read(text, strlen(text), NULL, &read);
    return gave_module(status, read);
}

static void hear(void *context, const tosajit_mlir_finding *finding) {
    uint64_t *digest = context;
    *digest = mix_text(*digest, finding->text) + (uint64_t)finding->line;
}

/* Refusals are told with their place. */
static outcome mlir_refused(fixture *f) {
    uint64_t digest = 1;
    const tosajit_mlir_options options = {.size = sizeof options, .say = hear, .context = &digest};
    tosajit_mlir *read = NULL;
    (void)f;
    const tosajit_status status = tosajit_mlir_read(text, strlen(text) - 40, &options, &read);
    return gave(status == TOSAJIT_BAD_MODULE ? TOSAJIT_OK : status, digest);
}

static outcome mlir_verify(fixture *f) {
    (void)f;
    return gave(tosajit_mlir_verify(module), 0);
}

static outcome mlir_print(fixture *f) {
    char *printed = NULL;
    (void)f;
    const tosajit_status status = tosajit_mlir_print(module, &printed);
    return gave_text(status, printed);
}

static outcome mlir_count(fixture *f) {
    (void)f;
    return gave(TOSAJIT_OK, tosajit_mlir_count(module));
}

static outcome mlir_name(fixture *f) {
    (void)f;
    return gave_string(TOSAJIT_OK, tosajit_mlir_name(module, BUILT));
}

static outcome mlir_find(fixture *f) {
    size_t index = 0;
    (void)f;
    const tosajit_status status = tosajit_mlir_find(module, "@g", &index);
    return gave(status, index);
}

static outcome mlir_outline(fixture *f) {
    tosajit_mlir_outlined outlined = {.size = sizeof outlined};
    tosajit_mlir *read = NULL;
    (void)f;
    tosajit_status status = tosajit_mlir_read(text, strlen(text), NULL, &read);
    if (!status) status = tosajit_mlir_outline(read, OUTLINED, &outlined);
    outcome o = gave_module(status, read);
    o.digest += outlined.regions;
    return o;
}

/* ---------------------------------------------------------------------------------------------
 * Functions */

static outcome mlir_build(fixture *f) {
    tosajit_mlir_function *built = NULL;
    char *printed = NULL;
    (void)f;
    tosajit_status status = tosajit_mlir_build(module, BUILT, NULL, &built);
    if (!status) status = tosajit_expr_print(tosajit_mlir_function_expr(built), "f", &printed);
    tosajit_mlir_function_release(built);
    return gave_text(status, printed);
}

static outcome mlir_function_input_count(fixture *f) {
    (void)f;
    return gave(TOSAJIT_OK, tosajit_mlir_function_input_count(function));
}

static outcome mlir_function_result_count(fixture *f) {
    (void)f;
    return gave(TOSAJIT_OK, tosajit_mlir_function_result_count(function));
}

static outcome mlir_function_input(fixture *f) {
    (void)f;
    return gave(TOSAJIT_OK, (uint64_t)tosajit_mlir_function_input(function, 0));
}

static outcome mlir_function_result(fixture *f) {
    (void)f;
    return gave(TOSAJIT_OK, (uint64_t)tosajit_mlir_function_result(function, 0));
}

static outcome mlir_rename(fixture *f) {
    char *renamed = NULL;
    (void)f;
    const tosajit_status status =
        tosajit_mlir_rename(module, function, "%arg0 and %1 = tosa.pow", &renamed);
    return gave_text(status, renamed);
}

static outcome mlir_report(fixture *f) {
    (void)f;
    const tosajit_status status = tosajit_mlir_report(module, function, "%arg0 is too long");
    return gave_string(status, tosajit_last_error());
}

/* ---------------------------------------------------------------------------------------------
 * MLIR's own objects */

static MlirOperation first_operation(void) {
    const MlirOperation found = {tosajit_mlir_operation(module, BUILT)};
    return mlirBlockGetFirstOperation(mlirRegionGetFirstBlock(mlirOperationGetRegion(found, 0)));
}

static outcome mlir_type(fixture *f) {
    const MlirType given = mlirValueGetType(mlirOperationGetResult(first_operation(), 0));
    tosajit_tensor_type type = {0};
    (void)f;
    const tosajit_status status = tosajit_mlir_type((void *)(uintptr_t)given.ptr, &type);
    return gave(status, (uint64_t)type.element * 64 + (uint64_t)type.rank);
}

static outcome mlir_elements(fixture *f) {
    const MlirAttribute values = mlirOperationGetAttributeByName(
        first_operation(), mlirStringRefCreateFromCString("values"));
    tosajit_tensor_type type;
    void *elements = NULL;
    uint32_t bits = 0;
    (void)f;
    const tosajit_status status =
        tosajit_mlir_elements((void *)(uintptr_t)values.ptr, &type, &elements);
    if (!status) memcpy(&bits, elements, sizeof bits);
    tosajit_mlir_elements_release(elements);
    return gave(status, bits);
}

/* The calls that only give back, or only give a part of what was built, are made by the others. */
const state_call state_calls[] = {
    {"tosajit_mlir_open", mlir_open, true},
    {"tosajit_mlir_read", mlir_read, false},
    {"tosajit_mlir_close", mlir_refused, false},
    {"tosajit_mlir_verify", mlir_verify, false},
    {"tosajit_mlir_print", mlir_print, false},
    {"tosajit_mlir_count", mlir_count, false},
    {"tosajit_mlir_name", mlir_name, false},
    {"tosajit_mlir_find", mlir_find, false},
    {"tosajit_mlir_outline", mlir_outline, false},
    {"tosajit_mlir_build", mlir_build, false},
    {"tosajit_mlir_function_release", mlir_build, false},
    {"tosajit_mlir_function_expr", mlir_build, false},
    {"tosajit_mlir_function_input_count", mlir_function_input_count, false},
    {"tosajit_mlir_function_result_count", mlir_function_result_count, false},
    {"tosajit_mlir_function_input", mlir_function_input, false},
    {"tosajit_mlir_function_result", mlir_function_result, false},
    {"tosajit_mlir_rename", mlir_rename, false},
    {"tosajit_mlir_report", mlir_report, false},
    {"tosajit_mlir_operation", mlir_type, false},
    {"tosajit_mlir_type", mlir_type, false},
    {"tosajit_mlir_elements", mlir_elements, false},
    {"tosajit_mlir_elements_release", mlir_elements, false},
};
const size_t state_call_count = sizeof state_calls / sizeof *state_calls;

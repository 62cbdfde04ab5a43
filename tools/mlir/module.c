/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* TOSA files, parsed by MLIR: the text, MLIR's context and the list of functions. */
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include "tools/mlir/module.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/Dialect/Arith.h>
#include <mlir-c/Dialect/Func.h>
#include <mlir-c/Dialect/Tensor.h>
#include <mlir-c/Dialect/Tosa.h>
#include <mlir-c/IR.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/diag.h"
#include "runtime/base/options.h"
#include "tools/mlir/build.h"
#include "tools/mlir/bytecode.h"
#include "tools/mlir/crash_guard.h"
#include "runtime/base/escape.h"
#include "tools/mlir/names.h"
#include "tools/mlir/outline.h"
#include "tools/mlir/parse.h"
#include "tools/mlir/pointer_map.h"
#include "tools/mlir/report.h"

enum { ALIGNMENT = 4096 }; /* of bytes, as tosa_read_all has it */

struct tosajit_mlir {
    tosa_file file;
    mlir_report report; /* context's diagnostic handler points here */
    uint64_t state;     /* mlir_module_state */
    MlirContext context;
    MlirModule module; /* whose operations the file's functions are */
};

/* ---------------------------------------------------------------------------------------------
 * Reading */

static bool report_memory(tosajit_mlir *m) {
    tosa_report_file(&m->file.report, TOSAJIT_OUT_OF_MEMORY, "out of memory");
    return false;
}

static bool read_memory(tosajit_mlir *m, const void *bytes, size_t size) {
    if (size > SIZE_MAX - 2 * ALIGNMENT) return report_memory(m);
    char *text = aligned_alloc(ALIGNMENT, (size / ALIGNMENT + 1) * ALIGNMENT);
    if (!text) return report_memory(m);
    memcpy(text, bytes, size);
    text[size] = '\0';
    m->file.owned = text;
    m->file.bytes = (const uint8_t *)text;
    m->file.size = size;
    return true;
}

/* Few dialects, because registering all of MLIR's takes longer than reading a file; an op of
 * another dialect is kept in its generic syntax, so that it is refused by its name. One thread,
 * because starting a pool takes longer, too. */
static MlirContext create_context(void) {
    MlirContext context = mlirContextCreateWithThreading(false);
    const MlirDialectHandle handles[] = {
        mlirGetDialectHandle__func__(), mlirGetDialectHandle__tosa__(),
        mlirGetDialectHandle__tensor__(), mlirGetDialectHandle__arith__()};
    for (size_t k = 0; k < sizeof handles / sizeof *handles; k++)
        mlirDialectHandleRegisterDialect(handles[k], context);
    mlirContextSetAllowUnregisteredDialects(context, true);
    return context;
}

static bool is_function_with_body(MlirOperation op) {
    MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
    if (!mlirStringRefEqual(name, mlirStringRefCreateFromCString("func.func"))) return false;
    return mlirOperationGetNumRegions(op) == 1 &&
           !mlirBlockIsNull(mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0)));
}

/* A name may hold any bytes; the copy has none that a terminal would obey, and no 0. */
static char *show_name(MlirAttribute name) {
    MlirStringRef bytes = mlirStringAttrGetValue(name);
    size_t capacity = bytes.length * ESCAPE_GROWTH + 1;
    char *shown = malloc(capacity);
    if (shown) escape_name(bytes.data, bytes.length, shown, capacity);
    return shown;
}

static MlirAttribute name_of(MlirOperation op) {
    return mlirOperationGetAttributeByName(op, mlirStringRefCreateFromCString("sym_name"));
}

static bool add_function(tosajit_mlir *m, MlirOperation op, pointer_map *names) {
    MlirLocation place = mlirOperationGetLocation(op);
    const MlirAttribute name = name_of(op);
    if (mlirAttributeIsNull(name) || !mlirAttributeIsAString(name)) {
        mlir_report_error(&m->report, TOSAJIT_BAD_MODULE, place,
                          "func.func: attribute sym_name is missing");
        return false;
    }
    if (!tosa_file_add(&m->file, show_name(name), op.ptr)) return report_memory(m);
    if (!pointer_map_find(names, name.ptr, NULL))
        return pointer_map_add(names, name.ptr, 0) || report_memory(m);
    mlir_report_error(&m->report, TOSAJIT_BAD_MODULE, place, "func.func: @%s is defined twice",
                      tosa_file_name(&m->file, m->file.count - 1));
    return false;
}

/* Damaged bytecode may hold a module without a body, which only the verifier would refuse. */
static MlirBlock body_of(const tosajit_mlir *m) {
    MlirOperation module = mlirModuleGetOperation(m->module);
    if (mlirOperationGetNumRegions(module) != 1) return (MlirBlock){NULL};
    return mlirRegionGetFirstBlock(mlirOperationGetRegion(module, 0));
}

static bool list_functions(tosajit_mlir *m) {
    pointer_map names = {0};
    bool fine = true;
    MlirOperation op = {NULL};
    if (!mlirBlockIsNull(body_of(m))) op = mlirBlockGetFirstOperation(body_of(m));
    for (; fine && !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
        if (is_function_with_body(op)) fine = add_function(m, op, &names);
    pointer_map_release(&names);
    if (fine && m->file.count == 0)
        tosa_report_file(&m->file.report, TOSAJIT_BAD_MODULE,
                         "there is no func.func with a body in this file");
    return fine && m->file.count > 0;
}

static void guard_enter(const tosajit_mlir *m) {
    if (m->file.guard) crash_guard_enter(m->file.name, m->file.size);
}

static void guard_leave(const tosajit_mlir *m) {
    if (m->file.guard) crash_guard_leave();
}

/* MLIR believes some of what bytecode says of itself. A null module, with or without words. */
static MlirModule parse_bytecode(tosajit_mlir *m) {
    MlirModule module = {NULL};
    const char *wrong = bytecode_is_sound(m->file.bytes, m->file.size)
                            ? NULL
                            : "its sections, or its groups of attributes and types, do not have "
                              "the sizes that it says";
    if (!wrong)
        module =
            mlir_parse_module(m->context, (const char *)m->file.bytes, m->file.size, m->file.name);
    if (!mlirModuleIsNull(module) && !mlir_module_is_whole(module)) {
        mlirModuleDestroy(module);
        module.ptr = NULL;
        wrong = "a constant does not have as many elements as its type";
    }
    if (wrong)
        tosa_report_file(&m->file.report, TOSAJIT_BAD_MODULE, "this bytecode is damaged: %s",
                         wrong);
    return module;
}

/* Whatever may still point into the module as it was is out of date. */
static void renew_state(tosajit_mlir *m) {
    static atomic_uint_least64_t states;
    m->state = atomic_fetch_add(&states, 1) + 1;
}

static bool parse_text(tosajit_mlir *m) {
    m->context = create_context();
    mlir_report_attach(&m->report, m->context);
    const bool bytecode = bytecode_is(m->file.bytes, m->file.size);
    m->report.bytes = bytecode ? NULL : (const char *)m->file.bytes; /* excerpts are of text */
    m->report.length = m->file.size;
    guard_enter(m);
    m->module = bytecode ? parse_bytecode(m)
                         : mlir_parse_module(m->context, (const char *)m->file.bytes, m->file.size,
                                             m->file.name);
    guard_leave(m);
    bool fine = !mlirModuleIsNull(m->module);
    /* It happens: an attribute without a name is refused in silence. */
    if (!fine && !m->file.report.status)
        tosa_report_file(&m->file.report, TOSAJIT_BAD_MODULE,
                         "MLIR's parser refuses this file and does not say why");
    renew_state(m);
    return fine && list_functions(m);
}

/* ---------------------------------------------------------------------------------------------
 * The format */

static MlirOperation op_of(const tosa_file *file, size_t index) {
    return (MlirOperation){file->functions[index].origin};
}

static bool verify(tosa_file *file) {
    tosajit_mlir *m = (tosajit_mlir *)file;
    guard_enter(m);
    const bool fine = mlirOperationVerify(mlirModuleGetOperation(m->module));
    guard_leave(m);
    if (!fine && !file->report.status)
        tosa_report_file(&file->report, TOSAJIT_BAD_MODULE,
                         "MLIR's verifier refuses this file and does not say why");
    return fine;
}

/* A caller's name ends at a 0; names that have one are found as they are shown. */
static bool is_called(const tosa_file *file, size_t index, const char *wanted) {
    return mlirStringRefEqual(mlirStringAttrGetValue(name_of(op_of(file, index))),
                              mlirStringRefCreateFromCString(wanted));
}

static bool build(tosa_file *file, size_t index, const tosajit_expr_options *options,
                  tosa_function *built) {
    tosajit_mlir *m = (tosajit_mlir *)file;
    return mlir_build(op_of(file, index), options, &m->report, built);
}

static char *rename_values(const tosa_file *file, size_t index, const tosa_function *built,
                           const char *text) {
    const tosajit_mlir *m = (const tosajit_mlir *)file;
    return mlir_rename(&m->report, op_of(file, index), built, text);
}

static void tell_error(tosa_file *file, size_t index, int32_t number, const char *message) {
    tosajit_mlir *m = (tosajit_mlir *)file;
    const MlirOperation function = op_of(file, index);
    MlirOperation op = mlirBlockGetFirstOperation(mlir_block_of(function));
    for (int32_t k = 0; k < number; k++) op = mlirOperationGetNextInBlock(op);
    if (number < 0)
        mlir_report_error(&m->report, TOSAJIT_BAD_MODULE, mlirOperationGetLocation(function),
                          "@%s: %s", file->functions[index].shown, message);
    else
        mlir_report_error(&m->report, TOSAJIT_BAD_MODULE, mlirOperationGetLocation(op), "%s",
                          message);
}

static void close_module(tosa_file *file) {
    tosajit_mlir *m = (tosajit_mlir *)file;
    if (!mlirModuleIsNull(m->module)) mlirModuleDestroy(m->module);
    if (!mlirContextIsNull(m->context)) mlirContextDestroy(m->context);
}

static const tosa_format format = {.function = "function",
                                   .build = build,
                                   .rename = rename_values,
                                   .error = tell_error,
                                   .verify = verify,
                                   .is_called = is_called,
                                   .close = close_module};

tosa_file *mlir_module_file(tosajit_mlir *m) { return m ? &m->file : NULL; }

/* ---------------------------------------------------------------------------------------------
 * The whole module */

static tosajit_status refuse_null(const char *call, const char *what) {
    return diag_error(TOSAJIT_INVALID_ARGUMENT, "%s: %s is null", call, what);
}

/* Read a path, or bytes; parse what that is. */
static tosajit_status open_module(const char *path, const void *bytes, size_t size,
                                  const tosajit_mlir_options *options, tosajit_mlir **module) {
    const char *name = !path ? "<memory>" : strcmp(path, "-") == 0 ? "<stdin>" : path;
    tosa_file *file;
    tosajit_status status = tosa_file_create(sizeof(tosajit_mlir), &format, name, options, &file);
    if (status) return status;
    tosajit_mlir *m = (tosajit_mlir *)file;
    m->report.base = &file->report;
    const bool read = path ? tosa_file_read_path(file, path) : read_memory(m, bytes, size);
    status = tosa_file_opened(file, read && parse_text(m), &file);
    if (!status) *module = m;
    return status;
}

tosajit_status tosajit_mlir_open(const char *path, const tosajit_mlir_options *options,
                                 tosajit_mlir **module) {
    if (!path || !module) return refuse_null("tosajit_mlir_open", path ? "module" : "path");
    return open_module(path, NULL, 0, options, module);
}

tosajit_status tosajit_mlir_read(const void *bytes, size_t size,
                                 const tosajit_mlir_options *options, tosajit_mlir **module) {
    if (!bytes || !module) return refuse_null("tosajit_mlir_read", bytes ? "module" : "bytes");
    return open_module(NULL, bytes, size, options, module);
}

void tosajit_mlir_close(tosajit_mlir *m) { tosa_file_close(mlir_module_file(m)); }

tosajit_status tosajit_mlir_verify(tosajit_mlir *m) {
    return m ? tosa_file_verify(&m->file) : refuse_null("tosajit_mlir_verify", "module");
}

static void write_piece(MlirStringRef piece, void *out) {
    fwrite(piece.data, 1, piece.length, out);
}

tosajit_status tosajit_mlir_print(const tosajit_mlir *m, char **text) {
    if (!m || !text) return refuse_null("tosajit_mlir_print", m ? "text" : "module");
    char *printed = NULL;
    size_t size;
    FILE *out = open_memstream(&printed, &size);
    bool fine = out != NULL;
    if (out) {
        mlirOperationPrint(mlirModuleGetOperation(m->module), write_piece, out);
        fine = !ferror(out);
        fine = fclose(out) == 0 && fine;
    }
    if (!fine) {
        free(printed);
        return diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for a module's text");
    }
    *text = printed;
    return TOSAJIT_OK;
}

/* ---------------------------------------------------------------------------------------------
 * Functions */

size_t tosajit_mlir_count(const tosajit_mlir *m) { return m ? m->file.count : 0; }

const char *tosajit_mlir_name(const tosajit_mlir *m, size_t index) {
    return m ? tosa_file_name(&m->file, index) : NULL;
}

void *tosajit_mlir_operation(const tosajit_mlir *m, size_t index) {
    return m && index < m->file.count ? m->file.functions[index].origin : NULL;
}

uint64_t mlir_module_state(const tosajit_mlir *m) { return m->state; }

tosajit_status tosajit_mlir_find(tosajit_mlir *m, const char *name, size_t *index) {
    if (!m || !index) return refuse_null("tosajit_mlir_find", m ? "index" : "module");
    return tosa_file_find(&m->file, name, index);
}

static void outline_each(tosajit_mlir *m, size_t first, size_t end, tosajit_mlir_outlined *counts,
                         tosa_epilogues *epilogues) {
    pointer_map names = {0};
    bool fine = mlir_outline_names(body_of(m), &names) || report_memory(m);
    for (size_t k = first; fine && k < end; k++)
        fine = mlir_outline(op_of(&m->file, k), &names, &m->report, &counts[k - first], epilogues);
    pointer_map_release(&names);
}

tosajit_status mlir_module_outline(tosajit_mlir *m, size_t first, size_t end,
                                   tosajit_mlir_outlined *counts, tosa_epilogues *epilogues) {
    tosa_report_begin(&m->file.report);
    renew_state(m);
    outline_each(m, first, end, counts, epilogues);
    tosa_file_forget(&m->file);
    list_functions(m);
    return tosa_report_end(&m->file.report);
}

tosajit_status tosajit_mlir_outline(tosajit_mlir *m, size_t index,
                                    tosajit_mlir_outlined *outlined) {
    tosajit_mlir_outlined ignored = {.size = sizeof ignored}, known;
    if (!m) return refuse_null("tosajit_mlir_outline", "module");
    tosajit_status status = tosa_file_check_index(&m->file, index);
    if (!outlined) outlined = &ignored;
    /* A struct without its size is refused before anything is changed. */
    if (!status) status = options_take(&known, sizeof known, outlined, "tosajit_mlir_outlined");
    if (!status) status = mlir_module_outline(m, index, index + 1, &known, NULL);
    if (status) return status;
    return options_give(outlined, &known, sizeof known, "tosajit_mlir_outlined");
}

const mlir_reader tosajit_private_mlir = {
    {TOSAJIT_VERSION_MAJOR, TOSAJIT_VERSION_MINOR, TOSAJIT_VERSION_PATCH},
    tosajit_mlir_open,
    tosajit_mlir_read,
    tosajit_mlir_print,
    mlir_module_file,
    mlir_module_outline,
};

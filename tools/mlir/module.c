/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* TOSA files, parsed by MLIR: the text, MLIR's context and the list of functions. */
#define _POSIX_C_SOURCE 200809L /* strdup, open_memstream */
#include "tools/mlir/module.h"

#include <errno.h>
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

enum {
    FIRST_CAPACITY = 64 * 1024,
    LARGEST = 1024 * 1024 * 1024, /* bytes of a file or pipe, which may be a device without end */
    TEXT_ALIGNMENT =
        4096, /* sections of bytecode ask for an alignment of the whole; this is more than any */
};

typedef struct function {
    MlirOperation op;
    MlirAttribute name;
    char *shown; /* the name with escapes; owned */
} function;

struct tosajit_mlir {
    mlir_report report; /* context's diagnostic handler points here */
    char *name;         /* report.base.file; owned */
    bool guarded;
    uint64_t state; /* mlir_module_state */
    char *text;
    size_t length;
    MlirContext context;
    MlirModule module;
    function *functions;
    size_t count, capacity;
};

/* ---------------------------------------------------------------------------------------------
 * Reading */

static bool report_memory(tosajit_mlir *m) {
    tosa_report_file(&m->report.base, TOSAJIT_OUT_OF_MEMORY, "out of memory");
    return false;
}

static bool grow_text(tosajit_mlir *m, size_t *capacity) {
    size_t larger = *capacity ? 2 * *capacity : FIRST_CAPACITY;
    if (larger > LARGEST) larger = LARGEST + TEXT_ALIGNMENT;
    char *text = aligned_alloc(TEXT_ALIGNMENT, larger);
    if (!text) return report_memory(m);
    if (m->length > 0) memcpy(text, m->text, m->length);
    free(m->text);
    m->text = text;
    *capacity = larger;
    return true;
}

static bool read_stream(tosajit_mlir *m, FILE *stream) {
    size_t capacity = 0;
    do {
        if (m->length + 1 >= capacity && !grow_text(m, &capacity)) return false;
        m->length += fread(m->text + m->length, 1, capacity - m->length - 1, stream);
    } while (!feof(stream) && !ferror(stream) && m->length <= LARGEST);
    m->text[m->length] = '\0';
    if (ferror(stream))
        tosa_report_file(&m->report.base, TOSAJIT_INVALID_ARGUMENT, "%s", strerror(errno));
    bool fits = m->length <= LARGEST;
    if (!fits)
        tosa_report_file(&m->report.base, TOSAJIT_LIMIT_EXCEEDED,
                         "more than %d bytes, which is the most that is read", (int)LARGEST);
    return !ferror(stream) && fits;
}

static bool read_file(tosajit_mlir *m, const char *path) {
    if (strcmp(path, "-") == 0) return read_stream(m, stdin);
    FILE *stream = fopen(path, "rb");
    if (!stream) {
        tosa_report_file(&m->report.base, TOSAJIT_INVALID_ARGUMENT, "%s", strerror(errno));
        return false;
    }
    bool fine = read_stream(m, stream);
    fclose(stream);
    return fine;
}

static bool read_memory(tosajit_mlir *m, const void *bytes, size_t size) {
    if (size > SIZE_MAX - 2 * TEXT_ALIGNMENT) return report_memory(m);
    m->text = aligned_alloc(TEXT_ALIGNMENT, (size / TEXT_ALIGNMENT + 1) * TEXT_ALIGNMENT);
    if (!m->text) return report_memory(m);
    memcpy(m->text, bytes, size);
    m->text[size] = '\0';
    m->length = size;
    return true;
}

/* Few dialects, because registering all of MLIR's takes longer than reading a file; an op of
 * another one is kept where its syntax is the generic one, so that it is refused by its name. One
 * thread, because starting a pool takes longer, too. */
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

/* Room for one more function. */
static bool grow_functions(tosajit_mlir *m) {
    if (m->count < m->capacity) return true;
    size_t larger = m->capacity ? 2 * m->capacity : 8;
    function *functions = realloc(m->functions, larger * sizeof *functions);
    if (!functions) return false;
    m->functions = functions;
    m->capacity = larger;
    return true;
}

static bool add_function(tosajit_mlir *m, MlirOperation op, pointer_map *names) {
    MlirLocation place = mlirOperationGetLocation(op);
    MlirAttribute name =
        mlirOperationGetAttributeByName(op, mlirStringRefCreateFromCString("sym_name"));
    if (mlirAttributeIsNull(name) || !mlirAttributeIsAString(name)) {
        mlir_report_error(&m->report, TOSAJIT_BAD_MODULE, place,
                          "func.func: attribute sym_name is missing");
        return false;
    }
    char *shown = show_name(name);
    bool twice = pointer_map_find(names, name.ptr, NULL);
    if (shown && twice)
        mlir_report_error(&m->report, TOSAJIT_BAD_MODULE, place, "func.func: @%s is defined twice",
                          shown);
    if (shown && !twice && grow_functions(m) && pointer_map_add(names, name.ptr, 0)) {
        m->functions[m->count++] = (function){op, name, shown};
        return true;
    }
    if (!twice || !shown) report_memory(m);
    free(shown);
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
    if (fine && m->count == 0)
        tosa_report_file(&m->report.base, TOSAJIT_BAD_MODULE,
                         "there is no func.func with a body in this file");
    return fine && m->count > 0;
}

static void guard_enter(const tosajit_mlir *m) {
    if (m->guarded) crash_guard_enter(m->report.base.file, m->length);
}

static void guard_leave(const tosajit_mlir *m) {
    if (m->guarded) crash_guard_leave();
}

/* MLIR believes some of what bytecode says of itself. A null module, with or without words. */
static MlirModule parse_bytecode(tosajit_mlir *m) {
    MlirModule module = {NULL};
    const char *wrong = bytecode_is_sound((const uint8_t *)m->text, m->length)
                            ? NULL
                            : "its sections, or its groups of attributes and types, do not have "
                              "the sizes that it says";
    if (!wrong) module = mlir_parse_module(m->context, m->text, m->length, m->report.base.file);
    if (!mlirModuleIsNull(module) && !mlir_module_is_whole(module)) {
        mlirModuleDestroy(module);
        module.ptr = NULL;
        wrong = "a constant does not have as many elements as its type";
    }
    if (wrong)
        tosa_report_file(&m->report.base, TOSAJIT_BAD_MODULE, "this bytecode is damaged: %s",
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
    const bool bytecode = bytecode_is((const uint8_t *)m->text, m->length);
    m->report.bytes = bytecode ? NULL : m->text; /* excerpts are of text */
    m->report.length = m->length;
    guard_enter(m);
    m->module = bytecode ? parse_bytecode(m)
                         : mlir_parse_module(m->context, m->text, m->length, m->report.base.file);
    guard_leave(m);
    bool fine = !mlirModuleIsNull(m->module);
    /* It happens: an attribute without a name is refused in silence. */
    if (!fine && !m->report.base.status)
        tosa_report_file(&m->report.base, TOSAJIT_BAD_MODULE,
                         "MLIR's parser refuses this file and does not say why");
    renew_state(m);
    return fine && list_functions(m);
}

static tosajit_status create_module(const tosajit_mlir_options *options, const char *name,
                                    tosajit_mlir **module) {
    tosajit_mlir_options known;
    tosajit_status status = options_take(&known, sizeof known, options, "tosajit_mlir_options");
    if (status) return status;
    mlir_report report = {.base = {.say = known.say,
                                   .context = known.context,
                                   .file = known.name ? known.name : name}};
    tosa_report_begin(&report.base);
    tosajit_mlir *m = calloc(1, sizeof *m);
    if (m) m->name = strdup(report.base.file);
    if (!m || !m->name) {
        free(m);
        tosa_report_file(&report.base, TOSAJIT_OUT_OF_MEMORY, "out of memory");
        return tosa_report_end(&report.base);
    }
    m->report = report;
    m->report.base.file = m->name;
    m->guarded = known.guard != 0;
    *module = m;
    return TOSAJIT_OK;
}

/* Parse what the module's text is, if there is one, and give it to the caller. */
static tosajit_status finish(tosajit_mlir *m, bool have_text, tosajit_mlir **module) {
    bool fine = have_text && parse_text(m);
    const tosajit_status status = tosa_report_end(&m->report.base);
    if (fine)
        *module = m;
    else
        tosajit_mlir_close(m);
    return status;
}

tosajit_status tosajit_mlir_open(const char *path, const tosajit_mlir_options *options,
                                 tosajit_mlir **module) {
    if (!path || !module)
        return diag_error(TOSAJIT_INVALID_ARGUMENT, "tosajit_mlir_open: %s is null",
                          path ? "module" : "path");
    tosajit_mlir *m = NULL;
    tosajit_status status = create_module(options, strcmp(path, "-") == 0 ? "<stdin>" : path, &m);
    return status ? status : finish(m, read_file(m, path), module);
}

tosajit_status tosajit_mlir_read(const void *bytes, size_t size,
                                 const tosajit_mlir_options *options, tosajit_mlir **module) {
    if (!bytes || !module)
        return diag_error(TOSAJIT_INVALID_ARGUMENT, "tosajit_mlir_read: %s is null",
                          bytes ? "module" : "bytes");
    tosajit_mlir *m = NULL;
    tosajit_status status = create_module(options, "<memory>", &m);
    return status ? status : finish(m, read_memory(m, bytes, size), module);
}

static void forget_functions(tosajit_mlir *m) {
    for (size_t k = 0; k < m->count; k++) free(m->functions[k].shown);
    m->count = 0;
}

void tosajit_mlir_close(tosajit_mlir *m) {
    if (!m) return;
    if (!mlirModuleIsNull(m->module)) mlirModuleDestroy(m->module);
    if (!mlirContextIsNull(m->context)) mlirContextDestroy(m->context);
    forget_functions(m);
    free(m->functions);
    free(m->text);
    free(m->name);
    free(m);
}

/* ---------------------------------------------------------------------------------------------
 * The whole module */

static tosajit_status refuse_null(const char *call, const char *what) {
    return diag_error(TOSAJIT_INVALID_ARGUMENT, "%s: %s is null", call, what);
}

tosajit_status tosajit_mlir_verify(tosajit_mlir *m) {
    if (!m) return refuse_null("tosajit_mlir_verify", "module");
    tosa_report_begin(&m->report.base);
    guard_enter(m);
    bool fine = mlirOperationVerify(mlirModuleGetOperation(m->module));
    guard_leave(m);
    if (!fine && !m->report.base.status)
        tosa_report_file(&m->report.base, TOSAJIT_BAD_MODULE,
                         "MLIR's verifier refuses this file and does not say why");
    return tosa_report_end(&m->report.base);
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

static tosajit_status check_index(const tosajit_mlir *m, size_t index) {
    if (index < m->count) return TOSAJIT_OK;
    return diag_error(TOSAJIT_INVALID_ARGUMENT,
                      "%s: there is no function %zu; there %s %zu, from 0", m->report.base.file,
                      index, m->count == 1 ? "is" : "are", m->count);
}

size_t tosajit_mlir_count(const tosajit_mlir *m) { return m ? m->count : 0; }

const char *tosajit_mlir_name(const tosajit_mlir *m, size_t index) {
    return m && index < m->count ? m->functions[index].shown : NULL;
}

void *tosajit_mlir_operation(const tosajit_mlir *m, size_t index) {
    return m && index < m->count ? m->functions[index].op.ptr : NULL;
}

uint64_t mlir_module_state(const tosajit_mlir *m) { return m->state; }

/* "@a, @b, @c" */
static tosajit_status report_choice(tosajit_mlir *m, const char *before) {
    mlir_phrase list = {0};
    for (size_t k = 0; k < m->count; k++) {
        mlir_phrase_append(mlirStringRefCreateFromCString(k == 0 ? "@" : ", @"), &list);
        mlir_phrase_append(mlirStringRefCreateFromCString(m->functions[k].shown), &list);
    }
    tosa_report_file(&m->report.base, TOSAJIT_INVALID_ARGUMENT, "%s: %.1000s", before, list.text);
    return tosa_report_end(&m->report.base);
}

/* A caller's name ends at a 0; names that have one are found as they are shown. */
static bool is_called(const function *f, const char *wanted) {
    return mlirStringRefEqual(mlirStringAttrGetValue(f->name),
                              mlirStringRefCreateFromCString(wanted)) ||
           strcmp(f->shown, wanted) == 0;
}

tosajit_status tosajit_mlir_find(tosajit_mlir *m, const char *name, size_t *index) {
    if (!m || !index) return refuse_null("tosajit_mlir_find", m ? "index" : "module");
    tosa_report_begin(&m->report.base);
    const char *wanted = !name ? "main" : *name == '@' ? name + 1 : name;
    for (size_t k = 0; k < m->count; k++)
        if ((!name && m->count == 1) || is_called(&m->functions[k], wanted)) {
            *index = k;
            return TOSAJIT_OK;
        }
    char before[256];
    snprintf(before, sizeof before, "there is no function @%.100s in this file; it has", wanted);
    return report_choice(
        m, name ? before : "this file has several functions, of which none is @main; choose one");
}

static void outline_each(tosajit_mlir *m, size_t first, size_t end, tosajit_mlir_outlined *counts,
                         tosa_epilogues *epilogues) {
    pointer_map names = {0};
    bool fine = mlir_outline_names(body_of(m), &names) || report_memory(m);
    for (size_t k = first; fine && k < end; k++)
        fine = mlir_outline(m->functions[k].op, &names, &m->report, &counts[k - first], epilogues);
    pointer_map_release(&names);
}

tosajit_status mlir_module_outline(tosajit_mlir *m, size_t first, size_t end,
                                   tosajit_mlir_outlined *counts, tosa_epilogues *epilogues) {
    tosa_report_begin(&m->report.base);
    renew_state(m);
    outline_each(m, first, end, counts, epilogues);
    forget_functions(m);
    list_functions(m);
    return tosa_report_end(&m->report.base);
}

tosajit_status tosajit_mlir_outline(tosajit_mlir *m, size_t index,
                                    tosajit_mlir_outlined *outlined) {
    tosajit_mlir_outlined ignored = {.size = sizeof ignored}, known;
    if (!m) return refuse_null("tosajit_mlir_outline", "module");
    tosajit_status status = check_index(m, index);
    if (!outlined) outlined = &ignored;
    /* A struct without its size is refused before anything is changed. */
    if (!status) status = options_take(&known, sizeof known, outlined, "tosajit_mlir_outlined");
    if (!status) status = mlir_module_outline(m, index, index + 1, &known, NULL);
    if (status) return status;
    return options_give(outlined, &known, sizeof known, "tosajit_mlir_outlined");
}

tosajit_status mlir_module_build(tosajit_mlir *m, size_t index, const tosajit_expr_options *options,
                                 tosa_function *built) {
    tosajit_status status = check_index(m, index);
    if (status) return status;
    tosa_report_begin(&m->report.base);
    mlir_build(m->functions[index].op, options, &m->report, built);
    return tosa_report_end(&m->report.base);
}

char *mlir_module_rename(const tosajit_mlir *m, size_t index, const tosa_function *built,
                         const char *text) {
    const mlir_text source = {m->report.base.file, m->text, m->length};
    return mlir_rename(&source, m->functions[index].op, built, text);
}

void mlir_module_report(tosajit_mlir *m, size_t index, const tosa_function *built,
                        const char *message) {
    char *renamed = mlir_module_rename(m, index, built, message);
    tosa_report_begin(&m->report.base);
    mlir_report_error(&m->report, TOSAJIT_BAD_MODULE,
                      mlirOperationGetLocation(m->functions[index].op), "@%s: %s",
                      m->functions[index].shown, renamed ? renamed : message);
    tosa_report_end(&m->report.base);
    free(renamed);
}

void mlir_module_report_step(tosajit_mlir *m, size_t index, const tosa_step *step,
                             const char *message) {
    MlirOperation op = mlirBlockGetFirstOperation(mlir_block_of(m->functions[index].op));
    for (int32_t k = 0; k < step->number; k++) op = mlirOperationGetNextInBlock(op);
    tosa_report_begin(&m->report.base);
    mlir_report_error(&m->report, TOSAJIT_BAD_MODULE, mlirOperationGetLocation(op), "tosa.%s: %s",
                      tosajit_op_name(step->op), message);
    tosa_report_end(&m->report.base);
}

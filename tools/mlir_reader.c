/* TOSA files, parsed by MLIR. This file holds the text, MLIR's context and the list of functions. */
#include "tools/mlir_reader.h"

#include <errno.h>
#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/Dialect/Arith.h>
#include <mlir-c/Dialect/Func.h>
#include <mlir-c/Dialect/Tensor.h>
#include <mlir-c/Dialect/Tosa.h>
#include <mlir-c/IR.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/crash_guard.h"
#include "tools/escape.h"
#include "tools/mlir_build.h"
#include "tools/mlir_names.h"
#include "tools/mlir_outline.h"
#include "tools/mlir_parse.h"
#include "tools/mlir_report.h"
#include "tools/pointer_map.h"

enum {
    FIRST_CAPACITY = 64 * 1024,
    TEXT_ALIGNMENT = 4096, /* sections of bytecode ask for an alignment of the whole; this is more than any */
};

typedef struct function {
    MlirOperation op;
    MlirAttribute name;
    char *shown; /* the name with escapes; owned */
} function;

struct mlir_file {
    mlir_report report; /* context's diagnostic handler points here */
    char *text;
    size_t length;
    MlirContext context;
    MlirModule module;
    function *functions;
    size_t count, capacity;
};

static bool grow_text(mlir_file *file, size_t *capacity) {
    size_t larger = *capacity ? 2 * *capacity : FIRST_CAPACITY;
    char *text = aligned_alloc(TEXT_ALIGNMENT, larger);
    if (!text) return false;
    if (file->length > 0) memcpy(text, file->text, file->length);
    free(file->text);
    file->text = text;
    *capacity = larger;
    return true;
}

static bool read_stream(mlir_file *file, FILE *stream) {
    size_t capacity = 0;
    do {
        if (file->length + 1 >= capacity && !grow_text(file, &capacity)) {
            mlir_report_file_error(&file->report, "out of memory");
            return false;
        }
        file->length += fread(file->text + file->length, 1, capacity - file->length - 1, stream);
    } while (!feof(stream) && !ferror(stream));
    file->text[file->length] = '\0';
    if (ferror(stream)) mlir_report_file_error(&file->report, "%s", strerror(errno));
    return !ferror(stream);
}

static bool read_text(mlir_file *file, const char *path) {
    if (strcmp(path, "-") == 0) return read_stream(file, stdin);
    FILE *stream = fopen(path, "rb");
    if (!stream) {
        mlir_report_file_error(&file->report, "%s", strerror(errno));
        return false;
    }
    bool fine = read_stream(file, stream);
    fclose(stream);
    return fine;
}

/* Few dialects, because registering all of MLIR's takes longer than reading a file; an op of another one is kept where its
 * syntax is the generic one, so that it is refused by its name. One thread, because starting a pool takes longer, too. */
static MlirContext create_context(void) {
    MlirContext context = mlirContextCreateWithThreading(false);
    const MlirDialectHandle handles[] = {mlirGetDialectHandle__func__(), mlirGetDialectHandle__tosa__(), mlirGetDialectHandle__tensor__(),
                                         mlirGetDialectHandle__arith__()};
    for (size_t k = 0; k < sizeof handles / sizeof *handles; k++) mlirDialectHandleRegisterDialect(handles[k], context);
    mlirContextSetAllowUnregisteredDialects(context, true);
    return context;
}

static bool is_function_with_body(MlirOperation op) {
    MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
    if (!mlirStringRefEqual(name, mlirStringRefCreateFromCString("func.func"))) return false;
    return mlirOperationGetNumRegions(op) == 1 && !mlirBlockIsNull(mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0)));
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
static bool grow_functions(mlir_file *file) {
    if (file->count < file->capacity) return true;
    size_t larger = file->capacity ? 2 * file->capacity : 8;
    function *functions = realloc(file->functions, larger * sizeof *functions);
    if (!functions) return false;
    file->functions = functions;
    file->capacity = larger;
    return true;
}

static bool add_function(mlir_file *file, MlirOperation op, pointer_map *names) {
    MlirLocation place = mlirOperationGetLocation(op);
    MlirAttribute name = mlirOperationGetAttributeByName(op, mlirStringRefCreateFromCString("sym_name"));
    if (mlirAttributeIsNull(name) || !mlirAttributeIsAString(name)) {
        mlir_report_error(&file->report, place, "func.func: attribute sym_name is missing");
        return false;
    }
    char *shown = show_name(name);
    bool twice = pointer_map_find(names, name.ptr, NULL);
    if (shown && twice) mlir_report_error(&file->report, place, "func.func: @%s is defined twice", shown);
    if (shown && !twice && grow_functions(file) && pointer_map_add(names, name.ptr, 0)) {
        file->functions[file->count++] = (function){op, name, shown};
        return true;
    }
    if (!twice || !shown) mlir_report_file_error(&file->report, "out of memory");
    free(shown);
    return false;
}

static bool list_functions(mlir_file *file) {
    pointer_map names = {0};
    bool fine = true;
    MlirOperation module = mlirModuleGetOperation(file->module), op = {NULL};
    /* Damaged bytecode may hold a module without a body, which only the verifier would refuse. */
    MlirBlock body = {NULL};
    if (mlirOperationGetNumRegions(module) == 1) body = mlirRegionGetFirstBlock(mlirOperationGetRegion(module, 0));
    if (!mlirBlockIsNull(body)) op = mlirBlockGetFirstOperation(body);
    for (; fine && !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
        if (is_function_with_body(op)) fine = add_function(file, op, &names);
    pointer_map_release(&names);
    if (fine && file->count == 0) mlir_report_file_error(&file->report, "there is no func.func with a body in this file");
    return fine && file->count > 0;
}

/* Parse what file->text has; closes file where that fails. */
static mlir_file *parse_text(mlir_file *file) {
    file->context = create_context();
    mlir_report_attach(&file->report, file->context);
    crash_guard_enter(file->report.file, file->length);
    file->module = mlir_parse_module(file->context, file->text, file->length, file->report.file);
    crash_guard_leave();
    bool fine = !mlirModuleIsNull(file->module);
    /* It happens: an attribute without a name is refused in silence. */
    if (!fine && !file->report.said) mlir_report_file_error(&file->report, "MLIR's parser refuses this file and does not say why");
    if (fine && list_functions(file)) return file;
    mlir_file_close(file);
    return NULL;
}

static mlir_file *create_file(const mlir_report *report) {
    mlir_file *file = calloc(1, sizeof *file);
    if (file)
        file->report = *report;
    else
        mlir_report_file_error(report, "out of memory");
    return file;
}

mlir_file *mlir_file_open(const char *path, void (*say)(void *context, const char *line), void *context) {
    const mlir_report report = {say, context, strcmp(path, "-") == 0 ? "<stdin>" : path, false};
    mlir_file *file = create_file(&report);
    if (!file) return NULL;
    if (read_text(file, path)) return parse_text(file);
    mlir_file_close(file);
    return NULL;
}

mlir_file *mlir_file_read(const char *name, const char *text, size_t length, void (*say)(void *context, const char *line), void *context) {
    const mlir_report report = {say, context, name, false};
    mlir_file *file = create_file(&report);
    if (!file) return NULL;
    size_t capacity = (length / TEXT_ALIGNMENT + 1) * TEXT_ALIGNMENT;
    file->text = aligned_alloc(TEXT_ALIGNMENT, capacity);
    if (!file->text) {
        mlir_report_file_error(&report, "out of memory");
        mlir_file_close(file);
        return NULL;
    }
    memcpy(file->text, text, length);
    file->text[length] = '\0';
    file->length = length;
    return parse_text(file);
}

static void forget_functions(mlir_file *file) {
    for (size_t k = 0; k < file->count; k++) free(file->functions[k].shown);
    file->count = 0;
}

void mlir_file_close(mlir_file *file) {
    if (!file) return;
    if (!mlirModuleIsNull(file->module)) mlirModuleDestroy(file->module);
    if (!mlirContextIsNull(file->context)) mlirContextDestroy(file->context);
    forget_functions(file);
    free(file->functions);
    free(file->text);
    free(file);
}

bool mlir_file_verify(mlir_file *file) {
    crash_guard_enter(file->report.file, file->length);
    bool fine = mlirOperationVerify(mlirModuleGetOperation(file->module));
    crash_guard_leave();
    return fine;
}

bool mlir_file_outline(mlir_file *file, size_t index, mlir_file_outlined *outlined) {
    mlir_outline_count count;
    bool fine = mlir_outline(file->functions[index].op, &file->report, &count);
    *outlined = (mlir_file_outlined){count.regions, count.inside, count.outside};
    forget_functions(file);
    return list_functions(file) && fine;
}

static void write_piece(MlirStringRef piece, void *out) { fwrite(piece.data, 1, piece.length, out); }

void mlir_file_print(const mlir_file *file, FILE *out) { mlirOperationPrint(mlirModuleGetOperation(file->module), write_piece, out); }

void *mlir_file_operation(const mlir_file *file, size_t index) { return file->functions[index].op.ptr; }

size_t mlir_file_count(const mlir_file *file) { return file->count; }

const char *mlir_file_name(const mlir_file *file, size_t index) { return file->functions[index].shown; }

/* "@a, @b, @c" */
static void report_choice(const mlir_file *file, const char *before) {
    mlir_phrase list = {0};
    for (size_t k = 0; k < file->count; k++) {
        mlir_phrase_append(mlirStringRefCreateFromCString(k == 0 ? "@" : ", @"), &list);
        mlir_phrase_append(mlirStringRefCreateFromCString(file->functions[k].shown), &list);
    }
    mlir_report_file_error(&file->report, "%s: %.1000s", before, list.text);
}

/* Words of the command line have no 0 in them; names that have are found as they are shown. */
static bool is_called(const function *f, const char *wanted) {
    return mlirStringRefEqual(mlirStringAttrGetValue(f->name), mlirStringRefCreateFromCString(wanted)) || strcmp(f->shown, wanted) == 0;
}

bool mlir_file_find(const mlir_file *file, const char *name, size_t *index) {
    *index = 0;
    if (!name && file->count == 1) return true;
    const char *wanted = !name ? "main" : *name == '@' ? name + 1 : name;
    for (size_t k = 0; k < file->count; k++) {
        *index = k;
        if (is_called(&file->functions[k], wanted)) return true;
    }
    char before[256];
    snprintf(before, sizeof before, "there is no function @%.100s in this file; it has", wanted);
    report_choice(file, name ? before : "this file has several functions, choose one with --entry");
    return false;
}

bool mlir_file_build(const mlir_file *file, size_t index, int strict, mlir_function *built) {
    return mlir_build(file->functions[index].op, strict, &file->report, built);
}

char *mlir_file_rename(const mlir_file *file, size_t index, const mlir_function *built, const char *text) {
    const mlir_text source = {file->report.file, file->text, file->length};
    return mlir_rename(&source, file->functions[index].op, built, text);
}

void mlir_file_report(const mlir_file *file, size_t index, const mlir_function *built, const char *message) {
    char *renamed = mlir_file_rename(file, index, built, message);
    mlir_report_error(&file->report, mlirOperationGetLocation(file->functions[index].op), "@%s: %s", mlir_file_name(file, index),
                      renamed ? renamed : message);
    free(renamed);
}

void mlir_file_report_step(const mlir_file *file, const mlir_step *step, const char *message) {
    MlirOperation op = {step->origin};
    mlir_report_error(&file->report, mlirOperationGetLocation(op), "tosa.%s: %s", tosajit_op_name(step->op), message);
}

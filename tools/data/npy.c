/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* NumPy's .npy files, format versions 1 to 3. Nothing in a file is trusted: the header's length,
 * its grammar, the shape's product and the number of data bytes are all checked before memory of
 * that size is asked for. Source: NumPy Enhancement Proposal 1 and numpy/lib/format.py. */
#include "tools/data/npy.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    PREFIX_SIZE = 8,          /* magic and version */
    HEADER_LIMIT = 64 * 1024, /* a real header has about 100 bytes */
    DESCR_CAPACITY = 32,
    HEADER_ALIGNMENT = 64,
    FIRST_CHUNK = 1024 * 1024, /* a false size costs no more memory than the file has data */
};

static const char magic[6] = {'\x93', 'N', 'U', 'M', 'P', 'Y'};

/* How each element type looks in a file; alternative may be null. */
static const struct {
    const char *descr, *alternative, *meaning;
} formats[TOSAJIT_TYPE_COUNT] = {
    [TOSAJIT_I1] = {"|b1", NULL, "bool"},
    [TOSAJIT_I8] = {"|i1", NULL, "int8"},
    [TOSAJIT_I16] = {"<i2", NULL, "int16"},
    [TOSAJIT_I32] = {"<i4", NULL, "int32"},
    [TOSAJIT_I48] = {"<i8", NULL, "i48 in int64"},
    [TOSAJIT_I64] = {"<i8", NULL, "int64"},
    [TOSAJIT_F16] = {"<f2", NULL, "float16"},
    [TOSAJIT_BF16] = {"<u2", "<V2", "bf16 bits"},
    [TOSAJIT_F32] = {"<f4", NULL, "float32"},
    [TOSAJIT_F8E4M3FN] = {"|u1", "|V1", "f8E4M3FN bits"},
    [TOSAJIT_F8E5M2] = {"|u1", "|V1", "f8E5M2 bits"},
    [TOSAJIT_F64] = {"<f8", NULL, "float64"},
    [TOSAJIT_U8] = {"|u1", NULL, "uint8"},
    [TOSAJIT_U16] = {"<u2", NULL, "uint16"},
    [TOSAJIT_U32] = {"<u4", NULL, "uint32"},
    [TOSAJIT_U64] = {"<u8", NULL, "uint64"},
};

static bool fail(npy_error *error, const char *path, const char *format, ...) {
    int used = snprintf(error->text, sizeof error->text, "%s: ", path);
    if (used < 0 || (size_t)used >= sizeof error->text) return false;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text + used, sizeof error->text - (size_t)used, format, arguments);
    va_end(arguments);
    return false;
}

static bool multiply(int64_t a, int64_t b, int64_t *product) {
    if (a != 0 && b > INT64_MAX / a) return false;
    *product = a * b;
    return true;
}

/* ---------------------------------------------------------------------------------------------
 * The header: a Python dictionary literal with the keys descr, fortran_order and shape. */

typedef struct header {
    char descr[DESCR_CAPACITY];
    bool fortran;
    int32_t rank;
    int64_t dims[TOSAJIT_MAX_RANK];
} header;

typedef struct cursor {
    const char *path, *at, *end;
    npy_error *error;
} cursor;

static void skip_space(cursor *c) {
    while (c->at < c->end && isspace((unsigned char)*c->at)) c->at++;
}

static bool take(cursor *c, char expected) {
    skip_space(c);
    if (c->at >= c->end || *c->at != expected) return false;
    c->at++;
    return true;
}

static bool take_word(cursor *c, const char *word) {
    skip_space(c);
    size_t length = strlen(word);
    if ((size_t)(c->end - c->at) < length || memcmp(c->at, word, length) != 0) return false;
    c->at += length;
    return true;
}

static bool expect(cursor *c, char expected) {
    if (take(c, expected)) return true;
    return fail(c->error, c->path, "malformed .npy header: '%c' expected", expected);
}

/* A Python string without escapes. */
static bool take_string(cursor *c, char *text, size_t capacity) {
    skip_space(c);
    if (c->at >= c->end || (*c->at != '\'' && *c->at != '"')) return false;
    char quote = *c->at++;
    size_t length = 0;
    while (c->at < c->end && *c->at != quote) {
        bool plain = isprint((unsigned char)*c->at) && *c->at != '\\';
        if (!plain || length + 1 >= capacity) return false;
        text[length++] = *c->at++;
    }
    text[length] = '\0';
    return take(c, quote);
}

static bool take_size(cursor *c, int64_t *size) {
    skip_space(c);
    const char *first = c->at;
    int64_t value = 0;
    for (; c->at < c->end && isdigit((unsigned char)*c->at); c->at++) {
        int digit = *c->at - '0';
        if (value > (INT64_MAX - digit) / 10)
            return fail(c->error, c->path, "a size in the .npy shape is beyond 2^63 - 1");
        value = value * 10 + digit;
    }
    if (c->at == first)
        return fail(c->error, c->path, "malformed .npy header: the shape must be a tuple of sizes");
    if (c->at < c->end && *c->at == 'L') c->at++; /* Python 2 wrote long integers so */
    *size = value;
    return true;
}

static bool parse_shape(cursor *c, header *h) {
    if (!expect(c, '(')) return false;
    h->rank = 0;
    bool comma = true;
    while (!take(c, ')')) {
        if (!comma)
            return fail(c->error, c->path,
                        "malformed .npy header: ',' or ')' expected in the shape");
        if (h->rank == TOSAJIT_MAX_RANK)
            return fail(c->error, c->path,
                        "the array has more than %d dimensions, the most that tosajit supports",
                        TOSAJIT_MAX_RANK);
        if (!take_size(c, &h->dims[h->rank])) return false;
        h->rank++;
        comma = take(c, ',');
    }
    /* (3) is a number in Python, (3,) a tuple. */
    if (h->rank == 1 && !comma)
        return fail(c->error, c->path, "malformed .npy header: the shape must be a tuple");
    return true;
}

static bool parse_descr(cursor *c, header *h) {
    skip_space(c);
    if (c->at < c->end && *c->at == '[')
        return fail(
            c->error, c->path,
            "the array has structured elements (several fields); an array of one type expected");
    if (take_string(c, h->descr, sizeof h->descr)) return true;
    return fail(c->error, c->path, "malformed .npy header: descr must be a string such as '<f4'");
}

static bool parse_order(cursor *c, header *h) {
    h->fortran = take_word(c, "True");
    if (h->fortran || take_word(c, "False")) return true;
    return fail(c->error, c->path, "malformed .npy header: fortran_order must be True or False");
}

static bool parse_header(cursor *c, header *h) {
    static const struct {
        const char *key;
        bool (*parse)(cursor *, header *);
    } entries[] = {{"descr", parse_descr}, {"fortran_order", parse_order}, {"shape", parse_shape}};
    enum { ENTRIES = sizeof entries / sizeof *entries };
    bool seen[ENTRIES] = {false};
    if (!expect(c, '{')) return false;
    bool comma = true;
    while (!take(c, '}')) {
        char key[DESCR_CAPACITY];
        if (!comma || !take_string(c, key, sizeof key))
            return fail(c->error, c->path, "malformed .npy header: a quoted key or '}' expected");
        size_t k = 0;
        while (k < ENTRIES && strcmp(key, entries[k].key) != 0) k++;
        if (k == ENTRIES)
            return fail(c->error, c->path, "malformed .npy header: unknown key '%s'", key);
        if (seen[k])
            return fail(c->error, c->path, "malformed .npy header: key '%s' appears twice", key);
        seen[k] = true;
        if (!expect(c, ':') || !entries[k].parse(c, h)) return false;
        comma = take(c, ',');
    }
    for (size_t k = 0; k < ENTRIES; k++)
        if (!seen[k])
            return fail(c->error, c->path, "malformed .npy header: key '%s' is missing",
                        entries[k].key);
    skip_space(c);
    if (c->at != c->end)
        return fail(c->error, c->path, "malformed .npy header: text after the closing '}'");
    return true;
}

/* ---------------------------------------------------------------------------------------------
 * Reading */

/* Why fewer bytes than wanted came: the end of the file or an error of the system. */
static bool fail_short(npy_error *error, const char *path, FILE *file, const char *what) {
    if (ferror(file)) return fail(error, path, "%s", strerror(errno));
    return fail(error, path, "the file ends inside %s", what);
}

static bool read_header(FILE *file, const char *path, header *h, npy_error *error) {
    unsigned char prefix[PREFIX_SIZE], width[4];
    size_t got = fread(prefix, 1, sizeof prefix, file);
    if (got < sizeof magic || memcmp(prefix, magic, sizeof magic) != 0) {
        if (ferror(file)) return fail(error, path, "%s", strerror(errno));
        return fail(error, path, "not a .npy file: it does not begin with \\x93NUMPY");
    }
    if (got < sizeof prefix) return fail_short(error, path, file, "the .npy header");
    unsigned version = prefix[6];
    if (version < 1 || version > 3)
        return fail(error, path, ".npy format version %u.%u; 1.0, 2.0 or 3.0 expected", version,
                    prefix[7]);
    size_t width_size = version == 1 ? 2 : 4;
    if (fread(width, 1, width_size, file) < width_size)
        return fail_short(error, path, file, "the .npy header");
    uint32_t length = 0;
    for (size_t k = width_size; k-- > 0;) length = length << 8 | width[k];
    if (length > HEADER_LIMIT)
        return fail(error, path, "a .npy header of %" PRIu32 " bytes; at most %d expected", length,
                    HEADER_LIMIT);
    char *text = malloc((size_t)length + 1);
    if (!text) return fail(error, path, "out of memory for the .npy header");
    bool fine = fread(text, 1, length, file) == length;
    if (fine) {
        cursor c = {path, text, text + length, error};
        fine = parse_header(&c, h);
    } else {
        fail_short(error, path, file, "the .npy header");
    }
    free(text);
    return fine;
}

/* "<f4" matches "<f4" and "=f4"; for elements of one byte the order character means nothing. */
static bool descr_matches(const char *found, const char *wanted) {
    if (!wanted || strlen(found) < 2 || !strchr("<>|=", found[0]) ||
        strcmp(found + 1, wanted + 1) != 0)
        return false;
    bool one_byte = strcmp(wanted + 2, "1") == 0;
    bool raw = wanted[1] == 'V'; /* NumPy has no byte order for void */
    return one_byte || found[0] == '<' || found[0] == '=' || (raw && found[0] == '|');
}

static bool check_descr(const char *path, const header *h, tosajit_type expected,
                        npy_error *error) {
    const char *descr = formats[expected].descr, *alternative = formats[expected].alternative;
    if (descr_matches(h->descr, descr) || descr_matches(h->descr, alternative) ||
        (expected == TOSAJIT_F8E5M2 && strcmp(h->descr, "<f1") == 0)) /* of ml_dtypes */
        return true;
    const char *hint = h->descr[0] == '>' ? "; big-endian data must be converted first" : "";
    return fail(error, path, "elements of type '%s' found, '%s'%s%s%s (%s) expected for %s%s",
                h->descr, descr, alternative ? " or '" : "", alternative ? alternative : "",
                alternative ? "'" : "", formats[expected].meaning, tosajit_type_name(expected),
                hint);
}

/* Strides as of an array without empty dimensions, so that they stay meaningful where a size is 0;
 * those that would not fit stay as they are, because nothing is ever reached through them. */
static bool lay_out(const char *path, const header *h, tosajit_type element, npy_array *array,
                    size_t *bytes, npy_error *error) {
    int64_t stride = (int64_t)tosajit_type_size(element);
    bool empty = false, fits = true;
    array->element = element;
    array->rank = h->rank;
    for (int32_t k = 0; k < h->rank; k++) {
        int32_t d = h->fortran ? k : h->rank - 1 - k;
        array->dims[d] = h->dims[d];
        array->strides[d] = stride;
        empty = empty || h->dims[d] == 0;
        fits = fits && (h->dims[d] == 0 || multiply(stride, h->dims[d], &stride));
    }
    if (!fits && !empty)
        return fail(error, path, "the shape in the .npy header means more than 2^63 - 1 bytes");
    if ((uint64_t)stride > SIZE_MAX && !empty)
        return fail(error, path, "the array does not fit into memory");
    *bytes = empty ? 0 : (size_t)stride;
    return true;
}

/* Memory grows with the data that is really there. */
static bool read_data(FILE *file, const char *path, size_t bytes, void **data, npy_error *error) {
    size_t capacity = bytes < FIRST_CHUNK ? bytes : FIRST_CHUNK, filled = 0;
    char *memory = malloc(capacity ? capacity : 1);
    while (memory) {
        filled += fread(memory + filled, 1, capacity - filled, file);
        if (filled < capacity || capacity == bytes) break;
        capacity = bytes - capacity > capacity ? 2 * capacity : bytes;
        char *larger = realloc(memory, capacity);
        if (!larger) free(memory);
        memory = larger;
    }
    if (!memory) return fail(error, path, "out of memory for %zu bytes of data", bytes);
    bool fine = true;
    if (ferror(file))
        fine = fail(error, path, "%s", strerror(errno));
    else if (filled < bytes)
        fine =
            fail(error, path, "the file ends after %zu bytes of data, %zu expected", filled, bytes);
    else if (fgetc(file) != EOF)
        fine = fail(error, path,
                    "the file goes on after the %zu bytes of data that its shape needs", bytes);
    if (!fine) free(memory);
    *data = fine ? memory : NULL;
    return fine;
}

/* An i48 is carried in 8 bytes, sign-extended. */
static bool check_i48(const char *path, const npy_array *array, size_t bytes, npy_error *error) {
    const int64_t limit = INT64_C(1) << 47;
    for (size_t k = 0; k < bytes / sizeof(int64_t); k++) {
        int64_t value;
        memcpy(&value, (const char *)array->data + k * sizeof value, sizeof value);
        if (value < -limit || value >= limit)
            return fail(error, path,
                        "element %zu of the data is %" PRId64 ", which does not fit into i48", k,
                        value);
    }
    return true;
}

bool npy_read(const char *path, tosajit_type expected, npy_array *array, npy_error *error) {
    memset(array, 0, sizeof *array);
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    if (!file) return fail(error, path, "%s", strerror(errno));
    header h = {0};
    size_t bytes = 0;
    bool fine = read_header(file, path, &h, error) && check_descr(path, &h, expected, error) &&
                lay_out(path, &h, expected, array, &bytes, error) &&
                read_data(file, path, bytes, &array->data, error);
    if (file != stdin) fclose(file);
    if (fine && expected == TOSAJIT_I48) fine = check_i48(path, array, bytes, error);
    if (!fine) npy_release(array);
    return fine;
}

void npy_release(npy_array *array) {
    free(array->data);
    memset(array, 0, sizeof *array);
}

/* ---------------------------------------------------------------------------------------------
 * Writing */

/* The complete header of version 1, padded so that the data is aligned. Returns its length. */
static size_t format_header(tosajit_type element, int32_t rank, const int64_t *dims, char *text,
                            size_t capacity) {
    char shape[TOSAJIT_MAX_RANK * 22 + 1] = "";
    size_t used = 0;
    for (int32_t d = 0; d < rank; d++) {
        const char *after = d + 1 < rank ? ", " : rank == 1 ? "," : "";
        used +=
            (size_t)snprintf(shape + used, sizeof shape - used, "%" PRId64 "%s", dims[d], after);
    }
    size_t start = PREFIX_SIZE + 2;
    memcpy(text, magic, sizeof magic);
    text[6] = 1;
    text[7] = 0;
    size_t length =
        start + (size_t)snprintf(text + start, capacity - start,
                                 "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }",
                                 formats[element].descr, shape);
    while ((length + 1) % HEADER_ALIGNMENT != 0) text[length++] = ' ';
    text[length++] = '\n';
    text[8] = (char)((length - start) & 0xff);
    text[9] = (char)((length - start) >> 8);
    return length;
}

static bool write_stream(FILE *file, tosajit_type element, int32_t rank, const int64_t *dims,
                         const void *data) {
    char text[1024];
    size_t length = format_header(element, rank, dims, text, sizeof text);
    size_t bytes = tosajit_type_size(element);
    for (int32_t d = 0; d < rank; d++) bytes *= (size_t)dims[d];
    return fwrite(text, 1, length, file) == length && fwrite(data, 1, bytes, file) == bytes &&
           fflush(file) == 0;
}

bool npy_write(const char *path, tosajit_type element, int32_t rank, const int64_t *dims,
               const void *data, output_file *pending, npy_error *error) {
    bool open = output_file_open(path, pending);
    if (open && write_stream(pending->stream, element, rank, dims, data) &&
        output_file_finish(pending))
        return true;
    output_file_abort(pending);
    return fail(error, path, "cannot write: %s", strerror(errno));
}

bool npy_commit(const char *path, output_file *pending, npy_error *error) {
    return output_file_commit(pending) || fail(error, path, "cannot write: %s", strerror(errno));
}

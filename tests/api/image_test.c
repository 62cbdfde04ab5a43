/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Kernel images: what comes back is the kernel, and nothing in an image is believed. That loaded
 * kernels compute what compiled ones do is the differential test's; this one is about the
 * interface, about damage, and about what is given back. It reaches into the library for the
 * checksum, so that damage passes it and meets the checks behind. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/bytes.h"
#include "runtime/base/features.h"
#include "tests/support/cmocka.h"
#include "tosajit/graph.h"
#include "tosajit/image.h"
#include "tosajit/inspect.h"

/* Offsets in the header; docs/images.md. */
enum {
    FORMAT_AT = 8,
    SIZE_AT = 16,
    CHECKSUM_AT = 24,
    CHECKED_FROM = 32,
    FINGERPRINT_AT = 40,
    PROGRAM_BYTES_AT = 48,
    PROGRAM_AT = 64
};
enum {
    BUILD_MACHINE = 0,
    BUILD_FEATURES = 8,
    BUILD_ALIGNMENT = 16,
    BUILD_OFFSET = 24,
    BUILD_SIZE = 32,
    BUILD_ENTRY = 56
};

typedef struct image {
    unsigned char *bytes;
    size_t size;
} image;

static tosajit_engine *engine;

/* r = (x + y) * c, a table lookup of z, and a contract: every kind of node, two parts, constants
 * that are code and that are memory. */
static tosajit_expr *rich_expression(void) {
    tosajit_expr *expr;
    tosajit_value x, y, z, sum, c, product, table, looked_up;
    int8_t entries[256];
    const float values[3] = {2, 3, 4};
    const tosajit_tensor_type matrix =
        tosajit_ranked(TOSAJIT_F32, 2, (int64_t[]){TOSAJIT_DYNAMIC, 3});
    const tosajit_tensor_type row = tosajit_ranked(TOSAJIT_F32, 2, (int64_t[]){1, 3});
    const tosajit_tensor_type bytes = tosajit_ranked(TOSAJIT_I8, 1, (int64_t[]){TOSAJIT_DYNAMIC});
    const tosajit_tensor_type table_type = tosajit_ranked(TOSAJIT_I8, 1, (int64_t[]){256});
    for (int k = 0; k < 256; k++) entries[k] = (int8_t)(127 - k);
    assert_int_equal(tosajit_expr_create(NULL, &expr), TOSAJIT_OK);
    assert_int_equal(tosajit_expr_input(expr, &matrix, &x), TOSAJIT_OK);
    assert_int_equal(tosajit_expr_input(expr, &matrix, &y), TOSAJIT_OK);
    assert_int_equal(tosajit_expr_input(expr, &bytes, &z), TOSAJIT_OK);
    assert_int_equal(
        tosajit_expr_contract(expr, z, 0,
                              &(tosajit_contract){.smallest = 2, .largest = 1000, .multiple = 4}),
        TOSAJIT_OK);
    assert_int_equal(tosajit_expr_constant(expr, &row, values, &c), TOSAJIT_OK);
    assert_int_equal(tosajit_expr_constant(expr, &table_type, entries, &table), TOSAJIT_OK);
    assert_int_equal(
        tosajit_expr_op(expr, TOSAJIT_OP_add, (tosajit_value[]){x, y}, 2, NULL, NULL, &sum),
        TOSAJIT_OK);
    assert_int_equal(
        tosajit_expr_op(expr, TOSAJIT_OP_mul, (tosajit_value[]){sum, c}, 2, NULL, NULL, &product),
        TOSAJIT_OK);
    assert_int_equal(tosajit_expr_op(expr, TOSAJIT_OP_table, (tosajit_value[]){z, table}, 2, NULL,
                                     NULL, &looked_up),
                     TOSAJIT_OK);
    assert_int_equal(tosajit_expr_result(expr, product), TOSAJIT_OK);
    assert_int_equal(tosajit_expr_result(expr, looked_up), TOSAJIT_OK);
    return expr;
}

static tosajit_kernel *rich_kernel(void) {
    tosajit_expr *expr = rich_expression();
    tosajit_kernel *kernel = NULL;
    if (tosajit_compile_expr(engine, expr, &kernel)) fail_msg("%s", tosajit_last_error());
    tosajit_expr_destroy(expr);
    return kernel;
}

/* The first result is right where x broadcasts against y; false if the kernel refuses the call. */
static bool computes(const tosajit_kernel *kernel) {
    float x[2][3] = {{1, 2, 3}, {4, 5, 6}}, y[1][3] = {{10, 20, 30}}, r[2][3];
    int8_t z[8] = {-128, -1, 0, 1, 2, 3, 4, 127}, s[8];
    const int64_t two[2] = {2, 3}, one[2] = {1, 3}, eight[1] = {8};
    tosajit_tensor operands[3] = {tosajit_dense(TOSAJIT_F32, x, 2, two),
                                  tosajit_dense(TOSAJIT_F32, y, 2, one),
                                  tosajit_dense(TOSAJIT_I8, z, 1, eight)};
    tosajit_tensor results[2] = {tosajit_dense(TOSAJIT_F32, r, 2, two),
                                 tosajit_dense(TOSAJIT_I8, s, 1, eight)};
    if (tosajit_run(kernel, operands, 3, results, 2)) return false;
    for (int k = 0; k < 6; k++)
        assert_true(r[k / 3][k % 3] == (x[k / 3][k % 3] + y[0][k % 3]) * (float)(2 + k % 3));
    for (int k = 0; k < 8; k++) assert_int_equal(s[k], 127 - (z[k] + 128));
    return true;
}

static image save(const tosajit_kernel *kernel) {
    image i = {NULL, 0};
    size_t size = 0;
    assert_int_equal(tosajit_kernel_save(kernel, NULL, 0, &i.size), TOSAJIT_OK);
    i.bytes = malloc(i.size);
    assert_non_null(i.bytes);
    assert_int_equal(tosajit_kernel_save(kernel, i.bytes, i.size, &size), TOSAJIT_OK);
    assert_int_equal(size, i.size);
    return i;
}

static image rich_image(void) {
    tosajit_kernel *kernel = rich_kernel();
    image i = save(kernel);
    tosajit_kernel_release(kernel);
    return i;
}

static int64_t number_at(const image *i, size_t at) {
    int64_t number;
    memcpy(&number, i->bytes + at, sizeof number);
    return number;
}

static void set_number(const image *i, size_t at, int64_t number) {
    memcpy(i->bytes + at, &number, sizeof number);
}
static size_t build_at(const image *i) {
    return PROGRAM_AT + (size_t)number_at(i, PROGRAM_BYTES_AT);
}

/* Make the checksum right for what the bytes are now. */
static void sign(const image *i) {
    set_number(i, CHECKSUM_AT,
               (int64_t)bytes_hash(i->bytes + CHECKED_FROM, i->size - CHECKED_FROM));
}

static tosajit_status load(const image *i, tosajit_kernel **kernel) {
    return tosajit_kernel_load(i->bytes, i->size, NULL, kernel);
}

static void expect_refusal(const image *i, tosajit_status expected, const char *named) {
    tosajit_kernel *kernel = NULL;
    tosajit_status status = load(i, &kernel);
    if (status != expected)
        fail_msg("%s, expected %s: %s", tosajit_status_name(status), tosajit_status_name(expected),
                 named);
    if (!strstr(tosajit_last_error(), named))
        fail_msg("\"%s\" does not say \"%s\"", tosajit_last_error(), named);
    assert_null(kernel);
}

static void kernels_come_back(void **state) {
    tosajit_kernel *kernel = rich_kernel(), *loaded = NULL;
    image i = save(kernel);
    assert_int_equal(load(&i, &loaded), TOSAJIT_OK);
    memset(i.bytes, 0xff, i.size); /* nothing of it is kept */
    assert_true(tosajit_kernel_is_native(loaded) && computes(loaded));
    assert_int_equal(tosajit_kernel_operand_count(loaded), 3);
    assert_int_equal(tosajit_kernel_part_count(loaded), 2);
    for (size_t k = 0; k < 3; k++) {
        const tosajit_tensor_type a = tosajit_kernel_operand_type(kernel, k),
                                  b = tosajit_kernel_operand_type(loaded, k);
        assert_memory_equal(a.dims, b.dims, (size_t)a.rank * sizeof *a.dims);
        assert_int_equal(a.element, b.element);
    }
    tosajit_raw raw = {.size = sizeof raw}, loaded_raw = {.size = sizeof raw};
    assert_int_equal(tosajit_kernel_raw(kernel, 1, &raw), TOSAJIT_OK);
    assert_int_equal(tosajit_kernel_raw(loaded, 1, &loaded_raw), TOSAJIT_OK);
    assert_int_equal(raw.variant_count, loaded_raw.variant_count);
    tosajit_kernel_info info = {.size = sizeof info};
    assert_int_equal(tosajit_kernel_describe(loaded, &info), TOSAJIT_OK);
    assert_true(info.code_bytes > 100 && info.codegen_ms == 0);
    free(i.bytes);
    i = save(loaded); /* an image of what came from an image is the same */
    image again = save(kernel);
    assert_int_equal(i.size, again.size);
    assert_memory_equal(i.bytes, again.bytes, i.size);
    free(i.bytes);
    free(again.bytes);
    tosajit_kernel_release(kernel);
    tosajit_kernel_release(loaded);
}

/* The same checks as a fresh kernel's, with the same sentences. */
static void checks_come_back(void **state) {
    tosajit_kernel *kernels[2] = {rich_kernel(), NULL};
    image i = save(kernels[0]);
    assert_int_equal(load(&i, &kernels[1]), TOSAJIT_OK);
    float x[6] = {0}, r[6];
    int8_t z[8] = {0};
    static const int64_t sizes[][2] = {{2, 4}, {2, 3}, {2, 3}, {2, 3}}, counts[] = {8, 6, 0, 8};
    for (size_t c = 0; c < 4; c++) {
        char messages[2][256];
        tosajit_tensor operands[3] = {
            tosajit_dense(c == 3 ? TOSAJIT_F16 : TOSAJIT_F32, x, 2, sizes[c]),
            tosajit_dense(TOSAJIT_F32, x, 2, sizes[1]),
            tosajit_dense(TOSAJIT_I8, z, 1, &counts[c])};
        tosajit_tensor results[2] = {tosajit_dense(TOSAJIT_F32, r, 2, sizes[1]),
                                     tosajit_dense(TOSAJIT_I8, z, 1, &counts[c])};
        tosajit_status status[2];
        for (size_t k = 0; k < 2; k++) {
            status[k] = tosajit_run(kernels[k], operands, 3, results, 2);
            snprintf(messages[k], sizeof messages[k], "%s", tosajit_last_error());
        }
        assert_true(status[0] != TOSAJIT_OK);
        assert_int_equal(status[0], status[1]);
        assert_string_equal(messages[0], messages[1]);
    }
    free(i.bytes);
    tosajit_kernel_release(kernels[0]);
    tosajit_kernel_release(kernels[1]);
}

static void room_is_checked(void **state) {
    tosajit_kernel *kernel = rich_kernel();
    image i = save(kernel);
    size_t size = 0;
    unsigned char last = i.bytes[i.size - 1];
    i.bytes[i.size - 1] = (unsigned char)~last;
    assert_int_equal(tosajit_kernel_save(kernel, i.bytes, i.size - 1, &size),
                     TOSAJIT_LIMIT_EXCEEDED);
    assert_int_equal(size, i.size);
    assert_int_equal(i.bytes[i.size - 1], (unsigned char)~last);
    assert_int_equal(tosajit_kernel_save(NULL, i.bytes, i.size, &size), TOSAJIT_INVALID_ARGUMENT);
    assert_int_equal(tosajit_kernel_save(kernel, i.bytes, i.size, NULL), TOSAJIT_INVALID_ARGUMENT);
    free(i.bytes);
    tosajit_kernel_release(kernel);
}

static void interpreted_kernels_have_no_image(void **state) {
    tosajit_engine_options options = {.size = sizeof options, .backend = TOSAJIT_BACKEND_INTERPRET};
    tosajit_engine *interpreter;
    tosajit_kernel *kernel;
    size_t size;
    tosajit_expr *expr = rich_expression();
    assert_int_equal(tosajit_engine_create(&options, &interpreter), TOSAJIT_OK);
    assert_int_equal(tosajit_compile_expr(interpreter, expr, &kernel), TOSAJIT_OK);
    assert_int_equal(tosajit_kernel_save(kernel, NULL, 0, &size), TOSAJIT_NOT_EXECUTABLE);
    tosajit_kernel_release(kernel);
    tosajit_expr_destroy(expr);
    tosajit_engine_destroy(interpreter);
}

static void options_hold(void **state) {
    image i = rich_image();
    tosajit_kernel *kernel = NULL;
    tosajit_load_options options = {.size = sizeof options, .backend = TOSAJIT_BACKEND_INTERPRET};
    assert_int_equal(tosajit_kernel_load(i.bytes, i.size, &options, &kernel), TOSAJIT_OK);
    assert_true(!tosajit_kernel_is_native(kernel) && computes(kernel));
    tosajit_kernel_release(kernel);
    options.backend = TOSAJIT_BACKEND_BACKGROUND;
    assert_int_equal(tosajit_kernel_load(i.bytes, i.size, &options, &kernel),
                     TOSAJIT_INVALID_ARGUMENT);
    options.size = 1;
    assert_int_equal(tosajit_kernel_load(i.bytes, i.size, &options, &kernel),
                     TOSAJIT_INVALID_ARGUMENT);
    assert_int_equal(tosajit_kernel_load(NULL, i.size, NULL, &kernel), TOSAJIT_INVALID_ARGUMENT);
    assert_int_equal(tosajit_kernel_load(i.bytes, i.size, NULL, NULL), TOSAJIT_INVALID_ARGUMENT);
    free(i.bytes);
}

/* Memory: every allocation fails once, and everything that succeeds is given back. */
typedef struct heap {
    size_t held, until_failure;
} heap;

static void *heap_allocate(void *context, size_t size) {
    heap *h = context;
    void *memory = h->until_failure-- ? malloc(size) : NULL;
    if (memory) h->held += size;
    return memory;
}

static void heap_release(void *context, void *memory, size_t size) {
    ((heap *)context)->held -= size;
    free(memory);
}

static void failing_memory_is_an_error(void **state) {
    image i = rich_image();
    heap h = {0, 0};
    const tosajit_allocator allocator = {heap_allocate, heap_release, &h};
    tosajit_load_options options = {.size = sizeof options, .allocator = &allocator};
    tosajit_status status = TOSAJIT_OUT_OF_MEMORY;
    size_t failures = 0;
    for (; status; failures++) {
        tosajit_kernel *kernel = NULL;
        h.until_failure = failures;
        status = tosajit_kernel_load(i.bytes, i.size, &options, &kernel);
        if (status) assert_int_equal(status, TOSAJIT_OUT_OF_MEMORY);
        tosajit_kernel_release(kernel);
        assert_int_equal(h.held, 0);
    }
    assert_true(failures > 8);
    free(i.bytes);
}

/* Damage. */

static void foreign_bytes_are_refused(void **state) {
    image i = rich_image();
    const size_t build = build_at(&i);
    const int64_t machine = number_at(&i, build + BUILD_MACHINE),
                  features = number_at(&i, build + BUILD_FEATURES);
    expect_refusal(&(image){(unsigned char *)(uintptr_t) "#!/bin/sh\nexit 0\n", 17},
                   TOSAJIT_BAD_IMAGE, "no kernel image");
    const int64_t format = number_at(&i, FORMAT_AT);
    set_number(&i, FORMAT_AT, 99);
    expect_refusal(&i, TOSAJIT_BAD_IMAGE, "format 99");
    set_number(&i, FORMAT_AT, format);
    i.bytes[i.size - 1] ^= 1;
    expect_refusal(&i, TOSAJIT_BAD_IMAGE, "checksum");
    i.bytes[i.size - 1] ^= 1;
    set_number(&i, FINGERPRINT_AT, number_at(&i, FINGERPRINT_AT) + 1);
    sign(&i);
    expect_refusal(&i, TOSAJIT_BAD_IMAGE, "another version");
    set_number(&i, FINGERPRINT_AT, number_at(&i, FINGERPRINT_AT) - 1);
    set_number(&i, build + BUILD_MACHINE, machine == 62 ? 183 : 62);
    sign(&i);
    expect_refusal(&i, TOSAJIT_NOT_EXECUTABLE, "machine");
    set_number(&i, build + BUILD_MACHINE, machine);
    char lacking[FEATURES_TEXT]; /* the first feature that this CPU has not, or one that nobody has
                                  */
    uint64_t missing = 1;
    while (missing && (features_host() & missing)) missing <<= 1;
    features_print((uint16_t)machine, missing, false, lacking, sizeof lacking);
    set_number(&i, build + BUILD_FEATURES, (int64_t)((uint64_t)features | missing));
    sign(&i);
    expect_refusal(&i, TOSAJIT_NOT_EXECUTABLE, *lacking ? lacking : "unknown to this library");
    set_number(&i, build + BUILD_FEATURES, features);
    for (int64_t bad = 0; bad < 2; bad++) {
        static const struct {
            size_t at;
            int64_t values[2];
        } cases[] = {{BUILD_ALIGNMENT, {3, 8192}},
                     {BUILD_OFFSET, {INT64_MAX, 1 << 30}},
                     {BUILD_SIZE, {INT64_MAX, 0}},
                     {BUILD_ENTRY, {UINT32_MAX, -1}}};
        for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
            const int64_t before = number_at(&i, build + cases[k].at);
            set_number(&i, build + cases[k].at, cases[k].values[bad]);
            sign(&i);
            expect_refusal(&i, TOSAJIT_BAD_IMAGE, "build");
            set_number(&i, build + cases[k].at, before);
        }
    }
    sign(&i);
    tosajit_kernel *kernel;
    assert_int_equal(load(&i, &kernel), TOSAJIT_OK); /* all is as it was */
    tosajit_kernel_release(kernel);
    free(i.bytes);
}

/* A prefix in memory of exactly its size, so that the sanitizers see a byte read too far. */
static void every_truncation_is_refused(void **state) {
    image i = rich_image();
    for (size_t cut = 0; cut < i.size; cut++) {
        image prefix = {malloc(cut + !cut), cut};
        memcpy(prefix.bytes, i.bytes, cut);
        expect_refusal(&prefix, TOSAJIT_BAD_IMAGE, "image");
        free(prefix.bytes);
    }
    /* The code is not metadata: there is nothing in it to check. */
    const size_t end = build_at(&i) + BUILD_ENTRY + 16;
    /* With a size and a checksum that are right. */
    for (size_t cut = CHECKED_FROM; cut < end; cut++) {
        image prefix = {malloc(cut), cut};
        memcpy(prefix.bytes, i.bytes, cut);
        set_number(&prefix, SIZE_AT, (int64_t)cut);
        sign(&prefix);
        expect_refusal(&prefix, TOSAJIT_BAD_IMAGE, "image");
        free(prefix.bytes);
    }
    free(i.bytes);
}

static void every_flipped_bit_is_refused(void **state) {
    image i = rich_image();
    for (size_t bit = 0; bit < 8 * i.size; bit += bit < 8 * build_at(&i) ? 1 : 13) {
        i.bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
        expect_refusal(&i, TOSAJIT_BAD_IMAGE, "image");
        i.bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
    free(i.bytes);
}

/* Damage that passes the checksum. What loads is not run: its code may not fit its program. It must
 * be refused or be a kernel. */
static void signed_damage_does_no_harm(void **state) {
    image original = rich_image(), i = {malloc(original.size), original.size};
    const size_t end = build_at(&original) + BUILD_ENTRY + 16;
    size_t refused = 0, rounds = 0;
    uint64_t random = 1;
    static const int64_t edges[] = {0,          1,  -1, INT64_MIN, INT64_MAX, INT32_MAX,
                                    UINT32_MAX, 64, 65, 65536,     65537};
    for (size_t at = CHECKED_FROM; at < end; at += 8) /* every number, with every edge */
        for (size_t e = 0; e < sizeof edges / sizeof *edges; e++, rounds++) {
            tosajit_kernel *kernel = NULL;
            memcpy(i.bytes, original.bytes, i.size);
            set_number(&i, at, edges[e]);
            sign(&i);
            refused += load(&i, &kernel) != TOSAJIT_OK;
            tosajit_kernel_release(kernel);
        }
    for (int k = 0; k < 20000; k++, rounds++) {
        tosajit_kernel *kernel = NULL;
        memcpy(i.bytes, original.bytes, i.size);
        for (int flips = 0; flips < 1 + k % 4; flips++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            i.bytes[CHECKED_FROM + (random >> 33) % (end - CHECKED_FROM)] ^=
                (unsigned char)(1u << (random >> 29 & 7));
        }
        sign(&i);
        refused += load(&i, &kernel) != TOSAJIT_OK;
        tosajit_kernel_release(kernel);
    }
    assert_true(refused > rounds / 2); /* the table's entries and the constants may be anything */
    free(original.bytes);
    free(i.bytes);
}

/* Files. */

static void files_hold_kernels(void **state) {
    char directory[] = "/tmp/tosajit-image-XXXXXX", path[64];
    assert_non_null(mkdtemp(directory));
    snprintf(path, sizeof path, "%s/kernel", directory);
    tosajit_kernel *kernel = rich_kernel(), *loaded = NULL;
    /* Over the first one. */
    for (int k = 0; k < 2; k++)
        assert_int_equal(tosajit_kernel_save_file(kernel, path), TOSAJIT_OK);
    assert_int_equal(tosajit_kernel_load_file(path, NULL, &loaded), TOSAJIT_OK);
    assert_true(tosajit_kernel_is_native(loaded) && computes(loaded));
    tosajit_kernel_release(loaded);
    loaded = NULL;
    image i = save(kernel);
    assert_int_equal(truncate(path, (off_t)i.size / 2), 0);
    assert_int_equal(tosajit_kernel_load_file(path, NULL, &loaded), TOSAJIT_BAD_IMAGE);
    assert_non_null(strstr(tosajit_last_error(), path));
    assert_int_equal(tosajit_kernel_load_file(directory, NULL, &loaded), TOSAJIT_BAD_IMAGE);
    assert_int_equal(tosajit_kernel_load_file("/dev/zero", NULL, &loaded), TOSAJIT_BAD_IMAGE);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(tosajit_kernel_load_file(path, NULL, &loaded), TOSAJIT_INVALID_ARGUMENT);
    assert_non_null(strstr(tosajit_last_error(), path));
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(tosajit_kernel_load_file(path, NULL, &loaded), TOSAJIT_BAD_IMAGE);
    /* Nor a pipe or device. */
    assert_int_equal(tosajit_kernel_save_file(kernel, path), TOSAJIT_INVALID_ARGUMENT);
    assert_non_null(strstr(tosajit_last_error(), "it is no regular file"));
    struct stat about;
    assert_true(stat(path, &about) == 0 && S_ISFIFO(about.st_mode));
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkdir(path, 0700), 0); /* a directory cannot be replaced */
    assert_int_equal(tosajit_kernel_save_file(kernel, path), TOSAJIT_INVALID_ARGUMENT);
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(rmdir(directory), 0); /* and no temporary file is left */
    assert_null(loaded);
    free(i.bytes);
    tosajit_kernel_release(kernel);
}

/* Mappings of this process whose protection contains all of these letters. */
static size_t mappings(const char *protection) {
    char line[512], flags[8];
    size_t count = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    assert_non_null(maps);
    while (fgets(line, sizeof line, maps))
        if (sscanf(line, "%*s %7s", flags) == 1) {
            size_t found = 0;
            for (const char *p = protection; *p; p++) found += strchr(flags, *p) != NULL;
            count += found == strlen(protection);
        }
    fclose(maps);
    return count;
}

static void nothing_is_left_and_nothing_is_writable_code(void **state) {
    enum { MANY = 300 };
    image i = rich_image();
    tosajit_kernel *kernels[MANY];
    size_t before = mappings("");
    for (size_t k = 0; k < MANY; k++) assert_int_equal(load(&i, &kernels[k]), TOSAJIT_OK);
    assert_int_equal(mappings("wx"), 0);
    assert_true(mappings("") < before + 32); /* one mapping does not cost one */
    assert_true(computes(kernels[0]) && computes(kernels[MANY - 1]));
    for (size_t k = 0; k < MANY; k++) tosajit_kernel_release(kernels[k]);
    assert_true(mappings("") <= before + 4);
    free(i.bytes);
}

static double microseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
}

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The system's own cost of code that has a mapping of its own, without any page in it. */
static void map_nothing(void) {
    void *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(memory, MAP_FAILED);
    assert_int_equal(mprotect(memory, 4096, PROT_READ | PROT_EXEC), 0);
    assert_int_equal(munmap(memory, 4096), 0);
}

/* Medians of one run, in turn; an absolute time says nothing here, so nothing but the kernel is
 * judged. */
static void loading_costs_little_more_than_the_system(void **state) {
    enum { ROUNDS = 4001 };
    static double alone[ROUNDS], whole[ROUNDS], empty[ROUNDS];
    const tosajit_tensor_type matrix =
        tosajit_ranked(TOSAJIT_F32, 2, (int64_t[]){TOSAJIT_DYNAMIC, 3});
    tosajit_kernel *kernel;
    assert_int_equal(tosajit_compile(engine, TOSAJIT_OP_add,
                                     (tosajit_tensor_type[]){matrix, matrix}, 2, NULL, NULL,
                                     &kernel),
                     TOSAJIT_OK);
    image i = {NULL, 0};
    assert_int_equal(tosajit_kernel_save(kernel, NULL, 0, &i.size), TOSAJIT_OK);
    i.bytes = malloc(i.size);
    assert_non_null(i.bytes);
    assert_int_equal(tosajit_kernel_save(kernel, i.bytes, i.size, &i.size), TOSAJIT_OK);
    tosajit_kernel_release(kernel);
    for (int k = 0; k < ROUNDS; k++) {
        const double start = microseconds();
        map_nothing();
        const double begin = microseconds();
        assert_int_equal(load(&i, &kernel), TOSAJIT_OK);
        const double loaded = microseconds();
        assert_true(tosajit_kernel_is_native(kernel));
        tosajit_kernel_release(kernel);
        empty[k] = begin - start, alone[k] = loaded - begin, whole[k] = microseconds() - begin;
    }
    double mean = 0;
    for (int k = 0; k < ROUNDS; k++) mean += whole[k] / (double)ROUNDS;
    qsort(empty, ROUNDS, sizeof *empty, compare);
    qsort(alone, ROUNDS, sizeof *alone, compare);
    qsort(whole, ROUNDS, sizeof *whole, compare);
    print_message("an image of %zu bytes: load %.1f us, load and release %.1f us (mean %.1f); an "
                  "empty mmap, mprotect and munmap %.1f us\n",
                  i.size, alone[ROUNDS / 2], whole[ROUNDS / 2], mean, empty[ROUNDS / 2]);
    free(i.bytes);
}

/* The image with a second build behind the first, of the same code, but one byte longer, so that
 * they can be told apart. */
static image with_two_builds(const image *i) {
    const size_t at = build_at(i), record = BUILD_ENTRY + 8 * 2,
                 code = (size_t)number_at(i, at + BUILD_OFFSET);
    const size_t size = (size_t)number_at(i, at + BUILD_SIZE),
                 moved = (at + 2 * record + 63) / 64 * 64;
    image two = {calloc(1, moved + size + 1), moved + size + 1};
    memcpy(two.bytes, i->bytes, at + record);
    memcpy(two.bytes + at + record, i->bytes + at, record);
    memcpy(two.bytes + moved, i->bytes + code, size);
    set_number(&two, SIZE_AT, (int64_t)two.size);
    set_number(&two, PROGRAM_BYTES_AT + 8, 2);
    for (size_t k = 0; k < 2; k++) set_number(&two, at + k * record + BUILD_OFFSET, (int64_t)moved);
    set_number(&two, at + record + BUILD_SIZE, (int64_t)size + 1);
    return two;
}

static size_t loaded_code_bytes(const image *i) {
    tosajit_kernel *kernel;
    tosajit_kernel_info info = {.size = sizeof info};
    sign(i);
    if (load(i, &kernel)) fail_msg("%s", tosajit_last_error());
    assert_int_equal(tosajit_kernel_describe(kernel, &info), TOSAJIT_OK);
    assert_true(computes(kernel));
    tosajit_kernel_release(kernel);
    return info.code_bytes;
}

static void the_first_suitable_build_is_used(void **state) {
    image one = rich_image(), two = with_two_builds(&one);
    const size_t at = build_at(&one), size = (size_t)number_at(&one, at + BUILD_SIZE);
    assert_int_equal(loaded_code_bytes(&two), size);
    set_number(&two, at + BUILD_FEATURES, INT64_C(1) << 62); /* which nobody has */
    assert_int_equal(loaded_code_bytes(&two), size + 1);
    set_number(&two, at + BUILD_FEATURES, number_at(&one, at + BUILD_FEATURES));
    set_number(&two, at + BUILD_MACHINE, 243); /* RISC-V */
    assert_int_equal(loaded_code_bytes(&two), size + 1);
    free(one.bytes);
    free(two.bytes);
}

/* A forged image: the loops of no level need so little. Its code is not run. */
static void an_image_that_needs_nothing_is_explained(void **state) {
    image i = rich_image();
    tosajit_kernel *kernel;
    tosajit_explanation e = {.size = sizeof e};
    const int64_t two[2] = {2, 3}, eight[1] = {8};
    const tosajit_tensor operands[3] = {tosajit_dense(TOSAJIT_F32, NULL, 2, two),
                                        tosajit_dense(TOSAJIT_F32, NULL, 2, two),
                                        tosajit_dense(TOSAJIT_I8, NULL, 1, eight)};
    set_number(&i, build_at(&i) + BUILD_FEATURES, 0);
    sign(&i);
    assert_int_equal(load(&i, &kernel), TOSAJIT_OK);
    assert_int_equal(tosajit_explain(kernel, operands, 3, NULL, 0, &e, NULL), TOSAJIT_OK);
    assert_true(e.lanes > 0);
    tosajit_kernel_release(kernel);
    free(i.bytes);
}

/* ---------------------------------------------------------------------------------------------
 * Images of an expression: for several CPUs, and taken as its code */

#if defined __x86_64__
static const char *const cpus[] = {"x86-64-v2", "x86-64-v4", "x86-64-v3"};
static const char foreign[] = "aarch64";
#else
static const char *const cpus[] = {"aarch64"};
static const char foreign[] = "x86-64-v2";
#endif
enum { CPUS = sizeof cpus / sizeof *cpus };

static tosajit_engine *engine_with(tosajit_backend backend, const char *cpu) {
    tosajit_engine *made = NULL;
    const tosajit_engine_options options = {.size = sizeof options, .backend = backend, .cpu = cpu};
    if (tosajit_engine_create(&options, &made)) fail_msg("%s", tosajit_last_error());
    return made;
}

/* The rich expression for CPUs of these names. */
static image image_for(const char *const *names, size_t count) {
    tosajit_engine *engines[CPUS];
    tosajit_expr *expr = rich_expression();
    image i;
    for (size_t k = 0; k < count; k++) engines[k] = engine_with(TOSAJIT_BACKEND_CROSS, names[k]);
    char *bytes;
    if (tosajit_compile_image(engines, count, expr, &bytes, &i.size))
        fail_msg("%s", tosajit_last_error());
    i.bytes = (unsigned char *)bytes;
    for (size_t k = 0; k < count; k++) tosajit_engine_destroy(engines[k]);
    tosajit_expr_destroy(expr);
    return i;
}

static size_t restored(tosajit_engine *e) {
    tosajit_stats stats = {.size = sizeof stats};
    assert_int_equal(tosajit_engine_stats(e, &stats), TOSAJIT_OK);
    return stats.restored;
}

/* The expression with an image, which is refused with this status and word; OK: it is taken. */
static void expect_taken(tosajit_backend backend, const char *cpu, const image *i,
                         tosajit_status expected, const char *word) {
    tosajit_engine *e = engine_with(backend, cpu);
    tosajit_expr *expr = rich_expression();
    tosajit_kernel *kernel, *again;
    tosajit_status refused = TOSAJIT_OVERLAP;
    assert_int_equal(tosajit_compile_with_image(e, expr, i->bytes, i->size, &kernel, &refused),
                     TOSAJIT_OK);
    assert_int_equal(refused, expected);
    if (expected && !strstr(tosajit_last_error(), word)) fail_msg("%s", tosajit_last_error());
    assert_int_equal(restored(e), expected == TOSAJIT_OK);
    assert_true(computes(kernel));
    /* While it lives, it is the expression's kernel, whatever comes with it. */
    assert_int_equal(tosajit_compile_with_image(e, expr, "", 0, &again, NULL), TOSAJIT_OK);
    assert_ptr_equal(again, kernel);
    tosajit_kernel_release(again);
    tosajit_kernel_release(kernel);
    tosajit_expr_destroy(expr);
    tosajit_engine_destroy(e);
}

static void an_image_for_several_cpus_is_taken_by_each(void **state) {
    image i = image_for(cpus, CPUS);
    tosajit_kernel *kernel;
    assert_int_equal(number_at(&i, 56), CPUS);
    assert_int_equal(tosajit_kernel_load(i.bytes, i.size, NULL, &kernel), TOSAJIT_OK);
    assert_true(computes(kernel));
    tosajit_kernel_release(kernel);
    expect_taken(TOSAJIT_BACKEND_NATIVE, NULL, &i, TOSAJIT_OK, "");
    expect_taken(TOSAJIT_BACKEND_AUTO, cpus[0], &i, TOSAJIT_OK, "");
    expect_taken(TOSAJIT_BACKEND_BACKGROUND, NULL, &i, TOSAJIT_OK, "");
    expect_taken(TOSAJIT_BACKEND_PRECOMPILED, NULL, &i, TOSAJIT_NOT_EXECUTABLE, "no native code");
    expect_taken(TOSAJIT_BACKEND_INTERPRET, NULL, &i, TOSAJIT_NOT_EXECUTABLE, "no native code");
    free(i.bytes);
}

static void an_image_that_does_not_fit_loses_nothing(void **state) {
    const char *const one[] = {foreign};
    image i = image_for(one, 1);
    expect_taken(TOSAJIT_BACKEND_AUTO, NULL, &i, TOSAJIT_NOT_EXECUTABLE, "machine");
    free(i.bytes);
    if (CPUS > 1) { /* code for more than the engine's CPU is not for it */
        i = image_for(cpus + 1, 1);
        expect_taken(TOSAJIT_BACKEND_AUTO, cpus[0], &i, TOSAJIT_NOT_EXECUTABLE, "avx");
        free(i.bytes);
    }
    i = image_for(cpus, CPUS);
    i.size--;
    expect_taken(TOSAJIT_BACKEND_AUTO, NULL, &i, TOSAJIT_BAD_IMAGE, "cut off");
    i.size++;
    i.bytes[i.size - 1] ^= 1;
    expect_taken(TOSAJIT_BACKEND_AUTO, NULL, &i, TOSAJIT_BAD_IMAGE, "checksum");
    free(i.bytes);
    tosajit_kernel *kernel;
    const tosajit_tensor_type type = tosajit_ranked(TOSAJIT_F32, 1, (int64_t[]){TOSAJIT_DYNAMIC});
    assert_int_equal(tosajit_compile(engine, TOSAJIT_OP_abs, &type, 1, NULL, NULL, &kernel),
                     TOSAJIT_OK);
    i = save(kernel);
    tosajit_kernel_release(kernel);
    expect_taken(TOSAJIT_BACKEND_AUTO, NULL, &i, TOSAJIT_BAD_IMAGE, "another expression");
    expect_taken(TOSAJIT_BACKEND_BACKGROUND, NULL, &i, TOSAJIT_BAD_IMAGE, "another expression");
    free(i.bytes);
}

static void wrong_arguments_of_images_are_refused(void **state) {
    enum { MANY = 17 };
    tosajit_engine *engines[MANY], *reader = engine_with(TOSAJIT_BACKEND_INTERPRET, NULL);
    tosajit_expr *expr = rich_expression();
    char *bytes;
    size_t size;
    for (int k = 0; k < MANY; k++) engines[k] = engine;
    assert_int_equal(tosajit_compile_image(engines, MANY, expr, &bytes, &size),
                     TOSAJIT_LIMIT_EXCEEDED);
    assert_int_equal(tosajit_compile_image(engines, 0, expr, &bytes, &size),
                     TOSAJIT_INVALID_ARGUMENT);
    assert_int_equal(tosajit_compile_image(engines, 1, NULL, &bytes, &size),
                     TOSAJIT_INVALID_ARGUMENT);
    engines[1] = NULL;
    assert_int_equal(tosajit_compile_image(engines, 2, expr, &bytes, &size),
                     TOSAJIT_INVALID_ARGUMENT);
    engines[1] = reader;
    assert_int_equal(tosajit_compile_image(engines, 2, expr, &bytes, &size),
                     TOSAJIT_NOT_EXECUTABLE);
    assert_non_null(strstr(tosajit_last_error(), "compile_image: engine 1"));
    engines[1] = engine_with(TOSAJIT_BACKEND_CROSS, foreign);
    assert_int_equal(tosajit_compile_image(engines, 2, expr, &bytes, &size),
                     TOSAJIT_INVALID_ARGUMENT);
    tosajit_kernel *kernel;
    assert_int_equal(tosajit_compile_with_image(engine, expr, NULL, 0, &kernel, NULL),
                     TOSAJIT_INVALID_ARGUMENT);
    assert_int_equal(tosajit_compile_with_image(engines[1], expr, "", 0, &kernel, NULL),
                     TOSAJIT_NOT_EXECUTABLE);
    tosajit_engine_destroy(engines[1]);
    tosajit_engine_destroy(reader);
    tosajit_expr_destroy(expr);
}

/* Which bits an image gives does not depend on the CPU that loads it. */
static void an_image_is_of_one_accuracy(void **state) {
    const tosajit_engine_options options = {.size = sizeof options,
                                            .accuracy = TOSAJIT_REPRODUCIBLE};
    tosajit_engine *engines[2] = {engine, NULL};
    tosajit_expr *expr = rich_expression();
    const tosajit_function function = {.name = "of_two", .expr = expr};
    char *bytes = NULL;
    size_t size;
    assert_int_equal(tosajit_engine_create(&options, &engines[1]), TOSAJIT_OK);
    assert_int_equal(tosajit_compile_image(engines, 2, expr, &bytes, &size),
                     TOSAJIT_INVALID_ARGUMENT);
    assert_non_null(strstr(tosajit_last_error(), "compile_image: engine 1 is of another accuracy"));
    assert_int_equal(tosajit_compile_object(engines, 2, &function, 1, &bytes, &size),
                     TOSAJIT_INVALID_ARGUMENT);
    assert_non_null(
        strstr(tosajit_last_error(), "compile_object: engine 1 is of another accuracy"));
    assert_null(bytes);
    assert_int_equal(tosajit_compile_image(engines + 1, 1, expr, &bytes, &size), TOSAJIT_OK);
    tosajit_text_release(bytes);
    tosajit_engine_destroy(engines[1]);
    tosajit_expr_destroy(expr);
}

static int open_engine(void **state) {
    tosajit_engine_options options = {.size = sizeof options, .backend = TOSAJIT_BACKEND_NATIVE};
    return tosajit_engine_create(&options, &engine) == TOSAJIT_OK ? 0 : -1;
}

static int close_engine(void **state) {
    tosajit_engine_destroy(engine);
    return 0;
}

int main(void) {
    return TEST_RUN(
        open_engine, close_engine, TEST(kernels_come_back), TEST(checks_come_back),
        TEST(room_is_checked), TEST(interpreted_kernels_have_no_image), TEST(options_hold),
        TEST(failing_memory_is_an_error), TEST(foreign_bytes_are_refused),
        TEST(every_truncation_is_refused), TEST(every_flipped_bit_is_refused),
        TEST(signed_damage_does_no_harm), TEST(files_hold_kernels),
        TEST(nothing_is_left_and_nothing_is_writable_code), TEST(the_first_suitable_build_is_used),
        TEST(an_image_that_needs_nothing_is_explained),
        TEST(an_image_for_several_cpus_is_taken_by_each),
        TEST(an_image_that_does_not_fit_loses_nothing), TEST(wrong_arguments_of_images_are_refused),
        TEST(an_image_is_of_one_accuracy), TEST(loading_costs_little_more_than_the_system));
}

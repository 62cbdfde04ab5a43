/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Kernel images and entries of a cache that somebody forges who can write them: every number of an
 * image, and every pair of numbers beside its code, becomes every number with which something
 * begins, with right length, checksum and fingerprint. What is refused has a reason. What is loaded
 * answers every question, is saved, bound and interpreted, but its code is not run: whoever can
 * write that can run anything (SECURITY.md). For the address sanitizer; each image ends at a page
 * that cannot be read. */
#define _DEFAULT_SOURCE /* mmap, mkdtemp */
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "jit/engine/disk_cache.h"
#include "runtime/base/features.h"
#include "tests/fuzz/check.h"
#include "tests/fuzz/forge.h"
#include "tests/fuzz/place.h"
#include "tosajit/image.h"

enum { LARGEST = 1 << 16, MOST_BYTES = 4096, ANY_SIZE = 2, NUMBER = sizeof(uint64_t) };

typedef struct subject {
    const char *name;
    unsigned char bytes[LARGEST];
    size_t size, code; /* where its code begins */
} subject;

static uint64_t forged, loaded, refused;

/* ---------------------------------------------------------------------------------------------
 * Images of many kinds */

/* Types of all operands, constants of one element and of several, a table, a rescale by channels,
 * two results of different sizes, names, a promise. */
static const char *const texts[] = {
    "y = x + z : i32[?], i32[?]",
    "y = x * sigmoid(x + [1.0, 2.0, 3.0]); u = exp(b) : f32[?,3], f32[1]",
    "y = select(c, x, f16(0.5)) : i1[?,1], f16[2,?]",
};

static tosajit_expr *parse(const char *text) {
    tosajit_expr *expr;
    REQUIRE(!tosajit_expr_parse(text, strlen(text), NULL, &expr));
    return expr;
}

static tosajit_value constant(tosajit_expr *expr, tosajit_type element, int64_t count,
                              const void *data) {
    const tosajit_tensor_type type = tosajit_ranked(element, 1, &count);
    tosajit_value value;
    REQUIRE(!tosajit_expr_constant(expr, &type, data, &value));
    return value;
}

static tosajit_expr *quantised(void) {
    static const int32_t multipliers[3] = {1 << 30, 1518500250, 7};
    static const int8_t shifts[3] = {30, 31, 40}, zero[1] = {-3};
    static int8_t entries[256];
    const int64_t dims[2] = {TOSAJIT_DYNAMIC, 3}, one[1] = {1};
    const tosajit_tensor_type type = tosajit_ranked(TOSAJIT_I8, 2, dims),
                              zero_point = tosajit_ranked(TOSAJIT_I8, 1, one);
    const tosajit_contract contract = {.smallest = 2, .multiple = 16};
    const tosajit_attributes attributes = {.scale32 = 1, .per_channel = 1};
    tosajit_expr *expr;
    tosajit_value x, z, v[5], y;
    for (int k = 0; k < 256; k++) entries[k] = (int8_t)(k * 7);
    REQUIRE(!tosajit_expr_create(NULL, &expr) && !tosajit_expr_input(expr, &type, &x) &&
            !tosajit_expr_input(expr, &zero_point, &z) &&
            !tosajit_expr_contract(expr, x, 0, &contract) && !tosajit_expr_name(expr, x, "x"));
    v[0] = x, v[1] = constant(expr, TOSAJIT_I8, 256, entries);
    REQUIRE(!tosajit_expr_op(expr, TOSAJIT_OP_table, v, 2, NULL, NULL, &v[0]));
    v[1] = constant(expr, TOSAJIT_I32, 3, multipliers);
    v[2] = constant(expr, TOSAJIT_I8, 3, shifts);
    v[3] = z, v[4] = constant(expr, TOSAJIT_I8, 1, zero);
    REQUIRE(!tosajit_expr_op(expr, TOSAJIT_OP_rescale, v, 5, &attributes, &type, &y) &&
            !tosajit_expr_result(expr, y) && !tosajit_expr_name(expr, y, "y"));
    return expr;
}

/* With code for every level that this machine has. */
static void make_image(subject *s, const char *name, tosajit_expr *expr) {
    static const char *const levels[] = {"native", "x86-64-v2", "x86-64-v3", "aarch64"};
    tosajit_engine *engines[sizeof levels / sizeof *levels];
    size_t count = 0, end = 0;
    char *image;
    for (size_t k = 0; k < sizeof levels / sizeof *levels; k++) {
        const tosajit_engine_options options = {
            .size = sizeof options, .backend = TOSAJIT_BACKEND_NATIVE, .cpu = levels[k]};
        count += !tosajit_engine_create(&options, &engines[count]);
    }
    REQUIRE(count > 0);
    REQUIRE(!tosajit_compile_image(engines, count, expr, &image, &s->size) && s->size <= LARGEST);
    s->name = name;
    memcpy(s->bytes, image, s->size);
    tosajit_text_release(image);
    while (count > 0) tosajit_engine_destroy(engines[--count]);
    /* The first build's offset: its code is the first of all. */
    end = FORGE_PROGRAM + (size_t)forge_number(s->bytes, FORGE_PROGRAM_SIZE);
    s->code = (size_t)forge_number(s->bytes, end + 3 * NUMBER);
    REQUIRE(s->code > end && s->code < s->size);
}

/* ---------------------------------------------------------------------------------------------
 * What is done with a kernel of a forged image */

static bool give_memory(tosajit_tensor *tensors, size_t count) {
    size_t all = 0;
    bool fine = true;
    for (size_t k = 0; fine && k < count; k++) {
        size_t bytes = tosajit_type_size(tensors[k].element);
        for (int32_t d = 0; fine && d < tensors[k].rank; d++) {
            fine = tensors[k].dims[d] <= MOST_BYTES;
            bytes *= fine ? (size_t)tensors[k].dims[d] : 0;
            fine = fine && bytes <= MOST_BYTES;
        }
        all += bytes;
        if (fine) tensors[k].data = calloc(bytes ? bytes : 1, 1);
        fine = fine && tensors[k].data && all <= 4 * MOST_BYTES;
    }
    return fine;
}

static void call(tosajit_kernel *kernel, tosajit_tensor *operands, size_t operand_count,
                 tosajit_tensor *results, size_t result_count) {
    tosajit_explanation explanation = {.size = sizeof explanation};
    tosajit_bound *bound;
    char *text;
    tosajit_status status = tosajit_explain(kernel, operands, operand_count, results, result_count,
                                            &explanation, &text);
    REQUIRE(!status || *tosajit_last_error());
    if (!status) tosajit_text_release(text);
    if (!tosajit_bind(kernel, operands, operand_count, results, result_count, &bound))
        tosajit_bound_release(bound);
    status = tosajit_run_interpreted(kernel, operands, operand_count, results, result_count);
    REQUIRE(!status || *tosajit_last_error());
}

static void make_calls(tosajit_kernel *kernel) {
    static tosajit_tensor tensors[2 * TOSAJIT_MAX_TENSORS];
    static int64_t dims[2 * TOSAJIT_MAX_TENSORS][TOSAJIT_MAX_RANK];
    const size_t operands = tosajit_kernel_operand_count(kernel),
                 results = tosajit_kernel_result_count(kernel);
    memset(tensors, 0, sizeof tensors);
    REQUIRE(operands <= TOSAJIT_MAX_TENSORS && results <= TOSAJIT_MAX_TENSORS);
    for (size_t k = 0; k < operands; k++) {
        const tosajit_tensor_type type = tosajit_kernel_operand_type(kernel, k);
        for (int32_t d = 0; d < type.rank; d++)
            dims[k][d] = type.dims[d] == TOSAJIT_DYNAMIC ? ANY_SIZE : type.dims[d];
        tensors[k] = tosajit_dense(type.element, NULL, type.rank, dims[k]);
    }
    if (tosajit_kernel_results(kernel, tensors, operands, tensors + operands, results,
                               dims + operands))
        return;
    if (give_memory(tensors, operands + results))
        call(kernel, tensors, operands, tensors + operands, results);
    for (size_t k = 0; k < operands + results; k++) free(tensors[k].data);
}

static void ask(const tosajit_kernel *kernel) {
    static char image[LARGEST];
    tosajit_kernel_info info = {.size = sizeof info};
    tosajit_raw raw = {.size = sizeof raw};
    size_t size;
    for (size_t k = 0; k < tosajit_kernel_operand_count(kernel); k++)
        tosajit_kernel_operand_name(kernel, k);
    for (size_t k = 0; k < tosajit_kernel_result_count(kernel); k++) {
        tosajit_kernel_result_name(kernel, k);
        tosajit_kernel_result_type(kernel, k);
    }
    REQUIRE(!tosajit_kernel_describe(kernel, &info));
    for (size_t p = 0; p < tosajit_kernel_part_count(kernel); p++)
        if (!tosajit_kernel_raw(kernel, p, &raw)) REQUIRE(raw.variant_count > 0 && raw.entry);
    (void)tosajit_kernel_save(kernel, image, sizeof image, &size);
}

/* Code for another kernel of the same program, as from a cache or beside an expression. */
static void find_code(const tosajit_kernel *kernel, const uint8_t *image, size_t size) {
    image_build found;
    if (image_find_code(image, size, kernel, features_host(), &found)) return;
    REQUIRE(found.code.bytes >= image && found.code.size <= size &&
            (size_t)(found.code.bytes - image) <= size - found.code.size);
    REQUIRE(found.code.entry_count == (found.code.size ? (uint32_t)kernel->plan.part_count
                                                       : 0)); /* no code: too large for it */
    for (uint32_t k = 0; k < found.code.entry_count; k++)
        REQUIRE(found.code.entries[k] < found.code.size);
}

static tosajit_status load(const uint8_t *image, size_t size, tosajit_backend backend) {
    fuzz_account account = {0};
    const tosajit_allocator allocator = fuzz_allocator(&account);
    const tosajit_load_options options = {
        .size = sizeof options, .allocator = &allocator, .backend = backend};
    tosajit_kernel *kernel = NULL;
    const tosajit_status status = tosajit_kernel_load(image, size, &options, &kernel);
    REQUIRE(status ? !kernel && strlen(tosajit_last_error()) >= 8 : kernel != NULL);
    *(status ? &refused : &loaded) += 1;
    if (kernel) {
        ask(kernel);
        find_code(kernel, image, size);
        make_calls(kernel);
    }
    tosajit_kernel_release(kernel);
    REQUIRE(account.live == 0);
    return status;
}

/* ---------------------------------------------------------------------------------------------
 * Forging */

static void use(const unsigned char *bytes, size_t size) {
    unsigned char *image = fuzz_place(bytes, size);
    forged++;
    forge_sign(image, size);
    if (load(image, size, TOSAJIT_BACKEND_AUTO) == TOSAJIT_BAD_IMAGE &&
        strstr(tosajit_last_error(), "of another version")) {
        forge_fingerprint(image, size);
        forge_sign(image, size);
        load(image, size, TOSAJIT_BACKEND_AUTO);
    }
    load(image, size, TOSAJIT_BACKEND_INTERPRET);
}

/* Values that a number may take. */
enum { EDGES = 34 };
static uint64_t edge(const subject *s, uint64_t number, size_t k) {
    const uint64_t edges[EDGES] = {0,
                                   1,
                                   2,
                                   3,
                                   7,
                                   8,
                                   12,
                                   13,
                                   15,
                                   16,
                                   17,
                                   44,
                                   45,
                                   63,
                                   64,
                                   65,
                                   255,
                                   256,
                                   65535,
                                   65536,
                                   65537,
                                   INT32_MAX,
                                   (uint64_t)INT32_MAX + 1,
                                   UINT32_MAX,
                                   (uint64_t)UINT32_MAX + 1,
                                   INT64_MAX,
                                   (uint64_t)INT64_MAX + 1,
                                   UINT64_MAX,
                                   number + 1,
                                   number - 1,
                                   2 * number,
                                   s->size,
                                   s->code,
                                   s->size - s->code};
    return edges[k];
}

static void put(unsigned char *bytes, size_t at, uint64_t number) {
    memcpy(bytes + at, &number, sizeof number);
}

static void forge_each_number(const subject *s) {
    static unsigned char bytes[LARGEST];
    for (size_t at = FORGE_CHECKED; at < s->code; at += NUMBER)
        for (size_t k = 0; k < EDGES; k++) {
            memcpy(bytes, s->bytes, s->size);
            put(bytes, at, edge(s, forge_number(bytes, at), k));
            use(bytes, s->size);
        }
}

/* Of the head and of the first build, which say where everything is. */
static void forge_each_pair(const subject *s) {
    enum { HEAD = 4, BUILD = 7, MOST = HEAD + BUILD, STEP = 3 };
    static unsigned char bytes[LARGEST];
    size_t places[MOST];
    const size_t builds = FORGE_PROGRAM + (size_t)forge_number(s->bytes, FORGE_PROGRAM_SIZE);
    for (size_t k = 0; k < MOST; k++)
        places[k] = k < HEAD ? FORGE_CHECKED + k * NUMBER : builds + (k - HEAD) * NUMBER;
    for (size_t a = 0; a < MOST; a++)
        for (size_t b = a + 1; b < MOST; b++)
            for (size_t k = 0; k < EDGES * EDGES; k += STEP) {
                memcpy(bytes, s->bytes, s->size);
                put(bytes, places[a], edge(s, forge_number(bytes, places[a]), k / EDGES));
                put(bytes, places[b], edge(s, forge_number(bytes, places[b]), k % EDGES));
                use(bytes, s->size);
            }
}

/* Every length, and every length that an image says of itself. */
static void forge_each_length(const subject *s) {
    static unsigned char bytes[LARGEST];
    memcpy(bytes, s->bytes, s->size);
    for (size_t size = FORGE_PROGRAM; size < s->code + NUMBER; size++) use(s->bytes, size);
    for (size_t k = 0; k < EDGES; k++) {
        memcpy(bytes, s->bytes, s->size);
        put(bytes, FORGE_SIZE, edge(s, s->size, k));
        load(fuzz_place(bytes, s->size), s->size, TOSAJIT_BACKEND_AUTO);
    }
}

/* ---------------------------------------------------------------------------------------------
 * Entries of a cache: what they say of their lengths */

static void forge_entries(const subject *s) {
    enum { KEY = 40, HEADER = 32 };
    static unsigned char entry[HEADER + KEY + LARGEST];
    static const unsigned char key[KEY] = "a key";
    const tosajit_allocator allocator = memory_allocator(NULL);
    char directory[] = "/tmp/tosajit-forged-XXXXXX", path[128], name[STORE_NAME_SIZE];
    store kept;
    store_value found;
    REQUIRE(mkdtemp(directory) && !store_open(directory, 0, &allocator, &kept));
    REQUIRE(store_put(&kept, key, KEY, s->bytes, s->size));
    store_file_name(key, KEY, name);
    snprintf(path, sizeof path, "%s/%s", directory, name);
    int file = open(path, O_RDWR);
    const ssize_t size = read(file, entry, sizeof entry);
    close(file);
    REQUIRE(size == (ssize_t)(HEADER + KEY + s->size));
    for (size_t at = 0; at < HEADER; at += NUMBER)
        for (size_t k = 0; k < EDGES; k++) {
            const uint64_t before = forge_number(entry, at), now = edge(s, before, k);
            file = open(path, O_WRONLY | O_CREAT | O_TRUNC, S_IRUSR | S_IWUSR);
            put(entry, at, now);
            REQUIRE(write(file, entry, (size_t)size) == size);
            close(file);
            const bool taken = store_find(&kept, key, KEY, &found);
            REQUIRE(taken == (now == before));
            if (taken) store_drop(&kept, &found);
            put(entry, at, before);
            forged++;
        }
    unlink(path);
    store_close(&kept);
    rmdir(directory);
}

int main(void) {
    static subject s;
    for (size_t k = 0; k <= sizeof texts / sizeof *texts; k++) {
        const bool last = k == sizeof texts / sizeof *texts;
        tosajit_expr *expr = last ? quantised() : parse(texts[k]);
        make_image(&s, last ? "table and rescale" : texts[k], expr);
        tosajit_expr_destroy(expr);
        use(s.bytes, s.size);
        REQUIRE(loaded == 2);
        forge_each_number(&s);
        forge_each_length(&s);
        if (k == 1) forge_each_pair(&s);
        if (k == 0) forge_entries(&s);
        printf("%s: %llu forgeries, %llu loaded, %llu refused\n", s.name,
               (unsigned long long)forged, (unsigned long long)loaded, (unsigned long long)refused);
        forged = loaded = refused = 0;
    }
    return 0;
}

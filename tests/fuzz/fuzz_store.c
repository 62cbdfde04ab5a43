/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Fuzzer of code that comes from elsewhere: of the cache directory, and in one size of input in 64
 * of images that come with an expression (tosajit_compile_with_image). The bytes decide what lies
 * in the directory: entries that are genuine, damaged, cut, of another kernel, or forged with right
 * checksums, links, pipes, directories, foreign files, owners, permissions and ages. Then the
 * entries are used. Checked: what is genuine is taken, what is not is replaced, and no memory and
 * no descriptor leaks. Mostly the store itself is asked, and given the genuine image instead of one
 * that is compiled anew, which takes longer than all the rest. Another size in 64 has an engine
 * compile and run; then results are the interpreter's. What is forged may be taken, but is not run:
 * code is trusted like a shared library's (SECURITY.md). */
#define _DEFAULT_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "jit/engine/disk_cache.h"
#include "jit/engine/disk_entry.h"
#include "runtime/base/features.h"
#include "runtime/image/image.h"
#include "tests/fuzz/bytes.h"
#include "tests/fuzz/check.h"
#include "tests/fuzz/forge.h"
#include "tests/fuzz/place.h"
#include "tosajit/image.h"

enum { COUNT = 37, MOST_ACTIONS = 12, LARGEST = 32 << 10, PATH_SIZE = 300, HEADER = 32 };

static const tosajit_op ops[] = {TOSAJIT_OP_add, TOSAJIT_OP_sub, TOSAJIT_OP_bitwise_xor};
enum { OPS = sizeof ops / sizeof *ops };

/* Content under the name of an op's entry. */
typedef enum content { NOTHING, GENUINE, GENUINE_OR_EVICTED, UNSOUND, FORGED, BLOCKED } content;

static char directory[PATH_SIZE];
static int folder;                                           /* a descriptor of it */
static unsigned char file[OPS][LARGEST];                     /* the genuine entries, */
static size_t file_size[OPS], key_size[OPS], code_size[OPS]; /* which end in code */
static char name[OPS][STORE_NAME_SIZE];
static int32_t expected[OPS][COUNT];
static tosajit_kernel *kernels[OPS]; /* what the entries are for */

static tosajit_kernel *compile(tosajit_engine *engine, tosajit_op op) {
    const tosajit_tensor_type dynamic =
                                  tosajit_ranked(TOSAJIT_I32, 1, (int64_t[]){TOSAJIT_DYNAMIC}),
                              operands[2] = {dynamic, dynamic};
    tosajit_kernel *kernel = NULL;
    REQUIRE(!tosajit_compile(engine, op, operands, 2, NULL, NULL, &kernel));
    return kernel;
}

static void run(const tosajit_kernel *kernel, int32_t *r) {
    int32_t a[COUNT], b[COUNT];
    const int64_t dims[] = {COUNT};
    for (int k = 0; k < COUNT; k++) {
        a[k] = k * 7 - 90;
        b[k] = k * k - 300;
    }
    tosajit_tensor operands[] = {tosajit_dense(TOSAJIT_I32, a, 1, dims),
                                 tosajit_dense(TOSAJIT_I32, b, 1, dims)};
    tosajit_tensor result = tosajit_dense(TOSAJIT_I32, r, 1, dims);
    REQUIRE(!tosajit_run(kernel, operands, 2, &result, 1));
}

static tosajit_kernel_info info_of(const tosajit_kernel *kernel) {
    tosajit_kernel_info info = {.size = sizeof info};
    /* A forged entry may say that the program is too large for code of its own. */
    REQUIRE(tosajit_kernel_is_native(kernel) || kernel->too_large);
    REQUIRE(!tosajit_kernel_describe(kernel, &info));
    return info;
}

/* The directory itself. */

static void empty(void) {
    REQUIRE(!fchmod(folder, S_IRWXU));
    int again = openat(folder, ".", O_RDONLY | O_DIRECTORY);
    DIR *stream = fdopendir(again);
    REQUIRE(stream);
    for (struct dirent *d; (d = readdir(stream));) /* "." and ".." stay. */
        if (unlinkat(folder, d->d_name, 0) != 0) unlinkat(folder, d->d_name, AT_REMOVEDIR);
    closedir(stream);
}

static void remove_directory(void) {
    empty();
    rmdir(directory);
}

static void write_file(const char *path, const void *bytes, size_t size) {
    unlinkat(folder, path, 0);
    int made = openat(folder, path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK,
                      S_IRUSR | S_IWUSR);
    if (made < 0) return; /* a directory, or no name for a file */
    REQUIRE(write(made, bytes, size) == (ssize_t)size);
    close(made);
}

static int count_descriptors(void) {
    int count = 0;
    for (int k = 0; k < 64; k++) count += fcntl(k, F_GETFD) >= 0;
    return count;
}

/* Have the genuine entries made, and results by the interpreter. */
static void prepare(void) {
    tosajit_engine *engine, *interpreter;
    tosajit_engine_options options = {
        .size = sizeof options, .backend = TOSAJIT_BACKEND_NATIVE, .cache_directory = directory};
    snprintf(directory, sizeof directory, "%s/tosajit-fuzz-XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm"
                                           : "/tmp"); /* memory is faster than a disk */
    REQUIRE(mkdtemp(directory) && (folder = open(directory, O_RDONLY | O_DIRECTORY)) >= 0 &&
            !atexit(remove_directory));
    for (int k = 0; k < OPS; k++) {
        REQUIRE(!tosajit_engine_create(&options, &engine));
        tosajit_kernel *kernel = compile(engine, ops[k]);
        code_size[k] = info_of(kernel).code_bytes;
        kernels[k] = kernel;
        tosajit_engine_destroy(engine);
        DIR *stream = opendir(directory);
        for (struct dirent *d; (d = readdir(stream));)
            if (*d->d_name != '.' && strlen(d->d_name) < STORE_NAME_SIZE)
                memcpy(name[k], d->d_name, strlen(d->d_name) + 1);
        closedir(stream);
        int entry = openat(folder, name[k], O_RDONLY);
        ssize_t size = read(entry, file[k], LARGEST);
        close(entry);
        REQUIRE(size > HEADER && size < LARGEST);
        file_size[k] = (size_t)size;
        memcpy(&key_size[k], file[k] + 8, sizeof key_size[k]);
        empty();
    }
    REQUIRE(!tosajit_engine_create(
        &(tosajit_engine_options){.size = sizeof options, .backend = TOSAJIT_BACKEND_INTERPRET},
        &interpreter));
    for (int k = 0; k < OPS; k++) {
        tosajit_kernel *kernel = compile(interpreter, ops[k]);
        run(kernel, expected[k]);
        tosajit_kernel_release(kernel);
    }
    tosajit_engine_destroy(interpreter);
}

/* Changes to the entry of an op. Each tells what is there afterwards. */

static size_t take_offset(fuzz_bytes *b, size_t size) {
    size_t high = take_byte(b), number = high << 8 | take_byte(b);
    return size ? number % size : 0;
}

static void take_changes(fuzz_bytes *b, unsigned count, unsigned char *bytes, size_t size) {
    for (; count > 0; count--) {
        size_t at = take_offset(b, size);
        bytes[at] ^= (unsigned char)take_byte(b);
    }
}

/* Under the name of op k. */
static content put_entry(int k, const void *bytes, size_t size) {
    write_file(name[k], bytes, size);
    return size == file_size[k] && memcmp(bytes, file[k], size) == 0 ? GENUINE : UNSOUND;
}

static content put_genuine(fuzz_bytes *b, int k) {
    int from = take_rarely(b, 4) ? (int)take_below(b, OPS) : k; /* another's is not taken */
    return put_entry(k, file[from], file_size[from]);
}

static content put_damaged(fuzz_bytes *b, int k) {
    static unsigned char bytes[LARGEST];
    memcpy(bytes, file[k], file_size[k]);
    take_changes(b, 1 + take_below(b, 6), bytes, file_size[k]);
    return put_entry(k, bytes, file_size[k]);
}

/* Cut, or with something behind it. */
static content put_resized(fuzz_bytes *b, int k) {
    static unsigned char bytes[LARGEST];
    size_t size = take_offset(b, LARGEST);
    memset(bytes, (int)take_byte(b), sizeof bytes);
    memcpy(bytes, file[k], file_size[k]);
    return put_entry(k, bytes, size);
}

static content put_bytes(fuzz_bytes *b, int k) {
    size_t size = take_offset(b, b->left + 1);
    if (size > b->left) size = b->left;
    const uint8_t *bytes = b->at;
    b->at += size;
    b->left -= size;
    return put_entry(k, bytes, size);
}

/* Anything of an image but its code changed, or cut, and its length and checksum put right. */
static size_t forge_image(fuzz_bytes *b, unsigned char *image, size_t size, size_t code) {
    take_changes(b, take_below(b, 6), image, size - code);
    if (take_rarely(b, 8)) size = take_offset(b, size + 1);
    if (size >= FORGE_CHECKED) forge_sign(image, size);
    return size;
}

/* An entry with another key, or a forged image, whose checksums are right. */
static content put_forged(fuzz_bytes *b, int k) {
    static unsigned char bytes[LARGEST];
    memcpy(bytes, file[k], file_size[k]);
    unsigned char *key = bytes + HEADER, *value = key + key_size[k];
    size_t value_size = file_size[k] - HEADER - key_size[k];
    if (take_rarely(b, 4)) take_changes(b, take_below(b, 6), key, key_size[k]);
    value_size = forge_image(b, value, value_size, code_size[k]);
    unlinkat(folder, name[k], 0);
    store_file_write(folder, name[k], key, key_size[k], value, value_size);
    return FORGED;
}

static content put_link(fuzz_bytes *b, int k) {
    const char *const targets[] = {name[(k + 1) % OPS], name[k], "/dev/zero", "/dev/null",
                                   "/proc/self/mem",    "/",     "nowhere",   "genuine"};
    write_file("genuine", file[k], file_size[k]);
    unlinkat(folder, name[k], 0);
    return symlinkat(targets[take_below(b, sizeof targets / sizeof *targets)], folder, name[k])
               ? BLOCKED
               : UNSOUND;
}

static content put_pipe(fuzz_bytes *b, int k) {
    (void)b;
    unlinkat(folder, name[k], 0);
    return mkfifoat(folder, name[k], S_IRUSR | S_IWUSR) ? BLOCKED : UNSOUND;
}

static content put_directory(fuzz_bytes *b, int k) {
    (void)b;
    unlinkat(folder, name[k], 0);
    mkdirat(folder, name[k], S_IRWXU);
    return BLOCKED;
}

static content put_nothing(fuzz_bytes *b, int k) {
    (void)b;
    if (unlinkat(folder, name[k], 0) != 0) unlinkat(folder, name[k], AT_REMOVEDIR);
    return NOTHING;
}

static content (*const puts_entry[])(fuzz_bytes *, int) = {put_genuine, put_damaged,   put_resized,
                                                           put_bytes,   put_forged,    put_link,
                                                           put_pipe,    put_directory, put_nothing};

static bool is_file(int k, struct stat *s) {
    return !fstatat(folder, name[k], s, AT_SYMLINK_NOFOLLOW) && S_ISREG(s->st_mode);
}

/* Another mode, owner or age of what is there. */
static void change_status(fuzz_bytes *b, int k) {
    enum { NOBODY = 65534 };
    struct stat s;
    unsigned what = take_below(b, 3);
    if (!is_file(k, &s)) return;
    if (what == 0) {
        REQUIRE(!fchmodat(folder, name[k], (take_byte(b) << 1 | S_IRUSR) & 0777, 0));
    } else if (what == 1 && geteuid() == 0) {
        REQUIRE(!fchownat(folder, name[k], take_rarely(b, 2) ? NOBODY : 0, 0, 0));
    } else {
        struct timespec times[2] = {{0}, {.tv_sec = (time_t)(take_word(b) >> 28)}};
        REQUIRE(!utimensat(folder, name[k], times, 0));
    }
}

/* Something else in the directory; entries are not written over. */
static void put_stranger(fuzz_bytes *b) {
    static const char *const known[] = {STORE_PREFIX_TEMPORARY "1", "index",
                                        "0000000000000000" STORE_SUFFIX, STORE_SUFFIX,
                                        "0123456789abcdef" STORE_SUFFIX "x"};
    char other[2 * STORE_NAME_SIZE];
    const unsigned kinds = sizeof known / sizeof *known, kind = take_below(b, kinds + 1);
    snprintf(other, sizeof other, "%s", kind < kinds ? known[kind] : "");
    for (size_t k = 0; kind == kinds && k < sizeof other - 1; k++)
        other[k] = (char)(take_byte(b) == '/' ? '_' : b->left ? *b->at : 0);
    for (int k = 0; k < OPS; k++)
        if (strcmp(other, name[k]) == 0) return;
    struct timespec times[2] = {{0}, {.tv_sec = (time_t)take_word(b) >> 32}};
    write_file(other, b->at, b->left < LARGEST ? b->left : LARGEST);
    utimensat(folder, other, times, AT_SYMLINK_NOFOLLOW);
}

/* Using it. */

static bool is_trusted(int k) {
    system_file_info s;
    return system_file_look(folder, name[k], false, &s) && s.is_regular && store_file_trusted(&s);
}

/* An entry that was taken must be legal, and a legal one must be taken. */
static void check_taken(bool taken, bool trusted, content before, bool may_be_evicted) {
    if (taken)
        REQUIRE(trusted && (before == GENUINE || before == GENUINE_OR_EVICTED || before == FORGED));
    if (trusted && before == GENUINE && !may_be_evicted) REQUIRE(taken);
}

static void use_engine(tosajit_engine *engine, int k, content before, bool may_be_evicted) {
    const bool trusted = is_trusted(k);
    tosajit_kernel *kernel = compile(engine, ops[k]);
    const tosajit_kernel_info info = info_of(kernel);
    const bool restored = info.codegen_ms == 0;
    check_taken(restored, trusted, before, may_be_evicted);
    if (!restored || before != FORGED) {
        int32_t results[COUNT] = {0};
        run(kernel, results);
        REQUIRE(memcmp(results, expected[k], sizeof results) == 0);
    }
    tosajit_kernel_release(kernel);
}

static void use_store(store *s, int k, content before, bool may_be_evicted) {
    const unsigned char *key = file[k] + HEADER, *value = key + key_size[k],
                        *code = file[k] + file_size[k] - code_size[k];
    const bool trusted = is_trusted(k);
    store_value found;
    image_build build;
    bool taken = store_find(s, key, key_size[k], &found);
    if (taken) {
        taken = !image_find_code(found.bytes, found.size, kernels[k], features_host(), &build);
        if (taken && before != FORGED)
            REQUIRE(build.code.size == code_size[k] &&
                    memcmp(build.code.bytes, code, code_size[k]) == 0);
        store_drop(s, &found);
    }
    check_taken(taken, trusted, before, may_be_evicted);
    if (!taken) store_put(s, key, key_size[k], value, (size_t)(file[k] + file_size[k] - value));
}

/* Some of the ops; what is under their names, before and after. */
static void use_all(content *contents, unsigned which, uint64_t most_bytes, bool compiles) {
    fuzz_account account = {0};
    const tosajit_allocator allocator = fuzz_allocator(&account);
    const tosajit_engine_options options = {.size = sizeof options,
                                            .backend = TOSAJIT_BACKEND_NATIVE,
                                            .allocator = &allocator,
                                            .cache_directory = directory,
                                            .cache_bytes = most_bytes};
    tosajit_engine *engine = NULL;
    store s;
    system_file_info status;
    REQUIRE(system_file_about(folder, &status));
    const bool opened = !(compiles ? tosajit_engine_create(&options, &engine)
                                   : store_open(directory, most_bytes, &allocator, &s));
    REQUIRE(opened == store_file_trusted(&status));
    for (int k = 0; opened && k < OPS; k++) {
        if (!(which >> k & 1)) continue;
        if (compiles)
            use_engine(engine, k, contents[k], most_bytes != 0);
        else
            use_store(&s, k, contents[k], most_bytes != 0);
        if (contents[k] != BLOCKED && contents[k] != FORGED)
            contents[k] = most_bytes ? GENUINE_OR_EVICTED : GENUINE;
    }
    if (opened && !compiles) store_close(&s);
    tosajit_engine_destroy(engine);
    REQUIRE(account.live == 0);
}

/* An image that comes with an expression. */

static tosajit_expr *expression(tosajit_op op) {
    const tosajit_tensor_type dynamic =
        tosajit_ranked(TOSAJIT_I32, 1, (int64_t[]){TOSAJIT_DYNAMIC});
    tosajit_value operands[2], value;
    tosajit_expr *expr;
    REQUIRE(!tosajit_expr_create(NULL, &expr));
    for (int k = 0; k < 2; k++) REQUIRE(!tosajit_expr_input(expr, &dynamic, &operands[k]));
    REQUIRE(!tosajit_expr_op(expr, op, operands, 2, NULL, NULL, &value) &&
            !tosajit_expr_result(expr, value));
    return expr;
}

/* It is taken, or else refused with words, and the kernel is as right as without it. */
static void bring(tosajit_engine *engine, int k, const uint8_t *image, size_t size, bool genuine,
                  bool native) {
    tosajit_expr *expr = expression(ops[k]);
    tosajit_kernel *kernel = NULL;
    tosajit_status refused = TOSAJIT_CODEGEN_FAILED;
    REQUIRE(!tosajit_compile_with_image(engine, expr, image, size, &kernel, &refused));
    REQUIRE(!refused || strlen(tosajit_last_error()) >= 8);
    REQUIRE(native ? !genuine || !refused : refused == TOSAJIT_NOT_EXECUTABLE);
    REQUIRE(native == (tosajit_kernel_is_native(kernel) || kernel->too_large));
    REQUIRE(!genuine || !kernel->too_large);
    if (refused || genuine) {
        int32_t results[COUNT] = {0};
        run(kernel, results);
        REQUIRE(memcmp(results, expected[k], sizeof results) == 0);
    }
    tosajit_kernel_release(kernel);
    tosajit_expr_destroy(expr);
}

static void use_image(fuzz_bytes *b) {
    static unsigned char bytes[LARGEST];
    fuzz_account account = {0};
    const tosajit_allocator allocator = fuzz_allocator(&account);
    const bool native = !take_rarely(b, 4);
    const int k = (int)take_below(b, OPS), from = take_rarely(b, 4) ? (int)take_below(b, OPS) : k;
    const tosajit_engine_options options = {.size = sizeof options,
                                            .backend = native ? TOSAJIT_BACKEND_NATIVE
                                                              : TOSAJIT_BACKEND_INTERPRET,
                                            .allocator = &allocator};
    const unsigned char *value = file[from] + HEADER + key_size[from];
    const size_t whole = file_size[from] - HEADER - key_size[from];
    tosajit_engine *engine;
    memcpy(bytes, value, whole);
    const size_t size = forge_image(b, bytes, whole, code_size[from]);
    const bool genuine = from == k && size == whole && memcmp(bytes, value, size) == 0;
    REQUIRE(!tosajit_engine_create(&options, &engine));
    bring(engine, k, fuzz_place(bytes, size), size, genuine, native);
    tosajit_engine_destroy(engine);
    REQUIRE(account.live == 0);
}

static void use_directory(fuzz_bytes *b, bool compiles) {
    content contents[OPS];
    empty();
    for (int k = 0; k < OPS; k++) contents[k] = put_entry(k, file[k], file_size[k]);
    const unsigned which = 1 + take_below(b, (1 << OPS) - 1);
    const uint64_t most_bytes = take_rarely(b, 4) ? 1 + take_word(b) % (4 * LARGEST) : 0;
    for (int actions = 0; b->left > 0 && actions < MOST_ACTIONS; actions++) {
        const unsigned kinds = sizeof puts_entry / sizeof *puts_entry,
                       kind = take_below(b, kinds + 3);
        const int k = (int)take_below(b, OPS);
        if (kind < kinds) {
            if (kind != kinds - 1 && contents[k] == BLOCKED) continue;
            contents[k] = puts_entry[kind](b, k);
        } else if (kind == kinds) {
            change_status(b, k);
        } else if (kind == kinds + 1) {
            put_stranger(b);
        } else if (take_rarely(b, 8)) {
            REQUIRE(!fchmod(folder, (take_byte(b) << 1 | S_IRWXU) & 0777));
        }
    }
    use_all(contents, which, most_bytes, compiles);
    use_all(contents, which, 0, compiles); /* what was unsound has been replaced */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_bytes b = {data, size};
    if (folder == 0) prepare();
    const int before = count_descriptors();
    if (size % 64 == 32)
        use_image(&b);
    else
        use_directory(&b, size % 64 == 0);
    REQUIRE(count_descriptors() == before);
    return 0;
}

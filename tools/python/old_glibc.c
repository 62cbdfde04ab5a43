/* SPDX-FileCopyrightText: 2026 The tosajit developers
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A wheel that is built beside a new C library runs beside one of 2018, glibc 2.28: this is part of
 * each of its files, and of nothing else.
 *
 * Most of what is newer has only moved: from libpthread and libdl into libc, with a new version.
 * The old versions are there still, but the linker takes the newest. Here is a hidden function of
 * each name, which goes on to the old version, and so serves static libraries, too. The others did
 * not exist, and are made of what did. */
#define _GNU_SOURCE
#include <malloc.h>
#include <stddef.h>
#include <sys/random.h>
#include <sys/stat.h>

#if !defined(__x86_64__) && !defined(__aarch64__)
#error "What this architecture's first versions are is not written here."
#endif

/* FIRST is the version of what an architecture had from its start; STAT is the number of its struct
 * stat. */
#if defined(__x86_64__)
#define FIRST "GLIBC_2.2.5"
#define DLADDR1 "GLIBC_2.3.3"
#define FSTATAT "GLIBC_2.4"
#define GETNAME "GLIBC_2.12"
#define STAT 1
#define GO_ON(name) "endbr64\n jmp *old_" name "@GOTPCREL(%rip)\n"
#elif defined(__aarch64__)
#define FIRST "GLIBC_2.17"
#define DLADDR1 FIRST
#define FSTATAT FIRST
#define GETNAME FIRST
#define STAT 0
#define GO_ON(name)                                                                                \
    "hint #34\n adrp x16, :got:old_" name "\n ldr x16, [x16, :got_lo12:old_" name "]\n br x16\n"
#endif

/* In a section of its own, so that the linker drops a function that nobody calls, and its needs. */
#define OLD_OF(name, version)                                                                      \
    __asm__(".pushsection .text.old_glibc_" name ",\"ax\",%progbits\n"                             \
            ".balign 16\n .globl " name "\n .hidden " name "\n .type " name ",%function\n" name    \
            ":\n" GO_ON(name) ".size " name ",.-" name "\n .symver old_" name "," name "@" version \
                              "\n .popsection");
#define OLD(name) OLD_OF(#name, FIRST)

OLD(dladdr)
OLD_OF("dladdr1", DLADDR1)
OLD(dlclose)
OLD(dlerror)
OLD(dlopen)
OLD(dlsym)
OLD(exp)
OLD(log)
OLD(log2)
OLD(pow)
OLD(pthread_attr_getstack)
OLD(pthread_attr_setstacksize)
OLD(pthread_create)
OLD(pthread_detach)
OLD(pthread_getattr_np)
OLD_OF("pthread_getname_np", GETNAME)
OLD(pthread_getspecific)
OLD(pthread_join)
OLD(pthread_key_create)
OLD(__pthread_key_create)
OLD(pthread_key_delete)
OLD(pthread_once)
OLD(pthread_rwlock_rdlock)
OLD(pthread_rwlock_unlock)
OLD(pthread_rwlock_wrlock)
OLD_OF("pthread_setname_np", GETNAME)
OLD(pthread_setspecific)
OLD(pthread_sigmask)

#define HIDDEN __attribute__((visibility("hidden")))
#define VERSION(name, version) __asm__(".symver old_" #name "," #name "@" version);

/* stat was a macro around these, which are told the struct's number. */
VERSION(__fxstat, FIRST)
VERSION(__fxstatat, FSTATAT)
VERSION(__lxstat, FIRST)
VERSION(__xstat, FIRST)
VERSION(__xmknod, FIRST)
int old___fxstat(int version, int file, struct stat *out);
int old___fxstatat(int version, int folder, const char *path, struct stat *out, int flags);
int old___lxstat(int version, const char *path, struct stat *out);
int old___xstat(int version, const char *path, struct stat *out);
int old___xmknod(int version, const char *path, mode_t mode, dev_t *device);

HIDDEN int fstat(int file, struct stat *out) { return old___fxstat(STAT, file, out); }
HIDDEN int fstat64(int file, struct stat64 *out) {
    return old___fxstat(STAT, file, (struct stat *)out);
}
HIDDEN int fstatat(int folder, const char *path, struct stat *out, int flags) {
    return old___fxstatat(STAT, folder, path, out, flags);
}
HIDDEN int lstat(const char *path, struct stat *out) { return old___lxstat(STAT, path, out); }
HIDDEN int lstat64(const char *path, struct stat64 *out) {
    return old___lxstat(STAT, path, (struct stat *)out);
}
HIDDEN int stat(const char *path, struct stat *out) { return old___xstat(STAT, path, out); }
HIDDEN int stat64(const char *path, struct stat64 *out) {
    return old___xstat(STAT, path, (struct stat *)out);
}
HIDDEN int mknod(const char *path, mode_t mode, dev_t device) {
    return old___xmknod(0, path, mode, &device);
}

/* More than one thread may run, always. */
HIDDEN char __libc_single_threaded = 0;

/* libstdc++'s random_device. */
unsigned arc4random(void);

HIDDEN unsigned arc4random(void) {
    unsigned number = 0;
    while (getrandom(&number, sizeof number, 0) != sizeof number) {
    }
    return number;
}

/* LLVM's statistics of memory. */
HIDDEN struct mallinfo2 mallinfo2(void) {
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    struct mallinfo old = mallinfo();
    return (struct mallinfo2){.arena = (unsigned)old.arena,
                              .uordblks = (unsigned)old.uordblks,
                              .fordblks = (unsigned)old.fordblks};
}

/* A program's start. Today's calls the constructors itself; the old start called the functions that
 * the program passed. */
typedef void Init(int count, char **words, char **environment);
extern Init *const first[] __asm__("__init_array_start") __attribute__((visibility("hidden")));
extern Init *const last[] __asm__("__init_array_end") __attribute__((visibility("hidden")));
extern void begin(void) __asm__("_init") __attribute__((visibility("hidden")));

static void construct(int count, char **words, char **environment) {
    begin();
    for (Init *const *init = first; init != last; init++) (*init)(count, words, environment);
}

VERSION(__libc_start_main, FIRST)
int old___libc_start_main(int (*main)(int, char **, char **), int count, char **words, Init *init,
                          void (*end)(void), void (*loader_end)(void), void *stack);
int start(int (*main)(int, char **, char **), int count, char **words, Init *init,
          void (*end)(void), void (*loader_end)(void), void *stack) __asm__("__libc_start_main");

HIDDEN int start(int (*main)(int, char **, char **), int count, char **words, Init *init,
                 void (*end)(void), void (*loader_end)(void), void *stack) {
    return old___libc_start_main(main, count, words, init ? init : construct, end, loader_end,
                                 stack);
}

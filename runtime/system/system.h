/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* System: what the library takes from the operating system. Each section is a file of posix/ and
 * one of windows/, or one of this folder for both. No other file of runtime/ or jit/ includes a
 * header of the system. What C11 has (stdio, malloc, time, atexit, errno) is called where it is
 * needed. Names of files are UTF-8 on Windows. */
#ifndef TOSAJIT_RUNTIME_SYSTEM_SYSTEM_H
#define TOSAJIT_RUNTIME_SYSTEM_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#if defined(_WIN32)
#include "runtime/system/windows/types.h"
#else
#include "runtime/system/posix/types.h"
#endif

/* ---------------------------------------------------------------------------------------------
 * pages.c: memory for code. It is written, then sealed, and so never writable and executable at
 * once.
 *
 * Small pieces, of up to four pages, share a mapping of sixteen and take its pages in turn. That
 * saves most of the system's time for each. When the mapping has been used up, pages that were
 * given back are used again or unmapped; until then up to 64 KiB stay. Any number of threads may
 * call these functions at once, also while the process forks. */

/* Writable memory that begins at a page and has whole pages; null if there is none. */
void *system_pages_take(size_t size);

/* Make what was taken executable, and read-only until it is given back; false if the system refuses
 * it. */
bool system_pages_seal(void *memory, size_t size);

/* Of the size that was taken. */
void system_pages_give(void *memory, size_t size);

/* True if this process may have memory for code. Nothing of the trial stays. */
bool system_pages_may_be_code(void);

/* Bytes of a page. */
size_t system_page_size(void);

/* True if the system would give so many bytes now. Nothing of the trial stays. */
bool system_has_memory(size_t bytes);

/* ---------------------------------------------------------------------------------------------
 * threads.c: the library's own threads, and how threads wait for each other. */

/* system_thread, system_mutex, system_condition, system_once; SYSTEM_MUTEX and SYSTEM_ONCE
 * initialise what is static. */

/* A thread that takes none of the host's signals. False if the system gives none. */
bool system_thread_start(system_thread *thread, void *(*work)(void *argument), void *argument);
void system_thread_join(system_thread thread);

void system_mutex_create(system_mutex *m);
void system_mutex_destroy(system_mutex *m);
void system_mutex_lock(system_mutex *m);
void system_mutex_unlock(system_mutex *m);

void system_condition_create(system_condition *c);
void system_condition_destroy(system_condition *c);
void system_condition_wait(system_condition *c, system_mutex *m);
void system_condition_signal(system_condition *c); /* one of those that wait */
void system_condition_broadcast(system_condition *c);

/* Call it unless somebody has; return when it has returned. */
void system_call_once(system_once *once, void (*work)(void));

/* Call it in every child that this process forks from now on, before fork returns there. False
 * without memory. */
bool system_watch_forks(void (*in_child)(void));

/* Call it, and no other, at the end of this thread; also when the thread calls exit, and then
 * before any handler of atexit. False where the system has no such place. */
bool system_thread_at_end(void (*end)(void));

/* In what is called there: call this one next, before older handlers of atexit, if the process
 * exits before the thread is gone. All threads give the same. */
void system_thread_at_exit(void (*handler)(void));

/* ---------------------------------------------------------------------------------------------
 * files.c: files, and directories of them. What fails leaves the reason in errno. */

/* system_file is a file, or a directory */
enum { SYSTEM_NO_FILE = -1 }; /* as a directory: names are paths */

typedef enum system_access {
    SYSTEM_READ, /* a pipe of that name makes nobody wait */
    SYSTEM_READ_NO_LINK,
    SYSTEM_CREATE, /* fails where there is one */
    SYSTEM_CREATE_PRIVATE,
    SYSTEM_APPEND, /* makes it if there is none; through no link, as is the next one */
    SYSTEM_REPLACE,
} system_access;

/* SYSTEM_NO_FILE if it fails. Programs that this one starts do not get it. */
system_file system_file_open(system_file directory, const char *name, system_access access);
bool system_file_close(system_file file);

/* Up to size bytes; *got is fewer only where the file ends. */
bool system_file_read(system_file file, void *bytes, size_t size, size_t *got);

/* All of them. Beyond the limit of file sizes (RLIMIT_FSIZE) it fails with EFBIG and raises no
 * signal, which would end the process. */
bool system_file_write(system_file file, const void *bytes, size_t size);

/* Drop what is behind so many bytes. */
bool system_file_cut(system_file file, uint64_t size);

/* Map its first page as code, until the process ends. Linux's profiler notices the file by that. */
bool system_file_map_as_code(system_file file);

typedef struct system_file_info {
    uint64_t size;
    struct timespec changed; /* since 1970; system_file_touch sets it to now */
    bool is_regular, is_directory;
    bool is_ours, is_roots; /* of this process's user; of root */
    bool others_write;      /* its group, or everybody, may */
} system_file_info;

bool system_file_about(system_file file, system_file_info *info);
bool system_file_look(system_file directory, const char *name, bool through_links,
                      system_file_info *info);
void system_file_touch(system_file file);

bool system_file_rename(system_file directory, const char *from, const char *to);
bool system_file_remove(system_file directory, const char *name);

/* With the rights that directories of this user have. False if there is one, too. */
bool system_directory_make(const char *path);

/* Advice to the user, so that others cannot write a directory. */
extern const char system_directory_advice[];

/* Made for this user alone if there is none, but not its parents. SYSTEM_NO_FILE, with *why, if it
 * fails, or if it is a link. */
system_file system_directory_open(const char *path, const char **why);

/* Call `each` with every name, until it returns false. */
void system_directory_list(system_file directory, bool (*each)(void *context, const char *name),
                           void *context);

/* ---------------------------------------------------------------------------------------------
 * cpu.c: what this machine's processors are. */

/* Where a CPU tells of its features. x86: registers of CPUID by its leaves, and which registers the
 * system saves. AArch64: what Linux tells every process. */
enum {
    CPU_LEAF1_C,
    CPU_LEAF7_B,
    CPU_LEAF7_C,
    CPU_LEAF7_D,
    CPU_LEAF71_A,
    CPU_LEAF71_D,
    CPU_EXTENDED_C,
    CPU_XCR0,
    CPU_HWCAP,
    CPU_HWCAP2,
    CPU_WORDS
};

/* All of them; 0 where this machine has no such word. */
void system_cpu(uint32_t words[CPU_WORDS]);

/* So many this process may use; 0 if that is not known. */
size_t system_processors(void);

/* The machine's memory; 0 if that is not known. */
uint64_t system_memory_bytes(void);

/* ---------------------------------------------------------------------------------------------
 * caches.c */

/* Bytes of the largest cache of the first processor, as the system knows it; 0 where it does not
 * say. Read once. Thread-safe. */
int64_t system_cache_bytes(void);

/* ---------------------------------------------------------------------------------------------
 * clock.c */

/* Nanoseconds since some moment; never set back. Integers: the caller's floating-point environment
 * may be the host's. Linux's profiler has the same clock. */
int64_t system_clock(void);

/* For so long, or until the thread has handled a signal. */
void system_sleep(int64_t nanoseconds);

/* ---------------------------------------------------------------------------------------------
 * library.c: libraries that are loaded while the process runs, and stay. */

/* The file that has this address, a function's or constant's; false if that is not known, or if the
 * name does not fit. */
bool system_library_file(const void *address, char *file, size_t capacity);

/* Why there is no library, or nothing of a name in it. */
typedef struct system_no_library {
    const char *why; /* until the next such call of this thread */
    bool missing;    /* there is no such file */
} system_no_library;

/* A library and something in it. Null, with the reason, if there is none. own_symbols_first: before
 * those of the same names in the process. */
void *system_library_open(const char *file, bool own_symbols_first, system_no_library *reason);
void *system_library_symbol(void *library, const char *name, system_no_library *reason);

/* ---------------------------------------------------------------------------------------------
 * process.c */

/* A variable of the environment; null if there is none. Null, too, if the process has another
 * user's rights: such a program must not write files where that user's environment says. */
const char *system_variable(const char *name);

/* Numbers by which the system and its tools know this process and this thread. */
long system_process(void);
long system_thread_number(void);

/* ---------------------------------------------------------------------------------------------
 * text.c */

/* A file without a name, to be written and read. Null if there can be none; see errno. */
FILE *system_text_file(void);

/* The next byte or EOF, without a lock: no other thread reads the stream. */
int system_text_byte(FILE *stream);

/* A stream into memory. Null without memory. */
FILE *system_text_open(char **text, size_t *size);

/* Close it: now the text is there, terminated, to be freed. False if it is not whole. */
bool system_text_close(FILE *stream);

#endif

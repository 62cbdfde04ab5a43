/* The REPL's state and what its parts share. In: one complete line, or one complete text of MLIR, at a time; out: answers on standard
 * output, findings on standard error. */
#ifndef TOSAJIT_TOOLS_REPL_H
#define TOSAJIT_TOOLS_REPL_H

#include <stdbool.h>
#include <stddef.h>

#include "tools/array.h"
#include "tools/mlir/module.h"
#include "tools/options.h"
#include "tools/repl_build.h"
#include "tools/repl_parse.h"

/* What the commands are about: the last line or text of which a kernel could be made. */
typedef struct repl_kernel {
    char *source; /* owned; null: there is none yet */
    size_t length;
    size_t line;          /* of the input where it begins */
    tosajit_mlir *file;   /* null where source is one line */
    size_t index;         /* of the function in file */
    repl_program program; /* without names where file has them */
    tosajit_kernel *kernel;
} repl_kernel;

typedef struct repl {
    bool terminal; /* somebody is watching */
    bool styled;   /* may use escape codes */
    bool strict;
    tosajit_accuracy accuracy;
    char cpu[32]; /* empty: native */
    tosajit_engine *engine;
    repl_kernel current;
    const char *text; /* the line being answered */
    size_t length, line;
    bool failed, quit; /* failed: some line has */
} repl;

/* False after a message. */
bool repl_open(repl *r, const options *o);
void repl_close(repl *r);
/* Answer one line, which is number `line` of the input. */
void repl_answer(repl *r, const char *text, size_t length, size_t line);
/* Answer a whole text of MLIR that begins in that line. */
void repl_answer_mlir(repl *r, const char *text, size_t length, size_t line);
/* Make the current kernel again, because a setting has changed. False after a message; then there is the former one. */
bool repl_remake(repl *r, tosajit_engine *engine, bool strict);

/* Say what is wrong in the line being answered; `where` of length 0 is no place in it. Returns false. */
bool repl_fail(repl *r, repl_span where, const char *format, ...);
/* Something that is not about a place in a line. */
bool repl_fail_line(repl *r, size_t line, const char *format, ...);

/* A command's word as a string. False after a message if it is too long or has a 0 byte. */
bool repl_copy_word(repl *r, repl_span word, char *text, size_t capacity);

/* The words of the commands, of which the first one is `words[0]`. */
bool repl_command(repl *r, const repl_line *line);
/* The commands' names, with colons, in order; null behind the last one. */
const char *repl_command_name(size_t index);
/* What may stand behind a command, for completion: words, where "*" means operations and commands, and "cpu" names of CPUs; and endings of
 * files; null: none. */
const char *repl_command_words(size_t index);
const char *repl_command_files(size_t index);

/* The word of a line that is being typed at its end. */
typedef struct repl_place {
    size_t begin;         /* of the word, behind a quote */
    bool is_file, quoted; /* it may be a file; it is behind an open quote */
} repl_place;
repl_place repl_find_word(const char *line, size_t length);
/* What that word may become: calls each(context, candidate). Directories end in a slash. */
void repl_complete(const char *line, size_t length, const repl_place *place, void (*each)(void *context, const char *candidate),
                   void *context);

/* Whether Ctrl-C was pressed since repl_listen. Only on a terminal. */
bool repl_interrupted(void);
void repl_listen(void);

/* Text of a kernel as the current one is compiled, with names; to be freed. Null after a message. */
char *repl_print(repl *r, tosajit_view view);

/* "937 bytes of code in 2.91 ms ..." of the current kernel. */
void repl_print_compilation(const repl *r);

/* Operands for the current kernel from words like "5x3", "ramp", "[[1,2]]", "a.npy". `repeated`: random numbers may repeat, for measuring.
 * False after a message. In either case release all `count` arrays. */
bool repl_operands(repl *r, const repl_span *words, size_t word_count, bool repeated, npy_array *operands);
/* Random numbers, or as many repeated ones; false if interrupted. */
bool repl_fill_random(npy_array *array, unsigned seed, bool repeated);
/* Whether the machine has memory for so many bytes; false after a message. */
bool repl_has_memory(repl *r, double bytes);
/* Arrays for the results. False after a message. */
bool repl_results(repl *r, const npy_array *operands, npy_array *results);
void repl_release_arrays(npy_array *arrays, size_t count);

/* Bytes from which on a call is compared with memcpy; one with less has other costs than memory's. */
enum { REPL_COMPARED = 4096 };

bool repl_run(repl *r, const repl_line *line);
bool repl_time(repl *r, const repl_line *line);
bool repl_sweep(repl *r, const repl_line *line);
bool repl_save(repl *r, const repl_line *line);

#endif

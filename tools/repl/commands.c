/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The commands that begin with a colon: one table says what each is called, takes and does.
 * Completion and help come from it and from the op table. */
#include "tools/repl/commands.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/repl/op_example.h"
#include "tools/base/pager.h"
#include "tools/repl/verbs.h"
#include "jit/text/suggest.h"
#include "tools/base/wrap.h"
#include "tosajit/inspect.h"

typedef struct repl_verb {
    const char *name, *words, *summary;
    bool needs_kernel;
    size_t most_words;
    bool (*run)(repl *r, const repl_line *line);
    const char
        *choice; /* what its words may be, for completion; "*": ops and commands; "cpu": CPUs */
    const char *files; /* endings of files that they may be */
    const char *text;  /* the rest of its help */
} repl_verb;

static bool run_help(repl *r, const repl_line *line);
static bool run_ops(repl *r, const repl_line *line);

static bool run_quit(repl *r, const repl_line *line) {
    (void)line;
    r->quit = true;
    return true;
}

enum { NO_LIMIT = 1000 };

static const repl_verb verbs[] = {
    {"run", "OPERAND...", "compute the last kernel", true, NO_LIMIT, repl_run,
     "ramp random zeros ones", ".npy",
     "An operand is one of\n"
     "  5x3              sizes; the elements are random numbers, the same ones every time\n"
     "  ramp 5x3 4x1     sizes; 0, 1, 2 ... (also: random, zeros, ones; the word holds for all "
     "that follow)\n"
     "  [[1,2],[3,4]]    the elements themselves; of a scalar: 1.5\n"
     "  a.npy            a NumPy file; a path with spaces \"in quotes\"\n"
     "  _                the sizes of a type without ?; at the end of the line it may be left "
     "out\n"},
    {"time", "OPERAND...", "measure a call of the last kernel", true, NO_LIMIT, repl_time,
     "ramp random zeros ones", ".npy",
     "Operands as for :run. The median; bytes are those of all operands and results, each once. "
     "Next to it what memcpy reaches with as\n"
     "many bytes.\n"},
    {"check", "OPERAND...", "compare the last kernel with the interpreter", true, NO_LIMIT,
     repl_check, "ramp random zeros ones", ".npy",
     "Operands as for :run. All results must be equal bit for bit.\n"},
    {"explain", "OPERAND...", "say what such a call does: loops, tiles, threads, cost", true,
     NO_LIMIT, repl_explain, "ramp random zeros ones", ".npy", "Operands as for :run.\n"},
    {"sweep", "[SIZES...]", "measure the last kernel over growing sizes", true, NO_LIMIT,
     repl_sweep, NULL, NULL,
     "What :time says while an N in the sizes doubles, until the largest operand has 16 Mi "
     "elements: :sweep Nx3 1x3. Without sizes N is the\n"
     "outermost dimension that is ?, other ones are 64.\n"},
    {"plan", "", "show how the last kernel walks its operands", true, 0, repl_show_plan, NULL, NULL,
     ""},
    {"passes", "", "show what each pass makes of the last kernel's program", true, 0,
     repl_show_passes, NULL, NULL, "The program behind each pass that changed it, as MLIR.\n"},
    {"ir", "", "show the LLVM IR of the last kernel", true, 0, repl_show_ir, NULL, NULL, ""},
    {"asm", "", "show the assembly of the last kernel", true, 0, repl_show_asm, NULL, NULL, ""},
    {"save", "FILE", "write the last kernel to a file", true, 1, repl_save, NULL,
     ".mlir .svg .plan .s .ll .o .image",
     "The ending says what: .mlir a function of TOSA, which the other commands read; .o an object, "
     "and beside it its C header .h, as\n"
     "tosajit compile writes them; .s assembly; .ll LLVM IR; .plan the plan; .svg a drawing of it; "
     ".image for tosajit_kernel_load_file.\n"},
    {"cpu", "[NAME]", "compile for a CPU: native, v2 to v4 (x86-64-v2 ...), or a model as znver4",
     false, 1, repl_set_cpu, "cpu", NULL,
     "The last kernel is compiled again. Without a name, say which one it is.\n"},
    {"backend", "[NAME]", "who computes: auto, native, precompiled (ops), interpret", false, 1,
     repl_set_backend, "auto native precompiled interpret", NULL,
     "auto is native code, or precompiled ops where none can be made. The last kernel is made "
     "again; its\n"
     "results have the same bits. :time with each says what compiling gains.\n"},
    {"strict", "[on|off]", "TOSA's own rules: ranks must be equal", false, 1, repl_set_strict,
     "on off", NULL, ""},
    {"accuracy", "[exact|reproducible|contracted]",
     "of exp, sin and their like; reproducible is at most 1 ulp off; contracted rounds a product "
     "and "
     "its sum once, too",
     false, 1, repl_set_accuracy, "exact reproducible contracted", NULL, ""},
    {"threads", "[N]", "run large tensors on so many threads", false, 1, repl_set_threads, NULL,
     NULL, ""},
    {"quiet", "[on|off]", "say nothing about an expression that is fine", false, 1, repl_set_quiet,
     "on off", NULL, ""},
    {"load", "FILE", "answer the lines of a file", false, 1, repl_load, NULL, ".tj .mlir", ""},
    {"ops", "[WORD]", "list the operations, or those that have the word in them", false, 1, run_ops,
     NULL, NULL, ""},
    {"help", "[COMMAND|OP]", "this text, or more about a command or an operation", false, 1,
     run_help, "*", NULL, ""},
    {"quit", "", "leave; so does Ctrl-D", false, 0, run_quit, NULL, NULL, ""},
};
enum { VERBS = sizeof verbs / sizeof *verbs };

const char *repl_command_name(size_t index) { return index < VERBS ? verbs[index].name : NULL; }
const char *repl_command_words(size_t index) { return verbs[index].choice; }
const char *repl_command_files(size_t index) { return verbs[index].files; }

/* ---------------------------------------------------------------------------------------------
 * Help */

static void print_verbs(void) {
    enum { COLUMN = 27 };
    for (size_t k = 0; k < VERBS; k++) {
        char usage[48];
        snprintf(usage, sizeof usage, ":%s %s", verbs[k].name, verbs[k].words);
        printf("  %-24s ", usage);
        wrap_print(verbs[k].summary, COLUMN);
    }
}

static void print_overview(void) {
    printf("A line is an operation on types, an expression, or a function in MLIR; each is\n"
           "compiled at once:\n"
           "  add f32 [?,3] [4,1]\n"
           "  tosa.add tensor<?x3xf32>, tensor<4x1xf32>\n"
           "  clamp i8 [?] min=0 max=6\n"
           "  y = x * sigmoid(x) : f32[?]\n"
           "  d = x - m; y = d * rsqrt(v + 1e-5) : x f32[?,64], m f32[1,64], v f32[1,64]\n\n"
           "Operators: + - * / ** << >> >>> & | ^ ~ ! == != < <= > >=;\n"
           ">>> shifts in zeros. Functions are the operations, and relu, gelu, round and\n"
           "others; i8(x) casts. A number takes its type from the other operand. What no\n"
           "later statement uses is a result.\n\n"
           "About the last kernel, and settings:\n");
    print_verbs();
}

static void print_verb(const repl_verb *v) {
    printf(":%s %s\n  %s\n", v->name, v->words, v->summary);
    if (*v->text) putchar('\n');
    wrap_print(v->text, 0);
}

static void print_kind(const op_key *key) {
    static const char *const kinds[] = {
        [KEY_NUMBER] = "a number",
        [KEY_AXIS] = "a dimension, from the end if negative",
        [KEY_LIST] = "whole numbers, as in [0, 1]",
        [KEY_FLAG] = "true or false",
        [KEY_TYPE] = "the result's element type",
        [KEY_PARAMETER] = "a number, list or value",
    };
    if (key->kind == KEY_WORD)
        for (const char *at = key->words; *at; at++)
            fputs(*at == ' ' ? ", " : (char[]){*at, '\0'}, stdout);
    else
        fputs(kinds[key->kind], stdout);
}

static void print_op(tosajit_op op) {
    const op_key *key;
    printf("%s\n  %s\n\n", tosajit_op_name(op), tosajit_op_formula(op));
    op_example_print(op);
    if (op_key_at(op, 0)) puts("\nby name:");
    for (size_t k = 0; (key = op_key_at(op, k)) != NULL; k++) {
        printf("  %s%s%s = ", key->name, key->less ? " or " : "", key->less ? key->less : "");
        print_kind(key);
        putchar('\n');
    }
}

static const repl_verb *find_verb(const char *name) {
    for (size_t k = 0; k < VERBS; k++)
        if (strcmp(verbs[k].name, name) == 0) return &verbs[k];
    return strcmp(name, "?") == 0   ? find_verb("help")
           : strcmp(name, "q") == 0 ? find_verb("quit")
                                    : NULL;
}

static bool run_help(repl *r, const repl_line *line) {
    char word[64];
    if (line->word_count == 0) {
        print_overview();
        return true;
    }
    if (!repl_copy_word(r, line->words[0], word, sizeof word)) return false;
    const char *bare = word + (word[0] == ':');
    const repl_verb *v = find_verb(bare);
    tosajit_op op = tosajit_op_find(bare);
    if (v) print_verb(v);
    if (op != TOSAJIT_OP_COUNT) print_op(op);
    if (v || op != TOSAJIT_OP_COUNT) return true;
    suggestion s = {.word = bare, .length = strlen(bare)};
    suggest_ops(&s);
    for (size_t k = 0; k < VERBS; k++) suggest(&s, verbs[k].name);
    if (s.name)
        return repl_fail(r, line->words[0], "there is no operation or command %s; did you mean %s?",
                         bare, s.name);
    return repl_fail(r, line->words[0], "there is no operation or command %s", bare);
}

static bool run_ops(repl *r, const repl_line *line) {
    char word[64] = "";
    size_t shown = 0;
    if (line->word_count > 0 && !repl_copy_word(r, line->words[0], word, sizeof word)) return false;
    if (r->terminal) pager_begin(true);
    for (int op = 0; op < TOSAJIT_OP_COUNT; op++) {
        const char *name = tosajit_op_name((tosajit_op)op),
                   *formula = tosajit_op_formula((tosajit_op)op);
        if (!strstr(name, word) && !strstr(formula, word)) continue;
        printf("%-23s %s\n", name, formula);
        shown++;
    }
    if (r->terminal) pager_end();
    return shown > 0 ||
           repl_fail(r, line->words[0], "no operation has %s in its name or meaning", word);
}

/* ---------------------------------------------------------------------------------------------
 * Dispatch */

static bool fail_verb(repl *r, text_span where, const char *name) {
    suggestion s = {.word = name, .length = strlen(name)};
    for (size_t k = 0; k < VERBS; k++) suggest(&s, verbs[k].name);
    if (s.name)
        return repl_fail(r, where, "there is no command :%s; did you mean :%s?", name, s.name);
    return repl_fail(r, where, "there is no command :%s; :help lists them", name);
}

bool repl_command(repl *r, const repl_line *line) {
    char name[64];
    if (!repl_copy_word(r, line->command, name, sizeof name)) return false;
    const repl_verb *v = find_verb(name);
    if (!v) return fail_verb(r, line->command, name);
    if (line->word_count > v->most_words && v->most_words == 0)
        return repl_fail(r, line->words[0], ":%s takes nothing behind it", v->name);
    if (line->word_count > v->most_words)
        return repl_fail(r, line->words[v->most_words], ":%s takes one word, this is another one",
                         v->name);
    if (v->needs_kernel && !r->current.kernel)
        return repl_fail(
            r, (text_span){0, 0},
            ":%s is about the last kernel, and there is none yet; try: add f32 [?] [?]", v->name);
    return v->run(r, line);
}

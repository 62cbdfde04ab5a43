/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The tosajit command. In: a command and its words; out: its exit code. The table below is the
 * whole of the tool. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tools/command/commands.h"
#include "tools/base/pager.h"
#include "tools/base/wrap.h"
#include "tools/repl/cmd_repl.h"
#include "jit/text/suggest.h"

typedef struct command {
    const char *name, *summary;
    bool takes_file, long_answer; /* hundreds of lines, perhaps: through a pager */
    unsigned options;
    int (*run)(const options *);
    const char *text; /* the rest of the help: what it does, and examples */
} command;

static const command commands[] = {
    {"verify", "say whether kernels can be made of a file's functions", true, false,
     OPTION_EXPR | OPTION_STRICT | OPTION_JSON, cmd_verify,
     "Each function is reported as `ok`, with its type, or refused with file, line and column.\n"
     "Operands of unequal rank are accepted unless --strict.\n\n"
     "  tosajit verify examples/gelu_bias.mlir\n"
     "  mlir-opt-22 model.mlir | tosajit verify --strict -\n"},
    {"plan", "show how a kernel will walk its operands", true, true,
     OPTION_EXPR | OPTION_ENTRY | OPTION_STRICT | OPTION_SVG | OPTION_PASSES | OPTION_NEST |
         OPTION_CPU | OPTION_JSON | OPTION_ACCURACY,
     cmd_plan,
     "Indexing maps, the iteration space, and what is decided only when the kernel is called.\n"
     "With --passes, the program behind each pass that changed it, before it is planned; with "
     "--nest, the loop nest that --cpu gets.\n\n"
     "  tosajit plan examples/gelu_bias.mlir\n"
     "  tosajit plan examples/gelu_bias.mlir --svg gelu.svg\n"
     "  tosajit plan examples/gelu_bias.mlir --passes\n"
     "  tosajit plan examples/gelu_bias.mlir --nest --cpu v3\n"},
    {"run", "compute a function on .npy files", true, false,
     OPTION_EXPR | OPTION_ENTRY | OPTION_INPUT | OPTION_OUTPUT | OPTION_CPU | OPTION_ACCURACY |
         OPTION_STRICT | OPTION_PRINT | OPTION_CHECK | OPTION_BACKEND | OPTION_JSON,
     cmd_run,
     "Types in .npy files: i1 |b1, i8 |i1, i16 <i2, i32 <i4, i48 and i64 <i8, f16 <f2, f32 <f4, "
     "f64 <f8; as bits: bf16 <u2, f8 |u1.\n"
     "Without --output a summary is printed. Outputs appear when all of them are complete.\n"
     "--check computes everything twice, with the kernel and with the interpreter. All results "
     "must be equal bit for bit.\n"
     "All backends give the same bits.\n\n"
     "  tosajit run examples/gelu_bias.mlir --print --check \\\n"
     "      --input examples/gelu_x.npy --input examples/gelu_bias.npy\n"
     "  tosajit run model.mlir --entry @requantize --input a.npy --output r.npy --cpu x86-64-v3\n"
     "  tosajit run model.mlir --input a.npy --backend precompiled --check\n"},
    {"bench", "say how fast a function is on tensors of given sizes", true, false,
     OPTION_EXPR | OPTION_ENTRY | OPTION_SHAPE | OPTION_THREADS | OPTION_CPU | OPTION_ACCURACY |
         OPTION_STRICT | OPTION_JSON | OPTION_BACKEND,
     cmd_bench,
     "The median time of a call, what it is per element and in bytes moved, and next to it what "
     "memcpy reaches in the same run with the\n"
     "same number of bytes. --shape is given once per argument, and once per result if a result is "
     "not dense; it may be left out where\n"
     "all sizes are static. Without it a function of dynamic sizes is only compiled. Operands are "
     "random. With --backend precompiled\n"
     "native code is measured in the same run, where it can be made: what compiling gains.\n\n"
     "  tosajit bench examples/gelu_bias.mlir --shape 1024x1024 --shape 1x1024\n"
     "  tosajit bench model.mlir --entry @scale --shape 64x768 --shape 64x1 --accuracy "
     "reproducible\n"
     "  tosajit bench --expr 'abs(x) : f32[?]' --shape 1000000:8 --json\n"
     "  tosajit bench --expr 'gelu(x + b) : f32[?,64], f32[64]' --backend precompiled \\\n"
     "      --shape 64x64 --shape 64\n"},
    {"explain", "say what a call on tensors of given sizes does, without making it", true, true,
     OPTION_EXPR | OPTION_ENTRY | OPTION_SHAPE | OPTION_THREADS | OPTION_CPU | OPTION_ACCURACY |
         OPTION_STRICT | OPTION_BACKEND | OPTION_JSON | OPTION_HTML,
     cmd_explain,
     "Which dimensions are joined, how each operand is read, which loop runs on tiles of which "
     "size, on how many threads, what the cost\n"
     "model expects, and what would make it faster. These are the decisions of the run itself, "
     "taken on tensors without memory. --html makes the call and measures it, beside memcpy and "
     "beside its arithmetic; without sizes the\n"
     "page has drawing and loops alone.\n\n"
     "  tosajit explain examples/gelu_bias.mlir --shape 1024x1024 --shape 1x1024\n"
     "  tosajit explain examples/gelu_bias.mlir --shape 1024x1024 --shape 1x1024 --html gelu.html\n"
     "  tosajit explain model.mlir --shape 1024x8:32,4 --shape 1x8 --threads 4\n"},
    {"outline", "divide functions into elementwise regions and the rest", true, true,
     OPTION_EXPR | OPTION_ENTRY | OPTION_STRICT | OPTION_JSON | OPTION_DIVIDED | OPTION_ACCURACY,
     cmd_outline,
     "Prints a module in which each region of elementwise operations is a function @NAME_region_0, "
     "..., called from where it was; matmul,\n"
     "conv2d, reshape and the like stay. The regions are as large as can be, and kernels can be "
     "made of all of them. Without --entry all\n"
     "functions are divided. examples/engine is a program that runs models in this way. Of a "
     "flatbuffer "
     "of TOSA it prints the regions' types;\n"
     "-o writes a flatbuffer in which regions are blocks, called by CUSTOM operators of the domain "
     "tosajit.region. --images compiles the regions, too: docs/images.md.\n\n"
     "  tosajit outline examples/engine/mlp.mlir\n"
     "  tosajit outline model.mlir --entry @main >divided.mlir\n"
     "  tosajit plan divided.mlir --entry main_region_0\n"
     "  tosajit outline model.tosa -o divided.tosa --images kernels\n"},
    {"onnx", onnx_purpose, true, false, ONNX_OPTIONS, cmd_onnx, onnx_help},
    {"ir", "show the LLVM IR of a kernel", true, true,
     OPTION_EXPR | OPTION_ENTRY | OPTION_CPU | OPTION_ACCURACY | OPTION_STRICT, cmd_ir,
     "After LLVM's passes.\n\n  tosajit ir examples/gelu_bias.mlir --cpu x86-64-v3\n"},
    {"asm", "show the assembly of a kernel", true, true,
     OPTION_EXPR | OPTION_ENTRY | OPTION_CPU | OPTION_ACCURACY | OPTION_STRICT, cmd_asm,
     "  tosajit asm examples/gelu_bias.mlir --cpu x86-64-v4\n"},
    {"compile", "write an object file and a C header", true, false,
     OPTION_EXPR | OPTION_ENTRY | OPTION_OBJECT | OPTION_CPU | OPTION_ACCURACY | OPTION_STRICT |
         OPTION_JSON,
     cmd_compile,
     "All functions of the file, or the one of --entry. NAME.h declares a typed C function "
     "NAME_FUNCTION for each; a program that links\n"
     "NAME.o needs the library tosajit-runtime and nothing else. With --targets the object has "
     "code for several CPUs and the program uses\n"
     "the best that its CPU can run. The CPUs need not be this machine's, but must be of one "
     "architecture.\n\n"
     "  tosajit compile examples/gelu_bias.mlir -o gelu.o --header gelu.h --targets v2,v3,v4\n"
     "  cc app.c gelu.o -ltosajit-runtime\n"
     "  tosajit compile examples/gelu_bias.mlir -o gelu.o --header gelu.h --cpu neoverse-n1\n"},
    {"ops", "list the operations", false, true, OPTION_MARKDOWN | OPTION_JSON, cmd_ops,
     "Name, operands and parameters, element types of the data, meaning.\n\n  tosajit ops | grep "
     "shift\n"},
    {"repl", "compile and run what is typed, line by line", true, false,
     OPTION_CPU | OPTION_ACCURACY | OPTION_STRICT | OPTION_SCRIPT | OPTION_BACKEND, cmd_repl,
     "This is what tosajit does without a command, too. A line is an operation on\n"
     "types, an expression, or a function in MLIR; `:help` tells the rest. On a\n"
     "terminal lines can be edited and names completed (Tab), and they are kept in\n"
     "$TOSAJIT_HISTORY, or else in tosajit/history in the XDG state directory. Lines\n"
     "may come from FILE, or stand behind -c. Then, and in a pipe, the exit code is 1\n"
     "if any line was refused.\n\n"
     "  tosajit\n"
     "  tosajit -c 'y = x ** 2 : f32[?]' -c ':run [1,2,3]' --quiet\n"
     "  tosajit lines.tj\n"
     "  echo 'y = x * sigmoid(x) : f32[?]' | tosajit\n"
     "  printf 'add f32 [?,3] [?,1]\\n:run ramp 5x3 5x1\\n' | tosajit\n"},
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static void print_help(void) {
    printf("tosajit %s: TOSA elementwise operations, compiled into SIMD kernels\n\n",
           tosajit_version());
    printf("usage: tosajit COMMAND [FILE] [OPTIONS]\n"
           "       tosajit                  to type expressions and see what they become\n"
           "       tosajit -c LINE          the same without typing; or tosajit FILE.tj\n\n");
    for (size_t k = 0; k < COMMANDS; k++)
        printf("  %-8s %s\n", commands[k].name, commands[k].summary);
    printf("\n  tosajit COMMAND --help   the options of a command\n"
           "  tosajit --version\n\n"
           "FILE is TOSA in MLIR, text or bytecode, or TOSA's flatbuffer (FILE.tosa), binary\n"
           "or as JSON; - is standard input. Functions are func.func, or blocks, of elementwise\n"
           "operations.\n"
           "FILE.tj is an expression, as lines that are typed; --expr takes one in place of\n"
           "FILE. Long answers go through $PAGER.\n\n"
           "examples:\n"
           "  tosajit verify examples/gelu_bias.mlir\n"
           "  tosajit bench --expr 'gelu(x + b) : f32[?,64], f32[64]' --shape 64x64 --shape 64\n"
           "  tosajit asm examples/gelu_bias.mlir\n"
           "  echo 'add f32 [?,3] [4,1]' | tosajit\n\n"
           "exit codes: 0 success; 1 input refused, with a diagnostic; 2 wrong usage\n");
}

static void print_command_help(const command *c) {
    printf("tosajit %s: %s\n\n", c->name, c->summary);
    options_print_usage(c->name, c->options, c->takes_file);
    printf("\n\n");
    options_print_help(c->options);
    putchar('\n');
    wrap_print(c->text, 0);
}

static const command *find_command(const char *name) {
    for (size_t k = 0; k < COMMANDS; k++)
        if (strcmp(name, commands[k].name) == 0) return &commands[k];
    return NULL;
}

static int refuse_command(const char *name) {
    if (access(name, R_OK) == 0)
        return usage_error(
            "", "%s is a file; what to do with it comes before, as verify, run or bench", name);
    if (strpbrk(name, "=:("))
        return usage_error("",
                           "there is no command %s; lines come behind -c, expressions of commands "
                           "behind --expr",
                           name);
    suggestion s = {.word = name, .length = strlen(name)};
    for (size_t k = 0; k < COMMANDS; k++) suggest(&s, commands[k].name);
    if (s.name) return usage_error("", "there is no command %s; did you mean %s?", name, s.name);
    return usage_error("", "there is no command %s", name);
}

static int run_paged(const command *c, const options *o) {
    pager_begin(false);
    int code = c->run(o);
    pager_end();
    return code;
}

static int run_command(const command *c, int count, char *const *words) {
    options o;
    int code = EXIT_USAGE;
    if (options_parse(c->name, c->options, c->takes_file, count, words, &o)) {
        code = EXIT_FINE;
        if (o.help)
            print_command_help(c);
        else if (!command_keeps_files(c->name, &o))
            code = EXIT_USAGE;
        else
            code = c->long_answer ? run_paged(c, &o) : c->run(&o);
    }
    options_release(&o);
    return code;
}

/* Help about the command that the words name, or about all. */
static int help(int count, char *const *words) {
    const command *about = count > 0 ? find_command(words[0]) : NULL;
    if (count > 1)
        return usage_error("", "help is about one command, found %s and %s", words[0], words[1]);
    if (count > 0 && !about) return refuse_command(words[0]);
    if (about)
        print_command_help(about);
    else
        print_help();
    return EXIT_FINE;
}

/* -c and --quiet without a command, and a file: `tosajit lines.tj`. */
static bool is_script(const char *word) {
    return strcmp(word, "-c") == 0 || strcmp(word, "--quiet") == 0 || options_is_script(word);
}

static int dispatch(int count, char *const *words) {
    const options none = {0};
    if (count == 0) return cmd_repl(&none);
    const char *first = words[0];
    if (strcmp(first, "--version") == 0 || strcmp(first, "-V") == 0 ||
        strcmp(first, "version") == 0) {
        if (count > 1)
            return usage_error("", "%s takes nothing behind it, found %s", first, words[1]);
        printf("tosajit %s\n", tosajit_version());
        return EXIT_FINE;
    }
    if (strcmp(first, "--help") == 0 || strcmp(first, "-h") == 0 || strcmp(first, "help") == 0)
        return help(count - 1, words + 1);
    const command *c = find_command(first);
    if (!c && is_script(first)) return run_command(find_command("repl"), count, words);
    return c ? run_command(c, count - 1, words + 1) : refuse_command(first);
}

int main(int argc, char **argv) { return command_begin(argc, argv, dispatch); }

/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The language of expressions, and what the REPL adds: how texts are read, what they mean, and
 * where their mistakes are. Meanings are compared with C over random expressions, stored numbers
 * with the library's own casts. */
#include "jit/text/parse.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jit/text/movers.h"
#include "jit/text/reducers.h"
#include "jit/text/suggest.h"
#include "tests/support/cmocka.h"
#include "tools/data/element.h"
#include "tools/repl/command_line.h"
#include "tools/repl/scan.h"
#include "tosajit/inspect.h"

enum { TEXT = 4096 };

/* A copy that ends where its memory does, for sanitizers. */
static char *exact_copy(const char *text, size_t length) {
    char *copy = malloc(length ? length : 1);
    assert_non_null(copy);
    if (length) memcpy(copy, text, length);
    return copy;
}

/* ---------------------------------------------------------------------------------------------
 * Reading */

static void print_node(const char *text, const text_line *line, int32_t node, char *out) {
    static const char *const names[] = {"==", "!=",  "<", "<=", ">", ">=", "|",  "^",   "&", "<<",
                                        ">>", ">>>", "+", "-",  "*", "/",  "**", "neg", "~", "!"};
    const text_node *n = &line->nodes[node];
    size_t used = strlen(out);
    char *at = out + used;
    size_t room = TEXT - used;
    switch (n->kind) {
    case TEXT_LITERAL:
    case TEXT_NAME: snprintf(at, room, "%.*s", (int)n->span.length, text + n->span.at); return;
    case TEXT_WORD:
    case TEXT_SAME:
    case TEXT_INPUT: snprintf(at, room, "#%d", (int)n->what); return;
    case TEXT_OPERATOR: snprintf(at, room, "(%s", names[n->what]); break;
    case TEXT_CALL: snprintf(at, room, "(%s", tosajit_op_name((tosajit_op)n->what)); break;
    case TEXT_MOVE: snprintf(at, room, "(%s", mover_at((size_t)n->what)->name); break;
    case TEXT_SUBSCRIPT: snprintf(at, room, "([%d]", (int)line->lists[n->what].count / 4); break;
    case TEXT_REDUCE: snprintf(at, room, "(%s", reducer_at((size_t)n->what)->name); break;
    case TEXT_CONVERT:
        snprintf(at, room, "(to %s", tosajit_type_name((tosajit_type)n->what));
        break;
    }
    for (int32_t a = n->first; a >= 0; a = line->arguments[a].next) {
        snprintf(out + strlen(out), TEXT - strlen(out), " %s%s",
                 line->arguments[a].key ? line->arguments[a].key->name : "",
                 line->arguments[a].key ? "=" : "");
        print_node(text, line, line->arguments[a].node, out);
    }
    snprintf(out + strlen(out), TEXT - strlen(out), ")");
}

static void trees_follow_precedence(void **state) {
    static const char *const cases[][2] = {
        {"1 + x * 2", "(+ 1 (* x 2))"},
        {"(1 + x) * 2", "(* (+ 1 x) 2)"},
        {"a - b - c", "(- (- a b) c)"},
        {"a / b * c", "(* (/ a b) c)"},
        {"a ** b ** c", "(** a (** b c))"},
        {"-a ** b", "(neg (** a b))"},
        {"a ** -b", "(** a (neg b))"},
        {"-2", "-2"},
        {"x[1:, None] * 2", "(* ([2] x) 2)"},
        {"-x[0][1]", "(neg ([1] ([1] x)))"},
        {"transpose(x, (1, 0)) + y", "(+ (transpose x (1, 0)) y)"},
        {"reshape(x, shape=[2, -1])", "(reshape x [2, -1])"},
        {"- 2", "- 2"},
        {"~-x", "(~ (neg x))"},
        {"a | b ^ c & d", "(| a (^ b (& c d)))"},
        {"a & b << c + d", "(& a (<< b (+ c d)))"},
        {"a >> b >>> c", "(>>> (>> a b) c)"},
        {"a < b | c", "(< a (| b c))"},
        {"a == b", "(== a b)"},
        {"!a", "(! a)"},
        {"add(a, b)", "(add a b)"},
        {"tosa.add(a, b * 2)", "(add a (* b 2))"},
        {"div(a, b)", "(intdiv a b)"},
        {"clamp(x, max=6, min_val=-1)", "(clamp x max_val=6 min_val=-1)"},
        {"maximum(a, b, nan_mode=IGNORE)", "(maximum a b nan_mode=#1)"},
        {"cast(x, to=i8)", "(cast x to=#1)"},
        {"i8(x)", "(to i8 x)"},
        {"sum(x, -1)", "(sum x -1)"},
        {"sum(x, axis=None)", "(sum x axis=None)"},
        {"max(x)", "(max x)"},
        {"max(x, 1)", "(maximum x 1)"},
        {"max(x, axis=1, nan=ignore)", "(max x axis=1 nan_mode=#1)"},
        {"rms_norm(x, w, eps=1e-6)", "(rms_norm x w eps=1e-6)"},
        {"rescale(x, multiplier=[1,2], shift=s, round = 1)", NULL},
        {"arithmetic_right_shift(x, 1, round=true)", "(arithmetic_right_shift x 1 round=#1)"},
        {"[[1, 2], [3, -4]] + x # why", "(+ [[1, 2], [3, -4]] x)"},
        {"add f32 [?] [?]", "(add #0 #1)"},
        {"clamp i8[4], min=1 max=2 -> i8", "(clamp #0 min_val=1 max_val=2)"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        text_line line;
        text_error error;
        char found[TEXT] = "";
        bool fine = text_parse(cases[k][0], strlen(cases[k][0]), NULL, &line, &error);
        if (fine != (cases[k][1] != NULL))
            fail_msg("%s: %s", cases[k][0], fine ? "accepted" : error.text);
        if (!fine) continue;
        print_node(cases[k][0], &line, line.statements[line.statement_count - 1].node, found);
        assert_string_equal(found, cases[k][1]);
        text_line_release(&line);
    }
}

static void types_are_read_in_all_spellings(void **state) {
    static const char *const cases[][2] = {
        {"f32[?,3]", "tensor<?x3xf32>"},
        {"f32[ ? , 3 ]", "tensor<?x3xf32>"},
        {"f32", "tensor<f32>"},
        {"f32[]", "tensor<f32>"},
        {"bf16[*]", "tensor<*xbf16>"},
        {"tensor<f8E4M3FN>", "tensor<f8E4M3FN>"},
        {"tensor<?x3xf32>", "tensor<?x3xf32>"},
        {"tensor<*xi48>", "tensor<*xi48>"},
        {"tensor < 2 x 1 x i1 >", "tensor<2x1xi1>"},
        {"i64[9223372036854775807]", "tensor<9223372036854775807xi64>"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[TEXT], found[512];
        text_line line;
        text_error error;
        snprintf(text, sizeof text, "x : x %s", cases[k][0]);
        if (!text_parse(text, strlen(text), NULL, &line, &error))
            fail_msg("%s: %s", text, error.text);
        assert_int_equal(line.annotation_count, 1);
        tosajit_type_print(&line.annotations[0].type, found, sizeof found);
        assert_string_equal(found, cases[k][1]);
        text_line_release(&line);
    }
}

static void commands_are_cut_into_words(void **state) {
    static const char text[] = "  :run 5x3 [[1, 2], [3]] \"a b.npy\" a#b.npy //x";
    static const char *const words[] = {"5x3", "[[1, 2], [3]]", "a b.npy", "a#b.npy", "//x"};
    repl_line line;
    text_error error;
    assert_true(repl_is_command(text, strlen(text)));
    assert_true(repl_parse_command(text, strlen(text), &line, &error));
    assert_int_equal(line.word_count, 5);
    for (size_t k = 0; k < 5; k++) {
        assert_int_equal(line.words[k].length, strlen(words[k]));
        assert_memory_equal(text + line.words[k].at, words[k], strlen(words[k]));
    }
    repl_line_release(&line);
}

static void lines_without_content_are_empty(void **state) {
    static const char *const cases[] = {"", "   \t\r", "# add", "  # :run", "\n;\n", "# a // b"};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        text_line line;
        text_error error;
        assert_true(text_parse(cases[k], strlen(cases[k]), NULL, &line, &error));
        assert_int_equal(line.kind, TEXT_EMPTY);
        text_line_release(&line);
    }
}

static void sizes_are_read(void **state) {
    int32_t rank;
    int64_t dims[TOSAJIT_MAX_RANK];
    assert_true(text_parse_sizes("5x3", 3, false, &rank, dims));
    assert_true(rank == 2 && dims[0] == 5 && dims[1] == 3);
    assert_true(text_parse_sizes("0", 1, false, &rank, dims));
    assert_true(rank == 1 && dims[0] == 0);
    assert_true(text_parse_sizes("Nx4", 3, true, &rank, dims));
    assert_true(rank == 2 && dims[0] == TOSAJIT_DYNAMIC);
    static const char *const wrong[] = {"",
                                        "x",
                                        "5x",
                                        "x5",
                                        "5xx3",
                                        "N",
                                        "-1",
                                        "5y3",
                                        "9223372036854775808",
                                        "99999999999999999999999",
                                        "1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1",
                                        "5 x3"};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
        assert_false(text_parse_sizes(wrong[k], strlen(wrong[k]), false, &rank, dims));
}

static void mlir_is_known_by_its_first_word(void **state) {
    static const char *const yes[] = {"module {",         "  func.func @f() {",      "module",
                                      "builtin.module {", "\"builtin.module\"() ({", "module@m {"};
    static const char *const no[] = {"",
                                     "modules",
                                     "module_1 + x",
                                     "func",
                                     "func.function",
                                     "add f32 [?] [?]",
                                     "module= x : f32"};
    for (size_t k = 0; k < sizeof yes / sizeof *yes; k++)
        assert_true(repl_is_mlir(yes[k], strlen(yes[k])));
    for (size_t k = 0; k < sizeof no / sizeof *no; k++)
        assert_false(repl_is_mlir(no[k], strlen(no[k])));
}

static void mlir_ends_where_braces_balance(void **state) {
    static const struct {
        const char *lines[6];
        repl_extent extents[6];
    } cases[] = {
        {{"module {", "func.func @f() {", "}", "}"},
         {REPL_OPEN, REPL_OPEN, REPL_OPEN, REPL_COMPLETE}},
        {{"func.func @f() { return }"}, {REPL_COMPLETE}},
        {{"func.func @f(%a: tensor<2xf32> {x = {}})", "{", "}"},
         {REPL_BEGUN, REPL_OPEN, REPL_COMPLETE}},
        {{"module attributes {a = 1}", "{ // }", "\"}\\\"}\"", "}"},
         {REPL_BEGUN, REPL_OPEN, REPL_OPEN, REPL_COMPLETE}},
        {{"func.func private @f()"}, {REPL_BEGUN}},
        {{"func.func @f(", ") -> i1 {", "\"unfinished }", "}"},
         {REPL_OPEN, REPL_OPEN, REPL_OPEN, REPL_COMPLETE}},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        repl_scan scan = {0};
        for (size_t l = 0; l < 6 && cases[k].lines[l]; l++)
            assert_int_equal(repl_scan_line(&scan, cases[k].lines[l], strlen(cases[k].lines[l])),
                             cases[k].extents[l]);
    }
}

/* Every beginning of every line, and every line with a byte exchanged, is read or refused; errors
 * lie within the line. */
static void damaged_lines_are_refused_in_peace(void **state) {
    static const char *const lines[] = {
        "d = x - m; y = clamp(d * rsqrt(v + 1e-5), min=-0.5, max=[1]) : x f32[?,64], m "
        "tensor<1x64xf32>, v f32[1,64]",
        "rescale i32 [?,2], multiplier=[1,0x7fff] shift=[30,-3], scale32=true per_channel=1 "
        "rounding_mode=double_round to=i8 -> i8",
        ":run [[1,2],[3,4]] \"a b.npy\" 5x3 // \\",
        "a<=b|~c&!d^(-e**2>>>1)!=f%",
        "module attributes {a = \"\\\"}\"} { func.func @f(%a: tensor<2xf32>) { return } }",
    };
    static const char bytes[] = {'\0', '\n', ' ', '"',    '\\',   '[', ']', '(', ')',
                                 '{',  '}',  '<', '>',    ':',    ';', '=', '-', '.',
                                 '0',  'x',  '?', '\377', '\302', '#', '/'};
    size_t accepted = 0, refused = 0;
    for (size_t k = 0; k < sizeof lines / sizeof *lines; k++)
        for (size_t at = 0; at <= strlen(lines[k]); at++)
            for (size_t b = 0; b <= sizeof bytes; b++) {
                bool cut = b == sizeof bytes; /* else exchange */
                size_t length = cut ? at : strlen(lines[k]);
                char *copy = exact_copy(lines[k], length);
                if (!cut && at < length) copy[at] = bytes[b];
                text_line line;
                text_error error;
                repl_scan scan = {0};
                repl_line command;
                tosajit_expr *expr;
                repl_is_mlir(copy, length);
                repl_scan_line(&scan, copy, length);
                if (text_parse(copy, length, NULL, &line, &error)) {
                    accepted++;
                    text_line_release(&line);
                    if (tosajit_expr_parse(copy, length, NULL, &expr) == TOSAJIT_OK)
                        tosajit_expr_destroy(expr);
                } else {
                    refused++;
                    assert_true(error.where.at + error.where.length <= length);
                    assert_true(error.text[0] != '\0');
                }
                if (repl_is_command(copy, length) &&
                    repl_parse_command(copy, length, &command, &error))
                    repl_line_release(&command);
                free(copy);
            }
    assert_true(accepted > 300 && refused > 1000);
}

/* ---------------------------------------------------------------------------------------------
 * Meaning */

static uint64_t seed = 20240229;

static uint32_t draw(uint32_t below) {
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(seed >> 33) % below;
}

enum { EXPRESSION = 512 };

static void append(char *text, const char *piece) {
    size_t used = strlen(text), more = strlen(piece);
    assert_true(used + more < EXPRESSION);
    memcpy(text + used, piece, more + 1);
}

static int32_t apply_in_c(uint32_t o, int32_t a, int32_t b) {
    bool in_range = b >= 0 && b < 32;
    switch (o) {
    case 0: return a | b;
    case 1: return a ^ b;
    case 2: return a & b;
    case 3: return in_range ? (int32_t)((uint32_t)a << b) : 0;
    case 4: return in_range ? a >> b : a < 0 ? -1 : 0;
    case 5: return in_range ? (int32_t)((uint32_t)a >> b) : 0;
    case 6: return (int32_t)((uint32_t)a + (uint32_t)b);
    case 7: return (int32_t)((uint32_t)a - (uint32_t)b);
    case 8: return (int32_t)((uint32_t)a * (uint32_t)b);
    default: return b == 0 ? 0 : (int32_t)((int64_t)a / b); /* min / -1 wraps to min */
    }
}

static const int32_t variables[] = {7, -3, 1 << 20};

/* Append an i32 expression to text; its value in C. `binding` is the loosest operator that needs no
 * parentheses here. */
static int32_t random_expression(int depth, int binding, char *text) {
    static const struct {
        const char *text;
        int binding;
    } operators[] = {{"|", 2},   {"^", 3}, {"&", 4}, {"<<", 5}, {">>", 5},
                     {">>>", 5}, {"+", 6}, {"-", 6}, {"*", 7},  {"/", 7}};
    if (depth == 0 || draw(5) == 0) {
        static const char *const names[] = {"a", "b", "c"};
        uint32_t kind = draw(3);
        append(text, names[kind]);
        return variables[kind];
    }
    if (draw(6) == 0) {
        bool complement = draw(2) == 0;
        append(text, complement ? "~" : "-");
        int32_t value = random_expression(depth - 1, 8, text);
        return complement ? ~value : (int32_t)(0 - (uint32_t)value);
    }
    uint32_t o = draw(10);
    int own = operators[o].binding;
    int32_t a, b;
    if (own < binding) append(text, "(");
    a = random_expression(depth - 1, own, text);
    append(text, draw(2) ? " " : "");
    append(text, operators[o].text);
    append(text, draw(2) ? " " : "");
    if (draw(4) == 0) {
        char number[16];
        b = (int32_t)draw(40);
        snprintf(number, sizeof number, "%d", (int)b);
        append(text, number);
    } else {
        b = random_expression(depth - 1, own + 1, text);
    }
    if (own < binding) append(text, ")");
    return apply_in_c(o, a, b);
}

static int32_t evaluate(tosajit_engine *engine, const char *text) {
    tosajit_expr *expr;
    tosajit_kernel *kernel;
    int32_t inputs[3], result = 0;
    tosajit_tensor operands[3], out = tosajit_dense(TOSAJIT_I32, &result, 0, NULL);
    if (tosajit_expr_parse(text, strlen(text), NULL, &expr) != TOSAJIT_OK)
        fail_msg("%s: %s", text, tosajit_last_error());
    assert_int_equal(tosajit_compile_expr(engine, expr, &kernel), TOSAJIT_OK);
    size_t count = tosajit_kernel_operand_count(kernel);
    for (size_t k = 0; k < count; k++) {
        inputs[k] = variables[tosajit_kernel_operand_name(kernel, k)[0] - 'a'];
        operands[k] = tosajit_dense(TOSAJIT_I32, &inputs[k], 0, NULL);
    }
    assert_int_equal(tosajit_run(kernel, operands, count, &out, 1), TOSAJIT_OK);
    tosajit_kernel_release(kernel);
    tosajit_expr_destroy(expr);
    return result;
}

static tosajit_engine *interpreter(void) {
    const tosajit_engine_options options = {
        .size = sizeof options, .backend = TOSAJIT_BACKEND_INTERPRET, .uncached = 1};
    tosajit_engine *engine;
    assert_int_equal(tosajit_engine_create(&options, &engine), TOSAJIT_OK);
    return engine;
}

static void random_expressions_mean_what_they_mean_in_c(void **state) {
    tosajit_engine *engine = interpreter();
    for (int k = 0; k < 3000; k++) {
        char text[EXPRESSION] = "";
        int32_t expected = random_expression(4, 0, text);
        if (!strpbrk(text, "abc")) continue;
        append(text, " : i32");
        int32_t found = evaluate(engine, text);
        if (found != expected) fail_msg("%s: %d, expected %d", text, (int)found, (int)expected);
    }
    tosajit_engine_destroy(engine);
}

static void messages_say_what_is_near(void **state) {
    static const char *const cases[][2] = {
        {"logical_nd i1 [?] [?]", "logical_and"},
        {"sigmiod(x) : f32", "sigmoid"},
        {"relo(x) : f32", "relu"},
        {"x : f3[2]", "f32"},
        {"x : bf61[2]", "bf16"},
        {"rsqr(x) : f32", "rsqrt"},
        {"clamp(x, mix=1) : f32", "min"},
        {"select_(a, b, c) : f32", "select"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        text_line line;
        text_error error;
        char expected[64];
        assert_false(text_parse(cases[k][0], strlen(cases[k][0]), NULL, &line, &error));
        snprintf(expected, sizeof expected, "did you mean %s?", cases[k][1]);
        if (!strstr(error.text, expected)) fail_msg("%s: %s", cases[k][0], error.text);
    }
    suggestion nothing = {.word = "qqqqqqqq", .length = 8};
    suggest_ops(&nothing);
    assert_null(nothing.name);
}

/* ---------------------------------------------------------------------------------------------
 * Numbers in memory */

static const tosajit_type small_floats[] = {TOSAJIT_F16, TOSAJIT_BF16, TOSAJIT_F8E4M3FN,
                                            TOSAJIT_F8E5M2};

static void stored_floats_read_back(void **state) {
    for (size_t t = 0; t < 4; t++)
        for (uint32_t bits = 0; bits < 1u << 8 * tosajit_type_size(small_floats[t]); bits++) {
            unsigned char bytes[2] = {(unsigned char)bits, (unsigned char)(bits >> 8)},
                          stored[2] = {0, 0};
            double value = element_value(small_floats[t], bytes);
            element_store_float(small_floats[t], value, stored);
            if (isnan(value))
                assert_true(isnan(element_value(small_floats[t], stored)));
            else
                assert_memory_equal(stored, bytes, tosajit_type_size(small_floats[t]));
        }
}

/* Against tosa.cast from f32: powers of two and halves between neighbours are where rounding errs.
 */
static void stored_floats_are_rounded_like_casts(void **state) {
    enum { COUNT = 200000 };
    tosajit_engine *engine = interpreter();
    float *values = malloc(COUNT * sizeof *values);
    unsigned char *cast = malloc(COUNT * 2), stored[2];
    const int64_t dims[] = {COUNT};
    assert_true(values && cast);
    for (int k = 0; k < COUNT; k++) {
        uint32_t bits = draw(1u << 16) << 16 | (draw(4) ? draw(2) << 15 | draw(2) : draw(1u << 16));
        memcpy(&values[k], &bits, sizeof bits);
    }
    for (size_t t = 0; t < 4; t++) {
        tosajit_kernel *kernel;
        const tosajit_tensor_type from = tosajit_ranked(TOSAJIT_F32, 1, dims),
                                  to = tosajit_ranked(small_floats[t], 1, dims);
        const tosajit_tensor operand = tosajit_dense(TOSAJIT_F32, values, 1, dims),
                             result = tosajit_dense(small_floats[t], cast, 1, dims);
        size_t size = tosajit_type_size(small_floats[t]), compared = 0;
        assert_int_equal(tosajit_compile(engine, TOSAJIT_OP_cast, &from, 1, NULL, &to, &kernel),
                         TOSAJIT_OK);
        assert_int_equal(tosajit_run(kernel, &operand, 1, &result, 1), TOSAJIT_OK);
        for (size_t k = 0; k < COUNT; k++) {
            double expected = element_value(small_floats[t], cast + k * size);
            /* Numbers that are too large are for each to decide: a cast may saturate, a literal is
             * refused.
             */
            if (!isfinite(expected) ||
                (small_floats[t] == TOSAJIT_F8E4M3FN && fabs(expected) == 448))
                continue;
            element_store_float(small_floats[t], (double)values[k], stored);
            if (memcmp(stored, cast + k * size, size) != 0)
                fail_msg("%s of %a: stored %a, cast %a", tosajit_type_name(small_floats[t]),
                         (double)values[k], element_value(small_floats[t], stored), expected);
            compared++;
        }
        assert_true(compared > COUNT / 50);
        tosajit_kernel_release(kernel);
    }
    free(values);
    free(cast);
    tosajit_engine_destroy(engine);
}

static void numbers_beyond_a_type_are_refused(void **state) {
    static const struct {
        tosajit_type type;
        const char *text;
        bool fits;
    } cases[] = {
        {TOSAJIT_I8, "127", true},
        {TOSAJIT_I8, "128", false},
        {TOSAJIT_I8, "-128", true},
        {TOSAJIT_I8, "-129", false},
        {TOSAJIT_I8, "0xff", true},
        {TOSAJIT_I8, "0x100", false},
        {TOSAJIT_I1, "1", true},
        {TOSAJIT_I1, "2", false},
        {TOSAJIT_I1, "-1", false},
        {TOSAJIT_I1, "true", true},
        {TOSAJIT_I1, "True", true},
        {TOSAJIT_F32, "False", true},
        {TOSAJIT_I32, "1.0", false},
        {TOSAJIT_I32, "2147483648", false},
        {TOSAJIT_I48, "140737488355327", true},
        {TOSAJIT_I48, "140737488355328", false},
        {TOSAJIT_I64, "9223372036854775807", true},
        {TOSAJIT_I64, "9223372036854775808", false},
        {TOSAJIT_I64, "-9223372036854775808", true},
        {TOSAJIT_I64, "-9223372036854775809", false},
        {TOSAJIT_I64, "0xffffffffffffffff", true},
        {TOSAJIT_I32, "nan", false},
        {TOSAJIT_F16, "65504", true},
        {TOSAJIT_F16, "65519.99", true},
        {TOSAJIT_F16, "65520", false},
        {TOSAJIT_F16, "inf", true},
        {TOSAJIT_F8E4M3FN, "448", true},
        {TOSAJIT_F8E4M3FN, "465", false},
        {TOSAJIT_F8E4M3FN, "inf", false},
        {TOSAJIT_F8E4M3FN, "nan", true},
        {TOSAJIT_F32, "1e39", false},
        {TOSAJIT_F32, "1e-60", true},
        {TOSAJIT_F64, "1e308", true},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        text_line line;
        text_error error;
        char bytes[8];
        assert_true(text_parse_list(cases[k].text, strlen(cases[k].text), &line, &error));
        bool fits = text_store(cases[k].type, &line.numbers[0], false, bytes, &error);
        if (fits != cases[k].fits)
            fail_msg("%s as %s", cases[k].text, tosajit_type_name(cases[k].type));
        text_line_release(&line);
    }
}

int main(void) {
    return TEST_RUN(
        NULL, NULL, TEST(trees_follow_precedence), TEST(types_are_read_in_all_spellings),
        TEST(commands_are_cut_into_words), TEST(lines_without_content_are_empty),
        TEST(sizes_are_read), TEST(mlir_is_known_by_its_first_word),
        TEST(mlir_ends_where_braces_balance), TEST(damaged_lines_are_refused_in_peace),
        TEST(random_expressions_mean_what_they_mean_in_c), TEST(messages_say_what_is_near),
        TEST(stored_floats_read_back), TEST(stored_floats_are_rounded_like_casts),
        TEST(numbers_beyond_a_type_are_refused));
}

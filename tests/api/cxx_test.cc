/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The C++ interface, compiled by each compiler of the machine: operators against the same computed
 * in C++, errors, views, ownership. A failed check ends the program with its line. */
#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include "tosajit/tosajit.hpp"

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            std::printf("%s:%d: %s\n", __FILE__, __LINE__, #condition);                            \
            std::exit(1);                                                                          \
        }                                                                                          \
    } while (0)

using tosajit::dynamic;

/* The error of a call: its status, and words of its sentence. */
template <class Call> static void refused(tosajit_status status, const char *words, Call call) {
    try {
        call();
    } catch (const tosajit::error &e) {
        if (e.status() == status && std::string(e.what()).find(words) != std::string::npos) return;
        std::printf("found %s: %s\n", tosajit_status_name(e.status()), e.what());
    }
    std::printf("expected %s: %s\n", tosajit_status_name(status), words);
    std::exit(1);
}

static void operators_are_ops(const tosajit::engine &engine) {
    tosajit::expression e;
    auto x = e.input<float>({dynamic, 3}), b = e.input<float>({1, 3});
    e.result(x * sigmoid(x + b));
    e.result((x - b) / 2.0F);
    e.result(select(((x > b) & !(x >= 5.0F)) | (x == 7), -x, maximum(1 - x, 0)));
    tosajit::kernel kernel = engine.compile(e);
    std::vector<float> a(12), bias = {1, 2, 3}, silu(12), half(12), chosen(12);
    for (int k = 0; k < 12; k++) a[std::size_t(k)] = float(k) - 4;
    kernel.run({{a, {4, 3}}, {bias, {1, 3}}}, {{silu, {4, 3}}, {half, {4, 3}}, {chosen, {4, 3}}});
    for (std::size_t k = 0; k < 12; k++) {
        const float v = a[k], w = bias[k % 3];
        const double s = 1 / (1 + std::exp(-double(v + w)));
        CHECK(std::fabs(silu[k] - v * s) <= 1e-6 * (1 + std::fabs(v)));
        CHECK(half[k] == (v - w) / 2);
        CHECK(chosen[k] == (((v > w && !(v >= 5)) || v == 7) ? -v : std::fmax(1 - v, 0.0F)));
    }
    CHECK(
        (kernel.result_sizes({{a, {4, 3}}, {bias, {1, 3}}}, 2) == std::vector<std::int64_t>{4, 3}));
}

static void bound_calls_run_on_any_memory(const tosajit::engine &engine) {
    tosajit::expression e;
    auto x = e.input<float>({dynamic, 3}), b = e.input<float>({1, 3});
    e.result(x + b);
    std::vector<float> a(12, 1), bias = {1, 2, 3}, r(12), s(12);
    tosajit::bound call;
    refused(TOSAJIT_INVALID_ARGUMENT, "as many", [&] { call.run({a.data()}, {r.data()}); });
    {
        const tosajit::kernel kernel = engine.compile(e);
        call = kernel.bind({{a, {4, 3}}, {bias, {1, 3}}}, {{r, {4, 3}}});
    }
    const tosajit::bound moved = std::move(call);
    const std::vector<float> other(12, 5);
    moved.run({a.data(), bias.data()}, {r.data()});
    moved.run({other.data(), bias.data()}, {s.data()});
    for (std::size_t k = 0; k < 12; k++) CHECK(r[k] == 1 + bias[k % 3] && s[k] == 5 + bias[k % 3]);
    refused(TOSAJIT_INVALID_ARGUMENT, "as many", [&] { moved.run({a.data()}, {r.data()}); });
    refused(TOSAJIT_OVERLAP, "share memory", [&] {
        moved.run({a.data(), bias.data()}, {a.data() + 1});
    });
}

static void integers_are_exact(const tosajit::engine &engine) {
    tosajit::expression e;
    auto x = e.input<std::int32_t>({dynamic});
    e.result(((x << 3) ^ ~x) / 5);
    e.result((x >> 1 & 0xFF) | 256);
    e.result(clamp(cast(x, TOSAJIT_I8), -3, 4));
    std::vector<std::int32_t> a = {-9, -1, 0, 7, 1000, INT32_MIN, INT32_MAX}, r(7), q(7);
    std::vector<std::int8_t> c(7);
    engine.compile(e).run({a}, {r, q, c});
    for (std::size_t k = 0; k < a.size(); k++) {
        const std::int64_t v = a[k];
        CHECK(r[k] == (std::int32_t(std::uint32_t(v) << 3) ^ ~std::int32_t(v)) / 5);
        CHECK(q[k] == ((std::int32_t(v >> 1) & 0xFF) | 256));
        CHECK(c[k] == std::min(std::max(int(std::int8_t(v)), -3), 4));
    }
}

/* Pictures: operands and results are std::uint8_t, a number beside takes their type. */
static void unsigned_integers_wrap(const tosajit::engine &engine) {
    tosajit::expression e;
    auto x = e.input<std::uint8_t>({dynamic});
    e.result(x + 200);
    e.result(clamp(x / 3, 10, 50));
    e.result(cast(cast(x, TOSAJIT_F32) * 1.5 - 20, TOSAJIT_U8));
    e.result(cast(x, TOSAJIT_U32) * 0x1000001U);
    std::uint8_t a[256], sum[256], third[256], bright[256];
    std::uint32_t wide[256];
    for (int k = 0; k < 256; k++) a[k] = std::uint8_t(k);
    engine.compile(e).run({{a, {256}}},
                          {{sum, {256}}, {third, {256}}, {bright, {256}}, {wide, {256}}});
    for (unsigned k = 0; k < 256; k++) {
        CHECK(sum[k] == std::uint8_t(k + 200) && wide[k] == k * 0x1000001U);
        CHECK(third[k] == std::min(std::max(k / 3, 10U), 50U));
        CHECK(bright[k] == std::min(std::max(std::nearbyint(k * 1.5 - 20), 0.0), 255.0));
    }
    for (double number : {-1.0, 256.0, 0.5}) {
        bool refused = false;
        try {
            x + number;
        } catch (const tosajit::error &) {
            refused = true;
        }
        CHECK(refused);
    }
}

/* Numbers that no signed type has: beside an array, as bounds, and what is no number of u64. */
static void numbers_of_u64_are_whole(const tosajit::engine &engine) {
    tosajit::expression e;
    auto x = e.input<std::uint64_t>({dynamic});
    e.result(x + UINT64_MAX);
    e.result(clamp(x, UINT64_C(1) << 62, UINT64_MAX - 1));
    e.result(x / (UINT64_C(3) << 62));
    std::vector<std::uint64_t> a = {0, 1, UINT64_C(1) << 63, UINT64_MAX - 1, UINT64_MAX}, r(5),
                               c(5), q(5);
    engine.compile(e).run({a}, {r, c, q});
    for (std::size_t k = 0; k < a.size(); k++) {
        CHECK(r[k] == a[k] - 1 && q[k] == (a[k] >= UINT64_C(3) << 62 ? 1 : 0));
        CHECK(c[k] == std::min(std::max(a[k], UINT64_C(1) << 62), UINT64_MAX - 1));
    }
    for (double number : {-1.0, 0x1p64, 0.5}) {
        int refused = 0;
        for (int bound = 0; bound < 2; bound++) try {
                bound ? clamp(x, 0.0, number) : x + number;
            } catch (const tosajit::error &) {
                refused++;
            }
        CHECK(refused == 2);
    }
}

/* Each by its definition, of elements that are their own numbers. */
static void views_move_elements(const tosajit::engine &engine) {
    enum { R = 2, C = 3 };
    tosajit::expression e;
    const auto x = e.input<float>({R, C}), y = e.input<float>({1});
    e.result(transpose(x, {1, 0}) * 2);
    e.result(reshape(x, {tosajit::rest}) + y);
    e.result(slice(x, {{0, R, 1}, {tosajit::open, tosajit::open, -2}}) + y);
    e.result(reverse(x, 1) + y);
    e.result(tile(x, {2, 1}) + y);
    e.result(concat(x, x, 0) + y);
    e.result(pad(x, y, {{0, 1}, {1, 0}}));
    e.result(reduce_sum(x, 1));
    e.result(reduce_max(x, 0));
    float a[R][C], ten = 10, turned[C][R], flat[R * C], cut[R][2], back[R][C], twice[2 * R][C],
                   both[2 * R][C], padded[R + 1][C + 1], sums[R], most[C];
    for (int k = 0; k < R * C; k++) a[k / C][k % C] = float(k);
    engine.compile(e).run({{&a[0][0], {R, C}}, {&ten, {1}}}, {{&turned[0][0], {C, R}},
                                                              {flat, {R * C}},
                                                              {&cut[0][0], {R, 2}},
                                                              {&back[0][0], {R, C}},
                                                              {&twice[0][0], {2 * R, C}},
                                                              {&both[0][0], {2 * R, C}},
                                                              {&padded[0][0], {R + 1, C + 1}},
                                                              {sums, {R, 1}},
                                                              {most, {1, C}}});
    for (int r = 0; r < R; r++)
        for (int c = 0; c < C; c++) {
            CHECK(turned[c][r] == 2 * a[r][c] && flat[r * C + c] == a[r][c] + 10);
            CHECK(back[r][C - 1 - c] == a[r][c] + 10 && padded[r][c + 1] == a[r][c]);
            CHECK(twice[r][c] == a[r][c] + 10 && twice[r + R][c] == a[r][c] + 10);
            CHECK(both[r][c] == a[r][c] + 10 && both[r + R][c] == a[r][c] + 10);
        }
    for (int c = 0; c < C; c++) CHECK(padded[R][c + 1] == 10 && most[c] == a[1][c]);
    for (int r = 0; r < R; r++) {
        CHECK(cut[r][0] == a[r][2] + 10 && cut[r][1] == a[r][0] + 10);
        CHECK(padded[r][0] == 10 && sums[r] == a[r][0] + a[r][1] + a[r][2]);
    }
}

/* Up to each one, and from the last one those before it. */
static void elements_add_up(const tosajit::engine &engine) {
    enum { N = 5 };
    tosajit::expression e;
    const auto x = e.input<float>({N});
    e.result(cumsum(x, 0) + 1);
    e.result(cummax(x, 0, true, true));
    float a[N] = {1, 5, 2, 4, 3}, sums[N], most[N];
    engine.compile(e).run({{a, {N}}}, {{sums, {N}}, {most, {N}}});
    CHECK(sums[0] == 2 && sums[2] == 9 && sums[4] == 16);
    CHECK(most[4] == -INFINITY && most[3] == 3 && most[1] == 4 && most[0] == 5);
}

/* Rows of a table, and an index that is none. */
static void rows_come_by_index(const tosajit::engine &engine) {
    enum { R = 3, C = 2, N = 4 };
    tosajit::expression e;
    const auto x = e.input<float>({R, C});
    const auto i = e.input<std::int32_t>({N, 1});
    e.result(gather(reshape(x, {R, 1, C}), i, TOSAJIT_INDEX_SIGNED) + 1);
    float a[R][C] = {{1, 2}, {3, 4}, {5, 6}}, rows[N][C];
    std::int32_t index[N] = {2, 0, -1, 1};
    const auto kernel = engine.compile(e);
    kernel.run({{&a[0][0], {R, C}}, {index, {N, 1}}}, {{&rows[0][0], {N, C}}});
    for (int n = 0; n < N; n++)
        for (int c = 0; c < C; c++) CHECK(rows[n][c] == a[(index[n] + R) % R][c] + 1);
    index[1] = R;
    try {
        kernel.run({{&a[0][0], {R, C}}, {index, {N, 1}}}, {{&rows[0][0], {N, C}}});
        CHECK(false);
    } catch (const tosajit::error &error) {
        CHECK(error.status() == TOSAJIT_INDEX_OUT_OF_RANGE && rows[1][0] == 2);
    }
}

static void rows_are_added(const tosajit::engine &engine) {
    enum { R = 3, C = 2, N = 4 };
    tosajit::expression e;
    const auto x = e.input<float>({R, C});
    const auto i = e.input<std::int32_t>({N, 1});
    const auto y = e.input<float>({N, C});
    e.result(scatter_add(x, i, y * 2, TOSAJIT_INDEX_SIGNED));
    e.result(scatter_max(x, i, y, TOSAJIT_INDEX_SIGNED));
    float a[R][C] = {{1, 2}, {3, 4}, {5, 6}}, b[N][C] = {{1, 7}, {2, 6}, {3, 5}, {4, 9}};
    float sums[R][C], greatest[R][C], right[2][R][C];
    const std::int32_t index[N] = {2, 0, -1, 1};
    for (int r = 0; r < R; r++)
        for (int c = 0; c < C; c++) right[0][r][c] = right[1][r][c] = a[r][c];
    for (int n = 0; n < N; n++)
        for (int c = 0; c < C; c++) {
            const int r = (index[n] + R) % R;
            right[0][r][c] += b[n][c] * 2;
            if (b[n][c] > right[1][r][c]) right[1][r][c] = b[n][c];
        }
    engine.compile(e).run({{&a[0][0], {R, C}}, {index, {N, 1}}, {&b[0][0], {N, C}}},
                          {{&sums[0][0], {R, C}}, {&greatest[0][0], {R, C}}});
    for (int r = 0; r < R; r++)
        for (int c = 0; c < C; c++)
            CHECK(sums[r][c] == right[0][r][c] && greatest[r][c] == right[1][r][c]);
}

static void small_floats_round_as_cast_does(const tosajit::engine &engine) {
    tosajit::expression e;
    auto x = e.input(tosajit::tensor_type(TOSAJIT_F16, {dynamic}));
    e.result(cast(x * 0.1, TOSAJIT_F32));
    const std::uint16_t one[2] = {0x3C00, 0x4000}; /* 1 and 2 */
    float r[2];
    engine.compile(e).run({{TOSAJIT_F16, one, {2}}}, {{r, {2}}});
    CHECK(r[0] == 0x1.998p-4F && r[1] == 0x1.998p-3F); /* 0.1, rounded to 11 bits */
}

/* The bits of y + -0 with a number y of the smaller type, as an f32 again. */
static std::uint32_t sum(const tosajit::engine &engine, const tosajit_expr *e) {
    float x = -0.0F, r = 0;
    const std::int64_t one[1] = {1};
    const tosajit_tensor operand = tosajit_dense(TOSAJIT_F32, &x, 1, one),
                         result = tosajit_dense(TOSAJIT_F32, &r, 1, one);
    tosajit_kernel *kernel = nullptr;
    tosajit::check(tosajit_compile_expr(engine.c(), e, &kernel));
    tosajit::check(tosajit_run(kernel, &operand, 1, &result, 1));
    tosajit_kernel_release(kernel);
    std::uint32_t bits;
    std::memcpy(&bits, &r, sizeof bits);
    return bits;
}

static std::uint32_t sum_by_header(const tosajit::engine &engine, tosajit_type type,
                                   double number) {
    tosajit::expression e;
    const auto x = e.input<float>({1}), beside = cast(x, type);
    e.result(cast(tosajit::detail::number(beside, number), TOSAJIT_F32) + x);
    return sum(engine, e.c());
}

/* A text refuses what is beyond the type; beside a value it is as infinity is. */
static std::uint32_t sum_by_text(const tosajit::engine &engine, tosajit_type type, double number) {
    char text[120];
    std::snprintf(text, sizeof text, "f32(%s(%.17g)) + x : f32[1]", tosajit_type_name(type),
                  number);
    tosajit_expr *e = nullptr;
    if (tosajit_expr_parse(text, std::strlen(text), nullptr, &e))
        return sum_by_header(engine, type, std::copysign(HUGE_VAL, number));
    const std::uint32_t bits = sum(engine, e);
    tosajit_expr_destroy(e);
    return bits;
}

static void check_number(const tosajit::engine &engine, tosajit_type type, double number) {
    const unsigned found = sum_by_header(engine, type, number),
                   expected = sum_by_text(engine, type, number);
    if (found == expected) return;
    std::printf("%.17g as %s: %#x, in a text %#x\n", number, tosajit_type_name(type), found,
                expected);
    std::exit(1);
}

/* Numbers that lie beside a midpoint of two values, by less than an f32 tells. */
static void small_floats_round_once(void) {
    static const tosajit_type types[] = {TOSAJIT_F16, TOSAJIT_BF16, TOSAJIT_F8E4M3FN,
                                         TOSAJIT_F8E5M2};
    tosajit_engine_options options = {};
    options.size = sizeof options;
    options.backend = TOSAJIT_BACKEND_INTERPRET;
    const tosajit::engine engine(options);
    for (const tosajit_type type : types) {
        for (int exponent = -160; exponent < 140; exponent += 3)
            for (const int significand : {16, 17, 19, 24, 27, 2048, 2049, 2051, 257, 259})
                for (const double beside : {0.0, 0x1p-50, -0x1p-50})
                    check_number(engine, type,
                                 std::ldexp(significand, exponent - 10) * (1 + beside));
        for (const double number : {HUGE_VAL, -HUGE_VAL, 1e300, -1e300, 1e-300, -0.0, -DBL_MIN})
            check_number(engine, type, number);
    }
}

static void errors_say_what_the_library_says(const tosajit::engine &engine) {
    tosajit::expression e, other;
    auto x = e.input<float>({4, 3}), y = e.input<float>({5, 3});
    auto i = e.input<std::int8_t>({3});
    refused(TOSAJIT_SHAPE_MISMATCH, "4", [&] { x + y; });
    try {
        x + y;
    } catch (const tosajit::error &about) {
        CHECK(about.op() == TOSAJIT_OP_add && about.operand() == 1 && about.result() == -1);
        CHECK(about.dimension() >= 0 && about.found() != about.expected());
    }
    refused(TOSAJIT_TYPE_MISMATCH, "exp", [&] { exp(i); });
    refused(TOSAJIT_TYPE_MISMATCH, "300 is no i8", [&] { i + 300; });
    refused(TOSAJIT_TYPE_MISMATCH, "is no i8", [&] { i + 0.5; });
    refused(TOSAJIT_TYPE_MISMATCH, "is no i8", [&] { i + std::nan(""); });
    refused(TOSAJIT_TYPE_MISMATCH, "is no i8", [&] { i + 128U; });
    auto wide = e.input<std::int64_t>({3});
    refused(TOSAJIT_TYPE_MISMATCH, "is no i64", [&] { wide + 0x1p63; });
    wide + -0x1p63;
    refused(TOSAJIT_TYPE_MISMATCH, "beside i1", [&] { (x == x) & 1; });
    auto z = other.input<float>({4, 3});
    refused(TOSAJIT_INVALID_ARGUMENT, "different expressions", [&] { x + z; });
    refused(TOSAJIT_INVALID_ARGUMENT, "no result", [&] { engine.compile(e); });
    e.result(x + 1);
    auto kernel = engine.compile(e);
    std::vector<float> a(12), r(12), wrong(11);
    refused(TOSAJIT_INVALID_ARGUMENT, "the span has 11 elements", [&] {
        kernel.run({{a, {4, 3}}}, {{wrong, {4, 3}}});
    });
    std::vector<float> none;
    refused(TOSAJIT_INVALID_ARGUMENT, "the span has 0 elements", [&] {
        tosajit::tensor(none, {4, 3});
    });
    tosajit::tensor(none, {0, 3});
    const std::int64_t big = std::int64_t(1) << 62;
    refused(TOSAJIT_INVALID_ARGUMENT, "the span has 12 elements", [&] {
        tosajit::tensor(a, {big, big, 3});
    });
    refused(TOSAJIT_INVALID_ARGUMENT, "the span has 12 elements", [&] {
        tosajit::tensor(a, {-4, -3});
    });
    refused(TOSAJIT_INVALID_ARGUMENT, "the span has 12 elements", [&] { tosajit::tensor(a, {0}); });
    refused(TOSAJIT_INVALID_ARGUMENT, "operand", [&] { kernel.run({}, {{r, {4, 3}}}); });
    refused(TOSAJIT_INVALID_ARGUMENT, "strides", [&] { tosajit::tensor(a.data(), {4, 3}, {4}); });
    refused(TOSAJIT_INVALID_ARGUMENT, "", [] { tosajit::kernel::load("/nowhere"); });
    tosajit_engine_options options = {};
    options.size = sizeof options;
    options.cpu = "nothere";
    refused(TOSAJIT_INVALID_ARGUMENT, "nothere", [&] { tosajit::engine made(options); });
}

static void views_and_ownership(const char *image) {
    tosajit::kernel kept;
    CHECK(!kept);
    {
        tosajit::engine engine;
        tosajit::expression first;
        auto x = first.input<double>({dynamic, dynamic});
        auto table = first.constant(std::vector<double>{1, 10, 100}, {1, 3});
        tosajit::expression moved = std::move(first); /* its values stay valid */
        tosajit_contract promise = {};
        promise.smallest = 1;
        moved.contract(x, 1, promise);
        moved.result(x * table);
        CHECK(moved.print("f").find("tosa.mul") != std::string::npos);
        CHECK(engine.print(moved).find("iteration space") != std::string::npos);
        auto kernel = engine.compile(moved), copy = kernel;
        CHECK(copy.c() == kernel.c() && engine.stats().kernels == 1);
        kept = std::move(copy);
        CHECK(!copy && kept && tosajit::to_string(x.type()) == "tensor<?x?xf64>");
    }
    double a[6] = {1, 2, 3, 4, 5, 6};
    const std::int64_t size = 8;
    std::vector<double> r(6);
    kept.run({{a, {2, 3}, {size, 2 * size}}}, {{r, {2, 3}}}); /* the transpose of 3x2 */
    CHECK((r == std::vector<double>{1, 30, 500, 2, 40, 600}));
    kept.run(std::vector<tosajit::tensor>{{a, {2, 3}}}, {{a, {2, 3}}}); /* in place */
    CHECK(a[5] == 600 && a[3] == 4);
    if (!kept.is_native()) return;
    kept.save(image);
    tosajit::kernel::load(image).run(
        {{a, {2, 3}}}, {{r, kept.result_sizes({{a, {2, 3}}}).size() == 2 ? tosajit::sizes{2, 3}
                                                                         : tosajit::sizes{}}});
    CHECK(r[5] == 60000);
}

/* ---------------------------------------------------------------------------------------------
 * Graphs */

using region_list = std::vector<std::vector<std::int32_t>>;

/* The C API's answer for the same graph, whose arrays are made in another way. */
static region_list divide_in_c(const std::vector<tosajit::graph_op> &ops, std::int32_t values,
                               const tosajit::partition_options &options) {
    const std::size_t count = ops.size(), value_count = std::size_t(values);
    std::vector<std::uint8_t> members(count), kept(value_count), constants(value_count);
    std::vector<std::int32_t> operands, first(count + 1), producers(value_count, -1), heads(count);
    for (std::size_t k = 0; k < count; k++) {
        members[k] = ops[k].member;
        operands.insert(operands.end(), ops[k].reads.begin(), ops[k].reads.end());
        first[k + 1] = first[k] + std::int32_t(ops[k].reads.size());
        for (std::int32_t value : ops[k].gives) producers[std::size_t(value)] = std::int32_t(k);
    }
    for (std::int32_t value : options.kept) kept[std::size_t(value)] = 1;
    for (std::int32_t value : options.constants) constants[std::size_t(value)] = 1;
    tosajit_graph graph = {};
    graph.size = sizeof graph;
    graph.op_count = std::int32_t(count), graph.value_count = values;
    graph.members = members.data(), graph.operands = operands.data();
    graph.first_operand = first.data(), graph.producers = producers.data();
    graph.kept = kept.data(), graph.constants = constants.data();
    graph.most_ops = options.most_ops, graph.most_tensors = options.most_tensors;
    tosajit::check(tosajit_partition(&graph, heads.data()));
    region_list regions;
    for (std::int32_t head = 0; head < std::int32_t(count); head++) {
        std::vector<std::int32_t> region;
        for (std::size_t k = 0; k < count; k++)
            if (heads[k] == head) region.push_back(std::int32_t(k));
        if (!region.empty()) regions.push_back(region);
    }
    return regions;
}

static std::uint32_t draw(std::uint32_t &seed, std::uint32_t below) {
    seed = seed * 1664525 + 1013904223;
    return (seed >> 8) % below;
}

static void graphs_are_divided_as_in_c() {
    std::uint32_t seed = 20261124;
    std::size_t joined = 0;
    for (int round = 0; round < 3000; round++) {
        std::vector<tosajit::graph_op> ops(1 + draw(seed, 20));
        tosajit::partition_options options;
        std::int32_t values = 1 + std::int32_t(draw(seed, 4));
        for (std::int32_t value = 0; value < values; value++)
            if (draw(seed, 3) == 0) options.constants.push_back(value);
        for (tosajit::graph_op &op : ops) {
            for (std::uint32_t k = draw(seed, 4); k > 0; k--)
                op.reads.push_back(std::int32_t(draw(seed, std::uint32_t(values))));
            for (std::uint32_t k = 1 + (draw(seed, 6) == 0); k > 0; k--)
                op.gives.push_back(values++);
            op.member = draw(seed, 4) != 0;
            if (draw(seed, 8) == 0) options.kept.push_back(values - 1);
        }
        if (round % 2) options.most_ops = 1 + round / 2 % 5, options.most_tensors = 3 + round % 7;
        const region_list regions = tosajit::partition(ops, options);
        CHECK(regions == divide_in_c(ops, values, options));
        for (const auto &region : regions) joined += region.size() > 1;
    }
    CHECK(joined > 1000);
}

/* e = exp a; m = matmul e; r = add e, m; s = abs r */
static void a_host_says_what_a_kernel_can_have() {
    const std::vector<tosajit::graph_op> ops = {
        {{0}, {1}}, {{1}, {2}, false}, {{1, 2}, {3}}, {{3}, {4}}};
    tosajit::partition_options options;
    CHECK((tosajit::partition(ops) == region_list{{0}, {2, 3}}));
    std::vector<tosajit::graph_op> views = ops;
    views[2].view = views[3].view = true;
    CHECK((tosajit::partition(views) == region_list{{0}}));
    std::vector<tosajit::graph_op> seen_through = ops;
    seen_through[1].duplicated = true; /* then nothing is between op 0 and the others */
    CHECK((tosajit::partition(seen_through) == region_list{{0, 2, 3}}));
    tosajit::partition_options once;
    once.read_once = {0};
    CHECK((tosajit::partition({{{0}, {1}}, {{0}, {2}}}, once) == region_list{{0, 1}}));
    CHECK((tosajit::partition({{{0}, {1}}, {{0}, {2}}}) == region_list{{0}, {1}}));
    CHECK(tosajit::partition({}).empty());
    options.accepts = [](const std::vector<std::int32_t> &region) { return region.size() == 1; };
    CHECK((tosajit::partition(ops, options) == region_list{{0}, {2}, {3}}));
    options.accepts = [](const std::vector<std::int32_t> &) -> bool { throw 7; };
    try {
        tosajit::partition(ops, options);
        CHECK(false);
    } catch (int thrown) {
        CHECK(thrown == 7);
    }
    options.accepts = nullptr;
    options.most_ops = -1;
    refused(TOSAJIT_INVALID_ARGUMENT, "most_ops is -1", [&] { tosajit::partition(ops, options); });
    options.most_ops = 0;
    options.kept = {-3};
    refused(TOSAJIT_INVALID_ARGUMENT, "-3 is no value's number",
            [&] { tosajit::partition(ops, options); });
    refused(TOSAJIT_INVALID_ARGUMENT, "ops 0 and 1 give value 2", [] {
        tosajit::partition({{{}, {2}}, {{}, {2}}});
    });
    refused(TOSAJIT_INVALID_ARGUMENT, "op 0 reads value 3, which only a later op gives", [] {
        tosajit::partition({{{3}, {2}}, {{}, {3}}});
    });
}

int main(int argc, char **argv) {
    CHECK(argc == 2);
    const tosajit::engine engine;
    operators_are_ops(engine);
    bound_calls_run_on_any_memory(engine);
    integers_are_exact(engine);
    unsigned_integers_wrap(engine);
    numbers_of_u64_are_whole(engine);
    views_move_elements(engine);
    rows_come_by_index(engine);
    rows_are_added(engine);
    elements_add_up(engine);
    small_floats_round_as_cast_does(engine);
    small_floats_round_once();
    errors_say_what_the_library_says(engine);
    views_and_ownership(argv[1]);
    graphs_are_divided_as_in_c();
    a_host_says_what_a_kernel_can_have();
    return 0;
}

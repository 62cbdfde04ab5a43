/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* tosajit for C++17: objects that release themselves, errors as exceptions, expressions by
 * operators. Nothing but this header; a program links what it links for tosajit.h.
 *
 *     tosajit::expression e;
 *     auto x = e.input<float>({tosajit::dynamic, 3});
 *     auto b = e.input<float>({1, 3});
 *     e.result(x * sigmoid(x + b));
 *
 *     tosajit::engine engine;
 *     tosajit::kernel kernel = engine.compile(e);
 *     std::vector<float> a(12, 1), bias(3, 2), y(12);
 *     kernel.run({{a, {4, 3}}, {bias, {1, 3}}}, {{y, {4, 3}}});
 *
 * Every function of the library is called as tosajit.h says, which has the meaning of shapes,
 * attributes and statuses.
 *
 * Errors. What fails throws tosajit::error, with the status and the library's sentence; nothing
 * else is thrown but std::bad_alloc, by functions that return a std::vector or std::string, and
 * exceptions of your own functions. A run allocates no more than tosajit_run.
 *
 * Threads. As in tosajit.h: engines and kernels from any number of threads, an expression from one
 * at a time.
 *
 * Ownership. expression and engine can be moved; kernel can be copied, which takes a reference. A
 * value belongs to its expression and is valid while that lives. A tensor is a view: it owns no
 * elements. */
#ifndef TOSAJIT_TOSAJIT_HPP
#define TOSAJIT_TOSAJIT_HPP

#if __cplusplus < 201703L
#error "tosajit.hpp is for C++17 or later, as with -std=c++17; tosajit.h is for older ones, too"
#endif

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <initializer_list>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tosajit/graph.h"
#include "tosajit/image.h"
#include "tosajit/inspect.h"

namespace tosajit {

inline constexpr std::int64_t dynamic = TOSAJIT_DYNAMIC;

/* The refusal of a call of the library: the sentence, and the status by which programs decide. */
class error : public std::runtime_error {
  public:
    error(tosajit_status status, const char *sentence)
        : std::runtime_error(sentence), status_(status) {}
    explicit error(const tosajit_failure &failure)
        : std::runtime_error(tosajit_last_error()), status_(failure.status), op_(failure.op),
          operand_(failure.operand), result_(failure.result), dimension_(failure.dimension),
          system_error_(failure.system_error), found_(failure.found), expected_(failure.expected) {}
    tosajit_status status() const noexcept { return status_; }
    /* As the members of tosajit_failure. */
    tosajit_op op() const noexcept { return op_; }
    std::int32_t operand() const noexcept { return operand_; }
    std::int32_t result() const noexcept { return result_; }
    std::int32_t dimension() const noexcept { return dimension_; }
    std::int32_t system_error() const noexcept { return system_error_; }
    std::int64_t found() const noexcept { return found_; }
    std::int64_t expected() const noexcept { return expected_; }

  private:
    tosajit_status status_;
    tosajit_op op_ = TOSAJIT_OP_COUNT;
    std::int32_t operand_ = -1, result_ = -1, dimension_ = -1, system_error_ = 0;
    std::int64_t found_ = TOSAJIT_DYNAMIC, expected_ = TOSAJIT_DYNAMIC;
};

/* For calls of the C API in between. */
inline void check(tosajit_status status) {
    if (status == TOSAJIT_OK) return;
    tosajit_failure failure = {};
    failure.size = sizeof failure;
    tosajit_last_failure(&failure);
    failure.status = status;
    throw error(failure);
}

/* ---------------------------------------------------------------------------------------------
 * Types and tensors */

/* The element type of a C++ type. f16, bf16 and the f8 have none: a tensor of these is given by its
 * address. */
template <class T> constexpr tosajit_type element_of() {
    using U = std::remove_cv_t<T>;
    if constexpr (std::is_same_v<U, bool>)
        return TOSAJIT_I1;
    else if constexpr (std::is_same_v<U, float>)
        return TOSAJIT_F32;
    else if constexpr (std::is_same_v<U, double>)
        return TOSAJIT_F64;
    else {
        static_assert(std::is_integral_v<U>, "no element type for this type");
        if constexpr (std::is_unsigned_v<U>)
            return sizeof(U) == 1   ? TOSAJIT_U8
                   : sizeof(U) == 2 ? TOSAJIT_U16
                   : sizeof(U) == 4 ? TOSAJIT_U32
                                    : TOSAJIT_U64;
        return sizeof(U) == 1   ? TOSAJIT_I8
               : sizeof(U) == 2 ? TOSAJIT_I16
               : sizeof(U) == 4 ? TOSAJIT_I32
                                : TOSAJIT_I64;
    }
}

/* True if elements are integers, i1 included. */
inline bool is_integer(tosajit_type element) {
    return element <= TOSAJIT_I64 || (element >= TOSAJIT_U8 && element <= TOSAJIT_U64);
}

using sizes = std::initializer_list<std::int64_t>;

inline tosajit_tensor_type tensor_type(tosajit_type element, sizes dims) {
    return tosajit_ranked(element, static_cast<std::int32_t>(dims.size()), dims.begin());
}
inline tosajit_tensor_type unranked(tosajit_type element) {
    tosajit_tensor_type type = {};
    type.element = element;
    type.rank = TOSAJIT_UNRANKED;
    return type;
}

/* "tensor<?x3xf32>" */
inline std::string to_string(const tosajit_tensor_type &type) {
    std::string text(tosajit_type_print(&type, nullptr, 0), '\0');
    tosajit_type_print(&type, text.data(), text.size() + 1);
    return text;
}

/* A view of elements in memory, with its own copy of sizes and strides. */
class tensor {
  public:
    /* Elements at an address. Strides are in bytes; without them the tensor is dense. data may be
     * null where only sizes count. */
    tensor(tosajit_type element, const void *data, sizes dims, sizes strides = {})
        : tensor(element, data, dims.begin(), dims.size(), strides) {}
    template <class T>
    tensor(T *data, sizes dims, sizes strides = {})
        : tensor(element_of<T>(), data, dims.begin(), dims.size(), strides) {}
    /* All of a std::vector, std::array, std::span: as many elements as the sizes say, or
     * INVALID_ARGUMENT. Without sizes it has one dimension. */
    template <class Span,
              class = decltype(std::declval<Span &>().data() + std::declval<Span &>().size())>
    tensor(Span &&span, sizes dims)
        : tensor(element_of<std::remove_pointer_t<decltype(span.data())>>(), span.data(),
                 dims.begin(), dims.size(), {}) {
        if (!fits(dims, span.size()))
            throw error(TOSAJIT_INVALID_ARGUMENT,
                        ("tensor: the span has " + std::to_string(span.size()) +
                         " elements, its sizes another number")
                            .c_str());
    }
    template <class Span,
              class = decltype(std::declval<Span &>().data() + std::declval<Span &>().size()),
              class = std::enable_if_t<!std::is_base_of_v<tensor, std::decay_t<Span>>>>
    tensor(Span &&span) : tensor(span, {static_cast<std::int64_t>(span.size())}) {}
    /* With sizes that are only known when the program runs, as tosajit::kernel::result_sizes gives
     * them. */
    template <class T>
    tensor(T *data, const std::vector<std::int64_t> &dims)
        : tensor(element_of<T>(), data, dims.data(), dims.size(), {}) {}

    /* For functions of the C API; valid while this tensor lives and stays where it is. */
    tosajit_tensor c() const noexcept {
        tosajit_tensor view = {element_, rank_, data_, dims_.data(),
                               has_strides_ ? strides_.data() : nullptr};
        return view;
    }

  private:
    tensor(tosajit_type element, const void *data, const std::int64_t *dims, std::size_t rank,
           sizes strides)
        : element_(element), rank_(static_cast<std::int32_t>(rank)),
          data_(const_cast<void *>(data)), has_strides_(strides.size() != 0) {
        if (rank > TOSAJIT_MAX_RANK || (has_strides_ && strides.size() != rank))
            throw error(rank > TOSAJIT_MAX_RANK ? TOSAJIT_LIMIT_EXCEEDED : TOSAJIT_INVALID_ARGUMENT,
                        rank > TOSAJIT_MAX_RANK ? "tensor: more than 16 dimensions"
                                                : "tensor: not as many strides as sizes");
        for (std::size_t d = 0; d < rank; d++) dims_[d] = dims[d];
        std::size_t d = 0;
        for (std::int64_t stride : strides) strides_[d++] = stride;
    }

    static bool fits(sizes dims, std::size_t elements) {
        std::size_t left = elements;
        for (std::int64_t size : dims) {
            if (size == 0) return elements == 0;
            if (size < 0 || left % static_cast<std::uint64_t>(size)) return false;
            left /= static_cast<std::uint64_t>(size);
        }
        return left == 1;
    }

    tosajit_type element_;
    std::int32_t rank_;
    void *data_;
    bool has_strides_;
    std::array<std::int64_t, TOSAJIT_MAX_RANK> dims_ = {}, strides_ = {};
};

/* ---------------------------------------------------------------------------------------------
 * Expressions */

/* A node of an expression. Operators and functions make new ones; they throw what tosajit_expr_op
 * refuses. */
class value {
  public:
    value(tosajit_expr *expr, tosajit_value node) noexcept : expr_(expr), node_(node) {}
    tosajit_expr *expr() const noexcept { return expr_; }
    tosajit_value c() const noexcept { return node_; }
    tosajit_tensor_type type() const {
        tosajit_tensor_type type;
        check(tosajit_expr_type(expr_, node_, &type));
        return type;
    }

  private:
    tosajit_expr *expr_;
    tosajit_value node_;
};

/* Any op: operands, then parameters. result declares the type, which cast and rescale need. */
inline value apply(tosajit_op op, std::initializer_list<value> operands,
                   const tosajit_attributes &attributes = {},
                   const tosajit_tensor_type *result = nullptr) {
    if (operands.size() == 0 || operands.size() > TOSAJIT_MAX_OPERANDS)
        throw error(TOSAJIT_INVALID_ARGUMENT, "apply: an op has 1 to 5 operands and parameters");
    std::array<tosajit_value, TOSAJIT_MAX_OPERANDS> nodes = {};
    std::size_t count = 0;
    for (const value &operand : operands) {
        if (operand.expr() != operands.begin()->expr())
            throw error(TOSAJIT_INVALID_ARGUMENT, "apply: operands are of different expressions");
        nodes[count++] = operand.c();
    }
    tosajit_value node;
    check(tosajit_expr_op(operands.begin()->expr(), op, nodes.data(), count, &attributes, result,
                          &node));
    return value(operands.begin()->expr(), node);
}

/* Each op of ops.def as a function of its name: exp(x), maximum(x, y), select(c, x, y). */
#define TOSAJIT_HPP_1(name)                                                                        \
    inline value name(const value &a, const tosajit_attributes &attributes = {}) {                 \
        return apply(TOSAJIT_OP_##name, {a}, attributes);                                          \
    }
#define TOSAJIT_HPP_2(name)                                                                        \
    inline value name(const value &a, const value &b, const tosajit_attributes &attributes = {}) { \
        return apply(TOSAJIT_OP_##name, {a, b}, attributes);                                       \
    }
#define TOSAJIT_HPP_3(name)                                                                        \
    inline value name(const value &a, const value &b, const value &c,                              \
                      const tosajit_attributes &attributes = {}) {                                 \
        return apply(TOSAJIT_OP_##name, {a, b, c}, attributes);                                    \
    }
#define TOSAJIT_OP(name, arity, ...) TOSAJIT_HPP_##arity(name)
#include "tosajit/ops.def"
#undef TOSAJIT_OP
#undef TOSAJIT_HPP_1
#undef TOSAJIT_HPP_2
#undef TOSAJIT_HPP_3

/* To another element type, of the same shape. */
inline value cast(const value &a, tosajit_type element) {
    tosajit_value node;
    check(tosajit_expr_cast(a.expr(), a.c(), element, &node));
    return value(a.expr(), node);
}

namespace detail {

/* A value that a function of the C API makes of a. The parameter a comes behind the expression. */
template <class Make, class... Rest> value made(Make make, const value &a, Rest... rest) {
    tosajit_value node;
    check(make(a.expr(), a.c(), rest..., &node));
    return value(a.expr(), node);
}

inline std::int32_t rank(std::size_t count) { return static_cast<std::int32_t>(count); }

/* b, as an operand beside a. */
inline tosajit_value beside(const value &a, const value &b) {
    if (a.expr() != b.expr())
        throw error(TOSAJIT_INVALID_ARGUMENT, "operands are of different expressions");
    return b.c();
}

inline value reduced(tosajit_op op, const value &a, std::int32_t axis, std::int32_t count) {
    tosajit_value node;
    check(tosajit_expr_reduce(a.expr(), op, a.c(), axis, count, &node));
    return value(a.expr(), node);
}

} // namespace detail

/* Along `count` neighbouring axes from `axis` on, which counts from 0; with attributes they have a
 * nan_mode, too. */
#define TOSAJIT_HPP_REDUCE(name)                                                                   \
    inline value name(const value &a, std::int32_t axis, std::int32_t count = 1) {                 \
        return detail::reduced(TOSAJIT_OP_##name, a, axis, count);                                 \
    }
TOSAJIT_HPP_REDUCE(reduce_all)
TOSAJIT_HPP_REDUCE(reduce_any)
TOSAJIT_HPP_REDUCE(reduce_count)
TOSAJIT_HPP_REDUCE(reduce_max)
TOSAJIT_HPP_REDUCE(reduce_min)
TOSAJIT_HPP_REDUCE(reduce_product)
TOSAJIT_HPP_REDUCE(reduce_sum)
TOSAJIT_HPP_REDUCE(argmax)
TOSAJIT_HPP_REDUCE(argmin)
TOSAJIT_HPP_REDUCE(index)
#undef TOSAJIT_HPP_REDUCE
inline value argmax(const value &a, const tosajit_attributes &attributes) {
    return apply(TOSAJIT_OP_argmax, {a}, attributes);
}
inline value argmin(const value &a, const tosajit_attributes &attributes) {
    return apply(TOSAJIT_OP_argmin, {a}, attributes);
}

/* Elements of an input or constant, or of a view of one: of the first dimension those that the
 * index says; the others broadcast with it. */
inline value gather(const value &a, const value &index,
                    tosajit_index_mode mode = TOSAJIT_INDEX_STRICT) {
    tosajit_attributes attributes = {};
    attributes.index_mode = mode;
    return apply(TOSAJIT_OP_gather, {a, index}, attributes);
}

/* a, in which updates are put, added, or compared with what is there. The index says where in a's
 * first dimension. Updates come in the index's order. Index and updates have a first dimension of
 * their own; the others broadcast. With attributes scatter_max and scatter_min have a nan_mode,
 * too.
 */
#define TOSAJIT_HPP_SCATTER(name)                                                                  \
    inline value name(const value &a, const value &index, const value &updates,                    \
                      tosajit_index_mode mode = TOSAJIT_INDEX_STRICT) {                            \
        tosajit_attributes attributes = {};                                                        \
        attributes.index_mode = mode;                                                              \
        return apply(TOSAJIT_OP_##name, {a, index, updates}, attributes);                          \
    }
TOSAJIT_HPP_SCATTER(scatter)
TOSAJIT_HPP_SCATTER(scatter_add)
TOSAJIT_HPP_SCATTER(scatter_max)
TOSAJIT_HPP_SCATTER(scatter_min)
#undef TOSAJIT_HPP_SCATTER

/* Along an axis, from 0: what the elements up to each one make, or those before it; from the last
 * one where `reverse`. With attributes cummax and cummin have a nan_mode, too. */
#define TOSAJIT_HPP_SCAN(name)                                                                     \
    inline value name(const value &a, std::int64_t axis, bool exclusive = false,                   \
                      bool reverse = false) {                                                      \
        tosajit_attributes attributes = {};                                                        \
        attributes.axis = axis;                                                                    \
        attributes.exclusive = exclusive;                                                          \
        attributes.reverse = reverse;                                                              \
        return apply(TOSAJIT_OP_##name, {a}, attributes);                                          \
    }
TOSAJIT_HPP_SCAN(cumsum)
TOSAJIT_HPP_SCAN(cumprod)
TOSAJIT_HPP_SCAN(cummax)
TOSAJIT_HPP_SCAN(cummin)
TOSAJIT_HPP_SCAN(logcumsumexp)
#undef TOSAJIT_HPP_SCAN

/* Views. Sizes of a reshape: numbers, rest once, and size_of(d) of a's dimension d. */
inline constexpr std::int64_t rest = TOSAJIT_REST;
constexpr std::int64_t size_of(std::int32_t dimension) { return TOSAJIT_SIZE_OF(dimension); }
inline constexpr std::int64_t open = TOSAJIT_OPEN; /* an end of a range */
using range = tosajit_range;                       /* {begin, end, step} */
using padding = tosajit_padding;                   /* {before, behind} */
inline constexpr range all = TOSAJIT_ALL;          /* the whole dimension */

inline value reshape(const value &a, sizes shape) {
    return detail::made(tosajit_expr_reshape, a, detail::rank(shape.size()), shape.begin());
}
inline value transpose(const value &a, sizes perms) {
    return detail::made(tosajit_expr_transpose, a, detail::rank(perms.size()), perms.begin());
}
inline value slice(const value &a, std::initializer_list<range> ranges) {
    return detail::made(tosajit_expr_slice, a, detail::rank(ranges.size()), ranges.begin());
}
inline value reverse(const value &a, std::int32_t axis) {
    return detail::made(tosajit_expr_reverse, a, axis);
}
inline value tile(const value &a, sizes multiples) {
    return detail::made(tosajit_expr_tile, a, detail::rank(multiples.size()), multiples.begin());
}
inline value concat(const value &a, const value &b, std::int32_t axis) {
    return detail::made(tosajit_expr_concat, a, detail::beside(a, b), axis);
}
/* `element` has one element, and surrounds a. */
inline value pad(const value &a, const value &element, std::initializer_list<padding> around) {
    return detail::made(tosajit_expr_pad, a, detail::beside(a, element),
                        detail::rank(around.size()), around.begin());
}

namespace detail {

template <class T, class Number> bool holds(Number number) {
    using limits = std::numeric_limits<T>;
    if constexpr (std::is_unsigned_v<Number>)
        return number <= static_cast<std::make_unsigned_t<T>>(limits::max());
    else if constexpr (std::is_integral_v<Number> && std::is_same_v<T, std::uint64_t>)
        return number >= 0;
    else if constexpr (std::is_integral_v<Number>)
        return number >= static_cast<std::int64_t>(limits::min()) &&
               number <= static_cast<std::int64_t>(limits::max());
    else /* max + 1 is a power of two */
        return std::floor(number) == number && number >= static_cast<Number>(limits::min()) &&
               number < 2 * static_cast<Number>(limits::max() / 2 + 1);
}

/* A bound of integers as the library has it: of u64 its bits. */
template <class T> std::int64_t bound(tosajit_type element, T number) {
    if (element != TOSAJIT_U64) return static_cast<std::int64_t>(number);
    if (!holds<std::uint64_t>(number))
        throw error(TOSAJIT_BAD_ATTRIBUTE, (std::to_string(number) + " is no u64").c_str());
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(number));
}

} // namespace detail

/* From low to high, which are of a's element type: numbers of the float, or integers. */
template <class T> value clamp(const value &a, T low, T high) {
    static_assert(std::is_arithmetic_v<T>);
    tosajit_attributes attributes = {};
    if (is_integer(a.type().element)) {
        attributes.min_val.i = detail::bound(a.type().element, low);
        attributes.max_val.i = detail::bound(a.type().element, high);
    } else {
        attributes.min_val.f = static_cast<double>(low);
        attributes.max_val.f = static_cast<double>(high);
    }
    return clamp(a, attributes);
}

namespace detail {

/* A constant of one element and of the rank of `beside`, so that strict expressions take it, too.
 */
inline value constant_of(const value &beside, tosajit_type element, const void *element_bytes) {
    tosajit_tensor_type type = beside.type();
    if (type.rank == TOSAJIT_UNRANKED) type.rank = 0;
    type.element = element;
    for (std::int32_t d = 0; d < type.rank; d++) type.dims[d] = 1;
    tosajit_value node;
    check(tosajit_expr_constant(beside.expr(), &type, element_bytes, &node));
    return value(beside.expr(), node);
}

template <class T, class Number>
value integer(const value &beside, tosajit_type element, Number number) {
    if (!holds<T>(number))
        throw error(TOSAJIT_TYPE_MISMATCH,
                    (std::to_string(number) + " is no " + tosajit_type_name(element)).c_str());
    const T exact = static_cast<T>(number);
    return constant_of(beside, element, &exact);
}

/* An f32 from which smaller floats round as they do from the number itself. Where it is not equal
 * to the number, its last bit is 1, so it lies in the middle of no two of theirs. */
inline float round_to_odd(long double number) {
    float rounded = static_cast<float>(number);
    const long double found = rounded;
    if (found == number || std::isnan(number)) return rounded;
    std::uint32_t bits;
    std::memcpy(&bits, &rounded, sizeof bits);
    if (std::fabs(found) > std::fabs(number)) bits--; /* toward zero */
    bits |= 1;
    std::memcpy(&rounded, &bits, sizeof bits);
    return rounded;
}

/* A number becomes a constant of the element type beside it. */
template <class Number> value number(const value &beside, Number given) {
    const tosajit_type element = beside.type().element;
    switch (element) {
    case TOSAJIT_I1:
        if (!std::is_same_v<Number, bool>)
            throw error(TOSAJIT_TYPE_MISMATCH, "a number beside i1; true and false can be");
        return integer<std::int8_t>(beside, element, static_cast<int>(given));
    case TOSAJIT_I8: return integer<std::int8_t>(beside, element, given);
    case TOSAJIT_I16: return integer<std::int16_t>(beside, element, given);
    case TOSAJIT_I32: return integer<std::int32_t>(beside, element, given);
    case TOSAJIT_U8: return integer<std::uint8_t>(beside, element, given);
    case TOSAJIT_U16: return integer<std::uint16_t>(beside, element, given);
    case TOSAJIT_U32: return integer<std::uint32_t>(beside, element, given);
    case TOSAJIT_U64: return integer<std::uint64_t>(beside, element, given);
    case TOSAJIT_I48:
    case TOSAJIT_I64: return integer<std::int64_t>(beside, element, given);
    case TOSAJIT_F64: {
        const double exact = static_cast<double>(given);
        return constant_of(beside, element, &exact);
    }
    case TOSAJIT_F32: {
        const float nearest = static_cast<float>(given);
        return constant_of(beside, element, &nearest);
    }
    default: { /* smaller floats are rounded by cast */
        const float odd = round_to_odd(static_cast<long double>(given));
        return cast(constant_of(beside, TOSAJIT_F32, &odd), element);
    }
    }
}

inline bool is_i1(const value &a) { return a.type().element == TOSAJIT_I1; }

} // namespace detail

inline value operator-(const value &a) { return negate(a); }
inline value operator!(const value &a) { return logical_not(a); }
inline value operator~(const value &a) { return bitwise_not(a); }
inline value operator+(const value &a, const value &b) { return add(a, b); }
inline value operator-(const value &a, const value &b) { return sub(a, b); }
inline value operator*(const value &a, const value &b) { return mul(a, b); }
/* TOSA divides integers; a quotient of floats is an extension, which strict expressions refuse. */
inline value operator/(const value &a, const value &b) {
    return is_integer(a.type().element) ? intdiv(a, b) : divide(a, b);
}
inline value operator<<(const value &a, const value &b) { return logical_left_shift(a, b); }
inline value operator>>(const value &a, const value &b) { return arithmetic_right_shift(a, b); }
inline value operator&(const value &a, const value &b) {
    return detail::is_i1(a) ? logical_and(a, b) : bitwise_and(a, b);
}
inline value operator|(const value &a, const value &b) {
    return detail::is_i1(a) ? logical_or(a, b) : bitwise_or(a, b);
}
inline value operator^(const value &a, const value &b) {
    return detail::is_i1(a) ? logical_xor(a, b) : bitwise_xor(a, b);
}
inline value operator==(const value &a, const value &b) { return equal(a, b); }
inline value operator!=(const value &a, const value &b) { return logical_not(equal(a, b)); }
inline value operator>(const value &a, const value &b) { return greater(a, b); }
inline value operator>=(const value &a, const value &b) { return greater_equal(a, b); }
inline value operator<(const value &a, const value &b) { return greater(b, a); }
inline value operator<=(const value &a, const value &b) { return greater_equal(b, a); }

/* The same with a number on one side: x * 2, 1 - x, maximum(x, 0). */
#define TOSAJIT_HPP_NUMBER(function)                                                               \
    template <class N, class = std::enable_if_t<std::is_arithmetic_v<N>>>                          \
    value function(const value &a, N b) {                                                          \
        return function(a, detail::number(a, b));                                                  \
    }                                                                                              \
    template <class N, class = std::enable_if_t<std::is_arithmetic_v<N>>>                          \
    value function(N a, const value &b) {                                                          \
        return function(detail::number(b, a), b);                                                  \
    }
TOSAJIT_HPP_NUMBER(operator+)
TOSAJIT_HPP_NUMBER(operator-)
TOSAJIT_HPP_NUMBER(operator*)
TOSAJIT_HPP_NUMBER(operator/)
TOSAJIT_HPP_NUMBER(operator<<)
TOSAJIT_HPP_NUMBER(operator>>)
TOSAJIT_HPP_NUMBER(operator&)
TOSAJIT_HPP_NUMBER(operator|)
TOSAJIT_HPP_NUMBER(operator^)
TOSAJIT_HPP_NUMBER(operator==)
TOSAJIT_HPP_NUMBER(operator!=)
TOSAJIT_HPP_NUMBER(operator>)
TOSAJIT_HPP_NUMBER(operator>=)
TOSAJIT_HPP_NUMBER(operator<)
TOSAJIT_HPP_NUMBER(operator<=)
TOSAJIT_HPP_NUMBER(maximum)
TOSAJIT_HPP_NUMBER(minimum)
TOSAJIT_HPP_NUMBER(pow)
#undef TOSAJIT_HPP_NUMBER

/* A DAG of inputs, constants and ops. */
class expression {
  public:
    expression() : expression(nullptr) {}
    explicit expression(const tosajit_expr_options &options) : expression(&options) {}

    value input(const tosajit_tensor_type &type) {
        tosajit_value node;
        check(tosajit_expr_input(c(), &type, &node));
        return value(c(), node);
    }
    template <class T> value input(sizes dims) { return input(tensor_type(element_of<T>(), dims)); }
    /* A promise of the host about a dynamic dimension of an input. */
    void contract(const value &input, std::int32_t dimension, const tosajit_contract &promise) {
        check(tosajit_expr_contract(c(), input.c(), dimension, &promise));
    }

    value constant(const tosajit_tensor_type &type, const void *data) {
        tosajit_value node;
        check(tosajit_expr_constant(c(), &type, data, &node));
        return value(c(), node);
    }
    /* Elements in row-major order, which are copied. */
    template <class Span> value constant(const Span &span, sizes dims) {
        const tosajit_tensor view = tensor(span, dims).c(); /* checks the count */
        return constant(tensor_type(view.element, dims), view.data);
    }

    void result(const value &a) { check(tosajit_expr_result(c(), a.c())); }
    void verify() const { check(tosajit_expr_verify(c())); }
    std::size_t reductions() const { return tosajit_expr_reductions(c()); }
    /* As a function of MLIR's TOSA dialect. */
    std::string print(const char *name = "main") const {
        char *text = nullptr;
        check(tosajit_expr_print(c(), name, &text));
        const std::unique_ptr<char, void (*)(char *)> owner(text, tosajit_text_release);
        return text;
    }
    tosajit_expr *c() const noexcept { return expr_.get(); }

  private:
    explicit expression(const tosajit_expr_options *options) {
        tosajit_expr *made = nullptr;
        check(tosajit_expr_create(options, &made));
        expr_.reset(made);
    }
    struct release {
        void operator()(tosajit_expr *expr) const noexcept { tosajit_expr_destroy(expr); }
    };
    std::unique_ptr<tosajit_expr, release> expr_;
};

/* ---------------------------------------------------------------------------------------------
 * Engines and kernels */

/* A call that was checked once, and runs on any memory; an empty one can only be assigned. Any
 * number of threads may run it at once, each with results of its own. */
class bound {
  public:
    bound() noexcept = default;

    /* Where the operands lie, and the results, as many as were bound. */
    void run(std::initializer_list<const void *> operands,
             std::initializer_list<void *> results) const {
        std::array<void *, 2 * TOSAJIT_MAX_TENSORS> data;
        std::size_t k = 0;
        if (!bound_ || operands.size() != operands_ || results.size() != results_)
            throw error(TOSAJIT_INVALID_ARGUMENT, "run: not as many pointers as were bound");
        for (const void *p : operands) data[k++] = const_cast<void *>(p); /* which is only read */
        for (void *p : results) data[k++] = p;
        check(tosajit_bound_run(bound_.get(), data.data()));
    }
    const tosajit_bound *c() const noexcept { return bound_.get(); }

  private:
    friend class kernel;
    bound(tosajit_bound *taken, std::size_t operands, std::size_t results) noexcept
        : bound_(taken), operands_(operands), results_(results) {}
    struct release {
        void operator()(tosajit_bound *bound) const noexcept { tosajit_bound_release(bound); }
    };
    std::unique_ptr<tosajit_bound, release> bound_;
    std::size_t operands_ = 0, results_ = 0;
};

/* A reference to compiled code; an empty one can only be assigned. */
class kernel {
  public:
    kernel() noexcept = default;
    /* Takes over a reference that the C API gave. */
    explicit kernel(tosajit_kernel *taken) noexcept : kernel_(taken) {}
    kernel(const kernel &other) noexcept : kernel_(other.kernel_) {
        if (kernel_) tosajit_kernel_retain(kernel_);
    }
    kernel(kernel &&other) noexcept : kernel_(std::exchange(other.kernel_, nullptr)) {}
    kernel &operator=(kernel other) noexcept {
        std::swap(kernel_, other.kernel_);
        return *this;
    }
    ~kernel() { tosajit_kernel_release(kernel_); }

    /* Compute all results. Of the tensors, those of results are written. */
    void run(std::initializer_list<tensor> operands, std::initializer_list<tensor> results) const {
        const views in(operands), out(results);
        check(tosajit_run(kernel_, in.data(), in.count, out.data(), out.count));
    }
    void run(const std::vector<tensor> &operands, const std::vector<tensor> &results) const {
        const views in(operands), out(results);
        check(tosajit_run(kernel_, in.data(), in.count, out.data(), out.count));
    }
    /* Check such a call once, for any memory: that of these tensors is not looked at. */
    tosajit::bound bind(std::initializer_list<tensor> operands,
                        std::initializer_list<tensor> results) const {
        const views in(operands), out(results);
        tosajit_bound *made = nullptr;
        check(tosajit_bind(kernel_, in.data(), in.count, out.data(), out.count, &made));
        return tosajit::bound(made, in.count, out.count);
    }
    /* The sizes that a result has for operands of these sizes. */
    std::vector<std::int64_t> result_sizes(std::initializer_list<tensor> operands,
                                           std::size_t index = 0) const {
        const views in(operands);
        std::array<std::int64_t, TOSAJIT_MAX_RANK> dims;
        std::int32_t rank = 0;
        check(tosajit_kernel_result_dims(kernel_, in.data(), in.count, index, &rank, dims.data()));
        return std::vector<std::int64_t>(dims.data(), dims.data() + rank);
    }

    /* Wait until a BACKGROUND kernel runs natively, and for kernels that calls have asked for. */
    void wait() const { check(tosajit_kernel_wait(kernel_)); }
    bool is_native() const noexcept { return tosajit_kernel_is_native(kernel_) != 0; }
    void save(const std::string &path) const {
        check(tosajit_kernel_save_file(kernel_, path.c_str()));
    }
    static kernel load(const std::string &path, const tosajit_load_options *options = nullptr) {
        tosajit_kernel *loaded = nullptr;
        check(tosajit_kernel_load_file(path.c_str(), options, &loaded));
        return kernel(loaded);
    }
    tosajit_kernel *c() const noexcept { return kernel_; }
    explicit operator bool() const noexcept { return kernel_ != nullptr; }

  private:
    /* Tensors as the C API takes them. */
    struct views {
        template <class Tensors> explicit views(const Tensors &tensors) : count(tensors.size()) {
            if (count > TOSAJIT_MAX_TENSORS)
                throw error(TOSAJIT_LIMIT_EXCEEDED, "run: more than 64 tensors");
            std::size_t k = 0;
            for (const tensor &t : tensors) all[k++] = t.c();
        }
        const tosajit_tensor *data() const noexcept { return all.data(); }
        std::array<tosajit_tensor, TOSAJIT_MAX_TENSORS> all;
        std::size_t count;
    };

    tosajit_kernel *kernel_ = nullptr;
};

/* Compiles; kernels may outlive it. */
class engine {
  public:
    engine() : engine(nullptr) {}
    explicit engine(const tosajit_engine_options &options) : engine(&options) {}

    kernel compile(const expression &expr) const {
        tosajit_kernel *made = nullptr;
        check(tosajit_compile_expr(c(), expr.c(), &made));
        return kernel(made);
    }
    tosajit_stats stats() const {
        tosajit_stats stats = {};
        stats.size = sizeof stats;
        check(tosajit_engine_stats(c(), &stats));
        return stats;
    }
    /* A text about the expression as this engine would compile it. */
    std::string print(const expression &expr, tosajit_view view = TOSAJIT_VIEW_PLAN) const {
        char *text = nullptr;
        check(tosajit_print(c(), expr.c(), view, &text));
        const std::unique_ptr<char, void (*)(char *)> owner(text, tosajit_text_release);
        return text;
    }
    tosajit_engine *c() const noexcept { return engine_.get(); }

  private:
    explicit engine(const tosajit_engine_options *options) {
        tosajit_engine *made = nullptr;
        check(tosajit_engine_create(options, &made));
        engine_.reset(made);
    }
    struct release {
        void operator()(tosajit_engine *engine) const noexcept { tosajit_engine_destroy(engine); }
    };
    std::unique_ptr<tosajit_engine, release> engine_;
};

/* ---------------------------------------------------------------------------------------------
 * Graphs: which operations of a model become one kernel */

/* An operation of a host's graph. It stands behind the ops whose values it reads. Values are
 * numbers of the host's: any from 0 on, with an array's element for each up to the largest. */
struct graph_op {
    std::vector<std::int32_t> reads, gives;
    bool member = true;      /* a kernel may have it */
    bool view = false;       /* it moves elements and computes none */
    bool duplicated = false; /* it costs nothing, so each reader has its own */
};

/* As the members of tosajit_graph. */
struct partition_options {
    std::vector<std::int32_t> kept;      /* values that something else reads, too */
    std::vector<std::int32_t> constants; /* values that are the same in all calls */
    std::vector<std::int32_t> read_once; /* values whose readers become one region */
    std::int32_t most_ops = 0, most_tensors = 0;
    std::function<bool(const std::vector<std::int32_t> &ops)> accepts; /* empty: yes */
};

namespace detail {

/* The arrays of a tosajit_graph. */
class flat_graph {
  public:
    flat_graph(const std::vector<graph_op> &ops, const partition_options &options) {
        for (const graph_op &op : ops) add(op);
        for (std::int32_t value : options.kept) kept_[at(value)] = 1;
        for (std::int32_t value : options.constants) constants_[at(value)] = 1;
        for (std::int32_t value : options.read_once) read_once_[at(value)] = 1;
    }
    tosajit_graph c() const noexcept {
        tosajit_graph graph = {};
        graph.size = sizeof graph;
        graph.op_count = static_cast<std::int32_t>(members_.size());
        graph.value_count = static_cast<std::int32_t>(producers_.size());
        graph.members = members_.data();
        graph.operands = operands_.data();
        graph.first_operand = first_operand_.data();
        graph.producers = producers_.data();
        graph.kept = kept_.data();
        graph.constants = constants_.data();
        graph.views = views_.data();
        graph.duplicated = duplicated_.data();
        graph.read_once = read_once_.data();
        return graph;
    }

  private:
    /* The place of a value, for which there is room then. */
    std::size_t at(std::int32_t value) {
        if (value < 0 || value == std::numeric_limits<std::int32_t>::max())
            throw error(TOSAJIT_INVALID_ARGUMENT,
                        ("partition: " + std::to_string(value) + " is no value's number").c_str());
        const std::size_t place = static_cast<std::size_t>(value);
        if (place >= producers_.size()) {
            producers_.resize(place + 1, -1);
            kept_.resize(place + 1);
            constants_.resize(place + 1);
            read_once_.resize(place + 1);
        }
        return place;
    }
    void add(const graph_op &op) {
        const std::int32_t number = static_cast<std::int32_t>(members_.size());
        for (std::int32_t value : op.reads)
            operands_.push_back(static_cast<std::int32_t>(at(value)));
        for (std::int32_t value : op.gives) {
            std::int32_t &producer = producers_[at(value)];
            if (producer >= 0)
                throw error(TOSAJIT_INVALID_ARGUMENT,
                            ("partition: ops " + std::to_string(producer) + " and " +
                             std::to_string(number) + " give value " + std::to_string(value))
                                .c_str());
            producer = number;
        }
        first_operand_.push_back(static_cast<std::int32_t>(operands_.size()));
        members_.push_back(op.member);
        views_.push_back(op.view);
        duplicated_.push_back(op.duplicated);
    }

    std::vector<std::uint8_t> members_, views_, duplicated_, kept_, constants_, read_once_;
    std::vector<std::int32_t> operands_, first_operand_ = {0}, producers_;
};

/* A host's function behind the C API, through which nothing may be thrown. */
struct acceptance {
    const std::function<bool(const std::vector<std::int32_t> &)> &ask;
    std::exception_ptr thrown;

    static tosajit_status answer(void *context, const std::int32_t *ops, std::size_t count,
                                 int *accepted) noexcept {
        acceptance &self = *static_cast<acceptance *>(context);
        try {
            *accepted = self.ask(std::vector<std::int32_t>(ops, ops + count));
            return TOSAJIT_OK;
        } catch (...) {
            self.thrown = std::current_exception();
            return TOSAJIT_INVALID_ARGUMENT;
        }
    }
};

} // namespace detail

/* The members of a graph as regions, each of which can be one kernel: the numbers of its ops, in
 * order. tosajit_partition says which. Members that only constants reach may be in none. */
inline std::vector<std::vector<std::int32_t>> partition(const std::vector<graph_op> &ops,
                                                        const partition_options &options = {}) {
    const detail::flat_graph flat(ops, options);
    detail::acceptance host = {options.accepts, nullptr};
    tosajit_graph graph = flat.c();
    graph.most_ops = options.most_ops;
    graph.most_tensors = options.most_tensors;
    graph.accepts = options.accepts ? detail::acceptance::answer : nullptr;
    graph.context = &host;
    std::vector<std::int32_t> heads(ops.size() + 1);
    const tosajit_status status = tosajit_partition(&graph, heads.data());
    if (host.thrown) std::rethrow_exception(host.thrown);
    check(status);
    std::vector<std::vector<std::int32_t>> regions;
    for (std::size_t k = 0; k < ops.size(); k++) {
        if (heads[k] < 0) continue;
        const std::size_t first = static_cast<std::size_t>(heads[k]);
        if (first == k) { /* from here on its region's number */
            heads[k] = static_cast<std::int32_t>(regions.size());
            regions.emplace_back();
        }
        regions[static_cast<std::size_t>(heads[first])].push_back(static_cast<std::int32_t>(k));
    }
    return regions;
}

} // namespace tosajit
#endif

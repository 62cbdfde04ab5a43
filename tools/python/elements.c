/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One row per element type. In: formats of buffers, codes of DLPack. Out: element types, and back.
 */
#include "tools/python/elements.h"

#include <string.h>

static const struct {
    char format[2]; /* of module struct, for our own buffers */
    dlpack_element dlpack;
    const char *numpy;
} ROWS[TOSAJIT_TYPE_COUNT] = {
    [TOSAJIT_I1] = {"?", {DLPACK_BOOL, 8, 1}, "bool_"},
    [TOSAJIT_I8] = {"b", {DLPACK_INT, 8, 1}, "int8"},
    [TOSAJIT_I16] = {"h", {DLPACK_INT, 16, 1}, "int16"},
    [TOSAJIT_I32] = {"i", {DLPACK_INT, 32, 1}, "int32"},
    [TOSAJIT_I48] = {"q", {DLPACK_INT, 64, 1}, "int64"},
    [TOSAJIT_I64] = {"q", {DLPACK_INT, 64, 1}, "int64"},
    [TOSAJIT_F16] = {"e", {DLPACK_FLOAT, 16, 1}, "float16"},
    [TOSAJIT_BF16] = {"H", {DLPACK_BFLOAT, 16, 1}, "uint16"},
    [TOSAJIT_F32] = {"f", {DLPACK_FLOAT, 32, 1}, "float32"},
    [TOSAJIT_F8E4M3FN] = {"B", {DLPACK_FLOAT8_E4M3FN, 8, 1}, "uint8"},
    [TOSAJIT_F8E5M2] = {"B", {DLPACK_FLOAT8_E5M2, 8, 1}, "uint8"},
    [TOSAJIT_F64] = {"d", {DLPACK_FLOAT, 64, 1}, "float64"},
    [TOSAJIT_U8] = {"B", {DLPACK_UINT, 8, 1}, "uint8"},
    [TOSAJIT_U16] = {"H", {DLPACK_UINT, 16, 1}, "uint16"},
    [TOSAJIT_U32] = {"I", {DLPACK_UINT, 32, 1}, "uint32"},
    [TOSAJIT_U64] = {"Q", {DLPACK_UINT, 64, 1}, "uint64"},
};

/* A letter of module struct, as a code of DLPack. */
static bool code_of_letter(char letter, uint8_t *code) {
    static const struct {
        char letters[8];
        uint8_t code;
    } letters[] = {
        {"bhilqn", DLPACK_INT}, {"BHILQN", DLPACK_UINT}, {"efd", DLPACK_FLOAT}, {"?", DLPACK_BOOL}};
    for (size_t k = 0; letter && k < sizeof letters / sizeof *letters; k++) {
        if (!strchr(letters[k].letters, letter)) continue;
        *code = letters[k].code;
        return true;
    }
    return false;
}

tosajit_type elements_of_format(const char *format, Py_ssize_t size, tosajit_type wanted) {
    if (!format && size != 1) return TOSAJIT_TYPE_COUNT;
    if (!format) format = "B"; /* as the buffer protocol has it */
    if (*format && strchr(size == 1 ? "@=<>!^" : "@=<^", *format)) format++;
    dlpack_element element = {0, (uint8_t)(size * 8), 1};
    if (size < 1 || size > 8 || !code_of_letter(*format, &element.code) || format[1])
        return TOSAJIT_TYPE_COUNT;
    return elements_of_dlpack(element, wanted);
}

static bool is_bits(tosajit_type wanted) {
    return wanted == TOSAJIT_BF16 || wanted == TOSAJIT_F8E4M3FN || wanted == TOSAJIT_F8E5M2;
}

tosajit_type elements_of_dlpack(dlpack_element element, tosajit_type wanted) {
    if (element.lanes != 1) return TOSAJIT_TYPE_COUNT;
    if (element.code == DLPACK_UINT && is_bits(wanted) &&
        tosajit_type_size(wanted) * 8 == element.bits)
        return wanted;
    for (int t = 0; t < TOSAJIT_TYPE_COUNT; t++) {
        if (t == TOSAJIT_I48 && wanted != TOSAJIT_I48) continue;
        if (ROWS[t].dlpack.code == element.code && ROWS[t].dlpack.bits == element.bits)
            return (tosajit_type)t;
    }
    return TOSAJIT_TYPE_COUNT;
}

const char *elements_format(tosajit_type element) { return ROWS[element].format; }
dlpack_element elements_dlpack(tosajit_type element) { return ROWS[element].dlpack; }
const char *elements_numpy(tosajit_type element) { return ROWS[element].numpy; }

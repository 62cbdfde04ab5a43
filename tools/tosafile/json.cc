/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// flatbuffers' own parser does it, of the schema in json_schema.h. It names lines in front of its
// messages, and bounds its depth. Exceptions are of memory that there is not, and end here.
#include "tools/tosafile/json.h"

#include <flatbuffers/idl.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>

#include "tools/tosafile/attributes.h"
#include "tools/tosafile/json_schema.h"

namespace {

// "enum Op: uint32 {UNKNOWN,ARGMAX,...}"
std::string operators() {
    std::string text = "enum Op: uint32 {UNKNOWN";
    for (uint32_t k = 1; attribute_op_name(k); k++) {
        text += ",";
        for (const char *c = attribute_op_name(k); *c; c++) text += char(toupper(*c));
    }
    return text + "}";
}

// "table ArgMaxAttribute {axis: int32; ...} ... union Attribute {ArgMaxAttribute,...}"
std::string attributes() {
    std::string tables, kinds, all = json_attributes;
    for (size_t at = 0, open; (open = all.find('{', at)) != std::string::npos;) {
        const size_t close = all.find('}', open), name = all.find_first_not_of(" \n", at);
        const std::string kind = all.substr(name, open - name) + "Attribute";
        tables += "table " + kind + all.substr(open, close + 1 - open);
        kinds += (kinds.empty() ? "" : ",") + kind;
        at = close + 1;
    }
    return tables + "union Attribute {" + kinds + "}";
}

void refuse(file_json_problem *problem, tosajit_status status, int line, int column,
            const char *text) {
    *problem = {status, line, column, ""};
    snprintf(problem->text, sizeof problem->text, "%s", text);
}

// "12: 5: error: what is wrong"; on Windows "(12, 5): error: what is wrong"
void refuse_parsed(file_json_problem *problem, const std::string &error) {
    int line = 0, column = 0, begin = 0;
    if (sscanf(error.c_str(), "%d: %d: error: %n", &line, &column, &begin) < 2 &&
        sscanf(error.c_str(), "(%d, %d): error: %n", &line, &column, &begin) < 2)
        begin = 0;
    refuse(problem, TOSAJIT_BAD_MODULE, line, column, error.c_str() + begin);
}

uint8_t *copy_of(const flatbuffers::FlatBufferBuilder &builder, size_t *made) {
    *made = builder.GetSize();
    auto *copy = static_cast<uint8_t *>(malloc(*made));
    if (!copy) throw std::bad_alloc();
    memcpy(copy, builder.GetBufferPointer(), *made);
    return copy;
}

uint8_t *parse(const char *text, size_t size, size_t *made, file_json_problem *problem) {
    flatbuffers::IDLOptions options;
    options.allow_non_utf8 = true;
    flatbuffers::Parser parser(options);
    if (parser.Parse((json_enums + operators() + attributes() + json_tables).c_str()) &&
        parser.ParseJson(std::string(text, size).c_str()))
        return copy_of(parser.builder_, made);
    refuse_parsed(problem, parser.error_);
    return nullptr;
}

} // namespace

extern "C" bool file_json_is_begun(const char *bytes, size_t size) {
    size_t at = size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    while (at < size && memchr(" \t\r\n", bytes[at], 4)) at++;
    return at < size && bytes[at] == '{' && (at + 1 == size || bytes[at + 1] != '-');
}

extern "C" uint8_t *file_json_read(const char *text, size_t size, size_t *made,
                                   file_json_problem *problem) {
    try {
        if (size > FILE_JSON_LARGEST || std::count(text, text + size, ',') > FILE_JSON_COMMAS)
            refuse(problem, TOSAJIT_LIMIT_EXCEEDED, 0, 0,
                   "its JSON form has more than 1 GiB, or 64 Mi values; the flatbuffer may");
        else if (memchr(text, 0, size))
            refuse(problem, TOSAJIT_BAD_MODULE, 0, 0, "there is a byte 0 in its JSON form");
        else
            return parse(text, size, made, problem);
    } catch (const std::bad_alloc &) {
        refuse(problem, TOSAJIT_OUT_OF_MEMORY, 0, 0, "out of memory");
    }
    return nullptr;
}

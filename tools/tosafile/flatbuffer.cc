/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// The library of flatbuffers, behind C functions. In: bytes; out: whether they are sound, and their
// fields. No C++ exception or type leaves this file. Its classes are the tables of TOSA's schema,
// with as many fields as are read; what the schema adds behind these changes nothing.
#include "tools/tosafile/flatbuffer.h"

#include <flatbuffers/flatbuffers.h>

#include "tools/tosafile/attributes.h"

namespace {

using flatbuffers::Offset;
using flatbuffers::String;
using flatbuffers::uoffset_t;
using flatbuffers::Vector;

// Where a field's place stands in the table of places.
constexpr flatbuffers::voffset_t slot(unsigned field) {
    return static_cast<flatbuffers::voffset_t>(4 + 2 * field);
}

// Tables and lists may be shared. Blocks of a divided file share constants, so that elements are
// counted in each block, which is what is in memory at once; lists are counted in all, since time
// is spent on each entry.
struct Checker {
    flatbuffers::Verifier verifier;
    uint64_t size, lists_left, elements_left;
    long tables;
    const char *reason;

    bool refuse(const char *text) {
        if (!reason) reason = text;
        return false;
    }
    bool take(uint64_t *left, uint64_t taken) {
        if (taken > *left)
            return refuse("its lists share so much that together they are larger than the file");
        *left -= taken;
        return true;
    }
};

struct Table : flatbuffers::Table {
    const String *text(unsigned field) const { return GetPointer<const String *>(slot(field)); }
    template <typename T> const Vector<T> *list(unsigned field) const {
        return GetPointer<const Vector<T> *>(slot(field));
    }
    template <typename T> const T *table(unsigned field) const {
        return GetPointer<const T *>(slot(field));
    }
    template <typename T> T number(unsigned field, T otherwise = T(0)) const {
        return GetField<T>(slot(field), otherwise);
    }

    template <typename T> bool has_number(Checker &c, unsigned field) const {
        return VerifyField<T>(c.verifier, slot(field), sizeof(T));
    }
    bool has_text(Checker &c, unsigned field) const {
        if (!VerifyOffset(c.verifier, slot(field)) || !c.verifier.VerifyString(text(field)))
            return false;
        return !text(field) || text(field)->size() <= FLAT_LONGEST_NAME ||
               c.refuse("a name has more than 4096 bytes");
    }
    template <typename T> bool has_list(Checker &c, unsigned field) const {
        const Vector<T> *found = nullptr;
        if (!VerifyOffset(c.verifier, slot(field)) ||
            !c.verifier.VerifyVector(found = list<T>(field)))
            return false;
        return c.take(&c.lists_left, found ? uint64_t(found->size()) * sizeof(T) : 0);
    }
    bool has_texts(Checker &c, unsigned field) const {
        if (!has_list<Offset<String>>(c, field)) return false;
        const auto *found = list<Offset<String>>(field);
        for (uoffset_t k = 0; found && k < found->size(); k++)
            if (!c.verifier.VerifyString(found->Get(k)) ||
                (found->Get(k)->size() > FLAT_LONGEST_NAME &&
                 !c.refuse("a name has more than 4096 bytes")))
                return false;
        return true;
    }
    template <typename T> bool has_table(Checker &c, unsigned field) const {
        return VerifyOffset(c.verifier, slot(field)) &&
               (!table<T>(field) || table<T>(field)->check(c));
    }
    template <typename T> bool has_tables(Checker &c, unsigned field) const {
        if (!has_list<Offset<T>>(c, field)) return false;
        const auto *found = list<Offset<T>>(field);
        for (uoffset_t k = 0; found && k < found->size(); k++)
            if (!found->Get(k)->check(c)) return false;
        return true;
    }
    bool begin(Checker &c) const {
        return VerifyTableStart(c.verifier) &&
               (c.tables-- > 0 || c.refuse("it has more than a million tables"));
    }
    bool end(Checker &c) const { return c.verifier.EndTable(); }
};

struct Version : Table {
    enum { MAJOR, MINOR };
    bool check(Checker &c) const {
        return begin(c) && has_number<int32_t>(c, MAJOR) && has_number<int32_t>(c, MINOR) && end(c);
    }
};

// Of the library that wrote the file: nobody reads it, and it goes into what is written.
struct Writer : Table {
    enum { MODIFIER = 3 };
    bool check(Checker &c) const { return begin(c) && has_text(c, MODIFIER) && end(c); }
};

struct Compatibility : Table {
    enum { FEATURES = 1 };
    bool check(Checker &c) const { return begin(c) && has_number<uint64_t>(c, FEATURES) && end(c); }
};

struct Tensor : Table {
    enum { NAME, SHAPE, TYPE, DATA, VARIABLE, UNRANKED, OFFSET = 7, SIZE, SCALE_TYPE };
    bool has_elements(Checker &c) const {
        const Vector<uint8_t> *found = nullptr;
        return VerifyOffset(c.verifier, slot(DATA)) &&
               c.verifier.VerifyVector(found = list<uint8_t>(DATA)) &&
               c.take(&c.elements_left, found ? found->size() : 0) &&
               c.take(&c.elements_left, number<uint64_t>(SIZE));
    }
    bool check(Checker &c) const {
        return begin(c) && has_text(c, NAME) && has_list<int32_t>(c, SHAPE) &&
               has_number<uint32_t>(c, TYPE) && has_number<uint8_t>(c, VARIABLE) &&
               has_number<uint8_t>(c, UNRANKED) && has_number<uint64_t>(c, OFFSET) &&
               has_number<uint64_t>(c, SIZE) && has_number<uint32_t>(c, SCALE_TYPE) &&
               has_elements(c) && end(c);
    }
};

struct Shape : Table {
    enum { NAME, RANK, DATA };
    bool check(Checker &c) const {
        return begin(c) && has_text(c, NAME) && has_number<uint32_t>(c, RANK) &&
               has_list<uint8_t>(c, DATA) && end(c);
    }
};

struct Attributes : Table {
    bool has(Checker &c, const attribute_row *row) const {
        switch (row->form) {
        case ATTRIBUTE_FLAG: return has_number<uint8_t>(c, row->field);
        case ATTRIBUTE_NUMBER: return has_list<uint8_t>(c, row->field);
        case ATTRIBUTE_LIST: return has_list<int32_t>(c, row->field);
        case ATTRIBUTE_TEXT: return has_text(c, row->field);
        default: return has_number<uint32_t>(c, row->field);
        }
    }
    bool check(Checker &c, uint32_t op) const {
        const attribute_row *row;
        bool fine = begin(c);
        for (size_t k = 0; fine && (row = attribute_row_at(op, k)) != nullptr; k++)
            fine = has(c, row);
        return fine && end(c);
    }
};

struct Operator : Table {
    enum { OP, ATTRIBUTE_KIND, ATTRIBUTES, INPUTS, OUTPUTS };
    bool has_attributes(Checker &c) const {
        if (!VerifyOffset(c.verifier, slot(ATTRIBUTES))) return false;
        const Attributes *found = table<Attributes>(ATTRIBUTES);
        return !found || found->check(c, number<uint8_t>(ATTRIBUTE_KIND));
    }
    bool check(Checker &c) const {
        return begin(c) && has_number<uint32_t>(c, OP) && has_number<uint8_t>(c, ATTRIBUTE_KIND) &&
               has_attributes(c) && has_texts(c, INPUTS) && has_texts(c, OUTPUTS) && end(c);
    }
};

struct Block : Table {
    enum { NAME, OPERATORS, TENSORS, INPUTS, OUTPUTS, SHAPES };
    bool check(Checker &c) const {
        c.elements_left = c.size;
        return begin(c) && has_text(c, NAME) && has_tables<Operator>(c, OPERATORS) &&
               has_tables<Tensor>(c, TENSORS) && has_texts(c, INPUTS) && has_texts(c, OUTPUTS) &&
               has_tables<Shape>(c, SHAPES) && end(c);
    }
};

struct Region : Table {
    enum { NAME, BLOCKS };
    bool check(Checker &c) const {
        return begin(c) && has_text(c, NAME) && has_tables<Block>(c, BLOCKS) && end(c);
    }
};

struct Graph : Table {
    enum { VERSION, REGIONS, WRITER, COMPATIBILITY };
    bool check(Checker &c) const {
        return begin(c) && has_table<Version>(c, VERSION) && has_tables<Region>(c, REGIONS) &&
               has_table<Writer>(c, WRITER) && has_table<Compatibility>(c, COMPATIBILITY) && end(c);
    }
};

flat_text text_of(const String *text) {
    return text ? flat_text{text->c_str(), text->size()} : flat_text{"", 0};
}

flat_bytes bytes_of(const Vector<uint8_t> *bytes) {
    return bytes ? flat_bytes{bytes->data(), bytes->size()} : flat_bytes{nullptr, 0};
}

template <typename T> flat_list list_of(const Vector<Offset<T>> *list) {
    return flat_list{list, list ? list->size() : 0};
}

template <typename T> const T *entry(flat_list list, size_t index) {
    return static_cast<const Vector<Offset<T>> *>(list.entries)->Get(uoffset_t(index));
}

const Table *attributes_of(const flat_operator *op) {
    return static_cast<const Table *>(op->attributes);
}

} // namespace

extern "C" bool flat_is_tosa(const uint8_t *bytes, size_t size) {
    return size >= 8 && memcmp(bytes + 4, "TOSA", 4) == 0;
}

extern "C" bool flat_verify(const uint8_t *bytes, size_t size, const char **reason) {
    enum { DEEPEST = 64, MOST_TABLES = 1000000, SHARES = 32 };
    Checker c = {flatbuffers::Verifier(bytes, size, DEEPEST, MOST_TABLES + 1),
                 size,
                 uint64_t(size) * SHARES,
                 0,
                 MOST_TABLES,
                 nullptr};
    uoffset_t root = size >= 8 ? flatbuffers::ReadScalar<uoffset_t>(bytes) : 0;
    bool sound = root >= 8 && root % 4 == 0 && root <= size - 4 &&
                 reinterpret_cast<const Graph *>(bytes + root)->check(c);
    *reason = c.reason ? c.reason : "a table, text or list lies outside of it";
    return sound;
}

extern "C" flat_graph flat_graph_of(const uint8_t *bytes) {
    const auto *g = flatbuffers::GetRoot<Graph>(bytes);
    const auto *version = g->table<Version>(Graph::VERSION);
    const auto *compatibility = g->table<Compatibility>(Graph::COMPATIBILITY);
    return {version ? version->number<int32_t>(Version::MAJOR, -1) : -1,
            version ? version->number<int32_t>(Version::MINOR, -1) : -1,
            compatibility ? compatibility->number<uint64_t>(Compatibility::FEATURES) : 0,
            list_of(g->list<Offset<Region>>(Graph::REGIONS))};
}

extern "C" flat_region flat_region_at(flat_list regions, size_t index) {
    const auto *r = entry<Region>(regions, index);
    return {text_of(r->text(Region::NAME)), list_of(r->list<Offset<Block>>(Region::BLOCKS))};
}

extern "C" flat_block flat_block_at(flat_list blocks, size_t index) {
    const auto *b = entry<Block>(blocks, index);
    return {text_of(b->text(Block::NAME)),
            list_of(b->list<Offset<Operator>>(Block::OPERATORS)),
            list_of(b->list<Offset<Tensor>>(Block::TENSORS)),
            list_of(b->list<Offset<Shape>>(Block::SHAPES)),
            list_of(b->list<Offset<String>>(Block::INPUTS)),
            list_of(b->list<Offset<String>>(Block::OUTPUTS))};
}

extern "C" flat_operator flat_operator_at(flat_list operators, size_t index) {
    const auto *o = entry<Operator>(operators, index);
    const uint32_t op = o->number<uint32_t>(Operator::OP);
    // An operator that was verified has a table of the kind that it says.
    const bool own = o->number<uint8_t>(Operator::ATTRIBUTE_KIND) == op;
    return {op, own ? o->table<Attributes>(Operator::ATTRIBUTES) : nullptr,
            list_of(o->list<Offset<String>>(Operator::INPUTS)),
            list_of(o->list<Offset<String>>(Operator::OUTPUTS))};
}

extern "C" flat_tensor flat_tensor_at(flat_list tensors, size_t index) {
    const auto *t = entry<Tensor>(tensors, index);
    const auto *shape = t->list<int32_t>(Tensor::SHAPE);
    return {text_of(t->text(Tensor::NAME)),
            t->number<uint32_t>(Tensor::TYPE),
            shape ? reinterpret_cast<const int32_t *>(shape->Data()) : nullptr,
            shape ? shape->size() : 0,
            t->number<uint8_t>(Tensor::UNRANKED) != 0,
            t->number<uint8_t>(Tensor::VARIABLE) != 0,
            t->number<uint32_t>(Tensor::SCALE_TYPE),
            bytes_of(t->list<uint8_t>(Tensor::DATA)),
            t->number<uint64_t>(Tensor::OFFSET),
            t->number<uint64_t>(Tensor::SIZE)};
}

extern "C" flat_shape flat_shape_at(flat_list shapes, size_t index) {
    const auto *s = entry<Shape>(shapes, index);
    return {text_of(s->text(Shape::NAME)), s->number<uint32_t>(Shape::RANK),
            bytes_of(s->list<uint8_t>(Shape::DATA))};
}

extern "C" flat_text flat_text_at(flat_list texts, size_t index) {
    return text_of(entry<String>(texts, index));
}

extern "C" uint8_t flat_flag(const flat_operator *op, unsigned field) {
    return op->attributes ? attributes_of(op)->number<uint8_t>(field) : 0;
}

extern "C" uint32_t flat_word(const flat_operator *op, unsigned field) {
    return op->attributes ? attributes_of(op)->number<uint32_t>(field) : 0;
}

extern "C" int32_t flat_integer(const flat_operator *op, unsigned field) {
    return op->attributes ? attributes_of(op)->number<int32_t>(field) : 0;
}

extern "C" flat_bytes flat_number(const flat_operator *op, unsigned field) {
    return bytes_of(op->attributes ? attributes_of(op)->list<uint8_t>(field) : nullptr);
}

extern "C" flat_list flat_integers(const flat_operator *op, unsigned field) {
    const auto *list = op->attributes ? attributes_of(op)->list<int32_t>(field) : nullptr;
    return {list ? list->Data() : nullptr, list ? list->size() : 0};
}

extern "C" flat_text flat_string(const flat_operator *op, unsigned field) {
    return text_of(op->attributes ? attributes_of(op)->text(field) : nullptr);
}

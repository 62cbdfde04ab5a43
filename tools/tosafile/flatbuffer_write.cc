/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// The library of flatbuffers writes from the end of a file to its beginning, and tables point only
// towards the end. So the old file goes in first, as a whole, and what is new stands before it.
#include "tools/tosafile/flatbuffer_write.h"

#include <flatbuffers/flatbuffers.h>

#include <cstdlib>
#include <new>
#include <string>
#include <vector>

namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;
using flatbuffers::String;
using flatbuffers::Vector;

struct Any : flatbuffers::Table {};

using Tables = std::vector<Offset<Any>>;

enum { ALIGNMENT = 16, CUSTOM = 69 };

constexpr flatbuffers::voffset_t slot(unsigned field) {
    return static_cast<flatbuffers::voffset_t>(4 + 2 * field);
}

} // namespace

struct flat_writer {
    const uint8_t *bytes;
    FlatBufferBuilder b;
    size_t end; // of the old file, as the builder counts: from behind
    Tables regions, behind, blocks;
    std::string name; // of the region whose blocks these are

    flat_writer(const uint8_t *from, size_t size) : bytes(from), b(2 * size + 4096), end(0) {
        static const uint8_t zeros[ALIGNMENT] = {0};
        b.Align(ALIGNMENT);
        b.PushBytes(zeros, (ALIGNMENT - size % ALIGNMENT) % ALIGNMENT);
        b.PushBytes(from, size);
        end = b.GetSize();
    }

    Offset<Any> old(const void *table) const {
        const auto place = static_cast<size_t>(static_cast<const uint8_t *>(table) - bytes);
        return Offset<Any>(static_cast<flatbuffers::uoffset_t>(end - place));
    }
    Offset<Any> old_entry(flat_list list, size_t index) const {
        const auto *entries = static_cast<const Vector<Offset<Any>> *>(list.entries);
        return old(entries->Get(static_cast<flatbuffers::uoffset_t>(index)));
    }
    Offset<String> text(flat_text text) { return b.CreateString(text.bytes, text.length); }
    Offset<Vector<Offset<String>>> names(const flat_block &block, flat_numbers numbers) {
        std::vector<Offset<String>> made;
        for (size_t k = 0; k < numbers.count; k++)
            if (numbers.list[k] >= 0 && size_t(numbers.list[k]) < block.tensors.count)
                made.push_back(text(flat_tensor_at(block.tensors, size_t(numbers.list[k])).name));
        return b.CreateVector(made);
    }

    Offset<Any> call(const flat_block &block, const char *name, flat_numbers read,
                     flat_numbers given) {
        const auto inputs = names(block, read), outputs = names(block, given);
        const auto callee = b.CreateString(name), domain = b.CreateString("tosajit.region");
        const auto nothing = b.CreateVector(std::vector<uint8_t>());
        auto start = b.StartTable();
        b.AddOffset(slot(0), callee);
        b.AddOffset(slot(1), domain);
        b.AddOffset(slot(2), nothing);
        const Offset<Any> attributes(b.EndTable(start));
        start = b.StartTable();
        b.AddElement<uint32_t>(slot(0), CUSTOM, 0);
        b.AddElement<uint8_t>(slot(1), CUSTOM, 0);
        b.AddOffset(slot(2), attributes);
        b.AddOffset(slot(3), inputs);
        b.AddOffset(slot(4), outputs);
        return Offset<Any>(b.EndTable(start));
    }

    Offset<Any> region(const std::string &called, const Tables &of) {
        const auto own = b.CreateString(called);
        const auto list = b.CreateVector(of);
        const auto start = b.StartTable();
        b.AddOffset(slot(0), own);
        b.AddOffset(slot(1), list);
        return Offset<Any>(b.EndTable(start));
    }

    void end_region() {
        if (!blocks.empty()) regions.push_back(region(name, blocks));
        regions.insert(regions.end(), behind.begin(), behind.end());
        blocks.clear();
        behind.clear();
    }

    // Who wrote the old file, and what its readers must know, stays.
    void finish() {
        enum { REGIONS = 1, FIELDS = 4 };
        const auto *graph = flatbuffers::GetRoot<Any>(bytes);
        const auto list = b.CreateVector(regions);
        const auto start = b.StartTable();
        for (unsigned k = 0; k < FIELDS; k++) {
            const void *table = graph->GetPointer<const void *>(slot(k));
            if (k == REGIONS)
                b.AddOffset(slot(k), list);
            else if (table)
                b.AddOffset(slot(k), old(table));
        }
        b.Finish(Offset<Any>(b.EndTable(start)), "TOSA");
    }
};

struct flat_part {
    flat_writer *w;
    flat_block from;
    std::string name;
    Tables steps;
    std::vector<bool> has; // per value of the old block: it is named

    void mark(flat_numbers numbers) {
        for (size_t k = 0; k < numbers.count; k++)
            if (numbers.list[k] >= 0) has[size_t(numbers.list[k])] = true;
    }

    // With the tensors and shapes that are named, in the old order.
    Offset<Any> write(flat_numbers read, flat_numbers given) {
        Tables tensors, shapes;
        const size_t count = from.tensors.count;
        for (size_t k = 0; k < count; k++)
            if (has[k]) tensors.push_back(w->old_entry(from.tensors, k));
        for (size_t k = count; k < has.size(); k++)
            if (has[k]) shapes.push_back(w->old_entry(from.shapes, k - count));
        FlatBufferBuilder &b = w->b;
        const auto own = b.CreateString(name);
        const auto operators = b.CreateVector(steps);
        const auto tensor_list = b.CreateVector(tensors), shape_list = b.CreateVector(shapes);
        const auto inputs = w->names(from, read), outputs = w->names(from, given);
        const auto start = b.StartTable();
        b.AddOffset(slot(0), own);
        b.AddOffset(slot(1), operators);
        b.AddOffset(slot(2), tensor_list);
        b.AddOffset(slot(3), inputs);
        b.AddOffset(slot(4), outputs);
        b.AddOffset(slot(5), shape_list);
        return Offset<Any>(b.EndTable(start));
    }
};

namespace {

// True if there was memory for it.
template <typename Work> bool attempt(const Work &work) {
    try {
        work();
        return true;
    } catch (const std::bad_alloc &) {
        return false;
    }
}

std::string copy(flat_text text) { return std::string(text.bytes, text.length); }

} // namespace

flat_writer *flat_writer_open(const uint8_t *bytes, size_t size) {
    flat_writer *w = nullptr;
    attempt([&] { w = new flat_writer(bytes, size); });
    return w;
}

bool flat_writer_region(flat_writer *w, flat_text name) {
    return attempt([&] {
        w->end_region();
        w->name = copy(name);
    });
}

uint8_t *flat_writer_close(flat_writer *w, size_t *size) {
    uint8_t *made = nullptr;
    const bool fine = w && size && attempt([&] {
                          w->end_region();
                          w->finish();
                      });
    if (fine) made = static_cast<uint8_t *>(malloc(*size = w->b.GetSize()));
    if (made) memcpy(made, w->b.GetBufferPointer(), *size);
    delete w;
    return made;
}

flat_part *flat_part_open(flat_writer *w, const flat_block *from, flat_text name) {
    flat_part *p = nullptr;
    attempt([&] {
        const size_t values = from->tensors.count + from->shapes.count;
        p = new flat_part{w, *from, copy(name), {}, std::vector<bool>(values)};
    });
    return p;
}

bool flat_part_add(flat_part *p, int32_t op, flat_numbers inputs, flat_numbers outputs) {
    return attempt([&] {
        p->steps.push_back(p->w->old_entry(p->from.operators, size_t(op)));
        p->mark(inputs);
        p->mark(outputs);
    });
}

bool flat_part_call(flat_part *p, const char *callee, flat_numbers inputs, flat_numbers outputs) {
    return attempt([&] {
        p->steps.push_back(p->w->call(p->from, callee, inputs, outputs));
        p->mark(inputs);
        p->mark(outputs);
    });
}

bool flat_part_close(flat_part *p, bool alone, flat_numbers inputs, flat_numbers outputs) {
    const bool fine = p && attempt([&] {
                          flat_writer *w = p->w;
                          p->mark(inputs);
                          p->mark(outputs);
                          const auto block = p->write(inputs, outputs);
                          if (alone)
                              w->behind.push_back(w->region(p->name, {block}));
                          else
                              w->blocks.push_back(block);
                      });
    delete p;
    return fine;
}

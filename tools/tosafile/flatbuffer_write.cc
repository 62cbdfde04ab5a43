/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// The library of flatbuffers writes from the end of a file to its beginning, and tables point only
// towards the end. So the old file goes in first, as a whole, and what is new stands before it.
#include "tools/tosafile/flatbuffer_write.h"

#include <flatbuffers/flatbuffers.h>

#include <cstdlib>
#include <vector>

namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;
using flatbuffers::String;
using flatbuffers::Vector;

struct Any : flatbuffers::Table {};

enum { ALIGNMENT = 16, CUSTOM = 69 };

constexpr flatbuffers::voffset_t slot(unsigned field) {
    return static_cast<flatbuffers::voffset_t>(4 + 2 * field);
}

struct Writer {
    const uint8_t *bytes;
    FlatBufferBuilder b;
    size_t end; // of the old file, as the builder counts: from behind

    Writer(const uint8_t *from, size_t size) : bytes(from), b(2 * size + 4096), end(0) {
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
            made.push_back(text(flat_tensor_at(block.tensors, size_t(numbers.list[k])).name));
        return b.CreateVector(made);
    }

    Offset<Any> call(const flat_block &block, const flat_step &step) {
        const auto inputs = names(block, step.inputs), outputs = names(block, step.outputs);
        const auto callee = b.CreateString(step.callee), domain = b.CreateString("tosajit.region");
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

    Offset<Vector<Offset<Any>>> steps(const flat_part &part) {
        std::vector<Offset<Any>> made;
        for (size_t k = 0; k < part.step_count; k++) {
            const flat_step &step = part.steps[k];
            made.push_back(step.op < 0 ? call(part.from, step)
                                       : old_entry(part.from.operators, size_t(step.op)));
        }
        return b.CreateVector(made);
    }

    Offset<Any> block(const flat_part &part) {
        std::vector<Offset<Any>> tensors, shapes;
        for (size_t k = 0; k < part.tensors.count; k++)
            tensors.push_back(old_entry(part.from.tensors, size_t(part.tensors.list[k])));
        for (size_t k = 0; k < part.shapes.count; k++)
            shapes.push_back(
                old_entry(part.from.shapes, size_t(part.shapes.list[k]) - part.from.tensors.count));
        const auto name = text(part.name);
        const auto operators = steps(part);
        const auto tensor_list = b.CreateVector(tensors), shape_list = b.CreateVector(shapes);
        const auto inputs = names(part.from, part.inputs), outputs = names(part.from, part.outputs);
        const auto start = b.StartTable();
        b.AddOffset(slot(0), name);
        b.AddOffset(slot(1), operators);
        b.AddOffset(slot(2), tensor_list);
        b.AddOffset(slot(3), inputs);
        b.AddOffset(slot(4), outputs);
        b.AddOffset(slot(5), shape_list);
        return Offset<Any>(b.EndTable(start));
    }

    Offset<Any> region(flat_text name, const std::vector<Offset<Any>> &blocks) {
        const auto own = text(name);
        const auto list = b.CreateVector(blocks);
        const auto start = b.StartTable();
        b.AddOffset(slot(0), own);
        b.AddOffset(slot(1), list);
        return Offset<Any>(b.EndTable(start));
    }

    // Who wrote the old file, and what its readers must know, stays.
    void finish(const std::vector<Offset<Any>> &regions) {
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

} // namespace

extern "C" uint8_t *flat_write(const uint8_t *bytes, size_t size, const flat_part *parts,
                               size_t count, size_t *made) {
    Writer w(bytes, size);
    std::vector<Offset<Any>> regions, blocks;
    for (size_t k = 0; k < count; k++) {
        blocks.push_back(w.block(parts[k]));
        if (k + 1 < count && !parts[k + 1].region.bytes) continue;
        size_t first = k;
        while (!parts[first].region.bytes) first--;
        regions.push_back(w.region(parts[first].region, blocks));
        blocks.clear();
    }
    w.finish(regions);
    uint8_t *copy = static_cast<uint8_t *>(malloc(w.b.GetSize()));
    if (copy) memcpy(copy, w.b.GetBufferPointer(), w.b.GetSize());
    *made = w.b.GetSize();
    return copy;
}

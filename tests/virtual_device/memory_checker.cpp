#include "tests/virtual_device/memory_checker.h"

#include <algorithm>
#include <iterator>

#include "tests/virtual_device/findings.h"

namespace overlap::virtual_device {

namespace {

bool has_ended(const Access& access, const VectorClock& ended) {
    return ended.of(access.lane) >= access.number;
}

/// In the order of issue, whichever of both was noticed last.
void report_pair(const Access& one, bool one_writes, const Access& other, bool other_writes) {
    const bool in_order = one.operation < other.operation;
    const Access& first = in_order ? one : other;
    const Access& second = in_order ? other : one;
    const bool first_writes = in_order ? one_writes : other_writes;
    const bool second_writes = in_order ? other_writes : one_writes;
    const std::string pair = name_of(second.operation) + " and " + name_of(first.operation);
    if (first_writes && second_writes) {
        report("unordered_write", pair + " write the same memory, and nothing orders them");
    } else if (first_writes) {
        report("unordered_read", name_of(second.operation) + " reads what " + name_of(first.operation) +
                                     " writes, and nothing orders it behind that");
    } else {
        report("early_reuse", name_of(second.operation) + " writes memory that " + name_of(first.operation) +
                                  " reads, and nothing orders it behind that");
    }
}

}  // namespace

void MemoryChecker::add(std::uintptr_t address, std::int64_t bytes) {
    allocations_[address] = {bytes, allocated_++};
    Cell cell;
    cell.end = address + static_cast<std::uintptr_t>(bytes);
    cells_[address] = std::move(cell);
}

void MemoryChecker::remove(std::uintptr_t address, const VectorClock& ended) {
    const auto allocation = allocations_.find(address);
    const Span span{address, allocation->second.bytes};
    const auto first = cut(span);
    auto cell = first;
    for (; cell != cells_.end() && cell->first < address + static_cast<std::uintptr_t>(span.bytes); ++cell) {
        const auto check = [&](const Access& access) {
            if (access.operation != 0 && !has_ended(access, ended)) {
                report("freed_in_use", "memory is given back that " + name_of(access.operation) + " may still use");
            }
        };
        check(cell->second.writer);
        for (const Access& reader : cell->second.readers) check(reader);
    }
    cells_.erase(first, cell);
    allocations_.erase(allocation);
}

std::int64_t MemoryChecker::allocation_of(std::uintptr_t address) const {
    auto found = allocations_.upper_bound(address);
    if (found == allocations_.begin()) return -1;
    --found;
    const bool inside = address - found->first < static_cast<std::uintptr_t>(found->second.bytes);
    return inside ? found->second.index : -1;
}

std::int64_t MemoryChecker::offset_of(std::uintptr_t address) const {
    const auto found = allocations_.upper_bound(address);
    return found == allocations_.begin() ? 0 : static_cast<std::int64_t>(address - std::prev(found)->first);
}

bool MemoryChecker::inside(const Span& span, const Access& by) const {
    const std::int64_t first = allocation_of(span.address);
    const std::int64_t last = allocation_of(span.address + static_cast<std::uintptr_t>(span.bytes) - 1);
    if (first >= 0 && first == last) return true;
    report("out_of_bounds", name_of(by.operation) + " touches " + std::to_string(span.bytes) +
                                " bytes of which not all are in one allocation");
    return false;
}

void MemoryChecker::cut_at(std::uintptr_t address) {
    auto cell = cells_.upper_bound(address);
    if (cell == cells_.begin()) return;
    --cell;
    if (cell->first == address || cell->second.end <= address) return;
    Cell behind = cell->second;
    cell->second.end = address;
    cells_.emplace_hint(std::next(cell), address, std::move(behind));
}

MemoryChecker::Cells::iterator MemoryChecker::cut(const Span& span) {
    cut_at(span.address + static_cast<std::uintptr_t>(span.bytes));
    cut_at(span.address);
    return cells_.find(span.address);
}

std::vector<std::uint32_t> MemoryChecker::read(const Span& span, const Access& by, const VectorClock& ended) {
    std::vector<std::uint32_t> writers;
    if (span.bytes <= 0 || !inside(span, by)) return writers;
    const std::uintptr_t end = span.address + static_cast<std::uintptr_t>(span.bytes);
    for (auto cell = cut(span); cell != cells_.end() && cell->first < end; ++cell) {
        const Access& writer = cell->second.writer;
        if (writer.operation == 0) {
            report("unwritten_read", name_of(by.operation) + " reads memory that nothing has written");
        } else if (!has_ended(writer, ended)) {
            report_pair(writer, true, by, false);
        }
        if (std::find(writers.begin(), writers.end(), writer.operation) == writers.end()) {
            writers.push_back(writer.operation);
        }
        // An earlier reader of the same lane has ended wherever this one has.
        auto& readers = cell->second.readers;
        const auto same =
            std::find_if(readers.begin(), readers.end(), [&](const Access& reader) { return reader.lane == by.lane; });
        if (same == readers.end()) {
            readers.push_back(by);
        } else {
            *same = by;
        }
    }
    return writers;
}

void MemoryChecker::write(const Span& span, const Access& by, const VectorClock& ended) {
    if (span.bytes <= 0 || !inside(span, by)) return;
    const std::uintptr_t end = span.address + static_cast<std::uintptr_t>(span.bytes);
    const auto first = cut(span);
    auto cell = first;
    for (; cell != cells_.end() && cell->first < end; ++cell) {
        const Access& writer = cell->second.writer;
        // An operation may write the same bytes several times over.
        if (writer.operation != 0 && writer.operation != by.operation && !has_ended(writer, ended)) {
            report_pair(writer, true, by, true);
        }
        for (const Access& reader : cell->second.readers) {
            if (reader.operation != by.operation && !has_ended(reader, ended)) report_pair(reader, false, by, true);
        }
    }
    cells_.erase(first, cell);
    Cell written;
    written.end = end;
    written.writer = by;
    cells_[span.address] = std::move(written);
}

}  // namespace overlap::virtual_device

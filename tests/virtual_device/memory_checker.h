#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/virtual_device/vector_clock.h"

namespace overlap::virtual_device {

/// A stretch of device memory that an operation reads or writes.
struct Span {
    std::uintptr_t address = 0;
    std::int64_t bytes = 0;
};

/// An operation as the checker knows it: which one, on which lane, and its number there.
struct Access {
    std::uint32_t operation = 0;  ///< in the order of issue; 0 for none
    std::uint32_t lane = 0, number = 0;
};

/// Which operations have read and written each byte of the device's memory, and whether those that must not be
/// exchanged are ordered by streams, events and what the host waited for: a happens-before checker. A device that has
/// carried them out in a good order by chance says nothing about another day.
class MemoryChecker {
  public:
    /// New memory, which nothing has written yet.
    void add(std::uintptr_t address, std::int64_t bytes);
    /// @param ended what the host knows to have ended: all that used the memory must have.
    void remove(std::uintptr_t address, const VectorClock& ended);

    /// @param ended what has ended when the operation starts.
    /// @returns operations that wrote what is read, each once, in the order of memory; 0 for what nothing has written.
    std::vector<std::uint32_t> read(const Span& span, const Access& by, const VectorClock& ended);
    void write(const Span& span, const Access& by, const VectorClock& ended);

    /// Index of the allocation that holds the address, in the order of allocation; -1 where none does.
    std::int64_t allocation_of(std::uintptr_t address) const;
    /// Bytes from the beginning of that allocation.
    std::int64_t offset_of(std::uintptr_t address) const;

  private:
    struct Cell {
        std::uintptr_t end = 0;
        Access writer;
        std::vector<Access> readers;  ///< since then, the last of each lane
    };
    using Cells = std::map<std::uintptr_t, Cell>;
    struct Allocation {
        std::int64_t bytes = 0, index = 0;
    };

    bool inside(const Span& span, const Access& by) const;
    /// The first cell of the span; cells are cut at both of its ends.
    Cells::iterator cut(const Span& span);
    void cut_at(std::uintptr_t address);

    Cells cells_;
    std::map<std::uintptr_t, Allocation> allocations_;
    std::int64_t allocated_ = 0;
};

/// What an operation is called in findings: its kernel, its place in the order of issue, its stream and node.
std::string name_of(std::uint32_t operation);

}  // namespace overlap::virtual_device

#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

#include "core/memory/storage_table.h"

namespace overlap {

/// Points of MemoryProfile::points at which a storage is held: `from`, and all up to `until` without it.
struct StorageLife {
    std::size_t from = 0;
    std::size_t until = std::numeric_limits<std::size_t>::max();  ///< the largest number: never released
};

/// When the storages of a graph are held, in points of its memory profile.
class StorageLives {
  public:
    explicit StorageLives(const Graph& graph);

    /// Nothing for storages that the profile does not count.
    std::optional<StorageLife> of(const Storage& storage) const;
    std::size_t point_count() const { return point_count_; }

  private:
    const Graph& graph_;
    /// For each node the point after its allocation; the next one is that after its release. 0 for nodes without.
    std::vector<std::size_t> points_;
    std::size_t point_count_ = 1;
};

}  // namespace overlap

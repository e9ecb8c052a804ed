#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>

#include "core/layout/level_layout.h"

namespace overlap {

/// Layouts of levels by level_key(): identical layers are laid out once, and levels that were seen before are there at
/// once. For one thread at a time.
class LayoutCache {
  public:
    std::shared_ptr<const LevelLayout> find(std::uint64_t key) const {
        const auto found = layouts_.find(key);
        return found == layouts_.end() ? nullptr : found->second;
    }
    /// Replaces what is there under `key`.
    void put(std::uint64_t key, std::shared_ptr<const LevelLayout> layout) { layouts_[key] = std::move(layout); }
    void clear() { layouts_.clear(); }
    std::size_t size() const { return layouts_.size(); }

  private:
    std::unordered_map<std::uint64_t, std::shared_ptr<const LevelLayout>> layouts_;
};

}  // namespace overlap

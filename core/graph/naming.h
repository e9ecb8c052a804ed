#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/graph/string_pool.h"

namespace overlap {

/// A node name split as torch.fx splits it: `view_12` is base `view` and number 12.
struct NameParts {
    std::string_view base;
    std::int64_t number = -1;  ///< -1: the name has none
};
NameParts split_name(std::string_view name);

/// The number that was given last, by base of a name. A hash table that is copied at the speed of memory, since every
/// pass that makes nodes copies it.
class LastNumbers {
  public:
    struct Entry {
        StringId base;
        std::int64_t number;
    };

    /// The number of a base, 0 at first.
    std::int64_t& operator[](StringId base);
    /// In the order in which they were first asked for.
    std::vector<Entry>::const_iterator begin() const { return entries_.begin(); }
    std::vector<Entry>::const_iterator end() const { return entries_.end(); }

  private:
    static constexpr std::uint32_t free_place = 0xffffffffu;

    /// The place of a base, or the free one where it belongs.
    std::size_t place_of(StringId base) const;
    void grow();

    std::vector<Entry> entries_;
    std::vector<std::uint32_t> places_;  ///< of entries; a power of two of places or none, at most half of them taken
};

/// What torch.fx remembers of the names that a graph has given (torch/fx/graph.py, _Namespace).
struct NamingState {
    LastNumbers last_number;
    /// Names of nodes that earlier passes erased: torch.fx never gives them again.
    std::vector<StringId> retired;

    /// Remembers that `name` was given.
    void remember(StringPool& strings, StringId name);
};

}  // namespace overlap

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/passes/scheduling/collectives.h"

namespace overlap::scheduling {

/// Why the search did not merge two collectives of one key.
enum class Apart : std::uint8_t {
    not_tried,       ///< no obstacle known: they were not compared
    hides_another,   ///< one of them is itself what hides a collective of another group
    depends,         ///< one needs the other's result
    exposes_hidden,  ///< wherever the merged one starts and ends, something hidden would become exposed
    cycle,           ///< the order of starts, compute and waits would be contradictory
    too_large,       ///< the bucket would exceed its limit of bytes
    too_far,         ///< least hidden collectives are merged first, but not over so many nodes
};

/// The first other collective that one was not merged with, and why.
struct LeftApart {
    Apart reason = Apart::not_tried;
    Index other = no_index;
};

/// A clause that continues "it is not merged": `with X, because ...`. Empty where the search has no reason.
/// @param other name of the other collective's start; not called where there is none.
std::string describe(const LeftApart& left_apart, std::string_view other);

}  // namespace overlap::scheduling

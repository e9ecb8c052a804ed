#pragma once

#include <string>

#include "core/graph/operator_traits.h"

namespace overlap {

/// `all-gather`: a kind as it is usually written.
std::string collective_words(CollectiveKind kind);

}  // namespace overlap

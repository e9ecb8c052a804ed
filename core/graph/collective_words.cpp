#include "core/graph/collective_words.h"

#include <algorithm>

namespace overlap {

std::string collective_words(CollectiveKind kind) {
    std::string text(collective_kind_name(kind));
    std::ranges::replace(text, '_', '-');
    return text;
}

}  // namespace overlap

#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/graph/shared_array.h"
#include "core/graph/string_pool.h"

namespace overlap {

/// Which words the texts of some nodes mention: most passes that look into fields find that no node has such ones, and
/// need not look at each node for that. Found when it is first asked for; any thread may ask.
class TextMentions {
  public:
    /// @param texts of the nodes, of that pool.
    TextMentions(SharedArray<StringId> texts, std::shared_ptr<const StringPool> strings)
        : texts_(std::move(texts)), strings_(std::move(strings)) {}

    /// Whether a text has that word in it. Of composed texts each piece is looked at by itself.
    bool has(std::string_view word) const;

  private:
    bool find(std::string_view word) const;

    const SharedArray<StringId> texts_;
    const std::shared_ptr<const StringPool> strings_;
    mutable std::mutex mutex_;
    mutable std::vector<StringId> different_;  ///< texts and pieces, each once; empty before the first question
    mutable std::vector<std::pair<std::string, bool>> known_;
};

}  // namespace overlap

#include "core/graph/string_pool.h"

#include <cstring>

namespace overlap {

namespace {
constexpr std::size_t block_bytes = 64 * 1024;
}

StringPool::StringPool() {
    intern("");
}

StringPool::StringPool(std::shared_ptr<const StringPool> below)
    : below_(std::move(below)), first_(static_cast<StringId>(below_->size())) {}

StringId StringPool::intern(std::string_view text) {
    if (const StringId known = find(text); known != no_string) return known;
    const auto id = static_cast<StringId>(size());
    const std::string_view stored = store(text);
    texts_.push_back(stored);
    ids_.emplace(stored, id);
    return id;
}

StringId StringPool::find(std::string_view text) const {
    if (const auto own = ids_.find(text); own != ids_.end()) return own->second;
    return below_ ? below_->find(text) : no_string;
}

std::string_view StringPool::store(std::string_view text) {
    if (text.size() > block_left_) {
        const std::size_t bytes = std::max(block_bytes, text.size());
        blocks_.push_back(std::make_unique<char[]>(bytes));
        block_next_ = blocks_.back().get();
        block_left_ = bytes;
    }
    if (!text.empty()) std::memcpy(block_next_, text.data(), text.size());
    const std::string_view stored(block_next_, text.size());
    block_next_ += text.size();
    block_left_ -= text.size();
    return stored;
}

}  // namespace overlap

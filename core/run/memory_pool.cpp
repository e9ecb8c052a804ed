#include "core/run/memory_pool.h"

#include <iterator>

namespace overlap {

std::int64_t MemoryPool::take(std::int64_t bytes) {
    const auto fitting = by_size_.lower_bound({bytes, 0});
    if (fitting == by_size_.end()) return grow(bytes);
    const auto [size, offset] = *fitting;
    remove(offset, size);
    if (size > bytes) insert(offset + bytes, size - bytes);
    return offset;
}

void MemoryPool::give_back(std::int64_t offset, std::int64_t bytes) {
    const auto after = by_offset_.find(offset + bytes);
    if (after != by_offset_.end()) {
        bytes += after->second;
        remove(after->first, after->second);
    }
    const auto behind = by_offset_.lower_bound(offset);
    if (behind != by_offset_.begin()) {
        const auto before = std::prev(behind);
        if (before->first + before->second == offset) {
            const auto [start, size] = *before;
            remove(start, size);
            offset = start;
            bytes += size;
        }
    }
    insert(offset, bytes);
}

/// At the end; a gap that ends there is used for a part of it.
std::int64_t MemoryPool::grow(std::int64_t bytes) {
    std::int64_t offset = end_;
    if (!by_offset_.empty()) {
        const auto last = std::prev(by_offset_.end());
        if (last->first + last->second == end_) {
            offset = last->first;
            remove(last->first, last->second);
        }
    }
    end_ = offset + bytes;
    return offset;
}

void MemoryPool::insert(std::int64_t offset, std::int64_t bytes) {
    by_offset_.emplace(offset, bytes);
    by_size_.emplace(bytes, offset);
}

void MemoryPool::remove(std::int64_t offset, std::int64_t bytes) {
    by_offset_.erase(offset);
    by_size_.erase({bytes, offset});
}

}  // namespace overlap

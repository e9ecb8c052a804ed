#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace overlap {

/// An array that never changes. Copies share it, so a graph has those arrays of another one that a pass left alone.
template <typename T>
class SharedArray {
  public:
    SharedArray() = default;
    explicit SharedArray(std::vector<T> items)
        : items_(std::make_shared<const std::vector<T>>(std::move(items))),
          data_(items_->data()),
          size_(items_->size()) {}

    const T& operator[](std::size_t index) const { return data_[index]; }
    const T* data() const { return data_; }
    const T* begin() const { return data_; }
    const T* end() const { return data_ + size_; }
    std::size_t size() const { return size_; }

  private:
    std::shared_ptr<const std::vector<T>> items_;
    const T* data_ = nullptr;
    std::size_t size_ = 0;
};

/// Items that others refer to by number, in two shared arrays: what a graph began with, and the little that passes have
/// added since. What was added at once lies in one of them.
template <typename T>
class SharedArena {
  public:
    SharedArena() = default;
    explicit SharedArena(std::vector<T> items) : base_(std::move(items)) {}
    SharedArena(SharedArray<T> base, SharedArray<T> added) : base_(std::move(base)), added_(std::move(added)) {}

    const T& operator[](std::size_t index) const {
        return index < base_.size() ? base_[index] : added_[index - base_.size()];
    }
    /// @pre all were added at once.
    std::span<const T> slice(std::size_t first, std::size_t count) const {
        if (count == 0) return {};
        return {&(*this)[first], count};
    }
    std::size_t size() const { return base_.size() + added_.size(); }
    const SharedArray<T>& base() const { return base_; }
    const SharedArray<T>& added() const { return added_; }

  private:
    SharedArray<T> base_, added_;
};

}  // namespace overlap

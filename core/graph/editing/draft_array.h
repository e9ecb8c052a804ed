#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/graph/shared_array.h"

namespace overlap {

/// A SharedArray under change: it is copied in pages, when they are first written. Items may be added at the end.
template <typename T, unsigned page_bits>
class DraftArray {
  public:
    explicit DraftArray(const SharedArray<T>& source) : source_(source), size_(source.size()) {
        pages_.reserve(size_ / page_size + 2);
        own_.reserve(size_ / page_size + 2);
        for (std::size_t first = 0; first < size_; first += page_size) pages_.push_back(source.data() + first);
        own_.resize(pages_.size());
    }

    const T& operator[](std::size_t index) const { return pages_[index >> page_bits][index & (page_size - 1)]; }
    T& write(std::size_t index) {
        const std::size_t page = index >> page_bits;
        if (!own_[page]) copy(page);
        return own_[page][index & (page_size - 1)];
    }
    void push_back(const T& item) {
        const T added = item;
        if ((size_ & (page_size - 1)) == 0) {
            own_.push_back(std::make_unique_for_overwrite<T[]>(page_size));
            pages_.push_back(own_.back().get());
            changed_ = true;
        }
        write(size_) = added;  // before it counts: the page may be copied now, and the source has no such item
        ++size_;
    }
    std::size_t size() const { return size_; }
    /// Whether it differs from the source, or was at least written to.
    bool changed() const { return changed_; }

    /// The items; the source where nothing was written.
    SharedArray<T> finish() const {
        if (!changed_) return source_;
        std::vector<T> items;
        items.reserve(size_);
        for (std::size_t page = 0; page < pages_.size(); ++page) {
            const std::size_t first = page * page_size;
            items.insert(items.end(), pages_[page], pages_[page] + std::min(page_size, size_ - first));
        }
        return SharedArray<T>(std::move(items));
    }
    /// The items of these numbers, in this order. @param all whether that is every number from 0 on.
    SharedArray<T> finish(std::span<const std::uint32_t> numbers, bool all) const {
        if (all) return finish();
        std::vector<T> items;
        if constexpr (sizeof(T) <= sizeof(std::uint64_t)) {
            items.resize(numbers.size());
            for (std::size_t place = 0; place < numbers.size(); ++place) items[place] = (*this)[numbers[place]];
        } else {
            add_runs(numbers, items);
        }
        return SharedArray<T>(std::move(items));
    }

  private:
    static constexpr std::size_t page_size = std::size_t{1} << page_bits;

    /// Adds the items of these numbers to others. Most follow the one before them, and larger ones are copied together.
    void add_runs(std::span<const std::uint32_t> numbers, std::vector<T>& items) const {
        items.reserve(items.size() + numbers.size());
        for (std::size_t begin = 0; begin < numbers.size();) {
            const std::uint32_t first = numbers[begin];
            const std::size_t left = std::min(page_size - (first & (page_size - 1)), numbers.size() - begin);
            std::size_t count = 1;
            while (count < left && numbers[begin + count] == first + count) ++count;
            const T* const item = &(*this)[first];
            items.insert(items.end(), item, item + count);
            begin += count;
        }
    }

    void copy(std::size_t page) {
        own_[page] = std::make_unique_for_overwrite<T[]>(page_size);
        std::copy_n(pages_[page], std::min(page_size, size_ - page * page_size), own_[page].get());
        pages_[page] = own_[page].get();
        changed_ = true;
    }

    SharedArray<T> source_;
    std::vector<const T*> pages_;
    std::vector<std::unique_ptr<T[]>> own_;  ///< of the pages that were written; null for others
    std::size_t size_;
    bool changed_ = false;
};

/// A SharedArena under change: what is added lies behind the source's items, which stay as they are. Items that were
/// read stay where they are while others are added, so that what is added may be made of them.
template <typename T>
class DraftArena {
  public:
    explicit DraftArena(const SharedArena<T>& source)
        : source_(source),
          base_(source.base().data()),
          base_size_(source.base().size()),
          added_(source.added().data()),
          size_(source.size()) {}

    const T& operator[](std::size_t index) const {
        return index < base_size_ ? base_[index] : added_[index - base_size_];
    }
    /// @pre all were added at once.
    std::span<const T> slice(std::size_t first, std::size_t count) const {
        if (count == 0) return {};
        return {&(*this)[first], count};
    }
    std::size_t size() const { return size_; }
    bool changed() const { return size_ != source_.size(); }
    /// Whether an item is not the source's, so that it may be written.
    bool is_new(std::size_t index) const { return index >= source_.size(); }
    std::span<T> write(std::size_t first, std::size_t count) {
        return std::span(own_).subspan(first - base_size_, count);
    }
    /// @returns the number of the first.
    std::size_t add(std::span<const T> items) {
        const std::size_t first = size_;
        if (items.empty()) return first;
        if (!changed()) take_over(items.size());
        make_room(items.size());
        for (const T& item : items) own_.push_back(item);
        added_ = own_.data();
        size_ += items.size();
        return first;
    }

    /// The source where nothing was added.
    SharedArena<T> finish() && {
        if (!changed()) return source_;
        // What was added is copied by every further pass that adds to it.
        if (own_.size() <= base_size_ / 2) return {source_.base(), SharedArray<T>(std::move(own_))};
        std::vector<T> all;
        all.reserve(size_);
        all.insert(all.end(), base_, base_ + base_size_);
        all.insert(all.end(), own_.begin(), own_.end());
        return SharedArena<T>(std::move(all));
    }

  private:
    void take_over(std::size_t more) {
        own_.reserve(source_.added().size() + std::max<std::size_t>(more, 64));
        own_.assign(source_.added().begin(), source_.added().end());
    }

    void make_room(std::size_t more) {
        if (own_.size() + more <= own_.capacity()) return;
        std::vector<T> larger;
        larger.reserve(std::max(2 * own_.capacity(), own_.size() + more));
        larger.assign(own_.begin(), own_.end());
        outgrown_.push_back(std::exchange(own_, std::move(larger)));
    }

    SharedArena<T> source_;
    const T* base_;
    std::size_t base_size_;
    const T* added_;
    std::size_t size_;
    std::vector<T> own_;                    ///< what the source has added, and what is new; empty until something is
    std::vector<std::vector<T>> outgrown_;  ///< where it lay before: may still be read
};

}  // namespace overlap

#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace overlap::scheduling {

/// A binary min-heap whose array has the layout of CPython's `heapq`: the scheduler reads the array from front to back
/// when it batches collectives, so the layout decides the content of a batch. std::push_heap uses another layout.
template <typename Item>
class BinaryHeap {
  public:
    bool empty() const { return items_.empty(); }
    const Item& front() const { return items_.front(); }
    /// All items in array order.
    const std::vector<Item>& items() const { return items_; }

    void push(Item item) {
        items_.push_back(item);
        rise(0, items_.size() - 1);
    }

    Item pop() {
        Item last = items_.back();
        items_.pop_back();
        if (items_.empty()) return last;
        Item top = std::exchange(items_.front(), last);
        sink(0);
        return top;
    }

    /// Takes out the items at these positions of the array and restores the heap as `heapq.heapify` does.
    /// @param positions ascending.
    void remove(const std::vector<std::size_t>& positions) {
        if (positions.empty()) return;
        std::size_t kept = positions.front();
        std::size_t next = 0;
        for (std::size_t index = kept; index < items_.size(); ++index) {
            if (next < positions.size() && positions[next] == index) {
                ++next;
            } else {
                items_[kept++] = items_[index];
            }
        }
        items_.resize(kept);
        for (std::size_t index = items_.size() / 2; index-- > 0;) sink(index);
    }

  private:
    /// Moves the item at `position` to a leaf along the smaller children, then up to its place.
    void sink(std::size_t position) {
        const std::size_t start = position;
        const Item item = items_[position];
        for (std::size_t child = 2 * position + 1; child < items_.size(); child = 2 * position + 1) {
            const std::size_t right = child + 1;
            if (right < items_.size() && !(items_[child] < items_[right])) child = right;
            items_[position] = items_[child];
            position = child;
        }
        items_[position] = item;
        rise(start, position);
    }

    void rise(std::size_t start, std::size_t position) {
        const Item item = items_[position];
        while (position > start) {
            const std::size_t parent = (position - 1) / 2;
            if (!(item < items_[parent])) break;
            items_[position] = items_[parent];
            position = parent;
        }
        items_[position] = item;
    }

    std::vector<Item> items_;
};

}  // namespace overlap::scheduling

#include "core/passes/scheduling/binary_heap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace overlap::scheduling {
namespace {

using Items = std::vector<int>;

Items pop(BinaryHeap<int>& heap, int count) {
    Items popped;
    for (int taken = 0; taken < count; ++taken) popped.push_back(heap.pop());
    return popped;
}

/// Arrays recorded with Python 3.11's heapq.heappush, heappop, and heapify after the items at these places were left
/// out.
TEST(BinaryHeap, HasTheLayoutOfHeapq) {
    BinaryHeap<int> heap;
    for (const int item : {18, 13, 16, 15, 25, 26, 12, 22, 10, 11, 23, 20, 29, 19, 24, 21, 14, 27, 28, 17}) {
        heap.push(item);
    }
    EXPECT_EQ(heap.items(), (Items{10, 11, 13, 14, 12, 20, 16, 15, 18, 17, 23, 26, 29, 19, 24, 22, 21, 27, 28, 25}));
    EXPECT_EQ(pop(heap, 3), (Items{10, 11, 12}));
    EXPECT_EQ(heap.items(), (Items{13, 14, 16, 15, 17, 20, 19, 21, 18, 25, 23, 26, 29, 27, 24, 22, 28}));
    heap.remove({1, 2, 6, 9});
    EXPECT_EQ(heap.items(), (Items{13, 15, 17, 20, 21, 18, 23, 26, 29, 27, 24, 22, 28}));
    for (const int item : {5, 40, 11}) heap.push(item);
    EXPECT_EQ(heap.items(), (Items{5, 11, 13, 15, 21, 18, 17, 20, 29, 27, 24, 22, 28, 23, 40, 26}));
    EXPECT_EQ(pop(heap, 2), (Items{5, 11}));
    heap.remove({0, 3, 4});
    EXPECT_EQ(heap.items(), (Items{15, 17, 18, 22, 26, 29, 27, 24, 23, 28, 40}));
}

/// Pushing what is left one by one would lay it out as 20, 21, 24, 29, 34, 36, 27.
TEST(BinaryHeap, RemovingRestoresTheHeapAsHeapifyDoes) {
    BinaryHeap<int> heap;
    for (const int item : {23, 21, 10, 27, 36, 29, 34, 20, 24}) heap.push(item);
    EXPECT_EQ(heap.items(), (Items{10, 20, 21, 23, 36, 29, 34, 27, 24}));
    heap.remove({0, 3});
    EXPECT_EQ(heap.items(), (Items{20, 21, 24, 29, 34, 27, 36}));
}

TEST(BinaryHeap, RemovingNothingOrEverything) {
    BinaryHeap<int> heap;
    for (const int item : {3, 1, 2}) heap.push(item);
    heap.remove({});
    EXPECT_EQ(heap.items(), (Items{1, 3, 2}));
    heap.remove({0, 1, 2});
    EXPECT_TRUE(heap.empty());
    heap.push(7);
    EXPECT_EQ(heap.pop(), 7);
    EXPECT_TRUE(heap.empty());
}

TEST(BinaryHeap, GivesItemsInOrder) {
    std::mt19937 random(1);
    for (int round = 0; round < 200; ++round) {
        Items items(random() % 40);
        for (int& item : items) item = static_cast<int>(random() % 1000);
        BinaryHeap<int> heap;
        for (const int item : items) heap.push(item);
        std::vector<std::size_t> positions;
        for (std::size_t position = 0; position < heap.items().size(); ++position) {
            if (random() % 4 == 0) positions.push_back(position);
        }
        for (const std::size_t position : positions) std::erase(items, heap.items()[position]);
        BinaryHeap<int> rest;
        for (const int item : items) rest.push(item);
        Items expected = items;
        std::ranges::sort(expected);
        EXPECT_EQ(pop(rest, static_cast<int>(items.size())), expected);
    }
}

}  // namespace
}  // namespace overlap::scheduling

#include "core/bound/service_queue.h"

namespace overlap {
namespace {

/// A mix of the bits of a number (the finalizer of MurmurHash3), as a priority without a generator's state.
std::uint32_t mixed(std::uint32_t value) {
    value ^= value >> 16;
    value *= 0x85ebca6bu;
    value ^= value >> 13;
    value *= 0xc2b2ae35u;
    return value ^ (value >> 16);
}

}  // namespace

std::uint32_t ServiceQueue::last_job() const {
    auto index = static_cast<std::size_t>(root_);
    while (nodes_[index].right >= 0) index = static_cast<std::size_t>(nodes_[index].right);
    return nodes_[index].job;
}

void ServiceQueue::update(std::int32_t index) {
    Node& node = nodes_[static_cast<std::size_t>(index)];
    node.sum_ms = node.work_ms;
    node.end_ms = node.release_ms + node.work_ms;
    node.first_job = node.job;
    if (node.right >= 0) {
        const Node& right = nodes_[static_cast<std::size_t>(node.right)];
        node.end_ms += right.sum_ms;
        node.sum_ms += right.sum_ms;
        if (right.end_ms > node.end_ms) {
            node.end_ms = right.end_ms;
            node.first_job = right.first_job;
        }
    }
    if (node.left < 0) return;
    const Node& left = nodes_[static_cast<std::size_t>(node.left)];
    if (left.end_ms + node.sum_ms > node.end_ms) {
        node.end_ms = left.end_ms + node.sum_ms;
        node.first_job = left.first_job;
    }
    node.sum_ms += left.sum_ms;
}

std::pair<std::int32_t, std::int32_t> ServiceQueue::split(std::int32_t index, double release_ms) {
    if (index < 0) return {-1, -1};
    const auto at = static_cast<std::size_t>(index);
    if (nodes_[at].release_ms < release_ms) {
        const auto [before, after] = split(nodes_[at].right, release_ms);
        nodes_[at].right = before;
        update(index);
        return {index, after};
    }
    const auto [before, after] = split(nodes_[at].left, release_ms);
    nodes_[at].left = after;
    update(index);
    return {before, index};
}

std::int32_t ServiceQueue::joined(std::int32_t left, std::int32_t right) {
    if (left < 0) return right;
    if (right < 0) return left;
    Node& first = nodes_[static_cast<std::size_t>(left)];
    Node& second = nodes_[static_cast<std::size_t>(right)];
    if (first.priority > second.priority) {
        first.right = joined(first.right, right);
        update(left);
        return left;
    }
    second.left = joined(left, second.left);
    update(right);
    return right;
}

void ServiceQueue::add(double release_ms, double work_ms, std::uint32_t job) {
    const auto index = static_cast<std::int32_t>(nodes_.size());
    const std::uint32_t priority = mixed(static_cast<std::uint32_t>(index) + 1);
    nodes_.push_back({release_ms, work_ms, 0, 0, job, job, priority, -1, -1});
    update(index);
    const auto [before, after] = split(root_, release_ms);
    root_ = joined(joined(before, index), after);
}

}  // namespace overlap

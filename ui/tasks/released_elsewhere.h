#pragma once

#include <cstdint>
#include <memory>
#include <system_error>
#include <thread>
#include <utility>

#include "ui/tasks/signal_stack.h"

namespace overlap::ui {

/// Number of nodes from which releasing a graph, and what was made from it, takes noticeable time.
constexpr std::uint32_t large_graph_nodes = 100'000;

/// The same value, whose last owner does not wait until its memory is released: another thread does it. For large
/// values that may be released on the window's thread: a graph of a million nodes takes a tenth of a second.
template <typename Value>
std::shared_ptr<Value> releasedElsewhere(std::shared_ptr<Value> value) {
    Value* const shared = value.get();
    return {shared, [value = std::move(value)](Value*) mutable {
                try {
                    std::thread([last = std::move(value)]() mutable {
                        const SignalStack signal_stack;
                        last.reset();
                    }).detach();
                } catch (const std::system_error&) {
                    // No further thread: it has gone here.
                }
            }};
}

}  // namespace overlap::ui

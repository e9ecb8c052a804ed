#pragma once

#include <cstddef>
#include <functional>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

namespace overlap {

/// Calls `work()` on `count` threads at the same time, the caller's among them, and returns when each call has. Where
/// no further thread can be started there are fewer calls, at least the caller's: each takes what is left to do until
/// there is nothing. @param work throws nothing on any but the caller's thread.
template <typename Work>
void on_threads(std::size_t count, const Work& work) {
    std::vector<std::jthread> helpers;
    try {
        helpers.reserve(count > 0 ? count - 1 : 0);
        for (std::size_t helper = 1; helper < count; ++helper) helpers.emplace_back(std::cref(work));
    } catch (const std::system_error&) {
        // Those that there are do it all.
    } catch (const std::bad_alloc&) {
        // Likewise: a thread's state needs memory, too.
    }
    work();
}

}  // namespace overlap

#pragma once

#include <signal.h>

#include <cstddef>
#include <memory>

namespace overlap::ui {

/// For as long as it lives, signals of the thread that made it are handled on a stack of their own, and afterwards
/// where they were before. A thread whose own stack has overflowed ends the process without a report of the crash where
/// it has none: make one first thing in each thread. It is destroyed on the thread that made it.
class SignalStack {
  public:
    SignalStack();
    ~SignalStack();
    SignalStack(const SignalStack&) = delete;
    SignalStack& operator=(const SignalStack&) = delete;

  private:
    std::unique_ptr<std::byte[]> memory_;
    stack_t before_{};
};

}  // namespace overlap::ui

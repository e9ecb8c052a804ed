#include "ui/tasks/signal_stack.h"

namespace overlap::ui {
namespace {

constexpr std::size_t stack_bytes = 256 * 1024;

}  // namespace

// Not filled: memory that no handler has used is no memory of the machine's.
SignalStack::SignalStack() : memory_(std::make_unique_for_overwrite<std::byte[]>(stack_bytes)) {
    stack_t stack{};
    stack.ss_sp = memory_.get();
    stack.ss_size = stack_bytes;
    sigaltstack(&stack, &before_);
}

SignalStack::~SignalStack() {
    sigaltstack(&before_, nullptr);
}

}  // namespace overlap::ui

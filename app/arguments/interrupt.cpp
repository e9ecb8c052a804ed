#include "app/arguments/interrupt.h"

#include <chrono>
#include <csignal>
#include <system_error>

namespace overlap::commands {
namespace {

volatile std::sig_atomic_t interrupted = 0;

void note_interrupt(int) {
    interrupted = 1;
    std::signal(SIGINT, SIG_DFL);
}

}  // namespace

Interruption::Interruption() {
    interrupted = 0;
    std::signal(SIGINT, note_interrupt);
    try {
        watcher_ = std::jthread([this](const std::stop_token& over) {
            while (!over.stop_requested() && !interrupted) std::this_thread::sleep_for(std::chrono::milliseconds(20));
            if (interrupted) source_.request_stop();
        });
    } catch (const std::system_error&) {
        std::signal(SIGINT, SIG_DFL);  // nothing would pass it on: the first one ends the program
    }
}

Interruption::~Interruption() {
    std::signal(SIGINT, SIG_DFL);
}

}  // namespace overlap::commands

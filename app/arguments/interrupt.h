#pragma once

#include <stop_token>
#include <thread>

namespace overlap::commands {

/// While one of these exists, Ctrl+C asks to stop instead of ending the program; a second one ends it. Where no thread
/// can be started the first one does.
class Interruption {
  public:
    Interruption();
    ~Interruption();
    Interruption(const Interruption&) = delete;
    Interruption& operator=(const Interruption&) = delete;

    std::stop_token token() const { return source_.get_token(); }

  private:
    std::stop_source source_;
    std::jthread watcher_;  ///< a signal handler may do no more than set a flag, which this passes on
};

}  // namespace overlap::commands

#pragma once

#include <system_error>

namespace overlap::commands {

/// From here on an exception that nobody catches is told on standard error before it ends the program. Threads, and
/// destructors that need memory as those of JSON documents do, cannot pass on that it is lacking. What is neither
/// memory nor the system is a mistake of this program, which ends by a signal.
/// @param program whose name the sentences begin with; the text is kept.
/// @param status the exit status where memory is lacking or the system refuses something.
void print_uncaught_exceptions(const char* program, int status);

/// For handlers of exceptions: nothing in these needs memory.
void print_out_of_memory();
void print_refusal_of_the_system(const std::system_error& error);

}  // namespace overlap::commands

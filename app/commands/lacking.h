#pragma once

#include <system_error>

namespace overlap::commands {

/// From here on an exception that nobody catches ends the program with a sentence. Threads, and destructors that need
/// memory as those of JSON documents do, cannot pass on that it is lacking. What is neither memory nor the system is a
/// mistake of this program, which ends by a signal.
/// @param program whose name the sentences begin with; the text is kept.
/// @param status the exit status where memory is lacking or the system refuses something.
void end_with_a_sentence(const char* program, int status);

/// For handlers of exceptions: nothing in these needs memory.
void say_that_memory_is_lacking();
void say_that_the_system_refuses(const std::system_error& error);

}  // namespace overlap::commands

#pragma once

#include <string>
#include <string_view>

namespace overlap {

/// The number of a thread as the system has it. Kineto writes the number of a thread that it knows no name of as 32
/// bits with a sign: `-549452224` is `3745515072`. Any other text is returned as it is.
std::string thread_number(std::string_view thread);

/// Whether a `tid` is a number; profilers also write names there.
bool is_thread_number(std::string_view thread);

}  // namespace overlap

#pragma once

#include <cstddef>
#include <string_view>

#include "core/base/error.h"

namespace overlap::fuzz {

/// Longer inputs are ignored: what is promised of time and memory is promised up to here.
inline constexpr std::size_t input_limit = 64 * 1024;

/// What a target does with one input; each target defines it, and fuzz_target.cpp calls it. An InputError that leaves
/// it means that the input was refused. Whatever else goes wrong is a finding: another exception, a wrong address, an
/// undefined operation, require(), an allocation of more than 50 bytes for each byte of the input, or five times as
/// much alive at a time, a fixed allowance aside.
void run(std::string_view input);

/// Tells that the case which an input describes is a document of that many bytes, which count as the input's own.
void count_input(std::size_t bytes);

/// Ends the program with `reason` as the finding, unless `holds`.
void require(bool holds, std::string_view reason);

/// What `read` gives for something that the application has written: a refusal is a finding here.
template <typename Read>
auto must_accept(Read&& read) {
    try {
        return read();
    } catch (const InputError& error) {
        require(false, error.what());
        throw;
    }
}

/// The smallest part of `input` up to `separator`, which is removed from its front together with it; all of it where
/// there is no separator.
std::string_view take_until(std::string_view& input, char separator);

}  // namespace overlap::fuzz

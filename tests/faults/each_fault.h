#pragma once

#include <cerrno>
#include <initializer_list>
#include <string>

#include "tests/faults/system_faults.h"

namespace overlap::test {

/// An error that a call may fail with, by its manual page.
inline int likely_error(Call call) {
    switch (call) {
        case Call::open:
            return EMFILE;
        case Call::write:
        case Call::make_folder:
            return ENOSPC;
        case Call::map:
        case Call::memory:
            return ENOMEM;
        case Call::mode:
            return EPERM;
        case Call::lock:
            return ENOLCK;
        case Call::thread:
        case Call::process:
            return EAGAIN;
        default:
            return EIO;
    }
}

/// The calls that work on files.
inline constexpr std::initializer_list<Call> file_calls = {
    Call::open,     Call::read,  Call::write, Call::synchronise, Call::rename,      Call::link, Call::unlink, Call::map,
    Call::truncate, Call::close, Call::stat,  Call::list,        Call::make_folder, Call::mode, Call::lock};

/// Lets each call fail that `act` makes below a folder: the first, the second and so on, alone and with all that
/// follow.
/// @param prepare makes the folder as it is before each time; without faults, like `check`.
/// @param check is given what failed, in words.
/// @returns how many faults there were.
template <typename Prepare, typename Act, typename Check>
int each_fault(const std::string& below, std::initializer_list<Call> calls, const Prepare& prepare, const Act& act,
               const Check& check) {
    int tried = 0;
    for (const Call call : calls) {
        for (const bool stays : {false, true}) {
            for (unsigned long at = 1;; ++at) {
                prepare();
                begin_faults({call, at, likely_error(call), stays, below.c_str()});
                act();
                end_faults();
                if (!has_failed()) break;  // it makes no more of them
                ++tried;
                std::string failed = call_names[static_cast<std::size_t>(call)];
                failed.append(" ").append(std::to_string(at)).append(stays ? " and all after it" : "");
                check(failed);
            }
        }
    }
    return tried;
}

}  // namespace overlap::test

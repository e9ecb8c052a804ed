#pragma once

#include <string>

#include "core/base/error.h"

namespace overlap::test {

/// The sentence with which `call` refuses its input; "accepted" when it does not.
template <typename Call>
std::string problem_of(const Call& call) {
    try {
        call();
    } catch (const InputError& error) {
        return error.what();
    }
    return "accepted";
}

}  // namespace overlap::test

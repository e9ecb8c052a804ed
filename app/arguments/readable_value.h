#pragma once

#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/base/trimmed_text.h"

namespace overlap::commands {

/// For CLI::Option::check(): a value that `read` refuses by an InputError is wrong usage, told before any file is read.
template <typename Read>
auto readable_by(Read read) {
    return [read](const std::string& text) -> std::string {
        try {
            static_cast<void>(read(text));
        } catch (const InputError& error) {
            const std::string_view place = trimmed(error.place());
            return place.empty() ? error.problem() : std::string(place) + ": " + error.problem();
        }
        return {};
    };
}

}  // namespace overlap::commands

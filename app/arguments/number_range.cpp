#include "app/arguments/number_range.h"

#include <charconv>
#include <cmath>
#include <string>

#include "core/base/grouped_number.h"
#include "core/base/quote.h"

namespace overlap::commands {

namespace {

template <typename Number>
CLI::Validator range(Number least, Number most, const std::string& kind, const std::string& limits) {
    const auto check = [least, most, kind, limits](const std::string& text) {
        Number number = 0;
        const char* const end = text.data() + text.size();
        const auto [rest, error] = std::from_chars(text.data(), end, number);
        // Written so that NaN, which compares as false, is refused.
        if (error == std::errc() && rest == end && number >= least && number <= most) return std::string();
        return "expected " + kind + " from " + limits + ", found " + in_quotes(text);
    };
    return {check, "[" + limits + "]", "number"};
}

}  // namespace

CLI::Validator number_from(double least, double most) {
    return range(least, most, "a number", grouped_text(least) + " to " + grouped_text(most));
}

CLI::Validator whole_number_from(std::int64_t least, std::int64_t most) {
    return range(least, most, "a whole number",
                 grouped_text(static_cast<double>(least)) + " to " + grouped_text(static_cast<double>(most)));
}

}  // namespace overlap::commands

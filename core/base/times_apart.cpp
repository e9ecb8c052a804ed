#include "core/base/times_apart.h"

#include <cmath>

#include "core/base/number_text.h"

namespace overlap {
namespace {

constexpr int further_digits = 6;
constexpr double rounding_share = 1e-9;  // what sums in another order leave

/// With more digits than time_text() gives it, in the same unit.
std::string with_further_digits(double time_ms, int further) {
    const std::string text = time_text(time_ms);
    const std::string unit = text.substr(text.find(' '));
    const double value = time_ms * (unit == " s" ? 1e-3 : unit == " ms" ? 1 : unit == " ns" ? 1e6 : 1e3);
    const bool has_five_digits = unit == " s" || (unit == " ms" && std::abs(value) >= 999.95);  // see time_text()
    int decimals = has_five_digits ? 4 : 3;
    const double rounds_to_ten = has_five_digits ? 9.99995 : 9.9995;
    for (double magnitude = std::abs(value); magnitude >= rounds_to_ten && decimals > 0; magnitude /= 10) --decimals;
    return fixed_text(value, decimals + further) + unit;
}

}  // namespace

std::vector<std::string> times_apart(std::span<const double> times_ms) {
    std::vector<std::string> texts;
    for (const double time_ms : times_ms) texts.push_back(time_text(time_ms));
    const auto looks_like_another = [&](std::size_t index) {
        for (std::size_t other = 0; other < texts.size(); ++other) {
            const double difference = std::abs(times_ms[other] - times_ms[index]);
            if (texts[other] == texts[index] && difference > rounding_share * std::abs(times_ms[index])) return true;
        }
        return false;
    };
    for (int further = 1; further <= further_digits; ++further) {
        std::vector<std::size_t> alike;
        for (std::size_t index = 0; index < texts.size(); ++index)
            if (looks_like_another(index)) alike.push_back(index);
        for (const std::size_t index : alike) texts[index] = with_further_digits(times_ms[index], further);
    }
    return texts;
}

}  // namespace overlap

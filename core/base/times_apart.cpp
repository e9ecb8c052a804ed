#include "core/base/times_apart.h"

#include <cmath>

#include "core/base/number_text.h"
#include "core/base/scaled_time.h"

namespace overlap {
namespace {

constexpr int further_digits = 6;
constexpr double rounding_share = 1e-9;  // what sums in another order leave

/// With more digits than time_text() gives it, in the same unit.
std::string with_further_digits(double time_ms, int further) {
    const ScaledTime time = scaled_time(time_ms);
    return fixed_text(time.value, time.decimals + further).append(time.unit);
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

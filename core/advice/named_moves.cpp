#include "core/advice/named_moves.h"

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <utility>

#include "core/advice/advice.h"
#include "core/base/number_text.h"

namespace overlap {
namespace {

constexpr double nanosecond_in_ms = 1e-6;

std::string step_text(double difference_ms) {
    if (std::abs(difference_ms) < nanosecond_in_ms) return "the step takes as long as now";
    return "the step takes " + time_text(std::abs(difference_ms)) + (difference_ms < 0 ? " less" : " more");
}

std::string exposed_text(double difference_ms) {
    if (std::abs(difference_ms) < nanosecond_in_ms) return "as much is exposed";
    return time_text(std::abs(difference_ms)) + (difference_ms < 0 ? " less" : " more") + " is exposed in all";
}

std::string peak_text(std::int64_t difference) {
    if (difference == 0) return "the peak stays";
    return "the peak is " + bytes_text(std::abs(difference)) + (difference < 0 ? " lower" : " higher");
}

}  // namespace

std::vector<std::string> evaluated_moves(const std::shared_ptr<const Evaluation>& evaluation, std::size_t collective,
                                         RefusedMoves refused, std::stop_token stop) {
    std::vector<std::string> sentences;
    for (const Advice& advice : advice_for(evaluation, collective)) {
        if (!advice.is_named) continue;
        if (!advice.refusal.empty()) {
            if (refused == RefusedMoves::told) sentences.push_back(advice.text + " cannot be: " + advice.refusal);
            continue;
        }
        const std::optional<AdviceEffect> effect = effect_of(*evaluation, advice, stop);
        if (!effect) return {};
        std::string sentence = "Evaluated: " + advice.text;
        if (!effect->refusal.empty()) {
            sentence += ", but that cannot be: " + effect->refusal;
        } else {
            sentence += ": " + step_text(job_step_ms(*effect)) + ", " + exposed_text(effect->exposed_ms) + ", " +
                        peak_text(effect->peak_bytes);
        }
        sentences.push_back(std::move(sentence));
    }
    return sentences;
}

}  // namespace overlap

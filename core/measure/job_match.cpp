#include "core/measure/job_match.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/number_text.h"
#include "core/base/trace_origin.h"

namespace overlap {

namespace {

constexpr double least_share = 0.5;
/// Jobs have a few collectives of their own beside those of the graph, and a trace may lack a few.
constexpr double usual_share = 0.95;

double share(std::uint32_t part, std::uint32_t whole) {
    return whole == 0 ? 1 : static_cast<double>(part) / whole;
}

/// `10 of 192`
std::string part_text(std::uint32_t part, std::uint32_t whole) {
    return std::to_string(part) + " of " + std::to_string(whole);
}

std::string percent(double of) {
    return number_text(of * 100, 1) + " %";
}

}  // namespace

double JobMatch::share_of_planned() const {
    return share(pairs, planned);
}

double JobMatch::share_of_measured() const {
    return share(pairs, measured);
}

bool JobMatch::is_another_job() const {
    return share_of_planned() < least_share;
}

std::string JobMatch::doubt() const {
    if (is_another_job()) return {};
    std::string doubts;
    const auto add = [&](const std::string& sentence) { doubts.append(doubts.empty() ? "" : "; ").append(sentence); };
    if (is_simulated) add(std::string(nothing_was_measured));
    if (std::min(share_of_planned(), share_of_measured()) < usual_share) {
        add("this looks like another job or another plan: " + part_text(pairs, planned) +
            " planned collectives are in the trace (" + percent(share_of_planned()) + "), and " +
            part_text(pairs, measured) + " measured ones are in the plan (" + percent(share_of_measured()) + ")");
    } else if (share(in_order_alone, std::max(pairs, 1u)) >= least_share) {
        add("whether it is the same job is not known: of " + part_text(in_order_alone, pairs) +
            " matched collectives the trace says neither process group nor size, so only their order was compared");
    }
    return doubts;
}

JobMatch job_match(const MeasuredComparison& comparison) {
    JobMatch match;
    match.pairs = comparison.matching.pairs;
    match.planned = match.pairs + comparison.only_planned;
    match.measured = match.pairs + comparison.only_measured;
    match.is_simulated = comparison.step.trace->header().is_simulated;
    match.in_order_alone =
        static_cast<std::uint32_t>(std::ranges::count_if(comparison.rows, [&](const CollectiveComparison& row) {
            if (!row.is_matched()) return false;
            const StepCollective& measured = comparison.step.collectives[row.measured];
            return measured.group == no_index && measured.bytes == 0;
        }));
    return match;
}

void require_same_job(const JobMatch& match) {
    if (!match.is_another_job()) return;
    throw InputError("", "only " + part_text(match.pairs, match.planned) + " planned collectives are in the trace (" +
                             percent(match.share_of_planned()) + "), so it is of another job or another plan");
}

}  // namespace overlap

#include "core/search/candidate.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <mutex>
#include <numeric>
#include <optional>
#include <utility>

#include "core/base/on_threads.h"

namespace overlap {
namespace {

/// A directive that does not hold has no effect, so the plan without it gives the same graph.
void drop_refused(const Evaluation& evaluation, std::vector<OverlapDirective>& list) {
    std::size_t index = 0;
    const std::vector<DirectiveOutcome>& outcomes = evaluation.overlaps.directives;
    std::erase_if(list, [&](const OverlapDirective&) {
        const std::size_t at = index++;
        return at < outcomes.size() && !outcomes[at].holds();
    });
}

/// What a job must not run: errors, and reads of buffers before they are filled among them.
std::string hazard(const Evaluation& evaluation) {
    for (const Problem& problem : evaluation.problems) {
        const bool is_hazard = problem.kind == ProblemKind::activation_reduction_bucketed;
        if (problem.severity == Severity::error || is_hazard) return problem.message;
    }
    return {};
}

}  // namespace

std::span<const Disturbance> scenarios() {
    static constexpr std::array<Disturbance, 6> disturbed = {{
        {"communication x 0.8", 1, 0.8, 0.8},
        {"communication x 1.2", 1, 1.2, 1.2},
        {"communication x 1.5", 1, 1.5, 1.5},
        {"latency x 3", 1, 1, 3},
        {"compute x 0.9", 0.9, 1, 1},
        {"compute x 1.1", 1.1, 1, 1},
    }};
    return disturbed;
}

std::size_t description_length(const Plan& plan) {
    std::size_t length = 0;
    for (const BucketEntry& entry : plan.buckets) length += 1 + entry.modules.size();
    for (const PassStep& step : plan.pipeline) length += step.enabled ? 1 + step.options.size() : 0;
    if (plan.memory) length += 1 + plan.memory->rules.size();
    return length + 2 * plan.overlaps.list.size();
}

CandidateEvaluator::CandidateEvaluator(std::shared_ptr<const Graph> graph, std::shared_ptr<const StepWork> work,
                                       std::shared_ptr<const TimeSource> time_source, bool any_order)
    : graph_(std::move(graph)), work_(std::move(work)), time_source_(std::move(time_source)), any_order_(any_order) {}

Candidate CandidateEvaluator::measured(const Evaluation& evaluation, Plan plan, std::string origin) const {
    Candidate candidate;
    candidate.plan = std::move(plan);
    candidate.origin = std::move(origin);
    candidate.step_ms = evaluation.simulation.step_ms;
    candidate.exposed_ms = evaluation.simulation.exposed_ms;
    candidate.compute_ms = evaluation.simulation.compute_ms;
    candidate.peak_bytes = evaluation.memory.peak_bytes;
    candidate.corrected_peak_bytes = evaluation.corrected_memory.peak_bytes;
    for (const ProcessGroup& group : evaluation.graph->header().process_groups)
        if (!graph_->header().process_group(group.name)) candidate.made_groups.push_back(group.name);
    if (!evaluation.times_known) candidate.refusal = "times of what it makes are not known";
    if (candidate.usable()) candidate.refusal = hazard(evaluation);
    if (!candidate.usable()) return candidate;
    const KeptWork kept = kept_work(*work_, evaluation);
    if (!kept.all) candidate.refusal = "it leaves out work that the bound counts on: " + kept.missing;
    if (kept.all && !kept.order) {
        if (!any_order_) candidate.refusal = "it changes the order of heavy compute: " + kept.moved;
        candidate.changes_order = true;
    }
    return candidate;
}

Candidate CandidateEvaluator::evaluate(Plan plan, std::string origin, std::stop_token stop) const {
    const std::shared_ptr<const Evaluation> evaluation = evaluation_of(plan, std::move(stop));
    if (!evaluation) return {std::move(plan), std::move(origin), "stopped"};
    drop_refused(*evaluation, plan.overlaps.list);
    return measured(*evaluation, std::move(plan), std::move(origin));
}

Candidate CandidateEvaluator::as_it_is(const std::stop_token& stop) const {
    if (stop.stop_requested()) return {{}, "as it is", "stopped"};
    const std::shared_ptr<const Evaluation> evaluation = evaluate_baseline(graph_, stop, time_source_);
    return evaluation ? measured(*evaluation, Plan(), "as it is") : Candidate{{}, "as it is", "stopped"};
}

void CandidateEvaluator::disturb(Candidate& candidate, const std::stop_token& stop) const {
    const std::shared_ptr<const Evaluation> evaluation = evaluation_of(candidate.plan, stop);
    std::vector<double> disturbed_ms;
    for (const Disturbance& scenario : scenarios()) {
        if (stop.stop_requested() || !evaluation) return;
        disturbed_ms.push_back(disturbed_step_ms(*evaluation, scenario, stop));
    }
    if (stop.stop_requested()) return;
    candidate.worst_ms = std::ranges::max(disturbed_ms);
    candidate.mean_ms =
        std::accumulate(disturbed_ms.begin(), disturbed_ms.end(), 0.0) / static_cast<double>(disturbed_ms.size());
    candidate.disturbed_ms = std::move(disturbed_ms);
}

std::vector<Candidate> evaluate_all(const CandidateEvaluator& evaluator, std::vector<Proposal> proposals,
                                    unsigned threads, const std::stop_token& stop) {
    std::vector<std::optional<Candidate>> found(proposals.size());
    std::atomic<std::size_t> next = 0;
    std::mutex lock;
    std::exception_ptr failure;
    const auto work = [&] {
        for (std::size_t index = next++; index < proposals.size() && !stop.stop_requested(); index = next++) {
            try {
                Candidate candidate =
                    evaluator.evaluate(std::move(proposals[index].plan), std::move(proposals[index].origin), stop);
                if (!stop.stop_requested()) found[index] = std::move(candidate);
            } catch (...) {
                const std::scoped_lock guard(lock);
                failure = std::current_exception();
                next = proposals.size();
            }
        }
    };
    on_threads(std::min<std::size_t>(threads, proposals.size()), work);
    if (failure) std::rethrow_exception(failure);
    std::vector<Candidate> candidates;
    for (std::optional<Candidate>& candidate : found) {
        if (candidate) candidates.push_back(std::move(*candidate));
    }
    return candidates;
}

}  // namespace overlap

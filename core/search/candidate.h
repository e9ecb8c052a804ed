#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/bound/step_work.h"
#include "core/pipeline/disturbed_times.h"
#include "core/pipeline/evaluation.h"
#include "core/plan/plan.h"

namespace overlap {

/// The disturbed costs that plans are compared under.
std::span<const Disturbance> scenarios();

/// What the search knows of one plan.
struct Candidate {
    Plan plan;
    std::string origin;   ///< how it was made, a few words
    std::string refusal;  ///< why it cannot be used: refused, a hazard, work left out or reordered; empty: it can
    bool changes_order = false;  ///< of heavy compute; where no other order may be, it is refused for that alone
    double step_ms = 0, exposed_ms = 0;
    double compute_ms = 0;                   ///< busy time of the compute stream
    std::int64_t peak_bytes = 0;             ///< as PyTorch estimates it
    std::int64_t corrected_peak_bytes = 0;   ///< as all figures of this project count it
    std::vector<double> disturbed_ms{};      ///< under each of scenarios(); empty before disturb()
    double mean_ms = 0, worst_ms = 0;        ///< of these
    std::vector<std::string> made_groups{};  ///< process groups that its passes make

    bool usable() const { return refusal.empty(); }
};

/// How much there is to say of a plan: buckets with their modules, steps with their options, rules of
/// memory, overlaps.
std::size_t description_length(const Plan& plan);

/// Evaluates plans for one graph. Several threads may use it at once.
class CandidateEvaluator {
  public:
    /// @param work of the graph, without an obstacle.
    /// @param time_source of simulations; null for own_time_source().
    /// @param any_order whether plans may change the order of heavy compute.
    CandidateEvaluator(std::shared_ptr<const Graph> graph, std::shared_ptr<const StepWork> work,
                       std::shared_ptr<const TimeSource> time_source = nullptr, bool any_order = false);

    const std::shared_ptr<const Graph>& graph() const { return graph_; }
    const StepWork& work() const { return *work_; }

    /// A plan that brings an error or a hazard, leaves out work or changes the order of heavy compute where that
    /// may not be is not usable.
    /// Overlaps that do not hold, and so have no effect, are taken out of it.
    Candidate evaluate(Plan plan, std::string origin, std::stop_token stop = {}) const;
    /// All that is known of a plan, with the times that the search uses; nullptr when `stop` was requested.
    std::shared_ptr<const Evaluation> evaluation_of(const Plan& plan, std::stop_token stop = {}) const {
        if (stop.stop_requested()) return nullptr;  // its names and buckets would be looked up before that is asked
        return overlap::evaluate(graph_, plan, std::move(stop), time_source_, cache_);
    }
    /// The graph as it is; refused when `stop` was requested.
    Candidate as_it_is(const std::stop_token& stop = {}) const;
    /// Fills in disturbed_ms, mean_ms and worst_ms: the passes run once, the streams once a scenario. Nothing when
    /// `stop` was requested.
    void disturb(Candidate& candidate, const std::stop_token& stop = {}) const;

  private:
    Candidate measured(const Evaluation& evaluation, Plan plan, std::string origin) const;

    std::shared_ptr<const Graph> graph_;
    std::shared_ptr<const StepWork> work_;
    std::shared_ptr<const TimeSource> time_source_;
    bool any_order_;
    std::shared_ptr<PassResultCache> cache_ = std::make_shared<PassResultCache>();
};

/// A plan to evaluate, and how it was made.
struct Proposal {
    Plan plan;
    std::string origin;
};

/// Evaluates proposals on several threads; results are in their order and do not depend on the number of threads.
/// @returns fewer than there are proposals when `stop` was requested.
std::vector<Candidate> evaluate_all(const CandidateEvaluator& evaluator, std::vector<Proposal> proposals,
                                    unsigned threads, const std::stop_token& stop);

}  // namespace overlap

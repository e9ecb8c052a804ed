#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/bound/lower_bound.h"
#include "core/plan/plan_difference.h"
#include "core/search/candidate.h"
#include "core/search/plan_locks.h"

namespace overlap {

/// Plans whose steps differ by no larger share are alike: of those that take about the least memory of all these, the
/// one with the shortest description is taken.
inline constexpr double alike_share = 0.003;
/// The least peak of plans that are alike is at least this share of that of the one that is taken.
inline constexpr double about_least_memory = 0.9;

struct SearchProgress {
    std::size_t evaluations = 0, effort = 0;
    double best_ms = 0, bound_ms = 0;
    std::int64_t best_peak_bytes = 0;  ///< the corrected peak
    std::string origin;                ///< of the best
    std::shared_ptr<const Plan> best;  ///< null where there is none yet
};

struct SearchOptions {
    std::optional<std::int64_t> memory_limit;  ///< of the corrected peak
    /// Evaluations at most to find plans; shortening the best and weighing its parts takes more, see minimal_plan().
    std::size_t effort = 1500;
    unsigned threads = 0;  ///< 0: one for each processor
    std::uint32_t seed = 1;
    /// Plans may change the order of heavy compute; the bound is then the one for any order.
    bool any_order = false;
    std::optional<Plan> from;  ///< a plan to improve, beside the portfolio
    PlanLocks locks{};         ///< what of `from` every plan that is found has as it is
    /// Whose times simulations use; null for own_time_source(). Measured ones are refused.
    std::shared_ptr<const TimeSource> time_source{};
    std::stop_token stop{};  ///< the best so far is the result
    /// Called after each round, on the thread that searches.
    std::function<void(const SearchProgress&)> progress{};
};

/// What one element of a plan is worth: how much longer the step is without it, and how much higher the corrected peak,
/// where one of both may be negative.
struct PlanElement {
    std::string element;
    double worth_ms = 0;
    std::int64_t worth_bytes = 0;
    /// Why the plan cannot be used without it, so that it has no figures there; empty where it can.
    std::string refusal{};
};

/// The shortest step within a limit.
struct FrontPoint {
    std::int64_t limit_bytes = 0;
    double step_ms = 0;
    std::int64_t peak_bytes = 0;
    double bound_ms = 0;
    std::string origin;
    Plan plan;
    std::vector<std::string> made_groups{};  ///< process groups that its passes make
    bool knee = false;                       ///< the point behind which memory gains least for what it costs
};

struct SearchResult {
    Candidate best;  ///< usable; within the limit
    /// Of the plans that were found, within the limit, before one of those that are alike was taken.
    double shortest_ms = 0;
    LowerBound bound;
    std::vector<Candidate>
        baselines;  ///< as it is, `from`, the presets, the automatic pass alone, the best of the grid
    /// Has the best, or a plan that is at least as good in step and peak.
    std::vector<FrontPoint> front;
    std::vector<PlanElement> elements;  ///< of the best, most worth first
    std::vector<std::string> locked;    ///< what of the plan to start from was kept, in words
    LockedParts locked_parts;           ///< the same, to ask it of a plan, such as a baseline
    /// Process groups that the plan to start from has settings for, and that the best does not make: a run would refuse
    /// their settings, so the best is without them.
    std::vector<std::string> groups_left_out;
    std::optional<PlanDifference> from_start;  ///< from the plan to start from to the best
    std::size_t evaluations = 0;
    /// Of these, the plans that were evaluated to find one, at most the effort: the others are to shorten the best and
    /// to weigh its parts.
    std::size_t finding_evaluations = 0;
    bool stopped = false;
    /// Fewer plans than the effort allows were evaluated, since nothing that was tried helps the best plans any more.
    bool exhausted = false;
};

/// Why a search ended, as a clause, and what a longer one would do: it was stopped, nothing helps any more, or the
/// effort is used up. It counts plans as the effort does, and tells what shortening takes beside that.
std::string end_text(const SearchResult& result, std::size_t effort);

/// Looks for a plan with a short step. The result depends on the graph, the effort, the limit, the seed and `from`
/// alone: not on time, and not on the number of threads. README.md of this folder says what is tried.
/// @param graph with shared links (shared_links.h).
/// @throws InputError for a graph without times, without collectives, without a cost model; measured times; a limit
/// below what must be alive; `from` where it is refused; locks without it, or of what has no effect in it; where no
/// plan that was tried stays within the limit.
SearchResult search_plans(const std::shared_ptr<const Graph>& graph, const SearchOptions& options);

}  // namespace overlap

#include "core/search/plan_search.h"

#include <algorithm>
#include <iterator>
#include <random>
#include <thread>
#include <utility>

#include "core/base/error.h"
#include "core/base/number_text.h"
#include "core/base/wording.h"
#include "core/search/alike_plans.h"
#include "core/search/fast_within_limit.h"
#include "core/search/first_plans.h"
#include "core/search/minimal_plan.h"
#include "core/search/other_device.h"
#include "core/search/search_front.h"
#include "core/search/search_rounds.h"
#include "core/search/start_plan.h"

namespace overlap {
namespace {

/// The share of the effort that is left for what plans are made of, once one is found.
constexpr double share_of_search = 0.85;

/// How much longer than the fastest what stays within a limit may take for plans beyond the limit to be improved, too:
/// less where sections of memory bring more within it.
constexpr double near_share = 1.06, near_share_with_sections = 1.01;

/// Of a limit: plans are improved within so much, too, where at least so many evaluations are left. Of fewer the limit
/// itself needs all.
constexpr double tighter_share = 0.9;
constexpr std::size_t least_left_for_tighter = 200;

class Search {
  public:
    Search(const std::shared_ptr<const Graph>& graph, const SearchOptions& options)
        : options_(options),
          work_(step_work(graph, options.time_source, options.stop)),
          evaluator_(graph, require_possible(), options.time_source, options.any_order),
          bounds_(work_, options.any_order, options.stop),
          locked_(locked_parts()),
          rounds_(evaluator_, locked_,
                  {options.effort,
                   options.threads > 0 ? options.threads : std::max(1u, std::thread::hardware_concurrency()),
                   options.memory_limit, options.any_order, options.stop}),
          first_(evaluator_.graph(), rounds_, [this] { report(); }),
          random_(options.seed) {
        if (options.stop.stop_requested()) refuse_stopped();
        result_.bound = bounds_.at(options.memory_limit);
        result_.locked = describe(options_.locks);
        result_.locked_parts = locked_;
    }

    SearchResult run() {
        try_first_plans();
        const auto effort = static_cast<std::size_t>(static_cast<double>(options_.effort) * share_of_search);
        const bool exhausted = improve(effort);
        const Candidate* best = rounds_.best();
        if (!best) refuse_limit();
        result_.shortest_ms = best->step_ms;
        result_.evaluations = result_.finding_evaluations = rounds_.evaluations();
        choose(AlikePlans(rounds_, result_.baselines));
        evaluator_.disturb(result_.best, options_.stop);
        // What was compared with, so that what a plan gains can be told under these costs, too.
        for (Candidate& baseline : result_.baselines)
            if (baseline.usable()) evaluator_.disturb(baseline, options_.stop);
        result_.stopped = rounds_.stopped();
        result_.exhausted = exhausted && !result_.stopped;
        result_.front = front_of(rounds_.usable(), result_.best, bounds_, options_.memory_limit, options_.stop);
        if (options_.from) {
            result_.groups_left_out = keep_from_start(result_.best.plan, result_.best.made_groups);
            for (FrontPoint& point : result_.front) keep_from_start(point.plan, point.made_groups);
            result_.from_start = plan_difference(*options_.from, result_.best.plan);
        }
        report();
        return std::move(result_);
    }

  private:
    std::shared_ptr<const StepWork> require_possible() const {
        if (options_.stop.stop_requested()) refuse_stopped();
        const bool has_model = work_->graph->header().cost.has_value();
        if (!work_->obstacle.empty())
            throw InputError("", work_->obstacle, has_model ? ErrorCode::general : ErrorCode::no_cost_model);
        if (work_->collectives.empty())
            throw InputError("", "the graph has no collectives, so there is nothing to plan");
        return work_;
    }

    LockedParts locked_parts() const {
        if (options_.from) return LockedParts(*options_.from, options_.locks);
        if (!options_.locks.empty())
            throw InputError("", "what is to be kept is that of a plan to start from; none was given");
        return {};
    }

    void report() const {
        if (!options_.progress) return;
        SearchProgress progress{rounds_.evaluations(), options_.effort, 0, result_.bound.step_ms, 0, {}, nullptr};
        if (const Candidate* best = rounds_.best()) {
            progress.best_ms = best->step_ms;
            progress.best_peak_bytes = best->corrected_peak_bytes;
            progress.origin = best->origin;
            Plan plan = best->plan;
            if (options_.from) keep_from_start(plan, best->made_groups);
            progress.best = std::make_shared<const Plan>(std::move(plan));
        }
        options_.progress(progress);
    }

    std::vector<std::string> keep_from_start(Plan& plan, const std::vector<std::string>& made) const {
        return keep_what_passes_do_not_read(plan, made, *options_.from, *evaluator_.graph());
    }

    void try_first_plans() {
        result_.baselines.push_back(evaluator_.as_it_is(options_.stop));
        if (rounds_.stopped()) return;
        if (options_.from) try_given_plan();
        std::ranges::move(first_.try_all(), std::back_inserter(result_.baselines));
    }

    /// @returns whether nothing helps any more.
    bool improve(std::size_t effort) {
        const auto improve_to = [&](std::size_t evaluations) {
            return rounds_.improve(evaluations, random_, first_.memory_settings(), options_.memory_limit,
                                   [&] { report(); });
        };
        first_.try_fast_within_limit();
        // What sections of memory bring early can be improved; later, more of them are known.
        if (!rounds_.fastest_is_within_limit()) {
            const bool has_sections = !first_.memory_settings().empty();
            const bool is_near = rounds_.is_near_fastest(has_sections ? near_share_with_sections : near_share);
            const std::size_t left = effort - std::min(effort, rounds_.evaluations());
            improve_to(is_near ? rounds_.evaluations() + left * 2 / 3 : effort * 2 / 3);
            bring_fast_within_limit();
            improve_within_tighter_limit(effort);
            // What is hardly slower may come of plans beyond the limit, improved as a search without a limit does it:
            // so one with a tighter limit misses nothing that a looser one finds.
            if (is_near) rounds_.improve(effort, random_, first_.memory_settings(), std::nullopt, [&] { report(); });
        }
        const bool exhausted = improve_to(effort);
        const Candidate* best = rounds_.best();
        const double step_ms = best ? best->step_ms : 0;
        bring_fast_within_limit();
        best = rounds_.best();
        return best && best->step_ms != step_ms ? improve_to(effort) : exhausted;
    }

    /// A search that looks for the fastest alone leaves what takes less memory early, though that may lead further:
    /// what leads on within a tighter limit leads on within this one, too.
    void improve_within_tighter_limit(std::size_t effort) {
        const std::size_t left = effort - std::min(effort, rounds_.evaluations());
        if (left < least_left_for_tighter) return;
        const auto tighter = static_cast<std::int64_t>(static_cast<double>(*options_.memory_limit) * tighter_share);
        if (tighter < bounds_.least_peak_bytes()) return;  // no plan is within it
        rounds_.improve(rounds_.evaluations() + left / 2, random_, first_.memory_settings(), tighter,
                        [&] { report(); });
    }

    /// What is fast and takes too much memory may be so, too, with a memory section that has brought other plans within
    /// the limit, or with less in flight.
    void bring_fast_within_limit() {
        if (rounds_.stopped() || rounds_.fastest_is_within_limit()) return;
        const FastWithinLimit within(evaluator_.graph(), rounds_, first_.memory_settings());
        rounds_.evaluate_locked(within.fastest_with_known_sections());
        rounds_.evaluate_locked(within.with_less_in_flight());
        report();
    }

    void try_given_plan() {
        const Candidate given = start_candidate(evaluator_, *options_.from);
        // What does not hold was taken out of it.
        if (const std::string missing = locked_.missing_in(given.plan); !missing.empty())
            throw StartPlanError("it cannot be kept, since the plan to start from does not carry it out: " + missing);
        result_.baselines.push_back(given);
        rounds_.evaluate({{given.plan, given.origin}});
        report();
    }

    /// The first of those that are alike that can be used on another device, too. Who stops does not want to wait for
    /// the shortest description.
    void choose(const AlikePlans& alike) {
        if (rounds_.stopped()) {
            result_.best = alike.shortest();
            return;
        }
        const MinimalPlanLimits most{alike.most_ms(), alike.most_bytes()};
        const std::vector<Candidate> plans = alike.by_description(evaluator_);
        const OtherDevice other(evaluator_.graph(), options_.any_order, options_.stop);
        const auto runs_there = [&](const Plan& plan) { return other.runs(plan); };
        const auto chosen = std::ranges::find_if(plans, runs_there, &Candidate::plan);
        const auto any_plan = [](const Plan&) { return true; };
        MinimalPlan minimal = chosen == plans.end() ? minimal_plan(evaluator_, rounds_, plans.front(), most, any_plan)
                                                    : minimal_plan(evaluator_, rounds_, *chosen, most, runs_there);
        result_.best = std::move(minimal.candidate);
        result_.elements = std::move(minimal.elements);
        result_.evaluations += minimal.evaluations;
    }

    [[noreturn]] static void refuse_stopped() { throw InputError("", "stopped before any plan was found"); }

    [[noreturn]] void refuse_limit() const {
        if (rounds_.stopped()) refuse_stopped();
        std::int64_t least = 0;
        for (const Candidate& candidate : rounds_.usable())
            least = least == 0 ? candidate.corrected_peak_bytes : std::min(least, candidate.corrected_peak_bytes);
        throw InputError("memory limit", "no plan that was tried stays within " + bytes_text(*options_.memory_limit) +
                                             "; the least was " + bytes_text(least) + ", " +
                                             bytes_text(least - *options_.memory_limit) + " more");
    }

    SearchOptions options_;
    std::shared_ptr<const StepWork> work_;
    CandidateEvaluator evaluator_;
    BoundUnderLimits bounds_;
    LockedParts locked_;
    SearchRounds rounds_;
    FirstPlans first_;
    std::mt19937 random_;
    SearchResult result_;
};

}  // namespace

std::string end_text(const SearchResult& result, std::size_t effort) {
    const std::string plans = counted(result.finding_evaluations, "plan");
    const std::string allowed = std::to_string(effort);
    if (result.stopped)
        return "stopped after " + plans + " of " + allowed + "; a search that goes on may find a better one";
    if (result.exhausted)
        return "it ended after " + plans + " of " + allowed + ", since no change to the best plans helps any more";
    return "it ended after " + plans + ", all that the effort of " + allowed +
           " allows before what was found is shortened (" +
           std::to_string(result.evaluations - result.finding_evaluations) +
           " more, with the worth of its parts); a greater effort may find a better plan";
}

SearchResult search_plans(const std::shared_ptr<const Graph>& graph, const SearchOptions& options) {
    return Search(graph, options).run();
}

}  // namespace overlap

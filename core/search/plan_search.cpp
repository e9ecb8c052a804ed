#include "core/search/plan_search.h"

#include <algorithm>
#include <random>
#include <thread>
#include <utility>

#include "core/base/error.h"
#include "core/base/number_text.h"
#include "core/base/wording.h"
#include "core/passes/overlaps/overlap_directives.h"
#include "core/search/block_plans.h"
#include "core/search/fast_within_limit.h"
#include "core/search/minimal_plan.h"
#include "core/search/moves.h"
#include "core/search/other_device.h"
#include "core/search/portfolio.h"
#include "core/search/search_front.h"
#include "core/search/search_rounds.h"

namespace overlap {
namespace {

/// The share of the effort that is left for what plans are made of, once one is found.
constexpr double share_of_search = 0.85;
constexpr std::size_t most_finalists = 24;
/// Of plans that are alike, those whose mean step under disturbed costs is longer than the least by more are left out.
constexpr double robust_share = 0.001;

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
          random_(options.seed) {
        if (options.stop.stop_requested()) refuse_stopped();
        result_.bound = bounds_.at(options.memory_limit);
        result_.locked = describe(options_.locks);
        result_.locked_parts = locked_;
    }

    SearchResult run() {
        try_portfolio();
        const auto effort = static_cast<std::size_t>(static_cast<double>(options_.effort) * share_of_search);
        const bool exhausted = improve(effort);
        const Candidate* best = rounds_.best();
        if (!best) refuse_limit();
        result_.shortest_ms = best->step_ms;
        result_.evaluations = rounds_.evaluations();
        choose_among_alike(most_allowed_ms(*best));
        evaluator_.disturb(result_.best, options_.stop);
        // What was compared with, so that what a plan gains can be told under these costs, too.
        for (Candidate& baseline : result_.baselines)
            if (baseline.usable()) evaluator_.disturb(baseline, options_.stop);
        result_.stopped = rounds_.stopped();
        result_.exhausted = exhausted && !result_.stopped;
        result_.front = front_of(rounds_.usable(), result_.best, bounds_, options_.memory_limit, options_.stop);
        if (options_.from) {
            result_.groups_left_out = keep_what_passes_do_not_read(result_.best.plan, result_.best.made_groups);
            for (FrontPoint& point : result_.front) keep_what_passes_do_not_read(point.plan, point.made_groups);
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

    /// What no pass reads, and a job does, stays as the plan to start from has it, but for settings of groups that a
    /// plan does not have: a run would refuse them.
    /// @param made the process groups that the plan's passes make.
    /// @returns those whose settings are left out.
    std::vector<std::string> keep_what_passes_do_not_read(Plan& plan, const std::vector<std::string>& made) const {
        plan.device_orders = options_.from->device_orders;
        plan.process_groups = options_.from->process_groups;
        plan.unread_process_groups = options_.from->unread_process_groups;
        std::vector<std::string> missing;
        // Passes take no group away.
        const GraphHeader& header = evaluator_.graph()->header();
        std::erase_if(plan.process_groups, [&](const GroupSettings& settings) {
            if (header.process_group(settings.group) || std::ranges::find(made, settings.group) != made.end())
                return false;
            missing.push_back(settings.group);
            return true;
        });
        return missing;
    }

    void report() const {
        if (!options_.progress) return;
        SearchProgress progress{rounds_.evaluations(), options_.effort, 0, result_.bound.step_ms, 0, {}, nullptr};
        if (const Candidate* best = rounds_.best()) {
            progress.best_ms = best->step_ms;
            progress.best_peak_bytes = best->corrected_peak_bytes;
            progress.origin = best->origin;
            Plan plan = best->plan;
            if (options_.from) keep_what_passes_do_not_read(plan, best->made_groups);
            progress.best = std::make_shared<const Plan>(std::move(plan));
        }
        options_.progress(progress);
    }

    std::vector<Candidate> evaluate(std::vector<Proposal> proposals) {
        std::vector<Candidate> candidates = rounds_.evaluate(std::move(proposals));
        report();
        return candidates;
    }

    void try_portfolio() {
        const Graph& graph = *evaluator_.graph();
        result_.baselines.push_back(evaluator_.as_it_is(options_.stop));
        if (rounds_.stopped()) return;
        if (options_.from) try_given_plan();
        // A plan that does nothing is one, too.
        Plan nothing = preset_proposals(graph).front().plan;
        nothing.pipeline.clear();
        nothing.buckets.clear();
        evaluate({{std::move(nothing), "empty plan"}});
        if (rounds_.stopped()) return;
        const std::vector<Proposal> presets = preset_proposals(graph), settings = grid_proposals(graph);
        for (Candidate& candidate : evaluate(presets)) result_.baselines.push_back(candidate);
        if (rounds_.stopped()) return;
        std::vector<Candidate> grid = evaluate(settings);
        if (!grid.empty()) result_.baselines.push_back(grid.front());
        const Candidate* best = nullptr;
        for (const Candidate& candidate : grid) {
            if (candidate.usable() && (!best || rounds_.is_better(candidate, *best))) best = &candidate;
        }
        if (best) {
            result_.baselines.push_back(*best);
            result_.baselines.back().origin = "best of the grid (" + best->origin + ")";
        }
        if (!locked_.empty()) {
            evaluate_locked(presets);
            evaluate_locked(settings);
        }
        if (rounds_.stopped()) return;
        try_blocks();
        if (rounds_.stopped()) return;
        memory_settings_ = memory_settings(graph);
        if (const Candidate* found = rounds_.best()) evaluate_locked(memory_moves(found->plan, memory_settings_));
        if (const Candidate* found = rounds_.best()) evaluate_locked(group_proposals(evaluator_.graph(), found->plan));
        try_fast_within_limit();
        try_lean_plans();
    }

    /// Where what is fast takes too much memory: every section in the fastest plan, and the best ones in the next
    /// plans.
    void try_fast_within_limit() {
        if (rounds_.stopped() || fastest_is_within_limit()) return;
        const FastWithinLimit within(evaluator_.graph(), rounds_, memory_settings_);
        for (const bool automatic : {true, false}) {
            if (fastest_is_within_limit()) return;
            const std::vector<Plan> fast = within.fast_plans(automatic);
            if (fast.empty()) continue;
            evaluate_locked(within.with_every_setting(fast.front()));
            evaluate_locked(within.with_best_settings(fast));
        }
    }

    /// Where no limit asks for less memory: what would be hardly slower with much less, for the front.
    void try_lean_plans() {
        if (rounds_.stopped() || options_.memory_limit || memory_settings_.empty()) return;
        const FastWithinLimit lean(evaluator_.graph(), rounds_, memory_settings_);
        const std::vector<Plan> fast = lean.fast_plans(true);
        if (fast.empty()) return;
        evaluate_locked(lean.with_every_setting(fast.front()));
        evaluate_locked(lean.with_lean_settings(fast));
    }

    /// @returns whether nothing helps any more.
    bool improve(std::size_t effort) {
        const auto improve_to = [&](std::size_t evaluations) {
            return rounds_.improve(evaluations, random_, memory_settings_, [&] { report(); });
        };
        // What sections of memory bring early can be improved; later, more of them are known.
        if (!fastest_is_within_limit()) {
            improve_to(effort * 2 / 3);
            bring_fast_within_limit();
        }
        const bool exhausted = improve_to(effort);
        const Candidate* best = rounds_.best();
        const double step_ms = best ? best->step_ms : 0;
        bring_fast_within_limit();
        best = rounds_.best();
        return best && best->step_ms != step_ms ? improve_to(effort) : exhausted;
    }

    /// Also where nothing is usable, so that there is no fastest.
    bool fastest_is_within_limit() const {
        const Candidate* fastest = rounds_.fastest();
        return !fastest || rounds_.within_limit(*fastest);
    }

    /// What is fast and takes too much memory may be so, too, with a memory section that has brought other plans within
    /// the limit, or with less in flight.
    void bring_fast_within_limit() {
        if (rounds_.stopped() || fastest_is_within_limit()) return;
        const FastWithinLimit within(evaluator_.graph(), rounds_, memory_settings_);
        evaluate_locked(within.fastest_with_known_sections());
        evaluate_locked(within.with_less_in_flight());
    }

    /// Buckets of equal numbers of blocks; then, of the best of them, other numbers at the beginning and at the end.
    void try_blocks() {
        const BlockPlans blocks(*evaluator_.graph());
        std::optional<BestBlocks> best;
        try_blocks(blocks.periods(), best);
        if (best) try_blocks(blocks.prologues(best->candidate.plan, best->pattern), best);
        if (best) try_blocks(blocks.epilogues(best->candidate.plan, best->pattern), best);
    }

    struct BestBlocks {
        Candidate candidate;
        BlockPattern pattern;
    };

    /// @param best taken over where one of the proposals is better.
    void try_blocks(const std::vector<BlockProposal>& blocks, std::optional<BestBlocks>& best) {
        std::vector<Proposal> proposals;
        for (const BlockProposal& block : blocks) proposals.push_back(block.proposal);
        for (const Candidate& candidate : evaluate_locked(std::move(proposals))) {
            const bool counts = candidate.usable() && locked_.kept_in(candidate.plan);
            if (!counts || (best && !rounds_.is_better(candidate, best->candidate))) continue;
            // What has been seen before was left out, so places say nothing.
            const auto block = std::ranges::find_if(
                blocks, [&](const BlockProposal& other) { return other.proposal.origin == candidate.origin; });
            best = BestBlocks{candidate, block->pattern};
        }
    }

    /// With what is locked put into each.
    std::vector<Candidate> evaluate_locked(std::vector<Proposal> proposals) {
        for (Proposal& proposal : proposals) proposal.plan = locked_.put_into(std::move(proposal.plan));
        return evaluate(std::move(proposals));
    }

    /// Of plans that are alike the first that can be used on another device, too. Who stops does not want to wait for
    /// the shortest description.
    void choose_among_alike(double most_ms) {
        std::vector<Candidate> leanest = lean(most_ms);
        if (rounds_.stopped()) {
            result_.best = *std::ranges::min_element(leanest, {}, &Candidate::step_ms);
            return;
        }
        const MinimalPlanLimits most{most_ms, most_allowed_bytes(leanest)};
        const std::vector<Candidate> alike = finalists(std::move(leanest));
        const OtherDevice other(evaluator_.graph(), options_.any_order, options_.stop);
        const auto runs_there = [&](const Plan& plan) { return other.runs(plan); };
        const auto chosen = std::ranges::find_if(alike, runs_there, &Candidate::plan);
        const auto any_plan = [](const Plan&) { return true; };
        MinimalPlan minimal = chosen == alike.end() ? minimal_plan(evaluator_, rounds_, alike.front(), most, any_plan)
                                                    : minimal_plan(evaluator_, rounds_, *chosen, most, runs_there);
        result_.best = std::move(minimal.candidate);
        result_.elements = std::move(minimal.elements);
        result_.evaluations += minimal.evaluations;
    }

    void try_given_plan() {
        Candidate given = evaluator_.evaluate(*options_.from, "the plan to start from");
        if (!given.usable())
            throw InputError("", "the plan to start from cannot be used: " + given.refusal + remedy(given));
        // What does not hold was taken out of it.
        if (const std::string missing = locked_.missing_in(given.plan); !missing.empty())
            throw InputError("", "it cannot be kept, since the plan to start from does not carry it out: " + missing);
        result_.baselines.push_back(given);
        evaluate({{given.plan, given.origin}});
    }

    /// Which of a plan's overlaps by hand it would have to do without; empty where that is not what refuses it.
    std::string remedy(const Candidate& given) const {
        if (!given.changes_order) return {};
        Plan plan = given.plan;
        std::vector<OverlapDirective> all = std::exchange(plan.overlaps.list, {});
        if (all.empty() || !evaluator_.evaluate(plan, given.origin).usable())
            return "; its passes do that, and the search keeps the order, as its bound does, unless it may compute in "
                   "any "
                   "order";
        std::string moving;
        for (OverlapDirective& directive : all) {
            plan.overlaps.list.push_back(std::move(directive));
            if (evaluator_.evaluate(plan, given.origin).usable()) continue;
            moving += (moving.empty() ? "" : "; ") + describe(plan.overlaps.list.back());
            plan.overlaps.list.pop_back();
        }
        return ". The search keeps the order, as its bound does, unless it may compute in any order. Else remove from "
               "the plan the overlap by hand that moves it (" +
               moving + "), or do not start from this plan";
    }

    /// Simplicity costs little, and never makes a plan slower than one that was given or that anybody would try.
    double most_allowed_ms(const Candidate& best) const {
        double most_ms = best.step_ms * (1 + alike_share);
        for (const Candidate& baseline : result_.baselines) {
            if (baseline.usable() && rounds_.within_limit(baseline) && locked_.kept_in(baseline.plan))
                most_ms = std::min(most_ms, baseline.step_ms);
        }
        return std::max(most_ms, best.step_ms);
    }

    /// Within the limit, with the least of the peaks of all that are within `most_ms`, or about that. Not empty.
    std::vector<Candidate> lean(double most_ms) const {
        std::vector<Candidate> alike;
        for (const Candidate& candidate : rounds_.usable())
            if (rounds_.within_limit(candidate) && candidate.step_ms <= most_ms) alike.push_back(candidate);
        const std::int64_t most_bytes = most_allowed_bytes(alike);
        std::erase_if(alike, [&](const Candidate& candidate) { return candidate.corrected_peak_bytes > most_bytes; });
        return alike;
    }

    std::int64_t most_allowed_bytes(const std::vector<Candidate>& alike) const {
        const auto least = std::ranges::min_element(alike, {}, &Candidate::corrected_peak_bytes)->corrected_peak_bytes;
        const auto most = static_cast<std::int64_t>(static_cast<double>(least) / about_least_memory);
        return std::min(most, options_.memory_limit.value_or(most));
    }

    /// Lean plans that are alike, the shortest description first; of equal ones that with the shorter mean and worst
    /// step under disturbed costs. Not empty; the one with the shortest step alone where a stop was requested.
    std::vector<Candidate> finalists(std::vector<Candidate> alike) {
        const Candidate shortest_step = *std::ranges::min_element(alike, {}, &Candidate::step_ms);
        const auto length = [](const Candidate& candidate) { return description_length(candidate.plan); };
        std::ranges::stable_sort(alike, {}, length);
        if (alike.size() > most_finalists) alike.resize(most_finalists);
        alike.push_back(shortest_step);
        for (Candidate& candidate : alike) {
            evaluator_.disturb(candidate, options_.stop);
            if (rounds_.stopped()) return {shortest_step};
        }
        const double least_mean_ms = std::ranges::min(alike, {}, &Candidate::mean_ms).mean_ms;
        std::erase_if(
            alike, [&](const Candidate& candidate) { return candidate.mean_ms > least_mean_ms * (1 + robust_share); });
        std::ranges::stable_sort(alike, [&](const Candidate& left, const Candidate& right) {
            if (length(left) != length(right)) return length(left) < length(right);
            if (left.mean_ms != right.mean_ms) return left.mean_ms < right.mean_ms;
            return left.worst_ms < right.worst_ms;
        });
        return alike;
    }

    [[noreturn]] static void refuse_stopped() { throw InputError("", "stopped before any plan was found"); }

    [[noreturn]] void refuse_limit() const {
        if (rounds_.stopped()) refuse_stopped();
        std::int64_t least = 0;
        for (const Candidate& candidate : rounds_.usable())
            least = least == 0 ? candidate.corrected_peak_bytes : std::min(least, candidate.corrected_peak_bytes);
        throw InputError("memory limit", "no plan that was tried stays within " + bytes_text(*options_.memory_limit) +
                                             "; the least was " + bytes_text(least));
    }

    SearchOptions options_;
    std::shared_ptr<const StepWork> work_;
    CandidateEvaluator evaluator_;
    BoundUnderLimits bounds_;
    LockedParts locked_;
    std::vector<MemoryChoice> memory_settings_;
    SearchRounds rounds_;
    std::mt19937 random_;
    SearchResult result_;
};

}  // namespace

std::string end_text(const SearchResult& result, std::size_t effort) {
    const std::string plans = counted(result.evaluations, "plan");
    const std::string allowed = std::to_string(effort);
    if (result.stopped)
        return "stopped after " + plans + " of " + allowed + "; a search that goes on may find a better one";
    if (result.exhausted)
        return "it ended after " + plans + " of " + allowed + ", since no change to the best plans helps any more";
    return "it ended after " + plans + ": the effort of " + allowed +
           ", of which a part is kept to shorten what was found, is used up; a greater effort may find a better plan";
}

SearchResult search_plans(const std::shared_ptr<const Graph>& graph, const SearchOptions& options) {
    return Search(graph, options).run();
}

}  // namespace overlap

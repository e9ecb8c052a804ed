#include "core/search/minimal_plan.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <string>
#include <tuple>
#include <utility>

#include "core/search/plan_elements.h"

namespace overlap {
namespace {

constexpr double worthless_share = 0.001;

struct WeighedElement {
    ElementRemoval removal;
    PlanElement element;
    bool needed = true;  ///< it is locked, or without it the plan cannot be used or takes more memory than it may
};

class Minimizer {
  public:
    Minimizer(const CandidateEvaluator& evaluator, const SearchRounds& rounds, const Candidate& found,
              MinimalPlanLimits most, std::function<bool(const Plan&)> may_be)
        : evaluator_(evaluator), rounds_(rounds), most_(most), may_be_(std::move(may_be)), best_(found) {
        left_ = std::max<std::size_t>(8, rounds.limits().effort / 6);
    }

    MinimalPlan run() {
        // What is taken out changes what the others are worth.
        constexpr int most_passes = 3;
        std::vector<WeighedElement> weighed;
        for (int pass = 0; pass < most_passes; ++pass) {
            weighed = weigh();
            if (!take_out(weighed)) break;
            weighed.clear();
        }
        std::vector<PlanElement> elements = parts(std::move(weighed));  // of the best, which moves on behind that
        return {std::move(best_), std::move(elements), evaluations_};
    }

    /// Of the plan as it is: all of them, whatever the effort. Who reads what a plan is worth must not miss what is
    /// worth most.
    /// @param known the first of them, where they have been weighed.
    std::vector<PlanElement> parts(std::vector<WeighedElement> known = {}) {
        left_ = std::numeric_limits<std::size_t>::max();
        std::ranges::move(weigh(known.size()), std::back_inserter(known));
        if (rounds_.stopped()) return {};  // which of them were tried is not known
        return listed(known);
    }

  private:
    static std::vector<PlanElement> listed(const std::vector<WeighedElement>& weighed) {
        std::vector<PlanElement> elements;
        for (const WeighedElement& part : weighed) {
            const PlanElement& element = part.element;
            const bool counts = element.worth_ms != 0 || element.worth_bytes != 0 || !element.refusal.empty();
            if (!part.needed || counts) elements.push_back(element);
        }
        // What a plan cannot do without is worth more than any time.
        const auto order = [](const PlanElement& element) {
            return std::tuple(element.refusal.empty(), -element.worth_ms, -element.worth_bytes);
        };
        std::ranges::stable_sort(elements, {}, order);
        return elements;
    }

    PlanElement worth_of(std::string element, const Candidate& without) const {
        if (!without.usable()) return {std::move(element), 0, 0, without.refusal};
        return {std::move(element), without.step_ms - best_.step_ms,
                without.corrected_peak_bytes - best_.corrected_peak_bytes};
    }

    std::vector<Candidate> evaluate(std::vector<Proposal> proposals) {
        if (proposals.size() > left_) proposals.resize(left_);
        std::vector<Candidate> found =
            evaluate_all(evaluator_, std::move(proposals), rounds_.limits().threads, rounds_.limits().stop);
        left_ -= std::min(left_, found.size());
        evaluations_ += found.size();
        return found;
    }

    /// As many as the effort is left for. @param from the first one.
    std::vector<WeighedElement> weigh(std::size_t from = 0) {
        std::vector<ElementRemoval> removals = elements_of(best_.plan);
        removals.erase(removals.begin(), removals.begin() + static_cast<std::ptrdiff_t>(from));
        std::vector<Proposal> proposals;
        for (const ElementRemoval& removal : removals) proposals.push_back({without(best_.plan, {removal}), ""});
        const std::vector<Candidate> tried = evaluate(std::move(proposals));
        std::vector<WeighedElement> weighed;
        if (rounds_.stopped()) return weighed;  // which of them were tried is not known
        for (std::size_t index = 0; index < tried.size(); ++index) {
            const bool needed = !tried[index].usable() || tried[index].corrected_peak_bytes > most_.peak_bytes ||
                                !rounds_.locked().kept_in(tried[index].plan);
            PlanElement element = worth_of(removals[index].element, tried[index]);
            weighed.push_back({std::move(removals[index]), std::move(element), needed});
        }
        return weighed;
    }

    /// Those worth least first: all that are worth nothing, or half of them, and so on.
    bool take_out(std::vector<WeighedElement> weighed) {
        const double worthless_ms = worthless_share * best_.step_ms;
        std::erase_if(weighed,
                      [&](const WeighedElement& part) { return part.needed || part.element.worth_ms >= worthless_ms; });
        std::ranges::stable_sort(weighed, {}, [](const WeighedElement& part) { return part.element.worth_ms; });
        for (; !weighed.empty(); weighed.resize(weighed.size() / 2)) {
            std::vector<ElementRemoval> removals;
            for (const WeighedElement& part : weighed) removals.push_back(part.removal);
            std::vector<Candidate> tried = evaluate({{without(best_.plan, removals), best_.origin}});
            if (tried.empty()) return false;
            if (!tried[0].usable() || tried[0].step_ms > most_.step_ms) continue;
            if (tried[0].corrected_peak_bytes > most_.peak_bytes) continue;
            if (!rounds_.locked().kept_in(tried[0].plan) || !may_be_(tried[0].plan)) continue;
            best_ = std::move(tried[0]);
            return true;
        }
        return false;
    }

    const CandidateEvaluator& evaluator_;
    const SearchRounds& rounds_;
    MinimalPlanLimits most_;
    std::function<bool(const Plan&)> may_be_;
    Candidate best_;
    std::size_t left_ = 0, evaluations_ = 0;
};

}  // namespace

MinimalPlan minimal_plan(const CandidateEvaluator& evaluator, const SearchRounds& rounds, const Candidate& found,
                         MinimalPlanLimits most, const std::function<bool(const Plan&)>& may_be) {
    return Minimizer(evaluator, rounds, found, most, may_be).run();
}

std::vector<PlanElement> worth_of_parts(const std::shared_ptr<const Graph>& graph, const Plan& plan,
                                        const SearchOptions& options) {
    const CandidateEvaluator evaluator(graph, step_work(graph, options.time_source), options.time_source,
                                       options.any_order);
    const Candidate candidate = evaluator.evaluate(plan, {}, options.stop);
    if (!candidate.usable()) return {};
    const LockedParts nothing_locked;
    constexpr std::size_t enough = std::numeric_limits<std::size_t>::max();
    const SearchRounds rounds(
        evaluator, nothing_locked,
        {.effort = enough, .threads = std::max(1u, options.threads), .memory = std::nullopt, .stop = options.stop});
    const auto any_plan = [](const Plan&) { return true; };
    constexpr std::int64_t any_peak = std::numeric_limits<std::int64_t>::max();
    return Minimizer(evaluator, rounds, candidate, {candidate.step_ms, any_peak}, any_plan).parts();
}

}  // namespace overlap

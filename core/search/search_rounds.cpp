#include "core/search/search_rounds.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "core/plan/automatic_plan.h"
#include "core/search/moves.h"
#include "core/search/portfolio.h"

namespace overlap {
namespace {

constexpr unsigned most_stale = 3;  ///< rounds without gain after which a plan is left
/// Where any order may be, of what is left of the effort behind the portfolio, one in so many goes into plans that keep
/// it.
constexpr std::size_t ordered_part = 3;
constexpr std::size_t most_moves = 40;     ///< in one round
constexpr double gain_that_counts = 1e-5;  ///< share of the step
/// Of the step of the fastest, whatever its peak: where the best takes no more, memory decides little.
constexpr double decides_little = 1.03;

/// With its length, so that no two lists of names are alike.
void add_name(std::string& key, const std::string& name) {
    key.append(std::to_string(name.size())).append(":").append(name);
}

/// All of a value, where describe() says of a list only that it is one.
void add_value(std::string& key, const OptionValue& value) {
    key += describe(value);
    if (const auto* const lists = std::get_if<ModuleLists>(&value)) {
        for (const ModuleList& list : *lists) {
            key += '[';
            for (const std::string& module : list.modules) add_name(key, module);
        }
    } else if (const auto* const named = std::get_if<NamedIntegers>(&value)) {
        for (const auto& [name, number] : *named) {
            add_name(key, name);
            key.append("=").append(std::to_string(number));
        }
    } else if (const auto* const list = std::get_if<IntegerList>(&value)) {
        for (const std::int64_t number : *list) key.append(" ").append(std::to_string(number));
    }
}

/// Equal for plans that do the same.
std::string key_of(const Plan& plan) {
    std::string key;
    for (const PassStep& step : lower(plan)) {
        key += step.pass + '(';
        for (const auto& [name, value] : step.options) {
            key += name + '=';
            add_value(key, value);
            key += ',';
        }
        key += ')';
    }
    for (const OverlapDirective& directive : plan.overlaps.list) key += '\n' + describe(directive);
    for (const ModuleRule& rule : plan.module_rules) key += "\nrule " + describe(rule);
    if (!plan.overlaps.keep_group_order) key += "\novertaking";
    if (plan.overlaps.insert_overlap_deps) key += "\ndependencies";
    return key;
}

}  // namespace

SearchRounds::SearchRounds(const CandidateEvaluator& evaluator, const LockedParts& locked, Limits limits)
    : evaluator_(evaluator), locked_(locked), limits_(std::move(limits)) {}

bool SearchRounds::is_better(const Candidate& left, const Candidate& right, const std::optional<std::int64_t>& within) {
    const bool left_fits = is_within(left, within), right_fits = is_within(right, within);
    if (left_fits != right_fits) return left_fits;
    if (!left_fits) return left.corrected_peak_bytes < right.corrected_peak_bytes;
    if (left.step_ms != right.step_ms) return left.step_ms < right.step_ms;
    return left.exposed_ms < right.exposed_ms;
}

const Candidate* SearchRounds::best() const {
    return usable_.empty() || !within_limit(usable_[best_]) ? nullptr : &usable_[best_];
}

const Candidate* SearchRounds::fastest() const {
    const auto found = std::ranges::min_element(usable_, {}, &Candidate::step_ms);
    return found == usable_.end() ? nullptr : &*found;
}

bool SearchRounds::is_near_fastest(double share) const {
    const Candidate* const best = this->best();
    return best && best->step_ms <= fastest()->step_ms * share;
}

bool SearchRounds::fastest_is_within_limit() const {
    const Candidate* const fastest = this->fastest();
    return !fastest || within_limit(*fastest);
}

std::vector<Candidate> SearchRounds::evaluate(std::vector<Proposal> proposals) {
    std::erase_if(proposals, [&](const Proposal& proposal) { return !seen_.insert(key_of(proposal.plan)).second; });
    const std::size_t left = limits_.effort - std::min(limits_.effort, evaluations_);
    if (proposals.size() > left) proposals.resize(left);
    std::vector<Candidate> candidates = evaluate_all(evaluator_, std::move(proposals), limits_.threads, limits_.stop);
    evaluations_ += candidates.size();
    for (const Candidate& candidate : candidates) {
        if (!candidate.usable() || !locked_.kept_in(candidate.plan)) continue;
        usable_.push_back(candidate);
        if (is_better(candidate, usable_[best_])) best_ = usable_.size() - 1;
    }
    return candidates;
}

std::vector<Candidate> SearchRounds::evaluate_locked(std::vector<Proposal> proposals) {
    for (Proposal& proposal : proposals) proposal.plan = locked_.put_into(std::move(proposal.plan));
    return evaluate(std::move(proposals));
}

std::vector<SearchRounds::Incumbent> SearchRounds::incumbents(const Stretch& stretch) const {
    // The best two of each way to plan: what leads on need not begin as the best. Where memory decides little, the
    // second one is the best without overlaps by hand; elsewhere it may have another section of memory.
    const bool is_free = !stretch.within || is_near_fastest(decides_little);
    std::vector<Incumbent> chosen;
    for (const bool automatic : {true, false}) {
        std::vector<const Candidate*> of_kind;
        for (const Candidate& candidate : usable_) {
            if (is_automatic(candidate.plan) == automatic && (stretch.any_order || !candidate.changes_order))
                of_kind.push_back(&candidate);
        }
        std::ranges::stable_sort(of_kind, [&](const Candidate* left, const Candidate* right) {
            return is_better(*left, *right, stretch.within);
        });
        if (of_kind.empty()) continue;
        chosen.push_back({*of_kind[0]});
        const auto plain = std::ranges::find_if(
            of_kind, [](const Candidate* candidate) { return candidate->plan.overlaps.list.empty(); });
        if (is_free && plain != of_kind.end()) chosen.push_back({**plain, true});
        if (!is_free && of_kind.size() > 1) chosen.push_back({*of_kind[1]});
    }
    std::ranges::stable_sort(chosen, [&](const Incumbent& left, const Incumbent& right) {
        return is_better(left.candidate, right.candidate, stretch.within);
    });
    return chosen;
}

std::vector<Proposal> SearchRounds::moves_from(const Incumbent& incumbent, bool any_order, std::mt19937& random,
                                               const std::vector<MemoryChoice>& memory) const {
    const std::shared_ptr<const Evaluation> evaluation =
        evaluator_.evaluation_of(incumbent.candidate.plan, limits_.stop);
    std::vector<Proposal> moves;
    if (!evaluation) return moves;
    const auto add = [&](std::vector<Proposal> more) {
        for (Proposal& proposal : more) {
            proposal.plan = locked_.put_into(std::move(proposal.plan));
            moves.push_back(std::move(proposal));
        }
    };
    if (incumbent.stale == 0) add(overlap_moves(*evaluation));
    constexpr std::size_t advised = 3;
    add(advice_moves(evaluation, incumbent.stale * advised, advised, any_order, limits_.stop));
    if (any_order && incumbent.stale == 0) add(overtaking_moves(*evaluation));
    if (stopped()) return moves;
    add(bucket_moves(*evaluation, random, most_moves / 4));
    add(option_moves(incumbent.candidate.plan, random, most_moves / 4));
    if (incumbent.stale == 0) add(memory_moves(incumbent.candidate.plan, memory));
    constexpr std::size_t operators_tried = 8;
    if (incumbent.stale == 0 && !memory.empty()) add(operator_memory_moves(*evaluation, operators_tried));
    if (incumbent.stale == 0) add(group_proposals(evaluator_.graph(), incumbent.candidate.plan));
    return moves;
}

bool SearchRounds::improve(std::size_t effort, std::mt19937& random, const std::vector<MemoryChoice>& memory,
                           const std::optional<std::int64_t>& within, const std::function<void()>& after_round) {
    Stretch ordered{effort, false, within};
    if (!limits_.any_order) return improve(incumbents(ordered), ordered, random, memory, after_round);
    const Stretch any{effort, true, within};
    std::vector<Incumbent> begun = incumbents(any);
    const std::size_t left = effort - std::min(effort, evaluations_);
    ordered.effort = evaluations_ + left / ordered_part;
    improve(incumbents(ordered), ordered, random, memory, after_round);
    // What keeping the order has come to leads on, and what began in another order, too.
    for (Incumbent& incumbent : incumbents(ordered)) {
        const std::string key = key_of(incumbent.candidate.plan);
        const auto is_it = [&](const Incumbent& other) { return key_of(other.candidate.plan) == key; };
        if (std::ranges::none_of(begun, is_it)) begun.push_back(std::move(incumbent));
    }
    return improve(std::move(begun), any, random, memory, after_round);
}

bool SearchRounds::can_become(const Incumbent& incumbent, const Candidate& tried, const Stretch& stretch) const {
    if (!tried.usable() || !locked_.kept_in(tried.plan) || (!stretch.any_order && tried.changes_order)) return false;
    if (incumbent.plain && !tried.plan.overlaps.list.empty()) return false;
    const Candidate& now = incumbent.candidate;
    return is_better(tried, now, stretch.within) &&
           (tried.step_ms < now.step_ms * (1 - gain_that_counts) || !is_within(now, stretch.within));
}

/// Whether a plain incumbent is the plan of one that may have overlaps by hand.
bool SearchRounds::is_another(const Incumbent& incumbent, const std::vector<Incumbent>& all) {
    if (!incumbent.plain) return false;
    const std::string key = key_of(incumbent.candidate.plan);
    return std::ranges::any_of(
        all, [&](const Incumbent& other) { return !other.plain && key_of(other.candidate.plan) == key; });
}

/// Least stale first; with overlaps by hand and without in turn, else the best.
bool SearchRounds::comes_before(const Incumbent& left, const Incumbent& right, const Stretch& stretch) {
    if (left.stale != right.stale) return left.stale < right.stale;
    const bool of_one_way = is_automatic(left.candidate.plan) == is_automatic(right.candidate.plan);
    if (of_one_way && left.plain != right.plain && left.rounds != right.rounds) return left.rounds < right.rounds;
    return is_better(left.candidate, right.candidate, stretch.within);
}

bool SearchRounds::improve(std::vector<Incumbent> improved, const Stretch& stretch, std::mt19937& random,
                           const std::vector<MemoryChoice>& memory, const std::function<void()>& after_round) {
    while (evaluations_ < stretch.effort && !done()) {
        auto chosen = improved.end();
        for (auto incumbent = improved.begin(); incumbent != improved.end(); ++incumbent) {
            if (incumbent->stale >= most_stale || is_another(*incumbent, improved)) continue;
            if (chosen == improved.end() || comes_before(*incumbent, *chosen, stretch)) chosen = incumbent;
        }
        if (chosen == improved.end()) return true;
        const bool automatic = is_automatic(chosen->candidate.plan);
        const std::vector<Candidate> tried = evaluate(moves_from(*chosen, stretch.any_order, random, memory));
        ++chosen->stale;
        ++chosen->rounds;
        // What helps another one than the one that was changed leads on there.
        for (Incumbent& incumbent : improved) {
            const bool of_one_way = is_automatic(incumbent.candidate.plan) == automatic;
            if (&incumbent != &*chosen && (!of_one_way || incumbent.plain == chosen->plain)) continue;
            const Candidate* found = nullptr;
            for (const Candidate& candidate : tried) {
                if (can_become(incumbent, candidate, stretch) &&
                    (!found || is_better(candidate, *found, stretch.within)))
                    found = &candidate;
            }
            if (!found) continue;
            incumbent.candidate = *found;
            incumbent.stale = 0;
        }
        after_round();
    }
    return false;
}

}  // namespace overlap

#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <stop_token>
#include <string>
#include <unordered_set>
#include <vector>

#include "core/plan/memory_choices.h"
#include "core/search/candidate.h"
#include "core/search/plan_locks.h"

namespace overlap {

/// The evaluations of one search: how many there may be, which plans have been seen, and the best of all. What it does
/// depends on the plans that it is given, not on time.
class SearchRounds {
  public:
    struct Limits {
        std::size_t effort = 0;
        unsigned threads = 1;
        std::optional<std::int64_t> memory;
        bool any_order = false;  ///< of heavy compute
        std::stop_token stop{};
    };

    /// @param locked what plans that are found must have.
    SearchRounds(const CandidateEvaluator& evaluator, const LockedParts& locked, Limits limits);

    /// Evaluates those that are new, as far as the effort allows. @returns them in order, also those that do not have
    /// what is locked: they are to compare with.
    std::vector<Candidate> evaluate(std::vector<Proposal> proposals);

    /// The same, with what is locked put into each.
    std::vector<Candidate> evaluate_locked(std::vector<Proposal> proposals);

    /// From the best of what has been evaluated, plans that differ a little, round after round, until nothing that is
    /// tried helps or `effort` evaluations have been made. Where any order may be, a third of what is left of the
    /// effort goes into plans that keep it: they are easier to improve, and the best of them is where the others begin.
    /// @returns whether nothing helps any more.
    /// @param memory what may be tried of memory (see memory_settings()).
    /// @param after_round called with the best so far.
    /// @param within what peaks of plans are to stay within; not the search's limit, where plans beyond it are to lead
    /// to others.
    bool improve(std::size_t effort, std::mt19937& random, const std::vector<MemoryChoice>& memory,
                 const std::optional<std::int64_t>& within, const std::function<void()>& after_round);

    bool done() const { return evaluations_ >= limits_.effort || limits_.stop.stop_requested(); }
    bool stopped() const { return limits_.stop.stop_requested(); }
    std::size_t evaluations() const { return evaluations_; }
    const Limits& limits() const { return limits_; }
    /// Usable and within the limit, the shortest step first; nothing where there is none.
    const Candidate* best() const;
    /// The shortest step, whatever its peak; nullptr where nothing is usable.
    const Candidate* fastest() const;
    /// Whether the best takes at most so many times what the fastest takes.
    bool is_near_fastest(double share) const;
    /// Also where nothing is usable, so that there is no fastest.
    bool fastest_is_within_limit() const;
    /// All that are usable and have what is locked, in order of evaluation, whatever their peak.
    const std::vector<Candidate>& usable() const { return usable_; }
    const LockedParts& locked() const { return locked_; }
    bool within_limit(const Candidate& candidate) const { return is_within(candidate, limits_.memory); }
    /// Whether the first is better: within the limit, then shorter, then with less exposed.
    bool is_better(const Candidate& left, const Candidate& right) const {
        return is_better(left, right, limits_.memory);
    }

  private:
    /// A plan that is being improved, and how often in a row nothing has helped.
    struct Incumbent {
        Candidate candidate;
        /// Overlaps by hand are not taken: they fit one choice of passes and memory, and hold on to it.
        bool plain = false;
        unsigned stale = 0;
        unsigned rounds = 0;  ///< in which it was improved
    };

    /// What a stretch of improvement may do.
    struct Stretch {
        std::size_t effort = 0;  ///< evaluations of the search after which it ends
        bool any_order = false;
        std::optional<std::int64_t> within{};  ///< what peaks are to stay within
    };

    static bool is_within(const Candidate& candidate, const std::optional<std::int64_t>& memory) {
        return !memory || candidate.corrected_peak_bytes <= *memory;
    }
    static bool is_better(const Candidate& left, const Candidate& right, const std::optional<std::int64_t>& within);

    /// improve() from given plans, by plans of one kind: that keep the order of heavy compute, or any.
    bool improve(std::vector<Incumbent> improved, const Stretch& stretch, std::mt19937& random,
                 const std::vector<MemoryChoice>& memory, const std::function<void()>& after_round);
    std::vector<Incumbent> incumbents(const Stretch& stretch) const;
    /// Whether an incumbent may become a plan that was tried, and whether that helps.
    bool can_become(const Incumbent& incumbent, const Candidate& tried, const Stretch& stretch) const;
    static bool is_another(const Incumbent& incumbent, const std::vector<Incumbent>& all);
    static bool comes_before(const Incumbent& left, const Incumbent& right, const Stretch& stretch);
    std::vector<Proposal> moves_from(const Incumbent& incumbent, bool any_order, std::mt19937& random,
                                     const std::vector<MemoryChoice>& memory) const;

    const CandidateEvaluator& evaluator_;
    const LockedParts& locked_;
    Limits limits_;
    std::size_t evaluations_ = 0;
    std::unordered_set<std::string> seen_;
    std::vector<Candidate> usable_;
    std::size_t best_ = 0;
};

}  // namespace overlap

#pragma once

#include <cstdint>
#include <vector>

#include "core/search/candidate.h"
#include "core/search/search_rounds.h"

namespace overlap {

/// Plans that were found and are alike: within the limit, about as fast as the best, with about the least memory.
class AlikePlans {
  public:
    /// @param rounds with a best plan; must outlive this.
    /// @param baselines what the plan that is taken is not to be slower than, as far as they are within the limit and
    /// have what is locked.
    AlikePlans(const SearchRounds& rounds, const std::vector<Candidate>& baselines);

    /// What the plan that is taken may come to: simplicity costs little, and never makes a plan slower than one that
    /// was given or that anybody would try.
    double most_ms() const { return most_ms_; }
    std::int64_t most_bytes() const { return most_bytes_; }

    /// The one with the shortest step.
    const Candidate& shortest() const;

    /// The shortest description first; of equal ones that with the shorter mean and worst step under disturbed costs.
    /// Without those whose mean is longer than that of others. Not empty; shortest() alone where a stop was requested.
    std::vector<Candidate> by_description(const CandidateEvaluator& evaluator) const;

  private:
    const SearchRounds& rounds_;
    double most_ms_ = 0;
    std::int64_t most_bytes_ = 0;
    std::vector<Candidate> plans_;  ///< not empty
};

}  // namespace overlap

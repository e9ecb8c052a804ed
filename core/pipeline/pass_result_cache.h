#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <mutex>

#include "core/graph/graph.h"
#include "core/passes/pass.h"

namespace overlap {

/// What a step of a pipeline made of a graph.
struct KnownPassResult {
    std::shared_ptr<const Graph> given;
    PassStep step;  ///< as it was run
    PassResult result;
    double run_ms = 0;  ///< of the pass
};

/// Results of steps that ran, so that a plan which begins like an earlier one continues where the two part, and one
/// whose figures alone change runs no pass again. A pass has no state and graphs never change, so that its result
/// follows from the graph that it is given (the object, not one that is equal) and the step's options.
///
/// The results that were not asked for longest are dropped, by their number and by the nodes that all of them have. Any
/// thread may use a cache.
class PassResultCache {
  public:
    /// Two plans with the longest pipelines of the trainer.
    static constexpr std::size_t default_capacity = 24;

    /// Some hundred MiB, where passes leave no array alone.
    static constexpr std::size_t default_most_nodes = 1'000'000;

    explicit PassResultCache(std::size_t capacity = default_capacity, std::size_t most_nodes = default_most_nodes)
        : capacity_(capacity), most_nodes_(most_nodes) {}

    /// @returns null where the result is not known.
    std::shared_ptr<const KnownPassResult> find(const std::shared_ptr<const Graph>& given, const PassStep& step);
    /// @returns the result that is kept: of two threads that ran the same step, that of the first.
    std::shared_ptr<const KnownPassResult> keep(KnownPassResult made);

  private:
    std::shared_ptr<const KnownPassResult> found(const Graph* given, const PassStep& step);

    std::mutex lock_;
    std::size_t capacity_, most_nodes_;
    std::size_t nodes_ = 0;                                      ///< of all results
    std::list<std::shared_ptr<const KnownPassResult>> results_;  ///< the one that was used last comes first
};

}  // namespace overlap

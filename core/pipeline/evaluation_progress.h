#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "core/pipeline/evaluation.h"

namespace overlap {

/// How far an evaluation is.
struct EvaluationProgress {
    /// What begins: the name of a pass, `overlaps` (those by hand), `simulation`, `memory`; empty at the end.
    std::string part;
    std::size_t done = 0, of = 0;  ///< parts; those that a refused plan leaves out are done
};

/// Called on the thread that evaluates.
using EvaluationProgressCall = std::function<void(const EvaluationProgress&)>;

/// As evaluate() and, without a plan, evaluate_baseline(); says which part of it begins.
/// @param plan null for none.
std::shared_ptr<const Evaluation> evaluate_telling(const std::shared_ptr<const Graph>& graph, const Plan* plan,
                                                   EvaluationProgressCall progress, std::stop_token stop = {},
                                                   std::shared_ptr<const TimeSource> time_source = nullptr);

/// As execute(). @param begins called with the index of each step that is not switched off, or how many there are for
/// the overlaps by hand, and the name of the part.
std::optional<Execution> execute_telling(std::shared_ptr<const ResolvedPlan> resolved, ExecutionOptions options,
                                         std::function<void(std::size_t, const std::string&)> begins);

}  // namespace overlap

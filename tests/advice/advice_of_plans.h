#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "core/advice/advice.h"
#include "core/advice/collective_advice.h"
#include "core/pipeline/evaluation.h"
#include "core/plan/plan.h"
#include "core/plan/plan_edits.h"
#include "tests/support/test_graphs.h"

/// What tests of advice ask of the graphs of tests.
namespace overlap::test {

inline std::shared_ptr<const Evaluation> evaluated(const char* graph, Buckets buckets = {}) {
    const auto input = test_graph(graph);
    Plan plan = make_plan(*input, "Plan A");
    plan.buckets = std::move(buckets);
    return evaluate(input, plan);
}

/// Of the collectives that are exposed longest.
inline std::vector<Advice> advice_for_worst(const std::shared_ptr<const Evaluation>& evaluation, std::size_t most) {
    std::vector<Advice> all;
    for (const std::size_t collective : most_exposed(*evaluation, most))
        for (Advice& advice : advice_for(evaluation, collective)) all.push_back(std::move(advice));
    return all;
}

}  // namespace overlap::test

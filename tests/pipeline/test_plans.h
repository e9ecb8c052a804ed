#pragma once

#include <memory>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "core/graph/graph.h"
#include "core/plan/plan.h"

namespace overlap {

/// A plan on a graph, and the expected result.
struct TestPlan {
    std::string name;
    std::string graph;            ///< of tests/data/graphs, without ending
    std::string fields;           ///< of the plan's document; or `preset NAME`
    std::set<std::string> kinds;  ///< of problems of the plan, without those of figures
    std::string refused_at{};     ///< the place where it is refused; empty where it is not
    bool timed = true;            ///< false: the graph's times and cost model are removed

    Plan plan(const Graph& on) const;
};

inline void PrintTo(const TestPlan& plan, std::ostream* out) {
    *out << plan.name;
}

/// Good plans, refused ones, and plans with each kind of problem.
const std::vector<TestPlan>& test_plans();

/// The graph without times of nodes and without a cost model, as an import gives it.
std::shared_ptr<const Graph> without_times(const std::shared_ptr<const Graph>& graph);

}  // namespace overlap

// libFuzzer target: a pass on an edited graph refuses it or makes a graph that is in order, or says that it is not, and
// has a peak of memory. One result in five is written and read.

#include <algorithm>

#include "core/memory/memory_profile.h"
#include "core/passes/pass.h"
#include "core/passes/registry/registry.h"
#include "tests/fuzz/edited_graph.h"
#include "tests/fuzz/edited_plan.h"
#include "tests/fuzz/readable_graph.h"

namespace overlap::fuzz {
namespace {

bool is_sorted(const Graph& graph) {
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        if (std::ranges::any_of(graph.inputs(node), [&](NodeId input) { return input >= node; })) return false;
    }
    return true;
}

bool tells_disorder(const PassReport& report) {
    return std::ranges::any_of(report.problems, [](const Problem& problem) {
        return problem.kind == ProblemKind::order_left_open || problem.kind == ProblemKind::cyclic_order;
    });
}

}  // namespace
}  // namespace overlap::fuzz

void overlap::fuzz::run(std::string_view input) {
    Choices choices(input);
    const auto graph = edited_graph(choices);
    const PassStep step = chosen_step(*graph, choices);
    const Pass& pass = require_pass(step.pass);
    check_options(pass, step.options);
    const PassResult result = pass.run(graph, step.options, {});
    require(result.origin.size() == result.graph->node_count(), "nodes of the result have no origin");
    const bool sorted = is_sorted(*result.graph);
    require(sorted != tells_disorder(result.report), "a result is not in order and does not say so, or says so and is");
    // To write and to read takes longer than most passes.
    if (sorted && choices.by_lot(5)) require_readable(*result.graph);
    require(memory_profile(*result.graph, StorageRule::reference).peak_bytes >= 0, "the peak of memory is negative");
}

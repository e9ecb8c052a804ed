// libFuzzer target: a pass on an edited graph refuses it or makes a graph that can be written, read and simulated.

#include <cmath>

#include "core/cost/cost_model.h"
#include "core/io/graph_file.h"
#include "core/passes/pass.h"
#include "core/simulate/memory_profile.h"
#include "tests/fuzz/edited_graph.h"
#include "tests/fuzz/edited_plan.h"
#include "tests/fuzz/fuzz_target.h"

void overlap::fuzz::run(std::string_view input) {
    Choices choices(input);
    const auto graph = edited_graph(choices);
    const PassStep step = chosen_step(*graph, choices);
    const Pass& pass = require_pass(step.pass);
    check_options(pass, step.options);
    const PassResult result = pass.run(graph, step.options, {});
    require(result.origin.size() == result.graph->node_count(), "nodes of the result have no origin");
    const std::string text = write_graph_text(*result.graph);
    require(write_graph_text(*read_graph_text(text, "again")) == text, "a result was read back as another graph");
    require(memory_profile(*result.graph).peak_bytes >= 0, "the peak of memory is negative");
}

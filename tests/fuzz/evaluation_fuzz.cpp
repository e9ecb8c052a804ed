// libFuzzer target: a plan on an edited graph is worked out from lowering to memory, and its problems are sentences.

#include <cmath>

#include "core/base/error.h"
#include "core/explain/explain.h"
#include "core/pipeline/evaluation.h"
#include "core/pipeline/manual_start.h"
#include "core/plan/automatic_plan.h"
#include "tests/fuzz/edited_graph.h"
#include "tests/fuzz/edited_plan.h"
#include "tests/fuzz/fuzz_target.h"

void overlap::fuzz::run(std::string_view input) {
    Choices choices(input);
    const auto graph = edited_graph(choices);
    const Plan plan = chosen_plan(*graph, choices);
    std::shared_ptr<const Evaluation> evaluation;
    try {
        evaluation = evaluate(graph, plan);
    } catch (const InputError&) {
        require(false, "an evaluation threw, where it is to tell a problem");
    }
    require(evaluation != nullptr, "an evaluation that nobody stopped has no result");
    const Simulation& simulation = evaluation->simulation;
    require(std::isfinite(simulation.step_ms) && simulation.exposed_ms <= simulation.step_ms * (1 + 1e-9),
            "more time is exposed than the step takes");
    for (const Problem& problem : evaluation->problems) require(!problem.message.empty(), "a problem says nothing");
    if (!simulation.collectives.empty()) {
        explain_result(*evaluation, choices.one_of(simulation.collectives).start);
    }
    final_buckets(*evaluation);
}

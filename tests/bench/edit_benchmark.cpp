// What an edit in the window costs, from the changed plan to its figures, on the samples with torchtitan's pipeline.
//
// anew/...     nothing is known: every pass runs, the streams and both memory estimates
// buckets/...  one module less in the buckets, where the plan was evaluated before
// figures/...  the same plan again, as where its times change: passes need not run
// passes/...   the passes alone
#include <benchmark/benchmark.h>

#include <string>

#include "core/base/freed_memory.h"
#include "core/io/graph_file.h"
#include "core/pipeline/evaluation.h"
#include "core/plan/expert_overlap.h"
#include "core/plan/presets.h"

namespace {

using namespace overlap;

struct Edited {
    std::shared_ptr<const Graph> graph;
    Plan before, after;
};

/// torchtitan's pipeline for a graph, with one bucket a block; with expert overlap where the graph is traced for it.
Edited edited(const std::string& file) {
    Edited made;
    made.graph = read_graph_file(file);
    const ModuleTree tree(*made.graph, preferred_module_source(*made.graph));
    made.before = plan_of(pipeline_presets(*made.graph).front(), *made.graph, "Plan");
    const ExpertOverlapChoices choices = expert_overlap_choices(*made.graph, tree);
    if (!choices.list.empty()) made.before = edits::with_expert_overlap(made.before, choices.list.front());
    if (made.before.buckets.empty()) made.before.buckets = one_bucket_per_block(tree, made.graph.get());
    made.after = made.before;
    made.after.buckets.pop_back();
    return made;
}

void anew(benchmark::State& state, const Edited& plan) {
    for (auto _ : state) benchmark::DoNotOptimize(evaluate(plan.graph, plan.after));
    state.counters["nodes"] = plan.graph->node_count();
}

void passes(benchmark::State& state, const Edited& plan) {
    const auto resolved = resolve(plan.graph, plan.after);
    for (auto _ : state) benchmark::DoNotOptimize(execute(resolved));
}

/// Each edit in turn, there and back, with a cache that holds no more than the other steps: the last ones run each
/// time.
void buckets(benchmark::State& state, const Edited& plan) {
    const std::size_t steps = evaluate(plan.graph, plan.before)->steps.size();
    const auto cache = std::make_shared<PassResultCache>(steps);
    auto shown = evaluate(plan.graph, plan.before, {}, nullptr, cache);
    bool there = false;
    for (auto _ : state) {
        there = !there;
        shown = evaluate_like(*shown, there ? plan.after : plan.before);
    }
}

void figures(benchmark::State& state, const Edited& plan) {
    const auto cache = std::make_shared<PassResultCache>();
    const auto shown = evaluate(plan.graph, plan.after, {}, nullptr, cache);
    for (auto _ : state) benchmark::DoNotOptimize(evaluate_like(*shown, plan.after));
}

}  // namespace

int main(int argument_count, char** arguments) {
    overlap::keep_freed_memory();
    benchmark::Initialize(&argument_count, arguments);
    if (benchmark::ReportUnrecognizedArguments(argument_count, arguments)) return 2;
    const std::string samples = OVERLAP_TEST_DATA "/../../resources/samples/";
    const std::pair<std::string, Edited> plans[] = {
        {"buckets", edited(samples + "llama3_8b_fsdp128.prebucket.graph.json.gz")},
        {"memory", edited(OVERLAP_TEST_DATA "/graphs/llama3_8b_fsdp64.graph.json.gz")},
        {"experts", edited(samples + "deepseek_v3_16b_fsdp32_ep32.graph.json.gz")},
    };
    const std::pair<std::string, void (*)(benchmark::State&, const Edited&)> rows[] = {
        {"anew", anew}, {"buckets", buckets}, {"figures", figures}, {"passes", passes}};
    for (const auto& [name, plan] : plans) {
        for (const auto& [row, run] : rows)
            benchmark::RegisterBenchmark((row + "/" + name).c_str(), run, plan)->Unit(benchmark::kMillisecond);
    }
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}

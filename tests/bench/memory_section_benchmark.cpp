// What a change of a plan's memory section costs: one evaluation, and all points of the chart of step against peak.
#include <benchmark/benchmark.h>

#include "core/base/freed_memory.h"
#include "core/io/graph_file.h"
#include "core/memory/memory_kinds.h"
#include "core/pipeline/evaluation.h"
#include "core/plan/memory_choices.h"
#include "core/plan/memory_edits.h"
#include "core/plan/presets.h"

namespace overlap {
namespace {

struct Sample {
    std::shared_ptr<const Graph> graph;
    std::vector<Plan> plans;  ///< torchtitan's, with each memory choice
};

/// A graph before the memory passes.
const Sample& sample() {
    static const Sample made = [] {
        Sample each;
        each.graph = read_graph_file(OVERLAP_TEST_DATA "/graphs/llama3_8b_fsdp64.graph.json.gz");
        const Plan plan = plan_of(pipeline_presets(*each.graph).front(), *each.graph, "Plan A");
        const ModuleTree tree(*each.graph, preferred_module_source(*each.graph));
        for (const MemoryChoice& choice : memory_choices(tree))
            each.plans.push_back(edits::with_memory(plan, choice.section));
        return each;
    }();
    return made;
}

void evaluate_section(benchmark::State& state) {
    const Sample& of = sample();
    const Plan& plan = of.plans[static_cast<std::size_t>(state.range(0))];
    for (auto _ : state) benchmark::DoNotOptimize(evaluate(of.graph, plan));
    state.SetLabel(plan.memory->policy + ' ' + memory_rules_text(plan.memory->rules).substr(0, 24));
}
BENCHMARK(evaluate_section)->DenseRange(0, 8)->Unit(benchmark::kMillisecond);

/// What a user waits for who changes the section of a plan that is shown: what comes before it is known.
void change_section(benchmark::State& state) {
    const Sample& of = sample();
    const auto index = static_cast<std::size_t>(state.range(0));
    const Plan &shown = of.plans[index == 0 ? 1 : 0], &plan = of.plans[index];
    for (auto _ : state) {
        state.PauseTiming();
        const auto cache = std::make_shared<PassResultCache>();
        benchmark::DoNotOptimize(evaluate(of.graph, shown, {}, nullptr, cache));
        state.ResumeTiming();
        benchmark::DoNotOptimize(evaluate(of.graph, plan, {}, nullptr, cache));
    }
    state.SetLabel(plan.memory->policy + ' ' + memory_rules_text(plan.memory->rules).substr(0, 24));
}
BENCHMARK(change_section)->DenseRange(0, 8)->Unit(benchmark::kMillisecond);

void evaluate_all_choices(benchmark::State& state) {
    for (auto _ : state) {
        const auto cache = std::make_shared<PassResultCache>();
        for (const Plan& plan : sample().plans)
            benchmark::DoNotOptimize(evaluate(sample().graph, plan, {}, nullptr, cache));
    }
    state.counters["points"] = static_cast<double>(sample().plans.size());
}
BENCHMARK(evaluate_all_choices)->Unit(benchmark::kMillisecond);

void split_by_kind(benchmark::State& state) {
    const auto evaluation = evaluate(sample().graph, sample().plans.front());
    for (auto _ : state) benchmark::DoNotOptimize(memory_by_kind(*evaluation->graph));
}
BENCHMARK(split_by_kind)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace overlap

int main(int argument_count, char** arguments) {
    overlap::keep_freed_memory();
    benchmark::Initialize(&argument_count, arguments);
    if (benchmark::ReportUnrecognizedArguments(argument_count, arguments)) return 2;
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}

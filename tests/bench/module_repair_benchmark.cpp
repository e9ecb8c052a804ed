// What it costs to give modules to the nodes of a graph that has none, and what is left of it in an evaluation: edits
// of buckets must not pay for rules that stay the same.
#include <benchmark/benchmark.h>

#include <nlohmann/json.hpp>

#include "core/io/graph_file.h"
#include "core/modules/module_proposals.h"
#include "core/modules/rule_matches.h"
#include "core/pipeline/evaluation.h"

namespace overlap {
namespace {

/// A large graph without modules, as a log has it, and the rules that the graph suggests.
struct Stripped {
    std::shared_ptr<const Graph> graph;
    std::vector<ModuleRule> rules;
};

const Stripped& stripped() {
    static const Stripped made = [] {
        const auto graph =
            read_graph_file(std::string(OVERLAP_TEST_DATA "/graphs/llama3_70b_fsdp256.prebucket.graph.json.gz"));
        auto document = nlohmann::ordered_json::parse(write_graph_text(*graph));
        for (auto& node : document["nodes"])
            if (node.contains("custom")) node["custom"].erase("module_fqn");
        Stripped large;
        large.graph = read_graph_text(document.dump(), "stripped");
        large.rules = recommended_rules(propose_module_rules(large.graph));
        return large;
    }();
    return made;
}

void count_nodes(benchmark::State& state) {
    state.counters["nodes"] = stripped().graph->node_count();
    state.counters["rules"] = static_cast<double>(stripped().rules.size());
}

void propose(benchmark::State& state) {
    const Stripped& large = stripped();
    for (auto _ : state) benchmark::DoNotOptimize(propose_module_rules(large.graph));
    count_nodes(state);
}
BENCHMARK(propose)->Unit(benchmark::kMillisecond);

void match(benchmark::State& state) {
    for (auto _ : state) benchmark::DoNotOptimize(match_rules(*stripped().graph, stripped().rules, {}));
    count_nodes(state);
}
BENCHMARK(match)->Unit(benchmark::kMillisecond);

/// Each time with another rule at the end, so that nothing is known from before.
void repair(benchmark::State& state) {
    std::vector<ModuleRule> rules = stripped().rules;
    ModuleRule last;
    last.kind = ModuleRule::Kind::nodes;
    last.nodes = {"nobody"};
    rules.push_back(last);
    int number = 0;
    for (auto _ : state) {
        rules.back().module = "module" + std::to_string(++number);
        benchmark::DoNotOptimize(repair_modules(stripped().graph, rules));
    }
    count_nodes(state);
}
BENCHMARK(repair)->Unit(benchmark::kMillisecond);

void repair_again(benchmark::State& state) {
    for (auto _ : state) benchmark::DoNotOptimize(repair_modules(stripped().graph, stripped().rules));
    count_nodes(state);
}
BENCHMARK(repair_again)->Unit(benchmark::kMillisecond);

void evaluate_plan(benchmark::State& state) {
    Plan plan;
    if (state.range(0) != 0) plan.module_rules = stripped().rules;
    for (auto _ : state) benchmark::DoNotOptimize(evaluate(stripped().graph, plan));
    count_nodes(state);
}
BENCHMARK(evaluate_plan)->ArgName("rules")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace overlap

BENCHMARK_MAIN();

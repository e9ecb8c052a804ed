// What an edit of a plan costs after its passes have run: times, streams and memory of the largest graph at hand.
// Budgets for 10,000 nodes: analytic model 5 ms, simulation 2 ms, memory 2 ms.
#include <benchmark/benchmark.h>

#include <filesystem>

#include "core/cost/cost_model.h"
#include "core/io/graph_file.h"
#include "core/simulate/chrome_trace.h"
#include "core/simulate/simulation_json.h"

namespace overlap {
namespace {

const Graph& large_graph() {
    static const std::shared_ptr<const Graph> graph = [] {
        const std::string name = "/graphs/llama3_70b_fsdp256.prebucket.graph.json.gz";
        const std::string shared = OVERLAP_SHARED_DATA + name;
        return read_graph_file(std::filesystem::exists(shared) ? shared : OVERLAP_TEST_DATA + name);
    }();
    return *graph;
}

void count_nodes(benchmark::State& state) {
    state.counters["nodes"] = large_graph().node_count();
    state.counters["nodes/s"] = benchmark::Counter(static_cast<double>(large_graph().node_count()),
                                                   benchmark::Counter::kIsIterationInvariantRate);
}

void analytic_times(benchmark::State& state) {
    for (auto _ : state) benchmark::DoNotOptimize(analytic_times_ms(large_graph()));
    count_nodes(state);
}
BENCHMARK(analytic_times)->Unit(benchmark::kMicrosecond);

void times_for_simulation(benchmark::State& state) {
    for (auto _ : state) benchmark::DoNotOptimize(node_times_ms(large_graph()));
    count_nodes(state);
}
BENCHMARK(times_for_simulation)->Unit(benchmark::kMicrosecond);

void stream_model(benchmark::State& state) {
    const std::vector<double> times = node_times_ms(large_graph());
    for (auto _ : state) benchmark::DoNotOptimize(simulate(large_graph(), times));
    count_nodes(state);
}
BENCHMARK(stream_model)->Unit(benchmark::kMicrosecond);

void memory(benchmark::State& state) {
    const auto rule = state.range(0) == 0 ? StorageRule::reference : StorageRule::corrected;
    for (auto _ : state) benchmark::DoNotOptimize(memory_profile(large_graph(), rule));
    count_nodes(state);
}
BENCHMARK(memory)->ArgName("corrected")->Arg(0)->Arg(1)->Unit(benchmark::kMicrosecond);

void written_as_json(benchmark::State& state) {
    const Simulation simulation = simulate(large_graph(), node_times_ms(large_graph()));
    const MemoryProfile profile = memory_profile(large_graph(), StorageRule::corrected);
    for (auto _ : state) benchmark::DoNotOptimize(simulation_json(large_graph(), simulation, profile));
    count_nodes(state);
}
BENCHMARK(written_as_json)->Unit(benchmark::kMicrosecond);

void written_as_chrome_trace(benchmark::State& state) {
    const Simulation simulation = simulate(large_graph(), node_times_ms(large_graph()));
    const MemoryProfile profile = memory_profile(large_graph(), StorageRule::corrected);
    for (auto _ : state) benchmark::DoNotOptimize(chrome_trace_json(large_graph(), simulation, profile));
    count_nodes(state);
}
BENCHMARK(written_as_chrome_trace)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace overlap

BENCHMARK_MAIN();

// What opening, copying and writing a real graph costs, and building its module tree.

#include <benchmark/benchmark.h>

#include <memory>

#include "core/graph/editing/graph_editor.h"
#include "core/graph/module_tree.h"
#include "core/io/graph_file.h"

namespace overlap {
namespace {

constexpr const char* large = OVERLAP_TEST_DATA "/graphs/llama3_70b_fsdp256.prebucket.graph.json.gz";
constexpr const char* middle = OVERLAP_TEST_DATA "/graphs/llama3_8b_fsdp64.prebucket.graph.json.gz";

void name_and_count(benchmark::State& state, const char* file, const Graph& graph) {
    state.SetLabel(std::string(file).substr(std::string(file).rfind('/') + 1));
    state.counters["nodes"] = graph.node_count();
}

void read_compressed(benchmark::State& state, const char* file) {
    std::shared_ptr<const Graph> graph;
    for (auto _ : state) graph = read_graph_file(file);
    name_and_count(state, file, *graph);
}

void read_plain(benchmark::State& state, const char* file) {
    const std::string text = write_graph_text(*read_graph_file(file));
    std::shared_ptr<const Graph> graph;
    for (auto _ : state) graph = read_graph_text(text, file);
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
    name_and_count(state, file, *graph);
}

void write(benchmark::State& state, const char* file) {
    const auto graph = read_graph_file(file);
    std::size_t bytes = 0;
    for (auto _ : state) bytes = write_graph_text(*graph).size();
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes));
    name_and_count(state, file, *graph);
}

void copy(benchmark::State& state, const char* file) {
    const auto graph = read_graph_file(file);
    for (auto _ : state) {
        Graph copied = *graph;
        benchmark::DoNotOptimize(copied);
    }
    name_and_count(state, file, *graph);
}

void open_editor(benchmark::State& state, const char* file) {
    const auto graph = read_graph_file(file);
    for (auto _ : state) {
        GraphEditor editor(graph);
        benchmark::DoNotOptimize(editor);
    }
    name_and_count(state, file, *graph);
}

void module_tree(benchmark::State& state, const char* file) {
    const auto graph = read_graph_file(file);
    for (auto _ : state) {
        const ModuleTree tree(*graph, preferred_module_source(*graph));
        benchmark::DoNotOptimize(tree.module_count());
    }
    name_and_count(state, file, *graph);
}

BENCHMARK_CAPTURE(read_compressed, middle, middle)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read_compressed, large, large)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read_plain, large, large)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(write, large, large)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(copy, large, large)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(open_editor, large, large)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(module_tree, large, large)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace overlap

BENCHMARK_MAIN();

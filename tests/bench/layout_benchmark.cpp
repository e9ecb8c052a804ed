// What the graph view costs without drawing: boxes of a graph, the first arrangement, opening a block.

#include <benchmark/benchmark.h>

#include <random>

#include "core/io/graph_file.h"
#include "core/layout/arrangement.h"
#include "core/views/box_places.h"
#include "tests/support/repeated_layers.h"

namespace overlap {
namespace {

constexpr const char* middle = OVERLAP_TEST_DATA "/graphs/llama3_8b_fsdp64.prebucket.graph.json.gz";
constexpr const char* large = OVERLAP_TEST_DATA "/graphs/llama3_70b_fsdp256.prebucket.graph.json.gz";

std::shared_ptr<const Graph> graph_of_layers(std::uint32_t repetitions) {
    return test::repeat_layers(*read_graph_file(middle), repetitions);
}

ArrangementOptions sizes(const BoxTree& tree) {
    ArrangementOptions options;
    options.closed_size = [&tree](BoxId box) {
        return tree.box(box).kind == BoxKind::operation ? LayoutSize{120, 28} : LayoutSize{168, 48};
    };
    options.open_width = [](BoxId) { return 200.0; };
    return options;
}

void make_boxes(benchmark::State& state, const char* file) {
    const auto graph = read_graph_file(file);
    const ModuleTree modules(*graph, preferred_module_source(*graph));
    for (auto _ : state) benchmark::DoNotOptimize(BoxTree(*graph, modules, box_places(*graph, modules)));
    state.counters["nodes"] = graph->node_count();
}
BENCHMARK_CAPTURE(make_boxes, llama3_8b, middle)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(make_boxes, llama3_70b, large)->Unit(benchmark::kMillisecond);

/// Opening one block of `layers` times 32 that all lie open side by side; nothing of it is in the cache.
void open_block(benchmark::State& state) {
    const auto graph = graph_of_layers(static_cast<std::uint32_t>(state.range(0)));
    const ModuleTree modules(*graph, preferred_module_source(*graph));
    const BoxTree tree(*graph, modules, box_places(*graph, modules));
    const ArrangementOptions options = sizes(tree);
    std::unordered_set<BoxId> closed, open;
    for (BoxId box = 1; box < tree.box_count(); ++box)
        if (tree.box(box).kind == BoxKind::run) closed.insert(box);
    open = closed;
    open.insert(tree.box_of(modules.find("layers.1.attention"), Phase::forward));
    open.insert(tree.box_of(modules.find("layers.1"), Phase::forward));
    std::size_t boxes = 0;
    for (auto _ : state) {
        state.PauseTiming();
        LayoutCache cache;
        arrange(tree, closed, options, LayeredEngine(), cache);
        state.ResumeTiming();
        boxes = arrange(tree, open, options, LayeredEngine(), cache)->boxes.size();
    }
    state.counters["boxes"] = static_cast<double>(boxes);
}
BENCHMARK(open_block)->Arg(1)->Arg(4)->Unit(benchmark::kMillisecond);

/// One level of many boxes: more than a level ever has, to see how time grows.
void lay_out_level(benchmark::State& state) {
    std::mt19937 random(1);
    LevelGraph level;
    const auto count = static_cast<std::uint32_t>(state.range(0));
    level.nodes.assign(count, {{120, 28}});
    for (std::uint32_t node = 1; node < count; ++node)
        for (int i = 0; i < 2; ++i)
            level.edges.push_back({node - 1 - static_cast<std::uint32_t>(random() % std::min(node, 12u)), node});
    for (auto _ : state) benchmark::DoNotOptimize(LayeredEngine().layout(level));
}
BENCHMARK(lay_out_level)->Arg(25)->Arg(100)->Arg(400)->Arg(10'000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace overlap

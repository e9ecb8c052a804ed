// What a move of the pointer costs while a collective is dragged. Budget for 10,000 nodes: 16 ms.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <map>

#include "core/io/graph_file.h"
#include "core/pipeline/overlap_preview.h"
#include "core/plan/presets.h"

namespace overlap {
namespace {

const char* const graphs[] = {"llama3_8b_fsdp64.prebucket", "llama3_70b_fsdp256.prebucket"};

struct Dragged {
    std::shared_ptr<const Graph> graph;
    Plan plan;
    std::shared_ptr<const Evaluation> evaluation;
    NodeId start = no_node;
};

/// A collective in the middle of a step with a bucket a block.
const Dragged& dragged(std::int64_t index) {
    static const std::vector<Dragged> all = [] {
        std::vector<Dragged> made;
        for (const char* name : graphs) {
            Dragged& each = made.emplace_back();
            each.graph = read_graph_file(std::string(OVERLAP_TEST_DATA "/graphs/") + name + ".graph.json.gz");
            each.plan = make_plan(*each.graph, "Plan A");
            each.plan.buckets =
                one_bucket_per_block(ModuleTree(*each.graph, preferred_module_source(*each.graph)), each.graph.get());
            each.evaluation = evaluate(each.graph, each.plan);
            const std::vector<CollectiveTiming>& collectives = each.evaluation->simulation.collectives;
            each.start = collectives[collectives.size() / 2].start;
        }
        return made;
    }();
    return all[static_cast<std::size_t>(index)];
}

void count_nodes(benchmark::State& state, const Dragged& drag) {
    state.SetLabel(drag.graph->header().name);
    state.counters["nodes"] = drag.evaluation->graph->node_count();
}

void begin_drag(benchmark::State& state) {
    const Dragged& drag = dragged(state.range(0));
    for (auto _ : state) benchmark::DoNotOptimize(OverlapPreview(drag.evaluation, drag.plan, drag.start));
    count_nodes(state, drag);
}
BENCHMARK(begin_drag)->ArgName("graph")->Arg(0)->Arg(1)->Unit(benchmark::kMicrosecond);

/// Each time another place, from right before the collective to a quarter of the step earlier.
void move_earlier(benchmark::State& state, const Dragged& drag) {
    OverlapPreview preview(drag.evaluation, drag.plan, drag.start);
    const Graph& graph = *drag.evaluation->graph;
    NodeId place = drag.start;
    for (auto _ : state) {
        place = place > drag.start - graph.node_count() / 4 ? place - 97 : drag.start - 1;
        benchmark::DoNotOptimize(
            preview.effect_of({.collective = preview.collective(), .start_before = std::string(graph.name(place))}));
    }
    count_nodes(state, drag);
}

void move_drag(benchmark::State& state) {
    move_earlier(state, dragged(state.range(0)));
}
BENCHMARK(move_drag)->ArgName("graph")->Arg(0)->Arg(1)->Unit(benchmark::kMicrosecond);

/// As torchtitan plans it for performance: its groups share links, with which each move is simulated a second time.
/// Without, the figures are those of the first simulation alone.
void move_beside_shared_links(benchmark::State& state) {
    static std::map<std::int64_t, Dragged> all;
    Dragged& drag = all[state.range(0)];
    if (!drag.graph) {
        drag.graph = dragged(state.range(0)).graph;
        drag.plan = plan_of(pipeline_presets(*drag.graph).at(1), *drag.graph, "Performance");
        drag.evaluation = evaluate(drag.graph, drag.plan);
        const std::vector<CollectiveTiming>& collectives = drag.evaluation->simulation.collectives;
        drag.start = collectives[collectives.size() / 2].start;
    }
    Dragged measured = drag;
    if (state.range(1) == 0) {
        auto without = std::make_shared<Evaluation>(*drag.evaluation);
        without->on_shared_links.reset();
        measured.evaluation = std::move(without);
    } else if (!drag.evaluation->on_shared_links) {
        return state.SkipWithError("the plan's groups share no links");
    }
    move_earlier(state, measured);
}
BENCHMARK(move_beside_shared_links)
    ->ArgNames({"graph", "shared"})
    ->ArgsProduct({{0}, {0, 1}})
    ->Unit(benchmark::kMicrosecond);

/// As many collectives around the middle one, each put before another node at each move.
void move_several(benchmark::State& state) {
    const Dragged& drag = dragged(state.range(0));
    const std::vector<CollectiveTiming>& collectives = drag.evaluation->simulation.collectives;
    const auto count = std::min(static_cast<std::size_t>(state.range(1)), collectives.size());
    std::vector<NodeId> starts{drag.start};
    for (std::size_t index = 0; starts.size() < count; ++index)
        if (const NodeId start = collectives[index].start; start != drag.start) starts.push_back(start);
    OverlapPreview preview(drag.evaluation, drag.plan, starts);
    const Graph& graph = *drag.evaluation->graph;
    NodeId earlier = 0;
    std::vector<OverlapDirective> directives(starts.size());
    for (auto _ : state) {
        earlier = earlier % 1009 + 97;
        for (std::size_t index = 0; index < starts.size(); ++index)
            directives[index] = {
                .collective = preview.collective(index),
                .start_before = std::string(graph.name(starts[index] > earlier ? starts[index] - earlier : 0))};
        benchmark::DoNotOptimize(preview.effect_of(directives));
    }
    state.counters["collectives"] = static_cast<double>(starts.size());
    count_nodes(state, drag);
}
BENCHMARK(move_several)
    ->ArgNames({"graph", "collectives"})
    ->ArgsProduct({{0, 1}, {10, 100}})
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace overlap

BENCHMARK_MAIN();

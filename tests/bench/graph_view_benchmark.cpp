// The graph view on the offscreen platform: from a graph that is read to its first picture, opening a block, panning.
#include <benchmark/benchmark.h>

#include <QApplication>

#include "tests/support/repeated_layers.h"
#include "ui/document/document.h"
#include "ui/graph/graph_view.h"

namespace overlap::ui {
namespace {

constexpr const char* middle = OVERLAP_TEST_DATA "/graphs/llama3_8b_fsdp64.prebucket.graph.json.gz";
constexpr const char* large = OVERLAP_TEST_DATA "/graphs/llama3_70b_fsdp256.prebucket.graph.json.gz";
constexpr QSize view_size(1600, 900);

struct Shown {
    Document document;
    GraphModel model{document};
    GraphView view{model};
    Shown() {
        view.resize(view_size);
        view.show();
        QApplication::processEvents();
    }
};

/// From the graph in memory to its first picture; 20,787 nodes.
void first_picture(benchmark::State& state, const char* file) {
    const LoadedGraph loaded = loadGraph(QString::fromLatin1(file));
    Shown shown;
    for (auto _ : state) {
        shown.document.setGraph(loaded);
        shown.view.repaint();
    }
    state.counters["nodes"] = loaded.graph->node_count();
}
BENCHMARK_CAPTURE(first_picture, llama3_8b, middle)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(first_picture, llama3_70b, large)->Unit(benchmark::kMillisecond);

/// A click on one block among 128 that lie side by side, to the picture with its content.
void open_block(benchmark::State& state) {
    LoadedGraph loaded = loadGraph(QString::fromLatin1(middle));
    loaded.graph = test::repeat_layers(*loaded.graph, 4);
    loaded.modules = std::make_shared<ModuleTree>(*loaded.graph, preferred_module_source(*loaded.graph));
    loaded.baseline = evaluate_baseline(loaded.graph);
    Shown shown;
    shown.document.setGraph(loaded);
    const BoxTree& tree = shown.model.tree();
    const auto box = [&](const std::string& path) { return tree.box_of(loaded.modules->find(path), Phase::forward); };
    shown.model.setOpen(tree.box(box("layers.1")).parent, true);
    int layer = 0;
    for (auto _ : state) {
        // Another block each time; only the first finds nothing in the cache.
        const std::string path = "layers." + std::to_string(1 + layer++ % 120);
        shown.view.toggle(box(path));
        shown.view.toggle(box(path + ".attention"));
        shown.view.repaint();
    }
    state.counters["nodes"] = loaded.graph->node_count();
}
BENCHMARK(open_block)->Unit(benchmark::kMillisecond)->Iterations(20);

/// Panning with one block open.
void pan(benchmark::State& state) {
    Shown shown;
    shown.document.setGraph(loadGraph(QString::fromLatin1(middle)));
    const auto module = shown.document.modules().find("layers.0");
    shown.model.setIdenticalOpen(shown.model.tree().box_of(module, Phase::forward), true);
    double factor = 1.001;
    for (auto _ : state) {
        shown.view.zoomBy(factor, {800, 450});
        factor = 1 / factor;
        shown.view.repaint();
    }
    state.counters["boxes"] = static_cast<double>(shown.model.arrangement().boxes.size());
}
BENCHMARK(pan)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace overlap::ui

int main(int argc, char** argv) {
    qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
}

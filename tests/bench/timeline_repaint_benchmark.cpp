// Complete repaints of the timeline widget on the offscreen platform. Zoom is the visible share in per mille. Each
// frame shows another range, so nothing comes from the cache; `hover` moves the pointer only, so everything does.
#include <benchmark/benchmark.h>

#include <QApplication>
#include <QImage>
#include <algorithm>
#include <vector>

#include "tests/timeline/synthetic_timeline.h"
#include "ui/timeline/timeline_view.h"

namespace overlap::ui {
namespace {

void repaint(benchmark::State& state, QSize size, std::shared_ptr<const Timeline> timeline, std::int64_t per_mille) {
    TimelineView view;
    view.resize(size);
    view.setTimeline(timeline);
    view.show();
    QApplication::processEvents();
    const TimeRange whole = timeline->range();
    const std::int64_t length = whole.length_ns() * per_mille / 1000;
    const std::int64_t room = std::max<std::int64_t>(1, whole.length_ns() / 50 + whole.length_ns() - length);
    std::int64_t frame = 0;
    for (auto _ : state) {
        ++frame;
        // At zoom 1 there is no room to pan: the length changes a little instead.
        const std::int64_t begin = whole.begin_ns + (frame * length / 37) % room;
        view.setVisibleRange({begin, begin + length - frame % 7 * length / 1000});
        view.viewport()->repaint();
    }
    state.counters["rasterised"] = static_cast<double>(view.renderCount());
}

void repaint_1080p(benchmark::State& state) {
    static const auto timeline = test::synthetic_trace(1'000'000, 64);
    repaint(state, {1920, 1080}, timeline, state.range(0));
}
BENCHMARK(repaint_1080p)->Arg(1000)->Arg(100)->Arg(10)->Unit(benchmark::kMillisecond);

void repaint_ten_million_events(benchmark::State& state) {
    static const auto timeline = test::synthetic_trace(10'000'000, 64);
    repaint(state, {1920, 1080}, timeline, state.range(0));
}
BENCHMARK(repaint_ten_million_events)->Arg(1000)->Arg(100)->Arg(10)->Unit(benchmark::kMillisecond);

void repaint_4k(benchmark::State& state) {
    static const auto timeline = test::synthetic_trace(1'000'000, 64);
    repaint(state, {3840, 2160}, timeline, state.range(0));
}
BENCHMARK(repaint_4k)->Arg(1000)->Arg(10)->Unit(benchmark::kMillisecond);

void repaint_step_of_32_blocks(benchmark::State& state) {
    repaint(state, {1920, 500}, test::synthetic_step(32), state.range(0));
}
BENCHMARK(repaint_step_of_32_blocks)->Arg(1000)->Arg(100)->Unit(benchmark::kMillisecond);

void repaint_hover(benchmark::State& state) {
    static const auto timeline = test::synthetic_trace(1'000'000, 64);
    TimelineView view;
    view.resize(1920, 1080);
    view.setTimeline(timeline);
    view.show();
    QApplication::processEvents();
    for (auto _ : state) view.viewport()->repaint();
}
BENCHMARK(repaint_hover)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace overlap::ui

int main(int argc, char** argv) {
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}

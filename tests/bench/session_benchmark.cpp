// What an edit of a large plan costs until it is in the session. Promise: a second.
#include <benchmark/benchmark.h>

#include <QCoreApplication>
#include <QFileInfo>
#include <QTemporaryDir>

#include "ui/document/document.h"
#include "ui/session/session_writer.h"

namespace overlap::ui {
namespace {

/// An open graph with `variants` plans of `buckets` buckets each.
class Edited {
  public:
    explicit Edited(const benchmark::State& state) {
        document_.setGraph(
            loadGraph(QStringLiteral(OVERLAP_TEST_DATA "/graphs/llama3_debugmodel_fsdp8.prebucket.graph.json.gz")));
        Plan plan = document_.current()->plan();
        for (std::int64_t bucket = 0; bucket < state.range(0); ++bucket)
            plan.buckets.push_back({{"layers." + std::to_string(bucket) + ".attention", "layers.feed_forward"}});
        document_.editPlan(QStringLiteral("buckets"), std::move(plan));
        while (document_.variantCount() <= state.range(1)) document_.addCopyOfCurrent();
        edit();
        shared_.of(document_);
    }

    void edit() {
        Plan plan = document_.current()->plan();
        plan.notes = std::to_string(++edits_);
        document_.editPlan(QStringLiteral("edit"), std::move(plan));
    }

    SessionSnapshot snapshot() {
        SessionSnapshot made;
        made.state.put(sessionDocument(document_, sessionVariantOutline));
        made.plans = shared_.of(document_);
        return made;
    }

  private:
    /// Figures are not asked for: only edits are.
    Document document_{nullptr, [](const auto& graph, const Plan&, std::stop_token, auto, auto) {
                           static const auto figures = evaluate(graph, make_plan(*graph, "baseline"));
                           return figures;
                       }};
    SharedPlans shared_;
    int edits_ = 0;
};

/// On the thread of the window, which stands still for it.
void session_snapshot(benchmark::State& state) {
    Edited edited(state);
    for (auto _ : state) {
        state.PauseTiming();
        edited.edit();
        state.ResumeTiming();
        benchmark::DoNotOptimize(edited.snapshot());
    }
}
BENCHMARK(session_snapshot)
    ->ArgNames({"buckets", "plans"})
    ->ArgsProduct({{100, 10'000}, {1, 4}})
    ->Unit(benchmark::kMillisecond);

/// Until the file is synchronised and renamed.
void session_written(benchmark::State& state) {
    Edited edited(state);
    const QTemporaryDir folder;
    const auto session = std::make_shared<const Session>(folder.path());
    SessionWriter writer(session);
    for (auto _ : state) {
        state.PauseTiming();
        edited.edit();
        state.ResumeTiming();
        writer.write(edited.snapshot());
        if (const QString problem = writer.flush(); !problem.isEmpty()) {
            state.SkipWithError(problem.toStdString().c_str());
            break;
        }
    }
    state.counters["bytes"] = static_cast<double>(QFileInfo(session->file()).size());
}
BENCHMARK(session_written)
    ->ArgNames({"buckets", "plans"})
    ->ArgsProduct({{100, 10'000}, {1, 4}})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace
}  // namespace overlap::ui

int main(int argc, char** argv) {
    QCoreApplication application(argc, argv);
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}

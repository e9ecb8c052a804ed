// What an edit of a large plan costs until it is in the session. Promise: a second.
#include <benchmark/benchmark.h>

#include <QCoreApplication>
#include <QFileInfo>
#include <QTemporaryDir>

#include "ui/document/document.h"
#include "ui/session/history_files.h"
#include "ui/session/session_writer.h"

namespace overlap::ui {
namespace {

/// An open graph with plans of so many buckets each; the current one has been edited so often.
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
        for (std::int64_t made = 0; made < state.range(2); ++made) edit();
        shared_.of(document_);
    }

    /// Every fourth edit is of more than buckets.
    void edit() {
        Plan plan = document_.current()->plan();
        const auto place = static_cast<std::size_t>(++edits_) % plan.buckets.size();
        plan.buckets[place].title = std::to_string(edits_);
        if (edits_ % 4 == 0) plan.notes = std::to_string(edits_);
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
    ->ArgNames({"buckets", "plans", "edits"})
    ->ArgsProduct({{100, 10'000}, {1, 4}, {1}})
    ->Args({100, 1, 1000})
    ->Args({100, 1, 5000})
    ->Unit(benchmark::kMillisecond);

/// Until the file is synchronised and renamed. After many edits the first write, which makes files of them, is left
/// out.
void session_written(benchmark::State& state) {
    Edited edited(state);
    const QTemporaryDir folder;
    const auto session = std::make_shared<const Session>(folder.path());
    SessionWriter writer(session);
    writer.write(edited.snapshot());
    writer.flush();
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
    ->ArgNames({"buckets", "plans", "edits"})
    ->ArgsProduct({{100, 10'000}, {1, 4}, {1}})
    ->Args({100, 1, 1000})
    ->Args({100, 1, 5000})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

/// On the thread of the window, for each plan of a graph that is opened.
void history_read(benchmark::State& state) {
    Edited edited(state);
    const QTemporaryDir folder;
    const Session session(folder.path());
    SessionSnapshot snapshot = edited.snapshot();
    if (const QString problem = session.save(snapshot.state); !problem.isEmpty())
        state.SkipWithError(problem.toStdString().c_str());
    const KeptHistory stored = session.load().state.documents.front().variants.back().history;
    for (auto _ : state)
        benchmark::DoNotOptimize(
            HistoryFiles::read(stored, HistoryFiles::contentsOf(folder.path(), stored), *snapshot.plans.back()));
}
BENCHMARK(history_read)
    ->ArgNames({"buckets", "plans", "edits"})
    ->Args({100, 1, HistoryFiles::most_edits})
    ->Args({10'000, 1, HistoryFiles::most_edits})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace overlap::ui

int main(int argc, char** argv) {
    QCoreApplication application(argc, argv);
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}

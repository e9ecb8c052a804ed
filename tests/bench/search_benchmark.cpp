// The lower bound and the search, on the largest graph at hand: a bound may take 100 ms at 20,000 nodes, a search of
// 10,000 nodes 60 s on two cores.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <stop_token>
#include <thread>

#include "core/base/error.h"
#include "core/bound/lower_bound.h"
#include "core/bound/order_free_bound.h"
#include "core/cost/shared_links.h"
#include "core/io/graph_file.h"
#include "core/search/plan_search.h"
#include "core/search/portfolio.h"

namespace overlap {
namespace {

std::shared_ptr<const Graph> graph_named(const std::string& name) {
    const std::string file = "/graphs/" + name + ".graph.json.gz";
    const std::string shared = OVERLAP_SHARED_DATA + file;
    return with_shared_links(read_graph_file(std::filesystem::exists(shared) ? shared : OVERLAP_TEST_DATA + file),
                             LinkSharing::by_host);
}

const std::shared_ptr<const Graph>& large_graph() {
    static const auto graph = graph_named("llama3_70b_fsdp256.prebucket");
    return graph;
}

void work_of_every_plan(benchmark::State& state) {
    for (auto _ : state) benchmark::DoNotOptimize(step_work(large_graph()));
    state.counters["nodes"] = large_graph()->node_count();
}
BENCHMARK(work_of_every_plan)->Unit(benchmark::kMillisecond);

void bound_in_any_order(benchmark::State& state) {
    const auto work = step_work(large_graph());
    for (auto _ : state) benchmark::DoNotOptimize(OrderFreeBounds(*work).at({}).step_ms);
}
BENCHMARK(bound_in_any_order)->Unit(benchmark::kMillisecond);

void bound_at_a_limit(benchmark::State& state) {
    const BoundUnderLimits bounds(step_work(large_graph()));
    const std::int64_t limit = bounds.least_peak_bytes() * 5 / 4;
    for (auto _ : state) benchmark::DoNotOptimize(bounds.at(limit));
}
BENCHMARK(bound_at_a_limit)->Unit(benchmark::kMillisecond);

void evaluations(benchmark::State& state) {
    const auto graph = graph_named("llama3_8b_fsdp64.prebucket");
    const CandidateEvaluator evaluator(graph, step_work(graph));
    const std::vector<Proposal> grid = grid_proposals(*graph);
    for (auto _ : state)
        benchmark::DoNotOptimize(evaluate_all(evaluator, grid, static_cast<unsigned>(state.range(0)), {}));
    state.counters["plans/s"] =
        benchmark::Counter(static_cast<double>(grid.size() * state.iterations()), benchmark::Counter::kIsRate);
}
BENCHMARK(evaluations)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();

void whole_search(benchmark::State& state) {
    const auto graph = graph_named("llama3_8b_fsdp64.prebucket");
    for (auto _ : state) benchmark::DoNotOptimize(search_plans(graph, {}));
}
BENCHMARK(whole_search)->Unit(benchmark::kSecond)->Iterations(1)->UseRealTime();

/// From a request to stop, so many milliseconds after a search began, to its result.
void stopping(benchmark::State& state) {
    double longest_ms = 0, most_cpu_ms = 0;
    for (auto _ : state) {
        SearchOptions options;
        options.effort = 100'000;
        options.threads = 2;
        std::stop_source stop;
        options.stop = stop.get_token();
        std::jthread search([&] {
            try {
                search_plans(large_graph(), options);
            } catch (const InputError&) {  // nothing was found yet
            }
        });
        std::this_thread::sleep_for(std::chrono::milliseconds(state.range(0)));
        const auto begin = std::chrono::steady_clock::now();
        const std::clock_t cpu_begin = std::clock();
        stop.request_stop();
        search.join();
        const double cpu_ms = static_cast<double>(std::clock() - cpu_begin) * 1e3 / CLOCKS_PER_SEC;
        most_cpu_ms = std::max(most_cpu_ms, cpu_ms);
        const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
        state.SetIterationTime(taken.count());
        longest_ms = std::max(longest_ms, taken.count() * 1e3);
    }
    state.counters["longest_ms"] = longest_ms;
    // Of all threads together: where the machine is busy with other work, this is the figure.
    state.counters["most_cpu_ms"] = most_cpu_ms;
}
BENCHMARK(stopping)
    ->Arg(20)
    ->Arg(100)
    ->Arg(250)
    ->Arg(700)
    ->Arg(1500)
    ->Arg(4000)
    ->Arg(9000)
    ->Arg(16'000)
    ->Arg(25'000)
    ->Arg(33'000)
    ->Iterations(2)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace overlap

BENCHMARK_MAIN();

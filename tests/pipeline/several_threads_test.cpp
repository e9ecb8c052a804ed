// What the window's worker threads do beside one another, on objects that they share: each result is that of one thread
// alone, and the thread sanitizer finds nothing.

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "core/io/trace_file.h"
#include "core/mesh/planners/graph_planner.h"
#include "core/mesh/sharding_text.h"
#include "core/modules/module_repair.h"
#include "core/pipeline/evaluation.h"
#include "tests/support/test_graphs.h"

namespace overlap {
namespace {

constexpr int threads = 4;

/// Calls `work` with 0 to `threads` - 1, each on a thread of its own, and waits for all.
template <typename Work>
void on_several_threads(const Work& work) {
    std::vector<std::jthread> running;
    for (int number = 0; number < threads; ++number) running.emplace_back([&work, number] { work(number); });
}

/// Results of `count` threads that are all `expected`.
template <typename Result>
void expect_all(const std::vector<Result>& results, const Result& expected) {
    for (const Result& result : results) EXPECT_EQ(result, expected);
}

TEST(SeveralThreads, EvaluateDifferentPlansOfOneGraph) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8.prebucket");
    const auto plan_of = [&](int layer) {
        Plan plan = make_plan(*graph, "Plan");
        for (int bucket = 0; bucket <= layer; ++bucket) {
            std::string module = "layers.";
            module += std::to_string(bucket);
            plan.buckets.push_back({.modules = {module}});
        }
        return plan;
    };
    std::vector<double> alone(threads), together(threads);
    for (int number = 0; number < threads; ++number)
        alone[static_cast<std::size_t>(number)] = evaluate(graph, plan_of(number))->simulation.step_ms;
    on_several_threads([&](int number) {
        for (int round = 0; round < 3; ++round)
            together[static_cast<std::size_t>(number)] = evaluate(graph, plan_of(number))->simulation.step_ms;
    });
    EXPECT_EQ(together, alone);
    EXPECT_NE(alone.front(), alone.back());
}

TEST(SeveralThreads, EvaluateUntilOthersStopThem) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8.prebucket");
    const Plan plan = make_plan(*graph, "Plan");
    const double step_ms = evaluate(graph, plan)->simulation.step_ms;
    on_several_threads([&](int number) {
        for (int round = 0; round < 10; ++round) {
            std::stop_source stop;
            std::jthread stopper([&] {
                std::this_thread::sleep_for(std::chrono::microseconds(300 * (number + threads * round)));
                stop.request_stop();
            });
            const auto evaluation = evaluate(graph, plan, stop.get_token());
            if (evaluation) {
                EXPECT_EQ(evaluation->simulation.step_ms, step_ms);
            }
        }
    });
}

TEST(SeveralThreads, RepairModulesOfOneGraph) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8.prebucket");
    ModuleRule rule;
    rule.kind = ModuleRule::Kind::nodes;
    rule.nodes = {std::string(graph->name(0))};
    rule.override_own = true;
    std::vector<std::uint32_t> given(threads);
    on_several_threads([&](int number) {
        for (int round = 0; round < 8; ++round) {
            ModuleRule own = rule;
            own.module = std::to_string((number + round) % 6);  // more than are remembered
            given[static_cast<std::size_t>(number)] += repair_modules(graph, {own})->outcomes.front().nodes;
        }
    });
    expect_all(given, std::uint32_t{8});
}

TEST(SeveralThreads, PlanRedistributionsOnSharedSpaces) {
    const DeviceMesh mesh{{4, 2, 2}, {}};
    const MeshTensor tensor = MeshTensor::of({64, 32, 16}, "float32");
    const auto times = torch_times(mesh);
    const std::vector<std::string> states{"S(0)S(1)S(2)", "S(0)S(0)S(0)", "RRR",
                                          "S(1)RS(0)",    "P(sum)RS(1)",  "RS(2)S(2)"};
    const auto total = [&] {
        GraphPlanner planner(mesh, tensor, *times);
        double cost = 0;
        for (const std::string& source : states)
            for (const std::string& target : states) {
                if (target.front() == 'P') continue;
                cost += planner.cost(parse_state(source, 3), parse_state(target, 3));
            }
        return cost;
    };
    std::vector<double> costs(threads);
    // The first questions make the spaces, here while others wait for them.
    on_several_threads([&](int number) { costs[static_cast<std::size_t>(number)] = total(); });
    expect_all(costs, total());
}

TEST(SeveralThreads, ReadTracesThatOthersStop) {
    const std::string path = OVERLAP_TEST_DATA "/traces/hta_no_distributed_info.json.gz";
    const std::size_t events = read_trace_file(path)->events().size();
    on_several_threads([&](int number) {
        for (int round = 0; round < 5; ++round) {
            std::stop_source stop;
            std::jthread stopper([&] {
                std::this_thread::sleep_for(std::chrono::milliseconds(2 * (number + threads * round)));
                stop.request_stop();
            });
            const auto trace = read_trace_file(path, {.stop = stop.get_token(), .progress = {}});
            if (trace) {
                EXPECT_EQ(trace->events().size(), events);
            }
        }
    });
}

}  // namespace
}  // namespace overlap

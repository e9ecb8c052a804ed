// Plans between random states of a mesh: cold (a planner made for the plan) and warm. Medians, 99th percentiles and
// maxima of single plans are counters, in microseconds. The meshes are those of which torch's times are known.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <random>

#include "core/mesh/planners/graph_planner.h"
#include "core/mesh/planners/optimal_planner.h"

namespace overlap {
namespace {

struct Subject {
    Extents mesh_shape;
    Extents tensor_shape;
};

const std::vector<Subject>& subjects() {
    static const std::vector<Subject> subjects = {
        {{4, 2}, {64, 48}},           {{4, 2}, {64, 48, 32}},      {{2, 2, 2}, {64, 48}},
        {{8, 4, 2}, {64, 48}},        {{2, 2, 2}, {64, 48, 32}},   {{2, 2, 2, 2}, {64, 48}},
        {{2, 2, 2, 2}, {64, 48, 32}}, {{2, 2, 2, 2, 2}, {64, 48}}, {{2, 2, 2, 2, 2}, {64, 48, 32}}};
    return subjects;
}

DeviceMesh mesh_of(const Subject& subject) {
    return {subject.mesh_shape, {}, 8};
}

/// Every order of every tensor dimension's mesh dimensions.
void append_orders(ShardingState state, std::size_t entry, std::vector<ShardingState>& states) {
    if (entry == state.shard_order.size()) {
        states.push_back(std::move(state));
        return;
    }
    std::vector<int>& mesh_dims = state.shard_order[entry].mesh_dims;
    std::sort(mesh_dims.begin(), mesh_dims.end());
    do append_orders(state, entry + 1, states);
    while (std::next_permutation(mesh_dims.begin(), mesh_dims.end()));
}

/// All states of replicates, shards and sums.
void append_states(std::vector<Placement> placements, const Subject& subject, std::vector<ShardingState>& states) {
    if (placements.size() == subject.mesh_shape.size()) {
        append_orders(state_in_default_order(std::move(placements)), 0, states);
        return;
    }
    const auto with = [&](const Placement& placement) {
        std::vector<Placement> longer = placements;
        longer.push_back(placement);
        append_states(std::move(longer), subject, states);
    };
    with(Placement::replicate());
    with(Placement::partial(ReduceOp::sum));
    for (std::size_t dim = 0; dim < subject.tensor_shape.size(); ++dim) with(Placement::shard(static_cast<int>(dim)));
}

/// The steady clock, since reading the thread's own takes as long as a plan on a small mesh. A plan that another
/// program interrupts shows in the longest times, not in the median.
double seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Times plans of random pairs one by one. `plan` answers a source and a target.
template <typename Plan>
void time_plans(benchmark::State& state, const Subject& subject, const Plan& plan) {
    std::vector<ShardingState> states;
    append_states({}, subject, states);
    std::mt19937 random(1);
    std::uniform_int_distribution<std::size_t> any(0, states.size() - 1);
    std::vector<double> times_us;
    for (auto _ : state) {
        const ShardingState &source = states[any(random)], &target = states[any(random)];
        const double start = seconds();
        benchmark::DoNotOptimize(plan(source, target));
        const double time = seconds() - start;
        state.SetIterationTime(time);
        times_us.push_back(time * 1e6);
    }
    std::sort(times_us.begin(), times_us.end());
    const auto quantile = [&](double part) {
        return times_us[static_cast<std::size_t>(part * static_cast<double>(times_us.size() - 1))];
    };
    state.counters["states"] = static_cast<double>(states.size());
    state.counters["median_us"] = quantile(0.5);
    state.counters["p99_us"] = quantile(0.99);
    state.counters["max_us"] = times_us.back();
}

template <typename Planner>
void cold(benchmark::State& state, const Subject& subject) {
    const DeviceMesh mesh = mesh_of(subject);
    const MeshTensor tensor = MeshTensor::of(subject.tensor_shape, "float32");
    const auto times = torch_times(mesh);
    time_plans(state, subject, [&](const ShardingState& source, const ShardingState& target) {
        return Planner(mesh, tensor, *times).plan(source, target);
    });
}

template <typename Planner>
void warm(benchmark::State& state, const Subject& subject) {
    const DeviceMesh mesh = mesh_of(subject);
    const MeshTensor tensor = MeshTensor::of(subject.tensor_shape, "float32");
    const auto times = torch_times(mesh);
    Planner planner(mesh, tensor, *times);
    time_plans(state, subject,
               [&](const ShardingState& source, const ShardingState& target) { return planner.plan(source, target); });
}

/// The costs between all pairs of states, by a planner made for the table.
template <typename Planner>
void table(benchmark::State& state) {
    const Subject subject{{2, 2, 2}, {64, 48, 32}};
    const DeviceMesh mesh = mesh_of(subject);
    const auto times = torch_times(mesh);
    std::vector<ShardingState> states;
    append_states({}, subject, states);
    for (auto _ : state) {
        Planner planner(mesh, MeshTensor::of(subject.tensor_shape, "float32"), *times);
        for (const ShardingState& source : states)
            for (const ShardingState& target : states) benchmark::DoNotOptimize(planner.cost(source, target));
    }
    state.counters["pairs"] = static_cast<double>(states.size() * states.size());
}

void register_benchmarks() {
    for (const Subject& subject : subjects()) {
        std::string name;
        for (const std::int64_t size : subject.mesh_shape)
            name.append(name.empty() ? "" : "x").append(std::to_string(size));
        name.append("/").append(std::to_string(subject.tensor_shape.size())).append("d");
        const auto add = [&](const char* kind, void (*function)(benchmark::State&, const Subject&)) {
            benchmark::RegisterBenchmark((std::string(kind) + "/" + name).c_str(), function, subject)
                ->UseManualTime()
                ->MinTime(0.3);
        };
        add("cold", cold<GraphPlanner>);
        add("warm", warm<GraphPlanner>);
        add("optimal_cold", cold<OptimalPlanner>);
        add("optimal_warm", warm<OptimalPlanner>);
    }
    benchmark::RegisterBenchmark("table/2x2x2/3d", table<GraphPlanner>)->Unit(benchmark::kMillisecond);
    benchmark::RegisterBenchmark("optimal_table/2x2x2/3d", table<OptimalPlanner>)->Unit(benchmark::kMillisecond);
}

}  // namespace
}  // namespace overlap

int main(int argc, char** argv) {
    overlap::register_benchmarks();
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
}

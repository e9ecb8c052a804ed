// How the time of each pass grows with the graph.
//
// real/PASS/NODES      real graphs as the pass meets them, 700 to 20,000 nodes
// repeated/PASS/NODES  one real graph with its layers repeated, up to 64,000 nodes
//
// `ns_per_node` is CPU time. The table at the end has, for each pass, the exponent of the power of the number of nodes
// that fits the repeated graphs best (least squares of logarithms); n log n over these sizes reads as 1.1.

#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdio>
#include <ctime>
#include <exception>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/io/graph_file.h"
#include "core/io/plan/option_json.h"
#include "core/passes/pass.h"
#include "core/passes/registry/registry.h"
#include "core/plan/plan.h"
#include "core/plan/presets.h"
#include "tests/support/repeated_layers.h"

namespace {

using namespace overlap;

/// Nodes and nanoseconds of CPU time of each measurement.
using Measurements = std::vector<std::pair<double, double>>;
std::map<std::string, Measurements> repeated_measurements;

/// A pass and the graphs on which a trainer runs it.
struct Subject {
    std::string pass;
    std::vector<std::string> real;  ///< names of graph files
    std::string repeated;           ///< the one whose layers are repeated
    Options options{};              ///< beside those of a suggested step
    std::uint32_t largest = 64'000;
    std::string title() const { return options.empty() ? pass : pass + options_json(options).dump(); }
};

const std::vector<std::string> traced = {"llama3_debugmodel_fsdp8", "deepseek_v3_debugmodel_fsdp8_ep4",
                                         "llama3_8b_fsdp64", "deepseek_v3_16b_fsdp64_ep8", "llama3_70b_fsdp256"};
const std::vector<std::string> separate = {"llama3_debugmodel_fsdp8_aot_fw", "llama3_debugmodel_fsdp8_aot_bw",
                                           "llama3_8b_fsdp64_aot_fw", "llama3_8b_fsdp64_aot_bw"};
const std::vector<std::string> before_bucketing = {
    "llama3_debugmodel_fsdp8.prebucket", "deepseek_v3_debugmodel_fsdp8_ep4.prebucket", "llama3_8b_fsdp64.prebucket",
    "deepseek_v3_16b_fsdp64_ep8.prebucket", "llama3_70b_fsdp256.prebucket"};

Options scheduling(bool merges) {
    return {{"collective_bucketing", merges}, {"pre_bucketing_fsdp_collectives", false}};
}

const std::vector<Subject> subjects = {
    {"eliminate_dead_code_pass", traced, "llama3_debugmodel_fsdp8"},
    {"canonicalize_graph_pass", traced, "llama3_debugmodel_fsdp8"},
    {"deduplicate_fsdp_unshard_chains_pass", traced, "llama3_debugmodel_fsdp8"},
    {"isolate_ep_process_group_pass", before_bucketing, "deepseek_v3_debugmodel_fsdp8_ep4.prebucket"},
    {"reassign_collective_pgs_pass", before_bucketing, "llama3_debugmodel_fsdp8.prebucket"},
    {"transformer_block_bucketing_reordering_pass", separate, ""},
    {"manual_overlap_bucketing", before_bucketing, "llama3_debugmodel_fsdp8.prebucket"},
    {"joint_transformer_block_bucketing_reordering_pass", before_bucketing, "llama3_debugmodel_fsdp8.prebucket"},
    {"joint_transformer_block_bucketing_reordering_pass", {}, "deepseek_v3_debugmodel_fsdp8_ep4.prebucket"},
    {"schedule_fsdp_comms_to_dense_regions_pass", before_bucketing, "llama3_debugmodel_fsdp8.prebucket"},
    {"schedule_overlap_bucketing", before_bucketing, "llama3_8b_fsdp64.prebucket", scheduling(false)},
    {"schedule_overlap_bucketing", before_bucketing, "llama3_8b_fsdp64.prebucket", scheduling(true)},
    {"schedule_overlap_bucketing", {}, "llama3_70b_fsdp256.prebucket", scheduling(false), 80'000},
    {"schedule_overlap_bucketing", {}, "llama3_70b_fsdp256.prebucket", scheduling(true), 80'000},
};

/// The graph file of that name, or nullptr: some lie beside the repository only.
std::shared_ptr<const Graph> read_sample(const std::string& name) {
    for (const std::string folder : {OVERLAP_TEST_DATA "/graphs/", OVERLAP_SHARED_DATA "/graphs/"}) {
        const std::string path = folder + name + ".graph.json.gz";
        if (std::filesystem::exists(path)) return read_graph_file(path);
    }
    return nullptr;
}

/// The step with a bucket for each block.
PassStep step_for(const Graph& graph, const std::string& pass) {
    Plan plan = make_plan(graph, "growth");
    plan.buckets = one_bucket_per_block(ModuleTree(graph, preferred_module_source(graph)), &graph);
    plan.pipeline = {suggested_step(graph, pass)};
    return lower(plan).front();
}

/// The graph as it reaches the pass: for what moves buckets, after bucketing.
std::shared_ptr<const Graph> input_of(const std::shared_ptr<const Graph>& graph, const std::string& pass) {
    if (pass != "schedule_fsdp_comms_to_dense_regions_pass") return graph;
    const PassStep bucketing = step_for(*graph, "joint_transformer_block_bucketing_reordering_pass");
    return require_pass(bucketing.pass).run(graph, bucketing.options, {}).graph;
}

void measure(benchmark::State& state, const std::shared_ptr<const Graph>& graph, const Subject& subject,
             const std::string& series) {
    const std::shared_ptr<const Graph> input = input_of(graph, subject.pass);
    PassStep step = step_for(*graph, subject.pass);
    step.options.update(subject.options);
    // The strict default would refuse what one bucket a block cannot give.
    if (step.options.contains("strict")) step.options["transformer_bucket_counts_by_layer"] = {};
    const Pass& pass = require_pass(subject.pass);
    const std::clock_t begin = std::clock();
    for (auto _ : state) benchmark::DoNotOptimize(pass.run(input, step.options, {}));
    const double total_ns = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC * 1e9;
    const double ns = total_ns / static_cast<double>(state.iterations()), nodes = input->node_count();
    state.counters["nodes"] = nodes;
    state.counters["ns_per_node"] = ns / nodes;
    if (series.empty()) return;
    Measurements& measured = repeated_measurements[series];
    // A benchmark runs several times until it takes long enough; the last run counts.
    if (!measured.empty() && measured.back().first == nodes) measured.pop_back();
    measured.emplace_back(nodes, ns);
}

void register_measurement(const std::string& kind, const Subject& subject, const std::string& series,
                          std::shared_ptr<const Graph> graph) {
    const std::string name = kind + "/" + subject.title() + "/" + std::to_string(graph->node_count());
    benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
        measure(state, graph, subject, series);
    })->Unit(benchmark::kMillisecond);
}

void register_all() {
    std::map<std::pair<std::string, std::uint32_t>, std::shared_ptr<const Graph>> repeated;
    for (const Subject& subject : subjects) {
        for (const std::string& name : subject.real) {
            if (auto graph = read_sample(name)) register_measurement("real", subject, "", std::move(graph));
        }
        const std::shared_ptr<const Graph> graph = read_sample(subject.repeated);
        if (!graph) continue;
        const std::string series = subject.title() + " on " + subject.repeated;
        for (std::uint32_t nodes = subject.largest / 32; nodes <= subject.largest; nodes *= 2) {
            const std::uint32_t times = test::repetitions_for(*graph, nodes);
            // Below twice the nodes of the graph itself all sizes are the same.
            if (times == 1 && 2 * nodes <= graph->node_count()) continue;
            std::shared_ptr<const Graph>& made = repeated[{subject.repeated, times}];
            if (!made) made = test::repeat_layers(*graph, times);
            register_measurement("repeated", subject, series, made);
        }
    }
}

/// Slope of the straight line through (log nodes, log time).
double exponent(const Measurements& measured) {
    double sum_x = 0, sum_y = 0, sum_xx = 0, sum_xy = 0;
    const auto count = static_cast<double>(measured.size());
    for (const auto& [nodes, ns] : measured) {
        const double x = std::log(nodes), y = std::log(ns);
        sum_x += x;
        sum_y += y;
        sum_xx += x * x;
        sum_xy += x * y;
    }
    return (count * sum_xy - sum_x * sum_y) / (count * sum_xx - sum_x * sum_x);
}

void print_exponents() {
    std::printf("\n%-155s %8s %12s %12s\n", "time grows as nodes to the power of", "exponent", "ns/node, few",
                "ns/node, most");
    for (const auto& [series, measured] : repeated_measurements) {
        if (measured.size() < 2) continue;
        const auto& [few, few_ns] = measured.front();
        const auto& [most, most_ns] = measured.back();
        std::printf("%-155s %8.2f %12.0f %12.0f\n", series.c_str(), exponent(measured), few_ns / few, most_ns / most);
    }
}

}  // namespace

int main(int argument_count, char** arguments) {
    benchmark::Initialize(&argument_count, arguments);
    if (benchmark::ReportUnrecognizedArguments(argument_count, arguments)) return 2;
    try {
        register_all();
        benchmark::RunSpecifiedBenchmarks();
        print_exponents();
    } catch (const std::exception& error) {
        std::cerr << "growth_benchmark: " << error.what() << '\n';
        return 1;
    }
    return 0;
}

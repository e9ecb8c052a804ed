// How long reading, the passes and a whole evaluation take.
//
// pass/...      one golden case each; `times_torch` is PyTorch's CPU time for the same pass over ours
// read/...      a file from disk to a graph
// evaluate/...  what an edit in the application costs: passes, simulation, both memory estimates

#include <benchmark/benchmark.h>

#include <ctime>
#include <exception>
#include <fstream>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/graph/module_tree.h"
#include "core/io/graph_file.h"
#include "core/io/plan/option_json.h"
#include "core/passes/pass.h"
#include "core/passes/registry/registry.h"
#include "core/pipeline/evaluation.h"
#include "core/plan/plan.h"

namespace {

using namespace overlap;

const std::string data = OVERLAP_TEST_DATA;

std::string graph_file(const std::string& name) {
    return data + "/graphs/" + name + ".graph.json.gz";
}

void read(benchmark::State& state, const std::string& name) {
    for (auto _ : state) benchmark::DoNotOptimize(read_graph_file(graph_file(name)));
    state.counters["nodes"] = read_graph_file(graph_file(name))->node_count();
}

/// @param torch_s CPU seconds of PyTorch for the same step, 0 where they are not known.
void run_pass(benchmark::State& state, const std::string& file, const PassStep& step, double torch_s) {
    const std::shared_ptr<const Graph> graph = read_graph_file(file);
    const Pass& pass = *find_pass(step.pass);
    const std::clock_t begin = std::clock();
    for (auto _ : state) benchmark::DoNotOptimize(pass.run(graph, step.options, {}));
    const double ours_s = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    state.counters["nodes"] = graph->node_count();
    if (torch_s > 0) state.counters["times_torch"] = torch_s * static_cast<double>(state.iterations()) / ours_s;
}

void evaluate_plan(benchmark::State& state, const std::string& file) {
    const std::shared_ptr<const Graph> graph = read_graph_file(file);
    Plan plan = make_plan(*graph, "benchmark");
    plan.buckets = one_bucket_per_block(ModuleTree(*graph, preferred_module_source(*graph)));
    for (auto _ : state) benchmark::DoNotOptimize(evaluate(graph, plan));
    state.counters["nodes"] = graph->node_count();
    state.counters["buckets"] = static_cast<double>(plan.buckets.size());
}

/// @param folder below the test data, with a manifest.
void register_goldens(const std::string& name) {
    const std::string folder = data + "/" + name + "/";
    std::ifstream file(folder + "manifest.json");
    const Json manifest = Json::parse(file);
    for (const Json& golden : manifest.at("goldens")) {
        const Json& pipeline = golden.at("pipeline");
        if (pipeline.size() != 1 || golden.contains("error")) continue;
        const Pass* pass = find_pass(pipeline[0].at("pass").get<std::string>());
        if (!pass) continue;
        const PassStep step{pipeline[0].at("pass"), read_options(*pass, pipeline[0].value("options", Json::object()))};
        const std::string path = folder + golden.at("graph_file").get<std::string>();
        const double torch_s = golden.value("torch_cpu_seconds", 0.0);
        benchmark::RegisterBenchmark(("pass/" + golden.at("id").get<std::string>()).c_str(),
                                     [=](benchmark::State& state) { run_pass(state, path, step, torch_s); })
            ->Unit(benchmark::kMillisecond);
    }
}

}  // namespace

int main(int argument_count, char** arguments) {
    benchmark::Initialize(&argument_count, arguments);
    if (benchmark::ReportUnrecognizedArguments(argument_count, arguments)) return 2;
    for (const std::string name : {"llama3_8b_fsdp64", "llama3_8b_fsdp64.prebucket", "llama3_70b_fsdp256.prebucket"}) {
        benchmark::RegisterBenchmark(("read/" + name).c_str(), [=](benchmark::State& state) {
            read(state, name);
        })->Unit(benchmark::kMillisecond);
    }
    for (const std::string name : {"llama3_8b_fsdp64.prebucket", "llama3_70b_fsdp256.prebucket"}) {
        benchmark::RegisterBenchmark(("evaluate/" + name).c_str(), [=](benchmark::State& state) {
            evaluate_plan(state, graph_file(name));
        })->Unit(benchmark::kMillisecond);
    }
    // Its times are those of a compiled job.
    const std::string sample = data + "/../../resources/samples/llama3_8b_fsdp128.prebucket.graph.json.gz";
    benchmark::RegisterBenchmark("evaluate/sample", [&](benchmark::State& state) {
        evaluate_plan(state, sample);
    })->Unit(benchmark::kMillisecond);
    try {
        register_goldens("goldens");
        register_goldens("step_goldens");
        register_goldens("chunk_goldens");
        benchmark::RunSpecifiedBenchmarks();
    } catch (const std::exception& error) {
        std::cerr << "pass_benchmark: " << error.what() << '\n';
        return 1;
    }
    return 0;
}

// Whole jobs: 16 ranks of 2 stages on 64 microbatches folded may take 50 ms, one draw of 100,000 ranks unfolded 2 s,
// 1,000 draws of 1,024 ranks 10 s.
#include <benchmark/benchmark.h>

#include "core/job/document/job_document.h"
#include "core/job/run_job.h"

namespace overlap::job {
namespace {

JobDocument job_of(std::int32_t stages, const char* schedule, std::int32_t microbatches, std::int32_t replicas) {
    JobDocument job;
    job.stages.resize(static_cast<std::size_t>(stages));
    for (StageSpec& stage : job.stages) {
        stage.ms = {{"F", 2}, {"I", 3}, {"W", 1}};
        stage.gradient_sync_ms = 4;
    }
    job.schedule.name = schedule;
    job.schedule.microbatches = microbatches;
    job.transfer = TransferSpec{0.2, 0.1, {}, {}, {}};
    job.replicas = replicas;
    return job;
}

void folded(benchmark::State& state) {
    const JobDocument job = job_of(32, "InterleavedZeroBubble", 64, 512);
    for (auto _ : state) benchmark::DoNotOptimize(run_job(job));
}
BENCHMARK(folded)->Unit(benchmark::kMillisecond);

void unfolded(benchmark::State& state) {
    const JobDocument job = job_of(16, "1F1B", 16, 6250);
    PipelineOptions options;
    options.fold = false;
    for (auto _ : state) benchmark::DoNotOptimize(run_job(job, options));
    state.counters["ranks"] = 100'000;
}
BENCHMARK(unfolded)->Unit(benchmark::kMillisecond);

void draws(benchmark::State& state) {
    JobDocument job = job_of(16, "1F1B", 16, 64);
    job.variation = VariationSpec();
    job.variation->samples = 1000;
    job.variation->has_samples = true;
    job.variation->compute.kind = DistributionSpec::Kind::log_normal;
    job.variation->compute.sigma = 0.03;
    for (auto _ : state) benchmark::DoNotOptimize(run_job(job));
    state.counters["ranks"] = 1024;
}
BENCHMARK(draws)->Unit(benchmark::kMillisecond)->Iterations(1);

}  // namespace
}  // namespace overlap::job

BENCHMARK_MAIN();

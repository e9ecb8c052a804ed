// libFuzzer target: any text is refused or a job, which is written as a text that reads back the same, and which runs
// or says why it cannot.

#include <algorithm>
#include <cstdint>

#include "core/job/document/job_file.h"
#include "core/job/run_job.h"
#include "tests/fuzz/fuzz_target.h"

namespace {

/// Copies of the pipeline, or of a mesh as many ranks as it has; any large number where these are more.
std::int64_t replicas_of(const overlap::job::JobDocument& document) {
    constexpr std::int64_t large = 1'000'000;
    if (!document.mesh) return std::min<std::int64_t>(large, document.replicas.value_or(1));
    std::int64_t ranks = 1;
    for (const auto& [name, size] : document.mesh->dims)
        if (ranks < large) ranks *= std::clamp<std::int64_t>(size, 1, large);
    return ranks;
}

}  // namespace

void overlap::fuzz::run(std::string_view input) {
    const job::JobDocument document = job::read_job_text(input, "fuzz");
    const std::string text = job::write_job_text(document);
    const job::JobDocument again = must_accept([&] { return job::read_job_text(text, "again"); });
    require(job::write_job_text(again) == text, "a job was written differently the second time");
    // Small counts stand for jobs of millions of ranks and draws, which would take all the time.
    constexpr std::int64_t most = 100, most_sharing = 8;
    const std::int64_t replicas = replicas_of(document);
    const bool shares = std::ranges::any_of(document.topology, &job::TopologyLevel::shared);
    if (!document.schedule.file.empty() || replicas > (shares ? most_sharing : most) ||
        document.schedule.microbatches > (shares ? most_sharing : most) ||
        (document.variation && document.variation->samples > 10))
        return;
    // A schedule by name stands for a list of that many actions, each some eight bytes where it is written out.
    constexpr std::size_t bytes_of_action = 8, kinds = 3;
    count_input(bytes_of_action * kinds * document.stages.size() *
                static_cast<std::size_t>(document.schedule.microbatches) *
                static_cast<std::size_t>(replicas));
    const job::JobResult result = job::run_job(document);
    require(result.step_ms.has_value() == result.problems.empty(),
            "a job without a step has no problem, or one with it");
    double at = 0;
    for (const job::PathStep& step : result.critical_path) {
        require(step.start_ms == at, "the critical path has a gap");
        at = step.end_ms;
    }
    require(!result.step_ms || at == *result.step_ms || result.critical_path.empty(), "the critical path ends early");
    job::result_json(result);
}

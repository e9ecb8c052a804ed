// libFuzzer target: any text is refused or a job, which is written as a text that reads back the same, and which runs
// or says why it cannot.

#include "core/job/document/job_file.h"
#include "core/job/run_job.h"
#include "tests/fuzz/fuzz_target.h"

void overlap::fuzz::run(std::string_view input) {
    const job::JobDocument document = job::read_job_text(input, "fuzz");
    const std::string text = job::write_job_text(document);
    const job::JobDocument again = must_accept([&] { return job::read_job_text(text, "again"); });
    require(job::write_job_text(again) == text, "a job was written differently the second time");
    // Small counts stand for jobs of millions of ranks and draws, which would take all the time.
    if (!document.schedule.file.empty() || document.replicas.value_or(1) > 100 ||
        document.schedule.microbatches > 100 || document.mesh ||
        (document.variation && document.variation->samples > 10))
        return;
    // A schedule by name stands for a list of that many actions, each some eight bytes where it is written out.
    constexpr std::size_t bytes_of_action = 8, kinds = 3;
    count_input(bytes_of_action * kinds * document.stages.size() *
                static_cast<std::size_t>(document.schedule.microbatches) *
                static_cast<std::size_t>(document.replicas.value_or(1)));
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

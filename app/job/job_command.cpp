// overlap job simulate JOB [--json] [--trace OUT] | check JOB [--json] | schedules JOB [--json] | measure JOB TRACE… -o
// OUT: a whole job of stages, microbatches and ranks.

#include <algorithm>
#include <filesystem>
#include <limits>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "app/arguments/file_arguments.h"
#include "app/arguments/number_range.h"
#include "app/arguments/profile_input.h"
#include "app/commands/command.h"
#include "app/commands/formatting.h"
#include "app/job/job_text.h"
#include "core/base/error.h"
#include "core/base/number_text.h"
#include "core/base/wording.h"
#include "core/files/atomic_file.h"
#include "core/files/json_members.h"
#include "core/io/trace_file.h"
#include "core/job/chakra/chakra_traces.h"
#include "core/job/document/files_of_job.h"
#include "core/job/document/job_file.h"
#include "core/job/job_trace.h"
#include "core/job/measured/measured_steps.h"
#include "core/job/measured_variation.h"
#include "core/job/run_job.h"
#include "core/job/schedule_table.h"
#include "core/job/stages/graph_stages.h"
#include "core/job/variation.h"
#include "core/job/what_if.h"

namespace overlap::commands {

namespace {

class JobCommand final : public Command {
  public:
    CLI::App* declare(CLI::App& parser) override {
        CLI::App* command = parser.add_subcommand(
            "job",
            "A whole job: pipeline stages, microbatches and all ranks. Stages given as graphs take the "
            "times in their files.");
        command->require_subcommand(1);
        simulate_ = add(*command, "simulate", "Step time, what each rank waits for, and the critical path.");
        writes(simulate_->add_option("--trace", trace_,
                                     "write a Chrome trace for Perfetto, a process for each class of ranks"));
        simulate_->add_option("--chakra", chakra_,
                              "write execution traces of MLCommons Chakra, PREFIX.RANK.et for each class of ranks, and "
                              "their groups, PREFIX.groups.json; for every rank with --no-folding");
        simulate_->add_flag("--what-if", what_if_,
                            "also the step without each slow rank and host, uneven routing of tokens, messages, "
                            "gradient collectives, communication within stages, and what a stage computes beyond the "
                            "mean");
        simulate_->add_option("--rows", rows_, "lines of each table; 0: all")
            ->check(whole_number_from(0, 1'000'000'000))
            ->capture_default_str();
        simulate_->add_flag("--no-folding", no_folding_, "simulate every rank, also those that cannot be told apart");
        check_ = add(*command, "check", "Whether the job can run: deadlocks, and ranks that disagree.");
        schedules_ = add(*command, "schedules", "The job with each of PyTorch's pipeline schedules, side by side.");
        measure_ = command->add_subcommand(
            "measure", "The job with the slow ranks and the variation that traces of its ranks have.");
        reads(measure_->add_option("JOB", file_, "overlap-job file"))->required();
        reads(measure_->add_option("TRACE", trace_files_, "Kineto or Chrome traces (JSON), plain or gzip, one a rank"))
            ->required();
        writes(measure_->add_option("-o,--output", measured_, "the job's document to write"))->required();
        return command;
    }

    void run(const Streams& streams) override {
        job::JobDocument document = job::read_job_file(file_);
        if (measure_->parsed()) return measure(document, streams);
        if (!simulate_->parsed()) document.variation = job::without_draws(document);  // nobody reads them there
        job::GraphStages stages(std::filesystem::path(file_).parent_path().string());
        job::PipelineOptions options;
        options.fold = !no_folding_;
        options.evaluator = stages.evaluator();
        options.folder = std::filesystem::path(file_).parent_path().string();
        try {
            if (schedules_->parsed()) return compare_schedules(document, options, streams);
            const job::JobResult result = job::run_job(document, options);
            write_traces(document, options);
            std::vector<job::WhatIf> what_ifs;
            // Where the job cannot run, why is all that there is to say.
            if (what_if_ && result.step_ms) what_ifs = job::what_ifs(document, options);
            if (json_) {
                const std::string text = job::result_json(result);
                streams.out << (what_if_ ? with_json_member(text, "what_if", job::what_ifs_json(what_ifs)) : text)
                            << '\n';
            } else {
                print_notes(result.notes, streams);
                if (simulate_->parsed()) {
                    write_job_text(streams.out, document, result, rows());
                    if (result.step_ms) write_what_ifs(what_ifs, streams);
                } else {
                    write_check(result, streams);
                }
            }
            require_run(result);
        } catch (const InputError& error) {
            throw error.file().empty() ? error.in_file(file_) : error;
        }
    }

  private:
    void measure(job::JobDocument& document, const Streams& streams) const {
        std::vector<job::NamedTrace> traces;
        for (const std::string& file : trace_files_) {
            traces.push_back({file, read_trace_file(file)});
            if (traces.back().trace->header().is_simulated) print_simulated_trace(streams, file);
        }
        const std::string folder = std::filesystem::path(file_).parent_path().string();
        bool comparable = false;
        try {
            const std::vector<job::MeasuredSteps> steps = job::measured_steps(document, folder, traces);
            document.variation = job::measured_variation(document, folder, steps);
            comparable = job::can_be_compared(document, folder, steps);
        } catch (const InputError& error) {
            throw error.file().empty() ? error.in_file(file_) : error;
        }
        write_file_atomically(measured_, job::write_job_text(document));
        const std::vector<job::SlowSpec>& slow = document.variation->slow;
        const auto slowest = std::ranges::max_element(slow, {}, &job::SlowSpec::factor);
        streams.out << measured_ << ": " << counted(traces.size(), "rank") << ", "
                    << counted(document.variation->compute.factors.size(), "measured factor");
        if (slowest != slow.end() && slowest->factor > 1)
            streams.out << "; the slowest is rank " << *slowest->rank << ", "
                        << percent_text((slowest->factor - 1) * 100) << " beyond the mean of those with its stages";
        if (!comparable)
            streams.out << "; no two of the ranks run the same stages, so none can be told to be slow: measure others";
        streams.out << '\n';
    }

    std::size_t rows() const { return rows_ == 0 ? std::numeric_limits<std::size_t>::max() : rows_; }

    CLI::App* add(CLI::App& command, const std::string& name, const std::string& help) {
        CLI::App* action = command.add_subcommand(name, help);
        reads(action->add_option("JOB", file_, "overlap-job file"))->required();
        action->add_flag("--json", json_, "print JSON");
        action->fallthrough();
        return action;
    }

    void write_traces(const job::JobDocument& document, const job::PipelineOptions& options) const {
        job::NamedFiles files;
        if (!chakra_.empty()) files = job::chakra_traces(document, options, chakra_);
        // Their names are known only now; none of them is written before all have been compared.
        std::vector<GivenFile> inputs = {{"JOB", file_}}, others;
        for (std::string& file : job::files_of_job(document, options.folder))
            inputs.push_back({"JOB, which reads it", std::move(file)});
        if (!trace_.empty()) {
            check_output({"--trace", trace_}, inputs, {});
            others.push_back({"--trace", trace_});
        }
        for (const auto& [name, bytes] : files) check_output({"--chakra", name}, inputs, others);
        if (!trace_.empty()) write_file_atomically(trace_, job::job_trace_json(document, options));
        for (const auto& [name, bytes] : files) write_file_atomically(name, bytes);
    }

    void print_notes(const std::vector<std::string>& notes, const Streams& streams) const {
        for (const std::string& note : notes) streams.notes << "overlap: " << one_line(file_ + ": " + note) << '\n';
    }

    /// So that the exit status says it.
    static void require_run(const job::JobResult& result) {
        if (result.problems.empty()) return;
        const job::JobProblem& first = result.problems.front();
        throw InputError("",
                         "the job cannot run: " + std::string(problem_kind_name(first.kind)) + ": " + first.message);
    }

    void write_check(const job::JobResult& result, const Streams& streams) const {
        write_job_problems(streams.out, result);
        if (result.problems.empty()) streams.out << "the job can run; no rank waits for ever, and all members agree\n";
    }

    void write_what_ifs(const std::vector<job::WhatIf>& what_ifs, const Streams& streams) const {
        if (!what_if_) return;
        streams.out << "what each costs\n";
        TextTable table({"without", "step", "saves"});
        for (std::size_t i = 0; i < what_ifs.size() && i < rows(); ++i)
            table.add({name_text(what_ifs[i].without), milliseconds_text(what_ifs[i].step_ms),
                       percent_text(what_ifs[i].saved_share * 100)});
        table.write(streams.out);
        if (what_ifs.size() > rows())
            streams.out << "  and " << what_ifs.size() - rows() << " more; --rows shows more, --json all\n";
    }

    void compare_schedules(const job::JobDocument& document, const job::PipelineOptions& options,
                           const Streams& streams) const {
        const std::vector<job::ScheduleRow> rows = job::schedule_table(document, options);
        const bool none_runs =
            std::ranges::none_of(rows, [](const job::ScheduleRow& row) { return row.step_ms.has_value(); });
        if (json_) {
            streams.out << job::schedule_table_json(rows) << '\n';
        } else {
            print_notes(job::notes_of(rows), streams);
            if (!none_runs) write_schedules(rows, streams);
            for (const job::ScheduleRow& row : rows)
                if (!row.step_ms) streams.out << name_text(row.name) << ": " << one_line(row.refusal) << '\n';
        }
        // As a plan that is refused: nothing of what was asked for is there.
        if (none_runs)
            throw InputError("schedule",
                             "the job runs with none of the schedules; with its own: " + rows.front().refusal);
    }

    static void write_schedules(const std::vector<job::ScheduleRow>& rows, const Streams& streams) {
        TextTable table({"schedule", "pipeline ranks", "stages a rank", "step", "bubble", "waits for peers",
                         "transfer exposed", "held", "activations"});
        for (const job::ScheduleRow& row : rows) {
            const std::string name = name_text(row.name) + (row.is_own ? " (the job's)" : "");
            if (!row.step_ms) continue;
            table.add({name, std::to_string(row.ranks), std::to_string(row.stages_per_rank),
                       milliseconds_text(*row.step_ms), percent_text(row.idle_share * 100),
                       percent_text(row.waiting_share * 100), percent_text(row.transfer_share * 100),
                       std::to_string(row.held_forwards),
                       row.held_bytes ? bytes_text(*row.held_bytes) : std::string("not known")});
        }
        table.write(streams.out, "");
    }

    CLI::App *simulate_ = nullptr, *check_ = nullptr, *schedules_ = nullptr, *measure_ = nullptr;
    std::string file_, trace_, chakra_, measured_;
    std::vector<std::string> trace_files_;
    std::size_t rows_ = 20;
    bool what_if_ = false, json_ = false, no_folding_ = false;
};

}  // namespace

std::unique_ptr<Command> make_job() {
    return std::make_unique<JobCommand>();
}

}  // namespace overlap::commands

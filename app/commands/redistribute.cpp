// overlap redistribute CASES.json -o RESULTS.json: which collectives lead from one placement to another.

#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "app/arguments/file_arguments.h"
#include "app/commands/command.h"
#include "core/base/wording.h"
#include "core/files/json_output.h"
#include "core/io/measured_times_file.h"
#include "core/io/redistribution_answers.h"
#include "core/io/redistribution_cases.h"

namespace overlap::commands {

namespace {

class Redistribute final : public Command {
  public:
    CLI::App* declare(CLI::App& parser) override {
        CLI::App* command = parser.add_subcommand(
            "redistribute", "Plans redistribution between placements: PyTorch's planners and the optimal one.");
        reads(command->add_option("CASES", cases_, "file of cases, plain or gzip"))->required();
        writes(command->add_option("-o,--output", results_, "where to write the results; .gz is compressed"))
            ->required();
        reads(
            command->add_option("--costs", costs_, "measured times that the optimal plan is sought by, plain or gzip"));
        return command;
    }

    void run(const Streams& streams) override {
        const std::vector<MeshCase> cases = read_redistribution_cases(cases_);
        RedistributionAnswers answers(costs_.empty() ? std::nullopt : std::optional(read_measured_table(costs_)));
        std::string text = "{\"cases\":[\n";
        std::size_t unanswered = 0;
        for (std::size_t index = 0; index < cases.size(); ++index) {
            const nlohmann::ordered_json answer = answers.answer(cases[index]);
            unanswered += answer.contains("error") ? 1 : 0;
            text += answer.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
            text += index + 1 < cases.size() ? ",\n" : "\n";
        }
        write_json_file(results_, text + "]}\n");
        streams.notes << "overlap: " << counted(cases.size(), "case") << " answered";
        if (unanswered > 0) streams.notes << ", " << unanswered << " of them with an error";
        streams.notes << '\n';
    }

  private:
    std::string cases_, costs_, results_;
};

}  // namespace

std::unique_ptr<Command> make_redistribute() {
    return std::make_unique<Redistribute>();
}

}  // namespace overlap::commands

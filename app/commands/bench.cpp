// overlap bench GRAPH --pipeline PIPELINE | --preset PRESET: how long the passes take, without reading and writing.

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include "app/arguments/cost_model_option.h"
#include "app/arguments/file_arguments.h"
#include "app/arguments/graph_input.h"
#include "app/arguments/number_range.h"
#include "app/arguments/pipeline.h"
#include "app/commands/command.h"
#include "app/commands/formatting.h"
#include "core/base/number_text.h"
#include "core/base/statistics.h"
#include "core/base/wording.h"
#include "core/files/ordered_json.h"
#include "core/passes/pass.h"

namespace overlap::commands {

namespace {

class Bench final : public Command {
  public:
    CLI::App* declare(CLI::App& parser) override {
        CLI::App* command = parser.add_subcommand("bench", "Times the passes alone, without reading and writing.");
        reads(command->add_option("GRAPH", file_, "overlap-graph file, plain or gzip"))->required();
        passes_.declare(*command, 1);
        cost_model_.declare(*command);
        command->add_option("--repeat", repeat_, "how often to run the pipeline")
            ->check(whole_number_from(1, 1'000'000))
            ->capture_default_str();
        command->add_flag("--json", json_, "print JSON");
        return command;
    }

    void run(const Streams& streams) override {
        const std::shared_ptr<const Graph> graph = cost_model_.apply(read_graph(file_, streams), file_, streams);
        const GivenPlan given = passes_.read(*graph);
        // Every run starts from the same immutable graph.
        const Execution first = run_plan(graph, given);
        print_problems(streams, given.file, given.notes);
        print_problems(streams, given.file, first.problems);
        std::vector<double> times_ms = {first.run_ms()};
        times_ms.reserve(static_cast<std::size_t>(repeat_));
        for (int round = 1; round < repeat_; ++round) times_ms.push_back(run_plan(graph, given).run_ms());
        std::sort(times_ms.begin(), times_ms.end());
        const double median_ms = median(times_ms);
        if (json_) {
            const Json json = {{"median_ms", median_ms},
                               {"min_ms", times_ms.front()},
                               {"max_ms", times_ms.back()},
                               {"repeat", repeat_}};
            streams.out << json_text(json) << '\n';
        } else {
            streams.out << "median " << milliseconds_text(median_ms) << ", fastest "
                        << milliseconds_text(times_ms.front()) << ", slowest " << milliseconds_text(times_ms.back())
                        << " of " << counted(times_ms.size(), "run") << '\n';
        }
    }

  private:
    std::string file_;
    PipelineOption passes_;
    CostModelOption cost_model_;
    int repeat_ = 10;
    bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_bench() {
    return std::make_unique<Bench>();
}

}  // namespace overlap::commands

// overlap explain GRAPH --node NAME [--pipeline PIPELINE | --preset PRESET]: why a collective is bucketed, or not, and
// exposed, or not; what becomes of a node's output between forward and backward.

#include <ostream>
#include <span>
#include <string>
#include <utility>

#include "app/arguments/cost_model_option.h"
#include "app/arguments/file_arguments.h"
#include "app/arguments/graph_input.h"
#include "app/arguments/pipeline.h"
#include "app/commands/command.h"
#include "app/commands/formatting.h"
#include "core/advice/named_moves.h"
#include "core/base/error.h"
#include "core/explain/explain_node.h"
#include "core/files/ordered_json.h"
#include "core/io/report_json.h"

namespace overlap::commands {

namespace {

class Explain final : public Command {
  public:
    CLI::App* declare(CLI::App& parser) override {
        CLI::App* command = parser.add_subcommand(
            "explain",
            "Why a collective is bucketed with what it is, or not; why it is exposed, or what hides it; how long the "
            "memory of a node's output is held, and what a plan's memory section makes of it.");
        reads(command->add_option("GRAPH", file_, "overlap-graph file, plain or gzip"))->required();
        command->add_option("--node", node_, "name of a node of the graph or of what the pipeline makes of it")
            ->required();
        passes_.declare(*command, 0);
        cost_model_.declare(*command);
        cost_model_.declare_batch(*command);
        cost_model_.declare_compilation(*command);
        command->add_flag("--json", json_, "print JSON");
        return command;
    }

    void run(const Streams& streams) override {
        const std::shared_ptr<const Graph> as_read = read_graph(file_, streams);
        const std::shared_ptr<const Graph> graph = cost_model_.apply(as_read, file_, streams);
        std::shared_ptr<const Evaluation> evaluation;
        if (passes_.given()) {
            const GivenPlan given = passes_.read(*graph, *as_read);
            evaluation = evaluate(graph, given.plan);
            require_run(*evaluation, given.file);
            print_problems(streams, given.file, given.notes);
            print_problems(streams, given.file, std::span(evaluation->problems).first(evaluation->plan_problems));
        } else {
            evaluation = evaluate_baseline(graph);
        }
        const CollectiveExplanation explanation = explain(evaluation);
        if (json_) {
            streams.out << json_text(as_json(explanation, *evaluation)) << '\n';
        } else {
            for (const std::string& sentence : explanation.sentences) streams.out << one_line(sentence) << '\n';
        }
    }

  private:
    CollectiveExplanation explain(const std::shared_ptr<const Evaluation>& evaluation) const {
        try {
            CollectiveExplanation explanation = explain_node(*evaluation, node_);
            if (explanation.timing >= 0)
                for (std::string& sentence :
                     evaluated_moves(evaluation, static_cast<std::size_t>(explanation.timing), RefusedMoves::left_out))
                    explanation.sentences.push_back(std::move(sentence));
            return explanation;
        } catch (const InputError& error) {
            throw error.file().empty() ? error.in_file(file_) : error;
        }
    }

    Json as_json(const CollectiveExplanation& explanation, const Evaluation& evaluation) const {
        Json json = {{"node", node_}, {"collective", nullptr}, {"bucket", nullptr}, {"timing", nullptr}};
        if (!explanation.collective.empty()) json["collective"] = explanation.collective;
        if (explanation.bucket) json["bucket"] = bucket_json(*explanation.bucket);
        if (explanation.timing >= 0) {
            const CollectiveTiming& timing =
                evaluation.simulation.collectives[static_cast<std::size_t>(explanation.timing)];
            json["timing"] = {{"start", evaluation.graph->name(timing.start)},
                              {"start_ms", timing.start_ms},
                              {"end_ms", timing.end_ms},
                              {"exposed_ms", timing.exposed_ms},
                              {"cause", exposure_cause_name(timing.cause)}};
        }
        json["sentences"] = explanation.sentences;
        return json;
    }

    std::string file_, node_;
    PipelineOption passes_;
    CostModelOption cost_model_;
    bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_explain() {
    return std::make_unique<Explain>();
}

}  // namespace overlap::commands

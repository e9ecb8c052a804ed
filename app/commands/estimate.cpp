// overlap estimate GRAPH [--cost-model MODEL] [--profile FILE...] [-o OUT]: the time of every node by the analytic
// model or by profiles.

#include <algorithm>
#include <numeric>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "app/arguments/cost_model_option.h"
#include "app/arguments/file_arguments.h"
#include "app/arguments/graph_input.h"
#include "app/arguments/profile_input.h"
#include "app/commands/command.h"
#include "app/commands/formatting.h"
#include "core/base/error.h"
#include "core/base/number_text.h"
#include "core/base/wording.h"
#include "core/cost/built_in_cost_models.h"
#include "core/cost/cost_model.h"
#include "core/cost/profile_guided_times.h"
#include "core/cost/with_cost_model.h"
#include "core/files/ordered_json.h"
#include "core/io/graph_file.h"
#include "core/passes/pass.h"
#include "core/pipeline/evaluation.h"

namespace overlap::commands {

namespace {

constexpr std::size_t nodes_shown = 20;

void write_text(std::ostream& out, const Graph& graph, const std::vector<double>& times_ms) {
    std::vector<NodeId> nodes(times_ms.size());
    std::iota(nodes.begin(), nodes.end(), NodeId{0});
    const std::size_t shown = std::min(nodes_shown, nodes.size());
    const auto longer = [&](NodeId left, NodeId right) {
        return times_ms[left] != times_ms[right] ? times_ms[left] > times_ms[right] : left < right;
    };
    std::partial_sort(nodes.begin(), nodes.begin() + static_cast<std::ptrdiff_t>(shown), nodes.end(), longer);
    out << name_text(graph.header().name) << ": " << counted(times_ms.size(), "node") << ", "
        << milliseconds_text(std::accumulate(times_ms.begin(), times_ms.end(), 0.0)) << " one after the other\n";
    TextTable table({"longest", "time", "operator"});
    for (std::size_t rank = 0; rank < shown; ++rank) {
        const NodeId node = nodes[rank];
        table.add({name_text(graph.name(node)), milliseconds_text(times_ms[node]), name_text(graph.target(node))});
    }
    if (!table.empty()) table.write(out, "");
}

class Estimate final : public Command {
  public:
    CLI::App* declare(CLI::App& parser) override {
        CLI::App* command = parser.add_subcommand(
            "estimate",
            "The time of every node: by the analytic model, whatever estimate_ms the file has, or by profiles.");
        reads(command->add_option("GRAPH", file_, "overlap-graph file, plain or gzip"));
        cost_model_.declare(*command);
        cost_model_.declare_batch(*command);
        command->add_flag("--list-cost-models", list_, "list the built-in cost models and exit");
        reads(
            command->add_option("--profile", profiles_,
                                "profilers' traces, one for each rank, to take times from as PyTorch's profile-guided "
                                "estimator does; what they do not know keeps the times that simulations use"));
        writes(command->add_option("-o,--output", output_,
                                   "write the graph with these times; compressed when it ends in .gz"));
        command->add_flag("--json", json_, "print {NAME: milliseconds} for all nodes");
        command->callback([this] {
            if (file_.empty() && !list_) throw CLI::RequiredError("GRAPH");
        });
        return command;
    }

    void run(const Streams& streams) override {
        if (list_) return list(streams.out);
        const std::shared_ptr<const Graph> graph = cost_model_.apply(read_graph(file_, streams), file_, streams);
        std::vector<double> times_ms;
        try {
            times_ms = profiles_.empty() ? analytic_times_ms(*graph) : node_times_ms(*graph);
        } catch (const InputError& error) {
            throw with_cost_model_hint(error, file_);
        }
        if (!profiles_.empty()) times_ms = of_profiles(*graph, times_ms, streams);
        if (!output_.empty()) write(graph, times_ms, streams);
        if (!json_) {
            write_text(streams.out, *graph, times_ms);
            return;
        }
        // Sorted by name: the ordered kind compares each key with all earlier ones.
        nlohmann::json json = nlohmann::json::object();
        for (NodeId node = 0; node < graph->node_count(); ++node) json[std::string(graph->name(node))] = times_ms[node];
        streams.out << json.dump(1) << '\n';
    }

  private:
    /// A graph that says how its job compiles would go on with the times of that job's kernels, so it says so no
    /// longer, and what that makes of its step is told.
    void write(const std::shared_ptr<const Graph>& graph, const std::vector<double>& times_ms,
               const Streams& streams) const {
        const auto& cost = graph->header().cost;
        const bool compiled = cost && cost->compilation;
        if (compiled && keeps_times_) return write_graph_file(*graph, output_);
        std::shared_ptr<const Graph> timed = with_times(graph, times_ms);
        if (compiled) {
            timed = with_compilation(timed, std::nullopt);
            streams.notes << "overlap: the graph said how its job compiles, and what is written has these times of "
                             "nodes as traced instead: its step is "
                          << milliseconds_text(evaluate_baseline(timed)->simulation.step_ms) << " and was "
                          << milliseconds_text(evaluate_baseline(graph)->simulation.step_ms)
                          << "; figures with --compiled have the kernels' times again\n";
        }
        write_graph_file(*timed, output_);
    }

    void list(std::ostream& out) const {
        if (json_) {
            Json json = Json::array();
            for (const NamedCostModel& model : built_in_cost_models())
                json.push_back({{"name", model.name},
                                {"device", model.device_name},
                                {"description", model.description},
                                {"checked", model.origin.checked.empty() ? Json() : Json(model.origin.checked)}});
            out << json_text(json) << '\n';
            return;
        }
        for (const NamedCostModel& model : built_in_cost_models())
            out << model.name << "  " << model.description << "; compared with "
                << (model.origin.checked.empty() ? "no run" : model.origin.checked) << '\n';
    }

    std::vector<double> of_profiles(const Graph& graph, const std::vector<double>& otherwise_ms,
                                    const Streams& streams) {
        std::vector<ProfileRecords> ranks;
        for (const std::string& file : profiles_) ranks.push_back(read_profile(file, streams));
        const ProfileTables tables(combine_profiles(std::move(ranks)));
        ProfileGuidedTimes times = profile_guided_times(graph, tables, otherwise_ms);
        if (times.collectives + times.operators == 0) {
            streams.notes << "overlap: caution: the profile has no times of this graph's collectives and operators: "
                             "process groups, sizes or dtypes are others; all nodes keep their times\n";
            keeps_times_ = true;
            return std::move(times.times_ms);
        }
        streams.notes << "overlap: the profile knows " << counted(times.collectives, "collective") << " and "
                      << counted(times.operators, "other node") << " of " << counted(graph.node_count(), "node")
                      << "; the others keep their times\n";
        return std::move(times.times_ms);
    }

    std::string file_, output_;
    std::vector<std::string> profiles_;
    CostModelOption cost_model_;
    bool list_ = false, json_ = false;
    bool keeps_times_ = false;  ///< the profiles know no node of the graph
};

}  // namespace

std::unique_ptr<Command> make_estimate() {
    return std::make_unique<Estimate>();
}

}  // namespace overlap::commands

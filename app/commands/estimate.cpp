// overlap estimate GRAPH: the analytic model's time for every node.

#include <algorithm>
#include <numeric>
#include <ostream>
#include <string>
#include <vector>

#include "app/commands/command.h"
#include "app/commands/formatting.h"
#include "core/cost/cost_model.h"
#include "core/graph/error.h"
#include "core/io/graph_file.h"
#include "core/passes/pass.h"

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
    out << graph.header().name << ": " << count_text(times_ms.size(), "node") << ", "
        << milliseconds_text(std::accumulate(times_ms.begin(), times_ms.end(), 0.0)) << " one after the other\n";
    TextTable table({"longest", "time", "operator"});
    for (std::size_t rank = 0; rank < shown; ++rank) {
        const NodeId node = nodes[rank];
        table.add({std::string(graph.name(node)), milliseconds_text(times_ms[node]), std::string(graph.target(node))});
    }
    if (!table.empty()) table.write(out, "");
}

class Estimate final : public Command {
  public:
    CLI::App* declare(CLI::App& parser) override {
        CLI::App* command = parser.add_subcommand(
            "estimate", "The analytic model's time of every node, whatever estimate_ms the file has.");
        command->add_option("GRAPH", file_, "overlap-graph file, plain or gzip")->required();
        command->add_flag("--json", json_, "print {NAME: milliseconds} for all nodes");
        return command;
    }

    void run(const Streams& streams) override {
        const std::shared_ptr<const Graph> graph = read_graph_file(file_);
        std::vector<double> times_ms;
        try {
            times_ms = analytic_times_ms(*graph);
        } catch (const InputError& error) {
            throw error.file().empty() ? error.in_file(file_) : error;
        }
        if (!json_) {
            write_text(streams.out, *graph, times_ms);
            return;
        }
        // Sorted by name: the ordered kind looks for each key among all that came before.
        nlohmann::json json = nlohmann::json::object();
        for (NodeId node = 0; node < graph->node_count(); ++node) json[std::string(graph->name(node))] = times_ms[node];
        streams.out << json.dump(1) << '\n';
    }

  private:
    std::string file_;
    bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_estimate() {
    return std::make_unique<Estimate>();
}

}  // namespace overlap::commands

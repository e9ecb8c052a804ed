// overlap info GRAPH: what a graph holds, without running anything on it.

#include <cstdint>
#include <map>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "app/arguments/file_arguments.h"
#include "app/arguments/graph_input.h"
#include "app/commands/command.h"
#include "app/commands/formatting.h"
#include "app/commands/placements.h"
#include "app/commands/redistributions.h"
#include "core/base/error.h"
#include "core/base/number_text.h"
#include "core/base/wording.h"
#include "core/files/ordered_json.h"
#include "core/graph/module_tree.h"
#include "core/imports/sharding_document.h"
#include "core/io/plan/module_rules_json.h"
#include "core/modules/module_proposals.h"
#include "core/passes/pass.h"
#include "core/pipeline/time_source.h"
#include "core/plan/plan.h"
#include "core/simulate/simulation.h"

namespace overlap::commands {

namespace {

struct CollectiveTotals {
    std::uint64_t count = 0;
    std::int64_t bytes = 0;  ///< larger of input and output of each
    double time_ms = 0;
};

/// The totals of a graph. Times are those that a simulation would use.
struct Summary {
    std::map<std::string, std::uint64_t> nodes_by_op;
    std::map<std::pair<std::string, std::string>, CollectiveTotals> collectives;  ///< by kind and process group
    std::uint64_t waits = 0;
    std::int64_t placeholder_bytes = 0;
    std::int64_t output_bytes = 0;  ///< of all nodes, aliases counted again
    bool has_times = false;
    double compute_ms = 0;
    double communication_ms = 0;
};

/// Times of nodes, or nothing where the graph has no cost model and lacks the time of a node.
std::vector<double> times_or_nothing(const Graph& graph) {
    try {
        return sourced_times(graph, own_time_source(graph).get()).times_ms;
    } catch (const InputError&) {
        return {};
    }
}

Summary summarise(const Graph& graph) {
    Summary summary;
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        ++summary.nodes_by_op[std::string(node_op_name(graph.op(node)))];
        summary.output_bytes += graph.output_bytes(node);
        if (graph.op(node) == NodeOp::placeholder) summary.placeholder_bytes += graph.output_bytes(node);
        summary.waits += graph.target_info(node).is_wait ? 1 : 0;
    }
    std::vector<double> times_ms = times_or_nothing(graph);
    summary.has_times = times_ms.size() == graph.node_count();
    times_ms.resize(graph.node_count(), 0.0);
    // Collectives, their groups and sizes are determined as in the simulation.
    const Simulation simulation = simulate(graph, times_ms);
    for (const CollectiveTiming& collective : simulation.collectives) {
        const std::string& group = simulation.groups[collective.group].process_group;
        CollectiveTotals& totals = summary.collectives[{std::string(collective_kind_name(collective.kind)), group}];
        ++totals.count;
        totals.bytes += collective.bytes;
        totals.time_ms += times_ms[collective.start];
        summary.communication_ms += times_ms[collective.start];
    }
    summary.compute_ms = simulation.compute_ms;
    return summary;
}

std::string_view source_name(ModuleSource source) {
    return source == ModuleSource::module_fqn ? "custom.module_fqn" : "module_stack";
}

Json as_json(const std::string& file, const Graph& graph, const Summary& summary, const ModuleTree& tree) {
    const GraphHeader& header = graph.header();
    Json json = {
        {"file", file}, {"name", header.name}, {"nodes", graph.node_count()}, {"digest", fingerprint(graph).digest}};
    if (header.rank) json["rank"] = *header.rank;
    if (header.world_size) json["world_size"] = *header.world_size;
    for (const auto& [op, count] : summary.nodes_by_op) json["nodes_by_op"][op] = count;
    json["waits"] = summary.waits;
    json["collectives"] = Json::array();
    for (const auto& [key, totals] : summary.collectives) {
        Json entry = {
            {"kind", key.first}, {"process_group", key.second}, {"count", totals.count}, {"bytes", totals.bytes}};
        if (summary.has_times) entry["time_ms"] = totals.time_ms;
        json["collectives"].push_back(std::move(entry));
    }
    json["process_groups"] = Json::array();
    for (const ProcessGroup& group : header.process_groups) {
        json["process_groups"].push_back(
            {{"name", group.name}, {"size", group.ranks.size()}, {"description", group.description}});
    }
    json["modules"] = {{"source", source_name(tree.source())},
                       {"count", tree.exists() ? tree.module_count() - 1 : 0},
                       {"depth", tree.depth()},
                       {"nodes_without_module", tree.nodes_without_module().size()}};
    json["placeholder_bytes"] = summary.placeholder_bytes;
    json["output_bytes"] = summary.output_bytes;
    if (summary.has_times) {
        json["compute_ms"] = summary.compute_ms;
        json["communication_ms"] = summary.communication_ms;
    }
    return json;
}

void write_text(std::ostream& out, const Graph& graph, const Summary& summary, const ModuleTree& tree) {
    const GraphHeader& header = graph.header();
    out << (header.name.empty() ? "graph without a name" : name_text(header.name));
    if (header.rank) out << ", rank " << *header.rank;
    if (header.world_size) out << " of " << *header.world_size;
    out << '\n' << counted(graph.node_count(), "node") << ':';
    const char* separator = " ";
    for (const auto& [op, count] : summary.nodes_by_op) {
        out << separator << count << ' ' << op;
        separator = ", ";
    }
    out << '\n';
    TextTable table({"collectives", "group", "size", "count", "bytes", "time alone"});
    for (const auto& [key, totals] : summary.collectives) {
        const ProcessGroup* group = header.process_group(key.second);
        table.add({key.first, name_text(key.second), group ? std::to_string(group->ranks.size()) : "?",
                   std::to_string(totals.count), bytes_text(totals.bytes),
                   summary.has_times ? milliseconds_text(totals.time_ms) : "unknown"});
    }
    if (!table.empty()) table.write(out, "");
    if (tree.exists()) {
        out << counted(tree.module_count() - 1, "module") << " in " << counted(tree.depth(), "level") << " from "
            << source_name(tree.source()) << "; " << counted(tree.nodes_without_module().size(), "node")
            << " without a module\n";
    } else {
        out << "no modules: the graph carries neither module stacks nor module names\n";
    }
    out << "placeholders " << bytes_text(summary.placeholder_bytes) << ", outputs of all nodes "
        << bytes_text(summary.output_bytes) << '\n';
    if (summary.has_times) {
        out << "compute " << milliseconds_text(summary.compute_ms) << ", communication "
            << milliseconds_text(summary.communication_ms) << " if nothing overlapped\n";
    } else {
        out << "no times: the graph has no cost model and not every node has estimate_ms\n";
    }
}

/// The recommended rules as a plan takes them, and every proposal with what it would cover.
Json proposals_json(const std::vector<ModuleProposal>& proposals) {
    Json list = Json::array();
    for (const ModuleProposal& proposal : proposals) {
        list.push_back({{"rule", module_rules_json({proposal.rule})[0]},
                        {"nodes", proposal.nodes},
                        {"recommended", proposal.recommended},
                        {"made_from", proposal.reason}});
    }
    return {{"module_rules", module_rules_json(recommended_rules(proposals))}, {"proposals", std::move(list)}};
}

class Info final : public Command {
  public:
    CLI::App* declare(CLI::App& parser) override {
        CLI::App* command =
            parser.add_subcommand("info", "Nodes, collectives by kind and group, modules, bytes and times of a graph.");
        reads(command->add_option("GRAPH", file_, "overlap-graph file, plain or gzip"))->required();
        command->add_flag("--redistributions", redistributions_,
                          "instead: chains of collectives that redistribute parameters and gradients, and what other "
                          "device orders would save");
        command->add_flag("--propose-modules", propose_modules_,
                          "instead: rules that would give modules to nodes without one, as JSON; its module_rules can "
                          "be put into a plan");
        reads(command->add_option("--placements", placements_,
                                  "instead: placements that autoparallel chose, of a file that its "
                                  "export_sharding_json made for this graph"));
        command->add_flag("--json", json_, "print JSON");
        return command;
    }

    void run(const Streams& streams) override {
        const std::shared_ptr<const Graph> graph = read_graph(file_, streams);
        if (redistributions_) {
            show_redistributions(streams, *graph);
            return;
        }
        if (propose_modules_) {
            streams.out << json_text(proposals_json(propose_module_rules(graph))) << '\n';
            return;
        }
        if (!placements_.empty()) {
            show_placements(streams, *graph);
            return;
        }
        const Summary summary = summarise(*graph);
        const ModuleTree tree(*graph, preferred_module_source(*graph));
        if (json_) {
            streams.out << json_text(as_json(file_, *graph, summary, tree)) << '\n';
        } else {
            write_text(streams.out, *graph, summary, tree);
        }
    }

  private:
    void show_redistributions(const Streams& streams, const Graph& graph) const {
        const ComparedChains compared = [&] {
            try {
                return compare_chains(graph);
            } catch (const InputError& error) {
                throw error.in_file(file_);
            }
        }();
        if (json_) {
            streams.out << json_text(redistributions_json(graph, compared)) << '\n';
        } else {
            write_redistributions(streams.out, graph, compared);
        }
    }

    void show_placements(const Streams& streams, const Graph& graph) const {
        const ShardingDocument document = read_sharding_document(placements_);
        if (document.unknown_nodes(graph).size() == document.nodes.size()) {
            throw InputError(placements_, "nodes",
                             "the graph " + file_ + " has none of these nodes; it is another one");
        }
        if (json_) {
            streams.out << json_text(placements_json(graph, document)) << '\n';
        } else {
            write_placements(streams.out, graph, document);
        }
    }

    std::string file_, placements_;
    bool redistributions_ = false;
    bool propose_modules_ = false;
    bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_info() {
    return std::make_unique<Info>();
}

}  // namespace overlap::commands

#include "core/views/removed_collectives.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>

#include "core/passes/bucketing/eligibility.h"

namespace overlap {
namespace {

using Names = std::set<std::string_view>;

/// Starts of collectives, and products that are fused with theirs.
Names communicating(const Graph& graph) {
    Names names;
    for (NodeId node = 0; node < graph.node_count(); ++node)
        if (graph.op(node) == NodeOp::call_function &&
            (graph.target_info(node).starts != CollectiveKind::none || graph.target(node).starts_with("symm_mem.")))
            names.insert(graph.name(node));
    return names;
}

/// The input of the graph that a gather gathers, alone or converted; empty for others.
std::string_view gathered_input(const Graph& graph, std::string_view name) {
    NodeId node = graph.find(name);
    if (node == no_node || graph.target_info(node).starts != CollectiveKind::all_gather) return {};
    while (graph.op(node) != NodeOp::placeholder) {
        if (graph.inputs(node).size() != 1) return {};
        node = graph.inputs(node).front();
    }
    return graph.name(node);
}

/// What one step took away without making anything that stands for it.
class Removal {
  public:
    /// @param report of the step.
    Removal(const Graph& before, const Graph& after, const PassReport& report) : before_(before) {
        const Names had = communicating(before), has = communicating(after);
        std::ranges::set_difference(had, has, std::inserter(taken_, taken_.end()));
        Names made;
        std::ranges::set_difference(has, had, std::inserter(made, made.end()));
        // A bucket stands for its members, and for nothing else.
        for (const BucketReport& bucket : report.buckets) {
            for (const std::string& member : bucket.members) taken_.erase(member);
            made.erase(bucket.start);
        }
        for (const std::string_view name : made) {
            const std::string_view input = gathered_input(after, name);
            if (input.empty())
                replaces_others_ = true;
            else
                gathered_.insert(input);
        }
    }

    std::vector<std::string_view> names() const {
        std::vector<std::string_view> removed;
        for (const std::string_view name : taken_) {
            const std::string_view input = gathered_input(before_, name);
            // A gather that is made stands for those of the same parameter; what else is made, for any.
            if (!replaces_others_ && !gathered_.contains(input)) removed.push_back(name);
        }
        return removed;
    }

  private:
    const Graph& before_;
    Names taken_;
    Names gathered_;  ///< inputs that gathers are made of
    bool replaces_others_ = false;
};

}  // namespace

std::vector<NodeId> removed_collectives(const Evaluation& evaluation) {
    std::vector<NodeId> removed;
    if (evaluation.refused) return removed;
    std::vector<const Graph*> given;
    for (const StepOutcome& step : evaluation.steps)
        if (step.given) given.push_back(step.given.get());
    given.push_back(evaluation.undirected.get());
    for (std::size_t step = 0; step + 1 < given.size() && step < evaluation.reports.size(); ++step) {
        if (given[step] == given[step + 1]) continue;
        for (const std::string_view name : Removal(*given[step], *given[step + 1], evaluation.reports[step]).names())
            if (const NodeId input = evaluation.input->find(name); input != no_node) removed.push_back(input);
    }
    std::ranges::sort(removed);
    return removed;
}

ModuleFiguresTable communicated_by(const Graph& graph, const ModuleTree& tree, std::span<const NodeId> collectives) {
    ModuleFiguresTable table;
    table.modules.resize(tree.module_count());
    std::vector<bool> is_one(graph.node_count(), false);
    for (const NodeId collective : collectives) is_one[collective] = true;
    std::vector<bool> counted(graph.node_count(), false);
    for (ModuleTree::ModuleId module = 1; module < tree.module_count(); ++module) {
        for (const NodeId node : tree.module(module).nodes) {
            if (!is_one[node]) continue;
            add_collective(graph, node, table.modules[module]);
            if (counted[node]) continue;
            counted[node] = true;
            add_collective(graph, node, table.modules[ModuleTree::root]);
        }
    }
    for (const NodeId node : tree.nodes_without_module())
        if (is_one[node]) add_collective(graph, node, table.without_module);
    return table;
}

ModuleFigures communicating_without(ModuleFigures figures, const ModuleFigures& taken) {
    figures.collectives -= taken.collectives;
    figures.gather_bytes -= taken.gather_bytes;
    figures.scatter_bytes -= taken.scatter_bytes;
    figures.other_bytes -= taken.other_bytes;
    return figures;
}

}  // namespace overlap

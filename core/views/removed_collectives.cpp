#include "core/views/removed_collectives.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <utility>

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

/// Whether a node returns its input, seen or written otherwise: what is computed of it is something else.
bool only_converts(const Graph& graph, NodeId node) {
    constexpr std::array<std::string_view, 4> copies = {"prims.convert_element_type.default", "aten._to_copy.default",
                                                        "aten.clone.default", "aten.constant_pad_nd.default"};
    const TargetInfo& info = graph.target_info(node);
    return info.traits.view || info.is_getitem || std::ranges::find(copies, graph.target(node)) != copies.end();
}

/// The input of the graph that a gather gathers, alone or converted; empty for others.
std::string_view gathered_input(const Graph& graph, std::string_view name) {
    NodeId node = graph.find(name);
    if (node == no_node || graph.target_info(node).starts != CollectiveKind::all_gather) return {};
    do {
        if (graph.inputs(node).size() != 1) return {};
        node = graph.inputs(node).front();
        if (graph.op(node) == NodeOp::placeholder) return graph.name(node);
    } while (only_converts(graph, node));
    return {};
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
            const bool replaced = replaces_others_ || (!input.empty() && gathered_.contains(input));
            if (!replaced) removed.push_back(name);
        }
        return removed;
    }

  private:
    const Graph& before_;
    Names taken_;
    Names gathered_;  ///< inputs that gathers are made of
    bool replaces_others_ = false;
};

/// The collectives of the input that those of any step were made of.
class MadeOf {
  public:
    explicit MadeOf(const Graph& input) : input_(input) {}

    /// Of what no step has merged that is itself.
    std::vector<NodeId> of(std::string_view name) const {
        if (const auto merged = merged_.find(name); merged != merged_.end()) return merged->second;
        const NodeId node = input_.find(name);
        return node == no_node ? std::vector<NodeId>() : std::vector<NodeId>{node};
    }

    /// A step has made these buckets.
    void add(const std::vector<BucketReport>& buckets) {
        for (const BucketReport& bucket : buckets) {
            std::vector<NodeId> nodes;
            for (const std::string& member : bucket.members) std::ranges::copy(of(member), std::back_inserter(nodes));
            merged_.insert_or_assign(bucket.start, std::move(nodes));
        }
    }

  private:
    const Graph& input_;
    std::map<std::string_view, std::vector<NodeId>> merged_;
};

}  // namespace

std::vector<NodeId> removed_collectives(const Evaluation& evaluation) {
    std::vector<NodeId> removed;
    if (evaluation.refused) return removed;
    std::vector<const Graph*> given;
    for (const StepOutcome& step : evaluation.steps)
        if (step.given) given.push_back(step.given.get());
    given.push_back(evaluation.undirected.get());
    MadeOf made_of(*evaluation.input);
    for (std::size_t step = 0; step + 1 < given.size() && step < evaluation.reports.size(); ++step) {
        if (given[step] == given[step + 1]) continue;
        // What a later step takes away may be a bucket: none of what it was made of runs then.
        for (const std::string_view name : Removal(*given[step], *given[step + 1], evaluation.reports[step]).names())
            std::ranges::copy(made_of.of(name), std::back_inserter(removed));
        made_of.add(evaluation.reports[step].buckets);
    }
    std::ranges::sort(removed);
    removed.erase(std::unique(removed.begin(), removed.end()), removed.end());
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

ModuleFigures communicated_in(const Graph& graph, std::span<const NodeId> nodes, std::span<const NodeId> collectives) {
    ModuleFigures figures;
    for (const NodeId node : collectives)
        if (std::ranges::binary_search(nodes, node)) add_collective(graph, node, figures);
    return figures;
}

ModuleFigures communicating_without(ModuleFigures figures, const ModuleFigures& taken) {
    figures.collectives -= taken.collectives;
    figures.gather_bytes -= taken.gather_bytes;
    figures.scatter_bytes -= taken.scatter_bytes;
    figures.other_bytes -= taken.other_bytes;
    return figures;
}

}  // namespace overlap

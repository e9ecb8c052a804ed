#include "core/views/module_figures.h"

#include <unordered_set>

#include "core/modules/home_module.h"
#include "core/modules/parameter_names.h"
#include "core/passes/bucketing/eligibility.h"
#include "core/passes/pass.h"

namespace overlap {

namespace {

using ModuleId = ModuleTree::ModuleId;

/// Parameters do; tables of angles (complex) and counters (integer), which documents name as well, do not.
bool holds_real_numbers(const TensorMeta& tensor) {
    return dtype_info(tensor.dtype).name.find("float") != std::string_view::npos;
}

class Reckoning {
  public:
    Reckoning(const Graph& graph, const ModuleTree& tree, std::span<const double> times_ms)
        : graph_(graph), tree_(tree), times_ms_(times_ms) {}

    ModuleFiguresTable run() {
        table_.modules.resize(tree_.module_count());
        std::vector<bool> counted(graph_.node_count(), false);
        for (ModuleId module = 1; module < tree_.module_count(); ++module) {
            for (const NodeId node : tree_.module(module).nodes) {
                add(node, table_.modules[module]);
                if (counted[node]) continue;
                counted[node] = true;
                add(node, table_.modules[ModuleTree::root]);
            }
        }
        for (const NodeId node : tree_.nodes_without_module()) add(node, table_.without_module);
        add_parameters();
        return std::move(table_);
    }

  private:
    void add(NodeId node, ModuleFigures& figures) const { add_node(graph_, node, times_ms_, figures); }

    void add_parameters() {
        if (!tree_.exists()) return;
        if (const auto names = parameter_names(graph_)) {
            for (const auto& [placeholder, name] : *names) add_parameter(placeholder, owner_by_name(name));
            return;
        }
        const BucketingEligibility eligibility(graph_);
        const std::vector<ModuleId> homes = home_modules(tree_, graph_.node_count());
        for (const NodeId start : eligibility.collectives()) {
            const NodeId placeholder = eligibility.only_placeholder(start);
            if (graph_.target_info(start).starts == CollectiveKind::all_gather) {
                add_parameter(placeholder, homes[start] == ModuleTree::no_module ? ModuleTree::root : homes[start]);
            }
        }
    }

    /// The deepest module along a parameter's name.
    ModuleId owner_by_name(std::string_view name) const {
        ModuleId at = ModuleTree::root;
        while (true) {
            const std::size_t dot = name.find('.');
            const ModuleId next = tree_.child(at, name.substr(0, dot));
            if (next == ModuleTree::no_module) return at;
            at = next;
            if (dot == std::string_view::npos) return at;
            name.remove_prefix(dot + 1);
        }
    }

    void add_parameter(NodeId placeholder, ModuleId owner) {
        if (placeholder == no_node || graph_.users(placeholder).empty() || graph_.outputs(placeholder).empty()) return;
        const TensorMeta& tensor = graph_.outputs(placeholder).front();
        if (!tensor.is_tensor || !holds_real_numbers(tensor) || !storages_.insert(tensor.storage).second) return;
        for (ModuleId module = owner;; module = tree_.module(module).parent) {
            ++table_.modules[module].parameters;
            table_.modules[module].parameter_bytes += graph_.tensor_bytes(tensor);
            if (module == ModuleTree::root) return;
        }
    }

    const Graph& graph_;
    const ModuleTree& tree_;
    std::span<const double> times_ms_;
    ModuleFiguresTable table_;
    std::unordered_set<std::uint32_t> storages_;
};

}  // namespace

void add_collective(const Graph& graph, NodeId collective, ModuleFigures& figures) {
    if (graph.target_info(collective).starts == CollectiveKind::none) return;
    ++figures.collectives;
    const std::int64_t bytes = collective_bytes(graph, collective);
    switch (graph.target_info(collective).starts) {
        case CollectiveKind::all_gather:
            figures.gather_bytes += bytes;
            break;
        case CollectiveKind::reduce_scatter:
            figures.scatter_bytes += bytes;
            break;
        default:
            figures.other_bytes += bytes;
    }
}

void add_node(const Graph& graph, NodeId node, std::span<const double> times_ms, ModuleFigures& figures) {
    ++figures.nodes;
    const TargetInfo& target = graph.target_info(node);
    if (graph.op(node) != NodeOp::call_function || target.starts == CollectiveKind::none) {
        (is_backward(graph, node) ? figures.backward_ms : figures.forward_ms) += times_ms[node];
        return;
    }
    figures.communication_ms += times_ms[node];
    add_collective(graph, node, figures);
}

ModuleFiguresTable module_figures(const Graph& graph, const ModuleTree& tree, std::span<const double> times_ms) {
    return Reckoning(graph, tree, times_ms).run();
}

}  // namespace overlap

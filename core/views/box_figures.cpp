#include "core/views/box_figures.h"

#include <algorithm>
#include <array>
#include <map>

#include "core/graph/direction.h"
#include "core/passes/bucketing/eligibility.h"
#include "core/views/exposed_time.h"
#include "core/views/module_figures.h"

namespace overlap {
namespace {

/// Time first; nodes that take none decide where there is none.
constexpr double weight_of_a_node = 1e-9;

template <std::size_t count>
std::size_t largest(const std::array<double, count>& weights) {
    return static_cast<std::size_t>(std::max_element(weights.begin(), weights.end()) - weights.begin());
}

Stage stage_of(const Graph& graph, NodeId node, OperationKind kind) {
    if (kind == OperationKind::input) return Stage::input;
    if (!is_backward(graph, node)) return Stage::forward;
    return is_recomputed(graph, node) ? Stage::recomputed : Stage::backward;
}

struct Weights {
    std::array<double, operation_kind_count> kinds{};
    std::array<double, stage_count> stages{};
    std::map<Dtype, std::int64_t> dtypes;
};

class BoxReckoning {
  public:
    BoxReckoning(const Graph& graph, const BoxTree& tree, const BoxPlaces& places, std::span<const double> times_ms,
                 std::span<const NodeId> removed, const ComputedTime* computed = nullptr,
                 const ModuleTree* modules = nullptr)
        : graph_(graph),
          tree_(tree),
          places_(places),
          times_ms_(times_ms),
          removed_(removed),
          computed_(computed),
          modules_(modules) {}

    std::vector<BoxFigures> run() {
        figures_.resize(tree_.box_count());
        weights_.resize(tree_.box_count());
        for (BoxId id = tree_.box_count(); id-- > 0;) {  // children come behind their parents
            const Box& box = tree_.box(id);
            if (box.kind == BoxKind::operation) count(box.node, id);
            decide(id);
            if (id != BoxTree::root) hand_up(id);
        }
        if (computed_)
            for (const ComputedTime::Made& made : computed_->made) add_made(made);
        return std::move(figures_);
    }

  private:
    void count(NodeId node, BoxId id) {
        BoxFigures& figures = figures_[id];
        const OperationKind kind = operation_kind(graph_, node);
        const bool starts =
            graph_.op(node) == NodeOp::call_function && graph_.target_info(node).starts != CollectiveKind::none;
        const bool runs = !starts || !std::ranges::binary_search(removed_, node);
        if (runs && starts) figures.communication_ms += times_ms_[node];
        if (computed_) {
            figures.compute_ms += computed_->nodes_ms[node];
        } else if (!starts) {
            figures.compute_ms += times_ms_[node];
        }
        if (starts && runs) {
            ++figures.collectives;
            const CollectiveKind collective = graph_.target_info(node).starts;
            (collective == CollectiveKind::all_gather       ? figures.gather_bytes
             : collective == CollectiveKind::reduce_scatter ? figures.scatter_bytes
                                                            : figures.other_bytes) += collective_bytes(graph_, node);
        }
        const double weight = times_ms_[node] + weight_of_a_node;
        weights_[id].kinds[static_cast<std::size_t>(kind)] += weight;
        weights_[id].stages[static_cast<std::size_t>(stage_of(graph_, node, kind))] += weight;
        for (const TensorMeta& output : graph_.outputs(node))
            if (output.is_tensor) weights_[id].dtypes[output.dtype] += graph_.tensor_bytes(output);
    }

    void decide(BoxId id) {
        const Weights& weights = weights_[id];
        figures_[id].kind = static_cast<OperationKind>(largest(weights.kinds));
        figures_[id].stage = static_cast<Stage>(largest(weights.stages));
        std::int64_t most = -1;
        for (const auto& [dtype, bytes] : weights.dtypes) {
            if (bytes <= most) continue;
            most = bytes;
            figures_[id].dtype = dtype;
            figures_[id].has_dtype = true;
        }
    }

    void hand_up(BoxId id) {
        const Box& box = tree_.box(id);
        const BoxKind around = tree_.box(box.parent).kind;
        const bool of_module = around == BoxKind::module || around == BoxKind::run;
        if (box.kind == BoxKind::operation && of_module && places_.home[box.node] == ModuleTree::no_module) return;
        BoxFigures& sum = figures_[box.parent];
        const BoxFigures& figures = figures_[id];
        sum.compute_ms += figures.compute_ms;
        sum.communication_ms += figures.communication_ms;
        sum.gather_bytes += figures.gather_bytes;
        sum.scatter_bytes += figures.scatter_bytes;
        sum.other_bytes += figures.other_bytes;
        sum.collectives += figures.collectives;
        Weights& total = weights_[box.parent];
        const Weights& part = weights_[id];
        for (std::size_t i = 0; i < operation_kind_count; ++i) total.kinds[i] += part.kinds[i];
        for (std::size_t i = 0; i < stage_count; ++i) total.stages[i] += part.stages[i];
        for (const auto& [dtype, bytes] : part.dtypes) total.dtypes[dtype] += bytes;
    }

    /// To the box of its module, else to that of the module around it.
    void add_made(const ComputedTime::Made& made) {
        BoxId box = no_box;
        for (auto module = made.module; box == no_box && module != ModuleTree::no_module;
             module = modules_->module(module).parent) {
            const Phase phase = made.backward ? Phase::backward : Phase::forward;
            box = tree_.box_of(module, phase);
            if (box == no_box) box = tree_.box_of(module, made.backward ? Phase::forward : Phase::backward);
        }
        for (; box != no_box; box = tree_.box(box).parent) figures_[box].compute_ms += made.ms;
    }

    const Graph& graph_;
    const BoxTree& tree_;
    const BoxPlaces& places_;
    std::span<const double> times_ms_;
    std::span<const NodeId> removed_;
    const ComputedTime* computed_;  ///< null: the compute in times_ms_
    const ModuleTree* modules_;     ///< null where computed_ is
    std::vector<BoxFigures> figures_;
    std::vector<Weights> weights_;
};

}  // namespace

OperationKind operation_kind(const Graph& graph, NodeId node) {
    if (graph.op(node) != NodeOp::call_function)
        return graph.op(node) == NodeOp::call_module || graph.op(node) == NodeOp::call_method ? OperationKind::other
                                                                                              : OperationKind::input;
    const TargetInfo& target = graph.target_info(node);
    if (target.starts != CollectiveKind::none || target.is_wait) return OperationKind::collective;
    if (target.traits.compute) return OperationKind::matrix;
    if (target.traits.view || target.is_getitem) return OperationKind::view;
    return target.traits.fusible || target.traits.cheap ? OperationKind::pointwise : OperationKind::other;
}

std::vector<BoxFigures> box_figures(const Graph& graph, const BoxTree& tree, const BoxPlaces& places,
                                    std::span<const double> times_ms, std::span<const NodeId> removed) {
    return BoxReckoning(graph, tree, places, times_ms, removed).run();
}

std::vector<BoxFigures> box_figures(const Graph& graph, const BoxTree& tree, const BoxPlaces& places,
                                    std::span<const double> times_ms, std::span<const NodeId> removed,
                                    const ComputedTime& computed, const ModuleTree& modules) {
    return BoxReckoning(graph, tree, places, times_ms, removed, &computed, &modules).run();
}

std::vector<double> box_exposed_ms(const Evaluation& evaluation, const BoxTree& tree) {
    std::vector<double> exposed(tree.box_count(), 0);
    const std::vector<double> of_input = exposed_ms_of_input(evaluation);
    for (NodeId node = 0; node < of_input.size(); ++node)
        if (of_input[node] > 0) exposed[tree.operation_of(node)] += of_input[node];
    for (BoxId id = tree.box_count(); id-- > 1;) exposed[tree.box(id).parent] += exposed[id];
    return exposed;
}

}  // namespace overlap

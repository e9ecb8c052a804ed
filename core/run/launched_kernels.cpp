#include "core/run/launched_kernels.h"

#include <algorithm>

#include "core/cost/control_deps.h"
#include "core/cost/fused_values.h"
#include "core/memory/storage_table.h"
#include "core/predict/block_regions.h"
#include "core/predict/kernel_operators.h"

namespace overlap {

namespace {

/// Finds the operators that keep a kernel of their own.
class ApartFinder {
  public:
    explicit ApartFinder(const Graph& graph)
        : graph_(graph),
          table_(graph, StorageRule::corrected),
          apart_(graph.node_count()),
          below_(graph.node_count()),
          above_(graph.node_count()) {
        roles_.reserve(graph.node_count());
        for (NodeId node = 0; node < graph.node_count(); ++node) roles_.push_back(kernel_operator(graph, node).role);
    }

    std::vector<bool> find() {
        find_rewritten();
        for (NodeId node = 0; node < graph_.node_count(); ++node) {
            if (touches_rewritten(node) || writes_into_given(node)) apart_[node] = true;
            const bool wraps = is_control_deps(graph_, node);
            if (wraps || written_by_keyword(node)) keep_inputs_apart(node);
            if (wraps) keep_users_apart(node);
        }
        return std::move(apart_);
    }

  private:
    /// The tensors that an operator is given to write into and does not return.
    const Value* written_by_keyword(NodeId node) const {
        return graph_.op(node) == NodeOp::call_function ? graph_.keyword(node, "out") : nullptr;
    }

    /// Memory whose content changes after something may have read it: written into by another operator than the one
    /// that made it, or by two where none did.
    void find_rewritten() {
        const std::vector<Storage>& storages = table_.storages();
        std::vector<std::uint32_t> writers(storages.size());
        const auto count = [&](NodeId node, NodeId writer) {
            for (const StorageIndex storage : table_.held_by(node)) {
                const bool changes = storages[storage].allocator != writer && !hands_on(node, writer);
                writers[storage] += changes;
            }
        };
        for (NodeId node = 0; node < graph_.node_count(); ++node) {
            if (roles_[node] != KernelRole::none || is_control_deps(graph_, node)) count(node, node);
            const Value* given = written_by_keyword(node);
            // A collective that is given its output returns it, too.
            if (given && graph_.outputs(node).empty())
                for_each_node(graph_.values(), *given, [&](NodeId into) { count(into, node); });
        }
        rewritten_.reserve(storages.size());
        for (std::size_t index = 0; index < storages.size(); ++index) {
            const bool empty_at_first = only_allocates(graph_, storages[index].allocator);
            rewritten_.push_back(writers[index] > (empty_at_first ? 1u : 0u));
        }
    }

    /// Who reads that memory may name the node that allocated it, so it is not known who waits for this one.
    bool writes_into_given(NodeId node) const {
        return (roles_[node] == KernelRole::pointwise || roles_[node] == KernelRole::reduction) &&
               !hands_on(node, node) && std::ranges::any_of(table_.held_by(node), [&](StorageIndex storage) {
                   return table_.storages()[storage].allocator != node;
               });
    }

    /// Whether an operator changes what only it reads, such as `add_` of a mean that nothing else needs. Then what
    /// reads its result waits for it as for any other.
    bool hands_on(NodeId node, NodeId writer) const {
        const std::span<const NodeId> inputs = graph_.inputs(writer);
        if (node != writer || inputs.empty()) return false;
        const NodeId given = inputs.front();
        return graph_.op(given) == NodeOp::call_function && roles_[given] != KernelRole::none &&
               graph_.users(given).size() == 1 && std::ranges::equal(table_.held_by(given), table_.held_by(writer));
    }

    bool touches_rewritten(NodeId node) const {
        const auto held = [&](NodeId of) {
            return std::ranges::any_of(table_.held_by(of), [&](StorageIndex storage) { return rewritten_[storage]; });
        };
        return held(node) || std::ranges::any_of(graph_.inputs(node), held);
    }

    /// Through views, which are no operators with a kernel.
    void keep_inputs_apart(NodeId node) {
        for (const NodeId input : graph_.inputs(node)) {
            if (input >= node || below_[input]) continue;
            below_[input] = apart_[input] = true;
            if (roles_[input] == KernelRole::none) keep_inputs_apart(input);
        }
    }

    void keep_users_apart(NodeId node) {
        for (const NodeId user : graph_.users(node)) {
            if (user <= node || above_[user]) continue;
            above_[user] = apart_[user] = true;
            if (roles_[user] == KernelRole::none) keep_users_apart(user);
        }
    }

    const Graph& graph_;
    StorageTable table_;
    std::vector<KernelRole> roles_;
    std::vector<bool> rewritten_;  ///< of each storage
    std::vector<bool> apart_;
    std::vector<bool> below_, above_;  ///< of each node: whether it was kept apart with what reads it, or is read by it
};

}  // namespace

LaunchedKernels launched_kernels(const Graph& given, CompiledScope scope) {
    const FusedValues values(given);
    const Graph& graph = values.graph();
    std::vector<std::int32_t> regions = compiled_regions(graph, scope);
    LaunchedKernels launched;
    if (scope == CompiledScope::eager) {
        launched.kernels = fused_kernels(graph, regions);
        launched.compiled.resize(launched.kernels.kernels.size());
        return launched;
    }
    const std::vector<bool> apart = ApartFinder(graph).find();
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        if (apart[node]) regions[node] = not_compiled;
    }
    launched.kernels = fused_kernels(graph, regions, LaunchOrder::of_graph);
    launched.unwritten = launched.kernels.inlined;
    for (const FusedKernel& kernel : launched.kernels.kernels) {
        const bool is_generated = regions[kernel.nodes.front()] != not_compiled &&
                                  (kernel.role == KernelRole::pointwise || kernel.role == KernelRole::reduction);
        launched.compiled.push_back(is_generated || kernel.nodes.size() > 1);
        if (!launched.compiled.back()) continue;
        for (const NodeId node : kernel.nodes) launched.unwritten[node] = true;
        for (const BufferWrite& write : kernel.writes) launched.unwritten[write.node] = false;
    }
    return launched;
}

}  // namespace overlap

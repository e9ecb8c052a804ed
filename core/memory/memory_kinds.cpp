#include "core/memory/memory_kinds.h"

#include <algorithm>
#include <unordered_map>

#include "core/cost/host_transfers.h"
#include "core/graph/direction.h"
#include "core/graph/module_tree.h"
#include "core/memory/counted_memory.h"
#include "core/memory/storage_lives.h"

namespace overlap {

namespace {

constexpr std::array<std::string_view, memory_kind_count> names = {
    "inputs",  "sharded_parameters", "gathered_parameters", "gradients", "saved_activations", "recomputed",
    "offload", "temporary"};

/// Beginnings of operators that move data and compute nothing.
constexpr auto moving = std::to_array<std::string_view>({
    "operator.getitem",
    "aten._to_copy.",
    "aten.clone.",
    "aten.copy_.",
    "aten.copy.",
    "aten.cat.",
    "aten.split",
    "aten.chunk.",
    "aten.narrow",
    "aten.constant_pad_nd.",
    "aten.empty.",
    "aten.contiguous.",
    "aten.stack.",
    "aten.resize_",
    "prims.convert_element_type.",
    "prims.device_put.",
    "bucketing.",
    "fsdp.",
    "_c10d_functional.wait_tensor.",
    "higher_order.control_deps",
});

class KindFinder {
  public:
    KindFinder(const Graph& graph, const StorageTable& table)
        : graph_(graph),
          table_(table),
          moves_(graph.target_count()),
          of_node_(graph.node_count(), MemoryKind::temporary) {
        for (std::uint32_t target = 0; target < graph.target_count(); ++target) {
            const std::string_view name = graph.target_text(target);
            moves_[target] =
                std::ranges::any_of(moving, [&](std::string_view start) { return name.starts_with(start); });
        }
    }

    std::vector<MemoryKind> find() {
        find_parameters();
        find_gradients();
        mark_transfers();
        std::vector<MemoryKind> kinds;
        for (const Storage& storage : table_.storages()) kinds.push_back(kind_of(storage));
        return kinds;
    }

  private:
    bool is_call(NodeId node) const { return graph_.op(node) == NodeOp::call_function; }
    bool gathers(NodeId node) const {
        return is_call(node) && graph_.target_info(node).starts == CollectiveKind::all_gather;
    }
    bool reduces(NodeId node) const {
        const CollectiveKind kind = is_call(node) ? graph_.target_info(node).starts : CollectiveKind::none;
        return kind == CollectiveKind::reduce_scatter || kind == CollectiveKind::all_reduce;
    }
    bool moves(NodeId node) const {
        return is_call(node) && (moves_[graph_.record(node).target] != 0 || graph_.target_info(node).traits.view);
    }

    /// Placeholders that only move on their way to a gather, and all that only moving and gathering makes of them.
    void find_parameters() {
        // Whether a node is made of placeholders by moving alone; then, whether a gather takes it.
        std::vector<std::uint8_t> moved(graph_.node_count()), gathered(graph_.node_count());
        for (NodeId node = 0; node < graph_.node_count(); ++node) {
            if (graph_.op(node) == NodeOp::placeholder) moved[node] = 1;
            if (!moves(node)) continue;
            const auto inputs = graph_.inputs(node);
            moved[node] = std::ranges::all_of(inputs, [&](NodeId input) { return moved[input] != 0; });
        }
        for (NodeId node = graph_.node_count(); node-- > 0;) {
            if (!gathers(node) && !gathered[node]) continue;
            for (const NodeId input : graph_.inputs(node)) gathered[input] = moved[input];
        }
        std::vector<NodeId> buffers(graph_.node_count(), no_node);
        for (NodeId node = 0; node < graph_.node_count(); ++node) {
            follow_buffers(node, buffers);
            if (graph_.op(node) == NodeOp::placeholder) {
                of_node_[node] = gathered[node] ? MemoryKind::sharded_parameters : MemoryKind::inputs;
            } else if (graph_.op(node) == NodeOp::get_attr) {
                of_node_[node] = MemoryKind::inputs;
            } else if ((moves(node) || gathers(node)) && is_of_parameters(node, gathered)) {
                of_node_[node] = MemoryKind::gathered_parameters;
            }
        }
    }

    /// Buffers that are made of nothing and filled with gathered parameters: where the gathers of several are unpacked.
    /// @param buffers for each node the buffer that it is a view of, or no_node.
    void follow_buffers(NodeId node, std::vector<NodeId>& buffers) {
        if (!moves(node)) return;
        const auto inputs = graph_.inputs(node);
        if (inputs.empty()) buffers[node] = node;
        if (inputs.size() == 1) buffers[node] = buffers[inputs.front()];
        bool any_parameter = false, any_other = false;
        for (const NodeId input : inputs) {
            any_parameter |= is_parameter(input);
            any_other |= !is_parameter(input) && buffers[input] == no_node;
        }
        if (!any_parameter || any_other) return;
        for (const NodeId input : inputs)
            if (buffers[input] != no_node) of_node_[buffers[input]] = MemoryKind::gathered_parameters;
    }

    bool is_parameter(NodeId node) const {
        return of_node_[node] == MemoryKind::sharded_parameters || of_node_[node] == MemoryKind::gathered_parameters;
    }

    bool is_of_parameters(NodeId node, const std::vector<std::uint8_t>& gathered) const {
        const auto inputs = graph_.inputs(node);
        if (inputs.empty()) return gathered[node] != 0;
        return std::ranges::all_of(inputs, [&](NodeId input) { return is_parameter(input); });
    }

    /// From the output back through what moves and reduces, to what computes.
    void find_gradients() {
        std::vector<NodeId> stack;
        std::vector<std::uint8_t> seen(graph_.node_count());
        for (NodeId node = 0; node < graph_.node_count(); ++node) {
            if (graph_.op(node) == NodeOp::output) stack.push_back(node);
        }
        while (!stack.empty()) {
            const NodeId user = stack.back();
            stack.pop_back();
            for (const NodeId node : graph_.inputs(user)) {
                if (seen[node] || !is_call(node) || of_node_[node] != MemoryKind::temporary) continue;
                seen[node] = 1;
                of_node_[node] = MemoryKind::gradients;
                if (moves(node) || reduces(node)) stack.push_back(node);
            }
        }
    }

    void mark_transfers() {
        const HostTransfers transfers(graph_);
        if (!transfers.any()) return;
        for (NodeId node = 0; node < graph_.node_count(); ++node) {
            const HostTransfers::Kind kind = transfers.kind(node);
            if (kind == HostTransfers::Kind::from_host) of_node_[node] = MemoryKind::offload;
            if (kind != HostTransfers::Kind::to_host) continue;
            // What is copied may lie in the memory of another node, as what a wait returns does.
            for (const NodeId input : graph_.inputs(node))
                for (const StorageIndex storage : table_.held_by(input))
                    of_node_[table_.storages()[storage].allocator] = MemoryKind::offload;
        }
    }

    MemoryKind kind_of(const Storage& storage) const {
        const NodeId node = storage.allocator;
        const MemoryKind kind = of_node_[node];
        if (kind != MemoryKind::temporary) return kind;
        if (is_recomputed(graph_, node)) return MemoryKind::recomputed;
        const bool kept = !is_backward(graph_, node) && storage.released_by != no_node &&
                          graph_.op(storage.released_by) != NodeOp::output && is_backward(graph_, storage.released_by);
        return kept ? MemoryKind::saved_activations : MemoryKind::temporary;
    }

    const Graph& graph_;
    const StorageTable& table_;
    std::vector<std::uint8_t> moves_;  ///< by target
    std::vector<MemoryKind> of_node_;
};

std::size_t index_of(MemoryKind kind) {
    return static_cast<std::size_t>(kind);
}

/// Parameters have no module of their own: that of what uses them.
ModuleTree::ModuleId module_of(const Graph& graph, const ModuleTree& tree, NodeId node) {
    ModuleTree::ModuleId module = tree.innermost(node);
    for (int steps = 0; module == ModuleTree::no_module && steps < 8; ++steps) {
        const auto users = graph.users(node);
        if (users.empty()) break;
        node = users.front();
        module = tree.innermost(node);
    }
    return module;
}

}  // namespace

std::string_view memory_kind_name(MemoryKind kind) {
    return names[index_of(kind)];
}

std::string memory_kind_title(MemoryKind kind) {
    std::string title(memory_kind_name(kind));
    std::ranges::replace(title, '_', ' ');
    return kind == MemoryKind::offload ? "offloaded, in flight" : title;
}

std::vector<MemoryKind> memory_kinds(const Graph& graph, const StorageTable& table) {
    return KindFinder(graph, table).find();
}

std::size_t peak_point(const MemoryProfile& profile) {
    const auto peak = std::ranges::max_element(profile.points);
    return peak == profile.points.end() ? 0 : static_cast<std::size_t>(peak - profile.points.begin());
}

HeldMemory held_memory(const Graph& graph, std::size_t point) {
    const CountedMemory memory(graph, StorageRule::corrected);
    const StorageTable& table = memory.table();
    const std::vector<MemoryKind> kinds = memory_kinds(memory.graph(), table);
    const StorageLives lives(graph);
    const ModuleTree tree(graph, preferred_module_source(graph));
    std::unordered_map<ModuleTree::ModuleId, HeldMemory::OfModule> modules;
    HeldMemory held;
    for (std::size_t index = 0; index < table.storages().size(); ++index) {
        const Storage& storage = table.storages()[index];
        const std::optional<StorageLife> life = lives.of(storage);
        if (!life || point < life->from || point >= life->until) continue;
        const ModuleTree::ModuleId module =
            tree.exists() ? module_of(graph, tree, storage.allocator) : ModuleTree::no_module;
        HeldMemory::OfModule& of_module = modules[module];
        for (BytesByKind* sums : {&held.by_kind, &of_module.by_kind}) (*sums)[index_of(kinds[index])] += storage.bytes;
        of_module.bytes += storage.bytes;
        held.bytes += storage.bytes;
    }
    for (auto& [module, sums] : modules) {
        if (module != ModuleTree::no_module) sums.module = tree.path(module);
        held.modules.push_back(std::move(sums));
    }
    std::ranges::sort(held.modules, [](const HeldMemory::OfModule& left, const HeldMemory::OfModule& right) {
        return left.bytes != right.bytes ? left.bytes > right.bytes : left.module < right.module;
    });
    return held;
}

std::vector<BytesByKind> memory_by_kind(const Graph& graph) {
    const CountedMemory memory(graph, StorageRule::corrected);
    const StorageTable& table = memory.table();
    const std::vector<MemoryKind> kinds = memory_kinds(memory.graph(), table);
    const StorageLives lives(graph);
    std::vector<BytesByKind> points(lives.point_count());
    for (std::size_t index = 0; index < table.storages().size(); ++index) {
        const Storage& storage = table.storages()[index];
        const std::optional<StorageLife> life = lives.of(storage);
        if (!life) continue;
        const std::size_t kind = index_of(kinds[index]);
        points[life->from][kind] += storage.bytes;
        if (life->until < points.size()) points[life->until][kind] -= storage.bytes;
    }
    for (std::size_t point = 1; point < points.size(); ++point) {
        for (std::size_t kind = 0; kind < memory_kind_count; ++kind) points[point][kind] += points[point - 1][kind];
    }
    return points;
}

}  // namespace overlap

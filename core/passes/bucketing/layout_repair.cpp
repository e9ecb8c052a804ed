#include "core/passes/bucketing/layout_repair.h"

#include <algorithm>
#include <array>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/quote.h"
#include "core/passes/bucketing/traced_sequence.h"

namespace overlap {

namespace {

using Sizes = std::vector<std::int64_t>;

/// Operators whose results have new strides, whatever the strides of their inputs.
constexpr auto own_layout = std::to_array<std::string_view>({
    "_c10d_functional.all_gather_into_tensor",
    "_c10d_functional.reduce_scatter_tensor",
    "aten._grouped_mm",
    "aten.addmm",
    "aten.baddbmm",
    "aten.bmm",
    "aten.embedding",
    "aten.mm",
    "aten.sum",
    "bucketing._pre_bucket_all_gather",
    "bucketing._pre_bucket_reduce_scatter",
});

std::string_view packet_of(std::string_view target) {
    return target.substr(0, target.rfind('.'));
}

/// An operator that returns what it writes into: `aten.relu_`, and `aten.__iand__` unlike `aten.__and__`.
bool writes_in_place(std::string_view packet) {
    if (packet.ends_with("__")) return packet.starts_with("aten.__i");
    return packet.ends_with('_');
}

class LayoutRepair {
  public:
    explicit LayoutRepair(GraphEditor& graph) : graph_(graph) {}

    void run(std::span<const NodeId> users) {
        for (const NodeId user : users) queue(user);
        while (!work_.empty()) {
            const NodeId node = work_.front();
            work_.pop_front();
            std::erase(queued_, node);
            if (graph_.op(node) != NodeOp::call_function || graph_.outputs(node).empty()) continue;
            if (!evaluate(node)) continue;
            for (const NodeId user : graph_.users(node)) queue(user);
        }
    }

  private:
    void queue(NodeId node) {
        if (std::ranges::find(queued_, node) != queued_.end()) return;
        queued_.push_back(node);
        work_.push_back(node);
    }

    /// The tensor that argument `index` refers to; for a getitem the element that it takes.
    const TensorMeta* argument_tensor(NodeId node, std::size_t index) const {
        const NodeId input = graph_.node_argument(node, index);
        if (input == no_node) return nullptr;
        const std::span<const TensorMeta> outputs = graph_.outputs(input);
        std::size_t element = 0;
        if (graph_.target_info(node).is_getitem) {
            const Value* item = graph_.argument(node, 1);
            if (!item || !item->is(ValueKind::integer)) return nullptr;
            // From the last one where it is negative; one before the first is beyond all.
            element = static_cast<std::size_t>(item->integer);
            if (item->integer < 0) element += outputs.size();
        }
        return element < outputs.size() && outputs[element].is_tensor ? &outputs[element] : nullptr;
    }

    Sizes strides_of(const TensorMeta& tensor) const {
        const std::span<const std::int64_t> strides = graph_.stride(tensor);
        return {strides.begin(), strides.end()};
    }
    Sizes sizes_of(const TensorMeta& tensor) const {
        const std::span<const std::int64_t> sizes = graph_.shape(tensor);
        return {sizes.begin(), sizes.end()};
    }

    /// @returns whether the layout of the node's tensors has changed.
    bool evaluate(NodeId node) {
        const std::string_view packet = packet_of(graph_.target(node));
        const bool in_place = writes_in_place(packet);
        if (graph_.target_info(node).traits.view || graph_.target_info(node).is_getitem || in_place) {
            const TensorMeta* base = argument_tensor(node, 0);
            return base && follow(node, packet, in_place, TensorMeta(*base));
        }
        if (std::ranges::binary_search(own_layout, packet)) return false;
        return own_result(node, packet);
    }

    /// A view or an alias of its first argument.
    bool follow(NodeId node, std::string_view packet, bool in_place, const TensorMeta& base) {
        if (graph_.outputs(node).size() != 1) return follow_parts(node, base);
        const TensorMeta before = graph_.outputs(node).front();
        if (!before.is_tensor) return false;
        TensorMeta after = before;
        after.storage = base.storage;
        after.storage_bytes = base.storage_bytes;
        const std::optional<Sizes> strides = view_of(node, packet, in_place, base, before, after.storage_offset);
        if (!strides) return false;  // the reference's evaluation raises, and it leaves the node unchanged
        if (strides->size() != before.rank) refuse_rank(node, strides->size());
        if (*strides == strides_of(before) && after.storage_offset == before.storage_offset) return false;
        after.first_dimension = graph_.dimensions(sizes_of(before), *strides);
        graph_.mutable_outputs(node).front() = after;
        return true;
    }

    /// Strides of a view of `base`; sets its offset. Nothing where such a view does not exist.
    std::optional<Sizes> view_of(NodeId node, std::string_view packet, bool in_place, const TensorMeta& base,
                                 const TensorMeta& before, std::int64_t& offset) const {
        Sizes strides = strides_of(base);
        const bool same_bytes = dtype_info(base.dtype).bytes == dtype_info(before.dtype).bytes;
        if (packet == "aten.t" || packet == "aten.transpose") {
            offset = base.storage_offset;
            if (packet == "aten.t") return reversed(strides);
            return swapped(strides, dimension(node, 1, "dim0"), dimension(node, 2, "dim1"));
        }
        if (graph_.target(node) != "aten.view.dtype" && (packet == "aten.view" || packet == "aten.reshape")) {
            offset = base.storage_offset;
            return view_strides(sizes_of(base), strides, sizes_of(before));
        }
        const bool whole = in_place || graph_.target_info(node).is_getitem || packet == "aten.alias" ||
                           packet == "aten.detach" || (graph_.target(node) == "aten.view.dtype" && same_bytes);
        if (whole) {
            offset = base.storage_offset;
            return strides;
        }
        // Other views move with their base when that only has another offset.
        if (!moved_only(node, base)) refuse(node);
        offset += shift_of(node, base) * dtype_info(base.dtype).bytes / dtype_info(before.dtype).bytes;
        return strides_of(before);
    }

    /// `aten.t`, which takes matrices and tensors of fewer dimensions.
    static std::optional<Sizes> reversed(Sizes strides) {
        if (strides.size() > 2) return std::nullopt;
        std::ranges::reverse(strides);
        return strides;
    }

    /// The dimension that argument `index`, or the keyword, names, from the last one where it is negative.
    std::optional<std::int64_t> dimension(NodeId node, std::size_t index, std::string_view key) const {
        const Value* value = graph_.argument(node, index);
        if (!value) value = graph_.keyword(node, key);
        return value && value->is(ValueKind::integer) ? std::optional(value->integer) : std::nullopt;
    }

    static std::optional<Sizes> swapped(Sizes strides, std::optional<std::int64_t> first,
                                        std::optional<std::int64_t> second) {
        if (!first || !second) return std::nullopt;
        // A tensor without dimensions counts as having one where dimensions are named.
        const auto rank = std::max<std::int64_t>(static_cast<std::int64_t>(strides.size()), 1);
        for (std::optional<std::int64_t>* named : {&first, &second}) {
            if (**named < -rank || **named >= rank) return std::nullopt;
            if (**named < 0) **named += rank;
        }
        if (!strides.empty())
            std::swap(strides[static_cast<std::size_t>(*first)], strides[static_cast<std::size_t>(*second)]);
        return strides;
    }

    /// Several views at once, such as a split: they move with their base.
    bool follow_parts(NodeId node, const TensorMeta& base) {
        if (!moved_only(node, base)) refuse(node);
        const std::int64_t shift = shift_of(node, base);
        for (TensorMeta& tensor : graph_.mutable_outputs(node)) {
            if (!tensor.is_tensor) continue;
            tensor.storage = base.storage;
            tensor.storage_bytes = base.storage_bytes;
            tensor.storage_offset += shift;
        }
        return shift != 0;
    }

    /// The base when the node was last evaluated: its storage is still the node's.
    std::optional<TensorMeta> base_before(NodeId node, const TensorMeta& base) const {
        const std::uint32_t storage = graph_.outputs(node).front().storage;
        const std::span<const TensorMeta> original =
            node < graph_.source_count() ? graph_.source().outputs(source_input(node)) : std::span<const TensorMeta>{};
        for (const TensorMeta& tensor : original) {
            if (tensor.is_tensor && tensor.storage == storage && tensor.rank == base.rank) return tensor;
        }
        return {};
    }
    /// The first argument of a node of the source, as it was there.
    NodeId source_input(NodeId node) const {
        const Value* value = graph_.source().argument(node, 0);
        return value && value->is(ValueKind::node) ? value->node : node;
    }
    bool moved_only(NodeId node, const TensorMeta& base) const {
        const std::optional<TensorMeta> before = base_before(node, base);
        return before && std::ranges::equal(graph_.source().stride(*before), graph_.stride(base));
    }
    std::int64_t shift_of(NodeId node, const TensorMeta& base) const {
        return base.storage_offset - base_before(node, base)->storage_offset;
    }

    /// An operator with new results: they may keep the order of their inputs' dimensions.
    bool own_result(NodeId node, std::string_view packet) const {
        for (const NodeId input : graph_.inputs(node)) {
            for (const TensorMeta& tensor : graph_.outputs(input)) {
                if (!tensor.is_tensor) continue;
                // Contiguous inputs, and dense ones in the order of a contiguous tensor, give what they gave before.
                if (is_contiguous(graph_.shape(tensor), graph_.stride(tensor)) || is_unchanged(input)) continue;
                const Sizes strides = strides_of(tensor);
                if ((graph_.target_info(node).traits.cheap || packet == "aten._to_copy") &&
                    std::ranges::is_sorted(strides, std::greater<>()) &&
                    is_contiguous(graph_.shape(graph_.outputs(node).front()),
                                  graph_.stride(graph_.outputs(node).front()))) {
                    continue;
                }
                refuse(node);
            }
        }
        return false;
    }
    /// A node of the source whose strides are those that the source's users were evaluated with.
    bool is_unchanged(NodeId node) const {
        if (graph_.is_new(node)) return false;
        const std::span<const TensorMeta> now = graph_.outputs(node), then = graph_.source().outputs(node);
        for (std::size_t index = 0; index < now.size(); ++index) {
            if (!now[index].is_tensor) continue;
            if (!std::ranges::equal(graph_.stride(now[index]), graph_.source().stride(then[index]))) return false;
        }
        return true;
    }

    [[noreturn]] void refuse(NodeId node) const {
        throw InputError("node " + in_quotes(graph_.name(node)),
                         "a bucket returns one of its inputs with other strides, PyTorch evaluates it anew, and how " +
                             std::string(graph_.target(node)) + " then lays out its result is not reproduced");
    }

    [[noreturn]] void refuse_rank(NodeId node, std::size_t rank) const {
        throw InputError("node " + in_quotes(graph_.name(node)),
                         "a bucket returns its input, PyTorch evaluates it anew, and its result then has a rank of " +
                             std::to_string(rank) + ", where the document gives it one of " +
                             std::to_string(graph_.outputs(node).front().rank));
    }

    GraphEditor& graph_;
    std::deque<NodeId> work_;
    std::vector<NodeId> queued_;
};

}  // namespace

void repair_layouts(GraphEditor& graph, std::span<const NodeId> users) {
    LayoutRepair(graph).run(users);
}

}  // namespace overlap

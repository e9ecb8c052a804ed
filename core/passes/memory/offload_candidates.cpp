#include "core/passes/memory/offload_candidates.h"

#include <algorithm>

#include "core/base/byte_units.h"
#include "core/passes/memory/layers.h"

namespace overlap::memory {

namespace {

class Candidates {
  public:
    Candidates(const Graph& graph, const MemoryOperators& operators, std::span<const RecomputeTag> tags)
        : graph_(graph), operators_(operators), tags_(tags), tensors_(graph, operators), seen_(graph.node_count()) {}

    /// Bytes by which a node counts against the budget; 0 where it is no candidate.
    std::int64_t bytes_of(NodeId node) {
        const NodeRecord& record = graph_.record(node);
        if (record.op != NodeOp::call_function || is_backward(graph_.metadata(node))) return 0;
        const RecomputeTag tag = tags_[node];
        if (is_recomputable(tag)) return 0;
        const std::int64_t bytes = tensors_.bytes(node);
        if (bytes == 0 || tag == RecomputeTag::must_save) return bytes;
        return !has_user(node, [&](NodeId user) { return !backward(user) && is_recomputable(tags_[user]); }) &&
                       has_user(node, [&](NodeId user) { return backward(user); })
                   ? bytes
                   : 0;
    }

  private:
    bool backward(NodeId node) const { return is_backward(graph_.metadata(node)); }

    /// Whether a call that uses the node, or a forward view of it, is as wanted.
    template <typename IsWanted>
    bool has_user(NodeId node, const IsWanted& is_wanted) {
        stack_.assign(1, node);
        ++round_;
        while (!stack_.empty()) {
            const NodeId value = stack_.back();
            stack_.pop_back();
            for (const NodeId user : graph_.users(value)) {
                const NodeRecord& record = graph_.record(user);
                if (record.op != NodeOp::call_function) continue;
                if (is_wanted(user)) return true;
                if (backward(user) || !operators_.has(record, MemoryOperators::view_packet)) continue;
                if (seen_[user] == round_) continue;
                seen_[user] = round_;
                stack_.push_back(user);
            }
        }
        return false;
    }

    const Graph& graph_;
    const MemoryOperators& operators_;
    std::span<const RecomputeTag> tags_;
    OffloadableTensors tensors_;
    std::vector<std::uint32_t> seen_;  ///< by node: the last round that saw it
    std::uint32_t round_ = 0;
    std::vector<NodeId> stack_;
};

/// The last layer, whose activations the backward pass needs at once; not_in_layers where there are not several.
std::int64_t last_layer(std::span<const std::int64_t> layers) {
    std::int64_t last = not_in_layers;
    bool any = false, several = false;
    for (const std::int64_t layer : layers) {
        if (layer == not_in_layers) continue;
        several |= any && layer != last;
        last = any ? std::max(last, layer) : layer;
        any = true;
    }
    return several ? last : not_in_layers;
}

}  // namespace

std::int64_t OffloadableTensors::bytes(NodeId node) const {
    if (operators_.has(graph_.record(node), MemoryOperators::view_packet | MemoryOperators::collective)) return 0;
    const TensorMeta* tensor = only_tensor(graph_, node);
    if (!tensor || !symbolic_.is_contiguous(node, *tensor)) return 0;
    if (symbolic_.is_tensor(node)) return smallest_offload;
    const std::int64_t bytes = graph_.tensor_bytes(*tensor);
    return bytes < smallest_offload ? 0 : bytes;
}

OffloadChoice choose_offloads(const Graph& graph, const MemoryOperators& operators,
                              std::span<const std::int64_t> layers, std::vector<RecomputeTag>& tags, double budget_gb,
                              const OffloadDecisions& before) {
    struct Candidate {
        NodeId node;
        std::int64_t bytes;
    };
    Candidates candidates(graph, operators, tags);
    const std::int64_t last = last_layer(layers);
    std::vector<Candidate> found;
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        if (layers[node] == not_in_layers || layers[node] == last) continue;
        if (!before.decided.empty() && before.decided[node]) continue;
        if (const std::int64_t bytes = candidates.bytes_of(node); bytes > 0) found.push_back({node, bytes});
    }
    std::ranges::stable_sort(found, std::ranges::greater{}, &Candidate::bytes);
    OffloadChoice choice;
    choice.candidates = found.size();
    const long double budget = static_cast<long double>(budget_gb) * bytes_per_gib;
    for (const Candidate& candidate : found) {
        const auto used = static_cast<long double>(before.bytes + choice.bytes + candidate.bytes);
        if (budget > 0 && used > budget) continue;
        tags[candidate.node] = RecomputeTag::must_cpu_offload;
        choice.bytes += candidate.bytes;
        ++choice.chosen;
    }
    return choice;
}

}  // namespace overlap::memory

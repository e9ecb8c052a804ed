#include "core/views/peak_bytes.h"

#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "core/memory/counted_memory.h"
#include "core/memory/memory_kinds.h"
#include "core/memory/storage_lives.h"
#include "core/passes/experts/chunk_metadata.h"
#include "core/views/members_of_result.h"

namespace overlap {

namespace {

/// The nodes of the input that a node of the result stands for: its origin, the members of its bucket, or what was
/// halved where it is of a half of a batch (core/passes/experts).
class Origins {
  public:
    explicit Origins(const Evaluation& evaluation) : evaluation_(evaluation), members_(evaluation) {
        for (const CollectiveTiming& timing : evaluation.simulation.collectives)
            if (const std::int32_t bucket = evaluation.bucket_of_node[timing.start]; bucket >= 0)
                start_of_bucket_.emplace(bucket, timing.start);
    }

    std::vector<NodeId> of(NodeId node) {
        if (const NodeId origin = evaluation_.origin[node]; origin != no_node) return {origin};
        const auto start = start_of_bucket_.find(evaluation_.bucket_of_node[node]);
        if (start != start_of_bucket_.end()) return members_.of(start->second);
        const NodeId halved = before_halving(node);
        return halved == no_node ? std::vector<NodeId>() : std::vector<NodeId>{halved};
    }

  private:
    /// Empty for a node of no half.
    std::string name_before_halving(NodeId node) const {
        const Graph& graph = *evaluation_.graph;
        if (graph.metadata(node).extra_json == empty_string || !experts::shown_chunk_place(graph, node).chunk)
            return {};
        return experts::shown_chunk_metadata(graph, node).original_name;
    }

    NodeId before_halving(NodeId node) {
        const std::string name = name_before_halving(node);
        if (name.empty()) return no_node;
        if (!halved_) find_halved();
        const auto known = halved_->find(name);
        return known == halved_->end() ? evaluation_.input->find(name) : known->second;
    }

    /// The first half is the node that was halved, which passes may have renamed before; the second is a new one.
    void find_halved() {
        halved_.emplace();
        for (NodeId node = 0; node < evaluation_.graph->node_count(); ++node)
            if (const NodeId origin = evaluation_.origin[node]; origin != no_node)
                if (std::string name = name_before_halving(node); !name.empty())
                    halved_->emplace(std::move(name), origin);
    }

    const Evaluation& evaluation_;
    MembersOfResult members_;
    std::unordered_map<std::int32_t, NodeId> start_of_bucket_;
    /// By the name that a node had when it was halved; found when first needed.
    std::optional<std::unordered_map<std::string, NodeId>> halved_;
};

}  // namespace

PeakBytesOfInput peak_bytes_of_input(const Evaluation& evaluation) {
    const Graph& graph = *evaluation.graph;
    PeakBytesOfInput peak{std::vector<double>(evaluation.input->node_count(), 0)};
    const CountedMemory memory(graph, StorageRule::corrected);
    const StorageLives lives(graph);
    const std::size_t point = peak_point(evaluation.corrected_memory);
    Origins origins(evaluation);
    for (const Storage& storage : memory.table().storages()) {
        const std::optional<StorageLife> life = lives.of(storage);
        if (!life || point < life->from || point >= life->until) continue;
        const auto bytes = static_cast<double>(storage.bytes);
        const std::vector<NodeId> nodes = origins.of(storage.allocator);
        if (nodes.empty()) peak.other += bytes;
        const std::vector<double> parts = shares_by_bytes(*evaluation.input, nodes);
        for (std::size_t index = 0; index < nodes.size(); ++index) peak.nodes[nodes[index]] += bytes * parts[index];
    }
    return peak;
}

std::vector<double> box_peak_bytes(const Evaluation& evaluation, const BoxTree& tree) {
    std::vector<double> bytes(tree.box_count(), 0);
    const PeakBytesOfInput peak = peak_bytes_of_input(evaluation);
    for (NodeId node = 0; node < peak.nodes.size(); ++node)
        if (peak.nodes[node] > 0) bytes[tree.operation_of(node)] += peak.nodes[node];
    for (BoxId id = tree.box_count(); id-- > 1;) bytes[tree.box(id).parent] += bytes[id];
    bytes[BoxTree::root] += peak.other;
    return bytes;
}

}  // namespace overlap

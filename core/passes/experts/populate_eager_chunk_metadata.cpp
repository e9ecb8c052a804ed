#include "core/passes/experts/populate_eager_chunk_metadata.h"

#include <unordered_map>
#include <vector>

#include "core/graph/graph_editor.h"
#include "core/passes/experts/chunk_metadata.h"
#include "core/passes/pass_support.h"

namespace overlap {

std::string_view PopulateEagerChunkMetadata::summary() const {
    return "Takes from the model which nodes belong to which half of the batch";
}

PassResult PopulateEagerChunkMetadata::run(const std::shared_ptr<const Graph>& graph, const Options&,
                                           std::stop_token) const {
    const auto strings = std::make_shared<StringPool>(graph->strings());
    std::vector<StringId> fields(graph->node_count());
    // The nodes of one half of a module have the same `custom`, and mostly no other fields.
    std::unordered_map<std::uint64_t, StringId> known;
    bool changed = false;
    std::uint64_t last_key = 0;
    StringId last_fields = empty_string;
    for (NodeId node = 0; node < graph->node_count(); ++node) {
        const NodeMetadata& metadata = graph->metadata(node);
        const std::uint64_t key = (std::uint64_t{metadata.custom_json} << 32) | metadata.extra_json;
        if (key != last_key) {
            const auto [entry, is_new] = known.try_emplace(key);
            if (is_new) {
                entry->second = strings->intern(experts::with_chunk_metadata_of_model(
                    graph->text(metadata.extra_json), graph->text(metadata.custom_json)));
            }
            last_key = key;
            last_fields = entry->second;
        }
        fields[node] = last_fields;
        changed |= last_fields != metadata.extra_json;
    }
    PassResult result = unchanged(graph, name());
    if (changed) result.graph = GraphEditor::with_extra_json(*graph, strings, fields);
    return result;
}

}  // namespace overlap

#include "core/passes/experts/populate_eager_chunk_metadata.h"

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/graph/editing/graph_editor.h"
#include "core/passes/experts/chunk_metadata.h"
#include "core/passes/pass_support.h"

namespace overlap {

namespace {

/// What a graph's `custom` say of chunks, taken from each once and numbered.
class FieldsOfModel {
  public:
    explicit FieldsOfModel(const Graph& graph) : graph_(graph), numbers_(graph.strings()->size()) {}

    /// From 1 on; the same for texts that say the same.
    std::uint32_t number(StringId custom) {
        std::uint32_t& number = numbers_[custom];
        if (number == 0) {
            const auto [known, is_new] = texts_.try_emplace(experts::chunk_fields_of_model(graph_.text(custom)));
            if (is_new) {
                known->second = static_cast<std::uint32_t>(texts_.size());
                by_number_.push_back(known->first);
            }
            number = known->second;
        }
        return number;
    }
    std::string_view text(StringId custom) { return by_number_[number(custom) - 1]; }

  private:
    const Graph& graph_;
    std::vector<std::uint32_t> numbers_;  ///< by text; 0: not looked at
    std::unordered_map<std::string, std::uint32_t> texts_;
    std::vector<std::string_view> by_number_;
};

}  // namespace

std::string_view PopulateEagerChunkMetadata::summary() const {
    return "Takes from the model which nodes belong to which half of the batch";
}

PassResult PopulateEagerChunkMetadata::run(const std::shared_ptr<const Graph>& graph, const Options&,
                                           std::stop_token) const {
    const std::span<const StringId> custom = graph->custom_json(), before = graph->extra_json();
    const auto strings = std::make_shared<StringPool>(graph->strings());
    std::vector<StringId> fields(before.begin(), before.end());
    FieldsOfModel of_model(*graph);
    // Nodes of one half of a module mostly have the same other fields.
    std::unordered_map<std::uint64_t, StringId> known;
    bool changed = false;
    std::uint64_t last_key = 0;
    StringId last_fields = empty_string;
    for (NodeId node = 0; node < graph->node_count(); ++node) {
        if (custom[node] == empty_string) continue;
        const std::uint64_t key = (std::uint64_t{of_model.number(custom[node])} << 32) | before[node];
        if (key != last_key) {
            const auto [entry, is_new] = known.try_emplace(key);
            if (is_new) {
                entry->second = strings->intern(
                    experts::with_chunk_metadata_of_model(graph->text(before[node]), of_model.text(custom[node])));
            }
            last_key = key;
            last_fields = entry->second;
        }
        fields[node] = last_fields;
        changed |= last_fields != before[node];
    }
    PassResult result = unchanged(graph, name());
    if (changed) result.graph = GraphEditor::with_extra_json(*graph, strings, std::move(fields));
    return result;
}

}  // namespace overlap

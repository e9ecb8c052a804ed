#include "core/passes/experts/populate_chunk_dim_metadata.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/graph/editing/graph_editor.h"
#include "core/passes/experts/chunk_options.h"
#include "core/passes/experts/chunk_symbols.h"
#include "core/passes/option_table.h"
#include "core/passes/pass_support.h"

namespace overlap {

namespace {

using namespace experts;

struct Settings {
    std::string mode = "batch";
};

const OptionTable<Settings>& table() {
    static const auto table = OptionTable<Settings>().add(mode_option(), &Settings::mode);
    return table;
}

/// The symbols that a placeholder's sizes mention, with their extents.
std::vector<ChunkSymbolHint> hints_of(const NodeFields& fields, const Expressions& expressions,
                                      const KnownSymbols& symbols) {
    std::vector<ChunkSymbolHint> hints;
    for (const SymbolId symbol : symbols.order()) {
        const auto mentions = [&](ExpressionId size) {
            return std::ranges::count(expressions.symbols(size), symbol) > 0;
        };
        if (std::ranges::any_of(fields.sizes(), mentions)) {
            hints.push_back({std::string(expressions.name(symbol)), *symbols.values()[symbol]});
        }
    }
    return hints;
}

/// The number behind the last placeholder.
NodeId end_of_placeholders(const Graph& graph) {
    NodeId end = graph.node_count();
    while (end > 0 && graph.op(end - 1) != NodeOp::placeholder) --end;
    return end;
}

/// The fields of the placeholders, and of further nodes where those alone do not say what symbols stand for.
NodeFieldTable fields_of_placeholders(const Graph& graph, NodeId end, std::string_view pass) {
    NodeFieldTable fields(graph, pass, false, end);
    return fields.is_complete() ? std::move(fields) : NodeFieldTable(graph, pass, false);
}

}  // namespace

std::string_view PopulateChunkDimMetadata::summary() const {
    return "Notes which dimension of the inputs ep_overlap_chunk_pass halves";
}

std::span<const PassOption> PopulateChunkDimMetadata::options() const {
    return table().options();
}

PassResult PopulateChunkDimMetadata::run(const std::shared_ptr<const Graph>& graph, const Options&,
                                         std::stop_token) const {
    return or_refused(name(), [&] {
        const NodeId end = end_of_placeholders(*graph);
        const NodeFieldTable fields = fields_of_placeholders(*graph, end, name());
        const KnownSymbols symbols = chunk_symbols(*graph, fields, true, name());
        if (symbols.empty()) refuse_not_traced_for_chunks(name());
        const auto strings = std::make_shared<StringPool>(graph->strings());
        std::vector<StringId> texts(graph->extra_json().begin(), graph->extra_json().end());
        for (NodeId node = 0; node < end; ++node) {
            if (graph->op(node) != NodeOp::placeholder || graph->record(node).multi) continue;
            const auto hints = hints_of(fields.of(node), fields.expressions(), symbols);
            if (hints.empty()) continue;
            texts[node] = strings->intern(with_chunk_symbol_hints(graph->text(texts[node]), hints));
        }
        PassResult result = unchanged(graph, name());
        result.graph = GraphEditor::with_extra_json(*graph, strings, std::move(texts));
        return result;
    });
}

}  // namespace overlap

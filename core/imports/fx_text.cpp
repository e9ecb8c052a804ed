#include "core/imports/fx_text.h"

#include <simdjson.h>

#include <algorithm>
#include <set>

#include "core/graph/error.h"
#include "core/graph/quote.h"
#include "core/imports/fx_inputs.h"
#include "core/imports/fx_node_list.h"
#include "core/imports/fx_statements.h"
#include "core/io/json_text.h"

namespace overlap {
namespace {

/// What the comments of an fx_graph_runnable say of the torch that wrote it.
std::string producer_of(std::string_view text) {
    std::string json = "{\"format\":\"fx-text\"";
    constexpr std::string_view mark = "# torch version: ";
    if (const std::size_t begin = text.find(mark); begin != std::string_view::npos) {
        const std::string_view rest = text.substr(begin + mark.size());
        json += ",\"torch\":";
        append_json_string(json, rest.substr(0, rest.find_first_of("\r\n")));
    }
    json += '}';
    return json;
}

/// The process groups that are known: those that the user told, and those that hold the whole job.
std::vector<ProcessGroup> known_groups(UntypedGraph& graph, const ImportOptions& options) {
    std::vector<ProcessGroup> groups = options.process_groups;
    std::set<std::string, std::less<>> seen;
    for (const ProcessGroup& group : groups) seen.insert(group.name);
    for (const UntypedNode& node : graph.nodes) {
        const TargetInfo& info = graph.builder.target_info(node.record.target);
        const auto args = graph.builder.children(node.record.args);
        if (info.group_argument < 0 || static_cast<std::size_t>(info.group_argument) >= args.size()) continue;
        const Value& name = args[static_cast<std::size_t>(info.group_argument)];
        if (!name.is(ValueKind::string)) continue;
        const std::string text(graph.builder.text(name.string));
        const bool sized = info.starts == CollectiveKind::all_gather || info.starts == CollectiveKind::reduce_scatter;
        const Value* size = sized ? &args[static_cast<std::size_t>(info.group_argument) - 1] : nullptr;
        const bool is_whole = size && size->is(ValueKind::integer) && options.world_size && options.rank &&
                              size->integer == *options.world_size;
        if (is_whole && seen.insert(text).second) {
            ProcessGroup group;
            group.name = text;
            for (int rank = 0; rank < *options.world_size; ++rank) group.ranks.push_back(rank);
            group.rank = static_cast<int>(*options.rank);
            groups.push_back(std::move(group));
        } else if (!seen.contains(text)) {
            graph.notes.add("the ranks of process group " + in_quotes(shortened(text)) +
                                " are not told: --group NAME=RANKS tells them",
                            std::string("node ").append(graph.builder.text(node.record.name)));
        }
    }
    return groups;
}

}  // namespace

ImportedGraph read_fx_text(std::string_view text, const FxFunction& function, const ImportOptions& options) {
    if (!simdjson::validate_utf8(text.data(), text.size())) throw InputError("", "the text is not UTF-8");
    UntypedGraph untyped;
    if (function.is_node_list) {
        read_fx_node_list(text, function.begin, untyped);
    } else {
        FxStatements(text, function, options, untyped).read();
    }
    if (function.inputs != 0) read_fx_inputs(text, function.inputs, untyped);
    untyped.header.name = function.name;
    untyped.header.producer_json = producer_of(text);
    untyped.header.rank = options.rank;
    untyped.header.world_size = options.world_size;
    untyped.header.process_groups = known_groups(untyped, options);
    for (const auto& [name, tensor] : options.tensors) {
        const StringId id = untyped.builder.intern(name);
        const bool is_node =
            std::ranges::any_of(untyped.nodes, [&](const auto& node) { return node.record.name == id; });
        if (!is_node)
            throw InputError("", "the graph has no node " + in_quotes(shortened(name)) + ", whose tensor is told");
    }
    ImportedGraph imported;
    imported.graph = std::make_shared<const Graph>(add_tensor_types(std::move(untyped), options, imported.typing));
    imported.notes = untyped.notes.sentences();
    return imported;
}

}  // namespace overlap

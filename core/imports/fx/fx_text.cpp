#include "core/imports/fx/fx_text.h"

#include <simdjson.h>

#include <algorithm>
#include <set>

#include "core/base/error.h"
#include "core/base/quote.h"
#include "core/files/json_writer.h"
#include "core/imports/fx/fx_inputs.h"
#include "core/imports/fx/fx_node_list.h"
#include "core/imports/fx/fx_statements.h"

namespace overlap {
namespace {

/// What the comments of an fx_graph_runnable say of the torch that wrote it.
std::string producer_of(std::string_view text) {
    JsonWriter json;
    json.begin_object().member("format", "fx-text");
    constexpr std::string_view mark = "# torch version: ";
    if (const std::size_t begin = text.find(mark); begin != std::string_view::npos) {
        const std::string_view rest = text.substr(begin + mark.size());
        json.member("torch", rest.substr(0, rest.find_first_of("\r\n")));
    }
    return json.end_object().take();
}

std::string quoted_list(const std::set<std::string, std::less<>>& names) {
    std::string text;
    for (const std::string& name : names) text.append(text.empty() ? "" : ", ").append(in_quotes(shortened(name)));
    return text;
}

/// The process groups that the user gave, as this rank sees them. @throws InputError where it is not one of them.
std::vector<ProcessGroup> told_groups(const ImportOptions& options) {
    if (options.rank && options.world_size && *options.rank >= *options.world_size) {
        throw InputError("", "rank " + std::to_string(*options.rank) + " is not one of a job of " +
                                 std::to_string(*options.world_size) + " ranks");
    }
    std::vector<ProcessGroup> groups = options.process_groups;
    for (ProcessGroup& group : groups) {
        const auto own = std::ranges::find(group.ranks, options.rank.value_or(0));
        if (own == group.ranks.end() && options.rank) {
            throw InputError("", "process group " + in_quotes(shortened(group.name)) + " has no rank " +
                                     std::to_string(*options.rank) + ", whose graph this is");
        }
        group.rank = own == group.ranks.end() ? 0 : static_cast<int>(own - group.ranks.begin());
    }
    return groups;
}

/// @throws InputError for a process group that the user gave and the graph does not use.
void check_groups_are_used(const Graph& graph, const ImportOptions& options) {
    if (options.process_groups.empty()) return;
    std::set<std::string, std::less<>> used;
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        if (const std::string_view name = graph.group_name(node); !name.empty()) used.emplace(name);
    }
    for (const ProcessGroup& group : options.process_groups) {
        if (used.contains(group.name)) continue;
        throw InputError("", "no collective of the graph is of process group " + in_quotes(shortened(group.name)) +
                                 (used.empty() ? "; it has no collectives" : "; they are of " + quoted_list(used)));
    }
}

/// @throws InputError for a symbol that the user gave and that neither the text nor a given tensor names.
void check_symbols_are_used(const UntypedGraph& graph, const ImportOptions& options) {
    std::set<std::string, std::less<>> used(graph.symbols.begin(), graph.symbols.end());
    for (const auto& [name, tensor] : options.tensors) used.insert(tensor.symbols.begin(), tensor.symbols.end());
    for (const auto& [name, value] : options.symbols) {
        if (used.contains(name)) continue;
        throw InputError("", "the graph has no symbol " + in_quotes(shortened(name)) +
                                 (used.empty() ? "; all its sizes are numbers" : "; it has " + quoted_list(used)));
    }
}

/// The process groups that are known: those that the user gave, and those that hold the whole job.
std::vector<ProcessGroup> known_groups(UntypedGraph& graph, const ImportOptions& options) {
    std::vector<ProcessGroup> groups = told_groups(options);
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
                                " are not known: the import takes them (NAME=RANKS, on the command line --group)",
                            std::string("node ").append(graph.builder.text(node.record.name)), ImportNoteKind::untold);
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
            throw InputError("", "the graph has no node " + in_quotes(shortened(name)) + ", whose tensor is given");
    }
    check_symbols_are_used(untyped, options);
    ImportedGraph imported;
    imported.symbols = untyped.symbols;
    imported.graph = std::make_shared<const Graph>(add_tensor_types(std::move(untyped), options, imported.typing));
    imported.notes = untyped.notes.list();
    check_groups_are_used(*imported.graph, options);
    return imported;
}

}  // namespace overlap

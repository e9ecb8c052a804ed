#include "core/imports/any_graph_file.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/base/error.h"
#include "core/imports/import_source.h"

namespace overlap {

OpenedGraph open_imported(const ImportableGraph& graph, const ImportOptions& options, std::vector<std::string> notes,
                          std::stop_token stop) {
    ImportedGraph imported = import_graph(graph, options, stop);
    OpenedGraph opened{std::move(imported.graph), std::move(notes)};
    if (!opened.graph) return opened;
    std::ranges::move(imported.notes, std::back_inserter(opened.notes));
    std::ranges::move(unknown_sentences(imported.typing, "a table of tensors"), std::back_inserter(opened.notes));
    return opened;
}

OpenedGraph read_any_graph_file(const std::string& path, const GraphReading& reading) {
    if (!is_importable_file(path)) return {read_graph_file(path, reading), {}};
    const ImportListing listing = list_importable_graphs({path}, reading.stop);
    if (reading.stop.stop_requested()) return {};
    if (listing.graphs.size() != 1) {
        std::string problem = "it holds ";
        problem += std::to_string(listing.graphs.size());
        problem += " graphs; overlap import --list lists them, and --graph with -o makes a document of one";
        throw InputError(path, "", problem);
    }
    return open_imported(listing.graphs.front(), {}, listing.notes, reading.stop);
}

}  // namespace overlap

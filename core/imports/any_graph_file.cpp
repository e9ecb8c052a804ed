#include "core/imports/any_graph_file.h"

#include "core/graph/error.h"
#include "core/imports/import_source.h"
#include "core/io/graph_file.h"

namespace overlap {

OpenedGraph read_any_graph_file(const std::string& path, std::stop_token stop) {
    if (!is_importable_file(path)) return {read_graph_file(path, stop), {}};
    const ImportListing listing = list_importable_graphs({path}, stop);
    if (stop.stop_requested()) return {};
    if (listing.graphs.size() != 1) {
        std::string problem = "it holds ";
        problem += std::to_string(listing.graphs.size());
        problem += " graphs; overlap import --list lists them, and --graph with -o makes a document of one";
        throw InputError(path, "", problem);
    }
    const ImportedGraph imported = import_graph(listing.graphs.front(), {}, stop);
    OpenedGraph opened{imported.graph, listing.notes};
    opened.notes.insert(opened.notes.end(), imported.notes.begin(), imported.notes.end());
    for (std::string& sentence : unknown_sentences(imported.typing, "a table of tensors")) {
        opened.notes.push_back(std::move(sentence));
    }
    return opened;
}

}  // namespace overlap

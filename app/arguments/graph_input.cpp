#include "app/arguments/graph_input.h"

#include <ostream>

#include "app/commands/formatting.h"
#include "core/imports/any_graph_file.h"

namespace overlap::commands {

std::shared_ptr<const Graph> read_graph(const std::string& path, const Streams& streams) {
    OpenedGraph opened = read_any_graph_file(path);
    for (const ImportNote& note : opened.notes) streams.notes << "overlap: " << one_line(note.sentence) << '\n';
    return std::move(opened.graph);
}

}  // namespace overlap::commands

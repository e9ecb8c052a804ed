#include "app/arguments/graph_input.h"

#include <optional>
#include <ostream>
#include <span>

#include "app/arguments/pipeline.h"
#include "app/commands/formatting.h"
#include "core/imports/any_graph_file.h"
#include "core/memory/device_memory.h"

namespace overlap::commands {

std::shared_ptr<const Graph> read_graph(const std::string& path, const Streams& streams) {
    OpenedGraph opened = read_any_graph_file(path);
    for (const ImportNote& note : opened.notes) streams.notes << "overlap: " << one_line(note.sentence) << '\n';
    for (const std::optional<Problem>& problem :
         {unknown_sizes_problem(*opened.graph), memory_on_cpu_problem(*opened.graph)})
        if (problem) print_problems(streams, path, std::span(&*problem, 1));
    return std::move(opened.graph);
}

}  // namespace overlap::commands

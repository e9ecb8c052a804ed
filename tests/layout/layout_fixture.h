#pragma once

#include <functional>
#include <memory>
#include <string>

#include "core/io/graph_file.h"
#include "core/layout/arrangement.h"
#include "core/layout/box_tree.h"
#include "core/views/box_places.h"

namespace overlap::test {

/// A graph with everything that is drawn of it.
struct DrawnGraph {
    std::shared_ptr<const Graph> graph;
    ModuleTree modules;
    BoxTree boxes;

    explicit DrawnGraph(std::shared_ptr<const Graph> of)
        : graph(std::move(of)),
          modules(*graph, preferred_module_source(*graph)),
          boxes(*graph, modules, box_places(*graph, modules)) {}

    BoxId box(std::string_view module, Phase phase = Phase::forward) const {
        return boxes.box_of(modules.find(module), phase);
    }
};

inline std::shared_ptr<const Graph> read_small_graph(
    const char* name = "llama3_debugmodel_fsdp8.prebucket.graph.json.gz") {
    return read_graph_file(std::string(OVERLAP_TEST_DATA "/graphs/") + name);
}

/// Sizes as a view could choose them: operations smaller than modules.
inline ArrangementOptions plain_sizes(const BoxTree& tree) {
    ArrangementOptions options;
    options.closed_size = [&tree](BoxId box) {
        return tree.box(box).kind == BoxKind::operation ? LayoutSize{120, 28} : LayoutSize{160, 48};
    };
    options.open_width = [](BoxId) { return 200.0; };
    return options;
}

/// Calls visit(box) for each child of `box`.
inline void for_children(const BoxTree& tree, BoxId box, const std::function<void(BoxId)>& visit) {
    for (std::uint32_t i = 0; i < tree.box(box).child_count; ++i) visit(tree.box(box).first_child + i);
}

}  // namespace overlap::test

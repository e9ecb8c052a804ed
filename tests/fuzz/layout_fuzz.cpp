// libFuzzer target: boxes of an edited graph, every level of them laid out within its own size.

#include "core/layout/arrangement.h"
#include "core/views/box_places.h"
#include "tests/fuzz/edited_graph.h"
#include "tests/fuzz/fuzz_target.h"

void overlap::fuzz::run(std::string_view input) {
    Choices choices(input);
    const auto graph = edited_graph(choices);
    const ModuleTree modules(*graph, preferred_module_source(*graph));
    const BoxTree tree(*graph, modules, box_places(*graph, modules));
    const auto size = [](BoxId) { return LayoutSize{80, 24}; };
    for (BoxId box = 0; box < tree.box_count(); ++box) {
        if (!tree.has_children(box)) continue;
        const LevelGraph level = level_graph(tree, box, size);
        const LevelLayout layout = LayeredEngine().layout(level);
        for (std::size_t node = 0; node < level.nodes.size(); ++node) {
            const LayoutPoint corner = layout.positions[node];
            const LayoutSize extent = level.nodes[node].size;
            require(corner.x >= 0 && corner.x + extent.width <= layout.size.width + 1e-6, "a box is beside its level");
            require(corner.y >= 0 && corner.y + extent.height <= layout.size.height + 1e-6, "a box is below its level");
        }
    }
}

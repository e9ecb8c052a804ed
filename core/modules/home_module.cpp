#include "core/modules/home_module.h"

namespace overlap {

std::vector<ModuleTree::ModuleId> home_modules(const ModuleTree& tree, std::uint32_t node_count) {
    using ModuleId = ModuleTree::ModuleId;
    std::vector<ModuleId> homes(node_count, ModuleTree::no_module);
    if (!tree.exists()) return homes;
    const ModuleId artefact = tree.child(ModuleTree::root, "self");
    std::vector<std::uint32_t> rank(tree.module_count(), 0);  // depth; 0 for the artefact's, which come last
    std::vector<bool> below_artefact(tree.module_count(), false);
    for (ModuleId id = 0; id < tree.module_count(); ++id) {
        if (id != ModuleTree::root) {
            const ModuleId parent = tree.module(id).parent;  // made before its children
            below_artefact[id] = id == artefact || below_artefact[parent];
            rank[id] = below_artefact[id] ? 0 : rank[parent] + 1;
        }
        for (const NodeId node : tree.module(id).nodes) {
            if (homes[node] == ModuleTree::no_module || rank[id] > rank[homes[node]]) homes[node] = id;
        }
    }
    return homes;
}

}  // namespace overlap

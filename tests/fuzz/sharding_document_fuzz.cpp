// libFuzzer target: any text is refused or placements that autoparallel chose, whose states are of its mesh.

#include "core/imports/sharding_document.h"
#include "tests/fuzz/fuzz_target.h"

void overlap::fuzz::run(std::string_view input) {
    looks_like_sharding_document(input);
    const ShardingDocument document = read_sharding_text(input, "fuzz");
    document.redistribution_us();
    document.compute_us();
    const auto is_of_mesh = [&](const std::optional<ShardingState>& state) {
        return !state || state->placements.size() == document.mesh_shape.size();
    };
    for (const ShardedNode& node : document.nodes) {
        require(is_of_mesh(node.state), "a node's state is of another mesh");
        for (const ShardedInput& input_of_node : node.inputs) {
            require(is_of_mesh(input_of_node.made) && is_of_mesh(input_of_node.taken), "an input is of another mesh");
        }
    }
}

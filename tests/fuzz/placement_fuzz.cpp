// libFuzzer target: a letter that tells how many mesh dimensions there are, and a state in either notation.

#include "core/mesh/sharding_text.h"
#include "tests/fuzz/fuzz_target.h"

void overlap::fuzz::run(std::string_view input) {
    if (input.empty()) return;
    const int mesh_dims = 1 + static_cast<unsigned char>(input.front()) % DeviceMesh::dims_limit;
    const ShardingState state = parse_state(input.substr(1), mesh_dims);
    require(parse_state(to_text(state), mesh_dims) == state, "a state's text is that of another state");
    to_tensor_centric_text(state);
}

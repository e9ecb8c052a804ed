#include "core/mesh/planners/shared_state_space.h"

#include <algorithm>
#include <mutex>

namespace overlap {

namespace {

/// Beyond these, making a whole space takes longer than most searches. The largest, five mesh dimensions and three of
/// the tensor, has some ten thousand states.
constexpr int mesh_dims_limit = 5, tensor_dims_limit = 3;
constexpr std::size_t reduce_ops_limit = 1;  // two of them are rare

}  // namespace

std::shared_ptr<StateSpace> shared_state_space(int mesh_dims, int tensor_dims,
                                               const std::vector<ReduceOp>& reduce_ops) {
    if (mesh_dims > mesh_dims_limit || tensor_dims > tensor_dims_limit || reduce_ops.size() > reduce_ops_limit)
        return nullptr;
    static std::mutex guard;
    static std::vector<std::shared_ptr<StateSpace>> spaces;
    const std::lock_guard lock(guard);
    const auto known = std::find_if(spaces.begin(), spaces.end(), [&](const std::shared_ptr<StateSpace>& space) {
        return space->code().mesh_dims() == mesh_dims && space->code().tensor_dims() == tensor_dims &&
               space->rules().reduce_ops == reduce_ops;
    });
    if (known != spaces.end()) return *known;
    StateSpaceRules rules;
    rules.reduce_ops = reduce_ops;
    auto space =
        std::make_shared<StateSpace>(StateCode(mesh_dims, tensor_dims, {}), std::move(rules), StateSpaceSizes{});
    space->complete();
    return spaces.emplace_back(std::move(space));
}

}  // namespace overlap

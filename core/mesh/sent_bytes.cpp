#include "core/mesh/sent_bytes.h"

#include <cmath>

#include "core/mesh/shard_layout.h"

namespace overlap {

namespace {

/// Times its own part that a rank of `ranks` sends.
double sent_share(StepKind kind, double ranks) {
    switch (kind) {
        case StepKind::all_gather:
            return ranks - 1;
        case StepKind::all_to_all:
        case StepKind::reduce_scatter:
            return (ranks - 1) / ranks;
        case StepKind::all_reduce:
            return 2 * (ranks - 1) / ranks;
        case StepKind::permute:
            return 1;
        default:
            return 0;
    }
}

}  // namespace

std::int64_t sent_bytes(const RedistributionPlan& plan, std::size_t step, const DeviceMesh& mesh,
                        const MeshTensor& tensor) {
    double ranks = 1;
    for (const int mesh_dim : plan.steps[step].mesh_dims)
        ranks *= static_cast<double>(mesh.shape[static_cast<std::size_t>(mesh_dim)]);
    auto bytes = static_cast<double>(tensor.element_bytes);
    for (const std::int64_t size : local_shape(plan.states[step], mesh, tensor.shape, Extents(mesh.shape.size(), 0)))
        bytes *= static_cast<double>(size);
    return static_cast<std::int64_t>(std::ceil(bytes * sent_share(plan.steps[step].kind, ranks)));
}

std::int64_t sent_bytes(const RedistributionPlan& plan, const DeviceMesh& mesh, const MeshTensor& tensor) {
    std::int64_t sum = 0;
    for (std::size_t step = 0; step < plan.steps.size(); ++step) sum += sent_bytes(plan, step, mesh, tensor);
    return sum;
}

}  // namespace overlap

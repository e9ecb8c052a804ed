#include "core/redistribution/link_times.h"

#include <algorithm>
#include <cmath>

#include "core/base/byte_units.h"
#include "core/cost/cost_model.h"
#include "core/mesh/measured_series.h"

namespace overlap {

namespace {

constexpr double us_per_ms = 1e3;

CollectiveKind collective_of(StepKind kind) {
    switch (kind) {
        case StepKind::all_gather:
            return CollectiveKind::all_gather;
        case StepKind::all_to_all:
        case StepKind::permute:  // each rank sends its shard once
            return CollectiveKind::all_to_all;
        case StepKind::all_reduce:
            return CollectiveKind::all_reduce;
        case StepKind::reduce_scatter:
            return CollectiveKind::reduce_scatter;
        default:
            return CollectiveKind::none;
    }
}

}  // namespace

LinkTimes::LinkTimes(const Graph& graph, const GroupMesh& mesh) : graph_(graph), mesh_(mesh) {
    for (const std::string& group : mesh.groups) collective_time_ms(graph, group, CollectiveKind::none, 0);
}

double LinkTimes::time(StepKind kind, std::span<const int> mesh_dims, double local_gib) const {
    std::int64_t ranks = 1;
    for (const int mesh_dim : mesh_dims) ranks *= mesh_.mesh.shape[static_cast<std::size_t>(mesh_dim)];
    const double bytes = collective_bytes(kind, local_gib * bytes_per_gib, ranks);
    return time_ms(kind, mesh_dims, std::llround(bytes)) * us_per_ms;
}

double LinkTimes::time_ms(StepKind kind, std::span<const int> mesh_dims, std::int64_t bytes) const {
    return collective_time_ms(link(mesh_dims), collective_of(kind), bytes);
}

const ProcessGroup* LinkTimes::group_over(std::span<const int> mesh_dims) const {
    const std::vector<int> ranks = mesh_.ranks(mesh_dims);
    for (const ProcessGroup& group : graph_.header().process_groups) {
        if (std::ranges::is_permutation(group.ranks, ranks)) return &group;
    }
    return nullptr;
}

CostParameters::Link LinkTimes::link(std::span<const int> mesh_dims) const {
    const CostParameters& cost = *graph_.header().cost;
    if (mesh_dims.size() > 1) {
        const ProcessGroup* group = group_over(mesh_dims);
        if (const CostParameters::Link* own = group ? cost.link(group->name) : nullptr) return *own;
    }
    CostParameters::Link link = *cost.link(mesh_.groups[static_cast<std::size_t>(mesh_dims.front())]);
    for (const int mesh_dim : mesh_dims) {
        const CostParameters::Link& other = *cost.link(mesh_.groups[static_cast<std::size_t>(mesh_dim)]);
        link.latency_ms = std::max(link.latency_ms, other.latency_ms);
        if (other.bytes_per_s < link.bytes_per_s) link.kinds = other.kinds;
        link.bytes_per_s = std::min(link.bytes_per_s, other.bytes_per_s);
    }
    return link;
}

}  // namespace overlap

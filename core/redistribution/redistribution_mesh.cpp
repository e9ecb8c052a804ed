#include "core/redistribution/redistribution_mesh.h"

#include <algorithm>
#include <numeric>

#include "core/base/quote.h"

namespace overlap {

namespace {

/// One process group as a dimension of a mesh.
struct GroupDim {
    const ProcessGroup* group = nullptr;
    std::int64_t size = 0;
    std::int64_t stride = 0;
};

std::string named(const ProcessGroup& group) {
    std::string text = "process group " + in_quotes(group.name);
    return group.description.empty() ? text : text + " (" + group.description + ")";
}

GroupMesh refused(std::string obstacle) {
    GroupMesh mesh;
    mesh.obstacle = std::move(obstacle);
    return mesh;
}

/// @returns what is wrong with the group on its own, or nothing.
std::string read_dim(const ProcessGroup& group, GroupDim& dim) {
    dim.group = &group;
    dim.size = static_cast<std::int64_t>(group.ranks.size());
    if (dim.size < 1 || group.rank < 0 || group.rank >= dim.size) {
        return named(group) + " does not say which of its ranks this one is";
    }
    dim.stride = dim.size > 1 ? group.ranks[1] - group.ranks[0] : 0;
    for (std::size_t index = 1; index < group.ranks.size(); ++index) {
        if (group.ranks[index] - group.ranks[index - 1] != dim.stride || dim.stride < 1) {
            return named(group) + " has ranks that are not evenly spaced, so it is no dimension of a row-major mesh";
        }
    }
    return {};
}

}  // namespace

int GroupMesh::dim_of(std::string_view group) const {
    const auto found = dims_by_group.find(group);
    return found == dims_by_group.end() ? -1 : found->second;
}

std::vector<int> GroupMesh::ranks(std::span<const int> mesh_dims) const {
    std::int64_t start = first_rank;
    for (std::size_t dim = 0; dim < groups.size(); ++dim) {
        if (std::ranges::find(mesh_dims, static_cast<int>(dim)) == mesh_dims.end()) {
            start += coordinate[dim] * strides[dim];
        }
    }
    std::vector<int> ranks = {static_cast<int>(start)};
    for (const int mesh_dim : mesh_dims) {
        const std::size_t dim = static_cast<std::size_t>(mesh_dim);
        std::vector<int> wider;
        for (const int rank : ranks) {
            for (std::int64_t index = 0; index < mesh.shape[dim]; ++index) {
                wider.push_back(rank + static_cast<int>(index * strides[dim]));
            }
        }
        ranks = std::move(wider);
    }
    std::ranges::sort(ranks);
    return ranks;
}

GroupMesh mesh_of_groups(const GraphHeader& header, std::span<const std::string> groups) {
    std::vector<GroupDim> dims;
    for (const std::string& name : groups) {
        const ProcessGroup* group = header.process_group(name);
        if (!group)
            return refused("the graph does not list process group " + in_quotes(name) + ", so its ranks are not known");
        GroupDim dim;
        if (std::string problem = read_dim(*group, dim); !problem.empty()) return refused(problem);
        const bool known = std::ranges::any_of(dims, [&](const GroupDim& other) {
            return other.group->ranks == group->ranks && other.group->rank == group->rank;
        });
        if (!known) dims.push_back(dim);
    }
    if (dims.size() > DeviceMesh::dims_limit) {
        return refused("it communicates over " + std::to_string(dims.size()) + " sets of ranks, more than the " +
                       std::to_string(DeviceMesh::dims_limit) + " dimensions of a mesh");
    }
    std::ranges::stable_sort(dims, [](const GroupDim& a, const GroupDim& b) { return a.stride > b.stride; });
    GroupMesh mesh;
    mesh.first_rank = dims.empty() ? 0 : dims[0].group->ranks[static_cast<std::size_t>(dims[0].group->rank)];
    for (std::size_t index = 0; index < dims.size(); ++index) {
        const GroupDim& dim = dims[index];
        const ProcessGroup& first = *dims[0].group;
        const auto own_rank = [](const ProcessGroup& group) {
            return group.ranks[static_cast<std::size_t>(group.rank)];
        };
        if (own_rank(*dim.group) != own_rank(first)) {
            return refused(named(first) + " and " + named(*dim.group) + " do not agree on which rank this one is");
        }
        if (index > 0 && dim.size > 1 && dims[index - 1].stride % (dim.size * dim.stride) != 0) {
            return refused(named(*dims[index - 1].group) + " and " + named(*dim.group) +
                           " are no dimensions of one mesh: their ranks are not nested in one another");
        }
        mesh.mesh.shape.push_back(dim.size);
        mesh.mesh.dim_names.push_back(dim.group->description.empty() ? dim.group->name : dim.group->description);
        mesh.groups.push_back(dim.group->name);
        mesh.strides.push_back(dim.stride);
        mesh.coordinate.push_back(dim.group->rank);
        mesh.first_rank -= static_cast<int>(dim.group->rank * dim.stride);
        for (const std::string& name : groups) {
            if (header.process_group(name)->ranks == dim.group->ranks)
                mesh.dims_by_group[name] = static_cast<int>(index);
        }
    }
    return mesh;
}

}  // namespace overlap

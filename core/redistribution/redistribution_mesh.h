#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/graph/graph.h"
#include "core/mesh/device_mesh.h"

namespace overlap {

/// A part of the job's device mesh: the dimensions along which some process groups communicate.
struct GroupMesh {
    DeviceMesh mesh;                  ///< a dimension for each group, the one with the largest stride first
    std::vector<std::string> groups;  ///< name of the process group along each mesh dimension, on this rank
    Extents coordinate;               ///< of this rank
    /// Why the groups form no mesh; a sentence without full stop, empty when they do. The rest is empty then.
    std::string obstacle;

    /// The mesh dimension of a group, or -1. Groups of the same ranks are one dimension: `groups` has the first of
    /// them.
    int dim_of(std::string_view group) const;
    /// Ranks of this rank's communicator over several mesh dimensions, ascending.
    std::vector<int> ranks(std::span<const int> mesh_dims) const;

    /// Ranks from one member of a dimension's group to the next.
    Extents strides;
    int first_rank = 0;  ///< the one at coordinate 0 of all dimensions
    std::map<std::string, int, std::less<>> dims_by_group;
};

/// The mesh that `groups` are the dimensions of, from the ranks that the graph's header lists.
///
/// torch's meshes are row-major: members of a dimension's group are evenly spaced, and the spacing is a multiple of all
/// ranks of the inner dimensions. Groups that do not fit together that way, or share more than this rank, are no
/// dimensions of one mesh; the obstacle says so.
GroupMesh mesh_of_groups(const GraphHeader& header, std::span<const std::string> groups);

}  // namespace overlap

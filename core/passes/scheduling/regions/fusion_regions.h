#pragma once

#include <optional>
#include <vector>

#include "core/graph/editing/graph_editor.h"

namespace overlap {

/// The time of a node where Inductor fuses it with its neighbours.
struct FusedCost {
    NodeId node;
    double milliseconds;

    bool operator==(const FusedCost&) const = default;
};

/// The estimates with which the overlap scheduler replaces those of nodes in fusion regions, in graph order
/// (torch/_inductor/fx_passes/fusion_regions.py, `build_fusion_regions` and `estimate_fused_node_costs`). A region is a
/// connected part of a stretch of consecutive nodes that Inductor can fuse, if at least two of them are no views. A
/// member costs the transfer of what it reads from outside its region and of what is read outside; nothing when it
/// reads and is read only inside. Views count like all members, so a view at a region's border has a cost.
/// @param memory_bytes_per_ns of the device. Nothing: the reference finds no GPU, knows no bandwidth, and every
/// member's estimate becomes 0.
std::vector<FusedCost> fusion_region_costs(const GraphEditor& graph, std::optional<double> memory_bytes_per_ns);

}  // namespace overlap

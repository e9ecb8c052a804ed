#pragma once

#include <vector>

#include "core/imports/sharding_document.h"
#include "ui/mesh/answers/mesh_parameters.h"

namespace overlap::ui {

/// What autoparallel redistributes, as rows of the Mesh view's list: one for each value that a node takes in another
/// placement than it was made in, the most expensive first. Values whose size the document does not have are left out.
std::vector<MeshParameter> placementRows(const ShardingDocument& placements);

}  // namespace overlap::ui

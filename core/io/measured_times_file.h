#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/mesh/measured_series.h"

namespace overlap {

/// Measured times of collectives on some cluster, as a file has them: the communicators are named by mesh dimensions,
/// which are bound to a mesh only when one is queried. Format: core/mesh/README.md.
struct MeasuredTable {
    /// Measurements of one collective; `mesh_dims` are names, or numbers as text, sorted.
    struct Series {
        StepKind kind = StepKind::all_gather;
        std::vector<std::string> mesh_dims;
        std::vector<MeasuredTime> points;
    };

    std::string name;  ///< of the file, for messages
    std::vector<Series> series;
};

/// Reads a table, plain or gzip.
/// @throws InputError with file and place: unknown fields or collectives, points that validate() refuses, no series.
MeasuredTable read_measured_table(const std::string& path);
MeasuredTable read_measured_table_text(std::string_view text, const std::string& name);

/// The table as a cost model of `mesh`. Series over mesh dimensions that it lacks are those of other meshes;
/// collectives without a series in the table are priced by torch's topology.
/// @throws InputError when no series is over dimensions of this mesh, since nothing would then be measured.
std::unique_ptr<CollectiveTimes> table_times(const MeasuredTable& table, const DeviceMesh& mesh);

}  // namespace overlap

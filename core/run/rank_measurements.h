#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/run/group_placement.h"
#include "core/run/measured_run.h"
#include "core/run/program.h"

namespace overlap {

/// What one rank has measured, as the ranks of a run exchange it at its end.
struct RankMeasurement {
    std::vector<double> step_ms;  ///< of each step that counts
    /// Of each collective of the program, how long its kernels ran in each recorded step.
    std::vector<std::vector<double>> collective_ms;
    std::vector<double> exposed_ms = {};  ///< of each recorded step
    /// Of each node with a kernel, in graph order: median over the recorded steps.
    std::vector<std::pair<NodeId, double>> node_ms = {};
};

/// What `run` has recorded of the program's collectives. @param step_ms of each step that counts.
RankMeasurement rank_measurement(const Program& program, const MeasuredRun& run, std::vector<double> step_ms);

/// A rank's measurement as text for the others, and back; numbers come back to the last digit.
/// @throws InputError where the text is no measurement.
std::string measurement_text(const RankMeasurement& measurement);
RankMeasurement read_measurement(std::string_view text);

/// A collective that several ranks ran together, by itself and as one rank saw it. The kernel of a rank that comes
/// early waits on the device until the others are there; the rank that came last does not wait, so the shortest of all
/// ranks' times is the collective's own.
struct AlignedCollective {
    std::uint32_t collective = 0;                               ///< index into Program::collectives
    double own_ms = 0, own_minimum_ms = 0, own_maximum_ms = 0;  ///< over the recorded steps: median, least and most
    double late_peers_ms = 0;  ///< median of the time that this rank's kernels took beyond that
};

/// Collectives that NCCL carried out on several ranks, in the order of issue; those that a rank of the group has not
/// recorded as often as `rank` has are left out.
/// @param placements of each group of the program, as `rank` sees them. @param ranks what each rank sent.
std::vector<AlignedCollective> align_collectives(const Program& program, const std::vector<GroupPlacement>& placements,
                                                 const std::vector<RankMeasurement>& ranks, int rank);

}  // namespace overlap

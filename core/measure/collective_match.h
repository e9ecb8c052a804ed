#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/graph/graph.h"
#include "core/measure/measured_step.h"
#include "core/simulate/simulation.h"

namespace overlap {

/// Why a planned and a measured process group count as the same.
enum class GroupMatchBasis : std::uint8_t {
    ranks,     ///< the same ranks
    size,      ///< as many ranks: the trace is of another rank of the job than the graph
    sequence,  ///< only by the collectives on it
    nothing,   ///< one side has no such group
};

std::string_view group_match_basis_name(GroupMatchBasis basis);

struct GroupMatch {
    std::uint32_t planned = no_index;   ///< index into Simulation::groups
    std::uint32_t measured = no_index;  ///< index into MeasuredTrace::groups(); no_index also for unknown groups
    GroupMatchBasis basis = GroupMatchBasis::nothing;
    std::uint32_t pairs = 0;  ///< collectives matched on it
};

/// Which planned collective is which measured one. Nothing is left out: a collective without a partner has no_index.
struct CollectiveMatching {
    std::vector<std::uint32_t> measured_of;  ///< for each of Simulation::collectives: of MeasuredStepData::collectives
    std::vector<std::uint32_t> planned_of;   ///< the other way round
    /// Planned ones in their order, then further measured ones: of equal ranks, or without a partner.
    std::vector<GroupMatch> groups;
    std::uint32_t pairs = 0;
};

/// Matches the collectives of a simulated step with those of a measured one by process group, order, kind and bytes.
///
/// Groups pair one to one: first those with the same ranks, then those with as many ranks, then those of unknown size
/// if half of the planned collectives find a partner; within each of these, where several would do (a second group of
/// the same ranks), those whose collectives align best, then those of the same name, then the first. Where one side has
/// two groups of the same ranks and the other has one, the rest of that one is paired with the second. Measured
/// collectives of unknown group count as one group a stream. In a group align_sequences() decides.
/// @throws InputError as align_sequences() does.
CollectiveMatching match_collectives(const Graph& graph, const Simulation& simulation, const MeasuredStepData& step);

}  // namespace overlap

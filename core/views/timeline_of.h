#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/pipeline/evaluation.h"
#include "core/timeline/timeline.h"

namespace overlap {

/// The simulated step of an evaluation as a view draws it: the compute stream, one lane for each process group in order
/// of first use, and the memory curve.
///
/// Times are those of the simulation in nanoseconds. An event's reference is a node of `evaluation.graph`: the node
/// itself, or for a stall of the compute stream (role `exposed`) the node that starts the collective that it waits for.
/// Compute has the hue of the plan's entry that its module belongs to, a collective that of its bucket; buckets that a
/// pass chose itself take hues in turn. Nodes that take no time make no event.
/// @param rule which of the two memory figures the curve shows; views show the corrected one.
std::shared_ptr<const Timeline> timeline_of(const Evaluation& evaluation, StorageRule rule = StorageRule::corrected);

/// What each collective of the simulation looks like there, by its position in it.
std::vector<EventRole> collective_roles(const Evaluation& evaluation);

/// What a process group is for, as far as its description and its collectives show: `FSDP gathers`, `EP all-to-all`,
/// `Gathers + scatters`. For the group's lane and wherever a group is displayed.
std::string group_title(const Evaluation& evaluation, std::size_t group);
/// That with the group's name, `FSDP gathers · 3`: where several groups may have the same title.
std::string group_title_and_name(const Evaluation& evaluation, std::size_t group);

/// What a group's description in the document says that it is for: `FSDP` of `mesh_fsdp` and `fsdp_extra`; empty for
/// descriptions without a purpose, such as `default_pg`.
std::string group_purpose(const std::string& description);

}  // namespace overlap

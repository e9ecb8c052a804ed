#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/pipeline/evaluation.h"

namespace overlap {

/// What runs on a process group, of one kind.
struct GroupKindFigures {
    CollectiveKind kind = CollectiveKind::none;
    std::uint32_t collectives = 0;
    std::int64_t bytes = 0;
    double comm_ms = 0;
    double exposed_ms = 0;
};

/// How long collectives of one kind waited in their group's queue while those of another kind, or others of their own,
/// held its stream.
struct QueueingFigures {
    CollectiveKind waiting = CollectiveKind::none;
    CollectiveKind holding = CollectiveKind::none;
    std::uint32_t collectives = 0;  ///< that waited
    double queued_ms = 0;           ///< all of them together
};

/// One process group of an evaluated graph. Groups are distinguished by name, which identifies the group object: its
/// collectives share one communicator and one stream, so they run one after the other. Two groups of the same ranks
/// share nothing.
struct ProcessGroupFigures {
    std::string name;
    std::string title;                    ///< what it is for, as its lane says; empty for a group of unknown purpose
    std::string description;              ///< of the document, or empty
    std::vector<int> ranks;               ///< in the group's order; empty for a group that the document does not list
    int rank = 0;                         ///< index of this process in `ranks`
    bool listed = true;                   ///< the document lists it
    bool high_priority = false;           ///< its stream has priority over others
    std::vector<std::string> same_ranks;  ///< other groups of the same set of ranks, each with a queue of its own

    /// Index of Simulation::groups and so of its lane; -1 where nothing runs on it.
    std::int32_t timing = -1;
    std::vector<GroupKindFigures> kinds;  ///< in order of first use
    std::uint32_t collectives = 0;
    double comm_ms = 0;
    double exposed_ms = 0;
    double queued_ms = 0;                   ///< sum over `queueing`
    std::vector<QueueingFigures> queueing;  ///< behind another kind first, of these the longest

    /// The pass of the plan that creates it and its report (in Evaluation::reports); nullptr for a group of the job.
    const PassReport* creator = nullptr;
    const GroupReport* created = nullptr;
};

/// All groups that the graph lists or uses: in the document's order, each created one after the group that it was made
/// from, and those that are used but not listed at the end. Pointers in the result live as long as the evaluation.
std::vector<ProcessGroupFigures> process_group_figures(const Evaluation& evaluation);

/// Ranks in short form: `0-63`, `0, 4`, `0-56 step 8`, `0-3, 8-11`; in the order given. Of what would be more than four
/// pieces only the first and the last are written, `0, 5, 6 … 63`.
std::string ranks_text(std::span<const int> ranks);

}  // namespace overlap

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/trace/measured_trace.h"

namespace overlap {

/// One rank's part in a collective.
struct CollectiveMember {
    std::uint32_t rank = 0;        ///< index into the traces
    std::uint32_t collective = 0;  ///< index into that trace's collectives
};

/// A collective as several ranks recorded it. Times are of the first trace's clock.
struct CollectiveMatch {
    MeasuredGroup group;
    CollectiveKind kind = CollectiveKind::none;
    std::int64_t sequence = 0;              ///< `Seq`, or its number in its group on the first of its ranks
    std::vector<CollectiveMember> members;  ///< one a rank, by rank
    std::int64_t first_start_ns = 0;
    std::int64_t last_start_ns = 0;
    std::int64_t last_end_ns = 0;
    std::uint32_t last_rank = 0;  ///< index of the trace that started last: the others waited for it

    /// Time from the last arrival on: what the collective takes, without waiting for peers.
    std::int64_t transfer_ns() const { return last_end_ns - last_start_ns; }
    std::int64_t waiting_ns() const { return last_start_ns - first_start_ns; }
};

/// How one rank's clock and collectives fit the others'.
struct RankAlignment {
    bool is_aligned = false;           ///< shares collectives with the first trace, if need be by way of others
    std::int64_t clock_offset_ns = 0;  ///< to add to the rank's times
    std::int64_t spread_ns = 0;        ///< median distance of its collectives' ends from where the offset puts them
    std::uint64_t matched = 0;         ///< collectives that another rank has too
    std::uint64_t unmatched = 0;       ///< without a group, point to point, or missing on the other ranks
    std::uint64_t arrived_last = 0;    ///< matches in which this rank started last
    std::int64_t awaited_ns = 0;       ///< how long the first of the others waited for it in these, together
};

struct AlignedRanks {
    std::vector<RankAlignment> ranks;      ///< one a trace
    std::vector<CollectiveMatch> matches;  ///< by group, then by sequence
};

/// Matches the collectives of several ranks of one job, by process group and `Seq`, or, where a rank lacks these, by
/// their order in the group: kinds and sizes must agree, and where collectives are missing at the beginning or end of a
/// rank, the shift is chosen at which most agree and ends lie closest. Sends and receives have an order only between
/// two ranks and are left out. A collective ends on all ranks at about the same time, so the median distance of ends is
/// the distance of clocks. @param traces of different ranks.
AlignedRanks align_ranks(std::span<const std::shared_ptr<const MeasuredTrace>> traces);

}  // namespace overlap

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/passes/scheduling/augmented_graph.h"
#include "core/passes/scheduling/collectives.h"
#include "core/passes/scheduling/group_timeline.h"
#include "core/passes/scheduling/left_apart.h"
#include "core/passes/scheduling/static_ancestors.h"

namespace overlap::scheduling {

/// What decides which collectives are merged after scheduling; names as the options of `schedule_overlap_bucketing`.
struct BucketLimits {
    std::int64_t bucket_bytes = std::int64_t{2} << 30;  ///< fixed by torch
    std::int64_t collective_distance = 200;
    std::optional<bool> exposed_first;  ///< nothing: on groups that look as if they span nodes
    bool only_internode = false;
};

/// Collectives that become one, in the order of their tensors.
using Bucket = std::vector<Index>;

/// Finds buckets that leave every hidden collective hidden
/// (torch/_inductor/fx_passes/overlap_preserving_bucketer.py, OverlapPreservingBucketer): each collective is merged
/// with later ones of its key, as long as the merged start and wait have a place on the timeline of their group.
class BucketSearch {
  public:
    /// @param order of the schedule, all nodes.
    /// @param graph receives the merges and the moves on the timelines.
    BucketSearch(const Graph& source, const CollectiveTable& table, std::span<const NodeId> order,
                 StaticAncestors& ancestors, std::vector<GroupTimeline>& timelines, AugmentedGraph& graph);

    std::vector<Bucket> find(const BucketLimits& limits);
    /// By collective; used for those that are in no bucket.
    const std::vector<LeftApart>& left_apart() const { return left_apart_; }

  private:
    /// The bucket that is growing, with what its members have in common.
    struct Growing {
        Bucket members;
        std::int64_t bytes = 0;
        CollectiveSet collectives, starts_before, waits_before, waits_before_hiding;
        std::uint32_t first_hiding = no_index;  ///< position of the first event that hides a member
        std::uint32_t last_hiding = 0;
    };
    /// Positions of a start and of a wait, or of a start and of what hides it.
    struct Interval {
        std::uint32_t first, last;
    };

    std::vector<bool> internode_groups() const;
    void enter_group(Index group);
    std::vector<Index> ordered(std::vector<Index> members, bool exposed_first) const;
    void find_in(std::span<const Index> members, bool exposed_first, const BucketLimits& limits,
                 std::vector<Bucket>& buckets);
    void include(Growing& bucket, Index member) const;
    bool hides_another(Index collective) const;
    bool can_add(const Growing& bucket, Index candidate);
    void leave_apart(Index seed, Index candidate, Apart reason);
    bool depends_on_bucket(const Growing& bucket, Index candidate) const;
    bool keeps_hidden(const Growing& bucket, Index candidate, std::uint32_t start, std::uint32_t wait);
    void collect(const Growing& bucket, Index candidate, std::uint32_t event);
    bool place(Index existing, Index candidate, bool keep_existing_start, bool keep_existing_wait);

    const Collective& collective(Index index) const { return table_.collectives[index]; }

    const Graph& source_;
    const CollectiveTable& table_;
    StaticAncestors& ancestors_;
    std::vector<GroupTimeline>& timelines_;
    AugmentedGraph& graph_;
    std::vector<std::uint32_t> positions_;            ///< by node, in the schedule
    std::vector<bool> hides_;                         ///< by node: hides a fully hidden collective
    std::vector<CollectiveSet> waits_before_hiding_;  ///< by collective: waits that a node hiding it depends on

    GroupTimeline* timeline_ = nullptr;    ///< of the group that is searched
    std::vector<std::uint32_t> event_of_;  ///< by node: its position on that timeline, after merges that of the merged
    std::vector<Interval> hiding_range_;   ///< by collective: first and last event that hide it; first = no_index: none
    std::vector<Interval> running_, hidden_;
    std::vector<LeftApart> left_apart_;
    Apart refusal_ = Apart::not_tried;  ///< why the last can_add() was false
};

}  // namespace overlap::scheduling

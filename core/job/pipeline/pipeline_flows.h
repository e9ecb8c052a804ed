#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "core/job/pipeline/pipeline_step.h"

namespace overlap::job {

/// The bytes of a message; none where it has a time, and where it is none.
std::optional<std::int64_t> message_bytes(const TransferSpec& transfer, const PieceWait& wait);

/// @throws InputError: an algorithm for a kind of collective that has no flows.
void check_algorithms(const JobDocument& job);
/// @throws InputError: more links than a job may have.
void check_links(const JobDocument& job, std::int64_t ranks);

/// Gathers the flows of a step whose replicas are not folded: class c is replica c.
class PipelineFlows {
  public:
    PipelineFlows(const JobDocument& job, PipelineStep& step) : job_(job), step_(step) {}

    /// A collective of piece `i` among the replicas of a group. @throws InputError: more flows than a job may have.
    void add_collective(std::uint32_t piece, std::span<const std::uint32_t> replicas);
    /// Messages of all replicas. To be called when the graph is finished; its dependencies are `waits` of each.
    void add_messages(std::span<const PieceWait> waits);

  private:
    std::uint32_t add_load(std::vector<FlowPhase> phases);

    const JobDocument& job_;
    PipelineStep& step_;
    std::size_t flow_count_ = 0;
    /// Loads that are known: of collectives by group, first rank, kind and bytes; of messages by both ranks and bytes.
    std::map<std::tuple<std::int32_t, std::int64_t, std::int32_t, std::int64_t>, std::uint32_t> of_group_;
    std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, std::uint32_t> of_message_;
};

}  // namespace overlap::job

#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/job/document/job_document.h"

namespace overlap::job {

/// Bytes that go from one rank to another.
struct FlowLoad {
    std::int64_t from = 0, to = 0;
    double bytes = 0;
};

/// Flows that move at the same time, as chunks in so many steps one after another: each step begins with a latency.
struct FlowPhase {
    std::vector<FlowLoad> flows;
    std::int32_t steps = 1;
};

/// Whether there are flows for a kind: `all_reduce`, `all_gather`, `reduce_scatter`, `all_to_all`, `broadcast`,
/// `reduce`.
bool has_flows(std::string_view kind);

/// What a collective loads links with: phases one after another. Sums over a rank's flows are the bytes that these
/// algorithms are known for (Thakur, Rabenseifner, Gropp 2005; Sanders, Speck, Träff 2009; NCCL's documentation of its
/// algorithms):
///
/// - `ring`: each rank sends (n − 1) / n of the bytes to the next, an all-reduce twice that. Where units of the
/// innermost
///   level hold k > 1 members each, there are k rings with 1 / k of the bytes, and each leaves a unit from another
///   member. A broadcast or reduction sends all bytes from each to the next.
/// - `tree`: of `all_reduce`, `broadcast` and `reduce`: two binary trees with half the bytes each, in which each rank
/// but
///   one is a leaf of one; an all-reduce goes up and down. Other kinds are rings.
/// - `hierarchical`: of `all_reduce`, `all_gather` and `reduce_scatter`: rings within units of the innermost level, and
///   between the k-th members of the units with 1 / k of the bytes. A ring where units do not hold equally many
///   members.
///
/// An `all_to_all` goes from each to each, whatever the algorithm.
/// @param members in the order of their numbers. @param bytes of the whole tensor (the larger side); of an `all_to_all`
/// what a rank has for all. @param share what multiplies bytes to each member in an `all_to_all`; empty: 1.
std::vector<FlowPhase> collective_flows(std::string_view kind, CollectiveAlgorithm algorithm,
                                        std::span<const std::int64_t> members, double bytes,
                                        std::span<const TopologyLevel> levels, std::span<const double> share = {});

}  // namespace overlap::job

#pragma once

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/pipeline/evaluation.h"

namespace overlap {

/// The collectives of the input that each collective of a result was made of. The evaluation must outlive it.
class MembersOfResult {
  public:
    explicit MembersOfResult(const Evaluation& evaluation);

    /// @param start of the evaluation's result.
    /// @returns nodes of its input: itself where no pass merged it, none of what a pass made of no collective of the
    /// input (see FinalBucket).
    std::vector<NodeId> of(NodeId start) const;
    /// The same, and of what is done again in the backward pass (`…_recomputed`) the collective that is done again, of
    /// either half of a halved batch the collective that was halved (core/passes/experts).
    std::vector<NodeId> sources_of(NodeId start) const;

  private:
    template <typename Find>
    std::vector<NodeId> found(NodeId start, Find&& find) const;
    NodeId source_named(std::string_view name) const;

    const Evaluation& evaluation_;
    std::unordered_map<std::string, std::vector<std::string>> merged_;
    /// By the name that a collective had when it was halved, which passes may have given it, the one of the input.
    std::unordered_map<std::string, NodeId> halved_;
};

/// Parts of what a merged collective has for its members, by their bytes; equal parts where none has any.
/// @param members nodes of `input`. @returns one part each; their sum is 1.
std::vector<double> shares_by_bytes(const Graph& input, std::span<const NodeId> members);

/// The collectives of another result that stand for the same collectives of the input.
/// @param starts of `from`'s result; @param members_of_from of `from`, `members_of_to` of `to`.
/// @returns starts of `to`'s result that contain the first member of each, in the order of `starts`, none twice; what a
/// pass made of no collective of the input is found by its name. What has no counterpart is left out.
std::vector<NodeId> counterparts(const Evaluation& from, const MembersOfResult& members_of_from, const Evaluation& to,
                                 const MembersOfResult& members_of_to, std::span<const NodeId> starts);

}  // namespace overlap

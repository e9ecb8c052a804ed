#pragma once

#include <string>
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

  private:
    const Evaluation& evaluation_;
    std::unordered_map<std::string, std::vector<std::string>> merged_;
};

}  // namespace overlap

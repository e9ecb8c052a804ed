#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/advice/advice.h"

namespace overlap {

/// The exposed collective that advice is for.
struct AdvisedCollective {
    std::shared_ptr<const Evaluation> evaluation;  ///< of a plan that is not refused
    const CollectiveTiming& timing;
    std::string name;                 ///< of its start, in the evaluation's graph
    std::vector<std::string> blocks;  ///< that its members are in, see block_of(); each once, in order of members

    const Plan& plan() const { return evaluation->resolved->plan; }
};

/// The part of a model that is planned as one: the path up to its first number (`layers.3` of
/// `layers.3.attention.wq`), or the first name where there is none.
std::string block_of(std::string_view path);

/// The block of a node of the evaluation's graph; empty where the node was made by a pass or is in no module.
std::string block_of(const Evaluation& evaluation, NodeId node);

/// The collective's block in a bucket, in a neighbour's bucket, its bucket merged with a neighbour or split.
std::vector<Advice> bucket_advice(const AdvisedCollective& collective);
/// A process group of its own, where another collective holds the stream.
std::vector<Advice> group_advice(const AdvisedCollective& collective);
/// Overlaps by hand: an earlier start, a later wait, behind a block that is computed before or after it.
std::vector<Advice> overlap_advice(const AdvisedCollective& collective);

}  // namespace overlap

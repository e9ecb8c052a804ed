#pragma once

#include <string>
#include <vector>

#include "core/pipeline/evaluation.h"
#include "core/plan/plan.h"

namespace overlap {

/// A final bucket: its collective was not merged any further.
struct FinalBucket {
    std::string start;
    std::vector<std::string> members;  ///< collectives that were merged; none of them was itself made by merging
};

/// The buckets that the passes of a plan made, followed through all steps: one made before scheduling may be part of
/// one made afterwards.
std::vector<FinalBucket> final_buckets(const Evaluation& evaluation);

/// A plan made from the result of an automatic pass, and what could not be carried over.
struct ManualStart {
    /// One reason for which cards are not what the buckets were.
    struct LeftOut {
        std::string sentence;            ///< without full stop
        std::vector<std::string> names;  ///< of the collectives concerned
    };
    Plan plan;
    std::vector<LeftOut> left_out;  ///< empty where every bucket became a card
};

/// Why manual_start() cannot be used on the result of a plan, as a sentence without full stop; empty where it can.
/// @param evaluation of `plan`, or null while there is none.
/// @param tree the modules of its input.
std::string manual_start_obstacle(const Plan& plan, const Evaluation* evaluation, const ModuleTree& tree);

/// The result of an automatic pass as a plan for manual_overlap_bucketing: the steps before the automatic one stay, and
/// each bucket becomes an entry of the modules of its members, whole modules where it has all of their collectives.
/// Memory, rules of modules, device orders and process groups stay; overlaps by hand, which are of those buckets, do
/// not.
///
/// A module has one place among entries, but several buckets of the automatic pass may have parts of it (gathers of
/// forward and backward, scatters). Gathers come first, in the order in which they were merged; what others group in
/// another way is reported.
/// @pre manual_start_obstacle() is empty.
ManualStart manual_start(const Plan& plan, const Evaluation& evaluation);

}  // namespace overlap

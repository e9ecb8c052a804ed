#pragma once

#include <string>
#include <vector>

#include "core/graph/graph.h"
#include "core/pipeline/evaluation.h"

namespace overlap {

/// How one collective was treated, and why.
struct CollectiveExplanation {
    std::string collective;  ///< the node explained: for a wait, what it waits for; empty for others
    const BucketReport* bucket =
        nullptr;  ///< that contains it, in the evaluation's reports; none if it was not bucketed
    /// Index into the evaluation's Simulation::collectives of what runs in its place; -1 if nothing does.
    std::int32_t timing = -1;
    /// What it is, if requested; which others share its bucket and which of its entry do not, or why it is not
    /// bucketed; why it is exposed, or what hides it. Whole sentences without full stops. For a node that is related to
    /// no collective, one sentence that says so.
    std::vector<std::string> sentences;
};

/// Whether an explanation begins with sentences that say what the collective is. They name its module, for which the
/// module tree of the whole graph may have to be made: some 100 ms for 200,000 nodes. Callers that show the module
/// themselves leave them out.
enum class Introduction { included, left_out };

/// Explains a collective of the graph that a pipeline starts from, or the one that a wait of it awaits.
/// @param node of `input`.
/// @param evaluation of `input`; without one only the graph itself is described.
CollectiveExplanation explain_collective(const Graph& input, NodeId node, const Evaluation* evaluation = nullptr,
                                         Introduction introduction = Introduction::included);

/// The same for a node of the graph that results: a merged collective says what it was made of.
/// @param node of `evaluation.graph`.
CollectiveExplanation explain_result(const Evaluation& evaluation, NodeId node,
                                     Introduction introduction = Introduction::included);

}  // namespace overlap

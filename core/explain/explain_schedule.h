#pragma once

#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/pipeline/evaluation.h"

namespace overlap {

// What the overlap scheduler (schedule_overlap_bucketing) recorded of one collective. Sentences are whole and without
// full stop. A collective is named as in the evaluation's input or in its graph; one that was merged before scheduling
// has its bucket's figures, one that was merged afterwards is described by what it was made of.

/// How long the collective takes by the scheduler's estimate, which nodes hide it and how much is left exposed: the
/// scheduler's own bookkeeping (CollectiveReport), which ignores queues and what is merged afterwards.
/// @returns nothing where no such pass ran or it does not know the collective.
std::vector<std::string> explain_schedule(const Evaluation& evaluation, std::string_view collective);

/// Whether the scheduler leaves more than a hundredth of the collective's time exposed.
bool scheduler_leaves_exposed(const Evaluation& evaluation, std::string_view collective);

/// Why the scheduler leaves the collective exposed, and which of its options would hide it.
///
/// What could hide it follows from the graph: compute that neither needs its result nor is needed for it. Which limit
/// keeps it exposed is found by experiment: the scheduler, without merging, runs again on what it was given, with one
/// limit lifted at a time, then with all of them. That is ten to twenty runs of the pass.
/// @returns nothing where the collective is not left exposed, and when `stop` was requested.
std::vector<std::string> explain_exposure(const Evaluation& evaluation, std::string_view collective,
                                          std::stop_token stop = {});

}  // namespace overlap

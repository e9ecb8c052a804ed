#pragma once

#include <stop_token>
#include <string_view>

#include "core/explain/explain.h"

namespace overlap {

/// All that is known of a node by its name: what explain_collective() or explain_result() say, then explain_exposure()
/// and explain_memory().
/// @param node of `evaluation.input` or of `evaluation.graph`.
/// @throws InputError without a file where neither has it, with the nearest names.
CollectiveExplanation explain_node(const Evaluation& evaluation, std::string_view node, std::stop_token stop = {});

}  // namespace overlap

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/graph/graph.h"
#include "core/pipeline/evaluation.h"

namespace overlap {

/// What keeps a collective apart from another bucket of its entry, as a clause; empty where there is nothing worth
/// showing.
/// @param pass that made both. @param bucket that it is in. @param member of `other`, in `input`.
std::string what_separates(const Graph& input, NodeId start, std::string_view pass, const BucketReport& bucket,
                           const BucketReport& other, NodeId member);

/// Why a collective is in no bucket, as sentences without full stop.
/// @param evaluation of `input`; null: what could be is told.
std::vector<std::string> why_not_bucketed(const Graph& input, NodeId start, const Evaluation* evaluation);

}  // namespace overlap

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/graph/graph.h"
#include "core/run/program.h"

namespace overlap {

/// A 64-bit hash of a text (FNV-1a), the same on every machine, as 16 hexadecimal digits. Records of runs hold it, so
/// it stays as it is; WordHash is for all else.
std::string text_digest(std::string_view text);

/// What one rank will issue on its process groups. Ranks of a group that differ here would wait for each other for
/// ever, or exchange wrong bytes, so they are compared before anything is launched.
struct IssueOrder {
    /// One line for each collective, in order of issue: group, kind, reduction, dtype and elements of each tensor. The
    /// node's name is no part of it: ranks of one job may name alike collectives differently.
    std::vector<std::string> lines;
    std::string digest;  ///< of all lines
};

IssueOrder issue_order(const Program& program);

/// What the ranks of a run exchange before the first collective.
struct RankAgreement {
    std::string graph_digest;  ///< of the graph that the rank will run
    IssueOrder order;
};

/// A rank's agreement as text for the others, and back. @throws InputError where the text is no agreement.
std::string agreement_text(const RankAgreement& agreement);
RankAgreement read_agreement(std::string_view text);

/// Compares what all ranks said, in the order of ranks.
/// @returns one sentence without full stop on the first difference from rank 0, empty where all agree: the place in the
/// order of issue and what each of the two would launch there; or that the graphs differ although the orders agree.
std::string first_disagreement(const std::vector<RankAgreement>& ranks);

}  // namespace overlap

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/job/document/job_document.h"
#include "core/job/step/job_result.h"
#include "core/job/step/node_names.h"

namespace overlap::job {

/// A collective or message of programs: which one of its group or pair it is, and its operations.
struct Meeting {
    std::int32_t group = -1;           ///< index of JobDocument::groups; -1: a message
    std::int32_t from = -1, to = -1;   ///< of a message
    std::int64_t index = 0;            ///< k-th of its group or pair
    std::vector<std::int32_t> places;  ///< of a collective: position of each member in its group
    std::vector<const OpSpec*> ops;    ///< in the group's order; of a message: send, receive
    std::vector<std::int64_t> absent;  ///< of a message: who never comes
};

/// What each node of a step of programs is.
enum class ProgramNode : std::uint8_t {
    compute,
    communication,
    issue,  ///< where a batch or a buffered send is issued
    joined  ///< where a batch has ended
};

/// Programs as a step. Refers to the document.
struct ProgramStep {
    const JobDocument* job = nullptr;
    StepGraph graph;  ///< ranks are indices of `programs`
    std::vector<const OpSpec*> op_of_node;
    std::vector<ProgramNode> kind_of_node;
    std::vector<Meeting> meetings;  ///< of each rendezvous
};

/// @throws InputError with the place: identifiers that are there twice or nowhere, groups that are not given or that
/// the rank is no member of, splits of another length than the group's.
ProgramStep program_step(const JobDocument& job);

NodeNames program_names(const ProgramStep& step);

/// An order in which the operations run; members that disagree never meet.
/// @param mismatches null: not wanted.
StepOrder order_of_programs(const ProgramStep& step, std::vector<JobProblem>* mismatches = nullptr);

/// Members that are not in a collective, or the other side of a message.
std::vector<std::int64_t> absent_ranks(const ProgramStep& step, const Meeting& meeting);

/// The first difference between the operations of a meeting; fields in the order op, reduce, dtype, bytes, root, split.
/// Where a field is not given it agrees with all.
std::optional<JobProblem> mismatch(const ProgramStep& step, const Meeting& meeting);

/// Why a node never runs although all that it waits for has ended, and all members of its meeting that there are have
/// come: `rank 1 never comes`, or `the members disagree on bytes, 4 and 8`. Empty where it waits for something of the
/// job, or runs.
/// @param ended of each node, whether it did.
std::string never_runs_text(const ProgramStep& step, const std::vector<std::uint8_t>& ended, NodeIndex node);

}  // namespace overlap::job

#include <algorithm>
#include <optional>
#include <utility>

#include "core/base/quote.h"
#include "core/files/json_writer.h"
#include "core/job/program_step.h"
#include "core/job/rank_texts.h"

namespace overlap::job {

namespace {

std::string json_of(const std::string& text) {
    JsonWriter json;
    json.value(std::string_view(text));
    return json.take();
}

/// The first operation whose value, where it is given, differs from the first that is given.
template <typename Value>
std::optional<JobProblem> difference(const Meeting& meeting, std::string_view field, Value&& value) {
    std::string first;
    for (const OpSpec* op : meeting.ops) {
        std::string now = value(*op);
        if (now.empty()) continue;
        if (first.empty())
            first = std::move(now);
        else if (now != first) {
            JobProblem problem;
            problem.field = field;
            problem.left_json = std::move(first);
            problem.right_json = std::move(now);
            return problem;
        }
    }
    return std::nullopt;
}

/// What one member sends to another against what that one expects. Members in the group's order, senders first.
std::optional<JobProblem> split_difference(const Meeting& meeting) {
    for (std::size_t from = 0; from < meeting.ops.size(); ++from) {
        if (!meeting.ops[from]->split) continue;
        for (std::size_t to = 0; to < meeting.ops.size(); ++to) {
            const OpSpec& receiver = *meeting.ops[to];
            const auto& receive = receiver.receive ? receiver.receive : receiver.split;
            if (!receive) continue;
            const std::int64_t sent = (*meeting.ops[from]->split)[to], expected = (*receive)[from];
            if (sent == expected) continue;
            JobProblem problem;
            problem.field = "split";
            problem.left_json = std::to_string(sent);
            problem.right_json = std::to_string(expected);
            return problem;
        }
    }
    return std::nullopt;
}

std::string ordinal_of(const ProgramStep& step, const Meeting& meeting) {
    const std::string number = " number " + std::to_string(meeting.index) + " ";
    if (meeting.group < 0)
        return "message" + number + "from rank " + std::to_string(meeting.from) + " to rank " +
               std::to_string(meeting.to);
    const std::string& group = step.job->groups[static_cast<std::size_t>(meeting.group)].first;
    return "collective" + number + "of group " + in_quotes(shortened(group));
}

std::string disagreement_text(const JobProblem& mismatch) {
    return "the members disagree on " + mismatch.field + ", " + mismatch.left_json + " and " + mismatch.right_json;
}

}  // namespace

std::optional<JobProblem> mismatch(const ProgramStep& step, const Meeting& meeting) {
    const auto integer = [](const std::optional<std::int64_t>& value) {
        return value ? std::to_string(*value) : std::string();
    };
    const auto text = [](const std::string& value) { return value.empty() ? value : json_of(value); };
    std::optional<JobProblem> found;
    if (meeting.group >= 0) {
        found = difference(meeting, "op", [&](const OpSpec& op) { return text(op.op); });
        if (!found) found = difference(meeting, "reduce", [&](const OpSpec& op) { return text(op.reduce); });
    }
    if (!found) found = difference(meeting, "dtype", [&](const OpSpec& op) { return text(op.dtype); });
    if (!found) found = difference(meeting, "bytes", [&](const OpSpec& op) { return integer(op.bytes); });
    if (meeting.group >= 0) {
        if (!found) found = difference(meeting, "root", [&](const OpSpec& op) { return integer(op.root); });
        if (!found) found = split_difference(meeting);
    }
    if (!found) return found;
    found->kind = JobProblem::Kind::mismatch;
    if (meeting.group >= 0) found->group = step.job->groups[static_cast<std::size_t>(meeting.group)].first;
    found->from = meeting.from;
    found->to = meeting.to;
    found->index = meeting.index;
    found->message = ordinal_of(step, meeting) + ": " + disagreement_text(*found);
    return found;
}

std::string never_runs_text(const ProgramStep& step, const std::vector<std::uint8_t>& ended, NodeIndex node) {
    const StepGraph& graph = step.graph;
    const auto has_come = [&](NodeIndex member) {
        for (std::uint32_t i = graph.first_dependency(member); i < graph.first_dependency(member + 1); ++i)
            if (!ended[graph.on()[i]]) return false;
        return true;
    };
    const std::uint32_t rendezvous = graph.rendezvous_of(node);
    if (ended[node] || rendezvous == no_rendezvous || !std::ranges::all_of(graph.members(rendezvous), has_come))
        return {};
    const Meeting& meeting = step.meetings[rendezvous];
    if (!graph.complete(rendezvous)) {
        const std::vector<std::int64_t> absent = absent_ranks(step, meeting);
        return ranks_text(absent).append(absent.size() == 1 ? " never comes" : " never come");
    }
    const std::optional<JobProblem> found = mismatch(step, meeting);
    return found ? disagreement_text(*found) : std::string();
}

StepOrder order_of_programs(const ProgramStep& step, std::vector<JobProblem>* mismatches) {
    return order_of(step.graph, [&](std::uint32_t rendezvous) {
        std::optional<JobProblem> found = mismatch(step, step.meetings[rendezvous]);
        if (found && mismatches) mismatches->push_back(std::move(*found));
        return !found;
    });
}

}  // namespace overlap::job

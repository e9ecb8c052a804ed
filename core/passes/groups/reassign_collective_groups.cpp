#include <algorithm>

#include "core/base/quote.h"
#include "core/passes/groups/extra_groups.h"
#include "core/passes/groups/process_group_passes.h"
#include "core/passes/pass_support.h"

namespace overlap {

namespace {

/// The new groups' description in the job.
constexpr std::string_view purpose = "fsdp_extra";
constexpr std::size_t gather_group = 2;  ///< place of the group among an all-gather's positional arguments

/// The group of an all-gather, which must be its third positional argument; nullptr where that is a node.
const Value* group_of(const Graph& graph, NodeId gather, std::string_view pass) {
    const Value* group = graph.argument(gather, gather_group);
    if (!group) {
        refuse_node(pass, graph.name(gather),
                    "its process group is not its third positional argument, and torchtitan raises an IndexError");
    }
    return group->is(ValueKind::string) ? group : nullptr;
}

/// Whether everything above an all-gather has one input, up to a placeholder: a parameter's shard.
bool gathers_parameter(const Graph& graph, NodeId gather) {
    NodeId node = gather;
    while (graph.inputs(node).size() == 1) {
        node = graph.inputs(node).front();
        if (graph.op(node) == NodeOp::placeholder) return true;
    }
    return false;
}

Problem other_gathers(const std::vector<std::string>& nodes) {
    return caution(ProblemKind::other_gathers_move, "Other gathers move",
                   "all all-gathers of these groups move, also those that gather no parameter, such as those of tensor "
                   "parallelism",
                   nodes);
}

Problem after_bucketing(const std::vector<std::string>& nodes) {
    return caution(ProblemKind::reassign_after_bucketing, "Too late",
                   "bucketed all-gathers are not recognised as gathers of parameters: run this pass before bucketing, "
                   "so that buckets inherit the new group",
                   nodes);
}

/// torchtitan remembers by name for which groups it has made new ones, and does not recognise its own among them.
Problem reassigned_again(std::string_view group) {
    return caution(ProblemKind::reassigned_again, "Ran already",
                   "the all-gathers of " + in_quotes(group) +
                       " have been moved by this pass already; running it again moves them to one more group of the "
                       "same ranks, in the job too, which gains nothing: run it once");
}

Problem renamed() {
    Problem problem;
    problem.kind = ProblemKind::renamed_pass;
    problem.title = "Old name";
    problem.message =
        "\"overlap_fsdp_ag_rs_pass\" is the former name of \"reassign_collective_pgs_pass\"; torchtitan no longer "
        "knows it, and its setting disable_passes ignores it";
    return problem;
}

}  // namespace

std::string_view ReassignCollectiveGroups::summary() const {
    return "Moves all-gathers from the groups of FSDP to new groups of the same ranks, so that they overlap with "
           "reduce-scatters";
}

PassResult ReassignCollectiveGroups::run(const std::shared_ptr<const Graph>& graph, const Options&,
                                         std::stop_token) const {
    const TargetSet gathers(*graph, {"_c10d_functional.all_gather_into_tensor.default",
                                     "_c10d_functional.all_gather_into_tensor_out.default"});
    const TargetSet waits(*graph, {"_c10d_functional.wait_tensor.default"});
    const TargetSet bucketed(*graph, {"_c10d_functional.all_gather_into_tensor_out.default"});
    ExtraGroups groups(name(), *graph, purpose, false);
    std::vector<std::uint8_t> of_parameter(graph->node_count());
    std::vector<std::string> bucketed_names;
    for (NodeId node = 0; node < graph->node_count(); ++node) {
        if (!waits.has(graph->record(node))) continue;
        const Value* awaited = graph->argument(node, 0);
        if (!awaited || !awaited->is(ValueKind::node) || !gathers.has(graph->record(awaited->node))) continue;
        const NodeId gather = awaited->node;
        if (bucketed.has(graph->record(gather))) bucketed_names.emplace_back(graph->name(gather));
        if (!gathers_parameter(*graph, gather)) continue;
        of_parameter[gather] = 1;
        if (const Value* group = group_of(*graph, gather, name()))
            groups.add(graph->text(group->string), graph->name(gather));
    }
    std::vector<Problem> problems;
    if (old_name_) problems.push_back(renamed());
    if (groups.empty()) {
        PassResult result = unchanged(graph, name());
        if (!bucketed_names.empty()) problems.push_back(after_bucketing(bucketed_names));
        result.report.problems = std::move(problems);
        return result;
    }

    GraphEditor editor(graph);
    GroupMoves moves(groups);
    std::vector<std::string> moved_others;
    for (NodeId node = 0; node < graph->node_count(); ++node) {
        if (!gathers.has(graph->record(node))) continue;
        const Value* group = group_of(*graph, node, name());
        if (!group) continue;
        std::vector<Value> arguments = {*editor.argument(node, 0), *editor.argument(node, 1), *group};
        const bool moved = moves.move(editor, node, graph->text(group->string), std::move(arguments), gather_group);
        if (moved && !of_parameter[node]) moved_others.emplace_back(graph->name(node));
    }
    editor.set_header(groups.header());
    PassResult result = finished(editor, name());
    result.report.problems = std::move(problems);
    moves.report("so that gathering overlaps with the reductions that stay", result.report);
    for (const ExtraGroups::Replacement& replacement : groups.replacements()) {
        if (graph->header().process_group(replacement.source)->description != purpose) continue;
        result.report.problems.push_back(reassigned_again(replacement.source));
    }
    if (!moved_others.empty()) result.report.problems.push_back(other_gathers(moved_others));
    return result;
}

}  // namespace overlap

#include "core/job/stages/graph_stages.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/error.h"
#include "core/graph/direction.h"
#include "core/imports/any_graph_file.h"
#include "core/io/plan/plan_file.h"
#include "core/job/document/files_of_job.h"
#include "core/job/step/stopped.h"

namespace overlap::job {

namespace {

/// Rounds to multiples of the last binary digit of a whole, so that parts add up to it exactly.
class Grid {
  public:
    explicit Grid(double whole) {
        int exponent = 0;
        std::frexp(whole, &exponent);
        step_ = std::ldexp(1.0, exponent - 53);
    }
    double round(double value) const { return std::nearbyint(value / step_) * step_; }

  private:
    double step_;
};

bool takes_compute_time(const Simulation& simulation, NodeId node) {
    return simulation.on_compute(node) && simulation.nodes[node].end_ms > simulation.nodes[node].start_ms;
}

/// @throws InputError: a plan for another graph or one that a pass refuses; it was stopped.
std::shared_ptr<const Evaluation> evaluated(const std::shared_ptr<const Graph>& graph, const Plan& plan,
                                            const std::stop_token& stop = {}) {
    check_plan_fits(plan, *graph);
    std::shared_ptr<const Evaluation> evaluation = evaluate(graph, plan, stop);
    require_not_stopped(stop);
    if (evaluation->refusal) throw *evaluation->refusal;
    return evaluation;
}

/// What is held before a node runs, beyond what was at the start; nothing where it is behind the last node.
std::optional<std::int64_t> bytes_before(const Evaluation& evaluation, NodeId node) {
    const Graph& graph = *evaluation.graph;
    if (node == graph.node_count()) return std::nullopt;
    // Two points of each node that allocates and releases.
    std::size_t ended = 0;
    for (NodeId before = 0; before < node; ++before) {
        const NodeOp op = graph.op(before);
        if (op != NodeOp::placeholder && op != NodeOp::get_attr && op != NodeOp::output) ++ended;
    }
    const std::vector<std::int64_t>& points = evaluation.corrected_memory.points;
    // What is read in the forward alone is held at the start and released by then.
    return std::max<std::int64_t>(0, points[2 * ended] - points.front());
}

/// Figures that `overlap simulate` warns of.
bool is_told_of_graph(ProblemKind kind) {
    return kind == ProblemKind::links_not_shared || kind == ProblemKind::beyond_device_memory ||
           kind == ProblemKind::uncounted_results || kind == ProblemKind::unknown_sizes ||
           kind == ProblemKind::memory_on_cpu || kind == ProblemKind::no_contention;
}

/// What `overlap simulate` says of the plan and of the graph's figures.
/// @param plan file; empty where there is none.
void add_notes(const Evaluation& evaluation, const std::string& plan, const std::string& graph,
               std::vector<StageNote>& notes) {
    for (std::size_t index = 0; index < evaluation.problems.size(); ++index) {
        const Problem& problem = evaluation.problems[index];
        const bool of_plan = index < evaluation.plan_problems;
        if (!of_plan && !is_told_of_graph(problem.kind)) continue;
        StageNote note{of_plan && !plan.empty() ? plan : graph,
                       std::string(severity_name(problem.severity)) + ": " + problem.message};
        if (std::ranges::find(notes, note) == notes.end()) notes.push_back(std::move(note));
    }
}

/// @param plan see add_notes().
GraphStageTimes times_of(const Evaluation& evaluation, const std::string& plan, const std::string& graph) {
    GraphStageTimes times = split_step(evaluation);
    add_notes(evaluation, plan, graph, times.notes);
    return times;
}

}  // namespace

std::shared_ptr<const Graph> read_stage_graph(const std::string& path) {
    return read_any_graph_file(path).graph;
}

GraphStageTimes split_step(const Evaluation& evaluation) {
    if (!evaluation.times_known)
        throw InputError("", "neither the graph nor a cost model gives the times of its nodes",
                         ErrorCode::no_cost_model);
    const Graph& graph = *evaluation.graph;
    const Simulation& simulation = evaluation.simulation;
    NodeId first = 0;
    double boundary_ms = 0;
    for (; first < graph.node_count(); ++first) {
        if (!takes_compute_time(simulation, first)) continue;
        if (runs_in_backward(graph, first)) break;
        boundary_ms = simulation.nodes[first].end_ms;
    }
    // A graph without a backward, as of inference, is all forward.
    if (first == graph.node_count()) boundary_ms = simulation.step_ms;
    double exposed_ms = 0;
    for (const CollectiveTiming& collective : simulation.collectives)
        if (collective.wait != no_node && collective.wait < first) exposed_ms += collective.exposed_ms;
    for (const TransferTiming& transfer : simulation.transfers)
        if (transfer.wait != no_node && transfer.wait < first) exposed_ms += transfer.exposed_ms;
    const double all_exposed_ms = simulation.exposed_ms + simulation.transfer_exposed_ms;
    const Grid grid(simulation.step_ms);
    const double forward = grid.round(boundary_ms), backward = simulation.step_ms - forward;
    const double forward_fixed = std::min(grid.round(exposed_ms), forward);
    const double backward_fixed = std::min(grid.round(std::max(0.0, all_exposed_ms - exposed_ms)), backward);
    return {{forward - forward_fixed, forward_fixed, -1, false},
            {backward - backward_fixed, backward_fixed, -1, false},
            {},
            {},
            bytes_before(evaluation, first)};
}

std::string GraphStages::path(const std::string& file) const {
    return file_beside(folder_, file);
}

std::shared_ptr<const Graph> GraphStages::graph_of_file(const std::string& graph) {
    std::shared_ptr<const Graph>& read = graphs_[graph];
    if (!read) read = reader_(path(graph));
    return read;
}

std::shared_ptr<const Evaluation> GraphStages::evaluate_file(const std::string& graph, const std::string& plan,
                                                             const std::stop_token& stop) {
    std::shared_ptr<const Evaluation>& made = by_files_[{graph, plan}];
    if (made) return made;
    const std::shared_ptr<const Graph> read = graph_of_file(graph);
    std::shared_ptr<const Evaluation> evaluation;
    if (plan.empty()) {
        evaluation = evaluate_baseline(read, stop);
        require_not_stopped(stop);
    } else {
        const Plan given = read_plan_file(path(plan));
        try {
            evaluation = evaluated(read, given, stop);
        } catch (const InputError& error) {
            throw error.file().empty() ? error.in_file(path(plan)) : error;
        }
    }
    ++evaluations_;
    return made = evaluation;
}

GraphStageTimes GraphStages::times(const StageSpec& stage, const std::stop_token& stop) {
    if (!stage.graph.empty()) {
        try {
            return times_of(*evaluate_file(stage.graph, stage.plan, stop), stage.plan, stage.graph);
        } catch (const InputError& error) {
            throw error.file().empty() ? error.in_file(path(stage.graph)) : error;
        }
    }
    if (!stage.plan.empty())
        throw InputError("plan", "a plan is for one graph, and the stage has two, forward and backward");
    std::vector<StageNote> notes;
    const auto whole = [&](const std::string& file) -> ActionPiece {
        const Evaluation& evaluation = *evaluate_file(file, "", stop);
        if (!evaluation.times_known)
            throw InputError(path(file), "", "neither the graph nor a cost model gives the times of its nodes");
        add_notes(evaluation, "", file, notes);
        const Simulation& simulation = evaluation.simulation;
        const Grid grid(simulation.step_ms);
        const double fixed =
            std::min(grid.round(simulation.exposed_ms + simulation.transfer_exposed_ms), simulation.step_ms);
        return {simulation.step_ms - fixed, fixed, -1, false};
    };
    GraphStageTimes times{whole(stage.forward), whole(stage.backward), {}, {}};
    for (const auto& [kind, file] : stage.action_graphs) times.others.emplace_back(kind, whole(file));
    times.notes = std::move(notes);
    return times;
}

GraphStageTimes GraphStages::times(const StageSpec& stage, const Plan& plan) {
    try {
        ++evaluations_;
        return times_of(*evaluated(graph_of_file(stage.graph), plan), stage.plan, stage.graph);
    } catch (const InputError& error) {
        throw error.file().empty() ? error.in_file(path(stage.graph)) : error;
    }
}

StageEvaluator GraphStages::evaluator(std::stop_token stop) {
    return [this, stop = std::move(stop)](const StageSpec& stage, std::size_t) { return times(stage, stop); };
}

}  // namespace overlap::job

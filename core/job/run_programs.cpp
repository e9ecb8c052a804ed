#include "core/job/run_programs.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "core/job/critical_path.h"
#include "core/job/pipeline/standstill.h"
#include "core/job/step/deadlock.h"
#include "core/job/step/reached.h"
#include "core/job/step/stopped.h"
#include "core/job/variation.h"

namespace overlap::job {

namespace {

/// Time of one rank in which nothing computes: waiting where all communication waits, transfer where some moves.
class ExposedTime {
  public:
    enum Kind : std::uint8_t { compute, waiting, transfer };
    void add(Kind kind, double start, double end) {
        if (end <= start) return;
        edges_.push_back({start, kind, 1});
        edges_.push_back({end, kind, -1});
    }
    void into(RankFigures& figures) {
        std::sort(edges_.begin(), edges_.end(), [](const Edge& a, const Edge& b) { return a.at < b.at; });
        int active[3] = {0, 0, 0};
        double before = 0;
        for (const Edge& edge : edges_) {
            if (active[compute] == 0) {
                if (active[transfer] > 0)
                    figures.transfer_exposed_ms += edge.at - before;
                else if (active[waiting] > 0)
                    figures.waiting_for_peers_ms += edge.at - before;
            }
            active[edge.kind] += edge.change;
            before = edge.at;
        }
    }

  private:
    struct Edge {
        double at;
        Kind kind;
        int change;
    };
    std::vector<Edge> edges_;
};

void add_figures(const ProgramStep& step, const StepTimes& times, JobResult& result) {
    const std::vector<ProgramSpec>& programs = step.job->programs;
    std::vector<ExposedTime> exposed(programs.size());
    result.classes.resize(programs.size());
    for (NodeIndex node = 0; node < step.graph.node_count(); ++node) {
        const std::uint32_t program = step.graph.rank(node);
        if (step.kind_of_node[node] == ProgramNode::compute) {
            result.classes[program].busy_ms += step.graph.ms()[node];
            exposed[program].add(ExposedTime::compute, times.start[node], times.end[node]);
        } else {
            exposed[program].add(ExposedTime::waiting, own_part_done(step.graph, times, node), times.start[node]);
            exposed[program].add(ExposedTime::transfer, times.start[node], times.end[node]);
        }
    }
    for (std::size_t i = 0; i < programs.size(); ++i) {
        exposed[i].into(result.classes[i]);
        result.ranks.push_back({programs[i].rank, 0, 0, static_cast<std::uint32_t>(i)});
    }
    std::sort(result.ranks.begin(), result.ranks.end(),
              [](const RankResult& a, const RankResult& b) { return a.rank < b.rank; });
}

/// Parts of a document that are of stages.
void note_parts_of_stages(const JobDocument& job, std::vector<std::string>& notes) {
    std::string names;
    const auto add = [&names](bool given, const char* name) {
        if (given) names.append(names.empty() ? "" : ", ").append(name);
    };
    add(job.transfer.has_value(), "transfer");
    add(job.replicas.has_value(), "replicas");
    add(job.mesh.has_value(), "mesh");
    add(job.routing.has_value(), "routing");
    add(!job.topology.empty(), "topology");
    add(job.variation && !job.variation->slow.empty(), "variation.slow");
    if (!names.empty()) notes.push_back(names.append(": of stages, so it changes nothing of programs"));
}

}  // namespace

void run_programs(JobEvaluation& evaluation, const std::stop_token& stop) {
    const JobDocument& job = *evaluation.job;
    const ProgramStep& step = evaluation.programs.emplace(program_step(job));
    evaluation.names = program_names(step);
    JobResult& result = evaluation.result;
    result.of_programs = true;
    note_parts_of_stages(job, result.notes);
    require_not_stopped(stop);
    StepOrder order = order_of_programs(step, &result.problems);
    evaluation.times = run_step(step.graph, order, stop);
    if (!order.all) {
        // Many ranks may stand before one collective, and its members are compared pair by pair.
        std::map<std::uint32_t, std::string> why_by_rendezvous;
        result.reached = reached(step.graph, order, evaluation.names, [&](NodeIndex node) {
            const auto [known, is_new] = why_by_rendezvous.try_emplace(step.graph.rendezvous_of(node));
            if (is_new) known->second = never_runs_text(step, order.done, node);
            return known->second;
        });
        const std::vector<JobProblem> found =
            deadlocks(step.graph, order, evaluation.names,
                      [&](std::uint32_t rendezvous) { return absent_ranks(step, step.meetings[rendezvous]); });
        // What waits behind a mismatch is no deadlock. Others of the same job may be.
        for (const JobProblem& deadlock : found)
            if (result.problems.empty() || !deadlock.cycle.empty() || !deadlock.missing.empty())
                result.problems.push_back(deadlock);
        evaluation.ended = std::move(order.done);
        return;
    }
    result.step_ms = evaluation.times.step_ms;
    add_figures(step, evaluation.times, result);
    result.critical_path = critical_path(step.graph, evaluation.times, evaluation.names);
    if (!asks_for_draws(job)) return;
    std::vector<double> compute_ms(step.graph.node_count(), 0);
    for (NodeIndex node = 0; node < step.graph.node_count(); ++node)
        if (step.kind_of_node[node] == ProgramNode::compute) compute_ms[node] = step.graph.ms()[node];
    result.spread = spread_of(drawn_steps(step.graph, order, compute_ms, *job.variation, stop));
}

}  // namespace overlap::job

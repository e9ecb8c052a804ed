#include "core/job/run_job.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/base/number_text.h"
#include "core/job/critical_path.h"
#include "core/job/job_evaluation.h"
#include "core/job/pipeline/held_activations.h"
#include "core/job/run_programs.h"
#include "core/job/step/deadlock.h"
#include "core/job/step/reached.h"
#include "core/job/step/stopped.h"
#include "core/job/variation.h"

namespace overlap::job {

namespace {

/// Draws for every rank: ranks that are alike on average are not in a draw.
StepSpread spread(const JobDocument& job, PipelineOptions options) {
    options.fold = false;
    const PipelineStep step = pipeline_step(job, options);
    std::vector<double> compute_ms(step.graph.node_count());
    for (NodeIndex node = 0; node < step.graph.node_count(); ++node)
        compute_ms[node] = step.piece_busy_ms(step.piece(node), step.class_of(node));
    return spread_of(drawn_steps(step.graph, order_of(step.graph, nullptr, options.stop), compute_ms, *job.variation,
                                 options.stop, &step.flows, step.network ? &*step.network : nullptr));
}

/// Shares may be counts of tokens. Of parts one may be missing, so that is said.
void note_sum_of_shares(const RoutingSpec& routing, std::vector<std::string>& notes) {
    constexpr double rounded = 1e-6;  // decimals that were written
    const double sum = std::accumulate(routing.share.begin(), routing.share.end(), 0.0);
    if (std::abs(sum - 1) > rounded)
        notes.push_back("routing.share adds up to " + number_text(sum) +
                        " and not to 1: each share is taken as its part of that sum");
}

/// What the document asks for and nothing comes of, and what is taken otherwise than it is written.
void add_notes(const JobDocument& job, const PipelineStep& step, std::vector<std::string>& notes) {
    if (job.routing) note_sum_of_shares(*job.routing, notes);
    if (!step.network && std::ranges::any_of(job.topology, &TopologyLevel::shared))
        notes.emplace_back("topology: neither messages nor collectives have bytes, so nothing shares its links");
    const auto communicates_within = [&](const Piece& piece) {
        if (piece.bytes >= 0 || piece.role == PieceRole::gradient_wait) return false;
        for (std::uint32_t part = piece.first_part; part < piece.first_part + piece.parts; ++part)
            if (step.parts[part].fixed_ms > 0) return true;
        return false;
    };
    if (step.network && std::ranges::any_of(step.pieces, communicates_within))
        notes.emplace_back(
            "topology: collectives that have times and no bytes, such as those within the graphs of stages, "
            "keep these times: they share no links with messages and with other pipelines");
}

void run_pipeline(JobEvaluation& evaluation, const PipelineOptions& options) {
    const JobDocument& job = *evaluation.job;
    const PipelineStep& step = evaluation.pipeline.emplace(pipeline_step(job, options));
    JobResult& result = evaluation.result;
    result.notes = step.schedule.notes;
    result.notes.insert(result.notes.end(), step.notes.begin(), step.notes.end());
    add_notes(job, step, result.notes);
    evaluation.names = pipeline_names(step);
    StepOrder order = order_of(step.graph, nullptr, options.stop);
    evaluation.times = run_step(step.graph, order, options.stop);
    if (!order.all) {
        result.problems = deadlocks(step.graph, order, evaluation.names, nullptr);
        result.reached = reached(step.graph, order, evaluation.names);
        evaluation.ended = std::move(order.done);
        return;
    }
    result.step_ms = evaluation.times.step_ms;
    result.classes = pipeline_figures(step, evaluation.times);
    require_not_stopped(options.stop);
    add_ranks(step, result);
    result.held = held_activations(step.schedule, step.held_bytes);
    result.critical_path = critical_path(step.graph, evaluation.times, evaluation.names);
    if (asks_for_draws(job)) result.spread = spread(job, options);
}

std::shared_ptr<JobEvaluation> evaluated(std::shared_ptr<const JobDocument> job, const PipelineOptions& options) {
    auto evaluation = std::make_shared<JobEvaluation>();
    evaluation->job = std::move(job);
    evaluation->job->has_programs ? run_programs(*evaluation, options.stop) : run_pipeline(*evaluation, options);
    return evaluation;
}

}  // namespace

std::shared_ptr<const JobEvaluation> evaluate_job(std::shared_ptr<const JobDocument> job,
                                                  const PipelineOptions& options) {
    return evaluated(std::move(job), options);
}

JobResult run_job(const JobDocument& job, const PipelineOptions& options) {
    // The document outlives what is made of it here.
    return std::move(evaluated(std::shared_ptr<const JobDocument>(std::shared_ptr<void>(), &job), options)->result);
}

}  // namespace overlap::job

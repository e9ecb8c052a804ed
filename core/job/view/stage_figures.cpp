#include "core/job/view/stage_figures.h"

#include <algorithm>

#include "core/base/error.h"

namespace overlap::job {

namespace {

/// The class of replicas with most tokens.
std::size_t busiest_class(const Replicas& replicas) {
    std::size_t busiest = 0;
    for (std::size_t of = 1; of < replicas.class_count(); ++of)
        if (replicas.routed(of) > replicas.routed(busiest)) busiest = of;
    return busiest;
}

/// Nothing where only the step tells what it takes.
std::optional<StageFigures> alone(const StageActions& actions) {
    StageFigures figures;
    const auto add = [&](ActionKind kind, double& ms) {
        for (const ActionPiece& piece : actions.of(kind)) {
            if (piece.routed || piece.bytes >= 0) return false;
            ms += piece.compute_ms + piece.fixed_ms;
            figures.exposed_ms += piece.fixed_ms;
        }
        return true;
    };
    const bool known =
        add(ActionKind::forward, figures.forward_ms) && add(ActionKind::full_backward, figures.backward_ms);
    return known ? std::optional(figures) : std::nullopt;
}

}  // namespace

std::vector<StageFigures> stage_figures(const JobEvaluation& evaluation) {
    if (!evaluation.pipeline) return {};
    const PipelineStep& step = *evaluation.pipeline;
    std::vector<StageFigures> figures(static_cast<std::size_t>(step.schedule.stages));
    const std::size_t busiest = busiest_class(*step.replicas);
    for (std::size_t number = 0; number < step.pieces.size(); ++number) {
        const Piece& piece = step.pieces[number];
        if (piece.role == PieceRole::gradient_sync || piece.role == PieceRole::gradient_wait) continue;
        const std::span<const Action> cell = step.schedule.lists[piece.rank][piece.cell];
        for (std::uint32_t i = 0; i < piece.parts; ++i) {
            const PiecePart& part = step.parts[piece.first_part + i];
            // Actions that run at once have a part each; else the part's stage tells which it is of.
            const auto action =
                piece.parts == cell.size() ? cell.begin() + i : std::ranges::find(cell, part.stage, &Action::stage);
            if (action == cell.end() || action->microbatch != 0) continue;
            StageFigures& of = figures[static_cast<std::size_t>(part.stage)];
            const double routed = part.routed ? step.replicas->routed(busiest) : 1;
            // What has bytes takes what the links made of them.
            const double exposed_ms =
                piece.bytes >= 0 ? step.graph.ms()[busiest * step.pieces.size() + number] : part.fixed_ms * routed;
            (action->kind == ActionKind::forward ? of.forward_ms : of.backward_ms) +=
                part.compute_ms * routed + exposed_ms;
            of.exposed_ms += exposed_ms;
        }
    }
    return figures;
}

std::vector<std::optional<StageFigures>> stage_figures(const JobDocument& job, const PipelineOptions& options) {
    std::vector<std::optional<StageFigures>> figures;
    for (std::size_t number = 0; !job.has_programs && number < job.stages.size(); ++number) {
        if (options.stop.stop_requested()) return {};
        std::optional<StageFigures>& of = figures.emplace_back();
        try {
            of = alone(stage_actions(job, number, options.evaluator));
        } catch (const InputError&) {
            // The refusal of the job tells it.
        }
    }
    return figures;
}

}  // namespace overlap::job

#include "core/job/view/stage_figures.h"

#include <algorithm>

namespace overlap::job {

std::vector<StageFigures> stage_figures(const JobEvaluation& evaluation) {
    if (!evaluation.pipeline) return {};
    const PipelineStep& step = *evaluation.pipeline;
    std::vector<StageFigures> figures(static_cast<std::size_t>(step.schedule.stages));
    for (const Piece& piece : step.pieces) {
        if (piece.role == PieceRole::gradient_sync || piece.role == PieceRole::gradient_wait) continue;
        const std::span<const Action> cell = step.schedule.lists[piece.rank][piece.cell];
        for (std::uint32_t i = 0; i < piece.parts; ++i) {
            const PiecePart& part = step.parts[piece.first_part + i];
            // Actions that run at once have a part each; else the part's stage tells which it is of.
            const auto action =
                piece.parts == cell.size() ? cell.begin() + i : std::ranges::find(cell, part.stage, &Action::stage);
            if (action == cell.end() || action->microbatch != 0) continue;
            StageFigures& of = figures[static_cast<std::size_t>(part.stage)];
            (action->kind == ActionKind::forward ? of.forward_ms : of.backward_ms) += part.compute_ms + part.fixed_ms;
            of.exposed_ms += part.fixed_ms;
        }
    }
    return figures;
}

}  // namespace overlap::job

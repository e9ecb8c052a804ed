#include <algorithm>

#include "core/job/pipeline/pipeline_step.h"
#include "core/job/pipeline/standstill.h"

namespace overlap::job {

namespace {

/// Walks over what one rank does and splits the time in which it stands still.
class RankWalk {
  public:
    RankWalk(const PipelineStep& step, const StepTimes& times) : step_(step), times_(times) {}

    RankFigures walk(std::size_t of_class, std::uint32_t first, std::uint32_t last) {
        const NodeIndex base = static_cast<NodeIndex>(of_class * step_.pieces.size());
        RankFigures figures, pending;
        double before = 0;
        for (std::uint32_t i = first; i < last; ++i) {
            const NodeIndex node = base + i;
            const Piece& piece = step_.pieces[i];
            const Standstill gap = standstill_before(step_, times_, node, before);
            pending.waiting_for_peers_ms += gap.waiting_ms();
            pending.transfer_exposed_ms += gap.transfer_ms();
            before = times_.end[node];
            // What a rank waits for after its last cell is the end of the step, and no gap.
            if (piece.role == PieceRole::gradient_wait) continue;
            figures.waiting_for_peers_ms += pending.waiting_for_peers_ms;
            figures.transfer_exposed_ms += pending.transfer_exposed_ms;
            pending = {};
            const double busy = step_.piece_busy_ms(piece, of_class);
            figures.busy_ms += busy;
            figures.waiting_for_peers_ms += times_.start[node] - times_.issued[node];
            if (piece.role == PieceRole::collective) {
                figures.transfer_exposed_ms += times_.end[node] - times_.start[node];
            } else {
                figures.transfer_exposed_ms += step_.piece_exposed_ms(piece, of_class);
            }
        }
        return figures;
    }

  private:
    const PipelineStep& step_;
    const StepTimes& times_;
};

}  // namespace

std::vector<RankFigures> pipeline_figures(const PipelineStep& step, const StepTimes& times) {
    std::vector<RankFigures> figures;
    figures.reserve(step.replicas->class_count() * static_cast<std::size_t>(step.ranks()));
    RankWalk walk(step, times);
    for (std::size_t of = 0; of < step.replicas->class_count(); ++of)
        for (std::size_t rank = 0; rank + 1 < step.row_begin.size(); ++rank)
            figures.push_back(walk.walk(of, step.row_begin[rank], step.row_begin[rank + 1]));
    return figures;
}

void add_ranks(const PipelineStep& step, JobResult& result) {
    result.stages_of.resize(static_cast<std::size_t>(step.ranks()));
    for (std::int32_t stage = 0; stage < step.schedule.stages; ++stage) {
        const std::int32_t rank = step.schedule.rank_of_stage[static_cast<std::size_t>(stage)];
        result.stages_of[static_cast<std::size_t>(rank)].push_back(stage);
    }
    const std::int32_t ranks = step.ranks();
    result.ranks.resize(static_cast<std::size_t>(step.replicas->count() * ranks));
    for (std::int64_t replica = 0; replica < step.replicas->count(); ++replica) {
        for (std::int32_t rank = 0; rank < ranks; ++rank) {
            const std::int64_t number = step.replicas->rank_of(replica, rank);
            result.ranks[static_cast<std::size_t>(number)] = {
                number, rank, static_cast<std::int32_t>(replica),
                step.replicas->class_of(replica) * static_cast<std::uint32_t>(ranks) +
                    static_cast<std::uint32_t>(rank)};
        }
    }
}

NodeNames pipeline_names(const PipelineStep& step) {
    const auto cell = [&step](NodeIndex node) {
        const Piece& piece = step.piece(node);
        return step.schedule.lists[piece.rank][piece.cell];
    };
    NodeNames names;
    names.rank = [&step](NodeIndex node) {
        return step.replicas->rank_of(step.replicas->representative(step.class_of(node)),
                                      static_cast<std::int32_t>(step.piece(node).rank));
    };
    names.op = [&step, cell](NodeIndex node) {
        const Piece& piece = step.piece(node);
        if (piece.role == PieceRole::gradient_sync)
            return action_text({static_cast<std::int32_t>(piece.cell), no_microbatch, ActionKind::reduce_grad});
        return cell_text(cell(node));
    };
    // A cell that overlaps two actions may wait for a message to each: in the order of the actions.
    names.message = [cell](NodeIndex on, NodeIndex node, std::size_t which) {
        for (const Action& to : cell(node)) {
            for (const Action& from : cell(on)) {
                if (from.microbatch != to.microbatch) continue;
                const bool forward = from.kind == ActionKind::forward && to.kind == ActionKind::forward;
                if (forward && from.stage + 1 == to.stage && which-- == 0)
                    return action_text({from.stage, from.microbatch, ActionKind::send_f});
                const bool backward = from.kind != ActionKind::forward && to.kind != ActionKind::forward;
                if (backward && from.stage == to.stage + 1 && which-- == 0)
                    return action_text({from.stage, from.microbatch, ActionKind::send_b});
            }
        }
        return cell_text(cell(on));
    };
    return names;
}

}  // namespace overlap::job

#include "core/job/view/standstills.h"

#include <algorithm>

#include "core/job/pipeline/standstill.h"
#include "core/job/view/rank_rows.h"

namespace overlap::job {

namespace {

using Kind = StandstillSpan::Kind;

class Spans {
  public:
    explicit Spans(const JobEvaluation& evaluation) : evaluation_(evaluation), times_(evaluation.times) {}

    std::vector<std::vector<StandstillSpan>> of_pipeline() {
        const PipelineStep& step = *evaluation_.pipeline;
        for (std::size_t of = 0; of < step.replicas->class_count(); ++of) {
            const auto base = static_cast<NodeIndex>(of * step.pieces.size());
            for (std::size_t rank = 0; rank + 1 < step.row_begin.size(); ++rank)
                add_row(base + step.row_begin[rank], base + step.row_begin[rank + 1], of);
        }
        return std::move(rows_);
    }

    std::vector<std::vector<StandstillSpan>> of_programs() {
        const ProgramStep& step = *evaluation_.programs;
        rows_.resize(step.job->programs.size());
        for (NodeIndex node = 0; node < step.graph.node_count(); ++node) {
            row_ = step.graph.rank(node);
            if (!evaluation_.has_ended(node)) {
                if (is_issued(node)) add_stuck(node, own_part_done(step.graph, times_, node));
                continue;
            }
            if (step.kind_of_node[node] != ProgramNode::communication) continue;
            add_meeting(node, own_part_done(step.graph, times_, node));
        }
        for (std::vector<StandstillSpan>& row : rows_)
            std::ranges::stable_sort(row, {}, [](const StandstillSpan& span) { return span.begin_ms; });
        return std::move(rows_);
    }

  private:
    void add(Kind kind, double begin_ms, double end_ms, NodeIndex node, std::optional<NodeIndex> on) {
        if (end_ms > begin_ms) rows_[row_].push_back({kind, begin_ms, end_ms, node, on});
    }

    /// From when a rank came to a node until all members had.
    void add_meeting(NodeIndex node, double from_ms) {
        const NodeIndex last = last_arrived(evaluation_.graph(), times_, node);
        add(Kind::waiting, from_ms, times_.start[node], node, last == node ? std::nullopt : std::optional(last));
    }

    /// Whether nothing of its own rank is before it any more.
    bool is_issued(NodeIndex node) const {
        const StepGraph& graph = evaluation_.graph();
        for (std::uint32_t i = graph.first_dependency(node); i < graph.first_dependency(node + 1); ++i)
            if (graph.rank(graph.on()[i]) == graph.rank(node) && !evaluation_.has_ended(graph.on()[i])) return false;
        return true;
    }

    bool has_come(NodeIndex node) const {
        const StepGraph& graph = evaluation_.graph();
        for (std::uint32_t i = graph.first_dependency(node); i < graph.first_dependency(node + 1); ++i)
            if (!evaluation_.has_ended(graph.on()[i])) return false;
        return true;
    }

    /// What a node that never starts waits for: what is before it, else a member of its meeting.
    std::optional<NodeIndex> awaited(NodeIndex node) const {
        const StepGraph& graph = evaluation_.graph();
        for (std::uint32_t i = graph.first_dependency(node); i < graph.first_dependency(node + 1); ++i)
            if (!evaluation_.has_ended(graph.on()[i])) return graph.on()[i];
        const std::uint32_t rendezvous = graph.rendezvous_of(node);
        if (rendezvous == no_rendezvous) return std::nullopt;
        for (const NodeIndex member : graph.members(rendezvous))
            if (member != node && !has_come(member)) return member;
        return std::nullopt;
    }

    void add_stuck(NodeIndex node, double from_ms) {
        add(Kind::stuck, from_ms, end_of_picture_ms(evaluation_), node, awaited(node));
    }

    void add_row(NodeIndex first, NodeIndex last, std::size_t of_class) {
        const PipelineStep& step = *evaluation_.pipeline;
        row_ = rows_.size();
        rows_.emplace_back();
        double before_ms = 0;
        // The last that is more than waiting for gradients, and spans up to it.
        NodeIndex last_action = first;
        std::size_t in_actions = 0;
        for (NodeIndex node = first; node < last; ++node) {
            if (!evaluation_.has_ended(node)) return add_stuck(node, before_ms);
            const Standstill gap = standstill_before(step, times_, node, before_ms);
            add(Kind::waiting, gap.begin_ms, gap.waited_ms, node, gap.on);
            add(Kind::transfer, gap.waited_ms, gap.end_ms, node, gap.on);
            add_meeting(node, times_.issued[node]);
            before_ms = times_.end[node];
            const Piece& piece = step.piece(node);
            if (piece.role == PieceRole::gradient_wait) continue;
            if (piece.role == PieceRole::collective)
                add(Kind::transfer, times_.start[node], before_ms, node, node);
            else
                add(Kind::within, before_ms - step.piece_exposed_ms(piece, of_class), before_ms, node, std::nullopt);
            last_action = node;
            in_actions = rows_[row_].size();
        }
        if (last > first) add(Kind::after, before_ms, end_of_picture_ms(evaluation_), last_action, std::nullopt);
        for (std::size_t i = in_actions; i < rows_[row_].size(); ++i) {
            rows_[row_][i].kind = Kind::after;
            rows_[row_][i].node = last_action;
        }
    }

    const JobEvaluation& evaluation_;
    const StepTimes& times_;
    std::vector<std::vector<StandstillSpan>> rows_;
    std::size_t row_ = 0;
};

}  // namespace

double end_of_picture_ms(const JobEvaluation& evaluation) {
    constexpr double share_of_standstill = 0.2, least_standstill_ms = 1;
    const double step_ms = evaluation.times.step_ms;
    if (evaluation.ended.empty()) return step_ms;
    return step_ms + (step_ms > 0 ? share_of_standstill * step_ms : least_standstill_ms);
}

std::vector<std::vector<StandstillSpan>> standstills(const JobEvaluation& evaluation) {
    Spans spans(evaluation);
    return evaluation.pipeline ? spans.of_pipeline() : spans.of_programs();
}

std::string never_comes_text(const JobEvaluation& evaluation, const StandstillSpan& span) {
    // Of stages somebody has everything that a schedule asks for, and nobody disagrees.
    if (!evaluation.programs || span.kind != Kind::stuck || span.on) return {};
    return never_runs_text(*evaluation.programs, evaluation.ended, span.node);
}

std::string standstill_text(const JobEvaluation& evaluation, const StandstillSpan& span) {
    const NodeNames& names = evaluation.names;
    const auto who = [&](NodeIndex node) { return names.op(node) + " of rank " + std::to_string(names.rank(node)); };
    switch (span.kind) {
        case Kind::stuck: {
            if (span.on) return "waits for ever for " + who(*span.on);
            const std::string why = never_comes_text(evaluation, span);
            return ("waits for ever before " + names.op(span.node)).append(why.empty() ? "" : ", where ").append(why);
        }
        case Kind::after:
            return span.on ? "nothing left but to wait for " + who(*span.on) : "nothing left to do";
        case Kind::within:
            return "communication that is exposed within " + names.op(span.node);
        case Kind::waiting:
            return span.on ? "waits for " + who(*span.on) : "waits before " + names.op(span.node);
        case Kind::transfer:
            if (!span.on || *span.on == span.node) return "collective of " + names.op(span.node);
            return "what " + who(*span.on) + " sends is on its way";
    }
    return {};
}

}  // namespace overlap::job

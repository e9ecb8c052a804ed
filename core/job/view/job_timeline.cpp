#include "core/job/view/job_timeline.h"

#include <algorithm>
#include <map>

#include "core/base/number_text.h"
#include "core/job/view/measured_lanes.h"
#include "core/timeline/timeline_builder.h"

namespace overlap::job {

namespace {

class Drawing {
  public:
    explicit Drawing(const JobPicture& picture)
        : picture_(picture), evaluation_(*picture.evaluation), times_(evaluation_.times) {
        if (picture.measured) measured_.emplace(*picture.measured, picture.first_measured());
    }

    std::shared_ptr<const Timeline> run() {
        evaluation_.pipeline ? add_pipeline() : add_programs();
        builder_.include({0, nanoseconds(end_of_picture_ms(evaluation_))});
        if (picture_.measured)
            builder_.include({0, picture_.measured->begin_ns + picture_.measured->measured->length_ns});
        return builder_.finish();
    }

  private:
    void add(std::uint32_t lane, NodeIndex node, EventRole role, double exposed_ms) {
        if (!evaluation_.has_ended(node)) return;
        TimelineEvent event;
        event.time = {nanoseconds(times_.start[node]), nanoseconds(times_.end[node])};
        if (event.time.length_ns() <= 0) return;
        event.name = builder_.intern(evaluation_.names.op(node));
        event.role = role;
        event.reference = node;
        event.exposed_ns = std::min(nanoseconds(exposed_ms), event.time.length_ns());
        builder_.add(lane, event);
    }

    void add_standstills(std::uint32_t lane, std::size_t row) {
        for (const StandstillSpan& span : picture_.standstills[row]) add_standstill(lane, span);
    }

    void add_standstill(std::uint32_t lane, const StandstillSpan& span) {
        // What is exposed within an action is its own hatched end.
        if (span.kind == StandstillSpan::Kind::within) return;
        TimelineEvent event;
        event.time = {nanoseconds(span.begin_ms), nanoseconds(span.end_ms)};
        if (event.time.length_ns() <= 0) return;
        event.name = builder_.intern(standstill_text(evaluation_, span));
        event.role = span.kind == StandstillSpan::Kind::transfer ? EventRole::exposed : EventRole::idle;
        event.reference = picture_.reference_of(span);
        // Hatched as a whole, and found by its length; what is left after the last action is neither.
        const bool waits = span.kind == StandstillSpan::Kind::waiting || span.kind == StandstillSpan::Kind::stuck;
        if (waits) event.exposed_ns = event.time.length_ns();
        event.open_end = span.kind == StandstillSpan::Kind::stuck;
        builder_.add(lane, event);
    }

    void add_pipeline() {
        const PipelineStep& step = *evaluation_.pipeline;
        std::map<std::uint32_t, std::vector<std::uint32_t>> syncs;  // of each pipeline rank: pieces
        for (std::uint32_t piece = step.row_begin.back(); piece < step.pieces.size(); ++piece)
            syncs[step.pieces[piece].rank].push_back(piece);
        for (std::size_t row = 0; row < picture_.rows.size(); ++row) {
            const RankRow& of = picture_.rows[row];
            const auto base = static_cast<NodeIndex>(of.of_class * step.pieces.size());
            const auto rank = static_cast<std::size_t>(of.pipeline_rank);
            const std::uint32_t lane =
                builder_.add_lane({of.title, of.subtitle, LaneKind::compute, EventRole::compute});
            add_standstills(lane, row);
            if (measured_) measured_->add_compute(builder_, row);
            std::map<std::string, std::uint32_t> collectives;
            for (std::uint32_t piece = step.row_begin[rank]; piece < step.row_begin[rank + 1]; ++piece)
                add_piece(lane, base + piece, of, collectives);
            if (const auto found = syncs.find(static_cast<std::uint32_t>(rank)); found != syncs.end()) {
                const std::uint32_t gradients =
                    builder_.add_lane({"Gradients", of.title, LaneKind::process_group, EventRole::unbucketed});
                for (const std::uint32_t piece : found->second) add(gradients, base + piece, EventRole::unbucketed, 0);
            }
            if (measured_) measured_->add_communication(builder_, row);
        }
    }

    void add_piece(std::uint32_t lane, NodeIndex node, const RankRow& row,
                   std::map<std::string, std::uint32_t>& collectives) {
        const PipelineStep& step = *evaluation_.pipeline;
        const Piece& piece = step.piece(node);
        if (piece.role == PieceRole::gradient_wait) return;
        if (piece.role == PieceRole::collective) {
            const std::string kind = step.collective_of(piece);
            const auto [found, first] = collectives.emplace(kind, 0);
            if (first)
                found->second = builder_.add_lane({kind, row.title, LaneKind::process_group, EventRole::unbucketed});
            return add(found->second, node, EventRole::unbucketed, times_.end[node] - times_.start[node]);
        }
        const NodeAction action = action_of(step, node);
        const auto hue = static_cast<std::uint32_t>(std::max(0, action.microbatch));
        const EventRole role = action.microbatch < 0 ? EventRole::compute
                               : action.forward      ? bucket_role(hue)
                                                     : deep_bucket_role(hue);
        add(lane, node, role, step.piece_exposed_ms(piece, row.of_class));
    }

    void add_programs() {
        const ProgramStep& step = *evaluation_.programs;
        std::vector<std::map<std::string, std::uint32_t>> lanes(picture_.rows.size());
        for (const RankRow& row : picture_.rows) {
            std::map<std::string, std::uint32_t>& of = lanes[row.of_class];
            for (const OpSpec& op : step.job->programs[row.of_class].ops) {
                const auto [found, first] = of.emplace(op.stream, 0);
                const bool main = of.size() == 1;
                if (first)
                    found->second =
                        builder_.add_lane({row.title, op.stream, main ? LaneKind::compute : LaneKind::process_group,
                                           main ? EventRole::compute : EventRole::unbucketed});
            }
            if (!measured_) continue;
            measured_->add_compute(builder_, row.of_class);
            measured_->add_communication(builder_, row.of_class);
        }
        bool in_batch = false;
        std::uint32_t lane = 0;
        for (NodeIndex node = 0; node < step.graph.node_count(); ++node) {
            const OpSpec& op = *step.op_of_node[node];
            // Operations of a batch come between its two nodes, and are on its stream.
            if (!in_batch) lane = lanes[step.graph.rank(node)].at(op.stream);
            if (op.kind == OpSpec::Kind::batch) {
                in_batch = step.kind_of_node[node] == ProgramNode::issue;
                continue;
            }
            const bool computes = step.kind_of_node[node] == ProgramNode::compute;
            add(lane, node, computes ? EventRole::compute : EventRole::unbucketed, 0);
            lane_of_node_[node] = lane;
        }
        for (const std::vector<StandstillSpan>& row : picture_.standstills) {
            for (const StandstillSpan& span : row) {
                const auto place = lane_of_node_.find(span.node);
                if (place != lane_of_node_.end()) add_standstill(place->second, span);
            }
        }
    }

    const JobPicture& picture_;
    const JobEvaluation& evaluation_;
    const StepTimes& times_;
    std::map<NodeIndex, std::uint32_t> lane_of_node_;
    std::optional<MeasuredLanes> measured_;
    TimelineBuilder builder_;
};

}  // namespace

NodeAction action_of(const PipelineStep& step, NodeIndex node) {
    const Piece& piece = step.piece(node);
    if (piece.role == PieceRole::gradient_sync) return {static_cast<std::int32_t>(piece.cell), no_microbatch, false};
    const Action& action = step.schedule.lists[piece.rank][piece.cell].front();
    const bool computes = is_compute(action.kind);
    return {action.stage, computes ? action.microbatch : no_microbatch, action.kind == ActionKind::forward};
}

std::uint32_t JobPicture::reference_of(const StandstillSpan& span) const {
    switch (span.kind) {
        case StandstillSpan::Kind::within:
            return span.node;
        case StandstillSpan::Kind::after:
            return after_reference(span.node);
        default:
            return standstill_reference(span.node);
    }
}

std::uint32_t JobPicture::seen_at(NodeIndex node) const {
    if (evaluation->has_ended(node)) return node;
    std::uint32_t first = no_reference;
    for (const StandstillSpan& span : standstills[row_of(*evaluation, node)]) {
        if (span.kind != StandstillSpan::Kind::stuck) continue;
        if (span.node == node) return reference_of(span);
        if (first == no_reference) first = reference_of(span);
    }
    return first;
}

std::vector<StandstillSpan> JobPicture::spans_at(std::uint32_t reference) const {
    std::vector<StandstillSpan> found;
    const NodeIndex node = node_of(reference);
    for (const StandstillSpan& span : standstills[row_of(*evaluation, node)]) {
        if (span.node != node || span.kind == StandstillSpan::Kind::within) continue;
        if ((span.kind == StandstillSpan::Kind::after) == is_after(reference)) found.push_back(span);
    }
    return found;
}

std::shared_ptr<const JobPicture> job_picture(std::shared_ptr<const JobEvaluation> evaluation,
                                              std::shared_ptr<const MeasuredJob> measured) {
    auto picture = std::make_shared<JobPicture>();
    picture->evaluation = std::move(evaluation);
    picture->rows = rank_rows(*picture->evaluation);
    picture->standstills = standstills(*picture->evaluation);
    if (measured && picture->evaluation->result.step_ms)
        picture->measured =
            std::make_shared<const MeasuredOverJob>(measured_over_job(*picture->evaluation, std::move(measured)));
    picture->timeline = Drawing(*picture).run();
    return picture;
}

}  // namespace overlap::job

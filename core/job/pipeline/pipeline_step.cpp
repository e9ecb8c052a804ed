#include "core/job/pipeline/pipeline_step.h"

#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/base/grouped_number.h"
#include "core/base/wording.h"
#include "core/job/pipeline/pipeline_flows.h"
#include "core/job/pipeline/topology.h"
#include "core/job/step/stopped.h"

namespace overlap::job {

namespace {

/// Nodes that a step may have: some 10 GB.
constexpr std::size_t most_nodes = 100'000'000;
constexpr std::uint32_t none = 0xffffffffu;

/// `x.plan.json (stages 0 and 1): caution: …`, each note once.
std::vector<std::string> note_texts(const std::vector<StageActions>& stages) {
    std::vector<std::pair<StageNote, std::vector<std::string>>> found;
    for (std::size_t stage = 0; stage < stages.size(); ++stage) {
        for (const StageNote& note : stages[stage].notes) {
            auto same = std::ranges::find(found, note, &std::pair<StageNote, std::vector<std::string>>::first);
            if (same == found.end()) same = found.insert(same, {note, {}});
            const std::string number = std::to_string(stage);
            if (same->second.empty() || same->second.back() != number) same->second.push_back(number);
        }
    }
    std::vector<std::string> texts;
    for (const auto& [note, numbers] : found)
        texts.push_back(note.file + (numbers.size() == 1 ? " (stage " : " (stages ") + listed(numbers) +
                        "): " + note.text);
    return texts;
}

class Builder {
  public:
    Builder(const JobDocument& job, const PipelineOptions& options) : job_(job), options_(options) {}

    PipelineStep build() {
        step_.schedule = job_schedule(job_, options_.folder);
        step_.overlap = job_.schedule.overlap.value_or(OverlapRule());
        step_.replicas = std::make_unique<Replicas>(job_, step_.ranks(), step_.schedule.rank_of_stage);
        read_stages();
        step_.notes = note_texts(stages_);
        for (const StageActions& stage : stages_) step_.held_bytes.push_back(stage.held_bytes);
        const std::size_t pairs =
            static_cast<std::size_t>(step_.schedule.stages) * static_cast<std::size_t>(step_.schedule.microbatches);
        forward_end_.assign(pairs, none);
        backward_end_.assign(pairs, none);
        for (rank_ = 0; rank_ < step_.schedule.lists.size(); ++rank_) add_row();
        step_.row_begin.push_back(static_cast<std::uint32_t>(step_.pieces.size()));
        for (const Cell& cell : cells_) add_messages(cell);
        add_gradient_syncs();
        check_topology();
        const bool flows = has_flows();
        step_.replicas->classify(options_.fold && !flows, placement());
        if (flows) {
            step_.network.emplace(job_.topology, step_.replicas->count() * step_.ranks());
            flows_.emplace(job_, step_);
        }
        replicate();
        if (!flows) return std::move(step_);
        FlowTimes times = run_flows(step_.graph, *step_.network, step_.flows, step_.graph.ms(), step_.graph.delay_ms());
        step_.graph.set_times(std::move(times.ms), std::move(times.delay_ms));
        return std::move(step_);
    }

  private:
    struct Cell {
        std::uint32_t rank, cell, first_piece, last_piece;
    };
    struct Sync {
        std::int32_t stage;
        std::uint32_t rank;
        std::uint32_t on;                  ///< piece after which it is issued, or `none`
        std::vector<std::uint32_t> waits;  ///< pieces that await it
    };

    std::span<const Action> actions(const Cell& cell) const { return step_.schedule.lists[cell.rank][cell.cell]; }
    std::size_t pair(const Action& action) const {
        return static_cast<std::size_t>(action.stage) * static_cast<std::size_t>(step_.schedule.microbatches) +
               static_cast<std::size_t>(action.microbatch);
    }
    static std::string place(std::size_t stage) { return stage_place(stage); }

    void read_stages() {
        std::vector<std::array<bool, action_kind_count>> runs(job_.stages.size());
        for (const ActionRow& row : step_.schedule.lists)
            for (const Action& action : row.actions())
                runs[static_cast<std::size_t>(action.stage)][static_cast<std::size_t>(action.kind)] = true;
        for (std::size_t i = 0; i < job_.stages.size(); ++i) {
            require_not_stopped(options_.stop);
            stages_.push_back(stage_actions(job_, i, options_.evaluator));
            for (std::size_t kind = 0; kind < action_kind_count; ++kind)
                if (runs[i][kind]) require_action(stages_[i], job_.stages[i], static_cast<ActionKind>(kind), place(i));
            std::vector<std::int32_t>& kinds = kinds_.emplace_back();
            first_collective_.push_back(static_cast<std::int32_t>(step_.collectives.size()));
            for (const auto& [dim, name] : stages_[i].collectives) {
                step_.collectives.push_back(name);
                kinds.push_back(static_cast<std::int32_t>(step_.replicas->kind_over(dim, place(i) + ".segments")));
            }
        }
    }

    bool has_sync(std::int32_t stage) const {
        const StageSpec& of = job_.stages[static_cast<std::size_t>(stage)];
        return of.gradient_sync_ms || of.gradient_sync_bytes;
    }

    std::uint32_t add_piece(Piece piece) {
        piece.rank = static_cast<std::uint32_t>(rank_);
        const std::uint32_t index = static_cast<std::uint32_t>(step_.pieces.size());
        if (before_ != none) waits_.push_back({index, before_, PieceWait::Message::none});
        step_.pieces.push_back(piece);
        before_ = index;
        return index;
    }

    void add_part(const Action& action, const ActionPiece& piece) {
        step_.parts.push_back({action.stage, piece.compute_ms, piece.fixed_ms, piece.routed});
    }

    void add_row() {
        step_.row_begin.push_back(static_cast<std::uint32_t>(step_.pieces.size()));
        before_ = none;
        row_syncs_begin_ = syncs_.size();
        const ActionRow& row = step_.schedule.lists[rank_];
        for (std::size_t cell = 0; cell < row.size(); ++cell)
            add_cell_pieces(static_cast<std::uint32_t>(cell), row[cell]);
    }

    void add_cell_pieces(std::uint32_t cell, std::span<const Action> together) {
        if (together.empty()) return;
        const std::uint32_t first = static_cast<std::uint32_t>(step_.pieces.size());
        if (together.size() > 1) {
            add_overlapped(cell, together);
        } else if (!add_gradient_cell(cell, together.front())) {
            add_one_after_another(cell, together);
        }
        const std::uint32_t last = static_cast<std::uint32_t>(step_.pieces.size());
        if (last == first) return;
        for (const Action& action : together) {
            if (action.kind == ActionKind::forward)
                forward_end_[pair(action)] = last - 1;
            else if (action.kind == ActionKind::backward_input || action.kind == ActionKind::full_backward)
                backward_end_[pair(action)] = last - 1;
            if (action.kind == ActionKind::full_backward || action.kind == ActionKind::backward_weight)
                issue_sync(action.stage, last - 1, false);
        }
        cells_.push_back({static_cast<std::uint32_t>(rank_), cell, first, last - 1});
    }

    const StageActions& stage(const Action& action) const { return stages_[static_cast<std::size_t>(action.stage)]; }

    /// Compute pieces of an action that follow one another stay apart only where a collective is between them.
    void add_one_after_another(std::uint32_t cell, std::span<const Action> together) {
        for (const Action& action : together) {
            const std::span<const ActionPiece> pieces = stage(action).of(action.kind);
            for (const ActionPiece& piece : pieces) {
                const std::uint32_t part = static_cast<std::uint32_t>(step_.parts.size());
                add_part(action, piece);
                const std::size_t of = static_cast<std::size_t>(action.stage);
                Piece added{0, cell, PieceRole::action, -1, part, 1, -1};
                if (piece.collective >= 0) {
                    added.role = PieceRole::collective;
                    added.group_kind = kinds_[of][static_cast<std::size_t>(piece.collective)];
                    added.collective = first_collective_[of] + piece.collective;
                    added.bytes = piece.bytes;
                }
                add_piece(added);
            }
            // A compute action without segments still passes its result on.
            if (pieces.empty() && is_compute(action.kind)) add_piece({0, cell, PieceRole::action, -1, 0, 0, -1});
        }
    }

    void add_overlapped(std::uint32_t cell, std::span<const Action> together) {
        bool apart = false;
        for (const Action& action : together)
            for (const ActionPiece& piece : stage(action).of(action.kind))
                apart |= piece.collective >= 0 || piece.routed;
        if (apart) {
            if (step_.overlap.kind != OverlapRule::Kind::sum)
                throw InputError("schedule.overlap", cell_text(together) +
                                                         " has segments with collectives or experts, which run one "
                                                         "after the other; expected \"sum\"");
            return add_one_after_another(cell, together);
        }
        const std::uint32_t first = static_cast<std::uint32_t>(step_.parts.size());
        for (const Action& action : together) {
            ActionPiece whole;
            for (const ActionPiece& piece : stage(action).of(action.kind)) {
                whole.compute_ms += piece.compute_ms;
                whole.fixed_ms += piece.fixed_ms;
            }
            add_part(action, whole);
        }
        add_piece({0, cell, PieceRole::action, -1, first, static_cast<std::uint32_t>(together.size()), -1});
    }

    /// REDUCE_GRAD and WAIT_REDUCE_GRAD of a stage whose gradients are reduced. @returns whether it was one.
    bool add_gradient_cell(std::uint32_t cell, const Action& action) {
        if (!has_sync(action.stage)) return false;
        if (action.kind == ActionKind::reduce_grad) {
            issue_sync(action.stage, before_, true);
            return true;
        }
        if (action.kind != ActionKind::wait_reduce_grad) return false;
        waits_for_sync_.emplace_back(action.stage, add_piece({0, cell, PieceRole::gradient_wait, -1, 0, 0, -1}));
        return true;
    }

    /// The collective is issued by its REDUCE_GRAD; by the stage's last backward where the list has none.
    void issue_sync(std::int32_t stage, std::uint32_t on, bool by_cell) {
        if (!has_sync(stage)) return;
        if (reduce_cell_.empty()) reduce_cell_.assign(job_.stages.size(), 0);
        std::uint8_t& seen = reduce_cell_[static_cast<std::size_t>(stage)];
        if (by_cell && seen)
            throw InputError("schedule", std::to_string(stage) +
                                             "REDUCE_GRAD is there twice, and the stage's gradients "
                                             "are reduced once");
        if (seen) return;
        seen = by_cell;
        // A later one of the rank's list takes the place of an earlier.
        for (std::size_t i = row_syncs_begin_; i < syncs_.size(); ++i) {
            if (syncs_[i].stage != stage) continue;
            syncs_.erase(syncs_.begin() + static_cast<std::ptrdiff_t>(i));
            break;
        }
        syncs_.push_back({stage, static_cast<std::uint32_t>(rank_), on, {}});
    }

    void add_messages(const Cell& cell) {
        for (const Action& action : actions(cell)) {
            if (action.kind == ActionKind::forward) {
                if (action.stage > 0) add_message(cell, action, -1, forward_end_, PieceWait::Message::activation);
            } else if (action.kind == ActionKind::backward_input || action.kind == ActionKind::full_backward) {
                if (action.stage + 1 < step_.schedule.stages)
                    add_message(cell, action, 1, backward_end_, PieceWait::Message::gradient);
                // The list has the forward before; in the same cell it would have to end before it starts.
                if (forward_end_[pair(action)] == cell.last_piece)
                    waits_.push_back({cell.first_piece, cell.last_piece, PieceWait::Message::none});
            }
        }
    }

    void add_message(const Cell& cell, const Action& action, std::int32_t step, const std::vector<std::uint32_t>& ends,
                     PieceWait::Message message) {
        Action from = action;
        from.stage += step;
        const std::uint32_t on = ends[pair(from)];
        const bool moves = step_.pieces[on].rank != cell.rank;
        waits_.push_back({cell.first_piece, on, moves ? message : PieceWait::Message::none});
    }

    void add_gradient_syncs() {
        if (syncs_.empty()) return;
        const std::int32_t kind = static_cast<std::int32_t>(step_.replicas->gradient_kind());
        std::vector<std::uint32_t> sync_of_stage(job_.stages.size(), none);
        std::uint32_t before = none, rank = none;
        for (const Sync& sync : syncs_) {
            const std::uint32_t index = static_cast<std::uint32_t>(step_.pieces.size());
            const std::uint32_t part = static_cast<std::uint32_t>(step_.parts.size());
            const StageSpec& stage = job_.stages[static_cast<std::size_t>(sync.stage)];
            step_.parts.push_back({sync.stage, 0, stage.gradient_sync_ms.value_or(0), false});
            step_.pieces.push_back({sync.rank, static_cast<std::uint32_t>(sync.stage), PieceRole::gradient_sync, kind,
                                    part, 1, -1, stage.gradient_sync_bytes.value_or(-1)});
            if (sync.on != none) waits_.push_back({index, sync.on, PieceWait::Message::none});
            if (rank == sync.rank) waits_.push_back({index, before, PieceWait::Message::none});
            before = index;
            rank = sync.rank;
            sync_of_stage[static_cast<std::size_t>(sync.stage)] = index;
        }
        for (const auto& [stage, piece] : waits_for_sync_) {
            const std::uint32_t sync = sync_of_stage[static_cast<std::size_t>(stage)];
            if (sync != none) waits_.push_back({piece, sync, PieceWait::Message::none});
        }
    }

    bool by_topology() const {
        return job_.transfer && (job_.transfer->activation_bytes || job_.transfer->gradient_bytes);
    }
    bool has_collective_bytes() const {
        return std::ranges::any_of(step_.pieces, [](const Piece& piece) { return piece.bytes >= 0; });
    }
    /// Messages alone have their time by the level that they cross, where it is not shared.
    bool has_flows() const {
        return has_collective_bytes() || (by_topology() && std::ranges::any_of(job_.topology, &TopologyLevel::shared));
    }

    void check_topology() const {
        if (job_.topology.empty() && by_topology())
            throw InputError("transfer",
                             "activation_bytes and gradient_bytes need a topology that says how fast they move");
        if (job_.topology.empty() && has_collective_bytes())
            throw InputError("stages", "bytes of collectives need a topology that says how fast they move");
        check_algorithms(job_);
        check_links(job_, step_.replicas->count() * step_.ranks());
    }

    /// Which levels a replica's messages cross: replicas that differ in that are not alike.
    std::function<std::vector<std::uint32_t>(std::int64_t)> placement() const {
        if (!by_topology()) return nullptr;
        return [this](std::int64_t replica) {
            std::vector<std::uint32_t> levels;
            for (std::int32_t stage = 0; stage + 1 < step_.schedule.stages; ++stage)
                levels.push_back(static_cast<std::uint32_t>(level(replica, stage)));
            return levels;
        };
    }
    std::size_t level(std::int64_t replica, std::int32_t stage) const {
        const std::vector<std::int32_t>& rank = step_.schedule.rank_of_stage;
        return level_between(job_.topology, step_.replicas->rank_of(replica, rank[static_cast<std::size_t>(stage)]),
                             step_.replicas->rank_of(replica, rank[static_cast<std::size_t>(stage) + 1]));
    }

    /// Of a message that has a time and no bytes.
    double given_delay(const PieceWait& wait) const {
        if (wait.message == PieceWait::Message::none || !job_.transfer || message_bytes(*job_.transfer, wait)) return 0;
        return wait.message == PieceWait::Message::activation ? job_.transfer->activations_ms
                                                              : job_.transfer->gradients_ms;
    }

    double delay(const PieceWait& wait, std::size_t of_class) const {
        const auto bytes = job_.transfer ? message_bytes(*job_.transfer, wait) : std::nullopt;
        if (!bytes) return given_delay(wait);
        const std::vector<std::int64_t> ends = {
            step_.replicas->rank_of(step_.replicas->representative(of_class),
                                    static_cast<std::int32_t>(step_.pieces[wait.on].rank)),
            step_.replicas->rank_of(step_.replicas->representative(of_class),
                                    static_cast<std::int32_t>(step_.pieces[wait.piece].rank))};
        return message_ms(job_.topology[level_between(job_.topology, ends[0], ends[1])], *bytes);
    }

    void replicate() {
        const std::size_t classes = step_.replicas->class_count();
        if (classes * step_.pieces.size() > most_nodes)
            throw InputError("", grouped_text(static_cast<double>(classes)) + " different replicas of " +
                                     grouped_text(static_cast<double>(step_.pieces.size())) +
                                     " actions are more than " + grouped_text(most_nodes));
        StepGraph& graph = step_.graph;
        graph.reserve(classes * step_.pieces.size(), classes * waits_.size());
        const std::uint32_t count = static_cast<std::uint32_t>(step_.pieces.size());
        for (std::size_t of = 0; of < classes; ++of) {
            require_not_stopped(options_.stop);
            const std::uint32_t first = static_cast<std::uint32_t>(of) * count;
            for (const Piece& piece : step_.pieces)
                graph.add_node(static_cast<std::uint32_t>(of) * static_cast<std::uint32_t>(step_.ranks()) + piece.rank,
                               step_.piece_ms(piece, of));
            for (const PieceWait& wait : waits_)
                graph.add_dependency(first + wait.piece, first + wait.on, flows_ ? given_delay(wait) : delay(wait, of));
        }
        std::vector<std::vector<std::vector<std::uint32_t>>> groups_of_kind;
        std::vector<NodeIndex> members;
        for (std::uint32_t i = 0; i < count; ++i) {
            if (step_.pieces[i].group_kind < 0) continue;
            const std::size_t kind = static_cast<std::size_t>(step_.pieces[i].group_kind);
            while (groups_of_kind.size() <= kind)
                groups_of_kind.push_back(step_.replicas->groups(groups_of_kind.size()));
            for (const std::vector<std::uint32_t>& classes_of_group : groups_of_kind[kind]) {
                if (classes_of_group.size() < 2) continue;
                members.clear();
                for (const std::uint32_t of : classes_of_group) members.push_back(of * count + i);
                graph.add_rendezvous(members);
                if (flows_ && step_.pieces[i].bytes >= 0) flows_->add_collective(i, classes_of_group);
            }
        }
        graph.finish();
        if (flows_) flows_->add_messages(waits_);
    }

    const JobDocument& job_;
    const PipelineOptions& options_;
    PipelineStep step_;
    std::vector<StageActions> stages_;
    std::vector<std::vector<std::int32_t>> kinds_;  ///< of each stage: the group kind of each of its collectives
    std::vector<std::int32_t> first_collective_;    ///< of each stage: where its collectives begin in the step's
    std::vector<std::uint32_t> forward_end_, backward_end_;
    std::vector<Cell> cells_;
    std::vector<PieceWait> waits_;
    std::vector<Sync> syncs_;
    std::vector<std::pair<std::int32_t, std::uint32_t>> waits_for_sync_;
    std::vector<std::uint8_t> reduce_cell_;
    std::optional<PipelineFlows> flows_;  ///< where there are any
    std::size_t rank_ = 0, row_syncs_begin_ = 0;
    std::uint32_t before_ = none;
};

}  // namespace

PipelineStep pipeline_step(const JobDocument& job, const PipelineOptions& options) {
    return Builder(job, options).build();
}

}  // namespace overlap::job

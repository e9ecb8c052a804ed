#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/job/document/job_document.h"
#include "core/job/pipeline/replicas.h"
#include "core/job/pipeline/stage_actions.h"
#include "core/job/schedules/checked_schedule.h"
#include "core/job/step/job_result.h"
#include "core/job/step/node_names.h"
#include "core/job/step/step_flows.h"

namespace overlap::job {

struct PipelineOptions {
    bool fold = true;          ///< ranks that cannot be told apart are simulated once
    StageEvaluator evaluator;  ///< for stages given as graphs
    std::string folder;        ///< that paths of the document are relative to
    /// Asked for each stage, schedule of a table and draw, and within what takes long. What comes of what was stopped,
    /// an InputError too, is to be dropped.
    std::stop_token stop;
};

/// What a node of the step does for its rank.
enum class PieceRole : std::uint8_t {
    action,         ///< a cell's compute, or all of the cell
    collective,     ///< a collective within an action
    gradient_sync,  ///< on a stream of its own
    gradient_wait   ///< WAIT_REDUCE_GRAD: takes no time itself
};

/// A node as all replicas have it.
struct Piece {
    std::uint32_t rank = 0;  ///< pipeline rank
    std::uint32_t cell = 0;  ///< in the rank's list; of a gradient_sync the stage
    PieceRole role = PieceRole::action;
    std::int32_t group_kind = -1;  ///< whom it starts with; -1: nobody
    std::uint32_t first_part = 0, parts = 0;
    std::int32_t collective = -1;  ///< index of PipelineStep::collectives; -1: an all-reduce, as of gradients
    std::int64_t bytes = -1;       ///< of a collective that the topology times; -1: its parts have its time
};

/// What runs in a piece: several at once in a cell of OVERLAP_F_B.
struct PiecePart {
    std::int32_t stage = 0;
    double compute_ms = 0, fixed_ms = 0;
    bool routed = false;  ///< of experts: the routing multiplies it
};

/// A wait between two pieces of a replica.
struct PieceWait {
    enum class Message : std::uint8_t { none, activation, gradient };
    std::uint32_t piece = 0, on = 0;
    Message message = Message::none;  ///< none: no delay
};

/// Stages and a schedule as a step. Node c · pieces + i is piece i in class c of replicas.
struct PipelineStep {
    CheckedSchedule schedule;
    std::vector<std::string> notes;  ///< on the files of stages given as graphs, each once with all its stages
    std::vector<std::optional<std::int64_t>> held_bytes;  ///< of each stage: see StageActions
    std::unique_ptr<Replicas> replicas;
    OverlapRule overlap;
    std::vector<Piece> pieces;
    std::vector<PiecePart> parts;
    std::vector<std::string> collectives;  ///< kinds that segments name
    std::vector<std::uint32_t> row_begin;  ///< of each rank: its pieces in order; syncs come after the last row
    StepGraph graph;
    /// Where messages or collectives share links; the graph has the times that follow.
    StepFlows flows;
    std::optional<LinkNetwork> network;

    std::int32_t ranks() const { return static_cast<std::int32_t>(schedule.lists.size()); }
    std::string collective_of(const Piece& of) const {
        return of.collective < 0 ? "all_reduce" : collectives[static_cast<std::size_t>(of.collective)];
    }
    const Piece& piece(NodeIndex node) const { return pieces[node % pieces.size()]; }
    std::size_t class_of(NodeIndex node) const { return node / pieces.size(); }
    /// Time of a piece in a class of replicas, and the part of it that computes.
    double part_ms(const PiecePart& part, std::size_t of_class) const;
    double piece_ms(const Piece& piece, std::size_t of_class) const;
    double piece_busy_ms(const Piece& piece, std::size_t of_class) const;
    /// The part of it in which a graph's step waits for communication.
    double piece_exposed_ms(const Piece& piece, std::size_t of_class) const;
};

/// @throws InputError with the place: schedules that PyTorch does not make or that do not run everything once, times
/// that are missing, more than what a job may have.
PipelineStep pipeline_step(const JobDocument& job, const PipelineOptions& options);

/// The lists of a job, checked. @throws InputError with the place.
CheckedSchedule job_schedule(const JobDocument& job, const std::string& folder);

/// Names refer to the step.
NodeNames pipeline_names(const PipelineStep& step);

/// Figures of each class and pipeline rank: class · p + rank.
std::vector<RankFigures> pipeline_figures(const PipelineStep& step, const StepTimes& times);

/// All ranks with their classes, and the stages of each pipeline rank.
void add_ranks(const PipelineStep& step, JobResult& result);

}  // namespace overlap::job

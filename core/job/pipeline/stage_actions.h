#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/job/document/job_document.h"
#include "core/job/schedules/action.h"

namespace overlap::job {

/// A piece of an action that runs without a stop: compute, and what is exposed within it; or a collective.
struct ActionPiece {
    double compute_ms = 0;         ///< slow ranks multiply it
    double fixed_ms = 0;           ///< exposed communication within, or the time of a collective
    std::int32_t collective = -1;  ///< index of StageActions::collectives; -1: none
    bool routed = false;           ///< experts' compute, or an all-to-all over the dimension of `routing`
    std::int64_t bytes = -1;       ///< of a collective that the topology times; -1: it takes `fixed_ms`
};

/// What the user should know of a file that a stage is given as.
struct StageNote {
    std::string file;  ///< as the document names it
    std::string text;  ///< its severity, such as `caution: `, and a sentence without full stop

    bool operator==(const StageNote&) const = default;
};

/// What each action of a stage takes.
struct StageActions {
    std::array<std::vector<ActionPiece>, action_kind_count> pieces;
    std::array<bool, action_kind_count> given{};
    std::vector<std::pair<std::string, std::string>> collectives;  ///< dimension and kind of each that segments name
    std::vector<StageNote> notes;                                  ///< on the files of a stage given as a graph
    /// What a forward leaves for its backward; nothing where the stage does not tell.
    std::optional<std::int64_t> held_bytes;

    std::span<const ActionPiece> of(ActionKind kind) const { return pieces[static_cast<std::size_t>(kind)]; }
};

/// Forward and backward of a stage that is given as a graph.
struct GraphStageTimes {
    ActionPiece forward, backward;
    std::vector<std::pair<std::string, ActionPiece>> others{};  ///< further actions that have a graph, by kind
    std::vector<StageNote> notes{};
    std::optional<std::int64_t> held_bytes{};  ///< see StageActions
};

/// Figures for a stage given as graphs. @param number of the stage in the document. @throws InputError without the
/// stage's place.
using StageEvaluator = std::function<GraphStageTimes(const StageSpec& stage, std::size_t number)>;

/// What the actions of stage `number` of the job take.
/// @param evaluator for stages given as graphs.
/// @throws InputError with the place: kinds of actions that there are not, times that are missing.
StageActions stage_actions(const JobDocument& job, std::size_t number, const StageEvaluator& evaluator);

/// `stages[3]`.
std::string stage_place(std::size_t number);

/// @throws InputError where the stage has no time for an action of the schedule.
void require_action(const StageActions& actions, const StageSpec& stage, ActionKind kind, const std::string& place);

}  // namespace overlap::job

#include "core/job/pipeline/stage_actions.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/quote.h"
#include "core/job/links/collective_flows.h"

namespace overlap::job {

namespace {

std::size_t kind_index(const std::string& name, const std::string& place) {
    for (std::size_t kind = 0; kind < action_kind_count; ++kind)
        if (action_kind_name(static_cast<ActionKind>(kind)) == name) return kind;
    throw InputError(place, "there is no action " + in_quotes(shortened(name)) +
                                "; there are F, I, W, B and others such as UNSHARD, RESHARD, REDUCE_GRAD");
}

constexpr std::size_t index(ActionKind kind) {
    return static_cast<std::size_t>(kind);
}

/// `B` is `I` and then `W` unless it is given.
void complete_backward(StageActions& actions) {
    const std::size_t full = index(ActionKind::full_backward), input = index(ActionKind::backward_input),
                      weight = index(ActionKind::backward_weight);
    if (actions.given[full] || !actions.given[input] || !actions.given[weight]) return;
    actions.given[full] = true;
    actions.pieces[full] = actions.pieces[input];
    actions.pieces[full].insert(actions.pieces[full].end(), actions.pieces[weight].begin(),
                                actions.pieces[weight].end());
}

std::int32_t collective_index(StageActions& actions, const Segment& segment) {
    const std::pair collective(segment.dim, segment.collective);
    const auto found = std::find(actions.collectives.begin(), actions.collectives.end(), collective);
    if (found != actions.collectives.end()) return static_cast<std::int32_t>(found - actions.collectives.begin());
    actions.collectives.push_back(collective);
    return static_cast<std::int32_t>(actions.collectives.size() - 1);
}

void read_opaque(const StageSpec& stage, const std::string& place, StageActions& actions) {
    for (const auto& [name, ms] : stage.ms) {
        const std::size_t kind = kind_index(name, place + ".ms");
        actions.given[kind] = true;
        actions.pieces[kind] = {{ms, 0, -1, false}};
    }
    complete_backward(actions);
    // One time, I + W, where B is made of both.
    std::vector<ActionPiece>& full = actions.pieces[index(ActionKind::full_backward)];
    if (full.size() == 2) full = {{full[0].compute_ms + full[1].compute_ms, 0, -1, false}};
}

void read_segments(const StageSpec& stage, const std::string& place, const std::string& routed_dim,
                   StageActions& actions) {
    for (const auto& [name, segments] : stage.segments) {
        const std::size_t kind = kind_index(name, place + ".segments");
        actions.given[kind] = true;
        for (const Segment& segment : segments) {
            const bool computes = segment.collective.empty();
            ActionPiece& piece = actions.pieces[kind].emplace_back();
            (computes ? piece.compute_ms : piece.fixed_ms) = segment.ms;
            if (!computes) piece.collective = collective_index(actions, segment);
            if (segment.bytes) {
                if (!has_flows(segment.collective))
                    throw InputError(place + ".segments." + name,
                                     in_quotes(shortened(segment.collective)) +
                                         " has bytes; expected one of all_reduce, all_gather, reduce_scatter, "
                                         "all_to_all, broadcast, reduce, or ms");
                piece.bytes = *segment.bytes;
            }
            piece.routed =
                !routed_dim.empty() &&
                (computes ? segment.experts : segment.collective == "all_to_all" && segment.dim == routed_dim);
        }
    }
    complete_backward(actions);
}

ActionPiece part_of(const ActionPiece& whole, double share) {
    return {whole.compute_ms * share, whole.fixed_ms * share, -1, false};
}

void read_graph(const StageSpec& stage, std::size_t number, const StageEvaluator& evaluator, StageActions& actions) {
    const std::string place = stage_place(number);
    if (!evaluator) throw InputError(place, "a stage given as a graph cannot be evaluated here");
    GraphStageTimes times;
    try {
        times = evaluator(stage, number);
    } catch (const InputError& error) {
        throw InputError(place, error.what());
    }
    actions.notes = std::move(times.notes);
    actions.held_bytes = times.held_bytes;
    actions.given[index(ActionKind::forward)] = actions.given[index(ActionKind::full_backward)] = true;
    actions.pieces[index(ActionKind::forward)] = {times.forward};
    actions.pieces[index(ActionKind::full_backward)] = {times.backward};
    for (const auto& [name, piece] : times.others) {
        const std::size_t kind = kind_index(name, place + ".action_graphs");
        actions.given[kind] = true;
        actions.pieces[kind] = {piece};
    }
    if (!stage.backward_input_share) return;
    const ActionPiece input = part_of(times.backward, *stage.backward_input_share);
    actions.given[index(ActionKind::backward_input)] = actions.given[index(ActionKind::backward_weight)] = true;
    actions.pieces[index(ActionKind::backward_input)] = {input};
    actions.pieces[index(ActionKind::backward_weight)] = {
        {times.backward.compute_ms - input.compute_ms, times.backward.fixed_ms - input.fixed_ms, -1, false}};
}

}  // namespace

std::string stage_place(std::size_t number) {
    return "stages[" + std::to_string(number) + "]";
}

StageActions stage_actions(const JobDocument& job, std::size_t number, const StageEvaluator& evaluator) {
    const StageSpec& stage = job.stages[number];
    const std::string place = stage_place(number);
    StageActions actions;
    switch (stage.kind) {
        case StageKind::opaque:
            read_opaque(stage, place, actions);
            break;
        case StageKind::segments:
            read_segments(stage, place, job.routing ? job.routing->group : std::string(), actions);
            break;
        case StageKind::graph:
            read_graph(stage, number, evaluator, actions);
            break;
    }
    return actions;
}

void require_action(const StageActions& actions, const StageSpec& stage, ActionKind kind, const std::string& place) {
    if (!is_compute(kind) || actions.given[index(kind)]) return;
    const std::string name(action_kind_name(kind));
    switch (stage.kind) {
        case StageKind::opaque:
            throw InputError(place + ".ms", "has no " + name + ", which the schedule runs");
        case StageKind::segments:
            throw InputError(place + ".segments", "has no " + name + ", which the schedule runs");
        case StageKind::graph:
            throw InputError(place,
                             "the schedule runs I and W; expected backward_input_share, the part of the "
                             "backward's time that is I, or both in action_graphs");
    }
}

}  // namespace overlap::job

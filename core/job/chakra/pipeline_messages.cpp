#include "core/job/chakra/pipeline_messages.h"

#include <algorithm>
#include <span>
#include <stdexcept>
#include <unordered_map>

namespace overlap::job {

namespace {

/// Whether an action's result goes to another stage: not that of `W`.
bool passes_on(const Action& action) {
    return is_compute(action.kind) && action.kind != ActionKind::backward_weight;
}

bool is_forward(const Action& action) {
    return action.kind == ActionKind::forward;
}

/// The `which`-th message between two cells, in the order of the receiver's actions. Which way it goes is told by the
/// stages: where a rank has several, its number is below the other's for messages both ways.
PieceWait::Message message_between(std::span<const Action> sender, std::span<const Action> receiver,
                                   std::size_t which) {
    for (const Action& to : receiver) {
        if (!passes_on(to)) continue;
        const std::int32_t stage = is_forward(to) ? to.stage - 1 : to.stage + 1;
        const bool is_sent = std::ranges::any_of(sender, [&](const Action& from) {
            return passes_on(from) && is_forward(from) == is_forward(to) && from.stage == stage &&
                   from.microbatch == to.microbatch;
        });
        if (is_sent && which-- == 0)
            return is_forward(to) ? PieceWait::Message::activation : PieceWait::Message::gradient;
    }
    throw std::logic_error("a message between cells whose actions send none");
}

}  // namespace

std::vector<PipelineMessage> pipeline_messages(const PipelineStep& step) {
    const StepGraph& graph = step.graph;
    const auto cell = [&step](NodeIndex node) {
        const Piece& piece = step.piece(node);
        return step.schedule.lists[piece.rank][piece.cell];
    };
    std::vector<PipelineMessage> messages;
    std::unordered_map<std::uint64_t, std::int32_t> tags;  // the next one, by sender and receiver
    for (NodeIndex to = 0; to < graph.node_count(); ++to) {
        const std::size_t first = messages.size();
        for (std::uint32_t i = graph.first_dependency(to); i < graph.first_dependency(to + 1); ++i) {
            const NodeIndex from = graph.on()[i];
            if (graph.rank(from) == graph.rank(to)) continue;
            const auto which = static_cast<std::size_t>(
                std::ranges::count(std::span(messages).subspan(first), from, &PipelineMessage::from));
            const std::uint64_t ranks = std::uint64_t{graph.rank(from)} << 32 | graph.rank(to);
            messages.push_back(
                {from, to, graph.delay_ms()[i], message_between(cell(from), cell(to), which), which, tags[ranks]++});
        }
    }
    return messages;
}

}  // namespace overlap::job

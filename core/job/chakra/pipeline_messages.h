#pragma once

#include <cstdint>
#include <vector>

#include "core/job/pipeline/pipeline_step.h"

namespace overlap::job {

/// What one node of a step sends to a node of another rank.
struct PipelineMessage {
    NodeIndex from = 0, to = 0;
    double delay_ms = 0;
    PieceWait::Message what = PieceWait::Message::activation;
    std::size_t which = 0;  ///< of the messages from one node to another, as NodeNames::message counts them
    std::int32_t tag = 0;   ///< of the messages from one rank to another, from 0
};

/// All messages of a step, in the order of the nodes that wait for them.
std::vector<PipelineMessage> pipeline_messages(const PipelineStep& step);

}  // namespace overlap::job

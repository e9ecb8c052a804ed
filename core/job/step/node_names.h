#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "core/job/step/step_graph.h"

namespace overlap::job {

/// How nodes of a step are told to people, asked for where a message or a path needs it.
struct NodeNames {
    std::function<std::int64_t(NodeIndex)> rank;
    std::function<std::string(NodeIndex)> op;
    /// The `which`-th message, from 0, that `node` waits for from `on`, such as `0SEND_F1`.
    std::function<std::string(NodeIndex on, NodeIndex node, std::size_t which)> message;
};

}  // namespace overlap::job

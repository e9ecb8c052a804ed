#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/imports/fx/fx_text.h"

namespace overlap {

/// A time that Inductor estimated for one of its operations.
struct LoggedTime {
    std::string name;  ///< of a node, a kernel or an operator
    bool is_collective = false;
    double milliseconds = 0;
};

/// The payload of an artifact `inductor_runtime_and_tensor_meta`; nothing for any other text.
std::vector<LoggedTime> parse_logged_times(std::string_view json);

/// Gives these times to the nodes that they name as `estimate_ms`: by the node's name, and to the graph's collectives
/// where the log has the same ones in the same order. Notes how many times name no node.
void add_logged_times(ImportedGraph& imported, const std::vector<LoggedTime>& times);

}  // namespace overlap

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/graph/graph.h"

namespace overlap {

/// What a node does in the stream model.
struct StreamStep {
    enum class Kind : std::uint8_t {
        given,          ///< placeholder, get_attr or output: the host issues nothing
        compute,        ///< occupies the compute stream
        collective,     ///< occupies its group's stream
        wait,           ///< holds the compute stream for a collective
        transfer,       ///< copies to or from the host, on the stream of such copies
        transfer_wait,  ///< holds the compute stream for such a copy
    };
    Kind kind = Kind::compute;
    /// The first argument that the operation itself takes; a control_deps has others before it.
    std::uint8_t first_argument = 0;
    /// Index of StreamSteps::collectives, of collectives and waits; of StreamSteps::transfers, of transfers and theirs.
    std::uint32_t collective = 0;
};

struct IssuedCollective {
    NodeId node = no_node;
    CollectiveKind kind = CollectiveKind::none;
    std::uint32_t group = 0;     ///< index of StreamSteps::groups
    std::int64_t bytes = 0;      ///< the larger of its inputs and its outputs
    NodeId wait = no_node;       ///< its first wait, or no_node
    std::int32_t previous = -1;  ///< index of the collective before it on its group's stream, or -1
};

/// A copy between device and host (`ao.offload`, `ao.reload`).
struct IssuedTransfer {
    NodeId node = no_node;
    NodeId wait = no_node;  ///< its first wait, or no_node
    bool to_host = false;
    std::int64_t bytes = 0;
};

/// A graph as the stream model of docs/formats.md takes it, without times.
struct StreamSteps {
    std::vector<StreamStep> of_node;
    std::vector<IssuedCollective> collectives;  ///< in order of issue
    std::vector<std::string> groups;            ///< names of process groups in order of first use
    std::vector<IssuedTransfer> transfers;      ///< in order of issue
};

/// A wait for something that is no collective of the graph counts as compute. control_deps count as what they wrap.
StreamSteps stream_steps(const Graph& graph);

}  // namespace overlap

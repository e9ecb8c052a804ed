#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/graph/graph.h"
#include "core/passes/experts/chunked_regions.h"

namespace overlap::experts {

/// An all-to-all that sends tokens to experts or back.
struct TokenExchange {
    std::string_view label;    ///< `dispatch` or `combine`
    std::uint32_t launch = 0;  ///< node of the region
};

/// The exchanges of a region, and what else its nodes' `custom` says of them.
struct TokenExchanges {
    std::array<std::vector<TokenExchange>, 2> of_chunk;  ///< in the order of the graph
    struct Wait {
        NodeId node = no_node;
        std::string_view label;
    };
    std::vector<Wait> waits;              ///< of the exchanges, each once
    std::vector<std::uint8_t> is_launch;  ///< by node of the region
    /// By node of the region: copies of token counts, which tell the host how much is sent.
    std::vector<std::uint8_t> is_count_copy;

    bool none() const { return of_chunk[0].empty() && of_chunk[1].empty(); }
};

/// The exchanges of a region, both halves' alike.
/// @throws PassRefusal of `pass` where the reference raises a ValueError: halves that differ in their exchanges, an
/// exchange without exactly one wait behind it in its half, another node that is labelled as an exchange.
TokenExchanges token_exchanges(const Graph& graph, const ChunkedRegion& region, std::string_view pass);

}  // namespace overlap::experts

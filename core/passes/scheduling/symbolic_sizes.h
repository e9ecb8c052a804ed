#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/graph/graph.h"

namespace overlap::scheduling {

/// Sizes that are known only when the job runs: where torch needs a number for one, it uses a guess, and which one
/// depends on the caller. A graph file gives the expressions of such sizes in a node's `symbolic_shapes` and the sizes
/// under one guess in `outputs`; known values of symbols are in the document's `symbol_hints`.
class SymbolicSizes {
  public:
    /// torch's guess for a symbol in the size of a collective (torch/_inductor/comm_analysis.py,
    /// `get_fx_node_size_numel`).
    static constexpr std::int64_t guess_in_collectives = 4096 * 4096;
    /// Its guess in the size of a storage (torch/_inductor/config.py, `unbacked_symint_fallback`).
    static constexpr std::int64_t guess_in_storages = 8192;

    explicit SymbolicSizes(const Graph& graph);

    /// Whether no size of the graph is symbolic.
    bool empty() const { return expressions_.empty(); }
    /// Elements of an output of a node when each symbol stands for `guess`; of sizes that are numbers the product.
    /// @throws InputError for an expression that is not understood.
    std::int64_t elements(NodeId node, std::size_t output, std::int64_t guess) const;
    /// Whether a size of this output is symbolic.
    bool is_symbolic(NodeId node, std::size_t output) const { return find(node, output) != nullptr; }

  private:
    /// The sizes of one output, each a number or an expression as text.
    struct Shape {
        NodeId node;
        std::uint32_t output;
        std::vector<std::string> sizes;
    };
    const Shape* find(NodeId node, std::size_t output) const;
    void read_hints();
    void learn_hints(const Shape& shape, const TensorMeta& tensor, std::optional<std::int64_t> unknown);

    const Graph& graph_;
    std::vector<Shape> expressions_;                          ///< ascending by node, then output
    std::map<std::string, std::int64_t, std::less<>> hints_;  ///< of symbols that have a number of their own
};

}  // namespace overlap::scheduling
